"""What is said to a person: sentences of the catalogue, doubts and notes."""

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Issue", "Message", "message"]


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence of the catalogue of texts: its key, and what fills its gaps."""

    key: str
    values: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Issue:
    """Something to be shown: a stable code, the cards concerned, a sentence for a person.

    A ``doubt`` could change the score, a ``note`` could not. ``said`` is the sentence in a form
    that other languages can be made of; without it there is only ``message``, in English.
    ``at_px`` is the place that it speaks of in the photo, where it names one.
    """

    code: str
    message: str
    cards: tuple[str, ...] = ()
    severity: Literal["note", "doubt"] = "doubt"
    said: Message | None = field(default=None, compare=False)
    at_px: tuple[float, float] | None = field(default=None, compare=False)


def message(key: str, /, **values: Any) -> Message:
    """Make a message: a key of the catalogue, and what fills its gaps."""
    return Message(key, tuple(values.items()))
