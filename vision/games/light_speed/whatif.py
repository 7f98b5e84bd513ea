"""What if: the smallest change of one card's pose that would have changed the winner.

The size of a change is how far the points of the card move, rms: for a push by t and a turn by
a that is ``sqrt(t^2 + r^2 a^2)`` with r the card's radius of gyration. For each corner or other
feature that some shot passes, the smallest change of the shooter's pose, and of that of the
feature's card, that makes the shot pass it on the other side is known in closed form. These
changes are replayed in order of size; then random changes smaller than the best are tried, for
winners that hang on two shots at once.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.battlefield import Board, set_board
from vision.games.light_speed.replay import replay
from vision.games.light_speed.roster import Roster, call_roll
from vision.games.light_speed.settle import winners_of
from vision.games.light_speed.tell_odds import score_parts
from vision.games.light_speed.values import EDGES, Deck, TableState
from vision.games.light_speed.words import words
from vision.values.arrays import FloatArray
from vision.values.messages import Message, message

__all__ = ["Turn", "find_turn", "gyration_mm", "turn_lines", "way_of"]

_UP_TO_MM = 60.0  # the largest change: a card's width is more than anyone calls small
_TRIES = 1500  # random changes, which find what no single feature explains
_SEED = 42  # of those: the same table gives the same answer
_BATCH = 64  # changes replayed together, the smallest first
_BEYOND_MM = 1e-4  # a change goes this much beyond the feature
_TOLD_MM, _TOLD_DEG = 0.005, 0.0005  # less would be told as zero


@dataclass(frozen=True, slots=True)
class Turn:
    """The smallest change of one card that turns the round.

    The card moves by (dx, dy), table frame, and turns by ``turn_rad`` clockwise; ``size_mm`` is
    the rms way of its points. ``totals`` and ``winners`` are what comes out then.
    """

    card: str
    dx_mm: float
    dy_mm: float
    turn_rad: float
    size_mm: float
    totals: dict[str, int]
    winners: tuple[str, ...]
    before: tuple[str, ...]


def find_turn(table: TableState, deck: Deck, *, tries: int = _TRIES) -> Turn | None:
    """Find the smallest change of one card's pose that would have changed the winner; rulings hold.

    None if no change up to the size searched changes who wins.
    """
    return _Search(table, deck, tries).run()


class _Search:
    def __init__(self, table: TableState, deck: Deck, tries: int) -> None:
        self.tries = tries
        self.table = table
        self.roster: Roster = call_roll(table, deck)
        self.board: Board = set_board(table, deck, self.roster)
        self.gyration = gyration_mm(self.board.size_mm)
        self.before = self._winners(np.zeros((1, 4)))[0]

    def run(self) -> Turn | None:
        if len(self.roster.teams) < 2:
            return None
        best: FloatArray | None = None
        moves = self._candidates()
        for first in range(0, len(moves), _BATCH):
            batch = moves[first : first + _BATCH]
            turned = [w != self.before for w in self._winners(batch)]
            if any(turned):
                best = self._shrunk(batch[turned.index(True)])
                break
        best = self._try_others(best)
        if best is None:
            return None
        totals = self._totals(best[None])[0]
        return Turn(
            card=self.board.bodies.ids[int(best[0])],
            dx_mm=float(best[1]),
            dy_mm=float(best[2]),
            turn_rad=float(best[3]),
            size_mm=float(self._size(best[None])[0]),
            totals=totals,
            winners=winners_of(totals),
            before=self.before,
        )

    # a change is a row: thing, dx, dy, turn

    def _size(self, moves: FloatArray) -> FloatArray:
        size: FloatArray = np.sqrt(
            moves[:, 1] ** 2 + moves[:, 2] ** 2 + (self.gyration * moves[:, 3]) ** 2
        )
        return size

    def _totals(self, moves: FloatArray) -> list[dict[str, int]]:
        poses = np.repeat(self.board.bodies.poses[None], len(moves), axis=0)
        poses[np.arange(len(moves)), moves[:, 0].astype(int)] += moves[:, 1:]
        played = replay(self.board, self.roster, poses, self.table.rulings)
        return [dict(zip(self.roster.teams, row, strict=True)) for row in played.totals.tolist()]

    def _winners(self, moves: FloatArray) -> list[tuple[str, ...]]:
        return [winners_of(totals) for totals in self._totals(moves)]

    def _candidates(self) -> FloatArray:
        """Return the smallest change that brings each feature to the beam, by size."""
        found = [np.zeros((0, 4)), *self._passing()]
        moves = np.concatenate(found)
        size = self._size(moves)
        order = np.argsort(size, kind="stable")
        return moves[order[size[order] <= _UP_TO_MM]]

    def _passing(self) -> Iterator[FloatArray]:
        bodies, beams = self.board.bodies, self.board.beams
        corners = bodies.corners.reshape(-1, 2)
        things = np.repeat(bodies.thing, 4)
        ends, owners = self._shield_ends()
        points = np.concatenate([corners, ends])
        things = np.concatenate([things, owners])
        for beam, own in enumerate(beams.ship.tolist()):
            away = points - beams.muzzle[beam]
            side, direction = beams.side[beam], beams.direction[beam]
            shift = away @ side
            ahead = (away @ direction > 0) & (things != own)
            ahead &= np.abs(shift) <= 8 * _UP_TO_MM
            sign = np.where(shift >= 0, 1.0, -1.0)
            # the distance changes by side . (move of the point) - side . (move of the beam)
            for mover in ("shooter", "target"):
                card = np.full(len(points), own) if mover == "shooter" else things
                arm = points - bodies.poses[card, :2]
                lever = side[1] * arm[:, 0] - side[0] * arm[:, 1]
                gradient = np.stack(
                    [np.full(len(points), side[0]), np.full(len(points), side[1]), lever], axis=1
                )
                gradient *= -1.0 if mover == "shooter" else 1.0
                scaled = gradient / [1.0, 1.0, self.gyration]
                norm = (scaled**2).sum(axis=1)
                need = -(shift + sign * _BEYOND_MM)
                move = (need / norm)[:, None] * scaled / [1.0, 1.0, self.gyration]
                rows = np.concatenate([card[:, None].astype(float), move], axis=1)
                yield rows[ahead & bodies.is_card[card]]

    def _shield_ends(self) -> tuple[FloatArray, NDArray[np.intp]]:
        bodies = self.board.bodies
        points, owners = [], []
        for thing, ship in self.board.ships.items():
            body = bodies.body[thing]
            for shield in ship.shields:
                edge = EDGES.index(shield.edge)
                rim = bodies.centre[body] + bodies.halves[body, edge] * bodies.normals[body, edge]
                axis = bodies.normals[body, 1 + edge % 2]
                points += [rim + shield.from_mm * axis, rim + shield.to_mm * axis]
                owners += [thing, thing]
        return np.array(points).reshape(-1, 2), np.array(owners, np.intp)

    def _shrunk(self, move: FloatArray) -> FloatArray:
        """Shorten a change that turns the round as far as it still does."""
        low, high = 0.0, 1.0
        for _ in range(4):
            shares = np.linspace(low, high, 18)[1:]
            rows = np.concatenate(
                [np.full((len(shares), 1), move[0]), shares[:, None] * move[1:]], axis=1
            )
            turned = [w != self.before for w in self._winners(rows)]
            first = turned.index(True) if any(turned) else len(shares) - 1
            low, high = (shares[first - 1] if first else low), shares[first]
        return np.concatenate([move[:1], high * move[1:]])

    def _try_others(self, best: FloatArray | None) -> FloatArray | None:
        """Look for a smaller change at random, in every card."""
        cards = np.flatnonzero(self.board.bodies.is_card)
        if not len(cards) or not self.tries:
            return best
        rng = np.random.default_rng(_SEED)
        for _ in range(self.tries // _BATCH):
            reach = _UP_TO_MM
            if best is not None:
                reach = min(reach, float(self._size(best[None])[0]))
            way = rng.standard_normal((_BATCH, 3))
            way /= np.maximum(np.sqrt((way**2).sum(axis=1)), 1e-12)[:, None]
            way *= reach * rng.random((_BATCH, 1)) ** (1 / 3)
            way[:, 2] /= self.gyration
            moves = np.concatenate([rng.choice(cards, (_BATCH, 1)).astype(float), way], axis=1)
            turned = [w != self.before for w in self._winners(moves)]
            if any(turned):
                good = moves[np.array(turned)]
                best = self._shrunk(good[int(self._size(good).argmin())])
        return best


def turn_lines(turn: Turn | None, language: str = "en") -> list[str]:
    """Tell the smallest change that turns the round, under a headline."""
    t = words(language)
    if turn is None:
        return [t.say("whatif.head"), "  " + t.say("whatif.none", mm=_UP_TO_MM)]
    said = t.say(
        "whatif.move",
        card=turn.card,
        change=way_of(turn.dx_mm, turn.dy_mm, turn.turn_rad),
        score=score_parts(turn.totals),
        winners=turn.winners,
        before=turn.before,
    )
    return [t.say("whatif.head"), "  " + said]


def gyration_mm(size_mm: tuple[float, float]) -> float:
    """Return the radius of gyration of a card: by how far its points move, rms, for each radian."""
    w, h = size_mm
    return math.sqrt((w * w + h * h) / 12)


def way_of(
    dx_mm: float, dy_mm: float, turn_rad: float, texts: str = "whatif"
) -> tuple[Message, ...]:
    """Say a move of a card (table frame, clockwise): how far it is pushed, and turned.

    ``texts`` is the section of the catalogue that says with how many digits.
    """
    way = math.hypot(dx_mm, dy_mm)
    degrees = math.degrees(abs(turn_rad))
    parts = []
    if way >= _TOLD_MM or degrees < _TOLD_DEG:
        where = message(f"whatif.{_direction(dx_mm, dy_mm)}")
        parts.append(message(f"{texts}.pushed", mm=way, way=where))
    if degrees >= _TOLD_DEG:
        sense = message(f"whatif.{'clockwise' if turn_rad > 0 else 'counterclockwise'}")
        key = f"{texts}.turned" if degrees >= 0.1 else f"{texts}.turned_little"
        parts.append(message(key, degrees=degrees, sense=sense))
    return tuple(parts)


def _direction(dx: float, dy: float) -> str:
    """Name one of eight directions as seen from above."""
    size = math.hypot(dx, dy)
    across = "right" if dx > 0 else "left"
    along = "down" if dy > 0 else "up"
    if abs(dx) < 0.38 * size:
        return along
    return across if abs(dy) < 0.38 * size else f"{across}_{along}"
