"""The measurement model: camera, plane, poses and card forms to image points.

A card point ``q`` (mm) lies on the table at ``xy + R(theta) q``; the table plane is placed in the
camera frame by a rotation and a translation; the pinhole image passes through a radial lens. A
measurement is the distance of an edge in the picture from its expected place, along the edge's
normal. White regions spread by a common ``bloom`` in real pictures (tone curves, sharpening), which
is estimated as well: bright-to-dark and dark-to-bright edges shift in opposite directions. Where
the camera sees the cut side of a card, its outline extends by the card's thickness, another
unknown. The bloom of printed edges may differ a little from that of cut edges.

Cards are not ideal rectangles. Each may be bent (its height is a quadratic form of the place on it,
and its lowest point rests on the table), lie on something, and carry its print off-centre: its
:class:`Forms`. What all cards of a deck have in common is the :class:`TrimModel`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TypeAlias

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.values.arrays import BoolArray, FloatArray, IntArray, Matrix3, Points
from vision.values.layout import Camera

__all__ = [
    "THICKNESS_MM",
    "Forms",
    "Measurements",
    "PlacedPoints",
    "Solution",
    "TrimModel",
    "apply_trim",
    "are_in_front",
    "camera_of",
    "camera_points",
    "curl_heights",
    "flat_forms",
    "heights",
    "join_measurements",
    "measured_points",
    "observe_corners",
    "parallax_per_mm",
    "point_growth",
    "project",
    "project_cards",
    "project_depth",
    "residuals",
    "select_measurements",
    "solution_of",
    "trim_parameters",
    "with_poses",
]

#: Points on their cards (M, 2), on the table (M, 2) and in the camera frame (M, 3), mm.
PlacedPoints: TypeAlias = tuple[FloatArray, FloatArray, FloatArray]

_CONTACTS = np.stack(np.meshgrid(*[np.linspace(-1, 1, 7)] * 2), axis=-1).reshape(-1, 2)
_BEHIND_CAMERA = "a card would lie behind the camera; photograph the table from higher up"
_NEAREST_MM = 1.0  # in front of the camera: nearer, the division by the depth means nothing


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """How N cards differ from ideal flat ones with the print centred.

    ``printed`` (N, 3) maps print to card: a design point q lies on the card at ``[x, y] + R(turn)
    q``, mm and rad. ``lift_mm`` (N,) raises the whole card. ``curl_mm`` (N, 3) are the coefficients
    of x², xy and y², in units of the half diagonal, of the card's height over its own lowest point.
    ``growth`` (N, 2) is the relative excess of a card's width and height over the deck's size; with
    ``of_print`` that of the print alone. ``half_mm`` (2,) is half the deck's width and height.
    """

    printed: FloatArray
    lift_mm: FloatArray
    curl_mm: FloatArray
    growth: FloatArray
    half_mm: FloatArray
    of_print: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class TrimModel:
    """How all cards of a deck differ from its stated size and pictures.

    ``aspect`` is the logarithm of width over height relative to the stated ratio; the area is kept,
    because a photo cannot measure it. A point q of the pictures, stretched to that size, lies on
    the card at ``(1 + growth) q + shift_mm``.
    """

    aspect: float = 0.0
    growth: tuple[float, float] = (0.0, 0.0)
    shift_mm: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def of(cls, values: FloatArray) -> "TrimModel":
        """Return the trim model with these parameters (5,)."""
        aspect, gx, gy, x, y = values.tolist()
        return cls(aspect, (gx, gy), (x, y))

    @property
    def stretch(self) -> FloatArray:
        """Factors (2,) of the card's width and height over the stated ones."""
        return np.exp([self.aspect / 2, -self.aspect / 2])


