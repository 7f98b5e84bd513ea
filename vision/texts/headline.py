"""Ledger and doubts -> the one line over a round: who wins, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass

from vision.texts import SURE
from vision.values.ledger import Ledger
from vision.values.messages import Issue, Message, message

__all__ = ["CLOSE_CALL", "Headline", "count_doubts", "headline"]

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
    unweighed = count_doubts([i for i in issues if i.code != CLOSE_CALL], ledger.certain)
    more: Message | str = message("headline.more", n=unweighed) if unweighed else ""
    if won < SURE:
        said = message("headline.winners", winners=_winners(ledger), more=more)
    elif scored < SURE:
        said = message("headline.score", outcome=ledger.outcome, chance=scored, more=more)
    else:
        said = message("headline.doubts", n=doubts, outcome=ledger.outcome)
    return Headline(said, is_open=True, doubts=doubts)


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
