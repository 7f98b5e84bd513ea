"""Shapes in millimetres, and the two ways to put them on paper: pixels and PDF.

A drawing is a list of shapes, painted in order, in the card frame: origin at the centre, x right,
y down. Both backends paint the same list, so what is printed is what is looked for.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.types import ImageBGR

__all__ = [
    "Colour",
    "Disc",
    "Point",
    "Polygon",
    "Ring",
    "Shape",
    "Stroke",
    "arc",
    "box",
    "ellipse",
    "mirrored",
    "mix",
    "paint_pdf",
    "paint_raster",
    "rgb",
    "ribbon",
    "shifted",
    "smooth",
]

Point: TypeAlias = tuple[float, float]
Colour: TypeAlias = tuple[int, int, int]  #: red, green, blue, 0..255

_SHIFT_BITS = 4  # OpenCV's fixed point: 1/16 of a supersampled pixel
_MIN_SAMPLES = 4  # per axis and pixel: 17 levels of grey across a straight edge
_MIN_SAMPLES_PER_MM = 16  # thin lines are whole supersampled pixels wide: 1/16 mm is fine enough
_POINTS_PER_MM = 72 / 25.4


@dataclass(frozen=True, slots=True)
class Polygon:
    """A filled outline; further outlines inside it are holes (even-odd)."""

    outline: tuple[Point, ...]
    colour: Colour
    holes: tuple[tuple[Point, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points, with round ends and joins."""

    points: tuple[Point, ...]
    width_mm: float
    colour: Colour
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Disc:
    """A filled circle."""

    centre: Point
    radius_mm: float
    colour: Colour


@dataclass(frozen=True, slots=True)
class Ring:
    """The area between two upright rectangles, both centred on the card; exact to the pixel."""

    outer_wh_mm: tuple[float, float]
    inner_wh_mm: tuple[float, float]
    colour: Colour


Shape: TypeAlias = Polygon | Stroke | Disc | Ring


# --- colours ---------------------------------------------------------------------------------


def rgb(code: str) -> Colour:
    """Read a colour.

    >>> rgb("#B3122A")
    (179, 18, 42)
    """
    value = int(code.removeprefix("#"), 16)
    return value >> 16, value >> 8 & 255, value & 255


def mix(a: Colour, b: Colour, share: float) -> Colour:
    """Return the colour a share of the way from a to b."""
    red, green, blue = (round(p + (q - p) * share) for p, q in zip(a, b, strict=True))
    return red, green, blue


# --- points ----------------------------------------------------------------------------------


def box(left: float, top: float, right: float, bottom: float) -> tuple[Point, ...]:
    """Return the corners of an upright rectangle."""
    return (left, top), (right, top), (right, bottom), (left, bottom)


def ellipse(
    centre: Point, radii: Point, turn_rad: float = 0.0, steps: int = 32
) -> tuple[Point, ...]:
    """Return points of an ellipse."""
    c, s = math.cos(turn_rad), math.sin(turn_rad)
    points = []
    for i in range(steps):
        u = radii[0] * math.cos(2 * math.pi * i / steps)
        v = radii[1] * math.sin(2 * math.pi * i / steps)
        points.append((centre[0] + c * u - s * v, centre[1] + s * u + c * v))
    return tuple(points)


def arc(
    centre: Point, radius: float, from_rad: float, to_rad: float, steps: int = 16
) -> tuple[Point, ...]:
    """Return points of a circle's arc; angles clockwise as seen, 0 toward +x."""
    return tuple(
        (
            centre[0] + radius * math.cos(from_rad + (to_rad - from_rad) * i / steps),
            centre[1] + radius * math.sin(from_rad + (to_rad - from_rad) * i / steps),
        )
        for i in range(steps + 1)
    )


def smooth(points: Sequence[Point], *, closed: bool = False, steps: int = 6) -> tuple[Point, ...]:
    """Return a Catmull-Rom curve through points.

    Parameters
    ----------
    points : sequence of (x, y)
        Two or more.
    closed : bool
        Whether the curve returns to its first point.
    steps : int
        New points for each given one.
    """
    p = np.asarray(points, float)
    if closed:
        before, start, end, after = np.roll(p, 1, 0), p, np.roll(p, -1, 0), np.roll(p, -2, 0)
    else:
        padded = np.vstack([2 * p[0] - p[1], p, 2 * p[-1] - p[-2]])
        before, start, end, after = padded[:-3], padded[1:-2], padded[2:-1], padded[3:]
    t = (np.arange(steps) / steps)[None, :, None]
    a, b, c, d = (q[:, None] for q in (before, start, end, after))
    curve = 0.5 * (
        2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3
    )
    flat = [(float(x), float(y)) for x, y in curve.reshape(-1, 2)]
    return tuple(flat if closed else [*flat, (float(p[-1, 0]), float(p[-1, 1]))])


