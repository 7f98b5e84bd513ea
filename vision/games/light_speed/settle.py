"""Settle one step by the rules: rocks, damage, the dead, empty asteroids. No geometry here."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vision.games.light_speed.mining import settle_pool
from vision.games.light_speed.roster import Roster
from vision.games.light_speed.values import Damage, Destroyed, Mined, Step, Vaporised
from vision.values.messages import Message

__all__ = ["Holdings", "Landed", "credit_kill", "settle_step", "start_holdings"]


@dataclass(frozen=True, slots=True)
class Landed:
    """A shot that no shield held: who fired, with what power, at what."""

    ship: str
    power: int
    target: str


@dataclass(frozen=True, slots=True)
class Holdings:
    """Who holds what between two steps.

    ``pools`` are the rocks left by source, ``carried`` those on each living ship, ``damage`` the
    points on each ship by the team that did them.
    """

    pools: Mapping[str, int]
    carried: Mapping[str, int]
    damage: Mapping[str, Mapping[str, int]]


def start_holdings(roster: Roster) -> Holdings:
    """Return the holdings as the round begins."""
    pools = {pool.source: pool.rocks for pool in roster.pools}
    return Holdings(pools, dict.fromkeys(roster.ships, 0), {})


def settle_step(
    roster: Roster, before: Holdings, speed: int, landed: Sequence[Landed]
) -> tuple[Step, Holdings]:
    """Settle all shots of a speed at once, in the order they were fired.

    Returned are the events, without the shots, and the holdings as the next step begins.
    """
    pools, carried = dict(before.pools), dict(before.carried)
    mined, vaporised = _mine(roster, before, landed)
    for move in mined:
        carried[move.ship] += move.rocks
    losses = [(loss.source, loss.rocks) for loss in mined]
    losses += [(loss.source, loss.rocks) for loss in vaporised]
    for source, rocks in losses:
        (pools if source in pools else carried)[source] -= rocks

    damage = _damage(roster, landed)
    marks = {card: dict(by_team) for card, by_team in before.damage.items()}
    for hurt in damage:
        by_team = marks.setdefault(hurt.card, {})
        by_team[hurt.team] = by_team.get(hurt.team, 0) + hurt.points

    destroyed = []
    for card in sorted({hurt.card for hurt in damage}):
        team, ship = roster.ships[card]
        if sum(marks[card].values()) >= ship.health:
            taker, why = credit_kill(roster, team, marks[card])
            lost = carried.pop(card)
            destroyed.append(Destroyed(card, taker, ship.health, lost, why))

    gone = [
        member
        for pool in roster.pools
        if before.pools[pool.source] > 0 and pools[pool.source] == 0
        for member in pool.members
    ]
    step = Step(speed, (), mined, vaporised, damage, tuple(destroyed), tuple(sorted(gone)))
    return step, Holdings(pools, carried, marks)


def _mine(
    roster: Roster, before: Holdings, landed: Sequence[Landed]
) -> tuple[tuple[Mined, ...], tuple[Vaporised, ...]]:
    source_of = roster.source_of
    if roster.piracy:
        source_of |= {ship: ship for ship, rocks in before.carried.items() if rocks}
    asked: dict[str, list[Landed]] = defaultdict(list)
    for shot in landed:
        if shot.target in source_of:
            asked[source_of[shot.target]].append(shot)
    gains: dict[tuple[str, str], int] = defaultdict(int)
    losses = []
    for source, shots in sorted(asked.items()):
        left = before.pools[source] if source in before.pools else before.carried[source]
        settled = settle_pool(left, [shot.power for shot in shots])
        for shot, rocks in zip(shots, settled.rocks, strict=True):
            gains[shot.ship, source] += rocks
        if settled.vaporised:
            losses.append(Vaporised(source, settled.vaporised))
    moves = tuple(Mined(*key, rocks) for key, rocks in sorted(gains.items()) if rocks)
    return moves, tuple(losses)


def _damage(roster: Roster, landed: Sequence[Landed]) -> tuple[Damage, ...]:
    points: dict[tuple[str, str], int] = defaultdict(int)
    for shot in landed:
        if shot.target in roster.ships:
            points[shot.target, roster.ships[shot.ship][0]] += shot.power
    return tuple(Damage(*key, more) for key, more in sorted(points.items()))


def credit_kill(
    roster: Roster, owner: str, damage: Mapping[str, int]
) -> tuple[str | None, Message]:
    """Return the team that takes a dead ship, and why.

    None if nobody takes it; the owner if the points are taken from him.
    ``damage`` is that of each team over the whole round, the overkill counted.
    """
    if roster.opponent_takes:
        others = [team for team in roster.teams if team != owner]
        if not others:
            return None, Message("credit.no_other")
        return others[0], Message("credit.two_teams")
    most = max(damage.values())
    first = tuple(sorted(team for team, points in damage.items() if points == most))
    points = ("points", most)
    if first == (owner,):
        return owner, Message("credit.own_most", (("owner", owner), points))
    if owner in first:
        others = [team for team in first if team != owner]
        said = (("owner", owner), ("others", tuple(others)), points)
        return owner, Message("credit.own_tie", said)
    if len(first) == 1:
        return first[0], Message("credit.most", (("team", first[0]), points))
    return None, Message("credit.tie", (("teams", first), points))
