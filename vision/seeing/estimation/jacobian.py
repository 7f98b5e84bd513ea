"""Derivatives of the expected measurements by all unknowns, and steps of all unknowns.

The camera fixes the gauge of the table frame: the image of the table's origin and the rotation
about the plane's normal keep their initial values.
"""

from dataclasses import replace

import numpy as np

from vision.seeing.estimation.model import (
    Forms,
    Measurements,
    PlacedPoints,
    Solution,
    TrimModel,
    apply_trim,
    curl_heights,
    measured_points,
    point_growth,
    project_cards,
    trim_parameters,
)
from vision.values.arrays import FloatArray, IntArray

__all__ = [
    "BLOOM",
    "N_CAMERA",
    "N_FORM",
    "N_POSE",
    "N_TRIM",
    "apply_step",
    "jacobian",
    "shared_count",
]

N_CAMERA = 11  # log f, cx, cy, k1, k2, tilt a, tilt b, log distance, bloom, thickness, inner
BLOOM = 8  # of them, the first that is of the light
N_TRIM = 5  # of the deck: log aspect, growth x and y, shift x and y
N_POSE, N_FORM = 3, 9  # x, y, theta; print x, y, turn, lift, three of the curl, growth x, y
_MIDDLE = np.zeros((1, 2))  # a card's centre


def shared_count(solution: Solution) -> int:
    """Return the number (C) of shared unknowns: the camera's and those of the deck's trim."""
    return N_CAMERA + (0 if solution.cut is None else N_TRIM)


