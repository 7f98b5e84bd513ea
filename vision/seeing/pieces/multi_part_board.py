"""Detects a board of several sheets: each by its own print, in one common frame.

Sheets gape, and none is exactly aligned with the next. The features of all of them give the plane;
on it each sheet's own features give its pose, or its neighbours do if a hand covers it. All prints
are then registered jointly. The board's frame is the best fit to all of its sheets; a sheet far
from its nominal place is reported and left out of the fit.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import (
    card_corners,
    card_from_table,
    rotation,
    table_from_card,
    table_from_photo,
    wrap_angle,
)
from vision.imaging.view import from_level, to_gray
from vision.seeing.estimation.model import Solution, camera_of, project, with_poses
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
    register_prints,
)
from vision.seeing.pieces.boards import (
    BoardGuess,
    BoardSettings,
    FoundBoard,
    adjust_boards,
    is_board,
    plane_from_homography,
    relocate_board,
)
from vision.seeing.pieces.rigid_consensus import fit_rigid, rigid_consensus
from vision.values.arrays import FloatArray, ImageBGR, Points
from vision.values.pieces import Piece

__all__ = ["MultiPartBoard", "MultiPartPrint", "find_multi_part_board", "split_print"]


# Detection of a board of several sheets.
#: Sheets gape, paper waves, the lens bends by so much. Most boards are found in the first level.
_SETTINGS = BoardSettings(sides_px=(650, *BoardSettings.sides_px), inlier_px=4.0)
_MOST_MATCHES = 100  # best matches of a sheet: their pairs grow with the square
_ENOUGH = 0.5  # share of sheets that makes a finer search unnecessary: it takes as long again
_NEAR_MM = 2.5  # the same for one posed by its neighbours
_HOME_MM = 8.0  # largest distance of a sheet from its nominal place
_HOME_RAD = 0.06  # largest rotation: three degrees


#: Least visible print of a sheet that is posed by its neighbours.
_PART_SETTINGS = BoardSettings(least_share=0.1, least_blocks=6, least_coherence=0.4)


@dataclass(frozen=True, slots=True, eq=False)
class MultiPartPrint:
    """A board prepared for detection: the ``whole`` print, its sheets, and their nominal places.

    ``centres_mm`` (N, 2) are the sheets' centres in the board's frame; ``art`` is the whole's.
    """

    whole: BoardPrint
    parts: tuple[BoardPrint, ...]
    centres_mm: Points
    art: ImageBGR


@dataclass(frozen=True, slots=True, eq=False)
class MultiPartBoard(FoundBoard):
    """A board detected in several sheets, a :class:`FoundBoard` in the best common frame.

    ``sheets`` are the visible sheets by their index in the print; ``poses`` (N, 3) are all sheets'
    poses in the board's frame, nominal for invisible ones; ``wrong`` are misplaced sheets.
    ``drawn_art`` is the art as the sheets lie, over the board's own box.
    """

    multi_part: MultiPartPrint
    sheets: dict[int, FoundBoard]
    poses: FloatArray
    wrong: tuple[int, ...]
    drawn_art: ImageBGR

    def part_at(self, points_mm: Points) -> FloatArray:
        """Return the sheet (N,) under points (N, 2) of the board's frame, or the nearest."""
        beyond = []
        for part, pose in zip(self.multi_part.parts, self.poses, strict=True):
            off = np.abs(card_from_table(points_mm, *pose)) - np.divide(part.size_mm, 2)
            beyond.append(np.maximum(off, 0).max(axis=1) + 1e-3 * off.max(axis=1))
        return np.asarray(np.argmin(beyond, axis=0))

    def on_print(self, pose: FloatArray) -> FloatArray:
        """Map a pose (3,) from the board's frame to the print, as if its sheets had no gaps."""
        at = np.asarray(pose, float)
        k = int(self.part_at(at[None, :2])[0])
        x, y, theta = self.poses[k]
        moved = card_from_table(at[None, :2], x, y, theta)[0] + self.multi_part.centres_mm[k]
        return np.array([*moved, wrap_angle(float(at[2] - theta))])

    def spread_mm(self, point_mm: Points) -> FloatArray:
        """Return the covariance of a point on its sheet: (2, 2) mm²."""
        point = np.asarray(point_mm, float).reshape(1, 2)
        k = int(self.part_at(point)[0])
        k = k if k in self.sheets else next(iter(self.sheets))  # else of a neighbour
        return self.sheets[k].spread_mm(card_from_table(point, *self.poses[k]))


