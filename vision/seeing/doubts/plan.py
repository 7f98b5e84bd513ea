"""A photo and its cards -> a plan of the table as seen from above, with what is bare of it."""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import photo_from_table
from vision.imaging.masks import grown
from vision.imaging.view import View, shown_at, to_level
from vision.seeing.solve.model import Solution, camera_of
from vision.seeing.solve.overlaps import card_outlines
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, ImageGray

__all__ = ["PlanSettings", "TablePlan", "plan_table"]


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """How fine, and of what: mm."""

    step_mm: float  # between points
    beyond_mm: float  # the outermost cards
    card_edge_mm: float = 6.0  # round a card: its shadow and glow


@dataclass(frozen=True, slots=True, eq=False)
class TablePlan:
    """The table between and round the cards, a point every ``step_mm``.

    ``at_px`` (H, W, 2) is where each point shows in the photo, ``tones`` (H, W, 3) what shows
    there. ``played`` (H, W) is 255 within the hull of all cards; ``bare`` (H, W) tells which points
    lie in the picture, beside all cards, and within or near that hull.
    """

    step_mm: float
    at_px: FloatArray
    tones: ImageBGR
    played: ImageGray
    bare: BoolArray


def plan_table(
    view: View,
    level: int,
    solution: Solution,
    size_mm: tuple[float, float],
    settings: PlanSettings,
) -> TablePlan | None:
    """Draw a plan of the table; None where it would reach to the horizon.

    Parameters
    ----------
    view : View
        The photo.
    level : int
        In which its colours are told.
    solution : Solution
        Camera, plane and the poses of all cards.
    size_mm : (float, float)
        Width and height of a card.
    settings : PlanSettings
        Which points.
    """
    s = settings
    outlines = card_outlines(solution.poses, size_mm)
    corners = outlines.reshape(-1, 2)
    low = corners.min(axis=0) - s.beyond_mm
    columns, rows = np.ceil((corners.max(axis=0) + s.beyond_mm - low) / s.step_mm)
    x, y = np.arange(int(columns)) * s.step_mm + low[0], np.arange(int(rows)) * s.step_mm + low[1]
    plan = np.stack(np.meshgrid(x, y), axis=-1)
    try:
        at_px = photo_from_table(camera_of(solution), plan.reshape(-1, 2)).reshape(plan.shape)
    except DegenerateGeometryError:
        return None
    tones = shown_at(view, at_px, level)
    x_px, y_px = np.moveaxis(to_level(at_px, level).astype(np.float32), -1, 0)
    height, width = view[level].shape[:2]
    inside = (x_px >= 0) & (x_px < width) & (y_px >= 0) & (y_px < height)

    places = np.round((outlines - low) / s.step_mm).astype(np.int32)
    cards, played = np.zeros((2, *inside.shape), np.uint8)
    cv2.fillPoly(cards, list(places), 255)
    cv2.fillConvexPoly(played, cv2.convexHull(places.reshape(-1, 1, 2)), 255)
    bare = inside & (grown(cards, s.card_edge_mm / s.step_mm) == 0)
    bare &= grown(played, s.beyond_mm / s.step_mm) > 0
    return TablePlan(s.step_mm, at_px, tones, played, bare)
