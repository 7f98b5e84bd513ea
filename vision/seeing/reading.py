"""The order of the seeing stages: from a photo to a layout.

Outlines are detected and matched against the faces; the best matches give the table plane. On the
plane, outlines of a card's shape become pose hypotheses. Those that are read well give camera and
plane once more, exactly. Where neither they nor bare table explain the photo, the others and
further poses are proposed and verified, of half-covered cards too (``find_hypotheses``). Then all
poses are measured together, every face is compared there, and the cards are named together,
covered ones by what the cards above leave of them; at last the poses are refined with the print of
the named face, poses that are no card are dropped, and the doubts are written
(``estimate_layout``). To these come what nothing explains: regions of the table, and borders that
stick out from under cards (``report_unexplained``).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from vision.errors import DegenerateGeometryError, TableNotFoundError
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.cards.overlap_order import find_covers
from vision.seeing.cards.report import half_turned, report_cards
from vision.seeing.cards.view_fusion import fuse_views, median_pose_estimate, merge_matches
from vision.seeing.detector import (
    AnyDetector,
    Detector,
    TableDetector,
    cards_of,
    detector_for,
    find_plane,
    first_scores,
    is_chiral,
    may_show_cards,
    no_cards_error,
)
from vision.seeing.estimation.adjustment import Priors
from vision.seeing.estimation.covariance import block_diagonal
from vision.seeing.estimation.model import Solution, solution_of, with_poses
from vision.seeing.estimation.overlaps import card_outlines
from vision.seeing.estimation.plane import Plane, camera_priors, transfer_poses
from vision.seeing.explain import verify_hypotheses
from vision.seeing.issues.photo_quality import (
    damaged_file_error,
    report_colourless,
    report_damaged_file,
    report_photo_quality,
)
from vision.seeing.issues.size_and_trim import report_print_scale, report_size, trim_estimate
from vision.seeing.mirror_check import mirror_refusal, read_unless_mirrored
from vision.seeing.propose import hypotheses_from_quads, rectangles_on
from vision.seeing.residual import report_unexplained
from vision.seeing.scene import TableImage
from vision.seeing.stages import Stages
from vision.seeing.threads import one_thread
from vision.seeing.values import (
    WELL_READ_SCORE,
    FaceMatch,
    Hypotheses,
    Identities,
    PoseEstimate,
    select_hypotheses,
)
from vision.values.arrays import FloatArray, ImageBGR, IntArray
from vision.values.layout import Layout, poses_of

__all__ = [
    "estimate_layout",
    "find_cards",
    "find_hypotheses",
    "find_mirrored_table",
    "read_layout",
    "restore_unnamed",
]

#: Error of a hypothesis's place, of the card's width, and of its turn, rad (1 sd): outlines have
#: 0.003 to 0.012, corners are allowed 3 mm.
_OUTLINE_SD = 0.03
_LEVELS = 8  # of a picture that one card may fill: its print is compared at some 20 pixels


def read_layout(
    photo: Photo, detector: AnyDetector, *, progress: Callable[[str], None] | None = None
) -> Layout:
    """Return the layout of a photo: its cards, or its board, with everything on board or sheets.

    Parameters
    ----------
    photo : Photo
        Upright.
    detector : Detector, PieceDetector or TableDetector
        Detector of the deck's cards, of a board game's pieces, or of both.
    progress : callable, optional
        Called with the name of each stage when it starts.

    Raises
    ------
    TableNotFoundError
        If no card can be read for sure, there is no board, or the photo is mirrored.
    """
    with one_thread():
        stages = Stages(progress)
        try:
            reader = _PhotoReader(photo, detector, stages)
            first = None if cards_of(detector) is None else reader.first
            ways = (reader.read, reader.may_show_cards, reader.is_chiral, first)
            layout = read_unless_mirrored(photo.image, *ways)
        except TableNotFoundError as error:
            if photo.is_damaged:
                raise damaged_file_error(photo) from error
            raise
        doubts = (*report_damaged_file(photo), *layout.doubts)
        return replace(layout, doubts=doubts, timings_ms=stages.timings_ms)


def find_mirrored_table(
    photo: Photo, detector: AnyDetector, scores: Sequence[float]
) -> TableNotFoundError | None:
    """Return the error for a mirrored picture that was read elsewhere; None if it is not.

    Parameters
    ----------
    photo : Photo
        The picture.
    detector : Detector, PieceDetector or TableDetector
        Detector of the deck's cards or of the game's pieces.
    scores : sequence of float
        Scores of the pieces that were read; if they are good, nothing is read again.
    """
    with one_thread():
        reader = _PhotoReader(photo, detector, Stages())
        return mirror_refusal(
            photo.image, scores, reader.read, reader.may_show_cards, reader.is_chiral
        )


class _PhotoReader:
    """Reads a photo and its mirror image; both share cached views."""

    def __init__(self, photo: Photo, detector: AnyDetector, stages: Stages) -> None:
        self._photo, self._detector, self._stages = photo, detector, stages
        self._views: dict[int, View] = {}  # by identity; each view keeps its image alive

    def _view(self, image: ImageBGR) -> View:
        return self._views.setdefault(id(image), View(image, _LEVELS))

    def read(self, image: ImageBGR) -> Layout:
        return _read_view(self._view(image), self._photo.focal_px, self._detector, self._stages)

    def may_show_cards(self, image: ImageBGR) -> bool:
        return may_show_cards(self._view(self._photo.image), self._view(image), self._detector)

    def is_chiral(self, piece: str) -> bool:
        return is_chiral(piece, self._detector)

    def first(self, image: ImageBGR) -> FloatArray:
        cards, photo = cards_of(self._detector), self._photo.image
        assert cards is not None
        mirror = None if image is photo else self._view(image)
        return first_scores(self._view(photo), cards, self._stages, mirror)


def _read_view(view: View, focal_px: float | None, detector: AnyDetector, stages: Stages) -> Layout:
    if not isinstance(detector, Detector | TableDetector):
        from vision.seeing.pieces.reading import read_pieces  # of boards alone

        return read_pieces(view, detector, focal_px=focal_px, stages=stages)
    cards = detector.cards if isinstance(detector, TableDetector) else detector
    priors = camera_priors(view.size_wh, focal_px)
    cards = detector_for(view, cards)
    found, table = find_hypotheses(view, cards, priors, stages=stages)
    layout = estimate_layout([view], found, cards, stages=stages)
    with stages("second_look"):
        if isinstance(detector, TableDetector):
            layout = _with_sheets(view, layout, detector)
        return report_unexplained(view, layout, cards.faces, table)


def _with_sheets(view: View, layout: Layout, detector: TableDetector) -> Layout:
    """Add the sheets beside the cards and the tokens on all sheets to a layout."""
    from vision.seeing.pieces.sheet_search import find_sheets, find_tokens_on  # of tables with them

    looks, plane = detector.pieces.looks, solution_of(layout.camera)
    size = detector.cards.faces.size_mm
    placed = [replace(p, kind="sheet") if p.piece in detector.sheets else p for p in layout.placed]
    prints = detector.pieces.prints
    copies = {piece.id: piece.copies for piece in looks.pieces.pieces}
    most, covers = [copies[p.piece] for p in prints], card_outlines(poses_of(placed), size)
    sheets = find_sheets(view, plane, prints, most, covers, by_edges=True)
    sizes = {board.piece: board.size_mm for board in prints}
    card_sized = [p for p in placed if p.kind == "sheet"]
    on = [*sheets, *card_sized]
    own = [sizes.get(one.piece, size) for one in on]
    tokens = find_tokens_on(view, plane, on, own, looks)
    more = (*sheets, *tokens)
    joint = block_diagonal(layout.joint_covariance, *(one.covariance for one in more))
    return replace(layout, placed=(*placed, *more), joint_covariance=joint)


def find_cards(
    view: View,
    detector: Detector,
    plane: Plane | None = None,
    *,
    priors: Priors | None = None,
    stages: Stages | None = None,
) -> Hypotheses:
    """Return pose hypotheses for a whole photo, or for a crop on a known plane.

    Parameters
    ----------
    view : View
        A photo, or a crop, whose own pixels a known plane refers to.
    detector : Detector
        Detector of the deck's cards.
    plane : Plane, optional
        Camera and plane; estimated from the best matches if left out.
    priors : Priors, optional
        Camera priors for the search of the plane.
    stages : Stages, optional
        Timer of the stages.

    Raises
    ------
    TableNotFoundError
        If no plane is given and no card can be read.
    """
    stages = stages or Stages()
    if plane is None:
        priors = priors or camera_priors(view.size_wh, None)
        plane, matched = find_plane(view, detector, priors, stages)
        quads_px = matched.quads_px
    else:
        quads_px = detector.finder.roi_quads(view, plane.solution)
    rectangles, score = rectangles_on(detector.faces), detector.comparer.best_scores
    with stages("rectify"):
        return hypotheses_from_quads(view, plane, quads_px, rectangles, score)


def find_hypotheses(
    view: View, detector: Detector, priors: Priors, *, stages: Stages | None = None
) -> tuple[Hypotheses, TableImage | None]:
    """Return the hypotheses that explain a whole photo, half-covered cards among them.

    Also returns the photo from above; None if no card is read.

    Parameters
    ----------
    view : View
        The photo.
    detector : Detector
        Detector of the deck's cards.
    priors : Priors
        Camera priors.
    stages : Stages, optional
        Timer of the stages.

    Raises
    ------
    TableNotFoundError
        If no card can be read.
    """
    stages = stages or Stages()
    found = find_cards(view, detector, priors=priors, stages=stages)
    found, located = _refit_plane(view, found, detector, stages)
    with stages("second_look"):
        found, table = verify_hypotheses(view, found, detector.faces)
    if located is not None and np.array_equal(found.poses, located.solution.poses):
        found = replace(found, located=located)
    return found, table


def _refit_plane(
    view: View, found: Hypotheses, detector: Detector, stages: Stages
) -> tuple[Hypotheses, PoseEstimate | None]:
    """Estimate camera and plane of hypotheses again, from edges or print of those that are read.

    Also returns the poses of these, as they were measured.

    Outlines tell a tilt to some degrees, and far away no card fits on a plane tilted so: even the
    print of one card tells it better. What is not read well may be no card, and tells nothing.
    """
    is_read, plane = np.asarray(found.scores > WELL_READ_SCORE, np.bool_), found.plane
    if plane is None or not is_read.any():
        return found, None
    start = with_poses(plane.solution, found.poses[is_read])
    try:
        located = _measure_poses(view, start, plane.priors, detector, stages)
    except DegenerateGeometryError:  # a card would come to lie behind the camera
        return found, None
    solution = replace(with_poses(located.solution, located.solution.poses), cut=None)
    size_mm = detector.faces.size_mm
    poses, misfit_mm = transfer_poses(found.poses, plane.solution, solution, size_mm)
    poses[is_read] = solution.poses
    moved = replace(found, poses=poses, plane=replace(plane, solution=solution))
    within = select_hypotheses(moved, is_read | np.isfinite(misfit_mm))  # others: beyond a horizon
    return within, located


def _measure_poses(
    view: View, start: Solution, priors: Priors, detector: Detector, stages: Stages
) -> PoseEstimate:
    """Estimate camera, plane and the poses of cards jointly; what others cover is left out.

    Which lies on which is asked again where they have moved to; if that has changed, they are
    measured once more by it.
    """
    with stages("classify"):
        covers = find_covers(view, start, detector.faces)
    with stages("pose"):
        located = detector.pose_estimator.locate(view, start, priors, covers)
    with stages("classify"):
        again = find_covers(view, located.solution, detector.faces)
    if (again.covered_by == covers.covered_by).all():
        return located
    with stages("pose"):
        return detector.pose_estimator.locate(view, located.solution, priors, again)


def estimate_layout(
    views: Sequence[View], found: Hypotheses, detector: Detector, *, stages: Stages | None = None
) -> Layout:
    """Return the refined layout of hypotheses, from one photo or several of one still table.

    Parameters
    ----------
    views : sequence of View
        At least one, all of the same camera and table.
    found : Hypotheses
        Pose hypotheses on their plane.
    detector : Detector
        Detector of the deck's cards.
    stages : Stages, optional
        Timer of the stages.

    Raises
    ------
    TableNotFoundError
        If no card can be read for sure.
    """
    stages, view = stages or Stages(), fuse_views(views)
    if found.plane is None or not len(found.poses):
        raise no_cards_error(found.n_outlines, view)
    priors, poses, bank = found.plane.priors, detector.pose_estimator, detector.faces
    size_mm = bank.size_mm
    located = found.located
    if located is None:
        start = with_poses(found.plane.solution, found.poses)
        located = _measure_poses(view, start, priors, detector, stages)
    with stages("classify"):
        matches, named = _match_and_name(view, found, located, detector)
    with stages("pose"):
        faces, turned = np.array(named.face), half_turned(matches, named.face)
        several = [located]
        if len(views) > 1:
            at, covers = located.solution, located.covers
            several = [poses.locate(one, at, priors, covers) for one in views]
        each = zip(views, several, strict=True)
        refined = median_pose_estimate([poses.refine(*one, faces, turned, priors) for one in each])
        refined = restore_unnamed(refined, faces, found, size_mm)
        layout, places = report_cards(refined, matches, named, bank, view.size_wh)
        placed = with_poses(refined.solution, refined.solution.poses[list(places)])
        tilt = float(np.arccos(np.clip(placed.rotation[2, 2], -1, 1)))
        shown = list(zip(layout.placed, [matches[i] for i in places], strict=True))
        doubts = (
            *layout.doubts,
            *report_print_scale(located.solution, bank),
            *report_size(refined, size_mm),
            *report_photo_quality(shown, detector.comparer.frame_share, view.gray(), tilt),
            *report_colourless(view),
        )
    took, cut = stages.timings_ms, trim_estimate(refined)
    return replace(layout, doubts=doubts, timings_ms=took, cut=cut)


def restore_unnamed(
    located: PoseEstimate, faces: IntArray, found: Hypotheses, size_mm: tuple[float, float]
) -> PoseEstimate:
    """Move unnamed cards back to the poses of their hypotheses, if poses come from the print.

    The print of the face that such a card resembles most has moved it, but it shows another. A card
    that was measured before the others were looked for stays where its print led it then, with the
    error of an outline. Cards that a watch knows stay where these photos show them.

    Parameters
    ----------
    located : PoseEstimate
        N cards, solved.
    faces : (N,) int
        The face of each, -1 for none.
    found : Hypotheses
        The N hypotheses, on their plane.
    size_mm : (float, float)
        Width and height of a card.
    """
    unnamed = np.flatnonzero(faces < 0)
    unnamed = unnamed[unnamed >= len(found.before)]
    if found.plane is None or located.visible is None or not len(unnamed):
        return located
    planes = found.plane.solution, located.solution
    outlined, _ = transfer_poses(found.poses[unnamed], *planes, size_mm)
    poses = located.solution.poses.copy()
    # an outline leaves the half turn open
    outlined[:, 2] += np.pi * np.round((poses[unnamed, 2] - outlined[:, 2]) / np.pi)
    poses[unnamed] = outlined
    rows = (3 * unnamed[:, None] + np.arange(3)).ravel()
    covariance = located.pose_covariance.copy()
    covariance[rows] = covariance[:, rows] = 0.0
    place = (_OUTLINE_SD * min(size_mm)) ** 2
    covariance[rows, rows] = np.tile([place, place, _OUTLINE_SD**2], len(unnamed))
    solution = with_poses(located.solution, poses)
    return replace(located, solution=solution, pose_covariance=covariance)


def _match_and_name(
    view: View, found: Hypotheses, located: PoseEstimate, detector: Detector
) -> tuple[list[FaceMatch], Identities]:
    """Match all faces at the card poses and name the cards jointly.

    Raises
    ------
    TableNotFoundError
        If none is named for sure.
    """
    comparer = detector.comparer
    matches = comparer.match(view, located.solution, located.covers)
    if located.visible is not None:
        shares = located.visible.tolist()
        matches = [replace(m, visible=v) for m, v in zip(matches, shares, strict=True)]
    matches = merge_matches(matches, found.before)
    named = comparer.name(matches)
    if all(face < 0 for face in named.face):
        raise no_cards_error(found.n_outlines, view)
    return matches, named
