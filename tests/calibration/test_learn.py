"""Learning a deck from pictures: what is taken, what is noticed, what is refused and why."""

from importlib import resources

import cv2
import numpy as np
import pytest

from calibration.learned.decks import is_learned, learned_names, load_learned
from calibration.learned.learn import DeckSize, learn_deck
from calibration.learned.margins import find_margins
from tests.drawn_faces import draw_face, draw_playing_card
from tests.learned import SIZE, draw_deck, learn
from vision.errors import DeckError
from vision.games.light_speed.deck import load_deck
from vision.values.pieces import ANY_NUMBER

PX = 3.0  # of faces drawn for these tests


def put(folder, name, picture):
    folder.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(folder / name), picture)


@pytest.fixture
def images(tmp_path):
    """Three pictures of different kinds."""
    folder = tmp_path / "images"
    for k, name in enumerate(("Red Fox.png", "blue_whale.jpg", "OWL (2).png")):
        put(folder, name, draw_face(k, px_per_mm=PX))
    return folder


def learned(images, tmp_path, size=SIZE, **options):
    return learn_deck("zoo", images, size, tmp_path / "decks", **options)


def test_ids_come_from_file_names(images, tmp_path):
    found = learned(images, tmp_path)
    assert found.deck.card_ids == ("blue-whale", "owl-2", "red-fox")
    assert found.deck.deck.ships == ()
    assert learned_names(tmp_path / "decks") == ("zoo",)


def test_what_is_saved_is_what_is_loaded(images, tmp_path):
    found = learned(images, tmp_path, DeckSize(63, 88, 4.5))
    back = load_learned(found.folder)
    assert is_learned(found.folder)
    assert back.deck == found.deck.deck
    one, other = back.bank, found.deck.bank
    assert one.names == other.names
    assert np.array_equal(one.images, other.images)
    assert one.corner_radius_mm == 4.5
    assert np.allclose(one.margins_mm, other.margins_mm, atol=1e-3)
    assert np.array_equal(one.is_symmetric, other.is_symmetric)


def test_pictures_of_any_size_and_on_their_side_become_one_scale(tmp_path):
    folder = tmp_path / "images"
    face = draw_face(4, px_per_mm=8)
    put(folder, "a.png", face)
    put(folder, "b.png", cv2.rotate(draw_face(5), cv2.ROTATE_90_COUNTERCLOCKWISE))
    put(folder, "c.png", cv2.resize(draw_face(6), (505, 690)))  # 2.2 % too wide
    found = learned(folder, tmp_path)
    assert found.turned == ("b.png",)
    assert found.deck.bank.images.shape == (3, 264, 189, 3)
    upright = cv2.resize(draw_face(5), (189, 264), interpolation=cv2.INTER_AREA)
    assert np.abs(found.deck.bank.images[1].astype(int) - upright).mean() < 2


def test_landscape_decks_are_decks(tmp_path):
    folder = tmp_path / "images"
    for k in range(2):
        put(folder, f"{k}.png", draw_face(k, (88, 63), px_per_mm=PX))
    assert learned(folder, tmp_path, DeckSize(88, 63)).turned == ()


def test_other_files_are_ignored_with_a_word(images, tmp_path):
    (images / "notes.txt").write_text("hello")
    (images / ".hidden").write_text("hello")
    (images / "._card.png").write_text("what another system hides beside a picture")
    (images / "more").mkdir()
    (images / "more" / "._card.png").write_text("hidden")
    assert learned(images, tmp_path).ignored == ("more", "notes.txt")


def test_the_same_picture_twice_is_one_face_with_two_cards(images, tmp_path):
    put(images, "red fox copy.png", draw_face(0, px_per_mm=PX))
    found = learned(images, tmp_path)
    assert found.same == (("red-fox", "red-fox-copy"),)
    assert len(found.deck.bank.images) == 3
    assert "red-fox-copy" in found.deck.card_ids


def test_a_small_mark_makes_two_faces_that_are_much_alike(images, tmp_path):
    marked = draw_face(0, px_per_mm=PX)
    marked[20:40, 20:40] = 255 - marked[20:40, 20:40]
    put(images, "red fox marked.png", marked)
    found = learned(images, tmp_path)
    assert found.same == ()
    assert ("red-fox", "red-fox-marked") in found.alike


