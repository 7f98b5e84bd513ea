"""Faces -> how their cards are looked for; nobody else asks how a deck was made."""

from dataclasses import dataclass
from functools import lru_cache

from vision.values.pieces import Faces

__all__ = ["Sight", "sight_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """How the cards of a deck are looked for: cheap to make again from its faces.

    ``is_bordered`` tells of faces whose white border and printed frame are known to a fraction of
    a pixel; of others only their picture is.
    """

    faces: Faces
    is_bordered: bool


@lru_cache(maxsize=4)
def sight_of(faces: Faces) -> Sight:
    """Choose how cards are looked for; the last decks are remembered."""
    return Sight(faces, is_bordered=bool(faces.frames))
