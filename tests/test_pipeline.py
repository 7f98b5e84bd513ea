"""From the bytes of a photo to the round as the true table would have it."""

import io

import numpy as np
import pytest
from PIL import Image

from vision.errors import ImageDecodeError, TableNotFoundError
from vision.games.light_speed.resolve import resolve
from vision.games.light_speed.values import RuleOptions, TableObject, TableState
from vision.imaging.photo import encode_image
from vision.pipeline import scan_photo

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
    return scan_photo(as_file(photo.image), deck=deck, bank=bank)


def test_the_round_is_that_of_the_true_table(photo, scanned, deck):
    scan, _ = scanned
    expected = resolve(TableState(photo.cards), deck)
    assert len(hits(expected)) > 20
    assert len({shot[2] for shot in hits(expected)}) > 4  # cards are hit
    assert hits(scan.resolution) == hits(expected)
    assert scan.resolution.scores == expected.scores
    assert scan.resolution.winners == expected.winners


def test_the_scan_holds_what_was_seen_and_why(photo, scanned):
    scan, decoded = scanned
    assert (scan.width_px, scan.height_px) == (1600, 1200)
    assert decoded.image.shape == photo.image.shape
    assert decoded.focal_35mm == 26
    assert scan.table.cards == scan.placement.cards
    assert len(scan.readings) == len(scan.corners_px) == len(scan.table.cards) == 20
    assert scan.camera is scan.placement.camera
    assert set(scan.resolution.issues) <= set(scan.issues)


def test_every_stage_is_timed(scanned):
    timings = scanned[0].timings_ms
    assert {"decode", "detect", "classify", "pose", "resolve"} <= timings.keys()
    assert all(ms >= 0 for ms in timings.values())


def test_a_photo_stored_on_its_side_gives_the_same_scan(photo, scanned, deck, bank):
    lying = as_file(photo.image, orientation=6)
    scan, decoded = scan_photo(lying, deck=deck, bank=bank)
    assert decoded.image.shape == photo.image.shape
    assert hits(scan.resolution) == hits(scanned[0].resolution)
    for one, other in zip(scan.table.cards, scanned[0].table.cards, strict=True):
        assert one.card_id == other.card_id
        assert (one.x_mm, one.y_mm) == pytest.approx((other.x_mm, other.y_mm), abs=0.1)  # JPEG


def test_rules_and_objects_reach_the_round(show, deck, bank):
    photo = show(count=8)
    outline = np.array([[300.0, 300], [360, 300], [360, 360], [300, 360]])
    coaster = TableObject("coaster", "asteroid", outline)
    rules = RuleOptions(piracy=True, rocks=3)
    told: list[str] = []
    scan, _ = scan_photo(
        encode_image(photo.image, ".png"),
        deck=deck,
        bank=bank,
        rules=rules,
        objects=(coaster,),
        progress=told.append,
    )
    assert scan.table.rules == rules
    assert scan.table.objects == (coaster,)
    assert scan.table.deck == deck.name
    assert told[0] == "decode"
    assert told[-1] == "resolve"


def test_what_is_no_photo_and_what_is_no_table_are_told_apart(deck, bank):
    with pytest.raises(ImageDecodeError):
        scan_photo(b"no photo", deck=deck, bank=bank)
    blank = encode_image(np.full((400, 500, 3), 120, np.uint8), ".png")
    with pytest.raises(TableNotFoundError):
        scan_photo(blank, deck=deck, bank=bank)
