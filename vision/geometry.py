"""Homographies, rigid poses, the lens, polygons: numpy only, never an image."""

import math

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.values.arrays import FloatArray, Matrix3, Points
from vision.values.layout import Camera

__all__ = [
    "card_corners",
    "card_from_table",
    "cell_centres",
    "circle",
    "distort",
    "fold_angles",
    "heading_vector",
    "map_each",
    "map_points",
    "meet",
    "photo_from_table",
    "polygon_area",
    "rotation",
    "solve_homographies",
    "table_from_card",
    "table_from_photo",
    "undistort",
    "wrap_angle",
]

_W_MIN = 1e-12  # a homogeneous coordinate nearer to zero than this is a point at infinity
_PARALLEL = 1e-6  # a sine below which lines do not meet within any picture
_SNAP = 1e-15  # cos(pi/2) in floating point is 6e-17: quarter turns are meant to be exact


def wrap_angle(theta_rad: float) -> float:
    """Bring an angle into (-pi, pi].

    >>> wrap_angle(-math.pi) == math.pi
    True
    """
    wrapped = math.remainder(theta_rad, 2 * math.pi)
    return math.pi if wrapped <= -math.pi else wrapped


def fold_angles(theta_rad: FloatArray, period_rad: float) -> FloatArray:
    """Bring angles into half a period to either side of 0.

    >>> fold_angles(np.array([1.0, -3.0]), 2.0).tolist()
    [-1.0, -1.0]
    """
    return np.asarray((theta_rad + period_rad / 2) % period_rad - period_rad / 2, np.float64)


def rotation(theta_rad: float) -> FloatArray:
    """Return the (2, 2) matrix that turns card axes into table axes; exact at quarter turns."""
    c, s = math.cos(theta_rad), math.sin(theta_rad)
    c = 0.0 if abs(c) < _SNAP else c
    s = 0.0 if abs(s) < _SNAP else s
    return np.array([[c, -s], [s, c]])


def heading_vector(heading_rad: float) -> FloatArray:
    """Return the unit vector (2,) of a heading: 0 is -y, clockwise as seen from above.

    >>> heading_vector(math.pi / 2).tolist()
    [1.0, 0.0]
    """
    return np.asarray(rotation(heading_rad) @ [0.0, -1.0] + 0.0, np.float64)


def map_each(homographies: FloatArray, points: FloatArray) -> FloatArray:
    """Map points (P, 2), or for each its own (N, P, 2), through N homographies: (N, P, 2)."""
    full = np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1)
    mapped = homographies @ full.swapaxes(-1, -2)
    return np.asarray((mapped[:, :2] / mapped[:, 2:]).swapaxes(1, 2), np.float64)


def cell_centres(columns: int, rows: int) -> FloatArray:
    """Return the centres (rows x columns, 2) of the cells of a unit square round 0, row by row."""
    x, y = ((np.arange(n) + 0.5) / n - 0.5 for n in (columns, rows))
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def card_corners(width_mm: float, height_mm: float) -> Points:
    """Return TL, TR, BR, BL of a rectangle centred on the origin of the card frame."""
    w, h = width_mm / 2, height_mm / 2
    return np.array([[-w, -h], [w, -h], [w, h], [-w, h]])


def circle(radius_mm: float, count: int = 24) -> Points:
    """Return points (N, 2) on a circle round the origin, clockwise from the top."""
    angle = np.arange(count) * 2 * np.pi / count
    return radius_mm * np.stack([np.sin(angle), -np.cos(angle)], axis=1)


def table_from_card(points_mm: Points, x_mm: float, y_mm: float, theta_rad: float) -> Points:
    """Map points of a card at a pose to the table frame."""
    return np.asarray(points_mm, float) @ rotation(theta_rad).T + [x_mm, y_mm]


def card_from_table(points_mm: Points, x_mm: float, y_mm: float, theta_rad: float) -> Points:
    """Map table points to the frame of a card at a pose."""
    return (np.asarray(points_mm, float) - [x_mm, y_mm]) @ rotation(theta_rad)


