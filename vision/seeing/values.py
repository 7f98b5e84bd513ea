"""What passes between the stages of seeing."""

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from vision.seeing.estimation.model import Measurements, Solution, join_measurements
from vision.seeing.estimation.plane import Plane
from vision.values.arrays import BoolArray, FloatArray, IntArray

__all__ = [
    "FaceMatch",
    "FaceMatches",
    "Hypotheses",
    "HypothesisSource",
    "Identities",
    "PoseEstimate",
    "PrintOffsets",
    "PyramidLevel",
    "join_matches",
    "select_matches",
]


class HypothesisSource(IntEnum):
    """By what a card on the plane is known, the surest last."""

    CORNERS = 0  #: two corners of it show and agree
    BORDERED = 1  #: a white border runs round it
    SIDED = 2  #: three of its sides show
    SHAPED = 3  #: an outline has a card's shape
    READ = 4  #: a face is read there


@dataclass(frozen=True, slots=True)
class PyramidLevel:
    """One look at a photo: in which level of it, and whether all is tried that may show there.

    ``by_corners`` is one for outlines of which no more than two sides show. ``times`` is by how
    much, 0.5..1, the level is reduced further.
    """

    level: int
    harder: bool = False
    by_corners: bool = False
    times: float = 1.0

    @property
    def scale(self) -> float:
        """How many pixels of the look a pixel of the photo has."""
        return self.times * 0.5**self.level


@dataclass(frozen=True, slots=True, eq=False)
class Hypotheses:
    """Cards laid on the plane, the surest first.

    ``poses`` (N, 3) are x mm, y mm, theta rad, the half turn open; ``source`` (N,) are values of
    :class:`HypothesisSource`. ``scores`` (N,) is of cards known by shape or face how alike the best
    face is (-1..1, -1 where none was compared), of the others the share (0..1) of what shows of
    them. ``visible_corners_px`` (M, 3, 2) are the corners that show, photo frame; ``outlines`` how
    many outlines were seen. ``outlined_px`` (N, 4, 2) are the corners, photo frame, of an outline
    that a card has for sure at each pose, whatever it shows; nan where there is none, None where
    that was not asked. ``before`` holds for each card how it compared when it was laid, if it was
    watched. ``repeated`` is how many shapes of a cloth's own pattern were left out, as large as
    cards; ``objects_px`` (K, 4, 2) are boxes round what lies on such a cloth, cards or not.
    """

    poses: FloatArray
    scores: FloatArray
    source: IntArray
    plane: Plane | None = None
    visible_corners_px: FloatArray = field(default_factory=lambda: np.zeros((0, 3, 2)))
    outlines: int = 0
    outlined_px: FloatArray | None = None
    before: tuple["FaceMatch | None", ...] = ()
    repeated: int = 0
    objects_px: FloatArray = field(default_factory=lambda: np.zeros((0, 4, 2)))

    @property
    def similarity(self) -> FloatArray:
        """How alike (N,) the best face is; -1 where another thing is all that is known."""
        return np.where(self.source >= HypothesisSource.SHAPED, self.scores, -1.0)


@dataclass(frozen=True, slots=True, eq=False)
class FaceMatch:
    """How one card compares with all faces.

    ``scores`` (K, 2) is the correlation with each face upright and turned by half, less what the
    frame's tint is off, -1 where that was not worth a look; ``visible`` the share of the face that
    agrees with the best one, ``haze`` the lightness of what the best one prints dark, and ``white``
    (tones) how bright white is there. ``posterior`` (K,) is how likely each face is, of which no
    card of the deck has the rest; None where nothing has weighed them. ``registered_score`` is the
    correlation with the likeliest face where its strokes were laid over the card's; -1 where none
    was.
    """

    scores: FloatArray
    visible: float = 1.0
    haze: float = 0.0
    white: float = 255.0
    posterior: FloatArray | None = None
    registered_score: float = -1.0

    @property
    def best(self) -> int:
        """The face with the best score."""
        return int(self.scores.max(axis=1).argmax())

    @property
    def score(self) -> float:
        """The best score, -1..1."""
        return float(self.scores.max())

    @property
    def lead(self) -> float:
        """By how much the best face beats the next other face."""
        per_face = np.sort(self.scores.max(axis=1))
        return float(per_face[-1] - per_face[-2]) if len(per_face) > 1 else float(per_face[-1])

    def is_half_turned(self, face: int) -> bool:
        """Tell whether the card shows a face upside down rather than upright."""
        return bool(self.scores[face, 1] > self.scores[face, 0])


