"""The command ``sightline``: what is typed in, what is called, what is printed where.

Results go to standard output, talk to standard error. Everything heavy is imported by the command
that needs it, so that ``--help`` is quick.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TypeAlias

import typer

from vision import __version__
from vision.errors import (
    CalibrationError,
    DeckError,
    DegenerateGeometryError,
    ImageDecodeError,
    ImageSizeError,
    ScanError,
    SourceError,
    TableFormatError,
    TableNotFoundError,
)

if TYPE_CHECKING:
    from rich.console import Console

    from vision.apps.decks import KnownDeck
    from vision.imaging import Photo
    from vision.types import Deck, Issue, Resolution, RuleOptions, Scan, TableState

__all__ = ["EXIT_CODES", "create_app", "run"]

#: What the program ends with, for every way in which there is no result.
EXIT_CODES: dict[type[ScanError], int] = {
    ImageDecodeError: 1,
    ImageSizeError: 1,
    TableFormatError: 1,
    DeckError: 1,
    SourceError: 1,
    CalibrationError: 1,
    TableNotFoundError: 1,
    DegenerateGeometryError: 1,
}
_USAGE = 2
_PICTURES = (".png", ".jpg", ".jpeg", ".webp")
_FACE_PX_PER_MM = 4.0  # finer than a card in a picture of a whole table

ScanFunction: TypeAlias = "Callable[[bytes, Deck, RuleOptions], tuple[Scan, Photo]]"


class Language(StrEnum):
    """Languages of the account."""

    EN = "en"
    FR = "fr"


class Paper(StrEnum):
    """Sheets that can be printed."""

    A4 = "a4"
    LETTER = "letter"


def scan_bytes(encoded: bytes, deck: "Deck", rules: "RuleOptions") -> "tuple[Scan, Photo]":
    """Read a photo with the faces that the program draws itself."""
    from calibration.templates import build_bank
    from vision.pipeline import scan_photo

    return scan_photo(encoded, deck=deck, bank=build_bank(deck), rules=rules)


def scan_learned(encoded: bytes, known: "KnownDeck", rules: "RuleOptions") -> "tuple[Scan, Photo]":
    """Read a photo with the faces of a learned deck."""
    from vision.pipeline import scan_photo

    return scan_photo(encoded, deck=known.deck, bank=known.bank(), rules=rules)


def create_app(scan_function: ScanFunction = scan_bytes) -> typer.Typer:
    """Build the command line around the function that reads a photo.

    Parameters
    ----------
    scan_function : callable
        Takes the bytes of a photo, the deck and the rules; returns the scan and the upright photo.
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
                metavar="NAME", help="The deck on the table.", autocompletion=_complete_deck
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
        _check_outputs(photo, out, json)
        _check_folder(closeups)
        with _reporting(photo):
            from vision.apps.decks import find_deck
            from vision.apps.files import read_bytes
            from vision.apps.judge import Wishes, judge_scan
            from vision.formats import scan_to_json

            rules = _read_rules(rule)
            known = find_deck(deck)
            cards = known.deck
            wishes = Wishes(ruling or (), without or (), contested_from)
            if not cards.ships and (wishes.are_any() or what_if or closeups is not None):
                _refuse(f"the deck {deck!r} has no lasers: there are no shots to rule on or show")
            encoded = read_bytes(photo)
            with _working(f"reading {photo.name}"):
                if known.learned is None:
                    seen, upright = scan_function(encoded, cards, rules)
                else:
                    seen, upright = scan_learned(encoded, known, rules)
            with _wishing():
                seen = judge_scan(seen, cards, wishes)
            speech = _language(lang)
            drawing_ms = 0.0
            if out is not None:
                with _working("drawing the picture"):
                    start = perf_counter()
                    picture = _annotate(seen, upright, cards, speech)
                    drawing_ms = (perf_counter() - start) * 1000
                    _write_picture(out, picture)
            if json is not None:
                timed = replace(seen, timings_ms={**seen.timings_ms, "annotate": drawing_ms})
                _write_json(json, scan_to_json(timed, language=lang.value if lang else "en"))
            if closeups is not None:
                _write_closeups(closeups, seen, upright, cards, speech)
            if json != _STDOUT:
                if cards.ships:
                    _print_result(seen.table, cards, seen.resolution, seen.issues, speech)
                    _print_what_if(what_if, seen.table, cards, speech)
                else:
                    _print_places(seen, cards, speech)
                _hint(out, photo, speech)

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
        _check_outputs(table, out, json)
        with _reporting(table):
            from vision.apps.files import read_bytes
            from vision.apps.judge import Wishes, judge_table
            from vision.formats import read_table, resolution_to_json
            from vision.rules.deck import load_deck

            encoded = read_bytes(table)
            cards = _deck_of(encoded)
            state = read_table(encoded, deck=cards)
            state = replace(state, rules=_read_rules(rule, state.rules))
            wishes = Wishes(ruling or (), without or (), contested_from)
            if cards is None:
                cards = load_deck(state.deck)
            with _wishing():
                state, resolution = judge_table(state, cards, wishes)
            speech = _language(lang)
            if out is not None:
                with _working("drawing the picture"):
                    _write_picture(out, _draw(state, cards, resolution, speech))
            if json is not None:
                told = resolution_to_json(resolution, language=lang.value if lang else "en")
                _write_json(json, told)
            if json != _STDOUT:
                _print_result(state, cards, resolution, resolution.issues, speech)
                _print_what_if(what_if, state, cards, speech)
                _hint(out, table, speech)

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
            _refuse("--rule goes with --camera; the page asks for the rules of its own games")
        if rule:
            _read_rules(rule)
        with _reporting():
            from vision.apps.web.serve import serve as serve_page

            try:
                serve_page(
                    host=host,
                    port=port,
                    lan=lan,
                    data=data,
                    public_url=public_url,
                    show_qr=qr,
                    camera=camera,
                    camera_rules=tuple(rule or ()),
                )
            except ValueError as error:
                _fail(str(error), 1)

    from vision.apps.calibrate import add_calibrate
    from vision.apps.watch import add_watch

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
        with _reporting():
            from vision.apps.decks import all_names, find_deck
            from vision.apps.report import deck_line

            for name in all_names():
                try:
                    known = find_deck(name)
                    cards = None if known.learned is None else len(known.learned.card_ids)
                    typer.echo(deck_line(name, known.deck, cards))
                except DeckError as error:  # one that is damaged does not hide the others
                    typer.echo(f"{name}  {_printable(str(error))}")

    @app.command()
    def show(
        name: DeckArgument,
        json: Annotated[bool, typer.Option("--json", help="Print the deck as JSON.")] = False,
    ) -> None:
        """Show a deck: speed, health, lasers and shields of each ship."""
        with _reporting():
            from vision.apps.decks import find_deck
            from vision.rules.deck import deck_to_json

            known = find_deck(name)
            learned = known.learned
            if json:
                cards = {} if learned is None else {"cards": list(learned.card_ids)}
                typer.echo(_to_text({**deck_to_json(known.deck), **cards}), nl=False)
                return
            from vision.apps.report import print_deck, print_faces

            if learned is None or known.deck.ships:
                print_deck(_console(), known.deck)
            if learned is not None:
                halves = learned.bank.is_symmetric.tolist()
                print_faces(_console(), known.deck, learned.bank.names, halves)

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
        with _reporting():
            from calibration.learn import DeckSize, learn_deck
            from vision.apps.decks import deck_folder
            from vision.apps.report import print_learned

            size = DeckSize(width_mm, height_mm, corner_mm)
            with _working(f"learning {name}"):
                learned = learn_deck(
                    name, images, size, deck_folder(), lasers=lasers, replace=replace
                )
            print_learned(_console(), learned)

    @app.command()
    def art(
        name: DeckArgument,
        out: Annotated[Path, typer.Option(metavar="DIR", help="The folder; made if missing.")],
        dpi: Annotated[
            float, typer.Option(min=36, max=1200, help="Pixels per inch of card.")
        ] = 300,
    ) -> None:
        """Write one PNG per card face, cut to the card's edge."""
        with _reporting():
            from calibration.faces import write_art
            from vision.rules.deck import load_deck

            deck = load_deck(name)
            with _working(f"drawing {name}"):
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
            _refuse(f"--out: sheets are written as .pdf; got {str(out)!r}")
        with _reporting():
            from calibration.sheets import write_sheets
            from vision.apps.files import atomic_path
            from vision.rules.deck import load_deck

            deck = load_deck(name)
            with _working(f"drawing {name}"), atomic_path(out) as temporary:
                write_sheets(deck, temporary, paper.value)
            size = f"{deck.width_mm:g} x {deck.height_mm:g} mm"
            typer.echo(f"{out}: print it at 100 % on {paper.value}; each card is {size}")

    return app


