"""Registers prints block by block and adjusts camera, plane and poses to them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import card_corners, rotation
from vision.imaging.view import View
from vision.seeing.estimation.adjustment import Priors, SolveSettings, solve
from vision.seeing.estimation.jacobian import jacobian
from vision.seeing.estimation.model import (
    Measurements,
    Solution,
    join_measurements,
    project,
    residuals,
    with_poses,
)
from vision.seeing.estimation.rectify import Bend, bounding_box, rectify
from vision.seeing.pieces.prints import (
    PRINT_BLOCK_PX,
    BlockAgreement,
    PlanarPrint,
    bend_of,
    block_agreement,
)
from vision.seeing.registration.gradient_registration import (
    RegistrationSettings,
    register_faces,
    sample_faces,
)
from vision.values.arrays import FloatArray, Points

__all__ = [
    "SHEET_PX_PER_MM",
    "CalibratedView",
    "PlacedPrint",
    "agreement_at",
    "bend_at",
    "in_frame_of",
    "is_visible",
    "observe_points",
    "place_print",
    "register_prints",
    "uneven",
]


# Registration of prints.
_ROUNDS = 4  # most iterations of a stage; two suffice
_COARSER = 3.0  # of the first stage: a shift is seen no farther than the blur of its picture
_ENOUGH_PX = 0.05  # motion of a corner below which they stop
_LEAST_MEASURED = 8  # of one print's blocks: two measurements a block
_HUBER = SolveSettings().huber  # residual (sigmas) from which the loss is linear
_REACH_MM = 4.0  # largest block shift from a pose by few features, or by neighbours
# largest block shift of the fine stage: more comes from a thing on the print
_REFINED_MM = 1.0
_BLOCKS = 16.0  # along the longer side: small compared with a hand, some strokes in each
_BLOCK_MM: tuple[float, float] = (8.0, 24.0)  # bounds of a block's side: paper waves over a few cm
SHEET_PX_PER_MM = 4.0  #: of rectified sheets: a line of print is a pixel and a half wide
_INSET_MM = 1.0  # left out at the cut edge, which is not print
# least agreeing share of the visible blocks; other things have 0.03. One in three is said to be
# needed; a sheet between visible neighbours is known by less.
_LEAST_SHARE, _LEAST_SHARE_BESIDE = 0.3, 0.1
_LEAST_BLOCKS = 10  # least agreeing blocks: fewer may agree by chance
# of the agreeing blocks; 0.8 under sixteen tokens, 0.3 by chance
_LEAST_COHERENCE, _LEAST_COHERENCE_BESIDE = 0.6, 0.4
_SHAPE_MM = 0.3  # paper is never quite flat (1 sd): registration errs by less


@dataclass(frozen=True, slots=True, eq=False)
class CalibratedView:
    """The photo with priors of the camera."""

    view: View
    priors: Priors
    focal_known: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PlacedPrint:
    """A print on a known plane: its pose (3,), and its visible blocks."""

    pose: FloatArray
    agreement: BlockAgreement


def uneven(size_mm: tuple[float, float]) -> FloatArray:
    """Return the covariance (3, 3) of the pose of a sheet, or of what lies on it."""
    return np.diag((np.array([1.0, 1.0, 4 / max(size_mm)]) * _SHAPE_MM) ** 2)


def register_prints(
    shot: CalibratedView, prints: Sequence[PlanarPrint], start: Solution
) -> Solution:
    """Register prints block by block, and adjust camera, plane and poses to them.

    The prints are in the order of the poses of ``start``, which is accurate to ``_REACH_MM``.
    """

    def fit(solution: Solution, seen: Measurements) -> Solution:
        return solve(solution, seen, shot.priors).solution

    return _register(shot.view, prints, start, fit)


def place_print(
    view: View, print_: PlanarPrint, plane: Solution, pose: FloatArray, *, beside: bool = False
) -> PlacedPrint | None:
    """Register a print block by block on a known plane; None if it is not visible there.

    ``pose`` (3,) is its initial pose, accurate to ``_REACH_MM``: x mm, y mm, theta rad. Less needs
    to be visible of a sheet ``beside`` visible ones.
    """
    try:
        there = _register(view, [print_], with_poses(plane, pose[None]), _fit_pose)
    except (DegenerateGeometryError, np.linalg.LinAlgError):
        return None
    agreed = agreement_at(view, print_, in_frame_of(there))
    if not is_visible(agreed, beside=beside):
        return None
    return PlacedPrint(there.poses[0], agreed)


def _register(
    view: View,
    prints: Sequence[PlanarPrint],
    start: Solution,
    fit: Callable[[Solution, Measurements], Solution],
) -> Solution:
    """Register prints, coarse to fine, by a fit of a solution to what is measured there."""
    for stage in zip(*(_stages(print_) for print_ in prints), strict=True):
        which = [np.where(np.arange(len(prints)) == k, 0, -1) for k in range(len(prints))]
        each = [
            (sample_faces(view, start, own, print_.faces, how), how)
            for own, print_, how in zip(which, prints, stage, strict=True)
        ]
        for _ in range(_ROUNDS):
            seen = join_measurements([register_faces(view, start, *one).seen for one in each])
            after = fit(start, seen)
            moved = _shift(start, after, prints)
            start = after
            if moved < _ENOUGH_PX:
                break
    return start


def _fit_pose(start: Solution, seen: Measurements) -> Solution:
    """Return a solution with the pose of its print fitted alone.

    Raises
    ------
    DegenerateGeometryError
        If too few blocks agree with the photo.
    """
    slopes, off = jacobian(start, seen)[1][:, :3], residuals(start, seen)
    if len(off) < _LEAST_MEASURED:
        msg = "too few blocks of the print agree with the photo"
        raise DegenerateGeometryError(msg)
    weights = np.minimum(1.0, _HUBER / np.maximum(np.abs(off), _HUBER))
    normal = slopes.T @ (weights[:, None] * slopes)
    pose = start.poses[0] + np.linalg.solve(normal, slopes.T @ (weights * off))
    return with_poses(start, pose[None])


def _shift(before: Solution, after: Solution, prints: Sequence[PlanarPrint]) -> float:
    """Return the largest motion of a corner, px."""
    corners = np.concatenate([card_corners(*print_.size_mm) for print_ in prints])
    index = np.repeat(np.arange(len(prints)), 4)
    off = project(after, index, corners) - project(before, index, corners)
    return float(np.hypot(*off.T).max())


def _stages(print_: PlanarPrint) -> tuple[RegistrationSettings, RegistrationSettings]:
    """Return the settings of a coarse registration, which sees far, and of the fine one."""
    block_mm = float(np.clip(max(print_.size_mm) / _BLOCKS, *_BLOCK_MM))
    fine = RegistrationSettings(inset_mm=_INSET_MM, block_mm=block_mm, farthest_mm=_REFINED_MM)
    return replace(fine, per_mm=fine.per_mm / _COARSER, farthest_mm=_REACH_MM), fine


def is_visible(agreed: BlockAgreement, *, beside: bool = False) -> bool:
    """Return whether enough of a print is visible, in coherent areas.

    Less is needed of a sheet ``beside`` visible ones.
    """
    return (
        agreed.share >= (_LEAST_SHARE_BESIDE if beside else _LEAST_SHARE)
        and int(agreed.agrees.sum()) >= _LEAST_BLOCKS
        and agreed.coherence >= (_LEAST_COHERENCE_BESIDE if beside else _LEAST_COHERENCE)
    )


def agreement_at(
    view: View, print_: PlanarPrint, own: Solution, bend: Bend | None = None
) -> BlockAgreement:
    """Return the blocks of a print that agree with the photo, at its pose in its own frame."""
    scale = print_.blocks[1] * PRINT_BLOCK_PX / print_.size_mm[0]
    box = bounding_box(card_corners(*print_.size_mm))
    return block_agreement(print_, rectify(view, own, box, scale, bend=bend))


def bend_at(view: View, print_: PlanarPrint, own: Solution) -> Bend | None:
    """Return the bend of a sheet at its pose in its own frame; None if too little of it shows."""
    box = bounding_box(card_corners(*print_.size_mm))
    return bend_of(print_, rectify(view, own, box, SHEET_PX_PER_MM))


def observe_points(art_mm: Points, photo_px: Points, sigma_px: float) -> Measurements:
    """Return measurements of points of a print (N, 2) at pixels (N, 2)."""
    n = len(art_mm)
    none = np.zeros(2 * n)
    return Measurements(
        np.zeros(2 * n, np.int64),
        np.repeat(art_mm, 2, axis=0),
        np.repeat(photo_px, 2, axis=0),
        np.tile(np.eye(2), (n, 1)),
        np.full(2 * n, sigma_px),
        none,
        none,
        none,
    )


def in_frame_of(solution: Solution, pose: FloatArray | None = None) -> Solution:
    """Return the solution in the frame of a pose (3,) on its plane, or of its first."""
    x, y, theta = solution.poses[0] if pose is None else pose
    turn = np.eye(3)
    turn[:2, :2] = rotation(theta)
    centres = (solution.poses[:, :2] - [x, y]) @ turn[:2, :2]
    return replace(
        solution,
        rotation=solution.rotation @ turn,
        translation_mm=solution.translation_mm + solution.rotation[:, :2] @ [x, y],
        poses=np.column_stack([centres, solution.poses[:, 2] - theta]),
    )
