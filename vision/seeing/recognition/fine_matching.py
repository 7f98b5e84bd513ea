"""Comparison of nearly identical faces by amplitude, after registration.

Scaled to unit length an empty fill has no norm, so strokes that are slightly off would decide; here
the darkness of a place counts instead. Each face is registered on the card by a small affine warp,
put into the card's light as far as places on which the faces agree show it, and given the card's
contrast within bounds: light and contrast in turn, for a veil of light makes dark print pale.
Strokes are blurred away, and squared differences, robust against single large ones, are summed
where two faces differ, separately for each pair.

Places are cells of a grid over the card, tones 0..1 of white, differences shares of the local
brightness.

References
----------
.. [1] Baker and Matthews, Lucas-Kanade 20 Years On, 2004 (the warp).
.. [2] Knutsson and Westin, Normalized and Differential Convolution, 1993 (the light).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.seeing.recognition.framed_faces import to_features
from vision.seeing.recognition.picture_faces import CellGrid, compare_registered
from vision.seeing.recognition.sign_fill import (
    ROBUST,
    Signs,
    darker_within_signs,
    find_signs,
    fit_gain,
    residual_ink,
)
from vision.seeing.recognition.smoothing import (
    DARK,
    Tones,
    as_channels,
    local_mean,
    max_tone,
    mean_tone,
    min_tone,
    percentile_tone,
    smooth,
)
from vision.values.arrays import BoolArray, FloatArray, ImageBGR
from vision.values.pieces import Faces

__all__ = [
    "DARK",
    "MARGIN",
    "SOFT",
    "FineMatch",
    "FineMatchFace",
    "compare_amplitudes",
    "fine_match_face",
    "fine_match_grid",
    "paper_brightness",
]


# How faces are laid over a card and compared; lengths in cells.
_COLUMNS = 48  # 1.2 to 1.3 mm on a card of 57 to 63 mm: finer than a fill, not than strokes
MARGIN = 4  # of a face beyond its edge: 8 % of the card, past any warp
_EDGE = 1.5  # left out along the edge: a card may lie so far beside
SOFT = 1.2  # of the blur before differences are squared: strokes, and what a warp leaves
_LIGHT = 7.0  # of the blur that is light: a shadow's edge is sharper, a sign is smaller
_PAPER = 95.0  # percentile of a face's tones that is its paper
_SHIFT_SD = 1.2  # of the shift: poses and pictures are good to 2 % of the card
_TURN_SD = 0.02  # of the rest of the warp: growth, turn, shear
_WARP_SOFT: tuple[float, ...] = (2 * SOFT, SOFT, SOFT)  # of the blur, step by step of the warp
_FAINT = 0.02  # of white: the least that differences are by themselves; where light is less, no
# place weighs less
_SIMILAR_CELLS = 20.0  # cells that share one error
_MOST = 0.25  # of it: no difference counts as more; a finger, glare
_SAME = 0.06  # of it: places where the faces differ by less tell the light


@dataclass(frozen=True, slots=True, eq=False)
class FineMatch:
    """Comparison of a card with F faces by amplitude.

    ``apart`` (F, F) is the mean squared difference of two faces, as rendered in the card's light,
    where they differ; ``misfit`` (F, F) that between the card and the first of the two.
    ``similarity`` (F,) is the correlation of card and face, -1..1, weighted to where the faces
    differ; ``hue`` (F,) the difference of their hues, 0 if the same. ``darker`` (F,) is by how much
    the card is darker than the face within its signs, as a share of the paper's brightness, and
    ``depth`` (F,) how dark the face's print is there; 0 for faces without signs. ``ink`` (F, 2) is
    the worst ink of the card that the face does not explain, and of the face that the card lacks.
    """

    apart: FloatArray
    misfit: FloatArray
    similarity: FloatArray
    hue: FloatArray
    darker: FloatArray
    depth: FloatArray
    ink: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class FineMatchFace:
    """A face on the grid.

    ``tones`` (H + 2M, W + 2M, 3) are those of its cells with a margin; ``paper`` (3,) the
    brightness of its paper; ``gray`` (H + 2M, W + 2M, 2) mean and least channel as shares of the
    paper; ``signs`` its signs, if any.
    """

    tones: Tones
    paper: Tones
    gray: Tones
    signs: Signs | None

    def turned(self) -> "FineMatchFace":
        """Return the face rotated by half a turn."""
        signs = None if self.signs is None else self.signs.turned()
        tones, gray = (np.ascontiguousarray(of[::-1, ::-1]) for of in (self.tones, self.gray))
        return FineMatchFace(tones, self.paper, gray, signs)


def fine_match_grid(bank: Faces) -> CellGrid:
    """Return the comparison grid of a deck's similar faces."""
    return CellGrid.over(bank, _COLUMNS, _EDGE)


