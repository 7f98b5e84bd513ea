"""Paths, straight or bent: from the table plane into the photo, and drawn there."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import photo_from_table
from vision.showing.canvas import Canvas, dashes
from vision.showing.style import AMBER, INK, WHITE, BeamStyle, Colour
from vision.values.arrays import Points
from vision.values.layout import Camera

__all__ = ["Trace", "draw_beam", "foot_on", "is_straight", "part_of", "px_per_mm", "trace_path"]

_COARSE = 400  # samples that find the visible part of a path
_STEP_PX = 7.0  # a chord this long leaves a lens-bent beam by well under a tenth of a pixel
_W_SHARE = 0.04  # of the start's depth: nearer to the horizon than this nothing is drawn
_SLOPE_MIN = 0.2  # the lens model folds over where its slope reaches 0
_BENT = 1e-6  # of its length: a path that leaves its chord by more than this is bent
_FADE_MM = 170.0  # a shot into space fades over this length,
_FADE_SHARE = 0.5  # or over this share of what is seen of it


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The visible part of a path: the same points in both frames, from its start on.

    ``starts`` and ``ends`` say whether the path's own start and end are among them.
    """

    points_mm: Points
    points_px: Points
    starts: bool
    ends: bool

    @property
    def length_px(self) -> float:
        """Length of the trace in the picture."""
        return float(np.hypot(*np.diff(self.points_px, axis=0).T).sum())

    @property
    def length_mm(self) -> float:
        """Length of the trace on the table."""
        if is_straight(self.points_mm):
            return float(np.hypot(*(self.points_mm[-1] - self.points_mm[0])))
        return float(np.hypot(*np.diff(self.points_mm, axis=0).T).sum())

    def at(self, share: float) -> tuple[Points, Points]:
        """Return the point (2,) in mm and in px at a share 0..1 of the length in the picture."""
        steps = np.hypot(*np.diff(self.points_px, axis=0).T)
        along = np.concatenate([[0.0], np.cumsum(steps)])
        where = share * along[-1]
        return (
            np.array([np.interp(where, along, self.points_mm[:, i]) for i in (0, 1)]),
            np.array([np.interp(where, along, self.points_px[:, i]) for i in (0, 1)]),
        )

    def between(self, share_from: float, share_to: float) -> "Trace":
        """Return a stretch of the trace, by shares of its length on the table."""
        t = np.linspace(0, 1, len(self.points_mm))
        inner = t[(t > share_from) & (t < share_to)]
        at = np.concatenate([[share_from], inner, [share_to]])
        mm = np.column_stack([np.interp(at, t, self.points_mm[:, i]) for i in (0, 1)])
        px = np.column_stack([np.interp(at, t, self.points_px[:, i]) for i in (0, 1)])
        return Trace(mm, px, self.starts and share_from <= 0, self.ends and share_to >= 1)


def px_per_mm(camera: Camera, at_mm: Points) -> float:
    """Return how many px of the photo a mm of the table covers at a point (the mean scale)."""
    around = np.asarray(at_mm, float) + np.array([[0, 0], [0.5, 0], [0, 0.5]])
    origin, right, down = photo_from_table(camera, around)
    a, b = (right - origin) * 2, (down - origin) * 2
    return math.sqrt(abs(float(a[0] * b[1] - a[1] * b[0])))


def _is_seen(camera: Camera, points_mm: Points, size_wh: tuple[int, int]) -> np.ndarray:
    """Tell for table points whether they show in the picture (or a little beside it)."""
    h = camera.photo_from_table
    mapped = points_mm @ h[:, :2].T + h[:, 2]
    # A path starts on a card that was seen: that side of the horizon is the right one.
    front = mapped[:, 2] / mapped[0, 2] > _W_SHARE
    flat = mapped[:, :2] / np.where(front, mapped[:, 2], 1.0)[:, None]
    k = camera.camera_matrix
    r2 = (((flat - k[:2, 2]) / k[[0, 1], [0, 1]]) ** 2).sum(axis=1)
    k1, k2 = camera.distortion
    slope = 1 + 3 * k1 * r2 + 5 * k2 * r2**2
    front &= slope > _SLOPE_MIN
    pad = 0.05 * max(size_wh)
    photo = ((flat - k[:2, 2]) * (1 + k1 * r2 + k2 * r2**2)[:, None]) + k[:2, 2]
    inside = ((photo > -pad) & (photo < np.array(size_wh) + pad)).all(axis=1)
    return np.asarray(front & inside)


def is_straight(points: Points) -> bool:
    """Tell whether points (N, 2) lie on the line from the first to the last, in order."""
    if len(points) < 3:
        return True
    chord = points[-1] - points[0]
    length = float(np.hypot(*chord))
    away = points - points[0]
    aside = np.abs(away @ [-chord[1], chord[0]]).max(initial=0.0)
    return bool(aside <= _BENT * length**2 and (np.diff(away @ chord) >= 0).all())


