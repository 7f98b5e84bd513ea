"""Detects outlines that are slots printed on a play mat, with the cards lying in them.

A printed frame inside a card and a slot round it look alike: one outline within another. Their
rotations separate the two. The frame turns with its card, and cards are laid by hand; the slots are
one print, all with the same rotation, and the cards in them are laid by hand.
"""

from dataclasses import dataclass

import numpy as np

from vision.geometry import fold_angles, table_from_photo
from vision.seeing.estimation.model import Solution, camera_of
from vision.values.arrays import BoolArray, FloatArray, IntArray, robust_sd

__all__ = ["SlotSettings", "Slots", "find_slots"]


@dataclass(frozen=True, slots=True)
class SlotSettings:
    """Criteria of slots; measured on drawn mats, cards laid by hand to 1 degree."""

    same_middle: float = 0.12  # largest distance of the centres, of the shorter side
    inner: tuple[float, float] = (0.5, 0.97)  # area of the inner outline, of the outer one's
    alike: float = 0.004  # largest difference of margins of one print, of the shorter side: 0.25 mm
    fewest: int = 4  # least cards in slots: three may share a rotation by chance
    share: float = 0.5  # least share of the cards in slots
    # least sd of the inner outlines' rotation (0.2 degrees): print in a card has 0.1
    turned_rad: float = 0.0035
    # largest sd of the outer outlines, of that: slots have 0.05, cards' edges 2
    regular: float = 0.4
    # largest deviation from the median (four fifths of the outer outlines): 0.16 degrees, two sd of
    # slots; of few cards laid by hand half are within half of that by chance
    still_rad: float = 0.0028
    # least sd, of the commonest print's: a print that a slot determines by half turns by half
    with_card: float = 0.8
    with_most: float = 0.75  # least count, of the commonest print's: rarer ones are chance
    larger: float = 1.01  # least area, of a card's, of an outline round it that is no card


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """Which outlines (M,) are slots or surround their contents, and whether there may be slots.

    ``within`` (K,) are the indices of outlines that lie in slots and move like cards. ``may_be`` is
    true if all outlines have exactly the same rotation and contain another outline, or some of them
    one that is laid by hand.
    """

    outlines: BoolArray
    within: IntArray
    may_be: bool


def find_slots(
    plane: Solution,
    cards: FloatArray,
    outlines: FloatArray,
    size_mm: tuple[float, float],
    settings: SlotSettings | None = None,
) -> Slots:
    """Detect slots in which cards lie.

    Parameters
    ----------
    plane : Solution
        Camera and plane, estimated from what was taken for cards.
    cards : (N, 4, 2) float64
        Those cards, corners in the photo frame.
    outlines : (M, 4, 2) float64
        All outlines, photo frame.
    size_mm : (float, float)
        Width and height of a card.
    """
    s = settings or SlotSettings()
    around, inside = _Rectangles(plane, cards), _Rectangles(plane, outlines)
    apart = np.linalg.norm(around.middles[:, None] - inside.middles[None], axis=2)
    share = inside.areas[None] / np.maximum(around.areas[:, None], 1e-9)
    near = apart < s.same_middle * min(size_mm)
    card, one = np.nonzero(near & (share > s.inner[0]) & (share < s.inner[1]))
    margins = (around.sides[card] - inside.sides[one]) / (2 * min(size_mm))
    turns = fold_angles(inside.turns[one] - around.turns[card], np.pi)
    every = fold_angles(around.turns - np.median(around.turns), np.pi / 2)
    all_still = bool(_reach(every) < s.still_rad)
    is_still, prints = False, []  # of each print: sd of its rotation, margin, outline of each card
    for margin in np.unique(margins, axis=0):
        off = np.abs(margins - margin).max(axis=1)
        alike = np.flatnonzero(off < s.alike)
        alike = alike[np.argsort(off[alike], kind="stable")]
        each = alike[np.unique(card[alike], return_index=True)[1]]
        if len(each) < s.fewest:
            continue
        about = around.turns[card[each]]
        still = float(robust_sd(fold_angles(about - about[0], np.pi / 2)))
        moved = float(robust_sd(turns[each]))
        lies_still = _reach(fold_angles(about - np.median(about), np.pi / 2)) < s.still_rad
        if len(each) < s.share * len(cards):  # as many have been found in slots that all lie still
            is_still |= all_still and moved > s.turned_rad and still < s.regular * moved
            continue
        is_still |= lies_still
        if lies_still and moved > s.turned_rad and still < s.regular * moved:
            prints.append((moved, float(margin.sum()), each))
    if not prints:
        return Slots(np.zeros(len(outlines), np.bool_), np.zeros(0, np.int64), is_still)
    enough = s.with_most * max(len(each) for *_, each in prints)
    prints = sorted((one for one in prints if len(one[2]) >= enough), key=lambda p: p[1])
    moved = max(prints, key=lambda p: len(p[2]))[0]
    _, _, held = next(one for one in prints if one[0] > s.with_card * moved)
    of_card = np.full(len(cards), float(np.median(share[card[held], one[held]])))
    of_card[card[held]] = share[card[held], one[held]]
    is_larger = share > s.larger * of_card[:, None]
    return Slots(np.asarray((near & is_larger).any(axis=0)), one[held], True)


class _Rectangles:
    """Geometry of N outlines on a plane: sides (N, 2), shorter first, rotations, centres."""

    def __init__(self, plane: Solution, quads: FloatArray) -> None:
        on = table_from_photo(camera_of(plane), quads.reshape(-1, 2)).reshape(-1, 4, 2)
        across = (on[:, 1] - on[:, 0] + on[:, 2] - on[:, 3]) / 2
        along = (on[:, 2] - on[:, 1] + on[:, 3] - on[:, 0]) / 2
        lengths = np.linalg.norm([across, along], axis=2)
        longer = np.where((lengths[0] > lengths[1])[:, None], across, along)
        self.sides = np.sort(lengths.T, axis=1)
        self.areas = self.sides.prod(axis=1)
        self.turns = np.arctan2(longer[:, 1], longer[:, 0])
        self.middles = on.mean(axis=1)


def _reach(values: FloatArray) -> float:
    """Return the 80 % quantile of absolute values."""
    return float(np.quantile(np.abs(values), 0.8))
