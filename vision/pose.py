"""Cards on a plane -> poses to a fraction of a pixel, with their covariance.

What each side of each card says goes into one joint adjustment of camera, table plane and all
poses; then the picture is measured again from the better solution, over a shorter reach.
"""

from dataclasses import dataclass, field

import numpy as np

from vision.adjustment import Measurements, Priors, Solution, join_measurements, project, solve
from vision.edges import EdgeSettings, Rectangle, measure_sides
from vision.geometry import card_corners
from vision.types import FloatArray, ImageGray

__all__ = ["Located", "PoseSettings", "locate_cards"]


@dataclass(frozen=True, slots=True)
class PoseSettings:
    """How poses are solved for.

    Cards curl and rise by some tenths of a millimetre, which an oblique view shows as a shift:
    the ``shape`` terms, seen on ray-traced photos, grow with the tangent t of the view's angle.
    """

    reach_px: tuple[float, ...] = (9.0, 4.0, 3.0)  # search across the side, round by round
    anchor_sd_px: float = 6.0  # of the start: holds a card of which no side is seen, no more
    shape_floor_mm: float = 0.03  # of a card that is seen from right above
    shape_along_mm: float = 0.12  # times t squared, along the view
    shape_across_mm: float = 0.06  # times t squared, across it
    shape_turn_deg: float = 0.03  # times t squared
    glow_px: float = 0.045  # of all sides alike: what tone curves do beyond the common bloom
    edges: EdgeSettings = field(default_factory=EdgeSettings)


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """The joint solution in its own gauge, with what each card's sides gave.

    ``pose_covariance`` (3N, 3N) is of (x mm, y mm, theta rad), the cards' own shape included.
    ``sides`` (N, R, 4) is the share of each side that was measured (0..1). ``residual_px`` is the
    weighted rms of the sides against the model; inf if no side was measured.
    """

    solution: Solution
    pose_covariance: FloatArray
    sides: FloatArray
    residual_px: float


def locate_cards(
    gray: ImageGray,
    start: Solution,
    rectangles: tuple[Rectangle, ...],
    priors: Priors,
    settings: PoseSettings | None = None,
) -> Located:
    """Solve camera, plane and poses from sub-pixel edges.

    Parameters
    ----------
    gray : (H, W) uint8
        Luma of the full photo.
    start : Solution
        From the rectifying stage; good to a few pixels. N cards.
    rectangles : tuple of Rectangle
        The R edges every card shows, its own first.
    priors : Priors
        What is believed of the camera.

    Returns
    -------
    Located
        Poses and covariance in the gauge of the adjustment.

    Raises
    ------
    DegenerateGeometryError
        If a card of the start lies behind the camera.
    """
    settings = settings or PoseSettings()
    solution = start
    for reach in settings.reach_px:
        sides = [measure_sides(gray, solution, r, reach, settings.edges) for r in rectangles]
        seen = join_measurements([side.seen for side in sides])
        anchors = _anchors(solution, rectangles[0], settings.anchor_sd_px)
        solved = solve(solution, join_measurements([seen, anchors]), priors)
        solution = solved.solution
    m = len(seen.card)
    squares = (solved.residuals[:m] * seen.sigma_px) ** 2 * solved.weights[:m]
    return Located(
        solution,
        solved.pose_covariance + _shape_covariance(solution, rectangles[0], settings),
        np.stack([side.share for side in sides], axis=1),
        float(np.sqrt(squares.mean())) if m else float("inf"),
    )


def _anchors(solution: Solution, rectangle: Rectangle, sd_px: float) -> Measurements:
    """Observe each card's corners where they are now, believed to a few pixels."""
    n = len(solution.poses)
    card = np.repeat(np.arange(n), 8)
    corners = card_corners(rectangle.width_mm, rectangle.height_mm)
    point = np.tile(np.repeat(corners, 2, axis=0), (n, 1))
    none = np.zeros(8 * n)
    return Measurements(
        card,
        point,
        project(solution, card, point),
        np.tile([[1.0, 0.0], [0.0, 1.0]], (4 * n, 1)),
        np.full(8 * n, sd_px),
        polarity=none,
        wall=none,
    )


def _shape_covariance(
    solution: Solution, rectangle: Rectangle, settings: PoseSettings
) -> FloatArray:
    """Return what the cards' shape and the camera's tones add to the poses' covariance (3N, 3N)."""
    eye = -solution.rotation.T @ solution.translation_mm  # the camera in the table frame
    away = solution.poses[:, :2] - eye[:2]
    distance = np.linalg.norm(away, axis=1)
    t2 = (distance / max(abs(float(eye[2])), 1.0)) ** 2
    along = away / np.maximum(distance, 1e-9)[:, None]
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    var_along = settings.shape_floor_mm**2 + (settings.shape_along_mm * t2) ** 2
    var_across = settings.shape_floor_mm**2 + (settings.shape_across_mm * t2) ** 2
    total = np.zeros((3 * len(away),) * 2)
    for i in range(len(away)):
        block = total[3 * i : 3 * i + 3, 3 * i : 3 * i + 3]
        block[:2, :2] = var_along[i] * np.outer(along[i], along[i])
        block[:2, :2] += var_across[i] * np.outer(across[i], across[i])
        block[2, 2] = (np.radians(settings.shape_turn_deg) * t2[i]) ** 2
    # sides that all reach out too far make every card, and so the whole table, seem larger
    px_per_mm = solution.focal_px / float(np.linalg.norm(solution.translation_mm))
    half_mm = (rectangle.width_mm + rectangle.height_mm) / 4
    growth = np.zeros(3 * len(away))
    growth[0::3], growth[1::3] = (solution.poses[:, :2] - solution.poses[:, :2].mean(axis=0)).T
    growth *= settings.glow_px / (half_mm * px_per_mm)
    return total + np.outer(growth, growth)