def fine_match_face(face: ImageBGR, grid: CellGrid) -> FineMatchFace:
    """Sample a face on the grid.

    Parameters
    ----------
    face : (h, w, 3) uint8
        Upright, cut to the card's edge.
    grid : CellGrid
        Of (H, W) cells.
    """
    rows, columns = grid.shape_hw
    cells = cv2.resize(face, (columns, rows), interpolation=cv2.INTER_AREA)
    tones = cells.astype(np.float32) * np.float32(1 / 255)
    wide = np.asarray(cv2.copyMakeBorder(tones, *(MARGIN,) * 4, cv2.BORDER_REPLICATE), np.float32)
    paper = np.maximum(percentile_tone(tones, _PAPER), np.float32(DARK))
    own = np.asarray(wide / paper, np.float32)
    gray = np.asarray(cv2.merge([mean_tone(own), min_tone(own)]), np.float32)
    return FineMatchFace(wide, paper, gray, find_signs(wide, grid.weights, MARGIN))


def compare_amplitudes(
    colours: FloatArray | ImageBGR,
    faces: Sequence[FineMatchFace],
    turned: BoolArray,
    grid: CellGrid,
    *,
    may_rest: bool = True,
    rounds: int = 2,
) -> FineMatch:
    """Compare a card with faces that hardly differ.

    Parameters
    ----------
    colours : (G, 3) float64
        The card's tones 0..255 on the grid.
    faces : sequence of F FineMatchFace
        What :func:`fine_match_face` gave for each face.
    turned : (F,) bool
        Whether the card shows that face upside down.
    grid : CellGrid
        The grid.
    may_rest : bool
        Whether a face whose registration slid is compared where it was.
    rounds : int
        How often light and contrast are fitted in turn: once for pictures in one light.
    """
    seen = np.asarray(colours, np.float32).reshape(*grid.shape_hw, 3) * np.float32(1 / 255)
    wide = [f.turned() if t else f for f, t in zip(faces, turned.tolist(), strict=True)]
    warps = [_fit_warp(seen, f, grid, rounds) for f in wide]
    registered = [_warp(f.tones, w, grid) for f, w in zip(wide, warps, strict=True)]
    similarity = _similarity(seen, registered, grid)
    if may_rest:  # a warp that leaves twice as much unexplained as none has slid
        still = [f.tones[MARGIN:-MARGIN, MARGIN:-MARGIN] for f in wide]
        at_rest = _similarity(seen, still, grid)
        for k in np.flatnonzero(2 * (1 - at_rest) < 1 - similarity):
            warps[k], registered[k], similarity[k] = np.zeros(6), still[k], at_rest[k]
    bright = paper_brightness(seen, grid)
    own = [np.asarray(f / of.paper, np.float32) for f, of in zip(registered, wide, strict=True)]
    over = [_align_face(seen, f, min_tone(f)) for f in own]
    common = np.ones(grid.shape_hw, np.float32)
    for _ in range(3):  # the light tells where faces differ, and those places tell no light
        trust = grid.weights * common
        shown = [_apply_light(of, trust, rounds).shown(DARK) for of in over]
        soft = np.array([smooth(one / bright, SOFT) for one in shown])
        spread = max_tone(soft.std(axis=0))
        common = np.asarray(1 / (1 + (spread / np.float32(_SAME)) ** 2), np.float32)
    tones = smooth(seen / bright, SOFT)
    off = tones - soft
    squares = np.stack([mean_tone(np.minimum(one**2, _MOST**2)) for one in off])
    apart, misfit = _pairwise_misfit(soft, squares, grid.weights)
    within = [_sign_darkness(seen, f, w, grid) for f, w in zip(wide, warps, strict=True)]
    darker, depth = np.array(within).reshape(-1, 2).T
    gray = [mean_tone(one) for one in (tones, *soft)]
    ink = residual_ink(gray[0], np.array(gray[1:]), grid.weights)
    return FineMatch(
        apart, misfit, similarity, _hue_misfit(tones, soft, grid.weights), darker, depth, ink
    )


