"""The values of Light Speed: deck, table, resolution. Every value is frozen.

Angles are radians, clockwise as seen from above, 0 toward -y; lengths are millimetres.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from pydantic import Field, PlainSerializer, computed_field

from vision.files.codec import (
    FINITE,
    IF_ANY,
    IN_WORDS,
    LEFT_OUT,
    NOT_IN_FILES,
    SAID,
    as_form,
    key,
)
from vision.files.layouts import card_to_json, to_card
from vision.files.schemas import CardModel, Chance, Count, Name, NotNegative, PlacePair
from vision.games.light_speed.variants import RULEBOOK, Claim, RuleOptions
from vision.judging.options import options_to_json
from vision.values.arrays import FloatArray, Points, frozen_array
from vision.values.layout import MissingCard, PlacedCard
from vision.values.ledger import Weighed
from vision.values.messages import Issue, Message

__all__ = [
    "EDGES",
    "Claim",
    "CloseFeature",
    "Condition",
    "Damage",
    "Deck",
    "Destroyed",
    "Edge",
    "Hit",
    "Laser",
    "Mined",
    "Named",
    "Odds",
    "Resolution",
    "RuleOptions",
    "Ruling",
    "Score",
    "ScoreChance",
    "Shield",
    "Ship",
    "Shot",
    "Step",
    "TableObject",
    "TableReading",
    "TableState",
    "Vaporised",
]

Json = dict[str, Any]
Edge: TypeAlias = Literal["top", "right", "bottom", "left"]
MAX_CARDS = 5_000
MAX_CORNERS = 500  # of an object's outline
_Outline: TypeAlias = Annotated[list[PlacePair], Field(min_length=3, max_length=MAX_CORNERS)]

EDGES: tuple[Edge, ...] = ("top", "right", "bottom", "left")


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
    """One design; each team has one of each.

    ``is_by_hand``: somebody showed where the lasers sit and point; no better than a hand can.
    """

    name: str
    speed: int
    health: int
    lasers: tuple[Laser, ...]
    shields: tuple[Shield, ...]
    provenance: str = ""
    is_by_hand: bool = False


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


@dataclass(frozen=True, slots=True, eq=False)
class TableObject:
    """A thing on the table that is no card; ``kind`` is ``asteroid`` (a coaster, say)."""

    id: Name
    kind: Literal["asteroid"]
    outline_mm: Annotated[Points, as_form(_Outline, np.array, np.ndarray.tolist)]

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "outline_mm", frozen_array(self.outline_mm, (None, 2), f"{self.id}: outline_mm")
        )


@dataclass(frozen=True, slots=True)
class Ruling:
    """The players' word on one shot: what it hits, whatever the photo says.

    ``target`` None is space; ``shielded`` says that the target's shield holds. ``laser`` counts
    from 0, as in a :class:`Shot`.
    """

    ship: Name
    laser: Annotated[int, Field(ge=0, le=99)]
    target: Name | None
    shielded: bool = False

    def __post_init__(self) -> None:
        if self.shielded and self.target is None:
            msg = f"ruling {self.ship} laser {self.laser + 1}: space has no shield"
            raise ValueError(msg)


def _rules(rules: RuleOptions) -> Json:
    """Write the rules that every file has, and what is not as usual."""
    usual = options_to_json(RULEBOOK)
    said = options_to_json(rules).items()
    return {name: value for name, value in said if name in _WRITTEN or value != usual[name]}


_WRITTEN = ("piracy", "rocks", "asteroids", "kill_credit")
_Card: TypeAlias = Annotated[PlacedCard, as_form(CardModel, to_card, card_to_json)]


@dataclass(frozen=True, slots=True, eq=False)
class TableState:
    """What is on the table, without a picture.

    ``rulings`` are what the players decided, at most one for each shot; ``claims`` what they say
    happened that no photo shows. ``joint_covariance``
    (3N, 3N) is of (x mm, y mm, theta rad) of the cards in their order, where they were measured
    together; no file holds it. Without it the covariances of the cards are independent.
    ``unseen`` are places where a card may lie that no photo shows; ``missing`` are asteroids of
    which a photo shows too few, and nobody has accounted for them.
    """

    cards: Annotated[tuple[_Card, ...], Field(max_length=MAX_CARDS)]
    objects: Annotated[tuple[TableObject, ...], IF_ANY] = ()
    rules: Annotated[RuleOptions, PlainSerializer(_rules)] = RULEBOOK
    game: Annotated[
        str,
        as_form(Literal["light-speed", "none"], str, str),
        Field(description="none: the deck has no lasers, there is nothing to play."),
    ] = "light-speed"
    deck: Name = "light-speed"
    rulings: Annotated[
        tuple[Ruling, ...],
        IF_ANY,
        Field(description="What the players decided, one a shot at most."),
    ] = ()
    claims: Annotated[
        tuple[Claim, ...],
        IF_ANY,
        Field(
            description="What the players say happened that no photo shows.", max_length=MAX_CARDS
        ),
    ] = ()
    joint_covariance: Annotated[FloatArray | None, *NOT_IN_FILES] = None
    unseen: Annotated[
        tuple[MissingCard, ...],
        IF_ANY,
        Field(description="Where a card may lie unseen.", max_length=MAX_CARDS),
    ] = ()
    missing: Annotated[
        tuple[Name, ...],
        IF_ANY,
        Field(description="Asteroids of which a photo shows too few.", max_length=MAX_CARDS),
    ] = ()


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
    distance_mm: NotNegative
    sigma_mm: NotNegative
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
    laser: Count
    power: Count
    path_mm: tuple[tuple[float, float], tuple[float, float]]
    hit: Hit | None
    margin_mm: Annotated[float, FINITE]
    sigma_mm: NotNegative = 0.0
    flip_probability: Chance = 0.0
    margin_card: str | None = None
    margin_outcome: Hit | None = None
    feature: CloseFeature | None = None
    ruled: bool = False


@dataclass(frozen=True, slots=True)
class Mined:
    """Rocks moved to a ship from an asteroid pool, or (piracy) from another ship."""

    ship: str
    source: str
    rocks: Count


@dataclass(frozen=True, slots=True)
class Vaporised:
    """Rocks lost because there were too few for all lasers of a pulse."""

    source: str
    rocks: Count


@dataclass(frozen=True, slots=True)
class Damage:
    """Points of damage on a card by one team in one step."""

    card: str
    team: str
    points: Count


@dataclass(frozen=True, slots=True)
class Destroyed:
    """A dead ship: who takes it, for how much, why, and the rocks that went with it."""

    card: str
    taken_by: str | None
    points: Count
    rocks_lost: Count
    why: Annotated[Message | None, key("reason"), SAID] = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Step:
    """All that happened at one speed."""

    speed: Count
    shots: tuple[Shot, ...]
    mined: tuple[Mined, ...] = ()
    vaporised: tuple[Vaporised, ...] = ()
    damage: tuple[Damage, ...] = ()
    destroyed: tuple[Destroyed, ...] = ()
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """A team's points: kills taken, rocks on living ships, own ships killed (0 or less)."""

    kills: Count = 0
    rocks: Count = 0
    own: Annotated[int, Field(le=0)] = 0

    @computed_field  # type: ignore[prop-decorator]
    @property
    def total(self) -> int:
        """The sum of the three."""
        return self.kills + self.rocks + self.own


