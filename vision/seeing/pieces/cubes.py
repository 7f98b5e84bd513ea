"""Detects dice on a plane and reads their numbers: proposed by pips, verified by rendering.

The upper face of a die is one edge length above its base: rectified to that height it is a square
of known size with pips in one of six patterns. Each pip may be the centre of a one, and each two
pips a diagonal of another number. The rendered patterns are correlated with the image there, the
pose is refined together with the edges of the square, and both give the posterior of the numbers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_corners, fold_angles, rotation, table_from_card
from vision.imaging.masks import mask_at
from vision.imaging.view import sample
from vision.seeing.estimation.rectify import Rectified, map_plane
from vision.seeing.pieces.board_scene import (
    SURE,
    BoardScene,
    Found,
    doubt_about,
    keep_apart,
    local_maxima,
    others_of,
    placed_at,
)
from vision.seeing.pieces.print_comparison import DARK, bgr_of, to_opponent_colours
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, IntArray, Points
from vision.values.layout import Placed
from vision.values.pieces import Piece

__all__ = ["SURE", "DieFace", "find_cubes"]

PIPS = (
    ((0, 0),),
    ((-1, -1), (1, 1)),
    ((-1, -1), (0, 0), (1, 1)),
    ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    ((-1, -1), (1, -1), (0, 0), (1, 1), (-1, 1)),
    ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
)  # of the faces 1 to 6, in units of the pips' distance from the centre lines


# Detection of dice. The posterior was fitted to 255 dice and 22 other squares: 71 dice of samples,
# drawn and ray-traced turns, 168 on cloth of their own colour, 48 that lean. Fitted again to 138
# ray-traced ones that lie flat and 32 that lean by 5 to 26 degrees, once rims were left out.
_EDGE_PX = 24.0  # edge of a die in the rectified image: a pip is five pixels wide
_PIP = 0.095  # radius of a pip, of the edge: dice have 0.08 to 0.11
_PIP_AT = 0.25  # distance of pips from the centre lines, of the edge: dice have 0.22 to 0.28
_PIPS = 240  # largest number of pips, strongest first: a patterned cloth has as many dots
_CONTRAST = 4.0  # least contrast of a pip (grey levels); also the noise floor of a face
_KEPT = 60  # best places whose poses are refined
_FOOT = 1.4  # width of a die with its shadow, of its edge
_STEPS = (0.0, 2.0, 1.0, 0.5)  # of the search of poses round a start, px at a die's corners
_ALONG = 0.34  # half the length along an edge that is compared, of the edge: corners are round
_SIDE = 16  # samples of a rendered face along each side
_FACE = 0.85  # width of a rendered face, of the edge: beyond, its edges are round and shine
_INNER, _OUTER = 0.43, 0.59  # distances from the centre, of the edge, to both sides of an edge
_SURE_EDGE = 20.0  # weakest edge (grey levels, any channel) at which no number can be surer
_SCORE = 0.96  # correlation at which a square with that edge and its colour behind it is a die
_SHARPNESS = 60.0  # slope of those odds (log) by correlation
_INDEPENDENT = 16  # independent errors of a face of 256 samples: pips are blurred, edges shaded
_ALONE = 7.0  # log odds of a square without its colour behind it: a tilted die shows its top there
_TONE = 0.3  # colour difference, of the lightness, at which a face is of another die
_NO_BODY = 0.5  # least chance of a number that shows clearly, though no body does
# Evidence of the body below a face, fitted to 161 ray-traced dice and 40 dominoes, plates, papers
# and pictures with pips: slope of its log odds by the best correlation of its sides with the
# patterns of a die's, and the correlation at which it says nothing.
_SIDE_SLOPE, _SIDE_SCORE = 24.0, 0.62
_APART = 0.5  # least distance of two dice's centres, of the edge; of two faces of one die, half
_PLACE_SD = 0.04  # error of position and height, of the edge, and of heading, rad (1 sd)


@dataclass(frozen=True, slots=True, eq=False)
class DieFace:
    """A square that may be the upper face of a die: pose, and scores of the six numbers."""

    pose: FloatArray
    scores: FloatArray
    edge_mm: float
    tone: FloatArray
    weakest: float  #: contrast of the faintest of its four edges, grey levels
    behind: float = 0.0  #: least difference of its surroundings from a tilted die's upper face
    body: float = 0.0  #: log odds (natural) of a die's body below it against none; 0 if none shows


def find_cubes(scene: BoardScene) -> list[Found]:
    """Detect the dice on a board and beside it, the most certain first; by kind on one of the two.

    Of several their tone, or the art of any face, distinguishes them by colour. ``side`` is a die's
    number, its alternatives are ``<piece>-<number>``.
    """
    pieces = scene.looks.pieces.of_kind("die")
    beside = {piece.id for piece in pieces if piece.on == "table"}
    faces = [
        face
        for edge in sorted({min(piece.size_mm) for piece in pieces})
        for face in _possible_faces(scene, edge)
    ]
    found: list[Found] = []
    for die, edge in _named(_upper_faces(faces, scene), scene, pieces):
        at = np.array([[die.x_mm, die.y_mm]])
        if die.piece in beside and scene.is_on_board(at)[0]:
            continue
        foot = table_from_card(
            card_corners(_FOOT * edge, _FOOT * edge), die.x_mm, die.y_mm, die.theta_rad
        )
        doubts = []
        if die.confidence < SURE and die.others:
            other = die.others[0].piece.rpartition("-")[2]
            doubts.append(doubt_about(die, "die_unsure", number=die.side, other=other))
        found.append(Found(die, scene.hull_of(foot, edge), tuple(doubts)))
    return found


def _possible_faces(scene: BoardScene, edge: float) -> list[DieFace]:
    """Return the possible upper faces of dice of a size, the clearest first."""
    rectified, image = scene.in_art_colours(scene.box_mm, _EDGE_PX / edge, edge)
    gray = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.float32)
    pips, is_dark = _find_pips(gray, rectified, scene)
    starts = _propose_faces(pips, is_dark)
    poses = _refine(image, gray, starts)
    found: list[DieFace] = []
    scores = _compare(gray, poses)
    for px, score, least in zip(poses, scores, _weakest_edges(image, poses), strict=True):
        pose = np.array([*rectified.to_mm(px[None, :2])[0], px[2]])
        face = DieFace(pose, score, edge, np.zeros(3), float(least), 1.0)
        if not _is_likely(face):
            continue
        fall = scene.shift_by_height(pose[:2], edge)
        tone, behind = _tones(image, px, fall)
        unlike = min(_unlike_top(one, tone, coloured=scene.coloured) for one in behind)
        body = _body_odds(gray, px, int(score.argmax()), fall)
        face = replace(face, tone=tone, behind=unlike, body=body)
        found += [face] if _is_likely(face) else []
    return found


def _is_likely(face: DieFace) -> bool:
    """Return whether a square is likelier the upper face of a die than not, were its body hidden.

    One whose sides do not show as they should is reported, too, but doubted: they may be in glare.
    """
    return bool(_likely_numbers(_with_hidden_body(face)).sum() > 0.5)


def _with_hidden_body(face: DieFace) -> DieFace:
    """Return a face without what speaks against a body below it."""
    return replace(face, body=max(face.body, 0.0))


def _find_pips(
    gray: NDArray[np.float32], rectified: Rectified, scene: BoardScene
) -> tuple[Points, BoolArray]:
    """Return the strongest dots (N, 2) px of a pip's size that are no print; which are dark."""
    radius = _PIP * _EDGE_PX
    inner, outer = (cv2.GaussianBlur(gray, (0, 0), radius * share) for share in (0.6, 1.4))
    dark = outer - inner
    inside = dark * rectified.inside  # of either sign: beside a pip may be a stronger bright spot
    at = np.concatenate([local_maxima(way * inside, radius, _CONTRAST) for way in (1, -1)])
    at = at[~_is_print(rectified, scene, at)]
    x, y = at.astype(int).T
    order = np.argsort(-np.abs(dark[y, x]))[:_PIPS]
    return at[order], np.asarray(dark[y, x][order] > 0, np.bool_)


