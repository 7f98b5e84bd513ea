"""Detects cards that were moved between photos of one table.

A card is compared with the place that the others predict. Three effects explain differences without
motion: the stated errors, which are common to the whole table if the camera or its plane is
estimated badly; bent or lifted cards, which shift along the line of sight but not across; and
photos that differ by more than stated in all their cards. Separate from ``fusion``: a test alone.

References
----------
.. [1] Cook and Weisberg, Residuals and Influence in Regression, 1982 (externally studentized
   residuals).
"""

from collections.abc import Sequence

import numpy as np

from vision.seeing.estimation.covariance import block_diagonal
from vision.seeing.multiview.joint_poses import ANYWHERE, UNITS, ViewPoses, free_motions
from vision.values.arrays import FloatArray

__all__ = ["find_moved_cards"]


# Which card lies elsewhere in another photo.
_MOVED_MM = 1.0  # who nudges a card moves it so far,
_MOVED_RAD = float(np.radians(0.5))  # or turns it so:
_SIGMAS = 3.8  # and farther than errors go, in the deviations of a card by the others:
# by chance one of 1,400 comes so far; of 106 rendered tables two cards that lie still do, and
# 34 of 36 that were moved by 2 mm, most by 7 or more
_LEAST = 0.8  # photos may differ by less than they tell: believed down to this share
_QUANTILE = 0.85  # of the cards: photos that are off in a few are told by these


def find_moved_cards(one: ViewPoses, other: ViewPoses) -> dict[int, FloatArray]:
    """Return the displacement of each card that lies elsewhere in another photo.

    The one that is farthest off goes first, and is not asked where the rest lie.

    Parameters
    ----------
    one, other : ViewPoses
        Two photos in one frame.

    Returns
    -------
    dict of spot to (3,) float64
        How far each such card is off in the other: x mm, y mm, theta rad.
    """
    common = sorted(set(one.tracks) & set(other.tracks))
    a, b = ([part.tracks.index(track) for track in common] for part in (one, other))
    away = other.poses[b] - one.poses[a]
    away[:, 2] = np.angle(np.exp(1j * away[:, 2]))
    away *= UNITS
    covariance = _covariance_of(one, a) + _covariance_of(other, b)
    free = free_motions(one.poses[a]) if common else np.zeros((0, 3))
    covariance += ANYWHERE * free @ free.T
    still = np.ones(len(common), bool)
    while still.sum() > 1:
        over = _normalised_distance(away[still], covariance[np.ix_(*2 * [np.repeat(still, 3)])])
        if over.max() <= 1:
            break
        still[np.flatnonzero(still)[over.argmax()]] = False
    rows = np.repeat(still, 3)
    lead = np.linalg.solve(covariance[np.ix_(rows, rows)], away[still].ravel())
    rest = (away - (covariance[:, rows] @ lead).reshape(-1, 3)) / UNITS
    return {track: rest[i] for i, track in enumerate(common) if not still[i]}


def _covariance_of(part: ViewPoses, cards: Sequence[int]) -> FloatArray:
    """Return the covariance (3N, 3N) of some cards, individual errors included, turns in mm."""
    rows = [3 * card + axis for card in cards for axis in range(3)]
    units = np.tile(UNITS, len(cards))
    covariance = part.covariance[np.ix_(rows, rows)] + block_diagonal(*part.alone[cards])
    return np.asarray(covariance * np.outer(units, units), np.float64)


def _normalised_distance(away: FloatArray, covariance: FloatArray) -> FloatArray:
    """Return the distances (N,) of cards from their predicted places, 1 being the limit.

    ``away`` (N, 3) and its covariance (3N, 3N) have turns in mm. If the photos differ by more than
    stated over the whole table, the farthest card left out, the limit grows accordingly.
    """
    rest, own = _leave_one_out(away, covariance)
    over = _excess_distance(rest, own, 1.0)
    if len(away) < 3:  # of two cards nobody can say which
        return over
    others = np.arange(len(away)) != over.argmax()
    rows = np.repeat(others, 3)
    size = _squared(*_leave_one_out(away[others], covariance[np.ix_(rows, rows)]))
    by_chance = -2 * np.log(1 - np.array([0.5, _QUANTILE]))  # squares of two normal errors
    excess = np.sqrt(np.quantile(size, [0.5, _QUANTILE]) / by_chance).max()
    return _excess_distance(rest, own, max(_LEAST, float(excess)))


def _leave_one_out(away: FloatArray, covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return each card's distance (N, 3) from its predicted place, and the covariance of that."""
    n = len(away)
    weight = np.linalg.inv(covariance)
    own = np.linalg.inv(weight.reshape(n, 3, n, 3)[np.arange(n), :, np.arange(n), :])
    return np.einsum("nij,nj->ni", own, (weight @ away.ravel()).reshape(n, 3)), own


def _squared(rest: FloatArray, own: FloatArray) -> FloatArray:
    """Return the squared Mahalanobis distances (N,)."""
    place = rest[:, :2]
    return np.asarray(np.einsum("ni,nij,nj->n", place, np.linalg.inv(own[:, :2, :2]), place))


def _excess_distance(rest: FloatArray, own: FloatArray, excess: float) -> FloatArray:
    """Return the distances (N,), 1 being the limit, if errors exceed the stated ones."""
    turn, turn_sigmas = np.abs(rest[:, 2]), _SIGMAS * max(1.0, excess)
    moved = np.minimum(
        np.linalg.norm(rest[:, :2], axis=1) / _MOVED_MM,
        np.sqrt(_squared(rest, own)) / (_SIGMAS * excess),
    )
    turned = np.minimum(turn / (_MOVED_RAD * UNITS[2]), turn / np.sqrt(own[:, 2, 2]) / turn_sigmas)
    return np.asarray(np.maximum(moved, turned), np.float64)
