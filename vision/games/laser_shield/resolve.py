"""A table -> its phase played, and every way it may end, given how the pawns may be read."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from vision.errors import TableFormatError
from vision.games.laser_shield.accounts import draw_living, living, shortfalls_of
from vision.games.laser_shield.board import DOORS
from vision.games.laser_shield.orders import IllegalOrder, check_order, format_order
from vision.games.laser_shield.phase import Played, play
from vision.games.laser_shield.values import (
    TEAMS,
    Ending,
    Options,
    Order,
    Pawn,
    PawnReading,
    Resolution,
    Table,
)
from vision.games.laser_shield.words import doubt
from vision.judging.odds import endings, joint_readings
from vision.values.messages import Issue

__all__ = ["SURE", "resolve"]

_DRAWN = 256  # tables with missing pawns on them: what these change is known to 3 % of itself
SURE = 0.99  # a reading or an ending that is less likely is told as a doubt


def resolve(table: Table) -> Resolution:
    """Play the phase of a table.

    Raises
    ------
    TableFormatError
        If an order is illegal and ``illegal=error`` is played.
    """
    legal, lost = _legal(table.pawns, table.orders, table.options)
    played = play(table.pawns, legal, table.options)
    told = _endings(table)
    issues = (*table.doubts, *_issues(table, played, lost, told))
    return Resolution(
        orders={team: format_order(legal.get(team)) for team in TEAMS},
        steps=played.steps,
        position=played.position,
        killed=played.killed,
        winners=played.winners,
        endings=told,
        lost=lost,
        spent=played.spent,
        issues=issues,
    )


def _legal(
    pawns: Sequence[Pawn], orders: Mapping[str, Order | None], options: Options
) -> tuple[dict[str, Order | None], dict[str, str]]:
    """Return the orders that count, and why the others are lost."""
    legal: dict[str, Order | None] = {}
    lost: dict[str, str] = {}
    for team in TEAMS:
        try:
            legal[team] = check_order(team, orders.get(team), pawns, options)
        except IllegalOrder as error:
            if options.illegal == "error":
                raise TableFormatError(str(error)) from error
            lost[team] = error.reason
    return legal, lost


def _endings(table: Table) -> tuple[Ending, ...]:
    """Play all joint readings of the pawns; those that cannot be are dropped.

    Missing pawns may live: that is drawn, and counts for as much as it is likely.
    """
    loose = replace(table.options, illegal="lost")
    doors = set(DOORS[table.options.doors])
    readings = {
        pawn: [
            (reading, reading.probability)
            for reading in pawn.readings or (PawnReading(pawn.square, pawn.heading),)
        ]
        for pawn in table.pawns
    }

    def end(read: Mapping[Pawn, PawnReading]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        squares = {reading.square for reading in read.values()}
        if len(squares) < len(read) or squares & doors:
            return None
        pawns = [replace(p, square=r.square, heading=r.heading) for p, r in read.items()]
        played = play(pawns, _legal(pawns, table.orders, loose)[0], loose)
        return played.killed, played.winners

    told = dict(endings(joint_readings(readings), end))
    lives, drawn = draw_living(living(table), _DRAWN)
    if drawn:
        rng = np.random.default_rng(1)
        with_them: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
        for more in drawn:
            read = {pawn: _one_of(several, rng) for pawn, several in readings.items()}
            read |= {pawn: PawnReading(pawn.square, pawn.heading) for pawn in more}
            ending = end(read)
            if ending is not None:
                with_them[ending] += 1
        lives = lives if with_them else 0.0
        for ending in {**told, **with_them}:
            share = with_them[ending] / max(with_them.total(), 1)
            told[ending] = (1 - lives) * told.get(ending, 0.0) + lives * share
    ranked = sorted(told.items(), key=lambda item: -item[1])
    return tuple(Ending(chance, *ending) for ending, chance in ranked)


def _one_of(several: Sequence[tuple[PawnReading, float]], rng: np.random.Generator) -> PawnReading:
    """Draw one of a pawn's readings."""
    chances = np.array([chance for _, chance in several])
    return several[rng.choice(len(several), p=chances / chances.sum())][0]


def _issues(
    table: Table, played: Played, lost: Mapping[str, str], told: Sequence[Ending]
) -> Iterator[Issue]:
    for pawn in table.pawns:
        best = max((r.probability for r in pawn.readings), default=1.0)
        if best < SURE:
            code, key = "piece_doubtful", "shield.piece_doubtful"
            yield doubt(code, key, (pawn.id,), pawn=pawn.id, chance=best)
    for one in shortfalls_of(table):
        told_by = {card for issue in table.doubts for card in issue.cards}
        if not set(one.missing) <= told_by:  # the phase before left them: that is said
            seen, every = str(one.there), str(one.least)
            yield doubt(
                "pawn_missing",
                "shield.pawn_missing",
                one.missing,
                team=one.group,
                seen=seen,
                all=every,
                first=one.missing[0],
            )
    for team, reason in lost.items():
        code, key = "order_lost", f"shield.lost_{reason}"
        yield doubt(code, key, (), "note", team=team, reason=reason)
    for team in played.spent:
        yield doubt("beam_spent", "shield.beam_spent", (), "note", team=team)
    if told and told[0].probability < SURE:
        chance = told[0].probability
        yield doubt("outcome_doubtful", "shield.outcome_doubtful", (), chance=chance)
