"""A watch over cards in play: laid, turned, moved, gone; a hand over them is told as nothing."""

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from tests.games.conflit_stellaire.drawn import Table as Laid
from tests.games.conflit_stellaire.drawn import photograph, scene_of
from tests.typed import run
from tests.watched_film import WatchedFilm, write_frames
from vision.apps.known import known_game
from vision.games.conflit_stellaire.game import ConflitStellaire
from vision.games.conflit_stellaire.values import Card, Distance, Pose, Reading, Seat, Table
from vision.games.conflit_stellaire.words import TEXTS, doubt
from vision.texts import texts
from vision.watch.boards import BoardWatchSettings

GAME = ConflitStellaire()
WORDS = texts("en", TEXTS)
STEP_S = 0.4  # between pictures
QUICK = BoardWatchSettings(silence_s=None, rest_s=0.7, retry_s=0.8, tell_s=1.5)
SIZE_WH = (1120, 840)


# --- two tables, and what the game says of them ---------------------------------------------------


def card(name, face, x=0.0, y=0.0, *, engaged=False, seat="A", **more):
    return Card(name, face, seat, engaged=engaged, pose=Pose(x, y, 0.0), **more)


def table(*cards, hull=20, uds=5, **more):
    seats = (Seat("A", 20), Seat("B", hull))
    return Table(seats, cards, (Distance(("A", "B"), uds),), "A", **more)


def told(before, after):
    return [WORDS.tell(change.said) for change in GAME.changes(before, after)]


LASER = card("a1", "twin-laser", 0, 200)
CELLS = tuple(card(f"a{k}", "energy-cell", 200 + 18 * k, 200) for k in range(2, 7))


def test_ids_are_no_names():
    """A card laid at the left gives all others another number."""
    come = card("a1", "screen", -300, 200)
    after = table(come, replace(LASER, id="a2"), *CELLS)
    assert told(table(LASER, *CELLS), after) == ["A lays Screen"]
    assert told(after, table(LASER, *CELLS)) == ["A takes Screen off the table"]


def test_what_is_laid_in_another_order_is_the_same():
    before = table(LASER, *CELLS)
    for seed in range(50):
        rng = random.Random(seed)
        names = rng.sample([c.id for c in before.cards], len(before.cards))
        shaken = [
            replace(
                c, id=name, pose=Pose(c.pose.x_mm + rng.gauss(0, 1), c.pose.y_mm, rng.gauss(0, 1))
            )
            for c, name in zip(before.cards, names, strict=True)
        ]
        assert told(before, table(*rng.sample(shaken, len(shaken)))) == []


def test_like_cards_are_told_together():
    spent = tuple(replace(c, engaged=True) for c in CELLS[:3])
    assert told(table(*CELLS), table(*spent, *CELLS[3:])) == ["A engages 3 x Energy cell"]
    assert told(table(*spent, *CELLS[3:]), table(*CELLS)) == ["A makes 3 x Energy cell ready"]
    assert told(table(LASER), table(LASER, *CELLS)) == ["A lays 5 x Energy cell"]


def test_each_kind_of_change_has_its_words():
    barge, crew = card("b1", "assault-barge", 0, -200, seat="B"), card("a9", "crew", 90, 200)
    assert told(table(barge, crew), table(barge, replace(crew, seat="B"))) == [
        "Crew (a9) goes to B"
    ]
    own = replace(barge, seat="A")
    assert told(table(own, crew), table(own, replace(crew, on="b1"))) == [
        "Crew (a9) is laid on Assault barge"
    ]
    back = card("a3", "back", 40, 200, face_down=True)
    assert told(table(back), table(replace(back, face="twin-laser", face_down=False))) == [
        "A shows Twin laser"
    ]
    assert told(table(LASER), table(replace(LASER, pose=Pose(300, 300, 0)))) == [
        "Twin laser (a1) of A has moved"
    ]
    assert told(table(LASER), table(LASER, hull=17, uds=3)) == [
        "hull of B: 20 -> 17",
        "distance A - B: 5 -> 3",
    ]


def test_a_card_over_another_has_not_taken_it_off():
    """Nor was one laid that lay beneath: which of them it is no picture tells."""
    screen = card("a7", "screen", 4, 204)
    over = ["Screen of A lies where Twin laser lay"]
    assert told(table(LASER, *CELLS), table(screen, *CELLS)) == over
    assert told(table(screen, *CELLS), table(LASER, *CELLS)) == [
        "Twin laser of A lies where Screen lay"
    ]


