"""Table file or notation -> what is kept of a round that nobody photographed.

Its picture is the table from above, drawn with the pieces of its game.
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vision.apps.decks import Known, draw_faces, known_of_table
from vision.apps.reading import ReadResult, keep_scan
from vision.apps.server.rounds.rounds import tell
from vision.errors import TableFormatError
from vision.files.documents import decode
from vision.files.layouts import covariance_from_json
from vision.imaging.photo import encode_image
from vision.showing.above import draw_bare, table_camera
from vision.showing.style import AnnotateSettings
from vision.texts import texts
from vision.values.arrays import FloatArray, ImageBGR
from vision.values.layout import Camera, Layout, Placed
from vision.values.ledger import Ledger, PieceView
from vision.values.scan import Scan

__all__ = ["Typed", "draw_position", "keep_table", "keep_typed"]

Json = dict[str, Any]
_WIDTH_PX = 2000
_FACE_PX_PER_MM = 6.0  # of pieces that are drawn: a little more than the picture shows
_QUALITY = 92
_BOARD_MARGIN_MM = 12.0  # around a board nothing lies; small squares are hard to tap
_MOST_PIECES = 200  # four decks, as of a table that is only resolved


@dataclass(frozen=True, slots=True)
class Typed:
    """A table as a round: of which game, what is kept of it, and its picture (JPEG)."""

    known: Known
    result: ReadResult
    picture: bytes


def keep_typed(encoded: bytes, store: Path | None, view_px: int) -> Typed:
    """Read a table and draw it.

    Raises
    ------
    TableFormatError
        If the table has mistakes, or more pieces than a round has.
    """
    text = decode(encoded)
    known = known_of_table(text, store)
    return keep_table(known, known.game.read(text), view_px)


def keep_table(known: Known, table: Any, view_px: int) -> Typed:
    """Draw a table, and return what is kept of it."""
    game = known.game
    outcome = game.resolve(table)
    ledger = tell(game, table, outcome)
    image, camera = draw_position(known, ledger, _WIDTH_PX)
    height, width = image.shape[:2]
    placed = tuple(_placed(p, camera) for p in ledger.pieces if p.kind != "thing")
    if len(placed) > _MOST_PIECES:
        msg = f"{len(placed)} pieces; at most {_MOST_PIECES} make a round here"
        raise TableFormatError(msg)
    joint = _joint(game.write(table), len(placed))
    layout = Layout(placed, joint, camera, (width, height))
    scan = Scan(game.name, (layout,), table, outcome, ledger, {})
    result = keep_scan(scan, game, image, view_px)
    return Typed(known, result, encode_image(image, ".jpg", _QUALITY))


def draw_position(known: Known, ledger: Ledger, width_px: int) -> tuple[ImageBGR, Camera]:
    """Draw what lies on a table from above, before anything happens."""
    has_board = any(piece.kind == "board" for piece in ledger.pieces)
    margin = {"margin_mm": _BOARD_MARGIN_MM} if has_board else {}
    camera, size_wh = table_camera(ledger, width_px, **margin)
    faces = draw_faces(known, ledger.pieces, _FACE_PX_PER_MM)
    settings = AnnotateSettings(texts=texts("en", known.game.texts))
    return draw_bare(ledger, camera, size_wh, faces=faces, settings=settings), camera


def _placed(piece: PieceView, camera: Camera) -> Placed:
    """Return a piece as if it had been seen, exactly where it is said to lie."""
    outline = piece.outline_mm
    x, y = (float(c) for c in outline.mean(axis=0))
    top = outline[:2].mean(axis=0)
    drawn = math.atan2(top[0] - x, y - top[1]) if len(outline) == 4 else 0.0
    px = outline @ camera.photo_from_table[:2, :2].T + camera.photo_from_table[:2, 2]
    return Placed(
        spot=piece.spot or piece.id,
        piece=piece.id,
        x_mm=x,
        y_mm=y,
        theta_rad=drawn if piece.theta_rad is None else piece.theta_rad,
        covariance=np.zeros((3, 3)),
        outline_px=px,
        score=1.0,
        kind=piece.kind,
    )


def _joint(written: Json, count: int) -> FloatArray:
    """Return how well the pieces are known together: as the table says, else exactly."""
    cards = written.get("cards", ())
    joint = np.zeros((3 * count, 3 * count))
    for k, card in enumerate(cards):
        if card.get("covariance") is not None:
            part = slice(3 * k, 3 * k + 3)
            joint[part, part] = covariance_from_json(card["covariance"])
    return joint
