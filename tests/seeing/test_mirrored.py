"""A mirrored photo is refused, for its cards are read and turned the wrong way."""

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.learned import bank_of
from vision.errors import TableNotFoundError
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing import reading
from vision.seeing.detector import build_detector, is_chiral, may_show_cards
from vision.seeing.mirror_check import read_unless_mirrored
from vision.seeing.reading import read_layout
from vision.values.layout import Camera, Layout, Placed

PHOTO = np.arange(12, dtype=np.uint8).reshape(1, 4, 3)
SCORES = st.lists(st.floats(0, 1), max_size=8)


def layout(scores: list[float]) -> Layout:
    placed = tuple(
        Placed(f"spot-{i}", f"card-{i}", 0.0, 0.0, 0.0, np.eye(3), np.zeros((4, 2)), score)
        for i, score in enumerate(scores)
    )
    camera = Camera(np.eye(3), np.zeros(2), np.eye(3))
    return Layout(placed, np.eye(3 * len(scores)), camera, (4, 1))


def reader(straight: list[float], mirrored: list[float]):
    def read(image):
        scores = straight if np.array_equal(image, PHOTO) else mirrored
        if not scores:
            raise TableNotFoundError("found nothing")
        return layout(scores)

    return read


def refusal(
    straight: list[float],
    mirrored: list[float],
    is_chiral: Callable[[str], bool] = lambda _: True,
    first=None,
) -> str | None:
    """Return why a photo is refused whose pieces, and those of its mirror image, score so."""
    asked = []

    def read(image):
        asked.append(image)
        return reader(straight, mirrored)(image)

    try:
        found = read_unless_mirrored(PHOTO, read, is_chiral=is_chiral, first=first)
    except TableNotFoundError as error:
        return str(error)
    finally:
        assert len(asked) <= 2, "neither is read twice"
    assert [one.score for one in found.placed] == straight
    return None


@given(SCORES, SCORES)
def test_a_photo_is_refused_only_if_its_mirror_image_is_read_better(straight, mirrored):
    why = refusal(straight, mirrored)
    assert why is not None or straight
    if why is not None and "mirrored" in why:
        assert sum(mirrored) > sum(straight)


@given(SCORES)
def test_faces_that_are_alike_both_ways_are_read(scores):
    assert refusal(scores, scores) == (None if scores else "found nothing")


@given(st.integers(0, 60))
def test_a_dozen_pieces_that_are_read_well_are_not_mirrored_whatever_else_lies_there(more):
    def read(image):
        assert np.array_equal(image, PHOTO), "the mirror image need not be read"
        return layout([0.9] * 12 + [0.1] * more)

    assert len(read_unless_mirrored(PHOTO, read).placed) == 12 + more


def test_pieces_without_a_face_do_not_make_a_photo_poor():
    """A board that is read well is not mirrored, however faint the matches on it are."""
    board, *matches = layout([0.9, 0.3, 0.4, 0.5]).placed
    seen = (replace(board, kind="board"), *(replace(one, kind="stick") for one in matches))
    asked = []

    def read(image):
        asked.append(image)
        return replace(layout([0.9, 0.3, 0.4, 0.5]), placed=seen)

    assert read_unless_mirrored(PHOTO, read).placed == seen
    assert len(asked) == 1


def test_one_piece_in_the_mirror_image_proves_nothing():
    assert refusal([], [0.95]) == "found nothing"
    assert "mirrored" in refusal([], [0.95, 0.9])


def test_a_soft_photo_is_refused_where_its_mirror_image_is_read_twice_as_well():
    """Six of 95 soft renders, mirrored, were read: cards of 0.3 to 0.6, most of them unread."""
    assert "mirrored" in refusal([0.3, 0.4, 0.0, 0.0], [0.6, 0.5, 0.6, 0.4])
    assert refusal([0.3, 0.4, 0.4, 0.0], [0.6, 0.5, 0.6, 0.4]) is None


@given(SCORES, SCORES)
def test_faces_that_are_their_own_mirror_images_prove_nothing(straight, mirrored):
    """Cuts of two cards with symmetric signs were told as mirrored: one reading was luckier."""
    why = refusal(straight, mirrored, lambda _: False)
    assert why == (None if straight else "found nothing")


def test_only_pieces_that_look_otherwise_in_a_mirror_count():
    assert "mirrored" in refusal([], [0.9, 0.9, 0.9], lambda piece: piece != "card-0")
    assert refusal([], [0.9, 0.9, 0.9], lambda piece: piece == "card-0") == "found nothing"


def test_a_face_is_its_own_mirror_image_if_its_signs_are():
    """Whichever way up: an S is not, a disc is, and neither is a disc beside the middle."""
    blank = np.full((176, 126, 3), 245, np.uint8)
    faces = {name: blank.copy() for name in ("disc", "aside", "s", "parted")}
    cv2.circle(faces["disc"], (63, 88), 30, (40, 40, 200), -1)
    cv2.circle(faces["aside"], (40, 60), 25, (40, 40, 200), -1)
    cv2.putText(faces["s"], "S", (15, 120), cv2.FONT_HERSHEY_SIMPLEX, 4, (40, 40, 200), 14)
    cv2.circle(faces["parted"], (63, 40), 20, (200, 40, 40), -1)
    cv2.rectangle(faces["parted"], (33, 110), (93, 150), (40, 140, 40), -1)
    detector = build_detector(bank_of(faces))
    told = {name for name in (*faces, "unknown-1") if is_chiral(name, detector)}
    assert told == {"aside", "s"}


