"""A real server with the real reader, and a real Chromium."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.apps.web_help import SAMPLES, Server
from tests.patience import PATIENCE_MS, PATIENCE_S

#: The one without a window of its own first: a page costs a third less of the processor.
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))),
    None,
)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
}
DESKTOP = {"viewport": {"width": 1440, "height": 900}}
#: Of pages whose test is of nothing that moves: a page that moves may be caught on its way, and
#: draws all the while.
AT_REST = {"locale": "en-GB", "reduced_motion": "reduce"}
MOVING = {"reduced_motion": "no-preference"}


@pytest.fixture(scope="session")
def playwright():
    """Playwright itself: one for all browsers, since no process may run two."""
    if CHROMIUM is None:
        assert not os.environ.get("CI"), "CI installs Chromium"
        pytest.skip("no Chromium here: apt-get install chromium")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(playwright):
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    server = Server(
        folder,
        SIGHTLINE_DECKS=str(folder / "decks"),
        SIGHTLINE_UPLOADS_PER_MINUTE="1000",
        SIGHTLINE_UPLOAD_BURST="100",
    )
    server.start(PATIENCE_S)
    yield server
    server.stop()


@pytest.fixture
def own_server(tmp_path) -> Iterator[Server]:
    """Start a server of a test's own: it may be killed, and knows nothing of others."""
    server = Server(tmp_path)
    server.start(PATIENCE_S)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def round_id(server) -> str:
    """A round with a contested shot, read once."""
    return server.read("three-teams-two-asteroids")


@pytest.fixture
def open_page(browser: Browser, server):
    """Open pages that may not complain, and may not ask anyone else for anything."""
    contexts, complaints, strangers = [], [], []

    def open_one(path: str = "/", *, quiet: bool = False, **options) -> Page:
        context = browser.new_context(**{**AT_REST, **(options or DESKTOP)})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        if not quiet:
            page.on(
                "console",
                lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None,
            )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("crash", lambda _: complaints.append(f"{path} crashed"))  # it says nothing itself
        page.on(
            "request",
            lambda r: (
                None
                if r.url.startswith((server.url, "blob:", "data:"))
                else strangers.append(r.url)
            ),
        )
        page.goto(server.url + path)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert not complaints
    assert not strangers


def until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait until something holds that the page does not show."""
    end = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < end, "it did not come to hold"
        page.wait_for_timeout(50)


def sample(name: str) -> Path:
    return SAMPLES / f"{name}.jpg"
