"""Views of a board, or cameras solved from photos of cards -> what is known of a camera."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera.board import BoardView
from vision.errors import CalibrationError
from vision.values.arrays import FloatArray
from vision.values.layout import Camera

__all__ = ["CameraProfile", "combine_cameras", "solve_boards"]

_LEAST_VIEWS = 3
_WORST_PX = 1.5  # rms of the board's corners: beyond, the board was bent or the picture shaken
_WORST_SPREAD = 0.1  # of the focal length from one photo of cards to the next


@dataclass(frozen=True, slots=True)
class CameraProfile:
    """A camera at one picture size; standard deviations end in ``_sd``.

    ``error_px`` is the rms distance of what was seen from what the camera explains.
    """

    name: str
    size_wh: tuple[int, int]
    focal_px: float
    focal_sd_px: float
    centre_px: tuple[float, float]
    centre_sd_px: float
    k1: float
    k1_sd: float
    k2: float
    k2_sd: float
    error_px: float
    views: int
    made_from: str


def solve_boards(name: str, views: Sequence[BoardView], size_wh: tuple[int, int]) -> CameraProfile:
    """Solve a camera from views of a board.

    Parameters
    ----------
    name : str
        What to call it.
    views : sequence of BoardView
        At least three, of different slants.
    size_wh : (int, int)
        Width and height of the pictures, pixels.

    Raises
    ------
    CalibrationError
        If the views are too few, all alike, or do not agree.
    """
    if len(views) < _LEAST_VIEWS:
        msg = (
            f"found the board in {len(views)} pictures; needed {_LEAST_VIEWS} or more, held at "
            "different slants and filling a third of the picture"
        )
        raise CalibrationError(msg)
    error, matrix, lens, sds = _calibrate(views, size_wh)
    focal = float(matrix[0, 0])
    k1, k2 = (float(value) for value in lens[:2])
    if not np.isfinite([focal, k1, k2]).all() or error > _WORST_PX:
        msg = (
            f"the board's corners are off by {error:.1f} pixels; needed less than {_WORST_PX}: "
            "glue it flat, hold it still, and light it well"
        )
        raise CalibrationError(msg)
    if sds[0] > 0.05 * focal:
        msg = (
            f"the views say too little of the lens (focal length {focal:.0f} ± {sds[0]:.0f} "
            "pixels); tilt the board by 30 degrees and more, to all sides"
        )
        raise CalibrationError(msg)
    return CameraProfile(
        name,
        size_wh,
        focal,
        float(sds[0]),
        (float(matrix[0, 2]), float(matrix[1, 2])),
        float(max(sds[2], sds[3])),
        k1,
        float(sds[4]),
        k2,
        float(sds[5]),
        error,
        len(views),
        "board",
    )


def _calibrate(
    views: Sequence[BoardView], size_wh: tuple[int, int]
) -> tuple[float, FloatArray, FloatArray, FloatArray]:
    """Return the rms error (px), camera matrix, lens, and the standard deviations of both."""
    flags = cv2.CALIB_FIX_ASPECT_RATIO | cv2.CALIB_ZERO_TANGENT_DIST | cv2.CALIB_FIX_K3
    width, height = size_wh
    start = np.array([[width, 0, (width - 1) / 2], [0, width, (height - 1) / 2], [0, 0, 1.0]])
    flags |= cv2.CALIB_USE_INTRINSIC_GUESS
    boards = [np.column_stack([v.board_mm, np.zeros(len(v.board_mm))]) for v in views]
    try:
        error, matrix, lens, _, _, sd, _, _ = cv2.calibrateCameraExtended(
            [board.astype(np.float32) for board in boards],
            [view.photo_px.astype(np.float32)[:, None] for view in views],
            size_wh,
            start,
            np.zeros(5),
            flags=flags,
        )
    except cv2.error as error_cv:
        msg = "the views of the board have no solution; hold it at different slants"
        raise CalibrationError(msg) from error_cv
    return (
        float(error),
        np.asarray(matrix, np.float64),
        np.asarray(lens, np.float64).ravel(),
        np.asarray(sd, np.float64).ravel(),
    )


def combine_cameras(
    name: str, cameras: Sequence[Camera], residuals_px: Sequence[float], size_wh: tuple[int, int]
) -> CameraProfile:
    """Put together the cameras that were solved from photos of cards on a table.

    Parameters
    ----------
    cameras : sequence of Camera
        One for each photo.
    residuals_px : sequence of float
        How well the cards agreed with each.

    Raises
    ------
    CalibrationError
        If there are too few, or they do not agree.
    """
    if len(cameras) < _LEAST_VIEWS:
        msg = (
            f"found cards in {len(cameras)} photos; needed {_LEAST_VIEWS} or more of the same "
            "camera at the same zoom, some of them slanted"
        )
        raise CalibrationError(msg)
    values = np.array(
        [[c.camera_matrix[0, 0], *c.camera_matrix[:2, 2], *c.distortion] for c in cameras]
    )
    middle = np.median(values, axis=0)
    # of a median of N, from the median distance; never better than the photos' own priors allow
    spread = 1.4826 * np.median(np.abs(values - middle), axis=0) * 1.25 / np.sqrt(len(values))
    if spread[0] > _WORST_SPREAD * middle[0]:
        msg = (
            f"the photos disagree on the focal length ({middle[0]:.0f} ± {spread[0]:.0f} pixels); "
            "take them with one camera and one zoom, slanted by 20 to 40 degrees"
        )
        raise CalibrationError(msg)
    return CameraProfile(
        name,
        size_wh,
        float(middle[0]),
        float(max(spread[0], 0.005 * middle[0])),
        (float(middle[1]), float(middle[2])),
        float(max(spread[1], spread[2], 1.0)),
        float(middle[3]),
        float(max(spread[3], 0.003)),
        float(middle[4]),
        float(max(spread[4], 0.005)),
        float(np.median(residuals_px)),
        len(cameras),
        "cards",
    )
