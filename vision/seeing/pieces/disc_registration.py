"""Registers a round face in a rectified image to a fraction of a pixel.

References
----------
.. [1] Baker and Matthews, Lucas-Kanade 20 Years On, 2004 (gain and bias).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import rotation, wrap_angle
from vision.imaging.view import sample
from vision.seeing.estimation.rectify import Rectified
from vision.seeing.pieces.photometric_fit import LUMA
from vision.values.arrays import FloatArray, ImageBGR, robust_sd

__all__ = [
    "DIFFERS",
    "DiscFaces",
    "Discs",
    "compare_differences",
    "register_face",
]

Discs: TypeAlias = FloatArray  #: (N, 3): x mm, y mm, radius mm
_UNSURE = 1e3  # variance (mm², rad²) of an undetermined parameter


# Registration of a face.
_ROUNDS = 8  # iterations: a start that is off by half a stroke converges in five
_ENOUGH = 0.01  # pixels: a smaller step ends the iterations
_RIM_MM = 0.6  # margin of what lies over a face: its shadow and its uncertain position
_FEWEST = 60  # least visible samples of a face: fewer do not determine eight parameters
_INSIDE = 0.93  # of the radius: outside are the edge and its shadow
_BLUR_PX = 0.7  # of a phone's sharp photo (1 sd)
_INDEPENDENCE = 12.0  # samples that share one error: blur, demosaicing, JPEG
_FLOOR_MM = 0.05  # position error from print and cut of a token (1 sd)
_FARTHEST = 0.2  # largest shift, of the radius; a face that moves farther is not there
DIFFERS = 20.0  # least difference of two faces (grey levels) where they are compared
_LEAST_NOISE = 8.0  # noise floor (grey levels): difference of photo and art where nothing is wrong


@dataclass(frozen=True, eq=False)
class DiscFaces:
    """Faces of one size, sampled once at one scale: the largest disc within each upright art."""

    arts: tuple[ImageBGR, ...]
    radius_mm: float
    px_per_mm: float
    _kept: dict[tuple[int, int], tuple[FloatArray, FloatArray, FloatArray]] = field(
        default_factory=dict
    )

    @cached_property
    def _channels(self) -> list[NDArray[np.float32]]:
        return [_channel(art) for art in self.arts]

    def channel(self, face: int) -> NDArray[np.float32]:
        """Return the mix of B, G, R (3,) with the most contrast in a face."""
        return self._channels[face]

    def samples(self, face: int, by: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return points of a face (M, 2) mm, its values (M,) there and gradients per mm (M, 2).

        The values are of the channel of face ``by``.
        """
        if (face, by) not in self._kept:
            art, channel = self.arts[face], self.channel(by)
            self._kept[face, by] = _samples(art, self.radius_mm, self.px_per_mm, channel)
        return self._kept[face, by]


def register_face(
    rectified: Rectified,
    image: NDArray[np.float32],
    faces: "DiscFaces",
    face: int,
    pose: FloatArray,
    hiding: Discs,
) -> tuple[FloatArray, FloatArray] | None:
    """Register the disc within a face in an image; return its pose (3,) and covariance (3, 3).

    Parameters
    ----------
    rectified : Rectified
        Frame of ``image`` (H, W, 3), BGR float.
    faces : DiscFaces
        The faces of its size, at the scale of ``rectified``; ``face`` is one of them.
    pose : (3,) float64
        Initial x mm, y mm, theta rad; accurate to a fifth of the radius.
    hiding : (N, 3) float64
        Discs that lie over it, x mm, y mm, radius mm: what they cover is left out.

    Returns None if the registration diverges.
    """
    channel, radius_mm = faces.channel(face), faces.radius_mm
    q, values, slopes = faces.samples(face, face)
    shows = _are_visible(q, pose, hiding)
    q, values, slopes = q[shows], values[shows], slopes[shows]
    if len(q) < _FEWEST:
        return None
    turn = q[:, 1] * slopes[:, 0] - q[:, 0] * slopes[:, 1]
    light = np.column_stack([values, values**2 / 255, np.ones(len(q)), q / radius_mm])
    design = np.column_stack([-slopes, turn, light])
    normal = design.T @ design
    normal[np.diag_indices(len(normal))] += 1e-6 * normal.max()  # a face may have no strokes
    inverse = np.linalg.inv(normal)
    gray = image @ channel
    start, now = pose, np.array(pose, float)
    for _ in range(_ROUNDS):
        at = rectified.to_px(q @ rotation(now[2]).T + now[:2])
        seen = sample(gray, at, cv2.BORDER_CONSTANT)
        answer = inverse @ (design.T @ seen)
        gain = max(float(answer[3] + 2 * answer[4] * values.mean() / 255), 0.05)
        step = answer[:3] / gain
        now = now + np.array([*(rotation(now[2]) @ step[:2]), step[2]])
        if np.hypot(*(now[:2] - start[:2])) > _FARTHEST * radius_mm:
            return None
        if np.hypot(*step[:2]) * rectified.px_per_mm < _ENOUGH:
            break
    left = seen - design @ answer
    variance = float(left @ left) / max(1, len(q) - len(answer))
    covariance = _rotate_covariance(inverse[:3, :3] * (variance * _INDEPENDENCE / gain**2), now[2])
    covariance += np.diag([_FLOOR_MM**2] * 2 + [(_FLOOR_MM / radius_mm) ** 2])
    now[2] = wrap_angle(float(now[2]))
    return now, np.minimum(covariance, _UNSURE)


