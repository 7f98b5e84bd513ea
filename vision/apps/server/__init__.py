"""The web page and the HTTP API.

``app`` puts the rooms together (``services``): ``routes`` (what can be asked), ``reading`` (photos
in, read by a pool of worker processes), ``rounds`` (a scan with its corrections, as the page shows
it, its pictures, its orders, open or sealed), ``live`` (games followed over the table, each in a
process of its own), ``storage`` (the one room that knows SQL and folders), ``page`` (the files of
the page). Beside them
``guard`` (who may ask, and how much), ``problems`` (errors as replies), ``housekeeping``,
``settings`` (every limit by its name) and ``serve`` (the command).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vision.apps.server.app import create_app
    from vision.apps.server.settings import Settings

__all__ = ["Settings", "create_app"]


def __getattr__(name: str) -> Any:
    """Load the app when it is asked for: the worker processes need neither web nor database."""
    if name == "create_app":
        from vision.apps.server.app import create_app

        return create_app
    if name == "Settings":
        from vision.apps.server.settings import Settings

        return Settings
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
