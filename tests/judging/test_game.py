"""The base class of all games: defaults that apps can use, and what games may not do beside it."""

import inspect
from dataclasses import replace
from pathlib import Path

import pytest

import vision
from tests.games.toy.game import Toy
from vision.games.board_game import BoardGame
from vision.games.registry import find_game, game_names
from vision.judging.coach import Coaching
from vision.judging.evening import Followed
from vision.judging.game import Game
from vision.judging.options import NoOptions
from vision.judging.play import changes_after

GAMES = [find_game(name) for name in (*game_names(), "none")] + [Toy()]
#: Methods that say nothing without each other.
TOGETHER = (
    ("parties", "orders", "order"),
    ("standing", "spare"),
    ("turns", "heard"),
    ("services", "enlist", "enlisted", "rank"),
    ("list_pieces", "in_short"),
)


def methods(kind: type) -> set[str]:
    return {
        name
        for name in dir(kind)
        if not name.startswith("_") and inspect.isroutine(getattr(kind, name))
    }


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
class TestEveryGame:
    def test_its_methods_are_those_of_the_base(self, game: Game) -> None:
        assert isinstance(game, Game)
        base = BoardGame if isinstance(game, BoardGame) else Game
        assert methods(type(game)) == methods(base)
        assert methods(BoardGame) - methods(Game) == {"ahead", "best", "play"}

    def test_what_belongs_together_is_its_own_together(self, game: Game) -> None:
        for group in TOGETHER:
            own = [name for name in group if game.overrides(getattr(Game, name))]
            assert own in ([], list(group)), group

    def test_two_of_it_are_equal_and_their_chance_to_be_contested_can_be_set(
        self, game: Game
    ) -> None:
        assert replace(game) == game
        assert hash(replace(game)) == hash(game)
        assert replace(game, contested_from=0.2).contested_from == 0.2


def test_a_game_that_overrides_nothing_more_offers_nothing_more() -> None:
    needed = dict.fromkeys(Game.__abstractmethods__)
    game, table = type("Bare", (Game,), needed)(), object()
    assert (game.takes_orders, game.has_coach, game.keeps_careers) == (False, False, False)
    assert (game.referee, game.beside, game.most_photos) == (None, frozenset(), 1)
    assert [*game.standing(table), *game.spare(table), *game.settings(table)] == []
    assert (list(game.turns(table)), game.orders(table)) == ([[]], {})
    assert game.coaching(table) == Coaching(())
    assert game.expect(table, None) is game.as_seen_by(table, None) is table
    assert game.next_table(table, None) is None
    assert game.changes(table, table) is None
    assert game.follow(table, []) == Followed()


def test_a_game_without_variants_need_not_say_so() -> None:
    assert find_game("none").options is NoOptions


def test_nobody_asks_what_kind_of_game_it_is() -> None:
    sources = list(Path(vision.__file__).parent.rglob("*.py"))
    assert [path for path in sources if "runtime_checkable" in path.read_text("utf-8")] == []


@pytest.mark.parametrize("carried", [None, {"kind": "points"}])
@pytest.mark.parametrize("accounted", [None, {"kind": "gone"}])
def test_a_next_round_begins_with_all_that_the_one_before_left(carried, accounted) -> None:
    """What is carried over first, then what is accounted for; after a game that is over nothing."""
    needed = dict.fromkeys(Game.__abstractmethods__)
    left = {"carried": lambda *_: carried, "accounted": lambda *_: accounted}
    game = type("Leaving", (Game,), needed | left)()
    told = [change for change in (carried, accounted) if change is not None]
    assert list(changes_after(game, "now", "before")) == told
    assert changes_after(game, "now", None) == ()
