"""Detects coloured upright pieces on a board and locates their feet.

A pawn is as tall as two squares are wide, so its head is displaced far from its foot. Rectified at
the board's height, raised points are displaced straight away from the point below the camera. So
the image of a pawn is its foot with the rest of it beyond; the near end is the rim of the foot, the
widest part of most pawns. That end gives the position, the width across gives the size of the foot.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import circle
from vision.imaging.masks import disc
from vision.seeing.estimation.rectify import map_plane
from vision.seeing.pieces.board_scene import SURE, BoardScene, Found, doubt_about, key_of, placed_at
from vision.seeing.pieces.print_comparison import (
    DARK,
    Comparison,
    are_things,
    bgr_of,
    to_opponent_colours,
)
from vision.values.arrays import BoolArray, FloatArray, ImageGray, Points
from vision.values.layout import Placed
from vision.values.pieces import Piece

__all__ = ["compare_closely", "covered_by_known", "find_uprights"]


# Detection of pawns.
_PX_PER_MM = 3.5  # of the compared board: a match is seven pixels wide
_RIM_MM = 1.0  # margin round a known piece, where its edge and its shadow are
_MARGIN_MM = 12.0  # of table round the board: upright things at its edge lean over it
_VIVID = 0.42  # least colour over lightness: skin and wood have less, orange and blue 0.7
_SEED = 0.55  # least of that in some part of a pawn
_SEED_COLOUR = 40.0  # least colour in that part (grey levels): deep shadow has less
_APART_RAD = 0.42  # largest hue difference from a pawn's tone: between orange and red
_SURE_RAD = 0.29  # hue difference below which the tone is certain
_OPEN_MM = 3.6  # thinner parts are not of a pawn: a match that it leans over
_SLACK_MM = 2.0  # tolerance on a pawn's width and length
_ROUND_SD = 0.14  # error along the view (1 sd), of a foot's width: not all feet are round
_ACROSS_SD = 0.06  # error across (1 sd), of its width
_EDGE_SD_MM = 0.5  # error of an outline (1 sd): light bleeds over it
_CLEAR_MM = 3.0  # depth of the strip in front of a foot where the board should be visible
_COVERED = 0.35  # covered share of that strip above which the foot is hidden


class _Blob(NamedTuple):
    """A region of one tone, table mm: hull, share of it that is filled, hue difference (rad)."""

    hull_mm: Points
    share: float
    off_rad: float


def find_uprights(scene: BoardScene) -> list[Found]:
    """Detect the pawns on a board, outside known pieces.

    All are returned, by piece, then by position, even if more than there are copies.
    """
    pieces, coarse = scene.looks.pieces.of_kind("pawn"), scene.compared
    if coarse is None or not pieces:
        return []
    # on a board printed without colour the coarse comparison has none either
    if scene.coloured and not any(one.seed.any() for one in _tones_of(coarse, scene, pieces)):
        return []
    foreground = compare_closely(scene)
    found = [
        foot
        for piece, tones in zip(pieces, _tones_of(foreground, scene, pieces), strict=True)
        for blob in _blobs(foreground, tones)
        if (foot := _foot(foreground, scene, blob, piece)) is not None
    ]
    found.sort(key=lambda foot: (foot[0].piece, foot[0].x_mm, foot[0].y_mm))
    pawns = []
    for number, (placed, hull, is_hidden) in enumerate(found, start=1):
        pawn = replace(placed, spot=f"pawn-{number}")
        codes = ["pawn_hidden"] * is_hidden + ["pawn_colour_unsure"] * (pawn.confidence < SURE)
        pawns.append(Found(pawn, hull, tuple(doubt_about(pawn, code) for code in codes)))
    return pawns


def compare_closely(scene: BoardScene) -> Comparison:
    """Compare a board with its art, once, so finely that feet and sticks are visible."""

    def compared(_: ImageGray) -> Comparison:
        return scene.compare(_PX_PER_MM, margin_mm=_MARGIN_MM, has_colour=True)

    return scene.view.once(("closely", *key_of(scene.solution)), 0, compared)


def covered_by_known(compared: Comparison, scene: BoardScene) -> BoolArray:
    """Return the mask (H, W) of known pieces in a compared board, with a margin.

    A flat one covers its own outline alone: a match may lie in its shadow.
    """
    mask = np.zeros(compared.on_board.shape, np.uint8)
    rim = 2 * round(_RIM_MM * compared.rectified.px_per_mm) + 1
    for one in scene.known:
        is_flat = one.placed.kind == "token"
        area_mm = scene.on_plane(one.placed.outline_px) if is_flat else one.hull_mm
        shape = np.round(compared.rectified.to_px(area_mm)).astype(np.int32)
        cv2.fillPoly(mask, [shape], 1)
        cv2.polylines(mask, [shape], True, 1, rim)
    return mask.astype(bool)


def tone_angle(tone: str) -> float:
    """Return the hue angle of a colour ``#RRGGBB``: of red and blue minus lightness, rad."""
    _, more_red, more_blue = to_opponent_colours(bgr_of(tone), True)
    return float(np.arctan2(more_blue, more_red))


