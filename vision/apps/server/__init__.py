"""The web page and the HTTP API.

``app`` puts the parts together: ``api`` (what can be asked), ``guard`` (who may ask, and how much),
``runner`` (photos read in worker processes), ``jobs`` (the ledger of what is to be read), ``store``
(database), ``blobs`` (files), ``rounds`` (a scan with its corrections), ``view`` (what the page
shows),
``live`` (games followed over the table; ``live_process`` and ``live_worker`` their processes,
``live_api`` what can be asked of them), ``settings`` (every limit by its name), ``serve`` (the
command).
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
