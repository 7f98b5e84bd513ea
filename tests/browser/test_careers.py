"""Careers on the page: seated at an evening, shown whole, corrected by hand."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP, PHONE
from tests.browser.test_page import check_axe
from tests.games.conflit_stellaire.duels import DUEL

TURN = DUEL.format(hull=4)


@pytest.fixture
def evening(server):
    """An evening of one turn, which A wins."""
    made = server.ask("/evenings", {"name": "Friday"})["id"]
    server.ask(f"/tables?evening={made}&name=first", TURN)
    return made


def begin(page, side, name):
    page.locator(f"#career-{side}").select_option("new")
    page.locator("#career-name").fill(name)
    page.get_by_role("button", name="Save").click()
    expect(page.locator(f"#career-{side} option:checked")).to_have_text(name)


@pytest.mark.parametrize("device", [PHONE, DESKTOP], ids=["phone", "desk"])
def test_careers_are_seated_named_and_corrected(open_page, evening, device):
    page = open_page(f"/#/evening/{evening}", **device)
    begin(page, "A", "Zoé <b>")
    begin(page, "B", "Ben")
    seats = page.locator(".careers .orderline")
    expect(seats.nth(0)).to_contain_text("unnamed lieutenant, 8 points")
    expect(seats.nth(1)).to_contain_text("aspirant, 0 points")
    check_axe(page)

    seats.nth(0).get_by_role("link").click()
    expect(page.locator("h1")).to_have_text("Zoé <b>")
    page.get_by_role("button", name="Rename: unnamed").click()
    page.locator("#career-name").fill("Vega")
    page.locator("#career-name").press("Enter")
    expect(page.locator(".figure h3")).to_contain_text("Vega")
    expect(page.locator(".figure tbody tr")).to_have_text("first088lieutenant")
    page.locator("#career-points").fill("13")
    page.locator("#career-points").press("Enter")
    expect(page.locator(".figure h3")).to_contain_text("captain, 13 points")
    check_axe(page)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".figure h3")).to_contain_text("lieutenant, 8 points")
    page.get_by_role("link", name="first").click()
    expect(page).to_have_url(re.compile("#/round/"))


def test_who_died_is_followed_by_another(open_page, evening):
    page = open_page(f"/#/evening/{evening}", locale="fr-FR", **DESKTOP)
    page.locator("#career-B").select_option("new")
    page.locator("#career-name").fill("Ève")
    page.locator("#career-name").press("Enter")
    page.locator(".careers").get_by_role("link").click()
    expect(page.locator(".figure h3")).to_have_count(2)
    expect(page.locator(".figure h3").nth(0)).to_contain_text("aspirant, 0 points")
    expect(page.locator(".figure h3").nth(1)).to_contain_text("mort")


def test_another_evening_has_no_careers_of_a_game_that_keeps_none(open_page, server):
    made = server.ask("/evenings", {"name": "Saturday"})["id"]
    page = open_page(f"/#/evening/{made}", **DESKTOP)
    expect(page.locator("#evening-name")).to_have_value("Saturday")
    expect(page.locator(".careers")).to_have_count(0)
