"""Detects sticks on a board, matches and bars, and their heads.

A stick is a line whose middle differs from both its sides, in any tone. Lines of all directions are
tried; its ends are those between which it differs, and the end of another tone is the head.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_corners, heading_vector, table_from_card, wrap_angle
from vision.imaging.view import sample
from vision.seeing.estimation.rectify import map_plane
from vision.seeing.pieces.board_scene import BoardScene, Found, placed_at
from vision.seeing.pieces.print_comparison import (
    Comparison,
    are_things,
    largest,
    to_opponent_colours,
)
from vision.seeing.pieces.uprights import compare_closely, covered_by_known
from vision.values.arrays import BoolArray, FloatArray
from vision.values.layout import Other, Placed
from vision.values.pieces import Piece

__all__ = ["find_sticks", "hidden_beyond"]

_Floats = NDArray[np.float32]


_WAYS = 30  # steps of six degrees: two millimetres at the ends of a stick
_SIDE = 1.3  # distance of both sides that a line is compared with, of the widest stick
_STEP_MM = 1.0  # of the lines that are tried: half a stick's width
_SOFT_MM = 0.5  # smoothing (1 sd): a quarter of a stick's width
_WEIGHTS = np.array([1.0, 1.6, 1.6], np.float32)  # of lightness and colours: shadows have no colour
_CONTRAST = 30.0  # greatest contrast to both sides that counts (grey levels): no spot is a line
_SHORT = 0.85  # of a stick's length, that lines are compared over: its ends differ
_LEAST = 12.0  # least mean contrast of a line; half of it where it shows at all
_FINE_MM = 0.25  # sampling step along a line
# bounds of a stick's length, with what is hidden beyond its ends, of its piece's
_LENGTHS = (0.7, 1.25)
_SHARE = 0.4  # least contrast between the ends, of that at the stick's middle
_TIP_MM, _HEAD_MM = 6.0, 1.5  # searched for the head at each end; the least length of a head
_TOLD = 9.0  # difference in tone of head and body (grey levels) per unit of log odds
_MOST_ODDS = 7.0  # largest log odds of a head: 1000 to 1
_HIDDEN_ODDS = 2.5  # the same if what is beyond an end is hidden: the head may be there
_PLACE_SD_MM = 0.6  # position error of its middle (1 sd): it rolls and has a shadow on one side
_LENGTH_SD = 0.05  # error along, of its length (1 sd): its ends are detected one by one
_TURN_SD = 0.035  # heading error (rad, 1 sd): edges of a match give a degree, and it may be bent


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """A candidate: its middle, direction (rad, either end), mean contrast."""

    middle_mm: FloatArray
    way_rad: float
    strength: float

    def is_near(self, other: "_Line", length_mm: float, side_mm: float) -> bool:
        """Return whether two lines are of one stick, or cross: sticks do not, but may touch.

        One that is nearer than ``side_mm`` lies where the other's sides are compared.
        """
        off, ways = self.middle_mm - other.middle_mm, (self.way_rad, other.way_rad)
        along, across = np.abs([np.stack(_axes(way)) @ off for way in ways]).T
        crossing = abs(np.sin(ways[0] - ways[1])) * length_mm / 2 - side_mm
        is_on = (along < length_mm / 2 - side_mm) & (across < side_mm)
        return bool(is_on.any() or across.max() < crossing)


def _axes(way_rad: float) -> tuple[FloatArray, FloatArray]:
    """Return the unit vectors along a direction and across it."""
    run = np.array([np.cos(way_rad), np.sin(way_rad)])
    return run, np.array([-run[1], run[0]])


@dataclass(frozen=True, slots=True, eq=False)
class _Board:
    """A board on which sticks are sought.

    ``beyond`` (H, W, 3) is the softened excess over the print; ``tones`` (H, W, 3) are the colours
    there; ``blank`` (H, W) is 1 where no line is sought: at its edge, and where something known
    lies, or nothing is seen, which ``covered`` (H, W) marks alone.
    """

    foreground: Comparison
    beyond: _Floats
    tones: _Floats
    blank: _Floats
    covered: _Floats
    side_mm: float

    def at(self, image: _Floats, places_mm: FloatArray) -> _Floats:
        """Sample an image of the foreground at places (..., 2)."""
        px = self.foreground.rectified.to_px(places_mm)
        return sample(image, px, cv2.BORDER_REPLICATE)

    def contrast(self, places_mm: FloatArray, way_rad: float) -> _Floats:
        """Return the contrast (...) of places (..., 2) to both sides of a line; 0 where hidden."""
        side = self.side_mm * _axes(way_rad)[1]
        core, one, other = (self.at(self.beyond, places_mm + k * side) for k in (0, 1, -1))
        free = self.at(self.blank, places_mm) == 0
        return np.asarray(_contrast(core, one, other) * free, np.float32)

    def lines(self, length_mm: float) -> list[_Line]:
        """Return the lines of so great a length, the strongest first."""
        rectified = self.foreground.rectified
        size_mm = np.array(self.blank.shape[::-1]) / rectified.px_per_mm
        steps = np.arange(0.0, float(np.hypot(*size_mm)), _STEP_MM)
        x, y = np.meshgrid(steps - steps.mean(), steps - steps.mean())
        long, side = round(length_mm / _STEP_MM), round(self.side_mm / _STEP_MM)
        found: list[_Line] = []
        for way in np.arange(_WAYS) * np.pi / _WAYS:
            run, across = _axes(way)
            places = rectified.origin_mm + size_mm / 2 + x[..., None] * run + y[..., None] * across
            core = self.at(self.beyond, places)
            clear = _contrast(core, *(np.roll(core, k * side, axis=0) for k in (1, -1)))
            clear = np.minimum(clear, _CONTRAST) * (self.at(self.blank, places) == 0)
            mean = cv2.blur(clear, (long, 1), borderType=cv2.BORDER_CONSTANT)
            top = cv2.dilate(mean, np.ones((2 * side + 1, long)))
            found += [
                _Line(places[row, column], way, float(mean[row, column]))
                for row, column in np.argwhere((mean >= top) & (mean > _LEAST)).tolist()
            ]
        kept: list[_Line] = []
        for line in sorted(found, key=lambda line: -line.strength):
            if not any(line.is_near(one, length_mm, self.side_mm) for one in kept):
                kept.append(line)
        return kept

    def aligned(self, line: _Line, length_mm: float) -> _Line:
        """Align a line with the middle of its stick."""
        along = np.arange(-length_mm / 2, length_mm / 2, _STEP_MM)[:, None]
        step, best = 1.0, -np.inf
        while step >= _FINE_MM:
            trials = []
            for turn in step * np.radians(2.0) * np.arange(-2, 3):
                run, across = _axes(line.way_rad + turn)
                shifts = step * np.arange(-1, 2)[:, None, None] * across
                clear = self.contrast(line.middle_mm + along * run + shifts, line.way_rad + turn)
                trials += [
                    _Line(line.middle_mm + shift[0], line.way_rad + turn, value)
                    for shift, value in zip(shifts, clear.mean(axis=1).tolist(), strict=True)
                ]
            line = max(trials, key=lambda one: one.strength)
            step, best = step if line.strength > best else step / 2, line.strength
        places = line.middle_mm + along * _axes(line.way_rad)[0]
        clear = np.minimum(self.contrast(places, line.way_rad), _CONTRAST)
        return replace(line, strength=float(clear.mean()))


def _contrast(core: _Floats, one: _Floats, other: _Floats) -> _Floats:
    """Return the contrast (...) of tones (..., 3) to those on both sides, of one sign.

    It is 0 if neither side is the bare board.
    """
    above, below = core - np.maximum(one, other), np.minimum(one, other) - core
    clear = largest(np.maximum(np.maximum(above, below), 0) * _WEIGHTS)
    return np.asarray(clear * ~(are_things(one) & are_things(other)), np.float32)


def find_sticks(scene: BoardScene) -> list[Found]:
    """Detect the sticks beside known pawns, outside known pieces.

    The clearest comes first; each points to its head, as far as that is known. Of pieces of equal
    length the first is reported.
    """
    pieces, known = scene.looks.pieces.of_kind("stick"), [one.placed for one in scene.known]
    feet_mm = np.array([[one.x_mm, one.y_mm] for one in known if one.kind == "pawn"])
    if not pieces or not len(feet_mm):
        return []
    foreground = compare_closely(scene)
    taken = covered_by_known(foreground, scene)
    scale = foreground.rectified.px_per_mm
    side_mm = _SIDE * max(piece.size_mm[0] for piece in pieces)
    both = 2 * round(side_mm * scale) + 1  # both sides of a line are compared
    inner = cv2.erode(foreground.on_board.astype(np.uint8), np.ones((both, both), np.uint8))
    board = _Board(
        foreground,
        np.asarray(cv2.GaussianBlur(foreground.beyond, (0, 0), _SOFT_MM * scale), np.float32),
        to_opponent_colours(cv2.GaussianBlur(foreground.image, (0, 0), _SOFT_MM * scale), True),
        (taken | (inner == 0)).astype(np.float32),
        (taken | ~foreground.rectified.inside).astype(np.float32),
        side_mm,
    )
    length = min(piece.size_mm[1] for piece in pieces)
    found: list[tuple[_Line, Placed]] = []
    for candidate in board.lines(_SHORT * length):
        if np.hypot(*(feet_mm - candidate.middle_mm).T).min() > length:
            continue
        line = board.aligned(candidate, _SHORT * length)
        stick = _read_stick(board, scene, line, pieces)
        if stick is not None:
            line = replace(line, middle_mm=np.array([stick.x_mm, stick.y_mm]))
            if not any(line.is_near(other, length, side_mm) for other, _ in found):
                found.append((line, stick))
    return [Found(one, scene.on_plane(one.outline_px)) for _, one in found]


def _read_stick(
    board: _Board, scene: BoardScene, line: _Line, pieces: Sequence[Piece]
) -> Placed | None:
    """Read a stick along a line; None if there is none."""
    run, _ = _axes(line.way_rad)
    lengths = [piece.size_mm[1] for piece in pieces]
    reach = max(lengths)
    along = np.arange(-reach, reach, _FINE_MM)
    places = line.middle_mm + along[:, None] * run
    window = np.ones(round(_HEAD_MM / _FINE_MM))
    clear = np.minimum(board.contrast(places, line.way_rad), _CONTRAST)
    clear = np.convolve(clear, window / window.sum(), mode="same")
    hidden = board.at(board.blank, places) > 0
    ends = _ends(clear, hidden, min(lengths), max(lengths))
    if ends is None:
        return None
    length = (ends[1] - ends[0]) * _FINE_MM
    longest = length + sum(hidden_beyond(hidden, ends)) * _FINE_MM

    def is_off(one: Piece) -> float:
        return max(one.size_mm[1] - longest, length - one.size_mm[1], 0.0)

    piece = min(pieces, key=is_off)
    if longest < _LENGTHS[0] * min(lengths) or length > _LENGTHS[1] * max(lengths):
        return None
    open_ = hidden & (board.at(board.covered, places) == 0)
    whole = _continued(ends, hidden_beyond(open_, ends), piece.size_mm[1] - length)
    odds = _head_odds(board.at(board.tones, places), hidden, whole)  # of the far end
    x, y = line.middle_mm + run * (along[ends[0]] + along[ends[1]]) / 2
    theta = wrap_angle(line.way_rad + np.pi / 2 + (0 if odds >= 0 else np.pi))
    covariance = np.diag([_PLACE_SD_MM**2, _PLACE_SD_MM**2, _TURN_SD**2])
    covariance[:2, :2] += scene.spread_mm2
    head = heading_vector(theta)
    covariance[:2, :2] += (_LENGTH_SD * length) ** 2 * np.outer(head, head)
    box = table_from_card(card_corners(piece.size_mm[0], length), float(x), float(y), theta)
    chance = float(1 / (1 + np.exp(-abs(odds))))
    return placed_at(
        piece.id,
        "stick",
        np.array([x, y, theta]),
        covariance,
        map_plane(scene.solution, box, piece.height_mm),
        score=line.strength / _CONTRAST,
        confidence=chance,
        others=(Other(f"{piece.id}-turned", 0.0, 1 - chance),),
    )


def _ends(
    clear: FloatArray, hidden: BoolArray, shortest_mm: float, longest_mm: float
) -> tuple[int, int] | None:
    """Return the first and last step of the stick; None if too little is visible.

    They bound the best interval of a contrast (N,): a visible step counts for it, an invisible one
    against it, and hidden steps (N,) do not count.
    """
    middle, near = len(clear) // 2, round(shortest_mm / 2 / _FINE_MM)
    bare = clear[middle - near : middle + near][~hidden[middle - near : middle + near]]
    if len(bare) < near / 2:
        return None
    least = max(_LEAST / 2, _SHARE * float(np.median(bare)))
    gain = np.where(hidden, 0.0, np.minimum(clear / least, 2.0) - 1.0)
    total = np.concatenate([[0.0], np.cumsum(gain)])
    sums = total[None, :] - total[:, None]
    steps = np.arange(len(total))
    long = steps[None, :] - steps[:, None]
    sums[(long < 1) | (long > _LENGTHS[1] * longest_mm / _FINE_MM)] = -np.inf
    first, end = (int(v) for v in np.unravel_index(int(sums.argmax()), sums.shape))
    shown = first + np.flatnonzero(~hidden[first:end])
    if not len(shown):
        return None
    return int(shown[0]), int(shown[-1])


def hidden_beyond(hidden: BoolArray, ends: tuple[int, int]) -> tuple[int, int]:
    """Return how many hidden steps (N,) adjoin each of a stick's ends: it may go on there."""
    before, after = hidden[: ends[0]][::-1], hidden[ends[1] + 1 :]
    first, last = (int(np.argmin(np.append(of, False))) for of in (before, after))
    return first, last


