"""Cards that are known, and the photo -> the cards beneath them of which a strip shows.

From each card on top, ways to lie under it are tried: its border must be white and its frame dark
wherever they would show. The likeliest ways are compared, where they show, with every face. What
is found lies on top of the next: so a fan is followed card by card.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import rotation
from vision.seeing.estimation.overlaps import card_outlines
from vision.seeing.pieces.rectify import Rectified
from vision.seeing.recognition.framed_faces import FaceIndex
from vision.seeing.recognition.occlusion import fit_gain_bias
from vision.values.arrays import BoolArray, FloatArray, Points

__all__ = [
    "OccludedCard",
    "StripScene",
    "border_samples",
    "colour_correlation",
    "find_occluded_cards",
    "footprint_mask",
    "place_samples",
    "poses_beneath",
]


# How lower cards may stick out; mm and degrees.
_POSE_LEAST_MM = 6.0  # less shows no more than the border
_POSE_MOST_MM = 52.0  # more shows three sides: such a card has been found
_POSE_STEP_MM = 1.5  # less than half a border's width
_POSE_ASIDE_MM = 30.0  # to either side: cards laid on one another are not quite in line
_POSE_ASIDE_STEP_MM = 2.0  # a side's ends may be off by it
_POSE_TURN_DEG = 12.0  # of a card in line, or across: a fan's cards turn by 2 to 5 each
_POSE_TURN_STEP_DEG = 2.0  # moves the end of a long side by as much as a step does
_POSE_FAR_PLACES = 9  # along the side that sticks out: enough to throw most ways out by
_POSE_BAND_MM = 2.0  # within the frame's edge a face is dark
_POSE_RIM_MM = 4.0  # between places of the rim


@dataclass(frozen=True, slots=True, eq=False)
class StripPoses:
    """Ways in which a card may lie under another, in the upper one's frame.

    ``poses`` (W, 3) are mm and rad; ``far`` (W, P, 2) float32 the places on the border of the side
    that sticks out, and ``within`` (W, P, 2) those beside them just within the frame.
    """

    poses: FloatArray
    far: NDArray[np.float32]
    within: NDArray[np.float32]


@lru_cache(maxsize=2)
def poses_beneath(size_mm: tuple[float, float], frame_mm: tuple[float, float]) -> StripPoses:
    """Return all ways to stick out from any of four sides, in line or across."""
    out = np.arange(_POSE_LEAST_MM, _POSE_MOST_MM, _POSE_STEP_MM)
    aside = np.arange(-_POSE_ASIDE_MM, _POSE_ASIDE_MM + 0.1, _POSE_ASIDE_STEP_MM)
    turn = np.radians(np.arange(-_POSE_TURN_DEG, _POSE_TURN_DEG + 0.1, _POSE_TURN_STEP_DEG))
    poses: list[FloatArray] = []
    far: list[FloatArray] = []
    within: list[FloatArray] = []
    band_mm = (frame_mm[0] - 2 * _POSE_BAND_MM, frame_mm[1] - 2 * _POSE_BAND_MM)
    for quarter in (0, 1):  # in line; across
        own = size_mm if quarter == 0 else size_mm[::-1]
        for side in range(4):  # up, right, down, left
            away = np.array([(0, -1), (1, 0), (0, 1), (-1, 0)][side], float)
            along = np.array([-away[1], away[0]])
            axis = 1 if side % 2 == 0 else 0
            reach = size_mm[axis] / 2 + out - own[axis] / 2
            grid = np.stack(np.meshgrid(reach, aside, turn, indexing="ij"), axis=-1).reshape(-1, 3)
            centre = grid[:, :1] * away + grid[:, 1:2] * along
            theta = grid[:, 2] + quarter * np.pi / 2
            poses.append(np.column_stack([centre, theta]))
            own_side = (side - quarter) % 4
            for kept, outer, inner in ((far, size_mm, frame_mm), (within, frame_mm, band_mm)):
                places = _far_side(outer, inner, own_side, _POSE_FAR_PLACES)
                kept.append(place_samples(places, poses[-1]))
    laid = (np.concatenate(kept).astype(np.float32) for kept in (far, within))
    return StripPoses(np.concatenate(poses), *laid)


def _far_side(
    size_mm: tuple[float, float], frame_mm: tuple[float, float], side: int, count: int
) -> Points:
    """Return places (P, 2) in the middle of a card's border along one side: up, right, ..."""
    x, y = ((size + frame) / 4 for size, frame in zip(size_mm, frame_mm, strict=True))
    t = np.linspace(-0.92, 0.92, count)
    if side % 2 == 0:
        return np.stack([t * x, np.full(count, -y if side == 0 else y)], axis=1)
    return np.stack([np.full(count, x if side == 1 else -x), t * y], axis=1)


