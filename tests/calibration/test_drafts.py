"""A deck from photos: cards found, cut, put together over a glare, named, kept, learned."""

import shutil

import cv2
import numpy as np
import pytest

from calibration.drafts.cutting import cut_cards
from calibration.drafts.draft import (
    add_photo,
    change_card,
    load_draft,
    name_all,
    new_draft,
    pair_back,
    picture_of,
)
from calibration.drafts.finish import (
    finish_draft,
    name_by_template,
    names_of_template,
    read_names,
)
from calibration.drafts.light import light_between
from calibration.drafts.merging import match_cards, merge_faces
from calibration.drafts.missed import unlike_cloth
from calibration.drafts.outlines import Outlines, find_cards, lay_out
from calibration.drafts.reference import measure_cards
from calibration.drafts.store import draft_folder, draft_names, forget_draft, sheet_of
from calibration.drafts.twins import odd_names
from calibration.learned.entered import load_entry, save_entry
from calibration.learned.learn import DeckSize
from tests.drawn_faces import draw_face
from tests.learned import printed
from tests.synth import Scene, photograph
from vision.errors import DeckError, TableNotFoundError
from vision.games.light_speed.deck_form import BY_HAND, DesignForm
from vision.games.light_speed.entering import put
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.imaging.photo import Photo, encode_image
from vision.values.layout import PlacedCard

SIZE = (70.0, 110.0)  # of no card that the program draws
CORNER_TOL_PX = 1.0  # of outlines in drawn photos, of 1 px as everywhere; seen: 0.7
FACE_TOL = 12.0  # tones between a cut card and its art: paper is brought to 245, light evened


@pytest.fixture(scope="module")
def faces():
    return {f"card-{k}": draw_face(500 + k, SIZE) for k in range(6)}


def shoot(faces, order, seed, glare=None, **scene):
    """Photograph cards laid out in two rows; return photo, truth and camera."""
    rng = np.random.default_rng(seed)
    cards = tuple(
        PlacedCard(
            name,
            k % 3 * (SIZE[0] + 14) + rng.uniform(-2, 2),
            k // 3 * (SIZE[1] + 14) + rng.uniform(-2, 2),
            np.radians(rng.uniform(-3, 3)),
        )
        for k, name in enumerate(order)
    )
    told = {"size_wh": (1600, 1200), "tilt_deg": 14.0, "fill": 0.9, **scene}
    image, camera = photograph(Scene(cards, seed=seed, **told), printed(faces, DeckSize(*SIZE)))
    if glare is not None:
        (place,) = photo_from_table(camera, np.array([[cards[glare].x_mm, cards[glare].y_mm]]))
        light = np.zeros(image.shape[:2], np.float32)
        cv2.circle(light, tuple(int(v) for v in place), 18, 1.0, -1)
        light = cv2.GaussianBlur(light, (0, 0), 15)[..., None]
        image = np.clip(image + 230 * light, 0, 255).astype(np.uint8)
    return Photo(image), cards, camera


@pytest.fixture(scope="module")
def shots(faces):
    order = sorted(faces)
    first, second = order, [order[k] for k in (4, 2, 5, 0, 3, 1)]
    return shoot(faces, first, 1, glare=1), shoot(faces, second, 2, azimuth_deg=70)


@pytest.fixture(scope="module")
def found(shots):
    return [find_cards(photo, SIZE) for photo, _, _ in shots]


@pytest.fixture(scope="module")
def cuts(shots, found):
    return [cut_cards(photo, cards) for (photo, _, _), cards in zip(shots, found, strict=True)]


@pytest.fixture(scope="module")
def full(shots, tmp_path_factory):
    """Return a draft of both photos."""
    draft = new_draft(tmp_path_factory.mktemp("draft") / "it", "foreign", SIZE)
    for photo, _, _ in shots:
        draft = add_photo(draft, photo, encode_image(photo.image, ".png"))
    return draft


def off(face, drawn, of=np.mean):
    """Return the mean (or other) difference of a cut card from its art, inside its edge."""
    size_wh = face.shape[1] // 8, face.shape[0] // 8
    a = cv2.resize(face, size_wh, interpolation=cv2.INTER_AREA).astype(float)
    b = cv2.resize(drawn, size_wh, interpolation=cv2.INTER_AREA).astype(float)
    return float(of(np.abs(a - b)[3:-3, 3:-3]))


