"""Nothing acknowledged is lost: servers killed, workers killed, hung, out of memory."""

import hashlib
import random
import sqlite3
import time

import pytest

from tests.apps import web_readers
from tests.apps.killed import UPLOADERS, kill_in_turn, lost_of, under_load
from tests.apps.web_help import (
    Server,
    client_of,
    picture,
    running,
    send,
    served,
    until_settled,
)
from vision.apps.server.rounds.log import fold
from vision.apps.server.storage.objects import FolderObjects

KILLS = 4  # ``python -m bench kills`` has twenty, of two servers
READY_S = 6.0  # of a processor: twice what loading the libraries takes; more is a start that hangs


def test_a_server_killed_again_and_again_loses_nothing(tmp_path):
    """``kill -9`` at random moments under 4 uploaders."""
    server = Server(tmp_path, script=served("brief", "workers=2"))
    with running([server]):
        with under_load([server]) as uploads:
            kill_in_turn(uploads, KILLS, random.Random(5), within_s=(0.02, 0.4))
            uploads.wait_for(UPLOADERS)
        assert len(set(uploads.known.values())) == len(uploads.known), "two uploads share a scan"
        assert lost_of(uploads, [server]) == {}
    database = tmp_path / "data" / "sightline.sqlite3"
    with sqlite3.connect(database) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows = connection.execute("SELECT idempotency, id, photo FROM scans").fetchall()
    assert uploads.known.items() <= {key: scan for key, scan, _ in rows}.items()
    files = FolderObjects(tmp_path / "data" / "files")
    for _, _, photo in rows:
        assert hashlib.sha256(files.read(photo)).hexdigest() == photo
    assert len(server.starts_s) == 1 + KILLS
    assert max(server.starts_s) <= READY_S


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