@lru_cache(maxsize=2)
def border_samples(
    size_mm: tuple[float, float], frame_mm: tuple[float, float], band_mm: float
) -> tuple[Points, Points]:
    """Return places in the middle of the border, and beside each a place just within the frame."""
    border, band = [], []
    for side in range(4):
        long = size_mm[0] if side % 2 == 0 else size_mm[1]
        count = int(long / _POSE_RIM_MM)
        border.append(_far_side(size_mm, frame_mm, side, count))
        within = (frame_mm[0] - 2 * band_mm, frame_mm[1] - 2 * band_mm)
        band.append(_far_side(frame_mm, within, side, count))
    return np.concatenate(border), np.concatenate(band)


def place_samples(places: Points, poses: FloatArray) -> FloatArray:
    """Return places (P, 2) of cards at poses (N, 3): (N, P, 2)."""
    c, s = np.cos(poses[:, 2:3]), np.sin(poses[:, 2:3])
    x, y = places[:, 0], places[:, 1]
    return np.stack([poses[:, :1] + c * x - s * y, poses[:, 1:2] + s * x + c * y], axis=-1)


_BLUR_MM = 0.75  # an edge shows that much beside itself, at the scale that is looked at


# What is believed of a strip; lightness is a share of the upper card's white.
_WHITE = 0.72  # of a border: shadow under an upper card's edge takes a fifth
_DARK = 0.6  # of a frame, at most; the darkest frames of a deck are below half of that
_DARK_BELOW = 0.12  # and by so much darker than the border beside it
_FAR_SHARE = 0.75  # of the far side's places that show
_FAR_LEAST = 4  # of its nine places that must show
_FAR_DARK = 4  # of as many places beside them within the frame, that must be dark
_FAR_FIRST: tuple[int, ...] = (1, 3, 5, 7)  # of them, two of which must be white to begin with
_RIM_SHARE = 0.85  # of all places of the rim that show must be as they should
_WRONG_WEIGHT = 5.0  # of a place of the rim that is not as it should be, over one that is
_RIM_LEAST = 8  # that must show: a strip of the least width along a short side
_MOST_WAYS = 600  # that are looked at closely, of each upper card
_MOST_READ = 16  # that are compared with the faces
_SAME_MM = 2.5  # ways nearer than this are one
_COLOUR = 0.25  # weight of colour beside lightness: phones and lamps change it more
# correlation of what shows with its face; of strips 0.66 and more but a few
_SIMILARITY = 0.6
_NEARLY = 0.12  # below that a way is given up before it is nudged
_LEAD = 0.06  # over the next face: below, the name is a doubt; wrong ones lead by 0.05
_LEAD_SIMILAR = 0.0  # the same of a strip named as the card on top of it: 775 were right
_LEAST_PLACES = 60  # of the grid that must show: 135 mm², a strip of 2 mm
_NUDGES_MM: tuple[float, ...] = (-0.75, 0.0, 0.75)  # tried about the best way, twice
_NUDGES_DEG: tuple[float, ...] = (-1.0, 0.0, 1.0)  # with each of them: half a step of the ways
_MOST_FOUND = 200  # under one table's cards: three decks of a fan each, so never a bound
_NEAR_MM2 = 60.0  # of white beside a card that nothing explains: less is no border