class _Tones(NamedTuple):
    """Where (H, W) a board has a pawn's tone, and clearly so; hue differences from it, rad."""

    own: BoolArray
    seed: BoolArray
    off_rad: NDArray[np.float32]


def _tones_of(
    foreground: Comparison, scene: BoardScene, pieces: Sequence[Piece]
) -> Iterator[_Tones]:
    """Yield where what the print does not explain has each pawn's tone, nearest of all pawns'."""
    chroma = to_opponent_colours(cv2.GaussianBlur(foreground.image, (0, 0), 1.0), True)
    colour = np.hypot(chroma[..., 1], chroma[..., 2])
    vivid = colour / (np.maximum(chroma[..., 0], 0) + DARK)
    some = foreground.differs | ~foreground.on_board
    some &= (vivid > _VIVID) & foreground.rectified.inside & ~covered_by_known(foreground, scene)
    _, red, blue = (chroma[some] + _print_level(scene)).T  # what is no print has none of its level
    angle = np.arctan2(blue, red)
    away = np.array([_angle_between(angle, tone_angle(piece.tone)) for piece in pieces])
    for k, mine in enumerate(away):
        own, off = np.zeros_like(some), np.zeros(some.shape, np.float32)
        others = np.delete(away, k, axis=0).min(axis=0, initial=_APART_RAD)
        own[some] = mine < others
        off[some] = mine
        seed = own & foreground.on_board & (vivid > _SEED) & (colour > _SEED_COLOUR)
        yield _Tones(own, seed, off)


def _print_level(scene: BoardScene) -> NDArray[np.float32]:
    """Return the lightness, red and blue (3,) that black print has in the photo, in its light."""
    if scene.photometry is None:
        return np.zeros(3, np.float32)
    return to_opponent_colours(scene.photometry.level / scene.photometry.gain, True)


def _blobs(foreground: Comparison, tones: _Tones) -> Iterator[_Blob]:
    """Yield the regions of a pawn's tone on the board."""
    for part in _parts(tones.own, tones.seed, foreground):
        points = foreground.rectified.to_mm(part.astype(np.float64))
        hull = cv2.convexHull(points.astype(np.float32))[:, 0].astype(float)
        own = part[tones.own[part[:, 1], part[:, 0]]]
        tone = float(np.median(tones.off_rad[own[:, 1], own[:, 0]])) if len(own) else _APART_RAD
        area = float(cv2.contourArea(hull.astype(np.float32))) * foreground.rectified.px_per_mm**2
        yield _Blob(hull, min(1.0, len(part) / max(area, 1e-6)), tone)


def _angle_between(angle: NDArray[np.float32], other: float) -> NDArray[np.float32]:
    """Return the differences of angles from another: 0..pi."""
    return np.asarray(np.abs((angle - other + np.pi) % (2 * np.pi) - np.pi), np.float32)


