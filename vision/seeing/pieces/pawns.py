"""Detects coloured upright pieces on a board and locates their feet.

A pawn is as tall as two squares are wide, so its head is displaced far from its foot. Rectified at
the board's height, raised points are displaced straight away from the point below the camera. So
the image of a pawn is its foot with the rest of it beyond; the near end is the rim of the foot, the
widest part of most pawns. That end gives the position, the width across gives the size of the foot.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.masks import disc
from vision.imaging.view import View
from vision.seeing.pieces.board_scene import BoardScene
from vision.seeing.pieces.foreground import Foreground, extract_foreground
from vision.seeing.pieces.photometric_fit import to_opponent_colours
from vision.seeing.pieces.rectify import map_plane
from vision.seeing.pieces.sticks import find_sticks
from vision.seeing.pieces.token_scores import FoundToken
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, Points
from vision.values.layout import Placed
from vision.values.pieces import Piece, PieceSet

__all__ = ["FoundPawn", "UprightPieces", "find_pawns", "find_upright_pieces"]


# Detection of pawns.
_VIVID = 0.42  # least colour over lightness: skin and wood have less, orange and blue 0.7
_SEED = 0.55  # least of that in some part of a pawn
_FAINT = 0.28  # least of that at the rim of a thing that is all glare
_SEED_COLOUR = 40.0  # least colour in that part (grey levels): deep shadow has less
_SEED_MM2 = 5.0  # least area of that part: noise and strokes have less
_DARK = 30.0  # grey levels added to lightness: noise of dark things has colour
_APART_RAD = 0.42  # largest hue difference from a pawn's tone: between orange and red
_SURE_RAD = 0.28  # hue difference below which the tone is certain
_BEYOND = 14.0  # least excess over the print (grey levels, any channel)
_GLARE = 20.0  # least excess of glare (grey levels): a glossy pawn's top may be white
_ENOUGH_PX = 60  # least pixels of a thing to be compared with the print under it
_STROKES = 6.0  # least spread of print (grey levels) that can be recognised
_SIMILARITY = 0.45  # least lightness correlation with the print: things have 0.2 by chance
_CLOSE_MM = 1.0  # gaps up to this are noise
_OPEN_MM = 3.6  # thinner parts are not of a pawn: a match that it leans over
_LARGEST_MM = 80.0  # larger things are not filled: a cloth round the board
_LEAST_SHARE = 0.55  # least share of its hull that a pawn fills: bands and hooks fill less
_GLARE_SHARE = 0.9  # the same for a polished top
_SLACK_MM = 2.0  # tolerance on a pawn's width and length
_ROUND_SD = 0.14  # error along the view (1 sd), of a foot's width: not all feet are round
_ACROSS_SD = 0.06  # error across (1 sd), of its width
_EDGE_SD_MM = 0.5  # error of an outline (1 sd): light bleeds over it
_CLEAR_MM = 3.0  # depth of the strip in front of a foot where the board should be visible
_COVERED = 0.35  # covered share of that strip above which the foot is hidden
_EMBEDDED = 0.75  # largest covered share round a foot; more: it is part of a larger thing
_FOREIGN = 20.0  # colour difference (grey levels) that shadows never have
_SHADOW = 110.0  # largest darkening by a shadow on the board (grey levels)
_UNSURE = 0.9  # confidence of a tone at the limit


@dataclass(frozen=True, slots=True, eq=False)
class FoundPawn:
    """A detected pawn: its foot in ``placed``, the foot's radius, and whether something hides it.

    ``hull_mm`` (N, 2) is the area that it covers of the board, table mm.
    """

    placed: Placed
    radius_mm: float
    hidden: bool
    hull_mm: Points


@dataclass(frozen=True, slots=True, eq=False)
class _Blob:
    """A region of one tone: its pixels (N, 2) in mm, and its hue difference from the pawn's."""

    points_mm: Points
    hull_mm: Points
    share: float
    off_rad: float


