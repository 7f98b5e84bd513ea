"""Pieces in the overlay: outlines, what is out crossed out, the doubtful dashed in amber."""

from collections.abc import Sequence

import numpy as np

from vision.showing.canvas import Canvas, dashes
from vision.showing.scene import Circle, Scene, ShownPiece
from vision.showing.style import AMBER, DEATH, INK
from vision.values.arrays import Points

__all__ = [
    "diagonals",
    "draw_card_ground",
    "draw_cross",
    "draw_doubt_outline",
    "draw_thing_ground",
    "lay_doubts",
]


def _grown(points: Points, centre: tuple[float, float], by_px: float) -> Points:
    """Push an outline away from its centre by some px."""
    away = points - centre
    return np.asarray(points + away / np.maximum(np.hypot(*away.T), 1e-9)[:, None] * by_px)


def draw_card_ground(canvas: Canvas, view: ShownPiece, unit: float) -> None:
    """Draw a card's outline in its side's colour; take the colour out of one that is out."""
    if view.state.is_out:
        canvas.fade_to_grey(view.outline_px, 0.55)
    outline = view.outline_px
    canvas.stroke(outline, 0.62 * unit, INK, closed=True)
    if view.piece.is_known:
        canvas.stroke(outline, 0.4 * unit, view.colour, closed=True)
    else:
        for dash in dashes(outline, 1.0 * unit, 0.7 * unit, closed=True):
            canvas.stroke(dash, 0.4 * unit, view.colour)


def draw_thing_ground(canvas: Canvas, view: ShownPiece, unit: float) -> None:
    """Draw the outline of a thing on the table that is no card."""
    if view.state.is_out:
        canvas.fade_to_grey(view.outline_px, 0.55)
    if len(view.nose_px):
        canvas.stroke(view.nose_px, 0.4 * unit, INK, closed=True)
        canvas.fill(view.nose_px, view.colour)
    canvas.cased(view.outline_px, 0.4 * unit, view.colour, 0.11 * unit, closed=True)


def draw_cross(canvas: Canvas, corners_px: Points, unit: float) -> None:
    """Cross out what is out of the game, corner to corner."""
    inner = corners_px + 0.05 * (corners_px.mean(axis=0) - corners_px)
    lines = [inner[list(ends)] for ends in diagonals(len(inner))]
    for line in lines:
        canvas.stroke(line, 0.95 * unit, INK, 0.85)
    for line in lines:
        canvas.stroke(line, 0.6 * unit, DEATH)


def diagonals(corners: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return which corners a cross joins; that of a disc stands askew like a card's."""
    first, second = corners // 8, corners // 8 + corners // 4
    return (first, first + corners // 2), (second, second + corners // 2)


def draw_doubt_outline(canvas: Canvas, view: ShownPiece, unit: float) -> None:
    """Draw a dashed amber outline around a piece that is in doubt."""
    outline = _grown(view.outline_px, view.centre_px, 0.62 * unit)
    for dash in dashes(outline, 1.1 * unit, 0.75 * unit, closed=True):
        canvas.cased(dash, 0.3 * unit, AMBER, 0.1 * unit)


def lay_doubts(scene: Scene, marks: Sequence[Circle]) -> tuple[Circle, ...]:
    """Place a question mark at the emptiest corner of each piece in doubt, the upper ones first.

    And where something is in doubt that is not drawn: a die, something that could not be read.
    """
    unit = scene.unit
    doubts = []
    for view in scene.pieces:
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
    drawn = {view.id for view in scene.pieces}
    beside = [i for i in scene.issues if i.severity == "doubt" and not drawn & set(i.cards)]
    doubts += [(*issue.at_px, 1.8 * unit) for issue in beside if issue.at_px is not None]
    return tuple(doubts)
