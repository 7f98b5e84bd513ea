"""Does the server hold what it promises? Kills, lost readers, hostile files, load.

- ``kills``: the server is killed (``kill -9``) at random moments under four uploaders; what was
  acknowledged, whether the database is sound, how long until it is ready again.
- ``workers``: a reading process is killed, or stopped as if it hung; what became of that photo, and
  how long until the next one is answered.
- ``hostile``: every file of ``tests/apps/test_web_hostile.py``: answer, seconds, memory.
- ``load``: fifty photos of 12 megapixels at once; replies, ``/healthz``, memory of the server.

``--part NAME`` runs only that. On a busy machine the seconds say little.
"""

import concurrent.futures
import hashlib
import json
import os
import random
import signal
import sqlite3
import statistics
import tempfile
import threading
import time
import urllib.error
import urllib.request
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.common.record import Result, say
from bench.common.tables import Cell, Table
from tests.apps.web_help import SAMPLES, Server, client_of, memory_mb, picture
from vision.apps.reading import read
from vision.apps.server.storage.objects import FolderObjects

KILLS, UPLOADERS, UPLOADS = 20, 4, 50
FREE = {"SIGHTLINE_UPLOADS_PER_MINUTE": "100000", "SIGHTLINE_UPLOAD_BURST": "100000"}
Figures = dict[str, Any]


def _post(url: str, photo: bytes, key: str = "", wait: float = 0) -> tuple[int, str]:
    """Send a photo; return the status (0: cut off) and the scan."""
    headers = {"Content-Type": "image/jpeg", **({"Idempotency-Key": key} if key else {})}
    request = urllib.request.Request(
        f"{url}/api/v1/scans?wait={wait:g}", data=photo, headers=headers
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as reply:
            return int(reply.status), str(json.loads(reply.read())["id"])
    except urllib.error.HTTPError as error:
        return error.code, ""
    except (OSError, ValueError):
        return 0, ""


def _get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=30) as reply:
        return json.loads(reply.read())


def _settled(server: Server, scan: str, seconds: float = 240.0) -> Figures:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        state: Figures = _get(f"{server.url}/api/v1/scans/{scan}")
        if state["state"] in ("done", "failed"):
            return state
        time.sleep(0.1)
    return {**state, "state": "lost"}


def bench_kills(folder: Path) -> Figures:
    """Kill the server again and again."""
    server = Server(folder, **FREE, SIGHTLINE_QUEUE_PER_WORKER="10000")
    first = server.start(60)
    photos = [picture(seed=k) for k in range(16)]  # nothing on them: read soon, and told so
    known: dict[str, str] = {}
    stop, random_ = threading.Event(), random.Random(5)

    def upload(which: int) -> None:
        count = 0
        while not stop.is_set():
            key = f"{which}-{count}"
            _, scan = _post(server.url, photos[count % len(photos)], key)
            if scan:
                known[key] = scan
                count += 1
            time.sleep(0.1)

    threads = [threading.Thread(target=upload, args=(k,)) for k in range(UPLOADERS)]
    for thread in threads:
        thread.start()
    ready, processor = [], []
    for _ in range(KILLS):
        time.sleep(random_.uniform(0.05, 1.5))
        server.kill()
        ready.append(server.start(60))
        processor.append(server.starts_s[-1])
    stop.set()
    for thread in threads:
        thread.join()
    states = Counter(_settled(server, scan)["state"] for scan in dict(known).values())
    server.stop()
    with sqlite3.connect(folder / "data" / "sightline.sqlite3") as connection:
        sound = connection.execute("PRAGMA integrity_check").fetchone()[0]
        rows = connection.execute("SELECT idempotency, id, photo FROM scans").fetchall()
    kept = {key: scan for key, scan, _ in rows}
    files = FolderObjects(folder / "data" / "files")
    broken = sum(hashlib.sha256(files.read(p)).hexdigest() != p for p in {p for *_, p in rows})
    return {
        "kills": KILLS,
        "acknowledged": len(known),
        "lost": sum(kept.get(key) != scan for key, scan in known.items()) + states["lost"],
        "broken files": broken,
        "database": sound,
        "first start s": round(first, 2),
        "ready again s, median": round(statistics.median(ready), 2),
        "ready again s, worst": round(max(ready), 2),
        "of a processor s, worst": round(max(processor), 2),
    }


def _readers(server: Server) -> list[int]:
    """Return the reading processes of a server, the busiest first."""
    assert server.process is not None
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == server.process.pid:
            found.append((int(fields[11]), int(place.name)))
    return [pid for _, pid in sorted(found, reverse=True)]


