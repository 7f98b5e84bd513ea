"""Coaching, after a round: what would have been better."""

from collections.abc import Sequence
from dataclasses import dataclass

from vision.values.heat import HeatMap
from vision.values.messages import Message

__all__ = ["MOST_HINTS", "Advice", "Coaching", "best_of"]

MOST_HINTS = 3  # told to one side: of a round, and of an evening


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing that would have gone otherwise.

    ``side`` is whom it is told (None: everybody), ``kind`` the game's own word for what sort of
    advice it is, ``said`` the sentence. ``order`` is what to order for it, as the game reads it
    (None: nothing could be done, or it is no order of one side). ``worth`` is by how many points
    the side's lead would have been greater (None: the game does not count so), ``piece`` what is
    moved, and ``outline_mm`` its outline there, table frame (nothing: it stays where it lies).
    """

    side: str | None
    kind: str
    said: Message
    order: str | None = None
    worth: int | None = None
    piece: str | None = None
    outline_mm: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Coaching:
    """What would have been better, and for each piece what every place would have been worth."""

    advice: tuple[Advice, ...]
    maps: tuple[HeatMap, ...] = ()

    def of_side(self, side: str) -> "Coaching":
        """Return what concerns one side."""
        return Coaching(
            tuple(one for one in self.advice if one.side in (None, side)),
            tuple(one for one in self.maps if one.side == side),
        )

    @property
    def hottest(self) -> HeatMap | None:
        """The map of the piece that had most to gain; None if no place was worth anything.

        Of equals it is the one whose place is said, so that picture and words speak of one piece.
        """
        said = [(one.piece, one.worth) for one in self.advice if one.outline_mm]
        best = max(
            self.maps, key=lambda one: (one.most, (one.piece, one.most) in said), default=None
        )
        return best if best is not None and best.most > 0 else None


def best_of(rounds: Sequence[Sequence[Advice]]) -> tuple[tuple[int, Advice], ...]:
    """Return for each side the advice of several rounds that was worth most, three at most.

    Each comes with the place of its round in ``rounds``. Sides stand in the order in which they
    are first spoken to; of equals the earlier round comes first. What a game does not count in
    points, and what is said to nobody in particular, belongs to its own round alone.
    """
    told = [
        (number, one)
        for number, advice in enumerate(rounds)
        for one in advice
        if one.worth is not None and one.side is not None
    ]
    found: list[tuple[int, Advice]] = []
    for side in dict.fromkeys(one.side for _, one in told):
        own = [each for each in told if each[1].side == side]
        found += sorted(own, key=lambda each: -(each[1].worth or 0))[:MOST_HINTS]
    return tuple(found)
