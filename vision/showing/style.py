"""How the overlay looks: colours, badges of sides, sizes that follow the picture."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from vision.texts import Texts, texts
from vision.values.heat import HeatMap
from vision.values.ledger import Shape, Side

__all__ = [
    "AMBER",
    "BEAMS",
    "CYAN",
    "DEATH",
    "GOLD",
    "INK",
    "MIST",
    "MOVE",
    "NEUTRAL",
    "OWN_BEAM",
    "SCENERY",
    "STAR",
    "THROW",
    "WHITE",
    "AnnotateSettings",
    "BeamStyle",
    "Colour",
    "SideStyle",
    "beam_style",
    "side_style",
]

Colour: TypeAlias = tuple[int, int, int]  #: blue, green, red


def _bgr(rgb: int) -> Colour:
    return rgb & 255, rgb >> 8 & 255, rgb >> 16


WHITE = _bgr(0xFFFFFF)
INK = _bgr(0x0D1117)  #: casings and panels: nearly black, a little blue
MIST = _bgr(0xAAB4C2)  #: words of second rank on ink
AMBER = _bgr(0xFFB300)  #: every doubt, and nothing else
GOLD = _bgr(0xFFD75E)  #: the winner
STAR = _bgr(0xFF8A1F)  #: damage
CYAN = _bgr(0x59E0FF)  #: a shield that held
DEATH = _bgr(0xFF4D42)  #: the cross over a dead ship
SCENERY = _bgr(0xC9B59A)  #: what belongs to no side
NEUTRAL = _bgr(0x98A1AD)  #: what could not be read, or lies face down


@dataclass(frozen=True, slots=True)
class SideStyle:
    """A side's colour, the letter on its badge and the badge's shape: three ways to tell it."""

    colour: Colour
    letter: str
    shape: Shape


def side_style(side: Side) -> SideStyle:
    """Return how a side is marked."""
    return SideStyle(_bgr(int(side.colour[1:], 16)), side.id[:1].upper() or "?", side.shape)


@dataclass(frozen=True, slots=True)
class BeamStyle:
    """A path: its width in units, its colour, and what runs along its middle.

    The middle tells the strengths apart for eyes that do not see red from green: 1 is plain and
    thin, 2 has a string of beads, 3 is wide with an unbroken white core. What ``fades`` thins out
    instead of ending; along both sides of what is ``contested`` run dashed amber lines.
    """

    width: float
    colour: Colour
    middle: Literal["plain", "beads", "core"]
    fades: bool = False
    contested: bool = False


BEAMS = {
    1: BeamStyle(0.30, WHITE, "plain"),
    2: BeamStyle(0.50, _bgr(0xFF2B3D), "beads"),
    3: BeamStyle(0.84, _bgr(0x19D45B), "core"),
}


#: What is styled by its side: the colours here stand for that of nobody.
OWN_BEAM = BeamStyle(0.52, WHITE, "core")
MOVE = BeamStyle(0.34, WHITE, "plain")
THROW = BeamStyle(0.46, WHITE, "beads")


def beam_style(strength: int) -> BeamStyle:
    """Return how a beam of some strength is drawn."""
    return BEAMS[min(max(strength, min(BEAMS)), max(BEAMS))]


@dataclass(frozen=True, slots=True)
class AnnotateSettings:
    """What may be chosen about the overlay.

    Sizes grow from one *unit*: a share of the usual card on the picture, held between two shares
    of the picture's width. The lower one keeps the numbers legible when the picture is shown
    400 px wide on a phone, the upper one keeps a close-up from being covered.
    """

    #: The unit as a share of the usual card's size: a tag then covers a third of its card.
    unit_per_card: float = 0.13
    #: The same where no card lies there: tokens are small, and nothing stands on them but signs.
    unit_per_token: float = 0.2
    #: The least unit, of the picture's width: a number on a piece is two units high.
    unit_min: float = 0.0066
    #: The largest unit, of the picture's width: more hides the print on cards taken from near.
    unit_max: float = 0.026
    #: The panel stands beside the picture rather than smaller than this: it could not be read.
    panel_min: float = 0.7
    #: Whether contested events are shown magnified in a strip below: only a photo has more to show.
    closeups: bool = False
    #: The words in the picture, of the game's catalogue: the shared one has no word of a game.
    texts: Texts = field(default_factory=texts)
    #: What the places of the table would have been worth to a piece: drawn under all else.
    heat: HeatMap | None = None
