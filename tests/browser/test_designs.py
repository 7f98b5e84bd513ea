"""What cards do, entered with a finger on a phone: from faces to a round that is resolved."""

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from calibration.learned.learn import DeckSize, learn_deck
from calibration.light_speed.faces import draw_face
from tests.browser.conftest import PHONE
from tests.synth import Scene, photograph
from vision.games.light_speed.deck import load_deck
from vision.geometry import heading_vector
from vision.imaging.photo import encode_image
from vision.values.layout import PlacedCard

SIZE = DeckSize(63.5, 88.9)
SHIPS = ("moth", "sidewinder")
CARDS = (*(f"{team}-{ship}" for team in ("blue", "red") for ship in SHIPS), "asteroid-1")
POWERS = {1: "1 white", 2: "2 red", 3: "3 green"}
PLACE_TOL_MM = 0.3  # a finger's point is a whole pixel of a screen of 4.5 px/mm
TAP_MS = 300  # a browser may take a tap so soon after a touch for the second of two: no click
HEADING_TOL_DEG = 1.5  # of a drag of 25 mm


@pytest.fixture(scope="module")
def known():
    return load_deck("light-speed")


@pytest.fixture
def deck(server, known, tmp_path):
    """A learned deck of two ships of two teams, without a word of what they do."""
    for card in CARDS:
        face = encode_image(draw_face(known, card, 4.0), ".png")
        (tmp_path / f"{card}.png").write_bytes(face)
    return learn_deck("phone", tmp_path, SIZE, server.folder / "decks", replace=True)


def entered(server, ship: str):
    told = server.ask("/decks/phone/designs")
    return next(one for one in told["ships"] if one["name"] == ship)


class Finger:
    """A finger on the face of a card, in millimetres of the card."""

    def __init__(self, page: Page) -> None:
        self.page, self.wire = page, page.context.new_cdp_session(page)

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        self.wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def at(self, point) -> tuple[float, float]:
        script = """([x, y]) => {
            const face = document.querySelector(".designface g");
            const p = new DOMPoint(x, y).matrixTransform(face.getScreenCTM());
            return [p.x, p.y];
        }"""
        x, y = self.page.evaluate(script, [float(v) for v in point])
        return x, y

    def drag(self, start, end) -> None:
        self.page.locator(".designface").scroll_into_view_if_needed()
        self.page.evaluate("document.querySelector('.designface').scrollIntoView()")
        (x, y), (u, v) = self.at(start), self.at(end)
        self.touch("touchStart", (x, y))
        for k in range(1, 5):
            self.touch("touchMove", (x + (u - x) * k / 4, y + (v - y) * k / 4))
        expect(self.page.locator("svg.lens")).to_be_visible()
        self.touch("touchEnd")
        expect(self.page.locator("svg.lens")).to_be_hidden()

    def press(self, name: str) -> None:
        """Tap a button, again if the browser made no click of it."""
        clicks = "window.clicks ??= (addEventListener('click', () => window.clicks++, true), 0)"
        before = self.page.evaluate(clicks)
        for _ in range(10):
            self.page.get_by_role("button", name=name, exact=True).first.tap()
            self.page.wait_for_timeout(TAP_MS)
            if self.page.evaluate(clicks) > before:
                return
        raise AssertionError(name)


def fill_in(page: Page, finger: Finger, ship) -> None:
    """Enter a ship as it is printed: its numbers, then each weapon by one drag."""
    page.locator("#speed").fill(str(ship.speed))
    page.locator("#health").fill(str(ship.health))
    for laser in ship.lasers:
        finger.press(POWERS[laser.power])
        seat = np.array(laser.muzzle_mm)
        finger.drag(seat, seat + 25 * heading_vector(laser.heading_rad))
    expect(page.locator("li.part")).to_have_count(len(ship.lasers))
    expect(page.get_by_text("Saved.", exact=True)).to_be_visible()


def test_a_deck_is_entered_with_a_finger_and_its_round_resolved(open_page, server, deck, known):
    page = open_page("/#/does/phone", **PHONE)
    finger = Finger(page)
    expect(page.get_by_role("button", name="Use these entries")).to_be_disabled()
    for name in SHIPS:
        page.locator("a.cardcell", has_text=name).tap()
        expect(page.get_by_role("heading", name=name)).to_be_visible()
        ship = next(ship for ship in known.ships if ship.name == name)
        fill_in(page, finger, ship)
        for have, want in zip(entered(server, name)["lasers"], ship.lasers, strict=True):
            assert have["power"] == want.power
            assert have["muzzle_mm"] == pytest.approx(want.muzzle_mm, abs=PLACE_TOL_MM)
            turned = np.radians(have["heading_deg"]) - want.heading_rad
            assert abs(np.degrees(np.angle(np.exp(1j * turned)))) < HEADING_TOL_DEG
        finger.press(f"red-{name}")
        finger.press("Differences")
        finger.press("Same")
        expect(page.locator("dialog")).to_have_count(0)
        page.get_by_role("link", name="All cards").tap()
    expect(page.locator(".badge.good")).to_have_count(2)
    finger.press("Use these entries")
    expect(page.get_by_text("Rounds with this deck use these entries.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]

    cards = (
        PlacedCard("red-moth", 0.0, 0.0, 0.0),
        PlacedCard("asteroid-1", 0.0, -150.0, 0.3),
        PlacedCard("blue-sidewinder", 120.0, -60.0, 0.2),
    )
    image, _ = photograph(Scene(cards, seed=5, size_wh=(1200, 1000), tilt_deg=8), deck.deck.bank)
    photo = encode_image(image, ".jpg", 92)
    scan = server.ask("/scans?deck=phone&wait=60", photo)
    page.goto(server.url + f"/#/round/{scan['id']}")
    expect(page.locator("#tab-table, .scores").first).to_be_visible()
    steps = server.ask(f"/scans/{scan['id']}/resolution.json")["steps"]
    assert [(one["ship"], one["rocks"]) for one in steps[0]["mined"]] == [("red-moth", 2)]
