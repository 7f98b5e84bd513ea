"""Draws photographs of tables with exact truth: plain numpy and OpenCV, a second or less each.

Not the last word in optics (the sample photos are ray-traced); it has what the stages' tests need:
perspective, a radial lens, cloth, light that falls off, blur, noise, JPEG, and exact poses.
"""

from dataclasses import dataclass, field

import cv2
import numpy as np

from vision.geometry import (
    card_corners,
    photo_from_table,
    rotation,
    table_from_card,
    undistort,
)
from vision.values.arrays import ImageBGR
from vision.values.layout import Camera, PlacedCard
from vision.values.pieces import Faces

_LEVELS = np.arange(256) / 255
_LINEAR = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4).astype(
    np.float32
)  # light adds up and blurs before the camera's tone curve, not after
_COVER = (0.05, 0.1, 0.3)


@dataclass(frozen=True)
class Slot:
    """A rounded rectangle printed on a play mat; mm, linear tones (BGR, 0..1)."""

    x_mm: float
    y_mm: float
    theta_rad: float
    size_mm: tuple[float, float]  # to the outside of its line
    line_mm: float
    line_bgr: tuple[float, float, float]
    corner_mm: float = 4.0
    fill_bgr: tuple[float, float, float] | None = None  # None: the mat shows within


@dataclass(frozen=True)
class Scene:
    """A table to be photographed; lengths mm, angles degrees."""

    cards: tuple[PlacedCard, ...]
    size_wh: tuple[int, int] = (1920, 1440)
    focal_35mm: float = 26.0
    tilt_deg: float = 20.0
    azimuth_deg: float = 90.0
    roll_deg: float = 0.0
    fill: float = 0.85  # of the picture by the cards
    k1: float = 0.0
    k2: float = 0.0
    cloth_bgr: tuple[int, int, int] = (70, 110, 60)
    texture: float = 8.0
    light: float = 1.0
    light_bgr: tuple[float, float, float] = (1.0, 1.0, 1.0)
    falloff: float = 0.25
    blur_px: float = 0.7
    noise: float = 2.0
    jpeg_quality: int = 92
    seed: int = 0
    covers: tuple[tuple[float, float, float], ...] = field(default=())  # x, y, radius of discs
    slots: tuple[Slot, ...] = ()


def camera_for(scene: Scene) -> Camera:
    """Aim a camera so that all cards fill ``scene.fill`` of the picture."""
    w, h = scene.size_wh
    f = scene.focal_35mm / 43.2666 * float(np.hypot(w, h))
    k = np.array([[f, 0, (w - 1) / 2], [0, f, (h - 1) / 2], [0, 0, 1.0]])
    corners = np.concatenate(
        [
            table_from_card(card_corners(63.5, 88.9), c.x_mm, c.y_mm, c.theta_rad)
            for c in scene.cards
        ]
    )
    middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
    t, a, r = np.radians([scene.tilt_deg, scene.azimuth_deg, scene.roll_deg])
    for distance in np.geomspace(250, 6000, 120):
        eye = np.array(
            [
                middle[0] + distance * np.sin(t) * np.cos(a),
                middle[1] + distance * np.sin(t) * np.sin(a),
                -distance * np.cos(t),
            ]
        )
        forward = np.array([*middle, 0.0]) - eye
        forward /= np.linalg.norm(forward)
        right = np.array([np.sin(a), -np.cos(a), 0.0])
        down = np.cross(forward, right)
        rotation = np.stack(
            [np.cos(r) * right + np.sin(r) * down, -np.sin(r) * right + np.cos(r) * down, forward]
        )
        plane = np.column_stack([rotation[:, :2], -rotation @ eye])
        camera = Camera(k, np.array([scene.k1, scene.k2]), k @ plane / (k @ plane)[2, 2])
        if np.any((corners @ plane[2, :2] + plane[2, 2]) < 50):
            continue
        px = photo_from_table(camera, corners)
        half = np.array([w, h]) / 2
        if np.all(np.abs(px - half) < scene.fill * half):
            return camera
    msg = "the cards do not fit"
    raise ValueError(msg)


