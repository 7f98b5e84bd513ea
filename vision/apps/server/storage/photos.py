"""The further photos of a scan, besides the one that is drawn on: sheets, dice, another side."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

__all__ = ["AddedPhotos", "Photos", "ReadAs", "ReadPhoto"]

#: ``there``: all of them were; ``busy``: the scan waits or is read just now.
AddedPhotos: TypeAlias = Literal["added", "there", "busy", "too many", "full"]


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


class Photos(Protocol):
    """The further photos of scans; who adds or takes one away has the scan read again."""

    def list(self, scan: str) -> tuple[ReadPhoto, ...]:
        """Return those that show something of the table, in order."""
        ...

    def add(self, scan: str, keys: Sequence[str], most: int, most_waiting: int) -> AddedPhotos:
        """Add photos by their keys, so that the scan has ``most`` at most.

        ``full`` if ``most_waiting`` scans wait already.
        """
        ...

    def remove(self, scan: str, view: str) -> bool:
        """Take away the one that has a view; False if there is none, or the scan is being read."""
        ...
