"""The overlay as a whole: the order in which things are drawn over the photo."""

from collections.abc import Mapping, Sequence

import numpy as np

from vision.showing.beams import draw_beam
from vision.showing.canvas import Box, Canvas
from vision.showing.cards import (
    draw_card_ground,
    draw_cross,
    draw_doubt_outline,
    draw_thing_ground,
    lay_doubts,
)
from vision.showing.closeups import draw_closeups, lay_strip, strip_width
from vision.showing.glyphs import draw_doubt
from vision.showing.heat import draw_best, draw_heat
from vision.showing.loose import draw_loose, loose_boxes
from vision.showing.marks import Sign, draw_contested, draw_hit, draw_ruled, draw_start, lay_signs
from vision.showing.panel import lay_panel, paint_panel, panel_content
from vision.showing.scene import Scene, build_scene
from vision.showing.style import AnnotateSettings
from vision.showing.tags import draw_tag, draw_thing_tags, lay_tags
from vision.values.arrays import ImageBGR, Points
from vision.values.layout import Camera
from vision.values.ledger import Ledger
from vision.values.messages import Issue
from vision.values.verdict import judge

__all__ = ["annotate_photo"]


def annotate_photo(
    photo: ImageBGR,
    camera: Camera,
    ledger: Ledger,
    *,
    outlines_px: Mapping[str, Points] | None = None,
    issues: Sequence[Issue] = (),
    settings: AnnotateSettings | None = None,
) -> ImageBGR:
    """Draw a round over its photo: pieces, paths, what they did, and the score.

    Parameters
    ----------
    photo : (H, W, 3) uint8
        The upright picture; it is not changed.
    camera : Camera
        How the table plane shows in it.
    ledger : Ledger
        What the game tells.
    outlines_px : mapping of piece id to (N, 2), optional
        Edges of pieces as seen in the photo frame, of a card TL, TR, BR, BL; outlines then follow
        these instead of the ledger's. Panel and labels cover no thing seen that the ledger does not
        have, such as dice and strips.
    issues : sequence of Issue
        Doubts of the reading; those of the ledger are shown anyway.
    settings : AnnotateSettings, optional
        What may be chosen about the overlay.

    Returns
    -------
    (H', W, 3) uint8
        A new picture. H' is more than H if the table has no room for the score panel, which then
        stands below the photo, or if there is a strip of close-ups.
    """
    settings = settings or AnnotateSettings()
    size_wh = int(photo.shape[1]), int(photo.shape[0])
    scene = build_scene(camera, ledger, size_wh, settings, outlines_px=outlines_px, issues=issues)
    canvas = Canvas(np.array(photo, dtype=np.uint8, order="C"))
    if settings.heat is not None:
        draw_heat(canvas, camera, settings.heat)
    labels = _draw_scene(canvas, scene)
    if settings.heat is not None:
        draw_best(canvas, scene, settings.heat)
    picture = canvas.image
    content = panel_content(ledger, judge(ledger, scene.issues), settings.texts)
    if content is not None:
        place = lay_panel(content, size_wh, _taken(scene, labels), settings)
        picture = paint_panel(picture, content, place)
    if not settings.closeups:
        return picture
    width = strip_width(photo)
    drawn = draw_closeups(photo, camera, ledger, settings.texts, width_px=width)
    return lay_strip(picture, list(drawn.values()), settings.texts.say("close.corners"))


def _draw_scene(canvas: Canvas, scene: Scene) -> list[Box]:
    """Draw all but the panel; return the rectangles that labels and signs of doubt took."""
    _draw_pieces(canvas, scene)
    for view in reversed(scene.paths):  # the last steps first: the first to fire lies on top
        draw_beam(canvas, scene.camera, view.trace, scene.style_of(view), scene.unit)
    signs = lay_signs(scene)
    circles = [(*sign.at, sign.radius) for sign in signs]
    doubts = lay_doubts(scene, circles)
    tags = lay_tags(scene, [*circles, *doubts])
    for tag in tags:
        draw_tag(canvas, tag, scene)
    taken = [tag.box for tag in tags]
    for x, y, r in [*circles, *doubts]:
        taken.append((x - r, y - r, x + r, y + r))
    taken += loose_boxes(scene)
    beside = len(taken)
    draw_thing_tags(canvas, scene, taken)
    labels = [tag.box for tag in tags] + taken[beside:]
    labels += _draw_signs(canvas, scene, signs, taken)
    for x, y, radius in doubts:
        draw_doubt(canvas, (x, y), radius / 1.25)
        labels.append((x - radius, y - radius, x + radius, y + radius))
    return labels


def _draw_pieces(canvas: Canvas, scene: Scene) -> None:
    for view in scene.things:
        draw_thing_ground(canvas, view, scene.unit)
    for view in scene.cards:
        draw_card_ground(canvas, view, scene.unit)
    for view in scene.pieces:
        if view.is_crossed:
            draw_cross(canvas, view.corners_px, scene.unit)
    for view in scene.pieces:
        if view.is_doubtful:
            draw_doubt_outline(canvas, view, scene.unit)


def _draw_signs(canvas: Canvas, scene: Scene, signs: Sequence[Sign], taken: list[Box]) -> list[Box]:
    """Draw what stands at the ends of the paths; return the rectangles that text took."""
    labels_from = len(taken)
    for sign in reversed(signs):
        if sign.is_start:
            draw_start(canvas, sign, scene)
    for sign in reversed(signs):
        if not sign.is_start:
            draw_hit(canvas, sign, scene, taken)
    draw_loose(canvas, scene)
    for view in scene.paths:
        if view.is_contested:
            draw_contested(canvas, view, scene, taken)
        elif view.event.ruled:
            draw_ruled(canvas, view, scene, taken)
    return taken[labels_from:]


def _taken(scene: Scene, labels: list[Box]) -> list[Points]:
    """Return everything that the score panel may not cover, as polygons in px."""
    pad = 1.5 * scene.unit
    polygons = [*(view.outline_px for view in scene.things), *scene.seen_px]
    for view in scene.cards:
        away = view.outline_px - view.centre_px
        reach = np.maximum(np.hypot(*away.T), 1e-9)[:, None]
        polygons.append(view.outline_px + away / reach * pad)
    polygons += [
        np.vstack([path.trace.points_px, path.trace.points_px[::-1]]) for path in scene.paths
    ]
    for left, top, right, bottom in labels:
        polygons.append(np.array([[left, top], [right, top], [right, bottom], [left, bottom]]))
    return polygons
