"""A phase -> what other orders would have done, for each team: which kills most, which is safest.

All pairs of legal orders are weighed, a hundred thousand or so; nothing is left out, but little
need be played. Nobody dies where nobody fires; and what a pawn does after the last line of a beam
kills nobody, so a longer march comes to the same as the shorter one that it begins with. Pawns
stand as they were read.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from vision.games.laser_shield.board import DOORS, HEADINGS, RED, landing, neighbour
from vision.games.laser_shield.orders import GUNS, format_order
from vision.games.laser_shield.phase import play
from vision.games.laser_shield.resolve import legal_of
from vision.games.laser_shield.tell import order_name, pawn_name
from vision.games.laser_shield.values import (
    TEAMS,
    Fire,
    Move,
    Options,
    Order,
    Pass,
    Pawn,
    Side,
    Table,
    Turn,
)
from vision.judging.coach import Advice
from vision.values.messages import Message, message

__all__ = ["Effect", "advise", "effects", "legal_orders"]

_SIDES: tuple[Side | None, ...] = (None, "left", "right")
Killed: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Effect:
    """What an order of a team comes to.

    ``kills`` are the others' pawns and ``losses`` its own that die, against the order that the
    others gave; ``worst`` is how many it loses against the order of theirs that hurts most, and
    ``risks`` how many of their orders cost it a pawn.
    """

    order: Order
    kills: Killed
    losses: Killed
    worst: int
    risks: int


def legal_orders(team: str, pawns: Sequence[Pawn], options: Options) -> tuple[Order, ...]:
    """Return every order that a team may give, the landings written, the simplest first."""
    orders: list[Order] = [Pass()]
    for pawn in sorted((p for p in pawns if p.team == team), key=lambda p: p.id):
        for notch in GUNS[options.gun]:
            target = neighbour(pawn.square, HEADINGS.index(pawn.heading) + notch)
            if target is not None:
                orders.append(Fire(pawn.square, target))
        if options.turn_in_place:
            orders += [Turn(pawn.square, "left"), Turn(pawn.square, "right")]
        paths = _paths((pawn.square,), frozenset(), DOORS[options.doors])
        orders += [Move(path, side) for path in paths for side in _SIDES]
    return tuple(sorted(orders, key=_simple))


def _paths(
    path: tuple[str, ...], used: frozenset[str], doors: tuple[str, str]
) -> Iterator[tuple[str, ...]]:
    """Yield the paths that go on from where one stands, over red squares as far as they lead."""
    for way in range(8):
        target = neighbour(path[-1], way)
        if target is None:
            continue
        stands = landing(path[-1], target, doors)
        longer = (*path, target) if stands == target else (*path, target, stands)
        yield longer
        if stands in RED and stands not in used:
            yield from _paths(longer, used | {stands}, doors)


def _simple(order: Order) -> tuple[int, str]:
    """Return what sorts orders: to pass, to fire, to turn, to move; short before long."""
    kind = (Pass, Fire, Turn, Move).index(type(order))
    text = format_order(order) or ""
    return 100 * kind + len(text), text


def effects(table: Table) -> dict[str, tuple[Effect, ...]]:
    """Return what each legal order of each team would have come to, the simplest order first."""
    given = _given(table)
    legal = {team: legal_orders(team, table.pawns, table.options) for team in TEAMS}
    pairs = _Pairs(table)
    found: dict[str, tuple[Effect, ...]] = {}
    for team, other in (TEAMS, TEAMS[::-1]):
        shots = [order for order in legal[other] if isinstance(order, Fire)]
        told = []
        for order in legal[team]:
            against = legal[other] if isinstance(order, Fire) else shots
            costs = [_of(team, pairs.killed({team: order, other: one})) for one in against]
            killed = pairs.killed({team: order, other: given.get(other) or Pass()})
            worst = max((len(cost) for cost in costs), default=0)
            risks = sum(bool(cost) for cost in costs)
            told.append(Effect(order, _of(other, killed), _of(team, killed), worst, risks))
        found[team] = tuple(told)
    return found


class _Pairs:
    """Who dies by a pair of orders, each pair played at most once."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._known: dict[tuple[Order, ...], tuple[Killed, int]] = {}

    def killed(self, orders: Mapping[str, Order]) -> Killed:
        """Return who dies."""
        if not any(isinstance(order, Fire) for order in orders.values()):
            return ()
        return self._outcome(tuple(orders[team] for team in TEAMS))[0]

    def _outcome(self, pair: tuple[Order, ...]) -> tuple[Killed, int]:
        """Return who dies, and the time of the last line."""
        if pair not in self._known:
            self._known[pair] = self._shorter(pair) or self._play(pair)
        return self._known[pair]

    def _shorter(self, pair: tuple[Order, ...]) -> tuple[Killed, int] | None:
        """Return what comes of the pair with a shorter march, if that is the same."""
        for k, order in enumerate(pair):
            if isinstance(order, Move):
                less, time = _less(order, DOORS[self._table.options.doors])
                outcome = self._outcome((*pair[:k], less, *pair[k + 1 :]))
                if outcome[1] < time:
                    return outcome
        return None

    def _play(self, pair: tuple[Order, ...]) -> tuple[Killed, int]:
        orders = dict(zip(TEAMS, pair, strict=True))
        played = play(self._table.pawns, orders, self._table.options)
        times = [step.time for step in played.steps if step.beams]
        return played.killed, max(times, default=0)


