"""The commands ``sightline game``: the games that the program knows, their pieces and options."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from vision.apps.cli.order import add_function, group

if TYPE_CHECKING:
    from vision.judging.game import Game

__all__ = ["add_games"]

_MOST_NAMED = 60  # pieces on the screen; JSON names them all


def add_games(app: typer.Typer) -> None:
    """Add the commands to the program."""
    games = group(app, "game", "The games that the program knows: list, show.")
    add_function(games, "list", _list)
    add_function(games, "show", _show)


def _list() -> None:
    """List the games."""
    from vision.games.registry import find_game, game_names

    for name in game_names():
        typer.echo(f"{name}  {_counted(find_game(name))}")


def _show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The game.")],
    json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show a game: its pieces, its options, how a table of it is written."""
    from vision.apps.cli.results import to_text
    from vision.games.registry import find_game

    told = _to_json(find_game(name))
    if json:
        typer.echo(to_text(told), nl=False)
        return
    typer.echo(f"{name}  {_counted(find_game(name))}")
    names = [piece["id"] for piece in told["pieces"]]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    typer.echo(f"\npieces: {', '.join(names[:_MOST_NAMED])}{more}")
    if told["options"]:
        typer.echo("\noptions, given as --rule KEY=VALUE:")
    for one in told["options"]:
        typer.echo(f"  {one['name']}: {one['help']}")
    for preset, means in told["presets"].items():
        settings = ", ".join(f"{key}={value}" for key, value in means.items())
        typer.echo(f"  --rule {preset}: {settings}")
    if told["notation"]:
        typer.echo(f"\nnotation of a table:\n{told['notation']}")


def _counted(game: "Game") -> str:
    """Count the pieces of a game by their kind."""
    pieces = game.pieces.pieces
    counted = [
        f"{sum(p.copies or 1 for p in pieces if p.kind == kind)} x {kind}"
        for kind in dict.fromkeys(piece.kind for piece in pieces)
    ]
    return ", ".join(counted) or "no pieces of its own"


def _to_json(game: "Game") -> dict[str, Any]:
    from vision.files.pieces import component, described_piece
    from vision.judging.options import help_of, options_to_json, presets_of

    options: Any = game.options
    plain = options_to_json(options())
    pieces = [
        {**described_piece(piece), "sides": list(piece.sides)} for piece in game.pieces.pieces
    ]
    said = help_of(options)
    return {
        "name": game.name,
        "pieces": pieces,
        "components": [component(piece) for piece in game.pieces.pieces],
        "options": [{"name": k, "default": plain[k], "help": said[k]} for k in plain],
        "presets": {name: dict(one) for name, one in presets_of(options).items()},
        "notation": getattr(game, "notation", ""),
    }
