"""Direct fire and missiles -> their entries."""

from collections.abc import Iterable

from vision.games.conflit_stellaire.battle import Attack, Battle
from vision.games.conflit_stellaire.hulls import kill_crew, lose_hull
from vision.games.conflit_stellaire.shields import Blow, is_met, net_blow, shield_all
from vision.games.conflit_stellaire.values import Entry

__all__ = ["fire", "gone_since", "launch"]


def fire(battle: Battle, attack: Attack) -> Entry:
    """Resolve direct fire."""
    target = battle.ships[attack.target]
    result = None
    if battle.ships[attack.source].state == "destroyed":
        result = "source_gone"
    elif battle.is_gone(attack.target):
        result = "target_gone"
    elif battle.distance_after(attack.deed.seat, target.seat) > attack.reach and (
        battle.table.options.direct_range == "after"
    ):
        result = "out_of_range"
    if result is not None:
        return _entry(attack, result)
    return _hit(battle, attack, battle.faces[attack.deed.card or ""].capacity)


def launch(battle: Battle, attack: Attack) -> Entry:
    """Resolve a missile or rockets."""
    result, echoes = _fate_of(battle, attack)
    if result is not None:
        return _entry(attack, result)
    return _hit(battle, attack, battle.faces[attack.source].capacity * echoes, echoes)


def _fate_of(battle: Battle, attack: Attack) -> tuple[str | None, int]:
    """Return why a missile does not arrive, or how many echoes of it do."""
    face, target = battle.faces[attack.source], battle.ships[attack.target]
    if battle.is_gone(attack.target):
        return "target_gone", 0
    if battle.distance_after(attack.deed.seat, target.seat) > attack.reach:
        return "out_of_range", 0
    if face.kind == "rocket" and target.is_flagship and target.seat in battle.dodging:
        return "dodged", 0
    jammers = [_jammer(battle, attack.target, guidance) for guidance in face.guidance]
    if jammers and None not in jammers:
        for jammer in jammers:
            battle.jamming[jammer or ""] -= 1
        return "jammed", 0
    shot = sum(battle.faces[card].capacity for card, at in battle.intercepts if at == attack.source)
    return ("intercepted", 0) if face.echoes <= shot else (None, face.echoes - shot)


def _jammer(battle: Battle, ship: str, guidance: str) -> str | None:
    """Return the first jammer of a ship against a guidance that has something left."""
    for name, left in battle.jamming.items():
        fits = guidance in battle.faces[name].guidance and battle.ship_of(name) == ship
        if left > 0 and fits and name not in battle.gone:
            return name
    return None


def _hit(battle: Battle, attack: Attack, damage: int, echoes: int = 0) -> Entry:
    """Bring a blow to its target: shields, nets, then hull or groups."""
    before = set(battle.gone)
    blow = Blow(attack.kind, attack.source, attack.target, damage, [])
    is_stopped = damage > 0 or is_met(battle, blow)
    shield_all(battle, blow)
    net_blow(battle, blow)
    lost = 0
    if "crew" in battle.faces[attack.deed.card or ""].keywords:
        kill_crew(battle, attack.target, blow.points)
    else:
        lost = lose_hull(battle, attack.target, blow.points, attack.deed.seat)
    return Entry(
        attack.kind,
        attack.deed.do,
        attack.deed.card,
        attack.source,
        attack.target,
        result="hit" if blow.points else "stopped" if is_stopped else "harmless",
        damage=damage,
        stopped=tuple(blow.stopped),
        through=blow.points,
        hull_lost=lost,
        gone=gone_since(battle, before),
        echoes=echoes,
    )


def gone_since(battle: Battle, before: Iterable[str]) -> tuple[str, ...]:
    """Return what has gone since, by id."""
    return tuple(sorted(set(battle.gone) - set(before)))


def _entry(attack: Attack, result: str) -> Entry:
    deed = attack.deed
    return Entry(attack.kind, deed.do, deed.card, attack.source, attack.target, result=result)
