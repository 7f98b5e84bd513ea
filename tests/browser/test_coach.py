"""The coach on the page: silent until all have ordered, then asked for under the account."""

import json
import urllib.request

from playwright.sync_api import expect

from tests.browser.conftest import DESKTOP
from tests.patience import PATIENCE_S


def post(server, path, body):
    """Send text or JSON; return the reply."""
    is_text = isinstance(body, str)
    content = body if is_text else json.dumps(body)
    kind = "text/plain" if is_text else "application/json"
    request = urllib.request.Request(
        server.url + "/api/v1" + path, data=content.encode(), headers={"Content-Type": kind}
    )
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as reply:
        return json.loads(reply.read())


def test_the_coach_is_asked_under_the_account(open_page, server):
    made = post(server, "/tables", "game laser-shield\norange b1 s\nblue c1 n\nblue d4 n\n")
    change = {"kind": "orders", "orders": {"orange": None, "blue": "move c1-c2"}}
    post(server, f"/scans/{made['id']}/edits", {"change": change})
    page = open_page(f"/#/round/{made['id']}", **DESKTOP)
    page.get_by_role("tab", name="Ledger").click()
    page.get_by_role("button", name="What would have been better?").click()
    told = page.locator("section.coach li")
    expect(told.first).to_have_text("Orange could have killed blue 1 with: fire b1>c1")
    assert told.count() >= 3
