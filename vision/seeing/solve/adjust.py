"""Joint least squares over camera, table plane and all card poses.

The model: a card point ``q`` (mm) lies on the table at ``xy + R(theta) q``; the table plane is
placed before the camera by a rotation and a translation; the pinhole image goes through a radial
lens. A measurement says how far the picture shows an edge from where it was expected, along the
edge's normal. White regions spread by a common ``bloom`` in real pictures (tone curves,
sharpening), so it is solved for as well: bright-to-dark and dark-to-bright edges oppose. Where the
camera sees the cut side of a card, its outline reaches out by the card's thickness; that is one
more unknown. How strongly the printed frame glows may differ a little from the cut edge.

Cards are no ideal rectangles: each may be bent (its height is a quadratic form of the place on it,
and its lowest point rests on the table), lie on something, and carry its print a little beside
the middle of what was cut out. Where these :class:`Forms` are asked for, they are unknowns with
priors, so that the covariance holds what remains unknown of them.

The free rigid motion of the table frame is held by the camera: the image of the table's origin
and the turn about the plane's normal stay as they are given.

References
----------
.. [1] Triggs et al., Bundle Adjustment - A Modern Synthesis, 2000.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.values.arrays import BoolArray, FloatArray, IntArray, Matrix3
from vision.values.layout import Camera

__all__ = [
    "FormPriors",
    "Forms",
    "Measurements",
    "Priors",
    "Solution",
    "Solved",
    "camera_of",
    "flat_forms",
    "heights",
    "is_before_camera",
    "jacobian",
    "join_measurements",
    "moved",
    "project",
    "residuals",
    "sink",
    "solve",
    "with_poses",
]

_N_CAMERA = 11  # log f, cx, cy, k1, k2, tilt a, tilt b, log distance, bloom, thickness, inner
_BLOOM, _THICKNESS, _INNER = 8, 9, 10
_N_POSE, _N_FORM = 3, 9  # x, y, theta; print x, y, turn, lift, three of the curl, growth x, y
_CONTACTS = np.stack(np.meshgrid(*[np.linspace(-1, 1, 7)] * 2), axis=-1).reshape(-1, 2)
_NEAREST_MM = 1.0  # in front of the camera: nearer, the division by the depth means nothing
_DAMPING = (1e-9, 1e-6, 1e6)  # least, first, most; of the normal matrix's diagonal


@dataclass(frozen=True, slots=True)
class Priors:
    """What is believed of the camera before the photo; standard deviations with their reason.

    ``focal_px`` is the expected focal length; ``log_focal_sd`` 0.03 for an EXIF value (rounded
    to whole millimetres of about 26), 0.3 for none at all.
    """

    focal_px: float
    log_focal_sd: float
    centre_px: tuple[float, float]
    centre_sd_px: float
    k1_sd: float = 0.03  # phones after their own correction: a few per cent at the corner
    k2_sd: float = 0.015
    bloom_sd_px: float = 0.5  # seen: 0 to 0.3 px on finished photos, 0.9 where white is clipped
    thickness_mm: float = 0.3  # a card; a sleeve doubles it
    thickness_sd_mm: float = 0.1
    inner_bloom_sd_px: float = 0.01  # the sides alone cannot tell it from a table's size
    k1: float = 0.0  # of the lens, where it is known
    k2: float = 0.0


@dataclass(frozen=True, slots=True)
class FormPriors:
    """What is believed of each card's form; standard deviations, each (N,) or one for all.

    ``shift_mm`` and ``turn_rad`` are of the print on the card, ``lift_mm`` of what lies under it,
    ``curl_mm`` of each of the three coefficients of its bend, ``growth`` of its width and height:
    real or seeming, for no side is told better than some hundredths of a pixel.
    """

    shift_mm: FloatArray | float
    turn_rad: FloatArray | float
    lift_mm: FloatArray | float
    curl_mm: FloatArray | float
    growth: FloatArray | float


@dataclass(frozen=True, slots=True, eq=False)
class Forms:
    """How N cards differ from flat ones with the print in the middle.

    ``printed`` (N, 3) takes what is printed to the card: a point q of the design lies on the card
    at ``[x, y] + R(turn) q``, mm and rad. ``lift_mm`` (N,) raises the whole card. ``curl_mm``
    (N, 3) are the coefficients of x², xy and y² in units of the half diagonal: the height of
    the card over its own lowest point. ``growth`` (N, 2) is by how much a card is wider and higher
    than the deck says, as a share. ``half_mm`` (2,) is half the deck's width and height.
    """

    printed: FloatArray
    lift_mm: FloatArray
    curl_mm: FloatArray
    growth: FloatArray
    half_mm: FloatArray


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
    thickness_mm: float = 0.3
    inner_bloom_px: float = 0.0
    forms: Forms | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """M observations: where along ``normal_px`` the picture shows a point of a card.

    ``card`` (M,) int indexes the poses; ``point_mm`` (M, 2) is in the card frame; ``seen_px``
    (M, 2) photo frame; ``normal_px`` (M, 2) unit; ``sigma_px`` (M,); ``polarity`` (M,) is +1
    where white ends along the normal (bloom pushes the edge that way), -1 where it begins, 0
    where it does not matter; ``wall`` (M,) is how many pixels along the normal the outline moves
    for a millimetre of thickness (0 where no cut side is seen); ``printed`` (M,) is 1 for what is
    printed on the card, 0 for its cut edge.
    """

    card: IntArray
    point_mm: FloatArray
    seen_px: FloatArray
    normal_px: FloatArray
    sigma_px: FloatArray
    polarity: FloatArray
    wall: FloatArray
    printed: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """The solution with its covariance.

    ``pose_covariance`` (3N, 3N) is of (x mm, y mm, theta rad) in the gauge of the module's text,
    ``card_covariance`` (N, P, P) of all unknowns of each card: the pose, then (where they were
    asked for) the print's x mm, y mm, turn rad, the lift mm, the three of the curl mm and the
    growth of width and height. ``residuals`` (M,) are in units of their sigma, ``weights`` (M,)
    those of the robust loss.
    """

    solution: Solution
    pose_covariance: FloatArray
    card_covariance: FloatArray
    residuals: FloatArray
    weights: FloatArray
    variance_factor: float


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


def with_poses(solution: Solution, poses: FloatArray) -> Solution:
    """Return the same camera and plane with other cards, (N, 3), on it, flat ones."""
    return replace(solution, poses=poses, forms=None)


def flat_forms(cards: int, size_mm: tuple[float, float]) -> Forms:
    """Return the forms of ideal cards of a size."""
    half = np.array(size_mm) / 2
    three = np.zeros((cards, 3))
    return Forms(three, np.zeros(cards), three, np.zeros((cards, 2)), half)


def heights(forms: Forms, card: IntArray, point_mm: FloatArray) -> FloatArray:
    """Return how high (M,) mm points (M, 2) of cards (M,) lie above the flat ones' plane."""
    bent = _bends(forms, card, point_mm) * forms.curl_mm[card]
    return np.asarray(forms.lift_mm[card] + bent[:, 0] + bent[:, 1] + bent[:, 2], np.float64)


