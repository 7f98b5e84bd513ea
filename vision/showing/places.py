"""Photos and a doubt about a piece that lies elsewhere in one of them -> both places, magnified.

In each photo the piece is outlined as it lies there, and dashed as the other photo has it.
"""

from collections.abc import Sequence

import cv2
import numpy as np

from vision.showing.canvas import Canvas, dashes
from vision.showing.closeups import captioned
from vision.showing.style import AMBER, INK, WHITE
from vision.texts import Texts
from vision.values.arrays import ImageBGR
from vision.values.messages import Issue, Message, Place, message

__all__ = ["draw_places"]

_ASPECT = 0.72  # height by width of a cut, as of close-ups
_ROOM = 1.25  # of the cut, over the height of what is outlined in it


def draw_places(
    photos: Sequence[ImageBGR],
    numbers: Sequence[int],
    issues: Sequence[Issue],
    texts: Texts,
    *,
    width_px: int,
) -> list[ImageBGR]:
    """Draw the places of pieces that lie elsewhere in one of several photos.

    Parameters
    ----------
    photos : sequence of (H, W, 3) uint8
        Upright; they are not changed.
    numbers : sequence of int
        What each photo is called.
    issues : sequence of Issue
        Those without places, or of a photo that is not given, are passed over.
    texts : Texts
        In which language it is captioned.
    width_px : int
        Of each picture.

    Returns
    -------
    list of (H', width_px, 3) uint8
        Two for each such issue, one after the other; all of one size.
    """
    return [
        captioned(_drawn(photos[place.photo], place, width_px), texts.tell(said))
        for issue in issues
        if issue.places and all(place.photo < len(photos) for place in issue.places)
        for place, said in zip(issue.places, _captions(issue, numbers), strict=True)
    ]


def _captions(issue: Issue, numbers: Sequence[int]) -> list[Message]:
    """Say what each of an issue's two places shows."""
    first, second = (numbers[place.photo] for place in issue.places)
    card = issue.cards[0]
    return [
        message("close.place" if place.own_px else "close.no_place", card=card, n=n, other=other)
        for place, n, other in zip(issue.places, (first, second), (second, first), strict=True)
    ]


def _drawn(photo: ImageBGR, place: Place, width_px: int) -> ImageBGR:
    """Cut out what a place outlines, and outline it."""
    points = np.array([*place.own_px, *place.other_px])
    low, high = points.min(axis=0), points.max(axis=0)
    height_px = round(width_px * _ASPECT)
    zoom = min(np.array([width_px, height_px]) / np.maximum(high - low, 1.0)) / _ROOM
    shift = (np.array([width_px, height_px]) - 1) / 2 - zoom * (low + high) / 2
    cut = cv2.warpAffine(
        photo,
        np.array([[zoom, 0, shift[0]], [0, zoom, shift[1]]]),
        (width_px, height_px),
        flags=cv2.INTER_CUBIC if zoom > 1 else cv2.INTER_AREA,
    )
    canvas, unit = Canvas(np.ascontiguousarray(cut)), width_px / 100
    for outline, colour in ((place.own_px, WHITE), (place.other_px, AMBER)):
        if not outline:
            continue
        line = np.array(outline) * zoom + shift
        if outline is place.own_px:
            canvas.cased(np.vstack([line, line[:1]]), 0.5 * unit, colour, 0.3 * unit)
            continue
        for dash in dashes(line, 2.4 * unit, 1.6 * unit, closed=True):
            canvas.stroke(dash, 1.1 * unit, INK, 0.55)
            canvas.stroke(dash, 0.6 * unit, colour)
    return canvas.image
