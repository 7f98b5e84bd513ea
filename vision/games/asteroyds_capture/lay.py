"""Layouts -> table: cells, headings, dice and programmes, all with their chances.

Pieces lie in their cells to 5 mm and look along a way to 10 degrees; a ship carries the asteroyd
on which its middle lies, told by that one's rim to 2 mm (rules page, "Doubt"). What several photos
show counts alike from each.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from shapely import MultiPoint, Point

from vision.errors import TableFormatError, TableNotFoundError
from vision.games.asteroyds_capture.board import board_of
from vision.games.asteroyds_capture.check import check_tiles, layout_meant
from vision.games.asteroyds_capture.doubtful import SURE
from vision.games.asteroyds_capture.layouts import LAYOUTS, lay_out
from vision.games.asteroyds_capture.pieces import HEADED, WALLS, is_piece, kind_of, team_of
from vision.games.asteroyds_capture.position import teams_of
from vision.games.asteroyds_capture.said import each_of
from vision.games.asteroyds_capture.setup import check_table
from vision.games.asteroyds_capture.sheets import SheetReading, hands_of, read_sheet, whole
from vision.games.asteroyds_capture.values import (
    COLUMNS,
    RADIUS,
    Options,
    OtherValues,
    Piece,
    Program,
    Spot,
    Table,
)
from vision.games.asteroyds_capture.words import doubt, piece_name
from vision.geometry import table_from_photo
from vision.judging.counts import Expected
from vision.judging.grids import read_way
from vision.judging.said import PlacePx
from vision.values.layout import Layout, Placed
from vision.values.messages import Issue, message

__all__ = ["lay"]

_LAID_MM, _LAID_RAD = 5.0, math.radians(10.0)  # how far off hands lay a piece, and how askew
_RIM_MM, _RIM_SD_MM = 12.0, 2.0  # of an asteroyd, and how well it tells what is carried
Chances = dict[Spot, Mapping[Hashable, float]]
_NEEDED = ("home", "platform", "asteroyd")
_TOGETHER = {"home": "asteroyd", "asteroyd": "home"}  #: what lies there unless it was taken
_SHIPS = (1, 2, 3)


def lay(layouts: Sequence[Layout], options: Options) -> Table:
    """Read a turn from its photos."""
    seen: list[Chances] = []
    sheets: list[SheetReading] = []
    for layout in layouts:
        pieces = _numbered(layout.placed)
        seen.append(_pieces(pieces) | _carried(pieces) | _dice(layout.placed))
        tokens = [p for p in layout.placed if _is_counter(p)]
        own = [p for p in layout.placed if p.kind == "sheet"]
        laid_mm = hands_of(own, tokens)
        sheets += [read_sheet(sheet, tokens, laid_mm) for sheet in own]
    if not any(what == "cell" for chances in seen for _, what, _ in chances):
        msg = (
            f"found no board of Asteroyds with pieces on it ({len(sheets)} sheets seen); needed "
            "one photo of the whole board: take it from above, with all pieces on it"
        )
        said = message("asteroyds.no_board", n=len(sheets))
        raise TableNotFoundError(msg, is_near=bool(sheets), said=said)
    chances = _merged([*seen, *(dict(sheet.chances) for sheet in sheets)])
    table, unseen = _table(chances, sheets, options)
    table, supposed = suppose(table)
    here = {piece.id: piece for piece in table.pieces}
    alternatives = tuple(
        OtherValues(of, what, tuple(several.items()), column)
        for (of, what, column), several in chances.items()
        if (of in here or not is_piece(of))  # strangers are left out
        if options.pilots or what != "pilot"
        if len(several) > 1 and not (what == "cell" and here[of].on is not None)
    )
    try:
        check_table(table)
    except TableFormatError as error:
        msg = f"found the board, but {error}; lay what is missing and photograph it again"
        raise TableNotFoundError(msg) from error
    doubts = (*unseen, *supposed, *check_tiles(table.pieces))
    expected = expected_ships(table.pieces)
    unread = tuple(one for layout in layouts for one in _unread(layout))
    dice = {p.piece: p.at_px for p in layouts[0].placed if p.kind == "die"}
    return replace(
        table,
        alternatives=alternatives,
        doubts=doubts,
        expected=expected,
        unread=unread,
        seen=dice,
    )


def _unread(layout: Layout) -> Iterator[tuple[frozenset[str], PlacePx]]:
    """Yield the cells under each thing on the board that was not read, and its place."""
    grid = board_of(RADIUS).grid
    for p in layout.placed:
        if p.kind == "token" and p.identity is None and p.score == 0:
            outline = MultiPoint(table_from_photo(layout.camera, p.outline_px)).convex_hull
            under = {n for n in grid.names if outline.covers(Point(grid.centre(n)))}
            nearest = grid.read((p.x_mm, p.y_mm), np.eye(2), _LAID_MM)[0][0]
            yield frozenset(under | {nearest}), p.at_px


def _is_counter(placed: Placed) -> bool:
    is_one = placed.identity is None or placed.piece.startswith(("counter", "pilot-"))
    return placed.kind == "token" and is_one


def _numbered(placed: Iterable[Placed]) -> dict[str, Placed]:
    """Return the board's pieces by id; pods are numbered from the top left."""
    found = {p.piece: p for p in placed if p.kind == "token" and is_piece(p.piece)}
    pods = [p for p in placed if p.piece == "pod" and p.kind == "token"]
    pods.sort(key=lambda p: (round(p.y_mm / 19.0), p.x_mm))  # rows of cells are half a cell apart
    return found | {f"pod-{k}": p for k, p in enumerate(pods, start=1)}


