"""Hard conditions: whatever a photo does to its cards, no wrong round goes without a word."""

from pathlib import Path

import pytest

from bench.common.light_speed import true_round
from tests.light_speed import scanned
from tests.truth import compare, load_truth

HARD = Path(__file__).parent / "hard"
PHOTOS = sorted(HARD.glob("*.jpg"))
#: What must be said of each, among other things: what its condition is about.
TELLS = {
    "card-under-a-hand": {"table_covered"},
    "chain-and-fan": {"cards_overlap"},
    "hand-over-a-card": {"table_covered"},
}
PLACE_TOL_MM = 0.6  # half to one pixel of photos of 2 to 3 megapixels; seen: 0.3


def test_the_set_is_small_and_not_empty():
    assert 8 <= len(PHOTOS) <= 12
    assert sum(p.stat().st_size for p in PHOTOS) < 20e6


@pytest.mark.parametrize("photo", PHOTOS, ids=lambda p: p.stem)
def test_no_wrong_round_goes_without_a_word(deck, photo):
    scan, truth = scanned(photo), load_truth(photo.with_suffix(".truth.json"))
    doubts = {issue.code for issue in scan.issues if issue.severity == "doubt"}
    is_right = scan.outcome.scores == true_round(truth, deck).scores
    assert is_right or doubts
    assert doubts >= TELLS.get(photo.stem, set())


@pytest.mark.parametrize("photo", PHOTOS, ids=lambda p: p.stem)
def test_all_cards_in_view_are_found_and_no_others(photo):
    truth = load_truth(photo.with_suffix(".truth.json"))
    found = compare(scanned(photo).table.cards, truth)
    assert found.missed == ()
    assert found.false == ()
    if photo.stem != "printed-at-97":  # its millimetres are 3 % short, as the cards are
        assert found.position_mm.max() < PLACE_TOL_MM