def test_faces_that_a_half_turn_leaves_alone_are_known(tmp_path):
    faces = {
        "five": draw_playing_card(5, 2),
        "fox": draw_face(3, kind="landscape"),
        "ten": draw_playing_card(10, 0),
    }
    found = learn(faces, tmp_path, DeckSize(63.5, 88.9))
    assert found.symmetric == ("five", "ten")


def test_laser_data_names_the_cards(tmp_path):
    source = tmp_path / "own.toml"
    source.write_bytes(
        (resources.files("vision.games.light_speed") / "editions" / "light-speed.toml").read_bytes()
    )
    folder = tmp_path / "images"
    for k, name in enumerate(("red-moth", "blue-ghost", "asteroid-1")):
        put(folder, f"{name}.png", draw_face(k, px_per_mm=PX))
    found = learned(folder, tmp_path, lasers=source)
    assert found.deck.deck.ships == load_deck("light-speed").ships
    assert found.deck.deck.name == "zoo"
    assert "green-moth" in found.without_picture
    assert load_learned(found.folder).deck == found.deck.deck
    put(folder, "pink-moth.png", draw_face(9, px_per_mm=PX))
    with pytest.raises(DeckError, match=r"pink-moth\.png: no card 'pink-moth' in the laser data"):
        learned(folder, tmp_path, lasers=source, replace=True)


# --- what is refused -------------------------------------------------------------------------


def test_a_deck_is_replaced_only_when_asked_to(images, tmp_path):
    learned(images, tmp_path)
    with pytest.raises(DeckError, match="--replace"):
        learned(images, tmp_path)
    put(images, "new.png", draw_face(8, px_per_mm=PX))
    assert len(learned(images, tmp_path, replace=True).deck.card_ids) == 4
    assert len(load_learned(tmp_path / "decks" / "zoo").card_ids) == 4


def test_a_deck_that_fails_leaves_the_old_one_alone(images, tmp_path):
    learned(images, tmp_path)
    (images / "broken.png").write_bytes(b"not a picture")
    with pytest.raises(DeckError, match=r"broken\.png"):
        learned(images, tmp_path, replace=True)
    assert len(load_learned(tmp_path / "decks" / "zoo").card_ids) == 3
    assert [p.name for p in (tmp_path / "decks").iterdir()] == ["zoo"]


@pytest.mark.parametrize("name", ["", "Zoo", "a b", "../zoo", "light-speed", "-zoo"])
def test_names_that_are_none(images, tmp_path, name):
    with pytest.raises(DeckError, match="deck name"):
        learn_deck(name, images, SIZE, tmp_path / "decks")


@pytest.mark.parametrize("size", [(0, 88), (63, -1), (63, 900), (float("nan"), 88)])
def test_sizes_that_are_none(images, tmp_path, size):
    with pytest.raises(DeckError, match="card size"):
        learned(images, tmp_path, DeckSize(*size))


def test_a_picture_of_another_shape_is_named(images, tmp_path):
    put(images, "wide.png", draw_face(7, (75, 88), px_per_mm=PX))
    with pytest.raises(DeckError, match=r"wide\.png: 225 x 264 pixels.*0\.852.*0\.716"):
        learned(images, tmp_path)


def test_a_picture_too_small_is_named(images, tmp_path):
    put(images, "tiny.png", draw_face(7, px_per_mm=1))
    with pytest.raises(DeckError, match=r"tiny\.png: 63 x 88 pixels; needed 120"):
        learned(images, tmp_path)


def test_two_files_for_one_id_are_named(images, tmp_path):
    put(images, "red-fox.jpg", draw_face(7, px_per_mm=PX))
    with pytest.raises(DeckError, match=r"red-fox\.jpg: card id 'red-fox' is that of Red Fox\.png"):
        learned(images, tmp_path)


@pytest.mark.parametrize("name", ["unknown-1.png", "(+).png"])
def test_file_names_that_give_no_id(images, tmp_path, name):
    put(images, name, draw_face(7, px_per_mm=PX))
    with pytest.raises(DeckError, match="no card id in this name"):
        learned(images, tmp_path)


