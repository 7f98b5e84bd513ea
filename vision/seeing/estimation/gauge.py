"""Transforms adjusted poses to the table frame and removes the gauge from their covariance.

A photo determines how cards are placed relative to one another, not the origin and rotation of the
table frame. That freedom (the gauge) is fixed here, and its share is removed from the covariance.

References
----------
.. [1] Baarda, S-Transformations and Criterion Matrices, 1973.
"""

from dataclasses import dataclass, replace

import numpy as np

from vision.geometry import rotation, wrap_angle
from vision.seeing.estimation.model import Solution, camera_of
from vision.values.arrays import FloatArray, Matrix3, Points
from vision.values.layout import Camera

__all__ = [
    "GaugedPoses",
    "align_with_photo",
    "remove_gauge",
    "rigid_motion_projector",
    "rigid_motions",
]


@dataclass(frozen=True, slots=True, eq=False)
class GaugedPoses:
    """Card poses in the table frame.

    ``poses`` (N, 3) are x mm, y mm, theta rad in (-pi, pi]; ``covariance`` (3N, 3N) is theirs;
    ``camera`` maps the same table frame to the photo.
    """

    poses: FloatArray
    covariance: FloatArray
    camera: Camera


def remove_gauge(solution: Solution, covariance: FloatArray) -> GaugedPoses:
    """Transform poses to the table frame and remove rigid motion from their covariance.

    The origin is the mean of the card centres; the axes are aligned with the photo's right and down
    there. The covariance is that of the errors which remain after the best rigid alignment of all
    centres (an S-transformation); a single card has none.

    Parameters
    ----------
    solution : Solution
        The adjusted camera and N poses, N at least 1.
    covariance : (3N, 3N) float64
        Of the poses (x mm, y mm, theta rad) in the gauge of the adjustment.
    """
    camera = camera_of(solution)
    poses = solution.poses
    origin = poses[:, :2].mean(axis=0)
    turn = _photo_alignment(camera.photo_from_table, origin)
    new_from_old = rotation(turn).T  # the axes turn by +turn
    centres = (poses[:, :2] - origin) @ new_from_old.T
    aligned = np.column_stack([centres, [wrap_angle(theta - turn) for theta in poses[:, 2]]])

    block = np.eye(3)
    block[:2, :2] = new_from_old
    total = rigid_motion_projector(centres) @ np.kron(np.eye(len(poses)), block)
    free = total @ covariance @ total.T

    old_from_new = np.eye(3)
    old_from_new[:2, :2] = new_from_old.T
    old_from_new[:2, 2] = origin
    homography = camera.photo_from_table @ old_from_new
    camera = Camera(camera.camera_matrix, camera.distortion, homography / homography[2, 2])
    return GaugedPoses(aligned, (free + free.T) / 2, camera)


def align_with_photo(solution: Solution) -> Solution:
    """Turn the table frame of a solution about its origin, to the photo's right and down there."""
    origin = np.zeros(2)
    turn = _photo_alignment(camera_of(solution).photo_from_table, origin)
    old_from_new = np.eye(3)
    old_from_new[:2, :2] = rotation(turn)
    turned = solution.poses @ old_from_new - [0.0, 0.0, turn]
    return replace(solution, rotation=solution.rotation @ old_from_new, poses=turned)


def rigid_motions(centres_mm: Points) -> FloatArray:
    """Return the derivatives (3N, 3) of N poses by a common shift in x, in y, and a rotation."""
    n = len(centres_mm)
    motions = np.zeros((3 * n, 3))
    motions[0::3, 0] = 1
    motions[1::3, 1] = 1
    motions[0::3, 2] = -centres_mm[:, 1]
    motions[1::3, 2] = centres_mm[:, 0]
    motions[2::3, 2] = 1
    return motions


def rigid_motion_projector(centres_mm: Points) -> FloatArray:
    """Return the projector (3N, 3N) of pose errors onto those that a rigid alignment leaves."""
    n, motions = len(centres_mm), rigid_motions(centres_mm)
    weights = np.tile([1.0, 1.0, 0.0], n)  # the centres are aligned, the angles follow
    if n == 1:
        weights[2] = 1  # one centre has no direction
    normal = motions.T @ (weights[:, None] * motions) + 1e-12 * np.eye(3)
    return np.eye(3 * n) - motions @ np.linalg.solve(normal, motions.T * weights)


def _photo_alignment(photo_from_table: Matrix3, origin_mm: FloatArray) -> float:
    """Return the rotation (rad) that aligns the table's axes with the photo's right and down."""
    h = photo_from_table
    p = h @ [*origin_mm, 1.0]
    jacobian = (h[:2, :2] * p[2] - np.outer(p[:2], h[2, :2])) / p[2] ** 2
    return float(np.arctan2(jacobian[0, 1] - jacobian[1, 0], jacobian[0, 0] + jacobian[1, 1]))
