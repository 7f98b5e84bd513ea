"""Detects cards beneath known ones of which a strip is visible.

For each card on top, poses beneath it are tested: the lower card's border must be white and its
frame dark wherever they would be visible. The visible parts of the likeliest poses are compared
with every face. A detected card is on top of the next: so a fan is followed card by card.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import rotation
from vision.imaging.masks import grown
from vision.seeing.cards.posterior import log_odds_by_score
from vision.seeing.estimation.overlaps import card_outlines
from vision.seeing.pieces.rectify import Rectified
from vision.seeing.recognition.framed_faces import FaceIndex
from vision.seeing.recognition.occlusion import fit_gain_bias
from vision.values.arrays import BoolArray, FloatArray, Points
from vision.values.ledger import SURE

__all__ = [
    "POSE_BAND_MM",
    "OccludedCard",
    "StripScene",
    "border_samples",
    "colour_correlation",
    "find_fanned_cards",
    "footprint_mask",
    "place_samples",
    "poses_beneath",
]


# Poses of lower cards relative to the upper one; mm and degrees.
_POSE_LEAST_MM = 6.0  # least overhang; less leaves the border alone visible
# largest overhang; more leaves three edges visible: such a card has been detected
_POSE_MOST_MM = 52.0
_POSE_STEP_MM = 1.5  # less than half a border's width
_POSE_ASIDE_MM = 30.0  # to either side: stacked cards are not exactly aligned
_POSE_ASIDE_STEP_MM = 2.0  # tolerated error at the ends of an edge
_POSE_TURN_DEG = 12.0  # from aligned, or from across: a fan's cards turn by 2 to 5 each
_POSE_TURN_STEP_DEG = 2.0  # moves the end of a long edge by as much as a step does
_POSE_FAR_PLACES = 9  # samples along the overhanging edge: enough to reject most poses
POSE_BAND_MM = 2.0  # within the frame's edge a face is dark
_POSE_RIM_MM = 4.0  # between samples of the rim


@dataclass(frozen=True, slots=True, eq=False)
class StripPoses:
    """Possible poses of a card under another, in the upper card's frame.

    ``poses`` (W, 3) are mm and rad; ``far`` (W, P, 2) float32 are samples on the border of the
    overhanging edge, and ``within`` (W, P, 2) those beside them just within the frame. ``first``
    (2, F, W) are x and y of those samples of the edge that are tested first.
    """

    poses: FloatArray
    far: NDArray[np.float32]
    within: NDArray[np.float32]
    first: NDArray[np.float32]


@lru_cache(maxsize=2)
def poses_beneath(size_mm: tuple[float, float], frame_mm: tuple[float, float]) -> StripPoses:
    """Return all poses that overhang any of four edges, aligned or across."""
    out = np.arange(_POSE_LEAST_MM, _POSE_MOST_MM, _POSE_STEP_MM)
    aside = np.arange(-_POSE_ASIDE_MM, _POSE_ASIDE_MM + 0.1, _POSE_ASIDE_STEP_MM)
    turn = np.radians(np.arange(-_POSE_TURN_DEG, _POSE_TURN_DEG + 0.1, _POSE_TURN_STEP_DEG))
    poses: list[FloatArray] = []
    far: list[FloatArray] = []
    within: list[FloatArray] = []
    band_mm = (frame_mm[0] - 2 * POSE_BAND_MM, frame_mm[1] - 2 * POSE_BAND_MM)
    for quarter in (0, 1):  # aligned; across
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
    edge, inside = (np.concatenate(kept).astype(np.float32) for kept in (far, within))
    first = np.ascontiguousarray(edge[:, _FAR_FIRST].transpose(2, 1, 0))
    return StripPoses(np.concatenate(poses), edge, inside, first)


def _far_side(
    size_mm: tuple[float, float], frame_mm: tuple[float, float], side: int, count: int
) -> Points:
    """Return points (P, 2) on the centre line of a card's border along one edge: up, right, ..."""
    x, y = ((size + frame) / 4 for size, frame in zip(size_mm, frame_mm, strict=True))
    t = 0.92 * np.linspace(-1, 1, count)
    if side % 2 == 0:
        return np.stack([t * x, np.full(count, -y if side == 0 else y)], axis=1)
    return np.stack([np.full(count, x if side == 1 else -x), t * y], axis=1)


