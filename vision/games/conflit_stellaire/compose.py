"""A turn while it is declared: what each deed costs, which are void, what may be declared next."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from vision.games.conflit_stellaire.battle import Battle
from vision.games.conflit_stellaire.costs import uses
from vision.games.conflit_stellaire.deck import BACK
from vision.games.conflit_stellaire.declare import declare
from vision.games.conflit_stellaire.orders import Order, with_orders
from vision.games.conflit_stellaire.values import Deed, Table
from vision.games.conflit_stellaire.verbs import DECLARATIONS, RIPOSTES
from vision.games.conflit_stellaire.voids import KINDS, void_of

__all__ = ["Weighed", "as_known_to", "as_seen_by", "candidates", "verbs_of", "weigh"]

_DIE = range(1, 9)


@dataclass(frozen=True, slots=True)
class Weighed:
    """A deed with the points it costs; ``code`` says why it is void.

    ``is_late`` tells that it comes after an attack of a later class, which is noted.
    """

    deed: Deed
    cost: int
    code: str | None = None
    is_late: bool = False


def as_seen_by(table: Table, seat: str | None) -> Table:
    """Return a table as a seat sees it once its turn is played: what was used has been shown."""
    deeds = (*table.declarations, *table.ripostes)
    shown = {name for deed in deeds for name in (*uses(deed), deed.ship) if name is not None}
    return as_known_to(table, seat, shown)


def as_known_to(table: Table, seat: str | None, shown: Collection[str] = ()) -> Table:
    """Return a table as a seat sees it: what others have face down are backs. None: as all see.

    ``shown`` are cards that everybody knows.
    """
    return replace(
        table,
        cards=tuple(
            replace(card, face="back", hull=None, readings=())
            if card.face_down
            and card.seat != seat
            and card.id not in shown
            and not _carries(table, card.id)
            else card
            for card in table.cards
        ),
    )


def _carries(table: Table, name: str) -> bool:
    """Tell whether something lies on a card, or somebody is aboard: it is seen what it is."""
    aboard = any(seat.commander == name for seat in table.seats)
    return aboard or any(card.on == name for card in table.cards)


def weigh(table: Table, seat: str, order: Order) -> tuple[Battle, tuple[Weighed, ...]]:
    """Return a turn as far as a seat has declared it, and each of its deeds weighed.

    Of the others only the declarations count that its ripostes answer; what they have face down is
    not known.
    """
    is_riposte = seat != table.active
    battle = Battle.of(with_orders(replace(table, ripostes=()), {seat: order}))
    if is_riposte:
        declare(battle, table.declarations, is_riposte=False)
    _blind(battle, seat)
    found = []
    for deed in order.deeds:
        spent = battle.spent[seat]
        code = void_of(battle, deed, is_riposte=is_riposte)
        declare(battle, (deed,), is_riposte=is_riposte)
        found.append(Weighed(deed, battle.spent[seat] - spent, code))
    if is_riposte:
        return battle, tuple(found)
    whole = Battle.of(battle.table)
    declare(whole, order.deeds, is_riposte=False)
    late = {note.declaration for note in whole.notes if note.code == "order"}
    return battle, tuple(replace(w, is_late=k in late) for k, w in enumerate(found))


def _blind(battle: Battle, seat: str) -> None:
    """Forget what others have face down, but for what is on its way by a declaration."""
    seen = {card.id: card.face for card in as_known_to(battle.table, seat).cards}
    heard = {attack.source for attack in battle.attacks}
    for name, face in seen.items():
        if face == BACK.id and name not in heard:
            battle.faces[name] = BACK
            battle.ships.pop(name, None)


def verbs_of(battle: Battle, seat: str, card: str) -> tuple[str, ...]:
    """Return what a seat may do with a card in this part of the turn."""
    verbs = DECLARATIONS if seat == battle.table.active else RIPOSTES
    face = battle.faces[card]
    if "capsule" in face.keywords:
        return tuple(verb for verb in ("escape",) if verb in verbs)
    known = (verb for verb, kinds in KINDS.items() if face.kind in kinds and verb in verbs)
    return tuple(verb for verb in known if verb != "escape")


def candidates(
    battle: Battle, seat: str, verb: str, named: Sequence[str]
) -> Iterator[tuple[Deed, str | None]]:
    """Yield the whole deeds of a verb with some cards (or a ship), and what each is aimed at.

    Whether they are void is not asked.
    """
    first = named[0] if named else None
    match verb:
        case "fire" | "launch":
            for ship in battle.enemy_ships(seat):
                yield Deed(verb, seat, card=first, target=ship), ship
        case "approach" | "retreat":
            for other in _enemies(battle, seat):
                yield Deed(verb, seat, cards=tuple(named), target=other), other
        case "ram" | "board":
            for ship in battle.enemy_ships(seat):
                if first in battle.ships:
                    yield Deed(verb, seat, ship=first, target=ship), ship
                else:
                    yield Deed(verb, seat, ship=seat, cards=tuple(named), target=ship), ship
        case "raise" | "shield":
            if first is not None and "total" in battle.faces[first].keywords:
                yield Deed(verb, seat, card=first), None
                return
            for source in _sources(battle, seat):
                yield Deed(verb, seat, card=first, against=source), source
        case "intercept":
            for source in _sources(battle, seat):
                if source in battle.cards:
                    yield Deed(verb, seat, card=first, target=source), source
        case "transfer":
            for to in _places(battle, seat, first or ""):
                yield Deed(verb, seat, card=first, to=to), to
        case "initiative":
            for die in _DIE:
                yield Deed(verb, seat, card=first, die=die), None
        case "escape":
            yield Deed(verb, seat, ship=first), None
        case "abandon":
            for ship in battle.own_ships(seat):
                if ship != seat:
                    yield Deed(verb, seat, to=ship), ship
        case "surrender":
            for other in _enemies(battle, seat):
                yield Deed(verb, seat, to=other), other
        case _:
            yield Deed(verb, seat, card=first), None


def _enemies(battle: Battle, seat: str) -> list[str]:
    return [other for other in battle.commanders if battle.is_enemy(seat, other)]


def _sources(battle: Battle, seat: str) -> list[str]:
    """Return what a shield may face: missiles on their way here first, then enemy ships."""
    missiles = [
        attack.source
        for attack in battle.attacks
        if attack.kind == "missiles" and battle.ships[attack.target].seat == seat
    ]
    return [*missiles, *battle.enemy_ships(seat)]


def _places(battle: Battle, seat: str, card: str) -> list[str]:
    """Return where a card may be brought: own ships, of a suit own groups."""
    now = battle.covered_by.get(card)
    groups = [
        name
        for name, face in battle.faces.items()
        if face.kind == "troop" and battle.cards[name].seat == seat and name not in battle.gone
    ]
    is_suit = card in battle.faces and battle.faces[card].kind == "suit"
    return [to for to in (*battle.own_ships(seat), *(groups if is_suit else ())) if to != now]
