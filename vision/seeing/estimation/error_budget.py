"""Errors of poses that no residual of one photo reveals, and their covariances.

The edge of a white card is measured some hundredths of a pixel too far outward. If that were
uniform, all cards, and so the table, would only appear larger. Sharpening, camera shake and shadow
shift edges by their direction, focus and light by their position in the image: then the table
appears stretched, and larger towards one end. No residual separates that from the table's pose.
"""

from dataclasses import dataclass, replace

import numpy as np

from vision.seeing.estimation.adjustment import Solved
from vision.seeing.estimation.jacobian import N_POSE
from vision.seeing.estimation.model import Solution, parallax_per_mm
from vision.values.arrays import FloatArray

__all__ = [
    "FRAMED",
    "PRINTED",
    "SIDES",
    "ErrorBudget",
    "bias_covariance",
    "growth_covariance",
    "growth_variance",
    "stretch_covariance",
]


@dataclass(frozen=True, slots=True)
class ErrorBudget:
    """Errors that residuals of one photo do not reveal, 1 sd each; 0 for what is none.

    ``common_px`` is the apparent growth of all cards alike at each edge: tone curves. ``own_px`` is
    the bloom of one card beside that of all, since light and contrast differ over a table: of
    opposite edges it cancels, and a card of which one side is covered moves by it. ``bias_px`` is
    of edges that face one way, or lie in one part of the picture, and ``turn_px`` of a card's
    turn, at the centre of an edge; both times the variance factor. ``narrow_px`` is of cards whose
    border is so narrow that its two edges blur into one: Gaussian in the border's width, of which
    ``narrow_border_px`` is the width, with the share ``narrow_turn`` at the centre of an edge by
    the card's turn. ``place_mm`` is of a card seen from right above, which is neither quite flat
    nor square, ``slant_mm`` times the squared tangent of the view's angle, ``turn_rad`` likewise.
    """

    common_px: float = 0.0
    own_px: float = 0.0
    bias_px: float = 0.0
    turn_px: float = 0.0
    narrow_px: float = 0.0
    narrow_border_px: float = 1.0
    narrow_turn: float = 0.0
    place_mm: float = 0.0
    slant_mm: float = 0.0
    turn_rad: float = 0.0

    def covariance(
        self,
        solved: Solved,
        size_mm: tuple[float, float],
        px_per_mm: FloatArray,
        *,
        border_mm: float = np.inf,
        blur: float = 1.0,
    ) -> FloatArray:
        """Return the covariance (3N, 3N) of poses with these errors.

        Parameters
        ----------
        solved : Solved
            The adjustment of N cards.
        size_mm : (float, float)
            Width and height of a card.
        px_per_mm : (N,) float64
            Scale of each card in the photo.
        border_mm : float
            Distance from a card's edge to the next parallel one.
        blur : float
            Blur of the photo, of a sharp one's: all errors in pixels grow with it.
        """
        at, half_mm = solved.solution, sum(size_mm) / 4
        if not len(px_per_mm):
            return solved.pose_covariance
        mm = blur / px_per_mm  # of an error of 1 px
        usual, soft = float(np.median(mm)), mm * solved.variance_factor
        t2 = (parallax_per_mm(at, at.poses[:, :2]) ** 2).sum(axis=1)
        narrow = self.narrow_px * np.exp(-((border_mm / (mm * self.narrow_border_px)) ** 2))
        place = self.place_mm**2 + (self.slant_mm * t2) ** 2 + (narrow * mm) ** 2
        turn = (self.turn_px * soft) ** 2 + (self.narrow_turn * narrow * mm) ** 2
        turn = turn / half_mm**2 + self.turn_rad**2 * (1 + t2**2)
        covariance = solved.pose_covariance + np.diag(np.stack([place, place, turn], 1).ravel())
        covariance += growth_covariance(at.poses, self.common_px * usual / half_mm)
        share = self.bias_px * float(np.median(soft)) / half_mm
        covariance += bias_covariance(at, share)
        own = self.own_px * blur * solved.by_bloom[:, :N_POSE]
        blocks = covariance.reshape(len(own), N_POSE, len(own), N_POSE)
        each = np.arange(len(own))
        blocks[each, :, each] += own[:, :, None] * own[:, None]
        return covariance