def test_many_problems_are_told_at_once(images, tmp_path):
    for k in range(6):
        (images / f"bad-{k}.png").write_bytes(b"no")
    with pytest.raises(DeckError, match=r"bad-0\.png.*bad-3\.png.*and 2 more"):
        learned(images, tmp_path)


def test_no_folder_and_no_pictures(tmp_path):
    with pytest.raises(DeckError, match="no such folder"):
        learned(tmp_path / "nowhere", tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DeckError, match="found 0 pictures"):
        learned(tmp_path / "empty", tmp_path)


@pytest.mark.parametrize("damage", ["toml", "faces", "shape", "gone"])
def test_a_damaged_deck_says_so(images, tmp_path, damage):
    folder = learned(images, tmp_path).folder
    if damage == "toml":
        (folder / "deck.toml").write_text("schema = 3")
    elif damage == "faces":
        (folder / "faces.npy").write_bytes(b"nothing")
    elif damage == "shape":
        np.save(folder / "faces.npy", np.zeros((2, 3), np.uint8))
    else:
        (folder / "faces.npy").unlink()
    with pytest.raises(DeckError, match="learn the deck again"):
        load_learned(folder)


# --- borders ---------------------------------------------------------------------------------


@pytest.mark.parametrize("tone", [12, 128, 240])
def test_a_plain_border_is_measured(tone):
    face = draw_face(11, kind="marble", border="none", px_per_mm=PX)
    left, top, right, bottom = 9, 12, 15, 6
    framed = np.full_like(face, tone)
    framed[top:-bottom, left:-right] = face[top:-bottom, left:-right]
    margins = find_margins(framed, PX)
    assert margins == pytest.approx([left / PX, top / PX, right / PX, bottom / PX], abs=1 / PX)


def test_no_border_is_none():
    assert not find_margins(draw_face(11, kind="marble", border="none", px_per_mm=PX), PX).any()
    assert not find_margins(np.full((264, 189, 3), 200, np.uint8), PX).any()  # a plain face


def test_every_kind_of_face_can_be_learned(tmp_path):
    faces = draw_deck(24)
    found = learn(faces, tmp_path)
    assert set(found.deck.card_ids) == set(faces)
    assert found.same == ()


def test_a_folder_holds_several_pictures_of_one_card(images, tmp_path):
    for k in (7, 8):
        put(images / "Grey Heron", f"{k}.jpg", draw_face(k, px_per_mm=PX))
    found = learned(images, tmp_path)
    back = load_learned(found.folder)
    assert back.card_ids == ("blue-whale", "grey-heron", "owl-2", "red-fox")
    assert back.bank.names.count(("grey-heron",)) == 2
    first = back.bank.names.index(("grey-heron",))
    assert [k for k, of in enumerate(back.bank.first_picture) if of == first] == [first, first + 1]
    assert found.same == ()
    assert found.alike == ()


def test_a_folder_and_a_file_of_one_id_are_named(images, tmp_path):
    put(images / "red-fox", "1.jpg", draw_face(7, px_per_mm=PX))
    with pytest.raises(DeckError, match=r"card id 'red-fox' is that of Red Fox\.png"):
        learned(images, tmp_path)


@pytest.mark.parametrize(("copies", "most"), [(None, ANY_NUMBER), (ANY_NUMBER, ANY_NUMBER), (2, 2)])
def test_without_lasers_there_are_any_number_of_a_card_unless_said(images, tmp_path, copies, most):
    found = learned(images, tmp_path, DeckSize(63, 88, copies=copies))
    back = load_learned(found.folder)
    assert back.bank.copies.tolist() == found.deck.bank.copies.tolist() == [most] * 3
    assert back.copies == (None if most == ANY_NUMBER else most)


def test_a_deck_that_does_not_say_has_any_number_of_each_card(images, tmp_path):
    folder = learned(images, tmp_path, DeckSize(63, 88, copies=1)).folder
    file = folder / "deck.toml"
    file.write_text(file.read_text().replace("copies = 1\n", ""))
    assert load_learned(folder).copies is None
