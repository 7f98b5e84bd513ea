"""Outlines, of which parts may lie beyond the photo -> where in the photo they are told."""

import cv2
import numpy as np

from vision.values.arrays import FloatArray

__all__ = ["visible_centres"]


def visible_centres(outlines_px: FloatArray, size_wh: tuple[int, int]) -> FloatArray:
    """Return the middles of what outlines show in a photo; of those beyond it, none.

    Parameters
    ----------
    outlines_px : (N, 4, 2) float64
        Convex, photo frame.
    size_wh : (int, int)
        Of the photo.

    Returns
    -------
    (K, 2) float64
        Photo frame, in the order of the outlines.
    """
    width, height = size_wh
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    middles = []
    for outline in outlines_px:
        if ((outline >= frame[0]) & (outline <= frame[2])).all():
            middles.append(outline.mean(axis=0))
            continue
        area, part = cv2.intersectConvexConvex(frame, outline.astype(np.float32))
        if area > 0:
            of = cv2.moments(part)
            middles.append(np.array([of["m10"], of["m01"]]) / of["m00"])
    return np.array(middles, np.float64).reshape(-1, 2)
