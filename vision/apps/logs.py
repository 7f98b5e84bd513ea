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
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

__all__ = [
    "LOG_VARIABLE",
    "JsonLines",
    "PlainLines",
    "about_request",
    "current_request",
    "logged_again",
    "logged_into",
    "request_named",
    "set_up_logs",
]

#: The variable that says how the log is written.
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
        if raised := _raised(record):
            line["error"] = raised
        return json.dumps(line, default=str)


class PlainLines(logging.Formatter):
    """A record as a line for people, with the request it is about."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, and what was raised below it."""
        about = f" [request {_request.get()}]" if _request.get() else ""
        text = f"{record.levelname.lower()}: {record.getMessage()}{about}"
        raised = _raised(record)
        return f"{text}\n{raised}" if raised else text


def _raised(record: logging.LogRecord) -> str:
    """Return what was raised, as text; empty if nothing was."""
    if record.exc_info:
        return logging.Formatter().formatException(record.exc_info)
    return record.exc_text or ""


class _IntoFile(logging.Handler):
    """Keeps records, a line each, for the process that asked for the work."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record, at once: this process may be killed."""
        said = {"msg": record.getMessage(), "args": None, "exc_info": None}
        kept = {**record.__dict__, **said, "exc_text": _raised(record)}
        with suppress(OSError), self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(kept, default=str) + "\n")


@contextmanager
def logged_into(file: Path) -> Iterator[None]:
    """Keep in a file what this process logs within: a reader has no place of its own for it."""
    log, handler = logging.getLogger("vision"), _IntoFile(file)
    log.setLevel(logging.INFO)
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


def logged_again(file: Path) -> None:
    """Log what a reader has kept in a file, as it said it; then forget the file."""
    with suppress(OSError, ValueError, UnicodeDecodeError):  # none, or cut off as it was killed
        for line in file.read_text(encoding="utf-8").splitlines():
            record = logging.makeLogRecord(json.loads(line))
            log = logging.getLogger(record.name)
            if log.isEnabledFor(record.levelno):
                log.handle(record)
    file.unlink(missing_ok=True)


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