# --- what each photo shows -----------------------------------------------------------------------


def _pieces(pieces: Mapping[str, Placed]) -> Chances:
    """Return the cells and ways of the pieces on a board."""
    grid = board_of(RADIUS).grid
    found: Chances = {}
    for name, p in pieces.items():
        cells = grid.read((p.x_mm, p.y_mm), p.covariance[:2, :2], _LAID_MM)
        found[name, "cell", 0] = whole(dict(cells))
        if kind_of(name) in HEADED:
            ways = read_way(p.theta_rad, float(p.covariance[2, 2]), 6, _LAID_RAD)
            found[name, "heading_deg", 0] = whole(dict(ways))
    return found


def _carried(pieces: Mapping[str, Placed]) -> Chances:
    """Return by which ship each asteroyd is carried: none, or one whose middle lies on it."""
    found: Chances = {}
    for name, asteroyd in pieces.items():
        if kind_of(name) != "asteroyd":
            continue
        inside = 0.0
        weights: dict[Hashable, float] = {}
        for other, ship in pieces.items():
            if kind_of(other) == "ship" and team_of(other) != team_of(name):
                apart = math.hypot(ship.x_mm - asteroyd.x_mm, ship.y_mm - asteroyd.y_mm)
                spread = ship.covariance[:2, :2] + asteroyd.covariance[:2, :2]
                variance = _RIM_SD_MM**2 + float(np.trace(spread)) / 2
                beyond = apart - _RIM_MM
                weights[other] = math.exp(-(max(beyond, 0.0) ** 2) / 2 / variance)
                inside = max(inside, -beyond / math.sqrt(variance))
        found[name, "on", 0] = whole({**weights, None: math.exp(-(inside**2) / 2)})
    return found


def _dice(placed: Iterable[Placed]) -> Chances:
    """Return what each die shows; of several of a colour each may be it; where all agree, none."""
    seen: dict[Spot, list[Mapping[Hashable, float]]] = {}
    for die in placed:
        colour = die.piece.partition("-")[0]
        if die.kind == "die" and die.side.isdigit():
            chances: dict[Hashable, float] = {}
            for other in die.others:
                side = other.piece.rpartition("-")[2]
                if side.isdigit() and other.chance:
                    chances[int(side)] = other.chance
            chances[int(die.side)] = 1.0 - sum(chances.values())
            seen.setdefault((colour, "die", 0), []).append(whole(chances))
    any_: Mapping[Hashable, float] = dict.fromkeys(range(1, 7), 1 / 6)
    merged = {}
    for spot, several in seen.items():
        both = _merged({spot: one} for one in several)[spot]
        agree = len(several) > 1 and len(both) == 1  # dots of another thing make ones
        merged[spot] = _merged({spot: one} for one in (both, any_))[spot] if agree else both
    return merged


