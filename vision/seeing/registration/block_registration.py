"""Registers named cards on a plane by their print, block by block, to a fraction of a pixel.

The image of a face is laid over the card at its predicted pose and cut into blocks. For each block
the least squares shift between the two is found, together with the light's gain and bias in each
colour. A block is accurate along the directions in which its print changes and inaccurate along
others; its covariance holds both.

References
----------
.. [1] Lucas and Kanade, An Iterative Image Registration Technique, 1981.
.. [2] Benhimane and Malis, Real-time Image-based Tracking of Planes using Efficient Second-order
   Minimization, 2004.
.. [3] Förstner and Gülch, A Fast Operator for Detection and Precise Location of Distinct Points,
   1987 (the covariance of a shift).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.view import View, to_level
from vision.seeing.estimation.model import Measurements, Solution, join_measurements
from vision.seeing.registration.edge_fitting import SMOOTH_PX
from vision.seeing.registration.sample_grid import BlockGrid, centre_derivatives, observe_shifts
from vision.values.arrays import BoolArray, FloatArray, IntArray
from vision.values.pieces import Faces

__all__ = ["PrintMeasurements", "register_print"]


# The face is smoothed by SMOOTH_PX, to match the photo; the photo by half of it.
_FLOOR_MM = 0.05  # least deviation of a block's shift: error of the deck's images
_LEAST_PX_PER_MM = 0.4  # at a coarser resolution no print is visible
_MOST_PX_PER_MM = 2.2  # finer costs time for little: shifts are accurate to 0.02 px
_LEAST_BLOCK_PX = 8  # side of a block; fewer pixels give no shift
_LEAST_LIKE = 0.5  # least correlation of a block; lower: something covers it
_MOST_SHIFT_PX = 1.6  # a larger shift is beyond the range of the linearisation
_SIMILAR_NOISE = 3.0  # inflates the noise: neighbouring pixels share blur and noise
# cards whose scales differ by less than this factor are measured together
_SIMILAR_SCALE = 1.25
_AT_ONCE = 8  # largest number of cards in such a group: a megabyte each
_LEAST_GAIN = 0.15  # least contrast, of the face's
# least rms contrast of a block of the face (of white); below, it is blank
_LEAST_CONTRAST = 0.03


@dataclass(frozen=True, slots=True, eq=False)
class PrintMeasurements:
    """Measured positions of print: two measurements per block that could be compared.

    They are along the block's directions of least and most variance. ``visible`` (N,) is the share
    of the printed blocks on each card's face that agree with the photo.
    """

    seen: Measurements
    visible: FloatArray


def register_print(
    view: View,
    solution: Solution,
    faces: IntArray,
    bank: Faces,
    fineness: float = 1.0,
    blocks: int = 6,
) -> PrintMeasurements:
    """Measure the positions of the cards' print.

    Parameters
    ----------
    view : View
        The photo.
    solution : Solution
        Camera, plane and N poses, each so that its face is upright.
    faces : (N,) int
        Face of the bank on each card; -1 for none.
    bank : Faces
        The faces.
    fineness : float
        Compared resolution, relative to the coarser of photo and face.
    blocks : int
        Across a card's shorter side: each holds some strokes.

    Returns
    -------
    PrintMeasurements
        Nothing for cards without a face; their ``visible`` is 0.
    """
    visible = np.zeros(len(faces))
    moved = []
    for group in _group_by_scale(solution, np.flatnonzero(faces >= 0), bank, fineness):
        found = _measure_cards(view, solution, group, faces, bank, blocks)
        if found is not None:
            moved.append(found)
            visible[group.card] = found.visible
    if not moved:
        return PrintMeasurements(join_measurements([]), visible)
    whose, centre, shift, spread = (
        np.concatenate([getattr(of, name) for of in moved])
        for name in ("card", "centre_mm", "shift_mm", "covariance")
    )
    return PrintMeasurements(
        observe_shifts(solution, whose, centre, shift, spread, np.inf), visible
    )


@dataclass(frozen=True, slots=True, eq=False)
class _SameScale:
    """Cards (N,) of similar scale: largest pixels per mm of each (N,), common samples per mm."""

    card: IntArray
    px_per_mm: FloatArray
    scale: float


def _group_by_scale(
    solution: Solution, cards: IntArray, bank: Faces, fineness: float
) -> Iterator[_SameScale]:
    """Yield groups of cards of similar scale, of at most ``at_once`` cards."""
    across = np.linalg.norm(centre_derivatives(solution, cards), axis=2)
    finest = np.minimum(np.sqrt(across.prod(axis=1)), min(bank.px_per_mm, _MOST_PX_PER_MM))
    scales = np.maximum(fineness * finest, _LEAST_PX_PER_MM)
    order = np.argsort(-scales, kind="stable")
    while len(order):
        count = int(np.count_nonzero(scales[order] > scales[order[0]] / _SIMILAR_SCALE))
        some, order = np.split(order, [min(count, _AT_ONCE)])
        scale = float(np.exp(np.log(scales[some]).mean()))
        yield _SameScale(cards[some], across[some].max(axis=1), scale)


@dataclass(frozen=True, slots=True, eq=False)
class _BlockOffsets:
    """Blocks (B) that agree with the photo: card, centre, shift and its covariance.

    ``visible`` (N,) is the share of agreeing blocks among the printed ones of each measured card.
    """

    card: IntArray
    centre_mm: FloatArray
    shift_mm: FloatArray
    covariance: FloatArray
    visible: FloatArray


def _measure_cards(
    view: View,
    solution: Solution,
    group: _SameScale,
    faces: IntArray,
    bank: Faces,
    blocks: int,
) -> _BlockOffsets | None:
    """Measure cards of similar scale; ``faces`` are the faces of all cards."""
    cards, scale, shown = group.card, group.scale, faces[group.card].tolist()
    side = max(int(min(bank.size_mm) * scale / blocks), _LEAST_BLOCK_PX)
    grid = _grid(bank.size_mm, scale, side)
    if grid is None:
        return None
    nodes = grid.project_nodes(solution, cards)
    levels = [_level(px / scale, len(view)) for px in group.px_per_mm.tolist()]
    photos = [
        _smooth(_sample_photo(view, level, grid.between(to_level(at, level))), SMOOTH_PX / 2)
        for at, level in zip(nodes, levels, strict=True)
    ]
    of_face = {
        face: _smooth(_sample_face(bank, face, grid, scale), SMOOTH_PX) for face in set(shown)
    }
    templates = [of_face[face] for face in shown]
    shift, spread, like, printed = _shift_blocks(photos, templates, grid)
    good = (like > _LEAST_LIKE) & (np.linalg.norm(shift, axis=1) < _MOST_SHIFT_PX)
    good &= np.isfinite(spread).all(axis=(1, 2))
    n, agree = len(cards), (good & printed).reshape(len(cards), -1).sum(axis=1)
    return _BlockOffsets(
        np.repeat(cards, len(good) // n)[good],
        np.tile(grid.centres_mm, (n, 1))[good],
        shift[good] / scale,
        spread[good] / scale**2 + _FLOOR_MM**2 * np.eye(2),
        np.asarray(agree / np.maximum(printed.reshape(n, -1).sum(axis=1), 1), np.float64),
    )


def _smooth(picture: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma), np.float32)


def _grid(size_mm: tuple[float, float], scale: float, side: int) -> BlockGrid | None:
    """Build a grid of whole blocks centred on a card, step 1 / scale; None if there is no room."""
    w, h = (int(length * scale / side) * side for length in size_mm)
    if not w or not h:
        return None
    x, y = ((np.arange(n, dtype=np.float64) - (n - 1) / 2) / scale for n in (w, h))
    return BlockGrid.of(x, y, (side, side), np.array([w, h]) / (2 * scale))


def _level(px_per_sample: float, levels: int) -> int:
    """Return the level of a view that has about one pixel per sample."""
    return int(np.clip(np.floor(np.log2(max(px_per_sample, 1.0)) + 0.3), 0, levels - 1))


def _sample_photo(
    view: View, level: int, at_px: tuple[FloatArray, FloatArray]
) -> NDArray[np.float32]:
    """Sample a level of the photo at x and y (h, w) of that level: (h, w, 3), 0..1."""
    maps = [at.astype(np.float32) for at in at_px]
    size = np.array(view[level].shape[1::-1])
    low = np.clip([int(np.floor(at.min())) - 2 for at in maps], 0, size - 1)
    high = np.clip([int(np.ceil(at.max())) + 3 for at in maps], 1, size)
    crop = view[level][low[1] : high[1], low[0] : high[0]].astype(np.float32)
    x, y = (at - np.float32(start) for at, start in zip(maps, low.tolist(), strict=True))
    sampled = cv2.remap(crop, x, y, cv2.INTER_CUBIC, None, cv2.BORDER_REPLICATE)
    return np.asarray(sampled, np.float32) * np.float32(1 / 255)


def _sample_face(bank: Faces, face: int, grid: BlockGrid, scale: float) -> NDArray[np.float32]:
    """Sample a face over the grid: (h, w, 3), 0..1."""
    picture = np.asarray(bank.images[face])
    step = bank.px_per_mm / scale
    shrink = int(step)
    if shrink > 1:
        high, wide = (length // shrink for length in picture.shape[:2])
        picture = np.asarray(cv2.resize(picture, (wide, high), interpolation=cv2.INTER_AREA))
        step /= shrink
    if step > 1.3:
        picture = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.35 * step), np.uint8)
    size_px = np.array(picture.shape[1::-1])
    per_mm = size_px / bank.size_mm
    middle = (size_px - 1) / 2
    x, y = np.meshgrid(
        (grid.x * per_mm[0] + middle[0]).astype(np.float32),
        (grid.y * per_mm[1] + middle[1]).astype(np.float32),
    )
    sampled = cv2.remap(picture, x, y, cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE)
    return np.asarray(sampled, np.float32) / np.float32(255)


def _shift_blocks(
    photos: Sequence[NDArray[np.float32]],
    templates: Sequence[NDArray[np.float32]],
    grid: BlockGrid,
) -> tuple[FloatArray, FloatArray, FloatArray, BoolArray]:
    """Estimate the shift of each block of cards (h, w, 3), card by card.

    Returns
    -------
    shift : (B, 2) float64
        Offset of the photo's print from the template's, samples of the grid.
    spread : (B, 2, 2) float64
        Its covariance; inf where there is no print.
    like : (B,) float64
        Correlation of the blocks, over all colours.
    printed : (B,) bool
        Which blocks of the face are not blank.
    """

    def cut(pictures: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        blocks = grid.blocks(np.stack(pictures))
        flat = np.ascontiguousarray(blocks.reshape(-1, *blocks.shape[2:]).swapaxes(1, 2))
        return np.asarray(flat - flat.mean(axis=2, keepdims=True), np.float32)

    def sloped(picture: NDArray[np.float32], way: tuple[int, int]) -> NDArray[np.float32]:
        return np.asarray(cv2.Sobel(picture, cv2.CV_32F, *way, scale=1 / 8), np.float32)

    slopes = [
        cut([sloped(of, way) for of in pictures])
        for pictures in (templates, photos)
        for way in ((1, 0), (0, 1))
    ]
    t, p = cut(templates), cut(photos)  # (B, 3, P)
    tt = np.maximum(_block_products(t, t), 1e-9)
    tp, pp = _block_products(t, p), _block_products(p, p)
    gain = tp / tt
    like = tp.sum(axis=1) / np.sqrt(np.maximum(tt.sum(axis=1) * pp.sum(axis=1), 1e-12))
    rest = p - gain[..., None] * t
    # the mean gradient of both images is accurate to second order
    use = np.maximum(gain, 0) * (gain > _LEAST_GAIN)
    by_face, by_photo = (use[..., None] / 2, (use > 0)[..., None] * np.float32(0.5))
    both = [by_face * slopes[k] + by_photo * slopes[k + 2] for k in (0, 1)]
    # the part of the gradients that a change of gain explains is no shift
    both = [of - (_block_products(of, t) / tt)[..., None] * t for of in both]
    g = np.stack(both, axis=1).reshape(len(t), 2, -1)
    rest = rest.reshape(len(t), -1, 1)
    normal = (g @ g.swapaxes(1, 2)).astype(np.float64)
    right = -(g @ rest).astype(np.float64)
    ridge = 1e-9 + 1e-3 * np.trace(normal, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(2)
    blank = np.trace(normal, axis1=1, axis2=2) < 1e-6
    inverse = np.linalg.inv(normal + ridge)
    shift = inverse @ right
    left = rest + g.swapaxes(1, 2) @ shift.astype(np.float32)
    variance = (left**2).mean(axis=(1, 2)).astype(np.float64) * _SIMILAR_NOISE**2
    spread = inverse * variance[:, None, None]
    spread[blank] = np.inf
    printed = np.sqrt(tt.sum(axis=1) / t.shape[2]) > _LEAST_CONTRAST
    return shift[..., 0], spread, like.astype(np.float64), printed


def _block_products(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the sums of products (B, 3) of two images in blocks (B, 3, P)."""
    return np.asarray(np.einsum("bcp,bcp->bc", a, b), np.float32)
