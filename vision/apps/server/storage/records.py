"""Records: what the server knows of scans, corrections, links, evenings; plain values.

One protocol, its parts by what is asked; a member keeps all of them in one place, and each call is
whole or has not happened. Times are seconds since 1970.
"""

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from vision.apps.server.storage.careers import Careers
from vision.apps.server.storage.live import LiveRecords
from vision.apps.server.storage.photos import Photos, ReadAs, ReadPhoto
from vision.apps.server.storage.sittings import Sittings

__all__ = [
    "Added",
    "Edits",
    "Evening",
    "Evenings",
    "Job",
    "JobLimits",
    "Jobs",
    "Kept",
    "NewScan",
    "Queue",
    "Records",
    "Scan",
    "Scans",
    "Share",
    "Shares",
    "State",
    "new_id",
]

State: TypeAlias = Literal["waiting", "reading", "done", "failed"]
Added: TypeAlias = Literal["added", "full", "no evening", "key taken"]


def new_id() -> str:
    """Return a random id of 80 bits; nobody guesses a scan of someone else."""
    return secrets.token_hex(10)


@dataclass(frozen=True, slots=True)
class NewScan:
    """A photo that came in; ``photo`` is the key of its object, ``rules`` JSON.

    ``deck`` is what the pieces are called together; where ``game`` is None it is to be found out,
    the deck being the likeliest. ``more`` are the keys of further photos of the same table.
    """

    id: str
    photo: str
    deck: str
    rules: str
    created: float
    name: str = ""
    evening: str | None = None
    key: str | None = None
    game: str | None = None
    more: tuple[str, ...] = ()
    request: str = ""  #: that brought it, for the logs


@dataclass(frozen=True, slots=True)
class Kept:
    """What a reading left: JSON, keys of view and joint covariance, and what it found out."""

    document: str
    view: str
    joint: str
    read_as: ReadAs | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """A scan and how far it has come; ``view`` is None until it is read."""

    id: str
    name: str
    evening: str | None
    created: float
    photo: str
    view: str | None
    deck: str
    game: str | None
    state: State
    stage: str
    attempts: int
    queued: float
    error_code: str
    error: str
    counted: bool = False  #: although its photo came before in the same evening
    readings: int = 0  #: how often its photos were read: once more with each that is added


@dataclass(frozen=True, slots=True)
class Job:
    """The photos of a scan, taken for reading."""

    scan: str
    photos: tuple[str, ...]
    deck: str
    rules: str
    attempt: int
    game: str | None = None
    request: str = ""


@dataclass(frozen=True, slots=True)
class Queue:
    """How many photos wait and are read; ``oldest`` is when the first that waits came."""

    waiting: int
    reading: int
    oldest: float | None


@dataclass(frozen=True, slots=True)
class JobLimits:
    """How long a lease holds, and after how much a photo is given up."""

    lease_s: float
    attempts: int
    interruptions: int


@dataclass(frozen=True, slots=True)
class Share:
    """A link to a scan."""

    token: str
    scan: str
    created: float
    expires: float
    revoked: bool = False


@dataclass(frozen=True, slots=True)
class Evening:
    """Rounds that belong together; ``teams`` are the players' names of the sides.

    ``deck``, ``game`` (empty where nothing was said) and ``rules`` are what is played unless a
    photo or a live game says otherwise; ``rules`` in the form of a table file.
    """

    id: str
    name: str
    teams: Mapping[str, str]
    created: float
    deck: str = ""
    game: str = ""
    rules: Mapping[str, Any] = field(default_factory=dict)


class Scans(Protocol):
    """The scans, and what was read of them."""

    def add(self, new: NewScan, most: int) -> Added:
        """Enter a photo to be read, unless ``most`` wait already."""
        ...

    def add_read(
        self,
        new: NewScan,
        kept: Kept,
        replaces: str | None = None,
        changes: tuple[str, ...] = (),
    ) -> None:
        """Enter a scan that is read; one that it replaces goes, unless someone corrected it.

        An evening that is gone meanwhile is left out.
        """
        ...

    def find(self, scan: str) -> Scan | None:
        """Return a scan that is not deleted."""
        ...

    def find_key(self, key: str) -> tuple[str, frozenset[str], bool] | None:
        """Return id, photos and whether it is deleted, of the scan that came with a key."""
        ...

    def list(
        self, limit: int, *, evening: str | None = None, before: float | None = None
    ) -> tuple[Scan, ...]:
        """Return the newest scans, the newest first."""
        ...

    def ahead(self, scan: Scan) -> int:
        """Return how many are read before a scan that waits."""
        ...

    def read(self, scan: str) -> Kept | None:
        """Return what was read of a scan, deleted or not."""
        ...

    def rename(self, scan: str, name: str) -> None:
        """Give a scan a name."""
        ...

    def count(self, scan: str, *, is_counted: bool) -> None:
        """Say whether a scan counts whose photo came before in the same evening."""
        ...

    def move(self, scan: str, evening: str | None) -> bool:
        """Put a scan into an evening, or out of any; False if there is no such evening."""
        ...

    def delete(self, scan: str, now: float) -> None:
        """Delete a scan for the time being; its links end."""
        ...

    def restore(self, scan: str) -> None:
        """Bring a deleted scan back."""
        ...

    def purge(self, before: float) -> int:
        """Forget for good what was deleted before a time and is not being read; return how many."""
        ...

    def drop_originals(self, before: float) -> None:
        """Have the view stand for the photo of scans created before a time."""
        ...

    def objects(self) -> Collection[str]:
        """Return the keys of all objects that scans name."""
        ...

    def decks(self) -> set[str]:
        """Return by what all scans name their decks."""
        ...


