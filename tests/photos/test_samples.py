"""Every sample photo against its truth."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from calibration.templates import build_bank
from tests.bench.accuracy import hits, true_round
from tests.truth import Truth, compare, load_truth
from vision.pipeline import scan_photo
from vision.rules.deck import load_deck
from vision.types import Scan

PHOTOS = sorted((Path(__file__).parents[2] / "sample_photos").glob("*.jpg"))
# Seen on these photos: medians to 0.11 mm, the worst card (curled, seen obliquely) 0.47 mm.
# An edge of a card is 0.1 px at 4 px/mm; what is left is the cards' own shape.
MEDIAN_MM = 0.15
WORST_MM = 0.60
MEDIAN_DEG = 0.03
WORST_DEG = 0.10


@cache
def read(photo: Path) -> tuple[Scan, Truth]:
    deck = load_deck("light-speed")
    scan, _ = scan_photo(photo.read_bytes(), deck=deck, bank=build_bank(deck))
    return scan, load_truth(photo.with_suffix(".truth.json"))


def test_there_are_enough_samples() -> None:
    assert len(PHOTOS) >= 8


@pytest.mark.parametrize("photo", PHOTOS, ids=lambda p: p.stem)
class TestSample:
    def test_every_card_is_found_and_named(self, photo: Path) -> None:
        scan, truth = read(photo)
        assert {c.card_id for c in scan.placement.cards} == set(truth.poses)

    def test_cards_lie_where_they_lay(self, photo: Path) -> None:
        scan, truth = read(photo)
        c = compare(scan.placement.cards, truth)
        assert np.median(c.position_mm) < MEDIAN_MM
        assert c.position_mm.max() < WORST_MM
        assert np.median(np.abs(c.angle_deg)) < MEDIAN_DEG
        assert np.abs(c.angle_deg).max() < WORST_DEG

    def test_round_comes_out_as_on_the_true_table(self, photo: Path) -> None:
        scan, truth = read(photo)
        expected = true_round(truth, load_deck("light-speed"))
        assert hits(scan.resolution) == hits(expected)
        assert scan.resolution.scores == expected.scores
        assert {t: s.total for t, s in expected.scores.items()} == {
            t: s["total"] for t, s in truth.scores.items()
        }

    def test_covariance_is_honest(self, photo: Path) -> None:
        scan, truth = read(photo)
        # two degrees of freedom: 99.9 % of honest errors are inside 13.8; cards of one photo
        # share their lens, so the photo's mean may be some times the expected 2
        assert compare(scan.placement.cards, truth).nees.mean() < 10