@dataclass(frozen=True, slots=True, eq=False)
class FaceMatches:
    """Outlines as the faces that they are most like lay them.

    ``quads_px`` (N, 4, 2) are the outlines; ``corners_px`` (N, 4, 2) TL, TR, BR, BL of the card,
    photo frame; ``faces`` (N,) the best face of each, ``scores`` and ``leads`` (N,) how alike it
    is, and by how much it beats every other. ``pyramid_level`` is the one they come from.
    """

    quads_px: FloatArray
    corners_px: FloatArray
    faces: IntArray
    scores: FloatArray
    leads: FloatArray
    pyramid_level: PyramidLevel | None = None


def join_matches(one: FaceMatches, other: FaceMatches) -> FaceMatches:
    """Put two looks' outlines together; of the looks the first one's is kept."""
    quads, corners, faces, scores, leads = (
        np.concatenate([getattr(one, x), getattr(other, x)])
        for x in ("quads_px", "corners_px", "faces", "scores", "leads")
    )
    return FaceMatches(quads, corners, faces, scores, leads, one.pyramid_level)


def select_matches(matched: FaceMatches, chosen: BoolArray) -> FaceMatches:
    """Keep the outlines that are chosen (N,)."""
    quads, corners, faces, scores, leads = (
        getattr(matched, x)[chosen] for x in ("quads_px", "corners_px", "faces", "scores", "leads")
    )
    return FaceMatches(quads, corners, faces, scores, leads, matched.pyramid_level)


@dataclass(frozen=True, slots=True)
class Identities:
    """What each place holds.

    ``face`` is the index of the face or -1 (unreadable); ``doubled`` maps a place to the face it
    shows although other places show it better, as many as the deck has; ``doubtful`` are named
    places with a small lead; ``open_turns`` those that look the same turned by half.
    """

    face: tuple[int, ...]
    doubled: dict[int, int]
    doubtful: tuple[int, ...]
    open_turns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PrintOffsets:
    """Where the print lies on each card, as far as it is told from the cut edge.

    ``offset`` (N, 3) is x mm, y mm, turn rad of the print in the card frame; ``covariance``
    (N, 3, 3) is its own. A deck whose prints all lie in the middle, as far as the photo tells, has
    zeros.
    """

    offset: FloatArray
    covariance: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class PoseEstimate:
    """The joint solution in its own gauge, with what each card's sides gave.

    ``pose_covariance`` (3N, 3N) is of (x mm, y mm, theta rad), the cards' own shape included.
    ``sides`` (N, R, 4) is the share of each side that was measured (0..1). ``residual_px`` is the
    weighted rms of what was measured against the model; inf if nothing was. ``printed`` is None
    where the faces were not looked at, or print and cut edge agree on the whole deck. ``seen`` is
    what was measured of the sides. ``visible`` (N,) is the share of the print that agrees, where
    poses come from the print. ``outlined`` (N,) tells which have a card's outline for sure; None
    where that was not asked. ``cut_covariance`` (5, 5) is of the solution's cut, where it has one,
    and ``cut_sd`` (5,) how well 0 was believed of it before.
    """

    solution: Solution
    pose_covariance: FloatArray
    sides: FloatArray
    residual_px: float
    printed: PrintOffsets | None = None
    seen: Measurements = field(default_factory=lambda: join_measurements([]))
    visible: FloatArray | None = None
    outlined: BoolArray | None = None
    cut_covariance: FloatArray | None = None
    cut_sd: FloatArray | None = None
