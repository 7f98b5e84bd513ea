"""Table and seat -> what may be tapped on the way to an order, and what an order says and costs.

A tap's text is the order so far: whole deeds with ``;`` between them, then one that has only begun,
as ``a3`` (a card of which several things may be done), ``fire a1``, ``approach a3 a4``.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vision.errors import TableFormatError
from vision.games.conflit_stellaire.battle import Battle
from vision.games.conflit_stellaire.compose import as_known_to, candidates, verbs_of, weigh
from vision.games.conflit_stellaire.costs import offered
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.orders import Order, format_order, parts_of, read_order
from vision.games.conflit_stellaire.places import outlines_of
from vision.games.conflit_stellaire.values import WEAPONS, Card, Deed, Table
from vision.games.conflit_stellaire.verbs import DECLARATIONS, RIPOSTES
from vision.games.conflit_stellaire.voids import void_of
from vision.games.conflit_stellaire.words import card_name, deed_words, named
from vision.judging.orders import Choice, OrderLine, OrderRead, Party, check_party
from vision.values.ledger import Mark, Path
from vision.values.messages import Message, message

__all__ = ["choices", "parties", "read", "standing_orders", "turns"]

_MOVES = ("approach", "retreat", "ram")


def parties(table: Table) -> tuple[Party, ...]:
    """Return the commanders in play, whose turn it is first."""
    seats = [seat.id for seat in table.seats if seat.fate is None]
    seats.sort(key=lambda seat: (seat != table.active, seat))
    return tuple(Party(seat, message("conflit.seat", seat=seat), seat) for seat in seats)


def turns(table: Table) -> tuple[tuple[str, ...], ...]:
    """Return who declares, then who answers."""
    seats = [party.id for party in parties(table)]
    first = tuple(seat for seat in seats if seat == table.active)
    return tuple(group for group in (first, tuple(s for s in seats if s not in first)) if group)


def standing_orders(table: Table) -> dict[str, str | None]:
    """Return the deeds on a table as orders."""
    found = {seat.id: tuple(_deeds(table, seat.id)) for seat in table.seats if seat.fate is None}
    return {seat: format_order(Order(deeds)) for seat, deeds in found.items() if deeds}


def _deeds(table: Table, seat: str) -> Iterator[Deed]:
    deeds = table.declarations if seat == table.active else table.ripostes
    return (deed for deed in deeds if deed.seat == seat)


# --- what an order says --------------------------------------------------------------------------


def read(table: Table, seat: str, given: Any) -> OrderRead:
    """Read an order of a seat, each deed with what it costs and why it is void if it is."""
    check_party(parties(table), seat)
    order = read_order(table, seat, given)
    battle, weighed = weigh(table, seat, order)
    seen = as_known_to(battle.table, seat)
    lines = []
    for name, face in order.known.items():
        said = message("conflit.tap.is", id=name, face=card_name(face))
        left = Order(order.deeds, {n: f for n, f in order.known.items() if n != name})
        lines.append(OrderLine(said, without=format_order(left) or ""))
    for index, one in enumerate(weighed):
        said = _said_deed(seen, one.deed)
        if one.cost:
            said = message("conflit.tap.costs", said=said, n=one.cost)
        code = one.code or ("order" if one.is_late else None)
        warning = None if code is None else message(f"conflit.void.{code}")
        left = Order((*order.deeds[:index], *order.deeds[index + 1 :]), order.known)
        lines.append(OrderLine(said, warning, format_order(left) or ""))
    if not lines:
        return OrderRead(None, message("conflit.tap.nothing"), goes_on=True)
    ready, spent = battle.ready[seat], battle.spent[seat]
    said = message("conflit.tap.order", n=len(order.deeds), spent=spent, ready=ready)
    marks = tuple(_marks(seen, order.deeds))
    return OrderRead(format_order(order), said, None, marks, tuple(lines), goes_on=True)


def _said_deed(table: Table, deed: Deed) -> Message:
    """Say a deed without its seat."""
    gaps = deed_words(table, deed)
    if deed.die is not None and deed.at is None:
        gaps["at"] = message("conflit.tap.die", n=deed.die)
    return message("conflit.tap.deed", **gaps)


def _marks(table: Table, deeds: Iterable[Deed]) -> Iterator[Mark]:
    """Draw deeds: a way from what acts to what it is aimed at, in the colour of its seat."""
    outlines = outlines_of(table)
    for deed in deeds:
        at = deed.at
        by = deed.card or deed.ship or next(iter(deed.cards), None)
        if by is None or at is None or by == at or not {by, at} <= set(outlines):
            continue
        ends = np.array([outlines[by].mean(axis=0), outlines[at].mean(axis=0)])
        is_move = deed.do in ("approach", "retreat", "transfer")
        yield Path(ends, deed.seat, 0, kind="move" if is_move else "beam")


# --- what may be tapped next ---------------------------------------------------------------------


def choices(table: Table, seat: str, so_far: str) -> tuple[Choice, ...]:
    """Return what may be tapped next."""
    check_party(parties(table), seat)
    if so_far == "pass":
        return ()
    parts = parts_of(so_far)
    begun = parts.pop().split() if parts and _is_begun(table, seat, parts[-1]) else []
    order = read_order(table, seat, "; ".join(parts))
    battle, _ = weigh(table, seat, order)
    taps = _Taps(battle, seat, order)
    if not begun:
        return tuple(taps.first())
    if begun[0] in battle.cards:
        return tuple(taps.of_card(begun[0]))
    return tuple(taps.of_verb(begun[0], begun[1:]))


def _is_begun(table: Table, seat: str, part: str) -> bool:
    """Tell whether a part is a deed that has only begun."""
    words = part.split()
    verbs = DECLARATIONS if seat == table.active else RIPOSTES
    ids = {card.id: card for card in table.cards}
    if words[0] in ids:
        return len(words) == 1
    if words[0] not in verbs or any(word not in ids for word in words[1:]):
        return False
    needs = verbs[words[0]][0]
    if words[0] in ("raise", "shield") and words[1:]:
        return "total" not in deck().faces[ids[words[1]].face].keywords
    return any(name in needs for name in ("target", "to", "die")) or words[1:] == []


class _Taps:
    """The taps that may follow an order of whole deeds."""

    def __init__(self, battle: Battle, seat: str, order: Order) -> None:
        self._battle, self._seat, self._order = battle, seat, order
        self._table = as_known_to(battle.table, seat)
        self._is_riposte = seat != battle.table.active
        self._verbs = RIPOSTES if self._is_riposte else DECLARATIONS
        self._before = format_order(order)

    def first(self) -> Iterator[Choice]:
        """Offer own cards, then what is done without one, and nothing."""
        if self._before is None:
            yield Choice("pass", message("conflit.tap.nothing"), is_whole=True, goes_on=False)
        yield from self._more_energy()
        for card in sorted(self._table.cards, key=self._rank):
            if card.seat == self._seat and card.id not in self._battle.gone:
                yield from self._card(card.id)
        for verb in ("abandon", "surrender"):
            found = [] if verb not in self._verbs else list(self._whole(verb, ()))
            for choice in found:  # nobody surrenders by a tap beside the card that was meant
                if choice.warning is None:
                    yield replace(choice, piece=None)

    def _rank(self, card: Card) -> tuple[bool, str]:
        """Put last what can only be brought elsewhere."""
        return self._possible(card.id) == ("transfer",), card.id

    def _card(self, card: str) -> Iterator[Choice]:
        """Offer a card if it can do something; what it does at once if it is one thing only."""
        said = named(self._table, card)
        if self._battle.faces[card].kind == "back":
            yield Choice(self._text(card), said, piece=card)
            return
        possible = self._possible(card)
        verbs = [verb for verb in possible if next(self._deeds(verb, [card]), None) is not None]
        if len(verbs) == 1:
            whole = list(self._deeds(verbs[0], [card]))
            if len(whole) == 1 and whole[0][1] is None:
                yield self._choice(*whole[0], piece=card)
            else:
                yield Choice(self._text(f"{verbs[0]} {card}"), said, piece=card)
        elif verbs:
            yield Choice(self._text(card), said, piece=card)

    def _possible(self, card: str) -> tuple[str, ...]:
        """Return the verbs for a card that is not used up; a card may always be brought along."""
        battle = self._battle
        is_used = battle.cards[card].engaged or card in battle.used
        verbs = verbs_of(battle, self._seat, card)
        return tuple(v for v in verbs if v == "transfer" or not is_used)

    def of_card(self, card: str) -> Iterator[Choice]:
        """Offer what a card may do, or be if it lies face down."""
        if self._battle.faces[card].kind == "back":
            for face in deck().faces.values():
                if face.kind in WEAPONS:
                    said = message("conflit.tap.is", id=card, face=card_name(face.id))
                    order = Order(self._order.deeds, {**self._order.known, card: face.id})
                    yield Choice(format_order(order) or "", said, is_whole=True)
            return
        for verb in self._possible(card):
            found = list(self._deeds(verb, [card]))
            if len(found) == 1 and verb not in _MOVES:
                yield self._choice(*found[0])
            elif found:
                said = message(f"conflit.do.{verb}")
                yield Choice(self._text(f"{verb} {card}"), said)

    def of_verb(self, verb: str, cards: Sequence[str]) -> Iterator[Choice]:
        """Offer what a deed may be aimed at; to a move more engines, too."""
        if verb not in self._verbs or any(card not in self._battle.cards for card in cards):
            msg = f"{verb!r} is no beginning of a declaration; begin anew"
            raise TableFormatError(msg)
        yield from self._whole(verb, cards)
        if verb not in _MOVES or any(self._battle.faces[c].kind != "engine" for c in cards):
            return
        for name, face in self._battle.faces.items():
            card = self._battle.cards[name]
            is_used = card.engaged or name in self._battle.used or name in cards
            if face.kind == "engine" and card.seat == self._seat and not is_used:
                text = self._text(" ".join([verb, *cards, name]))
                said = message("conflit.tap.with", card=named(self._table, name))
                yield Choice(text, said, piece=name)

    def _whole(self, verb: str, cards: Sequence[str]) -> Iterator[Choice]:
        """Offer whole deeds, those that count first."""
        found = [self._choice(deed, at, piece=at) for deed, at in self._deeds(verb, cards)]
        yield from (choice for choice in found if choice.warning is None)
        yield from (choice for choice in found if choice.warning is not None)

    def _deeds(self, verb: str, cards: Sequence[str]) -> Iterator[tuple[Deed, str | None]]:
        return candidates(self._battle, self._seat, verb, cards)

    def _choice(self, deed: Deed, at: str | None, piece: str | None = None) -> Choice:
        code = void_of(self._battle, deed, is_riposte=self._is_riposte)
        points = offered(self._battle, deed) if code in (None, "not_enough_energy") else 0
        said = _said_deed(self._table, deed)
        if points:
            said = message("conflit.tap.costs", said=said, n=points)
        order = Order((*self._order.deeds, deed), self._order.known)
        return Choice(
            format_order(order) or "",
            said,
            piece=piece,
            marks=tuple(_marks(self._table, order.deeds)),
            is_whole=True,
            warning=None if code is None else message(f"conflit.void.{code}"),
        )

    def _more_energy(self) -> Iterator[Choice]:
        """Offer to spend a point more on the last deed than it costs: others sense energy."""
        if not self._order.deeds:
            return
        last = self._order.deeds[-1]
        if "spend" not in self._verbs[last.do][1]:
            return
        earlier = Order(self._order.deeds[:-1], self._order.known)
        table = self._battle.table
        before, _ = weigh(table, self._seat, earlier)
        if void_of(before, last, is_riposte=self._is_riposte) is not None:
            return
        more = offered(before, last) + 1
        changed = replace(last, spend=more)
        if void_of(before, changed, is_riposte=self._is_riposte) is None:
            order = Order((*earlier.deeds, changed), earlier.known)
            said = message("conflit.tap.more", n=more)
            marks = tuple(_marks(self._table, order.deeds))
            yield Choice(format_order(order) or "", said, marks=marks, is_whole=True)

    def _text(self, begun: str) -> str:
        return begun if self._before is None else f"{self._before}; {begun}"