def ribbon(centreline: Sequence[Point], widths: Sequence[float]) -> tuple[Point, ...]:
    """Return the outline of a band that follows a line, its width varying evenly between knots."""
    p = np.asarray(centreline, float)
    along = np.gradient(p, axis=0)
    along /= np.hypot(along[:, :1], along[:, 1:])
    knots = np.linspace(0, 1, len(widths))
    half = 0.5 * np.interp(np.linspace(0, 1, len(p)), knots, widths)[:, None]
    aside = np.column_stack([along[:, 1], -along[:, 0]]) * half
    return tuple((float(x), float(y)) for x, y in np.vstack([p + aside, (p - aside)[::-1]]))


def mirrored(points: Iterable[Point], axis_x: float = 0.0) -> tuple[Point, ...]:
    """Return points mirrored left to right."""
    return tuple((2 * axis_x - x, y) for x, y in points)


def shifted(shapes: Iterable[Shape], dx: float, dy: float) -> list[Shape]:
    """Return shapes moved; rings stay, they belong to the card."""

    def move(points: Iterable[Point]) -> tuple[Point, ...]:
        return tuple((x + dx, y + dy) for x, y in points)

    moved: list[Shape] = []
    for shape in shapes:
        match shape:
            case Polygon():
                holes = tuple(move(hole) for hole in shape.holes)
                moved.append(replace(shape, outline=move(shape.outline), holes=holes))
            case Stroke():
                moved.append(replace(shape, points=move(shape.points)))
            case Disc():
                moved.append(replace(shape, centre=move([shape.centre])[0]))
            case Ring():
                moved.append(shape)
    return moved


# --- pixels ----------------------------------------------------------------------------------


def paint_raster(
    shapes: Iterable[Shape], size_wh_mm: tuple[float, float], px_per_mm: float
) -> ImageBGR:
    """Paint shapes on white.

    Parameters
    ----------
    shapes : iterable of Shape
        In the card frame, mm. Rings are painted last, over everything else.
    size_wh_mm : tuple of float
        The card's size.
    px_per_mm : float
        The scale, exact: where the size is not a whole number of pixels the picture is rounded
        to the nearest whole number and the card stays centred in it.

    Returns
    -------
    ImageBGR
        The card's centre lies at pixel ``((W - 1) / 2, (H - 1) / 2)``.
    """
    width, height = (round(side * px_per_mm) for side in size_wh_mm)
    if min(width, height) < 1:
        msg = f"px_per_mm: expected a scale that leaves a pixel or more, got {px_per_mm}"
        raise ValueError(msg)
    samples = max(_MIN_SAMPLES, math.ceil(_MIN_SAMPLES_PER_MM / px_per_mm))
    scale = px_per_mm * samples
    large = np.full((height * samples, width * samples, 3), 255, np.uint8)
    centre = np.array([width, height]) * (samples / 2) - 0.5

    def to_fixed(points: Sequence[Point]) -> NDArray[np.int32]:
        pixels = np.asarray(points, float) * scale + centre
        return np.rint(pixels * (1 << _SHIFT_BITS)).astype(np.int32)

    rings = []
    for shape in shapes:
        match shape:
            case Polygon():
                rounds = [to_fixed(shape.outline), *map(to_fixed, shape.holes)]
                cv2.fillPoly(large, rounds, shape.colour[::-1], cv2.LINE_8, _SHIFT_BITS)
            case Stroke():
                thickness = max(1, round(shape.width_mm * scale))
                points = [to_fixed(shape.points)]
                colour = shape.colour[::-1]
                cv2.polylines(
                    large, points, shape.closed, colour, thickness, cv2.LINE_8, _SHIFT_BITS
                )
            case Disc():
                x, y = to_fixed([shape.centre])[0].tolist()
                radius = round(shape.radius_mm * scale * (1 << _SHIFT_BITS))
                cv2.circle(
                    large, (x, y), radius, shape.colour[::-1], cv2.FILLED, cv2.LINE_8, _SHIFT_BITS
                )
            case Ring():
                rings.append(shape)
    image = cv2.resize(large, (width, height), interpolation=cv2.INTER_AREA)
    for ring in rings:
        _blend_ring(image, ring, px_per_mm)
    return image.astype(np.uint8, copy=False)


