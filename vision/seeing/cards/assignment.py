"""All matches together -> which card each is, each as often as the deck holds it.

One-to-one assignment settles what a single best match cannot; where two places want the same card
and neither has a real alternative, that is said, not smoothed over.
"""

from dataclasses import dataclass

import numpy as np

from vision.seeing.values import Identities
from vision.values.arrays import BoolArray, FloatArray, IntArray

__all__ = [
    "AssignmentSettings",
    "PosteriorAssignmentSettings",
    "assign_by_posterior",
    "assign_cards",
    "solve_assignment",
]

_FORBIDDEN_COST = 3.0  # an allowed face costs 1 - score, at most 2


@dataclass(frozen=True, slots=True)
class AssignmentSettings:
    """When a match is believed; correlations of local contrast (ray-traced photos, 400 cards)."""

    accept: float = 0.28  # cards of other games reach 0.24, faces under counters 0.35
    evidence: float = -1.0  # score and half the visible share
    sure_score: float = 0.36  # below, a name needs a larger lead not to be doubtful; a second
    # best face needs it to be named at all
    large_lead: float = 0.15  # cards of other games reach 0.1
    slack: float = 0.12  # an alternative this much below the best may still be the card
    abstain_lead: float = 0.04  # below this lead over every face still free: unreadable
    sure_lead: float = 0.08  # below this: named, and doubtful
    covered: float = 0.60  # a face that shows less than this may be named by elimination
    veiled: float = 0.7  # lightness of what is printed dark: light lies over the card, and takes
    veiled_score: float = 0.6  # hues away; read worse than this, it needs the large lead too
    clear_score: float = 0.45  # some card must be read as well as this, with the lead:
    clear_lead: float = 0.08  # a photo without one is no table of this deck


@dataclass(frozen=True, slots=True)
class PosteriorAssignmentSettings:
    """When a face that is likely is believed; chances unless said."""

    sure: float = 0.995  # below: named, and doubtful
    named: float = 0.5  # below, another is as likely: unreadable
    worth: float = 1e-3  # of a face that a place may be given where likelier ones lie elsewhere
    floor: float = 0.05  # of something else, where they do: two cards may be of two decks
    clear_score: float = 0.5  # correlation; some card that is sure must be read as well as this:
    # a photo without one is no table of this deck, unless
    registered_score: float = (
        0.74  # correlation; some card that is named, if in doubt, agrees so well with its
    )
    # face where that was laid over it: one card alone, of another printing. Other games' cards
    # that were likelier than not reached 0.71, on 772 readings


def assign_cards(
    scores: FloatArray,
    visible: FloatArray,
    copies: IntArray | None = None,
    kinds: IntArray | None = None,
    settings: AssignmentSettings | None = None,
) -> Identities:
    """Assign faces to places, each as often as the deck holds it.

    Parameters
    ----------
    scores : (N, K) float64
        The correlation of each place with each face, the better of both turns.
    visible : (N,) float64
        The share of each face that shows.
    copies : (K,) int, optional
        How many cards show each face; one, if left out.
    kinds : (K,) int, optional
        Faces of one kind play alike: between two of them the better is named, as doubtful, where
        otherwise nothing would be. Left out, each is of its own kind.
    """
    settings = settings or AssignmentSettings()
    n, k = scores.shape if scores.size else (len(scores), 0)
    if n == 0 or k == 0:
        return Identities((-1,) * n, {}, ())
    copies = np.ones(k, np.int64) if copies is None else copies
    best = scores.argmax(axis=1)
    allowed = (scores >= settings.accept) & (scores >= scores.max(axis=1)[:, None] - settings.slack)
    allowed &= scores + 0.5 * visible[:, None] >= settings.evidence
    face = _best_assignment(scores, allowed, copies, settings)
    face, eliminated = _eliminate(face, scores, visible, copies, settings)
    empty = np.flatnonzero((face < 0) & allowed.any(axis=1))
    kinds = np.arange(k) if kinds is None else kinds
    face, second = _withdraw_second_best(face, scores, eliminated, settings)
    face, doubtful = _abstain(face, scores, copies, kinds, settings)
    doubled = {int(i): int(best[i]) for i in empty if (face == best[i]).sum() >= copies[best[i]]}
    doubtful |= {i for i in eliminated | second if face[i] >= 0}
    doubtful |= _poorly_scored(face, scores, settings)
    return Identities(tuple(int(f) for f in face), doubled, tuple(sorted(doubtful)))


def assign_by_posterior(
    posterior: FloatArray,
    scores: FloatArray,
    copies: IntArray,
    registered_score: FloatArray | None = None,
    settings: PosteriorAssignmentSettings | None = None,
) -> Identities:
    """Name places by how likely each face is, where faces may lie there only so often.

    Parameters
    ----------
    posterior : (N, K) float64
        How likely each place shows each face; what is lacking of 1 is no card of the deck.
    scores : (N,) float64
        The correlation of each place with its best face.
    copies : (K,) int
        How many cards may show each face.
    registered_score : (N,) float64, optional
        The correlation of each place with its likeliest face laid over it.

    Returns
    -------
    Identities
        None is named if no place is read clearly and surely shows some face, or agrees well with
        one that is likelier than all else.
    """
    s = settings or PosteriorAssignmentSettings()
    n, k = posterior.shape if posterior.size else (len(posterior), 0)
    if n == 0 or k == 0:
        return Identities((-1,) * n, {}, ())
    best, top = posterior.argmax(axis=1), posterior.max(axis=1)
    is_clear = (posterior.sum(axis=1) >= s.sure) & (scores > s.clear_score)
    if registered_score is not None:
        is_clear |= (top >= s.named) & (registered_score > s.registered_score)
    if not is_clear.any():
        return Identities((-1,) * n, {}, ())
    face = _max_posterior(posterior, copies, s)
    taken = _are_used_up(face, copies)
    doubled, doubtful = {}, set()
    for i in range(n):
        f = int(face[i])
        likely = top[i]
        if f != best[i]:  # what is likelier lies elsewhere, as often as the deck has it
            free = ~taken
            free[f] = free[f] or f >= 0
            likely = 0.0 if f < 0 else posterior[i, f] / (posterior[i, free].sum() + s.floor)
        if likely < s.named:
            face[i] = -1
            if taken[best[i]] and top[i] >= s.named:
                doubled[i] = int(best[i])
        elif likely < s.sure or f != best[i]:
            doubtful.add(i)
    lying = set(face[face >= 0].tolist())
    doubled = {i: f for i, f in doubled.items() if f in lying}
    return Identities(tuple(face.tolist()), doubled, tuple(sorted(doubtful)))


