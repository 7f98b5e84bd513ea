"""What the tests of the web share: settings without patience, pictures, a client, a real server."""

import io
import json
import os
import re
import secrets
import signal
import socket
import ssl
import subprocess
import sys
import textwrap
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from fastapi.testclient import TestClient
from PIL import Image

from tests.apps import web_readers
from tests.apps.described import DescribedClient
from tests.patience import PATIENCE_S
from vision.apps.server import Settings, create_app

T = TypeVar("T")
ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_photos"


def quick_settings(folder: Path, **changes: object) -> Settings:
    given: dict[str, object] = {
        "workers": 1,
        "uploads_per_minute": 100_000.0,
        "upload_burst": 100_000,
        "queue_per_worker": 1000,
        "disk_free_mb": 1.0,
        "disk_free_share": 0.0,
        **changes,
    }
    return Settings(folder=folder, **given)  # type: ignore[arg-type]


@contextmanager
def client_of(folder: Path, read=web_readers.canned, **changes: object) -> Iterator[TestClient]:
    app = create_app(read, quick_settings(folder, **changes))
    with DescribedClient(app, base_url="http://localhost") as client:
        yield client


def picture(size=(640, 480), kind="JPEG", seed=0, tail=b"", **save: object) -> bytes:
    """Return a picture file of noise."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 255, (12, 16, 3), dtype=np.uint8)
    out = io.BytesIO()
    fast = {"compress_level": 1} if kind == "PNG" else {}  # at 6 it takes ten times as long
    Image.fromarray(small).resize(size).save(out, kind, **fast | save)
    return out.getvalue() + tail


def send(client: TestClient, photo: bytes, wait: float = 20, **query: object):
    return client.post(
        "/api/v1/scans",
        params={"wait": wait, **query},
        content=photo,
        headers={"Content-Type": "image/jpeg"},
    )


def post(client: TestClient, path: str, body: object = None, status: int = 200) -> Any:
    """Ask for a change below ``/api/v1``; return what is told."""
    reply = client.post(f"/api/v1{path}", json=body)
    assert reply.status_code == status, reply.text
    return reply.json()


def until_settled(client: TestClient, scan: str, seconds: float = PATIENCE_S) -> dict:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        state = client.get(f"/api/v1/scans/{scan}").json()
        if state["state"] in ("done", "failed"):
            return state
        time.sleep(0.05)
    raise AssertionError(state)


def apart(call: Callable[[], T]) -> T:
    """Call in a thread of its own: a browser's test may have left a loop in this one."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(call).result()


#: Below those that a system gives to who asks for any (Linux: from 32768): none is taken meanwhile.
PORTS = range(20_000, 32_000)


def free_port() -> int:
    """Return a port that nobody has, and that no connection of this machine is given by chance."""
    while True:
        port = secrets.choice(PORTS)  # of the system: tests in other processes choose others
        with socket.socket() as sock, suppress(OSError):
            sock.bind(("127.0.0.1", port))
            return port


def memory_mb(pid: int, field: str = "VmRSS") -> float:
    """Return what a process holds, or with VmHWM the most that it held; 0 if it is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0.0
    match = re.search(rf"{field}:\s+(\d+) kB", status)
    return int(match[1]) / 1000 if match else 0.0


def processor_seconds(pid: int) -> float:
    """Return the seconds of a processor that a process has used: the same on a busy machine."""
    fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


#: Whether a server is ready is asked of any certificate.
_ANY = ssl._create_unverified_context()


def served(reader: str, settings: str = "", first: str = "") -> str:
    """Return a program that serves what a stand-in reads; ``first`` is what it does before."""
    return f"""
import os, socket, sys
from pathlib import Path
import uvicorn
from tests.apps import web_readers
from tests.apps.web_help import quick_settings
from vision.apps.server import create_app
if __name__ == "__main__":
{textwrap.indent(textwrap.dedent(first), "    ")}
    settings = quick_settings(Path(sys.argv[4]), {settings})
    app = create_app(web_readers.{reader}, settings)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="error")
"""


class Server:
    """A real server process, started as a user would."""

    def __init__(
        self,
        folder: Path,
        *,
        script: str = "",
        arguments: Sequence[str] = (),
        scheme: str = "http",
        **environment: str,
    ) -> None:
        self.arguments, self.scheme = arguments, scheme
        self.starts_s: list[float] = []  #: of a processor, what each start took
        self.folder, self.environment, self.script = folder, environment, script
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    def start(self, timeout: float = 60.0) -> float:
        """Start; return the seconds until it was ready."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "SIGHTLINE_DISK_FREE_MB": "1",
            "SIGHTLINE_DISK_FREE_SHARE": "0",
            **self.environment,
        }
        command = [sys.executable, "-m", "vision.apps.cli.main", "serve"]
        if self.script:
            command = [sys.executable, "-c", self.script]
        place = ["--port", str(self.port), "--data", str(self.folder / "data")]
        begin = time.monotonic()
        with (self.folder / "server.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*command, *place, *self.arguments],
                stdout=log,
                stderr=log,
                env=environment,
                cwd=ROOT,
            )
        while time.monotonic() - begin < timeout:
            try:
                with urllib.request.urlopen(self.url + "/readyz", timeout=2, context=_ANY) as reply:
                    if reply.status == 200:
                        self.starts_s.append(processor_seconds(self.process.pid))
                        return time.monotonic() - begin
            except OSError:
                assert self.process.poll() is None, (self.folder / "server.log").read_text()
                time.sleep(0.02)
        raise AssertionError("the server did not get ready")

    def ask(self, path: str, body: object = None, method: str | None = None) -> Any:
        """Ask for what is below ``/api/v1``, or send a photo (bytes), a text or JSON there."""
        content, kind = body, "image/jpeg"
        if not isinstance(body, bytes | None):
            is_text = isinstance(body, str)
            content, kind = (body if is_text else json.dumps(body)).encode(), "application/json"
            kind = "text/plain" if is_text else kind
        request = urllib.request.Request(
            f"{self.url}/api/v1{path}", content, {"Content-Type": kind}, method=method
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as reply:
            return json.loads(reply.read() or b"null")

    def read(self, sample: str) -> str:
        """Send a sample photo; return its round when it is read."""
        told = self.ask("/scans?wait=60", (SAMPLES / f"{sample}.jpg").read_bytes())
        assert told["state"] == "done", told
        return str(told["id"])

    def lay(self, position: str) -> str:
        """Return the round of a typed position."""
        return str(self.ask("/tables", position)["id"])

    def kill(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()

    def memory_mb(self) -> float:
        assert self.process is not None
        return memory_mb(self.process.pid)


@contextmanager
def running(servers: Sequence[Server]) -> Iterator[None]:
    """Start servers, one after another, and stop them all in the end."""
    try:
        for server in servers:
            server.start(PATIENCE_S)
        yield
    finally:
        for server in servers:
            server.stop()
