"""Two tables that share a piece -> one table in its frame: what lies where, and what yields.

Each table has its own picture and its own frame; the shared piece, an asteroid that lies on both,
tells how one lies over the other. Where two cards would lie on each other, or one card lies on both
tables, the one that was laid earlier stands and the other yields. Both tables come to the same
answer, each in its own frame. Pure functions over frozen values; times are seconds on a clock that
both share.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from shapely.geometry import Polygon

from vision.geometry import photo_from_table, rotation, wrap_angle
from vision.judging.game import Referee
from vision.seeing.estimation.overlaps import card_outlines
from vision.values.arrays import FloatArray
from vision.values.layout import Layout, Placed, PlacedCard, identity_of, poses_of, spare_unread_id
from vision.values.messages import Issue, message
from vision.watch.cards import overlap_depth

__all__ = [
    "Conflict",
    "Joined",
    "SharedCard",
    "SharedReading",
    "SharedTable",
    "join_layouts",
    "join_tables",
]

#: Of a card's depth over another, from which one yields. The shared piece tells its heading to 0.1
#: degree on each table: half a metre away that is 1.2 mm.
_OVERLAP_MM = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class SharedCard:
    """A card of one table: ``pose`` (x mm, y mm, theta rad) there, ``at_s`` when it came to lie."""

    card: str
    pose: FloatArray
    at_s: float


@dataclass(frozen=True, slots=True, eq=False)
class SharedTable:
    """What one table tells the other.

    ``is_first`` settles ties: it is said of one of the two. ``stopped_s`` is when its round was
    ended for good, None while it goes on; ``read`` what its verdict's pictures show, with what
    fingers corrected, and ``judged_s`` when that was.
    """

    cards: tuple[SharedCard, ...]
    is_first: bool
    stopped_s: float | None = None
    read: "SharedReading | None" = None
    judged_s: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SharedReading:
    """The table of a verdict: its cards, how well each and all are known, and what is doubted."""

    cards: tuple[PlacedCard, ...]
    joint_covariance: FloatArray
    doubts: tuple[Issue, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two cards of which one yields: they would lie on each other, or are the same card twice."""

    own: str
    other: str
    why: Literal["overlap", "twin"]
    stands: Literal["own", "other"]


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """The other table's cards in the own frame, without the shared piece; and who yields."""

    shared: str
    others: tuple[SharedCard, ...]
    conflicts: tuple[Conflict, ...]

    def yielding(self, side: Literal["own", "other"]) -> frozenset[str]:
        """Return which cards of a table do not count."""
        return frozenset(getattr(one, side) for one in self.conflicts if one.stands != side)


def join_tables(
    own: SharedTable, other: SharedTable, rules: Referee, size_mm: tuple[float, float]
) -> Joined | None:
    """Lay another table over the own one; None while they share no piece.

    Parameters
    ----------
    own, other : SharedTable
        What lies on each, in its own frame.
    rules : Referee
        Of the game: pieces that it calls common may be shared.
    size_mm : (float, float)
        Width and height of a card.
    """
    shared = _shared(own, other, rules)
    if shared is None:
        return None
    here, there = (_find(table, shared).pose for table in (own, other))
    poses = _carried(np.array([card.pose for card in other.cards]), here, there)
    others = tuple(
        replace(card, pose=pose)
        for card, pose in zip(other.cards, poses, strict=True)
        if card.card != shared
    )
    mine = [card for card in own.cards if card.card != shared]
    return Joined(shared, others, _conflicts(mine, others, own.is_first, rules, size_mm))


def _shared(own: SharedTable, other: SharedTable, rules: Referee) -> str | None:
    """Return the piece that lies on both tables, of several the one that did so first."""
    here, there = ({card.card: card.at_s for card in table.cards} for table in (own, other))
    both = [(max(here[name], there[name]), name) for name in rules.common & set(here) & set(there)]
    return min(both)[1] if both else None


def _find(table: SharedTable, name: str) -> SharedCard:
    return next(card for card in table.cards if card.card == name)


def _carried(poses: FloatArray, here: FloatArray, there: FloatArray) -> FloatArray:
    """Return poses (M, 3) of the other table in the own frame, by the shared piece's in both."""
    turn = float(here[2] - there[2])
    places = here[:2] + (poses[:, :2] - there[:2]) @ rotation(turn).T
    headings = [wrap_angle(float(theta) + turn) for theta in poses[:, 2]]
    return np.column_stack([places, headings])


def _conflicts(
    own: Sequence[SharedCard],
    others: Sequence[SharedCard],
    is_first: bool,
    rules: Referee,
    size_mm: tuple[float, float],
) -> tuple[Conflict, ...]:
    """Let the cards of both tables come one after the other; who comes onto another one yields."""
    ours = [(card.at_s, 0 if is_first else 1, card, "own") for card in own]
    theirs = [(card.at_s, 1 if is_first else 0, card, "other") for card in others]
    shapes = {id(c): Polygon(card_outlines(c.pose[None], size_mm)[0]) for c in (*own, *others)}
    standing: list[tuple[SharedCard, str]] = []
    found = []
    for _, _, card, side in sorted(ours + theirs, key=lambda one: one[:2]):
        before = [(known, _why(card, known, shapes, rules)) for known, of in standing if of != side]
        against = next(((known, why) for known, why in before if why is not None), None)
        if against is None:
            standing.append((card, side))
            continue
        known, why = against
        assert why is not None
        if side == "own":
            found.append(Conflict(card.card, known.card, why, "other"))
        else:
            found.append(Conflict(known.card, card.card, why, "own"))
    return tuple(found)


