"""Boards' prints and a first place -> camera, plane and poses, from every block of the prints."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.geometry import card_corners, rotation
from vision.imaging.view import View
from vision.seeing.estimation.adjustment import Priors, Solved, solve
from vision.seeing.estimation.jacobian import jacobian
from vision.seeing.estimation.model import Measurements, Solution, join_measurements, project
from vision.seeing.pieces.board_prints import (
    PRINT_BLOCK_PX,
    BlockAgreement,
    BoardPrint,
    block_agreement,
)
from vision.seeing.pieces.rectify import bounding_box, rectify
from vision.seeing.registration.gradient_registration import (
    RegistrationSettings,
    register_faces,
    sample_faces,
)
from vision.values.arrays import FloatArray, Points

__all__ = [
    "CalibratedView",
    "agreement_at",
    "in_board_frame",
    "observe_points",
    "register_prints",
    "unknowns_covariance",
]


# How prints are laid over the photo.
_ROUNDS = 4  # it settles within two
_REFINED_MM = 1.0  # a block of a print already laid moves less: more is a thing on it
_ENOUGH_PX = 0.05  # corners that move by less have settled
_BLOCKS = 16.0  # along the longer side: small beside a hand, some strokes in each
_BLOCK_MM: tuple[float, float] = (8.0, 24.0)  # but between these: paper waves over a few cm
_INSET_MM = 1.0  # the cut edge is not print


@dataclass(frozen=True, slots=True, eq=False)
class CalibratedView:
    """The photo, with what is believed of the camera."""

    view: View
    priors: Priors
    focal_known: bool = False


def register_prints(
    shot: CalibratedView, boards: Sequence[BoardPrint], start: Solution, reach_mm: float
) -> tuple[Solved, Measurements]:
    """Lay prints over the photo block by block, and adjust camera, plane and poses to them.

    Parameters
    ----------
    shot : CalibratedView
        The photo.
    boards : sequence of BoardPrint
        N of them, in the order of the poses.
    start : Solution
        Where to begin: good to ``reach_mm``.

    Returns
    -------
    Solved, Measurements
        The last solution, and the measurements that it is from.
    """
    for turn in range(_ROUNDS):
        reach = reach_mm if turn == 0 else _REFINED_MM
        seen = join_measurements(
            [
                _register_print(shot.view, board, start, index, _registration(board, reach))
                for index, board in enumerate(boards)
            ]
        )
        solved = solve(start, seen, shot.priors)
        moved = _shift(start, solved.solution, boards)
        start = solved.solution
        if moved < _ENOUGH_PX:
            break
    return solved, seen


def _registration(board: BoardPrint, reach_mm: float) -> RegistrationSettings:
    """Return how the blocks of a board are compared."""
    block_mm = float(np.clip(max(board.size_mm) / _BLOCKS, *_BLOCK_MM))
    return RegistrationSettings(inset_mm=_INSET_MM, block_mm=block_mm, farthest_mm=reach_mm)


def _register_print(
    view: View,
    board: BoardPrint,
    start: Solution,
    index: int,
    settings: RegistrationSettings,
) -> Measurements:
    """Measure where the blocks of one board's print lie."""
    named = np.full(len(start.poses), -1)
    named[index] = 0
    faces = sample_faces(view, start, named, board.faces, settings)
    return register_faces(view, start, faces, settings)


def _shift(before: Solution, after: Solution, boards: Sequence[BoardPrint]) -> float:
    """Return by how many pixels the farthest corner of any board has moved."""
    corners = np.concatenate([card_corners(*board.size_mm) for board in boards])
    index = np.repeat(np.arange(len(boards)), 4)
    off = project(after, index, corners) - project(before, index, corners)
    return float(np.hypot(*off.T).max())


def agreement_at(view: View, board: BoardPrint, solution: Solution, index: int) -> BlockAgreement:
    """Tell which blocks of a board the photo shows where it is thought to lie."""
    based = in_board_frame(solution, index)
    scale = board.blocks[1] * PRINT_BLOCK_PX / board.size_mm[0]
    box = bounding_box(card_corners(*board.size_mm))
    return block_agreement(board, rectify(view, based, box, scale))


def observe_points(
    art_mm: Points, photo_px: Points, sigma_px: float, card: int = 0
) -> Measurements:
    """Say that points of a board (N, 2) are seen at pixels (N, 2)."""
    n = len(art_mm)
    none = np.zeros(2 * n)
    return Measurements(
        np.full(2 * n, card),
        np.repeat(art_mm, 2, axis=0),
        np.repeat(photo_px, 2, axis=0),
        np.tile(np.eye(2), (n, 1)),
        np.full(2 * n, sigma_px),
        none,
        none,
        none,
    )


def in_board_frame(solution: Solution, index: int) -> Solution:
    """Return the same in the frame of one of its boards."""
    x, y, theta = solution.poses[index]
    turn = np.eye(3)
    turn[:2, :2] = rotation(theta)
    centres = (solution.poses[:, :2] - [x, y]) @ turn[:2, :2]
    return replace(
        solution,
        rotation=solution.rotation @ turn,
        translation_mm=solution.translation_mm + solution.rotation[:, :2] @ [x, y],
        poses=np.column_stack([centres, solution.poses[:, 2] - theta]),
    )


def unknowns_covariance(
    solution: Solution, seen: Measurements, weights: FloatArray, priors: Priors, factor: float
) -> FloatArray:
    """Return the covariance of the camera's unknowns and all poses (11 + 3N, 11 + 3N)."""
    by_camera, by_card = jacobian(solution, seen)
    n, c = len(solution.poses), by_camera.shape[1]
    slopes = np.zeros((len(by_card), c + 3 * n))
    slopes[:, :c] = by_camera
    for k in range(3):
        slopes[np.arange(len(by_card)), c + 3 * seen.card + k] = by_card[:, k]
    normal = slopes.T @ (weights[:, None] * slopes)
    p = priors
    lens = [p.log_focal_sd, p.centre_sd_px, p.centre_sd_px, p.k1_sd, p.k2_sd]
    light = [p.bloom_sd_px, p.thickness_sd_mm, p.inner_bloom_sd_px]
    before = np.concatenate([lens, np.full(3, np.inf), light, np.full(3 * n, np.inf)])
    return np.asarray(np.linalg.inv(normal + np.diag(1 / before**2)) * max(1.0, factor), np.float64)
