"""The colours of the game: three teams, the dark of space, rocks and pods."""

from dataclasses import dataclass

from calibration.art.drawing import Colour, rgb

__all__ = ["PALE", "POD", "ROCK", "SPACE", "STAR", "TEAMS", "Tones"]

SPACE = rgb("#10152B")  #: of the board's ground
STAR = rgb("#F3F0FF")
PALE = rgb("#F4F1E8")  #: paper of a sheet


@dataclass(frozen=True, slots=True)
class Tones:
    """The colours of a team or a kind of tile: ``ink`` stands out from ``field`` in grey too.

    ``rim`` is the dark of both, ``glow`` what shines on it; ``edge`` is where a piece is cut: pale
    where the piece is dark as the board, so that its outline stands out from that.
    """

    field: Colour
    ink: Colour
    rim: Colour
    glow: Colour
    edge: Colour


TEAMS = {
    "red": Tones(rgb("#C01F31"), rgb("#FFF0DE"), rgb("#3F0710"), rgb("#FF8F74"), rgb("#FFD9C2")),
    "white": Tones(rgb("#F2EFE4"), rgb("#26252E"), rgb("#6F6A5E"), rgb("#D9A83C"), rgb("#6F6A5E")),
    "blue": Tones(rgb("#2557BE"), rgb("#E4F3FF"), rgb("#091A47"), rgb("#7CC6FF"), rgb("#CFE8FF")),
}
ROCK = Tones(rgb("#6E8FA6"), rgb("#E9F4FA"), rgb("#1D2F3D"), rgb("#A9C8DA"), rgb("#C9DEEA"))
POD = Tones(rgb("#7C9A4A"), rgb("#F2F6D8"), rgb("#232E12"), rgb("#C7E07E"), rgb("#DDEBAE"))
