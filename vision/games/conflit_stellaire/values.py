"""The values of Conflit stellaire: options, deck, table, deeds, what came of a turn. All frozen."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias, cast

from pydantic import (
    AfterValidator,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    WrapSerializer,
)

from vision.files.codec import (
    IF_ANY,
    IF_SAID,
    IN_DEGREES,
    LEFT_OUT,
    NOT_IN_FILES,
    RULES,
    as_form,
    key,
)
from vision.files.documents import adapter_of
from vision.files.flattened import flattened
from vision.files.schemas import Chance, Count, Model, Name, Number, Place, PlaceInPhoto
from vision.judging.options import option
from vision.judging.said import Word
from vision.values.layout import Placed
from vision.values.messages import Issue

__all__ = [
    "DIRECT",
    "SEATS",
    "WEAPONS",
    "Announced",
    "Campaign",
    "Card",
    "CardFields",
    "CardForm",
    "Deck",
    "Deed",
    "Distance",
    "Energy",
    "Entry",
    "Face",
    "Note",
    "Options",
    "OtherTurn",
    "Outcome",
    "Pose",
    "Rank",
    "Reading",
    "Score",
    "Seat",
    "SeatFields",
    "SeatForm",
    "ShipState",
    "Stop",
    "Table",
    "Way",
    "to_reading",
]

SEATS = ("A", "B", "C", "D")  #: clockwise, A at the photo's bottom
DIRECT = ("laser", "neutrons", "disintegrator", "particles", "rocks")  #: in the order they fire
WEAPONS = (*DIRECT, "missile", "rocket")
Way: TypeAlias = Mapping[str, Any]  #: fields of a seat, a card or a distance -> what else they are


@dataclass(frozen=True, slots=True)
class Options:
    """The variants of the game, the default first."""

    alive: Literal["ready", "in-play"] = option(
        "ready", "ready or in-play: whether only unspent energy keeps a flagship without hull alive"
    )
    nets: Literal["energy", "all"] = option(
        "energy", "energy or all: whether nets take kinetic blows too"
    )
    direct_range: Literal["before", "after"] = option(
        "before", "before or after: by which distance direct fire is judged, that of the moves"
    )
    overflow: Literal["next", "ship"] = option(
        "next", "next or ship: where a kinetic excess goes on to"
    )
    missiles_ships: Literal["apart", "together"] = option(
        "apart", "apart or together: whether missiles and ships are one class, by speed"
    )
    boarding_losses: Literal["at-least", "at-most"] = option(
        "at-least", "at-least or at-most: what the winner of a boarding pays, by the losers' weight"
    )
    officers: Literal["mortal", "spared"] = option(
        "mortal", "mortal or spared: whether an officer dies with the flagship"
    )
    hull: Literal["auto", "fixed", "rank"] = option(
        "auto", "auto, fixed or rank: a size that is not given is 20, or the officer's rank's"
    )


# --- the deck ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Face:
    """A face of the deck; the numbers are those printed, ``range`` in uds, ``speed`` in ucs.

    ``names`` are by language; ``rank`` is the lowest that may fire it.
    """

    id: str
    kind: str
    capacity: int = 0
    cost: int = 0
    range: int = 0
    speed: int = 0
    echoes: int = 1
    slots: int = 0
    berths: int = 0
    copies: int = 1
    rank: str | None = None
    guidance: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rank:
    """A rank: from how many points on, the ransom's number, the flagship's hull."""

    id: str
    cumul: int
    ransom: int
    hull: int
    names: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Deck:
    """The faces by id, ranks from the lowest, points by fate; lengths mm.

    ``hull_pitch_mm`` and ``scale_pitch_mm`` are the distances of cells on hull card and strip.
    """

    name: str
    faces: Mapping[str, Face]
    ranks: tuple[Rank, ...]
    winner: Mapping[str, int]
    loser: Mapping[str, int]
    card_mm: tuple[float, float]
    scale_mm: tuple[float, float]
    marker_mm: float
    hull_pitch_mm: float
    scale_pitch_mm: float
    hull_cells: int
    scale_cells: int


# --- the table -----------------------------------------------------------------------------------

_Fate: TypeAlias = Literal["destroyed", "captured", "surrendered", "fled", "escaped"]
_Hull: TypeAlias = Annotated[int, Field(ge=0, le=99)]
_Size: TypeAlias = Annotated[int, Field(ge=1, le=99)]
_Uds: TypeAlias = Annotated[int, Field(ge=1, le=12)]


class SeatFields(Model):
    """What may be said of a seat's hull card; what is not said stays."""

    hull: _Hull | None = None
    size: _Size | None = None
    commander: Name | None = None
    ship: Literal["lost"] | None = None
    fate: _Fate | None = None
    broken_by: Name | None = None


