"""A picture being drawn on: anti-aliased shapes and text, each on the part that it touches."""

import importlib.util
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from vision.showing.style import INK, Colour
from vision.values.arrays import ImageBGR, Points

__all__ = [
    "XY",
    "Box",
    "Canvas",
    "cap_height",
    "dashes",
    "free_place",
    "text_width",
    "touches",
]

_SHIFT = 4  # OpenCV draws at 1/16 px
_FAR = 1e5  # px; further out than any picture, and safe in OpenCV's fixed point
_WIDE = 0.92  # of the size, for a font whose letters are wider
_CAP = 0.72  # cap height of the font for one of its size

XY = tuple[float, float]  #: a point in px
Box = tuple[float, float, float, float]  #: left, top, right, bottom in px
Mask = NDArray[np.uint8]


@lru_cache(maxsize=128)
def _font(size_px: int, *, accents: bool = False) -> ImageFont.FreeTypeFont:
    """Return Pillow's own font, or, for what it cannot write, the one that ReportLab brings."""
    if accents:
        place = importlib.util.find_spec("reportlab")
        folder = Path(place.origin or "").parent / "fonts" if place else Path()
        return ImageFont.truetype(str(folder / "Vera.ttf"), round(_WIDE * size_px))
    font = ImageFont.load_default(size=size_px)
    if not isinstance(font, ImageFont.FreeTypeFont):
        msg = "Pillow was built without FreeType; install a Pillow wheel to draw text"
        raise TypeError(msg)
    return font


@lru_cache(maxsize=512)
def _needs_accents(letter: str) -> bool:
    """Tell whether Pillow's own font shows a letter as an empty box."""
    font = _font(24)
    missing = font.getmask("\ufffe")
    drawn = font.getmask(letter)
    return drawn.size == missing.size and bytes(drawn) == bytes(missing)


def _font_for(text: str, size_px: int) -> tuple[ImageFont.FreeTypeFont, str]:
    """Return a font that can write a text, and the text with plain spaces."""
    plain = text.replace("\u202f", " ").replace("\xa0", " ")
    accents = not plain.isascii() and any(_needs_accents(c) for c in plain if not c.isascii())
    return _font(size_px, accents=accents), plain


@lru_cache(maxsize=512)
def _text_mask(text: str, size_px: int, weight_px: int) -> tuple[Mask, int, int]:
    """Return ink 0..255 and where its left end and base line lie in it."""
    font, text = _font_for(text, size_px)
    left, top, right, bottom = font.getbbox(text, anchor="ls", stroke_width=weight_px)
    pad = 1
    x0, y0 = int(np.floor(left)) - pad, int(np.floor(top)) - pad
    width, height = int(np.ceil(right)) + pad - x0, int(np.ceil(bottom)) + pad - y0
    image = Image.new("L", (max(width, 1), max(height, 1)))
    ImageDraw.Draw(image).text(
        (-x0, -y0), text, fill=255, font=font, anchor="ls", stroke_width=weight_px
    )
    return np.asarray(image), -x0, -y0


def _weight(size_px: int, bold: bool) -> int:
    return max(round(size_px / 26), 1) if bold else 0


def text_width(text: str, size_px: float, *, bold: bool = False) -> float:
    """Return the width of a line of text in px."""
    size = max(round(size_px), 4)
    font, plain = _font_for(text, size)
    return float(font.getlength(plain)) + 2 * _weight(size, bold)


def cap_height(size_px: float) -> float:
    """Return the height of a capital letter in px."""
    return _CAP * size_px


