"""Ten ships, told apart by their outlines.

Every hull has its own outline and its own places of light and dark, so that ships are known at a
distance, and by a program that sees them a few dozen pixels high.
"""

from collections.abc import Callable

from calibration.art.drawing import Shape
from calibration.art.palette import Palette
from calibration.light_speed.ships_heavy import avenger, bastion, destroyer, juggernaut, viper
from calibration.light_speed.ships_light import ghost, intruder, lancer, moth, sidewinder
from vision.games.light_speed.values import Ship

__all__ = ["draw_ship"]

_HULLS: dict[str, Callable[[Palette], list[Shape]]] = {
    "moth": moth,
    "sidewinder": sidewinder,
    "intruder": intruder,
    "lancer": lancer,
    "ghost": ghost,
    "viper": viper,
    "bastion": bastion,
    "avenger": avenger,
    "juggernaut": juggernaut,
    "destroyer": destroyer,
}


def draw_ship(ship: Ship, palette: Palette) -> list[Shape]:
    """Draw a ship's hull.

    Parameters
    ----------
    ship : Ship
        By its name; a ship of another deck's own naming gets a hull by its speed.
    palette : Palette
        The team's colours.

    Returns
    -------
    list of Shape
        In the card frame, without lasers and shields.
    """
    hulls = list(_HULLS.values())
    draw = _HULLS.get(ship.name, hulls[(ship.speed - 1) % len(hulls)])
    return draw(palette)
