"""Decks -> what the page must know before a round: sides, pieces and options, in each language."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vision.apps.decks import KnownDeck, all_names, named_deck
from vision.errors import DeckError
from vision.games.light_speed.roster import ships_of
from vision.games.light_speed.sides import side_of
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
    deck, game = known.deck, known.game
    sides = [side_of(team, deck) for team in deck.teams] if deck.ships else []
    side_by_piece = {name: team for name, (team, _) in ships_of(deck).items()}
    told = _Told(tuple(texts(language, game.texts) for language in LANGUAGES))
    return {
        "deck": deck.name,
        "game": game.name,
        "laid": len(deck.ships),
        "sides": [told.side(side) for side in sides],
        "pieces": [told.piece(name, side_by_piece.get(name)) for name in known.card_ids],
        "options": [told.option(option) for option in options_of(game.options)],
    }


@dataclass(frozen=True, slots=True)
class _Told:
    """Sides, pieces and options in the words of each language."""

    words: tuple[Texts, ...]

    def side(self, side: Side) -> Json:
        name = self._each(lambda words: words.tell(side.name))
        return {"id": side.id, "name": name, "colour": side.colour, "shape": side.shape}

    def piece(self, name: str, side: str | None) -> Json:
        title = self._each(lambda words: words.say("piece.title", card=name))
        return {"id": name, "title": title, "side": side}

    def option(self, option: Option) -> Json:
        return {
            "id": option.name,
            "kind": option.kind,
            "name": self._each(lambda words: words.say(f"option.{option.name}")),
            "default": option.default,
            "choices": [self._choice(option.name, value) for value in option.choices],
        }

    def _choice(self, name: str, value: object) -> Json:
        key = f"choice.{name}.{'auto' if value is None else value}"
        told = self._each(lambda words: words.say(key) if words.has(key) else str(value))
        return {"value": value, "name": told}

    def _each(self, say: Callable[[Texts], str]) -> dict[str, str]:
        return {words.language: say(words) for words in self.words}
