"""What a game tells of a round: steps of events, what is drawn of them, tallies, doubts, odds.

A ledger is all that a screen ever shows. It names pieces and sides by their ids, says sentences as
:class:`Message` of the catalogues, and draws by :class:`Mark`, in millimetres of the table frame,
styled by role (whose, how strong, how sure), never by colour. Showing knows no rule: whatever a
person is to see stands here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from vision.values.arrays import Points, frozen_array
from vision.values.messages import Issue, Message

__all__ = [
    "NO_MATTER",
    "SURE",
    "Badge",
    "Burst",
    "Chance",
    "Closeness",
    "Cross",
    "Event",
    "Ledger",
    "LedgerStep",
    "Mark",
    "Odds",
    "Outline",
    "Path",
    "PieceState",
    "PieceView",
    "Shape",
    "Side",
    "Tag",
    "Tally",
    "Weighed",
    "graded",
]


#: A doubt that changes the score less often than this is a note: who plays asks no further.
NO_MATTER = 0.005
#: What is at least so likely is told as sure: it rounds to 100 %, which nobody knows.
SURE = 1 - NO_MATTER


# --- what is drawn, table frame, mm --------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Path:
    """A way over the table: a beam, a move.

    ``points_mm`` (N, 2) runs from its start on. ``side`` is whose it is, or of which of the
    ledger's ``kinds``; a ``beam`` is styled by its ``strength`` from 1 on, or by its side (0), a
    ``move`` by its side, and
    so a ``throw``, which goes against its will. ``fades`` says that it ends nowhere; ``label``
    stands at its start (when it happens). Its event tells whether it may have gone another way.
    """

    points_mm: Points
    side: str | None = None
    strength: int = 1
    fades: bool = False
    label: str = ""
    kind: Literal["beam", "move", "throw"] = "beam"

    def __post_init__(self) -> None:
        object.__setattr__(self, "points_mm", frozen_array(self.points_mm, (None, 2), "points_mm"))


@dataclass(frozen=True, slots=True)
class Burst:
    """Harm done at a place, ``strength`` of it; ``text`` stands in it.

    At the end of a path of its event it is what that path did, and keeps clear of others there.
    """

    at_mm: tuple[float, float]
    strength: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Badge:
    """A small sign at a place: something counted (``count``), or what held (``shield``).

    ``text`` is a number on what is counted, a word beside what held.
    """

    at_mm: tuple[float, float]
    kind: Literal["count", "shield"]
    text: Message | str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """The edge of something, closed; ``doubt`` has it stand out, ``lit`` as who acts just now."""

    points_mm: Points
    side: str | None = None
    doubt: bool = False
    lit: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "points_mm", frozen_array(self.points_mm, (None, 2), "points_mm"))


@dataclass(frozen=True, slots=True)
class Tag:
    """A few words at a place, on a plate in the colour of a side."""

    at_mm: tuple[float, float]
    text: Message | str
    side: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Cross:
    """What is within an outline is out of the game: ``piece``, where it is one of the pieces."""

    points_mm: Points
    piece: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "points_mm", frozen_array(self.points_mm, (None, 2), "points_mm"))


Mark: TypeAlias = Path | Burst | Badge | Outline | Tag | Cross


Shape: TypeAlias = Literal["triangle", "square", "diamond", "disc", "hexagon", "pentagon"]


# --- what happened -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Closeness:
    """How nearly an event went another way.

    ``margin_mm`` is the smallest change that would turn it (inf: none), ``sigma_mm`` how well that
    is known, ``chance`` that of another outcome. ``said`` tells it in words, ``other`` what would
    have happened. ``point_mm`` is the place it hangs on, ``distance_mm`` its distance and
    ``spread_mm`` the standard deviation of that; ``piece`` is what that place belongs to.
    """

    margin_mm: float
    sigma_mm: float
    chance: float
    said: Message | None = None
    other: Message | None = None
    point_mm: tuple[float, float] | None = None
    distance_mm: float = 0.0
    spread_mm: float = 0.0
    piece: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """One thing that happened: a sentence, the pieces concerned (the doer first), what is drawn.

    ``id`` names it in files and addresses, where it is to be spoken of (``red-moth-laser-2``), and
    ``title`` says it in a word or two, without what came of it. ``leaves`` are the pieces out of
    the game by it. ``depth`` indents the sentence below another. ``choices`` are what a person may
    rule it to be: a sentence, and the change (plain JSON) that the game's ``edit`` takes; ``undo``
    takes a ruling back. ``along`` are the pieces that go where the doer goes: what it carries.
    """

    said: Message
    pieces: tuple[str, ...] = ()
    marks: tuple[Mark, ...] = ()
    leaves: tuple[str, ...] = ()
    closeness: Closeness | None = None
    ruled: bool = False
    depth: int = 0
    choices: tuple[tuple[Message, Mapping[str, object]], ...] = ()
    undo: Mapping[str, object] | None = None
    id: str = ""
    title: Message | None = None
    along: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Side:
    """Who plays: an id, its name in words (of the game's catalogue), its colour ``#rrggbb``.

    ``shape`` is that of its badge, beside the colour for eyes that do not tell colours apart.
    """

    id: str
    name: Message | str
    colour: str
    shape: Shape = "disc"


@dataclass(frozen=True, slots=True, eq=False)
class PieceView:
    """A piece as it is shown all through a round.

    ``kind`` is that of a piece of the set, or ``thing``. ``spot`` is where the layout has it;
    ``title`` its name in full, ``label`` a short one to stand on it, ``number`` what stands large
    on it (a speed), ``health`` how many pips it has, 0 for none. ``outline_mm`` (N, 2) is its edge;
    of a card TL, TR, BR, BL. ``theta_rad`` is which way a token looks, None where that means
    nothing: a nose shows it, and its picture is laid so. ``is_known`` is false if what it is does
    not show: a card face down, or one that could not be read. ``face`` is the piece of the set that
    it looks like, where pieces have ids of their own.
    """

    id: str
    kind: str
    title: Message | str
    outline_mm: Points
    label: Message | str = ""
    side: str | None = None
    number: str = ""
    health: int = 0
    spot: str = ""
    is_known: bool = True
    theta_rad: float | None = None
    face: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "outline_mm", frozen_array(self.outline_mm, (None, 2), "outline_mm")
        )


@dataclass(frozen=True, slots=True)
class PieceState:
    """What became of a piece so far.

    ``harm`` taken, things ``held``, a ``note`` in words ("3 left"); ``is_out`` with who took it
    (None: nobody) and for how many points. Of a piece with a note no taker is told.
    """

    harm: int = 0
    held: int = 0
    note: Message | None = None
    is_out: bool = False
    taken_by: str | None = None
    points: int = 0


@dataclass(frozen=True, slots=True)
class Tally:
    """How things stand: what each side has by column (``total`` among them), and each piece."""

    scores: Mapping[str, Mapping[str, int]]
    pieces: Mapping[str, PieceState] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class LedgerStep:
    """All that happens at once, under a headline, and how things stand after it."""

    title: Message
    events: tuple[Event, ...]
    tally: Tally


@dataclass(frozen=True, slots=True)
class Chance:
    """One way that the round may end: totals by side, winners, how likely, and if what."""

    totals: Mapping[str, int]
    winners: tuple[str, ...]
    probability: float
    said: Message | None = None


@dataclass(frozen=True, slots=True)
class Odds:
    """How sure the outcome is: the chance of each set of winners and of each score.

    ``lines`` tell it in words, the headline first. ``unknown`` is how likely the table is none of
    those that were played: with it the chances of winners, and of scores, add up to 1.
    """

    winners: tuple[tuple[tuple[str, ...], float], ...]
    scores: tuple[Chance, ...]
    lines: tuple[Message, ...] = ()
    unknown: float = 0.0


@dataclass(frozen=True, slots=True)
class Weighed:
    """A doubt that the odds have played: about which pieces, and how likely it changes the score.

    ``codes`` are those of the issues about these very pieces that it stands for; where it is about
    a place, ``at_px`` is theirs. ``is_said``: the players have said how it is, or another doubt
    asks for it, so it is closed.
    """

    pieces: tuple[str, ...]
    codes: tuple[str, ...]
    chance: float
    at_px: tuple[float, float] | None = None
    is_said: bool = False

    def is_of(self, issue: Issue) -> bool:
        """Tell whether an issue tells of this doubt."""
        is_there = self.at_px is None or self.at_px == issue.at_px
        return is_there and issue.code in self.codes and set(self.pieces) <= set(issue.cards)


@dataclass(frozen=True, slots=True, eq=False)
class Ledger:
    """All that a screen shows of a round.

    ``columns`` are the parts of a score, without the ``total``; the catalogue calls them
    ``column.NAME``. ``opening`` is how things stand before the first step. ``winners`` are
    those of the round as it was resolved: :func:`vision.values.verdict.judge` says whether they may
    be named. ``outcome`` says who won, ``reason`` why, ``summary`` the score in sentences.
    ``doubts`` are those of judging, among them one of code ``close_call`` for each contested event.
    An event is contested if the chance of another outcome is more than ``contested_from``.
    ``kinds`` are sorts of paths with a name and a colour of their own, where sides are not what
    tells them apart; ``gauges`` the columns shown beside a side all along, the first of them large,
    in the place of the total.
    ``weighed`` are the doubts that the odds have played. ``unordered`` where the round is played by
    orders, nobody has given one and nobody has won: ``outcome`` says that, and no result.
    """

    game: str
    sides: tuple[Side, ...]
    columns: tuple[str, ...]
    pieces: tuple[PieceView, ...]
    opening: Tally
    steps: tuple[LedgerStep, ...]
    winners: tuple[str, ...]
    outcome: Message
    reason: Message | None = None
    doubts: tuple[Issue, ...] = ()
    odds: Odds | None = None
    contested_from: float = 0.01
    summary: tuple[Message, ...] = ()
    kinds: tuple[Side, ...] = ()
    gauges: tuple[str, ...] = ()
    weighed: tuple[Weighed, ...] = ()
    unordered: bool = False

    def weigh(self, issues: Sequence[Issue]) -> tuple[Issue, ...]:
        """Say of each issue what the odds say of it; see :func:`graded`."""
        return graded(issues, self.weighed)

    @property
    def final(self) -> Tally:
        """How things stand at the end."""
        return self.steps[-1].tally if self.steps else self.opening

    @property
    def large(self) -> str:
        """The column that stands large beside a side."""
        return self.gauges[0] if self.gauges else "total"

    def is_contested(self, event: Event) -> bool:
        """Tell whether an event may well have gone another way; a ruled one may not."""
        close = event.closeness
        return close is not None and not event.ruled and close.chance > self.contested_from

    def contested(self) -> tuple[Event, ...]:
        """Return the events that are too close to call, the least certain first."""
        close = [
            (-event.closeness.chance, event.pieces[:1], event)
            for step in self.steps
            for event in step.events
            if event.closeness is not None and self.is_contested(event)
        ]
        return tuple(event for *_, event in sorted(close, key=lambda item: item[:2]))


def graded(issues: Sequence[Issue], weighed: Sequence[Weighed]) -> tuple[Issue, ...]:
    """Say of each issue what the odds say: one that changes nothing is a note, else a doubt.

    Those that were weighed come first, what matters most before the rest; issues that nothing has
    weighed stay as they are. What the players have said is no issue any more.
    """
    told: list[tuple[float, Issue]] = []
    rest = []
    for issue in issues:
        mine = [one for one in weighed if one.is_of(issue)]
        if any(one.is_said for one in mine):
            continue
        chances = [one.chance for one in mine]
        if chances:
            severity: Literal["note", "doubt"] = "doubt" if max(chances) > NO_MATTER else "note"
            told.append((max(chances), replace(issue, severity=severity)))
        else:
            rest.append(issue)
    told.sort(key=lambda one: -one[0])
    return (*(issue for _, issue in told), *rest)