def _merged(seen: Iterable[Mapping[Spot, Mapping[Hashable, float]]]) -> Chances:
    """Return the chances of each spot over all that show it, alike from each."""
    found: dict[Spot, dict[Hashable, float]] = {}
    for chances in seen:
        for spot, several in chances.items():
            total = found.setdefault(spot, {})
            for value, chance in several.items():
                total[value] = total.get(value, 0.0) + chance
    return {spot: whole(several) for spot, several in found.items()}


# --- the table -----------------------------------------------------------------------------------


def _table(
    chances: Chances, sheets: Sequence[SheetReading], options: Options
) -> tuple[Table, list[Issue]]:
    """Return the table of the likeliest readings, and doubts of ships that only a sheet shows."""
    best: dict[Spot, Any] = {spot: next(iter(several)) for spot, several in chances.items()}
    pieces = {}
    for (name, what, _), value in best.items():
        if what == "cell":
            on = best.get((name, "on", 0))
            way = best.get((name, "heading_deg", 0), 0)
            pieces[name] = Piece(name, value if on is None else None, way, on)
    pieces, unseen = without_strangers(pieces)
    programs: dict[str, Program] = {}
    for sheet in sheets:
        ship = sheet.ship
        platform = pieces.get(f"{team_of(ship)}-platform")
        if ship not in pieces and platform is not None:
            pieces[ship] = Piece(ship, platform.cell)
            unseen.append(doubt("ship_unseen", (ship,), ship=piece_name(ship)))
        if ship in pieces:
            columns = tuple(best[ship, "column", c] for c in range(1, COLUMNS + 1))
            mode, rounds = best[ship, "mode", 0], best[ship, "rounds", 0]
            programs[ship] = Program(columns, mode, rounds)
            who = chances[ship, "pilot", 0]
            pieces[ship] = replace(pieces[ship], pilot=_pilot(who, options))
            if options.pilots and tuple(who) == (None,):
                unseen.append(doubt("pilot_unknown", (ship,), ship=piece_name(ship)))
    dice = {of: value for (of, what, _), value in best.items() if what == "die"}
    laid = tuple(pieces[name] for name in sorted(pieces))
    return Table(laid, programs, dice, {}, options, RADIUS), unseen


def _pilot(chances: Mapping[Hashable, float], options: Options) -> Any:
    """Return who flies a ship; where pilots do not count nobody is asked, so only who is sure."""
    name, chance = next(iter(chances.items()))
    return name if options.pilots or chance >= SURE else None


# --- what no photo shows, and what is none of it -------------------------------------------------
# A home lies under its asteroyd and whoever stands there, so that a photo may show nothing of it.
# So may a hand lie over a platform. A table is never refused for that: on the page it is put right.


def without_strangers(pieces: Mapping[str, Piece]) -> tuple[dict[str, Piece], list[Issue]]:
    """Leave out the only piece of a team, if it is neither home nor platform nor asteroyd.

    Something else looks like it: of a team that plays more is in sight.
    """
    crowds = Counter(team_of(name) for name in pieces)
    needed = {team_of(name) for name in pieces if kind_of(name) in _NEEDED}
    teams = needed | {team for team, n in crowds.items() if n > 1}
    strange = {
        n: p for n, p in pieces.items() if team_of(n) is not None and team_of(n) not in teams
    }
    told = [
        doubt("piece_strange", (name,), piece=piece_name(name), place=piece.cell)
        for name, piece in sorted(strange.items())
    ]
    return {name: piece for name, piece in pieces.items() if name not in strange}, told