def _is_print(rectified: Rectified, scene: BoardScene, at_px: Points) -> BoolArray:
    """Return at which pixels (N, 2) the photo has print of the plane, whose dots are no pips."""
    eye = -scene.solution.rotation.T @ scene.solution.translation_mm
    above = rectified.to_mm(at_px) - eye[:2]
    low = eye[:2] + above * eye[2] / (eye[2] + rectified.height_mm)  # heights are negative z
    found = mask_at(rectified.filled(scene.beside_mm) > 0, rectified.to_px(low))
    if (cover := scene.unexplained) is not None:
        found |= ~mask_at(cover.image[..., 0] > 0, cover.to_px(low)) & scene.is_on_board(low)
    return found


def _propose_faces(pips: Points, is_dark: BoolArray) -> FloatArray:
    """Return poses (N, 3) px, px, rad of possible faces.

    A pip is the centre of a one at any rotation; two pips are a diagonal of any other number.
    """
    turns = np.linspace(-np.pi / 4, np.pi / 4, 6, endpoint=False)
    ones = np.column_stack([np.repeat(pips, len(turns), axis=0), np.tile(turns, len(pips))])
    one, other = np.triu_indices(len(pips), 1)
    off = pips[other] - pips[one]
    diagonal = 2 * np.sqrt(2) * _PIP_AT
    is_pair = np.abs(np.hypot(*off.T) / _EDGE_PX - diagonal) < _PIP
    is_pair &= is_dark[one] == is_dark[other]
    turn = np.arctan2(off[is_pair, 1], off[is_pair, 0]) - np.pi / 4
    middles = (pips[one] + pips[other])[is_pair] / 2
    return np.concatenate([ones, np.column_stack([middles, fold_angles(turn, np.pi / 2)])])


