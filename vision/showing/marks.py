"""What happened at the ends of the paths: numbers, hits, shields, rocks, contested events."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.geometry import photo_from_table
from vision.showing.beams import foot_on, is_straight, px_per_mm
from vision.showing.canvas import XY, Box, Canvas, free_place, text_width
from vision.showing.glyphs import (
    draw_burst,
    draw_disc,
    draw_label,
    draw_lump,
    draw_round,
    label_width,
)
from vision.showing.scene import Scene, ShownPath
from vision.showing.style import AMBER, CYAN, GOLD, INK, WHITE
from vision.values.arrays import Points
from vision.values.ledger import Badge, Burst, Closeness

__all__ = [
    "Sign",
    "draw_contested",
    "draw_hit",
    "draw_mark",
    "draw_ruled",
    "draw_start",
    "lay_signs",
]


_SAME_START = 0.5  # units; paths that begin nearer to each other would have signs one on the other
_SAME_WAY_RAD = math.radians(3.0)  # beyond, they part within a few units and their signs with them


def _way_px(view: ShownPath, *, at_end: bool) -> Points:
    """Return the beam's direction (2,) in the picture at one of its ends."""
    points = view.trace.points_px
    way = points[-1] - points[-2] if at_end else points[1] - points[0]
    return np.asarray(way / max(float(np.hypot(*way)), 1e-9), float)


@dataclass(frozen=True, slots=True, eq=False)
class Sign:
    """A round sign at one end of a path: a number at its start, or what it did at its end.

    ``at`` is in px of the photo; a sign at an end stands there exactly unless others do. ``label``
    is what stands in one at a start: of all paths that begin there and go the same way.
    """

    view: ShownPath
    is_start: bool
    at: XY
    radius: float
    label: str = ""


def lay_signs(scene: Scene) -> tuple[Sign, ...]:
    """Place the signs at both ends of the paths so that they cover one another little."""
    unit = scene.unit
    signs: list[Sign] = []
    for view in scene.paths:
        if not view.did or not view.trace.ends:
            continue
        held = is_shield(view.did[0])
        radius = (1.3 if held else 1.15) * unit
        backs = (0.0,) if held else (0.0, 1.5, 2.6, 3.7)
        end, way = view.trace.points_px[-1], _way_px(view, at_end=True)
        allowed = [back for back in backs if back * unit < 0.5 * view.trace.length_px] or [0.0]
        options = [end - back * unit * way for back in allowed]
        signs.append(Sign(view, False, _freest(options, radius, signs), radius))
    for view, label in _starts(scene):
        radius = max(unit, label_width(label, 0.84 * unit) / 2)
        start, way = view.trace.points_px[0], _way_px(view, at_end=False)
        # Outside the piece, on the path, if that is long enough to be seen beyond the number.
        steps = (0.55, 1.6, 2.7, -0.6, 3.8, -1.5)
        allowed = [step for step in steps if (step + 2.0) * unit < 0.6 * view.trace.length_px]
        options = [start + step * unit * way for step in allowed or [-0.6, -1.5]]
        signs.append(Sign(view, True, _freest(options, radius, signs), radius, label))
    return tuple(signs)


def _starts(scene: Scene) -> list[tuple[ShownPath, str]]:
    """Return the paths that have a label where they start, each label once with all of its kind.

    What one side sends from one place one way again and again has one sign: numbers piled up on
    each other could not be read.
    """
    groups: list[tuple[ShownPath, list[str]]] = []
    for view in scene.paths:
        if not view.trace.starts or not view.path.label:
            continue
        for first, labels in groups:
            if _begin_alike(first, view, scene.unit):
                labels.append(view.path.label)
                break
        else:
            groups.append((view, [view.path.label]))
    return [(view, _joined(labels)) for view, labels in groups]


def _begin_alike(one: ShownPath, other: ShownPath, unit: float) -> bool:
    """Tell whether two paths of a side begin at the same place and go the same way."""
    apart = one.trace.points_px[0] - other.trace.points_px[0]
    ways = _way_px(one, at_end=False), _way_px(other, at_end=False)
    is_same_way = float(ways[0] @ ways[1]) > math.cos(_SAME_WAY_RAD)
    is_near = math.hypot(*apart) < _SAME_START * unit
    return one.path.side == other.path.side and is_near and is_same_way


def _joined(labels: Sequence[str]) -> str:
    """Return several labels in one: numbers that follow each other as a range."""
    several = list(dict.fromkeys(labels))
    if not all(label.isdecimal() for label in several):
        return ", ".join(several)
    runs: list[list[int]] = []
    for number in sorted(int(label) for label in several):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(_run(run) for run in runs)


def _run(run: Sequence[int]) -> str:
    """Return numbers that follow each other: three and more as a range."""
    between = "–" if len(run) > 2 else ", "
    return between.join(str(number) for number in dict.fromkeys((run[0], run[-1])))


def is_shield(mark: Burst | Badge) -> bool:
    """Tell whether a mark says that something held."""
    return isinstance(mark, Badge) and mark.kind == "shield"


def _freest(options: list[Points], radius: float, signs: list[Sign]) -> XY:
    """Return the option whose circle overlaps those of the signs least, the first among equals."""
    best, least = options[0], np.inf
    for option in options:
        overlap = 0.0
        for sign in signs:
            gap = math.hypot(option[0] - sign.at[0], option[1] - sign.at[1])
            overlap += max(0.0, 0.95 * (radius + sign.radius) - gap)
        if overlap < least - 1e-6:
            best, least = option, overlap
    return float(best[0]), float(best[1])