def _walk(path: Points, t: Points) -> Points:
    """Return the points at shares 0..1 of the length of a path, (N, 2)."""
    if len(path) == 2:
        return np.asarray(path[0] + t[:, None] * (path[1] - path[0]))
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
    return np.column_stack([np.interp(t * along[-1], along, path[:, i]) for i in (0, 1)])


def part_of(path: Points, first: float, last: float) -> Points:
    """Return the part of a path between two shares of its length, with its bends."""
    ends = _walk(path, np.array([first, last]))
    if len(path) == 2:
        return ends
    along = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(path, axis=0).T))])
    share = along / max(float(along[-1]), 1e-9)
    return np.vstack([ends[:1], path[(share > first) & (share < last)], ends[1:]])


def trace_path(camera: Camera, path_mm: Points, size_wh: tuple[int, int]) -> Trace | None:
    """Follow a path on the table through the photo's perspective and lens.

    Parameters
    ----------
    camera : Camera
        How the table shows in the photo.
    path_mm : (N, 2) float64
        From its start over its bends to its end, table frame.
    size_wh : (int, int)
        Width and height of the photo in px: what lies outside is left out.

    Returns
    -------
    Trace or None
        The visible part, densely sampled; None if nothing of the path shows.
    """
    path = np.asarray(path_mm, float)
    t = np.linspace(0, 1, _COARSE)
    seen = np.flatnonzero(_is_seen(camera, _walk(path, t), size_wh))
    if len(seen) == 0:
        return None
    first = int(seen[0])
    gaps = np.flatnonzero(np.diff(seen) > 1)  # a path that leaves the picture does not come back
    last = int(seen[gaps[0]] if len(gaps) else seen[-1])
    part = part_of(path, t[first], t[last])
    try:
        rough = photo_from_table(camera, part)
        length_px = float(np.hypot(*np.diff(rough, axis=0).T).sum())
        count = int(np.clip(length_px / _STEP_PX, 8, 900)) + 1
        points_mm = _walk(part, np.linspace(0, 1, count))
        points_px = photo_from_table(camera, points_mm)
    except DegenerateGeometryError:
        return None
    return Trace(points_mm, points_px, first == 0, last == _COARSE - 1)


def foot_on(points_mm: Points, point_mm: Points) -> Points:
    """Return the point (2,) of a path that is nearest to a point; a straight one goes on."""
    if not is_straight(points_mm):
        return np.asarray(points_mm[np.hypot(*(points_mm - point_mm).T).argmin()])
    start = points_mm[0]
    way = points_mm[-1] - start
    way = way / max(float(np.hypot(*way)), 1e-9)
    return np.asarray(start + way * float((point_mm - start) @ way))


def _sides(points_mm: Points) -> Points:
    """Return what points to the side of a path, (2,) of a straight one, else (N, 2)."""
    if is_straight(points_mm):
        along = points_mm[-1] - points_mm[0]
        return np.asarray(np.array([-along[1], along[0]]) / np.hypot(*along))
    along = np.gradient(points_mm, axis=0)
    across = np.column_stack([-along[:, 1], along[:, 0]])
    return np.asarray(across / np.maximum(np.hypot(*across.T), 1e-9)[:, None])


def _strip(camera: Camera, points_mm: Points, half_mm: float) -> Points:
    """Return the outline in px of a band on the table around a straight run of points."""
    along = points_mm[-1] - points_mm[0]
    length = float(np.hypot(*along))
    if length < 1e-9:
        return np.zeros((0, 2))
    side = np.array([-along[1], along[0]]) / length
    reach = np.full((len(points_mm), 1), float(half_mm)) * side
    return photo_from_table(camera, np.vstack([points_mm + reach, (points_mm - reach)[::-1]]))


