"""Detects and reads tokens on a plane: piece, pose and confidence.

Tokens are proposed at places that differ from the board's own print, and at places whose rings have
a token's colours. Each place is sampled along rings at the tokens' height and correlated with all
faces at all rotations; then the face is registered in the photo to a fraction of a pixel.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import rotation, wrap_angle
from vision.imaging.view import View
from vision.seeing.pieces.board_scene import Base, BoardScene
from vision.seeing.pieces.disc_registration import (
    RegisteredFace,
    compare_differences,
    register_face,
    register_rim,
)
from vision.seeing.pieces.photometric_fit import to_art_colours
from vision.seeing.pieces.rectify import Rectified, bounding_box, map_plane, px_per_mm_at, rectify
from vision.seeing.pieces.ring_correlation import (
    compare_prints,
    read_ring_profiles,
    ring_correlation,
    to_ring_image,
)
from vision.seeing.pieces.token_proposals import (
    TokenGroup,
    covered_share,
    group_tokens,
    propose_tokens,
)
from vision.values.arrays import FloatArray, ImageBGR, Points
from vision.values.layout import Other, Placed, unread_id
from vision.values.pieces import Piece

__all__ = [
    "FINEST_PX",
    "LEAST_CHANCE",
    "MOST_ODDS",
    "SHARPNESS",
    "FoundToken",
    "find_tokens",
    "read_token_places",
    "spread_and_edge",
    "turn_leads",
]


# Detection of tokens.
_FINE_PX = 20.0  # of a token's radius in the rectified image: strokes of its print are visible
_SPOTS = 5  # positions per side, round each place: a place is accurate to a quarter of the radius
_COVERED = 0.75  # least share of a disc that is not the board, for an unknown thing
_SCORE = 0.55  # least score of a token that is read; other print reaches 0.4
_TOLD = 0.45  # least correlation of lightness alone: green cloth is no green token
_FIT = 0.3  # least share of a disc explained by the face's strokes: cloth of its colour has none
_TURN_APART = 0.4  # rad; headings nearer than this are the same
_OWN_SYMMETRY = 0.97  # autocorrelation above which a rotated face looks the same
SHARPNESS = 30.0  # slope of the log odds by score: 0.15 of correlation are one in a hundred
_APART = 0.6  # least distance of two discs side by side, of the sum of their radii
_HEIGHT_SD = 0.15  # error of a token's height (1 sd), of it: card, wood and glue differ
# position error of a thing that could not be registered: a tenth of a usual token
_UNREAD_SD_MM = 2.0
FINEST_PX = 60.0  # largest radius in the image: a finer one adds no accuracy
MOST_ODDS = 12.0  # largest log odds by differing strokes: hidden strokes carry no information
LEAST_CHANCE = 0.001  # least probability of another piece to be reported


@dataclass(frozen=True, slots=True, eq=False)
class FoundToken:
    """A detected token with its alternatives.

    ``turn_lead`` is the score lead of its heading over distant ones, relative to that of the art
    itself; inf if the art looks the same at every rotation. ``lead`` is its score minus the next
    piece's.
    """

    placed: Placed
    turn_lead: float
    lead: float
    radius_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class _ReadPlace:
    """A read place: its best pose, and the score of each piece there, at its best rotation."""

    group: TokenGroup
    pose: FloatArray
    base_mm: float
    scores: FloatArray
    turn_lead: float
    covered: float
    #: log odds of each piece where it differs from the registered one
    odds: FloatArray | None = None

    @property
    def best(self) -> int:
        """Index of the likeliest piece."""
        return int(self.scores.argmax())


def find_tokens(
    view: View, scene: BoardScene, pieces: Sequence[Piece], art: Mapping[str, ImageBGR]
) -> tuple[FoundToken, ...]:
    """Detect the tokens on a board and on the table round it.

    Parameters
    ----------
    view : View
        The photo.
    scene : BoardScene
        The plane and the search area.
    pieces : sequence of Piece
        Tokens; the disc within each is compared.
    art : mapping
        From each piece's id to its face, upright, cut to its edge.

    Returns
    -------
    tuple of FoundToken
        The most certain first. A thing of a token's size and shape that is none of them is
        ``unknown-1``, ...
    """
    reads = [
        read
        for group in group_tokens(pieces, art, scene)
        for base in scene.bases()
        for read in _read_group(view, scene, group, base)
    ]
    left = {piece.id: piece.copies if piece.copies is not None else 10**6 for piece in pieces}
    found: list[FoundToken] = []
    unknown = 0
    for read in sorted(reads, key=lambda r: -max(float(r.scores.max()), 0.0)):
        if any(_blocks_place(read, other) for other in found):
            continue
        name = _choose_piece(read, left)
        if name is None:
            if read.covered < _COVERED:
                continue
            unknown += 1
        spot = unread_id(unknown) if name is None else f"token-{len(found) + 1}"
        token = _register_token(view, scene, read, name, spot)
        if token is not None:
            found.append(token)
            if name is not None:
                left[token.placed.piece] -= 1
        elif name is None:
            unknown -= 1
    return tuple(found)


def _read_group(view: View, scene: BoardScene, group: TokenGroup, base: Base) -> list[_ReadPlace]:
    """Read the places where tokens of a group may lie."""
    height = base[0] + group.height_mm
    places = propose_tokens(view, scene, group, base)
    if not len(places):
        return []
    rectified = rectify(view, scene.solution, scene.box_mm, _FINE_PX / group.radius_mm, height)
    image = to_art_colours(rectified, scene.photometry)
    poses, scores, leads = _read_places(rectified, image, places, group, scene.coloured)
    covered = covered_share(scene, poses, group.radius_mm)
    return [
        _ReadPlace(group, pose, base[0], score, float(lead), float(share))
        for pose, score, lead, share in zip(poses, scores, leads, covered, strict=True)
    ]


def read_token_places(
    view: View, scene: BoardScene, group: TokenGroup, places: Points, height_mm: float
) -> tuple[FloatArray, FloatArray]:
    """Read discs round places (N, 2) mm at a height: poses (N, 3) and scores (N, K) of faces."""
    box = bounding_box(places, 3 * group.radius_mm)
    rectified = rectify(view, scene.solution, box, _FINE_PX / group.radius_mm, height_mm)
    image = to_art_colours(rectified, scene.photometry)
    return _read_places(rectified, image, places, group, scene.coloured)[:2]


def _read_places(
    rectified: Rectified,
    image: NDArray[np.float32],
    places: Points,
    group: TokenGroup,
    coloured: bool,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Read discs round places (N, 2) mm.

    Returns
    -------
    poses : (N, 3) float64
        Pose of the best correlation with any face: x mm, y mm, theta rad.
    scores : (N, K) float64
        Correlation there with each face, at that face's best rotation.
    leads : (N,) float64
        Lead of the best rotation over distant ones.
    """
    step = group.radius_mm / _FINE_PX * 2
    tones = to_ring_image(image, coloured)
    at = places.copy()
    for rough in (2.0, 1.0):
        reach = (np.arange(_SPOTS) - _SPOTS // 2) * step * rough * 0.75
        spots = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
        trial = (at[:, None] + spots).reshape(-1, 2)
        radius_px = group.radius_mm * rectified.px_per_mm
        seen = read_ring_profiles(tones, rectified.to_px(trial), radius_px)
        similarity = ring_correlation(seen, group.faces)
        best = similarity.max(axis=(1, 2)).reshape(len(at), -1).argmax(axis=1)
        chosen = np.arange(len(at)) * len(spots) + best
        at, similarity = trial[chosen], similarity[chosen]
    scores = similarity.max(axis=2)
    face = scores.argmax(axis=1)
    told = compare_prints(
        seen.values[chosen], group.faces, face, similarity.argmax(axis=2)[np.arange(len(at)), face]
    )
    scores[told < _TOLD] = 0.0
    own = similarity[np.arange(len(at)), face]
    turns = own.shape[1]
    turn = own.argmax(axis=1)
    around = own[np.arange(len(at))[:, None], (turn[:, None] + [-1, 0, 1]) % turns]
    bend = around[:, 0] - 2 * around[:, 1] + around[:, 2]
    part = np.where(bend < -1e-9, 0.5 * (around[:, 0] - around[:, 2]) / np.minimum(bend, -1e-9), 0)
    theta = (turn + np.clip(part, -0.5, 0.5)) * 2 * np.pi / turns
    theta = (theta + np.pi) % (2 * np.pi) - np.pi
    selves = ring_correlation(group.faces, group.faces)
    itself = selves[np.arange(len(selves)), np.arange(len(selves))][face]
    leads = turn_leads(own, turn, itself)
    return np.column_stack([at, theta]), scores, leads


def turn_leads(
    own: NDArray[np.floating], turn: NDArray[np.int64], itself: NDArray[np.floating]
) -> FloatArray:
    """Return the lead of the best rotations (N,) over distant ones, relative to that of the art.

    Parameters
    ----------
    own : (N, T) float64
        Correlation of each disc with its face at each rotation.
    turn : (N,) int64
        The best rotation of each.
    itself : (N, T) float64
        Autocorrelation of that face at each rotation. Rotations at which it looks like itself are
        equivalent, and no rivals.

    Returns
    -------
    (N,) float64
        inf if a face looks the same at all distant rotations.
    """
    turns = own.shape[1]
    away = (np.arange(turns)[None] - turn[:, None]) % turns
    far = np.minimum(away, turns - away) * 2 * np.pi / turns > _TURN_APART
    itself = np.take_along_axis(itself, away, axis=1)
    rivals = far & (itself <= _OWN_SYMMETRY)
    rival, itself_rival = (np.where(rivals, v, -1.0).max(axis=1) for v in (own, itself))
    lead = (own.max(axis=1) - rival) / np.maximum(1 - itself_rival, 1 - _OWN_SYMMETRY)
    return np.asarray(np.where(rivals.any(axis=1), lead, np.inf))


def _blocks_place(read: _ReadPlace, other: FoundToken) -> bool:
    """Return whether a detected token leaves no room for a place."""
    away = np.hypot(read.pose[0] - other.placed.x_mm, read.pose[1] - other.placed.y_mm)
    return bool(away < _APART * (read.group.radius_mm + other.radius_mm))


def _choose_piece(read: _ReadPlace, left: Mapping[str, int]) -> int | None:
    """Return the best piece of which a copy is left; None if no score is sufficient."""
    for k in np.argsort(-read.scores):
        if read.scores[k] < _SCORE:
            return None
        if left[read.group.pieces[k].id] > 0:
            return int(k)
    return None


def _register_token(
    view: View, scene: BoardScene, read: _ReadPlace, name: int | None, spot: str
) -> FoundToken | None:
    """Register a token; None for a thing with neither the face's strokes nor a rim."""
    group, radius = read.group, read.group.radius_mm
    height = read.base_mm + group.height_mm
    scale = px_per_mm_at(scene.solution, read.pose[:2], height)
    reach = 1.4 * radius
    x, y = read.pose[:2]
    box = (x - reach, y - reach, x + reach, y + reach)
    scale = float(np.clip(scale, _FINE_PX / radius / 2, FINEST_PX / radius))
    rectified = rectify(view, scene.solution, box, scale, height)
    image = to_art_colours(rectified, scene.photometry)
    registered: RegisteredFace | None = None
    if name is not None:
        registered = register_face(rectified, image, group.arts[name], radius, read.pose)
    if (
        registered is None
        or registered.fit < _FIT
        or registered.covariance[0, 0] > _UNREAD_SD_MM**2
    ):
        registered = register_rim(rectified, image, radius, read.pose)
    if registered is None:
        return None
    if name is not None:
        order = [name, *(k for k in range(len(group.arts)) if k != name)]
        odds = np.zeros(len(order))
        odds[order] = compare_differences(
            rectified, image, [group.arts[k] for k in order], radius, registered.pose
        )
        read = replace(read, odds=odds)
    return _report(scene, read, name, spot, registered)


def _interchangeable(pieces: Sequence[Piece], name: int | None) -> list[int]:
    """Return the pieces that play alike, this one included; none for an unknown one."""
    if name is None:
        return []
    like = pieces[name].like
    return [k for k, piece in enumerate(pieces) if k == name or (like and piece.like == like)]


def spread_and_edge(
    scene: BoardScene,
    registered: RegisteredFace,
    radius_mm: float,
    height_mm: float,
    high_sd_mm: float,
) -> tuple[FloatArray, Points]:
    """Return the covariance of a disc at a height, and its edge in the photo.

    Parameters
    ----------
    scene : BoardScene
        The scene of its support.
    registered : RegisteredFace
        Its pose and covariance in the image in which it was registered.
    radius_mm, height_mm, high_sd_mm : float
        Of the disc; the last is the deviation of its height.

    Returns
    -------
    covariance : (3, 3) float64
        Of x mm, y mm, theta rad.
    edge : (24, 2) float64
        Pixels of the photo.
    """
    pose = registered.pose
    by_height = scene.shift_by_height(pose[:2], height_mm)
    covariance = registered.covariance.copy()
    covariance[:2, :2] += scene.spread_mm(pose[:2])
    covariance[:2, :2] += high_sd_mm**2 * np.outer(by_height, by_height)
    ring = np.arange(24) * np.pi / 12
    edge = radius_mm * np.stack([np.sin(ring), -np.cos(ring)], axis=1)
    outline = map_plane(scene.solution, edge @ rotation(pose[2]).T + pose[:2], height_mm)
    return (covariance + covariance.T) / 2, outline


def _report(
    scene: BoardScene, read: _ReadPlace, name: int | None, spot: str, registered: RegisteredFace
) -> FoundToken:
    """Return a read place as a token with its alternatives."""
    group, pose = read.group, registered.pose
    height = read.base_mm + group.height_mm
    high_sd = _HEIGHT_SD * group.height_mm
    covariance, outline = spread_and_edge(scene, registered, group.radius_mm, height, high_sd)
    likely = SHARPNESS * (read.scores - read.scores.max())
    if read.odds is not None:
        likely = likely + np.clip(read.odds, -MOST_ODDS, MOST_ODDS)
    weights = np.exp(likely)
    weights /= weights.sum() + np.exp(SHARPNESS * (_SCORE - read.scores.max()))
    same_kind = _interchangeable(group.pieces, name)
    order = [int(k) for k in np.argsort(-read.scores) if k not in same_kind]
    others = tuple(
        Other(group.pieces[k].id, float(read.scores[k]), float(weights[k]))
        for k in order
        if name is None or weights[k] > LEAST_CHANCE
    )
    score = 0.0 if name is None else float(read.scores[name])
    placed = Placed(
        spot,
        spot if name is None else group.pieces[name].id,
        float(pose[0]),
        float(pose[1]),
        wrap_angle(float(pose[2])),
        covariance,
        outline,
        score=score,
        confidence=0.0 if name is None else float(weights[same_kind].sum()),
        others=others,
        kind="token",
    )
    rival = max((float(read.scores[k]) for k in order), default=-1.0)
    return FoundToken(
        placed, read.turn_lead, score - rival if name is not None else 0.0, group.radius_mm
    )
