"""Places on the table -> whose they are: seats evenly round a centre, A at the photo's bottom.

Angles are headings, radians, clockwise from -y: that of a seat points from it to the centre.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from vision.games.conflit_stellaire.pieces import FLAGSHIP, SCALE
from vision.games.conflit_stellaire.values import SEATS
from vision.values.layout import Placed

__all__ = ["Seating", "apart", "seating_of"]

_NEAR_MM = 60.0  # so near the centre an angle says little
_BESIDE_RAD = math.radians(12.0)  # so near a bisector a card may be the neighbour's


@dataclass(frozen=True, slots=True)
class Seating:
    """The seats, and the centre of the table, mm."""

    seats: tuple[str, ...]
    centre_mm: tuple[float, float]

    def heading(self, seat: str) -> float:
        """Return the heading of a seat."""
        return 2 * math.pi * self.seats.index(seat) / len(self.seats)

    def owners(self, x_mm: float, y_mm: float) -> list[tuple[str, float]]:
        """Return whose a place may be, the likeliest first, with chances.

        Within 12 degrees of a bisector it may be the neighbour's, within 60 mm of the centre
        anybody's.
        """
        dx, dy = self.centre_mm[0] - x_mm, self.centre_mm[1] - y_mm
        at = math.atan2(dx, -dy)
        ranked = sorted(self.seats, key=lambda seat: apart(at, self.heading(seat)))
        if math.hypot(dx, dy) < _NEAR_MM:
            return [(seat, 1 / len(ranked)) for seat in ranked]
        first, second = (apart(at, self.heading(seat)) for seat in ranked[:2])
        beside = (second - first) / 2  # from the bisector
        if beside >= _BESIDE_RAD:
            return [(ranked[0], 1.0)]
        other = 0.5 * (1 - beside / _BESIDE_RAD)
        return [(ranked[0], 1 - other), (ranked[1], other)]


def apart(one: float, other: float) -> float:
    """Return the angle between two headings, 0 to pi."""
    return abs((one - other + math.pi) % (2 * math.pi) - math.pi)


def seating_of(placed: Sequence[Placed]) -> Seating:
    """Return who sits where: as many seats as hull cards or strips tell, or two.

    The centre is the mean of the strips if none is missing, else of all that lies there.
    """
    flagships = [p for p in placed if p.piece == FLAGSHIP]
    scales = [p for p in placed if p.piece == SCALE]
    count = max(len(flagships), len(scales), 2)  # two share one strip, more have one each
    seats = SEATS[: min(count, len(SEATS))]
    is_whole = len(scales) == (1 if len(seats) == 2 else len(seats))
    around = scales if is_whole else list(placed)
    x = sum(p.x_mm for p in around) / len(around)
    y = sum(p.y_mm for p in around) / len(around)
    return Seating(seats, (x, y))
