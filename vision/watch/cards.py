"""The cards that a watch knows, what happened to them, and how poses compare."""

from dataclasses import dataclass, field
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
from vision.watch.glance import GlanceSettings
from vision.watch.motion import MotionSettings

__all__ = [
    "Bumped",
    "FollowSettings",
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


@dataclass(frozen=True, slots=True)
class FollowSettings:
    """How cards are followed; lengths mm, angles degrees, times seconds."""

    moved_mm: float = 1.8  # told as moved: what is measured is good to 0.2 of the 2 mm that count
    moved_deg: float = 0.9  # of the 1 degree that counts
    same_mm: float = 20.0  # nearer than that: the same card, slid
    face_score: float = 0.3  # of a card's own face at its place: it is still there
    face_slack: float = 0.12  # its own face may be that much behind the best: glare, counters
    sure_score: float = 0.45  # a new card is named at once; else it is looked at again
    sure_lead: float = 0.06  # and over every other face: with less it is not named at all
    other_share: float = 0.3  # of a card's area that may change without a card: a hand is more
    covered_share: float = 0.5  # of a card that must have changed before it can be gone
    retry_s: float = 0.4  # between two looks at the same thing at rest
    unsure_s: float = 1.0  # an unreadable card is told after that long
    give_up_s: float = 4.0  # a thing at rest that is no card belongs to the table then
    arm_give_up_s: float = 20.0  # ... that reaches the rim of the picture: an arm may rest
    unclear_s: float = 5.0  # the cards are all over and not found again: told after that long
    unclear_retry_s: float = 1.0  # between two looks for them, each as long as a whole scan
    bump_mm: float = 0.4  # all cards off by more, alike: the camera was moved
    bump_px: float = 0.3  # less is no bump, but noise and a change of light
    in_place_share: float = 0.25  # of the cards that lie where they lay: then it was no bump
    bump_fit: float = 0.5  # what a common motion must leave less than of that
    agree_mm: float = 1.5  # of a card after the camera was found again
    agree_share: float = 0.6  # of the known cards that must agree then
    #: what of the picture is at rest, and what of it changed
    motion: MotionSettings = field(default_factory=MotionSettings)
    #: what counts as a card where it changed
    glance: GlanceSettings = field(default_factory=GlanceSettings)


@dataclass(frozen=True, slots=True, eq=False)
class Kit:
    """All that is known before the first picture: how cards are looked for.

    ``face_down`` names the backs of which several may lie on a table.
    """

    detector: Detector
    settings: FollowSettings
    face_down: tuple[str, ...] = ()

    @property
    def bank(self) -> Faces:
        """What the cards look like."""
        return self.detector.faces

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of a card."""
        return self.bank.size_mm


def make_kit(
    bank: Faces, settings: FollowSettings | None = None, face_down: tuple[str, ...] = ()
) -> Kit:
    """Prepare the faces of a deck for following."""
    return Kit(build_detector(bank), settings or FollowSettings(), face_down)


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
