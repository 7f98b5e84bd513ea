"""The page as its users meet it: on a phone and at a desk, by touch, mouse and keys alone."""

import json
import os
import re

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

from tests.apps.web_help import Server
from tests.browser.conftest import AT_REST, DESKTOP, MOVING, PHONE, sample, until
from tests.patience import PATIENCE_MS, PATIENCE_S
from vision.apps.server.serve import lan_addresses
from vision.files.reports import unpack_report

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


#: No colour or place is on its way to another.
STANDS = """() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
    .then(() => document.getAnimations().every((one) =>
        one.playState !== "running" || one.effect.getTiming().iterations === Infinity))"""


#: The faults alone: how what passes does so is half of the work, and hundreds of kB to hand over.
AXE = """(options) => axe.run(options).then(({ violations }) => violations.map(
    ({ id, nodes }) => [id, nodes.slice(0, 4).map(({ html }) => html.slice(0, 160))]))"""


def check_axe(page) -> None:
    page.wait_for_function(STANDS)
    if page.evaluate("typeof axe") == "undefined":  # once for all looks at a page
        page.evaluate(AXE_SCRIPT)
    only = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}
    faults = page.evaluate(AXE, only)
    assert not faults


def open_round(open_page, round_id, **options):
    page = open_page(f"/#/round/{round_id}", **options)
    page.wait_for_selector(".stage g.card")
    return page


STAGES = [
    "looking for cards",
    "naming the cards",
    "straightening the view",
    "measuring positions",
    "looking for covered cards",
    "firing the lasers",
    "drawing",
]


def test_a_round_opens_though_the_list_tells_of_it_before_the_upload_is_answered(open_page):
    """The server tells every page of a new photo at once; the answer may come after that."""
    page = open_page("/", **PHONE)
    page.evaluate(
        """() => {
            const send = XMLHttpRequest.prototype.send;
            XMLHttpRequest.prototype.send = function (body) {
                const told = this.onload;
                this.onload = () => setTimeout(told, 1500);
                send.call(this, body);
            };
        }"""
    )
    page.set_input_files("#choose", sample("golden-round"))
    page.wait_for_selector(".stage g.card")


@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desk"])
def test_a_photo_goes_up_is_read_and_replayed(open_page, device):
    page = open_page("/", **device, **MOVING)
    seen: list[str] = []
    page.expose_function("noteStage", lambda words: seen.append(words))
    page.evaluate(
        """() => new MutationObserver(() => {
            const words = document.querySelector('.item .tiny')?.textContent;
            if (words) noteStage(words);
        }).observe(document.body, {subtree: true, childList: true, characterData: true})"""
    )
    shown: list[str] = []  # all stages of a quick reading may pass between two looks of the page
    for name in ("four-teams-full", "steep-white-cloth", "two-teams-full", "golden-round"):
        if shown and name != "golden-round":
            continue
        seen.clear()
        page.goto(page.url.split("#")[0] + "#/")
        page.set_input_files("#choose", sample(name))
        page.wait_for_selector(".stage g.card")
        assert any(words.startswith("sending") for words in seen), name
        stages = [words for words in seen if words in STAGES]
        assert stages == sorted(stages, key=STAGES.index), name
        shown += stages
    assert shown, f"no stage of a reading was shown: {seen}"
    expect(page.locator(".stage g.card")).to_have_count(7)
    expect(page.locator(".chip.win .nm")).to_have_text("red")
    totals = page.locator(".chip b").all_inner_texts()
    page.get_by_role("button", name="To the start").click()
    assert page.locator(".chip b").all_inner_texts() == ["0", "0"]
    page.get_by_role("button", name="Play the round").click()
    expect(page.locator(".player output")).to_have_text("Speed 2")
    page.get_by_role("button", name="Pause").click()
    page.locator(".player input").fill("150")
    assert page.locator(".chip b").all_inner_texts() != totals
    page.locator(".player input").fill(page.locator(".player input").get_attribute("max"))
    assert page.locator(".chip b").all_inner_texts() == totals


