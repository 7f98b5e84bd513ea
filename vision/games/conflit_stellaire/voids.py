"""A deed -> why it is void, or nothing: one short rule for each code, in their order."""

from collections.abc import Callable

from vision.games.conflit_stellaire.battle import Battle
from vision.games.conflit_stellaire.costs import affordable, cost, doer, offered, uses
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.values import DIRECT, Deed

__all__ = ["KINDS", "RULES", "void_of"]

KINDS = {  #: what each verb takes: cards of these kinds, or ships
    "fire": DIRECT,
    "launch": ("missile", "rocket"),
    "approach": ("engine",),
    "retreat": ("engine",),
    "raise": ("shield",),
    "shield": ("shield",),
    "use": ("device",),
    "jump": ("hyperdrive",),
    "follow": ("hyperdrive",),
    "jam": ("jammer",),
    "intercept": ("anti-missile",),
    "initiative": ("troop",),
    "ram": ("engine", "auxiliary"),
    "board": ("auxiliary",),
    "escape": ("auxiliary",),
    "transfer": ("energy", "troop", "suit", "engine", "hyperdrive", "device"),
}
_AT_SHIPS = ("fire", "launch", "ram", "board")
_OF_SHIPS = ("ram", "board", "escape")
_NEVER_ENGAGED = ("transfer", "abandon", "surrender")


def void_of(battle: Battle, deed: Deed, *, is_riposte: bool) -> str | None:
    """Return the code of the first rule that makes a deed void."""
    for code, is_broken in RULES.items():
        if is_broken(battle, deed, is_riposte):
            return code
    return None


def _wrong_seat(battle: Battle, deed: Deed, is_riposte: bool) -> bool:
    if is_riposte:
        return not battle.is_enemy(battle.table.active, deed.seat)
    return not battle.in_play(deed.seat)


def _unknown_card(battle: Battle, deed: Deed, _: bool) -> bool:
    is_unknown = any(card not in battle.cards for card in uses(deed))
    names = (*battle.cards, *battle.commanders)
    return is_unknown or (deed.ship is not None and deed.ship not in names)


def _not_yours(battle: Battle, deed: Deed, _: bool) -> bool:
    owners = [battle.cards[card].seat for card in uses(deed)]
    if deed.ship is not None:
        owner = battle.cards[deed.ship].seat if deed.ship in battle.cards else deed.ship
        owners.append(owner)
    return any(owner != deed.seat for owner in owners)


def _face_down(battle: Battle, deed: Deed, _: bool) -> bool:
    named = (*uses(deed), *([deed.ship] if deed.ship in battle.cards else []))
    return any(battle.faces[card].kind == "back" for card in named)


def _wrong_kind(battle: Battle, deed: Deed, _: bool) -> bool:
    kinds = [battle.faces[card].kind for card in uses(deed)]
    if deed.do in _OF_SHIPS:
        return _wrong_ship(battle, deed, kinds)
    if deed.do in KINDS and (not kinds or not set(kinds) <= set(KINDS[deed.do])):
        return True
    works_on_flagship = ("approach", "retreat", "jump", "follow")
    at = {battle.ship_of(card) for card in uses(deed)}
    return deed.do in works_on_flagship and at != {deed.seat}


def _wrong_ship(battle: Battle, deed: Deed, kinds: list[str]) -> bool:
    if deed.ship == deed.seat:  # a flagship rams by its engines, and does nothing else of these
        at = {battle.ship_of(card) for card in deed.cards}
        return deed.do != "ram" or set(kinds) != {"engine"} or at != {deed.seat}
    ship = battle.ships.get(deed.ship or "")
    if ship is None or deed.cards:
        return True
    return ship.has("capsule") != (deed.do == "escape")


def _abandoned(battle: Battle, deed: Deed, _: bool) -> bool:
    if deed.do in ("abandon", "surrender"):
        return False
    ship = doer(battle, deed)
    left = battle.commanders[deed.seat].aboard != deed.seat or ship.state == "lost"
    return ship.is_flagship and left


def _engaged(battle: Battle, deed: Deed, _: bool) -> bool:
    if deed.do in _NEVER_ENGAGED:
        return False
    cards = uses(deed)
    if len(set(cards)) < len(cards):
        return True
    if any(battle.cards[card].engaged or card in battle.used for card in cards):
        return True
    ship = doer(battle, deed)
    attacks = deed.do in (*_OF_SHIPS, "fire", "launch")
    return attacks and ship.card is not None and ship.card.engaged


def _already(battle: Battle, deed: Deed, _: bool) -> bool:
    commander = battle.commanders[deed.seat]
    match deed.do:
        case "approach" | "retreat":
            return commander.has_moved
        case "ram" | "board" | "escape":
            ship = doer(battle, deed)
            return commander.has_moved if ship.is_flagship else ship.has_acted
        case "jump" | "follow":
            return commander.hyperdrive is not None
        case "surrender":
            return commander.surrenders_to is not None
        case "abandon":
            return commander.aboard == deed.to
        case "transfer":
            card = deed.card or ""
            return deed.to in (battle.covered_by[card], battle.ship_of(card))
    return False


def _no_target(battle: Battle, deed: Deed, is_riposte: bool) -> bool:
    match deed.do:
        case "fire" | "launch" | "ram" | "board":
            return deed.target not in battle.enemy_ships(deed.seat)
        case "approach" | "retreat":
            at_active = not is_riposte or deed.target == battle.table.active
            return not at_active or not battle.is_enemy(deed.seat, deed.target or "")
        case "raise" | "shield":
            return not _is_source(battle, deed)
        case "intercept":
            return not _is_counted(battle, deed)
        case "follow":
            return battle.jumper is None
        case "surrender":
            to = surrenders_to(battle, deed)
            return to is None or not battle.is_enemy(deed.seat, to)
        case "abandon":
            return deed.to == deed.seat or deed.to not in battle.own_ships(deed.seat)
        case "transfer":
            is_suit = battle.faces[deed.card or ""].kind == "suit"
            is_group = deed.to in battle.cards and battle.faces[deed.to or ""].kind == "troop"
            if is_suit and is_group:
                return battle.cards[deed.to or ""].seat != deed.seat
            return deed.to not in battle.own_ships(deed.seat)
    return False