def _rotate_covariance(covariance: FloatArray, theta_rad: float) -> FloatArray:
    """Transform a covariance (3, 3) from a face's own frame to the table frame."""
    frame = np.eye(3)
    frame[:2, :2] = rotation(theta_rad)
    return np.asarray(frame @ covariance @ frame.T, np.float64)


def _are_visible(q: FloatArray, pose: FloatArray, hiding: Discs) -> NDArray[np.bool_]:
    """Return which points (M, 2) of a face no disc covers."""
    reach = np.hypot(*q.T).max() + _RIM_MM
    hiding = hiding[np.hypot(*(hiding[:, :2] - pose[:2]).T) < reach + hiding[:, 2]]
    if not len(hiding):
        return np.ones(len(q), bool)
    there = q @ rotation(float(pose[2])).T + pose[:2]
    away = np.hypot(*np.moveaxis(there[:, None] - hiding[:, :2], -1, 0)) - hiding[:, 2]
    return np.asarray(away.min(axis=1) > _RIM_MM, np.bool_)


def _channel(art: ImageBGR) -> NDArray[np.float32]:
    """Return the mix of B, G, R (3,) with the most contrast in a face."""
    small = cv2.resize(art, (32, 32), interpolation=cv2.INTER_AREA).reshape(-1, 3).astype(float)
    mixes = np.vstack([LUMA, np.eye(3, dtype=np.float32)])
    spread = (small @ mixes.T).std(axis=0) * [1.5, 1, 1, 1]  # lightness has the least noise
    return np.asarray(mixes[int(spread.argmax())], np.float32)


def _samples(
    art: ImageBGR, radius_mm: float, px_per_mm: float, channel: NDArray[np.float32]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return points of a face (M, 2) mm, its values there (M,) and gradients per mm (M, 2)."""
    h, w = art.shape[:2]
    scale = px_per_mm * 2 * radius_mm / min(h, w)
    gray = art.astype(np.float32) @ channel
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    small = cv2.resize(gray, None, fx=scale, fy=scale, interpolation=way)
    soft = cv2.GaussianBlur(small, (0, 0), _BLUR_PX)
    y, x = np.mgrid[0 : small.shape[0], 0 : small.shape[1]]
    middle = (np.array(small.shape[::-1]) - 1) / 2
    q = (np.stack([x, y], axis=-1) - middle) / px_per_mm
    by_y, by_x = np.gradient(soft)
    inside = np.hypot(q[..., 0], q[..., 1]) < _INSIDE * radius_mm
    slopes = np.stack([by_x, by_y], axis=-1)[inside] * px_per_mm
    return q[inside], soft[inside].astype(float), slopes.astype(float)


def compare_differences(
    rectified: Rectified,
    image: NDArray[np.float32],
    faces: DiscFaces,
    order: Sequence[int],
    pose: FloatArray,
    hiding: Discs,
) -> FloatArray:
    """Compare a registered face with others where they differ, such as a number on equal tokens.

    Parameters
    ----------
    rectified, image, faces, hiding
        As of :func:`register_face`.
    order : sequence of int
        K of the faces, the registered one first.
    pose : (3,) float64
        Its pose.

    Returns
    -------
    (K,) float64
        Log odds (natural) of each face against the registered one.
    """
    face = order[0]
    mix, (q, own, _) = faces.channel(face), faces.samples(face, face)
    shows = _are_visible(q, pose, hiding)
    q, own = q[shows], own[shows]
    at = rectified.to_px(q @ rotation(float(pose[2])).T + pose[:2])
    seen = sample(image @ mix, at, cv2.BORDER_CONSTANT)
    gain, level = np.polyfit(own, seen.astype(float), 1)
    left = seen - gain * own - level
    noise = max(float(robust_sd(left, middle=np.zeros(1))), _LEAST_NOISE)
    odds = np.zeros(len(order))
    for k, other_face in enumerate(order):
        other = faces.samples(other_face, face)[1][shows]
        where = np.abs(other - own) > DIFFERS
        worse = (seen - gain * other - level)[where] ** 2 - left[where] ** 2
        odds[k] = -np.clip(worse / noise**2, -9, 9).sum() / (2 * _INDEPENDENCE)
    return odds
