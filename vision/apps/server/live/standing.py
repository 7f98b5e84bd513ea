"""How a live game stands, as every viewer is told it, whichever server follows the table."""

import hashlib
import hmac
import json
import time
from collections import deque
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from calibration.learned.shelf import split_reference
from vision.apps.server.live.beams import BeamsFor, spectator_key
from vision.apps.server.live.verdicts import LiveOrder
from vision.apps.server.problems import Problem
from vision.apps.server.reading.bell import Bell
from vision.apps.server.storage.live import KeptEvent, KeptGame
from vision.apps.server.times import dated

__all__ = ["Begun", "Shown", "Standing", "State", "Told", "hash_of", "order_of", "told_of"]

Json = dict[str, Any]
#: "left": this server has let go of it, and another goes on.
State = Literal["starting", "ready", "failed", "ended", "left"]
_NOTE_S = 2.0  # between two notes that a viewer waits
#: What is kept of how a game stands, besides its events.
_KEPT = (
    "state",
    "trouble",
    "restarts",
    "rounds",
    "watch",
    "time_s",
    "beams_for",
    "beams",
    *("corrected", "battle_link", "battle"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """An event as it was told, in every language; ``number`` counts in the whole game.

    Its picture is kept under ``key``, or held here where it could not be kept.
    """

    number: int
    words: dict[str, Json]
    picture: bytes | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """A picture for viewers, encoded once for all of them.

    ``number`` grows also when another server goes on with the game; ``at`` is when it was taken
    (monotonic).
    """

    number: int
    content: bytes
    at: float


@dataclass(frozen=True, slots=True)
class Begun:
    """What of a live game never changes; ``key`` is the hash of its beginner's.

    ``of`` is how many pieces a side lays; ``source`` the operator's camera, empty if the game is
    fed by who began it. ``has_beams``: its game can say what each card would hit; ``has_cards``:
    it follows cards one by one, which a finger may correct.
    """

    id: str
    key: str
    order: LiveOrder
    created: float
    of: int
    source: str = ""
    has_beams: bool = False
    has_cards: bool = False


def hash_of(key: str) -> str:
    """Return by what a key is known without being kept."""
    return hashlib.sha256(key.encode()).hexdigest()


def order_of(kept: KeptGame) -> LiveOrder:
    """Return what was asked of a kept game."""
    return LiveOrder(**json.loads(kept.asked))


def told_of(kept: KeptEvent) -> Told:
    """Return a kept event as it was told."""
    return Told(kept.number, json.loads(kept.words), None, kept.picture)


class Standing:
    """One live game; every method is called in the event loop."""

    def __init__(self, begun: Begun, most: int) -> None:
        self.begun, self.id, self.order = begun, begun.id, begun.order
        self.state: State = "starting"
        self.trouble: Json | None = None  # of the source: code and detail
        self.restarts = 0
        self.viewers = 0  # of this server
        self.rounds: list[Json] = []
        self.log: deque[Told] = deque(maxlen=most)
        self.watch: Json | None = None
        self.watch_at = 0.0
        self.beams_for: BeamsFor = "nobody"
        self.beams: list[Json] | None = None  # never part of ``watch``: not everybody may see them
        self.corrected: list[Json] = []  # what fingers said of its cards, as its watch keeps it
        self.battle_link: str | None = None  # to the other table; empty: that has ours; None: none
        self.battle: Json | None = None  # what is shown of it
        self.time_s = 0.0  # of the last picture, in the game's clock
        self.picture: Shown | None = None
        self.version = 0
        self.news = Bell()  # something was told, or the state changed
        self.shows = Bell()  # there is a new picture

    # --- who may -----------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether everyone at the table may stop the round: it is the operator's own camera."""
        return bool(self.begun.source)

    def ask_key(self, given: str | None) -> None:
        """Let only those pass who began the game.

        Raises
        ------
        Problem
            403 for others.
        """
        if self.is_open or hmac.compare_digest(hash_of(given or ""), self.begun.key):
            return
        detail = "only the person who started this live game can control it; you can watch"
        raise Problem(403, "live_not_yours", detail)

    @property
    def spectator_key(self) -> str | None:
        """What opens the beams to a spectator's screen; None where nobody could keep it secret."""
        return None if self.is_open else spectator_key(self.begun.key)

    @property
    def battle_key(self) -> str:
        """What a link to this table shows, by which another one takes part in its battle."""
        return hmac.new(self.begun.key.encode(), b"battle", hashlib.sha256).hexdigest()[:32]

    def may_see_beams(self, shown: str | None) -> bool:
        """Tell whether the beams may be sent to whoever shows this key of spectators, or none."""
        if self.beams_for != "spectators" or shown is None:
            return self.beams_for == "all"
        return hmac.compare_digest(shown.encode(), (self.spectator_key or "").encode())

    def ask_running(self) -> None:
        """Let pass only while the game runs.

        Raises
        ------
        Problem
            409 if it has ended.
        """
        if self.state in ("ended", "failed"):
            raise Problem(409, "live_ended", "this live game has ended; start a new one")

    # --- what is kept ------------------------------------------------------------------------

    def kept(self, watch: Json | None) -> str:
        """Return how the game stands with a state of its watch, to be kept (JSON)."""
        return json.dumps({**{name: getattr(self, name) for name in _KEPT}, "watch": watch})

    def recall(self, standing: str, told: Iterable[Told]) -> None:
        """Stand as was kept, with what was told since."""
        for name, value in json.loads(standing).items():
            setattr(self, name, value)
        self.watch_at = time.monotonic()
        self.log.extend(told)

    def asked(self) -> str:
        """Return what was asked (JSON)."""
        return json.dumps(asdict(self.order))

    # --- what goes out -----------------------------------------------------------------------

    def change(self) -> None:
        """Wake who follows the game."""
        self.version += 1
        self.news.ring()

    def view(self, language: str, spectator: str | None = None) -> Json:
        """Return how the game stands (plain JSON), with beams only for those who may see them.

        ``spectator`` is the key that a spectator's screen shows.
        """
        watch = None
        if self.watch is not None:
            words = {told.number: told.words[language] for told in self.log}
            watch = {
                **self.watch,
                "notices": [words[n] for n in self.watch["notices"] if n in words],
                "age_s": self.age_s(),
            }
            if self.beams is not None and self.may_see_beams(spectator):
                watch["beams"] = self.beams
        return {
            "schema": "sightline/live@1",
            "id": self.id,
            "name": self.order.name,
            **dated(created=self.begun.created),
            "source": "server" if self.begun.source else "browser",
            "is_open": self.is_open,
            "state": "starting" if self.state == "left" else self.state,
            "trouble": self.trouble,
            "restarts": self.restarts,
            "viewers": self.viewers,
            "ships": self.begun.of,
            "deck": split_reference(self.order.deck)[0],
            "rules": self.order.rules,
            "has_beams": self.begun.has_beams,
            "has_cards": self.begun.has_cards,
            "beams_for": self.beams_for,
            "battle": self.battle_now(),
            "last_event": self.last,
            "rounds": list(self.rounds),
            "watch": watch,
        }

    def battle_now(self) -> Json | None:
        """Return what is shown of the other table of a battle."""
        return self.battle

    @property
    def last(self) -> int:
        """The number of the newest event; 0 before the first."""
        return self.log[-1].number if self.log else 0

    def age_s(self) -> float | None:
        """Return how old the newest picture is that was looked at."""
        age = self.watch["age_s"] if self.watch is not None else None
        return None if age is None else round(age + time.monotonic() - self.watch_at, 3)

    def events_after(self, number: int) -> list[Told]:
        """Return what was told after an event."""
        return [told for told in self.log if told.number > number]

    def event(self, number: int) -> Told | None:
        """Return an event that is still kept."""
        return next((told for told in self.log if told.number == number), None)

    async def newest_picture(self, after: int, seconds: float) -> Shown | None:
        """Return the newest picture once it is newer than one, or None after some time."""
        end = time.monotonic() + seconds
        while True:
            self.note_viewer()
            if self.picture is not None and self.picture.number > after:
                return self.picture
            left = end - time.monotonic()
            if left <= 0 or not self.has_pictures:
                return None
            await self.shows.wait(min(left, _NOTE_S))

    @property
    def has_pictures(self) -> bool:
        """Whether another picture may come."""
        return self.state not in ("ended", "failed", "left")

    def note_viewer(self) -> None:
        """Note that someone looks and waits."""
