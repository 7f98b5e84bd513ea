"""What is logged: lines for people, or by a setting one JSON object a line; each with its request.

A request has an id from the moment it comes in. Whatever is logged about it carries the id, on the
server that took it, on the one that reads its photo, and in the reader.
"""

import json
import logging
import re
import secrets
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

__all__ = [
    "LOG_VARIABLE",
    "JsonLines",
    "PlainLines",
    "about_request",
    "current_request",
    "request_named",
    "set_up_logs",
]

#: The variable that says how the log is written, for the server and for its readers.
LOG_VARIABLE = "SIGHTLINE_LOG"
_KINDS = ("text", "json")
#: An id that someone gave: of a proxy or a client, short and harmless in a line.
_GIVEN = re.compile(r"[A-Za-z0-9._:-]{1,64}")
#: What every record has; the rest was given as ``extra``.
_USUAL = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}

_request: ContextVar[str] = ContextVar("request", default="")


def current_request() -> str:
    """Return the id of the request that is being worked on; empty outside of any."""
    return _request.get()


def request_named(given: str | None) -> str:
    """Return the id of a request: as it was given, or a new one."""
    return given if given and _GIVEN.fullmatch(given) else secrets.token_hex(8)


@contextmanager
def about_request(request: str) -> Iterator[None]:
    """Have everything that is logged within carry a request's id."""
    before = _request.set(request)
    try:
        yield
    finally:
        _request.reset(before)


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
            "process": record.process,
        }
        if _request.get():
            line["request"] = _request.get()
        line |= {k: v for k, v in record.__dict__.items() if k not in _USUAL}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class PlainLines(logging.Formatter):
    """A record as a line for people, with the request it is about."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and what was raised below it."""
        about = f" [request {_request.get()}]" if _request.get() else ""
        text = f"{record.levelname.lower()}: {record.getMessage()}{about}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


def set_up_logs(environment: Mapping[str, str], stream: TextIO | None = None) -> None:
    """Write what this process logs to standard error: ``text`` what went wrong, ``json`` all.

    Raises
    ------
    ValueError
        If the variable says something else.
    """
    kind = environment.get(LOG_VARIABLE, "text")
    if kind not in _KINDS:
        msg = f"{LOG_VARIABLE}: expected one of {', '.join(_KINDS)}, got {kind!r}"
        raise ValueError(msg)
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines() if kind == "json" else PlainLines())
    log = logging.getLogger("vision")
    log.handlers, log.propagate = [handler], False
    log.setLevel(logging.INFO if kind == "json" else logging.WARNING)