@lru_cache(maxsize=2)
def border_samples(
    size_mm: tuple[float, float], frame_mm: tuple[float, float], band_mm: float
) -> tuple[Points, Points]:
    """Return points on the border's centre line, and beside each a point just within the frame."""
    border, band = [], []
    for side in range(4):
        long = size_mm[0] if side % 2 == 0 else size_mm[1]
        count = int(long / _POSE_RIM_MM)
        border.append(_far_side(size_mm, frame_mm, side, count))
        within = (frame_mm[0] - 2 * band_mm, frame_mm[1] - 2 * band_mm)
        band.append(_far_side(frame_mm, within, side, count))
    return np.concatenate(border), np.concatenate(band)


def place_samples(places: Points, poses: FloatArray) -> FloatArray:
    """Transform points (P, 2) of a card to the table for poses (N, 3): (N, P, 2)."""
    c, s = np.cos(poses[:, 2:3]), np.sin(poses[:, 2:3])
    x, y = places[:, 0], places[:, 1]
    return np.stack([poses[:, :1] + c * x - s * y, poses[:, 1:2] + s * x + c * y], axis=-1)


_BLUR_MM = 0.75  # blur of an edge, to either side, at the scale of the search


# Criteria of a strip; lightness is a share of the upper card's white.
_WHITE = 0.72  # least lightness of a border: shadow under an upper card's edge takes a fifth
_DARK = 0.6  # largest lightness of a frame; a deck's darkest frames are below half of that
_DARK_BELOW = 0.12  # least difference of a frame to the border beside it
_FAR_SHARE = 0.75  # least white share of the visible samples of the overhanging edge
_FAR_LEAST = 4  # least visible samples of its nine, and dark ones of those within the frame
_FAR_FIRST: tuple[int, ...] = (1, 3, 5, 7)  # samples of a quick test; two of them must be white
_RIM_SHARE = 0.85  # least correct share of all visible rim samples
_WRONG_WEIGHT = 5.0  # weight of a wrong rim sample, of a correct one's
_RIM_LEAST = 8  # least visible rim samples: a strip of the least width along a short edge
_MOST_WAYS = 600  # poses per upper card that are examined closely
_MOST_READ = 16  # poses of those that are compared with the faces
_SAME_MM = 2.5  # poses nearer than this are the same
_COLOUR = 0.25  # weight of colour relative to lightness: phones and lamps change it more
# least correlation of the visible part with its face; nearly all strips have 0.66 or more
_SIMILARITY = 0.6
_NEARLY = 0.12  # margin below that within which a pose is still refined
_NEAR = 0.06  # correlation within which the face of the card on top is taken: all of 775 were right
_LEAST_PLACES = 60  # least visible grid points: 135 mm², a strip of 2 mm
_NUDGE_MM = 0.75  # to either side of the best pose, twice
# combined with each of them: half a step of the poses
_NUDGES_DEG: tuple[float, ...] = (-1.0, 0.0, 1.0)
_BORDER_MM = (6.0, 9.0)  # from a card: to there a border that sticks out shows, and table beyond
_NEAR_MM2 = 60.0  # least unexplained white beside a card; less is no border


