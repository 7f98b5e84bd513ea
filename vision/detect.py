"""Photo -> four-sided things that may be cards, or the printed frames inside cards.

A card is a white border round a darker printed frame, so it shows twice: as the outline of a
bright region (lost on a white cloth, merged where cards touch) and as the outline of the dark
region inside (always there). Both are sought in several thresholds of two channels, since each
fails somewhere; which of the two a quadrilateral is, and whether it is a card at all, is left to
the template matching that follows.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import BoolArray, FloatArray, ImageBGR, ImageGray

__all__ = ["DetectSettings", "Outlines", "find_outlines"]

_Contour: TypeAlias = NDArray[np.int32]  #: (N, 2) pixels, each beside the next, closed


@dataclass(frozen=True, slots=True)
class DetectSettings:
    """How outlines are sought; lengths are pixels of the reduced picture."""

    blocks: tuple[int, ...] = (31, 101)  # about a third of, and more than, a card's width
    offset: int = 5  # gray levels above the local mean; cloth texture after blur is 2-4
    min_perimeter_px: int = 60  # of the smallest face that can be told
    min_area_px: float = 450.0  # 18 x 25 px, the smallest face that can be told
    max_area_share: float = 0.25  # of the picture: a card filling more is no table
    min_fill: float = 0.82  # region area over quadrilateral area; rounded corners cost 1-2 %
    corner_slack: float = 0.03  # of the perimeter, that a rough outline may cut off at corners
    most_corners: int = 8  # of a rough outline that may still be a card with dents
    min_side_px: float = 12.0  # a direction good to 5 degrees
    side_ends: float = 0.12  # of a side left out at each end: rounded corners take a twelfth
    side_width: float = 0.06  # of a side's length, to either hand: neighbours' points lie farther
    side_slack_px: float = 2.0  # on top of that: the rough outline's own error
    min_side_points: int = 8
    min_sine: float = 0.2  # neighbouring sides within 12 degrees of parallel are no corner
    max_move: float = 0.15  # of the longest side, from the rough corners: else another line won
    min_aspect: float = 0.2  # of the shortest side to the longest; a card seen at 70 degrees: 0.24
    repeat_px: float = 1.5  # corners that near, on average, are the same outline twice
    bend_px: float = 2.5  # of a stretch that still counts as straight
    min_arm_px: float = 16.0  # of an elbow: a direction good to 3 degrees
    most_between: int = 2  # short stretches between an elbow's arms, at a rounded corner
    arm_ends: int = 8  # an eighth of an arm is left out at each end: rounded corners
    elbow_sine: float = 0.5  # arms within 30 degrees of parallel are no elbow
    elbow_gap: float = 0.35  # of the shorter arm: from its end to where the arms meet
    elbow_gap_px: float = 3.0  # on top of that


@dataclass(frozen=True, slots=True, eq=False)
class Outlines:
    """What the thresholds left, in pixels of the reduced picture.

    ``quads`` (N, 4, 2): convex quadrilaterals, clockwise as seen, first corner arbitrary.
    ``elbows`` (M, 3, 2): two straight stretches that meet: a point on the one, where they meet,
    a point on the other, clockwise round what they enclose. A covered card still shows some.
    """

    quads: FloatArray
    elbows: FloatArray


def find_outlines(reduced: ImageBGR, settings: DetectSettings | None = None) -> Outlines:
    """Find quadrilaterals and elbows.

    Parameters
    ----------
    reduced : (H, W, 3) uint8
        The photo, reduced to about 1000 to 2000 pixels.
    """
    settings = settings or DetectSettings()
    size_wh = (reduced.shape[1], reduced.shape[0])
    most_area = settings.max_area_share * size_wh[0] * size_wh[1]
    quads: list[FloatArray] = []
    elbows: list[FloatArray] = []
    for mask in _masks(reduced, settings):
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            if len(contour) < settings.min_perimeter_px:
                continue
            points = np.asarray(contour[:, 0, :], np.int32)
            quad = _fit_quad(points, most_area, settings)
            if quad is not None:
                quads.append(quad)
            else:
                elbows.extend(_find_elbows(points, size_wh, settings))
    return Outlines(
        _without_repeats(np.array(quads).reshape(-1, 4, 2), settings.repeat_px),
        np.array(elbows).reshape(-1, 3, 2),
    )


def _masks(reduced: ImageBGR, settings: DetectSettings) -> Iterator[ImageGray]:
    """Yield binary pictures (H, W) in which the white borders stand out."""
    gray = cv2.cvtColor(reduced, cv2.COLOR_BGR2GRAY)
    # White is bright in every channel: the least of the three parts it from coloured cloth.
    least = np.minimum(np.minimum(reduced[..., 0], reduced[..., 1]), reduced[..., 2])
    for channel in (least, gray):
        smooth = cv2.GaussianBlur(channel, (3, 3), 0)
        for block in settings.blocks:
            mask = cv2.adaptiveThreshold(
                smooth, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, block, -settings.offset
            )
            yield np.asarray(mask, np.uint8)
        otsu = cv2.threshold(smooth, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[1]
        yield np.asarray(otsu, np.uint8)


def _fit_quad(contour: np.ndarray, most_area: float, settings: DetectSettings) -> FloatArray | None:
    """Fit four lines to a closed contour; None if it is not four-sided."""
    area = cv2.contourArea(contour)
    if not settings.min_area_px <= area <= most_area:
        return None
    hull = cv2.convexHull(contour)
    hull_area = cv2.contourArea(hull)
    if area < settings.min_fill * hull_area:
        return None
    rough = cv2.approxPolyDP(hull, settings.corner_slack * cv2.arcLength(hull, True), True)
    if len(rough) != 4:
        if not 4 < len(rough) <= settings.most_corners:
            return None
        rough = cv2.approxPolyN(hull, 4, ensure_convex=True)
        if rough is None or rough.size != 8:
            return None
    corners = np.asarray(rough, np.float64).reshape(4, 2)
    if _signed_area(corners) < 0:
        corners = corners[::-1]
    if _signed_area(corners) * settings.min_fill > hull_area:
        return None
    return _refine_corners(contour.astype(np.float64), corners, settings)


def _refine_corners(
    contour: FloatArray, corners: FloatArray, settings: DetectSettings
) -> FloatArray | None:
    """Lay a line through the contour's points (N, 2) along each side, and intersect them."""
    lines: list[tuple[FloatArray, float]] = []
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        line = _line_near(contour, start, end, settings)
        if line is None:
            return None
        lines.append(line)
    refined = np.empty((4, 2))
    for k in range(4):
        (n1, c1), (n2, c2) = lines[k - 1], lines[k]
        det = n1[0] * n2[1] - n1[1] * n2[0]
        if abs(det) < settings.min_sine:
            return None
        refined[k] = (c1 * n2[1] - c2 * n1[1]) / det, (n1[0] * c2 - n2[0] * c1) / det
    sides = np.linalg.norm(refined - np.roll(refined, -1, axis=0), axis=1)
    moved = np.abs(refined - corners).max()
    if moved > settings.max_move * sides.max() or sides.min() < settings.min_aspect * sides.max():
        return None
    return refined


