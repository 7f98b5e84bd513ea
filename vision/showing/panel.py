"""The score panel: laid out, placed where the table is empty or beside the picture, drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np

from vision.showing.canvas import Box, Canvas, broken_text, text_width
from vision.showing.glyphs import draw_badge, draw_crown, draw_round, draw_swatch
from vision.showing.style import AMBER, BEAMS, GOLD, INK, MIST, WHITE, AnnotateSettings, side_style
from vision.showing.words import ScoreRow, score_heads, score_rows
from vision.texts import Texts
from vision.values.arrays import ImageBGR, Points
from vision.values.ledger import Ledger
from vision.values.verdict import Verdict

__all__ = [
    "PanelContent",
    "PanelPlace",
    "find_place",
    "lay_panel",
    "paint_panel",
    "panel_box",
    "panel_content",
]

_UNIT = 0.0118  # of the picture's width; a total is 3.1 of it: 15 px on a picture 400 px wide
_SCALES = (1.3, 1.15, 1.0, 0.9, 0.8, 0.7)
_GRID = 200  # cells over the longer side of the picture, to search for room
_ROW, _HEAD, _PAD = 3.7, 2.2, 0.8
_NOTE, _NOTE_LINE, _NOTE_TEXT = 0.7, 2.0, 1.6  # of the note: its rim, a line, its text
_COLUMN = 4.5
_WORD = 3.7  # most of it that a heading takes: the total's is as near to the last column
_NAME, _NAME_ROOM = 1.85, 6.4  # size of a name, and its room beside a badge
_STRIP_CELL, _STRIP_COLUMN = 14.5, 4.6  # a cell holds three columns
_STRIP_HEIGHT, _STRIP_LOW = 8.4, 5.8
_LEGEND, _LEGEND_WIDTH, _SWATCH = 2.3, 21.0, 2.6  # its height, its width, a line in it
_GROUND = (37, 27, 22)

PanelLayout = Literal["list", "strip"]


@dataclass(frozen=True, slots=True)
class PanelContent:
    """What the panel says: a row per side, best first, and a note if anything is in doubt.

    ``heads`` name the columns, the large one last. The note says what is open about the winner, or
    what else could change.
    ``legend`` is what the strengths of beams are called, whose lines are then shown; a game whose
    beams are all alike has no word for it.
    """

    rows: tuple[ScoreRow, ...]
    heads: tuple[str, ...]
    note: str
    texts: Texts
    legend: str = ""


@dataclass(frozen=True, slots=True)
class PanelPlace:
    """Where the panel stands: its corner and unit in px, and whether that is on the picture."""

    layout: PanelLayout
    left: float
    top: float
    unit: float
    on_picture: bool


def panel_content(ledger: Ledger, over: Verdict, texts: Texts) -> PanelContent | None:
    """Put the scores in order; None if there are none. ``over`` is the verdict of the round."""
    rows = tuple(score_rows(ledger, over.winners))
    if not rows:
        return None
    note = texts.tell(over.said) if over.is_open or over.details else ""
    heads = tuple(score_heads(ledger, texts))
    return PanelContent(rows, heads, note, texts, texts.say("picture.strength"))


def _size(content: PanelContent, layout: PanelLayout) -> tuple[float, float]:
    """Return width and height of the panel in its units."""
    columns = len(content.heads) - 1
    if layout == "strip":
        width, height = _cell(content) * len(content.rows), _strip_height(content)
    else:
        width = _width(content) + columns * _COLUMN
        height = _HEAD + _ROW * len(content.rows) + 2 * _PAD
    height += _LEGEND if content.legend else 0.0
    return width, height + _note_height(_note_lines(content, width))


def _note_lines(content: PanelContent, width: float) -> list[str]:
    """Break the note into lines, given the width of the panel in units."""
    if not content.note:
        return []
    fine = 40  # px a unit: widths are told in whole pixels
    room = fine * (width - 3.2)
    return broken_text(content.note, room, fine * _NOTE_TEXT, bold=True)


def _note_height(lines: Sequence[str]) -> float:
    """Return the height of the note in units, its rim below included."""
    return 2 * _NOTE + _NOTE_LINE * len(lines) if lines else 0.0


def _strip_height(content: PanelContent) -> float:
    """Return the height of the strip without its note, in units: no columns, no row of them."""
    return _STRIP_HEIGHT if len(content.heads) > 1 else _STRIP_LOW


def _width(content: PanelContent) -> float:
    """Return the width of the list without its columns, in units: long names get more room."""
    names = [content.texts.tell(row.side.name) for row in content.rows]
    longest = max(text_width(name, 40 * _NAME) / 40 for name in names)
    return 17.8 + max(longest - _NAME_ROOM, 0.0)


def _cell(content: PanelContent) -> float:
    """Return the width of one side's cell in the strip, in units."""
    return _STRIP_CELL + _STRIP_COLUMN * max(len(content.heads) - 4, 0)


