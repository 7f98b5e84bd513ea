"""A turn played out by hand: programmes and the positions seen -> the first move that differs.

Each piece goes through its states one after the other: the cells that it passes, its turns, its
way home. A hand may play several moves before it is gone, and ships in any order; so what is seen
of a piece must be one of its states that are still to come, or the one where it was seen last.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from vision.games.asteroyds_capture.evening import Place, place_of, place_words
from vision.games.asteroyds_capture.pieces import HEADED, kind_of
from vision.games.asteroyds_capture.position import home_of
from vision.games.asteroyds_capture.turn import play
from vision.games.asteroyds_capture.values import Move, Piece, Round, Table
from vision.games.asteroyds_capture.words import piece_name
from vision.judging.evening import Followed
from vision.values.messages import Message, message

__all__ = ["follow", "tracks"]

_SURE = 0.01  # a reading that is less likely is none


@dataclass(frozen=True, slots=True)
class _State:
    """Where a piece is from a round on; 0 is before the turn."""

    place: Place | None
    number: int


def follow(planned: Table, seen: Sequence[Table]) -> Followed:
    """Return how far a turn has been played out, and the first piece that went otherwise.

    ``planned`` is the position with all programmes, ``seen`` what was seen since, in order.
    """
    ways = tracks(planned)
    at = dict.fromkeys(ways, 0)
    astray: list[tuple[int, str]] = []
    for table in seen:
        astray = []
        for name, states in ways.items():
            places = _places(table, name)
            if not places:  # out of sight, or in a hand
                continue
            later = range(at[name], len(states))
            found = next((k for k in later if states[k].place in places), None)
            if found is None:
                due = states[min(at[name] + 1, len(states) - 1)]
                astray.append((due.number, name))
            else:
                at[name] = found
    if astray:
        _, name = min(astray)
        said = _said(name, ways[name], at[name], _places(seen[-1], name)[0])
        return Followed(name, said)
    is_done = bool(seen) and all(
        ways[name][k].place == states[-1].place
        if states[-1].place is not None
        else not _places(seen[-1], name)
        for (name, states), k in zip(ways.items(), at.values(), strict=True)
    )
    return Followed(is_done=is_done)


def _said(name: str, states: Sequence[_State], at: int, seen: Place) -> Message:
    """Say what a piece should have done in place of what is seen."""
    rest = [k for k in range(at + 1, len(states)) if states[k].place is not None]
    due = states[rest[0] if rest else at]
    gaps: dict[str, Any] = {"piece": piece_name(name), "seen": _words(name, seen)}
    if due.place is None:
        return message("asteroyds.followed.gone", **gaps)
    gaps["place"] = _words(name, due.place)
    if not rest:
        return message("asteroyds.followed.stays", **gaps)
    return message("asteroyds.followed.astray", n=due.number, **gaps)


def _words(name: str, place: Place) -> Message | str:
    if kind_of(name) not in HEADED:
        return place_words(place)
    return message("asteroyds.followed.place", cell=place[0] or "", degrees=60 * place[2])


def _places(table: Table, name: str) -> list[Place]:
    """Return where a piece may be as a table was read, the likeliest first."""
    piece = next((p for p in table.pieces if p.id == name), None)
    place = place_of(piece)
    if place is None or piece is None:
        return []
    open_: dict[str, list[Any]] = {"cell": [place[0]], "on": [place[1]], "way": [place[2]]}
    for one in table.alternatives:
        key = "way" if one.what == "heading_deg" else one.what
        if one.of == name and key in open_:
            open_[key] += [value for value, chance in one.options if chance >= _SURE]
    found = [place]
    for cell, on, way in product(open_["cell"], open_["on"], open_["way"]):
        at = replace(piece, cell=None if on else cell, on=on, way=way)
        found.append(place_of(at) or place)
    return found


# --- the states that a turn leads through --------------------------------------------------------


def tracks(planned: Table) -> dict[str, tuple[_State, ...]]:
    """Return the states of each piece of a table through its turn, in order."""
    found = {p.id: [_State(place_of(p), 0)] for p in planned.pieces if kind_of(p.id) != "pod"}
    pieces = {piece.id: piece for piece in planned.pieces}
    for one in play(planned).rounds:
        for piece in _happened(one, pieces):
            pieces[piece.id] = piece
            found[piece.id].append(_State(place_of(piece), one.number))
    return {name: tuple(states) for name, states in found.items()}


def _happened(one: Round, pieces: Mapping[str, Piece]) -> Iterator[Piece]:
    """Yield each piece as it is after each thing that happens to it in a round."""
    for rock in one.rocks:
        yield replace(pieces[rock.rock], cell=rock.end)
    for name in one.destroyed:
        yield replace(pieces[name], cell=None)
    shot = {t.ship for t in one.teleports if t.cause == "laser"}
    yield from _homeward(one, pieces, shot)
    for move in one.moves:
        yield from _moved(move, pieces[move.ship])
    crashed = {t.ship for t in one.teleports if t.cause == "crash"}
    yield from _homeward(one, pieces, crashed)
    for event in one.asteroyds:
        if event.event != "dropped":
            yield from _carried(event.asteroyd, event.event, event.ships, pieces)


def _homeward(one: Round, pieces: Mapping[str, Piece], ships: set[str]) -> Iterator[Piece]:
    """Yield what ships drop that go home, then the ships there."""
    for event in one.asteroyds:
        if event.event == "dropped" and event.ships[0] in ships:
            yield replace(pieces[event.asteroyd], cell=event.cell, on=None)
    for teleport in one.teleports:
        if teleport.ship in ships:
            yield replace(pieces[teleport.ship], cell=teleport.end)


def _moved(move: Move, ship: Piece) -> Iterator[Piece]:
    """Yield a ship that turns, then goes from cell to cell."""
    turned = replace(ship, way=move.way)
    if turned != ship:
        yield turned
    for cell in move.cells[1:]:
        yield replace(turned, cell=cell)


def _carried(
    asteroyd: str, event: str, ships: Sequence[str], pieces: Mapping[str, Piece]
) -> Iterator[Piece]:
    """Yield an asteroyd that is taken, or comes home."""
    piece = pieces[asteroyd]
    if event == "taken":
        yield replace(piece, cell=None, on=ships[0])
    elif event in ("returned", "captured"):
        team = asteroyd.partition("-")[0]
        yield replace(piece, cell=home_of(pieces, team), on=None)
