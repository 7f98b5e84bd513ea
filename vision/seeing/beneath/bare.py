"""Cards that were supposed and could not be read -> those where the table lies bare.

Two corners of a fan's cards may look like those of one card that lies beside it. A card of a deck
with a white border shows that border round its dark frame, in any light; a bare table does not.
"""

from dataclasses import dataclass

import numpy as np

from vision.seeing.beneath.finding import Look
from vision.seeing.beneath.strips import StripSettings, lay_places, rim_places
from vision.values.arrays import BoolArray, FloatArray, Points

__all__ = ["BareSettings", "is_bare"]


@dataclass(frozen=True, slots=True)
class BareSettings:
    """What shows that a card lies somewhere."""

    band_mm: float = 2.0  # within the frame's edge a face is dark
    lighter: float = 1.25  # a border over the frame beside it: on cards 1.6 and more, in shade too
    least: int = 4  # places of the rim that show: of fewer nothing is said
    share: float = 0.15  # of them that look like a rim: of cards above 0.7, of a bare table none


def is_bare(look: Look, pose: FloatArray, settings: BareSettings | None = None) -> bool:
    """Tell whether no border shows where a card (3,) was supposed, beside what is explained."""
    s = settings or BareSettings()
    laid = [
        lay_places(places, pose[None])[0]
        for places in rim_places(look.index.size_mm, look.frame_mm, s.band_mm, StripSettings())
    ]
    (outer, outer_shows), (inner, inner_shows) = (_levels(look, places) for places in laid)
    shown = outer_shows & inner_shows
    if np.count_nonzero(shown) < s.least:
        return False
    return float((outer[shown] > s.lighter * inner[shown]).mean()) < s.share


def _levels(look: Look, places_mm: Points) -> tuple[FloatArray, BoolArray]:
    """Return how light places (P, 2) are, and which show and are no other card's."""
    y, x, open_ = look.at(places_mm)
    return np.asarray(look.level[y, x], np.float64), open_
