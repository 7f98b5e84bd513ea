"""Orders on the page: by taps, and in secret on two phones with a third screen as the table."""

from playwright.sync_api import Page, expect

from tests.browser.conftest import DESKTOP, PHONE, until
from tests.browser.test_page import check_axe

TV = {"viewport": {"width": 1920, "height": 1080}}
START = "game laser-shield\nstart\n"


def sit(server, scan, seconds):
    """Begin to take secret orders; return the seats, each with the link of its phone."""
    return server.ask(f"/scans/{scan}/sitting", {"seconds": seconds})["parties"]


def open_table(open_page, round_id: str, **options) -> Page:
    page = open_page(f"/#/round/{round_id}", **options)
    page.wait_for_selector(".stage g.card")
    return page


def middle(page: Page, server, round_id: str, x_mm: float, y_mm: float) -> tuple[float, float]:
    """Return where a place of the table is on the screen."""
    matrix = server.ask(f"/scans/{round_id}/round")["camera"]["photo_from_table"]
    at = [matrix[k][k] * mm + matrix[k][2] for k, mm in ((0, x_mm), (1, y_mm))]
    return tuple(
        page.evaluate(
            """([x, y]) => {
                const m = document.querySelector("svg.photo").getScreenCTM();
                return [m.a * x + m.e, m.d * y + m.f];
            }""",
            at,
        )
    )


def tap(page: Page, server, round_id: str, x_mm: float, y_mm: float) -> None:
    page.touchscreen.tap(*middle(page, server, round_id, x_mm, y_mm))


# --- in the open -------------------------------------------------------------------------------


def test_orders_are_tapped_typed_and_played(open_page, server):
    scan = server.lay(START)
    page = open_table(open_page, scan, quiet=True, **DESKTOP)  # what is no order is refused
    expect(page.locator("#tab-orders")).to_have_attribute("aria-selected", "true")
    page.locator('g.card[data-id="orange-2"]').click()
    expect(page.locator(".pad")).to_contain_text("Fire at c1")
    check_axe(page)
    page.mouse.click(*middle(page, server, scan, -21, -63))  # c1: a way to go and one to fire
    expect(page.locator(".pad .btn.likely")).to_have_text(["Fire at c1", "Go to c1"])
    page.get_by_role("button", name="Fire at c1").click()
    expect(page.locator(".pad .said")).to_have_text("Orange 2 on b1 fires at c1")
    page.get_by_role("button", name="Give this order for orange").click()
    page.get_by_text("Type it instead").click()
    page.get_by_label("The order in words").fill("fire d4>d3")
    page.get_by_role("button", name="Read it").click()
    expect(page.locator(".pad .warning")).to_contain_text("the gun does not point there")
    page.get_by_label("The order in words").fill("nonsense")
    page.get_by_role("button", name="Read it").click()
    expect(page.locator(".toast.bad")).to_contain_text("needed one like")
    page.get_by_label("The order in words").fill("move d4-d3 left")
    page.get_by_role("button", name="Read it").click()
    expect(page.locator(".pad .said")).to_have_text("Blue 1 goes d4-d3, then turns left")
    page.get_by_role("button", name="Give this order for blue").click()
    page.locator(".side").get_by_role("button", name="Play the round").click()
    expect(page.locator("#tab-ledger")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".player output")).to_have_text("Result")
    expect(page.locator(".tag.time")).to_have_count(4)  # two lines of the beam, a throw, a move
    expect(page.locator(".ghost")).to_have_count(2)
    page.click("#tab-orders")
    expect(page.locator("img.next")).to_be_visible()
    page.get_by_role("button", name="Continue from here").click()
    page.wait_for_url(lambda url: "/round/" in url and scan not in url)
    expect(page.locator("#tab-orders")).to_have_attribute("aria-selected", "true")


# --- in secret -----------------------------------------------------------------------------------


def test_two_phones_order_in_secret_and_the_table_reveals(open_page, server):
    scan = server.lay(START)
    table = open_table(open_page, scan, **TV)
    table.get_by_role("button", name="Show the codes").click()
    expect(table.locator(".seat .code img")).to_have_count(2)
    expect(table.locator(".clock b")).to_have_text("1:00")
    check_axe(table)
    orange_at, blue_at = table.locator(".seat a").evaluate_all(
        "links => links.map((a) => a.getAttribute('href'))"
    )
    orange = open_page(orange_at, **PHONE)
    expect(orange.locator(".body")).to_contain_text("Waiting for the other players")
    expect(table.locator(".seat .there")).to_have_count(1)
    blue = open_page(blue_at, **{**PHONE, "locale": "fr-FR"})
    expect(table.locator(".seat .there")).to_have_count(2)
    for page in (table, orange, blue):
        expect(page.locator(".clock")).not_to_have_class("clock stands")
    # two taps, a choice between two things at one place
    tap(orange, server, scan, -63, -63)
    expect(orange.locator(".pad")).to_contain_text("Now tap the target")
    tap(orange, server, scan, -21, -63)
    orange.get_by_role("button", name="Fire at c1").click()
    check_axe(orange)
    orange.get_by_role("button", name="Seal this order").click()
    expect(orange.locator(".sealed")).to_contain_text("Orange 2 on b1 fires at c1")
    expect(table.locator(".seat").first).to_contain_text("has ordered")
    for page in (table, blue):  # nobody else is told which
        assert "c1" not in page.locator(".side").inner_text()
    orange.reload()
    expect(orange.locator(".sealed")).to_contain_text("Orange 2 on b1 fires at c1")
    tap(blue, server, scan, 21, 63)
    expect(blue.locator(".pad")).to_contain_text("Aller en d3")
    tap(blue, server, scan, 21, 21)
    blue.get_by_role("button", name="Tourner à gauche").click()
    blue.get_by_role("button", name="Sceller cet ordre").click()
    expect(blue.locator(".outcome")).to_have_text("Personne n'a encore gagné")
    for page, words in ((orange, "Orange 2 fires from b1"), (table, "Orange 2 fires from b1")):
        expect(page.locator(".ledger")).to_contain_text(words)
        expect(page.locator(".ledger")).to_contain_text("move d4-d3 left")
        expect(page.locator(".player output")).to_have_text("Result")
    expect(blue.locator(".ledger")).to_contain_text("déplacer d4-d3 gauche")
    # and on: the same players, the position after
    table.click("#tab-orders")
    table.get_by_role("button", name="Continue from here").click()
    table.get_by_role("button", name="The same players again").click()
    expect(table.locator(".seat .there")).to_have_count(2)
    expect(orange.locator(".pad")).to_be_visible()
    table.get_by_role("button", name="Start the clock").click()
    expect(orange.locator(".clock")).not_to_have_class("clock stands")
    orange.get_by_role("button", name="No order").click()
    orange.get_by_role("button", name="Seal this order").click()
    expect(table.locator(".seat").first).to_contain_text("has ordered")
    table.get_by_role("button", name="Another phone").first.click()
    expect(orange.locator("[role=alert]")).to_contain_text("Another phone has this seat")
    table.get_by_role("button", name="Cancel the orders").click()
    expect(blue.locator(".body")).to_contain_text("La table a annulé les ordres")


