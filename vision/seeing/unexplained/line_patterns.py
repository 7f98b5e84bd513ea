"""Removes unread cards that are lines on the table from a layout.

Planks, tiles and seams meet like the edges of a card. They enclose the table itself: on most sides
it has the lightness and colour of its surroundings, while a card differs all round. If several
outlines are like this, they are reported together instead of one by one as cards.
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


# Lines, and how many of them make a pattern.
_SEVERAL = 3  # fewer are reported one by one: a card in glare may look like its table
_STEP = 0.1  # log ratio of tones: paper and cloth differ by twice that or more
_PX_PER_MM = 1.0  # of the rectified image
_MARGIN_MM = 20.0  # its margin round all placed pieces
# sample distances from an outline, past the blur of its edge
_BESIDE_MM: tuple[float, float, float] = (2.5, 3.5, 4.5)
_ENDS = 0.12  # of a side, left out at each end: other lines continue there
_PLACES = 24  # samples per side
_SEEN = 0.33  # least visible share of them for a side to count
_OWN_MM = 3.0  # margin round cards that were read: their edges
_SIDES = 2  # least sides of an outline that count
_FLOOR = 12.0  # tones added before the logarithm: noise in the dark


def drop_line_patterns(view: View, layout: Layout) -> Layout:
    """Remove several unread cards that are lines on the table, and report them once.

    Parameters
    ----------
    view : View
        The photo.
    layout : Layout
        All placed pieces, by name or as unread, and the doubts so far.
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
    """Return the step of tones across outlines, the median over their sides.

    Parameters
    ----------
    rectified : Rectified
        The rectified table image.
    outlines_mm : (N, 4, 2) float64
        Outlines, clockwise as seen.
    read_mm : sequence of (P, 2) float64
        Outlines of cards that were read; the areas they cover are left out.

    Returns
    -------
    (N,) float64
        Log ratio of the channel that changes most; inf where too little is visible.
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
    """Return pixels of an image (H, W, 3) at places (..., 2); nan outside it."""
    x, y = np.moveaxis(np.rint(rectified.to_px(places_mm)).astype(np.int64), -1, 0)
    height, width = picture.shape[:2]
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    found = picture[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)]
    return np.asarray(np.where(inside[..., None], found, np.nan), np.float64)