def test_the_photo_zooms_and_pieces_and_events_are_linked_with_the_ledger(open_page, round_id):
    page = open_round(open_page, round_id)
    box = lambda: page.locator("svg.photo").get_attribute("viewBox")  # noqa: E731
    whole = box()
    page.locator("svg.photo").hover()
    page.mouse.wheel(0, -600)
    assert box() != whole
    page.get_by_role("button", name="Whole table").click()
    assert box() == whole
    page.locator("svg.photo").focus()
    page.keyboard.press("+")
    assert box() != whole
    page.keyboard.press("0")
    page.click("#tab-ledger")
    page.locator(".ledger li[data-event] button").nth(2).click()
    expect(page.locator("g.event.on")).to_have_count(1)
    expect(page.locator(".sel h2")).to_contain_text("laser")
    page.locator("g.card").first.evaluate(
        """node => { const b = node.getBoundingClientRect();
        window.spot = [b.x + b.width / 2, b.y + b.height / 2]; }"""
    )
    x, y = page.evaluate("window.spot")
    page.mouse.click(x, y)
    expect(page.locator("g.card.on")).not_to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator("g.card.on")).to_have_count(0)


def test_doubts_come_first_each_with_its_closeup(open_page, round_id):
    page = open_round(open_page, round_id, **PHONE)
    expect(page.locator("#tab-doubts")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".doubt .closeup svg image").first).to_be_attached()
    expect(page.locator("article.doubt").first).to_contain_text("Chance that it")
    expect(page.locator(".doubt .closeup .corners").first).to_be_attached()
    expect(page.get_by_text("The rules use the whole rectangle")).to_have_count(1)
    before = page.locator("svg.photo").get_attribute("viewBox")
    page.locator(".doubt .closeup").first.click()
    assert page.locator("svg.photo").get_attribute("viewBox") != before


def test_the_first_question_stands_on_the_first_screen_of_a_phone(open_page, round_id):
    page = open_round(open_page, round_id, **PHONE)
    for what in (".over .headline", ".scores", "svg.photo", "article.doubt h3"):
        expect(page.locator(what).first).to_be_in_viewport(ratio=1)
    for button in page.locator("article.doubt").first.locator(".rulings .btn").all():
        expect(button).to_be_in_viewport(ratio=0.8)
    shares = page.locator(".odds tr td.n").all_inner_texts()
    assert len(shares) > 1
    assert all("%" in share for share in shares)
    check_axe(page)
    whole = page.locator("svg.photo").get_attribute("viewBox")
    page.get_by_role("button", name="Show it in the round").first.click()
    expect(page.locator(".sel h2")).to_be_in_viewport(ratio=1)
    assert page.locator("svg.photo").get_attribute("viewBox") != whole


def test_the_handle_that_turns_a_card_lies_on_no_other(open_page, round_id):
    page = open_round(open_page, round_id, **PHONE)
    page.click("#tab-edit")
    page.locator(".body details summary").last.click()
    cards = page.locator(".body details .pick button")
    assert cards.count() > 3
    for k in range(min(cards.count(), 8)):
        cards.nth(k).click()
        on = page.evaluate(
            """() => {
                const knob = document.querySelector('[data-grab="turn"]').getBoundingClientRect();
                const [x, y] = [knob.x + knob.width / 2, knob.y + knob.height / 2];
                const under = document.elementsFromPoint(x, y);
                return under.filter((node) => node.matches("g.card .ov-card")).length;
            }"""
        )
        assert on == 0


def test_messages_lie_on_nothing_that_is_pressed(open_page, round_id):
    page = open_round(open_page, round_id, **PHONE)
    page.evaluate(
        """async () => (await import("/static/js/lib/dom.js")).toast("A message of some length")"""
    )
    box = page.locator(".toast").bounding_box()
    assert box["y"] + box["height"] < page.locator(".rulings .btn").first.bounding_box()["y"]
    assert box["y"] < 60


def test_a_long_log_makes_no_page_longer(open_page):
    page = open_page("/#/decks", **PHONE)
    page.wait_for_selector("h1, h2")
    over = page.evaluate(
        """async () => {
            const { LiveLog } = await import("/static/js/panels/live_log.js");
            const log = new LiveLog("x");
            for (let n = 0; n < 200; n++)
                log.add({ time_s: n, severity: "warning", code: "c", message: "too near " + n });
            document.getElementById("main").replaceChildren(log.node);
            const end = log.node.getBoundingClientRect().bottom + scrollY;
            return document.documentElement.scrollHeight - Math.max(end, innerHeight);
        }"""
    )
    assert over < 40


