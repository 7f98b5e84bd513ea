"""Outlines of cards -> whether they are slots printed on a play mat, the cards lying within.

A printed frame inside a card and a slot round it look alike: one outline within another. What parts
them is who moves with whom. The frame turns with its card, and the cards were laid by hand; slots
are one print, all turned alike, and the cards within them were laid by hand.
"""

from dataclasses import dataclass

import numpy as np

from vision.geometry import table_from_photo
from vision.seeing.estimation.model import Solution, camera_of
from vision.values.arrays import BoolArray, FloatArray, IntArray

__all__ = ["SlotSettings", "Slots", "find_slots"]


@dataclass(frozen=True, slots=True)
class SlotSettings:
    """When outlines are slots; measured on drawn mats, cards laid by hand to 1 degree."""

    same_middle: float = 0.12  # of the shorter side: farther apart, one does not lie in the other
    inner: tuple[float, float] = (0.5, 0.97)  # of the area
    alike: float = 0.004  # of the shorter side, 0.25 mm: margins that differ less are one print's
    fewest: int = 4  # cards in slots: of three, all are turned alike by chance
    share: float = 0.5  # of the cards
    turned_rad: float = 0.0035  # sd of what lies within; 0.2 degrees: print in a card has 0.1
    regular: float = 0.4  # of that, the sd of what lies around: slots have 0.05, cards' edges 2
    still_rad: float = 0.0028  # of four fifths of what lies around, off its middle: 0.16 degrees,
    # two sd of slots; of few cards laid by hand half lie within half of that by chance
    with_card: float = 0.8  # of how far the commonest turns: what a slot draws half turns half
    with_most: float = 0.75  # of the cards that the commonest print has: rarer ones are chance
    larger: float = 1.01  # of a card's area: what lies round it is no card


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """Which outlines (M,) are slots, or lie round what lies in them; whether they may be some.

    ``within`` (K,) are the outlines that lie in slots and move as cards do. ``may_be`` is told
    where all outlines are turned exactly alike, and something lies in them.
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
    """Tell which outlines are slots in which cards lie.

    Parameters
    ----------
    plane : Solution
        Camera and plane, as told by what was taken for cards.
    cards : (N, 4, 2) float64
        That, corners in the photo frame.
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
    turns = _folded(inside.turns[one] - around.turns[card], np.pi)
    is_still, prints = False, []  # of each print: sd of its turn, margin, the one of each card
    for margin in np.unique(margins, axis=0):
        off = np.abs(margins - margin).max(axis=1)
        alike = np.flatnonzero(off < s.alike)
        alike = alike[np.argsort(off[alike], kind="stable")]
        each = alike[np.unique(card[alike], return_index=True)[1]]
        if len(each) < max(s.fewest, s.share * len(cards)):
            continue
        about = around.turns[card[each]]
        still, moved = _deviation(_folded(about - about[0], np.pi / 2)), _deviation(turns[each])
        lies_still = _reach(_folded(about - np.median(about), np.pi / 2)) < s.still_rad
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
    """Of N outlines on a plane: sides (N, 2), shorter first, turns of the longer ones, middles."""

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


def _folded(angles: FloatArray, period: float) -> FloatArray:
    return np.asarray((angles + period / 2) % period - period / 2, np.float64)


def _reach(values: FloatArray) -> float:
    """Return how far off zero four fifths of some values lie."""
    return float(np.quantile(np.abs(values), 0.8))


def _deviation(values: FloatArray) -> float:
    """Return the standard deviation, by the median: a few were outlined wrong."""
    return 1.4826 * float(np.median(np.abs(values - np.median(values))))
