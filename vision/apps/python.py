"""The program for those who write Python: photos in, a scan out, without knowing the house."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vision.apps.decks import find_deck
from vision.pipeline import scan as scan_photos
from vision.seeing.sight import sight_of
from vision.values.scan import Scan

__all__ = ["scan"]

Source = str | Path | bytes


def scan(photos: Source | Sequence[Source], deck: str = "light-speed", **options: Any) -> Scan:
    """Read the photos of a table and play the round on it.

    Parameters
    ----------
    photos : path, bytes, or a sequence of them
        One photo, or as many as the game's table is spread over.
    deck : str
        The name of a deck, or the path of a deck file or a learned deck's folder.
    **options
        The variants played, by the names that ``sightline game show`` tells: ``piracy=True``.

    Raises
    ------
    vision.errors.ScanError
        If there is no result; the message says what was seen, needed, and to try.
    """
    known = find_deck(deck)
    sources = [photos] if isinstance(photos, str | Path | bytes) else list(photos)
    encoded = [one if isinstance(one, bytes) else Path(one).read_bytes() for one in sources]
    chosen = known.game.options(**options)
    return scan_photos(encoded, known.game, sight_of(known.bank()), options=chosen)[0]