class SeatReading(SeatFields):
    """Another way to read a seat's hull card."""

    probability: Chance | None = None


class CardFields(Model):
    """What may be said of a card; what is not said stays."""

    card: Name = ""
    seat: Name = ""
    engaged: bool = False
    up: Name | None = None
    on: Name | None = None
    new: bool = False
    hull: _Size | None = None
    face_down: bool = False


class CardReading(CardFields):
    """Another way to read a card."""

    probability: Chance | None = None


class DistanceReading(Model):
    """Another way to read a strip."""

    uds: _Uds
    probability: Chance | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Another way to read something: the fields that differ, and how likely (None: not weighed)."""

    fields: Way
    probability: float | None = None


def to_reading(form: Model) -> Reading:
    """Read what else a thing may be: the fields that are said, by the values' own names."""
    said = form.model_dump(exclude_unset=True)
    probability = said.pop("probability", None)
    if "card" in said:
        said["face"] = said.pop("card")
    if "ship" in said:
        said["is_lost"] = said.pop("ship") is not None
    return Reading(said, probability)


def _reading_to_json(reading: Reading) -> dict[str, Any]:
    """Return a reading by the names of files."""
    said = dict(reading.fields)
    if "face" in said:
        said["card"] = said.pop("face")
    if "is_lost" in said:
        said["ship"] = "lost" if said.pop("is_lost") else None
    if reading.probability is not None:
        said["probability"] = reading.probability
    return said


_OfSeat: TypeAlias = Annotated[Reading, as_form(SeatReading, to_reading, _reading_to_json)]
_OfCard: TypeAlias = Annotated[Reading, as_form(CardReading, to_reading, _reading_to_json)]
_OfStrip: TypeAlias = Annotated[Reading, as_form(DistanceReading, to_reading, _reading_to_json)]


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a card was seen, table frame: mm and radians; ``spot`` is its place in the layout.

    ``was_engaged`` says that it is seen so, while the table has it as it was before the turn.
    """

    x_mm: Place
    y_mm: Place
    theta_rad: Annotated[Number, key("theta_deg"), *IN_DEGREES]
    spot: Annotated[str, *NOT_IN_FILES] = field(default="", compare=False)
    was_engaged: Annotated[bool, *NOT_IN_FILES] = field(default=False, compare=False)

    @classmethod
    def of(cls, placed: Placed) -> "Pose":
        """Return where something was seen."""
        return cls(placed.x_mm, placed.y_mm, placed.theta_rad, placed.spot)

    def to_set_up(self, *, engaged: bool, was: bool) -> "Pose":
        """Return where a card is to be laid that was engaged or ready, and is the other now."""
        theta = self.theta_rad
        if engaged != (was or self.was_engaged):
            theta += math.pi / 2 if engaged else -math.pi / 2
        return Pose(self.x_mm, self.y_mm, math.remainder(theta, 2 * math.pi))


def _is_lost(said: str | None) -> bool:
    return said is not None


def _lost(is_lost: bool) -> str | None:
    return "lost" if is_lost else None


def _same(value: str | None) -> str | None:
    return value


def _in_order(pair: tuple[str, str]) -> tuple[str, str]:
    first, second = sorted(pair)
    return first, second


_Lost: TypeAlias = Literal["lost"] | None


@dataclass(frozen=True, slots=True)
class Seat:
    """A commander's seat and flagship.

    ``size`` is the initial hull (None: as the options say). ``commander`` is the auxiliary he is
    on, None for the flagship; ``is_lost`` says that the flagship is gone, ``fate`` that the
    commander is out of play, ``broken_by`` who took the flagship's last point of hull. ``pose`` is
    that of the hull card.
    """

    id: Name
    hull: _Hull
    size: Annotated[_Size | None, IF_SAID] = None
    commander: Annotated[Name | None, IF_SAID] = None
    is_lost: Annotated[bool, key("ship"), as_form(_Lost, _is_lost, _lost), IF_ANY] = False
    fate: Annotated[str | None, as_form(_Fate | None, _same, _same), IF_SAID] = None
    broken_by: Annotated[Name | None, IF_SAID] = None
    pose: Pose | None = field(default=None, compare=False)
    readings: Annotated[tuple[_OfSeat, ...], IF_ANY] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """A card in play: its face, whose it is, how it lies.

    ``up`` is the source a shield raised before faces (``all`` for a total one); ``on`` the
    auxiliary, of a suit also the group, it lies on; ``hull`` that of an auxiliary (None: whole).
    """

    id: Name
    face: Annotated[Name, key("card")]
    seat: Name
    engaged: Annotated[bool, IF_ANY] = False
    up: Annotated[Name | None, IF_SAID] = None
    on: Annotated[Name | None, IF_SAID] = None
    new: Annotated[bool, IF_ANY] = False
    hull: Annotated[_Size | None, IF_SAID] = None
    face_down: Annotated[bool, IF_ANY] = False
    pose: Pose | None = None
    readings: Annotated[tuple[_OfCard, ...], IF_ANY] = ()


@dataclass(frozen=True, slots=True)
class Distance:
    """How far two neighbours are apart, uds; ``pose`` is where the strip was seen."""

    between: Annotated[tuple[Name, Name], AfterValidator(_in_order)]
    uds: _Uds
    readings: Annotated[tuple[_OfStrip, ...], IF_ANY] = ()
    pose: Annotated[Pose | None, *NOT_IN_FILES] = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Deed:
    """A declaration of the active commander, or a riposte: what is done, with what, to whom."""

    do: str
    seat: str
    card: Annotated[str | None, IF_SAID] = None
    cards: Annotated[tuple[str, ...], IF_ANY] = ()
    ship: Annotated[str | None, IF_SAID] = None
    target: Annotated[str | None, IF_SAID] = None
    against: Annotated[str | None, IF_SAID] = None
    to: Annotated[str | None, IF_SAID] = None
    die: Annotated[int | None, IF_SAID] = None
    spend: Annotated[int | None, IF_SAID] = None

    @property
    def at(self) -> str | None:
        """What it is aimed at: a card, or a seat."""
        return self.target or self.to or self.against

    def to_json(self, *, is_riposte: bool) -> dict[str, Any]:
        """Write it; what it does not say is left out, and of a declaration whose it is."""
        told: dict[str, Any] = adapter_of(cast("Any", Deed)).dump_python(self, mode="json")
        return told if is_riposte else {k: v for k, v in told.items() if k != "seat"}


def _declared(deeds: tuple[Deed, ...]) -> list[dict[str, Any]]:
    return [deed.to_json(is_riposte=False) for deed in deeds]


def _riposted(deeds: tuple[Deed, ...]) -> list[dict[str, Any]]:
    return [deed.to_json(is_riposte=True) for deed in deeds]


class OfficerModel(Model):
    """An officer's points."""

    cumul: Count = 0


