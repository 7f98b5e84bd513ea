"""Times in replies: seconds since 1970, and beside them as ISO 8601."""

from datetime import UTC, datetime
from typing import Any

__all__ = ["DAY_S", "dated", "holds_as_long"]

DAY_S = 86_400.0
_NEARLY = 0.9  # of its time a link must have left to stand for a new one of the same length


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


def holds_as_long(created: float, expires: float, now: float, days: float) -> bool:
    """Tell whether a link was made for so many days, and has nearly all of them left.

    >>> holds_as_long(0.0, DAY_S, 60.0, 1.0), holds_as_long(0.0, DAY_S, DAY_S / 2, 1.0)
    (True, False)
    >>> holds_as_long(0.0, DAY_S, 60.0, 7.0)
    False
    """
    is_of_length = abs(expires - created - days * DAY_S) < 1.0
    return is_of_length and expires - now > _NEARLY * days * DAY_S
