"""The command ``sightline deck draft``, and ``deck learn --photos``: a deck from photos of it."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vision.apps.cli.order import add_command
from vision.apps.cli.talk import console, refuse, reporting, working
from vision.apps.folders import deck_folder
from vision.files.whole import read_bytes, write_atomically

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibration.drafts.draft import Draft
    from vision.apps.cli.deck import LearnOrder

__all__ = ["add_draft", "learn_from_photos", "typed_size"]

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*[xX×]\s*(\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class _DraftOrder:
    """What was typed."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="The new deck.")]
    names: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Names in reading order, one per line; - for none."),
    ] = None
    template: Annotated[
        str, typer.Option(metavar="BOX", help="The names of a box: light-speed-2003.")
    ] = ""
    call: Annotated[
        list[str] | None, typer.Option(metavar="N=NAME", help="What card N is called.")
    ] = None
    back: Annotated[
        list[str] | None, typer.Option(metavar="N=M", help="Card N is the back of card M.")
    ] = None
    drop: Annotated[list[int] | None, typer.Option(metavar="N", help="Card N is none.")] = None
    turn: Annotated[list[int] | None, typer.Option(metavar="N", help="Card N is upside down.")] = (
        None
    )
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="PICTURE", help="All cards in rows.")
    ] = None
    finish: Annotated[
        bool, typer.Option("--finish", help="Make the deck from all named cards.")
    ] = False
    does: Annotated[
        Path | None,
        typer.Option(
            "--lasers", metavar="FILE.toml", help="A deck file that says what the cards do."
        ),
    ] = None
    replace: Annotated[bool, typer.Option("--replace", help="Replace a deck of that name.")] = False
    forget: Annotated[bool, typer.Option("--forget", help="Start again: delete the draft.")] = False


def add_draft(decks: typer.Typer) -> None:
    """Add the command to those of decks."""
    add_command(decks, "draft", _DraftOrder, _draft)


def learn_from_photos(order: "LearnOrder", does: Path | None, copies: int | None) -> None:
    """Put photos to the draft of a deck; make the deck if every card has a name."""
    if order.names is not None and order.template:
        refuse("--names and --template both name the cards; give one")
    from calibration.drafts.draft import add_photo, load_draft, new_draft
    from calibration.drafts.store import draft_folder, draft_names
    from vision.imaging.photo import decode_sound

    size = order.size
    if not size and order.width_mm is not None and order.height_mm is not None:
        size = f"{order.width_mm}x{order.height_mm}"
    folder = draft_folder(deck_folder(), order.name)
    if order.name in draft_names(deck_folder()):
        draft = load_draft(folder)
    else:
        draft = new_draft(folder, order.name, typed_size(size), order.beside)
    for path in order.files or ():
        with reporting(path):
            before, seen = len(draft.cards), sum(card.seen for card in draft.cards)
            encoded = read_bytes(path)
            with working(f"cutting {path.name}"):
                draft = add_photo(draft, decode_sound(encoded), encoded)
            found, new = sum(card.seen for card in draft.cards) - seen, len(draft.cards) - before
            typer.echo(f"{path.name}: {found} cards, {new} new; {len(draft.cards)} in all")
    draft = _named(draft, order.names, order.template)
    if draft.kept and all(card.name for card in draft.kept):
        _finish(draft, does, copies, order.replace)
    else:
        _show(draft, _naming(order.names, order.template))


def _draft(order: _DraftOrder) -> None:
    """Show the draft of a deck from photos; name its cards, drop, turn, pair; make the deck."""
    from calibration.drafts.draft import change_card, load_draft, pair_back
    from calibration.drafts.store import draft_folder, forget_draft

    if order.forget:
        forget_draft(deck_folder(), order.name)
        typer.echo(f"{order.name}: the draft is deleted")
        return
    draft = load_draft(draft_folder(deck_folder(), order.name))
    ids = [card.id for card in draft.kept]
    for n in order.drop or ():
        draft = change_card(draft, _at(ids, n), dropped=True)
    halves = {card.id: card.half for card in draft.cards}
    for n in order.turn or ():
        draft = change_card(draft, _at(ids, n), half=not halves[_at(ids, n)])
    draft = _named(draft, order.names, order.template)
    for text in order.call or ():
        n, name = _pair(text, "--call")
        draft = change_card(draft, _at(ids, n), name=name)
    for text in order.back or ():
        n, of = _pair(text, "--back")
        if not of.isdecimal():
            refuse(f"--back: needed N=M, two numbers of cards; got {text!r}")
        draft = pair_back(draft, _at(ids, n), _at(ids, int(of)))
    if order.out is not None:
        _write_sheet(draft, order.out)
    if order.finish:
        _finish(draft, order.does, None, order.replace)
    else:
        _show(draft, _naming(order.names, order.template))