def _why(
    card: SharedCard, known: SharedCard, shapes: dict[int, Polygon], rules: Referee
) -> Literal["overlap", "twin"] | None:
    """Return why a card cannot lie there beside one of the other table; None if it can."""
    is_named = identity_of(card.card) is not None and not card.card.startswith(rules.face_down)
    if is_named and card.card == known.card:
        return "twin"
    depth = overlap_depth(shapes[id(card)].intersection(shapes[id(known)]))
    return "overlap" if depth > _OVERLAP_MM else None


# --- verdicts ------------------------------------------------------------------------------------


def join_layouts(
    own: Layout, other: SharedReading, joined: Joined, size_mm: tuple[float, float]
) -> Layout | None:
    """Return what both tables show as one layout of the own picture; None without the shared piece.

    Parameters
    ----------
    own : Layout
        What the own pictures show.
    other : SharedReading
        What the other table's show, in its frame.
    joined : Joined
        Which piece they share, and which cards yield.
    size_mm : (float, float)
        Width and height of a card.
    """
    here = next((k for k, one in enumerate(own.placed) if one.piece == joined.shared), None)
    there = next((k for k, one in enumerate(other.cards) if one.card_id == joined.shared), None)
    if here is None or there is None:
        return None
    gone, out = joined.yielding("own"), joined.yielding("other")
    mine = [k for k, one in enumerate(own.placed) if one.piece not in gone]
    twice = {own.placed[k].piece for k in mine if own.placed[k].identity is not None}
    theirs = [
        k
        for k, one in enumerate(other.cards)
        if k != there and one.card_id not in out and one.card_id not in twice
    ]
    poses, jacobian = _carry_all(poses_of(own.placed), poses_of(other.cards), here, there)
    n, m = len(own.placed), len(other.cards)
    covariance = np.zeros((3 * (n + m), 3 * (n + m)))
    covariance[: 3 * n, : 3 * n] = own.joint_covariance
    covariance[3 * n :, 3 * n :] = other.joint_covariance
    carried = jacobian @ covariance @ jacobian.T
    rows = [3 * k + axis for k in (*mine, *(n + k for k in theirs)) for axis in range(3)]
    joint = carried[np.ix_(rows, rows)]
    names = _names([own.placed[k].piece for k in mine], [other.cards[k].card_id for k in theirs])
    placed = [own.placed[k] for k in mine]
    for at, (k, name) in enumerate(zip(theirs, names, strict=True), len(mine)):
        block = joint[3 * at : 3 * at + 3, 3 * at : 3 * at + 3]
        placed.append(_placed(own, other.cards[k], name, poses[k], block, size_mm))
    doubts = (*own.doubts, *(_of_other(doubt) for doubt in other.doubts))
    return replace(own, placed=tuple(placed), joint_covariance=joint, doubts=doubts)


def _carry_all(
    own: FloatArray, other: FloatArray, here: int, there: int
) -> tuple[FloatArray, FloatArray]:
    """Return the other's poses in the own frame, and how all poses hang on those of both tables."""
    n, m = len(own), len(other)
    turn = float(own[here, 2] - other[there, 2])
    r = rotation(turn)
    slope = r @ np.array([[0.0, -1.0], [1.0, 0.0]])  # of the rotation by the turn
    away = other[:, :2] - other[there, :2]
    jacobian = np.eye(3 * (n + m))
    a, b = 3 * here, 3 * (n + there)
    for k in range(m):
        at = 3 * (n + k)
        rows = jacobian[at : at + 3]
        rows[:] = 0.0
        rows[:2, at : at + 2] += r
        rows[2, at + 2] += 1.0
        rows[:2, b : b + 2] -= r
        rows[:2, b + 2] -= slope @ away[k]
        rows[2, b + 2] -= 1.0
        rows[:2, a : a + 2] += np.eye(2)
        rows[:2, a + 2] += slope @ away[k]
        rows[2, a + 2] += 1.0
    return _carried(other, own[here], other[there]), jacobian


def _names(own: Iterable[str], others: Sequence[str]) -> list[str]:
    """Return names for the other's cards: those that could not be read are numbered on."""
    taken, names = {*own, *(o for o in others if identity_of(o) is not None)}, list[str]()
    for name in others:
        if identity_of(name) is None:
            name = spare_unread_id(taken)
            taken.add(name)
        names.append(name)
    return names


def _placed(
    own: Layout,
    card: PlacedCard,
    name: str,
    pose: FloatArray,
    covariance: FloatArray,
    size_mm: tuple[float, float],
) -> Placed:
    """Return a card of the other table as a piece of the own layout."""
    corners = card_outlines(pose[None], size_mm)[0]
    x, y, theta = pose.tolist()
    shown = photo_from_table(own.camera, corners)
    more = {"printed": card.printed, "may_be": card.may_be, "confidence": card.confidence}
    return Placed(f"other-{name}", name, x, y, theta, covariance, shown, **more)  # type: ignore[arg-type]


def _of_other(doubt: Issue) -> Issue:
    """Return a doubt of the other table: it stands nowhere in the own picture."""
    said = message("watch.battle.doubt", text=doubt.said or doubt.message)
    return replace(doubt, said=said, at_px=None, places=(), ids=())
