"""The least error that a photo allows: the Cramér-Rao bound of a card's pose.

With everything else known, white noise of deviation s in each pixel, and a face whose light changes
by g per millimetre of motion, no unbiased estimate of the motion is better than the inverse of the
sum of g g / s² over all pixels that show the face. Its edges against the table come on top, so the
truth is a little lower still; a camera that is not known raises it. Photos that a phone has
smoothed and saved as JPEG keep less noise between neighbours than over some pixels, and none of it
is white: what is reached is tens to hundreds of times the bound, and tells that it is not noise
that limits a pose but what tone curves, blur and lenses do alike to a whole card or table.

References
----------
.. [1] Kay, Fundamentals of Statistical Signal Processing: Estimation Theory, 1993, section 3.
"""

import cv2
import numpy as np

from vision.geometry import photo_from_table, table_from_card
from vision.values.arrays import FloatArray, ImageGray
from vision.values.layout import Camera, PlacedCard
from vision.values.pieces import Faces

STEP_MM = 0.25  # between the places at which the photo's slope is asked


def noise_of(patch: FloatArray) -> float:
    """Return the deviation of white noise in a patch of a photo, from neighbours' differences.

    The median of the second difference across the diagonal: what is smooth, and the few pixels on
    a stroke, leave no trace in it.
    """
    d = patch[:-1, :-1] - patch[:-1, 1:] - patch[1:, :-1] + patch[1:, 1:]
    return max(1.4826 * float(np.median(np.abs(d))) / 2, 0.3)  # at least that of whole tones


def bound_of(
    gray: ImageGray, camera: Camera, card: PlacedCard, bank: Faces
) -> tuple[float, float] | None:
    """Return the bound of a card's place (mm, both axes) and turn (rad), if all of it shows."""
    x = np.arange(-bank.width_mm / 2, bank.width_mm / 2, STEP_MM)
    y = np.arange(-bank.height_mm / 2, bank.height_mm / 2, STEP_MM)
    q = np.stack(np.meshgrid(x, y), axis=-1)
    pose = card.x_mm, card.y_mm, card.theta_rad
    at = photo_from_table(camera, table_from_card(q.reshape(-1, 2), *pose)).reshape(q.shape)
    if (at < 2).any() or (at > np.array(gray.shape[::-1]) - 3).any():
        return None
    low, high = np.floor(at.min(axis=(0, 1))).astype(int), np.ceil(at.max(axis=(0, 1))).astype(int)
    part = gray[low[1] : high[1] + 1, low[0] : high[0] + 1].astype(np.float32)
    soft = cv2.GaussianBlur(part, (0, 0), 1.0)  # the noise has slopes of its own
    place = (at - low).astype(np.float32)
    seen = cv2.remap(soft, place[..., 0], place[..., 1], cv2.INTER_LINEAR).astype(np.float64)
    by_y, by_x = np.gradient(seen, STEP_MM)
    slopes = np.stack([by_x, by_y, by_y * q[..., 0] - by_x * q[..., 1]], axis=-1).reshape(-1, 3)
    along = np.stack([at[1:, 1:] - at[1:, :-1], at[1:, 1:] - at[:-1, 1:]], axis=-1)
    pixels = float(np.abs(np.linalg.det(along)).mean())  # that a place stands for
    information = slopes.T @ slopes * pixels / noise_of(part.astype(np.float64)) ** 2
    least = np.linalg.inv(information)
    return float(np.sqrt(least[0, 0] + least[1, 1])), float(np.sqrt(least[2, 2]))
