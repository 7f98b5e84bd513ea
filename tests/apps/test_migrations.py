"""Data of older versions opens in this one, in SQLite and PostgreSQL.

``older/`` holds databases that the program itself wrote when it was at that schema, with rounds,
one of them corrected, in an evening and with a link.
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import MetaData, create_engine, inspect, make_url, text
from sqlalchemy.exc import OperationalError, ProgrammingError

from tests.apps import web_readers
from tests.apps.web_help import client_of, picture
from vision.apps.reading import ReadTask
from vision.apps.server.storage import Storage, new_id, open_storage
from vision.apps.server.storage.database import Database
from vision.apps.server.storage.migrations import STEPS, Step, migrate
from vision.apps.server.storage.tables import metadata

OLDER = Path(__file__).parent / "older"
NEWEST = STEPS[-1].version
FOR_EVER = {"trash_days": 1e6, "original_days": 1e6}  # the dumps grow old


@dataclass(frozen=True)
class Place:
    """Where a database is: a folder, or the address of PostgreSQL."""

    folder: Path
    url: str = ""

    @property
    def kind(self) -> str:
        return "postgresql" if self.url else "sqlite"

    def open(self) -> Database:
        return Database(self.folder, self.url)

    def steps(self) -> tuple[Step, ...]:
        """Open it; return what that took."""
        database = self.open()
        database.close()
        return database.steps

    def run(self, script: str) -> None:
        """Run SQL as the programs that restore dumps do."""
        if not self.url:
            self.folder.mkdir(exist_ok=True)
            with sqlite3.connect(self.folder / "sightline.sqlite3") as connection:
                connection.executescript(script)
            connection.close()
            return
        import psycopg

        plain = make_url(self.url).set(drivername="postgresql")
        with psycopg.connect(plain.render_as_string(hide_password=False)) as connection:
            connection.execute(script)  # type: ignore[arg-type]


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request, tmp_path) -> Iterator[Callable[[], Place]]:
    """Give fresh, empty places."""
    made: list[str] = []

    def make() -> Place:
        name = f"m{new_id()}"
        if request.param == "sqlite":
            return Place(tmp_path / name)
        admin = make_url(request.getfixturevalue("postgres"))
        _as_admin(admin, f"CREATE DATABASE {name}")
        made.append(name)
        url = admin.set(database=name).render_as_string(hide_password=False)
        return Place(tmp_path / name, url)

    yield make
    for name in made:
        _as_admin(
            make_url(request.getfixturevalue("postgres")), f"DROP DATABASE {name} WITH (FORCE)"
        )


def _as_admin(url: Any, statement: str) -> None:
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()


def older(place: Place, version: int) -> Place:
    """Fill a place with what an older version left."""
    place.run((OLDER / f"schema{version}.{place.kind}.sql").read_text(encoding="utf-8"))
    return place


def shape_of(place: Place) -> dict[str, Any]:
    """Return all that tables promise: columns, keys, indexes."""
    database = place.open()
    found = inspect(database.engine)
    shape = {
        table: {
            "columns": {
                column["name"]: (str(column["type"]), column["nullable"])
                for column in found.get_columns(table)
            },
            "primary": found.get_pk_constraint(table)["constrained_columns"],
            "unique": sorted(
                tuple(one["column_names"]) for one in found.get_unique_constraints(table)
            ),
            "leads": sorted(
                (tuple(one["constrained_columns"]), one["referred_table"])
                for one in found.get_foreign_keys(table)
            ),
            "indexes": sorted(
                (one["name"], tuple(one["column_names"]))
                for one in found.get_indexes(table)
                if "duplicates_constraint" not in one
            ),
        }
        for table in sorted(found.get_table_names())
    }
    database.close()
    return shape


def test_steps_are_numbered_from_one_without_a_gap():
    assert [step.version for step in STEPS] == list(range(1, NEWEST + 1))
    assert all(step.says and step.statements for step in STEPS)


@pytest.mark.parametrize("version", [1, 6])
def test_rounds_of_an_older_version_open_in_this_one(empty, version):
    place = older(empty(), version)
    storage = open_storage(place.folder, place.url)
    _bring_files(storage)
    storage.records.close()
    with client_of(place.folder, web_readers.canned, database_url=place.url, **FOR_EVER) as client:
        (scan,) = [
            one for one in client.get("/api/v1/scans").json()["scans"] if one["name"] == "the first"
        ]
        shown = client.get(f"/api/v1/scans/{scan['id']}/round").json()
        assert (shown["revision"], shown["rules"]["piracy"]) == (1, True)
        lay = json.loads(web_readers.CANNED.read_text())["table"]["cards"]
        assert {card["id"] for card in shown["cards"]} == {card["card"] for card in lay}
        (evening,) = client.get("/api/v1/evenings").json()["evenings"]
        assert (evening["name"], evening["teams"]) == ("Friday", {"red": "Zoé"})
        assert scan["evening"] == evening["id"]
        assert len(client.get(f"/api/v1/scans/{scan['id']}/shares").json()["shares"]) == 1
        undone = client.post(f"/api/v1/scans/{scan['id']}/undo").json()
        assert undone["rules"]["piracy"] is False
        twice = client.patch(f"/api/v1/scans/{scan['id']}", json={"name": "of old"})
        assert twice.json()["name"] == "of old"


def _bring_files(storage: Storage) -> None:
    """Put the files that the rounds name; their names are their content's."""
    left = web_readers.canned(ReadTask((picture(seed=1),)), str)
    for content in (picture(seed=1), left.joint, left.view):
        storage.objects.put(content)


