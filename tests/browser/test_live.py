"""The live page in a real Chromium with a camera that plays a film, and with one that misbehaves."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.apps.live_help import NAMES, film_of, jpeg
from tests.browser.conftest import ARGUMENTS, CHROMIUM, DESKTOP, PHONE
from tests.browser.test_page import check_axe

COPIES = 3  # Chromium plays such a file at 30 pictures a second, the film has 10
LEAD_S = 4.0  # an empty table, while the watch gets ready
HOLD_S = 9.0  # the finished table, until the film begins again
PATIENCE_MS = 60_000

#: A camera in the page's hands: what window.table draws, as long as it draws.
OWN_CAMERA = """
(() => {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  const table = (window.table = { image: null, isOn: true, canvas });
  setInterval(() => {
    if (!table.isOn) return;
    context.fillStyle = '#000';
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (table.image) context.drawImage(table.image, 0, 0, canvas.width, canvas.height);
    context.fillStyle = `rgb(0, 0, ${(table.n = ((table.n || 0) + 1) % 3)})`;
    context.fillRect(0, 0, 2, 2);
  }, 70);
  table.show = async (url, width, height) => {
    const image = url ? new Image() : null;
    if (image) {
      image.src = url;
      await image.decode();
    }
    [canvas.width, canvas.height] = [width, height];
    table.image = image;
    table.isOn = true;
  };
  navigator.mediaDevices.getUserMedia = async () => {
    table.asked = (table.asked || 0) + 1;
    return canvas.captureStream(15);
  };
})();
"""


@pytest.fixture(scope="module")
def film_file(tmp_path_factory) -> Path:
    """Two cards are laid one after the other."""
    film = film_of()
    place = tmp_path_factory.mktemp("camera") / "film.mjpeg"
    cards = film.cards[:2]
    frames = [*film.rest([], 0.1)] * round(LEAD_S * 10)
    for k, card in enumerate(cards):
        frames += film.visit(cards[:k], cards[: k + 1], (card.x_mm, card.y_mm), seconds=0.8)
        frames += film.rest(cards[: k + 1], 0.8)
    frames += [*film.rest(cards, 0.5)] * round(HOLD_S * 2)
    with place.open("wb") as file:
        for image, _ in frames:
            file.write(jpeg(image) * COPIES)
    return place


@pytest.fixture(scope="module")
def camera_browser(film_file) -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                *ARGUMENTS,
                "--use-fake-device-for-media-stream",
                "--use-fake-ui-for-media-stream",
                f"--use-file-for-fake-video-capture={film_file}",
            ],
        )
        yield browser
        browser.close()
