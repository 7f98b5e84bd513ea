"""Cards and the faces that they show -> where each looks like its face, and in what light.

Of decks whose cards need not have a white border, nor any white: how bright white is there is told
by the brightest print.
"""

from dataclasses import dataclass

import numpy as np

from vision.seeing.recognition.occlusion import inlier_mask
from vision.seeing.recognition.picture_faces import CellGrid
from vision.seeing.recognition.smoothing import Tones, mean_tone
from vision.values.arrays import BoolArray, FloatArray

__all__ = ["FaceVisibility", "VisibilitySettings", "face_visibility"]


@dataclass(frozen=True, slots=True)
class VisibilitySettings:
    """What print tells of the light."""

    printed_dark: float = 0.15  # share of a face that is its dark print
    most_dark: float = 0.6  # lightness of that print: lighter says nothing of a veil
    bright: float = 95.0  # percentile of a card's tones that is its brightest print
    least_bright: float = 0.2  # lightness of that print in the face: darker says nothing of white


@dataclass(frozen=True, slots=True, eq=False)
class FaceVisibility:
    """What shows of N cards.

    ``inliers`` (N, G) are the places that look like the face; ``visible`` (N,) their share of
    the card, ``haze`` (N,) the lightness of what the face prints dark, and ``white`` (N,), in
    tones, how bright white is there.
    """

    inliers: BoolArray
    visible: FloatArray
    haze: FloatArray
    white: FloatArray


def face_visibility(
    tones: Tones,
    faces: Tones,
    grid: CellGrid,
    settings: VisibilitySettings | None = None,
) -> FaceVisibility:
    """Tell what shows of cards.

    Parameters
    ----------
    tones : (N, G, 3) float32
        Those of the cards on the grid, upright, 0..255.
    faces : (N, G, 3) float32
        Those of the face that each shows, 0..1.
    grid : CellGrid
        The cells.
    """
    s, inner = settings or VisibilitySettings(), grid.weights > 0
    light, dark = (mean_tone(of)[:, inner] for of in (tones, faces))
    bright = np.percentile(dark, s.bright, axis=1)
    white = np.percentile(light, s.bright, axis=1) / np.maximum(bright, s.least_bright)
    white = np.maximum(white, 1.0)
    inliers = inlier_mask(tones / white[:, None, None], faces, grid.shape_hw)
    is_dark = dark <= np.percentile(dark, 100 * s.printed_dark, axis=1, keepdims=True)
    printed, shown = (
        np.array([np.median(one[its]) for one, its in zip(of, is_dark, strict=True)])
        for of in (dark, light)
    )
    haze = np.maximum(shown / white - printed, 0.0) / np.maximum(1 - printed, 1e-9)
    haze = np.where(printed < s.most_dark, np.minimum(haze, 1.0), 0.0)
    visible = inliers[:, inner].mean(axis=1)
    return FaceVisibility(
        inliers, np.asarray(visible, np.float64), haze, np.asarray(white, np.float64)
    )
