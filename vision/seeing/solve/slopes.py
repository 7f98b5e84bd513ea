"""Solution and measurements -> how what is expected moves with each unknown; a step of them all.

The free rigid motion of the table frame is held by the camera: the image of the table's origin
and the turn about the plane's normal stay as they are given.
"""

from dataclasses import replace

import numpy as np

from vision.seeing.solve.model import (
    Cut,
    Forms,
    Measurements,
    Solution,
    before_camera,
    bends,
    cut_of,
    grows,
    on_card,
    turned,
)
from vision.values.arrays import FloatArray, IntArray

__all__ = ["N_CAMERA", "N_CUT", "N_FORM", "N_POSE", "jacobian", "moved", "shared"]

N_CAMERA = 11  # log f, cx, cy, k1, k2, tilt a, tilt b, log distance, bloom, thickness, inner
_BLOOM, _THICKNESS, _INNER = 8, 9, 10
N_CUT = 5  # of the deck: log aspect, growth x and y, shift x and y
N_POSE, N_FORM = 3, 9  # x, y, theta; print x, y, turn, lift, three of the curl, growth x, y


def shared(solution: Solution) -> int:
    """Return how many unknowns (C) all cards share: the camera's, and those of the deck's cut."""
    return N_CAMERA + (0 if solution.cut is None else N_CUT)


def jacobian(solution: Solution, seen: Measurements) -> tuple[FloatArray, FloatArray]:
    """Return how what is expected moves with each unknown, in sigmas.

    This is minus the slope of :func:`residuals`, with the steps of :func:`moved`.

    Parameters
    ----------
    solution : Solution
        Where to linearise.
    seen : Measurements
        M observations.

    Returns
    -------
    by_camera : (M, C) float64
        By log focal length, centre x and y (px), k1, k2, turns about the table's own x and y
        axis (rad), log distance, bloom (px), thickness (mm), inner bloom (px); with a cut also
        the log aspect, the growth along x and y and the shift (mm) along x and y.
    by_card : (M, P) float64
        By what is unknown of the observation's own card: x mm, y mm, theta rad; with forms also
        the print's x mm, y mm, turn rad, the lift mm, the three of the curl mm and the growth of
        width and height.
    """
    by_camera, by_card = _slopes(solution, seen)
    normal = (seen.normal_px / seen.sigma_px[:, None])[:, None]
    total = (normal @ by_camera)[:, 0]
    total[:, _BLOOM] = seen.polarity / seen.sigma_px
    total[:, _THICKNESS] = seen.wall / seen.sigma_px
    total[:, _INNER] = total[:, _BLOOM] * seen.printed
    return total, np.asarray((normal @ by_card)[:, 0], np.float64)


