"""What else the things of a table may be -> the table read otherwise."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from vision.games.conflit_stellaire.values import Card, Distance, Reading, Seat, Table

__all__ = ["Spot", "read_as", "readings_of", "without_readings"]

Spot: TypeAlias = tuple[str, str | tuple[str, str]]  #: seats, cards or distances, and which


def readings_of(table: Table) -> Iterator[tuple[Spot, Reading]]:
    """Yield every other reading, and of what it is."""
    for seat in sorted(table.seats, key=lambda seat: seat.id):
        yield from ((("seats", seat.id), reading) for reading in seat.readings)
    for card in sorted(table.cards, key=lambda card: card.id):
        yield from ((("cards", card.id), reading) for reading in card.readings)
    for distance in sorted(table.distances, key=lambda d: d.between):
        yield from ((("distances", distance.between), reading) for reading in distance.readings)


def read_as(table: Table, chosen: Mapping[Spot, Reading | None]) -> Table:
    """Return a table with other readings of some of its things."""

    def changed(kind: str, name: Any, thing: Any) -> Any:
        reading = chosen.get((kind, name))
        if reading is None:
            return thing
        fields = dict(reading.fields)
        if kind == "cards" and fields.get("engaged") is False:
            fields.setdefault("up", None)
        return replace(thing, **fields)

    seats: tuple[Seat, ...] = tuple(changed("seats", s.id, s) for s in table.seats)
    cards: tuple[Card, ...] = tuple(changed("cards", c.id, c) for c in table.cards)
    distances: tuple[Distance, ...] = tuple(
        changed("distances", d.between, d) for d in table.distances
    )
    return replace(table, seats=seats, cards=cards, distances=distances)


def without_readings(table: Table, dropped: Collection[int]) -> Table:
    """Return a table without some of its readings, by their place in :func:`alternatives_of`."""
    kept: dict[Spot, list[Reading]] = {}
    for number, (spot, reading) in enumerate(readings_of(table)):
        kept.setdefault(spot, [])
        if number not in dropped:
            kept[spot].append(reading)

    def left(kind: str, name: Any, thing: Any) -> Any:
        return replace(thing, readings=tuple(kept.get((kind, name), ())))

    return replace(
        table,
        seats=tuple(left("seats", s.id, s) for s in table.seats),
        cards=tuple(left("cards", c.id, c) for c in table.cards),
        distances=tuple(left("distances", d.between, d) for d in table.distances),
    )
