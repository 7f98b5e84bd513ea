"""Coach, after a round: where each ship would have scored best, and hints that were played.

A pose is worth what it adds to the lead of the ship's own team: its total less the highest total
of the others. Every worth that is told was played by the rules on the whole table, all other cards
as they lie and the doubts aside; a pose on which the card would touch another is not legal and is
left out. Rulings about the shots of a ship hold only while it lies where it was ruled on.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product

import numpy as np
import shapely

from vision.games.light_speed.battlefield import Board, set_board
from vision.games.light_speed.bodies import turned_axes
from vision.games.light_speed.replay import replay
from vision.games.light_speed.resolve import JudgeSettings, resolve
from vision.games.light_speed.roster import Roster, call_roll
from vision.games.light_speed.shots import enter_bodies
from vision.games.light_speed.tell_odds import score_parts
from vision.games.light_speed.values import Deck, Resolution, Ruling, TableState
from vision.games.light_speed.whatif import gyration_mm, way_of
from vision.geometry import card_corners
from vision.judging.coach import Advice, Coaching
from vision.values.arrays import FloatArray, Points
from vision.values.heat import HeatMap
from vision.values.messages import Message, message

__all__ = ["Hint", "Play", "WorthMap", "coach_round"]

_NO_ODDS = JudgeSettings(odds=None)
_TURNS_DEG = (0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0)  # of a nudge: what a hand does unawares
_PUSHES_MM = (5.0, 10.0, 20.0, 30.0)  # half a card's width at most
_HEADINGS = 16  # compared at each place of a map; the likeliest of them is played
_MAP_ROUNDS = 1300  # places played for all the maps of 20 ships: under 3 s of processor time
_MAP_SHIPS = 20  # a round costs in proportion to its ships, so places fall with their square
_LEAST_PLACES, _MOST_PLACES = 16, 150  # of one map


@dataclass(frozen=True, slots=True)
class Hint:
    """One thing that would have been better for a team, by a ship.

    ``kind`` is ``turn`` or ``push``: a small move; ``own_fire``: a shot at the team's own ship, had
    it gone into space; ``place``: the best place found on the whole table. ``worth`` is by how many
    points the team's lead would have been greater, ``totals`` the score then, as played by the
    rules. The card moves by dx, dy (table frame) and turns clockwise. Of ``own_fire`` are
    ``laser``, counted from 0, and ``target``, the own ship that it hit.
    """

    team: str
    ship: str
    kind: str
    worth: int
    totals: dict[str, int]
    dx_mm: float = 0.0
    dy_mm: float = 0.0
    turn_rad: float = 0.0
    laser: int | None = None
    target: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class WorthMap:
    """What a ship would have been worth at each place of the table, at the best heading tried.

    ``poses`` (P, 3) are x, y, theta (mm, rad, table frame) of the places that are legal, ``worth``
    (P,) the points by which the lead of its team would have grown, ``totals`` (P, T) the scores in
    the roster's order of teams; ``cell_mm`` is the distance of two places.
    """

    ship: str
    poses: FloatArray
    worth: FloatArray
    totals: FloatArray
    cell_mm: float


class Play:
    """A table, and what its score becomes when one card lies otherwise."""

    def __init__(self, table: TableState, deck: Deck) -> None:
        self.table, self.deck = table, deck
        self.roster: Roster = call_roll(table, deck)
        self.board: Board = set_board(table, deck, self.roster)
        self.rank = {thing: i for i, thing in enumerate(self.board.bodies.ids)}
        self.played: Resolution = resolve(table, deck, settings=_NO_ODDS)
        self.before = {team: score.total for team, score in self.played.scores.items()}

    def hints(self, maps: Mapping[str, WorthMap]) -> tuple[Hint, ...]:
        """Find for each team at most three things that would have been better, the best first."""
        hints: list[Hint] = []
        for team in self.roster.teams:
            ships = self.ships_of(team)
            nudges = [hint for ship in ships if (hint := self.best_nudge(ship)) is not None]
            found = self.confirmed(self.ranked(nudges))
            found += self.confirmed(self.ranked(self.own_fire(team)))
            places = [self.best_place(maps[ship]) for ship in ships]
            most = max((hint.worth for hint in found), default=0)
            better = [hint for hint in places if hint is not None and hint.worth > most]
            hints += self.ranked(found + self.confirmed(self.ranked(better)))
        return tuple(hints)

    def ships_of(self, team: str) -> list[str]:
        """Return the ships of a team that lie face up."""
        return [ship for ship, (own, _) in self.roster.ships.items() if own == team]

    def ranked(self, hints: Sequence[Hint]) -> list[Hint]:
        """Return hints with what is worth most first; of equals the smaller move."""
        gyration = gyration_mm(self.board.size_mm)

        def key(h: Hint) -> tuple[int, float, str]:
            return -h.worth, math.hypot(h.dx_mm, h.dy_mm, gyration * h.turn_rad), h.ship

        return sorted(hints, key=key)

    # --- what a change is worth --------------------------------------------------------------

    def totals(self, ship: str, poses: FloatArray) -> FloatArray:
        """Return the scores (N, T) with a ship at each of N poses (N, 3)."""
        every = np.repeat(self.board.bodies.poses[None], len(poses), axis=0)
        every[:, self.rank[ship]] = poses
        rulings = [r for r in self.table.rulings if ship not in (r.ship, r.target)]
        return self._replayed(every, rulings)

    def _replayed(self, poses: FloatArray, rulings: Sequence[Ruling]) -> FloatArray:
        return replay(self.board, self.roster, poses, rulings).totals.astype(np.float64)

    def worth(self, team: str, totals: FloatArray) -> FloatArray:
        """Return by how much the lead of a team is greater than it was, of scores (N, T)."""
        before = np.array([[self.before[one] for one in self.roster.teams]], np.float64)
        return self._lead(team, totals) - self._lead(team, before)

    def _lead(self, team: str, totals: FloatArray) -> FloatArray:
        own = self.roster.teams.index(team)
        others = np.delete(totals, own, axis=1)
        return totals[:, own] - (others.max(axis=1) if others.size else 0.0)

    def is_legal(self, ship: str, poses: FloatArray) -> FloatArray:
        """Tell of each pose (N, 3) whether the card there touches no other card or object."""
        bodies = self.board.bodies
        others = bodies.corners[bodies.thing != self.rank[ship]]
        taken = shapely.union_all(shapely.polygons(others))
        turned = card_corners(*self.board.size_mm) @ turned_axes(poses[:, 2])
        cards = shapely.polygons(turned + poses[:, None, :2])
        return np.asarray(~shapely.intersects(cards, taken))

    def confirmed(self, hints: Sequence[Hint]) -> list[Hint]:
        """Return the first hint, if any, whose table played by itself gives the same score.

        Where a beam meets a corner exactly, tables played together may round it another way.
        """
        for hint in hints:
            score = resolve(self._followed(hint), self.deck, settings=_NO_ODDS).scores
            if {team: one.total for team, one in score.items()} == hint.totals:
                return [hint]
        return []

    def _followed(self, hint: Hint) -> TableState:
        """Return the table as a hint would have it."""
        if hint.laser is not None:
            kept = [r for r in self.table.rulings if (r.ship, r.laser) != (hint.ship, hint.laser)]
            return replace(self.table, rulings=(*kept, Ruling(hint.ship, hint.laser, None)))
        rulings = tuple(r for r in self.table.rulings if hint.ship not in (r.ship, r.target))
        cards = tuple(
            replace(
                card,
                x_mm=card.x_mm + hint.dx_mm,
                y_mm=card.y_mm + hint.dy_mm,
                theta_rad=card.theta_rad + hint.turn_rad,
            )
            if card.card_id == hint.ship
            else card
            for card in self.table.cards
        )
        return replace(self.table, cards=cards, rulings=rulings)

    # --- small moves -------------------------------------------------------------------------

    def best_nudge(self, ship: str) -> Hint | None:
        """Return the small move of a ship that is worth most, None if none is worth anything."""
        here = self.board.bodies.poses[self.rank[ship]]
        moves = np.array(list(_nudges()))
        moves = moves[self.is_legal(ship, here + moves)]
        if not len(moves):
            return None
        team, totals = self.roster.ships[ship][0], self.totals(ship, here + moves)
        worth = self.worth(team, totals)
        best = int(worth.argmax())  # the smallest of the best: they come in order of size
        if worth[best] <= 0:
            return None
        dx, dy, turn = moves[best].tolist()
        kind = "turn" if turn else "push"
        return self._hint(ship, kind, worth[best], totals[best], (dx, dy, turn))

    def _hint(
        self,
        ship: str,
        kind: str,
        worth: float,
        totals: FloatArray,
        move: tuple[float, float, float],
    ) -> Hint:
        score = self._score(totals)
        return Hint(self.roster.ships[ship][0], ship, kind, int(worth), score, *move)

    def _score(self, totals: FloatArray) -> dict[str, int]:
        """Return one row of scores (T,) by team."""
        return {team: int(n) for team, n in zip(self.roster.teams, totals, strict=True)}

    # --- shots at one's own ------------------------------------------------------------------

    def own_fire(self, team: str) -> list[Hint]:
        """Return the shots at ships of their own team that would better have gone into space."""
        found = []
        for shot in (shot for step in self.played.steps for shot in step.shots):
            hit = shot.hit
            if hit is None or hit.shielded or hit.card not in self.roster.ships:
                continue
            if {team} != {self.roster.ships[ship][0] for ship in (shot.ship, hit.card)}:
                continue
            asked = Hint(team, shot.ship, "own_fire", 0, {}, laser=shot.laser, target=hit.card)
            rulings = self._followed(asked).rulings
            totals = self._replayed(self.board.bodies.poses[None], rulings)
            worth = float(self.worth(team, totals)[0])
            if worth > 0:
                found.append(replace(asked, worth=int(worth), totals=self._score(totals[0])))
        return found

    # --- the whole table ---------------------------------------------------------------------

    def map(self, ship: str) -> WorthMap:
        """Return what a ship would be worth at places all over the table."""
        places, cell = self._places()
        headings = np.linspace(-np.pi, np.pi, _HEADINGS, endpoint=False)
        poses = np.array([(*place, turn) for place, turn in product(places, headings)])
        legal = self.is_legal(ship, poses)
        gain = np.where(legal, self._aimed(ship, poses), -np.inf).reshape(-1, _HEADINGS)
        best = np.arange(len(places)) * _HEADINGS + gain.argmax(axis=1)
        poses = poses[best[legal[best]]]
        if not len(poses):
            return WorthMap(ship, poses, np.zeros(0), np.zeros((0, len(self.before))), cell)
        totals = self.totals(ship, poses)
        worth = self.worth(self.roster.ships[ship][0], totals)
        return WorthMap(ship, poses, worth, totals, cell)

    def _places(self) -> tuple[FloatArray, float]:
        """Return a grid of places (P, 2) over the drawn table, and their distance in mm."""
        ships = max(1, len(self.roster.ships))
        count = _MAP_ROUNDS * _MAP_SHIPS / ships**2
        count = float(np.clip(count, _LEAST_PLACES, _MOST_PLACES))
        left, top, right, bottom = self.board.bounds
        cell = math.sqrt((right - left) * (bottom - top) / count)
        across = np.arange(left + cell / 2, right, cell)
        down = np.arange(top + cell / 2, bottom, cell)
        return np.array(list(product(across, down))), cell

    def _aimed(self, ship: str, poses: FloatArray) -> FloatArray:
        """Return about what the shots of a ship at each pose (N, 3) would bring at its speed.

        Shields are left aside, and what others then do: it only chooses which heading is played.
        """
        bodies, own = self.board.bodies, self.rank[ship]
        there = [self.rank[thing] for thing in self._standing(ship) if thing != ship]
        body = np.flatnonzero(np.isin(bodies.thing, there))
        team, gain = self.roster.ships[ship][0], np.zeros(len(poses))
        if not len(body):
            return gain
        sign = np.array([self._sign(team, bodies.ids[thing]) for thing in bodies.thing[body]])
        axes, pairs = turned_axes(poses[:, 2]), np.tile(body, len(poses))
        for laser in self.board.ships[own].lasers:
            muzzle = poses[:, :2] + np.array(laser.muzzle_mm) @ axes
            way = -turned_axes(poses[:, 2] + laser.heading_rad)[:, 1]  # heading 0 is -y
            starts, ways = (np.repeat(each, len(body), axis=0) for each in (muzzle, way))
            reach = enter_bodies(bodies, pairs, starts, ways)[0].reshape(len(poses), -1)
            first = reach.argmin(axis=1)
            hits = np.isfinite(reach[np.arange(len(poses)), first])
            gain += np.where(hits, laser.power * sign[first], 0.0)
        return gain

    def _standing(self, ship: str) -> set[str]:
        """Return what stood on the table when a ship's speed came, as the round was played."""
        speed, gone = self.roster.ships[ship][1].speed, set[str]()
        for step in self.played.steps:
            if step.speed < speed:
                gone |= {dead.card for dead in step.destroyed} | set(step.gone)
        return set(self.rank) - gone

    def _sign(self, team: str, thing: str) -> float:
        if thing not in self.roster.ships:
            return 1.0 if any(thing in pool.members for pool in self.roster.pools) else 0.0
        return -1.0 if self.roster.ships[thing][0] == team else 1.0

    def heat(self, worth_map: WorthMap) -> HeatMap:
        """Return a map as it is drawn."""
        ship, best = worth_map.ship, np.zeros((0, 2))
        if len(worth_map.worth) and worth_map.worth.max() > 0:
            best = self._outline(worth_map.poses[int(worth_map.worth.argmax())])
        places = worth_map.poses[:, :2]
        team = self.roster.ships[ship][0]
        return HeatMap(ship, team, places, worth_map.worth, worth_map.cell_mm, best)

    def _outline(self, pose: FloatArray) -> Points:
        turned = card_corners(*self.board.size_mm) @ turned_axes(pose[2:])[0]
        return np.asarray(turned + pose[:2])

    def outline_of(self, hint: Hint) -> tuple[tuple[float, float], ...]:
        """Return the corners of a ship where a hint would have it; nothing where it stays."""
        if hint.laser is not None:
            return ()
        here = self.board.bodies.poses[self.rank[hint.ship]]
        move = np.array([hint.dx_mm, hint.dy_mm, hint.turn_rad])
        corners = self._outline(here + move)
        return tuple((x, y) for x, y in corners.tolist())

    def best_place(self, worth_map: WorthMap) -> Hint | None:
        """Return the place of a map that is worth most, None if none is worth anything."""
        if not len(worth_map.poses) or worth_map.worth.max() <= 0:
            return None
        best = int(worth_map.worth.argmax())
        dx, dy, turn = worth_map.poses[best] - self.board.bodies.poses[self.rank[worth_map.ship]]
        move = (float(dx), float(dy), math.remainder(float(turn), math.tau))
        totals = worth_map.totals[best]
        return self._hint(worth_map.ship, "place", worth_map.worth[best], totals, move)


