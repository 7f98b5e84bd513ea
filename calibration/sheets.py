"""Print-and-play sheets: a PDF of the cards at true size, with cut marks and a ruler to check."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from reportlab.pdfgen.canvas import Canvas

from calibration.art.paint import paint_pdf
from calibration.files import write_whole
from calibration.light_speed.faces import face_shapes
from vision.errors import DeckError
from vision.games.light_speed.deck import SHIP_BACK, card_ids
from vision.games.light_speed.values import Deck

__all__ = ["PAPERS", "write_sheets"]

PAPERS: dict[str, tuple[float, float]] = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}

_POINTS_PER_MM = 72 / 25.4
_SIDE_MM = 8.0  # cut marks, and what printers leave white
_HEAD_MM = 13.0  # above and below: the ruler and a line of text too
_MARK_MM = (1.0, 5.0)  # a cut mark runs from and to this far outside the cards
_RULER_MM = 100
_RULER_ABOVE_MM = 6.5  # from the cards to the ruler's line, clear of the cut marks
_SMALL_PT = 7.0
_LINE_MM = 0.15
_PDF_VERSION = (1, 7)  # 1.6 brought the wish not to be scaled, 1.7 that for both sides


@dataclass(frozen=True, slots=True)
class _Layout:
    """A page of cards in a block in its middle, mm from its lower left corner, y up."""

    page_wh: tuple[float, float]
    card_wh: tuple[float, float]
    columns: int
    rows: int

    @property
    def count(self) -> int:
        return self.columns * self.rows

    @property
    def lower_left(self) -> tuple[float, float]:
        return (
            (self.page_wh[0] - self.columns * self.card_wh[0]) / 2,
            (self.page_wh[1] - self.rows * self.card_wh[1]) / 2,
        )

    @property
    def upper_right(self) -> tuple[float, float]:
        left, bottom = self.lower_left
        return self.page_wh[0] - left, self.page_wh[1] - bottom

    def centre(self, index: int, *, mirrored: bool = False) -> tuple[float, float]:
        """Return where a card's centre goes; mirrored for the back of a page."""
        row, column = divmod(index, self.columns)
        if mirrored:
            column = self.columns - 1 - column
        left, top = self.lower_left[0], self.upper_right[1]
        return left + (column + 0.5) * self.card_wh[0], top - (row + 0.5) * self.card_wh[1]


def write_sheets(
    deck: Deck,
    path: Path,
    paper: Literal["a4", "letter"] = "a4",
    *,
    backs: bool = False,
) -> int:
    """Write the sheets as a PDF; the same deck gives the same bytes.

    Parameters
    ----------
    deck : Deck
        The deck.
    path : Path
        The file, replaced in one go.
    paper : {'a4', 'letter'}
        The paper; the page is turned whichever way holds more cards.
    backs : bool
        False: the fronts of all cards and the asteroids' backs, for printing on one side. True:
        after each page of fronts a page of their backs, mirrored, for printing on both sides.

    Returns
    -------
    int
        The number of pages.

    Raises
    ------
    DeckError
        If not one card fits on the paper.
    ValueError
        If the paper is not known.
    """
    layout = _fit(deck, paper)
    fronts = [i for i in card_ids(deck) if i != SHIP_BACK and not _is_back(deck, i)]
    asteroid_backs = [i for i in card_ids(deck) if _is_back(deck, i)]
    cards = fronts if backs else [*fronts, *asteroid_backs]
    sheets = [cards[i : i + layout.count] for i in range(0, len(cards), layout.count)]
    buffer = io.BytesIO()
    page_points = tuple(side * _POINTS_PER_MM for side in layout.page_wh)
    canvas = Canvas(
        buffer, pagesize=page_points, invariant=1, pageCompression=1, pdfVersion=_PDF_VERSION
    )
    _describe(canvas, deck, layout, backs=backs)
    for number, sheet in enumerate(sheets, 1):
        _draw_cards(canvas, deck, layout, sheet)
        _draw_marks(canvas, layout, len(sheet))
        _draw_head(canvas, deck, layout, f"sheet {number} of {len(sheets)}", ruler=number == 1)
        canvas.showPage()
        if backs:
            own = [f"{i}-back" if i in deck.asteroids else SHIP_BACK for i in sheet]
            _draw_cards(canvas, deck, layout, own, mirrored=True)
            canvas.showPage()
    canvas.save()
    write_whole(path, buffer.getvalue())
    return len(sheets) * (2 if backs else 1)


