"""What the watch tells: events, each once, and a snapshot of the state at any time.

Both are frozen values and go to JSON (millimetres, degrees, seconds). ``time_s`` is always the
time of a picture as its source counts it: since the start for a camera, the film's own time for a
video.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from vision.texts import Texts
from vision.values.arrays import Points, frozen_array
from vision.values.messages import Message

__all__ = [
    "Event",
    "LaidCard",
    "Phase",
    "PictureState",
    "Severity",
    "Snapshot",
    "StopBy",
    "event_to_json",
    "snapshot_to_json",
]

Json: TypeAlias = dict[str, Any]
Detail: TypeAlias = str | float | int | bool | None
Phase: TypeAlias = Literal["waiting", "playing", "stopped", "verdict"]
PictureState: TypeAlias = Literal["none", "live", "stalled", "black"]
Severity: TypeAlias = Literal["news", "warning", "doubt"]
StopBy: TypeAlias = Literal["key", "count", "silence", "end", "other"]


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """Something that happened, told once.

    ``number`` counts from 1 and never repeats; ``round`` is the round it belongs to. ``code`` is
    stable and machine-readable, ``said`` the sentence for a person in any language. A ``warning``
    is what the rules forbid, to be looked at by the players; a ``doubt`` is what the watch is not
    sure of. ``box_px`` (x, y, width, height) says where in the picture to look; ``picture`` is a
    JPEG of that place, where there is something to show.
    """

    number: int
    round: int
    code: str
    time_s: float
    said: Message
    severity: Severity = "news"
    cards: tuple[str, ...] = ()
    team: str | None = None
    details: Mapping[str, Detail] = field(default_factory=dict)
    box_px: tuple[int, int, int, int] | None = None
    picture: bytes | None = None


@dataclass(frozen=True, slots=True, eq=False)
class LaidCard:
    """A card that lies on the table.

    ``order`` counts the cards of the round from 1; ``time_s`` is when it was seen to lie still.
    ``team`` is None for asteroids, face-down and unreadable cards. The pose is in the watch's own
    table frame (mm, rad), ``corners_px`` (4, 2) in the picture: TL, TR, BR, BL of the card
    itself. ``score`` is how well its face agrees (-1..1). ``by_hand``: a finger said what it is.
    """

    card: str
    order: int
    time_s: float
    team: str | None
    x_mm: float
    y_mm: float
    theta_rad: float
    corners_px: Points
    score: float
    by_hand: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners_px", frozen_array(self.corners_px, (4, 2), "corners_px"))


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """All that a screen needs to show the present state.

    ``age_s`` is how old the newest picture is (None before the first). ``counts`` holds the ships
    laid by each team of the deck. ``notices`` are the warnings and doubts of this round, in the
    order in which they were told. ``stopped_by`` is ``key``, ``count``, ``silence``,
    ``end`` or ``other`` (table of a battle).
    """

    round: int
    phase: Phase
    picture: PictureState
    time_s: float
    age_s: float | None
    size_wh: tuple[int, int] | None
    cards: tuple[LaidCard, ...]
    counts: Mapping[str, int]
    notices: tuple[Event, ...]
    stopped_by: str | None
    has_verdict: bool
    last_event: int
    pictures: int


def event_to_json(event: Event, texts: Texts) -> Json:
    """Return an event as ``sightline/watch-event@1``, its sentence in the words of its game.

    The picture itself is not part of it; ``has_picture`` says whether there is one.
    """
    box = event.box_px
    return {
        "schema": "sightline/watch-event@1",
        "number": event.number,
        "round": event.round,
        "code": event.code,
        "severity": event.severity,
        "time_s": round(event.time_s, 3),
        "cards": list(event.cards),
        "team": event.team,
        "message": texts.tell(event.said),
        "details": dict(event.details),
        "box_px": None if box is None else list(box),
        "has_picture": event.picture is not None,
    }


def snapshot_to_json(snapshot: Snapshot, texts: Texts) -> Json:
    """Return a snapshot as ``sightline/watch-state@1``, in the words of its game."""
    s = snapshot
    return {
        "schema": "sightline/watch-state@1",
        "round": s.round,
        "phase": s.phase,
        "picture": s.picture,
        "time_s": round(s.time_s, 3),
        "age_s": None if s.age_s is None else round(s.age_s, 3),
        "size_px": None if s.size_wh is None else list(s.size_wh),
        "cards": [_card_to_json(card) for card in s.cards],
        "counts": dict(s.counts),
        "notices": [event_to_json(event, texts) for event in s.notices],
        "stopped_by": s.stopped_by,
        "has_verdict": s.has_verdict,
        "last_event": s.last_event,
        "pictures": s.pictures,
    }


def _card_to_json(card: LaidCard) -> Json:
    return {
        "card": card.card,
        "order": card.order,
        "time_s": round(card.time_s, 3),
        "team": card.team,
        "x_mm": round(card.x_mm, 3),
        "y_mm": round(card.y_mm, 3),
        "theta_deg": round(math.degrees(card.theta_rad), 3),
        "corners_px": [[round(float(v), 2) for v in corner] for corner in card.corners_px],
        "score": round(card.score, 3),
        "by_hand": card.by_hand,
    }
