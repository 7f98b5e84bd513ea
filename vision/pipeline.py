"""scan(): from the bytes of photos to the settled round; the order of things, no more."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vision.errors import TableNotFoundError
from vision.imaging.photo import DecodeLimits, Photo, decode_photo
from vision.imaging.view import View
from vision.judging.game import Game
from vision.judging.play import play
from vision.seeing.detector import AnyDetector, Detector
from vision.seeing.reading import read_layout
from vision.texts import make_issue, texts
from vision.values.layout import Layout
from vision.values.messages import Issue, message
from vision.values.scan import Scan

__all__ = ["scan"]


def scan(
    photos: bytes | Sequence[bytes],
    game: Game,
    detector: AnyDetector,
    *,
    options: Any = None,
    progress: Callable[[str], None] | None = None,
    limits: DecodeLimits | None = None,
) -> tuple[Scan, tuple[Photo, ...]]:
    """Read the photos of a table and play the round on it.

    Parameters
    ----------
    photos : bytes or sequence of bytes
        JPEG, PNG or WebP files: one, or as many as the game takes: of cards several of one table,
        of a game with boards and sheets as many as its table is spread over.
    game : Game
        What is played.
    detector : Detector, PieceDetector or TableDetector
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
        The upright photos, to draw on, as the scan's layouts: what shows a board is first. Several
        photos of cards make one layout, in the first of them; the others follow.

    Raises
    ------
    ImageDecodeError, ImageSizeError
        If a photo cannot be used.
    TableNotFoundError
        If nothing can be read, or photos of cards are of different tables.
    ValueError
        If the game's table is not spread over so many photos.
    """
    encoded = [photos] if isinstance(photos, bytes) else list(photos)
    if not 1 <= len(encoded) <= game.most_photos:
        msg = f"photos: expected 1 to {game.most_photos} for {game.name}, got {len(encoded)}"
        raise ValueError(msg)
    tell = progress or _tell_nobody
    timings = {"decode": 0.0}
    seen, missed = _read(encoded, detector, timings, tell, limits)
    if not seen or any(error.is_near for _, error in missed):
        raise _told(missed)
    seen, joined = _joined(seen, detector)
    seen.sort(key=lambda one: _board_share(one.layout), reverse=True)
    tell("resolve")
    played = play(_layouts(seen, missed), game, options, timings)
    every = (*seen, *joined)
    order = tuple(one.number - 1 for one in every)
    return replace(played, photos=order), tuple(one.photo for one in every)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """What a photo shows, and which it is of those that were given, from 1."""

    number: int
    layout: Layout
    photo: Photo


def _read(
    encoded: Sequence[bytes],
    detector: AnyDetector,
    timings: dict[str, float],
    tell: Callable[[str], None],
    limits: DecodeLimits | None,
) -> tuple[list[_Seen], list[tuple[int, TableNotFoundError]]]:
    """Read photos, adding to the timings; of several, those that show nothing and why.

    Raises
    ------
    TableNotFoundError
        If the only photo shows nothing.
    """
    seen: list[_Seen] = []
    missed: list[tuple[int, TableNotFoundError]] = []
    for number, one in enumerate(encoded, start=1):
        tell("decode")
        start = time.perf_counter()
        photo = decode_photo(one, limits)
        timings["decode"] += (time.perf_counter() - start) * 1000
        try:
            layout = read_layout(photo, detector, progress=tell)
        except TableNotFoundError as error:
            if len(encoded) == 1:
                raise
            missed.append((number, error))
            continue
        for stage, ms in layout.timings_ms.items():
            timings[stage] = timings.get(stage, 0.0) + ms
        seen.append(_Seen(number, layout, photo))
    return seen, missed


def _joined(seen: list[_Seen], detector: AnyDetector) -> tuple[list[_Seen], list[_Seen]]:
    """Make one layout of several photos of cards, that of the first; others stay as they are.

    Returned besides are the photos that went into it.
    """
    if len(seen) < 2 or not isinstance(detector, Detector):
        return seen, []
    from vision.seeing.multiview.fusion import fuse_layouts  # of several photos alone

    views = [View(one.photo.image) for one in seen]
    numbers = [one.number for one in seen]
    joined = fuse_layouts([one.layout for one in seen], views, detector.faces, numbers)
    return [replace(seen[0], layout=joined)], seen[1:]


def _told(missed: Sequence[tuple[int, TableNotFoundError]]) -> TableNotFoundError:
    """Return why nothing can be played, of several photos: the one that was nearly read first."""
    number, error = min(missed, key=lambda one: (not one[1].is_near, one[0]))
    said = None if error.said is None else message("error.of_photo", n=number, why=error.said)
    return TableNotFoundError(f"photo {number}: {error}", is_near=error.is_near, said=said)


def _layouts(
    seen: Sequence[_Seen], missed: Sequence[tuple[int, TableNotFoundError]]
) -> list[Layout]:
    """Return what each photo shows; the first tells of those that show nothing.

    Doubts of the others have no place, as theirs is not in the picture of the round: their words
    say which photo it is in.
    """
    lost = tuple(
        make_issue("photo_unread", "issue.photo_unread", (), n=number, why=error.said or str(error))
        for number, error in missed
    )
    first, *others = seen
    placeless = (
        replace(
            one.layout,
            doubts=tuple(_elsewhere(doubt, one.number) for doubt in one.layout.doubts),
        )
        for one in others
    )
    return [replace(first.layout, doubts=(*lost, *first.layout.doubts)), *placeless]


def _elsewhere(doubt: Issue, number: int) -> Issue:
    """Return a doubt of another photo than that of the picture, which its words then name."""
    if doubt.at_px is None:
        return doubt
    said = message("issue.of_photo", n=number, said=doubt.said or doubt.message)
    return replace(doubt, message=texts().tell(said), said=said, at_px=None)


def _board_share(layout: Layout) -> float:
    """Return how much of a photo shows of a board: 0 where there is none, as of cards."""
    return max((one.score for one in layout.placed if one.kind == "board"), default=0.0)


def _tell_nobody(_: str) -> None:
    """Stand in where nobody wants to know."""
