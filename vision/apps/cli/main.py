"""The command ``sightline``: its commands, each in a module of its own.

Results go to standard output, talk to standard error. The module of a command of many options is
loaded when it runs, its form (``forms``) before, so that ``--help`` is quick.
"""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from vision._version import __version__
from vision.apps.cli.calibrate import add_calibrate
from vision.apps.cli.deck import add_decks
from vision.apps.cli.forms import (
    BatchOrder,
    CareerOrder,
    ResolveOrder,
    ScanOrder,
    ServeOrder,
    WatchOrder,
)
from vision.apps.cli.game import add_games
from vision.apps.cli.order import add_command, later

if TYPE_CHECKING:
    from vision.apps.cli.scan import ScanFunction

__all__ = ["create_app", "run"]


def create_app(scan_function: "ScanFunction | None" = None) -> typer.Typer:
    """Build the command line around the function that reads photos.

    Parameters
    ----------
    scan_function : callable, optional
        Takes the bytes of photos, what lies on them (a game and its looks) and the options;
        returns the scan and the upright photos.
    """
    app = typer.Typer(
        name="sightline",
        help="Score a game round from one photo of the table.",
        no_args_is_help=True,
        rich_markup_mode=None,  # plain help: rich would double the time to start
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_main)
    add_command(app, "scan", ScanOrder, later("scan", scan_function))
    add_command(app, "resolve", ResolveOrder, later("resolve"))
    add_command(app, "batch", BatchOrder, later("batch"))
    add_command(app, "career", CareerOrder, later("career"))
    add_command(app, "serve", ServeOrder, later("serve"))
    add_command(app, "watch", WatchOrder, later("watch"))
    add_calibrate(app)
    add_decks(app)
    add_games(app)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sightline {__version__}")
        raise typer.Exit


def _main(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Show the version and exit.", callback=_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Score a game round from one photo of the table: pieces, events, score."""


def run() -> None:
    """Run the command line; the entry point of the program."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without a sign shows ? for it
    try:
        create_app()()
    except KeyboardInterrupt:  # before or after the command itself
        sys.exit(130)


if __name__ == "__main__":
    run()
