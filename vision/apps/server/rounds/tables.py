"""Table document -> resolution document, without a photo."""

import math
from typing import Any

from vision.errors import TableFormatError
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.files import read_table
from vision.games.light_speed.forms import resolution_to_json
from vision.games.light_speed.resolve import resolve

__all__ = ["resolve_document"]

_MOST_CARDS = 200  # four decks: half a second of a server that serves others too


def resolve_document(table: dict[str, Any]) -> dict[str, Any]:
    """Resolve ``sightline/table@1``; return ``sightline/resolution@1``.

    Raises
    ------
    TableFormatError
        If the table has mistakes, too many cards, or numbers too large to be resolved.
    """
    state = read_table(table)
    if len(state.cards) > _MOST_CARDS:
        msg = f"cards: at most {_MOST_CARDS} are resolved here"
        raise TableFormatError(msg)
    document = resolution_to_json(resolve(state, load_deck(state.deck)))
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