# --- options ---------------------------------------------------------------------------------


def _complete_deck(incomplete: str) -> list[str]:
    from vision.apps.decks import all_names

    return [name for name in all_names() if name.startswith(incomplete)]


def _deck_of(encoded: bytes) -> "Deck | None":
    """Return the learned deck that a table file names; None if it names another, or none."""
    from json import loads

    from calibration.learned import learned_names
    from vision.apps.decks import deck_folder, find_deck

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


OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="PICTURE", help="Write the picture here: .png, .jpg or .webp."
    ),
]
JsonOption = Annotated[
    Path | None,
    typer.Option(
        "--json", metavar="FILE", help="Write the result as JSON; - prints it and nothing else."
    ),
]
RuleOption = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        "-r",
        metavar="KEY=VALUE",
        help="A variant, such as piracy=true; may be given again.",
    ),
]
RulingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--ruling",
        metavar="SHIP:LASER=TARGET",
        help="The players' word on a shot, the laser counted from 1, the target a card, "
        "CARD:shield or space: red-ghost:2=blue-viper. May be given again.",
    ),
]
WithoutOption = Annotated[
    list[str] | None,
    typer.Option(
        "--without", metavar="CARD", help="Play as if this card were not there; again for more."
    ),
]
WhatIfOption = Annotated[
    bool,
    typer.Option(
        "--what-if", help="Find the smallest move of one card that would change the winner."
    ),
]
CloseupsOption = Annotated[
    Path | None,
    typer.Option(
        "--closeups", metavar="DIR", help="Write a close-up of each contested shot into a folder."
    ),
]
ContestedOption = Annotated[
    float | None,
    typer.Option(
        "--contested-from",
        min=0.0,
        max=1.0,
        metavar="P",
        help="The chance of another outcome from which a shot is contested (0.01).",
    ),
]
LangOption = Annotated[
    Language | None,
    typer.Option("--lang", help="The language of the account; by default that of your locale."),
]
DeckArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The deck.", autocompletion=_complete_deck)
]
_STDOUT = Path("-")


