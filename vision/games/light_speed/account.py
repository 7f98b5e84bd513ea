"""A ledger as words that a person can follow at the table: plain lines, no colour."""

from collections.abc import Mapping, Sequence

from vision.games.light_speed.close_calls import close_lines, odds_lines
from vision.games.light_speed.mining import Pulse, settle_pool
from vision.games.light_speed.roster import Roster, call_roll
from vision.games.light_speed.values import (
    Deck,
    Destroyed,
    Hit,
    Resolution,
    Score,
    Shot,
    Step,
    TableState,
)
from vision.texts import Texts, speak

__all__ = [
    "account_lines",
    "issue_lines",
    "round_lines",
    "score_lines",
    "shot_line",
    "step_lines",
]

_INDENT = "  "


def account_lines(
    table: TableState, deck: Deck, resolution: Resolution, language: str = "en"
) -> list[str]:
    """Tell a whole round: the close calls, every step, the doubts, the score, how sure it is.

    Parameters
    ----------
    table, deck
        What was resolved.
    resolution : Resolution
        What came of it.
    language : str
        ``en`` or ``fr``.

    Returns
    -------
    list of str
        Lines without their ends; what belongs to a headline is indented.
    """
    return [
        *close_lines(resolution, call_roll(table, deck), language),
        *round_lines(table, deck, resolution, language),
        *issue_lines(resolution, language),
        *score_lines(resolution, language),
        *odds_lines(resolution, language),
    ]


def round_lines(
    table: TableState, deck: Deck, resolution: Resolution, language: str = "en"
) -> list[str]:
    """Tell the steps of a round only; see :func:`account_lines`."""
    roster = call_roll(table, deck)
    held = {pool.source: pool.rocks for pool in roster.pools}
    held |= dict.fromkeys(roster.ships, 0)
    damage: dict[str, int] = {}
    lines = []
    for step in resolution.steps:
        lines += step_lines(
            step, roster, held, damage, piracy=table.rules.piracy, language=language
        )
        for move in step.mined:
            held[move.ship] += move.rocks
            held[move.source] -= move.rocks
        for loss in step.vaporised:
            held[loss.source] -= loss.rocks
        for hurt in step.damage:
            damage[hurt.card] = damage.get(hurt.card, 0) + hurt.points
    return lines or [speak(language).say("account.idle")]


