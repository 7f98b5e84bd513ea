"""Places on the table -> whose they are: seats evenly round a centre, A nearest the photo's bottom.

Angles are headings, radians, clockwise from -y: that of a seat points from it to the centre.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from vision.games.conflit_stellaire.pieces import FLAGSHIP, SCALE
from vision.games.conflit_stellaire.turning import lean_of, turning_of
from vision.games.conflit_stellaire.values import SEATS
from vision.values.layout import Placed

__all__ = ["Seating", "apart", "seating_of"]

_NEAR_MM = 60.0  # so near the centre an angle says little
_BESIDE_RAD = math.radians(12.0)  # so near a bisector a card may be the neighbour's


@dataclass(frozen=True, slots=True)
class Seating:
    """The seats, and the centre of the table, mm.

    ``turn_rad`` is the heading of the first; ``leans_rad`` how much further each seat's own cards
    are turned. ``other_turn`` tells that the seats may lie round the table otherwise, and
    ``other_first`` that another seat is as near to the photo's bottom.
    """

    seats: tuple[str, ...]
    centre_mm: tuple[float, float]
    turn_rad: float = 0.0
    leans_rad: tuple[float, ...] = field(default=())
    other_turn: bool = False
    other_first: bool = False

    def heading(self, seat: str) -> float:
        """Return the heading of a seat."""
        return self.turn_rad + 2 * math.pi * self.seats.index(seat) / len(self.seats)

    def upright(self, seat: str) -> float:
        """Return how a ready card of a seat is turned."""
        lean = self.leans_rad[self.seats.index(seat)] if self.leans_rad else 0.0
        return self.heading(seat) + lean

    def bearing(self, x_mm: float, y_mm: float) -> float:
        """Return the heading of a place to the centre."""
        return math.atan2(self.centre_mm[0] - x_mm, y_mm - self.centre_mm[1])

    def owners(self, x_mm: float, y_mm: float) -> list[tuple[str, float]]:
        """Return whose a place may be, the likeliest first, with chances.

        Within 12 degrees of a bisector it may be the neighbour's, within 60 mm of the centre
        anybody's.
        """
        at = self.bearing(x_mm, y_mm)
        ranked = sorted(self.seats, key=lambda seat: apart(at, self.heading(seat)))
        if math.hypot(self.centre_mm[0] - x_mm, self.centre_mm[1] - y_mm) < _NEAR_MM:
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

    The centre is the mean of the strips if none is missing, else of all that lies there. How the
    seats lie round it is told by how cards are turned, and by where strips and hull cards lie.
    """
    flagships = [p for p in placed if p.piece == FLAGSHIP]
    scales = [p for p in placed if p.piece == SCALE]
    told = len(scales) + (len(scales) == 2)  # two share one strip, more have one each
    count = min(max(len(flagships), told, 2), len(SEATS))
    is_whole = len(scales) == (1 if count == 2 else count)
    around = scales if is_whole else list(placed)
    x = sum(p.x_mm for p in around) / len(around)
    y = sum(p.y_mm for p in around) / len(around)
    turning = turning_of(placed, count, (x, y))
    differ = bool(scales and flagships) and max(told, 2) != len(flagships)
    plain = Seating(SEATS[:count], (x, y), turning.turn_rad)
    return Seating(
        plain.seats,
        plain.centre_mm,
        plain.turn_rad,
        _leans(placed, plain),
        turning.is_open or differ,
        _is_between(placed, plain),
    )


def _is_between(placed: Sequence[Placed], seating: Seating) -> bool:
    """Tell whether another seat may be as near to the photo's bottom.

    A seat's cards need not lie straight before it: how they are turned and where they lie must
    both say clearly which seat is the nearest.
    """
    step = 2 * math.pi / len(seating.seats)
    at = [seating.bearing(one.x_mm, one.y_mm) for one in placed if one.piece != SCALE]
    beside = [(one - seating.turn_rad + step / 2) % step - step / 2 for one in at]
    lying = seating.turn_rad + sum(beside) / max(len(beside), 1)
    return step / 2 - max(abs(seating.turn_rad), abs(lying)) < _BESIDE_RAD


def _leans(placed: Sequence[Placed], seating: Seating) -> tuple[float, ...]:
    """Return how much further than its heading each seat's own cards are turned."""
    own: dict[str, list[float]] = {seat: [] for seat in seating.seats}
    for one in placed:
        if one.piece != SCALE:
            owners = seating.owners(one.x_mm, one.y_mm)
            if len(owners) == 1:
                own[owners[0][0]].append(one.theta_rad)
    return tuple(lean_of(own[seat], seating.heading(seat)) for seat in seating.seats)
