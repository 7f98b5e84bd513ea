"""Matches round faces with discs in a photo: by rings at all rotations, then by all gradients.

All sums over rings at all rotations are products of Fourier transforms. Covered parts of a disc do
not count: means and lengths are taken over its visible part, so a face under another is compared by
its rim alone. A face is registered by its gradients, and compared with others where they differ.

References
----------
.. [1] Baker and Matthews, Lucas-Kanade 20 Years On, 2004 (gain and bias).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import rotation, wrap_angle
from vision.imaging.view import sample
from vision.seeing.estimation.rectify import Rectified
from vision.seeing.pieces.print_comparison import LUMA, to_opponent_colours
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, Points, robust_sd

__all__ = [
    "COARSE_RINGS",
    "DIFFERS",
    "FINE_RINGS",
    "DiscFaces",
    "Discs",
    "RingSettings",
    "Rings",
    "compare_differences",
    "masked_ring_correlation",
    "register_face",
    "rings_of",
    "sample_rings",
    "to_ring_image",
]

_Floats = NDArray[np.float32]


@dataclass(frozen=True)
class RingSettings:
    """Settings of the ring samples."""

    rings: int = 10  # a disc of 20 pixels is sampled once a pixel
    turns: int = 72  # steps of five degrees, interpolated by a parabola
    innermost: float = 0.08  # of the radius: nearer to the centre all rotations are alike
    outermost: float = 0.92  # of the radius: beyond, the edge and its shadow begin
    colour: float = 1.5  # weight of colour: paler in photos, relative to lightness
    faint: float = 6.0  # grey levels of spread below which all is noise

    @cached_property
    def weights(self) -> _Floats:
        """Weight of a sample of each ring (R, 1); the weights of all samples add up to 1."""
        radii = np.linspace(self.innermost, self.outermost, self.rings, dtype=np.float32)
        return np.asarray((radii / (radii.sum() * self.turns))[:, None], np.float32)

    @cached_property
    def samples(self) -> FloatArray:
        """Places (2, R, T) of the samples in a disc of radius 1, clockwise from the top."""
        angle = np.arange(self.turns) * 2 * np.pi / self.turns
        radii = np.linspace(self.innermost, self.outermost, self.rings)
        return np.stack([np.sin(angle), -np.cos(angle)])[:, None] * radii[:, None]


FINE_RINGS = RingSettings()
#: A sixth of the work, for a first pass over many places.
COARSE_RINGS = RingSettings(rings=6, turns=36)
_BY_PRINT = 0.6  # weight of lightness alone in a score: blue gas is no blue token


@dataclass(frozen=True, eq=False)
class Rings:
    """Ring samples of discs: ``values`` (N, C, R, T), lightness first; without colours C is 1."""

    values: _Floats
    settings: RingSettings

    @cached_property
    def spectra(self) -> _Floats:
        """Fourier transforms, real and imaginary: (2, F, N, C R)."""
        return _spectra(self.values)

    @cached_property
    def squares(self) -> _Floats:
        """Fourier transforms of the squares, of lightness and of all channels: (2, 2, F, N, R)."""
        squares = self.values**2
        each = squares[:, 0], squares.sum(axis=1)
        return np.stack([_spectra(one) for one in each])

    @cached_property
    def alike(self) -> _Floats:
        """Correlation of each disc with itself at all rotations: (N, T)."""
        whole = np.ones((1, *self.values.shape[2:]), np.float32)
        return np.stack(
            [
                _correlation(one[None], whole, Rings(one[None], self.settings))[0, 0]
                for one in self.values
            ]
        )


def to_ring_image(bgr: NDArray[np.generic], coloured: bool) -> _Floats:
    """Return the channels (H, W, C) of an image (H, W, 3), in the art's colours, for rings."""
    return np.ascontiguousarray(to_opponent_colours(bgr, coloured)[..., : 3 if coloured else 1])


def sample_rings(
    image: _Floats, centres_px: Points, radius_px: float, settings: RingSettings
) -> Rings:
    """Sample discs of a ring image (H, W, C) at centres (N, 2), clockwise from the top."""
    s = settings
    at = centres_px[:, :, None, None] + radius_px * s.samples
    seen = sample(image, np.moveaxis(at, 1, -1))
    values = np.array(np.moveaxis(seen, -1, 1), np.float32, order="C")
    values[:, 1:] *= s.colour
    return Rings(values, s)