def _is_back(deck: Deck, card_id: str) -> bool:
    return card_id.removesuffix("-back") in deck.asteroids and card_id not in deck.asteroids


def _fit(deck: Deck, paper: str) -> _Layout:
    if paper not in PAPERS:
        msg = f"paper: expected one of {', '.join(PAPERS)}, got {paper!r}"
        raise ValueError(msg)
    width, height = PAPERS[paper]
    card = (deck.width_mm, deck.height_mm)
    layouts = [
        _Layout(
            page,
            card,
            int((page[0] - 2 * _SIDE_MM) // card[0]),
            int((page[1] - 2 * _HEAD_MM) // card[1]),
        )
        for page in ((width, height), (height, width))
    ]
    best = max(layouts, key=lambda layout: layout.count)
    if best.count < 1:
        msg = f"deck {deck.name}: a card of {card[0]:g} x {card[1]:g} mm does not fit on {paper}"
        raise DeckError(msg)
    return best


def _describe(canvas: Any, deck: Deck, layout: _Layout, *, backs: bool) -> None:
    canvas.setTitle(f"{deck.name}: cards to print")
    canvas.setAuthor("Sightline")
    canvas.setSubject("Print at 100 %, on paper of the size given")
    canvas.setCreator("Sightline")
    canvas.setViewerPreference("PrintScaling", "None")
    if backs:
        upright = layout.page_wh[1] > layout.page_wh[0]
        canvas.setViewerPreference(
            "Duplex", "DuplexFlipLongEdge" if upright else "DuplexFlipShortEdge"
        )


def _draw_cards(
    canvas: Any, deck: Deck, layout: _Layout, cards: Sequence[str], *, mirrored: bool = False
) -> None:
    for index, card_id in enumerate(cards):
        centre = layout.centre(index, mirrored=mirrored)
        paint_pdf(canvas, face_shapes(deck, card_id), centre)


def _draw_marks(canvas: Any, layout: _Layout, count: int) -> None:
    """Draw a short line outside the block of cards at each end of each cut."""
    near, far = _MARK_MM
    columns, rows = min(count, layout.columns), -(-count // layout.columns)
    left, top = layout.lower_left[0], layout.upper_right[1]
    right, bottom = left + columns * layout.card_wh[0], top - rows * layout.card_wh[1]
    lines = []
    for column in range(columns + 1):
        x = left + column * layout.card_wh[0]
        lines += [(x, top + near, x, top + far), (x, bottom - near, x, bottom - far)]
    for row in range(rows + 1):
        y = top - row * layout.card_wh[1]
        lines += [(left - near, y, left - far, y), (right + near, y, right + far, y)]
    _draw_lines(canvas, lines)


def _draw_head(canvas: Any, deck: Deck, layout: _Layout, sheet: str, *, ruler: bool) -> None:
    """Write above the cards what the page is and how to print it; on the first page the ruler."""
    x, y = layout.lower_left[0], layout.upper_right[1] + _RULER_ABOVE_MM
    size = f"{deck.width_mm:g} x {deck.height_mm:g} mm"
    canvas.setFillGray(0)
    canvas.setFont("Helvetica", _SMALL_PT)
    if ruler:
        lines = [(x, y, x + _RULER_MM, y)]
        for mm in range(0, _RULER_MM + 1, 5):
            tick = 2.6 if mm % 50 == 0 else 1.8 if mm % 10 == 0 else 1.0
            lines.append((x + mm, y, x + mm, y + tick))
        _draw_lines(canvas, lines)
        _write(canvas, x + 1, y + 3.0, "this line is 100 mm long on a good print")
        x += _RULER_MM + 4
    _write(canvas, x, y + 3.0, f"{deck.name}, {sheet}; each card {size}")
    _write(canvas, x, y + 0.2, "Print at 100 % (actual size), not “fit to page”.")


def _write(canvas: Any, x: float, y: float, text: str) -> None:
    canvas.drawString(x * _POINTS_PER_MM, y * _POINTS_PER_MM, text)


def _draw_lines(canvas: Any, lines: Sequence[tuple[float, float, float, float]]) -> None:
    canvas.setStrokeGray(0)
    canvas.setLineWidth(_LINE_MM * _POINTS_PER_MM)
    canvas.setLineCap(0)
    canvas.lines([tuple(value * _POINTS_PER_MM for value in line) for line in lines])
