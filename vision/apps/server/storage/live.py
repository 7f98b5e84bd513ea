"""Live games as they are kept, so that another server goes on with one whose server died.

A game is held under a lease by one server at a time; what it has told is kept before anyone hears
it. Ages and leases are counted by one clock, the database's.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

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
    left_s: float = 0.0  #: of the lease; none left where nobody holds the game
    idle_s: float = 0.0  #: since its last picture
    age_s: float | None = None  #: of the last picture, when its server last told


class LiveRecords(Protocol):
    """The live games of all servers."""

    def begin(self, game: KeptGame, lease_s: float) -> None:
        """Enter a game, held by its owner."""
        ...

    def list(self) -> tuple[KeptGame, ...]:
        """Return all that have not ended, the oldest first."""
        ...

    def find(self, game: str) -> KeptGame | None:
        """Return one that has not ended."""
        ...

    def events(self, game: str, after: int = 0) -> tuple[KeptEvent, ...]:
        """Return what was told after an event, in order."""
        ...

    def tell(
        self, game: str, owner: str, standing: str, told: tuple[KeptEvent, ...], most: int
    ) -> bool:
        """Keep how a game stands and what is told, the newest ``most``; False if it is another's.

        Then nothing is kept.
        """
        ...

    def renew(self, owner: str, lease_s: float, ages: Mapping[str, float | None]) -> set[str]:
        """Hold games longer and note how old their pictures are; return those still held."""
        ...

    def take(self, game: KeptGame, owner: str, lease_s: float) -> bool:
        """Take a game over as it was found; False if someone else was quicker."""
        ...

    def release(self, owner: str, games: Collection[str]) -> None:
        """Let go of games of an owner: whoever wants them goes on."""
        ...

    def end(self, game: str) -> bool:
        """Forget a game; False if there is none."""
        ...

    def pictures(self) -> set[str]:
        """Return the keys of all pictures that events name."""
        ...