@dataclass(frozen=True, slots=True)
class ScoreChance:
    """One final score: the total of each team, who wins with it, and how likely it is."""

    totals: Mapping[str, int]
    winners: tuple[str, ...]
    probability: Chance


@dataclass(frozen=True, slots=True)
class Condition:
    """A shot and what it hits: one of ``hits`` (None is space)."""

    ship: str
    laser: Count
    hits: tuple[Hit | None, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A card whose name is doubted, and what it is: one of ``pieces`` (None: nothing is there)."""

    card: str
    pieces: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class TableReading:
    """One way to read the table: if all conditions hold, the round ends like this."""

    conditions: tuple[Condition | Named, ...]
    totals: Mapping[str, int]
    winners: tuple[str, ...]
    probability: Chance


def _winner_chances(winners: tuple[tuple[tuple[str, ...], float], ...]) -> list[Json]:
    return [{"winners": list(names), "probability": chance} for names, chance in winners]


@dataclass(frozen=True, slots=True)
class Odds:
    """How sure the score is, given how well the poses are known and what cards may be.

    The round is replayed for ``samples`` tables: in every way that doubtful cards can be read, on
    poses drawn from their covariance.
    ``winner_probability`` and ``score_probability`` are the shares that end with the winners and
    the exact totals of the resolution. ``winners`` and ``scores`` are what else came out, the
    likeliest first; ``readings`` the ways to read the contested shots that lead to different
    scores, their probabilities adding up to 1 less what is too rare to be told. ``turning`` is, by
    ship and laser (from 0), how likely that shot hits something else than on the table as it was
    measured, and the score is another too. ``unknown`` is how likely the table is none of those
    that were played: that share belongs to no score and no winner.
    """

    samples: Count
    winner_probability: Chance
    score_probability: Chance
    winners: Annotated[tuple[tuple[tuple[str, ...], float], ...], PlainSerializer(_winner_chances)]
    scores: tuple[ScoreChance, ...]
    readings: tuple[TableReading, ...]
    turning: Annotated[Mapping[tuple[str, int], float], LEFT_OUT] = field(default_factory=dict)
    unknown: Annotated[Chance, IF_ANY] = 0.0


@dataclass(frozen=True, slots=True)
class Resolution:
    """The ledger of a round: every event in order, the scores, the winners and every doubt.

    ``carried`` is the rocks on each ship still living at the end, ``pools`` the rocks left on
    each asteroid pool, by source id. A shot is contested if its flip probability is more than
    ``contested_from``. ``odds`` is None where all is certain; ``weighed`` are the doubts about
    what cards are, and how likely each changes the score.
    """

    steps: tuple[Step, ...]
    scores: Mapping[str, Score]
    winners: tuple[str, ...]
    issues: tuple[Annotated[Issue, IN_WORDS], ...] = ()
    carried: Mapping[str, Count] = field(default_factory=dict)
    pools: Mapping[str, Count] = field(default_factory=dict)
    contested_from: Chance = 0.01
    odds: Odds | None = None
    weighed: Annotated[tuple[Weighed, ...], LEFT_OUT] = ()

    def contested(self) -> tuple[Shot, ...]:
        """Return the shots that are too close to call, the least certain first."""
        shots = [shot for step in self.steps for shot in step.shots]
        close = [shot for shot in shots if shot.flip_probability > self.contested_from]
        return tuple(sorted(close, key=lambda shot: (-shot.flip_probability, shot.ship)))
