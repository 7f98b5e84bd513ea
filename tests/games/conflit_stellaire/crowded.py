"""Lays crowded tables of Conflit stellaire as players do, up to all 70 cards of a deck in play.

Each seat packs what it has into rows within its sector: single cards, ready, engaged, askew or
upside down; energy and missiles in fans, sideways or downward, ready or engaged; auxiliaries with
what lies on them; backs. Nothing lies on what is another heap's.
"""

import math
from dataclasses import dataclass

import numpy as np

from tests.games.conflit_stellaire.drawn import Table, Told
from vision.games.conflit_stellaire.deck import deck

__all__ = ["crowded_table"]

_FIRST_ROW_MM = {2: 110.0, 3: 230.0, 4: 272.0}  # beyond the strips
_SIDE_DEG = {2: 90.0, 3: 47.0, 4: 32.0}  # of a sector, less what may be the neighbour's
_MOST_WIDE_MM = 330.0  # half of a row
_ROW_MM = 118.0  # an askew card is as high
_PAIRS = {2: [(0, 1)], 3: [(0, 1), (1, 2), (0, 2)], 4: [(0, 1), (1, 2), (2, 3), (0, 3)]}
_ON_SHIP = ("troop", "laser", "particles", "energy")


@dataclass(frozen=True)
class _Heap:
    """Cards that are laid together: each a face, (u, v) mm and degrees; on: index in the heap."""

    cards: tuple[tuple[str, float, float, float, bool, int | None], ...]
    left_mm: float
    right_mm: float
    up_mm: float
    down_mm: float


def _heap(cards: list[tuple[str, float, float, float, bool, int | None]]) -> _Heap:
    w, h = deck().card_mm
    reach = []
    for _, u, v, deg, _, _ in cards:
        c, s = abs(math.cos(math.radians(deg))), abs(math.sin(math.radians(deg)))
        half = (w * c + h * s) / 2, (w * s + h * c) / 2
        reach.append((u - half[0], u + half[0], v - half[1], v + half[1]))
    low_u, high_u, low_v, high_v = zip(*reach, strict=True)
    return _Heap(tuple(cards), -min(low_u), max(high_u), -min(low_v), max(high_v))


def _faces(*kinds: str) -> list[str]:
    return [face.id for face in deck().faces.values() if face.kind in kinds]


def _single(rng: np.random.Generator) -> _Heap:
    """One card: three in ten engaged, one in twelve askew."""
    other = {"energy", "back", "troop", "suit", "auxiliary"}
    kinds = sorted({face.kind for face in deck().faces.values()} - other)
    engaged = bool(rng.random() < 0.3)
    deg = float(rng.normal(0, 4)) + (90 if engaged else 0)
    if rng.random() < 0.08:
        engaged = bool(rng.random() < 0.5)
        deg = float(rng.uniform(50, 58) if engaged else rng.uniform(32, 40))
    deg += 180 if rng.random() < 0.15 else 0
    return _heap([(str(rng.choice(_faces(*kinds))), 0.0, 0.0, deg, engaged, None)])


def _fan(rng: np.random.Generator, count: int) -> _Heap:
    """Like cards over one another, each a step aside or down; engaged ones lie across."""
    face = "energy-cell" if rng.random() < 0.85 else str(rng.choice(_faces("missile", "rocket")))
    engaged, is_down = bool(rng.random() < 0.25), bool(rng.random() < 0.3)
    step = float(rng.uniform(13, 22)) * (1 if rng.random() < 0.7 else -1)
    is_down = is_down and count * abs(step) < 70
    spread = float(rng.uniform(0, 2.5))
    cards = []
    for k in range(count):
        deg = (k - count / 2) * spread + float(rng.normal(0, 0.7)) + (90 if engaged else 0)
        along, aside = step * (k - (count - 1) / 2), float(rng.normal(0, 1.5))
        at = (aside, along) if is_down else (along, aside)
        cards.append((face, *at, deg, engaged, None))
    return _heap(cards)