def test_outlines_are_the_cards_own_and_in_reading_order(shots, found):
    for (_, cards, camera), laid in zip(shots, found, strict=True):
        truth = np.array(
            [
                photo_from_table(
                    camera, table_from_card(card_corners(*SIZE), c.x_mm, c.y_mm, c.theta_rad)
                )
                for c in cards
            ]
        )
        assert laid.corners_px.shape == truth.shape
        apart = np.abs(laid.corners_px[:, None] - truth[None]).max(axis=(2, 3))
        assert apart.min(axis=1).max() < CORNER_TOL_PX
    rows = found[0].corners_px.mean(axis=1).reshape(2, 3, 2)
    assert (np.diff(rows[..., 0], axis=1) > 0).all()
    assert (rows[1, :, 1] > rows[0, :, 1]).all()


def test_a_card_whose_side_was_drawn_through_its_neighbour_is_laid_into_its_corner(shots, found):
    photo, whole = shots[0][0], found[0]
    others, missed = np.delete(whole.corners_px, 4, axis=0), whole.corners_px[4]
    wrong = missed.copy()
    wrong[2:] += 0.2 * (missed[2:] - missed[[1, 0]])  # its lower side is another thing's
    assert len(lay_out(photo, Outlines(others, others), SIZE).corners_px) == 5
    again = lay_out(photo, Outlines(others, np.concatenate([others, wrong[None]])), SIZE)
    assert again.corners_px.shape == whole.corners_px.shape
    assert np.abs(again.corners_px - whole.corners_px).max() < 2 * CORNER_TOL_PX


def test_a_piece_of_cloth_is_no_card(shots, found):
    photo, cards = shots[0][0], found[0].corners_px
    assert unlike_cloth(photo.image, cards).all()
    rng = np.random.default_rng(3)
    weave = np.clip(rng.normal(90, 12, (1200, 1600, 3)), 0, 255).astype(np.uint8)
    assert not unlike_cloth(weave, cards).any()
    assert unlike_cloth(weave, cards[:0]).shape == (0,)


def test_a_photo_without_cards_says_so():
    rng = np.random.default_rng(0)
    blank = np.clip(rng.normal(90, 6, (900, 1200, 3)), 0, 255).astype(np.uint8)
    with pytest.raises(TableNotFoundError):
        find_cards(Photo(blank), SIZE)


def test_the_same_card_is_known_again_and_no_other(cuts, shots):
    likeness = match_cards(cuts[1], cuts[0])
    assert sorted(like.known for like in likeness) == list(range(6))
    turned = tuple(np.ascontiguousarray(face[::-1, ::-1]) for face in cuts[1])
    for like, other in zip(likeness, match_cards(turned, cuts[0]), strict=True):
        assert (like.known, like.half) == (other.known, not other.half)
    assert match_cards(cuts[0], cuts[0][:0]) == (None,) * 6
    assert [like.has_glare for like in likeness].count(True) == 1
    others = match_cards(cuts[0][:3], cuts[0][3:])
    assert others == (None, None, None)


def test_a_veil_of_light_is_told_and_a_red_card_is_made_no_blue_one(faces):
    size_wh = (36, 56)
    card = cv2.resize(faces["card-2"], size_wh, interpolation=cv2.INTER_AREA).astype(float)
    x = np.linspace(-1, 1, 36)[None, :, None]
    veiled = np.array([0.9, 1.0, 1.1]) * ((0.5 - 0.1 * x) * card + 60 + 30 * x)
    light = light_between(card, veiled)
    assert light.share > 0.99
    made = light.white * (light.gain[..., None] * card + light.veil[..., None])
    assert np.abs(made - veiled).mean() < 3  # tones: gain is held back a little from bending
    other = cv2.resize(faces["card-4"], size_wh, interpolation=cv2.INTER_AREA).astype(float)
    assert light_between(card, other).share < 0.9


def test_twins_of_two_colours_are_two_cards_under_a_veil_too(faces):
    red = faces["card-0"].copy()
    red[:20], red[-20:], red[:, :20], red[:, -20:] = ((40, 40, 200),) * 4
    blue = red.copy()
    blue[(red == (40, 40, 200)).all(axis=2)] = (200, 90, 40)
    veiled = np.asarray(0.6 * red + 70, np.uint8)
    assert match_cards((veiled,), (blue,)) == (None,)
    (like,) = match_cards((veiled,), (red,))
    assert like.known == 0


