"""The values that pass between the stages, and the array aliases.

Every value is frozen. Points are ``(x, y)`` with x right and y down; angles are radians,
clockwise as seen from above, 0 toward -y; lengths are millimetres unless the name says pixels.
Frames (``photo``, ``table``, ``card``) are those of the README.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "EDGES",
    "NO_GAME",
    "BoolArray",
    "Camera",
    "Candidate",
    "CardOutline",
    "CloseFeature",
    "Condition",
    "ContourArray",
    "Damage",
    "Deck",
    "Destroyed",
    "Edge",
    "FloatArray",
    "Frame",
    "Hit",
    "ImageBGR",
    "ImageGray",
    "IntArray",
    "Issue",
    "Laser",
    "Matrix3",
    "Message",
    "Mined",
    "Odds",
    "PictureBank",
    "PlacedCard",
    "Placement",
    "Points",
    "Reading",
    "Resolution",
    "RuleOptions",
    "Ruling",
    "Scan",
    "Score",
    "ScoreChance",
    "Shield",
    "Ship",
    "Shot",
    "Step",
    "TableObject",
    "TableReading",
    "TableState",
    "TemplateBank",
    "Vaporised",
    "frozen_array",
]

FloatArray: TypeAlias = NDArray[np.float64]
Points: TypeAlias = NDArray[np.float64]  #: (N, 2)
Matrix3: TypeAlias = NDArray[np.float64]  #: (3, 3)
ImageBGR: TypeAlias = NDArray[np.uint8]  #: (H, W, 3)
ImageGray: TypeAlias = NDArray[np.uint8]  #: (H, W)
BoolArray: TypeAlias = NDArray[np.bool_]
IntArray: TypeAlias = NDArray[np.int64]
ContourArray: TypeAlias = NDArray[np.int32]  #: (N, 2) pixels, each beside the next, closed
Edge: TypeAlias = Literal["top", "right", "bottom", "left"]
EDGES: tuple[Edge, ...] = ("top", "right", "bottom", "left")
NO_GAME = "none"  #: the game of a deck without lasers: its tables are read, not resolved


def frozen_array(values: Any, shape: tuple[int | None, ...], name: str) -> FloatArray:
    """Copy to a read-only float64 array of a given shape, all numbers finite.

    Parameters
    ----------
    values : array_like
        The numbers.
    shape : tuple
        The wanted shape; None stands for any length.
    name : str
        What to call it in the message.

    Raises
    ------
    ValueError
        If the shape differs or a number is not finite.
    """
    array = np.array(values, dtype=np.float64)
    if array.ndim != len(shape) or any(
        want is not None and have != want for have, want in zip(array.shape, shape, strict=True)
    ):
        msg = f"{name}: expected shape {shape}, got {array.shape}"
        raise ValueError(msg)
    if not np.isfinite(array).all():
        msg = f"{name}: every number must be finite"
        raise ValueError(msg)
    array.flags.writeable = False
    return array


# --- the deck --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Laser:
    """A weapon: where it sits on the card and where it points (both in the card frame)."""

    power: int
    muzzle_mm: tuple[float, float]
    heading_rad: float


@dataclass(frozen=True, slots=True)
class Shield:
    """A shielded stretch of one edge, along that edge's own card axis (x or y), in mm."""

    edge: Edge
    from_mm: float
    to_mm: float


@dataclass(frozen=True, slots=True)
class Ship:
    """One design; each team has one of each."""

    name: str
    speed: int
    health: int
    lasers: tuple[Laser, ...]
    shields: tuple[Shield, ...]
    provenance: str = ""


@dataclass(frozen=True, slots=True)
class Deck:
    """Everything the rules need to know of the cards.

    ``asteroids`` holds the ids of the asteroid fronts. The card ids of a deck are
    ``<team>-<ship>``, the asteroids, their backs ``<asteroid>-back``, and ``ship-back``.
    """

    name: str
    width_mm: float
    height_mm: float
    teams: tuple[str, ...]
    ships: tuple[Ship, ...]
    asteroids: tuple[str, ...]


# --- the table -------------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True, eq=False)
class PlacedCard:
    """A card on the table: its centre and angle in the table frame.

    ``covariance`` is (3, 3), of (x mm, y mm, theta rad), or None where the pose is exact.
    Besides the deck's cards, ``card_id`` may be ``ship-back`` (``ship-back-2``, ...) for a ship
    lying face down and ``unknown-1``, ... for a card that could not be read: both stop beams.
    The pose is that of the cut edge, which beams hit. Lasers and shields follow the print:
    ``printed`` says where it lies on the card, None for a card that was cut round it.
    """

    card_id: str
    x_mm: float
    y_mm: float
    theta_rad: float
    covariance: FloatArray | None = None
    confidence: float = 1.0
    printed: PrintOffset | None = None

    def __post_init__(self) -> None:
        if not np.isfinite([self.x_mm, self.y_mm, self.theta_rad]).all():
            msg = f"{self.card_id}: x, y and theta must be finite numbers"
            raise ValueError(msg)
        if self.covariance is not None:
            frozen = frozen_array(self.covariance, (3, 3), f"{self.card_id}: covariance")
            object.__setattr__(self, "covariance", frozen)


