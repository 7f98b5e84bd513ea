"""What a person may set by one tap: of a card, a hull card, a distance, the table."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.readings import readings_of
from vision.games.conflit_stellaire.settle import name_of
from vision.games.conflit_stellaire.tell_doubts import say_reading
from vision.games.conflit_stellaire.values import Card, Reading, Seat, Table
from vision.games.conflit_stellaire.words import named
from vision.judging.hands import Setting
from vision.values.messages import Message, message

__all__ = ["settings", "settings_of"]

_Way = tuple[Message | str, Mapping[str, Any], bool]  #: words, change, whether it stands so


def settings(table: Table) -> tuple[Setting, ...]:
    """Return what is in doubt, whose turn it is, the distances."""
    doubtful = dict.fromkeys(name_of(spot) for spot, _ in readings_of(table))
    found = [setting for name in doubtful for setting in _readings(table, name)]
    turn: list[_Way] = [
        (
            message("conflit.seat", seat=seat.id),
            {"kind": "active", "seat": seat.id},
            table.active == seat.id,
        )
        for seat in table.seats
        if seat.fate is None
    ]
    return (*found, _setting("turn", turn), *_distances(table, None))


def settings_of(table: Table, piece: str) -> tuple[Setting, ...]:
    """Return what may be set of a card or of a hull card (by its seat); nothing of others."""
    found = list(_readings(table, piece))
    for card in table.cards:
        if card.id == piece:
            found += _of_card(table, card)
    for seat in table.seats:
        if seat.id == piece:
            found += _of_seat(table, seat)
            found += _distances(table, piece)
    return tuple(found)


def _setting(name: str, ways: Sequence[_Way], said: Message | None = None) -> Setting:
    chosen = next((k for k, (*_, holds) in enumerate(ways) if holds), -1)
    choices = tuple((words, change) for words, change, _ in ways)
    return Setting(name, said or message(f"conflit.set.{name}"), choices, chosen)


def _readings(table: Table, piece: str) -> Iterator[Setting]:
    """Offer how a thing was read, and how else it may be."""
    own = [reading for spot, reading in readings_of(table) if name_of(spot) == piece]
    if not own:
        return
    even = 1 / (len(own) + 1)
    chances = [even if one.probability is None else one.probability for one in own]
    change: dict[str, Any] = {"kind": "settle", "id": piece}
    now = _as_read(table, piece, {field for one in own for field in one.fields})
    said: list[Message] = [say_reading(table, Reading(now))]
    said += [say_reading(table, one) for one in own]
    changes: list[Mapping[str, Any]] = [
        change,
        *({**change, "reading": k} for k in range(len(own))),
    ]
    told = zip(said, [max(1 - sum(chances), 0.0), *chances], strict=True)
    words = [message("conflit.set.likely", said=one, chance=chance) for one, chance in told]
    thing = " - ".join(piece.split("-")) if piece not in _ids(table) else named(table, piece)
    name = message("conflit.set.read", what=thing)
    choices = tuple(zip(words, changes, strict=True))
    yield Setting(f"read-{piece}", name, choices, 0, is_doubtful=True, of=piece)


def _as_read(table: Table, piece: str, fields: Collection[str]) -> Mapping[str, Any]:
    """Return how a thing was read: of the fields that may be otherwise."""
    things: list[Any] = [*table.cards, *table.seats]
    found = next((thing for thing in things if thing.id == piece), None)
    of_two = {"-".join(distance.between): distance for distance in table.distances}
    thing = of_two[piece] if found is None else found
    read = {field: getattr(thing, field) for field in sorted(fields)}
    if read.get("up") is None and not read.get("engaged", True):
        read.pop("up", None)  # ready says it
    return read


def _ids(table: Table) -> set[str]:
    return {card.id for card in table.cards} | {seat.id for seat in table.seats}


def _of_card(table: Table, card: Card) -> Iterator[Setting]:
    def way(said: Message, fields: Mapping[str, Any]) -> _Way:
        holds = all(getattr(card, field) == value for field, value in fields.items())
        return said, {"kind": "card", "id": card.id, "set": dict(fields)}, holds

    face, seats = deck().faces[card.face], [seat.id for seat in table.seats]
    yield _setting("state", [way(*one) for one in _states(table, card, seats)])
    away = {"on": None, "up": None}
    owners = [
        way(message("conflit.seat", seat=s), {"seat": s, **({} if s == card.seat else away)})
        for s in seats
    ]
    yield _setting("owner", owners)
    under = list(_under(table, card))
    if under:
        ons = [way(message("conflit.read.on_no"), {"on": None})]
        for name in under:
            ons.append(way(message("conflit.read.on", value=named(table, name)), {"on": name}))
        yield _setting("on", ons)
    if face.kind == "auxiliary":
        words = ((True, "yes"), (False, "no"))
        news = [way(message(f"conflit.read.new_{word}"), {"new": new}) for new, word in words]
        yield _setting("new", news)
        yield _setting("hull", [way(*one) for one in _hulls(face.capacity)])


def _hulls(size: int) -> Iterator[tuple[Message, Mapping[str, Any]]]:
    """Offer the hulls of an auxiliary; a whole one is not written."""
    for hull in range(1, size + 1):
        said = message("conflit.read.hull", value=hull)
        yield said, {"hull": None if hull == size else hull}


def _states(
    table: Table, card: Card, seats: Iterable[str]
) -> Iterator[tuple[Message, Mapping[str, Any]]]:
    """Offer whether a card is engaged; of a shield, what it is up against."""
    face = deck().faces[card.face]
    yield message("conflit.read.engaged_no"), {"engaged": False}
    if face.kind != "shield":
        yield message("conflit.read.engaged_yes"), {"engaged": True}
        return
    others = ["all"] if "total" in face.keywords else [s for s in seats if s != card.seat]
    if card.up is not None and card.up not in others:
        others.append(card.up)
    for faced in others:
        against = message("conflit.all") if faced == "all" else named(table, faced)
        yield message("conflit.read.up", value=against), {"engaged": True, "up": faced}


def _under(table: Table, card: Card) -> Iterator[str]:
    """Yield what a card may lie on."""
    kind = deck().faces[card.face].kind
    wanted = ("auxiliary", "troop") if kind == "suit" else ("auxiliary",)
    for other in table.cards:
        is_own = other.seat == card.seat and other.id != card.id and kind != "auxiliary"
        if is_own and deck().faces[other.face].kind in wanted:
            yield other.id


def _of_seat(table: Table, seat: Seat) -> Iterator[Setting]:
    change = {"kind": "seat", "id": seat.id}
    hulls: list[_Way] = [
        (message("conflit.read.hull", value=n), {**change, "set": {"hull": n}}, seat.hull == n)
        for n in range(deck().hull_cells)
    ]
    yield _setting("hull", hulls)
    ships = [
        card.id
        for card in table.cards
        if card.seat == seat.id and deck().faces[card.face].kind == "auxiliary"
    ]
    aboard: list[_Way] = [
        (
            message("conflit.read.commander_no"),
            {**change, "set": {"commander": None}},
            seat.commander is None,
        )
    ]
    for ship in ships:
        said = message("conflit.read.commander", value=named(table, ship))
        aboard.append((said, {**change, "set": {"commander": ship}}, seat.commander == ship))
    if ships:
        yield _setting("commander", aboard)


def _distances(table: Table, seat: str | None) -> Iterator[Setting]:
    for distance in table.distances:
        if seat not in (None, *distance.between):
            continue
        pair = list(distance.between)
        change = {"kind": "distance", "id": "-".join(pair), "between": pair}
        ways: list[_Way] = [
            (message("conflit.read.uds", value=n), {**change, "uds": n}, distance.uds == n)
            for n in range(1, deck().scale_cells + 1)
        ]
        name = message("conflit.set.distance", between=" - ".join(pair))
        yield _setting(f"distance-{'-'.join(pair)}", ways, name)
