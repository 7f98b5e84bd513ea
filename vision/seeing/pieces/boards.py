"""Detects printed boards without markers, and the table plane with them.

Features of the art are matched with those of the photo; matches that agree on one homography give a
first pose. From there the print is registered block by block, and camera, plane and all boards are
adjusted jointly. The art's own strokes must be visible in enough blocks of a detected board:
texture does not pass.

References
----------
.. [1] Barath et al., MAGSAC++, a fast, reliable and accurate robust estimator, 2020.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.errors import DegenerateGeometryError, TableNotFoundError
from vision.geometry import card_corners, map_points, polygon_area, table_from_photo
from vision.imaging.view import View, from_level
from vision.seeing.estimation.adjustment import Priors, solve
from vision.seeing.estimation.jacobian import jacobian
from vision.seeing.estimation.model import Solution, camera_of, project
from vision.seeing.estimation.plane import solve_plane
from vision.seeing.pieces.board_prints import (
    BlockAgreement,
    BoardPrint,
    FeatureMatches,
    Keypoints,
    keypoints_at,
    match_features,
)
from vision.seeing.pieces.board_registration import (
    CalibratedView,
    agreement_at,
    in_board_frame,
    observe_points,
    register_prints,
    unknowns_covariance,
)
from vision.seeing.threads import one_thread
from vision.values.arrays import FloatArray, Matrix3, Points

__all__ = [
    "BoardGuess",
    "BoardSettings",
    "FoundBoard",
    "adjust_boards",
    "find_board",
    "find_boards",
    "is_board",
    "plane_from_homography",
    "relocate_board",
]


@dataclass(frozen=True)
class BoardSettings:
    """Settings of the detection."""

    # longer sides of the searched levels; the finer is slow
    sides_px: tuple[int, ...] = (1300, 2600)
    features: int = 5000  # of the photo: a patterned cloth has as many of its own
    # ratio tests of the two best matches; the second for repeated features in a grid
    ratios: tuple[float, ...] = (0.8, 0.92)
    apart: float = 0.02  # matches nearer than this are one place, of the board's side
    inlier_px: float = 3.0  # in that level: paper waves, and the lens bends, by as much
    inliers: int = 9  # fewer agree by chance on a patterned cloth
    far_mm: float = 4.0  # largest block shift from a pose by few features
    near_mm: float = 1.5  # the same from a verified pose
    # least agreeing share of visible blocks; half hidden still has twice that
    least_share: float = 0.22
    least_blocks: int = 10  # least agreeing blocks: fewer may agree by chance
    least_coherence: float = 0.6  # of the agreeing blocks; 0.8 under sixteen tokens, 0.3 by chance
    first_sd_px: float = 1.5  # position error of a feature (1 sd), px of the photo's level
    # paper is never quite flat (1 sd): added to the covariance of every corner
    shape_mm: float = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class FoundBoard:
    """A detected printed board.

    ``solution`` is the camera in the frame of the first detected board, ``pose`` (3,) this one's
    pose in it (x mm, y mm, theta rad), with its ``covariance`` (3, 3). ``corners_px`` (4, 2) are
    TL, TR, BR, BL in the photo and ``corners_covariance`` (8, 8) theirs, px, of x and y in turn.
    ``score`` is the share of the blocks in the photo that agree with the art, ``agreement`` the
    blocks themselves. ``unknowns`` (14, 14) is the covariance of camera and pose: see
    :meth:`spread_mm`.
    """

    print: BoardPrint
    solution: Solution
    index: int  #: of its pose in the solution
    pose: FloatArray
    covariance: FloatArray
    corners_px: Points
    corners_covariance: FloatArray
    score: float
    agreement: BlockAgreement
    unknowns: FloatArray

    def spread_mm(self, point_mm: Points) -> FloatArray:
        """Return the covariance (2, 2), mm², of a point on the board."""
        point = np.asarray(point_mm, float).reshape(1, 2)
        by_all, slopes = _point_derivatives(self.solution, self.index, point)
        back = np.linalg.inv(slopes[0])
        of_point = back @ by_all[0] @ self.unknowns @ by_all[0].T @ back.T
        return np.asarray((of_point + of_point.T) / 2, np.float64)


def find_board(
    view: View,
    board: BoardPrint,
    priors: Priors,
    settings: BoardSettings | None = None,
    *,
    focal_known: bool = False,
) -> FoundBoard | None:
    """Detect one board; see :func:`find_boards`."""
    found = find_boards(view, [board], priors, settings, focal_known=focal_known)
    return found[0] if found else None


def find_boards(
    view: View,
    prints: Sequence[BoardPrint],
    priors: Priors,
    settings: BoardSettings | None = None,
    *,
    focal_known: bool = False,
    before: Sequence[FoundBoard] = (),
) -> tuple[FoundBoard, ...]:
    """Detect printed boards, at most two of each, and the plane on which all of them lie.

    Parameters
    ----------
    view : View
        The photo.
    prints : sequence of BoardPrint
        The boards to detect.
    priors : Priors
        Priors of the camera.
    focal_known : bool
        Whether the focal length comes from the header; else several are tried.
    before : sequence of FoundBoard
        Boards of an earlier image of the same camera: one that still agrees at its old pose is
        refined from there without a search.

    Returns
    -------
    tuple of FoundBoard
        Best agreement first: that board defines the frame, origin at its centre. A second board of
        one print is returned only to be reported.
    """
    s = settings or BoardSettings()
    shot = CalibratedView(view, priors, focal_known)
    with one_thread():
        still = [relocate_board(shot, board, s) for board in before]
        first = [found for found in still if found is not None]
        for level in sorted({view.level_within(side) for side in s.sides_px}, reverse=True):
            missing = [board for board in prints if board not in [f.print for f in first]]
            if missing:
                first += _search(shot, missing, level, s)
        if not first:
            return ()
        first.sort(key=lambda found: -found.share)
        boards = adjust_boards(shot, first, s)
        # a second board of a print may be on another plane, as in two photos put side by side
        told = [board.print for board in boards]
        alone = [
            again
            for k, found in enumerate(first)
            if any(found.print is other.print for other in first[:k])
            and told.count(found.print) == 1
            for again in adjust_boards(shot, [found], s)
        ]
        return (*boards, *alone)


def _search(
    shot: CalibratedView, boards: Sequence[BoardPrint], level: int, s: BoardSettings
) -> list["BoardGuess"]:
    """Detect boards by the features of one level, and a second copy of each."""
    seen = keypoints_at(shot.view, level, s.features)
    seen = Keypoints(from_level(seen.points, level), seen.descriptors)
    found: list[BoardGuess] = []
    for board in boards:
        pairs = match_features(board, seen, s.apart)
        for _ in range(2):
            first = _guess_board(shot, board, pairs, 2.0**level, s)
            if first is None or any(_overlap(first, other) for other in found[-1:]):
                break
            found.append(first)
            pairs = pairs.outside(_outline(first))
    return found


def _overlap(first: "BoardGuess", other: "BoardGuess") -> bool:
    """Return whether a second copy of a board overlaps the first, and so is false."""
    if first.print is not other.print:
        return False
    x, y = _outline(first).mean(axis=0)
    outline = _outline(other).astype(np.float32)
    return cv2.pointPolygonTest(outline, (float(x), float(y)), False) >= 0


def _outline(first: "BoardGuess") -> Points:
    """Return the corners (4, 2) of a first pose in the photo."""
    corners = card_corners(*first.print.size_mm)
    return project(first.solution, np.zeros(4, np.int64), corners)


def relocate_board(
    shot: CalibratedView, board: FoundBoard, s: BoardSettings
) -> "BoardGuess | None":
    """Return the pose of a board that still agrees with its old one; None if it does not."""
    there = in_board_frame(board.solution, board.index)
    there = replace(there, poses=there.poses[board.index : board.index + 1])
    agreed = agreement_at(shot.view, board.print, there, 0)
    return BoardGuess(board.print, there, agreed.share) if is_board(agreed, s) else None


@dataclass(frozen=True, slots=True, eq=False)
class BoardGuess:
    """A first pose of a board: camera and plane, in the board's own frame."""

    print: BoardPrint
    solution: Solution
    share: float


