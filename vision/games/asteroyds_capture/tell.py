"""Table and resolution -> the ledger: a step a round, in the order in which things happen."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from vision.games.asteroyds_capture.board import ACROSS_MM, Board, board_of
from vision.games.asteroyds_capture.pieces import (
    ASTEROYD_MM,
    HEADED,
    SHIP_MM,
    TILE_MM,
    kind_of,
    team_of,
)
from vision.games.asteroyds_capture.position import teams_of
from vision.games.asteroyds_capture.said import closed
from vision.games.asteroyds_capture.spots import spots
from vision.games.asteroyds_capture.values import (
    Beam,
    Carried,
    Move,
    Resolution,
    Round,
    Table,
    Teleport,
)
from vision.games.asteroyds_capture.words import piece_name, program_words
from vision.judging.odds import odds_of
from vision.values.arrays import Points
from vision.values.ledger import (
    Badge,
    Burst,
    Chance,
    Cross,
    Event,
    Ledger,
    LedgerStep,
    Mark,
    Odds,
    Path,
    PieceState,
    PieceView,
    Side,
    Tally,
)
from vision.values.messages import Message, message

__all__ = ["SIDES", "tell"]

SIDES = (
    Side("red", message("team.red"), "#d23b34", "square"),
    Side("white", message("team.white"), "#d8dce2", "disc"),
    Side("blue", message("team.blue"), "#2f6fd0", "triangle"),
)
_ORDER = ("home", "platform", "pod", "turret", "rock", "asteroyd", "ship")  # the lowest first
_RIM = np.linspace(0, 2 * np.pi, 24, endpoint=False)
_SIX = np.arange(6) * np.pi / 3 + np.pi / 6


def tell(table: Table, resolution: Resolution) -> Ledger:
    """Tell a turn: what happens in each round, how it stands, how sure that is."""
    board = board_of(table.radius)
    told = _Teller(board, table)
    steps = tuple(told.step(one) for one in resolution.rounds)
    sides = tuple(side for side in SIDES if side.id in teams_of(table.pieces))
    unordered = not resolution.winners and not _is_programmed(table)
    key = "asteroyds.position" if unordered else "asteroyds.goes_on"
    key = "asteroyds.wins" if resolution.winners else key
    opening = Tally({team: {"total": table.scores.get(team, 0)} for team in resolution.scores})
    return Ledger(
        game="asteroyds-capture",
        sides=sides,
        columns=(),
        pieces=(_board_view(board), *_views(table)),
        opening=opening,
        steps=steps,
        winners=resolution.winners,
        outcome=message(key, team=resolution.winners[0] if resolution.winners else None),
        unordered=unordered,
        doubts=resolution.issues,
        odds=_odds(resolution),
        summary=(*_plans(table), *_scores(resolution.scores)),
        weighed=(*resolution.weighed, *closed(table)),
    )


def _is_programmed(table: Table) -> bool:
    """Tell whether a ship on the board has a programme, be it an empty one."""
    return any(p.id in table.programs for p in table.pieces if p.cell is not None)


def _scores(scores: Mapping[str, int]) -> tuple[Message, ...]:
    return tuple(message("asteroyds.score", team=team, score=n) for team, n in scores.items())


def _plans(table: Table) -> Iterator[Message]:
    for ship, program in sorted(table.programs.items()):
        plan = program_words(program)
        yield message("asteroyds.plan", ship=piece_name(ship), plan=plan)


def _names(pieces: Sequence[str]) -> tuple[Message, ...]:
    return tuple(piece_name(piece) for piece in pieces)


# --- pieces --------------------------------------------------------------------------------------


def _board_view(board: Board) -> PieceView:
    """Return the board: of radius 5 it is 380 x 440 mm."""
    half = np.array([0.75**0.5 * ACROSS_MM * board.radius + 25.5, ACROSS_MM * board.radius + 30.0])
    rim = half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    return PieceView("board", "board", message("game.title"), rim)


def _views(table: Table) -> Iterator[PieceView]:
    places = spots(table)
    for kind in _ORDER:
        for piece in table.pieces:
            if kind_of(piece.id) == kind and piece.id in places:
                yield PieceView(
                    piece.id,
                    "token",
                    piece_name(piece.id),
                    _outline(places[piece.id], kind),
                    side=team_of(piece.id),
                    number=piece.id.rpartition("-")[2] if kind == "ship" else "",
                    theta_rad=piece.way * np.pi / 3 if kind in HEADED else None,
                    face="pod" if kind == "pod" else "",
                )


def _outline(at_mm: tuple[float, float], kind: str) -> Points:
    """Return the edge of a piece: of a disc as good as round, of a tile its six sides."""
    discs = {"ship": SHIP_MM, "asteroyd": ASTEROYD_MM}
    turns = _RIM if kind in discs else _SIX
    radius = discs.get(kind, TILE_MM[0]) / 2
    x, y = at_mm
    return np.column_stack([x + radius * np.sin(turns), y - radius * np.cos(turns)])


# --- rounds --------------------------------------------------------------------------------------


class _Teller:
    """Tells one round after another, and keeps what each piece has come to."""

    def __init__(self, board: Board, table: Table) -> None:
        self.board = board
        self.homes = {
            f"{team_of(p.id)}-asteroyd": p.cell or ""
            for p in table.pieces
            if kind_of(p.id) == "home"
        }
        self.cargo = {p.id: p.on for p in table.pieces if p.on is not None}
        self.out: set[str] = set()
        self.off: set[str] = set()
        self.gone: set[str] = set()

    def step(self, one: Round) -> LedgerStep:
        """Tell a round: rocks, beams, what they did, moves, what those did."""
        events = [*self._lasers(one), *self._moves(one)]
        if not events:
            events = [Event(message("asteroyds.quiet"))]
        self.out |= {t.ship for t in one.teleports}
        self.off |= {off.turret for off in one.off}
        self.gone |= set(one.destroyed)
        for happened in one.asteroyds:
            if happened.event == "taken":
                self.cargo[happened.asteroyd] = happened.ships[0]
            elif happened.event != "contested":
                self.cargo.pop(happened.asteroyd, None)
        scores = {team: {"total": score} for team, score in one.scores.items()}
        title = message("asteroyds.round", n=one.number)
        return LedgerStep(title, tuple(events), Tally(scores, self._states()))

    def _states(self) -> dict[str, PieceState]:
        states = {rock: PieceState(is_out=True) for rock in self.gone}
        states |= {t: PieceState(note=message("asteroyds.is_off")) for t in self.off}
        states |= {ship: PieceState(note=message("asteroyds.out")) for ship in self.out}
        for ship in sorted(set(self.cargo.values())):
            held = [a for a in sorted(self.cargo) if self.cargo[a] == ship]
            note = message("asteroyds.carries", pieces=_names(held))
            states[ship] = PieceState(held=len(held), note=note)
        return dict(sorted(states.items()))

    def _at(self, cell: str) -> tuple[float, float]:
        return self.board.centre_mm(cell)

    def _path(
        self, cells: Sequence[str], piece: str, kind: Literal["move", "throw"] = "move"
    ) -> tuple[Mark, ...]:
        if len(set(cells)) < 2:
            return ()
        path = np.array([self._at(cell) for cell in cells])
        return (Path(path, team_of(piece), kind=kind),)

    def _lasers(self, one: Round) -> Iterator[Event]:
        for rock in one.rocks:
            said = message(
                "asteroyds.rock", rock=piece_name(rock.rock), start=rock.start, end=rock.end
            )
            yield Event(said, (rock.rock,), self._path((rock.start, rock.end), rock.rock))
        for beam in one.beams:
            yield self._beam(beam, one.number)
        for off in one.off:
            if any(off.turret in beam.hits for beam in one.beams):
                yield self._off(off.turret, off.by)
        for name in one.destroyed:
            cell = next(b.cells[-1] for b in one.beams if name in b.hits)
            cross = Cross(_outline(self._at(cell), "rock"), name)
            said = message("asteroyds.destroyed", rock=piece_name(name))
            yield Event(said, (name,), (cross,), leaves=(name,))
        yield from self._leaving(one, "laser")

    def _beam(self, beam: Beam, number: int) -> Event:
        """Tell a beam, drawn from its source's own cell to where it ends."""
        way = -np.pi / 2 + beam.way * np.pi / 3
        ahead = ACROSS_MM * np.array([np.cos(way), np.sin(way)])
        end = message("asteroyds.fires_nothing")
        if beam.hits:
            end = message("asteroyds.fires_hits", pieces=_names(beam.hits))
        elif beam.stopped_by:
            end = message("asteroyds.fires_stopped", pieces=_names(beam.stopped_by))
        elif beam.cells:
            end = message("asteroyds.fires_edge")
        if beam.evaded:
            end = message("asteroyds.passes", end=end, pieces=_names(beam.evaded))
        said = message(
            "asteroyds.fires",
            source=piece_name(beam.source),
            cells=" ".join(beam.cells) or "–",
            end=end,
        )
        marks: list[Mark] = []
        if beam.cells:
            middles = np.array([self._at(cell) for cell in (beam.cells[0], beam.cells[-1])])
            middles[0] -= 0.75 * ahead  # off the source's own disc
            if not beam.stopped_by:
                middles[1] += ahead / 2
            fades = not beam.stopped_by
            marks.append(Path(middles, team_of(beam.source), fades=fades, label=str(number)))
        if beam.hits:
            marks.append(Burst(self._at(beam.cells[-1]), len(beam.hits)))
        pieces = (beam.source, *beam.hits, *beam.evaded)
        return Event(said, pieces, tuple(marks), id=f"{beam.source}-round-{number}")

    def _off(self, turret: str, by: Sequence[str]) -> Event:
        return Event(message("asteroyds.off", turret=piece_name(turret)), (turret, *by))

    def _moves(self, one: Round) -> Iterator[Event]:
        for move in one.moves:
            yield self._move(move)
        for off in one.off:
            if not any(off.turret in beam.hits for beam in one.beams):
                yield self._off(off.turret, off.by)
        yield from self._leaving(one, "crash")

    def _move(self, move: Move) -> Event:
        wall = message("asteroyds.edge")
        if move.crash not in (None, "edge"):
            wall = piece_name(move.crash or "")
        said = message(
            "asteroyds.moves" if move.crash is None else "asteroyds.crashes",
            ship=piece_name(move.ship),
            action=message(f"asteroyds.action.{move.action}"),
            cells="–".join(move.cells),
            **({"degrees": 60 * move.way} if move.crash is None else {"wall": wall}),
        )
        marks = [*self._path(move.cells, move.ship)]
        if move.crash is not None:
            marks.append(Burst(self._at(move.cells[-1]), 1))
        held = tuple(sorted(a for a, ship in self.cargo.items() if ship == move.ship))
        return Event(said, (move.ship,), tuple(marks), along=held)

    def _leaving(self, one: Round, cause: str) -> Iterator[Event]:
        """Tell who goes home for a cause; then what happens to asteroyds by it."""
        gone = [t for t in one.teleports if t.cause == cause]
        for teleport in gone:
            yield self._teleport(teleport)
        by_laser = {t.ship for t in one.teleports if t.cause == "laser"}
        for happened in one.asteroyds:
            is_shot = happened.event == "dropped" and happened.ships[0] in by_laser
            if is_shot == (cause == "laser"):
                yield self._carried(happened)

    def _teleport(self, teleport: Teleport) -> Event:
        said = message(
            f"asteroyds.home_{teleport.cause}",
            ship=piece_name(teleport.ship),
            start=teleport.start,
            end=teleport.end,
        )
        marks = self._path((teleport.start, teleport.end), teleport.ship, "throw")
        return Event(said, (teleport.ship, *teleport.by), marks)

    def _carried(self, happened: Carried) -> Event:
        said = message(
            f"asteroyds.{happened.event}",
            asteroyd=piece_name(happened.asteroyd),
            ships=_names(happened.ships),
            cell=happened.cell,
        )
        if happened.event not in ("returned", "captured"):
            return Event(said, (*happened.ships, happened.asteroyd))
        home = self.homes[happened.asteroyd]
        marks = self._path((happened.cell, home), happened.asteroyd, "throw")
        if happened.event == "captured":
            marks = (*marks, Badge(self._at(happened.cell), "count", "+1"))
        return Event(said, (happened.asteroyd, *happened.ships), marks)


# --- odds ----------------------------------------------------------------------------------------


def _odds(resolution: Resolution) -> Odds:
    told = [
        (
            Chance(e.scores, e.winners, e.probability),
            message("asteroyds.ending", scores=_scores(e.scores), chance=e.probability),
        )
        for e in resolution.endings
    ]
    return odds_of(told, message("asteroyds.odds"), resolution.unknown)
