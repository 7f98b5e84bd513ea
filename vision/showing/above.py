"""A table from above, without a photo: felt, cards, and the same overlay."""

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np

from vision.geometry import card_corners, card_from_table, map_points, table_from_card
from vision.showing.canvas import Canvas
from vision.showing.glyphs import draw_pip, round_rect
from vision.showing.overlay import annotate_photo
from vision.showing.style import (
    INK,
    NEUTRAL,
    SCENERY,
    STAR,
    WHITE,
    AnnotateSettings,
    side_style,
)
from vision.values.arrays import ImageBGR, Points
from vision.values.layout import Camera
from vision.values.ledger import Ledger, Path, PieceView

__all__ = ["draw_face_plain", "draw_table", "table_camera"]

_MARGIN_MM = 45.0  # of felt around the outermost piece
_PATH_MARGIN_MM = 130.0  # a path that ends nowhere is seen this far beyond the outermost piece
_ASPECT = (0.62, 1.9)  # width by height of the picture, at the least and at the most
_FELT = (58, 46, 27)
_PLAIN = (84, 74, 70)  # a thing without a face
_GRID_MM = 100.0
_FACE_PX_PER_MM = 6.0
_ROUND_PX = 12  # a token's shadow reaches no farther from it


def table_camera(
    ledger: Ledger, width_px: int, margin_mm: float = _MARGIN_MM
) -> tuple[Camera, tuple[int, int]]:
    """Look straight down at all pieces.

    Parameters
    ----------
    ledger : Ledger
        What has to be seen; paths that end nowhere get some room.
    width_px : int
        Width of the picture.
    margin_mm : float
        How much of the table shows around the outermost piece.

    Returns
    -------
    camera : Camera
        Without perspective or lens.
    size_wh : (int, int)
        Width and height of the picture in px.
    """
    points = [piece.outline_mm for piece in ledger.pieces]
    every = np.vstack(points) if points else np.array([[-200.0, -150.0], [200.0, 150.0]])
    low, high = every.min(axis=0) - margin_mm, every.max(axis=0) + margin_mm
    into_space = [
        mark.points_mm[-1]
        for step in ledger.steps
        for event in step.events
        for mark in event.marks
        if isinstance(mark, Path) and mark.fades
    ]
    if into_space:
        room = _PATH_MARGIN_MM - margin_mm
        low = np.maximum(np.minimum(low, np.min(into_space, axis=0)), low - room)
        high = np.minimum(np.maximum(high, np.max(into_space, axis=0)), high + room)
    size = high - low
    wanted = np.maximum(size, [size[1] * _ASPECT[0], size[0] / _ASPECT[1]])
    low = low - (wanted - size) / 2
    scale = width_px / wanted[0]
    height_px = max(round(wanted[1] * scale), 1)
    shift = -scale * low - 0.5
    photo_from_mm = np.array([[scale, 0, shift[0]], [0, scale, shift[1]], [0, 0, 1]])
    focal = float(max(width_px, height_px))
    matrix = np.array([[focal, 0, (width_px - 1) / 2], [0, focal, (height_px - 1) / 2], [0, 0, 1]])
    return Camera(matrix, np.zeros(2), photo_from_mm), (width_px, height_px)


def draw_table(
    ledger: Ledger,
    *,
    faces: Mapping[str, ImageBGR] | None = None,
    width_px: int = 1600,
    settings: AnnotateSettings | None = None,
) -> ImageBGR:
    """Draw a round as seen from above, without a photo.

    Parameters
    ----------
    ledger : Ledger
        What the game tells.
    faces : mapping of piece id to (h, w, 3) uint8, optional
        Faces of cards and boards, upright, cut to their edges, at any resolution. A card without
        one is drawn plainly: number, name, health.
    width_px : int
        Width of the picture.
    settings : AnnotateSettings, optional
        What may be chosen about the overlay.

    Returns
    -------
    (H, width_px, 3) uint8
        The picture.
    """
    if width_px < 64:
        msg = f"width_px: expected at least 64, got {width_px}"
        raise ValueError(msg)
    settings = settings or AnnotateSettings()
    camera, size_wh = table_camera(ledger, width_px)
    image = draw_bare(ledger, camera, size_wh, faces=faces, settings=settings)
    told = tuple(
        replace(p, label="", number="") if _is_laid_turned(p, faces or {}) else p
        for p in ledger.pieces
    )
    return annotate_photo(image, camera, replace(ledger, pieces=told), settings=settings)


