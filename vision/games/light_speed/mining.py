"""Mining by pulses: how the rocks of one pool go to the lasers of one step."""

from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Pulse", "Yield", "settle_pool"]


@dataclass(frozen=True, slots=True)
class Pulse:
    """One pulse: the lasers that ask for a rock, and what was left for them.

    ``lasers`` are places in the sequence given; ``left`` the rocks before the pulse. If they are
    too few for all, nobody gets one and they are ``vaporised``.
    """

    number: int
    lasers: tuple[int, ...]
    left: int
    vaporised: int


@dataclass(frozen=True, slots=True)
class Yield:
    """What came of a pool in one step: rocks per laser, rocks vaporised, the pulses if any."""

    rocks: tuple[int, ...]
    vaporised: int
    pulses: tuple[Pulse, ...]


def settle_pool(left: int, powers: Sequence[int]) -> Yield:
    """Share the rocks left in a pool among the lasers on it, in any order.

    Each laser moves as many rocks as its power. Only if together they ask for more than is left,
    they pulse: every laser asks for one rock, then those of power 2 and more, and so on; when there
    are not enough for all that ask, the rest is vaporised.

    >>> settle_pool(12, [2, 1]).rocks
    (2, 1)
    >>> shared = settle_pool(4, [3, 2, 1])
    >>> shared.rocks, shared.vaporised
    ((1, 1, 1), 1)
    >>> [(pulse.lasers, pulse.left) for pulse in shared.pulses]
    [((0, 1, 2), 4), ((0, 1), 1)]
    """
    if sum(powers) <= left:
        return Yield(tuple(powers), 0, ())
    rocks = [0] * len(powers)
    pulses: list[Pulse] = []
    for number in range(1, max(powers) + 1):
        lasers = tuple(i for i, power in enumerate(powers) if power >= number)
        if left < len(lasers):
            pulses.append(Pulse(number, lasers, left, left))
            return Yield(tuple(rocks), left, tuple(pulses))
        pulses.append(Pulse(number, lasers, left, 0))
        left -= len(lasers)
        for i in lasers:
            rocks[i] += 1
    msg = "lasers that ask for more than is left cannot all be served"
    raise AssertionError(msg)  # the sum of all pulses is the sum of the powers
