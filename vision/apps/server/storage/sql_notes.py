"""Corrections, links and evenings in the database."""

import json
import time
from dataclasses import asdict, fields, replace
from typing import Any

from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from vision.apps.server.storage.database import Part
from vision.apps.server.storage.records import Evening, Share
from vision.apps.server.storage.tables import career_seats, edits, evenings, scans, shares

__all__ = ["Edits", "Evenings", "Shares", "newest_edit"]


class Edits(Part):
    """The log of corrections of each scan; it only grows."""

    def revision(self, scan: str) -> int:
        """Return how many entries the log has."""
        with self._database.read() as connection:
            return newest_edit(connection, scan)

    def log(self, scan: str, upto: int | None = None) -> tuple[tuple[str, str], ...]:
        """Return the entries in order: kind and body (JSON)."""
        query = select(edits.c.kind, edits.c.body).where(edits.c.scan == scan)
        if upto is not None:
            query = query.where(edits.c.seq <= upto)
        rows = self._rows(query.order_by(edits.c.seq))
        return tuple((row.kind, row.body) for row in rows)

    def add(self, scan: str, revision: int, kind: str, body: str) -> bool:
        """Add an entry after a revision; False if that is no longer the newest."""
        entry = {"scan": scan, "seq": revision + 1, "kind": kind, "body": body}
        try:
            with self._database.write() as connection:
                if newest_edit(connection, scan) != revision:
                    return False
                connection.execute(insert(edits).values(created=time.time(), **entry))
        except IntegrityError:  # two at once
            return False
        return True


def newest_edit(connection: Connection, scan: str) -> int:
    """Return how many entries the log of a scan has."""
    query = select(func.max(edits.c.seq)).where(edits.c.scan == scan)
    return int(connection.scalar(query) or 0)


class Shares(Part):
    """The links to scans."""

    def add(self, share: Share, most: int) -> bool:
        """Add a link, unless its scan has so many."""
        with self._database.write() as connection:
            mine = shares.c.scan == share.scan
            count = connection.scalar(select(func.count()).where(mine, ~shares.c.revoked))
            if int(count or 0) >= most:
                return False
            connection.execute(insert(shares).values(**asdict(share)))
        return True

    def find(self, token: str) -> Share | None:
        """Return a link, also one that has ended."""
        return self._one(select(shares).where(shares.c.token == token), Share)

    def list(self, scan: str, now: float) -> tuple[Share, ...]:
        """Return the links to a scan that hold, the oldest first."""
        query = select(shares).where(
            shares.c.scan == scan, ~shares.c.revoked, shares.c.expires > now
        )
        return self._all(query.order_by(shares.c.created), Share)

    def end(self, token: str) -> bool:
        """End a link; False if there is none."""
        ending = update(shares).where(shares.c.token == token).values(revoked=True)
        return bool(self._do(ending))


class Evenings(Part):
    """The evenings."""

    def add(self, evening: Evening) -> None:
        """Begin one."""
        self._do(insert(evenings).values(**_values(evening)))

    def find(self, evening: str) -> Evening | None:
        """Return one."""
        return self._one(select(evenings).where(evenings.c.id == evening), _evening)

    def list(self, limit: int, *, before: float | None = None) -> tuple[Evening, ...]:
        """Return the newest, the newest first."""
        query = select(evenings).order_by(evenings.c.created.desc()).limit(limit)
        if before is not None:
            query = query.where(evenings.c.created < before)
        return self._all(query, _evening)

    def change(self, evening: Evening) -> None:
        """Keep it as it is now."""
        mine = update(evenings).where(evenings.c.id == evening.id)
        self._do(mine.values(**_values(evening)))

    def delete(self, evening: str) -> None:
        """Delete one; its scans stay, without an evening."""
        with self._database.write() as connection:
            here = career_seats.c.evening == evening
            connection.execute(delete(career_seats).where(here))
            mine = update(scans).where(scans.c.evening == evening)
            connection.execute(mine.values(evening=None))
            connection.execute(delete(evenings).where(evenings.c.id == evening))


def _values(evening: Evening) -> dict[str, Any]:
    as_text = {name: json.dumps(dict(getattr(evening, name))) for name in ("teams", "rules")}
    return {field.name: getattr(evening, field.name) for field in fields(Evening)} | as_text


def _evening(*row: Any) -> Evening:
    kept = Evening(*row)
    return replace(kept, teams=json.loads(row[2]), rules=json.loads(row[6]))
