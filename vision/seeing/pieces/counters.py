"""Detects counters on a sheet: anything of their size that covers its print.

The sheet is rectified in the colours of its art. Pixels that differ from the print are covered;
where the art's print is visible, nothing lies. A white counter on white paper is detected by the
missing print, coloured glass by its colour over visible print. Tokens with a face are identified by
it; anything else is a counter.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import circle, wrap_angle
from vision.imaging.masks import disc, grown, mask_at, mean_in_disc
from vision.imaging.view import sample
from vision.seeing.estimation.rectify import map_plane
from vision.seeing.pieces.board_scene import BoardScene, keep_apart, local_maxima, placed_at
from vision.seeing.pieces.discs import SCORE, group_tokens, read_discs
from vision.seeing.pieces.print_comparison import (
    BEYOND,
    OFF_MM,
    Comparison,
    beyond_range,
    largest,
    print_range,
)
from vision.seeing.pieces.print_registration import SHEET_PX_PER_MM as PX_PER_MM
from vision.seeing.pieces.prints import CORRELATION
from vision.values.arrays import BoolArray, FloatArray, IntArray, Points
from vision.values.layout import Placed

__all__ = ["find_counters"]

_Floats = NDArray[np.float32]


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
_RADII_MM = np.linspace(4.0, 6.4, 5)  # of counters; middles are sought as far as the least
_STEP_PX = 3  # step of that search, and of the pixels that are compared
_PEAK_MM = 2.0  # round the likeliest middle: others are of another counter
_MOST = 4.5  # most that a pixel speaks for or against a disc (natural log): three sd
_RIM_MOST = 25.0  # largest contrast (grey levels) at one sample of a rim: highlights are bright
_RIM_NEAR_MM = 1.0  # a rim is sought so far off the disc
# of the contrast that its tone promises, what the rim of a certain counter has: all but 1 of 511 on
# drawn and ray-traced sheets
_RIM_SURE = 0.5
_RIM_LEAST = 11.0  # the same (grey levels): of white on white without a shadow
_SEEN_MM = 0.7  # position error of a centre (1 sd): the median error on ray-traced sheets is 0.6
_HIDES = 0.75  # covered share of the core of a certain counter: all of these have it


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
    discs = [_fit_disc(over, at) for at in np.rint(places).astype(int)]
    points = rectified.to_mm(np.array([one.middle_px for one in discs]))
    for k, face in enumerate(named):
        if face is not None:  # a face has no single tone
            points[k] = face[1][:2]
    kept = keep_apart(points, _APART_MM)  # no two lie in one place
    points, discs, named = points[kept], [discs[k] for k in kept], [named[k] for k in kept]
    placed = _placed(scene, points, discs, named)
    near = disc(round(OFF_MM * PX_PER_MM))
    span = print_range(over.wanted, near)
    share = np.array([_covered_share(over, span, one) for one in discs])
    posterior = np.clip((share - _DIFFERS_LEAST) / (_HIDES - _DIFFERS_LEAST), 0.0, 1.0)
    clear = np.array([_rim_share(over, span, one) for one in discs])
    inside = (np.array(scene.board_mm).reshape(2, 2)[1] - np.abs(points)).min(axis=1)
    clear *= np.clip(inside / (_RADII_MM[0] + _RADII_MM[-1]), 0.0, 1.0)  # the table has such rims
    posterior *= np.minimum(clear, 1.0) ** 2
    sure = zip(placed, posterior.tolist(), strict=True)
    tokens = scene.looks.pieces.of_kind("token")
    plain = next((p.id for p in tokens if p.on == "sheet" and p.copies is None), "")
    return [
        one if one.piece else replace(one, piece=plain, confidence=chance) for one, chance in sure
    ], is_covered


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
    return np.concatenate([kept, _clearest_places(rest, rest)])


def _clearest_places(hidden: BoolArray, may_be: BoolArray) -> Points:
    """Return the places (N, 2) px with most covered pixels round them, the clearest first."""
    soft = cv2.GaussianBlur(hidden.astype(np.float32), (0, 0), _SOFT_MM * PX_PER_MM)
    at = local_maxima(np.asarray(soft, np.float32), _APART_MM * PX_PER_MM / 2)
    at = at[mask_at(grown(may_be.view(np.uint8), _CORE_PX) > 0, at)]  # it may differ in patches
    return at[keep_apart(at, _APART_MM * PX_PER_MM)]


@lru_cache(maxsize=1)
def _disc_masks() -> tuple[IntArray, IntArray, _Floats, _Floats]:
    """Return pixels (P, 2) round a place, and discs tried there, relative to it, px.

    C discs have their middles (C, 2), cores (C, P) and all within them, by radius (R, C, P).
    """
    step = _STEP_PX / PX_PER_MM

    def grid(reach_mm: float) -> FloatArray:
        line = step * np.arange(-(reach_mm // step), reach_mm // step + 1)
        return np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 2)

    pixels, middles = grid(_RADII_MM[0] + _RADII_MM[-1]), grid(_RADII_MM[0])
    away = np.linalg.norm(pixels - middles[:, None], axis=2)
    core, *within = ((away <= r).astype(np.float32) for r in (_CORE_MM, *_RADII_MM))
    at_px, to_px = (np.rint(PX_PER_MM * one).astype(np.int64) for one in (pixels, middles))
    return at_px, to_px, core, np.stack(within)


@dataclass(frozen=True, slots=True, eq=False)
class _Disc:
    """A disc on a sheet: its middle (2,) px with covariance (2, 2) mm², radius mm and tone (3,)."""

    middle_px: FloatArray
    covariance: FloatArray
    radius_mm: float
    tone: FloatArray


def _fit_disc(over: Comparison, at: IntArray) -> _Disc:
    """Return the disc near a place (2,) px whose tone explains best what the print does not.

    The tone of each disc that is tried is the commonest of its core. A pixel within it speaks for
    the disc as far as its colour is nearer to that tone than to the print; of none beside it is
    more said than that the print explains it or not.
    """
    pixels, middles, core, within = _disc_masks()
    x, y = spots = _inside(over, at + pixels)
    weight = (at + pixels == spots.T).all(axis=1) & over.on_board[y, x]
    seen = over.seen[y, x]
    _, kind = np.unique(np.floor(seen / (2 * BEYOND)), axis=0, return_inverse=True)
    of_kind = np.eye(kind.max() + 1, dtype=np.float32)[kind.ravel()]
    tones = of_kind.T @ seen / of_kind.sum(axis=0)[:, None]
    off = ((seen[:, None] - tones) ** 2).sum(axis=2) / (2 * BEYOND**2)
    own = np.argmax(core @ (np.exp(-off) * weight[:, None]), axis=1)
    odds = (_unlike_print(over.beyond[y, x])[:, None] - np.minimum(off, _MOST)) * weight[:, None]
    gain = np.einsum("rcp,pc->rc", within, odds[:, own])
    gain *= (_STEP_PX / PX_PER_MM) ** 2  # what is nearer than a millimetre speaks as one
    radius, best = np.unravel_index(gain.argmax(), gain.shape)
    chance = np.exp(gain - gain.max()).sum(axis=0)
    chance /= chance.sum()
    off_px = np.linalg.norm(middles - middles[best], axis=1)
    own_peak = chance * (off_px < _PEAK_MM * PX_PER_MM)  # not halfway to a neighbour
    middle = own_peak @ middles / own_peak.sum()
    spread = (middles - middle) / PX_PER_MM
    covariance = (chance[:, None] * spread).T @ spread
    return _Disc(at + middle, covariance, float(_RADII_MM[radius]), tones[own[best]])


def _unlike_print(beyond: _Floats) -> _Floats:
    """Return how an excess over the print (..., 3) speaks against it, natural log."""
    return np.asarray(np.minimum((beyond**2).sum(axis=-1) / (2 * BEYOND**2), _MOST), np.float32)


def _covered_share(over: Comparison, span: tuple[_Floats, _Floats], one: _Disc) -> float:
    """Return the share of a disc's core that covers the print.

    Only where the print's ``span`` differs from the disc's tone does a pixel tell whether it is
    covered: black print under a black counter speaks neither for nor against it.
    """
    pixels, _, core, _ = _disc_masks()
    x, y = _inside(over, one.middle_px + pixels[core[len(core) // 2] > 0])
    told = _unlike_print(_beyond(span, one.tone, x, y))
    covered = np.minimum(_unlike_print(over.beyond[y, x]), told).sum()
    return float(covered / max(told.sum(), _DIFFERS_LEAST * _MOST * len(told)))


def _inside(over: Comparison, at_px: FloatArray | IntArray) -> IntArray:
    """Return the pixels (2, ...) of a sheet next to points (..., 2), x and y."""
    last = np.array(over.on_board.shape[::-1]) - 1
    return np.moveaxis(np.clip(np.rint(at_px).astype(np.int64), 0, last), -1, 0)


def _beyond(span: tuple[_Floats, _Floats], tone: FloatArray, x: IntArray, y: IntArray) -> _Floats:
    """Return the excess (..., 3) of a tone over the print at pixels, whose span is given."""
    lowest, highest = span
    return beyond_range(tone, lowest[y, x], highest[y, x])


def _rim_share(over: Comparison, span: tuple[_Floats, _Floats], one: _Disc) -> float:
    """Return the contrast of the rim round a disc, of what a certain counter's has at least.

    At a rim the tone of a disc changes all round, in one colour; a shadow fades, and print, a hand
    and the table beyond a sheet's edge have no rim. Where the disc's tone is like the print's, less
    is to be seen of it.
    """
    line = np.linspace(-_RIM_NEAR_MM, _RIM_NEAR_MM, 5)
    near = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 1, 1, 1, 2)
    sides = np.array([-OFF_MM, OFF_MM])
    radii = _RADII_MM[:, None, None, None]
    ring = (radii + sides[:, None]) * circle(1.0)[:, None]  # (radii, angles, inside and outside, 2)
    at = one.middle_px + PX_PER_MM * (near + ring)
    tones = sample(over.beyond, at, cv2.BORDER_CONSTANT)
    steps = tones[..., 0, :] - tones[..., 1, :]
    way = steps.mean(axis=2, keepdims=True)
    way /= np.linalg.norm(way, axis=3, keepdims=True) + 1e-6
    clear = np.clip((steps * way).sum(axis=3), -_RIM_MOST, _RIM_MOST).mean(axis=2).max()
    x, y = _inside(over, one.middle_px + PX_PER_MM * circle(one.radius_mm - OFF_MM))
    promised = np.linalg.norm(_beyond(span, one.tone, x, y), axis=1)
    likely = np.minimum(promised, _RIM_MOST).mean()
    return float(max(clear, 0.0) / max(_RIM_SURE * likely, _RIM_LEAST))


def _placed(
    scene: BoardScene,
    points: Points,
    discs: Sequence[_Disc],
    named: Sequence[tuple[str, FloatArray, float] | None],
) -> list[Placed]:
    """Return pieces at places (N, 2) mm, tokens by face, else counters."""
    found = []
    middle, middle_sd = _HIGH_MM
    for k, (point, one, face) in enumerate(zip(points, discs, named, strict=True), start=1):
        lean = scene.shift_by_height(point, 0.0)
        at, theta, name, score = point + middle * lean / 2, 0.0, "", 1.0
        spread = _SEEN_MM**2 * np.eye(2) + one.covariance + middle_sd**2 * np.outer(lean, lean)
        turn = np.pi**2 / 3
        if face is not None:
            name, pose, score = face
            at, theta, turn = pose[:2], float(pose[2]), 0.05**2
        covariance = np.zeros((3, 3))
        covariance[:2, :2], covariance[2, 2] = spread, turn
        pose, edge = np.array([*at, wrap_angle(theta)]), at + circle(one.radius_mm)
        outline_px = map_plane(scene.solution, edge)
        found.append(
            placed_at(name, "token", pose, covariance, outline_px, spot=f"token-{k}", score=score)
        )
    return found


def _faces_at(scene: BoardScene, points: Points) -> list[tuple[str, FloatArray, float] | None]:
    """Return the face at each place, if it is read: its token, pose and score."""
    best: list[tuple[str, FloatArray, float] | None] = [None] * len(points)
    faces = [piece for piece in scene.looks.pieces.of_kind("token") if piece.on == "sheet"]
    for group in group_tokens(faces, scene.looks.art):
        poses, scores = read_discs(scene, group, points)
        for k, (pose, score) in enumerate(zip(poses, scores, strict=True)):
            face = int(score.argmax())
            now = best[k]
            if now is None or score[face] > now[2]:
                best[k] = (group.pieces[face].id, pose, float(score[face]))
    return [one if one is not None and one[2] > SCORE else None for one in best]
