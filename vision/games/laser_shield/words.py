"""The words of the game, and doubts said in them."""

from importlib import resources

from vision.texts import issues_of

__all__ = ["TEXTS", "doubt"]

TEXTS = resources.files(__package__) / "texts"
doubt = issues_of(TEXTS)
