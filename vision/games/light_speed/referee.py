"""A deck -> what a watch may say while its cards are laid."""

from vision.games.light_speed.deck import SHIP_BACK
from vision.games.light_speed.roster import ships_of
from vision.games.light_speed.values import Deck
from vision.judging.game import Referee

__all__ = ["referee_of"]


def referee_of(deck: Deck) -> Referee:
    """Return what holds for a deck.

    Each team lays all its ships, one after the other; no card may touch another, but the two
    halves of the large asteroid lie side by side.
    """
    rocks = (*deck.asteroids, *(f"{asteroid}-back" for asteroid in deck.asteroids))
    return Referee(
        sides=deck.teams,
        side_of={card: team for card, (team, _) in ships_of(deck).items()},
        last_of_side=len(deck.ships),
        one_at_a_time=True,
        touching=False,
        common=frozenset(rocks),
        face_down=(SHIP_BACK,),
    )
