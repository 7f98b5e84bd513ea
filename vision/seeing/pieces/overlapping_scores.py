"""Scores places on a board against every face of a size at every rotation, by visible parts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.seeing.pieces.disc_registration import Discs
from vision.seeing.pieces.rectify import Rectified
from vision.seeing.pieces.ring_correlation import Rings, masked_ring_correlation, sample_rings
from vision.seeing.pieces.token_proposals import TokenGroup
from vision.seeing.pieces.tokens import turn_leads
from vision.values.arrays import FloatArray, Points

__all__ = [
    "AGAIN_HIDDEN",
    "AGAIN_LEFT",
    "AGAIN_SHARE",
    "APART",
    "BESIDE_KEPT",
    "CLOSE_STEPS",
    "FINE_PX",
    "HEIGHT_SD",
    "HIDDEN_ALONE",
    "HIDDEN_SCORE",
    "LEAST_ALONE",
    "LEAST_SEEN",
    "MARGIN_MM",
    "MOST",
    "MOST_AGAIN",
    "MOST_PLACES",
    "NEAR_STEPS",
    "OVERLAP",
    "POOL",
    "REGISTERED_SD_MM",
    "RISE_MM",
    "RIVAL",
    "ROUGH",
    "SCORE",
    "SOFT_PX",
    "STEP",
    "UNDER_KEPT",
    "UNDER_MM",
    "UNDER_STEPS",
    "OverlappingToken",
    "PlaceScores",
    "TokenSearch",
    "disc_scores",
    "discs_of",
    "score_places",
    "turn_lead",
]


# Detection of tokens that may lie on one another.
FINE_PX = 18.0  # of a token's radius in the rectified image: strokes of its print are visible
STEP = 0.22  # step of the first grid, of the radius: blurred faces correlate so far off
SOFT_PX = 1.5  # blur of the image in that search (1 sd)
MARGIN_MM = 3.0  # margin round what covers the board, whose tones a dark token's rim may share
RISE_MM = 1.0  # assumed mean base height of a token: what it lies on is determined later
POOL = 0.3  # least coarse score for the fine search
SCORE = 0.72  # least score of a fully visible token; other print reaches 0.69
HIDDEN_SCORE = 0.08  # added to that in proportion to the hidden share: little area matches easily
HIDDEN_ALONE = 0.2  # the same for the smallest: the rim of a larger face below may resemble it
ROUGH = 0.12  # deficit of a score that is allowed before registration
LEAST_SEEN = 0.3  # least visible share of a face
LEAST_ALONE = 0.5  # the same for the smallest
MOST_PLACES = 110  # places of the fine search: each costs as much as ten coarse ones
UNDER_MM = 2.0  # step of places under a token: the width of a stroke
UNDER_STEPS = 4  # such steps to either side: a ship is centred on its asteroyd, if roughly
UNDER_KEPT = 2  # best of these places for the fine search
BESIDE_KEPT = 4  # best places beside a new token for the fine search
APART = 0.5  # least distance between places, of the radius
# radius of the disc tested for a second search, of the token's: a hexagon's centre
AGAIN_SHARE = 0.7
AGAIN_HIDDEN = 0.7  # least covered share of the unexplained part of that disc
AGAIN_LEFT = 0.15  # least unexplained share of it: less cannot be read
MOST_AGAIN = 1500  # places of the second search: a hand has thousands, and no token
RIVAL = 0.3  # score deficit up to which faces are compared where the two differ
OVERLAP = 0.35  # least distance of the centres of two of one size, of the diameter
HEIGHT_SD = 0.3  # error of a token's height (1 sd), of it: card, wood and glue differ
REGISTERED_SD_MM = 0.5  # position error of a token that was not registered, from its rings alone
_AT_ONCE = 128  # discs that are compared in one go: their samples fit into the cache
MOST = 60  # most tokens of one size on a board


@dataclass(frozen=True, slots=True, eq=False)
class TokenSearch:
    """A group of faces and the images for its coarse and fine search.

    ``lean`` (2,) is :meth:`BoardScene.shift_by_height` at the centre, mm per mm of height.
    """

    group: TokenGroup
    rectified: Rectified
    image: NDArray[np.float32]
    tones: NDArray[np.float32]
    soft: NDArray[np.float32]
    coarse: Rings
    fine: Rings
    lean: FloatArray
    least_seen: float
    hidden_score: float


@dataclass(frozen=True, slots=True, eq=False)
class OverlappingToken:
    """A read token: pose (x mm, y mm, rad) at its height, score of each face, visible share.

    ``odds`` (K,) are the log odds (natural) of each face against this one by the strokes in which
    the two differ; 0 where they were not compared.
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


# search steps round places of a coarse grid: share of the radius, whether coarse
_FAR_STEPS = ((0.3, True), (0.15, True), (0.1, False))
# the same down to half a stroke: thin rings do not correlate farther off
CLOSE_STEPS = ((0.1, False), (0.05, False))
# the same of a fine grid: a coarse search misleads where little is visible
NEAR_STEPS = ((0.1, False),)


@dataclass(frozen=True, slots=True, eq=False)
class PlaceScores:
    """A scored place: (x, y) mm, score of each face at each rotation (K, T), visible share."""

    at: Points
    similarity: FloatArray
    seen: float

    def rank_score(self) -> float:
        """Margin of the best score over the threshold for registration."""
        return float(self.similarity.max()) - SCORE


def score_places(
    search: TokenSearch,
    starts: Points,
    hiding: Discs,
    rounds: tuple[tuple[float, bool], ...] = _FAR_STEPS,
) -> list[PlaceScores]:
    """Score discs round places (N, 2) mm, each at its best position for any face.

    ``rounds`` are the search steps (of the radius), and whether each is coarse.
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
    similarity[seen < search.least_seen] = -1.0
    return similarity, seen


def turn_lead(own: FloatArray, faces: Rings, face: int) -> float:
    """Return the lead of the best rotation over distant ones, relative to that of the art."""
    one = Rings(faces.values[face : face + 1], faces.settings)
    itself = masked_ring_correlation(one, one, np.zeros((1, 2)), 1.0, np.zeros((0, 3)))[0][0]
    best = np.array([own.argmax()], np.int64)
    return float(turn_leads(own[None], best, itself)[0])
