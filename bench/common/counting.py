"""Shares with their intervals, and whether chances that were told came true."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from bench.common.tables import Table
from vision.values.arrays import FloatArray

__all__ = ["EDGES", "Tally", "add_scores", "bound_of_none", "rms", "share", "wilson"]

Z_90 = 1.6448536269514722  # of the normal distribution, two-sided 90 %
EDGES = (0.0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99, 1.0)
CERTAIN = 0.99


def wilson(hits: int, of: int, z: float = Z_90) -> tuple[float, float]:
    """Return the Wilson score interval of a share, of 90 % unless ``z`` says otherwise.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.541, 0.931]
    >>> wilson(0, 0)
    (0.0, 1.0)
    """
    if not of:
        return 0.0, 1.0
    p, square = hits / of, z * z / of
    middle = (p + square / 2) / (1 + square)
    half = z / (1 + square) * math.sqrt(p * (1 - p) / of + square / (4 * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def share(hits: int, of: int) -> str:
    """Return a share as text: the count, per cent, and its 90 % interval.

    Examples
    --------
    >>> share(57, 60)
    '57 of 60: 95 % (88 to 98 %)'
    """
    if not of:
        return "0 of 0"
    low, high = wilson(hits, of)
    return f"{hits} of {of}: {hits / of:.0%} ({low * 100:.0f} to {high:.0%})".replace("%", " %")


def bound_of_none(hits: int, of: int) -> str:
    """Return a count of faults; beside a zero stands what it proves with 95 %: at most 3/n.

    Examples
    --------
    >>> bound_of_none(0, 60), bound_of_none(2, 60)
    ('0 (at most 5 %)', '2')
    """
    if hits or of < 6:  # of five or fewer a zero proves next to nothing
        return str(hits)
    bound = 300 / of
    return f"0 (at most {bound:.2g} %)" if bound < 10 else f"0 (at most {bound:.0f} %)"


def rms(values: Sequence[float] | FloatArray) -> float:
    """Return the root of the mean square; NaN of nothing."""
    return float(np.sqrt(np.mean(np.square(values)))) if len(values) else float("nan")


def add_scores(total: Any, one: Any) -> None:
    """Add the fields of a dataclass of counts, lists and counters to those of another."""
    for each in fields(one):
        mine, other = getattr(total, each.name), getattr(one, each.name)
        if isinstance(mine, Counter):
            mine.update(other)
        else:
            setattr(total, each.name, mine + other)


@dataclass
class Tally:
    """Probabilities that were told, and whether what was told came true."""

    told: list[float] = field(default_factory=list)
    came: list[bool] = field(default_factory=list)

    def add(self, probability: float, came: bool) -> None:
        """Count one."""
        self.told.append(probability)
        self.came.append(came)

    def rows(self, edges: Sequence[float] = EDGES) -> list[dict[str, float]]:
        """Return for each band of probability: how many, what was told, what came true."""
        told, came = np.array(self.told), np.array(self.came)
        band = np.clip(np.digitize(told, edges) - 1, 0, len(edges) - 2)
        rows = []
        for k in range(len(edges) - 1):
            mine = band == k
            if mine.any():
                spread = float(np.sqrt((told[mine] * (1 - told[mine])).sum())) / int(mine.sum())
                rows.append(
                    {
                        "from": edges[k],
                        "to": edges[k + 1],
                        "count": int(mine.sum()),
                        "told": float(told[mine].mean()),
                        "came": float(came[mine].mean()),
                        "sigma": spread,
                    }
                )
        return rows

    def table(self, title: str, edges: Sequence[float] = EDGES) -> Table:
        """Return told against true, a row for each band."""
        rows = tuple(
            (
                f"{r['from']:.4g} to {r['to']:.4g}",
                int(r["count"]),
                f"{r['told']:.1%}",
                f"{r['came']:.1%}",
            )
            for r in self.rows(edges)
        )
        return Table(title, ("chance told", "cases", "told, mean", "came true"), rows)

    def wrong_and_certain(self) -> int:
        """Count what was told as more than 99 % sure and did not come true."""
        return sum(p > CERTAIN and not came for p, came in zip(self.told, self.came, strict=True))

    def worst(self) -> float:
        """Return the largest misfit of a band, in standard deviations (at least one case wide)."""
        return max(
            abs(r["told"] - r["came"]) / max(r["sigma"], 1 / r["count"]) for r in self.rows()
        )
