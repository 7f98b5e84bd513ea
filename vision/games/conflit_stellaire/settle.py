"""Doubts of a table that a person has settled: readings and issues that nothing is open of."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from vision.errors import TableFormatError
from vision.games.conflit_stellaire.readings import Spot, read_as, readings_of, without_readings
from vision.games.conflit_stellaire.values import Reading, Table

__all__ = ["left_open", "name_of", "settle", "without_doubts"]

_WITH = {"engaged": ("up",), "face": ("hull",), "seat": ("on", "up")}  # said along with a field


def name_of(spot: Spot) -> str:
    """Return how a doubt names what it is of: a card, a seat, or two seats for their distance."""
    _, name = spot
    return name if isinstance(name, str) else "-".join(name)


def left_open(readings: Sequence[Reading], said: Mapping[str, Any]) -> tuple[Reading, ...]:
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
    """Return a table on which a thing is as it was read, or as another of its readings has it.

    Raises
    ------
    TableFormatError
        If nothing has that name, or it has no such reading.
    """
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


def without_doubts(table: Table, change: Mapping[str, Any]) -> Table:
    """Return a table without the doubts of laying that a change has answered."""
    named = {str(change[key]) for key in ("id", "piece") if key in change}
    if isinstance(pair := change.get("between"), list):
        named.add("-".join(sorted(map(str, pair))))
    return replace(table, doubts=tuple(d for d in table.doubts if not named & set(d.cards)))
