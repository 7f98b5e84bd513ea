"""A table -> the turn played: up to six rounds of lasers, then moves (rules page, "A turn")."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from vision.games.asteroyds_capture.beams import Orders, fire, strike
from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.layouts import lay_out
from vision.games.asteroyds_capture.pieces import WALLS, kind_of, team_of
from vision.games.asteroyds_capture.position import (
    Position,
    home_of,
    in_base,
    opened,
    platform_of,
    send_home,
    teams_of,
)
from vision.games.asteroyds_capture.programs import anticipate, motion_of
from vision.games.asteroyds_capture.rocks import move_rocks
from vision.games.asteroyds_capture.values import (
    COLUMNS,
    Carried,
    Move,
    Off,
    RockMove,
    Round,
    Table,
    Teleport,
)

__all__ = ["Played", "after", "leader", "play"]


@dataclass(frozen=True, slots=True)
class Played:
    """What came of a turn; ``refused`` are ships and the columns of powers that may not be."""

    rounds: tuple[Round, ...]
    position: Position
    winners: tuple[str, ...]
    refused: tuple[tuple[str, int], ...] = ()


def play(table: Table) -> Played:
    """Play the turn of a table as it is read, its alternatives left aside."""
    position = opened(table, board_of(table.radius))
    ships = {p.id: p for p in position.pieces.values() if kind_of(p.id) == "ship"}
    anticipated = {
        name: anticipate(ships[name], program, table.options)
        for name, program in table.programs.items()
    }
    orders = Orders(table.programs, anticipated)
    rounds: list[Round] = []
    refused: list[tuple[str, int]] = []
    winners = leader(position)
    for number in range(1, COLUMNS + 1):
        if winners:
            break
        position, told, lost = _round(position, orders, number)
        rounds.append(told)
        refused += [(ship, number) for ship in lost]
        winners = leader(position)
    return Played(tuple(rounds), position, winners, tuple(refused))


def _round(position: Position, orders: Orders, number: int) -> tuple[Position, Round, list[str]]:
    rocks: list[RockMove] = []
    if number == 1 or position.options.rocks_move == "round":
        position, rocks = move_rocks(position)
    beams = fire(position, orders, number)
    position, struck = strike(position, beams)
    position, moved = move(position, orders, number)
    off = sorted([*struck.off, *moved.offs()], key=lambda one: one.turret)
    teleports = sorted([*struck.teleports, *moved.teleports], key=lambda one: one.ship)
    told = Round(
        number=number,
        rocks=tuple(rocks),
        beams=tuple(beams),
        off=tuple(off),
        destroyed=tuple(struck.destroyed),
        moves=tuple(one for _, one in sorted(moved.moves.items())),
        teleports=tuple(teleports),
        asteroyds=(*struck.dropped, *moved.asteroyds),
        scores=position.scores,
    )
    return position, told, moved.refused


def leader(position: Position) -> tuple[str, ...]:
    """Return who has won: the one team that leads, with points enough."""
    scores = position.scores
    target = position.options.target
    if target is None:
        target = 2 if len(scores) == 3 else 3
    best = max(scores.values(), default=0)
    first = [team for team, score in scores.items() if score == best]
    return tuple(first) if len(first) == 1 and best >= target else ()


def after(table: Table, played: Played) -> Table:
    """Return the table as it is to be set up for the next turn.

    Pods and rocks that are off the table are left out; a layout would lay its pods anew, so a table
    that lacks one names no layout.
    """
    every = played.position.pieces.values()
    pieces = tuple(p for p in every if p.cell or kind_of(p.id) not in ("pod", "rock"))
    layout = table.layout
    if layout is not None and not {p.id for p in pieces} >= set(lay_out(layout, table.radius)):
        layout = None
    kept = replace(table, pieces=pieces, scores=dict(played.position.scores), layout=layout)
    kept = replace(kept, programs={}, dice={}, alternatives=(), doubts=())
    return replace(kept, expected=(), said=frozenset())


# --- moves ---------------------------------------------------------------------------------------


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