def step_lines(
    step: Step,
    roster: Roster,
    held: Mapping[str, int],
    damage: Mapping[str, int],
    *,
    piracy: bool = False,
    language: str | Texts = "en",
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
    language : str or Texts
        ``en`` or ``fr``, or its catalogue.
    """
    t = speak(language)
    source_of = {member: pool.source for pool in roster.pools for member in pool.members}
    if piracy:
        source_of |= {ship: ship for ship in roster.ships if held.get(ship, 0) > 0}
    lines = [shot_line(shot, roster, source_of, t) for shot in step.shots]
    lines += _pulse_lines(step, source_of, held, t)
    for card in sorted({hurt.card for hurt in step.damage}):
        parts = t.join(
            t.say("account.harm_from", points=hurt.points, team=hurt.team)
            for hurt in step.damage
            if hurt.card == card
        )
        total = damage.get(card, 0) + sum(h.points for h in step.damage if h.card == card)
        health = roster.ships[card][1].health
        lines.append(t.say("account.harm", n=health, card=card, parts=parts, total=total))
    lines += [_death_line(dead, roster, t) for dead in step.destroyed]
    if step.gone:
        lines.append(t.say("account.gone", n=len(step.gone), cards=step.gone))
    return [t.say("account.speed", speed=step.speed), *(_INDENT + line for line in lines)]


def shot_line(
    shot: Shot, roster: Roster, source_of: Mapping[str, str], language: str | Texts = "en"
) -> str:
    """Tell one shot: who shot what with what, and what for.

    ``source_of`` maps each card that can be mined now to its pool.
    """
    t = speak(language)
    laser = {"ship": shot.ship, "laser": shot.laser + 1, "power": shot.power}
    ruled = t.say("account.ruled") if shot.ruled else ""
    hit = shot.hit
    if hit is None:
        return t.say("account.space", **laser) + ruled
    where = _where(hit, roster, t) if hit.edge is not None or not shot.ruled else ""
    if hit.shielded:
        return t.say("account.shield", **laser, target=hit.card, where=where) + ruled
    effects = []
    if hit.card in roster.ships:
        effects.append(t.say("account.damage", n=shot.power))
    if hit.card in source_of:
        effects.append(t.say("account.asks", n=shot.power))
    told = t.join(effects) or t.say("account.nothing")
    return t.say("account.hit", **laser, target=hit.card, where=where, effects=told) + ruled


def _where(hit: Hit, roster: Roster, t: Texts) -> str:
    if hit.edge is not None:
        return t.say("account.at_edge", edge=hit.edge)
    on_card = hit.card in roster.ships or hit.card in (*roster.face_down, *roster.unreadable)
    return t.say("account.overlapped") if on_card else ""


def _pulse_lines(
    step: Step, source_of: Mapping[str, str], held: Mapping[str, int], t: Texts
) -> list[str]:
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
        shares = t.join(t.say("account.takes", n=n, ship=ship) for ship, n in gains.items())
        if settled.pulses:
            wanted = sum(shot.power for shot in shots)
            lines.append(t.say("account.short", source=source, held=held[source], wanted=wanted))
            lines += [_INDENT + _pulse_line(pulse, shots, t) for pulse in settled.pulses]
        lines.append(t.say("account.shares", shares=shares, source=source, left=left))
    return lines


def _pulse_line(pulse: Pulse, shots: Sequence[Shot], t: Texts) -> str:
    lasers = t.join(
        t.say("account.laser", ship=shots[i].ship, laser=shots[i].laser + 1) for i in pulse.lasers
    )
    key = "served" if pulse.left >= len(pulse.lasers) else "lost" if pulse.left else "empty"
    return t.say(f"account.pulse_{key}", number=pulse.number, lasers=lasers, left=pulse.left)


def _death_line(dead: Destroyed, roster: Roster, t: Texts) -> str:
    owner = roster.ships[dead.card][0]
    if dead.taken_by is None:
        fate = t.say("account.fate_nobody")
    else:
        key = "account.fate_own" if dead.taken_by == owner else "account.fate_taken"
        fate = t.say(key, n=dead.points, team=dead.taken_by)
    lost = t.say("account.lost_rocks", n=dead.rocks_lost) if dead.rocks_lost else ""
    reason = t.tell(dead.why) if dead.why is not None else dead.reason
    why = t.say("account.why", why=reason) if reason else ""
    return t.say("account.destroyed", card=dead.card, lost=lost, fate=fate, why=why)


def issue_lines(resolution: Resolution, language: str | Texts = "en") -> list[str]:
    """Tell the doubts under a headline; nothing if there are none.

    Close calls are not among them: they come first in the account.
    """
    t = speak(language)
    told = [t.issue(issue) for issue in resolution.issues if issue.code != "close_call"]
    return [t.say("account.doubts"), *(_INDENT + line for line in told)] if told else []


def score_lines(resolution: Resolution, language: str | Texts = "en") -> list[str]:
    """Tell the score of each team, and who wins."""
    t = speak(language)
    if not resolution.scores:
        return [t.say("account.score"), _INDENT + t.say("account.no_team")]
    lines = [_total(team, score, t) for team, score in resolution.scores.items()]
    winners = list(resolution.winners)
    if len(resolution.scores) > 1 and len(winners) == 1:
        lines.append(t.say("account.wins", team=winners[0]))
    elif len(resolution.scores) > 1:
        lines.append(t.say("account.share", teams=winners))
    return [t.say("account.score"), *(_INDENT + line for line in lines)]


def _total(team: str, score: Score, t: Texts) -> str:
    own = t.say("account.own", points=-score.own) if score.own else ""
    return t.say(
        "account.total",
        team=team,
        total=score.total,
        kills=score.kills,
        rocks=score.rocks,
        own=own,
    )
