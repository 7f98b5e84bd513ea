"""A deck file of the right form -> what is wrong with its values: all that types cannot say."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from vision.games.light_speed.deck_form import CardForm, DeckForm, ShipForm, ship_place
from vision.values.messages import Message, message
from vision.values.slugs import is_slug

__all__ = ["ship_problems", "value_problems"]


def value_problems(model: DeckForm) -> Iterator[Message]:
    """Yield what names, speeds, places and origins are not as they must be."""
    for name in (model.name, *model.teams, *model.asteroids, *(s.name for s in model.ships)):
        if not is_slug(name):
            yield message("deck.wrong.name", name=name)
    for label, names in (
        ("teams", model.teams),
        ("asteroids", model.asteroids),
        ("ships", [ship.name for ship in model.ships]),
    ):
        for name in sorted({name for name in names if names.count(name) > 1}):
            times = names.count(name)
            yield message("deck.wrong.twice", label=label, name=name, times=times)
    yield from _speed_problems(model.ships)
    yield from _provenance_problems("deck", model)
    yield from _provenance_problems("card", model.card)
    for ship in model.ships:
        yield from ship_problems(ship, model.card)


def _speed_problems(ships: list[ShipForm]) -> Iterator[Message]:
    by_speed: dict[int, list[str]] = {}
    for ship in ships:
        by_speed.setdefault(ship.speed, []).append(ship.name)
    for speed, names in sorted(by_speed.items()):
        if len(names) > 1:
            yield message("deck.wrong.speed", names=", ".join(map(repr, names)), speed=speed)
    for speed in sorted(set(range(1, max(by_speed) + 1)) - set(by_speed))[:3]:
        yield message("deck.wrong.gap", speed=speed)


def ship_problems(ship: ShipForm, card: CardForm) -> Iterator[Message]:
    """Yield what is not as it must be of one ship by itself."""
    half_width, half_height = card.width_mm / 2, card.height_mm / 2
    yield from _provenance_problems(ship_place(ship.name), ship)
    for i, laser in enumerate(ship.lasers):
        x, y = laser.muzzle_mm
        if abs(x) > half_width or abs(y) > half_height:
            where = ship_place(ship.name, f"lasers[{i}].muzzle_mm")
            most = {"wide": half_width, "high": half_height}
            yield message("deck.wrong.muzzle", where=where, x=x, y=y, **most)
        if not -180 < laser.heading_deg <= 180:
            where = ship_place(ship.name, f"lasers[{i}].heading_deg")
            yield message("deck.wrong.heading", where=where, value=laser.heading_deg)
        yield from _provenance_problems(ship_place(ship.name, f"lasers[{i}]"), laser)
    for i, shield in enumerate(ship.shields):
        half = half_width if shield.edge in ("top", "bottom") else half_height
        for field, value in (("from_mm", shield.from_mm), ("to_mm", shield.to_mm)):
            if abs(value) > half:
                where = ship_place(ship.name, f"shields[{i}].{field}")
                told = {"edge": shield.edge, "half": half, "value": value}
                yield message("deck.wrong.edge", where=where, **told)
        if shield.from_mm >= shield.to_mm:
            where = ship_place(ship.name, f"shields[{i}].from_mm")
            stretch = {"start": shield.from_mm, "end": shield.to_mm}
            yield message("deck.wrong.stretch", where=where, **stretch)
        yield from _provenance_problems(ship_place(ship.name, f"shields[{i}]"), shield)


def _provenance_problems(where: Message | str, model: Any) -> Iterator[Message]:
    """Yield a problem for each value left out of a provenance table that is given."""
    if not model.provenance:
        return
    wanted = _own_values(model)
    for field in sorted(wanted - set(model.provenance)):
        yield message("deck.wrong.origin", where=where, field=field)
    for field in sorted(set(model.provenance) - wanted):
        yield message("deck.wrong.origin_of_nothing", where=where, field=field)


def _own_values(model: BaseModel) -> set[str]:
    """Return the fields of a table that hold values, not tables or remarks."""
    remarks = {"provenance", "note", "card", "ships", "lasers", "shields"}
    return set(type(model).model_fields) - remarks
