"""Proposes cards from visible border that no known card explains.

Counters leave a corner and a strip of border of a card, or it lies too far under another to be
read: a white border is still visible along two of its sides, with the darker frame inside and
something darker outside. Lines of a cloth or a floor have only one of the two, or one side; the rim
of a phone is coloured, continues past a card's end, or ends before it.
"""

from dataclasses import replace

import numpy as np

from vision.geometry import rotation
from vision.imaging.view import View
from vision.seeing.cards.propose_from_corners import CornerProposalSettings, propose_from_corners
from vision.seeing.estimation.model import Solution, project_cards
from vision.seeing.estimation.overlaps import are_inside_cards
from vision.seeing.recognition.framed_faces import FaceIndex, sample_colours
from vision.values.arrays import BoolArray, FloatArray, ImageBGR

__all__ = ["propose_from_borders", "tones_at"]

_SHIFTS = 27  # poses tried near each: one to either side along x, y and theta, and the pose itself


# Criteria of a card's border; measured on 23 photos: without a card at most 70 and 2 mm.
_SHOWN_MM = 50.0  # least visible border in all: 59 and more on half hidden cards
_SECOND_MM = 12.0  # least border along the second longest side: 19 and more there
_INSIDE = 1.4  # least ratio of the border's least channel to the frame's; printed: above 3
_TINT = 1.35  # largest ratio between its channels, relative to known cards' borders
_DIM = 0.45  # least lightness relative to those: in shade; a purple rim on green mixes to 0.4
_OUTSIDE = 1.2  # least ratio of it to the surroundings of the card: pale wood is nearly as light
_STEP = 8.0  # tones added to both limits: in the dark a ratio is noise
_KNOWN_MM = 3.0  # margin round a known card: position error of its own border
_OVERLAP = 0.85  # largest overlap with a known card: more leaves no two sides
_SAMPLES = 16  # per side
_CORNER_MM = 4.0  # left out at each end: corners are round
_SIMILAR_MM = 2.0  # step within which poses are the same: each corner is detected several times
_SIMILAR_RAD = 0.03  # the same of the rotation
_BEYOND_MM = 10.0  # range past a side's end, where the rim of a longer thing continues
_RUNS_ON = 0.6  # largest visible share of it: beside a card hardly anything is visible
_BARE_MM = 16.0  # largest length along a side within which the bare table is visible
_SIMILARITY = 1.12  # largest lightness ratio, either way, of the table to the surroundings
_SIMILAR_STEP = 4.0  # tones added to that: noise in the dark
_TRIED_MM = 20.0  # least border of a pose near which others are tried
_SHIFT_MM = 3.0  # shift of those, to either side
_TURN_RAD = 0.04  # rotation of those
_MOST_TRIED = 8  # poses with the most border for which that is done
_MOST = 600  # poses that are examined: checked cloth has thousands


def propose_from_borders(
    visible_corners_px: FloatArray, plane: Solution, view: View, index: FaceIndex, known: FloatArray
) -> FloatArray:
    """Return poses of cards with a corner and border along two sides beside all known ones.

    Parameters
    ----------
    visible_corners_px : (M, 3, 2) float64
            Visible corners, photo frame: a point on one side, the corner, one on the next side.
    plane, view : Solution and View
        Camera and plane; the photo.
    index : FaceIndex
            The faces. Without a printed frame the border cannot be detected.
    known : (N, 3) float64
        Poses of the cards that explain what they cover: x mm, y mm, theta rad.

    Returns
    -------
    (K, 3) float64
        Poses, those with the most border first; several of one card.
    """
    if len(index.rectangles_mm) < 2 or not len(known):
        return np.zeros((0, 3))
    how = replace(CornerProposalSettings(), overlap=_OVERLAP)
    poses = _suppress_similar(
        propose_from_corners(visible_corners_px, plane, index.rectangles_mm, known, how)
    )
    if not len(poses):
        return poses
    border = _BorderSearch(view, plane, index, known)
    total, _ = border.seen_at(poses)
    order = np.argsort(-total, kind="stable")[:_MOST_TRIED]
    tried = _perturbed(poses[order[total[order] > _TRIED_MM]])
    if not len(tried):
        return tried
    total, good = border.seen_at(tried)
    best = total.reshape(-1, _SHIFTS).argmax(axis=1) + np.arange(0, len(tried), _SHIFTS)
    best = best[np.argsort(-total[best], kind="stable")]
    return np.asarray(tried[best[good[best]]], np.float64)


def _perturbed(poses: FloatArray) -> FloatArray:
    """Return poses (K, 3) with small perturbations (27 K, 3): a corner fixes far ends poorly."""
    axes = [(-step, 0.0, step) for step in (_SHIFT_MM, _SHIFT_MM, _TURN_RAD)]
    shifts = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 3)
    return np.asarray((poses[:, None] + shifts).reshape(-1, 3), np.float64)


