"""The page with other games and decks than its own: it draws whatever ledger it is told."""

import copy
import json
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import DESKTOP, PHONE, sample
from tests.browser.test_page import check_axe

SIDES = [
    {"id": "sun", "name": "the sun", "colour": "#c47a00", "shape": "pentagon"},
    {"id": "rain", "name": "the rain", "colour": "#0077b6", "shape": "hexagon"},
]


def answer(page: Page, path: str, body: Any) -> None:
    def fulfil(route: Route) -> None:
        route.fulfill(status=200, content_type="application/json", body=json.dumps(body))

    page.route(path, fulfil)


def ledger_of_a_toy(outline: list[list[float]]) -> dict[str, Any]:
    """Tell a round of one step: a token is moved, and takes another out."""
    middle = [sum(p[i] for p in outline) / len(outline) for i in (0, 1)]
    piece = {"kind": "token", "known": True, "health": 0, "label": "", "outline_px": outline}
    pieces = [
        {**piece, "id": "one", "title": "first token", "side": "sun", "number": "1", "spot": "one"},
        {
            **piece,
            "id": "two",
            "title": "second token",
            "side": "rain",
            "number": "",
            "spot": "two",
        },
    ]
    state = {"harm": 0, "held": 0, "note": None, "out": False, "taken_by": None, "points": 0}
    before = {"scores": {"sun": {"total": 0}, "rain": {"total": 0}}}
    after = {"scores": {"sun": {"total": 5}, "rain": {"total": 0}}}
    path = {
        "kind": "path",
        "style": "move",
        "side": "sun",
        "strength": 1,
        "fades": False,
        "label": "1",
        "points_px": [outline[0], middle],
    }
    event = {
        "id": "move-1",
        "said": "the first token jumps",
        "title": "First move",
        "depth": 0,
        "pieces": ["one", "two"],
        "marks": [path, {"kind": "badge", "style": "count", "text": "+5", "at_px": middle}],
        "leaves": ["two"],
        "closeness": None,
        "contested": False,
        "ruled": False,
        "choices": [],
        "undo": None,
    }
    out = {"one": state, "two": {**state, "out": True, "taken_by": "sun", "points": 5}}
    return {
        "game": "toy",
        "words": {"game.title": "Toy", "piece.number": "Rank"},
        "sides": SIDES,
        "columns": [{"id": "total", "name": "points"}],
        "pieces": pieces,
        "opening": {**before, "pieces": {"one": state, "two": state}},
        "steps": [{"title": "Turn 1", "events": [event], "tally": {**after, "pieces": out}}],
        "winners": ["sun"],
        "outcome": "the sun wins",
        "reason": None,
        "doubts": [],
        "odds": {"winners": [], "scores": [], "lines": ["how sure", "the sun wins: over 99%"]},
    }


@pytest.fixture
def view(server, round_id) -> dict[str, Any]:
    return server.ask(f"/scans/{round_id}/round")


def show(open_page, round_id: str, body: dict[str, Any], **options) -> Page:
    page = open_page("/docs", **options)
    answer(page, f"**/api/v1/scans/{round_id}/round", body)
    page.goto(page.url.replace("/docs", f"/#/round/{round_id}"))
    page.wait_for_selector(".stage g.card")
    return page


