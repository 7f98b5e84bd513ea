"""The options that several commands share, and what is read from them."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from vision.apps.cli.talk import STDOUT, refuse
from vision.errors import IllegalOrderError, TableFormatError
from vision.files.whole import check_target

__all__ = [
    "DeckArgument",
    "DeckOption",
    "GameOption",
    "JsonOption",
    "LangOption",
    "Language",
    "OutOption",
    "Paper",
    "RoundForm",
    "RuleOption",
    "check_folder",
    "check_outputs",
    "complete_deck",
    "knows_rules",
    "language_for",
    "read_rules",
    "wishing",
]

_PICTURES = (".png", ".jpg", ".jpeg", ".webp")


class Paper(StrEnum):
    """Sheets that can be printed."""

    A4 = "a4"
    LETTER = "letter"
    A3 = "a3"
    A2 = "a2"


class Language(StrEnum):
    """Languages of the account."""

    EN = "en"
    FR = "fr"


def complete_deck(incomplete: str) -> list[str]:
    """Return the decks whose names begin like this, for the shell."""
    from vision.apps.decks import all_names

    return [name for name in all_names() if name.startswith(incomplete)]


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
        help="A rule, such as piracy=true; repeatable.",
    ),
]
LangOption = Annotated[
    Language | None,
    typer.Option("--lang", help="Language of the results; your locale's by default."),
]
GameOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="The game on the table; detected by default."),
]
DeckOption = Annotated[
    str | None,
    typer.Option(
        "--deck",
        metavar="NAME",
        help="The deck on the table; the game's by default.",
        autocompletion=complete_deck,
    ),
]
DeckArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The deck.", autocompletion=complete_deck)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundForm:
    """What may be asked of a round, whether it is read from photos or from a file."""

    out: OutOption = None
    json: JsonOption = None
    rule: RuleOption = None
    ruling: Annotated[
        list[str] | None,
        typer.Option(
            "--ruling",
            metavar="SHIP:LASER=TARGET",
            help="Decide a shot; lasers count from 1, the target is a card, CARD:shield or space: "
            "red-ghost:2=blue-viper. Ids or names, in English or French. Repeatable.",
        ),
    ] = None
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="CARD",
            help="Play as if this card were not there: its id, or its name in English or French; "
            "or X,Y: nothing more lies at this place of the photo. Repeatable.",
        ),
    ] = None
    set: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="PIECE.WHAT=VALUE",
            help="Correct a piece's place or another value of it: red-1.cell=d4. Repeatable.",
        ),
    ] = None
    what_if: Annotated[
        bool,
        typer.Option(
            "--what-if", help="Find the smallest move of one card that would change the winner."
        ),
    ] = False
    coach: Annotated[
        bool,
        typer.Option(
            "--coach",
            help="Say what would have been better, after the round; --out shows where on the "
            "table.",
        ),
    ] = False
    coach_for: Annotated[
        str | None,
        typer.Option("--coach-for", metavar="SIDE", help="Coach one side alone."),
    ] = None
    contested_from: Annotated[
        float | None,
        typer.Option(
            "--contested-from",
            min=0.0,
            max=1.0,
            metavar="P",
            help="A shot is contested from this chance of another outcome (0.01).",
        ),
    ] = None
    order: Annotated[
        list[str] | None,
        typer.Option(
            "--order",
            metavar="ORDER",
            help="An order, in a game of orders: orange fire b1>c1. Repeatable.",
        ),
    ] = None
    plan: Annotated[
        list[str] | None,
        typer.Option(
            "--plan",
            metavar="PROGRAMME",
            help="The same for a programme: red 1 F L - X. Repeatable.",
        ),
    ] = None
    next: Annotated[
        Path | None,
        typer.Option(
            "--next",
            metavar="FILE",
            help="Write the next position to this file: a picture from above, or .json.",
        ),
    ] = None
    career: Annotated[
        Path | None,
        typer.Option(
            "--career",
            metavar="FILE",
            help="Enter the round into this file of careers (see sightline career), and play it "
            "with their points and ranks.",
        ),
    ] = None
    round: Annotated[
        str | None,
        typer.Option(
            "--round",
            metavar="N",
            help="Which round in the file of careers this is: a number, to correct it, or new. "
            "Recognised by its file by default.",
        ),
    ] = None
    lang: LangOption = None


def read_rules(settings: Sequence[str] | None, form: Any, base: Any = None) -> Any:
    """Read the --rule options of a game over others; a mistake in them is wrong usage."""
    from vision.judging.options import parse_options

    try:
        return parse_options(form, settings or [], base)
    except TableFormatError as error:
        refuse(str(error))


def knows_rules(settings: Sequence[str] | None, form: Any) -> bool:
    """Tell whether a game has the options that were asked for."""
    from vision.judging.options import parse_options

    try:
        parse_options(form, settings or [])
    except TableFormatError:
        return False
    return True


@contextmanager
def wishing() -> Iterator[None]:
    """Turn a wish that cannot be granted, or options that do not fit, into wrong usage.

    An order that the rules make an error is none: as in a file, there is no result.
    """
    try:
        yield
    except IllegalOrderError:
        raise
    except (ValueError, TableFormatError) as error:
        refuse(str(error))


def language_for(lang: Language | None) -> str:
    """Return the language asked for, else that of the locale."""
    from vision.texts import language_of

    return language_of(os.environ) if lang is None else lang.value


def check_folder(option: str, folder: Path | None) -> None:
    """Refuse a folder that is a file."""
    if folder is not None and folder.exists() and not folder.is_dir():
        refuse(f"{option}: expected a folder; {str(folder)!r} is a file")


def check_outputs(source: Path, out: Path | None, json: Path | None) -> None:
    """Refuse outputs that cannot be written, before any work is done."""
    if out is not None and out.suffix.lower() not in _PICTURES:
        refuse(f"--out: pictures are written as {', '.join(_PICTURES)}; got {str(out)!r}")
    files = [path for path in (source, out, json) if path is not None and path != STDOUT]
    places = [path.resolve() for path in files]
    if len(set(places)) < len(places):
        refuse("the same file is named twice; a result cannot replace an input file")
    for path in (out, json):
        if path is not None and path != STDOUT:
            check_target(path)
