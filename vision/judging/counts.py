"""What a game knows of the number of its pieces, held against what lies on a table.

Rules say how many pieces of a group a table has: three pawns a team, an asteroid, a die of each
colour. What is missing may be dead, put away by the players, or there and not seen; a photo cannot
tell which. So a shortfall is a doubt until the players account for it by a word, or the round
before does: :func:`find_shortfalls` is the one place where the two are compared.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Expected", "Shortfall", "find_shortfalls"]


@dataclass(frozen=True, slots=True)
class Expected:
    """A group of pieces of which the rules know how many a table has at least.

    ``group`` is how the game calls it, ``pieces`` are the ids that count, in the order in which
    they are missed.
    """

    group: str
    pieces: tuple[str, ...]
    least: int

    def __post_init__(self) -> None:
        if not 0 <= self.least <= len(self.pieces):
            msg = f"{self.group}: expected 0 to {len(self.pieces)} pieces, got {self.least}"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Pieces of a group that nobody has accounted for: the ids missed, and how many are there."""

    group: str
    missing: tuple[str, ...]
    there: int
    least: int


def find_shortfalls(
    expected: Sequence[Expected], there: Collection[str], gone: Iterable[str] = ()
) -> tuple[Shortfall, ...]:
    """Compare what should be on a table, by the rules, with what is there.

    ``gone`` are the pieces that the players, or the round before, say are not.

    >>> team = Expected("red", ("red-1", "red-2", "red-3"), 3)
    >>> find_shortfalls([team], ["red-2"], ["red-3"])
    (Shortfall(group='red', missing=('red-1',), there=1, least=3),)
    """
    away = set(gone) - set(there)
    found = []
    for one in expected:
        here = sum(piece in there for piece in one.pieces)
        lacking = one.least - here - sum(piece in away for piece in one.pieces)
        if lacking > 0:
            open_ = [piece for piece in one.pieces if piece not in there and piece not in away]
            found.append(Shortfall(one.group, tuple(open_[:lacking]), here, one.least))
    return tuple(found)