def split_print(board: Piece, art: ImageBGR) -> MultiPartPrint:
    """Split the print of a board into its columns and rows of sheets."""
    columns, rows = board.parts
    height, width = art.shape[:2]
    size = np.divide(board.size_mm, board.parts)
    found: list[BoardPrint] = []
    centres: list[Points] = []
    for row in range(rows):
        for column in range(columns):
            x, y = (round(k * width / columns) for k in (column, column + 1))
            u, v = (round(k * height / rows) for k in (row, row + 1))
            name = f"{board.id}-{len(found) + 1}"
            own = (float(size[0]), float(size[1]))
            found.append(BoardPrint.from_art(name, art[u:v, x:y], own, coarser=max(columns, rows)))
            centres.append((np.array([column, row]) + 0.5) * size - np.divide(board.size_mm, 2))
    points = [p.features.points + c for p, c in zip(found, centres, strict=True)]
    features = Keypoints(
        np.concatenate(points), np.concatenate([p.features.descriptors for p in found])
    )
    whole = BoardPrint.from_art(board.id, art, board.size_mm, features=features)
    return MultiPartPrint(whole, tuple(found), np.array(centres), art)


def find_multi_part_board(
    shot: CalibratedView, print_: MultiPartPrint, *, before: Sequence[FoundBoard] = ()
) -> MultiPartBoard | None:
    """Detect a board of several sheets; None if no sheet is visible.

    Parameters
    ----------
    shot : CalibratedView
        The photo with priors of the camera.
    print_ : MultiPartPrint
        The board to detect.
    before : sequence of FoundBoard
        Boards of an earlier image of the same camera: one whose sheets all agree at their old poses
        is refined from there without a search.
    """
    for board in before:
        if isinstance(board, MultiPartBoard) and board.multi_part is print_:
            still = _relocate(shot, board)
            if still is not None:
                return still
    levels = {shot.view.level_within(side) for side in _SETTINGS.sides_px}
    best: MultiPartBoard | None = None
    for level in sorted(levels, reverse=True):
        seen = keypoints_at(shot.view, level, _SETTINGS.features)
        seen = Keypoints(from_level(seen.points, level), seen.descriptors)
        pairs = match_features(print_.whole, seen, _SETTINGS.apart)
        for ratio in _SETTINGS.ratios:
            found = _find(shot, print_, pairs, ratio, 2.0**level)
            if found is not None and (best is None or len(found.sheets) > len(best.sheets)):
                best = found
            if best is not None and len(best.sheets) > _ENOUGH * len(print_.parts):
                return best
    return best


def _relocate(shot: CalibratedView, board: MultiPartBoard) -> MultiPartBoard | None:
    """Return a board refined from its old pose; None if one of its sheets was moved."""
    firsts = {k: relocate_board(shot, one, BoardSettings()) for k, one in board.sheets.items()}
    there = {k: first for k, first in firsts.items() if first is not None}
    if len(there) < len(firsts):
        return None
    none = FeatureMatches(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))
    return _adjust_parts(shot, board.multi_part, there, none)


def _find(
    shot: CalibratedView,
    print_: MultiPartPrint,
    pairs: FeatureMatches,
    ratio: float,
    scale: float,
) -> MultiPartBoard | None:
    """Estimate the plane from the best matches, then the pose of every sheet on it from all."""
    some = pairs.below(ratio)
    if len(some.art) < _SETTINGS.inliers:
        return None
    h, mask = cv2.findHomography(
        some.art,
        some.seen,
        cv2.USAC_MAGSAC,
        _SETTINGS.inlier_px * scale,
        maxIters=5000,
        confidence=0.999,
    )
    if h is None or mask is None or int(mask.sum()) < _SETTINGS.inliers:
        return None
    plane = plane_from_homography(np.asarray(h, np.float64), print_.whole, shot)
    if plane is None:
        return None
    found: dict[int, BoardGuess] = {}
    some = pairs.below(_SETTINGS.ratios[-1])
    for k, pose in _poses_on(plane, print_, some).items():
        one = _place(shot, print_.parts[k], plane, pose, _SETTINGS.far_mm, _SETTINGS)
        if one is not None:
            found[k] = one
    return _adjust_parts(shot, print_, found, some) if found else None


