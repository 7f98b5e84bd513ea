"""How the overlay looks: colours, team marks, sizes that follow the picture."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from vision.games.light_speed.values import Deck, Ship

__all__ = [
    "AMBER",
    "ASTEROID",
    "BEAMS",
    "CYAN",
    "DEATH",
    "GOLD",
    "INK",
    "MIST",
    "NEUTRAL",
    "STAR",
    "WHITE",
    "AnnotateSettings",
    "BeamStyle",
    "Colour",
    "TeamStyle",
    "find_ship",
    "is_asteroid",
    "split_card_id",
    "team_style",
]

Colour: TypeAlias = tuple[int, int, int]  #: blue, green, red
Shape: TypeAlias = Literal["triangle", "square", "diamond", "disc", "hexagon", "pentagon"]


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
ASTEROID = _bgr(0xC9B59A)
NEUTRAL = _bgr(0x98A1AD)  #: a card that could not be read, or lies face down


@dataclass(frozen=True, slots=True)
class TeamStyle:
    """A team's colour, the letter on its badge and the badge's shape: three ways to tell it."""

    colour: Colour
    letter: str
    shape: Shape


_TEAMS = {
    "red": TeamStyle(_bgr(0xE5383B), "R", "triangle"),
    "green": TeamStyle(_bgr(0x16A34A), "G", "square"),
    "purple": TeamStyle(_bgr(0xA24BE6), "P", "diamond"),
    "blue": TeamStyle(_bgr(0x2B7FEE), "B", "disc"),
}
_OTHERS: tuple[tuple[int, Shape], ...] = (
    (0xE07A10, "hexagon"),
    (0x0E9AA7, "pentagon"),
    (0xD6459B, "disc"),
    (0x7A8B2A, "square"),
)


def team_style(team: str, deck: Deck) -> TeamStyle:
    """Return how a team is marked; teams of other decks get a colour and shape in their order."""
    if team in _TEAMS:
        return _TEAMS[team]
    place = deck.teams.index(team) if team in deck.teams else sum(map(ord, team))
    rgb, shape = _OTHERS[place % len(_OTHERS)]
    return TeamStyle(_bgr(rgb), team[:1].upper() or "?", shape)


@dataclass(frozen=True, slots=True)
class BeamStyle:
    """A laser: its width in units, its colour, and what runs along its middle.

    The middle tells the powers apart for eyes that do not see red from green: 1 is plain and
    thin, 2 has a string of beads, 3 is wide with an unbroken white core.
    """

    width: float
    colour: Colour
    middle: Literal["plain", "beads", "core"]


BEAMS = {
    1: BeamStyle(0.30, WHITE, "plain"),
    2: BeamStyle(0.50, _bgr(0xFF2B3D), "beads"),
    3: BeamStyle(0.84, _bgr(0x19D45B), "core"),
}


@dataclass(frozen=True, slots=True)
class AnnotateSettings:
    """What may be chosen about the overlay.

    Sizes grow from one *unit*: a share of the usual card on the picture, held between two shares
    of the picture's width. The lower one keeps the speed numbers legible when the picture is
    shown 400 px wide on a phone, the upper one keeps a close-up from being covered.
    """

    unit_per_card: float = 0.13
    unit_min: float = 0.0066  #: of the picture's width; a speed number is two units high
    unit_max: float = 0.026  #: of the picture's width
    contested_from: float | None = None  #: flip probability above which a shot is drawn as
    #: contested; None takes the resolution's
    panel_min: float = 0.7  #: the panel stands beside the picture rather than smaller than this
    language: str = "en"  #: of the words in the picture


def split_card_id(card_id: str, deck: Deck) -> tuple[str | None, str]:
    """Split ``red-moth`` into team and ship; the team is None for anything that is no ship."""
    for team in deck.teams:
        if card_id.startswith(team + "-"):
            return team, card_id[len(team) + 1 :]
    return None, card_id


def find_ship(card_id: str, deck: Deck) -> Ship | None:
    """Return the design of a card, or None if it is no ship of the deck."""
    team, name = split_card_id(card_id, deck)
    if team is None:
        return None
    return next((ship for ship in deck.ships if ship.name == name), None)


def is_asteroid(card_id: str, deck: Deck) -> bool:
    """Tell whether a card is an asteroid, front or back."""
    return card_id.removesuffix("-back") in deck.asteroids