def photograph(scene: Scene, bank: Faces, camera: Camera | None = None) -> tuple[ImageBGR, Camera]:
    """Draw the photo; the camera, aimed at the cards unless it is given, is the exact truth."""
    rng = np.random.default_rng(scene.seed)
    camera = camera or camera_for(scene)
    w, h = scene.size_wh
    picture = np.empty((h, w, 3), np.float32)
    picture[:] = _LINEAR[list(scene.cloth_bgr)]
    grain = cv2.GaussianBlur(rng.standard_normal((h, w)).astype(np.float32), (0, 0), 1.5)
    picture *= (1 + scene.texture / 100 * grain / grain.std())[..., None]
    for slot in scene.slots:
        _print_slot(picture, slot, camera)
    faces = {k: _LINEAR[face] for k, face in zip(bank.card_ids, bank.images, strict=True)}
    half = np.array([bank.width_mm / 2, bank.height_mm / 2])
    for card in scene.cards:
        _lay(picture, faces[card.card_id], card, camera, bank, half)
    for x, y, radius in scene.covers:
        ring = np.linspace(0, 2 * np.pi, 60)
        disc = photo_from_table(
            camera, np.stack([x + radius * np.cos(ring), y + radius * np.sin(ring)], 1)
        )
        cv2.fillPoly(picture, [np.int32(np.round(disc * 16))], _COVER, cv2.LINE_AA, 4)
    yy, xx = np.mgrid[0:h, 0:w]
    shade = 1 - scene.falloff * (np.hypot(xx - 0.2 * w, yy - 0.1 * h) / np.hypot(w, h))
    picture *= (shade * scene.light).astype(np.float32)[..., None] * np.float32(scene.light_bgr)
    if scene.blur_px:
        picture = cv2.GaussianBlur(picture, (0, 0), scene.blur_px)
    picture = np.where(
        picture <= 0.0031308,
        12.92 * picture,
        1.055 * np.maximum(picture, 1e-6) ** (1 / 2.4) - 0.055,
    ).astype(np.float32)
    picture = 255 * picture + scene.noise * rng.standard_normal(picture.shape).astype(np.float32)
    sharp = np.clip(picture + 0.5, 0, 255).astype(np.uint8)
    encoded = cv2.imencode(".jpg", sharp, [cv2.IMWRITE_JPEG_QUALITY, scene.jpeg_quality])[1]
    return cv2.imdecode(encoded, cv2.IMREAD_COLOR), camera


def _print_slot(picture: np.ndarray, slot: Slot, camera: Camera) -> None:
    """Paint a slot's line, and what fills it."""

    def within(inset: float) -> np.ndarray:
        w, h = np.array(slot.size_mm) / 2 - inset
        r = max(slot.corner_mm - inset, 0.01)
        turn = np.linspace(0, np.pi / 2, 12)
        ring = np.concatenate(
            [
                np.stack([a + r * np.cos(turn + k), b + r * np.sin(turn + k)], axis=1)
                for a, b, k in (
                    (w - r, h - r, 0.0),
                    (r - w, h - r, np.pi / 2),
                    (r - w, r - h, np.pi),
                    (w - r, r - h, 1.5 * np.pi),
                )
            ]
        )
        at = photo_from_table(camera, table_from_card(ring, slot.x_mm, slot.y_mm, slot.theta_rad))
        mask = np.zeros(picture.shape[:2], np.uint8)
        cv2.fillPoly(mask, [np.int32(np.round(at * 16))], 255, cv2.LINE_AA, 4)
        return mask.astype(np.float32)[..., None] / 255

    outer, inner = within(0.0), within(slot.line_mm)
    line = outer * (1 - inner)
    picture *= 1 - line
    picture += line * np.float32(slot.line_bgr)
    if slot.fill_bgr is not None:
        picture *= 1 - inner
        picture += inner * np.float32(slot.fill_bgr)


