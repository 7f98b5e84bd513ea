"""The round as one SVG file: the photo inside, every line a vector. No metadata, no scripts."""

import base64
from collections.abc import Sequence
from xml.etree import ElementTree as ET

import numpy as np

from vision.showing.cards import diagonals
from vision.showing.scene import Scene, ShownPath, ShownPiece, build_scene
from vision.showing.style import AMBER, DEATH, INK, AnnotateSettings, Colour
from vision.showing.words import title_line
from vision.values.arrays import Points
from vision.values.layout import Camera
from vision.values.ledger import Ledger
from vision.values.messages import Issue

__all__ = ["draw_svg"]

_PATH_POINTS = 24
_UNITS = 110  # to the longer side of the photo


def draw_svg(
    photo_jpeg: bytes,
    size_wh: tuple[int, int],
    camera: Camera,
    ledger: Ledger,
    settings: AnnotateSettings | None = None,
    issues: Sequence[Issue] = (),
) -> bytes:
    """Draw a round over its photo.

    Parameters
    ----------
    photo_jpeg : bytes
        The upright photo, at any scale.
    size_wh : (int, int)
        Width and height of the photo in the camera's pixels.
    camera : Camera
        How the table plane shows in it.
    ledger : Ledger
        What the game tells.
    settings : AnnotateSettings, optional
        For the words.
    issues : sequence of Issue
        Doubts of the reading; those of the ledger are told anyway.
    """
    settings = settings or AnnotateSettings()
    scene = build_scene(camera, ledger, size_wh, settings, issues=issues)
    width, height = size_wh
    unit = max(width, height) / _UNITS
    root = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"-0.5 -0.5 {width} {height}",
            "width": str(width),
            "height": str(height),
            "font-family": "system-ui, sans-serif",
            "font-weight": "700",
        },
    )
    ET.SubElement(root, "title").text = title_line(ledger, scene.issues, settings.texts)
    code = base64.b64encode(photo_jpeg).decode("ascii")
    size = {"x": "-0.5", "y": "-0.5", "width": str(width), "height": str(height)}
    ET.SubElement(root, "image", {"href": f"data:image/jpeg;base64,{code}", **size})
    for view in (*scene.things, *scene.cards):
        _ground(root, view, unit)
    for path in reversed(scene.paths):
        _path(root, path, scene, unit)
    for view in scene.pieces:
        _sign(root, view, unit)
    out: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return out


def _hex(colour: Colour) -> str:
    blue, green, red = colour
    return f"#{red:02x}{green:02x}{blue:02x}"


def _points(points: Points) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points.tolist())


def _line(
    root: ET.Element, points: Points, colour: Colour, width: float, *, closed: bool = False
) -> ET.Element:
    looks = {
        "points": _points(points),
        "fill": "none",
        "stroke": _hex(colour),
        "stroke-width": f"{width:.1f}",
    }
    looks |= {"stroke-linejoin": "round"} if closed else {"stroke-linecap": "round"}
    return ET.SubElement(root, "polygon" if closed else "polyline", looks)


def _ground(root: ET.Element, view: ShownPiece, unit: float) -> None:
    _line(root, view.outline_px, INK, 0.7 * unit, closed=True)
    if len(view.nose_px):
        nose = _line(root, view.nose_px, view.colour, 0.2 * unit, closed=True)
        nose.set("fill", _hex(view.colour))
    shape = _line(root, view.outline_px, view.colour, 0.4 * unit, closed=True)
    if view.is_doubtful:
        shape.set("stroke-dasharray", f"{unit:.1f} {0.6 * unit:.1f}")


def _path(root: ET.Element, view: ShownPath, scene: Scene, unit: float) -> None:
    points, style = view.trace.points_px, scene.style_of(view)
    keep = np.unique(np.linspace(0, len(points) - 1, _PATH_POINTS).round()).astype(int)
    layers = [(INK, style.width + 0.25), (style.colour, style.width)]
    if style.contested:
        layers.insert(0, (AMBER, style.width + 0.7))
    for stroke, units in layers:
        line = _line(root, points[keep], stroke, units * unit)
        if style.fades:
            line.set("stroke-dasharray", f"{2 * unit:.0f} {unit:.0f}")


def _sign(root: ET.Element, view: ShownPiece, unit: float) -> None:
    """Cross out what is out of the game, and write the number of a piece."""
    corners = view.corners_px
    if view.is_crossed:
        for ends in diagonals(len(corners)):
            _line(root, corners[list(ends)], DEATH, 0.5 * unit)
    if not view.piece.number:
        return
    x, y = view.centre_px
    place = {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": f"{1.5 * unit:.1f}"}
    ET.SubElement(root, "circle", {**place, "fill": _hex(INK), "fill-opacity": "0.85"})
    text = ET.SubElement(
        root,
        "text",
        {
            "x": f"{x:.1f}",
            "y": f"{y + 0.7 * unit:.1f}",
            "font-size": f"{2 * unit:.1f}",
            "text-anchor": "middle",
            "fill": "#ffffff",
        },
    )
    text.text = view.piece.number
