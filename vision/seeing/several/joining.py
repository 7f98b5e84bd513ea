"""Poses of one table from several photos -> one set of poses, each photo's errors minded.

A photo tells how its cards lie to one another, not where the table is: its frame is free. All
photos are brought together in one adjustment, in which each frame moves as it likes; a card that
only one photo shows is placed among the others by that one.

References
----------
.. [1] Koch, Parameter Estimation and Hypothesis Testing in Linear Models, 1999 (sequences of
   normal equations).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.geometry import rotation
from vision.seeing.several.registering import Motion
from vision.seeing.solve.gauge import motions_of, without_motion
from vision.values.arrays import FloatArray

__all__ = ["JoinSettings", "Part", "differing", "join_poses", "moved_part", "without"]

_UNITS = np.array([1.0, 1.0, 40.0])  # a turn as mm at half a card's length: on an equal footing
_ROUNDED = 1e-12  # mm²: a covariance is of full rank with it, and no other
_LEAST = 1e-8  # mm² or rad²: of a pose that is exact


@dataclass(frozen=True, slots=True)
class JoinSettings:
    """Which card lies elsewhere in another photo."""

    moved_mm: float = 1.0  # who nudges a card moves it so far,
    moved_rad: float = float(np.radians(0.5))  # or turns it so:
    sigmas: float = 4.5  # and farther than errors go, in their own deviations: one in 20,000


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What one photo tells: poses (N, 3) in the common frame, their covariance, and whose they are.

    ``spots`` (N,) are indices of the table's cards; ``covariance`` (3N, 3N) is free of the frame's
    own motion.
    """

    spots: tuple[int, ...]
    poses: FloatArray
    covariance: FloatArray


def moved_part(spots: Sequence[int], poses: FloatArray, joint: FloatArray, motion: Motion) -> Part:
    """Return what a photo tells, its frame laid on the common one."""
    block = np.eye(3)
    block[:2, :2] = rotation(motion.turn_rad)
    turn = np.kron(np.eye(len(poses)), block)
    return Part(tuple(spots), motion.move(poses), turn @ joint @ turn.T)


def without(part: Part, spots: Sequence[int]) -> Part:
    """Return what a photo tells of all cards but some."""
    kept = [i for i, spot in enumerate(part.spots) if spot not in spots]
    rows = [3 * i + axis for i in kept for axis in range(3)]
    covariance = part.covariance[np.ix_(rows, rows)]
    return Part(tuple(part.spots[i] for i in kept), part.poses[kept], covariance)


def join_poses(parts: Sequence[Part], count: int) -> tuple[FloatArray, FloatArray]:
    """Solve for the poses of all cards from several photos.

    Parameters
    ----------
    parts : sequence of Part
        What each photo tells; each card is in one of them at least.
    count : int
        How many cards there are.

    Returns
    -------
    poses : (count, 3) float64
        x mm, y mm, theta rad, in the frame of the first part.
    covariance : (3 count, 3 count) float64
        Theirs, free of a motion of the whole table.
    """
    start = np.zeros((count, 3))
    for part in reversed(parts):
        start[list(part.spots)] = part.poses
    normal, side = np.zeros((3 * count, 3 * count)), np.zeros(3 * count)
    for part in parts:
        rows = (3 * np.array(part.spots)[:, None] + np.arange(3)).ravel()
        weight = _weight(part)
        away = part.poses - start[list(part.spots)]
        away[:, 2] = np.angle(np.exp(1j * away[:, 2]))
        normal[np.ix_(rows, rows)] += weight
        side[rows] += weight @ (away * _UNITS).ravel()
    free = _motions(start)
    normal += np.trace(normal) / len(normal) * free @ free.T + _ROUNDED * np.eye(3 * count)
    units = np.tile(1 / _UNITS, count)
    scaled = np.linalg.inv(normal)
    covariance = scaled * np.outer(units, units)
    poses = start + (scaled @ side * units).reshape(count, 3)
    # the whole keeps to the first photo's frame: what it may move was left free
    first = list(parts[0].spots)
    own = without_motion(start[first][:, :2])
    shift = (np.eye(3 * len(first)) - own) @ (poses - start)[first].ravel()
    motion = np.linalg.lstsq(motions_of(start[first][:, :2]), shift, rcond=None)[0]
    poses -= (motions_of(start[:, :2]) @ motion).reshape(count, 3)
    total = without_motion(poses[:, :2])
    free_of = total @ covariance @ total.T
    return poses, np.asarray((free_of + free_of.T) / 2, np.float64)


