"""Moves of a round: first steps together, then second steps; crashes; who takes which asteroyd."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from vision.games.asteroyds_capture.beams import Orders
from vision.games.asteroyds_capture.pieces import WALLS, kind_of, team_of
from vision.games.asteroyds_capture.position import (
    Position,
    home_of,
    in_base,
    platform_of,
    send_home,
    teams_of,
)
from vision.games.asteroyds_capture.programs import motion_of
from vision.games.asteroyds_capture.values import Carried, Move, Off, Teleport

__all__ = ["Moved", "cost_of_capture", "move"]


@dataclass(slots=True)
class Moved:
    """What the moves of a round did; ``refused`` are ships whose power may not be."""

    moves: dict[str, Move] = field(default_factory=dict)
    off: dict[str, list[str]] = field(default_factory=dict)
    teleports: list[Teleport] = field(default_factory=list)
    asteroyds: list[Carried] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def offs(self) -> list[Off]:
        """Return the turrets that ships ran into."""
        return [Off(turret, tuple(sorted(by))) for turret, by in sorted(self.off.items())]


def move(position: Position, orders: Orders, number: int) -> tuple[Position, Moved]:
    """Move all ships that are not out: turns and first steps, then second steps."""
    told = Moved()
    going: dict[str, tuple[int, ...]] = {}
    turned = []
    for ship in position.of_kind("ship"):
        action = orders.action(ship.id, number)
        if action is None or action == "fire" or ship.id in position.out:
            continue
        motion = motion_of(ship, action, position.options)
        if motion is None:
            told.refused.append(ship.id)
            continue
        way = (ship.way + motion.turn) % 6
        spent = ship.power_spent or action.startswith("power")
        turned.append(replace(ship, way=way, power_spent=spent))
        going[ship.id] = tuple((way + step) % 6 for step in motion.steps)
        told.moves[ship.id] = Move(ship.id, action, (ship.cell or "",), way)
    position = position.with_pieces(turned)
    for k in range(max([1, *map(len, going.values())])):
        ways = {
            name: steps[k]
            for name, steps in going.items()
            if len(steps) > k and name not in position.out
        }
        position = _step(position, ways, told)
    return position, told


def _step(position: Position, ways: Mapping[str, int], told: Moved) -> Position:
    """Let ships go one cell, all at once; then crashes, arrivals and captures, in this order."""
    held = position.by_cell()
    crashed: dict[str, tuple[str, ...]] = {}
    arrived: dict[str, list[str]] = {}
    moved = []
    for name, way in ways.items():
        ship = position.pieces[name]
        end = position.board.next_to(ship.cell or "", way)
        walls = () if end is None else _walls(position, held.get(end, []), name)
        hard = walls
        if not position.options.pod_crash:
            hard = tuple(wall for wall in walls if kind_of(wall) != "pod")
        if end is None or hard:
            crashed[name] = hard
            told.moves[name] = replace(told.moves[name], crash=hard[0] if hard else "edge")
        elif not walls:
            moved.append(replace(ship, cell=end))
            arrived.setdefault(end, []).append(name)
            cells = (*told.moves[name].cells, end)
            told.moves[name] = replace(told.moves[name], cells=cells)
    position = position.with_pieces(moved)
    position = _crash(position, crashed, told)
    position = _arrive(position, arrived, told)
    return _capture(position, told)


def _walls(position: Position, here: list[str], ship: str) -> tuple[str, ...]:
    """Return what a ship would run into in a cell, by id."""
    walls = [name for name in here if kind_of(name) in WALLS]
    if position.options.base == "platform":
        walls = [name for name in walls if name != f"{team_of(ship)}-platform"]
    return tuple(sorted(walls))


def _crash(position: Position, crashed: Mapping[str, tuple[str, ...]], told: Moved) -> Position:
    """Send home who ran into something; a turret that was run into goes off."""
    off = set()
    for name, walls in sorted(crashed.items()):
        start = position.pieces[name].cell or ""
        end = platform_of(position.pieces, team_of(name))
        told.teleports.append(Teleport(name, start, end, "crash", walls))
        for wall in walls:
            if kind_of(wall) == "turret" and wall not in position.off:
                told.off.setdefault(wall, []).append(name)
                off.add(wall)
    position, dropped = send_home(position, crashed)
    told.asteroyds += dropped
    return replace(position, off=position.off | off) if off else position


def _arrive(position: Position, arrived: Mapping[str, list[str]], told: Moved) -> Position:
    """Settle who takes each loose asteroyd, or brings it home."""
    changed = []
    for asteroyd in position.of_kind("asteroyd"):
        cell = asteroyd.cell or ""
        team = team_of(asteroyd.id)
        ships = sorted(arrived.get(cell, []))
        others = tuple(ship for ship in ships if team_of(ship) != team)
        home = home_of(position.pieces, team)
        if len(others) == 1:
            changed.append(replace(asteroyd, cell=None, on=others[0]))
            told.asteroyds.append(Carried(asteroyd.id, "taken", others, cell))
        elif others:
            told.asteroyds.append(Carried(asteroyd.id, "contested", others, cell))
        elif ships and cell != home:
            changed.append(replace(asteroyd, cell=home))
            told.asteroyds.append(Carried(asteroyd.id, "returned", tuple(ships), cell))
    return position.with_pieces(changed) if changed else position


def _capture(position: Position, told: Moved) -> Position:
    """Count the asteroyds that carriers have brought to their bases."""
    scores = dict(position.scores)
    changed = []
    for asteroyd in position.pieces.values():
        if asteroyd.on is None:
            continue
        ship = position.pieces[asteroyd.on]
        winner, loser = team_of(ship.id) or "", team_of(asteroyd.id) or ""
        if not in_base(position, ship.cell or "", winner):
            continue
        scores[winner] += 1
        scores[loser] -= cost_of_capture(position)
        changed.append(replace(asteroyd, cell=home_of(position.pieces, loser), on=None))
        told.asteroyds.append(Carried(asteroyd.id, "captured", (ship.id,), ship.cell or ""))
    return replace(position.with_pieces(changed), scores=scores) if changed else position


def cost_of_capture(position: Position) -> int:
    """Return what a team loses whose asteroyd is captured: 1 of three teams, else nothing."""
    cost = position.options.capture_cost
    return int(len(teams_of(position.pieces.values())) == 3) if cost is None else cost
