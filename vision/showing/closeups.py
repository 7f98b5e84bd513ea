"""Close-ups: the place that decides a contested event, cut from the photo and magnified.

Each shows the photo as it is, and thinly over it the path, the error band around it (one and two
standard deviations), the edge of the piece concerned and the point that the event hangs on.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import photo_from_table
from vision.showing.beams import is_straight
from vision.showing.canvas import Canvas, broken_text, dashes
from vision.showing.style import (
    AMBER,
    INK,
    NEUTRAL,
    SCENERY,
    WHITE,
    beam_style,
    side_style,
)
from vision.texts import Texts
from vision.values.arrays import FloatArray, ImageBGR, Points
from vision.values.layout import Camera
from vision.values.ledger import Closeness, Ledger, Path

__all__ = ["captioned", "draw_closeups", "lay_strip", "strip_width"]

_ASPECT = 0.72  # height by width of the magnified cut
_SPREAD = 9.0  # sigmas, or margins if those are larger, from the middle to the rim
_REACH_MM = (5.0, 14.0)  # from the middle to the rim, at the least and at the most
_TEXT = 0.041  # of a close-up's width
_LINES = 4  # of text under the cut
_STRIP_SHARE = 1 / 3  # of the photo's width, for one close-up in the strip
_PER_ROW = 4
_GROUND = (37, 27, 22)
_CORNER_MM = 6.0  # of each edge that is dashed: cards are cut round with 3 to 5 mm
_SAMPLES = 41

Place: TypeAlias = Callable[[Points], Points]  #: from the table to the close-up


def draw_closeups(
    photo: ImageBGR, camera: Camera, ledger: Ledger, texts: Texts, *, width_px: int = 960
) -> dict[str, ImageBGR]:
    """Draw a close-up of every contested event.

    Parameters
    ----------
    photo : (H, W, 3) uint8
        The upright picture as it was taken; it is not changed.
    camera : Camera
        How the table plane shows in it.
    ledger : Ledger
        What the game tells.
    texts : Texts
        Its catalogue, for the sentences below.
    width_px : int
        Width of each close-up.

    Returns
    -------
    mapping of event id to (H', width_px, 3) uint8
        The least certain first; an event whose deciding point is not in the picture is left out.
    """
    drawn = {}
    for event in ledger.contested():
        close = event.closeness
        path = next((mark for mark in event.marks if isinstance(mark, Path)), None)
        if close is None or close.point_mm is None or path is None:
            continue
        tile = _cut(photo, camera, close, width_px)
        if tile is not None:
            _draw_edges(tile, ledger, close.piece)
            _draw_way(tile, path, close)
            _draw_scale(tile)
            words = "" if close.said is None else texts.tell(close.said)
            drawn[event.id] = captioned(tile.canvas.image, words)
    return drawn


def lay_strip(picture: ImageBGR, closeups: Sequence[ImageBGR], note: str = "") -> ImageBGR:
    """Put close-ups of one size in rows under a picture, as a new and taller one.

    ``note`` is said once under all of them.
    """
    if not closeups:
        return picture
    width = picture.shape[1]
    height, wide = closeups[0].shape[:2]
    gap = max((width - min(_PER_ROW, width // wide) * wide) // (width // wide + 1), 0)
    per_row = max(width // wide, 1)
    rows = math.ceil(len(closeups) / per_row)
    strip: ImageBGR = np.empty((rows * (height + gap) + gap, width, 3), np.uint8)
    strip[:] = _GROUND
    for i, image in enumerate(closeups):
        row, column = divmod(i, per_row)
        in_row = min(per_row, len(closeups) - row * per_row)
        left = (width - in_row * (wide + gap) + gap) // 2 + column * (wide + gap)
        top = gap + row * (height + gap)
        strip[top : top + height, left : left + wide] = image
    below = [_noted(note, width, wide)] if note else []
    return np.vstack([picture, strip, *below])


def _noted(note: str, width: int, wide: int) -> ImageBGR:
    """Write a note over the width of a picture, in the size of what stands under a close-up."""
    size = _TEXT * wide
    lines = broken_text(note, width - 2 * size, size)
    ground: ImageBGR = np.empty((round((1.35 * len(lines) + 0.8) * size), width, 3), np.uint8)
    ground[:] = _GROUND
    canvas = Canvas(ground)
    for k, line in enumerate(lines):
        canvas.text(line, (size, (0.5 + 1.35 * k) * size), size, WHITE, align=0)
    return canvas.image


def strip_width(photo: ImageBGR) -> int:
    """Return the width of a close-up in the strip under a photo."""
    return max(int(photo.shape[1] * _STRIP_SHARE * 0.97), 160)


@dataclass(frozen=True, slots=True, eq=False)
class _Tile:
    """A magnified cut: ``place`` maps table points into it, ``reach_mm`` is half its width."""

    canvas: Canvas
    place: Place
    reach_mm: float
    px_per_mm: float

    @property
    def unit(self) -> float:
        """The size of what is drawn in it, in px."""
        return self.canvas.width / 100


def _cut(photo: ImageBGR, camera: Camera, close: Closeness, width_px: int) -> _Tile | None:
    """Cut and magnify what is around the point that decides; None if it is not in the picture."""
    middle = np.array(close.point_mm)
    reach = float(np.clip(_SPREAD * max(close.spread_mm, close.distance_mm / 2), *_REACH_MM))
    try:
        around = photo_from_table(camera, middle + np.array([[0, 0], [1, 0], [0, 1]]))
    except DegenerateGeometryError:
        return None
    centre = around[0]
    height, width = photo.shape[:2]
    if not (0 <= centre[0] < width and 0 <= centre[1] < height):
        return None
    a, b = around[1] - centre, around[2] - centre
    px_per_mm = math.sqrt(max(abs(float(a[0] * b[1] - a[1] * b[0])), 1e-9))
    zoom = width_px / (2 * reach * px_per_mm)
    height_px = round(width_px * _ASPECT)
    shift = (np.array([width_px, height_px]) - 1) / 2 - zoom * centre
    cut = cv2.warpAffine(
        photo,
        np.array([[zoom, 0, shift[0]], [0, zoom, shift[1]]]),
        (width_px, height_px),
        flags=cv2.INTER_CUBIC if zoom > 1 else cv2.INTER_AREA,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=_GROUND,
    )

    def place(points_mm: Points) -> Points:
        return np.asarray(photo_from_table(camera, points_mm) * zoom + shift, float)

    return _Tile(Canvas(np.ascontiguousarray(cut)), place, reach, zoom * px_per_mm)


def _draw_edges(tile: _Tile, ledger: Ledger, name: str | None) -> None:
    """Draw the outline of the piece that decides."""
    piece = next((piece for piece in ledger.pieces if piece.id == name), None)
    if piece is None:
        return
    colours = {side.id: side_style(side).colour for side in ledger.sides}
    colour = colours.get(piece.side or "", SCENERY if piece.is_known else NEUTRAL)
    t = np.linspace(0, 1, _SAMPLES, endpoint=False)[None, :, None]
    outline = piece.outline_mm
    edges = outline[:, None] + t * (np.roll(outline, -1, axis=0) - outline)[:, None]
    line = tile.place(edges.reshape(-1, 2))
    tile.canvas.stroke(line, 1.1 * tile.unit, INK, 0.55, closed=True)
    tile.canvas.stroke(line, 0.55 * tile.unit, colour, closed=True)
    if piece.kind == "card":
        for corner in _square_corners(outline):
            _draw_corner(tile, corner)


def _square_corners(outline_mm: Points) -> FloatArray:
    """Return the corners of a card (4, 3, 2), each with a little of its two edges, mm."""
    reach = _CORNER_MM
    corners = []
    for k, at in enumerate(outline_mm):
        ways = [outline_mm[k - 1] - at, outline_mm[(k + 1) % len(outline_mm)] - at]
        ends = [at + reach * way / max(float(np.hypot(*way)), 1e-9) for way in ways]
        corners.append([ends[0], at, ends[1]])
    return np.array(corners, np.float64)


def _draw_corner(tile: _Tile, corner_mm: Points) -> None:
    """Dash the square corner of a card: it is played, also where the card is cut round."""
    line = tile.place(corner_mm)
    tile.canvas.stroke(line, 1.5 * tile.unit, INK)
    for dash in dashes(line, 1.6 * tile.unit, 1.2 * tile.unit):
        tile.canvas.stroke(dash, 0.6 * tile.unit, WHITE)


def _nearest_leg(path: Path, point: Points) -> tuple[Points, Points]:
    """Return the two ends of the straight part of a path that passes nearest to a point."""
    points = path.points_mm
    if len(points) == 2 or is_straight(points):
        return points[0], points[-1]
    starts, ways = points[:-1], np.diff(points, axis=0)
    share = ((point - starts) * ways).sum(axis=1) / np.maximum((ways**2).sum(axis=1), 1e-12)
    feet = starts + np.clip(share, 0, 1)[:, None] * ways
    k = int(np.hypot(*(feet - point).T).argmin())
    return points[k], points[k + 1]


def _draw_way(tile: _Tile, path: Path, close: Closeness) -> None:
    """Draw the path with its error band, and the way from it to the point."""
    canvas, place, unit = tile.canvas, tile.place, tile.unit
    point = np.array(close.point_mm)
    start, end = _nearest_leg(path, point)
    way = end - start
    length = max(float(np.hypot(*way)), 1e-9)
    way = way / length
    level = float((point - start) @ way)
    reach = 3 * tile.reach_mm
    along = np.linspace(max(level - reach, 0.0), level + reach, _SAMPLES)
    line = start + along[:, None] * way
    _draw_band(tile, line, np.array([-way[1], way[0]]) * close.spread_mm)
    style = beam_style(path.strength)
    hit = [end] if along[0] < length < along[-1] else []
    before = np.array([*line[along < length], *hit])
    if len(before) > 1:
        canvas.cased(place(before), 0.6 * unit, style.colour, 0.22 * unit)
    beyond = np.array([*hit, *line[along > length]])
    if len(beyond) > 1:  # where it would go on if it did not hit
        for dash in dashes(place(beyond), 1.6 * unit, 1.4 * unit):
            canvas.cased(dash, 0.5 * unit, style.colour, 0.2 * unit)
    foot_px, point_px = place(np.array([start + level * way, point]))
    canvas.cased(np.array([foot_px, point_px]), 0.5 * unit, AMBER, 0.2 * unit)
    angle = np.linspace(0, 2 * math.pi, 24, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    canvas.fill(point_px + 1.3 * unit * ring, INK)
    canvas.fill(point_px + 0.95 * unit * ring, AMBER)


def _draw_band(tile: _Tile, line: Points, sigma: Points) -> None:
    """Draw the error band along a line; ``sigma`` (2,) is one standard deviation to its side."""
    if not sigma.any():
        return
    for sigmas, alpha in ((2.0, 0.20), (1.0, 0.30)):
        half = sigmas * sigma
        tile.canvas.fill(tile.place(np.vstack([line + half, (line - half)[::-1]])), AMBER, alpha)
    for sign in (-1.0, 1.0):
        tile.canvas.stroke(tile.place(line + sign * sigma), max(0.2 * tile.unit, 1.0), AMBER, 0.9)


def _draw_scale(tile: _Tile) -> None:
    """Draw a bar of a round length in the lower left corner."""
    canvas, unit = tile.canvas, tile.unit
    bar = next((mm for mm in (1, 2, 5, 10) if mm * tile.px_per_mm > 10 * unit), 10)
    x, y = 4 * unit, canvas.height - 4 * unit
    line = np.array([[x, y], [x + bar * tile.px_per_mm, y]])
    canvas.cased(line, 0.6 * unit, WHITE, 0.3 * unit)
    at = (x + bar * tile.px_per_mm + 1.6 * unit, y)
    canvas.haloed_text(f"{bar} mm", at, 3.0 * unit, WHITE, 0.5 * unit)


def captioned(image: ImageBGR, words: str) -> ImageBGR:
    """Write a sentence under a close-up."""
    width = image.shape[1]
    size = _TEXT * width
    pad = 0.8 * size
    ground: ImageBGR = np.empty((round(_LINES * 1.35 * size + 1.4 * pad), width, 3), np.uint8)
    ground[:] = INK
    canvas = Canvas(ground)
    lines = broken_text(words, width - 2 * pad, size)
    for k, line in enumerate(lines[:_LINES]):
        canvas.text(line, (pad, pad + (k + 0.45) * 1.35 * size), size, WHITE, align=0)
    return np.vstack([image, canvas.image])