def test_a_television_plays_a_round_by_itself_and_shows_nothing_else(open_page, round_id):
    page = open_round(open_page, f"{round_id}/tv", **DESKTOP, **MOVING)
    expect(page.locator(".side")).to_be_hidden()
    expect(page.locator(".bar")).to_be_hidden()
    expect(page.locator("g.event:visible").first).to_be_attached()  # it plays
    expect(page.locator(".headline")).to_be_in_viewport()
    page.evaluate("location.hash = '#/live/tv'")
    expect(page.locator(".live-overlay")).to_be_visible()
    assert "tv" not in page.locator("html").get_attribute("class").split()


def test_a_contested_shot_is_ruled_on(open_page, round_id, server):
    page = open_round(open_page, round_id, **PHONE)
    before = server.ask(f"/scans/{round_id}/round")
    doubts = page.locator("article.doubt")
    first = doubts.first
    count = int(page.locator("#tab-doubts .badge").inner_text())
    name = first.locator("h3").inner_text()
    # the winner is sure, whatever that shot does: it could change another team's points
    over = page.locator(".over .headline")
    expect(over).to_have_text("Blue wins with 7 (over 99%) · one shot could change green's points")
    expect(page.locator(".headline.open")).to_have_count(0)
    expect(page.locator(".chip.win")).to_have_count(1)
    expect(first.locator(".rulings .btn").first).to_contain_text("→ ")
    first.get_by_role("button", name="Goes into space").click()
    mine = doubts.filter(has=page.get_by_role("button", name="Take back"))
    expect(mine.locator("h3")).to_have_text(name)
    expect(mine).to_contain_text("Your ruling: goes into space")
    assert int(page.locator("#tab-doubts .badge").inner_text()) == count - 1
    after = server.ask(f"/scans/{round_id}/round")
    assert after["rulings"]
    assert after["ledger"] != before["ledger"]
    check_axe(page)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
    assert server.ask(f"/scans/{round_id}/round")["ledger"] == before["ledger"]


def test_nobody_has_won_a_round_that_is_open(open_page, server):
    """The sample was laid so that two shots pass a corner, and the winner hangs on them."""
    page = open_round(open_page, server.read("close-calls"), **PHONE)
    expect(page.locator(".headline.open")).to_contain_text("ncertain: ")
    expect(page.locator(".chip.win")).to_have_count(0)


def test_a_change_is_taken_after_one_at_which_the_server_was_lost(open_page, round_id):
    page = open_round(open_page, round_id, quiet=True, **DESKTOP)
    told = {"code": "conflict", "detail": "someone else changed it", "status": 409}
    page.route("**/edits", lambda route: route.fulfill(status=409, body=json.dumps(told)))
    page.route("**/round", lambda route: route.abort())
    space = page.locator("article.doubt").first.get_by_role("button", name="Goes into space")
    space.click()
    expect(page.locator(".toast.bad")).to_have_count(2)  # the conflict, and that nobody answers
    page.unroute("**/edits")
    page.unroute("**/round")
    space.click()
    expect(page.locator("article.doubt", has_text="Your ruling: goes into space")).to_have_count(1)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()


