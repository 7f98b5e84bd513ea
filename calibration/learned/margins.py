"""A picture of a card -> how wide its plain border is."""

import numpy as np

from vision.values.arrays import FloatArray, ImageBGR

__all__ = ["find_margins"]

_ALIKE = 22.0  # tones from the border's colour: JPEG and paper stay below
_SHARE = 0.94  # of a row that must be of the border's colour
_CORNER_MM = 4.0  # left out at each end of a row: rounded corners
_RING_MM = (0.6, 1.4)  # where the border's colour is taken: inside the cut edge's own blur
_LEAST_MM = 1.2  # a thinner border is no help
_MOST = 0.22  # of a side


def find_margins(face: ImageBGR, px_per_mm: float) -> FloatArray:
    """Measure the plain border of a face.

    Parameters
    ----------
    face : (H, W, 3) uint8
        Cut to the card's edge.
    px_per_mm : float
        Its scale.

    Returns
    -------
    (4,) float64
        Left, top, right, bottom in mm; all 0 if the face has no plain border all round.
    """
    depths = [
        _depth(turned, px_per_mm)
        for turned in (
            face.transpose(1, 0, 2),
            face,
            face[:, ::-1].transpose(1, 0, 2),
            face[::-1],
        )
    ]
    margins = np.array(depths)
    return margins if (margins >= _LEAST_MM).all() else np.zeros(4)


def _depth(face: ImageBGR, px_per_mm: float) -> float:
    """Return how deep (mm) the plain border at the first rows of a picture reaches; 0 for none."""
    ends = round(_CORNER_MM * px_per_mm)
    first, last = (round(mm * px_per_mm) for mm in _RING_MM)
    rows = face[: int(_MOST * len(face)), ends : face.shape[1] - ends].astype(np.float64)
    tone = np.median(rows[first : max(last, first + 1)].reshape(-1, 3), axis=0)
    alike = np.abs(rows - tone).max(axis=2) < _ALIKE
    plain = alike.mean(axis=1) >= _SHARE
    plain[:first] = True  # the cut edge
    if plain.all():
        return 0.0  # a plain face, not a border
    return float(plain.argmin()) / px_per_mm