@dataclass(frozen=True, slots=True, eq=False)
class OccludedCard:
    """A card found beneath others.

    ``scores`` (K, 2) are the correlations of what shows with each face, upright and turned;
    ``visible`` the share of the face that shows; ``pose`` (3,) has the face upright; ``is_similar``
    tells that the card on top of it has the same face.
    """

    pose: FloatArray
    scores: FloatArray
    face: int
    visible: float
    is_similar: bool = False

    def is_sure(self) -> bool:
        """Tell whether no other face may show: of a fan, what is like its upper card is so sooner.

        Of fans most are of like cards.
        """
        return self.lead >= (_LEAD_SIMILAR if self.is_similar else _LEAD)

    @property
    def lead(self) -> float:
        """By how much the face beats the next."""
        others = np.delete(self.scores.max(axis=1), self.face)
        return float(self.scores[self.face].max() - others.max(initial=0.0))


@dataclass(frozen=True, slots=True, eq=False)
class _CardLight:
    """How the photo shows a card: its lightness is that of its face times ``gain``, and ``lift``.

    ``white`` (3,) are the tones of its border, by which colours are divided first.
    """

    white: FloatArray
    gain: float = 1.0
    lift: float = 0.0

    def over_white(self, tones: NDArray[np.float32]) -> FloatArray:
        """Turn tones (..., 3) into lightness and two colour differences, white = 1."""
        b, g, r = np.moveaxis(tones / self.white, -1, 0)
        return np.asarray(np.stack([(b + g + r) / 3, r - g, b - (r + g) / 2], axis=-1), np.float64)

    def lightness(self, tones: NDArray[np.float32]) -> FloatArray:
        """Return the lightness (...) that a face would have to show tones (..., 3)."""
        return (self.over_white(tones)[..., 0] - self.lift) / self.gain


@dataclass(eq=False)
class StripScene:
    """The flat picture with what is explained already: ``taken`` (H, W) of 0 and 255."""

    rectified: Rectified
    index: FaceIndex
    taken: NDArray[np.uint8]
    tones: NDArray[np.float32] = field(init=False)
    level: NDArray[np.float32] = field(init=False)  #: the mean of the channels

    def __post_init__(self) -> None:
        self.tones = self.rectified.image.astype(np.float32)
        self.level = self.tones.mean(axis=-1)

    @property
    def frame_mm(self) -> tuple[float, float]:
        """Width and height of the printed frame."""
        return self.index.rectangles_mm[-1]

    def at(self, places_mm: FloatArray) -> tuple[NDArray[np.int64], NDArray[np.int64], BoolArray]:
        """Return row, column of places (..., 2), and which are in sight and not explained yet."""
        px = np.rint(self.rectified.to_px(places_mm.reshape(-1, 2))).astype(np.int64)
        px = px.reshape(places_mm.shape)
        h, w = self.taken.shape
        inside = (px[..., 0] >= 0) & (px[..., 0] < w) & (px[..., 1] >= 0) & (px[..., 1] < h)
        x, y = np.clip(px[..., 0], 0, w - 1), np.clip(px[..., 1], 0, h - 1)
        open_ = inside & (self.taken[y, x] == 0) & self.rectified.inside[y, x]
        return y, x, open_

    def light_of(self, pose: FloatArray, face: int) -> _CardLight:
        """Learn the light from a card of which all shows: its border, and its face (-1: unread)."""
        border, _ = border_samples(self.index.size_mm, self.frame_mm, _POSE_BAND_MM)
        y, x, _ = self.at(place_samples(border, pose[None])[0])
        white = np.maximum(np.percentile(self.tones[y, x], 65, axis=0), 24.0)
        plain = _CardLight(white)
        if face < 0:
            return plain
        y, x, _ = self.at(place_samples(self.index.grid_mm, pose[None])[0])
        seen = plain.over_white(self.tones[y, x])
        gain, lift, _ = fit_gain_bias(seen[None], self.index.features[[face]])
        return _CardLight(white, float(gain[0, 0, 0]), float(lift[0, 0, 0]))

    def take(self, pose: FloatArray) -> None:
        """Say that a card explains its place."""
        self.taken |= footprint_mask(self.rectified, [pose], self.index.size_mm)