def test_a_card_is_corrected_undone_and_kept(open_page, round_id, server):
    page = open_round(open_page, round_id)
    page.click("#tab-edit")
    start = server.ask(f"/scans/{round_id}/round")
    page.locator("details summary").last.click()
    page.locator("details .pick").get_by_text("Blue Moth", exact=True).click()
    page.wait_for_selector("polygon.draft")
    spot = page.locator("polygon.draft").bounding_box()
    x, y = spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y + 10, steps=4)
    expect(page.locator(".loupe svg")).to_be_visible()
    page.mouse.up()
    expect(page.locator(".toast").first).to_contain_text("Saved")
    moved = server.ask(f"/scans/{round_id}/round")
    place = lambda view: next(  # noqa: E731
        (c["x_mm"], c["y_mm"], c["theta_deg"]) for c in view["cards"] if c["id"] == "blue-moth"
    )
    assert place(moved) != place(start)
    page.reload()
    page.wait_for_selector(".stage g.card")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    assert place(server.ask(f"/scans/{round_id}/round")) == place(start)
    page.get_by_role("button", name="Redo").click()
    expect(page.get_by_role("button", name="Redo")).to_be_disabled()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_names_outlines_and_rules_are_corrected(open_page, round_id, server):
    page = open_round(open_page, round_id)
    page.click("#tab-edit")
    page.locator("details summary").last.click()
    page.locator("details .pick").get_by_text("Blue Moth", exact=True).click()
    page.get_by_role("button", name="It is another card").click()
    page.locator("dialog .pick").get_by_role("button", name="Purple Moth, 1").click()
    expect(page.locator(".sel h2")).to_have_text("Purple Moth")
    page.get_by_role("button", name="Undo", exact=True).click()
    page.get_by_role("button", name="Mark an asteroid").click()
    spot = page.locator("svg.photo").bounding_box()
    for dx, dy in ((0.45, 0.9), (0.5, 0.9), (0.5, 0.95), (0.45, 0.95)):
        page.mouse.click(spot["x"] + dx * spot["width"], spot["y"] + dy * spot["height"])
        page.wait_for_timeout(350)  # four taps, not two double taps
    page.get_by_role("button", name="Done").click()
    expect(page.locator(".ov-object")).to_have_count(1)
    page.get_by_role("button", name="Rules").click()
    page.locator("#rule-rocks").select_option("16")
    page.locator("#rule-piracy").check()
    page.get_by_role("button", name="Apply").click()
    expect(page.locator("dialog")).to_have_count(0)
    assert server.ask(f"/scans/{round_id}/round")["rules"]["rocks"] == 16
    page.keyboard.press("Control+z")
    until(page, lambda: server.ask(f"/scans/{round_id}/round")["rules"]["rocks"] is None)
    page.keyboard.press("Control+z")
    expect(page.locator(".ov-object")).to_have_count(0)
    view = server.ask(f"/scans/{round_id}/round")
    assert view["rules"]["rocks"] is None
    assert not view["objects"]


def test_a_card_is_turned_by_its_handle_and_taken_away(open_page, round_id, server):
    page = open_round(open_page, round_id, **PHONE)
    page.click("#tab-edit")
    page.locator("details summary").last.click()
    page.locator("details .pick").get_by_text("Red Ghost", exact=True).click()

    def card():
        cards = server.ask(f"/scans/{round_id}/round")["cards"]
        return next((c for c in cards if c["id"] == "red-ghost"), None)

    before = card()
    knob = page.locator("circle.handle[data-grab=turn]").bounding_box()
    x, y = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 25, y + 25, steps=4)
    expect(page.locator(".loupe svg")).to_be_visible()
    page.mouse.up()
    expect(page.locator(".toast").first).to_contain_text("Saved")
    after = card()
    assert (after["x_mm"], after["y_mm"]) == (before["x_mm"], before["y_mm"])
    assert abs(after["theta_deg"] - before["theta_deg"]) > 2
    page.get_by_role("button", name="Remove").click()
    expect(page.locator("g.card[data-id=red-ghost]")).to_have_count(0)
    assert card() is None
    undo = page.get_by_role("button", name="Undo", exact=True)
    undo.click()
    expect(page.locator("g.card[data-id=red-ghost]")).to_have_count(1)
    undo.click()
    expect(undo).to_be_disabled()
    assert card() == before


def test_likelier_names_come_first(open_page, round_id, server):
    view = server.ask(f"/scans/{round_id}/round")
    card = next(c for c in view["cards"] if c["choices"])
    page = open_round(open_page, round_id)
    page.click("#tab-edit")
    page.locator("details summary").last.click()
    page.locator(f"details .pick .btn:nth-child({view['cards'].index(card) + 1})").click()
    page.get_by_role("button", name="It is another card").click()
    first = page.locator("dialog .pick .btn").first
    name = card["choices"][0].replace("-", " ")
    assert first.inner_text().lower().startswith(name)