def _bends(forms: Forms, card: IntArray, q: FloatArray) -> FloatArray:
    """Return d height / d curl (M, 3): over the point of each card that rests on the table."""
    resting = (_squares(_CONTACTS * forms.half_mm, forms) @ forms.curl_mm.T).argmin(axis=0)
    middle = len(_CONTACTS) // 2  # where a flat card, all of which rests, counts from
    resting[~forms.curl_mm.any(axis=1)] = middle
    base = _squares(_CONTACTS[resting] * forms.half_mm, forms)
    return np.asarray(_squares(q, forms) - base[card], np.float64)


def _squares(q: FloatArray, forms: Forms) -> FloatArray:
    """Return x², xy and y² (M, 3) of points, in units of the half diagonal."""
    x, y = q.T / np.hypot(*forms.half_mm)
    return np.stack([x * x, x * y, y * y], axis=1)


def join_measurements(parts: Sequence[Measurements]) -> Measurements:
    """Put the observations of several sources behind one another; none of none."""
    if not parts:
        none, pairs = np.zeros(0), np.zeros((0, 2))
        return Measurements(np.zeros(0, np.int64), pairs, pairs, pairs, none, none, none, none)
    return Measurements(
        *(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(Measurements))
    )


def project(
    solution: Solution, card: IntArray, point_mm: FloatArray, printed: FloatArray | None = None
) -> FloatArray:
    """Map points of cards to the photo.

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
    _, _, point = _before_camera(s, card, point_mm, printed)
    u = point[:, :2] / point[:, 2:]
    r2 = u[:, 0] ** 2 + u[:, 1] ** 2
    lens = s.focal_px * (1 + r2 * (s.k1 + s.k2 * r2))
    return np.asarray(lens[:, None] * u + s.centre_px, np.float64)


def is_before_camera(solution: Solution, reach_mm: float) -> BoolArray:
    """Tell which poses (N,) lie, with all round them up to ``reach_mm``, before the camera."""
    towards = solution.rotation[2, :2]
    depth = solution.poses[:, :2] @ towards + solution.translation_mm[2]
    return np.asarray(depth - reach_mm * np.hypot(*towards) > _NEAREST_MM)


def _before_camera(
    s: Solution, card: IntArray, q: FloatArray, printed: FloatArray | None = None
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return points on their cards (M, 2), on the table (M, 2) and in the camera frame (M, 3)."""
    if s.forms is not None:
        q = q * (1 + s.forms.growth[card])
        if printed is not None:
            shift = s.forms.printed[card] * printed[:, None]
            q = shift[:, :2] + _turned(q, shift[:, 2])
    pose = s.poses[card]
    table = pose[:, :2] + _turned(q, pose[:, 2])
    point = table @ s.rotation[:, :2].T + s.translation_mm
    if s.forms is not None:
        point = point - heights(s.forms, card, q)[:, None] * s.rotation[:, 2]
    if np.any(point[:, 2] <= _NEAREST_MM):
        msg = "a card would lie behind the camera; photograph the table from higher up"
        raise DegenerateGeometryError(msg)
    return q, table, point


