"""Detects and reads discs, tokens that may lie on one another, on a board and beside it.

Tokens of different sizes lie on one another, the smaller above; those of one size may overlap. The
smallest are read first, at every place that is not the board's print, and at discs beside it. A
place is scored against every face of a size at every rotation, by its visible part. A detected
token covers what is below it. A smaller one is rejected if the print of a larger face explains it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_from_table, circle, table_from_card, wrap_angle
from vision.imaging.masks import grown, mean_in_disc
from vision.imaging.view import sample
from vision.seeing.estimation.rectify import (
    Box,
    Rectified,
    bounding_box,
    map_plane,
    px_per_mm_at,
)
from vision.seeing.pieces.board_scene import (
    SURE,
    BoardScene,
    Found,
    doubt_about,
    keep_apart,
    others_of,
    placed_at,
    softmax,
)
from vision.seeing.pieces.disc_matching import (
    COARSE_RINGS,
    FINE_RINGS,
    DiscFaces,
    Discs,
    Rings,
    compare_differences,
    masked_ring_correlation,
    register_face,
    rings_of,
    sample_rings,
    to_ring_image,
)
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, Points
from vision.values.pieces import Piece

__all__ = ["SCORE", "find_discs", "group_tokens", "read_discs"]

# Detection of tokens.
_FINE_PX = 18.0  # of a token's radius in the rectified image: strokes of its print are visible
_SOFT_PX = 1.5  # blur of the image in that search (1 sd)
_RISE_MM = 1.0  # assumed mean base height of a token: what it lies on is determined later
_HIDDEN_SCORE = 0.15  # added to the least score in proportion to the hidden share: rims are alike
_BESIDE_KEPT = 2  # best places beside and below a token for the fine search
_APART = 0.22  # least distance between places, of the radius: what a search round one reaches
# of the grid of places, of the radius: the search round each reaches farther, but where the place
# was seen otherwise, from which it takes this as its first step
_STEP = 0.15
_COVERED = 0.5  # least share of a token's disc that covers the board, with that margin
_WALL_MM = 4.0  # margin round a known token: wall, shadow, corners of a hexagon
_MARGIN_MM = 3.0  # margin round what covers the board, whose tones a dark token's rim may share
_OVERLAP = 0.35  # least distance of the centres of two of one size, of the diameter
_HEIGHT_SD = 0.3  # error of a token's height (1 sd), of it: card, wood and glue differ
_REGISTERED_SD_MM = 0.5  # position error of a token that was not registered, from its rings alone
_BESIDE = 3.0  # margin of a board, of the radius, in which tokens beside it are found
_CIRCLE = 12  # least votes of the rim of a disc beside a board
_MOST = 100  # most tokens of one size on a board, and places of the fine search
_FINEST_PX = 60.0  # largest radius in the image: a finer one adds no accuracy
_MOST_ODDS = 12.0  # largest log odds by differing strokes: hidden strokes carry no information
# lead of a heading over distant ones, relative to the art's, below which it is doubtful
_TURN_LEAD = 0.4
_SHARPNESS = 30.0  # slope of the log odds by score: 0.15 of correlation are one in a hundred

# Scores of discs.
SCORE = 0.72  # least score of a fully visible token; other print reaches 0.69
_ROUGH = 0.12  # deficit of a score that is allowed before registration
_LEAST_SEEN = 0.3  # least visible share of a face
_AT_ONCE = 128  # discs that are compared in one go: their samples fit into the cache
# search steps round places of the coarse grid, of the radius: together they reach farther than
# the grid is wide, so that it does not matter where it starts
_STEPS = (0.1, 0.05)
_TURN_APART = 0.4  # rad; headings nearer than this are the same
_OWN_SYMMETRY = 0.97  # autocorrelation above which a rotated face looks the same


@dataclass(frozen=True, slots=True, eq=False)
class TokenGroup:
    """Pieces of one size and height, and their faces."""

    pieces: tuple[Piece, ...]
    arts: tuple[ImageBGR, ...]
    radius_mm: float
    height_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class TokenSearch:
    """A group of faces and the images for its coarse and fine search.

    ``faces`` are its faces at the photo's scale, for registration; ``lean`` (2,) is
    :meth:`BoardScene.shift_by_height` at the centre, mm per mm of height.
    """

    group: TokenGroup
    faces: DiscFaces
    rectified: Rectified
    image: NDArray[np.float32]
    tones: NDArray[np.float32]
    soft: NDArray[np.float32]
    coarse: Rings
    fine: Rings
    lean: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class OverlappingToken:
    """A read token: pose (x mm, y mm, rad) at its height, score of each face, visible share.

    ``turn_lead`` is the score lead of its heading over distant ones, relative to that of the art
    itself; inf if the art looks the same at every rotation. ``odds`` (K,) are the log odds
    (natural) of each face against this one by the strokes in which the two differ; 0 where they
    were not compared.
    """

    search: TokenSearch
    face: int
    pose: FloatArray
    scores: FloatArray
    seen: float
    turn_lead: float
    covariance: FloatArray
    odds: FloatArray

    @property
    def group(self) -> TokenGroup:
        """The group of faces to which it belongs."""
        return self.search.group

    def discs(self) -> Discs:
        """Return the discs that it covers: its face, and its foot, both at the height of faces."""
        foot = self.pose[:2] + self.group.height_mm * self.search.lean
        radius = self.group.radius_mm
        return np.array([[*self.pose[:2], radius], [*foot, radius]])

    def hull_mm(self, scene: BoardScene) -> Points:
        """Return the area (N, 2) of the board's plane that it covers."""
        edge = self.pose[:2] + circle(self.group.radius_mm)
        return scene.hull_of(edge, self.group.height_mm)


