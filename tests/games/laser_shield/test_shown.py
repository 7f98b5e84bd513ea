"""The pictures of a phase: tokens lie as they look, beams and throws are told apart, doors."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from calibration.laser_shield.art import draw
from vision.games.laser_shield.board import centre_mm
from vision.games.laser_shield.game import LaserShield
from vision.geometry import photo_from_table
from vision.showing.above import draw_table, table_camera
from vision.showing.scene import build_scene
from vision.showing.style import AnnotateSettings
from vision.texts import texts
from vision.values.ledger import Path

GAME = LaserShield()
SETTINGS = AnnotateSettings(texts=texts("en", GAME.texts))
WIDTH_PX = 800
SAME_GREY = 6.0  # mean of 0..255: the same token, turned by whole quarters and resampled


def ledger_of(text):
    table = GAME.read(f"game laser-shield\n{text}")
    return GAME.tell(table, GAME.resolve(table))


def patch(text, square, faces):
    """The square of a table drawn from above, without what the overlay draws."""
    ledger = replace(ledger_of(text), pieces=ledger_of(text).pieces[1:])  # on bare felt
    camera, _ = table_camera(ledger, WIDTH_PX)
    x, y = photo_from_table(camera, np.array([centre_mm(square)]))[0].round().astype(int)
    r = round(12 * camera.photo_from_table[0, 0])
    picture = draw_table(ledger, faces=faces, width_px=WIDTH_PX, settings=SETTINGS)
    return cv2.cvtColor(picture[y - r : y + r + 1, x - r : x + r + 1], cv2.COLOR_BGR2GRAY)


@pytest.mark.parametrize(("heading", "quarters"), [("w", 1), ("s", 2), ("e", 3)])
def test_a_token_lies_as_it_looks(heading, quarters):
    faces = {name: draw(name, 4.0) for name in ("orange-1", "blue-1")}
    north = patch("orange c2 n\nblue d3 n", "c2", faces).astype(float)
    turned = patch(f"orange c2 {heading}\nblue d3 n", "c2", faces).astype(float)
    assert np.abs(np.rot90(north, quarters) - turned).mean() < SAME_GREY
    assert np.abs(north - turned).mean() > 3 * SAME_GREY


def test_a_nose_points_where_a_pawn_looks():
    ledger = ledger_of("orange c2 se\nblue d3 n")
    camera, size_wh = table_camera(ledger, WIDTH_PX)
    scene = build_scene(camera, ledger, size_wh, SETTINGS)
    views = {view.id: view for view in scene.pieces}
    assert len(views["board"].nose_px) == 0
    for name, way in (("orange-1", (1, 1)), ("blue-1", (0, -1))):
        tip = views[name].nose_px[0] - views[name].centre_px
        assert tip / np.hypot(*tip) == pytest.approx(np.array(way) / np.hypot(*way), abs=0.02)


def paths_of(text):
    steps = ledger_of(text).steps
    marks = [(s.title, m) for s in steps for e in s.events for m in e.marks]
    return [(dict(t.values)["n"], m) for t, m in marks if isinstance(m, Path)]


def test_every_way_says_when():
    """Beams, moves and throws carry the number of their time; a beam has its side's colour."""
    told = paths_of("orange b3 n\nblue e3 w\norder orange fire b3>a2\norder blue move e3-e2 right")
    kinds = [(time, mark.kind, mark.label) for time, mark in told]
    assert kinds == [
        (1, "move", "1"),
        (1, "beam", "1"),
        (2, "beam", "2"),
        (2, "throw", "2"),
        (3, "beam", "3"),
    ]
    assert all(mark.strength == 0 for _, mark in told if mark.kind == "beam")


def test_a_pawn_goes_in_by_one_door_and_out_by_the_other():
    told = paths_of("orange d1 s\nblue e2 s\norder blue move e2-f1")
    ends = [[tuple(p) for p in mark.points_mm.tolist()] for _, mark in told]
    assert ends == [
        [centre_mm("e2"), centre_mm("f1")],
        [centre_mm("a2"), centre_mm("b3")],
    ]
