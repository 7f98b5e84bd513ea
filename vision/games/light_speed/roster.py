"""Who is on a table: which card is which ship, who plays, and where the rocks lie."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import pairwise

from vision.errors import TableFormatError
from vision.games.light_speed.deck import SHIP_BACK, card_ids, is_asteroid
from vision.games.light_speed.values import Deck, Ship, TableState
from vision.values.layout import unread_id

__all__ = [
    "Pool",
    "Roster",
    "call_roll",
    "find_pools",
    "find_teams",
    "is_card",
    "is_face_down",
    "is_unreadable",
    "ships_of",
]

ROCKS_ALONE = 12  # on the only asteroid
ROCKS_EACH = {1: 6, 2: 6, 3: 8}  # with two asteroids or more, by the number of teams
ROCKS_EACH_MORE = 10  # for four teams; no rulebook tells of five

_FACE_DOWN = re.compile(rf"{SHIP_BACK}(-[0-9]+)?")
_UNREADABLE = re.compile(unread_id("[0-9]+"))


@dataclass(frozen=True, slots=True)
class Pool:
    """Rocks that lie together: ``source`` stands for the cards or the object they lie on."""

    source: str
    members: tuple[str, ...]
    rocks: int


@dataclass(frozen=True, slots=True)
class Roster:
    """The cards of a table by what they are; ids sorted.

    ``ships`` maps the face-up ships to team and design. ``opponent_takes`` says that a dead ship
    goes to the other team, whoever shot it, ``piracy`` that damage takes rocks from a ship.
    """

    ships: Mapping[str, tuple[str, Ship]]
    face_down: tuple[str, ...]
    unreadable: tuple[str, ...]
    pools: tuple[Pool, ...]
    teams: tuple[str, ...]
    opponent_takes: bool
    piracy: bool = False

    @property
    def source_of(self) -> dict[str, str]:
        """The pool, by its source, of each card and object that is part of one."""
        return {member: pool.source for pool in self.pools for member in pool.members}


def is_face_down(card_id: str) -> bool:
    """Tell whether an id is that of a ship lying face down (``ship-back``, ``ship-back-2``)."""
    return _FACE_DOWN.fullmatch(card_id) is not None


def is_unreadable(card_id: str) -> bool:
    """Tell whether an id is that of a card that could not be read (``unknown-1``)."""
    return _UNREADABLE.fullmatch(card_id) is not None


def ships_of(deck: Deck) -> dict[str, tuple[str, Ship]]:
    """Return team and design of every ship's card of a deck, by card id."""
    return {f"{team}-{ship.name}": (team, ship) for team in deck.teams for ship in deck.ships}


def call_roll(table: TableState, deck: Deck) -> Roster:
    """Sort the cards of a table by what they are."""
    ids = sorted([*(c.card_id for c in table.cards), *(o.id for o in table.objects)])
    for one, other in pairwise(ids):
        if one == other:
            msg = f'"{one}" is on the table twice; each card is there only once'
            raise TableFormatError(msg)
    known = ships_of(deck)
    cards = sorted(c.card_id for c in table.cards)
    ships = {c: known[c] for c in cards if c in known}
    others = [c for c in cards if c not in known and not is_asteroid(deck, c)]
    face_down = tuple(c for c in others if is_face_down(c))
    unreadable = tuple(c for c in others if is_unreadable(c))
    named = {*cards, *(one.piece for c in table.cards for one in c.may_be if one.piece)}
    ids_of_deck = card_ids(deck)
    strange = sorted(c for c in named if not is_card(c, ids_of_deck))
    if strange:
        msg = f'the deck "{deck.name}" has no card "{strange[0]}"'
        raise TableFormatError(msg)
    teams = find_teams(table, deck)
    return Roster(
        ships=ships,
        face_down=face_down,
        unreadable=unreadable,
        pools=find_pools(table, deck),
        teams=teams,
        opponent_takes=_opponent_takes(table, teams),
        piracy=table.rules.piracy,
    )


def is_card(name: str, known: Collection[str]) -> bool:
    """Tell whether a card may be called so: as one that is known, face down, or not read."""
    return name in known or is_face_down(name) or is_unreadable(name)


def find_teams(table: TableState, deck: Deck) -> tuple[str, ...]:
    """Return the teams that play, in the deck's order: those named, or those with a card."""
    ships = ships_of(deck)
    present = {ships[c.card_id][0]: c.card_id for c in table.cards if c.card_id in ships}
    named = table.rules.teams
    if named is None:
        return tuple(team for team in deck.teams if team in present)
    for team in named:
        if team not in deck.teams:
            msg = f'rule "teams": no team "{team}" in this deck; it has {", ".join(deck.teams)}'
            raise TableFormatError(msg)
    for team, card in present.items():
        if team not in named:
            msg = (
                f'rule "teams": {card} is on the table, but {team} is not among {", ".join(named)}'
            )
            raise TableFormatError(msg)
    return tuple(team for team in deck.teams if team in named)


def _opponent_takes(table: TableState, teams: tuple[str, ...]) -> bool:
    credit = table.rules.kill_credit
    if credit == "opponent" and len(teams) > 2:
        msg = (
            f'rule "kill_credit": opponent needs two teams, and {len(teams)} play '
            f"({', '.join(teams)}); use auto or most-damage"
        )
        raise TableFormatError(msg)
    return credit == "opponent" or (credit == "auto" and len(teams) == 2)


def find_pools(table: TableState, deck: Deck) -> tuple[Pool, ...]:
    """Return the asteroids of a table with the rocks they begin with, by source."""
    cards = sorted(c.card_id for c in table.cards if is_asteroid(deck, c.card_id))
    together: tuple[str, ...] = ()
    if table.rules.asteroids == "joined":
        together = tuple(cards)
    elif table.rules.asteroids == "auto" and len(deck.asteroids) > 1:
        backs = tuple(sorted(f"{asteroid}-back" for asteroid in deck.asteroids))
        together = backs if set(backs) <= set(cards) else ()
    groups: list[tuple[str, ...]] = [(c,) for c in cards if c not in together]
    groups += [together] if together else []
    groups += [(o.id,) for o in table.objects if o.kind == "asteroid"]
    rocks = table.rules.rocks
    if rocks is None:
        teams = len(find_teams(table, deck))
        many = ROCKS_EACH.get(max(teams, 1), ROCKS_EACH_MORE)
        rocks = ROCKS_ALONE if len(groups) == 1 else many
    return tuple(Pool(group[0], tuple(group), rocks) for group in sorted(groups))