@dataclass(frozen=True, slots=True, eq=False)
class PlaceScores:
    """A scored place: (x, y) mm, score of each face at each rotation (K, T), visible share.

    ``known`` is the number of tokens of its size that were known then.
    """

    at: Points
    similarity: FloatArray
    seen: float
    known: int = 0

    def rank_score(self) -> float:
        """Margin of the best score over the threshold for registration."""
        return float(self.similarity.max()) - SCORE


def find_discs(scene: BoardScene) -> list[Found]:
    """Detect the tokens on a board or sheet, the smallest first, including those below others.

    ``visible`` of a placed one is the visible share of it.
    """
    found: list[OverlappingToken] = []
    tokens = [piece for piece in scene.looks.pieces.of_kind("token") if not piece.on]
    for group in sorted(group_tokens(tokens, scene.looks.art), key=lambda g: g.radius_mm):
        board = np.array(scene.board_mm).reshape(2, 2)  # and a margin for tokens beside it
        box = bounding_box(board, _BESIDE * group.radius_mm)
        search = _prepare_search(scene, group, box, group.height_mm + _RISE_MM)
        found += _find_group(scene, search, found)
    found = drop_phantoms(found)
    return [
        _report(scene, one, _resting_height(scene, one, found), k)
        for k, one in enumerate(found, start=1)
    ]


def _prepare_search(
    scene: BoardScene, group: TokenGroup, box_mm: Box, height_mm: float
) -> TokenSearch:
    rectified, image = scene.in_art_colours(box_mm, _FINE_PX / group.radius_mm, height_mm)
    soft = np.asarray(cv2.GaussianBlur(image, (0, 0), _SOFT_PX), np.float32)
    per_px = _SOFT_PX / 2 / _FINE_PX
    blurred = [
        np.asarray(cv2.GaussianBlur(art, (0, 0), per_px * min(art.shape[:2])), np.uint8)
        for art in group.arts
    ]
    coarse = rings_of(blurred, COARSE_RINGS, coloured=scene.coloured)
    fine = rings_of(group.arts, FINE_RINGS, coloured=scene.coloured)
    lean = scene.shift_by_height(np.zeros(2), height_mm)
    radius, middle = group.radius_mm, np.array(box_mm).reshape(2, 2).mean(axis=0)
    scale = px_per_mm_at(scene.solution, middle, height_mm)
    scale = float(np.clip(scale, _FINE_PX / radius / 2, _FINEST_PX / radius))
    return TokenSearch(
        group,
        DiscFaces(group.arts, radius, scale),
        rectified,
        image,
        to_ring_image(image, scene.coloured),
        to_ring_image(soft, scene.coloured),
        coarse,
        fine,
        lean,
    )


