"""Draws card faces of every kind, afresh from a seed: what owners of other decks photograph.

Procedural pictures stand in for art: landscapes, heads, gradients, cloth and marble, crowds of
shapes, text panels; and playing cards, which a half turn leaves as they are. Borders are dark,
light, coloured or absent.
"""

from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np

from vision.values.arrays import ImageBGR

KINDS = ("landscape", "head", "gradient", "marble", "shapes", "panel", "night")
BORDERS = ("none", "black", "white", "colour")
_FONT = cv2.FONT_HERSHEY_SIMPLEX


def noise(rng: np.random.Generator, shape: tuple[int, int], octaves: int = 6) -> np.ndarray:
    """Return smooth noise (H, W), mean 0, deviation 1: each octave half as strong."""
    h, w = shape
    total = np.zeros(shape)
    for k in range(octaves):
        n = 2 ** (k + 1)
        coarse = rng.standard_normal((max(2, n * h // w + 2), n + 2)).astype(np.float32)
        total += cv2.resize(coarse, (w, h), interpolation=cv2.INTER_CUBIC) / 1.7**k
    return (total - total.mean()) / total.std()


def colour(rng: np.random.Generator, low: float = 20, high: float = 235) -> np.ndarray:
    return rng.uniform(low, high, 3)


def ramp(t: np.ndarray, stops: list[np.ndarray]) -> np.ndarray:
    """Colour values 0..1 by a ramp through colours."""
    at = np.clip(t, 0, 1) * (len(stops) - 1)
    known = np.arange(len(stops))
    return np.stack([np.interp(at, known, [s[c] for s in stops]) for c in range(3)], axis=-1)


def art(kind: str, rng: np.random.Generator, h: int, w: int) -> np.ndarray:
    """Return a picture (h, w, 3) float BGR of a kind."""
    yy, xx = np.mgrid[0:h, 0:w] / w
    if kind == "landscape":
        img = ramp(yy * w / h, [colour(rng, 90, 250), colour(rng, 60, 220)])
        img += 12 * noise(rng, (h, w))[..., None]
        for k in range(4):
            line = h * (0.35 + 0.15 * k + 0.1 * noise(rng, (2, w), 5)[0])
            hill = colour(rng, 10, 160) * (1 - 0.15 * k)
            below = (yy * w) > line
            img[below] = hill + 14 * noise(rng, (h, w))[below][:, None]
        sun = rng.uniform([0.1, 0.05], [0.9, 0.35])
        img[np.hypot(xx - sun[0], yy - sun[1]) < 0.08] = colour(rng, 200, 255)
    elif kind == "head":
        img = ramp(0.5 + 0.2 * noise(rng, (h, w), 4), [colour(rng, 10, 120), colour(rng, 60, 200)])
        cx, cy, s = rng.uniform(0.35, 0.65), rng.uniform(0.45, 0.65), rng.uniform(0.15, 0.25)
        skin = np.array([110, 140, 190]) * rng.uniform(0.4, 1.2)
        coat, hair = colour(rng, 10, 200), colour(rng, 5, 140)
        img[((xx - cx) / (2.4 * s)) ** 2 + ((yy - cy - 3.1 * s) / (2 * s)) ** 2 < 1] = coat
        img[((xx - cx) / (1.25 * s)) ** 2 + ((yy - cy + 0.25 * s) / (1.4 * s)) ** 2 < 1] = hair
        face = ((xx - cx) / s) ** 2 + ((yy - cy) / (1.3 * s)) ** 2
        img[face < 1] = skin
        img *= (1 - 0.35 * np.clip(xx - cx, 0, 1))[..., None]
        for side in (-1, 1):
            eye = np.hypot(xx - cx - side * 0.4 * s, yy - cy + 0.2 * s)
            img[eye < 0.14 * s], img[eye < 0.07 * s] = 230, 20
        img[(np.abs(yy - cy - 0.6 * s) < 0.06 * s) & (np.abs(xx - cx) < 0.4 * s)] = (40, 30, 130)
        img += 6 * noise(rng, (h, w), 7)[..., None]
    elif kind == "gradient":
        a = rng.uniform(0, 2 * np.pi)
        t = 0.5 + 0.6 * (np.cos(a) * (xx - 0.5) + np.sin(a) * (yy - 0.7))
        img = ramp(t + 0.06 * noise(rng, (h, w), 3), [colour(rng) for _ in range(3)])
        _shapes(img, rng, 3)
    elif kind == "marble":
        t = 0.5 + 0.5 * np.sin(rng.uniform(4, 14) * xx + 2.5 * noise(rng, (h, w), 6))
        img = ramp(t, [colour(rng) for _ in range(int(rng.integers(2, 5)))])
    elif kind == "shapes":
        img = np.tile(colour(rng), (h, w, 1)) + 8 * noise(rng, (h, w), 5)[..., None]
        _shapes(img, rng, 14)
    elif kind == "night":
        img = ramp(0.4 + 0.25 * noise(rng, (h, w), 5), [colour(rng, 0, 30), colour(rng, 20, 90)])
        for x, y, r in rng.uniform([0, 0, 0.003], [1, h / w, 0.015], (60, 3)):
            x0, y0 = (max(int(w * (at - r)) - 1, 0) for at in (x, y))
            x1, y1 = (int(w * (at + r)) + 2 for at in (x, y))
            near = np.s_[y0:y1, x0:x1]
            img[near][np.hypot(xx[near] - x, yy[near] - y) < r] = colour(rng, 150, 255)
        _shapes(img, rng, 2)
    else:  # panel
        img = art(str(rng.choice(["landscape", "head", "marble", "shapes"])), rng, h, w)
        top = int(h * rng.uniform(0.55, 0.7))
        img[top : h - h // 20, w // 14 : w - w // 14] = colour(rng, 180, 245)
        img[h // 30 : h // 10, w // 14 : w - w // 14] = colour(rng, 180, 245)
        small = np.clip(img, 0, 255).astype(np.uint8)
        _write(small, rng, (w // 9, h // 12), w / 500)
        for k in range(6):
            _write(small, rng, (w // 10, top + h // 25 + k * h // 22), w / 750)
        img = small.astype(float)
    return np.clip(img, 0, 255)


def _write(img: np.ndarray, rng: np.random.Generator, at: tuple[int, int], scale: float) -> None:
    letters = rng.choice(list("abcdefghijklmnoprstuv   "), 26)
    cv2.putText(img, "".join(letters), at, _FONT, scale, (25, 25, 25), 1, cv2.LINE_AA)


def _shapes(img: np.ndarray, rng: np.random.Generator, count: int) -> None:
    h, w = img.shape[:2]
    for _ in range(count):
        x, y, r = (int(v) for v in rng.uniform([0, 0, 0.04 * w], [w, h, 0.25 * w]))
        tone = [float(v) for v in colour(rng)]
        if rng.random() < 0.5:
            cv2.circle(img, (x, y), r, tone, -1, cv2.LINE_AA)
        else:
            ring = np.sort(rng.uniform(0, 2 * np.pi, int(rng.integers(3, 6))))
            points = np.stack([x + r * np.cos(ring), y + r * np.sin(ring)], 1)
            cv2.fillPoly(img, [np.int32(points)], tone, cv2.LINE_AA)


def draw_face(
    seed: int,
    size_mm: tuple[float, float] = (63.0, 88.0),
    *,
    kind: str | None = None,
    border: str | None = None,
    px_per_mm: float = 8.0,
) -> ImageBGR:
    """Draw one face, each once; kind and border by the seed if not given."""
    return _drawn(seed, size_mm, kind, border, px_per_mm).copy()


@lru_cache(maxsize=100)  # about a megabyte each
def _drawn(
    seed: int, size_mm: tuple[float, float], kind: str | None, border: str | None, px_per_mm: float
) -> ImageBGR:
    rng = np.random.default_rng([77, seed])
    kind = kind or str(rng.choice(KINDS))
    border = border or str(rng.choice(BORDERS))
    w, h = (round(side * px_per_mm) for side in size_mm)
    if border == "none":
        return art(kind, rng, h, w).astype(np.uint8)
    tone = {"black": colour(rng, 8, 30), "white": colour(rng, 232, 250)}.get(border, colour(rng))
    margin = round(rng.uniform(2.5, 4.5) * px_per_mm)
    face = np.tile(tone, (h, w, 1))
    face[margin:-margin, margin:-margin] = art(kind, rng, h - 2 * margin, w - 2 * margin)
    return np.clip(face, 0, 255).astype(np.uint8)


def draw_playing_card(rank: int, suit: int, px_per_mm: float = 8.0) -> ImageBGR:
    """Draw a number card, 63.5 x 88.9 mm; a half turn leaves it as it is, but for the pips'."""
    w, h = round(63.5 * px_per_mm), round(88.9 * px_per_mm)
    face = np.full((h, w, 3), 247, np.uint8)
    tone = ((30, 25, 25), (40, 30, 200), (40, 30, 200), (30, 25, 25))[suit]
    columns = (0.3, 0.5, 0.7)
    rows = np.linspace(0.17, 0.5, 4)
    places = {
        1: [(1, 3)],
        2: [(1, 0)],
        3: [(1, 0), (1, 3)],
        4: [(0, 0), (2, 0)],
        5: [(0, 0), (2, 0), (1, 3)],
        6: [(0, 0), (2, 0), (0, 3), (2, 3)],
        8: [(0, 0), (2, 0), (0, 3), (2, 3), (1, 1)],
        9: [(0, 0), (2, 0), (0, 2), (2, 2), (1, 3)],
        10: [(0, 0), (2, 0), (0, 2), (2, 2), (1, 1)],
    }[rank]
    half = face.copy()
    for column, row in places:
        at = int(columns[column] * w), int(rows[row] * h)
        _pip(half, suit, at, 0.075 * w, tone)
    label = "A" if rank == 1 else str(rank)
    at = (int(0.05 * w), int(0.11 * h))
    cv2.putText(half, label, at, _FONT, w / 330, tone, max(2, w // 130), cv2.LINE_AA)
    _pip(half, suit, (int(0.09 * w), int(0.155 * h)), 0.035 * w, tone)
    return np.minimum(half, half[::-1, ::-1])


def _pip(
    img: np.ndarray, suit: int, at: tuple[int, int], r: float, tone: tuple[int, int, int]
) -> None:
    x, y = at
    if suit == 2:  # diamond
        ring = [(x, y - 1.3 * r), (x + r, y), (x, y + 1.3 * r), (x - r, y)]
        cv2.fillPoly(img, [np.int32(ring)], tone, cv2.LINE_AA)
        return
    up = -1 if suit == 1 else 1
    lobes = (
        [(-0.5, 0.3), (0.5, 0.3)] if suit in (0, 1) else [(-0.55, 0.25), (0.55, 0.25), (0, -0.6)]
    )
    for dx, dy in lobes:
        cv2.circle(
            img, (int(x + dx * r), int(y + up * dy * r)), int(0.55 * r), tone, -1, cv2.LINE_AA
        )
    if suit in (0, 1):
        ring = [(x - r, y + up * 0.35 * r), (x + r, y + up * 0.35 * r), (x, y - up * 1.2 * r)]
        cv2.fillPoly(img, [np.int32(ring)], tone, cv2.LINE_AA)
    if suit in (0, 3):
        ring = [(x, y), (x + 0.4 * r, y + 1.2 * r), (x - 0.4 * r, y + 1.2 * r)]
        cv2.fillPoly(img, [np.int32(ring)], tone, cv2.LINE_AA)


def scan_of(face: ImageBGR, seed: int, *, crop: float = 0.006) -> tuple[bytes, str]:
    """Return a face as people's scans are: another size, trimmed by eye, JPEG or PNG; and which."""
    rng = np.random.default_rng([78, seed])
    h, w = face.shape[:2]
    left, right = (int(v) for v in rng.uniform(0, crop * w, 2))
    top, bottom = (int(v) for v in rng.uniform(0, crop * h, 2))
    trimmed = face[top : h - bottom, left : w - right]
    scale = rng.uniform(0.5, 1.2)
    size = round(w * scale * rng.uniform(0.985, 1.015)), round(h * scale)
    scanned = cv2.resize(trimmed, size, interpolation=cv2.INTER_AREA)
    tone = scanned * rng.uniform(0.93, 1.05, 3) + rng.uniform(-4, 8)
    scanned = np.clip(tone, 0, 255).astype(np.uint8)
    kind = ".jpg" if rng.random() < 0.7 else ".png"
    options = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(75, 95))] if kind == ".jpg" else []
    return cv2.imencode(kind, scanned, options)[1].tobytes(), kind


def write_scans(faces: dict[str, ImageBGR], folder: Path) -> None:
    """Write faces into a folder as scans, named by their ids."""
    folder.mkdir(parents=True, exist_ok=True)
    for k, (name, face) in enumerate(faces.items()):
        encoded, kind = scan_of(face, k)
        (folder / f"{name}{kind}").write_bytes(encoded)
