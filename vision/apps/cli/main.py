"""The command ``sightline``: what is typed in, what is called, what is printed where.

Results go to standard output, talk to standard error. Everything heavy is imported by the command
that needs it, so that ``--help`` is quick.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from vision import __version__
from vision.apps.cli.options import (
    CloseupsOption,
    ContestedOption,
    DeckArgument,
    JsonOption,
    LangOption,
    OutOption,
    Paper,
    RuleOption,
    RulingOption,
    WhatIfOption,
    WithoutOption,
    check_folder,
    check_outputs,
    complete_deck,
    language_for,
    read_rules,
    wishing,
)
from vision.apps.cli.results import (
    annotate,
    draw,
    hint,
    print_places,
    print_result,
    print_what_if,
    to_text,
    write_closeups,
    write_json,
    write_picture,
)
from vision.apps.cli.talk import STDOUT, console, fail, printable, refuse, reporting, working
from vision.errors import DeckError

if TYPE_CHECKING:
    from vision.apps.decks import KnownDeck
    from vision.games.light_speed.values import Deck
    from vision.imaging.photo import Photo
    from vision.values.scan import Scan

__all__ = ["create_app", "run"]


ScanFunction: TypeAlias = (
    "Callable[[Sequence[bytes], KnownDeck, Any], tuple[Scan, Sequence[Photo]]]"
)


def scan_bytes(
    photos: "Sequence[bytes]", known: "KnownDeck", options: Any
) -> "tuple[Scan, Sequence[Photo]]":
    """Read photos of a table with the faces of a deck."""
    from vision.pipeline import scan
    from vision.seeing.sight import sight_of

    return scan(photos, known.game, sight_of(known.bank()), options=options)


def create_app(scan_function: ScanFunction = scan_bytes) -> typer.Typer:
    """Build the command line around the function that reads a photo.

    Parameters
    ----------
    scan_function : callable
        Takes the bytes of photos, the deck and the options; returns the scan and the upright
        photos.
    """
    app = typer.Typer(
        name="sightline",
        help="One photo of a Light Speed table in, the round settled.",
        no_args_is_help=True,
        rich_markup_mode=None,  # plain help: rich would double the time to start
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

    @app.callback()
    def main(
        version: Annotated[
            bool,
            typer.Option(
                "--version", help="Show the version and end.", callback=_version, is_eager=True
            ),
        ] = False,
    ) -> None:
        """One photo of a Light Speed table in, the round settled: cards, shots, score."""

    @app.command()
    def scan(
        photo: Annotated[
            Path,
            typer.Argument(
                metavar="PHOTO", help="A JPEG, PNG or WebP photo; - reads it from standard input."
            ),
        ],
        out: OutOption = None,
        json: JsonOption = None,
        deck: Annotated[
            str,
            typer.Option(
                metavar="NAME", help="The deck on the table.", autocompletion=complete_deck
            ),
        ] = "light-speed",
        rule: RuleOption = None,
        ruling: RulingOption = None,
        without: WithoutOption = None,
        what_if: WhatIfOption = False,
        closeups: CloseupsOption = None,
        contested_from: ContestedOption = None,
        lang: LangOption = None,
    ) -> None:
        """Read a photo, resolve the round, print score and account."""
        check_outputs(photo, out, json)
        check_folder(closeups)
        with reporting(photo):
            from vision.apps.cli.judge import Wishes
            from vision.apps.decks import find_deck
            from vision.files.scans import scan_to_json
            from vision.files.whole import read_bytes

            rules = read_rules(rule)
            known = find_deck(deck)
            cards = known.deck
            wishes = Wishes(ruling or (), without or (), contested_from)
            if not cards.ships and (wishes.are_any() or what_if or closeups is not None):
                refuse(f"the deck {deck!r} has no lasers: there are no shots to rule on or show")
            encoded = read_bytes(photo)
            with working(f"reading {photo.name}"):
                seen, (upright,) = scan_function([encoded], known, rules)
            with wishing():
                seen = wishes.bring_to(seen, known.game)
            speech = language_for(lang)
            drawing_ms = 0.0
            if out is not None:
                with working("drawing the picture"):
                    start = perf_counter()
                    picture = annotate(seen, upright, cards, speech)
                    drawing_ms = (perf_counter() - start) * 1000
                    write_picture(out, picture)
            if json is not None:
                timed = replace(seen, timings_ms={**seen.timings_ms, "annotate": drawing_ms})
                write_json(
                    json, scan_to_json(timed, known.game, language=lang.value if lang else "en")
                )
            if closeups is not None:
                write_closeups(closeups, seen, upright, cards, speech)
            if json != STDOUT:
                if cards.ships:
                    print_result(seen.table, cards, seen.outcome, seen.issues, speech)
                    print_what_if(what_if, seen.table, cards, speech)
                else:
                    print_places(seen, cards, speech)
                hint(out, photo, speech)

    @app.command()
    def resolve(
        table: Annotated[
            Path,
            typer.Argument(
                metavar="TABLE.json", help="A table file; - reads it from standard input."
            ),
        ],
        out: OutOption = None,
        json: JsonOption = None,
        rule: RuleOption = None,
        ruling: RulingOption = None,
        without: WithoutOption = None,
        what_if: WhatIfOption = False,
        contested_from: ContestedOption = None,
        lang: LangOption = None,
    ) -> None:
        """Resolve the round on a table from a file, without a photo."""
        check_outputs(table, out, json)
        with reporting(table):
            from vision.apps.cli.judge import Wishes
            from vision.files.documents import decode
            from vision.files.whole import read_bytes
            from vision.games.light_speed.deck import load_deck
            from vision.games.registry import game_of_deck

            encoded = read_bytes(table)
            cards = _deck_of(encoded)
            cards = cards or load_deck("light-speed")
            wishes = Wishes(ruling or (), without or (), contested_from)
            game = wishes.judge(game_of_deck(cards))
            state = game.read(decode(encoded))
            state = replace(state, rules=read_rules(rule, state.rules))
            with wishing():
                state = wishes.edit(game, state)
                resolution = game.resolve(state)
            speech = language_for(lang)
            if out is not None:
                with working("drawing the picture"):
                    write_picture(out, draw(state, cards, resolution, speech))
            if json is not None:
                told = game.write(resolution, language=lang.value if lang else "en")
                write_json(json, told)
            if json != STDOUT:
                print_result(state, cards, resolution, resolution.issues, speech)
                print_what_if(what_if, state, cards, speech)
                hint(out, table, speech)

    @app.command()
    def serve(
        host: Annotated[
            str | None,
            typer.Option(metavar="ADDRESS", help="Listen here instead; by default 127.0.0.1."),
        ] = None,
        port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes a free one.")] = 8000,
        lan: Annotated[
            bool,
            typer.Option("--lan", help="Open it to the network, with a token; shows a QR code."),
        ] = False,
        data: Annotated[
            Path | None,
            typer.Option(metavar="DIR", help="Where rounds are kept; by default your data folder."),
        ] = None,
        public_url: Annotated[
            str, typer.Option(metavar="URL", help="How phones reach it, if it cannot be guessed.")
        ] = "",
        qr: Annotated[bool, typer.Option("--qr/--no-qr", help="Print the QR code.")] = True,
        camera: Annotated[
            str | None,
            typer.Option(
                metavar="SOURCE",
                help="Follow the table live with this camera and show it to all: a camera number, "
                "a stream address, a video file or a folder.",
            ),
        ] = None,
        rule: RuleOption = None,
    ) -> None:
        """Serve the web page and the HTTP API."""
        if rule and camera is None:
            refuse("--rule goes with --camera; the page asks for the rules of its own games")
        if rule:
            read_rules(rule)
        with reporting():
            from vision.apps.server.serve import ServeOrder
            from vision.apps.server.serve import serve as serve_page

            try:
                serve_page(
                    ServeOrder(
                        host,
                        port,
                        lan,
                        data,
                        public_url,
                        qr,
                        camera,
                        camera_rules=tuple(rule or ()),
                    )
                )
            except ValueError as error:
                fail(str(error), 1)

    from vision.apps.cli.calibrate import add_calibrate
    from vision.apps.cli.watch import add_watch

    add_watch(app)
    add_calibrate(app)
    app.add_typer(_create_deck_app(), name="deck")
    return app


def _create_deck_app() -> typer.Typer:
    app = typer.Typer(
        help="The decks that the program knows: list, show, draw, print.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )

    @app.command(name="list")
    def list_known() -> None:
        """List the decks."""
        with reporting():
            from vision.apps.cli.report import deck_line
            from vision.apps.decks import all_names, find_deck

            for name in all_names():
                try:
                    known = find_deck(name)
                    cards = None if known.learned is None else len(known.learned.card_ids)
                    typer.echo(deck_line(name, known.deck, cards))
                except DeckError as error:  # one that is damaged does not hide the others
                    typer.echo(f"{name}  {printable(str(error))}")

    @app.command()
    def show(
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
            from vision.apps.cli.report import print_deck, print_faces

            if learned is None or known.deck.ships:
                print_deck(console(), known.deck)
            if learned is not None:
                halves = learned.bank.is_symmetric.tolist()
                print_faces(console(), known.deck, learned.bank.names, halves)

    @app.command()
    def learn(
        name: Annotated[str, typer.Argument(metavar="NAME", help="What to call the deck.")],
        images: Annotated[
            Path,
            typer.Option(
                metavar="DIR",
                help="One picture per card, cut to the card's edge, upright; ids from file names.",
            ),
        ],
        width_mm: Annotated[float, typer.Option(metavar="MM", help="Width of the cards.")],
        height_mm: Annotated[float, typer.Option(metavar="MM", help="Height of the cards.")],
        corner_mm: Annotated[
            float, typer.Option(metavar="MM", help="Radius of their corners, if over 3.5.")
        ] = 0.0,
        lasers: Annotated[
            Path | None,
            typer.Option(metavar="FILE.toml", help="A deck file that says what the cards do."),
        ] = None,
        replace: Annotated[
            bool, typer.Option("--replace", help="Replace a deck of that name.")
        ] = False,
    ) -> None:
        """Learn a deck from pictures of its cards, so that photos of it can be read."""
        with reporting():
            from calibration.learned.learn import DeckSize, learn_deck
            from vision.apps.cli.report import print_learned
            from vision.apps.folders import deck_folder

            size = DeckSize(width_mm, height_mm, corner_mm)
            with working(f"learning {name}"):
                learned = learn_deck(
                    name, images, size, deck_folder(), lasers=lasers, replace=replace
                )
            print_learned(console(), learned)

    @app.command()
    def art(
        name: DeckArgument,
        out: Annotated[Path, typer.Option(metavar="DIR", help="The folder; made if missing.")],
        dpi: Annotated[
            float, typer.Option(min=36, max=1200, help="Pixels per inch of card.")
        ] = 300,
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

    @app.command(name="print")
    def print_sheets(
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

    return app


def _deck_of(encoded: bytes) -> "Deck | None":
    """Return the learned deck that a table file names; None if it names another, or none."""
    from json import loads

    from calibration.learned.decks import learned_names
    from vision.apps.decks import find_deck
    from vision.apps.folders import deck_folder

    try:
        document = loads(encoded)
        name = document.get("deck") if isinstance(document, dict) else None
    except (ValueError, RecursionError):
        return None  # said better where the table is read
    if not isinstance(name, str) or name not in learned_names(deck_folder()):
        return None
    deck = find_deck(name).deck
    if not deck.ships:
        msg = f"deck {name!r} has no lasers: its tables are read, there is nothing to resolve"
        raise DeckError(msg)
    return deck


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sightline {__version__}")
        raise typer.Exit


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
