"""Orders filled in on sheets, in secret: four players at four phones, and the table."""

import json

from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, MOVING, PHONE
from tests.browser.test_page import check_axe

START = """game asteroyds-capture
layout 2v2
dice red 5 white 1
red 1 @h3 180
red 2 @h4 180
white asteroyd on red 1
white 1 @c4 0
"""
HURRY_S = 12  # instead of 30: the wait for its end is most of the test
SHIPS = ("Red 1", "Red 2", "White 1", "White 2")
#: A reply to an order comes late, as on a busy machine: news of it are there before.
LATE_REPLY = """() => {
    const ask = window.fetch;
    window.fetch = async (...asked) => {
        const reply = await ask(...asked);
        if (asked[1]?.method === "PUT") await new Promise((done) => setTimeout(done, 500));
        return reply;
    };
}"""


def hurry(route) -> None:
    """Begin with less time than the page offers: what it asked for is checked."""
    if route.request.method != "POST":
        return route.continue_()
    assert route.request.post_data_json["seconds"] == 30
    return route.continue_(post_data=json.dumps({"seconds": HURRY_S}))


def fill(phone, *cells) -> None:
    for cell in cells:
        phone.get_by_role("button", name=cell, exact=True).click()


def test_four_players_programme_in_secret_and_the_turn_is_revealed_and_played_on(open_page, server):
    """White takes what red carried into its own turret: red 2 is there first, and scores."""
    scan = server.lay(START)
    table = open_page(f"/#/round/{scan}", **DESKTOP)
    table.get_by_role("button", name="Show the codes").click()
    expect(table.locator(".seat a")).to_have_count(4)
    addresses = table.locator(".seat a").evaluate_all(
        "links => links.map((a) => a.getAttribute('href'))"
    )
    phones = [open_page(address, **PHONE) for address in addresses]
    expect(table.locator(".seat .there")).to_have_count(4)
    for page in (table, *phones):
        expect(page.locator(".clock")).to_be_visible()
        expect(page.locator(".clock")).not_to_have_class("clock stands")
    one, two, three, four = phones
    one.set_viewport_size({"width": 320, "height": 568})
    for cell in one.locator(".ordersheet .cell").all():
        box = cell.bounding_box()
        assert 0 <= box["x"] < box["x"] + box["width"] <= 320
    one.set_viewport_size(PHONE["viewport"])
    expect(one.locator("h2.team")).to_have_text("red 1")
    fill(one, "1: Forward", "2: Fire", "2: Left", "2: Left")  # another, then none
    expect(one.locator(".said")).to_have_text("F")
    check_axe(one)
    fill(two, "1: Forward", "2: Right")
    fill(three, "1: Forward", "Anticipation: what: Shield", "Anticipation: in round: 2")
    expect(three.locator(".said")).to_have_text("F shield 2")
    for phone, name in zip(phones[:3], SHIPS, strict=False):
        phone.get_by_role("button", name="Seal this order").click()
        expect(table.locator(".seat", has_text=name)).to_contain_text("has ordered")
    for page in (table, four):  # nobody else is told which
        assert "shield 2" not in page.locator(".side").inner_text()
    one.reload()
    expect(one.locator(".sealed .said")).to_have_text("F")
    four.get_by_role("button", name="Seal this order").click()
    for page in (table, *phones):
        expect(page.locator(".ledger")).to_contain_text("is captured by red 2 at g3: a point")
        expect(page.locator(".player output")).to_have_text("Result")
    # and on: the same players, the position after, its score
    table.click("#tab-orders")
    expect(table.locator("img.next")).to_be_visible()
    table.get_by_role("button", name="Continue from here").click()
    table.get_by_role("button", name="The same players again").click()
    expect(table.locator(".seat .there")).to_have_count(4)
    expect(table.locator(".scores")).to_contain_text("1")
    for phone in phones:
        expect(phone.locator(".sheetpad")).to_be_visible()
    table.get_by_role("button", name="Cancel the orders").click()
    expect(four.locator(".body")).to_contain_text("The table cancelled the orders")


def test_one_phone_has_two_seats_and_loses_nothing(open_page, server):
    """Reloaded in mid-programming, out of reach for a while; what is not sealed counts too."""
    scan = server.lay(START)
    table = open_page(f"/#/round/{scan}", **DESKTOP)
    table.route("**/sitting", hurry)
    table.locator("#order-seconds").select_option("30")
    table.get_by_role("button", name="Show the codes").click()
    expect(table.locator(".seat a")).to_have_count(4)
    links = table.locator(".seat a")
    addresses = links.evaluate_all("links => links.map((a) => a.getAttribute('href'))")
    phone = open_page(addresses[0], **PHONE)
    expect(phone.locator("nav.own")).to_have_count(0)
    fill(phone, "1: Forward")
    expect(phone.locator(".said")).to_have_text("F")
    phone.goto(server.url + addresses[1])  # the second code, scanned with the same phone
    seats = phone.locator("nav.own a")
    expect(seats).to_have_text(["red 1", "red 2"])
    fill(phone, "1: Forward", "2: Right")
    expect(phone.locator(".said")).to_have_text("F R")
    check_axe(phone)
    phone.reload()
    expect(phone.locator(".said")).to_have_text("F R")
    seats.first.click()
    expect(phone.locator("h2.team")).to_have_text("red 1")
    expect(phone.locator(".said")).to_have_text("F")
    phone.evaluate(LATE_REPLY)
    sent = []
    phone.on("request", lambda r: sent.append(r.url) if r.method == "PUT" else None)
    late = open_page(addresses[3], quiet=True, **PHONE)
    expect(late.locator("nav.own")).to_have_count(0)  # another phone's seats are its own
    table.get_by_role("button", name="Start the clock").click()
    fill(late, "1: Half-turn")
    expect(late.locator(".said")).to_have_text("U")
    late.route("**/read", lambda route: route.abort())
    fill(late, "2: Forward")
    expect(late.locator(".body > .warning")).to_contain_text("stay on this phone")
    late.unroute("**/read")
    expect(late.locator(".said")).to_have_text("U F")
    for page in (table, phone, late):
        expect(page.locator(".ledger")).to_be_visible()
    assert len(sent) == len(set(sent)) == 2  # what is sent again may come too late
    played = table.evaluate(f"fetch('/api/v1/scans/{scan}/table.json').then((r) => r.json())")
    read = {ship: one["columns"][:2] for ship, one in played["programs"].items()}
    assert read == {
        "red-1": ["forward", None],
        "red-2": ["forward", "right"],
        "white-2": ["back", "forward"],  # nobody came for the third: not known
    }


