"""Ledger and doubts -> the one line over a round: who wins, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vision.texts import SURE
from vision.values.ledger import Ledger
from vision.values.messages import Issue, Message, message

__all__ = ["CLOSE_CALL", "Headline", "beside", "count_doubts", "headline", "odds_said"]

CLOSE_CALL = "close_call"
_OPEN = 0.95  # a score less likely than this is open, also where no single thing is in doubt
_RARE = 0.005  # winners less likely than this are not named: they round to nothing


@dataclass(frozen=True, slots=True)
class Headline:
    """What stands over a round; while ``is_open``, nobody is shown as the winner.

    ``doubts`` are those that could change the score.
    """

    said: Message
    is_open: bool
    doubts: int


def count_doubts(issues: Sequence[Issue], certain: Sequence[str] = ()) -> int:
    """Count the doubts that could change a score; a piece doubted for two reasons counts once.

    Parameters
    ----------
    issues : sequence of Issue
        Doubts and notes.
    certain : sequence of str
        The codes of doubts that leave nothing open; see :class:`vision.values.ledger.Ledger`.

    Examples
    --------
    >>> count_doubts([Issue("no_die", ""), Issue("unread", "", ("token-1",))], ["no_die"])
    1
    """
    doubts = [issue for issue in issues if issue.severity == "doubt"]
    return len({issue.cards or issue.code for issue in doubts if issue.code not in certain})


def headline(ledger: Ledger, issues: Sequence[Issue]) -> Headline:
    """Say who wins and how sure that is: the odds, and the doubts that they do not weigh.

    Parameters
    ----------
    ledger : Ledger
        The round.
    issues : sequence of Issue
        All its doubts and notes, of seeing too.
    """
    doubts = count_doubts(issues, ledger.certain)
    won, scored = _chance_of_winners(ledger), _chance_of_score(ledger)
    if not doubts and min(won, scored) >= _OPEN:
        told = ledger.odds is not None and bool(ledger.odds.scores) and len(ledger.sides) > 1
        said = message("headline.sure", outcome=ledger.outcome, chance=min(won, scored))
        return Headline(said if told else ledger.outcome, is_open=False, doubts=0)
    unweighed = count_doubts(_unweighed(ledger, issues), ledger.certain)
    more: Message | str = message("headline.more", n=unweighed) if unweighed else ""
    if won < SURE:
        said = message("headline.winners", winners=_winners(ledger), more=more)
    elif scored < SURE:
        said = message("headline.score", outcome=ledger.outcome, chance=scored, more=more)
    else:
        said = message("headline.doubts", n=doubts, outcome=ledger.outcome)
    return Headline(said, is_open=True, doubts=doubts)


def odds_said(ledger: Ledger, issues: Sequence[Issue]) -> tuple[Message, ...]:
    """Say how sure the outcome is, the headline first; nothing if that is not known.

    Beside doubts that the odds do not play nothing is said to be as good as certain.

    Parameters
    ----------
    ledger : Ledger
        The round.
    issues : sequence of Issue
        All its doubts and notes, of seeing too.
    """
    if ledger.odds is None or not ledger.odds.lines:
        return ()
    unweighed = count_doubts(_unweighed(ledger, issues), ledger.certain)
    if not unweighed:
        return ledger.odds.lines
    head, *lines = ledger.odds.lines
    told = tuple(line for line in lines if not _is_over(line))
    if not told:
        return ()
    said = message("headline.given", head=head, more=message("headline.more", n=unweighed))
    return (said, *told)


def beside(ledger: Ledger, issues: Sequence[Issue]) -> Ledger:
    """Return a ledger whose odds are told as beside some issues; see :func:`odds_said`."""
    if ledger.odds is None:
        return ledger
    return replace(ledger, odds=replace(ledger.odds, lines=odds_said(ledger, issues)))


def _unweighed(ledger: Ledger, issues: Sequence[Issue]) -> list[Issue]:
    """Return the issues that the odds do not play."""
    return [
        issue
        for issue in issues
        if issue.code != CLOSE_CALL and not any(one.is_of(issue) for one in ledger.weighed)
    ]


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


def _chance_of_winners(ledger: Ledger) -> float:
    """Return how likely those who win do so, as far as that is known."""
    if ledger.odds is None or not ledger.odds.winners:
        return 1.0
    return sum(p for w, p in ledger.odds.winners if set(w) == set(ledger.winners))


def _chance_of_score(ledger: Ledger) -> float:
    """Return how likely the score is, as far as that is known."""
    if ledger.odds is None or not any(chance.totals for chance in ledger.odds.scores):
        return 1.0
    totals = {side: parts["total"] for side, parts in ledger.final.scores.items()}
    return sum(c.probability for c in ledger.odds.scores if dict(c.totals) == totals)


def _winners(ledger: Ledger) -> tuple[Message, ...]:
    """Name all who may win, each with the chance, the likeliest first."""
    assert ledger.odds is not None
    names = {side.id: side.name for side in ledger.sides}
    told = [(w, p) for w, p in ledger.odds.winners if p >= _RARE] or ledger.odds.winners[:1]
    return tuple(
        message("headline.chance", who=tuple(names.get(w, w) for w in who), chance=chance)
        if who
        else message("headline.nobody", chance=chance)
        for who, chance in told
    )
