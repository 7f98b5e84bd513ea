"""Round -> who orders on it, what may be tapped next, what an order says, on the photo in words."""

from dataclasses import dataclass
from typing import Any

from vision.apps.server.problems import Problem
from vision.apps.server.rounds.rounds import Round
from vision.apps.server.rounds.told import PhotoPlaces
from vision.errors import TableFormatError
from vision.files.ledger import mark_to_json
from vision.judging.orders import Choice, OrderRead, Party, TakesOrders
from vision.texts import LANGUAGES, Texts, texts
from vision.values.ledger import Mark

__all__ = ["Orders", "orders_of", "party_json"]

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Orders:
    """The orders of a round whose game takes them."""

    round: Round
    game: TakesOrders

    def parties(self) -> tuple[Party, ...]:
        """Return who may order."""
        return tuple(self.game.parties(self.round.table))

    def read(self, party: str, given: Any) -> OrderRead:
        """Read an order.

        Raises
        ------
        TableFormatError
            If the game refuses it, in its words; also if it is nothing that a game expects.
        """
        try:
            return self.game.order(self.round.table, party, given)
        except (LookupError, TypeError, ValueError) as error:
            msg = "this is no order of the game; choose one by taps"
            raise TableFormatError(msg) from error

    def told(self, party: str, given: Any, language: str) -> Json:
        """Return an order as it was read, for the page."""
        read = self.read(party, given)
        words = self._words(language)
        return {
            "order": read.text,
            "said": words.tell(read.said),
            "warning": None if read.warning is None else words.tell(read.warning),
            "marks": self._marks(read.marks, words),
        }

    def choices(self, party: str, so_far: str, language: str) -> list[Json]:
        """Return what may be tapped next, for the page."""
        words = self._words(language)
        try:
            found = self.game.choices(self.round.table, party, so_far)
        except (LookupError, TypeError, ValueError) as error:
            msg = f"{so_far!r} is no beginning of an order; begin anew"
            raise TableFormatError(msg) from error
        return [self._choice(choice, words) for choice in found]

    def view(self) -> list[Json]:
        """Return who orders, and the orders that stand, in every language."""
        standing = self.game.orders(self.round.table)
        return [
            {
                **party_json(party, self.round),
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
        }

    def _marks(self, marks: tuple[Mark, ...], words: Texts) -> list[Json]:
        places = PhotoPlaces(self.round.camera, self.round.size_wh)
        told = [mark_to_json(mark, words) for mark in marks]
        for mark in told:
            places.put_mark(mark)
        return told


def orders_of(round_: Round) -> Orders:
    """Return the orders of a round.

    Raises
    ------
    Problem
        409 if its game takes none.
    """
    if not isinstance(round_.game, TakesOrders):
        raise Problem(409, "no_orders", f"{round_.game.name} is played without orders")
    return Orders(round_, round_.game)


def party_json(party: Party, round_: Round) -> Json:
    """Return who a party is, in every language."""
    name = {lang: texts(lang, round_.game.texts).tell(party.name) for lang in LANGUAGES}
    return {"id": party.id, "name": name, "side": party.side}
