"""A ledger as English a person can follow at the table: plain lines, no colour."""

from collections.abc import Mapping, Sequence

from vision.rules.mining import Pulse, settle_pool
from vision.rules.roster import Roster, call_roll
from vision.types import Deck, Destroyed, Hit, Resolution, Score, Shot, Step, TableState

__all__ = ["account_lines", "issue_lines", "score_lines", "shot_line", "step_lines"]

_INDENT = "  "


def account_lines(table: TableState, deck: Deck, resolution: Resolution) -> list[str]:
    """Tell a whole round: every step, the doubts, the score.

    Parameters
    ----------
    table, deck
        What was resolved.
    resolution : Resolution
        What came of it.

    Returns
    -------
    list of str
        Lines without their ends; what belongs to a step is indented.
    """
    roster = call_roll(table, deck)
    held = {pool.source: pool.rocks for pool in roster.pools}
    held |= dict.fromkeys(roster.ships, 0)
    damage: dict[str, int] = {}
    lines = []
    for step in resolution.steps:
        lines += step_lines(step, roster, held, damage, piracy=table.rules.piracy)
        for move in step.mined:
            held[move.ship] += move.rocks
            held[move.source] -= move.rocks
        for loss in step.vaporised:
            held[loss.source] -= loss.rocks
        for hurt in step.damage:
            damage[hurt.card] = damage.get(hurt.card, 0) + hurt.points
    if not lines:
        lines.append("No ship fires.")
    return [*lines, *issue_lines(resolution), *score_lines(resolution)]


def step_lines(
    step: Step,
    roster: Roster,
    held: Mapping[str, int],
    damage: Mapping[str, int],
    *,
    piracy: bool = False,
) -> list[str]:
    """Tell one step.

    Parameters
    ----------
    step : Step
        The step.
    roster : Roster
        Who is on the table.
    held : mapping of str to int
        The rocks of each pool and on each ship as the step began.
    damage : mapping of str to int
        The points of damage on each ship as the step began.
    piracy : bool
        Whether ships can be mined.
    """
    source_of = {member: pool.source for pool in roster.pools for member in pool.members}
    if piracy:
        source_of |= {ship: ship for ship in roster.ships if held.get(ship, 0) > 0}
    lines = [shot_line(shot, roster, source_of) for shot in step.shots]
    lines += _pulse_lines(step, source_of, held)
    for card in sorted({hurt.card for hurt in step.damage}):
        parts = [f"{hurt.points} from {hurt.team}" for hurt in step.damage if hurt.card == card]
        total = damage.get(card, 0) + sum(h.points for h in step.damage if h.card == card)
        health = roster.ships[card][1].health
        lines.append(
            f"{_name(card)} takes damage, {_list(parts)}: {total} in all, its health is {health}"
        )
    lines += [_death_line(dead, roster) for dead in step.destroyed]
    if step.gone:
        lines.append(f"{_list([_name(card) for card in step.gone])}: no rock left, it leaves")
    return [f"Speed {step.speed}", *(_INDENT + line for line in lines)]


def shot_line(shot: Shot, roster: Roster, source_of: Mapping[str, str]) -> str:
    """Tell one shot: who shot what with what, and what for.

    ``source_of`` maps each card that can be mined now to its pool.
    """
    shooter = f"{_name(shot.ship)} laser {shot.laser + 1} (power {shot.power})"
    hit = shot.hit
    if hit is None:
        return f"{shooter} goes into space"
    target = _name(hit.card)
    if hit.shielded:
        return f"{shooter} meets the shield of {target} on its {hit.edge} edge: nothing"
    where = _where(hit, roster)
    effects = []
    if hit.card in roster.ships:
        effects.append(f"{shot.power} damage")
    if hit.card in source_of:
        effects.append(f"asks for {_count(shot.power, 'rock')}")
    return f"{shooter} hits {target}{where}: {' and '.join(effects) or 'nothing'}"


