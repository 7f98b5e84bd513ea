"""Asteroids that a photo should have shown -> those that nobody has accounted for.

A round is played round one asteroid at least; where one shows its back, or both are played as one
or as two by a rule, both lie there. How many ships a team laid is not known: who was slower has
laid fewer.
"""

from collections.abc import Iterator
from dataclasses import replace

from vision.games.light_speed.deck import is_asteroid
from vision.games.light_speed.values import Deck, TableState
from vision.games.light_speed.words import doubt
from vision.judging.counts import Expected, Shortfall, find_shortfalls
from vision.values.messages import Issue

__all__ = ["missing_in", "shortfalls_of", "tell_missing", "with_gone"]


def missing_in(table: TableState, deck: Deck) -> TableState:
    """Return a table as a photo showed it, with the asteroids that are not accounted for."""
    there = _there(table, deck)
    away = tuple(name for name in deck.asteroids if name not in there)
    short = find_shortfalls(_expected(table, deck), there)
    return replace(table, missing=away if short else ())


def shortfalls_of(table: TableState, deck: Deck) -> tuple[Shortfall, ...]:
    """Return whether asteroids are missing, and which."""
    gone = set(deck.asteroids) - set(table.missing)
    return find_shortfalls(_expected(table, deck), _there(table, deck), gone)


def tell_missing(table: TableState, deck: Deck) -> Iterator[Issue]:
    """Yield a doubt if asteroids are missing."""
    for one in shortfalls_of(table, deck):
        key = "issue.asteroid_missing" if one.there else "issue.asteroids_missing"
        yield doubt("asteroid_missing", key, one.missing, first=one.missing[0])


def with_gone(table: TableState, card: str) -> TableState:
    """Return a table of which the players say that an asteroid is not there."""
    return replace(table, missing=tuple(name for name in table.missing if name != card))


def _expected(table: TableState, deck: Deck) -> tuple[Expected, ...]:
    """Return how many asteroids a table has; an outline that is one is as good as a card."""
    if not deck.asteroids or any(thing.kind == "asteroid" for thing in table.objects):
        return ()
    backs = any(
        card.card_id.endswith("-back") and is_asteroid(deck, card.card_id) for card in table.cards
    )
    both = backs or table.rules.asteroids != "auto"
    return (Expected("asteroid", deck.asteroids, len(deck.asteroids) if both else 1),)


def _there(table: TableState, deck: Deck) -> set[str]:
    """Return the asteroids on a table, whichever side they show."""
    cards = (card.card_id for card in table.cards)
    return {card.removesuffix("-back") for card in cards if is_asteroid(deck, card)}
