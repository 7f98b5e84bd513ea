"""The table between the cards -> where something lies that may hide a card.

A hand, a mug or a phone within the play area can cover a card whole, and then nothing of the card
tells of it. The cloth is known by its own colour: what differs from it in hue or brightness, is no
card and is as large as a card is told as a doubt. On a patterned cloth nothing can be said.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.adjustment import Solution, camera_of
from vision.errors import DegenerateGeometryError
from vision.geometry import photo_from_table
from vision.overlaps import card_outlines
from vision.texts import make_issue
from vision.types import BoolArray, FloatArray, ImageBGR, Issue

__all__ = ["ObstacleSettings", "find_obstacles"]


@dataclass(frozen=True, slots=True)
class ObstacleSettings:
    """What is large enough, and how far off the cloth's colour; colours are logarithms of tones."""

    step_mm: float = 4.0  # of the plan of the table
    round_mm: float = 30.0  # beyond the outermost cards: a card there would still be met
    card_edge_mm: float = 6.0  # round a known card: its shadow and glow
    hide_mm: float = 50.0  # least breadth: a card is 63 wide, and its rim would show
    hide_share: float = 0.5  # of a card's area
    hue_off: float = 0.14  # a wooden table's grain stays below 0.1
    light_off: float = 0.9  # brighter or darker by 2.5; a shadow of one lamp halves
    spreads: float = 5.0  # robust deviations of the cloth itself
    most_spread: float = 1.2  # of the limits above: more is no cloth
    even_mm: float = 12.0  # colours are means over so much of bare table: grain is no thing
    most_share: float = 0.35  # of the table that may differ from "the cloth": more is a pattern,
    solid_share: float = 0.6  # unless so much of it is in pieces as broad as a card
    samples: int = 4000  # of the cloth that tell its colour: neighbours say the same
    first_samples: int = 700  # of which the one with most like it is the first guess
    alike: tuple[float, float, float] = (0.05, 0.05, 0.35)  # two hues and the light
    floor: float = 12.0  # tones added before the logarithm: noise in the dark


def find_obstacles(
    picture: ImageBGR,
    level: int,
    solution: Solution,
    size_mm: tuple[float, float],
    settings: ObstacleSettings | None = None,
) -> tuple[Issue, ...]:
    """Tell of things among the cards that may hide one.

    Parameters
    ----------
    picture : (H, W, 3) uint8
        The photo, halved ``level`` times.
    level : int
        How often.
    solution : Solution
        Camera, plane and the poses of all cards.
    size_mm : (float, float)
        Width and height of a card.

    Returns
    -------
    tuple of Issue
        One doubt for each thing, with its place in the photo.
    """
    s = settings or ObstacleSettings()
    outlines = card_outlines(solution.poses, size_mm)
    corners = outlines.reshape(-1, 2)
    low = corners.min(axis=0) - s.round_mm - s.hide_mm
    columns, rows = np.ceil((corners.max(axis=0) + s.round_mm + s.hide_mm - low) / s.step_mm)
    x, y = np.arange(int(columns)) * s.step_mm + low[0], np.arange(int(rows)) * s.step_mm + low[1]
    plan = np.stack(np.meshgrid(x, y), axis=-1)
    try:
        at_px = photo_from_table(camera_of(solution), plan.reshape(-1, 2)).reshape(plan.shape)
    except DegenerateGeometryError:  # the play area reaches to the horizon
        return ()
    maps = ((at_px + 0.5) / 2**level - 0.5).astype(np.float32)
    tones = cv2.remap(picture, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)
    height, width = picture.shape[:2]
    inside = ((maps >= 0) & (maps < [width, height])).all(axis=2)

    places = np.round((outlines - low) / s.step_mm).astype(np.int32)
    cards = np.zeros(inside.shape, np.uint8)
    cv2.fillPoly(cards, list(places), 255)
    played = np.zeros(inside.shape, np.uint8)
    cv2.fillConvexPoly(played, cv2.convexHull(places.reshape(-1, 1, 2)), 255)
    bare = inside & (_grown(cards, s.card_edge_mm / s.step_mm) == 0)
    bare &= _grown(played, (s.round_mm + s.hide_mm) / s.step_mm) > 0
    if bare.sum() < 50:
        return ()
    off = _off_the_cloth(np.log(tones.astype(np.float64) + s.floor), bare, s) & bare
    breadth = max(3, round(s.hide_mm / s.step_mm))
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (breadth, breadth))
    solid = cv2.morphologyEx(off.astype(np.uint8) * 255, cv2.MORPH_OPEN, disc) > 0
    if off.sum() > s.most_share * bare.sum() and solid.sum() < s.solid_share * off.sum():
        return ()
    return _tell_of(solid, played, at_px, size_mm, s)


