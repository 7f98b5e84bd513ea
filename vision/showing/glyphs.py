"""The small signs of the overlay, each drawn around a point of the picture."""

import math

import numpy as np

from vision.showing.canvas import Canvas, dashes, text_width
from vision.showing.style import (
    AMBER,
    GOLD,
    INK,
    SCENERY,
    STAR,
    WHITE,
    BeamStyle,
    Colour,
    SideStyle,
)
from vision.values.arrays import Points

__all__ = [
    "draw_badge",
    "draw_burst",
    "draw_crown",
    "draw_disc",
    "draw_doubt",
    "draw_label",
    "draw_lump",
    "draw_pip",
    "draw_round",
    "draw_swatch",
    "label_width",
    "round_rect",
]

XY = tuple[float, float]
_IN_DISC = 2  # signs of a label that fit a disc


def _ring(count: int, turn: float = 0.0) -> Points:
    """Return corners of a regular polygon of radius 1, the first one up."""
    angle = np.arange(count) * 2 * math.pi / count - math.pi / 2 + turn
    return np.column_stack([np.cos(angle), np.sin(angle)])


def _softened(corners: Points, share: float) -> Points:
    """Round the corners of a polygon by a share of its sides."""
    before, after = np.roll(corners, 1, axis=0), np.roll(corners, -1, axis=0)
    a = corners + share * (before - corners)
    b = corners + share * (after - corners)
    t = np.linspace(0, 1, 7)[None, :, None]
    curve = (1 - t) ** 2 * a[:, None] + 2 * t * (1 - t) * corners[:, None] + t**2 * b[:, None]
    return np.asarray(curve.reshape(-1, 2), float)


# The outlines have about the same area, so that no side looks larger than another.
_SHAPES: dict[str, tuple[Points, float]] = {
    "disc": (_ring(40), 0.0),
    "square": (_softened(_ring(4, math.pi / 4) * 1.24, 0.16), 0.0),
    "diamond": (_softened(_ring(4) * 1.27, 0.12), 0.0),
    "triangle": (_softened(_ring(3) * 1.52 + [0, 0.14], 0.12), 0.24),
    "hexagon": (_softened(_ring(6) * 1.1, 0.1), 0.0),
    "pentagon": (_softened(_ring(5) * 1.18, 0.1), 0.04),
}
_LUMP = np.array(
    [
        [-0.9, 0.1],
        [-0.55, -0.72],
        [0.12, -0.92],
        [0.8, -0.5],
        [0.95, 0.2],
        [0.45, 0.82],
        [-0.4, 0.8],
    ]
)
_LUMP_LIGHT = np.array([[-0.62, 0.02], [-0.38, -0.5], [0.1, -0.64], [0.3, -0.2], [-0.1, 0.12]])


def round_rect(left: float, top: float, right: float, bottom: float, radius: float) -> Points:
    """Return the outline of a rectangle with round corners."""
    radius = min(radius, (right - left) / 2, (bottom - top) / 2)
    quarter = np.linspace(0, math.pi / 2, 7)
    corners = []
    for k, (x, y) in enumerate(
        [
            (right - radius, bottom - radius),
            (left + radius, bottom - radius),
            (left + radius, top + radius),
            (right - radius, top + radius),
        ]
    ):
        angle = quarter + k * math.pi / 2
        corners.append(np.column_stack([x + radius * np.cos(angle), y + radius * np.sin(angle)]))
    return np.vstack(corners)


def draw_badge(canvas: Canvas, at: XY, radius: float, side: SideStyle) -> None:
    """Draw a side's badge: its shape in its colour, edged in white, with its letter."""
    outline, drop = _SHAPES[side.shape]
    points = outline * radius + at
    canvas.fill(outline * (radius * 1.2) + at, INK)
    canvas.fill(outline * (radius * 1.08) + at, WHITE)
    canvas.fill(points - (points - at) * 0.05, side.colour)
    size = radius * (1.28 if side.shape == "triangle" else 1.5)
    canvas.text(side.letter, (at[0], at[1] + drop * radius), size, WHITE, bold=True)


def draw_disc(
    canvas: Canvas, at: XY, radius: float, text: str, ring: Colour, *, ground: Colour = INK
) -> None:
    """Draw a disc with a coloured ring and a short text in it."""
    canvas.fill(_SHAPES["disc"][0] * (radius * 1.3) + at, INK)
    canvas.fill(_SHAPES["disc"][0] * (radius * 1.18) + at, ring)
    canvas.fill(_SHAPES["disc"][0] * (radius * 0.92) + at, ground)
    size = radius * (1.62 if len(text) < 2 else 1.26)
    canvas.text(text, at, size, WHITE if ground == INK else INK, bold=True)


