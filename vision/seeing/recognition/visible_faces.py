"""Comparison of what is visible of cards with all faces of a deck, whatever kind of deck it is.

The features are those of pictures (``picture_faces``) on one of their grids. Each is centred and
scaled over the visible cells alone, so that what lies on a card counts neither for a face nor
against it. All cards are compared with all faces by a few matrix products.

References
----------
.. [1] Padfield, Masked Object Registration in the Fourier Domain, 2012 (masked correlation).
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.seeing.recognition.picture_faces import (
    CellGrid,
    cell_features,
    coarse_grid,
    coarse_tones,
    feature_spread,
    fine_grid,
)
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, IntArray
from vision.values.pieces import Faces

__all__ = ["VisibleFaces", "VisibleScores", "visible_faces"]


@dataclass(frozen=True, slots=True, eq=False)
class VisibleScores:
    """How what is visible of N cards compares.

    ``scores`` (N,) are the best face's correlations, ``leads`` (N,) their margins over the next
    face. ``faces`` (N,) are the best faces, and ``turned`` (N,) tells which of them are half
    turned.
    """

    scores: FloatArray
    leads: FloatArray
    faces: IntArray
    turned: BoolArray

    def upright(self, poses: FloatArray, sense: int = 1) -> FloatArray:
        """Return cards' poses (N, 3) with their best faces upright; back from those by -1."""
        half = sense * np.pi * self.turned[:, None] * np.array([0.0, 0.0, 1.0])
        return np.asarray(poses + half, np.float64)


@dataclass(frozen=True, eq=False)
class VisibleFaces:
    """The faces of a deck, compared by the visible cells of a grid."""

    bank: Faces
    grid: CellGrid

    @cached_property
    def tones(self) -> NDArray[np.float32]:
        """Mean tones (K, G, 3), 0..255, of the cells of the upright faces."""
        return np.asarray(coarse_tones(self.bank, self.grid), np.float32)

    @cached_property
    def _features(self) -> NDArray[np.float32]:
        """Features (2, G, 3, 2K) of the faces upright, then half turned."""
        upright = np.asarray(cell_features(self.tones, self.grid), np.float32)
        both = np.concatenate([upright, upright[:, :, ::-1]])
        return np.ascontiguousarray(both.transpose(1, 2, 3, 0))

    @cached_property
    def _squares(self) -> NDArray[np.float32]:
        """The squares (2, G, 2K) of the features, summed over their channels."""
        return np.asarray((self._features**2).sum(axis=2), np.float32)

    @cached_property
    def _weights(self) -> NDArray[np.float32]:
        """How much each cell counts (2, G): by how much the faces differ there."""
        spread = feature_spread(self._features.transpose(3, 0, 1, 2))
        return np.asarray(spread[:, :, 0] * self.grid.weights.ravel(), np.float32)

    def scores(self, tones: ImageBGR, visible: BoolArray) -> FloatArray:
        """Return the correlation (N, K, 2) of tones (N, G, 3) with all faces where visible (N, G).

        Upright, and turned by half.
        """
        seen = np.asarray(cell_features(tones, self.grid), np.float32)
        scores = np.zeros((len(seen), self._features.shape[-1]), np.float32)
        for part, (faces, squares) in enumerate(zip(self._features, self._squares, strict=True)):
            share = visible * self._weights[part]
            share = share / np.maximum(share.sum(axis=1, keepdims=True), 1e-9)
            common, own, theirs = np.zeros_like(scores), np.zeros((len(seen), 1)), share @ squares
            for channel in range(seen.shape[-1]):
                away = seen[:, part, :, channel]
                away = away - (share * away).sum(axis=1, keepdims=True)
                face = faces[:, channel]
                common += (share * away) @ face
                own = own + (share * away**2).sum(axis=1, keepdims=True)
                theirs -= (share @ face) ** 2
            scores += common / np.sqrt(np.maximum(own * theirs, 1e-9)) / len(self._features)
        return np.asarray(
            scores.reshape(len(seen), 2, scores.shape[1] // 2).swapaxes(1, 2), np.float64
        )

    def compare(self, tones: ImageBGR, visible: BoolArray) -> VisibleScores:
        """Compare tones (N, G, 3) of cards with all faces where they are visible (N, G)."""
        scores = self.scores(tones, visible)
        k, rows, by_face = scores.shape[1], np.arange(len(scores)), scores.max(axis=2)
        best, top = by_face.argmax(axis=1), by_face.max(axis=1)
        turned = np.asarray(scores[rows, best].argmax(axis=1) == 1, np.bool_)
        by_face[rows, best] = -1.0
        leads = top - by_face.max(axis=1) if k > 1 else top
        return VisibleScores(top, leads, best, turned)


@lru_cache(maxsize=8)
def visible_faces(faces: Faces, *, fine: bool = False) -> VisibleFaces:
    """Prepare the faces of a deck, on the coarse or the fine grid; the last eight are cached."""
    return VisibleFaces(faces, fine_grid(faces) if fine else coarse_grid(faces))
