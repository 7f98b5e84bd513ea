"""Expected card edges in the photo, and brightness gradients across them.

Tones are linearised first: a blurred edge is symmetric in light, not in the camera's tones.
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_corners
from vision.seeing.estimation.model import Solution, project
from vision.values.arrays import FloatArray, ImageGray, IntArray

__all__ = ["ExpectedEdges", "Rectangle", "expected_edges", "gradients_along"]

_TONES = np.arange(256) / 255
_LINEAR = np.where(_TONES <= 0.04045, _TONES / 12.92, ((_TONES + 0.055) / 1.055) ** 2.4)
_LINEAR = _LINEAR.astype(np.float32)  # linear light of each sRGB tone
_SIDES = ((0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0))  # outward: top, right, bottom, left


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A visible rectangle centred on the card; lengths mm.

    ``bright_inside`` is the sign of the step across it; ``inset_mm`` is left out at each end of an
    edge; ``shape_sd_mm`` is the deviation of real edges from the ideal (1 sd); ``gap_mm`` is the
    distance to the next parallel edge and bounds the search; ``is_card_edge`` marks the cut edge,
    whose wall may be visible.
    """

    width_mm: float
    height_mm: float
    bright_inside: bool
    inset_mm: float
    shape_sd_mm: float
    gap_mm: float
    is_card_edge: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedEdges:
    """Expected positions of the edges of N cards: S = 4N edges, m points on each.

    ``point_mm`` (S, m, 2) are in the card frame, ``at_px`` (S, m, 2) in the photo frame,
    ``normal_px`` (S, m, 2) the outward unit normals; ``px_per_mm`` (S,) is the scale across each
    edge.
    """

    point_mm: FloatArray
    at_px: FloatArray
    normal_px: FloatArray
    px_per_mm: FloatArray


def expected_edges(solution: Solution, rectangle: Rectangle, u: FloatArray) -> ExpectedEdges:
    """Project edge points at ``u`` (m,), -1..1 along each edge, to the photo."""
    n = len(solution.poses)
    card = np.repeat(np.arange(n), 4)
    points = np.tile(_side_points(rectangle, u), (n, 1, 1))
    at = _project_rows(solution, card, points, rectangle)
    normal = _normals(at)
    half_w, half_h = rectangle.width_mm / 2, rectangle.height_mm / 2
    away = np.tile([half_h, half_w, half_h, half_w], n)  # of each edge from the centre
    # 1 mm further in: perspective makes the scale differ by edge
    inner = points * (1 - 1 / away)[:, None, None]
    gap = at - _project_rows(solution, card, inner, rectangle)
    px_per_mm = np.abs((gap * normal).sum(axis=2)).mean(axis=1)
    return ExpectedEdges(points, at, normal, np.asarray(px_per_mm, np.float64))


def _side_points(rectangle: Rectangle, u: FloatArray) -> FloatArray:
    """Return points (4, m, 2) on the edges, card frame, clockwise; ``u`` (m,) is -1..1."""
    half = card_corners(rectangle.width_mm, rectangle.height_mm)[2]
    sides = []
    for outward in np.array(_SIDES):
        along = np.array([-outward[1], outward[0]])
        reach = float(np.abs(along) @ half) - rectangle.inset_mm
        sides.append(outward * half + u[:, None] * along * reach)
    return np.stack(sides)


def _project_rows(
    solution: Solution, card: IntArray, points: FloatArray, rectangle: Rectangle
) -> FloatArray:
    """Project points (S, m, 2) on cards (S,) to the photo."""
    s, m = points.shape[:2]
    printed = np.full(s * m, float(not rectangle.is_card_edge))
    at = project(solution, np.repeat(card, m), points.reshape(-1, 2), printed)
    return at.reshape(s, m, 2)


def _normals(at_px: FloatArray) -> FloatArray:
    """Return the outward unit normals (S, m, 2) of clockwise edges (S, m, 2)."""
    tangent = np.gradient(at_px, axis=1)
    tangent /= np.linalg.norm(tangent, axis=2, keepdims=True) + 1e-12
    return np.stack([tangent[..., 1], -tangent[..., 0]], axis=2)


def gradients_along(
    gray: ImageGray,
    at_px: FloatArray,
    normal_px: FloatArray,
    offsets: FloatArray,
    sigma: float,
) -> NDArray[np.float32]:
    """Return light gradients (S, m, P) along normals at offsets (P,) or (S, 1, P), px.

    They are smoothed by a Gaussian of ``sigma`` steps; unit: full light per step.
    """
    x_px, y_px = (
        (at_px[..., k, None] + offsets * normal_px[..., k, None])
        .reshape(len(at_px), -1)
        .astype(np.float32)
        for k in range(2)
    )
    tones = cv2.remap(gray, x_px, y_px, cv2.INTER_LINEAR)
    light = cv2.LUT(tones, _LINEAR).reshape(-1, offsets.shape[-1])
    x = np.arange(-int(np.ceil(3 * sigma)), int(np.ceil(3 * sigma)) + 1)
    kernel = x * np.exp(-(x**2) / (2 * sigma**2))
    kernel = kernel / np.abs(kernel).sum()
    slope = cv2.filter2D(light, cv2.CV_32F, kernel[None].astype(np.float32))
    return np.asarray(slope, np.float32).reshape(*at_px.shape[:2], offsets.shape[-1])