def _slopes(s: Solution, seen: Measurements) -> tuple[FloatArray, FloatArray]:
    """Return d px / d camera (M, 2, C; blooms and thickness 0) and d px / d card (M, 2, P)."""
    card = seen.card
    q, table, point = before_camera(s, card, seen.point_mm, seen.printed)
    z = point[:, 2]
    u = point[:, :2] / z[:, None]
    r2 = u[:, 0] ** 2 + u[:, 1] ** 2
    lens = 1 + s.k1 * r2 + s.k2 * r2**2
    by_point = _by_point(s, u, z)

    by_camera = np.zeros((len(q), 2, shared(s)))
    by_camera[:, :, 0] = s.focal_px * lens[:, None] * u
    by_camera[:, 0, 1] = by_camera[:, 1, 2] = 1
    by_camera[:, :, 3] = s.focal_px * (r2[:, None] * u)
    by_camera[:, :, 4] = s.focal_px * (r2[:, None] ** 2 * u)
    lift = by_point @ s.rotation[:, 2]
    by_camera[:, :, 5] = lift * table[:, 1:]
    by_camera[:, :, 6] = -lift * table[:, :1]
    by_camera[:, :, 7] = by_point @ s.translation_mm

    by_table = by_point @ s.rotation[:, :2]  # (M, 2, 2)
    theta = s.poses[card, 2]
    by_card = np.zeros((len(q), 2, N_POSE if s.forms is None else N_POSE + N_FORM))
    by_card[:, :, :2] = by_table
    away = turned(q, theta)
    by_card[:, :, 2] = (by_table @ np.stack([-away[:, 1], away[:, 0]], 1)[:, :, None])[..., 0]
    if s.forms is None:
        if s.cut is not None:
            by_camera[:, :, N_CAMERA:] = by_table @ _rotations(theta) @ _by_cut(s.cut, seen)
        return by_camera, by_card
    bent = bends(s.forms, card, q)
    height = (bent * s.forms.curl_mm[card]).sum(axis=1) + s.forms.lift_mm[card]
    # turns of the plane take raised points along
    a, b = s.rotation[:, 0], s.rotation[:, 1]
    by_camera[:, :, 5] += height[:, None] * (by_point @ b)
    by_camera[:, :, 6] -= height[:, None] * (by_point @ a)
    by_card[:, :, 6] = -lift
    by_card[:, :, 7:10] = -lift[:, :, None] * bent[:, None]
    # on the card, what is printed moves with the print: along the table, and up and down
    rise = _rises(s.forms, card, q)
    by_card_place = by_table @ _rotations(theta) - lift[:, :, None] * rise[:, None]
    shift = q - s.forms.printed[card, :2]
    turn = np.stack([-shift[:, 1], shift[:, 0]], axis=1)
    printed = seen.printed[:, None, None]
    by_card[:, :, 3:5] = printed * by_card_place
    by_card[:, :, 5:6] = printed * (by_card_place @ turn[:, :, None])
    angle = s.forms.printed[card, 2] * seen.printed
    by_point_mm = by_card_place @ _rotations(angle)
    point = seen.point_mm if s.cut is None else on_card(s.cut, seen.point_mm, seen.printed)
    share = grows(s.forms, seen.printed)
    by_card[:, :, 10:] = by_point_mm * (share * point)[:, None]
    if s.cut is not None:
        grown = 1 + share * s.forms.growth[card]
        by_camera[:, :, N_CAMERA:] = by_point_mm * grown[:, None] @ _by_cut(s.cut, seen)
    return by_camera, by_card


def _by_cut(cut: Cut, seen: Measurements) -> FloatArray:
    """Return how points of the deck move on their cards with its cut: (M, 2, 5)."""
    stretched = cut.stretch * seen.point_mm
    growth = seen.printed[:, None] * cut.growth
    slopes = np.zeros((len(stretched), 2, N_CUT))
    slopes[:, :, 0] = [0.5, -0.5] * stretched * (1 + growth)
    for axis in range(2):
        slopes[:, axis, 1 + axis] = seen.printed * stretched[:, axis]
        slopes[:, axis, 3 + axis] = seen.printed
    return slopes


def _by_point(s: Solution, u: FloatArray, depth: FloatArray) -> FloatArray:
    """Return d px / d point in the camera frame (M, 2, 3), of points that show at u (M, 2)."""
    r2 = u[:, 0] ** 2 + u[:, 1] ** 2
    lens = 1 + s.k1 * r2 + s.k2 * r2**2
    bend = 2 * (s.k1 + 2 * s.k2 * r2)
    outer = u[:, :, None] * u[:, None, :]
    by_u = s.focal_px * (lens[:, None, None] * np.eye(2) + bend[:, None, None] * outer)
    return np.concatenate([by_u, -(by_u @ u[:, :, None])], axis=2) / depth[:, None, None]


def _rises(forms: Forms, card: IntArray, q: FloatArray) -> FloatArray:
    """Return how steep (M, 2) bent cards are at their points, mm per mm along x and y."""
    x, y = q.T / np.hypot(*forms.half_mm) ** 2
    c1, c2, c3 = forms.curl_mm[card].T
    return np.stack([2 * c1 * x + c2 * y, c2 * x + 2 * c3 * y], axis=1)


def _rotations(angle_rad: FloatArray) -> FloatArray:
    """Return the matrices (M, 2, 2) that turn by angles (M,)."""
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    return np.stack([cos, -sin, sin, cos], axis=1).reshape(-1, 2, 2)


def moved(solution: Solution, camera: FloatArray, cards: FloatArray) -> Solution:
    """Apply a step of the camera (C,) and the cards (N, P), in the order of :func:`jacobian`."""
    s = solution
    a, b = camera[5:7]
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
        bloom_px=s.bloom_px + float(camera[_BLOOM]),
        thickness_mm=s.thickness_mm + float(camera[_THICKNESS]),
        inner_bloom_px=s.inner_bloom_px + float(camera[_INNER]),
        poses=s.poses + cards[:, :N_POSE],
        forms=forms,
        cut=None if s.cut is None else Cut.of(cut_of(s) + camera[N_CAMERA:]),
    )
