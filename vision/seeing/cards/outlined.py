"""Solved poses + outlines -> unnamed cards where their outlines lie, and which are cards for sure.

A card whose face is not of the deck was laid by the outline that it has, then drawn aside by the
print of the face that it is most like. Once it is known to be none of them, its outline counts.
"""

from dataclasses import dataclass, replace

import numpy as np

from vision.seeing.solve.model import with_poses
from vision.seeing.solve.plane import lay_cards
from vision.seeing.values import Located
from vision.values.arrays import FloatArray, IntArray

__all__ = ["OutlinedSettings", "settle_outlined"]


@dataclass(frozen=True, slots=True)
class OutlinedSettings:
    """What an outline says."""

    shape_share: float = 0.04  # of the card's width: rms of its corners; seen on cards: 0.032
    place_share: float = 0.01  # of the card's width: how well it tells the place; seen: 0.003-0.012
    turn_rad: float = 0.01  # the same over half a card's length


def settle_outlined(
    located: Located,
    faces: IntArray,
    outlined_px: FloatArray | None,
    size_mm: tuple[float, float],
    settings: OutlinedSettings | None = None,
) -> Located:
    """Put unnamed cards back to where their outlines lie on the solved plane.

    Parameters
    ----------
    located : Located
        N cards, solved.
    faces : (N,) int
        The face of each, -1 for none.
    outlined_px : (N, 4, 2) float64, optional
        Corners of the outlines, photo frame; nan where there is none.
    size_mm : (float, float)
        Width and height of a card.

    Returns
    -------
    Located
        With ``outlined`` told: who still has a card's shape on the plane as it was solved.
    """
    s = settings or OutlinedSettings()
    if outlined_px is None:
        return located
    known = np.flatnonzero(np.isfinite(outlined_px).all(axis=(1, 2)))
    laid, misfit = lay_cards(located.solution, outlined_px[known], size_mm)
    fits = misfit < s.shape_share * min(size_mm)
    known, laid = known[fits], laid[fits]
    outlined = np.zeros(len(faces), np.bool_)
    outlined[known] = True
    unnamed = faces[known] < 0
    known, laid = known[unnamed], laid[unnamed]
    poses = located.solution.poses.copy()
    # an outline leaves the half turn open
    laid[:, 2] += np.pi * np.round((poses[known, 2] - laid[:, 2]) / np.pi)
    poses[known] = laid
    rows = (3 * known[:, None] + np.arange(3)).ravel()
    covariance = located.pose_covariance.copy()
    covariance[rows] = covariance[:, rows] = 0.0
    place = (s.place_share * min(size_mm)) ** 2
    covariance[rows, rows] = np.tile([place, place, s.turn_rad**2], len(known))
    solution = with_poses(located.solution, poses)
    return replace(located, solution=solution, pose_covariance=covariance, outlined=outlined)
