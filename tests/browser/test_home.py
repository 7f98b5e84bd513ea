"""The first page shows what one gets: a photo, and over it the round, drawn open once."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import AT_REST, DESKTOP, MOVING, PHONE
from tests.browser.test_orders import START
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


#: The list of rounds comes when the test says so, as on a slow network.
HELD = """
    const ask = window.fetch;
    const told = new Promise((go) => (window.tell = go));
    window.fetch = async (path, ...how) => {
        const reply = await ask(path, ...how);
        const isBad = String(path).endsWith("/api/v1/scans") && (await told);
        return isBad ? new Response("{}", { status: 500 }) : reply;
    };
"""
#: What can be tapped, and how far down on the page it stands.
TAPPED = """() => [...document.querySelectorAll("main :is(a[href], button, select)")]
    .filter((one) => one.checkVisibility())
    .map((one) => [one.textContent, one.getBoundingClientRect().top + scrollY])"""
ROUNDS = 3


@pytest.fixture
def at_home(own_server, browser):
    """Open the first page of a server that holds rounds, on a phone; they are not told yet."""
    playing = {"name": "Friday", "deck": "light-speed"}
    evening = own_server.ask("/evenings", playing)["id"]
    for _ in range(ROUNDS):
        laid = own_server.lay(START)
    own_server.ask(f"/scans/{laid}", {"evening": evening}, "PATCH")
    context = browser.new_context(**AT_REST, **PHONE)
    page = context.new_page()
    page.add_init_script(HELD)
    page.goto(own_server.url)
    expect(page.locator(".hero")).to_be_visible()
    yield page
    context.close()


def test_what_can_be_tapped_stays_where_it_is_when_the_rounds_come(at_home):
    """They pushed *Decks* from under the finger: the tap met a round, or nothing."""
    before = at_home.evaluate(TAPPED)
    assert len(before) >= 3
    at_home.evaluate("window.tell()")
    expect(at_home.locator("main li a.title")).to_have_count(ROUNDS)
    expect(at_home.get_by_role("link", name="This evening: Light Speed")).to_be_visible()
    expect(at_home.get_by_role("link", name="Decks")).to_be_visible()
    after = at_home.evaluate(TAPPED)
    assert [one for one in after if one in before] == before


def test_what_is_under_a_finger_stays_until_it_is_lifted(at_home, own_server):
    """Another phone's round came into the list, and the tap met what it had pushed there."""
    at_home.evaluate("window.tell()")
    decks = at_home.get_by_role("link", name="Decks")
    expect(at_home.locator("main li a.title")).to_have_count(ROUNDS)
    decks.scroll_into_view_if_needed()
    box = decks.bounding_box()
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    finger = at_home.context.new_cdp_session(at_home)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [at]})
    with at_home.expect_response("**/api/v1/scans"):
        own_server.lay(START)
    at_home.wait_for_timeout(100)
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    expect(at_home.get_by_role("heading", name="Decks", exact=True)).to_be_visible()


@pytest.mark.parametrize("is_bad", [False, True], ids=["good", "bad"])
def test_a_list_that_comes_when_another_page_is_open_changes_nothing_there(at_home, is_bad):
    """A list that could not be had put its error over the page that was open by then."""
    at_home.evaluate("location.hash = '#/decks'")
    decks = at_home.get_by_role("heading", name="Decks", exact=True)
    expect(decks).to_be_visible()
    at_home.get_by_label("Name").fill("family")
    at_home.evaluate("(isBad) => window.tell(isBad)", is_bad)
    at_home.wait_for_timeout(200)
    expect(decks).to_be_visible()
    expect(at_home.get_by_label("Name")).to_have_value("family")
    expect(at_home.get_by_role("alert")).to_have_count(0)
