"""Designs as they were printed: lasers and shields follow the print, not the cut edge."""

import math
from dataclasses import replace

from vision.games.light_speed.values import Laser, Shield, Ship
from vision.geometry import rotation, wrap_angle
from vision.values.layout import PrintOffset

__all__ = ["as_printed"]

_WHOLE_MM = 1e-6  # a shield that ends this near to the corner covers its edge to the corner


def as_printed(ship: Ship, printed: PrintOffset | None, size_mm: tuple[float, float]) -> Ship:
    """Return a ship with its lasers and shields where its card shows them.

    Parameters
    ----------
    ship : Ship
        As designed.
    printed : PrintOffset or None
        Where the print lies on the card; None changes nothing.
    size_mm : (width, height)
        Of the card. A shield reaches straight out to the cut edge, and one that covers an edge up
        to a corner does so still.
    """
    if printed is None:
        return ship
    turned = rotation(printed.turn_rad)

    def place(x: float, y: float) -> tuple[float, float]:
        px, py = (turned @ [x, y]).tolist()
        return px + printed.x_mm, py + printed.y_mm

    lasers = tuple(
        Laser(
            laser.power,
            place(*laser.muzzle_mm),
            wrap_angle(laser.heading_rad + printed.turn_rad),
        )
        for laser in ship.lasers
    )
    half_w, half_h = size_mm[0] / 2, size_mm[1] / 2

    def moved(shield: Shield) -> Shield:
        level = {"top": -half_h, "bottom": half_h, "left": -half_w, "right": half_w}[shield.edge]
        level_is_y = shield.edge in ("top", "bottom")
        half = half_w if level_is_y else half_h

        def end(at: float) -> float:
            if abs(at) >= half - _WHOLE_MM:
                return math.copysign(half, at)
            x, y = place(at, level) if level_is_y else place(level, at)
            return min(max(x if level_is_y else y, -half), half)

        return Shield(shield.edge, end(shield.from_mm), end(shield.to_mm))

    return replace(ship, lasers=lasers, shields=tuple(moved(shield) for shield in ship.shields))
