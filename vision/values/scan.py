"""A table read and its round played: what every app gets in the end."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from vision.values.layout import Layout
from vision.values.ledger import Ledger
from vision.values.messages import Issue
from vision.values.verdict import Verdict, judge

__all__ = ["Scan"]


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """What was seen, and what follows from it.

    ``layouts`` hold what each photo shows, with the doubts of seeing; ``ledger`` tells the round,
    with those of judging. ``table`` and ``outcome`` are the game's own values, which only the game
    opens. ``timings_ms`` is how long each stage took. ``photos`` says of which photo each layout
    is: its number among those that were given, from 0; then come those that went into one of them.
    """

    game: str
    layouts: tuple[Layout, ...]
    table: Any
    outcome: Any
    ledger: Ledger
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    photos: tuple[int, ...] = (0,)

    @property
    def layout(self) -> Layout:
        """What the first photo shows."""
        return self.layouts[0]

    @property
    def doubts_of_seeing(self) -> tuple[Issue, ...]:
        """What is uncertain in the photos."""
        return tuple(issue for layout in self.layouts for issue in layout.doubts)

    @property
    def doubts_of_judging(self) -> tuple[Issue, ...]:
        """What is uncertain in the round as it was played."""
        return self.ledger.doubts

    @property
    def issues(self) -> tuple[Issue, ...]:
        """All doubts and notes as the odds weigh them, those that they play first."""
        return self.ledger.weigh((*self.doubts_of_seeing, *self.doubts_of_judging))

    @property
    def verdict(self) -> Verdict:
        """Who has won and how sure that is, or what is open."""
        return judge(self.ledger, self.issues)
