"""A turn and what may be read otherwise -> every way played, and what each reading changes."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from vision.games.asteroyds_capture.doubtful import issue_of
from vision.games.asteroyds_capture.turn import Played
from vision.games.asteroyds_capture.values import Spot, Table
from vision.judging.doubted import Doubted, Ways, how_much, numbered
from vision.judging.odds import find_ways
from vision.values.ledger import Weighed

__all__ = ["PlayedWays", "play_ways", "weigh"]

PlayedWays: TypeAlias = Mapping[tuple[int, ...], Played]  #: by which reading of each spot holds

_SEEING = {"die_doubtful": ("die_unsure",)}  #: what seeing says of the same thing
_MOST_WAYS = 4096  # joint readings that are played, each in some 0.6 ms


def play_ways(
    table: Table, played: Played, play_as: Callable[[Mapping[Spot, Any]], Played | None]
) -> tuple[Ways, PlayedWays]:
    """Play every way that a table may be.

    Parameters
    ----------
    table : Table
        With its alternatives.
    played : Played
        Its turn as it is read.
    play_as : callable
        Plays the turn with some spots read otherwise; None if no table can be so.
    """
    spots, doubts = [one.spot for one in table.alternatives], _doubts(table)
    rounds = {(0,) * len(spots): played}

    def is_possible(chosen: tuple[int, ...]) -> bool:
        if chosen not in rounds:
            held = zip(spots, doubts, chosen, strict=True)
            other = play_as({spot: d.readings[k][0] for spot, d, k in held})
            if other is None:
                return False
            rounds[chosen] = other
        return True

    return find_ways(doubts, is_possible, _MOST_WAYS), rounds


def weigh(table: Table, ways: Ways, rounds: PlayedWays) -> Iterator[Weighed]:
    """Yield how likely each reading that is not sure changes beams, moves, events or the end."""
    accounts = [_account(rounds[way.chosen]) for way in ways.several]
    ends = numbered(accounts, key=lambda account: account[2:])
    chances = how_much(_doubts(table), ways, ends)
    for one, chance in zip(table.alternatives, chances, strict=True):
        code, piece = issue_of(one)
        yield Weighed((piece,), (code, *_SEEING.get(code, ())), chance)


def _doubts(table: Table) -> list[Doubted]:
    return [Doubted((one.of,), (), one.options) for one in table.alternatives]


def _account(played: Played) -> tuple[Any, ...]:
    """Return all that a turn tells, and where it leaves the pieces."""
    pieces = tuple(played.position.pieces.values())
    return played.rounds, played.refused, played.winners, pieces