def _is_source(battle: Battle, deed: Deed) -> bool:
    """Tell whether a shield has something to face; total ones face all."""
    if "total" in battle.faces[deed.card or ""].keywords:
        return True
    if deed.against in battle.enemy_ships(deed.seat):
        return True
    return any(
        attack.source == deed.against and battle.is_enemy(deed.seat, attack.deed.seat)
        for attack in battle.attacks
        if attack.kind == "missiles"
    )


def _is_counted(battle: Battle, deed: Deed) -> bool:
    """Tell whether a target of an interception is on its way to an own ship."""
    return any(
        attack.source == deed.target and battle.ships[attack.target].seat == deed.seat
        for attack in battle.attacks
        if attack.kind == "missiles" or (attack.kind == "ships" and attack.source in battle.cards)
    )


def surrenders_to(battle: Battle, deed: Deed) -> str | None:
    """Return to whom one surrenders: the only enemy, where nobody is named."""
    enemies = [seat for seat in battle.enemies(deed.seat) if battle.in_play(seat)]
    return deed.to or (enemies[0] if len(enemies) == 1 else None)


def _new_target(battle: Battle, deed: Deed, _: bool) -> bool:
    target = battle.ships[deed.target or ""] if deed.do in _AT_SHIPS else None
    return target is not None and target.card is not None and target.card.new


def _barred(battle: Battle, deed: Deed, _: bool) -> bool:
    """Tell whether an own shield, up since a turn before, stands on that side."""
    if deed.do not in ("fire", "launch", "ram") or not doer(battle, deed).is_flagship:
        return False
    seat = battle.ships[deed.target or ""].seat
    for name in battle.on_ship(deed.seat, "shield"):
        up = battle.cards[name].up
        if up is None:
            continue
        facing = battle.ships.get(up)
        if "total" in battle.faces[name].keywords or (facing is not None and facing.seat == seat):
            return True
    return False


def _overloaded(battle: Battle, deed: Deed, _: bool) -> bool:
    if deed.do == "transfer":
        ship = battle.ships.get(deed.to or "")
        if ship is None or ship.face is None or battle.faces[deed.card or ""].kind != "troop":
            return False
        return len(list(battle.on_ship(ship.id, "troop"))) >= ship.face.berths
    if deed.do not in (*_OF_SHIPS, "fire", "launch"):
        return False
    ship = doer(battle, deed)
    groups = list(battle.on_ship(ship.id, "troop"))
    if ship.face is None:
        return False
    return len(battle.weapons_on(ship.id)) > ship.face.slots or len(groups) > ship.face.berths


def _no_troops(battle: Battle, deed: Deed, _: bool) -> bool:
    return deed.do == "board" and not list(battle.on_ship(deed.ship or "", "troop"))


def _no_suits(battle: Battle, deed: Deed, _: bool) -> bool:
    if deed.do != "board" or doer(battle, deed).has("barge"):
        return False
    return not all(battle.has_air(group) for group in battle.on_ship(deed.ship or "", "troop"))


def _not_aboard(battle: Battle, deed: Deed, _: bool) -> bool:
    aboard = battle.commanders[deed.seat].aboard
    if deed.do == "escape":
        return aboard != deed.ship
    return deed.do == "surrender" and (
        aboard != deed.seat or battle.ships[deed.seat].state == "lost"
    )


def _too_soon(battle: Battle, deed: Deed, _: bool) -> bool:
    ship = battle.ships[deed.ship] if deed.do == "escape" and deed.ship is not None else None
    return ship is not None and ship.card is not None and ship.card.new


def reach(battle: Battle, deed: Deed) -> int:
    """Return how far a weapon reaches: farther on an auxiliary, by its speed."""
    return battle.faces[deed.card or ""].range + doer(battle, deed).speed


def _out_of_range(battle: Battle, deed: Deed, _: bool) -> bool:
    if deed.do != "fire" or battle.table.options.direct_range == "after":
        return False
    seat = battle.ships[deed.target or ""].seat
    return battle.distance(deed.seat, seat) > reach(battle, deed)


def _rank_too_low(battle: Battle, deed: Deed, _: bool) -> bool:
    if battle.table.campaign is None or deed.do not in ("fire", "launch"):
        return False
    names = [rank.id for rank in deck().ranks]
    wanted = battle.faces[deed.card or ""].rank
    return wanted is not None and names.index(battle.rank(deed.seat).id) < names.index(wanted)


def _underpaid(battle: Battle, deed: Deed, _: bool) -> bool:
    return offered(battle, deed) < cost(battle, deed)


def _not_enough_energy(battle: Battle, deed: Deed, _: bool) -> bool:
    return not affordable(battle, deed)


#: All codes of void deeds, in the order in which they are looked for.
RULES: dict[str, Callable[[Battle, Deed, bool], bool]] = {
    rule.__name__.removeprefix("_"): rule
    for rule in (
        *(_wrong_seat, _unknown_card, _not_yours, _face_down, _wrong_kind, _abandoned),
        *(_engaged, _already, _no_target, _new_target, _barred, _overloaded, _no_troops),
        *(_no_suits, _not_aboard, _too_soon, _out_of_range, _rank_too_low, _underpaid),
        _not_enough_energy,
    )
}