@cache
def _rendered_faces() -> tuple[Points, NDArray[np.float32], NDArray[np.float32], IntArray]:
    """Return the samples (S, 2) of a face, what is left out (S, 3), patterns (P, S), numbers (P,).

    Patterns have unit length; an even slope of light over a face, which is left out, does not
    count. Some look different after a quarter turn.
    """
    axis = ((np.arange(_SIDE) + 0.5) / _SIDE - 0.5) * _FACE
    at = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    slopes = np.linalg.qr(np.column_stack([np.ones(len(at)), at]))[0]
    patterns, numbers = [], []
    for number, pips in enumerate(PIPS):
        for turned in (pips, tuple((-y, x) for x, y in pips)):
            if turned is not pips and set(turned) == set(pips):
                continue
            away = np.hypot(*np.moveaxis(at[:, None] - _PIP_AT * np.array(turned), -1, 0))
            ink = np.clip((_PIP - away.min(axis=1)) * _EDGE_PX / 2 + 0.5, 0, 1)  # blurred by 2 px
            ink -= slopes @ (slopes.T @ ink)
            patterns.append(ink / np.linalg.norm(ink))
            numbers.append(number)
    basis, shapes = slopes.astype(np.float32), np.array(patterns, np.float32)
    return at, basis, shapes, np.array(numbers)


def _sample(image: NDArray[np.float32], poses_px: FloatArray, at: Points) -> NDArray[np.float32]:
    """Return the values (N, S, ...) of an image at points (S, 2), in edges, of N squares."""
    poses, off = poses_px.astype(np.float32), (_EDGE_PX * at).astype(np.float32)
    cos, sin = np.cos(poses[:, 2:]), np.sin(poses[:, 2:])
    x = poses[:, :1] + (cos * off[:, 0] - sin * off[:, 1])
    y = poses[:, 1:2] + (sin * off[:, 0] + cos * off[:, 1])
    return sample(image, np.stack([x, y], axis=-1), cv2.BORDER_CONSTANT)


def _compare(gray: NDArray[np.float32], poses_px: FloatArray) -> FloatArray:
    """Return the correlation (N, 6) of squares with the rendered numbers, dark or bright pips."""
    return _correlate(_sample(gray, poses_px, _rendered_faces()[0]))


def _correlate(seen: NDArray[np.float32]) -> FloatArray:
    """Return the correlation (N, 6) of the samples (N, S) of squares with the rendered numbers."""
    _, slopes, patterns, numbers = _rendered_faces()
    seen = np.asarray(seen - (seen @ slopes) @ slopes.T, np.float32)
    length = np.maximum(np.linalg.norm(seen, axis=1), _CONTRAST * _SIDE)
    similarity = np.abs(seen @ patterns.T) / length[:, None]
    return np.stack([similarity[:, numbers == k].max(axis=1) for k in range(len(PIPS))], axis=1)


