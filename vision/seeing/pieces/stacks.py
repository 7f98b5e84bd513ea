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
from numpy.typing import NDArray

from vision.geometry import rotation, wrap_angle
from vision.imaging.view import View
from vision.seeing.pieces.flat import Flat, flatten, px_per_mm_at, round_box
from vision.seeing.pieces.ground import Ground
from vision.seeing.pieces.laying import Discs, Laid, lay_face
from vision.seeing.pieces.seen_rounds import COARSE, FINE, Rings, compare_seen, read_rings, rings_of
from vision.seeing.pieces.stack_placing import place_token
from vision.seeing.pieces.stack_values import Found, Look, StackSettings
from vision.seeing.pieces.tints import to_tints
from vision.seeing.pieces.token_places import TokenGroup, group_tokens
from vision.seeing.pieces.tokens import Token
from vision.values.arrays import FloatArray, ImageBGR, Points
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
        looks[0] = replace(looks[0], least_seen=s.least_alone)
    hints = [hint for look in looks[1:] for hint in _hints(look, ground, s)]
    found: list[Found] = []
    for look in looks:
        larger = [hint for hint in hints if hint.look.group.radius_mm > look.group.radius_mm]
        found += _of_group(view, ground, look, found, larger, s)
    return tuple(place_token(ground, one, found, k, s) for k, one in enumerate(found, start=1))


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
    return Look(group, flat, image, soft, coarse, fine, lean, s.least_seen, ground.coloured)


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A place that was read: (x, y) mm, likeness to each face at each turn (K, T), what shows."""

    at: Points
    alike: FloatArray
    seen: float

    def worth(self, s: StackSettings) -> float:
        """By how much the likest face passes what one must reach; it is laid exactly later."""
        return float(self.alike.max()) - s.score


def _hints(look: Look, ground: Ground, s: StackSettings) -> list[Found]:
    """Return what tokens of a size may lie there, as if nothing lay on them."""
    none = np.zeros((0, 3))
    places = _read(look, _starts(look, ground, (), s), none, s)
    any_ = dict.fromkeys(range(len(look.group.pieces)), None)
    chosen = [_chosen(look, place, any_, s) for place in places]
    return [one for one in chosen if one is not None]


def _of_group(
    view: View,
    ground: Ground,
    look: Look,
    above: Sequence[Found],
    larger: Sequence[Found],
    s: StackSettings,
) -> list[Found]:
    """Find the tokens of one size, below those that were found already.

    What a ``larger`` face explains as well is its own print, and no token.
    """
    left = {k: piece.copies for k, piece in enumerate(look.group.pieces)}
    places = _read(look, _starts(look, ground, above, s), _discs(above), s)
    found: list[Found] = []
    while places and len(found) < s.most:
        places.sort(key=lambda place: place.worth(s))
        place = places.pop()
        if place.worth(s) < -s.rough:
            break
        one = _chosen(look, place, left, s)
        if one is None:
            continue
        hiding = _discs([*above, *found])
        one = _exact(view, ground, look, one, hiding, s)
        if one is None or any(_explains(hint, one, s) for hint in larger):
            continue
        found.append(one)
        if (copies := left[one.face]) is not None:
            left[one.face] = copies - 1
        places = _beside(look, places, above, found, s)
    return found


def _beside(
    look: Look,
    places: Sequence[_Place],
    above: Sequence[Found],
    found: Sequence[Found],
    s: StackSettings,
) -> list[_Place]:
    """Return the places that are left beside a token just found; what it hides is read again."""
    radius = look.group.radius_mm
    kept, near = [], []
    for place in places:
        away = float(np.hypot(*(place.at - found[-1].pose[:2])))
        if away > 2.1 * radius:
            kept.append(place)
        elif away > s.overlap * 2 * radius:
            near.append(place.at)
    hiding = _discs([*above, *found])
    again = _read(look, np.array(near).reshape(-1, 2), hiding, s)
    last = found[-1].pose[:2]
    return kept + [p for p in again if np.hypot(*(p.at - last)) > s.overlap * 2 * radius]


def _starts(look: Look, ground: Ground, above: Sequence[Found], s: StackSettings) -> Points:
    """Return places (N, 2) mm that are read finely: the likest of all that hide the board."""
    pool = _covered_places(ground, look.group.radius_mm, s)
    rows, columns = _pixels(look.flat, pool).T
    pool = np.asarray(pool[look.flat.inside[rows, columns]], np.float64)
    if not len(pool):
        return pool
    alike, _ = _likeness(look, pool, _discs(above), s, coarse=True)
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


def _read(look: Look, starts: Points, hiding: Discs, s: StackSettings) -> list[_Place]:
    """Read discs round places (N, 2) mm, each where it is likest to any face."""
    if not len(starts):
        return []
    at = starts
    for share, coarse in ((0.3, True), (0.15, True), (0.1, False)):
        reach = np.array([-1.0, 0.0, 1.0]) * share * look.group.radius_mm
        spots = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
        trial = (at[:, None] + spots).reshape(-1, 2)
        alike, seen = _likeness(look, trial, hiding, s, coarse=coarse)
        best = alike.max(axis=(1, 2)).reshape(len(at), -1).argmax(axis=1)
        chosen = np.arange(len(at)) * len(spots) + best
        at, alike, seen = trial[chosen], alike[chosen], seen[chosen]
    return [_Place(*one) for one in zip(at, alike, seen.tolist(), strict=True)]


def _chosen(
    look: Look, place: _Place, left: Mapping[int, int | None], s: StackSettings
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
        _turn_lead(own, look.fine, k, s),
        np.diag([sd**2, sd**2, (sd / look.group.radius_mm) ** 2]),
    )


def _pixels(flat: Flat, points: Points) -> NDArray[np.int64]:
    """Return the pixels (row, column) of points within a flat picture."""
    at = np.rint(flat.to_px(points)).astype(np.int64)[:, ::-1]
    return np.clip(at, 0, np.array(flat.image.shape[:2]) - 1)


def _covered_places(ground: Ground, radius_mm: float, s: StackSettings) -> Points:
    """Return places (N, 2) mm, a grid over all that does not show the board's print."""
    assert ground.covered is not None
    assert ground.board_mm is not None
    cover = ground.covered
    reach = 2 * int(np.ceil(s.margin_mm * cover.px_per_mm)) + 1
    mask = cv2.morphologyEx(cover.image[..., 0], cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (reach, reach))
    mask = cv2.dilate(mask, disc)
    left, top, right, bottom = ground.board_mm
    step = s.step * radius_mm
    grid = np.meshgrid(np.arange(left, right, step), np.arange(top, bottom, step))
    points = np.stack(grid, axis=-1).reshape(-1, 2)
    rows, columns = _pixels(cover, points).T
    return np.asarray(points[mask[rows, columns] > 127], np.float64)