def test_what_is_in_doubt_is_no_change():
    askew = replace(LASER, engaged=True, readings=(Reading({"engaged": False}, 0.4),))
    turned = replace(LASER, engaged=True)
    assert told(table(LASER), table(askew)) == []
    assert told(table(askew), table(turned)) == ["A engages Twin laser"]
    assert told(table(askew), table(LASER)) == ["A makes Twin laser ready"]
    other = replace(LASER, face="heavy-laser", readings=(Reading({"face": "twin-laser"}, 0.4),))
    assert told(table(LASER), table(other)) == told(table(other), table(LASER)) == []
    no_marker = doubt("marker_doubtful", "conflit.doubt.marker", ("B",), what="B")
    assert told(table(LASER, hull=7), table(LASER, hull=20, doubts=(no_marker,))) == []
    no_strip = doubt("marker_doubtful", "conflit.doubt.marker", ("A-B",), what="A - B")
    assert told(table(LASER, uds=2), table(LASER, uds=8, doubts=(no_strip,))) == []


def test_seats_that_are_read_otherwise_are_not_gifts():
    before = table(LASER, *CELLS)
    after = table(*(replace(c, seat="B", engaged=True) for c in before.cards))
    assert told(before, after) == ["the seats are now read differently: check whose each card is"]


@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_sentence_can_be_said(language):
    words = texts(language, TEXTS)
    for key in words.catalogue:
        if key.startswith("conflit.watched."):
            gaps = dict.fromkeys(
                ("seat", "face", "former", "what", "on", "before", "after", "one", "other"), "x"
            )
            assert "{" not in words.say(key, n=2, **gaps)


# --- drawn pictures -------------------------------------------------------------------------------


@cache
def shown(*there, covers=()):
    """A duel of few cards; ``there`` says which, and what became of them."""
    laid = Laid(2, np.random.default_rng(8))
    if "laser" in there:
        deg = 90 if "fired" in there else 2
        laid.lay(0, "twin-laser", 0, 160, deg, engaged="fired" in there)
    laid.lay(0, "pulse-laser", 105, 160, -3)
    if "missile" in there:
        laid.lay(1, "dart-missile", -100, 170, 4)
    laid.lay(1, "screen", 0, 160, -2)
    laid.lay(1, "war-droids", 105, 165, 3)
    for seat, value in ((0, 20), (1, 7)):
        laid.hull(seat, -205, 170, value)
    laid.strip(0, 1, 3 if "near" in there else 5)
    told = laid.told()
    view = scene_of(told, 8, tilt_deg=16.0, size_wh=SIZE_WH, covers=tuple(map(np.array, covers)))
    return photograph(replace(view, distance_mm=620.0))[0]


def arm(x, y):
    """A forearm that reaches in from A's side to a place."""
    return ((x - 22, y), (x + 22, y), (x + 45, y + 520), (x - 35, y + 520))


def new_film(settings=QUICK):
    return WatchedFilm(GAME, known_game("conflit-stellaire").detector(), settings, WORDS, STEP_S)


def moves(told):
    return [said for code, said in told if code.startswith("piece_")]


def test_cards_are_laid_engaged_and_removed_as_it_happens_and_a_hand_is_nothing():
    film = new_film()
    assert moves(film.show(shown("laser"), 4)) == []
    reach = (arm(0, 190),)
    during = film.show(shown("laser", covers=reach), 5)  # it rests there for two seconds
    during += film.show(shown("laser", "fired", covers=reach), 1)
    assert moves(during) == []
    assert moves(film.show(shown("laser", "fired"), 4)) == ["A engages Twin laser"]
    assert moves(film.show(shown("laser", "fired", "missile", "near"), 4)) == [
        "B lays Dart",
        "distance A - B: 5 -> 3",
    ]
    assert moves(film.show(shown("missile", "near"), 4)) == ["A takes Twin laser off the table"]
    cards = film.session.snapshot().counts
    assert cards["A"] == 2  # with the hull card
    assert film.session.finish()[-1].code == "verdict"
    assert {c.face for c in film.session.verdict.scan.table.cards} == {
        *("pulse-laser", "dart-missile", "screen", "war-droids")
    }


def test_a_thing_that_lies_on_a_card_has_not_taken_it_away():
    """A cup stands on the laser, far from the rim: it may be there still."""
    film = new_film()
    film.show(shown("laser"), 4)
    ring = np.linspace(0, 2 * np.pi, 20)
    cup = tuple(map(tuple, (0, 160) + 52 * np.column_stack([np.cos(ring), np.sin(ring)])))
    told = film.show(shown("laser", covers=(cup,)), 9)
    assert [code for code, _ in told].count("piece_hidden") == 1
    assert "takes" not in str(told)
    assert moves(film.show(shown("laser"), 4)) == []


def test_the_command_line_follows_cards(tmp_path, capsys):
    frames = [shown("laser")] * 4 + [shown("laser", "fired")] * 4
    write_frames(tmp_path, frames, STEP_S)
    assert run("watch", tmp_path, "--game", "conflit-stellaire", "--lang", "fr") == 0
    said = capsys.readouterr().out
    assert said.count("A engage Laser double") == 1
