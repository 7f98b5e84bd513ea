"""Round -> who orders on it, what may be tapped next, what an order says, on the photo in words."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from vision.apps.server.problems import Problem
from vision.apps.server.rounds.rounds import Round
from vision.apps.server.rounds.told import PhotoPlaces
from vision.errors import TableFormatError
from vision.files.ledger import mark_to_json
from vision.judging.game import Game
from vision.judging.orders import Choice, Column, OrderRead, Party
from vision.texts import LANGUAGES, Texts, texts
from vision.values.ledger import Mark
from vision.values.messages import Message

__all__ = ["Orders", "orders_of", "party_json"]

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """The orders of a round whose game takes them.

    ``table`` is that of the round, with the orders of turns before where there are any.
    """

    round: Round
    table: Any

    @property
    def game(self) -> Game:
        """The game."""
        return self.round.game

    def parties(self) -> tuple[Party, ...]:
        """Return who may order."""
        return tuple(self.game.parties(self.round.table))

    def turns(self) -> dict[str, int]:
        """Return in which turn each party orders, the first 0."""
        turns = self.game.turns(self.round.table)
        return {party: turn for turn, parties in enumerate(turns) for party in parties}

    def after(self, given: Mapping[str, Any], party: str) -> "Orders":
        """Return the orders as they are once those of the turns before a party's are given.

        Raises
        ------
        TableFormatError
            If one of these is none.
        """
        turns = self.turns()
        before = {one: order for one, order in given.items() if _is_earlier(turns, one, party)}
        if not before:
            return self
        change = {"kind": "orders", "orders": before}
        try:
            return replace(self, table=self.game.edit(self.round.table, change))
        except (LookupError, TypeError, ValueError) as error:
            msg = "the orders given before this one are not orders of this game"
            raise TableFormatError(msg) from error

    def heard(self, party: str, language: str) -> list[str]:
        """Return what a party is told of the orders of the turns before its own."""
        words = self._words(language)
        return [words.tell(said) for said in self.game.heard(self.table, party)]

    def read(self, party: str, given: Any) -> OrderRead:
        """Read an order.

        Raises
        ------
        TableFormatError
            If the game refuses it, in its words; also if it is nothing that a game expects.
        """
        try:
            return self.game.order(self.table, party, given)
        except (LookupError, TypeError, ValueError) as error:
            msg = "this is not an order of this game; choose one by taps"
            raise TableFormatError(msg) from error

    def told(self, party: str, given: Any, language: str) -> Json:
        """Return an order as it was read, for the page."""
        read = self.read(party, given)
        words = self._words(language)
        return {
            "order": read.text,
            "said": words.tell(read.said),
            "warning": _told(read.warning, words),
            "marks": self._marks(read.marks, words),
            "lines": [
                {
                    "said": words.tell(line.said),
                    "warning": _told(line.warning, words),
                    "without": line.without,
                }
                for line in read.lines
            ],
            "goes_on": read.goes_on,
        }

    def choices(self, party: str, so_far: str, language: str) -> list[Json]:
        """Return what may be tapped next, for the page."""
        words = self._words(language)
        try:
            found = self.game.choices(self.table, party, so_far)
        except (LookupError, TypeError, ValueError) as error:
            msg = f"{so_far!r} is not the start of an order; start again"
            raise TableFormatError(msg) from error
        return [self._choice(choice, words) for choice in found]

    def sheet(self, party: str, given: Any, language: str) -> list[Json] | None:
        """Return the sheet of a party, filled in as given; None where the game has no sheets.

        Raises
        ------
        TableFormatError
            If what is given is no order.
        """
        try:
            columns = self.game.sheet(self.table, party, given)
        except (LookupError, TypeError, ValueError) as error:
            msg = "this is not an order of this game; fill in the sheet again"
            raise TableFormatError(msg) from error
        words = self._words(language)
        return [_column(column, words) for column in columns] or None

    def standing(self) -> dict[str, str | None]:
        """Return the orders that stand, None of who passes."""
        return dict(self.game.orders(self.round.table))

    def view(self) -> list[Json]:
        """Return who orders, and the orders that stand, in every language."""
        standing, turns = self.standing(), self.turns()
        return [
            {
                **party_json(party, self.round),
                "turn": turns.get(party.id, 0),
                "order": standing.get(party.id),
                "said": {
                    language: self.told(party.id, standing[party.id], language)["said"]
                    for language in LANGUAGES
                    if standing.get(party.id) is not None
                },
            }
            for party in self.parties()
        ]

    def _words(self, language: str) -> Texts:
        return texts(language, self.round.game.texts)

    def _choice(self, choice: Choice, words: Texts) -> Json:
        places = PhotoPlaces(self.round.camera, self.round.size_wh)
        at = None if choice.at_mm is None else list(choice.at_mm)
        return {
            "text": choice.text,
            "said": words.tell(choice.said),
            "piece": choice.piece,
            "at_px": places.point(at),
            "marks": self._marks(choice.marks, words),
            "whole": choice.is_whole,
            "goes_on": choice.goes_on,
            "warning": _told(choice.warning, words),
        }

    def _marks(self, marks: tuple[Mark, ...], words: Texts) -> list[Json]:
        places = PhotoPlaces(self.round.camera, self.round.size_wh)
        told = [mark_to_json(mark, words) for mark in marks]
        for mark in told:
            places.put_mark(mark)
        return told


def _column(column: Column, words: Texts) -> Json:
    return {
        "id": column.id,
        "name": words.tell(column.name),
        "picks": [
            {"value": pick.value, "sign": pick.sign, "said": words.tell(pick.said)}
            for pick in column.picks
        ],
        "chosen": list(column.chosen),
        "most": column.most,
    }


def orders_of(round_: Round) -> Orders:
    """Return the orders of a round.

    Raises
    ------
    Problem
        409 if its game takes none.
    """
    if not round_.game.takes_orders:
        raise Problem(409, "no_orders", f"{round_.game.name} is played without orders")
    return Orders(round_, round_.table)


def party_json(party: Party, round_: Round) -> Json:
    """Return who a party is, in every language."""
    name = {lang: texts(lang, round_.game.texts).tell(party.name) for lang in LANGUAGES}
    return {"id": party.id, "name": name, "side": party.side}


def _is_earlier(turns: Mapping[str, int], one: str, party: str) -> bool:
    return turns.get(one, 0) < turns.get(party, 0)


def _told(message: Message | None, words: Texts) -> str | None:
    return None if message is None else words.tell(message)
