"""Detects cards whose size differs from that of most others: their cut may follow a shadow.

A shadow makes a cut 1 to 2 mm too wide on a side or two, and has an edge as clear as a card's. One
plane for all cards gives way to such cuts: it tilts until they fit nearly as well as the others.
Planes of three cards each do not, where those three are cut well.
"""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from vision.seeing.estimation.model import Solution
from vision.seeing.estimation.plane import poses_on_plane
from vision.values.arrays import BoolArray, FloatArray

__all__ = ["odd_sizes"]

_ON_A_PLANE = 3  # cards: two leave its tilt to noise
_PLANES = 30  # compared, 8 ms each: one is of well cut cards alone if half are (95 %)
_SPREADS = 5.0  # times the median misfit; seen: 2.2 in photos of flat cards, 30 and more at shadows
_LEAST = 0.005  # of the shorter side, 0.3 mm: a card that is off by that at a corner is cut well


def odd_sizes(
    plane_of: Callable[[FloatArray], Solution], cards: FloatArray, size_mm: tuple[float, float]
) -> BoolArray:
    """Detect cards whose size differs from that of most others by more than those differ.

    Parameters
    ----------
    plane_of : callable
        Estimates camera and plane from the corners (K, 4, 2) of some cards.
    cards : (N, 4, 2) float64
        Corners, photo frame.
    size_mm : (float, float)
        Width and height of a card.

    Returns
    -------
    (N,) bool
        False for all of three cards and fewer: no plane of some tells of another.
    """
    if len(cards) <= _ON_A_PLANE:
        return np.zeros(len(cards), np.bool_)
    sets = np.array(list(combinations(range(len(cards)), _ON_A_PLANE)))
    if len(sets) > _PLANES:
        sets = sets[np.random.default_rng(0).choice(len(sets), _PLANES, replace=False)]
    misfits = [poses_on_plane(plane_of(cards[one]), cards, size_mm)[1] for one in sets]
    half = max(_ON_A_PLANE, (len(cards) + 1) // 2)
    best = min(misfits, key=lambda misfit: float(np.sort(misfit)[half - 1]))
    usual = float(np.sort(best)[half - 1])
    return np.asarray(best > max(_SPREADS * usual, _LEAST * min(size_mm)))
