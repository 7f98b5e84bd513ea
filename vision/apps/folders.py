"""Where the user's own things are kept: rounds and learned decks."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

__all__ = ["cache_folder", "data_folder", "deck_folder"]


def data_folder() -> Path:
    """Return the user's own data folder for this program."""
    places = {
        "win32": ("LOCALAPPDATA", "AppData/Local"),
        "darwin": ("", "Library/Application Support"),
    }
    return _own_place(*places.get(sys.platform, ("XDG_DATA_HOME", ".local/share"))) / "sightline"


def cache_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return where is kept what can be made anew: the user's cache, or in ``SIGHTLINE_FOLDER``."""
    given = (os.environ if environment is None else environment).get("SIGHTLINE_FOLDER")
    if given:
        return Path(given) / "cache"
    if sys.platform == "win32":
        return data_folder() / "Cache"
    places = {"darwin": ("", "Library/Caches")}
    return _own_place(*places.get(sys.platform, ("XDG_CACHE_HOME", ".cache"))) / "sightline"


def deck_folder() -> Path:
    """Return where learned decks are: ``SIGHTLINE_DECKS``, else ``decks`` in the data folder.

    ``SIGHTLINE_FOLDER`` names another data folder.
    """
    given, folder = os.environ.get("SIGHTLINE_DECKS"), os.environ.get("SIGHTLINE_FOLDER")
    return Path(given) if given else (Path(folder) if folder else data_folder()) / "decks"


def _own_place(variable: str, within_home: str) -> Path:
    """Return the folder that a variable of the environment names, else one in the user's home.

    References
    ----------
    .. [1] XDG Base Directory Specification: a path that is not absolute is ignored.
    """
    named = os.environ.get(variable, "").strip()
    return Path(named) if Path(named).is_absolute() else Path.home() / within_home
