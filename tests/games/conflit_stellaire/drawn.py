"""Draws photos of tables of Conflit stellaire with exact truth: cards, hull cards, strips, markers.

Seats lie evenly round the middle, A at the bottom; all is drawn with `tests.synth_pieces`.
"""

import math
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from calibration.conflit_stellaire.art import draw
from tests.synth_pieces import LaidPiece, Scene, photograph
from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.values import SEATS
from vision.values.arrays import ImageBGR

_ROWS_MM = {2: (160.0, 262.0, 364.0), 3: (230.0, 332.0, 434.0), 4: (270.0, 372.0, 474.0)}
_WIDE_MM = {2: 320.0, 3: 215.0, 4: 165.0}  # half of a row: within a seat's own sector


@dataclass(frozen=True)
class TrueCard:
    """A card as it was laid: pose mm and rad in the scene; what it truly is."""

    face: str
    seat: str
    pose: tuple[float, float, float]
    engaged: bool = False
    on: int | None = None  #: index of the card that it lies on


@dataclass(frozen=True)
class Told:
    """A table as it was laid."""

    seats: tuple[str, ...]
    cards: tuple[TrueCard, ...]
    hulls: dict[str, int]
    distances: dict[tuple[str, str], int]
    pieces: tuple[LaidPiece, ...] = field(repr=False, default=())


@cache
def art(piece: str) -> ImageBGR:
    return draw(piece, 5.0)


def turned(point: tuple[float, float], theta: float) -> tuple[float, float]:
    c, s = math.cos(theta), math.sin(theta)
    return c * point[0] - s * point[1], s * point[0] + c * point[1]


def heading(seats: int, seat: int) -> float:
    return 2 * math.pi * seat / seats


