"""The table plane from cards of known size; no markers.

One card of known size and a focal length give the plane. Each card in turn proposes a plane, and
the others vote for it by how well their corners keep the card's shape on it. The cards that agree
are then adjusted together.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.errors import DegenerateGeometryError, TableNotFoundError
from vision.geometry import card_corners, solve_homographies, table_from_photo, undistort
from vision.seeing.estimation.adjustment import Priors, SolveSettings, solve
from vision.seeing.estimation.model import (
    Solution,
    camera_of,
    observe_corners,
    project_cards,
    with_poses,
)
from vision.values.arrays import BoolArray, FloatArray, Points
from vision.values.layout import Camera

__all__ = [
    "CENTRES",
    "FOCALS",
    "WELL_DETERMINED",
    "Plane",
    "PlaneSettings",
    "camera_priors",
    "fit_poses",
    "poses_on_plane",
    "solve_plane",
    "transfer_poses",
]

_HORIZON = 1e-12  # of a plane: no table lies where depth, in that of its origin, is nearer to zero


WELL_DETERMINED = 4  # cards: fewer leave a plane exact to some per cent
FOCALS = (0.45, 0.6, 0.8, 1.1, 1.6)  # over the diagonal; without EXIF: 20-70 mm
CENTRES = (0.1, 0.5, 0.9)  # of width and height: axes that are tried where a photo may be cropped


@dataclass(frozen=True, slots=True)
class PlaneSettings:
    """Parameters of the search for the plane."""

    corner_sd_px: float = 2.0  # corners come from a picture reduced 2-3 times
    shape_tolerance: float = 0.06  # of the card's width: corners off by more vote against
    focal_over_diagonal: tuple[float, ...] = FOCALS  # that are tried without EXIF
    most_planes: int = 16  # tried, those of the largest cards: all vote on each
    least_cosine: float = 0.25  # a card seen from beyond 75 degrees shows nothing
    rounds: int = 3  # the adjusted plane may gather more cards, or drop one
    steps: int = 8  # of the adjustment: the sides are measured afterwards
    usual_focal: float = 26 / 43.2666  # of the diagonal: a phone's wide lens, 26 mm on 35 mm film
    unknown_focal_sd: float = 0.3  # of its logarithm: 24-77 mm and webcams lie within two
    exif_focal_sd: float = 0.02  # the header rounds to whole millimetres
    centre_sd: float = 0.002  # of the diagonal: stabilised lenses move their axis
    fewest_planes: int = 4  # of those, where many axes are tried
    fit_well: float = 0.6  # mean vote of cards: below, the photo may have been cropped
    cropped_centres: tuple[float, ...] = CENTRES  # of the axis, then tried
    cropped_centre_sd: float = 0.2  # of the diagonal: then the axis lies anywhere in it
    cropped_cards: int = 4  # on whose shapes such a camera must agree: fewer fit too many
    cropped_gain: float = 0.2  # of the mean vote, by which they must agree better than before,
    cropped_fit: float = 0.5  # and at least: to things that are no cards some camera fits a little


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """A first solution and the indices of the cards that it holds for, in its pose order."""

    solution: Solution
    cards: tuple[int, ...]
    priors: Priors


def camera_priors(
    size_wh: tuple[int, int], focal_px: float | None, settings: PlaneSettings | None = None
) -> Priors:
    """Return the priors of a camera for a photo of a given size.

    Parameters
    ----------
    size_wh : (int, int)
        Width and height of the upright photo, pixels.
    focal_px : float, optional
        From the EXIF header; None where absent.
    """
    s = settings or PlaneSettings()
    diagonal = float(np.hypot(*size_wh))
    expected = focal_px if focal_px is not None else s.usual_focal * diagonal
    focal_sd = s.exif_focal_sd if focal_px is not None else s.unknown_focal_sd
    centre = ((size_wh[0] - 1) / 2, (size_wh[1] - 1) / 2)
    return Priors(expected, focal_sd, centre, s.centre_sd * diagonal)


def solve_plane(
    corners_px: FloatArray,
    size_mm: tuple[float, float],
    priors: Priors,
    *,
    focal_known: bool,
    settings: PlaneSettings | None = None,
) -> Plane:
    """Return the plane on which most of the outlines are cards.

    Parameters
    ----------
    corners_px : (N, 4, 2) float64
        Corners of the cards' own edges, photo frame: TL, TR, BR, BL of each card (an upside-down
        one does no harm here).
    size_mm : (float, float)
        Width and height of the card.
    priors : Priors
        What is believed of the camera.
    focal_known : bool
        Whether the focal length comes from the header; else several are tried.

    Raises
    ------
    TableNotFoundError
        If no outline gives a plane.
    """
    settings = settings or PlaneSettings()
    diagonal = 2 * float(np.hypot(*priors.centre_px))
    usual = [f * diagonal for f in settings.focal_over_diagonal]
    focals = [priors.focal_px] if focal_known else usual
    plane = _best_plane(corners_px, size_mm, (focals, [priors.centre_px]), priors, settings)
    fit = _inlier_share(plane, corners_px, size_mm, settings)
    if len(corners_px) >= settings.cropped_cards and fit < settings.fit_well:
        cropped = _plane_of_cropped(corners_px, size_mm, usual, priors, settings)
        least = max(fit + settings.cropped_gain, settings.cropped_fit)
        if _inlier_share(cropped, corners_px, size_mm, settings) > least:
            plane = cropped
    if plane is None:
        msg = (
            "could not find the table plane; needed at least one whole card seen from less than "
            "60 degrees off the vertical: photograph the table from higher up"
        )
        raise TableNotFoundError(msg)
    return plane


def _best_plane(
    corners_px: FloatArray,
    size_mm: tuple[float, float],
    cameras: tuple[Sequence[float], Sequence[tuple[float, float]]],
    priors: Priors,
    settings: PlaneSettings,
) -> Plane | None:
    """Return the adjusted plane with the most votes of cards (N, 4, 2); None if there is none.

    ``cameras`` are the focal lengths and principal points to try, px.
    """
    shape, focals = card_corners(*size_mm), cameras[0]
    tolerance_mm = settings.shape_tolerance * size_mm[0]
    most = max(settings.most_planes // len(cameras[1]), settings.fewest_planes)
    largest = corners_px[np.argsort(-_areas(corners_px))[:most]]
    planes = [
        plane
        for centre in cameras[1]
        for plane in _planes_of_cards(largest, shape, focals, centre, settings)
    ]
    matrices = [camera_of(plane).photo_from_table for plane in planes]
    misfits = _shape_misfits(np.array(matrices).reshape(-1, 3, 3), corners_px, shape)
    votes = np.clip(1 - misfits / tolerance_mm, 0, 1).sum(axis=1)
    best = int(np.argmax(votes)) if planes else 0
    if not planes or votes[best] <= 0:
        return None
    agree = misfits[best] < tolerance_mm
    return _refine_with_inliers(planes[best], agree, corners_px, size_mm, priors, settings)


def _plane_of_cropped(
    corners_px: FloatArray,
    size_mm: tuple[float, float],
    focals: Sequence[float],
    priors: Priors,
    s: PlaneSettings,
) -> Plane | None:
    """Return the plane of a cropped photo, whose principal point may lie anywhere in it.

    None if too few cards agree on one.
    """
    (u, v), beside = priors.centre_px, s.cropped_centres
    loose = replace(
        priors,
        centre_sd_px=s.cropped_centre_sd * 2 * float(np.hypot(u, v)),
        log_focal_sd=max(priors.log_focal_sd, s.unknown_focal_sd),
    )
    centres = [(2 * x * u, 2 * y * v) for x in beside for y in beside]
    plane = _best_plane(corners_px, size_mm, (focals, centres), loose, s)
    return plane if plane is not None and len(plane.cards) >= s.cropped_cards else None


def _inlier_share(
    plane: Plane | None, corners_px: FloatArray, size_mm: tuple[float, float], s: PlaneSettings
) -> float:
    """Return the mean vote of cards (N, 4, 2) for a plane: 1 if they fit, 0 if not."""
    if plane is None:
        return 0.0
    misfit = _shape_misfit(camera_of(plane.solution), corners_px, card_corners(*size_mm))
    return float(np.clip(1 - misfit / (s.shape_tolerance * size_mm[0]), 0, 1).mean())


def _areas(corners_px: FloatArray) -> FloatArray:
    """Return the areas (N,) of quadrilaterals (N, 4, 2): large ones give the best plane."""
    a, b = corners_px[:, 2] - corners_px[:, 0], corners_px[:, 3] - corners_px[:, 1]
    return np.asarray(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2, np.float64)


def _refine_with_inliers(
    plane: Solution,
    agree: BoolArray,
    corners_px: FloatArray,
    size_mm: tuple[float, float],
    priors: Priors,
    settings: PlaneSettings,
) -> Plane:
    """Adjust a plane to its inlier cards (N,) until these no longer change."""
    shape = card_corners(*size_mm)
    for last in range(settings.rounds - 1, -1, -1):
        cards = np.flatnonzero(agree)
        start = with_poses(plane, _fit_poses(plane, corners_px[cards], shape))
        seen = observe_corners(corners_px[cards], shape, settings.corner_sd_px)
        plane = solve(start, seen, priors, settings=SolveSettings(rounds=settings.steps)).solution
        misfit = _shape_misfit(camera_of(plane), corners_px, shape)
        now = misfit < settings.shape_tolerance * size_mm[0]
        if last == 0 or np.array_equal(now, agree) or not now.any():
            break
        agree = now
    return Plane(plane, tuple(int(i) for i in cards), priors)


def _planes_of_cards(
    corners_px: FloatArray,
    shape: Points,
    focals: Sequence[float],
    centre: tuple[float, float],
    settings: PlaneSettings,
) -> list[Solution]:
    """Decompose the homography of each card (N, 4, 2) for each focal length.

    The card's frame becomes the table frame; a homography that cannot be a card in view gives no
    plane.
    """
    own = _homographies(shape, corners_px - centre)
    shrunk = np.array([np.diag([1 / focal, 1 / focal, 1.0]) for focal in focals])
    h = (shrunk[:, None] @ own).reshape(-1, 3, 3)
    scale = 2 / np.linalg.norm(h[:, :, :2], axis=1).sum(axis=1)
    h = h * np.where(h[:, 2, 2] > 0, scale, -scale)[:, None, None]
    axes = np.stack([h[..., 0], h[..., 1], np.cross(h[..., 0], h[..., 1])], axis=2)
    u, _, vt = np.linalg.svd(axes)
    u[..., 2] *= np.linalg.det(u @ vt)[:, None]
    rotations, translations = u @ vt, h[..., 2]
    seen = (translations[:, 2] > 0) & (rotations[:, 2, 2] >= settings.least_cosine)
    focal_of = np.repeat(focals, len(own))
    return [
        Solution(
            float(focal_of[i]),
            np.array(centre),
            0.0,
            0.0,
            rotations[i],
            translations[i],
            np.zeros((1, 3)),
        )
        for i in np.flatnonzero(seen)
    ]


def _homographies(shape: Points, fours: FloatArray) -> FloatArray:
    """Return the homographies to quadruples of points (N, 4, 2), without degenerate ones."""
    try:
        return solve_homographies(shape, fours)
    except DegenerateGeometryError:
        if len(fours) == 1:
            return np.zeros((0, 3, 3))
        return np.concatenate([_homographies(shape, half) for half in np.array_split(fours, 2)])


def poses_on_plane(
    plane: Solution, corners_px: FloatArray, size_mm: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return the poses on a plane that fit observed card corners best.

    Parameters
    ----------
    plane : Solution
        Camera and plane.
    corners_px : (N, 4, 2) float64
        TL, TR, BR, BL of each card, photo frame.
    size_mm : (float, float)
        Width and height of the card.

    Returns
    -------
    poses : (N, 3) float64
        x mm, y mm, theta rad that bring a card's corners nearest to the seen ones.
    misfit_mm : (N,) float64
        The rms distance of the seen corners from the card's, measured in the photo and taken to
        millimetres there; inf for what lies beyond the plane's horizon.
    """
    shape = card_corners(*size_mm)
    n = len(corners_px)
    try:
        poses = _fit_poses(plane, corners_px, shape)
        ideal = project_cards(plane, poses, shape)
    except DegenerateGeometryError:
        if n <= 1:
            return np.zeros((n, 3)), np.full(n, np.inf)
        halves = [poses_on_plane(plane, part, size_mm) for part in np.array_split(corners_px, 2)]
        first, second = (np.concatenate(parts) for parts in zip(*halves, strict=True))
        return first, second
    mm_per_px = size_mm[0] / np.maximum(1e-6, np.linalg.norm(ideal[:, 1] - ideal[:, 0], axis=1))
    misfit = np.sqrt(((ideal - corners_px) ** 2).sum(axis=2).mean(axis=1)) * mm_per_px
    return poses, np.asarray(misfit, np.float64)