def draw_start(canvas: Canvas, sign: Sign, scene: Scene) -> None:
    """Draw the label of a path in a ring of its side's colour where it starts."""
    ring = scene.colour_of(sign.view.path.side, WHITE)
    draw_label(canvas, sign.at, 0.84 * scene.unit, sign.label, ring)


def draw_hit(canvas: Canvas, sign: Sign, scene: Scene, taken: list[Box]) -> None:
    """Draw what a path did where it ends: harm, something counted, or a shield that held."""
    view, unit = sign.view, scene.unit
    first, *more = view.did
    if is_shield(first):
        _draw_shield(canvas, view, scene, taken)
        return
    end = view.trace.points_px[-1]
    if math.hypot(end[0] - sign.at[0], end[1] - sign.at[1]) > 0.5:  # moved: show the place itself
        canvas.fill(_dot(end, 0.5 * unit), INK)
        canvas.fill(_dot(end, 0.34 * unit), GOLD)
    draw_mark(canvas, first, sign.at, scene, 1.05)
    for k, mark in enumerate(more):
        x, y = np.array(sign.at) - 1.9 * (k + 1) * unit * _way_px(view, at_end=True)
        draw_mark(canvas, mark, (float(x), float(y)), scene, 0.95)


def draw_mark(
    canvas: Canvas, mark: Burst | Badge, at: XY, scene: Scene, size: float = 1.05
) -> None:
    """Draw a burst or a badge at a place; ``size`` is that of what is counted, in units."""
    unit, words = scene.unit, scene.texts.tell(mark.text)
    if isinstance(mark, Burst):
        draw_burst(canvas, at, (0.72 + 0.1 * mark.strength) * unit, words)
    elif mark.kind == "count":
        draw_lump(canvas, at, size * unit, words)
    else:
        draw_disc(canvas, at, 0.9 * unit, words[:2], CYAN)


def _draw_shield(canvas: Canvas, view: ShownPath, scene: Scene, taken: list[Box]) -> None:
    """Draw a double arc against the path, its crown exactly where the path ends."""
    unit = scene.unit
    end_mm = view.trace.points_mm[-1]
    unit_mm = unit / max(px_per_mm(scene.camera, end_mm), 1e-6)
    way = _last_way(view.trace.points_mm)
    side = np.array([-way[1], way[0]])
    angle = np.linspace(-1.05, 1.05, 25)[:, None]
    for radius, width in ((1.5, 0.38), (0.9, 0.28)):
        centre = end_mm + way * 1.5 * unit_mm
        arc = centre + radius * unit_mm * (-np.cos(angle) * way + np.sin(angle) * side)
        canvas.cased(photo_from_table(scene.camera, arc), width * unit, CYAN, 0.13 * unit)
    word = scene.texts.tell(view.did[0].text)
    if not word:
        return
    x, y = view.trace.points_px[-1]
    forward = _way_px(view, at_end=True)
    across = np.array([-forward[1], forward[0]])
    size = 1.1 * unit
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


def draw_contested(canvas: Canvas, view: ShownPath, scene: Scene, taken: list[Box]) -> None:
    """Show how narrow a contested event is: its margin, and the point that it hangs on."""
    close, t, unit = view.event.closeness, scene.texts, scene.unit
    if close is None:
        return
    near = close.margin_mm if close.point_mm is None else close.distance_mm
    words = f"{t.format_field(near, 'mm')} mm" if math.isfinite(near) else "?"
    words += f"  {t.chance(close.chance)}"
    feature = _feature_px(view, close, scene)
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


def draw_ruled(canvas: Canvas, view: ShownPath, scene: Scene, taken: list[Box]) -> None:
    """Say of an event that the players have ruled on it."""
    unit = scene.unit
    words, size = scene.texts.say("picture.ruled"), 1.2 * scene.unit
    half = (text_width(words, size, bold=True) / 2 + 0.6 * unit, 0.95 * unit)
    place = _label_place(view.trace.at(0.5)[1], view, half, taken, scene)
    box = (place[0] - half[0], place[1] - half[1], place[0] + half[0], place[1] + half[1])
    draw_round(canvas, box, 0.5 * unit, INK, 0.85, (WHITE, max(0.14 * unit, 1.0)))
    canvas.text(words, place, size, WHITE, bold=True)
    taken.append(box)


def _label_place(
    anchor: Points, view: ShownPath, half_wh: XY, taken: list[Box], scene: Scene
) -> XY:
    """Find room for the label of a contested event: by its point, else along the path.

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


def _last_way(points_mm: Points) -> Points:
    """Return the direction (2,) of a path on the table where it ends."""
    start = points_mm[0] if is_straight(points_mm) else points_mm[-2]
    way = points_mm[-1] - start
    return np.asarray(way / max(float(np.hypot(*way)), 1e-9))


def _feature_px(view: ShownPath, close: Closeness, scene: Scene) -> tuple[Points, Points] | None:
    """Return the foot on the path and the point that decides, in px, if that is known."""
    if close.point_mm is None:
        return None
    point = np.array(close.point_mm)
    foot_mm = foot_on(view.trace.points_mm, point)
    foot, corner = photo_from_table(scene.camera, np.array([foot_mm, point]))
    return foot, corner
