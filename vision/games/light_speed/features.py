"""Where a shifted beam passes something, and how that shift depends on the poses.

A feature is a point tied to one thing (a corner, the end of a shield) or to two (the crossing of
two edges). For small changes of the poses its place across a beam changes by

    sum of w_k . d_k(F)  -  n . d_own(F),    d_k(F) = dp_k + dtheta_k J (F - c_k)

with F the point, w_k the weight of thing k, n the beam's side, c_k the centre of the thing, p_k
its place, and J a quarter turn. The last term moves the beam: it turns with its own card, so its
heading error grows with the way from that card's centre to the feature.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.games.light_speed.bodies import Bodies
from vision.values.arrays import FloatArray

__all__ = ["Features", "Spread"]

IntArray = NDArray[np.intp]

ON_OTHER, ON_OWN, BARE = 0, 1, 2  # ranks: the firing card's own features explain little


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """K features, each of one shot."""

    shot: IntArray  #: (K,) that passes it
    shift: FloatArray  #: (K,) of the beam, sideways, at which it does; mm, positive to the right
    point: FloatArray  #: (K, 2) F, table frame, mm
    things: IntArray  #: (K, 2) that it is tied to, -1 for none
    weights: FloatArray  #: (K, 2, 2) the w_k
    rank: IntArray  #: (K,) 0 for a feature of another thing, 1 of the firing card, 2 a mere limit

    @classmethod
    def of_points(
        cls,
        shot: IntArray,
        shift: FloatArray,
        point: FloatArray,
        thing: IntArray,
        side: FloatArray,
        rank: int = ON_OTHER,
    ) -> "Features":
        """Make features of points fixed to one thing each; ``side`` (K, 2) is the beam's."""
        nothing = np.full(len(shot), -1)
        return cls(
            shot,
            shift,
            point,
            np.stack([thing, nothing], axis=1),
            np.stack([side, np.zeros_like(side)], axis=1),
            np.full(len(shot), rank),
        )

    @classmethod
    def of_crossings(
        cls,
        shot: IntArray,
        shift: FloatArray,
        point: FloatArray,
        things: IntArray,
        normals: FloatArray,
        side: FloatArray,
    ) -> "Features":
        """Make features where two lines cross, each fixed to a thing.

        ``normals`` (K, 2, 2) are those of the lines: the crossing moves so that it stays on both.
        """
        a, b = normals[:, 0], normals[:, 1]
        det = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        of_a = (side[:, 0] * b[:, 1] - side[:, 1] * b[:, 0]) / det
        of_b = (a[:, 0] * side[:, 1] - a[:, 1] * side[:, 0]) / det
        weights = np.stack([of_a[:, None] * a, of_b[:, None] * b], axis=1)
        return cls(shot, shift, point, things, weights, np.full(len(shot), ON_OTHER))

    @classmethod
    def bare(cls, shot: IntArray, shift: FloatArray) -> "Features":
        """Make limits that belong to nothing."""
        k = len(shot)
        return cls(
            shot,
            shift,
            np.zeros((k, 2)),
            np.full((k, 2), -1),
            np.zeros((k, 2, 2)),
            np.full(k, BARE),
        )

    @classmethod
    def join(cls, parts: Iterable["Features"]) -> "Features":
        """Put features together."""
        columns = zip(*([getattr(p, n) for n in cls.__slots__] for p in parts), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def take(self, which: IntArray | NDArray[np.bool_]) -> "Features":
        """Return some of the features, by index or by mask."""
        return Features(*(getattr(self, name)[which] for name in self.__slots__))

    def pick(self, ends: IntArray, concerned: IntArray, within_mm: float) -> IntArray:
        """Choose, of the features of a shot at one shift, the one to name.

        Parameters
        ----------
        ends : (R,) int
            One of them, each; features are sorted by shot and shift.
        concerned : (R, 2) int
            The things whose features are preferred, the better first.
        within_mm : float
            Shifts that differ by less are one.

        Returns
        -------
        (R,) int
            Features. A mere limit is never chosen; where nothing else is at that shift (a draw
            decided by the last digit), it is the nearest feature of the shot.
        """
        shot, shift, rank = self.shot.tolist(), self.shift.tolist(), self.rank.tolist()
        tied = self.things.tolist()
        last = len(shot) - 1

        def around(end: int, width: float) -> list[int]:
            low = high = end
            while low > 0 and shot[low - 1] == shot[end] and shift[end] - shift[low - 1] <= width:
                low -= 1
            while (
                high < last
                and shot[high + 1] == shot[end]
                and shift[high + 1] - shift[end] <= width
            ):
                high += 1
            return [k for k in range(low, high + 1) if rank[k] != BARE]

        chosen = []
        for end, wanted in zip(ends.tolist(), concerned.tolist(), strict=True):
            near = around(end, within_mm)
            if not near:
                near = around(end, math.inf)
                near = [min(near, key=lambda k: abs(shift[k] - shift[end]))]
            places = [
                min([wanted.index(t) for t in tied[k] if t in wanted], default=2) for k in near
            ]
            chosen.append(min(zip([rank[k] for k in near], places, near, strict=True))[2])
        return np.array(chosen, np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """How well the poses of M things are known.

    ``blocks`` (M, 3, 3) is the covariance (mm, mm, rad) of each thing; ``joint`` (3M, 3M), if it
    is there, that of all together, and counts instead.
    """

    bodies: Bodies
    blocks: FloatArray
    joint: FloatArray | None = None

    def scale(self) -> tuple[FloatArray, FloatArray]:
        """Return, of each thing, a bound on the spread of its place (mm) and that of its angle."""
        if self.joint is None:
            variances = self.blocks[:, [0, 1, 2], [0, 1, 2]]
        else:
            variances = np.diagonal(self.joint).reshape(-1, 3)
        variances = np.maximum(variances, 0.0)
        return np.sqrt(variances[:, 0] + variances[:, 1]), np.sqrt(variances[:, 2])

    def sigma(self, features: Features, k: int, own: int, side: FloatArray) -> float:
        """Return the standard deviation (mm) of a feature's distance from a beam.

        ``k`` is which of the features is meant, ``own`` the firing card, ``side`` (2,) that of the
        beam.
        """
        gradient: dict[int, FloatArray] = {}
        tied = zip(features.things[k].tolist(), features.weights[k], strict=True)
        for thing, weight in (*tied, (own, -side)):
            if thing >= 0:
                arm = features.point[k] - self.bodies.poses[thing, :2]
                turn = weight[1] * arm[0] - weight[0] * arm[1]  # w . J (F - c)
                row = np.array([weight[0], weight[1], turn])
                gradient[thing] = gradient.get(thing, np.zeros(3)) + row
        if self.joint is None:
            variance = sum(float(g @ self.blocks[thing] @ g) for thing, g in gradient.items())
        else:
            index = [3 * thing + axis for thing in gradient for axis in range(3)]
            g = np.concatenate(list(gradient.values()))
            variance = float(g @ self.joint[np.ix_(index, index)] @ g)
        return math.sqrt(max(variance, 0.0))
