"""Lasers: who fires in a round, how far each beam goes, whom it hits, and what comes of that."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from vision.games.asteroyds_capture.pieces import kind_of, team_of
from vision.games.asteroyds_capture.position import Position, platform_of, send_home
from vision.games.asteroyds_capture.programs import Anticipation
from vision.games.asteroyds_capture.rocks import side_of_die
from vision.games.asteroyds_capture.values import Beam, Carried, Off, Program, Teleport

__all__ = ["Orders", "Struck", "fire", "strike"]


@dataclass(frozen=True, slots=True)
class Orders:
    """What all ships do in the turn."""

    programs: Mapping[str, Program]
    anticipated: Mapping[str, Anticipation]

    def action(self, ship: str, number: int) -> str | None:
        """Return what a ship's column holds."""
        return self.programs.get(ship, Program()).columns[number - 1]

    def holds(self, ship: str, mode: str, number: int) -> bool:
        """Tell whether a ship's anticipation holds in a round."""
        own = self.anticipated.get(ship)
        return own is not None and own.mode == mode and number in own.rounds


@dataclass(frozen=True, slots=True)
class _Shot:
    source: str
    cell: str
    way: int
    pierces: bool = False


def fire(position: Position, orders: Orders, number: int) -> list[Beam]:
    """Fire all lasers of a round at once, by source."""
    shots = []
    for piece in position.of_kind("ship", "turret"):
        cell = piece.cell or ""
        if kind_of(piece.id) == "turret":
            way = side_of_die(position, piece, team_of(piece.id))
            if way is not None and piece.id not in position.off:
                shots.append(_Shot(piece.id, cell, way))
        elif piece.id not in position.out:
            pierces = orders.holds(piece.id, "fire", number)
            extra = pierces and position.options.anticipated_fire == "extra"
            if extra or orders.action(piece.id, number) == "fire":
                shots.append(_Shot(piece.id, cell, piece.way, pierces))
    shielded = {
        ship.id for ship in position.of_kind("ship") if orders.holds(ship.id, "shield", number)
    }
    held = position.by_cell()
    return [_trace(position, held, shot, shielded) for shot in shots]


def _trace(
    position: Position, held: Mapping[str, list[str]], shot: _Shot, shielded: set[str]
) -> Beam:
    """Follow a beam from the cell in front to what ends it."""
    cells: list[str] = []
    evaded: list[str] = []
    for cell in position.board.rays[shot.cell][shot.way]:
        cells.append(cell)
        here = held.get(cell)
        if here is None:
            continue
        walls = [name for name in here if kind_of(name) in ("pod", "platform")]
        targets, passed = _targets(position, here, shot, shielded)
        if walls:
            is_open = not position.options.platform_shelter and not any(
                kind_of(name) == "pod" for name in walls
            )
            targets = [t for t in targets if kind_of(t) == "ship"] if is_open else []
            passed = passed if is_open else []
        evaded += passed
        if walls or targets:
            solid = position.options.rocks == "solid"
            hits = [t for t in targets if not (solid and kind_of(t) == "rock")]
            stops = sorted([*walls, *targets])
            told = (tuple(stops), tuple(sorted(hits)), tuple(sorted(evaded)))
            return Beam(shot.source, shot.way, tuple(cells), *told)
    return Beam(shot.source, shot.way, tuple(cells), evaded=tuple(sorted(evaded)))


def _targets(
    position: Position, here: Iterable[str], shot: _Shot, shielded: set[str]
) -> tuple[list[str], list[str]]:
    """Return what a beam hits in a cell, and the shielded ships that it passes."""
    targets: list[str] = []
    passed: list[str] = []
    own = team_of(shot.source)
    for name in here:
        kind = kind_of(name)
        if kind == "rock" or (kind == "turret" and team_of(name) != own):
            targets.append(name)
        elif kind == "ship" and team_of(name) != own and name not in position.out:
            is_past = name in shielded and not shot.pierces
            (passed if is_past else targets).append(name)
    return targets, passed


@dataclass(frozen=True, slots=True)
class Struck:
    """What the beams of a round did."""

    off: list[Off]
    destroyed: list[str]
    teleports: list[Teleport]
    dropped: list[Carried]


def strike(position: Position, beams: Iterable[Beam]) -> tuple[Position, Struck]:
    """Bring all hits of a round to the position at once."""
    by: dict[str, list[str]] = {}
    for beam in beams:
        for hit in beam.hits:
            by.setdefault(hit, []).append(beam.source)
    ships = sorted(name for name in by if kind_of(name) == "ship")
    rocks = sorted(name for name in by if kind_of(name) == "rock")
    turrets = sorted(name for name in by if kind_of(name) == "turret")
    off = [Off(t, tuple(sorted(by[t]))) for t in turrets if t not in position.off]
    teleports = []
    for ship in ships:
        start, end = position.pieces[ship].cell, platform_of(position.pieces, team_of(ship))
        teleports.append(Teleport(ship, start or "", end, "laser", tuple(sorted(by[ship]))))
    position, dropped = send_home(position, ships)
    position = position.with_pieces(replace(position.pieces[rock], cell=None) for rock in rocks)
    position = replace(position, off=position.off | set(turrets))
    return position, Struck(off, rocks, teleports, dropped)
