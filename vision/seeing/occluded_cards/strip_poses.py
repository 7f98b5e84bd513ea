"""A card that lies on others -> where those could lie: ways to stick out from under it.

All is told in the upper card's frame: which side the lower one sticks out from, how far, how far
aside, and how it is turned. A lower card shows its white border along that side, and the printed
frame within it: two rows of places, white and dark, that are looked at before any face is.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.values.arrays import FloatArray, Points

__all__ = ["StripPoses", "StripSettings", "border_samples", "place_samples", "poses_beneath"]


@dataclass(frozen=True, slots=True)
class StripSettings:
    """How lower cards may stick out; mm and degrees."""

    least_mm: float = 6.0  # less shows no more than the border
    most_mm: float = 52.0  # more shows three sides: such a card has been found
    step_mm: float = 1.5  # less than half a border's width
    aside_mm: float = 30.0  # to either side: cards laid on one another are not quite in line
    aside_step_mm: float = 2.0  # a side's ends may be off by it
    turn_deg: float = 12.0  # of a card in line, or across: a fan's cards turn by 2 to 5 each
    turn_step_deg: float = 2.0  # moves the end of a long side by as much as a step does
    far_places: int = 9  # along the side that sticks out: enough to throw most ways out by
    band_mm: float = 2.0  # within the frame's edge a face is dark
    rim_mm: float = 4.0  # between places of the rim


@dataclass(frozen=True, slots=True, eq=False)
class StripPoses:
    """Ways in which a card may lie under another, in the upper one's frame.

    ``poses`` (W, 3) are mm and rad; ``far`` (W, P, 2) float32 the places on the border of the side
    that sticks out, and ``within`` (W, P, 2) those beside them just within the frame.
    """

    poses: FloatArray
    far: NDArray[np.float32]
    within: NDArray[np.float32]


@lru_cache(maxsize=2)
def poses_beneath(
    size_mm: tuple[float, float], frame_mm: tuple[float, float], settings: StripSettings
) -> StripPoses:
    """Return all ways to stick out from any of four sides, in line or across."""
    s = settings
    out = np.arange(s.least_mm, s.most_mm, s.step_mm)
    aside = np.arange(-s.aside_mm, s.aside_mm + 0.1, s.aside_step_mm)
    turn = np.radians(np.arange(-s.turn_deg, s.turn_deg + 0.1, s.turn_step_deg))
    poses: list[FloatArray] = []
    far: list[FloatArray] = []
    within: list[FloatArray] = []
    band_mm = (frame_mm[0] - 2 * s.band_mm, frame_mm[1] - 2 * s.band_mm)
    for quarter in (0, 1):  # in line; across
        own = size_mm if quarter == 0 else size_mm[::-1]
        for side in range(4):  # up, right, down, left
            away = np.array([(0, -1), (1, 0), (0, 1), (-1, 0)][side], float)
            along = np.array([-away[1], away[0]])
            axis = 1 if side % 2 == 0 else 0
            reach = size_mm[axis] / 2 + out - own[axis] / 2
            grid = np.stack(np.meshgrid(reach, aside, turn, indexing="ij"), axis=-1).reshape(-1, 3)
            centre = grid[:, :1] * away + grid[:, 1:2] * along
            theta = grid[:, 2] + quarter * np.pi / 2
            poses.append(np.column_stack([centre, theta]))
            own_side = (side - quarter) % 4
            for kept, outer, inner in ((far, size_mm, frame_mm), (within, frame_mm, band_mm)):
                places = _far_side(outer, inner, own_side, s.far_places)
                kept.append(place_samples(places, poses[-1]))
    laid = (np.concatenate(kept).astype(np.float32) for kept in (far, within))
    return StripPoses(np.concatenate(poses), *laid)


def _far_side(
    size_mm: tuple[float, float], frame_mm: tuple[float, float], side: int, count: int
) -> Points:
    """Return places (P, 2) in the middle of a card's border along one side: up, right, ..."""
    x, y = ((size + frame) / 4 for size, frame in zip(size_mm, frame_mm, strict=True))
    t = np.linspace(-0.92, 0.92, count)
    if side % 2 == 0:
        return np.stack([t * x, np.full(count, -y if side == 0 else y)], axis=1)
    return np.stack([np.full(count, x if side == 1 else -x), t * y], axis=1)


@lru_cache(maxsize=2)
def border_samples(
    size_mm: tuple[float, float],
    frame_mm: tuple[float, float],
    band_mm: float,
    settings: StripSettings,
) -> tuple[Points, Points]:
    """Return places in the middle of the border, and beside each a place just within the frame."""
    border, band = [], []
    for side in range(4):
        long = size_mm[0] if side % 2 == 0 else size_mm[1]
        count = int(long / settings.rim_mm)
        border.append(_far_side(size_mm, frame_mm, side, count))
        within = (frame_mm[0] - 2 * band_mm, frame_mm[1] - 2 * band_mm)
        band.append(_far_side(frame_mm, within, side, count))
    return np.concatenate(border), np.concatenate(band)


def place_samples(places: Points, poses: FloatArray) -> FloatArray:
    """Return places (P, 2) of cards at poses (N, 3): (N, P, 2)."""
    c, s = np.cos(poses[:, 2:3]), np.sin(poses[:, 2:3])
    x, y = places[:, 0], places[:, 1]
    return np.stack([poses[:, :1] + c * x - s * y, poses[:, 1:2] + s * x + c * y], axis=-1)