def draw_bare(
    ledger: Ledger,
    camera: Camera,
    size_wh: tuple[int, int],
    *,
    faces: Mapping[str, ImageBGR] | None = None,
    settings: AnnotateSettings | None = None,
) -> ImageBGR:
    """Draw the pieces of a ledger as they lie before the round, and nothing of the round.

    Parameters
    ----------
    ledger : Ledger
        What lies there.
    camera : Camera
        A view straight down, as of :func:`table_camera`.
    size_wh : (int, int)
        Width and height of the picture in px.
    faces : mapping of piece id to (h, w, 3) uint8, optional
        As of :func:`draw_table`.
    settings : AnnotateSettings, optional
        What may be chosen about words.

    Returns
    -------
    (H, W, 3) uint8
        The picture.
    """
    faces, settings = faces or {}, settings or AnnotateSettings()
    image = _felt(camera, size_wh)
    for piece in sorted(ledger.pieces, key=_layer):
        face = faces.get(piece.id)
        if face is None and piece.kind == "card":
            face = draw_face_plain(piece, ledger, settings)
        if face is not None and len(piece.outline_mm) == 4:
            _lay_card(image, camera, piece.outline_mm, face)
        elif face is not None and _is_laid_turned(piece, faces):
            _lay_token(image, camera, piece, face)
        else:
            outline = map_points(camera.photo_from_table, piece.outline_mm)
            Canvas(image).fill(outline, _PLAIN)
    return image


def _is_laid_turned(piece: PieceView, faces: Mapping[str, ImageBGR]) -> bool:
    """Tell whether a token's own picture is laid, as it is turned."""
    return piece.id in faces and len(piece.outline_mm) != 4


def _layer(piece: PieceView) -> int:
    """Return how high a piece lies: boards below cards, cards below all else."""
    return {"board": 0, "sheet": 0, "card": 1}.get(piece.kind, 2)


@lru_cache(maxsize=1)  # a table and the one after it are drawn alike: a third of the time
def _cloth(width: int, height: int) -> ImageBGR:
    """Return a dark cloth, lighter in the middle."""
    x = np.linspace(-1, 1, width, dtype=np.float32)
    y = np.linspace(-1, 1, height, dtype=np.float32)
    light = 1.12 - 0.34 * np.minimum(x[None, :] ** 2 + y[:, None] ** 2, 1.6)
    weave = np.random.default_rng(7).normal(0, 0.022, (height, width)).astype(np.float32)
    cloth = np.clip((light + weave)[:, :, None] * np.array(_FELT, np.float32), 0, 255)
    return np.ascontiguousarray(cloth.astype(np.uint8))


def _felt(camera: Camera, size_wh: tuple[int, int]) -> ImageBGR:
    """Return the cloth with a line each 100 mm."""
    width, height = size_wh
    canvas = Canvas(_cloth(width, height).copy())
    h = camera.photo_from_table
    thin = max(width / 1600, 1.0)
    for axis, length in ((0, width), (1, height)):
        first = math.ceil((-0.5 - h[axis, 2]) / h[axis, axis] / _GRID_MM)
        last = math.floor((length - h[axis, 2]) / h[axis, axis] / _GRID_MM)
        for k in range(first, last + 1):
            at = h[axis, axis] * k * _GRID_MM + h[axis, 2]
            line = np.array([[at, 0], [at, height]] if axis == 0 else [[0, at], [width, at]])
            canvas.stroke(line, thin, WHITE, 0.055)
    return canvas.image


