"""What happened at the ends of the beams: speed numbers, hits, shields, rocks, contested shots."""

import math
from dataclasses import dataclass

import numpy as np

from vision.geometry import photo_from_table
from vision.showing.beams import px_per_mm
from vision.showing.canvas import Box, Canvas, text_width
from vision.showing.glyphs import draw_burst, draw_disc, draw_rock, draw_round
from vision.showing.scene import Scene, ShotView
from vision.showing.style import AMBER, CYAN, GOLD, INK, WHITE, split_card_id, team_style
from vision.values.arrays import Points

__all__ = [
    "Mark",
    "draw_contested",
    "draw_hit",
    "draw_muzzle",
    "draw_ruled",
    "free_place",
    "lay_marks",
    "touches",
]

XY = tuple[float, float]


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


def _way_px(view: ShotView, *, at_end: bool) -> Points:
    """Return the beam's direction (2,) in the picture at one of its ends."""
    points = view.trace.points_px
    way = points[-1] - points[-2] if at_end else points[1] - points[0]
    return np.asarray(way / max(float(np.hypot(*way)), 1e-9), float)


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """A round sign at one end of a beam: a speed number, or what the shot did.

    ``at`` is in px of the photo; a mark at a hit stands there exactly unless others do.
    """

    view: ShotView
    is_muzzle: bool
    at: XY
    radius: float


def lay_marks(scene: Scene) -> tuple[Mark, ...]:
    """Place the marks at both ends of the beams so that they cover one another little."""
    unit = scene.unit
    marks: list[Mark] = []
    for view in scene.shots:
        if view.shot.hit is None or not view.trace.ends:
            continue
        radius = (1.3 if view.shot.hit.shielded else 1.15) * unit
        backs = (0.0,) if view.shot.hit.shielded else (0.0, 1.5, 2.6, 3.7)
        end, way = view.trace.points_px[-1], _way_px(view, at_end=True)
        allowed = [back for back in backs if back * unit < 0.5 * view.trace.length_px] or [0.0]
        options = [end - back * unit * way for back in allowed]
        marks.append(Mark(view, False, _freest(options, radius, marks), radius))
    for view in scene.shots:
        if not view.trace.starts:
            continue
        radius = 1.0 * unit
        start, way = view.trace.points_px[0], _way_px(view, at_end=False)
        # Outside the card, on the beam, if that is long enough to be seen beyond the number.
        steps = (0.55, 1.6, 2.7, -0.6, 3.8, -1.5)
        allowed = [step for step in steps if (step + 2.0) * unit < 0.6 * view.trace.length_px]
        options = [start + step * unit * way for step in allowed or [-0.6, -1.5]]
        marks.append(Mark(view, True, _freest(options, radius, marks), radius))
    return tuple(marks)


def _freest(options: list[Points], radius: float, marks: list[Mark]) -> XY:
    """Return the option whose circle overlaps those of the marks least, the first among equals."""
    best, least = options[0], np.inf
    for option in options:
        overlap = 0.0
        for mark in marks:
            gap = math.hypot(option[0] - mark.at[0], option[1] - mark.at[1])
            overlap += max(0.0, 0.95 * (radius + mark.radius) - gap)
        if overlap < least - 1e-6:
            best, least = option, overlap
    return float(best[0]), float(best[1])


def draw_muzzle(canvas: Canvas, mark: Mark, scene: Scene) -> None:
    """Draw the speed number in a ring of the team's colour where the beam leaves its card."""
    team, _ = split_card_id(mark.view.shot.ship, scene.deck)
    ring = team_style(team, scene.deck).colour if team else WHITE
    draw_disc(canvas, mark.at, 0.84 * scene.unit, str(mark.view.speed), ring)


def draw_hit(canvas: Canvas, mark: Mark, scene: Scene, taken: list[Box]) -> None:
    """Draw what a shot did where it ends: damage, mining, or a shield that held."""
    view, unit = mark.view, scene.unit
    hit = view.shot.hit
    if hit is None:
        return
    if hit.shielded:
        _draw_shield(canvas, view, scene, taken)
        return
    end = view.trace.points_px[-1]
    if math.hypot(end[0] - mark.at[0], end[1] - mark.at[1]) > 0.5:  # moved: show the place itself
        canvas.fill(_dot(end, 0.5 * unit), INK)
        canvas.fill(_dot(end, 0.34 * unit), GOLD)
    target = scene.card(hit.card)
    if target is None or target.is_asteroid:
        draw_rock(canvas, mark.at, 1.05 * unit, f"+{view.rocks or 0}")
        return
    radius = (0.72 + 0.1 * view.shot.power) * unit
    draw_burst(canvas, mark.at, radius, str(view.shot.power) if target.ship is not None else "")
    if view.rocks:  # piracy: beside the harm done, the rocks that it brought
        x, y = np.array(mark.at) - 1.9 * unit * _way_px(view, at_end=True)
        draw_rock(canvas, (float(x), float(y)), 0.95 * unit, f"+{view.rocks}")


