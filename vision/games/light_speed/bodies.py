"""What stands on a table as flat shapes: cards and objects, and which of them meet.

A *thing* is a card or an object; things are known by their place in the sorted ids, so that no
result depends on the order of a file. A thing is made of convex *bodies*: a card of one, an
object of as many as its outline needs. Everything is in the table frame, in mm.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.errors import TableFormatError
from vision.games.light_speed.values import TableObject
from vision.geometry import polygon_area
from vision.values.arrays import FloatArray, Points
from vision.values.layout import PlacedCard

__all__ = [
    "TOUCH_MM",
    "Bodies",
    "Contacts",
    "find_contacts",
    "find_gap",
    "find_push",
    "place_bodies",
    "turned_axes",
]

TOUCH_MM = 1e-9  # touching is hitting: only what rounding may lose (1e-12 at 10 m), nothing more
CONTACT_MM = 1e-6  # two cards nearer than this are told to touch: files carry fewer digits
_SNAP = 1e-15  # cos(pi/2) is 6e-17 in floating point: quarter turns are meant to be exact

IntArray = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Bodies:
    """All things of a table, stacked: M of them, of B bodies."""

    ids: tuple[str, ...]  #: of the things, sorted
    poses: FloatArray  #: (M, 3) x, y, theta of a card; zeros for an object
    is_card: NDArray[np.bool_]  #: (M,)
    thing: IntArray  #: (B,) that a body is part of
    body: IntArray  #: (M,) of a card; the last one of an object
    corners: FloatArray  #: (B, 4, 2) clockwise, TL first; a triangle repeats its last
    centre: FloatArray  #: (B, 2) inside; the origin of ``halves``
    normals: FloatArray  #: (B, 4, 2) outward unit normals of the edges: top, right, bottom, left
    halves: FloatArray  #: (B, 4) how far from the centre the edges lie
    radius: FloatArray  #: (B,) of a circle about the centre that holds the body


def place_bodies(
    cards: Sequence[PlacedCard], objects: Sequence[TableObject], size_mm: tuple[float, float]
) -> Bodies:
    """Lay cards of a size (width, height) and objects, concave ones too, out as bodies."""
    ids = tuple(sorted([*(c.card_id for c in cards), *(o.id for o in objects)]))
    rank = {thing_id: i for i, thing_id in enumerate(ids)}
    poses = np.zeros((len(ids), 3))
    is_card = np.zeros(len(ids), bool)
    for card in cards:
        i = rank[card.card_id]
        poses[i] = card.x_mm, card.y_mm, card.theta_rad
        is_card[i] = True
    things = np.flatnonzero(is_card)
    centre, axes = poses[things, :2], turned_axes(poses[things, 2])
    half = np.array([size_mm[0] / 2, size_mm[1] / 2])
    normals = np.concatenate([-axes[:, 1:], axes[:, :1], axes[:, 1:], -axes[:, :1]], axis=1)
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half
    corners = centre[:, None] + signs @ axes
    halves = np.tile(half[[1, 0, 1, 0]], (len(things), 1))
    radius = np.full(len(things), np.hypot(*half))
    if objects:
        parts = [(rank[o.id], part) for o in objects for part in _convex_parts(o)]
        owners = np.array([owner for owner, _ in parts], np.intp)
        shapes = np.array([part for _, part in parts])
        middle = shapes.mean(axis=1)
        across, away = _edge_planes(shapes, middle)
        things = np.concatenate([things, owners])
        corners, centre = np.concatenate([corners, shapes]), np.concatenate([centre, middle])
        normals, halves = np.concatenate([normals, across]), np.concatenate([halves, away])
        reach = np.hypot(*np.moveaxis(shapes - middle[:, None], 2, 0)).max(axis=1)
        radius = np.concatenate([radius, reach])
    body = np.zeros(len(ids), np.intp)
    body[things] = np.arange(len(things))
    return Bodies(ids, poses, is_card, things, body, corners, centre, normals, halves, radius)


def turned_axes(theta_rad: FloatArray) -> FloatArray:
    """Return the card's x and y axis in the table frame, (N, 2, 2); exact at quarter turns."""
    c, s = np.cos(theta_rad), np.sin(theta_rad)
    c, s = np.where(np.abs(c) < _SNAP, 0.0, c), np.where(np.abs(s) < _SNAP, 0.0, s)
    return np.stack([c, s, -s, c], axis=-1).reshape(-1, 2, 2)