@dataclass(frozen=True, slots=True, eq=False)
class OccludedCard:
    """A card detected beneath others.

    ``scores`` (K, 2) are the correlations of the visible part with each face, upright and rotated
    by half a turn; ``visible`` is the visible share of the face; ``pose`` (3,) has the face
    upright; ``is_similar`` is true if the card on top of it has the same face.
    """

    pose: FloatArray
    scores: FloatArray
    face: int
    visible: float
    is_similar: bool = False

    @property
    def posterior(self) -> FloatArray:
        """Probability (K,) of each face by its correlation alone, as of whole cards."""
        weights = np.exp(log_odds_by_score(self.scores.max(axis=1)))
        return np.asarray(weights / weights.sum(), np.float64)

    def is_sure(self) -> bool:
        """Return whether no other face is likely.

        The face of the upper card needs no lead, since most fans are of equal cards.
        """
        scores = self.scores.max(axis=1)
        is_best = bool(scores[self.face] >= scores.max())
        return (self.is_similar and is_best) or float(self.posterior[self.face]) >= SURE


@dataclass(frozen=True, slots=True, eq=False)
class _CardLight:
    """Photometric model of a card: lightness is ``gain`` times the face's, plus ``lift``.

    ``white`` (3,) are the tones of its border, by which colours are divided first.
    """

    white: FloatArray
    gain: float = 1.0
    lift: float = 0.0

    def over_white(self, tones: NDArray[np.float32]) -> FloatArray:
        """Convert tones (..., 3) to lightness and two colour differences, white = 1."""
        b, g, r = np.moveaxis(tones / self.white, -1, 0)
        return np.asarray(np.stack([(b + g + r) / 3, r - g, b - (r + g) / 2], axis=-1), np.float64)

    def lightness(self, tones: NDArray[np.float32]) -> FloatArray:
        """Return the lightness (...) of the face that would produce tones (..., 3)."""
        return (self.over_white(tones)[..., 0] - self.lift) / self.gain


@dataclass(eq=False)
class StripScene:
    """The rectified image and the mask of explained pixels: ``taken`` (H, W), 0 or 255."""

    rectified: Rectified
    index: FaceIndex
    taken: NDArray[np.uint8]
    tones: NDArray[np.float32] = field(init=False)
    level: NDArray[np.float32] = field(init=False)  #: mean of the channels

    def __post_init__(self) -> None:
        self.tones = self.rectified.image.astype(np.float32)
        self.level = self.tones.mean(axis=-1)

    @property
    def frame_mm(self) -> tuple[float, float]:
        """Width and height of the printed frame."""
        return self.index.rectangles_mm[-1]

    def at(self, places_mm: FloatArray) -> tuple[NDArray[np.int64], NDArray[np.int64], BoolArray]:
        """Return row and column of points (..., 2), and which are visible and unexplained."""
        px = np.rint(self.rectified.to_px(places_mm.reshape(-1, 2))).astype(np.int64)
        px = px.reshape(places_mm.shape)
        h, w = self.taken.shape
        inside = (px[..., 0] >= 0) & (px[..., 0] < w) & (px[..., 1] >= 0) & (px[..., 1] < h)
        x, y = np.clip(px[..., 0], 0, w - 1), np.clip(px[..., 1], 0, h - 1)
        open_ = inside & (self.taken[y, x] == 0) & self.rectified.inside[y, x]
        return y, x, open_

    def open_in(self, here: tuple[slice, slice]) -> BoolArray:
        """Return which pixels (H, W) of a window are visible and unexplained."""
        return np.asarray((self.taken[here] == 0) & self.rectified.inside[here], np.bool_)

    def light_of(self, pose: FloatArray, face: int) -> _CardLight:
        """Fit the photometric model to a fully visible card: its border and face (-1: unread)."""
        border, _ = border_samples(self.index.size_mm, self.frame_mm, POSE_BAND_MM)
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
        """Mark the area of a card as explained."""
        self.taken |= footprint_mask(self.rectified, [pose], self.index.size_mm)


