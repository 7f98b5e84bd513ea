"""A game -> its pieces as pictures, and how they are put on paper: by its own art."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from calibration.art.drawing import Disc, Polygon, Shape
from calibration.art.paint import paint_raster
from calibration.sheets import write_sheets
from vision.errors import DeckError
from vision.files.whole import write_atomically
from vision.values.pieces import PieceSet

if TYPE_CHECKING:
    from vision.judging.game import Game

__all__ = ["Art", "art_of", "print_pieces", "write_pictures"]

_MM_PER_INCH = 25.4
_FLAT = ("card", "board", "sheet", "token")  # what can be printed


@dataclass(frozen=True, slots=True)
class Art:
    """What draws the pieces of a game.

    ``faces`` are the names of all faces with their sizes, mm; ``pieces`` are what is cut out of
    paper, their sides the names of faces; ``shapes`` draws a face in its own frame, mm, in the
    order to paint.
    """

    faces: Mapping[str, tuple[float, float]]
    pieces: PieceSet
    shapes: Callable[[str], Sequence[Shape]]


def art_of(game: "Game") -> Art:
    """Find what draws a game's pieces.

    It is the module that the pieces name, or ``calibration.GAME.art``. That offers ``art_of(game)``
    or, if each piece has one face, ``shapes(piece)``.

    Raises
    ------
    DeckError
        If there is no such module, or it offers neither.
    """
    name = game.pieces.art.partition(":")[0] or f"calibration.{game.name.replace('-', '_')}.art"
    try:
        is_there = find_spec(name) is not None
    except ModuleNotFoundError:  # nor its folder
        is_there = False
    module: Any = import_module(name) if is_there else None
    if hasattr(module, "art_of"):
        found: Art = module.art_of(game)
        return found
    if not hasattr(module, "shapes"):
        msg = f"{game.pieces.name}: its pieces come without art that could be printed"
        raise DeckError(msg)
    flat = game.pieces.of_kind(*_FLAT)
    pieces = tuple(replace(piece, sides=(piece.id,)) for piece in flat)
    faces = {piece.id: piece.size_mm for piece in flat}
    return Art(faces, PieceSet(game.pieces.name, pieces), module.shapes)


def write_pictures(art: Art, folder: Path, *, dpi: float = 300) -> list[Path]:
    """Write one PNG per face, ``NAME.png``, cut to the piece's edge, with its resolution in it.

    Tokens are round or have six sides: what lies beyond their edge is transparent.

    Parameters
    ----------
    art : Art
        What draws them.
    folder : Path
        Made if it is not there; a file of the same name is replaced in one go or not at all.
    dpi : float
        Dots per inch.

    Returns
    -------
    list of Path
        The files, in the order of the faces.
    """
    folder.mkdir(parents=True, exist_ok=True)
    outlines = {side: piece.shape for piece in art.pieces.of_kind("token") for side in piece.sides}
    written = []
    for face, size_mm in art.faces.items():
        image = paint_raster(art.shapes(face), size_mm, dpi / _MM_PER_INCH)[:, :, ::-1]
        if face in outlines:
            image = np.dstack([image, _inside(outlines[face], size_mm, dpi / _MM_PER_INCH)])
        png = io.BytesIO()
        Image.fromarray(image).save(png, format="PNG", dpi=(dpi, dpi))
        path = folder / f"{face}.png"
        write_atomically(path, png.getvalue())
        written.append(path)
    return written


def _inside(
    shape: Literal["disc", "hexagon"], size_mm: tuple[float, float], px_per_mm: float
) -> NDArray[np.uint8]:
    """Return how much of each pixel (H, W) lies within a token's outline, 0 to 255."""
    outline: Shape = Disc((0.0, 0.0), min(size_mm) / 2, (0, 0, 0))
    if shape == "hexagon":
        wide, high = size_mm[0] / 2, size_mm[1] / 2
        right = ((wide, 0.0), (wide / 2, high), (-wide / 2, high))
        outline = Polygon((*right, *((-x, -y) for x, y in right)), (0, 0, 0))
    share = 255 - paint_raster([outline], size_mm, px_per_mm)
    return np.asarray(share[:, :, 0])


def print_pieces(
    art: Art,
    path: Path,
    paper: Literal["a4", "letter", "a3", "a2"] = "a4",
    *,
    backs: bool = False,
) -> int:
    """Write print-and-play sheets; see :func:`calibration.sheets.write_sheets`."""
    return write_sheets(art.pieces, lambda _, side: art.shapes(side), path, paper, backs=backs)