def _max_posterior(
    posterior: FloatArray, copies: IntArray, s: PosteriorAssignmentSettings
) -> IntArray:
    """Return the face (N,) of each place that makes all together likeliest; -1 for none."""
    n = len(posterior)
    wanted = np.flatnonzero((posterior > s.worth).any(axis=0))
    of_column = np.repeat(wanted, np.minimum(copies[wanted], n))
    likely = np.maximum(posterior[:, of_column], 1e-12)
    none = np.maximum(1 - posterior.sum(axis=1), s.worth)
    cost = np.full((n, len(of_column) + n), -np.log(1e-12) * 2)
    cost[:, : len(of_column)] = -np.log(likely)
    cost[np.arange(n), len(of_column) + np.arange(n)] = -np.log(none)
    face = np.full(n, -1)
    for i, j in enumerate(solve_assignment(cost).tolist()):
        if j < len(of_column):
            face[i] = of_column[j]
    return face


def _best_assignment(
    scores: FloatArray, allowed: BoolArray, copies: IntArray, settings: AssignmentSettings
) -> IntArray:
    """Return the face (N,) of each place that makes the sum of scores largest; -1 for none."""
    n = len(scores)
    wanted = np.flatnonzero(allowed.any(axis=0))
    of_column = np.repeat(wanted, np.minimum(copies[wanted], n))
    k = len(of_column)
    cost = np.full((n, k + n), _FORBIDDEN_COST)  # faces, then "empty" for each place
    ok = allowed[:, of_column]
    cost[:, :k][ok] = (1 - scores[:, of_column])[ok]
    cost[np.arange(n), k + np.arange(n)] = 1 - settings.accept  # a poor name may displace none
    face = np.full(n, -1)
    for i, j in enumerate(solve_assignment(cost).tolist()):
        if j < k and ok[i, j]:
            face[i] = of_column[j]
    return face


def _are_used_up(face: IntArray, copies: IntArray) -> BoolArray:
    """Tell which faces (K,) are named as often as the deck has them."""
    return np.asarray(np.bincount(face[face >= 0], minlength=len(copies)) >= copies)


def _eliminate(
    face: IntArray,
    scores: FloatArray,
    visible: FloatArray,
    copies: IntArray,
    settings: AssignmentSettings,
) -> tuple[IntArray, set[int]]:
    """Name covered cards whose best face lies elsewhere by what else they could be, surest first.

    Returns the faces (N,), and the places so named.
    """
    face, named = face.copy(), set()
    open_places = {int(i) for i in np.flatnonzero((face < 0) & (visible < settings.covered))}
    while open_places:
        left = np.where(_are_used_up(face, copies), -1.0, scores)
        i = max(open_places, key=lambda place: float(left[place].max()))
        first = int(left[i].argmax())
        if left[i, first] < settings.accept:
            break
        open_places.remove(i)
        if _lead(left[i], first) >= settings.sure_lead:
            face[i] = first
            named.add(i)
    return face, named


def _withdraw_second_best(
    face: IntArray, scores: FloatArray, eliminated: set[int], settings: AssignmentSettings
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
    face: IntArray,
    scores: FloatArray,
    copies: IntArray,
    kinds: IntArray,
    settings: AssignmentSettings,
) -> tuple[IntArray, set[int]]:
    """Take back names that hardly lead over the free faces of other kinds, until none is left.

    Each that is taken back frees a face, which may be another's rival. Returns the faces (N,),
    and the places that keep a name with a small lead.
    """
    while True:
        taken = _are_used_up(face, copies)
        leads, kind_leads = {}, {}
        for i in np.flatnonzero(face >= 0):
            rivals = np.where(taken, -1.0, scores[i])
            rivals[face[i]] = scores[i, face[i]]
            leads[int(i)] = _lead(rivals, int(face[i]))
            similarity = kinds == kinds[face[i]]
            rivals[similarity] = -1.0
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


def _poorly_scored(face: IntArray, scores: FloatArray, settings: AssignmentSettings) -> set[int]:
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


def solve_assignment(cost: FloatArray) -> IntArray:
    """Give each row a column of its own, of the least sum.

    Parameters
    ----------
    cost : (N, K) float64
        What it costs to give each row each column; finite, and K at least N.

    Returns
    -------
    (N,) int
        The column of each row.
    """
    if not len(cost):
        return np.zeros(0, np.int64)
    cheapest = cost.argmin(axis=1)
    if len(np.unique(cheapest)) == len(cheapest):  # no two want the same: most photos
        return np.asarray(cheapest, np.int64)
    # a fifth of a second goes before it is ready, which is as long as a photo takes
    from scipy.optimize import linear_sum_assignment

    return np.asarray(linear_sum_assignment(cost)[1], np.int64)
