"""Scores places on a board against every face of a size at every rotation, by visible parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_from_table, circle
from vision.imaging.view import sample
from vision.seeing.estimation.rectify import Rectified
from vision.seeing.pieces.board_scene import BoardScene
from vision.seeing.pieces.disc_registration import DiscFaces, Discs
from vision.seeing.pieces.ring_correlation import (
    FINE_RINGS,
    Rings,
    masked_ring_correlation,
    sample_rings,
)
from vision.values.arrays import FloatArray, ImageBGR, Points
from vision.values.pieces import Piece

__all__ = [
    "ROUGH",
    "SCORE",
    "STEPS",
    "OverlappingToken",
    "PlaceScores",
    "TokenGroup",
    "TokenSearch",
    "disc_scores",
    "discs_of",
    "drop_phantoms",
    "group_tokens",
    "score_places",
    "turn_lead",
]


# Scores of discs.
SCORE = 0.72  # least score of a fully visible token; other print reaches 0.69
ROUGH = 0.12  # deficit of a score that is allowed before registration
_LEAST_SEEN = 0.3  # least visible share of a face
_AT_ONCE = 128  # discs that are compared in one go: their samples fit into the cache
# search steps round places of the coarse grid, of the radius: together they reach farther than
# the grid is wide, so that it does not matter where it starts
STEPS = (0.1, 0.05)
_TURN_APART = 0.4  # rad; headings nearer than this are the same
_OWN_SYMMETRY = 0.97  # autocorrelation above which a rotated face looks the same


@dataclass(frozen=True, slots=True, eq=False)
class TokenGroup:
    """Pieces of one size and height, and their faces."""

    pieces: tuple[Piece, ...]
    arts: tuple[ImageBGR, ...]
    radius_mm: float
    height_mm: float


def group_tokens(pieces: Sequence[Piece], art: Mapping[str, ImageBGR]) -> tuple[TokenGroup, ...]:
    """Group the tokens by size and height."""
    sizes: dict[tuple[float, float], list[Piece]] = {}
    for piece in pieces:
        if piece.id in art:
            sizes.setdefault((min(piece.size_mm) / 2, piece.height_mm), []).append(piece)
    return tuple(
        TokenGroup(tuple(some), tuple(art[piece.id] for piece in some), radius, height)
        for (radius, height), some in sizes.items()
    )


@dataclass(frozen=True, slots=True, eq=False)
class TokenSearch:
    """A group of faces and the images for its coarse and fine search.

    ``faces`` are its faces at the photo's scale, for registration; ``lean`` (2,) is
    :meth:`BoardScene.shift_by_height` at the centre, mm per mm of height.
    """

    group: TokenGroup
    faces: DiscFaces
    rectified: Rectified
    image: NDArray[np.float32]
    tones: NDArray[np.float32]
    soft: NDArray[np.float32]
    coarse: Rings
    fine: Rings
    lean: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class OverlappingToken:
    """A read token: pose (x mm, y mm, rad) at its height, score of each face, visible share.

    ``turn_lead`` is the score lead of its heading over distant ones, relative to that of the art
    itself; inf if the art looks the same at every rotation. ``odds`` (K,) are the log odds
    (natural) of each face against this one by the strokes in which the two differ; 0 where they
    were not compared.
    """

    search: TokenSearch
    face: int
    pose: FloatArray
    scores: FloatArray
    seen: float
    turn_lead: float
    covariance: FloatArray
    odds: FloatArray

    @property
    def group(self) -> TokenGroup:
        """The group of faces to which it belongs."""
        return self.search.group

    def discs(self) -> Discs:
        """Return the discs that it covers: its face, and its foot, both at the height of faces."""
        foot = self.pose[:2] + self.group.height_mm * self.search.lean
        radius = self.group.radius_mm
        return np.array([[*self.pose[:2], radius], [*foot, radius]])

    def hull_mm(self, scene: BoardScene) -> Points:
        """Return the area (N, 2) of the board's plane that it covers."""
        edge = self.pose[:2] + circle(self.group.radius_mm)
        return scene.hull_of(edge, self.group.height_mm)


@dataclass(frozen=True, slots=True, eq=False)
class PlaceScores:
    """A scored place: (x, y) mm, score of each face at each rotation (K, T), visible share.

    ``known`` is the number of tokens of its size that were known then.
    """

    at: Points
    similarity: FloatArray
    seen: float
    known: int = 0

    def rank_score(self) -> float:
        """Margin of the best score over the threshold for registration."""
        return float(self.similarity.max()) - SCORE