def test_an_asteroid_is_outlined_by_keys_alone(open_page, round_id, server):
    page = open_round(open_page, round_id)
    page.click("#tab-edit")
    page.get_by_role("button", name="Mark an asteroid").focus()
    page.keyboard.press("Enter")
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft"):
        page.keyboard.press("Enter")
        for _ in range(3):
            page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.keyboard.press("Backspace")
    expect(page.locator("polygon.draft")).to_be_attached()
    page.get_by_role("button", name="Done").press("Enter")
    expect(page.locator(".ov-object")).to_have_count(1)
    assert len(server.ask(f"/scans/{round_id}/round")["objects"][0]["outline_mm"]) == 3
    page.keyboard.press("Control+z")
    expect(page.locator(".ov-object")).to_have_count(0)


def test_a_ruling_by_keys_keeps_its_place(open_page, round_id):
    page = open_round(open_page, round_id)
    page.locator("article.doubt").first.get_by_role("button", name="Goes into space").press("Enter")
    mine = page.locator("article.doubt").filter(has=page.get_by_role("button", name="Take back"))
    expect(mine).to_have_count(1)
    assert page.evaluate("document.activeElement.dataset.says") == "Goes into space"
    mine.get_by_role("button", name="Take back").press("Enter")
    expect(mine).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(mine).to_have_count(1)
    page.keyboard.press("Control+z")
    expect(mine).to_have_count(0)


def test_two_fingers_zoom_and_one_moves(open_page, round_id):
    page = open_round(open_page, round_id, **PHONE)
    box = lambda: [float(v) for v in page.locator("svg.photo").get_attribute("viewBox").split()]  # noqa: E731
    whole = box()
    spot = page.locator("svg.photo").bounding_box()
    x, y = spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2
    wire = page.context.new_cdp_session(page)

    def touch(kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": px, "y": py, "id": k} for k, (px, py) in enumerate(points)]
        wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    touch("touchStart", (x - 30, y), (x + 30, y))
    for k in range(1, 6):
        touch("touchMove", (x - 30 - 12 * k, y), (x + 30 + 12 * k, y))
    touch("touchEnd")
    near = box()
    assert near[2] < 0.6 * whole[2]
    touch("touchStart", (x, y))
    for k in range(1, 6):
        touch("touchMove", (x - 10 * k, y))
    touch("touchEnd")
    assert box()[0] > near[0]
    assert box()[2] == pytest.approx(near[2], rel=1e-6)
    page.get_by_role("button", name="Whole table").click()
    assert box() == whole


def test_a_tapped_ship_tells_its_shots_and_margins_in_sight(open_page, round_id):
    page = open_round(open_page, round_id, **PHONE)
    page.click("#tab-table")
    page.get_by_role("button", name="Blue Moth").first.click()
    panel = page.locator(".sel")
    expect(panel).to_contain_text("Margin")
    expect(panel).to_be_in_viewport()
    panel.get_by_role("button").first.click()
    expect(page.locator(".sel h2")).to_contain_text("laser")
    expect(page.locator(".sel h2")).to_be_in_viewport()
    expect(page.locator(".ledger li.on")).to_have_count(1)
    under = page.evaluate(
        """() => { const b = document.querySelector('.sel h2').getBoundingClientRect();
        return document.elementFromPoint(b.x + 4, b.y + b.height / 2).tagName; }"""
    )
    assert under == "H2"  # the photo that stays above does not cover it
    expect(page.locator(".chip b").first).to_be_in_viewport()


SIZES = [(320, 568), (390, 844), (844, 390), (1024, 768), (1920, 1080), (3840, 2160)]


@pytest.mark.parametrize("size", SIZES, ids=[f"{w}x{h}" for w, h in SIZES])
def test_it_fits_the_screen(open_page, round_id, size):
    options = {"viewport": {"width": size[0], "height": size[1]}, "locale": "fr-FR"}
    page = open_page("/", **options)
    page.wait_for_selector(".hero")
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(wide) <= 0
    page.goto(page.url.partition("#")[0] + f"#/round/{round_id}")
    page.wait_for_selector(".stage g.card")
    for tab in ("doubts", "ledger", "table", "edit", "take"):
        page.click(f"#tab-{tab}")
        assert page.evaluate(wide) <= 0, tab
    stage = page.locator("svg.photo").bounding_box()
    assert min(stage["width"], stage["height"]) >= 170
    assert page.locator(".scores").evaluate("node => node.scrollWidth - node.clientWidth") <= 1


def test_a_link_shows_the_round_until_it_ends(open_page, round_id):
    page = open_round(open_page, round_id)
    page.click("#tab-take")
    page.get_by_role("button", name="Make a link").click()
    link = page.locator("input[aria-label=Link]").input_value()
    path = "/" + link.split("/", 3)[3]
    guest = open_page(path, **PHONE)
    guest.wait_for_selector(".stage g.card")
    expect(guest.locator("#tab-edit")).to_have_count(0)
    page.get_by_role("button", name="Stop sharing").click()
    expect(page.locator("input[aria-label=Link]")).to_have_count(0)
    late = open_page(path, quiet=True, **PHONE)
    expect(late.get_by_role("alert")).to_contain_text("the link has expired")


def test_a_second_press_leaves_one_link(open_page, round_id):
    page = open_round(open_page, round_id)
    page.click("#tab-take")
    make, links = page.get_by_role("button", name="Make a link"), page.locator("ul.links li")
    make.click()
    expect(links).to_have_count(1)
    make.click()
    expect(page.locator("#toasts")).to_contain_text("already exists")
    expect(links).to_have_count(1)
    page.get_by_role("button", name="Stop sharing").click()
    expect(links).to_have_count(0)


def test_a_round_that_cannot_be_is_said_not_to_be_there(open_page):
    page = open_page("/#/round/nothing", quiet=True)
    expect(page.get_by_role("alert")).to_contain_text("Not found: it was deleted")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)  # it cannot help
    expect(page.locator("main")).not_to_contain_text("[0-9a-f]")