class _BorderSearch:
    """Searches for card border that no known card explains."""

    def __init__(self, view: View, plane: Solution, index: FaceIndex, known: FloatArray) -> None:
        self.view, self.plane, self.index, self.known = view, plane, index, known
        self.places, self.steps_mm = _places(index)
        own = tones_at(view, plane, known, self.places[1, :, :_SAMPLES].reshape(-1, 2), index)
        self.white = np.median(own.reshape(-1, 3), axis=0)  # of known cards' borders

    def seen_at(self, poses: FloatArray) -> tuple[FloatArray, BoolArray]:
        """Return the visible border (K,), mm, at poses (K, 3), and whether each is a card."""
        places = self.places
        tones = tones_at(self.view, self.plane, poses, places.reshape(-1, 2), self.index)
        tones = tones.reshape(len(poses), *places.shape[:3], 3)
        frame, white, beside, _ = tones.min(axis=4).swapaxes(0, 1)
        shown = (white > _INSIDE * frame + _STEP) & (white > _OUTSIDE * beside + _STEP)
        shown &= _are_white(tones[:, 1], self.white)
        turns = np.array([rotation(float(theta)) for theta in poses[:, 2]])
        there = np.einsum("kij,pj->kpi", turns, places[1].reshape(-1, 2)) + poses[:, None, :2]
        on = are_inside_cards(there.reshape(-1, 2), self.known, self.index.size_mm, _KNOWN_MM)
        free = ~on.reshape(shown.shape)
        on_side = np.arange(shown.shape[2]) < _SAMPLES
        seen = shown & free & on_side
        sides = seen.sum(axis=2) * self.steps_mm
        total, second = sides.sum(axis=1), np.sort(sides, axis=1)[:, -2]
        past = shown[..., ~on_side].reshape(*shown.shape[:2], 2, -1).mean(axis=3)
        is_longer = ((past > _RUNS_ON) & (sides > _SECOND_MM)[..., None]).any(axis=(1, 2))
        bare = (_are_table(tones, seen) & free & on_side).sum(axis=2) * self.steps_mm
        good = (total > _SHOWN_MM) & (second > _SECOND_MM) & ~is_longer
        return total, good & (bare.sum(axis=1) < _BARE_MM)


def _suppress_similar(poses: FloatArray) -> FloatArray:
    """Keep one of each group of nearly equal poses (K, 3), modulo half a turn."""
    halved = np.column_stack([poses[:, :2], np.mod(poses[:, 2], np.pi)])
    steps = np.round(halved / [_SIMILAR_MM, _SIMILAR_MM, _SIMILAR_RAD])
    first = np.unique(steps, axis=0, return_index=True)[1]
    return poses[np.sort(first)[:_MOST]]


def _places(index: FaceIndex) -> tuple[FloatArray, FloatArray]:
    """Return sample places (4, 4, P, 2) inside, on, outside and well inside the border, card mm.

    For each side the first places run along it at equal steps (4,); as many before and after it
    follow.
    """
    half = np.array(index.size_mm) / 2
    border = float(half[0] - index.rectangles_mm[1][0] / 2)
    ends = half - _CORNER_MM
    past = np.linspace(border, _BEYOND_MM, _SAMPLES // 2)[:, None]
    along = np.concatenate(
        [np.linspace(-1, 1, _SAMPLES)[:, None] * ends, -half - past, half + past]
    )
    rings = []
    for off in (1.5 * border, 0.5 * border, -border, 2 * border):
        x, y = half - off
        sides = [(along[:, 0], -y), (x, along[:, 1]), (along[:, 0], y), (-x, along[:, 1])]
        rings.append([np.stack(np.broadcast_arrays(u, v), axis=-1) for u, v in sides])
    return np.array(rings), np.tile(2 * ends / (_SAMPLES - 1), 2)


def tones_at(
    view: View, plane: Solution, poses: FloatArray, places_mm: FloatArray, index: FaceIndex
) -> ImageBGR:
    """Sample the tones (K, P, 3) at places (P, 2), mm, of cards at poses (K, 3)."""
    rows, columns = index.shape_hw
    corners = index.grid_mm[[0, columns - 1, (rows - 1) * columns]]  # these define the scale
    at_px = project_cards(plane, poses, np.concatenate([corners, places_mm]))
    return sample_colours(view, at_px, index, corners=(0, 1, 2))[:, 3:]


def _are_white(tones: ImageBGR, own: FloatArray) -> BoolArray:
    """Return which tones (..., 3) are as white as the borders of known cards (3,), if dimmer."""
    ratio = tones / np.maximum(own, 1.0)
    most, least = ratio.max(axis=-1), ratio.min(axis=-1)
    return np.asarray((most < _TINT * least) & (least > _DIM), np.bool_)


def _are_table(tones: ImageBGR, seen: BoolArray) -> BoolArray:
    """Return where, of tones (K, 4, 4, P, 3), those well inside equal the table's (K, 4, P).

    The table is sampled outside the visible border (K, 4, P).
    """
    beside = np.where(seen[..., None], tones[:, 2], np.nan).reshape(len(tones), -1, 3)
    is_any = seen.any(axis=(1, 2))
    table = np.full((len(tones), 3), np.inf)
    table[is_any] = np.nanmedian(beside[is_any], axis=1)
    table, inner = table[:, None, None], tones[:, 3]
    is_table = (inner < _SIMILARITY * table + _SIMILAR_STEP) & (
        inner > table / _SIMILARITY - _SIMILAR_STEP
    )
    return np.asarray(is_table.all(axis=3), np.bool_)
