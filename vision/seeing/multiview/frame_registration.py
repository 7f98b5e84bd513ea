"""Cards of two photos of one table -> the motion that lays one's frame on the other's.

Each photo places its cards in a frame of its own. Every card that both name proposes the motion
by its own pose; the one that most others agree with is the table's, however many were nudged.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from vision.geometry import photo_from_table, rotation, table_from_photo, wrap_angle
from vision.imaging.view import View
from vision.seeing.cards.view_fusion import align_poses
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
    """Onto another frame: first the turn about the origin, then the shift.

    ``inliers`` are the names of the cards that lie alike, ``common`` how many both photos name.
    """

    turn_rad: float
    shift_mm: tuple[float, float]
    inliers: tuple[str, ...]
    common: int

    def move(self, poses: FloatArray) -> FloatArray:
        """Bring poses (N, 3), of x mm, y mm, theta rad, to the other frame."""
        centres = self.forth(poses[:, :2])
        theta = [wrap_angle(value + self.turn_rad) for value in poses[:, 2].tolist()]
        return np.column_stack([centres, np.array(theta).reshape(-1)])

    def forth(self, points_mm: FloatArray) -> FloatArray:
        """Bring points (..., 2) to the other frame."""
        return np.asarray(points_mm @ rotation(self.turn_rad).T + self.shift_mm, np.float64)

    def back(self, points_mm: FloatArray) -> FloatArray:
        """Bring points (..., 2) from the other frame."""
        return np.asarray((points_mm - self.shift_mm) @ rotation(self.turn_rad), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class RegisteredView:
    """One of several photos of a table: read by itself, its frame laid on the first one's.

    ``number`` is what the photo is called.
    """

    layout: Layout
    view: View
    motion: FrameMotion
    number: int

    def to_table(self, points_px: FloatArray) -> FloatArray:
        """Bring points (N, 2) of the photo to the common frame, mm.

        Raises
        ------
        DegenerateGeometryError
            If one lies on the photo's horizon.
        """
        return self.motion.forth(table_from_photo(self.layout.camera, points_px))

    def to_photo(self, points_mm: FloatArray) -> FloatArray:
        """Return where points (N, 2) of the common frame show in the photo.

        Raises
        ------
        DegenerateGeometryError
            If one lies on the photo's horizon.
        """
        return photo_from_table(self.layout.camera, self.motion.back(points_mm))


def register_frames(
    one: Mapping[str, FloatArray], onto: Mapping[str, FloatArray]
) -> FrameMotion | None:
    """Find the motion of one photo's frame onto another's.

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
    return FrameMotion(float(turn), (float(x), float(y)), inliers, len(names))


def _inlier_mask(a: FloatArray, b: FloatArray, i: int, half: float) -> BoolArray:
    """Tell which cards (N,) lie alike if the motion is that of one of them.

    Cards may look the same turned by half: ``half``, rad, is what the one is turned by besides.
    """
    turn = wrap_angle(float(b[i, 2] - a[i, 2]) + half)
    moved = (a[:, :2] - a[i, :2]) @ rotation(turn).T + b[i, :2]
    away = np.linalg.norm(moved - b[:, :2], axis=1)
    lever = _LEVER * np.linalg.norm(a[:, :2] - a[i, :2], axis=1)
    off = np.abs(np.angle(np.exp(2j * (a[:, 2] + turn - b[:, 2])))) / 2
    return np.asarray((away < _NEAR_MM + lever) & (off < _TURN_RAD), np.bool_)
