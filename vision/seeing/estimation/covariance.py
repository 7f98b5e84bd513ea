"""Normal equations of the joint adjustment, their solution and the covariance of its unknowns.

The normal matrix has arrow form: cards are coupled by the camera alone, so each card's unknowns are
eliminated separately.

References
----------
.. [1] Triggs et al., Bundle Adjustment - A Modern Synthesis, 2000.
"""

from dataclasses import dataclass

import numpy as np

from vision.seeing.estimation.jacobian import BLOOM, N_POSE, jacobian, shared_count
from vision.seeing.estimation.model import Measurements, PlacedPoints, Solution
from vision.values.arrays import FloatArray, IntArray

__all__ = ["Normal", "block_diagonal", "normal_equations", "rows_by_card"]


@dataclass(frozen=True, slots=True, eq=False)
class Normal:
    """Normal equations in blocks: camera, each card, and their coupling.

    ``camera`` (C, C), ``ties`` (N, C, P), ``cards`` (N, P, P); the right-hand sides likewise.
    """

    camera: FloatArray
    ties: FloatArray
    cards: FloatArray
    camera_side: FloatArray
    cards_side: FloatArray

    def step(self, damping: float) -> tuple[FloatArray, FloatArray]:
        """Return the damped step of the camera (C,) and of the cards (N, P)."""
        camera, cards = self.camera.copy(), self.cards.copy()
        own, each = np.arange(len(camera)), np.arange(cards.shape[1])
        camera[own, own] += damping * (camera[own, own] + 1e-12)
        cards[:, each, each] += damping * (cards[:, each, each] + 1e-12)
        right = np.concatenate([self.ties.transpose(0, 2, 1), self.cards_side[:, :, None]], axis=2)
        solved = np.linalg.solve(cards, right)  # (N, P, C + 1)
        inner, rest = solved[:, :, :-1], solved[:, :, -1]
        reduced = camera - np.einsum("ncp,npd->cd", self.ties, inner)
        side = self.camera_side - np.einsum("ncp,np->c", self.ties, rest)
        of_camera = np.linalg.solve(reduced, side)
        return of_camera, rest - inner @ of_camera

    def hope(self, camera: FloatArray, cards: FloatArray) -> float:
        """Return the cost reduction that the linear model predicts for a step."""
        return float(self.camera_side @ camera + (self.cards_side * cards).sum())

    def covariance(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Return the covariances of all poses (3N, 3N), each card's unknowns (N, P, P), and (C, C).

        The third is of the shared unknowns. The last result (N, P) is how far a bloom of its own,
        beside the common one, moves each card's unknowns: by px.
        """
        n = len(self.cards)
        own = np.linalg.pinv(self.cards, hermitian=True)
        inner = own @ self.ties.transpose(0, 2, 1)  # (N, P, C)
        reduced = self.camera - np.einsum("ncp,npd->cd", self.ties, inner)
        of_camera = np.linalg.pinv(reduced, hermitian=True)
        each = own + inner @ of_camera @ inner.transpose(0, 2, 1)
        pose = inner[:, :N_POSE].reshape(N_POSE * n, -1)
        joint = pose @ of_camera @ pose.T
        for k in range(n):
            place = slice(N_POSE * k, N_POSE * (k + 1))
            joint[place, place] += own[k, :N_POSE, :N_POSE]
        by_bloom = np.asarray(inner[:, :, BLOOM], np.float64)
        return joint, np.asarray(each, np.float64), np.asarray(of_camera, np.float64), by_bloom


def normal_equations(
    s: Solution,
    seen: Measurements,
    points: PlacedPoints,
    r: FloatArray,
    weights: FloatArray,
    rows: tuple[IntArray, int],
) -> Normal:
    """Build the normal equations; ``rows`` is each observation's index within its card."""
    by_camera, by_card = jacobian(s, seen, points)
    slopes = np.concatenate([by_camera, by_card, r[:, None]], axis=1) * np.sqrt(weights)[:, None]
    row, most = rows
    padded = np.zeros((len(s.poses), most, slopes.shape[1]))
    padded[seen.card, row] = slopes
    products = padded.transpose(0, 2, 1) @ padded
    c = shared_count(s)
    total = products.sum(axis=0)
    return Normal(
        total[:c, :c],
        products[:, :c, c:-1],
        products[:, c:-1, c:-1],
        total[:c, -1],
        products[:, c:-1, -1],
    )


def rows_by_card(card: IntArray, cards: int) -> tuple[IntArray, int]:
    """Return each observation's index (M,) within its card, and the largest count of a card."""
    count = np.bincount(card, minlength=cards)
    order = np.argsort(card, kind="stable")
    row = np.empty(len(card), np.int64)
    row[order] = np.arange(len(card)) - np.repeat(np.cumsum(count) - count, count)
    return row, int(count.max(initial=0))


def block_diagonal(*blocks: FloatArray) -> FloatArray:
    """Return the block-diagonal covariance (M, M) of independent blocks (m, m)."""
    sizes = [len(block) for block in blocks]
    whole = np.zeros((sum(sizes), sum(sizes)))
    for block, end in zip(blocks, np.cumsum(sizes).tolist(), strict=True):
        place = slice(end - len(block), end)
        whole[place, place] = block
    return whole
