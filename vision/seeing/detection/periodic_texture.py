"""A table from above, and what is known on it -> where its cloth repeats itself.

A checked cloth has squares as large as cards, and each of them has its like a few squares on. What
has its like at nearly all steps by which the whole table repeats itself is the cloth; what has none
lies on it. A few cards laid in rows are no cloth: most of the table must repeat itself, in two
directions, over further than a card reaches, so that nothing is its own like.

References
----------
.. [1] Padfield, Masked Object Registration in the Fourier Domain, 2012 (the correlation).
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.values.arrays import BoolArray, ImageBGR

__all__ = ["PeriodicTextureSettings", "find_periodic_texture"]


@dataclass(frozen=True, slots=True)
class PeriodicTextureSettings:
    """When a cloth repeats itself; lengths are shares of a card's width."""

    nearest: float = 1.9  # step: longer than a card's diagonal, so nothing is its own like
    farthest: float = 5.0  # and at most so long: farther on, cloth has creases
    level: float = 1.5  # over which light changes: what does so is taken out
    similarity: float = 0.75  # correlation of the table with itself, a step on
    overlap: float = 0.35  # of the table, that must have a place a step on
    most: int = 8  # steps, half of them each way, two both ways at once, and as many back
    sine: float = 0.4  # between the two ways at least: what lies in one row is no cloth
    beside_px: int = 1  # by which a like may lie aside: cloth has creases, and the plane is rough
    tones: float = 8.0  # by which it may differ on top of that,
    share: float = 0.3  # and of the spread of all tones
    outlying: float = 5.0  # times the middle tone: what else lies there, or thin lines
    bound: float = 2.0  # times the middle tone: no place weighs more
    votes: float = 0.5  # of the steps that lead to a free place, that must lead to a like,
    least: int = 2  # and so many: fewer say nothing


def find_periodic_texture(
    rectified: ImageBGR,
    free: BoolArray,
    width_px: float,
    settings: PeriodicTextureSettings | None = None,
) -> NDArray[np.int8] | None:
    """Tell where the free table has its like some steps on; None if it does not repeat itself.

    Parameters
    ----------
    rectified : (H, W, 3) uint8
        The table from above.
    free : (H, W) bool
        What the photo shows, and nothing known lies on.
    width_px : float
        How wide a card is.

    Returns
    -------
    (H, W) int8
        1 where it has, -1 where it has not, 0 where nothing is free, or too little some steps on.
    """
    s = settings or PeriodicTextureSettings()
    tones = _remove_illumination(rectified, free, free, s.level * width_px)
    tones = _remove_illumination(
        rectified, free, _drop_outliers(tones, free, s), s.level * width_px
    )
    bounded = _clip_tones(tones, free, s)
    steps = _periods(bounded, free, width_px, s)
    if not len(steps):
        return None
    spread = float(np.sqrt((bounded[free] ** 2).mean()))
    slack = np.float32(s.tones + s.share * spread)
    around = np.ones((2 * s.beside_px + 1,) * 2, np.uint8)
    least, most = cv2.erode(tones, around) - slack, cv2.dilate(tones, around) + slack
    asked = np.zeros(free.shape, np.int16)
    votes = np.zeros(free.shape, np.int16)
    for step in np.concatenate([steps, -steps]).tolist():
        here, there = _overlap(free.shape, step)
        both = free[here] & free[there]
        like = ((tones[here] >= least[there]) & (tones[here] <= most[there])).all(axis=2)
        asked[here] += both
        votes[here] += both & like
    told = np.where((votes >= s.least) & (votes >= s.votes * asked), 1, -1)
    return np.asarray(np.where(asked >= s.least, told, 0), np.int8)


