"""Joint assignment of faces to cards by posterior, each face as often as the deck has it.

One-to-one assignment settles what a single best match cannot. Where two cards match the same face
and neither has a real alternative, the result says so. Separate from ``face_comparers``: it takes
scores only, of whatever comparer.
"""

import numpy as np

from vision.seeing.values import Identities
from vision.values.arrays import FloatArray, IntArray
from vision.values.assignment import solve_assignment
from vision.values.ledger import SURE

__all__ = ["assign_cards"]

# When a face that is likely is believed; chances unless said.
_NAMED = 0.5  # below, another is as likely: unreadable
_WORTH = 1e-3  # of a face that a place may be given where likelier ones lie elsewhere
_FLOOR = 0.05  # of something else, where they do: two cards may be of two decks
_CLEAR_SCORE = 0.5  # correlation; some card that is sure must be read as well as this: a photo
# without one is no table of this deck, unless a card that is named, if in doubt, agrees so well
# with its face where that was laid over it, as one card alone of another printing does. Other
# games' cards that were likelier than not reached 0.71, on 772 readings
_REGISTERED_SCORE = 0.74


def assign_cards(
    posterior: FloatArray,
    scores: FloatArray,
    copies: IntArray,
    registered_score: FloatArray | None = None,
) -> Identities:
    """Assign faces to cards by posterior, each face as often as the deck has it.

    A face is no rival of a name as far as its cards are likely to lie elsewhere.

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
    is_clear = (posterior.sum(axis=1) >= SURE) & (scores > _CLEAR_SCORE)
    if registered_score is not None:
        is_clear |= (top >= _NAMED) & (registered_score > _REGISTERED_SCORE)
    if not is_clear.any():
        return Identities((-1,) * n, {}, ())
    face = _max_posterior(posterior, scores, copies)
    likely = _among_free(posterior, face, copies)
    taken = np.bincount(face[face >= 0], minlength=len(copies)) >= copies
    doubled, doubtful = {}, set()
    for i in range(n):
        if likely[i] < _NAMED:
            face[i] = -1
            if taken[best[i]] and top[i] >= _NAMED:
                doubled[i] = int(best[i])
        elif likely[i] < SURE or face[i] != best[i]:
            doubtful.add(i)
    lying = set(face[face >= 0].tolist())
    doubled = {i: f for i, f in doubled.items() if f in lying}
    return Identities(tuple(face.tolist()), doubled, tuple(sorted(doubtful)))


def _among_free(posterior: FloatArray, face: IntArray, copies: IntArray) -> FloatArray:
    """Return the probability (N,) of the assigned faces (N,) among those that are left."""
    rows = np.flatnonzero(face >= 0)
    own, likely = posterior[rows, face[rows]], np.zeros(len(face))
    held = np.bincount(face[rows], weights=own, minlength=len(copies))
    left = np.tile(np.clip(copies - held, 0.0, 1.0), (len(rows), 1))
    left[np.arange(len(rows)), face[rows]] = 1.0
    none = 1 - posterior[rows].sum(axis=1)
    none = none + _FLOOR * (own < posterior[rows].max(axis=1))
    likely[rows] = own / ((left * posterior[rows]).sum(axis=1) + none)
    return likely


def _max_posterior(posterior: FloatArray, scores: FloatArray, copies: IntArray) -> IntArray:
    """Return the joint assignment (N,) of the highest posterior; -1 for none.

    Of equally likely ones that of the better scores (N,).
    """
    n = len(posterior)
    wanted = np.flatnonzero((posterior > _WORTH).any(axis=0))
    of_column = np.repeat(wanted, np.minimum(copies[wanted], n))
    likely = np.maximum(posterior[:, of_column], 1e-12)
    none = np.maximum(1 - posterior.sum(axis=1), _WORTH)
    cost = np.full((n, len(of_column) + n), -np.log(1e-12) * 2)
    cost[:, : len(of_column)] = -np.log(likely) - 1e-6 * scores[:, None]
    cost[np.arange(n), len(of_column) + np.arange(n)] = -np.log(none)
    face = np.full(n, -1)
    for i, j in enumerate(solve_assignment(cost).tolist()):
        if j < len(of_column):
            face[i] = of_column[j]
    return face
