"""The bench of real photographs: how it judges, and that it runs on a folder of its form."""

import json
import shutil

import cv2
import numpy as np
import pytest

from bench import leave_face_out, real
from bench.common.arguments import parser_of
from bench.common.real_truth import Judged, TrueCard, Truth, corner_share, judge, plain_name, shared
from tests.learned import draw_deck, learn, printed
from tests.synth import Scene, photograph, random_cards
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.values.layout import Camera, Layout, Placed
from vision.values.messages import Issue

SQUARE = np.array([(0.0, 0.0), (100.0, 0.0), (100.0, 100.0), (0.0, 100.0)])
CAMERA = Camera(np.eye(3), np.zeros(2), np.eye(3))


def square_at(x, y=0.0):
    """Return the square, moved."""
    return SQUARE + np.array([x, y])


def a_card(name="ace", x=0.0, *, is_full=True, has_face=True):
    return TrueCard(name, square_at(x), is_full, has_face)


def a_layout(*told, doubts=()):
    """Lay pieces (name, x) with doubts of some of them."""
    placed = tuple(
        Placed(str(k), name, x, 0.0, 0.0, np.eye(3), square_at(x), score=0.9)
        for k, (name, x) in enumerate(told)
    )
    said = tuple(Issue("doubtful_card", "", (name,)) for name in doubts)
    return Layout(placed, np.eye(3 * len(placed)), CAMERA, (640, 480), said)


def verdicts(layout, *cards, ignored=()):
    judged, strays = judge(layout, Truth(cards, ignored), plain_name)
    return [card.verdict for card in judged], [(s.told, s.is_named) for s in strays]


@pytest.mark.parametrize(
    ("told", "doubts", "verdict"),
    [
        ("ace", (), "right"),
        ("ace", ("ace",), "right"),
        ("king", (), "wrong, certain"),
        ("king", ("king",), "wrong, doubted"),
        ("king", ("queen",), "wrong, certain"),
        ("unknown-1", (), "unnamed"),
    ],
)
def test_a_card_is_judged_by_its_name_and_its_own_doubts(told, doubts, verdict):
    layout = a_layout((told, 10.0), ("queen", 300.0), doubts=doubts)
    said = verdicts(layout, a_card(), a_card("queen", 300.0))
    assert said == ([verdict, "right"], [])


def test_a_card_that_nothing_covers_is_lost_and_what_covers_none_is_a_stray():
    layout = a_layout(("ace", 70.0), ("unknown-1", 400.0))
    assert verdicts(layout, a_card()) == (["lost"], [("ace", True), ("unknown-1", False)])


def test_nothing_is_judged_where_the_annotation_says_so():
    layout = a_layout(("ace", 0.0), ("king", 400.0))
    assert verdicts(layout, a_card(), ignored=(square_at(400.0),)) == (["right"], [])


def test_a_refused_photo_loses_its_cards():
    assert verdicts(None, a_card(), a_card("king", 200.0)) == (["lost", "lost"], [])


def test_names_are_compared_as_ids_without_what_tells_pictures_apart():
    assert plain_name("Sol Ring.2") == "sol-ring-2"
    assert plain_name("sol-ring-2", "-[0-9]+$") == "sol-ring"


