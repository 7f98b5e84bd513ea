"""Detects sticks on a board, matches and bars, and their heads.

Each candidate line is sampled along its centre line for the stick's ends and tone; the end of
another tone is the head.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_corners, heading_vector, table_from_card, wrap_angle
from vision.imaging.view import from_level, sample
from vision.seeing.pieces.board_scene import BoardScene
from vision.seeing.pieces.foreground import Foreground, are_things
from vision.seeing.pieces.photometric_fit import to_opponent_colours
from vision.seeing.pieces.rectify import map_plane
from vision.values.arrays import BoolArray, FloatArray, Points
from vision.values.layout import Other, Placed
from vision.values.pieces import Piece

__all__ = ["find_sticks"]


# Detection of lines.
_LINE_WAYS = 36  # steps of five degrees: half a width at the ends of a stick
_LINE_RIDGE_MM = 0.7  # smoothing (1 sd): a third of a match's width gives the strongest response
_COLOUR = 1.6  # weight of colour: shadows have none
_STRONG = 30.0  # largest response (grey levels) that counts, so that no spot makes a line
_LINE_LEAST = 4.0  # least mean response along a line
_LINE_PLACES = 48  # most lines, strongest first: the edges of a hand take half of them
_LINE_APART_MM = 4.0  # distance across of two lines' centres below which they are one stick
_LINE_APART_RAD = 0.5  # smallest angle between two sticks that cross there


@dataclass(frozen=True, slots=True, eq=False)
class StickLine:
    """A candidate line: centre, direction (rad, either end), strength."""

    middle_mm: FloatArray
    way_rad: float
    strength: float


def find_lines(
    foreground: Foreground, blank: BoolArray, pieces: Sequence[Piece]
) -> list[StickLine]:
    """Return collinear ridges outside the mask ``blank`` (H, W), the strongest first."""
    strength, way = _ridges(foreground)
    strength[blank] = 0
    scale = foreground.rectified.px_per_mm / 2
    height, width = (size // 2 for size in strength.shape)
    size = (width, height)
    twice = 2 * way
    cos, sin, strong = (
        cv2.resize(v, size, interpolation=cv2.INTER_AREA)
        for v in (strength * np.cos(twice), strength * np.sin(twice), strength)
    )
    side = int(np.ceil(np.hypot(width, height)))
    length = round(0.85 * min(piece.size_mm[1] for piece in pieces) * scale)
    across = max(1, round(1.2 * scale))
    found: list[StickLine] = []
    for k in range(_LINE_WAYS):
        angle = np.pi * k / _LINE_WAYS
        along = np.maximum((strong + cos * np.cos(2 * angle) + sin * np.sin(2 * angle)) / 2, 0)
        along *= np.clip(
            (cos * np.cos(2 * angle) + sin * np.sin(2 * angle)) / (strong + 1e-3), 0, 1
        )
        warp = cv2.getRotationMatrix2D((width / 2, height / 2), np.degrees(angle), 1.0)
        warp[:, 2] += [(side - width) / 2, (side - height) / 2]
        turned = cv2.warpAffine(along, warp, (side, side))
        mean = cv2.blur(turned, (length, across))
        top = cv2.dilate(mean, np.ones((round(3 * scale) * 2 + 1, length // 2), np.uint8))
        y, x = np.nonzero((mean >= top) & (mean > _LINE_LEAST))
        back = cv2.invertAffineTransform(warp)
        at = np.column_stack([x, y]) @ back[:, :2].T + back[:, 2]
        middles = foreground.rectified.to_mm(from_level(np.asarray(at, np.float64), 1))
        found += [
            StickLine(middle, angle, float(value))
            for middle, value in zip(middles, mean[y, x], strict=True)
        ]
    found.sort(key=lambda line: -line.strength)
    kept: list[StickLine] = []
    for line in found:
        if not any(is_near(line, other) for other in kept):
            kept.append(line)
    return kept[:_LINE_PLACES]


def _ridges(foreground: Foreground) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the strength of ridges (H, W), and their direction: rad from +x, either end."""
    sigma = _LINE_RIDGE_MM * foreground.rectified.px_per_mm
    best = np.zeros(foreground.on_board.shape, np.float32)
    way = np.zeros_like(best)
    for channel, weight in ((0, 1.0), (1, _COLOUR), (2, _COLOUR)):
        soft = cv2.GaussianBlur(foreground.beyond[..., channel] * weight, (0, 0), sigma)
        xx, yy, xy = (
            cv2.Sobel(soft, cv2.CV_32F, dx, dy, ksize=3, scale=scale)
            for dx, dy, scale in ((2, 0, 0.25), (0, 2, 0.25), (1, 1, 0.25))
        )
        middle, half = (xx + yy) / 2, np.hypot((xx - yy) / 2, xy)
        bend = np.where(middle > 0, middle + half, middle - half)
        other = np.where(middle > 0, middle - half, middle + half)
        strength = np.maximum(np.abs(bend) - np.abs(other), 0) * sigma**2
        across = 0.5 * np.arctan2(2 * xy, xx - yy) + np.where(middle > 0, 0, np.pi / 2)
        better = strength > best
        best = np.where(better, strength, best)
        way = np.where(better, across + np.pi / 2, way)
    return np.minimum(best, _STRONG).astype(np.float32), way.astype(np.float32)


