"""The board's ground: dim gas in brush strokes, and stars; no two places are alike.

The strokes follow a current of their own over the whole board, so neighbouring cells flow into
each other, and yet any few cells of it fix place and turn, on a grey print too.
"""

from collections.abc import Iterator

import cv2
import numpy as np

from calibration.art.drawing import Colour, Disc, Point, Polygon, Shape, Stroke, box, mix, rgb
from calibration.asteroyds_capture.palette import SPACE, STAR
from calibration.asteroyds_capture.signs import star
from vision.values.arrays import FloatArray, Points, frozen_array

__all__ = ["gas", "stars"]

_STEP_MM = 3.0  #: between strokes: a camera at 2 px/mm still tells them apart
_STROKE_MM = (1.5, 2.8)  # their width
_PACE_MM, _LONG = 1.5, (2, 6)  # of a stroke: how far it goes at a time, and how often
_LUMA = 88  #: of all hues alike: a grey print shows strokes and wisps, not five large clouds
_TONE = (0.36, 0.3)  #: middle, and how far a stroke and its wisp may leave it: dim, but strong
_WISP_MM, _CLOUD_MM = 3.0, 34.0  # the grain of light and dark, and of hues
_CURRENTS_MM = (70.0, 28.0)  # how far the current runs on before it turns
_HUES = tuple(rgb(code) for code in ("#3E5FC4", "#7A3FA8", "#1F8296", "#9C4A5E", "#8A6A34"))
_STARS_MM2 = 42.0  # of ground to a star


def gas(half: Point, rng: np.random.Generator) -> Iterator[Shape]:
    """Brush the ground: strokes along a current, their tones about that of their place."""
    shape = (round(half[1]) + 1, round(half[0]) + 1)  # a value for every 2 mm

    def noise(grain_mm: float) -> FloatArray:
        rough = rng.normal(size=shape)
        drawn = cv2.GaussianBlur(rough, (0, 0), grain_mm / 2, borderType=cv2.BORDER_REFLECT)
        return np.asarray((drawn - drawn.mean()) / drawn.std(), np.float64)

    def at(values: FloatArray, points: Points) -> FloatArray:
        near = ((points + half) / 2).astype(int)
        columns, rows = (np.clip(near[:, k], 0, shape[1 - k] - 1) for k in (0, 1))
        return np.asarray(values[rows, columns])

    yield Polygon(box(-half[0], -half[1], half[0], half[1]), SPACE)
    run = 1.5 * noise(_CURRENTS_MM[0] / 2) + 0.7 * noise(_CURRENTS_MM[1] / 2)
    columns, rows = (round(2 * side / _STEP_MM) for side in half)
    places = np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1).reshape(-1, 2) + 0.5
    places = places * _STEP_MM - half + rng.uniform(-1.3, 1.3, places.shape) * _STEP_MM
    places = frozen_array(rng.permutation(places), (None, 2), "places")
    path: list[Points] = [places]
    for _ in range(_LONG[1]):
        turn = at(run, path[-1])
        path.append(
            path[-1] + _PACE_MM * np.stack([np.cos(turn), np.sin(turn)], 1, dtype=np.float64)
        )
    tones = _TONE[0] + _TONE[1] * (at(noise(_WISP_MM), places) + rng.uniform(-1, 1, len(places)))
    hues = at(noise(_CLOUD_MM), places)
    steps = rng.integers(_LONG[0], _LONG[1] + 1, len(places))
    widths = rng.uniform(*_STROKE_MM, len(places))
    lines = np.stack(path, 1).round(2).tolist()
    for line, long, tone, hue, wide in zip(lines, steps, tones, hues, widths, strict=True):
        colour = mix(SPACE, _tint(float(hue)), float(np.clip(tone, 0, 1)))
        yield Stroke(tuple((x, y) for x, y in line[: long + 1]), round(float(wide), 2), colour)


def _tint(place: float) -> Colour:
    """Return the colour of the gas where the noise has a value."""
    at = min(max((place + 1.7) / 3.4, 0.0), 0.999) * (len(_HUES) - 1)
    tint = mix(_HUES[int(at)], _HUES[int(at) + 1], at - int(at))
    luma = 0.30 * tint[0] + 0.59 * tint[1] + 0.11 * tint[2]
    red, green, blue = (min(255, round(level * _LUMA / luma)) for level in tint)
    return red, green, blue


def stars(half: Point, rng: np.random.Generator) -> Iterator[Shape]:
    """Strew stars: many small, some large with rays."""
    count = round(4 * half[0] * half[1] / _STARS_MM2)
    for x, y, size in rng.uniform((-half[0], -half[1], 0), (*half, 1), (count, 3)).tolist():
        colour = mix(_tint(float(rng.normal())), STAR, 0.35 + 0.6 * size)
        if size > 0.965:
            reach = float(rng.uniform(2.0, 3.4))
            yield Polygon(star((x, y), reach, 0.2 * reach, 4, float(rng.uniform(0, 1.6))), colour)
        else:
            yield Disc((x, y), 0.22 + 0.75 * size**5, colour)
