"""A table -> the turn while it is played: ships, where cards lie, what is spent and what is gone.

One value that changes, for one turn only: the rules' modules write into it, and :mod:`resolve`
makes the frozen outcome of it. Nobody else sees it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.values import (
    WEAPONS,
    Card,
    Deed,
    Entry,
    Face,
    Note,
    Rank,
    Table,
)

__all__ = ["Attack", "Battle", "Commander", "Ship", "rank_of"]

_SIZE = 20  # a flagship's hull at the beginning, without a campaign


@dataclass(slots=True)
class Ship:
    """A flagship (named by its seat) or an auxiliary (by its card); ``pool`` is unspent energy."""

    id: str
    seat: str
    hull: int
    size: int
    card: Card | None = None
    face: Face | None = None
    state: str = "in_play"
    by: str | None = None
    pool: int = 0
    is_paid: bool = False
    has_acted: bool = False

    @property
    def is_flagship(self) -> bool:
        """Tell whether it is the seat's flagship."""
        return self.card is None

    @property
    def speed(self) -> int:
        """An auxiliary's speed, ucs; 0 of a flagship."""
        return self.face.speed if self.face is not None else 0

    def has(self, keyword: str) -> bool:
        """Tell whether its card bears a keyword."""
        return self.face is not None and keyword in self.face.keywords


@dataclass(slots=True)
class Commander:
    """A seat's commander: where he is, his fate and whose doing it was, who broke his ship."""

    seat: str
    aboard: str
    fate: str | None
    broken_by: str | None
    ended_by: str | None = None
    surrenders_to: str | None = None
    has_moved: bool = False
    hyperdrive: str | None = None


@dataclass(frozen=True, slots=True)
class Attack:
    """A valid attack: its deed, its place among the declarations, its class.

    ``speed`` is that of missiles and ships; ``reach`` is how far a weapon or a missile goes, uds.
    """

    deed: Deed
    index: int
    kind: str
    source: str
    target: str
    speed: int = 0
    reach: int = 0


def rank_of(cumul: int) -> int:
    """Return the index of the rank that some points are worth."""
    ranks = deck().ranks
    return max(index for index, rank in enumerate(ranks) if rank.cumul <= max(cumul, 0))


