"""Cards in the overlay: outlines, the dead crossed out, the doubtful dashed in amber."""

from collections.abc import Sequence

import numpy as np

from vision.showing.canvas import Canvas, dashes
from vision.showing.scene import CardView, Circle, Scene
from vision.showing.style import AMBER, ASTEROID, DEATH, INK, NEUTRAL, Colour, team_style
from vision.values.arrays import Points

__all__ = [
    "card_colour",
    "draw_card_ground",
    "draw_cross",
    "draw_doubt_outline",
    "draw_object_ground",
    "lay_doubts",
]


def card_colour(view: CardView, scene: Scene) -> Colour:
    """Return the colour of a card's outline: its team's, or that of what it is."""
    if view.team is not None:
        return team_style(view.team, scene.deck).colour
    return ASTEROID if view.is_asteroid else NEUTRAL


def _grown(points: Points, centre: tuple[float, float], by_px: float) -> Points:
    """Push an outline away from its centre by some px."""
    away = points - centre
    return np.asarray(points + away / np.maximum(np.hypot(*away.T), 1e-9)[:, None] * by_px)


def draw_card_ground(canvas: Canvas, view: CardView, scene: Scene) -> None:
    """Draw a card's outline in its team's colour; take the colour out of a dead one."""
    unit = scene.unit
    if view.death is not None or view.is_gone:
        canvas.fade_to_grey(view.outline_px, 0.55)
    colour = card_colour(view, scene)
    outline = view.outline_px
    canvas.stroke(outline, 0.62 * unit, INK, closed=True)
    if view.team is None and not view.is_asteroid:
        for dash in dashes(outline, 1.0 * unit, 0.7 * unit, closed=True):
            canvas.stroke(dash, 0.4 * unit, colour)
    else:
        canvas.stroke(outline, 0.4 * unit, colour, closed=True)


def draw_cross(canvas: Canvas, view: CardView, unit: float) -> None:
    """Cross out a dead ship, corner to corner."""
    inner = view.corners_px + 0.05 * (view.corners_px.mean(axis=0) - view.corners_px)
    for line in (inner[[0, 2]], inner[[1, 3]]):
        canvas.stroke(line, 0.95 * unit, INK, 0.85)
    for line in (inner[[0, 2]], inner[[1, 3]]):
        canvas.stroke(line, 0.6 * unit, DEATH)


def draw_doubt_outline(canvas: Canvas, view: CardView, unit: float) -> None:
    """Draw a dashed amber outline around a card that is in doubt."""
    outline = _grown(view.outline_px, view.centre_px, 0.62 * unit)
    for dash in dashes(outline, 1.1 * unit, 0.75 * unit, closed=True):
        canvas.cased(dash, 0.3 * unit, AMBER, 0.1 * unit)


def lay_doubts(scene: Scene, marks: Sequence[Circle]) -> tuple[Circle, ...]:
    """Place a question mark at the emptiest corner of each card in doubt, the upper ones first."""
    unit = scene.unit
    doubts = []
    for view in scene.cards:
        if not view.is_doubtful:
            continue
        inward = np.array(view.centre_px) - view.corners_px
        inward = inward / np.maximum(np.hypot(*inward.T), 1e-9)[:, None]
        places = view.corners_px + 0.5 * unit * inward
        places = places[np.argsort(places @ [-0.5, 1.0])]
        overlaps = [
            sum(max(0.0, r + 1.5 * unit - float(np.hypot(x - px, y - py))) for x, y, r in marks)
            for px, py in places
        ]
        best = places[int(np.argmin(overlaps))]
        doubts.append((float(best[0]), float(best[1]), 1.4 * unit))
    return tuple(doubts)


def draw_object_ground(canvas: Canvas, outline_px: Points, unit: float, *, is_gone: bool) -> None:
    """Draw the outline of a thing on the table that is no card."""
    if is_gone:
        canvas.fade_to_grey(outline_px, 0.55)
    canvas.cased(outline_px, 0.4 * unit, ASTEROID, 0.11 * unit, closed=True)
