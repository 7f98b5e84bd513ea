"""The coach on the page: silent until all have ordered, then asked for under the account."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE


def test_the_coach_is_asked_under_the_account(open_page, server):
    made = server.ask("/tables", "game laser-shield\norange b1 s\nblue c1 n\nblue d4 n\n")
    change = {"kind": "orders", "orders": {"orange": None, "blue": "move c1-c2"}}
    server.ask(f"/scans/{made['id']}/edits", {"change": change})
    page = open_page(f"/#/round/{made['id']}", **DESKTOP)
    page.get_by_role("tab", name="Ledger").click()
    page.get_by_role("button", name="What would have been better?").click()
    told = page.locator("section.coach li")
    expect(told.first).to_have_text("Orange could have killed blue 1 with: fire b1>c1")
    assert told.count() >= 3


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desk", "phone"])
def test_a_hint_is_shown_on_the_photo_and_goes_with_the_next_round(open_page, server, screen):
    made = server.ask("/tables", "red moth @0,0 0deg\nblue moth @20,-250 0deg\n")
    page = open_page(f"/#/round/{made['id']}", **screen)
    page.get_by_role("tab", name="Ledger").click()
    page.get_by_role("button", name="What would have been better?").click()
    panel = page.locator("section.coach")
    cells = page.locator("svg.photo g polygon[fill-opacity]")
    show = panel.get_by_role("button", name="Show").first
    show.click()
    expect(cells.first).to_be_visible()
    assert show.get_attribute("aria-pressed") == "true"
    piece = panel.get_by_label("Where would it have scored best?")
    assert piece.input_value() == "blue-moth"
    said = panel.locator("li").first.inner_text()
    page.get_by_role("tab", name="Correct").click()
    expect(cells.first).to_be_hidden()
    page.get_by_role("tab", name="Ledger").click()
    assert panel.locator("li").first.inner_text() == said, "what was told stays"
    expect(cells.first).to_be_visible()
    show.click()
    expect(cells).to_have_count(0)
    piece.select_option("blue-moth")
    expect(cells.first).to_be_visible()
    change = {"kind": "rules", "set": ["piracy=true"]}
    server.ask(f"/scans/{made['id']}/edits", {"change": change})
    expect(panel.locator("li")).to_have_count(0)
    expect(cells).to_have_count(0)


def test_whose_hints_are_shown_is_seen_and_told(open_page, server):
    """By a thick border to the eye, by its state to who has the page read out."""
    both = "red moth @0,0 0deg\nblue moth @20,-250 0deg\nasteroid-1 @200,0 0deg\n"
    made = server.ask("/tables", both)
    page = open_page(f"/#/round/{made['id']}", **DESKTOP)
    page.get_by_role("tab", name="Ledger").click()
    page.get_by_role("button", name="What would have been better?").click()
    sides = page.get_by_role("group", name="For whom").get_by_role("button")
    expect(sides).to_have_count(3)
    for k in (0, 1, 2):
        if k:
            sides.nth(k).click()
        for n in range(3):
            expect(sides.nth(n)).to_have_attribute("aria-pressed", "true" if n == k else "false")
            shadow = sides.nth(n).evaluate("node => getComputedStyle(node).boxShadow")
            assert (shadow != "none") == (n == k)