def test_everything_can_be_taken_away(open_page, round_id):
    page = open_round(open_page, round_id)
    page.click("#tab-take")
    for words in ("Picture (PNG)", "Drawing (SVG)", "Replay (WebP)", "Data (JSON)"):
        with page.expect_download(timeout=60_000) as download:
            page.get_by_role("link", name=words).click()
        assert re.fullmatch(
            r"round(-replay)?\.(png|svg|webp|json)|scan\.json", download.value.suggested_filename
        )
        assert download.value.path().stat().st_size > 1000
    page.get_by_role("link", name="Print").click()
    page.wait_for_selector(".printed img")
    expect(page.locator(".printed table").first).to_contain_text("blue")


def test_french_and_dark(open_page, round_id):
    options = {**PHONE, "locale": "fr-FR", "color_scheme": "dark"}
    page = open_page("/", **options)
    expect(page.get_by_role("button", name="Prendre une photo")).to_be_visible()
    assert page.locator("html").get_attribute("lang") == "fr"
    page = open_round(open_page, round_id, **options)
    expect(page.locator("#tab-ledger")).to_have_text("Récit")
    page.click("#tab-ledger")
    expect(page.locator(".ledger")).to_contain_text("Vitesse 1")
    assert "undefined" not in page.locator("body").inner_text()
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark == "rgb(11, 15, 23)"
    page.get_by_role("button", name=re.compile("Clair ou sombre")).click()
    assert page.locator("html").get_attribute("data-theme") == "light"


def test_the_whole_way_by_keys_alone(open_page, round_id, server):
    page = open_round(open_page, round_id)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "tab-doubts":
            break
    assert page.evaluate("document.activeElement.id") == "tab-doubts"
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-edit")).to_have_attribute("aria-selected", "true")
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.tagName") == "SUMMARY":
            break
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the first card; the photo has the keys now
    before = server.ask(f"/scans/{round_id}/round")
    page.evaluate(  # ten presses quicker than any server answers, on the busiest machine
        """() => {
            const press = { key: "ArrowRight", bubbles: true, cancelable: true };
            for (let k = 0; k < 10; k++)
                document.activeElement.dispatchEvent(new KeyboardEvent("keydown", press));
        }"""
    )
    expect(page.locator(".toast").first).to_contain_text("Saved")
    after = server.ask(f"/scans/{round_id}/round")
    assert after["revision"] == before["revision"] + 1  # one step to undo
    was, now = ({card["id"]: card["x_mm"] for card in view["cards"]} for view in (before, after))
    assert max(now[card] - was[card] for card in was) == pytest.approx(10.0)
    page.keyboard.press("Control+z")
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("p")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(open_page, round_id, server, scheme):
    look = {**PHONE, "color_scheme": scheme}
    page = open_page("/", **look)
    page.wait_for_selector(".hero")
    check_axe(page)
    page = open_round(
        open_page, round_id, **(look if scheme == "light" else {**DESKTOP, "color_scheme": scheme})
    )
    for tab in ("doubts", "ledger", "table", "edit", "take"):
        page.click(f"#tab-{tab}")
        check_axe(page)
    page.click("#tab-table")
    page.locator("td button.link").first.click()
    check_axe(page)
    page.get_by_role("button", name="Keys").click()
    check_axe(page)
    for path, there in (
        ("/docs", "main h2"),
        ("/static/closed.html", "h1"),
        (f"/#/print/{round_id}", ".printed table"),
    ):
        page = open_page(path, **look)
        page.wait_for_selector(there)
        check_axe(page)


