"""Draws photographs of tables with exact truth: plain numpy and OpenCV, a second or less each.

Not the last word in optics (the sample photos are ray-traced); it has what the stages' tests need:
perspective, a radial lens, cloth, light that falls off, blur, noise, JPEG, and exact poses.
"""

from dataclasses import dataclass, field
from functools import lru_cache

import cv2
import numpy as np

from vision.geometry import (
    card_corners,
    photo_from_table,
    rotation,
    table_from_card,
    table_from_photo,
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
class Pattern:
    """The second colour of a cloth: ``gingham``, ``check`` or ``stripes``, so wide, so turned."""

    kind: str
    second_bgr: tuple[int, int, int]
    width_mm: float
    turn_rad: float = 0.0


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
    pattern: Pattern | None = None


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
    camera = camera or camera_for(scene)
    grain, noise = chance(scene.seed, scene.size_wh)
    picture = painted(1 + scene.texture / 100 * grain, _LINEAR[list(scene.cloth_bgr)])
    if scene.pattern is not None:
        second = painted(1 + scene.texture / 100 * grain, _LINEAR[list(scene.pattern.second_bgr)])
        share = cv2.merge([_second_share(scene.pattern, camera, scene.size_wh)] * 3)
        picture = picture * (1 - share) + second * share
    for slot in scene.slots:
        _print_slot(picture, slot, camera)
    shown = {card.card_id for card in scene.cards}
    faces = {
        k: cv2.LUT(face, _LINEAR)
        for k, face in zip(bank.card_ids, bank.images, strict=True)
        if k in shown
    }
    half = np.array([bank.width_mm / 2, bank.height_mm / 2])
    for card in scene.cards:
        _lay(picture, faces[card.card_id], card, camera, bank, half)
    for x, y, radius in scene.covers:
        ring = np.linspace(0, 2 * np.pi, 60)
        disc = photo_from_table(
            camera, np.stack([x + radius * np.cos(ring), y + radius * np.sin(ring)], 1)
        )
        cv2.fillPoly(picture, [np.int32(np.round(disc * 16))], _COVER, cv2.LINE_AA, 4)
    light = scene.light * np.float32(scene.light_bgr)
    cv2.multiply(picture, lit(scene.size_wh, scene.falloff, *light.tolist()), dst=picture)
    if scene.blur_px:
        picture = cv2.GaussianBlur(picture, (0, 0), scene.blur_px)
    picture = cv2.scaleAdd(noise, scene.noise, _toned(picture))
    picture += 0.5
    sharp = np.clip(picture, 0, 255, out=picture).astype(np.uint8)
    encoded = cv2.imencode(".jpg", sharp, [cv2.IMWRITE_JPEG_QUALITY, scene.jpeg_quality])[1]
    return cv2.imdecode(encoded, cv2.IMREAD_COLOR), camera


def _second_share(pattern: Pattern, camera: Camera, size_wh: tuple[int, int]) -> np.ndarray:
    """Return how much of each pixel (H, W) is of a cloth's second colour."""
    at_px = np.stack(np.meshgrid(*map(np.arange, size_wh)), axis=-1).reshape(-1, 2)
    x, y = table_from_photo(camera, at_px.astype(np.float64)).T
    cos, sin = np.cos(pattern.turn_rad), np.sin(pattern.turn_rad)
    along, across = (
        np.floor(of / pattern.width_mm) % 2 for of in (cos * x + sin * y, cos * y - sin * x)
    )
    share = {
        "gingham": (along + across) / 2,
        "check": np.abs(along - across),
        "stripes": along,
    }[pattern.kind]
    return share.reshape(size_wh[::-1]).astype(np.float32)


@lru_cache(maxsize=4)  # of 1920 x 1440 44 MB each; half the time of a picture otherwise
def chance(seed: int, size_wh: tuple[int, int], over: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Return a cloth's grain, of ``over`` x ``over`` a pixel, and a camera's noise: deviation 1."""
    rng = np.random.default_rng(seed)
    w, h = size_wh
    grain = rng.standard_normal((over * h, over * w)).astype(np.float32)
    grain = cv2.GaussianBlur(grain, (0, 0), 1.5 * over)
    grain /= grain.std()
    noise = rng.standard_normal((h, w, 3)).astype(np.float32)
    grain.flags.writeable = noise.flags.writeable = False
    return grain, noise


def shade_of(size_wh: tuple[int, int], falloff: float) -> np.ndarray:
    """Return how light falls off (H, W, 1) from the upper left."""
    w, h = size_wh
    x = np.arange(w, dtype=np.float32)[None] - 0.2 * w
    y = np.arange(h, dtype=np.float32)[:, None] - 0.1 * h
    return (1 - falloff / np.hypot(w, h) * np.sqrt(x * x + y * y)).astype(np.float32)[..., None]


def painted(tone: np.ndarray, bgr: np.ndarray) -> np.ndarray:
    """Return a picture (H, W, 3) of one colour, by how light each pixel is (H, W)."""
    return cv2.merge([tone * np.float32(part) for part in bgr])


@lru_cache(maxsize=4)
def lit(size_wh: tuple[int, int], falloff: float, *light_bgr: float) -> np.ndarray:
    """Return by what light multiplies each pixel (H, W, 3)."""
    factor = painted(shade_of(size_wh, falloff)[..., 0], np.float32(light_bgr))
    factor.flags.writeable = False
    return factor


def _toned(light: np.ndarray) -> np.ndarray:
    """Return the tones 0..255 that a camera gives light 0..1."""
    toned = np.maximum(light, 1e-6)
    cv2.pow(toned, 1 / 2.4, dst=toned)
    toned *= 255 * 1.055
    toned -= 255 * 0.055
    is_dark = light <= 0.0031308
    if is_dark.any():
        toned[is_dark] = 255 * 12.92 * light[is_dark]
    return toned


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
        return photo_from_table(camera, table_from_card(ring, slot.x_mm, slot.y_mm, slot.theta_rad))

    def mask_of(at: np.ndarray) -> np.ndarray:
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        corners = np.int32(np.round(at * 16)) - 16 * np.int32([x0, y0])
        cv2.fillPoly(mask, [corners], 255, cv2.LINE_AA, 4)
        return cv2.merge([mask.astype(np.float32) / 255] * 3)

    edge = within(0.0)
    x0, y0 = np.clip(np.floor(edge.min(axis=0)).astype(int) - 3, 0, picture.shape[1::-1])
    x1, y1 = np.clip(np.ceil(edge.max(axis=0)).astype(int) + 4, 0, picture.shape[1::-1])
    if x0 >= x1 or y0 >= y1:
        return
    region = picture[y0:y1, x0:x1]
    outer, inner = mask_of(edge), mask_of(within(slot.line_mm))
    line = outer * (1 - inner)
    region *= 1 - line
    region += line * np.float32(slot.line_bgr)
    if slot.fill_bgr is not None:
        region *= 1 - inner
        region += inner * np.float32(slot.fill_bgr)


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
    x, y = _on_card((x0, y0, x1, y1), over, card, camera)
    radius = bank.corner_radius_mm
    if radius:
        out_x, out_y = (
            np.maximum(np.abs(at) - np.float32(side - radius), 0)
            for at, side in zip((x, y), half, strict=True)
        )
        inside = out_x * out_x + out_y * out_y <= radius * radius
    else:
        inside = (np.abs(x) <= half[0]) & (np.abs(y) <= half[1])
    scale = np.float32(bank.px_per_mm)
    x, y = (
        at * scale + np.float32((side - 1) / 2)
        for at, side in zip((x, y), face.shape[1::-1], strict=True)
    )
    colour = cv2.remap(face, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    colour = cv2.copyTo(colour, inside.view(np.uint8))
    size = (x1 - x0, y1 - y0)  # the mean of each pixel's samples
    mixed = cv2.resize(colour, size, interpolation=cv2.INTER_AREA)
    coverage = cv2.resize(inside.astype(np.float32), size, interpolation=cv2.INTER_AREA)
    region = picture[y0:y1, x0:x1]
    region[:] = region * cv2.merge([1 - coverage] * 3) + mixed


def _on_card(
    box_px: tuple[int, int, int, int], over: int, card: PlacedCard, camera: Camera
) -> tuple[np.ndarray, np.ndarray]:
    """Map a box's pixels, ``over`` x ``over`` samples each, to the card frame: x and y, float32."""
    x0, y0, x1, y1 = box_px
    table_from_card = np.eye(3)
    table_from_card[:2, :2] = rotation(card.theta_rad)
    table_from_card[:2, 2] = card.x_mm, card.y_mm
    h = np.linalg.inv(camera.photo_from_table @ table_from_card)
    if np.any(camera.distortion):  # within a pixel a lens is linear: to 2e-4 px
        at = np.meshgrid(np.arange(x0 - 1.0, x1 + 1), np.arange(y0 - 1.0, y1 + 1))
        flat = undistort(camera, np.stack(at, axis=2).reshape(-1, 2)).reshape(*at[0].shape, 2)
        fine = cv2.resize(flat, None, fx=over, fy=over, interpolation=cv2.INTER_LINEAR)
        x, y = np.moveaxis(fine[over:-over, over:-over], 2, 0)
    else:
        step = (np.arange(over) + 0.5) / over - 0.5
        x = (np.arange(x0, x1)[:, None] + step).reshape(1, -1)
        y = (np.arange(y0, y1)[:, None] + step).reshape(-1, 1)
    across, down, w = ((a * x + c) + b * y for a, b, c in h)
    across /= w
    down /= w
    return across.astype(np.float32), down.astype(np.float32)


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
