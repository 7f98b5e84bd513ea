"""A photo without what lies beside the table: hands and faces are not for strangers."""

from collections.abc import Sequence

import cv2
import numpy as np

from vision.values.arrays import ImageBGR, Points

__all__ = ["hide_outside"]

_GREY = (128, 128, 128)
_MARGIN = 0.75  # of the largest piece's own size, left round all that lies there


def hide_outside(photo: ImageBGR, outlines_px: Sequence[Points]) -> ImageBGR:
    """Return a copy of a photo in which only what lies among the pieces is left.

    Parameters
    ----------
    photo : (H, W, 3) uint8
        The upright picture.
    outlines_px : sequence of (N, 2)
        Edges of all pieces, photo frame. Without any all is hidden.
    """
    hidden = np.full_like(photo, _GREY)
    shown = [np.asarray(one, np.float64) for one in outlines_px if len(one)]
    if not shown:
        return hidden
    sizes = [float(np.hypot(*np.ptp(one, axis=0))) for one in shown]
    margin = _MARGIN * float(np.median(sizes))
    hull = cv2.convexHull(np.vstack(shown).astype(np.float32))
    mask = np.zeros(photo.shape[:2], np.uint8)
    outline = [np.round(hull).astype(np.int32)]
    cv2.fillPoly(mask, outline, 255)
    cv2.polylines(mask, outline, True, 255, max(1, round(2 * margin)))
    hidden[mask > 0] = photo[mask > 0]
    return hidden
