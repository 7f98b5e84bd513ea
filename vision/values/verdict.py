"""Ledger and issues -> the verdict: is the round open, who has won, how likely, what may change.

The one rule of the program for when a round is open; every screen, file and language asks it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vision.values.brief import brief
from vision.values.ledger import NO_MATTER, SURE, Ledger
from vision.values.messages import Issue, Message, message

__all__ = ["CLOSE_CALL", "Verdict", "as_judged", "count_doubts", "judge", "odds_said"]

CLOSE_CALL = "close_call"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a round comes to, with all that is doubted.

    ``is_open``: the winner is less likely than :data:`~vision.values.ledger.SURE`, or something
    that could change it was not read. ``winners`` stand in the order of the ledger's sides; nobody
    has won while the round is open. ``probability`` is that of the winners as the round was
    resolved, None where no odds are known. ``doubts`` counts what is listed as a doubt. ``winner``
    says who wins and how likely, or what is open about it; ``details`` what else could change.
    """

    is_open: bool
    winners: tuple[str, ...]
    probability: float | None
    doubts: int
    winner: Message
    details: tuple[Message, ...] = ()

    @property
    def said(self) -> Message:
        """The headline: who wins, then the details."""
        if not self.details:
            return self.winner
        return message("headline.parts", parts=(self.winner, *self.details))


def judge(ledger: Ledger, issues: Sequence[Issue]) -> Verdict:
    """Return the verdict of a round.

    Parameters
    ----------
    ledger : Ledger
        The round as it was resolved.
    issues : sequence of Issue
        All its doubts and notes, those of seeing too, as :meth:`Ledger.weigh` grades them.
    """
    doubts, unread = count_doubts(issues), count_doubts(_unplayed(ledger, issues))
    won = _chance_of_winners(ledger)
    winners = tuple(side.id for side in ledger.sides if side.id in ledger.winners)
    chance = None if ledger.odds is None else won
    if won < SURE and (who := _who_may_win(ledger)):
        more: Message | str = message("headline.more", n=unread) if unread else ""
        said = message("headline.winners", winners=who, more=more)
        return Verdict(True, (), chance, doubts, said)
    if ledger.unordered and (won < SURE or unread):
        said = message("headline.position", n=doubts, outcome=ledger.outcome)
        return Verdict(True, (), chance, doubts, said)
    if won < SURE or unread:
        said = message("headline.doubts", n=doubts, outcome=ledger.outcome)
        return Verdict(True, (), chance, doubts, said)
    outcome = ledger.outcome
    if winners and _chance_of_totals(ledger, winners) < SURE:
        outcome = message("headline.wins", n=len(winners), who=_names(ledger, winners))
    if winners and chance is not None and len(ledger.sides) > 1:
        outcome = message("headline.sure", outcome=outcome, chance=won)
    return Verdict(False, winners, chance, doubts, outcome, _details(ledger, issues, doubts))


def count_doubts(issues: Sequence[Issue]) -> int:
    """Count the doubts as they are listed: what is said twice of the same pieces counts once.

    Examples
    --------
    >>> count_doubts([Issue("no_die", "", severity="note"), Issue("unread", "", ("token-1",))])
    1
    """
    return sum(issue.severity == "doubt" for issue in brief(issues))


def odds_said(ledger: Ledger, issues: Sequence[Issue]) -> tuple[Message, ...]:
    """Say how sure the outcome is, the headline first; nothing if that is not known.

    Beside doubts that the odds do not play nothing is said to be as good as certain.
    """
    if ledger.odds is None or not ledger.odds.lines:
        return ()
    unread = count_doubts(_unplayed(ledger, issues))
    if not unread:
        return ledger.odds.lines
    head, *lines = ledger.odds.lines
    told = tuple(line for line in lines if not _is_over(line))
    if not told:
        return ()
    said = message("headline.given", head=head, more=message("headline.more", n=unread))
    return (said, *told)


