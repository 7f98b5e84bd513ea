"""What a watch knows after a picture, and where its cards show in the next."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.imaging.view import scaled
from vision.seeing.estimation.adjustment import Priors
from vision.values.arrays import BoolArray, FloatArray
from vision.watch.cards import Kit, Known, Mark
from vision.watch.ground import Ground, corners_in_picture
from vision.watch.motion import Change, Motion, reduction

__all__ = ["Confused", "Following", "Waiting", "card_area", "card_masks", "focal_35mm", "touched"]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A change at rest that is not yet explained: its box, since when, when last looked at."""

    box: tuple[int, int, int, int]
    since_s: float
    tried_s: float


@dataclass(frozen=True, slots=True)
class Confused:
    """Cards all over the picture are off and not found again: since when, last try, told."""

    since_s: float
    tried_s: float
    is_told: bool


@dataclass(frozen=True, slots=True, eq=False)
class Following:
    """What is known after a picture.

    ``ground`` is None until a card has been seen. ``cards`` are those that the pictures show,
    ``marks`` what a finger said of other places. ``is_settled`` says that nothing is off or
    moving in the newest picture; ``looked_s`` when the table was first looked at as a whole
    (None: not yet).
    """

    priors: Priors
    size_wh: tuple[int, int]
    motion: Motion
    started_s: float
    ground: Ground | None = None
    cards: tuple[Known, ...] = ()
    marks: tuple[Mark, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    is_settled: bool = False
    looked_s: float | None = None
    is_stale: bool = False
    unclear: Confused | None = None

    @property
    def poses(self) -> FloatArray:
        """Where the cards lie that the pictures show (N, 3)."""
        return np.array([card.pose for card in self.cards]).reshape(-1, 3)

    @property
    def lying(self) -> tuple[Known, ...]:
        """All cards on the table: those that are seen, and those that a finger placed."""
        return (*self.cards, *(mark.card for mark in self.marks if mark.is_card))

    @property
    def by_hand(self) -> tuple[Known, ...]:
        """Those of them of which a finger said what they are, or that they lie there."""
        return tuple(card for card in self.lying if card.read_as is not None)


def touched(state: Following, changes: Sequence[Change], kit: Kit) -> list[int]:
    """Return which cards lie where something changed."""
    if not state.cards or state.ground is None:
        return []
    total = np.zeros(changes[0].mask.shape, bool)
    for change in changes:
        total |= change.mask
    return [i for i, mask in enumerate(card_masks(state, state.poses, kit)) if (mask & total).any()]


def card_masks(state: Following, poses: FloatArray, kit: Kit, grow_px: int = 0) -> list[BoolArray]:
    """Return where cards show in the small picture, each (h, w)."""
    shape = state.motion.level.shape
    if state.ground is None or not len(poses):
        return []
    factor = reduction(state.size_wh)
    corners = corners_in_picture(state.ground, poses, kit.size_mm)
    masks = []
    for quad in scaled(corners, 1 / factor):
        mask = np.zeros(shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(quad * 16).astype(np.int32), 1, shift=4)
        if grow_px:
            mask = np.asarray(cv2.dilate(mask, np.ones((2 * grow_px + 1,) * 2, np.uint8)), np.uint8)
        masks.append(mask.astype(bool))
    return masks


def card_area(state: Following, kit: Kit) -> float:
    """Return how many pixels of the small picture a card takes near a change."""
    masks = card_masks(state, state.poses[:1], kit)
    return float(masks[0].sum()) if masks and masks[0].any() else 400.0


def focal_35mm(state: Following) -> float | None:
    """Return the focal length for a scan, if it was calibrated."""
    if state.priors.log_focal_sd > 0.1:
        return None
    return state.priors.focal_px * 43.2666 / float(np.hypot(*state.size_wh))
