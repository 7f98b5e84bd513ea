"""Card finder for decks with a white border: detects the bright border."""

from dataclasses import dataclass

from vision.imaging.view import View, from_level
from vision.seeing.detection.bright_quads import BrightQuadSettings, find_outlines, find_quads
from vision.seeing.detection.quads import WORK_SIDE_PX, QuadSettings
from vision.seeing.estimation.model import Solution
from vision.seeing.values import PyramidLevel
from vision.values.arrays import FloatArray

__all__ = ["BorderCardFinder"]

#: Of outlines in a part of a picture, which a card may nearly fill.
_CROP = BrightQuadSettings(quads=QuadSettings(max_area_share=0.9))


@dataclass(frozen=True, slots=True, eq=False)
class BorderCardFinder:
    """Detects cards by their white border: bright outlines and visible corners of them."""

    def pyramid_levels(self, view: View) -> tuple[PyramidLevel, ...]:
        """Return the levels to search: a quick one, then one with all thresholds."""
        level = view.level_within(WORK_SIDE_PX)
        return PyramidLevel(min(level + 1, len(view) - 1)), PyramidLevel(level, harder=True)

    def finer(
        self, view: View, pyramid_level: PyramidLevel, solution: Solution
    ) -> PyramidLevel | None:
        """Return None: every level shows cards well enough."""
        return None

    def quads(self, view: View, pyramid_level: PyramidLevel | None = None) -> FloatArray:
        """Detect outlines (N, 4, 2), photo frame; without a level, those of a crop."""
        if pyramid_level is None:
            return find_outlines(view[0], settings=_CROP)
        picture = view[pyramid_level.level]
        found = find_outlines(picture) if pyramid_level.harder else find_quads(picture)
        return from_level(found, pyramid_level.level)

    def roi_quads(self, view: View, solution: Solution) -> FloatArray:
        """Detect outlines (N, 4, 2) in a crop on a known plane."""
        return self.quads(view)