def as_judged(ledger: Ledger, issues: Sequence[Issue]) -> Ledger:
    """Return a ledger as it may be shown: no winner while it is open, odds beside the issues."""
    odds = ledger.odds and replace(ledger.odds, lines=odds_said(ledger, issues))
    return replace(ledger, winners=judge(ledger, issues).winners, odds=odds)


def _unplayed(ledger: Ledger, issues: Sequence[Issue]) -> list[Issue]:
    """Return the issues that the odds do not play."""
    if ledger.odds is None:
        return list(issues)
    return [
        issue
        for issue in issues
        if issue.code != CLOSE_CALL and not any(one.is_of(issue) for one in ledger.weighed)
    ]


def _details(ledger: Ledger, issues: Sequence[Issue], doubts: int) -> tuple[Message, ...]:
    """Say what could change of a round whose winner is sure, if anything could."""
    told = [issue for issue in brief(issues) if issue.severity == "doubt"]
    changing = _may_change(ledger)
    whose: Message | str = ""
    if changing:
        owners = tuple(message("headline.whose", who=name) for name in _names(ledger, changing))
        whose = message("headline.points", whose=owners)
    elif _has_totals(ledger) and _chance_of_totals(ledger) < SURE:
        whose = message("headline.score")
    elif doubts:
        whose = message("headline.rest")
    if not whose:
        return ()
    if not doubts:
        return (message("headline.unsure", what=whose, chance=_chance_of_totals(ledger)),)
    is_close = all(issue.code == CLOSE_CALL for issue in told)
    return (message("headline.calls" if is_close else "headline.things", n=doubts, what=whose),)


def _is_over(said: Message) -> bool:
    """Tell whether a sentence has something as good as certain."""
    values = dict(said.values)
    chance = values.get("chance")
    if isinstance(chance, float) and chance >= SURE:
        return True
    parts = [part for value in values.values() for part in _parts(value)]
    return any(_is_over(part) for part in parts)


def _parts(value: object) -> list[Message]:
    several = value if isinstance(value, tuple) else (value,)
    return [part for part in several if isinstance(part, Message)]


def _has_totals(ledger: Ledger) -> bool:
    return ledger.odds is not None and any(chance.totals for chance in ledger.odds.scores)


def _chance_of_winners(ledger: Ledger) -> float:
    """Return how likely those who win do so; odds that name nobody know nothing."""
    if ledger.odds is None:
        return 1.0
    return sum(p for w, p in ledger.odds.winners if set(w) == set(ledger.winners))


def _chance_of_totals(ledger: Ledger, sides: Sequence[str] | None = None) -> float:
    """Return how likely some sides, or all, end with their totals, as far as that is known."""
    if ledger.odds is None or not _has_totals(ledger):
        return 1.0
    final = ledger.final.scores
    asked = [side for side in (final if sides is None else sides) if side in final]
    return sum(
        chance.probability
        for chance in ledger.odds.scores
        if all(chance.totals.get(side) == final[side]["total"] for side in asked)
    )


def _may_change(ledger: Ledger) -> tuple[str, ...]:
    """Return the sides that may end with other totals, as far as the odds list the scores."""
    if ledger.odds is None or not _has_totals(ledger):
        return ()
    final = ledger.final.scores
    found = []
    for side in ledger.sides:
        other = sum(
            chance.probability
            for chance in ledger.odds.scores
            if side.id in final and chance.totals.get(side.id) != final[side.id]["total"]
        )
        if other > NO_MATTER:
            found.append(side.id)
    return tuple(found)


def _names(ledger: Ledger, sides: Sequence[str]) -> tuple[Message | str, ...]:
    names = {side.id: side.name for side in ledger.sides}
    return tuple(names.get(side, side) for side in sides)


def _who_may_win(ledger: Ledger) -> tuple[Message, ...]:
    """Name all who may win, each with the chance, the likeliest first; none that rounds to 0."""
    odds = () if ledger.odds is None else ledger.odds.winners
    told = [(w, p) for w, p in odds if p >= NO_MATTER] or odds[:1]
    return tuple(
        message("headline.chance", who=_names(ledger, who), chance=chance)
        if who
        else message("headline.nobody", chance=chance)
        for who, chance in told
    )