def _lay_card(image: ImageBGR, camera: Camera, corners_mm: Points, face: ImageBGR) -> None:
    """Warp a face to its place, with a soft shadow, in place."""
    scale = float(camera.photo_from_table[0, 0])
    width_px = max(round(float(np.hypot(*(corners_mm[1] - corners_mm[0]))) * scale), 2)
    if face.shape[1] > 1.5 * width_px:  # shrink first: the warp itself does not average
        height_px = max(round(width_px * face.shape[0] / face.shape[1]), 2)
        face = np.asarray(cv2.resize(face, (width_px, height_px), interpolation=cv2.INTER_AREA))
    corners = map_points(camera.photo_from_table, corners_mm)
    shadow = corners + 1.6 * scale
    canvas = Canvas(image)
    for grow in (1.03, 1.01, 0.99):
        canvas.fill(shadow.mean(axis=0) + grow * (shadow - shadow.mean(axis=0)), INK, 0.22)
    low = np.maximum(np.floor(corners.min(axis=0)) - 2, 0).astype(int)
    high = np.minimum(np.ceil(corners.max(axis=0)) + 3, [image.shape[1], image.shape[0]]).astype(
        int
    )
    if np.any(high <= low):
        return
    face_h, face_w = face.shape[:2]
    face_corners = np.array(
        [[-0.5, -0.5], [face_w - 0.5, -0.5], [face_w - 0.5, face_h - 0.5], [-0.5, face_h - 0.5]]
    )
    to_part = cv2.getPerspectiveTransform(
        face_corners.astype(np.float32), (corners - low).astype(np.float32)
    )
    part = image[low[1] : high[1], low[0] : high[0]]
    size = int(high[0] - low[0]), int(high[1] - low[1])
    warped = cv2.warpPerspective(
        face, to_part, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    mask = np.zeros(part.shape[:2], np.uint8)
    outline = np.round((corners - low) * 16).astype(np.int32)
    cv2.fillPoly(mask, [outline], 255, cv2.LINE_AA, 4)
    weight = cv2.merge([mask, mask, mask]).astype(np.uint16)
    mixed = part * (255 - weight) + warped * weight
    part[:] = ((mixed + 127) // 255).astype(np.uint8)


def _lay_token(image: ImageBGR, camera: Camera, piece: PieceView, face: ImageBGR) -> None:
    """Lay a token's picture as it is turned, cut along its outline, in place."""
    outline = map_points(camera.photo_from_table, piece.outline_mm)
    size = np.array(image.shape[1::-1])
    low, high = (
        np.clip(edge, 0, size).astype(int)
        for edge in (outline.min(axis=0) - _ROUND_PX, outline.max(axis=0) + _ROUND_PX)
    )
    if np.any(high <= low):
        return
    part = image[low[1] : high[1], low[0] : high[0]]  # all that changes
    outline, camera = outline - low, _moved(camera, -low)
    laid = part.copy()
    x, y = piece.outline_mm.mean(axis=0).tolist()
    theta = piece.theta_rad or 0.0
    width, height = 2 * np.abs(card_from_table(piece.outline_mm, x, y, theta)).max(axis=0)
    corners = table_from_card(card_corners(width, height), x, y, theta)
    _lay_card(laid, camera, corners, face)
    mask = np.zeros(part.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(outline * 16).astype(np.int32)], 255, cv2.LINE_AA, 4)
    Canvas(part).fill(outline + 1.2 * float(camera.photo_from_table[0, 0]), INK, 0.3)
    weight = cv2.merge([mask, mask, mask]).astype(np.uint16)
    mixed = part * (255 - weight) + laid * weight
    part[:] = ((mixed + 127) // 255).astype(np.uint8)


def _moved(camera: Camera, by_px: Points) -> Camera:
    """Return a view straight down, its picture moved."""
    moved = np.eye(3)
    moved[:2, 2] = by_px
    return replace(camera, photo_from_table=moved @ camera.photo_from_table)


def draw_face_plain(card: PieceView, ledger: Ledger, settings: AnnotateSettings) -> ImageBGR:
    """Draw a card without its art: what the ledger tells of it.

    Returns
    -------
    (H, W, 3) uint8
        The face, upright, cut to the card's edge.
    """
    s, name = _FACE_PX_PER_MM, settings.texts.tell(card.label)
    corners = card.outline_mm
    width, height = (float(np.hypot(*(corners[k + 1] - corners[k]))) for k in (0, 1))
    canvas = Canvas(np.full((round(height * s), round(width * s), 3), 250, np.uint8))
    border = 3.2
    inner = round_rect(border * s, border * s, (width - border) * s, (height - border) * s, 2 * s)
    side = next((side for side in ledger.sides if side.id == card.side), None)
    ground = SCENERY if card.is_known else NEUTRAL
    canvas.fill(inner, INK)
    canvas.fill(inner, ground if side is None else side_style(side).colour, 0.32)
    if not card.number:
        canvas.text(name, (width * s / 2, height * s / 2), 6 * s, WHITE)
        return canvas.image
    canvas.text(card.number, (9 * s, 10 * s), 10 * s, WHITE, bold=True)
    canvas.text(name, (16 * s, 10 * s), 6 * s, WHITE, align=0)
    for k in range(card.health):
        draw_pip(canvas, ((9 + 5 * k) * s, (height - 10) * s), 1.9 * s, STAR, lost=False)
    return canvas.image
