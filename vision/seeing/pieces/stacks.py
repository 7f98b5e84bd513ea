"""Photo and board -> the tokens on it, where they may lie on one another.

Tokens of different sizes lie on one another, the smaller above; those of one size may overlap. The
smallest are read first, at every place that does not show the board's print; what has been found
hides what lies below it, which is read by the rest. What a larger face explains by itself is no
smaller token.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.geometry import wrap_angle
from vision.imaging.view import View
from vision.seeing.pieces.flat import flatten, px_per_mm_at, round_box
from vision.seeing.pieces.ground import Ground
from vision.seeing.pieces.laying import Discs, Laid, lay_face, tell_apart
from vision.seeing.pieces.seen_rounds import COARSE, FINE, rings_of
from vision.seeing.pieces.stack_checks import explains, without_phantoms
from vision.seeing.pieces.stack_placing import place_token
from vision.seeing.pieces.stack_pools import covered_places, pixels, unexplained_places
from vision.seeing.pieces.stack_reading import (
    CLOSE,
    NEAR,
    Place,
    discs_of,
    likeness,
    read_spots,
    turn_lead,
)
from vision.seeing.pieces.stack_values import Found, Look, StackSettings
from vision.seeing.pieces.tints import to_tints
from vision.seeing.pieces.token_places import TokenGroup, group_tokens
from vision.seeing.pieces.tokens import Token
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, Points
from vision.values.pieces import Piece

__all__ = ["StackSettings", "find_stacked"]


def find_stacked(
    view: View,
    ground: Ground,
    pieces: Sequence[Piece],
    art: Mapping[str, ImageBGR],
    settings: StackSettings | None = None,
) -> tuple[Token, ...]:
    """Find the tokens on a board, those below others among them.

    Parameters
    ----------
    view : View
        The photo.
    ground : Ground
        With a board.
    pieces : sequence of Piece
        Tokens.
    art : mapping
        Of each piece's id to its face, upright, cut to its edge.

    Returns
    -------
    tuple of Token
        The smallest first. ``visible`` of a placed one is the share of its face that shows.
    """
    s = settings or StackSettings()
    looks = [
        _look(view, ground, group, s)
        for group in sorted(group_tokens(pieces, art, ground), key=lambda g: g.radius_mm)
    ]
    if len(looks) > 1:
        looks[0] = replace(looks[0], least_seen=s.least_alone, hidden_score=s.hidden_alone)
    pools = [_pool(look, ground, s) for look in looks]
    bare = [_bare(look, pool, s) for look, pool in zip(looks, pools, strict=True)]
    hints = [
        hint
        for look, some in zip(looks[1:], bare[1:], strict=True)
        for hint in _hints(look, some, s)
    ]
    found: list[Found] = []
    for look, pool, some in zip(looks, pools, bare, strict=True):
        larger = [hint for hint in hints if hint.look.group.radius_mm > look.group.radius_mm]
        around = _Around(tuple(found), tuple(larger), pool)
        places = _places(look, around, some, s)
        found += _of_group(view, ground, look, places, around, s)
    found += _again(view, ground, looks, (found, hints), s)
    found = without_phantoms(found, s)
    return tuple(place_token(ground, one, found, k, s) for k, one in enumerate(found, start=1))


def _again(
    view: View,
    ground: Ground,
    looks: Sequence[Look],
    known: tuple[Sequence[Found], Sequence[Found]],
    s: StackSettings,
) -> list[Found]:
    """Look once more, finely, where the board is hidden by nothing that was found.

    The first look goes by the likest places of a whole board. Where much is like some face in part,
    as in a dull light, a token is missed whose own middle fell between two of them.
    """
    found, hints = known
    more: list[Found] = []
    for look in looks:
        radius, here = look.group.radius_mm, [*found, *more]
        over = [one for one in here if one.group.radius_mm <= radius]
        larger = [one for one in (*here, *hints) if one.group.radius_mm > radius]
        rest = unexplained_places(ground, radius, here, s)
        hiding = discs_of(over)
        places = read_spots(look, _starts(look, rest, hiding, s, coarse=False), hiding, CLOSE)
        around = _Around(tuple(over), tuple(larger), rest)
        more += _of_group(view, ground, look, places, around, s)
    return more


def _look(view: View, ground: Ground, group: TokenGroup, s: StackSettings) -> Look:
    height = group.height_mm + s.rise_mm
    assert ground.board_mm is not None
    left, top, right, bottom = ground.board_mm
    m = group.radius_mm
    box = (left - m, top - m, right + m, bottom + m)
    flat = flatten(view, ground.solution, box, s.fine_px / group.radius_mm, height)
    image = to_tints(flat, ground.tints)
    soft = np.asarray(cv2.GaussianBlur(image, (0, 0), s.soft_px), np.float32)
    per_px = s.soft_px / 2 / s.fine_px
    blurred = [
        np.asarray(cv2.GaussianBlur(art, (0, 0), per_px * min(art.shape[:2])), np.uint8)
        for art in group.arts
    ]
    coarse = rings_of(blurred, COARSE, coloured=ground.coloured)
    fine = rings_of(group.arts, FINE, coloured=ground.coloured)
    lean = ground.shift_by_height(np.zeros(2), height)
    return Look(
        group, flat, image, soft, coarse, fine, lean, s.least_seen, s.hidden_score, ground.coloured
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Around:
    """What was found above tokens of a size, what larger ones may lie below, where to look."""

    above: tuple[Found, ...]
    larger: tuple[Found, ...]
    pool: Points


def _bare(look: Look, pool: Points, s: StackSettings) -> list[Place]:
    """Read the places of tokens of a size as if nothing lay on them."""
    none = np.zeros((0, 3))
    return read_spots(look, _starts(look, pool, none, s), none)


def _places(look: Look, around: _Around, bare: Sequence[Place], s: StackSettings) -> list[Place]:
    """Read the places of tokens of a size below others: far from those as they were, ``bare``."""
    pool, hiding = around.pool, discs_of(around.above)

    def below(points: Points) -> BoolArray:
        away = np.hypot(*np.moveaxis(points[:, None] - hiding[:, :2], -1, 0)) - hiding[:, 2]
        return np.asarray((away < look.group.radius_mm).any(axis=1), np.bool_)

    apart = [place for place in bare if not below(place.at[None])[0]]
    starts = _starts(look, pool[below(pool)], hiding, s)
    under = read_spots(look, _under(look, around.above, hiding, s), hiding, NEAR)
    return apart + read_spots(look, starts, hiding) + under


def _under(look: Look, above: Sequence[Found], hiding: Discs, s: StackSettings) -> Points:
    """Return the likest places (N, 2) mm under each token above: little shows there, but near."""
    reach = np.arange(-s.under_steps, s.under_steps + 1) * s.under_mm
    spots = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
    kept = [np.zeros((0, 2))]
    for one in above:
        trial = one.pose[:2] + spots
        best = likeness(look, trial, hiding)[0].max(axis=(1, 2))
        kept.append(trial[np.argsort(-best)[: s.under_kept]])
    return np.concatenate(kept)


def _hints(look: Look, places: Sequence[Place], s: StackSettings) -> list[Found]:
    """Return what tokens of a size may lie there, as if nothing lay on them."""
    any_ = dict.fromkeys(range(len(look.group.pieces)), None)
    chosen = [_chosen(look, place, any_, s) for place in places]
    return [one for one in chosen if one is not None]


def _of_group(
    view: View,
    ground: Ground,
    look: Look,
    places: list[Place],
    around: _Around,
    s: StackSettings,
) -> list[Found]:
    """Find the tokens of one size, at places that were read.

    What a larger face explains as well is its own print, and no token.
    """
    above, larger = around.above, around.larger
    left = {k: piece.copies for k, piece in enumerate(look.group.pieces)}
    for other in above:
        if other.group is look.group and (copies := left[other.face]) is not None:
            left[other.face] = copies - 1
    found: list[Found] = []
    while places and len(found) < s.most:
        places.sort(key=lambda place: place.worth(s))
        place = places.pop()
        if place.worth(s) < -s.rough:
            break
        one = _chosen(look, place, left, s)
        if one is None:
            continue
        hiding = discs_of([*above, *found])
        one = _exact(view, ground, one, hiding, left, s)
        if one is None or any(explains(hint, one, s) for hint in larger):
            continue
        found.append(one)
        if (copies := left[one.face]) is not None:
            left[one.face] = copies - 1
        places = _beside(look, places, around, found, s)
    return found


def _beside(
    look: Look,
    places: Sequence[Place],
    around: _Around,
    found: Sequence[Found],
    s: StackSettings,
) -> list[Place]:
    """Return the places that are left beside a token just found; what it hides is read again.

    One that it hides in part may have been no place so far: all round it is looked at.
    """
    radius, last = look.group.radius_mm, found[-1].pose[:2]
    kept, near = [], []
    for place in places:
        away = float(np.hypot(*(place.at - last)))
        if away > 2.1 * radius:
            kept.append(place)
        elif away > s.overlap * 2 * radius:
            near.append(place.at)
    hiding = discs_of([*around.above, *found])
    away = np.hypot(*(around.pool - last).T)
    ring = around.pool[(away > s.overlap * 2 * radius) & (away < 2 * radius)]
    best = likeness(look, ring, hiding)[0].max(axis=(1, 2))
    again = read_spots(look, ring[np.argsort(-best)[: s.beside_kept]], hiding, NEAR)
    again += read_spots(look, np.array(near).reshape(-1, 2), hiding)
    return kept + [p for p in again if np.hypot(*(p.at - last)) > s.overlap * 2 * radius]


def _pool(look: Look, ground: Ground, s: StackSettings) -> Points:
    """Return places (N, 2) mm that are read coarsely: all that hide the board."""
    pool = covered_places(ground, look.group.radius_mm, s)
    rows, columns = pixels(look.flat, pool).T
    return np.asarray(pool[look.flat.inside[rows, columns]], np.float64)


def _starts(
    look: Look, pool: Points, hiding: Discs, s: StackSettings, *, coarse: bool = True
) -> Points:
    """Return the likest places (N, 2) mm of a pool: those are read finely."""
    if not len(pool):
        return pool
    alike = likeness(look, pool, hiding, coarse=True)[0]
    if not coarse:
        pool = pool[np.argsort(-alike.max(axis=(1, 2)))[: s.most_again]]
        alike = likeness(look, pool, hiding)[0]
    best = alike.max(axis=(1, 2))
    kept: list[FloatArray] = []
    for k in np.argsort(-best):
        if best[k] < s.pool or len(kept) >= s.most_places:
            break
        if (
            not kept
            or np.hypot(*(np.array(kept) - pool[k]).T).min() > s.apart * look.group.radius_mm
        ):
            kept.append(pool[k])
    return np.array(kept).reshape(-1, 2)


def _chosen(
    look: Look, place: Place, left: Mapping[int, int | None], s: StackSettings
) -> Found | None:
    """Say which face lies at a place; None if none of which there is one left is like enough."""
    scores = place.alike.max(axis=1)
    for k in np.argsort(-scores).tolist():
        if scores[k] < s.score - s.rough:
            return None
        if left[k] != 0:
            break
    else:
        return None
    own = place.alike[k]
    turn = int(own.argmax()) * 2 * np.pi / len(own)
    sd = s.laid_sd_mm
    return Found(
        look,
        k,
        np.array([*place.at, wrap_angle(turn)]),
        scores,
        place.seen,
        turn_lead(own, look.fine, k, s),
        np.diag([sd**2, sd**2, (sd / look.group.radius_mm) ** 2]),
        np.zeros(len(scores)),
    )


def _exact(
    view: View,
    ground: Ground,
    one: Found,
    hiding: Discs,
    left: Mapping[int, int | None],
    s: StackSettings,
) -> Found | None:
    """Lay a token exactly, by what shows of it; None if it is not like enough there.

    Where it lies exactly another face, of which there is one left, may be the likelier one.
    """
    laid = _laid(view, ground, one, hiding, s)
    look, face = one.look, one.face
    if laid is None:
        needed = s.score + look.hidden_score * (1 - one.seen)
        return one if one.scores[face] >= needed else None
    if (likelier := _likelier(laid, left, s)) is not None:
        laid = _laid(view, ground, replace(laid, face=likelier), hiding, s) or laid
        face = laid.face
    alike, seen = likeness(look, laid.pose[None, :2], hiding)
    turns = alike.shape[2]
    turn = round(float(laid.pose[2]) * turns / (2 * np.pi))
    near = [(turn + k) % turns for k in (-1, 0, 1)]
    scores = alike[0].max(axis=1)
    scores[face] = alike[0, face, near].max()
    if scores[face] < s.score + look.hidden_score * (1 - float(seen[0])):
        return None
    lead = turn_lead(alike[0, face], look.fine, face, s)
    found = replace(laid, scores=scores, seen=float(seen[0]), turn_lead=lead)
    best = int(scores.argmax())
    return found if scores[best] < scores[face] + s.rough else None


def _likelier(one: Found, left: Mapping[int, int | None], s: StackSettings) -> int | None:
    """Return the face, of those left, that is surely likelier by the strokes that differ."""
    free = [k for k, copies in left.items() if copies != 0 and one.odds[k] > s.most_odds]
    return max(free, key=lambda k: one.odds[k], default=None)


def _laid(view: View, ground: Ground, one: Found, hiding: Discs, s: StackSettings) -> Found | None:
    """Lay a face over the photo; None if it slides away or nothing of it tells where."""
    radius, height = one.group.radius_mm, one.group.height_mm + s.rise_mm
    scale = px_per_mm_at(ground.solution, one.pose[:2], height)
    scale = float(np.clip(scale, s.fine_px / radius / 2, s.finest_px / radius))
    box = round_box(one.pose[None, :2], 1.4 * radius)
    flat = flatten(view, ground.solution, box, scale, height)
    image = to_tints(flat, ground.tints)
    laid: Laid | None = lay_face(
        flat, image, one.group.arts[one.face], radius, one.pose, hiding=hiding
    )
    if laid is None or laid.covariance[0, 0] > s.laid_sd_mm**2:
        return None
    if np.hypot(*(laid.pose - one.pose)[:2]) > 0.2 * radius:
        return None
    odds = np.zeros(len(one.scores))
    order = [one.face]
    near = one.scores > one.scores[one.face] - s.rival
    order += [int(k) for k in np.flatnonzero(near) if k != one.face]
    faces = [one.group.arts[k] for k in order]
    odds[order] = tell_apart(flat, image, faces, radius, laid.pose, hiding)
    return replace(one, pose=laid.pose, covariance=laid.covariance, odds=odds)
