"""Detects the outlines of cards: by a white border if the deck has one, else by edges of any kind.

The plane is searched at the coarsest level that shows cards well. More resolution costs time and
locates an outline no better. Cards whose outline is not found there are proposed from the table
that nothing explains (``vision.seeing.explain``).
"""

from dataclasses import dataclass

import numpy as np

from vision.geometry import card_corners
from vision.imaging.view import View, from_level, to_gray
from vision.seeing.detection.bright_quads import find_quads
from vision.seeing.detection.corners import complete_corners, find_corners, find_lines
from vision.seeing.detection.edge_quads import equalise_contrast, find_edge_quads
from vision.seeing.detection.quads import WORK_SIDE_PX, refine_quads
from vision.seeing.detection.quads import suppress_repeated_quads as without_near
from vision.seeing.estimation.model import Solution, project_cards
from vision.seeing.values import PyramidLevel
from vision.values.arrays import FloatArray, ImageBGR

__all__ = ["CardFinder"]


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
            return tuple(PyramidLevel(level, by_border=True) for level in (half, finest))
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
        if pyramid_level.by_border:
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
        if pyramid_level.by_border:
            found = find_quads(picture)
        elif pyramid_level.by_corners:
            found = _cornered(picture)
        else:
            shown = equalise_contrast(picture) if pyramid_level.harder else picture
            found = find_edge_quads(shown, evened=pyramid_level.harder)
            found = without_near(refine_quads(picture, found), _REPEAT_PX)
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
