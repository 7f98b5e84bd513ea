"""Cards as seen -> cards as a table of Light Speed may have them: of teams that play."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from vision.games.light_speed.roster import ships_of
from vision.games.light_speed.values import Deck
from vision.values.layout import Alternative, PlacedCard

__all__ = ["by_teams"]

#: How much likelier a card is one of a team that has other cards there than one of a team without.
_SELDOM = 0.02


def by_teams(cards: Sequence[PlacedCard], deck: Deck) -> tuple[PlacedCard, ...]:
    """Weigh what doubtful cards may be by the teams that have cards there for sure."""
    ships = ships_of(deck)
    sure = {ships[c.card_id][0] for c in cards if c.card_id in ships and not c.may_be}
    if not sure:
        return tuple(cards)

    def weight(piece: str | None) -> float:
        return _SELDOM if piece in ships and ships[piece][0] not in sure else 1.0

    return tuple(_weighed(card, weight) if card.may_be else card for card in cards)


def _weighed(card: PlacedCard, weight: Callable[[str | None], float]) -> PlacedCard:
    """Return a card whose readings have these weights beside their chances."""
    own = max(0.0, 1 - sum(one.chance for one in card.may_be)) * weight(card.card_id)
    chances = [one.chance * weight(one.piece) for one in card.may_be]
    total = own + sum(chances)
    if not total:
        return card
    pairs = zip(card.may_be, chances, strict=True)
    return replace(card, may_be=tuple(Alternative(one.piece, p / total) for one, p in pairs))
