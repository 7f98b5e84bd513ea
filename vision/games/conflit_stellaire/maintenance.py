"""The end of a turn: repairs, jump, escape, destruction, surrender, in this order."""

from dataclasses import replace

from vision.games.conflit_stellaire.battle import Battle
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.values import Entry

__all__ = ["maintain"]


def maintain(battle: Battle) -> None:
    """Do all that is done at the end of a turn."""
    for card, ship in battle.repairs:
        battle.ledger.append(_repair(battle, card, ship))
    _jump(battle)
    _escape(battle)
    for seat in battle.at_first:
        _sink(battle, seat)
    for seat in battle.at_first:
        _surrender(battle, seat)
    for seat in battle.at_first:
        flagship = battle.ships[seat]
        if flagship.state == "captured" and flagship.by is not None:
            battle.points[flagship.by] += deck().winner["captured"]


def _repair(battle: Battle, card: str, name: str) -> Entry:
    ship = battle.ships[name]
    entry = Entry("maintenance", "repair", card, name, name, result="nothing")
    if battle.is_gone(name):
        return _with(entry, "source_gone" if ship.state == "destroyed" else "target_gone", 0)
    wanted = min(battle.faces[card].capacity, ship.size - ship.hull)
    gained = max(wanted, 0) if ship.hull else 0
    ship.hull += gained
    return _with(entry, "repaired" if gained else "nothing", gained)


def _with(entry: Entry, result: str, repaired: int) -> Entry:
    return replace(entry, result=result, repaired=repaired)


def _jump(battle: Battle) -> None:
    """Let the jumper go, and who follows; who jumps alone has fled."""
    if battle.jumper is None or not _may_jump(battle, battle.jumper):
        return
    followers = [seat for seat in battle.followers if _may_jump(battle, seat)]
    for seat in (battle.jumper, *followers):
        battle.jumped.append(seat)
        for ship in battle.ships.values():
            if ship.seat == seat and not ship.is_flagship and ship.state == "in_play":
                ship.state = "left"
                battle.remove(ship.id, "abandoned")
    if not followers:
        _end(battle, battle.jumper, "fled")
        for enemy in battle.enemies(battle.jumper):
            if battle.in_play(enemy):
                battle.points[enemy] += deck().winner["fled"]


def _may_jump(battle: Battle, seat: str) -> bool:
    commander, flagship = battle.commanders[seat], battle.ships[seat]
    is_aboard = commander.aboard == seat and commander.fate is None
    stays = commander.surrenders_to is not None or flagship.state != "in_play"
    return is_aboard and flagship.hull > 0 and not stays


def _end(battle: Battle, seat: str, fate: str) -> None:
    """Settle the fate of a commander aboard the flagship."""
    battle.commanders[seat].fate = fate
    battle.ships[seat].state = fate
    battle.points[seat] += deck().loser.get(fate, 0)


def _escape(battle: Battle) -> None:
    for seat in battle.at_first:
        commander = battle.commanders[seat]
        ship = battle.ships[commander.aboard]
        if ship.has("capsule") and ship.has_acted and ship.state == "in_play":
            ship.state = commander.fate = "escaped"
            battle.points[seat] += deck().loser["surrendered"]


def _sink(battle: Battle, seat: str) -> None:
    """Destroy a flagship without hull and energy, or whose commander met his fate elsewhere."""
    flagship, commander = battle.ships[seat], battle.commanders[seat]
    if flagship.state != "in_play":
        return
    is_dead = not flagship.hull and not _has_energy(battle, seat)
    if not is_dead and commander.fate is None:
        return
    flagship.state = "destroyed"
    if commander.fate is None and commander.aboard == seat:
        commander.fate = "destroyed"
    enemies = battle.enemies(seat)
    to = enemies[0] if len(enemies) == 1 else commander.broken_by or commander.ended_by
    if to in enemies:
        battle.points[to] += deck().winner["destroyed"]


def _has_energy(battle: Battle, seat: str) -> bool:
    if battle.table.options.alive == "in-play":
        return any(True for _ in battle.on_ship(seat, "energy"))
    return battle.ships[seat].pool > 0


def _surrender(battle: Battle, seat: str) -> None:
    commander = battle.commanders[seat]
    to = commander.surrenders_to
    is_aboard = commander.aboard == seat and battle.ships[seat].state == "in_play"
    if to is not None and is_aboard and commander.fate is None:
        _end(battle, seat, "surrendered")
        battle.points[to] += deck().winner["surrendered"]