def test_outlines_are_compared_whichever_corner_comes_first():
    turned = np.roll(SQUARE, 2, axis=0)
    assert shared(SQUARE, turned) == pytest.approx(1.0, abs=1e-6)
    assert shared(SQUARE, square_at(50.0)) == pytest.approx(1 / 3, abs=1e-6)
    assert corner_share(np.roll(square_at(3.0, 4.0), 2, axis=0), SQUARE) == pytest.approx(0.05)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder as the bench reads it: a deck, a photo of four cards, one of an empty table."""
    folder = tmp_path_factory.mktemp("data")
    faces = draw_deck(6)
    deck = learn(faces, folder).folder
    ids = sorted(faces)[:4]
    camera = None
    for name, few in (("full", ids), ("none", [])):
        cards = random_cards(few, np.random.default_rng(3), gap_mm=8.0)
        scene = Scene(cards, seed=1, tilt_deg=10.0, size_wh=(1280, 960))
        image, camera = photograph(scene, printed(faces), camera)
        (folder / "table").mkdir(exist_ok=True)
        cv2.imwrite(str(folder / "table" / f"{name}.png"), image)
        if cards:
            outline = card_corners(63.0, 88.0)
            corners = [
                photo_from_table(camera, table_from_card(outline, c.x_mm, c.y_mm, c.theta_rad))
                for c in cards
            ]
            said = [
                {"name": card.card_id, "corners": at.tolist(), "visible": "full"}
                for card, at in zip(cards, corners, strict=True)
            ]
            said[0]["visible"], said[1]["name"] = "partial", "Of another deck"
            text = json.dumps({"cards": said, "ignore_polygons": []})
            (folder / "table" / f"{name}.json").write_text(text, encoding="utf-8")
    manifest = {
        "decks": {"drawn": {"folder": str(deck.relative_to(folder))}},
        "collections": {
            "table": {"folder": "table", "split": "dev", "decks": ["drawn"]},
            "kept": {"folder": "nowhere", "split": "held-out", "decks": ["drawn"]},
        },
    }
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


def run(bench, *words):
    """Run a bench as its command does."""
    name = bench.__name__.rpartition(".")[2]
    return bench.run(parser_of(name, bench).parse_args([str(word) for word in words]))


def test_the_bench_reads_a_folder_of_its_form(data):
    result = run(real, "--data", data)
    ((*cells,),) = result.tables[0].rows
    # two photos, one of them empty and refused; two cards are whole and of the deck; one is part
    # hidden; and one whose face the deck is said not to have is named, in silence
    assert cells[2:11] == ["2 (1)", 2, 2, 2, 0, 0, "0", "1: 1 / 0", "1: 1 / 1"]
    full, none = result.rows
    assert none["refused"]
    assert [card["verdict"] for card in full["cards"]].count("right") == 3
    assert max(card["corner_share"] for card in full["cards"]) < 0.02


def test_chances_are_compared_with_the_truth_but_on_a_decks_own_photos():
    """Ten names told at 95 %, nine right; those of the deck's own collection do not count."""

    def row(collection, *verdicts):
        cards = tuple(
            Judged("ace", is_full=True, has_face=True, verdict=v, chance=0.96) for v in verdicts
        )
        return real.Row("drawn", collection, "photo", cards, (), None, 1.0, 1.0, 1.0)

    rows = [row("far", *["right"] * 9, "wrong, certain", "unnamed"), row("near", "wrong, certain")]
    said = {"decks": {"drawn": {"own": ["near"]}}}
    assert real.told_and_true(rows, said).rows == (("0.95 to 0.99", 10, "96.0%", "90.0%"),)
    assert real.told_and_true(rows[1:], said) is None


def test_what_is_not_asked_for_is_not_read(data):
    result = run(real, "--data", data, "--deck", "another")
    assert result.tables == ()
    assert "no photo" in result.notes[0]


def test_a_bench_of_real_photographs_says_that_it_needs_a_folder():
    with pytest.raises(SystemExit, match="--data"):
        run(real)


def test_without_an_annotation_what_is_read_without_a_doubt_is_the_truth():
    layout = a_layout(("ace", 0.0), ("king", 200.0), ("unknown-1", 400.0), doubts=("king",))
    assert [card.name for card in leave_face_out.own_truth(layout).cards] == ["ace"]
    assert leave_face_out.own_truth(None).cards == ()


def test_a_face_left_out_is_looked_for_with_the_annotation_or_without(data, tmp_path):
    """The photo of four cards: two are whole and of the deck; without its annotation all four."""
    (annotated,) = run(leave_face_out, "--data", data, "--photo", "full").tables[0].rows
    assert annotated[3:5] == (2, "2 / 0")
    assert annotated[7] == 2  # left out
    assert str(annotated[10]) == "0"  # named as certain
    bare = tmp_path / "bare"
    shutil.copytree(data, bare)
    (bare / "table" / "full.json").unlink()
    (own,) = run(leave_face_out, "--data", bare, "--photo", "full", "--own-truth").tables[0].rows
    assert own[3:5] == (4, "4 / 0")
    assert own[7] == 4
