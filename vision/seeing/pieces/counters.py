"""Detects counters on a sheet: anything of their size that covers its print.

The sheet is rectified in the colours of its art. Pixels that differ from the print are covered;
where the art's print is visible, nothing lies. A white counter on white paper is detected by the
missing print, coloured glass by its colour over visible print. Tokens with a face are identified by
it; anything else is a counter.
"""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import circle, wrap_angle
from vision.imaging.masks import disc, mean_in_disc
from vision.imaging.view import sample
from vision.seeing.estimation.rectify import Rectified, map_plane
from vision.seeing.pieces.board_scene import BoardScene, keep_apart, placed_at
from vision.seeing.pieces.discs import SCORE, group_tokens, read_discs
from vision.seeing.pieces.photometric_fit import beyond_print_range
from vision.seeing.pieces.print_comparison import (
    BEYOND,
    OFF_MM,
    Comparison,
    largest,
)
from vision.seeing.pieces.print_registration import SHEET_PX_PER_MM as PX_PER_MM
from vision.seeing.pieces.prints import CORRELATION
from vision.values.arrays import BoolArray, FloatArray, IntArray, Points
from vision.values.layout import Placed
from vision.values.pieces import Piece

__all__ = ["find_counters"]


# Detection of counters on a sheet.
_CORE_MM = 3.2  # radius in which print is compared: less than the smallest counter's
_CORE_PX = _CORE_MM * PX_PER_MM
_FAILS = 0.35  # largest correlation with missing print, in any tone: black on black, white on white
_DIFFERS = 0.45  # least differing share of the core, where the print does not agree
_DIFFERS_LEAST = 0.12  # the same where the print is missing; of less a counter is none
_TINTED = 0.8  # least share of the core in another colour, over any print: shadows have none
_SOFT_MM = 2.2  # smoothing (1 sd) for centres, and the widest hole or seam in a counter
_APART_MM = 7.2  # centres nearer than this, and what is covered round them, are of one counter
_WIDEST_MM = 17.0  # width in both directions above which a thing is a hand
# mean height of a counter's points above the sheet, and its sd
_HIGH_MM: tuple[float, float] = (2.0, 1.2)
_RADII_MM = (4.0, 6.4)  # of counters
_RIM_STEP_MM = 0.5  # step of their search, as far as the least radius: half a shadow's length
# distance of the samples from a rim, to either side: it has a wall, and is blurred
_RIM_WIDE_MM = 0.6
_RIM_MOST = 25.0  # largest contrast (grey levels) at one sample of a rim: highlights are bright
# mean contrast (grey levels) of a certain counter's rim: all of 662 on ray-traced sheets have it,
# of 127 other places (edges, hands, cloth) one in seven; half of it is a rim
_RIM_SURE = 12.0
_RIM_NEAR = 1.5  # lead that a rim at full reach needs
_SEEN_MM = 0.7  # position error of a centre (1 sd): the median error on ray-traced sheets is 0.6
_HIDES = 0.9  # covered share of the core of a certain counter: few shadows or bent print reach it


def find_counters(scene: BoardScene) -> tuple[list[Placed], bool]:
    """Detect the pieces on a sheet, in its own frame; and whether a hand covers it.

    A piece without a face is the kind of token that any number of copies has; its ``confidence``
    is the probability that it is a counter at all.
    """
    over = scene.compare(PX_PER_MM)
    rectified = over.rectified
    hidden, may_be = _hidden_by(over)
    hidden, is_covered = _without_hands(hidden)
    places = _counter_centres(hidden, may_be & hidden)
    if not len(places):
        return [], is_covered
    points = rectified.to_mm(places)
    named = _faces_at(scene, points)
    share = np.array([_covered_share(over, hidden, at) for at in places.astype(int)])
    points, clear = _refine_by_rims(rectified, over.beyond, points)
    placed = _placed(scene, points, named)
    posterior = np.clip((share - _DIFFERS_LEAST) / (_HIDES - _DIFFERS_LEAST), 0.0, 1.0)
    inside = np.array(scene.board_mm).reshape(2, 2)[1] - np.abs(points)
    clear *= np.clip(inside.min(axis=1) / sum(_RADII_MM), 0.0, 1.0)  # the table has one side's rim
    posterior *= np.clip(clear / _RIM_SURE, 0.0, 1.0) ** 2
    sure = zip(placed, posterior.tolist(), strict=True)
    plain = next((p.id for p in scene.looks.pieces.of_kind("token") if _is_plain(p)), "")
    return [
        one if one.piece else replace(one, piece=plain, confidence=chance) for one, chance in sure
    ], is_covered


