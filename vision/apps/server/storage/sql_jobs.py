"""Jobs in the database: photos to be read, held under leases by several servers."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from sqlalchemy import Connection, RowMapping, and_, exists, func, or_, select, update

from vision.apps.server.storage.database import Database
from vision.apps.server.storage.photos import ReadAs, ReadPhoto, drop_unread, set_photos, to_read
from vision.apps.server.storage.records import Job, JobLimits, Kept, Queue
from vision.apps.server.storage.sql_queue import UNDER_WAY, count_waiting, queue_again
from vision.apps.server.storage.tables import jobs, scans

__all__ = ["Jobs"]

_REASON_SIGNS = 2000


class Jobs:
    """The photos to be read: leases, attempts, and what came of them; for several servers."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
        with self._database.read() as connection:
            return {row.scan: row.owner for row in connection.execute(query)}

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
        with self._database.write() as connection:
            connection.execute(update(jobs).where(mine).values(**values))

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