def test_an_evening_has_names_and_a_running_table(open_page):
    page = open_page("/", **PHONE)
    page.set_input_files("#choose", sample("golden-round"))
    page.wait_for_selector(".stage g.card")
    page.click("#tab-take")
    page.get_by_role("link", name="Evening standings").click()
    page.locator("#team-red").fill("Zoé & <i>Max</i>")
    page.locator("#team-red").press("Tab")
    expect(page.locator("thead")).to_contain_text("Zoé & <i>Max</i>")
    expect(page.locator("tfoot")).to_contain_text("Sum")
    check_axe(page)


def test_photos_are_dropped_and_pasted_several_at_once(open_page):
    page = open_page("/", quiet=True, **DESKTOP)
    page.wait_for_selector(".hero")
    page.route("**/api/v1/scans?*", lambda route: route.abort())  # that it takes them is enough
    page.evaluate(
        """async () => {
            const canvas = new OffscreenCanvas(400, 300);
            canvas.getContext('2d').fillRect(0, 0, 9, 9);
            const blob = await canvas.convertToBlob({type: 'image/png'});
            const bag = (...names) => {
                const bag = new DataTransfer();
                names.forEach((name) => bag.items.add(new File([blob], name, {type: blob.type})));
                return bag;
            };
            const at = document.querySelector('.hero');
            const drop = {bubbles: true, cancelable: true, dataTransfer: bag('a.png', 'b.png')};
            at.dispatchEvent(new DragEvent('drop', drop));
            const paste = {bubbles: true, cancelable: true, clipboardData: bag('c.png')};
            document.dispatchEvent(new ClipboardEvent('paste', paste));
        }"""
    )
    page.get_by_role("dialog").get_by_role("button", name="Close").click()  # and no answer
    page.reload()
    each = page.get_by_role("button", name="2 tables")  # not two photos of one
    page.route("**/api/v1/scans?*", lambda route: route.abort())
    check_axe(page)
    each.click()
    expect(page.locator(".item img.thumb[src^=blob]")).to_have_count(3)


def test_a_page_closed_behind_the_camera_says_where_the_photo_is(open_page):
    page = open_page("/", **PHONE)
    page.wait_for_selector(".hero")
    page.evaluate("document.querySelector('#shoot').click = () => {}")  # the camera never answers
    page.get_by_role("button", name="Take a photo").click()
    page.reload()
    toast = page.locator("#toasts")
    expect(toast).to_contain_text("closed this page while the camera was open")
    with page.expect_file_chooser() as chooser:
        toast.get_by_role("button", name="Choose photos").click()
    assert chooser.value.is_multiple()
    page.reload()
    expect(page.locator(".hero")).to_be_visible()
    expect(toast).to_be_empty()


def test_a_photo_of_another_phone_is_followed(open_page, server):
    scan = server.ask("/scans", sample("golden-round").read_bytes())["id"]
    page = open_page("/", **PHONE)
    expect(page.locator(f"a[href='#/round/{scan}']").first).to_be_visible(timeout=60_000)
    assert page.url.endswith("/")  # and does not take this one away from what it shows


def test_a_photo_that_is_sent_twice_opens_as_its_round(own_server, browser):
    """It counts once: its evening has one round, and the page of that is what one waits for."""
    context = browser.new_context(**PHONE, locale="en-GB")
    page = context.new_page()
    page.goto(own_server.url)
    page.set_input_files("#choose", [sample("golden-round")] * 2)
    page.get_by_role("dialog").get_by_role("button", name="2 tables").click()
    page.wait_for_selector(".stage g.card", timeout=PATIENCE_MS)
    evening = own_server.ask("/evenings")["evenings"][0]["id"]
    rounds = own_server.ask(f"/evenings/{evening}")["rounds"]
    assert [one["same_as"] for one in rounds] == [None, rounds[0]["id"]]
    assert page.url.endswith(f"#/round/{rounds[0]['id']}")
    context.close()


