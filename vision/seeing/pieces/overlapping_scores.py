"""Places on a board -> how like each is to every face of a size at every turn, by what shows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.seeing.pieces.disc_registration import Discs
from vision.seeing.pieces.rectify import Rectified
from vision.seeing.pieces.ring_correlation import Rings, masked_ring_correlation, read_rings
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
    "FINEST_PX",
    "FINE_PX",
    "HEIGHT_SD",
    "HIDDEN_ALONE",
    "HIDDEN_SCORE",
    "LEAST_ALONE",
    "LEAST_CHANCE",
    "LEAST_SEEN",
    "MARGIN_MM",
    "MOST",
    "MOST_AGAIN",
    "MOST_ODDS",
    "MOST_PLACES",
    "NEAR_STEPS",
    "OVERLAP",
    "POOL",
    "REGISTERED_SD_MM",
    "RISE_MM",
    "RIVAL",
    "ROUGH",
    "SCORE",
    "SHARPNESS",
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


# How tokens that may lie on one another are sought.
FINE_PX = 18.0  # of a token's radius where it is read: a stroke of its print shows
STEP = 0.22  # of the radius, between the places read first: softly they agree so far
SOFT_PX = 1.5  # by which the picture is blurred then
MARGIN_MM = 3.0  # round what hides the board: the rim of a dark token looks like it
RISE_MM = 1.0  # on what a token may lie, on average: what it lies on is known later
POOL = 0.3  # likeness of a place that is looked at again
SCORE = 0.72  # of a token that shows whole; other print reaches 0.69
HIDDEN_SCORE = 0.08  # more, of one of which hardly anything shows: little agrees easily
HIDDEN_ALONE = 0.2  # ... of the smallest: a larger face's rim below may look like it
ROUGH = 0.12  # less, before it is laid exactly
LEAST_SEEN = 0.3  # of a face must show
LEAST_ALONE = 0.5  # ... of the smallest
MOST_PLACES = 110  # that are read finely: each costs as much as ten coarse ones
UNDER_MM = 2.0  # between places under a token: a stroke of print is as wide
UNDER_STEPS = 4  # of them each way: a ship's middle lies on its asteroyd, if askew
UNDER_KEPT = 2  # the likest of them, that are read finely
BESIDE_KEPT = 4  # the likest places beside a token just found, that are read finely
APART = 0.5  # of the radius, between them
AGAIN_SHARE = 0.7  # of the radius, of a disc that is looked at again: hexagons' middles
AGAIN_HIDDEN = 0.7  # of what is left of it by what was found, must hide the board
AGAIN_LEFT = 0.15  # of it: of less nothing could be read
MOST_AGAIN = 1500  # places that are looked at again: a hand has thousands, and no token
SHARPNESS = 30.0  # of a chance by likeness: 0.15 are one in a hundred
LEAST_CHANCE = 0.001  # of another piece, to be told
RIVAL = 0.3  # of likeness, less: such faces are compared where the two differ
MOST_ODDS = 12.0  # by strokes that differ: where they are hidden they say nothing
_TURN_APART = 0.4  # rad: readings of the turn nearer than that are one
_OWN_SYMMETRY = 0.97  # of a face with itself turned: such a one has no heading to tell
OVERLAP = 0.35  # of the diameter: middles of two alike in size are no nearer
HEIGHT_SD = 0.3  # of a token's height: card, wood and glue differ
FINEST_PX = 60.0  # of a radius: finer pictures say no more of its place
REGISTERED_SD_MM = 0.5  # of a token that could not be laid exactly, by its rings alone
MOST = 60  # tokens of one size on a board


@dataclass(frozen=True, slots=True, eq=False)
class TokenSearch:
    """A group of faces and the picture that they are compared in, coarsely and finely.

    ``lean`` (2,) is how much farther (mm) a thing seems to lie per mm that it is higher.
    """

    group: TokenGroup
    rectified: Rectified
    image: NDArray[np.float32]
    soft: NDArray[np.float32]
    coarse: Rings
    fine: Rings
    lean: FloatArray
    least_seen: float
    hidden_score: float
    coloured: bool


@dataclass(frozen=True, slots=True, eq=False)
class OverlappingToken:
    """A token as read: pose (x mm, y mm, rad) at its height, likeness to each face, what shows.

    ``odds`` (K,) are how much likelier (natural logarithm) each face is than this one by the
    strokes in which the two differ; 0 where that was not looked at.
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
        """What it is one of."""
        return self.search.group

    def discs(self) -> Discs:
        """Return what it hides: its face, and its foot, as both show at the height of faces."""
        foot = self.pose[:2] - self.group.height_mm * self.search.lean
        radius = self.group.radius_mm
        return np.array([[*self.pose[:2], radius], [*foot, radius]])


_FAR_STEPS = ((0.3, True), (0.15, True), (0.1, False))  #: round places of a coarse grid
CLOSE_STEPS = ((0.1, False), (0.05, False))  #: ... to half a stroke: thin rings agree no farther
NEAR_STEPS = ((0.1, False),)  #: ... of a fine one: where little shows a coarse look leads astray


@dataclass(frozen=True, slots=True, eq=False)
class PlaceScores:
    """A place that was read: (x, y) mm, likeness to each face at each turn (K, T), what shows."""

    at: Points
    similarity: FloatArray
    seen: float

    def rank_score(self) -> float:
        """By how much the likest face passes what one must reach; it is laid exactly later."""
        return float(self.similarity.max()) - SCORE


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


def turn_lead(own: FloatArray, faces: Rings, face: int) -> float:
    """Return by how much the best turn leads over far ones, as a share of what the art does."""
    one = Rings(faces.values[face : face + 1], faces.settings)
    itself = masked_ring_correlation(one, one, np.zeros((1, 2)), 1.0, np.zeros((0, 3)))[0][0]
    best = np.array([own.argmax()], np.int64)
    return float(turn_leads(own[None], best, itself, _TURN_APART, _OWN_SYMMETRY)[0])