def label_width(text: str, radius: float) -> float:
    """Return how wide a label is whose ends are as round as a disc of a radius, px."""
    if len(text) <= _IN_DISC:
        return 2.6 * radius
    return 2.6 * radius + text_width(text, 1.26 * radius, bold=True) - 0.9 * radius


def draw_label(canvas: Canvas, at: XY, radius: float, text: str, ring: Colour) -> None:
    """Draw a short text in a ring of a colour: a disc, drawn out where the text is longer."""
    if len(text) <= _IN_DISC:
        draw_disc(canvas, at, radius, text, ring)
        return
    x, y = at
    stretch = label_width(text, radius) / 2 - 1.3 * radius
    for share, colour in ((1.3, INK), (1.18, ring), (0.92, INK)):
        half = share * radius
        box = (x - stretch - half, y - half, x + stretch + half, y + half)
        draw_round(canvas, box, half, colour, 1.0)
    canvas.text(text, at, 1.26 * radius, WHITE, bold=True)


def draw_doubt(canvas: Canvas, at: XY, radius: float) -> None:
    """Draw the mark of a doubt: an amber disc with a question mark."""
    draw_disc(canvas, at, radius, "?", INK, ground=AMBER)


def draw_burst(canvas: Canvas, at: XY, radius: float, text: str) -> None:
    """Draw where a shot did harm: a star of sixteen points with the points of damage."""
    angle = np.arange(24) * math.pi / 12 + 0.1
    reach = np.where(np.arange(24) % 2 == 0, 1.45, 0.98)
    star = np.column_stack([np.cos(angle), np.sin(angle)]) * reach[:, None]
    canvas.fill(star * (radius * 1.2) + at, INK)
    canvas.fill(star * radius + at, STAR)
    canvas.fill(_SHAPES["disc"][0] * (radius * 0.86) + at, GOLD)
    if text:
        canvas.text(text, at, radius * 1.5, INK, bold=True)


def draw_lump(canvas: Canvas, at: XY, radius: float, text: str = "") -> None:
    """Draw a lump, such as a held rock, with a number on it if there is room for one."""
    canvas.fill(_LUMP * (radius * 1.22) + at, INK)
    canvas.fill(_LUMP * radius + at, SCENERY)
    if text:
        canvas.text(text, at, radius * 1.32, INK, bold=True)
    else:
        canvas.fill(_LUMP_LIGHT * radius + at, WHITE, 0.45)


def draw_pip(canvas: Canvas, at: XY, radius: float, colour: Colour, *, lost: bool) -> None:
    """Draw a point of health: full, or an empty ring if it is lost."""
    canvas.fill(_SHAPES["disc"][0] * radius + at, colour)
    if lost:
        canvas.fill(_SHAPES["disc"][0] * (radius * 0.62) + at, INK)


def draw_crown(canvas: Canvas, at: XY, radius: float) -> None:
    """Draw the winner's crown."""
    crown = np.array(
        [[-1, 0.7], [-1, -0.45], [-0.5, 0.1], [0, -0.8], [0.5, 0.1], [1, -0.45], [1, 0.7]]
    )
    canvas.fill(crown * radius + at, GOLD)


def draw_round(
    canvas: Canvas,
    box: tuple[float, float, float, float],
    radius: float,
    colour: Colour = INK,
    alpha: float = 0.84,
    edge: tuple[Colour, float] | None = None,
) -> None:
    """Draw a plate with round corners, with a coloured edge if one is given."""
    outline = round_rect(*box, radius)
    canvas.fill(outline, colour, alpha)
    if edge is not None:
        canvas.stroke(outline, edge[1], edge[0], closed=True)


def draw_swatch(canvas: Canvas, line: Points, style: BeamStyle, unit: float) -> None:
    """Draw a straight piece of a beam, for a legend."""
    width = style.width * unit
    canvas.cased(line, width, style.colour, 0.14 * unit)
    if style.middle == "beads":
        for dash in dashes(line, 0.45 * unit, 0.4 * unit):
            canvas.stroke(dash, 0.4 * width, WHITE)
    elif style.middle == "core":
        canvas.stroke(line, 0.34 * width, WHITE)
