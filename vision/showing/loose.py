"""Marks of no path: outlines, words on plates, bursts and badges where they are."""

import numpy as np

from vision.geometry import photo_from_table
from vision.showing.canvas import Box, Canvas, dashes, text_width
from vision.showing.cards import draw_cross
from vision.showing.glyphs import draw_round
from vision.showing.marks import draw_mark
from vision.showing.scene import Scene
from vision.showing.style import AMBER, GOLD, INK, SCENERY, WHITE
from vision.values.ledger import Badge, Burst, Cross, Outline, Tag

__all__ = ["draw_loose", "loose_boxes"]

_SIZE = 1.2  # units; of the words on a plate
_REACH = 1.3  # units; from the middle of a burst or badge to its rim


def draw_loose(canvas: Canvas, scene: Scene) -> None:
    """Draw the marks that stand by themselves, in the order of the events."""
    for mark in scene.loose:
        match mark:
            case Outline():
                _draw_outline(canvas, mark, scene)
            case Cross():
                draw_cross(canvas, photo_from_table(scene.camera, mark.points_mm), scene.unit)
            case Tag():
                _draw_plate(canvas, mark, scene)
            case Burst() | Badge():
                draw_mark(canvas, mark, _place(mark.at_mm, scene), scene)


def loose_boxes(scene: Scene) -> list[Box]:
    """Return what bursts and badges of no path take of the picture: no words may hide them."""
    reach = _REACH * scene.unit
    places = [_place(m.at_mm, scene) for m in scene.loose if isinstance(m, Burst | Badge)]
    return [(x - reach, y - reach, x + reach, y + reach) for x, y in places]


def _place(at_mm: tuple[float, float], scene: Scene) -> tuple[float, float]:
    x, y = photo_from_table(scene.camera, np.array([at_mm]))[0]
    return float(x), float(y)


def _draw_outline(canvas: Canvas, mark: Outline, scene: Scene) -> None:
    """Draw an outline in its side's colour; dashed in amber if in doubt, glowing if lit."""
    line, unit = photo_from_table(scene.camera, mark.points_mm), scene.unit
    if mark.doubt:
        for dash in dashes(line, 1.1 * unit, 0.75 * unit, closed=True):
            canvas.cased(dash, 0.3 * unit, AMBER, 0.1 * unit)
        return
    if mark.lit:
        canvas.stroke(line, 1.5 * unit, WHITE, 0.45, closed=True)
        canvas.cased(line, 0.55 * unit, GOLD, 0.12 * unit, closed=True)
        return
    colour = scene.colour_of(mark.side, SCENERY)
    canvas.cased(line, 0.4 * unit, colour, 0.11 * unit, closed=True)


def _draw_plate(canvas: Canvas, mark: Tag, scene: Scene) -> None:
    """Write a few words on a plate edged in the colour of a side."""
    unit, words = scene.unit, scene.texts.tell(mark.text)
    (x, y), size = _place(mark.at_mm, scene), _SIZE * scene.unit
    half = text_width(words, size, bold=True) / 2 + 0.6 * unit
    edge = scene.colour_of(mark.side, WHITE)
    box = (x - half, y - 0.95 * unit, x + half, y + 0.95 * unit)
    draw_round(canvas, box, 0.5 * unit, INK, 0.85, (edge, max(0.14 * unit, 1.0)))
    canvas.text(words, (x, y), size, WHITE, bold=True)
