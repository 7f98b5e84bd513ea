"""Estimates how far the cut edge of a deck's cards is from the border of the deck's images.

The images of a deck are cropped by eye, and all in much the same way. So the edge profiles of all
cards of a photo are superposed in the frame of their print: the outermost line that occurs at the
same distance from the print on most cards is the cut edge. A card's own art, the cloth and
neighbouring cards do not agree so. Separate from ``print_poses``: it measures the deck, not a card.

References
----------
.. [1] Duda and Hart, Use of the Hough Transformation to Detect Lines and Curves in Pictures, 1972
   (votes for what many agree in).
"""

from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.geometry import fold_angles
from vision.imaging.view import View, sample, to_level
from vision.seeing.estimation.model import Solution, TrimModel, project, with_poses
from vision.seeing.estimation.overlaps import Covers
from vision.seeing.registration.edge_profile import Rectangle, expected_edges, gradients_along
from vision.seeing.registration.sample_grid import scales_px_per_mm
from vision.values.arrays import (
    BoolArray,
    FloatArray,
    ImageBGR,
    IntArray,
    Points,
    peak_offset,
    robust_sd,
)
from vision.values.pieces import Faces

__all__ = ["CutEdges", "apply_edges", "lacks_edges", "measure_trim"]


# Search for the cut edge.
_INWARD = 0.015  # reach inward, of a card's height: images include a little of the surroundings
_OUTWARD = 0.05  # reach outward, of a card's height: images lack up to 5 % on a side
_STEP_MM = 0.15  # step of the search
_SOFT_STEPS = 2.0  # smoothing of the gradients (1 sd, steps): 0.3 mm, half a pixel of a small photo
_SAMPLES = 40  # per side
_INSET = 0.12  # left out at each end, of a card's width: rounded corners
_MOST_PX_PER_MM = 4.0  # a finer level adds nothing at these steps
_ALONE_MM = 0.7  # a line must be the strongest within this: excludes an edge's halo or shadow
_SURE: tuple[float, float] = (3.0, 6.0)  # side's mean gradient (sd): no vote, full vote
_SAME_MM = 0.5  # scatter of the crop between images of one deck (1 sd)
_FEWEST = 0.4  # least share of the cards that agree on a line
_OF_BEST = 0.6  # least votes of a line, of those of the best line
_FEWEST_SAMPLES = 12  # least unoccluded samples of a side
_FEWEST_STILL = 4  # least cards in slots: three may share a rotation by chance
_TURNED_RAD = 0.0018  # least rotation of prints from slots (1 sd), 0.1 degrees
_FEWEST_CARDS = 3  # least cards with the side visible: fewer agree in anything
_WITHIN_MM = (
    0.0,
    0.5,
    1.0,
)  # inside a border: what is compared with the images, and with the table
_BEYOND_MM = (-1.0, -2.0)  # outside it: table
_MOST = 0.5  # of a side, or of all sides: most of it, or of them
_DARK = 12.0  # tones added before the logarithm: noise in the dark


@dataclass(frozen=True, slots=True, eq=False)
class CutEdges:
    """Where the cut edges of a deck's cards are.

    ``outside_mm`` (4,) is how far outside the images' border they are: top, right, bottom, left.
    ``in_slots``: what runs along that border on most sides is a slot, and nothing inside it.
    """

    outside_mm: FloatArray
    in_slots: bool


def measure_trim(view: View, solution: Solution, size_mm: tuple[float, float]) -> CutEdges:
    """Return where the cut edges are relative to the images' border.

    Parameters
    ----------
    view : View
        The photo.
    solution : Solution
        Camera, plane and N poses from the print, upright; of its trim model only the aspect.
    size_mm : (float, float)
        Nominal width and height, to which the images are stretched.

    Returns
    -------
    CutEdges
        Accurate to some tenths. A side on which the cards do not agree takes the value of the
        opposite side, or the mean of the known sides; 0 if none is known.
    """
    if not len(solution.poses):
        return CutEdges(np.zeros(4), in_slots=False)
    lines, upper = _find_lines(view, solution, size_mm), np.full(4, _OUTWARD * size_mm[1])
    found = lines.outermost(upper)
    are_slots = np.zeros(4, np.bool_)
    while (is_slot := lines.lie_still(found, solution.poses[:, 2])).any():
        are_slots |= is_slot
        upper = np.where(is_slot, found - _ALONE_MM, upper)
        found = lines.outermost(upper)
    in_slots = bool(np.count_nonzero(are_slots & np.isnan(found)) >= 2)
    found = np.where(np.isnan(found), np.roll(found, 2), found)
    stated = found[~np.isnan(found)]
    rest = stated.mean() if len(stated) else 0.0
    return CutEdges(np.where(np.isnan(found), rest, found), in_slots)


