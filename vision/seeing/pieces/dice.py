"""Detects dice on a plane and reads their numbers.

The upper face of a die is one edge length above its base: rectified to that height it is a square
of known size with pips in one of six patterns. The patterns are compared at all rotations wherever
pips may be. A side face looks the same at that height if the camera is low, but it is always
between the upper face and the camera.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_corners, rotation, table_from_card
from vision.imaging.view import View
from vision.seeing.pieces.board_scene import Base, BoardScene
from vision.seeing.pieces.photometric_fit import to_art_colours, to_opponent_colours
from vision.seeing.pieces.rectify import Rectified, map_plane, rectify
from vision.seeing.pieces.ring_correlation import (
    Rings,
    RingSettings,
    read_ring_profiles,
    ring_correlation,
    ring_profiles_of,
)
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, Points
from vision.values.layout import Other, Placed
from vision.values.pieces import Piece

__all__ = ["SURE", "DieFace", "find_dice"]

PIPS = (
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    ((-1, -1), (1, -1), (0, 0), (1, 1), (-1, 1)),
    ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
)  # of the faces 1 to 6, in units of the pips' distance from the centre lines


# Detection of dice.
_EDGE_PX = 32.0  # edge of a die in the rectified image: a pip is six pixels wide
_PIP = 0.095  # radius of a pip, of the edge: dice have 0.08 to 0.11
_PIP_AT = 0.25  # distance of pips from the centre lines, of the edge: dice have 0.22 to 0.28
_PIPS = 240  # largest number of pips, strongest first: a patterned cloth has as many dots
_ROUND = 0.3  # least ratio of curvatures along and across a pip (disc: 1, grain: 0)
_SIMILARITY = 0.4  # least ratio of the strengths of two pips of a face: glare takes half
_CONTRAST = 12.0  # least contrast of a pip (grey levels)
_PLACES = 700  # largest number of places that are compared
_KEPT = 60  # best of them that are compared exactly
_SCORE = 0.76  # least score of a face; wood and print reach 0.75
_SIDE_LEAD = 0.15  # largest score deficit of an upper face to its side
_COVERED = 0.35  # least covered share of the board under a die: white hides white less
_OUTSIDE = 10.0  # least contrast (grey levels, any channel) of an edge: a white die on white paper
_SIDES = 3  # least edges of four with that contrast: dots of a board have none
# distances from the centre at which an edge is sampled, of the edge: inside its rounding
_INNER = 0.43
_OUTER = 0.59  # and outside
_SHARPNESS = 40.0  # slope of the log odds by score: 0.12 of correlation are one in a hundred
_BY_CHANCE = 24.0  # the same for the chance that it is no upright face: tilted ones reach 0.95
_ALONE = 0.1  # factor on that chance if the surroundings have another tone than the die
_FAINT = 12.0  # weakest edge (grey levels) at which a die is as often tilted as not
_LEAST_CHANCE = 0.001  # least probability of another number to be reported
SURE = 0.99  # probability of a name or number below which it is doubtful
_CHANCE = 0.76  # score of chance patterns
_LEAD = 0.08  # score lead at which a single die excludes another face of its tone
_BY_PIP = 0.03  # score per further pip: dots by chance form no pattern
_WITHIN = 0.45  # distance, of the edge, below which two centres are of one face
_APART = 0.7  # least distance of two dice's centres, of the edge
_PLACE_SD = 0.04  # position error, of the edge (1 sd): dice have round corners
_HEIGHT_SD = 0.03  # height error, of the edge (1 sd)
_TONE = 0.3  # largest difference of a face from a die's tone, of its lightness
_PLAIN = 0.3  # colour over lightness above which a tone is compared by its hue
_SLIVER = 0.12  # least visible share of a side's depth: less is narrower than the gap
# distances from the centre, of the edge, where the surroundings are sampled
_BEHIND: tuple[float, float] = (0.62, 0.78)
_TURN_SD = 0.03  # heading error (rad, 1 sd): edges give two degrees


@dataclass(frozen=True, slots=True, eq=False)
class DieFace:
    """A square that may be the upper face of a die: pose, and scores of the six numbers."""

    pose: FloatArray
    scores: FloatArray
    base_mm: float
    edge_mm: float
    tone: FloatArray
    weakest: float  #: contrast of the faintest of its four edges, grey levels
    behind: float = 0.0  #: least difference of its surroundings from a tilted die's upper face


_RIM_MM = 5.0  # margin of what covers a board, and of its edge: a die there leans over print


def visible_print_mask(rectified: Rectified, scene: BoardScene) -> BoolArray:
    """Return where (H, W) the photo has print of the plane, whose dots are no pips.

    A point of the rectified image is displaced if it is at a lower height.
    """
    height, width = rectified.image.shape[:2]
    out = np.zeros((height, width), np.uint8)
    grid = np.meshgrid(np.linspace(0, width - 1, 12), np.linspace(0, height - 1, 12))
    at = np.rint(np.stack(grid, axis=-1).reshape(-1, 2))
    at = at[rectified.inside[at[:, 1].astype(int), at[:, 0].astype(int)]]
    if len(at) < 12 or np.ptp(at, axis=0).min() < 2:
        return out > 0  # hardly anything is in the photo
    low = scene.on_plane(map_plane(scene.solution, rectified.to_mm(at), rectified.height_mm))
    warp, _ = cv2.findHomography(low, at, cv2.RANSAC, 2.0)  # the lens model is off in the corners
    if scene.covered is not None:
        cover = scene.covered
        side = 2 * round(_RIM_MM * cover.px_per_mm) + 1
        shown = cv2.erode(
            (cover.image[..., 0] < 128).astype(np.uint8),
            np.ones((side, side), np.uint8),
            borderType=cv2.BORDER_CONSTANT,
            borderValue=(0.0,),
        )
        mm = np.diag([1 / cover.px_per_mm, 1 / cover.px_per_mm, 1.0])
        mm[:2, 2] = cover.origin_mm
        way = cv2.INTER_NEAREST
        out = np.asarray(
            cv2.warpPerspective(shown, warp @ mm, (width, height), flags=way), np.uint8
        )
    for outline in scene.beside_mm:
        px = cv2.perspectiveTransform(np.asarray(outline, np.float64)[None], warp)[0]
        cv2.fillConvexPoly(out, np.rint(px).astype(np.int32), 1)
    return np.asarray(out > 0, np.bool_)


def propose_dice(gray: NDArray[np.float32], rectified: Rectified, bare: BoolArray) -> Points:
    """Return centres (N, 2) px of possible faces: of single pips, and of pairs of pips."""
    radius = _PIP * _EDGE_PX
    inner = cv2.GaussianBlur(gray, (0, 0), radius * 0.6)
    outer = cv2.GaussianBlur(gray, (0, 0), radius * 1.4)
    strength = np.abs(inner - outer)
    strength[~rectified.inside | bare | ~_is_round(np.asarray(inner, np.float32))] = 0
    size = 2 * int(radius) + 1
    top = cv2.dilate(strength, np.ones((size, size), np.uint8))
    y, x = np.nonzero((strength >= top) & (strength > _CONTRAST / 3))
    order = np.argsort(-strength[y, x])[:_PIPS]
    pips = np.stack([x[order], y[order]], axis=1).astype(float)
    sign = np.sign((outer - inner)[y[order], x[order]])
    strong = strength[y[order], x[order]]
    one, other = np.triu_indices(len(pips), 1)
    away = np.hypot(*(pips[one] - pips[other]).T) / _EDGE_PX
    straight, across = 2 * _PIP_AT, 2 * _PIP_AT * np.sqrt(2)
    near = (np.abs(away - straight) < 0.12) | (np.abs(away - across) < 0.15)
    near &= sign[one] == sign[other]
    near &= np.minimum(strong[one], strong[other]) > _SIMILARITY * np.maximum(
        strong[one], strong[other]
    )
    middles = (pips[one[near]] + pips[other[near]]) / 2
    return np.concatenate([pips, middles])[:_PLACES]


def _is_round(soft: NDArray[np.float32]) -> BoolArray:
    """Return where (H, W) an image is curved alike in both directions: on pips, not on lines."""
    xx = cv2.Sobel(soft, cv2.CV_32F, 2, 0)
    yy = cv2.Sobel(soft, cv2.CV_32F, 0, 2)
    xy = cv2.Sobel(soft, cv2.CV_32F, 1, 1)
    return np.asarray(xx * yy - xy**2 > _ROUND * ((xx + yy) / 2) ** 2, np.bool_)


def find_dice(
    view: View, scene: BoardScene, pieces: Sequence[Piece], art: Mapping[str, ImageBGR]
) -> list[Placed]:
    """Detect the dice on a board and on the table round it.

    Parameters
    ----------
    view : View
        The photo.
    scene : BoardScene
        The plane and the search area.
    pieces : sequence of Piece
        Dice; if there are several, their art distinguishes them by colour.
    art : mapping
        From a die's id to any of its faces; may be incomplete.

    Returns
    -------
    list of Placed
        The most certain first. ``side`` is a die's number, its alternatives are
        ``<piece>-<number>``.
    """
    found: list[DieFace] = []
    for edge in sorted({min(piece.size_mm) for piece in pieces}):
        for base in scene.bases():
            found += _faces_on(view, scene, edge, base)
    chosen = _suppress_side_faces(found, scene)
    return _named(chosen, scene, pieces, art)


def _faces_on(view: View, scene: BoardScene, edge: float, base: Base) -> list[DieFace]:
    """Read the possible upper faces of dice of a size on a base."""
    rectified = rectify(view, scene.solution, scene.box_mm, _EDGE_PX / edge, base[0] + edge)
    image = to_art_colours(rectified, scene.photometry)
    gray = np.asarray(image @ np.array([0.3, 0.4, 0.3], np.float32), np.float32)
    places = propose_dice(gray, rectified, visible_print_mask(rectified, scene))
    places = places[scene.fits(rectified.to_mm(places), base)]
    if not len(places):
        return []
    faces = _number_templates()
    at, turn, scores = _compare(gray, places, faces)
    good = np.flatnonzero(scores.max(axis=1) > _SCORE)
    found: list[DieFace] = []
    for k in good[np.argsort(-scores[good].max(axis=1))]:
        pose = np.array([*rectified.to_mm(at[k][None])[0], turn[k]])
        if any(np.hypot(*(f.pose[:2] - pose[:2])) < 0.3 * edge for f in found):
            continue
        square, sides = _fit_square(image, np.array([*at[k], turn[k]]), int(scores[k].argmax()))
        if sides < _SIDES:
            continue
        pose = np.array([*rectified.to_mm(square[None, :2])[0], square[2]])
        if not scene.hides(pose[:2], edge / 2, _COVERED):
            continue
        weakest = _weakest_edge(image, square, int(scores[k].argmax()))
        tone, fall = _tone(image, square), scene.shift_by_height(pose[:2], base[0] + edge)
        strips = _tones_behind(image, square, fall)
        behind = min(_unlike_top(one, tone, coloured=scene.coloured) for one in strips)
        found.append(DieFace(pose, scores[k], base[0], edge, tone, weakest, behind))
    return found


def _tone(image: NDArray[np.float32], pose_px: FloatArray) -> FloatArray:
    """Return the tone (3,) of a face beside its pips: a strip inside its edges."""
    ring = card_corners(0.86 * _EDGE_PX, 0.86 * _EDGE_PX)
    at = table_from_card((ring + np.roll(ring, 1, axis=0)) / 2, *pose_px).astype(np.float32)
    seen = cv2.remap(image, at[:, :1], at[:, 1:], cv2.INTER_LINEAR)
    return np.asarray(np.median(seen.reshape(-1, 3), axis=0), np.float64)


@cache
def _number_templates() -> Rings:
    """Return ring profiles of the six faces, bright with dark pips."""
    px = 160
    drawn: list[ImageBGR] = []
    for pips in PIPS:
        face = np.full((px, px, 3), 255, np.uint8)
        for x, y in pips:
            at = tuple(round(px / 2 + _PIP_AT * px * v) for v in (x, y))
            cv2.circle(face, at, round(_PIP * px), (0, 0, 0), -1, cv2.LINE_AA)
        drawn.append(np.asarray(cv2.GaussianBlur(face, (0, 0), 4), np.uint8))
    return ring_profiles_of(drawn, _PIP_RINGS, coloured=False)


_PIP_RINGS = RingSettings(
    rings=14, turns=72, innermost=0.04, outermost=0.98, by_area=0.5, faint=4.0
)


def _compare(
    gray: NDArray[np.float32], places: Points, faces: Rings
) -> tuple[Points, FloatArray, FloatArray]:
    """Compare places (N, 2) px with the six patterns: centres, rotations and scores (N, 6).

    Pips may be darker or brighter than their face, but all in the same way.
    """
    at = places.copy()
    for step in (0.0, 2.0, 1.0, 0.5):
        reach = np.unique([-step, 0.0, step])
        spots = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 2)
        trial = (at[:, None] + spots).reshape(-1, 2)
        seen = read_ring_profiles(gray[..., None], trial, _EDGE_PX / 2, _PIP_RINGS)
        similarity = np.abs(ring_correlation(seen, faces))
        best = similarity.max(axis=(1, 2)).reshape(len(at), -1).argmax(axis=1)
        chosen = np.arange(len(at)) * len(spots) + best
        at, similarity = trial[chosen], similarity[chosen]
        if step == 0:  # most places are no faces
            keep = np.argsort(-similarity.max(axis=(1, 2)))[:_KEPT]
            at, similarity = at[keep], similarity[keep]
    scores = similarity.max(axis=2)
    number = scores.argmax(axis=1)
    turn = similarity[np.arange(len(at)), number].argmax(axis=1) * 2 * np.pi / _PIP_RINGS.turns
    return at, (turn + np.pi / 4) % (np.pi / 2) - np.pi / 4, scores


def _edge_contrasts(image: NDArray[np.float32], poses_px: FloatArray) -> FloatArray:
    """Return the contrast across each edge (N, 4) of squares at poses (N, 3): px, px, rad.

    It is that of the channel that changes most, averaged along the edge.
    """
    along = np.linspace(-0.34, 0.34, 9)
    steps = []
    for across in (_INNER, _OUTER):
        side = np.stack([along, np.full(9, -across)], axis=1)  # the upper edge, then clockwise
        square = np.concatenate([side @ rotation(k * np.pi / 2).T for k in range(4)])
        cos, sin = np.cos(poses_px[:, 2:]), np.sin(poses_px[:, 2:])
        x = poses_px[:, :1] + _EDGE_PX * (cos * square[:, 0] - sin * square[:, 1])
        y = poses_px[:, 1:2] + _EDGE_PX * (sin * square[:, 0] + cos * square[:, 1])
        tones = cv2.remap(image, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR)
        steps.append(np.asarray(tones, float).reshape(len(poses_px), 4, 9, 3).mean(axis=2))
    return np.asarray(np.abs(steps[1] - steps[0]).max(axis=2), np.float64)


def _fit_square(
    image: NDArray[np.float32], pose_px: FloatArray, number: int
) -> tuple[FloatArray, int]:
    """Fit a square to the edges of a die: its pose (px, px, rad), and the number of clear edges."""
    best = pose_px
    reach = np.arange(-2, 3) * 0.02 * _EDGE_PX
    turns = np.arange(-45, 45, 5) if number == 0 else np.arange(-9, 10, 3)
    for turn, shift in ((np.radians(turns), 1.0), (np.radians(np.arange(-3, 4)), 0.5)):
        grid = np.stack(np.meshgrid(reach * shift, reach * shift, turn), axis=-1).reshape(-1, 3)
        trial = best + grid
        clear = np.minimum(_edge_contrasts(image, trial), 2 * _OUTSIDE).sum(axis=1)
        off = np.hypot(*(trial - pose_px)[:, :2].T) / _EDGE_PX
        best = trial[int(np.argmax(clear - _OUTSIDE * (off / 0.03) ** 2))]
    shown = int((_edge_contrasts(image, best[None])[0] > _OUTSIDE).sum())
    return best, shown


def _weakest_edge(image: NDArray[np.float32], square_px: FloatArray, number: int) -> float:
    """Return the contrast of a square's faintest edge, at its best pose nearby, grey levels.

    All four edges of an upper face are visible; a pip of a tilted face does not have four.
    """
    reach = np.arange(-2, 3) * 0.02 * _EDGE_PX
    turns = np.arange(-45, 45, 5) if number == 0 else np.arange(-12, 13, 3)
    grid = np.stack(np.meshgrid(reach, reach, np.radians(turns)), axis=-1).reshape(-1, 3)
    return float(_edge_contrasts(image, square_px + grid).min(axis=1).max())


def _tones_behind(
    image: NDArray[np.float32], square_px: FloatArray, fall: FloatArray
) -> FloatArray:
    """Return the tones (N, 3) beside a square where no side of an upright die is visible.

    ``fall`` (2,) is the shift towards the camera, per mm of depth, of a lower point; sides are
    visible there.
    """
    normals = rotation(float(square_px[2])) @ np.array([[0.0, 1, 0, -1], [-1, 0, 1, 0]])
    hidden = [k for k in range(4) if float(fall @ normals[:, k]) < _SLIVER]
    x, y = np.meshgrid(np.linspace(-0.3, 0.3, 7), np.linspace(-_BEHIND[1], -_BEHIND[0], 3))
    strip = np.stack([x, y], axis=-1).reshape(-1, 2)  # outside the upper edge
    tones = []
    for k in hidden:
        at = table_from_card(strip @ rotation(k * np.pi / 2).T * _EDGE_PX, *square_px)
        seen = cv2.remap(
            image,
            at[:, 0].astype(np.float32),
            at[:, 1].astype(np.float32),
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE,
        )
        tones.append(np.median(seen.reshape(-1, 3), axis=0))
    return np.asarray(tones, np.float64)


def _suppress_side_faces(faces: Sequence[DieFace], scene: BoardScene) -> list[DieFace]:
    """Keep faces that are neither part of another nor a side of another's die; best first."""

    def whole(face: DieFace) -> float:  # a pip of a face may pass for a one
        return float(face.scores.max()) + _BY_PIP * int(face.scores.argmax())

    seen = _non_max_suppression(sorted(faces, key=whole, reverse=True), _WITHIN)
    upper = [
        face
        for face in seen
        if not any(
            _is_side_of(face, other, scene)
            for other in seen
            if other is not face and other.scores.max() > face.scores.max() - _SIDE_LEAD
        )
    ]
    return _non_max_suppression(sorted(upper, key=lambda f: -float(f.scores.max())), _APART)