def find_occluded_cards(
    rectified: Rectified, index: FaceIndex, tops: Sequence[tuple[FloatArray, int]]
) -> list[OccludedCard]:
    """Find the cards of which strips show from under others.

    Parameters
    ----------
    rectified : Rectified
        The table from above, at the cards' height.
    index : FaceIndex
        The faces; their deck has a printed frame in a white border.
    tops : sequence of ((3,) float64, int)
        Cards of which no other covers any: x mm, y mm, theta rad, upright, and the face, -1 for
        one that could not be read.

    Returns
    -------
    list of OccludedCard
        In the order in which they were found.
    """
    poses = [np.asarray(pose, np.float64) for pose, _ in tops]
    scene = StripScene(rectified, index, footprint_mask(rectified, poses, index.size_mm))
    found: list[OccludedCard] = []
    queue = [
        (pose, face, scene.light_of(pose, face))
        for pose, (_, face) in zip(poses, tops, strict=True)
    ]
    while queue and len(found) < _MOST_FOUND:
        upper, own, light = queue.pop(0)
        while len(found) < _MOST_FOUND:
            best = _best_beneath(scene, upper, own, light)
            if best is None:
                break
            best = _prefer_upper_face(best, own)
            scene.take(best.pose)
            found.append(best)
            queue.append((best.pose, best.face, light))
    return found


def _prefer_upper_face(read: OccludedCard, face: int) -> OccludedCard:
    """Name a strip that may be of several faces as the card on top of it, if it may be that.

    Fans are mostly laid of like cards; that it may be another is said all the same.
    """
    best = read.scores.max(axis=1)
    if face == -1 or best[face] < best.max() - _LEAD:
        return read
    if face == read.face or read.scores[face, 0] >= read.scores[face, 1]:
        return replace(read, face=face, is_similar=True)
    turned = read.pose + np.array([0, 0, np.pi])
    return replace(read, pose=turned, scores=read.scores[:, ::-1], face=face, is_similar=True)


def footprint_mask(
    rectified: Rectified, poses: Sequence[FloatArray], size_mm: tuple[float, float]
) -> NDArray[np.uint8]:
    """Return where cards at poses lie in a flat picture: (H, W), 255 there."""
    taken = np.zeros(rectified.image.shape[:2], np.uint8)
    grown = (size_mm[0] + 2 * _BLUR_MM, size_mm[1] + 2 * _BLUR_MM)
    for corners in card_outlines(np.array(poses).reshape(-1, 3), grown):
        cv2.fillConvexPoly(taken, np.rint(rectified.to_px(corners)).astype(np.int32), 255)
    return taken


def _best_beneath(
    scene: StripScene, upper: FloatArray, own: int, light: _CardLight
) -> OccludedCard | None:
    """Return the card under another that is most like what shows; None if none is."""
    likely = _likely_poses(scene, upper, light)
    best: OccludedCard | None = None
    for pose in likely[_non_max_suppression(likely)][:_MOST_READ]:
        read = _match_strip(scene, pose, light)
        if read is None or read.scores.max() < _SIMILARITY - _NEARLY:
            continue
        for face in sorted({read.face, own} - {-1}):
            laid = _perturb(scene, read, face, light)
            if laid.scores.max() >= _SIMILARITY and (
                best is None or _rank_score(laid) > _rank_score(best)
            ):
                best = laid
    return best


def _rank_score(read: OccludedCard) -> float:
    """Return what a reading is chosen by: how alike, and a little how much it explains."""
    return float(read.scores.max()) + 0.2 * min(read.visible, 0.5)