def _turned(q: FloatArray, angle_rad: FloatArray) -> FloatArray:
    """Turn points (M, 2), each by its own angle."""
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    return np.stack([cos * q[:, 0] - sin * q[:, 1], sin * q[:, 0] + cos * q[:, 1]], axis=1)


def sink(solution: Solution, card: IntArray, point_mm: FloatArray) -> FloatArray:
    """Return how card points (M, 2) move in the photo per mm below the cards' plane: (M, 2)."""
    s = solution
    deeper = replace(s, translation_mm=s.translation_mm + s.rotation[:, 2])
    return project(deeper, card, point_mm) - project(s, card, point_mm)


def residuals(solution: Solution, seen: Measurements) -> FloatArray:
    """Return seen minus expected along each normal, in sigmas: (M,)."""
    px = project(solution, seen.card, seen.point_mm, seen.printed)
    off = (seen.seen_px - px) * seen.normal_px
    r = off[:, 0] + off[:, 1]
    bloom = solution.bloom_px + seen.printed * solution.inner_bloom_px
    r = r - seen.polarity * bloom - seen.wall * solution.thickness_mm
    return np.asarray(r / seen.sigma_px, np.float64)


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
    by_camera : (M, 11) float64
        By log focal length, centre x and y (px), k1, k2, turns about the table's own x and y
        axis (rad), log distance, bloom (px), thickness (mm), inner bloom (px).
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
    """Return d px / d camera (M, 2, 11; the last three left 0) and d px / d card (M, 2, P)."""
    card = seen.card
    q, table, point = _before_camera(s, card, seen.point_mm, seen.printed)
    z = point[:, 2]
    u = point[:, :2] / z[:, None]
    r2 = u[:, 0] ** 2 + u[:, 1] ** 2
    lens = 1 + s.k1 * r2 + s.k2 * r2**2

    bend = 2 * (s.k1 + 2 * s.k2 * r2)
    outer = u[:, :, None] * u[:, None, :]
    by_u = s.focal_px * (lens[:, None, None] * np.eye(2) + bend[:, None, None] * outer)
    by_point = np.concatenate([by_u, -(by_u @ u[:, :, None])], axis=2) / z[:, None, None]

    by_camera = np.zeros((len(q), 2, _N_CAMERA))
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
    by_card = np.zeros((len(q), 2, _N_POSE if s.forms is None else _N_POSE + _N_FORM))
    by_card[:, :, :2] = by_table
    away = _turned(q, theta)
    by_card[:, :, 2] = (by_table @ np.stack([-away[:, 1], away[:, 0]], 1)[:, :, None])[..., 0]
    if s.forms is None:
        return by_camera, by_card
    bends = _bends(s.forms, card, q)
    height = (bends * s.forms.curl_mm[card]).sum(axis=1) + s.forms.lift_mm[card]
    # turns of the plane take raised points along
    a, b = s.rotation[:, 0], s.rotation[:, 1]
    by_camera[:, :, 5] += height[:, None] * (by_point @ b)
    by_camera[:, :, 6] -= height[:, None] * (by_point @ a)
    by_card[:, :, 6] = -lift
    by_card[:, :, 7:10] = -lift[:, :, None] * bends[:, None]
    # on the card, what is printed moves with the print: along the table, and up and down
    x, y = q.T / np.hypot(*s.forms.half_mm) ** 2
    c1, c2, c3 = s.forms.curl_mm[card].T
    slope = np.stack([2 * c1 * x + c2 * y, c2 * x + 2 * c3 * y], axis=1)
    by_card_place = by_table @ _rotations(theta) - lift[:, :, None] * slope[:, None]
    shift = q - s.forms.printed[card, :2]
    turn = np.stack([-shift[:, 1], shift[:, 0]], axis=1)
    printed = seen.printed[:, None, None]
    by_card[:, :, 3:5] = printed * by_card_place
    by_card[:, :, 5:6] = printed * (by_card_place @ turn[:, :, None])
    angle = s.forms.printed[card, 2] * seen.printed
    by_card[:, :, 10:] = by_card_place @ _rotations(angle) * seen.point_mm[:, None]
    return by_camera, by_card


def _rotations(angle_rad: FloatArray) -> FloatArray:
    """Return the matrices (M, 2, 2) that turn by angles (M,)."""
    cos, sin = np.cos(angle_rad), np.sin(angle_rad)
    return np.stack([cos, -sin, sin, cos], axis=1).reshape(-1, 2, 2)


def moved(solution: Solution, camera: FloatArray, cards: FloatArray) -> Solution:
    """Apply a step of the camera (11,) and the cards (N, P), in the order of :func:`jacobian`."""
    s = solution
    a, b = camera[5:7]
    angle = float(np.hypot(a, b))
    spin = np.array([[0, 0, b], [0, 0, -a], [-b, a, 0.0]])
    turn = np.eye(3)
    if angle > 0:
        turn += np.sin(angle) / angle * spin + (1 - np.cos(angle)) / angle**2 * spin @ spin
    forms = s.forms
    if forms is not None:
        form = cards[:, _N_POSE:]
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
        poses=s.poses + cards[:, :_N_POSE],
        forms=forms,
    )


def _prior_sd(priors: Priors) -> FloatArray:
    """Return how well each of the camera's unknowns is known before: (11,); inf for not at all."""
    free = [np.inf] * 3  # tilt and distance
    p = priors
    lens = [p.log_focal_sd, p.centre_sd_px, p.centre_sd_px, p.k1_sd, p.k2_sd]
    return np.array([*lens, *free, p.bloom_sd_px, p.thickness_sd_mm, p.inner_bloom_sd_px])


def _prior_residuals(s: Solution, priors: Priors) -> FloatArray:
    """Return believed minus present camera, in standard deviations: (11,)."""
    bend = (s.k1 - priors.k1, s.k2 - priors.k2)
    lens = [np.log(s.focal_px / priors.focal_px), *(s.centre_px - priors.centre_px), *bend]
    light = [s.bloom_px, s.thickness_mm - priors.thickness_mm, s.inner_bloom_px]
    return np.asarray(-np.array([*lens, 0, 0, 0, *light]) / _prior_sd(priors), np.float64)


