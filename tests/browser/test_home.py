"""The first page shows what one gets: a photo, and over it the round, drawn open once."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, MOVING, PHONE
from tests.browser.test_page import check_axe

OPEN = 0.3  # of the photo stays as it is: what was before is in sight too
LINE_PX = 2  # half the line, and rounding
SMALLEST = {**PHONE, "viewport": {"width": 320, "height": 568}}
SIDEWAYS = {**PHONE, "viewport": {"width": 844, "height": 390}}
WHERE = """() => {
    const box = document.querySelector(".shows").getBoundingClientRect();
    const line = getComputedStyle(document.querySelector(".shows"), "::after");
    return (parseFloat(line.left)) / box.width;
}"""


def running(page) -> list[str]:
    return page.evaluate(
        """() => document.getAnimations().filter((one) => one.playState === "running")
            .map((one) => one.animationName).filter((name) => name?.startsWith("draw-")).sort()"""
    )


def loaded(page) -> list[str]:
    """Return the pictures that are there, when both are."""
    pictures = page.locator(".shows img")
    expect(pictures).to_have_count(2)
    for picture in pictures.all():
        picture.evaluate("node => node.decode()")
    return pictures.evaluate_all("all => all.map((one) => one.src.split('/').at(-1))")


DEVICES = {"phone": PHONE, "desk": DESKTOP, "smallest": SMALLEST, "sideways": SIDEWAYS}


@pytest.mark.parametrize("device", DEVICES.values(), ids=DEVICES)
def test_the_first_page_shows_a_photo_and_its_round(open_page, device):
    page = open_page("/", **device, **MOVING)
    page.wait_for_selector(".shows")
    assert running(page) == ["draw-line", "draw-open"]
    assert loaded(page) == ["before.webp", "after.en.webp"]
    page.wait_for_function(
        "() => document.getAnimations().every((one) => one.playState !== 'running')"
    )
    width = page.locator(".shows").bounding_box()["width"]
    assert page.evaluate(WHERE) == pytest.approx(OPEN, abs=LINE_PX / width)
    check_axe(page)
    expect(page.locator(".shows")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Take a photo")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert running(page) == []  # once


def test_both_stand_still_where_less_motion_is_asked_for_and_in_french(open_page):
    page = open_page("/", **{**PHONE, "reduced_motion": "reduce", "locale": "fr-FR"})
    page.wait_for_selector(".shows")
    assert running(page) == []
    assert page.evaluate(WHERE) == pytest.approx(OPEN, abs=0.01)
    assert loaded(page) == ["before.webp", "after.fr.webp"]
    expect(page.locator(".shows .is")).to_have_text("Manche")


def test_who_was_away_when_a_page_was_wanted_gets_it_by_trying_again(open_page):
    """Other pages' scripts come when one is opened: the network may be gone just then."""
    page = open_page("/", quiet=True, **PHONE)
    page.wait_for_selector(".shows")
    page.route("**/static/joined/pages.*", lambda route: route.abort())
    page.get_by_role("link", name="Live table").click()
    expect(page.get_by_role("alert")).to_contain_text("cannot be reached")
    page.unroute("**/static/joined/pages.*")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="Follow a table")).to_be_visible()


def test_a_photo_on_its_way_is_the_first_thing_on_the_page(open_page):
    """On a phone what stands below the buttons is out of sight: the photo would be sent twice."""
    page = open_page("/", quiet=True, **PHONE)
    page.wait_for_selector(".shows")
    page.set_input_files(
        "#choose", [{"name": "a.jpg", "mimeType": "image/jpeg", "buffer": b"no photo"}]
    )
    failed = page.get_by_role("region", name="Uploads").get_by_role("alert")
    expect(failed).to_be_in_viewport(ratio=1)
    assert page.evaluate("scrollY") == 0


def test_sides_of_one_name_have_the_marks_of_their_games(open_page):
    page = open_page("/")
    page.wait_for_selector(".games .marks")
    marks = page.evaluate(
        """async () => {
            const { loadOffers, markIn } = await import("/static/js/lib/offers.js");
            await loadOffers();
            const of = (game) => markIn(game, "blue").querySelector("path").getAttribute("d");
            return ["light-speed", "laser-shield"].map(of);
        }"""
    )
    assert marks[0] != marks[1]
