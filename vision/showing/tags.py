"""Tags: what a piece is, and what became of it, in a few signs on it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.showing.canvas import Box, Canvas, free_place, text_width
from vision.showing.glyphs import draw_badge, draw_lump, draw_pip, draw_round
from vision.showing.room import Room
from vision.showing.scene import Circle, Scene, ShownPiece
from vision.showing.style import DEATH, GOLD, INK, MIST, STAR, WHITE
from vision.values.arrays import Points

__all__ = ["PieceTag", "draw_tag", "draw_thing_tags", "lay_tags"]

_ROW = 2.5  # units; height of the row with badge and speed
_LINE = 1.45  # units; height of a line of small text
_PAD = 0.42  # units; around a tag
_EXTRA = 1.75  # units; height of the row below the name
_NAME = 1.15  # units; size of the name
_NUMBER = 2.35  # units; size of the number beside the badge
_SCALE_MIN, _SCALE_MAX = 0.64, 1.25  # of the scene's unit
_BESIDE = ("token", "die", "stick")  # pieces that a tag would hide
_GAP = 0.5  # units; between a card and its tag beside it: a doubt's dashes run there
_GROUND = ("board",)  # what cards lie on: a tag may stand there; on a sheet it would hide a scale
_SHRINK_COST = 1.6  # px of bite per px that a tag gets smaller
_SHIFTS = np.stack(np.meshgrid(np.linspace(-0.22, 0.22, 9), np.linspace(-0.28, 0.28, 9)), -1)
_SHIFTS = _SHIFTS.reshape(-1, 2)  #: where a tag may stand: shares of the card's width and height
_ARROW = np.array(
    [[0, -0.16], [0.55, -0.16], [0.55, -0.5], [1.1, 0], [0.55, 0.5], [0.55, 0.16], [0, 0.16]]
)


@dataclass(frozen=True, slots=True)
class PieceTag:
    """What a card's tag says and where it stands.

    ``scale`` is the tag's own unit in px, ``box`` its rectangle, on its card or beside it; a tag
    has up to four rows: badge and number, the name, then a note, or harm and what it holds, or
    who took it.
    """

    view: ShownPiece
    scale: float
    box: Box
    name: str
    note: str
    fate: str


def lay_tags(scene: Scene, marks: Sequence[Circle]) -> tuple[PieceTag, ...]:
    """Lay out the tags of all cards, clear of the marks (x, y, radius in px).

    Each stands close beside its card where there is room, so that the art shows; else on it.
    """
    circles = np.array(marks, float).reshape(-1, 3)
    room = _room_of(scene, circles)
    told = [view for view in scene.cards if _is_told(view)]
    return tuple(_lay_tag(view, scene, circles, room) for view in told)


def _is_told(view: ShownPiece) -> bool:
    """Tell whether there is anything to say of a card; one of many alike says it by itself."""
    piece, state = view.piece, view.state
    says = piece.number or piece.label or piece.health or not piece.is_known
    return bool(says) or state.note is not None or state.is_out


def _room_of(scene: Scene, circles: Points) -> Room:
    """Take what a tag beside its card may not cover: pieces, paths, marks."""
    room = Room(scene.size_wh)
    for view in scene.pieces:
        if view.piece.kind not in _GROUND:
            room.take(view.outline_px, 0.5 * scene.unit)
    for outline in scene.seen_px:
        room.take(outline, 0.5 * scene.unit)
    for path in scene.paths:
        room.take(path.trace.points_px, 2 * scene.unit, closed=False)
    for x, y, radius in circles.tolist():
        room.take_box((x - radius, y - radius, x + radius, y + radius))
    return room


def _lay_tag(view: ShownPiece, scene: Scene, circles: Points, room: Room) -> PieceTag:
    t, state = scene.texts, view.state
    name, note, fate = t.tell(view.piece.label).strip(), "", ""
    if state.note is not None:
        note = t.tell(state.note)
    elif state.is_out:
        sign = "-" if state.taken_by == view.piece.side else "+"
        fate = t.say("picture.nobody") if state.taken_by is None else f"{sign}{state.points}"
    width, height = _tag_size(view, name, note, fate)
    fit = 0.86 * view.short_px / (width * scene.unit)
    plain = scene.unit * float(np.clip(fit, 1.0, _SCALE_MAX))
    beside = room.beside(view.outline_px, (width * plain, height * plain), _GAP * scene.unit)
    if beside is not None:
        room.take_box(beside)
        return PieceTag(view, plain, beside, name, note, fate)
    options = []
    for shrink in (1.0, 0.88, 0.76):
        scale = scene.unit * float(np.clip(fit * shrink, _SCALE_MIN, _SCALE_MAX))
        box, bite = _place_tag(view, width * scale, height * scale, circles)
        options.append((bite + _SHRINK_COST * scene.unit * (1 - shrink), scale, box))
    _, scale, box = min(options, key=lambda option: option[0])
    return PieceTag(view, scale, box, name, note, fate)


def _tag_size(view: ShownPiece, name: str, note: str, fate: str) -> tuple[float, float]:
    """Return width and height of a tag in its own units."""
    measure = 40.0  # px per unit; the proportions of the font do not depend on it
    widths = [text_width(name, _NAME * measure) / measure]
    height = _LINE + 1.2 * _PAD
    if view.side is not None:
        digits = text_width(view.piece.number, _NUMBER * measure, bold=True) / measure
        widths.append(2.9 + digits)
        height += _ROW
    if note:
        widths.append(_note_width(view, note, measure) / measure)
        height += _LINE
    if fate:
        digits = text_width(fate, 1.6 * measure, bold=True) / measure
        widths.append(digits if view.state.taken_by is None else 3.6 + digits)
        height += _EXTRA
    elif not note and _state_width(view) > 0:
        widths.append(_state_width(view))
        height += _EXTRA
    return max(widths) + 2 * _PAD, height


def _has_lump(view: ShownPiece) -> bool:
    """Tell whether a note speaks of what is held or left: a lump stands before it."""
    return view.side is None or view.state.held > 0


def _note_width(view: ShownPiece, note: str, scale: float) -> float:
    """Return the width of a note with what stands before it, in px of a scale."""
    lump = 1.5 * scale if _has_lump(view) else 0.0
    return lump + text_width(note, _NAME * scale)


def _state_width(view: ShownPiece) -> float:
    """Return the width in units of the row with the pips of a harmed piece and what it holds."""
    pips = 1.2 * view.piece.health if view.state.harm else 0.0
    held = 2.6 if view.state.held else 0.0
    return pips + held + (0.4 if pips and held else 0.0)


def _place_tag(view: ShownPiece, width: float, height: float, circles: Points) -> tuple[Box, float]:
    """Put a tag near the middle of its card where it covers the fewest marks.

    It is moved along the card's own axes, so that it stays on the card. Also returns how far the
    marks reach into it, in px.
    """
    corners, centre = view.corners_px, np.array(view.centre_px)
    across = (corners[1] + corners[2] - corners[0] - corners[3]) / 2
    down = (corners[2] + corners[3] - corners[0] - corners[1]) / 2
    reach = float(np.hypot(*(across + down))) + np.max(circles[:, 2], initial=0.0)
    near = circles[(np.abs(circles[:, :2] - centre) < reach).all(axis=1)]
    half = np.array([width, height]) / 2
    shifts = _SHIFTS[:, :1] * across + _SHIFTS[:, 1:] * down
    gap = np.abs(near[None, :, :2] - (centre + shifts)[:, None]) - half
    gap = np.maximum(gap, 0)
    bite = np.maximum(near[:, 2] - np.hypot(gap[..., 0], gap[..., 1]), 0).sum(axis=1)
    best = int(np.argmin(3 * bite + 0.25 * np.hypot(shifts[:, 0], shifts[:, 1])))
    (left, top), (right, bottom) = centre + shifts[best] - half, centre + shifts[best] + half
    return (float(left), float(top), float(right), float(bottom)), float(bite[best])


def draw_tag(canvas: Canvas, tag: PieceTag, scene: Scene) -> None:
    """Draw a card's tag: badge, number, name; then its note, its state, or who took it."""
    view, scale = tag.view, tag.scale
    left, top, right, _ = tag.box
    is_dead = bool(tag.fate)
    edge = None if view.is_scenery else (view.colour, max(0.14 * scale, 1.0))
    draw_round(canvas, tag.box, 0.7 * scale, INK, 0.74, edge)
    x, y = (left + right) / 2, top + 0.6 * _PAD * scale
    if view.side is not None:
        number, size = view.piece.number, _NUMBER * scale
        digits = text_width(number, size, bold=True)
        start, middle = x - (2.9 * scale + digits) / 2, y + _ROW / 2 * scale
        draw_badge(canvas, (start + 1.15 * scale, middle), 0.95 * scale, view.side)
        colour = MIST if is_dead else WHITE
        canvas.text(number, (start + 2.8 * scale, middle), size, colour, bold=True, align=0)
        y += _ROW * scale
    canvas.text(tag.name, (x, y + _LINE / 2 * scale), _NAME * scale, MIST if is_dead else WHITE)
    y += _LINE * scale
    if tag.note:
        _draw_note(canvas, (x, y + _LINE / 2 * scale), tag.note, view, scale)
    elif is_dead:
        _draw_fate(canvas, (x, y + _EXTRA / 2 * scale), tag, scene)
    elif _state_width(view) > 0:
        _draw_state(canvas, (x, y + _EXTRA / 2 * scale), view, scale)


