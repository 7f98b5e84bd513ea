"""A table and a change in plain JSON -> the table changed, or a refusal."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, cast

from pydantic import Field

from vision.errors import TableFormatError
from vision.files.documents import read_document
from vision.files.schemas import Model, Name
from vision.games.conflit_stellaire.check import check_table
from vision.games.conflit_stellaire.costs import ATTACKS_OF_SHIPS, uses
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.hands import find_card, laid
from vision.games.conflit_stellaire.notation import parse_turn
from vision.games.conflit_stellaire.orders import read_order, with_orders
from vision.games.conflit_stellaire.settle import open_readings, settle, with_words
from vision.games.conflit_stellaire.values import (
    Campaign,
    Card,
    CardFields,
    CardForm,
    Distance,
    Seat,
    SeatFields,
    Table,
    to_reading,
)
from vision.games.conflit_stellaire.verbs import deeds_from_json
from vision.games.conflit_stellaire.words import doubt, named
from vision.judging.options import changed_options
from vision.judging.said import nothing_more
from vision.values.messages import Issue

__all__ = ["CHANGES", "edit", "take_turn"]

CHANGES = (
    '{"kind": "card", "id": "b1", "set": {"engaged": false}}, {"kind": "add", "card": {...}}, '
    '{"kind": "remove", "id": "b1"}, {"kind": "seat", "id": "B", "set": {"hull": 7}}, '
    '{"kind": "distance", "between": ["A", "B"], "uds": 5}, {"kind": "declare", "deeds": [...]}, '
    '{"kind": "riposte", "seat": "B", "deeds": [...]}, {"kind": "turn", "turn": {...}}, '
    '{"kind": "orders", "orders": {"A": "fire a1 at B"}}, '
    '{"kind": "campaign", "campaign": {...}}, {"kind": "rules", "set": ["alive=in-play"]}, '
    '{"kind": "settle", "id": "b1", "reading": 0}, {"kind": "active", "seat": "B"}'
)
_OUT_OF_TURN = ("shield", "jammer", "anti-missile")  # what others than the active seat may use
_NEVER_TURNED = ("energy", "net", "troop", "suit", "missile", "rocket", "back", "auxiliary")


def edit(table: Table, change: Mapping[str, Any]) -> Table:
    """Bring a change to a table; what a person says is not read otherwise any more."""
    if (word := nothing_more(change)) is not None:
        return replace(table, said=table.said | {word})
    return with_words(check_table(_edited(table, change)), change, table)


def _edited(table: Table, change: Mapping[str, Any]) -> Table:
    match dict(change):
        case {"kind": "card", "id": str(name), "set": dict(fields)}:
            return _set_card(table, name, fields)
        case {"kind": "settle", "id": str(name)}:
            return settle(table, name, change.get("reading"))
        case {"kind": "active", "seat": str(seat)}:
            return replace(table, active=seat, declarations=(), ripostes=())
        case {"kind": "add", "card": dict(card)}:
            return replace(table, cards=(*table.cards, _read_card(card)))
        case {"kind": "remove", "id": str(name)}:
            find_card(table, name)
            return replace(table, cards=tuple(c for c in table.cards if c.id != name))
        case {"kind": "seat", "id": str(name), "set": dict(fields)}:
            return _set_seat(table, name, fields)
        case {"kind": "distance", "between": list(pair), "uds": int(uds)} if len(pair) == 2:
            first, second = sorted(map(str, pair))
            kept = tuple(d for d in table.distances if d.between != (first, second))
            return replace(table, distances=(*kept, Distance((first, second), uds)))
        case {"kind": "declare", "deeds": list(deeds)}:
            read = deeds_from_json(deeds, "declarations", table.active)
            return replace(table, declarations=read)
        case {"kind": "riposte", "seat": str(seat), "deeds": list(deeds)}:
            said = [{"seat": seat, **deed} for deed in deeds]
            own = deeds_from_json(said, "ripostes", table.active)
            others = tuple(deed for deed in table.ripostes if deed.seat != seat)
            return replace(table, ripostes=(*others, *own))
        case {"kind": "orders", "orders": dict(orders)}:
            return _ordered(table, orders)
        case {"kind": "turn", "turn": turn}:
            return take_turn(table, turn)
        case {"kind": "campaign", "campaign": dict(campaign)}:
            return replace(table, campaign=read_document(campaign, Campaign))
        case {"kind": "rules"} if options := changed_options(table.options, change):
            return replace(table, options=options)
    moved = laid(table, change)
    if moved is not None:
        return moved
    msg = f"{dict(change)} is no change; needed one like {CHANGES}"
    raise TableFormatError(msg)


def _read_card(card: Mapping[str, Any]) -> Card:
    read: Card = read_document(card, cast("Any", CardForm))
    return read


def _ordered(table: Table, orders: Mapping[str, Any]) -> Table:
    """Bring the orders of some seats, all at once."""
    seats = [seat.id for seat in table.seats]
    if not set(orders) <= set(seats):
        msg = f"orders of {', '.join(map(str, orders))}: the seats are {', '.join(seats)}"
        raise TableFormatError(msg)
    read = {seat: read_order(table, seat, given) for seat, given in orders.items()}
    return with_orders(table, read)


def _set_card(table: Table, name: str, fields: Mapping[str, Any]) -> Table:
    card = find_card(table, name)
    said = dict(to_reading(read_document(fields, CardFields)).fields)
    if said.get("engaged") is False:
        said.setdefault("up", None)
    new = replace(card, readings=open_readings(card.readings, said), **said)
    with_it = _lying_on(table, name) if new.seat != card.seat else set()
    return replace(
        table,
        cards=tuple(
            new if c.id == name else replace(c, seat=new.seat) if c.id in with_it else c
            for c in table.cards
        ),
    )


def _lying_on(table: Table, name: str) -> set[str]:
    """Return what lies on a card, and on that: it is whose the card is."""
    first = {card.id for card in table.cards if card.on == name}
    return first | {other for one in first for other in _lying_on(table, one)}


def _set_seat(table: Table, name: str, fields: Mapping[str, Any]) -> Table:
    if name not in [seat.id for seat in table.seats]:
        msg = f"no seat {name!r} is at the table"
        raise TableFormatError(msg)
    said = to_reading(read_document(fields, SeatFields)).fields

    def changed(seat: Seat) -> Seat:
        open_still = open_readings(seat.readings, said)
        return replace(seat, readings=open_still, **said) if seat.id == name else seat

    return replace(table, seats=tuple(changed(seat) for seat in table.seats))


# --- turns that were written down ----------------------------------------------------------------
# A photo taken when all is declared shows what was used turned already: what the turn names was
# ready before, so was the active's energy, and of the others as many engaged cells as their
# ripostes cost. What differs between photo and turn is told.


class TurnModel(Model):
    """A turn: whose it is, what is declared, when the photo was taken."""

    active: Name
    declarations: list[Any] = Field(default_factory=list)
    ripostes: list[Any] = Field(default_factory=list)
    campaign: Campaign | None = None
    moment: Literal["start", "declared"] = "declared"


def take_turn(table: Table, said: str | Mapping[str, Any]) -> Table:
    """Bring a turn, text or JSON, to a table that was photographed."""
    if isinstance(said, str) and said.lstrip()[:1] != "{":
        said = parse_turn(said)
    model = read_document(said, TurnModel)
    if model.active not in [seat.id for seat in table.seats]:
        msg = f"active: no seat {model.active!r} is at the table"
        raise TableFormatError(msg)
    new = replace(
        table,
        active=model.active,
        declarations=deeds_from_json(model.declarations, "declarations", model.active),
        ripostes=deeds_from_json(model.ripostes, "ripostes", model.active),
        campaign=table.campaign if model.campaign is None else model.campaign,
    )
    return new if model.moment == "start" else _as_before(new)


def _as_before(table: Table) -> Table:
    """Turn back what the turn has turned, and tell what differs."""
    deeds = (*table.declarations, *table.ripostes)
    named_cards = {card for deed in deeds for card in uses(deed)}
    acting = {deed.ship for deed in deeds if deed.do in ATTACKS_OF_SHIPS and deed.ship}
    ready = named_cards | acting | set(_energy(table))
    cards = tuple(_as_ready(card) if card.id in ready else card for card in table.cards)
    doubts = (*table.doubts, *_differences(table, named_cards | acting))
    return replace(table, cards=cards, doubts=doubts)


def _as_ready(card: Card) -> Card:
    """Return a card as it was before it was turned: no reading says any more that it was not."""
    pose = card.pose and replace(card.pose, was_engaged=card.engaged)
    readings = tuple(r for r in card.readings if set(r.fields) - {"engaged", "up"})
    return replace(card, engaged=False, up=None, pose=pose, readings=readings)


def _energy(table: Table) -> Iterator[str]:
    """Yield the energy cards that were ready before: the active's, and what ripostes cost."""
    faces = deck().faces
    known = {card.id: faces[card.face] for card in table.cards}
    costs: dict[str, int] = {}
    for deed in table.ripostes:
        price = sum(known[card].cost for card in uses(deed) if card in known)
        costs[deed.seat] = costs.get(deed.seat, 0) + (price if deed.spend is None else deed.spend)
    for card in sorted(table.cards, key=lambda card: card.id):
        if faces[card.face].kind != "energy" or not card.engaged:
            continue
        if card.seat == table.active:
            yield card.id
        elif costs.get(card.seat, 0) > 0:
            costs[card.seat] -= faces[card.face].capacity
            yield card.id


def _differences(table: Table, named_cards: set[str]) -> Iterator[Issue]:
    """Yield what was named and is not turned, and what is turned and was not named."""
    for card in sorted(table.cards, key=lambda card: card.id):
        kind = deck().faces[card.face].kind
        if kind in _NEVER_TURNED or card.up is not None:
            continue
        if card.id in named_cards and not card.engaged:
            what = named(table, card.id)
            yield doubt("not_turned", "conflit.doubt.not_turned", (card.id,), what=what)
        may_be_used = card.seat == table.active or kind in _OUT_OF_TURN
        if card.id not in named_cards and card.engaged and may_be_used:
            what = named(table, card.id)
            yield doubt("turned_unnamed", "conflit.doubt.turned_unnamed", (card.id,), what=what)
