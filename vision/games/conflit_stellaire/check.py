"""A table as it was read -> the same, or refused: what no table may hold."""

from collections import Counter
from collections.abc import Iterable

from vision.errors import TableFormatError
from vision.files.documents import hint_at
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.readings import read_as, readings_of, without_readings
from vision.games.conflit_stellaire.values import SEATS, Card, Table

__all__ = ["check_table", "neighbours", "without_impossible"]

_FATES = ("destroyed", "captured", "surrendered", "fled", "escaped")


def check_table(table: Table) -> Table:
    """Return a table that may be."""
    _check(table)
    for spot, reading in readings_of(table):
        try:
            _check(read_as(table, {spot: reading}))
        except TableFormatError as error:
            msg = f"{spot[0]}: another reading of {spot[1]}: {error}"
            raise TableFormatError(msg) from error
    return table


def _check(table: Table) -> None:
    seats = [seat.id for seat in table.seats]
    if not 2 <= len(seats) <= len(SEATS):
        _refuse(f"seats: {len(seats)} are given; needed 2 to {len(SEATS)}")
    _once("seats", seats)
    _once("cards", [card.id for card in table.cards])
    for name in seats:
        _seat("seats", name, SEATS)
    _seat("active", table.active, seats)
    cards = {card.id: card for card in table.cards}
    clash = next((name for name in cards if name in (*SEATS, "all")), None)
    if clash is not None:
        _refuse(f"cards: {clash} names a seat or all; a card needs a name of its own")
    for card in table.cards:
        _check_card(card, cards, seats)
    _check_seats(table, cards, seats)
    _check_distances(table, seats)
    campaign = table.campaign
    for seat in [] if campaign is None else [*campaign.officers, *campaign.dice]:
        _seat("campaign", seat, seats)


def without_impossible(table: Table) -> Table:
    """Return a table without the readings that, alone, would make it one that cannot be."""
    dropped = set()
    for number, (spot, reading) in enumerate(readings_of(table)):
        try:
            _check(read_as(table, {spot: reading}))
        except TableFormatError:
            dropped.add(number)
    return without_readings(table, dropped)


def neighbours(seats: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the pairs of seats with a distance scale between them."""
    order = sorted(seats)
    if len(order) == 2:
        return ((order[0], order[1]),)
    pairs = [tuple(sorted((a, b))) for a, b in zip(order, [*order[1:], order[0]], strict=True)]
    return tuple(sorted((a, b) for a, b in pairs))


def _check_card(card: Card, cards: dict[str, Card], seats: list[str]) -> None:
    faces = deck().faces
    if card.face not in faces:
        hint = hint_at(card.face, tuple(faces))
        _refuse(f"cards: {card.id}: no face is called {card.face!r}; {hint}")
    _seat(f"cards: {card.id}", card.seat, seats)
    kind = faces[card.face].kind
    if card.on is not None:
        _check_on(card, cards, kind)
    if card.up is not None:
        if kind != "shield" or not card.engaged:
            what = "no shield" if kind != "shield" else "ready"
            _refuse(f"cards: {card.id} is up and {what}; only an engaged shield is up")
        if card.up in SEATS:
            _seat(f"cards: {card.id}.up", card.up, seats)
    if card.hull is not None and kind != "auxiliary":
        _refuse(f"cards: {card.id} has a hull and is no auxiliary")


def _check_on(card: Card, cards: dict[str, Card], kind: str) -> None:
    under = cards.get(card.on or "")
    allowed = ("auxiliary", "troop") if kind == "suit" else ("auxiliary",)
    covered_by = "" if under is None or under.face not in deck().faces else under.face
    fits = covered_by and deck().faces[covered_by].kind in allowed and kind != "auxiliary"
    if under is None or not fits or under.seat != card.seat:
        what = "auxiliary or group" if kind == "suit" else "auxiliary"
        _refuse(f"cards: {card.id} is on {card.on!r}, which is no own {what}")


def _check_seats(table: Table, cards: dict[str, Card], seats: list[str]) -> None:
    for seat in table.seats:
        if seat.commander is not None:
            ship = cards.get(seat.commander)
            is_own = ship is not None and ship.seat == seat.id
            if ship is None or not is_own or deck().faces[ship.face].kind != "auxiliary":
                _refuse(f"seats: {seat.id}: the commander is on {seat.commander!r}, no own ship")
        if seat.fate is not None and seat.fate not in _FATES:
            _refuse(f"seats: {seat.id}: fate: {seat.fate!r}; {hint_at(seat.fate, _FATES)}")
        if seat.broken_by is not None:
            _seat(f"seats: {seat.id}.broken_by", seat.broken_by, seats)


def _check_distances(table: Table, seats: list[str]) -> None:
    pairs = [distance.between for distance in table.distances]
    _once("distances", ["-".join(pair) for pair in pairs])
    for pair in pairs:
        for seat in pair:
            _seat("distances", seat, seats)
        if pair not in neighbours(seats):
            _refuse(f"distances: {pair[0]} and {pair[1]} are no neighbours")
    in_play = {seat.id for seat in table.seats if seat.fate is None}
    for pair in neighbours(seats):
        if set(pair) <= in_play and pair not in pairs:
            _refuse(f"distances: that of {pair[0]} and {pair[1]}, neighbours in play, is missing")
    cells = deck().scale_cells
    wrong = next((d for d in table.distances if not 1 <= d.uds <= cells), None)
    if wrong is not None:
        _refuse(f"distances: {wrong.uds} uds; the scale has 1 to {cells}")


def _seat(place: str, seat: str, seats: Iterable[str]) -> None:
    if seat not in seats:
        _refuse(f"{place}: no seat {seat!r}; the seats are {', '.join(seats)}")


def _once(place: str, names: list[str]) -> None:
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        _refuse(f"{place}: {twice} is there twice")


def _refuse(said: str) -> None:
    raise TableFormatError(said)
