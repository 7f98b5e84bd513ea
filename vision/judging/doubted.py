"""Doubts with the chances of their readings, and which of them matter.

What a piece is, whether it is there, which of two laid on each other was meant to lie where: each
is a :class:`Doubted`, as it was taken first. A game plays every way that
:func:`~vision.judging.odds.find_ways` finds, all else drawn alike (the poses, where they are
uncertain); so the odds are honest given all that is doubted, and a doubt that changes nothing is
known to change nothing.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from vision.errors import TableFormatError
from vision.values.arrays import BoolArray, FloatArray, IntArray
from vision.values.layout import ROUNDED, PlacedCard
from vision.values.ledger import NO_MATTER

__all__ = [
    "Doubted",
    "Way",
    "Ways",
    "competing",
    "doubted_names",
    "how_much",
    "numbered",
    "to_shares",
]

T = TypeVar("T")

_EXACT = 1e-9  # a sum of chances that near 1 is 1
_RARE = 1e-4  # a reading less likely than that changes no chance that is told


@dataclass(frozen=True, slots=True)
class Doubted:
    """A doubt that can be played: about which pieces, and its readings with their chances.

    ``readings`` begin with the one that is taken; their chances add up to 1. ``codes`` are those
    of the issues that tell of it; of a place, where they stand at ``at_px``. ``claims`` are what
    each reading has that no other doubt can have with it, as a card's name, None for nothing;
    empty if none has anything.
    """

    pieces: tuple[str, ...]
    codes: tuple[str, ...]
    readings: tuple[tuple[Any, float], ...]
    at_px: tuple[float, float] | None = None
    claims: tuple[Hashable | None, ...] = ()

    @property
    def claimed(self) -> tuple[Hashable | None, ...]:
        """What each reading claims."""
        return self.claims or (None,) * len(self.readings)

    def __post_init__(self) -> None:
        total = sum(chance for _, chance in self.readings)
        if not np.isclose(total, 1.0) or min(chance for _, chance in self.readings) < 0:
            msg = f"{self.pieces}: chances of readings add up to 1, got {total:g}"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class Way:
    """One way a table may be: of each doubt which reading holds, and how likely that is."""

    chosen: tuple[int, ...]
    chance: float


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways a table may be that are to be played, that in which all is as taken first.

    ``unknown`` is how likely it is in none of them: with it their chances add up to 1.
    """

    several: tuple[Way, ...]
    unknown: float = 0.0


def to_shares(of: str, chances: Sequence[float], least: float = 1 - ROUNDED) -> tuple[float, ...]:
    """Return the chances of readings that were read, so that they add up to 1.

    Raises
    ------
    TableFormatError
        If they add up to less than ``least``, or to more than files round to.
    """
    total = sum(chances)
    if not max(least, _EXACT) <= total <= 1 + ROUNDED:
        msg = (
            f"the probabilities of {of}'s readings add up to {total:.6g}; "
            f"they must add up to 1 (± {ROUNDED})"
        )
        raise TableFormatError(msg)
    if abs(total - 1) <= _EXACT:
        return tuple(chances)
    return tuple(chance / total for chance in chances)


def doubted_names(cards: Sequence[PlacedCard], codes: tuple[str, ...]) -> tuple[Doubted, ...]:
    """Return what is doubted of cards' names; the readings are ids, None where nothing lies.

    A card lies on the table once: each reading claims its name.
    """
    found = []
    for card in cards:
        others = [(one.piece, one.chance) for one in card.may_be if one.chance > _RARE]
        if others:
            own = max(0.0, 1 - sum(one.chance for one in card.may_be))
            readings = ((card.card_id, own), *others)
            total = sum(chance for _, chance in readings)  # files round
            shares = tuple((piece, chance / total) for piece, chance in readings)
            names = tuple(piece for piece, _ in readings)
            found.append(Doubted((card.card_id,), codes, shares, claims=names))
    return tuple(found)


def competing(doubts: Sequence[Doubted]) -> list[tuple[int, ...]]:
    """Group doubts, by their places, that claim the same things, at one remove or more."""
    groups: list[tuple[set[int], set[Hashable]]] = []
    for k, doubt in enumerate(doubts):
        mine = ({k}, {claim for claim in doubt.claimed if claim is not None})
        near = [group for group in groups if group[1] & mine[1]]
        for members, claims in near:
            mine[0].update(members)
            mine[1].update(claims)
        groups = [*(group for group in groups if group not in near), mine]
    return sorted(tuple(sorted(members)) for members, _ in groups)


