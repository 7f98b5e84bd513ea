"""Table file or notation of any game -> resolution document, without a photo."""

import math
from pathlib import Path
from typing import Any

from vision.apps.decks import known_of_table
from vision.errors import TableFormatError
from vision.files.documents import decode
from vision.files.headlines import resolution_to_json

__all__ = ["resolve_document"]

_MOST_CARDS = 200  # four decks: half a second of a server that serves others too


def resolve_document(encoded: bytes, store: Path | None = None) -> dict[str, Any]:
    """Resolve a table, ``sightline/table@1`` or notation; return ``sightline/resolution@1``.

    The game is the one that the table names; ``store`` is the folder of learned decks.

    Raises
    ------
    TableFormatError
        If the table has mistakes, too many cards, or numbers too large to be resolved.
    """
    text = decode(encoded)
    game = known_of_table(text, store).game
    table = game.read(text)
    if len(game.write(table).get("cards", ())) > _MOST_CARDS:
        msg = f"cards: at most {_MOST_CARDS} are resolved here"
        raise TableFormatError(msg)
    outcome = game.resolve(table)
    ledger = game.tell(table, outcome)
    document = resolution_to_json(outcome, ledger, ledger.weigh(ledger.doubts), game) or {}
    if not _is_finite(document):
        msg = "the table's numbers are too large to resolve"
        raise TableFormatError(msg)
    return document


def _is_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_finite(v) for v in value.values())
    if isinstance(value, list):
        return all(_is_finite(v) for v in value)
    return not isinstance(value, float) or math.isfinite(value)