def find_pawns(
    foreground: Foreground,
    scene: BoardScene,
    pieces: Sequence[Piece],
    taken: BoolArray | None = None,
) -> tuple[FoundPawn, ...]:
    """Detect the pawns on a board.

    Parameters
    ----------
    foreground : Foreground
        The segmented foreground of the board.
    scene : BoardScene
        The plane.
    pieces : sequence of Piece
        Pawns: each with its tone, and the least and the greatest width of its foot as size.
    taken : (H, W) bool, optional
        Pixels of the foreground that belong to known pieces.

    Returns
    -------
    tuple of FoundPawn
        By piece, then by position; all are returned, even if more than there are copies.
    """
    free = foreground.rectified.inside if taken is None else foreground.rectified.inside & ~taken
    found: list[FoundPawn] = []
    for piece in pieces:
        rivals = [other for other in pieces if other is not piece]
        for blob in _blobs(foreground, piece, rivals, free):
            found += _pawns_of_blob(foreground, scene, blob, piece)
    found.sort(key=lambda pawn: (pawn.placed.piece, pawn.placed.x_mm, pawn.placed.y_mm))
    return tuple(
        replace(pawn, placed=replace(pawn.placed, spot=f"pawn-{k + 1}"))
        for k, pawn in enumerate(found)
    )


def tone_angle(tone: str) -> float:
    """Return the hue angle of a colour ``#RRGGBB``: of red and blue minus lightness, rad."""
    red, green, blue = (int(tone[k : k + 2], 16) for k in (1, 3, 5))
    _, more_red, more_blue = to_opponent_colours(np.array([blue, green, red], np.float32), True)
    return float(np.arctan2(more_blue, more_red))


def _blobs(
    foreground: Foreground, piece: Piece, rivals: Sequence[Piece], free: BoolArray
) -> Iterator[_Blob]:
    """Yield the regions of a pawn's tone on the board."""
    chroma = to_opponent_colours(cv2.GaussianBlur(foreground.image, (0, 0), 1.0), True)
    vivid = np.hypot(chroma[..., 1], chroma[..., 2]) / (np.maximum(chroma[..., 0], 0) + _DARK)
    angle = np.arctan2(chroma[..., 2], chroma[..., 1])
    off = _angle_between(angle, tone_angle(piece.tone))
    mine = off < _APART_RAD
    for rival in rivals:
        mine &= off < _angle_between(angle, tone_angle(rival.tone))
    foreign = (np.abs(foreground.beyond).max(axis=2) > _BEYOND) | ~foreground.on_board
    of_tone = mine & foreign & (vivid > _VIVID) & free
    clear = np.hypot(chroma[..., 1], chroma[..., 2]) > _SEED_COLOUR
    seed = of_tone & foreground.on_board & (vivid > _SEED) & clear
    glint = (foreground.beyond[..., 0] > _GLARE) & free
    faint = mine & foreign & foreground.on_board & (vivid > _FAINT) & free
    most_mm = piece.size_mm[1] + piece.height_mm + _SLACK_MM
    told = np.zeros(seed.shape, bool)
    for mask, by, limit in (
        (of_tone | glint, seed, most_mm),  # glare of the board itself is larger than a pawn
        (of_tone, seed, np.inf),
        (glint, faint, piece.size_mm[1]),  # only the rim of a polished top has its colour
    ):
        for part in _parts(mask & ~told, by & ~told, foreground):
            points = foreground.rectified.to_mm(part.astype(np.float64))
            hull = cv2.convexHull(points.astype(np.float32))[:, 0].astype(float)
            share = _share(points, hull, foreground)
            if max(np.ptp(hull, axis=0)) > limit or (by is faint and share < _GLARE_SHARE):
                continue
            told[part[:, 1], part[:, 0]] = True
            if _is_print_visible(foreground, part):
                continue
            own = part[of_tone[part[:, 1], part[:, 0]]]
            is_toned = by is seed and len(own) > 0
            tone = float(np.median(off[own[:, 1], own[:, 0]])) if is_toned else _APART_RAD
            yield _Blob(points, hull, share, tone)


def _is_print_visible(foreground: Foreground, part: NDArray[np.int64]) -> bool:
    """Return whether the board's strokes are visible at pixels (N, 2): a shadow or a stain."""
    part = part[foreground.on_board[part[:, 1], part[:, 0]]]
    if len(part) < _ENOUGH_PX:
        return False
    wanted = foreground.print_light[part[:, 1], part[:, 0]]
    seen = to_opponent_colours(foreground.image[part[:, 1], part[:, 0]], True)[:, 0]
    if wanted.std() < _STROKES or seen.std() < 1:
        return False
    return float(np.corrcoef(wanted, seen)[0, 1]) > _SIMILARITY


