"""A table under hands: where its pieces stand, what may be put there or set by a tap, and changes.

The changes are those of :meth:`vision.judging.game.Game.standing`: a pose in millimetres goes to
the nearest cell and way.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from vision.errors import TableFormatError
from vision.games.asteroyds_capture.board import ACROSS_MM, board_of
from vision.games.asteroyds_capture.pieces import (
    HEADED,
    PILOTS,
    is_piece,
    kind_of,
    size_of,
    team_of,
)
from vision.games.asteroyds_capture.position import teams_of, turned_by
from vision.games.asteroyds_capture.spots import spots
from vision.games.asteroyds_capture.values import TEAMS, OtherValues, Piece, Table
from vision.games.asteroyds_capture.words import die_name, piece_name
from vision.judging.hands import Setting, Standing, nearest_place, read_pose
from vision.values.messages import Issue, Message, message

__all__ = ["laid", "settings", "spare", "standing", "without_doubt"]

_SIXTH = math.pi / 3
_SCORES = range(-1, 6)  #: what a score is set to by a tap: the game ends at 5 at most
_MOST_ROCKS = 4
_OF_PIECE = {"cell", "heading_deg", "on"}


def standing(table: Table) -> tuple[Standing, ...]:
    """Return the pieces where the table has them; what is carried stands with its ship."""
    places, found = spots(table), []
    for piece in table.pieces:
        if piece.id in places:
            turn = _SIXTH if kind_of(piece.id) in HEADED else 0.0
            x, y = places[piece.id]
            way = math.remainder(piece.way * _SIXTH, 2 * math.pi) if turn else 0.0
            found.append(Standing(piece.id, x, y, way, size_of(piece.id), ACROSS_MM, turn))
    return tuple(found)


def spare(table: Table) -> tuple[str, ...]:
    """Return the pieces of the teams that play, rocks and one more pod, that are not there."""
    there = {p.id for p in table.pieces if p.cell is not None or p.on is not None}
    names: list[str] = []
    for team in teams_of(table.pieces):
        names += [f"{team}-{k}" for k in (1, 2, 3)]
        names += [f"{team}-turret-{k}" for k in (1, 2)]
    names += [f"rock-{k}" for k in range(1, _MOST_ROCKS + 1)]
    pods = (f"pod-{k}" for k in range(1, len(there) + 2))
    names.append(next(pod for pod in pods if pod not in there))
    return tuple(name for name in names if name not in there)


# --- what a tap sets -----------------------------------------------------------------------------


def settings(table: Table) -> tuple[Setting, ...]:
    """Return dice, who carries what, scores; with pilots who flies, and whose power is spent."""
    return (*_dice(table), *_cargo(table), *_scores(table), *_crews(table))


def _dice(table: Table) -> Iterator[Setting]:
    doubtful = {one.of for one in table.alternatives if one.what == "die"}
    turned = turned_by(table.pieces)
    for colour in TEAMS:
        if colour in turned or colour in table.dice:
            values = (*range(1, 7), None)
            choices = tuple(
                (
                    message("asteroyds.set.none") if n is None else str(n),
                    {"kind": "dice", "dice": {colour: n}},
                )
                for n in values
            )
            chosen = values.index(table.dice.get(colour))
            name = die_name(colour)
            yield Setting(f"{colour}-die", name, choices, chosen, colour in doubtful)


def _cargo(table: Table) -> Iterator[Setting]:
    doubtful = {one.of for one in table.alternatives if one.what == "on"}
    for asteroyd in table.pieces:
        if kind_of(asteroyd.id) != "asteroyd":
            continue
        ships = [
            p.id
            for p in table.pieces
            if kind_of(p.id) == "ship" and p.cell and team_of(p.id) != team_of(asteroyd.id)
        ]
        change = {"kind": "set", "piece": asteroyd.id}
        loose = (message("asteroyds.set.loose"), {**change, "on": None})
        held = ((piece_name(ship), {**change, "on": ship}) for ship in ships)
        chosen = 0 if asteroyd.on is None else 1 + ships.index(asteroyd.on)
        name = message("asteroyds.set.carried", asteroyd=piece_name(asteroyd.id))
        is_doubtful = asteroyd.id in doubtful
        yield Setting(f"{asteroyd.id}-on", name, (loose, *held), chosen, is_doubtful)


def _scores(table: Table) -> Iterator[Setting]:
    for team in teams_of(table.pieces):
        values = sorted({*_SCORES, table.scores.get(team, 0)})
        choices = tuple((str(n), {"kind": "scores", "scores": {team: n}}) for n in values)
        chosen = values.index(table.scores.get(team, 0))
        yield Setting(f"{team}-score", message("asteroyds.set.score", team=team), choices, chosen)


def _crews(table: Table) -> Iterator[Setting]:
    if not table.options.pilots:
        return
    for ship in table.pieces:
        if kind_of(ship.id) != "ship" or not ship.cell:
            continue
        change = {"kind": "set", "piece": ship.id}
        pilots = (None, *PILOTS)
        none = message("asteroyds.set.nobody")
        choices: tuple[tuple[Message | str, Mapping[str, Any]], ...] = tuple(
            (none if p is None else p.title(), {**change, "pilot": p}) for p in pilots
        )
        name = message("asteroyds.set.pilot", ship=piece_name(ship.id))
        yield Setting(f"{ship.id}-pilot", name, choices, pilots.index(ship.pilot))
        if ship.pilot is not None:
            name = message("asteroyds.set.power", ship=piece_name(ship.id))
            said = ("asteroyds.set.unspent", "asteroyds.set.spent")
            choices = tuple(
                (message(key), {**change, "power_spent": bool(k)}) for k, key in enumerate(said)
            )
            yield Setting(f"{ship.id}-power", name, choices, int(ship.power_spent))


# --- changes -------------------------------------------------------------------------------------


def laid(table: Table, change: Mapping[str, Any]) -> Table | None:
    """Lay, name or take away a piece; None if the change is none of these."""
    pieces = {piece.id: piece for piece in table.pieces}
    there = {p.id for p in table.pieces if p.cell is not None or p.on is not None}
    match dict(change):
        case {"kind": "move" | "add" as kind, "piece": str(name), **pose} if is_piece(name) and (
            name in there
        ) == (kind == "move"):
            after = {**pieces, name: _at(table, pieces.get(name, Piece(name)), pose)}
            return without_doubt(_with(table, after), name, _OF_PIECE)
        case {"kind": "identify", "piece": str(name), "identity": str(other)} if (
            name in there and is_piece(other) and kind_of(other) == kind_of(name)
        ):
            return _renamed(table, {name: other, other: name})
        case {"kind": "remove", "id": str(name)} if name in pieces:
            return without_doubt(_taken_away(table, pieces, name), name, _OF_PIECE)
        case {"kind": "remove", "id": str(name)} if _is_missed(table, name):
            return without_doubt(table, name, _OF_PIECE)
    return None


def _is_missed(table: Table, name: str) -> bool:
    """Tell whether a piece is expected, or doubted to be there."""
    is_expected = any(name in one.pieces for one in table.expected)
    return is_expected or any(issue.cards == (name,) for issue in table.doubts)


def without_doubt(table: Table, of: str, what: set[str]) -> Table:
    """Return a table in which some things are no more in doubt: the players have said them."""

    def is_left(one: OtherValues) -> bool:
        return one.of != of or one.what not in what

    left = tuple(filter(is_left, table.alternatives))
    said = table.said | {(of, one) for one in what}
    return replace(table, alternatives=left, said=said, doubts=_without_pods(table))


def _without_pods(table: Table) -> tuple[Issue, ...]:
    """Return the doubts of a table but for pods missing from cells where there is one by now."""
    pods = {p.cell for p in table.pieces if kind_of(p.id) == "pod"}

    def is_left(issue: Issue) -> bool:
        place = dict(issue.said.values).get("place") if issue.said is not None else None
        is_pod = issue.code == "tile_missing" and kind_of(issue.cards[0]) == "pod"
        return not is_pod or place not in pods

    return tuple(filter(is_left, table.doubts))


def _with(table: Table, pieces: Mapping[str, Piece]) -> Table:
    return replace(table, pieces=tuple(pieces[name] for name in sorted(pieces)))


def _at(table: Table, piece: Piece, pose: Mapping[str, Any]) -> Piece:
    """Put a piece on the cell and the way that a pose is nearest to."""
    x_mm, y_mm, theta_rad = read_pose(piece.id, pose)
    board = board_of(table.radius)
    gaps = {cell: math.dist(board.centre_mm(cell), (x_mm, y_mm)) for cell in board.cells}
    cells = {p.id: p.cell for p in table.pieces}
    own = cells.get(piece.on or piece.id)
    if own is not None:  # where several share a cell it is not in the middle
        gaps[own] = min(gaps[own], math.dist(spots(table)[piece.id], (x_mm, y_mm)))
    cell = nearest_place(gaps, ACROSS_MM)
    if cell is None:
        msg = f"{piece.id} would lie beside the board; put it on a cell"
        raise TableFormatError(msg)
    if piece.on is not None and own == cell:
        return piece  # where it is carried: so it stays
    way = round(theta_rad / _SIXTH) % 6
    is_headed = kind_of(piece.id) in HEADED
    return replace(piece, cell=cell, on=None, way=way if is_headed else piece.way)


def _renamed(table: Table, names: Mapping[str, str]) -> Table:
    """Change the names of pieces; a programme stays with its name: it is that of a sheet."""
    pieces = [
        replace(p, id=names.get(p.id, p.id), on=None if p.on is None else names.get(p.on, p.on))
        for p in table.pieces
    ]
    alternatives = tuple(_alternative(one, names) for one in table.alternatives)
    after = {piece.id: piece for piece in pieces}
    there = {p.id for p in pieces if p.cell is not None}
    programs = {ship: program for ship, program in table.programs.items() if ship in there}
    return replace(_with(table, after), alternatives=alternatives, programs=programs)


def _alternative(one: OtherValues, names: Mapping[str, str]) -> OtherValues:
    if one.what == "on":
        options = tuple((names.get(value, value), chance) for value, chance in one.options)
        return replace(one, of=names.get(one.of, one.of), options=options)
    is_place = one.what in ("cell", "heading_deg")
    return replace(one, of=names.get(one.of, one.of)) if is_place else one


def _taken_away(table: Table, pieces: Mapping[str, Piece], name: str) -> Table:
    """Take a piece off; what a ship carried stays in its cell, and its programme goes."""
    after = {
        p.id: replace(p, cell=pieces[name].cell, on=None) if p.on == name else p
        for p in table.pieces
    }
    after[name] = replace(pieces[name], cell=None, on=None)
    programs = {ship: program for ship, program in table.programs.items() if ship != name}
    return replace(
        _with(table, after),
        programs=programs,
        alternatives=tuple(one for one in table.alternatives if one.of != name),
    )