def _less(order: Move, doors: tuple[str, str]) -> tuple[Order, int]:
    """Return a march without the last thing that it does, and the time of that."""
    hops = sum(start not in doors for start in order.path[:-1])
    if order.turn is not None:
        return Move(order.path), hops + 1
    path = order.path[:-2] if order.path[-2] in doors else order.path[:-1]
    return (Move(path) if len(path) > 1 else Pass()), hops


def _given(table: Table) -> Mapping[str, Order | None]:
    """Return the orders as they counted, without those that are lost."""
    return legal_of(table.pawns, table.orders, replace(table.options, illegal="lost"))[0]


def _of(team: str, killed: Killed) -> Killed:
    return tuple(pawn for pawn in killed if pawn.startswith(f"{team}-"))


def advise(table: Table) -> tuple[Advice, ...]:
    """Say for each team which order would have killed most, and which was the safest.

    Nothing is said while no order is given: the coach speaks after the phase.
    """
    teams = {pawn.team for pawn in table.pawns}
    if teams != set(TEAMS) or not any(table.orders.values()):
        return ()
    every, given = effects(table), _given(table)
    return tuple(one for team in TEAMS for one in _advise(team, every[team], given.get(team)))


def _advise(team: str, every: Sequence[Effect], given: Order | None) -> Iterator[Advice]:
    was = next(e for e in every if e.order == (given or Pass()))
    fatal = min(every, key=lambda e: (-len(e.kills), len(e.losses)))
    mild = min(every, key=lambda e: (len(e.losses), -len(e.kills)))
    calm = min(every, key=lambda e: (e.worst, e.risks))
    if len(fatal.kills) > len(was.kills):
        yield _advice(team, "kills", fatal, pawns=_names(fatal.kills))
    else:
        key = "no_more" if was.kills else "no_kill"
        yield Advice(team, key, message(f"shield.coach.{key}", team=team))
    if len(mild.losses) < len(was.losses):
        saved = tuple(pawn for pawn in was.losses if pawn not in mild.losses)
        yield _advice(team, "saves", mild, pawns=_names(saved))
    elif was.losses:
        yield Advice(team, "no_rescue", message("shield.coach.no_rescue", team=team))
    key = "safe" if calm.worst == 0 else "safest"
    if (was.worst, was.risks) == (calm.worst, calm.risks):
        yield Advice(
            team, f"was_{key}", message(f"shield.coach.was_{key}", team=team, n=calm.worst)
        )
    else:
        yield _advice(team, key, calm, n=calm.worst)


def _advice(team: str, kind: str, effect: Effect, **values: object) -> Advice:
    said = message(f"shield.coach.{kind}", team=team, order=order_name(effect.order), **values)
    return Advice(team, kind, said, format_order(effect.order) or "pass")


def _names(pawns: Killed) -> tuple[Message, ...]:
    return tuple(pawn_name(pawn) for pawn in pawns)
