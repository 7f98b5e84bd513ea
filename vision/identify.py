"""All matches together -> which card each is: every card lies on the table once at most.

One-to-one assignment settles what a single best match cannot; where two places want the same card
and neither has a real alternative, that is said, not smoothed over.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from vision.types import FloatArray

__all__ = ["IdentifySettings", "Identities", "assign_cards"]


@dataclass(frozen=True, slots=True)
class IdentifySettings:
    """When a match is believed; correlations of local contrast (ray-traced photos, 400 cards)."""

    accept: float = 0.20  # faces under heaps of counters reach 0.25; the lead decides
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
    settings: IdentifySettings | None = None,
) -> Identities:
    """Assign faces to places one to one.

    Parameters
    ----------
    scores : (N, K) float64
        The correlation of each place with each face, the better of both turns.
    visible : (N,) float64
        The share of each face that shows.
    """
    settings = settings or IdentifySettings()
    n, k = scores.shape if scores.size else (len(scores), 0)
    if n == 0 or k == 0:
        return Identities((-1,) * n, {}, ())
    face = _best_assignment(scores, settings)
    doubtful: set[int] = set()
    for i in np.flatnonzero((face < 0) & (visible < settings.covered)):
        # its best face lies elsewhere in clear view: what else could this covered card be?
        left = np.where(np.isin(np.arange(k), face), -1.0, scores[i])
        first = int(left.argmax())
        if left[first] >= settings.accept and _lead(left, first) >= settings.sure_lead:
            face[i] = first
            doubtful.add(int(i))
    doubled = {
        int(i): int(scores[i].argmax())
        for i in np.flatnonzero(face < 0)
        if scores[i].max() >= settings.accept and int(scores[i].argmax()) in face
    }
    for i in np.flatnonzero(face >= 0):
        free = ~np.isin(np.arange(k), face)
        free[face[i]] = True
        lead = _lead(np.where(free, scores[i], -1.0), int(face[i]))
        if lead < settings.abstain_lead:
            face[i] = -1
        elif lead < settings.sure_lead:
            doubtful.add(int(i))
    doubtful -= {int(i) for i in np.flatnonzero(face < 0)}
    return Identities(tuple(int(f) for f in face), doubled, tuple(sorted(doubtful)))


def _best_assignment(scores: FloatArray, settings: IdentifySettings) -> np.ndarray:
    """Return the face (N,) of each place that makes the sum of scores largest; -1 for none."""
    n, k = scores.shape
    best = scores.max(axis=1)
    allowed = (scores >= settings.accept) & (scores >= best[:, None] - settings.slack)
    # each place may also stay empty, at a cost worse than any allowed face
    cost = np.full((n, k + n), 3.0)
    cost[:, :k][allowed] = 1 - scores[allowed]
    cost[np.arange(n), k + np.arange(n)] = 2.0
    rows, columns = linear_sum_assignment(cost)
    face = np.full(n, -1)
    for i, j in zip(rows, columns, strict=True):
        if j < k and allowed[i, j]:
            face[i] = j
    return face


def _lead(scores: FloatArray, face: int) -> float:
    """Return by how much a face beats the next."""
    others = np.delete(scores, face)
    return float(scores[face] - others.max()) if others.size else float("inf")
