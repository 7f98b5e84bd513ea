"""Places on a board -> how like each is to every face of a size at every turn, by what shows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.seeing.pieces.disc_registration import Discs
from vision.seeing.pieces.masked_ring_correlation import Rings, masked_ring_correlation, read_rings
from vision.seeing.pieces.overlapping_values import (
    OverlappingSettings,
    OverlappingToken,
    TokenSearch,
)
from vision.seeing.pieces.tokens import turn_leads
from vision.values.arrays import FloatArray, Points

__all__ = [
    "CLOSE_STEPS",
    "NEAR_STEPS",
    "PlaceScores",
    "disc_scores",
    "discs_of",
    "score_places",
    "turn_lead",
]

_FAR_STEPS = ((0.3, True), (0.15, True), (0.1, False))  #: round places of a coarse grid
CLOSE_STEPS = ((0.1, False), (0.05, False))  #: ... to half a stroke: thin rings agree no farther
NEAR_STEPS = ((0.1, False),)  #: ... of a fine one: where little shows a coarse look leads astray


@dataclass(frozen=True, slots=True, eq=False)
class PlaceScores:
    """A place that was read: (x, y) mm, likeness to each face at each turn (K, T), what shows."""

    at: Points
    similarity: FloatArray
    seen: float

    def rank_score(self, s: OverlappingSettings) -> float:
        """By how much the likest face passes what one must reach; it is laid exactly later."""
        return float(self.similarity.max()) - s.score


def score_places(
    search: TokenSearch,
    starts: Points,
    hiding: Discs,
    rounds: tuple[tuple[float, bool], ...] = _FAR_STEPS,
) -> list[PlaceScores]:
    """Read discs round places (N, 2) mm, each where it is likest to any face.

    ``rounds`` are how far (of the radius) is looked round each, and whether coarsely.
    """
    if not len(starts):
        return []
    at = starts
    for share, coarse in rounds:
        reach = np.array([-1.0, 0.0, 1.0]) * share * search.group.radius_mm
        spots = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
        trial = (at[:, None] + spots).reshape(-1, 2)
        similarity, seen = disc_scores(search, trial, hiding, coarse=coarse)
        best = similarity.max(axis=(1, 2)).reshape(len(at), -1).argmax(axis=1)
        chosen = np.arange(len(at)) * len(spots) + best
        at, similarity, seen = trial[chosen], similarity[chosen], seen[chosen]
    return [PlaceScores(*one) for one in zip(at, similarity, seen.tolist(), strict=True)]


def discs_of(found: Sequence[OverlappingToken]) -> Discs:
    """Return what tokens hide: (N, 3), middle and radius, mm."""
    discs: Discs = np.concatenate([np.zeros((0, 3)), *(one.discs() for one in found)])
    return discs


def disc_scores(
    search: TokenSearch, points: Points, hiding: Discs, *, coarse: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return how like discs at places are to each face at each turn (N, K, T), and what shows."""
    faces = search.coarse if coarse else search.fine
    px, radius_px = (
        search.rectified.to_px(points),
        search.group.radius_mm * search.rectified.px_per_mm,
    )
    image = search.soft if coarse else search.image
    rings = read_rings(image, px, radius_px, faces.settings, coloured=search.coloured)
    over = hiding.copy()
    over[:, :2] = search.rectified.to_px(hiding[:, :2])
    over[:, 2] *= search.rectified.px_per_mm
    similarity, seen = masked_ring_correlation(rings, faces, px, radius_px, over)
    similarity[seen < search.least_seen] = -1.0
    return similarity, seen


def turn_lead(own: FloatArray, faces: Rings, face: int, s: OverlappingSettings) -> float:
    """Return by how much the best turn leads over far ones, as a share of what the art does."""
    one = Rings(faces.values[face : face + 1], faces.settings)
    itself = masked_ring_correlation(one, one, np.zeros((1, 2)), 1.0, np.zeros((0, 3)))[0][0]
    best = np.array([own.argmax()], np.int64)
    return float(turn_leads(own[None], best, itself, s.turn_apart, s.own_symmetry)[0])
