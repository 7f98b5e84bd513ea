"""Registers a face rigidly with the rectified table, by what is visible of the card.

The picture of the whole card, its border included, is moved and turned until its tones explain
those of the photo, with gain and bias of the light. The first steps are of blurred pictures: a pose
may be off by some millimetres.

References
----------
.. [1] Lucas and Kanade, An Iterative Image Registration Technique, 1981.
.. [2] Baker and Matthews, Lucas-Kanade 20 Years On, 2004 (gain and bias).
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import rotation, table_from_card
from vision.imaging.masks import mask_at
from vision.imaging.view import sample, to_gray
from vision.seeing.estimation.rectify import Rectified
from vision.values.arrays import BoolArray, FloatArray, Points
from vision.values.pieces import Faces

__all__ = ["BlurredTable", "CardTemplates", "card_templates"]

_BLURS_MM = (2.0, 1.2, 0.8, 0.6)  # one standard deviation. From 2 mm off, 134 of
# 160 visible parts of drawn cards, a twentieth of a card and more, are placed to half a millimetre
_SPACING = 2.5  # between samples, of the blur: a border has two across in the end
_HOPELESS = 0.03  # gain after the first blur: another thing
_STEPS = 2  # at each blur, at most
_SETTLED_MM = 0.1  # a step that is shorter is the last
_FEWEST_MM2 = 90.0  # visible: a strip of 1.5 mm
_FARTHEST_MM, _FARTHEST_RAD = 2.5, 0.05  # of one step
_LEAST_GAIN = 0.1  # of the face's contrast: less is another thing
_OUTLIER = 2.5  # robust spreads of what is left, but no less than
_TONES = 25.0  # of these: where most of a strip is white, its edges are no outliers


@dataclass(frozen=True, eq=False)
class BlurredTable:
    """A rectified part of the table, gray, with each blur of the registration."""

    rectified: Rectified

    @cached_property
    def tones(self) -> tuple[NDArray[np.float32], ...]:
        """The lightness (H, W) with each blur."""
        gray, scale = to_gray(self.rectified.image).astype(np.float32), self.rectified.px_per_mm
        each = (cv2.GaussianBlur(gray, (0, 0), blur * scale) for blur in _BLURS_MM)
        return tuple(np.asarray(soft, np.float32) for soft in each)

    def visible(self, hidden: BoolArray, at_px: FloatArray) -> BoolArray:
        """Return which points (P, 2) are in the photo and not ``hidden`` (H, W)."""
        return mask_at(self.rectified.inside, at_px) & ~mask_at(hidden, at_px)


@dataclass(frozen=True, eq=False)
class CardTemplates:
    """The faces of a deck, prepared for rigid registration."""

    faces: Faces

    @cached_property
    def places_mm(self) -> list[Points]:
        """Sample places (P, 2) over a card, its border included, by blur; card frame."""
        each = list[Points]()
        for spacing in (_SPACING * blur for blur in _BLURS_MM):
            counts = (int(side / spacing) for side in self.faces.size_mm)
            x, y = ((np.arange(n) - (n - 1) / 2) * spacing for n in counts)
            each.append(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2))
        return each

    @cached_property
    def _kept(self) -> dict[int, list[NDArray[np.float32]]]:
        return {}

    def _templates(self, face: int) -> list[NDArray[np.float32]]:
        """Return the lightness of a face and its steps per mm along x and y (3, P), by blur."""
        if face not in self._kept:
            scale = self.faces.px_per_mm
            luma = to_gray(self.faces.images[face]).astype(np.float32)
            centre = (np.array(luma.shape[::-1]) - 1) / 2
            each_blur = list[NDArray[np.float32]]()
            for blur, places in zip(_BLURS_MM, self.places_mm, strict=True):
                at = places * scale + centre
                soft = cv2.GaussianBlur(luma, (0, 0), blur * scale, borderType=cv2.BORDER_REPLICATE)
                down, across = np.gradient(soft, 1 / scale)
                each = [sample(np.asarray(of, np.float32), at) for of in (soft, across, down)]
                each_blur.append(np.stack(each))
            self._kept[face] = each_blur
        return self._kept[face]

    def register(
        self, table: BlurredTable, hidden: BoolArray, pose: FloatArray, face: int
    ) -> FloatArray:
        """Return the pose (3,) at which a face explains best what is visible of its card.

        Parameters
        ----------
        table : BlurredTable
            A part of the photo from above.
        hidden : (H, W) bool
            What known cards cover there.
        pose : (3,) float64
            x mm, y mm, theta rad, the face upright. Returned if too little is visible.
        face : int
            The face.
        """
        moved = pose
        for level in range(len(_BLURS_MM)):
            for _ in range(_STEPS):
                seen, template, places = self._seen(table, hidden, moved, face, level)
                step = _step(seen, template, places) if len(seen) >= _fewest(level) else None
                if step is None:
                    break
                moved = moved + np.append(rotation(float(moved[2])) @ step[:2], step[2])
                if np.hypot(*step[:2]) < _SETTLED_MM:
                    break
            if level == 0 and self.gain(table, hidden, moved, face) < _HOPELESS:
                return pose
        gain, own = (self.gain(table, hidden, at, face) for at in (moved, pose))
        return moved if gain > own else pose

    def _seen(
        self, table: BlurredTable, hidden: BoolArray, pose: FloatArray, face: int, level: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], Points]:
        """Return the visible tones (V,) of a card, its template (3, V) and places (V, 2) there."""
        places = self.places_mm[level]
        at_px = table.rectified.to_px(table_from_card(places, *pose))
        shown = table.visible(hidden, at_px)
        seen = sample(table.tones[level], at_px[shown])
        return seen, self._templates(face)[level][:, shown], places[shown]

    def gain(self, table: BlurredTable, hidden: BoolArray, pose: FloatArray, face: int) -> float:
        """Return how much more likely what is visible is with a face than with any even tone.

        The log likelihood ratio for each of the card's samples, with normal noise; arguments as of
        :meth:`register`.
        """
        level = len(_BLURS_MM) - 1
        seen, (tones, *_), _ = self._seen(table, hidden, pose, face, level)
        if len(seen) < _fewest(level):
            return 0.0
        a, b = seen - seen.mean(), tones - tones.mean()
        squared = max(float(a @ b), 0.0) ** 2 / max(float((a @ a) * (b @ b)), 1e-9)
        share = len(seen) / len(self.places_mm[level])
        return -share * float(np.log(max(1 - squared, 1e-3)))


def _fewest(level: int) -> int:
    """Return how many samples of a blur must be visible."""
    return round(_FEWEST_MM2 / (_SPACING * _BLURS_MM[level]) ** 2)


def _step(
    seen: NDArray[np.float32], template: NDArray[np.float32], places_mm: Points
) -> FloatArray | None:
    """Return the move (3,), card frame, by which tones (P,) agree better; None if nothing does."""
    face, across, down = template.astype(np.float64)
    x, y = places_mm.T
    design = np.stack([face, np.ones_like(face), -across, -down, across * y - down * x])
    if len(seen) < 2 * len(design):
        return None
    tones = seen.astype(np.float64)
    keep = np.ones(len(seen), np.bool_)
    for _ in range(2):
        kept = design * keep
        answer = np.linalg.lstsq(kept @ design.T, kept @ tones, rcond=None)[0]
        left = np.abs(tones - answer @ design)
        keep = left < _OUTLIER * max(1.4826 * float(np.median(left)), _TONES)
    if answer[0] < _LEAST_GAIN:
        return None
    step = answer[2:] / answer[0]
    step[:2] *= min(1.0, _FARTHEST_MM / max(float(np.hypot(*step[:2])), 1e-9))
    return np.append(step[:2], np.clip(step[2], -_FARTHEST_RAD, _FARTHEST_RAD))


@lru_cache(maxsize=4)
def card_templates(faces: Faces) -> CardTemplates:
    """Prepare the faces of a deck; the last four are cached."""
    return CardTemplates(faces)
