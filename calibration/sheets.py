"""Pieces and their art -> print-and-play sheets: a PDF at true size, with cut marks and a ruler."""

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias

from reportlab.pdfgen.canvas import Canvas

from calibration.art.drawing import Disc, Point, Polygon, Ring, Shape, Stroke
from calibration.art.paint import paint_pdf
from vision.errors import DeckError
from vision.files.whole import write_atomically
from vision.values.pieces import Piece, PieceSet

__all__ = ["PAPERS", "Draw", "write_sheets"]

#: A piece and one of its sides -> shapes in its own frame, mm, in the order to paint them.
Draw: TypeAlias = Callable[[Piece, str], Sequence[Shape]]

PAPERS: dict[str, tuple[float, float]] = {
    "a4": (210.0, 297.0),
    "letter": (215.9, 279.4),
    "a3": (297.0, 420.0),
    "a2": (420.0, 594.0),
}

_POINTS_PER_MM = 72 / 25.4
_SIDE_MM = 8.0  # cut marks, and what printers leave white
_HEAD_MM = 13.0  # above and below: the ruler and a line of text too
_MARK_MM = (1.0, 5.0)  # a cut mark runs from and to this far outside the pieces
_RULER_MM = 100
_RULER_ABOVE_MM = 6.5  # from the pieces to the ruler's line, clear of the cut marks
_BETWEEN_MM = 26.0  # between blocks that share a page: cut marks of both, a line of text
_SMALL_PT = 7.0
_LINE_MM = 0.15
_SPLIT = ("board", "sheet")  # kinds printed to their edge, if need be from several pages
_GAP_MM = {"token": 3.0}  # between pieces that are cut out along their own outline
_PDF_VERSION = (1, 7)  # 1.6 brought the wish not to be scaled, 1.7 that for both sides


@dataclass(frozen=True, slots=True)
class _Layout:
    """A page of pieces in a block, in its middle, mm from its lower left corner, y up.

    With a gap between them they are cut out along their own outlines.
    """

    page_wh: tuple[float, float]
    piece_wh: tuple[float, float]
    columns: int
    rows: int
    gap: float = 0.0
    top: float | None = None  #: how far below the page's upper edge, if not in its middle

    @property
    def count(self) -> int:
        return self.columns * self.rows

    @property
    def pitch(self) -> tuple[float, float]:
        return self.piece_wh[0] + self.gap, self.piece_wh[1] + self.gap

    @property
    def lower_left(self) -> tuple[float, float]:
        high = self.rows * self.pitch[1]
        top = (self.page_wh[1] - high) / 2 if self.top is None else self.top
        return (self.page_wh[0] - self.columns * self.pitch[0]) / 2, self.page_wh[1] - top - high

    @property
    def upper_right(self) -> tuple[float, float]:
        left, bottom = self.lower_left
        return self.page_wh[0] - left, bottom + self.rows * self.pitch[1]

    def centre(self, index: int, *, mirrored: bool = False) -> tuple[float, float]:
        """Return where a piece's centre goes; mirrored for the back of a page."""
        row, column = divmod(index, self.columns)
        if mirrored:
            column = self.columns - 1 - column
        left, top = self.lower_left[0], self.upper_right[1]
        return left + (column + 0.5) * self.pitch[0], top - (row + 0.5) * self.pitch[1]


@dataclass(frozen=True, slots=True)
class _Sheet:
    """Sides of pieces of one size that go on one page, and what goes behind each.

    Of a piece that is larger than the page a part is printed, ``part`` (x, y) from its middle to
    that of the part, mm, y up.
    """

    layout: _Layout
    fronts: tuple[tuple[Piece, str], ...]
    kind: str
    part: tuple[float, float] | None = None

    @property
    def size(self) -> tuple[float, float]:
        return self.layout.piece_wh

    @property
    def backs(self) -> tuple[tuple[Piece, str], ...]:
        return tuple((piece, piece.sides[-1]) for piece, _ in self.fronts)


