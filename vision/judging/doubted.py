"""Doubts with the chances of their readings -> the ways a table may be, and which doubts matter.

What a piece is, whether it is there, which of two laid on each other was meant to lie where: each
is a :class:`Doubted`, as it was taken first. A game plays every way, all else drawn alike (the
poses, where they are uncertain); so the odds are honest given all that is doubted, and a doubt that
changes nothing is known to change nothing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from vision.judging.odds import joint_readings
from vision.values.arrays import IntArray
from vision.values.layout import PlacedCard

__all__ = ["Doubted", "Way", "doubted_names", "find_ways", "how_much"]

_MOST_WAYS = 64  # that are played: a round takes some milliseconds, and a person waits
_RARE = 1e-4  # a reading less likely than that changes no chance that is told


@dataclass(frozen=True, slots=True)
class Doubted:
    """A doubt that can be played: about which pieces, and its readings with their chances.

    ``readings`` begin with the one that is taken; their chances add up to 1. ``codes`` are those
    of the issues that tell of it.
    """

    pieces: tuple[str, ...]
    codes: tuple[str, ...]
    readings: tuple[tuple[Any, float], ...]

    def __post_init__(self) -> None:
        total = sum(chance for _, chance in self.readings)
        if not np.isclose(total, 1.0) or min(chance for _, chance in self.readings) < 0:
            msg = f"{self.pieces}: chances of readings add up to 1, got {total:g}"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class Way:
    """One way a table may be: of each doubt which reading holds, and how likely that is."""

    chosen: tuple[int, ...]
    chance: float


def doubted_names(cards: Sequence[PlacedCard], codes: tuple[str, ...]) -> tuple[Doubted, ...]:
    """Return what is doubted of cards' names; the readings are ids, None where nothing lies."""
    found = []
    for card in cards:
        others = [(one.piece, one.chance) for one in card.may_be if one.chance > _RARE]
        if others:
            own = max(0.0, 1 - sum(chance for _, chance in others))
            readings = ((card.card_id, own), *others)
            total = sum(chance for _, chance in readings)  # files round
            shares = tuple((piece, chance / total) for piece, chance in readings)
            found.append(Doubted((card.card_id,), codes, shares))
    return tuple(found)


def find_ways(
    doubts: Sequence[Doubted],
    is_possible: Callable[[tuple[int, ...]], bool],
    most: int = _MOST_WAYS,
    seed: int = 0,
) -> tuple[Way, ...]:
    """Find the ways a table may be, that in which all is as taken first.

    Parameters
    ----------
    doubts : sequence of Doubted
        What may be otherwise.
    is_possible : callable
        Told of each doubt which reading holds, whether a table can be so: one card twice cannot.
    most : int
        If there are more ways than that, so many are drawn; and those in which one doubt alone is
        otherwise, with no chance if they were not drawn: what they change is to be known.
    seed : int
        Of the drawing.

    Returns
    -------
    tuple of Way
        Their chances add up to 1: given that the table is one that can be. If none other can, as
        taken is certain.
    """
    taken = (0,) * len(doubts)
    open_ = {k: [(r, p) for r, (_, p) in enumerate(d.readings)] for k, d in enumerate(doubts)}
    chances = {taken: 0.0}
    for chosen, chance in joint_readings(open_, most, seed):
        way = tuple(chosen[k] for k in range(len(doubts)))
        chances[way] = chances.get(way, 0.0) + chance
    for k, doubt in enumerate(doubts):
        for r in range(1, len(doubt.readings)):
            chances.setdefault((*taken[:k], r, *taken[k + 1 :]), 0.0)
    possible = {way: p for way, p in chances.items() if way == taken or is_possible(way)}
    total = sum(possible.values())
    if not total:
        return (Way(taken, 1.0),)
    return tuple(Way(way, p / total) for way, p in possible.items())


def how_much(
    doubts: Sequence[Doubted], ways: Sequence[Way], endings: Sequence[IntArray]
) -> tuple[float, ...]:
    """Tell how likely each doubt changes how the round ends.

    Parameters
    ----------
    doubts, ways
        What is doubted, and the ways that were played.
    endings : sequence of (N,) int
        Of each way how the round ends, by number, for several draws of all else, drawn alike: what
        stands at one place of all ways is one draw. Some may be shorter.

    Returns
    -------
    tuple of float
        Of each doubt the chance that it is not as taken and that the round ends otherwise than if
        it were, all else as it is.
    """
    at = {way.chosen: k for k, way in enumerate(ways)}
    found = []
    for k, doubt in enumerate(doubts):
        chance = 0.0
        for r in range(1, len(doubt.readings)):
            mine = [i for i, way in enumerate(ways) if way.chosen[k] == r]
            pairs = [(i, at.get(_with(ways[i].chosen, k, 0))) for i in mine]
            known = [(i, base) for i, base in pairs if base is not None] or [(i, 0) for i in mine]
            if not known:
                continue
            weights = np.array([ways[i].chance for i, _ in known])
            weights = weights if weights.any() else np.ones(len(known))
            changed = [_differing(endings[i], endings[base]) for i, base in known]
            chance += sum(ways[i].chance for i in mine) * float(
                np.average(changed, weights=weights)
            )
        found.append(chance)
    return tuple(found)


def _with(chosen: tuple[int, ...], k: int, reading: int) -> tuple[int, ...]:
    """Return which readings hold, one of them another."""
    return (*chosen[:k], reading, *chosen[k + 1 :])


def _differing(one: IntArray, other: IntArray) -> float:
    """Return the share of draws that end differently."""
    n = min(len(one), len(other))
    return float(np.mean(one[:n] != other[:n]))
