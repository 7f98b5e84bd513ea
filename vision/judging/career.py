"""Careers: what rounds leave to those who play them, evening after evening.

A career is never written down as such: it is its log folded from the start, each round played with
what those before it left. So a round that is corrected, undone or deleted counts as it stands, and
no round counts twice. A game that keeps careers overrides ``services``, ``enlist``,
``enlisted`` and ``rank``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from vision.texts import make_issue
from vision.values.ledger import Ledger
from vision.values.messages import Message

__all__ = [
    "Career",
    "Corrected",
    "Figure",
    "History",
    "Line",
    "Named",
    "Played",
    "Service",
    "follow",
    "is_idle",
    "serve",
]


@dataclass(frozen=True, slots=True)
class Service:
    """What a round leaves to the record of who played a side.

    ``before`` is what he had, ``gained`` what the round gave, ``after`` what he or his follower
    has then. ``ended`` says why he serves no more, None if he does. ``is_settled`` is False while
    something must still be said that decides on it, ``is_sure`` while a doubt of the round does.
    """

    before: int
    gained: int
    after: int
    rank: Message
    ended: Message | None = None
    is_settled: bool = True
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class Played:
    """A round in the log: its id, and whose careers its sides are."""

    round: str
    careers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A word of the players in the log: from here on a career has so many points."""

    career: str
    points: int


@dataclass(frozen=True, slots=True)
class Named:
    """The name of a figure of a career, counted from 0, whenever it is said."""

    career: str
    figure: int
    name: str


Entry: TypeAlias = Played | Corrected | Named
#: plays a round with the points of its sides
Serve: TypeAlias = Callable[[Played, Mapping[str, int]], Mapping[str, Service]]


@dataclass(frozen=True, slots=True)
class Line:
    """What happened to a figure: a round and what it left, or points said by hand (no round)."""

    points: int
    round: str | None = None
    service: Service | None = None


def is_idle(line: Line) -> bool:
    """Tell whether a line is of a round that left everything as it was, for sure."""
    service = line.service
    return (
        service is not None
        and (service.gained, service.ended, service.after) == (0, None, service.before)
        and service.is_settled
        and service.is_sure
    )


@dataclass(frozen=True, slots=True)
class Figure:
    """One whom a player leads through rounds until something ends it."""

    name: str = ""
    lines: tuple[Line, ...] = ()

    @property
    def ended(self) -> Message | None:
        """Why he serves no more; None if he does."""
        service = self.lines[-1].service if self.lines else None
        return None if service is None else service.ended


@dataclass(frozen=True, slots=True)
class Career:
    """A player's figures, one after another, the last of whom serves; and his points."""

    points: int = 0
    figures: tuple[Figure, ...] = (Figure(),)


@dataclass(frozen=True, slots=True)
class History:
    """Careers by their ids; what each round found its sides to have."""

    careers: Mapping[str, Career] = field(default_factory=dict)
    found: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def follow(log: Iterable[Entry], play: Serve, *, until: str | None = None) -> History:
    """Fold a log, in order; a name may stand anywhere in it.

    ``play`` plays a round with the points that its sides have. ``until`` is a round at which to
    stop: ``found`` has what its sides have on entering; it is not played.
    """
    careers: dict[str, Career] = {}
    found: dict[str, Mapping[str, int]] = {}
    names: dict[tuple[str, int], str] = {}
    for entry in log:
        match entry:
            case Named(career, figure, name):
                names[career, figure] = name
                careers.setdefault(career, Career())
            case Corrected(career, points):
                old = careers.get(career, Career())
                careers[career] = replace(_with_line(old, Line(points)), points=points)
            case Played(name, sides):
                found[name] = {s: careers.get(c, Career()).points for s, c in sides.items()}
                if name == until:
                    break
                for side, service in play(entry, found[name]).items():
                    if side in sides:
                        old = careers.get(sides[side], Career())
                        careers[sides[side]] = _after(old, name, service)
    return History({c: _named(c, career, names) for c, career in careers.items()}, found)


def serve(
    game: Any, table: Any, points: Mapping[str, int], tell: Callable[[Any, Any], Ledger]
) -> tuple[Any, Any, Ledger]:
    """Play a table with those who sit there; return it so, its outcome and its ledger.

    ``tell`` makes the ledger of a table and its outcome, as whoever looks may see it.

    What the table itself said of them, where that is something else, is a doubt of the ledger.
    """
    enlisted = game.enlist(table, points)
    outcome = game.resolve(enlisted)
    ledger = tell(enlisted, outcome)
    said = game.enlisted(table)
    doubts = tuple(
        make_issue(
            "career_differs", "career.differs", (), "doubt", said=said[side], side=side, known=known
        )
        for side, known in points.items()
        if said.get(side, known) != known and side in game.enlisted(enlisted)
    )
    return enlisted, outcome, replace(ledger, doubts=(*ledger.doubts, *doubts))


def _after(career: Career, name: str, service: Service) -> Career:
    """Return a career after a round; who is through with it makes room for another."""
    new = _with_line(career, Line(service.after, name, service))
    figures = new.figures if service.ended is None else (*new.figures, Figure())
    return Career(service.after, figures)


def _with_line(career: Career, line: Line) -> Career:
    *others, last = career.figures
    return replace(career, figures=(*others, replace(last, lines=(*last.lines, line))))


def _named(career_id: str, career: Career, names: Mapping[tuple[str, int], str]) -> Career:
    figures = (
        replace(figure, name=names.get((career_id, k), ""))
        for k, figure in enumerate(career.figures)
    )
    return replace(career, figures=tuple(figures))
