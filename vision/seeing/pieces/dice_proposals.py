"""A flat picture at the height of dice -> where their faces may be: round dots, alone or in pairs.

Prints on the plane have dots too: what of them shows is not looked at.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.seeing.pieces.board_scene import BoardScene
from vision.seeing.pieces.dice_values import DieSettings
from vision.seeing.pieces.rectify import Rectified, map_plane
from vision.values.arrays import BoolArray, Points

__all__ = ["propose_dice", "visible_print_mask"]

_RIM_MM = 5.0  # round what hides a board, and along its edge: a die there leans over print


def visible_print_mask(rectified: Rectified, scene: BoardScene) -> BoolArray:
    """Return where (H, W) the photo shows a print on the plane: its dots are no pips.

    What is seen at a place of the flat picture lies elsewhere if it lies lower.
    """
    height, width = rectified.image.shape[:2]
    out = np.zeros((height, width), np.uint8)
    grid = np.meshgrid(np.linspace(0, width - 1, 12), np.linspace(0, height - 1, 12))
    at = np.rint(np.stack(grid, axis=-1).reshape(-1, 2))
    at = at[rectified.inside[at[:, 1].astype(int), at[:, 0].astype(int)]]
    if len(at) < 12 or np.ptp(at, axis=0).min() < 2:
        return out > 0  # hardly anything is in the photo
    low = scene.on_plane(map_plane(scene.solution, rectified.to_mm(at), rectified.height_mm))
    warp, _ = cv2.findHomography(low, at, cv2.RANSAC, 2.0)  # a lens is odd in its corners
    if scene.covered is not None:
        cover = scene.covered
        side = 2 * round(_RIM_MM * cover.px_per_mm) + 1
        shown = cv2.erode(
            (cover.image[..., 0] < 128).astype(np.uint8),
            np.ones((side, side), np.uint8),
            borderType=cv2.BORDER_CONSTANT,
            borderValue=(0.0,),
        )
        mm = np.diag([1 / cover.px_per_mm, 1 / cover.px_per_mm, 1.0])
        mm[:2, 2] = cover.origin_mm
        way = cv2.INTER_NEAREST
        out = np.asarray(
            cv2.warpPerspective(shown, warp @ mm, (width, height), flags=way), np.uint8
        )
    for outline in scene.beside_mm:
        px = cv2.perspectiveTransform(np.asarray(outline, np.float64)[None], warp)[0]
        cv2.fillConvexPoly(out, np.rint(px).astype(np.int32), 1)
    return np.asarray(out > 0, np.bool_)


def propose_dice(
    gray: NDArray[np.float32], rectified: Rectified, bare: BoolArray, s: DieSettings
) -> Points:
    """Return middles (N, 2) px of what may be faces: of single pips, and of pairs of pips."""
    radius = s.pip * s.edge_px
    inner = cv2.GaussianBlur(gray, (0, 0), radius * 0.6)
    outer = cv2.GaussianBlur(gray, (0, 0), radius * 1.4)
    strength = np.abs(inner - outer)
    strength[~rectified.inside | bare | ~_is_round(np.asarray(inner, np.float32), s)] = 0
    size = 2 * int(radius) + 1
    top = cv2.dilate(strength, np.ones((size, size), np.uint8))
    y, x = np.nonzero((strength >= top) & (strength > s.contrast / 3))
    order = np.argsort(-strength[y, x])[: s.pips]
    pips = np.stack([x[order], y[order]], axis=1).astype(float)
    sign = np.sign((outer - inner)[y[order], x[order]])
    strong = strength[y[order], x[order]]
    one, other = np.triu_indices(len(pips), 1)
    away = np.hypot(*(pips[one] - pips[other]).T) / s.edge_px
    straight, across = 2 * s.pip_at, 2 * s.pip_at * np.sqrt(2)
    near = (np.abs(away - straight) < 0.12) | (np.abs(away - across) < 0.15)
    near &= sign[one] == sign[other]
    near &= np.minimum(strong[one], strong[other]) > s.similarity * np.maximum(
        strong[one], strong[other]
    )
    middles = (pips[one[near]] + pips[other[near]]) / 2
    return np.concatenate([pips, middles])[: s.places]


def _is_round(soft: NDArray[np.float32], s: DieSettings) -> BoolArray:
    """Tell where (H, W) a picture bends alike both ways, as on a pip and not along a line."""
    xx = cv2.Sobel(soft, cv2.CV_32F, 2, 0)
    yy = cv2.Sobel(soft, cv2.CV_32F, 0, 2)
    xy = cv2.Sobel(soft, cv2.CV_32F, 1, 1)
    return np.asarray(xx * yy - xy**2 > s.round * ((xx + yy) / 2) ** 2, np.bool_)