def read_discs(
    scene: BoardScene, group: TokenGroup, places: Points
) -> tuple[FloatArray, FloatArray]:
    """Read discs round places (N, 2) mm: poses (N, 3) and scores (N, K) of the faces of a group."""
    box = bounding_box(places, 3 * group.radius_mm)
    search = _prepare_search(scene, group, box, group.height_mm)
    read = score_places(search, places, np.zeros((0, 3)), steps=(_STEP, *_STEPS))
    scores = np.array([one.similarity.max(axis=1) for one in read])
    turns = np.array([one.similarity.max(axis=0).argmax() for one in read]) * 2 * np.pi
    turns /= search.fine.settings.turns
    return np.column_stack([np.array([one.at for one in read]), turns]), scores


def _find_group(
    scene: BoardScene, search: TokenSearch, above: Sequence[OverlappingToken]
) -> list[OverlappingToken]:
    """Detect the tokens of one size, beside smaller ones that are known and below them.

    The best place is taken first. A new token hides part of what overlaps with it: a place there
    is scored again when its turn comes.
    """
    left = {k: piece.copies for k, piece in enumerate(search.group.pieces)}
    pool, wide = _pool(search, scene, above), 2 * search.group.radius_mm
    found: list[OverlappingToken] = []

    def scored(starts: Points) -> list[PlaceScores]:
        return score_places(search, starts, discs_of([*above, *found]), len(found))

    def best_beside(one: OverlappingToken) -> Points:
        is_coarse = one.group is search.group  # else little shows round it: the rim alone
        near = pool[_distance([one], pool) < (wide if is_coarse else one.group.radius_mm)]
        near = near[_distance(found, near) > _OVERLAP * wide]
        near = near[_are_covered(scene, near, search.group.radius_mm, [*above, *found])]
        hiding = discs_of([*above, *found])
        return _best_starts(search, near, hiding, _BESIDE_KEPT, coarse=is_coarse)

    starts = [_best_starts(search, pool, discs_of(above), _MOST), *map(best_beside, above)]
    places = scored(np.concatenate(starts))
    while places and len(found) < _MOST:
        places.sort(key=PlaceScores.rank_score)
        place = places.pop()
        if place.rank_score() < -_ROUGH:
            break
        if _distance(found, place.at[None])[0] < _OVERLAP * wide:
            continue
        if _distance(found[place.known :], place.at[None])[0] < wide:
            places += scored(place.at[None])
            continue
        candidate = _choose_face(search, place, left)
        hiding = discs_of([*above, *found])
        token = candidate and _register_token(scene, candidate, hiding, left)
        if token is None:
            continue
        found.append(token)
        if (copies := left[token.face]) is not None:
            left[token.face] = copies - 1
        places += scored(best_beside(token))
    return found


def _distance(tokens: Sequence[OverlappingToken], points: Points) -> FloatArray:
    """Return the distance (N,) mm of points (N, 2) from the nearest token."""
    away = [np.hypot(*(points - one.pose[:2]).T) for one in tokens]
    return np.asarray(np.min([np.full(len(points), np.inf), *away], axis=0))


def _pool(search: TokenSearch, scene: BoardScene, above: Sequence[OverlappingToken]) -> Points:
    """Return the places (N, 2) mm of the search: a grid over what covers the board, and discs."""
    rectified = search.rectified
    assert scene.board_mm is not None
    left, top, right, bottom = scene.board_mm
    step = _STEP * search.group.radius_mm
    grid = np.meshgrid(np.arange(left, right, step), np.arange(top, bottom, step))
    on_board = np.stack(grid, axis=-1).reshape(-1, 2)
    on_board = on_board[_are_covered(scene, on_board, search.group.radius_mm, above)]
    radius_px = round(search.group.radius_mm * rectified.px_per_mm)
    gray = cv2.cvtColor(rectified.image, cv2.COLOR_BGR2GRAY)
    circles = cv2.HoughCircles(
        gray,
        cv2.HOUGH_GRADIENT,
        1,
        radius_px,
        param2=_CIRCLE,
        minRadius=radius_px - 1,
        maxRadius=radius_px + 2,
    )
    at = np.zeros((0, 3)) if circles is None else np.asarray(circles, float).reshape(-1, 3)
    beside = rectified.to_mm(at[:, :2])
    pool = np.concatenate([on_board, beside[~scene.is_on_board(beside)]])
    inside = sample(rectified.inside.astype(np.uint8), rectified.to_px(pool))
    return np.asarray(pool[inside > 0], np.float64)