def _edge_contrasts(image: NDArray[np.float32], poses_px: FloatArray) -> FloatArray:
    """Return the contrast across each edge (N, 4) of squares, of the channel that changes most."""
    along = _ALONG * np.linspace(-1, 1, 9)
    sides = [np.stack([along, np.full(9, -off)], axis=1) for off in (_INNER, _OUTER)]
    square = np.concatenate([side @ rotation(k * np.pi / 2).T for k in range(4) for side in sides])
    tones = _sample(image, poses_px, square).reshape(-1, 4, 2, 9, 3).mean(axis=3)
    return np.asarray(np.abs(tones[:, :, 0] - tones[:, :, 1]).max(axis=2), np.float64)


def _edge_score(contrasts: FloatArray) -> FloatArray:
    """Return what edges of contrasts (..., 4) add to the correlation of a pose."""
    return np.asarray(np.minimum(contrasts / _SURE_EDGE, 1.0).mean(axis=-1) / 2, np.float64)


def _weakest_edges(image: NDArray[np.float32], poses_px: FloatArray) -> FloatArray:
    """Return the contrast of the faintest edge (N,) of squares, at its best pose nearby.

    All four edges of an upper face are visible; a pip of a tilted face does not have four.
    """
    trial = (poses_px[:, None] + _steps_round()).reshape(-1, 3)
    least = _edge_contrasts(image, trial).min(axis=1)
    return np.asarray(least.reshape(len(poses_px), -1).max(axis=1), np.float64)


def _steps_round() -> FloatArray:
    """Return steps (27, 3) of a pose: a pixel either way, and a turn that moves a corner by one."""
    steps = np.array([*product((-1.0, 0.0, 1.0), repeat=3)], np.float64)
    steps[:, 2] *= np.sqrt(2) / _EDGE_PX
    return steps


def _refine(
    image: NDArray[np.float32], gray: NDArray[np.float32], starts: FloatArray
) -> FloatArray:
    """Return the best poses (N, 3) near starts (M, 3), the clearest first, none twice."""
    kept = starts
    for step in _STEPS:
        grid = step * _steps_round() if step else np.zeros((1, 3))
        trial = (kept[:, None] + grid).reshape(-1, 3)
        rank = _compare(gray, trial).max(axis=1) + _edge_score(_edge_contrasts(image, trial))
        best = rank.reshape(len(kept), -1).argmax(axis=1)
        chosen = np.arange(len(kept)) * len(grid) + best
        trial = trial[chosen[np.argsort(-rank[chosen])]]
        kept = trial[keep_apart(trial[:, :2], _EDGE_PX / 8, _KEPT)]
    return kept


