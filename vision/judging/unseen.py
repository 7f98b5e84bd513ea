"""Doubts about places -> where a card may lie that no photo shows, and how likely that is.

What covers the table hides a card the likelier the denser they lie: cards are taken to lie as
densely under it as beside. What has a card's shape, shows two of its corners or is all white is one
or is none.
``python -m bench doubted`` counts how often each was so.
"""

import numpy as np
from shapely import MultiPoint

from vision.geometry import card_corners, table_from_card, table_from_photo
from vision.values.layout import Layout, MissingCard

__all__ = ["OUTLINE", "WHITE", "find_unseen"]


#: Of middles of cards that a thing keeps from being found: it is told from a card's breadth on, and
#: a card is lost before it is all covered. Likeliest of 4,000 to 30,000 on drawn tables, with 18
#: such things, are 16,000, and hands are not laid at random.
_ROOM_MM2 = 14_000.0
_COVERED_MM = 25.0  # from the thing's middle to the card's: within what hides it
_HIDDEN = 0.9  # chance of a card where two corners of one show: 6 of 6 there
#: Chance of one where an outline of its shape was not read: a doubt in rounds of older versions.
OUTLINE = 0.3
#: And where all is white: cards in glare or a small sheet of paper; both of the two told on 92
#: fresh rendered photos were cards, too few to say more.
WHITE = 0.5
_SEEN_MM = 6.0  # to its middle there: corners and outlines tell it, not well


def find_unseen(layout: Layout, size_mm: tuple[float, float]) -> tuple[MissingCard, ...]:
    """Return where cards of a size (width, height) may lie unseen.

    The doubts about places count that stand somewhere in the photo.
    """
    of = {
        "card_hidden": (_HIDDEN, _SEEN_MM),
        "outline_unread": (OUTLINE, _SEEN_MM),
        "glare_table": (WHITE, _SEEN_MM),
        "table_covered": (1 - float(np.exp(-_ROOM_MM2 * _density(layout, size_mm))), _COVERED_MM),
    }
    found = []
    for issue in layout.doubts:
        if issue.severity == "doubt" and issue.code in of and issue.at_px is not None:
            ((x, y),) = table_from_photo(layout.camera, np.array([issue.at_px])).tolist()
            chance, spread_mm = of[issue.code]
            found.append(MissingCard(issue.code, issue.at_px, x, y, spread_mm, chance))
    return tuple(found)


def _density(layout: Layout, size_mm: tuple[float, float]) -> float:
    """Return how many cards lie on a mm² of the ground that they take together."""
    if not layout.placed:
        return 0.0
    corners = [
        table_from_card(card_corners(*size_mm), p.x_mm, p.y_mm, p.theta_rad) for p in layout.placed
    ]
    return len(corners) / float(MultiPoint(np.concatenate(corners)).convex_hull.area)