def _where(hit: Hit, roster: Roster) -> str:
    if hit.edge is not None:
        return f" on its {hit.edge} edge"
    on_card = hit.card in roster.ships or hit.card in (*roster.face_down, *roster.unreadable)
    return ", which its own card overlaps" if on_card else ""


def _pulse_lines(step: Step, source_of: Mapping[str, str], held: Mapping[str, int]) -> list[str]:
    """Tell who gets which rocks, and by which pulse if there are too few."""
    asked: dict[str, list[Shot]] = {}
    for shot in step.shots:
        if shot.hit is not None and not shot.hit.shielded and shot.hit.card in source_of:
            asked.setdefault(source_of[shot.hit.card], []).append(shot)
    lines = []
    for source, shots in sorted(asked.items()):
        settled = settle_pool(held[source], [shot.power for shot in shots])
        left = held[source] - sum(settled.rocks) - settled.vaporised
        gains: dict[str, int] = {}
        for shot, rocks in zip(shots, settled.rocks, strict=True):
            gains[shot.ship] = gains.get(shot.ship, 0) + rocks
        shares = [f"{_name(ship)} takes {_count(n, 'rock')}" for ship, n in gains.items()]
        if not settled.pulses:
            lines.append(f"{_list(shares)} from {_name(source)}, {left} left")
            continue
        wanted = sum(shot.power for shot in shots)
        lines.append(f"{_name(source)} has {held[source]} and {wanted} are asked for: by pulses")
        lines += [_INDENT + _pulse_line(pulse, shots) for pulse in settled.pulses]
        lines.append(f"{_list(shares)} from {_name(source)}, {left} left")
    return lines


def _pulse_line(pulse: Pulse, shots: Sequence[Shot]) -> str:
    lasers = [f"{_name(shots[i].ship)} laser {shots[i].laser + 1}" for i in pulse.lasers]
    asking = f"pulse {pulse.number}: {_list(lasers)}"
    if pulse.left >= len(lasers):
        return f"{asking}, one rock each"
    if pulse.left == 0:
        return f"{asking}, but nothing is left"
    return f"{asking}, but only {pulse.left} left: vaporised"


def _death_line(dead: Destroyed, roster: Roster) -> str:
    owner = roster.ships[dead.card][0]
    name = _name(dead.card)
    if dead.taken_by is None:
        fate = "nobody takes it"
    elif dead.taken_by == owner:
        fate = f"{owner} loses {_count(dead.points, 'point')}"
    else:
        fate = f"{dead.taken_by} takes it for {_count(dead.points, 'point')}"
    lost = f", and {_count(dead.rocks_lost, 'rock')} with it" if dead.rocks_lost else ""
    why = f" ({dead.reason})" if dead.reason else ""
    return f"{name} is destroyed{lost}: {fate}{why}"


def issue_lines(resolution: Resolution) -> list[str]:
    """Tell the doubts, under a headline; nothing if there are none."""
    if not resolution.issues:
        return []
    return ["Doubts", *(f"{_INDENT}{issue.message}" for issue in resolution.issues)]


def score_lines(resolution: Resolution) -> list[str]:
    """Tell the score of each team, and who wins."""
    if not resolution.scores:
        return ["Score", f"{_INDENT}no team has a ship on the table"]
    lines = [f"{_INDENT}{team}: {_sum(score)}" for team, score in resolution.scores.items()]
    winners = list(resolution.winners)
    if len(resolution.scores) == 1:
        verdict = []
    elif len(winners) == 1:
        verdict = [f"{_INDENT}{winners[0]} wins"]
    else:
        verdict = [f"{_INDENT}{_list(winners)} share the win"]
    return ["Score", *lines, *verdict]


def _sum(score: Score) -> str:
    parts = [f"{score.kills} for kills", f"{score.rocks} for rocks"]
    if score.own:
        parts.append(f"{-score.own} off for its own ships")
    return f"{score.total} ({', '.join(parts)})"


def _name(card: str) -> str:
    """Call a ship by team and name: ``red moth``."""
    keep = ("asteroid", "ship-back", "unknown")
    return card if card.startswith(keep) else card.replace("-", " ", 1)


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