def _non_max_suppression(faces: Sequence[DieFace], apart: float) -> list[DieFace]:
    """Keep faces that are farther than a share of the edge from all earlier ones."""
    kept: list[DieFace] = []
    for face in faces:
        if all(np.hypot(*(face.pose - k.pose)[:2]) > apart * face.edge_mm for k in kept):
            kept.append(face)
    return kept


def _is_side_of(face: DieFace, die: DieFace, scene: BoardScene) -> bool:
    """Return whether a face is where the camera sees a side of another's die."""
    height = die.base_mm + die.edge_mm
    fall = die.edge_mm * scene.shift_by_height(die.pose[:2], height)
    length = float(np.hypot(*fall))
    if length < 0.25 * die.edge_mm:
        return False  # seen from above, a side is a strip
    off = face.pose[:2] - die.pose[:2]
    ahead = float(off @ fall) / length
    beside = float(abs(off[0] * fall[1] - off[1] * fall[0])) / length
    # the centre of a side is half an edge away, and half an edge lower
    reach = 0.5 * length + 0.75 * die.edge_mm
    return 0.3 * die.edge_mm < ahead < reach and beside < 0.65 * die.edge_mm


def _named(
    faces: Sequence[DieFace],
    scene: BoardScene,
    pieces: Sequence[Piece],
    art: Mapping[str, ImageBGR],
) -> list[Placed]:
    """Assign faces to dice, by their tone if dice have one.

    Two equally clear faces of a tone with a single die are both reported: it is unknown which
    counts.
    """
    left = {p.id: p.copies if p.copies is not None else len(faces) for p in pieces}
    found: list[Placed] = []
    best: dict[str, float] = {}
    for face in faces:
        of_size = [p for p in pieces if min(p.size_mm) == face.edge_mm]
        fitting = [p for p in of_size if left[p.id] > 0 or p.tone]
        if not fitting:
            continue
        away = {
            p.id: _difference(face.tone, _tone_of(p, art), coloured=scene.coloured) for p in fitting
        }
        piece = min(fitting, key=lambda p: away[p.id])
        off = away[piece.id]
        if piece.tone and off > _TONE:
            continue  # dots in a square of another colour
        score = float(face.scores.max())
        if left[piece.id] <= 0 and score < best[piece.id] - _LEAD:
            continue
        left[piece.id] -= 1
        best.setdefault(piece.id, score)
        spot = f"die-{len(found) + 1}"
        found.append(_report(face, piece.id, spot, scene))
    return found


