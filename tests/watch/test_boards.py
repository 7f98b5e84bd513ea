"""The watch over the board of any game: what changed is told by its pieces."""

from dataclasses import dataclass

import numpy as np
import pytest

from tests.games.toy.game import Toy
from tests.games.toy.photo import ART, POSES, scene
from tests.synth_pieces import photograph
from vision.judging.evening import Followed
from vision.seeing.pieces.reading import build_piece_detector
from vision.texts import texts
from vision.values.messages import message
from vision.values.pieces import Looks
from vision.watch.boards import BoardSession, BoardWatchSettings

GAME = Toy()
DETECTOR = build_piece_detector(Looks(GAME.pieces, ART))
WORDS = texts("en", GAME.texts)
STEP_S = 0.4


def shown(*tokens, number=4, poses=POSES):
    return photograph(scene(tokens, number, poses, size_wh=(1200, 900)))[0]


def watch(*pictures, game=GAME, planned=None):
    """Show each picture for a while, with an empty instant of a hand between; tell what is told."""
    settings = BoardWatchSettings(silence_s=None)
    session = BoardSession(game, DETECTOR, settings=settings, planned=planned)
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


@dataclass(frozen=True, slots=True)
class Ordered(Toy):
    """The toy game as if its tokens were moved by orders: the sun goes from a2 where it shall."""

    def follow(self, planned, seen):
        at, goal = (table.held["sun"].cell for table in (seen[-1], planned))
        if at not in ("a2", goal):
            return Followed("sun", message("watch.as_told", text=f"{goal}, not {at}"))
        return Followed(is_done=at == goal)


def test_the_first_move_that_differs_from_the_orders_is_told_once_and_that_it_is_right_again():
    """The sun goes to b3 in place of b2, turns there, goes back, and to b2."""
    planned = GAME.read("sun b2 e\nmoon c1 s\ndie 4")
    poses = [(-50.0, 2.0, 1.57), (0.0, 50.0, 1.57), (0.0, 50.0, 3.1), (-50.0, 2.0, 1.57)]
    poses.append((0.0, 2.0, 1.57))
    told = watch(
        *(shown("sun", "moon", poses={**POSES, "sun": pose}) for pose in poses),
        shown("sun", poses={**POSES, "sun": poses[-1]}),
        game=Ordered(),
        planned=planned,
    )[1]
    wanted = ["piece_astray", "board_right", "board_done", "board_partly"]
    assert [code for code, _ in told if code in wanted] == wanted
    assert ("piece_astray", "b2, not b3") in told


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
