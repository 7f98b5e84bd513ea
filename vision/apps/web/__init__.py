"""The web page and the HTTP API.

``app`` puts the parts together: ``api`` (what can be asked), ``guard`` (who may ask, and how much),
``runner`` (photos read in worker processes), ``jobs`` (the ledger of what is to be read), ``store``
(database and files), ``rounds`` (a scan with its corrections), ``view`` (what the page is shown),
``settings`` (every limit by its name), ``serve`` (the command).
"""

from vision.apps.web.app import create_app
from vision.apps.web.settings import Settings

__all__ = ["Settings", "create_app"]
