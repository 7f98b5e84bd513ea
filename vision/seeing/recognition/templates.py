"""Pictures -> their normalised correlation with many templates, by one matrix product.

What is seen is neither centred nor weighted nor brought to unit length: the templates are, once,
with the same weights over again, and what is seen needs but its length in those terms, which
weighted sums of its values and their squares give.

References
----------
.. [1] Lewis, Fast Normalized Cross-Correlation, 1995.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.values.arrays import FloatArray

__all__ = ["Templates"]

_Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Templates:
    """T pictures of G places with C channels that others are compared with.

    Each channel counts relative to its weighted mean. The columns of ``sums`` (G C, T + 2 C) give
    the product with each template, the weighted mean of each channel, and its sum under squared
    weights; ``squared`` (G C,) are those weights, ``total`` (C,) their sums, and ``lengths`` (T,)
    those of the templates.
    """

    sums: _Values
    squared: _Values
    total: _Values
    lengths: FloatArray

    @classmethod
    def of(cls, pictures: _Values | FloatArray, weights: FloatArray) -> "Templates":
        """Take pictures (T, G, C), weighted place by place and channel by channel (G, C)."""
        t, _, c = pictures.shape
        share = weights / np.maximum(weights.sum(axis=0), 1e-9)
        centred = (pictures - (share * pictures).sum(axis=1, keepdims=True)) * weights
        lengths = np.sqrt((centred**2).sum(axis=(1, 2)))
        unit = centred / np.maximum(lengths, 1e-9)[:, None, None]
        products = weights * unit - share * (weights * unit).sum(axis=1, keepdims=True)
        channel = np.eye(c)[:, None]
        columns = np.concatenate([products, channel * share, channel * weights**2])
        sums = np.ascontiguousarray(columns.reshape(t + 2 * c, -1).T, np.float32)
        squared = (weights**2).astype(np.float32)
        return cls(sums, squared.ravel(), squared.sum(axis=0), lengths)

    def compare(self, seen: _Values) -> tuple[FloatArray, FloatArray]:
        """Return the correlation (N, T), -1..1, of what is seen (N, G, C), and its length (N,)."""
        flat = seen.reshape(len(seen), len(self.squared))
        t, c = len(self.lengths), len(self.total)
        products, means, held = np.split(flat @ self.sums, [t, t + c], axis=1)
        around = (means * (2 * held - means * self.total)).sum(axis=1)
        lengths = np.sqrt(np.maximum(np.square(flat) @ self.squared - around, 0))
        scores = products / np.maximum(lengths, np.float32(1e-9))[:, None]
        return scores.astype(np.float64), lengths.astype(np.float64)
