"""Cards that were supposed and could not be read -> those where the table lies bare.

Two corners of a fan's cards may look like those of one card that lies beside it. A card of a deck
with a white border shows that border round its dark frame, in any light; a bare table does not.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.seeing.beneath.finding import taken_by
from vision.seeing.beneath.strips import StripSettings, lay_places, rim_places
from vision.seeing.pieces.flat import Flat
from vision.values.arrays import BoolArray, FloatArray, Points

__all__ = ["BareSettings", "is_bare"]


@dataclass(frozen=True, slots=True)
class BareSettings:
    """What shows that a card lies somewhere."""

    band_mm: float = 2.0  # within the frame's edge a face is dark
    lighter: float = 1.25  # a border over the frame beside it: on cards 1.6 and more, in shade too
    least: int = 4  # places of the rim that show: of fewer nothing is said
    share: float = 0.15  # of them that look like a rim: of cards above 0.7, of a bare table none


def is_bare(
    flat: Flat,
    pose: FloatArray,
    others: Sequence[FloatArray],
    size_mm: tuple[float, float],
    frame_mm: tuple[float, float],
    settings: BareSettings | None = None,
) -> bool:
    """Tell whether no border shows where a card (3,) was supposed, beside the others (3,)."""
    s = settings or BareSettings()
    border, band = rim_places(size_mm, frame_mm, s.band_mm, StripSettings())
    taken = taken_by(flat, others, size_mm)
    level = flat.image.mean(axis=2)
    (outer, outer_shows), (inner, inner_shows) = (
        _levels(level, flat, taken, lay_places(places, pose[None])[0]) for places in (border, band)
    )
    shown = outer_shows & inner_shows
    if np.count_nonzero(shown) < s.least:
        return False
    return float((outer[shown] > s.lighter * inner[shown]).mean()) < s.share


def _levels(
    level: FloatArray, flat: Flat, taken: NDArray[np.uint8], places_mm: Points
) -> tuple[FloatArray, BoolArray]:
    """Return how light places (P, 2) are, and which show and are no other card's."""
    px = np.rint(flat.to_px(places_mm)).astype(np.int64)
    height, width = level.shape
    inside = (px >= 0).all(axis=1) & (px < (width, height)).all(axis=1)
    x, y = np.clip(px, 0, (width - 1, height - 1)).T
    return level[y, x], inside & (taken[y, x] == 0) & flat.inside[y, x]
