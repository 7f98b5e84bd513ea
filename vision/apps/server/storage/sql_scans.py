"""Scans in the database."""

from typing import Any

from sqlalchemy import Connection, RowMapping, Select, delete, exists, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from vision.apps.server.storage.database import Database
from vision.apps.server.storage.photos import enter_photos
from vision.apps.server.storage.records import Added, Kept, NewScan, Scan
from vision.apps.server.storage.sql_queue import IDLE, UNDER_WAY, count_waiting
from vision.apps.server.storage.tables import (
    edits,
    evenings,
    jobs,
    photos,
    scans,
    seats,
    shares,
    sittings,
)

__all__ = ["Scans"]

_OF_SCAN = (
    *("id", "name", "evening", "created", "photo", "view", "deck", "game", "counted"),
    "readings",
)
_LIVE = "live"  # the kind of a correction that was made while the table was followed
_OF_JOB = ("state", "stage", "attempts", "queued", "error_code", "error")


class Scans:
    """The scans, and what was read of them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, new: NewScan, most: int) -> Added:
        """Enter a photo to be read, unless ``most`` wait already."""
        try:
            with self._database.write() as connection:
                if count_waiting(connection) >= most:
                    return "full"
                if new.evening is not None and not _has_evening(connection, new.evening):
                    return "no evening"
                connection.execute(insert(scans).values(**_values(new)))
                enter_photos(connection, new.id, new.more)
                connection.execute(insert(jobs).values(**_job(new, "waiting", 0)))
        except IntegrityError:
            if new.key is None or self.find_key(new.key) is None:
                raise
            return "key taken"
        return "added"

    def add_read(
        self,
        new: NewScan,
        kept: Kept,
        replaces: str | None = None,
        changes: tuple[str, ...] = (),
    ) -> None:
        """Enter a scan that is read; one that it replaces goes, unless someone corrected it.

        ``changes`` (JSON) are corrections that were made before it was: they are nobody's work.
        """
        with self._database.write() as connection:
            values = _values(new)
            if new.evening is not None and not _has_evening(connection, new.evening):
                values["evening"] = None  # deleted meanwhile
            read = {"scan": kept.document, "view": kept.view, "joint": kept.joint}
            connection.execute(insert(scans).values(**values, **read))
            connection.execute(insert(jobs).values(**_job(new, "done", 1)))
            log = [
                {"scan": new.id, "seq": k, "kind": _LIVE, "body": change, "created": new.created}
                for k, change in enumerate(changes, 1)
            ]
            if log:
                connection.execute(insert(edits), log)
            if replaces is not None:
                worked_on = exists().where(edits.c.scan == scans.c.id, edits.c.kind != _LIVE)
                is_old = scans.c.id == replaces
                connection.execute(
                    update(scans).where(is_old, ~worked_on).values(deleted=new.created)
                )

    def find(self, scan: str) -> Scan | None:
        """Return a scan that is not deleted."""
        with self._database.read() as connection:
            row = connection.execute(_query().where(scans.c.id == scan)).mappings().one_or_none()
        return None if row is None else _scan(row)

    def find_key(self, key: str) -> tuple[str, frozenset[str], bool] | None:
        """Return id, photos and whether it is deleted, of the scan that came with a key."""
        query = select(scans.c.id, scans.c.photo, scans.c.deleted).where(scans.c.idempotency == key)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
            if row is None:
                return None
            more = connection.scalars(select(photos.c.photo).where(photos.c.scan == row.id))
            return row.id, frozenset({row.photo, *more}), row.deleted is not None

    def list(
        self, limit: int, *, evening: str | None = None, before: float | None = None
    ) -> tuple[Scan, ...]:
        """Return the newest scans, the newest first."""
        query = _query()
        if evening is not None:
            query = query.where(scans.c.evening == evening)
        if before is not None:
            query = query.where(scans.c.created < before)
        with self._database.read() as connection:
            newest = query.order_by(scans.c.created.desc()).limit(limit)
            return tuple(_scan(row) for row in connection.execute(newest).mappings())

    def ahead(self, scan: Scan) -> int:
        """Return how many are read before a scan that waits."""
        with self._database.read() as connection:
            before = select(func.count()).where(UNDER_WAY, jobs.c.queued < scan.queued)
            return int(connection.scalar(before) or 0)

    def read(self, scan: str) -> Kept | None:
        """Return what was read of a scan, deleted or not."""
        query = select(scans.c.scan, scans.c.view, scans.c.joint).where(scans.c.id == scan)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None or row.scan is None else Kept(*row)

    def rename(self, scan: str, name: str) -> None:
        """Give a scan a name."""
        self._set(scan, name=name)

    def count(self, scan: str, *, is_counted: bool) -> None:
        """Say whether a scan counts whose photo came before in the same evening."""
        self._set(scan, counted=is_counted)

    def move(self, scan: str, evening: str | None) -> bool:
        """Put a scan into an evening, or out of any; False if there is no such evening."""
        with self._database.write() as connection:
            if evening is not None and not _has_evening(connection, evening):
                return False
            connection.execute(update(scans).where(scans.c.id == scan).values(evening=evening))
        return True

    def delete(self, scan: str, now: float) -> None:
        """Delete a scan for the time being; its links end."""
        with self._database.write() as connection:
            connection.execute(update(scans).where(scans.c.id == scan).values(deleted=now))
            connection.execute(update(shares).where(shares.c.scan == scan).values(revoked=True))

    def restore(self, scan: str) -> None:
        """Bring a deleted scan back."""
        self._set(scan, deleted=None)

    def _set(self, scan: str, **values: object) -> None:
        with self._database.write() as connection:
            connection.execute(update(scans).where(scans.c.id == scan).values(**values))

    def purge(self, before: float) -> int:
        """Forget for good what was deleted before a time and is not being read; return how many."""
        with self._database.write() as connection:
            is_read = exists().where(jobs.c.scan == scans.c.id, jobs.c.state == "reading")
            query = select(scans.c.id).where(scans.c.deleted < before, ~is_read)
            old = connection.scalars(query).all()
            left = select(sittings.c.id).where(sittings.c.scan.in_(old))
            connection.execute(delete(seats).where(seats.c.sitting.in_(left)))
            connection.execute(delete(sittings).where(sittings.c.scan.in_(old)))
            own = (edits.c.scan, shares.c.scan, jobs.c.scan, photos.c.scan, scans.c.id)
            for column in own:
                connection.execute(delete(column.table).where(column.in_(old)))
        return len(old)

    def drop_originals(self, before: float) -> None:
        """Have the view stand for the photo of scans created before a time."""
        old = scans.c.created < before
        with self._database.write() as connection:
            connection.execute(
                update(scans).where(old, scans.c.view.is_not(None)).values(photo=scans.c.view)
            )
            of_old = photos.c.scan.in_(select(scans.c.id).where(old))
            connection.execute(
                update(photos).where(of_old, photos.c.view != "").values(photo=photos.c.view)
            )

    def objects(self) -> set[str]:
        """Return the keys of all objects that scans name."""
        with self._database.read() as connection:
            rows = connection.execute(select(scans.c.photo, scans.c.view, scans.c.joint)).all()
            more = connection.execute(select(photos.c.photo, photos.c.view)).all()
        return {key for row in (*rows, *more) for key in row if key}

    def decks(self) -> set[str]:
        """Return by what all scans name their decks."""
        with self._database.read() as connection:
            return set(connection.execute(select(scans.c.deck).distinct()).scalars())


def _query() -> Select[Any]:
    columns = (*(scans.c[name] for name in _OF_SCAN), *(jobs.c[name] for name in _OF_JOB))
    query = select(*columns).join(jobs, jobs.c.scan == scans.c.id)
    return query.where(scans.c.deleted.is_(None))


def _scan(row: RowMapping) -> Scan:
    return Scan(**{name: row[name] for name in (*_OF_SCAN, *_OF_JOB)})


def _has_evening(connection: Connection, evening: str) -> bool:
    known = select(evenings.c.id).where(evenings.c.id == evening)
    return connection.scalar(known) is not None


def _values(new: NewScan) -> dict[str, Any]:
    names = ("id", "photo", "deck", "game", "rules", "created", "name", "evening")
    return {**{name: getattr(new, name) for name in names}, "idempotency": new.key}


def _job(new: NewScan, state: str, attempts: int) -> dict[str, Any]:
    return {
        "scan": new.id,
        "state": state,
        "attempts": attempts,
        "interruptions": 0,
        "queued": new.created,
        "changed": new.created,
        "request": new.request,
        **IDLE,
    }