def _share(points_mm: Points, hull_mm: Points, foreground: Foreground) -> float:
    """Return the share of its hull (M, 2) that a region with pixels at points (N, 2) fills."""
    area = float(cv2.contourArea(hull_mm.astype(np.float32)))
    return len(points_mm) / foreground.rectified.px_per_mm**2 / max(area, 1e-6)


def _angle_between(angle: NDArray[np.float32], other: float) -> NDArray[np.float32]:
    """Return the differences of angles from another: 0..pi."""
    return np.asarray(np.abs((angle - other + np.pi) % (2 * np.pi) - np.pi), np.float32)


def _parts(mask: BoolArray, seed: BoolArray, foreground: Foreground) -> Iterator[NDArray[np.int64]]:
    """Yield the pixels (N, 2), holes filled, of the regions of a mask that contain enough seed."""
    scale = foreground.rectified.px_per_mm
    closer, opener = (disc(round(mm * scale / 2)) for mm in (_CLOSE_MM, _OPEN_MM))
    closed = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, closer)
    count, label, stats, _ = cv2.connectedComponentsWithStats(closed)
    enough = np.bincount(label[seed], minlength=count) > _SEED_MM2 * scale**2
    for k in np.flatnonzero(enough[1:]) + 1:
        x, y, width, height, _ = stats[k]
        own = (label[y : y + height, x : x + width] == k).astype(np.uint8)
        own = np.pad(own, len(opener))
        if max(width, height) < _LARGEST_MM * scale:
            contours, _ = cv2.findContours(own, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
            cv2.drawContours(own, contours, -1, 1, -1)
        own = cv2.morphologyEx(own, cv2.MORPH_OPEN, opener)
        _, within, sizes, _ = cv2.connectedComponentsWithStats(own)
        for j in np.flatnonzero(sizes[1:, cv2.CC_STAT_AREA] > _SEED_MM2 * scale**2) + 1:
            rows, columns = np.nonzero(within == j)
            yield np.stack([columns + x, rows + y], axis=1) - len(opener)


def _pawns_of_blob(
    foreground: Foreground, scene: BoardScene, blob: _Blob, piece: Piece
) -> list[FoundPawn]:
    """Return the pawns of a region: none, one, or two of which one partly hides the other."""
    one = _foot(foreground, scene, blob, piece)
    if one is not None:
        return [one]
    points = blob.points_mm.astype(np.float32)
    if len(points) < 8:
        return []
    enough = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 20, 0.1)
    _, label, _ = cv2.kmeans(
        points, 2, np.zeros((0, 1), np.int32), enough, 1, cv2.KMEANS_PP_CENTERS
    )
    halves = []
    for k in range(2):
        part = blob.points_mm[label.ravel() == k]
        hull = cv2.convexHull(part.astype(np.float32))[:, 0].astype(float)
        share = _share(part, hull, foreground)
        own = replace(blob, points_mm=part, hull_mm=hull, share=share)
        half = _foot(foreground, scene, own, piece)
        if half is None:
            return []
        halves.append(replace(half, hidden=True))
    return halves


def _foot(foreground: Foreground, scene: BoardScene, blob: _Blob, piece: Piece) -> FoundPawn | None:
    """Locate the foot of a region; None if it does not have a pawn's size and shape."""
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
    if thin < least - _SLACK_MM / 2 or width > most + _SLACK_MM or blob.share < _LEAST_SHARE:
        return None
    if not 0.75 * width - _SLACK_MM <= np.ptp(along) <= longest:
        return None
    near = float(along.min())
    low = beside[along < near + 0.75 * width]
    foot = away * (near + width / 2) + across * (low.min() + low.max()) / 2
    if not scene.is_on_board(foot[None])[0]:
        return None
    ahead, around = _covered_round(foreground, foot, -away, width / 2)
    if around > _EMBEDDED:
        return None
    hidden = ahead > _COVERED
    deviations = np.array([_ROUND_SD * width, _ACROSS_SD * width])
    axes = np.stack([away, across], axis=1)
    spread = axes @ np.diag(deviations**2 + _EDGE_SD_MM**2) @ axes.T + scene.spread_mm(foot)
    if hidden:
        spread += piece.height_mm**2 / 12 * np.outer(lean, lean) + width**2 / 12 * np.eye(2)
    covariance = np.zeros((3, 3))
    covariance[:2, :2], covariance[2, 2] = (spread + spread.T) / 2, np.pi**2 / 3
    ring = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rim = foot + width / 2 * np.stack([np.sin(ring), -np.cos(ring)], axis=1)
    sure = float(np.clip((_APART_RAD - blob.off_rad) / (_APART_RAD - _SURE_RAD), 0, 1))
    placed = Placed(
        piece.id,
        piece.id,
        float(foot[0]),
        float(foot[1]),
        0.0,
        covariance,
        map_plane(scene.solution, rim),
        score=min(1.0, blob.share),
        confidence=_UNSURE + (1 - _UNSURE) * sure,
        kind="pawn",
    )
    return FoundPawn(placed, width / 2, hidden, blob.hull_mm)