def _ship(rng: np.random.Generator, riders: int) -> _Heap:
    """An auxiliary with cards on it, each a step further down; a suit on a group."""
    turn = 90 if rng.random() < 0.2 else 0

    def deg() -> float:
        return float(rng.normal(0, 3))

    ship = str(rng.choice(_faces("auxiliary")))
    cards: list[tuple[str, float, float, float, bool, int | None]]
    cards = [(ship, 0.0, 0.0, deg() + turn, bool(turn), None)]
    for k in range(riders):
        face = str(rng.choice(_faces(*_ON_SHIP)))
        at = 30.0 + 27.0 * k if not turn else 24.0 + 27.0 * k
        cards.append((face, float(rng.normal(0, 3)), at, deg(), False, 0))
        if deck().faces[face].kind == "troop" and rng.random() < 0.6:
            cards.append(
                ("spacesuit", float(rng.normal(0, 3)), at + 27, deg(), False, len(cards) - 1)
            )
            break
    return _heap(cards)


def _back(rng: np.random.Generator) -> _Heap:
    return _heap([("back", 0.0, 0.0, float(rng.normal(0, 5)), False, None)])


def _heaps(count: int, rng: np.random.Generator) -> list[_Heap]:
    """Return heaps of so many cards together."""
    heaps = [_fan(rng, min(count, int(rng.integers(3, 9)))), _back(rng)]
    while (left := count - sum(len(heap.cards) for heap in heaps)) > 0:
        what = rng.random()
        if what < 0.25 and left >= 3:
            heaps.append(_fan(rng, int(rng.integers(3, min(left, 8) + 1))))
        elif what < 0.4 and left >= 4:
            heaps.append(_ship(rng, int(rng.integers(1, 3))))
        else:
            heaps.append(_back(rng) if what > 0.95 else _single(rng))
    return heaps


def _pack(table: Table, seat: int, heaps: list[_Heap], rng: np.random.Generator) -> None:
    """Lay a hull card and heaps in rows, from the middle outward."""
    side = math.tan(math.radians(min(_SIDE_DEG[table.seats], 85)))
    waiting = [heaps[k] for k in rng.permutation(len(heaps))]
    w, h = deck().card_mm
    top, is_first = _FIRST_ROW_MM[table.seats] - h / 2, True
    while waiting or is_first:
        wide = min((top + h / 2) * side + w / 2, _MOST_WIDE_MM)
        u, bottom = -wide, top
        if is_first:
            table.hull(seat, u + w / 2 + 4, top + 50, int(rng.integers(0, 21)))
            u, bottom, is_first = u + w + 12, top + _ROW_MM, False
        rest = []
        for heap in waiting:
            if u + heap.left_mm + heap.right_mm > wide:
                rest.append(heap)
                continue
            at = u + heap.left_mm, top + heap.up_mm + float(rng.uniform(0, 6))
            first = len(table.cards)
            for face, du, dv, deg, engaged, on in heap.cards:
                place = at[0] + du, at[1] + dv
                table.lay(
                    seat, face, *place, deg,
                    engaged=engaged, on=None if on is None else first + on,
                )  # fmt: skip
            u = at[0] + heap.right_mm + float(rng.uniform(4, 16))
            bottom = max(bottom, at[1] + heap.down_mm)
        if len(rest) == len(waiting) and not u > -wide:
            msg = "a heap is wider than any row"
            raise ValueError(msg)
        waiting, top = rest, bottom + float(rng.uniform(5, 14))


def crowded_table(seats: int, count: int, rng: np.random.Generator) -> Told:
    """Lay a table of about so many cards in play, backs included; as many for each seat."""
    table = Table(seats, rng)
    for seat in range(seats):
        own = count // seats + (seat < count % seats)
        _pack(table, seat, _heaps(own, rng), rng)
    for one, other in _PAIRS[seats]:
        table.strip(one, other, int(rng.integers(1, 13)))
    return table.told()