def _discs(found: Sequence[Found]) -> Discs:
    """Return what tokens hide: (N, 3), middle and radius, mm."""
    discs: Discs = np.concatenate([np.zeros((0, 3)), *(one.discs() for one in found)])
    return discs


def _likeness(
    look: Look, points: Points, hiding: Discs, s: StackSettings, *, coarse: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return how like discs at places are to each face at each turn (N, K, T), and what shows."""
    faces = look.coarse if coarse else look.fine
    px, radius_px = look.flat.to_px(points), look.group.radius_mm * look.flat.px_per_mm
    image = look.soft if coarse else look.image
    rings = read_rings(image, px, radius_px, faces.settings, coloured=look.coloured)
    over = hiding.copy()
    over[:, :2] = look.flat.to_px(hiding[:, :2])
    over[:, 2] *= look.flat.px_per_mm
    alike, seen = compare_seen(rings, faces, px, radius_px, over)
    alike[seen < look.least_seen] = -1.0
    return alike, seen


def _turn_lead(own: FloatArray, faces: Rings, face: int, s: StackSettings) -> float:
    """Return by how much the best turn leads over far ones, as a share of what the art does."""
    turns = len(own)
    one = Rings(faces.values[face : face + 1], faces.settings)
    itself = compare_seen(one, one, np.zeros((1, 2)), 1.0, np.zeros((0, 3)))[0][0, 0]
    best = int(own.argmax())
    away = (np.arange(turns) - best) % turns
    far = np.minimum(away, turns - away) * 2 * np.pi / turns > s.turn_apart
    rivals = far & (itself[away] <= s.own_symmetry)
    if not rivals.any():
        return float("inf")
    lead = float(own[best] - own[rivals].max())
    return lead / max(1 - float(itself[away][rivals].max()), 1 - s.own_symmetry)


def _exact(
    view: View, ground: Ground, look: Look, one: Found, hiding: Discs, s: StackSettings
) -> Found | None:
    """Lay a token exactly, by what shows of it; None if it is not like enough there."""
    laid = _laid(view, ground, one, hiding, s)
    if laid is None:
        needed = s.score + s.hidden_score * (1 - one.seen)
        return one if one.scores[one.face] >= needed else None
    alike, seen = _likeness(look, laid.pose[None, :2], hiding, s)
    turns = alike.shape[2]
    turn = round(float(laid.pose[2]) * turns / (2 * np.pi))
    near = [(turn + k) % turns for k in (-1, 0, 1)]
    scores = alike[0].max(axis=1)
    scores[one.face] = alike[0, one.face, near].max()
    if scores[one.face] < s.score + s.hidden_score * (1 - float(seen[0])):
        return None
    lead = _turn_lead(alike[0, one.face], look.fine, one.face, s)
    found = replace(laid, scores=scores, seen=float(seen[0]), turn_lead=lead)
    best = int(scores.argmax())
    return found if scores[best] < scores[one.face] + s.rough else None


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
    return replace(one, pose=laid.pose, covariance=laid.covariance)


def _explains(below: Found, one: Found, s: StackSettings) -> bool:
    """Tell whether a larger face explains what shows where a smaller token was read."""
    if np.hypot(*(one.pose - below.pose)[:2]) > below.group.radius_mm:
        return False
    return _likeness_of(below, one) > float(one.scores[one.face]) - s.rough


def _likeness_of(below: Found, one: Found) -> float:
    """Return how like the print of a larger face is to what shows within a smaller disc."""
    art, radius = below.group.arts[below.face], below.group.radius_mm
    scale = min(art.shape[:2]) / 2 / radius
    ring = np.linspace(0.0, 0.9, 8)[1:, None] * one.group.radius_mm
    angle = np.arange(0, 2 * np.pi, np.pi / 16)
    disc = np.stack([ring * np.cos(angle), ring * np.sin(angle)], axis=-1).reshape(-1, 2)
    points = disc + one.pose[:2]
    own = (points - below.pose[:2]) @ rotation(float(below.pose[2]))
    inside = np.hypot(*own.T) < 0.97 * radius
    if inside.mean() < 0.5:
        return -1.0
    px = (own[inside] * scale + (np.array(art.shape[1::-1]) - 1) / 2).astype(np.float32)
    soft = cv2.GaussianBlur(art, (0, 0), 0.4 * scale)
    wanted = cv2.remap(soft, px[:, :1], px[:, 1:], cv2.INTER_LINEAR)[:, 0]
    at = one.look.flat.to_px(points[inside]).astype(np.float32)
    seen = cv2.remap(one.look.image, at[:, :1], at[:, 1:], cv2.INTER_LINEAR)[:, 0]
    first, second = (np.asarray(v, np.float64).mean(axis=1) for v in (wanted, seen))
    first, second = first - first.mean(), second - second.mean()
    return float(first @ second / (np.linalg.norm(first) * np.linalg.norm(second) + 1e-6))
