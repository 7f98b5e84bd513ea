"""A position and its orders as text, and back.

::

    game laser-shield
    rule gun=ahead                     # an option that differs from the default
    start                              # the pawns of the beginning, or pawns one a line:
    orange b1 south-east               # numbered by line if that is not said
    bleu-2 e4 no                       # French is read too
    blue e1 e 0.7 or e1 se 0.3         # a doubt
    order orange fire b1>c1
"""

import math
import re
from dataclasses import replace

from vision.errors import TableFormatError
from vision.games.laser_shield.accounts import PER_TEAM
from vision.games.laser_shield.board import DOORS, HEADINGS, SQUARES
from vision.games.laser_shield.orders import format_order, parse_order
from vision.games.laser_shield.values import TEAMS, Options, Order, Pawn, PawnReading, Table
from vision.judging.notation import at_line, chance_words, lines_of, plain
from vision.judging.options import format_options, parse_options

__all__ = ["START", "check_position", "format_table", "parse_table"]

_TEAMS = {"orange": "orange", "blue": "blue", "bleu": "blue", "bleue": "blue"}
_ENGLISH = {"n": "north", "e": "east", "s": "south", "w": "west"}
_FRENCH = {"n": "nord", "e": "est", "s": "sud", "w": "ouest"}
_NAME = "laser-shield"


def _heading_words() -> dict[str, str]:
    """Return all ways to say a heading: letters and words of both languages."""
    words: dict[str, str] = {}
    for heading in HEADINGS:
        for names in (_ENGLISH, _FRENCH):
            parts = [names[letter] for letter in heading]
            short = "".join(part[0] for part in parts)
            words |= dict.fromkeys([short, "".join(parts), "-".join(parts)], heading)
    return words


_HEADINGS = _heading_words()
START = tuple(
    Pawn(f"{team}-{number}", square, heading)
    for team, places in (
        ("orange", (("a1", "e"), ("b1", "se"), ("c1", "s"))),
        ("blue", (("d4", "n"), ("e4", "nw"), ("f2", "w"))),
    )
    for number, (square, heading) in enumerate(places, start=1)
)


def parse_table(text: str) -> Table:
    """Read a position with its orders."""
    pawns: list[Pawn] = []
    orders: dict[str, Order | None] = {}
    settings: list[str] = []
    for number, line in lines_of(text):
        with at_line(number):
            words = plain(line).split()
            if words == ["start"]:
                pawns += START
            elif words[0] == "rule" and len(words) == 2:
                settings.append(words[1])
            elif words[0] == "order" and len(words) > 2:
                orders[_team(words[1])] = parse_order(" ".join(words[2:]))
            elif words != ["game", _NAME]:
                pawns.append(_pawn(words, pawns))
    table = Table(tuple(pawns), orders, parse_options(Options, settings))
    check_position(table)
    return table


def _team(word: str) -> str:
    if word in _TEAMS:
        return _TEAMS[word]
    msg = f"{word!r} is no team; the teams are orange and blue"
    raise TableFormatError(msg)


def _pawn(words: list[str], others: list[Pawn]) -> Pawn:
    """Read a pawn: ``orange b1 se`` or ``blue-2 e1 e 0.7 or e1 se 0.3``."""
    named, _, digit = words[0].partition("-")
    team = _team(named)
    taken = {pawn.id for pawn in others}
    free = [f"{team}-{k}" for k in range(1, PER_TEAM + 1) if f"{team}-{k}" not in taken]
    name = f"{team}-{digit}" if digit else next(iter(free), "")
    if name not in free:
        msg = f"{' '.join(words)!r}: a team has three pawns, {team}-1 to {team}-3, each once"
        raise TableFormatError(msg)
    parts = re.split(r"\s+(?:or|ou)\s+", " ".join(words[1:]))
    readings = _whole([_reading(part.split()) for part in parts])
    best = max(readings, key=lambda reading: reading.probability)
    doubtful = readings if len(readings) > 1 else ()
    return Pawn(name, best.square, best.heading, readings=doubtful)


def _whole(readings: list[PawnReading]) -> tuple[PawnReading, ...]:
    """Return readings whose chances add up to 1: those that are typed without one are as likely."""
    total = sum(reading.probability for reading in readings)
    if not total:
        msg = "none of the places has a chance; needed, as in: b1 se 0.7 or b1 s 0.3"
        raise TableFormatError(msg)
    if math.isclose(total, 1.0):
        return tuple(readings)
    return tuple(replace(one, probability=one.probability / total) for one in readings)


def _reading(words: list[str]) -> PawnReading:
    heading = _HEADINGS.get(words[1]) if len(words) in (2, 3) else None
    chance = words[2] if len(words) == 3 else "1"
    if heading is None or words[0] not in SQUARES or not re.fullmatch(r"[01]?\.?\d+", chance):
        msg = (
            f"{' '.join(words)!r} is no place; needed a square a1 to f2 and a heading, as in: "
            "b1 se, or with a doubt: b1 se 0.7 or b1 s 0.3"
        )
        raise TableFormatError(msg)
    return PawnReading(words[0], heading, float(chance))


def check_position(table: Table) -> None:
    """Refuse what cannot be: no pawn, two on a square, one on a door."""
    if not table.pawns:
        msg = "no pawn is on the board; needed at least one, as in: orange b1 se"
        raise TableFormatError(msg)
    doors = DOORS[table.options.doors]
    by_square: dict[str, str] = {}
    for pawn in table.pawns:
        if pawn.square in doors:
            msg = f"{pawn.id} stands on the door {pawn.square}; nobody stands on a door"
            raise TableFormatError(msg)
        if pawn.square in by_square:
            msg = f"{by_square[pawn.square]} and {pawn.id} both stand on {pawn.square}"
            raise TableFormatError(msg)
        by_square[pawn.square] = pawn.id


def format_table(table: Table) -> str:
    """Write a table as text; :func:`parse_table` gives the same squares, doubts and orders back."""
    lines = [f"game {_NAME}"]
    lines += [f"rule {setting}" for setting in format_options(table.options)]
    for pawn in table.pawns:
        readings = [f"{r.square} {r.heading} {chance_words(r.probability)}" for r in pawn.readings]
        lines.append(f"{pawn.id} {' or '.join(readings) or f'{pawn.square} {pawn.heading}'}")
    for team in TEAMS:
        order = format_order(table.orders.get(team))
        lines += [f"order {team} {order}"] if order else []
    return "\n".join(lines) + "\n"
