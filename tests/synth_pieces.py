"""Draws photographs of boards, tokens and dice with exact truth: plain numpy and OpenCV.

Everything is a flat picture in space: a board on the table, a token's discs one over the other, the
faces of a die. They are drawn at twice the size, in the order given, then go through lens, light,
blur and noise.
"""

from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from tests.synth import chance, lit, painted
from vision.geometry import card_corners, table_from_card
from vision.seeing.estimation.model import Solution
from vision.seeing.estimation.rectify import map_plane
from vision.values.arrays import FloatArray, ImageBGR, Points

BOARD_MM = (126.0, 126.0)
ART_PX_PER_MM = 8
SMALL = 64  # px: art of no more is looked at, whether it has one colour
PIPS = {
    1: [(0, 0)],
    2: [(-1, -1), (1, 1)],
    3: [(-1, -1), (0, 0), (1, 1)],
    4: [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    5: [(-1, -1), (1, -1), (1, 1), (-1, 1), (0, 0)],
    6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}
_NETS = {1: (2, 3, 5, 4), 2: (1, 4, 6, 3), 3: (1, 2, 6, 5), 4: (1, 5, 6, 2), 5: (1, 3, 6, 4)}
SIDES = {**_NETS, 6: (2, 4, 5, 3)}  # the faces round each, in order


def board_art(seed: int = 1, size_mm: tuple[float, float] = BOARD_MM, across: int = 3) -> ImageBGR:
    """Draw a 3 x 3 board (or larger) whose squares all differ, as a game's would."""
    rng = np.random.default_rng(seed)
    scale = ART_PX_PER_MM
    w, h = (round(s * scale) for s in size_mm)
    art = np.full((h, w, 3), (206, 224, 232), np.uint8)
    cell = (min(w, h) - 6 * scale) / across
    left, top = (w - across * cell) / 2, (h - across * cell) / 2
    for k in range(across**2):
        x, y = left + k % across * cell, top + k // across * cell
        ground = (178, 205, 216) if k % 2 else (120, 150, 168)
        box = [int(v) for v in (x, y, x + cell, y + cell)]
        cv2.rectangle(art, box[:2], box[2:], ground, -1)
        cv2.rectangle(art, box[:2], box[2:], (30, 40, 50), 3)
        name = "abcdef"[k % across] + "123456"[k // across]
        spot = (box[0] + 12, box[1] + 44)
        cv2.putText(art, name, spot, cv2.FONT_HERSHEY_DUPLEX, 1.2, (40, 50, 60), 2, cv2.LINE_AA)
        for _ in range(14):
            at = rng.uniform([x + 30, y + 50], [x + cell - 30, y + cell - 30])
            size = rng.uniform(6, 22)
            tone = [int(v) for v in rng.uniform(40, 200, 3)]
            turn = np.radians(rng.uniform(0, 360)) + np.arange(int(rng.integers(3, 7))) * 1.3
            shape = at + size * np.stack([np.cos(turn), np.sin(turn)], 1)
            cv2.polylines(art, [np.int32(shape)], True, tone, 3, cv2.LINE_AA)
    return art


def token_art(bgr: tuple[int, int, int], mark: str = "arrow", px: int = 272) -> ImageBGR:
    """Draw a round token: a colour, and an arrow (with a bar at its right) or a star on it."""
    art = np.full((px, px, 3), bgr, np.uint8)
    middle, r = px / 2 - 0.5, px / 2
    cv2.circle(art, (px // 2, px // 2), int(r * 0.9), (245, 245, 245), px // 40, cv2.LINE_AA)
    if mark == "arrow":
        shape = np.array([[0, -0.72], [0.4, 0.0], [0.14, 0.0], [0.14, 0.6], [-0.14, 0.6]])
        shape = np.concatenate([shape, [[-0.14, 0.0], [-0.4, 0.0]]])
        bar = np.array([[0.5, -0.3], [0.66, -0.3], [0.66, 0.4], [0.5, 0.4]])
        cv2.fillPoly(art, [np.int32(bar * r + middle)], (20, 20, 20), cv2.LINE_AA)
    else:
        turn = np.arange(10) * np.pi / 5
        long = np.where(np.arange(10) % 2, 0.3, np.where(np.arange(10) == 0, 0.8, 0.6))
        shape = long[:, None] * np.stack([np.sin(turn), -np.cos(turn)], 1)
    cv2.fillPoly(art, [np.int32(shape * r + middle)], (250, 250, 250), cv2.LINE_AA)
    return art


def die_face(
    number: int, bgr: tuple[int, int, int], pip_bgr: tuple[int, int, int], px: int = 160
) -> ImageBGR:
    """Draw the face of a die."""
    art = np.full((px, px, 3), bgr, np.uint8)
    for x, y in PIPS[number]:
        at = tuple(round(px / 2 + 0.25 * px * v) for v in (x, y))
        cv2.circle(art, at, round(0.095 * px), pip_bgr, -1, cv2.LINE_AA)
    return art


@dataclass(frozen=True)
class LaidPiece:
    """A piece of the scene: table mm, rad; ``height_mm`` is its upper face's, from ``base_mm`` on.

    Art with a fourth channel is cut by it.
    """

    art: ImageBGR
    size_mm: tuple[float, float]
    pose: tuple[float, float, float]
    height_mm: float = 0.0
    round: bool = False
    base_mm: float = 0.0
    up: int = 0  #: of a die, else 0
    pip_bgr: tuple[int, int, int] = (20, 20, 20)
    lean_rad: tuple[float, float] = (0.0, 0.0)  #: of a die: how far, about which direction
    edge_bgr: tuple[int, int, int] = (150, 175, 190)


def pawn(
    bgr: tuple[int, int, int],
    at_mm: tuple[float, float],
    width_mm: float = 14.0,
    height_mm: float = 24.0,
    head: float = 0.55,
) -> tuple[LaidPiece, ...]:
    """Build a pawn of discs: as wide as told at its foot, its head a share of that."""
    discs = []
    for up in np.linspace(0.02, 1.0, 14):
        shade = tuple(int(v * (0.75 + 0.25 * up)) for v in bgr)
        width = width_mm * (1 - (1 - head) * min(1.0, 1.6 * up))
        art = np.full((16, 16, 3), shade, np.uint8)
        pose = (*at_mm, 0.0)
        discs.append(LaidPiece(art, (width, width), pose, up * height_mm, True, edge_bgr=shade))
    return tuple(discs)


def stick(
    pose: tuple[float, float, float],
    size_mm: tuple[float, float] = (2.2, 43.0),
    body_bgr: tuple[int, int, int] = (140, 190, 222),
    head_bgr: tuple[int, int, int] = (40, 30, 60),
) -> LaidPiece:
    """Draw a match that points as its pose says, head up."""
    art = np.full((430, 22, 3), body_bgr, np.uint8)
    art[:40] = head_bgr
    return LaidPiece(art, size_mm, pose, 1.0, edge_bgr=tuple(int(0.7 * v) for v in body_bgr))


@dataclass(frozen=True)
class Scene:
    """A table to be photographed; angles degrees."""

    pieces: tuple[LaidPiece, ...]
    size_wh: tuple[int, int] = (1600, 1200)
    distance_mm: float = 420.0
    tilt_deg: float = 25.0
    azimuth_deg: float = 80.0
    roll_deg: float = 0.0
    aim_mm: tuple[float, float] = (0.0, 0.0)
    focal: float = 0.65  # of the diagonal
    k1: float = 0.0
    cloth_bgr: tuple[int, int, int] = (80, 110, 70)
    texture: float = 6.0
    falloff: float = 0.3
    light_bgr: tuple[float, float, float] = (1.0, 1.0, 1.0)
    blur_px: float = 0.8
    noise: float = 2.0
    gray: bool = False
    seed: int = 0
    covers: tuple[Points, ...] = field(default=())  # polygons of skin colour, table mm


def aim(scene: Scene) -> Solution:
    """Return the camera: it looks at the scene's aim from its distance."""
    w, h = scene.size_wh
    tilt, azimuth, roll = np.radians([scene.tilt_deg, scene.azimuth_deg, scene.roll_deg])
    away = np.array([np.sin(tilt) * np.cos(azimuth), np.sin(tilt) * np.sin(azimuth), -np.cos(tilt)])
    eye = np.array([*scene.aim_mm, 0.0]) + scene.distance_mm * away
    right = np.array([np.sin(azimuth), -np.cos(azimuth), 0.0])
    down = np.cross(-away, right)
    rows = [np.cos(roll) * right + np.sin(roll) * down, np.cos(roll) * down - np.sin(roll) * right]
    turn = np.stack([*rows, -away])
    return Solution(
        scene.focal * float(np.hypot(w, h)),
        np.array([(w - 1) / 2, (h - 1) / 2]),
        scene.k1,
        0.0,
        turn,
        -turn @ eye,
        np.zeros((1, 3)),
    )


def photograph(scene: Scene) -> tuple[ImageBGR, Solution]:
    """Draw the photo; the camera is the exact truth."""
    camera = aim(scene)
    straight = aim(replace(scene, k1=0.0))
    w, h = scene.size_wh
    grain, noise = chance(scene.seed, scene.size_wh, 2)
    picture = painted(1 + scene.texture / 100 * grain, np.float32(scene.cloth_bgr))
    for piece in scene.pieces:
        _put(picture, piece, straight)
    for cover in scene.covers:
        shape = (map_plane(straight, cover) + 0.5) * 2 - 0.5
        cv2.fillPoly(picture, [np.int32(shape)], (120, 150, 205))
    picture = cv2.resize(picture, (w, h), interpolation=cv2.INTER_AREA)
    if scene.k1:
        picture = _through_lens(picture, camera)
    cv2.multiply(picture, lit(scene.size_wh, scene.falloff, *scene.light_bgr), dst=picture)
    if scene.gray:
        picture[:] = (picture @ np.float32([0.114, 0.587, 0.299]))[..., None]
    if scene.blur_px:
        picture = cv2.GaussianBlur(picture, (0, 0), scene.blur_px)
    picture = cv2.scaleAdd(noise, scene.noise, picture)
    np.clip(np.round(picture, out=picture), 0, 255, out=picture)
    return picture.astype(np.uint8), camera


def _through_lens(picture: np.ndarray, camera: Solution) -> np.ndarray:
    """Bend a straight picture as the lens does."""
    h, w = picture.shape[:2]
    x = (np.arange(w)[None] - camera.centre_px[0]) / camera.focal_px
    y = (np.arange(h)[:, None] - camera.centre_px[1]) / camera.focal_px
    radius = np.hypot(x, y)
    known = np.linspace(0, radius.max(), 4096)  # between them it is linear to 1e-5 px
    r = known.copy()
    for _ in range(8):
        r -= (r * (1 + camera.k1 * r**2) - known) / (1 + 3 * camera.k1 * r**2)
    grow = np.interp(radius, known, r) / np.maximum(radius, 1e-9) * camera.focal_px
    x, y = x * grow + camera.centre_px[0], y * grow + camera.centre_px[1]
    at = x.astype(np.float32), y.astype(np.float32)
    return cv2.remap(picture, *at, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


def _put(picture: np.ndarray, piece: LaidPiece, camera: Solution) -> None:
    corners = table_from_card(card_corners(*piece.size_mm), *piece.pose)
    if piece.up:
        _put_die(picture, piece, camera, corners)
        return
    for height in np.linspace(piece.base_mm, piece.height_mm, 8)[:-1] if piece.height_mm else []:
        edge = np.full((64, 64, 3), piece.edge_bgr, np.uint8)
        if piece.art.shape[2] == 4:
            alpha = cv2.resize(piece.art[..., 3], (64, 64), interpolation=cv2.INTER_AREA)
            edge = np.dstack([edge, alpha])
        _put_quad(picture, edge, corners, np.full(4, height), camera, piece.round)
    _put_quad(picture, piece.art, corners, np.full(4, piece.height_mm), camera, piece.round)


def _put_die(picture: np.ndarray, die: LaidPiece, camera: Solution, corners: Points) -> None:
    """Draw the faces that the camera sees, the farthest first; sides are darker."""
    body = tuple(int(v) for v in die.art[0, 0])
    middle, half = corners.mean(axis=0), die.size_mm[0] / 2
    ring = corners - middle
    faces = [(die.up, np.c_[ring, np.full(4, half)]), (7 - die.up, np.c_[ring[::-1], 4 * [-half]])]
    for k, number in enumerate(SIDES[die.up]):
        side = np.concatenate([ring[[k, (k + 1) % 4]], ring[[(k + 1) % 4, k]]])
        faces.append((number, np.c_[side, [half, half, -half, -half]]))
    lean, towards = die.lean_rad
    axis = lean * np.array([np.cos(towards), np.sin(towards), 0.0])
    turned = [(number, at @ cv2.Rodrigues(axis)[0].T) for number, at in faces]
    lift = np.array([*middle, -min(at[:, 2].min() for _, at in turned)])
    eye = -camera.rotation.T @ camera.translation_mm * [1, 1, -1]  # heights are upwards here
    seen = []
    for number, at in turned:
        out, where = at.mean(axis=0) / half, at + lift
        if out @ (eye - where.mean(axis=0)) > 0:
            seen.append((float(np.linalg.norm(eye - where.mean(axis=0))), number, where, out[2]))
    for _, number, where, up in sorted(seen, key=lambda one: -one[0]):
        tone = tuple(int((0.75 + 0.25 * max(up, 0.0)) * v + 1e-6) for v in body)
        face = die_face(number, tone, die.pip_bgr)
        _put_quad(picture, face, where[:, :2], where[:, 2], camera)


def _put_quad(
    picture: np.ndarray,
    art: ImageBGR,
    corners_mm: Points,
    heights_mm: FloatArray,
    camera: Solution,
    is_round: bool = False,
) -> None:
    at = np.empty_like(corners_mm)
    for z in np.unique(heights_mm):
        at[heights_mm == z] = map_plane(camera, corners_mm[heights_mm == z], float(z))
    at = (at + 0.5) * 2 - 0.5
    size = np.linalg.norm(np.roll(at, -1, 0) - at, axis=1).max()
    scale = min(1.0, 1.2 * size / max(art.shape[:2]))
    art = cv2.resize(art, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    h, w = art.shape[:2]
    cut = np.ones((h, w), np.float32)
    if is_round:
        cut = np.zeros((h, w), np.float32)
        cv2.ellipse(cut, ((w / 2 - 0.5, h / 2 - 0.5), (w, h), 0), 1.0, -1)
    if art.shape[2] == 4:
        cut, art = art[..., 3].astype(np.float32) / 255, art[..., :3]
    source = np.float32([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]])
    warp = cv2.getPerspectiveTransform(source, np.float32(at))
    low = np.maximum(np.floor(at.min(0)).astype(int) - 2, 0)
    high = np.minimum(np.ceil(at.max(0)).astype(int) + 3, picture.shape[1::-1])
    if (high <= low).any():
        return
    warp = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1.0]]) @ warp
    size_wh = tuple(int(v) for v in high - low)
    there = picture[low[1] : high[1], low[0] : high[0]]
    if max(h, w) <= SMALL and (art == art[0, 0]).all():  # of one colour: it is so everywhere
        change = cv2.subtract((*art[0, 0].tolist(), 0.0), there)
    else:
        how = {"flags": cv2.INTER_LINEAR, "borderMode": cv2.BORDER_REPLICATE}
        laid = cv2.warpPerspective(art.astype(np.float32), warp, size_wh, **how)
        change = cv2.subtract(laid, there)
    alpha = cv2.warpPerspective(cut, warp, size_wh, flags=cv2.INTER_LINEAR)
    there += cv2.multiply(change, cv2.merge([alpha] * 3))
