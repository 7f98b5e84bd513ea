"""Doubts that compete, drawn at random, and every way that they may be: counted one by one."""

import math
from collections.abc import Collection, Sequence
from itertools import product

import numpy as np
from hypothesis import strategies as st

from vision.judging.doubted import Doubted

__all__ = ["doubts", "enumerated", "random_doubts"]

MOST = 5000  # joint readings of a random case: so many are counted one by one in some 10 ms


@st.composite
def doubts(draw: st.DrawFn, most: int = 3) -> tuple[Doubted, ...]:
    """Return doubts that are independent."""
    found = []
    for k in range(draw(st.integers(0, most))):
        weights = draw(st.lists(st.floats(0.01, 1), min_size=1, max_size=3))
        total = sum(weights)
        readings = tuple((f"{k}-{r}", w / total) for r, w in enumerate(weights))
        found.append(Doubted((f"piece-{k}",), ("doubt",), readings))
    return tuple(found)


def random_doubts(rng: np.random.Generator, most: int = MOST) -> list[Doubted]:
    """Return up to eight doubts about cards that share names; None claims nothing.

    As taken they may claim one name twice, or a name of none of them may have a chance.
    """
    while True:
        names = [f"name-{k}" for k in range(int(rng.integers(2, 13)))]
        found = []
        for k in range(int(rng.integers(1, 9))):
            others = rng.permutation([*names, *(None,) * int(rng.integers(0, 3))]).tolist()
            own = [f"own-{k}"] if rng.random() < 0.5 else []
            several = list(dict.fromkeys([*own, *others[: int(rng.integers(1, 4))]]))
            shares = rng.dirichlet([0.7] * len(several)).tolist()
            readings = tuple(zip(several, shares, strict=True))
            found.append(Doubted((f"card-{k}",), ("name",), readings, claims=tuple(several)))
        if math.prod(len(doubt.readings) for doubt in found) <= most:
            return found


def enumerated(
    doubts: Sequence[Doubted], held: Collection[str] = ()
) -> dict[tuple[int, ...], float]:
    """Return every way in which nothing is claimed twice, and its chance given that one is so."""
    found = {}
    for chosen in product(*(range(len(doubt.readings)) for doubt in doubts)):
        claims = [d.claimed[r] for d, r in zip(doubts, chosen, strict=True)]
        claims = [claim for claim in claims if claim is not None]
        if len(set(claims)) == len(claims) and not set(claims) & set(held):
            chances = [d.readings[r][1] for d, r in zip(doubts, chosen, strict=True)]
            found[chosen] = math.prod(chances)
    whole = sum(found.values())
    return {chosen: chance / whole for chosen, chance in found.items()}