def rings_of(arts: Sequence[ImageBGR], settings: RingSettings, *, coloured: bool = True) -> Rings:
    """Sample the art of round (or inscribed) faces, upright, cut to their edge."""
    discs = [np.zeros((0, 3 if coloured else 1, settings.rings, settings.turns), np.float32)]
    for art in arts:
        reach = min(art.shape[:2]) / 2
        scale = min(1.0, 4 * settings.rings / (2 * reach))
        small = cv2.resize(art, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
        middle = (np.array([small.shape[1::-1]]) - 1) / 2
        image = to_ring_image(small, coloured)
        discs.append(sample_rings(image, middle, reach * scale, settings).values)
    return Rings(np.concatenate(discs, dtype=np.float32), settings)


def _spectra(values: _Floats) -> _Floats:
    """Return the Fourier transforms of rings (N, ..., T), real and imaginary: (2, F, N, R).

    R are all rings of a disc, channel by channel.
    """
    turns = values.shape[-1]
    both = _fourier(turns).T @ values.reshape(-1, turns).T  # faster than FFTs of so few samples
    shape = 2, turns // 2 + 1, len(values), math.prod(values.shape[1:-1])
    return np.asarray(both.reshape(shape), np.float32)


def _products(one: _Floats, other: _Floats) -> _Floats:
    """Return the spectra (2, F, N, K) of sums over R rings of discs and rotated faces.

    ``one`` (2, F, N, R) are the spectra of the discs, ``other`` (2, F, K, R) those of the faces.
    """
    real, imaginary = other.swapaxes(2, 3)
    return np.stack(
        [one[0] @ real + one[1] @ imaginary, one[1] @ real - one[0] @ imaginary],
    )


def _rotated(products: _Floats, turns: int) -> _Floats:
    """Return sums (M, N, K, T) at all rotations from their spectra (M, 2, F, N, K)."""
    sums, _, _, discs, faces = products.shape
    back = _inverse_fourier(turns)
    found = np.empty((sums, discs * faces, turns), np.float32)
    for own, both in zip(found, products.reshape(sums, len(back), -1), strict=True):
        np.matmul(both.T, back, out=own)
    return found.reshape(sums, discs, faces, turns)


@cache
def _fourier(turns: int) -> _Floats:
    """Return the matrix (T, 2 F) from samples of a ring to real and imaginary parts."""
    angle = 2 * np.pi / turns * np.outer(np.arange(turns), np.arange(turns // 2 + 1))
    return np.concatenate([np.cos(angle), -np.sin(angle)], axis=1).astype(np.float32)


@cache
def _inverse_fourier(turns: int) -> _Floats:
    """Return the matrix (2 F, T) from real and imaginary parts to samples of a ring."""
    count = np.full(turns // 2 + 1, 2 / turns, np.float32)
    count[0] = 1 / turns
    if turns % 2 == 0:
        count[-1] = 1 / turns
    return np.ascontiguousarray((_fourier(turns) * np.tile(count, 2)).T, np.float32)


def masked_ring_correlation(
    seen: Rings, faces: Rings, centres_px: Points, radius_px: float, hiding_px: FloatArray
) -> tuple[_Floats, FloatArray]:
    """Correlate the visible parts of discs with faces at all rotations.

    Parameters
    ----------
    seen, faces : Rings
        N discs and K faces.
    centres_px : (N, 2) float64
        Centres of the discs.
    radius_px : float
        Their radius.
    hiding_px : (M, 3) float64
        Discs that lie over them: centre and radius.

    Returns
    -------
    similarity : (N, K, T) float32
        -1..1, of print and colour; rotation t is a face rotated clockwise by t of the T steps.
    share : (N,) float64
        Visible share of each disc.
    """
    is_part, mask = _visible_samples(centres_px, radius_px, hiding_px, seen.settings)
    whole = np.ones((1, *seen.values.shape[2:]), np.float32)
    share = np.ones(len(centres_px))
    if not is_part.any():
        return _correlation(seen.values, whole, faces), share
    share[is_part] = (mask * faces.settings.weights).sum(axis=(1, 2))
    similarity = np.empty((len(share), len(faces.values), seen.settings.turns), np.float32)
    similarity[~is_part] = _correlation(seen.values[~is_part], whole, faces)
    similarity[is_part] = _correlation(seen.values[is_part], mask, faces)
    return similarity, share


def _correlation(values: _Floats, mask: _Floats, faces: Rings) -> _Floats:
    """Correlate discs (N, C, R, T) by their visible samples, ``mask`` (N or 1, R, T)."""
    rings, turns = values.shape[2:]
    covers = mask * faces.settings.weights
    covers /= np.maximum(covers.sum(axis=(1, 2), keepdims=True), 1e-6)
    values = values.copy()
    values[:, 0] -= (values[:, 0] * covers).sum(axis=(1, 2), keepdims=True)
    weighted = values * covers[:, None]
    length = np.cumsum((values * weighted).sum(axis=(2, 3)), axis=1)[:, [0, -1]]
    own, arts, shown = _spectra(weighted), faces.spectra, _spectra(covers)
    light = _products(own[..., :rings], arts[..., :rings])
    cross = [light]
    squares = faces.squares
    if values.shape[1] > 1:
        cross.append(light + _products(own[..., rings:], arts[..., rings:]))
    else:
        squares = squares[:1]
    mean = _rotated(_products(shown, arts[..., :rings])[None], turns)
    second = _rotated(np.stack([_products(shown, one) for one in squares]), turns) - mean**2
    similarity = _rotated(np.stack(cross), turns)
    for one, first, other in zip(similarity, length.T, second, strict=False):
        one /= np.sqrt(
            np.maximum(first, FINE_RINGS.faint**2)[:, None, None]
            * np.maximum(other, FINE_RINGS.faint**2)
        )
    # without colours the last is that of lightness, too
    both = _BY_PRINT * similarity[0] + (1 - _BY_PRINT) * similarity[-1]
    return np.asarray(both, np.float32)


def _visible_samples(
    centres_px: Points, radius_px: float, hiding_px: FloatArray, s: RingSettings
) -> tuple[BoolArray, _Floats]:
    """Return which discs (N,) others cover in part, and which samples (M, R, T) of those show."""
    away = np.hypot(*np.moveaxis(centres_px[:, None] - hiding_px[:, :2], -1, 0))
    over = away < radius_px + hiding_px[:, 2]
    is_part = np.asarray(over.any(axis=1), np.bool_)
    centres, over = centres_px[is_part], over[is_part]
    mask = np.ones((len(centres), s.rings, s.turns), np.float32)
    for k in np.flatnonzero(over.any(axis=0)):
        near = over[:, k]
        at = (centres[near] - hiding_px[k, :2])[:, :, None, None] + radius_px * s.samples
        mask[near] *= (at**2).sum(axis=1) > (1.04 * hiding_px[k, 2]) ** 2
    return is_part, mask


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