def _is_plain(piece: Piece) -> bool:
    """Return whether any small thing may be this token of a sheet."""
    return piece.on == "sheet" and piece.copies is None


def _hidden_by(over: Comparison) -> tuple[BoolArray, BoolArray]:
    """Return what (H, W) is covered, by tones and strokes, and what may be a counter's middle."""
    beyond = np.abs(over.beyond)
    differs = largest(beyond) > 2 * BEYOND
    correlation, structure = over.correlation(_CORE_MM)
    share = mean_in_disc(differs, _CORE_PX)
    fails = (correlation < _FAILS) & (structure > BEYOND) & (share > _DIFFERS_LEAST)
    tint = beyond[..., 1:].max(axis=2) > 2 * BEYOND
    is_glass = mean_in_disc(tint, _CORE_PX) > _TINTED  # print is visible through it
    may_be = ((share > _DIFFERS) & (correlation < CORRELATION)) | fails | is_glass
    reach = disc(round(_SOFT_MM * PX_PER_MM))
    closed = cv2.morphologyEx(differs.astype(np.uint8), cv2.MORPH_CLOSE, reach) > 0
    near = cv2.dilate(may_be.astype(np.uint8), reach) > 0
    return np.asarray(closed & near), np.asarray(may_be & over.on_board)


def _covered_share(over: Comparison, hidden: BoolArray, at: IntArray) -> float:
    """Return the covered share of the core that best explains a place (x, y) px.

    Only pixels count where the print differs from what lies there: black print under a black
    counter speaks neither for nor against it. For the same reason the centre of the covered pixels
    is not the counter's, so the core is tried at all centres within half its radius.
    """
    reach = int(np.ceil(_CORE_MM * PX_PER_MM))
    low = np.maximum(at - 2 * reach, 0)
    window = np.s_[low[1] : at[1] + 2 * reach + 1, low[0] : at[0] + 2 * reach + 1]
    covered = hidden[window]
    y, x = np.indices(covered.shape)
    away = np.hypot(x - (at - low)[0], y - (at - low)[1])
    core = covered & (away <= reach)
    if not core.any():
        return 0.0
    tone = np.median(over.seen[window][core], axis=0)
    wanted = over.wanted[window]
    alike = np.broadcast_to(tone, wanted.shape).astype(np.float32)
    beyond = beyond_print_range(wanted, alike, disc(round(OFF_MM * PX_PER_MM)))
    differs = largest(np.abs(beyond)) > 2 * BEYOND
    counted = np.maximum(mean_in_disc(differs, _CORE_PX), _DIFFERS_LEAST)
    share = mean_in_disc(differs & covered, _CORE_PX) / counted
    return float(share[away <= reach / 2].max())


def _without_hands(hidden: BoolArray) -> tuple[BoolArray, bool]:
    """Remove regions larger than a counter in both directions; return whether there were any."""
    side = int(_WIDEST_MM * PX_PER_MM)
    solid = hidden.astype(np.uint8)
    core = cv2.erode(solid, np.ones((side, side), np.uint8))
    if not core.any():
        return hidden, False
    _, labels = cv2.connectedComponents(solid)
    large = np.isin(labels, np.unique(labels[core > 0]))
    return hidden & ~large, True


def _counter_centres(hidden: BoolArray, may_be: BoolArray) -> Points:
    """Return the centres (N, 2) px of counters, the clearest first.

    Pixels too far from all of them belong to another counter, which touches one or is joined to it
    by a shadow.
    """
    kept = _clearest_places(hidden, may_be)
    rest = hidden & may_be
    reach = _APART_MM * PX_PER_MM
    for at in kept:
        left, top = np.maximum(np.floor(at - reach), 0).astype(int)
        near = rest[top : int(at[1] + reach) + 1, left : int(at[0] + reach) + 1]
        y, x = np.ogrid[top : top + near.shape[0], left : left + near.shape[1]]
        near &= np.hypot(x - at[0], y - at[1]) > reach
    seed = cv2.erode(rest.astype(np.uint8), disc(round(_SOFT_MM * PX_PER_MM))) > 0
    return np.concatenate([kept, _clearest_places(seed, seed)])


