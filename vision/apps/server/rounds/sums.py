"""Rounds of an evening, added up: of each game by itself, since points of two games do not add."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["GameSums", "merged"]

Json = dict[str, Any]


@dataclass(slots=True)
class _Sum:
    """The points of each side so far; ``before`` are those when the score began that goes on."""

    totals: dict[str, int] = field(default_factory=dict)
    before: dict[str, int] = field(default_factory=dict)

    def add(self, scores: dict[str, int], *, is_over: bool) -> None:
        for side, points in scores.items():
            self.totals[side] = self.before.get(side, 0) + points
        if is_over:
            self.before = dict(self.totals)


@dataclass(slots=True)
class GameSums:
    """The sums of the rounds of one game: of all, and of those whose winner is known.

    A score that goes on from round to round counts once, as it stood last before each win.
    """

    game: str
    goes_on: bool  #: whether the score of a round goes on in the next
    every: _Sum = field(default_factory=_Sum)
    sure: _Sum = field(default_factory=_Sum)
    wins: Counter[str] = field(default_factory=Counter)
    open: int = 0

    def add(self, summary: Json) -> None:
        """Add a round, as a list tells it; one that is not read adds nothing."""
        if "scores" not in summary:
            return
        is_over = bool(summary["winners"]) or not self.goes_on
        self.every.add(summary["scores"], is_over=is_over)
        if summary["headline"] and summary["headline"]["open"]:
            self.open += 1
            return
        self.sure.add(summary["scores"], is_over=is_over)
        self.wins.update(summary["winners"])

    def told(self) -> Json:
        """Return the sums without open rounds, and how many these are (plain JSON)."""
        sums = {"totals": dict(self.sure.totals), "wins": dict(self.wins)}
        return {"game": self.game, **sums, "open": self.open}


def merged(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    """Return several counts as one."""
    total: dict[str, int] = {}
    for one in counts:
        for side, points in one.items():
            total[side] = total.get(side, 0) + points
    return total
