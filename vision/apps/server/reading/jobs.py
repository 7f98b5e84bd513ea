"""The ledger of photos to be read: lease, attempts, and what came of them.

A photo accepted is a row here. A worker that takes it holds a lease that it renews; a lease that
ran out, or whose server is known to be dead, is up again. A photo that brought its worker down
three times fails with the reason instead of coming back for ever.
"""

import os
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, RowMapping, and_, func, or_, select, update

from vision.apps.server.settings import Settings
from vision.apps.server.storage.store import Store, jobs, scans

__all__ = ["Job", "Ledger"]


@dataclass(frozen=True, slots=True)
class Job:
    """A photo taken for reading."""

    scan: str
    photo: str
    deck: str
    rules: str
    attempt: int


class Ledger:
    """Take, renew, finish, fail; safe with several servers on one database."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.store, self.settings = store, settings
        self.owner = f"{socket.gethostname()[:40]}:{os.getpid()}:{_start_of(os.getpid())}"

    def recover(self) -> int:
        """Free what servers of this machine held when they died; return how many that were."""
        freed = 0
        with self.store.write() as connection:
            rows = connection.execute(
                select(jobs.c.scan, jobs.c.owner).where(jobs.c.state == "reading")
            )
            for row in rows.all():
                if not _is_dead(row.owner):
                    continue
                self._let_go(connection, row.scan)
                freed += 1
        return freed

    def _let_go(self, connection: Connection, scan: str) -> None:
        """Put a photo back whose server died under it: that is not the photo's fault, at first."""
        connection.execute(
            update(jobs)
            .where(jobs.c.scan == scan)
            .values(
                state="waiting",
                stage="",
                owner="",
                attempts=jobs.c.attempts - 1,
                interruptions=jobs.c.interruptions + 1,
                changed=time.time(),
            )
        )

    def waiting(self) -> int:
        """Return how many photos wait or are being read."""
        with self.store.read() as connection:
            where = jobs.c.state.in_(("waiting", "reading"))
            return int(connection.scalar(select(func.count()).where(where)) or 0)

    def take(self) -> Job | None:
        """Take the next photo, if one waits."""
        now = time.time()
        up = or_(
            jobs.c.state == "waiting",
            and_(jobs.c.state == "reading", jobs.c.lease_until < now),
        )
        with self.store.write() as connection:
            while True:
                row = (
                    connection.execute(
                        select(jobs, scans.c.photo, scans.c.deck, scans.c.rules)
                        .join(scans, scans.c.id == jobs.c.scan)
                        .where(up)
                        .order_by(jobs.c.queued, jobs.c.scan)
                        .limit(1)
                        .with_for_update(skip_locked=True, of=jobs)
                    )
                    .mappings()
                    .first()
                )
                if row is None:
                    return None
                if self._is_poison(row):
                    words = row["error"] or "it brought its reader down again and again"
                    self._close(connection, row["scan"], "worker_failed", words)
                    continue
                connection.execute(
                    update(jobs)
                    .where(jobs.c.scan == row["scan"])
                    .values(
                        state="reading",
                        stage="starting",
                        owner=self.owner,
                        lease_until=now + self.settings.lease_seconds,
                        attempts=row["attempts"] + 1,
                        changed=now,
                    )
                )
                return Job(
                    row["scan"], row["photo"], row["deck"], row["rules"], row["attempts"] + 1
                )

    def _is_poison(self, row: RowMapping) -> bool:
        tried = int(row["attempts"]) >= self.settings.attempts
        return tried or int(row["interruptions"]) >= self.settings.interruptions

    def renew(self, scan: str) -> None:
        """Hold a photo for another while."""
        self._set(scan, lease_until=time.time() + self.settings.lease_seconds)

    def note_stage(self, scan: str, stage: str) -> None:
        """Note what is being done with a photo."""
        self._set(
            scan,
            stage=stage,
            changed=time.time(),
            lease_until=time.time() + self.settings.lease_seconds,
        )

    def _set(self, scan: str, **values: object) -> None:
        mine = and_(jobs.c.scan == scan, jobs.c.owner == self.owner, jobs.c.state == "reading")
        with self.store.write() as connection:
            connection.execute(update(jobs).where(mine).values(**values))

    def finish(self, scan: str, *, document: str, view: str, joint: str) -> None:
        """Keep what was read; the result and the state change together."""
        with self.store.write() as connection:
            connection.execute(
                update(scans)
                .where(scans.c.id == scan)
                .values(scan=document, view=view, joint=joint)
            )
            connection.execute(
                update(jobs)
                .where(jobs.c.scan == scan)
                .values(
                    state="done", stage="", owner="", error="", error_code="", changed=time.time()
                )
            )

    def fail(self, scan: str, code: str, reason: str) -> None:
        """Close a photo that cannot be read, for good."""
        with self.store.write() as connection:
            self._close(connection, scan, code, reason)

    def _close(self, connection: Connection, scan: str, code: str, reason: str) -> None:
        connection.execute(
            update(jobs)
            .where(jobs.c.scan == scan)
            .values(
                state="failed",
                stage="",
                owner="",
                error_code=code,
                error=reason[:2000],
                changed=time.time(),
            )
        )

    def stumble(self, scan: str, code: str, reason: str) -> bool:
        """Note that a reader came down; return whether the photo is tried again."""
        with self.store.write() as connection:
            row = connection.execute(
                select(jobs.c.attempts).where(jobs.c.scan == scan)
            ).one_or_none()
            if row is None:
                return False
            if row.attempts >= self.settings.attempts:
                tries = f"{reason} (tried {row.attempts} times)"
                self._close(connection, scan, code, tries)
                return False
            connection.execute(
                update(jobs)
                .where(jobs.c.scan == scan)
                .values(
                    state="waiting",
                    stage="",
                    owner="",
                    error_code=code,
                    error=reason[:2000],
                    changed=time.time(),
                )
            )
            return True

    def give_back(self, scan: str) -> None:
        """Put a photo back because this server stops."""
        with self.store.write() as connection:
            self._let_go(connection, scan)

    def retry(self, scan: str) -> None:
        """Start a failed photo anew."""
        now = time.time()
        with self.store.write() as connection:
            connection.execute(
                update(jobs)
                .where(jobs.c.scan == scan, jobs.c.state == "failed")
                .values(
                    state="waiting",
                    stage="",
                    owner="",
                    attempts=0,
                    interruptions=0,
                    error="",
                    error_code="",
                    queued=now,
                    changed=now,
                )
            )


def _start_of(pid: int) -> str:
    """Return when a process started, so that a number used again is not mistaken for it."""
    with suppress(OSError, IndexError):
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        return stat.rpartition(")")[2].split()[19]
    return "0"


def _is_dead(owner: str) -> bool:
    """Tell whether an owner is a process of this machine that no longer runs."""
    host, _, rest = owner.rpartition(":")[0].rpartition(":")
    start = owner.rpartition(":")[2]
    if host != socket.gethostname()[:40] or not rest.isdigit():
        return False
    pid = int(rest)
    if pid == os.getpid() and start == _start_of(pid):
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return _start_of(pid) != start
