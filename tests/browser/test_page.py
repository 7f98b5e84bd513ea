"""The page as its users meet it: on a phone and at a desk, by touch, mouse and keys alone."""

import json
import re
import urllib.request

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE, sample

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def get(server, path: str):
    with urllib.request.urlopen(server.url + "/api/v1" + path, timeout=20) as reply:
        return json.loads(reply.read())


def check_axe(page) -> None:
    page.wait_for_timeout(250)
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": TAGS}})
    faults = [
        (fault["id"], [node["html"][:160] for node in fault["nodes"]][:4])
        for fault in found.response["violations"]
    ]
    assert not faults


def open_round(open_page, round_id, **options):
    page = open_page(f"/#/round/{round_id}", **options)
    page.wait_for_selector(".stage g.card")
    return page


@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desk"])
def test_a_photo_goes_up_is_read_and_replayed(open_page, device):
    page = open_page("/", **device)
    seen: list[str] = []
    page.expose_function("noteStage", lambda words: seen.append(words))
    page.evaluate(
        """() => new MutationObserver(() => {
            const words = document.querySelector('.item .tiny')?.textContent;
            if (words) noteStage(words);
        }).observe(document.body, {subtree: true, childList: true, characterData: true})"""
    )
    page.set_input_files("#choose", sample("golden-round"))
    page.wait_for_selector(".stage g.card", timeout=60_000)
    assert any(words.startswith("sending") for words in seen)
    assert {"looking for cards", "measuring where they lie"} & set(seen)
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


def test_the_photo_zooms_and_ships_and_shots_are_linked_with_the_ledger(open_page, round_id):
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
    page.locator(".ledger li[data-shot] button").nth(2).click()
    expect(page.locator("g.shot.on")).to_have_count(1)
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
    expect(page.locator("article.doubt").first).to_contain_text("chance that it")
    before = page.locator("svg.photo").get_attribute("viewBox")
    page.locator(".doubt .closeup").first.click()
    assert page.locator("svg.photo").get_attribute("viewBox") != before


def test_a_contested_shot_is_ruled_on(open_page, round_id, server):
    page = open_round(open_page, round_id, **PHONE)
    before = get(server, f"/scans/{round_id}/round")
    doubts = page.locator("article.doubt")
    first = doubts.first
    count = int(page.locator("#tab-doubts .badge").inner_text())
    name = first.locator("h3").inner_text()
    first.get_by_role("button", name="Misses").click()
    mine = doubts.filter(has=page.get_by_role("button", name="Take back"))
    expect(mine.locator("h3")).to_have_text(name)
    expect(mine).to_contain_text("Your ruling: it goes into space")
    assert int(page.locator("#tab-doubts .badge").inner_text()) == count - 1
    after = get(server, f"/scans/{round_id}/round")
    assert after["rulings"]
    assert after["timeline"] != before["timeline"]
    check_axe(page)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_disabled()
    assert get(server, f"/scans/{round_id}/round")["shots"] == before["shots"]


def test_a_card_is_corrected_undone_and_kept(open_page, round_id, server):
    page = open_round(open_page, round_id)
    page.click("#tab-edit")
    start = get(server, f"/scans/{round_id}/round")
    page.locator("details summary").last.click()
    page.locator("details .pick").get_by_text("blue Moth", exact=True).click()
    page.wait_for_selector("polygon.draft")
    spot = page.locator("polygon.draft").bounding_box()
    x, y = spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y + 10, steps=4)
    expect(page.locator(".loupe svg")).to_be_visible()
    page.mouse.up()
    expect(page.locator(".toast").first).to_contain_text("Saved")
    moved = get(server, f"/scans/{round_id}/round")
    place = lambda view: next(  # noqa: E731
        (c["x_mm"], c["y_mm"], c["theta_deg"]) for c in view["cards"] if c["id"] == "blue-moth"
    )
    assert place(moved) != place(start)
    page.reload()
    page.wait_for_selector(".stage g.card")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    assert place(get(server, f"/scans/{round_id}/round")) == place(start)
    page.get_by_role("button", name="Redo").click()
    expect(page.get_by_role("button", name="Redo")).to_be_disabled()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()