@dataclass(slots=True)
class Battle:
    """The turn as far as it is played."""

    table: Table
    cards: dict[str, Card] = field(default_factory=dict)
    faces: dict[str, Face] = field(default_factory=dict)
    covered_by: dict[str, str] = field(default_factory=dict)
    ships: dict[str, Ship] = field(default_factory=dict)
    commanders: dict[str, Commander] = field(default_factory=dict)
    at_first: tuple[str, ...] = ()  # the seats in play when the turn begins
    ready: dict[str, int] = field(default_factory=dict)
    spent: dict[str, int] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    gone: dict[str, str] = field(default_factory=dict)
    attacks: list[Attack] = field(default_factory=list)
    repairs: list[tuple[str, str]] = field(default_factory=list)  # device, the ship it is on
    raised: dict[str, str] = field(default_factory=dict)  # for the turns to come: card, source
    shields: list[tuple[str, str]] = field(default_factory=list)  # that face a source, in order
    absorbed: dict[str, int] = field(default_factory=dict)
    jamming: dict[str, int] = field(default_factory=dict)  # capacity left
    intercepts: list[tuple[str, str]] = field(default_factory=list)  # card, target
    closing: dict[frozenset[str], int] = field(default_factory=dict)
    ripostes_closing: dict[str, int] = field(default_factory=dict)
    dodging: set[str] = field(default_factory=set)
    jumper: str | None = None
    followers: list[str] = field(default_factory=list)
    jumped: list[str] = field(default_factory=list)
    initiative: list[tuple[str, bool]] = field(default_factory=list)
    ledger: list[Entry] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    points: dict[str, int] = field(default_factory=dict)
    capsules_shot: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table) -> "Battle":
        """Set a table up."""
        new = cls(table)
        faces = deck().faces
        for card in sorted(table.cards, key=lambda card: card.id):
            new.cards[card.id], new.faces[card.id] = card, faces[card.face]
            new.covered_by[card.id] = card.on or card.seat
        for seat in sorted(table.seats, key=lambda seat: seat.id):
            aboard = seat.commander or seat.id
            new.commanders[seat.id] = Commander(seat.id, aboard, seat.fate, seat.broken_by)
            size = seat.size or new._size(seat.id)
            fate = "destroyed" if seat.fate == "escaped" else seat.fate
            state = "lost" if seat.is_lost else fate or "in_play"
            new.ships[seat.id] = Ship(seat.id, seat.id, seat.hull, size, state=state)
            new.points[seat.id] = new.ready[seat.id] = new.spent[seat.id] = 0
        for name, card in new.cards.items():
            face = new.faces[name]
            if face.kind == "auxiliary":
                hull = face.capacity if card.hull is None else card.hull
                new.ships[name] = Ship(name, card.seat, hull, face.capacity, card, face)
        for name, card in new.cards.items():
            if new.faces[name].kind == "energy" and not card.engaged:
                new.ships[new.ship_of(name)].pool += new.faces[name].capacity
                new.ready[card.seat] += new.faces[name].capacity
        new.shields = [(name, card.up) for name, card in new.cards.items() if card.up is not None]
        new.at_first = tuple(s for s in new.commanders if new.in_play(s))
        return new

    def _size(self, seat: str) -> int:
        """Return the size of a flagship of which none is given."""
        chosen = self.table.options.hull
        by_rank = chosen == "rank" or (chosen == "auto" and self.table.campaign is not None)
        return self.rank(seat).hull if by_rank else _SIZE

    # --- who is who ------------------------------------------------------------------------------

    def rank(self, seat: str) -> Rank:
        """Return the rank of a seat's officer."""
        campaign = self.table.campaign
        return deck().ranks[rank_of(0 if campaign is None else campaign.officers.get(seat, 0))]

    def in_play(self, seat: str) -> bool:
        """Tell whether a commander is in play."""
        return seat in self.commanders and self.commanders[seat].fate is None

    def side(self, seat: str) -> tuple[str, ...]:
        """Return a seat with its partner: of four, the one across."""
        seats = sorted(self.commanders)
        if len(seats) < 4:
            return (seat,)
        at = seats.index(seat)
        return tuple(sorted((seat, seats[(at + 2) % 4])))

    def enemies(self, seat: str) -> tuple[str, ...]:
        """Return the enemies of a seat that were in play when the turn began."""
        return tuple(other for other in self.at_first if other not in self.side(seat))

    def is_enemy(self, seat: str, other: str) -> bool:
        """Tell whether another seat is an enemy in play."""
        return other in self.enemies(seat) and self.in_play(other)

    def enemy_ships(self, seat: str) -> list[str]:
        """Return the ships in play of the enemies of a seat."""
        enemies = [other for other in self.enemies(seat) if self.in_play(other)]
        return [s.id for s in self.ships.values() if s.seat in enemies and s.state == "in_play"]

    def own_ships(self, seat: str) -> list[str]:
        """Return the ships in play of a seat."""
        return [s.id for s in self.ships.values() if s.seat == seat and s.state == "in_play"]

    # --- where things are ------------------------------------------------------------------------

    def ship_of(self, card: str) -> str:
        """Return the ship that a card is part of; an auxiliary is its own."""
        at = card
        while at in self.cards and self.faces[at].kind != "auxiliary":
            at = self.covered_by[at]
        return at

    def on_ship(self, ship: str, *kinds: str) -> Iterator[str]:
        """Yield the cards of some kinds that are part of a ship and in play, by id."""
        for name, face in self.faces.items():
            if face.kind in kinds and name not in self.gone and self.ship_of(name) == ship:
                yield name

    def lying_on(self, name: str) -> Iterator[str]:
        """Yield all that lies on a card, and on that."""
        for other, under in self.covered_by.items():
            if under == name and other not in self.gone:
                yield other
                yield from self.lying_on(other)

    def weapons_on(self, ship: str) -> tuple[str, ...]:
        """Return the weapons of a ship."""
        return tuple(self.on_ship(ship, *WEAPONS))

    def has_air(self, group: str) -> bool:
        """Tell whether a group lives without air: a robot, or with a suit on."""
        return "robot" in self.faces[group].keywords or any(True for _ in self.lying_on(group))

    def value(self, group: str) -> int:
        """Return the value of a group, with the bonus of one suit; robots gain nothing by any."""
        face = self.faces[group]
        if "robot" in face.keywords:
            return face.capacity
        return face.capacity + max(
            (self.faces[s].capacity for s in self.lying_on(group)), default=0
        )

    def weakest_first(self, groups: Iterable[str]) -> list[str]:
        """Return groups by value, then id."""
        return sorted(groups, key=lambda group: (self.value(group), group))

    def is_gone(self, ship: str) -> bool:
        """Tell whether a target is destroyed or captured."""
        return self.ships[ship].state in ("destroyed", "captured")

    # --- distances -------------------------------------------------------------------------------

    def distance(self, seat: str, other: str) -> int:
        """Return the distance of two seats before they move, uds."""
        return next((d.uds for d in self.table.distances if set(d.between) == {seat, other}), 0)

    def distance_after(self, seat: str, other: str) -> int:
        """Return their distance after all moves."""
        left = self.distance(seat, other) - self.closing.get(frozenset((seat, other)), 0)
        return min(max(left, 1), deck().scale_cells)

    # --- what leaves -----------------------------------------------------------------------------

    def remove(self, name: str, reason: str) -> None:
        """Take a card out of play, with all that lies on it."""
        for one in (name, *self.lying_on(name)):
            self.gone.setdefault(one, reason)
