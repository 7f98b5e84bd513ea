"""Readings -> the table plane, from the known shape of the surest cards; no markers.

One card of known size and a focal length give the plane; each card in turn proposes one, and the
others vote for it by how well their corners keep the card's shape there. The cards that agree are
then adjusted together.
"""

from dataclasses import dataclass, replace

import numpy as np

from vision.adjustment import Measurements, Priors, Solution, Solved, camera_of, solve
from vision.errors import DegenerateGeometryError, TableNotFoundError
from vision.geometry import card_corners, table_from_photo
from vision.types import FloatArray, Points

__all__ = ["Plane", "RectifySettings", "camera_priors", "pose_on_plane", "solve_plane"]


@dataclass(frozen=True, slots=True)
class RectifySettings:
    """How the plane is sought."""

    corner_sd_px: float = 2.0  # corners come from a picture reduced 2-3 times
    shape_tolerance: float = 0.06  # of the card's width: corners off by more vote against
    focal_over_diagonal: tuple[float, ...] = (0.45, 0.6, 0.8, 1.1, 1.6)  # without EXIF: 20-70 mm


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """A first solution and which of the cards it holds for (indices, in its pose order)."""

    solved: Solved
    cards: tuple[int, ...]
    priors: Priors


def camera_priors(size_wh: tuple[int, int], focal_px: float | None) -> Priors:
    """Return what is believed of the camera that took a photo of a size.

    Parameters
    ----------
    size_wh : (int, int)
        Width and height of the upright photo, pixels.
    focal_px : float, optional
        From the EXIF header; None where absent.
    """
    diagonal = float(np.hypot(*size_wh))
    centre = ((size_wh[0] - 1) / 2, (size_wh[1] - 1) / 2)
    # 26 mm (in 35 mm terms) is the usual phone; 24-77 mm and webcams lie within two deviations
    focal = focal_px if focal_px is not None else diagonal * 26 / 43.2666
    # stabilised lenses move the axis by some 0.2 % of the diagonal
    return Priors(focal, 0.02 if focal_px is not None else 0.3, centre, 0.002 * diagonal)


