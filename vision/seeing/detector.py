"""How the cards of a deck are detected, matched and measured; the search for the table plane.

No other module asks how a deck was made: a deck with a printed frame is found by its white border,
any other by edges and pictures.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

import cv2
import numpy as np

from vision.errors import TableNotFoundError
from vision.imaging.view import View
from vision.seeing.cards.card_finder import CardFinder
from vision.seeing.cards.edge_poses import EdgePoseEstimator
from vision.seeing.cards.face_comparers import FramedComparer, PictureComparer
from vision.seeing.cards.plane_consensus import PlaneConsensus, consensus_plane
from vision.seeing.cards.posterior import COLOURLESS
from vision.seeing.cards.print_poses import PrintPoseEstimator
from vision.seeing.estimation.adjustment import Priors
from vision.seeing.estimation.gauge import align_with_photo
from vision.seeing.estimation.plane import WELL_DETERMINED, Plane
from vision.seeing.stages import Stages
from vision.seeing.values import (
    SMALL_CARD_PX,
    WELL_READ_SCORE,
    FaceMatches,
    PyramidLevel,
)
from vision.values.arrays import FloatArray, ImageGray
from vision.values.pieces import Faces

if TYPE_CHECKING:  # a scan of cards needs no detector of boards, dice and tokens
    from vision.seeing.pieces.reading import PieceDetector

__all__ = [
    "AnyDetector",
    "Detector",
    "TableDetector",
    "build_detector",
    "cards_of",
    "detect_and_match",
    "detector_for",
    "find_plane",
    "first_scores",
    "is_chiral",
    "may_show_cards",
    "no_cards_error",
]


@dataclass(frozen=True, slots=True, eq=False)
class Detector:
    """Card finder, face comparer and pose estimator of one deck; pickled as its faces."""

    faces: Faces
    finder: CardFinder
    comparer: FramedComparer | PictureComparer
    pose_estimator: EdgePoseEstimator | PrintPoseEstimator

    def __reduce__(self) -> tuple[Callable[[Faces], "Detector"], tuple[Faces]]:
        return build_detector, (self.faces,)


@dataclass(frozen=True, slots=True, eq=False)
class TableDetector:
    """A card detector with a piece detector for the sheets and tokens beside the cards.

    ``sheets`` are the ids of sheets that have the size of a card and are detected as cards.
    """

    cards: Detector
    pieces: "PieceDetector"
    sheets: tuple[str, ...] = ()


#: How the pieces of any game are looked for.
AnyDetector: TypeAlias = "Detector | PieceDetector | TableDetector"


def cards_of(detector: AnyDetector) -> Detector | None:
    """Return the detector of the cards; None if there is a board alone."""
    if isinstance(detector, TableDetector):
        return detector.cards
    return detector if isinstance(detector, Detector) else None


def may_show_cards(view: View, mirror: View, detector: AnyDetector) -> bool:
    """Return whether an outline holds a well-read card in a picture's mirror image.

    Returns True for decks without a printed frame: their outlines cannot rule a mirror image out.
    """
    cards = cards_of(detector)
    if cards is None or not cards.faces.frames:
        return True
    found = (
        _match_mirrored(view, mirror, cards, pyramid_level, Stages())
        for pyramid_level in cards.finder.pyramid_levels(view)
    )
    return any((matched.scores > WELL_READ_SCORE).any() for matched in found)


def first_scores(
    view: View, cards: Detector, stages: Stages, mirror: View | None = None
) -> FloatArray:
    """Return the scores (N,) of outlines that may vote, of the first level that has any.

    With ``mirror``, the picture's mirror image, the scores are of that. Levels that try harder are
    skipped. Without colour, a framed deck gives a single score of 1.
    """
    if not view.has_colour and cards.faces.frames:
        return np.ones(1)
    cards = detector_for(view, cards)
    voting = cards.comparer.voting
    for pyramid_level in cards.finder.pyramid_levels(view):
        if not pyramid_level.harder:
            if mirror is None:
                matched = detect_and_match(view, cards, pyramid_level, stages)
            else:
                matched = _match_mirrored(view, mirror, cards, pyramid_level, stages)
            may_vote = (matched.scores > voting.scores[-1]) & (matched.leads > voting.leads[-1])
            if may_vote.any():
                return matched.scores[may_vote]
    return np.zeros(0)


def detect_and_match(
    view: View, detector: Detector, pyramid_level: PyramidLevel, stages: Stages
) -> FaceMatches:
    """Return the outlines of a pyramid level with their face matches; computed once for a view."""

    def take(_: ImageGray) -> FaceMatches:
        with stages("detect"):
            quads = detector.finder.quads(view, pyramid_level)
        with stages("classify"):
            matched = detector.comparer.match_quads(view, quads, all_ways=pyramid_level.harder)
        return replace(matched, pyramid_level=pyramid_level)

    return view.once((detector, pyramid_level), pyramid_level.level, take)


def _match_mirrored(
    view: View, mirror: View, detector: Detector, pyramid_level: PyramidLevel, stages: Stages
) -> FaceMatches:
    """Match the outlines of a picture's mirror image.

    A card with a white border has the same outline there: those of the picture that are likeliest
    to be cards are matched, as many as the deck has cards, and nothing is detected again. A
    mirrored card keeps its border and colours, so that few outlines without a card are more like
    one. Outlines of other decks are detected in the mirror image itself: matched at the places of
    the picture's own, a mirrored table of nearly symmetric faces was not told from a sound one.
    """
    if not detector.faces.frames:
        return detect_and_match(mirror, detector, pyramid_level, stages)

    def take(_: ImageGray) -> FaceMatches:
        matched = detect_and_match(view, detector, pyramid_level, stages)
        likeliest = np.argsort(-matched.scores, kind="stable")[: len(detector.faces.card_ids)]
        last_px = np.array([view[0].shape[1] - 1.0, 0.0])
        quads = matched.quads_px[likeliest, ::-1] * np.array([-1.0, 1.0]) + last_px  # clockwise
        with stages("classify"):
            return detector.comparer.match_quads(mirror, quads, all_ways=True)

    return mirror.once((detector, pyramid_level, "mirrored"), pyramid_level.level, take)


def is_chiral(piece: str, detector: AnyDetector) -> bool:
    """Return whether a piece differs from its mirror image; pieces of a board always may."""
    cards = cards_of(detector)
    return cards is None or cards.comparer.is_chiral(piece)


def detector_for(view: View, detector: Detector) -> Detector:
    """Return the detector that reads a view: by lightness alone where the photo has no colour."""
    return detector if view.has_colour or detector.faces.frames else _colourless(detector)


@lru_cache(maxsize=2)
def _colourless(detector: Detector) -> Detector:
    faces = detector.faces
    gray = np.stack([cv2.cvtColor(face, cv2.COLOR_BGR2GRAY) for face in faces.images])
    lit = replace(faces, images=np.repeat(gray[..., None], 3, axis=3))
    return _picture_detector(PictureComparer(lit, posterior=COLOURLESS))


@lru_cache(maxsize=4)
def build_detector(faces: Faces) -> Detector:
    """Build the detector of a deck; the last four are cached.

    A printed frame at a known place makes the white border round it the mark of a card. A deck
    without one is detected by edges and recognised by its pictures.
    """
    if faces.frames:
        bordered = FramedComparer(faces)
        finder = CardFinder(faces.size_mm, is_bordered=True)
        return Detector(faces, finder, bordered, EdgePoseEstimator(faces))
    return _picture_detector(PictureComparer(faces))


def _picture_detector(plain: PictureComparer) -> Detector:
    """Build a detector that recognises cards by the pictures of their faces alone."""
    faces = plain.faces
    return Detector(faces, CardFinder(faces.size_mm), plain, PrintPoseEstimator(plain))


def find_plane(
    view: View, detector: Detector, priors: Priors, stages: Stages
) -> tuple[Plane, FaceMatches]:
    """Search the pyramid levels until one gives a plane of enough cards; return the best.

    Its matches are returned, too.

    Raises
    ------
    TableNotFoundError
        If no level gives a plane.
    """
    best: tuple[PlaneConsensus, FaceMatches] | None = None
    whole_px = np.zeros((0, 4, 2))  # of the last level searched for whole outlines
    problem: TableNotFoundError | None = None
    for pyramid_level in detector.finder.pyramid_levels(view):
        matched, found = _search_level(view, detector, pyramid_level, priors, stages)
        whole_px = whole_px if pyramid_level.by_corners else matched.quads_px
        if isinstance(found, TableNotFoundError):
            problem = found
            continue
        if found is None or (best is not None and not found.outdoes(best[0])):
            continue
        best = found, matched
        if not found.is_sure:
            continue
        finer = detector.finder.finer(view, pyramid_level, found.plane.solution)
        if finer is not None:
            matched, again = _search_level(view, detector, finer, priors, stages)
            if isinstance(again, PlaneConsensus) and again.is_sure:
                best = again, matched
        if len(best[0].plane.cards) >= WELL_DETERMINED:
            break
    if best is None:
        raise problem or no_cards_error(len(whole_px), view, _widest_px(whole_px))
    plane = best[0].plane
    return replace(plane, solution=align_with_photo(plane.solution)), best[1]


def _search_level(
    view: View, detector: Detector, pyramid_level: PyramidLevel, priors: Priors, stages: Stages
) -> tuple[FaceMatches, PlaneConsensus | TableNotFoundError | None]:
    """Return the matched outlines of one pyramid level, and the plane on which they agree, if any.

    Outlines of a coarse level may be no cards: an error is no end.
    """
    voting, size_mm = detector.comparer.voting, detector.faces.size_mm
    matched = detect_and_match(view, detector, pyramid_level, stages)
    with stages("rectify"):
        try:
            return matched, consensus_plane(matched, voting, size_mm, priors)
        except TableNotFoundError as error:
            return matched, error


def no_cards_error(outlines: int, view: View, widest_px: float | None = None) -> TableNotFoundError:
    """Return the error for a photo without cards: what was seen and what to try."""
    if not outlines:
        return TableNotFoundError(
            "no cards found; needed at least one whole card in clear view: photograph the whole "
            "table from above, on a cloth that contrasts with the cards"
        )
    several = "outline" if outlines == 1 else "outlines"
    seen = f"found {outlines} four-sided {several} but no card of this deck"
    if not view.has_colour:
        return TableNotFoundError(
            f"{seen}, and the photo has no colour; needed at least one card that can be named "
            "without colour: send the photo in colour",
            of_photo=True,
        )
    if widest_px is not None and widest_px < SMALL_CARD_PX:
        return TableNotFoundError(
            f"{seen}: the widest is {widest_px:.0f} pixels wide; needed at least one whole card "
            f"of {SMALL_CARD_PX}: move closer",
            of_photo=True,
        )
    return TableNotFoundError(
        f"{seen}; needed at least one whole card in clear view: photograph it from above, sharp "
        "and in even light, and check that this is the deck on the table"
    )


def _widest_px(quads: FloatArray) -> float | None:
    """Return the width of the widest outline (N, 4, 2): the mean of its shorter sides."""
    if not len(quads):
        return None
    sides = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2)
    return float(((sides[:, :2] + sides[:, 2:]) / 2).min(axis=1).max())
