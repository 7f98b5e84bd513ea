"""Reports the things that nothing in a layout explains, one doubt each.

Several stages raise doubts about places: corners of a card that was not placed, an outline that
became no card, a hand. A thing that several of them refer to is reported once, with its size in the
photo; doubts at bare places are dropped.
"""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.geometry import photo_from_table, table_from_photo
from vision.imaging.view import View
from vision.seeing.estimation.model import solution_of
from vision.seeing.pieces.rectify import Rectified, bounding_box, rectify
from vision.seeing.unexplained.residual_map import ResidualMap, build_residual_map
from vision.texts import make_issue, where_px
from vision.values.arrays import BoolArray, FloatArray, Points
from vision.values.layout import Layout
from vision.values.messages import Issue

__all__ = ["report_residual_map"]

#: Doubts of other stages about a place, not about a placed piece.
_OF_PLACES = ("card_hidden", "table_covered", "outline_unread")


# Search area, and what counts as one thing.
_PX_PER_MM = 1.0  # of the rectified image: a border is three pixels wide
_PLAIN_PX_PER_MM = 0.75  # of it for decks without borders: at 0.6, faint cards fade
_MARGIN_MM = 180.0  # margin round all known pieces: two cards' length
_SAME_MM = 30.0  # largest distance of a doubt from the thing it refers to: half a card's width
_BARE_MM = 60.0  # radius round a proposed card's centre: past its corners
_BARE_MM2 = 40.0  # largest area of marks in that of a bare place: a strip of border has more
# margin of the played area beyond the outermost cards, for decks that are not laid in fans at the
# table's edge: a thing outside it is a phone or a mug, and only noted
_ROUND_MM = 30.0


def report_residual_map(
    view: View,
    layout: Layout,
    size_mm: tuple[float, float],
    *,
    white_borders: bool,
    white_paper: bool = False,
) -> Layout:
    """Report each thing that nothing in a layout explains.

    Parameters
    ----------
    view : View
        The photo.
    layout : Layout
        All placed pieces, and the doubts so far.
    size_mm : (float, float)
        Width and height of a card.
    white_borders : bool
        Whether the cards have white borders, and may lie beneath others.
    white_paper : bool
        Whether they have none, and are white to their edge.
    """
    if not layout.placed:
        return layout
    known = [table_from_photo(layout.camera, one.outline_px) for one in layout.placed]
    box = bounding_box(np.concatenate(known), _MARGIN_MM)
    scale = _PX_PER_MM if white_borders else _PLAIN_PX_PER_MM
    rectified = rectify(view, solution_of(layout.camera), box, scale)
    left = build_residual_map(
        rectified, known, size_mm, white_borders=white_borders, white_paper=white_paper
    )
    kept, spoken_of = [], set[int]()
    for doubt in layout.doubts:
        place = _place(doubt, layout) if doubt.code in _OF_PLACES else None
        if place is None:
            kept.append(doubt)
            continue
        number = int(left.things[left.near(place, _SAME_MM)].max(initial=0))
        if not white_borders:
            spoken_of.add(number)
            kept.append(doubt)
        elif not number and not left.is_bare_at(place, _BARE_MM, _BARE_MM2):
            kept.append(doubt)
    things = set(range(1, int(left.things.max(initial=0)) + 1)) - spoken_of
    played = np.ones_like(left.free) if white_borders else _played_area(rectified, known)
    told = [
        _thing_issue(left.things == number, played, left, layout, size_mm)
        for number in sorted(things)
    ]
    return replace(layout, doubts=(*kept, *told))


def _played_area(rectified: Rectified, known: Sequence[Points]) -> BoolArray:
    """Return the played area (H, W): the hull of all known pieces with a margin."""
    outline = cv2.convexHull(np.rint(rectified.to_px(np.concatenate(known))).astype(np.int32))
    inside = np.zeros(rectified.image.shape[:2], np.uint8)
    cv2.fillConvexPoly(inside, outline, 255)
    cv2.polylines(inside, [outline], True, 255, round(2 * _ROUND_MM * rectified.px_per_mm))
    return np.asarray(inside > 0, np.bool_)


def _thing_issue(
    thing: BoolArray,
    played: BoolArray,
    left: ResidualMap,
    layout: Layout,
    size_mm: tuple[float, float],
) -> Issue:
    """Return the doubt about a thing (H, W): a part of a card, or something of a given size.

    A thing outside the played area (H, W) is only noted.
    """
    places = left.rectified.to_mm(np.argwhere(thing)[:, ::-1].astype(np.float64))
    at_px = photo_from_table(layout.camera, places)
    low, high = at_px.min(axis=0), at_px.max(axis=0)
    wide, high_px = high - low
    gaps = {**where_px(*(low + high) / 2), "wide": f"{wide:.0f}", "high": f"{high_px:.0f}"}
    if not (thing & played).any():
        return make_issue("place_unread", "issue.place_unread", (), "note", **gaps)
    width, height = np.ptp(places, axis=0)
    is_part = width * height < size_mm[0] * size_mm[1]
    code = "card_hidden" if is_part else "place_unread"
    return make_issue(code, f"issue.{code}", (), "doubt", **gaps)


def _place(doubt: Issue, layout: Layout) -> FloatArray | None:
    """Return the place (2,), mm, that a doubt refers to."""
    if doubt.at_px is None:
        return None
    return np.asarray(table_from_photo(layout.camera, np.array([doubt.at_px]))[0], np.float64)
