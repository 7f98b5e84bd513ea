"""Pictures of faces -> the printed frame that all of them show, if they are cut exactly."""

import numpy as np

from vision.values.arrays import FloatArray, ImageBGR
from vision.values.pieces import Frame

__all__ = ["find_frame"]

_MIDDLE = 0.6  # of a side that is looked at: corners may be rounded
_SAME_MM = 0.12  # by which a side may lie off the frame of all: cut by eye, pictures stray by 0.5
_WHITE = 170.0  # tones of the border's least channel: what a white border is told by in photos
_DARKER = 30.0  # tones of luma by which the frame is darker than the border
_LEAST_MM, _MOST_MM = 1.0, 8.0  # of a border
_NEAR_MM = 1.0  # round an edge, where its step lies, soft as pictures are


def find_frame(faces: ImageBGR, px_per_mm: float, size_mm: tuple[float, float]) -> Frame | None:
    """Find the printed rectangle inside a white border, at the same place on every face.

    Parameters
    ----------
    faces : (K, H, W, 3) uint8
        Each centred on its card.
    px_per_mm : float
        Their scale.
    size_mm : (float, float)
        Width and height of the cards.

    Returns
    -------
    Frame or None
        None if a face has no such border, or they lie apart: then they are not known well enough
        to be measured by.
    """
    insets = np.array([_insets(face, px_per_mm, size_mm) for face in faces])  # (K, 4)
    if not np.isfinite(insets).all():
        return None
    across, down = (np.median(insets[:, k::2]) for k in (0, 1))
    if np.abs(insets - [across, down, across, down]).max() > _SAME_MM:
        return None
    width, height = size_mm
    return Frame(width - 2 * float(across), height - 2 * float(down), darker_inside=True)


def _insets(face: ImageBGR, px_per_mm: float, size_mm: tuple[float, float]) -> FloatArray:
    """Return how far (mm) the frame lies inside the left, top, right and bottom edge; nan: none."""
    sides = (face.transpose(1, 0, 2), face, face[:, ::-1].transpose(1, 0, 2), face[::-1])
    lengths = (size_mm[0], size_mm[1], size_mm[0], size_mm[1])
    found = [_inset(side, px_per_mm, mm) for side, mm in zip(sides, lengths, strict=True)]
    return np.array(found)


def _inset(face: ImageBGR, px_per_mm: float, length_mm: float) -> float:
    """Return how far (mm) below the top edge a face first turns dark, all along it."""
    h, w = face.shape[:2]
    ends = round((1 - _MIDDLE) / 2 * w)
    depth_mm = (np.arange(h) - (h - 1) / 2) / px_per_mm + length_mm / 2
    rows = face[:, ends : w - ends].astype(np.float64)
    border = np.median(rows[(depth_mm > _LEAST_MM / 2) & (depth_mm < _LEAST_MM)], axis=(0, 1))
    if border.min() < _WHITE:
        return float("nan")
    near = (depth_mm > _LEAST_MM / 2) & (depth_mm < _MOST_MM)
    tones = rows.mean(axis=2)
    dark = np.percentile(tones, 90, axis=1) < border.mean() - _DARKER  # nearly all along it
    first = np.flatnonzero(near & dark)
    if not len(first):
        return float("nan")
    step = np.abs(np.diff(np.median(tones, axis=1)))
    middle_mm = (depth_mm[1:] + depth_mm[:-1]) / 2
    step[np.abs(middle_mm - depth_mm[first[0]]) > _NEAR_MM] = 0.0
    return float((step * middle_mm).sum() / max(step.sum(), 1e-9))
