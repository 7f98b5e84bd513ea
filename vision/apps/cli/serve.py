"""The command ``sightline serve``: the web page and the HTTP API."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from vision.apps.cli.options import RuleOption, read_rules
from vision.apps.cli.order import add_command
from vision.apps.cli.talk import fail, refuse

__all__ = ["ServeOrder", "add_serve"]


@dataclass(frozen=True, slots=True)
class ServeOrder:
    """What was typed."""

    host: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Address to listen on (127.0.0.1)."),
    ] = None
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8000
    lan: Annotated[
        bool,
        typer.Option("--lan", help="Open it to the network with a token; shows a QR code."),
    ] = False
    data: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for rounds; your data folder by default."),
    ] = None
    public_url: Annotated[
        str, typer.Option(metavar="URL", help="Address for phones, if it cannot be guessed.")
    ] = ""
    qr: Annotated[bool, typer.Option("--qr/--no-qr", help="Print the QR code.")] = True
    camera: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="Follow the table live with this camera and show it to all: a camera number, "
            "a stream address, a video file or a folder.",
        ),
    ] = None
    rule: RuleOption = None
    https: Annotated[
        bool,
        typer.Option(
            "--https",
            help="Serve over https with a local certificate, so that phones may use their camera.",
        ),
    ] = False


def add_serve(app: typer.Typer) -> None:
    """Add the command to the program."""
    add_command(app, "serve", ServeOrder, _run)


def _run(order: ServeOrder) -> None:
    """Serve the web page and the HTTP API."""
    if order.rule and order.camera is None:
        refuse("--rule works only with --camera; the page asks for rules itself")
    if order.rule:
        from vision.games.registry import find_game

        read_rules(order.rule, find_game("light-speed").options)
    from vision.apps.server.serve import serve

    try:
        serve(order)
    except ValueError as error:
        fail(str(error), 1)
