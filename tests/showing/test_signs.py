"""Signs where paths begin: one for what goes one way from one place again and again."""

from pathlib import Path as File

import numpy as np
import pytest

import vision.texts
from vision.showing.above import table_camera
from vision.showing.marks import lay_signs
from vision.showing.scene import build_scene
from vision.showing.style import AnnotateSettings
from vision.texts import texts
from vision.values.ledger import Event, Ledger, LedgerStep, Path, PieceView, Tally

WORDS = File(vision.texts.__file__).parent
SETTINGS = AnnotateSettings(texts=texts("en", WORDS))
BOARD = np.array([[-200.0, -200], [200, -200], [200, 200], [-200, 200]])
NORTH = ((0.0, 100.0), (0.0, -100.0))


def starts(*paths: tuple[str, tuple[tuple[float, float], ...], str | None]) -> list[str]:
    """Return what stands where labelled paths of sides begin."""
    events = tuple(
        Event("fires", marks=(Path(np.array(points), side, label=label),))
        for label, points, side in paths
    )
    ledger = Ledger(
        game="drawn",
        sides=(),
        columns=(),
        pieces=(PieceView("board", "board", "board", BOARD),),
        opening=Tally({}),
        steps=(LedgerStep("all", events, Tally({})),),
        winners=(),
        outcome="none",
    )
    camera, size_wh = table_camera(ledger, 900)
    signs = lay_signs(build_scene(camera, ledger, size_wh, SETTINGS))
    return [sign.label for sign in signs if sign.is_start]


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ("1", "1"),
        ("12", "1, 2"),
        ("123456", "1–6"),
        ("4135", "1, 3–5"),
        ("11", "1"),
        ("6124", "1, 2, 4, 6"),
        ("ab", "a, b"),
    ],
)
def test_what_begins_alike_has_one_sign_with_all_its_labels(labels, said):
    assert starts(*((label, NORTH, "red") for label in labels)) == [said]


def test_paths_that_end_elsewhere_share_a_sign_and_others_do_not():
    shorter = (NORTH[0], (0.0, 20.0))
    east = (NORTH[0], (100.0, 100.0))
    beside = ((40.0, 100.0), (40.0, -100.0))
    assert starts(("1", NORTH, "red"), ("2", shorter, "red")) == ["1, 2"]
    assert starts(("1", NORTH, "red"), ("2", east, "red")) == ["1", "2"]
    assert starts(("1", NORTH, "red"), ("2", beside, "red")) == ["1", "2"]
    assert starts(("1", NORTH, "red"), ("2", NORTH, "blue")) == ["1", "2"]
