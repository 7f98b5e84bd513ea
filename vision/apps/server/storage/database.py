"""The connection to the database: SQLite, or PostgreSQL by one setting."""

import errno
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import (
    Connection,
    CursorResult,
    Engine,
    Executable,
    Select,
    create_engine,
    event,
)
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import QueuePool

from vision.apps.server.storage.migrations import migrate
from vision.files.whole import keep_private, private_folder

__all__ = ["Database", "Part"]

T = TypeVar("T")
_log = logging.getLogger(__name__)

#: So long a connection waits for others to let go of the database: four servers that start together
#: on a slow disk may each wait for ten steps of three others.
_BUSY_S = 60.0
#: Where SQLite does not wait by itself, it is asked again after this.
_ASK_AGAIN_S = 0.01


class Database:
    """The database; ``write`` gives a transaction that may change it, ``read`` one that may not."""

    def __init__(self, folder: Path, database_url: str = "") -> None:
        private_folder(folder)
        self.is_sqlite = not database_url
        place = folder / "sightline.sqlite3"
        if self.is_sqlite:  # it holds the token; what SQLite lays beside it has its permissions
            place.touch(mode=0o600)
            for name in ("", "-wal", "-shm"):
                keep_private(place.with_name(place.name + name))
        url = database_url or f"sqlite:///{place}"
        self.engine = _create_engine(url, is_sqlite=self.is_sqlite)
        try:
            self.steps = migrate(self.write)  #: what it took to bring the data to this version
        except BaseException:
            self.close()
            raise
        if self.steps and self.steps[0].version > 1:
            for step in self.steps:
                _log.info("the data is brought to version %d: %s", step.version, step.says)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that takes the right to write at once (BEGIN IMMEDIATE)."""
        options = self.engine.connect().execution_options(is_writing=True)
        with _told_when_full(), options as connection, connection.begin():
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that only reads; it waits for nobody."""
        with self.engine.connect() as connection, connection.begin():
            yield connection

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()


class Part:
    """A part of the records; each statement here is a transaction of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, query: Select[Any]) -> Sequence[Any]:
        with self._database.read() as connection:
            return connection.execute(query).all()

    def _all(self, query: Select[Any], of: Callable[..., T]) -> tuple[T, ...]:
        """Return a value of each row, made of its columns."""
        return tuple(of(*row) for row in self._rows(query))

    def _one(self, query: Select[Any], of: Callable[..., T]) -> T | None:
        """Return the value of the one row, or None."""
        row = self._row(query)
        return None if row is None else of(*row)

    def _row(self, query: Select[Any]) -> Any:
        """Return the one row, or None."""
        with self._database.read() as connection:
            return connection.execute(query).one_or_none()

    def _scalars(self, query: Select[Any]) -> Sequence[Any]:
        with self._database.read() as connection:
            return connection.scalars(query).all()

    def _do(self, statement: Executable) -> int:
        """Change something; return how many rows."""
        with self._database.write() as connection:
            return cast("CursorResult[Any]", connection.execute(statement)).rowcount


@contextmanager
def _told_when_full() -> Iterator[None]:
    """Say of a database that has no room what the system says of a file."""
    try:
        yield
    except OperationalError as error:
        if "disk is full" in str(error.orig) or "No space left" in str(error.orig):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)) from error
        raise


def _write_ahead(cursor: sqlite3.Cursor) -> None:
    """Let readers and a writer work side by side.

    Beside a connection that changes the mode too, SQLite may refuse without waiting: servers that
    start together ask again.
    """
    end = time.monotonic() + _BUSY_S
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(_ASK_AGAIN_S)
        else:
            return


def _create_engine(url: str, *, is_sqlite: bool) -> Engine:
    if not is_sqlite:
        return create_engine(
            url, pool_size=10, max_overflow=40, pool_pre_ping=True, hide_parameters=True
        )
    engine = create_engine(
        url,
        hide_parameters=True,  # sealed orders and tokens stay out of errors, and so of logs
        poolclass=QueuePool,
        pool_size=10,
        max_overflow=50,
        connect_args={"check_same_thread": False, "timeout": _BUSY_S},
    )

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions are begun below, not by the driver
        cursor = connection.cursor()
        _write_ahead(cursor)
        cursor.execute("PRAGMA synchronous=FULL")  # a scan acknowledged outlives a power cut
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        # A transaction that reads before it writes would fail at once, without waiting.
        writing = connection.get_execution_options().get("is_writing")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine
