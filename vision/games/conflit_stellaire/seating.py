"""Places on the table -> whose they are: seats evenly round a centre, A nearest the photo's bottom.

Angles are headings, radians, clockwise from -y: that of a seat points from it to the centre.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from vision.games.conflit_stellaire.pieces import FLAGSHIP, SCALE
from vision.games.conflit_stellaire.values import SEATS
from vision.values.arrays import FloatArray
from vision.values.layout import Placed

__all__ = ["Seating", "apart", "lean_of", "seating_of"]

_NEAR_MM = 60.0  # so near the centre an angle says little
_BESIDE_RAD = math.radians(12.0)  # so near a bisector a card may be the neighbour's
_STEPS = 720  # turns tried, over a full one: half a degree
_CARD_RAD = math.radians(7.0)  # by which cards are laid askew, one standard deviation
_PLACE_RAD = math.radians(20.0)  # by which hull cards and strips lie beside their places
_FREE = 0.12  # chance that something is laid anyhow
_READY = 0.7  # chance that a card is ready
_UPRIGHT = 0.97  # chance that a hull card lies upright or upside down, not across
_WEIGHT = 0.5  # of a heap of cards: many of a seat are engaged together
_HEAP_MM = 50.0  # so near each other, and turned alike, cards are of one fan: laid by one hand,
_HEAP_RAD = math.radians(15.0)  # not each by itself
_ACROSS_MM = 40.0  # so near the line between two sectors a card lies in both
_ACROSS = 0.3  # chance of that, over one that lies clear of it
_BOTTOM_RAD = math.radians(60.0)  # by which who takes a photo stands beside A, one deviation
_OPEN = 1.5  # log odds under which another turn may be the right one: one card says that much
_OTHER_RAD = math.radians(30.0)  # so far from the best a turn changes who owns what, and how
_LEAN_LEAST = 4  # cards that together show how a seat lays its own
_LEAN_RAD = math.radians(20.0)  # most that a seat's cards are turned from its heading
_LEAN_SPREAD_RAD = math.radians(6.0)  # of a seat that lays its cards all alike


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


# --- how the seats lie round the centre ----------------------------------------------------------
# Every way to turn the seats is weighed. A card lies upright, upside down or across before its
# seat; a hull card upright; a strip lies between two neighbours. Each may be laid askew, for no one
# thing decides.


@dataclass(frozen=True, slots=True)
class Turning:
    """The heading of the seat nearest the photo's bottom; ``is_open`` if it may be another."""

    turn_rad: float
    is_open: bool


def turning_of(placed: Sequence[Placed], count: int, centre_mm: tuple[float, float]) -> Turning:
    """Return how 2 to 4 seats lie round a centre.

    ``placed`` are cards, hull cards and strips; markers and what could not be read left out.
    """
    step = 2 * math.pi / count
    turns = _wrapped(
        np.linspace(0.0, step, _STEPS // count, endpoint=False, dtype=np.float64), step
    )
    worth = -0.5 * (turns / _BOTTOM_RAD) ** 2
    for one, alike in zip(placed, _heaps(placed), strict=True):
        dx, dy = one.x_mm - centre_mm[0], one.y_mm - centre_mm[1]
        away, bearing = math.hypot(dx, dy), math.atan2(-dx, dy)
        beside = _wrapped(bearing - turns, step)  # from the nearest seat's heading
        if one.piece == SCALE:
            if count > 2:
                worth = worth + _mixed(step / 2 - np.abs(beside), _PLACE_RAD, step)
            continue
        askew = _wrapped(one.theta_rad - (bearing - beside), math.pi)  # upside down is upright
        if one.piece == FLAGSHIP:
            worth = worth + _laid(askew, _UPRIGHT)
            worth = worth + _mixed(beside, max(_PLACE_RAD, step / 6), step)
            continue
        to_line = away * np.sin(np.minimum(step / 2 - np.abs(beside), math.pi / 2))
        in_both = np.where(to_line < _ACROSS_MM, math.log(_ACROSS), 0.0)
        worth = worth + _WEIGHT / alike * (_laid(askew, _READY) + in_both)
    best = int(worth.argmax())
    others = np.abs(_wrapped(turns - turns[best], step)) > _OTHER_RAD
    is_open = bool(others.any()) and float(worth[best] - worth[others].max()) < _OPEN
    return Turning(float(turns[best]), is_open)


def _heaps(placed: Sequence[Placed]) -> list[int]:
    """Return with how many others, and itself, each thing lies in one fan."""
    at = np.array([(p.x_mm, p.y_mm) for p in placed])
    turns = np.array([p.theta_rad for p in placed])
    near = np.linalg.norm(at[:, None] - at[None], axis=2) < _HEAP_MM
    alike = np.abs(_wrapped(turns[:, None] - turns[None], math.pi)) < _HEAP_RAD
    return [int(count) for count in (near & alike).sum(axis=1)]


def lean_of(turned_rad: Sequence[float], heading_rad: float) -> float:
    """Return how much further than its heading a seat's cards are turned, if all are alike."""
    off = _wrapped(np.array(turned_rad) - heading_rad, math.pi / 2)
    if len(off) < _LEAN_LEAST:
        return 0.0
    middle = float(np.median(off))
    spread = float(np.median(np.abs(off - middle)))
    if spread > _LEAN_SPREAD_RAD:
        return 0.0
    return max(-_LEAN_RAD, min(_LEAN_RAD, middle))


def _wrapped(angles: FloatArray, period: float) -> FloatArray:
    """Return angles from minus half a period to half of it."""
    return np.asarray((angles + period / 2) % period - period / 2, np.float64)


def _laid(askew: FloatArray, upright: float) -> FloatArray:
    """Return the logarithm of how likely cards are turned so: upright, across, or anyhow."""
    near = [_near(_wrapped(askew + turn, math.pi), _CARD_RAD) for turn in (0.0, math.pi / 2)]
    alike = upright * near[0] + (1 - upright) * near[1]
    return np.asarray(np.log((1 - _FREE) * alike * math.pi + _FREE), np.float64)


def _mixed(off: FloatArray, deviation: float, period: float) -> FloatArray:
    """Return the logarithm of how likely things lie off by so much: mostly near, some anyhow."""
    return np.asarray(np.log((1 - _FREE) * _near(off, deviation) * period + _FREE), np.float64)


def _near(off: FloatArray, deviation: float) -> FloatArray:
    """Return the normal density."""
    scale = deviation * math.sqrt(2 * math.pi)
    return np.asarray(np.exp(-0.5 * (off / deviation) ** 2) / scale, np.float64)
