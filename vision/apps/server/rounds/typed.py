"""A table that was typed, or that follows a round -> a round of its own, drawn from above."""

import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vision.apps.decks import known_of_table, lasting_name
from vision.apps.known import Known, draw_faces
from vision.apps.reading import ReadResult, keep_scan
from vision.apps.server.problems import NO_EVENING, Problem
from vision.apps.server.rounds.following import carry_on
from vision.apps.server.rounds.played import PlayedRounds, Round, tell
from vision.apps.server.storage import Kept, NewScan, Scan, new_id
from vision.errors import TableFormatError
from vision.files.documents import decode
from vision.files.headlines import resolution_to_json
from vision.files.layouts import covariance_from_json
from vision.imaging.photo import encode_image
from vision.showing.above import draw_bare, table_camera
from vision.showing.style import AnnotateSettings
from vision.texts import texts
from vision.values.arrays import FloatArray, ImageBGR
from vision.values.layout import Camera, Layout, Placed
from vision.values.ledger import Ledger, PieceView
from vision.values.scan import Scan as SeenScan
from vision.values.verdict import judge

__all__ = ["TypedRounds", "resolve_document"]

_NEXT_PX = 1600  # width of the picture of what is to be set up
_MOST_CARDS = 200  # four decks: half a second of a server that serves others too
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


class TypedRounds:
    """Rounds that nobody photographed."""

    def __init__(self, played: PlayedRounds) -> None:
        self.played, self.settings = played, played.settings

    def lay(self, encoded: bytes, name: str, evening: str | None) -> str:
        """Make a round of a table file or notation; return its id.

        Raises
        ------
        TableFormatError
            If the table has mistakes.
        """
        typed = keep_typed(encoded, self.settings.decks, self.settings.view_px)
        return self._enter(typed, name, evening)

    def go_on(self, scan: Scan) -> str:
        """Make a round of what lies there after another; return its id.

        Raises
        ------
        Problem
            409 if nothing follows.
        """
        round_ = self.played.get(scan)
        table = self._following(round_)
        own = (side for side, _ in self.played.careers.points(scan))
        # their points are said by the careers, whenever they are asked for
        table = round_.game.enlist(table, dict.fromkeys(own))
        typed = keep_table(round_.known, table, self.settings.view_px)
        return self._enter(typed, scan.name, scan.evening)

    def picture_of_next(self, scan: Scan) -> bytes:
        """Draw what is to be set up after a round, from above (PNG).

        Raises
        ------
        Problem
            409 if nothing follows.
        """
        round_ = self.played.get(scan)
        game, table = round_.game, self._following(round_)
        ledger = tell(game, table, game.resolve(table))
        image, _ = draw_position(round_.known, ledger, _NEXT_PX)
        return encode_image(image, ".png")

    def _following(self, round_: Round) -> Any:
        table = round_.game.next_table(round_.table, round_.outcome)
        if table is None:
            detail = "there is no next position: the game is over"
            if judge(round_.ledger, round_.issues).is_open:
                detail = "as read, this round ends the game; resolve its doubts first"
            raise Problem(409, "nothing_follows", detail)
        return table

    def _enter(self, typed: Typed, name: str, evening: str | None) -> str:
        if evening is not None and self.played.records.evenings.find(evening) is None:
            raise Problem(404, "not_found", NO_EVENING)
        put, result = self.played.objects.put, typed.result
        new = NewScan(
            id=new_id(),
            photo=put(typed.picture),
            deck=lasting_name(typed.known, self.settings.decks),
            rules=json.dumps(json.loads(result.document)["table"].get("rules", {})),
            created=time.time(),
            name=name,
            evening=evening,
            game=typed.known.game.name,
        )
        kept = Kept(result.document, put(result.view), put(result.joint))
        self.played.records.scans.add_read(new, kept)
        carry_on(self.played, new.id)
        return new.id


# --- a table that is only resolved ---------------------------------------------------------------


def resolve_document(encoded: bytes, store: Path | None = None) -> dict[str, Any]:
    """Resolve a table, ``sightline/table@1`` or notation; return ``sightline/resolution@1``.

    The game is the one that the table names; ``store`` is the folder of learned decks.

    Raises
    ------
    TableFormatError
        If the table has mistakes, too many cards, or numbers too large to be resolved.
    """
    text = decode(encoded)
    game = known_of_table(text, store).game
    table = game.read(text)
    if len(game.write(table).get("cards", ())) > _MOST_CARDS:
        msg = f"cards: at most {_MOST_CARDS} are resolved here"
        raise TableFormatError(msg)
    outcome = game.resolve(table)
    ledger = game.tell(table, outcome)
    document = resolution_to_json(outcome, ledger, ledger.weigh(ledger.doubts), game) or {}
    if not _is_finite(document):
        msg = "the table's numbers are too large to resolve"
        raise TableFormatError(msg)
    return document


def _is_finite(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_finite(v) for v in value.values())
    if isinstance(value, list):
        return all(_is_finite(v) for v in value)
    return not isinstance(value, float) or math.isfinite(value)


# --- what is kept of a round that nobody photographed --------------------------------------------
# Its picture is the table from above, drawn with the pieces of its game.


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
    scan = SeenScan(game.name, (layout,), table, outcome, ledger, {})
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
