"""Ships that come near -> entries: interceptions, ramming, boarding."""

from collections.abc import Sequence
from dataclasses import replace

from vision.games.conflit_stellaire.battle import Attack, Battle
from vision.games.conflit_stellaire.fire import gone_since
from vision.games.conflit_stellaire.hulls import lose_hull
from vision.games.conflit_stellaire.shields import (
    Blow,
    facing,
    left_in,
    net_blow,
    shield_blow,
)
from vision.games.conflit_stellaire.values import Entry, Stop

__all__ = ["board", "intercept", "ram"]


def intercept(battle: Battle, card: str, target: str) -> Entry:
    """Shoot at an auxiliary on its way: its hull, and nothing protects it."""
    source = battle.ship_of(card)
    entry = Entry("ships", "intercept", card, source, target, result="hit")
    if battle.ships[source].state == "destroyed" or card in battle.gone:
        return replace(entry, result="source_gone")
    if battle.is_gone(target):
        return replace(entry, result="target_gone")
    before, points = set(battle.gone), battle.faces[card].capacity
    lost = lose_hull(battle, target, points, battle.cards[card].seat)
    return replace(
        entry, damage=points, through=points, hull_lost=lost, gone=gone_since(battle, before)
    )


def ram(battle: Battle, attack: Attack) -> Entry:
    """Ram: size times relative speed, both ways; shields in between give back what they can."""
    entry = Entry("ships", "ram", None, attack.source, attack.target, result="collided")
    missed = _missed(battle, attack)
    if missed is not None:
        return replace(entry, result=missed)
    rammer, target = battle.ships[attack.source], battle.ships[attack.target]
    speed, before = _relative_speed(battle, attack), set(battle.gone)
    blow = Blow("ships", attack.source, attack.target, rammer.size * speed, [])
    entry = replace(entry, damage=blow.points, speed=speed)
    recoil, lost = _through_shields(battle, attack, blow)
    if blow.points:
        net_blow(battle, blow)
    through = blow.points
    hull_lost = lose_hull(battle, attack.target, through, rammer.seat)
    if through:
        back = target.size * speed
        recoil += back
        lost += lose_hull(battle, attack.source, back, target.seat)
    return replace(
        entry,
        result="collided" if through else "blocked",
        stopped=tuple(blow.stopped),
        through=through,
        hull_lost=hull_lost,
        recoil=recoil,
        recoil_lost=lost,
        gone=gone_since(battle, before),
    )


def _missed(battle: Battle, attack: Attack) -> str | None:
    """Return why a ship does not arrive."""
    ship, target = battle.ships[attack.source], battle.ships[attack.target]
    if ship.state == "destroyed":
        return "source_gone"
    if battle.is_gone(attack.target):
        return "target_gone"
    if ship.is_flagship:
        pair = frozenset((ship.seat, target.seat))
        is_met = battle.closing.get(pair, 0) >= battle.distance(ship.seat, target.seat)
    else:
        is_met = ship.speed >= battle.distance_after(ship.seat, target.seat)
    return None if is_met else "short"


def _relative_speed(battle: Battle, attack: Attack) -> int:
    """Return the relative speed: closing, or an auxiliary's own against its target's move."""
    ship, target = battle.ships[attack.source], battle.ships[attack.target]
    if ship.is_flagship:
        return battle.closing.get(frozenset((ship.seat, target.seat)), 0)
    towards = battle.ripostes_closing.get(target.seat, 0) if target.is_flagship else 0
    return max(ship.speed + towards, 1)


def _through_shields(battle: Battle, attack: Attack, blow: Blow) -> tuple[int, int]:
    """Go through the shields; return what they give back, and the hull that it costs."""
    recoil = lost = 0
    rammer, by = battle.ships[attack.source], battle.ships[attack.target].seat
    for shield in list(facing(battle, attack.source, attack.target)):
        if not blow.points:
            break
        back = left_in(battle, shield)
        recoil += back
        lost += lose_hull(battle, attack.source, back, by)
        if rammer.state == "destroyed":  # it never strikes the shield
            blow.stopped.append(Stop(shield, blow.points, popped=False))
            blow.points = 0
            break
        shield_blow(battle, blow, shield)
        if battle.table.options.overflow == "ship":
            break
    return recoil, lost


def board(battle: Battle, attack: Attack) -> Entry:
    """Board: shields keep boarders off; else the values of both sides' groups are compared."""
    entry = Entry("ships", "board", None, attack.source, attack.target, result="repelled")
    missed = _missed(battle, attack)
    if missed is not None:
        return replace(entry, result=missed)
    before = set(battle.gone)
    target = battle.ships[attack.target]
    shield = next(facing(battle, attack.source, attack.target), None)
    if shield is not None:
        back = left_in(battle, shield)
        lost = lose_hull(battle, attack.source, back, target.seat)
        gone = gone_since(battle, before)
        return replace(entry, result="blocked", recoil=back, recoil_lost=lost, gone=gone)
    if target.is_flagship and not target.hull:
        for group in list(battle.on_ship(attack.source, "troop")):
            if not battle.has_air(group):
                battle.remove(group, "killed")
    sides = [list(battle.on_ship(ship, "troop")) for ship in (attack.source, attack.target)]
    attackers, defenders = (sum(battle.value(group) for group in side) for side in sides)
    has_won = attackers > defenders
    winners, losers = sides if has_won else (sides[1], sides[0])
    _pay_for_victory(battle, winners, min(attackers, defenders))
    for group in losers:
        battle.remove(group, "killed")
    if has_won:
        _capture(battle, attack)
    result = "captured" if has_won else "repelled"
    forces, gone = (attackers, defenders), gone_since(battle, before)
    return replace(entry, result=result, forces=forces, gone=gone)


def _pay_for_victory(battle: Battle, groups: Sequence[str], weight: int) -> None:
    """Take groups off the winner, weakest first, until they weigh what the losers did."""
    lost = 0
    for group in battle.weakest_first(groups)[:-1]:
        value = battle.value(group)
        stops_before = battle.table.options.boarding_losses == "at-most"
        if lost >= weight or (stops_before and lost + value > weight):
            return
        battle.remove(group, "killed")
        lost += value


def _capture(battle: Battle, attack: Attack) -> None:
    target = battle.ships[attack.target]
    target.state, target.by = "captured", attack.deed.seat
    commander = battle.commanders[target.seat]
    if commander.aboard == target.id and commander.fate is None:
        commander.fate, commander.ended_by = "captured", attack.deed.seat
