"""Every page holds its words: nothing is cut or runs out of its box on small and large screens."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PHONE
from tests.browser.test_careers import TURN, begin
from tests.drawn_faces import draw_face
from tests.learned import SIZE, shoot
from vision.imaging.photo import encode_image

SMALLEST = {**PHONE, "viewport": {"width": 320, "height": 568}, "locale": "fr-FR"}
LARGE = {"viewport": {"width": 1920, "height": 1080}, "locale": "fr-FR"}
SCREENS = pytest.mark.parametrize("screen", [SMALLEST, PHONE, LARGE], ids=["320", "390", "1920"])
#: What has words of its own, and is wider inside than outside; tabs may be pushed aside.
CUT = """() => [...document.querySelectorAll(
        ".btn, .panel, .hero, .scroll, .item, .title, .wrap, .field, th, td, h1, h2, dialog > div")]
    .filter((node) => node.checkVisibility() && !node.matches(".sr, .sr *"))
    .filter((node) => node.clientWidth && node.scrollWidth > node.clientWidth + 1)
    .map((node) => `${node.tagName}.${node.className}: ${node.textContent.slice(0, 60)}`)"""
#: A sign of French that an ordinary space lets stand at the beginning of a line.
LOOSE = re.compile(r"[^ \n] (?=[?!:;»])")


def check_fits(page: Page) -> None:
    assert page.evaluate(CUT) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def forget(server, evening: str) -> None:
    """Delete an evening: else photos of later tests would come into it."""
    server.ask(f"/evenings/{evening}", method="DELETE")


@pytest.fixture(scope="module")
def evening(server, round_id):
    """An evening with four sides of one game, a career's game, and a position without orders."""
    made = server.ask("/evenings", {"name": "Vendredi avec les cousins"})["id"]
    server.ask(f"/tables?evening={made}&name=premier", TURN)
    position = "game laser-shield\nstart\n"
    server.ask(f"/tables?evening={made}", position)
    server.ask(f"/scans/{round_id}", {"evening": made}, "PATCH")
    yield made
    forget(server, made)


@pytest.fixture
def friday(server):
    """An evening of one turn, which A wins."""
    made = server.ask("/evenings", {"name": "Friday"})["id"]
    server.ask(f"/tables?evening={made}&name=premier", TURN)
    yield made
    forget(server, made)


@pytest.fixture(scope="module")
def draft(server):
    """A draft of a few cards of a photo."""
    faces = {f"card-{k}": draw_face(500 + k, (SIZE.width_mm, SIZE.height_mm)) for k in range(4)}
    photo, _ = shoot(faces, sorted(faces), 5, tilt_deg=5.0)
    server.ask("/drafts", {"name": "petit-jeu", "size_mm": [SIZE.width_mm, SIZE.height_mm]})
    server.ask("/drafts/petit-jeu/photos", encode_image(photo.image, ".jpg"))
    return "petit-jeu"


@SCREENS
def test_home_and_an_evening_hold_their_words(open_page, server, evening, screen):
    page = open_page("/", **screen)
    expect(page.locator(".shows img").last).to_be_visible()
    page.locator(".item").first.wait_for()
    check_fits(page)
    if screen.get("locale") == "fr-FR":
        assert not LOOSE.search(page.locator(".hero").inner_text())
    page.goto(f"{server.url}/#/evening/{evening}")
    page.wait_for_selector(".running tfoot")
    check_fits(page)


def test_rounds_of_an_evening_tell_their_day_once(open_page, evening):
    page = open_page("/", **{**PHONE, "locale": "en-GB"})
    panel = page.locator("section.panel", has_text="Vendredi avec les cousins")
    assert len(re.findall(r"November|December|\bNov\b", panel.inner_text())) <= 1
    expect(
        panel.locator(".title").filter(has_text=re.compile(r"Round \d+, \d\d:\d\d$"))
    ).not_to_have_count(0)


@SCREENS
def test_all_of_a_round_holds_its_words(open_page, round_id, screen):
    page = open_page(f"/#/round/{round_id}", **screen)
    page.wait_for_selector(".stage g.card")
    for tab in ("doubts", "ledger", "table", "edit", "take"):
        page.click(f"#tab-{tab}")
        expect(page.locator(f"#tab-{tab}")).to_have_attribute("aria-selected", "true")
        check_fits(page)
    page.locator(".side .panel .btn").last.click()  # this is wrong
    page.get_by_role("dialog").wait_for()
    check_fits(page)


@SCREENS
def test_a_career_decks_and_a_draft_hold_their_words(open_page, server, friday, draft, screen):
    page = open_page(f"/#/evening/{friday}", **{**screen, "locale": "en-GB"})
    begin(page, "A", "Zoé")
    page.get_by_role("link", name="unnamed").click()
    page.wait_for_selector(".figure table")
    check_fits(page)
    page.goto(f"{server.url}/#/decks")
    page.locator(".item", has_text=draft).wait_for()
    check_fits(page)
    title = page.locator(".item .title", has_text=draft)
    assert title.evaluate("node => node.scrollWidth <= node.clientWidth")
    page.goto(f"{server.url}/#/draft/{draft}")
    page.locator(".cardcell").first.click()
    page.get_by_role("dialog").wait_for()
    check_fits(page)
    field, button = (
        page.locator(f"dialog form {what}").bounding_box() for what in ("input", "button")
    )
    assert field["y"] + field["height"] < button["y"]  # they touched
