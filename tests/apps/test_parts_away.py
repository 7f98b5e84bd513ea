"""A database that is restarted, a store that answers errors: nothing acknowledged is lost."""

import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.apps.killed import lost_of, two_servers, under_load
from tests.apps.parts import Postgres, Store
from tests.patience import PATIENCE_S

_OF_HOPS = ("host", "connection", "transfer-encoding", "content-length", "date", "server")
ILL_S = 3.0  # that a store answers errors


@pytest.fixture
def database(tmp_path) -> Iterator[Postgres]:
    """Start a database of its own: no other test's is restarted."""
    Postgres.need()
    database = Postgres(tmp_path)
    database.start()
    yield database
    database.kill()


def test_a_database_that_is_restarted_loses_nothing(tmp_path, database):
    with two_servers(tmp_path, database.url) as servers, under_load(servers) as uploads:
        for _ in range(2):
            more_than(uploads.known, len(uploads.known))
            database.restart()
        more_than(uploads.known, len(uploads.known))
        uploads.stop.set()
        assert lost_of(uploads, servers) == {}


def test_a_store_that_answers_errors_loses_nothing(tmp_path, postgres, ill_store):
    environment = {**ill_store.environment(), "SIGHTLINE_OBJECTS_URL": "s3://club/here"}
    with two_servers(tmp_path, postgres, **environment) as servers, under_load(servers) as uploads:
        more_than(uploads.known, 0)
        ill_store.is_ill = True
        time.sleep(ILL_S)
        ill_store.is_ill = False
        more_than(uploads.known, len(uploads.known))
        uploads.stop.set()
        assert ill_store.errors > 0
        assert lost_of(uploads, servers) == {}


def more_than(known: dict[str, str], count: int) -> None:
    """Wait until more photos are acknowledged."""
    end = time.monotonic() + PATIENCE_S
    while len(known) <= count:
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def ill_store(store) -> Iterator["IllStore"]:
    ill = IllStore(store)
    store.make_bucket("club")
    yield ill
    ill.close()


class IllStore:
    """Stands before a store, and answers errors in its place while ``is_ill``."""

    def __init__(self, store: Store) -> None:
        self.is_ill, self.errors = False, 0
        self._store = store
        ill = self

        class Answer(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                content = self.content()
                status, headers, body = ill.ask(self.command, self.path, self.headers, content)
                self.send_response(status)
                for name, value in headers.items():
                    if name.lower() not in _OF_HOPS:
                        self.send_header(name, value)
                length = headers.get("Content-Length") if self.command == "HEAD" else len(body)
                self.send_header("Content-Length", str(length or 0))
                self.end_headers()
                self.wfile.write(body)

            def content(self) -> bytes:
                """Read what was sent, of a known length or in chunks."""
                if self.headers.get("Transfer-Encoding", "") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length", 0)))
                parts = []
                while size := int(self.rfile.readline(), 16):
                    parts.append(self.rfile.read(size))
                    self.rfile.readline()
                self.rfile.readline()
                return b"".join(parts)

            do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = answer

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def ask(self, method: str, path: str, headers, content: bytes):
        """Ask the store; answer 503 while it is ill."""
        if self.is_ill:
            self.errors += 1
            return 503, {}, b""
        kept = {"Content-Type": "application/octet-stream"}  # else urllib calls it a form
        kept |= {k: v for k, v in headers.items() if k.lower() not in _OF_HOPS}
        url = self._store.address + path
        request = urllib.request.Request(url, content or None, kept, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as reply:
                return reply.status, dict(reply.headers), reply.read()
        except urllib.error.HTTPError as error:
            return error.code, dict(error.headers), error.read()

    def environment(self) -> dict[str, str]:
        place = f"http://127.0.0.1:{self._server.server_port}"
        return {**self._store.environment(), "AWS_ENDPOINT": place}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
