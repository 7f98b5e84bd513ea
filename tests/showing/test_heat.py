"""Heat maps: what is worth more is lighter, and nothing is drawn where nothing is gained."""

import numpy as np
import pytest

from vision.games.light_speed.game import light_speed
from vision.showing.canvas import Canvas
from vision.showing.heat import draw_heat, draw_heat_map, heat_colour
from vision.showing.overlay import annotate_photo
from vision.showing.style import AnnotateSettings
from vision.texts import LANGUAGES, texts
from vision.values.heat import HeatMap
from vision.values.layout import Camera

CAMERA = Camera(  # 2 px/mm from straight above, table origin at (400, 300)
    np.array([[1000.0, 0, 400], [0, 1000, 300], [0, 0, 1]]),
    np.zeros(2),
    np.array([[2.0, 0, 400], [0, 2, 300], [0, 0, 1]]),
)
GROUND = (60, 110, 40)
GAME = light_speed()


def photo():
    return np.full((600, 800, 3), GROUND, np.uint8)


def heat(worth, **more):
    places = np.array([(-100.0, 0.0), (0.0, 0.0), (100.0, 0.0)])
    best = np.array([(70.0, -44), (130, -44), (130, 44), (70, 44)])
    return HeatMap("red-moth", "red", places, np.array(worth, float), 60.0, more.get("best", best))


def test_what_is_worth_more_is_lighter_and_stronger():
    looks = [heat_colour(worth, 6) for worth in range(1, 7)]
    light = [sum(look.colour) for look in looks]
    assert light == sorted(light)
    assert [look.alpha for look in looks] == sorted(look.alpha for look in looks)


def test_only_what_gains_is_drawn():
    drawn = Canvas(photo())
    draw_heat(drawn, CAMERA, heat([-2, 0, 3]))
    changed = np.any(drawn.image != GROUND, axis=2)
    left, right = np.flatnonzero(changed.any(axis=0))[[0, -1]]
    assert 400 + 2 * (100 - 31) <= left < right <= 400 + 2 * (100 + 31)


def test_a_map_without_a_gain_changes_no_pixel():
    drawn = Canvas(photo())
    draw_heat(drawn, CAMERA, heat([-2, 0, 0]), is_numbered=True)
    assert np.all(drawn.image == GROUND)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_map_says_above_whose_it_is(language):
    table = GAME.read("red moth @0,0 0deg\nblue moth @-20,-120 0deg\n")
    ledger = GAME.tell(table, GAME.resolve(table))
    settings = AnnotateSettings(texts=texts(language, GAME.texts))
    given = photo()
    drawn = draw_heat_map(given, CAMERA, ledger, heat([1, 0, 3]), settings)
    assert np.all(given == GROUND)
    assert drawn.shape[0] > 600
    assert drawn.shape[1] == 800


def test_a_heat_map_of_the_annotated_picture_lies_under_the_round():
    table = GAME.read("red moth @0,0 0deg\nblue moth @-20,-120 0deg\n")
    ledger = GAME.tell(table, GAME.resolve(table))
    words = texts("en", GAME.texts)
    plain = annotate_photo(photo(), CAMERA, ledger, settings=AnnotateSettings(texts=words))
    settings = AnnotateSettings(texts=words, heat=heat([0, 0, 3]))
    drawn = annotate_photo(photo(), CAMERA, ledger, settings=settings)
    assert np.array_equal(plain[:, :400], drawn[:, :400])
    assert not np.array_equal(plain[:600], drawn[:600])


def test_a_map_whose_arrays_do_not_fit_is_refused():
    with pytest.raises(ValueError, match="worth"):
        HeatMap("red-moth", "red", np.zeros((3, 2)), np.zeros(2), 60.0, np.zeros((0, 2)))
