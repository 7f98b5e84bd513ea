"""Readings with their chances -> every way a table may be, and the chances of how it ends."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TypeVar

import numpy as np

__all__ = ["endings", "joint_readings"]

Spot = TypeVar("Spot")
Value = TypeVar("Value")
Ending = TypeVar("Ending")


def joint_readings(
    readings: Mapping[Spot, Sequence[tuple[Value, float]]], most: int = 4096, seed: int = 0
) -> Iterator[tuple[dict[Spot, Value], float]]:
    """Yield what all spots hold together, with its chance; sampled where there are too many ways.

    Parameters
    ----------
    readings : mapping of spot to sequence of (value, chance)
        What each may hold; the chances of one spot add up to 1.
    most : int
        If there are more ways than that, so many are drawn instead, of equal chance.
    """
    spots = list(readings)
    if math.prod(len(several) for several in readings.values()) <= most:
        for chosen in product(*readings.values()):
            values = {spot: value for spot, (value, _) in zip(spots, chosen, strict=True)}
            yield values, math.prod(chance for _, chance in chosen)
        return
    rng = np.random.default_rng(seed)
    drawn = {
        spot: rng.choice(len(several), most, p=_whole([chance for _, chance in several]))
        for spot, several in readings.items()
    }
    for k in range(most):
        yield {spot: readings[spot][drawn[spot][k]][0] for spot in spots}, 1 / most


def endings(
    ways: Iterator[tuple[dict[Spot, Value], float]],
    play: Callable[[dict[Spot, Value]], Ending | None],
) -> tuple[tuple[Ending, float], ...]:
    """Play every way; return how it ends and how likely, the likeliest first.

    A way that ``play`` answers with None cannot be, and is left out; the chances add up to 1.
    """
    total: dict[Ending, float] = {}
    for way, chance in ways:
        ending = play(way)
        if ending is not None:
            total[ending] = total.get(ending, 0.0) + chance
    whole = sum(total.values())
    ranked = sorted(total.items(), key=lambda item: -item[1])
    return tuple((ending, chance / whole) for ending, chance in ranked)


def _whole(chances: Sequence[float]) -> list[float]:
    total = sum(chances)
    return [chance / total for chance in chances]
