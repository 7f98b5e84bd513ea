"""Joint assignment of faces to cards, each face as often as the deck has it.

One-to-one assignment settles what a single best match cannot. Where two cards match the same face
and neither has a real alternative, the result says so.
"""

import numpy as np

from vision.seeing.values import LARGE_LEAD, LEAST_LEAD, PLAIN_SCORE, Identities
from vision.values.arrays import BoolArray, FloatArray, IntArray
from vision.values.assignment import solve_assignment
from vision.values.ledger import SURE

__all__ = [
    "SURE_LEAD",
    "VEILED",
    "assign_by_posterior",
    "assign_cards",
]

_FORBIDDEN_COST = 3.0  # an allowed face costs 1 - score, at most 2


# When a match is believed; correlations of local contrast (ray-traced photos, 400 cards).
_ACCEPT = 0.28  # cards of other games reach 0.24, faces under counters 0.35
_SURE_SCORE = 0.36  # below, a name needs a larger lead not to be doubtful,
# and below PLAIN_SCORE one where the deck may lack faces, or light veils the card;
_SURE_KIND = 0.55  # there below that over faces of other kinds: ships of a motif that the deck
# lacks reach 0.54, under light that takes the hues away names of the wrong team do
_SLACK = 0.12  # an alternative this much below the best may still be the card
SURE_LEAD = 0.08  # below this: named, and doubtful; a photo without one is no table of the deck
VEILED = 0.7  # lightness of what is printed dark: light lies over the card, and takes hues away


# When a face that is likely is believed; chances unless said.
_POSTERIOR_NAMED = 0.5  # below, another is as likely: unreadable
_POSTERIOR_WORTH = 1e-3  # of a face that a place may be given where likelier ones lie elsewhere
_POSTERIOR_FLOOR = 0.05  # of something else, where they do: two cards may be of two decks
_POSTERIOR_CLEAR_SCORE = 0.5  # correlation; some card that is sure must be read as well as this:
# a photo without one is no table of this deck, unless
# correlation; some card that is named, if in doubt, agrees so well with its face where that was
# laid over it: one card alone, of another printing. Other games' cards that were likelier than
# not reached 0.71, on 772 readings
_POSTERIOR_REGISTERED_SCORE = 0.74


def assign_cards(
    scores: FloatArray,
    copies: IntArray | None = None,
    kinds: IntArray | None = None,
    strict: BoolArray | None = None,
) -> Identities:
    """Assign faces to cards by score, each face as often as the deck has it.

    Parameters
    ----------
    scores : (N, K) float64
        The correlation of each place with each face, the better of both turns.
    copies : (K,) int, optional
        How many cards show each face; one, if left out.
    kinds : (K,) int, optional
        Faces of one kind play alike: between two of them the better is named, as doubtful, where
        otherwise nothing would be. Left out, each is of its own kind.
    strict : (N,) bool, optional
        Places whose name needs a better score, or a large lead: the deck may lack the card's face,
        or light takes its hues away. Left out, all.
    """
    n, k = scores.shape if scores.size else (len(scores), 0)
    if n == 0 or k == 0:
        return Identities((-1,) * n, {}, ())
    copies = np.ones(k, np.int64) if copies is None else copies
    best = scores.argmax(axis=1)
    allowed = (scores >= _ACCEPT) & (scores >= scores.max(axis=1)[:, None] - _SLACK)
    face = _best_assignment(scores, allowed, copies)
    empty = np.flatnonzero((face < 0) & allowed.any(axis=1))
    kinds = np.arange(k) if kinds is None else kinds
    face, doubtful = _abstain(face, scores, copies, kinds)
    doubled = {int(i): int(best[i]) for i in empty if (face == best[i]).sum() >= copies[best[i]]}
    doubtful |= set(np.flatnonzero((face >= 0) & (face != best)).tolist())
    strict = np.ones(n, np.bool_) if strict is None else strict
    doubtful |= _poorly_scored(face, scores, kinds, strict)
    return Identities(tuple(int(f) for f in face), doubled, tuple(sorted(doubtful)))


