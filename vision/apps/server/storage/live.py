"""Live games as they are kept, so that another server goes on with one whose server died.

A game is held under a lease by one server at a time; what it has told is kept before anyone hears
it. Ages and leases are counted by one clock, the database's.
"""

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, insert, literal, select, update

from vision.apps.server.storage.database import Part
from vision.apps.server.storage.tables import live_events, live_games

__all__ = ["KeptEvent", "KeptGame", "LiveRecords"]


@dataclass(frozen=True, slots=True)
class KeptEvent:
    """An event as it was told: JSON of its words by language, and the key of its picture."""

    number: int
    words: str
    picture: str | None


@dataclass(frozen=True, slots=True)
class KeptGame:
    """A live game that has not ended.

    ``key`` is the hash of what its beginner was given, ``asked`` and ``standing`` JSON: what was
    asked, and how it stands. ``source`` is the operator's camera, empty where pictures are sent.
    """

    id: str
    key: str
    asked: str
    source: str
    created: float
    standing: str
    owner: str = ""
    lease_until: float = 0.0  #: by the clock of the records
    left_s: float = 0.0  #: of the lease; none left where nobody holds the game
    idle_s: float = 0.0  #: since its last picture
    age_s: float | None = None  #: of the last picture, when its server last told


class LiveRecords(Part):
    """The live games of all servers."""

    def begin(self, game: KeptGame, lease_s: float) -> None:
        """Enter a game, held by its owner."""
        names = ("id", "key", "asked", "source", "created", "standing", "owner")
        values = {name: getattr(game, name) for name in names}
        now = self._now()
        times = {"lease_until": now + lease_s, "renewed": now, "pictured": now}
        self._do(insert(live_games).values(**values, **times))

    def list(self) -> tuple[KeptGame, ...]:
        """Return all that have not ended, the oldest first."""
        return self._all(self._query().order_by(live_games.c.created), KeptGame)

    def find(self, game: str) -> KeptGame | None:
        """Return one that has not ended."""
        return self._one(self._query().where(live_games.c.id == game), KeptGame)

    def events(self, game: str, after: int = 0) -> tuple[KeptEvent, ...]:
        """Return what was told after an event, in order."""
        e = live_events.c
        query = select(e.number, e.words, e.picture).where(e.game == game, e.number > after)
        return self._all(query.order_by(e.number), KeptEvent)

    def tell(
        self, game: str, owner: str, standing: str, told: tuple[KeptEvent, ...], most: int
    ) -> bool:
        """Keep how a game stands and what is told, the newest ``most``; False if it is another's.

        Then nothing is kept.
        """
        mine = and_(live_games.c.id == game, live_games.c.owner == owner)
        with self._database.write() as connection:
            changed = connection.execute(update(live_games).where(mine).values(standing=standing))
            if not changed.rowcount:
                return False
            if told:
                rows = [
                    {"game": game, "number": e.number, "words": e.words, "picture": e.picture}
                    for e in told
                ]
                connection.execute(insert(live_events), rows)
                old = live_events.c.number <= told[-1].number - most
                connection.execute(delete(live_events).where(live_events.c.game == game, old))
        return True

    def renew(self, owner: str, lease_s: float, ages: Mapping[str, float | None]) -> set[str]:
        """Hold games longer and note how old their pictures are; return those still held."""
        now, held = self._now(), set()
        with self._database.write() as connection:
            for game, age in ages.items():
                mine = and_(live_games.c.id == game, live_games.c.owner == owner)
                times: dict[str, object] = {"lease_until": now + lease_s, "renewed": now}
                if age is not None:
                    times["pictured"] = now - age
                if connection.execute(update(live_games).where(mine).values(**times)).rowcount:
                    held.add(game)
        return held

    def take(self, game: KeptGame, owner: str, lease_s: float) -> bool:
        """Take a game over as it was found; False if someone else was quicker, or its owner."""
        now, g = self._now(), live_games.c
        found = and_(g.id == game.id, g.owner == game.owner, g.lease_until == game.lease_until)
        times = {"lease_until": now + lease_s, "renewed": now}
        taking = update(live_games).where(found).values(owner=owner, **times)
        return bool(self._do(taking))

    def release(self, owner: str, games: Collection[str]) -> None:
        """Let go of games of an owner: whoever wants them goes on."""
        with self._database.write() as connection:
            mine = update(live_games).where(
                live_games.c.owner == owner, live_games.c.id.in_(tuple(games))
            )
            connection.execute(mine.values(owner="", lease_until=0.0))

    def end(self, game: str) -> bool:
        """Forget a game; False if there is none."""
        with self._database.write() as connection:
            connection.execute(delete(live_events).where(live_events.c.game == game))
            return bool(
                connection.execute(delete(live_games).where(live_games.c.id == game)).rowcount
            )

    def pictures(self) -> set[str]:
        """Return the keys of all pictures that events name."""
        query = select(live_events.c.picture).where(live_events.c.picture.is_not(None))
        return set(self._scalars(query))

    def _query(self) -> Any:
        g, now = live_games.c, self._clock()
        fields = (g.id, g.key, g.asked, g.source, g.created, g.standing, g.owner, g.lease_until)
        ages = (g.lease_until - now, now - g.pictured, g.renewed - g.pictured)
        return select(*fields, *ages)

    def _clock(self) -> ColumnElement[float]:
        """Return the one clock of all servers: the database's, of SQLite the machine's."""
        if self._database.is_sqlite:
            return literal(time.time())
        return func.extract("epoch", func.clock_timestamp()).cast(live_games.c.created.type)

    def _now(self) -> float:
        with self._database.read() as connection:
            return float(connection.scalar(select(self._clock())) or 0.0)
