"""Games -> what the page must know before a round: sides, pieces and options, in each language."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vision.apps.decks import KnownDeck, all_names, named_deck
from vision.apps.known import Known, known_game
from vision.apps.watching import can_follow
from vision.errors import DeckError
from vision.games.registry import game_names
from vision.judging.game import Referee
from vision.judging.options import Option, options_of
from vision.texts import LANGUAGES, Texts, texts
from vision.values.ledger import Side

__all__ = ["EXAMPLE", "offer", "offers"]

#: In the folder of a game's words: a table in its notation, to be tried.
EXAMPLE = "example.txt"

Json = dict[str, Any]


def offers(store: Path | None = None) -> list[Json]:
    """Return what may be read and played: each deck, those learned in a folder, each other game.

    One that is damaged is left out: it does not hide the others.
    """
    return [offer(known) for known in _all(store)]


def _all(store: Path | None) -> Iterator[Known]:
    decks = all_names(store)
    for name in decks:
        with suppress(DeckError):
            yield named_deck(name, store)
    for name in game_names():
        known = known_game(name)
        if known.name not in decks:
            yield known


def offer(known: Known) -> Json:
    """Return what the page must know of a deck or a game's pieces."""
    game = known.game
    referee = game.referee or Referee()
    told = _Told(tuple(texts(language, game.texts) for language in LANGUAGES))
    return {
        "deck": known.name,
        "game": game.name,
        "title": told.title(game.name),
        "learned": isinstance(known, KnownDeck) and known.learned is not None,
        "laid": referee.last_of_side,
        "followed": can_follow(known),
        "careers": game.keeps_careers,
        "photos": game.most_photos,
        "sides": [told.side(side) for side in game.sides],
        "pieces": [
            told.piece(name, referee.side_of.get(name), game.number_of(name))
            for name in known.piece_ids
        ],
        "has_example": game.texts.joinpath(EXAMPLE).is_file(),
        "options": [told.option(option) for option in options_of(game.options)],
    }


@dataclass(frozen=True, slots=True)
class _Told:
    """Sides, pieces and options in the words of each language."""

    words: tuple[Texts, ...]

    def title(self, name: str) -> dict[str, str]:
        return self._called("game.title", name)

    def side(self, side: Side) -> Json:
        name = self._each(lambda words: words.tell(side.name))
        return {"id": side.id, "name": name, "colour": side.colour, "shape": side.shape}

    def piece(self, name: str, side: str | None, number: str) -> Json:
        title = self._each(lambda words: words.say("piece.title", card=name))
        return {"id": name, "title": title, "side": side, "number": number}

    def option(self, option: Option) -> Json:
        return {
            "id": option.name,
            "kind": option.kind,
            "name": self._called(f"option.{option.name}", option.name),
            "default": option.default,
            "choices": [self._choice(option.name, value) for value in option.choices],
            "rare": option.is_rare,
        }

    def _choice(self, name: str, value: object) -> Json:
        key = f"choice.{name}.{'auto' if value is None else value}"
        return {"value": value, "name": self._called(key, str(value))}

    def _called(self, key: str, otherwise: str) -> dict[str, str]:
        return self._each(lambda words: words.say(key) if words.has(key) else otherwise)

    def _each(self, say: Callable[[Texts], str]) -> dict[str, str]:
        return {words.language: say(words) for words in self.words}
