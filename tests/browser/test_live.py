"""The live page in a real Chromium: a camera that plays a film, and one that misbehaves."""

import base64
import json
import os
import re
import signal
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.apps.live_help import CLOSE, NAMES, NO_STOP, close_film, film_of, jpeg
from tests.browser.conftest import ARGUMENTS, CHROMIUM, DESKTOP, PHONE
from tests.browser.test_far import LYING, check_legible
from tests.browser.test_orders import TV
from tests.browser.test_page import check_axe
from tests.patience import PATIENCE_MS, PATIENCE_S
from vision.geometry import photo_from_table

COPIES = 3  # Chromium plays such a file at 30 pictures a second, the film has 10
LEAD_S = 4.0  # an empty table, while the watch gets ready
APART_S = 3.0  # between two cards: a busy machine looks once a second, and sees one at a time
TAP_PX = 4.0  # a tap falls on a whole pixel of a canvas a third as large as the picture
HOLD_S = 20.0  # the finished table, until the film begins again

#: A camera in the page's hands: what window.table draws, as long as it draws.
OWN_CAMERA = """
(() => {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  const table = (window.table = { image: null, isOn: true, canvas });
  setInterval(() => {
    if (!table.isOn) return;
    context.fillStyle = '#000';
    context.fillRect(0, 0, canvas.width, canvas.height);
    if (table.image) context.drawImage(table.image, 0, 0, canvas.width, canvas.height);
    context.fillStyle = `rgb(0, 0, ${(table.n = ((table.n || 0) + 1) % 3)})`;
    context.fillRect(0, 0, 2, 2);
  }, 70);
  table.show = async (url, width, height) => {
    const image = url ? new Image() : null;
    if (image) {
      image.src = url;
      await image.decode();
    }
    [canvas.width, canvas.height] = [width, height];
    table.image = image;
    table.isOn = true;
  };
  navigator.mediaDevices.getUserMedia = async () => {
    table.asked = (table.asked || 0) + 1;
    return canvas.captureStream(15);
  };
})();
"""


@pytest.fixture(scope="module")
def film_file(tmp_path_factory) -> Path:
    """Two cards are laid one after the other."""
    film = film_of()
    place = tmp_path_factory.mktemp("camera") / "film.mjpeg"
    cards = film.cards[:2]
    frames = [*film.rest([], 0.1)] * round(LEAD_S * 10)
    for k, card in enumerate(cards):
        frames += film.visit(cards[:k], cards[: k + 1], (card.x_mm, card.y_mm), seconds=0.8)
        frames += film.rest(cards[: k + 1], APART_S)
    frames += [*film.rest(cards, 0.5)] * round(HOLD_S * 2)
    with place.open("wb") as file:
        for image, _ in frames:
            file.write(jpeg(image, 75) * COPIES)
    return place


@pytest.fixture(scope="module")
def camera_browser(playwright, film_file) -> Iterator[Browser]:
    browser = playwright.chromium.launch(
        executable_path=CHROMIUM,
        args=[
            *ARGUMENTS,
            "--use-fake-device-for-media-stream",
            "--use-fake-ui-for-media-stream",
            f"--use-file-for-fake-video-capture={film_file}",
        ],
    )
    yield browser
    browser.close()


#: The games that a page began: their addresses and keys.
BEGUN = """() => Object.entries(JSON.parse(localStorage.getItem('live-keys') || '{}'))
    .map(([id, key]) => [location.origin + '/api/v1/live/' + id, key])"""


