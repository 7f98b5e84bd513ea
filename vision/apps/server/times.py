"""Times in replies: seconds since 1970, and beside them as ISO 8601."""

from datetime import UTC, datetime
from typing import Any

__all__ = ["dated"]


def dated(**times: float) -> dict[str, Any]:
    """Return times by their names, each as ``NAME_at`` in words of ISO 8601, UTC, too.

    >>> dated(created=1.5)
    {'created': 1.5, 'created_at': '1970-01-01T00:00:01.500000Z'}
    """
    told: dict[str, Any] = {}
    for name, seconds in times.items():
        moment = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="microseconds")
        told |= {name: seconds, f"{name}_at": moment.replace("+00:00", "Z")}
    return told