def _draw_note(
    canvas: Canvas, at: tuple[float, float], note: str, view: ShownPiece, scale: float
) -> None:
    """Write what became of a piece, after a lump where it holds something."""
    start = at[0] - _note_width(view, note, scale) / 2
    if _has_lump(view):
        draw_lump(canvas, (start + 0.6 * scale, at[1]), 0.55 * scale)
        start += 1.5 * scale
    canvas.text(note, (start, at[1]), _NAME * scale, WHITE, align=0)


def _draw_state(canvas: Canvas, at: tuple[float, float], view: ShownPiece, scale: float) -> None:
    """Draw the health left of a harmed piece and what it holds."""
    x = at[0] - _state_width(view) / 2 * scale
    health, harm, held = view.piece.health, view.state.harm, view.state.held
    if health and harm:
        for k in range(health):
            draw_pip(canvas, (x + 0.6 * scale, at[1]), 0.48 * scale, STAR, lost=k >= health - harm)
            x += 1.2 * scale
        x += 0.4 * scale
    if held:
        draw_lump(canvas, (x + 0.8 * scale, at[1]), 0.72 * scale)
        size = 1.6 * scale
        canvas.text(str(held), (x + 1.8 * scale, at[1]), size, WHITE, bold=True, align=0)


def _draw_fate(canvas: Canvas, at: tuple[float, float], tag: PieceTag, scene: Scene) -> None:
    """Draw who took a piece and for how much."""
    scale, taker = tag.scale, tag.view.state.taken_by
    if taker is None:
        canvas.text(tag.fate, at, 1.4 * scale, MIST)
        return
    size, colour = 1.6 * scale, DEATH if taker == tag.view.piece.side else GOLD
    start = at[0] - (3.4 * scale + text_width(tag.fate, size, bold=True)) / 2
    canvas.fill(_ARROW * scale + [start, at[1]], colour)
    draw_badge(canvas, (start + 2.2 * scale, at[1]), 0.68 * scale, scene.sides[taker])
    canvas.text(tag.fate, (start + 3.4 * scale, at[1]), size, colour, bold=True, align=0)


