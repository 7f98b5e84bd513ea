"""Two servers of one database under load, one of them killed again and again: what came of it.

For a test with a few moments and a bench with many (``python -m bench kills``).
"""

import http.client
import json
import random
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from tests.apps.web_help import Server, picture, running, served
from tests.patience import PATIENCE_S

UPLOADERS = 4

#: Two of one machine, or each of its own; with what both share.
_SCRIPT = served(
    "brief",
    "workers=1, **shared",
    """
    machine = os.environ.get("MACHINE") or socket.gethostname()
    socket.gethostname = lambda: machine
    names = {"database_url": "DATABASE_URL", "objects_url": "OBJECTS_URL", "cluster": "CLUSTER"}
    shared = {one: os.environ.get("SIGHTLINE_" + name, "") for one, name in names.items()}
    """,
)


@contextmanager
def two_servers(
    folder: Path, url: str, *, are_apart: bool = False, **environment: str
) -> Iterator[list[Server]]:
    """Start two servers of one database and one folder of files, with a reader that is quick.

    With ``are_apart`` each takes itself for a machine of its own: neither sees the other's
    processes, so that leases alone tell who is gone.
    """
    servers = []
    for k in range(2):
        own = {"SIGHTLINE_DATABASE_URL": url, "MACHINE": f"machine-{k}" if are_apart else ""}
        servers.append(Server(folder, script=_SCRIPT, **environment, **own))
    with running(servers):
        yield servers


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


@dataclass
class Uploads:
    """Photos sent to the servers as they come; ``known`` are those acknowledged."""

    servers: list[Server]
    known: dict[str, str] = field(default_factory=dict)  #: upload -> scan
    own: str = field(default_factory=lambda: uuid4().hex)  #: of no other test's uploads
    stop: threading.Event = field(default_factory=threading.Event)

    def run(self, which: int) -> None:
        """Send photo after photo, each until it is acknowledged, to one server or another."""
        photos = [picture(seed=k) for k in range(8)]
        for count in range(10**6):
            name = f"{self.own}-{which}-{count}"
            for attempt in range(10**6):
                if self.stop.is_set():
                    return
                server = self.servers[(which + attempt) % len(self.servers)]
                scan = post_photo(server.url, photos[count % len(photos)], name)
                if scan is not None:
                    self.known[name] = scan
                    break
                time.sleep(0.05)
            time.sleep(0.4)

    def wait_for(self, number: int) -> None:
        """Wait until so many are acknowledged: a machine may be busy with starting the servers."""
        end = time.monotonic() + PATIENCE_S
        while len(self.known) < number and time.monotonic() < end:
            time.sleep(0.05)
        assert len(self.known) >= number, f"{len(self.known)} of {number} photos acknowledged"


@contextmanager
def under_load(servers: list[Server]) -> Iterator[Uploads]:
    """Have photos sent while the block lasts."""
    uploads = Uploads(servers)
    threads = [threading.Thread(target=uploads.run, args=(k,)) for k in range(UPLOADERS)]
    for thread in threads:
        thread.start()
    try:
        yield uploads
    finally:
        uploads.stop.set()
        for thread in threads:
            thread.join()


def kill_in_turn(
    uploads: Uploads,
    kills: int,
    moments: random.Random,
    after: Callable[[Server, Server], None] = lambda dead, left: None,
    *,
    within_s: tuple[float, float] = (0.1, 1.5),
) -> None:
    """Kill one of them at random moments, each after a photo more was acknowledged.

    ``after`` is called before it is started again.
    """
    servers = uploads.servers
    for _ in range(kills):
        uploads.wait_for(len(uploads.known) + 1)
        time.sleep(moments.uniform(*within_s))
        dead = moments.choice(servers)
        dead.kill()
        after(dead, next((server for server in servers if server is not dead), dead))
        dead.start(PATIENCE_S)


def lost_of(uploads: Uploads, servers: list[Server]) -> dict[str, str]:
    """Wait until all that was acknowledged is read; return what is not, and how it stands."""
    left = dict.fromkeys(uploads.known.values(), "acknowledged")
    end = time.monotonic() + PATIENCE_S
    while left and time.monotonic() < end:
        for k, scan in enumerate(list(left)):
            try:
                url = f"{servers[k % len(servers)].url}/api/v1/scans/{scan}"
                with urllib.request.urlopen(url, timeout=PATIENCE_S) as reply:
                    left[scan] = json.loads(reply.read())["state"]
            except urllib.error.HTTPError as error:
                left[scan] = f"{error.code}"
            if left[scan] == "done":
                del left[scan]
        time.sleep(0.2)
    return left
