"""A deed -> what it costs, who pays, and the payment."""

from vision.games.conflit_stellaire.battle import Battle, Ship
from vision.games.conflit_stellaire.values import Deed

__all__ = ["ATTACKS_OF_SHIPS", "affordable", "cost", "doer", "offered", "pay", "uses"]

ATTACKS_OF_SHIPS = ("fire", "launch", "ram", "board", "escape")  #: an auxiliary's cost is due
_FREE = ("transfer", "abandon", "surrender", "initiative")


def uses(deed: Deed) -> tuple[str, ...]:
    """Return the cards that a deed uses."""
    return deed.cards if deed.card is None else (deed.card, *deed.cards)


def doer(battle: Battle, deed: Deed) -> Ship:
    """Return the ship that does it."""
    if deed.ship is not None:
        return battle.ships[deed.ship]
    if deed.card is not None:
        return battle.ships[battle.ship_of(deed.card)]
    return battle.ships[deed.seat]


def cost(battle: Battle, deed: Deed) -> int:
    """Return the points that a deed costs at least."""
    if deed.do in _FREE:
        return 0
    own = sum(battle.faces[card].cost for card in uses(deed))
    ship = doer(battle, deed)
    is_due = ship.face is not None and not ship.is_paid and deed.do in ATTACKS_OF_SHIPS
    return own + (ship.face.cost if is_due and ship.face is not None else 0)


def offered(battle: Battle, deed: Deed) -> int:
    """Return the points that are spent on it."""
    return cost(battle, deed) if deed.spend is None else deed.spend


def _payers(battle: Battle, deed: Deed) -> tuple[Ship, ...]:
    """Return who pays: an auxiliary first, then the flagship if the commander is there."""
    ship, flagship = doer(battle, deed), battle.ships[deed.seat]
    if ship is flagship or battle.commanders[deed.seat].aboard != deed.seat:
        return (ship,)
    return (ship, flagship) if flagship.state == "in_play" else (ship,)


def affordable(battle: Battle, deed: Deed) -> bool:
    """Tell whether the energy is there; ready energy is transferred only unspent."""
    if deed.do == "transfer":
        return deed.card is None or doer(battle, deed).pool >= unspent(battle, deed.card)
    return sum(ship.pool for ship in _payers(battle, deed)) >= offered(battle, deed)


def unspent(battle: Battle, card: str) -> int:
    """Return the points that a card brings along when it is transferred."""
    face = battle.faces[card]
    return face.capacity if face.kind == "energy" and not battle.cards[card].engaged else 0


def pay(battle: Battle, deed: Deed) -> None:
    """Pay for a deed."""
    left = offered(battle, deed)
    battle.spent[deed.seat] += left
    for ship in _payers(battle, deed):
        part = min(left, ship.pool)
        ship.pool -= part
        left -= part
    if deed.do in ATTACKS_OF_SHIPS:
        doer(battle, deed).is_paid = True
