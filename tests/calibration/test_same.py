"""Cards of one form in other colours and fills are never put together; one in other light is."""

import itertools

import cv2
import numpy as np
import pytest

from calibration.drafts.cutting import cut_cards
from calibration.drafts.merging import match_cards
from calibration.drafts.outlines import find_cards
from tests.calibration.test_drafts import shoot
from tests.drawn_faces import draw_face

INKS = {"green": (60, 130, 20), "purple": (120, 30, 70), "red": (40, 40, 190)}
FILLS = ("solid", "dots", "outline")
FORMS = ("rect", "oval")
SIZE = (70.0, 110.0)
PX = 8.0  # a mm
LIGHT = {"gain": (0.75, 0.9, 1.0), "fall": 0.25}  # a warm lamp to one side


def sign_card(ink, fill, form):
    """Draw two signs of a form on white paper."""
    w, h = (round(side * PX) for side in SIZE)
    face = np.full((h, w, 3), 244, np.uint8)
    rng = np.random.default_rng(5)  # every ink has the same dots
    for y in (0.36, 0.64):
        mask = np.zeros((h, w), np.uint8)
        x0, x1, y0, y1 = int(0.22 * w), int(0.78 * w), int((y - 0.09) * h), int((y + 0.09) * h)
        if form == "rect":
            cv2.rectangle(mask, (x0, y0), (x1, y1), 255, -1)
        else:
            middle, half = ((x0 + x1) // 2, (y0 + y1) // 2), ((x1 - x0) // 2, (y1 - y0) // 2)
            cv2.ellipse(mask, middle, half, 0, 0, 360, 255, -1)
        rim = mask > cv2.erode(mask, np.ones((9, 9), np.uint8))
        dots = cv2.resize(rng.random((h // 4, w // 4)), (w, h), interpolation=cv2.INTER_NEAREST)
        within = {"solid": mask > 0, "dots": (mask > 0) & (dots < 0.4), "outline": rim}[fill]
        face[within | rim] = INKS[ink]
    return face


def cards_of(ink):
    return {f"{ink}-{fill}-{form}": sign_card(ink, fill, form) for fill in FILLS for form in FORMS}


def other_light(photo):
    """Light a photo warmly, and from one side."""
    fall = np.linspace(1 - LIGHT["fall"], 1, photo.image.shape[1])[None, :, None]
    lit = photo.image * fall * np.array(LIGHT["gain"])
    return type(photo)(np.asarray(np.clip(lit, 0, 255), np.uint8))


@pytest.fixture(scope="module")
def cuts():
    """Return the cut cards of three photos, one an ink, and of them in other places and light."""
    first, again = {}, {}
    for k, ink in enumerate(INKS):
        faces = cards_of(ink)
        names = list(faces)
        photo = shoot(faces, names, 30 + k)[0]
        first[ink] = names, cut_cards(photo, find_cards(photo, SIZE))
        moved = names[::-1]
        photo = other_light(shoot(faces, moved, 60 + k)[0])
        again[ink] = moved, cut_cards(photo, find_cards(photo, SIZE))
    return first, again


def test_cards_of_one_form_in_other_inks_are_never_one(cuts):
    first, again = cuts
    for one, other in itertools.combinations(INKS, 2):
        assert match_cards(first[one][1], first[other][1]) == (None,) * 6
        assert match_cards(again[other][1], first[one][1]) == (None,) * 6


def test_the_same_cards_in_other_light_are_known_by_fill_and_form(cuts):
    first, again = cuts
    for ink in INKS:
        names, faces = again[ink]
        known = first[ink][0]
        told = [like and known[like.known] for like in match_cards(faces, first[ink][1])]
        assert told == names


@pytest.mark.parametrize("left", range(6))
def test_a_card_whose_own_picture_is_not_there_is_new(cuts, left):
    """It is put to none of the others, though they are not claimed by cards of their own."""
    names, faces = cuts[1]["green"]
    known, before = cuts[0]["green"]
    others = tuple(face for k, face in enumerate(before) if k != left)
    assert match_cards((faces[names.index(known[left])],), others) == (None,)


def test_colours_of_a_picture_count_as_much_as_its_form():
    face = draw_face(503, SIZE)
    turned = cv2.cvtColor(face, cv2.COLOR_BGR2HSV)
    turned[..., 0] = (turned[..., 0].astype(int) + 60) % 180
    assert match_cards((cv2.cvtColor(turned, cv2.COLOR_HSV2BGR),), (face,)) == (None,)
