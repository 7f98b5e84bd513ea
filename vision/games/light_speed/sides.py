"""What the teams look like on every screen: colour, and the shape of a badge."""

from vision.games.light_speed.values import Deck
from vision.values.ledger import Shape, Side
from vision.values.messages import message

__all__ = ["side_of"]

_TEAMS: dict[str, tuple[str, Shape]] = {
    "red": ("#e5383b", "triangle"),
    "green": ("#16a34a", "square"),
    "purple": ("#a24be6", "diamond"),
    "blue": ("#2b7fee", "disc"),
}
_OTHERS: tuple[tuple[str, Shape], ...] = (
    ("#e07a10", "hexagon"),
    ("#0e9aa7", "pentagon"),
    ("#d6459b", "disc"),
    ("#7a8b2a", "square"),
)


def side_of(team: str, deck: Deck) -> Side:
    """Return how a team is shown; teams of other decks get colour and shape in their order."""
    if team in _TEAMS:
        return Side(team, message(f"team.{team}"), *_TEAMS[team])
    place = deck.teams.index(team) if team in deck.teams else sum(map(ord, team))
    return Side(team, team, *_OTHERS[place % len(_OTHERS)])
