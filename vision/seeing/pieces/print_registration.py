"""Registers prints block by block and adjusts camera, plane and poses to them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import card_corners, rotation
from vision.imaging.view import View
from vision.seeing.estimation.adjustment import Priors, Solved, SolveSettings, solve
from vision.seeing.estimation.jacobian import jacobian
from vision.seeing.estimation.model import (
    Measurements,
    Solution,
    join_measurements,
    project,
    residuals,
    with_poses,
)
from vision.seeing.pieces.prints import (
    PRINT_BLOCK_PX,
    BlockAgreement,
    PlanarPrint,
    bend_of,
    block_agreement,
)
from vision.seeing.pieces.rectify import Bend, bounding_box, rectify
from vision.seeing.registration.gradient_registration import (
    RegistrationSettings,
    register_faces,
    sample_faces,
)
from vision.values.arrays import FloatArray, ImageGray, Points

__all__ = [
    "CalibratedView",
    "agreement_at",
    "bend_at",
    "in_frame_of",
    "observe_points",
    "register_on_plane",
    "register_prints",
    "unknowns_covariance",
]


# Registration of prints.
_ROUNDS = 4  # most iterations of a stage; two suffice
_COARSER = 3.0  # of the first stage: a shift is seen no farther than the blur of its picture
_ENOUGH_PX = 0.05  # motion of a corner below which they stop
_LEAST_MEASURED = 8  # of one print's blocks: two measurements a block
_HUBER = SolveSettings().huber  # residual (sigmas) from which the loss is linear
# largest block shift of the fine stage: more comes from a thing on the print
_REFINED_MM = 1.0
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
    shot: CalibratedView, prints: Sequence[PlanarPrint], start: Solution, reach_mm: float
) -> tuple[Solved, Measurements]:
    """Register prints block by block, and adjust camera, plane and poses to them.

    The prints are in the order of the poses of ``start``, which is accurate to ``reach_mm``.
    Returns the final solution, and its measurements.
    """
    for stage in zip(*(_stages(print_, reach_mm) for print_ in prints), strict=True):
        which = [np.where(np.arange(len(prints)) == k, 0, -1) for k in range(len(prints))]
        each = [
            (sample_faces(shot.view, start, own, print_.faces, how), how)
            for own, print_, how in zip(which, prints, stage, strict=True)
        ]
        for _ in range(_ROUNDS):
            seen = join_measurements([register_faces(shot.view, start, *one).seen for one in each])
            solved = solve(start, seen, shot.priors)
            moved = _shift(start, solved.solution, prints)
            start = solved.solution
            if moved < _ENOUGH_PX:
                break
    return solved, seen


def register_on_plane(
    view: View, print_: PlanarPrint, plane: Solution, pose: FloatArray, reach_mm: float
) -> tuple[FloatArray, FloatArray]:
    """Register a print block by block on a known plane.

    Parameters
    ----------
    pose : (3,) float64
        Initial pose, accurate to ``reach_mm``: x mm, y mm, theta rad.

    Returns
    -------
    pose : (3,) float64
        The registered pose.
    covariance : (3, 3) float64
        Its covariance.

    Raises
    ------
    DegenerateGeometryError
        If too few blocks agree with the photo.
    """
    for how in _stages(print_, reach_mm):
        own = with_poses(plane, pose[None])
        samples = sample_faces(view, own, np.zeros(1, int), print_.faces, how)
        for _ in range(_ROUNDS):
            there = with_poses(plane, pose[None])
            seen = register_faces(view, there, samples, how).seen
            slopes, off = jacobian(there, seen)[1][:, :3], residuals(there, seen)
            if len(off) < _LEAST_MEASURED:
                msg = "too few blocks of the print agree with the photo"
                raise DegenerateGeometryError(msg)
            weights = np.minimum(1.0, _HUBER / np.maximum(np.abs(off), _HUBER))
            normal = slopes.T @ (weights[:, None] * slopes)
            pose = pose + np.linalg.solve(normal, slopes.T @ (weights * off))
            if _shift(there, with_poses(plane, pose[None]), [print_]) < _ENOUGH_PX:
                break
    factor = float((weights * off**2).sum() / len(off))
    return pose, np.asarray(np.linalg.inv(normal) * max(1.0, factor), np.float64)


def _shift(before: Solution, after: Solution, prints: Sequence[PlanarPrint]) -> float:
    """Return the largest motion of a corner, px."""
    corners = np.concatenate([card_corners(*print_.size_mm) for print_ in prints])
    index = np.repeat(np.arange(len(prints)), 4)
    off = project(after, index, corners) - project(before, index, corners)
    return float(np.hypot(*off.T).max())


def _stages(
    print_: PlanarPrint, reach_mm: float
) -> tuple[RegistrationSettings, RegistrationSettings]:
    """Return the settings of a coarse registration, which sees far, and of the fine one."""
    block_mm = float(np.clip(max(print_.size_mm) / _BLOCKS, *_BLOCK_MM))
    fine = RegistrationSettings(inset_mm=_INSET_MM, block_mm=block_mm, farthest_mm=_REFINED_MM)
    coarse = replace(
        fine,
        per_mm=fine.per_mm / _COARSER,
        farthest_mm=reach_mm,
    )
    return coarse, fine


def agreement_at(
    view: View, print_: PlanarPrint, own: Solution, bend: Bend | None = None
) -> BlockAgreement:
    """Return the blocks of a print that agree with the photo, at its pose in its own frame."""
    scale = print_.blocks[1] * PRINT_BLOCK_PX / print_.size_mm[0]
    box = bounding_box(card_corners(*print_.size_mm))
    return block_agreement(print_, rectify(view, own, box, scale, bend=bend))


def bend_at(view: View, print_: PlanarPrint, own: Solution, px_per_mm: float) -> Bend | None:
    """Return the bend of a sheet at its pose in its own frame; None if too little of it shows.

    It is measured once.
    """
    box = bounding_box(card_corners(*print_.size_mm))

    def measured(_: ImageGray) -> Bend | None:
        return bend_of(print_, rectify(view, own, box, px_per_mm))

    return view.once(("bend", print_.piece, *own.translation_mm.tolist()), 0, measured)


def observe_points(
    art_mm: Points, photo_px: Points, sigma_px: float, card: int = 0
) -> Measurements:
    """Return measurements of points of a print (N, 2) at pixels (N, 2)."""
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