def _refuse(message: str) -> NoReturn:
    """End because of wrong usage."""
    raise typer.BadParameter(message)


def _read_rules(settings: list[str] | None, base: "RuleOptions | None" = None) -> "RuleOptions":
    """Read the --rule options; a mistake in them is wrong usage."""
    from vision.rules.options import parse_options

    try:
        return parse_options(settings or [], base)
    except TableFormatError as error:
        _refuse(str(error))


@contextmanager
def _wishing() -> Iterator[None]:
    """Turn a wish that cannot be granted into wrong usage."""
    try:
        yield
    except ValueError as error:
        _refuse(str(error))


def _language(lang: Language | None) -> str:
    """Return the language asked for, else that of the locale."""
    from vision.texts import language_of

    return language_of(os.environ) if lang is None else lang.value


def _check_folder(folder: Path | None) -> None:
    """Refuse a folder for close-ups that is a file."""
    if folder is not None and folder.exists() and not folder.is_dir():
        _refuse(f"--closeups: expected a folder; {str(folder)!r} is a file")


def _check_outputs(source: Path, out: Path | None, json: Path | None) -> None:
    """Refuse outputs that cannot be written, before any work is done."""
    if out is not None and out.suffix.lower() not in _PICTURES:
        _refuse(f"--out: pictures are written as {', '.join(_PICTURES)}; got {str(out)!r}")
    files = [path for path in (source, out, json) if path is not None and path != _STDOUT]
    places = [path.resolve() for path in files]
    if len(set(places)) < len(places):
        _refuse("the same file is named twice; results are not written over what is read")
    with _reporting():
        from vision.apps.files import check_target

        for path in (out, json):
            if path is not None and path != _STDOUT:
                check_target(path)


# --- results ---------------------------------------------------------------------------------


def _annotate(seen: "Scan", upright: "Photo", deck: "Deck", language: str) -> Any:
    from vision.annotate import AnnotateSettings, annotate_photo

    ids = [card.card_id for card in seen.placement.cards]
    return annotate_photo(
        upright.image,
        seen.camera,
        seen.table,
        deck,
        seen.resolution,
        corners_px=dict(zip(ids, seen.corners_px, strict=True)),
        issues=seen.issues,
        settings=AnnotateSettings(language=language),
        closeups=True,
    )


def _write_closeups(
    folder: Path, seen: "Scan", upright: "Photo", deck: "Deck", language: str
) -> None:
    """Write a picture for each contested shot into a folder."""
    from vision.annotate import AnnotateSettings, draw_closeups
    from vision.texts import texts

    folder.mkdir(parents=True, exist_ok=True)
    settings = AnnotateSettings(language=language)
    drawn = draw_closeups(
        upright.image, seen.camera, seen.table, deck, seen.resolution, settings=settings
    )
    for (ship, laser), image in drawn.items():
        _write_picture(folder / f"{ship}-laser-{laser + 1}.png", image)
    typer.echo(texts(language).say("report.closeups", n=len(drawn), path=str(folder)), err=True)


