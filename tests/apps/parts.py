"""The parts of a server on many machines, really started: PostgreSQL, a store, a Dask cluster."""

import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.apps.web_help import ROOT, free_port
from tests.patience import PATIENCE_S


class Postgres:
    """A server of PostgreSQL of our own; only where it is installed (``is_there``)."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "pg"
        self.url = f"postgresql+psycopg://sightline@/postgres?host={self.data}"
        self._prefix: list[str] = []
        self._quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": "/"}

    @staticmethod
    def is_there() -> bool:
        return bool(_binaries())

    @classmethod
    def need(cls) -> None:
        """Skip the test that asks where there is none; never in CI."""
        if not cls.is_there():
            assert not os.environ.get("CI"), "CI installs PostgreSQL"
            pytest.skip("no PostgreSQL here")

    def start(self) -> str:
        """Start it with an empty database; return its address."""
        self.data.mkdir()
        if os.getuid() == 0:
            shutil.chown(self.data, "postgres")
            for parent in self.data.parents:
                if parent.stat().st_mode & 0o001 == 0:
                    parent.chmod(parent.stat().st_mode | 0o011)
            self._prefix = ["runuser", "-u", "postgres", "--"]
        options = ["-A", "trust", "-U", "sightline", "-N", "-E", "UTF8", "--locale", "C"]
        self._run("initdb", *options)
        # no disk is waited for: a process that dies loses nothing by that, only a machine
        told = f"-c listen_addresses='' -c fsync=off -c full_page_writes=off -k {self.data}"
        self._run("pg_ctl", "-o", told, "-w", "start")
        return self.url

    def restart(self) -> None:
        """Restart it as its operator does: those who are connected are thrown out."""
        self._run("pg_ctl", "-m", "fast", "-w", "restart")

    def kill(self) -> None:
        pid = int((self.data / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGQUIT)

    def _run(self, name: str, *arguments: str) -> None:
        command = [*self._prefix, _binaries()[-1] / name, "-D", self.data, *arguments]
        subprocess.run(command, check=True, **self._quiet)


def _binaries() -> list[Path]:
    return sorted(Path("/usr/lib/postgresql").glob("*/bin"))


class Store:
    """An S3-compatible store."""

    def __init__(self, folder: Path) -> None:
        self.address = f"http://127.0.0.1:{free_port()}"
        with (folder / "store.log").open("wb") as log:
            command = [sys.executable, "-m", "moto.server", "-p", self.address.rpartition(":")[2]]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                with urllib.request.urlopen(self.address, timeout=PATIENCE_S):
                    return
            except OSError:
                assert self._process.poll() is None, "the store ended"
                assert time.monotonic() < end
                time.sleep(0.1)

    def make_bucket(self, name: str) -> None:
        place = f"{self.address}/{name}"
        urllib.request.urlopen(urllib.request.Request(place, method="PUT")).close()

    def environment(self) -> dict[str, str]:
        """Return what its clients are told."""
        keys = dict.fromkeys(("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"), "test")
        return {"AWS_ENDPOINT": self.address, "AWS_REGION": "us-east-1", **keys}

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


class Cluster:
    """A scheduler and a worker, as their operator starts them."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.running: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start what does not run."""
        plain = ["--no-dashboard"]
        place = ["--host", "127.0.0.1", "--port", str(self.port)]
        if "scheduler" not in self.running:
            self._run("scheduler", *place, *plain)
        if "worker" not in self.running:
            self._run("worker", self.address, "--nthreads", "2", *plain)

    def kill(self, *which: str) -> None:
        """Kill all of it, or its ``scheduler`` or ``worker`` alone."""
        for name in which or tuple(self.running):
            process = self.running.pop(name)
            process.kill()
            process.wait()

    def _run(self, name: str, *arguments: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.dask_{name}", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        with (self.folder / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                command, stdout=log, stderr=log, env=environment, cwd=self.folder
            )
