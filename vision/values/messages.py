"""What is said to a person: sentences of the catalogue, doubts and notes."""

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Issue", "Message", "Place", "message"]


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence of the catalogue of texts: its key, and what fills its gaps."""

    key: str
    values: tuple[tuple[str, Any], ...] = ()


Outline = tuple[tuple[float, float], ...]  #: corners in a photo, px


@dataclass(frozen=True, slots=True)
class Place:
    """Where a piece lies in one of a table's photos, and where another photo has it.

    ``photo`` is its number from 0, the one that is drawn on; ``size_wh`` its width and height in
    px. ``own_px`` is the piece's outline there, ``other_px`` where it would lie as in the other
    photo. One of them may be empty.
    """

    photo: int
    size_wh: tuple[int, int]
    own_px: Outline = ()
    other_px: Outline = ()


@dataclass(frozen=True, slots=True)
class Issue:
    """Something to be shown: a stable code, the cards concerned, a sentence for a person.

    A ``doubt`` could change the score, a ``note`` could not. ``said`` is the sentence in a form
    that other languages can be made of; without it there is only ``message``, in English.
    ``at_px`` is the place that it speaks of in the photo, where it names one; ``places`` are those
    in several photos, of a piece that lies elsewhere in one of them. ``ids`` tell which of the
    pieces of a scan ``cards`` are, where several copies have one name.
    """

    code: str
    message: str
    cards: tuple[str, ...] = ()
    severity: Literal["note", "doubt"] = "doubt"
    said: Message | None = field(default=None, compare=False)
    at_px: tuple[float, float] | None = field(default=None, compare=False)
    places: tuple[Place, ...] = field(default=(), compare=False)
    ids: tuple[str, ...] = field(default=(), compare=False)


def message(key: str, /, **values: Any) -> Message:
    """Make a message: a key of the catalogue, and what fills its gaps."""
    return Message(key, tuple(values.items()))
