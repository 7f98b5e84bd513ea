"""PostgreSQL for the tests of the server: one that is named, or a server of our own."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def postgres(tmp_path_factory) -> Iterator[str]:
    """Return the address of a database."""
    url = os.environ.get("SIGHTLINE_TEST_POSTGRES")
    if url is not None:
        yield url
        return
    folder = tmp_path_factory.mktemp("postgres")
    url = _start(folder)
    if url is None:
        assert not os.environ.get("CI"), "CI installs PostgreSQL"
        pytest.skip("no PostgreSQL here")
    yield url
    pid = int((folder / "pg" / "postmaster.pid").read_text().split()[0])
    os.kill(pid, signal.SIGQUIT)


def _start(folder: Path) -> str | None:
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