def _place(
    shot: CalibratedView,
    part: BoardPrint,
    plane: Solution,
    pose: FloatArray,
    reach_mm: float,
    least: BoardSettings,
) -> BoardGuess | None:
    """Register one sheet from a pose on a plane; None if it is not visible there."""
    start = in_board_frame(with_poses(plane, pose[None]), 0)
    try:
        drawn_art = register_prints(shot, [part], start, reach_mm)[0].solution
        agreed = agreement_at(shot.view, part, drawn_art, 0)
    except (DegenerateGeometryError, np.linalg.LinAlgError):
        return None
    return BoardGuess(part, drawn_art, agreed.share) if is_board(agreed, least) else None


def _poses_on(
    plane: Solution, print_: MultiPartPrint, some: FeatureMatches
) -> dict[int, FloatArray]:
    """Return a candidate pose of each sheet on the plane: by its own features, else nominal."""
    table = table_from_photo(camera_of(plane), some.seen)
    near = np.abs(table).max(axis=1) < 4 * max(print_.whole.size_mm)
    poses: dict[int, FloatArray] = {}
    for k, (part, centre) in enumerate(zip(print_.parts, print_.centres_mm, strict=True)):
        art = some.art - centre
        own = np.flatnonzero(near & (np.abs(art) <= np.divide(part.size_mm, 2)).all(axis=1))
        own = own[np.argsort(some.ratio[own], kind="stable")][:_MOST_MATCHES]
        place = rigid_consensus(art[own], table[own])
        poses[k] = np.array([*centre, 0.0]) if place is None else place[0]
    return poses


def _adjust_parts(
    shot: CalibratedView, print_: MultiPartPrint, found: dict[int, BoardGuess], some: FeatureMatches
) -> MultiPartBoard | None:
    """Adjust all sheets jointly; those still missing are searched once more.

    Then the plane is known better, and the neighbours give their nominal places.
    """
    firsts = dict(found)
    for again in (True, False):
        order = sorted(firsts, key=lambda k: -firsts[k].share)
        boards = adjust_boards(shot, [firsts[k] for k in order], _PART_SETTINGS)
        sheets = {print_.parts.index(board.print): board for board in boards}
        if not sheets:
            return None
        solution = next(iter(sheets.values())).solution
        frame, wrong = _frame_of({k: board.pose for k, board in sheets.items()}, print_)
        missing = [k for k in range(len(print_.parts)) if k not in sheets]
        if not again or not missing:
            break
        voted = _poses_on(solution, print_, some)
        for k in missing:
            part, belongs = print_.parts[k], _home_pose(frame, print_.centres_mm[k])
            one = _place(shot, part, solution, voted[k], _SETTINGS.far_mm, _SETTINGS)
            one = one or _place(shot, part, solution, belongs, _NEAR_MM, _PART_SETTINGS)
            if one is not None:
                firsts[k] = one
        if len(firsts) == len(sheets):
            break
    return _assemble(print_, sheets, frame, wrong)


def _home_pose(frame: FloatArray, centre: Points) -> FloatArray:
    """Return the nominal pose (3,) of a sheet in a frame."""
    return np.array([*table_from_card(centre[None], *frame)[0], frame[2]])


def _frame_of(
    poses: Mapping[int, FloatArray], print_: MultiPartPrint
) -> tuple[FloatArray, tuple[int, ...]]:
    """Return the board's frame (3,) on which most sheets agree, and the sheets that do not."""

    def fit(some: Sequence[int]) -> FloatArray:
        one, other = [], []
        for k in some:
            corners = card_corners(*print_.parts[k].size_mm)
            one.append(corners + print_.centres_mm[k])
            other.append(table_from_card(corners, *poses[k]))
        turn, shift = fit_rigid(np.concatenate(one), np.concatenate(other))
        return np.array([*shift, np.arctan2(turn[1, 0], turn[0, 0])])

    best: list[int] = []
    for k in poses:
        frame = fit([k])
        fits = [j for j in poses if _is_home(poses[j], frame, print_.centres_mm[j])]
        if len(fits) > len(best):
            best = fits
    return fit(best), tuple(k for k in poses if k not in best)


