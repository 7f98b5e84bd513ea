"""Pieces in millimetres, and how well each is known: what seeing hands to a game.

Angles are radians, clockwise as seen from above, 0 toward -y; lengths are millimetres unless the
name says pixels. Frames (``photo``, ``table``, ``card``) are those of the README.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from vision.values.arrays import FloatArray, Matrix3, Points, frozen_array
from vision.values.messages import Issue

__all__ = [
    "ROUNDED",
    "Alternative",
    "Camera",
    "Candidate",
    "CardOutline",
    "Layout",
    "MissingCard",
    "Other",
    "Placed",
    "PlacedCard",
    "PrintOffset",
    "Reading",
    "TrimEstimate",
    "identity_of",
    "poses_of",
    "spare_unread_id",
    "unread_id",
]

#: By which chances that are read may miss 1 together: files round each to three places or more.
ROUNDED = 1e-3
_UNREAD = "unknown-"  # ids of pieces that could not be read begin so, in files too


def unread_id(number: int | str) -> str:
    """Return the id of a piece that could not be read: ``unknown-1``, ..."""
    return f"{_UNREAD}{number}"


def spare_unread_id(taken: Container[str]) -> str:
    """Return the first id of an unread card that is not taken."""
    return next(name for name in map(unread_id, count(1)) if name not in taken)


def identity_of(piece: str) -> str | None:
    """Return what an id names; None if it is that of a piece that could not be read."""
    return None if piece.startswith(_UNREAD) else piece


@dataclass(frozen=True, slots=True, eq=False)
class PrintOffset:
    """Where the print lies on a card that was not cut exactly round it.

    A point p of the design lies on the card at ``[x, y] + R(turn) p``, card frame. ``covariance``
    is (3, 3), of (x mm, y mm, turn rad), or None where the offset is exact.
    """

    x_mm: float
    y_mm: float
    turn_rad: float
    covariance: FloatArray | None = None

    def __post_init__(self) -> None:
        if not np.isfinite([self.x_mm, self.y_mm, self.turn_rad]).all():
            msg = "print: x, y and turn must be finite numbers"
            raise ValueError(msg)
        if self.covariance is not None:
            frozen = frozen_array(self.covariance, (3, 3), "print: covariance")
            object.__setattr__(self, "covariance", frozen)


@dataclass(frozen=True, slots=True)
class Alternative:
    """What a card may be instead, and how likely that is; ``piece`` None: nothing lies there."""

    piece: str | None
    chance: float

    @property
    def is_foreign(self) -> bool:
        """Whether it is a card that lies there and cannot be named: one of another deck."""
        return self.piece is not None and identity_of(self.piece) is None


@dataclass(frozen=True, slots=True, eq=False)
class PlacedCard:
    """A card on the table: its centre and angle in the table frame.

    ``covariance`` is (3, 3), of (x mm, y mm, theta rad), or None where the pose is exact.
    Besides the deck's cards, ``card_id`` may be ``ship-back`` (``ship-back-2``, ...) for a ship
    lying face down and ``unknown-1``, ... for a card that could not be read: both stop beams.
    The pose is that of the cut edge, which beams hit. Lasers and shields follow the print:
    ``printed`` says where it lies on the card, None for a card that was cut round it. ``may_be``
    is what else it may be; of that the chances, what they lack of 1 being that of ``card_id``.
    """

    card_id: str
    x_mm: float
    y_mm: float
    theta_rad: float
    covariance: FloatArray | None = None
    confidence: float = 1.0
    printed: PrintOffset | None = None
    may_be: tuple[Alternative, ...] = ()

    @property
    def identity(self) -> str | None:
        """Its id; None for a card that could not be read."""
        return identity_of(self.card_id)

    def __post_init__(self) -> None:
        if not np.isfinite([self.x_mm, self.y_mm, self.theta_rad]).all():
            msg = f"{self.card_id}: x, y and theta must be finite numbers"
            raise ValueError(msg)
        _check_chances(self.card_id, self.may_be)
        if self.covariance is not None:
            frozen = frozen_array(self.covariance, (3, 3), f"{self.card_id}: covariance")
            object.__setattr__(self, "covariance", frozen)


def _check_chances(name: str, may_be: tuple["Alternative", ...]) -> None:
    """Refuse readings whose chances are none, or that say one thing twice."""
    chances = [one.chance for one in may_be]
    if any(not 0 <= chance <= 1 for chance in chances):
        msg = f"{name}: the chances of what else it may be must be 0 to 1"
        raise ValueError(msg)
    if sum(chances) > 1 + ROUNDED:
        msg = (
            f"the probabilities of what {name} may be instead add up to {sum(chances):.6g}; "
            f"they must add up to 1 at most (± {ROUNDED})"
        )
        raise ValueError(msg)
    said = [name, *(one.piece for one in may_be)]
    if len(set(said)) < len(said):
        msg = f"{name}: what else it may be is told once each, and is not {name}"
        raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class MissingCard:
    """A place where a card may lie that no photo shows: under a hand, in what was not read.

    ``at_px`` is where the issue stands that tells of it, whose code is ``code``. The card's middle
    lies ``spread_mm`` off (x, y), a standard deviation along each axis; it may be turned anyhow.
    """

    code: str
    at_px: tuple[float, float]
    x_mm: float
    y_mm: float
    spread_mm: float
    chance: float

    def __post_init__(self) -> None:
        if not np.isfinite([self.x_mm, self.y_mm, self.spread_mm]).all():
            msg = f"{self.code}: x, y and spread must be finite numbers"
            raise ValueError(msg)
        if not 0 <= self.chance <= 1:
            msg = f"{self.code}: the chance that a card lies there must be 0 to 1"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True, eq=False)
class Camera:
    """How the table plane shows in the photo: a homography, then the lens.

    A table point maps by ``photo_from_table`` to an undistorted pixel, is normalised by
    ``camera_matrix``, scaled by ``1 + k1 r^2 + k2 r^4`` and brought back to pixels (OpenCV's
    radial model).
    """

    camera_matrix: Matrix3
    distortion: FloatArray  #: (2,) k1, k2
    photo_from_table: Matrix3

    def __post_init__(self) -> None:
        for name, shape in (
            ("camera_matrix", (3, 3)),
            ("distortion", (2,)),
            ("photo_from_table", (3, 3)),
        ):
            object.__setattr__(self, name, frozen_array(getattr(self, name), shape, name))


@dataclass(frozen=True, slots=True, eq=False)
class CardOutline:
    """A four-sided thing in the photo that may be a card.

    ``corners_px`` (4, 2), photo frame, clockwise as seen, first corner arbitrary: the corners of
    the card's own edge as far as can be told at this stage. ``complete`` is false if part of it
    had to be supposed (covered or outside the picture).
    """

    corners_px: Points
    score: float
    complete: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "corners_px", frozen_array(self.corners_px, (4, 2), "corners_px"))


@dataclass(frozen=True, slots=True)
class Candidate:
    """One reading of an outline: a card, how alike (-1..1), and the quarter turns to it."""

    card_id: str
    score: float
    quarter_turns: int


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """An outline with its candidates, best first; ``accepted`` is the one chosen, if any."""

    outline: CardOutline
    candidates: tuple[Candidate, ...]
    accepted: Candidate | None
    visible: float = 1.0  #: share of the face that agrees with the accepted card


@dataclass(frozen=True, slots=True)
class Other:
    """Another reading of a piece: what it may be instead, how alike (-1..1), and how likely.

    ``chance`` is None where nothing has weighed it.
    """

    piece: str
    score: float
    chance: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A piece on the table as seen.

    ``spot`` names the place and stays when the piece is renamed. ``piece`` is its id
    (``unknown-1``, ... for one that could not be read), ``side`` what lies up. The pose is that of
    its edge, table frame; ``covariance`` (3, 3) of (x mm, y mm, theta rad). ``score`` is how alike
    it is to what it is taken for (0 for an unread one), ``others`` what else it may be, the
    likeliest first; ``visible`` the share of its face that shows. ``outline_px`` (N, 2) is its edge
    in the photo, of a card TL, TR, BR, BL. ``printed`` says where a card's print lies on it.
    ``may_be`` are all other readings that are worth playing, as of a :class:`PlacedCard`.
    """

    spot: str
    piece: str
    x_mm: float
    y_mm: float
    theta_rad: float
    covariance: FloatArray
    outline_px: Points
    score: float = 0.0
    confidence: float = 1.0
    others: tuple[Other, ...] = ()
    side: str = "front"
    kind: str = "card"
    visible: float = 1.0
    printed: PrintOffset | None = None
    may_be: tuple[Alternative, ...] = ()

    def __post_init__(self) -> None:
        name = self.piece
        _check_chances(name, self.may_be)
        object.__setattr__(
            self, "covariance", frozen_array(self.covariance, (3, 3), f"{name}: covariance")
        )
        object.__setattr__(
            self, "outline_px", frozen_array(self.outline_px, (None, 2), f"{name}: outline_px")
        )

    @property
    def identity(self) -> str | None:
        """What it is; None for a piece that could not be read."""
        return identity_of(self.piece)

    @property
    def at_px(self) -> tuple[float, float]:
        """Its place in the photo as doubts about it have it: its middle in whole pixels."""
        x, y = self.outline_px.mean(axis=0).tolist()
        return float(f"{x:.0f}"), float(f"{y:.0f}")

    @property
    def card(self) -> PlacedCard:
        """The piece as a card on a table, without what the photo showed of it."""
        pose = (self.x_mm, self.y_mm, self.theta_rad)
        more = (self.confidence, self.printed, self.may_be)
        return PlacedCard(self.piece, *pose, self.covariance, *more)