def find_fanned_cards(
    rectified: Rectified, index: FaceIndex, tops: Sequence[tuple[FloatArray, int]]
) -> tuple[list[OccludedCard], list[Points]]:
    """Detect the cards of which strips are visible beneath others, and borders of no such card.

    Parameters
    ----------
    rectified : Rectified
        The table image, rectified at the cards' height.
    index : FaceIndex
        The faces; their deck has a printed frame in a white border.
    tops : sequence of ((3,) float64, int)
        Cards that no other covers: x mm, y mm, theta rad, upright, and the face, -1 for an unread
        card.

    Returns
    -------
    list of OccludedCard
        In the order of detection.
    list of (2,) float64
        A place on each white border beside a card that no card explains, mm.
    """
    poses = [np.asarray(pose, np.float64) for pose, _ in tops]
    scene = StripScene(rectified, index, footprint_mask(rectified, poses, index.size_mm))
    found: list[OccludedCard] = []
    queue = [
        (pose, face, scene.light_of(pose, face))
        for pose, (_, face) in zip(poses, tops, strict=True)
    ]
    done = []
    while queue:
        upper, own, light = queue.pop(0)
        done.append((upper, light))
        while (best := _best_beneath(scene, upper, own, light)) is not None:
            best = _prefer_upper_face(best, own)
            scene.take(best.pose)
            found.append(best)
            queue.append((best.pose, best.face, light))
    left = [_border_left(scene, upper, light) for upper, light in done]
    return found, [place for place in left if place is not None]


def _border_left(scene: StripScene, upper: FloatArray, light: _CardLight) -> Points | None:
    """Return a place (2,) on a white border beside a card that nothing explains, if there is one.

    Where it is white farther off, too, the table or a sheet is.
    """
    least = (_WHITE * light.gain + light.lift) * float(light.white.mean())
    scale = scene.rectified.px_per_mm
    here = _window(scene, upper, _BORDER_MM[1])
    card = footprint_mask(scene.rectified, [upper], scene.index.size_mm)[here]
    near, far = (grown(card, mm * scale) > 0 for mm in _BORDER_MM)
    open_ = scene.open_in(here)
    white = (scene.level[here] > least) & open_
    beyond = far & ~near & open_
    if beyond.any() and float(white[beyond].mean()) > 0.5:
        return None
    _, labels, stats, _ = cv2.connectedComponentsWithStats((white & near).astype(np.uint8))
    areas = stats[:, cv2.CC_STAT_AREA]
    areas[0] = 0
    if areas.max() <= _NEAR_MM2 * scale**2:
        return None
    places = np.argwhere(labels == int(areas.argmax()))[:, ::-1]
    nearest = places[np.linalg.norm(places - places.mean(axis=0), axis=1).argmin()]
    at_px = nearest + np.array([here[1].start, here[0].start])
    return np.asarray(scene.rectified.to_mm(at_px[None].astype(np.float64))[0])


def _prefer_upper_face(read: OccludedCard, face: int) -> OccludedCard:
    """Name an ambiguous strip as the card on top of it, if that face is among the likely ones.

    Most fans are of equal cards; the alternatives are reported all the same.
    """
    best = read.scores.max(axis=1)
    if face == -1 or best[face] < best.max() - _NEAR:
        return read
    if face == read.face or read.scores[face, 0] >= read.scores[face, 1]:
        return replace(read, face=face, is_similar=True)
    turned = read.pose + np.array([0, 0, np.pi])
    return replace(read, pose=turned, scores=read.scores[:, ::-1], face=face, is_similar=True)


def footprint_mask(
    rectified: Rectified, poses: Sequence[FloatArray], size_mm: tuple[float, float]
) -> NDArray[np.uint8]:
    """Return the mask (H, W), 255 on the cards at given poses, in a rectified image."""
    taken = np.zeros(rectified.image.shape[:2], np.uint8)
    wide, high = size_mm[0] + 2 * _BLUR_MM, size_mm[1] + 2 * _BLUR_MM
    for corners in card_outlines(np.array(poses).reshape(-1, 3), (wide, high)):
        cv2.fillConvexPoly(taken, np.rint(rectified.to_px(corners)).astype(np.int32), 255)
    return taken


