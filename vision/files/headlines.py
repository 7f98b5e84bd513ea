"""Ledger and doubts -> JSON: the line that stands over a round, in every language."""

from collections.abc import Sequence
from importlib.resources.abc import Traversable
from typing import Any

from vision.texts import LANGUAGES, texts
from vision.texts.headline import headline
from vision.values.ledger import Ledger
from vision.values.messages import Issue

__all__ = ["headline_to_json"]

Json = dict[str, Any]


def headline_to_json(ledger: Ledger, issues: Sequence[Issue], *folders: Traversable) -> Json:
    """Return who wins and how sure that is; ``open`` while nobody may be shown as the winner.

    ``folders`` hold the words of the game.
    """
    over = headline(ledger, issues)
    told = {language: texts(language, *folders).tell(over.said) for language in LANGUAGES}
    return {
        "open": over.is_open,
        "doubts": over.doubts,
        "words": {language: said[:1].upper() + said[1:] for language, said in told.items()},
    }