def is_near(line: StickLine, other: StickLine) -> bool:
    """Return whether two lines are of one stick."""
    off = line.middle_mm - other.middle_mm
    run = np.array([np.cos(other.way_rad), np.sin(other.way_rad)])
    turn = abs((line.way_rad - other.way_rad + np.pi / 2) % np.pi - np.pi / 2)
    across = abs(off[0] * run[1] - off[1] * run[0])
    return bool(turn < _LINE_APART_RAD and across < _LINE_APART_MM and abs(off @ run) < 25.0)


# Reading of sticks.
_EDGE_MM = 4.0  # margin at a board's edge, whose frame may look like a stick
_STRONGEST = 150.0  # largest response while aligning: edges must be as clear as the centre
_STEP_MM = 0.25  # sampling step along and across
_REACH = 0.85  # sampled length to either side of the centre, of the greatest length
_SHOWS = 6.0  # least contrast (grey levels) to both sides
_SHARE = 0.4  # the same, of the contrast at the stick's centre
_SHORTEST = 0.7  # of the least length: part may be hidden
_LONGEST = 1.25  # of the greatest length
_FILLED = 0.55  # least visible share of its length
_TIP_MM = 6.0  # length at each end in which the head is searched
_WINDOW_MM = 1.5  # least length of a head
_TOLD = 9.0  # tone difference of head and body (grey levels) per unit of log odds
_MOST_ODDS = 7.0  # largest log odds of a head: 1000 to 1
_END_MM = 3.0  # length beyond an end that must be visible
_HIDDEN_ODDS = 2.5  # largest log odds otherwise: the head may be there
_PLACE_SD_MM = 0.6  # position error of its centre (1 sd): it rolls and has a shadow on one side
_LENGTH_SD = 0.05  # error along, of its length (1 sd): its ends are detected one by one
_TURN_SD = 0.035  # heading error (rad, 1 sd): edges of a match give a degree, and it may be bent


def find_sticks(
    foreground: Foreground,
    scene: BoardScene,
    pieces: Sequence[Piece],
    taken: BoolArray | None = None,
) -> list[Placed]:
    """Detect the sticks on a board.

    Parameters
    ----------
    foreground : Foreground
        The segmented foreground of the board.
    scene : BoardScene
        The plane.
    pieces : sequence of Piece
        Sticks, of any tone; of those of equal length the first is reported.
    taken : (H, W) bool, optional
        Pixels of the foreground that belong to known pieces.

    Returns
    -------
    list of Placed
        The clearest first; each points to its head, as far as that is known.
    """
    if not pieces:
        return []
    side = 2 * round(_EDGE_MM * foreground.rectified.px_per_mm) + 1
    inner = cv2.erode(foreground.on_board.astype(np.uint8), np.ones((side, side), np.uint8))
    blank = inner == 0 if taken is None else taken | (inner == 0)
    found: list[Placed] = []
    for line in find_lines(foreground, blank, pieces):
        if any(is_near(line, _line_of(stick)) for stick in found):
            continue
        stick = _read_stick(foreground, scene, blank, line, pieces)
        if stick is not None and not any(
            is_near(_line_of(stick), _line_of(other)) for other in found
        ):
            found.append(stick)
    return found