#: Of cards with a frame, by their edges and the registered print. Fitted on drawn and ray-traced
#: photos (1,500 cards): 96 to 100 % of cards lie in their 95 % ellipses, open and covered; of those
#: that curl by 0.7 mm or more 91 %.
FRAMED = ErrorBudget(
    common_px=0.025,
    own_px=0.15,
    bias_px=0.012,
    turn_px=0.04,
    narrow_px=0.3,
    narrow_border_px=2.6,
    narrow_turn=0.25,
)
#: Of cards by their pictures. Real cards of a table seen from three sides lay half a mm beside at
#: 45 degrees.
PRINTED = ErrorBudget(place_mm=0.04, slant_mm=0.30, turn_rad=float(np.radians(0.03)))
#: Of cards by their edges alone, which do not tell how a card is bent.
SIDES = replace(
    FRAMED,
    place_mm=PRINTED.place_mm,
    slant_mm=PRINTED.slant_mm,
    turn_rad=PRINTED.turn_rad,
)


def growth_covariance(poses: FloatArray, growth: float) -> FloatArray:
    """Return the covariance (3N, 3N) of poses (N, 3) for an apparent common growth of all cards.

    The table appears larger with them by the same share, ``growth`` (1 sd).
    """
    away = _growth_direction(poses)
    return growth**2 * np.outer(away, away)


def stretch_covariance(poses: FloatArray, aspect: float) -> FloatArray:
    """Return the covariance (3N, 3N) of poses for a stretch of the view instead of the cards.

    Cards that all lie in one direction appear too long by an ``aspect`` (logarithm of width over
    height, relative to the nominal one) if they are, or if the table's slant is wrong: then all of
    it is stretched along them, its area kept. Cards in all directions separate the two.
    """
    if not len(poses):
        return np.zeros((0, 0))
    # 0 for cards in all directions; half turns are equivalent
    way = np.exp(2j * poses[:, 2]).mean()
    along = np.array([[way.real, way.imag], [way.imag, -way.real]])
    moved = np.zeros(poses.size)
    off = (poses[:, :2] - poses[:, :2].mean(axis=0)) @ along * aspect / 2
    moved[0::3], moved[1::3] = off.T
    return np.outer(moved, moved)


def growth_variance(poses: FloatArray, covariance: FloatArray) -> float:
    """Return the variance (share squared) of the common scale of poses (N, 3), covariance (3N, 3N).

    Infinite for cards in one place, which do not determine it.
    """
    away = _growth_direction(poses)
    length = float(away @ away)
    return float(away @ covariance @ away) / length**2 if length else np.inf


def _growth_direction(poses: FloatArray) -> FloatArray:
    """Return the displacement (3N,) of poses (N, 3) under unit relative growth of the table."""
    away = np.zeros(poses.size)
    away[0::3], away[1::3] = (poses[:, :2] - poses[:, :2].mean(axis=0)).T
    return away


def bias_covariance(solution: Solution, share: float) -> FloatArray:
    """Return the covariance (3N, 3N) of poses for edge biases that differ over the image.

    Parameters
    ----------
    solution : Solution
        N cards on their plane.
    share : float
        Standard deviation of the growth: of the whole, of one axis of the table against the other
        and along its diagonals, and of its gradient at the cards' rms distance from their mean.
    """
    if len(solution.poses) < 2:
        return np.zeros((solution.poses.size,) * 2)
    away = solution.poses[:, :2] - solution.poses[:, :2].mean(axis=0)
    x, y = away.T
    # mm; all cards may be in one place
    reach = max(float(np.sqrt((away**2).sum(axis=1).mean())), 1e-9)
    none = np.zeros(len(x))
    ways = [(x, y), (x, -y), (y, x), (x * x / reach, x * y / reach), (x * y / reach, y * y / reach)]
    moves = share * np.stack([np.stack([*way, none], axis=1).ravel() for way in ways], axis=1)
    return np.asarray(moves @ moves.T, np.float64)
