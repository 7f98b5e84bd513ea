"""Photo -> four-sided things that may be cards, or the printed frames inside cards.

A card is a white border round a darker printed frame, so it shows twice: as the outline of a
bright region (lost on a white cloth, merged where cards touch) and as the outline of the dark
region inside (always there). Both are sought in several thresholds of two channels, since each
fails somewhere; which of the two a quadrilateral is, and whether it is a card at all, is left to
the template matching that follows.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.types import FloatArray, ImageBGR

__all__ = ["DetectSettings", "Outlines", "find_outlines"]


@dataclass(frozen=True, slots=True)
class DetectSettings:
    """How outlines are sought; lengths are pixels of the reduced picture."""

    blocks: tuple[int, ...] = (31, 101)  # about a third of, and more than, a card's width
    offset: int = 5  # gray levels above the local mean; cloth texture after blur is 2-4
    min_perimeter_px: int = 60  # of the smallest face that can be told
    min_arm_px: float = 16.0  # of an elbow: a direction good to 3 degrees
    min_area_px: float = 450.0  # 18 x 25 px, the smallest face that can be told
    max_area_share: float = 0.25  # of the picture: a card filling more is no table
    min_fill: float = 0.82  # region area over quadrilateral area; rounded corners cost 1-2 %


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
    quads: list[FloatArray] = []
    elbows: list[FloatArray] = []
    for mask in _masks(reduced, settings):
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        for contour in contours:
            if len(contour) < settings.min_perimeter_px:
                continue
            points = np.asarray(contour[:, 0, :])
            quad = _fit_quad(points, mask.shape, settings)
            if quad is not None:
                quads.append(quad)
            else:
                elbows.extend(_find_elbows(points, settings))
    return Outlines(
        _without_repeats(np.array(quads).reshape(-1, 4, 2)), np.array(elbows).reshape(-1, 3, 2)
    )


def _masks(reduced: ImageBGR, settings: DetectSettings) -> list[np.ndarray]:
    """Return binary pictures in which the white borders stand out."""
    gray = cv2.cvtColor(reduced, cv2.COLOR_BGR2GRAY)
    # White is bright in every channel: the least of the three parts it from coloured cloth.
    least = np.minimum(np.minimum(reduced[..., 0], reduced[..., 1]), reduced[..., 2])
    masks = []
    for channel in (least, gray):
        smooth = cv2.GaussianBlur(channel, (3, 3), 0)
        masks += [
            cv2.adaptiveThreshold(
                smooth, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY, block, -settings.offset
            )
            for block in settings.blocks
        ]
        masks.append(cv2.threshold(smooth, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)[1])
    return masks


def _fit_quad(
    contour: np.ndarray, shape_hw: tuple[int, ...], settings: DetectSettings
) -> FloatArray | None:
    """Fit four lines to a closed contour (N, 2); None if it is not four-sided."""
    area = cv2.contourArea(contour)
    if not settings.min_area_px <= area <= settings.max_area_share * shape_hw[0] * shape_hw[1]:
        return None
    hull = cv2.convexHull(contour)
    hull_area = cv2.contourArea(hull)
    if area < settings.min_fill * hull_area:
        return None
    rough = cv2.approxPolyDP(hull, 0.03 * cv2.arcLength(hull, True), True)
    if len(rough) != 4:
        if not 4 < len(rough) < 9:
            return None
        rough = cv2.approxPolyN(hull, 4, ensure_convex=True)
        if rough is None or rough.size != 8:
            return None
    corners = rough.reshape(4, 2).astype(np.float64)
    if abs(cv2.contourArea(corners.astype(np.float32))) * settings.min_fill > hull_area:
        return None
    return _lines_through(contour.astype(np.float64), corners)


def _find_elbows(contour: np.ndarray, settings: DetectSettings) -> list[FloatArray]:
    """Find where two straight stretches of a contour (N, 2) meet at about a right angle."""
    vertices = cv2.approxPolyDP(contour, 2.5, True)[:, 0, :]
    if len(vertices) < 3:
        return []
    if cv2.contourArea(vertices.astype(np.float32), True) < 0:
        vertices, contour = vertices[::-1], contour[::-1]
    arms = np.linalg.norm(np.roll(vertices, -1, axis=0) - vertices, axis=1)
    count = len(vertices)
    # rounded corners may put one or two short stretches between the two long ones
    long = np.flatnonzero(arms >= settings.min_arm_px)
    pairs = [
        (int(a), int(b))
        for a, b in zip(long, np.roll(long, -1), strict=True)
        if a != b and (b - a) % count <= 3
    ]
    if not pairs:
        return []
    code = contour[:, 0] * 65536 + contour[:, 1]
    order = np.argsort(code, kind="stable")
    ends = order[np.searchsorted(code, vertices[:, 0] * 65536 + vertices[:, 1], sorter=order)]
    lines: dict[int, tuple[FloatArray, FloatArray]] = {}
    for k in {k for pair in pairs for k in pair}:
        i, j = ends[k], ends[(k + 1) % count]
        stretch = contour[i:j] if j > i else np.concatenate([contour[i:], contour[:j]])
        cut = max(1, len(stretch) // 8)  # rounded ends
        vx, vy, px, py = cv2.fitLine(
            stretch[cut : len(stretch) - cut].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01
        ).ravel()
        direction = np.array([vx, vy], float)
        if direction @ (vertices[(k + 1) % count] - vertices[k]) < 0:
            direction = -direction
        lines[k] = (np.array([px, py], float), direction)
    found = []
    for a, b in pairs:
        (p, d), (q, e) = lines[a], lines[b]
        cross = d[0] * e[1] - d[1] * e[0]
        if abs(cross) < 0.5:  # less than 30 degrees or more than 150
            continue
        t = ((q[0] - p[0]) * e[1] - (q[1] - p[1]) * e[0]) / cross
        corner = p + t * d
        near = np.linalg.norm(corner - vertices[(a + 1) % count])
        if near > 0.35 * min(arms[a], arms[b]) + 3:
            continue
        elbow = np.stack([corner - arms[a] * d, corner, corner + arms[b] * e])
        # a dent in a white region is a corner of the dark frame that it surrounds
        found.append(elbow if cross > 0 else elbow[::-1])
    return found


def _lines_through(contour: FloatArray, corners: FloatArray) -> FloatArray | None:
    """Refine rough corners: a line through the contour points of each side, then intersect."""
    if cv2.contourArea(corners.astype(np.float32), True) < 0:
        corners = corners[::-1]
    lines = []
    for k in range(4):
        a, b = corners[k], corners[(k + 1) % 4]
        along = b - a
        length = float(np.hypot(*along))
        if length < 12:
            return None
        along = along / length
        offset = contour - a
        t = offset @ along
        s = offset[:, 1] * along[0] - offset[:, 0] * along[1]
        # rounded corners take a twelfth of a side; neighbours' points lie farther off
        near = (t > 0.12 * length) & (t < 0.88 * length) & (np.abs(s) < 0.06 * length + 2)
        if near.sum() < 8:
            return None
        vx, vy, px, py = cv2.fitLine(
            contour[near].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01
        ).ravel()
        normal = np.array([-vy, vx], float)
        lines.append((normal, float(normal @ [px, py])))
    refined = np.empty((4, 2))
    for k in range(4):
        (n1, c1), (n2, c2) = lines[k - 1], lines[k]
        det = n1[0] * n2[1] - n1[1] * n2[0]
        if abs(det) < 0.2:  # neighbouring sides within 12 degrees of parallel
            return None
        refined[k] = (c1 * n2[1] - c2 * n1[1]) / det, (n1[0] * c2 - n2[0] * c1) / det
    side = np.hypot(*(refined - np.roll(refined, -1, axis=0)).T)
    if np.abs(refined - corners).max() > 0.15 * side.max() or side.min() < 0.2 * side.max():
        return None
    return refined


def _without_repeats(quads: FloatArray) -> FloatArray:
    """Keep one of each group of near-equal quadrilaterals (corners within 1.5 px on average)."""
    if not len(quads):
        return quads
    start = np.argmin(quads.sum(axis=2), axis=1)  # a common first corner
    turned = np.stack([np.roll(quad, -k, axis=0) for quad, k in zip(quads, start, strict=True)])
    flat = turned.reshape(-1, 8)
    kept: list[int] = []
    for i, corners in enumerate(flat):
        if not kept or np.abs(flat[kept] - corners).mean(axis=1).min() > 1.5:
            kept.append(i)
    return turned[kept]
