"""Faces -> how their cards are looked for; nobody else asks how a deck was made."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol, TypeAlias

import cv2
import numpy as np

from vision.errors import TableNotFoundError
from vision.imaging.view import View
from vision.seeing.cards.border_finder import BorderCardFinder
from vision.seeing.cards.edge_finder import EdgeCardFinder
from vision.seeing.cards.edge_poses import EdgePoseEstimator
from vision.seeing.cards.face_comparers import FramedComparer, PictureComparer, VoterSettings
from vision.seeing.cards.plane_consensus import PlaneConsensus, consensus_plane
from vision.seeing.cards.posterior import COLOURLESS
from vision.seeing.cards.print_poses import PrintPoseEstimator
from vision.seeing.cards.report import ReportSettings
from vision.seeing.estimation.adjustment import Priors
from vision.seeing.estimation.model import Measurements, Solution
from vision.seeing.estimation.plane import Plane
from vision.seeing.pieces.reading import PieceDetector
from vision.seeing.stages import Stages
from vision.seeing.values import (
    FaceMatch,
    FaceMatches,
    Hypotheses,
    Identities,
    PoseEstimate,
    PyramidLevel,
)
from vision.values.arrays import BoolArray, FloatArray, ImageGray, IntArray
from vision.values.pieces import Faces

__all__ = [
    "AnyDetector",
    "CardFinder",
    "Detector",
    "FaceComparer",
    "PoseEstimator",
    "TableDetector",
    "build_detector",
    "colourless_detector",
    "detect_and_match",
    "find_plane",
    "first_scores",
    "is_chiral",
    "may_show_cards",
    "no_cards_error",
]

_WELL_READ_SCORE = 0.6  # of the best outline: on 73 photos 0.68, in mirror images of poor ones 0.6


class CardFinder(Protocol):
    """Finds where cards may lie."""

    def pyramid_levels(self, view: View) -> tuple[PyramidLevel, ...]:
        """Return the looks that are taken in turn until one gives a plane."""
        ...

    def finer(
        self, view: View, pyramid_level: PyramidLevel, solution: Solution
    ) -> PyramidLevel | None:
        """Return the look that shows cards well which gave a plane; None if this one does."""
        ...

    def quads(self, view: View, pyramid_level: PyramidLevel | None = None) -> FloatArray:
        """Find outlines (N, 4, 2), photo frame.

        Without a look those of a part of a picture, which a card may nearly fill.
        """
        ...

    def build_hypotheses(
        self, view: View, plane: Plane, matched: FaceMatches, stages: Stages
    ) -> Hypotheses:
        """Lay all cards of a photo on its plane, those that were matched first."""
        ...

    def detect_in_roi(self, view: View, plane: Plane, shape_mm: float) -> Hypotheses:
        """Lay the cards of a part of a picture on a known plane, good to ``shape_mm``."""
        ...


class FaceComparer(Protocol):
    """Compares what shows with all faces, and says when that is believed.

    ``frame_share`` is the width and height of a printed edge that all cards show over the card's.
    """

    @property
    def report(self) -> ReportSettings: ...  # noqa: D102
    @property
    def sure(self) -> VoterSettings: ...  # noqa: D102
    @property
    def frame_share(self) -> tuple[float, float]: ...  # noqa: D102

    def match_quads(self, view: View, quads: FloatArray, *, all_ways: bool = False) -> FaceMatches:
        """Compare outlines with all faces."""
        ...

    def match(self, view: View, solution: Solution) -> list[FaceMatch]:
        """Compare cards at their places."""
        ...

    def name(self, matches: list[FaceMatch]) -> Identities:
        """Name cards together; none at all if no card is clearly read."""
        ...

    def name_more(
        self, view: View, located: PoseEstimate, matches: list[FaceMatch], named: Identities
    ) -> tuple[list[FaceMatch], Identities]:
        """Name unread or doubtful places by other evidence."""
        ...

    def hidden(self, view: View, found: Hypotheses, placed: FloatArray) -> FloatArray:
        """Return poses (K, 3) of cards of which little shows beside those placed (N, 3)."""
        ...

    def is_chiral(self, card: str) -> bool:
        """Tell whether the mirror image of a card's face looks otherwise."""
        ...


