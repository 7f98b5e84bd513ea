"""What a server of many machines needs, for its tests: PostgreSQL, an S3-compatible store."""

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.apps.web_help import free_port
from tests.patience import PATIENCE_S
from vision.apps.buckets import open_bucket


@pytest.fixture(scope="session")
def postgres(tmp_path_factory) -> Iterator[str]:
    """Return the address of a database."""
    url = os.environ.get("SIGHTLINE_TEST_POSTGRES")
    if url is not None:
        yield url
        return
    folder = tmp_path_factory.mktemp("postgres")
    url = start_postgres(folder)
    if url is None:
        assert not os.environ.get("CI"), "CI installs PostgreSQL"
        pytest.skip("no PostgreSQL here")
    yield url
    pid = int((folder / "pg" / "postmaster.pid").read_text().split()[0])
    os.kill(pid, signal.SIGQUIT)


def start_postgres(folder: Path) -> str | None:
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
    init = [*prefix, binaries / "initdb", "-D", data, "-A", "trust", "-U", "sightline"]
    init += ["-N", "-E", "UTF8", "--locale", "C"]
    subprocess.run(init, check=True, **quiet)
    options = f"-c listen_addresses='' -k {data}"
    start = [*prefix, binaries / "pg_ctl", "-D", data, "-o", options, "-w", "start"]
    subprocess.run(start, check=True, **quiet)
    return f"postgresql+psycopg://sightline@/postgres?host={data}"


@pytest.fixture(scope="session")
def store_address(tmp_path_factory) -> Iterator[str]:
    """Start a store; return its address."""
    address = f"http://127.0.0.1:{free_port()}"
    with (tmp_path_factory.mktemp("store") / "log").open("wb") as log:
        command = [sys.executable, "-m", "moto.server", "-p", address.rpartition(":")[2]]
        process = subprocess.Popen(command, stdout=log, stderr=log)
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE_S):
                break
        except OSError:
            assert process.poll() is None, "the store ended"
            assert time.monotonic() < end
            time.sleep(0.1)
    yield address
    process.kill()
    process.wait()


@pytest.fixture
def bucket(store_address, monkeypatch, request) -> Iterator[str]:
    """Return the address of an empty bucket, which this process may use."""
    name = f"b{abs(hash(request.node.nodeid)):x}"
    urllib.request.urlopen(urllib.request.Request(f"{store_address}/{name}", method="PUT")).close()
    monkeypatch.setenv("AWS_ENDPOINT", store_address)
    for key in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(key, "test")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    open_bucket.cache_clear()
    yield f"s3://{name}"
    open_bucket.cache_clear()