THICKNESS_MM = 0.3  # of a card; a sleeve doubles it


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """Camera, plane and poses.

    ``rotation`` (3, 3) and ``translation_mm`` (3,) take table points ``(x, y, 0)`` to the camera
    frame; ``poses`` (N, 3) holds x mm, y mm, theta rad of each card's cut edge. Printed edges
    glow by ``inner_bloom_px`` more than cut ones.
    """

    focal_px: float
    centre_px: FloatArray
    k1: float
    k2: float
    rotation: Matrix3
    translation_mm: FloatArray
    poses: FloatArray
    bloom_px: float = 0.0
    thickness_mm: float = THICKNESS_MM
    inner_bloom_px: float = 0.0
    forms: Forms | None = None
    cut: TrimModel | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """M observations of card points along the normal of an image edge.

    ``card`` (M,) indexes the poses; ``point_mm`` (M, 2) is in the card frame, ``seen_px`` (M, 2) in
    the photo frame; ``normal_px`` (M, 2) is a unit vector, ``sigma_px`` (M,) the deviation.
    ``polarity`` (M,) is +1 where white ends along the normal (bloom pushes the edge that way), -1
    where it begins, 0 if neither. ``wall`` (M,) is the shift in pixels along the normal per
    millimetre of card thickness (0 where no cut side is visible); ``printed`` (M,) is 1 for print
    and 0 for the cut edge.
    """

    card: IntArray
    point_mm: FloatArray
    seen_px: FloatArray
    normal_px: FloatArray
    sigma_px: FloatArray
    polarity: FloatArray
    wall: FloatArray
    printed: FloatArray


def camera_of(solution: Solution) -> Camera:
    """Return the camera that maps the solution's table frame to the photo."""
    k = np.array(
        [
            [solution.focal_px, 0, solution.centre_px[0]],
            [0, solution.focal_px, solution.centre_px[1]],
            [0, 0, 1],
        ]
    )
    plane = np.column_stack([solution.rotation[:, :2], solution.translation_mm])
    photo_from_table = k @ plane
    distortion = np.array([solution.k1, solution.k2])
    return Camera(k, distortion, photo_from_table / photo_from_table[2, 2])


def solution_of(camera: Camera) -> Solution:
    """Return the solution without cards of a camera over a table."""
    k = camera.camera_matrix
    plane = np.linalg.solve(k, camera.photo_from_table)
    plane = plane / np.linalg.norm(plane[:, :2], axis=0).mean()
    if plane[2, 2] < 0:  # the table lies before the camera
        plane = -plane
    first, second = plane[:, 0], plane[:, 1]
    left, _, right = np.linalg.svd(np.stack([first, second, np.cross(first, second)], axis=1))
    k1, k2 = (float(value) for value in camera.distortion)
    none = np.zeros((0, 3))
    return Solution(float(k[0, 0]), k[:2, 2], k1, k2, left @ right, plane[:, 2], none)


def parallax_per_mm(plane: Solution, points_mm: FloatArray) -> FloatArray:
    """Return the apparent shift (N, 2), mm per mm of height, of table points (N, 2).

    It points away from the camera; its length is the tangent of the viewing angle.
    """
    x, y, z = (-plane.rotation.T @ plane.translation_mm).tolist()
    return np.asarray((points_mm - [x, y]) / max(abs(z), 1.0), np.float64)


def trim_parameters(solution: Solution) -> FloatArray:
    """Return the trim parameters (5,): aspect, growth along x and y, shift along x and y."""
    cut = solution.cut or TrimModel()
    return np.array([cut.aspect, *cut.growth, *cut.shift_mm])


def with_poses(solution: Solution, poses: FloatArray) -> Solution:
    """Return the same camera and plane with flat cards at poses (N, 3)."""
    return replace(solution, poses=poses, forms=None)


def flat_forms(cards: int, size_mm: tuple[float, float]) -> Forms:
    """Return the forms of ideal cards of a size."""
    half = np.array(size_mm) / 2
    three = np.zeros((cards, 3))
    return Forms(three, np.zeros(cards), three, np.zeros((cards, 2)), half)


def heights(forms: Forms, card: IntArray, point_mm: FloatArray) -> FloatArray:
    """Return the heights (M,) mm of points (M, 2) on cards (M,) over the plane of flat cards."""
    bent = curl_heights(forms, card, point_mm) * forms.curl_mm[card]
    return np.asarray(forms.lift_mm[card] + bent[:, 0] + bent[:, 1] + bent[:, 2], np.float64)


