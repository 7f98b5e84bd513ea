"""scan(): from the bytes of photos to the settled round; the order of things, no more."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from vision.imaging.photo import DecodeLimits, Photo, decode_photo
from vision.judging.game import Game
from vision.judging.play import play
from vision.seeing.reading import read_layout
from vision.seeing.sight import AnySight
from vision.values.scan import Scan

__all__ = ["scan"]


def scan(
    photos: bytes | Sequence[bytes],
    game: Game,
    sight: AnySight,
    *,
    options: Any = None,
    progress: Callable[[str], None] | None = None,
    limits: DecodeLimits | None = None,
) -> tuple[Scan, tuple[Photo, ...]]:
    """Read the photos of a table and play the round on it.

    Parameters
    ----------
    photos : bytes or sequence of bytes
        JPEG, PNG or WebP files: one, or as many as the game's table is spread over.
    game : Game
        What is played.
    sight : Sight, PieceSight or TableSight
        How its pieces are looked for.
    options : object, optional
        The variants played, of the game's own kind.
    progress : callable, optional
        Told the name of each stage as it begins; a stage may come twice.
    limits : DecodeLimits, optional
        What is refused before it is decoded.

    Returns
    -------
    scan : Scan
        What was seen, and the round.
    photos : tuple of Photo
        The upright photos, to draw on.

    Raises
    ------
    ImageDecodeError, ImageSizeError
        If a photo cannot be used.
    TableNotFoundError
        If nothing can be read.
    ValueError
        If the game's table is not spread over so many photos.
    """
    encoded = [photos] if isinstance(photos, bytes) else list(photos)
    if not 1 <= len(encoded) <= game.most_photos:
        msg = f"photos: expected 1 to {game.most_photos} for {game.name}, got {len(encoded)}"
        raise ValueError(msg)
    tell = progress or _tell_nobody
    upright, layouts, timings = [], [], {"decode": 0.0}
    for one in encoded:
        tell("decode")
        start = time.perf_counter()
        photo = decode_photo(one, limits)
        timings["decode"] += (time.perf_counter() - start) * 1000
        layout = read_layout(photo, sight, progress=tell)
        for stage, ms in layout.timings_ms.items():
            timings[stage] = timings.get(stage, 0.0) + ms
        upright.append(photo)
        layouts.append(layout)
    tell("resolve")
    return play(layouts, game, options, timings), tuple(upright)


def _tell_nobody(_: str) -> None:
    """Stand in where nobody wants to know."""
