"""Scans in the database, their photos, and the jobs in which these are read."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    RowMapping,
    Select,
    and_,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from vision.apps.server.storage.database import Part
from vision.apps.server.storage.records import (
    Added,
    AddedPhotos,
    Job,
    JobLimits,
    Kept,
    NewScan,
    Queue,
    ReadAs,
    ReadPhoto,
    Scan,
)
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

__all__ = ["Jobs", "Photos", "Scans"]

_LIVE = "live"  # the kind of a correction that was made while the table was followed
_OF_JOB = ("state", "stage", "attempts", "queued", "error_code", "error")  # the rest is the scan's
#: Of a job that waits or is read just now.
UNDER_WAY = jobs.c.state.in_(("waiting", "reading"))
#: What a job says of itself that nobody works on.
IDLE: dict[str, Any] = {
    "stage": "",
    "owner": "",
    "lease_until": 0.0,
    "error_code": "",
    "error": "",
}
_REASON_SIGNS = 2000


class Scans(Part):
    """The scans, and what was read of them."""

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
        return self._one(_query().where(scans.c.id == scan), Scan)

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
        return self._all(query.order_by(scans.c.created.desc()).limit(limit), Scan)

    def ahead(self, scan: Scan) -> int:
        """Return how many are read before a scan that waits."""
        with self._database.read() as connection:
            before = select(func.count()).where(UNDER_WAY, jobs.c.queued < scan.queued)
            return int(connection.scalar(before) or 0)

    def read(self, scan: str) -> Kept | None:
        """Return what was read of a scan, deleted or not."""
        query = select(scans.c.scan, scans.c.view, scans.c.joint).where(scans.c.id == scan)
        row = self._row(query)
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
        self._do(update(scans).where(scans.c.id == scan).values(**values))

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
        return set(self._scalars(select(scans.c.deck).distinct()))


def _query() -> Select[Any]:
    names = [field.name for field in fields(Scan)]
    columns = [(jobs if name in _OF_JOB else scans).c[name] for name in names]
    query = select(*columns).join(jobs, jobs.c.scan == scans.c.id)
    return query.where(scans.c.deleted.is_(None))


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


# --- further photos of a scan --------------------------------------------------------------------


class Photos(Part):
    """The further photos of scans; who adds or takes one away has the scan read again."""

    def list(self, scan: str) -> tuple[ReadPhoto, ...]:
        """Return those that show something of the table, in order."""
        query = select(photos.c.photo, photos.c.view).where(photos.c.scan == scan)
        rows = self._rows(query.order_by(photos.c.place))
        return tuple(ReadPhoto(row.photo, row.view) for row in rows if row.view)

    def add(self, scan: str, keys: Sequence[str], most: int, most_waiting: int) -> AddedPhotos:
        """Add photos by their keys, so that the scan has ``most`` at most.

        ``full`` if ``most_waiting`` scans wait already.
        """
        with self._database.write() as connection:
            if _is_under_way(connection, scan):
                return "busy"
            known = _all(connection, scan)
            new = [key for key in dict.fromkeys(keys) if key not in known]
            if not new:
                return "there"
            if len(to_read(connection, scan)) + len(new) > most:
                return "too many"
            if count_waiting(connection) >= most_waiting:
                return "full"
            enter_photos(connection, scan, new)
            queue_again(connection, jobs.c.scan == scan)
        return "added"

    def remove(self, scan: str, view: str) -> bool:
        """Take away the one that has a view; False if there is none, or the scan is being read."""
        own = (photos.c.scan == scan) & (photos.c.view == view)
        with self._database.write() as connection:
            if _is_under_way(connection, scan):
                return False
            if not connection.execute(delete(photos).where(own)).rowcount:
                return False
            queue_again(connection, jobs.c.scan == scan)
        return True


def enter_photos(connection: Connection, scan: str, keys: Sequence[str]) -> None:
    """Enter photos that are still to be read, after those that are there."""
    last = select(func.max(photos.c.place)).where(photos.c.scan == scan)
    place = int(connection.scalar(last) or 0)
    for k, key in enumerate(keys, start=1):
        connection.execute(insert(photos).values(scan=scan, place=place + k, photo=key))


def set_photos(connection: Connection, scan: str, read: Sequence[ReadPhoto]) -> None:
    """Note which photos were read: the first is the one that is drawn on."""
    blank = select(photos.c.photo).where(photos.c.scan == scan, photos.c.view == "")
    keys = {one.photo for one in read}
    left = [ReadPhoto(key, "") for key in connection.scalars(blank) if key not in keys]
    first, *others = read
    connection.execute(update(scans).where(scans.c.id == scan).values(photo=first.photo))
    connection.execute(delete(photos).where(photos.c.scan == scan))
    for place, one in enumerate((*others, *left), start=1):
        values = {"scan": scan, "place": place, "photo": one.photo, "view": one.view}
        connection.execute(insert(photos).values(**values))


def drop_unread(connection: Connection, scan: str) -> None:
    """Drop the photos of a scan that were not read."""
    connection.execute(delete(photos).where(photos.c.scan == scan, photos.c.view.is_(None)))


def to_read(connection: Connection, scan: str) -> tuple[str, ...]:
    """Return the keys of the photos of a scan that are to be read, the one drawn on first."""
    may_show = or_(photos.c.view.is_(None), photos.c.view != "")
    first = select(scans.c.photo).where(scans.c.id == scan)
    more = select(photos.c.photo).where(photos.c.scan == scan, may_show).order_by(photos.c.place)
    return (*connection.scalars(first), *connection.scalars(more))


def _all(connection: Connection, scan: str) -> set[str]:
    first = select(scans.c.photo).where(scans.c.id == scan)
    more = select(photos.c.photo).where(photos.c.scan == scan)
    return {*connection.scalars(first), *connection.scalars(more)}


def _is_under_way(connection: Connection, scan: str) -> bool:
    query = select(jobs.c.scan).where(jobs.c.scan == scan, UNDER_WAY)
    return connection.scalar(query) is not None


# --- the queue of what is to be read -------------------------------------------------------------
def count_waiting(connection: Connection) -> int:
    """Return how many scans wait or are being read."""
    return int(connection.scalar(select(func.count()).where(UNDER_WAY)) or 0)


def queue_again(connection: Connection, which: ColumnElement[bool]) -> None:
    """Have what was read, or could not be, read anew."""
    now = time.time()
    fresh = {"attempts": 0, "interruptions": 0, "queued": now, "changed": now}
    connection.execute(update(jobs).where(which).values(state="waiting", **fresh, **IDLE))


# --- jobs: photos to be read, held under leases --------------------------------------------------


class Jobs(Part):
    """The photos to be read: leases, attempts, and what came of them; for several servers."""

    def waiting(self) -> int:
        """Return how many wait or are being read."""
        with self._database.read() as connection:
            return count_waiting(connection)

    def queue(self) -> Queue:
        """Return how the queue stands."""
        query = (
            select(jobs.c.state, func.count().label("n"), func.min(jobs.c.queued).label("first"))
            .where(UNDER_WAY)
            .group_by(jobs.c.state)
        )
        with self._database.read() as connection:
            rows = {row.state: row for row in connection.execute(query)}
        waiting, reading = rows.get("waiting"), rows.get("reading")
        return Queue(
            0 if waiting is None else waiting.n,
            0 if reading is None else reading.n,
            None if waiting is None else waiting.first,
        )

    def held(self) -> Mapping[str, str]:
        """Return who holds each scan that is being read."""
        query = select(jobs.c.scan, jobs.c.owner).where(jobs.c.state == "reading")
        return {row.scan: row.owner for row in self._rows(query)}

    def take(self, owner: str, limits: JobLimits, now: float) -> Job | None:
        """Take the next photo; those that have had their tries are closed on the way."""
        with self._database.write() as connection:
            while (row := _next(connection, now)) is not None:
                attempts = int(row["attempts"])
                if attempts >= limits.attempts or row["interruptions"] >= limits.interruptions:
                    words = row["error"] or "it brought its reader down again and again"
                    _close(connection, row["scan"], "worker_failed", words)
                    continue
                _set(
                    connection,
                    row["scan"],
                    state="reading",
                    stage="starting",
                    owner=owner,
                    lease_until=now + limits.lease_s,
                    attempts=attempts + 1,
                )
                photos = to_read(connection, row["scan"])
                what = (row["scan"], photos, row["deck"], row["rules"])
                return Job(*what, attempts + 1, row["game"], row["request"])
        return None

    def renew(self, scan: str, owner: str, until: float, stage: str | None = None) -> None:
        """Hold a photo longer, if it is still the owner's; note its stage, if one is given."""
        values: dict[str, object] = {"lease_until": until}
        if stage is not None:
            values |= {"stage": stage, "changed": time.time()}
        mine = and_(jobs.c.scan == scan, jobs.c.owner == owner, jobs.c.state == "reading")
        self._do(update(jobs).where(mine).values(**values))

    def finish(self, scan: str, kept: Kept, photos: Sequence[ReadPhoto] = ()) -> None:
        """Keep what was read; result and state change together.

        ``photos`` are those that were read, the one that is drawn on first; none: only that one.
        """
        values: dict[str, object] = {"scan": kept.document, "view": kept.view, "joint": kept.joint}
        if kept.read_as is not None:
            values |= asdict(kept.read_as)
        readings = scans.c.readings + 1
        with self._database.write() as connection:
            own = update(scans).where(scans.c.id == scan)
            connection.execute(own.values(**values, readings=readings))
            if photos:
                set_photos(connection, scan, photos)
            _set(connection, scan, state="done", stage="", owner="", error="", error_code="")

    def fail(self, scan: str, code: str, reason: str) -> None:
        """Close what cannot be read, for good.

        A round that was read before stays as it was, without the photos that came last.
        """
        with self._database.write() as connection:
            _close(connection, scan, code, reason)

    def stumble(self, scan: str, code: str, reason: str, attempts: int) -> bool:
        """Note that a reader came down; return whether the photo is tried again."""
        with self._database.write() as connection:
            tried = connection.scalar(select(jobs.c.attempts).where(jobs.c.scan == scan))
            if tried is None:
                return False
            if tried >= attempts:
                _close(connection, scan, code, f"{reason} (tried {tried} times)")
                return False
            words = {"error_code": code, "error": reason[:_REASON_SIGNS]}
            _set(connection, scan, state="waiting", stage="", owner="", **words)
            return True

    def give_back(self, scan: str) -> None:
        """Put a photo back whose server stopped under it: not the photo's fault, at first."""
        with self._database.write() as connection:
            _set(
                connection,
                scan,
                state="waiting",
                stage="",
                owner="",
                attempts=jobs.c.attempts - 1,
                interruptions=jobs.c.interruptions + 1,
            )

    def retry(self, scan: str, read_as: ReadAs | None = None) -> None:
        """Start a failed photo anew, as what lies there, if that is said."""
        failed = exists().where(jobs.c.scan == scans.c.id, jobs.c.state == "failed")
        with self._database.write() as connection:
            if read_as is not None:
                own = update(scans).where(scans.c.id == scan, failed)
                connection.execute(own.values(**asdict(read_as)))
            queue_again(connection, and_(jobs.c.scan == scan, jobs.c.state == "failed"))


def _next(connection: Connection, now: float) -> RowMapping | None:
    """Return the photo that is up next, for this transaction alone."""
    ran_out = and_(jobs.c.state == "reading", jobs.c.lease_until < now)
    query = (
        select(jobs, scans.c.deck, scans.c.game, scans.c.rules)
        .join(scans, scans.c.id == jobs.c.scan)
        .where(or_(jobs.c.state == "waiting", ran_out))
        .order_by(jobs.c.queued, jobs.c.scan)
        .limit(1)
        .with_for_update(skip_locked=True, of=jobs)
    )
    return connection.execute(query).mappings().first()


def _close(connection: Connection, scan: str, code: str, reason: str) -> None:
    words = {"error_code": code, "error": reason[:_REASON_SIGNS]}
    is_read = select(scans.c.scan.is_not(None)).where(scans.c.id == scan)
    state = "failed"
    if connection.scalar(is_read):
        drop_unread(connection, scan)
        state = "done"
    _set(connection, scan, state=state, stage="", owner="", **words)


def _set(connection: Connection, scan: str, **values: object) -> None:
    connection.execute(
        update(jobs).where(jobs.c.scan == scan).values(changed=time.time(), **values)
    )