def _similarity(seen: Tones, faces: Sequence[Tones], grid: CellGrid) -> FloatArray:
    """Return the correlations (F,) of a card with faces (H, W, 3) that are registered on it."""
    whole = np.array(faces).reshape(len(faces), -1, 3) * np.float32(255)
    return compare_registered(seen.reshape(-1, 3) * np.float32(255), whole, grid)


def _hue_misfit(seen: Tones, faces: Tones, weights: Tones) -> FloatArray:
    """Return the difference (F,) of the hues of a card (H, W, 3) from those of faces (F, H, W, 3).

    0 if they are the same or neither has any, 1 if they have nothing in common, 2 if opposite.
    """
    share = (weights / max(float(weights.sum()), 1e-9)).reshape(-1, 1)
    tones = np.array([seen, *faces], np.float64).reshape(len(faces) + 1, -1, 3)
    hues = to_features(tones)[..., 1:]
    hues = hues - (share * hues).sum(axis=1, keepdims=True)
    own = (share * hues**2).sum(axis=(1, 2))
    common = (share * hues[0] * hues[1:]).sum(axis=(1, 2))
    both = own[0] + own[1:]
    return np.asarray((both - 2 * common) / (both + 2 * _SAME**2), np.float64)


def _sign_darkness(
    seen: Tones, face: FineMatchFace, warp: FloatArray, grid: CellGrid
) -> tuple[float, float]:
    """Return by how much a card is darker within a face's signs, and their depth."""
    if face.signs is None:
        return 0.0, 0.0
    return darker_within_signs(seen, face.signs.registered(_warp_maps(warp, grid)), grid.weights)


def _pairwise_misfit(soft: Tones, squares: Tones, weights: Tones) -> tuple[FloatArray, FloatArray]:
    """Return the difference (F, F) of faces where they differ, and the card's misfit there.

    ``soft`` (F, H, W, 3) are the rendered faces, ``squares`` (F, H, W) their squared differences
    from the card.
    """
    k = len(soft)
    apart, misfit = np.zeros((k, k)), np.zeros((k, k))
    for a in range(k):
        for b in range(a):
            between = mean_tone(np.minimum((soft[a] - soft[b]) ** 2, _MOST**2))
            where = weights * np.sqrt(between)
            where = where / max(float(where.sum()), 1e-9)
            apart[a, b] = apart[b, a] = float((where * between).sum())
            misfit[a, b], misfit[b, a] = (float((where * squares[i]).sum()) for i in (a, b))
    return apart, misfit


@dataclass(frozen=True, slots=True, eq=False)
class _AlignedFace:
    """A face (H, W) or (H, W, 3) registered on a card, before the light is estimated.

    ``depth`` is the darkness of the face's print, ``seen`` the card's tones plus a constant,
    and ``bright`` (H, W) the weight of each place for the estimate of the light.
    """

    depth: Tones
    seen: Tones
    bright: Tones


@dataclass(frozen=True, slots=True, eq=False)
class _LitFace:
    """A face (H, W) or (H, W, 3) in the light of a card.

    ``print`` and ``seen`` are the darkness of the print of face and card.
    """

    print: Tones
    seen: Tones
    light: Tones

    def shown(self, dark: float) -> Tones:
        """Return the tones that the card would show."""
        shade = np.float32(dark)
        return np.asarray(self.light * (1 + shade - self.print) - shade, np.float32)


def _align_face(seen: Tones, own: Tones, least: Tones) -> _AlignedFace:
    """Align a face, as shares of its paper, with a card (H, W) or (H, W, 3).

    Bright places have the most weight for the light, by their ``least`` (H, W) channel.
    """
    dark = np.float32(DARK)
    tones = np.asarray(seen + dark, np.float32)
    bright = np.asarray(np.clip(least, _FAINT, 1) ** 2, np.float32)
    return _AlignedFace(np.asarray(1 - own, np.float32), tones, bright)


def _apply_light(over: _AlignedFace, weights: Tones, rounds: int) -> _LitFace:
    """Estimate the light on a card at weighted places (H, W), and put the face into it.

    Light and contrast are fitted in turn: in the first of the rounds the light is too bright where
    print is pale as beneath a veil.
    """
    depth, dark, gain = over.depth, np.float32(DARK), np.float32(1)
    for _ in range(rounds):
        ratio = np.log(over.seen / (np.maximum(1 - gain * depth, 0) + dark))
        light = np.exp(local_mean(np.asarray(ratio, np.float32), weights * over.bright, _LIGHT))
        deep = np.asarray(1 + dark - over.seen / light, np.float32)
        gain = fit_gain(deep, depth, as_channels(weights, depth), weights)
    return _LitFace(*(np.asarray(of, np.float32) for of in (gain * depth, deep, light)))


