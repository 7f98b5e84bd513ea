"""Values that pass between the stages of seeing."""

from dataclasses import dataclass, field, replace

import numpy as np

from vision.seeing.estimation.model import Measurements, Solution, join_measurements
from vision.seeing.estimation.overlaps import Covers
from vision.seeing.estimation.plane import Plane
from vision.values.arrays import BoolArray, FloatArray, IntArray
from vision.values.layout import PrintOffset
from vision.values.pieces import Faces

__all__ = [
    "FaceMatch",
    "FaceMatches",
    "Hypotheses",
    "Identities",
    "PoseEstimate",
    "PrintOffsets",
    "PyramidLevel",
    "least_visible",
    "select_hypotheses",
]

SMALL_CARD_PX = 60  # width of a card: from 50 on names are lost

# How well a card is read; correlations.
READ_SCORE = 0.3  # least of a card that is read, or of what shows: other games' reach 0.24
PLAIN_SCORE = 0.45  # of a card that is read plainly
WELL_READ_SCORE = 0.6  # of one that is read well: whole, in good light, at its exact place
LEAST_LEAD = 0.04  # over every other face: below, a card is not named
LARGE_LEAD = 0.15  # the same, that leaves no doubt: cards of other games reach 0.1, or 0.12
_LEAST_OF_PICTURE = 0.2  # of a card, visible: less of a picture is a neighbour's border, or no name
_LEAST_OF_FRAMED = 0.07  # the same of a card with a printed frame: strips of 8 mm have names


def least_visible(faces: Faces) -> float:
    """Return which share of a card of a deck must be visible for a name."""
    return _LEAST_OF_FRAMED if faces.frames else _LEAST_OF_PICTURE


@dataclass(frozen=True, slots=True)
class PyramidLevel:
    """A level of a photo's image pyramid to search, and how thoroughly.

    ``harder``: faint outlines are detected as well. ``by_corners``: outlines may show two sides
    only.
    """

    level: int
    harder: bool = False
    by_corners: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Hypotheses:
    """Pose hypotheses of cards on the table plane: those from outlines first, then the proposed.

    ``poses`` (N, 3) are x mm, y mm, theta rad, ambiguous by half a turn; ``scores`` (N,) the best
    face's correlation, -1 if not compared. ``n_outlines`` is the number of outlines detected.
    ``before`` holds earlier matches of each card when a table is watched. ``located`` is the
    estimate of exactly these poses, if they were measured already.
    """

    poses: FloatArray
    scores: FloatArray
    plane: Plane | None = None
    n_outlines: int = 0
    before: tuple["FaceMatch | None", ...] = ()
    located: "PoseEstimate | None" = None


def select_hypotheses(found: Hypotheses, chosen: BoolArray) -> Hypotheses:
    """Return the hypotheses that a mask (N,) selects, without earlier matches."""
    poses, scores = found.poses[chosen], found.scores[chosen]
    return replace(found, poses=poses, scores=scores, before=(), located=None)


def leads_of(scores: FloatArray) -> FloatArray:
    """Return the margin (N,) of the best of each row (N, K) over the next; a single one's score."""
    if scores.shape[1] < 2:
        return scores[:, 0]
    ordered = np.sort(scores, axis=1)
    return np.asarray(ordered[:, -1] - ordered[:, -2], np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class FaceMatch:
    """Match of one card against all faces.

    ``scores`` (K, 2) are correlations with each face upright and rotated by half a turn, less a
    penalty for the frame's tint; -1 if not compared. ``visible`` is the share of the best face that
    agrees with the photo, ``haze`` the lightness of its dark print (0..1), ``white`` the tone of
    white there (0..255). ``posterior`` (K,) is the probability of each face; the rest is that of a
    foreign card; None if not computed. ``registered_score`` is the correlation with the likeliest
    face after registration; -1 if not computed. ``foreign`` is the probability of a foreign card
    against the best face where there is no posterior; 0 if not computed. ``hidden_by`` are the
    cards that leave too little of it visible for a name, if there are any.
    """

    scores: FloatArray
    visible: float = 1.0
    haze: float = 0.0
    white: float = 255.0
    posterior: FloatArray | None = None
    registered_score: float = -1.0
    foreign: float = 0.0
    hidden_by: tuple[int, ...] = ()

    @property
    def best(self) -> int:
        """Index of the face with the best score."""
        return int(self.scores.max(axis=1).argmax())

    @property
    def score(self) -> float:
        """Best score, -1..1."""
        return float(self.scores.max())

    @property
    def lead(self) -> float:
        """Margin of the best face's score over that of the next face."""
        return float(leads_of(self.scores.max(axis=1)[None])[0])

    def is_half_turned(self, face: int) -> bool:
        """Return whether the card shows a face rotated by half a turn."""
        return bool(self.scores[face, 1] > self.scores[face, 0])


@dataclass(frozen=True, slots=True, eq=False)
class FaceMatches:
    """Outlines with the best face of each and the card corners that this face implies.

    ``quads_px`` (N, 4, 2) are the outlines; ``corners_px`` (N, 4, 2) the card's corners TL, TR, BR,
    BL, photo frame; ``faces`` (N,) the best face of each, ``scores`` and ``leads`` (N,) its score
    and its margin over the next face. ``pyramid_level`` is the level that was searched.
    """

    quads_px: FloatArray
    corners_px: FloatArray
    faces: IntArray
    scores: FloatArray
    leads: FloatArray
    pyramid_level: PyramidLevel | None = None


@dataclass(frozen=True, slots=True)
class Identities:
    """The face that each place shows.

    ``face`` holds face indices, -1 for unreadable; ``doubled`` maps a place to the face it shows
    although enough other places show that face better; ``doubtful`` are named places with a small
    lead; ``open_turns`` those that look the same after half a turn.
    """

    face: tuple[int, ...]
    doubled: dict[int, int]
    doubtful: tuple[int, ...]
    open_turns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PrintOffsets:
    """Offset of the print from the cut edge of each card.

    ``offset`` (N, 3) is x mm, y mm, turn rad in the card frame, zero for a deck without measurable
    offsets; ``covariance`` (N, 3, 3) belongs to it.
    """

    offset: FloatArray
    covariance: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class PoseEstimate:
    """Result of the joint adjustment in its own gauge, with the measured shares of card edges.

    ``pose_covariance`` (3N, 3N) is of (x mm, y mm, theta rad) and includes the cards' own shape.
    ``sides`` (N, R, 4) is the measured share of each edge (0..1). ``residual_px`` is the weighted
    rms residual; inf without measurements. ``printed`` is None if faces were not registered, or
    print and cut edge agree on the whole deck. ``seen`` are the edge measurements. ``visible`` (N,)
    is the share of the print that agrees, if poses come from the print. ``cut_covariance`` (5, 5)
    is of the solution's trim model, if it has one; ``cut_sd`` (5,) are the prior deviations of its
    parameters. ``edgeless``: the deck's images end where the cards have no edge. ``covers`` are the
    cards that lie on others, if that is known: what they hide was not measured.
    """

    solution: Solution
    pose_covariance: FloatArray
    sides: FloatArray
    residual_px: float
    printed: PrintOffsets | None = None
    seen: Measurements = field(default_factory=lambda: join_measurements([]))
    visible: FloatArray | None = None
    cut_covariance: FloatArray | None = None
    cut_sd: FloatArray | None = None
    edgeless: bool = False
    covers: Covers | None = None

    def print_of(self, place: int, *, turned: bool = False) -> PrintOffset | None:
        """Return the print offset of a card in the frame of its upright face; None if unknown."""
        if self.printed is None:
            return None
        sense = np.array([-1.0, -1.0, 1.0]) if turned else np.ones(3)
        x, y, turn = (float(value) for value in sense * self.printed.offset[place])
        return PrintOffset(x, y, turn, np.outer(sense, sense) * self.printed.covariance[place])
