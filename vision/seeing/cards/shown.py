"""Cards and the faces that they show -> where each looks like its face, and in what light.

Of decks whose cards need not have a white border, nor any white: how bright white is there is told
by the brightest print.
"""

from dataclasses import dataclass

import numpy as np

from vision.seeing.faces.occlusion import agreeing_places
from vision.seeing.faces.plain import Grid
from vision.seeing.faces.softened import Tones, mean_tone
from vision.values.arrays import BoolArray, FloatArray

__all__ = ["Shown", "ShownSettings", "shown_of"]


@dataclass(frozen=True, slots=True)
class ShownSettings:
    """What print tells of the light."""

    printed_dark: float = 0.15  # share of a face that is its dark print
    most_dark: float = 0.6  # lightness of that print: lighter says nothing of a veil
    bright: float = 95.0  # percentile of a card's tones that is its brightest print
    least_bright: float = 0.2  # lightness of that print in the face: darker says nothing of white


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What shows of N cards.

    ``agreeing`` (N, G) are the places that look like the face; ``visible`` (N,) their share of
    the card, ``veil`` (N,) the lightness of what the face prints dark, and ``white`` (N,), in
    tones, how bright white is there.
    """

    agreeing: BoolArray
    visible: FloatArray
    veil: FloatArray
    white: FloatArray


def shown_of(
    tones: Tones,
    faces: Tones,
    grid: Grid,
    settings: ShownSettings | None = None,
) -> Shown:
    """Tell what shows of cards.

    Parameters
    ----------
    tones : (N, G, 3) float32
        Those of the cards on the grid, upright, 0..255.
    faces : (N, G, 3) float32
        Those of the face that each shows, 0..1.
    grid : Grid
        The cells.
    """
    s, inner = settings or ShownSettings(), grid.weights > 0
    light, dark = (mean_tone(of)[:, inner] for of in (tones, faces))
    bright = np.percentile(dark, s.bright, axis=1)
    white = np.percentile(light, s.bright, axis=1) / np.maximum(bright, s.least_bright)
    white = np.maximum(white, 1.0)
    agreeing = agreeing_places(tones / white[:, None, None], faces, grid.shape_hw)
    is_dark = dark <= np.percentile(dark, 100 * s.printed_dark, axis=1, keepdims=True)
    printed, shown = (
        np.array([np.median(one[its]) for one, its in zip(of, is_dark, strict=True)])
        for of in (dark, light)
    )
    veil = np.maximum(shown / white - printed, 0.0) / np.maximum(1 - printed, 1e-9)
    veil = np.where(printed < s.most_dark, np.minimum(veil, 1.0), 0.0)
    visible = agreeing[:, inner].mean(axis=1)
    return Shown(agreeing, np.asarray(visible, np.float64), veil, np.asarray(white, np.float64))
