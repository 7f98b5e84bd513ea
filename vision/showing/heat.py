"""Where a piece would have been worth most: a heat map over the photo, in its perspective."""

from typing import NamedTuple

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import photo_from_table
from vision.showing.canvas import Canvas, cap_height, dashes, text_width
from vision.showing.cards import draw_card_ground, draw_thing_ground
from vision.showing.scene import Scene, build_scene
from vision.showing.style import INK, NEUTRAL, WHITE, AnnotateSettings, Colour
from vision.showing.tags import draw_tag, lay_tags
from vision.values.arrays import ImageBGR, Points
from vision.values.heat import HeatMap
from vision.values.layout import Camera
from vision.values.ledger import Ledger

__all__ = ["HeatLook", "draw_best", "draw_heat", "draw_heat_map", "heat_colour", "worth_text"]

#: From little to much: no colour of a side, a beam or a doubt, and lighter as it is worth more.
_COLD, _HOT = (140, 20, 90), (240, 130, 255)
_SHARE = 0.94  # of a cell that is filled: the grid shows
_FAINT, _STRONG = 0.42, 0.82  # opacity of the least and the most that is shown
_UNDER = 0.55  # of the opacity: what lies under a whole round must not hide it
_TEXT_SHARE = 0.36  # of a cell's side in the picture: height of its number
_TITLE_SHARE = 0.03  # height of the line above, of the picture's width
_LEGIBLE_PX = 9.0  # of a number: a smaller one is left out, but for the best place


class HeatLook(NamedTuple):
    """How a cell looks: its colour and opacity."""

    colour: Colour
    alpha: float


def heat_colour(worth: float, most: float) -> HeatLook:
    """Return how a place looks that is worth so much, of a map whose best is worth ``most``."""
    share = float(np.clip(worth / most, 0.0, 1.0)) if most > 0 else 0.0
    b, g, r = (round(a + share * (z - a)) for a, z in zip(_COLD, _HOT, strict=True))
    return HeatLook((b, g, r), _FAINT + share * (_STRONG - _FAINT))


def worth_text(worth: float) -> str:
    """Return what a place is worth as it is written: ``+3``."""
    return f"+{round(worth)}"


def draw_heat_map(
    photo: ImageBGR,
    camera: Camera,
    ledger: Ledger,
    heat: HeatMap,
    settings: AnnotateSettings | None = None,
) -> ImageBGR:
    """Draw a heat map over its photo, with the pieces as they lie, and say whose it is above.

    Parameters
    ----------
    photo : (H, W, 3) uint8
        The upright picture; it is not changed.
    camera : Camera
        How the table plane shows in it.
    ledger : Ledger
        What the game tells of the round.
    heat : HeatMap
        Of which piece.
    settings : AnnotateSettings, optional
        For the words and sizes.

    Returns
    -------
    (H', W, 3) uint8
        A new picture: the photo below a line of words.
    """
    settings = settings or AnnotateSettings()
    size_wh = int(photo.shape[1]), int(photo.shape[0])
    scene = build_scene(camera, ledger, size_wh, settings)
    canvas = Canvas(np.array(photo, dtype=np.uint8, order="C"))
    draw_heat(canvas, camera, heat, is_numbered=True)
    for view in scene.things:
        draw_thing_ground(canvas, view, scene.unit)
    for view in scene.cards:
        draw_card_ground(canvas, view, scene.unit)
    for tag in lay_tags(scene, []):
        draw_tag(canvas, tag, scene)
    draw_best(canvas, scene, heat)
    titles = {piece.id: settings.texts.tell(piece.title) for piece in ledger.pieces}
    key = "heat.title" if heat.most else "heat.none"
    words = settings.texts.say(key, piece=titles.get(heat.piece, heat.piece), n=heat.most)
    return _below(words, canvas.image)


def _below(words: str, picture: ImageBGR) -> ImageBGR:
    """Return a picture below a line of words, as large as the line fits."""
    width = picture.shape[1]
    size = _TITLE_SHARE * width
    while size > 4 and text_width(words, size, bold=True) > 0.96 * width:
        size *= 0.95
    band = np.full((round(2.4 * cap_height(size)), width, 3), INK, np.uint8)
    title = Canvas(band)
    title.text(words, (0.02 * width, band.shape[0] / 2), size, WHITE, bold=True, align=0)
    return np.asarray(np.vstack([title.image, picture]), np.uint8)


def draw_heat(canvas: Canvas, camera: Camera, heat: HeatMap, *, is_numbered: bool = False) -> None:
    """Draw the places that are worth something, if asked each with its number."""
    gains = np.flatnonzero(heat.worth > 0)
    most = heat.most
    for k in gains[np.argsort(heat.worth[gains], kind="stable")]:
        cell = _in_photo(camera, _cell(heat.places_mm[k], heat.cell_mm))
        if cell is None:
            continue
        worth = float(heat.worth[k])
        colour, alpha = heat_colour(worth, most)
        canvas.fill(cell, colour, alpha if is_numbered else _UNDER * alpha)
        size = _TEXT_SHARE * float(np.hypot(*(cell[1] - cell[0])))
        if is_numbered and (size >= _LEGIBLE_PX or worth == most):
            x, y = cell.mean(axis=0)
            canvas.text(worth_text(worth), (float(x), float(y)), size, WHITE, bold=True)


def draw_best(canvas: Canvas, scene: Scene, heat: HeatMap) -> None:
    """Draw the piece's outline at its best place, dashed in its side's colour, and its name."""
    camera, unit, colour = scene.camera, scene.unit, scene.colour_of(heat.side, NEUTRAL)
    outline = _in_photo(camera, heat.best_mm) if len(heat.best_mm) else None
    if outline is None:
        return
    canvas.fill(outline, INK, 0.35)
    canvas.stroke(outline, 0.7 * unit, INK, 0.8, closed=True)
    for dash in dashes(outline, 1.6 * unit, 0.9 * unit, closed=True):
        canvas.stroke(dash, 0.45 * unit, colour)
    top = (outline[0] + outline[1]) / 2  # its own upper edge: which way it looks
    middle = outline.mean(axis=0)
    tip, foot = top + 0.12 * (middle - top), middle + 0.35 * (top - middle)
    side = 0.2 * (outline[1] - outline[0])
    canvas.fill(np.array([tip, foot + side, foot - side]), colour)
    size = 1.9 * unit
    label = [scene.texts.tell(one.label) for one in scene.ledger.pieces if one.id == heat.piece]
    text = " ".join([*label, worth_text(heat.most)])
    at = middle + 0.35 * (middle - top)
    half = np.array([text_width(text, size, bold=True) / 2 + 0.5 * unit, 0.75 * size])
    box = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half + at
    canvas.fill(box, INK, 0.85)
    canvas.text(text, (float(at[0]), float(at[1])), size, WHITE, bold=True)


def _cell(centre: Points, cell_mm: float) -> Points:
    half = _SHARE * cell_mm / 2
    return np.asarray(centre + half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]))


def _in_photo(camera: Camera, points_mm: Points) -> Points | None:
    """Return points of the table in the photo; None if some of them do not show there."""
    try:
        points = photo_from_table(camera, points_mm)
    except DegenerateGeometryError:
        return None
    return points if np.isfinite(points).all() else None
