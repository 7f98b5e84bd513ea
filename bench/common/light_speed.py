"""Light Speed as the benches need it: its deck and faces, true rounds, and the hits in them."""

from dataclasses import dataclass
from functools import cache

from calibration.light_speed.looks import build_bank
from tests.truth import Truth
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.game import LightSpeed
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import Deck, Resolution, TableState
from vision.seeing.detector import Detector, build_detector
from vision.values.layout import PlacedCard
from vision.values.pieces import Faces

__all__ = ["Drawn", "hits", "light_speed", "true_round"]


@dataclass(frozen=True, eq=False)
class Drawn:
    """The deck, its drawn faces, how they are looked for, and the game."""

    deck: Deck
    bank: Faces
    detector: Detector
    game: LightSpeed


@cache
def light_speed() -> Drawn:
    """Return Light Speed with its drawn deck, made once."""
    deck = load_deck("light-speed")
    bank = build_bank(deck)
    return Drawn(deck, bank, build_detector(bank), LightSpeed(deck))


def true_round(truth: Truth, deck: Deck) -> Resolution:
    """Return the round as it ends on the true table."""
    cards = tuple(PlacedCard(name, *pose) for name, pose in sorted(truth.poses.items()))
    return resolve(TableState(cards), deck)


def hits(resolution: Resolution) -> list[tuple[str, int, str | None, bool]]:
    """Return every shot of a round: ship, laser, what it hits, whether a shield stops it."""
    return [
        (s.ship, s.laser, s.hit.card if s.hit else None, bool(s.hit and s.hit.shielded))
        for step in resolution.steps
        for s in step.shots
    ]
