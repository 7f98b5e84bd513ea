"""Decks -> what the page must know before a round: sides, pieces and options, in each language."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from vision.apps.decks import KnownDeck, all_names, named_deck
from vision.errors import DeckError
from vision.games.light_speed.roster import ships_of
from vision.games.light_speed.sides import side_of
from vision.games.light_speed.values import RuleOptions
from vision.judging.options import Option, options_of
from vision.texts import LANGUAGES, Texts, texts
from vision.values.ledger import Side

__all__ = ["offers"]

Json = dict[str, Any]


def offers(store: Path | None = None) -> list[Json]:
    """Return what may be read and played, a deck each, with those learned in a folder.

    One that is damaged is left out: it does not hide the others.
    """
    found = []
    for name in all_names(store):
        with suppress(DeckError):
            found.append(_offer(named_deck(name, store)))
    return found


def _offer(known: KnownDeck) -> Json:
    deck = known.deck
    is_played = bool(deck.ships)
    sides = [side_of(team, deck) for team in deck.teams] if is_played else []
    side_by_piece = {name: team for name, (team, _) in ships_of(deck).items()}
    return {
        "deck": deck.name,
        "game": known.game.name,
        "laid": len(deck.ships),
        "sides": [_side(side) for side in sides],
        "pieces": [_piece(name, side_by_piece.get(name)) for name in known.card_ids],
        "options": [_option(option) for option in options_of(RuleOptions)] if is_played else [],
    }


def _side(side: Side) -> Json:
    name = _in_each(lambda words: words.tell(side.name))
    return {"id": side.id, "name": name, "colour": side.colour, "shape": side.shape}


def _piece(name: str, side: str | None) -> Json:
    title = _in_each(lambda words: words.say("piece.title", card=name))
    return {"id": name, "title": title, "side": side}


def _option(option: Option) -> Json:
    def named(value: object) -> Json:
        key = f"choice.{option.name}.{'auto' if value is None else value}"
        return {
            "value": value,
            "name": _in_each(lambda words: words.say(key) if words.has(key) else str(value)),
        }

    return {
        "id": option.name,
        "kind": option.kind,
        "name": _in_each(lambda words: words.say(f"option.{option.name}")),
        "default": option.default,
        "choices": [named(value) for value in option.choices],
    }


def _in_each(say: Callable[[Texts], str]) -> dict[str, str]:
    return {language: say(texts(language)) for language in LANGUAGES}
