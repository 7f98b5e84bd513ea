"""Named cards on a plane -> where their print shows, to a fraction of a pixel.

The picture of a face is laid over the card where the present solution expects it, and cut into
blocks; in each, the least squares shift between the two is found, together with the light's gain
and lift in each colour. A block says much along the directions in which its print changes and
little along others; both are told by its covariance.

References
----------
.. [1] Lucas and Kanade, An Iterative Image Registration Technique, 1981.
.. [2] Benhimane and Malis, Real-time Image-based Tracking of Planes using Efficient Second-order
   Minimization, 2004.
.. [3] Förstner and Gülch, A Fast Operator for Detection and Precise Location of Distinct Points,
   1987 (the covariance of a shift).
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.view import View, to_level
from vision.seeing.solve.model import Measurements, Solution, join_measurements, project
from vision.values.arrays import BoolArray, FloatArray, IntArray
from vision.values.pieces import Faces

__all__ = ["AlignSettings", "Print", "measure_print"]


@dataclass(frozen=True, slots=True)
class AlignSettings:
    """How the print is compared."""

    soft_px: float = 0.8  # of the face, to be as soft as the photo; of the photo half of it
    least_px_per_mm: float = 0.4
    most_px_per_mm: float = 2.2  # finer adds time, not much else: shifts are told to 0.02 px
    least_block_px: int = 8  # a side: fewer pixels give no shift
    least_like: float = 0.5  # correlation of a block: below, something covers it
    most_shift_px: float = 1.6  # beyond, the slopes at the start say nothing
    alike_noise: float = 3.0  # neighbouring pixels share their blur and their noise
    least_gain: float = 0.15  # of the face's contrast
    least_contrast: float = 0.03  # of white, in a block of the face: else it is blank


@dataclass(frozen=True, slots=True, eq=False)
class Print:
    """Where print was found: two measurements for each block that could be compared.

    They lie along the directions that a block tells best and worst. ``visible`` (N,) is the share
    of the blocks with print on each card's face that agree with the photo.
    """

    seen: Measurements
    visible: FloatArray


def measure_print(
    pyramid: View,
    solution: Solution,
    faces: IntArray,
    bank: Faces,
    *,
    fineness: float = 1.0,
    blocks: int = 6,
    floor_mm: float = 0.05,
    settings: AlignSettings | None = None,
) -> Print:
    """Measure where the print of cards shows.

    Parameters
    ----------
    pyramid : tuple of (H, W, 3) uint8
        The photo, and halves of it.
    solution : Solution
        Camera, plane and N poses, each so that its face is upright.
    faces : (N,) int
        Which face of the bank each card shows; -1 for none.
    bank : Faces
        The faces.
    fineness : float
        Of the scale at which photo and face are compared, against the coarser of the two.
    blocks : int
        Across a card's shorter side.
    floor_mm : float
        A block's shift is never believed better than this.

    Returns
    -------
    Print
        Of cards without a face nothing, and 0 of them visible.
    """
    s = settings or AlignSettings()
    parts = []
    visible = np.zeros(len(faces))
    for card in np.flatnonzero(faces >= 0):
        part, visible[card] = _measure_card(
            pyramid, solution, int(card), int(faces[card]), bank, fineness, blocks, floor_mm, s
        )
        if part is not None:
            parts.append(part)
    return Print(join_measurements(parts), visible)


def _measure_card(
    pyramid: View,
    solution: Solution,
    card: int,
    face: int,
    bank: Faces,
    fineness: float,
    blocks: int,
    floor_mm: float,
    s: AlignSettings,
) -> tuple[Measurements | None, float]:
    """Measure one card: what its blocks say, and the share of them that agrees."""
    width, height = bank.size_mm
    probe = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    seen = project(solution, np.full(3, card), probe)
    across = np.linalg.norm(seen[1:] - seen[0], axis=1)
    finest = min(bank.px_per_mm, float(np.sqrt(across.prod())), s.most_px_per_mm)
    scale = max(fineness * finest, s.least_px_per_mm)
    side = int(min(width, height) * scale / blocks)
    if side < s.least_block_px:
        side = s.least_block_px
    columns, rows = int(width * scale / side), int(height * scale / side)
    if columns < 1 or rows < 1:
        return None, 0.0
    # the lattice lies centred on the card; its pixels are 1 / scale apart
    w, h = columns * side, rows * side
    x: FloatArray = (np.arange(w, dtype=np.float64) - (w - 1) / 2) / scale
    y: FloatArray = (np.arange(h, dtype=np.float64) - (h - 1) / 2) / scale
    photo = _sample_photo(pyramid, solution, card, x, y, scale, float(across.max()))
    template = _sample_face(bank, face, x, y, scale)
    template, photo = (
        np.asarray(cv2.GaussianBlur(picture, (0, 0), soft), np.float32)
        for picture, soft in ((template, s.soft_px), (photo, s.soft_px / 2))
    )
    shift, spread, like, printed = _shift_blocks(photo, template, side, s)
    middle = np.stack(
        np.meshgrid(x.reshape(columns, side).mean(axis=1), y.reshape(rows, side).mean(axis=1)),
        axis=-1,
    ).reshape(-1, 2)
    good = (like > s.least_like) & (np.linalg.norm(shift, axis=1) < s.most_shift_px)
    good &= np.isfinite(spread).all(axis=(1, 2))
    if not good.any():
        return None, 0.0
    shown = _observe(
        solution, card, middle[good], shift[good] / scale, spread[good] / scale**2, floor_mm
    )
    return shown, float((good & printed).sum() / max(printed.sum(), 1))


def _sample_photo(
    pyramid: View,
    solution: Solution,
    card: int,
    x: FloatArray,
    y: FloatArray,
    scale: float,
    px_per_mm: float,
) -> NDArray[np.float32]:
    """Return the photo (h, w, 3) over the lattice of a card, 0..1."""
    # the lens bends slowly: a few points give all, by interpolation
    knots = 9
    kx, ky = np.linspace(x[0], x[-1], knots), np.linspace(y[0], y[-1], knots)
    points = np.stack(np.meshgrid(kx, ky), axis=-1).reshape(-1, 2)
    at = project(solution, np.full(len(points), card), points)
    lattice = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    places = _polynomial(points, at, lattice, x[-1], y[-1])
    level = int(np.clip(np.floor(np.log2(max(px_per_mm / scale, 1.0)) + 0.3), 0, len(pyramid) - 1))
    maps = to_level(places, level).astype(np.float32).reshape(len(y), len(x), 2)
    low = np.floor(maps.min(axis=(0, 1))).astype(int) - 2
    high = np.ceil(maps.max(axis=(0, 1))).astype(int) + 3
    size = np.array(pyramid[level].shape[1::-1])
    low, high = np.clip(low, 0, size - 1), np.clip(high, 1, size)
    crop = pyramid[level][low[1] : high[1], low[0] : high[0]].astype(np.float32) / 255
    maps -= low.astype(np.float32)
    sampled = cv2.remap(
        crop, maps[..., 0], maps[..., 1], cv2.INTER_CUBIC, None, cv2.BORDER_REPLICATE
    )
    return np.asarray(sampled, np.float32)


def _polynomial(
    points: FloatArray, values: FloatArray, at: FloatArray, half_x: float, half_y: float
) -> FloatArray:
    """Fit a smooth map to (P, 2) values at points, and return it at (Q, 2) places."""

    def base(p: FloatArray) -> FloatArray:
        powers = np.ones((5, *p.shape))
        for k in range(1, 5):
            powers[k] = powers[k - 1] * p / [half_x, half_y]
        u, v = powers[..., 0], powers[..., 1]
        return np.stack([u[i] * v[j] for i in range(5) for j in range(5 - i)], axis=1)

    coefficients = np.linalg.lstsq(base(points), values, rcond=None)[0]
    return np.asarray(base(at) @ coefficients, np.float64)


def _sample_face(
    bank: Faces, face: int, x: FloatArray, y: FloatArray, scale: float
) -> NDArray[np.float32]:
    """Return a face (h, w, 3) over the lattice, 0..1."""
    picture = np.asarray(bank.images[face])
    step = bank.px_per_mm / scale
    if step > 1.3:
        picture = cv2.GaussianBlur(picture, (0, 0), 0.35 * step)
    h, w = picture.shape[:2]
    per_mm = np.array([w / bank.width_mm, h / bank.height_mm])
    at = np.stack(np.meshgrid(x, y), axis=-1) * per_mm + (np.array([w, h]) - 1) / 2
    maps = at.astype(np.float32)
    sampled = cv2.remap(
        picture, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE
    )
    return np.asarray(sampled, np.float32) / np.float32(255)


def _shift_blocks(
    photo: NDArray[np.float32], template: NDArray[np.float32], side: int, s: AlignSettings
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Find the shift of each block.

    Returns
    -------
    shift : (B, 2) float64
        By which the photo's print lies beyond the template's, pixels of the lattice.
    spread : (B, 2, 2) float64
        Its covariance; inf where there is no print.
    like : (B,) float64
        How well the blocks correlate, over all colours.
    printed : (B,) bool
        Which blocks of the face are not blank.
    """
    slopes = [
        _blocks(np.asarray(cv2.Sobel(of, cv2.CV_32F, *way, scale=1 / 8), np.float32), side)
        for of in (template, photo)
        for way in ((1, 0), (0, 1))
    ]
    t, p = _blocks(template, side), _blocks(photo, side)
    t, p, *slopes = (v - v.mean(axis=1, keepdims=True) for v in (t, p, *slopes))
    tt = np.maximum((t * t).sum(axis=1), 1e-9)  # (B, 3)
    tp, pp = (t * p).sum(axis=1), (p * p).sum(axis=1)
    gain = tp / tt
    like = tp.sum(axis=1) / np.sqrt(np.maximum(tt.sum(axis=1) * pp.sum(axis=1), 1e-12))
    rest = p - gain[:, None] * t
    # halfway between the two pictures the slopes are right to the second order
    use = np.maximum(gain, 0) * (gain > s.least_gain)
    gx, gy = ((use[:, None] * slopes[k] + (use > 0)[:, None] * slopes[k + 2]) / 2 for k in (0, 1))
    # what a change of gain explains of the slopes is no shift
    gx = gx - ((gx * t).sum(axis=1) / tt)[:, None] * t
    gy = gy - ((gy * t).sum(axis=1) / tt)[:, None] * t
    g = np.stack([gx, gy], axis=-1).reshape(len(t), -1, 2)
    normal = np.einsum("bpi,bpj->bij", g, g)
    right = -np.einsum("bpi,bp->bi", g, rest.reshape(len(t), -1))
    ridge = 1e-9 + 1e-3 * np.trace(normal, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(2)
    blank = np.trace(normal, axis1=1, axis2=2) < 1e-6
    inverse = np.linalg.inv(normal + ridge)
    shift = np.einsum("bij,bj->bi", inverse, right)
    left = rest.reshape(len(t), -1) + np.einsum("bpi,bi->bp", g, shift)
    variance = (left**2).mean(axis=1) * s.alike_noise**2
    spread = inverse * variance[:, None, None]
    spread[blank] = np.inf
    printed = np.sqrt(tt.sum(axis=1) / t.shape[1]) > s.least_contrast
    return shift, spread, like, printed


def _blocks(picture: NDArray[np.float32], side: int) -> NDArray[np.float32]:
    """Cut a picture (h, w, 3) into blocks: (B, side * side, 3), row by row."""
    h, w = picture.shape[:2]
    cut = picture.reshape(h // side, side, w // side, side, 3).transpose(0, 2, 1, 3, 4)
    return np.asarray(cut.reshape(-1, side * side, 3), np.float32)


def _observe(
    solution: Solution,
    card: int,
    points: FloatArray,
    shift_mm: FloatArray,
    spread_mm2: FloatArray,
    floor_mm: float,
) -> Measurements:
    """Turn the shifts (B, 2) of blocks on a card into measurements in the photo."""
    cards = np.full(len(points), card)
    at = project(solution, cards, points)
    slopes = np.stack(
        [(project(solution, cards, points + d) - at) / 0.1 for d in ([0.1, 0.0], [0.0, 0.1])],
        axis=2,
    )  # (B, 2, 2): photo px by card mm
    seen = at + np.einsum("bij,bj->bi", slopes, shift_mm)
    variance, axes = np.linalg.eigh(spread_mm2)
    back = np.linalg.inv(slopes)
    rows = np.einsum("bij,bik->bjk", axes, back)  # each axis in mm, of a shift in px
    length = np.linalg.norm(rows, axis=2)  # mm of it per px along the normal
    sigma = np.sqrt(np.maximum(variance, 0) + floor_mm**2) / length
    none = np.zeros(2 * len(points))
    return Measurements(
        np.repeat(cards, 2),
        np.repeat(points, 2, axis=0),
        np.repeat(seen, 2, axis=0),
        (rows / length[..., None]).reshape(-1, 2),
        sigma.reshape(-1),
        polarity=none,
        wall=none,
        printed=none,
    )
