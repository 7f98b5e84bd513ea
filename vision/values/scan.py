"""A photo read and its round played."""

from collections.abc import Mapping
from dataclasses import dataclass

from vision.games.light_speed.values import Resolution, TableState
from vision.values.arrays import Points
from vision.values.layout import Camera, Placement, Reading
from vision.values.messages import Issue

__all__ = ["Scan"]


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """What was seen in a photo and what follows from it."""

    width_px: int
    height_px: int
    camera: Camera
    placement: Placement
    readings: tuple[Reading, ...]  #: in the order of ``placement.cards``
    corners_px: tuple[Points, ...]  #: (4, 2) each: TL, TR, BR, BL of the card itself, photo frame
    table: TableState
    resolution: Resolution
    issues: tuple[Issue, ...]
    timings_ms: Mapping[str, float]
