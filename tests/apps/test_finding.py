"""Which of several games lies on a table."""

from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pytest

from vision.apps.decks import find_deck
from vision.apps.finding import find_out, is_plain
from vision.apps.known import known_game
from vision.errors import DeckError, TableNotFoundError
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.game import LightSpeed
from vision.games.registry import register
from vision.texts import texts


@dataclass(frozen=True)
class Table:
    """A game as far as it is asked here; ``sees`` whether its pieces lie there."""

    name: str
    sees: bool
    board: bool = False
    most: int = 1
    sure: bool = False
    near: bool = False
    dark: bool = False  # its photo is at fault
    blank: tuple[int, ...] = ()  # photos that do not show it
    asked: list[str] = field(default_factory=list)

    @property
    def game(self) -> SimpleNamespace:
        boards = ["board"] if self.board else []
        pieces = SimpleNamespace(of_kind=lambda kind: boards if kind == "board" else [])
        return SimpleNamespace(name=self.name, most_photos=self.most, pieces=pieces)


def found(*tables: Table, photos: int = 1) -> tuple[str, list[str]]:
    asked: list[str] = []

    def read(known: Table, photo: int | None = None) -> str:
        asked.append(known.name if photo is None else f"{known.name} {photo + 1}")
        if not known.sees or photo in known.blank:
            raise TableNotFoundError(f"no {known.name}", is_near=known.near, of_photo=known.dark)
        return f"read {known.name}"

    is_sure = {f"read {table.name}" for table in tables if table.sure}.__contains__
    known, result = find_out(tables, photos, read, is_sure)  # type: ignore[type-var, arg-type]
    assert result == f"read {known.game.name}"
    return known.game.name, asked


def test_the_game_that_lies_there_is_found_cards_before_boards():
    board, cards = Table("board", sees=True, board=True), Table("cards", sees=False)
    assert found(board, cards) == ("board", ["cards", "board"])
    assert found(board, Table("cards", sees=True)) == ("cards", ["cards"])


def test_two_that_fit_are_named_and_so_is_what_one_that_was_asked_has_missed():
    with pytest.raises(DeckError, match="a table of one, two; choose one"):
        found(Table("one", sees=True), Table("two", sees=True))
    with pytest.raises(TableNotFoundError, match=r"^no one$"):
        found(Table("one", sees=False))


def test_where_no_game_finds_anything_no_game_speaks_for_all():
    """The first that is asked may be what was played last: its board may not be meant."""
    with pytest.raises(TableNotFoundError, match=r"^found no cards, board or sheet") as no:
        found(Table("one", sees=False), Table("two", sees=False))
    assert texts("fr").tell(no.value.said).startswith("ni cartes, ni plateau")
    with pytest.raises(TableNotFoundError, match=r"^no two$"):
        found(Table("one", sees=False), Table("two", sees=False, near=True))


def test_a_photo_at_fault_is_told_whatever_game_was_asked():
    """Send it in colour, move closer, send it again: more help than that nothing was found."""
    with pytest.raises(TableNotFoundError, match=r"^no two$"):
        found(Table("one", sees=False), Table("two", sees=False, dark=True), Table("3", sees=False))
    with pytest.raises(TableNotFoundError, match=r"^no one$"):
        found(Table("one", sees=False, near=True), Table("two", sees=False, dark=True))


def test_a_game_of_fewer_photos_is_not_asked():
    one, two = Table("one", sees=True), Table("two", sees=True, most=2)
    assert found(one, two, photos=2) == ("two", ["two"])


def test_of_several_photos_that_are_no_table_it_is_told_what_each_shows():
    cards, board = Table("cards", sees=False, most=8), Table("board", sees=True, board=True)
    told = "photo 1 shows a table of board and photo 2 shows a table of board; scan each of them"
    with pytest.raises(TableNotFoundError, match=told):
        found(cards, board, photos=2)
    with pytest.raises(TableNotFoundError, match=r"^photo 2 shows a table of board; scan each"):
        found(cards, replace(board, blank=(0,)), photos=2)
    with pytest.raises(TableNotFoundError, match=r"^no cards$"):
        found(cards, replace(board, sees=False), photos=2)


def test_the_game_that_was_recognised_is_spoken_of_beside_what_single_photos_show():
    cards, sheets = Table("cards", sees=False, most=8), Table("sheets", False, most=9, near=True)
    board = Table("board", sees=True, board=True, blank=(1,))
    with pytest.raises(TableNotFoundError, match=r"^no sheets$"):
        found(cards, sheets, photos=2)
    with pytest.raises(TableNotFoundError, match=r"^photo 1 .* board; .* the others: no sheets$"):
        found(cards, sheets, board, photos=2)


def test_once_one_is_sure_no_other_is_asked():
    doubtful, sure = Table("doubtful", sees=True), Table("sure", sees=True, sure=True)
    assert found(doubtful, sure, Table("last", sees=True)) == ("sure", ["doubtful", "sure"])


@pytest.mark.parametrize(
    ("scores", "plain"),
    [
        ([0.8, 0.9, 0.7, 0.3], True),
        ([0.9] * 3, False),  # left over from another game, maybe
        ([0.9] * 9 + [0.0], False),  # one is unread: a card of another game?
        ([0.6] * 9, False),
    ],
)
def test_a_reading_is_plain_when_all_is_read_well(scores, plain):
    layout = SimpleNamespace(placed=[SimpleNamespace(score=score) for score in scores])
    assert is_plain(SimpleNamespace(layouts=(layout,))) is plain


def test_a_game_is_come_to_only_when_it_is_asked():
    def tables():
        yield Table("sure", sees=True, sure=True)
        raise AssertionError("the next was come to")

    known, _ = find_out(tables(), 1, lambda _: "read", lambda _: True)  # type: ignore[type-var, arg-type]
    assert known.game.name == "sure"


def test_a_game_of_another_name_plays_with_the_faces_of_a_deck_of_the_program():
    deck = load_deck("light-speed")

    class Mine(LightSpeed):
        """Light Speed by another name, as a distribution may bring it."""

        name = "my-speed"

    with register("my-speed", lambda: Mine(deck)):
        mine, own = known_game("my-speed"), find_deck("light-speed")
        assert (mine.detector().faces.images == own.detector().faces.images).all()
        drawn = mine.draw(["red-moth", "no-card"], 2.0)
        assert drawn.keys() == {"red-moth"}
        assert (drawn["red-moth"] == own.draw(["red-moth"], 2.0)["red-moth"]).all()
