"""Draw the faces of a deck: what is printed, and what the program looks for.

Every face has the same build, from the edge inwards: a pure white border 3.5 mm wide, a band
2.5 mm wide in the team's own dark colour with square corners (its outer edge is the printed frame
that scans are measured by, and nothing crosses it), and a dark panel with the picture.
"""

import numpy as np

from calibration.art.drawing import Ring, Shape
from calibration.art.lettering import Script, letter, text_width_mm
from calibration.art.paint import paint_raster
from calibration.art.palette import INK, PAPER, Palette
from calibration.light_speed.palette import ASTEROID_BACK, ASTEROIDS, SHIP_BACK, team_palette
from calibration.light_speed.rocks import draw_asteroid, draw_asteroid_half, draw_ship_back
from calibration.light_speed.ships import draw_ship
from calibration.light_speed.space import draw_planet, draw_sky
from calibration.light_speed.weapons import draw_emblem, draw_health, draw_laser, draw_shield
from vision.games.light_speed.deck import card_ids, ship_of, team_of
from vision.games.light_speed.values import Deck, Ship
from vision.values.arrays import ImageBGR

__all__ = ["BAND_MM", "BORDER_MM", "draw_face", "face_shapes"]

BORDER_MM = 3.5
BAND_MM = 2.5
_SPEED, _NAME, _TEAM = Script(7.0, 1.2, 0.75), Script(3.3, 0.55, 0.66), Script(1.7, 0.32)

_PLANETS = (  # x, y, radius in mm, ringed: another one for each ship, and for each team
    (-15.0, 17.0, 12.0, False),
    (16.0, 10.0, 12.5, False),
    (-19.0, -13.0, 9.5, False),
    (-12.0, 3.0, 10.0, True),
    (14.0, 27.0, 13.0, False),
    (17.0, -16.0, 8.0, True),
    (-24.0, 26.0, 13.0, False),
    (21.0, -27.0, 14.0, False),
    (-22.0, -24.0, 11.0, False),
    (17.0, 22.0, 9.0, True),
)


def face_shapes(deck: Deck, card_id: str) -> list[Shape]:
    """Return a card's face as shapes in the card frame, in the order to paint them.

    Raises
    ------
    ValueError
        If the deck has no such card.
    """
    if card_id not in card_ids(deck):
        msg = f"card_id: expected a card of deck {deck.name!r}, got {card_id!r}"
        raise ValueError(msg)
    inset = BORDER_MM + BAND_MM
    half = (deck.width_mm / 2 - inset, deck.height_mm / 2 - inset)
    ship, team = ship_of(deck, card_id), team_of(deck, card_id)
    if ship is not None and team is not None:
        palette = team_palette(team)
        shapes = _ship_face(ship, team, deck.teams.index(team), palette, half)
    elif card_id in deck.asteroids:
        index = deck.asteroids.index(card_id)
        palette = ASTEROIDS[index % len(ASTEROIDS)]
        shapes = draw_asteroid(index, palette, half)
    elif card_id.removesuffix("-back") in deck.asteroids:
        palette = ASTEROID_BACK
        index = deck.asteroids.index(card_id.removesuffix("-back"))
        shapes = draw_asteroid_half(index, palette, half, deck.width_mm)
    else:
        palette = SHIP_BACK
        shapes = draw_ship_back(palette, half)
    frame = (deck.width_mm - 2 * BORDER_MM, deck.height_mm - 2 * BORDER_MM)
    panel = (2 * half[0], 2 * half[1])
    under = (frame[0] + 2.0, frame[1] + 2.0)  # the band reaches under the border,
    beyond = (deck.width_mm + 2.0, deck.height_mm + 2.0)  # the border over the card's edge
    return [*shapes, Ring(under, panel, palette.band), Ring(beyond, frame, PAPER)]


def draw_face(deck: Deck, card_id: str, px_per_mm: float) -> ImageBGR:
    """Draw a card's face, upright, cut to the card's edge.

    Parameters
    ----------
    deck : Deck
        The deck.
    card_id : str
        One of its cards.
    px_per_mm : float
        The scale, exact; the card is centred in the picture, whose size is the card's in pixels
        rounded to whole numbers.
    """
    return paint_raster(face_shapes(deck, card_id), (deck.width_mm, deck.height_mm), px_per_mm)


def _ship_face(
    ship: Ship, team: str, team_index: int, palette: Palette, half: tuple[float, float]
) -> list[Shape]:
    rng = np.random.default_rng([ship.speed, team_index])
    x, y, radius, ringed = _PLANETS[(ship.speed - 1 + 3 * team_index) % len(_PLANETS)]
    shapes = [
        *draw_sky(rng, palette, half),
        *draw_planet((x, y), radius, palette, ringed=ringed),
        *draw_ship(ship, palette),
    ]
    for shield in ship.shields:
        shapes += draw_shield(shield, half)
    for laser in ship.lasers:
        shapes += draw_laser(laser, half)
    return [
        *shapes,
        *_title(ship, team, palette, half),
        *draw_health(ship.health, (-half[0] + 5.2, half[1] - 6.3)),
        *draw_emblem(team_index, (half[0] - 9.3, half[1] - 8.2), palette),
    ]


def _title(ship: Ship, team: str, palette: Palette, half: tuple[float, float]) -> list[Shape]:
    """Set the speed in the top left corner, the name beside it and the team below the name."""
    left, top = -half[0] + 2.4, -half[1] + 2.3
    figure = str(ship.speed)
    beside = left + text_width_mm(figure, _SPEED) + 2.3
    shapes: list[Shape] = []
    for halo in (1.2, 0.0):  # a dark halo first, then the letters
        white, tint = (INK, INK) if halo else (PAPER, palette.light)
        shapes += letter(figure, (left, top), _SPEED, white, halo_mm=halo)
        shapes += letter(ship.name, (beside, top - 0.2), _NAME, white, halo_mm=halo)
        shapes += letter(team, (beside, top + 5.3), _TEAM, tint, halo_mm=halo)
    return shapes
