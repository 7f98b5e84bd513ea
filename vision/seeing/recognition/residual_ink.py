"""A card and faces laid over it -> the ink of the card that no face explains, and what it lacks.

A card whose face the deck lacks is most like a twin of it, and over the whole card the two differ
little: by one pip of eight. So each block is compared for itself, in a light and a contrast of its
own: glare and shade pale all ink of a block, and leave its pattern. What is dark there and nowhere
in the face is unexplained; what is dark in the face, and not in the card, is missing.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.seeing.recognition.smoothing import Tones
from vision.values.arrays import FloatArray

__all__ = ["ResidualInkSettings", "residual_ink"]


@dataclass(frozen=True, slots=True)
class ResidualInkSettings:
    """What a block is; lengths in cells."""

    cells: int = 8  # a side, of 48 to a card's width: a pip and some paper, and many blocks
    least_share: float = 1 / 3  # of its cells that count: less is no block
    inset: int = 2  # left out along the edge, of what counts: a pose so far off shows the cloth
    noise: float = 0.01  # of the brightness: deviation of tones from which a contrast is told


def residual_ink(
    seen: Tones, faces: Tones, weights: Tones, settings: ResidualInkSettings | None = None
) -> FloatArray:
    """Return the darkest ink (F, 2) of a card beyond each face, and of the face beyond the card.

    Shares of the brightness, of the worst cell of all blocks; 0 where no block counts.

    Parameters
    ----------
    seen : (H, W) float32
        The card's lightness, softened, as shares of its brightness.
    faces : (F, H, W) float32
        What the card would show of each face, likewise.
    weights : (H, W) float32
        0 where nothing is compared.
    """
    s = settings or ResidualInkSettings()
    around = np.ones((2 * s.inset + 1,) * 2, np.uint8)
    inner = cv2.erode(weights, around, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    held = _blocks(np.asarray(inner, np.float32), s.cells)
    counts = held.sum(axis=1) >= s.least_share * s.cells**2
    if not counts.any():
        return np.zeros((len(faces), 2))
    share = held[counts] / held[counts].sum(axis=1, keepdims=True)
    card = _centred(_blocks(seen, s.cells)[counts], share)
    own = _centred(_blocks(faces, s.cells)[:, counts], share)
    common = np.maximum((own * card * share).sum(axis=-1, keepdims=True), 0)

    def beyond(ink: Tones, other: Tones) -> FloatArray:
        """Return how dark the ink (..., B, C) of a block is beyond the other's, at its contrast."""
        contrast = common / ((other**2 * share).sum(axis=-1, keepdims=True) + s.noise**2)
        left = np.where(share > 0, contrast * other - ink, 0.0)
        return np.asarray(left.max(axis=(-2, -1)), np.float64)

    return np.stack([beyond(card, own), beyond(own, card)], axis=-1)


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
