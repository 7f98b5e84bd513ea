"""Records in a database: SQLite in the data folder, or PostgreSQL shared by several servers."""

import secrets
from pathlib import Path

from sqlalchemy import insert, select

from vision.apps.server.storage.database import Database
from vision.apps.server.storage.sql_careers import SqlCareers
from vision.apps.server.storage.sql_jobs import SqlJobs
from vision.apps.server.storage.sql_live import SqlLive
from vision.apps.server.storage.sql_notes import SqlEdits, SqlEvenings, SqlShares
from vision.apps.server.storage.sql_photos import SqlPhotos
from vision.apps.server.storage.sql_scans import SqlScans
from vision.apps.server.storage.sql_sittings import SqlSittings
from vision.apps.server.storage.tables import meta

__all__ = ["SqlRecords"]


class SqlRecords:
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
        self.scans = SqlScans(self.database)
        self.photos = SqlPhotos(self.database)
        self.jobs = SqlJobs(self.database)
        self.edits = SqlEdits(self.database)
        self.shares = SqlShares(self.database)
        self.evenings = SqlEvenings(self.database)
        self.sittings = SqlSittings(self.database)
        self.careers = SqlCareers(self.database)
        self.live = SqlLive(self.database)

    def secret(self, key: str) -> str:
        """Return a random value that stays the same from start to start."""
        with self.database.write() as connection:
            found = connection.scalar(select(meta.c.value).where(meta.c.key == key))
            if not found:
                found = secrets.token_urlsafe(18)
                connection.execute(insert(meta).values(key=key, value=found))
        return str(found)

    def check(self) -> None:
        """Prove that the database answers."""
        with self.database.read() as connection:
            connection.execute(select(meta.c.value))

    def close(self) -> None:
        """Let go of all connections."""
        self.database.close()
