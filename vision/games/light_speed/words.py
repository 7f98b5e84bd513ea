"""The words of Light Speed, beside those that all games share."""

from importlib import resources
from importlib.resources.abc import Traversable

from vision.texts import Texts, issues_of, texts

__all__ = ["FOLDER", "doubt", "words"]

FOLDER: Traversable = resources.files(__package__) / "texts"
doubt = issues_of(FOLDER)


def words(language: str = "en") -> Texts:
    """Return the catalogue in a language."""
    return texts(language, FOLDER)
