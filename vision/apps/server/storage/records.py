"""Records: what the server knows of scans, corrections, links, evenings; plain values.

Each call that keeps or changes them is whole or has not happened. Times are seconds since 1970.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

__all__ = [
    "Added",
    "AddedPhotos",
    "Evening",
    "Job",
    "JobLimits",
    "Kept",
    "NewScan",
    "Queue",
    "ReadAs",
    "ReadPhoto",
    "Scan",
    "Share",
    "new_id",
]

State: TypeAlias = Literal["waiting", "reading", "done", "failed"]
Added: TypeAlias = Literal["added", "full", "no evening", "key taken"]
#: ``there``: all of them were; ``busy``: the scan waits or is read just now.
AddedPhotos: TypeAlias = Literal["added", "there", "busy", "too many", "full"]


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