def test_an_answer_from_before_the_players_came_does_not_send_them_away(open_page, server):
    """The page asked who orders here, then began; on a busy server that answer comes last."""
    held = []

    def hold_the_first(route):
        if held:
            return route.continue_()
        return held.append((route, route.fetch()))

    scan = server.lay(START)
    table = open_page("/", **DESKTOP)
    table.route(f"**/scans/{scan}/sitting", lambda r: begin_or(hold_the_first, r))
    table.goto(f"{server.url}/#/round/{scan}")
    table.get_by_role("button", name="Show the codes").click()
    expect(table.locator(".seat a")).to_have_count(4)
    seats = addresses_of(table)
    table.evaluate("""() => {
        const clock = document.querySelector(".clock");
        window.hidings = 0;
        new MutationObserver(() => (window.hidings += clock.hidden)).observe(clock, {
            attributeFilter: ["hidden"],
        });
    }""")
    (route, answer) = held[0]
    assert answer.json()["sitting"] is None
    route.fulfill(response=answer)
    table.evaluate("fetch('/api/v1/about').then((reply) => reply.text())")  # answered after it
    expect(table.locator(".clock")).to_be_visible()
    assert table.evaluate("hidings") == 0
    assert addresses_of(table) == seats


def test_who_taps_twice_begins_once(open_page, server):
    """Begun again, the first players would be out, and their codes on the table still."""
    begun = []
    table = open_page(f"/#/round/{server.lay(START)}", **DESKTOP)
    table.on("request", lambda r: begun.append(r) if r.method == "POST" else None)
    table.get_by_role("button", name="Show the codes").dblclick()
    expect(table.locator(".seat a")).to_have_count(4)
    assert len(begun) == 1
    assert all(is_open(server, seat) for seat in addresses_of(table))


def begin_or(hold, route):
    return route.continue_() if route.request.method == "POST" else hold(route)


def addresses_of(table) -> list[str]:
    links = table.locator(".seat a")
    return links.evaluate_all("links => links.map((a) => a.getAttribute('href'))")


def is_open(server, seat: str) -> bool:
    return server.ask(f"/seats/{seat.removeprefix('/j/')}")["state"] == "gathering"


def test_a_stream_that_says_nothing_is_asked_for_anew(open_page, server):
    """A connection may be open and dead, as after a change of the network."""
    scan = server.lay(START)
    table = open_page(f"/#/round/{scan}", **DESKTOP)
    table.clock.install()
    streams = []

    def hold_the_first(route):
        streams.append(route)
        if len(streams) > 1:
            route.continue_()

    table.route("**/sittings/*/events", hold_the_first)
    with table.expect_request("**/sittings/*/events") as asked:
        table.get_by_role("button", name="Show the codes").click()
    start = asked.value.url.removeprefix(server.url + "/api/v1").replace("/events", "/start")
    server.ask(start, method="POST")  # as another screen does
    assert table.evaluate("fetch('/api/v1/about').then((reply) => reply.status)") == 200
    expect(table.locator(".clock.stands")).to_be_visible()
    table.clock.fast_forward(13_000)
    expect(table.locator(".clock:not(.stands)")).to_be_visible()
    assert len(streams) == 2


def test_a_replay_writes_nothing_anew_that_stays_as_it_is(open_page, server):
    """A television and four phones replay at once: what is written anew is laid out anew."""
    scan = server.lay(START)
    orders = {"red-1": "F", "red-2": "F R", "white-1": "F shield 2", "white-2": None}
    body = {"change": {"kind": "orders", "orders": orders}, "revision": 0}
    server.ask(f"/scans/{scan}/edits", body)
    page = open_page(f"/#/round/{scan}", **DESKTOP, **MOVING)
    page.wait_for_selector(".player output")
    written = page.evaluate("""() => {
        const slider = document.querySelector(".player input");
        const written = new MutationObserver(() => {});
        for (const place of [".scorebox", ".stage", ".player output"])
            written.observe(document.querySelector(place), {
                subtree: true, childList: true, characterData: true,
            });
        return [120, 120, 130, 130].map((time) => {
            slider.value = time;
            slider.dispatchEvent(new Event("input"));
            return written.takeRecords().length;
        });
    }""")
    assert written[0] > 0
    assert written[2] > 0  # it goes on
    assert written[1] == written[3] == 0
