"""Conflit stellaire on the page: two commanders on their phones, the table as a third screen."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.test_orders import TV, open_table
from tests.browser.test_page import check_axe

TABLE = """game conflit-stellaire
seat A hull 20
seat B hull 12 or hull 11 0.2
A a-e1 energy-cell
A a-e2 energy-cell
A a-e3 energy-cell
A a1 twin-laser
A a2 hunter-missile face-down
B b1 screen
B b2 point-defence
B b-e1 energy-cell
B b-e2 energy-cell
distance A B 5
turn A
"""


def tap(page: Page, *pieces: str) -> None:
    """Tap pieces on the photo, each when the choices for it are there."""
    for piece in pieces:
        expect(page.locator(".piece-offer").first).to_be_visible()
        at = page.locator(f'g.card[data-id="{piece}"]').bounding_box()
        before = page.locator(".pad").inner_text()
        page.touchscreen.tap(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
        page.wait_for_function(
            "before => document.querySelector('.pad').innerText !== before", arg=before
        )


def test_two_commanders_declare_answer_reveal_and_go_on(open_page, server):
    scan = server.lay(TABLE)
    table = open_table(open_page, scan, **TV)
    table.click("#tab-orders")
    table.get_by_role("button", name="Show the codes").click()
    expect(table.locator(".seat a")).to_have_count(2)
    links = table.locator(".seat a").evaluate_all("all => all.map((a) => a.getAttribute('href'))")
    one = open_page(links[0], **PHONE)
    other = open_page(links[1], **{**PHONE, "locale": "fr-FR"})
    expect(other.locator(".body")).to_contain_text("Les autres donnent d’abord leurs ordres")
    # A declares; one deed is taken out again
    tap(one, "a1", "B", "a2", "B")
    expect(one.locator(".lines li")).to_have_count(2)
    expect(one.locator(".pad .said")).to_have_text("2 declarations, 6 of 6 points of energy")
    check_axe(one)
    one.get_by_role("button", name="Remove: launches").click()
    expect(one.locator(".lines li")).to_have_count(1)
    tap(one, "a2", "B")
    one.get_by_role("button", name="Seal this order").click()
    expect(one.locator(".sealed")).to_contain_text("Sealed and final")
    # B is told what the rules tell, and answers
    expect(other.locator(".heard li")).to_have_count(2)
    expect(other.locator(".heard")).to_contain_text("1 écho")
    assert "Traqueur" not in other.locator("body").inner_text()
    assert "Hunter" not in table.locator("body").inner_text()
    tap(other, "b1", "A", "b2", "a2")
    other.get_by_role("button", name="Sceller cet ordre").click()
    expect(other.locator(".ledger")).to_contain_text("Laser double (a1) tire")
    expect(table.locator(".ledger")).to_contain_text("Hunter (a2) comes at flagship B")
    expect(table.locator(".player output")).to_have_text("Result")
    expect(table.locator(".tag.time")).to_have_count(2)
    expect(table.locator(".legend")).to_have_text("LaserMissiles")
    check_axe(table)
    # what follows: B's turn, the same players
    table.click("#tab-orders")
    expect(table.locator("img.next")).to_be_visible()
    table.get_by_role("button", name="Continue from here").click()
    table.get_by_role("button", name="The same players again").click()
    table.get_by_role("button", name="Start the clock").click()
    expect(other.locator(".pad")).to_contain_text("Rien à déclarer")
    expect(one.locator(".body")).to_contain_text("The others give their orders first")


def test_a_doubt_is_settled_by_a_tap_and_a_card_is_set_by_hand(open_page, server):
    scan = server.lay(TABLE)
    page = open_table(open_page, scan, **DESKTOP)

    def cards() -> dict[str, dict]:
        return {card["id"]: card for card in server.ask(f"/scans/{scan}/table.json")["cards"]}

    expect(page.locator("article.doubt").first).to_contain_text(
        "If flagship B were read as hull 11"
    )
    page.get_by_role("button", name="Hull 11 (20%)").first.click()
    expect(page.locator(".badge")).to_be_hidden()
    assert server.ask(f"/scans/{scan}/table.json")["seats"][1] == {"id": "B", "hull": 11}
    page.click("#tab-edit")
    page.locator('g.card[data-id="b1"]').click()
    page.get_by_role("button", name="Up against flagship A").click()
    expect(page.get_by_role("button", name="Up against flagship A")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.get_by_role("button", name="It is another card").or_(
        page.get_by_role("button", name="It is another piece")
    ).click()
    page.get_by_role("dialog").get_by_role("button", name="Deflector").click()
    expect(page.locator(".sel h2")).to_have_text("Deflector (b1)")
    assert (cards()["b1"]["card"], cards()["b1"]["up"]) == ("deflector", "A")
    check_axe(page)
