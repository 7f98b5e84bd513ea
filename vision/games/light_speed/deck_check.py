"""A deck file of the right form -> what is wrong with its values: all that types cannot say."""

import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from vision.games.light_speed.deck_form import DeckForm, ShipForm

__all__ = ["value_problems"]

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def value_problems(model: DeckForm) -> Iterator[str]:
    """Yield in words what names, speeds, places and origins are not as they must be."""
    for name in (model.name, *model.teams, *model.asteroids, *(s.name for s in model.ships)):
        if not _NAME.fullmatch(name):
            yield f"name {name!r} must be lower case letters, digits and single dashes"
    for label, names in (
        ("teams", model.teams),
        ("asteroids", model.asteroids),
        ("ships", [ship.name for ship in model.ships]),
    ):
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"{label}: the name {name!r} is there {names.count(name)} times"
    yield from _speed_problems(model.ships)
    yield from _provenance_problems("deck", model)
    yield from _provenance_problems("card", model.card)
    for ship in model.ships:
        yield from _ship_problems(ship, model.card.width_mm / 2, model.card.height_mm / 2)


def _speed_problems(ships: list[ShipForm]) -> Iterator[str]:
    by_speed: dict[int, list[str]] = {}
    for ship in ships:
        by_speed.setdefault(ship.speed, []).append(ship.name)
    for speed, names in sorted(by_speed.items()):
        if len(names) > 1:
            yield f"ships {', '.join(map(repr, names))}, speed: {speed} is given more than once"
    for speed in sorted(set(range(1, max(by_speed) + 1)) - set(by_speed))[:3]:
        yield f"speed: no ship has speed {speed}; the speeds run from 1 without a gap"


def _ship_problems(ship: ShipForm, half_width: float, half_height: float) -> Iterator[str]:
    where = f"ship {ship.name!r}"
    yield from _provenance_problems(where, ship)
    for i, laser in enumerate(ship.lasers):
        x, y = laser.muzzle_mm
        if abs(x) > half_width or abs(y) > half_height:
            yield (
                f"{where}, lasers[{i}].muzzle_mm must lie on the card (x within ±{half_width:g}, "
                f"y within ±{half_height:g}), not at [{x:g}, {y:g}]"
            )
        if not -180 < laser.heading_deg <= 180:
            yield (
                f"{where}, lasers[{i}].heading_deg must be over -180 and up to 180, "
                f"not {laser.heading_deg:g}"
            )
        yield from _provenance_problems(f"{where}, lasers[{i}]", laser)
    for i, shield in enumerate(ship.shields):
        half = half_width if shield.edge in ("top", "bottom") else half_height
        for field, value in (("from_mm", shield.from_mm), ("to_mm", shield.to_mm)):
            if abs(value) > half:
                yield (
                    f"{where}, shields[{i}].{field} must lie on the {shield.edge} edge "
                    f"(within ±{half:g}), not at {value:g}"
                )
        if shield.from_mm >= shield.to_mm:
            yield (
                f"{where}, shields[{i}].from_mm must be less than to_mm, "
                f"not {shield.from_mm:g} to {shield.to_mm:g}"
            )
        yield from _provenance_problems(f"{where}, shields[{i}]", shield)


def _provenance_problems(where: str, model: Any) -> Iterator[str]:
    """Yield a problem for each value left out of a provenance table that is given."""
    if not model.provenance:
        return
    wanted = _own_values(model)
    for field in sorted(wanted - set(model.provenance)):
        yield f"{where}, provenance.{field} is missing (known or designed)"
    for field in sorted(set(model.provenance) - wanted):
        yield f"{where}, provenance.{field} is not a value of this table"


def _own_values(model: BaseModel) -> set[str]:
    """Return the fields of a table that hold values, not tables or remarks."""
    remarks = {"provenance", "note", "card", "ships", "lasers", "shields"}
    return set(type(model).model_fields) - remarks