def lacks_edges(
    view: View, solution: Solution, sides: FloatArray, faces: IntArray, bank: Faces
) -> bool:
    """Return whether the bare table runs on within the border of most cards that are read.

    There is no edge along most sides of most cards, and just inside their border the photo has the
    table's tones, not those of the images: these were cut at something else than the cards' edge.

    Parameters
    ----------
    view : View
        The photo.
    solution : Solution
        N poses with their trim model.
    sides : (N, 4) float64
        Measured share of each side.
    faces : (N,) int
        The face of each card, -1 for none.
    bank : Faces
        The faces.
    """
    read = np.flatnonzero(faces >= 0)
    sides, faces = sides[read], faces[read]
    if len(faces) < _FEWEST_CARDS:
        return False
    size_mm, plain = bank.size_mm, replace(with_poses(solution, solution.poses[read]), forms=None)
    across = np.linspace(-1, 1, _SAMPLES // 4) * (1 / 2 - _INSET)
    inner = np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2) * size_mm
    gain = np.median(_photo_less_face(view, plain, inner, faces, bank)[1], axis=1)
    within, apart = _photo_less_face(view, plain, _beside(size_mm, _WITHIN_MM), faces, bank)
    beyond, _ = _photo_less_face(view, plain, _beside(size_mm, _BEYOND_MM), faces, bank)
    by_side = (len(faces), 4, -1, 3)
    from_face = (apart - gain[:, None]).reshape(by_side)
    from_table = within.reshape(by_side) - np.median(beyond.reshape(by_side), axis=2, keepdims=True)
    by_face, by_table = (np.square(off).mean(axis=(2, 3)) for off in (from_face, from_table))
    clear = np.isfinite(by_face + by_table)
    bare = (sides < _MOST) & (4 * by_table < by_face)
    return bool(clear.any()) and float(bare[clear].mean()) > _MOST


