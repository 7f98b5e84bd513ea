"""A face that is known, a place that is not quite -> where the print lies.

An outline that glare or a neighbour has bent lays its card millimetres off. The face that was
read there is then looked for all round, by normalised cross-correlation of local contrast on the
table plane, at several turns.

References
----------
.. [1] Lewis, Fast Normalized Cross-Correlation, 1995.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry import rotation
from vision.imaging.view import View
from vision.seeing.estimation.model import Solution, project_cards
from vision.seeing.recognition.framed_faces import FaceIndex, relative_lightness, sample_colours
from vision.seeing.threads import halves, side_by_side
from vision.values.arrays import FloatArray, IntArray

__all__ = ["CoarseRegistrationSettings", "register_coarsely"]


@dataclass(frozen=True, slots=True)
class CoarseRegistrationSettings:
    """How far round is looked."""

    reach_mm: float = 12.0  # to every side: the corners of a bent outline are off by as much
    #: tried: a long side with one end off by the reach turns a card by 8 degrees, and a step of 2
    #: moves a corner by little more than one sample
    turns_deg: tuple[float, ...] = (-8, -6, -4, -2, 0, 2, 4, 6, 8)


def register_coarsely(
    poses: FloatArray,
    faces: IntArray,
    plane: Solution,
    pyramid: View,
    index: FaceIndex,
    settings: CoarseRegistrationSettings | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Move cards to where their faces correlate best.

    Parameters
    ----------
    poses : (N, 3) float64
        x mm, y mm, theta rad, faces upright, good to the reach.
    faces : (N,) int
        Which face each shows.
    plane : Solution
        Camera and plane.
    pyramid : tuple of (H, W, 3) uint8
        The photo, and halves of it.
    index : FaceIndex
        The faces.

    Returns
    -------
    poses : (N, 3) float64
        Good to about half a sample of the comparison grid.
    scores : (N,) float64
        The correlation there, -1..1.
    """
    settings = settings or CoarseRegistrationSettings()
    (rows, columns), step = index.shape_hw, index.settings.spacing_mm
    window = _widen(index, settings.reach_mm)
    turns = np.radians(settings.turns_deg)
    found, scores = poses.copy(), np.full(len(poses), -1.0)

    def align_some(cards: range) -> None:
        for i in cards:
            turned = np.repeat(poses[i][None], len(turns), axis=0)
            turned[:, 2] += turns
            at_px = project_cards(plane, turned, window.places_mm)
            colours = sample_colours(pyramid, at_px, index, corners=window.corners)
            template = index.relative[faces[i], :, 0].reshape(rows, columns)
            for pose, patch in zip(turned, colours, strict=True):
                seen = relative_lightness(patch, window.shape_hw, index.settings)
                match = cv2.matchTemplate(seen, template, cv2.TM_CCOEFF_NORMED)
                _, best, _, at = cv2.minMaxLoc(match)
                if best > scores[i]:
                    scores[i] = best
                    shift = rotation(float(pose[2])) @ (np.array(at) - window.margin) * step
                    found[i] = [*(pose[:2] + shift), pose[2]]

    side_by_side(align_some, halves(range(len(poses)), fewest=4))
    return found, scores


@dataclass(frozen=True, slots=True, eq=False)
class _Window:
    """The grid of a face and ``margin`` samples round it: ``places_mm`` (P, 2), card frame.

    They stand row by row in ``shape_hw``; ``corners`` are the first three corners of the face.
    """

    places_mm: FloatArray
    shape_hw: tuple[int, int]
    margin: int
    corners: tuple[int, int, int]


def _widen(index: FaceIndex, reach_mm: float) -> _Window:
    """Return the grid of the faces, wider by the reach on every side."""
    rows, columns = index.shape_hw
    step = index.settings.spacing_mm
    margin = round(reach_mm / step)
    wide, high = columns + 2 * margin, rows + 2 * margin
    x = (np.arange(wide) - (columns - 1) / 2 - margin) * step
    y = (np.arange(high) - (rows - 1) / 2 - margin) * step
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    first = margin * wide + margin
    corners = (first, first + columns - 1, first + (rows - 1) * wide)
    return _Window(grid, (high, wide), margin, corners)
