"""How things stand between the steps: rocks, harm, points and losses, booked step by step."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from vision.games.light_speed.roster import Roster
from vision.games.light_speed.values import Destroyed, Score, Step, TableState
from vision.values.ledger import PieceState, Tally
from vision.values.messages import message

__all__ = ["COLUMNS", "Standing", "standings", "to_tally"]

COLUMNS = ("kills", "rocks", "own")


@dataclass(frozen=True, slots=True)
class Standing:
    """Between two steps.

    ``rocks`` lie on each pool and each living ship, ``harm`` is the damage to each ship, ``kills``
    and ``own`` the points of each team so far, ``dead`` what became of the ships destroyed, and
    ``gone`` the asteroids that left.
    """

    rocks: dict[str, int]
    harm: dict[str, int] = field(default_factory=dict)
    kills: dict[str, int] = field(default_factory=dict)
    own: dict[str, int] = field(default_factory=dict)
    dead: dict[str, Destroyed] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()


def standings(roster: Roster, steps: Sequence[Step]) -> list[Standing]:
    """Return how things stand before the first step, and after each."""
    rocks = {pool.source: pool.rocks for pool in roster.pools} | dict.fromkeys(roster.ships, 0)
    found = [Standing(rocks)]
    for step in steps:
        found.append(_after(step, found[-1], roster))
    return found


def _after(step: Step, before: Standing, roster: Roster) -> Standing:
    rocks, harm = dict(before.rocks), dict(before.harm)
    kills, own, dead = dict(before.kills), dict(before.own), dict(before.dead)
    for move in step.mined:
        rocks[move.ship] = rocks.get(move.ship, 0) + move.rocks
        rocks[move.source] = rocks.get(move.source, 0) - move.rocks
    for loss in step.vaporised:
        rocks[loss.source] = rocks.get(loss.source, 0) - loss.rocks
    for hurt in step.damage:
        harm[hurt.card] = harm.get(hurt.card, 0) + hurt.points
    for loser in step.destroyed:
        rocks.pop(loser.card, None)
        dead[loser.card] = loser
        taker = loser.taken_by
        if taker is None:
            continue
        if taker == roster.ships[loser.card][0]:
            own[taker] = own.get(taker, 0) - loser.points
        else:
            kills[taker] = kills.get(taker, 0) + loser.points
    return Standing(rocks, harm, kills, own, dead, before.gone | set(step.gone))


def to_tally(standing: Standing, table: TableState, roster: Roster) -> Tally:
    """Return what is shown of a standing: the scores as they would count now, and each piece."""
    scores = {}
    for team in roster.teams:
        held = sum(
            standing.rocks.get(s, 0) for s, (mine, _) in roster.ships.items() if mine == team
        )
        score = Score(standing.kills.get(team, 0), held, standing.own.get(team, 0))
        scores[team] = {name: getattr(score, name) for name in (*COLUMNS, "total")}
    ids = [*(card.card_id for card in table.cards), *(thing.id for thing in table.objects)]
    return Tally(scores, {name: _state(name, standing, roster) for name in ids})


def _state(name: str, standing: Standing, roster: Roster) -> PieceState:
    if name not in roster.ships:
        source = _source(name, roster)
        left = standing.rocks.get(source, 0)
        note = message("picture.left", n=left) if source else None
        is_gone = name in standing.gone
        held = left if source == name else 0
        return PieceState(0, held, message("picture.empty") if is_gone else note, is_gone)
    dead = standing.dead.get(name)
    return PieceState(
        harm=standing.harm.get(name, 0),
        held=standing.rocks.get(name, 0),
        is_out=dead is not None,
        taken_by=dead.taken_by if dead is not None else None,
        points=dead.points if dead is not None else 0,
    )


def _source(name: str, roster: Roster) -> str:
    """Return the pool whose rocks are told on a card or an object; nothing if there is none."""
    pools = {pool.source for pool in roster.pools}
    return next((key for key in (name, name.removesuffix("-back")) if key in pools), "")
