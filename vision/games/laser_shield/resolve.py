"""A table -> its phase played, and every way it may end, given how the pawns may be read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from vision.games.laser_shield.accounts import living, shortfalls_of
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
from vision.judging.doubted import Doubted
from vision.judging.odds import endings, find_ways, not_known
from vision.values.messages import Issue

__all__ = ["SURE", "legal_of", "resolve"]

SURE = 0.99  # a reading or an ending that is less likely is told as a doubt
_MOST_WAYS = 4096  # joint readings that are played, each in some 0.1 ms
#: The same where pawns are missing, which may stand anywhere: half are drawn, so that what these
#: change is known to 3 % of itself.
_MOST_WITH_MISSING = 512


def resolve(table: Table) -> Resolution:
    """Play the phase of a table.

    Raises
    ------
    IllegalOrder
        If one may not be given and ``illegal=error`` is played.
    """
    legal, lost = legal_of(table.pawns, table.orders, table.options)
    played = play(table.pawns, legal, table.options)
    told, unknown = _endings(table)
    issues = (*table.doubts, *_issues(table, played, lost, told), *not_known(unknown))
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
        unknown=unknown,
    )


def legal_of(
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
                raise
            lost[team] = error.reason
    return legal, lost


def _endings(table: Table) -> tuple[tuple[Ending, ...], float]:
    """Play all joint readings of the pawns that can be; return also what is not known.

    A pawn claims its square, and none can stand on a door. A missing pawn is dead, or stands where
    nothing shows.
    """
    loose = replace(table.options, illegal="lost")
    doubts = [_doubted(pawn.id, pawn.readings or (_as_read(pawn),)) for pawn in table.pawns]
    missing = living(table).items()
    doubts += [_doubted(name, several, 1 - lives) for name, (several, lives) in missing]

    def end(chosen: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
        held = [(d.pieces[0], d.readings[r][0]) for d, r in zip(doubts, chosen, strict=True)]
        pawns = [Pawn(name, one.square, one.heading) for name, one in held if one is not None]
        played = play(pawns, legal_of(pawns, table.orders, loose)[0], loose)
        return played.killed, played.winners

    most = _MOST_WITH_MISSING if missing else _MOST_WAYS
    ways = find_ways(doubts, most=most, held=DOORS[table.options.doors])
    told = tuple(Ending(chance, *ending) for ending, chance in endings(ways, end))
    return told, ways.unknown


def _as_read(pawn: Pawn) -> PawnReading:
    return PawnReading(pawn.square, pawn.heading, 1.0)


def _doubted(name: str, several: Sequence[PawnReading], is_dead: float = 0.0) -> Doubted:
    """Return where a pawn may stand; None where it is dead, which then is how it is taken."""
    dead: tuple[tuple[PawnReading | None, float], ...] = ((None, is_dead),) if is_dead else ()
    readings = (*dead, *((one, one.probability) for one in several))
    claims = tuple(None if one is None else one.square for one, _ in readings)
    return Doubted((name,), (), readings, claims=claims)


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
