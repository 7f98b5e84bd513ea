"""The queue of what is to be read, for whoever enters something into it."""

import time
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select, update

from vision.apps.server.storage.tables import jobs

__all__ = ["IDLE", "UNDER_WAY", "count_waiting", "queue_again"]

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


def count_waiting(connection: Connection) -> int:
    """Return how many scans wait or are being read."""
    return int(connection.scalar(select(func.count()).where(UNDER_WAY)) or 0)


def queue_again(connection: Connection, which: ColumnElement[bool]) -> None:
    """Have what was read, or could not be, read anew."""
    now = time.time()
    fresh = {"attempts": 0, "interruptions": 0, "queued": now, "changed": now}
    connection.execute(update(jobs).where(which).values(state="waiting", **fresh, **IDLE))