def _likely_poses(scene: StripScene, upper: FloatArray, light: _CardLight) -> FloatArray:
    """Return poses (N, 3) of cards whose rim would show as it should, the surest first."""
    size = scene.index.size_mm
    ways = poses_beneath(size, scene.frame_mm)
    turn = rotation(float(upper[2])).astype(np.float32).T
    least, most = ((v * light.gain + light.lift) * light.white.mean() for v in (_WHITE, _DARK))
    tones = _bright_and_dark(scene, upper, float(least), float(most))
    if tones is None:
        return np.zeros((0, 3))
    bright, dark = tones
    at = np.float32(upper[:2])
    first = _sample_mask(bright, scene.rectified, _rotate(ways.far[:, _FAR_FIRST], turn) + at)
    likely = np.flatnonzero(_count_true(first) >= 2)
    within = _sample_mask(dark, scene.rectified, _rotate(ways.within[likely], turn) + at)
    likely = likely[_count_true(within) >= _FAR_DARK]
    far = np.asarray(_rotate(ways.far[likely], turn) + at, np.float64)
    y, x, open_ = scene.at(far)
    shown = open_.sum(axis=1)
    share = (bright[y, x] & open_).sum(axis=1) / np.maximum(shown, 1)
    good = (shown >= _FAR_LEAST) & (share >= _FAR_SHARE)
    order = np.argsort(-(share * np.sqrt(shown))[good], kind="stable")
    likely = likely[good][order][: _MOST_WAYS * 8]
    poses = ways.poses[likely].copy()
    poses[:, :2] = poses[:, :2] @ rotation(float(upper[2])).T + upper[:2]
    poses[:, 2] += upper[2]
    shares, count = _rim_share(scene, poses, light)
    good = np.flatnonzero((shares >= _RIM_SHARE) & (count >= _RIM_LEAST))
    wrong = (1 - shares[good]) * count[good]
    good = good[np.argsort(_WRONG_WEIGHT * wrong - count[good], kind="stable")][:_MOST_WAYS]
    return np.asarray(poses[good], np.float64)


def _bright_and_dark(
    scene: StripScene, upper: FloatArray, least: float, most: float
) -> tuple[BoolArray, BoolArray] | None:
    """Tell what is bright, and what dark (H, W), near a card and unexplained; None: too little."""
    (width, height) = scene.index.size_mm
    reach = 2 * _POSE_MOST_MM
    (corners,) = card_outlines(upper[None], (width + reach, height + reach))
    px = scene.rectified.to_px(corners)
    (x0, y0), (x1, y1) = (np.maximum(v, 0).astype(int) for v in (px.min(axis=0), px.max(axis=0)))
    here = np.s_[y0 : y1 + 1, x0 : x1 + 1]
    open_ = (scene.taken[here] == 0) & scene.rectified.inside[here]
    near = (scene.level[here] > least) & open_
    if np.count_nonzero(near) <= _NEAR_MM2 * scene.rectified.px_per_mm**2:
        return None
    bright, dark = (np.zeros(scene.taken.shape, np.bool_) for _ in range(2))
    bright[here] = near
    dark[here] = (scene.level[here] < most) & open_
    return bright, dark


def _sample_mask(
    bright: BoolArray, rectified: Rectified, places_mm: NDArray[np.float32]
) -> BoolArray:
    """Tell which places (W, P, 2) lie on what is bright; those outside the picture do not."""
    h, w = bright.shape
    scale = np.float32(rectified.px_per_mm)
    shift = 0.5 - rectified.origin_mm * rectified.px_per_mm
    x, y = ((places_mm[..., k] * scale + np.float32(shift[k])).astype(np.int32) for k in (0, 1))
    inside = (x >= 0) & (y >= 0) & (x < w) & (y < h)
    x[~inside] = y[~inside] = 0
    return np.asarray(bright[y, x] & inside, np.bool_)


