"""Photo -> marks that differ from what is round about: print, where a card's edge does not show."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.values.arrays import FloatArray, ImageBGR

__all__ = ["MarkSettings", "find_marks"]


@dataclass(frozen=True, slots=True)
class MarkSettings:
    """What is a mark; pixels of a picture in which a card is some ninety wide, unless said."""

    shrink: int = 4  # the ground is sought in a picture so much smaller
    block: int = 21  # pixels of that: a card's width, most of which is paper or cloth
    least: float = 14.0  # tones from the ground: less is noise, or shade
    level: float = 0.5  # of the Otsu threshold of such differences
    least_px: float = 4.0  # of the longer side: less is noise
    most_marks: int = 400  # the largest


def find_marks(
    picture: ImageBGR, hidden: FloatArray, settings: MarkSettings | None = None
) -> list[FloatArray]:
    """Find marks.

    Parameters
    ----------
    picture : (H, W, 3) uint8
        The photo, reduced.
    hidden : (N, 4, 2) float64
        Quadrilaterals in it in which nothing is sought.

    Returns
    -------
    list of (P, 2) float64
        The outline of each mark; pixels of ``picture``.
    """
    s = settings or MarkSettings()
    h, w = picture.shape[:2]
    small_wh = max(w // s.shrink, 1), max(h // s.shrink, 1)
    small = cv2.resize(picture, small_wh, interpolation=cv2.INTER_AREA)
    ground = cv2.resize(cv2.medianBlur(small, s.block), (w, h), interpolation=cv2.INTER_LINEAR)
    b, g, r = cv2.split(cv2.absdiff(picture, ground))
    far = np.asarray(cv2.max(cv2.max(b, g), r), np.uint8)
    otsu, _ = cv2.threshold(far, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    mask = (far > max(s.least, s.level * otsu)).astype(np.uint8)
    for quad in hidden:
        cv2.fillConvexPoly(mask, np.round(quad).astype(np.int32), (0,))
    found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    extents = np.array([max(cv2.boundingRect(of)[2:]) for of in found], np.float64)
    order = np.argsort(-extents, kind="stable")[: s.most_marks]
    kept = order[extents[order] > s.least_px].tolist()
    return [np.asarray(found[k][:, 0], np.float64) for k in kept]
