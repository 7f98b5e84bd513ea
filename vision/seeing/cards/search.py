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
from vision.seeing.faces.bordered import FaceIndex, relative_lightness, sample_colours
from vision.seeing.solve.model import Solution, show
from vision.seeing.threads import in_two, side_by_side
from vision.values.arrays import FloatArray, IntArray

__all__ = ["AlignSettings", "align_cards"]


@dataclass(frozen=True, slots=True)
class AlignSettings:
    """How far round is looked."""

    reach_mm: float = 12.0
    turns_deg: tuple[float, ...] = (-8, -6, -4, -2, 0, 2, 4, 6, 8)


def align_cards(
    poses: FloatArray,
    faces: IntArray,
    plane: Solution,
    pyramid: View,
    index: FaceIndex,
    settings: AlignSettings | None = None,
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
    settings = settings or AlignSettings()
    rows, columns = index.shape_hw
    step = index.settings.spacing_mm
    margin = round(settings.reach_mm / step)
    x = (np.arange(columns + 2 * margin) - (columns - 1) / 2 - margin) * step
    y = (np.arange(rows + 2 * margin) - (rows - 1) / 2 - margin) * step
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    wide = columns + 2 * margin
    first = margin * wide + margin
    inner = (first, first + columns - 1, first + (rows - 1) * wide)  # the face's own corners
    found, scores = poses.copy(), np.full(len(poses), -1.0)

    def align(i: int) -> None:
        pose, face = poses[i], faces[i]
        turns = np.radians(settings.turns_deg)
        turned = np.repeat(pose[None], len(turns), axis=0)
        turned[:, 2] += turns
        at_px = show(plane, turned, grid)
        colours = sample_colours(pyramid, at_px, index, corners=inner)
        shape = (rows + 2 * margin, wide)
        template = index.relative[face, :, 0].reshape(rows, columns)
        for pose_k, patch in zip(turned, colours, strict=True):
            seen = relative_lightness(patch, shape, index.settings)
            match = cv2.matchTemplate(seen, template, cv2.TM_CCOEFF_NORMED)
            _, best, _, (u, v) = cv2.minMaxLoc(match)
            if best > scores[i]:
                scores[i] = best
                shift = rotation(float(pose_k[2])) @ (np.array([u, v]) - margin) * step
                found[i] = [*(pose_k[:2] + shift), pose_k[2]]

    def align_some(cards: range) -> None:
        for i in cards:
            align(i)

    side_by_side(align_some, in_two(range(len(poses)), fewest=4))
    return found, scores
