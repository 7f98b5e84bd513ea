"""What a commander orders <-> text or JSON: deeds one after the other, and what a card is.

As text, deeds stand with ``;`` or line ends between them, as in the notation, the seat left out:
``fire a1 at B; launch a5 at B spend 3``. ``a5 is hunter-missile`` says what lies face down there.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from vision.errors import TableFormatError
from vision.files.documents import shown
from vision.games.conflit_stellaire.check import check_table
from vision.games.conflit_stellaire.hands import known_face
from vision.games.conflit_stellaire.notation import format_deed, parse_deed
from vision.games.conflit_stellaire.values import Deed, Table
from vision.games.conflit_stellaire.verbs import deed_from_json

__all__ = ["Order", "format_order", "parts_of", "read_order", "with_orders"]

_IS = ("is", "est")
_NONE = ("", "pass", "passe", "passer")


@dataclass(frozen=True, slots=True)
class Order:
    """Deeds in their order, and faces of own cards that lie face down: id -> face."""

    deeds: tuple[Deed, ...] = ()
    known: Mapping[str, str] = field(default_factory=dict)


def parts_of(text: str) -> list[str]:
    """Return the parts of an order as text."""
    return [part.strip() for part in re.split(r"[;\n]", text) if part.strip()]


def read_order(table: Table, seat: str, given: Any) -> Order:
    """Read an order of a seat: text, a list of deeds as in files, or None."""
    if given is None or (isinstance(given, str) and given.strip().lower() in _NONE):
        return Order()
    if isinstance(given, str):
        return _read_text(table, seat, given)
    if not isinstance(given, list):
        msg = f"{shown(given)} is no order; needed text like: fire a1 at B; or a list of deeds"
        raise TableFormatError(msg)
    return Order(tuple(_deed(table, seat, deed, f"[{k}]") for k, deed in enumerate(given)))


def _read_text(table: Table, seat: str, text: str) -> Order:
    deeds: list[Deed] = []
    known: dict[str, str] = {}
    for part in parts_of(text):
        words = part.split()
        words = words[1:] if words[0] == seat and len(words) > 1 else words
        if len(words) == 3 and words[1].lower() in _IS:
            known[words[0]] = _face(table, seat, words[0], words[2])
            continue
        said = parse_deed([seat, *words], is_riposte=seat != table.active)
        said.pop("seat", None)
        deeds.append(_deed(table, seat, said, part))
    return Order(tuple(deeds), known)


def _deed(table: Table, seat: str, said: Any, place: str) -> Deed:
    is_riposte = seat != table.active
    whole = {**said, "seat": seat} if is_riposte and isinstance(said, Mapping) else said
    return deed_from_json(whole, place, table.active, is_riposte=is_riposte)


def _face(table: Table, seat: str, name: str, face: str) -> str:
    """Return the face that a card is said to have; only one's own that lies face down is said."""
    card = next((card for card in table.cards if card.id == name), None)
    if card is None or card.seat != seat or not (card.face_down or card.face == "back"):
        msg = f"{name} is no card of {seat} that lies face down; only of these it is said"
        raise TableFormatError(msg)
    return known_face(face)


def format_order(order: Order) -> str | None:
    """Write an order; None for none. :func:`read_order` gives the same back."""
    said = [f"{name} is {face}" for name, face in order.known.items()]
    for deed in order.deeds:
        said.append(format_deed(deed.to_json(is_riposte=True)).partition(" ")[2])
    return "; ".join(said) or None


def with_orders(table: Table, orders: Mapping[str, Order]) -> Table:
    """Return a table with the orders of some seats in place of those that stood."""
    known = {name: face for order in orders.values() for name, face in order.known.items()}
    cards = tuple(
        replace(card, face=known[card.id], face_down=True, readings=())
        if card.id in known
        else card
        for card in table.cards
    )
    declarations = table.declarations
    if table.active in orders:
        declarations = orders[table.active].deeds
    ripostes: list[Deed] = [deed for deed in table.ripostes if deed.seat not in orders]
    answering: Sequence[str] = sorted(seat for seat in orders if seat != table.active)
    for seat in answering:
        ripostes += orders[seat].deeds
    new = replace(table, cards=cards, declarations=declarations, ripostes=tuple(ripostes))
    return check_table(new)
