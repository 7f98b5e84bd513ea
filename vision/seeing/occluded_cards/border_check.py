"""Cards that were supposed and could not be read -> those where the table lies bare.

Two corners of a fan's cards may look like those of one card that lies beside it. A card of a deck
with a white border shows that border round its dark frame, in any light; a bare table does not.
"""

from dataclasses import dataclass

import numpy as np

from vision.seeing.occluded_cards.strip_poses import StripSettings, border_samples, place_samples
from vision.seeing.occluded_cards.strip_search import StripScene
from vision.values.arrays import BoolArray, FloatArray, Points

__all__ = ["BorderCheckSettings", "is_border_missing"]


@dataclass(frozen=True, slots=True)
class BorderCheckSettings:
    """What shows that a card lies somewhere."""

    band_mm: float = 2.0  # within the frame's edge a face is dark
    lighter: float = 1.25  # a border over the frame beside it: on cards 1.6 and more, in shade too
    least: int = 4  # places of the rim that show: of fewer nothing is said
    share: float = 0.15  # of them that look like a rim: of cards above 0.7, of a bare table none


def is_border_missing(
    scene: StripScene, pose: FloatArray, settings: BorderCheckSettings | None = None
) -> bool:
    """Tell whether no border shows where a card (3,) was supposed, beside what is explained."""
    s = settings or BorderCheckSettings()
    laid = [
        place_samples(places, pose[None])[0]
        for places in border_samples(
            scene.index.size_mm, scene.frame_mm, s.band_mm, StripSettings()
        )
    ]
    (outer, outer_shows), (inner, inner_shows) = (_levels(scene, places) for places in laid)
    visible_mask = outer_shows & inner_shows
    if np.count_nonzero(visible_mask) < s.least:
        return False
    return float((outer[visible_mask] > s.lighter * inner[visible_mask]).mean()) < s.share


def _levels(scene: StripScene, places_mm: Points) -> tuple[FloatArray, BoolArray]:
    """Return how light places (P, 2) are, and which show and are no other card's."""
    y, x, open_ = scene.at(places_mm)
    return np.asarray(scene.level[y, x], np.float64), open_