def _draw(state: "TableState", deck: "Deck", resolution: "Resolution", language: str) -> Any:
    from calibration.faces import draw_face
    from vision.annotate import AnnotateSettings, draw_table
    from vision.rules.deck import card_ids

    known = set(card_ids(deck)) & {card.card_id for card in state.cards}
    faces = {card_id: draw_face(deck, card_id, _FACE_PX_PER_MM) for card_id in sorted(known)}
    settings = AnnotateSettings(language=language)
    return draw_table(state, deck, resolution, faces=faces, settings=settings)


def _write_picture(path: Path, image: Any) -> None:
    from vision.apps.files import write_atomically
    from vision.imaging import encode_image

    write_atomically(path, encode_image(image, path.suffix))


def _to_text(document: dict[str, Any]) -> str:
    """Write JSON in plain ASCII, so that no terminal or pipe can spoil it."""
    from json import dumps

    return dumps(document, indent=1, allow_nan=False) + "\n"


def _write_json(path: Path, document: dict[str, Any]) -> None:
    from vision.apps.files import write_atomically

    if path == _STDOUT:
        typer.echo(_to_text(document), nl=False)
    else:
        write_atomically(path, _to_text(document).encode("ascii"))


def _print_result(
    table: "TableState",
    deck: "Deck",
    resolution: "Resolution",
    issues: "tuple[Issue, ...]",
    language: str,
) -> None:
    """Print the doubts, close calls first, the score, how sure it is, and the steps."""
    from vision.apps.report import print_account, print_doubts, print_odds, print_score
    from vision.rules.account import round_lines
    from vision.rules.close_calls import odds_lines

    console = _console()
    print_doubts(console, issues, language)
    print_score(console, resolution, language)
    print_odds(console, odds_lines(resolution, language))
    print_account(console, round_lines(table, deck, resolution, language), deck.teams)


def _print_places(seen: "Scan", deck: "Deck", language: str) -> None:
    """Print the doubts, and where each card lies: all there is to say without lasers."""
    from vision.apps.report import print_doubts, print_places

    console = _console()
    print_doubts(console, seen.issues, language)
    print_places(console, seen.placement.cards, deck.name, language)


def _print_what_if(wanted: bool, table: "TableState", deck: "Deck", language: str) -> None:
    """Print the smallest move of one card that would change the winner."""
    if not wanted:
        return
    from vision.apps.report import print_odds
    from vision.rules.whatif import find_turn, turn_lines

    with _working("moving cards"):
        turn = find_turn(table, deck)
    print_odds(_console(), turn_lines(turn, language))


def _hint(out: Path | None, source: Path, language: str) -> None:
    """Say on standard error where the picture is, or how to get one."""
    from vision.texts import texts

    if out is not None:
        path, key = _printable(str(out)), "report.picture"
    else:
        stem = "round" if source == _STDOUT else source.stem
        path, key = f"{_printable(stem)}-round.png", "report.picture_hint"
    typer.echo(texts(language).say(key, path=path), err=True)


# --- talk ------------------------------------------------------------------------------------


def _console(*, stderr: bool = False) -> "Console":
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, emoji=False, markup=False)


@contextmanager
def _working(what: str) -> Iterator[None]:
    """Show on standard error that work goes on, if someone is looking."""
    if not sys.stderr.isatty():
        yield
        return
    with _console(stderr=True).status(_printable(what) + " ..."):
        yield


@contextmanager
def _reporting(source: Path | None = None) -> Iterator[None]:
    """Turn whatever stands in the way of a result into one line and an exit status."""
    try:
        yield
    except ScanError as error:
        name = "" if source is None else "standard input: " if source == _STDOUT else f"{source}: "
        _fail(name + str(error), _exit_code(error))
    except BrokenPipeError:
        raise  # whoever read the output has gone; the frame of the program ends it quietly
    except OSError as error:
        from vision.apps.files import explain_os_error

        _fail(explain_os_error(error), 1)


def _exit_code(error: ScanError) -> int:
    return next(EXIT_CODES[kind] for kind in type(error).__mro__ if kind in EXIT_CODES)


def _fail(message: str, code: int) -> NoReturn:
    typer.echo(f"sightline: {_printable(message)}", err=True)
    raise typer.Exit(code)


def _printable(text: str) -> str:
    """Bring a text to one line without control characters."""
    line = " ".join(text.split())
    return "".join(sign if sign.isprintable() else "?" for sign in line)


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