def _continued(
    ends: tuple[int, int], beyond: tuple[int, int], missing_mm: float
) -> tuple[int, int]:
    """Return the ends of a stick that goes on over the edge of the board, by its known length."""
    steps = max(round(missing_mm / _FINE_MM), 0)
    first, last = (min(steps, own) * (other == 0) for own, other in (beyond, beyond[::-1]))
    return ends[0] - first, ends[1] + last


def _head_odds(tone: _Floats, hidden: BoolArray, ends: tuple[int, int]) -> float:
    """Return the log odds that the head is at the last step instead of the first."""
    first, last = ends
    tip = min(round(_TIP_MM / _FINE_MM), (last - first + 1) // 3)
    body = np.median(tone[first + tip : last + 1 - tip], axis=0)
    off = np.linalg.norm((tone - body) * _WEIGHTS, axis=1)
    long = round(_HEAD_MM / _FINE_MM)
    off = np.convolve(off, np.ones(long) / long, mode="same")
    start, end = (
        float(np.median(np.sort(part)[-long:]))
        for part in (off[first : first + tip], off[last + 1 - tip : last + 1])
    )
    beyond = (hidden[max(0, first - tip // 2) : first], hidden[last + 1 : last + 1 + tip // 2])
    most = _HIDDEN_ODDS if any(part.any() for part in beyond) else _MOST_ODDS
    return float(np.clip((end - start) / _TOLD, -most, most))
