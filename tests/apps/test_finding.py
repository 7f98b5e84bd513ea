"""Which of several games lies on a table."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from vision.apps.finding import find_out
from vision.errors import DeckError, TableNotFoundError


@dataclass(frozen=True)
class Table:
    """A game as far as it is asked here; ``sees`` whether its pieces lie there."""

    name: str
    sees: bool
    board: bool = False
    most: int = 1
    asked: list[str] = field(default_factory=list)

    @property
    def game(self) -> SimpleNamespace:
        boards = ["board"] if self.board else []
        pieces = SimpleNamespace(of_kind=lambda kind: boards if kind == "board" else [])
        return SimpleNamespace(name=self.name, most_photos=self.most, pieces=pieces)


def found(*tables: Table, photos: int = 1) -> tuple[str, list[str]]:
    asked: list[str] = []

    def read(known: Table) -> str:
        asked.append(known.name)
        if not known.sees:
            raise TableNotFoundError(f"no {known.name}")
        return f"read {known.name}"

    known, result = find_out(tables, photos, read)  # type: ignore[type-var, arg-type]
    assert result == f"read {known.game.name}"
    return known.game.name, asked


def test_the_game_that_lies_there_is_found_cards_before_boards():
    board, cards = Table("board", sees=True, board=True), Table("cards", sees=False)
    assert found(board, cards) == ("board", ["cards", "board"])
    assert found(board, Table("cards", sees=True)) == ("cards", ["cards"])


def test_two_that_fit_are_named_and_none_is_said_as_it_was():
    with pytest.raises(DeckError, match="a table of one, two; say which"):
        found(Table("one", sees=True), Table("two", sees=True))
    with pytest.raises(TableNotFoundError, match="no "):
        found(Table("one", sees=False), Table("two", sees=False))


def test_a_game_of_fewer_photos_is_not_asked():
    one, two = Table("one", sees=True), Table("two", sees=True, most=2)
    assert found(one, two, photos=2) == ("two", ["two"])