def _line_of(stick: Placed) -> StickLine:
    """Return the centre line of a detected stick."""
    return StickLine(np.array([stick.x_mm, stick.y_mm]), stick.theta_rad - np.pi / 2, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class _Profile:
    """Samples along a line: tones (N, 3), and contrast of the stick to its sides."""

    tone: FloatArray
    clear: FloatArray
    hidden: BoolArray  #: covered by known pieces


def _read_stick(
    foreground: Foreground,
    scene: BoardScene,
    blank: BoolArray,
    line: StickLine,
    pieces: Sequence[Piece],
) -> Placed | None:
    """Read a stick along a line; None if there is none."""
    middle, way = _align_line(foreground, blank, line, pieces)
    run = np.array([np.cos(way), np.sin(way)])
    reach = _REACH * max(piece.size_mm[1] for piece in pieces)
    along = np.arange(-reach, reach + _STEP_MM / 2, _STEP_MM)
    profile = _profile(foreground, blank, middle + along[:, None] * run, run, pieces)
    ends = _ends(profile, pieces)
    if ends is None:
        return None
    length = (ends[1] - ends[0]) * _STEP_MM
    piece = min(pieces, key=lambda one: abs(one.size_mm[1] - length))
    shortest = _SHORTEST * min(one.size_mm[1] for one in pieces)
    longest = _LONGEST * max(one.size_mm[1] for one in pieces)
    if not shortest <= length <= longest:
        return None
    odds = _head_odds(profile, ends)  # of the far end
    centre = middle + run * (along[ends[0]] + along[ends[1]]) / 2
    theta = wrap_angle(way + np.pi / 2 + (0 if odds >= 0 else np.pi))
    pose = np.array([*centre, theta])
    placed = _placed(scene, piece, pose, length)
    chance = float(1 / (1 + np.exp(-abs(odds))))
    return replace(
        placed,
        score=min(1.0, line.strength / _STRONG),
        confidence=chance,
        others=(Other(f"{piece.id}-turned", 0.0, 1 - chance),),
    )


def _free(foreground: Foreground, blank: BoolArray, places_mm: FloatArray) -> BoolArray:
    """Return the places (..., 2) that no known piece covers."""
    at = np.round(foreground.rectified.to_px(places_mm.reshape(-1, 2))).astype(int)
    height, width = blank.shape
    x, y = np.clip(at, 0, [width - 1, height - 1]).T
    return np.asarray(~blank[y, x].reshape(places_mm.shape[:-1]), np.bool_)


def _align_line(
    foreground: Foreground, blank: BoolArray, line: StickLine, pieces: Sequence[Piece]
) -> tuple[FloatArray, float]:
    """Align a line with the centre line of its ridge."""
    middle, way = line.middle_mm, line.way_rad
    half = 0.4 * min(piece.size_mm[1] for piece in pieces)
    thin = 0.4 * min(piece.size_mm[0] for piece in pieces)
    along = np.arange(-half, half, 1.0)
    for turns, shifts in (
        (np.radians(np.arange(-6, 7, 2)), np.arange(-2.0, 2.1, 0.5)),
        (np.radians(np.arange(-2, 2.1, 0.5)), np.arange(-0.6, 0.7, 0.2)),
    ):
        best, at = -1.0, (middle, way)
        for turn in turns:
            run = np.array([np.cos(way + turn), np.sin(way + turn)])
            across = np.array([-run[1], run[0]])
            places = middle + along[:, None] * run + shifts[:, None, None] * across
            beside = places + thin * np.array([-1.0, 0.0, 1.0])[:, None, None, None] * across
            clear = _contrast(foreground, beside, across, pieces, _STRONGEST).mean(axis=0)
            clear = (clear * _free(foreground, blank, places)).mean(axis=1)
            k = int(clear.argmax())
            if clear[k] > best:
                best, at = float(clear[k]), (middle + shifts[k] * across, way + turn)
        middle, way = at
    return middle, float(way)


def _contrast(
    foreground: Foreground,
    places_mm: FloatArray,
    across: FloatArray,
    pieces: Sequence[Piece],
    strongest: float,
) -> FloatArray:
    """Return the contrast (...) of places (..., 2) to both sides, of one sign, grey levels.

    It is 0 if neither side is the bare board.
    """
    side = 1.3 * max(piece.size_mm[0] for piece in pieces)
    core, one, other = (
        _sample_foreground(foreground.beyond, foreground, places_mm + step * across)
        for step in (0.0, -side, side)
    )
    weight = np.array([1.0, _COLOUR, _COLOUR])
    above = np.maximum(core - np.maximum(one, other), 0)
    below = np.maximum(np.minimum(one, other) - core, 0)
    clear = ((above + below) * weight).max(axis=-1) * ~(are_things(one) & are_things(other))
    return np.asarray(np.minimum(clear, strongest), np.float64)


def _sample_foreground(
    image: NDArray[np.float32], foreground: Foreground, places_mm: FloatArray
) -> FloatArray:
    """Sample an image of the foreground at places (..., 2): (..., 3)."""
    values = sample(image, foreground.rectified.to_px(places_mm), cv2.BORDER_CONSTANT)
    return np.asarray(values, np.float64)


def _profile(
    foreground: Foreground,
    blank: BoolArray,
    places_mm: Points,
    run: FloatArray,
    pieces: Sequence[Piece],
) -> _Profile:
    """Sample the foreground along a line of places (N, 2)."""
    across = np.array([-run[1], run[0]])
    thin = min(piece.size_mm[0] for piece in pieces)
    shifts = np.array([-0.25, 0.0, 0.25]) * thin
    beside = places_mm + shifts[:, None, None] * across
    tone = _sample_foreground(to_opponent_colours(foreground.image, True), foreground, beside).mean(
        axis=0
    )
    clear = _contrast(foreground, beside, across, pieces, 2 * _STRONG).max(axis=0)
    window = np.ones(max(1, round(_WINDOW_MM / _STEP_MM)))
    clear = np.convolve(clear, window / window.sum(), mode="same")
    return _Profile(tone, clear, ~_free(foreground, blank, places_mm))


def _ends(profile: _Profile, pieces: Sequence[Piece]) -> tuple[int, int] | None:
    """Return the first and last step of the stick; None if too little is visible.

    They bound the best interval: a visible step counts for it, an invisible one against it, and
    hidden steps do not count.
    """
    half = len(profile.clear) // 2
    near = round(0.45 * min(piece.size_mm[1] for piece in pieces) / _STEP_MM)
    middle = slice(half - near, half + near)
    bare = profile.clear[middle][~profile.hidden[middle]]
    if len(bare) < 0.3 * near:
        return None
    usual = float(np.quantile(bare, 0.6))
    least = max(_SHOWS, _SHARE * usual)
    gain = np.where(profile.hidden, 0.0, np.minimum(profile.clear / least, 2.0) - 1.0)
    total = np.concatenate([[0.0], np.cumsum(gain)])
    sums = total[None, :] - total[:, None]
    most = _LONGEST * max(piece.size_mm[1] for piece in pieces) / _STEP_MM
    steps = np.arange(len(total))
    sums[steps[None, :] - steps[:, None] > most] = -np.inf
    first, end = (int(v) for v in np.unravel_index(int(sums.argmax()), sums.shape))
    shows = (gain > 0) | profile.hidden
    if end - first < 3 or shows[first:end].mean() < _FILLED:
        return None
    while profile.hidden[first] and first < end - 2:
        first += 1
    while profile.hidden[end - 1] and first < end - 2:
        end -= 1
    return first, end - 1


def _head_odds(profile: _Profile, ends: tuple[int, int]) -> float:
    """Return the log odds that the head is at the last step instead of the first."""
    first, last = ends
    n = last - first + 1
    tip = min(round(_TIP_MM / _STEP_MM), n // 3)
    body = np.median(profile.tone[first + tip : last + 1 - tip], axis=0)
    weight = np.array([0.7, _COLOUR, _COLOUR])
    off = np.hypot.reduce((profile.tone - body) * weight, axis=1)
    window = np.ones(max(1, round(_WINDOW_MM / _STEP_MM)))
    off = np.convolve(off, window / window.sum(), mode="same")
    start, end = (
        float(np.median(np.sort(part)[-len(window) :])) if len(part) else 0.0
        for part in (off[first : first + tip], off[last + 1 - tip : last + 1])
    )
    beyond = round(_END_MM / _STEP_MM)
    around = (slice(max(0, first - beyond), first), slice(last + 1, last + 1 + beyond))
    is_free = not any(profile.hidden[part].any() for part in around)
    most = _MOST_ODDS if is_free else _HIDDEN_ODDS
    return float(np.clip((end - start) / _TOLD, -most, most))


def _placed(scene: BoardScene, piece: Piece, pose: FloatArray, length: float) -> Placed:
    """Return a stick as a placed piece that points to its head."""
    x, y, theta = (float(v) for v in pose)
    covariance = np.diag([_PLACE_SD_MM**2, _PLACE_SD_MM**2, _TURN_SD**2])
    covariance[:2, :2] += scene.spread_mm(pose[:2])
    run = heading_vector(theta)
    covariance[:2, :2] += (_LENGTH_SD * length) ** 2 * np.outer(run, run)
    box = table_from_card(card_corners(piece.size_mm[0], length), x, y, theta)
    outline = map_plane(scene.solution, box, piece.height_mm)
    return Placed(piece.id, piece.id, x, y, theta, covariance, outline, kind="stick")