def _nudges() -> Iterator[tuple[float, float, float]]:
    """Return small moves of a card: dx, dy (mm), turn (rad); the small ones first."""
    for low, high in pairwise((0, 2, 4, 7)):
        for degrees in _TURNS_DEG[low:high]:
            yield 0.0, 0.0, math.radians(degrees)
            yield 0.0, 0.0, -math.radians(degrees)
        for push in _PUSHES_MM[low // 2 : (high + 1) // 2]:
            yield from ((push, 0.0, 0.0), (-push, 0.0, 0.0), (0.0, push, 0.0), (0.0, -push, 0.0))


# --- told ----------------------------------------------------------------------------------------


def coach_round(table: TableState, deck: Deck) -> Coaching:
    """Say for each team what would have been better, and map what each ship's places were worth.

    At most three things for a team, the best first; every one was played.
    """
    play = Play(table, deck)
    maps = {ship: play.map(ship) for ship in play.roster.ships}
    advice = (
        Advice(
            hint.team,
            hint.kind,
            _said(hint),
            worth=hint.worth,
            piece=hint.ship,
            outline_mm=play.outline_of(hint),
        )
        for hint in play.hints(maps)
    )
    return Coaching(tuple(advice), tuple(play.heat(one) for one in maps.values()))


def _said(hint: Hint) -> Message:
    values = {"card": hint.ship, "n": hint.worth, "score": score_parts(hint.totals)}
    if hint.kind == "own_fire":
        assert hint.laser is not None
        return message("hint.own_fire", laser=hint.laser + 1, target=hint.target, **values)
    change = way_of(hint.dx_mm, hint.dy_mm, hint.turn_rad, "hint")
    return message("hint.place" if hint.kind == "place" else "hint.move", change=change, **values)
