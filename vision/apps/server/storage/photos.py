"""The further photos of a scan, besides the one that is drawn on: sheets, dice, another side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from vision.apps.server.storage.database import Database
from vision.apps.server.storage.sql_queue import UNDER_WAY, count_waiting, queue_again
from vision.apps.server.storage.tables import jobs, photos, scans

__all__ = [
    "AddedPhotos",
    "Photos",
    "ReadAs",
    "ReadPhoto",
    "drop_unread",
    "enter_photos",
    "set_photos",
    "to_read",
]

#: ``there``: all of them were; ``busy``: the scan waits or is read just now.
AddedPhotos: TypeAlias = Literal["added", "there", "busy", "too many", "full"]


@dataclass(frozen=True, slots=True)
class ReadPhoto:
    """A photo that was read: the keys of its file and of its upright picture.

    ``view`` is empty where nothing of the table was found on it.
    """

    photo: str
    view: str


@dataclass(frozen=True, slots=True)
class ReadAs:
    """What a photo is to be read as: deck, game (None: found out) and rules (JSON)."""

    deck: str
    game: str | None
    rules: str


class Photos:
    """The further photos of scans; who adds or takes one away has the scan read again."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def list(self, scan: str) -> tuple[ReadPhoto, ...]:
        """Return those that show something of the table, in order."""
        query = select(photos.c.photo, photos.c.view).where(photos.c.scan == scan)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(photos.c.place)).all()
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
