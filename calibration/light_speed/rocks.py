"""The pictures of the cards that are no ships: asteroids, their backs, and the ships' back."""

import numpy as np

from calibration.art.drawing import Disc, Polygon, Shape, Stroke, arc, ellipse, mix
from calibration.art.lettering import Script, letter, text_width_mm
from calibration.art.palette import INK, PAPER, Palette
from calibration.light_speed.hulls import hull, symmetric
from calibration.light_speed.space import draw_rock, draw_sky

__all__ = ["draw_asteroid", "draw_asteroid_half", "draw_ship_back"]


def draw_asteroid(index: int, palette: Palette, half: tuple[float, float]) -> list[Shape]:
    """Draw an asteroid's front: one great rock, or one with its small companion."""
    rng = np.random.default_rng([3, index])
    if index % 2 == 0:
        rocks = [
            *draw_rock(rng, palette, (-16.0, 27.5), (4.5, 6.0), craters=3),
            *draw_rock(rng, palette, (3.0, -1.0), (16.5, 27.0), turn_rad=0.55, craters=11),
        ]
    else:
        rocks = [
            *draw_rock(rng, palette, (11.5, 22.0), (9.5, 10.5), turn_rad=0.4, craters=5),
            *draw_rock(rng, palette, (-5.0, -8.5), (17.5, 16.5), turn_rad=-0.3, craters=9),
        ]
    sky = draw_sky(rng, palette, half)
    return [*sky, *rocks, *_caption(f"asteroid {index + 1}", palette, half)]


def draw_asteroid_half(
    index: int, palette: Palette, half: tuple[float, float], card_width_mm: float
) -> list[Shape]:
    """Draw an asteroid's back: laid side by side, the two backs show one large rock.

    The first card of a pair shows the left part, the second the right; the rock lies off the
    middle, so that neither looks like the other turned round.
    """
    seam_x = card_width_mm / 2 if index % 2 == 0 else -card_width_mm / 2
    sky = draw_sky(np.random.default_rng([7, index]), palette, half)
    rng = np.random.default_rng(29)
    rock = draw_rock(rng, palette, (seam_x - 9.0, 3.0), (43.0, 33.0), turn_rad=0.2, craters=26)
    moon = draw_rock(rng, palette, (seam_x + 45.0, 26.0), (6.5, 5.0), craters=3)
    caption = _caption(("large", "asteroid")[index % 2], palette, half)
    return [*sky, *moon, *rock, *caption]


def _caption(text: str, palette: Palette, half: tuple[float, float]) -> list[Shape]:
    left, top = -half[0] + 2.6, -half[1] + 2.4
    shapes: list[Shape] = []
    for halo, colour in ((1.2, INK), (0.0, palette.light)):
        shapes += letter(text, (left, top), Script(3.3, 0.55, 0.66), colour, halo_mm=halo)
    return shapes


def draw_ship_back(palette: Palette, half: tuple[float, float]) -> list[Shape]:
    """Draw the back of the ships: a dart that leaves a burst of light, one way up."""
    focus = (4.0, -13.0)
    shapes = draw_sky(np.random.default_rng(5), palette, half, drifts=4)
    rng = np.random.default_rng(17)
    for angle in np.linspace(0, 2 * np.pi, 44, endpoint=False):
        a = float(angle + rng.uniform(-0.05, 0.05))
        near, far, width = float(rng.uniform(15, 24)), 80.0, float(rng.uniform(0.006, 0.022))
        ray = [
            (focus[0] + near * np.cos(a), focus[1] + near * np.sin(a)),
            (focus[0] + far * np.cos(a - width), focus[1] + far * np.sin(a - width)),
            (focus[0] + far * np.cos(a + width), focus[1] + far * np.sin(a + width)),
        ]
        tone = mix(palette.shade, palette.bright, float(rng.uniform(0.1, 0.7)))
        shapes.append(Polygon(tuple((float(x), float(y)) for x, y in ray), tone))
    shapes += [
        Disc(focus, 13.2, INK),
        Disc(focus, 12.6, palette.bright),
        Disc(focus, 11.2, palette.shade),
        Disc((focus[0] - 1.5, focus[1] - 1.8), 9.4, palette.dim),
        Disc((focus[0] - 3.0, focus[1] - 3.6), 6.2, palette.bright),
        Disc((focus[0] - 4.0, focus[1] - 4.8), 3.0, palette.light),
    ]
    for size, width in ((17.0, 0.9), (19.2, 0.5)):
        ring = arc(focus, size, -0.5, 3.9, steps=40)
        shapes.append(Stroke(ring, width, palette.light))
    dart = symmetric([(0, 0), (4.6, 22), (9.5, 27), (3, 25.5), (0, 27.5)], -5.0)
    shapes += [
        Polygon(ellipse((-5.0, 30.0), (2.2, 7.0)), mix(palette.bright, PAPER, 0.4)),
        *hull(dart, palette.light),
        Polygon(
            ((-5.0, 0.0), (-0.4, 22.0), (4.5, 27.0), (-2.0, 25.5), (-5.0, 27.5)), palette.bright
        ),
        Polygon(ellipse((-5.0, 13.0), (1.3, 3.4)), INK),
    ]
    text = "sightline"
    script = Script(2.6, 0.5)
    width = text_width_mm(text, script)
    for halo, colour in ((1.6, INK), (0.0, PAPER)):
        place = (half[0] - 2.6 - width, half[1] - 5.4)
        shapes += letter(text, place, script, colour, halo_mm=halo)
    return shapes