def _to_points(officers: dict[str, OfficerModel]) -> dict[str, int]:
    return {seat: one.cumul for seat, one in officers.items()}


def _points_to_json(officers: Mapping[str, int]) -> dict[str, Any]:
    return {seat: {"cumul": points} for seat, points in officers.items()}


@dataclass(frozen=True, slots=True)
class Campaign:
    """The officers' points (cumul) by seat, and the dice thrown for ransoms."""

    officers: Annotated[
        Mapping[str, int], as_form(dict[str, OfficerModel], _to_points, _points_to_json)
    ] = field(default_factory=dict)
    dice: dict[str, Annotated[int, Field(ge=1, le=8)]] = field(default_factory=dict)


SeatForm: TypeAlias = Annotated[Seat, flattened("pose", Pose)]  #: as they stand in files
CardForm: TypeAlias = Annotated[Card, flattened("pose", Pose)]


@dataclass(frozen=True, slots=True)
class Table:
    """What lies on the table, and what the turn's commanders declared.

    ``doubts`` are those of laying: of what was seen, not of what was played. ``said`` is what the
    players said: of which card, seat or pair what of it. ``seen`` is where the photo shows each
    card and hull card.
    """

    seats: tuple[SeatForm, ...]
    cards: Annotated[tuple[CardForm, ...], Field(default=())]
    distances: Annotated[tuple[Distance, ...], Field(default=())]
    active: Name
    declarations: Annotated[tuple[Deed, ...], as_form(list[Any], tuple, _declared)] = ()
    ripostes: Annotated[tuple[Deed, ...], as_form(list[Any], tuple, _riposted)] = ()
    campaign: Annotated[Campaign | None, IF_SAID] = None
    options: Annotated[Options, key("rules"), RULES] = Options()
    doubts: Annotated[tuple[Issue, ...], *NOT_IN_FILES] = ()
    said: Annotated[frozenset[Word], *NOT_IN_FILES] = field(default=frozenset(), compare=False)
    seen: Annotated[Mapping[Name, PlaceInPhoto], IF_ANY] = field(
        default_factory=dict, compare=False
    )


# --- what came of it -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Note:
    """A code, and what it is of: a declaration or a riposte by its index, or a seat."""

    code: str
    declaration: Annotated[int | None, IF_SAID] = None
    riposte: Annotated[int | None, IF_SAID] = None
    seat: Annotated[str | None, IF_SAID] = None


