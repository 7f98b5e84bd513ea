"""Nothing acknowledged is lost: servers killed, workers killed, hung, out of memory."""

import http.client
import json
import random
import sqlite3
import threading
import time
import urllib.error
import urllib.request

import pytest

from tests.apps import web_readers
from tests.apps.web_help import (
    Server,
    client_of,
    picture,
    send,
    until_settled,
)
from tests.patience import PATIENCE_S
from vision.apps.server.rounds.log import fold
from vision.apps.server.storage.objects import FolderObjects

KILLS = 4  # ``python -m bench kills`` has twenty, of two servers
READY_S = 6.0  # of a processor: twice what loading the libraries takes; more is a start that hangs
UPLOADERS = 4

_FAKE = """
import sys
from pathlib import Path
import uvicorn
from tests.apps import web_readers
from tests.apps.web_help import quick_settings
from vision.apps.server import create_app
port, folder = int(sys.argv[2]), Path(sys.argv[4])
if __name__ == "__main__":
    app = create_app(web_readers.brief, quick_settings(folder, workers=2))
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")
"""


def post_photo(url: str, photo: bytes, key: str) -> str | None:
    """Send a photo; return its scan if the server acknowledged it."""
    request = urllib.request.Request(
        url + "/api/v1/scans",
        data=photo,
        headers={"Content-Type": "image/jpeg", "Idempotency-Key": key},
    )
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as reply:
            return str(json.loads(reply.read())["id"])
    except (OSError, ValueError, http.client.HTTPException):
        return None


def test_a_server_killed_again_and_again_loses_nothing(tmp_path):
    """``kill -9`` at random moments under 4 uploaders."""
    random_ = random.Random(5)
    server = Server(tmp_path, script=_FAKE)
    server.start()
    known: dict[str, str] = {}  # key -> scan
    stop, lock = threading.Event(), threading.Lock()
    photos = [picture(seed=k) for k in range(8)]

    def upload(which: int) -> None:
        count = 0
        while not stop.is_set():
            key = f"{which}-{count}"
            scan = post_photo(server.url, photos[count % len(photos)], key)
            if scan is None:  # not acknowledged: the same again, as the page does
                time.sleep(0.05)
                continue
            with lock:
                known[key] = scan
            count += 1
            time.sleep(0.4)

    threads = [threading.Thread(target=upload, args=(k,)) for k in range(UPLOADERS)]
    for thread in threads:
        thread.start()
    ready = []
    try:
        for _ in range(KILLS):
            time.sleep(random_.uniform(0.02, 0.4))
            server.kill()
            server.start()
            ready.append(server.ready_after_cpu_s)
        stop.set()
        for thread in threads:
            thread.join()
        assert len(known) >= UPLOADERS
        end = time.monotonic() + PATIENCE_S
        left = set(known.values())
        assert len(left) == len(known), "two uploads share a scan"
        while left and time.monotonic() < end:
            for scan in list(left):
                with urllib.request.urlopen(f"{server.url}/api/v1/scans/{scan}") as reply:
                    state = json.loads(reply.read())
                assert state["state"] != "failed", state
                if state["state"] == "done":
                    left.discard(scan)
            time.sleep(0.2)
        assert not left
    finally:
        stop.set()
        server.stop()
    database = tmp_path / "data" / "sightline.sqlite3"
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = connection.execute("SELECT idempotency, id, photo FROM scans").fetchall()
    assert known.items() <= {key: scan for key, scan, _ in rows}.items()
    files = FolderObjects(tmp_path / "data" / "files")
    import hashlib

    for _, _, photo in rows:
        assert hashlib.sha256(files.read(photo)).hexdigest() == photo
    assert max(ready) <= READY_S, ready


def poison(seed: int) -> bytes:
    return picture(seed=seed, kind="PNG", tail=b"poison")  # of a JPEG the tail would be cut off


@pytest.mark.parametrize(
    ("reader", "code", "limits"),
    [
        (web_readers.dies, "worker_failed", {}),
        (web_readers.hangs, "timed_out", {"scan_seconds": 2.0}),
        (web_readers.eats_memory, "out_of_memory", {"worker_mb": 3000.0}),
    ],
    ids=["killed", "hung", "out-of-memory"],
)
def test_a_bad_photo_fails_after_three_tries_and_touches_no_other(tmp_path, reader, code, limits):
    with client_of(tmp_path, reader, workers=2, **limits) as client:
        bad = send(client, poison(0), wait=0).json()["id"]
        good = [send(client, picture(seed=k), wait=0).json()["id"] for k in range(1, 5)]
        for scan in good:
            assert until_settled(client, scan)["state"] == "done"
        state = until_settled(client, bad)
        assert state["state"] == "failed"
        assert state["error"]["code"] == code
        assert state["attempts"] == 3
        assert "3 times" in state["error"]["detail"]
        begin = time.monotonic()
        assert send(client, picture(seed=9)).json()["state"] == "done"
        assert time.monotonic() - begin < 60  # the pool is whole again
        assert client.post(f"/api/v1/scans/{bad}/retry").json()["state"] in ("waiting", "reading")


def test_a_worker_that_dies_once_costs_one_retry(tmp_path):
    with client_of(tmp_path, web_readers.dies_once) as client:
        body = send(client, poison(0)).json()
        assert body["state"] == "done"
        assert body["attempts"] == 2


def test_the_log_folds():
    log = [("move", 1), ("move", 2), ("undo", None), ("undo", None), ("undo", None)]
    assert fold(log) == ([], [2, 1])
    assert fold([*log, ("redo", None)]) == ([1], [2])
    assert fold([*log, ("redo", None), ("move", 3)]) == ([1, 3], [])


def test_the_same_on_postgresql(tmp_path, postgres):
    with client_of(tmp_path, workers=2, database_url=postgres) as client:
        found = [send(client, picture(seed=k), wait=0).json()["id"] for k in range(4)]
        for scan in found:
            assert until_settled(client, scan)["state"] == "done"
        url = f"/api/v1/scans/{found[0]}"
        change = {"change": {"kind": "remove", "id": "red-moth"}, "revision": 0}
        assert client.post(url + "/edits", json=change).json()["revision"] == 1
        assert client.post(url + "/edits", json=change).status_code == 409
        assert client.post(url + "/undo").json()["revision"] == 2
        evening = client.post("/api/v1/evenings", json={"name": "a\u0000b é"}).json()
        assert evening["name"] == "ab é"
        assert client.post(url + "/shares").status_code == 201
        headers = {"Idempotency-Key": "pg-1", "Content-Type": "image/jpeg"}
        twice = [
            client.post("/api/v1/scans", content=picture(seed=9), headers=headers).json()["id"]
            for _ in range(2)
        ]
        assert twice[0] == twice[1]
        assert client.get("/readyz").status_code == 200
