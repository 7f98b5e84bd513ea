"""A table -> its turn played, and every way it may end, given what else was read."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from vision.errors import TableFormatError
from vision.games.asteroyds_capture.doubtful import doubtful, issue_of
from vision.games.asteroyds_capture.pieces import kind_of
from vision.games.asteroyds_capture.position import teams_of, turned_by
from vision.games.asteroyds_capture.programs import anticipate
from vision.games.asteroyds_capture.said import closed, open_unread, tell_missing
from vision.games.asteroyds_capture.setup import check_table, odd_places
from vision.games.asteroyds_capture.turn import Played, after, play
from vision.games.asteroyds_capture.values import (
    TEAMS,
    Ending,
    Piece,
    Program,
    Resolution,
    Spot,
    Table,
)
from vision.games.asteroyds_capture.words import doubt, piece_name
from vision.judging.doubted import Doubted, Ways, how_much, numbered
from vision.judging.odds import endings, find_ways, not_known
from vision.values.ledger import Weighed
from vision.values.messages import Issue

__all__ = ["own_value", "read_as", "resolve"]

_PlayedWays: TypeAlias = Mapping[tuple[int, ...], Played]  #: by which reading of each spot holds
_SEEING = {"die_doubtful": ("die_unsure",)}  #: what seeing says of the same thing
_MOST_WAYS = 4096  # joint readings that are played, each in some 0.6 ms


def resolve(table: Table) -> Resolution:
    """Play the turn of a table."""
    played = play(table)
    ways, rounds = _play_ways(table, played)
    told, is_uncertain = _endings(ways, rounds)
    said = tuple(closed(table))
    issues = (*table.doubts, *tell_missing(table), *_issues(table, played))
    issues = (*issues, *not_known(ways.unknown))
    return Resolution(
        rounds=played.rounds,
        scores=dict(played.position.scores),
        winners=played.winners,
        final=after(table, played),
        endings=told,
        uncertain=is_uncertain,
        issues=tuple(i for i in issues if not any(one.is_said and one.is_of(i) for one in said)),
        weighed=tuple(_weigh(table, ways, rounds)),
        unknown=ways.unknown,
    )


# --- what else may be ----------------------------------------------------------------------------


def own_value(table: Table, spot: Spot) -> Any:
    """Return what a table itself has in a spot."""
    of, what, column = spot
    pieces = {piece.id: piece for piece in table.pieces}
    program = table.programs.get(of, Program())
    piece = pieces.get(of)
    if what == "die":
        return table.dice.get(of)
    if piece is not None and what == "column" and kind_of(of) == "ship" and 1 <= column <= 6:
        return program.columns[column - 1]
    if piece is not None and what in ("mode", "rounds") and kind_of(of) == "ship":
        return program.mode if what == "mode" else program.rounds
    if piece is not None and what == "pilot" and kind_of(of) == "ship":
        return piece.pilot
    if piece is not None and what == "on" and kind_of(of) == "asteroyd":
        return piece.on
    if piece is not None and what in ("cell", "heading_deg"):
        return piece.cell if what == "cell" else piece.way
    msg = f"alternatives: {of!r} has no {what!r}"
    raise TableFormatError(msg)


def read_as(table: Table, chosen: Mapping[Spot, Any]) -> Table:
    """Return a table with some spots read otherwise; nothing else is doubtful in it."""
    pieces = {piece.id: piece for piece in table.pieces}
    programs, dice = dict(table.programs), dict(table.dice)
    carried: dict[str, str | None] = {}
    for (of, what, column), value in chosen.items():
        if what == "die":
            dice.pop(of, None)
            if value is not None:
                dice[of] = value
        elif what == "cell":
            pieces[of] = replace(pieces[of], cell=value)
        elif what == "heading_deg":
            pieces[of] = replace(pieces[of], way=value)
        elif what == "pilot":
            pieces[of] = replace(pieces[of], pilot=value)
        elif what == "on":
            carried[of] = value
        else:
            programs[of] = _programmed(programs.get(of, Program()), what, column, value)
    for piece in table.pieces:
        if kind_of(piece.id) == "asteroyd":
            ship = carried.get(piece.id, piece.on)
            pieces[piece.id] = _loaded(pieces[piece.id], ship, pieces)
    return replace(
        table, pieces=tuple(pieces.values()), programs=programs, dice=dice, alternatives=()
    )


def _loaded(asteroyd: Piece, ship: str | None, pieces: Mapping[str, Piece]) -> Piece:
    """Return an asteroyd on a ship; or loose, at its own cell or where the ship stands."""
    if ship is not None:
        return replace(asteroyd, cell=None, on=ship)
    if asteroyd.cell is None and asteroyd.on is not None:
        return replace(asteroyd, cell=pieces[asteroyd.on].cell, on=None)
    return replace(asteroyd, on=None)


def _programmed(program: Program, what: str, column: int, value: Any) -> Program:
    if what == "mode":
        return replace(program, mode=value)
    if what == "rounds":
        return replace(program, rounds=value)
    columns = program.columns
    return replace(program, columns=(*columns[: column - 1], value, *columns[column:]))


def _endings(ways: Ways, rounds: _PlayedWays) -> tuple[tuple[Ending, ...], bool]:
    """Return how all joint readings end; and whether any of them leaves the pieces otherwise."""
    told = endings(ways, lambda chosen: _ending(rounds[chosen]))
    by_score: dict[tuple[Any, ...], float] = {}
    for (scores, winners, _), chance in told:
        by_score[scores, winners] = by_score.get((scores, winners), 0.0) + chance
    ranked = sorted(by_score.items(), key=lambda item: -item[1])
    found = tuple(Ending(chance, dict(scores), winners) for (scores, winners), chance in ranked)
    return found, len(told) != 1 or ways.unknown > 0


def _played_as(table: Table, chosen: Mapping[Spot, Any]) -> Played | None:
    """Play a table with some spots read otherwise; None if no table can be so."""
    read = read_as(table, chosen)
    try:
        check_table(read)
    except TableFormatError:
        return None
    return play(read)


def _ending(played: Played) -> tuple[Any, ...]:
    position = played.position
    return tuple(position.scores.items()), played.winners, tuple(position.pieces.values())


# --- what is to be said of it --------------------------------------------------------------------


def _issues(table: Table, played: Played) -> Iterator[Issue]:
    pieces = {p.id: p for p in table.pieces if p.cell}
    yield from doubtful(table.alternatives, table.seen)
    # Where nobody has a programme yet, it is a position: nothing of a turn is in doubt.
    grade: Literal["note", "doubt"] = "doubt" if table.programs else "note"
    turned = turned_by(table.pieces)
    if open_unread(table):  # a rock, or a turret, may be among what nobody read
        turned = {colour: turned.get(colour, []) for colour in TEAMS}
    for colour in TEAMS:
        is_said = (colour, "die") in table.said
        if colour in turned and table.dice.get(colour) is None and not is_said:
            yield doubt("die_missing", tuple(sorted(turned[colour])), grade, team=colour)
    ships = sorted(name for name in pieces if kind_of(name) == "ship")
    told = {of for of, what in table.said if what == "column"}
    idle = tuple(ship for ship in ships if ship not in table.programs and ship not in told)
    if idle:
        names = tuple(piece_name(ship) for ship in idle)
        yield doubt("program_missing", idle, grade, ships=names)
    for ship in ships:
        program = table.programs.get(ship)
        issue = program and anticipate(pieces[ship], program, table.options).issue
        if issue:
            yield doubt(issue, (ship,), "note", ship=piece_name(ship))
    for ship, number in played.refused:
        yield doubt("power_refused", (ship,), "note", ship=piece_name(ship), n=number)
    on_walls, shared = odd_places(table.pieces)
    for ship, *walls in on_walls:
        names = tuple(piece_name(wall) for wall in walls)
        yield doubt("ship_on_obstacle", (ship, *walls), ship=piece_name(ship), others=names)
    for together in shared:
        names = tuple(piece_name(wall) for wall in together)
        yield doubt("pieces_share_cell", together, others=names)
    if not played.rounds:
        winner = played.winners[0] if played.winners else teams_of(table.pieces)[0]
        yield doubt("game_over", (), "note", team=winner)


# --- every way played, and what each reading changes ---------------------------------------------


def _play_ways(table: Table, played: Played) -> tuple[Ways, _PlayedWays]:
    """Play every way that a table may be; ``played`` is its turn as it is read."""
    spots, doubts = [one.spot for one in table.alternatives], _doubts(table)
    rounds = {(0,) * len(spots): played}

    def is_possible(chosen: tuple[int, ...]) -> bool:
        if chosen not in rounds:
            held = zip(spots, doubts, chosen, strict=True)
            other = _played_as(table, {spot: d.readings[k][0] for spot, d, k in held})
            if other is None:
                return False
            rounds[chosen] = other
        return True

    return find_ways(doubts, is_possible, _MOST_WAYS), rounds


def _weigh(table: Table, ways: Ways, rounds: _PlayedWays) -> Iterator[Weighed]:
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
