"""A turn, and what its things may be besides -> every way played, and what each doubt changes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from vision.games.conflit_stellaire.readings import Spot, read_as, readings_of
from vision.games.conflit_stellaire.settle import name_of
from vision.games.conflit_stellaire.values import OtherTurn, Outcome, Reading, Table
from vision.judging.doubted import Doubted, how_much, numbered
from vision.judging.odds import endings, find_ways

__all__ = ["with_doubts"]

_MOST_WAYS = 256  # joint readings that are played; more are sampled, a second at most

_Played: TypeAlias = dict[tuple[int, ...], Outcome]  #: by which reading of each doubt holds


def with_doubts(table: Table, play: Callable[[Table], Outcome]) -> Outcome:
    """Play a turn as its table is read, and every way that it may be besides."""
    doubts = _doubted(table)
    several = tuple(doubts.values())
    ways = find_ways(several, most=_MOST_WAYS)
    played = {w.chosen: play(read_as(table, _chosen(doubts, w.chosen))) for w in ways.several}
    taken = played[(0,) * len(several)]
    chances = how_much(several, ways, numbered([played[way.chosen] for way in ways.several]))
    return replace(
        taken,
        alternatives=tuple(_alternatives(doubts, played, taken)),
        endings=endings(ways, lambda chosen: played[chosen].winners),
        matter=dict(zip(doubts, chances, strict=True)),
        unknown=ways.unknown,
    )


def _doubted(table: Table) -> dict[Spot, Doubted]:
    """Return what may be read otherwise; a reading without a chance is as likely as the others."""
    by_spot: dict[Spot, list[Reading]] = {}
    for spot, reading in readings_of(table):
        by_spot.setdefault(spot, []).append(reading)
    doubts = {}
    for spot, several in by_spot.items():
        even = 1 / (len(several) + 1)
        chances = [even if one.probability is None else one.probability for one in several]
        total = max(sum(chances), 1.0)
        readings: list[tuple[Reading | None, float]] = [(None, 1 - sum(chances) / total)]
        readings += [(one, p / total) for one, p in zip(several, chances, strict=True)]
        doubts[spot] = Doubted((name_of(spot),), (), tuple(readings))
    return doubts


def _chosen(doubts: dict[Spot, Doubted], chosen: Sequence[int]) -> dict[Spot, Reading | None]:
    """Return the readings of a way, but for what is as it was taken."""
    held = zip(doubts.items(), chosen, strict=True)
    return {spot: doubt.readings[k][0] for (spot, doubt), k in held if k}


def _alternatives(
    doubts: dict[Spot, Doubted], played: _Played, taken: Outcome
) -> Iterator[OtherTurn]:
    """Yield the readings that, alone, change ships, fates or winners."""
    ends = (taken.ships, taken.fates, taken.winners)
    several = list(doubts.items())
    for place, k, _ in _singly([doubt for _, doubt in several]):
        other = played[_one(place, k, several)]
        if (other.ships, other.fates, other.winners) != ends:
            spot, doubt = several[place]
            yield OtherTurn(spot, doubt.readings[k][0], other.ships, other.fates, other.winners)


def _singly(several: Sequence[Doubted]) -> Iterator[tuple[int, int, float]]:
    """Yield of each doubt each other reading, by their places, and how likely it is."""
    for place, doubt in enumerate(several):
        for k, (_, chance) in enumerate(doubt.readings):
            if k:
                yield place, k, chance


def _one(place: int, k: int, several: Sequence[object]) -> tuple[int, ...]:
    """Return the way in which one doubt alone is otherwise."""
    return tuple(k if at == place else 0 for at in range(len(several)))
