"""The program for those who write Python: photos in, a scan out, without knowing the house."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from vision.apps.decks import find_deck, find_known
from vision.apps.known import draw_faces, named_table
from vision.pipeline import scan as scan_photos
from vision.showing.above import draw_table
from vision.showing.style import AnnotateSettings
from vision.texts import texts
from vision.values.arrays import ImageBGR
from vision.values.ledger import Ledger
from vision.values.scan import Scan

__all__ = ["draw", "scan"]

Source = str | Path | bytes
_PX_PER_MM = 4.0  # finer than a piece in a picture of a whole table


def scan(
    photos: Source | Sequence[Source],
    deck: str | None = None,
    game: str | None = None,
    **options: Any,
) -> Scan:
    """Read the photos of a table and play the round on it.

    Parameters
    ----------
    photos : path, bytes, or a sequence of them
        One photo, or as many as the game's table is spread over.
    deck : str, optional
        The name of a deck, or the path of a file of one or of a learned deck's folder.
    game : str, optional
        The name of a game; without deck or game, Light Speed.
    **options
        The variants played, by the names that ``sightline game show`` tells: ``piracy=True``.

    Raises
    ------
    vision.errors.ScanError
        If there is no result; the message says what was seen, needed, and to try.
    """
    known = named_table(deck, game)
    sources = [photos] if isinstance(photos, str | Path | bytes) else list(photos)
    encoded = [one if isinstance(one, bytes) else Path(one).read_bytes() for one in sources]
    chosen = known.game.options(**options)
    return scan_photos(encoded, known.game, known.detector(), options=chosen)[0]


def draw(ledger: Ledger, deck: str | None = None, language: str = "en") -> ImageBGR:
    """Draw a round from above.

    Parameters
    ----------
    ledger : Ledger
        What a game tells of a round.
    deck : str, optional
        The deck whose faces are drawn; that of the ledger's game by default.
    language : str
        Of the words in the picture.

    Returns
    -------
    (H, W, 3) uint8
        The picture, BGR.
    """
    known = find_known(None, ledger.game) if deck is None else find_deck(deck)
    faces = draw_faces(known, ledger.pieces, _PX_PER_MM)
    words = texts(language, known.game.texts)
    return draw_table(ledger, faces=faces, settings=AnnotateSettings(texts=words))
