"""How the command line talks: what is wrong in one line, work that goes on, how it ends."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import typer

from vision.errors import ScanError
from vision.files.whole import as_typed, explain_os_error

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["STDOUT", "console", "fail", "printable", "refuse", "reporting", "working"]

STDOUT = Path("-")


def refuse(message: str) -> NoReturn:
    """End because of wrong usage."""
    raise typer.BadParameter(message)


def console(*, stderr: bool = False) -> "Console":
    """Return a console that takes texts as they are."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, emoji=False, markup=False)


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on standard error that work goes on, if someone is looking."""
    if not sys.stderr.isatty():
        yield
        return
    with console(stderr=True).status(printable(what) + " ..."):
        yield


@contextmanager
def reporting(source: Path | None = None) -> Iterator[None]:
    """Turn whatever stands in the way of a result into one line and an exit status."""
    try:
        yield
    except ScanError as error:
        fail(_name_of(source) + str(error), 1)
    except BrokenPipeError:
        raise  # whoever read the output has gone; the frame of the program ends it quietly
    except OSError as error:
        fail(explain_os_error(error), 1)


def _name_of(source: Path | None) -> str:
    """Return what an error of a source begins with."""
    if source is None:
        return ""
    if source == STDOUT:
        return "standard input: "
    return f"{as_typed(source)}: "


def fail(message: str, code: int) -> NoReturn:
    """End with one line on standard error."""
    typer.echo(f"sightline: {printable(message)}", err=True)
    raise typer.Exit(code)


def printable(text: str) -> str:
    """Bring a text to one line without control characters."""
    line = " ".join(text.split())
    return "".join(sign if sign.isprintable() else "?" for sign in line)
