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

from vision.adjustment import Solution, project
from vision.classify import (
    FaceIndex,
    Match,
    has_rim,
    index_faces,
    match_cards,
    match_quads,
)
from vision.detect import Outlines, find_outlines
from vision.errors import TableNotFoundError
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.identify import Identities, assign_cards
from vision.imaging import Photo, build_pyramid, to_gray
from vision.pose import Located, Rectangle, locate_cards, remove_gauge
from vision.rectify import Plane, camera_priors, pose_on_plane, replace_poses, solve_plane
from vision.second_look import overlap_share, suppose_cards
from vision.types import (
    Candidate,
    CardOutline,
    FloatArray,
    ImageBGR,
    Issue,
    PlacedCard,
    Placement,
    Points,
    Reading,
    TemplateBank,
)

__all__ = ["ReadSettings", "Seen", "read_cards"]


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """Thresholds between the stages; correlations unless said."""

    work_side_px: int = 2100  # outlines are sought in the level that is no longer than this
    sure_score: float = 0.60  # of an outline that may vote for the plane
    sure_lead: float = 0.04
    shape_mm: float = 3.5  # rms of a card's corners on the plane, from the reduced picture
    supposed_score: float = 0.30  # of a card supposed from one corner; elsewhere: below 0.24
    supposed_lead: float = 0.05
    most_supposed: int = 300
    sides_wanted: float = 1.2  # of 8 measured sides: what an unreadable card must show
    covered_below: float = 0.85  # a face that shows less is reported
    in_picture_below: float = 0.999


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What the photo shows."""

    placement: Placement
    readings: tuple[Reading, ...]
    corners_px: tuple[Points, ...]
    issues: tuple[Issue, ...]
    timings_ms: dict[str, float]


@contextmanager
def _timed(
    timings: dict[str, float], stage: str, progress: Callable[[str], None] | None
) -> Iterator[None]:
    if progress is not None:
        progress(stage)
    start = time.perf_counter()
    try:
        yield
    finally:
        timings[stage] = timings.get(stage, 0.0) + (time.perf_counter() - start) * 1000


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
    size = (bank.width_mm, bank.height_mm)
    index = index_faces(bank)
    with _timed(timings, "detect", progress):
        pyramid = build_pyramid(photo.image)
        level = sum(max(p.shape[:2]) > settings.work_side_px for p in pyramid[:-1])
        outlines = _in_photo(find_outlines(pyramid[level]), 2**level)
    with _timed(timings, "classify", progress):
        corners, matches = match_quads(pyramid, outlines.quads, index)
    with _timed(timings, "rectify", progress):
        plane, poses = _lay_surest(corners, matches, size, photo, settings)
    with _timed(timings, "second_look", progress):
        poses = _look_again(poses, plane, outlines, pyramid, index, settings)
    with _timed(timings, "pose", progress):
        rectangles = _rectangles(bank)
        start = replace_poses(plane.solved.solution, poses)
        located = locate_cards(to_gray(photo.image), start, rectangles, plane.priors)
    with _timed(timings, "classify", progress):
        solution = located.solved.solution
        matches = _match_placed(pyramid, solution, index)
        identities = assign_cards(
            np.array([m.scores.max(axis=1) for m in matches]),
            np.array([m.visible for m in matches]),
        )
    with _timed(timings, "pose", progress):
        keep = _believed(located, matches, identities, size, settings)
        if not any(identities.face[i] >= 0 for i in keep):
            raise _nothing_found(len(outlines.quads))
        return _report(
            located, matches, identities, keep, index, bank, (width, height), settings, timings
        )


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
    corners_px: FloatArray,
    matches: list[Match],
    size: tuple[float, float],
    photo: Photo,
    settings: ReadSettings,
) -> tuple[Plane, FloatArray]:
    """Find the plane from the surest cards, then lay every outline of a card's shape on it."""
    sure = [
        i
        for i, m in enumerate(matches)
        if m.score > settings.sure_score and m.lead > settings.sure_lead
    ]
    if not sure:
        raise _nothing_found(len(matches))
    height, width = photo.image.shape[:2]
    priors = camera_priors((width, height), photo.focal_px)
    plane = solve_plane(corners_px[sure], size, priors, focal_known=photo.focal_px is not None)
    solution = plane.solved.solution
    shape = card_corners(*size)
    laid = []
    for i, match in enumerate(matches):
        pose = pose_on_plane(solution, corners_px[i], shape)
        ideal = project(replace_poses(solution, pose[None]), np.zeros(4, int), shape)
        mm_per_px = size[0] / max(1e-6, float(np.linalg.norm(ideal[1] - ideal[0])))
        misfit = float(np.sqrt(((ideal - corners_px[i]) ** 2).sum(axis=1).mean())) * mm_per_px
        if misfit < settings.shape_mm:
            laid.append((match.score, pose))
    laid.sort(key=lambda item: -item[0])
    return plane, _without_repeats([pose for _, pose in laid], size)