@pytest.fixture
def open_camera_page(camera_browser, server):
    """Open pages of one device each; none may complain; its games end with the test."""
    contexts, complaints = [], []

    def open_one(path: str, *, script: str = "", at: str = "", **options) -> Page:
        context = camera_browser.new_context(**{"locale": "en-GB", **(options or DESKTOP)})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        if script:
            page.add_init_script(script)
        page.on(
            "console",
            lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto((at or server.url) + path)
        return page

    yield open_one
    begun = [game for context in contexts for game in context.pages[0].evaluate(BEGUN)]
    for context in contexts:  # first: a page asks for pictures until it closes
        context.close()
    for address, key in begun:
        request = urllib.request.Request(address, headers={"X-Live-Key": key}, method="DELETE")
        with suppress(urllib.error.HTTPError):  # it is over already
            urllib.request.urlopen(request, timeout=PATIENCE_S).close()
    assert not complaints


def cards_told(page: Page) -> list[str]:
    lines = page.locator(".live-log li[data-code^=card_]").all_inner_texts()
    return [" ".join(line.split()).lower() for line in reversed(lines)]


def url_of(image) -> str:
    return "data:image/jpeg;base64," + base64.b64encode(jpeg(image)).decode()


def begin(page: Page) -> str:
    """Begin a game with the camera; return its address."""
    page.get_by_role("button", name="Start the camera").click()
    page.wait_for_url("**/#/live/*")
    return page.url[page.url.index("/#") :]


def by_hand_alone(route: Route) -> None:
    """Begin a game whose rounds end by the button: silence would end one on a busy machine."""
    request = route.request
    if request.method == "POST":
        route.continue_(post_data=json.dumps({**request.post_data_json, **NO_STOP}))
    else:
        route.continue_()


def test_a_camera_is_followed_from_the_first_card_to_the_round(open_camera_page):
    page = open_camera_page("/", **PHONE)
    page.route("**/api/v1/live", by_hand_alone)
    page.get_by_role("link", name="Live table").click()
    place = begin(page)
    log = page.locator(".live-log li[data-code^=card_]")
    expect(log).to_have_count(2)
    told = cards_told(page)
    names = [name.replace("-", " ") for name in NAMES[:2]]
    assert sorted(name for line in told for name in names if name in line) == sorted(names)
    # no order where they lay there when the watch was ready, or came in one picture
    if all("is laid" in line for line in told) and len({line.split()[0] for line in told}) == 2:
        assert [name in line for name, line in zip(names, told, strict=True)] == [True, True]
    expect(page.locator(".live-card")).to_have_count(2)
    expect(page.locator(".live-age")).to_contain_text("s old")
    page.get_by_role("button", name="Stop!").click()
    expect(page.locator(".live-verdict")).to_be_visible()
    expect(page.locator(".live-winner")).to_contain_text(re.compile("red|blue"))
    # a camera that stops is told, and costs nothing
    page.evaluate(
        """() => {
            navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('busy'));
            document.querySelector('video').srcObject.getVideoTracks()[0].stop();
        }"""
    )
    expect(page.get_by_role("alert")).to_contain_text("The camera has stopped")
    expect(page.locator(".live-card")).to_have_count(2)
    check_axe(page)  # not while the film runs: it begins again, and takes the cards away
    page.get_by_role("button", name="Stop the camera").click()
    expect(page.get_by_role("button", name="Start the camera")).to_be_visible()
    newest = page.locator(".live-log li").first  # a busy machine may have stalled before
    expect(newest).to_have_attribute("data-code", "picture_stalled")  # and nothing after it
    # another device sees the same, in its own language, and may not stop it
    viewer = open_camera_page(place, **DESKTOP, color_scheme="dark", locale="fr-FR")
    expect(viewer.get_by_role("heading", name="Ce qui se passe")).to_be_visible()
    expect(viewer.locator(".live-log li")).to_have_count(page.locator(".live-log li").count())
    expect(viewer.locator(".live-act")).to_have_count(0)
    expect(viewer.locator(".live-trouble")).to_contain_text("Pas de nouvelle image")
    check_axe(viewer)
    page.get_by_role("link", name="Open the round").click()
    expect(page.locator(".stage g.card")).to_have_count(2)
    expect(page.locator(".chip")).to_have_count(2)


def test_a_camera_that_misbehaves_keeps_the_game_and_says_so(open_camera_page, server):
    film = film_of()
    table = url_of(film.frame(film.still(film.cards[:2])))
    page = open_camera_page("/#/live", script=OWN_CAMERA)
    page.wait_for_selector(".hero, h1")
    page.evaluate("url => window.table.show(url, 960, 540)", table)
    place = begin(page)
    expect(page.locator(".live-card")).to_have_count(2)
    trouble, log = page.locator(".live-trouble"), page.locator(".live-log")
    viewer = open_camera_page(place + "/overlay")
    expect(viewer.locator(".live-strip")).to_contain_text("red 1")
    expect(viewer.locator("header")).to_be_hidden()
    expect(viewer.locator("canvas.live-picture")).to_have_attribute("width", "960")

    page.evaluate("window.table.show(null, 960, 540)")
    expect(trouble).to_contain_text("The picture is black")
    page.evaluate("url => window.table.show(url, 640, 360)", table)
    expect(trouble).to_be_hidden()
    expect(log).to_contain_text("size changed from 960 x 540 to 640 x 360")
    page.evaluate("window.table.isOn = false")  # a picture that stands still is no new picture
    expect(trouble).to_contain_text("The camera sends no picture")
    expect(viewer.locator(".live-trouble")).to_contain_text("No new picture")
    expect(page.locator(".live-card")).to_have_count(2)
    page.evaluate("window.table.isOn = true")
    expect(trouble).to_be_hidden()
    expect(viewer.locator(".live-trouble")).to_be_hidden()
    expect(log.locator("[data-code=picture_back]")).not_to_have_count(0)
    hide = """is => {
        Object.defineProperty(document, 'hidden', {value: is, configurable: true});
        document.dispatchEvent(new Event('visibilitychange'));
    }"""
    page.evaluate(hide, True)
    expect(trouble).to_contain_text("pauses while this page is hidden")
    page.evaluate(hide, False)
    expect(trouble).to_be_hidden()
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        for one in (page, viewer):
            expect(one.locator(".live-trouble")).to_contain_text("The server does not answer")
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    expect(trouble).to_be_hidden()
    expect(viewer.locator(".live-trouble")).to_be_hidden()
    page.get_by_role("link", name="Sightline").click()  # the camera goes on behind another view
    expect(page.locator(".hero")).to_be_visible()
    count = "place => fetch('/api/v1' + place).then(r => r.json()).then(g => g.watch.pictures)"
    before = page.evaluate(count, place[2:])
    while page.evaluate(count, place[2:]) < before + 5:
        page.wait_for_timeout(100)
    page.go_back()
    expect(page.locator("video.live-picture")).to_be_visible()
    expect(page.locator(".live-card")).to_have_count(2)
    page.get_by_role("button", name="End this live game").click()
    page.get_by_role("dialog").get_by_role("button", name="End this live game").click()
    expect(page.get_by_role("heading", name="Follow a table")).to_be_visible()
    expect(viewer.locator(".live-trouble")).to_contain_text("Waiting for a live game")


def test_a_live_table_is_read_from_three_metres(open_camera_page):
    film = film_of()
    page = open_camera_page("/#/live", script=OWN_CAMERA)
    page.wait_for_selector("h1")
    page.evaluate(
        "url => window.table.show(url, 960, 540)", url_of(film.frame(film.still(film.cards)))
    )
    begin(page)
    expect(page.locator(".live-card")).to_have_count(len(film.cards))
    television = open_camera_page("/#/live/tv", **TV)
    expect(television.locator(".live-card")).to_have_count(len(film.cards))
    expect(television.locator(".live-age")).to_contain_text("s old")
    check_legible(television, ".live-name", ".live-number", ".live-strip", ".live-age")
    assert sorted(television.locator(".live-number").all_text_contents()) == ["1", "5"]
    assert television.locator(".live-name, .live-number").evaluate_all(LYING) == []


def camera_over_close_table(open_camera_page, count: int | None = None) -> Page:
    """Open the page of a camera that sees a table with a shot too close to call, or its start."""
    film = close_film()
    page = open_camera_page("/#/live", script=OWN_CAMERA)
    page.route("**/api/v1/live", by_hand_alone)
    page.wait_for_selector("h1")
    show_close_table(page, len(film.cards) if count is None else count)
    return page


def show_close_table(page: Page, count: int) -> None:
    """Let so many cards lie on the table."""
    film = close_film()
    table = url_of(film.frame(film.still(film.cards[:count])))
    page.evaluate("url => window.table.show(url, 960, 540)", table)


def test_beams_show_to_those_to_whom_the_host_has_them_shown(open_camera_page):
    page = camera_over_close_table(open_camera_page)
    place = begin(page)
    player = open_camera_page(place, **PHONE)
    for one in (page, player):
        expect(one.locator(".live-card")).to_have_count(len(CLOSE))
    expect(player.locator("#live-beams")).to_have_count(0)  # a player is not asked
    page.get_by_label("Beams while cards are laid").last.select_option("spectators")
    link = page.get_by_role("link", name="Television with beams")
    expect(link).to_be_visible()
    television = open_camera_page("/" + link.get_attribute("href"), **TV)
    beams, close = ".live-beams [data-beam]", ".live-beams .contested"
    expect(television.locator(close)).to_have_attribute("data-beam", "blue-destroyer-laser-2")
    assert television.locator(beams).count() > 4
    dashes = television.locator(close + " .b1").evaluate("n => getComputedStyle(n).strokeDasharray")
    assert dashes != "none"
    check_legible(television, ".live-name", ".live-number", ".live-strip", ".live-age")
    expect(player.get_by_text("Spectators’ screens show what every card would hit")).to_be_visible()
    for one in (page, player):
        expect(one.locator(beams)).to_have_count(0)
    page.get_by_label("Beams while cards are laid").last.select_option("all")
    for one in (page, player):
        expect(one.locator(close)).to_have_count(1)
        assert one.locator(beams).count() == television.locator(beams).count()
    check_axe(player)
    page.get_by_label("Beams while cards are laid").last.select_option("nobody")
    for one in (page, player, television):
        expect(one.locator(beams)).to_have_count(0)


#: Counts all beams that a page ever had.
COUNTS_BEAMS = """
window.beamsEver = 0;
new MutationObserver(() => {
  window.beamsEver += document.querySelectorAll('[data-beam]').length;
}).observe(document, { childList: true, subtree: true });
"""


def test_a_whole_round_shows_its_beams_to_spectators_alone(open_camera_page):
    """Card after card to the verdict, at the sizes of a desk, a phone and a television."""
    page = camera_over_close_table(open_camera_page, 0)
    place = begin(page)
    player = open_camera_page(place, script=COUNTS_BEAMS, **PHONE)
    page.get_by_label("Beams while cards are laid").last.select_option("spectators")
    link = page.get_by_role("link", name="Television with beams").get_attribute("href")
    television = open_camera_page("/" + link, script=COUNTS_BEAMS, **TV)
    for count, name in enumerate(CLOSE, 1):
        show_close_table(page, count)
        for one in (page, player, television):
            expect(one.locator(".live-card")).to_have_count(count)
        if not name.startswith("asteroid"):
            own = television.locator(f".live-beams [data-beam^={name}-laser]")
            expect(own.first).to_be_attached()
    page.get_by_role("button", name="Stop!").click()
    for one in (page, player):
        expect(one.locator(".live-verdict")).to_be_visible()
    assert television.evaluate("window.beamsEver") > 0
    assert player.evaluate("window.beamsEver") == 0
    expect(page.locator("[data-beam]")).to_have_count(0)


def tap(page: Page, x: float, y: float) -> None:
    """Tap a place of the picture, in its own pixels."""
    at = page.locator(".live-over").evaluate(
        "(n, at) => { const p = new DOMPoint(...at).matrixTransform(n.getScreenCTM()); "
        "return [p.x, p.y]; }",
        [x, y],
    )
    page.mouse.click(*at)


def test_a_finger_corrects_cards_while_the_table_is_live(open_camera_page):
    film = film_of()
    page = open_camera_page("/#/live", script=OWN_CAMERA, **PHONE)
    page.route("**/api/v1/live", by_hand_alone)
    page.wait_for_selector("h1")
    table = url_of(film.frame(film.still(film.cards)))
    page.evaluate("url => window.table.show(url, 960, 540)", table)
    place = begin(page)
    cards = page.locator(".live-card")
    expect(cards).to_have_count(len(NAMES))
    player = open_camera_page(place, **PHONE)
    expect(player.locator(".live-card")).to_have_count(len(NAMES))
    expect(player.get_by_role("region", name="Correct a card")).to_have_count(0)
    middle = photo_from_table(film.camera, np.array([[c.x_mm, c.y_mm] for c in film.cards]))
    tap(page, *middle[NAMES.index("blue-ghost")])
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name="Blue Ghost")).to_be_visible()
    check_axe(page)
    dialog.get_by_role("button", name="It is another card").click()
    page.get_by_role("dialog").get_by_role("button", name="blue Destroyer").click()
    for one in (page, player):
        expect(one.locator("[data-card=blue-destroyer].by-hand")).to_have_count(1)
    expect(page.locator(".live-log")).to_contain_text("Corrected: blue ghost is blue destroyer")
    page.get_by_text("Correct a card", exact=True).click()  # also without a picture to tap
    page.locator(".pick").get_by_role("button", name="Asteroid 1").click()
    page.get_by_role("dialog").get_by_role("button", name="No such card is there").click()
    expect(cards).to_have_count(2)
    empty = [700.0, 150.0]
    assert min(np.hypot(*(middle - empty).T)) > 100  # px: a card and a half
    tap(page, *empty)
    page.get_by_role("dialog").get_by_role("button", name="green Moth").click()
    expect(page.get_by_text("now tap where its top points to")).to_be_visible()
    tap(page, empty[0] + 60, empty[1])
    expect(cards).to_have_count(3)
    corners = page.evaluate(
        "id => fetch('/api/v1' + id).then(r => r.json()).then(g => "
        "g.watch.cards.find(c => c.card === 'green-moth').corners_px)",
        place[2:],
    )
    top = np.mean(corners[:2], axis=0) - np.mean(corners, axis=0)
    assert abs(np.degrees(np.arctan2(top[1], top[0]))) < 10  # it points to the right
    expect(player.locator(".live-card")).to_have_count(3)
    check_axe(page)
    page.get_by_role("button", name="Stop!").click()
    opened = page.get_by_role("link", name="Open the round")
    expect(opened).to_be_visible()
    first = opened.get_attribute("href")
    tap(page, *middle[NAMES.index("red-moth")])  # the next verdict takes the place of this one
    page.get_by_role("dialog").get_by_role("button", name="No such card is there").click()
    expect(opened).not_to_have_attribute("href", first)
    for one in (page, player):
        expect(one.locator(".live-card")).to_have_count(2)
        expect(one.locator(".live-log")).to_contain_text("After the correction")
    opened.click()
    expect(page.locator(".stage g.card")).to_have_count(2)


