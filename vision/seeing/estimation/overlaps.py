"""Outlines of cards on the table and their overlaps."""

from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from vision.geometry import card_corners, card_from_table, cell_centres
from vision.values.arrays import BoolArray, FloatArray, IntArray, Points

__all__ = [
    "BESIDE_SHARE",
    "Covers",
    "are_near",
    "card_outlines",
    "cover_shares",
    "max_overlap",
    "max_overlaps",
    "non_max_suppression",
    "points_in_card",
    "points_on_cards",
]

#: Of a card that another may cover: two do not lie in one place.
BESIDE_SHARE = 0.3
_SHARE_GRID = (10, 14)  # sample points over a card
_GAP_MM = 1.0  # round a card: its shadow, and what its place is off


@dataclass(frozen=True, slots=True, eq=False)
class Covers:
    """Which of N cards lie on which: ``covered_by`` (N, N) is whether the second lies on the first.

    ``size_mm`` is the width and height of a card.
    """

    covered_by: BoolArray
    size_mm: tuple[float, float]

    @classmethod
    def unknown(cls, count: int, size_mm: tuple[float, float]) -> "Covers":
        """Return that of so many cards none is known to lie on another."""
        return cls(np.zeros((count, count), np.bool_), size_mm)

    @property
    def possible(self) -> "Covers":
        """The same with every card on every other that does not lie on it."""
        others = ~np.eye(len(self.covered_by), dtype=np.bool_)
        return Covers(others & ~self.covered_by.T, self.size_mm)

    @property
    def beneath(self) -> IntArray:
        """The cards (M,) on which another lies."""
        return np.flatnonzero(self.covered_by.any(axis=1))

    def visible(self, points_mm: FloatArray, poses: FloatArray) -> BoolArray:
        """Return which points (N, P) of cards at poses (N, 3) no card that lies on them hides.

        The points are (P, 2), the same on every card, or (N, P, 2), card frame.
        """
        shape = (len(poses), *points_mm.shape[-2:])
        points, visible = np.broadcast_to(points_mm, shape), np.ones(shape[:2], np.bool_)
        reach_mm = np.abs(points).max(initial=0.0) + float(np.hypot(*self.size_mm))
        for i, j in np.argwhere(self.covered_by & are_near(poses, reach_mm)):
            visible[i] &= ~points_in_card(points[i], poses[i], poses[j], self.size_mm, _GAP_MM)
        return visible


def are_near(poses: FloatArray, reach_mm: float) -> BoolArray:
    """Return which of the cards at poses (N, 3) have middles nearer than that: (N, N)."""
    apart = poses[:, None, :2] - poses[None, :, :2]
    return np.asarray(np.hypot(apart[..., 0], apart[..., 1]) < reach_mm, np.bool_)


def points_in_card(
    points_mm: Points,
    pose: FloatArray,
    other: FloatArray,
    size_mm: tuple[float, float],
    margin_mm: float = 0.0,
) -> BoolArray:
    """Return which points (P, 2) of a card at a pose (3,) are on another (3,) with a margin."""
    on_table = points_on_cards(points_mm, pose[None])[0]
    half = np.divide(size_mm, 2) + margin_mm
    return np.asarray((np.abs(card_from_table(on_table, *other)) < half).all(axis=1), np.bool_)


def card_outlines(poses: FloatArray, size_mm: tuple[float, float]) -> FloatArray:
    """Return the corners (N, 4, 2) of cards at poses (N, 3) on the table: TL, TR, BR, BL."""
    return points_on_cards(card_corners(*size_mm), poses)


def points_on_cards(points_mm: FloatArray, poses: FloatArray) -> FloatArray:
    """Map points (P, 2) of a card, or of each its own (N, P, 2), at poses (N, 3): (N, P, 2)."""
    cos, sin = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    turns = np.stack([cos, sin, -sin, cos], axis=1).reshape(-1, 2, 2)
    return np.asarray(points_mm @ turns + poses[:, None, :2], np.float64)


def max_overlap(outline_mm: Points, others_mm: FloatArray) -> float:
    """Return the largest share of a card that any one other covers.

    Parameters
    ----------
    outline_mm : (4, 2) float64
        Corners of the card, table frame.
    others_mm : (K, 4, 2) float64
        Corners of the others.
    """
    outline, others = Polygon(outline_mm), np.asarray(shapely.polygons(others_mm))
    return float(_overlap_shares(outline, others).max(initial=0.0))


def max_overlaps(outlines_mm: FloatArray) -> FloatArray:
    """Return the largest share (N,) of each card, outlines (N, 4, 2), that another covers."""
    rest = [np.delete(outlines_mm, k, axis=0) for k in range(len(outlines_mm))]
    return np.array([max_overlap(*pair) for pair in zip(outlines_mm, rest, strict=True)])


def cover_shares(poses: FloatArray, others: FloatArray, size_mm: tuple[float, float]) -> FloatArray:
    """Return the largest share (N,) of each card that any one other covers, to within a per cent.

    Parameters
    ----------
    poses : (N, 3) float64
        x mm, y mm, theta rad.
    others : (K, 3) float64
        Poses of the other cards.
    """
    apart = poses[:, None] - others
    i, k = np.nonzero(np.hypot(apart[..., 0], apart[..., 1]) < np.hypot(*size_mm))
    apart, back = apart[i, k], others[k] * [0.0, 0.0, -1.0]
    apart[:, :2] = points_on_cards(apart[:, None, :2], back)[:, 0]  # in the other card's frame
    on = points_on_cards(cell_centres(*_SHARE_GRID) * size_mm, apart)
    inside = (np.abs(on[..., 0]) < size_mm[0] / 2) & (np.abs(on[..., 1]) < size_mm[1] / 2)
    most = np.zeros(len(poses))
    np.maximum.at(most, i, inside.mean(axis=1))
    return most


def non_max_suppression(
    poses: FloatArray, size_mm: tuple[float, float], most_share: float
) -> list[int]:
    """Return the indices of poses (N, 3), best first, that hardly overlap any kept before."""
    outlines, kept = np.asarray(shapely.polygons(card_outlines(poses, size_mm))), list[int]()
    near = are_near(poses, float(np.hypot(*size_mm)))
    for i, outline in enumerate(outlines):
        others = outlines[[k for k in kept if near[i, k]]]
        if (_overlap_shares(outline, others) < most_share).all():
            kept.append(i)
    return kept


def _overlap_shares(outline: Polygon, others: NDArray[np.object_]) -> FloatArray:
    """Return the share (K,) of an outline that each of K others covers.

    By shapely: ``cv2.intersectConvexConvex`` finds nothing common to one in 200 pairs of outlines
    that are the same but for rounding.
    """
    common = shapely.area(shapely.intersection(outline, others))
    return np.asarray(common / outline.area, np.float64)