def _without_repeats(poses: list[FloatArray], size: tuple[float, float]) -> FloatArray:
    """Keep the first of those that lie mostly on one another."""
    shape = card_corners(*size)
    kept: list[FloatArray] = []
    outlines: list[Points] = []
    for pose in poses:
        outline = table_from_card(shape, *pose)
        if all(
            np.hypot(*(pose[:2] - other[:2])) > 60 or overlap_share(outline, laid) < 0.6
            for other, laid in zip(kept, outlines, strict=True)
        ):
            kept.append(pose)
            outlines.append(outline)
    return np.array(kept).reshape(-1, 3)


def _look_again(
    poses: FloatArray,
    plane: Plane,
    outlines: Outlines,
    pyramid: tuple[ImageBGR, ...],
    index: FaceIndex,
    settings: ReadSettings,
) -> FloatArray:
    """Add the cards that show only some corners."""
    solution = plane.solved.solution
    supposed = suppose_cards(outlines.elbows, solution, index.rectangles_mm, poses)
    supposed = supposed[
        has_rim(pyramid, _grid_px(replace_poses(solution, supposed), index), index)
    ][: settings.most_supposed]
    if not len(supposed):
        return poses
    matches = _match_placed(pyramid, replace_poses(solution, supposed), index)
    order = sorted(range(len(matches)), key=lambda i: -matches[i].score)
    good = [
        supposed[i]
        for i in order
        if matches[i].score > settings.supposed_score and matches[i].lead > settings.supposed_lead
    ]
    return _without_repeats([*poses, *good], index.size_mm)


def _match_placed(
    pyramid: tuple[ImageBGR, ...], solution: Solution, index: FaceIndex
) -> list[Match]:
    """Match the faces at known poses."""
    return match_cards(pyramid, _grid_px(solution, index), index)


def _grid_px(solution: Solution, index: FaceIndex) -> FloatArray:
    """Return where the comparison grid and the border places of each card show (N, G + B, 2)."""
    places = np.concatenate([index.grid_mm, index.border_mm])
    n = len(solution.poses)
    card = np.repeat(np.arange(n), len(places))
    return project(solution, card, np.tile(places, (n, 1))).reshape(n, -1, 2)


def _rectangles(bank: TemplateBank) -> tuple[Rectangle, ...]:
    """Say which edges a card of the bank shows."""
    gap = (bank.width_mm - bank.frames[0].width_mm) / 2 if bank.frames else 8.0
    # real cards have corners of up to 3.5 mm radius, whatever the bank's pictures show
    edge = Rectangle(bank.width_mm, bank.height_mm, True, 5.5, 0.05, gap, is_card_edge=True)
    frames = [
        Rectangle(f.width_mm, f.height_mm, not f.darker_inside, 1.0, 0.012, gap)
        for f in bank.frames[:1]
    ]
    return (edge, *frames)


def _believed(
    located: Located,
    matches: list[Match],
    identities: Identities,
    size: tuple[float, float],
    settings: ReadSettings,
) -> list[int]:
    """Return the places that hold a card: a named face, or a card's sides without a readable one."""
    solution = located.solved.solution
    shape = card_corners(*size)
    outlines = [table_from_card(shape, *pose) for pose in solution.poses]
    named = [i for i in range(len(matches)) if identities.face[i] >= 0]
    kept = list(named)
    for i in range(len(matches)):
        if i in named:
            continue
        measured = located.sides[i]
        sides = (measured > 0.5).sum(axis=1)
        whole = sides.max() == 4 and sides.min() >= 3
        apart = all(overlap_share(outlines[i], outlines[j]) < 0.3 for j in kept)
        if whole and apart:
            kept.append(i)
    return sorted(kept)