def _best_beneath(
    scene: StripScene, upper: FloatArray, own: int, light: _CardLight
) -> OccludedCard | None:
    """Return the card beneath another that correlates best; None if none does."""
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
    """Return the rank of a reading: its correlation, plus a little for what it explains."""
    return float(read.scores.max()) + 0.2 * min(read.visible, 0.5)


def _likely_poses(scene: StripScene, upper: FloatArray, light: _CardLight) -> FloatArray:
    """Return poses (N, 3) of cards whose visible rim is correct, the best first."""
    size = scene.index.size_mm
    ways = poses_beneath(size, scene.frame_mm)
    least, most = ((v * light.gain + light.lift) * light.white.mean() for v in (_WHITE, _DARK))
    tones = _bright_and_dark(scene, upper, float(least), float(most))
    if tones is None:
        return np.zeros((0, 3))
    bright, dark = tones
    likely = np.flatnonzero(_count_lit(bright, scene.rectified, ways.first, upper) >= 2)
    within = ways.within[likely].transpose(2, 1, 0)
    likely = likely[_count_lit(dark, scene.rectified, within, upper) >= _FAR_LEAST]
    far = ways.far[likely].reshape(-1, 2) @ rotation(float(upper[2])).astype(np.float32).T
    far += np.float32(upper[:2])
    y, x, open_ = scene.at(np.asarray(far, np.float64).reshape(-1, _POSE_FAR_PLACES, 2))
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


def _window(scene: StripScene, upper: FloatArray, reach_mm: float) -> tuple[slice, slice]:
    """Return the rows and columns of a card and what lies within reach of it."""
    width, height = scene.index.size_mm
    (corners,) = card_outlines(upper[None], (width + 2 * reach_mm, height + 2 * reach_mm))
    px = scene.rectified.to_px(corners)
    (x0, y0), (x1, y1) = (np.maximum(v, 0).astype(int) for v in (px.min(axis=0), px.max(axis=0)))
    return np.s_[y0 : y1 + 1, x0 : x1 + 1]


def _bright_and_dark(
    scene: StripScene, upper: FloatArray, least: float, most: float
) -> tuple[BoolArray, BoolArray] | None:
    """Return masks of unexplained bright and dark pixels (H, W) near a card; None if too few."""
    here = _window(scene, upper, _POSE_MOST_MM)
    open_ = scene.open_in(here)
    near = (scene.level[here] > least) & open_
    if np.count_nonzero(near) <= _NEAR_MM2 * scene.rectified.px_per_mm**2:
        return None
    bright, dark = (np.zeros(scene.taken.shape, np.bool_) for _ in range(2))
    bright[here] = near
    dark[here] = (scene.level[here] < most) & open_
    return bright, dark


def _count_lit(
    mask: BoolArray, rectified: Rectified, places: NDArray[np.float32], upper: FloatArray
) -> NDArray[np.uint8]:
    """Count for each of W poses the points (2, P, W), x and y on a card, on a mask's pixels."""
    h, w = mask.shape
    scale = rectified.px_per_mm
    turn = (scale * rotation(float(upper[2]))).astype(np.float32)
    off = scale * (upper[:2] - rectified.origin_mm) + 0.5
    shift = (off + 1).astype(np.float32)  # beside a rim of a pixel
    lit = np.zeros((h + 2, w + 2), np.uint8)
    lit[1:-1, 1:-1] = mask
    found = np.zeros(places.shape[2], np.uint8)
    for x, y in places.swapaxes(0, 1):
        column = (turn[0, 0] * x + turn[0, 1] * y + shift[0]).astype(np.int32)
        row = (turn[1, 0] * x + turn[1, 1] * y + shift[1]).astype(np.int32)
        np.clip(column, 0, w + 1, out=column)
        np.clip(row, 0, h + 1, out=row)
        found += lit.ravel()[row * (w + 2) + column]
    return found


