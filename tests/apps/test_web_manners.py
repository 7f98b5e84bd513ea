"""How the server behaves beyond its results: full disks, HEAD, what its description promises."""

import asyncio
import errno
import os
import time

import pytest
from sqlalchemy import text

from tests.apps.web_help import apart, client_of, picture, quick_settings, send
from vision.apps.server.guard import Guard
from vision.apps.server.storage.database import Database
from vision.apps.server.storage.objects import FolderObjects, Space


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_that_fills_is_told_and_is_not_ready(tmp_path, monkeypatch, number):
    with client_of(tmp_path) as client:
        assert client.get("/readyz").status_code == 200

        def full(*_: object) -> None:
            raise OSError(number, "no room")

        monkeypatch.setattr("vision.apps.server.storage.objects.FolderObjects.adopt", full)
        reply = send(client, picture())
        assert (reply.status_code, reply.json()["code"]) == (507, "disk_full")
        monkeypatch.setattr("pathlib.Path.write_bytes", full)
        assert not client.get("/readyz").json()["checks"]["disk"]


def test_a_disk_without_room_for_a_photo_is_not_ready_whatever_the_floors(tmp_path, monkeypatch):
    with client_of(tmp_path, disk_free_mb=0.0, disk_free_share=0.0) as client:
        most = client.app.state.services.settings.body_bytes
        for free, status in ((most, 200), (most - 1, 503), (0, 503)):
            space = Space(free, 10 * most)
            monkeypatch.setattr(FolderObjects, "space", lambda _, told=space: told)
            assert client.get("/readyz").status_code == status


def test_the_trash_is_emptied_for_good(tmp_path):
    with client_of(tmp_path) as client:
        kept, gone = (send(client, picture(seed=k)).json()["id"] for k in (1, 2))
        client.delete(f"/api/v1/scans/{gone}")
        assert client.post(f"/api/v1/scans/{gone}/restore").status_code == 200
        assert client.delete("/api/v1/trash").json()["rounds"] == 0
        client.delete(f"/api/v1/scans/{gone}")
        hour_ago = time.time() - 3600
        for file in (tmp_path / "files").glob("??/*"):
            os.utime(file, (hour_ago, hour_ago))
        held = sum(file.stat().st_size for file in (tmp_path / "files").glob("??/*"))
        told = client.delete("/api/v1/trash").json()
        left = sum(file.stat().st_size for file in (tmp_path / "files").glob("??/*"))
        assert told["rounds"] == 1
        assert told["freed_mb"] == (held - left) / 1e6 > 0
        assert client.post(f"/api/v1/scans/{gone}/restore").status_code == 404
        assert client.get(f"/api/v1/scans/{kept}/photo.jpg").status_code == 200
        assert client.delete("/api/v1/trash").json()["rounds"] == 0


def test_a_database_without_room_is_a_full_disk(tmp_path):
    database = Database(tmp_path)

    def fill() -> None:
        with database.write() as connection:
            connection.execute(text("PRAGMA max_page_count = 1"))  # from now on there is no room
            connection.execute(text("CREATE TABLE more (body TEXT)"))
            connection.execute(text("INSERT INTO more VALUES (zeroblob(100000))"))

    with pytest.raises(OSError, match="No space left"):
        fill()
    database.close()


def test_head_is_answered_as_get_without_a_body(client):
    scan = send(client, picture()).json()["id"]
    for path in ("/", "/healthz", f"/api/v1/scans/{scan}", f"/api/v1/scans/{scan}/photo.jpg"):
        head, whole = client.head(path), client.get(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-length"] == whole.headers["content-length"]
    assert client.head("/api/v1/scans/" + "0" * 20).status_code == 404
    assert client.head(f"/api/v1/scans/{scan}/events").status_code == 200  # and it ends


def test_the_description_says_who_may_ask(client):
    told = client.get("/api/v1/openapi.json").json()
    schemes = told["components"]["securitySchemes"]
    for path, ways in told["paths"].items():
        for way in ways.values():
            assert all(set(one) <= set(schemes) for one in way["security"])
            is_open = {} in way["security"] or path.startswith("/api/v1/seats/")
            assert is_open == path.startswith(
                ("/api/v1/shared", "/api/v1/seats/", "/s/", "/d/", "/j/", "/healthz")
            )
    (stop,) = told["paths"]["/api/v1/live/{live_id}/stop"].values()
    assert {"token": [], "liveKey": []} in stop["security"]


def test_the_description_says_what_every_reply_is(client):
    told = client.get("/api/v1/openapi.json").json()
    for path, ways in told["paths"].items():
        for way in ways.values():
            for status, reply in way["responses"].items():
                content = reply.get("content", {})
                assert all(kind["schema"] for kind in content.values()), (path, status)
                assert content or status in ("204", "304"), (path, status)
                if int(status) >= 400:
                    (kind,) = content
                    assert kind == "application/problem+json", (path, status)
    assert set(told["components"]["schemas"]["ProblemModel"]["required"]) >= {"status", "code"}


def test_one_guest_holds_so_many_streams_and_others_are_answered(tmp_path):
    most = 3
    over = asyncio.Event()

    async def hold(scope, receive, send) -> None:
        if scope["path"].endswith("/events"):
            await over.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    guard = Guard(hold, quick_settings(tmp_path, streams_per_guest=most), "")

    async def ask(path: str, guest: str) -> int:
        scope = {"type": "http", "method": "GET", "path": path, "query_string": b""}
        scope |= {"headers": [(b"host", b"localhost")], "client": (guest, 1)}
        seen: list[int] = []

        async def send(message) -> None:
            if message["type"] == "http.response.start":
                seen.append(message["status"])

        await guard(scope, None, send)
        return seen[0]

    async def run() -> None:
        held = [asyncio.create_task(ask("/api/v1/events", "10.0.0.1")) for _ in range(most)]
        await asyncio.sleep(0)
        assert await ask("/api/v1/scans/x/events", "10.0.0.1") == 429
        assert await ask("/healthz", "10.0.0.1") == 200
        other = asyncio.create_task(ask("/api/v1/events", "10.0.0.2"))
        await asyncio.sleep(0)
        over.set()
        assert await asyncio.gather(*held, other) == [200] * (most + 1)
        assert await ask("/api/v1/events", "10.0.0.1") == 200  # what has ended counts no more
        assert not guard.streams

    apart(lambda: asyncio.run(run()))