def test_two_tables_show_each_other_and_who_yields(own_server, open_camera_page, server):
    film = film_of()
    asteroid = NAMES.index("asteroid-1")
    moth, ghost = (film.cards[NAMES.index(name)] for name in ("red-moth", "blue-ghost"))
    shared = film.cards[asteroid]
    on_it = replace(ghost, x_mm=moth.x_mm + 12.0, y_mm=moth.y_mm)
    tables = [(shared, moth), (shared, on_it)]
    pages = []
    devices = ((server, PHONE), (own_server, DESKTOP))
    for cards, (at, device) in zip(tables, devices, strict=True):
        page = open_camera_page("/#/live", script=OWN_CAMERA, at=at.url, **device)
        page.route("**/api/v1/live", by_hand_alone)
        page.wait_for_selector("h1")
        picture = url_of(film.frame(film.still(cards)))
        page.evaluate("url => window.table.show(url, 960, 540)", picture)
        begin(page)
        expect(page.locator(".live-card")).to_have_count(2)
        pages.append(page)
    host, guest = pages
    host.get_by_role("button", name="Give a link").click()
    link = host.get_by_label("Link for the other table", exact=True).first
    expect(link).to_be_visible()
    expect(host.get_by_text("Waiting for the other table")).to_be_visible()
    check_axe(host)
    guest.get_by_role("button", name="I have a link").click()
    guest.get_by_role("dialog").get_by_label("Link from the other table").fill(link.input_value())
    check_axe(guest)
    guest.get_by_role("button", name="Take part").click()
    for page, other in ((host, "blue-ghost"), (guest, "red-moth")):
        expect(page.locator(f"[data-other={other}]")).to_have_count(1)
        expect(page.get_by_text("Both tables are one: Asteroid 1 lies on both")).to_be_visible()
    expect(host.locator("[data-other=blue-ghost].yields")).to_have_count(1)  # laid later
    expect(guest.locator("[data-card=blue-ghost].yields")).to_have_count(1)
    expect(guest.locator(".live-log [data-code=battle_overlap]")).to_have_count(1)
    shown = guest.locator("[data-other=red-moth] polygon").get_attribute("points")
    corners = np.array([[float(v) for v in point.split(",")] for point in shown.split()])
    truth = photo_from_table(film.camera, np.array([[moth.x_mm, moth.y_mm]]))[0]
    assert np.hypot(*(corners.mean(axis=0) - truth)) < 3.0  # px: as if it lay on this table
    host.get_by_role("button", name="Stop!").click()
    for page in pages:
        expect(page.locator(".live-log")).to_contain_text("Verdict on both tables")
        check_axe(page)
    guest.get_by_role("button", name="Leave the battle").click()
    expect(guest.locator("[data-other]")).to_have_count(0)
    expect(host.get_by_text(re.compile("away for [0-9]+ s"))).to_be_visible()