def _tones(
    image: NDArray[np.float32], pose_px: FloatArray, fall: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the tone (3,) of a face beside its pips, and those (N, 3) behind it.

    ``fall`` (2,) is the shift towards the camera, per mm of depth, of a lower point: no side of an
    upright die is visible at the edges that look away from it.
    """
    ring = card_corners(2 * _INNER, 2 * _INNER)
    ring = np.concatenate([ring, (ring + np.roll(ring, 1, axis=0)) / 2])
    tone = np.median(_sample(image, pose_px[None], ring)[0], axis=0)
    x, y = np.meshgrid(_ALONG * np.linspace(-1, 1, 7), -_OUTER - _PIP * np.linspace(1, 2, 3))
    strip = np.stack([x, y], axis=-1).reshape(-1, 2)  # outside the upper edge
    normals = _outward(float(pose_px[2]))
    behind = [
        np.median(_sample(image, pose_px[None], strip @ rotation(k * np.pi / 2).T)[0], axis=0)
        for k in range(4)
        if fall @ normals[:, k] < 0
    ]
    return tone, np.array(behind)


def _body_odds(
    gray: NDArray[np.float32], pose_px: FloatArray, number: int, fall: FloatArray
) -> float:
    """Return the log odds of a die's body below a face: its sides towards the camera have pips.

    A picture of a die, a domino or dotted paper has a table there. A side has neither the number of
    the face, counted from 0, nor its opposite; another die may hide one of two. The heading of a
    one is known by its edges alone. Seen from straight above the odds are even.
    """
    depths = fall @ _outward(float(pose_px[2]))
    at, _, _, _ = _rendered_faces()
    off = np.array([*product((-_PIP / 2, 0.0, _PIP / 2), repeat=2)])[:, None] + at
    edge = np.stack([off[..., 0], np.full(off.shape[:2], -1 / 2)], axis=-1)
    down = (1 / 2 + off[..., 1:]) * fall
    turns = np.linspace(-np.pi / 8, np.pi / 8, 7) if number == 0 else np.zeros(1)
    sides = [
        edge @ rotation(float(pose_px[2] + turn + k * np.pi / 2)).T + down
        for k in np.argsort(depths)[-2:]
        for turn in turns
    ]
    on_sides = pose_px[:2] + _EDGE_PX * np.concatenate(sides)
    others = [n for n in range(len(PIPS)) if n not in (number, len(PIPS) - 1 - number)]
    best = _correlate(sample(gray, on_sides, cv2.BORDER_CONSTANT))[:, others].max()
    clear = min(4 * max(float(depths.max()), 0.0) ** 2, 1.0)  # foreshortened pips are blurred
    return clear * _SIDE_SLOPE * (float(best) - _SIDE_SCORE)


def _outward(theta: float) -> FloatArray:
    """Return the outward normals (2, 4) of the edges of a square: top, right, bottom, left."""
    return np.asarray(rotation(theta) @ np.array([[0.0, 1, 0, -1], [-1, 0, 1, 0]]), np.float64)


def _upper_faces(faces: Sequence[DieFace], scene: BoardScene) -> list[DieFace]:
    """Keep faces that are neither part of another nor a side of another's die; best first."""
    seen = _apart(faces)
    upper = [
        face
        for face in seen
        if not any(
            _is_side_of(face, die, scene)
            and _difference(face.tone, die.tone, coloured=scene.coloured) < _TONE
            for die in seen
        )
    ]
    return _apart(upper)


def _apart(faces: Sequence[DieFace]) -> list[DieFace]:
    """Keep faces, the likeliest first, that are apart from all before."""
    kept: list[DieFace] = []
    for face in sorted(faces, key=lambda face: -float(_likely_numbers(face).sum())):
        if all(np.hypot(*(face.pose - k.pose)[:2]) > _APART * face.edge_mm for k in kept):
            kept.append(face)
    return kept


def _is_side_of(face: DieFace, die: DieFace, scene: BoardScene) -> bool:
    """Return whether a face is where the camera sees a side of another's die."""
    fall = die.edge_mm * scene.shift_by_height(die.pose[:2], die.edge_mm)
    normals = _outward(float(die.pose[2]))
    sides = die.edge_mm / 2 * normals.T[fall @ normals > 0]
    away = np.hypot(*(face.pose[:2] - die.pose[:2] - fall / 2 - sides).T)
    return bool(len(away) and away.min() < _APART / 2 * die.edge_mm)


def _named(
    faces: Sequence[DieFace], scene: BoardScene, pieces: Sequence[Piece]
) -> list[tuple[Placed, float]]:
    """Assign faces to dice, with their edges mm; by their tone if dice have one.

    Of two faces of a tone with a single die, both are reported if neither or both are certain: it
    is unknown which counts.
    """
    left = {p.id: p.copies if p.copies is not None else len(faces) for p in pieces}
    found: list[tuple[Placed, float]] = []
    for face in sorted(faces, key=lambda face: -float(_posterior(face).max())):
        fitting = [
            p for p in pieces if min(p.size_mm) == face.edge_mm and (left[p.id] > 0 or p.tone)
        ]
        if not fitting:
            continue
        tones = [_tone_of(p, scene.looks.art) for p in fitting]
        away = [_difference(face.tone, tone, coloured=scene.coloured) for tone in tones]
        piece = fitting[int(np.argmin(away))]
        if piece.tone and min(away) > _TONE:
            continue  # dots in a square of another colour
        die = _report(face, piece.id, f"die-{len(found) + 1}", scene)
        same = [other.confidence for other, _ in found if other.piece == piece.id]
        if left[piece.id] <= 0 and die.confidence < SURE <= max(same):
            continue
        left[piece.id] -= 1
        found.append((die, face.edge_mm))
    return found


def _tone_of(piece: Piece, art: Mapping[str, ImageBGR]) -> FloatArray | None:
    """Return the tone (3,) BGR of a die: as specified, else the median of its art."""
    if piece.tone:
        return bgr_of(piece.tone)
    face = art.get(piece.id)
    return None if face is None else np.asarray(np.median(face.reshape(-1, 3), axis=0), np.float64)


def _difference(seen: FloatArray, tone: FloatArray | None, *, coloured: bool) -> float:
    """Return the difference of an observed tone (3,) from that of a die.

    Colours are taken relative to lightness: light falls off, and a die may be glossy. If both are
    vivid, only the hue counts: dark and light blue are the same.
    """
    if tone is None:
        return float("inf")
    one, other = (to_opponent_colours(np.asarray(v, np.float32), True) for v in (tone, seen))
    if not coloured and abs(float(other[1]) - float(other[2])) < 6:
        return float(abs(one[0] - other[0])) / 255
    one, other = (v[1:] / (max(float(v[0]), 0.0) + DARK) for v in (one, other))
    lengths = float(np.hypot(*one)), float(np.hypot(*other))
    if min(lengths) > _TONE:
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


def _likely_numbers(face: DieFace) -> FloatArray:
    """Return the probability (6,) that a square is an upper face, and shows each number.

    A chance pattern, or the side of a die that is tilted, correlates less, has a faint edge, or
    has the upper face of its die behind it. A picture of a face differs from it by its body alone,
    and is half as likely as what is still called certain.
    """
    best = float(face.scores.max())
    edge = float(np.log(max(face.weakest, 1.0) / _SURE_EDGE))
    odds = _SHARPNESS * (best - _SCORE) + 2 * min(edge, float(np.log(5)))
    odds += _ALONE * min(3 * face.behind / (4 * _TONE), 1.0)
    certain = float(np.log(SURE / (1 - SURE)))
    picture = certain + float(np.log(2))
    body = max(face.body, -picture)  # sides may be in glare or behind something
    odds = body - float(np.logaddexp(-odds, -picture))
    odds = min(odds, certain + 4 * edge)
    unexplained = np.maximum(1.0 - face.scores**2, 1e-6)
    weights = (unexplained.min() / unexplained) ** (_INDEPENDENT / 2)
    return np.asarray(weights / (weights.sum() + np.exp(-odds)), np.float64)


def _posterior(face: DieFace) -> FloatArray:
    """Return the probability of each number (6,): a tilted die has any but the opposite one.

    That no body shows makes the number that is read doubtful, and no other one likely.
    """
    weights, best = _likely_numbers(face), int(face.scores.argmax())
    shown = _likely_numbers(_with_hidden_body(face))
    least = min(float(shown[best]), _NO_BODY)
    if weights[best] < least:
        weights = shown * (least / shown[best])
    beside = np.full(6, 1 / 4)
    beside[[best, 5 - best]] = 0.0
    return np.asarray(weights + (1 - float(weights.sum())) * beside, np.float64)


def _report(face: DieFace, piece: str, spot: str, scene: BoardScene) -> Placed:
    """Return a face as a placed die with its alternatives."""
    height = face.edge_mm
    weights = _posterior(face)
    best = int(face.scores.argmax())
    by_height = scene.shift_by_height(face.pose[:2], height)
    by_height = np.outer(by_height, by_height)
    covariance = _PLACE_SD**2 * np.diag([height**2, height**2, 1])
    covariance[:2, :2] += (_PLACE_SD * height) ** 2 * by_height + scene.spread_mm2
    corners = table_from_card(card_corners(height, height), *face.pose)
    names = [f"{piece}-{k + 1}" for k in range(len(PIPS))]
    return placed_at(
        piece,
        "die",
        face.pose,
        covariance,
        map_plane(scene.solution, corners, height),
        spot=spot,
        score=float(face.scores[best]),
        confidence=float(weights[best]),
        others=others_of(names, face.scores, weights, but=[best]),
        side=str(best + 1),
    )