def _parts(mask: BoolArray, seed: BoolArray, foreground: Comparison) -> Iterator[NDArray[np.int64]]:
    """Yield the pixels (N, 2), holes filled, of the regions of a mask that contain a seed."""
    scale = foreground.rectified.px_per_mm
    opener = disc(round(_OPEN_MM * scale / 2))
    count, label, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    enough = np.bincount(label[seed], minlength=count) > 0
    for k in np.flatnonzero(enough[1:]) + 1:
        x, y, width, height, _ = stats[k]
        own = (label[y : y + height, x : x + width] == k).astype(np.uint8)
        own = np.pad(own, len(opener))
        own = cv2.morphologyEx(own, cv2.MORPH_CLOSE, opener)  # print of its tone is below it
        contours, _ = cv2.findContours(own, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        cv2.drawContours(own, contours, -1, 1, -1)
        own = cv2.morphologyEx(own, cv2.MORPH_OPEN, opener)
        parts, within = cv2.connectedComponents(own)
        for j in range(1, parts):
            rows, columns = np.nonzero(within == j)
            yield np.stack([columns + x, rows + y], axis=1) - len(opener)


def _foot(
    foreground: Comparison, scene: BoardScene, blob: _Blob, piece: Piece
) -> tuple[Placed, Points, bool] | None:
    """Locate the foot of a region; None if it does not have a pawn's size and shape.

    Returns the pawn, its area (N, 2) mm, and whether its foot may be hidden.
    """
    middle = blob.hull_mm.mean(axis=0)
    lean = -scene.shift_by_height(middle, 0.0)  # displacement of the head per mm of height
    slant = float(np.hypot(*lean))
    away = lean / slant if slant > 1e-6 else np.array([0.0, -1.0])
    across = np.array([-away[1], away[0]])
    along, beside = blob.hull_mm @ away, blob.hull_mm @ across
    width = float(np.ptp(beside))
    least, most = piece.size_mm
    thin = min(cv2.minAreaRect(blob.hull_mm.astype(np.float32))[1])
    longest = width + piece.height_mm * slant + _SLACK_MM
    if thin < least - _SLACK_MM / 2 or width > most + _SLACK_MM or np.ptp(along) > longest:
        return None
    near = float(along.min())
    low = beside[along < near + 0.75 * width]
    foot = away * (near + width / 2) + across * (low.min() + low.max()) / 2
    if not scene.is_on_board(foot[None])[0]:
        return None
    hidden = _covered_ahead(foreground, foot, -away, width / 2) > _COVERED
    deviations = np.array([_ROUND_SD * width, _ACROSS_SD * width])
    axes = np.stack([away, across], axis=1)
    spread = axes @ np.diag(deviations**2 + _EDGE_SD_MM**2) @ axes.T + scene.spread_mm2
    if hidden:
        spread += (piece.height_mm / 2) ** 2 / 3 * np.outer(lean, lean)  # anywhere within
        spread += (width / 2) ** 2 / 3 * np.eye(2)
    covariance = np.zeros((3, 3))
    covariance[:2, :2], covariance[2, 2] = (spread + spread.T) / 2, np.pi**2 / 3
    sure = float(np.clip((_APART_RAD - blob.off_rad) / (_APART_RAD - _SURE_RAD), 0, 1))
    placed = placed_at(
        piece.id,
        "pawn",
        np.array([*foot, 0.0]),
        covariance,
        map_plane(scene.solution, foot + circle(width / 2)),
        score=blob.share,
        confidence=sure,
    )
    return placed, blob.hull_mm, hidden


def _covered_ahead(
    foreground: Comparison, foot: FloatArray, toward: FloatArray, radius_mm: float
) -> float:
    """Return the covered share of the strip in front of a foot, towards the camera."""
    turn = np.linspace(-1, 1, 9)
    cos, sin = np.cos(turn), np.sin(turn)
    rays = np.stack([cos * toward[0] - sin * toward[1], sin * toward[0] + cos * toward[1]], axis=1)
    reach = np.linspace(1, _CLEAR_MM, 5) + radius_mm
    at = np.round(foreground.rectified.to_px((foot + reach[:, None, None] * rays).reshape(-1, 2)))
    height, width = foreground.on_board.shape
    x, y = np.clip(at, 0, [width - 1, height - 1]).astype(int).T
    beyond, there = foreground.beyond[y, x], foreground.on_board[y, x]
    return float(are_things(beyond[there]).mean()) if there.any() else 0.0
