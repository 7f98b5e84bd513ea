"""The watch over the board of any game: what changed is told by its pieces."""

import numpy as np
import pytest

from tests.games.toy.game import Toy
from tests.games.toy.photo import ART, scene
from tests.synth_pieces import photograph
from vision.seeing.pieces.reading import piece_sight_of
from vision.texts import texts
from vision.values.pieces import Looks
from vision.watch.boards import BoardSession, BoardWatchSettings

GAME = Toy()
SIGHT = piece_sight_of(Looks(GAME.pieces, ART))
WORDS = texts("en", GAME.texts)
STEP_S = 0.4


def shown(*tokens, number=4):
    return photograph(scene(tokens, number, size_wh=(1200, 900)))[0]


def watch(*pictures):
    """Show each picture for a while, with an empty instant of a hand between; tell what is told."""
    session = BoardSession(GAME, SIGHT, settings=BoardWatchSettings(silence_s=None))
    told, time_s = [], 0.0
    for picture in pictures:
        crossed = picture.copy()
        crossed[:, 500:620] = (120, 150, 205)
        for image in (crossed, picture, picture, picture, picture):
            told += session.look(image, time_s)
            time_s += STEP_S
    return session, [(event.code, WORDS.tell(event.said)) for event in told]


def test_what_comes_goes_and_shows_another_side():
    session, told = watch(
        shown("sun", "moon"), shown("sun"), shown("sun", number=5), shown("sun", "moon", number=5)
    )
    codes = [code for code, _ in told if code.startswith(("piece_", "board_"))]
    assert codes == ["board_read", "piece_removed", "piece_moved", "piece_laid"]
    assert any("now shows 5" in said for _, said in told)
    assert {card.card for card in session.snapshot().cards} >= {"sun", "moon"}


def test_a_still_board_is_told_once():
    _, told = watch(shown("sun", "moon"), shown("sun", "moon"))
    assert [code for code, _ in told if code.startswith(("piece_", "board_"))] == ["board_read"]


def test_pictures_do_not_go_back_in_time():
    session, _ = watch(shown("sun"))
    with pytest.raises(ValueError, match="time_s: expected at least"):
        session.look(np.zeros((90, 120, 3), np.uint8), 0.0)


def test_black_and_stalled_pictures_are_told_and_the_position_stays():
    session, _ = watch(shown("sun", "moon"))
    count = len(session.snapshot().cards)
    (black,) = session.look(np.zeros((900, 1200, 3), np.uint8), 10.0)
    assert black.code == "picture_black"
    (stalled,) = session.tick(20.0)
    assert stalled.code == "picture_stalled"
    (back,) = session.look(shown("sun", "moon"), 21.0)
    assert back.code == "picture_back"
    assert len(session.snapshot().cards) == count > 0
