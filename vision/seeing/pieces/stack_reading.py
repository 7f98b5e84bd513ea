"""Places on a board -> how like each is to every face of a size at every turn, by what shows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.seeing.pieces.laying import Discs
from vision.seeing.pieces.seen_rounds import Rings, compare_seen, read_rings
from vision.seeing.pieces.stack_values import Found, Look, StackSettings
from vision.seeing.pieces.tokens import turn_leads
from vision.values.arrays import FloatArray, Points

__all__ = ["CLOSE", "NEAR", "Place", "discs_of", "likeness", "read_spots", "turn_lead"]

_FAR = ((0.3, True), (0.15, True), (0.1, False))  #: round places of a coarse grid
CLOSE = ((0.1, False), (0.05, False))  #: ... to half a stroke: thin rings agree no farther
NEAR = ((0.1, False),)  #: ... of a fine one: where little shows a coarse look leads astray


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A place that was read: (x, y) mm, likeness to each face at each turn (K, T), what shows."""

    at: Points
    alike: FloatArray
    seen: float

    def worth(self, s: StackSettings) -> float:
        """By how much the likest face passes what one must reach; it is laid exactly later."""
        return float(self.alike.max()) - s.score


def read_spots(
    look: Look, starts: Points, hiding: Discs, rounds: tuple[tuple[float, bool], ...] = _FAR
) -> list[Place]:
    """Read discs round places (N, 2) mm, each where it is likest to any face.

    ``rounds`` are how far (of the radius) is looked round each, and whether coarsely.
    """
    if not len(starts):
        return []
    at = starts
    for share, coarse in rounds:
        reach = np.array([-1.0, 0.0, 1.0]) * share * look.group.radius_mm
        spots = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
        trial = (at[:, None] + spots).reshape(-1, 2)
        alike, seen = likeness(look, trial, hiding, coarse=coarse)
        best = alike.max(axis=(1, 2)).reshape(len(at), -1).argmax(axis=1)
        chosen = np.arange(len(at)) * len(spots) + best
        at, alike, seen = trial[chosen], alike[chosen], seen[chosen]
    return [Place(*one) for one in zip(at, alike, seen.tolist(), strict=True)]


def discs_of(found: Sequence[Found]) -> Discs:
    """Return what tokens hide: (N, 3), middle and radius, mm."""
    discs: Discs = np.concatenate([np.zeros((0, 3)), *(one.discs() for one in found)])
    return discs


def likeness(
    look: Look, points: Points, hiding: Discs, *, coarse: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return how like discs at places are to each face at each turn (N, K, T), and what shows."""
    faces = look.coarse if coarse else look.fine
    px, radius_px = look.flat.to_px(points), look.group.radius_mm * look.flat.px_per_mm
    image = look.soft if coarse else look.image
    rings = read_rings(image, px, radius_px, faces.settings, coloured=look.coloured)
    over = hiding.copy()
    over[:, :2] = look.flat.to_px(hiding[:, :2])
    over[:, 2] *= look.flat.px_per_mm
    alike, seen = compare_seen(rings, faces, px, radius_px, over)
    alike[seen < look.least_seen] = -1.0
    return alike, seen


def turn_lead(own: FloatArray, faces: Rings, face: int, s: StackSettings) -> float:
    """Return by how much the best turn leads over far ones, as a share of what the art does."""
    one = Rings(faces.values[face : face + 1], faces.settings)
    itself = compare_seen(one, one, np.zeros((1, 2)), 1.0, np.zeros((0, 3)))[0][0]
    best = np.array([own.argmax()], np.int64)
    return float(turn_leads(own[None], best, itself, s.turn_apart, s.own_symmetry)[0])
