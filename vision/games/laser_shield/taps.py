"""Table and party -> what may be tapped on the way to an order, and what an order says.

A tap's text is a square (whose pawn acts), then an order that may go on: ``b1``, ``move b1-c2``,
``move b1-c2 left``, ``fire b1>c1``. Only what the rules allow is offered.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vision.errors import TableFormatError
from vision.games.laser_shield.board import centre_mm, neighbour
from vision.games.laser_shield.orders import (
    IllegalOrder,
    check_order,
    format_order,
    order_from_json,
    parse_order,
)
from vision.games.laser_shield.tell import SIDES, pawn_name
from vision.games.laser_shield.values import Fire, Move, Order, Pass, Pawn, Table, Turn
from vision.games.laser_shield.words import TEXTS
from vision.judging.orders import Choice, OrderRead, Party, check_party
from vision.texts import texts
from vision.values.ledger import Mark, Path
from vision.values.messages import Message, message

__all__ = ["choices", "parties", "read_order", "standing_orders"]


def parties(table: Table) -> tuple[Party, ...]:
    """Return the teams that have a pawn left."""
    left = {pawn.team for pawn in table.pawns}
    return tuple(Party(side.id, side.name, side.id) for side in SIDES if side.id in left)


def standing_orders(table: Table) -> dict[str, str | None]:
    """Return the orders on a table as text, None of who passes."""
    ids = [party.id for party in parties(table) if party.id in table.orders]
    return {team: format_order(table.orders[team]) for team in ids}


def choices(table: Table, party: str, so_far: str) -> tuple[Choice, ...]:
    """Return what may be tapped next."""
    check_party(parties(table), party)
    own = {pawn.square: pawn for pawn in table.pawns if pawn.team == party}
    if not so_far:
        none = Choice("pass", message("shield.tap.pass"), is_whole=True, goes_on=False)
        return (*(Choice(p.square, pawn_name(p.id), piece=p.id) for p in own.values()), none)
    if so_far in own:
        return tuple(_deeds(table, own[so_far]))
    order = parse_order(so_far)
    return tuple(_further(table, party, order)) if isinstance(order, Move) else ()


def read_order(table: Table, party: str, given: Any) -> OrderRead:
    """Read an order of a party; one that the rules lose is told to be lost."""
    check_party(parties(table), party)
    order = order_from_json(given)
    if order is None or isinstance(order, Pass):
        return OrderRead(None, message("shield.tap.pass"))
    try:
        order = check_order(party, order, table.pawns, table.options)
    except IllegalOrder as error:
        warning = message(f"shield.lost_{error.reason}", team=party)
        if table.options.illegal == "error":
            reason = texts("en", TEXTS).say(f"shield.reason.{error.reason}")
            msg = f"{format_order(order)!r} may not be ordered: {reason}; choose another"
            raise TableFormatError(msg) from error
        return OrderRead(format_order(order), _said(table, order), warning)
    return OrderRead(format_order(order), _said(table, order), marks=_marks(party, order))


def _deeds(table: Table, pawn: Pawn) -> Iterator[Choice]:
    """Offer what a pawn may do: fire, go, turn."""
    at = pawn.square
    around = [square for way in range(8) if (square := neighbour(at, way))]
    for square in around:
        if (order := _allowed(table, pawn.team, f"fire {at}>{square}")) is not None:
            said = message("shield.tap.fire", square=square)
            yield replace(_choice(pawn.team, order, said, square), goes_on=False)
    yield from _steps(table, pawn.team, f"move {at}", around)
    for side in ("left", "right"):
        if (order := _allowed(table, pawn.team, f"turn {at} {side}")) is not None:
            yield replace(_choice(pawn.team, order, message(f"shield.tap.{side}")), goes_on=False)


def _further(table: Table, party: str, order: Move) -> Iterator[Choice]:
    """Offer how a move may go on: another move, or a turn at its end."""
    if order.turn is not None or _allowed(table, party, format_order(order) or "") is None:
        return
    text, last = f"move {'-'.join(order.path)}", order.path[-1]
    yield from _steps(table, party, text, [s for way in range(8) if (s := neighbour(last, way))])
    for side in ("left", "right"):
        turned = replace(order, turn=side)
        yield replace(_choice(party, turned, message(f"shield.tap.{side}")), goes_on=False)


def _steps(table: Table, party: str, text: str, around: Sequence[str]) -> Iterator[Choice]:
    for square in around:
        if (order := _allowed(table, party, f"{text}-{square}")) is not None:
            yield _choice(party, order, message("shield.tap.move", square=square), square)


def _allowed(table: Table, party: str, text: str) -> Order | None:
    """Return an order with its landings written, None if it is illegal."""
    try:
        return check_order(party, parse_order(text), table.pawns, table.options)
    except IllegalOrder:
        return None


def _choice(party: str, order: Order, said: Message, square: str | None = None) -> Choice:
    at = None if square is None else centre_mm(square)
    text = format_order(order) or ""
    return Choice(text, said, at_mm=at, marks=_marks(party, order), is_whole=True)


def _marks(party: str, order: Order | None) -> tuple[Mark, ...]:
    """Draw an order: where a beam begins, the way of a move."""
    if isinstance(order, Fire):
        ends = np.array([centre_mm(order.start), centre_mm(order.target)])
        return (Path(ends, party, 0),)
    if isinstance(order, Move):
        return (Path(np.array([centre_mm(s) for s in order.path]), party, kind="move"),)
    return ()


def _said(table: Table, order: Order | None) -> Message:
    """Say an order in words."""
    if isinstance(order, Fire):
        who = _who(table, order.start)
        return message("shield.said.fire", who=who, start=order.start, target=order.target)
    if isinstance(order, Turn):
        turn = message(f"shield.said.{order.turn}")
        return message("shield.said.turn", who=_who(table, order.at), at=order.at, turn=turn)
    if isinstance(order, Move):
        who, path = _who(table, order.path[0]), "-".join(order.path)
        if order.turn is None:
            return message("shield.said.move", who=who, path=path)
        turn = message(f"shield.said.{order.turn}")
        return message("shield.said.both", who=who, path=path, turn=turn)
    return message("shield.tap.pass")


def _who(table: Table, square: str) -> Message | str:
    """Return who stands on a square."""
    found = next((pawn for pawn in table.pawns if pawn.square == square), None)
    return message("shield.nobody") if found is None else pawn_name(found.id)