def _rotate(places: NDArray[np.float32], turn: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return places (W, P, 2) turned (2, 2): as one product, not as one for each way."""
    return np.asarray((places.reshape(-1, 2) @ turn).reshape(places.shape), np.float32)


def _count_true(lit: BoolArray) -> NDArray[np.int64]:
    """Return how many of few places (W, P) are lit: column by column, as rows are short."""
    return np.asarray(sum(lit[:, k].astype(np.int64) for k in range(lit.shape[1])), np.int64)


def _rim_share(
    scene: StripScene, poses: FloatArray, light: _CardLight
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Return what share (N,) of the rim that shows is as it should be, and how much shows."""
    border, band = border_samples(scene.index.size_mm, scene.frame_mm, _POSE_BAND_MM)
    n, p = len(poses), len(border)
    if not n:
        return np.zeros(0), np.zeros(0, np.int64)
    y, x, open_ = scene.at(place_samples(np.concatenate([border, band]), poses))
    lightness = light.lightness(scene.tones[y, x])
    outer, inner = lightness[:, :p], lightness[:, p:]
    white = outer > _WHITE
    dark = (inner < _DARK) & (inner < outer - _DARK_BELOW)
    right = (white & open_[:, :p]).sum(axis=1) + (dark & open_[:, p:]).sum(axis=1)
    shown = open_.sum(axis=1)
    return right / np.maximum(shown, 1), open_[:, :p].sum(axis=1)


def _non_max_suppression(poses: FloatArray) -> list[int]:
    """Return which ways are the first of their place."""
    kept: list[int] = []
    for i, pose in enumerate(poses):
        near = [
            np.hypot(*(poses[k, :2] - pose[:2])) < _SAME_MM
            and abs(np.sin(poses[k, 2] - pose[2])) < 0.06
            for k in kept
        ]
        if not any(near):
            kept.append(i)
        if len(kept) >= _MOST_READ:
            break
    return kept


def _match_strip(scene: StripScene, pose: FloatArray, light: _CardLight) -> OccludedCard | None:
    """Compare what shows of a card at a pose with all faces; None if too little shows."""
    index = scene.index
    y, x, open_ = scene.at(place_samples(index.grid_mm, pose[None])[0])
    if open_.sum() < _LEAST_PLACES:
        return None
    seen = light.over_white(scene.tones[y, x][open_])[None]
    both = (index.features, index.features[:, ::-1])
    scores = np.stack(
        [colour_correlation(seen, faces[:, open_], _COLOUR) for faces in both], axis=1
    )
    face = int(scores.max(axis=1).argmax())
    turned = bool(scores[face, 1] > scores[face, 0])
    upright = pose + np.array([0, 0, np.pi]) if turned else pose
    return OccludedCard(upright, scores[:, ::-1] if turned else scores, face, float(open_.mean()))


def _perturb(scene: StripScene, read: OccludedCard, face: int, light: _CardLight) -> OccludedCard:
    """Move a card to where it is most like a face, about where it was supposed."""
    is_turned = bool(read.scores[face, 1] > read.scores[face, 0])
    pose = read.pose + np.array([0, 0, np.pi]) if is_turned else read.pose
    for scale in (1.0, 0.5):
        around = [
            pose + scale * np.array([dx, dy, np.radians(turn)])
            for dx in _NUDGES_MM
            for dy in _NUDGES_MM
            for turn in _NUDGES_DEG
        ]
        shares, _ = _rim_share(scene, np.array(around), light)
        tried = _scores_at_poses(scene, np.array(around), light, face) + shares
        pose = around[int(tried.argmax())]
    return _match_strip(scene, pose, light) or read


def _scores_at_poses(
    scene: StripScene, poses: FloatArray, light: _CardLight, face: int
) -> FloatArray:
    """Return how much what shows of a card at each of poses (N, 3) is like one face."""
    y, x, open_ = scene.at(place_samples(scene.index.grid_mm, poses))
    seen = light.over_white(scene.tones[y, x])
    scores = colour_correlation(seen, scene.index.features[[face]], _COLOUR, open_)
    return np.where(open_.sum(axis=1) < _LEAST_PLACES, 0.0, scores)


def colour_correlation(
    seen: FloatArray, faces: FloatArray, colour: float, visible_mask: BoolArray | None = None
) -> FloatArray:
    """Return the correlations (N,) of what is seen (N or 1, P, 3) with faces (N or 1, P, 3).

    Each channel is taken from its mean over the places that are shown (N, P), the colours with a
    weight: so a veil, and how strong colours are, count for nothing.
    """
    places = (
        np.ones((1, seen.shape[1])) if visible_mask is None else visible_mask.astype(np.float64)
    )
    count = np.maximum(places.sum(axis=1), 1)
    weights = np.array([1.0, colour, colour])
    one, other = (_centred(v, places, count) * weights for v in (seen, faces))
    both = np.einsum("npc,npc->n", one, other)
    power = [np.einsum("npc,npc->n", v, v) for v in (one, other)]
    return np.asarray(both / np.sqrt(np.maximum(power[0] * power[1], 1e-12)), np.float64)


def _centred(seen: FloatArray, places: FloatArray, count: FloatArray) -> FloatArray:
    """Return tones (N, P, 3) from their mean over the places that are shown, (N or 1, P)."""
    visible_mask = seen * places[..., None]
    mean = (places[:, None] @ seen) / count[:, None, None]
    return np.asarray(visible_mask - mean * places[..., None], np.float64)
