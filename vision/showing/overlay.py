"""The overlay as a whole: the order in which things are drawn over the photo."""

from collections.abc import Mapping, Sequence

import numpy as np

from vision.games.light_speed.values import Deck, Resolution, TableState
from vision.geometry import photo_from_table
from vision.showing.beams import draw_beam
from vision.showing.canvas import Box, Canvas
from vision.showing.cards import (
    draw_card_ground,
    draw_cross,
    draw_doubt_outline,
    draw_object_ground,
    lay_doubts,
)
from vision.showing.closeups import draw_closeups, lay_strip, strip_width
from vision.showing.glyphs import draw_doubt
from vision.showing.marks import (
    Mark,
    draw_contested,
    draw_hit,
    draw_muzzle,
    draw_ruled,
    lay_marks,
)
from vision.showing.panel import count_doubts, lay_panel, paint_panel, panel_content
from vision.showing.scene import Circle, Scene, build_scene
from vision.showing.style import AnnotateSettings
from vision.showing.tags import draw_object_tag, draw_tag, lay_tags
from vision.values.arrays import ImageBGR, Points
from vision.values.layout import Camera
from vision.values.messages import Issue

__all__ = ["annotate_photo"]


def annotate_photo(
    photo: ImageBGR,
    camera: Camera,
    table: TableState,
    deck: Deck,
    resolution: Resolution,
    *,
    corners_px: Mapping[str, Points] | None = None,
    issues: Sequence[Issue] = (),
    settings: AnnotateSettings | None = None,
    closeups: bool = False,
) -> ImageBGR:
    """Draw a round over its photo: cards, beams, what they did, and the score.

    Parameters
    ----------
    photo : (H, W, 3) uint8
        The upright picture; it is not changed.
    camera : Camera
        How the table plane shows in it.
    table : TableState
        The cards and objects.
    deck : Deck
        The deck that they are of.
    resolution : Resolution
        What happened.
    corners_px : mapping of card id to (4, 2), optional
        TL, TR, BR, BL of cards as seen in the photo frame; outlines then follow these instead of
        the table's poses.
    issues : sequence of Issue
        Doubts of the reading; those of the resolution are shown anyway.
    settings : AnnotateSettings, optional
        What may be chosen about the overlay.
    closeups : bool
        Whether the contested shots are shown magnified in a strip below.

    Returns
    -------
    (H', W, 3) uint8
        A new picture. H' is more than H if the table has no room for the score panel, which then
        stands below the photo, or if there is a strip of close-ups.
    """
    settings = settings or AnnotateSettings()
    size_wh = int(photo.shape[1]), int(photo.shape[0])
    scene = build_scene(
        camera, table, deck, resolution, size_wh, settings, corners_px=corners_px, issues=issues
    )
    canvas = Canvas(np.array(photo, dtype=np.uint8, order="C"))
    outlines = [photo_from_table(camera, thing.outline_mm) for thing in table.objects]
    _draw_cards(canvas, scene, outlines)
    _draw_shots(canvas, scene)
    marks = lay_marks(scene)
    circles = [(*mark.at, mark.radius) for mark in marks]
    doubts = lay_doubts(scene, circles)
    tags = lay_tags(scene, [*circles, *doubts])
    for tag in tags:
        draw_tag(canvas, tag, scene)
    for thing, outline in zip(table.objects, outlines, strict=True):
        x, y = outline.mean(axis=0)
        draw_object_tag(canvas, thing.id, (float(x), float(y)), scene)
    labels = _draw_marks(canvas, scene, marks, doubts, [tag.box for tag in tags])
    for x, y, radius in doubts:
        draw_doubt(canvas, (x, y), radius / 1.25)
    picture = canvas.image
    content = panel_content(resolution, deck, count_doubts(scene.issues), settings.language)
    if content is not None:
        place = lay_panel(content, size_wh, _taken(scene, outlines, labels), settings)
        picture = paint_panel(picture, content, place, deck)
    if not closeups:
        return picture
    width = strip_width(photo)
    drawn = draw_closeups(photo, camera, table, deck, resolution, width_px=width, settings=settings)
    return lay_strip(picture, list(drawn.values()))


def _draw_cards(canvas: Canvas, scene: Scene, outlines: list[Points]) -> None:
    gone = {name for step in scene.resolution.steps for name in step.gone}
    for thing, outline in zip(scene.table.objects, outlines, strict=True):
        draw_object_ground(canvas, outline, scene.unit, is_gone=thing.id in gone)
    for view in scene.cards:
        draw_card_ground(canvas, view, scene)
    for view in scene.cards:
        if view.death is not None:
            draw_cross(canvas, view, scene.unit)
    for view in scene.cards:
        if view.is_doubtful:
            draw_doubt_outline(canvas, view, scene.unit)


def _draw_shots(canvas: Canvas, scene: Scene) -> None:
    """Draw the beams, the last steps first, so that the first to fire lies on top."""
    for view in reversed(scene.shots):
        draw_beam(
            canvas,
            scene.camera,
            view.trace,
            view.shot.power,
            scene.unit,
            fades=view.shot.hit is None or not view.trace.ends,
            contested=view.is_contested,
        )


def _draw_marks(
    canvas: Canvas,
    scene: Scene,
    marks: Sequence[Mark],
    doubts: Sequence[Circle],
    tags: Sequence[Box],
) -> list[Box]:
    """Draw what stands at the ends of the beams; return the rectangles that text took."""
    taken = list(tags)
    for x, y, r in [*((*mark.at, mark.radius) for mark in marks), *doubts]:
        taken.append((x - r, y - r, x + r, y + r))
    labels_from = len(taken)
    for mark in reversed(marks):
        if mark.is_muzzle:
            draw_muzzle(canvas, mark, scene)
    for mark in reversed(marks):
        if not mark.is_muzzle:
            draw_hit(canvas, mark, scene, taken)
    for view in scene.shots:
        if view.is_contested:
            draw_contested(canvas, view, scene, taken)
        elif view.shot.ruled:
            draw_ruled(canvas, view, scene, taken)
    return taken[labels_from:]


def _taken(scene: Scene, outlines: list[Points], labels: list[Box]) -> list[Points]:
    """Return everything that the score panel may not cover, as polygons in px."""
    pad = 1.5 * scene.unit
    polygons = [*outlines]
    for view in scene.cards:
        away = view.outline_px - view.centre_px
        reach = np.maximum(np.hypot(*away.T), 1e-9)[:, None]
        polygons.append(view.outline_px + away / reach * pad)
    polygons += [
        np.vstack([shot.trace.points_px, shot.trace.points_px[::-1]]) for shot in scene.shots
    ]
    for left, top, right, bottom in labels:
        polygons.append(np.array([[left, top], [right, top], [right, bottom], [left, bottom]]))
    return polygons
