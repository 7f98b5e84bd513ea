"""Doubts with the chances of their readings -> the ways a table may be, and which doubts matter.

What a piece is, whether it is there, which of two laid on each other was meant to lie where: each
is a :class:`Doubted`, as it was taken first. A game plays every way, all else drawn alike (the
poses, where they are uncertain); so the odds are honest given all that is doubted, and a doubt that
changes nothing is known to change nothing.
"""

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from vision.values.arrays import IntArray
from vision.values.layout import PlacedCard
from vision.values.ledger import NO_MATTER

__all__ = ["Doubted", "Way", "doubted_names", "find_ways", "how_much", "how_much_together"]

_MOST_WAYS = 64  # that are played: a round takes some milliseconds, and a person waits
_TRIES = (
    20  # to draw so many ways that are none of the likeliest: those left have next to no chance
)
_RARE = 1e-4  # a reading less likely than that changes no chance that is told


@dataclass(frozen=True, slots=True)
class Doubted:
    """A doubt that can be played: about which pieces, and its readings with their chances.

    ``readings`` begin with the one that is taken; their chances add up to 1. ``codes`` are those
    of the issues that tell of it; of a place, where they stand at ``at_px``.
    """

    pieces: tuple[str, ...]
    codes: tuple[str, ...]
    readings: tuple[tuple[Any, float], ...]
    at_px: tuple[float, float] | None = None

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
        If there are more ways than that, the likeliest half of so many are taken, and the other
        half are drawn of the rest, alike; and those in which one doubt alone is otherwise, with no
        chance if they were not drawn: what they change is to be known.
    seed : int
        Of the drawing.

    Returns
    -------
    tuple of Way
        Their chances add up to 1: given that the table is one that can be. If none other can, as
        taken is certain.
    """
    taken = (0,) * len(doubts)
    every = [[chance for _, chance in doubt.readings] for doubt in doubts]
    if math.prod(len(several) for several in every) <= most:
        chances = {way: _chance_of(way, every) for way in product(*map(range, map(len, every)))}
    else:
        chances = _likeliest(every, most - most // 2)
        _draw_rest(chances, every, most // 2, seed)
    chances.setdefault(taken, 0.0)
    for k, doubt in enumerate(doubts):
        for r in range(1, len(doubt.readings)):
            chances.setdefault((*taken[:k], r, *taken[k + 1 :]), 0.0)
    chances = {taken: chances[taken], **chances}
    possible = {way: p for way, p in chances.items() if way == taken or is_possible(way)}
    total = sum(possible.values())
    if not total:
        return (Way(taken, 1.0),)
    return tuple(Way(way, p / total) for way, p in possible.items())


def _likeliest(every: Sequence[Sequence[float]], most: int) -> dict[tuple[int, ...], float]:
    """Return the likeliest ways and their chances, of doubts that are independent."""
    ranked = [sorted(range(len(several)), key=lambda r: -several[r]) for several in every]
    start = (0,) * len(every)
    queue, known = [(-_chance_at(start, ranked, every), start)], {start}
    found: dict[tuple[int, ...], float] = {}
    while queue and len(found) < most:
        chance, place = heapq.heappop(queue)
        found[_way_at(place, ranked)] = -chance
        for k, rank in enumerate(place):
            after = (*place[:k], rank + 1, *place[k + 1 :])
            if rank + 1 < len(ranked[k]) and after not in known:
                known.add(after)
                heapq.heappush(queue, (-_chance_at(after, ranked, every), after))
    return found


def _way_at(place: tuple[int, ...], ranked: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the way that has of each doubt the reading of some rank."""
    return tuple(of[rank] for of, rank in zip(ranked, place, strict=True))


def _chance_at(
    place: tuple[int, ...], ranked: Sequence[Sequence[int]], every: Sequence[Sequence[float]]
) -> float:
    return _chance_of(_way_at(place, ranked), every)


def _chance_of(way: tuple[int, ...], every: Sequence[Sequence[float]]) -> float:
    """Return how likely a way is, the doubts being independent."""
    return math.prod(several[r] for several, r in zip(every, way, strict=True))


def _draw_rest(
    chances: dict[tuple[int, ...], float], every: Sequence[Sequence[float]], count: int, seed: int
) -> None:
    """Draw ways besides those that have a chance, and share what these leave among them."""
    rng = np.random.default_rng(seed)
    drawn: dict[tuple[int, ...], int] = {}
    for _ in range(_TRIES):
        rows = [rng.choice(len(p), count, p=np.array(p) / sum(p)) for p in every]
        for way in zip(*(row.tolist() for row in rows), strict=True):
            if way not in chances and sum(drawn.values()) < count:
                drawn[way] = drawn.get(way, 0) + 1
        if sum(drawn.values()) == count:
            break
    rest, total = 1 - sum(chances.values()), sum(drawn.values())
    chances |= {way: rest * n / total for way, n in drawn.items()}


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


def how_much_together(
    ways: Sequence[Way], endings: Sequence[IntArray], alone: Sequence[float]
) -> tuple[float, ...]:
    """Tell how likely each doubt changes how the round ends, by itself or with others.

    Doubts each of which changes nothing alone may change something together.

    Parameters
    ----------
    ways, endings
        The ways that were played, as taken first, and how they end: as of :func:`how_much`.
    alone : sequence of float
        Of each doubt the chance that it alone changes how the round ends.

    Returns
    -------
    tuple of float
        Not less than ``alone``: of doubts that are otherwise in ways that end otherwise, while
        none that matters alone is, the chance of these ways, if that matters.
    """
    free = [k for k, chance in enumerate(alone) if chance <= NO_MATTER]
    found = list(alone)
    for k in free:
        found[k] = max(
            found[k],
            sum(
                way.chance * _differing(ending, endings[0])
                for way, ending in zip(ways, endings, strict=True)
                if way.chosen[k] and all(j in free for j, r in enumerate(way.chosen) if r)
            ),
        )
    return tuple(found)


def _with(chosen: tuple[int, ...], k: int, reading: int) -> tuple[int, ...]:
    """Return which readings hold, one of them another."""
    return (*chosen[:k], reading, *chosen[k + 1 :])


def _differing(one: IntArray, other: IntArray) -> float:
    """Return the share of draws that end differently."""
    n = min(len(one), len(other))
    return float(np.mean(one[:n] != other[:n]))
