"""Photo -> scan: ``read(task) -> result``, pure and picklable.

What every worker runs, of the server, of a batch, here or on another machine: plain values in,
plain values out, nothing written. Heavy imports wait until a photo is read.
"""

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from vision.imaging.photo import DecodeLimits
    from vision.judging.game import Game
    from vision.values.arrays import ImageBGR
    from vision.values.scan import Scan

__all__ = ["Read", "ReadResult", "ReadTask", "Tell", "keep_scan", "read"]

_VIEW_QUALITY = 86


@dataclass(frozen=True, slots=True)
class ReadTask:
    """A photo to be read.

    ``photo`` is its address or its bytes, ``deck`` the name of a deck of the program or of a
    learned one in ``decks`` (None: the user's own folder), ``game`` that of the game; either may
    be left out. ``options`` are those of the game, in the form of a table file. ``view_px`` is the
    long side of the picture that is kept, 0 for none.
    """

    photo: Path | bytes
    deck: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    decks: Path | None = None
    view_px: int = 0
    limits: "DecodeLimits | None" = None
    game: str | None = None


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A photo read: ``document`` is ``sightline/scan@1`` as text.

    ``joint`` is the joint covariance of its pieces (.npy), ``view`` the upright picture (JPEG).
    """

    document: str
    joint: bytes = b""
    view: bytes = b""


Tell: TypeAlias = Callable[[str], None]
Read: TypeAlias = Callable[[ReadTask, Tell], ReadResult]


def read(task: ReadTask, tell: Tell | None = None) -> ReadResult:
    """Read a photo.

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
    """
    from vision.apps.decks import look_up
    from vision.judging.options import options_from_json
    from vision.pipeline import scan

    tell = tell or _tell_nobody
    tell("prepare")
    known, sight = look_up(task.deck, task.game, task.decks)
    encoded = task.photo.read_bytes() if isinstance(task.photo, Path) else task.photo
    game = known.game
    options: Any = options_from_json(game.options, task.options)
    seen, (photo,) = scan(encoded, game, sight, options=options, progress=tell, limits=task.limits)
    tell("picture")
    return keep_scan(seen, game, photo.image, task.view_px)


def keep_scan(scan: "Scan", game: "Game", image: "ImageBGR", view_px: int) -> ReadResult:
    """Return what is kept of a scan and its upright picture."""
    import numpy as np

    from vision.files.scans import scan_to_json
    from vision.imaging.photo import encode_image, shrink_image

    joint = io.BytesIO()
    np.save(joint, scan.layout.joint_covariance, allow_pickle=False)
    view = encode_image(shrink_image(image, view_px), ".jpg", _VIEW_QUALITY) if view_px else b""
    return ReadResult(json.dumps(scan_to_json(scan, game), allow_nan=False), joint.getvalue(), view)


def _tell_nobody(_: str) -> None:
    """Stand in where nobody wants to know."""
