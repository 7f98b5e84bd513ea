"""A database of any older version -> one of this version: numbered steps, in SQL that both know.

A new database is made by the same steps as an old one is changed, so there is one way to each
schema. A step that was ever released is never changed: it speaks of the tables as they were then.
Each is a transaction of its own, with the number that it leads to; where a step failed, the data
is as the step before left it.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from sqlalchemy import Connection, inspect, text

__all__ = ["STEPS", "Step", "migrate"]


@dataclass(frozen=True, slots=True)
class Step:
    """What leads to a version: ``says`` for people, then statements in order."""

    version: int
    says: str
    statements: tuple[str, ...]


_FIRST = (
    "CREATE TABLE evenings (id VARCHAR(32) NOT NULL PRIMARY KEY, name TEXT NOT NULL,"
    " teams TEXT NOT NULL, created FLOAT NOT NULL)",
    "CREATE TABLE scans (id VARCHAR(32) NOT NULL PRIMARY KEY,"
    " evening VARCHAR(32) REFERENCES evenings (id), name TEXT NOT NULL,"
    " photo VARCHAR(64) NOT NULL, deck TEXT NOT NULL, rules TEXT NOT NULL,"
    ' idempotency VARCHAR(200), created FLOAT NOT NULL, scan TEXT, "view" VARCHAR(64),'
    " joint VARCHAR(64), deleted FLOAT, UNIQUE (idempotency))",
    "CREATE INDEX scans_by_age ON scans (created)",
    "CREATE TABLE jobs (scan VARCHAR(32) NOT NULL PRIMARY KEY REFERENCES scans (id),"
    " state VARCHAR(12) NOT NULL, stage VARCHAR(20) NOT NULL, owner VARCHAR(80) NOT NULL,"
    " lease_until FLOAT NOT NULL, attempts INTEGER NOT NULL, interruptions INTEGER NOT NULL,"
    " error_code VARCHAR(40) NOT NULL, error TEXT NOT NULL, queued FLOAT NOT NULL,"
    " changed FLOAT NOT NULL)",
    "CREATE INDEX jobs_by_state ON jobs (state, queued)",
    "CREATE TABLE edits (scan VARCHAR(32) NOT NULL REFERENCES scans (id), seq INTEGER NOT NULL,"
    " kind VARCHAR(20) NOT NULL, body TEXT NOT NULL, created FLOAT NOT NULL,"
    " PRIMARY KEY (scan, seq))",
    "CREATE TABLE shares (token VARCHAR(40) NOT NULL PRIMARY KEY,"
    " scan VARCHAR(32) NOT NULL REFERENCES scans (id), created FLOAT NOT NULL,"
    " expires FLOAT NOT NULL, revoked BOOLEAN NOT NULL)",
    "CREATE INDEX shares_by_scan ON shares (scan)",
)
_SITTINGS = (
    "CREATE TABLE sittings (id VARCHAR(32) NOT NULL PRIMARY KEY,"
    " scan VARCHAR(32) NOT NULL REFERENCES scans (id), state VARCHAR(12) NOT NULL,"
    " seconds FLOAT NOT NULL, ends FLOAT, created FLOAT NOT NULL, version INTEGER NOT NULL)",
    "CREATE INDEX sittings_by_scan ON sittings (scan)",
    "CREATE TABLE seats (sitting VARCHAR(32) NOT NULL REFERENCES sittings (id),"
    " party VARCHAR(60) NOT NULL, place INTEGER NOT NULL, token VARCHAR(40) NOT NULL,"
    " phones INTEGER NOT NULL, given TEXT, given_by VARCHAR(64) NOT NULL,"
    " PRIMARY KEY (sitting, party), UNIQUE (token))",
)
_CAREERS = (
    "CREATE TABLE careers (id VARCHAR(32) NOT NULL PRIMARY KEY, game TEXT NOT NULL,"
    " name TEXT NOT NULL, created FLOAT NOT NULL)",
    "CREATE TABLE career_seats (evening VARCHAR(32) NOT NULL REFERENCES evenings (id),"
    " game TEXT NOT NULL, side VARCHAR(60) NOT NULL,"
    " career VARCHAR(32) NOT NULL REFERENCES careers (id), PRIMARY KEY (evening, game, side),"
    " UNIQUE (evening, career))",
    "CREATE TABLE career_notes (career VARCHAR(32) NOT NULL REFERENCES careers (id),"
    " seq INTEGER NOT NULL, kind VARCHAR(20) NOT NULL, body TEXT NOT NULL,"
    " created FLOAT NOT NULL, PRIMARY KEY (career, seq))",
)
_PHOTOS = (
    "ALTER TABLE scans ADD COLUMN readings INTEGER DEFAULT 0 NOT NULL",
    "CREATE TABLE photos (scan VARCHAR(32) NOT NULL REFERENCES scans (id),"
    ' place INTEGER NOT NULL, photo VARCHAR(64) NOT NULL, "view" VARCHAR(64),'
    " PRIMARY KEY (scan, place))",
)
_PLAYED = (
    "ALTER TABLE evenings ADD COLUMN deck TEXT DEFAULT '' NOT NULL",
    "ALTER TABLE evenings ADD COLUMN game TEXT DEFAULT '' NOT NULL",
    "ALTER TABLE evenings ADD COLUMN rules TEXT DEFAULT '{}' NOT NULL",
)
_LIVE = (
    'CREATE TABLE live_games (id VARCHAR(32) NOT NULL PRIMARY KEY, "key" VARCHAR(64) NOT NULL,'
    " asked TEXT NOT NULL, source TEXT NOT NULL, created FLOAT NOT NULL, standing TEXT NOT NULL,"
    " owner VARCHAR(80) NOT NULL, lease_until FLOAT NOT NULL, renewed FLOAT NOT NULL,"
    " pictured FLOAT NOT NULL)",
    "CREATE TABLE live_events (game VARCHAR(32) NOT NULL REFERENCES live_games (id),"
    " number INTEGER NOT NULL, words TEXT NOT NULL, picture VARCHAR(64),"
    " PRIMARY KEY (game, number))",
)

STEPS = (
    Step(1, "scans, their jobs, corrections, links, evenings", _FIRST),
    Step(2, "a scan knows its game", ("ALTER TABLE scans ADD COLUMN game TEXT",)),
    Step(3, "sittings, where orders are secret", _SITTINGS),
    Step(
        4,
        "seats order in turn",
        ("ALTER TABLE seats ADD COLUMN turn INTEGER DEFAULT 0 NOT NULL",),
    ),
    Step(5, "careers of players", _CAREERS),
    Step(
        6,
        "a photo that came twice may count",
        ("ALTER TABLE scans ADD COLUMN counted BOOLEAN DEFAULT FALSE NOT NULL",),
    ),
    Step(7, "a scan may have several photos", _PHOTOS),
    Step(8, "an evening says what is played", _PLAYED),
    Step(9, "live games outlive their server", _LIVE),
    Step(
        10,
        "a photo knows the request that brought it",
        ("ALTER TABLE jobs ADD COLUMN request VARCHAR(64) DEFAULT '' NOT NULL",),
    ),
)

#: Where the version stands. Never changed: by it any program knows the data of any other.
_META = 'CREATE TABLE meta ("key" VARCHAR(40) NOT NULL PRIMARY KEY, value TEXT)'
#: The lock of PostgreSQL under which one server migrates. Any number, the same for all.
_LOCK = text("SELECT pg_advisory_xact_lock(7214)")


def migrate(
    write: Callable[[], AbstractContextManager[Connection]], steps: tuple[Step, ...] = STEPS
) -> tuple[Step, ...]:
    """Bring a database to the newest version; return the steps that were taken.

    Parameters
    ----------
    write : callable
        Opens a transaction that takes the right to write at once: of servers that start together
        one takes a step, and the others find it done.
    steps : tuple of Step
        All that there are, from the first.

    Raises
    ------
    ValueError
        If the data is of a newer version, or its version is not understood. Nothing is changed.
    """
    taken: list[Step] = []
    while True:
        with write() as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(_LOCK)
            version = _version_of(connection, steps[-1].version)
            step = next((step for step in steps if step.version == version + 1), None)
            if step is None:
                return tuple(taken)
            for statement in (_META, *step.statements) if version == 0 else step.statements:
                connection.exec_driver_sql(statement)
            _note(connection, step.version)
        taken.append(step)


def _version_of(connection: Connection, newest: int) -> int:
    """Return the version of the data; 0 where there is none yet."""
    if not inspect(connection).has_table("meta"):
        return 0
    found = connection.scalar(text("SELECT value FROM meta WHERE \"key\" = 'schema'"))
    if found is None or not str(found).isdigit() or int(found) < 1:
        msg = f"the data says of its version {found!r}: not written by this program, or damaged"
        raise ValueError(msg)
    if int(found) > newest:
        msg = (
            f"the data was written by a newer version (schema {found}; this one knows up to "
            f"{newest}); use that version, or another data folder"
        )
        raise ValueError(msg)
    return int(found)


def _note(connection: Connection, version: int) -> None:
    said = {"version": str(version)}
    if version > 1:
        query = "UPDATE meta SET value = :version WHERE \"key\" = 'schema'"
    else:
        query = "INSERT INTO meta (\"key\", value) VALUES ('schema', :version)"
    connection.execute(text(query), said)