def _form_sd(priors: FormPriors | None, cards: int) -> FloatArray:
    """Return how well what is unknown of each card is known before: (N, P); inf for the pose."""
    if priors is None:
        return np.full((cards, _N_POSE), np.inf)
    p = priors
    free = [np.inf] * _N_POSE
    columns = [
        *free,
        p.shift_mm,
        p.shift_mm,
        p.turn_rad,
        p.lift_mm,
        *[p.curl_mm] * 3,
        *[p.growth] * 2,
    ]
    return np.stack([np.broadcast_to(c, cards) for c in columns], axis=1)


def _form_residuals(s: Solution, sd: FloatArray) -> FloatArray:
    """Return believed minus present forms, in standard deviations: (N, P)."""
    r = np.zeros_like(sd)
    if s.forms is not None:
        f = s.forms
        r[:, _N_POSE:] = (
            -np.column_stack([f.printed, f.lift_mm, f.curl_mm, f.growth]) / sd[:, _N_POSE:]
        )
    return r


def _cost(r: FloatArray, *priors: FloatArray, huber: float) -> float:
    """Return the robust sum of squares."""
    size = np.abs(r)
    robust = np.where(size < huber, size**2, 2 * huber * size - huber**2)
    return float(robust.sum() + sum((p**2).sum() for p in priors))


@dataclass(frozen=True, slots=True, eq=False)
class _Normal:
    """Normal equations in their blocks: the camera's, each card's, and what ties the two.

    ``camera`` (C, C), ``ties`` (N, C, P), ``cards`` (N, P, P); the right-hand sides likewise.
    """

    camera: FloatArray
    ties: FloatArray
    cards: FloatArray
    camera_side: FloatArray
    cards_side: FloatArray

    def step(self, damping: float) -> tuple[FloatArray, FloatArray]:
        """Return the damped step of the camera (C,) and of the cards (N, P)."""
        camera, cards = self.camera.copy(), self.cards.copy()
        own, each = np.arange(len(camera)), np.arange(cards.shape[1])
        camera[own, own] += damping * (camera[own, own] + 1e-12)
        cards[:, each, each] += damping * (cards[:, each, each] + 1e-12)
        right = np.concatenate([self.ties.transpose(0, 2, 1), self.cards_side[:, :, None]], axis=2)
        solved = np.linalg.solve(cards, right)  # (N, P, C + 1)
        inner, rest = solved[:, :, :-1], solved[:, :, -1]
        reduced = camera - np.einsum("ncp,npd->cd", self.ties, inner)
        side = self.camera_side - np.einsum("ncp,np->c", self.ties, rest)
        of_camera = np.linalg.solve(reduced, side)
        return of_camera, rest - inner @ of_camera

    def hope(self, camera: FloatArray, cards: FloatArray) -> float:
        """Return by how much a step would lower the cost if nothing bent."""
        return float(self.camera_side @ camera + (self.cards_side * cards).sum())

    def covariance(self) -> tuple[FloatArray, FloatArray]:
        """Return the covariance of all poses (3N, 3N), and of each card's unknowns (N, P, P)."""
        n = len(self.cards)
        own = np.linalg.pinv(self.cards, hermitian=True)
        inner = own @ self.ties.transpose(0, 2, 1)  # (N, P, C)
        reduced = self.camera - np.einsum("ncp,npd->cd", self.ties, inner)
        of_camera = np.linalg.pinv(reduced, hermitian=True)
        each = own + inner @ of_camera @ inner.transpose(0, 2, 1)
        pose = inner[:, :_N_POSE].reshape(_N_POSE * n, -1)
        joint = pose @ of_camera @ pose.T
        for k in range(n):
            place = slice(_N_POSE * k, _N_POSE * (k + 1))
            joint[place, place] += own[k, :_N_POSE, :_N_POSE]
        return joint, np.asarray(each, np.float64)