def _line_near(
    contour: FloatArray, start: FloatArray, end: FloatArray, settings: DetectSettings
) -> tuple[FloatArray, float] | None:
    """Return the line (normal, offset) through the contour's points along a rough side."""
    along = end - start
    length = float(np.hypot(*along))
    if length < settings.min_side_px:
        return None
    along = along / length
    away = contour - start
    t = away @ along
    s = away[:, 1] * along[0] - away[:, 0] * along[1]
    ends = settings.side_ends * length
    width = settings.side_width * length + settings.side_slack_px
    near = (t > ends) & (t < length - ends) & (np.abs(s) < width)
    if near.sum() < settings.min_side_points:
        return None
    point, direction = _fit_line(contour[near])
    normal = np.array([-direction[1], direction[0]])
    return normal, float(normal @ point)


def _find_elbows(
    contour: _Contour, size_wh: tuple[int, int], settings: DetectSettings
) -> list[FloatArray]:
    """Find where two straight stretches of a contour meet at about a right angle.

    The rim of the picture, of which ``size_wh`` is the size, is no such stretch.
    """
    rough = cv2.approxPolyDP(contour, settings.bend_px, True)
    vertices = np.asarray(rough[:, 0, :], np.int32)
    if len(vertices) < 3:
        return []
    if _signed_area(vertices) < 0:
        vertices, contour = vertices[::-1], contour[::-1]
    arms = np.linalg.norm(np.roll(vertices, -1, axis=0) - vertices, axis=1)
    count = len(vertices)
    long = np.flatnonzero(arms >= settings.min_arm_px)
    pairs = [
        (int(a), int(b))
        for a, b in zip(long, np.roll(long, -1), strict=True)
        if a != b and (b - a) % count <= settings.most_between + 1
    ]
    rim = _lie_on_rim(vertices, size_wh)
    pairs = [(a, b) for a, b in pairs if not (rim[a] or rim[b])]
    if not pairs:
        return []
    ends = _places_in(contour, vertices)
    lines = {
        k: _line_along(contour, ends[k], ends[(k + 1) % count], settings)
        for k in {k for pair in pairs for k in pair}
    }
    found = []
    for a, b in pairs:
        (p, d), (q, e) = lines[a], lines[b]
        cross = d[0] * e[1] - d[1] * e[0]
        if abs(cross) < settings.elbow_sine:
            continue
        t = ((q[0] - p[0]) * e[1] - (q[1] - p[1]) * e[0]) / cross
        corner = p + t * d
        gap = np.linalg.norm(corner - vertices[(a + 1) % count])
        if gap > settings.elbow_gap * min(arms[a], arms[b]) + settings.elbow_gap_px:
            continue
        elbow = np.stack([corner - arms[a] * d, corner, corner + arms[b] * e])
        # a dent in a white region is a corner of the dark frame that it surrounds
        found.append(elbow if cross > 0 else elbow[::-1])
    return found


