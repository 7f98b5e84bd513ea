"""The decks: what is done often is in sight, the rest behind one button; by keys alone too."""

import io

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from calibration.learned.learn import DeckSize, learn_deck
from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.test_page import check_axe
from tests.learned import draw_deck
from vision.imaging.photo import encode_image

FEWER_THAN = 7  # buttons a deck (issue 36)
SMALLEST = {**PHONE, "viewport": {"width": 320, "height": 568}}
SEEN = 3.0  # of what is no text (WCAG 1.4.11)
WHITE = 240
BORDER = 30  # of the pixels of a drawn face


@pytest.fixture
def deck(server, tmp_path):
    """A deck of four cards with a white border."""
    for name, face in draw_deck(4).items():
        face = face.copy()
        for rim in (face[:BORDER], face[-BORDER:], face[:, :BORDER], face[:, -BORDER:]):
            rim[:] = 255
        (tmp_path / f"{name}.png").write_bytes(encode_image(face, ".png"))
    return learn_deck(
        "shelf", tmp_path, DeckSize(63.0, 88.0), server.folder / "decks", replace=True
    )


@pytest.mark.parametrize("device", [PHONE, DESKTOP, SMALLEST], ids=["phone", "desk", "smallest"])
def test_a_deck_has_fewer_than_seven_buttons_and_the_rest_behind_one(open_page, deck, device):
    page = open_page("/#/decks", **device)
    item = page.locator(".deckitem", has_text="shelf")
    tools = item.locator("button:visible, a:visible, summary:visible")
    expect(tools).to_have_text(["View", "What the cards do", "Share", "More"])
    assert tools.count() < FEWER_THAN
    check_axe(page)
    more = item.locator("summary")
    more.focus()
    page.keyboard.press("Enter")
    expect(item.get_by_role("button", name="Rename")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    check_axe(page)
    page.keyboard.press("Tab")
    expect(item.get_by_role("button", name="Rename")).to_be_focused()
    page.keyboard.press("Escape")
    expect(item.get_by_role("button", name="Rename")).to_be_hidden()
    expect(more).to_be_focused()
    page.keyboard.press("Enter")
    item.get_by_role("button", name="Duplicate").click()
    page.get_by_role("dialog").get_by_role("button", name="Duplicate").click()
    copy = page.locator(".deckitem", has_text="shelf-2")
    copy.locator("summary").click()
    copy.get_by_role("button", name="Delete").click()
    expect(copy).to_have_count(0)


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2.2)."""

    def light(colour: np.ndarray) -> float:
        part = colour[:3] / 255
        linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722]) + 0.05

    pair = sorted((light(one), light(other)))
    return pair[1] / pair[0]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_edge_of_a_card_with_a_white_border_is_seen(open_page, deck, scheme):
    """Between the page and the white of the card lies a line, or the page is dark."""
    page = open_page("/#/decks", **{**DESKTOP, "color_scheme": scheme})
    page.locator(".deckitem", has_text="shelf").get_by_role("button", name="View").click()
    face = page.locator(".faces img").first
    face.evaluate("node => node.decode()")
    box = face.bounding_box()
    beside = {"x": box["x"] - 4, "y": box["y"] + box["height"] / 2, "width": 8, "height": 1}
    shot = page.screenshot(clip=beside)
    pixels = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), float)[0]
    assert pixels[-1].min() > WHITE  # the border of the card
    assert max(contrast(pixels[0], one) for one in pixels) >= SEEN
