"""The cards that a watch knows, what happened to them, and how poses compare."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from shapely.geometry.base import BaseGeometry

from vision.geometry import wrap_angle
from vision.seeing.detector import Detector, build_detector
from vision.seeing.estimation.model import Solution
from vision.seeing.values import FaceMatch
from vision.values.arrays import FloatArray
from vision.values.layout import Camera
from vision.values.pieces import Faces

__all__ = [
    "Bumped",
    "Kit",
    "Known",
    "Laid",
    "Mark",
    "Moved",
    "Removed",
    "Sighting",
    "Unclear",
    "apart",
    "face_of",
    "make_kit",
    "overlap_depth",
    "solution_of",
]


@dataclass(frozen=True, slots=True, eq=False)
class Kit:
    """All that is known before the first picture: how cards are looked for.

    ``face_down`` names the backs of which several may lie on a table.
    """

    detector: Detector
    face_down: tuple[str, ...] = ()

    @property
    def bank(self) -> Faces:
        """What the cards look like."""
        return self.detector.faces

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of a card."""
        return self.bank.size_mm


def make_kit(bank: Faces, face_down: tuple[str, ...] = ()) -> Kit:
    """Prepare the faces of a deck for following."""
    return Kit(build_detector(bank), face_down)


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A card on the table.

    ``face`` indexes the bank, -1 for an unreadable card. ``pose`` (3,) is where it lies, x mm,
    y mm, theta rad; ``laid_pose`` where it lay when it was laid or last told as moved.
    ``read_as`` is the face that it was read as where a finger named it otherwise; else None.
    """

    name: str
    face: int
    pose: FloatArray
    laid_pose: FloatArray
    match: FaceMatch
    time_s: float
    was_there: bool = False
    read_as: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """A place of which a finger said what the pictures do not show there.

    ``is_card``: ``card`` lies there, and is not seen; else what looks like ``card`` is none.
    """

    card: Known
    is_card: bool


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """A card has come to lie; ``twin`` is the card of which it seems a second copy."""

    card: Known
    twin: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """A card lies elsewhere than it was laid."""

    card: Known
    distance_mm: float
    turn_deg: float


@dataclass(frozen=True, slots=True, eq=False)
class Removed:
    """A card is gone."""

    card: Known


@dataclass(frozen=True, slots=True)
class Bumped:
    """The camera looks from elsewhere: the cards show ``shift_px`` off, but lie as they lay."""

    shift_px: float
    agreeing: int
    known: int


@dataclass(frozen=True, slots=True)
class Unclear:
    """The picture changed all over and the cards are not found again."""

    found: int
    known: int


Sighting: TypeAlias = Laid | Moved | Removed | Bumped | Unclear


def face_of(name: str, kit: Kit) -> int:
    """Return which face a card of a name shows; -1 if the deck has none of that name."""
    base = next((back for back in kit.face_down if name.startswith(back)), name)
    return next((k for k, names in enumerate(kit.bank.names) if base in names), -1)


def apart(a: FloatArray, b: FloatArray) -> tuple[float, float]:
    """Return how far apart two poses (3,) are: mm, and degrees without sign."""
    turn = abs(wrap_angle(float(a[2] - b[2])))
    return float(np.hypot(*(a[:2] - b[:2]))), float(np.degrees(turn))


def solution_of(camera: Camera) -> Solution:
    """Return a camera and its plane, without cards, as the adjustment has them."""
    k = camera.camera_matrix
    plane = np.linalg.inv(k) @ camera.photo_from_table
    plane = plane / np.linalg.norm(plane[:, 0])
    if plane[2, 2] < 0:
        plane = -plane
    u, _, vt = np.linalg.svd(np.column_stack([plane[:, :2], np.cross(plane[:, 0], plane[:, 1])]))
    turn = u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt
    k1, k2 = (float(value) for value in camera.distortion)
    return Solution(float(k[0, 0]), k[:2, 2], k1, k2, turn, plane[:, 2], np.zeros((0, 3)))


def overlap_depth(common: BaseGeometry) -> float:
    """Return the smaller extent of what two cards have in common, mm."""
    if common.area <= 0:
        return 0.0
    box = np.array(common.minimum_rotated_rectangle.boundary.coords)
    return float(np.linalg.norm(np.diff(box[:3], axis=0), axis=1).min())
