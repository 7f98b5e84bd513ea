"""What someone asks of a table, and what is played in its evening -> the game and its rules."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vision.apps.decks import Known, find_known
from vision.apps.server.problems import Problem
from vision.apps.server.storage import Evening, Storage
from vision.judging.options import options_from_json, options_to_json, parse_options

__all__ = ["Wishes", "played", "understood"]


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


@dataclass(frozen=True, slots=True)
class _Played:
    """What is played unless someone says otherwise; ``rules`` in the form of a table file."""

    deck: str | None = None
    game: str | None = None
    rules: Mapping[str, Any] = field(default_factory=dict)


def understood(wishes: Wishes, storage: Storage, decks: Path) -> tuple[Known, dict[str, Any]]:
    """Return what lies on the table and the rules as JSON: what is wished, else the evening's.

    Raises
    ------
    DeckError, TableFormatError, Problem
        If there is no such deck, game or evening, or a rule is not understood.
    """
    evening = _of_evening(wishes.evening, storage)
    is_said = wishes.deck is not None or wishes.game is not None
    deck, game = (wishes.deck, wishes.game) if is_said else (evening.deck, evening.game)
    known = find_known(deck, game, decks)
    form = known.game.options
    usual = evening.rules if evening.game == known.game.name else {}
    options: Any = parse_options(form, wishes.rules, options_from_json(form, usual))
    return known, options_to_json(options)


def played(
    deck: str | None, game: str | None, rules: Mapping[str, Any], decks: Path
) -> tuple[str, str, dict[str, Any]]:
    """Return deck, game and rules that an evening shall have, found to be possible.

    Raises
    ------
    DeckError, TableFormatError
        If there is no such deck or game, or a rule is not understood.
    """
    known = find_known(deck, game, decks)
    options: Any = options_from_json(known.game.options, rules)
    return known.name, known.game.name, options_to_json(options)


def _of_evening(evening: str | None, storage: Storage) -> _Played:
    if evening is None:
        return _Played()
    found: Evening | None = storage.records.evenings.find(evening)
    if found is None:
        raise Problem(404, "not_found", "there is no such evening")
    return _Played(found.deck or None, found.game or None, found.rules)
