"""The words of Light Speed, beside those that all games share."""

from importlib import resources
from importlib.resources.abc import Traversable

from vision.texts import Texts, texts

__all__ = ["FOLDER", "words"]

FOLDER: Traversable = resources.files(__package__) / "texts"


def words(language: str = "en") -> Texts:
    """Return the catalogue in a language."""
    return texts(language, FOLDER)