@pytest.mark.parametrize("may_show_cards", [True, False])
def test_a_mirror_image_that_may_show_nothing_is_not_read(may_show_cards):
    asked = []

    def read(image):
        asked.append(image)
        return layout([0.5, 0.6])

    read_unless_mirrored(PHOTO, read, lambda image: may_show_cards)
    assert len(asked) == 1 + may_show_cards


def first_look(straight: list[float], mirrored: list[float]):
    """Return what tells how alike the outlines of a first look are."""
    return lambda image: np.array(straight if np.array_equal(image, PHOTO) else mirrored)


def test_a_photo_that_looks_mirrored_is_refused_unread():
    """Reading it the wrong way round took up to five times what its mirror image takes."""

    def read(image):
        assert not np.array_equal(image, PHOTO), "the photo itself need not be read"
        return layout([0.9, 0.9, 0.9])

    with pytest.raises(TableNotFoundError, match="mirrored"):
        read_unless_mirrored(PHOTO, read, first=first_look([0.5, 0.45], [0.9, 0.8]))


@given(SCORES, SCORES)
def test_a_photo_whose_first_look_is_good_is_never_read_as_its_mirror_image(first, mirrored):
    pyramid_levels = first_look([0.9, *[1.0] * len(first)], mirrored)

    def read(image):
        assert np.array_equal(image, PHOTO), "the mirror image need not be read"
        return layout([0.9] * 3)

    assert len(read_unless_mirrored(PHOTO, read, first=pyramid_levels).placed) == 3


@given(SCORES, SCORES, st.lists(st.floats(0, 0.7), max_size=8))
def test_what_a_first_look_takes_for_mirrored_is_read_unless_it_is(straight, first, mirrored):
    """Its mirror image is read in the middle below what is well: the photo's own reading holds."""
    why = refusal(straight, mirrored, first=first_look(first, [1.0, 1.0]))
    assert why is not None or straight
    if why is not None and "mirrored" in why:
        assert sum(mirrored) > sum(straight)


@pytest.mark.parametrize("mirrored", [[0.5, 0.45], [0.58, 0.55], []])
def test_what_shows_nothing_either_way_is_not_read_twice(mirrored):
    """Keys of a keyboard took 4 s to be refused, and their mirror image 11 s more."""
    asked = []

    def read(image):
        asked.append(image)
        return reader([], [0.9, 0.9])(image)

    with pytest.raises(TableNotFoundError, match="found nothing"):
        read_unless_mirrored(PHOTO, read, first=first_look([0.5, 0.45], mirrored))
    assert len(asked) == 1


def test_where_no_look_shows_an_outline_the_mirror_image_is_read():
    assert "mirrored" in refusal([], [0.9, 0.9], first=first_look([], []))


def test_only_where_cards_are_read_well_may_a_mirror_image_show_any(show, bank):
    shown, detector = show(5, seed=3, tilt_deg=20.0), build_detector(bank)
    for blur_px, expected in ((0.1, True), (12.0, False)):
        blurred = np.asarray(cv2.GaussianBlur(shown.image, (0, 0), blur_px), np.uint8)
        mirrored = View(np.ascontiguousarray(blurred[:, ::-1]))
        assert may_show_cards(mirrored, View(blurred), detector) is expected


def test_a_mirrored_photo_of_a_table_is_refused(show, bank):
    shown = show(5, seed=3, tilt_deg=20.0)
    assert len(read_layout(Photo(shown.image), build_detector(bank)).placed) == 5
    mirrored = np.ascontiguousarray(shown.image[:, ::-1])
    with pytest.raises(TableNotFoundError, match=r"mirrored: .* shows 5 pieces; needed .*turn off"):
        read_layout(Photo(mirrored), build_detector(bank))


def test_a_mirrored_photo_is_read_once_and_each_look_is_taken_once(show, bank, monkeypatch):
    shown, detector = show(5, seed=3, tilt_deg=20.0), build_detector(bank)
    mirrored = np.ascontiguousarray(shown.image[:, ::-1])
    read, pyramid_levels = [], []
    straight = reading._read_view
    monkeypatch.setattr(reading, "_read_view", lambda *args: read.append(1) or straight(*args))
    match = type(detector.comparer).match_quads

    def matched(self, view, quads, *, all_ways=False):
        pyramid_levels.append((id(view), all_ways))
        return match(self, view, quads, all_ways=all_ways)

    monkeypatch.setattr(type(detector.comparer), "match_quads", matched)
    with pytest.raises(TableNotFoundError, match="mirrored"):
        read_layout(Photo(mirrored), detector)
    assert len(read) == 1
    assert len(pyramid_levels) == len(set(pyramid_levels))


def test_outlines_without_cards_are_detected_once(bank, monkeypatch):
    """A mirrored card has its outline in the photo: its mirror image is not searched."""
    detector, places = build_detector(bank), np.random.default_rng(1)
    picture = np.full((1200, 1600, 3), (150, 160, 170), np.uint8)
    for x, y in places.uniform((60, 60), (1540, 1140), (40, 2)):
        box = cv2.boxPoints(((x, y), (70.0, 100.0), places.uniform(0, 180)))
        cv2.fillPoly(picture, [box.astype(np.int32)], (230, 230, 235))
    searched, quads = [], type(detector.finder).quads

    def counted(self, view, pyramid_level=None):
        searched.append(pyramid_level)
        return quads(self, view, pyramid_level)

    monkeypatch.setattr(type(detector.finder), "quads", counted)
    with pytest.raises(TableNotFoundError, match="no card of this deck"):
        read_layout(Photo(picture), detector)
    assert len(searched) == len(set(searched)) > 0
