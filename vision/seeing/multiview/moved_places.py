"""A card that lies elsewhere in one of several photos -> its place in two of them, for a picture.

In each photo the card is outlined where it lies there, and where the other photo has it.
"""

from collections.abc import Sequence

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import rotation
from vision.seeing.multiview.frame_registration import RegisteredView
from vision.seeing.multiview.tracks import MovedTrack, Track
from vision.values.arrays import Points
from vision.values.messages import Outline, Place

__all__ = ["moved_places"]


def moved_places(
    one: MovedTrack, track: Track, photos: Sequence[RegisteredView]
) -> tuple[Place, ...]:
    """Return where a card lies in the photo that counts, and in the one that differs.

    Parameters
    ----------
    one : MovedTrack
        Which card, in which photo, and how far off.
    track : Track
        The cards of the photos that are this one.
    photos : sequence of RegisteredView
        What each shows.

    Returns
    -------
    tuple of Place
        Two; none where a place lies on a photo's horizon.
    """
    first, card = track.cards[0]
    before, after = photos[first], photos[one.photo]
    sizes = before.layout.size_wh, after.layout.size_wh
    own_px = before.layout.placed[card].outline_px
    try:
        here = before.to_table(own_px)
        if one.card is None:
            gone = _outline(after.to_photo(here))
            shown = Place(first, sizes[0], _outline(own_px))
            return shown, Place(one.photo, sizes[1], other_px=gone)
        moved_px = after.layout.placed[one.card].outline_px
        there = after.to_table(moved_px)
        if one.away is not None:  # what the whole table is off by is left out
            back = tuple(-value for value in one.away)
            here, there = _shifted(there, back), _shifted(here, one.away)
        as_there, as_here = before.to_photo(there), after.to_photo(here)
    except DegenerateGeometryError:
        return ()
    return (
        Place(first, sizes[0], _outline(own_px), _outline(as_there)),
        Place(one.photo, sizes[1], _outline(moved_px), _outline(as_here)),
    )


def _shifted(outline_mm: Points, away: Sequence[float]) -> Points:
    """Move an outline (4, 2) by x mm, y mm, and turn it about its middle by theta rad."""
    x, y, theta = away
    middle = outline_mm.mean(axis=0)
    return np.asarray((outline_mm - middle) @ rotation(theta).T + middle + [x, y], np.float64)


def _outline(points_px: Points) -> Outline:
    """Return points (N, 2) of a photo as they are written."""
    return tuple((round(x, 1), round(y, 1)) for x, y in points_px.tolist())