def dashes(
    points_px: Points, on_px: float, off_px: float, *, closed: bool = False
) -> Iterator[Points]:
    """Cut a polyline (N, 2) into dashes by length along it."""
    if closed:
        points_px = np.vstack([points_px, points_px[:1]])
    steps = np.hypot(*np.diff(points_px, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    total = float(along[-1])
    if total <= 0:
        return
    count = max(round(total / (on_px + off_px)), 1)
    period = total / count
    for k in range(count):
        start, end = k * period, k * period + period * on_px / (on_px + off_px)
        inner = along[(along > start) & (along < end)]
        at = np.concatenate([[start], inner, [end]])
        yield np.column_stack([np.interp(at, along, points_px[:, i]) for i in (0, 1)])


def touches(a: Box, b: Box) -> bool:
    """Tell whether two rectangles overlap."""
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def free_place(
    options: list[XY], half_wh: XY, taken: list[Box], size_wh: tuple[int, int]
) -> XY | None:
    """Return the first point around which a rectangle fits the picture and touches nothing."""
    half_w, half_h = half_wh
    for x, y in options:
        box = (x - half_w, y - half_h, x + half_w, y + half_h)
        inside = box[0] >= 0 and box[1] >= 0 and box[2] <= size_wh[0] and box[3] <= size_wh[1]
        if inside and not any(touches(box, other) for other in taken):
            return x, y
    return None


class Canvas:
    """A picture that is drawn on, in place; the caller gives it a copy.

    Points are (N, 2) float px, whole numbers at pixel centres. Everything outside the picture is
    cut off without complaint.
    """

    def __init__(self, image: ImageBGR) -> None:
        self.image = image

    @property
    def width(self) -> int:
        """The picture's width in px."""
        return int(self.image.shape[1])

    @property
    def height(self) -> int:
        """The picture's height in px."""
        return int(self.image.shape[0])

    def _part(self, points: Points, pad: float) -> tuple[ImageBGR, Points] | None:
        """Return the part of the picture around some points, and its origin."""
        lo = np.maximum(np.floor(points.min(axis=0) - pad), 0).astype(int)
        hi = np.minimum(np.ceil(points.max(axis=0) + pad) + 1, [self.width, self.height])
        hi = hi.astype(int)
        if np.any(hi <= lo):
            return None
        return self.image[lo[1] : hi[1], lo[0] : hi[0]], lo.astype(float)

    def fill(self, points: Points, colour: Colour, alpha: float = 1.0) -> None:
        """Fill a polygon."""
        points = np.clip(np.asarray(points, float), -_FAR, _FAR)
        if len(points) < 3 or alpha <= 0:
            return
        part = self._part(points, 2)
        if part is None:
            return
        image, origin = part
        fixed = [np.round((points - origin) * (1 << _SHIFT)).astype(np.int32)]
        if alpha >= 1:
            cv2.fillPoly(image, fixed, colour, cv2.LINE_AA, _SHIFT)
            return
        drawn = image.copy()
        cv2.fillPoly(drawn, fixed, colour, cv2.LINE_AA, _SHIFT)
        cv2.addWeighted(drawn, alpha, image, 1 - alpha, 0, dst=image)

    def stroke(
        self,
        points: Points,
        width_px: float,
        colour: Colour,
        alpha: float = 1.0,
        *,
        closed: bool = False,
    ) -> None:
        """Draw a line of one width through points, with round ends."""
        points = np.clip(np.asarray(points, float), -_FAR, _FAR)
        if len(points) < 2 or alpha <= 0:
            return
        part = self._part(points, width_px / 2 + 2)
        if part is None:
            return
        image, origin = part
        fixed = [np.round((points - origin) * (1 << _SHIFT)).astype(np.int32)]
        thick = max(round(width_px), 1)
        drawn = image if alpha >= 1 else image.copy()
        cv2.polylines(drawn, fixed, closed, colour, thick, cv2.LINE_AA, _SHIFT)
        if alpha < 1:
            cv2.addWeighted(drawn, alpha, image, 1 - alpha, 0, dst=image)

    def cased(
        self,
        points: Points,
        width_px: float,
        colour: Colour,
        casing_px: float,
        *,
        closed: bool = False,
    ) -> None:
        """Draw a line with a dark casing on both sides."""
        self.stroke(points, width_px + 2 * casing_px, INK, closed=closed)
        self.stroke(points, width_px, colour, closed=closed)

    def fade_to_grey(self, points: Points, darken: float) -> None:
        """Take the colour out of a polygon and darken it."""
        part = self._part(points, 1)
        if part is None:
            return
        image, origin = part
        mask = np.zeros(image.shape[:2], np.uint8)
        fixed = [np.round((points - origin) * (1 << _SHIFT)).astype(np.int32)]
        cv2.fillPoly(mask, fixed, 255, cv2.LINE_AA, _SHIFT)
        grey = cv2.convertScaleAbs(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), alpha=darken)
        _blend(image, np.asarray(cv2.merge([grey, grey, grey]), np.uint8), mask)

    def text(
        self,
        text: str,
        at: tuple[float, float],
        size_px: float,
        colour: Colour,
        *,
        bold: bool = False,
        align: float = 0.5,
    ) -> None:
        """Write a line whose capitals are centred on ``at`` in height.

        ``align`` says which point of the line stands at x: 0 its left end, 1 its right end.
        """
        size = max(round(size_px), 4)
        weight = _weight(size, bold)
        x = at[0] - align * text_width(text, size, bold=bold) + weight
        self._ink(text, size, weight, (x, at[1] + cap_height(size) / 2), colour)

    def haloed_text(
        self, text: str, at: tuple[float, float], size_px: float, colour: Colour, halo_px: float
    ) -> None:
        """Write a line from its left end on, with a dark halo."""
        size = max(round(size_px), 4)
        halo = max(round(halo_px), 1)
        self._ink(text, size, halo, (at[0], at[1] + cap_height(size) / 2), INK)
        self.text(text, at, size_px, colour, align=0)

    def _ink(
        self, text: str, size: int, weight: int, at: tuple[float, float], colour: Colour
    ) -> None:
        mask, left, base = _text_mask(text, size, weight)
        x, y = round(at[0]) - left, round(at[1]) - base
        x0, y0 = max(x, 0), max(y, 0)
        x1, y1 = min(x + mask.shape[1], self.width), min(y + mask.shape[0], self.height)
        if x1 <= x0 or y1 <= y0:
            return
        image = self.image[y0:y1, x0:x1]
        _blend(
            image,
            np.full(image.shape, colour, dtype=np.uint8),
            mask[y0 - y : y1 - y, x0 - x : x1 - x],
        )


def _blend(image: ImageBGR, over: ImageBGR, mask: Mask) -> None:
    """Lay ``over`` on ``image`` in place, by an alpha of 0..255."""
    weight = cv2.merge([mask, mask, mask]).astype(np.uint16)
    mixed = image.astype(np.uint16) * (255 - weight) + over.astype(np.uint16) * weight
    image[:] = ((mixed + 127) // 255).astype(np.uint8)


def broken_text(words: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """Break a sentence into lines of a width; a number stays beside its unit."""
    lines = [""]
    for word in words.replace(" mm", "\u00a0mm").replace(" %", "\u00a0%").split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size, bold=bold) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
