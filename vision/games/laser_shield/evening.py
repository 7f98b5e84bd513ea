"""Positions of an evening: what changed between two, what a phase leaves, what was set up wrong.

Pawns of a team play alike, and real ones have no numbers. So pawns are paired, those of a team with
one another, by the least that must have happened; a number that goes to another pawn is no change.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from math import hypot

from vision.games.laser_shield.accounts import accounted, with_said
from vision.games.laser_shield.board import HEADINGS, centre_mm
from vision.games.laser_shield.resolve import SURE
from vision.games.laser_shield.tell import pawn_name
from vision.games.laser_shield.values import TEAMS, Pawn, Resolution, Table
from vision.games.laser_shield.words import doubt
from vision.judging.evening import Change
from vision.values.messages import Issue, Message, message

__all__ = ["changes", "expect", "left_by"]

_OTHER_NUMBER_MM = 10.0  # what another number costs: less than a step, for numbers may be misread
_NOTCH_MM = 5.0  # what a turn by a notch costs: a pawn that stays turns rather than another comes
_ALONE_MM = 1000.0  # what a pawn without its like costs: more than any way over the board

_Pair = tuple[Pawn | None, Pawn | None]


def changes(before: Table, after: Table) -> tuple[Change, ...]:
    """Return which pawns moved or turned, came or went."""
    return tuple(change for one, other in _pairs(before, after) for change in _change(one, other))


def left_by(table: Table, outcome: Resolution) -> Table:
    """Return the position after a phase: a pawn that stayed is as doubtful as it was."""
    before = {pawn.id: pawn for pawn in table.pawns}
    pawns = (_left(before[pawn.id], pawn) for pawn in outcome.position)
    return Table(tuple(pawns), {}, table.options, missing=table.missing)


def _left(before: Pawn, after: Pawn) -> Pawn:
    stayed = (before.square, before.heading) == (after.square, after.heading)
    is_doubtful = max((r.probability for r in before.readings), default=1.0) < SURE
    readings = before.readings if stayed and is_doubtful else ()
    return Pawn(after.id, after.square, after.heading, readings=readings)


def expect(table: Table, expected: Table | None) -> Table:
    """Return a position with a doubt for each pawn that is not where the last phase left it."""
    if expected is None:
        over = doubt("game_over", "shield.set_up.over", (), "note")
        return replace(table, doubts=(*table.doubts, over))
    table = with_said(table, accounted(table, expected))
    pairs = list(_pairs(expected, table))
    missed: dict[str, str | None] = {
        left.id: None for left, seen in pairs if left is not None and seen is None
    }
    for team in TEAMS:  # real pawns have no numbers: who is missing here bears one that is free
        own = [name for name in missed if name.startswith(team)]
        names = [name for name in table.missing if name.startswith(team)]
        names.sort(key=lambda name: name not in own)
        missed.update(zip(own, names, strict=False))
    wrong = tuple(issue for left, seen in pairs for issue in _wrong(left, seen, missed))
    return replace(table, doubts=(*table.doubts, *wrong))


def _pairs(before: Table, after: Table) -> Iterator[_Pair]:
    """Pair the pawns of each team by what costs least."""
    for team in TEAMS:
        ones = [pawn for pawn in before.pawns if pawn.team == team]
        others = [pawn for pawn in after.pawns if pawn.team == team]
        yield from min(_ways(ones, others), key=lambda way: sum(_cost(*pair) for pair in way))


def _ways(ones: Sequence[Pawn], others: Sequence[Pawn]) -> Iterator[list[_Pair]]:
    count = max(len(ones), len(others))
    here = [*ones, *[None] * (count - len(ones))]
    there = [*others, *[None] * (count - len(others))]
    for order in permutations(there):
        yield list(zip(here, order, strict=True))


def _cost(one: Pawn | None, other: Pawn | None) -> float:
    if one is None or other is None:
        return _ALONE_MM
    (x, y), (u, v) = centre_mm(one.square), centre_mm(other.square)
    notches = (HEADINGS.index(other.heading) - HEADINGS.index(one.heading) + 4) % 8 - 4
    renamed = _OTHER_NUMBER_MM * (one.id != other.id)
    return hypot(x - u, y - v) + _NOTCH_MM * abs(notches) + renamed


def _heading(pawn: Pawn) -> Message:
    return message(f"shield.heading.{pawn.heading}")


def _change(one: Pawn | None, other: Pawn | None) -> Iterator[Change]:
    if one is None and other is not None:
        said = message(
            "shield.watched.laid", who=_who(other), square=other.square, heading=_heading(other)
        )
        yield Change("laid", other.id, said)
    elif one is not None and other is None:
        said = message("shield.watched.removed", who=_who(one), square=one.square)
        yield Change("removed", one.id, said)
    elif one is not None and other is not None:
        gaps = {"who": _who(one), "start": one.square, "to": other.square}
        key = "turned" if one.square == other.square else "moved"
        if one.heading != other.heading:
            key = "moved_turned" if key == "moved" else "turned"
            gaps["heading"] = _heading(other)
        elif key == "turned":
            return
        yield Change("moved", other.id, message(f"shield.watched.{key}", **gaps))


def _wrong(
    left: Pawn | None, seen: Pawn | None, missed: Mapping[str, str | None]
) -> Iterator[Issue]:
    """Say what was set up otherwise than the last phase left it.

    ``missed`` says by which of the missing names a pawn that it left is told.
    """
    if left is None and seen is not None:
        gaps = {"who": _who(seen), "square": seen.square}
        yield doubt("set_up_extra", "shield.set_up.extra", (seen.id,), **gaps)
    elif left is not None and seen is None:
        gaps = {"who": _who(left), "square": left.square, "heading": _heading(left)}
        name = missed.get(left.id)
        yield doubt("set_up_missing", "shield.set_up.missing", (name,) if name else (), **gaps)
    elif left is not None and seen is not None and not _may_be(left, seen):
        gaps = {"who": _who(seen), "square": seen.square, "heading": _heading(seen)}
        gaps |= {"left": left.square, "looked": _heading(left)}
        if left.square != seen.square:
            yield doubt("set_up_wrong", "shield.set_up.square", (seen.id,), **gaps)
        elif left.heading != seen.heading:
            yield doubt("set_up_wrong", "shield.set_up.heading", (seen.id,), **gaps)


def _may_be(left: Pawn, seen: Pawn) -> bool:
    """Tell whether a pawn stands as one that was left doubtful may stand."""
    return any((r.square, r.heading) == (seen.square, seen.heading) for r in left.readings)


def _who(pawn: Pawn) -> Message:
    return pawn_name(pawn.id, "Pawn")
