"""A television: what must be read is legible from three metres; rounds come there by themselves.

The rule: a font of at least 1/33 of the screen's height, whose capitals and digits (0.73 of it)
are 1/45 of the screen: 11 mm on a television of 89 x 50 cm, 13 minutes of arc from 3 m, where a
good eye sees 5. A code is a fifth of the screen wide: 178 mm, of which a phone's camera of 12
megapixels sees each module as four pixels.
"""

import time

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.test_orders import START, TV, sit
from tests.browser.test_page import check_axe
from tests.browser.test_sheets import START as FOUR
from tests.browser.test_turns import TABLE as TURN
from tests.patience import PATIENCE_S

FONT_SHARE = 1 / 33  # of the screen's height
CODE_SHARE = 1 / 5  # of its width
ROUNDING_PX = 0.1
#: The sizes at which texts are shown; a text of a drawing is scaled with it.
SIZES = """all => all.map((node) => {
    const font = parseFloat(getComputedStyle(node).fontSize);
    const m = node.getScreenCTM?.();
    return [node.textContent.trim(), font * (m ? Math.hypot(m.a, m.b) : 1)];
})"""
#: Texts that lie on another, by the boxes that they are drawn in.
LYING = """all => {
    const boxes = all.map((node) => [node.textContent, node.getBoundingClientRect()]);
    const found = [];
    for (const [i, [one, a]] of boxes.entries())
        for (const [other, b] of boxes.slice(i + 1)) {
            const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
            const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
            if (wide > 0 && high > 0.4 * Math.min(a.height, b.height)) found.push([one, other]);
        }
    return found;
}"""


def check_legible(page: Page, *places: str) -> None:
    least = FONT_SHARE * TV["viewport"]["height"] - ROUNDING_PX
    for place in places:
        page.locator(place).first.wait_for(state="attached")
        until = time.monotonic() + PATIENCE_S  # a page is laid out while it is loaded
        while True:
            told = [(text, px) for text, px in page.locator(place).evaluate_all(SIZES) if text]
            if told and min(px for _, px in told) >= least:
                break
            assert time.monotonic() < until, (place, told)
            page.wait_for_timeout(100)


def shows(page: Page, scan: str) -> None:
    page.wait_for_url(f"**/#/round/{scan}/tv")
    expect(page.locator("html.tv")).to_be_attached()  # from then on it knows which rounds are new
    expect(page.locator(".stage g.card").first).to_be_attached()


@pytest.mark.parametrize("name", ["four-teams-full", "two-teams-flat"])
def test_a_round_is_read_from_three_metres(open_page, server, name):
    scan = server.read(name)
    page = open_page(f"/#/round/{scan}/tv", **TV)
    shows(page, scan)
    check_legible(page, ".headline", ".chip .nm", ".chip b", ".tag.number text", ".player output")
    cards = page.locator("g.card")
    numbers = page.locator(".tag.number text")
    asteroids = page.locator("g.card[data-id^=asteroid]")
    assert numbers.count() == cards.count() - asteroids.count()  # its speed on each ship
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0
    check_axe(page)


def test_what_a_side_still_has_is_read_from_three_metres(open_page, server):
    scan = server.lay(TURN)
    page = open_page(f"/#/round/{scan}/tv", **TV)
    check_legible(page, ".chip small")


def test_names_of_cards_side_by_side_lie_beside_one_another(open_page):
    """Twelve cards as close as on a full table, with names as long as a deck has them."""
    page = open_page("/", **TV)
    page.evaluate(
        """async () => {
            const { LiveTable } = await import("/static/js/scene/live_table.js");
            const table = new LiveTable({ isFar: true });
            const at = (k) => [300 + (k % 4) * 330, 200 + Math.floor(k / 4) * 200];
            const cards = Array.from({ length: 12 }, (_, k) => {
                const [x, y] = at(k);
                const corners_px = [[x, y], [x + 70, y], [x + 70, y + 98], [x, y + 98]];
                return { card: `purple-sidewinder ${k}`, team: "x", corners_px, order: k };
            });
            document.body.append(table.node); // not in the page that is being loaded
            table.node.querySelector(".live-stage").style.cssText = "position:fixed;inset:0";
            table.draw({ size_px: [1920, 1080], cards });
        }"""
    )
    expect(page.locator(".live-name")).to_have_count(12)
    assert page.locator(".live-name").evaluate_all(LYING) == []


@pytest.mark.parametrize(("position", "n"), [(START, 2), (FOUR, 4)], ids=["two", "four"])
def test_the_codes_of_the_seats_stand_on_the_television_as_soon_as_there_are_some(
    open_page, server, position, n
):
    """It was open before somebody began to take orders at another screen."""
    scan = server.lay(position)
    page = open_page(f"/#/round/{scan}/tv", **TV)
    shows(page, scan)
    sit(server, scan, 60)
    codes = page.locator(".seat .code img")
    expect(codes).to_have_count(n)
    for code in codes.all():
        expect(code).to_be_in_viewport(ratio=1)
        assert code.bounding_box()["width"] >= CODE_SHARE * TV["viewport"]["width"]
    check_legible(page, ".seat h3", ".sitting > p:not([hidden])", ".clock b")
    expect(page.locator(".stage")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0
    check_axe(page)


def test_a_round_gets_onto_the_television_and_the_next_by_itself(open_page, server, round_id):
    """The phone's page says how; what is photographed afterwards needs no hand."""
    phone = open_page(f"/#/round/{round_id}", **PHONE)
    phone.wait_for_selector(".stage g.card")
    expect(phone.locator(".stage .screens")).to_be_hidden()  # it lay on a corner of the photo
    phone.click("#tab-take")
    phone.get_by_role("button", name="Show on the television").click()
    box = phone.get_by_role("dialog")
    expect(box).to_contain_text("shows each new round by itself")
    check_axe(phone)
    here = box.get_by_role("link", name="Show it on this screen")
    place = here.get_attribute("href")
    television = open_page("/" + place, **TV)
    shows(television, round_id)
    television.keyboard.press("Escape")
    television.wait_for_url(f"**/#/round/{round_id}")
    expect(television.locator(".side")).to_be_visible()
    television.go_back()
    shows(television, round_id)
    scan = server.read("golden-round")
    shows(television, scan)
    expect(television.locator(".headline")).to_contain_text("Red wins")
    expect(phone).to_have_url(f"{server.url}/#/round/{round_id}")  # no other screen goes anywhere


def test_a_television_that_waits_for_a_live_table_shows_a_photo(open_page, server):
    television = open_page("/#/live/tv", **TV)
    expect(television.locator(".live-trouble")).to_contain_text(
        "Waiting for a live game or a photo"
    )
    shows(television, server.read("two-teams-full"))


def test_the_way_to_the_television_is_at_a_desk_too_and_not_for_guests(open_page, server, round_id):
    page = open_page(f"/#/round/{round_id}", **DESKTOP)
    button = page.get_by_role("button", name="Show on the television")
    expect(button).to_be_in_viewport(ratio=1)
    page.evaluate(
        "fetch('/api/v1/scans/"
        + round_id
        + "/shares', {method: 'POST', body: '{}', headers: {'Content-Type': 'application/json'}})"
    )
    token = server.ask(f"/scans/{round_id}/shares")["shares"][0]["token"]
    guest = open_page(f"/s/{token}", **PHONE)
    guest.wait_for_selector(".stage g.card")
    expect(guest.get_by_role("button", name="Show on the television")).to_have_count(0)