class Table:
    """A table that is being laid, seat by seat."""

    def __init__(self, seats: int, rng: np.random.Generator) -> None:
        self.seats, self.rng = seats, rng
        self.cards: list[TrueCard] = []
        self.sheets: list[LaidPiece] = []
        self.markers: list[LaidPiece] = []
        self.hulls: dict[str, int] = {}
        self.distances: dict[tuple[str, str], int] = {}

    def lay(self, seat: int, face: str, u: float, v: float, deg: float = 0.0, **more) -> int:
        """Lay a card at a place as its seat sees it: u to its right, v toward it."""
        at = turned((u, v), heading(self.seats, seat))
        theta = math.radians(deg) + heading(self.seats, seat)
        theta = (theta + math.pi) % (2 * math.pi) - math.pi
        self.cards.append(TrueCard(face, SEATS[seat], (*at, theta), **more))
        return len(self.cards) - 1

    def row(self, seat: int, faces: list[str], v: float) -> None:
        """Lay cards side by side, some engaged, none askew."""
        wide = _WIDE_MM[self.seats]
        pitch = min(95.0, 2 * wide / max(len(faces) - 1, 1))
        for k, face in enumerate(faces):
            engaged = bool(self.rng.random() < 0.3) and pitch >= 93
            deg = float(self.rng.normal(0, 4)) + (90 if engaged else 0)
            deg += 180 if self.rng.random() < 0.15 else 0
            u = (k - (len(faces) - 1) / 2) * pitch
            self.lay(seat, face, u, v + float(self.rng.normal(0, 3)), deg, engaged=engaged)

    def fan(self, seat: int, face: str, count: int, u: float, v: float, step: float) -> None:
        """Lay like cards over one another, each a step to the right, fanned a little."""
        for k in range(count):
            deg = (k - count / 2) * 2.0 + float(self.rng.normal(0, 0.7))
            self.lay(seat, face, u + step * k, v + float(self.rng.normal(0, 1.5)), deg)

    def hull(self, seat: int, u: float, v: float, value: int) -> None:
        """Lay a hull card with its marker."""
        name, theta = SEATS[seat], heading(self.seats, seat)
        self.sheets.append(
            LaidPiece(art("flagship"), deck().card_mm, (*turned((u, v), theta), theta))
        )
        self.hulls[name] = value
        pitch = deck().hull_pitch_mm
        off = self.rng.normal(0, 0.8, 2)
        x, y = (value % 5 - 2) * pitch + off[0], (value // 5 - 3) * pitch + 3 + off[1]
        self._mark(turned((u + float(x), v + float(y)), theta))

    def strip(self, one: int, other: int, value: int) -> None:
        """Lay a strip between two seats, with its marker."""
        if self.seats == 2:
            at, theta = (0.0, 0.0), float(self.rng.normal(0, 0.05))
        else:
            middle = (heading(self.seats, one) + heading(self.seats, other)) / 2
            if abs(one - other) > 1:
                middle += math.pi
            at, theta = turned((0.0, 165.0), middle), middle + math.pi / 2
        self.sheets.append(LaidPiece(art("distance-scale"), deck().scale_mm, (*at, theta)))
        self.distances[(SEATS[min(one, other)], SEATS[max(one, other)])] = value
        x = (value - (deck().scale_cells + 1) / 2) * deck().scale_pitch_mm
        off = turned((x + float(self.rng.normal(0, 1.2)), float(self.rng.normal(0, 2))), theta)
        self._mark((at[0] + off[0], at[1] + off[1]))

    def _mark(self, at: tuple[float, float]) -> None:
        size = deck().marker_mm
        pose = (*at, float(self.rng.uniform(-3, 3)))
        self.markers.append(LaidPiece(art("marker"), (size, size), pose, 2.0, round=True))

    def told(self) -> Told:
        """Return the truth, with all that is to be drawn, the lowest first."""
        laid = [LaidPiece(art(card.face), deck().card_mm, card.pose) for card in self.cards]
        return Told(
            SEATS[: self.seats],
            tuple(self.cards),
            self.hulls,
            self.distances,
            (*self.sheets, *laid, *self.markers),
        )


def random_table(seats: int, rng: np.random.Generator, *, energy: int = 6) -> Told:
    """Lay a table as players do: weapons, shields, devices, auxiliaries, energy in fans, backs."""
    table = Table(seats, rng)
    faces = [f for f in deck().faces.values() if f.kind not in ("energy", "back", "troop", "suit")]
    groups = [f.id for f in deck().faces.values() if f.kind == "troop"]
    rows, wide = _ROWS_MM[seats], _WIDE_MM[seats]
    for seat in range(seats):
        count = int(2 * wide // 95) + 1
        table.row(seat, [str(rng.choice([f.id for f in faces])) for _ in range(count)], rows[0])
        ship = str(rng.choice(["shuttle", "assault-barge"]))
        under = table.lay(seat, ship, -wide + 90, rows[1], float(rng.normal(0, 4)))
        group = str(rng.choice(groups))
        on = table.lay(seat, group, -wide + 92, rows[1] + 34, float(rng.normal(0, 4)), on=under)
        if rng.random() < 0.5:  # a suit goes on the group that it covers
            table.lay(seat, "spacesuit", -wide + 92, rows[1] + 61, float(rng.normal(0, 4)), on=on)
        table.lay(seat, "back", wide - 40, rows[1], float(rng.normal(0, 4)))
        table.fan(
            seat, "energy-cell", energy, -wide + 190, rows[1] + 20, float(rng.uniform(13, 20))
        )
        table.hull(seat, -wide, rows[1], int(rng.integers(0, 21)))
    pairs = {2: [(0, 1)], 3: [(0, 1), (1, 2), (0, 2)], 4: [(0, 1), (1, 2), (2, 3), (0, 3)]}
    for one, other in pairs[seats]:
        table.strip(one, other, int(rng.integers(1, 13)))
    return table.told()


def scene_of(told: Told, seed: int, **more) -> Scene:
    """Return how a table is photographed: from above one side, all of it in the picture."""
    reach = max(float(np.abs(p.pose[:2]).max()) for p in told.pieces) + 75
    size = more.pop("size_wh", (2400, 1800))
    focal = 0.65 * float(np.hypot(*size))
    distance = focal * reach * 1.12 / (min(size) / 2)
    scene = Scene(told.pieces, size, distance, seed=seed, cloth_bgr=(70, 100, 60))
    return replace(scene, **more)


__all__ = ["Table", "Told", "photograph", "random_table", "scene_of"]
