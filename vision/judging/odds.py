"""Doubts with the chances of their readings -> every way a table may be, and how that ends.

Doubts are independent, but for what only one of them can have: a card lies on a table once. Those
that compete for one thing, at one remove or more, are a group. The joint readings of a group are
listed or counted, all of them, and groups are independent. So the chance of every way is exact, and
how much of all that may be was played is known.
"""

import heapq
import math
from bisect import bisect_right
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice, product
from typing import TypeAlias, TypeVar

import numpy as np

from vision.judging.doubted import Doubted, Way, Ways, competing
from vision.texts import make_issue
from vision.values.arrays import FloatArray
from vision.values.ledger import NO_MATTER, Chance, Odds
from vision.values.messages import Issue, Message, message

__all__ = ["OPEN", "endings", "find_ways", "not_known", "odds_of", "unknown_lines"]

Ending = TypeVar("Ending")
Picked = TypeVar("Picked")
_Chosen = tuple[int, ...]  # of each doubt the number of the reading that holds
_Weighed: TypeAlias = tuple[list[Picked], list[float]]  # what may be picked, sums of weights
_Option = tuple[int, float, Hashable | None]  # a reading: its number, its chance, what it claims

#: If more than this is not known, no score can be as good as sure: the round is open.
OPEN = 0.05

_MOST_WAYS = 64  # that are played: a round takes some milliseconds, and a person waits
_MOST_LISTED = 4096  # joint readings of a group, listed in some 10 ms; those of more are counted
_MOST_COUNTED = 16  # doubts of a group that is counted: 2**16 states in 0.1 s
_LOOKED_AT = 4096  # joint readings of a group that is not listed, for the likeliest that can be
_TRIES = (
    20  # to draw so many ways that are none of the likeliest: those left have next to no chance
)
_NOTHING = 1e-12  # of all that may be: what is left is rounding


def find_ways(
    doubts: Sequence[Doubted],
    is_possible: Callable[[_Chosen], bool] | None = None,
    most: int = _MOST_WAYS,
    seed: int = 0,
    held: Collection[Hashable] = (),
) -> Ways:
    """Find the ways a table may be, that in which all is as taken first.

    Parameters
    ----------
    doubts : sequence of Doubted
        What may be otherwise. What the readings of a way claim is claimed by one of them.
    is_possible : callable, optional
        Told of each doubt which reading holds, whether a table can be so for all else.
    most : int
        If there are more ways than that, the likeliest half of so many are taken, and the other
        half are drawn of the rest, alike, or as many as it takes to know enough of it; and those
        in which one doubt is otherwise, and of what it competes with as little as may be, with no
        chance if they were not drawn: what they change is to be known.
    seed : int
        Of the drawing.
    held : collection
        What something that is not doubted claims.

    Returns
    -------
    Ways
        Their chances are given that the table is one that can be. As taken stands first, with no
        chance if it cannot be. Of n ways that were drawn for the rest the next may end like none
        of them, once in n + 1 (Laplace's rule). So much is not known if it may matter: where most
        that was drawn cannot be, or the ways are too many to count; and all if none was found.
    """
    groups = [_group(doubts, members, held, most) for members in competing(doubts)]
    taken = (0,) * len(doubts)
    chances, rest, drawn = _chances(groups, taken, most, seed)
    for group in groups:
        for one in group.nearest():
            chances.setdefault(_with(taken, group, one), 0.0)
    fits = {way for way in chances if is_possible is None or is_possible(way)}
    if not all(group.fits((0,) * len(group.members)) for group in groups):
        fits.discard(taken)
    known = sum(chances[way] for way in fits)
    n, possible = sum(drawn.values()), sum(k for way, k in drawn.items() if way in fits)
    unknown, of_draw = rest / (n + 1), rest / (n + 1)
    if possible and unknown <= NO_MATTER * (known + rest * possible / n):
        unknown, of_draw = 0.0, rest / n
    whole = known + of_draw * possible + unknown
    if not whole:
        return Ways((Way(taken, 0.0),), 1.0)
    if abs(whole - 1) < _NOTHING:
        whole = 1.0
    several = tuple(
        Way(way, (chances[way] + of_draw * drawn.get(way, 0)) / whole if way in fits else 0.0)
        for way in {taken: 0, **chances}
        if way in fits or way == taken
    )
    return Ways(several, unknown / whole)


