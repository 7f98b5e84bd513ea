"""From the bytes of a photo to the round as the true table would have it."""

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from tests.synth import photograph
from vision import pipeline
from vision.errors import ImageDecodeError, TableNotFoundError
from vision.games.light_speed.game import LightSpeed, pieces_of
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import RuleOptions, TableState
from vision.games.none.game import NoGame
from vision.imaging.photo import encode_image
from vision.pipeline import scan as read_scan
from vision.seeing.detector import build_detector
from vision.texts import make_issue, texts

ORIENTATION, EXIF_IFD, FOCAL_35MM = 0x0112, 0x8769, 0xA405


def as_file(image: np.ndarray, *, focal: int = 26, orientation: int = 1) -> bytes:
    """Save a photo as a phone does: JPEG with EXIF, stored as the sensor was held."""
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    exif.get_ifd(EXIF_IFD)[FOCAL_35MM] = focal
    stored = np.rot90(image, 1) if orientation == 6 else image
    out = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(stored[..., ::-1])).save(
        out, "JPEG", quality=95, exif=exif
    )
    return out.getvalue()


def hits(resolution):
    return [
        (s.ship, s.laser, s.hit and s.hit.card, s.hit and s.hit.shielded)
        for step in resolution.steps
        for s in step.shots
    ]


@pytest.fixture(scope="module")
def photo(show):
    return show(count=20, tilt_deg=25.0, seed=6, size_wh=(1600, 1200))


@pytest.fixture(scope="module")
def scanned(photo, deck, bank):
    return read_scan(as_file(photo.image), LightSpeed(deck), build_detector(bank))


def test_the_round_is_that_of_the_true_table(photo, scanned, deck):
    scan, _ = scanned
    expected = resolve(TableState(photo.cards), deck)
    assert len(hits(expected)) > 20
    assert len({shot[2] for shot in hits(expected)}) > 4  # cards are hit
    assert hits(scan.outcome) == hits(expected)
    assert scan.outcome.scores == expected.scores
    assert scan.outcome.winners == expected.winners


def test_the_scan_holds_what_was_seen_and_why(photo, scanned):
    scan, (decoded,) = scanned
    assert scan.layout.size_wh == (1600, 1200)
    assert decoded.image.shape == photo.image.shape
    assert decoded.focal_35mm == 26
    assert len(scan.layout.placed) == len(scan.table.cards) == 20
    for placed, card in zip(scan.layout.placed, scan.table.cards, strict=True):
        assert (placed.piece, placed.x_mm, placed.y_mm, placed.theta_rad) == (
            card.card_id,
            card.x_mm,
            card.y_mm,
            card.theta_rad,
        )
    assert scan.table.joint_covariance is scan.layout.joint_covariance
    assert scan.doubts_of_judging == scan.outcome.issues
    assert scan.issues == (*scan.layout.doubts, *scan.outcome.issues)


def test_every_stage_is_timed(scanned):
    timings = scanned[0].timings_ms
    assert {"decode", "detect", "classify", "pose", "resolve"} <= timings.keys()
    assert all(ms >= 0 for ms in timings.values())


def test_a_photo_stored_on_its_side_gives_the_same_scan(photo, scanned, deck, bank):
    lying = as_file(photo.image, orientation=6)
    scan, (decoded,) = read_scan(lying, LightSpeed(deck), build_detector(bank))
    assert decoded.image.shape == photo.image.shape
    assert hits(scan.outcome) == hits(scanned[0].outcome)
    for one, other in zip(scan.table.cards, scanned[0].table.cards, strict=True):
        assert one.card_id == other.card_id
        assert (one.x_mm, one.y_mm) == pytest.approx((other.x_mm, other.y_mm), abs=0.1)  # JPEG


def test_options_reach_the_round(show, deck, bank):
    rules = RuleOptions(piracy=True, rocks=3)
    told: list[str] = []
    photo = encode_image(show(count=8).image, ".png")
    game = LightSpeed(deck)
    scan, _ = read_scan(photo, game, build_detector(bank), options=rules, progress=told.append)
    assert scan.game == "light-speed"
    assert scan.table.rules == rules
    assert scan.table.deck == deck.name
    assert told[0] == "decode"
    assert told[-1] == "resolve"


def test_a_table_takes_no_more_photos_than_its_game(deck, bank):
    with pytest.raises(ValueError, match="expected 1 to 8 for light-speed, got 9"):
        read_scan([b""] * 9, LightSpeed(deck), build_detector(bank))


def test_two_photos_of_one_table_are_one_round(photo, deck, bank):
    other, _ = photograph(replace(photo.scene, tilt_deg=10.0, azimuth_deg=200.0), bank)
    both = [as_file(photo.image), as_file(other)]
    scan, photos = read_scan(both, LightSpeed(deck), build_detector(bank))
    assert len(scan.layouts) == 1
    assert scan.photos == (0, 1)  # both are of the table, and looked at beside the first
    assert [one.image.shape for one in photos] == [photo.image.shape] * 2
    assert hits(scan.outcome) == hits(resolve(TableState(photo.cards), deck))
    again, _ = read_scan([both[0], both[0]], LightSpeed(deck), build_detector(bank))
    assert again.outcome.scores == scan.outcome.scores


def test_a_deck_without_a_game_is_only_read(show, deck, bank):
    game = NoGame(pieces_of(deck))
    scan, _ = read_scan(encode_image(show(count=8).image, ".png"), game, build_detector(bank))
    assert scan.outcome is None
    assert scan.ledger.outcome.key == "report.places"
    assert len(game.write(scan.table)["cards"]) == 8
    assert game.write_outcome(scan.outcome) is None


def test_what_is_no_photo_and_what_is_no_table_are_told_apart(deck, bank):
    with pytest.raises(ImageDecodeError):
        read_scan(b"no photo", LightSpeed(deck), build_detector(bank))
    blank = encode_image(np.full((400, 500, 3), 120, np.uint8), ".png")
    with pytest.raises(TableNotFoundError):
        read_scan(blank, LightSpeed(deck), build_detector(bank))


def test_the_place_of_a_doubt_in_another_photo_is_told_with_its_photo():
    """Only the first photo is the picture of the round: in it no other place is shown."""
    doubt = make_issue("sheet_unnamed", "issue.sheet_unnamed", x="12", y="7")
    told = pipeline._elsewhere(doubt, 2)
    assert told.message == f"photo 2: {doubt.message}" == texts("en").tell(told.said)
    assert texts("fr").tell(told.said) == f"photo 2 : {texts('fr').tell(doubt.said)}"
    assert told.at_px is None
    placeless = replace(doubt, at_px=None)
    assert pipeline._elsewhere(placeless, 2) == placeless
