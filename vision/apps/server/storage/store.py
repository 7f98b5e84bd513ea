"""Where things are kept: the database (SQLite, or PostgreSQL by one setting), beside the files.

A row that names a file is committed only after the file is there, whole.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    event,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.pool import QueuePool

from vision.apps.server.storage.blobs import Blobs

__all__ = [
    "SCHEMA_VERSION",
    "Blobs",
    "Store",
    "edits",
    "evenings",
    "jobs",
    "meta",
    "new_id",
    "scans",
    "shares",
]

SCHEMA_VERSION = 1

_metadata = MetaData()
meta = Table("meta", _metadata, Column("key", String(40), primary_key=True), Column("value", Text))
evenings = Table(
    "evenings",
    _metadata,
    Column("id", String(32), primary_key=True),
    Column("name", Text, nullable=False),
    Column("teams", Text, nullable=False),  # JSON: the players' names of the teams
    Column("created", Float, nullable=False),
)
scans = Table(
    "scans",
    _metadata,
    Column("id", String(32), primary_key=True),
    Column("evening", ForeignKey("evenings.id"), nullable=True),
    Column("name", Text, nullable=False),
    Column("photo", String(64), nullable=False),  # key of the file as it came
    Column("deck", Text, nullable=False),
    Column("rules", Text, nullable=False),  # JSON of sightline/table@1's rules
    Column("idempotency", String(200), nullable=True, unique=True),
    Column("created", Float, nullable=False),
    Column("scan", Text, nullable=True),  # sightline/scan@1 once it is read
    Column("view", String(64), nullable=True),  # the picture that the page shows
    Column("joint", String(64), nullable=True),  # the joint covariance of the cards
    Column("deleted", Float, nullable=True),
    Index("scans_by_age", "created"),
)
jobs = Table(
    "jobs",
    _metadata,
    Column("scan", ForeignKey("scans.id"), primary_key=True),
    Column("state", String(12), nullable=False),  # waiting, reading, done, failed
    Column("stage", String(20), nullable=False, default=""),
    Column("owner", String(80), nullable=False, default=""),
    Column("lease_until", Float, nullable=False, default=0.0),
    Column("attempts", Integer, nullable=False, default=0),
    Column("interruptions", Integer, nullable=False, default=0),
    Column("error_code", String(40), nullable=False, default=""),
    Column("error", Text, nullable=False, default=""),
    Column("queued", Float, nullable=False),
    Column("changed", Float, nullable=False),
    Index("jobs_by_state", "state", "queued"),
)
edits = Table(
    "edits",
    _metadata,
    Column("scan", ForeignKey("scans.id"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),  # a change, "undo" or "redo"
    Column("body", Text, nullable=False),
    Column("created", Float, nullable=False),
)
shares = Table(
    "shares",
    _metadata,
    Column("token", String(40), primary_key=True),
    Column("scan", ForeignKey("scans.id"), nullable=False),
    Column("created", Float, nullable=False),
    Column("expires", Float, nullable=False),
    Column("revoked", Boolean, nullable=False, default=False),
    Index("shares_by_scan", "scan"),
)


def new_id() -> str:
    """Return a random id of 80 bits; nobody guesses a scan of someone else."""
    return secrets.token_hex(10)


class Store:
    """The database; ``write`` gives a transaction that may change it, ``read`` one that may not."""

    def __init__(self, folder: Path, database_url: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.blobs = Blobs(folder / "files")
        self.is_sqlite = not database_url
        url = database_url or f"sqlite:///{folder / 'sightline.sqlite3'}"
        self.engine = _create_engine(url, is_sqlite=self.is_sqlite)
        self._migrate()

    def _migrate(self) -> None:
        with self.write() as connection:
            if not self.is_sqlite:  # two servers that start at once
                connection.execute(text("SELECT pg_advisory_xact_lock(7214)"))
            is_new = not inspect(connection).has_table("meta")
            _metadata.create_all(connection)
            if is_new:
                connection.execute(
                    insert(meta).values(key="schema", value=str(SCHEMA_VERSION)),
                )
            version = connection.scalar(select(meta.c.value).where(meta.c.key == "schema"))
            if version != str(SCHEMA_VERSION):
                msg = (
                    f"the data was written by another version (schema {version}, needed "
                    f"{SCHEMA_VERSION}); use that version or another data folder"
                )
                raise ValueError(msg)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that takes the right to write at once (BEGIN IMMEDIATE)."""
        options = self.engine.connect().execution_options(is_writing=True)
        with options as connection, connection.begin():
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that only reads; it waits for nobody."""
        with self.engine.connect() as connection, connection.begin():
            yield connection

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    def check(self) -> None:
        """Prove that the database answers."""
        with self.read() as connection:
            connection.execute(select(meta.c.value))

    def secret(self, key: str) -> str:
        """Return a random value that stays the same from start to start."""
        with self.write() as connection:
            found = connection.scalar(select(meta.c.value).where(meta.c.key == key))
            if not found:
                found = secrets.token_urlsafe(18)
                connection.execute(insert(meta).values(key=key, value=found))
        return str(found)

    def renew_secret(self, key: str) -> str:
        """Replace such a value."""
        value = secrets.token_urlsafe(18)
        self.secret(key)
        with self.write() as connection:
            connection.execute(update(meta).where(meta.c.key == key).values(value=value))
        return value


def _create_engine(url: str, *, is_sqlite: bool) -> Engine:
    if not is_sqlite:
        return create_engine(url, pool_size=10, max_overflow=40, pool_pre_ping=True)
    engine = create_engine(
        url,
        poolclass=QueuePool,
        pool_size=10,
        max_overflow=50,
        connect_args={"check_same_thread": False, "timeout": 10},
    )

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        cursor = connection.cursor()
        for pragma in (
            "busy_timeout=10000",
            "journal_mode=WAL",
            "synchronous=FULL",  # a scan acknowledged outlives a power cut
            "foreign_keys=ON",
        ):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        # A transaction that reads before it writes would fail at once, without waiting.
        writing = connection.get_execution_options().get("is_writing")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine
