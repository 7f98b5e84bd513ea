"""The commands ``sightline deck``: list, show, learn, fit, keep, draw and print decks."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vision.apps.cli.deck_draft import add_draft, learn_from_photos, typed_size
from vision.apps.cli.options import DeckArgument, Paper, complete_deck
from vision.apps.cli.order import add_command, add_function, group
from vision.apps.cli.talk import console, printable, refuse, working
from vision.apps.folders import deck_folder
from vision.errors import DeckError
from vision.files.whole import atomic_path, read_bytes, write_atomically

if TYPE_CHECKING:
    from calibration.printing import Art
    from vision.apps.fits import Fitted
    from vision.apps.known import Known

__all__ = ["LearnOrder", "add_decks"]
_LIMITS_MM = (15.0, 500.0)  # of a card's side, as for learning
_Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The learned deck.", autocompletion=complete_deck)
]
_New = Annotated[str, typer.Argument(metavar="NEW", help="Lower case letters, digits, dashes.")]


def add_decks(app: typer.Typer) -> None:
    """Add the commands to the program."""
    said = "The decks that the program knows: list, show, learn, keep, draw, print."
    decks = group(app, "deck", said)
    add_function(decks, "list", _list_known)
    add_function(decks, "show", _show)
    add_command(decks, "learn", LearnOrder, _learn)
    add_command(decks, "fit", _FitOrder, _fit)
    add_draft(decks)
    for name, run in (
        *(("preview", _preview), ("rename", _rename), ("copy", _copy)),
        *(("delete", _delete), ("restore", _restore), ("export", _export), ("import", _import)),
        *(("art", _art), ("print", _print_sheets)),
    ):
        add_function(decks, name, run)


def _list_known() -> None:
    """List the decks, and the games with the pieces that come with them."""
    from vision.apps.cli.deck_report import deck_line
    from vision.apps.decks import all_names
    from vision.apps.known import known_game
    from vision.games.registry import game_names

    games = [name for name in game_names() if known_game(name).name not in all_names()]
    for name in (*all_names(), *games):
        try:
            typer.echo(deck_line(_find(name)))
        except DeckError as error:  # one that is damaged does not hide the others
            typer.echo(f"{name}  {printable(str(error))}")


def _show(
    name: DeckArgument,
    json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Show a deck or a game's pieces: of ships speed, health, lasers and shields."""
    from vision.apps.cli.deck_report import (
        learned_of,
        pieces_to_json,
        print_faces,
        print_pieces,
    )
    from vision.apps.cli.results import to_text
    from vision.apps.decks import KnownDeck, to_document

    known = _find(name)
    if json:
        if isinstance(known, KnownDeck):
            document = to_document(known)
        else:
            document = known.game.deck_to_json() or pieces_to_json(known.game)
        typer.echo(to_text(document), nl=False)
        return
    learned = learned_of(known)
    if learned is None or known.game.list_pieces():
        print_pieces(console(), known.game)
    if learned is not None:
        print_faces(console(), known, learned)