def polygon_area(points: Points) -> float:
    """Return the signed area; positive for a polygon that runs clockwise as seen (y down)."""
    x, y = points[:, 0], points[:, 1]
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def meet(
    a: FloatArray, along_a: FloatArray, b: FloatArray, along_b: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return where lines (..., 2) through points a and b meet, and the sine between the two.

    ``along_a`` and ``along_b`` are unit vectors; parallel lines meet far away.
    """
    sine = along_a[..., 0] * along_b[..., 1] - along_a[..., 1] * along_b[..., 0]
    apart = b - a
    u = apart[..., 0] * along_b[..., 1] - apart[..., 1] * along_b[..., 0]
    u = u / np.where(np.abs(sine) < _PARALLEL, _PARALLEL, sine)
    return a + u[..., None] * along_a, sine


def map_points(dst_from_src: Matrix3, points: Points) -> Points:
    """Map points through a homography.

    Parameters
    ----------
    dst_from_src : (3, 3) float64
        Homography, defined up to scale.
    points : (N, 2) float64
        Points (x, y) in the source frame, in its unit.

    Returns
    -------
    (N, 2) float64
        The same points in the destination frame.

    Raises
    ------
    DegenerateGeometryError
        If a point maps to infinity.

    References
    ----------
    .. [1] Hartley and Zisserman, Multiple View Geometry, 2nd ed., section 2.3.
    """
    points = np.asarray(points, float).reshape(-1, 2)
    mapped = points @ dst_from_src[:, :2].T + dst_from_src[:, 2]
    w = mapped[:, 2:]
    if np.any(np.abs(w) < _W_MIN):
        msg = "a point lies on the horizon of the plane; keep the whole table in view"
        raise DegenerateGeometryError(msg)
    return np.asarray(mapped[:, :2] / w, np.float64)


def solve_homographies(src: Points, dst: FloatArray) -> FloatArray:
    """Solve the homographies that take four points to each of N other fours, exactly.

    Parameters
    ----------
    src : (4, 2) float64
        Points (x, y) in the source frame, no three on a line.
    dst : (N, 4, 2) float64
        Where each of them goes, in the destination frame.

    Returns
    -------
    (N, 3, 3) float64
        dst_from_src, with 1 in the last place.

    Raises
    ------
    DegenerateGeometryError
        If three points of a four lie on a line.
    """
    n = len(dst)
    x, y = src[:, 0], src[:, 1]
    u, v = dst[..., 0], dst[..., 1]
    rows = np.zeros((n, 8, 8))
    rows[:, 0::2, 0], rows[:, 0::2, 1], rows[:, 0::2, 2] = x, y, 1
    rows[:, 1::2, 3], rows[:, 1::2, 4], rows[:, 1::2, 5] = x, y, 1
    rows[:, 0::2, 6], rows[:, 0::2, 7] = -u * x, -u * y
    rows[:, 1::2, 6], rows[:, 1::2, 7] = -v * x, -v * y
    try:
        h = np.linalg.solve(rows, dst.reshape(n, 8, 1))[..., 0]
    except np.linalg.LinAlgError as error:
        msg = "three of four corners lie on a line; photograph the table from higher up"
        raise DegenerateGeometryError(msg) from error
    return np.concatenate([h, np.ones((n, 1))], axis=1).reshape(n, 3, 3)


def distort(camera: Camera, points_px: Points) -> Points:
    """Map undistorted pixels (N, 2) to the photo's own, through the lens."""
    k = camera.camera_matrix
    focal, centre = k[[0, 1], [0, 1]], k[:2, 2]
    n = (np.asarray(points_px, float) - centre) / focal
    r2 = (n**2).sum(axis=1, keepdims=True)
    k1, k2 = camera.distortion
    return np.asarray(n * (1 + k1 * r2 + k2 * r2**2) * focal + centre, np.float64)


def undistort(camera: Camera, points_px: Points) -> Points:
    """Map pixels of the photo (N, 2) to undistorted ones; the inverse of :func:`distort`.

    Raises
    ------
    DegenerateGeometryError
        If the lens model folds over before it reaches one of the points.
    """
    k = camera.camera_matrix
    focal, centre = k[[0, 1], [0, 1]], k[:2, 2]
    d = (np.asarray(points_px, float) - centre) / focal
    radius = np.hypot(d[:, 0], d[:, 1])
    k1, k2 = camera.distortion
    r = radius.copy()
    for _ in range(20):  # Newton on r (1 + k1 r^2 + k2 r^4) = radius
        slope = 1 + 3 * k1 * r**2 + 5 * k2 * r**4
        if np.any(slope <= 0.05):
            msg = "the lens model folds over inside the picture"
            raise DegenerateGeometryError(msg)
        step = (r * (1 + k1 * r**2 + k2 * r**4) - radius) / slope
        r = r - step
        if np.all(np.abs(step) < 1e-14):
            break
    scale = np.divide(r, radius, out=np.ones_like(r), where=radius > 0)
    return d * scale[:, None] * focal + centre


def photo_from_table(camera: Camera, points_mm: Points) -> Points:
    """Map table points (N, 2) in mm to pixels of the photo, lens included."""
    return distort(camera, map_points(camera.photo_from_table, points_mm))


def table_from_photo(camera: Camera, points_px: Points) -> Points:
    """Map pixels of the photo (N, 2) to the table plane in mm."""
    table_from_undistorted = np.linalg.inv(camera.photo_from_table).astype(np.float64)
    return map_points(table_from_undistorted, undistort(camera, points_px))
