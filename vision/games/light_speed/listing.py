"""A deck -> its list: size, teams, and what each ship has."""

import math

from vision.games.light_speed.tell import side_of
from vision.games.light_speed.values import Deck, Ship
from vision.judging.game import ListedLine

__all__ = ["deck_in_short", "list_deck"]


def deck_in_short(deck: Deck) -> str:
    """Say in a few words what a deck is."""
    return f"{len(deck.ships)} ships, teams {', '.join(deck.teams)}"


def list_deck(deck: Deck) -> tuple[ListedLine, ...]:
    """Tell a deck: its size, its teams, and what each ship has."""
    teams: list[str | tuple[str, str]] = ["  teams      "]
    for team in deck.teams:
        teams += [", "] if len(teams) > 1 else []
        teams.append((team, f"bold {side_of(team, deck).colour}"))
    wide = max((len(ship.name) for ship in deck.ships), default=4)
    return (
        ListedLine(((deck.name, "bold"), f"  cards {deck.width_mm:g} x {deck.height_mm:g} mm")),
        ListedLine(tuple(teams)),
        ListedLine((f"  asteroids  {', '.join(deck.asteroids) or 'none'}",)),
        ListedLine(),
        ListedLine(((f"  speed  {'ship':<{wide}}  health  lasers and shields", "dim"),)),
        *(_line(ship, wide) for ship in deck.ships),
    )


def _line(ship: Ship, wide: int) -> ListedLine:
    head = f"  {ship.speed:>5}  {ship.name:<{wide}}  {ship.health:>6}  "
    return ListedLine((head,), _arms(ship))


def _arms(ship: Ship) -> str:
    """Write a ship's lasers and shields: ``2 at 0°, 1 at 135°; shield left -20..20``."""
    lasers = [f"{laser.power} at {math.degrees(laser.heading_rad):.4g}°" for laser in ship.lasers]
    shields = [f"{item.edge} {item.from_mm:g}..{item.to_mm:g}" for item in ship.shields]
    text = ", ".join(lasers) if lasers else "no laser"
    return f"{text}; shield {', '.join(shields)}" if shields else text