def test_a_photo_survives_the_tab_that_dies(open_page):
    page = open_page("/", quiet=True, **PHONE)
    page.route("**/api/v1/scans?*", lambda route: route.abort())
    page.set_input_files("#choose", sample("golden-round"))
    expect(page.locator(".item").first).to_contain_text("cannot be reached")
    page.unroute("**/api/v1/scans?*")
    page.reload()
    expect(page.locator("#toasts")).to_contain_text("Resuming the upload of one photo")
    page.wait_for_selector(".stage g.card")


def test_what_is_no_photo_is_told_in_words(open_page, tmp_path):
    page = open_page("/", quiet=True)
    wrong = tmp_path / "wrong.jpg"
    wrong.write_bytes(b"%PDF-1.7 this is no photo")
    page.set_input_files("#choose", wrong)
    expect(page.get_by_role("alert")).to_contain_text("cannot be read as a photo")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator(".item .err")).to_have_count(0)


def test_less_motion_where_it_is_asked_for(open_page, round_id):
    page = open_round(open_page, round_id, **DESKTOP, **AT_REST)
    page.get_by_role("button", name="To the start").click()
    page.locator(".player input").fill("10")
    shown = page.locator("g.event:visible polyline.b1").first.get_attribute("points")
    page.locator(".player input").fill("40")
    assert page.locator("g.event:visible polyline.b1").first.get_attribute("points") == shown


def test_a_phone_on_the_network_comes_in_by_the_code(browser, tmp_path):
    """Plain http at the machine's own address: how phones really come. No complaint either."""
    address = next((a for a in lan_addresses() if ":" not in a), None)
    if address is None:
        assert not os.environ.get("CI"), "CI has an address"
        pytest.skip("this machine is in no network")
    server = Server(tmp_path, arguments=["--lan"])
    server.start(PATIENCE_S)
    try:
        log = (tmp_path / "server.log").read_text(encoding="utf-8")
        entry = re.search(rf"http://{re.escape(address)}:\d+/\?token=\S+", log)
        assert entry
        assert "▀" in log or "█" in log  # the code is shown
        context = browser.new_context(**PHONE, locale="en-GB")
        page, complaints = context.new_page(), []
        page.on("console", lambda m: complaints.append(m.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(f"http://{address}:{server.port}/")
        expect(page.get_by_text("Scan the QR code")).to_be_visible()
        page.goto(entry[0])
        assert "token" not in page.url
        page.set_input_files("#choose", sample("golden-round"))
        page.wait_for_selector(".stage g.card")
        page.get_by_role("button", name="Open on phones").click()
        expect(page.locator(".qr img")).to_be_visible()
        page.locator(".qr img").evaluate("node => node.decode()")
        page.keyboard.press("Escape")
        page.click("#tab-take")
        page.get_by_role("button", name="Make a link").click()
        link = page.locator("input[aria-label=Link]").input_value()
        assert link.startswith(f"http://{address}:")
        page.get_by_role("button", name="Copy", exact=True).click()  # no clipboard here
        expect(page.locator("#toasts")).to_contain_text("opied")
        guest = browser.new_context(**PHONE)
        page = guest.new_page()
        page.goto(link)
        page.wait_for_selector(".stage g.card")
        context.close()
        guest.close()
        assert not complaints
    finally:
        server.stop()


def test_what_is_wrong_is_packed_into_one_file(open_page, server, round_id, tmp_path):
    page = open_page(f"/#/round/{round_id}", **PHONE)
    page.get_by_role("tab", name="Share").click()
    page.get_by_role("button", name="This is wrong").click()
    page.get_by_label("What is wrong?").fill("the moth is a viper")
    with page.expect_download() as download:
        page.get_by_role("link", name="Only what lies on the table").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    report = unpack_report(file.read_bytes())
    assert (report.note, report.photo, len(report.photos)) == ("the moth is a viper", "table", 1)