def _lay(
    picture: np.ndarray,
    face: np.ndarray,
    card: PlacedCard,
    camera: Camera,
    bank: Faces,
    half: np.ndarray,
    over: int = 3,
) -> None:
    """Paint one card, ``over`` x ``over`` samples a pixel."""
    corners = table_from_card(
        card_corners(bank.width_mm, bank.height_mm), card.x_mm, card.y_mm, card.theta_rad
    )
    px = photo_from_table(camera, corners)
    h, w = picture.shape[:2]
    x0, y0 = np.maximum(np.floor(px.min(axis=0)).astype(int) - 2, 0)
    x1, y1 = np.minimum(np.ceil(px.max(axis=0)).astype(int) + 3, [w, h])
    if x0 >= x1 or y0 >= y1:
        return
    step = (np.arange(over) + 0.5) / over - 0.5
    xs = (np.arange(x0, x1)[:, None] + step).ravel()
    ys = (np.arange(y0, y1)[:, None] + step).ravel()
    on_card = _on_card(xs, ys, card, camera)
    radius = bank.corner_radius_mm
    excess = np.maximum(np.abs(on_card) - (half - radius), 0)
    inside = (
        (np.hypot(excess[..., 0], excess[..., 1]) <= radius)
        if radius
        else ((np.abs(on_card) <= half).all(axis=-1))
    )
    middle = (np.array(face.shape[1::-1]) - 1) / 2
    at = (on_card * bank.px_per_mm + middle).astype(np.float32)
    colour = cv2.remap(
        face, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    alpha = inside.astype(np.float32)
    shape = (y1 - y0, over, x1 - x0, over)
    coverage = alpha.reshape(shape).mean(axis=(1, 3))
    mixed = (colour * alpha[..., None]).reshape(*shape, 3).mean(axis=(1, 3))
    region = picture[y0:y1, x0:x1]
    region *= 1 - coverage[..., None]
    region += mixed


def _on_card(xs: np.ndarray, ys: np.ndarray, card: PlacedCard, camera: Camera) -> np.ndarray:
    """Map a grid of pixels (len(ys), len(xs), 2) to the card frame; much quicker than points."""
    x, y = np.meshgrid(xs, ys)
    if np.any(camera.distortion):
        x, y = undistort(camera, np.stack([x.ravel(), y.ravel()], axis=1)).T.reshape(2, *x.shape)
    table_from_card = np.eye(3)
    table_from_card[:2, :2] = rotation(card.theta_rad)
    table_from_card[:2, 2] = card.x_mm, card.y_mm
    h = np.linalg.inv(camera.photo_from_table @ table_from_card)
    w = h[2, 0] * x + h[2, 1] * y + h[2, 2]
    return np.stack([(a * x + b * y + c) / w for a, b, c in h[:2]], axis=-1)


def random_cards(
    card_ids: list[str], rng: np.random.Generator, *, gap_mm: float = 8.0, spread: float = 150.0
) -> tuple[PlacedCard, ...]:
    """Lay cards at random poses, no nearer than ``gap_mm`` to each other."""
    from shapely.geometry import Polygon

    field_mm = np.sqrt(len(card_ids) + 2) * spread
    laid: list[PlacedCard] = []
    shapes: list[Polygon] = []
    for card_id in card_ids:
        for attempt in range(2000):
            grow = 1 + attempt / 1000
            x, y = rng.uniform(-0.5, 0.5, 2) * field_mm * [1.15, 0.85] * grow
            theta = rng.uniform(-np.pi, np.pi)
            shape = Polygon(table_from_card(card_corners(63.5, 88.9), x, y, theta))
            if all(shape.distance(other) > gap_mm for other in shapes):
                laid.append(PlacedCard(card_id, float(x), float(y), float(theta)))
                shapes.append(shape)
                break
    return tuple(laid)