def _draw_shield(canvas: Canvas, view: ShotView, scene: Scene, taken: list[Box]) -> None:
    """Draw a double arc against the beam, its crown exactly where the beam ends."""
    unit = scene.unit
    end_mm = view.trace.points_mm[-1]
    unit_mm = unit / max(px_per_mm(scene.camera, end_mm), 1e-6)
    way = view.trace.points_mm[-1] - view.trace.points_mm[0]
    way = way / max(float(np.hypot(*way)), 1e-9)
    side = np.array([-way[1], way[0]])
    angle = np.linspace(-1.05, 1.05, 25)[:, None]
    for radius, width in ((1.5, 0.38), (0.9, 0.28)):
        centre = end_mm + way * 1.5 * unit_mm
        arc = centre + radius * unit_mm * (-np.cos(angle) * way + np.sin(angle) * side)
        canvas.cased(photo_from_table(scene.camera, arc), width * unit, CYAN, 0.13 * unit)
    x, y = view.trace.points_px[-1]
    forward = _way_px(view, at_end=True)
    across = np.array([-forward[1], forward[0]])
    size = 1.1 * unit
    word = scene.texts.say("picture.blocked")
    half = (text_width(word, size) / 2 + 0.4 * unit, 0.75 * unit)
    reach = abs(across[0]) * half[0] + abs(across[1]) * half[1] + 0.75 * unit
    options = []
    for back in (1.6, 0.4, 3.0, 4.6):
        for sign in (1.0, -1.0):
            px, py = np.array([x, y]) + sign * reach * across - back * unit * forward
            options.append((float(px), float(py)))
    place = free_place(options, half, taken, scene.size_wh)
    if place is None:
        return
    box = (place[0] - half[0], place[1] - half[1], place[0] + half[0], place[1] + half[1])
    draw_round(canvas, box, half[1], INK, 0.85, (CYAN, max(0.12 * unit, 1.0)))
    canvas.text(word, place, size, CYAN)
    taken.append(box)


def draw_contested(canvas: Canvas, view: ShotView, scene: Scene, taken: list[Box]) -> None:
    """Show how narrow a contested shot is: its margin, and the corner that it passes."""
    shot, unit = view.shot, scene.unit
    t, near = scene.texts, shot.margin_mm
    if shot.feature is not None:
        near = shot.feature.distance_mm
    words = f"{t.format_field(near, 'mm')} mm" if math.isfinite(near) else "?"
    words += f"  {t.chance(shot.flip_probability)}"
    feature = _feature_px(view, scene)
    anchor = view.trace.at(0.5)[1]
    if feature is not None:
        foot, corner = feature
        canvas.cased(np.array([foot, corner]), 0.26 * unit, AMBER, 0.1 * unit)
        canvas.fill(_dot(corner, 0.5 * unit), INK)
        canvas.fill(_dot(corner, 0.36 * unit), AMBER)
        anchor = (foot + corner) / 2
    size = 1.2 * unit
    lead = 1.5 * unit
    half = ((text_width(words, size, bold=True) + lead) / 2 + 0.4 * unit, 0.95 * unit)
    place = _label_place(anchor, view, half, taken, scene)
    box = (place[0] - half[0], place[1] - half[1], place[0] + half[0], place[1] + half[1])
    draw_round(canvas, box, 0.5 * unit, AMBER, 1.0, (INK, max(0.14 * unit, 1.0)))
    canvas.text("?", (box[0] + 1.0 * unit, place[1]), 1.6 * unit, INK, bold=True)
    canvas.text(words, (box[0] + 0.3 * unit + lead, place[1]), size, INK, bold=True, align=0)
    taken.append(box)


def draw_ruled(canvas: Canvas, view: ShotView, scene: Scene, taken: list[Box]) -> None:
    """Say of a shot that the players have ruled on it."""
    unit = scene.unit
    words, size = scene.texts.say("picture.ruled"), 1.2 * scene.unit
    half = (text_width(words, size, bold=True) / 2 + 0.6 * unit, 0.95 * unit)
    place = _label_place(view.trace.at(0.5)[1], view, half, taken, scene)
    box = (place[0] - half[0], place[1] - half[1], place[0] + half[0], place[1] + half[1])
    draw_round(canvas, box, 0.5 * unit, INK, 0.85, (WHITE, max(0.14 * unit, 1.0)))
    canvas.text(words, place, size, WHITE, bold=True)
    taken.append(box)


def _label_place(anchor: Points, view: ShotView, half_wh: XY, taken: list[Box], scene: Scene) -> XY:
    """Find room for the label of a contested shot: by its corner, else along the beam.

    Places off the cards come first.
    """
    unit = scene.unit
    turns = np.arange(12) * math.pi / 6 + 0.5
    around = np.column_stack([np.cos(turns), np.sin(turns)])
    options: list[XY] = []
    for at in (anchor, *(view.trace.at(share)[1] for share in (0.5, 0.7, 0.3, 0.85))):
        for ring in (0.6, 1.5, 2.6, 4.0):
            reach = np.array(half_wh) + ring * unit
            options += [(float(x), float(y)) for x, y in at + around * reach]
    cards = [(*card.outline_px.min(axis=0), *card.outline_px.max(axis=0)) for card in scene.cards]
    return (
        free_place(options, half_wh, [*taken, *cards], scene.size_wh)
        or free_place(options, half_wh, taken, scene.size_wh)
        or options[0]
    )


def _dot(at: Points, radius: float) -> Points:
    angle = np.linspace(0, 2 * math.pi, 20, endpoint=False)
    return at + radius * np.column_stack([np.cos(angle), np.sin(angle)])


def _feature_px(view: ShotView, scene: Scene) -> tuple[Points, Points] | None:
    """Return foot on the beam and the point that decides a shot, in px, if it is known."""
    shot = view.shot
    if shot.feature is None:
        return None
    start = view.trace.points_mm[0]
    way = view.trace.points_mm[-1] - start
    way = way / max(float(np.hypot(*way)), 1e-9)
    point = np.array(shot.feature.point_mm)
    foot_mm = start + way * float((point - start) @ way)
    foot, corner = photo_from_table(scene.camera, np.array([foot_mm, point]))
    return foot, corner