def _normal_equations(
    s: Solution, seen: Measurements, r: FloatArray, weights: FloatArray, rows: tuple[IntArray, int]
) -> _Normal:
    """Sum the observations' slopes card by card; ``rows`` is each one's row of its card."""
    by_camera, by_card = jacobian(s, seen)
    slopes = np.concatenate([by_camera, by_card, r[:, None]], axis=1) * np.sqrt(weights)[:, None]
    row, most = rows
    padded = np.zeros((len(s.poses), most, slopes.shape[1]))
    padded[seen.card, row] = slopes
    products = padded.transpose(0, 2, 1) @ padded
    c = _N_CAMERA
    total = products.sum(axis=0)
    return _Normal(
        total[:c, :c],
        products[:, :c, c:-1],
        products[:, c:-1, c:-1],
        total[:c, -1],
        products[:, c:-1, -1],
    )


def _rows(card: IntArray, cards: int) -> tuple[IntArray, int]:
    """Return the place (M,) of each observation among its card's, and the most that a card has."""
    count = np.bincount(card, minlength=cards)
    order = np.argsort(card, kind="stable")
    row = np.empty(len(card), np.int64)
    row[order] = np.arange(len(card)) - np.repeat(np.cumsum(count) - count, count)
    return row, int(count.max(initial=0))


def solve(
    start: Solution,
    seen: Measurements,
    priors: Priors,
    form_priors: FormPriors | None = None,
    *,
    rounds: int = 25,
    huber: float = 2.0,
    enough: float = 1e-6,
) -> Solved:
    """Minimise the robust sum of squares by damped Gauss-Newton steps.

    Parameters
    ----------
    start : Solution
        Where to begin; within a few degrees and per cent is near enough.
    seen : Measurements
        The observations.
    priors : Priors
        What is believed of the camera; each counts as one more observation.
    form_priors : FormPriors, optional
        What is believed of the cards' forms, which the start must then have; without it they
        stay as they are.
    rounds : int
        Most steps taken.
    huber : float
        Residuals (in sigmas) beyond this count linearly.
    enough : float
        A step that lowers the cost by less than this share of it is the last.

    Returns
    -------
    Solved
        The optimum, with the covariance from the normal matrix scaled by the variance factor
        where that is above 1.

    Raises
    ------
    DegenerateGeometryError
        If the start does not see the cards in front of the camera.
    """
    if form_priors is None and start.forms is not None:
        form_priors = FormPriors(*[1e-9] * 5)
    least, damping, most = _DAMPING
    prior_sd, form_sd = _prior_sd(priors), _form_sd(form_priors, len(start.poses))
    current = start
    r = residuals(current, seen)
    prior, form = _prior_residuals(current, priors), _form_residuals(current, form_sd)
    best = _cost(r, prior, form, huber=huber)
    rows = _rows(seen.card, len(start.poses))
    for _ in range(rounds):
        weights = np.minimum(1.0, huber / np.maximum(np.abs(r), 1e-12))
        normal = _normal_equations(current, seen, r, weights, rows)
        own, each = np.arange(_N_CAMERA), np.arange(form_sd.shape[1])
        normal.camera[own, own] += 1 / prior_sd**2
        normal.cards[:, each, each] += 1 / form_sd**2
        normal.camera_side[:] += prior / prior_sd
        normal.cards_side[:] += form / form_sd
        gain = 0.0
        while damping < most:
            step = normal.step(damping)
            if normal.hope(*step) < enough * (1 + best):
                break
            try:
                with np.errstate(over="raise", invalid="raise", divide="raise"):
                    tried = moved(current, *step)
                    r_new, prior_new = residuals(tried, seen), _prior_residuals(tried, priors)
                    form_new = _form_residuals(tried, form_sd)
                    value = _cost(r_new, prior_new, form_new, huber=huber)
            except (DegenerateGeometryError, FloatingPointError):  # too far a step
                value = np.inf
            if value <= best:
                gain = best - value
                current, r, prior, form, best = tried, r_new, prior_new, form_new, value
                damping = max(damping / 10, least)
                break
            damping *= 100  # mostly a card that rests on another corner: a short step, soon
        if gain < enough * (1 + best):
            break

    # every card takes three, the plane and the camera some four that the priors do not give
    freedom = max(1, len(r) - start.poses.size - 4)
    factor = float((weights * r**2).sum() / freedom)
    scale = max(1.0, factor)
    poses, cards = normal.covariance()
    return Solved(current, poses * scale, cards * scale, r, weights, factor)
