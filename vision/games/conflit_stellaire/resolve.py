"""A table -> its turn played, and what each doubtful reading would change."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from vision.games.conflit_stellaire.battle import Attack, Battle
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.declare import CLASSES, announce, class_rank, declare
from vision.games.conflit_stellaire.fire import fire, gone_since, launch
from vision.games.conflit_stellaire.hulls import lose_hull
from vision.games.conflit_stellaire.readings import Spot, read_as, readings_of
from vision.games.conflit_stellaire.scores import score
from vision.games.conflit_stellaire.settle import name_of
from vision.games.conflit_stellaire.shields import (
    Blow,
    facing,
    left_in,
    net_blow,
    shield_blow,
)
from vision.games.conflit_stellaire.values import (
    Announced,
    Energy,
    Entry,
    OtherTurn,
    Outcome,
    Reading,
    ShipState,
    Stop,
    Table,
)
from vision.judging.doubted import Doubted, how_much, numbered
from vision.judging.odds import endings, find_ways

__all__ = ["fight", "play", "raised_after", "resolve"]

_MOST_WAYS = 256  # joint readings that are played; more are sampled, a second at most
_Played: TypeAlias = dict[tuple[int, ...], Outcome]  #: by which reading of each doubt holds


def resolve(table: Table) -> Outcome:
    """Play the turn of a table as it is read, and every way that it may be besides."""
    doubts = _doubted(table)
    several = tuple(doubts.values())
    ways = find_ways(several, most=_MOST_WAYS)
    played = {w.chosen: play(read_as(table, _chosen(doubts, w.chosen))) for w in ways.several}
    taken = played[(0,) * len(several)]
    chances = how_much(several, ways, numbered([played[way.chosen] for way in ways.several]))
    return replace(
        taken,
        alternatives=tuple(_alternatives(doubts, played, taken)),
        endings=endings(ways, lambda chosen: played[chosen].winners),
        matter=dict(zip(doubts, chances, strict=True)),
        unknown=ways.unknown,
    )


def play(table: Table) -> Outcome:
    """Play the turn of a table as it is read."""
    battle, told = fight(table)
    raised = raised_after(battle)
    scores = score(battle)
    left = _sides_in_play(battle)
    over = len(left) < 2
    return Outcome(
        ledger=tuple(battle.ledger),
        announced=told,
        initiative=tuple(battle.initiative),
        energy={seat: Energy(battle.ready[seat], battle.spent[seat]) for seat in battle.commanders},
        ships={s.id: ShipState(s.hull, s.state, s.by) for s in battle.ships.values()},
        gone=dict(battle.gone),
        raised=raised,
        distances={
            d.between: battle.distance_after(*d.between)
            for d in sorted(table.distances, key=lambda d: d.between)
        },
        jumped=tuple(battle.jumped),
        fates={seat: commander.fate for seat, commander in battle.commanders.items()},
        scores=scores,
        over=over,
        winners=_winners(battle, left) if over else (),
        issues=tuple(battle.notes),
    )


def fight(table: Table) -> tuple[Battle, dict[str, Announced]]:
    """Play declarations, ripostes, attacks, maintenance; return also what the targets are told."""
    battle = Battle.of(table)
    declare(battle, table.declarations, is_riposte=False)
    declare(battle, table.ripostes, is_riposte=True)
    told = announce(battle)
    _attack(battle)
    maintain(battle)
    return battle, told


def _attack(battle: Battle) -> None:
    """Resolve all attacks: by class, missiles and ships by speed, else as declared."""
    together = battle.table.options.missiles_ships == "together"
    ships_rank = class_rank(battle, CLASSES[-1])
    resolved = {"fire": fire, "launch": launch, "ram": ram, "board": board}

    def place(attack: Any) -> tuple[int, int, bool, int]:
        by_speed = -attack.speed if attack.kind in ("missiles", "ships") else 0
        is_later = together and attack.kind == "ships"
        return class_rank(battle, attack.kind), by_speed, is_later, attack.index

    waiting = [pair for pair in battle.intercepts if pair[1] in battle.ships]
    for attack in sorted(battle.attacks, key=place):
        while waiting and class_rank(battle, attack.kind) >= ships_rank:
            battle.ledger.append(intercept(battle, *waiting.pop(0)))
        battle.ledger.append(resolved[attack.deed.do](battle, attack))


def raised_after(battle: Battle) -> dict[str, str]:
    """Return the shields that stay up: raised now, or before by others than the active."""
    before = {
        name: card.up
        for name, card in battle.cards.items()
        if card.up is not None and card.seat != battle.table.active
    }
    return {
        name: faced
        for name, faced in {**before, **battle.raised}.items()
        if name not in battle.gone and battle.in_play(battle.cards[name].seat)
    }


def _sides_in_play(battle: Battle) -> list[tuple[str, ...]]:
    sides = {battle.side(seat) for seat in battle.commanders if battle.in_play(seat)}
    return sorted(sides)


def _winners(battle: Battle, left: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the last side in play; where none is left, all that were: a draw."""
    return left[0] if left else battle.at_first


# --- ships that come near ------------------------------------------------------------------------


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


# --- the end of a turn ---------------------------------------------------------------------------


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


# --- every way played, and what each doubt changes -----------------------------------------------


def _doubted(table: Table) -> dict[Spot, Doubted]:
    """Return what may be read otherwise; a reading without a chance is as likely as the others."""
    by_spot: dict[Spot, list[Reading]] = {}
    for spot, reading in readings_of(table):
        by_spot.setdefault(spot, []).append(reading)
    doubts = {}
    for spot, several in by_spot.items():
        even = 1 / (len(several) + 1)
        chances = [even if one.probability is None else one.probability for one in several]
        total = max(sum(chances), 1.0)
        readings: list[tuple[Reading | None, float]] = [(None, 1 - sum(chances) / total)]
        readings += [(one, p / total) for one, p in zip(several, chances, strict=True)]
        doubts[spot] = Doubted((name_of(spot),), (), tuple(readings))
    return doubts


def _chosen(doubts: dict[Spot, Doubted], chosen: Sequence[int]) -> dict[Spot, Reading | None]:
    """Return the readings of a way, but for what is as it was taken."""
    held = zip(doubts.items(), chosen, strict=True)
    return {spot: doubt.readings[k][0] for (spot, doubt), k in held if k}


def _alternatives(
    doubts: dict[Spot, Doubted], played: _Played, taken: Outcome
) -> Iterator[OtherTurn]:
    """Yield the readings that, alone, change ships, fates or winners."""
    ends = (taken.ships, taken.fates, taken.winners)
    for place, (spot, doubt) in enumerate(doubts.items()):
        for k in range(1, len(doubt.readings)):
            other = played[tuple(k if at == place else 0 for at in range(len(doubts)))]
            if (other.ships, other.fates, other.winners) != ends:
                read = doubt.readings[k][0]
                yield OtherTurn(spot, read, other.ships, other.fates, other.winners)