def how_much(
    doubts: Sequence[Doubted], ways: Ways, endings: Sequence[IntArray]
) -> tuple[float, ...]:
    """Tell how likely each doubt changes how the round ends.

    ``endings`` are of each way how the round ends, by number (N,), for several draws of all else,
    drawn alike: what stands at one place of all ways is one draw. Some may be shorter.

    Returned is of each doubt the chance that it is not as taken and that the round ends otherwise
    than if it were, all else as it is: by itself, or with others of which none matters alone. Not
    less than what is known of the endings changes where it is settled as taken. In ways that are
    not known every doubt changes how the round ends that is not as taken there.
    """
    groups = competing(doubts)
    chosen = np.array([way.chosen for way in ways.several], np.int64)
    chances = np.array([way.chance for way in ways.several])
    changed = np.array([_differing(ending, endings[0]) for ending in endings])
    alone = np.zeros(len(doubts))
    for members in groups:
        for k in members:
            alone[k] = _by_itself(k, members, chosen, chances, endings)
            if len(members) > 1 and not ways.unknown:
                alone[k] = max(alone[k], _if_settled(chosen[:, k] == 0, chances, endings))
            if ways.unknown:
                known = chances.sum()
                prior = 1 - doubts[k].readings[0][1]
                other = chances[chosen[:, k] > 0].sum() / known if known else prior
                alone[k] += ways.unknown * other
    free = alone <= NO_MATTER
    quiet = (chosen[:, ~free] == 0).all(axis=1)
    together = ((chances * changed * quiet)[:, None] * (chosen > 0)).sum(axis=0)
    return tuple(np.where(free, np.maximum(alone, together), alone).tolist())


def _by_itself(
    k: int,
    members: tuple[int, ...],
    chosen: IntArray,
    chances: FloatArray,
    endings: Sequence[IntArray],
) -> float:
    """Return how likely a doubt is not as taken and the round ends otherwise than if it were.

    A way is compared with the one that is as taken there, the same beyond what the doubt competes
    with, and in that as alike as may be; if none was played, with the others that were.
    """
    found = 0.0
    beyond = np.delete(chosen, members, axis=1).tolist()
    taken: dict[tuple[int, ...], list[int]] = {}
    for i in np.flatnonzero(chosen[:, k] == 0).tolist():
        taken.setdefault(tuple(beyond[i]), []).append(i)
    for r in np.unique(chosen[chosen[:, k] > 0, k]).tolist():
        mine = np.flatnonzero(chosen[:, k] == r)
        pairs = []
        for i in mine.tolist():
            same = taken.get(tuple(beyond[i]), [])
            if same:
                other = (chosen[same] != chosen[i]).sum(axis=1)
                pairs.append((i, same[int(other.argmin())]))
        pairs = pairs or [(i, 0) for i in mine.tolist()]
        weights = chances[[i for i, _ in pairs]]
        weights = weights if weights.any() else np.ones(len(pairs))
        differing = [_differing(endings[i], endings[base]) for i, base in pairs]
        found += float(sum(chances[mine].tolist())) * float(np.average(differing, weights=weights))
    return found


def _if_settled(is_taken: BoolArray, chances: FloatArray, endings: Sequence[IntArray]) -> float:
    """Return what share of the endings changes if only some ways (W,) are left, draw by draw."""
    if not chances[is_taken].any():
        return 1.0
    n = min(map(len, endings))
    drawn = np.stack([ending[:n] for ending in endings])  # (W, n)
    change = np.where(is_taken, chances / chances[is_taken].sum(), 0.0) - chances
    many = int(drawn.max()) + 1
    place = (drawn + many * np.arange(n)).ravel()
    share = np.bincount(place, np.repeat(change, n), many * n)
    return float(np.abs(share).sum()) / 2 / n


def numbered(several: Sequence[T], key: Callable[[T], Hashable] = lambda _: None) -> list[IntArray]:
    """Give each of several endings a number (1,), the same to those that are equal.

    ``key`` is equal for equal ones, and tells most of the others apart: endings need no hash.
    """
    known: dict[Hashable, list[tuple[int, T]]] = {}
    numbers = []
    for k, one in enumerate(several):
        alike = known.setdefault(key(one), [])
        number = next((n for n, other in alike if other == one), k)
        if number == k:
            alike.append((k, one))
        numbers.append(np.array([number]))
    return numbers


def _differing(one: IntArray, other: IntArray) -> float:
    """Return the share of draws that end differently."""
    n = min(len(one), len(other))
    return float(np.mean(one[:n] != other[:n]))
