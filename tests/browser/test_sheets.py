"""Orders filled in on sheets, in secret: four players at four phones, and the table."""

import json
import urllib.request

from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.test_page import check_axe
from tests.patience import PATIENCE_S

START = """game asteroyds-capture
layout 2v2
dice red 5 white 1
red 1 @h3 180
red 2 @h4 180
white asteroyd on red 1
white 1 @c4 0
"""
SHIPS = ("Red 1", "Red 2", "White 1", "White 2")


def lay(server) -> str:
    request = urllib.request.Request(
        server.url + "/api/v1/tables", data=START.encode(), headers={"Content-Type": "text/plain"}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as reply:
        return str(json.loads(reply.read())["id"])


def fill(phone, *cells) -> None:
    for cell in cells:
        phone.get_by_role("button", name=cell, exact=True).click()


def test_four_players_programme_in_secret_and_the_turn_is_revealed_and_played_on(open_page, server):
    """White takes what red carried into its own turret: red 2 is there first, and scores."""
    scan = lay(server)
    table = open_page(f"/#/round/{scan}", **DESKTOP)
    table.get_by_role("button", name="Show the codes").click()
    expect(table.locator(".seat a")).to_have_count(4)
    addresses = table.locator(".seat a").evaluate_all(
        "links => links.map((a) => a.getAttribute('href'))"
    )
    phones = [open_page(address, **PHONE) for address in addresses]
    for page in (table, *phones):
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
    scan = lay(server)
    table = open_page(f"/#/round/{scan}", **DESKTOP)
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
    played = table.evaluate(f"fetch('/api/v1/scans/{scan}/table.json').then((r) => r.json())")
    read = {ship: one["columns"][:2] for ship, one in played["programs"].items()}
    assert read == {
        "red-1": ["forward", None],
        "red-2": ["forward", "right"],
        "white-2": ["back", "forward"],  # nobody came for the third: not known
    }