def lay_panel(
    content: PanelContent,
    size_wh: tuple[int, int],
    taken: Sequence[Points],
    settings: AnnotateSettings,
) -> PanelPlace:
    """Find the largest panel that covers nothing; failing that, a strip below the picture.

    Parameters
    ----------
    content : PanelContent
        What it will say.
    size_wh : (int, int)
        The picture's size in px.
    taken : sequence of (N, 2) float64
        Polygons in px that must stay free: cards, beams, marks.
    settings : AnnotateSettings
        How small it may get.
    """
    usual = _UNIT * size_wh[0]
    layouts: tuple[PanelLayout, ...] = ("list", "strip")
    for scale in _SCALES:
        if scale < settings.panel_min:
            break
        for layout in layouts:
            unit = usual * scale
            width, height = (side * unit for side in _size(content, layout))
            corner = find_place((width, height), size_wh, taken, gap_px=unit)
            if corner is not None:
                return PanelPlace(layout, corner[0], corner[1], unit, on_picture=True)
    width, _ = _size(content, "strip")
    unit = min(usual * 1.15, size_wh[0] * 0.97 / width)
    return PanelPlace(
        "strip", (size_wh[0] - width * unit) / 2, size_wh[1] + unit, unit, on_picture=False
    )


def find_place(
    panel_wh: tuple[float, float],
    size_wh: tuple[int, int],
    taken: Sequence[Points],
    *,
    gap_px: float,
) -> tuple[float, float] | None:
    """Find the top left corner of a free rectangle, as near to the picture's rim as can be.

    Parameters
    ----------
    panel_wh : (float, float)
        Size of the rectangle in px.
    size_wh : (int, int)
        Size of the picture in px.
    taken : sequence of (N, 2) float64
        Polygons that it may not touch.
    gap_px : float
        Space to leave around them and to the rim.

    Returns
    -------
    (float, float) or None
        The corner; None if there is no such place.
    """
    cell = max(size_wh) / _GRID
    grid_wh = int(np.ceil(size_wh[0] / cell)), int(np.ceil(size_wh[1] / cell))
    used = np.zeros((grid_wh[1], grid_wh[0]), np.uint8)
    # A polygon is drawn with an edge of two cells, so that every cell that it touches is used.
    edge = 2 * int(np.ceil(gap_px / cell)) + 2
    for polygon in taken:
        fixed = np.round(np.clip(polygon / cell - 0.5, -1e4, 1e4) * 16).astype(np.int32)
        cv2.fillPoly(used, [fixed], 1, cv2.LINE_8, 4)
        cv2.polylines(used, [fixed], True, 1, edge, cv2.LINE_8, 4)
    need_w = int(np.ceil((panel_wh[0] + 2 * gap_px) / cell))
    need_h = int(np.ceil((panel_wh[1] + 2 * gap_px) / cell))
    if need_w > grid_wh[0] or need_h > grid_wh[1]:
        return None
    total = cv2.integral(used)
    sums = (
        total[need_h:, need_w:]
        - total[:-need_h, need_w:]
        - total[need_h:, :-need_w]
        + total[:-need_h, :-need_w]
    )
    rows, columns = np.nonzero(sums == 0)
    if len(rows) == 0:
        return None
    across = np.minimum(columns, grid_wh[0] - need_w - columns)
    down = np.minimum(rows, grid_wh[1] - need_h - rows)
    best = int(np.argmin(across + down + 1e-3 * rows))
    x, y = columns[best] * cell + gap_px, rows[best] * cell + gap_px
    x = min(x, size_wh[0] - panel_wh[0] - gap_px)  # the last cell may reach over the rim
    y = min(y, size_wh[1] - panel_wh[1] - gap_px)
    return float(x), float(y)


def panel_box(content: PanelContent, place: PanelPlace) -> Box:
    """Return the panel's rectangle in px."""
    width, height = _size(content, place.layout)
    return (
        place.left,
        place.top,
        place.left + width * place.unit,
        place.top + height * place.unit,
    )


def paint_panel(image: ImageBGR, content: PanelContent, place: PanelPlace) -> ImageBGR:
    """Draw the panel; on the image itself, or on a new and taller one if it stands below."""
    box = panel_box(content, place)
    if not place.on_picture:
        ground = np.full(
            (round(box[3] + place.unit) - image.shape[0], image.shape[1], 3), 0, np.uint8
        )
        ground[:] = _GROUND
        image = np.vstack([image, ground])
    canvas = Canvas(image)
    edge = (AMBER, 0.28 * place.unit) if content.note else ((96, 84, 74), 0.14 * place.unit)
    draw_round(canvas, box, 1.1 * place.unit, INK, 0.88 if place.on_picture else 1.0, edge)
    if place.layout == "list":
        _paint_list(canvas, content, place)
    else:
        _paint_strip(canvas, content, place)
    _paint_legend(canvas, content, box, place.unit)
    if content.note:
        _paint_note(canvas, content, box, place.unit)
    return image