@dataclass(frozen=True, slots=True, eq=False)
class TableObject:
    """A thing on the table that is no card; ``kind`` is ``asteroid`` (a coaster, say)."""

    id: str
    kind: Literal["asteroid"]
    outline_mm: Points

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "outline_mm", frozen_array(self.outline_mm, (None, 2), f"{self.id}: outline_mm")
        )


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """The variants of Light Speed that a table may choose.

    ``rocks`` None is the rulebook's own number. ``teams`` None means those with a card on the
    table. ``face_down`` says whether a face-down ship stops beams.
    """

    piracy: bool = False
    rocks: int | None = None
    asteroids: Literal["auto", "joined", "separate"] = "auto"
    kill_credit: Literal["auto", "opponent", "most-damage"] = "auto"
    teams: tuple[str, ...] | None = None
    face_down: Literal["blocks", "ignored"] = "blocks"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The players' word on one shot: what it hits, whatever the photo says.

    ``target`` None is space; ``shielded`` says that the target's shield holds. ``laser`` counts
    from 0, as in a :class:`Shot`.
    """

    ship: str
    laser: int
    target: str | None
    shielded: bool = False

    def __post_init__(self) -> None:
        if self.shielded and self.target is None:
            msg = f"ruling {self.ship} laser {self.laser + 1}: space has no shield"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True, eq=False)
class TableState:
    """What is on the table, without a picture: the seam between seeing and judging.

    ``rulings`` are what the players decided, at most one for each shot.
    """

    cards: tuple[PlacedCard, ...]
    objects: tuple[TableObject, ...] = ()
    rules: RuleOptions = RuleOptions()
    game: str = "light-speed"
    deck: str = "light-speed"
    rulings: tuple[Ruling, ...] = ()


# --- the resolution --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence of the catalogue of texts: its key, and what fills its gaps."""

    key: str
    values: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Issue:
    """Something to be shown: a stable code, the cards concerned, a sentence for a person.

    A ``doubt`` could change the score, a ``note`` could not. ``said`` is the sentence in a form
    that other languages can be made of; without it there is only ``message``, in English.
    """

    code: str
    message: str
    cards: tuple[str, ...] = ()
    severity: Literal["note", "doubt"] = "doubt"
    said: Message | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Hit:
    """What a shot met; ``edge`` is None for an object or a beam that began inside the card."""

    card: str
    edge: Edge | None
    shielded: bool


@dataclass(frozen=True, slots=True)
class CloseFeature:
    """The feature that decides a shot: the one the beam most likely passes on the other side.

    ``card`` is what it belongs to, ``kind`` a corner, the end of a shield, or an edge (where two
    edges cross); ``distance_mm`` its distance from the beam, ``sigma_mm`` the spread of that, and
    ``point_mm`` where it lies, table frame.
    """

    card: str
    kind: Literal["corner", "shield", "edge"]
    distance_mm: float
    sigma_mm: float
    point_mm: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Shot:
    """One laser fired.

    ``path_mm`` runs from the firing card's own edge to the hit (or the drawn edge of the table).
    ``margin_mm`` is the smallest sideways shift of the beam that would change what it hits (inf
    if none does); ``sigma_mm`` the standard deviation of that distance from the poses'
    covariances (0 where the poses are exact); ``flip_probability`` that of another outcome.
    ``margin_card`` is the card whose feature is nearest, ``margin_outcome`` what would be hit
    then (None: space). ``feature`` is the one that decides the shot: mostly the nearest.
    ``ruled`` says that ``hit`` is the players' ruling; the margin is still that of the beam as it
    lies, and nothing is uncertain any more.
    """

    ship: str
    laser: int
    power: int
    path_mm: tuple[tuple[float, float], tuple[float, float]]
    hit: Hit | None
    margin_mm: float
    sigma_mm: float = 0.0
    flip_probability: float = 0.0
    margin_card: str | None = None
    margin_outcome: Hit | None = None
    feature: CloseFeature | None = None
    ruled: bool = False


@dataclass(frozen=True, slots=True)
class Mined:
    """Rocks moved to a ship from an asteroid pool, or (piracy) from another ship."""

    ship: str
    source: str
    rocks: int


@dataclass(frozen=True, slots=True)
class Vaporised:
    """Rocks lost because there were too few for all lasers of a pulse."""

    source: str
    rocks: int


@dataclass(frozen=True, slots=True)
class Damage:
    """Points of damage on a card by one team in one step."""

    card: str
    team: str
    points: int


@dataclass(frozen=True, slots=True)
class Destroyed:
    """A dead ship: who takes it, for how much, why, and the rocks that went with it."""

    card: str
    taken_by: str | None
    points: int
    rocks_lost: int
    reason: str = ""
    why: Message | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Step:
    """All that happened at one speed."""

    speed: int
    shots: tuple[Shot, ...]
    mined: tuple[Mined, ...] = ()
    vaporised: tuple[Vaporised, ...] = ()
    damage: tuple[Damage, ...] = ()
    destroyed: tuple[Destroyed, ...] = ()
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """A team's points: kills taken, rocks on living ships, own ships killed (0 or less)."""

    kills: int = 0
    rocks: int = 0
    own: int = 0

    @property
    def total(self) -> int:
        """The sum of the three."""
        return self.kills + self.rocks + self.own


