"""Doubts of a table that a person has settled: readings and issues that nothing is open of."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from vision.errors import TableFormatError
from vision.games.conflit_stellaire.readings import Spot, read_as, readings_of, without_readings
from vision.games.conflit_stellaire.values import Reading, Table
from vision.judging.said import Closes, Word, left_open

__all__ = ["CLOSES", "name_of", "open_readings", "settle", "with_words"]

#: By what is said, the codes of the doubts that it closes, of judging and of seeing.
CLOSES: Closes = {
    "face": (
        *("back", "unread", "unknown_card"),
        *("card_cut_off", "doubtful_card", "duplicate_card", "unreadable_card"),
    ),
    "engaged": ("askew", "not_turned", "turned_unnamed"),
    "seat": ("owner",),
    "hull": ("marker_doubtful", "seats_turned"),
    "uds": ("marker_doubtful", "seats_turned"),
}
_WITH = {"engaged": ("up",), "face": ("hull",), "seat": ("on", "up")}  # said along with a field


def name_of(spot: Spot) -> str:
    """Return how a doubt names what it is of: a card, a seat, or two seats for their distance."""
    _, name = spot
    return name if isinstance(name, str) else "-".join(name)


def open_readings(readings: Sequence[Reading], said: Mapping[str, Any]) -> tuple[Reading, ...]:
    """Return what is open of some readings once fields are said; equal ones are one."""
    away = {"on": None} if said.get("on") is not None else {}  # read as another's, it is on nothing
    closed = {other for field in said for other in (field, *_WITH.get(field, ()))}
    chances: dict[tuple[tuple[str, Any], ...], float | None] = {}
    for reading in readings:
        kept = {k: v for k, v in reading.fields.items() if k not in closed}
        fields = tuple({**kept, **(away if {"seat", "face"} & set(kept) else {})}.items())
        if fields:
            before = chances.get(fields)
            chance = reading.probability
            both = before is not None and chance is not None
            chances[fields] = (before or 0.0) + (chance or 0.0) if both else chance
    return tuple(Reading(dict(fields), chance) for fields, chance in chances.items())


def settle(table: Table, name: str, reading: Any) -> Table:
    """Return a table on which a thing is as it was read, or as another of its readings has it."""
    every = enumerate(readings_of(table))
    own = [(k, spot, one) for k, (spot, one) in every if name_of(spot) == name]
    known = {card.id for card in table.cards} | {seat.id for seat in table.seats}
    if name not in known | {"-".join(distance.between) for distance in table.distances}:
        msg = f"nothing is called {name!r} on the table"
        raise TableFormatError(msg)
    is_index = isinstance(reading, int) and not isinstance(reading, bool)
    if reading is not None and not (is_index and 0 <= reading < len(own)):
        msg = f"{name} has {len(own)} other readings; needed the number of one, from 0, or none"
        raise TableFormatError(msg)
    chosen = {} if reading is None else {own[reading][1]: own[reading][2]}
    return without_readings(read_as(table, chosen), {k for k, *_ in own})


def with_words(table: Table, change: Mapping[str, Any], before: Table) -> Table:
    """Return a table with what a change says of it, without the doubts that this answers."""
    said = table.said | set(_words(change, before))
    return replace(table, doubts=left_open(table.doubts, said, CLOSES), said=said)


def _words(change: Mapping[str, Any], before: Table) -> Iterator[Word]:
    """Yield of which card, seat or pair a change says what."""
    match dict(change):
        case {"kind": "card" | "seat", "id": str(name), "set": dict(fields)}:
            yield from ((name, "face" if one == "card" else str(one)) for one in fields)
        case {"kind": "settle", "id": str(name)}:
            own = [one for spot, one in readings_of(before) if name_of(spot) == name]
            yield from ((name, field) for one in own for field in one.fields)
        case {"kind": "distance", "between": list(pair)}:
            yield "-".join(sorted(map(str, pair))), "uds"
        case {"kind": "identify", "piece": str(name)}:
            yield name, "face"
        case {"kind": "move", "piece": str(name)}:
            yield name, "engaged"
        case {"kind": "remove", "id": str(name)}:
            yield from ((name, what) for what in CLOSES)
