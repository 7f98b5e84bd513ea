"""A family's evening in one go: a phone, a desk, a television; what it costs them is counted.

Taps and orange bars are limits, which may fall and may not rise. What is tapped is called by what
the page says.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.apps.web_help import SAMPLES, Server
from tests.browser.conftest import AT_REST, DESKTOP, PHONE, sample
from tests.browser.test_orders import START, TV
from tests.browser.test_page import check_axe
from tests.browser.test_sheets import START as FOUR
from tests.learned import draw_deck, shoot
from tests.patience import PATIENCE_MS, PATIENCE_S
from vision.imaging.photo import encode_image
from vision.values.layout import PlacedCard

GAMES = ["Light Speed", "Laser and Shield", "Conflit stellaire", "Asteroyds, capture"]
#: Taps of all players together, scans of codes besides; as counted, the fewest so far.
MOST_TAPS = {
    "two rounds of Light Speed": 4,
    "a phase of Laser and Shield": 11,
    "a turn of Asteroyds": 13,
    "a deck from photos": 9,
}
MOST_BARS = 0
MOST_PARTS = 4  # of an order: who, what, where to, how turned
NAMES = ("Fool", "Mage", "Star", "Moon")


@dataclass
class Counted:
    """What an evening costs: taps by step, orange bars."""

    taps: dict[str, int] = field(default_factory=dict)
    bars: list[str] = field(default_factory=list)
    step: str = ""

    def begin(self, step: str) -> None:
        self.step = step
        self.taps[step] = 0

    def tap(self, what: Locator) -> None:
        """Tap what can be seen or scrolled to, and is called something."""
        expect(what).to_be_visible()
        self.taps[self.step] += 1
        what.click()

    def look(self, page: Page) -> None:
        """Note the orange bars of a page."""
        self.bars += page.locator(".over .headline.open, td .headline.open").all_inner_texts()


@pytest.fixture
def home(tmp_path) -> Iterator[Server]:
    """The family's own server, with nothing on it."""
    server = Server(tmp_path, SIGHTLINE_DECKS=str(tmp_path / "decks"))
    server.start(PATIENCE_S)
    yield server
    server.stop()


@pytest.fixture
def screens(home, browser: Browser):
    """Open screens at the home's address; each is closed at the end, and may not complain."""
    contexts, complaints = [], []

    def open_one(path: str = "/", **device) -> Page:
        context = browser.new_context(**AT_REST, **device)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(home.url + path)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not complaints


def fits(page: Page) -> None:
    """Nothing is wider than the page."""
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, page.url


def stands(page: Page) -> None:
    """Nothing is below the screen: a round on a wide one is not scrolled."""
    assert page.evaluate("document.documentElement.scrollHeight - innerHeight") <= 0, page.url


def choose(counted: Counted, page: Page, button: str, *files: Path) -> None:
    """Choose files with a button, one tap; the gallery is the phone's own."""
    with page.expect_file_chooser() as chooser:
        counted.tap(page.get_by_role("button", name=button, exact=True))
    chooser.value.set_files([str(file) for file in files])


def go_home(counted: Counted, page: Page) -> None:
    counted.tap(page.locator("a.brand"))
    expect(page.locator(".hero")).to_be_visible()


def newest_round(counted: Counted, page: Page) -> None:
    """Open the round that came last, from the first page."""
    go_home(counted, page)
    counted.tap(page.locator("main li a.title").first)
    expect(page.locator(".stage g.card").first).to_be_attached()


# --- the steps -----------------------------------------------------------------------------------


def two_rounds(counted: Counted, phone: Page, television: Page) -> None:
    """Two photos at once: when both are read their evening opens, four sides in sight."""
    counted.begin("two rounds of Light Speed")
    expect(phone.locator(".games li")).to_have_text(GAMES)
    fits(phone)
    choose(counted, phone, "Choose photos", sample("golden-round"), sample("four-teams-full"))
    counted.tap(phone.get_by_role("dialog").get_by_role("button", name="2 tables"))
    expect(phone.locator(".running tbody tr")).to_have_count(2)
    sums = phone.locator(".running tfoot tr").first.locator("td")
    expect(sums).to_have_count(4)
    for one in (*sums.all(), *phone.locator(".running thead th").all()):
        expect(one).to_be_in_viewport(ratio=1)
    fits(phone)
    counted.look(phone)
    counted.tap(television.get_by_role("link", name="Standings and names"))
    told = phone.locator(".running tfoot").inner_text()
    expect(television.locator(".running tfoot")).to_have_text(told, use_inner_text=True)
    counted.tap(phone.locator(".running tbody a").first)
    expect(phone.locator(".stage g.card").first).to_be_attached()
    fits(phone)
    counted.look(phone)


