"""Close-ups: the place that decides a contested shot, cut from the photo and magnified.

Each shows the photo as it is, and thinly over it the beam, the error band around it (one and two
standard deviations), the edge of the card concerned and the point that the shot hangs on.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import cv2
import numpy as np

from vision.errors import DegenerateGeometryError
from vision.games.light_speed.values import CloseFeature, Deck, Resolution, Shot, TableState
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.showing.canvas import Canvas, dashes, text_width
from vision.showing.style import (
    AMBER,
    ASTEROID,
    BEAMS,
    INK,
    NEUTRAL,
    WHITE,
    AnnotateSettings,
    Colour,
    is_asteroid,
    split_card_id,
    team_style,
)
from vision.texts import texts
from vision.values.arrays import ImageBGR, Points
from vision.values.layout import Camera
from vision.values.messages import Issue

__all__ = ["draw_closeups", "lay_strip", "strip_width"]

_ASPECT = 0.72  # height by width of the magnified cut
_SPREAD = 9.0  # sigmas, or margins if those are larger, from the middle to the rim
_REACH_MM = (5.0, 14.0)  # from the middle to the rim, at the least and at the most
_TEXT = 0.041  # of a close-up's width
_LINES = 4  # of text under the cut
_STRIP_SHARE = 1 / 3  # of the photo's width, for one close-up in the strip
_PER_ROW = 4
_GROUND = (37, 27, 22)
_SAMPLES = 41

Place: TypeAlias = Callable[[Points], Points]  #: from the table to the close-up


def draw_closeups(
    photo: ImageBGR,
    camera: Camera,
    table: TableState,
    deck: Deck,
    resolution: Resolution,
    *,
    width_px: int = 960,
    settings: AnnotateSettings | None = None,
) -> dict[tuple[str, int], ImageBGR]:
    """Draw a close-up of every contested shot.

    Parameters
    ----------
    photo : (H, W, 3) uint8
        The upright picture as it was taken; it is not changed.
    camera, table, deck, resolution
        As for :func:`vision.showing.annotate_photo`.
    width_px : int
        Width of each close-up.
    settings : AnnotateSettings, optional
        For the language.

    Returns
    -------
    mapping of (ship, laser) to (H', width_px, 3) uint8
        The least certain first; a shot whose deciding point is not in the picture is left out.
    """
    settings = settings or AnnotateSettings()
    said = _sentences(resolution.issues, settings)
    drawn = {}
    for shot in resolution.contested():
        if shot.feature is None:
            continue
        image = _close_up(photo, camera, table, deck, shot, shot.feature, width_px)
        if image is not None:
            words = said.get((shot.ship, shot.laser), "")
            drawn[shot.ship, shot.laser] = _captioned(image, words)
    return drawn


def lay_strip(picture: ImageBGR, closeups: Sequence[ImageBGR]) -> ImageBGR:
    """Put close-ups of one size in rows under a picture, as a new and taller one."""
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
    return np.vstack([picture, strip])


def strip_width(photo: ImageBGR) -> int:
    """Return the width of a close-up in the strip under a photo."""
    return max(int(photo.shape[1] * _STRIP_SHARE * 0.97), 160)


def _sentences(
    issues: Sequence[Issue], settings: AnnotateSettings
) -> Mapping[tuple[str, int], str]:
    """Return what is said of each contested shot."""
    t = texts(settings.language)
    said = {}
    for issue in issues:
        if issue.code == "close_call" and issue.said is not None:
            values = dict(issue.said.values)
            said[values["ship"], values["laser"] - 1] = t.issue(issue)
    return said


def _close_up(
    photo: ImageBGR,
    camera: Camera,
    table: TableState,
    deck: Deck,
    shot: Shot,
    feature: CloseFeature,
    width_px: int,
) -> ImageBGR | None:
    """Cut, magnify, and draw what the shot hangs on."""
    middle = np.array(feature.point_mm)
    reach = float(np.clip(_SPREAD * max(feature.sigma_mm, feature.distance_mm / 2), *_REACH_MM))
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
    to_tile = np.array([[zoom, 0, shift[0]], [0, zoom, shift[1]]])
    cut = cv2.warpAffine(
        photo,
        to_tile,
        (width_px, height_px),
        flags=cv2.INTER_CUBIC if zoom > 1 else cv2.INTER_AREA,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=_GROUND,
    )
    canvas = Canvas(np.ascontiguousarray(cut))

    def place(points_mm: Points) -> Points:
        return np.asarray(photo_from_table(camera, points_mm) * zoom + shift, float)

    unit = width_px / 100
    _draw_edges(canvas, place, table, deck, feature.card, unit)
    _draw_way(canvas, place, shot, feature, reach, unit)
    _draw_scale(canvas, zoom * px_per_mm, unit)
    return canvas.image


def _draw_edges(
    canvas: Canvas, place: Place, table: TableState, deck: Deck, name: str, unit: float
) -> None:
    """Draw the outline of the card or object that decides."""
    colour: Colour = ASTEROID if is_asteroid(name, deck) else NEUTRAL
    team, _ = split_card_id(name, deck)
    if team is not None:
        colour = team_style(team, deck).colour
    corners = card_corners(deck.width_mm, deck.height_mm)
    outlines = [
        table_from_card(corners, card.x_mm, card.y_mm, card.theta_rad)
        for card in table.cards
        if card.card_id == name
    ] + [thing.outline_mm for thing in table.objects if thing.id == name]
    t = np.linspace(0, 1, _SAMPLES, endpoint=False)[None, :, None]
    for outline in outlines:
        edges = outline[:, None] + t * (np.roll(outline, -1, axis=0) - outline)[:, None]
        line = place(edges.reshape(-1, 2))
        canvas.stroke(line, 1.1 * unit, INK, 0.55, closed=True)
        canvas.stroke(line, 0.55 * unit, colour, closed=True)


def _draw_way(
    canvas: Canvas,
    place: Place,
    shot: Shot,
    feature: CloseFeature,
    reach_mm: float,
    unit: float,
) -> None:
    """Draw the beam with its error band, and the way from it to the point."""
    start, end = np.array(shot.path_mm, float)
    way = end - start
    length = max(float(np.hypot(*way)), 1e-9)
    way = way / length
    side = np.array([-way[1], way[0]])
    level = float((np.array(feature.point_mm) - start) @ way)
    along = np.linspace(max(level - 3 * reach_mm, 0.0), level + 3 * reach_mm, _SAMPLES)
    line = start + along[:, None] * way
    for sigmas, alpha in ((2.0, 0.20), (1.0, 0.30)):
        half = sigmas * feature.sigma_mm * side
        if feature.sigma_mm > 0:
            canvas.fill(place(np.vstack([line + half, (line - half)[::-1]])), AMBER, alpha)
    for sign in (-1.0, 1.0):
        if feature.sigma_mm > 0:
            rim = place(line + sign * feature.sigma_mm * side)
            canvas.stroke(rim, max(0.2 * unit, 1.0), AMBER, 0.9)
    style = BEAMS.get(shot.power, BEAMS[max(BEAMS)])
    hit = [end] if along[0] < length < along[-1] else []
    before = np.array([*line[along < length], *hit])
    if len(before) > 1:
        canvas.cased(place(before), 0.6 * unit, style.colour, 0.22 * unit)
    beyond = np.array([*hit, *line[along > length]])
    if len(beyond) > 1:  # where it would go on if it did not hit
        for dash in dashes(place(beyond), 1.6 * unit, 1.4 * unit):
            canvas.cased(dash, 0.5 * unit, style.colour, 0.2 * unit)
    foot = start + level * way
    foot_px, point_px = place(np.array([foot, feature.point_mm]))
    canvas.cased(np.array([foot_px, point_px]), 0.5 * unit, AMBER, 0.2 * unit)
    angle = np.linspace(0, 2 * math.pi, 24, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    canvas.fill(point_px + 1.3 * unit * ring, INK)
    canvas.fill(point_px + 0.95 * unit * ring, AMBER)


def _draw_scale(canvas: Canvas, px_per_mm: float, unit: float) -> None:
    """Draw a bar of a round length in the lower left corner."""
    bar = next((mm for mm in (1, 2, 5, 10) if mm * px_per_mm > 10 * unit), 10)
    x, y = 4 * unit, canvas.height - 4 * unit
    line = np.array([[x, y], [x + bar * px_per_mm, y]])
    canvas.cased(line, 0.6 * unit, WHITE, 0.3 * unit)
    at = (x + bar * px_per_mm + 1.6 * unit, y)
    canvas.text(f"{bar} mm", at, 3.0 * unit, WHITE, align=0, halo_px=0.5 * unit)


def _captioned(image: ImageBGR, words: str) -> ImageBGR:
    """Write a sentence under a close-up."""
    width = image.shape[1]
    size = _TEXT * width
    pad = 0.8 * size
    ground: ImageBGR = np.empty((round(_LINES * 1.35 * size + 1.4 * pad), width, 3), np.uint8)
    ground[:] = INK
    canvas = Canvas(ground)
    lines = _broken(words, width - 2 * pad, size)
    for k, line in enumerate(lines[:_LINES]):
        canvas.text(line, (pad, pad + (k + 0.45) * 1.35 * size), size, WHITE, align=0)
    return np.vstack([image, canvas.image])


def _broken(words: str, width: float, size: float) -> list[str]:
    """Break a sentence into lines of a width."""
    lines = [""]
    for word in words.replace(" mm", "\u00a0mm").split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