def write_sheets(
    pieces: PieceSet,
    draw: Draw,
    path: Path,
    paper: Literal["a4", "letter", "a3", "a2"] = "a4",
    *,
    backs: bool = False,
) -> int:
    """Write the sheets as a PDF; the same pieces give the same bytes.

    Parameters
    ----------
    pieces : PieceSet
        What is to be cut out; pieces of one kind and size share pages. A board or sheet that is
        larger than the paper is printed in parts.
    draw : callable
        Their art.
    path : Path
        The file, replaced in one go.
    paper : {'a4', 'letter', 'a3', 'a2'}
        The paper; a page is turned whichever way holds more pieces.
    backs : bool
        False: every side of every piece, for printing on one side: first all fronts, then the
        rest. True: after each page of fronts a page of the pieces' last sides, mirrored, for
        printing on both sides.

    Returns
    -------
    int
        The number of pages.

    Raises
    ------
    DeckError
        If a card or a token does not fit on the paper.
    ValueError
        If the paper is not known.
    """
    sheets = _lay_sheets(pieces, paper, backs=backs)
    pages = [[sheet] for sheet in sheets] if backs else _share_pages(sheets)
    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=1, pageCompression=1, pdfVersion=_PDF_VERSION)
    _describe(canvas, pieces.name, sheets, backs=backs)
    for number, page in enumerate(pages, 1):
        canvas.setPageSize(tuple(side * _POINTS_PER_MM for side in page[0].layout.page_wh))
        for sheet in page:
            _draw_sides(canvas, draw, sheet, sheet.fronts)
            _draw_marks(canvas, sheet.layout, len(sheet.fronts))
            title = f"{pieces.name}, sheet {number} of {len(pages)}; each {sheet.kind}"
            _draw_head(canvas, sheet.layout, title, ruler=number == 1 and sheet is page[0])
        canvas.showPage()
        if backs:
            _draw_sides(canvas, draw, page[0], page[0].backs, mirrored=True)
            canvas.showPage()
    canvas.save()
    write_atomically(path, buffer.getvalue())
    return len(pages) * (2 if backs else 1)


def _lay_sheets(pieces: PieceSet, paper: str, *, backs: bool) -> list[_Sheet]:
    """Lay out what is to be printed, page by page."""
    if paper not in PAPERS:
        msg = f"paper: expected one of {', '.join(PAPERS)}, got {paper!r}"
        raise ValueError(msg)
    sheets: list[_Sheet] = []
    for kind, size in dict.fromkeys((piece.kind, piece.size_mm) for piece in pieces.pieces):
        layout = _fit(size, PAPERS[paper], _GAP_MM.get(kind, 0.0))
        if layout.count < 1 and kind not in _SPLIT:
            what = f"a {kind} of {size[0]:g} x {size[1]:g} mm"
            msg = f"deck {pieces.name}: {what} does not fit on {paper}"
            raise DeckError(msg)
        alike = [p for p in pieces.pieces if (p.kind, p.size_mm) == (kind, size)]
        each = [piece for piece in alike for _ in range(piece.copies or 1)]
        sides = [(piece, piece.sides[0]) for piece in each]
        if not backs:
            sides += [(piece, side) for piece in each for side in piece.sides[1:]]
        if layout.count < 1:
            sheets += [part for side in sides for part in _split(side, PAPERS[paper])]
            continue
        sheets += [
            _Sheet(layout, tuple(sides[i : i + layout.count]), kind)
            for i in range(0, len(sides), layout.count)
        ]
    return sheets


def _share_pages(sheets: Sequence[_Sheet]) -> list[list[_Sheet]]:
    """Put what is left of a page to use: a few pieces of the next size go below, if all fit."""
    pages: list[list[_Sheet]] = []
    for k, sheet in enumerate(sheets):
        others = (*sheets[:k], *sheets[k + 1 :])
        is_alone = all((o.kind, o.size) != (sheet.kind, sheet.size) for o in others)
        below = _below(pages[-1][-1], sheet) if pages and is_alone else None
        if below is None:
            pages.append([sheet])
            continue
        pages[-1][-1] = replace(pages[-1][-1], layout=below[0])
        pages[-1].append(replace(sheet, layout=below[1]))
    return pages


