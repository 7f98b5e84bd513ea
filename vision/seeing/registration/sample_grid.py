"""Grid of sample points on a card's face, in blocks, and measurements from block shifts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.seeing.estimation.model import Measurements, Solution, join_measurements, project
from vision.values.arrays import FloatArray, IntArray, Points

__all__ = ["BlockGrid", "observe_shifts", "scales_px_per_mm"]

# Chebyshev nodes: interpolate a card's projection to 0.01 px
_NODES = np.cos(np.pi * (np.arange(5) + 0.5) / 5)


@dataclass(frozen=True, slots=True, eq=False)
class BlockGrid:
    """Sample points of a face in blocks: ``x`` (W,) and ``y`` (H,) mm, whole numbers of blocks.

    ``by_x`` (W, 5) and ``by_y`` (H, 5) are each sample's interpolation weights of the nodes;
    ``size`` is the number of samples along a block's sides, ``half_mm`` (2,) half the extent.
    """

    x: FloatArray
    y: FloatArray
    by_x: FloatArray
    by_y: FloatArray
    size: tuple[int, int]
    half_mm: FloatArray

    @classmethod
    def within(cls, half_mm: FloatArray, block_mm: float, per_mm: float) -> "BlockGrid | None":
        """Fill a rectangle of half extents with blocks; None if it is too small for one."""
        if half_mm.min() < block_mm / 2:
            return None
        count = np.maximum(np.round(2 * half_mm / block_mm), 1).astype(int)
        size = np.maximum((2 * half_mm / count * per_mm).astype(int), 4)
        x, y = (
            (np.arange(n * k) + 0.5) / (n * k) * 2 * h - h
            for n, k, h in zip(count, size, half_mm, strict=True)
        )
        by_x, by_y = (_lagrange(of / half) for of, half in zip((x, y), half_mm, strict=True))
        return cls(x, y, by_x, by_y, (int(size[0]), int(size[1])), half_mm)

    def project_nodes(self, solution: Solution, card: IntArray) -> FloatArray:
        """Project the nodes on cards (N,) to the photo (N, 5, 5, 2)."""
        x, y = np.meshgrid(_NODES * self.half_mm[0], _NODES * self.half_mm[1])
        q = np.tile(np.stack([x, y], axis=-1).reshape(-1, 2), (len(card), 1))
        at = project(solution, np.repeat(card, 25), q, np.ones(len(q)))
        return at.reshape(len(card), 5, 5, 2)

    def between(self, at: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Interpolate x and y at the nodes (5, 5, 2; by y, then x) to all samples (H, W)."""
        x, y = (self.by_y @ at[..., d] @ self.by_x.T for d in range(2))
        return x, y

    def blocks(self, values: NDArray[np.generic]) -> NDArray[np.generic]:
        """Cut values (N, H, W, D) into blocks (N, B, S, D)."""
        n, h, w, d = values.shape
        across, down = self.size
        cut = values.reshape(n, h // down, down, w // across, across, d).swapaxes(2, 3)
        return cut.reshape(n, (h // down) * (w // across), down * across, d)

    @property
    def centres_mm(self) -> FloatArray:
        """Centre (B, 2) of each block, card frame."""
        x, y = (
            v.reshape(-1, k).mean(axis=1) for v, k in zip((self.x, self.y), self.size, strict=True)
        )
        return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def _lagrange(t: FloatArray) -> FloatArray:
    """Return the five Lagrange polynomials (M, 5), each 1 at one node and 0 at the others."""
    columns = []
    for k, node in enumerate(_NODES):
        others = np.delete(_NODES, k)
        columns.append(np.prod((t[:, None] - others) / (node - others), axis=1))
    return np.stack(columns, axis=1)


def scales_px_per_mm(solution: Solution, card: IntArray) -> FloatArray:
    """Return the scale (N,) of cards, px per mm: the square root of the area scale."""
    arm = np.tile([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], (len(card), 1))
    at = project(solution, np.repeat(card, 3), arm).reshape(-1, 3, 2)
    return np.asarray(np.sqrt(np.abs(np.linalg.det(at[:, 1:] - at[:, :1]))), np.float64)


def observe_shifts(
    solution: Solution,
    card: IntArray,
    point_mm: Points,
    shift_mm: FloatArray,
    covariance: FloatArray,
) -> Measurements:
    """Return measurements in the photo from shifts of print in the card frame.

    Parameters
    ----------
    solution : Solution
        Camera, plane and poses.
    card : (M,) int
        Card of each shift.
    point_mm : (M, 2) float64
        Point of the design, card frame.
    shift_mm : (M, 2) float64
        Offset of the print from where the solution predicts it, card frame.
    covariance : (M, 2, 2) float64
        Of the shift, mm squared.

    Returns
    -------
    Measurements
        Two for each shift, along its directions of least and most variance.
    """
    printed = np.ones(len(card))
    beside = [
        project(solution, card, point_mm + arm, printed)
        - project(solution, card, point_mm - arm, printed)
        for arm in np.eye(2) * 0.5
    ]
    slopes = np.stack(beside, axis=2)  # (M, 2, 2) px per mm
    values, axes = np.linalg.eigh(slopes @ covariance @ slopes.swapaxes(1, 2))
    at = project(solution, card, point_mm + shift_mm, printed)
    parts = []
    for k in range(2):
        told = values[:, k] > 0  # without print it may round below
        none = np.zeros(int(told.sum()))
        place = card[told], point_mm[told], at[told], axes[told, :, k]
        sigma = np.sqrt(values[told, k])
        parts.append(Measurements(*place, sigma, none, none, none + 1))
    return join_measurements(parts)
