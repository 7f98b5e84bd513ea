"""Put shapes on a picture or on a page.

Both backends paint the same list of shapes, so what is printed is what is looked for.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.art.drawing import Disc, Point, Polygon, Ring, Shape, Stroke, box
from vision.values.arrays import ImageBGR

__all__ = ["paint_pdf", "paint_raster"]

_SHIFT_BITS = 4  # OpenCV's fixed point: 1/16 of a supersampled pixel
_MIN_SAMPLES = 4  # per axis and pixel: 17 levels of grey across a straight edge
_MIN_SAMPLES_PER_MM = 16  # thin lines are whole supersampled pixels wide: 1/16 mm is fine enough
_MOST_SAMPLES = 50_000_000  # at once, 150 MB: a large board is painted in bands
_POINTS_PER_MM = 72 / 25.4
_UNDER_MM = 0.5  # how far the picture reaches under the innermost ring on a page


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
    rows = max(1, _MOST_SAMPLES // (width * samples**2))
    drawn = list(shapes)
    image = np.empty((height, width, 3), np.uint8)
    for top in range(0, height, rows):
        band = image[top : top + rows]
        grid = _Grid(samples, px_per_mm, ((width - 1) / 2, (height - 1) / 2 - top))
        large = _paint_samples(drawn, grid, band.shape[:2])
        band[:] = cv2.resize(large, band.shape[1::-1], interpolation=cv2.INTER_AREA)
    for shape in drawn:
        if isinstance(shape, Ring):
            _blend_ring(image, shape, px_per_mm)
    return image


@dataclass(frozen=True, slots=True)
class _Grid:
    """Samples per pixel and axis, pixels per mm, where the card's centre lies, px."""

    samples: int
    px_per_mm: float
    centre: Point

    @property
    def scale(self) -> float:
        return self.px_per_mm * self.samples

    def to_fixed(self, points: Sequence[Point]) -> NDArray[np.int32]:
        """Return points as OpenCV wants them."""
        middle = (np.array(self.centre) + 0.5) * self.samples - 0.5
        pixels = np.asarray(points, float) * self.scale + middle
        return np.rint(pixels * (1 << _SHIFT_BITS)).astype(np.int32)

    def shows(self, shape: Shape, height: int) -> bool:
        """Tell whether a part of a shape may lie in a picture so many pixels high."""
        top, low = (((edge - self.centre[1]) / self.px_per_mm) for edge in (-1, height))
        match shape:
            case Polygon():
                ys, more = [y for _, y in shape.outline], 0.0
            case Stroke():
                ys, more = [y for _, y in shape.points], shape.width_mm
            case Disc():
                ys, more = [shape.centre[1]], shape.radius_mm
            case Ring():
                return False
        return min(ys) - more <= low and max(ys) + more >= top


def _paint_samples(shapes: Iterable[Shape], grid: _Grid, shape_hw: tuple[int, ...]) -> ImageBGR:
    """Paint shapes, rings left out, at several samples per pixel."""
    height, width = shape_hw
    large = np.full((height * grid.samples, width * grid.samples, 3), 255, np.uint8)
    for shape in shapes:
        if not grid.shows(shape, height):
            continue
        match shape:
            case Polygon():
                rounds = [grid.to_fixed(shape.outline), *map(grid.to_fixed, shape.holes)]
                cv2.fillPoly(large, rounds, shape.colour[::-1], cv2.LINE_8, _SHIFT_BITS)
            case Stroke():
                thickness = max(1, round(shape.width_mm * grid.scale))
                points = [grid.to_fixed(shape.points)]
                colour = shape.colour[::-1]
                cv2.polylines(
                    large, points, shape.closed, colour, thickness, cv2.LINE_8, _SHIFT_BITS
                )
            case Disc():
                x, y = grid.to_fixed([shape.centre])[0].tolist()
                radius = round(shape.radius_mm * grid.scale * (1 << _SHIFT_BITS))
                cv2.circle(
                    large, (x, y), radius, shape.colour[::-1], cv2.FILLED, cv2.LINE_8, _SHIFT_BITS
                )
            case Ring():
                pass  # painted last
    return large


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


def paint_pdf(canvas: Any, shapes: Iterable[Shape], centre_mm: Point) -> None:
    """Paint shapes on a page.

    Parameters
    ----------
    canvas : reportlab.pdfgen.canvas.Canvas
        The page, in its own frame of points from the lower left corner.
    shapes : iterable of Shape
        In the card frame, mm. Rings are painted last; where there are rings, the other shapes are
        cut off under the innermost one, so that not even a hairline of them shows outside.
    centre_mm : Point
        Where the card's centre goes, mm from the lower left corner of the page, y up.
    """
    shapes = list(shapes)
    rings = [shape for shape in shapes if isinstance(shape, Ring)]
    canvas.saveState()
    canvas.translate(centre_mm[0] * _POINTS_PER_MM, centre_mm[1] * _POINTS_PER_MM)
    canvas.scale(_POINTS_PER_MM, -_POINTS_PER_MM)  # from here on: mm, y down
    canvas.setLineCap(1)
    canvas.setLineJoin(1)
    canvas.saveState()
    if rings:
        width, height = min(ring.inner_wh_mm for ring in rings)
        window = _rectangle(width + 2 * _UNDER_MM, height + 2 * _UNDER_MM)
        canvas.clipPath(_path(canvas, [window]), stroke=0, fill=0)
    for shape in shapes:
        _paint_shape(canvas, shape)
    canvas.restoreState()
    for ring in rings:
        canvas.setFillColorRGB(*(level / 255 for level in ring.colour))
        outlines = [_rectangle(*ring.outer_wh_mm), _rectangle(*ring.inner_wh_mm)]
        canvas.drawPath(_path(canvas, outlines), stroke=0, fill=1, fillMode=0)
    canvas.restoreState()


def _paint_shape(canvas: Any, shape: Shape) -> None:
    colour = [level / 255 for level in shape.colour]
    match shape:
        case Polygon():
            canvas.setFillColorRGB(*colour)
            path = _path(canvas, [shape.outline, *shape.holes])
            canvas.drawPath(path, stroke=0, fill=1, fillMode=0)
        case Stroke():
            canvas.setStrokeColorRGB(*colour)
            canvas.setLineWidth(shape.width_mm)
            path = _path(canvas, [shape.points], closed=shape.closed)
            canvas.drawPath(path, stroke=1, fill=0)
        case Disc():
            canvas.setFillColorRGB(*colour)
            canvas.circle(*shape.centre, shape.radius_mm, stroke=0, fill=1)
        case Ring():
            pass  # painted last


def _rectangle(width: float, height: float) -> tuple[Point, ...]:
    return box(-width / 2, -height / 2, width / 2, height / 2)


def _path(canvas: Any, outlines: Sequence[Sequence[Point]], *, closed: bool = True) -> Any:
    path = canvas.beginPath()
    for first, *rest in outlines:
        path.moveTo(*first)
        for point in rest:
            path.lineTo(*point)
        if closed:
            path.close()
    return path
