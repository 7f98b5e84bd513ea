"""The colours of a printed card: those that all cards share, and the tones of one kind."""

from dataclasses import dataclass

from calibration.art.drawing import Colour, rgb

__all__ = ["INK", "PAPER", "Palette"]

PAPER = rgb("#FFFFFF")
INK = rgb("#07070B")


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a team, or of a kind of card.

    ``band`` is the printed frame: far darker than the white border, so that its outer edge is the
    strongest straight edge on the card. ``panel`` is the ground of the picture; the others are
    tones of what is drawn on it, from ``shade`` to ``light``.
    """

    band: Colour
    panel: Colour
    shade: Colour
    dim: Colour
    bright: Colour
    light: Colour
