"""What photos tell of a deck's size and cut: it adds up, and the faces come to be the cards."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.learned.decks import CUT_SD, load_learned, save_fit
from calibration.learned.fit import Evidence, Fit, add_evidence, combine, recut_faces, refit
from tests.learned import bank_of, draw_deck, learn
from vision.errors import DeckError
from vision.values.layout import TrimEstimate

TOLD_SD = np.array(CUT_SD)
TONES_TOL = 6.0  # of 255, mean: cubic sampling of art with fine noise, twice
numbers = st.lists(st.floats(-1, 1), min_size=5, max_size=5).map(
    lambda v: np.array(v) * [0.03, 0.05, 0.05, 1.0, 1.0]
)
SHARP = np.diag([1e-3, 1e-3, 1e-3, 0.05, 0.05]) ** 2.0


def told(photo: str, cut: np.ndarray, covariance: np.ndarray = SHARP) -> Evidence:
    information = np.linalg.inv(covariance)
    return Evidence(photo, TrimEstimate(information @ cut, information))


@given(numbers, st.integers(1, 9))
def test_photos_that_agree_are_believed(cut, count):
    """What was told gives way to what is seen, the more the more photos say so."""
    found, sd = combine([told(str(k), cut) for k in range(count)], TOLD_SD)
    assert np.all(np.abs(found) <= np.abs(cut) + 1e-9)  # from what was told towards what is seen
    assert np.all(np.abs(found - cut) < 2 * sd)


@given(st.lists(st.tuples(st.integers(0, 5), numbers), max_size=8), st.randoms())
def test_neither_order_nor_repeats_of_photos_count(photos, random):
    evidence = [told(str(k), cut) for k, cut in dict(photos).items()]
    mixed = [*evidence, *evidence]
    random.shuffle(mixed)
    once, again = add_evidence((), evidence), add_evidence(mixed, evidence)
    assert [one.photo for one in once] == [one.photo for one in again]
    assert np.array_equal(combine(once, TOLD_SD)[0], combine(again, TOLD_SD)[0])


def test_without_photos_a_deck_is_as_it_was_told():
    found, sd = combine([], TOLD_SD)
    assert not found.any()
    assert np.all(sd > 0)


def test_a_photo_that_agrees_with_what_was_told_changes_nothing():
    found, sd = combine([told("a", np.zeros(5))], TOLD_SD)
    assert not found.any()
    assert np.all(sd < TOLD_SD)


@pytest.fixture(scope="module")
def faces():
    return draw_deck(3, first=40)


def test_faces_cut_right_stay_as_they_are(faces):
    bank = bank_of(faces)
    same = Fit(bank.size_mm, np.zeros(5), TOLD_SD)
    assert np.array_equal(recut_faces(bank, same), bank.images)


def test_faces_cut_inside_the_edge_come_to_lie_where_they_are_printed(faces):
    """Cut 10, 20, 30 and 15 pixels inside, and told as of the full size: recut, the art is back."""
    whole = bank_of(faces)
    left, top, right, bottom = 10, 20, 30, 15
    k, high, wide = whole.images.shape[:3]
    trimmed = {
        names[0]: image[top : high - bottom, left : wide - right]
        for names, image in zip(whole.names, whole.images, strict=True)
    }
    bank = bank_of(trimmed)
    share = np.array([(left + right) / wide, (top + bottom) / high])
    shift = np.array([left - right, top - bottom]) / 2 / wide * whole.width_mm
    fit = Fit(whole.size_mm, np.array([0.0, *-share, *shift]), TOLD_SD)
    again = refit(bank, fit, recut_faces(bank, fit))
    assert again.size_mm == whole.size_mm
    # the bank of trimmed pictures has fewer pixels per mm: compare at its scale
    grid = again.images.shape[2], again.images.shape[1]
    wanted = np.stack(
        [cv2.resize(face, grid, interpolation=cv2.INTER_AREA) for face in whole.images]
    )
    inner = np.s_[:, 30:-25, 20:-35]
    off = np.abs(again.images[inner].astype(float) - wanted[inner])
    assert off.mean() < TONES_TOL
    beside = np.abs(again.images[inner].astype(float) - np.roll(wanted, 4, axis=2)[inner])
    assert off.mean() < 0.5 * beside.mean()  # half a mm off would show
    assert len(again.images) == k


def test_what_is_kept_comes_back_and_is_forgotten(faces, tmp_path):
    folder = learn(faces, tmp_path).folder
    before = (folder / "deck.toml").read_bytes()
    cut = np.array([-0.02, -0.03, -0.04, 0.2, -0.3])
    fit = Fit((63.0, 90.0), cut, TOLD_SD / 2, (told("0123456789abcdef", cut),))
    save_fit(folder, fit)
    kept = load_learned(folder)
    assert kept.bank.size_mm == (63.0, 90.0)
    assert (kept.deck.width_mm, kept.deck.height_mm) == (63.0, 90.0)
    assert kept.bank.cut_sd == pytest.approx(tuple(TOLD_SD / 2))
    assert kept.fit is not None
    assert np.array_equal(kept.fit.cut, cut)
    assert [one.photo for one in kept.fit.evidence] == ["0123456789abcdef"]
    as_told = load_learned(folder, as_told=True)
    assert as_told.bank.size_mm == (63.0, 88.0)
    assert as_told.fit is None
    twice = (folder / "deck.toml").read_bytes()
    save_fit(folder, fit)
    assert (folder / "deck.toml").read_bytes() == twice
    assert len(list(folder.glob("fitted-*.npy"))) == 1
    save_fit(folder, None)
    assert (folder / "deck.toml").read_bytes() == before
    assert not list(folder.glob("fitted-*.npy"))


def test_a_lost_file_of_fitted_faces_is_told(faces, tmp_path):
    folder = learn(faces, tmp_path).folder
    save_fit(folder, Fit((63.0, 90.0), np.zeros(5), TOLD_SD))
    for file in folder.glob("fitted-*.npy"):
        file.unlink()
    with pytest.raises(DeckError, match="learn the deck again"):
        load_learned(folder)
