"""Photo -> scan: ``read(task) -> result``, pure and picklable.

What every worker runs, of the server, of a batch, here or on another machine: plain values in,
plain values out, nothing written. Heavy imports wait until a photo is read.
"""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from vision.apps.addresses import Source, content_of

if TYPE_CHECKING:
    from vision.apps.known import Known
    from vision.imaging.photo import DecodeLimits, Photo
    from vision.judging.game import Game
    from vision.seeing.detector import AnyDetector
    from vision.values.arrays import ImageBGR, Points
    from vision.values.heat import HeatMap
    from vision.values.scan import Scan

__all__ = ["Read", "ReadResult", "ReadTask", "Tell", "draw_round", "keep_scan", "read"]

_VIEW_QUALITY = 86
_PICTURE_QUALITY = 92  # thin lines and small words stay clean


@dataclass(frozen=True, slots=True)
class ReadTask:
    """A table to be read.

    ``photos`` show it: each a file, an address (``s3://bucket/key``) or its bytes. ``deck`` is the
    name of a deck of the program or of a learned one in ``decks`` (None: the user's own folder),
    ``game`` that of the game; either may be left out, and where both are the game is found out.
    ``options`` are those of the game, in the form of a table file. ``view_px`` is the long side of
    the upright picture that is kept, 0 for none; ``draws`` says whether the round is drawn on it;
    ``request`` by what the logs know it. ``finds``: deck and game are only the likeliest, asked
    first; unless all is read well the other games are asked too, without ``options``.
    """

    photos: tuple[Source, ...]
    deck: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    decks: Path | None = None
    view_px: int = 0
    limits: "DecodeLimits | None" = None
    game: str | None = None
    draws: bool = False
    request: str = ""
    finds: bool = False


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A table read: ``document`` is ``sightline/scan@1`` as text.

    ``joint`` is the joint covariance of its pieces (.npy), ``view`` the upright picture (JPEG),
    ``picture`` the same with the round drawn on it. ``order`` says which photo that is of those
    that were given, from 0, and which of them show more of the table; ``more`` are the upright
    pictures of these. ``found`` are the names of the deck and the game that lie there, where they
    were to be found out.
    """

    document: str
    joint: bytes = b""
    view: bytes = b""
    picture: bytes = b""
    order: tuple[int, ...] = (0,)
    more: tuple[bytes, ...] = ()
    found: tuple[str, str] | None = None


Tell: TypeAlias = Callable[[str], None]
Read: TypeAlias = Callable[[ReadTask, Tell], ReadResult]


def read(task: ReadTask, tell: Tell | None = None) -> ReadResult:
    """Read a table.

    Parameters
    ----------
    task : ReadTask
        What to read, and how.
    tell : callable, optional
        Told the name of each stage as it begins.

    Raises
    ------
    ScanError
        If there is no result.
    OSError
        If a photo cannot be had.
    """
    from vision.imaging.photo import encode_image

    tell = tell or _tell_nobody
    tell("prepare")
    game, found, (seen, (photo, *others)) = _see(task, tell)
    tell("picture")
    kept = keep_scan(seen, game, photo.image, task.view_px)
    more = tuple(_view(other.image, task.view_px) for other in others)
    kept = replace(kept, order=seen.photos, more=more, found=found)
    if not task.draws:
        return kept
    drawn = encode_image(
        draw_round(seen, game, photo.image, more=[one.image for one in others]),
        ".jpg",
        _PICTURE_QUALITY,
    )
    return replace(kept, picture=drawn)


def _see(
    task: ReadTask, tell: Tell
) -> "tuple[Game, tuple[str, str] | None, tuple[Scan, Sequence[Photo]]]":
    """Return the game that lies there, deck and game by name if found out, and what was read."""
    from vision.apps.decks import look_up
    from vision.apps.finding import DrawnGames, find_out, is_plain
    from vision.judging.options import options_from_json
    from vision.pipeline import scan

    encoded = [content_of(photo) for photo in task.photos]

    def read_as(
        known: "Known", detector: "AnyDetector", photo: int | None = None
    ) -> "tuple[Scan, Sequence[Photo]]":
        shown = encoded if photo is None else [encoded[photo]]
        own = task.options if likely in (None, known) else {}
        options: Any = options_from_json(known.game.options, own)
        return scan(shown, known.game, detector, options=options, progress=tell, limits=task.limits)

    is_named = task.deck is not None or task.game is not None
    likely, detector = look_up(task.deck, task.game, task.decks) if is_named else (None, None)
    found = None
    if likely is None or task.finds:
        known, seen = find_out(
            DrawnGames(),
            len(encoded),
            lambda one, photo=None: read_as(*look_up(one.name, one.game.name, task.decks), photo),
            lambda one: is_plain(one[0]),
            likely=likely,
        )
        found = (task.deck if known is likely and task.deck else known.name, known.game.name)
    else:
        assert detector is not None
        known = likely
        seen = read_as(known, detector)
    return known.game, found, seen


def keep_scan(scan: "Scan", game: "Game", image: "ImageBGR", view_px: int) -> ReadResult:
    """Return what is kept of a scan and its upright picture.

    Its issues are kept as ``said`` too: a page tells them in any language.
    """
    import numpy as np

    from vision.files.messages import message_to_json
    from vision.files.scans import scan_to_json

    joint = io.BytesIO()
    np.save(joint, scan.layout.joint_covariance, allow_pickle=False)
    told = scan_to_json(scan, game)
    for issue, written in zip(scan.issues, told["issues"], strict=True):
        if issue.said is not None:
            written["said"] = message_to_json(issue.said)
    document = json.dumps(told, allow_nan=False)
    return ReadResult(document, joint.getvalue(), _view(image, view_px))


def _view(image: "ImageBGR", view_px: int) -> bytes:
    """Return an upright picture as it is kept (JPEG), its long side of so many pixels; 0: none."""
    from vision.imaging.photo import encode_image, shrink_image

    return encode_image(shrink_image(image, view_px), ".jpg", _VIEW_QUALITY) if view_px else b""


def draw_round(
    scan: "Scan",
    game: "Game",
    image: "ImageBGR",
    language: str = "en",
    *,
    more: "Sequence[ImageBGR]" = (),
    heat: "HeatMap | None" = None,
) -> "ImageBGR":
    """Return a copy of the upright photo with the round drawn on it.

    Below it stand both places of what lies elsewhere in one of ``more`` photos. ``heat`` is what
    the places of the table would have been worth to a piece, where that is shown too.
    """
    from vision.showing.closeups import lay_strip, strip_width
    from vision.showing.overlay import annotate_photo
    from vision.showing.places import draw_places
    from vision.showing.style import AnnotateSettings
    from vision.texts import texts

    words = texts(language, game.texts)
    picture = annotate_photo(
        image,
        scan.layout.camera,
        scan.ledger,
        outlines_px=_outlines(scan),
        issues=scan.issues,
        settings=AnnotateSettings(closeups=True, texts=words, heat=heat),
    )
    numbers = [number + 1 for number in scan.photos]
    width = strip_width(image)
    places = draw_places([image, *more], numbers, scan.issues, words, width_px=width)
    return lay_strip(picture, places)


def _outlines(scan: "Scan") -> "dict[str, Points]":
    """Return the edges in the photo of all that was seen but boards, and of pieces by their ids."""
    placed, told = scan.layout.placed, {piece.id for piece in scan.ledger.pieces}
    seen = {f"seen {k}": one.outline_px for k, one in enumerate(placed) if one.kind != "board"}
    return seen | {one.piece: one.outline_px for one in placed if one.piece in told}


def _tell_nobody(_: str) -> None:
    """Stand in where nobody wants to know."""
