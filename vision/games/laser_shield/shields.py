"""Pawns and sticks as seen -> which stick is whose shield, and where that pawn looks.

A shield lies at its pawn's right, along its gaze, head forward. The head tells the way; the side on
which the pawn stands is a second witness: where the two disagree the head counts, with a doubt.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.geometry import heading_vector
from vision.values.layout import Placed

__all__ = ["Gaze", "gazes_of", "pair_shields"]

_BESIDE_MM = (4.0, 28.0)  # from a pawn's middle to its shield: a thin pawn's, a bottle cap's
_USUAL_MM, _USUAL_SD_MM = 13.0, 5.0  # of that
_ALONG_MM = 17.0  # by which its middle may lie ahead or behind: hands lay it to a third of that
_ALONG_SD_MM = 6.0
_SIDE_ODDS = 2.5  # log odds of the right side: of a dozen shields one is laid at the left
_HEAD_CLEAR = 1.5  # log odds of a head that counts against the side
_DISPUTED = (0.5, 3.9)  # log odds left to such a head: a doubt in any case
_MOST_ODDS = 9.0
_FAINT = 0.22  # score of a stick that is one as often as not: edges and strokes reach as much


@dataclass(frozen=True, slots=True)
class Gaze:
    """A way that a pawn may look: rad with its variance, and how likely."""

    theta_rad: float
    variance: float
    chance: float


def pair_shields(pawns: Sequence[Placed], sticks: Sequence[Placed]) -> dict[str, Placed]:
    """Return the stick of each pawn that has one, by the pawn's spot; nearest pairs first."""
    pairs = sorted(
        (cost, pawn.spot, k)
        for pawn in pawns
        for k, stick in enumerate(sticks)
        if (cost := _cost(pawn, stick)) is not None
    )
    found: dict[str, Placed] = {}
    used: set[int] = set()
    for _, spot, k in pairs:
        if spot not in found and k not in used:
            found[spot] = sticks[k]
            used.add(k)
    return found


def gazes_of(pawn: Placed, shield: Placed) -> tuple[Gaze, Gaze]:
    """Return the two ways that a pawn with this shield may look, the likelier first.

    Their chances add up to less than 1 where the shield is faint, and may be none.
    """
    ahead, _ = _beside(pawn, shield)
    head = math.log(max(shield.confidence, 1e-6) / max(1 - shield.confidence, 1e-6))
    side = _SIDE_ODDS if ahead > 0 else -_SIDE_ODDS
    odds = head + side
    if head * side < 0 and abs(head) >= _HEAD_CLEAR:
        odds = math.copysign(float(np.clip(abs(odds), *_DISPUTED)), head)
    odds = float(np.clip(odds, -_MOST_ODDS, _MOST_ODDS))
    chance = 1 / (1 + math.exp(-odds))
    variance = float(shield.covariance[2, 2])
    is_one = 1 - math.exp(-((shield.score / _FAINT) ** 4))
    ways = (
        Gaze(shield.theta_rad, variance, is_one * chance),
        Gaze(shield.theta_rad + math.pi, variance, is_one * (1 - chance)),
    )
    return ways if chance >= 0.5 else (ways[1], ways[0])


def _beside(pawn: Placed, stick: Placed) -> tuple[float, float]:
    """Return how far a stick lies to the right of a pawn that looks as it points, and ahead."""
    off = np.array([stick.x_mm - pawn.x_mm, stick.y_mm - pawn.y_mm])
    right = heading_vector(stick.theta_rad + math.pi / 2)
    return float(off @ right), float(off @ heading_vector(stick.theta_rad))


def _cost(pawn: Placed, stick: Placed) -> float | None:
    """Return how unusual a stick would be as the shield of a pawn; None if it cannot be."""
    right, ahead = _beside(pawn, stick)
    if not _BESIDE_MM[0] <= abs(right) <= _BESIDE_MM[1] or abs(ahead) > _ALONG_MM:
        return None
    return ((abs(right) - _USUAL_MM) / _USUAL_SD_MM) ** 2 + (ahead / _ALONG_SD_MM) ** 2