def endings(ways: Ways, play: Callable[[_Chosen], Ending]) -> tuple[tuple[Ending, float], ...]:
    """Play every way; return how it ends and how likely, the likeliest first.

    The chances add up to 1 less what is not known.
    """
    total: dict[Ending, float] = {}
    for way in ways.several:
        if way.chance:
            ending = play(way.chosen)
            total[ending] = total.get(ending, 0.0) + way.chance
    whole = sum(total.values()) + ways.unknown
    ranked = sorted(total.items(), key=lambda item: -item[1])
    return tuple((ending, chance / whole) for ending, chance in ranked)


def not_known(unknown: float) -> tuple[Issue, ...]:
    """Return the doubt that too much of what a table may be is not known, if that is so."""
    return (make_issue("not_known", "issue.not_known", chance=unknown),) if unknown > OPEN else ()


def unknown_lines(unknown: float) -> tuple[Message, ...]:
    """Say beside the odds what is not known, if that is anything."""
    return (message("odds.unknown", chance=unknown),) if unknown else ()


def odds_of(
    told: Sequence[tuple[Chance, Message]], headline: Message, unknown: float = 0.0
) -> Odds:
    """Return the odds of all endings, each with what is said of it; of a single one no words."""
    winning: dict[tuple[str, ...], float] = {}
    for one, _ in told:
        winning[one.winners] = winning.get(one.winners, 0.0) + one.probability
    ranked = tuple(sorted(winning.items(), key=lambda item: -item[1]))
    lines = (headline, *(said for _, said in told), *unknown_lines(unknown))
    return Odds(ranked, tuple(one for one, _ in told), lines if len(told) > 1 else (), unknown)


