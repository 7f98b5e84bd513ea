"""The words of the game, and doubts said in them."""

from importlib import resources
from typing import Any, Literal

from vision.games.asteroyds_capture.values import Program
from vision.texts import texts
from vision.values.messages import Issue, Message, message

__all__ = ["TEXTS", "die_name", "doubt", "piece_name", "program_words"]

TEXTS = resources.files("vision.games.asteroyds_capture") / "texts"


def doubt(
    code: str,
    pieces: tuple[str, ...] = (),
    severity: Literal["note", "doubt"] = "doubt",
    **values: Any,
) -> Issue:
    """Make a doubt or a note from the text of the game's catalogue that has its code."""
    said = message(f"asteroyds.issue.{code}", **values)
    return Issue(code, texts("en", TEXTS).tell(said), pieces, severity, said)


def die_name(colour: str) -> Message:
    """Return how a die is called."""
    return message("asteroyds.die", team=colour)


def piece_name(piece: str) -> Message:
    """Return how a piece is called."""
    team, _, rest = piece.partition("-")
    if team in ("pod", "rock"):
        return message(f"asteroyds.piece.{team}", number=rest)
    kind, _, number = rest.partition("-")
    if kind.isdigit():
        return message("asteroyds.piece.ship", team=team, number=kind)
    her = message(f"asteroyds.her.{team}")  # French has two forms of most colours
    return message(f"asteroyds.piece.{kind}", team=team, her=her, number=number)


def program_words(program: Program) -> tuple[Message | str, ...]:
    """Return a programme in the letters of the printed sheet, its anticipation in words."""
    columns = list(program.columns)
    while columns and columns[-1] is None:
        columns.pop()
    words: list[Message | str] = [
        "–" if action is None else message(f"asteroyds.letter.{action}") for action in columns
    ]
    if program.mode is not None or program.rounds:
        words.append(message(f"asteroyds.mode.{program.mode or 'none'}"))
    words += [str(number) for number in program.rounds]
    return tuple(words) or (message("asteroyds.empty"),)
