"""Where a picture is still empty: a coarse grid of what is taken."""

from collections.abc import Iterable

import cv2
import numpy as np

from vision.showing.canvas import Box
from vision.values.arrays import Points

__all__ = ["Room"]

_CELLS = 400  # over the longer side of the picture: a cell is a third of a badge there
_WAYS = 48  # that are tried round a piece


class Room:
    """The taken parts of a picture of ``size_wh``; it changes as more is taken."""

    def __init__(self, size_wh: tuple[int, int]) -> None:
        self.size_wh = size_wh
        self.cell = max(size_wh) / _CELLS
        shape = tuple(int(np.ceil(side / self.cell)) for side in size_wh[::-1])
        self._used = np.zeros(shape, np.uint8)

    def take(self, points: Points, width_px: float, *, closed: bool = True) -> None:
        """Take a polygon with an edge of some width, or a line (N, 2), px."""
        fixed = np.round(np.clip(points / self.cell - 0.5, -1e4, 1e4) * 16).astype(np.int32)
        if closed:
            cv2.fillPoly(self._used, [fixed], 1, cv2.LINE_8, 4)
        edge = int(np.ceil(width_px / self.cell)) + 1
        cv2.polylines(self._used, [fixed], closed, 1, edge, cv2.LINE_8, 4)

    def take_box(self, box: Box) -> None:
        """Take a rectangle."""
        left, top, right, bottom = box
        self.take(np.array([[left, top], [right, top], [right, bottom], [left, bottom]]), 0.0)

    def is_free(self, box: Box) -> bool:
        """Tell whether nothing of a rectangle is taken or beyond the picture."""
        left, top, right, bottom = box
        if left < 0 or top < 0 or right > self.size_wh[0] or bottom > self.size_wh[1]:
            return False
        x, y = int(left / self.cell), int(top / self.cell)
        across, down = int(np.ceil(right / self.cell)), int(np.ceil(bottom / self.cell))
        return not self._used[y:down, x:across].any()

    def beside(self, outline: Points, size_wh: tuple[float, float], gap_px: float) -> Box | None:
        """Find the free rectangle nearest beside an outline (N, 2); None if there is none.

        Below and above come first among equals: there words are looked for.
        """
        centre = outline.mean(axis=0)
        half = np.array(size_wh) / 2
        found = [
            (distance, box)
            for distance, box in _round_it(outline, centre, half, gap_px)
            if self.is_free(box)
        ]
        return min(found, key=lambda one: one[0])[1] if found else None


def _round_it(
    outline: Points, centre: Points, half: Points, gap_px: float
) -> Iterable[tuple[float, Box]]:
    """Yield rectangles that touch an outline but for a gap, each with its distance from it."""
    angles = np.pi / 2 + 2 * np.pi * np.arange(_WAYS) / _WAYS
    for way in np.column_stack([np.cos(angles), np.sin(angles)]):
        reach = float(((outline - centre) @ way).max())
        distance = reach + float(np.abs(way) @ half) + gap_px
        (x, y), (w, h) = centre + distance * way, half
        beside = float(abs(way[0]))  # of two as near the one that stands below or above
        yield distance + 0.2 * float(h) * beside, (x - w, y - h, x + w, y + h)
