"""A layout, and the photo -> the layout without unread cards that are lines on the table.

Planks, tiles and seams meet as the sides of a card do. What they enclose is the table itself: as
light and of the same colour as what is beside it, on most sides; a card differs from it all round.
Where several outlines are so, no one of them is told as a card, but once that there are such.
"""

from dataclasses import replace

import cv2
import numpy as np

from vision.geometry import table_from_photo
from vision.imaging.masks import grown
from vision.imaging.view import View
from vision.seeing.estimation.model import solution_of
from vision.seeing.pieces.rectify import Rectified, bounding_box, rectify
from vision.texts import make_issue
from vision.values.arrays import FloatArray
from vision.values.layout import Layout

__all__ = ["drop_line_patterns", "edge_steps"]


# What is a line, and how many of them are a pattern.
_SEVERAL = 3  # fewer are each told by itself: a card in glare may be as its table is
_STEP = 0.1  # logarithm of tones: paper and cloth differ by twice that or more
_PX_PER_MM = 1.0  # of the flat picture
_MARGIN_MM = 20.0  # of it, round all that was placed
_BESIDE_MM: tuple[float, float, float] = (2.5, 3.5, 4.5)  # from an outline: past its own slope
_ENDS = 0.12  # of a side, left out at either end: other lines go on there
_PLACES = 24  # along a side
_SEEN = 0.33  # of them, that tell of a side
_OWN_MM = 3.0  # round cards that are read: their sides
_SIDES = 2  # that tell of an outline
_FLOOR = 12.0  # tones added before the logarithm: noise in the dark


def drop_line_patterns(view: View, layout: Layout) -> Layout:
    """Take unread cards back that are lines on the table, where there are several; say so once.

    Parameters
    ----------
    view : View
        The photo.
    layout : Layout
        All that was placed, by name or as unread, and the doubts so far.
    """
    unread = [i for i, one in enumerate(layout.placed) if one.identity is None]
    if len(unread) < _SEVERAL:
        return layout
    shown = [table_from_photo(layout.camera, one.outline_px) for one in layout.placed]
    box = bounding_box(np.concatenate(shown), _MARGIN_MM)
    rectified = rectify(view, solution_of(layout.camera), box, _PX_PER_MM)
    read = [outline for i, outline in enumerate(shown) if i not in unread]
    steps = edge_steps(rectified, np.array([shown[i] for i in unread]), read)
    lines = {i for i, step in zip(unread, steps.tolist(), strict=True) if step < _STEP}
    if len(lines) < _SEVERAL:
        return layout
    kept = np.array([i for i in range(len(layout.placed)) if i not in lines], np.int64)
    gone = {layout.placed[i].piece for i in lines}
    rows = (3 * kept[:, None] + np.arange(3)).ravel()
    told = make_issue("pattern_like_cards", "issue.pattern_shapes", count=len(lines))
    return replace(
        layout,
        placed=tuple(layout.placed[i] for i in kept.tolist()),
        joint_covariance=layout.joint_covariance[np.ix_(rows, rows)],
        doubts=(*(doubt for doubt in layout.doubts if gone.isdisjoint(doubt.cards)), told),
    )


def edge_steps(
    rectified: Rectified, outlines_mm: FloatArray, read_mm: list[FloatArray]
) -> FloatArray:
    """Return by how much tones change across outlines, on most of their sides.

    Parameters
    ----------
    rectified : Rectified
        The table from above.
    outlines_mm : (N, 4, 2) float64
        Outlines, clockwise as seen.
    read_mm : sequence of (P, 2) float64
        Outlines of cards that are read: what lies on them tells nothing.

    Returns
    -------
    (N,) float64
        The logarithm, of the channel that changes most; inf where too little shows to tell.
    """
    taken = np.zeros(rectified.image.shape[:2], np.uint8)
    for outline in read_mm:
        cv2.fillPoly(taken, [np.rint(rectified.to_px(outline)).astype(np.int32)], 255)
    free = (grown(taken, _OWN_MM * rectified.px_per_mm) == 0) & rectified.inside
    light = np.log(cv2.GaussianBlur(rectified.image, (0, 0), 1.0).astype(np.float64) + _FLOOR)
    light[~free] = np.nan
    along = np.roll(outlines_mm, -1, axis=1) - outlines_mm  # (N, 4, 2)
    inward = np.stack([-along[..., 1], along[..., 0]], axis=-1)
    inward = inward / np.linalg.norm(inward, axis=-1, keepdims=True)
    t = np.linspace(_ENDS, 1 - _ENDS, _PLACES)
    places = outlines_mm[:, :, None] + t[:, None] * along[:, :, None]  # (N, 4, T, 2)
    far = np.array(_BESIDE_MM)[:, None, None, None, None] * inward[:, :, None]
    inside, outside = (_at(rectified, light, places + way * far).mean(axis=0) for way in (1, -1))
    across = inside - outside  # (N, 4, T, 3), nan where either side is not free
    told = np.isfinite(across).all(axis=-1).mean(axis=-1) >= _SEEN
    steps = np.full(len(outlines_mm), np.inf)
    for k in np.flatnonzero(told.sum(axis=1) >= _SIDES).tolist():
        of_sides = np.nanmedian(across[k][told[k]], axis=1)
        steps[k] = float(np.abs(np.median(of_sides, axis=0)).max())
    return steps


def _at(rectified: Rectified, picture: FloatArray, places_mm: FloatArray) -> FloatArray:
    """Look a picture (H, W, 3) up at places (..., 2); beyond it is nothing (nan)."""
    x, y = np.moveaxis(np.rint(rectified.to_px(places_mm)).astype(np.int64), -1, 0)
    height, width = picture.shape[:2]
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    found = picture[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
    return np.asarray(np.where(inside[..., None], found, np.nan), np.float64)