def _report(
    located: Located,
    matches: list[Match],
    identities: Identities,
    keep: list[int],
    index: FaceIndex,
    bank: TemplateBank,
    size_wh: tuple[int, int],
    settings: ReadSettings,
    timings: dict[str, float],
) -> Seen:
    """Put the believed cards into the contract's frame, with every doubt."""
    solution = located.solved.solution
    named = {i: bank.card_ids[identities.face[i]] for i in keep if identities.face[i] >= 0}
    unknown = {}
    for i in keep:
        if i not in named:
            unknown[i] = f"unknown-{len(unknown) + 1}"
    names = {**named, **unknown}
    order = sorted(keep, key=lambda i: names[i])
    turned = solution.poses[order].copy()
    for row, i in enumerate(order):
        face = identities.face[i] if i in named else matches[i].best
        if matches[i].scores[face].argmax() == 1:
            turned[row, 2] += np.pi
    rows = np.concatenate([np.arange(3 * i, 3 * i + 3) for i in order])
    covariance = located.solved.pose_covariance[np.ix_(rows, rows)]
    poses, covariance, camera = remove_gauge(replace_poses(solution, turned), covariance)

    shape = card_corners(bank.width_mm, bank.height_mm)
    cards, readings, corners, issues = [], [], [], []
    for row, i in enumerate(order):
        pose = poses[row]
        block = covariance[3 * row : 3 * row + 3, 3 * row : 3 * row + 3]
        corners_px = photo_from_table(camera, table_from_card(shape, *pose))
        match = matches[i]
        reading = _reading(match, identities, i, bank, corners_px)
        cards.append(PlacedCard(names[i], *(float(v) for v in pose), block, max(0.0, match.score)))
        readings.append(reading)
        corners.append(corners_px)
        issues += _card_issues(
            names[i],
            reading,
            identities.doubled.get(i),
            i in identities.doubtful,
            corners_px,
            size_wh,
            bank,
            settings,
        )
    placement = Placement(tuple(cards), camera, covariance, located.residual_px)
    return Seen(placement, tuple(readings), tuple(corners), tuple(issues), timings)


def _reading(
    match: Match, identities: Identities, i: int, bank: TemplateBank, corners_px: Points
) -> Reading:
    """Rank the faces of one place, the accepted one first."""
    scores = match.scores.max(axis=1)
    ranking = np.argsort(-scores, kind="stable")[:4]
    face = identities.face[i]
    if face >= 0:
        ranking = np.array([face, *(k for k in ranking if k != face)])[:4]
    candidates = tuple(
        Candidate(bank.card_ids[k], float(scores[k]), 2 * int(match.scores[k].argmax()))
        for k in ranking
    )
    accepted = candidates[0] if face >= 0 else None
    outline = CardOutline(corners_px, match.score, complete=match.visible > 0.9)
    return Reading(outline, candidates, accepted, match.visible)


def _card_issues(
    name: str,
    reading: Reading,
    doubled: int | None,
    doubtful: bool,
    corners_px: Points,
    size_wh: tuple[int, int],
    bank: TemplateBank,
    settings: ReadSettings,
) -> list[Issue]:
    """Say what is doubtful about one card."""
    x, y = corners_px.mean(axis=0)
    where = f"at {x:.0f}, {y:.0f} in the photo"
    issues = []
    if doubled is not None:
        twin = bank.card_ids[doubled]
        issues.append(
            Issue(
                "duplicate_card",
                f"a second {twin} lies {where}; it stops beams but does not play: "
                "take the copy away or say which one counts",
                (twin, name),
            )
        )
    elif reading.accepted is None:
        first, second = reading.candidates[0], reading.candidates[1]
        issues.append(
            Issue(
                "unreadable_card",
                f"a card {where} cannot be read (most like {first.card_id}, "
                f"{first.score:.2f}, or {second.card_id}, {second.score:.2f}): "
                "uncover it or photograph it without glare",
                (name,),
            )
        )
    if doubtful and reading.accepted is not None:
        second = reading.candidates[1]
        issues.append(
            Issue(
                "doubtful_card",
                f"{name} {where} could also be {second.card_id} "
                f"({reading.accepted.score:.2f} against {second.score:.2f})",
                (name,),
            )
        )
    inside = (corners_px > -0.5).all() and (corners_px < np.array(size_wh) - 0.5).all()
    if not inside:
        issues.append(
            Issue(
                "card_cut_off",
                f"{name} {where} lies partly outside the picture; its pose is less sure: "
                "keep all cards in view",
                (name,),
            )
        )
    elif reading.accepted is not None and reading.visible < settings.covered_below:
        issues.append(
            Issue(
                "card_covered",
                f"{name} {where}: only {reading.visible:.0%} of its face shows",
                (name,),
                "note",
            )
        )
    return issues
