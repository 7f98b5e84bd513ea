"""Orders: text or JSON -> order; whether it is legal; order -> text."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from vision.errors import IllegalOrderError, TableFormatError
from vision.games.laser_shield.board import (
    DOORS,
    HEADINGS,
    RED,
    SQUARES,
    landing,
    way_between,
)
from vision.games.laser_shield.values import Fire, Move, Options, Order, Pass, Pawn, Turn
from vision.judging.notation import plain

__all__ = ["GUNS", "IllegalOrder", "check_order", "format_order", "order_from_json", "parse_order"]

GUNS = {"left": (-1, -2), "ahead": (0, -1), "cross": (0, -2)}  #: notches from the heading
_WORDS = {
    "move": "move",
    "deplacer": "move",
    "fire": "fire",
    "tirer": "fire",
    "turn": "turn",
    "tourner": "turn",
    "pass": "pass",
    "passer": "pass",
    "left": "left",
    "gauche": "left",
    "right": "right",
    "droite": "right",
}


class IllegalOrder(IllegalOrderError):
    """An order that may not be given; ``reason`` is its code."""

    def __init__(self, team: str, reason: str) -> None:
        super().__init__(f"the order of {team} is illegal: {reason}")
        self.reason = reason


def parse_order(text: str) -> Order:
    """Read an order: ``move a1-b2 right``, ``fire a1>b1``, ``turn b1 left``, ``pass``."""
    words = [word for word in re.split(r"->|[\s>\-]+", plain(text)) if word]
    verb = _WORDS.get(words[0]) if words else None
    squares = tuple(word for word in words[1:] if word in SQUARES)
    sides = [_WORDS.get(word) for word in words[1:] if word not in SQUARES]
    turn = sides[0] if len(sides) == 1 and sides[0] in ("left", "right") else None
    known = not sides or turn is not None
    if verb == "pass" and not words[1:]:
        return Pass()
    if verb == "fire" and len(squares) == 2 and not sides:
        return Fire(squares[0], squares[1])
    if verb in ("turn", "move") and len(squares) == 1 and turn is not None:
        return Turn(squares[0], "left" if turn == "left" else "right")
    if verb == "move" and len(squares) >= 2 and known and (not sides or words[-1] not in SQUARES):
        return Move(squares, None if turn is None else "left" if turn == "left" else "right")
    msg = (
        f"{text!r} is no order; needed one like: fire b1>c1, move a1-b2 right, turn b1 left, pass "
        "(squares a1 to f2)"
    )
    raise TableFormatError(msg)


def order_from_json(value: Any) -> Order | None:
    """Read an order from JSON: a text, null, or an object with ``action``."""
    if value is None:
        return None
    if isinstance(value, str):
        return parse_order(value)
    fields = {"fire": ("from", "to"), "move": ("path", "turn"), "turn": ("at", "turn"), "pass": ()}
    action = value.get("action") if isinstance(value, Mapping) else None
    if action not in fields or not set(value) <= {"action", *fields[action]}:
        msg = f"{value!r} is no order; needed a text, null, or an object with action and its fields"
        raise TableFormatError(msg)
    if action == "move":
        path = value.get("path")
        words = path if isinstance(path, list) else []
        return parse_order(" ".join(["move", *map(str, words), str(value.get("turn") or "")]))
    if action == "turn":
        return parse_order(f"turn {value.get('at')} {value.get('turn')}")
    return (
        Pass() if action == "pass" else parse_order(f"fire {value.get('from')} {value.get('to')}")
    )


def format_order(order: Order | None) -> str | None:
    """Write an order; None for none and for a pass."""
    return None if order is None or isinstance(order, Pass) else str(order)


def check_order(
    team: str, order: Order | None, pawns: Sequence[Pawn], options: Options
) -> Order | None:
    """Return an order with its landings written; None for none and for a pass.

    Raises
    ------
    IllegalOrder
        With the first reason: no_pawn, no_extra_move, not_adjacent, not_in_line, no_turn_in_place.
    """
    if order is None or isinstance(order, Pass):
        return None
    start = order.path[0] if isinstance(order, Move) else ""
    start = order.start if isinstance(order, Fire) else start
    start = order.at if isinstance(order, Turn) else start
    pawn = next((p for p in pawns if p.square == start and p.team == team), None)
    if pawn is None:
        raise IllegalOrder(team, "no_pawn")
    if isinstance(order, Fire):
        way = way_between(order.start, order.target)
        if way is None:
            raise IllegalOrder(team, "not_adjacent")
        if (way - HEADINGS.index(pawn.heading) + 4) % 8 - 4 not in GUNS[options.gun]:
            raise IllegalOrder(team, "not_in_line")
    if isinstance(order, Turn) and not options.turn_in_place:
        raise IllegalOrder(team, "no_turn_in_place")
    if isinstance(order, Move):
        return Move(_walk(team, order.path, DOORS[options.doors]), order.turn)
    return order


def _walk(team: str, path: tuple[str, ...], doors: tuple[str, str]) -> tuple[str, ...]:
    """Follow a path step by step; return it with the landings written."""
    at, written = path[0], [path[0]]
    allowed, used = 1, set[str]()
    left = list(path[1:])
    while left:
        target = left.pop(0)
        if not allowed:
            raise IllegalOrder(team, "no_extra_move")
        allowed -= 1
        if way_between(at, target) is None:
            raise IllegalOrder(team, "not_adjacent")
        stands = landing(at, target, doors)
        written.append(target)
        if stands != target:
            written.append(stands)
            if left and left[0] == stands:
                left.pop(0)
        if stands in RED and stands not in used:
            used.add(stands)
            allowed += 1
        at = stands
    return tuple(written)