def _blend_ring(image: Any, ring: Ring, px_per_mm: float) -> None:
    """Paint a ring into an image, each pixel by the exact share of it that is covered."""

    def cover(length: int, side_mm: float) -> NDArray[np.float32]:
        distance = np.abs(np.arange(length) - (length - 1) / 2)
        share = np.clip(side_mm * px_per_mm / 2 - distance + 0.5, 0, 1)
        return np.asarray(share, np.float32)

    height, width = image.shape[:2]
    outer_x, inner_x = (cover(width, wh[0]) for wh in (ring.outer_wh_mm, ring.inner_wh_mm))
    outer_y, inner_y = (cover(height, wh[1]) for wh in (ring.outer_wh_mm, ring.inner_wh_mm))
    colour = np.array(ring.colour[::-1], np.float32)
    # Where the hole covers a pixel fully nothing changes: four strips are left to paint.
    x0, x1 = _full_span(inner_x)
    y0, y1 = _full_span(inner_y)
    for rows, columns in (
        (slice(None, y0), slice(None)),
        (slice(y1, None), slice(None)),
        (slice(y0, y1), slice(None, x0)),
        (slice(y0, y1), slice(x1, None)),
    ):
        part = image[rows, columns]
        share = np.outer(outer_y[rows], outer_x[columns]) - np.outer(
            inner_y[rows], inner_x[columns]
        )
        part[:] = np.rint(part + share[:, :, None] * (colour - part))


def _full_span(cover: NDArray[np.float32]) -> tuple[int, int]:
    """Return where the run of fully covered pixels begins and ends."""
    full = np.flatnonzero(cover >= 1)
    return (int(full[0]), int(full[-1]) + 1) if full.size else (cover.size, cover.size)


# --- paper -----------------------------------------------------------------------------------


def paint_pdf(
    canvas: Any, shapes: Iterable[Shape], centre_mm: Point, size_wh_mm: tuple[float, float]
) -> None:
    """Paint shapes on a page, clipped to the card.

    Parameters
    ----------
    canvas : reportlab.pdfgen.canvas.Canvas
        The page, in its own frame of points from the lower left corner.
    shapes : iterable of Shape
        In the card frame, mm. Rings are painted last.
    centre_mm : Point
        Where the card's centre goes, mm from the lower left corner of the page, y up.
    size_wh_mm : tuple of float
        The card's size.
    """
    width, height = size_wh_mm
    canvas.saveState()
    canvas.translate(centre_mm[0] * _POINTS_PER_MM, centre_mm[1] * _POINTS_PER_MM)
    canvas.scale(_POINTS_PER_MM, -_POINTS_PER_MM)  # from here on: mm, y down
    canvas.clipPath(
        _path(canvas, [box(-width / 2, -height / 2, width / 2, height / 2)]), stroke=0, fill=0
    )
    canvas.setLineCap(1)
    canvas.setLineJoin(1)
    for shape in sorted(shapes, key=lambda shape: isinstance(shape, Ring)):
        red, green, blue = (level / 255 for level in shape.colour)
        match shape:
            case Polygon():
                canvas.setFillColorRGB(red, green, blue)
                path = _path(canvas, [shape.outline, *shape.holes])
                canvas.drawPath(path, stroke=0, fill=1, fillMode=0)
            case Stroke():
                canvas.setStrokeColorRGB(red, green, blue)
                canvas.setLineWidth(shape.width_mm)
                path = _path(canvas, [shape.points], closed=shape.closed)
                canvas.drawPath(path, stroke=1, fill=0)
            case Disc():
                canvas.setFillColorRGB(red, green, blue)
                canvas.circle(*shape.centre, shape.radius_mm, stroke=0, fill=1)
            case Ring():
                canvas.setFillColorRGB(red, green, blue)
                outlines = [
                    box(-w / 2, -h / 2, w / 2, h / 2)
                    for w, h in (shape.outer_wh_mm, shape.inner_wh_mm)
                ]
                canvas.drawPath(_path(canvas, outlines), stroke=0, fill=1, fillMode=0)
    canvas.restoreState()


def _path(canvas: Any, outlines: Sequence[Sequence[Point]], *, closed: bool = True) -> Any:
    path = canvas.beginPath()
    for first, *rest in outlines:
        path.moveTo(*first)
        for point in rest:
            path.lineTo(*point)
        if closed:
            path.close()
    return path
