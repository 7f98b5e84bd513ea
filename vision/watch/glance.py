"""A part of the picture -> the cards in it, on a plane that is known or found with them.

The same stages as a scan, over a few hundred pixels instead of millions.
"""

from dataclasses import dataclass, replace

import numpy as np

from vision.errors import ScanError
from vision.imaging.view import View
from vision.seeing.cards.plane_consensus import consensus_plane
from vision.seeing.detector import Detector
from vision.seeing.estimation.adjustment import Priors
from vision.seeing.estimation.model import Solution, with_poses
from vision.seeing.estimation.overlaps import non_max_suppression
from vision.seeing.estimation.plane import Plane
from vision.seeing.reading import find_cards
from vision.seeing.values import FaceMatch
from vision.values.arrays import FloatArray
from vision.watch.ground import (
    Ground,
    Measured,
    corners_in_picture,
    measure_poses,
    settle_ground,
)

__all__ = ["SIDES_WANTED", "SIDE_SHARE", "Glance", "glance", "match_at", "propose"]


# What counts as a card in a part of the picture; correlations unless said.
_PAD_PX = 40  # round the change: an outline needs its cloth, thresholds their block
_FACE_PAD_PX = 8  # round cards whose faces are compared
_SAME_SHARE = 0.6  # of a card that another covers: the same card twice
_CARD_SCORE = 0.35  # of a card that may be told at all; with its sides
_PLAIN_SCORE = 0.5  # ... without them
SIDES_WANTED = 3  # of four, of one rectangle: what a neighbour may cover of it
SIDE_SHARE = 0.5  # of a side that must be measured for it to count


@dataclass(frozen=True, slots=True, eq=False)
class Glance:
    """Cards found: poses, how their sides and faces agree, best first; and the plane used.

    ``measured`` holds N cards, ``matches`` N comparisons. A pose's half turn is settled by the
    best face.
    """

    ground: Ground
    measured: Measured
    matches: tuple[FaceMatch, ...]


def glance(
    view: View,
    box_px: tuple[int, int, int, int],
    ground: Ground | None,
    priors: Priors,
    detector: Detector,
) -> Glance | None:
    """Read the cards in a part of the picture.

    Parameters
    ----------
    view : View
        The full picture.
    box_px : (int, int, int, int)
        x, y, width, height of the part.
    ground : Ground, optional
        The known plane; None has it found from the cards in the part.
    priors : Priors
        What is believed of the camera.
    detector : Detector
        How the cards are looked for.

    Returns
    -------
    Glance or None
        None if the plane is not known and cannot be found.
    """
    known = ground
    if known is None:
        crop, shift = _cut(view, box_px)
        known = _found_ground(crop, shift, priors, detector)
    if known is None:
        return None
    try:
        poses = propose(view, box_px, known, detector)
        if ground is None and len(poses):
            known, poses = settle_ground(view, known, poses, detector)
        measured = measure_poses(view.gray(), known, poses, detector)
    except ScanError:
        none = Measured(np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 1, 4)))
        return None if ground is None else Glance(known, none, ())
    return _believed(known, measured, view, detector)


def propose(
    view: View,
    box_px: tuple[int, int, int, int],
    ground: Ground,
    detector: Detector,
) -> FloatArray:
    """Return where cards may lie in a part of the picture (N, 3), on a known plane."""
    crop, shift = _cut(view, box_px)
    plane = Plane(_shifted(ground.solution, shift), (), ground.priors)
    return find_cards(crop, detector, plane).poses


def _cut(view: View, box_px: tuple[int, int, int, int]) -> tuple[View, FloatArray]:
    """Return a part of the picture with its surroundings, and where it begins, px."""
    x0, y0, x1, y1 = _padded(box_px, view[0].shape, _PAD_PX)
    return View(view[0][y0:y1, x0:x1], 3), np.array([x0, y0], np.float64)


def _shifted(solution: Solution, shift_px: FloatArray) -> Solution:
    """Return the same camera for a part of the picture that begins at a place."""
    return replace(solution, centre_px=solution.centre_px - shift_px)


def match_at(view: View, ground: Ground, poses: FloatArray, detector: Detector) -> list[FaceMatch]:
    """Compare the faces at poses (N, 3) with all faces; only that part of the picture is used."""
    if not len(poses):
        return []
    solution = with_poses(ground.solution, poses)
    at_px = corners_in_picture(ground, poses, detector.faces.size_mm).reshape(-1, 2)
    low, high = at_px.min(axis=0), at_px.max(axis=0)
    box = (*(int(v) for v in low), *(int(v) for v in high - low + 1))
    x0, y0, x1, y1 = _padded((box[0], box[1], box[2], box[3]), view[0].shape, _FACE_PAD_PX)
    if x1 - x0 < 16 or y1 - y0 < 16:  # outside the picture
        return detector.comparer.match(View(view[0], 1), solution)
    part = View(view[0][y0:y1, x0:x1], 3)
    return detector.comparer.match(part, _shifted(solution, np.array([x0, y0], np.float64)))


def _padded(
    box: tuple[int, int, int, int], shape_hw: tuple[int, ...], pad: int
) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of a box with some room, inside the picture."""
    x, y, w, h = box
    return (
        max(0, x - pad),
        max(0, y - pad),
        max(1, min(shape_hw[1], x + w + pad)),
        max(1, min(shape_hw[0], y + h + pad)),
    )


def _found_ground(
    crop: View, shift_px: FloatArray, priors: Priors, detector: Detector
) -> Ground | None:
    """Find the plane from the outlines that are surely cards."""
    quads = detector.finder.quads(crop)
    matched = detector.comparer.match_quads(crop, quads, all_ways=True)
    try:
        whole = replace(matched, corners_px=matched.corners_px + shift_px)
        voted = consensus_plane(whole, detector.comparer.voting, detector.faces.size_mm, priors)
    except ScanError:
        return None
    if voted is None:
        return None
    return Ground(with_poses(voted.plane.solution, np.zeros((0, 3))), priors, 1, float("inf"))


def _believed(
    ground: Ground,
    measured: Measured,
    view: View,
    detector: Detector,
) -> Glance:
    """Keep what is a card, turned upright, best first."""
    matches = match_at(view, ground, measured.poses, detector)
    poses = measured.poses.copy()
    for i, match in enumerate(matches):
        if match.is_half_turned(match.best):
            poses[i, 2] += np.pi
            matches[i] = replace(match, scores=match.scores[:, ::-1])
    sides = (measured.sides > SIDE_SHARE).sum(axis=2).max(axis=1, initial=0)
    good = [
        i
        for i, match in enumerate(matches)
        if match.score > _PLAIN_SCORE
        or (match.score > _CARD_SCORE and sides[i] >= SIDES_WANTED)
        or sides[i] >= 4
    ]
    good.sort(key=lambda i: -matches[i].score)
    kept = [good[k] for k in non_max_suppression(poses[good], detector.faces.size_mm, _SAME_SHARE)]
    return Glance(
        ground,
        Measured(poses[kept], measured.covariance[kept], measured.sides[kept]),
        tuple(matches[i] for i in kept),
    )