def _clearest_places(hidden: BoolArray, may_be: BoolArray) -> Points:
    """Return the places (N, 2) px with most covered pixels round them, the clearest first."""
    soft = cv2.GaussianBlur(hidden.astype(np.float32), (0, 0), _SOFT_MM * PX_PER_MM)
    side = 2 * int(0.5 * _APART_MM * PX_PER_MM) + 1
    top = cv2.dilate(soft, np.ones((side, side), np.uint8))
    core = disc(round(_CORE_MM * PX_PER_MM))  # a shiny counter differs in patches
    near = cv2.dilate(may_be.astype(np.uint8), core) > 0
    rows, columns = np.nonzero((soft >= top) & near & (soft > 0))
    order = np.argsort(-soft[rows, columns])
    at = np.stack([columns, rows], axis=1)[order].astype(float)
    return at[keep_apart(at, _APART_MM * PX_PER_MM)]


def _refine_by_rims(
    rectified: Rectified, foreign: NDArray[np.float32], points: Points
) -> tuple[Points, FloatArray]:
    """Move places (N, 2) mm to the centres of the rims round them: shadow and highlights mislead.

    At a rim the tone of a disc changes all round, in one colour; a shadow fades, and print, a hand
    and the table beyond a sheet's edge have no rim. Returns also its mean contrast (N,).
    """
    reach = np.arange(-_RADII_MM[0], _RADII_MM[0] + 1e-6, _RIM_STEP_MM)
    off = np.stack(np.meshgrid(reach, reach), axis=-1).reshape(-1, 1, 1, 1, 2)
    ray = circle(1.0)[:, None]
    sides = np.array([-_RIM_WIDE_MM, _RIM_WIDE_MM])
    radii = np.linspace(*_RADII_MM, 5)[:, None, None, None]
    ring = (radii + sides[:, None]) * ray  # (radii, angles, inside and outside, 2)
    far = (np.hypot(*np.moveaxis(off[:, 0, 0, 0], -1, 0)) / _RADII_MM[0]) ** 2
    moved, contrast = points.copy(), np.zeros(len(points))
    for k, point in enumerate(points):
        tones = sample(foreign, rectified.to_px(point + off + ring), cv2.BORDER_CONSTANT)
        steps = tones[..., 0, :] - tones[..., 1, :]
        way = steps.mean(axis=2, keepdims=True)
        way /= np.linalg.norm(way, axis=3, keepdims=True) + 1e-6
        clear = np.clip((steps * way).sum(axis=3), -_RIM_MOST, _RIM_MOST).mean(axis=2)
        best = clear.max(axis=1) - _RIM_NEAR * far
        contrast[k] = clear.max()
        if best.max() > _RIM_SURE / 2:
            moved[k] = point + off[int(best.argmax()), 0, 0, 0]
    return moved, contrast


def _placed(
    scene: BoardScene,
    points: Points,
    named: Sequence[tuple[str, FloatArray, float] | None],
) -> list[Placed]:
    """Return pieces at places (N, 2) mm, tokens by face, else counters."""
    found = []
    middle, middle_sd = _HIGH_MM
    for k, (point, face) in enumerate(zip(points, named, strict=True), start=1):
        lean = scene.shift_by_height(point, 0.0)
        at, theta, name, score = point + middle * lean / 2, 0.0, "", 1.0
        spread = _SEEN_MM**2 * np.eye(2) + middle_sd**2 * np.outer(lean, lean)
        turn = np.pi**2 / 3
        if face is not None and face[2] > SCORE:
            name, pose, score = face
            at, theta, turn = pose[:2], float(pose[2]), 0.05**2
        covariance = np.zeros((3, 3))
        covariance[:2, :2], covariance[2, 2] = spread, turn
        pose, edge = np.array([*at, wrap_angle(theta)]), at + circle(sum(_RADII_MM) / 2)
        outline_px = map_plane(scene.solution, edge)
        found.append(
            placed_at(name, "token", pose, covariance, outline_px, spot=f"token-{k}", score=score)
        )
    return found


def _faces_at(scene: BoardScene, points: Points) -> list[tuple[str, FloatArray, float] | None]:
    """Return the best face at each place: its token, pose and score."""
    best: list[tuple[str, FloatArray, float] | None] = [None] * len(points)
    tokens = scene.looks.pieces.of_kind("token")
    faces = [piece for piece in tokens if piece.on == "sheet" and not _is_plain(piece)]
    for group in group_tokens(faces, scene.looks.art):
        poses, scores = read_discs(scene, group, points)
        for k, (pose, score) in enumerate(zip(poses, scores, strict=True)):
            face = int(score.argmax())
            now = best[k]
            if now is None or score[face] > now[2]:
                best[k] = (group.pieces[face].id, pose, float(score[face]))
    return best