def test_who_is_late_passes_when_the_clock_has_run_out(open_page, server):
    scan = server.lay(START)
    seats = sit(server, scan, seconds=5)
    tables = [open_table(open_page, scan, **device) for device in (PHONE, DESKTOP)]
    orange = open_page(seats[0]["join"], **PHONE)
    expect(orange.locator(".pad")).to_be_visible()
    for table in tables:
        table.click("#tab-orders")
    tables[0].get_by_role("button", name="Start the clock").click()
    expect(orange.locator(".clock.soon")).to_be_visible()
    expect(orange.locator(".outcome")).to_be_visible(timeout=30_000)
    expect(orange.locator(".parties")).to_contain_text("no order yet")
    for table in tables:
        expect(table.locator(".clock")).to_be_hidden()
    assert server.ask(f"/scans/{scan}/resolution.json")["orders"] == {"orange": None, "blue": None}


def test_what_is_tapped_and_not_sealed_stays_without_a_connection_and_over_a_reload(
    open_page, server
):
    scan = server.lay(START)
    seats = sit(server, scan, seconds=600)
    phone = open_page(seats[0]["join"], quiet=True, **PHONE)
    expect(phone.locator(".pad")).to_be_visible()
    tap(phone, server, scan, -63, -63)
    fire = phone.get_by_role("button", name="Fire at c1")
    expect(fire).to_be_visible()
    phone.context.set_offline(True)
    fire.click()
    expect(phone.locator(".warning").first).to_contain_text("No connection")
    phone.context.set_offline(False)
    expect(phone.locator(".pad .said")).to_have_text("Orange 2 on b1 fires at c1")
    phone.reload()
    expect(phone.locator(".pad .said")).to_have_text("Orange 2 on b1 fires at c1")
    phone.get_by_role("button", name="Back", exact=True).click()
    expect(fire).to_be_visible()
    phone.reload()
    expect(fire).to_be_visible()


# --- corrections -------------------------------------------------------------------------------


def test_a_piece_of_a_board_is_dragged_turned_named_put_and_taken_off(open_page, server):
    scan = server.lay("game laser-shield\norange b3 n\nblue e3 w 0.8 or e3 nw 0.2\n")
    page = open_table(open_page, scan, **DESKTOP)

    def pieces() -> dict[str, str]:
        table = server.ask(f"/scans/{scan}/table.json")
        return {p["piece"]: f"{p['square']} {p['heading']}" for p in table["pieces"]}

    expect(page.locator("article.doubt")).to_contain_text("80%")
    page.locator("article.doubt").get_by_role("button", name="Correct").click()
    page.get_by_role("button", name="This is correct").click()
    expect(page.locator(".badge")).to_be_hidden()
    assert pieces()["blue-1"] == "e3 w"
    start, end = (middle(page, server, scan, 63 + 5, y + 6) for y in (21, -21))
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*end, steps=5)
    page.mouse.up()
    page.wait_for_function(
        "document.querySelector('.undoers') && !document.querySelector('.loupe')"
    )
    expect(page.locator(".sel h2")).to_have_text("Blue 1")
    page.locator("svg.photo").press("]")
    page.locator("svg.photo").press("ArrowLeft")
    until(page, lambda: pieces()["blue-1"] == "d2 nw")  # two keys, quicker than the server answers
    page.get_by_role("button", name="It is another piece").click()
    page.get_by_role("dialog").get_by_role("button", name="Blue 3").click()
    expect(page.locator(".sel h2")).to_have_text("Blue 3")
    page.get_by_role("button", name="Add a piece").click()
    page.get_by_role("dialog").get_by_role("button", name="Orange 2").click()
    expect(page.locator(".body")).to_contain_text("Tap the place where it stands")
    page.mouse.click(*middle(page, server, scan, -63, 63))
    expect(page.locator(".sel h2")).to_have_text("Orange 2")
    assert pieces() == {"orange-1": "b3 n", "orange-2": "b4 n", "blue-3": "d2 nw"}
    check_axe(page)
    page.get_by_role("button", name="Remove").click()
    expect(page.locator(".body")).to_contain_text("All 2 pieces on the board")
    page.get_by_role("button", name="Undo").first.click()
    expect(page.locator(".body")).to_contain_text("All 3 pieces on the board")
