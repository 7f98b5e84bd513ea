"""Short words between the servers of one database: ``LISTEN`` and ``NOTIFY`` of PostgreSQL."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from sqlalchemy import make_url

if TYPE_CHECKING:
    from psycopg import AsyncConnection

__all__ = ["Notices", "open_notices"]

_CHANNEL = "sightline"


class Notices:
    """One connection, for saying or hearing; ``ConnectionError`` where it is gone."""

    def __init__(self, connection: "AsyncConnection") -> None:
        self._connection = connection

    async def say(self, word: str) -> None:
        """Tell all who hear, this server too."""
        await self._connection.execute("SELECT pg_notify(%s, %s)", (_CHANNEL, word))

    async def hear(self) -> AsyncIterator[str]:
        """Yield what is said from now on."""
        await self._connection.execute(f"LISTEN {_CHANNEL}")
        async for notice in self._connection.notifies():
            yield notice.payload


@asynccontextmanager
async def open_notices(database_url: str) -> AsyncIterator[Notices]:
    """Connect to the database for notices alone.

    Raises
    ------
    ConnectionError
        If it is not there, or goes.
    """
    from psycopg import AsyncConnection, OperationalError

    url = make_url(database_url).set(drivername="postgresql")
    place = url.render_as_string(hide_password=False)
    try:
        async with await AsyncConnection.connect(place, autocommit=True) as connection:
            yield Notices(connection)
    except OperationalError as error:
        raise ConnectionError(str(error)) from error
