"""Layout -> table: each pawn's square and heading, with their chances (rules page, "On the table").

A pawn is a token, or a thing of its team's colour with a shield beside it. It is laid by hand to
6 mm and 6 degrees; that adds to how well it was seen. All squares and all eight headings are
weighed together by ``exp(-r' W r / 2)``.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.errors import TableNotFoundError
from vision.games.laser_shield.accounts import PER_TEAM, shortfalls
from vision.games.laser_shield.board import DOORS, HEADINGS, SQUARE_MM, SQUARES, centre_mm
from vision.games.laser_shield.values import TEAMS, Options, Pawn, PawnReading, Pose, Table
from vision.games.laser_shield.words import doubt
from vision.geometry import heading_vector, wrap_angle
from vision.judging.grids import weigh
from vision.texts import where_px
from vision.values.arrays import FloatArray
from vision.values.layout import Layout, Placed
from vision.values.messages import Issue

__all__ = ["lay"]

_LAID = np.diag([36.0, 36.0, math.radians(6.0) ** 2])  # mm, mm, rad: how far off hands lay a pawn
_LEAST = 1e-3  # a reading less likely than this is none
_BEYOND_MM = 6.0  # outside its square a pawn is on none: it lies beside the board, or in a corner
_ON_DOOR = 0.01  # chance of standing on a door from which it is told
_BESIDE_MM = (4.0, 28.0)  # from a pawn's middle to its shield: a thin pawn's, a bottle cap's
_USUAL_MM, _USUAL_SD_MM = 13.0, 5.0  # of that
_ALONG_MM = 17.0  # by which its middle may lie ahead or behind: hands lay it to a third of that
_ALONG_SD_MM = 6.0
_SIDE_ODDS = 2.5  # log odds of the right side: of a dozen shields one is laid at the left
_HEAD_CLEAR = 1.5  # log odds of a head that counts against the side
_DISPUTED = (0.5, 3.9)  # log odds left to such a head: a doubt in any case
_MOST_ODDS = 9.0
_FAINT = 0.33  # score of a stick that is one as often as not: edges and strokes reach as much


@dataclass(frozen=True, slots=True)
class Gaze:
    """A way that a pawn may look: rad with its variance, and how likely."""

    theta_rad: float
    variance: float
    chance: float


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """A pawn as seen: whose, its number if it has one, the ways that it may look, how sure."""

    placed: Placed
    team: str
    number: int | None
    gazes: tuple[Gaze, ...] = ()
    rank: float = 0.0


def lay(layouts: Sequence[Layout], options: Options) -> Table:
    """Read the pawns of a photo."""
    (layout,) = layouts
    doors = DOORS[options.doors]
    on_board, beside = _split(_seen(layout))
    issues = [_told("pawn_beside", seen) for seen in beside]
    named, extra = _numbered(on_board)
    issues += [_told("pawn_extra", seen) for seen in extra]
    if not named:
        msg = (
            "found the board, but no pawn on it; needed at least one token, face up, or a thing of "
            "orange or blue with a match at its right: lay them in the middle of their squares"
        )
        raise TableNotFoundError(msg, is_near=True)
    pawns = {name: _pawn(name, seen, doors) for name, seen in sorted(named.items())}
    issues += [
        doubt("pawn_on_door", "shield.pawn_on_door", (name,), pawn=name, door=door)
        for name, seen in named.items()
        for door, chance in _on_doors(seen.placed, doors)
        if chance > _ON_DOOR
    ]
    issues += [
        doubt("pawn_without_shield", "shield.pawn_without_shield", (name,), pawn=name)
        for name, seen in named.items()
        if not seen.gazes
    ]
    apart, twice = _apart(list(pawns.values()))
    issues += [
        doubt("pawn_twice", "shield.pawn_twice", (pawn.id,), pawn=pawn.id, square=pawn.square)
        for pawn in twice
    ]
    there = {pawn.id for pawn in apart}
    missing = tuple(name for one in shortfalls(there) for name in one.missing)
    unread = tuple(_unread(layout))
    at_px = {name: seen.placed.at_px for name, seen in named.items()}
    return Table(apart, {}, options, tuple(issues), missing, unread, seen=at_px)


def _seen(layout: Layout) -> Iterator[_Seen]:
    """Yield all pawns of a photo."""
    unsure = {issue.cards[0] for issue in layout.doubts if issue.code == "token_heading_unsure"}
    things = [p for p in layout.placed if p.kind == "pawn"]
    shields = pair_shields(things, [p for p in layout.placed if p.kind == "stick"])
    for placed in layout.placed:
        team, _, number = placed.piece.partition("-")
        if placed.kind == "token" and team in TEAMS:
            gaze = Gaze(placed.theta_rad, float(placed.covariance[2, 2]), 1.0)
            gazes: tuple[Gaze, ...] = () if placed.piece in unsure else (gaze,)
            yield _Seen(placed, team, int(number), gazes, 2.0 + placed.score)
        elif placed.kind == "pawn":
            shield = shields.get(placed.spot)
            gazes = () if shield is None else gazes_of(placed, shield)
            yield _Seen(placed, team, None, gazes, bool(gazes) + placed.confidence)


def _split(pawns: Iterable[_Seen]) -> tuple[list[_Seen], list[_Seen]]:
    """Return the pawns that stand on squares, doors among them, and those that do not."""
    centres = np.array([centre_mm(square) for square in SQUARES])
    on_board: list[_Seen] = []
    beside: list[_Seen] = []
    for seen in pawns:
        off = np.abs(centres - [seen.placed.x_mm, seen.placed.y_mm]).max(axis=1).min()
        (on_board if off < SQUARE_MM / 2 + _BEYOND_MM else beside).append(seen)
    return on_board, beside


def _numbered(pawns: Sequence[_Seen]) -> tuple[dict[str, _Seen], list[_Seen]]:
    """Name all pawns, and return those that are too many: things without a shield first.

    Tokens have their own numbers; other pawns take those that are left, by square.
    """
    named: dict[str, _Seen] = {}
    extra: list[_Seen] = []
    for team in TEAMS:
        own = sorted((p for p in pawns if p.team == team), key=lambda p: -p.rank)
        extra += own[PER_TEAM:]
        own = own[:PER_TEAM]
        named |= {f"{team}-{p.number}": p for p in own if p.number is not None}
        left = [n for n in range(1, PER_TEAM + 1) if f"{team}-{n}" not in named]
        others = sorted((p for p in own if p.number is None), key=_nearest)
        named |= {f"{team}-{n}": p for n, p in zip(left, others, strict=False)}
    return named, extra


def _nearest(seen: _Seen) -> str:
    """Return the square whose middle is nearest."""
    at = (seen.placed.x_mm, seen.placed.y_mm)
    return min(SQUARES, key=lambda square: math.dist(at, centre_mm(square)))


def _told(code: str, seen: _Seen) -> Issue:
    """Tell of a pawn that does not play, by where it shows in the photo."""
    where = where_px(*seen.placed.outline_px.mean(axis=0))
    if code == "pawn_beside":
        return doubt(code, f"shield.{code}", (), "note", team=seen.team, **where)
    return doubt(code, f"shield.{code}", (), team=seen.team, **where)


def _pawn(name: str, seen: _Seen, doors: tuple[str, str]) -> Pawn:
    """Weigh all squares and headings of a pawn."""
    placed = seen.placed
    free = [square for square in SQUARES if square not in doors]
    chances = np.zeros((len(free), len(HEADINGS)))
    for gaze in seen.gazes:
        chances += gaze.chance * _weighed(placed, gaze, free)
    unread = 1 - sum(gaze.chance for gaze in seen.gazes)
    chances += unread * _squares(placed, free)[:, None] / len(HEADINGS)
    flat = chances.ravel()
    kept = [int(k) for k in np.argsort(-flat, kind="stable") if flat[k] >= _LEAST]
    whole = float(flat[kept].sum())
    readings = tuple(
        PawnReading(free[k // len(HEADINGS)], HEADINGS[k % len(HEADINGS)], float(flat[k]) / whole)
        for k in kept
    )
    theta = wrap_angle(seen.gazes[0].theta_rad) if seen.gazes else 0.0
    covariance = placed.covariance.copy()
    if seen.gazes:
        covariance[2, 2] = seen.gazes[0].variance
    pose = Pose(placed.x_mm, placed.y_mm, theta, covariance)
    return Pawn(name, readings[0].square, readings[0].heading, pose, readings)


def _weighed(placed: Placed, gaze: Gaze, free: Sequence[str]) -> FloatArray:
    """Return the chances (squares, headings) of a pawn that looks one way."""
    off = [
        [
            placed.x_mm - centre_mm(square)[0],
            placed.y_mm - centre_mm(square)[1],
            wrap_angle(gaze.theta_rad - way * math.pi / 4),
        ]
        for square in free
        for way in range(len(HEADINGS))
    ]
    covariance = placed.covariance.copy()
    covariance[2, 2] = gaze.variance
    chances = weigh(np.array(off), covariance + _LAID)
    return chances.reshape(len(free), len(HEADINGS))


def _squares(placed: Placed, squares: Sequence[str]) -> FloatArray:
    """Return the chances of squares alone."""
    off = np.array([placed.x_mm, placed.y_mm]) - [centre_mm(square) for square in squares]
    return weigh(off, placed.covariance[:2, :2] + _LAID[:2, :2])


def _on_doors(placed: Placed, doors: tuple[str, str]) -> Iterator[tuple[str, float]]:
    """Yield both doors with the chance that a pawn stands there, where nobody may."""
    chances = dict(zip(SQUARES, _squares(placed, SQUARES), strict=True))
    return ((door, float(chances[door])) for door in doors)


def _apart(pawns: Sequence[Pawn]) -> tuple[tuple[Pawn, ...], list[Pawn]]:
    """Give each pawn a square of its own, the surest first; return those that find none too."""
    taken: set[str] = set()
    kept: list[Pawn] = []
    twice: list[Pawn] = []
    for pawn in sorted(pawns, key=lambda p: -p.readings[0].probability):
        best = next((r for r in pawn.readings if r.square not in taken), None)
        if best is None:
            twice.append(pawn)
            continue
        taken.add(best.square)
        kept.append(replace(pawn, square=best.square, heading=best.heading))
    return tuple(sorted(kept, key=lambda pawn: pawn.id)), twice


def _unread(layout: Layout) -> Iterator[str]:
    """Yield the squares where something lies that was not read."""
    things = [p for p in layout.placed if p.kind == "token" and p.identity is None]
    here, _ = _split(_Seen(thing, "", None) for thing in things)
    yield from sorted({_nearest(seen) for seen in here})


# --- which stick is whose shield -----------------------------------------------------------------
# A shield lies at its pawn's right, along its gaze, head forward. The head tells the way; the side
# on which the pawn stands is a second witness: where the two disagree the head counts, with a
# doubt.


def pair_shields(pawns: Sequence[Placed], sticks: Sequence[Placed]) -> dict[str, Placed]:
    """Return the stick of each pawn that has one, by the pawn's spot; nearest pairs first."""
    pairs = sorted(
        (cost, pawn.spot, k)
        for pawn in pawns
        for k, stick in enumerate(sticks)
        if (cost := _cost(pawn, stick)) is not None
    )
    found: dict[str, Placed] = {}
    used: set[int] = set()
    for _, spot, k in pairs:
        if spot not in found and k not in used:
            found[spot] = sticks[k]
            used.add(k)
    return found