def _tone_of(piece: Piece, art: Mapping[str, ImageBGR]) -> FloatArray | None:
    """Return the tone (3,) BGR of a die: as specified, else the median of its art."""
    if piece.tone:
        return np.array([int(piece.tone[k : k + 2], 16) for k in (5, 3, 1)], np.float64)
    face = art.get(piece.id)
    return None if face is None else np.asarray(np.median(face.reshape(-1, 3), axis=0), np.float64)


def _difference(seen: FloatArray, tone: FloatArray | None, *, coloured: bool) -> float:
    """Return the difference of an observed tone (3,) from that of a die.

    Colours are taken relative to lightness: light falls off, and a die may be glossy. If both are
    vivid, only the hue counts: dark and light blue are the same.
    """
    if tone is None:
        return 1e3
    one, other = (to_opponent_colours(np.asarray(v, np.float32), True) for v in (tone, seen))
    if not coloured and abs(float(other[1]) - float(other[2])) < 6:
        return float(abs(one[0] - other[0])) / 255
    one, other = (v[1:] / (max(float(v[0]), 0.0) + 30) for v in (one, other))
    lengths = float(np.hypot(*one)), float(np.hypot(*other))
    if min(lengths) > _PLAIN:
        least = min(lengths)
        return float(np.hypot(*(one / lengths[0] - other / lengths[1]))) * least
    return float(np.hypot(*(one - other)))


