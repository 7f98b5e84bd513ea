"""Joint poses of one table from several photos, with the errors of each.

A photo gives its cards' relative poses, not the position of the table: its frame is free. All
photos are combined in one adjustment with a free frame for each; a card in a single photo is placed
among the others by that photo.

References
----------
.. [1] Koch, Parameter Estimation and Hypothesis Testing in Linear Models, 1999 (sequences of
   normal equations).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.geometry import rotation
from vision.seeing.estimation.error_budget import growth_covariance, growth_variance
from vision.seeing.estimation.gauge import rigid_motion_projector, rigid_motions
from vision.seeing.estimation.model import parallax_per_mm, solution_of
from vision.seeing.multiview.frame_registration import FrameMotion
from vision.values.arrays import BoolArray, FloatArray
from vision.values.layout import Camera

__all__ = [
    "ANYWHERE",
    "HALF_MM",
    "UNITS",
    "ViewPoses",
    "exclude_tracks",
    "free_motions",
    "fuse_poses",
    "move_view",
    "single_view_covariances",
]

HALF_MM = 40.0  # half a card's length: a turn by so much is as long as a shift


# Standard deviations of a card's place.
_ALONE_FLAT_MM = 0.085  # from right above
_ALONE_LIFTED_MM = 0.15  # in height, beyond what its photo tells; rendered cards, bent by up
_ALONE_LIFTED_POOR_MM = 0.6  # to 1 mm, are 0.2 off against truth, 0.5 where faces read poorly
_ALONE_FUSED = 0.5  # of that where poses are joined: with none 93.7 % of joined places lie in
# their 95 % ellipses, with half 95.6, with all of it 96.4


def single_view_covariances(
    camera: Camera, poses: FloatArray, is_poor: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """Return the individual errors of cards at poses (N, 3); ``is_poor`` (N,): read poorly.

    Returns
    -------
    fused : (N, 3, 3) float64
        Covariances of x mm, y mm, theta rad that count where the poses of photos are joined.
    alone : (N, 3, 3) float64
        What counts besides where they are compared: how far off a card may come.
    """
    lifted = np.where(is_poor, _ALONE_LIFTED_POOR_MM, _ALONE_LIFTED_MM)[:, None]
    aside = lifted * parallax_per_mm(solution_of(camera), poses[:, :2])
    along = aside[:, :, None] * aside[:, None]
    fused, alone = np.zeros((2, len(poses), 3, 3))
    fused[:, :2, :2] = _ALONE_FUSED**2 * along
    place = _ALONE_FLAT_MM**2 * np.eye(2) + along
    alone[:, :2, :2] = place - fused[:, :2, :2]
    alone[:, 2, 2] = np.trace(place, axis1=1, axis2=2) / 2 / HALF_MM**2
    return fused, alone


UNITS = np.array([1.0, 1.0, HALF_MM])  # a turn as mm: on an equal footing
_ROUNDED = 1e-12  # mm²: a covariance is of full rank with it, and no other
ANYWHERE = 1e8  # mm²: of a motion of the whole table, which photos do not tell


@dataclass(frozen=True, slots=True, eq=False)
class ViewPoses:
    """Poses (N, 3) from one photo in the common frame, with covariance and tracks.

    ``tracks`` (N,) are indices of the table's cards; ``covariance`` (3N, 3N) excludes the frame's
    own motion. ``alone`` (N, 3, 3) are the covariances of individual card errors, which it hardly
    includes.
    """

    tracks: tuple[int, ...]
    poses: FloatArray
    covariance: FloatArray
    alone: FloatArray


def move_view(part: ViewPoses, motion: FrameMotion) -> ViewPoses:
    """Return the poses of a photo transformed to the common frame."""
    block = np.eye(3)
    block[:2, :2] = rotation(motion.turn_rad)
    turn = np.kron(np.eye(len(part.poses)), block)
    covariance, alone = turn @ part.covariance @ turn.T, block @ part.alone @ block.T
    return ViewPoses(part.tracks, motion.move(part.poses), covariance, alone)


def exclude_tracks(part: ViewPoses, tracks: Sequence[int]) -> ViewPoses:
    """Return the poses of a photo without some tracks."""
    kept = [i for i, track in enumerate(part.tracks) if track not in tracks]
    rows = [3 * i + axis for i in kept for axis in range(3)]
    covariance = part.covariance[np.ix_(rows, rows)]
    tracks = tuple(part.tracks[i] for i in kept)
    return ViewPoses(tracks, part.poses[kept], covariance, part.alone[kept])


def fuse_poses(parts: Sequence[ViewPoses], count: int) -> tuple[FloatArray, FloatArray]:
    """Estimate the poses of all cards from several photos.

    Parameters
    ----------
    parts : sequence of ViewPoses
        What each photo tells; each card is in one of them at least.
    count : int
        How many cards there are.

    Returns
    -------
    poses : (count, 3) float64
        x mm, y mm, theta rad, in the frame of the first part.
    covariance : (3 count, 3 count) float64
        Theirs, free of a motion of the whole table.
    """
    start = np.zeros((count, 3))
    for part in reversed(parts):
        start[list(part.tracks)] = part.poses
    normal, side = np.zeros((3 * count, 3 * count)), np.zeros(3 * count)
    for part in parts:
        rows = (3 * np.array(part.tracks)[:, None] + np.arange(3)).ravel()
        weight = _weight(part)
        away = part.poses - start[list(part.tracks)]
        away[:, 2] = np.angle(np.exp(1j * away[:, 2]))
        normal[np.ix_(rows, rows)] += weight
        side[rows] += weight @ (away * UNITS).ravel()
    free = free_motions(start)
    normal += np.trace(normal) / len(normal) * free @ free.T + _ROUNDED * np.eye(3 * count)
    units = np.tile(1 / UNITS, count)
    scaled = np.linalg.inv(normal)
    covariance = scaled * np.outer(units, units)
    poses = start + (scaled @ side * units).reshape(count, 3)
    # the whole keeps to the first photo's frame: what it may move was left free
    first = list(parts[0].tracks)
    own = rigid_motion_projector(start[first][:, :2])
    shift = (np.eye(3 * len(first)) - own) @ (poses - start)[first].ravel()
    motion = np.linalg.lstsq(rigid_motions(start[first][:, :2]), shift, rcond=None)[0]
    poses -= (rigid_motions(start[:, :2]) @ motion).reshape(count, 3)
    total = rigid_motion_projector(poses[:, :2])
    free_of = total @ covariance @ total.T
    free_of += growth_covariance(poses, _missing_growth(parts, poses, free_of))
    return poses, np.asarray((free_of + free_of.T) / 2, np.float64)


def _missing_growth(parts: Sequence[ViewPoses], poses: FloatArray, covariance: FloatArray) -> float:
    """Return the relative scale variance that a covariance lacks.

    The position of edges is biased alike in all photos, and the photo with the least stated error
    dominates: together they know the scale no better than that one. On 58 tables of soft photos 95
    % of the fused places lie in their ellipses with this term, 92 % without.
    """
    best = min(growth_variance(part.poses, part.covariance) for part in parts)
    lacking = best - growth_variance(poses, covariance)
    return float(np.sqrt(lacking)) if 0 < lacking < np.inf else 0.0


def free_motions(poses: FloatArray) -> FloatArray:
    """Return an orthonormal basis (3N, 3) of rigid motions of poses (N, 3), turns in mm."""
    free = rigid_motions(poses[:, :2]) * np.tile(UNITS, len(poses))[:, None]
    return np.asarray(np.linalg.qr(free)[0], np.float64)


def _weight(part: ViewPoses) -> FloatArray:
    """Return the weight matrix (3N, 3N) of a photo with a free frame, turns in mm."""
    units = np.tile(UNITS, len(part.tracks))
    covariance = part.covariance * np.outer(units, units)
    free = free_motions(part.poses)
    full = np.linalg.qr(np.column_stack([free, np.eye(len(units))]))[0]
    rest = full[:, free.shape[1] : len(units)]  # what a motion of the frame does not change
    inner = rest.T @ covariance @ rest + _ROUNDED * np.eye(rest.shape[1])
    return np.asarray(rest @ np.linalg.solve(inner, rest.T), np.float64)