@dataclass(frozen=True, slots=True)
class ScoreChance:
    """One final score: the total of each team, who wins with it, and how likely it is."""

    totals: Mapping[str, int]
    winners: tuple[str, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class Condition:
    """A shot and what it hits: one of ``hits`` (None is space)."""

    ship: str
    laser: int
    hits: tuple[Hit | None, ...]


@dataclass(frozen=True, slots=True)
class TableReading:
    """One way to read the table: if all conditions hold, the round ends like this."""

    conditions: tuple[Condition, ...]
    totals: Mapping[str, int]
    winners: tuple[str, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class Odds:
    """How sure the score is, given how well the poses are known and the cards are named right.

    The round is replayed for ``samples`` tables drawn from the poses' covariance.
    ``winner_probability`` and ``score_probability`` are the shares that end with the winners and
    the exact totals of the resolution. ``winners`` and ``scores`` are what else came out, the
    likeliest first; ``readings`` the ways to read the contested shots that lead to different
    scores, their probabilities adding up to 1 less what is too rare to be told.
    """

    samples: int
    winner_probability: float
    score_probability: float
    winners: tuple[tuple[tuple[str, ...], float], ...]
    scores: tuple[ScoreChance, ...]
    readings: tuple[TableReading, ...]


@dataclass(frozen=True, slots=True)
class Resolution:
    """The ledger of a round: every event in order, the scores, the winners and every doubt.

    ``carried`` is the rocks on each ship still living at the end, ``pools`` the rocks left on
    each asteroid pool, by source id. A shot is contested if its flip probability is more than
    ``contested_from``. ``odds`` is None where the poses are exact.
    """

    steps: tuple[Step, ...]
    scores: Mapping[str, Score]
    winners: tuple[str, ...]
    issues: tuple[Issue, ...] = ()
    carried: Mapping[str, int] = field(default_factory=dict)
    pools: Mapping[str, int] = field(default_factory=dict)
    contested_from: float = 0.01
    odds: Odds | None = None

    def contested(self) -> tuple[Shot, ...]:
        """Return the shots that are too close to call, the least certain first."""
        shots = [shot for step in self.steps for shot in step.shots]
        close = [shot for shot in shots if shot.flip_probability > self.contested_from]
        return tuple(sorted(close, key=lambda shot: (-shot.flip_probability, shot.ship)))


# --- seeing ----------------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class Frame:
    """A printed rectangle shared by all faces, centred on the card.

    ``darker_inside`` tells on which side of its edge the face is darker.
    """

    width_mm: float
    height_mm: float
    darker_inside: bool


@dataclass(frozen=True, slots=True, eq=False)
class TemplateBank:
    """The faces to compare with.

    ``faces`` (K, H, W, 3) uint8 BGR is each face, upright, at ``px_per_mm``, cut to the card's
    edge; ``frames`` the printed rectangles that all faces share, outermost first (the card's own
    edge is not among them). ``kinds`` (K names) are given where some faces play alike;
    ``always`` names those of which at least one lies on every table.
    """

    card_ids: tuple[str, ...]
    faces: NDArray[np.uint8]
    px_per_mm: float
    width_mm: float
    height_mm: float
    frames: tuple[Frame, ...] = ()
    corner_radius_mm: float = 0.0
    kinds: tuple[str, ...] = ()
    always: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PictureBank:
    """Faces learned from pictures: what a :class:`TemplateBank` is for drawn ones.

    ``faces`` (K, H, W, 3) uint8 BGR is each face, upright, at ``px_per_mm``, cut to the card's
    edge; it may lie in a file and is read where it is looked at. ``names`` are the ids of the
    cards that show each face: several, where a deck holds the same picture more than once.
    ``margins_mm`` (K, 4) is the plain border at the left, top, right and bottom, 0 where there is
    none; ``is_symmetric`` (K,) tells which faces a half turn leaves as they are.
    """

    names: tuple[tuple[str, ...], ...]
    faces: NDArray[np.uint8]
    px_per_mm: float
    width_mm: float
    height_mm: float
    margins_mm: FloatArray
    is_symmetric: BoolArray
    corner_radius_mm: float = 0.0

    @property
    def size_mm(self) -> tuple[float, float]:
        """Width and height of every card."""
        return self.width_mm, self.height_mm


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


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """All cards in millimetres, with the camera they were solved with.

    ``joint_covariance`` (3N, 3N) is of (x mm, y mm, theta rad) of the cards in their order, after
    the free rigid motion of the table frame is taken out. ``residual_px`` is the weighted rms of
    the edges against the model.
    """

    cards: tuple[PlacedCard, ...]
    camera: Camera
    joint_covariance: FloatArray
    residual_px: float


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