def _covered_round(
    foreground: Foreground, foot: FloatArray, toward: FloatArray, radius_mm: float
) -> tuple[float, float]:
    """Return the covered shares round a foot: towards the camera, and all round."""
    turn = np.radians(np.arange(-180, 180, 10))
    cos, sin = np.cos(turn), np.sin(turn)
    rays = np.stack([cos * toward[0] - sin * toward[1], sin * toward[0] + cos * toward[1]], axis=1)
    reach = np.arange(1.0, _CLEAR_MM + 0.1, 0.5) + radius_mm
    at = np.round(foreground.rectified.to_px((foot + reach[:, None, None] * rays).reshape(-1, 2)))
    height, width = foreground.on_board.shape
    x, y = np.clip(at, 0, [width - 1, height - 1]).astype(int).T
    beyond, there = foreground.beyond[y, x], foreground.on_board[y, x]
    thing = np.abs(beyond[:, 1:]).max(axis=1) > _FOREIGN
    thing |= (beyond[:, 0] > 2 * _BEYOND) | (beyond[:, 0] < -_SHADOW)
    near = np.tile(np.abs(turn) < np.radians(55), len(reach))
    shares = [float(thing[part].mean()) if part.any() else 0.0 for part in (there & near, there)]
    return shares[0], shares[1]


_RIM_MM = 1.0  # margin round a piece, where its edge and its shadow are


@dataclass(frozen=True, slots=True)
class UprightPieces:
    """Pawns and sticks on a board, which have no face."""

    pawns: tuple[FoundPawn, ...] = ()
    sticks: tuple[Placed, ...] = ()


def find_upright_pieces(
    view: View, scene: BoardScene, pieces: PieceSet, art: ImageBGR, tokens: Sequence[FoundToken]
) -> UprightPieces:
    """Detect pawns and sticks outside the tokens; nothing if the game has none.

    Parameters
    ----------
    view : View
        The photo.
    scene : BoardScene
        With a board.
    pieces : PieceSet
        The pieces of the game.
    art : (H, W, 3) uint8
        The board's, upright, cut to its edge.
    tokens : sequence of FoundToken
        The detected tokens; an unknown one may be a pawn.
    """
    pawns, sticks = pieces.of_kind("pawn"), pieces.of_kind("stick")
    if not pawns and not sticks:
        return UprightPieces()
    foreground = extract_foreground(view, scene, art)
    known = [token.placed.outline_px for token in tokens if token.placed.score > 0]
    taken = _outline_mask(foreground, [scene.on_plane(outline) for outline in known])
    upright = find_pawns(foreground, scene, pawns, taken)
    taken |= _outline_mask(foreground, [pawn.hull_mm for pawn in upright])
    lying = find_sticks(foreground, scene, sticks, taken) if upright else ()
    return UprightPieces(upright, tuple(lying))


def _outline_mask(foreground: Foreground, outlines_mm: Sequence[Points]) -> BoolArray:
    """Return the mask of outlines (N, 2) mm in a foreground image, with a margin."""
    mask = np.zeros(foreground.on_board.shape, np.uint8)
    for outline in outlines_mm:
        shape = np.round(foreground.rectified.to_px(outline)).astype(np.int32)
        cv2.fillPoly(mask, [shape], 1)
        rim = 2 * round(_RIM_MM * foreground.rectified.px_per_mm) + 1
        cv2.polylines(mask, [shape], True, 1, rim)
    return mask.astype(bool)
