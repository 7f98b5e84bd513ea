"""Rounds of an evening, added up: of each game by itself, since points of two games do not add."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["GameSums", "merged"]

Json = dict[str, Any]


@dataclass(slots=True)
class GameSums:
    """The sums of the rounds of one game; those that are open or wait for orders are in none.

    A score that goes on from round to round counts once, as it stood last before each end:
    ``before`` are the points of each side when it began. ``open`` are the ids of open rounds,
    ``unordered`` of those that are played by orders and have none: a position is no result.
    """

    game: str
    goes_on: bool  #: whether the score of a round goes on in the next
    totals: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)
    wins: Counter[str] = field(default_factory=Counter)
    open: list[str] = field(default_factory=list)
    unordered: list[str] = field(default_factory=list)

    def add(self, summary: Json) -> None:
        """Add a round, as a list tells it; one that is not read adds nothing."""
        if summary["scores"] is None:
            return
        if summary["unordered"]:
            self.unordered.append(summary["id"])
        elif summary["open"]:
            self.open.append(summary["id"])
        else:
            for side, points in summary["scores"].items():
                self.totals[side] = self.before.get(side, 0) + points
            self.wins.update(summary["winners"])
        if summary["ends"] or not self.goes_on:
            self.before = dict(self.totals)

    def told(self) -> Json:
        """Return the sums, and which rounds are in none of them (plain JSON)."""
        sums = {"totals": dict(self.totals), "wins": dict(self.wins)}
        left = {"open": list(self.open), "unordered": list(self.unordered)}
        return {"game": self.game, **sums, **left}


def merged(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    """Return several counts as one."""
    total: dict[str, int] = {}
    for one in counts:
        for side, points in one.items():
            total[side] = total.get(side, 0) + points
    return total