@dataclass(frozen=True, slots=True)
class Stop:
    """What a shield or a net took of a blow."""

    card: str
    points: int
    popped: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """One attack, interception or repair, and what came of it.

    ``kind`` is its class. ``echoes`` belong to missiles, ``speed`` to rams, ``forces`` (attacker,
    defender) to boardings, ``recoil`` to both, ``repaired`` to repairs.
    """

    kind: Annotated[str, key("class")]
    do: str
    card: str | None
    source: str
    target: str
    damage: int = 0
    stopped: tuple[Stop, ...] = ()
    through: int = 0
    hull_lost: int = 0
    result: str = field(kw_only=True)
    gone: tuple[str, ...] = ()
    echoes: int = 0
    recoil: int = 0
    recoil_lost: int = 0
    speed: int = 0
    forces: tuple[int, int] | None = None
    repaired: int = 0


@dataclass(frozen=True, slots=True)
class Announced:
    """What a target is told: the echoes of each missile, the guidances it has jammers for."""

    echoes: tuple[int, ...]
    guidance: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Energy:
    """A seat's points of energy: ready at first, spent, left."""

    ready: int
    spent: int

    @property
    def left(self) -> int:
        """What is left."""
        return self.ready - self.spent


@dataclass(frozen=True, slots=True)
class ShipState:
    """How a ship ends: hull, state, and who has it if it is captured."""

    hull: int
    state: str
    by: Annotated[str | None, IF_ANY] = None


@dataclass(frozen=True, slots=True)
class Score:
    """Points of a seat; in a campaign cumul and rank before and after, officer, ransom."""

    points: int
    cumul: tuple[int, int] | None = None
    rank: tuple[str, str] | None = None
    officer: str | None = None
    ransom: bool | None = None


def _by_kind(of: tuple[str, Any]) -> dict[str, Any]:
    return {of[0]: of[1] if isinstance(of[1], str) else [*of[1]]}


_OF_DEEDS = {  #: what stands in files of these deeds alone
    "echoes": ("launch",),
    "recoil": ("ram", "board"),
    "recoil_lost": ("ram", "board"),
    "speed": ("ram",),
    "forces": ("board",),
    "repaired": ("repair",),
}


def _of_its_deed(entry: Entry, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
    told = write(entry)
    return {name: v for name, v in told.items() if entry.do in _OF_DEEDS.get(name, (entry.do,))}


def _with_left(energy: Energy, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
    return {**write(energy), "left": energy.left}


def _of_campaign(score: Score, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
    told: dict[str, Any] = write(score)
    return {"points": score.points} if score.rank is None else told


def _initiative(told: tuple[tuple[str, bool], ...]) -> list[dict[str, Any]]:
    return [{"card": card, "success": won} for card, won in told]


def _distances(told: Mapping[tuple[str, str], int]) -> list[dict[str, Any]]:
    return [{"between": list(pair), "uds": uds} for pair, uds in told.items()]


@dataclass(frozen=True, slots=True)
class OtherTurn:
    """A reading that, alone, ends the turn otherwise; ``of`` is (seats|cards|distances, id)."""

    of: Annotated[tuple[str, str | tuple[str, str]], PlainSerializer(_by_kind)]
    reading: Annotated[Reading, PlainSerializer(_reading_to_json)]
    ships: Mapping[str, ShipState]
    fates: Mapping[str, str | None]
    winners: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A turn played: see the golden turns for what each field holds.

    ``endings`` are the sets of winners by chance, over all readings together; ``matter`` tells of
    each thing that may be read otherwise how likely that changes anything of the turn; ``unknown``
    is how likely the table is in none of the ways that were played.
    """

    ledger: tuple[Annotated[Entry, WrapSerializer(_of_its_deed)], ...]
    announced: Mapping[str, Announced]
    initiative: Annotated[tuple[tuple[str, bool], ...], PlainSerializer(_initiative)]
    energy: Mapping[str, Annotated[Energy, WrapSerializer(_with_left)]]
    ships: Mapping[str, ShipState]
    gone: Mapping[str, str]
    raised: Mapping[str, str]
    distances: Annotated[Mapping[tuple[str, str], int], PlainSerializer(_distances)]
    jumped: tuple[str, ...]
    fates: Mapping[str, str | None]
    scores: Mapping[str, Annotated[Score, WrapSerializer(_of_campaign)]]
    over: bool
    winners: tuple[str, ...]
    issues: tuple[Note, ...] = ()
    alternatives: tuple[OtherTurn, ...] = ()
    endings: Annotated[tuple[tuple[tuple[str, ...], float], ...], LEFT_OUT] = ()
    matter: Annotated[Mapping[tuple[str, str | tuple[str, str]], float], LEFT_OUT] = field(
        default_factory=dict
    )
    unknown: Annotated[float, LEFT_OUT] = 0.0
