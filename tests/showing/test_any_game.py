"""Any game: every mark and every kind of piece is drawn where the ledger says, in its colour."""

from dataclasses import replace

import numpy as np
import pytest

from vision.geometry import photo_from_table
from vision.showing.above import draw_table, table_camera
from vision.showing.overlay import annotate_photo
from vision.showing.scene import name_by_place
from vision.showing.style import side_style
from vision.showing.vector import draw_svg
from vision.values.ledger import (
    Badge,
    Burst,
    Closeness,
    Cross,
    Event,
    Ledger,
    LedgerStep,
    Mark,
    Outline,
    Path,
    PieceState,
    PieceView,
    Side,
    Tag,
    Tally,
)
from vision.values.messages import Issue, message

SAID = message("word.and")
SIDES = (Side("sun", "sun", "#f0b428"), Side("owl", "owl", "#3c5a96", "square"))
COLOUR_TOL = 12  # of 255; an anti-aliased line is drawn over in part


def around(x: float, y: float, half: float, count: int = 4) -> np.ndarray:
    """Return a regular outline: of four corners a square along the axes, else a disc."""
    turn = np.arange(count) * 2 * np.pi / count - 3 * np.pi / 4
    reach = half * (np.sqrt(2) if count == 4 else 1)
    return np.column_stack([x + reach * np.cos(turn), y + reach * np.sin(turn)])


def ledger_of(*marks: Mark, closeness: Closeness | None = None) -> Ledger:
    pieces = (
        PieceView("board", "board", "board", around(0, 0, 200.0)),
        PieceView("a", "token", "a", around(-100, -100, 15, 20), "a", side="sun", number="N"),
        PieceView("b", "token", "b", around(100, 100, 15, 20), "b", side="owl"),
    )
    event = Event(SAID, ("a", "b"), tuple(marks), closeness=closeness)
    states = {"b": PieceState(is_out=True)}
    step = LedgerStep(SAID, (event,), Tally({}, states))
    return Ledger("toy", SIDES, (), pieces, Tally({}), (step,), (), SAID)


def test_an_issue_in_names_of_the_photo_is_about_the_piece_at_its_place():
    """A pawn has no number where it is seen; what is known by name or place of none stays."""
    ledger = ledger_of()
    camera, _ = table_camera(ledger, 900)
    at_a, beside = photo_from_table(camera, np.array([[-98.0, -101.0], [0.0, 0.0]])).tolist()
    issues = [
        Issue("pawn_hidden", "", ("pawn-1",), at_px=tuple(at_a)),
        Issue("pawn_hidden", "", ("pawn-2",), at_px=tuple(beside)),
        Issue("thing_unread", "", (), at_px=tuple(at_a)),
        Issue("piece_unsure", "", ("b",), at_px=tuple(at_a)),
    ]
    named = [issue.cards for issue in name_by_place(issues, ledger, camera)]
    assert named == [("a",), ("pawn-2",), (), ("b",)]


def drawn(ledger: Ledger, width_px: int = 900):
    camera, (width, height) = table_camera(ledger, width_px)
    photo = np.full((height, width, 3), (70, 90, 80), np.uint8)
    return annotate_photo(photo, camera, ledger), camera, photo


def changed_at(ledger: Ledger, points_mm: np.ndarray) -> np.ndarray:
    plain, camera, _ = drawn(ledger_of())
    image, _, _ = drawn(ledger)
    at = np.round(photo_from_table(camera, points_mm)).astype(int)
    return (image != plain).any(axis=2)[at[:, 1], at[:, 0]]


@pytest.mark.parametrize(
    ("mark", "where"),
    [
        (Path([(-100, 0), (50, 0), (50, 80)], "sun", kind="move"), [(-20, 0), (50, 40)]),
        (Path([(-100, 0), (50, 0)], "owl", 3), [(-80, 0), (20, 0)]),
        (Burst((0.0, 50.0), 2, "2"), [(0, 50)]),
        (Badge((0.0, 50.0), "count", "+1"), [(0, 50)]),
        (Badge((0.0, 50.0), "shield", "held"), [(0, 50)]),
        (Outline(around(0, 0, 60), "owl"), [(60, 0), (0, -60)]),
        (Tag((0.0, 0.0), "here", "sun"), [(0, 0)]),
        (Cross(around(0, 0, 40)), [(0, 0), (30, 30), (-30, 30)]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_mark_is_drawn_where_it_is(mark, where):
    assert changed_at(ledger_of(mark), np.array(where, float)).all()


def test_a_move_and_an_outline_have_the_colour_of_their_side():
    for mark, at in (
        (Path([(-100, 0), (150, 0)], "owl", 3, kind="move"), (-60, 0)),
        (Outline(around(0, 0, 60), "owl"), (0, -60)),
    ):
        image, camera, _ = drawn(ledger_of(mark))
        x, y = np.round(photo_from_table(camera, np.array([at], float)))[0].astype(int)
        owl = side_style(SIDES[1]).colour
        assert np.abs(image[y, x].astype(int) - owl).max() < COLOUR_TOL


def test_what_did_not_happen_for_sure_is_amber_unless_it_was_ruled():
    close = Closeness(1.0, 0.5, 0.2, SAID, None, (0.0, 12.0), 12.0, 0.5, "b")
    ledger = ledger_of(Path([(-100, 0), (150, 0)], "owl"), closeness=close)
    (event,) = ledger.steps[0].events
    ruled = replace(ledger.steps[0], events=(replace(event, ruled=True),))
    amber = [
        (np.abs(drawn(each)[0].astype(int) - (0, 179, 255)).max(axis=2) < COLOUR_TOL).sum()
        for each in (ledger, replace(ledger, steps=(ruled,)))
    ]
    assert ledger.contested() == (event,)
    assert amber[0] > 200
    assert amber[1] == 0


def test_a_piece_that_is_out_is_crossed_and_grey():
    ledger = ledger_of(Cross(ledger_of().pieces[2].outline_mm, "b"))
    image, camera, photo = drawn(ledger)
    at = photo_from_table(camera, np.array([[100.0, 100.0], [106.0, 106.0]]))
    x, y = np.round(at).astype(int).T
    assert (image[y[0], x[0]] != photo[0, 0]).any()
    grey = image[y[1], x[1]].astype(int)
    assert np.ptp(grey) < np.ptp(photo[0, 0].astype(int))


def test_a_board_lies_below_its_pieces_and_the_drawing_holds_all():
    ledger = ledger_of(Path([(-100, -100), (100, -100), (100, 100)], "sun"))
    face = np.full((40, 40, 3), (180, 170, 20), np.uint8)
    image = draw_table(ledger, faces={"board": face}, width_px=700)
    camera, size = table_camera(ledger, 700)
    (x, y), (u, v) = photo_from_table(camera, np.array([[-60.0, 60.0], [-100.0, -100.0]]))
    assert np.abs(image[round(y), round(x)].astype(int) - (180, 170, 20)).max() < COLOUR_TOL
    assert np.abs(image[round(v), round(u)].astype(int) - (180, 170, 20)).max() > COLOUR_TOL
    text = draw_svg(b"", size, camera, ledger).decode()
    assert text.count("<polygon") == 2 * len(ledger.pieces)
    assert text.count("<polyline") == 2