def solve_plane(
    corners_px: FloatArray,
    size_mm: tuple[float, float],
    priors: Priors,
    *,
    focal_known: bool,
    settings: RectifySettings | None = None,
) -> Plane:
    """Find the plane on which most of the outlines are cards.

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
    settings = settings or RectifySettings()
    shape = card_corners(*size_mm)
    diagonal = 2 * float(np.hypot(*priors.centre_px))
    focals = (
        [priors.focal_px] if focal_known else [f * diagonal for f in settings.focal_over_diagonal]
    )
    best: tuple[float, Solution | None, FloatArray] = (-1.0, None, np.zeros(len(corners_px), bool))
    for focal in focals:
        for corners in corners_px:
            start = _plane_of_card(corners, shape, focal, priors.centre_px)
            if start is None:
                continue
            misfit = _shape_misfit(start, corners_px, shape)
            agree = misfit < settings.shape_tolerance * size_mm[0]
            vote = float(
                np.sum(np.clip(1 - misfit / (settings.shape_tolerance * size_mm[0]), 0, 1))
            )
            if vote > best[0]:
                best = (vote, start, agree)
    if best[1] is None or not best[2].any():
        msg = (
            "no card could be laid on a plane; needed at least one whole card seen from less than "
            "60 degrees off the vertical: photograph the table from higher up"
        )
        raise TableNotFoundError(msg)
    start, agree = best[1], best[2]
    solved: Solved | None = None
    for _ in range(3):  # the adjusted plane may gather more cards, or drop one
        indices = np.flatnonzero(agree)
        poses = np.array([pose_on_plane(start, c, shape) for c in corners_px[indices]])
        solved = _adjust(start, poses, corners_px[indices], shape, priors, settings)
        start = solved.solution
        misfit = _shape_misfit(start, corners_px, shape)
        now = misfit < settings.shape_tolerance * size_mm[0]
        if np.array_equal(now, agree) or not now.any():
            break
        agree = now
    assert solved is not None
    return Plane(solved, tuple(int(i) for i in indices), priors)


def _plane_of_card(
    corners: Points, shape: Points, focal: float, centre: tuple[float, float]
) -> Solution | None:
    """Decompose the homography of one card; its own frame becomes the table frame."""
    normed = (corners - centre) / focal
    h = _homography(shape, normed)
    if h is None:
        return None
    scale = 2 / (np.linalg.norm(h[:, 0]) + np.linalg.norm(h[:, 1]))
    h = h * (scale if h[2, 2] > 0 else -scale)
    u, _, vt = np.linalg.svd(np.column_stack([h[:, 0], h[:, 1], np.cross(h[:, 0], h[:, 1])]))
    rotation = u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt
    if h[2, 2] <= 0 or rotation[2, 2] < 0.25:  # behind the camera, or seen from beyond 75 degrees
        return None
    return Solution(focal, np.array(centre), 0.0, 0.0, rotation, h[:, 2], np.zeros((1, 3)))


def _homography(src: Points, dst: Points) -> FloatArray | None:
    """Solve the homography through four points exactly."""
    rows = []
    for (x, y), (u, v) in zip(src, dst, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y])
        rows.append([0, 0, 0, x, y, 1, -v * x, -v * y])
    try:
        h = np.linalg.solve(np.array(rows), dst.ravel())
    except np.linalg.LinAlgError:
        return None
    return np.append(h, 1.0).reshape(3, 3)


def pose_on_plane(plane: Solution, corners_px: Points, shape: Points) -> FloatArray:
    """Return the (x mm, y mm, theta rad) that lays a card's corners nearest to the seen ones."""
    seen = table_from_photo(camera_of(plane), corners_px)
    centre = seen.mean(axis=0)
    a, b = shape, seen - centre
    theta = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
    return np.array([*centre, theta])


def _shape_misfit(plane: Solution, corners_px: FloatArray, shape: Points) -> FloatArray:
    """Return the rms distance (N,) in mm of each card's corners from the card's shape."""
    try:
        seen = table_from_photo(camera_of(plane), corners_px.reshape(-1, 2)).reshape(-1, 4, 2)
    except DegenerateGeometryError:
        return np.full(len(corners_px), np.inf)
    b = seen - seen.mean(axis=1, keepdims=True)
    theta = np.arctan2(
        (shape[:, 0] * b[..., 1] - shape[:, 1] * b[..., 0]).sum(axis=1),
        (shape * b).sum(axis=(1, 2)),
    )
    cos, sin = np.cos(theta)[:, None], np.sin(theta)[:, None]
    laid = np.stack(
        [cos * shape[:, 0] - sin * shape[:, 1], sin * shape[:, 0] + cos * shape[:, 1]], axis=2
    )
    return np.sqrt(((laid - b) ** 2).sum(axis=2).mean(axis=1))


def _adjust(
    start: Solution,
    poses: FloatArray,
    corners_px: FloatArray,
    shape: Points,
    priors: Priors,
    settings: RectifySettings,
) -> Solved:
    """Adjust camera, plane and poses to the corners."""
    n = len(corners_px)
    card = np.repeat(np.arange(n), 8)
    normal = np.tile([[1.0, 0.0], [0.0, 1.0]], (4 * n, 1))
    seen = Measurements(
        card,
        np.tile(np.repeat(shape, 2, axis=0), (n, 1)),
        np.repeat(corners_px.reshape(-1, 2), 2, axis=0),
        normal,
        np.full(8 * n, settings.corner_sd_px),
        np.zeros(8 * n),
        np.zeros(8 * n),
    )
    return solve(replace_poses(start, poses), seen, priors)


def replace_poses(plane: Solution, poses: FloatArray) -> Solution:
    """Return the same camera and plane with other cards on it."""
    return replace(plane, poses=poses)