class PoseEstimator(Protocol):
    """Measures where cards lie, to a fraction of a pixel."""

    def locate(self, view: View, start: Solution, priors: Priors) -> PoseEstimate:
        """Solve camera, plane and poses."""
        ...

    def refine(
        self, view: View, located: PoseEstimate, faces: IntArray, turned: BoolArray, priors: Priors
    ) -> PoseEstimate:
        """Solve once more with the named faces (N,), upside down where ``turned``."""
        ...

    def observe(
        self, gray: ImageGray, solution: Solution, reach_px: float
    ) -> tuple[Measurements, FloatArray]:
        """Measure the sides of cards: two measurements a side, and shares (N, R, 4)."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Detector:
    """How the cards of a deck are looked for; it travels to other processes as its faces."""

    faces: Faces
    outlines: CardFinder
    comparer: FaceComparer
    poses: PoseEstimator

    def __reduce__(self) -> tuple[Callable[[Faces], "Detector"], tuple[Faces]]:
        return build_detector, (self.faces,)


@dataclass(frozen=True, slots=True, eq=False)
class TableDetector:
    """How cards are looked for, and beside them sheets of other sizes with tokens on them.

    ``sheets`` names the sheets of the cards' own size, which are looked for as cards.
    """

    cards: Detector
    pieces: PieceDetector
    sheets: tuple[str, ...] = ()


#: How the pieces of any game are looked for.
AnyDetector: TypeAlias = Detector | PieceDetector | TableDetector


def may_show_cards(view: View, detector: AnyDetector) -> bool:
    """Tell whether any outline of a picture is read as it is where cards are read well.

    What is not told by the outlines of cards with a printed frame may always be.
    """
    if isinstance(detector, PieceDetector):
        return True
    cards = detector.cards if isinstance(detector, TableDetector) else detector
    if not cards.faces.frames:
        return True
    found = (
        detect_and_match(view, cards, pyramid_level)[1]
        for pyramid_level in cards.outlines.pyramid_levels(view)
    )
    return any((matched.scores > _WELL_READ_SCORE).any() for matched in found)


def first_scores(view: View, detector: Detector | TableDetector, stages: Stages) -> FloatArray:
    """Return how alike (N,) a face are outlines that may be cards, of the first look with any.

    Looks by which more is tried are not taken. Without colour faces in frames are all as alike.
    """
    cards = detector.cards if isinstance(detector, TableDetector) else detector
    if not view.has_colour and cards.faces.frames:
        return np.ones(1)
    cards = cards if view.has_colour else colourless_detector(cards)
    sure = cards.comparer.sure
    for pyramid_level in cards.outlines.pyramid_levels(view):
        if not pyramid_level.harder:
            _, matched = detect_and_match(view, cards, pyramid_level, stages)
            may_vote = (matched.scores > sure.scores[-1]) & (matched.leads > sure.leads[-1])
            if may_vote.any():
                return matched.scores[may_vote]
    return np.zeros(0)


def detect_and_match(
    view: View, detector: Detector, pyramid_level: PyramidLevel, stages: Stages | None = None
) -> tuple[FloatArray, FaceMatches]:
    """Return the outlines (N, 4, 2) of a look, photo frame, and those compared with all faces.

    Each look at a view is taken once.
    """
    stages = stages or Stages()

    def take(_: ImageGray) -> tuple[FloatArray, FaceMatches]:
        with stages("detect"):
            quads = detector.outlines.quads(view, pyramid_level)
        with stages("classify"):
            matched = detector.comparer.match_quads(view, quads, all_ways=pyramid_level.harder)
        return quads, replace(matched, pyramid_level=pyramid_level)

    return view.once((detector, pyramid_level), pyramid_level.level, take)


def is_chiral(piece: str, detector: AnyDetector) -> bool:
    """Tell whether a piece looks otherwise in a mirror; of other pieces than cards, it may."""
    if isinstance(detector, PieceDetector):
        return True
    cards = detector.cards if isinstance(detector, TableDetector) else detector
    return cards.comparer.is_chiral(piece)


@lru_cache(maxsize=2)
def colourless_detector(detector: Detector) -> Detector:
    """Return how cards are looked for by lightness alone; as before by a printed frame."""
    faces = detector.faces
    if faces.frames:
        return detector
    gray = np.stack([cv2.cvtColor(face, cv2.COLOR_BGR2GRAY) for face in faces.images])
    lit = replace(faces, images=np.repeat(gray[..., None], 3, axis=3))
    return _picture_detector(PictureComparer(lit, posterior=COLOURLESS))


@lru_cache(maxsize=4)
def build_detector(faces: Faces) -> Detector:
    """Choose how cards are looked for; the last decks are remembered.

    A printed frame that all faces share, and whose place is known, makes the white border round
    it a card's mark; without one there are the pictures alone.
    """
    if faces.frames:
        bordered = FramedComparer(faces)
        return Detector(faces, BorderCardFinder(bordered), bordered, EdgePoseEstimator(faces))
    return _picture_detector(PictureComparer(faces))


def _picture_detector(plain: PictureComparer) -> Detector:
    """Look for cards by the pictures of their faces alone."""
    return Detector(plain.faces, EdgeCardFinder(plain), plain, PrintPoseEstimator(plain))


_LEAST_CARD_PX = 60  # width of a card whose face can be told for sure


def find_plane(
    view: View, detector: Detector, priors: Priors, stages: Stages
) -> tuple[Plane, FaceMatches]:
    """Look for outlines until some give a plane; return it with them.

    Raises
    ------
    TableNotFoundError
        If none do.
    """
    best: tuple[PlaneConsensus, FaceMatches] | None = None
    whole: _LevelResult | None = None  # the last look for whole outlines
    problem: TableNotFoundError | None = None
    for pyramid_level in detector.outlines.pyramid_levels(view):
        result = _search_level(view, detector, pyramid_level, priors, stages)
        whole = whole if pyramid_level.by_corners else result
        consensus, problem = result.consensus, result.problem or problem
        if consensus is None or (best is not None and not consensus.outdoes(best[0])):
            continue
        best = consensus, result.matched
        if consensus.is_sure:
            finer = detector.outlines.finer(view, pyramid_level, consensus.plane.solution)
            again = None if finer is None else _search_level(view, detector, finer, priors, stages)
            if again is not None and again.consensus is not None and again.consensus.is_sure:
                best = again.consensus, again.matched
            break
    if best is None:
        assert whole is not None
        raise problem or no_cards_error(len(whole.quads_px), _widest_px(whole.quads_px))
    return best[0].plane, best[1]


@dataclass(frozen=True, slots=True, eq=False)
class _LevelResult:
    """What one look found: outlines (N, 4, 2), what they show, and a plane, or why it is none."""

    quads_px: FloatArray
    matched: FaceMatches
    consensus: PlaneConsensus | None
    problem: TableNotFoundError | None


def _search_level(
    view: View, detector: Detector, pyramid_level: PyramidLevel, priors: Priors, stages: Stages
) -> _LevelResult:
    """Find outlines in one look, and let them vote for a plane."""
    sure, size_mm = detector.comparer.sure, detector.faces.size_mm
    quads, matched = detect_and_match(view, detector, pyramid_level, stages)
    with stages("rectify"):
        try:
            return _LevelResult(
                quads, matched, consensus_plane(matched, sure, size_mm, priors), None
            )
        except TableNotFoundError as error:  # outlines of a coarse look may be of no card
            return _LevelResult(quads, matched, None, error)


def no_cards_error(outlines: int, widest_px: float | None = None) -> TableNotFoundError:
    """Say what was seen and what to try; how wide the widest outline shows, where that is known."""
    if not outlines:
        return TableNotFoundError(
            "no cards found; needed at least one whole card in clear view: photograph the whole "
            "table from above, on a cloth that contrasts with the cards"
        )
    several = "outline" if outlines == 1 else "outlines"
    seen = f"found {outlines} four-sided {several} but no card of this deck"
    if widest_px is not None and widest_px < _LEAST_CARD_PX:
        return TableNotFoundError(
            f"{seen}: the widest is {widest_px:.0f} pixels wide; needed at least one whole card "
            f"of {_LEAST_CARD_PX}: move closer"
        )
    return TableNotFoundError(
        f"{seen}; needed at least one whole card in clear view: photograph it from above, sharp "
        "and in even light, and check that this is the deck on the table"
    )


def _widest_px(quads: FloatArray) -> float | None:
    """Return how wide the widest of outlines (N, 4, 2) shows: its shorter sides' mean."""
    if not len(quads):
        return None
    sides = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2)
    return float(((sides[:, :2] + sides[:, 2:]) / 2).min(axis=1).max())
