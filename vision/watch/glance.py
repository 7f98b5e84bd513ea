"""A part of the picture -> the cards in it, on a plane that is known or found with them.

The same stages as a scan, over a few hundred pixels instead of millions.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from vision.errors import ScanError
from vision.imaging.view import View
from vision.seeing.cards.candidates import Laid, LaySettings, grid_px, lay_outlines, look_beside
from vision.seeing.cards.matching import Match, match_cards, match_quads
from vision.seeing.cards.overlaps import without_repeats
from vision.seeing.faces.bordered import FaceIndex
from vision.seeing.measure.sides import Rectangle
from vision.seeing.outlines.bright import DetectSettings, find_outlines
from vision.seeing.outlines.quads import QuadSettings
from vision.seeing.solve.adjust import Priors
from vision.seeing.solve.model import Solution, with_poses
from vision.seeing.solve.plane import solve_plane
from vision.values.arrays import FloatArray, ImageBGR, ImageGray
from vision.watch.ground import Ground, Measured, measure_poses, settle_ground

__all__ = ["Glance", "GlanceSettings", "glance", "match_at"]


@dataclass(frozen=True, slots=True)
class GlanceSettings:
    """What counts as a card in a part of the picture; correlations unless said."""

    pad_px: int = 40  # round the change: an outline needs its cloth, thresholds their block
    sure_score: float = 0.45  # of an outline that may found the plane
    sure_lead: float = 0.04
    shape_mm: float = 3.5  # as in a scan
    loose_mm: float = 6.0  # while the plane is known from few cards
    few_cards: int = 3
    same_share: float = 0.6  # of a card that another covers: the same card twice
    card_score: float = 0.35  # of a card that may be told at all; with its sides
    plain_score: float = 0.5  # ... without them
    sides_wanted: int = 3  # of four, of one rectangle: what a neighbour may cover of it
    side_share: float = 0.5
    #: outlines in a crop, which a card that was moved may fill
    detect: DetectSettings = field(
        default_factory=lambda: DetectSettings(quads=QuadSettings(max_area_share=0.9))
    )
    lay: LaySettings = field(default_factory=lambda: LaySettings(most_supposed=80))


@dataclass(frozen=True, slots=True, eq=False)
class Glance:
    """Cards found: poses, how their sides and faces agree, best first; and the plane used.

    ``measured`` holds N cards, ``matches`` N comparisons. A pose's half turn is settled by the
    best face.
    """

    ground: Ground
    measured: Measured
    matches: tuple[Match, ...]


def glance(
    image: ImageBGR,
    gray: ImageGray,
    box_px: tuple[int, int, int, int],
    ground: Ground | None,
    priors: Priors,
    index: FaceIndex,
    rectangles: tuple[Rectangle, ...],
    settings: GlanceSettings | None = None,
) -> Glance | None:
    """Read the cards in a part of the picture.

    Parameters
    ----------
    image, gray : (H, W, 3) and (H, W) uint8
        The full picture and its luma.
    box_px : (int, int, int, int)
        x, y, width, height of the part.
    ground : Ground, optional
        The known plane; None has it found from the cards in the part.

    Returns
    -------
    Glance or None
        None if the plane is not known and cannot be found.
    """
    s = settings or GlanceSettings()
    x0, y0, x1, y1 = _padded(box_px, gray.shape, s.pad_px)
    crop, gray_crop = image[y0:y1, x0:x1], gray[y0:y1, x0:x1]
    shift = np.array([x0, y0], np.float64)
    pyramid = View(crop, 3)
    outlines = find_outlines(crop, settings=s.detect)
    known = ground
    if known is None:
        corners, matches = match_quads(pyramid, outlines.quads, index)
        known = _found_ground(corners + shift, matches, index, priors, s)
        if known is None:
            return None
    plane = _shifted(known.solution, shift)
    tolerance = s.loose_mm if known.cards < s.few_cards else s.shape_mm
    lay = replace(s.lay, shape_mm=tolerance)
    nothing = Laid(np.zeros((0, 3)), np.zeros(0))
    try:
        laid = lay_outlines(
            outlines.quads, outlines.elbows, nothing, plane, pyramid, gray_crop, index, lay
        )
        poses = look_beside(laid, plane, pyramid, index, lay).poses
        if ground is None and len(poses):
            known, poses = settle_ground(gray, known, poses, rectangles)
        measured = measure_poses(gray, known, poses, rectangles)
    except ScanError:
        return None if ground is None else _nothing(known, rectangles)
    return _believed(known, measured, image, index, s)


def _shifted(solution: Solution, shift_px: FloatArray) -> Solution:
    """Return the same camera for a part of the picture that begins at a place."""
    return replace(solution, centre_px=solution.centre_px - shift_px)


def match_at(
    image: ImageBGR,
    ground: Ground,
    poses: FloatArray,
    index: FaceIndex,
    pad_px: int = 8,
) -> list[Match]:
    """Compare the faces at poses (N, 3) with all faces; only that part of the picture is used."""
    if not len(poses):
        return []
    at_px = grid_px(poses, ground.solution, index)
    low, high = at_px.reshape(-1, 2).min(axis=0), at_px.reshape(-1, 2).max(axis=0)
    box = (*(int(v) for v in low), *(int(v) for v in high - low + 1))
    x0, y0, x1, y1 = _padded((box[0], box[1], box[2], box[3]), image.shape[:2], pad_px)
    if x1 - x0 < 16 or y1 - y0 < 16:  # outside the picture
        return match_cards(View(image, 1), at_px, index)
    pyramid = View(image[y0:y1, x0:x1], 3)
    return match_cards(pyramid, at_px - np.array([x0, y0], np.float64), index)


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
    corners_px: FloatArray,
    matches: list[Match],
    index: FaceIndex,
    priors: Priors,
    s: GlanceSettings,
) -> Ground | None:
    """Find the plane from the outlines that are surely cards."""
    sure = [i for i, m in enumerate(matches) if m.score > s.sure_score and m.lead > s.sure_lead]
    if not sure:
        return None
    known = priors.log_focal_sd < 0.1
    try:
        plane = solve_plane(corners_px[sure], index.size_mm, priors, focal_known=known)
    except ScanError:
        return None
    return Ground(with_poses(plane.solution, np.zeros((0, 3))), priors, 1, float("inf"))


def _believed(
    ground: Ground,
    measured: Measured,
    image: ImageBGR,
    index: FaceIndex,
    s: GlanceSettings,
) -> Glance:
    """Keep what is a card, turned upright, best first."""
    matches = match_at(image, ground, measured.poses, index)
    poses = measured.poses.copy()
    for i, match in enumerate(matches):
        if match.is_half_turned(match.best):
            poses[i, 2] += np.pi
            matches[i] = Match(match.scores[:, ::-1], match.visible)
    sides = (measured.sides > s.side_share).sum(axis=2).max(axis=1, initial=0)
    good = [
        i
        for i, match in enumerate(matches)
        if match.score > s.plain_score
        or (match.score > s.card_score and sides[i] >= s.sides_wanted)
        or sides[i] >= 4
    ]
    good.sort(key=lambda i: -matches[i].score)
    kept = [good[k] for k in without_repeats(poses[good], index.size_mm, s.same_share)]
    return Glance(
        ground,
        Measured(poses[kept], measured.covariance[kept], measured.sides[kept]),
        tuple(matches[i] for i in kept),
    )


def _nothing(ground: Ground, rectangles: tuple[Rectangle, ...]) -> Glance:
    none = Measured(np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, len(rectangles), 4)))
    return Glance(ground, none, ())