def expected_ships(pieces: Sequence[Piece]) -> tuple[Expected, ...]:
    """Return the ships that surely play.

    That is one of the layout that was meant, one whose number is below another's of its team, and
    the first of a team of which tiles lie there.
    """
    seen = {piece.id for piece in pieces}
    meant = layout_meant(pieces)
    wanted = set() if meant is None else set(lay_out(meant, RADIUS))
    for team in teams_of(pieces):
        numbers = [k for k in _SHIPS if f"{team}-{k}" in seen]
        wanted |= {f"{team}-{k}" for k in range(1, max([1, *numbers]) + 1)}
    return each_of([name for name in sorted(wanted) if kind_of(name) == "ship"])


def suppose(table: Table) -> tuple[Table, tuple[Issue, ...]]:
    """Lay the homes, platforms and asteroyds that were not seen where they most likely lie.

    That is where the layout has them that was surely meant. On a table that is laid freely of home
    and asteroyd either is taken to lie with the other, a platform under ships of its team that
    stand together; what is left lies where a layout has it, or in the next cell that is free.
    A home that the layout has where its asteroyd lies is as good as seen: homes never move.
    """
    seen = {piece.id: piece for piece in table.pieces}
    found = dict(seen)
    meant, teams = layout_meant(table.pieces), sorted(teams_of(table.pieces))
    laid = _usual(teams, table.radius) if meant is None else lay_out(meant, table.radius)
    more = []
    for name in (f"{team}-{kind}" for team in teams for kind in _NEEDED):
        if name in found:
            continue
        by_others = None if meant else _beside_its_own(name, found)
        cell = by_others or _free(str(laid[name].cell), found, table.radius)
        found[name] = Piece(name, cell)
        more.append(found[name])
    told = tuple(
        doubt(
            "piece_supposed",
            (piece.id,),
            "note" if meant and _is_under_its_asteroyd(piece, seen) else "doubt",
            piece=piece_name(piece.id),
            place=piece.cell,
        )
        for piece in more
    )
    return replace(table, pieces=tuple(found[name] for name in sorted(found))), told


def _is_under_its_asteroyd(piece: Piece, seen: Mapping[str, Piece]) -> bool:
    """Return whether a piece is a home in whose cell its own asteroyd was seen."""
    own = seen.get(f"{team_of(piece.id)}-asteroyd")
    return kind_of(piece.id) == "home" and own is not None and own.cell == piece.cell


def _usual(teams: Sequence[str], radius: int) -> Mapping[str, Piece]:
    """Return a layout in which teams play: the homes and platforms of a team vary little."""
    layouts = (lay_out(layout, radius) for layout in LAYOUTS)
    return next(laid for laid in layouts if set(teams) <= set(teams_of(laid.values())))


def _beside_its_own(name: str, found: Mapping[str, Piece]) -> str | None:
    """Return the cell of a piece by the pieces of its team that were seen."""
    kind = kind_of(name)
    if kind in _TOGETHER:
        other = found.get(f"{team_of(name)}-{_TOGETHER[kind]}")
        return None if other is None else other.cell
    crowds = Counter(
        piece.cell
        for other, piece in found.items()
        if kind_of(other) == "ship" and team_of(other) == team_of(name)
    )
    walls = _walls(found)
    together = (cell for cell, n in crowds.most_common() if n > 1 and cell not in walls)
    return next(together, None)


def _free(cell: str, found: Mapping[str, Piece], radius: int) -> str:
    """Return the nearest cell to one in which no tile stands fast."""
    board, walls = board_of(radius), _walls(found)
    at = board.centre_mm(cell)
    free = sorted(other for other in board.cells if other not in walls)
    return min(free, key=lambda other: round(math.dist(board.centre_mm(other), at)))


def _walls(found: Mapping[str, Piece]) -> set[str | None]:
    return {piece.cell for name, piece in found.items() if kind_of(name) in WALLS}
