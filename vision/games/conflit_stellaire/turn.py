"""A table from a photo and a turn that was written down -> the table to be played.

A photo taken when all is declared shows what was used turned already: what the turn names was
ready before, so was the active's energy, and of the others as many engaged cells as their ripostes
cost. What differs between photo and turn is told.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from vision.errors import TableFormatError
from vision.files.documents import read_document
from vision.files.schemas import Model, Name
from vision.games.conflit_stellaire.costs import ATTACKS_OF_SHIPS, uses
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.notation import parse_turn
from vision.games.conflit_stellaire.values import Campaign, Card, Deed, Table
from vision.games.conflit_stellaire.verbs import deed_from_json
from vision.games.conflit_stellaire.words import doubt, named
from vision.values.messages import Issue

__all__ = ["take_turn"]

_OUT_OF_TURN = ("shield", "jammer", "anti-missile")  # what others than the active seat may use
_NEVER_TURNED = ("energy", "net", "troop", "suit", "missile", "rocket", "back", "auxiliary")


class TurnModel(Model):
    """A turn: whose it is, what is declared, when the photo was taken."""

    active: Name
    declarations: list[Any] = Field(default_factory=list)
    ripostes: list[Any] = Field(default_factory=list)
    campaign: Campaign | None = None
    moment: Literal["start", "declared"] = "declared"


def take_turn(table: Table, said: str | Mapping[str, Any]) -> Table:
    """Bring a turn, text or JSON, to a table that was photographed.

    Raises
    ------
    TableFormatError
        If it is no turn.
    """
    if isinstance(said, str) and said.lstrip()[:1] != "{":
        said = parse_turn(said)
    model = read_document(said, TurnModel)
    if model.active not in [seat.id for seat in table.seats]:
        msg = f"active: no seat {model.active!r} is at the table"
        raise TableFormatError(msg)
    deeds: dict[bool, tuple[Deed, ...]] = {}
    for is_riposte, place in ((False, "declarations"), (True, "ripostes")):
        deeds[is_riposte] = tuple(
            deed_from_json(value, f"{place}[{k}]", model.active, is_riposte=is_riposte)
            for k, value in enumerate(getattr(model, place))
        )
    new = replace(
        table,
        active=model.active,
        declarations=deeds[False],
        ripostes=deeds[True],
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
