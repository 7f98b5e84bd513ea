"""How alike cards are to faces -> which card is which, each as often as the deck holds it."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from vision.values.arrays import BoolArray, FloatArray, IntArray

__all__ = ["Naming", "NamingSettings", "name_cards"]

_EMPTY_COST, _FORBIDDEN_COST = 2.0, 3.0  # an allowed face costs 1 - score, at most 2


@dataclass(frozen=True, slots=True)
class NamingSettings:
    """When a match is believed; correlations (ray-traced photos of decks of four kinds)."""

    accept: float = 0.40
    evidence: float = 0.82  # score and half the visible share; cards not of the deck: below 0.75
    slack: float = 0.10  # an alternative this much below the best may still be the card
    abstain_lead: float = 0.015  # twins in real photos: 1 of 111 led wrongly, by 0.002
    sure_lead: float = 0.04  # below this: named, and doubtful


@dataclass(frozen=True, slots=True, eq=False)
class Naming:
    """What each of N places holds.

    ``face`` (N,) is the index of the face or -1; ``copy`` (N,) which of the cards that show it,
    from 0; ``doubtful`` (N,) tells named places with a small lead; ``spare`` maps a place to the
    face it shows although all cards with that face lie elsewhere.
    """

    face: IntArray
    copy: IntArray
    doubtful: BoolArray
    spare: dict[int, int]


def name_cards(
    scores: FloatArray,
    visible: FloatArray,
    copies: IntArray,
    settings: NamingSettings | None = None,
) -> Naming:
    """Assign faces to places, so that the sum of scores is largest.

    Parameters
    ----------
    scores : (N, K) float64
        How alike each place is to each face; -1 where that was not worth a look.
    visible : (N,) float64
        The share of the best face's print that shows.
    copies : (K,) int
        How many cards of the deck show each face.
    """
    s = settings or NamingSettings()
    n, k = len(scores), len(copies)
    face, copy = np.full(n, -1), np.zeros(n, np.int64)
    if not n or not k:
        return Naming(face, copy, np.zeros(n, bool), {})
    best = scores.max(axis=1)
    allowed = (scores >= s.accept) & (scores >= best[:, None] - s.slack)
    allowed &= scores + 0.5 * visible[:, None] >= s.evidence
    wanted = np.flatnonzero(allowed.any(axis=0))
    column_face = np.repeat(wanted, copies[wanted])
    cost = np.full((n, len(column_face) + n), _FORBIDDEN_COST)
    ok = allowed[:, column_face]
    cost[:, : len(column_face)][ok] = (1 - scores[:, column_face])[ok]
    cost[np.arange(n), len(column_face) + np.arange(n)] = _EMPTY_COST
    for i, j in zip(*linear_sum_assignment(cost), strict=True):
        if j < len(column_face) and ok[i, j]:
            face[i] = column_face[j]
    spare = {
        int(i): int(scores[i].argmax())
        for i in np.flatnonzero((face < 0) & allowed.any(axis=1))
        if (face == scores[i].argmax()).sum() >= copies[scores[i].argmax()]
    }
    face, doubtful = _abstain(face, scores, copies, s)
    for f in np.unique(face[face >= 0]):
        places = np.flatnonzero(face == f)
        copy[places] = np.arange(len(places))
    return Naming(face, copy, doubtful, spare)


def _abstain(
    face: IntArray, scores: FloatArray, copies: IntArray, s: NamingSettings
) -> tuple[IntArray, BoolArray]:
    """Take back names that hardly lead over the faces still free, until none is left."""
    face = face.copy()
    while True:
        used = np.bincount(face[face >= 0], minlength=len(copies))
        leads = np.full(len(face), np.inf)
        for i in np.flatnonzero(face >= 0):
            rivals = np.where(used < copies, scores[i], -1.0)
            rivals[face[i]] = -1.0
            leads[i] = scores[i, face[i]] - rivals.max()
        weak = leads < s.abstain_lead
        if not weak.any():
            return face, np.asarray(leads < s.sure_lead)
        face[weak] = -1
