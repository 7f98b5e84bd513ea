"""What shots come to by the rules, whatever says what each hits: no geometry here.

A round is a series of steps, one for each speed: all its shots are fired at what stood when the
step began, then rocks and damage are settled, then the dead leave, then empty asteroids.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from vision.games.light_speed.mining import settle_pool
from vision.games.light_speed.roster import Roster
from vision.games.light_speed.values import Damage, Destroyed, Mined, Score, Step, Vaporised
from vision.values.messages import Message, message

__all__ = [
    "Holdings",
    "Landed",
    "after",
    "credit_kill",
    "settle_step",
    "sources",
    "start_holdings",
    "tally",
    "winners_of",
]


@dataclass(frozen=True, slots=True)
class Landed:
    """A shot that no shield held: who fired, with what power, at what."""

    ship: str
    power: int
    target: str


@dataclass(frozen=True, slots=True)
class Holdings:
    """Who holds what between two steps.

    ``rocks`` are those left by source, and those on each living ship; ``damage`` is the points on
    each ship by the team that did them; ``gone`` are the cards and objects that left the table.
    """

    rocks: Mapping[str, int]
    damage: Mapping[str, Mapping[str, int]]
    gone: frozenset[str] = frozenset()


def start_holdings(roster: Roster) -> Holdings:
    """Return the holdings as the round begins."""
    pools = {pool.source: pool.rocks for pool in roster.pools}
    return Holdings({**pools, **dict.fromkeys(roster.ships, 0)}, {})


def after(step: Step, before: Holdings) -> Holdings:
    """Return the holdings after a step."""
    rocks = dict(before.rocks)
    for move in step.mined:
        rocks[move.ship] += move.rocks
        rocks[move.source] -= move.rocks
    for loss in step.vaporised:
        rocks[loss.source] -= loss.rocks
    damage = {card: dict(by_team) for card, by_team in before.damage.items()}
    for hurt in step.damage:
        by_team = damage.setdefault(hurt.card, {})
        by_team[hurt.team] = by_team.get(hurt.team, 0) + hurt.points
    for dead in step.destroyed:
        del rocks[dead.card]
    gone = before.gone | {dead.card for dead in step.destroyed} | set(step.gone)
    return Holdings(rocks, damage, gone)


def settle_step(
    roster: Roster, before: Holdings, speed: int, landed: Sequence[Landed]
) -> tuple[Step, Holdings]:
    """Settle all shots of a speed at once, in the order they were fired.

    Returned are the events, without the shots, and the holdings as the next step begins.
    """
    mined, vaporised = _mine(roster, before, landed)
    step = Step(speed, (), mined, vaporised, _damage(roster, landed))
    held = after(step, before)
    destroyed = []
    for card in sorted({hurt.card for hurt in step.damage}):
        team, ship = roster.ships[card]
        if sum(held.damage[card].values()) >= ship.health:
            taker, why = credit_kill(roster, team, held.damage[card])
            destroyed.append(Destroyed(card, taker, ship.health, held.rocks[card], why))
    gone = [
        member
        for pool in roster.pools
        if before.rocks[pool.source] > 0 and held.rocks[pool.source] == 0
        for member in pool.members
    ]
    if destroyed or gone:
        step = replace(step, destroyed=tuple(destroyed), gone=tuple(sorted(gone)))
        held = after(step, before)
    return step, held


def sources(roster: Roster, held: Holdings) -> dict[str, str]:
    """Return whose rocks whoever hits something gets: those of its pool, by piracy of a ship."""
    robbed = roster.ships if roster.piracy else ()
    return roster.source_of | {ship: ship for ship in robbed if held.rocks.get(ship)}


def _mine(
    roster: Roster, before: Holdings, landed: Sequence[Landed]
) -> tuple[tuple[Mined, ...], tuple[Vaporised, ...]]:
    source_of = sources(roster, before)
    asked: dict[str, list[Landed]] = defaultdict(list)
    for shot in landed:
        if shot.target in source_of:
            asked[source_of[shot.target]].append(shot)
    gains: dict[tuple[str, str], int] = defaultdict(int)
    losses = []
    for source, shots in sorted(asked.items()):
        settled = settle_pool(before.rocks[source], [shot.power for shot in shots])
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
        others = tuple(team for team in roster.teams if team != owner)
        if not others:
            return None, message("credit.no_other")
        return others[0], message("credit.two_teams")
    most = max(damage.values())
    first = tuple(sorted(team for team, points in damage.items() if points == most))
    if first == (owner,):
        return owner, message("credit.own_most", owner=owner, points=most)
    if owner in first:
        others = tuple(team for team in first if team != owner)
        return owner, message("credit.own_tie", owner=owner, others=others, points=most)
    if len(first) == 1:
        return first[0], message("credit.most", team=first[0], points=most)
    return None, message("credit.tie", teams=first, points=most)


# --- the score -------------------------------------------------------------------------------


def tally(roster: Roster, steps: Sequence[Step], rocks: Mapping[str, int]) -> dict[str, Score]:
    """Add up the kills of each team, the rocks on its living ships, its own ships killed."""
    scores = {team: Score() for team in roster.teams}
    for dead in (dead for step in steps for dead in step.destroyed):
        if dead.taken_by is None:
            continue
        score = scores[dead.taken_by]
        if dead.taken_by == roster.ships[dead.card][0]:
            scores[dead.taken_by] = replace(score, own=score.own - dead.points)
        else:
            scores[dead.taken_by] = replace(score, kills=score.kills + dead.points)
    for card, count in rocks.items():
        if card in roster.ships:
            team = roster.ships[card][0]
            scores[team] = replace(scores[team], rocks=scores[team].rocks + count)
    return scores


def winners_of(totals: Mapping[str, int]) -> tuple[str, ...]:
    """Return the teams with the highest total, in the order given."""
    best = max(totals.values(), default=0)
    return tuple(team for team, total in totals.items() if total == best)