class Jobs(Protocol):
    """The photos to be read: leases, attempts, and what came of them; for several servers."""

    def waiting(self) -> int:
        """Return how many wait or are being read."""
        ...

    def queue(self) -> Queue:
        """Return how the queue stands."""
        ...

    def held(self) -> Mapping[str, str]:
        """Return who holds each scan that is being read."""
        ...

    def take(self, owner: str, limits: JobLimits, now: float) -> Job | None:
        """Take the next photo; those that have had their tries are closed on the way."""
        ...

    def renew(self, scan: str, owner: str, until: float, stage: str | None = None) -> None:
        """Hold a photo longer, if it is still the owner's; note its stage, if one is given."""
        ...

    def finish(self, scan: str, kept: Kept, photos: Sequence[ReadPhoto] = ()) -> None:
        """Keep what was read; result and state change together.

        ``photos`` are those that were read, the one that is drawn on first; none: only that one.
        """
        ...

    def fail(self, scan: str, code: str, reason: str) -> None:
        """Close what cannot be read, for good.

        A round that was read before stays as it was, without the photos that came last.
        """
        ...

    def stumble(self, scan: str, code: str, reason: str, attempts: int) -> bool:
        """Note that a reader came down; return whether the photo is tried again."""
        ...

    def give_back(self, scan: str) -> None:
        """Put a photo back whose server stopped under it: not the photo's fault, at first."""
        ...

    def retry(self, scan: str, read_as: ReadAs | None = None) -> None:
        """Start a failed photo anew, as what lies there, if that is said."""
        ...


class Edits(Protocol):
    """The log of corrections of each scan; it only grows."""

    def revision(self, scan: str) -> int:
        """Return how many entries the log has."""
        ...

    def log(self, scan: str, upto: int | None = None) -> tuple[tuple[str, str], ...]:
        """Return the entries in order: kind and body (JSON)."""
        ...

    def add(self, scan: str, revision: int, kind: str, body: str) -> bool:
        """Add an entry after a revision; False if that is no longer the newest."""
        ...


class Shares(Protocol):
    """The links to scans."""

    def add(self, share: Share, most: int) -> bool:
        """Add a link, unless its scan has so many."""
        ...

    def find(self, token: str) -> Share | None:
        """Return a link, also one that has ended."""
        ...

    def list(self, scan: str, now: float) -> tuple[Share, ...]:
        """Return the links to a scan that hold, the oldest first."""
        ...

    def end(self, token: str) -> bool:
        """End a link; False if there is none."""
        ...


class Evenings(Protocol):
    """The evenings."""

    def add(self, evening: Evening) -> None:
        """Begin one."""
        ...

    def find(self, evening: str) -> Evening | None:
        """Return one."""
        ...

    def list(self, limit: int, *, before: float | None = None) -> tuple[Evening, ...]:
        """Return the newest, the newest first."""
        ...

    def change(self, evening: Evening) -> None:
        """Keep it as it is now."""
        ...

    def delete(self, evening: str) -> None:
        """Delete one; its scans stay, without an evening."""
        ...


class Records(Protocol):
    """All that the server knows, besides the files."""

    @property
    def scans(self) -> Scans:
        """The scans."""
        ...

    @property
    def photos(self) -> Photos:
        """The further photos of scans."""
        ...

    @property
    def jobs(self) -> Jobs:
        """What is to be read."""
        ...

    @property
    def edits(self) -> Edits:
        """The corrections."""
        ...

    @property
    def shares(self) -> Shares:
        """The links."""
        ...

    @property
    def evenings(self) -> Evenings:
        """The evenings."""
        ...

    @property
    def sittings(self) -> Sittings:
        """Who orders in secret."""
        ...

    @property
    def live(self) -> LiveRecords:
        """The live games."""
        ...

    @property
    def careers(self) -> Careers:
        """What rounds leave to their players."""
        ...

    def secret(self, key: str) -> str:
        """Return a random value that stays the same from start to start."""
        ...

    def check(self) -> None:
        """Prove that the records answer; raises whatever they raise if not."""
        ...

    def close(self) -> None:
        """Let go of all connections."""
        ...