def laser_phase(counted: Counted, desk: Page, phone: Page, television: Page) -> None:
    """A board is found to be another game; one orders on the phone, one at the desk, in secret."""
    counted.begin("a phase of Laser and Shield")
    choose(counted, desk, "Choose photos", SAMPLES / "laser-shield" / "start.jpg")
    expect(desk.locator(".stage g.card")).to_have_count(6)
    counted.look(desk)
    counted.tap(desk.get_by_role("button", name="Show the codes"))
    newest_round(counted, television)
    expect(television.locator(".seat .code img")).to_have_count(2)
    fits(television)
    for screen in (desk, television):
        stands(screen)
    links = desk.locator(".seat a")
    phone.goto(links.first.evaluate("a => a.href"))  # a scan of the code
    expect(phone.locator(".pad")).to_be_visible()
    fits(phone)
    expect(links).to_have_count(1)
    with desk.context.expect_page() as opened:
        counted.tap(links)
    other = opened.value
    for seat in (phone, other):
        expect(seat.locator(".clock")).not_to_have_class("clock stands")
        give_an_order(counted, seat)
    for screen in (desk, television, phone, other):
        expect(screen.locator(".ledger")).to_be_visible()
    counted.look(desk)
    other.close()


def give_an_order(counted: Counted, seat: Page) -> None:
    """Tap the first thing that is offered until it is an order, and seal it."""
    seal = seat.get_by_role("button", name="Seal this order")
    pad = seat.locator(".pad")
    for _ in range(MOST_PARTS):
        if seal.is_visible():
            break
        before = pad.inner_text()
        counted.tap(pad.locator(".pick button").first)
        expect(pad).not_to_have_text(before, use_inner_text=True)
    counted.tap(seal)


def four_phones(
    counted: Counted, desk: Page, phones: list[Page], television: Page, home: Server
) -> None:
    """Each ship is programmed on a phone, and the turn is revealed; the board is laid, not read."""
    counted.begin("a turn of Asteroyds")
    home.lay(FOUR)
    newest_round(counted, desk)
    counted.tap(desk.get_by_role("button", name="Show the codes"))
    expect(desk.locator(".seat a")).to_have_count(4)
    newest_round(counted, television)
    expect(television.locator(".seat .code img")).to_have_count(4)
    fits(television)
    links = desk.locator(".seat a").evaluate_all("all => all.map((a) => a.href)")
    for phone, link in zip(phones, links, strict=True):
        phone.goto(link)
    for phone in phones:
        expect(phone.locator(".clock")).not_to_have_class("clock stands")
        counted.tap(phone.get_by_role("button", name="1: Forward", exact=True))
        expect(phone.locator(".said")).to_have_text("F")
        counted.tap(phone.get_by_role("button", name="Seal this order"))
    for screen in (desk, television, *phones):
        expect(screen.locator(".ledger")).to_be_visible()
    counted.look(desk)


def deck_from_photos(counted: Counted, phone: Page, photos: list[Path]) -> None:
    counted.begin("a deck from photos")
    phone.goto(phone.url.partition("/j/")[0])  # the page's own icon on the phone
    counted.tap(phone.get_by_role("link", name="Decks"))
    expect(phone.get_by_text("Lower case letters, digits and dashes.")).to_be_visible()
    phone.get_by_label("Name").fill("family")
    phone.get_by_label("Size of a card").select_option("63x88")
    counted.taps[counted.step] += 2  # the field, the choice
    counted.tap(phone.get_by_role("button", name="Start"))
    choose(counted, phone, "Photos", *photos)
    expect(phone.locator(".cardcell")).to_have_count(len(NAMES))
    expect(phone.locator("ul.tiny li")).to_have_count(len(photos))
    expect(phone.locator(".cardcell .badge")).to_have_count(0)
    fits(phone)
    counted.tap(phone.get_by_role("button", name="List of names"))
    phone.get_by_role("textbox", name="List of names").fill("\n".join(NAMES))
    counted.tap(phone.get_by_role("button", name="Name them"))
    counted.tap(phone.get_by_role("button", name="Create the deck"))
    expect(phone.locator("li", has_text="family").first).to_be_visible()
    fits(phone)