def _fit_warp(seen: Tones, face: FineMatchFace, grid: CellGrid, rounds: int) -> FloatArray:
    """Fit the affine warp (6,) that registers a face with its margin on a card (H, W, 3).

    Gray tones suffice until the last step.
    """
    rows, columns = grid.shape_hw
    x = np.arange(columns, dtype=np.float32) - (columns - 1) / 2
    y = np.arange(rows, dtype=np.float32)[:, None] - (rows - 1) / 2
    x, y = (np.asarray(of, np.float32) for of in np.broadcast_arrays(x, y))
    warp, gray = np.zeros(6), mean_tone(seen)
    spread = np.array([_SHIFT_SD] * 2 + [_TURN_SD] * 4)
    held = spread**-2.0
    cards = [gray] * (len(_WARP_SOFT) - 1) + [seen]
    for card, soft in zip(cards, _WARP_SOFT, strict=True):
        over = _warp_and_align(card, face, warp, grid)
        lit = _apply_light(over, grid.weights, rounds)
        print_, deep = (smooth(_gray(of), soft) for of in (lit.print, lit.seen))
        dx, dy = (cv2.Sobel(print_, cv2.CV_32F, *d, ksize=3) / 8 for d in ((1, 0), (0, 1)))
        off = deep - print_
        slopes = np.stack([dx, dy, dx * x, dx * y, dy * x, dy * y]).reshape(6, -1)
        trust = (grid.weights / (1 + (off / ROBUST) ** 2)).ravel()
        trusted = slopes * trust
        left = float(trust @ off.ravel() ** 2 / max(float(trust.sum()), 1e-9))
        noise = max(left, _FAINT**2) * _SIMILAR_CELLS
        normal = trusted @ slopes.T / noise + np.diag(held)
        side = trusted @ off.ravel() / noise - held * warp
        warp = warp + np.linalg.solve(normal, side)
        warp = np.clip(warp, -3 * spread, 3 * spread)
    return np.asarray(warp, np.float64)


def _warp_and_align(
    card: Tones, face: FineMatchFace, warp: FloatArray, grid: CellGrid
) -> _AlignedFace:
    """Warp a face and align it with a card (H, W) or (H, W, 3): gray with gray."""
    if card.ndim == 2:
        own, least = np.ascontiguousarray(np.moveaxis(_warp(face.gray, warp, grid), -1, 0))
        return _align_face(card, own, least)
    own = np.asarray(_warp(face.tones, warp, grid) / face.paper, np.float32)
    return _align_face(card, own, min_tone(own))


def _gray(picture: Tones) -> Tones:
    """Return the mean (H, W) of the channels, or the picture itself if it is gray."""
    return picture if picture.ndim == 2 else mean_tone(picture)


def _warp(wide: Tones, warp: FloatArray, grid: CellGrid) -> Tones:
    """Return the warped tones (H, W, C) of a face with its margin."""
    maps = _warp_maps(warp, grid)
    moved = cv2.remap(wide, *maps, cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE)
    return np.asarray(moved, np.float32)


def _warp_maps(warp: FloatArray, grid: CellGrid) -> tuple[Tones, Tones]:
    """Return x and y (H, W) of each place of a card in a face with its margin."""
    rows, columns = grid.shape_hw
    x = np.arange(columns) - (columns - 1) / 2
    y = np.arange(rows)[:, None] - (rows - 1) / 2
    at_x = x + (columns - 1) / 2 + MARGIN + warp[0] + warp[2] * x + warp[3] * y
    at_y = y + (rows - 1) / 2 + MARGIN + warp[1] + warp[4] * x + warp[5] * y
    return at_x.astype(np.float32), at_y.astype(np.float32)


def paper_brightness(seen: Tones, grid: CellGrid) -> Tones:
    """Return the local brightness (H, W, 3) of a card's paper."""
    white = np.maximum(percentile_tone(seen, _PAPER), np.float32(DARK))
    light = mean_tone(np.asarray(seen / white, np.float32))
    trust = np.asarray(grid.weights * np.clip(light, _FAINT, 1.2) ** 4, np.float32)
    return np.asarray(local_mean(seen, trust, _LIGHT) + DARK, np.float32)
