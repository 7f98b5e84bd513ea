"""The words of the game, and doubts said in them."""

from importlib import resources
from typing import Any, Literal

from vision.texts import texts
from vision.values.messages import Issue, Message, message

__all__ = ["TEXTS", "doubt", "piece_name"]

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
