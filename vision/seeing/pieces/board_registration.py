"""Registers boards' prints block by block and adjusts camera, plane and poses to them."""

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


# Registration of prints.
_ROUNDS = 4  # most iterations; two suffice
# largest block shift after the first iteration: more comes from a thing on the board
_REFINED_MM = 1.0
_ENOUGH_PX = 0.05  # corner motion below which the iterations stop
_BLOCKS = 16.0  # along the longer side: small compared with a hand, some strokes in each
_BLOCK_MM: tuple[float, float] = (8.0, 24.0)  # bounds of a block's side: paper waves over a few cm
_INSET_MM = 1.0  # left out at the cut edge, which is not print


@dataclass(frozen=True, slots=True, eq=False)
class CalibratedView:
    """The photo with priors of the camera."""

    view: View
    priors: Priors
    focal_known: bool = False


def register_prints(
    shot: CalibratedView, boards: Sequence[BoardPrint], start: Solution, reach_mm: float
) -> tuple[Solved, Measurements]:
    """Register prints block by block, and adjust camera, plane and poses to them.

    Parameters
    ----------
    shot : CalibratedView
        The photo.
    boards : sequence of BoardPrint
        N of them, in the order of the poses.
    start : Solution
        Initial solution, accurate to ``reach_mm``.

    Returns
    -------
    Solved, Measurements
        The final solution, and its measurements.
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
    """Return the registration settings for the blocks of a board."""
    block_mm = float(np.clip(max(board.size_mm) / _BLOCKS, *_BLOCK_MM))
    return RegistrationSettings(inset_mm=_INSET_MM, block_mm=block_mm, farthest_mm=reach_mm)


def _register_print(
    view: View,
    board: BoardPrint,
    start: Solution,
    index: int,
    settings: RegistrationSettings,
) -> Measurements:
    """Measure the positions of one board's blocks."""
    named = np.full(len(start.poses), -1)
    named[index] = 0
    faces = sample_faces(view, start, named, board.faces, settings)
    return register_faces(view, start, faces, settings)


def _shift(before: Solution, after: Solution, boards: Sequence[BoardPrint]) -> float:
    """Return the largest motion of a board corner, px."""
    corners = np.concatenate([card_corners(*board.size_mm) for board in boards])
    index = np.repeat(np.arange(len(boards)), 4)
    off = project(after, index, corners) - project(before, index, corners)
    return float(np.hypot(*off.T).max())


def agreement_at(view: View, board: BoardPrint, solution: Solution, index: int) -> BlockAgreement:
    """Return the blocks of a board that agree with the photo at its pose."""
    based = in_board_frame(solution, index)
    scale = board.blocks[1] * PRINT_BLOCK_PX / board.size_mm[0]
    box = bounding_box(card_corners(*board.size_mm))
    return block_agreement(board, rectify(view, based, box, scale))


def observe_points(
    art_mm: Points, photo_px: Points, sigma_px: float, card: int = 0
) -> Measurements:
    """Return measurements of points of a board (N, 2) at pixels (N, 2)."""
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
    """Return the solution in the frame of one of its boards."""
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
