"""What looks like a mistake in the pictures and names of a deck is told, and nothing else is."""

import cv2
import numpy as np

from calibration.learned.checks import has_wide_margin, missing_names
from calibration.learned.learn import learn_deck
from tests.drawn_faces import draw_face, write_scans
from tests.learned import SIZE, draw_deck

RANKS = [*map(str, range(2, 11)), "j", "q", "k"]


def learned(faces, tmp_path):
    scans = tmp_path / f"scans-{len(list(tmp_path.iterdir()))}"
    write_scans(faces, scans)
    return learn_deck("drawn", scans, SIZE, tmp_path / "decks", replace=True)


def test_pictures_that_are_mirror_images_are_told(tmp_path):
    faces = draw_deck(8)
    faces["mirror-left"] = faces["pic-001"][:, ::-1]
    faces["mirror-down"] = faces["pic-004"][::-1]
    told = learned(faces, tmp_path).mirrored
    assert {frozenset(pair) for pair in told} == {
        frozenset(("pic-001", "mirror-left")),
        frozenset(("pic-004", "mirror-down")),
    }


def in_paper(face, mm):
    """Scan a face with paper round it, in the card's shape."""
    h, w = face.shape[:2]
    pad = round(mm / SIZE.width_mm * w)
    sheet = np.full((h + 2 * round(pad * h / w), w + 2 * pad, 3), 244, np.uint8)
    sheet[round(pad * h / w) :][:h, pad : pad + w] = face
    return cv2.resize(sheet, (w, h), interpolation=cv2.INTER_AREA)


def test_paper_round_a_card_is_told_and_a_white_border_is_not(tmp_path):
    faces = draw_deck(24)
    dark = {name: face for name, face in faces.items() if face[:40].mean() < 190}
    assert not learned(faces, tmp_path).in_paper
    papers = {name: in_paper(face, 9.0) for name, face in dark.items()}
    told = learned(papers, tmp_path).in_paper
    assert len(papers) > 5
    assert len(told) >= 0.7 * len(papers)


def test_a_white_card_with_a_sign_in_its_middle_has_no_paper_round_it():
    card = np.full((264, 189, 3), 246, np.uint8)
    cv2.ellipse(card, (94, 132), (45, 25), 0, 0, 360, (40, 30, 160), -1)
    assert not has_wide_margin(card, 3.0)


def test_faces_missing_from_suits_and_ranks_are_told():
    for form in ("{r}{s}", "{s}{r}", "{s}-{r}", "{r}-of-{s}"):
        deck = [form.format(r=r, s=s) for r in RANKS for s in "cdhs"]
        rng = np.random.default_rng(3)
        kept = rng.permutation(deck)[:33].tolist()
        told, holes = set(missing_names(kept)), set(deck) - set(kept)
        assert told <= holes  # a rank of which one of four is there may be a name of its own
        assert len(told) >= 0.75 * len(holes)
        assert missing_names(deck) == ()
        assert missing_names([*deck, "joker", "rules"]) == ()


def test_names_in_teams_of_unlike_ships_and_numbered_pictures_are_whole():
    ships = {"red": "moth wasp ant", "blue": "crab eel ray", "green": "oak elm fir ash"}
    names = [f"{team}-{ship}" for team, kinds in ships.items() for ship in kinds.split()]
    assert missing_names(names) == ()
    assert missing_names([f"img-{k:04d}" for k in (1, 2, 3, 5, 8, 13, 21, 34)]) == ()
    assert missing_names([]) == missing_names(["one"]) == ()


def test_a_whole_deck_is_learned_without_a_word(tmp_path):
    faces = {
        f"{r}{s}": draw_face(40 + 4 * k + j)
        for k, r in enumerate("234")
        for j, s in enumerate("cdhs")
    }
    told = learned(faces, tmp_path)
    assert (told.mirrored, told.in_paper, told.missing) == ((), (), ())
