"""Ledger -> a film of the round: the steps one after the other, paths growing, then what they did.

A film is a GIF, a WebP or, with the extra ``video``, an MP4.
"""

import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory
from typing import Literal, TypeAlias, cast, get_args

import numpy as np
from PIL import Image

from vision.imaging.photo import shrink_image
from vision.showing.beams import part_of
from vision.showing.overlay import annotate_photo
from vision.showing.style import AnnotateSettings
from vision.showing.zoom import zoomed, zoomed_issues
from vision.values.arrays import ImageBGR, Points
from vision.values.layout import Camera
from vision.values.ledger import Cross, Event, Ledger, LedgerStep, Mark, Outline, Path, Tally
from vision.values.messages import Issue

__all__ = ["FilmKind", "FilmSettings", "as_film_kind", "can_film", "draw_film", "frames_of"]

FilmKind: TypeAlias = Literal["gif", "webp", "mp4"]
_FPS = 20  # of an MP4; its frames are held by being repeated


@dataclass(frozen=True, slots=True)
class FilmSettings:
    """What may be chosen about a film."""

    #: The longer side at most, in px: sharp on a phone, light enough for a messenger.
    side_px: int = 900
    #: The shares of a step's paths that its first frames show: three are seen as a movement.
    growth: tuple[float, ...] = (0.3, 0.65, 1.0)
    #: How long a frame of a movement stands, in ms: a step is fired in less than half a second.
    frame_ms: int = 130
    #: How long what a step did stands, in ms: long enough for the score to be read.
    hold_ms: int = 900
    #: How long the end stands, in ms: it is what one wanted to know.
    end_ms: int = 3500


def as_film_kind(kind: str) -> FilmKind:
    """Return a kind of film by its name.

    Raises
    ------
    ValueError
        If there is no such kind.
    """
    for known in get_args(FilmKind):
        if kind == known:
            return cast(FilmKind, known)
    msg = f"film: expected one of {', '.join(get_args(FilmKind))}, got {kind!r}"
    raise ValueError(msg)


def can_film() -> bool:
    """Tell whether MP4 can be written here: it needs the extra ``video``."""
    return find_spec("av") is not None


def draw_film(
    photo: ImageBGR,
    camera: Camera,
    ledger: Ledger,
    kind: FilmKind,
    *,
    issues: Sequence[Issue] = (),
    settings: AnnotateSettings | None = None,
) -> bytes:
    """Draw a round as a film.

    Parameters
    ----------
    photo : (H, W, 3) uint8
        The upright picture; it is made smaller where that is enough.
    camera : Camera
        How the table plane shows in it.
    ledger : Ledger
        What the game tells.
    kind : str
        ``gif``, ``webp`` or ``mp4``.
    issues : sequence of Issue
        Doubts of the reading, in px of the picture as it is given; the end shows them.
    settings : AnnotateSettings, optional
        What may be chosen about the overlay.

    Returns
    -------
    bytes
        The file; it holds no metadata.
    """
    film = FilmSettings()
    small = shrink_image(photo, film.side_px)
    scale = small.shape[1] / photo.shape[1]
    near, doubts = zoomed(camera, scale), zoomed_issues(issues, scale)
    told = list(frames_of(ledger, film))
    last = len(told) - 1
    # The score stands below in all frames: where the table has room for it changes as it is played.
    drawn = replace(settings or AnnotateSettings(), panel_min=math.inf)
    frames = [
        annotate_photo(small, near, shown, issues=doubts if k == last else (), settings=drawn)
        for k, (shown, _) in enumerate(told)
    ]
    durations = [duration for _, duration in told]
    height = max(frame.shape[0] for frame in frames)
    padded = [np.pad(f, ((0, height - f.shape[0]), (0, 0), (0, 0))) for f in frames]
    if kind == "mp4":
        return _write_mp4(padded, durations)
    pictures = [Image.fromarray(np.ascontiguousarray(f[:, :, ::-1])) for f in padded]
    return (_write_gif if kind == "gif" else _write_webp)(pictures, durations)