@dataclass(frozen=True, slots=True)
class LearnOrder:
    """What was typed of a deck to be learned."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="A name for the deck.")]
    files: Annotated[
        list[Path] | None, typer.Argument(metavar="[PHOTO]...", help="Photos, with --photos.")
    ] = None
    images: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="One picture per card, cut to the card's edge, upright; file names become ids. A "
            "subfolder holds several pictures of one card.",
        ),
    ] = None
    photos: Annotated[
        bool, typer.Option("--photos", help="Learn from photos of cards laid out in rows.")
    ] = False
    width_mm: Annotated[float | None, typer.Option(metavar="MM", help="Width of the cards.")] = None
    height_mm: Annotated[float | None, typer.Option(metavar="MM", help="Height of the cards.")] = (
        None
    )
    size: Annotated[
        str, typer.Option(metavar="WxH", help="Their size in mm, such as 63.5x88.9.")
    ] = ""
    beside: Annotated[
        str, typer.Option(metavar="bank-card|a4", help="Measure by an object beside the cards.")
    ] = ""
    names: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Names of the cards, row by row, one per line."),
    ] = None
    template: Annotated[
        str, typer.Option(metavar="BOX", help="The names of a box: light-speed-2003.")
    ] = ""
    corner_mm: Annotated[
        float, typer.Option(metavar="MM", help="Radius of their corners, if over 3.5.")
    ] = 0.0
    lasers: Annotated[
        Path | None,
        typer.Option(metavar="FILE.toml", help="A deck file that says what the cards do."),
    ] = None
    copies: Annotated[
        str, typer.Option(metavar="N|any", help="How many copies of a card there may be.")
    ] = ""
    replace: Annotated[bool, typer.Option("--replace", help="Replace a deck of that name.")] = False


def _learn(order: LearnOrder) -> None:
    """Learn a deck from pictures or photos of its cards, so that photos of it can be read."""
    if order.photos or order.files:
        _learn_photos(order)
        return
    size_mm = typed_size(order.size)
    if size_mm is None and order.width_mm is not None and order.height_mm is not None:
        size_mm = order.width_mm, order.height_mm
    if order.images is None or size_mm is None:
        refuse(
            "needed: --images DIR with --size WxH or --width-mm and --height-mm, "
            "or --photos PHOTO..."
        )
    from calibration.learned.learn import DeckSize, learn_deck
    from vision.apps.cli.deck_report import print_learned

    copies = _copies(order.copies)
    size = DeckSize(*size_mm, order.corner_mm, copies)
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


def _learn_photos(order: LearnOrder) -> None:
    """Learn from photos; what was typed for pictures that are cut already does not go with them."""
    if order.images is not None or not order.files:
        refuse("needed: photos after --photos, and no --images")
    if order.beside not in ("", "bank-card", "a4"):
        refuse(f"--beside: needed bank-card or a4; got {order.beside!r}")
    learn_from_photos(order, order.lasers, _copies(order.copies))


def _copies(typed: str) -> int | None:
    """Return how often a card may lie there, None where nothing was typed."""
    from vision.values.pieces import ANY_NUMBER

    if typed == "any":
        return ANY_NUMBER
    if typed and not (typed.isdecimal() and 0 < int(typed) < ANY_NUMBER):
        refuse(f"--copies: needed a number from 1, or any; got {typed!r}")
    return int(typed) if typed else None


def _art(
    name: DeckArgument,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder; created if missing.")],
    dpi: Annotated[float, typer.Option(min=36, max=1200, help="Pixels per inch of card.")] = 300,
) -> None:
    """Write one PNG per card face, cut to the card's edge."""
    from calibration.printing import write_pictures

    art = _art_of(name)
    with working(f"drawing {name}"):
        written = write_pictures(art, out, dpi=dpi)
    typer.echo(f"{len(written)} faces in {out}; {_sizes(art)}")


def _print_sheets(
    name: DeckArgument,
    out: Annotated[Path, typer.Option(metavar="FILE.pdf", help="The PDF to write.")],
    paper: Annotated[Paper, typer.Option(help="The paper in your printer.")] = Paper.A4,
) -> None:
    """Write print-and-play sheets at true size, with cut marks."""
    if out.suffix.lower() != ".pdf":
        refuse(f"--out: sheets are written as .pdf; got {str(out)!r}")
    from calibration.printing import print_pieces

    art = _art_of(name)
    with working(f"drawing {name}"), atomic_path(out) as temporary:
        print_pieces(art, temporary, paper.value)
    typer.echo(f"{out}: print it at 100 % on {paper.value}; {_sizes(art)}")


def _find(name: str) -> "Known":
    """Return a deck or, by its name, a game with the pieces that come with it."""
    from vision.apps.decks import all_names, find_deck
    from vision.apps.known import known_game
    from vision.games.registry import game_names

    is_game = name in game_names() and name not in all_names()
    return known_game(name) if is_game else find_deck(name)


def _art_of(name: str) -> "Art":
    """Return what draws the pieces of a deck or game."""
    from calibration.printing import art_of
    from vision.apps.cli.deck_report import learned_of

    known = _find(name)
    if learned_of(known) is not None:
        refuse(f"{name}: its faces were learned from pictures; those are its art")
    return art_of(known.game)


def _sizes(art: "Art") -> str:
    """Say how large each piece is."""
    from vision.apps.cli.deck_report import plural

    sizes: dict[str, list[str]] = {}
    for piece in art.pieces.pieces:
        size = f"{piece.size_mm[0]:.4g} x {piece.size_mm[1]:.4g}"
        if size not in sizes.setdefault(piece.kind, []):
            sizes[piece.kind].append(size)
    return ", ".join(
        f"each {kind} is {size} mm"
        if not more
        else f"{plural(kind)} are {size}, {', '.join(more)} mm"
        for kind, (size, *more) in sizes.items()
    )


