"""A board under a fixed camera: what moved is told when the hands are gone, not before."""

from functools import cache

import numpy as np
import pytest

from tests.games.laser_shield.drawn import scene
from tests.synth_pieces import photograph
from tests.typed import run
from tests.watched_film import WatchedFilm, write_frames
from vision.apps.known import known_game
from vision.games.laser_shield.board import centre_mm
from vision.games.laser_shield.game import LaserShield
from vision.games.laser_shield.words import TEXTS
from vision.texts import texts
from vision.watch.boards import BoardWatchSettings

GAME = LaserShield()
DETECTOR = known_game("laser-shield").detector()
BEFORE = "orange-1 b3 s\norange-2 c1 s\nblue-1 d4 n\nblue-2 f2 w"
AFTER = "orange-1 b3 s\norange-2 c2 se\nblue-1 d4 n\nblue-2 f2 w"
WORDS = texts("en", TEXTS)
STEP_S = 0.3  # between pictures
QUICK = BoardWatchSettings(silence_s=None, rest_s=0.5, retry_s=0.5, tell_s=1.5)


def arm(tip_mm):
    """A forearm that reaches in from the upper rim of the picture to a place."""
    x, y = tip_mm
    return np.array([[x - 16, y], [x + 16, y], [x + 60, y - 420], [x - 10, y - 420]])


@cache
def shown(text, tip_mm=None, lone=None):
    """The table with these pawns, an arm over it or a cup on one place."""
    covers = () if tip_mm is None else (arm(tip_mm),)
    if lone is not None:
        ring = np.linspace(0, 2 * np.pi, 24)
        covers = (*covers, np.array(lone) + 26 * np.column_stack([np.cos(ring), np.sin(ring)]))
    laid = scene(
        GAME.read(text).pawns, size_wh=(960, 720), tilt_deg=15.0, distance_mm=600.0, covers=covers
    )
    return photograph(laid)[0]


def new_film(settings=QUICK):
    return WatchedFilm(GAME, DETECTOR, settings, WORDS, STEP_S)


@pytest.fixture
def film():
    """A table that has been read."""
    film = new_film()
    told = film.show(shown(BEFORE), 4)
    assert ("board_read", "the board is read: 4 pieces on it") in told
    return film


def moves(told):
    return [said for code, said in told if code.startswith("piece_")]


def test_a_pawn_that_a_hand_moves(film):
    """Twelve pictures: a hand comes, takes the pawn, lays it, goes; then what it did is told."""
    over = (centre_mm("c1"), centre_mm("c2"))
    during = film.show(shown(BEFORE, over[0])) + film.show(shown(AFTER, over[1]))
    assert moves(during) == []
    told = film.show(shown(AFTER), 4)
    assert moves(told) == ["Orange 2 moved c1 -> c2, turned south-east"]
    assert moves(film.show(shown(AFTER), 4)) == []
    laid = {card.card: card.team for card in film.session.snapshot().cards}
    assert laid["orange-2"] == "orange"
    assert film.session.snapshot().counts == {"orange": 2, "blue": 2}


def test_a_hand_that_rests_over_the_board_changes_nothing(film):
    """It hides two pawns, at rest: they have not gone, and what is under it is not known."""
    assert moves(film.show(shown(BEFORE, centre_mm("c1")), 6)) == []
    assert moves(film.show(shown(BEFORE), 4)) == []
    assert len(film.session.snapshot().cards) == 4


def test_a_pawn_in_a_hand_that_hesitates_has_not_been_taken_off(film):
    """Its square is empty and in sight, and all is at rest; but an arm reaches in."""
    lifted = BEFORE.replace("orange-2 c1 s\n", "")
    assert moves(film.show(shown(lifted, centre_mm("d1")), 7)) == []
    told = moves(film.show(shown(AFTER), 4))
    assert told == ["Orange 2 moved c1 -> c2, turned south-east"]


def test_what_covers_a_pawn_is_told(film):
    cup = shown(BEFORE, None, centre_mm("d4"))
    told = film.show(cup, 12)
    assert [code for code, _ in told].count("piece_hidden") == 1
    assert "removed" not in str(told)
    assert moves(film.show(shown(BEFORE), 4)) == []


def test_a_position_is_kept_after_silence_and_the_next_is_another_round():
    film = new_film(BoardWatchSettings(silence_s=0.9, rest_s=0.5, retry_s=0.5))
    codes = [code for code, _ in film.show(shown(BEFORE), 8)]
    assert codes[-2:] == ["stopped", "verdict"]
    table = film.session.verdict.scan.table
    assert {pawn.id: pawn.square for pawn in table.pawns}["orange-2"] == "c1"
    film.show(shown(AFTER, centre_mm("c2")))
    codes = [code for code, _ in film.show(shown(AFTER), 9)]
    assert [c for c in codes if c not in ("piece_unsure",)] == [
        "new_round",
        "piece_moved",
        "stopped",
        "verdict",
    ]
    assert film.session.snapshot().round == 2


def test_the_end_of_the_pictures_keeps_the_position(film):
    told = film.session.finish()
    assert [event.code for event in told] == ["stopped", "verdict"]


def test_no_board_is_told_once_and_a_board_that_comes_is_read():
    film = new_film()
    cloth = np.full((720, 960, 3), (80, 110, 70), np.uint8)
    codes = [code for code, _ in film.show(cloth, 10)]
    assert codes.count("board_unseen") == 1
    assert "board_read" in [code for code, _ in film.show(shown(BEFORE), 5)]


def test_the_command_line_follows_a_folder_of_pictures(tmp_path, capsys):
    over = (centre_mm("c1"), centre_mm("c2"))
    frames = [shown(BEFORE)] * 4 + [shown(BEFORE, over[0]), shown(AFTER, over[1])]
    frames += [shown(AFTER)] * 4
    write_frames(tmp_path, frames, STEP_S)
    assert run("watch", tmp_path, "--game", "laser-shield", "--lang", "en") == 0
    said = capsys.readouterr().out
    assert said.count("Orange 2 moved c1 -> c2, turned south-east") == 1
    assert "the board is read: 4 pieces on it" in said
    assert "no orders yet" in said