def bench_workers(folder: Path) -> Figures:
    """Do to a reader what a bad photo may do to it."""
    photo = (SAMPLES / "two-teams-full.jpg").read_bytes()
    out: Figures = {}
    for kind, limits in (
        ("killed once", {}),
        ("killed each time", {}),
        ("hung", {"SIGHTLINE_SCAN_SECONDS": "30"}),
    ):
        place = folder / kind.replace(" ", "-")
        place.mkdir()
        server = Server(place, **FREE, **limits, SIGHTLINE_WORKERS="1")
        server.start(60)
        _, scan = _post(server.url, photo)
        times = {"killed once": 1, "killed each time": 3, "hung": 1}.get(kind, 0)
        done: set[int] = set()
        end = time.monotonic() + 240
        while len(done) < times and time.monotonic() < end:
            state = _get(f"{server.url}/api/v1/scans/{scan}")
            pids = [pid for pid in _readers(server) if pid not in done]
            if state["stage"] in ("detect", "classify", "rectify", "pose") and pids:
                os.kill(pids[0], signal.SIGSTOP if kind == "hung" else signal.SIGKILL)
                done.add(pids[0])
            time.sleep(0.05)
        state = _settled(server, scan)
        begin = time.monotonic()
        _, other = _post(server.url, picture(seed=3))
        settled = _settled(server, other)  # nothing lies on it: that is what is to be said
        after = settled["state"], (settled["error"] or {}).get("code", "")
        out[kind] = {
            "photo": state["state"],
            "attempts": state["attempts"],
            "code": (state["error"] or {}).get("code", ""),
            "next photo": after,
            "next photo settled s": round(time.monotonic() - begin, 2),
        }
        server.stop()
    return out


def bench_hostile(folder: Path) -> Figures:
    """Send every hostile file to a real reader."""
    from tests.apps.test_web_hostile import CASES, NAMES  # not in the readers, who load this module

    times: dict[str, float] = {}
    wrong = []
    with client_of(folder, read, workers=1, body_mb=40.0) as client:

        def send(content: bytes) -> Any:
            files = {"photo": ("photo.jpg", content, "image/jpeg")}
            return client.post("/api/v1/scans", params={"wait": 60}, files=files)

        send(picture())  # the reader draws its faces once
        for case in CASES:
            begin = time.perf_counter()
            reply = send(case.content).json()
            times[case.name] = time.perf_counter() - begin
            code = (reply.get("error") or reply).get("code")
            if code not in case.codes:
                wrong.append(case.name)
        for name in NAMES:
            files = {"photo": (name or None, picture(size=(300, 260)), "image/jpeg")}
            status = client.post("/api/v1/scans", files=files).status_code
            if status not in (202, 422):
                wrong.append(repr(name))
        peak = max(memory_mb(pid, "VmHWM") for pid in _children())
    slowest = max(times, key=lambda name: times[name])
    return {
        "files": len(CASES),
        "names": len(NAMES),
        "wrong answers": len(wrong),
        "which": wrong,
        "slowest s": round(times[slowest], 2),
        "slowest": slowest,
        "median s": round(statistics.median(times.values()), 3),
        "over 2 s": sorted(name for name, passed in times.items() if passed > 2),
        "most memory of a reader MB": round(peak),
    }


def _children() -> list[int]:
    out = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            out.append(int(place.name))
    return out


def bench_load(folder: Path) -> Figures:
    """Fifty photos of 12 megapixels at once, with the limits as they come and without."""
    out: Figures = {}
    for name, settings in (("limits as they come", {}), ("no limit of rate", FREE)):
        place = folder / str(len(out))
        place.mkdir()
        out[name] = _load_once(Server(place, **settings))
    return out


def _load_once(server: Server) -> Figures:
    server.start(60)
    photo = (SAMPLES / "golden-round.jpg").read_bytes()
    waits: list[float] = []
    memory: list[float] = []
    stop = threading.Event()

    def ask() -> None:
        while not stop.is_set():
            begin = time.perf_counter()
            _get(server.url + "/healthz")
            waits.append((time.perf_counter() - begin) * 1000)
            memory.append(server.memory_mb())
            time.sleep(0.02)

    asker = threading.Thread(target=ask)
    asker.start()
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(UPLOADS) as pool:
        codes = Counter(
            code for code, _ in pool.map(lambda _: _post(server.url, photo), range(UPLOADS))
        )
    answered = time.monotonic() - begin
    time.sleep(5)  # the readers work
    stop.set()
    asker.join()
    server.stop()
    ordered = sorted(waits)
    return {
        "replies": dict(sorted(codes.items())),
        "all answered s": round(answered, 2),
        "healthz p50 ms": round(ordered[len(ordered) // 2], 1),
        "healthz p95 ms": round(ordered[int(len(ordered) * 0.95)], 1),
        "healthz asked": len(ordered),
        "server MB, most": round(max(memory)),
    }


BENCHES: dict[str, Callable[[Path], Figures]] = {
    "kills": bench_kills,
    "workers": bench_workers,
    "hostile": bench_hostile,
    "load": bench_load,
}


def cells(figures: Figures, before: str = "") -> Iterator[tuple[Cell, Cell]]:
    """Yield figures as rows of a table; those of a kind have its name before theirs."""
    for name, value in figures.items():
        if isinstance(value, dict) and value and isinstance(next(iter(value.values())), dict):
            yield from cells(value, f"{before}{name}: ")
        else:
            is_plain = isinstance(value, int | float | str)
            yield f"{before}{name}", value if is_plain else json.dumps(value)


def add_options(parser: ArgumentParser) -> None:
    """Add what this bench takes besides."""
    parser.add_argument("--part", action="append", choices=BENCHES, help="only this; repeatable")


def run(options: Namespace) -> Result:
    """Run what is asked for."""
    tables = []
    for name in options.part or BENCHES:
        load = os.getloadavg()[0]
        with tempfile.TemporaryDirectory() as folder:
            figures = BENCHES[name](Path(folder))
        figures["load of the machine before"] = round(load, 1)
        tables.append(Table(name, ("what", "figure"), tuple(cells(figures))))
        say(tables[-1].markdown())
    return Result(tuple(tables))