def gazes_of(pawn: Placed, shield: Placed) -> tuple[Gaze, Gaze]:
    """Return the two ways that a pawn with this shield may look, the likelier first.

    Their chances add up to less than 1 where the shield is faint, and may be none.
    """
    ahead, _ = _beside(pawn, shield)
    head = math.log(max(shield.confidence, 1e-6) / max(1 - shield.confidence, 1e-6))
    side = _SIDE_ODDS if ahead > 0 else -_SIDE_ODDS
    odds = head + side
    if head * side < 0 and abs(head) >= _HEAD_CLEAR:
        odds = math.copysign(float(np.clip(abs(odds), *_DISPUTED)), head)
    odds = float(np.clip(odds, -_MOST_ODDS, _MOST_ODDS))
    chance = 1 / (1 + math.exp(-odds))
    variance = float(shield.covariance[2, 2])
    is_one = 1 - math.exp(-((shield.score / _FAINT) ** 4))
    ways = (
        Gaze(shield.theta_rad, variance, is_one * chance),
        Gaze(shield.theta_rad + math.pi, variance, is_one * (1 - chance)),
    )
    return ways if chance >= 0.5 else (ways[1], ways[0])


def _beside(pawn: Placed, stick: Placed) -> tuple[float, float]:
    """Return how far a stick lies to the right of a pawn that looks as it points, and ahead."""
    off = np.array([stick.x_mm - pawn.x_mm, stick.y_mm - pawn.y_mm])
    right = heading_vector(stick.theta_rad + math.pi / 2)
    return float(off @ right), float(off @ heading_vector(stick.theta_rad))


def _cost(pawn: Placed, stick: Placed) -> float | None:
    """Return how unusual a stick would be as the shield of a pawn; None if it cannot be."""
    right, ahead = _beside(pawn, stick)
    if not _BESIDE_MM[0] <= abs(right) <= _BESIDE_MM[1] or abs(ahead) > _ALONG_MM:
        return None
    return ((abs(right) - _USUAL_MM) / _USUAL_SD_MM) ** 2 + (ahead / _ALONG_SD_MM) ** 2