def test_a_glare_is_taken_from_the_other_photo(cuts, faces):
    likeness = match_cards(cuts[1], cuts[0])
    (at,) = [k for k, like in enumerate(likeness) if like.has_glare]
    like = likeness[at]
    other = np.ascontiguousarray(cuts[1][at][::-1, ::-1]) if like.half else cuts[1][at]
    drawn = faces["card-1"]
    merged = merge_faces(cuts[0][like.known], (other,))
    assert off(merged, drawn) < FACE_TOL
    assert off(merged, drawn, np.max) < off(cuts[0][like.known], drawn, np.max) / 2
    assert merge_faces(other, ()) is other


def test_a_draft_is_kept_and_becomes_a_deck(full, faces, shots, tmp_path):
    assert [card.seen for card in full.cards] == [2] * 6
    assert [card.doubts for card in full.cards].count(("glare",)) == 1
    assert load_draft(full.folder) == full
    photo = shots[0][0]
    assert add_photo(full, photo, encode_image(photo.image, ".png")) == full
    for card, name in zip(full.cards, sorted(faces), strict=True):
        assert off(picture_of(full, card), faces[name]) < FACE_TOL
    assert sheet_of(full).shape[1] > 6 * 180
    named = name_all(full, sorted(faces))
    learned = finish_draft(named, tmp_path / "decks")
    assert learned.deck.card_ids == tuple(sorted(faces))
    assert learned.deck.bank.size_mm == SIZE
    assert load_draft(full.folder) == named


def test_cards_are_named_paired_dropped_and_turned(full):
    first, second, third = (card.id for card in full.cards[:3])
    draft = name_all(full, ["Red Moth", "", "x"])
    assert [card.name for card in draft.cards] == ["red-moth", draft.cards[1].name, "x", *[
        card.name for card in draft.cards[3:]
    ]]  # fmt: skip
    draft = pair_back(change_card(draft, second, name=""), second, first)
    assert draft.cards[1].name == "red-moth-back"
    with pytest.raises(DeckError, match="another card"):
        change_card(draft, third, name="Red moth")
    with pytest.raises(DeckError, match="twice"):
        name_all(draft, ["a", "A"])
    with pytest.raises(DeckError, match="7 names"):
        name_all(draft, list("abcdefg"))
    with pytest.raises(DeckError, match="no card"):
        change_card(draft, "../../x", name="y")
    dropped = change_card(draft, third, dropped=True)
    assert len(dropped.kept) == 5
    assert change_card(dropped, third, dropped=False) == draft
    taken = change_card(dropped, draft.cards[3].id, name="x")
    with pytest.raises(DeckError, match="another card"):
        change_card(taken, third, dropped=False)
    turned = change_card(draft, first, half=True)
    face = picture_of(draft, draft.cards[0])
    assert (picture_of(turned, turned.cards[0]) == face[::-1, ::-1]).all()
    for card in draft.cards:
        draft = change_card(draft, card.id, name="")
    with pytest.raises(DeckError, match="needs at least two"):
        finish_draft(draft, draft.folder)


def test_a_card_that_was_missed_stands_where_its_row_has_it_or_is_doubted(faces, tmp_path):
    names = sorted(faces)
    few, one = [names[k] for k in (0, 1, 2, 4, 5)], names[3]
    encoded = {}
    for order in (few, names, [names[k] for k in (5, 3, 1, 2, 0, 4)]):
        photo = shoot(faces, order, 11 + len(encoded), size_wh=(1120, 840))[0]
        encoded[tuple(order)] = photo, encode_image(photo.image, ".png")
    first, rows, mixed = encoded.values()
    draft = add_photo(new_draft(tmp_path / "it", "it", SIZE), *first)
    again = add_photo(draft, *rows)
    for card, name in zip(again.cards, names, strict=True):
        assert off(picture_of(again, card), faces[name]) < FACE_TOL
        assert "order" not in card.doubts
    late = add_photo(draft, *mixed)
    assert off(picture_of(late, late.cards[-1]), faces[one]) < FACE_TOL
    assert ["order" in card.doubts for card in late.cards] == [False] * 5 + [True]
    told = change_card(late, late.cards[-1].id, name="late")
    assert "order" not in told.cards[-1].doubts


