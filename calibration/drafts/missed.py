"""Detects cards at square corners of outlines of which another side is wrong.

Lines are sometimes fitted to a card's edge and its neighbour's, or to print along it. Where two of
them form a corner of a card, the card's size gives the rest: cards are proposed at every corner
that no known card has, both upright and across. Those with an edge along all sides, and a card's
shape after refinement, are kept.
"""

from collections.abc import Callable

import cv2
import numpy as np

from vision.geometry import card_corners, map_points, solve_homographies, table_from_photo
from vision.seeing.estimation.model import Solution, camera_of, project_cards
from vision.seeing.estimation.overlaps import non_max_suppression
from vision.seeing.estimation.plane import poses_on_plane
from vision.values.arrays import BoolArray, FloatArray, ImageBGR

__all__ = ["lay_into_corners", "unlike_cloth"]

_SQUARE = 0.12  # largest cosine between a corner's two sides on the plane; a card has 0
# least deviation from its shape; smaller: it was not refined, but kept as proposed
_UNMOVED_MM = 1e-3
_LOOKS = 21  # samples across an outline, inside and round it
_ROUND = (1.08, 1.15)  # outlines, scaled by this, along which the cloth is sampled
_UNLIKE, _NOISE = 2.0, 6.0  # threshold: times the cloth's spread, plus tones; print spreads more
# largest overlap with a known card, of a card's area: neighbouring edges are not exact
_CLEAR_OF = 0.1


def lay_into_corners(
    plane: Solution,
    outlines: FloatArray,
    known: FloatArray,
    size_mm: tuple[float, float],
    sharpen: Callable[[FloatArray], tuple[FloatArray, FloatArray]],
    most_misfit_mm: float,
) -> FloatArray:
    """Detect cards from the corners of outlines that are no cards.

    Parameters
    ----------
    plane : Solution
        Camera and plane.
    outlines : (N, 4, 2) float64
        Photo frame.
    known : (M, 3) float64
        Poses of the known cards.
    size_mm : (float, float)
        Width and height of a card.
    sharpen : callable
        Refines outlines to the edges near them and drops those without; returns the outlines and
        the share of the faintest side of each along which an edge runs.
    most_misfit_mm : float
        Largest deviation of a card's refined corners from its shape.

    Returns
    -------
    (K, 4, 2) float64
        Corners of more cards, photo frame.
    """
    poses = _poses_at_corners(plane, outlines, size_mm)
    poses = poses[_beside(poses, known, size_mm)]
    if not len(poses):
        return np.zeros((0, 4, 2))
    found, edged = sharpen(project_cards(plane, poses, card_corners(*size_mm)))
    poses, misfit = poses_on_plane(plane, found, size_mm)
    good = np.flatnonzero((misfit > _UNMOVED_MM) & (misfit < most_misfit_mm))
    good = good[np.lexsort((misfit[good], -edged[good].round(1)))]  # a printed frame fits as well
    both = np.concatenate([known, poses[good]])
    kept = [
        k - len(known) for k in non_max_suppression(both, size_mm, _CLEAR_OF) if k >= len(known)
    ]
    return np.asarray(found[good[kept]], np.float64)


def unlike_cloth(picture: ImageBGR, quads: FloatArray) -> BoolArray:
    """Return which outlines (N, 4, 2) contain something that differs from their surroundings.

    A weave has edges in rows, and four of them may have a card's shape.
    """
    u, v = (axis.ravel() for axis in np.meshgrid(*[np.linspace(-1, 1, _LOOKS)] * 2))
    unit = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    inner = 0.9 * np.stack([u, v], axis=1)
    rim = np.abs(np.stack([u, v])).max(axis=0) == 1
    outer = np.concatenate([by * np.stack([u, v], axis=1)[rim] for by in _ROUND])
    from_unit = [solve_homographies(unit, quad[None])[0] for quad in quads]
    unlike = np.zeros(len(quads), np.bool_)
    for k, photo_from_unit in enumerate(from_unit):
        inside, cloth = (_tones(picture, map_points(photo_from_unit, at)) for at in (inner, outer))
        least = _UNLIKE * cloth.std(axis=0) + _NOISE
        off = np.abs(np.median(inside, axis=0) - np.median(cloth, axis=0))
        unlike[k] = bool((off > least).any() or (inside.std(axis=0) > least).any())
    return unlike


def _tones(picture: ImageBGR, points: FloatArray) -> FloatArray:
    maps = np.ascontiguousarray(points[None], np.float32)
    tones = cv2.remap(
        picture, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE
    )
    return np.asarray(tones[0], np.float64)


def _poses_at_corners(
    plane: Solution, outlines: FloatArray, size_mm: tuple[float, float]
) -> FloatArray:
    """Propose a card at each square corner of outlines, upright and across: poses (P, 3)."""
    flat = table_from_photo(camera_of(plane), outlines.reshape(-1, 2))
    at = flat.reshape(-1, 4, 2)
    along = np.roll(at, -1, axis=1) - at
    along /= np.maximum(np.linalg.norm(along, axis=2, keepdims=True), 1e-9)
    back = -np.roll(along, 1, axis=1)
    square = np.abs((along * back).sum(axis=2)) < _SQUARE
    corner, u = at[square], along[square]
    v = np.stack([-u[:, 1], u[:, 0]], axis=1)  # into the outline, which runs clockwise
    theta = np.arctan2(u[:, 1], u[:, 0])
    w, h = size_mm
    upright = np.column_stack([corner + (u * w + v * h) / 2, theta])
    across = np.column_stack([corner + (u * h + v * w) / 2, theta + np.pi / 2])
    return np.concatenate([upright, across])


def _beside(poses: FloatArray, known: FloatArray, size_mm: tuple[float, float]) -> BoolArray:
    """Return which poses (P,) are farther than half a card's width from all known ones."""
    if not len(known):
        return np.ones(len(poses), np.bool_)
    apart = np.linalg.norm(poses[:, None, :2] - known[None, :, :2], axis=2)
    return np.asarray(apart.min(axis=1) > min(size_mm) / 2)
