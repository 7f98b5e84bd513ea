"""A turn and what may be read otherwise -> how likely each reading changes anything of the turn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from vision.games.asteroyds_capture.doubtful import issue_of
from vision.games.asteroyds_capture.turn import Played
from vision.games.asteroyds_capture.values import Spot, Table
from vision.judging.doubted import Doubted, find_ways, how_much, how_much_together
from vision.values.arrays import IntArray
from vision.values.ledger import Weighed

__all__ = ["weigh"]

_SEEING = {"die_doubtful": ("die_unsure",)}  #: what seeing says of the same thing


def weigh(
    table: Table, played: Played, play_as: Callable[[Mapping[Spot, Any]], Played | None]
) -> Iterator[Weighed]:
    """Yield how likely each reading that is not sure changes beams, moves, events or the end.

    Parameters
    ----------
    table : Table
        With its alternatives.
    played : Played
        Its turn as it is read.
    play_as : callable
        Plays the turn with some spots read otherwise; None if no table can be so.
    """
    spots = [one.spot for one in table.alternatives]
    doubts = [Doubted((one.of,), (), one.options) for one in table.alternatives]
    accounts = {(0,) * len(spots): _account(played)}

    def is_possible(chosen: tuple[int, ...]) -> bool:
        if chosen not in accounts:
            held = zip(spots, doubts, chosen, strict=True)
            other = play_as({spot: d.readings[k][0] for spot, d, k in held})
            if other is None:
                return False
            accounts[chosen] = _account(other)
        return True

    ways = find_ways(doubts, is_possible)
    ends = _numbered([accounts[way.chosen] for way in ways])
    chances = how_much_together(ways, ends, how_much(doubts, ways, ends))
    for one, chance in zip(table.alternatives, chances, strict=True):
        code, piece = issue_of(one)
        yield Weighed((piece,), (code, *_SEEING.get(code, ())), chance)


def _account(played: Played) -> tuple[Any, ...]:
    """Return all that a turn tells, and where it leaves the pieces."""
    pieces = tuple(played.position.pieces.values())
    return played.rounds, played.refused, played.winners, pieces


def _numbered(accounts: Sequence[tuple[Any, ...]]) -> list[IntArray]:
    """Give each account a number, the same to those alike in all."""
    known: list[tuple[Any, ...]] = []
    for account in accounts:
        if account not in known:
            known.append(account)
    return [np.array([known.index(account)]) for account in accounts]
