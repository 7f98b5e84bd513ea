"""A table -> what one column earlier or later would have changed, for each ship alone.

A programme is changed at one place: from a column on everything comes one column later (an empty
one comes before it; what falls off the end is lost), or one earlier (an empty column before it goes
away), or its anticipation holds in the round before or after. Each is played as the table is read.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from vision.games.asteroyds_capture.turn import Played, play
from vision.games.asteroyds_capture.values import COLUMNS, Program, Table
from vision.games.asteroyds_capture.words import piece_name
from vision.judging.coach import Advice
from vision.values.messages import Message, message

__all__ = ["Change", "advise", "changes", "coach"]

_MOST = 6  # lines that a person reads after a turn


@dataclass(frozen=True, slots=True)
class Change:
    """A programme changed at one place: of which ship, how, and what would have come of it."""

    ship: str
    how: str  #: later, earlier (from column ``number`` on), anticipates (round ``number``)
    number: int
    program: Program
    scores: tuple[tuple[str, int], ...]
    winners: tuple[str, ...]
    gain: int  #: how much better the ship's team would stand against the best other


def advise(table: Table) -> tuple[Advice, ...]:
    """Say what would have changed the score, the best for a ship first."""
    return tuple(
        Advice(change.ship.partition("-")[0], change.how, _line(change))
        for change in changes(table)[:_MOST]
    )


def coach(table: Table) -> tuple[Message, ...]:
    """Say what would have changed the score: a headline, then lines, the best for a ship first."""
    lines = [advice.said for advice in advise(table)] or [message("asteroyds.coach.none")]
    return message("asteroyds.coach.head"), *lines


def changes(table: Table) -> tuple[Change, ...]:
    """Return the changes of one programme that would have led to another score or winner."""
    before = play(table)
    found = []
    for ship, program in sorted(table.programs.items()):
        team = ship.partition("-")[0]
        for how, number, other in _others(program):
            played = play(replace(table, programs={**table.programs, ship: other}))
            if (played.position.scores, played.winners) == (
                before.position.scores,
                before.winners,
            ):
                continue
            gain = _lead(played, team) - _lead(before, team)
            scores = tuple(played.position.scores.items())
            found.append(Change(ship, how, number, other, scores, played.winners, gain))
    return tuple(sorted(found, key=lambda change: (-change.gain, change.ship)))


def _lead(played: Played, team: str) -> int:
    scores = played.position.scores
    return scores[team] - max((n for other, n in scores.items() if other != team), default=0)


def _others(program: Program) -> Iterator[tuple[str, int, Program]]:
    """Yield the programmes that differ by one column."""
    columns = program.columns
    seen = {columns}
    for k, action in enumerate(columns):
        moved = {"later": [*columns[:k], None, *columns[k:-1]]}
        if k > 0 and columns[k - 1] is None:
            moved["earlier"] = [*columns[: k - 1], *columns[k:], None]
        for how, after in moved.items():
            if action is not None and tuple(after) not in seen:
                seen.add(tuple(after))
                yield how, k + 1, replace(program, columns=tuple(after))
    if len(program.rounds) == 1:
        for number in (program.rounds[0] - 1, program.rounds[0] + 1):
            if 1 <= number <= COLUMNS:
                yield "anticipates", number, replace(program, rounds=(number,))


def _line(change: Change) -> Message:
    scores = tuple(
        message("asteroyds.score", team=team, score=score) for team, score in change.scores
    )
    what = message(f"asteroyds.coach.{change.how}", n=change.number)
    line = message("asteroyds.coach.line", ship=piece_name(change.ship), what=what, scores=scores)
    if not change.winners:
        return line
    return message("asteroyds.coach.winner", line=line, team=change.winners[0])