def test_a_round_of_another_game_is_told_and_drawn(open_page, round_id, view):
    body = copy.deepcopy(view)
    toy = ledger_of_a_toy(view["ledger"]["en"]["pieces"][0]["outline_px"])
    body |= {"ledger": {"en": toy, "fr": toy}, "issues": [], "objects": [], "rulings": []}
    sure = {"open": False, "doubts": 0, "words": {"en": "The sun wins (over 99%)", "fr": "-"}}
    body |= {"game": "toy", "deck": "toy", "rules": {}, "headline": sure}
    poses = view["cards"][:2]
    body["cards"] = [{**pose, "id": name} for pose, name in zip(poses, ("one", "two"), strict=True)]
    page = show(open_page, round_id, body, **DESKTOP)
    expect(page.locator(".chip.win .nm")).to_have_text("the sun")
    expect(page.locator(".chip.win b")).to_have_text("5")
    expect(page.locator(".headline")).to_have_text("The sun wins (over 99%)")
    expect(page.locator(".odds")).to_contain_text("over 99%")
    expect(page.locator("g.event .move polyline.b1")).to_have_attribute("stroke", "#c47a00")
    expect(page.locator("g.card.dead")).to_have_count(1)
    page.locator(".ledger li[data-event] button").click()
    expect(page.locator(".sel h2")).to_have_text("First move")
    page.click("#tab-table")
    expect(page.locator(".body")).to_contain_text("Rank")
    expect(page.locator(".body")).to_contain_text("out: Turn 1 → the sun")
    check_axe(page)
    page.get_by_role("button", name="To the start").click()
    assert page.locator(".chip b").all_inner_texts() == ["0", "0"]
    expect(page.locator(".player output")).to_have_text("Turn 1")


def test_a_round_without_a_game_shows_where_pieces_lie(open_page, round_id, view):
    body = copy.deepcopy(view)
    for ledger in body["ledger"].values():
        ledger |= {"game": "none", "sides": [], "columns": [], "steps": [], "winners": []}
        ledger |= {"opening": {"scores": {}, "pieces": {}}, "odds": None}
        for piece in ledger["pieces"]:
            piece |= {"side": None, "number": "", "health": 0}
    body |= {"game": "none", "rules": {}, "issues": []}
    page = show(open_page, round_id, body, **PHONE)
    expect(page.locator("#tab-ledger")).to_have_count(0)
    expect(page.locator("#tab-edit")).to_have_count(0)
    expect(page.locator("#tab-table")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".player")).to_be_hidden()
    expect(page.locator("tbody tr")).to_have_count(len(view["cards"]))
    page.locator("td button.link").first.click()
    expect(page.locator(".sel h2")).to_be_in_viewport()
    check_axe(page)


def test_a_deck_is_named_only_where_nobody_finds_it(open_page, server):
    games = server.ask("/games")["games"][:1]
    page = open_page("/", quiet=True, **PHONE)
    answer(page, "**/api/v1/games", {"games": games})
    page.reload()
    page.wait_for_selector(".hero")
    expect(page.locator("#read-as")).to_have_count(0)  # the game is found
    learned = {**games[0], "deck": "our-own", "game": "none", "sides": [], "options": []}
    learned["learned"] = True
    answer(page, "**/api/v1/games", {"games": [*games, learned]})
    page.reload()
    expect(page.locator("#read-as option")).to_have_text(["detected automatically", "our-own"])
    page.route("**/api/v1/scans?*", lambda route: route.abort())  # what is asked is enough
    page.set_input_files("#choose", sample("golden-round"))
    expect(page.locator(".item img.thumb[src^=blob]")).to_have_count(1)
    page.locator("#read-as").select_option("our-own")
    check_axe(page)
    page.set_input_files("#choose", sample("close-calls"))
    expect(page.locator(".item img.thumb[src^=blob]")).to_have_count(2)
    page.reload()
    expect(page.locator("#read-as")).to_have_value("our-own")
    uploads = page.evaluate(
        """async () => (await import("/static/js/lib/queue.js")).kept()
            .then((all) => all.map((one) => one.deck))"""
    )
    assert sorted(uploads, key=str) == [None, "our-own"]
    page.goto(page.url + "#/live")
    page.locator("summary").first.click()  # of all options; rare rules have one of their own
    expect(page.locator("#deck")).to_have_count(0)  # the one deck that a game is played with
    expect(page.locator("#rule-piracy")).to_be_visible()
    printing = {**games[0], "deck": "second-printing", "options": games[0]["options"][:1]}
    answer(page, "**/api/v1/games", {"games": [*games, learned, printing]})
    page.reload()
    page.locator("#deck").select_option("second-printing")
    page.locator("summary").first.click()  # of all options; rare rules have one of their own
    expect(page.locator("#rule-piracy")).to_be_visible()
    expect(page.locator("#rule-asteroids")).to_have_count(0)