def assign_by_posterior(
    posterior: FloatArray,
    scores: FloatArray,
    copies: IntArray,
    registered_score: FloatArray | None = None,
) -> Identities:
    """Assign faces to cards by posterior, each face as often as the deck has it.

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
    n, k = posterior.shape if posterior.size else (len(posterior), 0)
    if n == 0 or k == 0:
        return Identities((-1,) * n, {}, ())
    best, top = posterior.argmax(axis=1), posterior.max(axis=1)
    is_clear = (posterior.sum(axis=1) >= SURE) & (scores > _POSTERIOR_CLEAR_SCORE)
    if registered_score is not None:
        is_clear |= (top >= _POSTERIOR_NAMED) & (registered_score > _POSTERIOR_REGISTERED_SCORE)
    if not is_clear.any():
        return Identities((-1,) * n, {}, ())
    face = _max_posterior(posterior, copies)
    taken = _are_used_up(face, copies)
    doubled, doubtful = {}, set()
    for i in range(n):
        f = int(face[i])
        likely = top[i]
        if f != best[i]:  # what is likelier lies elsewhere, as often as the deck has it
            free = ~taken
            free[f] = free[f] or f >= 0
            likely = (
                0.0 if f < 0 else posterior[i, f] / (posterior[i, free].sum() + _POSTERIOR_FLOOR)
            )
        if likely < _POSTERIOR_NAMED:
            face[i] = -1
            if taken[best[i]] and top[i] >= _POSTERIOR_NAMED:
                doubled[i] = int(best[i])
        elif likely < SURE or f != best[i]:
            doubtful.add(i)
    lying = set(face[face >= 0].tolist())
    doubled = {i: f for i, f in doubled.items() if f in lying}
    return Identities(tuple(face.tolist()), doubled, tuple(sorted(doubtful)))


def _max_posterior(posterior: FloatArray, copies: IntArray) -> IntArray:
    """Return the joint assignment (N,) of the highest posterior; -1 for none."""
    n = len(posterior)
    wanted = np.flatnonzero((posterior > _POSTERIOR_WORTH).any(axis=0))
    of_column = np.repeat(wanted, np.minimum(copies[wanted], n))
    likely = np.maximum(posterior[:, of_column], 1e-12)
    none = np.maximum(1 - posterior.sum(axis=1), _POSTERIOR_WORTH)
    cost = np.full((n, len(of_column) + n), -np.log(1e-12) * 2)
    cost[:, : len(of_column)] = -np.log(likely)
    cost[np.arange(n), len(of_column) + np.arange(n)] = -np.log(none)
    face = np.full(n, -1)
    for i, j in enumerate(solve_assignment(cost).tolist()):
        if j < len(of_column):
            face[i] = of_column[j]
    return face


def _best_assignment(scores: FloatArray, allowed: BoolArray, copies: IntArray) -> IntArray:
    """Return the assignment (N,) of the highest total score; -1 for none."""
    n = len(scores)
    wanted = np.flatnonzero(allowed.any(axis=0))
    of_column = np.repeat(wanted, np.minimum(copies[wanted], n))
    k = len(of_column)
    cost = np.full((n, k + n), _FORBIDDEN_COST)  # faces, then "empty" for each place
    ok = allowed[:, of_column]
    cost[:, :k][ok] = (1 - scores[:, of_column])[ok]
    cost[np.arange(n), k + np.arange(n)] = 1 - _ACCEPT  # a poor name may displace none
    face = np.full(n, -1)
    for i, j in enumerate(solve_assignment(cost).tolist()):
        if j < k and ok[i, j]:
            face[i] = of_column[j]
    return face


def _are_used_up(face: IntArray, copies: IntArray) -> BoolArray:
    """Return which faces (K,) are assigned as often as the deck has them."""
    return np.asarray(np.bincount(face[face >= 0], minlength=len(copies)) >= copies)


def _abstain(
    face: IntArray, scores: FloatArray, copies: IntArray, kinds: IntArray
) -> tuple[IntArray, set[int]]:
    """Withdraw names with a small lead over free faces of other kinds, until none is left.

    Each withdrawn name frees a face that may rival another name. Returns the faces (N,) and the
    cards that keep a name with a small lead.
    """
    while True:
        taken = _are_used_up(face, copies)
        leads, kind_leads = {}, {}
        for i in np.flatnonzero(face >= 0):
            rivals = np.where(taken, -1.0, scores[i])
            rivals[face[i]] = scores[i, face[i]]
            leads[int(i)] = _lead(rivals, int(face[i]))
            same_kind = kinds == kinds[face[i]]
            rivals[same_kind] = -1.0
            rivals[face[i]] = scores[i, face[i]]
            kind_leads[int(i)] = _lead(rivals, int(face[i]))
        weak = [
            i
            for i, lead in leads.items()
            if lead < LEAST_LEAD and (kind_leads[i] < SURE_LEAD or kind_leads[i] <= lead)
        ]
        if not weak:
            return face, {i for i, lead in leads.items() if lead < SURE_LEAD}
        face = face.copy()
        face[weak] = -1


def _poorly_scored(
    face: IntArray, scores: FloatArray, kinds: IntArray, strict: BoolArray
) -> set[int]:
    """Return the cards named with a poor score and without a large lead."""
    found = set()
    for i in np.flatnonzero(face >= 0).tolist():
        own = int(face[i])
        score, lead = scores[i, own], _lead(scores[i], own)
        is_poor = score < (PLAIN_SCORE if strict[i] else _SURE_SCORE) and lead < LARGE_LEAD
        if strict[i] and score < _SURE_KIND:
            rivals = np.where(kinds == kinds[own], -1.0, scores[i])
            rivals[own] = score
            is_poor |= _lead(rivals, own) < LARGE_LEAD
        if is_poor:
            found.add(i)
    return found


def _lead(scores: FloatArray, face: int) -> float:
    """Return the margin of a face's score over the next face."""
    others = np.delete(scores, face)
    return float(scores[face] - others.max()) if others.size else float("inf")
