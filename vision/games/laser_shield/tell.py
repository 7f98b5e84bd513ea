"""Table and resolution -> the ledger: a step a time, beams as they bounce, who is left."""

from collections.abc import Iterator, Sequence

import numpy as np

from vision.games.laser_shield.board import HEADINGS, centre_mm, edge_mm
from vision.games.laser_shield.pieces import BOARD_MM, TOKEN_MM
from vision.games.laser_shield.values import (
    TEAMS,
    Beam,
    Kill,
    Moved,
    Pawn,
    Resolution,
    Step,
    Table,
    Turned,
)
from vision.values.arrays import Points
from vision.values.ledger import (
    Badge,
    Burst,
    Chance,
    Cross,
    Event,
    Ledger,
    LedgerStep,
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
    Side("orange", message("team.orange"), "#e8762c", "disc"),
    Side("blue", message("team.blue"), "#2f6fd0", "square"),
)
_RADIUS_MM = TOKEN_MM / 2
_HALF = np.array(BOARD_MM) / 2
_BOARD = PieceView(
    "board",
    "board",
    message("shield.title"),
    np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * _HALF,
)
_RIM = np.linspace(0, 2 * np.pi, 24, endpoint=False)


def tell(table: Table, resolution: Resolution) -> Ledger:
    """Tell a phase: what happens at each time, who is left, how sure that is."""
    dead: set[str] = set()
    steps = []
    for step in resolution.steps:
        dead |= {kill.pawn for kill in step.killed}
        tally = _tally(table, dead)
        steps.append(LedgerStep(message("shield.time", n=step.time), tuple(_events(step)), tally))
    return Ledger(
        game="laser-shield",
        sides=SIDES,
        columns=(),
        pieces=(_BOARD, *(_view(pawn) for pawn in table.pawns)),
        opening=_tally(table, set()),
        steps=tuple(steps),
        winners=resolution.winners,
        outcome=_outcome(resolution),
        doubts=resolution.issues,
        odds=_odds(resolution),
        summary=tuple(_ordered(team, resolution) for team in TEAMS),
    )


def pawn_name(pawn: str) -> Message:
    """Return how a pawn is called."""
    team, _, number = pawn.partition("-")
    return message("shield.pawn", team=team, number=number)


def _view(pawn: Pawn) -> PieceView:
    name = pawn_name(pawn.id)
    number = pawn.id.rpartition("-")[2]
    rim = np.array(centre_mm(pawn.square)) + _RADIUS_MM * _circle()
    label = message(f"shield.heading.{pawn.heading}")
    return PieceView(pawn.id, "token", name, rim, label=label, side=pawn.team, number=number)


def _circle() -> Points:
    return np.column_stack([np.sin(_RIM), -np.cos(_RIM)])


def _tally(table: Table, dead: set[str]) -> Tally:
    """Count who is left."""
    left = {team: {"total": 0} for team in TEAMS}
    for pawn in table.pawns:
        left[pawn.team]["total"] += pawn.id not in dead
    return Tally(left, {pawn: PieceState(is_out=True) for pawn in sorted(dead)})


def _events(step: Step) -> Iterator[Event]:
    """Tell a time in the order of the rules: point blank, moves and turns, other lines."""
    for beam in step.beams:
        if beam.point_blank:
            yield _beam(beam, step.time)
    for move in step.moves:
        yield _moved(move, "shield.moves")
    for turn in step.turned:
        yield _turned(turn)
    for beam in step.beams:
        if not beam.point_blank:
            yield _beam(beam, step.time)
    for kill in step.killed:
        yield _killed(kill)
    for push in step.pushed:
        yield _moved(push, "shield.thrown")


def _beam(beam: Beam, time: int) -> Event:
    """Tell one line of a beam, drawn to where it ends."""
    last, struck = beam.squares[-1], beam.struck
    end = centre_mm(last)
    if beam.end == "off":
        end = edge_mm(last, HEADINGS.index(beam.heading))
    path = np.array([centre_mm(beam.squares[0]), end])
    marks: list[Path | Burst | Badge] = [
        Path(path, beam.team, fades=beam.end == "off", label=str(time))
    ]
    told = message(f"shield.{beam.end}") if struck is None else message("shield.kills")
    if struck is not None:
        key = "shield.held" if struck.shielded else "shield.kills"
        told = message(key, pawn=pawn_name(struck.pawn))
        marks.append(Badge(end, "shield") if struck.shielded else Burst(end, 2))
    said = message(
        "shield.fires" if beam.line == 1 else "shield.goes_on",
        pawn=pawn_name(beam.pawn),
        squares=">".join(beam.squares),
        end=told,
    )
    pieces = (beam.pawn,) if struck is None else (beam.pawn, struck.pawn)
    return Event(said, pieces, tuple(marks), id=f"{beam.pawn}-line-{beam.line}")


def _moved(move: Moved, key: str) -> Event:
    """Tell a move or a throw, or why the pawn stays."""
    name = pawn_name(move.pawn)
    if not move.done or move.to is None:
        reason = message(f"shield.reason.{move.reason}")
        return Event(
            message("shield.stays", pawn=name, start=move.start, reason=reason), (move.pawn,)
        )
    via = message("shield.via", door=move.via) if move.via else ""
    said = message(key, pawn=name, start=move.start, to=move.to, via=via)
    path = np.array([centre_mm(move.start), centre_mm(move.to)])
    team = move.pawn.partition("-")[0]
    return Event(said, (move.pawn,), (Path(path, team, kind="move"),))


def _turned(turn: Turned) -> Event:
    heading = message(f"shield.heading.{turn.heading}")
    said = message("shield.turns", pawn=pawn_name(turn.pawn), heading=heading)
    return Event(said, (turn.pawn,))


def _killed(kill: Kill) -> Event:
    rim = np.array(centre_mm(kill.square)) + _RADIUS_MM * _circle()
    said = message("shield.kills", pawn=pawn_name(kill.pawn))
    return Event(said, (kill.pawn,), (Cross(rim),), leaves=(kill.pawn,))


def _outcome(resolution: Resolution) -> Message:
    if not resolution.winners:
        return message("shield.goes")
    if len(resolution.winners) > 1:
        return message("shield.draw")
    return message("shield.wins", team=resolution.winners[0])


def _ordered(team: str, resolution: Resolution) -> Message:
    """Say what a team's order was, or why there is none."""
    order: Message | str = resolution.orders.get(team) or message("shield.pass")
    if team in resolution.lost:
        reason = message(f"shield.reason.{resolution.lost[team]}")
        order = message("shield.lost_order", reason=reason)
    return message("shield.ordered", team=team, order=order)


def _odds(resolution: Resolution) -> Odds:
    winning: dict[tuple[str, ...], float] = {}
    for ending in resolution.endings:
        winning[ending.winners] = winning.get(ending.winners, 0.0) + ending.probability
    scores = tuple(
        Chance({}, e.winners, e.probability, _dead(e.killed)) for e in resolution.endings
    )
    ranked = tuple(sorted(winning.items(), key=lambda item: -item[1]))
    lines: Sequence[Message] = ()
    if len(resolution.endings) > 1:
        told = [
            message("shield.ending", pawns=_dead(e.killed), chance=e.probability)
            for e in resolution.endings
        ]
        lines = (message("shield.odds"), *told)
    return Odds(ranked, scores, tuple(lines))


def _dead(killed: Sequence[str]) -> Message:
    if not killed:
        return message("shield.nobody")
    return message("shield.names", pawns=tuple(pawn_name(pawn) for pawn in killed))
