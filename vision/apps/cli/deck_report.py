"""What ``sightline deck`` prints: a deck's ships, its faces, what was learned."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from vision.apps.cli.report import show_line, wrap_lines
from vision.games.light_speed.sides import side_of
from vision.games.light_speed.values import Deck, Ship

if TYPE_CHECKING:
    from calibration.learned.learn import Learned

__all__ = ["deck_line", "print_deck", "print_faces", "print_learned"]

_MOST_NAMED = 12  # in one remark


def print_deck(console: Console, deck: Deck) -> None:
    """Print a deck: its size, its teams, and what each ship has."""
    show_line(console, (deck.name, "bold"), f"  cards {deck.width_mm:g} x {deck.height_mm:g} mm")
    show_line(
        console,
        "  teams      ",
        *_joined([(team, f"bold {side_of(team, deck).colour}") for team in deck.teams]),
    )
    show_line(console, f"  asteroids  {', '.join(deck.asteroids) or 'none'}")
    show_line(console)
    wide = max((len(ship.name) for ship in deck.ships), default=4)
    show_line(console, (f"  speed  {'ship':<{wide}}  health  lasers and shields", "dim"))
    for ship in deck.ships:
        head = f"  {ship.speed:>5}  {ship.name:<{wide}}  {ship.health:>6}  "
        for line in wrap_lines(console, _arms(ship), head, " " * len(head)):
            show_line(console, line)


def deck_line(name: str, deck: Deck, cards: int | None) -> str:
    """Say in one line what a deck is; ``cards`` is their number in a deck of pictures."""
    ships = f"{len(deck.ships)} ships, teams {', '.join(deck.teams)}" if deck.ships else ""
    if cards is None:
        return f"{name}  {ships}"
    size = f"{deck.width_mm:g} x {deck.height_mm:g} mm"
    return f"{name}  {cards} cards learned from pictures, {size}, {ships or 'no lasers'}"


def print_faces(
    console: Console, deck: Deck, names: Sequence[Sequence[str]], symmetric: Sequence[bool]
) -> None:
    """Print the cards of a deck of pictures; those with one face on one line."""
    count = sum(len(group) for group in names)
    show_line(console, (deck_line(deck.name, deck, count), "bold"))
    for group, half in sorted(zip(names, symmetric, strict=True), key=lambda item: item[0][0]):
        more = "  the same turned by half" if half else ""
        show_line(console, f"  {', '.join(group)}", (more, "dim"))


def print_learned(console: Console, learned: "Learned") -> None:
    """Say what was learned, and what was noticed on the way."""
    deck, cards = learned.deck.deck, learned.deck.card_ids
    show_line(console, (deck_line(deck.name, deck, len(cards)), "bold"))
    notes = [
        ("no pictures, ignored: ", list(learned.ignored)),
        ("turned clockwise to stand upright: ", list(learned.turned)),
        ("the same picture, told apart by nothing: ", [" = ".join(g) for g in learned.same]),
        ("much alike, a photo may not tell: ", [" and ".join(pair) for pair in learned.alike]),
        ("the same turned by half, which no photo can tell: ", list(learned.symmetric)),
        ("without a picture, never found: ", list(learned.without_picture)),
    ]
    for head, things in notes:
        if not things:
            continue
        more = f" and {len(things) - _MOST_NAMED} more" if len(things) > _MOST_NAMED else ""
        text = head + ", ".join(things[:_MOST_NAMED]) + more
        for line in wrap_lines(console, text, "  - ", "    "):
            show_line(console, line)
    show_line(console, f"  scan a photo of it: sightline scan PHOTO --deck {deck.name}")


def _joined(parts: list[tuple[str, str]]) -> list[str | tuple[str, str]]:
    out: list[str | tuple[str, str]] = []
    for part in parts:
        out += [", ", part] if out else [part]
    return out


def _arms(ship: Ship) -> str:
    """Write a ship's lasers and shields: ``2 at 0°, 1 at 135°; shield left -20..20``."""
    lasers = [f"{laser.power} at {math.degrees(laser.heading_rad):.4g}°" for laser in ship.lasers]
    shields = [f"{item.edge} {item.from_mm:g}..{item.to_mm:g}" for item in ship.shields]
    text = ", ".join(lasers) if lasers else "no laser"
    return f"{text}; shield {', '.join(shields)}" if shields else text