def photos_of_cards(folder: Path) -> list[Path]:
    """Write two photos of the same four cards, the second laid elsewhere."""
    faces = draw_deck(len(NAMES))
    written = []
    for seed, lot in enumerate((sorted(faces), sorted(faces)[::-1])):
        cards = tuple(
            PlacedCard(name, k % 2 * 80.0, k // 2 * 105.0, np.radians(2.0 * seed))
            for k, name in enumerate(lot)
        )
        photo, _ = shoot(faces, lot, seed, cards=cards, size_wh=(1000, 1200), tilt_deg=10)
        written.append(folder / f"cards-{seed}.jpg")
        written[-1].write_bytes(encode_image(photo.image, ".jpg", 95))
    return written


# --- the evening ---------------------------------------------------------------------------------


def test_a_family_s_evening(screens, home, tmp_path):
    counted = Counted()
    phone, desk, television = screens(**PHONE), screens(**DESKTOP), screens(**TV)
    phones = [phone, *(screens(**PHONE) for _ in range(3))]
    two_rounds(counted, phone, television)
    laser_phase(counted, desk, phone, television)
    four_phones(counted, desk, phones, television, home)
    for other in (desk, television, *phones[1:]):  # put away: each draws all the while
        other.close()
    deck_from_photos(counted, phone, photos_of_cards(tmp_path))
    assert all(counted.taps[step] <= most for step, most in MOST_TAPS.items()), counted.taps
    assert set(counted.taps) == set(MOST_TAPS)
    assert len(counted.bars) <= MOST_BARS, counted.bars


def test_the_trash_is_emptied_where_a_photo_finds_the_disk_full(screens, home):
    """The disk is full while rounds lie in the trash; then the photo goes up by itself."""
    page = screens(**PHONE)
    page.set_input_files("#choose", sample("golden-round"))
    page.wait_for_selector(".stage g.card")
    page.click("#tab-take")
    page.get_by_role("button", name="Delete this round").click()
    expect(page.locator(".toast")).to_contain_text("Round deleted")
    full = {"code": "disk_full", "detail": "only 3 MB are free on the disk", "status": 507}
    send = "**/api/v1/scans?*"
    page.route(send, lambda route: route.fulfill(status=507, body=json.dumps(full)))
    page.set_input_files("#choose", sample("two-teams-flat"))
    item = page.locator(".item.failed")
    expect(item).to_contain_text("Delete old rounds, then empty the trash")
    fits(page)
    check_axe(page)
    page.unroute(send)
    item.get_by_role("button", name="Empty the trash").click()
    expect(page.locator(".toast").last).to_contain_text("One deleted round removed for good")
    page.wait_for_selector(".stage g.card")
    assert home.ask("/trash", method="DELETE")["rounds"] == 0


def test_a_position_waits_for_its_orders_before_it_counts(screens, home):
    """Its 3 : 3 stood in the sums before anybody had ordered."""
    evening = home.ask("/evenings", {"name": "Friday"})["id"]
    scan = home.lay(START)
    home.ask(f"/scans/{scan}", {"evening": evening}, "PATCH")
    page = screens(f"/#/evening/{evening}", **PHONE)
    running = page.locator(".running")
    expect(running.locator("tbody tr")).to_contain_text("No orders yet")
    expect(running.locator("tbody td")).to_have_count(1)  # no points
    expect(running.locator("tfoot td.n")).to_have_text(["–"] * 4)
    expect(running.locator("tfoot")).to_contain_text(
        "One round still waits for its orders and is not counted: Round 1"
    )
    fits(page)
    check_axe(page)
    phone = screens("/", **PHONE)
    item = phone.locator("main li.item", has_text="No orders yet")
    expect(item).to_be_visible()
    expect(item.locator(".team")).to_have_count(0)
    orders = {"orange": "fire b1>c1", "blue": None}
    home.ask(f"/scans/{scan}/edits", {"change": {"kind": "orders", "orders": orders}})
    expect(running.locator("tbody td.n")).to_have_count(2)
    expect(running.locator("tfoot")).not_to_contain_text("waits")
    expect(phone.locator("main li.item .team")).to_have_count(2)
