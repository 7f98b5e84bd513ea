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
from vision.seeing.pieces.board_scene import BoardScene
from vision.seeing.pieces.disc_registration import (
    Discs,
    RegisteredFace,
    compare_differences,
    register_face,
)
from vision.seeing.pieces.overlapping_checks import drop_phantoms, explains
from vision.seeing.pieces.overlapping_places import covered_places, pixels, unexplained_places
from vision.seeing.pieces.overlapping_scores import (
    CLOSE_STEPS,
    NEAR_STEPS,
    OverlappingSettings,
    OverlappingToken,
    PlaceScores,
    TokenSearch,
    disc_scores,
    discs_of,
    score_places,
    turn_lead,
)
from vision.seeing.pieces.photometric_fit import to_art_colours
from vision.seeing.pieces.rectify import bounding_box, px_per_mm_at, rectify
from vision.seeing.pieces.ring_correlation import COARSE_RINGS, FINE_RINGS, rings_of
from vision.seeing.pieces.token_proposals import TokenGroup, group_tokens
from vision.seeing.pieces.tokens import FoundToken, spread_and_edge
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, Points
from vision.values.layout import Other, Placed
from vision.values.pieces import Piece

__all__ = ["OverlappingSettings", "find_overlapping_tokens"]


def find_overlapping_tokens(
    view: View,
    scene: BoardScene,
    pieces: Sequence[Piece],
    art: Mapping[str, ImageBGR],
    settings: OverlappingSettings | None = None,
) -> tuple[FoundToken, ...]:
    """Find the tokens on a board, those below others among them.

    Parameters
    ----------
    view : View
        The photo.
    scene : BoardScene
        With a board.
    pieces : sequence of Piece
        Tokens.
    art : mapping
        Of each piece's id to its face, upright, cut to its edge.

    Returns
    -------
    tuple of FoundToken
        The smallest first. ``visible`` of a placed one is the share of its face that shows.
    """
    s = settings or OverlappingSettings()
    searches = [
        _prepare_search(view, scene, group, s)
        for group in sorted(group_tokens(pieces, art, scene), key=lambda g: g.radius_mm)
    ]
    if len(searches) > 1:
        searches[0] = replace(searches[0], least_seen=s.least_alone, hidden_score=s.hidden_alone)
    pools = [_pool(search, scene, s) for search in searches]
    bare = [_score_uncovered(search, pool, s) for search, pool in zip(searches, pools, strict=True)]
    hints = [
        hint
        for search, some in zip(searches[1:], bare[1:], strict=True)
        for hint in _possible_faces(search, some, s)
    ]
    found: list[OverlappingToken] = []
    for search, pool, some in zip(searches, pools, bare, strict=True):
        larger = [hint for hint in hints if hint.search.group.radius_mm > search.group.radius_mm]
        around = _Surroundings(tuple(found), tuple(larger), pool)
        places = _score_places(search, around, some, s)
        found += _find_group(view, scene, search, places, around, s)
    found += _search_again(view, scene, searches, (found, hints), s)
    found = drop_phantoms(found, s)
    return tuple(place_token(scene, one, found, k, s) for k, one in enumerate(found, start=1))


def _search_again(
    view: View,
    scene: BoardScene,
    searches: Sequence[TokenSearch],
    known: tuple[Sequence[OverlappingToken], Sequence[OverlappingToken]],
    s: OverlappingSettings,
) -> list[OverlappingToken]:
    """Look once more, finely, where the board is hidden by nothing that was found.

    The first look goes by the likest places of a whole board. Where much is like some face in part,
    as in a dull light, a token is missed whose own middle fell between two of them.
    """
    found, hints = known
    more: list[OverlappingToken] = []
    for search in searches:
        radius, here = search.group.radius_mm, [*found, *more]
        over = [one for one in here if one.group.radius_mm <= radius]
        larger = [one for one in (*here, *hints) if one.group.radius_mm > radius]
        rest = unexplained_places(scene, radius, here, s)
        hiding = discs_of(over)
        places = score_places(
            search, _best_starts(search, rest, hiding, s, coarse=False), hiding, CLOSE_STEPS
        )
        around = _Surroundings(tuple(over), tuple(larger), rest)
        more += _find_group(view, scene, search, places, around, s)
    return more