def _guess_board(
    shot: CalibratedView,
    board: BoardPrint,
    pairs: FeatureMatches,
    scale: float,
    s: BoardSettings,
) -> BoardGuess | None:
    """Estimate a board's pose from its features, register it and verify it."""
    for ratio in s.ratios:
        some = pairs.below(ratio)
        art, photo = some.art, some.seen
        if len(art) < s.inliers:
            continue
        h, mask = cv2.findHomography(
            art, photo, cv2.USAC_MAGSAC, s.inlier_px * scale, maxIters=5000, confidence=0.999
        )
        if h is None or mask is None or int(mask.sum()) < s.inliers:
            continue
        inlier = mask.ravel().astype(bool)
        start = plane_from_homography(np.asarray(h, np.float64), board, shot)
        if start is None:
            continue
        sigma = s.first_sd_px * scale
        measured = observe_points(art[inlier], photo[inlier], sigma)
        try:
            start = solve(start, measured, shot.priors).solution
            agreed = agreement_at(shot.view, board, start, 0)
            if not is_board(agreed, s):
                start = register_prints(shot, [board], start, s.far_mm)[0].solution
                agreed = agreement_at(shot.view, board, start, 0)
        except DegenerateGeometryError:
            continue
        if is_board(agreed, s):
            return BoardGuess(board, start, agreed.share)
    return None


