"""What hands and programs do to a photo on its way: turned, framed, squeezed, still the same."""

import io
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from vision.games.light_speed.game import LightSpeed
from vision.imaging.photo import encode_image
from vision.pipeline import scan as read_scan
from vision.seeing.detector import build_detector

SAMPLE = Path(__file__).parents[2] / "sample_photos" / "two-teams-flat.jpg"
ORIENTATION = 0x0112


def small() -> np.ndarray:
    image = cv2.imread(str(SAMPLE))
    return cv2.resize(image, (2000, 1500), interpolation=cv2.INTER_AREA)


def by_exif(image: np.ndarray) -> bytes:
    """Stored on its side, as phones do, with a tag that says so."""
    picture = Image.fromarray(cv2.rotate(image, cv2.ROTATE_90_COUNTERCLOCKWISE)[..., ::-1])
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=92, exif=exif)
    return buffer.getvalue()


def screenshot(image: np.ndarray) -> bytes:
    """In the middle of a tall screen: black above and below, a status bar and buttons."""
    screen = np.zeros((2800, 2000, 3), np.uint8)
    screen[650:2150] = image
    cv2.rectangle(screen, (0, 0), (2000, 90), (245, 245, 245), -1)
    cv2.putText(screen, "12:41", (60, 65), cv2.FONT_HERSHEY_SIMPLEX, 1.6, (20, 20, 20), 4)
    for x in (300, 1000, 1700):
        cv2.circle(screen, (x, 2650), 60, (250, 250, 250), 5)
    return encode_image(screen, ".png")


HANDLED = {
    "turned by half": lambda image: encode_image(cv2.rotate(image, cv2.ROTATE_180), ".jpg", 92),
    "upright by its tag": by_exif,
    "a screenshot with borders": screenshot,
    "strong JPEG": lambda image: encode_image(image, ".jpg", 25),
    "without colour balance": lambda image: encode_image(
        np.clip(image * [0.75, 0.95, 1.15], 0, 255).astype(np.uint8), ".jpg", 90
    ),
    "cropped off the middle": lambda image: encode_image(
        np.ascontiguousarray(image[:, 180:]), ".jpg", 92
    ),
}


@pytest.fixture(scope="module")
def plain(deck, bank):
    return read_scan(encode_image(small(), ".jpg", 92), LightSpeed(deck), build_detector(bank))[0]


@pytest.mark.parametrize("way", HANDLED)
def test_the_round_stays_what_it_was(plain, deck, bank, way):
    scan, _ = read_scan(HANDLED[way](small()), LightSpeed(deck), build_detector(bank))
    names = {card.card_id for card in scan.table.cards}
    lost = {card.card_id for card in plain.table.cards} - names
    if way == "cropped off the middle":
        assert len(lost) <= 3  # some lie outside the picture now
    else:
        assert names == {card.card_id for card in plain.table.cards}
        assert scan.outcome.scores == plain.outcome.scores