def _edge_planes(shapes: FloatArray, middle: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return normals and distances from the middle of the four edges of clockwise shapes."""
    along = np.roll(shapes, -1, axis=1) - shapes
    length = np.hypot(along[..., 0], along[..., 1])
    for edge in range(1, 4):  # the empty edge of a triangle stands for the one before it
        empty = length[:, edge] == 0
        along[empty, edge], length[empty, edge] = along[empty, edge - 1], length[empty, edge - 1]
    normals = np.stack([along[..., 1], -along[..., 0]], axis=-1) / length[..., None]
    starts = shapes - middle[:, None]
    return normals, (normals * starts).sum(axis=-1)


# --- objects as convex parts -----------------------------------------------------------------


def _convex_parts(thing: TableObject) -> list[FloatArray]:
    """Cut an outline into convex pieces of four corners (a triangle repeats its last)."""
    outline = _without_idle_corners(thing.outline_mm)
    if len(outline) < 3:
        msg = f"object {thing.id}: outline_mm has no area; give three corners or more"
        raise TableFormatError(msg)
    if polygon_area(outline) < 0:
        outline = outline[::-1]
    if _crosses_itself(outline):
        msg = f"object {thing.id}: outline_mm crosses itself; list its corners in order, once round"
        raise TableFormatError(msg)
    if all(turn > 0 for turn in _turns(outline)):
        last = len(outline) - 1
        return [
            outline[[0, i, i + 1, min(i + 2, last)]]  # a fan from the first corner
            for i in range(1, last, 2)
        ]
    return list(_ears(thing.id, outline))


def _without_idle_corners(outline: Points) -> Points:
    """Drop repeated corners and those on a straight line between their neighbours."""
    points = outline
    while len(points) >= 3:
        size = float(np.abs(points - points[0]).max())
        keep = np.array([abs(turn) > 1e-12 * size**2 for turn in _turns(points)])
        if keep.all():
            return points
        drop = int(np.argmin(keep))
        points = np.delete(points, drop, axis=0)
    return points


def _turns(outline: Points) -> list[float]:
    """Return twice the area of the triangle at each corner; positive turns clockwise."""
    before, after = outline - np.roll(outline, 1, axis=0), np.roll(outline, -1, axis=0) - outline
    return [float(t) for t in before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]]


def _crosses_itself(outline: Points) -> bool:
    """Tell whether two edges that are not neighbours meet."""
    p, r = outline, np.roll(outline, -1, axis=0) - outline
    side = _cross(r[:, None], p - p[:, None])  # of each corner from each edge
    apart = side * np.roll(side, -1, axis=1) > 0  # both ends of an edge on one side
    meets = ~(apart | apart.T)
    count = len(outline)
    gap = np.abs(np.arange(count)[:, None] - np.arange(count))
    return bool((meets & (gap > 1) & (gap < count - 1)).any())


def _cross(a: FloatArray, b: FloatArray) -> FloatArray:
    product: FloatArray = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return product


def _ears(name: str, outline: Points) -> Iterator[FloatArray]:
    """Clip triangles off a clockwise outline until nothing is left."""
    points = outline
    while len(points) > 3:
        for i, turn in enumerate(_turns(points)):
            triangle = points[[i - 1, i, (i + 1) % len(points)]]
            others = np.delete(points, [(i - 1) % len(points), i, (i + 1) % len(points)], axis=0)
            if turn > 0 and not _holds_any(triangle, others):
                yield triangle[[0, 1, 2, 2]]
                points = _without_idle_corners(np.delete(points, i, axis=0))
                break
        else:
            msg = f"object {name}: outline_mm touches itself; list its corners in order, once round"
            raise TableFormatError(msg)
    if len(points) == 3:
        yield points[[0, 1, 2, 2]]


def _holds_any(triangle: Points, points: Points) -> bool:
    """Tell whether a clockwise triangle holds any of the points, its border included."""
    inside = np.ones(len(points), bool)
    for a, b in zip(triangle, np.roll(triangle, -1, axis=0), strict=True):
        along, away = b - a, points - a
        inside &= along[0] * away[:, 1] - along[1] * away[:, 0] >= 0
    for corner in triangle:  # a corner used twice (a slit) does not stop an ear
        inside &= (points != corner).any(axis=1)
    return bool(inside.any())


# --- which things meet -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Contacts:
    """Pairs of things that touch or overlap, and where the edges of overlapping ones cross.

    ``pairs`` holds (thing, thing, overlap); the crossings are ``points`` (C, 2) with the
    ``things`` (C, 2) they belong to and the unit ``normals`` (C, 2, 2) of the two edges.
    """

    pairs: tuple[tuple[int, int, bool], ...]
    points: FloatArray
    things: IntArray
    normals: FloatArray


def find_contacts(bodies: Bodies) -> Contacts:
    """Find all things that touch or overlap, in order of the things.

    A pair overlaps if it is deeper than a micrometre. The work grows with the square of the number
    of bodies, in numpy (10 ms at 1000).
    """
    away = bodies.centre[:, None] - bodies.centre
    near = np.hypot(away[..., 0], away[..., 1]) <= (
        bodies.radius[:, None] + bodies.radius + CONTACT_MM
    )
    near &= bodies.thing[:, None] < bodies.thing
    first, second = np.nonzero(near)
    if not len(first):
        return Contacts((), np.zeros((0, 2)), np.zeros((0, 2), np.intp), np.zeros((0, 2, 2)))
    gap = np.maximum(_separation(bodies, first, second), _separation(bodies, second, first))
    meet = gap <= CONTACT_MM
    first, second, gap = first[meet], second[meet], gap[meet]
    found: dict[tuple[int, int], bool] = {}
    for a, b, g in zip(bodies.thing[first], bodies.thing[second], gap, strict=True):
        pair = (int(a), int(b))
        found[pair] = found.get(pair, False) or bool(g < -CONTACT_MM)
    pairs = tuple((a, b, overlap) for (a, b), overlap in sorted(found.items()))
    points, things, normals = _crossings(bodies, first, second)
    return Contacts(pairs, points, things, normals)


def find_gap(bodies: Bodies, a: int, b: int) -> float:
    """Return how far apart two cards lie, mm: exact edge to edge, a little less corner to corner.

    ``a`` and ``b`` are things; negative if they overlap.
    """
    one, other = bodies.body[[a]], bodies.body[[b]]
    return float(max(_separation(bodies, one, other)[0], _separation(bodies, other, one)[0]))


def find_push(bodies: Bodies, a: int, b: int) -> tuple[float, float]:
    """Return the least shift (mm) of the second of two overlapping cards that has them touch."""
    of, to = bodies.body[a], bodies.body[b]
    ways = []
    for one, other, sign in ((of, to, 1.0), (to, of, -1.0)):
        across = bodies.normals[one] @ (bodies.corners[other] - bodies.centre[one]).T
        depth = bodies.halves[one] - across.min(axis=1)
        edge = int(depth.argmin())
        x, y = (sign * depth[edge] * bodies.normals[one, edge]).tolist()
        ways.append((float(depth[edge]), (x, y)))
    return min(ways)[1]


def _separation(bodies: Bodies, of: IntArray, to: IntArray) -> FloatArray:
    """Return the widest gap between pairs of bodies along the normals of the first."""
    starts = bodies.corners[to] - bodies.centre[of][:, None]
    across = np.einsum("pek,pck->pec", bodies.normals[of], starts)
    gaps: FloatArray = (across.min(axis=2) - bodies.halves[of]).max(axis=1)
    return gaps


def _crossings(
    bodies: Bodies, first: IntArray, second: IntArray
) -> tuple[FloatArray, IntArray, FloatArray]:
    p, q = bodies.corners[first][:, :, None], bodies.corners[second][:, None]
    r, s = np.roll(p, -1, axis=1) - p, np.roll(q, -1, axis=2) - q
    denominator = r[..., 0] * s[..., 1] - r[..., 1] * s[..., 0]
    skew = np.abs(denominator) > 1e-9  # mm^2: edges as long as cards, not parallel
    safe = np.where(skew, denominator, 1.0)
    w = q - p
    t = (w[..., 0] * s[..., 1] - w[..., 1] * s[..., 0]) / safe
    u = (w[..., 0] * r[..., 1] - w[..., 1] * r[..., 0]) / safe
    pair, edge_a, edge_b = np.nonzero(skew & (t >= 0) & (t <= 1) & (u >= 0) & (u <= 1))
    points = (p + t[..., None] * r)[pair, edge_a, edge_b]
    a, b = first[pair], second[pair]
    things = np.stack([bodies.thing[a], bodies.thing[b]], axis=1)
    normals = np.stack([bodies.normals[a, edge_a], bodies.normals[b, edge_b]], axis=1)
    return points, things, normals
