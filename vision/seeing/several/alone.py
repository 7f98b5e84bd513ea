"""A photo's cards -> what each is off by for itself, of which the photo's own covariance is silent.

Errors of the camera bend a whole table and are told. A card's own are not: its sides are not quite
straight, and blur and a camera's sharpening move its edges by tenths of a pixel, which are
millimetres where it lies far off and is seen aslant.
"""

from dataclasses import dataclass

import numpy as np

from vision.geometry import photo_from_table, table_from_photo
from vision.values.arrays import FloatArray
from vision.values.layout import Camera

__all__ = ["HALF_MM", "AloneSettings", "alone_covariances"]

HALF_MM = 40.0  # half a card's length: a turn by so much is as long as a shift


@dataclass(frozen=True, slots=True)
class AloneSettings:
    """Standard deviations of a card's place."""

    flat_mm: float = 0.085  # from right above
    edge_px: float = 0.1  # of its edges: with 0.2 two of 31 cards moved by 2 mm were not told, and
    # with none two of a table seen at 55 degrees were told that had not been moved


def alone_covariances(
    camera: Camera, poses: FloatArray, settings: AloneSettings | None = None
) -> FloatArray:
    """Return the covariances (N, 3, 3) of x mm, y mm, theta rad of cards at poses (N, 3).

    Raises
    ------
    DegenerateGeometryError
        If a card lies on the photo's horizon.
    """
    s = settings or AloneSettings()
    places = poses[:, :2]
    at_px = photo_from_table(camera, places)
    pixels = np.stack([table_from_photo(camera, at_px + one) - places for one in np.eye(2)], axis=2)
    place = s.flat_mm**2 * np.eye(2) + s.edge_px**2 * pixels @ pixels.transpose(0, 2, 1)
    covariances = np.zeros((len(poses), 3, 3))
    covariances[:, :2, :2] = place
    covariances[:, 2, 2] = np.trace(place, axis1=1, axis2=2) / 2 / HALF_MM**2
    return covariances
