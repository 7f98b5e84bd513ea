"""A card and faces laid over it -> in how many parts of it they agree, each part for itself.

One correlation over a whole card is high wherever two faces share a frame, a border and a sky. Of
the very face, each block of the picture shows the same detail; a stranger's blocks agree by chance
alone. So blocks are witnesses that hardly depend on each other, and their mean tells far more, of
pictures that are full of detail. Blocks without any, as the paper of a plain card, tell nothing.
"""

from dataclasses import dataclass

import numpy as np

from vision.seeing.faces.softened import Tones
from vision.values.arrays import FloatArray

__all__ = ["AgreeingSettings", "agreement"]


@dataclass(frozen=True, slots=True)
class AgreeingSettings:
    """What a block is."""

    cells: int = 8  # a side, of 48 to a card's width: some strokes, and many blocks
    least_share: float = 1 / 3  # of its cells that count: less is no block
    detail: float = 0.015  # of the brightness: deviation of a face's tones; less is noise
    most: float = 0.99  # correlation that counts


def agreement(
    seen: Tones, faces: Tones, weights: Tones, settings: AgreeingSettings | None = None
) -> FloatArray:
    """Return how well (F,) the blocks of a card agree with those of faces laid over it.

    Fisher's z (the inverse hyperbolic tangent) of their correlations, in the mean over all blocks,
    0 for those in which the face has no detail.

    Parameters
    ----------
    seen : (H, W) float32
        The card's lightness, as shares of its brightness.
    faces : (F, H, W) float32
        What the card would show of each face.
    weights : (H, W) float32
        0 where nothing is compared.

    References
    ----------
    .. [1] Fisher, On the Probable Error of a Coefficient of Correlation, 1921.
    """
    s = settings or AgreeingSettings()
    held = _blocks(weights, s.cells)
    counts = held.sum(axis=1) >= s.least_share * s.cells**2
    if not counts.any():
        return np.zeros(len(faces))
    share = held[counts] / held[counts].sum(axis=1, keepdims=True)
    card = _centred(_blocks(seen, s.cells)[counts], share)
    own = _centred(_blocks(faces, s.cells)[:, counts], share)
    spread, its = (own**2 * share).sum(axis=-1), (card**2 * share).sum(axis=-1)
    alike = (own * card * share).sum(axis=-1) / np.sqrt(np.maximum(spread * its, 1e-12))
    told = np.arctanh(np.clip(alike, -s.most, s.most))
    return np.asarray(np.where(spread > s.detail**2, told, 0.0).mean(axis=1), np.float64)


def _blocks(picture: Tones, cells: int) -> Tones:
    """Cut pictures (..., H, W) into whole blocks (..., B, cells²), from their middle outwards."""
    rows, columns = (n // cells for n in picture.shape[-2:])
    top, left = (
        (n - k * cells) // 2 for n, k in zip(picture.shape[-2:], (rows, columns), strict=True)
    )
    whole = picture[..., top : top + rows * cells, left : left + columns * cells]
    ahead = whole.shape[:-2]
    parts = whole.reshape(*ahead, rows, cells, columns, cells).swapaxes(-3, -2)
    return np.asarray(parts.reshape(*ahead, rows * columns, cells * cells), np.float32)


def _centred(blocks: Tones, share: Tones) -> Tones:
    """Take from blocks (..., B, C) their weighted means."""
    return np.asarray(blocks - (blocks * share).sum(axis=-1, keepdims=True), np.float32)
