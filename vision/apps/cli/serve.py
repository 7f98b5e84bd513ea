"""The command ``sightline serve``: the web page and the HTTP API."""

from vision.apps.cli.forms import ServeOrder
from vision.apps.cli.options import read_rules
from vision.apps.cli.talk import fail, refuse

__all__ = ["run"]


def run(order: ServeOrder) -> None:
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
