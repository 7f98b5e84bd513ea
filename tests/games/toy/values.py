"""The values of the toy game: what may stand where, and what came of it. Frozen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from vision.judging.options import option
from vision.values.messages import Issue

__all__ = ["SPOTS", "TOKENS", "WAYS", "Outcome", "Readings", "ToyOptions", "ToyTable"]

TOKENS = ("sun", "moon")
SPOTS = (*TOKENS, "die")
WAYS = ("n", "e", "s", "w")  #: where a token looks; n is up
Value: TypeAlias = tuple[str, str] | int  #: of a token its square and its way; of the die its pips
Readings: TypeAlias = tuple[tuple[Value, float], ...]


@dataclass(frozen=True, slots=True)
class ToyOptions:
    """What may be agreed on."""

    wins: Literal["most", "least"] = option("most", "most or least: how many points win")


@dataclass(frozen=True, slots=True)
class ToyTable:
    """What each spot holds, by its chances, the likeliest first: a value, and how likely."""

    readings: Mapping[str, Readings]
    options: ToyOptions = ToyOptions()
    doubts: tuple[Issue, ...] = ()

    def best(self) -> dict[str, Value]:
        """Return what is likeliest."""
        return {spot: several[0][0] for spot, several in self.readings.items()}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The points of each token, who wins, and all endings (points of sun and moon) by chance."""

    points: Mapping[str, int]
    winners: tuple[str, ...]
    endings: tuple[tuple[tuple[int, int], float], ...]
