"""Ledger -> the terminal: doubts, score, how sure it is, the account; in colour where it shows."""

import math
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.text import Text

from vision.showing.words import (
    odds_lines,
    round_lines,
    score_heads,
    score_rows,
    sorted_issues,
)
from vision.texts import Texts
from vision.values.layout import Placed
from vision.values.ledger import Ledger
from vision.values.messages import Issue
from vision.values.verdict import Verdict, judge

__all__ = ["print_doubts", "print_ledger", "print_odds", "print_places", "show_line", "wrap_lines"]

_WIDTH_MIN = 40


def show_line(console: Console, *parts: str | tuple[str, str]) -> None:
    """Print one line as it is: not cut, not broken, nothing in it taken for markup."""
    console.print(Text.assemble(*parts), soft_wrap=True, highlight=False)


def wrap_lines(console: Console, text: str, first: str, rest: str) -> list[str]:
    """Break a text to the width of the terminal, with a hanging indent."""
    width = max(min(console.width, 100), _WIDTH_MIN)
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]


def print_ledger(console: Console, ledger: Ledger, issues: Sequence[Issue], texts: Texts) -> None:
    """Print the headline, the doubts, close calls first, the score, how sure it is, and the steps.

    Parameters
    ----------
    console : Console
        Where to.
    ledger : Ledger
        The round.
    issues : sequence of Issue
        All doubts and notes, of seeing too.
    texts : Texts
        The catalogue of the game.
    """
    over = judge(ledger, issues)
    show_line(console, (texts.tell(over.said), "bold yellow" if over.is_open else "bold"))
    print_doubts(console, issues, texts)
    styles = {side.id: f"bold {side.colour}" for side in ledger.sides}
    _print_score(console, ledger, over, styles, texts)
    print_odds(console, odds_lines(ledger, texts, issues))
    _print_account(console, round_lines(ledger, texts), styles)


def print_doubts(console: Console, issues: Sequence[Issue], texts: Texts) -> None:
    """Print every doubt, close calls first, before the score; and the notes after them."""
    doubts, notes = sorted_issues(issues)
    for sign, style, several in (("?", "yellow", doubts), ("-", "dim", notes)):
        for issue in several:
            for line in wrap_lines(console, texts.issue(issue), f"  {sign} ", "    "):
                show_line(console, (line, style))


def _print_score(
    console: Console, ledger: Ledger, over: Verdict, styles: Mapping[str, str], texts: Texts
) -> None:
    """Print the table of scores, best first; nobody is marked while the round is open."""
    rows = score_rows(ledger, over.winners)
    if not rows:
        return
    head, names = texts.say("report.team"), score_heads(ledger, texts)
    wide = max(len(head), *(len(texts.tell(row.side.name)) for row in rows))
    widths = [max(7, len(name) + 2) for name in names]
    show_line(console)
    heads = "".join(f"{name:>{width}}" for name, width in zip(names, widths, strict=True))
    show_line(console, (f"  {head:<{wide}}{heads}", "dim"))
    for row in rows:
        counted = zip(row.numbers, widths[:-1], strict=True)
        numbers = "".join(f"{number:>{width}}" for number, width in counted)
        wins = f"  {texts.say('report.win_mark')}" if row.wins else ""
        show_line(
            console,
            "  ",
            (f"{texts.tell(row.side.name):<{wide}}", styles[row.side.id]),
            numbers,
            (f"{row.large:>{widths[-1]}}", "bold"),
            (wins, "bold yellow"),
        )


def print_odds(console: Console, lines: Sequence[str]) -> None:
    """Print how sure the score is, or what would have changed it: a headline and its lines."""
    if lines:
        show_line(console)
        show_line(console, (lines[0], "bold"))
    for line in lines[1:]:
        for piece in wrap_lines(console, line.strip(), "  ", "    "):
            show_line(console, piece)


def _print_account(console: Console, lines: Iterable[str], styles: Mapping[str, str]) -> None:
    """Print the account of the round; lines with an indent are events of a step."""
    show_line(console)
    for line in lines:
        indent = len(line) - len(line.lstrip())
        first = " " * indent
        for piece in wrap_lines(console, line.strip(), first, first + "  "):
            text = Text(piece, style="bold" if not indent else "")
            for side, style in styles.items():
                text.highlight_regex(rf"(?<![\w-]){re.escape(side)}(?![\w-])", style)
            console.print(text, soft_wrap=True, highlight=False)


def print_places(console: Console, placed: Sequence[Placed], texts: Texts) -> None:
    """Print what lies where: all there is to say where nothing is played."""
    wide = max((len(one.piece) for one in placed), default=0)
    for one in placed:
        x, y = (texts.number(value, 1) for value in (one.x_mm, one.y_mm))
        turn = texts.number(math.degrees(one.theta_rad), 1)
        show_line(console, f"  {one.piece:<{wide}}  {x:>8}, {y:>7} mm  {turn:>7}°")
