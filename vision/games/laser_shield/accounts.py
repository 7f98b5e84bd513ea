"""Pawns that are not on the board -> who has accounted for them, and where they may stand.

A team begins with three (rules page, "Board and pawn"). A photo with fewer shows a dead pawn or
does not show a living one; which, say the players or the phase before.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from vision.games.laser_shield.board import DOORS, HEADINGS, SQUARES
from vision.games.laser_shield.values import TEAMS, Fire, Move, PawnReading, Table, Turn
from vision.judging.counts import Expected, Shortfall, find_shortfalls
from vision.judging.said import Closes, closed_by, left_open
from vision.values.ledger import Weighed

__all__ = [
    "ALL_OF_PAWN",
    "PER_TEAM",
    "accounted",
    "closed",
    "living",
    "shortfalls",
    "shortfalls_of",
    "with_said",
]

PER_TEAM = 3  # pawns of a team at the beginning
_ALL = tuple(
    Expected(team, tuple(f"{team}-{k}" for k in range(1, PER_TEAM + 1)), PER_TEAM) for team in TEAMS
)
#: Chance that a missing pawn stands where nothing shows: 3 of 96 in full sight were overlooked on
#: 16 rendered photos, and it is as likely dead as not.
_UNSEEN = 0.03
#: Chance that something unread on a square, or a square that an order names, is a missing pawn.
_HINTED = 0.5
#: By what is said, the codes of the doubts that it closes, of judging and of seeing.
_CLOSES: Closes = {
    "square": (
        *("pawn_colour_unsure", "pawn_hidden", "pawn_on_door", "pawn_twice", "piece_unsure"),
        *("set_up_extra", "set_up_missing", "set_up_wrong"),
    ),
    "heading": ("pawn_without_shield", "set_up_wrong", "token_heading_unsure"),
}
#: What players may say of a pawn.
ALL_OF_PAWN = ("square", "heading")


def shortfalls(there: Collection[str], gone: Iterable[str] = ()) -> tuple[Shortfall, ...]:
    """Return the teams with fewer pawns than they began with."""
    return find_shortfalls(_ALL, there, gone)


def shortfalls_of(table: Table) -> tuple[Shortfall, ...]:
    """Return the teams of a table of which pawns are missing that nobody has accounted for."""
    names = {name for one in _ALL for name in one.pieces}
    return shortfalls({pawn.id for pawn in table.pawns}, names - set(table.missing))


def accounted(table: Table, expected: Table) -> tuple[str, ...]:
    """Return the missing pawns that the phase before left none of: they are dead.

    Real pawns have no numbers, so those of a team are counted.
    """
    gone: list[str] = []
    for team in TEAMS:
        left = [pawn.id for pawn in expected.pawns if pawn.team == team]
        unknown = [name for name in expected.missing if name.startswith(team)]
        here = sum(pawn.team == team for pawn in table.pawns)
        missing = [name for name in table.missing if name.startswith(team)]
        missing.sort(key=lambda name: name not in (*left, *unknown))  # whom it left may be there
        gone += missing[max(0, len(left) + len(unknown) - here) :]
    return tuple(sorted(gone))


def with_said(table: Table, names: Collection[str], what: Collection[str] = ALL_OF_PAWN) -> Table:
    """Return a table of which some pawns are no more in doubt: the players have said them."""
    missing = tuple(name for name in table.missing if name not in names)
    words = table.said | {(name, one) for name in names for one in what}
    doubts = left_open(table.doubts, words, _CLOSES)
    return replace(table, missing=missing, doubts=doubts, said=words)


def closed(table: Table) -> Iterator[Weighed]:
    """Yield the doubts of seeing that are closed: the players have said it, or nobody is missing.

    Where all pawns are accounted for, what else lies on the board, or on what of it does not show,
    is none.
    """
    yield from closed_by(table.said, _CLOSES, table.seen)
    if not table.missing:
        yield Weighed((), ("board_cut", "board_hidden", "thing_unread"), 0.0)


def living(table: Table) -> Mapping[str, tuple[tuple[PawnReading, ...], float]]:
    """Return of each missing pawn where it may stand, with chances, and how likely it lives.

    The chances of the readings add up to that.
    """
    taken = {pawn.square for pawn in table.pawns} | set(DOORS[table.options.doors])
    free = [square for square in SQUARES if square not in taken]
    found = {}
    for name in table.missing:
        team = name.partition("-")[0]
        hints = {*table.unread, *_ordered(table, team)} & set(free)
        share = _HINTED / max(len(table.missing), len(hints)) if hints else 0.0
        unseen = _UNSEEN * (1 - share * len(hints)) / max(len(free), 1)
        chances = {square: unseen + share * (square in hints) for square in free}
        readings = tuple(
            PawnReading(square, heading, chance / len(HEADINGS))
            for square, chance in chances.items()
            for heading in HEADINGS
        )
        found[name] = (readings, sum(chances.values()))
    return found


def _ordered(table: Table, team: str) -> tuple[str, ...]:
    """Return the square that a team's order begins from: who ordered knows of a pawn there."""
    match table.orders.get(team):
        case Fire(start, _):
            return (start,)
        case Move(path, _) if path:
            return (path[0],)
        case Turn(at, _):
            return (at,)
    return ()
