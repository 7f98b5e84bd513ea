"""Photo -> cards on the table: the order of the seeing stages.

Outlines are matched with the faces; the surest give the plane; on the plane, outlines of the right
shape and corners that still show give the rest; all are solved together to sub-pixel poses; then
every face is compared once more from its exact place and all are named together.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from vision.adjustment import Solution, project, with_poses
from vision.classify import Match, card_meanings, match_cards, match_quads, rim_shares
from vision.descriptors import FaceIndex, compare, describe, index_faces, sample_colours
from vision.detect import Outlines, find_outlines
from vision.edges import card_rectangles
from vision.errors import TableNotFoundError
from vision.findings import report_cards
from vision.geometry import rotation
from vision.identify import assign_cards
from vision.imaging import Photo, build_pyramid, to_gray
from vision.overlaps import without_repeats
from vision.pose import locate_cards
from vision.rectify import Plane, camera_priors, lay_cards, solve_plane
from vision.second_look import suppose_cards
from vision.types import FloatArray, ImageBGR, Issue, Placement, Points, Reading, TemplateBank

__all__ = ["ReadSettings", "Seen", "read_cards"]


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """Thresholds between the stages; correlations unless said."""

    work_side_px: int = 2100  # outlines are sought in the level that is no longer than this
    sure_scores: tuple[float, ...] = (0.6, 0.4)  # of an outline that may vote for the plane
    sure_lead: float = 0.04
    shape_mm: float = 3.5  # rms of a card's corners on the plane, from the reduced picture
    supposed_score: float = 0.24  # of a card supposed from one corner; elsewhere: below 0.24
    supposed_lead: float = 0.06  # and there below 0.03
    most_supposed: int = 300
    rim_share: float = 0.25  # of a white border round a supposed card
    whole_rim: float = 0.7  # enough to keep it where its face cannot be read
    clear_score: float = 0.45  # some card must be read as well as this, with the lead:
    clear_lead: float = 0.08  # a photo without one is no table of this deck
    plain_score: float = 0.45  # of a card that is laid well enough
    beside_mm: tuple[float, ...] = (-3.5, -1.75, 0.0, 1.75, 3.5)  # a border's width, and half
    same_share: float = 0.6  # of a card that another covers: the same card twice


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What the photo shows; cards, readings and corners stand in the same order.

    ``corners_px`` are (4, 2) each: TL, TR, BR, BL of the card itself, photo frame.
    """

    placement: Placement
    readings: tuple[Reading, ...]
    corners_px: tuple[Points, ...]
    issues: tuple[Issue, ...]
    timings_ms: dict[str, float]


