"""Nothing acknowledged is lost: servers killed, workers killed, hung, out of memory."""

import http.client
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from sqlalchemy import func, select, text, update

from tests.apps import web_readers
from tests.apps.web_help import (
    Server,
    client_of,
    picture,
    quick_settings,
    send,
    until_settled,
)
from vision.apps.server.reading.jobs import Ledger
from vision.apps.server.rounds.rounds import fold
from vision.apps.server.storage.store import Blobs, Store, edits, jobs, scans

KILLS = 20
READY_S = 3.0  # of a processor: on a busy machine the clock says more about the others
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


def _post(url: str, photo: bytes, key: str) -> str | None:
    """Send a photo; return its scan if the server acknowledged it."""
    request = urllib.request.Request(
        url + "/api/v1/scans",
        data=photo,
        headers={"Content-Type": "image/jpeg", "Idempotency-Key": key},
    )
    try:
        with urllib.request.urlopen(request, timeout=5) as reply:
            return str(json.loads(reply.read())["id"])
    except (OSError, ValueError, http.client.HTTPException):
        return None


def test_a_server_killed_again_and_again_loses_nothing(tmp_path):
    """``kill -9`` at 20 random moments under 4 uploaders."""
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
            scan = _post(server.url, photos[count % len(photos)], key)
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
        end = time.monotonic() + 60
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
    blobs = Blobs(tmp_path / "data" / "files")
    import hashlib

    for _, _, photo in rows:
        assert hashlib.sha256(blobs.read(photo)).hexdigest() == photo
    assert max(ready) <= READY_S, ready


def poison(seed: int) -> bytes:
    return picture(seed=seed, kind="PNG", tail=b"poison")  # of a JPEG the tail would be cut off


@pytest.mark.parametrize(
    ("reader", "code", "limits"),
    [
        (web_readers.dies, "worker_failed", {}),
        (web_readers.hangs, "timed_out", {"scan_seconds": 10.0}),
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


def test_a_lease_that_ran_out_is_taken_by_another_server(tmp_path):
    store = Store(tmp_path)
    settings = quick_settings(tmp_path, lease_seconds=0.0)
    with client_of(tmp_path, web_readers.slow, workers=1) as client:
        scan = send(client, picture()).json()["id"]
    one, other = Ledger(store, settings), Ledger(store, settings)
    other.owner = "elsewhere:1:1"
    with store.write() as connection:
        connection.execute(update(jobs).values(state="waiting", attempts=0))
    first = one.take()
    assert first is not None
    assert first.scan == scan
    second = other.take()  # the lease of no seconds is over
    assert second is not None
    assert second.attempt == 2
    one.note_stage(scan, "late")  # the first may not write any more
    with store.read() as connection:
        assert connection.scalar(select(jobs.c.stage)) == "starting"
    assert other.take() is not None
    assert other.take() is None  # three tries, then it is closed
    with store.read() as connection:
        assert connection.scalar(select(jobs.c.state)) == "failed"
    store.close()


def test_what_dead_servers_held_is_freed_at_once(tmp_path):
    store = Store(tmp_path)
    ledger = Ledger(store, quick_settings(tmp_path))
    dead = subprocess.Popen(["true"])
    dead.wait()
    host = ledger.owner.partition(":")[0]
    with client_of(tmp_path) as client:
        scan = send(client, picture()).json()["id"]
    for owner, freed in ((f"{host}:{dead.pid}:1", 1), (ledger.owner, 0), ("other:1:1", 0)):
        with store.write() as connection:
            connection.execute(
                update(jobs).values(state="reading", owner=owner, lease_until=9e12, attempts=1)
            )
        assert ledger.recover() == freed, owner
    with store.read() as connection:
        assert connection.scalar(select(jobs.c.scan)) == scan
    store.close()


def test_the_log_folds():
    log = [("move", 1), ("move", 2), ("undo", None), ("undo", None), ("undo", None)]
    assert fold(log) == ([], [2, 1])
    assert fold([*log, ("redo", None)]) == ([1], [2])
    assert fold([*log, ("redo", None), ("move", 3)]) == ([1, 3], [])


def test_files_are_whole_or_not_there(tmp_path):
    blobs = Blobs(tmp_path)
    key = blobs.put(b"content")
    assert blobs.read(key) == b"content"
    assert blobs.put(b"content") == key
    assert not list(blobs.temporary.iterdir())
    for name in ("../x", "a" * 63, "G" * 64, ""):
        with pytest.raises(ValueError, match="not the key"):
            blobs.path(name)


def test_data_of_another_version_is_refused(tmp_path):
    store = Store(tmp_path)
    with store.write() as connection:
        connection.execute(text("UPDATE meta SET value='99' WHERE key='schema'"))
    store.close()
    with pytest.raises(ValueError, match="another version"):
        Store(tmp_path)


# --- PostgreSQL ------------------------------------------------------------------------------


def _postgres(folder: Path) -> str | None:
    """Start a server of our own, if PostgreSQL is installed."""
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not places:
        return None
    binaries, data = places[-1], folder / "pg"
    data.mkdir()
    prefix: list[str] = []
    if os.getuid() == 0:
        shutil.chown(data, "postgres")
        for parent in (folder, *folder.parents):
            if parent.stat().st_mode & 0o001 == 0:
                parent.chmod(parent.stat().st_mode | 0o011)
        prefix = ["runuser", "-u", "postgres", "--"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}
    init = [*prefix, binaries / "initdb", "-D", data, "-A", "trust", "-U", "sightline", "-N"]
    subprocess.run(init, check=True, **quiet)
    options = f"-c listen_addresses='' -k {data}"
    start = [*prefix, binaries / "pg_ctl", "-D", data, "-o", options, "-w", "start"]
    subprocess.run(start, check=True, **quiet)
    return f"postgresql+psycopg://sightline@/postgres?host={data}"


@pytest.fixture(scope="module")
def postgres(tmp_path_factory):
    url = os.environ.get("SIGHTLINE_TEST_POSTGRES")
    folder = tmp_path_factory.mktemp("postgres")
    started = url is None
    url = url or _postgres(folder)
    if url is None:
        assert not os.environ.get("CI"), "CI installs PostgreSQL"
        pytest.skip("no PostgreSQL here")
    yield url
    if started:
        pid = int((folder / "pg" / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGQUIT)


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


def test_two_servers_on_one_postgresql_share_the_work(tmp_path, postgres):
    settings = quick_settings(tmp_path, lease_seconds=60.0)
    one, other = Store(tmp_path, postgres), Store(tmp_path, postgres)
    with one.write() as connection:
        for table in (edits, jobs):
            connection.execute(table.delete())
        connection.execute(text("DELETE FROM shares"))
        connection.execute(scans.delete())
        for k in range(12):
            connection.execute(
                scans.insert().values(
                    id=f"{k:020x}",
                    name="",
                    photo="0" * 64,
                    deck="light-speed",
                    rules="{}",
                    created=float(k),
                )
            )
            connection.execute(
                jobs.insert().values(scan=f"{k:020x}", state="waiting", queued=0.0, changed=0.0)
            )
    taken: list[str] = []

    def take(store: Store) -> None:
        ledger = Ledger(store, settings)
        while (job := ledger.take()) is not None:
            taken.append(job.scan)

    threads = [threading.Thread(target=take, args=(s,)) for s in (one, other, one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == len(set(taken)) == 12
    with one.read() as connection:
        assert connection.scalar(select(func.count()).select_from(jobs)) == 12
    one.close()
    other.close()
