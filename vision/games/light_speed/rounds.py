"""The course of a round, whatever says what each shot hits.

A round is a series of steps, one for each speed: all its shots are fired at what stood when the
step began, then rocks and damage are settled, then the dead leave, then empty asteroids. Here is
no geometry: whoever plays a round (the rays of ``light_speed``, the samples of ``replay``, a
test) says for each step what has landed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from vision.games.light_speed.roster import Roster
from vision.games.light_speed.settle import Holdings, Landed, settle_step, start_holdings
from vision.games.light_speed.values import Score, Step

__all__ = ["Moment", "advance", "begin", "play", "tally", "winners_of"]


@dataclass(frozen=True, slots=True)
class Moment:
    """Between two steps: who holds what, and which cards and objects have left the table."""

    holdings: Holdings
    gone: frozenset[str]


def begin(roster: Roster) -> Moment:
    """Return the moment before the first shot."""
    return Moment(start_holdings(roster), frozenset())


def advance(
    roster: Roster, before: Moment, speed: int, landed: Sequence[Landed]
) -> tuple[Step, Moment]:
    """Settle one step: what happens (without the shots), and the moment after it."""
    step, holdings = settle_step(roster, before.holdings, speed, landed)
    left = {dead.card for dead in step.destroyed} | set(step.gone)
    return step, Moment(holdings, before.gone | left)


def play(
    roster: Roster,
    speeds: Sequence[int],
    shoot: Callable[[int, frozenset[str]], Sequence[Landed] | None],
) -> tuple[tuple[Step, ...], Moment]:
    """Play a whole round: return a step for each speed at which somebody fired, and the end.

    ``speeds`` are in the order in which they fire. ``shoot`` takes a speed and what has left the
    table; it returns what lands, in the order of firing, or None if nobody of this speed is left to
    fire.
    """
    moment = begin(roster)
    steps = []
    for speed in speeds:
        landed = shoot(speed, moment.gone)
        if landed is not None:
            step, moment = advance(roster, moment, speed, landed)
            steps.append(step)
    return tuple(steps), moment


def tally(roster: Roster, steps: Sequence[Step], carried: Mapping[str, int]) -> dict[str, Score]:
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
    for card, rocks in carried.items():
        team = roster.ships[card][0]
        scores[team] = replace(scores[team], rocks=scores[team].rocks + rocks)
    return scores


def winners_of(totals: Mapping[str, int]) -> tuple[str, ...]:
    """Return the teams with the highest total, in the order given."""
    best = max(totals.values(), default=0)
    return tuple(team for team, total in totals.items() if total == best)