def test_a_projector_shows_beams_where_its_four_corners_were_tapped(open_camera_page):
    page = camera_over_close_table(open_camera_page)
    begin(page)
    page.get_by_label("Beams while cards are laid").last.select_option("spectators")
    link = page.get_by_role("link", name="Projector").get_attribute("href")
    projector = open_camera_page("/" + link, viewport={"width": 1000, "height": 500})
    canvas, beams = projector.locator(".projector-corners canvas"), ".projected [data-beam]"
    expect(canvas).to_have_attribute("width", "960")
    box = canvas.bounding_box()
    tapped = [(0.1, 0.2), (0.9, 0.1), (0.95, 0.9), (0.05, 0.85)]  # of the picture

    def tap(corners):
        for x, y in corners:
            canvas.click(position={"x": x * box["width"], "y": y * box["height"]})

    tap([tapped[0], tapped[2], tapped[1], tapped[3]])
    expect(projector.get_by_text("These corners make no screen")).to_be_visible()
    tap(tapped)
    expect(projector.locator(beams)).not_to_have_count(0)
    expect(projector.locator(".projected .contested")).to_have_count(1)
    expect(canvas).to_be_hidden()
    # every beam begins where the picture's homography has it
    television = open_camera_page("/" + link.replace("/projector", "/overlay"), **TV)
    expect(television.locator(".live-beams [data-beam]").first).to_be_attached()
    starts = """nodes => Object.fromEntries(nodes.map(n => [n.dataset.beam, n.querySelector('.b1')
        .getAttribute('points').split(' ')[0].split(',').map(Number)]))"""
    seen = television.locator(".live-beams [data-beam]").evaluate_all(starts)
    laid = projector.locator(beams).evaluate_all(starts)
    source = np.float32([[960 * x - 0.5, 540 * y - 0.5] for x, y in tapped])
    screen = np.float32([[0, 0], [1000, 0], [1000, 500], [0, 500]])
    there = cv2.getPerspectiveTransform(source, screen)
    assert laid.keys() == seen.keys()
    for name, start in laid.items():
        wanted = cv2.perspectiveTransform(np.float32([[seen[name]]]), there)[0, 0]
        assert np.hypot(*(wanted - start)) < TAP_PX
    projector.reload()
    expect(projector.locator(beams)).to_have_count(len(laid))  # the corners were kept
    projector.hover(".live-projector")
    projector.get_by_role("button", name="Corners again").click()
    expect(canvas).to_be_visible()


