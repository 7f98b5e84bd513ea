"""Pictures and names of a deck -> what looks like a mistake in them: said when it is learned."""

import itertools
import re
from collections import Counter
from collections.abc import Collection, Mapping

import numpy as np

from calibration.learned.margins import find_margins
from vision.values.arrays import FloatArray, ImageBGR

__all__ = ["has_wide_margin", "mirrored_pairs", "missing_names"]

_MIRRORED = 0.95  # correlation of a face and another's mirror image
_ITSELF = 0.9  # of a face and its own mirror image: above, mirroring tells nothing of it
_WIDE = 0.09  # of the shorter side, all round: borders of cards have 3 to 4 mm, 0.06
_WHITE = 190  # tone of its darkest channel: paper, scanned
_STEP_MM = 0.7  # behind the margin's end: its edge's own blur lies before
_UNLIKE = 22.0  # tones from the margin's colour
_EDGED = 0.8  # of a side, along which a card must begin there: what is drawn on paper does not

_WORDS = re.compile(r"(\d+|[^\W\d_]+)")
_COMMON = 0.4  # of the usual count of a word at its place in names: rarer ones are no row of a grid
_FILLED = 0.5  # of a grid, else it is none
_LEAST_GRID = 9  # names
_MOST_OF = 0.7  # of all names must be of the grid


def mirrored_pairs(
    names: tuple[tuple[str, ...], ...], cells: FloatArray
) -> tuple[tuple[str, str], ...]:
    """Return the cards whose pictures are mirror images of each other.

    Parameters
    ----------
    names : K tuples of str
        The cards that show each face.
    cells : (K, h, w, 3) float64
        Mean tones of each face's cells.
    """
    flat = _unit(cells)
    ways = [_unit(cells[:, :, ::-1]), _unit(cells[:, ::-1])]
    like = np.max([flat @ way.T for way in ways], axis=0)
    is_told = np.diag(like) < _ITSELF
    close = np.triu(like > _MIRRORED, 1) & (flat @ flat.T < like - 0.05)
    close &= is_told[:, None] & is_told[None]
    pairs = ((names[a][0], names[b][0]) for a, b in np.argwhere(close))
    return tuple(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))


def _unit(cells: FloatArray) -> FloatArray:
    """Return each face's tones less their mean as a vector of length 1 (K, C)."""
    flat = cells.reshape(len(cells), -1)
    flat = flat - flat.mean(axis=1, keepdims=True)
    return np.asarray(flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-6))


def has_wide_margin(face: ImageBGR, px_per_mm: float) -> bool:
    """Tell whether a picture (H, W, 3) shows a card with white paper round it, not cut to it.

    Of a white card with something drawn in its middle the margin does not end all along a line.
    """
    margins = find_margins(face, px_per_mm)
    if margins.min() < _WIDE * min(face.shape[:2]) / px_per_mm:
        return False
    left, top, right, bottom = np.ceil((margins + _STEP_MM) * px_per_mm).astype(int)
    tone = np.median(face[: max(1, top // 2)].reshape(-1, 3), axis=0)
    inner = np.abs(face[top : len(face) - bottom, left : face.shape[1] - right] - tone).max(axis=2)
    if tone.min() < _WHITE or not inner.size:
        return False
    sides = (inner[0], inner[-1], inner[:, 0], inner[:, -1])
    return all(float((side > _UNLIKE).mean()) > _EDGED for side in sides)


def missing_names(names: Collection[str]) -> tuple[str, ...]:
    """Return the names that are missing from a grid which most names form: of suits and ranks.

    Examples
    --------
    >>> missing_names(["2h", "3h", "4h", "2d", "3d", "4d", "2s", "4s", "2c", "3c"])
    ('3s', '4c')
    """
    ways = (
        {name: tuple(_WORDS.split(name)) for name in names},
        {name: (name[:-1], name[-1:]) for name in names},
        {name: (name[:1], name[1:]) for name in names},
    )
    return max((_holes(parts) for parts in ways), key=lambda grid: grid[0])[1]


def _holes(parts: Mapping[str, tuple[str, ...]]) -> tuple[int, tuple[str, ...]]:
    """Return how many names form a grid of the words they are made of, and which are missing."""
    lengths = Counter(len(part) for part in parts.values())
    if not lengths:
        return 0, ()
    usual = lengths.most_common(1)[0][0]
    rows = [part for part in parts.values() if len(part) == usual]
    for _ in range(usual):  # a word that is rare at its place may have made others look common
        counts = [Counter(column) for column in zip(*rows, strict=True)]
        least = [_COMMON * len(rows) / len(count) for count in counts]
        kept = [
            row for row in rows if all(counts[k][word] >= least[k] for k, word in enumerate(row))
        ]
        if len(kept) == len(rows):
            break
        rows = kept
    columns = [tuple(dict.fromkeys(column)) for column in zip(*rows, strict=True)]
    whole = int(np.prod([len(column) for column in columns])) if columns else 0
    is_grid = sum(len(column) > 1 for column in columns) > 1 and whole >= _LEAST_GRID
    if not is_grid or len(rows) < max(_FILLED * whole, _MOST_OF * len(parts)):
        return 0, ()
    whole_grid = {"".join(row) for row in itertools.product(*columns)}
    return len(rows), tuple(sorted(whole_grid - set(parts)))
