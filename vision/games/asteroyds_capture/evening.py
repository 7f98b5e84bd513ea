"""From turn to turn: what changed on a table, how it was set up, what no photo shows of it.

Pieces bear their ids; pods alone are alike, and are told by where they lie.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from vision.errors import TableFormatError
from vision.games.asteroyds_capture.hands import without_doubt
from vision.games.asteroyds_capture.pieces import HEADED, kind_of
from vision.games.asteroyds_capture.values import TEAMS, Piece, Table
from vision.games.asteroyds_capture.words import die_name, doubt, piece_name
from vision.judging.evening import Change
from vision.values.messages import Issue, Message, message

__all__ = ["Place", "carried", "carry", "changes", "expect", "misplaced", "place_of", "place_words"]

Place: TypeAlias = tuple[str | None, str | None, int]  #: cell, ship that carries it, way
_NOWHERE: Place = (None, None, 0)


def place_of(piece: Piece | None) -> Place | None:
    """Return where a piece is and which way it looks; None if it is not on the table."""
    if piece is None or (piece.cell is None and piece.on is None):
        return None
    return piece.cell, piece.on, piece.way if kind_of(piece.id) in HEADED else 0


# --- what changed --------------------------------------------------------------------------------


def changes(before: Table, after: Table) -> tuple[Change, ...]:
    """Return which pieces moved or turned, came or went, and which dice show something else."""
    told = [
        change
        for name, was, now in _pairs(before, after)
        if was != now
        for change in [_change(name, was, now)]
    ]
    for colour in TEAMS:
        was_die, die = before.dice.get(colour), after.dice.get(colour)
        if die is not None and die != was_die:
            said = message("asteroyds.watched.die", die=die_name(colour), number=str(die))
            told.append(Change("moved", f"{colour}-die", said))
    return tuple(told)


def _pairs(before: Table, after: Table) -> Iterator[tuple[str, Place | None, Place | None]]:
    """Yield each piece with where it was and is; pods that stayed somewhere are left out."""
    ones = {p.id: place_of(p) for p in before.pieces if kind_of(p.id) != "pod"}
    others = {p.id: place_of(p) for p in after.pieces if kind_of(p.id) != "pod"}
    for name in sorted({*ones, *others}):
        yield name, ones.get(name), others.get(name)
    here, there = (
        {place_of(p): p.id for p in t.pieces if kind_of(p.id) == "pod" and p.cell}
        for t in (before, after)
    )
    gone = [place for place in here if place not in there]
    come = [place for place in there if place not in here]
    for k in range(max(len(gone), len(come))):
        was, now = (several[k] if k < len(several) else None for several in (gone, come))
        yield here[was] if was is not None else there[now], was, now


def _change(name: str, was: Place | None, now: Place | None) -> Change:
    gaps: dict[str, Any] = {"piece": piece_name(name)}
    if now is None:
        return Change("removed", name, message("asteroyds.watched.removed", **gaps))
    gaps["place"] = place_words(now)
    if was is None:
        return Change("laid", name, message("asteroyds.watched.laid", **gaps))
    key = "moved" if was[:2] != now[:2] else "turned"
    if was[2] != now[2]:
        key = "moved_turned" if key == "moved" else "turned"
        gaps["degrees"] = 60 * now[2]
    return Change("moved", name, message(f"asteroyds.watched.{key}", **gaps))


def place_words(place: Place) -> Message | str:
    """Say where a piece is: its cell, or on which ship."""
    cell, on, _ = place
    return cell or "" if on is None else message("asteroyds.watched.on", ship=piece_name(on))


# --- the set-up ----------------------------------------------------------------------------------


def expect(table: Table, expected: Table | None) -> Table:
    """Return a position with a doubt for each piece that is not as the turn before left it."""
    if expected is None:
        over = doubt("set_up_over", (), "note")
        return replace(table, doubts=(*table.doubts, over))
    wrong = [
        misplaced("set_up", name, left, seen)
        for name, left, seen in _pairs(expected, table)
        if left != seen
    ]
    if any(table.scores.get(team, 0) != score for team, score in expected.scores.items()):
        scores = tuple(
            message("asteroyds.score", team=team, score=n) for team, n in expected.scores.items()
        )
        wrong.append(doubt("set_up_score", (), scores=scores))
    return replace(table, doubts=(*table.doubts, *wrong))


def misplaced(which: str, name: str, left: Place | None, seen: Place | None) -> Issue:
    """Say that a piece is not as it was to be; ``which``: a ``tile``, or one of a ``set_up``."""
    piece, pieces = piece_name(name), (name,)
    if left is None or seen is None:
        code = "extra" if left is None else "missing"
        at = place_words(seen or left or _NOWHERE)
        return doubt(f"{which}_{code}", pieces, piece=piece, place=at)
    if left[:2] == seen[:2]:
        looks, looked = 60 * seen[2], 60 * left[2]
        return doubt(f"{which}_turned", pieces, piece=piece, seen=looks, degrees=looked)
    here, there = place_words(seen), place_words(left)
    return doubt(f"{which}_elsewhere", pieces, piece=piece, seen=here, place=there)


# --- what no photo shows -------------------------------------------------------------------------


def carried(table: Table, expected: Table) -> dict[str, Any] | None:
    """Return the change that brings over what no photo shows: scores, pilots, spent powers.

    None where the table says of itself how it stands, or nothing is to be brought over.
    """
    ships = {p.id for p in table.pieces if kind_of(p.id) == "ship"}
    crews = [p for p in expected.pieces if p.id in ships and p.pilot is not None]
    scores = {} if any(table.scores.values()) else {k: n for k, n in expected.scores.items() if n}
    pilots = {p.id: p.pilot for p in crews}
    spent = [p.id for p in crews if p.power_spent]
    known = {p.id: (p.pilot, p.power_spent) for p in table.pieces}
    if all(known[p.id] == (p.pilot, p.power_spent) for p in crews) and not scores:
        return None
    return {"kind": "carry", "scores": scores, "pilots": pilots, "spent": spent}


def carry(table: Table, what: Mapping[str, Any]) -> Table:
    """Bring over what no photo shows; a pilot whom the photo shows for sure stays."""
    match dict(what):
        case {"scores": dict(scores), "pilots": dict(pilots), "spent": list(spent)} if all(
            type(n) is int for n in scores.values()
        ):
            doubted = {one.of for one in table.alternatives if one.what == "pilot"}
            pieces = tuple(
                replace(
                    p,
                    pilot=(None if p.id in doubted else p.pilot) or pilots.get(p.id) or p.pilot,
                    power_spent=p.power_spent or p.id in spent,
                )
                for p in table.pieces
            )
            for ship in filter(pilots.get, pilots):
                table = without_doubt(table, ship, {"pilot"})
            return replace(table, pieces=pieces, scores={**table.scores, **scores})
    msg = "carry: needed scores, pilots and spent"
    raise TableFormatError(msg)