@pytest.mark.parametrize("version", [1, 6])
def test_old_and_new_databases_have_the_tables_that_the_program_speaks_of(empty, version):
    now = shape_of(empty())
    assert shape_of(older(empty(), version)) == now
    assert set(now) == set(metadata.tables)
    for name, table in metadata.tables.items():
        columns = {column.name: column.nullable for column in table.columns}
        promised = {key: nullable for key, (_, nullable) in now[name]["columns"].items()}
        assert promised == columns, name
        assert set(now[name]["primary"]) == {column.name for column in table.primary_key}


def test_the_tables_are_as_they_are_declared(empty):
    """Kinds, keys and indexes: as SQLAlchemy itself would have made them."""
    steps, declared = empty(), empty()
    engine = create_engine(declared.url or _sqlite(declared))
    metadata.create_all(engine)
    with engine.begin() as connection:
        connection.execute(text(f"INSERT INTO meta VALUES ('schema', '{NEWEST}')"))
    engine.dispose()
    assert shape_of(steps) == shape_of(declared)


def _sqlite(place: Place) -> str:
    place.folder.mkdir()
    return f"sqlite:///{place.folder / 'sightline.sqlite3'}"


def test_servers_that_start_at_once_take_each_step_once(empty):
    """Of many that open old data together, none fails and each step is taken once."""
    place = older(empty(), 1)
    start, taken, failed = threading.Barrier(4), [], []

    def open_it() -> None:
        start.wait()
        try:
            taken.append(place.steps())
        except Exception as error:  # noqa: BLE001 - told by the test
            failed.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert sorted(step.version for steps in taken for step in steps) == list(range(2, NEWEST + 1))
    new = empty()
    assert new.steps() == STEPS
    assert new.steps() == ()


def test_a_step_that_fails_leaves_the_data_as_the_step_before_left_it(empty):
    place = empty()
    database = place.open()
    half = ("CREATE TABLE later (id INTEGER)", "INSERT INTO nowhere VALUES (1)")
    steps = (
        *STEPS,
        Step(NEWEST + 1, "fine", ("CREATE TABLE fine (id INTEGER)",)),
        Step(NEWEST + 2, "fails half-way", half),
    )
    with pytest.raises((OperationalError, ProgrammingError), match="nowhere"):
        migrate(database.write, steps)
    found = MetaData()
    found.reflect(database.engine)
    assert "fine" in found.tables
    assert "later" not in found.tables
    with database.read() as connection:
        version = connection.scalar(text("SELECT value FROM meta WHERE \"key\" = 'schema'"))
    assert version == str(NEWEST + 1)
    database.close()


@pytest.mark.parametrize(
    ("version", "said"),
    [(str(NEWEST + 1), "newer version"), ("99", "newer version"), ("none", "damaged")],
)
def test_data_of_a_newer_version_is_refused_and_left_alone(empty, version, said):
    place = empty()
    place.steps()
    place.run(f"UPDATE meta SET value='{version}' WHERE \"key\"='schema'")
    with pytest.raises(ValueError, match=said):
        place.steps()
    place.run(f"UPDATE meta SET value='{NEWEST}' WHERE \"key\"='schema'")
    assert place.steps() == ()