def transfer_poses(
    poses: FloatArray, plane: Solution, onto: Solution, size_mm: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return the poses and misfits of cards at poses (N, 3) of a plane, on another of one photo.

    As of :func:`poses_on_plane`: what lies beyond the other's horizon has a misfit of inf.
    """
    corners_px = project_cards(plane, poses, card_corners(*size_mm))
    return poses_on_plane(onto, corners_px, size_mm)


def _fit_poses(plane: Solution, corners_px: FloatArray, shape: Points) -> FloatArray:
    """Return the poses (N, 3) that bring card corners closest to the observed ones (N, 4, 2)."""
    seen = table_from_photo(camera_of(plane), corners_px.reshape(-1, 2)).reshape(-1, 4, 2)
    return fit_poses(seen, shape)


def fit_poses(corners_mm: FloatArray, shape: Points) -> FloatArray:
    """Return the poses (N, 3) that bring a shape closest to corners.

    Parameters
    ----------
    corners_mm : (N, 4, 2) float64
        TL, TR, BR, BL, table frame.
    shape : (4, 2) float64
        The same corners of the shape, its own frame, its middle at the origin.
    """
    centres = corners_mm.mean(axis=1)
    return np.column_stack([centres, _rotation_between(shape, corners_mm - centres[:, None])])


def _shape_misfit(camera: Camera, corners_px: FloatArray, shape: Points) -> FloatArray:
    """Return :func:`_shape_misfits` with lens distortion; inf where the lens folds over."""
    try:
        flat = undistort(camera, corners_px.reshape(-1, 2)).reshape(-1, 4, 2)
    except DegenerateGeometryError:
        return np.full(len(corners_px), np.inf)
    return np.asarray(_shape_misfits(camera.photo_from_table[None], flat, shape)[0], np.float64)


def _shape_misfits(cameras: FloatArray, corners_px: FloatArray, shape: Points) -> FloatArray:
    """Return the rms distance (P, N) in mm of card corners from a card's shape on each plane.

    ``cameras`` (P, 3, 3) map each plane's table to the photo, in which corners (N, 4, 2) are given
    without distortion; inf for points on the horizon.
    """
    back = np.linalg.inv(cameras)[:, None, None]
    point = (back[..., :2] @ corners_px[..., None])[..., 0] + back[..., 2]  # (P, N, 4, 3)
    is_far = np.abs(point[..., 2]).min(axis=2) < _HORIZON
    with np.errstate(divide="ignore", invalid="ignore"):
        seen = point[..., :2] / point[..., 2:]
        seen = seen - seen.mean(axis=2, keepdims=True)
        theta = _rotation_between(shape, seen)[..., None]
        cos, sin = np.cos(theta), np.sin(theta)
        x, y = shape.T
        aligned = np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)
        misfit = np.sqrt(((aligned - seen) ** 2).sum(axis=-1).mean(axis=-1))
    return np.asarray(np.where(is_far, np.inf, misfit), np.float64)


def _rotation_between(shape: Points, centred: FloatArray) -> FloatArray:
    """Return the rotations (...,) in rad of a shape (4, 2) closest to others (..., 4, 2)."""
    cross = (shape[:, 0] * centred[..., 1] - shape[:, 1] * centred[..., 0]).sum(axis=-1)
    return np.asarray(np.arctan2(cross, (shape * centred).sum(axis=(-2, -1))), np.float64)