def _unlike_top(behind: FloatArray, tone: FloatArray, *, coloured: bool) -> float:
    """Return by how much the surroundings (3,) differ from the upper face of a tilted die.

    That face would be visible behind the one that was read, in its colour and no darker: it looks
    up, where the light comes from.
    """
    darker = 1.0 - max(float(behind.mean()), 0.0) / max(float(tone.mean()), 1.0)
    return max(_difference(behind, tone, coloured=coloured), darker)


def _posterior(face: DieFace) -> FloatArray:
    """Return the probability of each number (6,).

    A chance pattern, or a die that is tilted because one edge is hardly visible, may have any
    number but the opposite one. Behind the upper face of a tilted die another of its faces is
    visible.
    """
    best = int(face.scores.argmax())
    weights = np.exp(_SHARPNESS * (face.scores - face.scores[best]))
    by_chance = np.exp(_BY_CHANCE * (_CHANCE - face.scores[best]))
    weights /= weights.sum() + by_chance * (_ALONE if face.behind > _TONE else 1.0)
    leans = 1.0 / (1.0 + (face.weakest / _FAINT) ** 4)
    lost = (1.0 - leans) * (1.0 - float(weights.sum())) + leans / 2
    weights *= 1.0 - leans
    weights[best] += leans / 2
    beside = np.full(6, 1 / 4)
    beside[[best, 5 - best]] = 0.0
    return np.asarray(weights + lost * beside, np.float64)


