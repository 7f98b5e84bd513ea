"""Fusion of several pictures of one still table: mean picture, median poses.

Each picture gives poses of all cards; their median is kept. The scatter between pictures is removed
from the covariance as far as the median averages it out.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.geometry import rotation, wrap_angle
from vision.imaging.view import View
from vision.seeing.values import FaceMatch, PoseEstimate
from vision.values.arrays import FloatArray, ImageBGR

__all__ = ["align_poses", "fuse_pictures", "fuse_views", "median_pose_estimate", "merge_matches"]

_MEDIAN_LOSS = np.pi / 2  # the variance of a median of normal errors over that of their mean


def fuse_pictures(pictures: Sequence[ImageBGR]) -> ImageBGR:
    """Return the mean of pictures (H, W, 3) of one still scene."""
    if len(pictures) == 1:
        return pictures[0]
    total = np.zeros(pictures[0].shape, np.uint16)  # 257 pictures of 255 fit
    for picture in pictures:
        total += picture
    return np.asarray((total + len(pictures) // 2) // len(pictures), np.uint8)


def fuse_views(views: Sequence[View]) -> View:
    """Return the mean of views of one still scene."""
    return views[0] if len(views) == 1 else View(fuse_pictures([view[0] for view in views]))


def merge_matches(now: Sequence[FaceMatch], before: Sequence[FaceMatch | None]) -> list[FaceMatch]:
    """Merge matches of the first cards with earlier ones: covers move, print stays.

    What hides a card has colours of its own, so of the same face the lower chance of a foreign card
    counts.
    """
    known = [*before, *[None] * (len(now) - len(before))]
    return [
        one
        if was is None
        else replace(
            one,
            scores=(one.scores + was.scores) / 2,
            foreign=min(one.foreign, was.foreign) if was.best == one.best else one.foreign,
        )
        for one, was in zip(now, known, strict=True)
    ]


def median_pose_estimate(solved: Sequence[PoseEstimate]) -> PoseEstimate:
    """Return the median of several pose estimates of one table, with its covariance."""
    first = solved[0]
    if len(solved) == 1:
        return first
    aligned = []
    for one in solved:
        own = one.solution.poses
        motion, _ = align_poses(own, first.solution.poses)
        turned = own[:, :2] @ rotation(float(motion[0])).T + motion[1:]
        theta = own[:, 2] + motion[0]
        away = theta - first.solution.poses[:, 2]
        theta = theta - np.pi * np.round(away / np.pi)  # sides are alike: no half turns
        aligned.append(np.column_stack([turned, theta]))
    several = np.array(aligned)
    return replace(
        first,
        solution=replace(first.solution, poses=np.median(several, axis=0)),
        pose_covariance=_reduce_noise(first.pose_covariance, several),
        sides=np.median([one.sides for one in solved], axis=0),
        residual_px=float(np.median([one.residual_px for one in solved])),
    )


def _reduce_noise(covariance: FloatArray, several: FloatArray) -> FloatArray:
    """Subtract from a covariance (3N, 3N) what the median of K estimates (K, N, 3) averages out.

    The scatter of the estimates is noise and decreases with their number; common errors (card
    shape, lens) remain.
    """
    k = len(several)
    scatter = several.reshape(k, -1).var(axis=0, ddof=1)
    own = np.diag(covariance)
    noise = np.minimum(scatter, 0.5 * own)  # a few pictures tell the scatter only roughly
    share = max(0.0, 1 - _MEDIAN_LOSS / k)
    scale = np.sqrt(1 - share * noise / np.maximum(own, 1e-12))
    return np.asarray(covariance * scale[:, None] * scale[None, :], np.float64)


def align_poses(poses: FloatArray, onto: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the robust rigid motion that brings poses (N, 3) onto others.

    Returns
    -------
    motion : (3,) float64
        Turn (rad) about the origin, then the shift (mm): turn, x, y.
    rest_mm : (N,) float64
        How far each centre stays off.
    """
    weight = np.ones(len(poses))
    motion = np.zeros(3)
    rest = np.zeros(len(poses))
    for _ in range(8):
        total = weight.sum()
        a_mean = (weight[:, None] * poses[:, :2]).sum(axis=0) / total
        b_mean = (weight[:, None] * onto[:, :2]).sum(axis=0) / total
        a, b = poses[:, :2] - a_mean, onto[:, :2] - b_mean
        if len(poses) > 1:
            cross = (weight * (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])).sum()
            turn = float(np.arctan2(cross, (weight[:, None] * a * b).sum()))
        else:
            turn = wrap_angle(float(onto[0, 2] - poses[0, 2]))
        shift = b_mean - rotation(turn) @ a_mean
        motion = np.array([turn, *shift])
        rest = np.linalg.norm(poses[:, :2] @ rotation(turn).T + shift - onto[:, :2], axis=1)
        weight = 1 / np.maximum(rest, 0.2)  # least absolute distances: one moved card is free
    return motion, rest
