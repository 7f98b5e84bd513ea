"""What else the things of a table may be -> the table read otherwise."""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from vision.games.conflit_stellaire.values import Card, Distance, Reading, Seat, Table

__all__ = ["Spot", "read_as", "readings_of", "without_readings"]

Spot: TypeAlias = tuple[str, str | tuple[str, str]]  #: seats, cards or distances, and which
_KINDS = ("seats", "cards", "distances")


def _name(thing: Seat | Card | Distance) -> Any:
    return thing.between if isinstance(thing, Distance) else thing.id


def readings_of(table: Table) -> Iterator[tuple[Spot, Reading]]:
    """Yield every other reading, and of what it is."""
    for kind in _KINDS:
        for thing in sorted(getattr(table, kind), key=_name):
            yield from (((kind, _name(thing)), reading) for reading in thing.readings)


def read_as(table: Table, chosen: Mapping[Spot, Reading | None]) -> Table:
    """Return a table with other readings of some of its things."""

    def changed(spot: Spot, thing: Any) -> Any:
        reading = chosen.get(spot)
        if reading is None:
            return thing
        fields = dict(reading.fields)
        if isinstance(thing, Card) and fields.get("engaged") is False:
            fields.setdefault("up", None)
        return replace(thing, **fields)

    return _changed(table, changed)


def without_readings(table: Table, dropped: Collection[int]) -> Table:
    """Return a table without some of its readings, by their place in :func:`readings_of`."""
    kept: dict[Spot, list[Reading]] = {}
    for number, (spot, reading) in enumerate(readings_of(table)):
        if number not in dropped:
            kept.setdefault(spot, []).append(reading)
    return _changed(table, lambda spot, one: replace(one, readings=tuple(kept.get(spot, ()))))


def _changed(table: Table, change: Callable[[Spot, Any], Any]) -> Table:
    several: dict[str, Any] = {
        kind: tuple(change((kind, _name(thing)), thing) for thing in getattr(table, kind))
        for kind in _KINDS
    }
    return replace(table, **several)
