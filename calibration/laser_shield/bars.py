"""The shields of real pawns as shapes: bars like matches, for who has none."""

from calibration.art.drawing import Polygon, Shape, Stroke, box, mix, rgb

__all__ = ["bar_shapes"]

_WOOD, _HEAD, _EDGE = rgb("#EBCB93"), rgb("#8C1F1B"), rgb("#3A2412")
_HEAD_MM = 7.0  # a match's is 3: this one shows on a photo of a whole table


def bar_shapes(size_mm: tuple[float, float]) -> list[Shape]:
    """Return a bar in its own frame, head up (-y), mm, in the order to paint."""
    half_w, half_h = size_mm[0] / 2, size_mm[1] / 2
    shapes: list[Shape] = [
        Polygon(box(-half_w, -half_h, half_w, half_h), _WOOD),
        Polygon(box(-half_w, -half_h, half_w, -half_h + _HEAD_MM), _HEAD),
    ]
    for x, top in ((-0.45, 11.0), (0.55, 18.0)):
        grain = ((x, -half_h + top), (x, half_h - 4.0))
        shapes.append(Stroke(grain, 0.15, mix(_WOOD, _EDGE, 0.35)))
    for x in (-half_w, half_w):
        shapes.append(Stroke(((x, -half_h), (x, half_h)), 0.5, _EDGE))
    return shapes
