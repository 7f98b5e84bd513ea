"""The commands of learned decks as things: preview, rename, copy, delete, restore, files."""

from pathlib import Path
from typing import Annotated

import typer

from vision.apps.cli.options import complete_deck
from vision.apps.cli.talk import refuse, reporting

__all__ = ["add_shelf"]

_Name = Annotated[
    str, typer.Argument(metavar="NAME", help="The learned deck.", autocompletion=complete_deck)
]
_New = Annotated[str, typer.Argument(metavar="NEW", help="Lower case letters, digits, dashes.")]


def add_shelf(decks: typer.Typer) -> None:
    """Add the commands to those of decks."""
    for name, run in (
        *(("preview", _preview), ("rename", _rename), ("copy", _copy)),
        *(("delete", _delete), ("restore", _restore), ("export", _export), ("import", _import)),
    ):
        decks.command(name=name)(run)


def _preview(
    name: _Name,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="PICTURE", help=".png or .jpg.")],
) -> None:
    """Draw all faces of a learned deck in rows."""
    if out.suffix.lower() not in (".png", ".jpg", ".jpeg", ".webp"):
        refuse(f"--out: pictures are written as .png, .jpg or .webp; got {str(out)!r}")
    with reporting():
        from calibration.learned.preview import contact_sheet
        from vision.apps.decks import find_deck
        from vision.files.whole import write_atomically
        from vision.imaging.photo import encode_image

        known = find_deck(name)
        sheet = contact_sheet(known.bank())
        write_atomically(out, encode_image(sheet, out.suffix.lower()))
        typer.echo(f"{out}: {len(known.bank().names)} faces of {known.name}")


def _rename(name: _Name, new: _New) -> None:
    """Give a learned deck another name."""
    with reporting():
        from calibration.learned.shelf import rename_deck
        from vision.apps.folders import deck_folder

        rename_deck(deck_folder(), name, new)
        typer.echo(f"{name} is now {new}")


def _copy(name: _Name, new: _New) -> None:
    """Make another deck of a learned deck."""
    with reporting():
        from calibration.learned.shelf import copy_deck
        from vision.apps.folders import deck_folder

        copy_deck(deck_folder(), name, new)
        typer.echo(f"{new} is a copy of {name}")


def _delete(name: _Name) -> None:
    """Delete a learned deck; until another of its name is deleted it can be brought back."""
    with reporting():
        from calibration.learned.shelf import put_away
        from vision.apps.folders import deck_folder

        put_away(deck_folder(), name)
        typer.echo(f"{name} is deleted; to bring it back: sightline deck restore {name}")


def _restore(name: _Name) -> None:
    """Bring a deleted deck back."""
    with reporting():
        from calibration.learned.shelf import bring_back
        from vision.apps.folders import deck_folder

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
    with reporting():
        from calibration.learned.archive import SUFFIX, pack_deck
        from calibration.learned.shelf import learned_folder
        from vision.apps.folders import deck_folder
        from vision.files.whole import write_atomically

        packed = pack_deck(learned_folder(deck_folder(), name))
        file = out or Path(name + SUFFIX)
        write_atomically(file, packed)
        typer.echo(f"{file}: {name}, {len(packed) / 1e6:.1f} MB")


def _import(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="NAME.sightline-deck")],
    name: Annotated[str, typer.Option(metavar="NAME", help="Another name for it.")] = "",
) -> None:
    """Take in a deck from a file that export wrote."""
    with reporting():
        from calibration.learned.shelf import import_deck
        from vision.apps.cli.deck_report import deck_line
        from vision.apps.decks import find_deck
        from vision.apps.folders import deck_folder

        taken = import_deck(deck_folder(), file, name)
        typer.echo(deck_line(find_deck(taken)))
