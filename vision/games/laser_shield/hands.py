"""A table and a change in plain JSON -> the table changed: orders, and pawns laid by hand.

``{"kind": "orders", "orders": {"orange": "fire b1>c1"}}`` (``{"kind": "order", "team", "order"}``
for one), ``{"kind": "place", "piece", "square", "heading"}``, ``{"kind": "set", ...}`` with one or
both of ``square`` and ``heading``, the changes of :meth:`vision.judging.game.Game.standing` (who is
missing and taken away is dead, as are those of ``{"kind": "gone", "pieces": ["orange-2"]}``),
``{"kind": "rules"}`` with ``rules`` (JSON) or ``set`` (``KEY=VALUE``).
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from vision.errors import TableFormatError
from vision.games.laser_shield.accounts import ALL_OF_PAWN, with_said
from vision.games.laser_shield.board import HEADINGS, SQUARE_MM, SQUARES, centre_mm
from vision.games.laser_shield.notation import check_position
from vision.games.laser_shield.orders import order_from_json
from vision.games.laser_shield.pieces import PIECES, TOKEN_MM
from vision.games.laser_shield.tell import pawn_name
from vision.games.laser_shield.values import TEAMS, Pawn, PawnReading, Table
from vision.judging.hands import Setting, Standing, nearest_place, read_pose
from vision.judging.options import changed_options
from vision.judging.said import nothing_more
from vision.values.messages import message

__all__ = ["edit", "settings", "spare", "standing"]

_NOTCH = math.pi / 4
_NAMES = tuple(piece.id for piece in PIECES.of_kind("token"))


def standing(table: Table) -> tuple[Standing, ...]:
    """Return the pawns where the game has them: in the middles of their squares."""
    size = (TOKEN_MM, TOKEN_MM)
    return tuple(
        Standing(
            pawn.id,
            *centre_mm(pawn.square),
            HEADINGS.index(pawn.heading) * _NOTCH,
            size,
            SQUARE_MM,
            _NOTCH,
        )
        for pawn in table.pawns
    )


def spare(table: Table) -> tuple[str, ...]:
    """Return the pawns that are not on the board."""
    there = {pawn.id for pawn in table.pawns}
    return tuple(name for name in _NAMES if name not in there)


def edit(table: Table, change: Mapping[str, Any]) -> Table:
    """Bring an order or a correction to a table."""
    if (word := nothing_more(change)) is not None:
        return replace(table, said=table.said | {word})
    after = _ordered(table, change) or _corrected(table, change)
    if after is None:
        msg = (
            f'{dict(change)} is no change; needed one like {{"kind": "place", "piece": "blue-1", '
            '"square": "e2", "heading": "n"}'
        )
        raise TableFormatError(msg)
    check_position(after)
    return after


def _ordered(table: Table, change: Mapping[str, Any]) -> Table | None:
    """Bring orders or other options; None if the change is none of these."""
    match dict(change):
        case {"kind": "order", "team": str(team), "order": order}:
            return _with_orders(table, {team: order})
        case {"kind": "orders", "orders": dict(orders)}:
            return _with_orders(table, orders)
    options = changed_options(table.options, change)
    return None if options is None else replace(table, options=options)


def _with_orders(table: Table, orders: Mapping[str, Any]) -> Table:
    if not set(orders) <= set(TEAMS):
        msg = f"orders of {', '.join(map(str, orders))}: the teams are {' and '.join(TEAMS)}"
        raise TableFormatError(msg)
    read = {team: order_from_json(order) for team, order in orders.items()}
    return replace(table, orders={**table.orders, **read})


def _corrected(table: Table, change: Mapping[str, Any]) -> Table | None:
    """Lay, name or take away a pawn; None if the change is none of these."""
    known = {pawn.id: pawn for pawn in table.pawns}
    match dict(change):
        case {"kind": "place", "piece": str(name), "square": square, "heading": heading} if (
            square in SQUARES and heading in HEADINGS and name in _NAMES
        ):
            return _with_pawns(table, {**known, name: Pawn(name, square, heading)}, {name})
        case {"kind": "set", "piece": str(name), **said} if (
            name in (*known, *table.missing)
            and said
            and set(said) <= set(ALL_OF_PAWN)
            and said.get("square", "a1") in SQUARES
            and said.get("heading", "n") in HEADINGS
        ):
            told = tuple(said) if name in known else ALL_OF_PAWN
            after = {**known, name: _set(name, known.get(name), said)}
            return _with_pawns(table, after, {name}, told)
        case {"kind": "move" | "add" as kind, "piece": str(name), **pose} if name in _NAMES and (
            name in known
        ) == (kind == "move"):
            return _with_pawns(table, {**known, name: _laid(name, pose)}, {name})
        case {"kind": "identify", "piece": str(name), "identity": str(other)} if (
            name in known and other in _NAMES
        ):
            renamed = {name: other, other: name}
            pawns = [replace(p, id=renamed.get(p.id, p.id)) for p in table.pawns]
            return _with_pawns(table, {pawn.id: pawn for pawn in pawns})
        case {"kind": "remove", "id": str(name)} if name in known:
            return _with_pawns(table, {k: pawn for k, pawn in known.items() if k != name})
        case {"kind": "remove", "id": str(name)} if name in table.missing:
            return with_said(table, {name})
        case {"kind": "gone", "pieces": list(names)} if set(names) <= set(_NAMES):
            return with_said(table, set(names))
    return None


def settings(table: Table) -> tuple[Setting, ...]:
    """Return what a tap says of each missing pawn: that it is dead."""
    dead = message("shield.set.dead")
    return tuple(
        Setting(
            f"{name}-missing",
            pawn_name(name, "Pawn"),
            ((dead, {"kind": "remove", "id": name}),),
            -1,
            is_doubtful=True,
            of=name,
        )
        for name in table.missing
    )


def _with_pawns(
    table: Table,
    pawns: Mapping[str, Pawn],
    names: Collection[str] = (),
    what: Collection[str] = ALL_OF_PAWN,
) -> Table:
    """Return a table with other pawns, of which players said some, or those that differ."""
    before = {pawn.id: pawn for pawn in table.pawns}
    changed = {name for name in {*before, *pawns} if before.get(name) != pawns.get(name)}
    after = replace(table, pawns=tuple(pawns[name] for name in sorted(pawns)))
    return with_said(after, names or changed, what)


def _set(name: str, pawn: Pawn | None, said: Mapping[str, str]) -> Pawn:
    """Return a pawn as it may still be read, given its square or its heading."""
    if pawn is None:
        if "square" not in said:
            msg = f"{name} was not seen: say first where it stands, as in {name}.square=c3"
            raise TableFormatError(msg)
        ways = [said["heading"]] if "heading" in said else list(HEADINGS)
        several = [PawnReading(said["square"], way, 1 / len(ways)) for way in ways]
    else:
        own = pawn.readings or (PawnReading(pawn.square, pawn.heading, 1.0),)
        fits = [r for r in own if all(getattr(r, field) == said[field] for field in said)]
        several = fits or [
            replace(r, square=said.get("square", r.square), heading=said.get("heading", r.heading))
            for r in own
        ]
    total: dict[tuple[str, str], float] = {}
    for one in several:
        total[one.square, one.heading] = total.get((one.square, one.heading), 0) + one.probability
    whole = sum(total.values())
    readings = tuple(PawnReading(*at, chance / whole) for at, chance in total.items())
    best = max(readings, key=lambda reading: reading.probability)
    more = readings if len(readings) > 1 else ()
    return Pawn(name, best.square, best.heading, None if pawn is None else pawn.pose, more)


def _laid(name: str, pose: Mapping[str, Any]) -> Pawn:
    """Put a pawn on the square and the heading that a pose is nearest to."""
    x_mm, y_mm, theta_rad = read_pose(name, pose)
    gaps = {square: math.dist(centre_mm(square), (x_mm, y_mm)) for square in SQUARES}
    square = nearest_place(gaps, SQUARE_MM)
    if square is None:
        msg = f"{name} would stand beside the board; put it on a square"
        raise TableFormatError(msg)
    return Pawn(name, square, HEADINGS[round(theta_rad / _NOTCH) % 8])