def _prepare_search(
    view: View, scene: BoardScene, group: TokenGroup, s: OverlappingSettings
) -> TokenSearch:
    height = group.height_mm + s.rise_mm
    assert scene.board_mm is not None
    left, top, right, bottom = scene.board_mm
    m = group.radius_mm
    box = (left - m, top - m, right + m, bottom + m)
    rectified = rectify(view, scene.solution, box, s.fine_px / group.radius_mm, height)
    image = to_art_colours(rectified, scene.photometry)
    soft = np.asarray(cv2.GaussianBlur(image, (0, 0), s.soft_px), np.float32)
    per_px = s.soft_px / 2 / s.fine_px
    blurred = [
        np.asarray(cv2.GaussianBlur(art, (0, 0), per_px * min(art.shape[:2])), np.uint8)
        for art in group.arts
    ]
    coarse = rings_of(blurred, COARSE_RINGS, coloured=scene.coloured)
    fine = rings_of(group.arts, FINE_RINGS, coloured=scene.coloured)
    lean = scene.shift_by_height(np.zeros(2), height)
    return TokenSearch(
        group,
        rectified,
        image,
        soft,
        coarse,
        fine,
        lean,
        s.least_seen,
        s.hidden_score,
        scene.coloured,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Surroundings:
    """What was found above tokens of a size, what larger ones may lie below, where to look."""

    above: tuple[OverlappingToken, ...]
    larger: tuple[OverlappingToken, ...]
    pool: Points


def _score_uncovered(
    search: TokenSearch, pool: Points, s: OverlappingSettings
) -> list[PlaceScores]:
    """Read the places of tokens of a size as if nothing lay on them."""
    none = np.zeros((0, 3))
    return score_places(search, _best_starts(search, pool, none, s), none)


def _score_places(
    search: TokenSearch, around: _Surroundings, bare: Sequence[PlaceScores], s: OverlappingSettings
) -> list[PlaceScores]:
    """Read the places of tokens of a size below others: far from those as they were, ``bare``."""
    pool, hiding = around.pool, discs_of(around.above)

    def below(points: Points) -> BoolArray:
        away = np.hypot(*np.moveaxis(points[:, None] - hiding[:, :2], -1, 0)) - hiding[:, 2]
        return np.asarray((away < search.group.radius_mm).any(axis=1), np.bool_)

    apart = [place for place in bare if not below(place.at[None])[0]]
    starts = _best_starts(search, pool[below(pool)], hiding, s)
    under = score_places(
        search, _places_beneath(search, around.above, hiding, s), hiding, NEAR_STEPS
    )
    return apart + score_places(search, starts, hiding) + under


def _places_beneath(
    search: TokenSearch, above: Sequence[OverlappingToken], hiding: Discs, s: OverlappingSettings
) -> Points:
    """Return the likest places (N, 2) mm under each token above: little shows there, but near."""
    reach = np.arange(-s.under_steps, s.under_steps + 1) * s.under_mm
    spots = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
    kept = [np.zeros((0, 2))]
    for one in above:
        trial = one.pose[:2] + spots
        best = disc_scores(search, trial, hiding)[0].max(axis=(1, 2))
        kept.append(trial[np.argsort(-best)[: s.under_kept]])
    return np.concatenate(kept)


def _possible_faces(
    search: TokenSearch, places: Sequence[PlaceScores], s: OverlappingSettings
) -> list[OverlappingToken]:
    """Return what tokens of a size may lie there, as if nothing lay on them."""
    any_ = dict.fromkeys(range(len(search.group.pieces)), None)
    chosen = [_choose_face(search, place, any_, s) for place in places]
    return [one for one in chosen if one is not None]


def _find_group(
    view: View,
    scene: BoardScene,
    search: TokenSearch,
    places: list[PlaceScores],
    around: _Surroundings,
    s: OverlappingSettings,
) -> list[OverlappingToken]:
    """Find the tokens of one size, at places that were read.

    What a larger face explains as well is its own print, and no token.
    """
    above, larger = around.above, around.larger
    left = {k: piece.copies for k, piece in enumerate(search.group.pieces)}
    for other in above:
        if other.group is search.group and (copies := left[other.face]) is not None:
            left[other.face] = copies - 1
    found: list[OverlappingToken] = []
    while places and len(found) < s.most:
        places.sort(key=lambda place: place.rank_score(s))
        place = places.pop()
        if place.rank_score(s) < -s.rough:
            break
        one = _choose_face(search, place, left, s)
        if one is None:
            continue
        hiding = discs_of([*above, *found])
        one = _register_token(view, scene, one, hiding, left, s)
        if one is None or any(explains(hint, one, s) for hint in larger):
            continue
        found.append(one)
        if (copies := left[one.face]) is not None:
            left[one.face] = copies - 1
        places = _rescore_beside(search, places, around, found, s)
    return found


def _rescore_beside(
    search: TokenSearch,
    places: Sequence[PlaceScores],
    around: _Surroundings,
    found: Sequence[OverlappingToken],
    s: OverlappingSettings,
) -> list[PlaceScores]:
    """Return the places that are left beside a token just found; what it hides is read again.

    One that it hides in part may have been no place so far: all round it is looked at.
    """
    radius, last = search.group.radius_mm, found[-1].pose[:2]
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
    best = disc_scores(search, ring, hiding)[0].max(axis=(1, 2))
    again = score_places(search, ring[np.argsort(-best)[: s.beside_kept]], hiding, NEAR_STEPS)
    again += score_places(search, np.array(near).reshape(-1, 2), hiding)
    return kept + [p for p in again if np.hypot(*(p.at - last)) > s.overlap * 2 * radius]


def _pool(search: TokenSearch, scene: BoardScene, s: OverlappingSettings) -> Points:
    """Return places (N, 2) mm that are read coarsely: all that hide the board."""
    pool = covered_places(scene, search.group.radius_mm, s)
    rows, columns = pixels(search.rectified, pool).T
    return np.asarray(pool[search.rectified.inside[rows, columns]], np.float64)


def _best_starts(
    search: TokenSearch, pool: Points, hiding: Discs, s: OverlappingSettings, *, coarse: bool = True
) -> Points:
    """Return the likest places (N, 2) mm of a pool: those are read finely."""
    if not len(pool):
        return pool
    similarity = disc_scores(search, pool, hiding, coarse=True)[0]
    if not coarse:
        pool = pool[np.argsort(-similarity.max(axis=(1, 2)))[: s.most_again]]
        similarity = disc_scores(search, pool, hiding)[0]
    best = similarity.max(axis=(1, 2))
    kept: list[FloatArray] = []
    for k in np.argsort(-best):
        if best[k] < s.pool or len(kept) >= s.most_places:
            break
        if (
            not kept
            or np.hypot(*(np.array(kept) - pool[k]).T).min() > s.apart * search.group.radius_mm
        ):
            kept.append(pool[k])
    return np.array(kept).reshape(-1, 2)


def _choose_face(
    search: TokenSearch, place: PlaceScores, left: Mapping[int, int | None], s: OverlappingSettings
) -> OverlappingToken | None:
    """Say which face lies at a place; None if none of which there is one left is like enough."""
    scores = place.similarity.max(axis=1)
    for k in np.argsort(-scores).tolist():
        if scores[k] < s.score - s.rough:
            return None
        if left[k] != 0:
            break
    else:
        return None
    own = place.similarity[k]
    turn = int(own.argmax()) * 2 * np.pi / len(own)
    sd = s.registered_sd_mm
    return OverlappingToken(
        search,
        k,
        np.array([*place.at, wrap_angle(turn)]),
        scores,
        place.seen,
        turn_lead(own, search.fine, k, s),
        np.diag([sd**2, sd**2, (sd / search.group.radius_mm) ** 2]),
        np.zeros(len(scores)),
    )


def _register_token(
    view: View,
    scene: BoardScene,
    one: OverlappingToken,
    hiding: Discs,
    left: Mapping[int, int | None],
    s: OverlappingSettings,
) -> OverlappingToken | None:
    """Lay a token exactly, by what shows of it; None if it is not like enough there.

    Where it lies exactly another face, of which there is one left, may be the likelier one.
    """
    registered = _register_on_photo(view, scene, one, hiding, s)
    search, face = one.search, one.face
    if registered is None:
        needed = s.score + search.hidden_score * (1 - one.seen)
        return one if one.scores[face] >= needed else None
    if (likelier := _likelier_face(registered, left, s)) is not None:
        registered = (
            _register_on_photo(view, scene, replace(registered, face=likelier), hiding, s)
            or registered
        )
        face = registered.face
    similarity, seen = disc_scores(search, registered.pose[None, :2], hiding)
    turns = similarity.shape[2]
    turn = round(float(registered.pose[2]) * turns / (2 * np.pi))
    near = [(turn + k) % turns for k in (-1, 0, 1)]
    scores = similarity[0].max(axis=1)
    scores[face] = similarity[0, face, near].max()
    if scores[face] < s.score + search.hidden_score * (1 - float(seen[0])):
        return None
    lead = turn_lead(similarity[0, face], search.fine, face, s)
    found = replace(registered, scores=scores, seen=float(seen[0]), turn_lead=lead)
    best = int(scores.argmax())
    return found if scores[best] < scores[face] + s.rough else None


def _likelier_face(
    one: OverlappingToken, left: Mapping[int, int | None], s: OverlappingSettings
) -> int | None:
    """Return the face, of those left, that is surely likelier by the strokes that differ."""
    free = [k for k, copies in left.items() if copies != 0 and one.odds[k] > s.most_odds]
    return max(free, key=lambda k: one.odds[k], default=None)


def _register_on_photo(
    view: View, scene: BoardScene, one: OverlappingToken, hiding: Discs, s: OverlappingSettings
) -> OverlappingToken | None:
    """Lay a face over the photo; None if it slides away or nothing of it tells where."""
    radius, height = one.group.radius_mm, one.group.height_mm + s.rise_mm
    scale = px_per_mm_at(scene.solution, one.pose[:2], height)
    scale = float(np.clip(scale, s.fine_px / radius / 2, s.finest_px / radius))
    box = bounding_box(one.pose[None, :2], 1.4 * radius)
    rectified = rectify(view, scene.solution, box, scale, height)
    image = to_art_colours(rectified, scene.photometry)
    registered: RegisteredFace | None = register_face(
        rectified, image, one.group.arts[one.face], radius, one.pose, hiding=hiding
    )
    if registered is None or registered.covariance[0, 0] > s.registered_sd_mm**2:
        return None
    if np.hypot(*(registered.pose - one.pose)[:2]) > 0.2 * radius:
        return None
    odds = np.zeros(len(one.scores))
    order = [one.face]
    near = one.scores > one.scores[one.face] - s.rival
    order += [int(k) for k in np.flatnonzero(near) if k != one.face]
    faces = [one.group.arts[k] for k in order]
    odds[order] = compare_differences(rectified, image, faces, radius, registered.pose, hiding)
    return replace(one, pose=registered.pose, covariance=registered.covariance, odds=odds)


def place_token(
    scene: BoardScene,
    one: OverlappingToken,
    found: Sequence[OverlappingToken],
    number: int,
    s: OverlappingSettings,
) -> FoundToken:
    """Say what a token is, where it lies on what was found below it, and what else it may be."""
    return _report(scene, one, _resting_height(scene, one, found, s), number, s)


def _resting_height(
    scene: BoardScene,
    one: OverlappingToken,
    found: Sequence[OverlappingToken],
    s: OverlappingSettings,
) -> tuple[float, FloatArray]:
    """Return how high a token lies, by what lies below its middle, and where it lies then."""
    base = 0.0
    for other in found:
        if other.group.radius_mm > one.group.radius_mm:
            off = np.hypot(*(other.pose - one.pose)[:2])
            base += other.group.height_mm if off < other.group.radius_mm else 0.0
    lean = scene.shift_by_height(one.pose[:2], one.group.height_mm + s.rise_mm)
    pose = one.pose.copy()
    pose[:2] -= (base - s.rise_mm) * lean
    return base, pose


def _report(
    scene: BoardScene,
    one: OverlappingToken,
    based: tuple[float, FloatArray],
    number: int,
    s: OverlappingSettings,
) -> FoundToken:
    """Say what a token is, where, and what else it may be."""
    base, pose = based
    group, height = one.group, base + one.group.height_mm
    registered = RegisteredFace(pose, one.covariance, one.seen)
    high_sd = s.height_sd * height
    covariance, outline = spread_and_edge(scene, registered, group.radius_mm, height, high_sd)
    shows = np.sqrt(one.seen)  # the noise of a likeness grows with its root as less shows
    likely = s.sharpness * shows * (one.scores - one.scores[one.face])
    weights = np.exp(likely + np.clip(one.odds, -s.most_odds, s.most_odds))
    weights /= weights.sum()
    piece = group.pieces[one.face]
    order = [int(k) for k in np.argsort(-one.scores) if k != one.face]
    placed = Placed(
        f"token-{number}",
        piece.id,
        float(pose[0]),
        float(pose[1]),
        wrap_angle(float(pose[2])),
        covariance,
        outline,
        score=float(one.scores[one.face]),
        confidence=float(weights[one.face]),
        others=tuple(
            Other(group.pieces[k].id, float(one.scores[k]), float(weights[k]))
            for k in order
            if weights[k] > s.least_chance
        ),
        kind="token",
        visible=one.seen,
    )
    rival = max((float(one.scores[k]) for k in order), default=-1.0)
    lead = float(one.scores[one.face]) - rival
    return FoundToken(placed, one.turn_lead, lead, group.radius_mm)
