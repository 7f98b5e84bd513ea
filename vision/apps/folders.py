"""Where the user's own things are kept: rounds and learned decks."""

import os
from collections.abc import Mapping
from pathlib import Path

__all__ = ["cache_folder", "data_folder", "deck_folder"]


def data_folder() -> Path:
    """Return the user's own data folder for this program."""
    from platformdirs import user_data_path

    return user_data_path("sightline", appauthor=False)


def cache_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return where is kept what can be made anew: the user's cache, or in ``SIGHTLINE_FOLDER``."""
    from platformdirs import user_cache_path

    given = (os.environ if environment is None else environment).get("SIGHTLINE_FOLDER")
    return Path(given) / "cache" if given else user_cache_path("sightline", appauthor=False)


def deck_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return where learned decks are: ``SIGHTLINE_DECKS``, else ``decks`` in the data folder.

    ``SIGHTLINE_FOLDER`` names another data folder.
    """
    environment = os.environ if environment is None else environment
    given, folder = environment.get("SIGHTLINE_DECKS"), environment.get("SIGHTLINE_FOLDER")
    return Path(given) if given else (Path(folder) if folder else data_folder()) / "decks"
