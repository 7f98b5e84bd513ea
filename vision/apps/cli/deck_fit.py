"""The command ``sightline deck fit``: photos in; a learned deck's own size and cut kept with it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vision.apps.cli.order import add_command
from vision.apps.cli.talk import console, refuse, reporting, working

if TYPE_CHECKING:
    from vision.apps.fits import Fitted

__all__ = ["add_fit"]

_LIMITS_MM = (15.0, 500.0)  # of a card's side, as for learning


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


def add_fit(decks: typer.Typer) -> None:
    """Add the command to those of decks."""
    add_command(decks, "fit", _FitOrder, _fit)


def _fit(order: _FitOrder) -> None:
    """Measure a learned deck's size and cut in photos of its cards, and keep them with it."""
    photos = order.photos or []
    for length in (order.width_mm, order.height_mm):
        if length is not None and not _LIMITS_MM[0] <= length <= _LIMITS_MM[1]:
            refuse(f"a card's side of {length:g} mm: needed 15 to 500 mm")
    if order.forget and photos:
        refuse("--forget takes no photos")
    with reporting():
        from calibration.learned.decks import learned_names
        from vision.apps.fits import fit_deck, forget_fit
        from vision.apps.folders import deck_folder
        from vision.errors import DeckError
        from vision.files.whole import read_bytes

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
