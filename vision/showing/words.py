"""Ledger -> plain lines: what the terminal, the watch and the page say of a round in words.

Lines come without their ends; what belongs to a headline is indented by two spaces a level.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from vision.texts import Texts
from vision.values.brief import brief
from vision.values.ledger import Ledger, LedgerStep, Side
from vision.values.messages import Issue, Message
from vision.values.verdict import CLOSE_CALL, judge, odds_said

__all__ = [
    "ScoreRow",
    "account_lines",
    "close_lines",
    "issue_lines",
    "odds_lines",
    "round_lines",
    "score_heads",
    "score_rows",
    "sorted_issues",
    "step_lines",
    "title_line",
]

_INDENT = "  "
#: Doubts of everything that was read: whatever else is told hangs on them.
_OF_ALL = ("file_damaged", "film_damaged", "film_unproven", "photo_small")


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """What one side has: a number for each column of the ledger, the large one, and who wins."""

    side: Side
    numbers: tuple[int, ...]
    large: int
    wins: bool


def account_lines(ledger: Ledger, texts: Texts) -> list[str]:
    """Tell a whole round: the close calls, every step, the doubts, the score, how sure it is.

    The doubts of seeing are not among them: see :func:`title_line` for the verdict with these.
    """
    over = judge(ledger, ledger.doubts)
    won = [over.said] if len(ledger.sides) > 1 else []
    return [
        *close_lines(ledger, texts),
        *round_lines(ledger, texts),
        *issue_lines(ledger, texts),
        *_under(texts.say("account.score"), [*ledger.summary, *won], texts),
        *odds_lines(ledger, texts, ledger.doubts),
    ]


def close_lines(ledger: Ledger, texts: Texts) -> list[str]:
    """Tell the contested events, the least certain first, under a headline; nothing if none."""
    close = [event.closeness for event in ledger.contested() if event.closeness is not None]
    said = [item.said for item in close if item.said is not None and item.point_mm is not None]
    return _under(texts.say("close.head"), said, texts) if said else []


def round_lines(ledger: Ledger, texts: Texts) -> list[str]:
    """Tell the steps of a round, or that there are none."""
    lines = [line for step in ledger.steps for line in step_lines(step, texts)]
    return lines or [texts.say("account.idle")]


def step_lines(step: LedgerStep, texts: Texts) -> list[str]:
    """Tell one step: its headline, and what happened."""
    lines = [_INDENT * (1 + event.depth) + texts.tell(event.said) for event in step.events]
    return [texts.tell(step.title), *lines]


def issue_lines(ledger: Ledger, texts: Texts) -> list[str]:
    """Tell the doubts of judging under a headline, without the close calls; nothing if none."""
    told = [texts.issue(issue) for issue in ledger.doubts if issue.code != CLOSE_CALL]
    return _under(texts.say("account.doubts"), told, texts) if told else []


def sorted_issues(issues: Sequence[Issue]) -> tuple[list[Issue], list[Issue]]:
    """Part the doubts from the notes: first what is doubted of all, then close calls.

    Each is said once, notes of one kind in one line.
    """
    issues = brief(issues)
    doubts = [issue for issue in issues if issue.severity == "doubt"]
    doubts.sort(key=lambda issue: (issue.code not in _OF_ALL, issue.code != CLOSE_CALL))
    return doubts, [issue for issue in issues if issue.severity != "doubt"]


def score_heads(ledger: Ledger, texts: Texts) -> list[str]:
    """Name the columns of the score, the one that stands large last."""
    return [texts.say(f"column.{name}") for name in (*_small(ledger), ledger.large)]


def score_rows(ledger: Ledger, winners: Sequence[str]) -> list[ScoreRow]:
    """Put the sides in order, the best first, as they stand at the end.

    ``winners`` are those of the verdict: nobody while it is open.
    """
    scores = ledger.final.scores
    sides = sorted(
        (side for side in ledger.sides if side.id in scores),
        key=lambda side: -scores[side.id][ledger.large],
    )
    return [
        ScoreRow(
            side,
            tuple(scores[side.id][name] for name in _small(ledger)),
            scores[side.id][ledger.large],
            side.id in winners,
        )
        for side in sides
    ]


def _small(ledger: Ledger) -> list[str]:
    """Return the columns that do not stand large."""
    return [name for name in (*ledger.columns, "total") if name != ledger.large]


def odds_lines(ledger: Ledger, texts: Texts, issues: Sequence[Issue] = ()) -> list[str]:
    """Tell how sure the outcome is beside some issues, the headline first; nothing if not known."""
    said = odds_said(ledger, issues)
    return _under(texts.tell(said[0]), said[1:], texts) if said else []


def title_line(ledger: Ledger, issues: Sequence[Issue], texts: Texts) -> str:
    """Tell a round in one line: who won and how sure that is, and the score."""
    over = judge(ledger, issues)
    parts = [f"{texts.tell(row.side.name)} {row.large}" for row in score_rows(ledger, over.winners)]
    said = texts.tell(over.said)
    return f"{said} ({', '.join(parts)})" if parts else said


def _under(head: str, lines: Sequence[Message | str], texts: Texts) -> list[str]:
    return [head, *(_INDENT + texts.tell(line) for line in lines)]
