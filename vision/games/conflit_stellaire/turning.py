"""What lies on a table, and its centre -> how the seats lie round it, from whichever side it shows.

Every way to turn the seats is weighed. A card lies upright, upside down or across before its seat;
a hull card upright; a strip lies between two neighbours. Each may be laid askew, for no one thing
decides.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.games.conflit_stellaire.pieces import FLAGSHIP, SCALE
from vision.values.arrays import FloatArray
from vision.values.layout import Placed

__all__ = ["Turning", "lean_of", "turning_of"]

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
class Turning:
    """The heading of the seat nearest the photo's bottom; ``is_open`` if it may be another."""

    turn_rad: float
    is_open: bool


def turning_of(placed: Sequence[Placed], count: int, centre_mm: tuple[float, float]) -> Turning:
    """Return how so many seats lie round a centre.

    Parameters
    ----------
    placed : sequence of Placed
        Cards, hull cards and strips; markers and what could not be read left out.
    count : int
        Of the seats: 2 to 4.
    centre_mm : (float, float)
        Of the table.
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
