"""Rigid registration of the frames of two photos of one table by their named cards.

Each photo has a table frame of its own. Every card that both name proposes a motion by its own
pose; the motion with the most inliers is the table's, however many cards were nudged.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vision.geometry import photo_from_table, rotation, table_from_photo, wrap_angle
from vision.seeing.cards.view_fusion import align_poses
from vision.seeing.estimation.overlaps import card_outlines
from vision.seeing.residual import SeenTable
from vision.values.arrays import BoolArray, FloatArray
from vision.values.layout import Layout

__all__ = ["FrameMotion", "RegisteredView", "register_frames"]


# Which cards of two photos agree on a motion.
_NEAR_MM = 2.0  # a card that lies as in the other photo: errors are a tenth of that
_LEVER = 0.006  # and of its distance from the card that proposes: a third of a degree
_TURN_RAD = 0.03  # its own turn: one that was knocked is turned further
_INLIERS = 0.5  # of the cards that both name: with fewer, it is another table


@dataclass(frozen=True, slots=True, eq=False)
class FrameMotion:
    """Motion onto another frame: rotation about the origin, then a shift.

    ``inliers`` are the names of the cards that agree.
    """

    turn_rad: float
    shift_mm: tuple[float, float]
    inliers: tuple[str, ...]

    def move(self, poses: FloatArray) -> FloatArray:
        """Transform poses (N, 3), x mm, y mm, theta rad, to the other frame."""
        centres = self.forth(poses[:, :2])
        theta = [wrap_angle(value + self.turn_rad) for value in poses[:, 2].tolist()]
        return np.column_stack([centres, np.array(theta).reshape(-1)])

    def forth(self, points_mm: FloatArray) -> FloatArray:
        """Transform points (..., 2) to the other frame."""
        return np.asarray(points_mm @ rotation(self.turn_rad).T + self.shift_mm, np.float64)

    def back(self, points_mm: FloatArray) -> FloatArray:
        """Transform points (..., 2) from the other frame."""
        return np.asarray((points_mm - self.shift_mm) @ rotation(self.turn_rad), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class RegisteredView:
    """A photo of a table, read by itself, with its motion onto the first photo's frame.

    ``number`` is the number that messages call the photo by.
    """

    table: SeenTable
    motion: FrameMotion
    number: int

    @property
    def layout(self) -> Layout:
        """What was read in the photo, in its own frame."""
        return self.table.layout

    def is_bare(
        self, pose: FloatArray, size_mm: tuple[float, float], least_clear: float = 1.0
    ) -> bool:
        """Return whether the photo shows bare table where a thing would lie.

        ``pose`` (3,), x mm, y mm, theta rad, is of the common frame; ``size_mm`` its width and
        height; ``least_clear`` as of :meth:`SeenTable.is_bare`.
        """
        outline_mm = self.motion.back(card_outlines(pose[None], size_mm)[0])
        return self.table.is_bare(outline_mm, least_clear)

    def to_table(self, points_px: FloatArray) -> FloatArray:
        """Map points (N, 2) of the photo to the common frame, mm.

        Raises
        ------
        DegenerateGeometryError
            If one lies on the photo's horizon.
        """
        return self.motion.forth(table_from_photo(self.layout.camera, points_px))

    def to_photo(self, points_mm: FloatArray) -> FloatArray:
        """Project points (N, 2) of the common frame into the photo.

        Raises
        ------
        DegenerateGeometryError
            If one lies on the photo's horizon.
        """
        return photo_from_table(self.layout.camera, self.motion.back(points_mm))


def register_frames(
    one: Mapping[str, FloatArray], onto: Mapping[str, FloatArray]
) -> FrameMotion | None:
    """Return the motion of one photo's frame onto another's.

    Parameters
    ----------
    one, onto : mapping of name to (3,) float64
        The cards that each photo names for sure: x mm, y mm, theta rad.

    Returns
    -------
    FrameMotion or None
        None if too few cards lie alike: of those that both name, half must, and two at least,
        unless there is one card in all.
    """
    names = sorted(set(one) & set(onto))
    if not names:
        return None
    a, b = (np.array([of[name] for name in names]) for of in (one, onto))
    proposals = (_inlier_mask(a, b, i, half) for half in (0.0, np.pi) for i in range(len(names)))
    best = max(proposals, key=lambda mask: int(mask.sum()))
    count = int(best.sum())
    is_lone = len(names) == 1 and min(len(one), len(onto)) == 1
    if count < _INLIERS * len(names) or (count < 2 and not is_lone):
        return None
    (turn, x, y), _ = align_poses(a[best], b[best])
    inliers = tuple(name for name, agrees in zip(names, best.tolist(), strict=True) if agrees)
    return FrameMotion(float(turn), (float(x), float(y)), inliers)


def _inlier_mask(a: FloatArray, b: FloatArray, i: int, half: float) -> BoolArray:
    """Return which cards (N,) agree with the motion proposed by one of them.

    Cards may look the same after half a turn: ``half``, rad, is added to the turn of the one.
    """
    turn = wrap_angle(float(b[i, 2] - a[i, 2]) + half)
    moved = (a[:, :2] - a[i, :2]) @ rotation(turn).T + b[i, :2]
    away = np.linalg.norm(moved - b[:, :2], axis=1)
    lever = _LEVER * np.linalg.norm(a[:, :2] - a[i, :2], axis=1)
    off = np.abs(np.angle(np.exp(2j * (a[:, 2] + turn - b[:, 2])))) / 2
    return np.asarray((away < _NEAR_MM + lever) & (off < _TURN_RAD), np.bool_)
