"""The round as one SVG file: the photo inside, every line a vector. No metadata, no scripts."""

import base64
from typing import Any
from xml.etree import ElementTree as ET

__all__ = ["TEAM_COLOURS", "draw_svg"]

TEAM_COLOURS = {"red": "#e5383b", "green": "#16a34a", "purple": "#a24be6", "blue": "#2b7fee"}
_BEAMS = {1: ("#ffffff", 0.30), 2: ("#ff2b3d", 0.50), 3: ("#19d45b", 0.84)}
_INK, _AMBER, _GREY = "#0d1117", "#ffb300", "#c9b59a"


def draw_svg(view: dict[str, Any], photo_jpeg: bytes) -> bytes:
    """Draw a round over its photo.

    Parameters
    ----------
    view : dict
        What :func:`vision.apps.server.rounds.view.round_view` gives.
    photo_jpeg : bytes
        The upright photo, at any scale.
    """
    width, height = view["photo"]["width_px"], view["photo"]["height_px"]
    unit = max(width, height) / 110
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
    ET.SubElement(root, "title").text = _title(view)
    code = base64.b64encode(photo_jpeg).decode("ascii")
    size = {"x": "-0.5", "y": "-0.5", "width": str(width), "height": str(height)}
    ET.SubElement(root, "image", {"href": f"data:image/jpeg;base64,{code}", **size})
    for thing in view["objects"]:
        _polygon(root, thing["outline_px"], _GREY, 0.3 * unit)
    for card in view["cards"]:
        colour = TEAM_COLOURS.get(card["team"] or "", _GREY)
        _polygon(root, card["outline_px"], _INK, 0.7 * unit)
        shape = _polygon(root, card["outline_px"], colour, 0.4 * unit)
        if card["doubtful"]:
            shape.set("stroke-dasharray", f"{unit:.1f} {0.6 * unit:.1f}")
    for shot in reversed(view["shots"]):
        _beam(root, shot, unit)
    for card in view["cards"]:
        _tag(root, card, unit)
    out: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return out


def _title(view: dict[str, Any]) -> str:
    scores = ", ".join(f"{team} {score['total']}" for team, score in view["scores"].items())
    return f"A round of Light Speed: {scores}"


def _polygon(root: ET.Element, points: list[list[float]], colour: str, width: float) -> ET.Element:
    return ET.SubElement(
        root,
        "polygon",
        {
            "points": " ".join(f"{x},{y}" for x, y in points),
            "fill": "none",
            "stroke": colour,
            "stroke-width": f"{width:.1f}",
            "stroke-linejoin": "round",
        },
    )


def _beam(root: ET.Element, shot: dict[str, Any], unit: float) -> None:
    points = " ".join(f"{x},{y}" for x, y in shot["path_px"])
    if not points:
        return
    colour, wide = _BEAMS.get(shot["power"], _BEAMS[3])
    layers = [(_INK, wide + 0.25), (colour, wide)]
    if shot["contested"]:
        layers.insert(0, (_AMBER, wide + 0.7))
    for stroke, units in layers:
        ET.SubElement(
            root,
            "polyline",
            {
                "points": points,
                "fill": "none",
                "stroke": stroke,
                "stroke-width": f"{units * unit:.1f}",
                "stroke-linecap": "round",
                **({"stroke-dasharray": f"{2 * unit:.0f} {unit:.0f}"} if not shot["hit"] else {}),
            },
        )


def _tag(root: ET.Element, card: dict[str, Any], unit: float) -> None:
    points = card["outline_px"]
    if not points or card["kind"] != "ship":
        return
    x = sum(p[0] for p in points) / len(points)
    y = sum(p[1] for p in points) / len(points)
    if card["dies_at"] is not None:
        for a, b in ((0, len(points) // 2), (len(points) // 4, 3 * len(points) // 4)):
            (x0, y0), (x1, y1) = points[a], points[b]
            place = {"x1": f"{x0}", "y1": f"{y0}", "x2": f"{x1}", "y2": f"{y1}"}
            ET.SubElement(
                root, "line", {**place, "stroke": "#ff4d42", "stroke-width": f"{0.5 * unit:.1f}"}
            )
    place = {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": f"{1.5 * unit:.1f}"}
    ET.SubElement(root, "circle", {**place, "fill": _INK, "fill-opacity": "0.85"})
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
    text.text = str(card["speed"])