def curl_heights(forms: Forms, card: IntArray, q: FloatArray) -> FloatArray:
    """Return d height / d curl (M, 3) relative to the point at which each card rests."""
    resting = (_squares(_CONTACTS * forms.half_mm, forms) @ forms.curl_mm.T).argmin(axis=0)
    middle = len(_CONTACTS) // 2  # where a flat card, all of which rests, counts from
    resting[~forms.curl_mm.any(axis=1)] = middle
    base = _squares(_CONTACTS[resting] * forms.half_mm, forms)
    return np.asarray(_squares(q, forms) - base.T[:, card].T, np.float64)


def _squares(q: FloatArray, forms: Forms) -> FloatArray:
    """Return x², xy and y² (M, 3) of points, in units of the half diagonal."""
    x, y = np.ascontiguousarray(q.T) / np.hypot(*forms.half_mm)
    return np.stack([x * x, x * y, y * y]).T


def project(
    solution: Solution, card: IntArray, point_mm: FloatArray, printed: FloatArray | None = None
) -> FloatArray:
    """Project points on cards into the photo.

    Parameters
    ----------
    solution : Solution
        Camera, plane and poses.
    card : (M,) int
        Which card each point is on.
    point_mm : (M, 2) float64
        Card frame; of the design where printed.
    printed : (M,) float64, optional
        1 for what is printed, 0 (as by default) for what is told from the cut edge.

    Returns
    -------
    (M, 2) float64
        Photo frame, px.

    Raises
    ------
    DegenerateGeometryError
        If a point lies behind the camera.
    """
    s = solution
    _, _, point = camera_points(s, card, point_mm, printed)
    return np.ascontiguousarray(_through_lens(s, point.T).T)


def _through_lens(s: Solution, point: FloatArray) -> FloatArray:
    """Project points (3, ...) in the camera frame through the lens to (2, ...), px."""
    u = point[:2] / point[2]
    r2 = u[0] ** 2 + u[1] ** 2
    lens = s.focal_px * (1 + r2 * (s.k1 + s.k2 * r2))
    centre = s.centre_px.reshape(2, *(1 for _ in r2.shape))
    return np.asarray(lens * u + centre, np.float64)


def are_in_front(solution: Solution, reach_mm: float) -> BoolArray:
    """Return which poses (N,) lie in front of the camera with everything within ``reach_mm``."""
    towards = solution.rotation[2, :2]
    depth = solution.poses[:, :2] @ towards + solution.translation_mm[2]
    return np.asarray(depth - reach_mm * np.hypot(*towards) > _NEAREST_MM)


def camera_points(
    s: Solution, card: IntArray, q: FloatArray, printed: FloatArray | None = None
) -> PlacedPoints:
    """Return points on their cards (M, 2), on the table (M, 2) and in the camera frame (M, 3).

    Coordinates are contiguous in memory, because they are used one by one.
    """
    if s.cut is not None:
        q = apply_trim(s.cut, q, np.zeros(len(q)) if printed is None else printed)
    at = np.ascontiguousarray(q.T)
    if s.forms is not None:
        share = point_growth(s.forms, printed)
        at = at * (1 + s.forms.growth.T[:, card] * share)
        if printed is not None:
            shift = s.forms.printed.T[:, card] * printed
            at = shift[:2] + _rotate(at, shift[2])
    pose = s.poses.T[:, card]
    table = pose[:2] + _rotate(at, pose[2])
    point = s.rotation[:, :2] @ table + s.translation_mm[:, None]
    if s.forms is not None:
        point -= heights(s.forms, card, at.T) * s.rotation[:, 2:]
    if np.any(point[2] <= _NEAREST_MM):
        raise DegenerateGeometryError(_BEHIND_CAMERA)
    return at.T, table.T, point.T


def apply_trim(cut: TrimModel, q: FloatArray, printed: FloatArray) -> FloatArray:
    """Map points (M, 2) of the stated card, or of its pictures, to the real card."""
    growth = printed[:, None] * cut.growth
    return np.asarray(cut.stretch * (1 + growth) * q + printed[:, None] * cut.shift_mm, np.float64)


