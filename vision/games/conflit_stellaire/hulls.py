"""Points that reach a ship -> hull, groups, and all that goes with the last point."""

from vision.games.conflit_stellaire.battle import Battle, Ship

__all__ = ["kill_crew", "lose_hull"]


def lose_hull(battle: Battle, name: str, points: int, by: str) -> int:
    """Take hull off a ship; return how much. ``by`` is the seat whose doing it is."""
    ship = battle.ships[name]
    lost = min(max(points, 0), ship.hull)
    ship.hull -= lost
    if lost and not ship.hull:
        if ship.is_flagship:
            battle.commanders[ship.seat].broken_by = by
            _break(battle, ship)
        else:
            _destroy(battle, ship, by)
    return lost


def _break(battle: Battle, ship: Ship) -> None:
    """Take what a flagship loses with its last point: weapons, nets, and who needs air."""
    for name in (*battle.weapons_on(ship.id), *battle.on_ship(ship.id, "net")):
        battle.remove(name, "hull")
    for group in list(battle.on_ship(ship.id, "troop")):
        if not battle.has_air(group):
            battle.remove(group, "killed")


def _destroy(battle: Battle, ship: Ship, by: str) -> None:
    """Destroy an auxiliary; a commander aboard dies with it, which a capsule's shooter pays."""
    ship.state = "destroyed"
    battle.remove(ship.id, "destroyed")
    commander = battle.commanders[ship.seat]
    if commander.aboard == ship.id and commander.fate is None:
        commander.fate = "destroyed"
        commander.ended_by = by
        if ship.has("capsule"):
            battle.capsules_shot[by] = battle.capsules_shot.get(by, 0) + 1


def kill_crew(battle: Battle, ship: str, points: int) -> None:
    """Kill groups, no robots, weakest first, until one outlasts the points."""
    groups = [g for g in battle.on_ship(ship, "troop") if "robot" not in battle.faces[g].keywords]
    for group in battle.weakest_first(groups):
        value = battle.value(group)
        if value > points:
            return
        battle.remove(group, "killed")
        points -= value
