"""The table under a fixed camera: camera and plane once solved, and cards measured against them.

A scan solves camera, plane and all cards together from one picture. A watch has looked at the same
table for minutes: camera and plane stay as they were solved, and a card that comes to rest needs
its own three numbers only. All cards seen so far give the plane and the lens anew when a card has
been added, so that both get better as the round goes on.
"""

from dataclasses import dataclass, replace

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import photo_from_table, wrap_angle
from vision.imaging.view import View
from vision.seeing.detector import Detector
from vision.seeing.estimation.adjustment import Priors
from vision.seeing.estimation.jacobian import jacobian
from vision.seeing.estimation.model import (
    Solution,
    are_in_front,
    camera_of,
    residuals,
    with_poses,
)
from vision.seeing.estimation.overlaps import card_outlines
from vision.values.arrays import FloatArray, ImageGray
from vision.values.layout import Camera

__all__ = ["Ground", "Measured", "corners_in_picture", "measure_poses", "settle_ground"]

_REACHES_PX = (9.0, 4.0, 3.0)  # across a side its edge is sought, round by round, as in a scan
_ANCHOR_SD_MM, _ANCHOR_SD_RAD = 20.0, 0.3  # of the start: holds a card of which no side shows
_HUBER = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """Camera and plane without any card: ``solution.poses`` is (0, 3).

    ``cards`` is from how many cards it was solved; ``residual_px`` how well they agreed.
    """

    solution: Solution
    priors: Priors
    cards: int
    residual_px: float

    @property
    def camera(self) -> Camera:
        """How the table plane shows in the picture."""
        return camera_of(self.solution)


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """Cards measured in one picture, camera and plane held.

    ``poses`` (N, 3) are x mm, y mm, theta rad; ``covariance`` (N, 3, 3) theirs, of the sides
    alone; ``sides`` (N, R, 4) the share of each side that was measured.
    """

    poses: FloatArray
    covariance: FloatArray
    sides: FloatArray


def measure_poses(
    gray: ImageGray,
    ground: Ground,
    poses: FloatArray,
    detector: Detector,
) -> Measured:
    """Bring cards to where their sides show, camera and plane as they are.

    Parameters
    ----------
    gray : (H, W) uint8
        Luma of the full picture.
    poses : (N, 3) float64
        Where they are looked for, good to the first reach; x mm, y mm, theta rad.
    """
    n = len(poses)
    if not n:
        return Measured(poses, np.zeros((0, 3, 3)), np.zeros((0, 1, 4)))
    current = with_poses(ground.solution, np.array(poses, np.float64))
    if not are_in_front(current, 60.0).all():
        msg = "a card would lie behind the camera; photograph the table from higher up"
        raise DegenerateGeometryError(msg)
    start = current.poses
    prior = np.diag([_ANCHOR_SD_MM**-2, _ANCHOR_SD_MM**-2, _ANCHOR_SD_RAD**-2])
    normal = np.tile(prior, (n, 1, 1))
    share = np.zeros((n, 1, 4))
    for reach in _REACHES_PX:
        seen, share = detector.pose_estimator.observe(gray, current, reach)
        for _ in range(3):
            r = residuals(current, seen)
            weight = np.minimum(1.0, _HUBER / np.maximum(np.abs(r), 1e-12))
            _, own = jacobian(current, seen)  # (M, 3): a side speaks of its own card
            normal = np.tile(prior, (n, 1, 1))
            np.add.at(normal, seen.card, weight[:, None, None] * own[:, :, None] * own[:, None])
            away = start - current.poses
            away[:, 2] = [wrap_angle(float(turn)) for turn in away[:, 2]]
            gradient = away @ prior
            np.add.at(gradient, seen.card, (weight * r)[:, None] * own)
            step = np.linalg.solve(normal, gradient[..., None])[..., 0]
            current = with_poses(current, current.poses + step)
            if np.abs(step).max() < 1e-4:
                break
    return Measured(current.poses, np.linalg.inv(normal), share)


def settle_ground(
    view: View, ground: Ground, poses: FloatArray, detector: Detector
) -> tuple[Ground, FloatArray]:
    """Solve camera, plane and all cards together, from where they are.

    Parameters
    ----------
    view : View
        The full picture.
    poses : (N, 3) float64
        Of cards of which nothing is covered, N at least 1.

    Returns
    -------
    ground : Ground
        The better one.
    poses : (N, 3) float64
        Of the same cards, on it.
    """
    located = detector.pose_estimator.locate(
        view, with_poses(ground.solution, poses), ground.priors
    )
    bare = with_poses(located.solution, np.zeros((0, 3)))
    better = replace(ground, solution=bare, cards=len(poses), residual_px=located.residual_px)
    # as they will be measured from now on, so that two measurements compare like with like
    return better, measure_poses(view.gray(), better, located.solution.poses, detector).poses


def corners_in_picture(
    ground: Ground, poses: FloatArray, size_mm: tuple[float, float]
) -> FloatArray:
    """Return where the corners (N, 4, 2) of cards show: TL, TR, BR, BL; photo frame."""
    outlines = card_outlines(poses, size_mm)
    if not len(outlines):
        return outlines
    return photo_from_table(ground.camera, outlines.reshape(-1, 2)).reshape(-1, 4, 2)