def frames_of(ledger: Ledger, film: FilmSettings) -> Iterator[tuple[Ledger, int]]:
    """Return what each frame shows, as a ledger of its own, and how long it stands in ms.

    Nobody has won and nothing is in doubt before the end, which shows both.
    """
    quiet = replace(ledger, doubts=(), odds=None, winners=(), steps=())
    outlines = {piece.id: piece.outline_mm for piece in ledger.pieces}
    yield quiet, film.hold_ms
    past: tuple[LedgerStep, ...] = ()
    tally = ledger.opening
    for step in ledger.steps:
        for share in film.growth:
            growing = _lit(_growing(step, share, tally), outlines)
            yield replace(quiet, steps=(*past, growing)), film.frame_ms
        yield replace(quiet, steps=(*past, _lit(step, outlines))), film.hold_ms
        past = (*past, replace(step, events=tuple(_past(event) for event in step.events)))
        tally = step.tally
    yield ledger, film.end_ms


def _past(event: Event) -> Event:
    """Return an event of an earlier step: what it did stays, not what moved."""
    crosses = tuple(mark for mark in event.marks if isinstance(mark, Cross))
    return replace(event, marks=crosses, closeness=None, ruled=False)


def _lit(step: LedgerStep, outlines: Mapping[str, Points]) -> LedgerStep:
    """Return a step in which those who act, and send something over the table, are lit."""
    events = []
    for event in step.events:
        acts = event.pieces[:1] if any(isinstance(mark, Path) for mark in event.marks) else ()
        lights = tuple(Outline(outlines[name], lit=True) for name in acts if name in outlines)
        events.append(replace(event, marks=(*lights, *event.marks)))
    return replace(step, events=tuple(events))


def _growing(step: LedgerStep, share: float, before: Tally) -> LedgerStep:
    """Return a step whose paths are under way; nothing has come of them yet."""
    return replace(step, events=tuple(_under_way(e, share) for e in step.events), tally=before)


def _under_way(event: Event, share: float) -> Event:
    if share >= 1:
        return replace(event, marks=tuple(m for m in event.marks if not isinstance(m, Cross)))
    marks: tuple[Mark, ...] = tuple(
        replace(mark, points_mm=part_of(mark.points_mm, 0.0, share), fades=True)
        for mark in event.marks
        if isinstance(mark, Path)
    )
    return replace(event, marks=marks, closeness=None, ruled=False)


def _write_gif(pictures: list[Image.Image], durations_ms: list[int]) -> bytes:
    out = io.BytesIO()
    shared = pictures[-1].quantize(255, Image.Quantize.MEDIANCUT)
    flat = [p.quantize(palette=shared, dither=Image.Dither.NONE) for p in pictures]
    flat[0].save(out, "GIF", save_all=True, append_images=flat[1:], duration=durations_ms, loop=0)
    return out.getvalue()


def _write_webp(pictures: list[Image.Image], durations_ms: list[int]) -> bytes:
    out = io.BytesIO()
    first, *more = pictures
    times = {"duration": durations_ms, "loop": 0}
    first.save(out, "WEBP", save_all=True, append_images=more, quality=70, method=2, **times)
    return out.getvalue()


def _write_mp4(frames: list[ImageBGR], durations_ms: list[int]) -> bytes:
    """Write frames as H.264 in MP4."""
    av = import_module("av")
    height, width = frames[0].shape[:2]
    odd = (0, height % 2), (0, width % 2), (0, 0)  # H.264 halves the colours
    with TemporaryDirectory() as folder:
        place = FilePath(folder) / "film.mp4"  # its index goes to the front, by a second pass
        with av.open(str(place), "w", options={"movflags": "+faststart"}) as film:
            stream = film.add_stream("libx264", rate=_FPS, options={"preset": "veryfast"})
            stream.width, stream.height = width + width % 2, height + height % 2
            stream.pix_fmt = "yuv420p"
            for frame, duration_ms in zip(frames, durations_ms, strict=True):
                even = np.ascontiguousarray(np.pad(frame, odd, mode="edge"))
                for _ in range(max(1, round(duration_ms * _FPS / 1000))):
                    film.mux(stream.encode(av.VideoFrame.from_ndarray(even, format="bgr24")))
            film.mux(stream.encode())
        return place.read_bytes()
