"""The faces of a deck, drawn once: kept in the user's cache, for half a second goes into them."""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.light_speed.looks import build_bank
from vision._version import __version__
from vision.files.whole import atomic_path
from vision.games.light_speed.values import Deck
from vision.values.pieces import Faces

__all__ = ["drawn_bank"]


def drawn_bank(deck: Deck, folder: Path) -> Faces:
    """Return the faces of a deck; a file that cannot be read or written costs the time alone.

    Parameters
    ----------
    deck : Deck
        The deck.
    folder : Path
        Where drawn faces are kept: one file a deck, of what was drawn last.
    """
    name = sha256(deck.name.encode()).hexdigest()[:8]
    file = folder / f"{name}-{_digest(deck)}.npy"
    try:
        return build_bank(deck, images=np.load(file, allow_pickle=False))
    except (OSError, ValueError, EOFError):
        bank = build_bank(deck)
    _keep(file, bank.images, name)
    return bank


def _digest(deck: Deck) -> str:
    """Return what the pictures hang on: the deck, how they are drawn, and what draws them."""
    told = sha256(repr((deck, __version__, cv2.__version__, np.__version__)).encode())
    drawing = Path(build_bank.__code__.co_filename).parent
    for source in sorted([*drawing.glob("*.py"), *(drawing.parent / "art").glob("*.py")]):
        told.update(source.read_bytes())
    return told.hexdigest()[:16]


def _keep(file: Path, images: NDArray[np.uint8], name: str) -> None:
    """Write a file whole or not at all, in place of the deck's others."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(file) as fresh:
            np.save(fresh, images, allow_pickle=False)
            for old in file.parent.glob(f"{name}-*.npy"):
                old.unlink(missing_ok=True)
