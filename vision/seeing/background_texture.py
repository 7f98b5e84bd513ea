"""The repeating pattern of a table: gingham, checks, stripes, a print on a cloth.

What repeats is the same some steps farther on. The steps are the peaks of the table's correlation
with itself, masked (Padfield 2012) and beyond the reach of a card, so that no card explains itself.
The quartiles of what lies such steps away tell how the bare table looks under whatever lies on it:
that which is less like what is seen there, so that cards in step with a cloth are none of it.
Separate from ``scene``: it knows neither photo nor camera.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from cv2.typing import MatLike
from numpy.typing import NDArray

from vision.imaging.masks import disc, some_of
from vision.imaging.view import halved
from vision.values.arrays import BoolArray, FloatArray, robust_sd

__all__ = ["NOISE", "OUTLIER", "off_plane", "pattern_of"]

_STEPS = 8  # the nearest, each taken there and back
_FARTHEST = 2.2  # of the reach of a card: farther off, errors of the plane tell
_APART = 0.3  # of that reach: from one step to the next
_SEEN = 0.1  # of the table, seen at both ends of a step
_LEAST = 3  # of the places that are a step away, seen: fewer have no outlier
_CORRELATED = 0.6  # least correlation of a table with itself, a step away
_REPEATS = 0.35  # of the spread round the plane, at most, is left of a table that repeats
NOISE = 0.03  # spread of a log tone or hue that noise and JPEG have
OUTLIER = 5.0  # spreads from the table's plane: a pixel farther off does not fit it


def pattern_of(
    tones: NDArray[np.float32], table: BoolArray, reach_px: float
) -> NDArray[np.float32] | None:
    """Return what the repeating pattern of a table adds to its plane; None if nothing repeats.

    Parameters
    ----------
    tones : (H, W, C) float32
        Logarithms of the tones.
    table : (H, W) bool
        Where no known thing lies; others may.
    reach_px : float
        The diagonal of a card: a step is longer.

    Returns
    -------
    (H, W, C) float32 or None
        Of the places within a pixel the one that is most like the table; zero where too little of
        the table is seen.
    """
    if not table.any():
        return None
    least = np.full(tones.shape[2], NOISE)
    steps = _steps(tones, table, reach_px, least)
    if not steps:
        return None
    off, _ = off_plane(np.moveaxis(tones, 2, 0), table, least)
    rest = np.ascontiguousarray(np.moveaxis(off, 0, 2))
    steps = [_to_the_pixel(rest, table, step) for step in steps]
    pattern, off_median = _quartile_of_steps(rest, table, steps)
    places = some_of(table)
    before, after = (of.ravel()[places] for of in (_squares(rest), off_median))
    told = np.isfinite(after)
    is_known = np.count_nonzero(told) > len(told) / 2
    if not is_known or np.median(after[told]) > _REPEATS**2 * np.median(before[told]):
        return None
    return np.nan_to_num(_nearest(rest, pattern))


def off_plane(
    tones: NDArray[np.float32], table: BoolArray, least: FloatArray
) -> tuple[NDArray[np.float32], FloatArray]:
    """Return images (C, H, W) less the robust plane of a table, and their spreads (C,) round it.

    Parameters
    ----------
    tones : (C, H, W) float32
        Logarithms of tones, or hues.
    table : (H, W) bool
        Where the table may show; the mask is not empty.
    least : (C,) float64
        The least spreads: of shade, JPEG and noise.
    """
    rows, columns = table.shape
    down, across = (np.linspace(-1, 1, n, dtype=np.float32) for n in (rows, columns))
    places = some_of(table)
    row, column = np.divmod(places, columns)
    x = np.stack([np.ones(len(places)), across[column], down[row]]).astype(np.float64)
    y = tones.reshape(len(tones), -1)[:, places].astype(np.float64)
    near = np.abs(y - np.median(y, axis=1, keepdims=True))
    clear = OUTLIER * least[:, None]
    keep = (near < np.maximum(2 * np.median(near, axis=1, keepdims=True), clear)).all(axis=0)
    for _ in range(8):
        weighted = x * keep
        fit = np.linalg.solve(weighted @ x.T + 1e-3 * np.eye(3), weighted @ y.T)
        rest = y - fit.T @ x
        middle = np.median(rest[:, keep], axis=1, keepdims=True)
        spread = robust_sd(rest[:, keep], axis=1, keepdims=True, middle=middle)
        spread = np.maximum(spread, least[:, None])
        before, keep = keep, (np.abs(rest - middle) < OUTLIER * spread).all(axis=0)
        if (before == keep).all() or not keep.any():
            break
    fit[0] += middle[:, 0]  # the first term is one everywhere
    off = np.empty_like(tones)
    for tone, out, (level, slope_x, slope_y) in zip(
        tones, off, fit.T.astype(np.float32), strict=True
    ):
        np.subtract(tone, (level + slope_x * across) + (slope_y * down)[:, None], out=out)
    return off, spread[:, 0]


def _steps(
    tones: NDArray[np.float32], table: BoolArray, reach_px: float, least: FloatArray
) -> list[tuple[int, int]]:
    """Return the nearest steps (down, right) after which a table (H, W, C) is like itself.

    They are sought at half the scale, to two pixels. What is like the table all the way to a step
    is no pattern: a shadow is the same along its edge.
    """
    seen, small = halved(table.astype(np.float32)), halved(tones)
    whole = np.asarray(seen == 1, np.bool_)
    if not whole.any():
        return []
    off, _ = off_plane(np.array(cv2.split(small)), whole, least)
    spread = robust_sd(off.reshape(len(off), -1)[:, some_of(whole)], axis=1)
    if (spread <= least).all():
        return []
    by = np.maximum(spread, least).astype(np.float32)[:, None, None]
    rest = np.clip(off / by, -1, 1) * seen
    correlation = _autocorrelation(rest, seen, int(_FARTHEST * reach_px / 2))
    farthest = correlation.shape[0] - 1
    down, right = np.mgrid[: farthest + 1, -farthest : farthest + 1]
    far = np.hypot(down, right)
    is_step = (far >= reach_px / 2) & (far <= farthest) & ((down > 0) | (right > 0))
    _, part = cv2.connectedComponents((correlation > _CORRELATED).astype(np.uint8))
    correlation = np.where(is_step & (part != part[0, farthest]), correlation, 0).astype(np.float32)
    best = correlation == cv2.dilate(correlation, disc(round(_APART * reach_px / 2)))
    y, x = np.nonzero(best & (correlation > _CORRELATED))
    steps = list[tuple[int, int]]()
    for k in np.argsort(far[y, x], kind="stable").tolist():
        step = 2 * int(y[k]), 2 * (int(x[k]) - farthest)
        is_new = all(np.hypot(step[0] + u, step[1] + v) > _APART * reach_px for u, v in steps)
        if is_new and len(steps) < _STEPS:  # not the way back of another
            steps.append(step)
    return steps


def _autocorrelation(
    rest: NDArray[np.float32], seen: NDArray[np.float32], farthest: int
) -> NDArray[np.float32]:
    """Return the masked correlation of an image (C, H, W) with itself, moved.

    It is (F + 1, 2 F + 1): moved down by up to F = ``farthest``, to the right by -F to F; 0 where
    too little is seen twice.
    """
    rows, columns = (cv2.getOptimalDFTSize(max(n, farthest + 1) + farthest) for n in seen.shape)
    means = rest.sum(axis=(1, 2)) / seen.sum()
    padded = np.zeros((len(rest) + 2, rows, columns), np.float32)
    within = padded[:, : seen.shape[0], : seen.shape[1]]
    for channel, out, mean in zip(rest, within, means, strict=False):
        np.subtract(channel, mean * seen, out=out)
    within[-2], within[-1] = seen, np.square(within[:-2]).sum(axis=0)
    *of_rest, of_seen, of_power = (cv2.dft(one, nonzeroRows=seen.shape[0]) for one in padded)

    def summed(pairs: Sequence[tuple[MatLike, MatLike]]) -> NDArray[np.float32]:
        products = (cv2.mulSpectrums(a, b, 0, conjB=True) for a, b in pairs)
        whole = cv2.idft(np.asarray(sum(products)), flags=cv2.DFT_SCALE)
        moved = np.roll(np.asarray(whole, np.float32), (0, farthest), (0, 1))
        return moved[: farthest + 1, : 2 * farthest + 1]

    own = summed([(one, one) for one in of_rest])
    ends = summed([(of_power, of_seen)]) * summed([(of_seen, of_power)])
    twice = summed([(of_seen, of_seen)]) > _SEEN * seen.sum()
    correlation = np.where(twice, own / np.sqrt(np.maximum(ends, 1e-6)), 0)
    return np.asarray(correlation, np.float32)


def _to_the_pixel(
    rest: NDArray[np.float32], table: BoolArray, step: tuple[int, int]
) -> tuple[int, int]:
    """Return which step (down, right) near one leads to the places that are most alike."""
    rows, columns = table.shape
    row, column = np.divmod(some_of(table), columns)
    least, best = np.inf, step
    for dy, dx in np.ndindex(3, 3):
        y, x = step[0] + dy - 1, step[1] + dx - 1
        r, c = row + y, column + x
        there = (r < rows) & (r >= 0) & (c < columns) & (c >= 0)
        there[there] = table[r[there], c[there]]
        if there.any():
            off = rest[r[there], c[there]] - rest[row[there], column[there]]
            mean = float(np.abs(off).mean())
            if mean < least:
                least, best = mean, (y, x)
    return best


def _quartile_of_steps(
    rest: NDArray[np.float32], table: BoolArray, steps: list[tuple[int, int]]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return a quartile (H, W, C) of what lies the steps away; nan where less is seen.

    Of the two quartiles it is the one that is less like what is seen: a place that a quarter of the
    others contradict is no bare table. Also returns the squared distance (H, W) from their median.
    """
    ways = np.array([(sign * y, sign * x) for y, x in steps for sign in (1, -1)])
    far = int(np.abs(ways).max())
    edge = [(far, far), (far, far)]
    seen = np.pad(table, edge)
    shown = np.pad(rest, [*edge, (0, 0)])
    shown[~seen] = np.nan
    pattern, off_median = np.empty_like(rest), np.empty(table.shape, np.float32)
    rows, columns = table.shape
    height = -(-rows // len(ways))  # a band of all places needs the memory of the image
    for top in range(0, rows, height):
        band = slice(top, min(top + height, rows))
        moved = np.stack(
            [
                shown[band.start + far + y : band.stop + far + y, far + x : far + x + columns]
                for y, x in ways
            ]
        )
        count = np.isfinite(moved[..., 0]).sum(axis=0)
        moved.sort(axis=0)  # nan last
        low = count // 4
        at = low, count // 2, np.maximum(count - 1 - low, 0)
        ranked = [np.take_along_axis(moved, k[None, ..., None], 0)[0] for k in at]
        off = [_squares(rest[band] - of) for of in ranked]
        farther = np.where((off[2] > off[0])[..., None], ranked[2], ranked[0])
        off_median[band] = np.where(count >= _LEAST, off[1], np.float32(np.nan))
        pattern[band] = np.where((count >= _LEAST)[..., None], farther, np.float32(np.nan))
    return pattern, off_median


def _nearest(rest: NDArray[np.float32], pattern: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return what of a pattern (H, W, C) within a pixel is most like what is seen."""
    rows, columns = rest.shape[:2]
    wide = np.pad(pattern, [(1, 1), (1, 1), (0, 0)], mode="edge")
    nearest, least = pattern, _squares(rest - pattern)
    for y, x in np.ndindex(3, 3):
        there = wide[y : y + rows, x : x + columns]
        off = _squares(rest - there)
        nearer = off < least
        nearest = np.where(nearer[..., None], there, nearest)
        least = np.where(nearer, off, least)
    return nearest


def _squares(of: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the sum (H, W) of the squares of an image's (H, W, C) channels."""
    return np.asarray(np.einsum("ijk,ijk->ij", of, of), np.float32)