def typed_size(typed: str) -> tuple[float, float] | None:
    """Return width and height in mm, as in 63.5x88.9; None where nothing was typed."""
    if not typed:
        return None
    found = _SIZE.fullmatch(typed.strip())
    if found is None:
        refuse(f"--size: needed WIDTHxHEIGHT in mm, such as 63.5x88.9; got {typed!r}")
    return float(found[1]), float(found[2])


def _pair(text: str, option: str) -> tuple[int, str]:
    n, _, value = text.partition("=")
    if not n.strip().isdecimal() or not value.strip():
        refuse(f"{option}: needed N=…, N the number of a card; got {text!r}")
    return int(n), value.strip()


def _at(ids: "Sequence[str]", n: int) -> str:
    if not 1 <= n <= len(ids):
        refuse(f"card {n}: there are cards 1 to {len(ids)}")
    return ids[n - 1]


def _named(draft: "Draft", names: Path | None, template: str) -> "Draft":
    from calibration.drafts.draft import name_all
    from calibration.drafts.finish import name_by_template, read_names
    from vision.files.documents import decode

    if template:
        return name_by_template(draft, template)
    if names is not None:
        return name_all(draft, read_names(decode(read_bytes(names))))
    return draft


def _finish(draft: "Draft", does: Path | None, copies: int | None, replace: bool) -> None:
    from calibration.drafts.finish import finish_draft
    from vision.apps.cli.deck_report import print_learned

    with working(f"learning {draft.name}"):
        learned = finish_draft(draft, deck_folder(), does=does, copies=copies, replace=replace)
    print_learned(console(), learned)


def _write_sheet(draft: "Draft", out: Path) -> None:
    from calibration.drafts.store import sheet_of
    from vision.imaging.photo import encode_image

    write_atomically(out, encode_image(sheet_of(draft), out.suffix.lower() or ".png"))


def _naming(names: Path | None, template: str) -> str:
    """Return what was typed to name all cards at once."""
    return f"--template {template}" if template else f"--names {names}" if names else ""


def _show(draft: "Draft", naming: str) -> None:
    """Say what the draft holds and what is missing, and what to type next."""
    from vision.apps.cli.report import show_line, wrap_lines

    screen = console()
    size = (
        "size not known yet" if draft.size_mm is None else "{:g} x {:g} mm".format(*draft.size_mm)
    )
    if draft.reference and draft.size_mm is not None:
        size = f"about {size} (±1 %) by the {draft.reference}: check one with a ruler"
    photos = "1 photo" if len(draft.photos) == 1 else f"{len(draft.photos)} photos"
    show_line(
        screen, (f"{draft.name}  a draft of {len(draft.kept)} cards, {size}, {photos}", "bold")
    )
    told = {
        "glare": "its photos differ in places",
        "unlike": "its photos differ in colour or fill: they may be two cards",
        "pale": "pale from glare: photograph it again without the lamp",
        "outline": "its size or shape is not that of the others: check the cut",
        "edge": "part of an edge cannot be seen: check the cut",
        "order": "added later, at the end: check that the names still match",
        "name": "its picture matches a different name better",
        "slot": "it may be cut along a frame printed on the mat, not along its edge",
    }
    for n, card in enumerate(draft.kept, 1):
        doubts = ", ".join(told[doubt] for doubt in card.doubts)
        seen = "" if card.seen == 1 else f"  in {card.seen} photos"
        text = f"{card.name or '(no name)'}{seen}{'  look: ' + doubts if doubts else ''}"
        for line in wrap_lines(screen, text, f"  {n:3d}  ", "       "):
            show_line(screen, line)
    for line in _next(draft, naming):
        show_line(screen, f"  {line}")


def _next(draft: "Draft", naming: str) -> list[str]:
    """Say what to type next; ``naming`` is what named all cards at once, and left some without."""
    command = f"sightline deck draft {draft.name}"
    spare = [str(n) for n, card in enumerate(draft.kept, 1) if not card.name]
    if not (naming and spare):
        return [
            f"name them: {command} --names FILE, or --call N=NAME; see them: --out cards.png; then "
            "--finish"
        ]
    drops = " ".join(f"--drop {n}" for n in spare)
    return [
        f"without a name: {', '.join(spare)}; see them: {command} --out cards.png",
        f"if another card N is one too many, the names are shifted: {command} --drop N {naming} "
        "--finish",
        f"if these are: {command} {drops} --finish",
    ]
