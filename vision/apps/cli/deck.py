"""The commands ``sightline deck``: list, show, learn, draw and print decks."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from vision.apps.cli.options import DeckArgument, Paper
from vision.apps.cli.order import add_command
from vision.apps.cli.results import to_text
from vision.apps.cli.talk import console, printable, refuse, reporting, working
from vision.errors import DeckError

__all__ = ["add_decks"]


def add_decks(app: typer.Typer) -> None:
    """Add the commands to the program."""
    decks = typer.Typer(
        help="The decks that the program knows: list, show, draw, print.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    decks.command(name="list")(_list_known)
    decks.command(name="show")(_show)
    add_command(decks, "learn", _LearnOrder, _learn)
    decks.command(name="art")(_art)
    decks.command(name="print")(_print_sheets)
    app.add_typer(decks, name="deck")


def _list_known() -> None:
    """List the decks."""
    with reporting():
        from vision.apps.cli.deck_report import deck_line
        from vision.apps.decks import all_names, find_deck

        for name in all_names():
            try:
                known = find_deck(name)
                cards = None if known.learned is None else len(known.learned.card_ids)
                typer.echo(deck_line(name, known.deck, cards))
            except DeckError as error:  # one that is damaged does not hide the others
                typer.echo(f"{name}  {printable(str(error))}")


def _show(
    name: DeckArgument,
    json: Annotated[bool, typer.Option("--json", help="Print the deck as JSON.")] = False,
) -> None:
    """Show a deck: speed, health, lasers and shields of each ship."""
    with reporting():
        from vision.apps.decks import find_deck
        from vision.games.light_speed.deck import deck_to_json

        known = find_deck(name)
        learned = known.learned
        if json:
            cards = {} if learned is None else {"cards": list(learned.card_ids)}
            typer.echo(to_text({**deck_to_json(known.deck), **cards}), nl=False)
            return
        from vision.apps.cli.deck_report import print_deck, print_faces

        if learned is None or known.deck.ships:
            print_deck(console(), known.deck)
        if learned is not None:
            halves = learned.bank.is_symmetric.tolist()
            print_faces(console(), known.deck, learned.bank.names, halves)


@dataclass(frozen=True, slots=True)
class _LearnOrder:
    """What was typed."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call the deck.")]
    images: Annotated[
        Path,
        typer.Option(
            metavar="DIR",
            help="One picture per card, cut to the card's edge, upright; ids from file names.",
        ),
    ]
    width_mm: Annotated[float, typer.Option(metavar="MM", help="Width of the cards.")]
    height_mm: Annotated[float, typer.Option(metavar="MM", help="Height of the cards.")]
    corner_mm: Annotated[
        float, typer.Option(metavar="MM", help="Radius of their corners, if over 3.5.")
    ] = 0.0
    lasers: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="A deck file that says what the cards do."),
    ] = None
    replace: Annotated[bool, typer.Option("--replace", help="Replace a deck of that name.")] = False


def _learn(order: _LearnOrder) -> None:
    """Learn a deck from pictures of its cards, so that photos of it can be read."""
    with reporting():
        from calibration.learned.learn import DeckSize, learn_deck
        from vision.apps.cli.deck_report import print_learned
        from vision.apps.folders import deck_folder

        size = DeckSize(order.width_mm, order.height_mm, order.corner_mm)
        with working(f"learning {order.name}"):
            learned = learn_deck(
                order.name,
                order.images,
                size,
                deck_folder(),
                lasers=order.lasers,
                replace=order.replace,
            )
        print_learned(console(), learned)


def _art(
    name: DeckArgument,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder; made if missing.")],
    dpi: Annotated[float, typer.Option(min=36, max=1200, help="Pixels per inch of card.")] = 300,
) -> None:
    """Write one PNG per card face, cut to the card's edge."""
    with reporting():
        from calibration.light_speed.faces import write_art
        from vision.games.light_speed.deck import load_deck

        deck = load_deck(name)
        with working(f"drawing {name}"):
            written = write_art(deck, out, dpi=dpi)
        size = f"{deck.width_mm:g} x {deck.height_mm:g} mm"
        typer.echo(f"{len(written)} faces in {out}; each card is {size}")


def _print_sheets(
    name: DeckArgument,
    out: Annotated[Path, typer.Option(metavar="FILE.pdf", help="The PDF to write.")],
    paper: Annotated[Paper, typer.Option(help="The paper in your printer.")] = Paper.A4,
) -> None:
    """Write print-and-play sheets at true size, with cut marks."""
    if out.suffix.lower() != ".pdf":
        refuse(f"--out: sheets are written as .pdf; got {str(out)!r}")
    with reporting():
        from calibration.light_speed.sheets import print_deck
        from vision.files.whole import atomic_path
        from vision.games.light_speed.deck import load_deck

        deck = load_deck(name)
        with working(f"drawing {name}"), atomic_path(out) as temporary:
            print_deck(deck, temporary, paper.value)
        size = f"{deck.width_mm:g} x {deck.height_mm:g} mm"
        typer.echo(f"{out}: print it at 100 % on {paper.value}; each card is {size}")
