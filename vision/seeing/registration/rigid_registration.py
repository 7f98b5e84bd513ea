"""Registers faces rigidly with the rectified table, by what is visible of their cards.

The picture of the whole card, its border included, is moved and turned until its tones explain
those of the photo, with gain and bias of the light. The first steps are of blurred pictures: a pose
may be off by some millimetres. All cards take each step together. Separate from ``explain``: it
knows no hypotheses, and lays any card on any table.

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

from vision.imaging.masks import mask_at
from vision.imaging.view import sample, to_gray
from vision.seeing.estimation.overlaps import points_on_cards
from vision.seeing.estimation.rectify import Rectified
from vision.values.arrays import SD_OF_MEDIAN, BoolArray, FloatArray, IntArray, Points, median_of
from vision.values.pieces import Faces

__all__ = ["BlurredTable", "CardTemplates", "card_templates"]

_BLURS_MM = (2.0, 1.2, 0.8, 0.6)  # one standard deviation. From 2 mm off, 134 of
# 160 visible parts of drawn cards, a twentieth of a card and more, are placed to half a millimetre
_SPACING = 2.5  # between samples, of the blur: a border has two across in the end
_HOPELESS = 0.03  # gain after the first blur: another thing
_STEPS = 2  # at each blur, at most
_AT_ONCE = 2_000_000  # samples of all poses that are moved together
_SETTLED_MM = 0.1  # a step that is shorter is the last
_FEWEST_MM2 = 90.0  # visible: a strip of 1.5 mm
_FARTHEST_MM, _FARTHEST_RAD = 2.5, 0.05  # of one step
_LEAST_GAIN = 0.1  # of the face's contrast: less is another thing
_OUTLIER = 2.5  # robust spreads of what is left, but no less than
_TONES = 25.0  # of these: where most of a strip is white, its edges are no outliers

_Tones = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class BlurredTable:
    """A rectified part of the table, gray, with each blur of the registration."""

    rectified: Rectified

    @cached_property
    def tones(self) -> tuple[_Tones, ...]:
        """The lightness (H, W) with each blur."""
        gray, scale = to_gray(self.rectified.image).astype(np.float32), self.rectified.px_per_mm
        each = (cv2.GaussianBlur(gray, (0, 0), blur * scale) for blur in _BLURS_MM)
        return tuple(np.asarray(soft, np.float32) for soft in each)


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
    def _kept(self) -> dict[int, list[_Tones]]:
        return {}

    def _designs(self, faces: IntArray, level: int, terms: int = 5) -> _Tones:
        """Return how tones of faces (N,) depend on gain, bias and move, at a blur: (N, 5, P)."""
        designs = np.empty((len(faces), terms, len(self.places_mm[level])), np.float32)
        for out, face in zip(designs, faces.tolist(), strict=True):
            out[:] = self._by_blur(face)[level][:terms]
        return designs

    def _by_blur(self, face: int) -> list[_Tones]:
        if face not in self._kept:
            scale = self.faces.px_per_mm
            luma = to_gray(self.faces.images[face]).astype(np.float32)
            centre = (np.array(luma.shape[::-1]) - 1) / 2
            levels = list[_Tones]()
            for blur, places in zip(_BLURS_MM, self.places_mm, strict=True):
                soft = cv2.GaussianBlur(luma, (0, 0), blur * scale, borderType=cv2.BORDER_REPLICATE)
                steps = np.gradient(soft, 1 / scale)
                at_px, (x, y) = places * scale + centre, places.astype(np.float32).T
                each = (sample(np.asarray(of, np.float32), at_px) for of in (soft, *steps))
                tones, down, across = each
                rows = [tones, np.ones_like(tones), -across, -down, across * y - down * x]
                levels.append(np.stack(rows))
            self._kept[face] = levels  # whole: another thread may ask for it
        return self._kept[face]

    def register(
        self, table: BlurredTable, hidden: BoolArray, poses: FloatArray, faces: IntArray
    ) -> FloatArray:
        """Return the poses (N, 3) at which faces explain best what is visible of their cards.

        Parameters
        ----------
        table : BlurredTable
            A part of the photo from above.
        hidden : (H, W) bool
            What known cards cover there.
        poses : (N, 3) float64
            x mm, y mm, theta rad, the faces upright. Those of which too little is visible stay.
        faces : (N,) int
            The face of each.
        """
        most = max(1, _AT_ONCE // len(self.places_mm[-1]))
        if len(poses) > most:  # memory: decks of large cards have many samples
            each = (np.s_[k : k + most] for k in range(0, len(poses), most))
            parts = [self.register(table, hidden, poses[of], faces[of]) for of in each]
            return np.concatenate(parts)
        moved, left = poses.copy(), np.arange(len(poses))
        shown = table.rectified.inside & ~hidden
        for level in range(len(_BLURS_MM)):
            going, designs = left, self._designs(faces[left], level)
            for _ in range(_STEPS):
                moves = self._moves(table, shown, moved[going], designs, level)
                can_move = ~np.isnan(moves[:, 0])
                going, moves = going[can_move], moves[can_move]
                moved[going, :2] = points_on_cards(moves[:, None, :2], moved[going])[:, 0]
                moved[going, 2] += moves[:, 2]
                is_going = np.hypot(*moves[:, :2].T) >= _SETTLED_MM
                going, designs = going[is_going], designs[can_move][is_going]
            if level == 0:
                left = left[self.gains(table, hidden, moved[left], faces[left]) >= _HOPELESS]
        before, after = (self.gains(table, hidden, of[left], faces[left]) for of in (poses, moved))
        found, better = poses.copy(), left[after > before]
        found[better] = moved[better]
        return found

    def gains(
        self, table: BlurredTable, hidden: BoolArray, poses: FloatArray, faces: IntArray
    ) -> FloatArray:
        """Return how much more likely what is visible is with each face (N,) than with even tones.

        The log likelihood ratio for each of the card's samples, with normal noise; arguments as of
        :meth:`register`.
        """
        seen, visible = self._seen(table, table.rectified.inside & ~hidden, poses, -1)
        counts, tones = visible.sum(axis=1), self._designs(faces, -1, 1)[:, 0]
        share = visible / np.maximum(counts, 1)[:, None].astype(np.float32)
        own, theirs = (of - (share * of).sum(axis=1, keepdims=True) for of in (seen, tones))
        common = np.maximum((share * own * theirs).sum(axis=1), 0.0)
        squared = common**2 / np.maximum((share * own**2).sum(1) * (share * theirs**2).sum(1), 1e-9)
        gains = -visible.mean(axis=1) * np.log(np.maximum(1 - squared, 1e-3))
        return np.where(counts < _fewest(-1), 0.0, gains)

    def _seen(
        self, table: BlurredTable, shown: BoolArray, poses: FloatArray, level: int
    ) -> tuple[_Tones, BoolArray]:
        """Return the tones (N, P) at a blur's places on cards, and which of them are visible.

        ``shown`` (H, W) is what the photo shows of the table and no known card covers.
        """
        at_px = table.rectified.on_cards(self.places_mm[level], poses)
        return sample(table.tones[level], at_px), mask_at(shown, at_px)

    def _moves(
        self, table: BlurredTable, shown: BoolArray, poses: FloatArray, designs: _Tones, level: int
    ) -> FloatArray:
        """Return the moves (N, 3), card frame, by which tones agree better; nan if none does."""
        seen, visible = self._seen(table, shown, poses, level)
        counts, answer = visible.sum(axis=1), _fit(seen, visible, designs)
        left = np.abs(seen - (answer[:, None].astype(np.float32) @ designs)[:, 0])
        spread = np.maximum(SD_OF_MEDIAN * median_of(left, visible), _TONES)
        keep = visible & (left < _OUTLIER * spread[:, None])
        answer = _fit(seen, keep, designs)
        moves = answer[:, 2:] / np.maximum(answer[:, :1], _LEAST_GAIN)
        lengths = np.hypot(*moves[:, :2].T)
        moves[:, :2] *= np.minimum(1.0, _FARTHEST_MM / np.maximum(lengths, 1e-9))[:, None]
        moves[:, 2] = np.clip(moves[:, 2], -_FARTHEST_RAD, _FARTHEST_RAD)
        is_enough = counts >= max(_fewest(level), 2 * answer.shape[1])
        moves[~is_enough | (answer[:, 0] < _LEAST_GAIN)] = np.nan
        return moves


def _fewest(level: int) -> int:
    """Return how many samples of a blur must be visible."""
    return round(_FEWEST_MM2 / (_SPACING * _BLURS_MM[level]) ** 2)


def _fit(seen: _Tones, keep: BoolArray, designs: _Tones) -> FloatArray:
    """Return the least squares answers (N, 5) to the kept tones (N, P).

    Short ones, for a face may have steps in one direction alone, or none.
    """
    kept = designs * keep[:, None]
    normal = (kept @ designs.swapaxes(1, 2)).astype(np.float64)
    unit = np.sqrt(np.maximum(np.diagonal(normal, axis1=1, axis2=2), 1.0))
    normal = normal / (unit[:, :, None] * unit[:, None]) + 1e-6 * np.eye(normal.shape[1])
    side = (kept @ seen[..., None])[..., 0] / unit
    return np.asarray(np.linalg.solve(normal, side[..., None])[..., 0] / unit, np.float64)


@lru_cache(maxsize=4)
def card_templates(faces: Faces) -> CardTemplates:
    """Prepare the faces of a deck; the last four are cached."""
    return CardTemplates(faces)