def is_board(agreed: BlockAgreement, s: BoardSettings) -> bool:
    """Return whether enough of the print is visible, in coherent areas."""
    return (
        agreed.share >= s.least_share
        and int(agreed.agrees.sum()) >= s.least_blocks
        and agreed.coherence >= s.least_coherence
    )


def plane_from_homography(
    photo_from_art: Matrix3, board: BoardPrint, shot: CalibratedView
) -> Solution | None:
    """Return camera and plane of a homography from the art; None if there are none."""
    corners = card_corners(*board.size_mm)
    w = corners @ photo_from_art[2, :2] + photo_from_art[2, 2]
    if (w * np.sign(w[0]) <= 1e-9).any():
        return None
    try:
        at = map_points(photo_from_art, corners)
        if polygon_area(at) <= 0:  # a mirror image
            return None
        plane = solve_plane(at[None], board.size_mm, shot.priors, focal_known=shot.focal_known)
    except (TableNotFoundError, DegenerateGeometryError, np.linalg.LinAlgError):
        return None
    return in_board_frame(plane.solution, 0)


def adjust_boards(
    shot: CalibratedView, first: Sequence[BoardGuess], s: BoardSettings
) -> tuple[FoundBoard, ...]:
    """Adjust all boards jointly and return them with covariances."""
    boards = [found.print for found in first]
    start = first[0].solution
    poses = [start.poses[0], *(_pose_on(start, found) for found in first[1:])]
    solved, seen = register_prints(shot, boards, replace(start, poses=np.array(poses)), s.near_mm)
    solution = in_board_frame(solved.solution, 0)
    unknowns = unknowns_covariance(
        solution, seen, solved.weights, shot.priors, solved.variance_factor
    )
    return tuple(
        _report(solution, index, board, agreed, unknowns, s)
        for index, board in enumerate(boards)
        if is_board(agreed := agreement_at(shot.view, board, solution, index), s)
    )


def _pose_on(plane: Solution, found: BoardGuess) -> FloatArray:
    """Return the pose (3,) of a board, detected separately, on the plane of another."""
    corners = card_corners(*found.print.size_mm)
    at = project(found.solution, np.zeros(4, np.int64), corners)
    x, y = table_from_photo(camera_of(plane), at).T
    across = np.array([x[1] + x[2] - x[0] - x[3], y[1] + y[2] - y[0] - y[3]])
    return np.array([x.mean(), y.mean(), np.arctan2(across[1], across[0])])


def _point_derivatives(
    solution: Solution, index: int, points: Points
) -> tuple[FloatArray, FloatArray]:
    """Return d px / d unknowns (N, 2, 14) and d px / d mm (N, 2, 2) at points of a board."""
    n = len(points)
    at = project(solution, np.full(n, index), points)
    by_camera, by_card = jacobian(solution, observe_points(points, at, 1.0, index))
    by_all = np.concatenate([by_camera, by_card[:, :3]], axis=1).reshape(n, 2, -1)
    beside = [
        project(solution, np.full(n, index), points + step)
        - project(solution, np.full(n, index), points - step)
        for step in np.eye(2) / 2
    ]
    return by_all, np.stack(beside, axis=2)


def _report(
    solution: Solution,
    index: int,
    board: BoardPrint,
    agreed: BlockAgreement,
    unknowns: FloatArray,
    s: BoardSettings,
) -> FoundBoard:
    """Return a board with its pose, corners and covariances."""
    corners = card_corners(*board.size_mm)
    own = [*range(11), *range(11 + 3 * index, 14 + 3 * index)]
    unknowns = unknowns[np.ix_(own, own)]
    by_all, slopes = _point_derivatives(solution, index, corners)
    by_all = by_all.reshape(8, -1)
    spread = by_all @ unknowns @ by_all.T
    for k, slope in enumerate(slopes):
        place = slice(2 * k, 2 * k + 2)
        spread[place, place] += s.shape_mm**2 * slope @ slope.T
    return FoundBoard(
        board,
        solution,
        index,
        solution.poses[index],
        unknowns[11:, 11:],
        project(solution, np.full(4, index), corners),
        spread,
        agreed.share,
        agreed,
        unknowns,
    )
