"""Photo + outlines of its cards -> each card cut to its edge, the light on the table taken out.

How bright the light is at each card is told by the cloth round it, which is one thing all over, and
by the cards' own rims where all of them have the same; whichever is the steadier counts.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.drafts.outlines import LaidOut
from vision.geometry import solve_homographies
from vision.imaging.bends import bends_at
from vision.imaging.photo import Photo
from vision.values.arrays import FloatArray, ImageBGR, Points

__all__ = ["CutSettings", "cut_cards"]


@dataclass(frozen=True, slots=True)
class CutSettings:
    """How cards are cut; lengths mm."""

    px_per_mm: float = 8.0  # of a cut card: what 12 megapixels give of a dozen cards
    cloth_mm: tuple[float, float] = (3.0, 7.0)  # outside the edge: beyond its shadow, before others
    rim_mm: tuple[float, float] = (0.8, 1.8)  # inside the edge: a border, if there is one
    steady: float = 0.12  # of its logarithm: a rim or cloth that varies more tells no light
    white: float = 245.0  # tone that paper white is brought to
    most_gain: float = 2.5  # darker photos stay dark: their noise would be raised
    neutral: float = 0.12  # of the mean: a rim whose channels differ more is no white one
    bright: float = 110.0  # tones: a rim below that is no paper
    brightest: float = 99.5  # percentile of all cards that is taken for white without one


def cut_cards(
    photo: Photo, laid: LaidOut, settings: CutSettings | None = None
) -> tuple[ImageBGR, ...]:
    """Cut the cards of a photo out, upright, at one scale, evenly lit.

    Parameters
    ----------
    photo : Photo
        As it was taken.
    laid : LaidOut
        Its N cards.
    settings : CutSettings, optional
        How they are cut.

    Returns
    -------
    N of (H, W, 3) uint8
        Each fills its picture to the edge; H and W are the card's size at ``px_per_mm``.
    """
    s = settings or CutSettings()
    width, height = laid.size_mm
    size_wh = round(width * s.px_per_mm), round(height * s.px_per_mm)
    cards = [_cut(photo.image, quad, laid.size_mm, size_wh) for quad in laid.corners_px]
    if not cards:
        return ()
    rims = np.array([_rim(card, s) for card in cards])
    cloth = np.array([_cloth(photo.image, quad, laid.size_mm, s) for quad in laid.corners_px])
    places = laid.corners_px.mean(axis=1) / max(photo.image.shape[:2])
    shades = _shades(places, rims, cloth, s)
    lit = [card / shade for card, shade in zip(cards, shades, strict=True)]
    gain = _to_white(lit, rims / shades[:, None], s)
    return tuple(np.clip(card * gain + 0.5, 0, 255).astype(np.uint8) for card in lit)


def _cut(
    image: ImageBGR, quad: Points, size_mm: tuple[float, float], size_wh: tuple[int, int]
) -> ImageBGR:
    """Cut one card; where the photo is finer than the cut, its pixels are averaged."""
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    over = int(np.clip(np.ceil(sides.max() / max(size_wh)), 1, 4))
    wide, high = size_wh[0] * over, size_wh[1] * over
    edge = np.array([[0, 0], [wide, 0], [wide, high], [0, high]]) - 0.5
    photo_from_cut = solve_homographies(edge, quad[None])[0]
    how = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    cut = cv2.warpPerspective(
        image, photo_from_cut, (wide, high), flags=how, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(cv2.resize(cut, size_wh, interpolation=cv2.INTER_AREA), np.uint8)


def _rim(card: ImageBGR, s: CutSettings) -> FloatArray:
    """Return the median colour (3,) just inside a card's edge."""
    first, last = (round(mm * s.px_per_mm) for mm in s.rim_mm)
    ring = np.ones(card.shape[:2], np.bool_)
    ring[last:-last, last:-last] = False
    ring[:first], ring[-first:], ring[:, :first], ring[:, -first:] = False, False, False, False
    return np.asarray(np.median(card[ring].astype(np.float64), axis=0), np.float64)


def _cloth(
    image: ImageBGR, quad: Points, size_mm: tuple[float, float], s: CutSettings
) -> FloatArray:
    """Return the median colour (3,) of the cloth round a card."""
    w, h = size_mm
    edge = np.array([[0, 0], [w, 0], [w, h], [0, h]])
    photo_from_card = solve_homographies(edge, quad[None])[0]
    found = []
    for away in np.linspace(*s.cloth_mm, 3):
        x, y = np.linspace(0, w, 40), np.linspace(0, h, 40)
        sides = [(x, 0 * x - away), (x, 0 * x + h + away), (0 * y - away, y), (0 * y + w + away, y)]
        found += [np.stack([a, b, np.ones_like(a)]) for a, b in sides]
    at = photo_from_card @ np.concatenate(found, axis=1)
    maps = (at[:2] / at[2]).astype(np.float32)
    tones = cv2.remap(image, maps[:1], maps[1:], cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE)
    return np.asarray(np.median(tones[0].astype(np.float64), axis=0), np.float64)


def _shades(places: FloatArray, rims: FloatArray, cloth: FloatArray, s: CutSettings) -> FloatArray:
    """Return how bright (N, 1, 1) the light is at each card, 1 on average."""
    best, least = np.zeros(len(places)), s.steady
    for tones in (rims, cloth):
        level = np.log(np.maximum(tones.mean(axis=1), 1.0))
        fitted = _smooth(places, level)
        rest = float(np.median(np.abs(level - fitted))) * 1.5
        if rest < least and np.median(tones) > 12:
            best, least = fitted, rest
    return np.exp(best - np.mean(best))[:, None, None]


def _smooth(places: FloatArray, level: FloatArray) -> FloatArray:
    """Fit a sloping or bent plane to levels (N,) at places (N, 2), robustly."""
    x, y = (places - places.mean(axis=0)).T
    design = bends_at(x, y)[:, : 6 if len(x) >= 12 else 3 if len(x) >= 5 else 1]
    weight = np.ones(len(x))
    fitted = level
    for _ in range(8):
        root = np.sqrt(weight)[:, None]
        fitted = design @ np.linalg.lstsq(design * root, level * root[:, 0], rcond=None)[0]
        off = np.abs(level - fitted)
        weight = 1 / np.maximum(off, 0.5 * np.median(off) + 1e-3)
    return np.asarray(fitted, np.float64)


def _to_white(lit: list[FloatArray], rims: FloatArray, s: CutSettings) -> FloatArray:
    """Return the gain (3,) that makes paper white: the rims' if they are of paper."""
    rims = rims.reshape(-1, 3)
    common = np.median(rims, axis=0)
    strays = np.median(np.abs(rims - common).max(axis=1)) / max(float(common.mean()), 1.0)
    spread = np.ptp(common) / max(float(common.mean()), 1.0)
    if strays < s.steady and spread < 3 * s.neutral and common.mean() > s.bright:
        return np.asarray(np.clip(s.white / common, 1 / s.most_gain, s.most_gain), np.float64)
    brightest = np.percentile(
        np.concatenate([card[::4, ::4].reshape(-1, 3) for card in lit]), s.brightest, axis=0
    )
    gain = s.white / max(float(brightest.max()), 1.0)
    return np.full(3, float(np.clip(gain, 1 / s.most_gain, s.most_gain)))
