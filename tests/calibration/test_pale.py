"""Light that lay over all photos of a card is told by its twins, and kept with the deck."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.drafts.draft import add_photo, change_card, name_all, new_draft
from calibration.drafts.finish import finish_draft
from calibration.drafts.merging import match_cards
from calibration.drafts.pale import contrast_left, unsure_of
from calibration.learned.decks import load_learned
from tests.calibration.test_drafts import SIZE, shoot
from tests.drawn_faces import draw_face
from vision.imaging.photo import encode_image

CONTRAST_TOL = 0.06  # of a share: colours of twins are not equally light
RED, BLUE = (40, 40, 200), (200, 90, 40)


def twin(seed, colour):
    """Draw a card with a frame of a colour."""
    face = draw_face(seed, SIZE)
    face[:20], face[-20:], face[:, :20], face[:, -20:] = (colour,) * 4
    return face


def veiled(face, left, warm=0.0):
    """Lay light over a card, more to its right, that leaves a share of its contrast."""
    x = np.linspace(-1, 1, face.shape[1])[None, :, None]
    light = (1 - left) * 200 * (1 + 0.3 * x) * (1 + warm * np.array([-1.0, 0.0, 1.0]))
    return np.asarray(np.clip(left * face + light, 0, 255), np.uint8)


@pytest.mark.parametrize(("left", "warm"), [(0.45, 0.1), (0.6, -0.15), (0.75, 0.0), (1.0, 0.0)])
def test_a_twin_tells_what_light_has_left(left, warm):
    lit = {"red-moth": twin(500, RED), "blue-moth": veiled(twin(500, BLUE), left, warm)}
    told = contrast_left(lit)
    assert told["blue-moth"] == pytest.approx(left, abs=CONTRAST_TOL)
    assert told["red-moth"] > 1 - CONTRAST_TOL


def test_cards_without_a_twin_and_cards_drawn_otherwise_tell_nothing():
    pale = veiled(twin(500, BLUE), 0.5)
    assert contrast_left({}) == {}
    assert contrast_left({"moth": pale, "fly": twin(500, RED)}) == {"moth": 1.0, "fly": 1.0}
    other = contrast_left(
        {"blue-moth": pale, "red-fly": twin(500, RED), "red-moth": twin(503, RED)}
    )
    assert set(other.values()) == {1.0}


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_less_is_left_the_less_sure_is_a_face(one, other):
    assert unsure_of(min(one, other)) >= unsure_of(max(one, other))
    assert unsure_of(0.0) < 1


def test_another_number_is_another_card_and_light_that_changes_slowly_no_glare():
    card = twin(500, RED)
    (like,) = match_cards((veiled(card, 0.8),), (card,))
    assert like is not None
    assert not like.has_glare
    number = card.copy()
    number[60:130, 60:130] = 255 - number[60:130, 60:130]
    assert match_cards((number,), (card,)) == (None,)


def test_a_pale_card_is_doubted_once_its_twin_is_known_and_the_deck_says_how_unsure(tmp_path: Path):
    faces = {
        "red-moth": twin(500, RED),
        "blue-moth": veiled(twin(500, BLUE), 0.55),
        "red-fly": twin(503, RED),
        "blue-fly": twin(503, BLUE),
    }
    photo, _, _ = shoot(faces, list(faces), 3)
    draft = new_draft(tmp_path / "it", "veiled", SIZE)
    draft = add_photo(draft, photo, encode_image(photo.image, ".png"))
    assert len(draft.cards) == len(faces)
    assert not any("pale" in card.doubts for card in draft.cards)
    draft = name_all(draft, list(faces))
    assert [card.name for card in draft.cards if "pale" in card.doubts] == ["blue-moth"]
    alone = change_card(draft, draft.cards[0].id, dropped=True)
    assert not any("pale" in card.doubts for card in alone.cards)
    back = change_card(alone, draft.cards[0].id, dropped=False)
    assert [card.name for card in back.cards if "pale" in card.doubts] == ["blue-moth"]
    folder = finish_draft(back, tmp_path / "decks").folder
    bank = load_learned(folder).bank
    unsure = dict(zip(bank.card_ids, bank.unsure.tolist(), strict=True))
    assert max(unsure, key=unsure.__getitem__) == "blue-moth"
    assert unsure["blue-moth"] > 2 * unsure["red-fly"] > 0