def _beside(size_mm: tuple[float, float], depths_mm: tuple[float, ...]) -> Points:
    """Return points (4 D m, 2) at depths within each side of a card, side by side."""
    width, height = size_mm
    along = np.linspace(-1, 1, _SAMPLES // 2) * (1 - 2 * _INSET)
    points = []
    for out_x, out_y in ((0, -1), (1, 0), (0, 1), (-1, 0)):
        for depth in depths_mm:
            x = out_x * (width / 2 - depth) + abs(out_y) * along * width / 2
            y = out_y * (height / 2 - depth) + abs(out_x) * along * height / 2
            points.append(np.stack([x, y], axis=1))
    return np.concatenate(points)


def _photo_less_face(
    view: View, solution: Solution, points_mm: Points, faces: IntArray, bank: Faces
) -> tuple[FloatArray, FloatArray]:
    """Return log tones (N, M, 3) of the photo at points (M, 2) of the cards, and less the faces'.

    They are nan outside the photo.
    """
    n, m = len(faces), len(points_mm)
    at = project(solution, np.repeat(np.arange(n), m), np.tile(points_mm, (n, 1)))
    level = _level(view, solution)
    seen = _log_tones(view[level], to_level(at, level)).reshape(n, m, 3)
    last = np.array(view.size_wh) - 1
    seen[~((at > 0) & (at < last)).all(axis=1).reshape(n, m)] = np.nan
    cut = solution.cut or TrimModel()
    on_print = (points_mm - np.array(cut.shift_mm) / cut.stretch) / (1 + np.array(cut.growth))
    on_image = on_print * bank.px_per_mm + (np.array(bank.images.shape[2:0:-1]) - 1) / 2
    shown = np.array([_log_tones(np.asarray(bank.images[k]), on_image) for k in faces.tolist()])
    return seen, seen - shown


def _log_tones(image: ImageBGR, at_px: Points) -> FloatArray:
    """Return log tones (M, 3) at points of an image."""
    return np.asarray(np.log(sample(image, at_px) + _DARK), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """Lines along the S = 4N sides of cards, at ``offsets_mm`` (P,) outside the images' border.

    ``slope`` (S, m, P) are the gradients at m places of each side, ``clear`` (S, m) marks the
    places that no other card covers, ``votes`` (S, P) say where a line runs; ``length_mm`` (4,) is
    the length of each side along which it was looked for.
    """

    slope: FloatArray
    clear: BoolArray
    votes: FloatArray
    offsets_mm: FloatArray
    length_mm: FloatArray

    def outermost(self, upper_mm: FloatArray) -> FloatArray:
        """Return the outermost line (4,) of most cards below a bound (4,); nan if there is none."""
        counted = self.clear.sum(axis=1) >= _FEWEST_SAMPLES
        below = self.offsets_mm < upper_mm[:, None]
        return np.array(
            [
                _outermost(self.votes[k::4][counted[k::4]] * below[k], self.offsets_mm)
                for k in range(4)
            ]
        )

    def lie_still(self, at_mm: FloatArray, theta_rad: FloatArray) -> BoolArray:
        """Return which lines (4,) have one rotation on the table while the prints (N,) do not.

        Cards were laid by hand, and their edges turn with their print. Slots printed on a play mat
        are one print.
        """
        still = np.zeros(4, np.bool_)
        for k in np.flatnonzero(np.isfinite(at_mm)).tolist():
            off = self._turns(k, float(at_mm[k]))
            told = np.isfinite(off)
            if np.count_nonzero(told) < _FEWEST_STILL:
                continue
            on_table = theta_rad[told] + off[told]
            turned = float(robust_sd(off[told]))
            spread = float(robust_sd(fold_angles(on_table - on_table[0], np.pi / 2)))
            still[k] = 2 * spread < turned > _TURNED_RAD
        return still

    def _turns(self, k: int, at_mm: float) -> FloatArray:
        """Return the rotation (N,) of a line at side k, relative to the print; nan if unknown."""
        near = np.flatnonzero(np.abs(self.offsets_mm - at_mm) < 2 * _SAME_MM)
        middle = self.clear.shape[1] // 2
        halves = []
        for half in (slice(0, middle), slice(middle, None)):
            weight = self.clear[k::4, half].astype(np.float64)
            count = weight.sum(axis=1)
            mean = np.einsum("np,npo->no", weight, self.slope[k::4, half][..., near])
            mean[2 * count < _FEWEST_SAMPLES] = np.nan
            halves.append(mean / np.maximum(count, 1)[:, None])
        # both halves of one edge, brighter outward or darker
        signed = [[_peak(sign * half) for half in halves] for sign in (1.0, -1.0)]
        sizes = np.array([np.minimum(first[1], last[1]) for first, last in signed])
        steps = np.array([first[0] - last[0] for first, last in signed])
        step = np.where(sizes[0] > sizes[1], steps[0], steps[1])
        step[~np.isfinite(sizes).all(axis=0)] = np.nan
        # outward is to the left of the direction in which the places of a side run
        return np.asarray(np.arctan2(_STEP_MM * step, self.length_mm[k] / 2), np.float64)


def _peak(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the place (N,) and the height (N,) of the highest peak of rows (N, P); nan if none."""
    inner = np.clip(rows.argmax(axis=1), 1, rows.shape[1] - 2)
    left, mid, right = (rows[np.arange(len(rows)), inner + k] for k in (-1, 0, 1))
    is_peak = (mid >= left) & (mid >= right) & (left - 2 * mid + right < 0)
    place = inner + peak_offset(left, mid, right)
    return np.where(is_peak, place, np.nan), np.where(is_peak, mid, 0.0)


def _level(view: View, solution: Solution) -> int:
    """Return the level of the photo that is as fine as is of use."""
    scale = float(np.median(scales_px_per_mm(solution, np.arange(len(solution.poses)))))
    level = np.ceil(np.log2(max(scale / _MOST_PX_PER_MM, 1.0)))
    return int(np.clip(level, 0, len(view) - 1))


def _find_lines(view: View, solution: Solution, size_mm: tuple[float, float]) -> _Lines:
    """Find lines along the sides of cards; beyond the search's reach, for what ends there."""
    level = _level(view, solution)
    reach = np.arange(-_INWARD, _OUTWARD, _STEP_MM / size_mm[1]) * size_mm[1]
    beyond = reach[-1] + _STEP_MM * np.arange(1, 1 + round(2 * _SAME_MM / _STEP_MM))
    offsets = np.concatenate([reach, beyond])
    rectangle = Rectangle(*size_mm, True, _INSET * size_mm[0], 0.0, 1.0, True)
    expected = expected_edges(solution, rectangle, np.linspace(-1, 1, _SAMPLES))
    steps = expected.px_per_mm[:, None, None] * offsets / 2.0**level
    at = to_level(expected.at_px, level)
    gray = view.gray(level)
    slope = gradients_along(gray, at, expected.normal_px, steps, _SOFT_STEPS).astype(np.float64)
    ends = at[:, :, None] + steps[:, :, [0, len(reach) - 1], None] * expected.normal_px[:, :, None]
    rim = np.array(gray.shape[::-1]) - 2
    clear = ((ends > 1) & (ends < rim)).all(axis=(2, 3))
    clear &= ~_covered_by_others(solution, expected.point_mm, size_mm, _OUTWARD * size_mm[1])
    width, height = np.array(size_mm) - 2 * _INSET * size_mm[0]
    length = np.array([width, height, width, height])
    return _Lines(slope, clear, _line_votes(slope, clear), offsets, length)


def _covered_by_others(
    solution: Solution, point_mm: FloatArray, size_mm: tuple[float, float], beyond_mm: float
) -> BoolArray:
    """Return which points (S, m) on sides, or just outside them, are on another card."""
    poses = solution.poses
    others = Covers.unknown(len(poses), size_mm).possible
    outward = np.sign(np.round(point_mm.mean(axis=1), 6))  # (S, 2): centre of a side
    covered = np.zeros(point_mm.shape[:2], np.bool_)
    for away in (0.0, 0.5 * beyond_mm, beyond_mm):
        at = (point_mm + away * outward[:, None]).reshape(len(poses), -1, 2)
        covered |= ~others.visible(at, poses).reshape(covered.shape)
    return covered


def _line_votes(slope: FloatArray, clear: BoolArray) -> FloatArray:
    """Return the votes for a line along each side (S, P) at each offset: 0..1."""
    weight = clear[:, :, None].astype(np.float64)
    count = np.maximum(weight.sum(axis=1), 1)
    mean = (weight * slope).sum(axis=1) / count
    spread = np.sqrt((weight * (slope - mean[:, None]) ** 2).sum(axis=1) / count)
    noise = spread / np.sqrt(count / 2) + 1e-4  # neighbours share their blur
    low, high = _SURE
    vote = np.clip((np.abs(mean) / noise - low) / (high - low), 0, 1)
    near = 2 * round(_ALONE_MM / _STEP_MM) + 1
    size = np.abs(mean).astype(np.float32)
    strongest = cv2.dilate(size, np.ones((1, near), np.uint8))
    return np.where(size >= strongest, vote, 0.0)


def _outermost(votes: FloatArray, offsets: FloatArray) -> float:
    """Return the outermost offset at which enough cards (K, P) have a line; nan if none."""
    if len(votes) < _FEWEST_CARDS:
        return float("nan")
    near = np.exp(-0.5 * ((offsets[:, None] - offsets) / _SAME_MM) ** 2)
    together = (votes @ near).clip(0, 1).mean(axis=0)
    least = max(_FEWEST, _OF_BEST * together.max())
    peak = (together >= np.roll(together, 1)) & (together > np.roll(together, -1))
    peak[[0, -1]] = False
    good = np.flatnonzero(peak & (together >= least))
    return float(offsets[good[-1]]) if len(good) else float("nan")


def apply_edges(
    solution: Solution, borders_mm: FloatArray, size_mm: tuple[float, float], read: BoolArray
) -> Solution:
    """Convert a solution from the cards' print to their cut edges.

    Parameters
    ----------
    solution : Solution
        N poses of the print; of its trim model only the aspect.
    borders_mm : (4,) float64
        How far outside the cut edges are: top, right, bottom, left.
    size_mm : (float, float)
        Nominal width and height.
    read : (N,) bool
        Which poses are of the print; the others are of the cut edge.

    Returns
    -------
    Solution
        The same projection, scaled so that cards have the nominal area, with the trim model.
    """
    top, right, bottom, left = borders_mm
    stated = np.array(size_mm)
    stretched = stated * (solution.cut or TrimModel()).stretch
    seen = stretched + np.array([left + right, top + bottom])
    middle = np.array([right - left, bottom - top]) / 2
    scale = float(np.sqrt(stated.prod() / seen.prod()))
    aspect = float(np.log(seen[0] / seen[1] * stated[1] / stated[0]))
    x, y, theta = solution.poses.T
    cos, sin = np.cos(theta) * read, np.sin(theta) * read
    poses = np.column_stack(
        [
            scale * (x + cos * middle[0] - sin * middle[1]),
            scale * (y + sin * middle[0] + cos * middle[1]),
            theta,
        ]
    )
    growth, shift = stretched / seen - 1, -scale * middle
    cut = TrimModel(aspect, (growth[0], growth[1]), (shift[0], shift[1]))
    return replace(
        solution,
        translation_mm=scale * solution.translation_mm,
        poses=poses,
        forms=None,
        cut=cut,
    )