def _rim_share(
    scene: StripScene, poses: FloatArray, light: _CardLight
) -> tuple[FloatArray, NDArray[np.int64]]:
    """Return the correct share (N,) of visible rim samples, and the count of visible ones."""
    border, band = border_samples(scene.index.size_mm, scene.frame_mm, POSE_BAND_MM)
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
    """Return the indices of poses that are not near a better one."""
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
    """Compare the visible part of a card with all faces; None if too little is visible."""
    index = scene.index
    y, x, open_ = scene.at(place_samples(index.grid_mm, pose[None])[0])
    some = np.flatnonzero(open_)
    if len(some) < _LEAST_PLACES:
        return None
    seen = light.over_white(scene.tones[y[some], x[some]])[None]
    each = (index.features.take(k, axis=1) for k in (some, len(open_) - 1 - some))
    scores = np.stack([colour_correlation(seen, faces, _COLOUR) for faces in each], axis=1)
    face = int(scores.max(axis=1).argmax())
    turned = bool(scores[face, 1] > scores[face, 0])
    upright = pose + np.array([0, 0, np.pi]) if turned else pose
    return OccludedCard(upright, scores[:, ::-1] if turned else scores, face, float(open_.mean()))


def _perturb(scene: StripScene, read: OccludedCard, face: int, light: _CardLight) -> OccludedCard:
    """Refine a card's pose for the best correlation with a face."""
    is_turned = bool(read.scores[face, 1] > read.scores[face, 0])
    pose = read.pose + np.array([0, 0, np.pi]) if is_turned else read.pose
    for scale in (1.0, 0.5):
        around = [
            pose + scale * np.array([dx, dy, np.radians(turn)])
            for dx in (-_NUDGE_MM, 0.0, _NUDGE_MM)
            for dy in (-_NUDGE_MM, 0.0, _NUDGE_MM)
            for turn in _NUDGES_DEG
        ]
        shares, _ = _rim_share(scene, np.array(around), light)
        tried = _scores_at_poses(scene, np.array(around), light, face) + shares
        pose = around[int(tried.argmax())]
    return _match_strip(scene, pose, light) or read


def _scores_at_poses(
    scene: StripScene, poses: FloatArray, light: _CardLight, face: int
) -> FloatArray:
    """Return correlations (N,) of the visible part of a card at poses (N, 3) with one face."""
    y, x, open_ = scene.at(place_samples(scene.index.grid_mm, poses))
    some = np.flatnonzero(open_.any(axis=0))
    open_ = open_[:, some]
    seen = light.over_white(scene.tones[y[:, some], x[:, some]])
    scores = colour_correlation(seen, scene.index.features[[face]][:, some], _COLOUR, open_)
    return np.where(open_.sum(axis=1) < _LEAST_PLACES, 0.0, scores)


def colour_correlation(
    seen: FloatArray, faces: FloatArray, colour: float, visible_mask: BoolArray | None = None
) -> FloatArray:
    """Return the correlations (N,) of pixels (N or 1, P, 3) with faces (N or 1, P, 3).

    Each channel is centred on its mean over the visible points (N, P), and colours are weighted: so
    haze and the saturation of colours have no influence.
    """
    weights = np.array([1.0, colour, colour])
    if visible_mask is None:
        one, other = ((v - v.mean(axis=1, keepdims=True)) * weights for v in (seen, faces))
    else:
        places = visible_mask.astype(np.float64)
        count = np.maximum(places.sum(axis=1), 1)
        one, other = (_centred(v, places, count) * weights for v in (seen, faces))
    both = np.einsum("npc,npc->n", one, other)
    power = [np.einsum("npc,npc->n", v, v) for v in (one, other)]
    return np.asarray(both / np.sqrt(np.maximum(power[0] * power[1], 1e-12)), np.float64)


def _centred(seen: FloatArray, places: FloatArray, count: FloatArray) -> FloatArray:
    """Return tones (N or 1, P, 3) minus their mean over the visible points (N, P); there alone."""
    mean = (places[:, None] @ seen) / count[:, None, None]
    return np.asarray((seen - mean) * places[..., None], np.float64)