def _is_home(pose: FloatArray, frame: FloatArray, centre: Points) -> bool:
    """Return whether a sheet is at its nominal place."""
    there = _home_pose(frame, centre)
    off = float(np.hypot(*(pose - there)[:2]))
    return off < _HOME_MM and abs(wrap_angle(float(pose[2] - there[2]))) < _HOME_RAD


def _assemble(
    print_: MultiPartPrint,
    sheets: Mapping[int, FoundBoard],
    frame: FloatArray,
    wrong: tuple[int, ...],
) -> MultiPartBoard:
    """Combine sheets in the board's frame."""
    first = next(iter(sheets.values()))
    turn = rotation(-float(frame[2]))
    poses = np.empty((len(print_.parts), 3))
    for k, centre in enumerate(print_.centres_mm):
        poses[k] = [*centre, 0.0]
        if k in sheets and k not in wrong:
            x, y, theta = sheets[k].pose
            poses[k] = [*(turn @ (np.array([x, y]) - frame[:2])), wrap_angle(theta - frame[2])]
    solution = in_board_frame(with_poses(first.solution, frame[None]), 0)
    agreed = _agreement(print_, {k: b for k, b in sheets.items() if k not in wrong})
    drawn_art = _draw_art(print_, poses)
    small = cv2.resize(drawn_art, print_.whole.small.shape[::-1], interpolation=cv2.INTER_AREA)
    corners = card_corners(*print_.whole.size_mm)
    return MultiPartBoard(
        replace(print_.whole, small=to_gray(np.asarray(small, np.uint8))),
        solution,
        0,
        np.zeros(3),
        first.covariance,
        project(solution, np.zeros(4, np.int64), corners),
        first.corners_covariance,
        agreed.share,
        agreed,
        first.unknowns,
        print_,
        dict(sheets),
        poses,
        wrong,
        drawn_art,
    )


def _agreement(print_: MultiPartPrint, sheets: Mapping[int, FoundBoard]) -> BlockAgreement:
    """Return the blocks of all sheets side by side; those of invisible sheets disagree."""
    rows = int(np.unique(print_.centres_mm[:, 1]).size)
    parts = []
    for k, part in enumerate(print_.parts):
        none = np.zeros(part.blocks)
        hidden = BlockAgreement(none, none == 0, none > 0)
        parts.append(sheets[k].agreement if k in sheets else hidden)
    columns = len(parts) // rows

    def together(name: str) -> Any:
        of = [getattr(part, name) for part in parts]
        return np.block([of[row * columns : (row + 1) * columns] for row in range(rows)])

    return BlockAgreement(together("correlation"), together("looked"), together("agrees"))


def _draw_art(print_: MultiPartPrint, poses: FloatArray) -> ImageBGR:
    """Render the art of all sheets as they lie, over the board's own box."""
    height, width = print_.art.shape[:2]
    scale = width / print_.whole.size_mm[0]
    middle = (np.array([width, height]) - 1) / 2
    out = np.zeros_like(print_.art)
    for (x, y, theta), centre, part in zip(poses, print_.centres_mm, print_.parts, strict=True):
        turn = rotation(float(theta))
        shift = scale * np.array([x, y]) + middle - turn @ (scale * centre + middle)
        warp = np.column_stack([turn, shift])
        corners = table_from_card(card_corners(*part.size_mm), x, y, theta) * scale + middle
        low = np.clip(np.floor(corners.min(axis=0)), 0, [width, height]).astype(int)
        high = np.clip(np.ceil(corners.max(axis=0)) + 1, low, [width, height]).astype(int)
        if (high == low).any():
            continue
        warp[:, 2] -= low
        moved = cv2.warpAffine(print_.art, warp, (high - low).tolist(), flags=cv2.INTER_LINEAR)
        mask = np.zeros(moved.shape[:2], np.uint8)
        cv2.fillConvexPoly(mask, np.rint(corners - low).astype(np.int32), 1)
        cv2.copyTo(moved, mask, out[low[1] : high[1], low[0] : high[0]])
    return out