def _are_covered(
    scene: BoardScene, points: Points, radius_mm: float, known: Sequence[OverlappingToken]
) -> BoolArray:
    """Return which discs (N, 2) mm cover print that no known token explains; all beside a board."""
    found = ~scene.is_on_board(points)
    cover = scene.covered
    assert cover is not None
    if found.all():
        return found
    explained = cover.filled(one.hull_mm(scene) for one in known) > 0
    mask = cv2.morphologyEx(cover.image[..., 0], cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
    mask[explained] = 0
    mask = grown(np.asarray(mask, np.uint8), _MARGIN_MM * cover.px_per_mm)
    at, reach = cover.to_px(points), radius_mm * cover.px_per_mm
    low = np.maximum(at.min(axis=0) - reach - 1, 0).astype(int)
    right, bottom = np.ceil(at.max(axis=0) + reach + 2).astype(int)
    near = np.s_[low[1] : bottom, low[0] : right]
    free = ~explained[near]
    rest, all_ = (mean_in_disc(one, reach) for one in ((mask[near] > 0) & free, free))
    share = np.asarray(rest / np.maximum(all_, 1e-6), np.float32)
    found |= sample(share, at - low) > _COVERED
    return found


def _best_starts(
    search: TokenSearch, pool: Points, hiding: Discs, most: int, *, coarse: bool = True
) -> Points:
    """Return the best places (N, 2) mm of a pool for the fine search, apart from one another."""
    best = disc_scores(search, pool, hiding, coarse=coarse)[0].max(axis=(1, 2))
    order = np.argsort(-best)
    starts = pool[order[best[order] >= SCORE / 2]]
    return np.asarray(starts[keep_apart(starts, _APART * search.group.radius_mm, most)])


def _choose_face(
    search: TokenSearch, place: PlaceScores, left: Mapping[int, int | None]
) -> OverlappingToken | None:
    """Return the best face of which a copy is left; None if no score is sufficient."""
    scores = place.similarity.max(axis=1)
    for k in np.argsort(-scores).tolist():
        if scores[k] < SCORE - _ROUGH:
            return None
        if left[k] != 0:
            break
    else:
        return None
    own = place.similarity[k]
    turn = int(own.argmax()) * 2 * np.pi / len(own)
    sd = _REGISTERED_SD_MM
    return OverlappingToken(
        search,
        k,
        np.array([*place.at, wrap_angle(turn)]),
        scores,
        place.seen,
        turn_lead(own, search.fine, k),
        np.diag([sd**2, sd**2, (sd / search.group.radius_mm) ** 2]),
        np.zeros(len(scores)),
    )


def _register_token(
    scene: BoardScene,
    one: OverlappingToken,
    hiding: Discs,
    left: Mapping[int, int | None],
) -> OverlappingToken | None:
    """Register a token by its visible part; None if its score there is too low.

    At the registered pose another face, of which a copy is left, may be likelier.
    """
    registered = _register_on_photo(scene, one, hiding)
    search, face = one.search, one.face
    if registered is None:
        needed = SCORE + _HIDDEN_SCORE * (1 - one.seen)
        return one if one.scores[face] >= needed else None
    if (likelier := _likelier_face(registered, left)) is not None:
        registered = (
            _register_on_photo(scene, replace(registered, face=likelier), hiding) or registered
        )
        face = registered.face
    similarity, seen = disc_scores(search, registered.pose[None, :2], hiding)
    turns = similarity.shape[2]
    turn = round(float(registered.pose[2]) * turns / (2 * np.pi))
    near = [(turn + k) % turns for k in (-1, 0, 1)]
    scores = similarity[0].max(axis=1)
    scores[face] = similarity[0, face, near].max()
    if scores[face] < SCORE + _HIDDEN_SCORE * (1 - float(seen[0])):
        return None
    lead = turn_lead(similarity[0, face], search.fine, face)
    found = replace(registered, scores=scores, seen=float(seen[0]), turn_lead=lead)
    best = int(scores.argmax())
    return found if scores[best] < scores[face] + _ROUGH else None


def _likelier_face(one: OverlappingToken, left: Mapping[int, int | None]) -> int | None:
    """Return the remaining face that is clearly likelier by differing strokes."""
    free = [k for k, copies in left.items() if copies != 0 and one.odds[k] > _MOST_ODDS]
    return max(free, key=lambda k: one.odds[k], default=None)


def _register_on_photo(
    scene: BoardScene, one: OverlappingToken, hiding: Discs
) -> OverlappingToken | None:
    """Register a face in the photo; None if it diverges or its position stays undetermined."""
    radius, height = one.group.radius_mm, one.group.height_mm + _RISE_MM
    faces = one.search.faces
    box = bounding_box(one.pose[None, :2], 1.4 * radius)
    rectified, image = scene.in_art_colours(box, faces.px_per_mm, height)
    registered = register_face(rectified, image, faces, one.face, one.pose, hiding)
    if registered is None or registered[1][0, 0] > _REGISTERED_SD_MM**2:
        return None
    pose, covariance = registered
    near = np.flatnonzero(one.scores > one.scores[one.face] - 2 * _ROUGH)
    order, odds = [one.face, *near[near != one.face].tolist()], np.zeros(len(one.scores))
    odds[order] = compare_differences(rectified, image, faces, order, pose, hiding)
    return replace(one, pose=pose, covariance=covariance, odds=odds)


def _resting_height(
    scene: BoardScene, one: OverlappingToken, found: Sequence[OverlappingToken]
) -> tuple[float, FloatArray]:
    """Return a token's base height, by what is below its centre, and its pose at that height."""
    base = 0.0
    for other in found:
        if other.group.radius_mm > one.group.radius_mm:
            off = np.hypot(*(other.pose - one.pose)[:2])
            base += other.group.height_mm if off < other.group.radius_mm else 0.0
    lean = scene.shift_by_height(one.pose[:2], one.group.height_mm + _RISE_MM)
    pose = one.pose.copy()
    pose[:2] += (base - _RISE_MM) * lean
    return base, pose


def _report(
    scene: BoardScene, one: OverlappingToken, based: tuple[float, FloatArray], number: int
) -> Found:
    """Return a token as a placed piece with its alternatives and its doubts."""
    base, pose = based
    group, height = one.group, base + one.group.height_mm
    by_height = _HEIGHT_SD * height * scene.shift_by_height(pose[:2], height)
    covariance = one.covariance.copy()
    covariance[:2, :2] += scene.spread_mm2 + np.outer(by_height, by_height)
    outline = table_from_card(circle(group.radius_mm), *pose)
    shows = np.sqrt(one.seen)  # the deviation of a score grows with the root of the hidden share
    likely = _SHARPNESS * shows * (one.scores - one.scores[one.face])
    weights = softmax(likely + np.clip(one.odds, -_MOST_ODDS, _MOST_ODDS))
    piece = group.pieces[one.face]
    alike = [
        k
        for k, p in enumerate(group.pieces)
        if k == one.face or (piece.like and p.like == piece.like)
    ]
    placed = placed_at(
        piece.id,
        "token",
        np.array([*pose[:2], wrap_angle(float(pose[2]))]),
        covariance,
        map_plane(scene.solution, outline, height),
        spot=f"token-{number}",
        score=float(one.scores[one.face]),
        confidence=float(weights[alike].sum()),
        others=others_of([p.id for p in group.pieces], one.scores, weights, but=alike),
        visible=one.seen,
    )
    doubts = []
    if placed.confidence < SURE and placed.others:
        doubts.append(doubt_about(placed, "piece_unsure", other=placed.others[0].piece))
    if one.turn_lead < _TURN_LEAD and piece.facing:
        doubts.append(doubt_about(placed, "token_heading_unsure"))
    hull_mm = scene.hull_of(pose[:2] + circle(group.radius_mm + _WALL_MM), _WALL_MM)
    return Found(placed, hull_mm, tuple(doubts))


def group_tokens(pieces: Sequence[Piece], art: Mapping[str, ImageBGR]) -> tuple[TokenGroup, ...]:
    """Group the tokens by size and height."""
    sizes: dict[tuple[float, float], list[Piece]] = {}
    for piece in pieces:
        if piece.id in art:
            sizes.setdefault((min(piece.size_mm) / 2, piece.height_mm), []).append(piece)
    return tuple(
        TokenGroup(tuple(some), tuple(art[piece.id] for piece in some), radius, height)
        for (radius, height), some in sizes.items()
    )


def score_places(
    search: TokenSearch,
    starts: Points,
    hiding: Discs,
    known: int = 0,
    steps: Sequence[float] = _STEPS,
) -> list[PlaceScores]:
    """Score discs round places (N, 2) mm, each at its best position for any face."""
    if not len(starts):
        return []
    at = starts
    for share in steps:
        reach = np.array([-1.0, 0.0, 1.0]) * share * search.group.radius_mm
        spots = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
        trial = (at[:, None] + spots).reshape(-1, 2)
        similarity, seen = disc_scores(search, trial, hiding)
        best = similarity.max(axis=(1, 2)).reshape(len(at), -1).argmax(axis=1)
        chosen = np.arange(len(at)) * len(spots) + best
        at, similarity, seen = trial[chosen], similarity[chosen], seen[chosen]
    return [PlaceScores(*one, known) for one in zip(at, similarity, seen.tolist(), strict=True)]


def discs_of(found: Sequence[OverlappingToken]) -> Discs:
    """Return the discs that tokens cover: (N, 3), centre and radius, mm."""
    discs: Discs = np.concatenate([np.zeros((0, 3)), *(one.discs() for one in found)])
    return discs


def disc_scores(
    search: TokenSearch, points: Points, hiding: Discs, *, coarse: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Return scores of discs for each face at each rotation (N, K, T), and their visible shares."""
    faces = search.coarse if coarse else search.fine
    px, radius_px = (
        search.rectified.to_px(points),
        search.group.radius_mm * search.rectified.px_per_mm,
    )
    over = hiding.copy()
    over[:, :2] = search.rectified.to_px(hiding[:, :2])
    over[:, 2] *= search.rectified.px_per_mm
    tones = search.soft if coarse else search.tones
    found = [(np.zeros((0, len(faces.values), faces.settings.turns), np.float32), np.zeros(0))]
    for k in range(0, len(px), _AT_ONCE):
        some = px[k : k + _AT_ONCE]
        rings = sample_rings(tones, some, radius_px, faces.settings)
        found.append(masked_ring_correlation(rings, faces, some, radius_px, over))
    similarity, seen = (np.concatenate(one) for one in zip(*found, strict=True))
    similarity[seen < _LEAST_SEEN] = -1.0
    return similarity, seen


def drop_phantoms(found: Sequence[OverlappingToken]) -> list[OverlappingToken]:
    """Return tokens without those that the print of a larger face below explains."""
    return [one for one in found if not any(_explains(below, one) for below in found)]


def _explains(below: OverlappingToken, one: OverlappingToken) -> bool:
    """Return whether a larger face explains the image at a smaller token."""
    own, radius = one.group.radius_mm, below.group.radius_mm
    if radius <= own or np.hypot(*(one.pose - below.pose)[:2]) > radius:
        return False
    points = own * FINE_RINGS.samples.reshape(2, -1).T + one.pose[:2]
    on_face = card_from_table(points, *below.pose)
    inside = np.hypot(*on_face.T) < radius
    art = below.group.arts[below.face]
    scale = min(art.shape[:2]) / 2 / radius
    soft = np.asarray(cv2.GaussianBlur(art, (0, 0), scale / 2), np.uint8)
    wanted = sample(soft, on_face[inside] * scale + (np.array(art.shape[1::-1]) - 1) / 2)
    seen = sample(one.search.image, one.search.rectified.to_px(points[inside]))
    first, second = (v.mean(axis=1) - v.mean() for v in (wanted, seen))
    length = np.linalg.norm(first) * np.linalg.norm(second)
    agrees = float(first @ second / max(length, 1e-6))
    return bool(inside.mean() > 0.5 and agrees > one.scores[one.face] - _ROUGH)


def turn_lead(own: FloatArray, faces: Rings, face: int) -> float:
    """Return the lead of the best rotation over distant ones, relative to that of the art.

    ``own`` (T,) is the correlation of a disc with its face at each rotation. Rotations at which the
    art looks like itself are equivalent, and no rivals: inf if all distant ones are.
    """
    turns, best = len(own), int(own.argmax())
    away = (np.arange(turns) - best) % turns
    itself = faces.alike[face][away]
    far = np.minimum(away, turns - away) * 2 * np.pi / turns > _TURN_APART
    rivals = far & (itself <= _OWN_SYMMETRY)
    if not rivals.any():
        return float("inf")
    lead = own[best] - own[rivals].max()
    return float(lead / max(1 - itself[rivals].max(), 1 - _OWN_SYMMETRY))