@dataclass(frozen=True, slots=True, eq=False)
class TrimEstimate:
    """What a photo tells of how a deck's cards differ from what is told of them, all alike.

    Five numbers: the logarithm of width over height, over that told; by what share the pictures of
    the faces are larger than the card along x and y; how far beside its middle theirs lies along x
    and y, mm. ``information`` (5, 5) is the inverse of their covariance, 0 where the photo tells
    nothing; ``side`` (5,) is it times the numbers: so the evidence of photos adds up.
    """

    side: FloatArray
    information: FloatArray

    def __post_init__(self) -> None:
        for name, shape in (("side", (5,)), ("information", (5, 5))):
            object.__setattr__(self, name, frozen_array(getattr(self, name), shape, name))


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """What one photo, or several of one table, show: seeing's word to a game.

    ``joint_covariance`` (3N, 3N) is of (x mm, y mm, theta rad) of the pieces in their order;
    ``doubts`` are those of seeing; ``residual_px`` the weighted rms of all that was measured;
    ``timings_ms`` how long each stage took; ``cut`` what the photo tells of a learned deck's size.
    """

    placed: tuple[Placed, ...]
    joint_covariance: FloatArray
    camera: Camera
    size_wh: tuple[int, int]
    doubts: tuple[Issue, ...] = ()
    residual_px: float = 0.0
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    cut: TrimEstimate | None = None


def poses_of(placed: Iterable[Placed | PlacedCard]) -> FloatArray:
    """Return x mm, y mm, theta rad of pieces, (N, 3), table frame."""
    return np.array([(p.x_mm, p.y_mm, p.theta_rad) for p in placed], np.float64).reshape(-1, 3)