def _grown(mask: np.ndarray, radius: float) -> np.ndarray:
    """Widen the white parts of a mask (H, W) uint8 by a radius in its pixels."""
    reach = max(1, round(radius))
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * reach + 1, 2 * reach + 1))
    return np.asarray(cv2.dilate(mask, disc), np.uint8)


def _off_the_cloth(colours: FloatArray, bare: BoolArray, s: ObstacleSettings) -> BoolArray:
    """Tell which places (H, W) of log colours (H, W, 3) are not of the cloth's own colour."""
    rows, columns = bare.shape
    v, u = np.mgrid[-1 : 1 : rows * 1j, -1 : 1 : columns * 1j]
    base = np.stack([np.ones_like(u), u, v, u * u, u * v, v * v], axis=-1)  # light falls off
    light = colours.mean(axis=2)
    hue = colours - light[..., None]
    signals = np.stack([hue[..., 0], hue[..., 2], light], axis=-1)
    hood = (2 * int(s.even_mm / s.step_mm / 2) + 1,) * 2
    count = cv2.blur(bare.astype(np.float64), hood)
    signals = cv2.blur(signals * bare[..., None], hood) / np.maximum(count, 1e-9)[..., None]
    some = slice(None, None, max(1, int(bare.sum()) // s.samples))
    x, y = base[bare][some], signals[bare][some]
    first = y[:: max(1, len(y) // s.first_samples)]
    near = (np.abs(first[:, None] - first) < s.alike).all(axis=2)
    is_cloth = (np.abs(y - first[near.sum(axis=1).argmax()]) < s.alike).all(axis=1)
    least = np.array([s.hue_off, s.hue_off, s.light_off])
    for _ in range(8):  # the cloth grows: what is like it, where the light falls off
        weighted = x * is_cloth[:, None]
        fit = np.linalg.solve(weighted.T @ x + 1e-3 * np.eye(6), weighted.T @ y)
        rest = np.abs(y - x @ fit)
        spread = 1.4826 * np.median(rest[is_cloth], axis=0) + 1e-3
        limits = np.clip(s.spreads * spread, least, s.most_spread * least)
        before, is_cloth = is_cloth, (rest < limits).all(axis=1)
        if (before == is_cloth).all():
            break
    off = np.abs(signals - base @ fit)
    return np.asarray((off > limits).any(axis=2))


def _tell_of(
    solid: BoolArray,
    played: np.ndarray,
    at_px: FloatArray,
    size_mm: tuple[float, float],
    s: ObstacleSettings,
) -> tuple[Issue, ...]:
    """Make a doubt of each thing that is as broad as a card and lies among the cards."""
    near = _grown(played, s.round_mm / s.step_mm) > 0
    count, labels = cv2.connectedComponents(solid.astype(np.uint8))
    issues = []
    for label in range(1, count):
        thing = (labels == label) & near
        if thing.sum() * s.step_mm**2 < s.hide_share * size_mm[0] * size_mm[1]:
            continue
        px, py = np.median(at_px[thing], axis=0)
        gaps = {"x": f"{px:.0f}", "y": f"{py:.0f}"}
        issues.append(make_issue("table_covered", "issue.table_covered", (), "doubt", **gaps))
    return tuple(issues)