def _report(face: DieFace, piece: str, spot: str, scene: BoardScene) -> Placed:
    """Return a face as a placed die with its alternatives."""
    height = face.base_mm + face.edge_mm
    weights = _posterior(face)
    best = int(face.scores.argmax())
    second = int(np.argsort(-weights)[1])
    by_height = scene.shift_by_height(face.pose[:2], height)
    place = np.eye(2) * (_PLACE_SD * face.edge_mm) ** 2 + scene.spread_mm(face.pose[:2])
    place += (_HEIGHT_SD * face.edge_mm) ** 2 * np.outer(by_height, by_height)
    covariance = np.zeros((3, 3))
    covariance[:2, :2] = place
    covariance[2, 2] = _TURN_SD**2
    x, y, theta = (float(v) for v in face.pose)
    corners = table_from_card(card_corners(face.edge_mm, face.edge_mm), x, y, theta)
    others = tuple(
        Other(f"{piece}-{k + 1}", float(face.scores[k]), float(weights[k]))
        for k in np.argsort(-weights)
        if k != best and (weights[k] > _LEAST_CHANCE or (k == second and weights[best] < SURE))
    )
    return Placed(
        spot,
        piece,
        x,
        y,
        theta,
        covariance,
        map_plane(scene.solution, corners, height),
        score=float(face.scores[best]),
        confidence=float(weights[best]),
        others=others,
        side=str(best + 1),
        kind="die",
    )