def _remove_illumination(
    rectified: ImageBGR, free: BoolArray, own: BoolArray, sigma: float
) -> NDArray[np.float32]:
    """Return tones (H, W, 3) less those of the ``own`` round about; 0 where nothing is free."""
    shrink = max(1, int(sigma / 4))
    mask = own.astype(np.float32)
    masked = rectified.astype(np.float32) * mask[..., None]
    size_wh = (max(1, rectified.shape[1] // shrink), max(1, rectified.shape[0] // shrink))
    both = cv2.resize(np.dstack([masked, mask]), size_wh, interpolation=cv2.INTER_AREA)
    both = cv2.GaussianBlur(both, (0, 0), sigma / shrink)
    mean = both[..., :3] / np.maximum(both[..., 3:], 1e-3)
    level = cv2.resize(
        mean, (rectified.shape[1], rectified.shape[0]), interpolation=cv2.INTER_LINEAR
    )
    return np.asarray((rectified - level) * free[..., None], np.float32)


def _clip_tones(
    tones: NDArray[np.float32], free: BoolArray, s: PeriodicTextureSettings
) -> NDArray[np.float32]:
    """Bound how far tones (H, W, 3) are from none: a few bright things outweigh a faint cloth."""
    size, middle = _magnitudes(tones, free)
    share = np.minimum(s.bound * middle / np.maximum(size, 1e-6), 1.0)
    return np.asarray(tones * share[..., None], np.float32)


def _drop_outliers(
    tones: NDArray[np.float32], free: BoolArray, s: PeriodicTextureSettings
) -> BoolArray:
    """Leave out of what is free where tones (H, W, 3) are far from most: those tell no light."""
    size, middle = _magnitudes(tones, free)
    return np.asarray(free & (size <= s.outlying * max(middle, 1.0)), np.bool_)


def _magnitudes(tones: NDArray[np.float32], free: BoolArray) -> tuple[NDArray[np.float32], float]:
    """Return how far (H, W) tones are from none, and the middle of that where it is free."""
    size = np.asarray(np.linalg.norm(tones, axis=2), np.float32)
    return size, float(np.median(size[free])) if free.any() else 0.0


def _periods(
    tones: NDArray[np.float32], free: BoolArray, width_px: float, s: PeriodicTextureSettings
) -> NDArray[np.int64]:
    """Return the steps (N, 2), rows and columns, by which tones repeat themselves, one of +-.

    None unless they lead in two directions.
    """
    none = np.zeros((0, 2), np.int64)
    similarity = _autocorrelation(tones, free, round(s.farthest * width_px), s)
    reach = similarity.shape[0] - 1
    rows, columns = np.mgrid[: reach + 1, -reach : reach + 1]
    far = np.hypot(rows, columns)
    own = (far >= s.nearest * width_px) & (far <= reach)
    best = (
        (similarity >= cv2.dilate(similarity, np.ones((5, 5), np.uint8)))
        & own
        & (similarity > s.similarity)
    )
    at = np.argwhere(best)
    steps = at[np.argsort(-similarity[best], kind="stable")] - [0, reach]
    if not len(steps):
        return none
    way = steps / np.linalg.norm(steps, axis=1, keepdims=True)
    aside = np.abs(way[:, 0] * way[0, 1] - way[:, 1] * way[0, 0]) >= s.sine
    if not aside.any():
        return none
    along, across = steps[~aside][: s.most // 2], steps[aside][: s.most // 2]
    # both ways at once: another like, where a card hides those
    both = np.concatenate([along[:1] + across[:1], along[:1] - across[:1]])
    within = (np.abs(both) < free.shape).all(axis=1)
    both = both[within & (np.linalg.norm(both, axis=1) >= s.nearest * width_px)]
    return np.unique(np.concatenate([along, across, both]), axis=0)


def _autocorrelation(
    tones: NDArray[np.float32], free: BoolArray, reach: int, s: PeriodicTextureSettings
) -> NDArray[np.float32]:
    """Correlate tones with themselves some steps on: (R + 1, 2 R + 1).

    By 0 to R rows and -R to R columns, where both places are free; -1 where too few are.
    """
    height, width = free.shape
    reach = min(reach, height - 1, width - 1)
    shape = (cv2.getOptimalDFTSize(height + reach), cv2.getOptimalDFTSize(width + reach))
    mask = np.fft.rfft2(free.astype(np.float32), shape)
    energy = np.fft.rfft2((tones**2).sum(axis=2), shape)
    power = sum(np.abs(np.fft.rfft2(tones[..., c], shape)) ** 2 for c in range(tones.shape[2]))
    products = (power, mask.conj() * energy, energy.conj() * mask, np.abs(mask) ** 2)
    same, ahead, behind, count = (
        np.roll(np.fft.irfft2(of, shape), reach, axis=1)[: reach + 1, : 2 * reach + 1]
        for of in products
    )
    size = np.sqrt(np.maximum(ahead * behind, 1e-6))
    enough = (count > s.overlap * free.sum()) & (size > 1.0)
    return np.asarray(np.where(enough, same / size, -1.0), np.float32)


def _overlap(
    shape: tuple[int, ...], step: list[int]
) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Return the part of a picture that has a place a step on, and that of those places."""
    starts = [(max(0, -by), max(0, by)) for by in step]
    sizes = [n - abs(by) for n, by in zip(shape, step, strict=True)]
    (y, v), (x, u) = starts
    h, w = sizes
    return np.s_[y : y + h, x : x + w], np.s_[v : v + h, u : u + w]