# --- fit -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _FitOrder:
    """What was typed."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="The learned deck.")]
    photos: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PHOTO...", help="Photos of some of its cards; each counts once."),
    ] = None
    width_mm: Annotated[
        float | None, typer.Option(metavar="MM", help="Width of a card, if you measured it.")
    ] = None
    height_mm: Annotated[
        float | None, typer.Option(metavar="MM", help="Height of a card, if you measured it.")
    ] = None
    forget: Annotated[
        bool, typer.Option("--forget", help="Undo all fits: use the deck as it was learned.")
    ] = False


def _fit(order: _FitOrder) -> None:
    """Measure a learned deck's size and cut in photos of its cards, and keep them with it."""
    photos = order.photos or []
    for length in (order.width_mm, order.height_mm):
        if length is not None and not _LIMITS_MM[0] <= length <= _LIMITS_MM[1]:
            refuse(f"a card's side of {length:g} mm: needed 15 to 500 mm")
    if order.forget and photos:
        refuse("--forget takes no photos")
    from calibration.learned.decks import learned_names
    from vision.apps.fits import fit_deck, forget_fit
    from vision.errors import DeckError

    store = deck_folder()
    if order.name not in learned_names(store):
        known = ", ".join(learned_names(store)) or "none yet"
        msg = f"no deck {order.name!r} was learned from pictures; learned: {known}"
        raise DeckError(msg)
    if order.forget:
        forget_fit(store / order.name)
        typer.echo(f"{order.name}: as it was learned")
        return
    encoded = [read_bytes(photo) for photo in photos]
    with working(f"measuring {order.name}"):
        fitted = fit_deck(
            store / order.name, encoded, width_mm=order.width_mm, height_mm=order.height_mm
        )
    _print_fitted(order.name, fitted)


def _print_fitted(name: str, fitted: "Fitted") -> None:
    """Say what is now kept."""
    from vision.apps.cli.report import show_line
    from vision.seeing.issues.size_and_trim import ASPECT

    screen = console()
    (told_w, told_h), (width, height) = fitted.told_mm, fitted.size_mm
    photos = "1 photo" if fitted.photos == 1 else f"{fitted.photos} photos"
    differs = max(abs(width / told_w - 1), abs(height / told_h - 1)) > ASPECT / 2
    told = f", the deck said {told_w:g} x {told_h:g}" if differs else ", as the deck said"
    show_line(screen, (f"{name}  cards of {width:.1f} x {height:.1f} mm{told}; {photos}", "bold"))
    sides = zip(("left", "top", "right", "bottom"), fitted.insides_mm, fitted.sd_mm, strict=True)
    ends = ", ".join(f"{side} {mm:.1f} ± {sd:.1f}" for side, mm, sd in sides)
    show_line(screen, f"  its pictures end inside the cards' edges by, mm: {ends}")
    show_line(screen, f"  kept; to undo: sightline deck fit {name} --forget")


# --- kept, packed and taken in -------------------------------------------------------------------


def _preview(
    name: _Name,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="PICTURE", help=".png or .jpg.")],
) -> None:
    """Draw all faces of a learned deck in rows."""
    if out.suffix.lower() not in (".png", ".jpg", ".jpeg", ".webp"):
        refuse(f"--out: pictures are written as .png, .jpg or .webp; got {str(out)!r}")
    from calibration.learned.preview import contact_sheet
    from vision.apps.decks import find_deck
    from vision.imaging.photo import encode_image

    known = find_deck(name)
    sheet = contact_sheet(known.bank())
    write_atomically(out, encode_image(sheet, out.suffix.lower()))
    typer.echo(f"{out}: {len(known.bank().names)} faces of {known.name}")


def _rename(name: _Name, new: _New) -> None:
    """Give a learned deck another name."""
    from calibration.learned.shelf import rename_deck

    rename_deck(deck_folder(), name, new)
    typer.echo(f"{name} is now {new}")


def _copy(name: _Name, new: _New) -> None:
    """Make another deck of a learned deck."""
    from calibration.learned.shelf import copy_deck

    copy_deck(deck_folder(), name, new)
    typer.echo(f"{new} is a copy of {name}")


def _delete(name: _Name) -> None:
    """Delete a learned deck; until another of its name is deleted it can be brought back."""
    from calibration.learned.shelf import put_away

    put_away(deck_folder(), name)
    typer.echo(f"{name} is deleted; to bring it back: sightline deck restore {name}")


def _restore(name: _Name) -> None:
    """Bring a deleted deck back."""
    from calibration.learned.shelf import bring_back

    bring_back(deck_folder(), name)
    typer.echo(f"{name} is back")


def _export(
    name: _Name,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="NAME.sightline-deck here by default."),
    ] = None,
) -> None:
    """Write a learned deck into one file, to be kept or given to others."""
    from calibration.learned.archive import SUFFIX, pack_deck
    from calibration.learned.shelf import learned_folder

    packed = pack_deck(learned_folder(deck_folder(), name))
    file = out or Path(name + SUFFIX)
    write_atomically(file, packed)
    typer.echo(f"{file}: {name}, {len(packed) / 1e6:.1f} MB")


def _import(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="NAME.sightline-deck")],
    name: Annotated[str, typer.Option(metavar="NAME", help="Another name for it.")] = "",
) -> None:
    """Take in a deck from a file that export wrote."""
    from calibration.learned.shelf import import_deck
    from vision.apps.cli.deck_report import deck_line
    from vision.apps.decks import find_deck

    taken = import_deck(deck_folder(), file, name)
    typer.echo(deck_line(find_deck(taken)))