def _motions(poses: FloatArray) -> FloatArray:
    """Return an orthonormal basis (3N, 3) of the motions of all poses (N, 3), turns in mm."""
    free = motions_of(poses[:, :2]) * np.tile(_UNITS, len(poses))[:, None]
    return np.asarray(np.linalg.qr(free)[0], np.float64)


def _weight(part: Part) -> FloatArray:
    """Return the weight (3N, 3N) of what a photo tells, its frame being free; turns in mm."""
    units = np.tile(_UNITS, len(part.spots))
    covariance = part.covariance * np.outer(units, units)
    free = _motions(part.poses)
    full = np.linalg.qr(np.column_stack([free, np.eye(len(units))]))[0]
    rest = full[:, free.shape[1] : len(units)]  # what a motion of the frame does not change
    inner = rest.T @ covariance @ rest + _ROUNDED * np.eye(rest.shape[1])
    return np.asarray(rest @ np.linalg.solve(inner, rest.T), np.float64)


def _blocks(covariance: FloatArray) -> FloatArray:
    """Return the covariance (N, 3, 3) of each card by itself."""
    n = len(covariance) // 3
    cards = np.arange(n)
    return np.asarray(covariance.reshape(n, 3, n, 3)[cards, :, cards, :], np.float64)


def differing(
    one: Part, other: Part, settings: JoinSettings | None = None
) -> dict[int, FloatArray]:
    """Find the cards that lie elsewhere in another photo.

    Parameters
    ----------
    one, other : Part
        Two photos in one frame.

    Returns
    -------
    dict of spot to (3,) float64
        How far each such card is off in the other: x mm, y mm, theta rad. The frames are laid on
        each other by those that are not.
    """
    s = settings or JoinSettings()
    common = sorted(set(one.spots) & set(other.spots))
    if not common:
        return {}
    a, b = ([part.spots.index(spot) for spot in common] for part in (one, other))
    away = other.poses[b] - one.poses[a]
    away[:, 2] = np.angle(np.exp(1j * away[:, 2]))
    blocks = _blocks(one.covariance)[a] + _blocks(other.covariance)[b]
    variance = np.diagonal(blocks, axis1=1, axis2=2)
    inverse = np.linalg.inv(blocks[:, :2, :2] + _LEAST * np.eye(2))
    free = motions_of(one.poses[a][:, :2])
    still = np.ones(len(common), bool)
    for _ in range(len(common)):
        rows = np.repeat(still, 3) & (np.arange(3 * len(common)) % 3 < 2)
        rows = rows if still.sum() > 1 else np.repeat(still, 3)
        sd = np.sqrt(np.maximum(variance.ravel(), _LEAST))
        motion = np.linalg.lstsq(
            free[rows] / sd[rows, None], away.ravel()[rows] / sd[rows], rcond=None
        )
        rest = away - (free @ motion[0]).reshape(-1, 3)
        place, turn = rest[:, :2], np.abs(rest[:, 2])
        size = np.sqrt(np.einsum("ni,nij,nj->n", place, inverse, place)) / s.sigmas
        turned = turn / np.sqrt(variance[:, 2] + _LEAST) / s.sigmas
        over = np.maximum(
            np.minimum(np.linalg.norm(place, axis=1) / s.moved_mm, size),
            np.minimum(turn / s.moved_rad, turned),
        )
        before, worst = still.copy(), int(np.where(still, over, -np.inf).argmax())
        still = still & ~((over > 1) & (np.arange(len(over)) == worst))
        if (still == before).all() or not still.any():
            break
    return {spot: rest[i] for i, spot in enumerate(common) if not still[i]}
