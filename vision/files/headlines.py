"""Ledger and doubts -> JSON: the verdict of a round, in every language and in its resolution."""

from collections.abc import Sequence
from importlib.resources.abc import Traversable
from typing import Any

from vision.judging.game import Game
from vision.texts import LANGUAGES, texts
from vision.values.ledger import Ledger
from vision.values.messages import Issue, Message
from vision.values.verdict import judge

__all__ = ["headline_to_json", "resolution_to_json"]

Json = dict[str, Any]


def headline_to_json(ledger: Ledger, issues: Sequence[Issue], *folders: Traversable) -> Json:
    """Return the verdict of a round: ``open`` while nobody may be shown as the winner.

    ``unordered`` while nobody has ordered in a game that is played by orders: no result at all.

    ``words`` is the whole line, ``winner`` and ``details`` are its parts. ``folders`` hold the
    words of the game.
    """
    over = judge(ledger, issues)
    catalogues = {language: texts(language, *folders) for language in LANGUAGES}

    def tell(said: Message) -> Json:
        told = {language: words.tell(said) for language, words in catalogues.items()}
        return {language: line[:1].upper() + line[1:] for language, line in told.items()}

    return {
        "open": over.is_open,
        "unordered": ledger.unordered,
        "winners": list(over.winners),
        "probability": over.probability,
        "doubts": over.doubts,
        "words": tell(over.said),
        "winner": tell(over.winner),
        "details": [tell(detail) for detail in over.details],
    }


def resolution_to_json(
    outcome: Any, ledger: Ledger, issues: Sequence[Issue], game: Game, *, language: str = "en"
) -> Json | None:
    """Return an outcome as ``sightline/resolution@1``; None where nothing is played.

    ``open`` says that the winner is: ``winners`` is empty then.
    """
    written = game.write_outcome(outcome, language=language)
    if written is None:
        return None
    over = judge(ledger, issues)
    return {**written, "winners": list(over.winners), "open": over.is_open}