def draw_thing_tags(canvas: Canvas, scene: Scene, taken: list[Box]) -> None:
    """Write on each thing that is no card what it is, and beside what a tag would hide.

    The boxes of the tags that stand beside join ``taken``.
    """
    for view in scene.things:
        lines = _thing_lines(view, scene)
        if not lines:
            continue
        unit, is_noted = scene.unit, view.state.note is not None
        widths = [text_width(line, _NAME * unit) for line in lines]
        if is_noted:
            widths[-1] = _note_width(view, lines[-1], unit)
        half = max(widths) / 2 + _PAD * unit
        tall = (len(lines) * _LINE / 2 + 0.6 * _PAD) * unit
        x, y = _beside(view, (half, tall), scene, taken)
        box = (x - half, y - tall, x + half, y + tall)
        if view.piece.kind in _BESIDE:
            taken.append(box)
        edge = None if view.side is None else (view.colour, max(0.14 * unit, 1.0))
        draw_round(canvas, box, 0.6 * unit, edge=edge)
        y -= (len(lines) - 1) * _LINE / 2 * unit
        for k, line in enumerate(lines):
            if is_noted and k == len(lines) - 1:
                _draw_note(canvas, (x, y), line, view, unit)
            else:
                canvas.text(line, (x, y), _NAME * unit, WHITE)
            y += _LINE * unit


def _thing_lines(view: ShownPiece, scene: Scene) -> list[str]:
    """Return the name of a thing with its number, and its note."""
    t, piece, note = scene.texts, view.piece, view.state.note
    name = f"{t.tell(piece.label)} {piece.number}".strip()
    return [line for line in (name, "" if note is None else t.tell(note)) if line]


def _beside(
    view: ShownPiece, half_wh: tuple[float, float], scene: Scene, taken: list[Box]
) -> tuple[float, float]:
    """Return where the tag of a thing stands: below it, above it, or to a side."""
    if view.piece.kind not in _BESIDE:
        return view.centre_px
    (left, top), (right, bottom) = view.outline_px.min(axis=0), view.outline_px.max(axis=0)
    x, y = view.centre_px
    gap = 0.6 * scene.unit
    down, across = half_wh[1] + gap, half_wh[0] + gap
    options = [
        (x, float(bottom) + down),
        (x, float(top) - down),
        (float(right) + across, y),
        (float(left) - across, y),
    ]
    seen = [(*edge.min(axis=0).tolist(), *edge.max(axis=0).tolist()) for edge in scene.seen_px]
    return (
        free_place(options, half_wh, [*taken, *seen], scene.size_wh)
        or free_place(options, half_wh, taken, scene.size_wh)
        or options[0]
    )
