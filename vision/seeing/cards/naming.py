"""All matches together -> which card each is: every card lies on the table once at most.

One-to-one assignment settles what a single best match cannot; where two places want the same card
and neither has a real alternative, that is said, not smoothed over.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from vision.values.arrays import FloatArray, IntArray

__all__ = ["IdentifySettings", "Identities", "assign_cards"]


_FORBIDDEN_COST = 3.0  # an allowed face costs 1 - score, at most 2


@dataclass(frozen=True, slots=True)
class IdentifySettings:
    """When a match is believed; correlations of local contrast (ray-traced photos, 400 cards)."""

    accept: float = 0.28  # cards of other games reach 0.24, faces under counters 0.35
    sure_score: float = 0.36  # below, a name needs a larger lead not to be doubtful; a second
    # best face needs it to be named at all
    large_lead: float = 0.15  # cards of other games reach 0.1
    slack: float = 0.12  # an alternative this much below the best may still be the card
    abstain_lead: float = 0.04  # below this lead over every face still free: unreadable
    sure_lead: float = 0.08  # below this: named, and doubtful
    covered: float = 0.60  # a face that shows less than this may be named by elimination


@dataclass(frozen=True, slots=True)
class Identities:
    """What each place holds.

    ``face`` is the index of the face or -1 (unreadable); ``doubled`` maps a place to the face it
    shows although another place shows it better; ``doubtful`` are named places with a small lead.
    """

    face: tuple[int, ...]
    doubled: dict[int, int]
    doubtful: tuple[int, ...]


def assign_cards(
    scores: FloatArray,
    visible: FloatArray,
    kinds: IntArray | None = None,
    settings: IdentifySettings | None = None,
) -> Identities:
    """Assign faces to places one to one.

    Parameters
    ----------
    scores : (N, K) float64
        The correlation of each place with each face, the better of both turns.
    visible : (N,) float64
        The share of each face that shows.
    kinds : (K,) int, optional
        Faces of one kind play alike: between two of them the better is named, as doubtful, where
        otherwise nothing would be. Left out, each is of its own kind.
    """
    settings = settings or IdentifySettings()
    n, k = scores.shape if scores.size else (len(scores), 0)
    if n == 0 or k == 0:
        return Identities((-1,) * n, {}, ())
    best = scores.argmax(axis=1)
    face, eliminated = _eliminate(_best_assignment(scores, settings), scores, visible, settings)
    empty = np.flatnonzero((face < 0) & (scores.max(axis=1) >= settings.accept))
    kinds = np.arange(k) if kinds is None else kinds
    face, second = _second_best(face, scores, eliminated, settings)
    face, doubtful = _abstain(face, scores, kinds, settings)
    doubled = {int(i): int(best[i]) for i in empty if best[i] in face}
    doubtful |= {i for i in eliminated | second if face[i] >= 0}
    doubtful |= _poor(face, scores, settings)
    return Identities(tuple(int(f) for f in face), doubled, tuple(sorted(doubtful)))


def _best_assignment(scores: FloatArray, settings: IdentifySettings) -> IntArray:
    """Return the face (N,) of each place that makes the sum of scores largest; -1 for none."""
    n, k = scores.shape
    best = scores.max(axis=1)
    allowed = (scores >= settings.accept) & (scores >= best[:, None] - settings.slack)
    cost = np.full((n, k + n), _FORBIDDEN_COST)  # faces, then "empty" for each place
    cost[:, :k][allowed] = 1 - scores[allowed]
    cost[np.arange(n), k + np.arange(n)] = 1 - settings.accept  # a poor name may displace none
    rows, columns = linear_sum_assignment(cost)
    face = np.full(n, -1)
    for i, j in zip(rows, columns, strict=True):
        if j < k and allowed[i, j]:
            face[i] = j
    return face


def _eliminate(
    face: IntArray, scores: FloatArray, visible: FloatArray, settings: IdentifySettings
) -> tuple[IntArray, set[int]]:
    """Name covered cards whose best face lies elsewhere by what else they could be, surest first.

    Returns the faces (N,), and the places so named.
    """
    face, named = face.copy(), set()
    open_places = {int(i) for i in np.flatnonzero((face < 0) & (visible < settings.covered))}
    while open_places:
        left = np.where(np.isin(np.arange(scores.shape[1]), face), -1.0, scores)
        i = max(open_places, key=lambda place: float(left[place].max()))
        first = int(left[i].argmax())
        if left[i, first] < settings.accept:
            break
        open_places.remove(i)
        if _lead(left[i], first) >= settings.sure_lead:
            face[i] = first
            named.add(i)
    return face, named


def _second_best(
    face: IntArray, scores: FloatArray, eliminated: set[int], settings: IdentifySettings
) -> tuple[IntArray, set[int]]:
    """Take back poor names of places whose best face lies elsewhere.

    Returns the faces (N,), and the places so named that keep their name.
    """
    face = face.copy()
    second = set(np.flatnonzero((face >= 0) & (face != scores.argmax(axis=1))).tolist())
    second -= eliminated
    poor = [i for i in second if scores[i, face[i]] < settings.sure_score]
    face[poor] = -1
    return face, second - set(poor)


def _abstain(
    face: IntArray, scores: FloatArray, kinds: IntArray, settings: IdentifySettings
) -> tuple[IntArray, set[int]]:
    """Take back names that hardly lead over the free faces of other kinds, until none is left.

    Each that is taken back frees a face, which may be another's rival. Returns the faces (N,),
    and the places that keep a name with a small lead.
    """
    while True:
        taken = np.isin(np.arange(scores.shape[1]), face)
        leads, kind_leads = {}, {}
        for i in np.flatnonzero(face >= 0):
            rivals = np.where(taken, -1.0, scores[i])
            rivals[face[i]] = scores[i, face[i]]
            leads[int(i)] = _lead(rivals, int(face[i]))
            alike = kinds == kinds[face[i]]
            rivals[alike] = -1.0
            rivals[face[i]] = scores[i, face[i]]
            kind_leads[int(i)] = _lead(rivals, int(face[i]))
        weak = [
            i
            for i, lead in leads.items()
            if lead < settings.abstain_lead
            and (kind_leads[i] < settings.sure_lead or kind_leads[i] <= lead)
        ]
        if not weak:
            return face, {i for i, lead in leads.items() if lead < settings.sure_lead}
        face = face.copy()
        face[weak] = -1


def _poor(face: IntArray, scores: FloatArray, settings: IdentifySettings) -> set[int]:
    """Return the places named by a poor score that does not lead by much."""
    named = np.flatnonzero(face >= 0)
    return {
        int(i)
        for i in named
        if scores[i, face[i]] < settings.sure_score
        and _lead(scores[i], int(face[i])) < settings.large_lead
    }


def _lead(scores: FloatArray, face: int) -> float:
    """Return by how much a face beats the next."""
    others = np.delete(scores, face)
    return float(scores[face] - others.max()) if others.size else float("inf")
