"""A turn played -> the table on which the next commander begins: what is turned, gone, brought.

The next clockwise who is in play has the turn; his cards are ready again but for shields that are
up. Of energy cards as many stay turned as gave a point: what is left over on one is lost.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace

from vision.games.conflit_stellaire.battle import Battle
from vision.games.conflit_stellaire.costs import ATTACKS_OF_SHIPS
from vision.games.conflit_stellaire.resolve import fight, raised_after
from vision.games.conflit_stellaire.scores import score
from vision.games.conflit_stellaire.values import (
    Campaign,
    Card,
    Distance,
    Pose,
    Reading,
    Seat,
    Table,
)
from vision.values.messages import Issue

__all__ = ["next_table"]

#: Doubts of how a turn and a photo of it differ: the next one begins anew.
_OF_THE_TURN = ("not_turned", "turned_unnamed")


def next_table(table: Table) -> Table | None:
    """Return the table after a turn; None if it is over, or a jump has put all cards back."""
    battle, _ = fight(table)
    seats = [seat.id for seat in table.seats if battle.in_play(seat.id)]
    if len({battle.side(seat) for seat in seats}) < 2 or battle.jumped:
        return None
    after = [seat for seat in sorted(seats) if seat > table.active]
    active = (after or sorted(seats))[0]
    spent = _spent_cells(battle) | _acted(battle)
    raised = raised_after(battle)
    cards = [
        _card(battle, card, active, raised.get(card.id), spent)
        for card in table.cards
        if _stays(battle, card)
    ]
    return Table(
        tuple(_seat(battle, seat) for seat in table.seats),
        tuple(cards),
        tuple(
            Distance(d.between, battle.distance_after(*d.between), pose=_unseen(d.pose))
            for d in table.distances
        ),
        active,
        campaign=_campaign(battle),
        options=table.options,
        doubts=tuple(_doubts(table, cards)),
    )


def _stays(battle: Battle, card: Card) -> bool:
    """Tell whether a card lies there still: it is not gone, nor its ship with it."""
    ship = battle.ships.get(battle.ship_of(card.id))
    return card.id not in battle.gone and (ship is None or ship.state not in ("escaped", "left"))


def _spent_cells(battle: Battle) -> set[str]:
    """Return the energy cards that gave a point, by id, ship by ship."""
    turned: set[str] = set()
    for ship in battle.ships.values():
        cells = [c for c in battle.on_ship(ship.id, "energy") if not battle.cards[c].engaged]
        left = sum(battle.faces[cell].capacity for cell in cells) - ship.pool
        for cell in cells:
            if left > 0:
                turned.add(cell)
                left -= battle.faces[cell].capacity
    return turned


def _acted(battle: Battle) -> set[str]:
    """Return the auxiliaries that attacked: they are turned, too."""
    return {
        deed.ship
        for deed in battle.table.declarations
        if deed.do in ATTACKS_OF_SHIPS
        and deed.ship in battle.ships
        and battle.ships[deed.ship].has_acted
    }


def _card(battle: Battle, card: Card, active: str, up: str | None, spent: Collection[str]) -> Card:
    ship = battle.ships.get(battle.ship_of(card.id))
    is_taken = ship is not None and not ship.is_flagship and ship.state == "captured" and ship.by
    owner = ship.by if ship is not None and is_taken and ship.by else card.seat
    is_turned = card.engaged or card.id in battle.used or card.id in spent
    if battle.faces[card.id].kind == "shield":
        is_turned = False  # one that is no more up is ready
    engaged = up is not None or (is_turned and owner != active)
    is_set = card.id in battle.used or card.id in spent or (owner == active and up is None)
    at = battle.covered_by[card.id]
    own = battle.ships.get(card.id)
    hull = None if own is None or own.hull == own.size else own.hull
    return replace(
        card,
        seat=owner,
        engaged=engaged,
        up=up,
        on=at if at in battle.cards else None,
        new=False,
        hull=hull if own is not None else None,
        pose=card.pose and card.pose.to_set_up(engaged=engaged, was=card.engaged),
        readings=_still_open(card, is_set=is_set, is_taken=owner != card.seat),
    )


def _still_open(card: Card, *, is_set: bool, is_taken: bool) -> tuple[Reading, ...]:
    """Return what else a card may be that the turn has not settled: how it lies, whose it is."""
    settled = (
        {"on", "hull"} | ({"engaged"} if is_set else set()) | ({"seat"} if is_taken else set())
    )
    return tuple(one for one in card.readings if not settled & set(one.fields))


def _doubts(table: Table, cards: Collection[Card]) -> Iterator[Issue]:
    """Yield what was doubtful of a table, and is so of what stays."""
    askew = {card.id for card in cards if any("engaged" in one.fields for one in card.readings)}
    still = {"askew": askew, "back": {card.id for card in cards if card.face_down}}
    stays = {card.id for card in cards} | {seat.id for seat in table.seats}
    stays |= {"-".join(one.between) for one in table.distances}
    for doubt in table.doubts:
        if doubt.code not in _OF_THE_TURN and set(doubt.cards) <= still.get(doubt.code, stays):
            yield doubt


def _unseen(pose: Pose | None) -> Pose | None:
    """Return a place where nothing has been seen yet: it is to be set up."""
    return None if pose is None else replace(pose, spot="")


def _seat(battle: Battle, seat: Seat) -> Seat:
    ship, commander = battle.ships[seat.id], battle.commanders[seat.id]
    is_away = commander.aboard != seat.id and commander.fate is None
    return replace(
        seat,
        hull=ship.hull,
        commander=commander.aboard if is_away else None,
        is_lost=seat.is_lost or (commander.fate is None and ship.state != "in_play"),
        fate=commander.fate,
        broken_by=commander.broken_by,
        pose=_unseen(seat.pose),
        readings=(),
    )


def _campaign(battle: Battle) -> Campaign | None:
    """Return the officers with their points after the turn; dice are thrown anew."""
    campaign = battle.table.campaign
    if campaign is None:
        return None
    after = {seat: told.cumul[1] for seat, told in score(battle).items() if told.cumul is not None}
    return Campaign({**campaign.officers, **after})