def test_names_that_have_slipped_along_a_box_are_doubted():
    kinds = [frozenset(f"{team}-{k}" for team in ("red", "blue", "gold")) for k in range(4)]
    drawn = [draw_face(700 + k, SIZE) for k in range(4)]
    tints = {"red": (0.6, 0.7, 1), "blue": (1, 0.7, 0.6), "gold": (0.6, 1, 1)}
    order = [(team, k) for team in tints for k in range(4)]
    faces = {
        f"{team}-{k}": np.asarray(drawn[k] * np.array(tints[team]), np.uint8) for team, k in order
    }
    assert odd_names(faces, kinds) == ()
    assert odd_names({}, kinds) == ()
    pictures = list(faces.values())
    slipped = dict(zip(faces, pictures[:8] + pictures[9:] + pictures[8:9], strict=True))
    assert set(odd_names(slipped, kinds)) >= {f"gold-{k}" for k in range(4)}


def test_a_box_names_no_cards_while_one_is_missing(full):
    with pytest.raises(DeckError, match="42 cards, 6 are here"):
        name_by_template(full, "light-speed-2003")


def test_a_box_brings_what_is_known_of_its_ships_and_a_list_of_names_nothing(full, tmp_path):
    names = ["red-moth", "blue-moth", "red-lancer", "red-destroyer", "asteroid-1", "red-fly"]
    folder = tmp_path / "it"
    shutil.copytree(full.folder, folder)
    listed = name_all(load_draft(folder), names)
    assert load_entry(finish_draft(listed, tmp_path / "decks").folder) == {}
    boxed = name_all(listed, names, "light-speed-2003")
    assert load_draft(folder) == boxed
    learned = finish_draft(boxed, tmp_path / "decks", replace=True)
    entry = load_entry(learned.folder)
    told = {ship: (steps.now.speed, steps.now.health) for ship, steps in entry.items()}
    assert told == {"moth": (1, 1), "lancer": (None, None), "destroyer": (10, 4)}
    assert set(entry["moth"].now.provenance.values()) == {"known"}
    own = {"moth": put(entry["moth"], DesignForm(speed=3, health=1, provenance={}))}
    save_entry(learned.folder, own)
    again = load_entry(finish_draft(boxed, tmp_path / "decks", replace=True).folder)
    assert again == own
    assert again["moth"].now.provenance == {"name": BY_HAND, "speed": BY_HAND, "health": "known"}


def test_names_come_as_a_list_or_from_a_box():
    assert read_names("Red Moth\r\n\n- \nblue, green\n") == ("Red Moth", "", "blue", "green")
    names = names_of_template("light-speed-2003")
    assert (len(names), names[0], names[-1]) == (42, "red-moth", "asteroid-2")
    with pytest.raises(DeckError, match="light-speed-2003"):
        names_of_template("other")


def test_drafts_lie_beside_the_decks(tmp_path):
    new_draft(draft_folder(tmp_path, "zoo"), "zoo", SIZE)
    assert draft_names(tmp_path) == ("zoo",)
    with pytest.raises(DeckError, match="already"):
        new_draft(draft_folder(tmp_path, "zoo"), "zoo", SIZE)
    with pytest.raises(DeckError):
        draft_folder(tmp_path, "../zoo")
    forget_draft(tmp_path, "zoo")
    assert draft_names(tmp_path) == ()
    for gone in (lambda: load_draft(tmp_path), lambda: forget_draft(tmp_path, "zoo")):
        with pytest.raises(DeckError, match="no draft"):
            gone()


def test_a_size_that_nothing_tells_is_not_guessed(shots, found):
    photo, corners = shots[1][0], found[1].corners_px
    with pytest.raises(TableNotFoundError, match="bank-card"):
        measure_cards(photo, Outlines(corners, corners), "bank-card")


def test_a_side_without_an_edge_is_said(shots, found, tmp_path):
    photo, whole = shots[1][0], found[1]
    x0, y0 = whole.corners_px[0, 1].astype(int)  # a corner at the top right
    x1, y1 = whole.corners_px[0, 2].astype(int)
    x, y = (int(0.75 * a + 0.25 * b) for a, b in ((x0, x1), (y0, y1)))
    blurred = photo.image.copy()
    part = blurred[y : y + abs(y1 - y0) // 4, x - 30 : x + 30]
    part[:] = part.mean(axis=(0, 1))  # sheen, as dark as the card
    said = find_cards(Photo(blurred), SIZE)
    assert said.edged[0] < 0.94 < whole.edged.min()
    draft = new_draft(tmp_path / "it", "sheen", SIZE)
    draft = add_photo(draft, Photo(blurred), encode_image(blurred, ".png"))
    assert [("edge" in card.doubts) for card in draft.cards] == [True] + [False] * 5
