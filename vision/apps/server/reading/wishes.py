"""What someone asks of a table, and what is played in its evening -> the game and its rules."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from vision.apps.decks import find_known
from vision.apps.known import Known
from vision.apps.server.problems import NO_EVENING, or_404
from vision.apps.server.storage import Evening, Storage
from vision.judging.options import options_from_json, options_to_json, parse_options

__all__ = ["Wishes", "playing", "understood"]

_NONE = Evening("", "", {}, 0.0)  # what is in no evening: it plays nothing yet


@dataclass(frozen=True, slots=True)
class Wishes:
    """What someone asks of a photo or a table.

    Its deck, its game (either may be left out), rules (KEY=VALUE), a name, an evening.
    """

    deck: str | None
    rules: tuple[str, ...] = ()
    name: str = ""
    evening: str | None = None
    game: str | None = None

    @property
    def are_open(self) -> bool:
        """Whether the game is to be found out: neither it nor anything that is its own is said."""
        return self.deck is None and self.game is None and not self.rules


def understood(wishes: Wishes, storage: Storage, decks: Path) -> tuple[Known, dict[str, Any]]:
    """Return what lies on the table and the rules as JSON: what is wished, else the evening's.

    Raises
    ------
    DeckError, TableFormatError, Problem
        If there is no such deck, game or evening, or a rule is not understood.
    """
    evening = _NONE
    if wishes.evening is not None:
        evening = or_404(storage.records.evenings.find(wishes.evening), NO_EVENING)
    known = _known(wishes.deck, wishes.game, evening, decks)
    form = known.game.options
    usual = evening.rules if evening.game == known.game.name else {}
    options: Any = parse_options(form, wishes.rules, options_from_json(form, usual))
    return known, options_to_json(options)


def playing(
    evening: Evening, deck: str | None, game: str | None, rules: Mapping[str, Any], decks: Path
) -> Evening:
    """Return an evening that plays by these rules, if nothing else is said what it played.

    Raises
    ------
    DeckError, TableFormatError
        If there is no such deck or game, or a rule is not understood.
    """
    known = _known(deck, game, evening, decks)
    options: Any = options_from_json(known.game.options, rules)
    return replace(evening, deck=known.name, game=known.game.name, rules=options_to_json(options))


def _known(deck: str | None, game: str | None, evening: Evening, decks: Path) -> Known:
    """Return what someone says is played; what the evening plays if nothing is said."""
    if deck is None and game is None:
        deck, game = evening.deck or None, evening.game or None
    return find_known(deck, game, decks)