def point_growth(forms: Forms, printed: FloatArray | None) -> FloatArray | float:
    """Return the share (M,) of a card's growth that moves its points."""
    if not forms.of_print:
        return 1.0
    return 0.0 if printed is None else printed


def _rotate(at: FloatArray, angle_rad: FloatArray) -> FloatArray:
    """Rotate points (2, M), each by its own angle."""
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    return np.stack([cos * at[0] - sin * at[1], sin * at[0] + cos * at[1]])


def project_depth(solution: Solution, card: IntArray, point_mm: FloatArray) -> FloatArray:
    """Return the image shift (M, 2) of card points per mm below the cards' plane."""
    s = solution
    deeper = replace(s, translation_mm=s.translation_mm + s.rotation[:, 2])
    return project(deeper, card, point_mm) - project(s, card, point_mm)


def project_cards(
    plane: Solution, poses: FloatArray, points_mm: Points, *, printed: bool = False
) -> FloatArray:
    """Project points (P, 2) of flat cards at poses (N, 3) into the photo: (N, P, 2) px."""
    s, q = plane, points_mm
    if s.cut is not None:
        q = apply_trim(s.cut, q, np.full(len(q), float(printed)))
    cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    turns = np.stack([cos, -sin, sin, cos], axis=1).reshape(-1, 2, 2)
    middles = poses[:, :2] @ s.rotation[:, :2].T + s.translation_mm
    point = s.rotation[:, :2] @ turns @ q.T + middles[:, :, None]  # (N, 3, P)
    if np.any(point[:, 2] <= _NEAREST_MM):
        raise DegenerateGeometryError(_BEHIND_CAMERA)
    return np.ascontiguousarray(np.moveaxis(_through_lens(s, point.swapaxes(0, 1)), 0, -1))


def join_measurements(parts: Sequence[Measurements]) -> Measurements:
    """Concatenate measurements; an empty list gives none."""
    if not parts:
        none, pairs = np.zeros(0), np.zeros((0, 2))
        return Measurements(np.zeros(0, np.int64), pairs, pairs, pairs, none, none, none, none)
    return Measurements(
        *(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Measurements))
    )


def select_measurements(seen: Measurements, which: BoolArray) -> Measurements:
    """Return the measurements that a mask (M,) selects."""
    return Measurements(*(getattr(seen, f.name)[which] for f in fields(Measurements)))


def observe_corners(corners_px: FloatArray, corners_mm: Points, sd_px: float) -> Measurements:
    """Return measurements of card corners (4, 2) seen at (N, 4, 2), along x and along y."""
    n = len(corners_px)
    none = np.zeros(8 * n)
    return Measurements(
        card=np.repeat(np.arange(n), 8),
        point_mm=np.tile(np.repeat(corners_mm, 2, axis=0), (n, 1)),
        seen_px=np.repeat(corners_px.reshape(-1, 2), 2, axis=0),
        normal_px=np.tile([[1.0, 0.0], [0.0, 1.0]], (4 * n, 1)),
        sigma_px=np.full(8 * n, sd_px),
        polarity=none,
        wall=none,
        printed=none,
    )


def measured_points(solution: Solution, seen: Measurements) -> PlacedPoints:
    """Return the measured points as :func:`camera_points` does."""
    return camera_points(solution, seen.card, seen.point_mm, seen.printed)


def residuals(
    solution: Solution, seen: Measurements, points: PlacedPoints | None = None
) -> FloatArray:
    """Return seen minus expected along each normal, in sigmas: (M,).

    ``points`` are the :func:`measured_points`, if they are known.
    """
    _, _, point = points or measured_points(solution, seen)
    px = _through_lens(solution, point.T).T
    off = (seen.seen_px - px) * seen.normal_px
    r = off[:, 0] + off[:, 1]
    bloom = solution.bloom_px + seen.printed * solution.inner_bloom_px
    r = r - seen.polarity * bloom - seen.wall * solution.thickness_mm
    return np.asarray(r / seen.sigma_px, np.float64)