def jacobian(
    solution: Solution, seen: Measurements, points: PlacedPoints | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the derivatives of the expected measurements by each unknown, in sigmas.

    This is minus the derivative of :func:`residuals`, for the steps of :func:`apply_step`.

    Parameters
    ----------
    solution : Solution
        Point of linearisation.
    seen : Measurements
        M observations; ``points`` are their :func:`measured_points`, if they are known.

    Returns
    -------
    by_camera : (M, C) float64
        By log focal length, centre x and y (px), k1, k2, rotations about the table's own x and y
        axis (rad), log distance, bloom (px), thickness (mm), inner bloom (px); with a trim model
        also the log aspect, the growth along x and y and the shift (mm) along x and y.
    by_card : (M, P) float64
        By the unknowns of the observation's own card: x mm, y mm, theta rad; with forms also the
        print's x mm, y mm, turn rad, the lift mm, the three curl coefficients mm and the growth of
        width and height.
    """
    s, card = solution, seen.card
    q, table, point = points or measured_points(s, seen)
    normal = (seen.normal_px / seen.sigma_px[:, None]).T
    u = point[:, :2].T / point[:, 2]
    r2 = u[0] ** 2 + u[1] ** 2
    out = normal[0] * u[0] + normal[1] * u[1]
    lens = 1 + r2 * (s.k1 + s.k2 * r2)
    by_u = s.focal_px * (lens * normal + 2 * (s.k1 + 2 * s.k2 * r2) * out * u)
    by_point = np.stack([*by_u, -(by_u[0] * u[0] + by_u[1] * u[1])]) / point[:, 2]
    by_table = s.rotation.T @ by_point  # along x and y of the table, and away from the camera

    by_camera = np.empty((shared_count(s), len(q)))
    by_camera[0] = s.focal_px * lens * out
    by_camera[1:3] = normal
    by_camera[3] = s.focal_px * r2 * out
    by_camera[4] = r2 * by_camera[3]
    by_camera[5] = by_table[2] * table[:, 1]
    by_camera[6] = -by_table[2] * table[:, 0]
    by_camera[7] = s.translation_mm @ by_point
    light = np.stack([seen.polarity, seen.wall, seen.polarity * seen.printed])
    by_camera[BLOOM:N_CAMERA] = light / seen.sigma_px

    by_card = np.empty((N_POSE if s.forms is None else N_POSE + N_FORM, len(q)))
    by_card[:2] = by_table[:2]
    by_card[2] = _rotation_derivative(by_table, table - s.poses[card, :2])
    by_point_mm = _rotate_back(by_table, s.poses[card, 2])
    if s.forms is not None:
        height, by_card[N_POSE:], by_point_mm = _form_derivatives(
            s.forms, seen, q, by_table[2], by_point_mm, s.cut
        )
        by_camera[5] += height * by_table[1]  # rotations of the plane move raised points sideways
        by_camera[6] -= height * by_table[0]
    if s.cut is not None:
        by_camera[N_CAMERA:] = _trim_derivatives(s.cut, seen, by_point_mm)
    return by_camera.T, by_card.T


def _form_derivatives(
    forms: Forms,
    seen: Measurements,
    q: FloatArray,
    lift: FloatArray,
    by_place: FloatArray,
    cut: TrimModel | None,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return heights (M,) of points on cards, and derivatives by their cards' forms (9, M).

    The third result are the derivatives by the points of the deck (2, M). Inputs are the
    derivatives by height, downwards (M,), and by the position on a flat card (2, M).
    """
    card = seen.card
    bent = curl_heights(forms, card, q)
    height = (bent * forms.curl_mm[card]).sum(axis=1) + forms.lift_mm[card]
    # a curled surface changes the height of shifted print too
    place = by_place - lift * _surface_slopes(forms, card, q)
    slopes = np.empty((N_FORM, len(q)))
    slopes[:2] = seen.printed * place
    slopes[2] = seen.printed * _rotation_derivative(place, q - forms.printed[card, :2])
    slopes[3] = -lift
    slopes[4:7] = -lift * bent.T
    by_point_mm = _rotate_back(place, forms.printed[card, 2] * seen.printed)
    point = seen.point_mm if cut is None else apply_trim(cut, seen.point_mm, seen.printed)
    share = point_growth(forms, seen.printed)
    slopes[7:] = by_point_mm * (share * point.T)
    return height, slopes, by_point_mm * (1 + share * forms.growth.T[:, card])


def _trim_derivatives(cut: TrimModel, seen: Measurements, by_point_mm: FloatArray) -> FloatArray:
    """Return derivatives (5, M) by a deck's trim, from those by its points (2, M)."""
    stretched = (cut.stretch * seen.point_mm).T
    growth = np.outer(cut.growth, seen.printed)
    by_aspect = by_point_mm * stretched * (1 + growth)
    by_shift = seen.printed * by_point_mm
    return np.stack([(by_aspect[0] - by_aspect[1]) / 2, *(by_shift * stretched), *by_shift])


def _surface_slopes(forms: Forms, card: IntArray, q: FloatArray) -> FloatArray:
    """Return the slopes (2, M) of curled cards at their points, mm per mm along x and y."""
    x, y = q.T / np.hypot(*forms.half_mm) ** 2
    c1, c2, c3 = forms.curl_mm[card].T
    return np.stack([2 * c1 * x + c2 * y, c2 * x + 2 * c3 * y])


def _rotation_derivative(by_place: FloatArray, away: FloatArray) -> FloatArray:
    """Return the derivative (M,) by a rotation; ``away`` (M, 2) is relative to its centre."""
    return np.asarray(by_place[1] * away[:, 0] - by_place[0] * away[:, 1], np.float64)


def _rotate_back(by_place: FloatArray, angle_rad: FloatArray) -> FloatArray:
    """Return derivatives (2, M) by points that are then rotated by angles (M,)."""
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    x, y = by_place[:2]
    return np.stack([cos * x + sin * y, cos * y - sin * x])


def apply_step(solution: Solution, camera: FloatArray, cards: FloatArray) -> Solution:
    """Apply a step of the camera (C,) and the cards (N, P), in the order of :func:`jacobian`.

    The centre of each flat card moves along a straight line in the photo. On the table it does so
    to first order only: focal length, distance and tilt change far more than the photo does, and a
    long step of all three, straight on the table, would leave the edges it should fit. Where cards
    may curl, or their trim is estimated, poses move straight on the table and steps stay short:
    seen from above, both resemble a change of focal length, and their priors are too rough for a
    long step.
    """
    after = _add_step(solution, camera, cards)
    if solution.forms is not None or solution.cut is not None:
        return after
    n = len(cards)
    card, none = np.repeat(np.arange(n), 2), np.zeros(2 * n)
    centre, axes = np.zeros((2 * n, 2)), np.tile(np.eye(2), (n, 1))
    middles = Measurements(card, centre, centre, axes, none + 1, none, none, none)
    by_camera, by_card = jacobian(solution, middles)
    goes = by_camera @ camera + (by_card * cards[card]).sum(axis=1)
    from_px, to_px = (project_cards(one, one.poses, _MIDDLE).ravel() for one in (solution, after))
    short = (from_px + goes - to_px).reshape(n, 2, 1)
    by_place = jacobian(after, middles)[1][:, :2].reshape(n, 2, 2)
    poses = after.poses.copy()
    poses[:, :2] += np.linalg.solve(by_place, short)[..., 0]
    return replace(after, poses=poses)


def _add_step(solution: Solution, camera: FloatArray, cards: FloatArray) -> Solution:
    """Add a step to all unknowns, poses on the table."""
    s = solution
    a, b = camera[5:7]
    bloom, thickness, inner_bloom = camera[BLOOM:N_CAMERA].tolist()
    angle = float(np.hypot(a, b))
    spin = np.array([[0, 0, b], [0, 0, -a], [-b, a, 0.0]])
    turn = np.eye(3)
    if angle > 0:
        turn += np.sin(angle) / angle * spin + (1 - np.cos(angle)) / angle**2 * spin @ spin
    forms = s.forms
    if forms is not None:
        form = cards[:, N_POSE:]
        forms = replace(
            forms,
            printed=forms.printed + form[:, :3],
            lift_mm=forms.lift_mm + form[:, 3],
            curl_mm=forms.curl_mm + form[:, 4:7],
            growth=forms.growth + form[:, 7:],
        )
    return replace(
        s,
        focal_px=s.focal_px * float(np.exp(camera[0])),
        centre_px=s.centre_px + camera[1:3],
        k1=s.k1 + float(camera[3]),
        k2=s.k2 + float(camera[4]),
        rotation=s.rotation @ turn,
        translation_mm=s.translation_mm * np.exp(camera[7]),
        bloom_px=s.bloom_px + bloom,
        thickness_mm=s.thickness_mm + thickness,
        inner_bloom_px=s.inner_bloom_px + inner_bloom,
        poses=s.poses + cards[:, :N_POSE],
        forms=forms,
        cut=None if s.cut is None else TrimModel.of(trim_parameters(s) + camera[N_CAMERA:]),
    )