FORBIDDEN = {
    "NotAllowedError": "The camera is not allowed",
    "NotFoundError": "No camera found",
    "NotReadableError": "The camera is in use",
}


def test_a_camera_that_is_not_given_is_explained(open_camera_page):
    refuse = """navigator.mediaDevices.getUserMedia = () =>
        Promise.reject(new DOMException('no', window.refusal));"""
    page = open_camera_page("/#/live", script=refuse, **PHONE)
    for name, words in FORBIDDEN.items():
        page.evaluate("name => (window.refusal = name)", name)
        page.get_by_role("button", name="Start the camera").click()
        expect(page.get_by_role("heading", name=words)).to_be_visible()
        expect(page.locator(".reason li").first).to_be_visible()
    check_axe(page)
    insecure = "Object.defineProperty(window, 'isSecureContext', {value: false});"
    page = open_camera_page("/#/live", script=insecure, **PHONE, locale="fr-FR")
    reason = page.get_by_role("alert").filter(has_text="http simple")
    expect(reason).to_contain_text("localhost")
    expect(reason).to_contain_text("sightline serve --camera 0")
    expect(page.get_by_role("button", name="Lancer la caméra")).to_be_disabled()
    games = json.loads(page.evaluate("fetch('/api/v1/live').then((reply) => reply.text())"))
    assert games == {"games": []}


