"""Segments what lies on a board: pixels that the board's print does not explain.

The board is rectified at its own height in the colours of its art. Differences that a small offset
of the print explains are removed, as paper may be shifted or wavy; shadow and light remain, in
lightness only.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.masks import disc
from vision.imaging.view import View
from vision.seeing.pieces.board_scene import BoardScene
from vision.seeing.pieces.photometric_fit import (
    beyond_print_range,
    to_art_colours,
    to_opponent_colours,
)
from vision.seeing.pieces.rectify import Rectified, rectify
from vision.values.arrays import BoolArray, FloatArray, ImageBGR

__all__ = ["BEYOND", "Foreground", "are_things", "extract_foreground"]


# Comparison of a board with its art.
_PX_PER_MM = 3.5  # a match is seven pixels wide
_MARGIN_MM = 12.0  # of table round the board: upright things at its edge lean over it
_OFF_MM = 0.8  # tolerated offset of the print: paper is wavy
_SOFT_MM = 0.25  # tolerated blur of the print
BEYOND = 14.0  # least excess over the print (grey levels, any channel)
_FOREIGN = 22.0  # colour difference (grey levels) that shadows never have
_SHADOW = 110.0  # largest darkening by a shadow on the board (grey levels)


@dataclass(frozen=True, slots=True, eq=False)
class Foreground:
    """The rectified board, and its difference from the print.

    ``image`` (H, W, 3) float32 is BGR in the art's colours; ``beyond`` (H, W, 3) is the signed
    excess of lightness, red and blue (both relative to lightness) over the range of the print
    there; ``on_board`` (H, W) marks the board inside the photo; ``print_light`` (H, W) is the
    lightness of the print itself.
    """

    rectified: Rectified
    image: NDArray[np.float32]
    beyond: NDArray[np.float32]
    on_board: BoolArray
    print_light: NDArray[np.float32]


def are_things(beyond: FloatArray) -> BoolArray:
    """Return where an excess over the print (..., 3) is of a thing: no shadow, no light."""
    coloured = np.abs(beyond[..., 1:]).max(axis=-1) > _FOREIGN
    light = beyond[..., 0]
    return np.asarray(coloured | (light > 2 * BEYOND) | (light < -_SHADOW), np.bool_)


def extract_foreground(view: View, scene: BoardScene, art: ImageBGR) -> Foreground:
    """Subtract a board's print from a photo of it.

    Parameters
    ----------
    view : View
        The photo.
    scene : BoardScene
        With a board.
    art : (H, W, 3) uint8
        The board's, upright, cut to its edge.

    Raises
    ------
    ValueError
        If the scene has no board.
    """
    if scene.board_mm is None:
        msg = "ground: expected one with a board, got none"
        raise ValueError(msg)
    left, top, right, bottom = scene.board_mm
    m = _MARGIN_MM
    rectified = rectify(
        view, scene.solution, (left - m, top - m, right + m, bottom + m), _PX_PER_MM
    )
    image = to_art_colours(rectified, scene.photometry)
    height, width = image.shape[:2]
    x, y = rectified.to_px(np.array([[left, top]]))[0]
    scale = _PX_PER_MM * (right - left) / art.shape[1]
    shrunk = cv2.GaussianBlur(art, (0, 0), max(0.3, 0.4 / scale)) if scale < 1 else art
    shift = 0.5 * scale
    warp = np.array([[scale, 0, x + shift], [0, scale, y + shift]])
    print_there = cv2.warpAffine(
        shrunk, warp, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    soft = _SOFT_MM * _PX_PER_MM
    wanted, seen = (
        np.asarray(cv2.GaussianBlur(to_opponent_colours(i, coloured), (0, 0), soft), np.float32)
        for i, coloured in ((print_there, scene.coloured), (image, True))
    )
    beyond = beyond_print_range(wanted, seen, disc(round(_OFF_MM * _PX_PER_MM)))
    yy, xx = np.mgrid[0:height, 0:width]
    points = rectified.to_mm(np.stack([xx, yy], axis=-1).reshape(-1, 2))
    on_board = scene.is_on_board(points).reshape(height, width) & rectified.inside
    beyond[~on_board] = 0
    return Foreground(rectified, image, beyond, on_board, wanted[..., 0])
