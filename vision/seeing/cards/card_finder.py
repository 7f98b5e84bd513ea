"""Detects the outlines of cards: by a white border if the deck has one, else by edges of any kind.

A white border round a darker printed frame has two outlines: that of a bright region (lost on a
white cloth, merged where cards touch) and that of the dark region inside (always there). One
threshold yields nearly all cards; which of the two an outline is, and whether it is a card at all,
the comparison with the faces decides. Separate from ``detector``: it knows no face.

The plane is searched at the coarsest level that shows cards well. More resolution costs time and
locates an outline no better. Cards whose outline is not found there are proposed from the table
that nothing explains (``vision.seeing.explain``).
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.geometry import card_corners
from vision.imaging.view import View, from_level, to_gray
from vision.seeing.detection.corners import complete_corners, find_corners, find_lines
from vision.seeing.detection.edge_quads import equalise_contrast, find_edge_quads
from vision.seeing.detection.quads import (
    WORK_SIDE_PX,
    QuadSettings,
    fit_quads,
    refine_quads,
    suppress_repeated_quads,
)
from vision.seeing.estimation.model import Solution, project_cards
from vision.seeing.values import PyramidLevel
from vision.values.arrays import FloatArray, ImageBGR, ImageGray

__all__ = ["CardFinder", "find_quads"]


# longer sides of the searched images, in order
_LEVEL_SIDES_PX: tuple[int, ...] = (525, 1050, WORK_SIDE_PX)
_FINE_PX = 48.0  # card width at which an outline is accurate to 1 %; wider needs no finer level
_SIDES_PX = 90.0  # card width at which edges along sides are looked for
_REPEAT_PX = 0.7  # mean corner distance below which refined outlines are the same
_MOST_CORNERED = 150  # outlines from two visible sides, of each of two searches
_LEAST_ARM_PX = 24.0  # least arm of a corner whose two arms are taken for a card's sides
# least ratio of the shorter arm to the longer; a card seen at 60 degrees: 0.33
_LEAST_ASPECT = 0.35
_ROUNDED = 0.05  # share of the shorter arm by which rounded corners shorten either arm

# Of a white border; lengths are pixels of the reduced image.
_BLOCK = 15  # side of the local mean: a third of the width of a usual card, wider than any border
_OFFSET = 5.0  # least tones above the local mean: faint borders stand out by 6
_OF_TEXTURE = 3.0  # threshold in median deviations from the mean: above the cloth's texture
_MOST_OFFSET = 15.0  # tones: on checked cloth the deviation is that of its squares
_LEAST_PERIMETER = 40  # of the smallest face that can be recognised
# of a bright region, or of the dark one inside it
_QUADS = QuadSettings(min_area_px=200.0, min_side_px=8.0, side_slack_px=1.5)
_OF_CROP = replace(_QUADS, max_area_share=0.9)
_SPARSE = 5  # texture is estimated from every fifth row and column


@dataclass(frozen=True, slots=True)
class CardFinder:
    """Detects cards of a width and height, mm, which may be bordered in white."""

    size_mm: tuple[float, float]
    is_bordered: bool = False

    def pyramid_levels(self, view: View) -> tuple[PyramidLevel, ...]:
        """Return the levels to search, in order, until a plane has enough cards.

        Coarse to fine; without a border in equalised contrast, too, and by corners.
        """
        levels = {view.level_within(side): None for side in _LEVEL_SIDES_PX}
        finest = min(levels)
        if self.is_bordered:
            half = min(finest + 1, len(view) - 1)
            return tuple(PyramidLevel(level) for level in (half, finest))
        level = view.level_within(_LEVEL_SIDES_PX[1])
        return (
            *(PyramidLevel(level) for level in levels),
            PyramidLevel(finest, harder=True),
            PyramidLevel(level, harder=True, by_corners=True),
        )

    def finer(
        self, view: View, pyramid_level: PyramidLevel, solution: Solution
    ) -> PyramidLevel | None:
        """Return the level at which cards are large enough; None if this level suffices."""
        if self.is_bordered:
            return None
        finest = view.level_within(_LEVEL_SIDES_PX[-1])
        level = max(finest, self._coarsest_level(view, solution, _FINE_PX))
        return PyramidLevel(level) if level < pyramid_level.level else None

    def quads(self, view: View, pyramid_level: PyramidLevel | None = None) -> FloatArray:
        """Detect outlines (N, 4, 2), photo frame.

        Without a level, the view is a crop that one card may nearly fill.
        """
        if pyramid_level is None and self.is_bordered:
            return find_quads(view[0], is_crop=True)
        pyramid_level = pyramid_level or PyramidLevel(view.level_within(_LEVEL_SIDES_PX[1]))
        picture = view[pyramid_level.level]
        if self.is_bordered:
            found = find_quads(picture)
        elif pyramid_level.by_corners:
            found = _cornered(picture)
        else:
            shown = equalise_contrast(picture) if pyramid_level.harder else picture
            found = find_edge_quads(shown, evened=pyramid_level.harder)
            found = suppress_repeated_quads(refine_quads(picture, found), _REPEAT_PX)
        return from_level(found, pyramid_level.level)

    def roi_quads(self, view: View, solution: Solution) -> FloatArray:
        """Detect outlines (N, 4, 2) in a crop on a known plane."""
        if self.is_bordered:
            return self.quads(view)
        level = self._coarsest_level(view, solution, _SIDES_PX)
        plain, evened = PyramidLevel(level), PyramidLevel(level, harder=True)
        # at the next level a cloth's grain hides less
        coarse = PyramidLevel(min(level + 1, len(view) - 1), harder=True)
        each = [self.quads(view, one) for one in dict.fromkeys((plain, evened, coarse))]
        return np.concatenate(each)

    def _width_px(self, solution: Solution) -> float:
        """Return the median width of the cards, px; without cards, of one at the photo's centre."""
        size = self.size_mm
        if not len(solution.poses):
            up = solution.rotation[:, 2]
            return float(size[0] * solution.focal_px * up[2] / (up @ solution.translation_mm))
        corners = project_cards(solution, solution.poses, card_corners(*size))
        return float(np.median(np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)))

    def _coarsest_level(self, view: View, solution: Solution, least_px: float) -> int:
        """Return the coarsest level at which cards are at least so many pixels wide."""
        by = np.log2(max(self._width_px(solution) / least_px, 1.0))
        return min(int(by), len(view) - 1)