def _lie_on_rim(vertices: _Contour, size_wh: tuple[int, int]) -> BoolArray:
    """Tell which stretches (V,), from each vertex to the next, run along the picture's rim."""
    low, high = vertices == 0, vertices == np.array(size_wh) - 1
    both = [side & np.roll(side, -1, axis=0) for side in (low, high)]
    return np.asarray((both[0] | both[1]).any(axis=1))


def _places_in(contour: _Contour, vertices: _Contour) -> list[int]:
    """Return where in a contour some of its points (V, 2) stand."""
    code, wanted = (points[:, 0] * 65536 + points[:, 1] for points in (contour, vertices))
    order = np.argsort(code, kind="stable")
    return [int(place) for place in order[np.searchsorted(code, wanted, sorter=order)]]


def _line_along(
    contour: _Contour, start: int, end: int, settings: DetectSettings
) -> tuple[FloatArray, FloatArray]:
    """Return a point and the forward direction of the stretch of a contour between two places."""
    stretch = contour[start:end]
    if end <= start:
        stretch = np.concatenate([contour[start:], contour[:end]])
    cut = max(1, len(stretch) // settings.arm_ends)
    point, direction = _fit_line(stretch[cut : len(stretch) - cut].astype(np.float64))
    forward = direction @ (contour[end] - contour[start]) >= 0
    return point, direction if forward else -direction


def _fit_line(points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return a point and the unit direction of a robust line through points (N, 2)."""
    line = cv2.fitLine(points.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
    vx, vy, x, y = line.astype(np.float64)
    return np.array([x, y]), np.array([vx, vy])


def _signed_area(points: np.ndarray) -> float:
    """Return the area of a polygon (N, 2); positive clockwise as seen."""
    return float(cv2.contourArea(points.astype(np.float32), True))


def _without_repeats(quads: FloatArray, repeat_px: float) -> FloatArray:
    """Keep one of each group of near-equal quadrilaterals (N, 4, 2)."""
    if not len(quads):
        return quads
    start = np.argmin(quads.sum(axis=2), axis=1)  # a common first corner
    turned = np.stack([np.roll(quad, -k, axis=0) for quad, k in zip(quads, start, strict=True)])
    flat = turned.reshape(-1, 8)
    kept: list[int] = []
    for i, corners in enumerate(flat):
        if not kept or np.abs(flat[kept] - corners).mean(axis=1).min() > repeat_px:
            kept.append(i)
    return turned[kept]
