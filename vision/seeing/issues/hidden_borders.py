"""Tells borders that stick out from under cards too little for a face: a card may be hidden there.

Only for decks with a white border that are laid in fans: others have no cards beneath cards.
"""

import cv2
import numpy as np

from vision.geometry import photo_from_table
from vision.imaging.masks import grown
from vision.imaging.view import View, to_gray
from vision.seeing.estimation.model import solution_of
from vision.seeing.estimation.overlaps import card_outlines
from vision.seeing.estimation.rectify import Rectified, bounding_box, rectify
from vision.texts import make_issue, where_px
from vision.values.arrays import BoolArray, Points
from vision.values.layout import Layout, poses_of
from vision.values.messages import Issue
from vision.values.pieces import ANY_NUMBER, Faces

__all__ = ["report_hidden_borders"]

_PX_PER_MM = 1.7  # of the rectified table: a border is six pixels wide
_EDGE_MM = 0.75  # round each card: the blur of its edge
_NEAR_MM, _FAR_MM = 6.0, 9.0  # from a card: a border that sticks out shows, and table beyond
_LEAST_MM2 = 60.0  # of white beside a card: less is no border
_WHITE = 0.72  # least lightness of it, of the card's own border's: shadow takes a fifth
_OWN_WHITE = 65.0  # percentile of the tones of a card's border


def report_hidden_borders(view: View, layout: Layout, faces: Faces) -> list[Issue]:
    """Report the largest white border beside each card that no card explains."""
    if not (faces.frames and (faces.copies >= ANY_NUMBER).any() and layout.placed):
        return []
    outlines = card_outlines(poses_of(layout.placed), faces.size_mm)
    box = bounding_box(outlines.reshape(-1, 2), _FAR_MM)
    table = rectify(view, solution_of(layout.camera), box, _PX_PER_MM)
    taken = grown(table.filled(outlines), _EDGE_MM * _PX_PER_MM)
    open_ = np.asarray((taken == 0) & table.inside, np.bool_)
    inner = (faces.frames[0].width_mm, faces.frames[0].height_mm)
    frames = card_outlines(poses_of(layout.placed), inner)
    each = (_border_left(table, open_, *of) for of in zip(outlines, frames, strict=True))
    at_mm = np.array([place for place in each if place is not None]).reshape(-1, 2)
    places_px = photo_from_table(layout.camera, at_mm)
    return [make_issue("card_hidden", "issue.card_hidden", **where_px(*at)) for at in places_px]


def _border_left(
    table: Rectified, open_: BoolArray, outline_mm: Points, frame_mm: Points
) -> Points | None:
    """Return a place (2,) on a white border beside a card, which is table nowhere farther off."""
    size = np.array(open_.shape[::-1])
    px = table.to_px(outline_mm)
    reach = _FAR_MM * _PX_PER_MM
    low = np.clip(px.min(axis=0) - reach, 0, size).astype(int)
    high = np.clip(px.max(axis=0) + reach + 1, 0, size).astype(int)
    here = np.s_[low[1] : high[1], low[0] : high[0]]
    card = table.filled([outline_mm])[here]
    level = to_gray(table.image[here])
    border = (card > 0) & (table.filled([frame_mm])[here] == 0)
    if not border.any():
        return None
    least = _WHITE * float(np.percentile(level[border], _OWN_WHITE))
    near, far = (grown(card, mm * _PX_PER_MM) > 0 for mm in (_NEAR_MM, _FAR_MM))
    white, beyond = (level > least) & open_[here], far & ~near & open_[here]
    if beyond.any() and float(white[beyond].mean()) > 0.5:
        return None
    _, labels, stats, _ = cv2.connectedComponentsWithStats((white & near).astype(np.uint8))
    areas = stats[:, cv2.CC_STAT_AREA]
    areas[0] = 0
    if areas.max() <= _LEAST_MM2 * _PX_PER_MM**2:
        return None
    places = np.argwhere(labels == int(areas.argmax()))[:, ::-1]
    nearest = places[np.linalg.norm(places - places.mean(axis=0), axis=1).argmin()]
    return np.asarray(table.to_mm((nearest + low)[None].astype(np.float64))[0])