def read_cards(
    photo: Photo,
    bank: TemplateBank,
    settings: ReadSettings | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> Seen:
    """Find, name and place all cards of a photo.

    Parameters
    ----------
    photo : Photo
        Upright.
    bank : TemplateBank
        The faces of the deck.
    progress : callable, optional
        Told the name of each stage as it begins.

    Raises
    ------
    TableNotFoundError
        If no card can be read for sure.
    """
    settings = settings or ReadSettings()
    timings: dict[str, float] = {}
    height, width = photo.image.shape[:2]
    index = index_faces(bank)
    with _timed(timings, "detect", progress):
        pyramid = build_pyramid(photo.image)
        level = sum(max(p.shape[:2]) > settings.work_side_px for p in pyramid[:-1])
        outlines = _in_photo(find_outlines(pyramid[level]), 2**level)
    with _timed(timings, "classify", progress):
        corners, matches = match_quads(pyramid, outlines.quads, index)
    with _timed(timings, "rectify", progress):
        plane, poses = _lay_surest(outlines.quads, corners, matches, index, photo, settings)
    with _timed(timings, "second_look", progress):
        poses = _look_again(poses, plane, outlines, pyramid, index, settings)
        poses = _look_beside(poses, plane, pyramid, index, settings)
    with _timed(timings, "pose", progress):
        start = with_poses(plane.solution, poses)
        located = locate_cards(to_gray(photo.image), start, card_rectangles(bank), plane.priors)
    with _timed(timings, "classify", progress):
        matches = match_cards(pyramid, _grid_px(located.solution, index), index)
        identities = assign_cards(
            np.array([match.scores.max(axis=1) for match in matches]),
            np.array([match.visible for match in matches]),
        )
        if not any(
            face >= 0 and match.score > settings.clear_score and match.lead > settings.clear_lead
            for face, match in zip(identities.face, matches, strict=True)
        ):
            raise _nothing_found(len(outlines.quads))
    with _timed(timings, "pose", progress):
        found = report_cards(located, matches, identities, bank, (width, height))
    return Seen(found.placement, found.readings, found.corners_px, found.issues, timings)


@contextmanager
def _timed(
    timings: dict[str, float], stage: str, progress: Callable[[str], None] | None
) -> Iterator[None]:
    """Add the time (ms) of what is done inside to that of a stage."""
    if progress is not None:
        progress(stage)
    start = time.perf_counter()
    try:
        yield
    finally:
        timings[stage] = timings.get(stage, 0.0) + (time.perf_counter() - start) * 1000


def _in_photo(outlines: Outlines, factor: int) -> Outlines:
    """Bring outlines from a level of the pyramid to the photo's pixels."""
    return Outlines((outlines.quads + 0.5) * factor - 0.5, (outlines.elbows + 0.5) * factor - 0.5)


def _nothing_found(quads: int) -> TableNotFoundError:
    seen = f"{quads} four-sided outlines" if quads else "no four-sided outline"
    return TableNotFoundError(
        f"found {seen} but no card of this deck; needed at least one whole card in clear view: "
        "photograph the table from above, near enough that a card is 60 pixels wide"
    )


def _lay_surest(
    quads_px: FloatArray,
    corners_px: FloatArray,
    matches: list[Match],
    index: FaceIndex,
    photo: Photo,
    settings: ReadSettings,
) -> tuple[Plane, FloatArray]:
    """Find the plane from the surest cards, then lay every outline of a card's shape on it."""
    sure: list[int] = []
    for least in settings.sure_scores:
        sure = [i for i, m in enumerate(matches) if m.score > least and m.lead > settings.sure_lead]
        if len(sure) >= 2:
            break
    if not sure:
        raise _nothing_found(len(matches))
    height, width = photo.image.shape[:2]
    priors = camera_priors((width, height), photo.focal_px)
    plane = solve_plane(
        corners_px[sure], index.size_mm, priors, focal_known=photo.focal_px is not None
    )
    poses, misfit_mm = lay_cards(plane.solution, corners_px, index.size_mm)
    fits = misfit_mm < settings.shape_mm
    by_trust = sorted(np.flatnonzero(fits), key=lambda i: -matches[i].score)
    # what could not be read was taken for something at random: ask its shape instead
    meanings = card_meanings(quads_px[~fits], index)
    laid, misfit_mm = lay_cards(plane.solution, meanings.reshape(-1, 4, 2), index.size_mm)
    misfit_mm = misfit_mm.reshape(meanings.shape[:2])
    best = misfit_mm.argmin(axis=1) + np.arange(len(meanings)) * meanings.shape[1]
    unread = laid[best[misfit_mm.min(axis=1) < settings.shape_mm]]
    together = np.concatenate([poses[by_trust], unread])
    return plane, without_repeats(together, index.size_mm, settings.same_share)


def _look_again(
    poses: FloatArray,
    plane: Plane,
    outlines: Outlines,
    pyramid: tuple[ImageBGR, ...],
    index: FaceIndex,
    settings: ReadSettings,
) -> FloatArray:
    """Add the cards that show only some corners."""
    solution = plane.solution
    supposed = suppose_cards(outlines.elbows, solution, index.rectangles_mm, poses)
    rims = rim_shares(pyramid, _grid_px(with_poses(solution, supposed), index), index)
    supposed, rims = (
        x[rims > settings.rim_share][: settings.most_supposed] for x in (supposed, rims)
    )
    matches = match_cards(pyramid, _grid_px(with_poses(solution, supposed), index), index)
    read = [m.score > settings.supposed_score and m.lead > settings.supposed_lead for m in matches]
    trust = [
        m.score if known else rim - 2 for m, known, rim in zip(matches, read, rims, strict=True)
    ]
    good = [
        i
        for i in sorted(range(len(matches)), key=lambda i: -trust[i])
        if read[i] or (rims[i] > settings.whole_rim and len(index.rectangles_mm) > 1)
    ]
    together = np.concatenate([poses, supposed[good]])
    return without_repeats(together, index.size_mm, settings.same_share)


def _look_beside(
    poses: FloatArray,
    plane: Plane,
    pyramid: tuple[ImageBGR, ...],
    index: FaceIndex,
    settings: ReadSettings,
) -> FloatArray:
    """Shift the cards that cannot be read where they were laid, if they can be read beside it.

    A touching neighbour or a broken outline lays a card by its frame where its edge should be.
    """
    shifts = np.stack(np.meshgrid(settings.beside_mm, settings.beside_mm), axis=-1).reshape(-1, 2)

    def scores(places: FloatArray) -> FloatArray:
        at_px = _grid_px(with_poses(plane.solution, places), index)
        colours = sample_colours(pyramid, at_px, index)
        return np.asarray(compare(describe(colours, index), index).max(axis=(1, 2)), np.float64)

    if not len(poses):
        return poses
    here = scores(poses)
    moved = poses.copy()
    for i in np.flatnonzero(here < settings.plain_score):
        places = np.repeat(poses[i : i + 1], len(shifts), axis=0)
        places[:, :2] += shifts @ rotation(float(poses[i, 2])).T
        beside = scores(places)
        best = int(beside.argmax())
        if beside[best] > max(settings.clear_score, 1.5 * here[i]):
            moved[i] = places[best]
    return moved


def _grid_px(solution: Solution, index: FaceIndex) -> FloatArray:
    """Return where the places that are compared show in the photo (N, G + B, 2)."""
    n, p = len(solution.poses), len(index.places_mm)
    points = np.tile(index.places_mm, (n, 1))
    return project(solution, np.repeat(np.arange(n), p), points).reshape(n, p, 2)