# --- groups of doubts ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Doubts that compete, by their places; their joint readings that can be, with their chances.

    ``listed`` are all of them, or the likeliest if there are too many; ``total`` is the chance of
    all, of those that are not counted an upper bound.
    """

    members: tuple[int, ...]
    options: tuple[tuple[_Option, ...], ...]
    listed: tuple[_Chosen, ...]
    weights: tuple[float, ...]
    total: float
    is_whole: bool = True
    counted: "_Counted | None" = None
    claims: tuple[dict[int, Hashable | None], ...] = field(init=False)

    def __post_init__(self) -> None:
        own = tuple({r: claim for r, _, claim in several} for several in self.options)
        object.__setattr__(self, "claims", own)

    def fits(self, chosen: _Chosen) -> bool:
        """Tell whether nothing is claimed twice, or claimed that is held."""
        if any(r not in of for of, r in zip(self.claims, chosen, strict=True)):
            return False
        claims = [of[r] for of, r in zip(self.claims, chosen, strict=True) if of[r] is not None]
        return len(set(claims)) == len(claims)

    def nearest(self) -> Iterator[_Chosen]:
        """Yield for each reading that is not as taken the joint one that is otherwise least."""
        ranked = sorted(
            range(len(self.listed)),
            key=lambda i: (sum(map(bool, self.listed[i])), -self.weights[i]),
        )
        for k, several in enumerate(self.options):
            for r, *_ in several:
                alone = tuple(r if at == k else 0 for at in range(len(self.members)))
                if r and self.fits(alone):
                    yield alone
                elif r:
                    yield from islice((o for i in ranked if (o := self.listed[i])[k] == r), 1)

    def draw(self, rng: np.random.Generator, count: int) -> list[_Chosen]:
        """Draw joint readings by their chances; none where these are not known."""
        if self.counted is not None:
            return self.counted.draw(rng, count)
        if not self.is_whole:
            return []
        shares = np.array(self.weights) / sum(self.weights)
        return [self.listed[i] for i in rng.choice(len(self.listed), count, p=shares).tolist()]


def _group(
    doubts: Sequence[Doubted], members: tuple[int, ...], held: Collection[Hashable], most: int
) -> _Group:
    options = tuple(
        tuple(
            (r, chance, claim)
            for r, ((_, chance), claim) in enumerate(
                zip(doubts[k].readings, doubts[k].claimed, strict=True)
            )
            if claim is None or claim not in held
        )
        for k in members
    )
    whole = _listed(options, max(_MOST_LISTED, most))
    if whole is not None:
        weights = tuple(weight for *_, weight in whole)
        return _Group(members, options, tuple(one for one, *_ in whole), weights, sum(weights))
    bound = math.prod(sum(chance for _, chance, _ in several) for several in options)
    group = _Group(members, options, (), (), bound, is_whole=False)
    ranked = (
        (tuple(several[i][0] for several, i in zip(options, place, strict=True)), chance)
        for place, chance in islice(
            _likeliest([[chance for _, chance, _ in several] for several in options]),
            _LOOKED_AT,
        )
    )
    best = list(islice(((one, chance) for one, chance in ranked if group.fits(one)), most))
    group = replace(group, listed=tuple(o for o, _ in best), weights=tuple(p for _, p in best))
    if len(members) > _MOST_COUNTED:
        return group
    counted = _Counted.of(options)
    return replace(group, total=counted.total, counted=counted)


def _listed(
    options: Sequence[Sequence[_Option]], most: int
) -> list[tuple[_Chosen, frozenset[Hashable], float]] | None:
    """List all joint readings, what each claims and its chance; None if there are too many."""
    found: list[tuple[_Chosen, frozenset[Hashable], float]] = [((), frozenset(), 1.0)]
    for several in options:
        found = [
            ((*chosen, r), claimed if claim is None else claimed | {claim}, weight * chance)
            for chosen, claimed, weight in found
            for r, chance, claim in several
            if claim not in claimed
        ]
        if len(found) > most:
            return None
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """The joint readings of K doubts, counted claim by claim.

    ``after`` (T + 1, 2**K) is how likely these of the doubts, as bits, have what they claim after
    so many of the T claims; ``users`` are of each claim the readings that have it, as doubt,
    reading and chance; ``free`` of each doubt those that claim nothing; ``ends`` (2**K,) is the
    chance that these claim something and the others nothing. ``steps`` are those of drawing that
    were weighed before.
    """

    users: tuple[tuple[tuple[int, int, float], ...], ...]
    free: tuple[_Weighed[int], ...]
    after: FloatArray
    ends: FloatArray
    steps: dict[tuple[int, int], _Weighed[tuple[int, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, options: Sequence[Sequence[_Option]]) -> "_Counted":
        """Count the joint readings of some doubts."""
        users: dict[Hashable, list[tuple[int, int, float]]] = {}
        for k, several in enumerate(options):
            for r, chance, claim in several:
                if claim is not None:
                    users.setdefault(claim, []).append((k, r, chance))
        free = tuple(tuple((r, p) for r, p, claim in o if claim is None) for o in options)
        after = np.zeros((len(users) + 1, 2 ** len(options)))
        after[0, 0] = 1.0
        for t, several in enumerate(users.values()):
            after[t + 1] = after[t]
            for k, _, chance in several:
                had, has = after[t].reshape(-1, 2, 2**k), after[t + 1].reshape(-1, 2, 2**k)
                has[:, 1] += chance * had[:, 0]
        left = np.ones(1)
        for nothing in free:
            left = np.concatenate([left * sum(p for _, p in nothing), left])
        ends = after[-1] * left
        return cls(tuple(map(tuple, users.values())), tuple(map(_weighed, free)), after, ends)

    @property
    def total(self) -> float:
        """The chance of all joint readings."""
        return float(self.ends.sum())

    def draw(self, rng: np.random.Generator, count: int) -> list[_Chosen]:
        """Draw joint readings by their chances."""
        held = rng.choice(len(self.ends), count, p=self.ends / self.ends.sum())
        return [self._draw_one(rng, int(has)) for has in held]

    def _draw_one(self, rng: np.random.Generator, has: int) -> _Chosen:
        """Draw which doubts claim what, back from the last claim, given which claim something."""
        found = {k: _pick(rng, *o) for k, o in enumerate(self.free) if not has >> k & 1}
        for t in range(len(self.users) - 1, -1, -1):
            step = self.steps.get((t, has)) or self._step(t, has)
            k, r = _pick(rng, *step)
            if k >= 0:
                found[k] = r
                has &= ~(1 << k)
        return tuple(found[k] for k in range(len(self.free)))

    def _step(self, t: int, has: int) -> _Weighed[tuple[int, int]]:
        """Return who may have claim t, doubt and reading or none, if these have one so far."""
        able = [(k, r, p) for k, r, p in self.users[t] if has >> k & 1]
        ways = [((-1, 0), float(self.after[t, has]))]
        ways += [((k, r), p * float(self.after[t, has & ~(1 << k)])) for k, r, p in able]
        return self.steps.setdefault((t, has), _weighed(ways))


def _weighed(several: Sequence[tuple[Picked, float]]) -> _Weighed[Picked]:
    """Return what may be picked, and the sums of the weights up to each."""
    return [one for one, _ in several], list(accumulate(weight for _, weight in several))


def _pick(rng: np.random.Generator, several: Sequence[Picked], ends: Sequence[float]) -> Picked:
    """Draw one of several by the sums of their weights: far quicker than numpy on so few."""
    return several[bisect_right(ends, rng.random() * ends[-1])]


# --- groups together -------------------------------------------------------------------------


def _likeliest(every: Sequence[Sequence[float]]) -> Iterator[tuple[_Chosen, float]]:
    """Yield the places of one weight of each row and their product, the largest first."""
    ranked = [sorted(range(len(several)), key=lambda r: -several[r]) for several in every]
    if not all(ranked):
        return

    def at(place: _Chosen) -> tuple[float, _Chosen]:
        own = tuple(of[rank] for of, rank in zip(ranked, place, strict=True))
        return math.prod(several[r] for several, r in zip(every, own, strict=True)), own

    start = (0,) * len(every)
    queue, known = [(-at(start)[0], start)], {start}
    while queue:
        chance, place = heapq.heappop(queue)
        yield at(place)[1], -chance
        for k, rank in enumerate(place):
            after = (*place[:k], rank + 1, *place[k + 1 :])
            if rank + 1 < len(ranked[k]) and after not in known:
                known.add(after)
                heapq.heappush(queue, (-at(after)[0], after))


def _product(groups: Sequence[_Group], place: _Chosen) -> float:
    return math.prod(group.weights[i] for group, i in zip(groups, place, strict=True))


def _joined(groups: Sequence[_Group], place: _Chosen, taken: _Chosen) -> _Chosen:
    """Return the way in which each group has one of those listed."""
    for group, i in zip(groups, place, strict=True):
        taken = _with(taken, group, group.listed[i])
    return taken


def _with(chosen: _Chosen, group: _Group, own: _Chosen) -> _Chosen:
    """Return which readings hold, those of a group others."""
    changed = list(chosen)
    for k, r in zip(group.members, own, strict=True):
        changed[k] = r
    return tuple(changed)


def _chances(
    groups: Sequence[_Group], taken: _Chosen, most: int, seed: int
) -> tuple[dict[_Chosen, float], float, dict[_Chosen, int]]:
    """Return ways with their chances, the chance of the rest, and how often which was drawn.

    Of what was drawn the chance is 0.
    """
    if math.prod(len(g.listed) if g.is_whole else most + 1 for g in groups) <= most:
        places = product(*(range(len(group.listed)) for group in groups))
        return {_joined(groups, place, taken): _product(groups, place) for place in places}, 0.0, {}
    ranked = islice(_likeliest([group.weights for group in groups]), most - most // 2)
    chances = {_joined(groups, place, taken): chance for place, chance in ranked}
    whole = math.prod(group.total for group in groups)
    rest = whole - sum(chances.values())
    if rest <= _NOTHING * whole:
        return chances, 0.0, {}
    enough = math.ceil(rest / whole / NO_MATTER)
    drawn = _draw(groups, taken, max(most // 2, enough), seed, chances)
    return chances | dict.fromkeys(drawn, 0.0), rest, drawn


def _draw(
    groups: Sequence[_Group], taken: _Chosen, count: int, seed: int, known: Collection[_Chosen]
) -> dict[_Chosen, int]:
    """Draw ways besides those that are known; of each return how often it was drawn."""
    rng = np.random.default_rng(seed)
    drawn: dict[_Chosen, int] = {}
    left = count
    for _ in range(_TRIES):
        rows = [group.draw(rng, count) for group in groups]
        for one in zip(*rows, strict=False):  # one that draws none leaves none
            way = taken
            for group, own in zip(groups, one, strict=True):
                way = _with(way, group, own)
            if way not in known and left:
                drawn[way] = drawn.get(way, 0) + 1
                left -= 1
        if not left:
            break
    return drawn