def score_places(
    search: TokenSearch,
    starts: Points,
    hiding: Discs,
    known: int = 0,
    steps: Sequence[float] = STEPS,
) -> list[PlaceScores]:
    """Score discs round places (N, 2) mm, each at its best position for any face."""
    if not len(starts):
        return []
    at = starts
    for share in steps:
        reach = np.array([-1.0, 0.0, 1.0]) * share * search.group.radius_mm
        spots = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
        trial = (at[:, None] + spots).reshape(-1, 2)
        similarity, seen = disc_scores(search, trial, hiding)
        best = similarity.max(axis=(1, 2)).reshape(len(at), -1).argmax(axis=1)
        chosen = np.arange(len(at)) * len(spots) + best
        at, similarity, seen = trial[chosen], similarity[chosen], seen[chosen]
    return [PlaceScores(*one, known) for one in zip(at, similarity, seen.tolist(), strict=True)]


def discs_of(found: Sequence[OverlappingToken]) -> Discs:
    """Return the discs that tokens cover: (N, 3), centre and radius, mm."""
    discs: Discs = np.concatenate([np.zeros((0, 3)), *(one.discs() for one in found)])
    return discs


def disc_scores(
    search: TokenSearch, points: Points, hiding: Discs, *, coarse: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return scores of discs for each face at each rotation (N, K, T), and their visible shares."""
    faces = search.coarse if coarse else search.fine
    px, radius_px = (
        search.rectified.to_px(points),
        search.group.radius_mm * search.rectified.px_per_mm,
    )
    over = hiding.copy()
    over[:, :2] = search.rectified.to_px(hiding[:, :2])
    over[:, 2] *= search.rectified.px_per_mm
    tones = search.soft if coarse else search.tones
    found = [(np.zeros((0, len(faces.values), faces.settings.turns), np.float32), np.zeros(0))]
    for k in range(0, len(px), _AT_ONCE):
        some = px[k : k + _AT_ONCE]
        rings = sample_rings(tones, some, radius_px, faces.settings)
        found.append(masked_ring_correlation(rings, faces, some, radius_px, over))
    similarity, seen = (np.concatenate(one) for one in zip(*found, strict=True))
    similarity[seen < _LEAST_SEEN] = -1.0
    return similarity, seen


def drop_phantoms(found: Sequence[OverlappingToken]) -> list[OverlappingToken]:
    """Return tokens without those that the print of a larger face below explains."""
    return [one for one in found if not any(_explains(below, one) for below in found)]


def _explains(below: OverlappingToken, one: OverlappingToken) -> bool:
    """Return whether a larger face explains the image at a smaller token."""
    own, radius = one.group.radius_mm, below.group.radius_mm
    if radius <= own or np.hypot(*(one.pose - below.pose)[:2]) > radius:
        return False
    points = own * FINE_RINGS.samples.reshape(2, -1).T + one.pose[:2]
    on_face = card_from_table(points, *below.pose)
    inside = np.hypot(*on_face.T) < radius
    art = below.group.arts[below.face]
    scale = min(art.shape[:2]) / 2 / radius
    soft = np.asarray(cv2.GaussianBlur(art, (0, 0), scale / 2), np.uint8)
    wanted = sample(soft, on_face[inside] * scale + (np.array(art.shape[1::-1]) - 1) / 2)
    seen = sample(one.search.image, one.search.rectified.to_px(points[inside]))
    first, second = (v.mean(axis=1) - v.mean() for v in (wanted, seen))
    length = np.linalg.norm(first) * np.linalg.norm(second)
    agrees = float(first @ second / max(length, 1e-6))
    return bool(inside.mean() > 0.5 and agrees > one.scores[one.face] - ROUGH)


def turn_lead(own: FloatArray, faces: Rings, face: int) -> float:
    """Return the lead of the best rotation over distant ones, relative to that of the art.

    ``own`` (T,) is the correlation of a disc with its face at each rotation. Rotations at which the
    art looks like itself are equivalent, and no rivals: inf if all distant ones are.
    """
    turns, best = len(own), int(own.argmax())
    away = (np.arange(turns) - best) % turns
    itself = faces.alike[face][away]
    far = np.minimum(away, turns - away) * 2 * np.pi / turns > _TURN_APART
    rivals = far & (itself <= _OWN_SYMMETRY)
    if not rivals.any():
        return float("inf")
    lead = own[best] - own[rivals].max()
    return float(lead / max(1 - itself[rivals].max(), 1 - _OWN_SYMMETRY))
