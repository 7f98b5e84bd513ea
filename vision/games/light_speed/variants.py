"""The variants that a table may choose, and what its players say happened beside the photo.

The rulebook leaves ten questions open. Each is an option with a default; what only the table can
have seen is a :class:`Claim`. Without a claim, and by the defaults, nothing changes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, TypeAlias, get_args

from pydantic import Field

from vision.files.codec import IF_ANY, IN_DEGREES, unless
from vision.files.schemas import Name, Number
from vision.judging.options import option

__all__ = ["CLAIM_KINDS", "OF_TEAMS", "RULEBOOK", "Claim", "ClaimKind", "RuleOptions"]

ClaimKind: TypeAlias = Literal[
    "leaning", "two_stops", "late", "stuck", "pushed", "slid", "foreign", "overhang", "nine"
]
CLAIM_KINDS: tuple[ClaimKind, ...] = get_args(ClaimKind)
#: Claims that are made of a team; all others of a card or an object.
OF_TEAMS: tuple[ClaimKind, ...] = ("two_stops", "nine")


@dataclass(frozen=True, slots=True)
class Claim:
    """What the players say happened: of a card, an object or a team.

    ``is_so`` False says that it did not: the answer to a question. ``was_at`` (x mm, y mm, theta
    rad) is where an asteroid lay before it was ``pushed``. Of two cards that are ``stuck`` the
    lower one is named; of ``two_stops`` the team that may have called second.
    """

    kind: ClaimKind
    of: Name
    is_so: Annotated[bool, unless(True)] = True
    was_at: Annotated[tuple[Number, Number, Annotated[Number, *IN_DEGREES]] | None, IF_ANY] = None

    def __post_init__(self) -> None:
        if (self.was_at is not None) != (self.kind == "pushed" and self.is_so):
            msg = f"claim {self.kind} {self.of}: a place is given of what was pushed, and then only"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """The variants of Light Speed that a table may choose.

    ``rocks`` None is the rulebook's own number. ``teams`` None means those with a card on the
    table. ``face_down`` says whether a face-down ship stops beams.
    """

    #: Two public descriptions of the 2003 box list fifteen counters.
    PRESETS: ClassVar[Mapping[str, Mapping[str, int]]] = {"fifteen-rocks": {"rocks": 15}}

    piracy: bool = option(
        False, "true or false: a shot that damages a ship also takes rocks from it"
    )
    rocks: Annotated[int, Field(ge=1, le=999)] | None = option(
        None,
        "auto (the rulebook's number) or a number, for each pool",
        least=1,
        offered=(6, 8, 10, 12, 15, 16, 20),
    )
    asteroids: Literal["auto", "joined", "separate"] = option(
        "auto", "auto (joined if both asteroid cards lie backs up), joined or separate"
    )
    kill_credit: Literal["auto", "opponent", "most-damage"] = option(
        "auto", "auto (the opponent with two teams, else most damage), opponent or most-damage"
    )
    teams: Annotated[tuple[Name, ...], Field(min_length=1)] | None = option(
        None, "auto (those with a card on the table) or names with commas between"
    )
    face_down: Literal["blocks", "ignored"] = option(
        "blocks", "blocks or ignored: whether a ship lying face down stops beams"
    )
    leaning: Literal["lies", "out"] = option(
        "lies",
        "lies or out: a card that leans on another or hangs over the edge of the table",
        is_rare=True,
    )
    two_stops: Literal["both", "first"] = option(
        "both",
        "both or first: whose stop counts if two call within the camera's resolution",
        is_rare=True,
    )
    late: Literal["lies", "out"] = option(
        "lies", "lies or out: a card laid after stop, the hand still on it", is_rare=True
    )
    stuck: Literal["upper", "both"] = option(
        "upper", "upper or both: which of two cards count that stuck together", is_rare=True
    )
    pushed: Literal["lies", "back"] = option(
        "lies", "lies or back: where an asteroid counts that was pushed during play", is_rare=True
    )
    seam: Literal["hits", "passes"] = option(
        "hits",
        "hits or passes: a shot along the gap of no width between two cards that touch",
        is_rare=True,
    )
    slid: Literal["rests", "out"] = option(
        "rests", "rests or out: a card that was dropped and slid on", is_rare=True
    )
    foreign: Literal["blocks", "ignored"] = option(
        "blocks", "blocks or ignored: whether a foreign card or coaster stops beams", is_rare=True
    )
    overhang: Literal["ignored", "table"] = option(
        "ignored",
        "ignored or table: counters over a ship's edge; table: you rule on its shots",
        is_rare=True,
    )
    nine: Literal["stands", "void"] = option(
        "stands", "stands or void: a round that a team began with nine ships", is_rare=True
    )


RULEBOOK = RuleOptions()