def _paint_legend(canvas: Canvas, content: PanelContent, box: Box, u: float) -> None:
    """Draw a line of each strength with its number, over the note."""
    if not content.legend:
        return
    width = (box[2] - box[0]) / u
    v = u * min(1.0, width / _LEGEND_WIDTH)
    y = box[3] - (_note_height(_note_lines(content, width)) + _LEGEND / 2) * u
    word = text_width(content.legend, 1.5 * v)
    whole = word + len(BEAMS) * (_SWATCH + 2.2) * v
    x = (box[0] + box[2] - whole) / 2
    canvas.text(content.legend, (x, y), 1.5 * v, MIST, align=0)
    x += word + v
    for strength, style in BEAMS.items():
        line = np.array([[x, y], [x + _SWATCH * v, y]])
        draw_swatch(canvas, line, style, 1.1 * v)
        canvas.text(str(strength), (x + (_SWATCH + 0.6) * v, y), 1.6 * v, WHITE, align=0)
        x += (_SWATCH + 2.2) * v


def _paint_note(canvas: Canvas, content: PanelContent, box: Box, u: float) -> None:
    lines = _note_lines(content, (box[2] - box[0]) / u)
    top = box[3] - (_note_height(lines) - 0.1) * u
    plate = (box[0] + 0.6 * u, top, box[2] - 0.6 * u, box[3] - 0.6 * u)
    draw_round(canvas, plate, 0.6 * u, AMBER, 1.0)
    middle, first = (box[0] + box[2]) / 2, top + (box[3] - 0.6 * u - top) / 2
    for k, line in enumerate(lines):
        y = first + (k - (len(lines) - 1) / 2) * _NOTE_LINE * u
        size = _NOTE_TEXT * u
        canvas.text(line, (middle, y), size, INK, bold=True)


def _paint_list(canvas: Canvas, content: PanelContent, place: PanelPlace) -> None:
    u = place.unit
    left, top, right, _ = panel_box(content, place)
    *heads, total = content.heads
    count = len(heads)
    columns = [right - (8.6 + (count - 1 - k) * _COLUMN) * u for k in range(count)]
    y = top + (_PAD + _HEAD / 2) * u
    for word, x in zip(heads, columns, strict=True):
        size = min(1.5, 1.5 * _WORD * u / max(text_width(word, 1.5 * u), 1.0)) * u
        canvas.text(word, (x, y), size, MIST)
    canvas.text(total, (right - 4.6 * u, y), 1.5 * u, MIST)
    for k, row in enumerate(content.rows):
        y = top + (_PAD + _HEAD + (k + 0.5) * _ROW) * u
        if row.wins:
            plate = (left + 0.5 * u, y - 1.75 * u, right - 0.5 * u, y + 1.75 * u)
            draw_round(canvas, plate, 0.8 * u, GOLD, 0.2)
        draw_badge(canvas, (left + 2.5 * u, y), 1.3 * u, side_style(row.side))
        canvas.text(
            content.texts.tell(row.side.name), (left + 4.6 * u, y), _NAME * u, WHITE, align=0
        )
        for number, x in zip(row.numbers, columns, strict=True):
            canvas.text(str(number), (x, y), 2.0 * u, WHITE if number else MIST)
        colour = GOLD if row.wins else WHITE
        canvas.text(str(row.large), (right - 4.6 * u, y), 2.8 * u, colour, bold=True)
        if row.wins:
            draw_crown(canvas, (right - 1.8 * u, y), 0.85 * u)


def _paint_strip(canvas: Canvas, content: PanelContent, place: PanelPlace) -> None:
    u = place.unit
    left, top, _, _ = panel_box(content, place)
    cell, heads = _cell(content), content.heads[:-1]
    for k, row in enumerate(content.rows):
        x = left + (k + 0.5) * cell * u
        y = top + 2.9 * u
        if row.wins:
            half = cell / 2 - 0.5
            foot = top + (_strip_height(content) - 0.5) * u
            plate = (x - half * u, top + 0.5 * u, x + half * u, foot)
            draw_round(canvas, plate, 0.8 * u, GOLD, 0.2)
        total = str(row.large)
        wide = text_width(total, 3.4 * u, bold=True)
        crown = 2.6 * u if row.wins else 0.0
        start = x - (3.6 * u + wide + crown) / 2
        draw_badge(canvas, (start + 1.5 * u, y), 1.4 * u, side_style(row.side))
        colour = GOLD if row.wins else WHITE
        canvas.text(total, (start + 3.6 * u, y), 3.4 * u, colour, bold=True, align=0)
        if row.wins:
            draw_crown(canvas, (start + 3.6 * u + wide + 1.5 * u, y), 0.95 * u)
        for j, (word, number) in enumerate(zip(heads, row.numbers, strict=True)):
            column = x + (j - (len(heads) - 1) / 2) * _STRIP_COLUMN * u
            canvas.text(str(number), (column, top + 5.5 * u), 1.75 * u, WHITE if number else MIST)
            size = min(1.25, 1.25 * 4.3 * u / max(text_width(word, 1.25 * u), 1.0)) * u
            canvas.text(word, (column, top + 7.25 * u), size, MIST)
