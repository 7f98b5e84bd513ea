"""Rounds played on many tables -> the chances of scores and winners, and what they hang on."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.replay import NOT_FIRED, hit_of
from vision.games.light_speed.settle import winners_of
from vision.games.light_speed.values import Condition, Named, Odds, ScoreChance, TableReading
from vision.values.arrays import FloatArray

__all__ = ["OddsSettings", "Played", "sum_up"]

_LEAST = 1e-12  # of weights: of a branch that nothing falls in


@dataclass(frozen=True, slots=True)
class OddsSettings:
    """How the odds are found and how much of them is told."""

    samples: int = 2000  # tables drawn: so many tell 90 % from 92 %
    seed: int = 42  # of the drawing: the same table gives the same odds
    rare: float = 0.005  # scores and readings rarer than that are not told: nobody would ask
    told: int = 8  # of each, at most: a screenful
    depth: int = 3  # shots that a reading asks for: more are not checked at the table in a minute
    ways: int = 64  # ways to read doubtful cards that are played: a round of each takes 5 ms
    least: int = 100  # tables drawn of a way, however rare it is: what it changes is to be known


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """R rounds, of all ways to read the table together.

    ``ends`` are the scores that came out, ``label`` (R,) which of them each round has, ``weight``
    (R,) how much each counts. ``ids`` are all things of any way; ``beams`` all lasers, as ship and
    laser, in the order in which they fire; ``codes`` (R, S) what each hit, as in
    :class:`~vision.games.light_speed.replay.Replays`, things counted in ``ids``. ``named`` are the
    doubts: of each the card and what it may be, and ``read`` (R, D) as which each round took it.
    ``unknown`` is how much more no round counts for: of tables that were not played.
    """

    ends: tuple[dict[str, int], ...]
    label: NDArray[np.intp]
    weight: FloatArray
    ids: tuple[str, ...]
    beams: tuple[tuple[str, int], ...]
    codes: NDArray[np.int32]
    named: tuple[tuple[str, tuple[str | None, ...]], ...] = ()
    read: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), np.int32))
    unknown: float = 0.0

    @property
    def whole(self) -> float:
        """What all that may be counts for together."""
        return float(self.weight.sum()) + self.unknown


def sum_up(
    played: Played,
    measured: dict[tuple[str, int], int],
    totals: dict[str, int],
    settings: OddsSettings,
) -> Odds:
    """Count what came out of the replayed rounds, beside the table as it was measured.

    ``measured`` is what each laser (ship, number) hits there, coded as in ``played``; ``totals``
    the score.
    """
    n = played.whole
    counts = np.bincount(played.label, played.weight, len(played.ends))
    chances = [
        ScoreChance(end, winners_of(end), _share(count, n))
        for end, count in zip(played.ends, counts.tolist(), strict=True)
    ]
    won: dict[tuple[str, ...], float] = {}
    for chance, count in zip(chances, counts.tolist(), strict=True):
        won[chance.winners] = won.get(chance.winners, 0.0) + count
    by_winner = {winners: _share(count, n) for winners, count in won.items()}
    order = sorted(by_winner.items(), key=lambda item: (-item[1], item[0]))
    chances.sort(key=lambda c: (-c.probability, tuple(c.totals.items())))
    told = [c for c in chances if c.probability >= settings.rare][: settings.told]
    if not played.weight.any():  # nothing is known
        order, told, chances = [], [], []
    same = [c.probability for c in chances if dict(c.totals) == totals]
    return Odds(
        samples=len(played.label),
        winner_probability=by_winner.get(winners_of(totals), 0.0),
        score_probability=same[0] if same else 0.0,
        winners=tuple(order),
        scores=tuple(told or chances[:1]),
        readings=_Tree(played, settings).readings(),
        turning=_turning(played, measured, totals),
        unknown=played.unknown / n,
    )


def _turning(
    played: Played, measured: dict[tuple[str, int], int], totals: dict[str, int]
) -> dict[tuple[str, int], float]:
    """Return of each laser how likely it hits something else, in a round that scores otherwise.

    In tables that were not played any laser may decide.
    """
    other = np.array([end != totals for end in played.ends], bool)[played.label]
    weight = np.where(other, played.weight, 0.0) / played.whole
    return {
        beam: float(weight[played.codes[:, b] != measured[beam]].sum()) + played.unknown
        for b, beam in enumerate(played.beams)
        if beam in measured
    }


def _share(part: float, whole: float) -> float:
    """Return the share of a sum; added up in another order a part may be more than the whole."""
    return min(1.0, part / whole)


# --- the readings that matter ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Leaf:
    conditions: tuple[Condition | Named, ...]
    label: int
    count: float


class _Tree:
    """Asks what tells most about the score, then the next, as one would at the table.

    A question is what a shot hits, or what a card is; each has an answer (a code) for each round.
    """

    def __init__(self, played: Played, settings: OddsSettings) -> None:
        self.played, self.settings = played, settings
        self.ends, self.label, self.weight = played.ends, played.label, played.weight
        self.count = played.whole
        shots, cards = played.codes, played.read
        self.answers = [cards[:, d] for d in range(len(played.named))]
        self.answers += [shots[:, b] for b in range(len(played.beams))]
        varies = [k for k, told in enumerate(self.answers) if (told != told[:1]).any()]
        self.questions = varies

    def readings(self) -> tuple[TableReading, ...]:
        if len(self.ends) < 2:
            return ()
        leaves = self._grow(np.arange(len(self.label)), (), self.settings.depth)
        leaves = [leaf for leaf in leaves if leaf.count >= self.settings.rare * self.count]
        leaves.sort(key=lambda leaf: -leaf.count)
        if len({leaf.label for leaf in leaves}) < 2:
            return ()
        return tuple(
            TableReading(
                leaf.conditions,
                self.ends[leaf.label],
                winners_of(self.ends[leaf.label]),
                _share(leaf.count, self.count),
            )
            for leaf in leaves[: self.settings.told]
        )

    def _grow(
        self, rows: NDArray[np.intp], path: tuple[Condition | Named, ...], depth: int
    ) -> list[_Leaf]:
        weight = self.weight[rows]
        counts = np.bincount(self.label[rows], weight, len(self.ends))
        top = int(counts.argmax())
        leaf = _Leaf(path, top, float(counts[top]))
        rest = float(weight.sum()) - leaf.count
        if depth == 0 or rest < self.settings.rare * self.count:
            return [leaf]
        question = self._most_telling(rows)
        if question is None:
            return [leaf]
        # answers that lead to the same one score are one branch
        codes = self.answers[question][rows]
        branches: dict[object, tuple[list[int], list[NDArray[np.intp]]]] = {}
        for code in np.unique(codes).tolist():
            mine = rows[codes == code]
            labels = np.unique(self.label[mine])
            key: object = int(labels[0]) if len(labels) == 1 else (code,)
            group = branches.setdefault(key, ([], []))
            group[0].append(code)
            group[1].append(mine)
        leaves: list[_Leaf] = []
        for answers, parts in branches.values():
            asked = self._asked(question, answers)
            leaves += self._grow(np.concatenate(parts), (*path, asked), depth - 1)
        return leaves

    def _asked(self, question: int, answers: list[int]) -> Condition | Named:
        played = self.played
        if question < len(played.named):
            card, pieces = played.named[question]
            return Named(card, tuple(pieces[answer] for answer in answers))
        ship, laser = played.beams[question - len(played.named)]
        hits = tuple(hit_of(code, played.ids) for code in answers if code != NOT_FIRED)
        return Condition(ship, laser, hits)

    def _most_telling(self, rows: NDArray[np.intp]) -> int | None:
        """Return the question that leaves the score least open, the first of equals."""
        label, weight = self.label[rows], self.weight[rows]
        best, first = math.inf, None
        for question in self.questions:
            codes = self.answers[question][rows]
            unfired = weight[codes == NOT_FIRED].sum()
            if unfired > self.settings.rare * weight.sum() or (codes == codes[0]).all():
                continue
            _, part = np.unique(codes, return_inverse=True)
            table = np.bincount(part * len(self.ends) + label, weight)
            table = np.pad(table, (0, -len(table) % len(self.ends))).reshape(-1, len(self.ends))
            share = table / np.maximum(table.sum(axis=1, keepdims=True), _LEAST)
            open_ = -(table * np.log(np.where(share > 0, share, 1.0))).sum()
            if open_ < best - 1e-9:
                best, first = open_, question
        return first
