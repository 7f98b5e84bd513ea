"""Two pictures laid on each other -> how surely they show one card, by form, fill and colour.

Light that a fit has taken out leaves two cards of one drawing alike in gray, whatever their inks:
green, purple and red outlines differ by a tone or two of a cell's mean. So the picture is compared
with the other as a scan compares a card with faces that are nearly the same: by how likely it is
no other card, how alike its print is, how dark it is within its signs. And the hues of its print,
with strokes softened away, must agree with the other's, as far as there are any.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.seeing.cards.posterior import FaceComparison, PosteriorSettings, face_posterior
from vision.seeing.recognition.fine_matching import (
    DARK,
    SOFT,
    compare_amplitudes,
    fine_match_face,
    fine_match_grid,
    paper_brightness,
)
from vision.seeing.recognition.picture_faces import CellGrid
from vision.seeing.recognition.smoothing import Tones, smooth
from vision.values.arrays import ImageBGR
from vision.values.pieces import Faces

__all__ = ["SameSettings", "Sameness", "sameness"]


@dataclass(frozen=True, slots=True)
class SameSettings:
    """What is the same card; fitted on two printings of SET, each card in three or four lights."""

    chance: float = 0.9  # that it is no other card: of one card 49 in 50 have 0.98 and more
    alike: float = 0.8  # of the print, once laid: of one card 0.83, other forms have 0.78 at most
    alike_in_places: float = 0.84  # the same, of pictures that differ in places as by a glare
    hues: float = 0.7  # as a correlation: of one card 0.73 at the least, of other inks 0.68 at most
    filled: float = 1.5  # deviations within signs: of stripes for an outline 1.6, of one card less
    doubtful_hues: float = 0.85  # below, or with signs filled so much else, pictures are joined
    doubtful_filled: float = 1.0  # with a doubt: of one card in other light 1 in 50
    coloured: float = 0.006  # of the paper, root mean square: fainter hues are a camera's own


@dataclass(frozen=True, slots=True)
class Sameness:
    """``chance`` that it is no other card, ``alike`` and ``hues`` as correlations, ``filled``."""

    chance: float
    alike: float
    hues: float
    filled: float

    def is_same(self, settings: SameSettings, *, in_places: bool = False) -> bool:
        """Tell whether nothing speaks for two cards; ``in_places`` something differs already."""
        s = settings
        sure = self.chance > s.chance and self.filled < s.filled
        alike = self.alike > (s.alike_in_places if in_places else s.alike)
        return sure and alike and self.hues > s.hues

    def is_doubtful(self, settings: SameSettings) -> bool:
        """Tell whether colour or fill differ by more than light usually makes."""
        return self.hues < settings.doubtful_hues or self.filled > settings.doubtful_filled


def sameness(face: ImageBGR, base: ImageBGR, settings: SameSettings | None = None) -> Sameness:
    """Compare two pictures (H, W, 3) of one size, the first laid on the second and lit as it is."""
    s = settings or SameSettings()
    grid = _grid_of(base)
    told = [_compared(a, b, grid) for a, b in ((face, base), (base, face))]
    chance, alike = (min(one[k] for one in told) for k in (0, 1))
    filled = max(one[2] for one in told)
    return Sameness(chance, alike, _hues(face, base, grid, s), filled)


def _grid_of(face: ImageBGR) -> CellGrid:
    """Return the grid of cells over a card's picture."""
    height, width = face.shape[:2]
    # its shape alone counts: a picture is taken for a card of the width that corners are told of
    bank = Faces((("card",),), face[None], width / 60.0, 60.0, 60.0 * height / width)
    return fine_match_grid(bank)


def _compared(face: ImageBGR, base: ImageBGR, grid: CellGrid) -> tuple[float, float, float]:
    """Return how likely a picture is the other, how alike, and by how much it is filled else."""
    seen = 255.0 * _cells(face, grid).reshape(-1, 3).astype(np.float64)
    faces, upright = [fine_match_face(base, grid)], np.zeros(1, np.bool_)
    # a picture of another number slides, and is told by that; the light is the other's already
    match = compare_amplitudes(seen, faces, upright, grid, may_rest=False, rounds=1)
    alone, c = np.zeros(1, np.int64), PosteriorSettings(most_ink=np.inf)  # glare differs, too
    chance = face_posterior(FaceComparison(np.ones(1), alone, alone, match), c)[0]
    deviation = np.hypot(c.filled_noise, c.filled_share * match.depth[0])
    return float(chance), float(match.similarity[0]), float(abs(match.darker[0]) / deviation)


def _hues(face: ImageBGR, base: ImageBGR, grid: CellGrid, s: SameSettings) -> float:
    """Return how well the hues of two pictures' print agree; 1 where both are gray."""
    weights = grid.weights[..., None]
    one, other = (_hue(_cells(of, grid), grid) for of in (face, base))
    total = float(3 * grid.weights.sum())
    own, its, both = (
        float((weights * a * b).sum()) / total
        for a, b in ((one, one), (other, other), (one, other))
    )
    faint = s.coloured**2  # what both lack of colour counts as agreement
    return float((both + faint) / np.sqrt((own + faint) * (its + faint)))


def _hue(tones: Tones, grid: CellGrid) -> Tones:
    """Return by how much each channel of print is deeper than the mean (H, W, 3)."""
    paper = paper_brightness(tones, grid)
    depth = 1 - smooth(np.asarray((tones + np.float32(DARK)) / paper, np.float32), SOFT)
    return np.asarray(depth - depth.mean(axis=2, keepdims=True), np.float32)


def _cells(face: ImageBGR, grid: CellGrid) -> Tones:
    """Return the mean tones (H, W, 3) of a picture's cells, shares of white."""
    rows, columns = grid.shape_hw
    small = cv2.resize(face, (columns, rows), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32) * np.float32(1 / 255)
