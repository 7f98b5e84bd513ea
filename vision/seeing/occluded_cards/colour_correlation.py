"""What shows of cards, and faces -> how alike they are, whatever light lies over them."""

import numpy as np

from vision.values.arrays import BoolArray, FloatArray

__all__ = ["colour_correlation"]


def colour_correlation(
    seen: FloatArray, faces: FloatArray, colour: float, visible_mask: BoolArray | None = None
) -> FloatArray:
    """Return the correlations (N,) of what is seen (N or 1, P, 3) with faces (N or 1, P, 3).

    Each channel is taken from its mean over the places that are shown (N, P), the colours with a
    weight: so a veil, and how strong colours are, count for nothing.
    """
    places = (
        np.ones((1, seen.shape[1])) if visible_mask is None else visible_mask.astype(np.float64)
    )
    count = np.maximum(places.sum(axis=1), 1)
    weights = np.array([1.0, colour, colour])
    one, other = (_centred(v, places, count) * weights for v in (seen, faces))
    both = np.einsum("npc,npc->n", one, other)
    power = [np.einsum("npc,npc->n", v, v) for v in (one, other)]
    return np.asarray(both / np.sqrt(np.maximum(power[0] * power[1], 1e-12)), np.float64)


def _centred(seen: FloatArray, places: FloatArray, count: FloatArray) -> FloatArray:
    """Return tones (N, P, 3) from their mean over the places that are shown, (N or 1, P)."""
    visible_mask = seen * places[..., None]
    mean = (places[:, None] @ seen) / count[:, None, None]
    return np.asarray(visible_mask - mean * places[..., None], np.float64)
