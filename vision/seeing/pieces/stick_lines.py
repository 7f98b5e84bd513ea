"""What lies over a board -> straight thin lines on it, where sticks may lie.

A stick is a ridge, lighter or darker or of another colour than the print on both sides of it.
Ridges of every way are summed along lines of a stick's length.

References
----------
.. [1] Steger, An unbiased detector of curvilinear structures, 1998.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.view import from_level
from vision.seeing.pieces.foreground import Foreground
from vision.values.arrays import BoolArray, FloatArray
from vision.values.pieces import Piece

__all__ = ["StickLine", "StickLineSettings", "find_lines", "is_near"]


@dataclass(frozen=True, slots=True)
class StickLineSettings:
    """How lines are sought."""

    ways: int = 36  # five degrees apart: half a width at the ends of a stick
    ridge_mm: float = 0.7  # of the smoothing: a third of a match's width, where it shows best
    colour: float = 1.6  # weight of colour: shadows have none
    strong: float = 30.0  # grey levels of a ridge that count in full, so that no spot makes a line
    least: float = 4.0  # of the mean along a line, for it to be looked at
    places: int = 48  # at most, the strongest: the edges of a hand take half of them
    apart_mm: float = 4.0  # between the middles of two lines across: nearer they are one stick
    apart_rad: float = 0.5  # or of one that lies otherwise


@dataclass(frozen=True, slots=True, eq=False)
class StickLine:
    """A place where a stick may lie: middle, way (rad, either end), strength."""

    middle_mm: FloatArray
    way_rad: float
    strength: float


def find_lines(
    foreground: Foreground,
    blank: BoolArray,
    pieces: Sequence[Piece],
    settings: StickLineSettings | None = None,
) -> list[StickLine]:
    """Return where ridges lie in line, outside what is ``blank`` (H, W), the strongest first."""
    s = settings or StickLineSettings()
    strength, way = _ridges(foreground, s)
    strength[blank] = 0
    scale = foreground.rectified.px_per_mm / 2
    height, width = (size // 2 for size in strength.shape)
    size = (width, height)
    twice = 2 * way
    cos, sin, strong = (
        cv2.resize(v, size, interpolation=cv2.INTER_AREA)
        for v in (strength * np.cos(twice), strength * np.sin(twice), strength)
    )
    side = int(np.ceil(np.hypot(width, height)))
    length = round(0.85 * min(piece.size_mm[1] for piece in pieces) * scale)
    across = max(1, round(1.2 * scale))
    found: list[StickLine] = []
    for k in range(s.ways):
        angle = np.pi * k / s.ways
        along = np.maximum((strong + cos * np.cos(2 * angle) + sin * np.sin(2 * angle)) / 2, 0)
        along *= np.clip(
            (cos * np.cos(2 * angle) + sin * np.sin(2 * angle)) / (strong + 1e-3), 0, 1
        )
        warp = cv2.getRotationMatrix2D((width / 2, height / 2), np.degrees(angle), 1.0)
        warp[:, 2] += [(side - width) / 2, (side - height) / 2]
        turned = cv2.warpAffine(along, warp, (side, side))
        mean = cv2.blur(turned, (length, across))
        top = cv2.dilate(mean, np.ones((round(3 * scale) * 2 + 1, length // 2), np.uint8))
        y, x = np.nonzero((mean >= top) & (mean > s.least))
        back = cv2.invertAffineTransform(warp)
        at = np.column_stack([x, y]) @ back[:, :2].T + back[:, 2]
        middles = foreground.rectified.to_mm(from_level(np.asarray(at, np.float64), 1))
        found += [
            StickLine(middle, angle, float(value))
            for middle, value in zip(middles, mean[y, x], strict=True)
        ]
    found.sort(key=lambda line: -line.strength)
    kept: list[StickLine] = []
    for line in found:
        if not any(is_near(line, other, s) for other in kept):
            kept.append(line)
    return kept[: s.places]


def _ridges(
    foreground: Foreground, s: StickLineSettings
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the strength of ridges (H, W), and the way they run: rad from +x, either end."""
    sigma = s.ridge_mm * foreground.rectified.px_per_mm
    best = np.zeros(foreground.on_board.shape, np.float32)
    way = np.zeros_like(best)
    for channel, weight in ((0, 1.0), (1, s.colour), (2, s.colour)):
        soft = cv2.GaussianBlur(foreground.beyond[..., channel] * weight, (0, 0), sigma)
        xx, yy, xy = (
            cv2.Sobel(soft, cv2.CV_32F, dx, dy, ksize=3, scale=scale)
            for dx, dy, scale in ((2, 0, 0.25), (0, 2, 0.25), (1, 1, 0.25))
        )
        middle, half = (xx + yy) / 2, np.hypot((xx - yy) / 2, xy)
        bend = np.where(middle > 0, middle + half, middle - half)
        other = np.where(middle > 0, middle - half, middle + half)
        strength = np.maximum(np.abs(bend) - np.abs(other), 0) * sigma**2
        across = 0.5 * np.arctan2(2 * xy, xx - yy) + np.where(middle > 0, 0, np.pi / 2)
        better = strength > best
        best = np.where(better, strength, best)
        way = np.where(better, across + np.pi / 2, way)
    return np.minimum(best, s.strong).astype(np.float32), way.astype(np.float32)


def is_near(line: StickLine, other: StickLine, settings: StickLineSettings | None = None) -> bool:
    """Tell whether two lines are of one stick."""
    s = settings or StickLineSettings()
    off = line.middle_mm - other.middle_mm
    run = np.array([np.cos(other.way_rad), np.sin(other.way_rad)])
    turn = abs((line.way_rad - other.way_rad + np.pi / 2) % np.pi - np.pi / 2)
    across = abs(off[0] * run[1] - off[1] * run[0])
    return bool(turn < s.apart_rad and across < s.apart_mm and abs(off @ run) < 25.0)