def _cornered(picture: ImageBGR) -> FloatArray:
    """Detect outlines (N, 4, 2) from two visible sides, as of pale cards on a pale table."""
    shown = (picture, equalise_contrast(picture))
    corners = [find_corners(find_lines(to_gray(of))) for of in shown]
    each = [complete_corners(of, _LEAST_ARM_PX, _LEAST_ASPECT, _ROUNDED) for of in corners]
    return np.concatenate([of[:_MOST_CORNERED] for of in each])


def find_quads(reduced: ImageBGR, *, is_crop: bool = False) -> FloatArray:
    """Detect the quadrilaterals of one threshold.

    Parameters
    ----------
    reduced : (H, W, 3) uint8
        The photo, reduced to about 1000 pixels: nearly all cards of most photos are found.
    is_crop : bool
        Whether one card may nearly fill it.

    Returns
    -------
    (N, 4, 2) float64
        Convex, clockwise as seen, first corner arbitrary; pixels of ``reduced``.
    """
    smooth = cv2.GaussianBlur(_min_channel(reduced), (3, 3), 0)
    mask = _above_mean(np.asarray(smooth, np.uint8))
    contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
    long = [np.asarray(c[:, 0], np.int32) for c in contours if len(c) >= _LEAST_PERIMETER]
    settings = _OF_CROP if is_crop else _QUADS
    return suppress_repeated_quads(fit_quads(long, mask.size, settings), settings.repeat_px)


def _min_channel(picture: ImageBGR) -> ImageGray:
    """Return the least of the three channels, in which white stands out from coloured cloth."""
    b, g, r = cv2.split(picture)
    return np.asarray(cv2.min(cv2.min(b, g), r), np.uint8)


def _above_mean(smooth: ImageGray) -> ImageGray:
    """Mark pixels that exceed their local mean by more than the cloth's texture does."""
    mean = cv2.blur(smooth, (_BLOCK, _BLOCK), borderType=cv2.BORDER_REPLICATE)
    part = (slice(None, None, _SPARSE),) * 2
    usual = float(np.median(cv2.absdiff(smooth[part].copy(), mean[part].copy())))
    offset = np.clip(_OF_TEXTURE * usual, _OFFSET, _MOST_OFFSET)
    above = cv2.subtract(smooth, mean)
    mask = cv2.threshold(above, float(offset), 255, cv2.THRESH_BINARY)[1]
    if offset > _OFFSET:  # a plain cloth has no specks; the filter would erase thin borders
        mask = cv2.medianBlur(mask, 3)
    return np.asarray(mask, np.uint8)