def _below(above: _Sheet, sheet: _Sheet) -> tuple[_Layout, _Layout] | None:
    """Lay out a sheet below another on its page; None if they do not both fit."""
    if above.part is not None or sheet.part is not None:
        return None
    page = above.layout.page_wh
    upper = above.layout
    upper = replace(upper, rows=-(-len(above.fronts) // upper.columns), top=upper.top or _HEAD_MM)
    columns = int((page[0] - 2 * _SIDE_MM) // (sheet.layout.piece_wh[0] + sheet.layout.gap))
    columns = min(columns, len(sheet.fronts))
    rows = -(-len(sheet.fronts) // max(columns, 1))
    top = (upper.top or 0.0) + upper.rows * upper.pitch[1] + _BETWEEN_MM
    lower = replace(sheet.layout, page_wh=page, columns=columns, rows=rows, top=top)
    is_room = columns > 0 and lower.lower_left[1] >= _HEAD_MM
    return (upper, lower) if is_room else None


def _fit(piece_wh: tuple[float, float], paper_wh: tuple[float, float], gap: float) -> _Layout:
    """Return the page, upright or turned, that holds more pieces."""
    layouts = [
        _Layout(
            page,
            piece_wh,
            int((page[0] - 2 * _SIDE_MM) // (piece_wh[0] + gap)),
            int((page[1] - 2 * _HEAD_MM) // (piece_wh[1] + gap)),
            gap,
        )
        for page in (paper_wh, paper_wh[::-1])
    ]
    return max(layouts, key=lambda layout: layout.count)


def _split(side: tuple[Piece, str], paper_wh: tuple[float, float]) -> list[_Sheet]:
    """Part a side of a large piece over as few pages as it takes, all parts alike."""
    width, height = side[0].size_mm
    ways = []
    for page in (paper_wh, paper_wh[::-1]):
        columns = math.ceil(width / (page[0] - 2 * _SIDE_MM))
        rows = math.ceil(height / (page[1] - 2 * _HEAD_MM))
        ways.append((columns * rows, columns, rows, page))
    _, columns, rows, page = min(ways, key=lambda way: way[0])
    wide, high = width / columns, height / rows
    return [
        _Sheet(
            _Layout(page, (wide, high), 1, 1),
            (side,),
            f"{side[0].kind} part",
            ((column + 0.5) * wide - width / 2, height / 2 - (row + 0.5) * high),
        )
        for row in range(rows)
        for column in range(columns)
    ]


def _describe(canvas: Any, name: str, sheets: Sequence[_Sheet], *, backs: bool) -> None:
    kinds = " and ".join(dict.fromkeys(f"{sheet.kind}s" for sheet in sheets))
    canvas.setTitle(f"{name}: {kinds} to print")
    canvas.setAuthor("Sightline")
    canvas.setSubject("Print at 100 %, on paper of the size given")
    canvas.setCreator("Sightline")
    canvas.setViewerPreference("PrintScaling", "None")
    if backs and sheets:
        layout = sheets[0].layout
        upright = layout.page_wh[1] > layout.page_wh[0]
        canvas.setViewerPreference(
            "Duplex", "DuplexFlipLongEdge" if upright else "DuplexFlipShortEdge"
        )


def _draw_sides(
    canvas: Any,
    draw: Draw,
    sheet: _Sheet,
    sides: Sequence[tuple[Piece, str]],
    *,
    mirrored: bool = False,
) -> None:
    wide, high = sheet.layout.piece_wh
    right, up = sheet.part or (0.0, 0.0)
    right = -right if mirrored else right
    for index, (piece, side) in enumerate(sides):
        x, y = sheet.layout.centre(index, mirrored=mirrored)
        if piece.kind not in _SPLIT:
            paint_pdf(canvas, draw(piece, side), (x, y))
            continue
        window = canvas.beginPath()
        corner = (x - wide / 2, y - high / 2, wide, high)
        window.rect(*(value * _POINTS_PER_MM for value in corner))
        canvas.saveState()
        canvas.clipPath(window, stroke=0, fill=0)
        middle, reach = (right, -up), (wide / 2, high / 2)
        shown = [shape for shape in draw(piece, side) if _touches(shape, middle, reach)]
        paint_pdf(canvas, shown, (x - right, y - up))
        canvas.restoreState()


def _touches(shape: Shape, middle: Point, reach: Point) -> bool:
    """Tell whether a shape may reach into a box about a point, by half its sides."""
    match shape:
        case Polygon():
            points, more = shape.outline, 0.0
        case Stroke():
            points, more = shape.points, shape.width_mm
        case Disc():
            points, more = (shape.centre,), shape.radius_mm
        case Ring():
            return True
    return all(
        min(at) - more <= centre + half and max(at) + more >= centre - half
        for at, centre, half in zip(zip(*points, strict=True), middle, reach, strict=True)
    )


def _draw_marks(canvas: Any, layout: _Layout, count: int) -> None:
    """Draw a short line outside the block of pieces at each end of each cut."""
    if layout.gap:
        return
    near, far = _MARK_MM
    columns, rows = min(count, layout.columns), -(-count // layout.columns)
    left, top = layout.lower_left[0], layout.upper_right[1]
    right, bottom = left + columns * layout.piece_wh[0], top - rows * layout.piece_wh[1]
    lines = []
    for column in range(columns + 1):
        x = left + column * layout.piece_wh[0]
        lines += [(x, top + near, x, top + far), (x, bottom - near, x, bottom - far)]
    for row in range(rows + 1):
        y = top - row * layout.piece_wh[1]
        lines += [(left - near, y, left - far, y), (right + near, y, right + far, y)]
    _draw_lines(canvas, lines)


def _draw_head(canvas: Any, layout: _Layout, title: str, *, ruler: bool) -> None:
    """Write above the pieces what the page is and how to print it; on the first page the ruler."""
    x, y = layout.lower_left[0], layout.upper_right[1] + _RULER_ABOVE_MM
    size = f"{layout.piece_wh[0]:.4g} x {layout.piece_wh[1]:.4g} mm"
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
    _write(canvas, x, y + 3.0, f"{title} {size}")
    _write(canvas, x, y + 0.2, "Print at 100 % (actual size), not “fit to page”.")


def _write(canvas: Any, x: float, y: float, text: str) -> None:
    canvas.drawString(x * _POINTS_PER_MM, y * _POINTS_PER_MM, text)


def _draw_lines(canvas: Any, lines: Sequence[tuple[float, float, float, float]]) -> None:
    canvas.setStrokeGray(0)
    canvas.setLineWidth(_LINE_MM * _POINTS_PER_MM)
    canvas.setLineCap(0)
    canvas.lines([tuple(value * _POINTS_PER_MM for value in line) for line in lines])
