"""Pictures of pieces and their features, computed once and kept in the user's cache."""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from zipfile import BadZipFile
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.looks import draw_faces, draw_looks
from vision._version import __version__
from vision.errors import CalibrationError
from vision.files.whole import atomic_path, remove_abandoned
from vision.values.pieces import Faces, Looks, PieceSet

if TYPE_CHECKING:
    from vision.games.light_speed.values import Deck

__all__ = ["drawn_bank", "drawn_faces", "drawn_looks", "prepared_detector"]


class _IsPrepared(Protocol):
    """A detector and what it computed of the pictures."""

    @property
    def prepared(self) -> Mapping[str, NDArray[Any]]: ...


Drawn = TypeVar("Drawn")
Prepared = TypeVar("Prepared", bound=_IsPrepared)
Pictures = Mapping[str, NDArray[Any]]

_SHARED_ART = Path(__file__).parent / "art"  # what all games draw with


def drawn_bank(deck: "Deck", folder: Path) -> Faces:
    """Return the faces of a Light Speed deck; a file that cannot be used costs the time alone.

    Parameters
    ----------
    deck : Deck
        The deck.
    folder : Path
        Where pictures are kept: one file a deck or set, of what was drawn last.
    """
    from calibration.light_speed.looks import build_bank

    file = _file(folder, "deck", deck.name, deck, build_bank.__module__)
    return _drawn(
        file,
        lambda kept: build_bank(deck, images=None if kept is None else kept["faces"]),
        lambda bank: {"faces": bank.images},
    )


def drawn_faces(pieces: PieceSet, folder: Path) -> Faces:
    """Return the faces of a set's cards, as :func:`calibration.looks.draw_faces` does.

    Raises
    ------
    CalibrationError
        If it has no cards, or nothing that draws them.
    """
    file = _file(folder, "faces", pieces.name, pieces, pieces.art)
    return _drawn(
        file,
        lambda kept: draw_faces(pieces, images=None if kept is None else kept["faces"]),
        lambda faces: {"faces": faces.images},
    )


def drawn_looks(pieces: PieceSet, folder: Path) -> Looks:
    """Return boards, sheets and tokens of a set, as :func:`calibration.looks.draw_looks` does."""
    file = _file(folder, "looks", pieces.name, pieces, pieces.art)
    return _drawn(file, lambda kept: draw_looks(pieces, art=kept), lambda looks: looks.art)


def prepared_detector(looks: Looks, folder: Path, build: Callable[[Looks], Prepared]) -> Prepared:
    """Build the detector of a set; what it computes of the pictures is kept beside them."""
    pieces = looks.pieces
    makers = (pieces.art, build.__module__, "vision.imaging.view")
    shown = [
        (name, crc32(np.ascontiguousarray(art).data)) for name, art in sorted(looks.art.items())
    ]
    file = _file(folder, "prepared", pieces.name, pieces, *makers, pictures=shown)

    def prepare(kept: Pictures | None) -> Prepared:
        detector = build(looks if kept is None else replace(looks, prepared=kept))
        if kept is not None and kept.keys() != detector.prepared.keys():
            msg = "the kept features are not those of the set"
            raise ValueError(msg)
        return detector

    return _drawn(file, prepare, lambda detector: detector.prepared)


def _drawn(
    file: Path,
    draw: Callable[[Pictures | None], Drawn],
    pictures_of: Callable[[Drawn], Pictures],
) -> Drawn:
    """Return what ``draw`` makes of the kept pictures; given None it draws, and those are kept."""
    with suppress(KeyError, ValueError):
        return draw(_read(file))
    drawn = draw(None)
    _keep(file, pictures_of(drawn))
    return drawn


def _file(
    folder: Path,
    kind: str,
    name: str,
    pieces: "Deck | PieceSet",
    *makers: str,
    pictures: Sequence[tuple[str, int]] = (),
) -> Path:
    """Return where arrays are kept; the name holds all that they hang on.

    That is the set, the pictures, the version, what makes them (the folders of modules), and by
    what.

    Raises
    ------
    CalibrationError
        If a module that makes them is not found.
    """
    versions = (__version__, cv2.__version__, np.__version__)
    told = sha256(repr((pieces, pictures, *versions)).encode())
    sources = {*_SHARED_ART.glob("*.py"), *Path(__file__).parent.glob("*.py")}
    for maker in makers:
        sources.update(_source_of(maker.partition(":")[0] or __name__).parent.glob("*.py"))
    for source in sorted(sources):
        told.update(source.read_bytes())
    ids = tuple(p.id for p in pieces.pieces) if isinstance(pieces, PieceSet) else ()
    own = sha256(repr((name, kind, ids)).encode()).hexdigest()[:8]
    return folder / f"{own}-{told.hexdigest()[:16]}.npz"


def _source_of(module: str) -> Path:
    """Return the file of a module, which is not imported: it draws seldom.

    Raises
    ------
    CalibrationError
        If there is no such module, or it has no file.
    """
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        with suppress(ImportError, ValueError):
            found = find_spec(module)
            file = None if found is None else found.origin
    if file is None:
        msg = f"found no file of the module {module}, which draws; needed one: check its name"
        raise CalibrationError(msg)
    return Path(file)


def _read(file: Path) -> Pictures:
    """Read the pictures of a file.

    Raises
    ------
    ValueError
        If there is no such file, or it cannot be read.
    """
    try:
        with file.open("rb") as opened, np.load(opened, allow_pickle=False) as kept:
            return {name: kept[name] for name in kept.files}
    except (OSError, EOFError, AttributeError, MemoryError, RuntimeError, BadZipFile) as error:
        raise ValueError(str(error)) from error


def _keep(file: Path, pictures: Pictures) -> None:
    """Write a file whole or not at all, in place of the set's older ones."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(file) as fresh:
            with fresh.open("wb") as out:
                np.savez(out, allow_pickle=False, **pictures)
            for old in file.parent.glob(f"{file.name.partition('-')[0]}-*.np[yz]"):
                old.unlink(missing_ok=True)
        remove_abandoned(file.parent)