def test_names_outlines_and_rules_are_corrected(open_page, round_id, server):
    page = open_round(open_page, round_id)
    page.click("#tab-edit")
    page.locator("details summary").last.click()
    page.locator("details .pick").get_by_text("blue Moth", exact=True).click()
    page.get_by_role("button", name="It is another card").click()
    page.locator("dialog .pick").get_by_text("purple Moth").click()
    expect(page.locator(".sel h2")).to_have_text("purple Moth")
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
    page.get_by_role("button", name="Play by these").click()
    expect(page.locator("dialog")).to_have_count(0)
    assert get(server, f"/scans/{round_id}/round")["rules"]["rocks"] == 16
    for _ in range(2):
        page.keyboard.press("Control+z")
        page.wait_for_timeout(400)
    view = get(server, f"/scans/{round_id}/round")
    assert view["rules"]["rocks"] is None
    assert not view["objects"]


def test_a_link_shows_the_round_until_it_ends(open_page, round_id):
    page = open_round(open_page, round_id)
    page.click("#tab-take")
    page.get_by_role("button", name="Make a link").click()
    link = page.locator("input[aria-label=Link]").input_value()
    path = "/" + link.split("/", 3)[3]
    guest = open_page(path, **PHONE)
    guest.wait_for_selector(".stage g.card")
    expect(guest.locator("#tab-edit")).to_have_count(0)
    page.get_by_role("button", name="End it").click()
    expect(page.locator("input[aria-label=Link]")).to_have_count(0)
    late = open_page(path, quiet=True, **PHONE)
    expect(late.get_by_role("alert")).to_contain_text("the link has ended")


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
    expect(page.locator(".printed table")).to_contain_text("blue")


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
    before = get(server, f"/scans/{round_id}/round")["revision"]
    page.keyboard.press("ArrowRight")
    expect(page.locator(".toast").first).to_contain_text("Saved")
    assert get(server, f"/scans/{round_id}/round")["revision"] == before + 1
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
    for path in ("/docs", "/static/closed.html", f"/#/print/{round_id}"):
        page = open_page(path, **look)
        page.wait_for_timeout(300)
        check_axe(page)


def test_an_evening_has_names_and_a_running_table(open_page):
    page = open_page("/", **PHONE)
    page.set_input_files("#choose", sample("golden-round"))
    page.wait_for_selector(".stage g.card", timeout=60_000)
    page.click("#tab-take")
    page.get_by_role("link", name="Table of the evening").click()
    page.locator("#team-red").fill("Zoé & <i>Max</i>")
    page.locator("#team-red").press("Tab")
    expect(page.locator("thead")).to_contain_text("Zoé & <i>Max</i>")
    expect(page.locator("tfoot")).to_contain_text("Sum")
    check_axe(page)


def test_a_photo_survives_the_tab_that_dies(open_page):
    page = open_page("/", quiet=True, **PHONE)
    page.route("**/api/v1/scans?*", lambda route: route.abort())
    page.set_input_files("#choose", sample("golden-round"))
    expect(page.locator(".item").first).to_contain_text("cannot be reached")
    page.unroute("**/api/v1/scans?*")
    page.reload()
    expect(page.locator("#toasts")).to_contain_text("goes on being sent")
    page.wait_for_selector(".stage g.card", timeout=60_000)


def test_what_is_no_photo_is_told_in_words(open_page, tmp_path):
    page = open_page("/", quiet=True)
    wrong = tmp_path / "wrong.jpg"
    wrong.write_bytes(b"%PDF-1.7 this is no photo")
    page.set_input_files("#choose", wrong)
    expect(page.get_by_role("alert")).to_contain_text("not a photo")
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator(".item .err")).to_have_count(0)


def test_less_motion_where_it_is_asked_for(open_page, round_id):
    page = open_round(open_page, round_id, **{**DESKTOP, "reduced_motion": "reduce"})
    page.get_by_role("button", name="To the start").click()
    page.locator(".player input").fill("10")
    shown = page.locator("g.shot:visible polyline.b1").first.get_attribute("points")
    page.locator(".player input").fill("40")
    assert page.locator("g.shot:visible polyline.b1").first.get_attribute("points") == shown
