"""What a server of many machines needs, for its tests: PostgreSQL, an S3-compatible store."""

import os
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from tests.apps.live_help import Producer
from tests.apps.parts import Postgres, Store
from tests.apps.web_help import client_of
from vision.apps.buckets import open_bucket


@pytest.fixture(scope="session")
def postgres(tmp_path_factory) -> Iterator[str]:
    """Return the address of a database."""
    url = os.environ.get("SIGHTLINE_TEST_POSTGRES")
    if url is not None:
        yield url
        return
    Postgres.need()
    server = Postgres(tmp_path_factory.mktemp("postgres"))
    yield server.start()
    server.kill()


@pytest.fixture(scope="session")
def store(tmp_path_factory) -> Iterator[Store]:
    """Start a store."""
    store = Store(tmp_path_factory.mktemp("store"))
    yield store
    store.kill()


@pytest.fixture
def bucket(store, monkeypatch, request) -> Iterator[str]:
    """Return the address of an empty bucket, which this process may use."""
    name = f"b{abs(hash(request.node.nodeid)):x}"
    store.make_bucket(name)
    for key, value in store.environment().items():
        monkeypatch.setenv(key, value)
    open_bucket.cache_clear()
    yield f"s3://{name}"
    open_bucket.cache_clear()


@pytest.fixture(scope="module")
def client(request, tmp_path_factory) -> Iterator[TestClient]:
    """Start the server of a module, with a folder of its own and what its ``SERVER`` says."""
    folder = tmp_path_factory.mktemp("server")
    wanted = getattr(request.module, "SERVER", {})
    with client_of(folder, **{"decks": folder / "decks", **wanted}) as client:
        yield client


@pytest.fixture
def producer(client) -> Iterator[Producer]:
    """Begin a live game on the server of a module, and end it."""
    producer = Producer(client)
    yield producer
    producer.end()