@dataclass(frozen=True, slots=True)
class _Pen:
    """What draws one beam: the canvas, the camera and the unit in mm."""

    canvas: Canvas
    camera: Camera
    unit_mm: float

    def band(self, points_mm: Points, half_mm: float, colour: Colour, alpha: float = 1.0) -> None:
        if is_straight(points_mm):
            self.canvas.fill(_strip(self.camera, points_mm, half_mm), colour, alpha)
            return
        scale = px_per_mm(self.camera, points_mm[len(points_mm) // 2])
        line = photo_from_table(self.camera, points_mm)
        self.canvas.stroke(line, 2 * half_mm * scale, colour, alpha)

    def run(self, trace: Trace, style: BeamStyle, half_mm: float, alpha: float = 1.0) -> None:
        """Draw a stretch of beam without its casing."""
        self.band(trace.points_mm, half_mm, style.colour, alpha)
        if style.middle == "core":
            self.band(trace.points_mm, half_mm * 0.34, WHITE, alpha)
        elif style.middle == "beads":
            length = trace.length_mm
            period = 1.5 * self.unit_mm
            for k in range(int(length / period)):
                at = (k + 0.5) * period / length
                bead = trace.between(at, min(at + 0.34 * period / length, 1.0))
                self.band(bead.points_mm, half_mm * 0.42, WHITE, alpha)


def draw_beam(
    canvas: Canvas, camera: Camera, trace: Trace, style: BeamStyle, unit_px: float
) -> None:
    """Draw a path on the table plane: casing, colour, middle, arrow heads.

    Parameters
    ----------
    canvas : Canvas
        What is drawn on.
    camera : Camera
        How the table shows in it.
    trace : Trace
        The path.
    style : BeamStyle
        How it looks.
    unit_px : float
        Size of the overlay's unit; widths in mm follow from it where the path is half way, and
        perspective does the rest.
    """
    if len(trace.points_mm) < 2 or trace.length_mm <= 0:
        return
    middle_mm = trace.points_mm[len(trace.points_mm) // 2]
    unit_mm = unit_px / max(px_per_mm(camera, middle_mm), 1e-6)
    pen = _Pen(canvas, camera, unit_mm)
    half, casing = style.width * unit_mm / 2, 0.12 * unit_mm

    solid, tail = trace, None
    if style.fades:
        share = min(_FADE_MM / trace.length_mm, _FADE_SHARE)
        solid, tail = trace.between(0, 1 - share), trace.between(1 - share, 1)
    if style.contested:
        _draw_fences(canvas, camera, trace, half + 3 * casing, unit_px)
    pen.band(solid.points_mm, half + casing, INK, 0.8)
    pen.run(solid, style, half)
    if tail is not None:
        _draw_tail(pen, tail, style, half, casing)
    _draw_arrows(pen, solid, style, half, casing)


def _draw_tail(pen: _Pen, tail: Trace, style: BeamStyle, half_mm: float, casing_mm: float) -> None:
    """Draw the end of a shot into space: dashes that get shorter, thinner and fainter."""
    count = int(np.clip(tail.length_mm / (2.2 * pen.unit_mm), 3, 12))
    for k in range(count):
        left = 1 - k / count
        dash = tail.between(k / count, (k + 0.25 + 0.55 * left) / count)
        thin = 0.35 + 0.65 * left
        pen.band(dash.points_mm, half_mm * thin + casing_mm, INK, 0.7 * left)
        pen.band(dash.points_mm, half_mm * thin, style.colour, 0.15 + 0.85 * left)
        if style.middle == "core":
            pen.band(dash.points_mm, half_mm * thin * 0.34, WHITE, left)


def _draw_arrows(
    pen: _Pen, solid: Trace, style: BeamStyle, half_mm: float, casing_mm: float
) -> None:
    """Draw arrow heads along a beam, more of them on a long one."""
    length = solid.length_mm
    size = half_mm * 1.1 + 0.42 * pen.unit_mm
    if length < 6 * size:
        return
    count = int(np.clip(length / (26 * pen.unit_mm), 1, 3))
    shape = np.array([[1.5, 0.0], [-0.9, 1.0], [-0.45, 0.0], [-0.9, -1.0]])
    for at, way in _stations(solid.points_mm, length, count):
        side = np.array([-way[1], way[0]])
        for grow, colour in ((size + casing_mm * 1.4, INK), (size, style.colour)):
            points = at + shape[:, :1] * grow * way + shape[:, 1:] * grow * side
            pen.canvas.fill(photo_from_table(pen.camera, points), colour)


def _stations(points_mm: Points, length_mm: float, count: int) -> Iterator[tuple[Points, Points]]:
    """Return the places of the arrow heads along a path, and which way it runs there."""
    if is_straight(points_mm):
        way = (points_mm[-1] - points_mm[0]) / length_mm
        for k in range(count):
            yield points_mm[0] + way * length_mm * (k + 0.62) / count, way
        return
    for k in range(count):
        share = (k + 0.62) / count
        before, at = _walk(points_mm, np.array([max(share - 0.01, 0.0), share]))
        yield at, (at - before) / max(float(np.hypot(*(at - before))), 1e-9)


def _draw_fences(
    canvas: Canvas, camera: Camera, trace: Trace, apart_mm: float, unit_px: float
) -> None:
    """Draw dashed amber lines on both sides of a contested beam."""
    side = _sides(trace.points_mm)
    for sign in (-1.0, 1.0):
        line = photo_from_table(camera, trace.points_mm + sign * apart_mm * side)
        for dash in dashes(line, 0.9 * unit_px, 0.6 * unit_px):
            canvas.cased(dash, 0.2 * unit_px, AMBER, 0.07 * unit_px)
