"""scan_photo(): from the bytes of a photo to the settled round; the order of things, no more."""

import time
from collections.abc import Callable
from dataclasses import replace

from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import (
    NO_GAME,
    Deck,
    Resolution,
    RuleOptions,
    TableObject,
    TableState,
)
from vision.imaging.photo import DecodeLimits, Photo, decode_photo
from vision.seeing.reading import read_cards
from vision.seeing.reading_pictures import read_pictures
from vision.values.pieces import Faces
from vision.values.scan import Scan

__all__ = ["scan_photo"]


def scan_photo(
    encoded: bytes,
    *,
    deck: Deck,
    bank: Faces,
    rules: RuleOptions | None = None,
    objects: tuple[TableObject, ...] = (),
    progress: Callable[[str], None] | None = None,
    limits: DecodeLimits | None = None,
) -> tuple[Scan, Photo]:
    """Read a photo and resolve the round on it.

    Parameters
    ----------
    encoded : bytes
        A JPEG, PNG or WebP file.
    deck : Deck
        What the cards do.
    bank : Faces
        What the cards look like: drawn by the program, or learned from pictures.
    rules : RuleOptions, optional
        The variants played.
    objects : tuple of TableObject
        Things on the table that are no cards, in the scan's table frame.
    progress : callable, optional
        Told the name of each stage as it begins; a stage may come twice.
    limits : DecodeLimits, optional
        What is refused before it is decoded.

    Returns
    -------
    scan : Scan
        What was seen, and the resolution; an empty one, and no game, if the deck has no lasers.
    photo : Photo
        The upright photo, to draw on.

    Raises
    ------
    ImageDecodeError, ImageSizeError
        If the photo cannot be used.
    TableNotFoundError
        If no card can be read.
    """
    tell = progress or _tell_nobody
    tell("decode")
    start = time.perf_counter()
    photo = decode_photo(encoded, limits)
    timings = {"decode": (time.perf_counter() - start) * 1000}
    seen = (read_cards if bank.frames else read_pictures)(photo, bank, progress=tell)
    timings |= seen.timings_ms
    tell("resolve")
    start = time.perf_counter()
    cards, joint = seen.placement.cards, seen.placement.joint_covariance
    table = TableState(cards, objects, rules or RuleOptions(), deck=deck.name)
    if deck.ships:
        resolution = resolve(table, deck, joint_covariance=joint)
    else:  # a deck of pictures alone: where its cards lie is all there is to say
        table = replace(table, game=NO_GAME)
        resolution = Resolution((), {}, ())
    timings["resolve"] = (time.perf_counter() - start) * 1000
    height, width = photo.image.shape[:2]
    scan = Scan(
        width,
        height,
        seen.placement.camera,
        seen.placement,
        seen.readings,
        seen.corners_px,
        table,
        resolution,
        (*seen.issues, *resolution.issues),
        timings,
    )
    return scan, photo


def _tell_nobody(_: str) -> None:
    """Stand in where nobody wants to know."""
