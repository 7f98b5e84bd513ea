"""The words of the game, and doubts said in them."""

from importlib import resources
from typing import Any, Literal

from vision.texts import texts
from vision.values.messages import Issue, message

__all__ = ["TEXTS", "doubt"]

TEXTS = resources.files("vision.games.laser_shield") / "texts"


def doubt(
    code: str,
    key: str,
    pieces: tuple[str, ...] = (),
    severity: Literal["note", "doubt"] = "doubt",
    **values: Any,
) -> Issue:
    """Make a doubt or a note from a text of the game's catalogue."""
    said = message(key, **values)
    return Issue(code, texts("en", TEXTS).tell(said), pieces, severity, said)
