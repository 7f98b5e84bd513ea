"""Records in a database: SQLite in the data folder, or PostgreSQL shared by several servers."""

import secrets
from pathlib import Path

from sqlalchemy import insert, select

from vision.apps.server.storage.careers import Careers
from vision.apps.server.storage.database import Database
from vision.apps.server.storage.live import LiveRecords
from vision.apps.server.storage.sittings import Sittings
from vision.apps.server.storage.sql_notes import Edits, Evenings, Shares
from vision.apps.server.storage.sql_scans import Jobs, Photos, Scans
from vision.apps.server.storage.tables import meta

__all__ = ["Records"]


class Records:
    """All records in one database.

    Parameters
    ----------
    folder : Path
        Where SQLite has its file.
    database_url : str
        Of PostgreSQL (``postgresql+psycopg://…``); empty for SQLite.

    Raises
    ------
    ValueError
        If the data was written by another version.
    """

    def __init__(self, folder: Path, database_url: str = "") -> None:
        self.database = Database(folder, database_url)
        self.scans = Scans(self.database)
        self.photos = Photos(self.database)
        self.jobs = Jobs(self.database)
        self.edits = Edits(self.database)
        self.shares = Shares(self.database)
        self.evenings = Evenings(self.database)
        self.sittings = Sittings(self.database)
        self.careers = Careers(self.database)
        self.live = LiveRecords(self.database)

    def secret(self, key: str) -> str:
        """Return a random value that stays the same from start to start."""
        with self.database.write() as connection:
            found = connection.scalar(select(meta.c.value).where(meta.c.key == key))
            if not found:
                found = secrets.token_urlsafe(18)
                connection.execute(insert(meta).values(key=key, value=found))
        return str(found)

    def check(self) -> None:
        """Prove that the records answer; raises whatever they raise if not."""
        with self.database.read() as connection:
            connection.execute(select(meta.c.value))

    def close(self) -> None:
        """Let go of all connections."""
        self.database.close()