STREAM = {"viewport": {"width": 1920, "height": 1080}}  # a browser source of streaming software


def painted(page: Page) -> float:
    """Share of a transparent page that anything is painted on."""
    shot = np.frombuffer(page.screenshot(omit_background=True), np.uint8)
    return float((cv2.imdecode(shot, cv2.IMREAD_UNCHANGED)[..., 3] > 0).mean())


def test_a_stream_shows_each_card_for_eight_seconds_and_nothing_at_rest(open_camera_page, server):
    film = film_of()
    frames = [url_of(film.frame(film.still(film.cards[:n]))) for n in range(3)]
    page = open_camera_page("/#/live", script=OWN_CAMERA)
    page.route("**/api/v1/live", by_hand_alone)
    page.wait_for_selector(".hero, h1")
    page.evaluate("url => window.table.show(url, 960, 540)", frames[0])
    place = begin(page)
    stream = open_camera_page(place + "/stream", **STREAM)
    stream.wait_for_selector(".stream-board", state="attached")
    stream.wait_for_timeout(1000)
    assert painted(stream) == 0
    popups, bar = stream.locator(".popup"), stream.locator(".stream-bar")
    for n, frame in enumerate(frames[1:], 1):
        page.evaluate("url => window.table.show(url, 960, 540)", frame)
        expect(page.locator(".live-card")).to_have_count(n)
        name = film.cards[n - 1].card_id.replace("-", " ")
        expect(stream.locator(".popup b").get_by_text(name, exact=False).first).to_be_visible()
        assert 0 < painted(stream) < 0.2
    expect(bar).to_contain_text(re.compile(r"\d:\d\d"))
    expect(popups).to_have_count(0, timeout=10_000)  # eight seconds, and one to look
    assert 0 < painted(stream) < 0.05
    page.get_by_role("button", name="Stop!").click()
    expect(page.locator(".live-verdict")).to_be_visible()
    expect(stream.locator(".stream-clock")).to_be_hidden()
    expect(stream.locator(".stream-teams b").first).to_be_visible()
    late = open_camera_page(place + "/stream", **STREAM)  # what lay there before is no news
    expect(late.locator(".stream-teams b").first).to_be_visible()
    assert late.locator(".popup").count() == 0


@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720), (3840, 2160)])
def test_the_test_frame_of_a_stream_fits_every_size(open_page, server, size):
    width, height = size
    page = open_page("/#/live/stream?test=1", viewport={"width": width, "height": height})
    expect(page.locator(".popup")).to_have_count(4)
    expect(page.locator(".stream-test")).to_contain_text(f"{width} x {height}")
    page.wait_for_timeout(500)
    for node in [*page.locator(".popup").all(), page.locator(".stream-bar")]:
        box = node.bounding_box()
        assert box["x"] >= 0.05 * width - 1
        assert box["x"] + box["width"] <= 0.95 * width + 1
        assert box["y"] >= 0.05 * height - 1
        assert box["y"] + box["height"] <= 0.95 * height + 1
    assert 0.05 < painted(page) < 0.35
    page.goto(server.url + "/#/live/stream")
    page.reload()
    page.wait_for_selector(".stream-board", state="attached")
    page.wait_for_timeout(500)
    assert painted(page) == 0
