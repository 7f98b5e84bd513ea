"""Photo -> cards of a learned deck: the order of the seeing stages, where faces are pictures.

As in :mod:`vision.seeing.reading`, outlines are matched, the surest give the plane, all poses are
solved together; but nothing is known of the cards' border, so outlines come from edges of any
kind, and poses from the print itself: the picture of each face is laid over the card.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from vision.errors import TableNotFoundError
from vision.geometry import card_corners, rotation, solve_homographies
from vision.imaging.photo import Photo
from vision.imaging.view import View, from_level, to_gray
from vision.seeing.cards.from_corners import suppose_cards
from vision.seeing.cards.naming_learned import name_cards
from vision.seeing.cards.overlaps import without_repeats
from vision.seeing.cards.report import Seen
from vision.seeing.cards.report_learned import Sighting, report_pictures
from vision.seeing.faces.plain import (
    Grid,
    PictureIndex,
    compare_coarse,
    compare_fine,
    compare_twins,
    face_features,
    fine_grid,
    index_pictures,
    sample_grid,
    twin_grid,
)
from vision.seeing.measure.print_blocks import PrintSettings, measure_print
from vision.seeing.measure.sides import Rectangle, measure_sides
from vision.seeing.outlines.edges import even_contrast, find_edge_elbows, find_edge_quads
from vision.seeing.solve.adjust import solve
from vision.seeing.solve.model import (
    Measurements,
    Solution,
    is_before_camera,
    join_measurements,
    project,
    with_poses,
)
from vision.seeing.solve.plane import Plane, camera_priors, lay_cards, solve_plane
from vision.seeing.stages import Stages
from vision.seeing.threads import one_thread
from vision.values.arrays import FloatArray, ImageGray, IntArray
from vision.values.pieces import Faces

__all__ = ["ReadPicturesSettings", "read_pictures"]


@dataclass(frozen=True, slots=True)
class ReadPicturesSettings:
    """Thresholds between the stages; correlations unless said."""

    work_side_px: int = 2100  # outlines are sought in the level that is no longer than this
    sure_score: float = 0.55  # of an outline that may vote for the plane
    likely_score: float = 0.42  # with a lead, if too few are surer
    likely_lead: float = 0.08
    most_votes: int = 16
    shape_share: float = 0.07  # of the card's width: rms of its corners on the plane
    same_share: float = 0.5  # of a card that another covers: the same card twice
    supposed_score: float = 0.40  # of a card supposed from one corner
    supposed_lead: float = 0.05
    beside: float = 0.045  # of the card's width: how far beside its outline a card is sought
    plain_score: float = 0.6  # of a card that is laid well enough
    shifted_by: float = 0.10  # better it must be read beside: an outline knows where it lies
    most_elbows: int = 700  # of each of two looks, the longest
    glimpse: float = 0.22  # of a supposed card that is worth a search beside it
    most_glimpsed: int = 150
    candidates: int = 12  # faces of the coarse look that are compared once more
    candidate_slack: float = 0.25
    twin_slack: float = 0.12  # faces so near the best are compared finer still
    most_twins: int = 6
    clear_score: float = 0.5  # some card must be read as well as this
    worse_by: float = 0.08  # of its coarse score: a card that fell so far was led astray
    rounds: tuple[tuple[float, int], ...] = ((0.25, 2), (0.5, 4), (1.0, 5))  # fineness, blocks
    last_round: tuple[float, int] = (1.0, 6)
    edge_reach_px: tuple[float, ...] = (4.0, 2.5)  # across a side, round by round
    edge_inset_mm: float = 5.5  # corners are rounded by up to 3.5 mm
    edge_sd_mm: float = 0.06
    edge_gap_mm: float = 2.2  # to whatever is printed next to the edge
    trim_sd_mm: float = 0.2  # pictures are cut by eye: the print lies so much beside the edge
    trim_shift_mm: float = 0.5
    trim_growth: float = 0.01
    common_growth: float = 0.004  # of all pictures of a deck alike
    bloom_sd_px: float = 0.15  # of bright regions: with one edge a card, it passes for size
    shape_floor_mm: float = 0.04  # of a card seen from right above: not quite flat, nor square
    shape_slant_mm: float = 0.10  # times the squared tangent of the view's angle
    shape_turn_deg: float = 0.03


def read_pictures(
    photo: Photo,
    bank: Faces,
    settings: ReadPicturesSettings | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> Seen:
    """Find, name and place all cards of a photo.

    Parameters
    ----------
    photo : Photo
        Upright.
    bank : Faces
        The faces of the deck.
    progress : callable, optional
        Told the name of each stage as it begins.

    Raises
    ------
    TableNotFoundError
        If no card can be read for sure.
    """
    with one_thread():
        return _read(photo, bank, settings or ReadPicturesSettings(), progress)


def _read(
    photo: Photo,
    bank: Faces,
    s: ReadPicturesSettings,
    progress: Callable[[str], None] | None,
) -> Seen:
    stages = Stages(progress)
    height, width = photo.image.shape[:2]
    with stages("detect"):
        pyramid = View(photo.image)
        level = pyramid.level_within(s.work_side_px)
        quads = from_level(find_edge_quads(pyramid[level]), level)
    with stages("classify"):
        index = index_pictures(bank)
        corners, scores, leads = _match_quads(pyramid, quads, index)
    with stages("rectify"):
        plane = _surest_plane(corners, scores, leads, photo, bank, s)
    with stages("second_look"):
        even = even_contrast(pyramid[level])
        faint = from_level(find_edge_quads(even), level)
        poses = _lay_outlines(plane, np.concatenate([quads, faint]), corners, scores, bank, s)
        looks = [find_edge_elbows(to_gray(p))[: s.most_elbows] for p in (pyramid[level], even)]
        elbows = from_level(np.concatenate(looks), level)
        poses = _look_again(poses, plane, elbows, pyramid, index, s)
        solution, coarse = _turn_upright(with_poses(plane.solution, poses), pyramid, index)
    with stages("pose"):
        gray = pyramid.gray()
        faces = np.where(coarse.max(axis=1) > s.supposed_score, coarse.argmax(axis=1), -1)
        laid = solution.poses
        for fineness, blocks in s.rounds:
            solution = _align(pyramid, solution, faces, plane, bank, fineness, blocks)
        solution = _unless_worse(pyramid, solution, laid, coarse, faces, index, s)
    with stages("classify"):
        compared = _compare(pyramid, solution, coarse, index, s)
        compared = _tell_twins(pyramid, solution, compared, index, s)
        solution, compared, faces = _settle_turns(solution, compared)
    with stages("pose"):
        solved = _pose(pyramid, gray, solution, faces, plane, bank, s)
    with stages("classify"):
        compared = _compare(pyramid, solved.solution, coarse, index, s)
        compared = _tell_twins(pyramid, solved.solution, compared, index, s)
        solution, compared, faces = _settle_turns(solved.solution, compared)
        copies = np.array([len(names) for names in bank.names])
        naming = name_cards(compared.max(axis=2), solved.visible, copies)
        named = naming.face >= 0
        if not (compared[named].max(axis=(1, 2), initial=-1) > s.clear_score).any():
            raise _nothing_found(len(quads))
        seen = replace(solved, solution=solution, scores=compared)
        found = report_pictures(seen, naming, bank, (width, height))
    return Seen(found.placement, found.readings, found.corners_px, found.issues, stages.timings_ms)


def _nothing_found(quads: int) -> TableNotFoundError:
    seen = f"{quads} four-sided outlines" if quads else "no four-sided outline"
    return TableNotFoundError(
        f"found {seen} but no card of this deck; needed at least one whole card in clear view: "
        "photograph the table from above, near enough that a card is 60 pixels wide"
    )


def _match_quads(
    pyramid: View, quads: FloatArray, index: PictureIndex
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Compare quadrilaterals with all faces, as a card's edge and as the picture in its border.

    Returns
    -------
    corners : (N, 4, 2) float64
        TL, TR, BR, BL of the card, as the best view lays it.
    scores : (N,) float64
        How alike the best view is.
    leads : (N,) float64
        By how much its face beats every other.
    """
    n = len(quads)
    if not n:
        return np.zeros((0, 4, 2)), np.zeros(0), np.zeros(0)
    unit = card_corners(1.0, 1.0)
    ways = np.stack([solve_homographies(unit, np.roll(quads, -k, axis=1)) for k in (0, 1)], 1)
    at = _apply(ways.reshape(-1, 3, 3), np.tile(index.grid.unit, (2 * n, 1, 1)))
    colours = sample_grid(pyramid, at, index.grid.shape_hw, index.settings.mesh_px)
    alike = compare_coarse(colours, index).reshape(n, -1)
    best = alike.argmax(axis=1)
    way, view = np.divmod(best, len(index.face))
    scores = alike[np.arange(n), best]
    others = np.where(np.tile(index.face, 2)[None] == index.face[view][:, None], -1.0, alike).max(
        axis=1
    )
    # the view's box fills the quadrilateral: the card reaches beyond it
    box = index.box[view]
    low, size = box[:, :2], box[:, 2:] - box[:, :2]
    corners = (unit[None] - low[:, None]) / size[:, None] - 0.5
    corners[index.turned[view]] = np.roll(corners[index.turned[view]], 2, axis=1)
    return _apply(ways[np.arange(n), way], corners), scores, scores - others


def _apply(homographies: FloatArray, points: FloatArray) -> FloatArray:
    """Map points (N, P, 2) through each of (N, 3, 3)."""
    full = np.concatenate([points, np.ones((*points.shape[:2], 1))], axis=2)
    mapped = np.einsum("nij,npj->npi", homographies, full)
    return np.asarray(mapped[..., :2] / mapped[..., 2:], np.float64)


def _surest_plane(
    corners: FloatArray,
    scores: FloatArray,
    leads: FloatArray,
    photo: Photo,
    bank: Faces,
    s: ReadPicturesSettings,
) -> Plane:
    """Find the plane from the surest cards."""
    sure = np.flatnonzero(scores > s.sure_score)
    if len(sure) < 4:
        likely = (scores > s.likely_score) & (leads > s.likely_lead)
        sure = np.union1d(sure, np.flatnonzero(likely))
    if not len(sure):
        raise _nothing_found(len(scores))
    sure = sure[np.argsort(-scores[sure], kind="stable")][: s.most_votes]
    height, width = photo.image.shape[:2]
    priors = camera_priors((width, height), photo.focal_px)
    return solve_plane(corners[sure], bank.size_mm, priors, focal_known=photo.focal_px is not None)


def _lay_outlines(
    plane: Plane,
    quads: FloatArray,
    corners: FloatArray,
    scores: FloatArray,
    bank: Faces,
    s: ReadPicturesSettings,
) -> FloatArray:
    """Lay on the plane what has a card's shape there: the best read first, then the unread."""
    most = s.shape_share * min(bank.size_mm)
    poses, misfit = lay_cards(plane.solution, corners, bank.size_mm)
    read = np.flatnonzero((misfit < most) & (scores > s.supposed_score))
    read = read[np.argsort(-scores[read], kind="stable")]
    plain = np.concatenate([quads, np.roll(quads, -1, axis=1)])
    laid, misfit = lay_cards(plane.solution, plain, bank.size_mm)
    shaped = np.flatnonzero(misfit < most)
    shaped = shaped[np.argsort(misfit[shaped], kind="stable")]
    together = np.concatenate([poses[read], laid[shaped]])
    return together[without_repeats(together, bank.size_mm, s.same_share)]


def _look_again(
    poses: FloatArray,
    plane: Plane,
    elbows: FloatArray,
    pyramid: View,
    index: PictureIndex,
    s: ReadPicturesSettings,
) -> FloatArray:
    """Add the cards that show only some corners; shift those that are read better beside."""
    size = index.bank.size_mm
    solution = plane.solution
    good = poses[_best_scores(pyramid, with_poses(solution, poses), index) > s.supposed_score]
    supposed = suppose_cards(elbows, solution, (size,), good)
    glimpses = _best_scores(pyramid, with_poses(solution, supposed), index)
    order = np.argsort(-glimpses, kind="stable")[: s.most_glimpsed]
    together = np.concatenate([poses, supposed[order[glimpses[order] > s.glimpse]]])
    step = s.beside * min(size)
    shifts = step * np.array([[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [1, 1], [-1, -1]])
    best = np.full(len(together), -1.0)
    lead = np.zeros(len(together))
    moved = together.copy()
    for shift in shifts:
        open_ = np.flatnonzero(best < s.plain_score)
        tried = together[open_].copy()
        for k, pose in enumerate(tried):
            tried[k, :2] += rotation(float(pose[2])) @ shift
        before = is_before_camera(with_poses(solution, tried), 1.0)
        open_, tried = open_[before], tried[before]
        if not len(open_):
            break
        found = _coarse(pyramid, with_poses(solution, tried), index).max(axis=2)
        ordered = np.sort(found, axis=1)
        better = ordered[:, -1] > best[open_] + (s.shifted_by if shift.any() else 0.0)
        moved[open_[better]] = tried[better]
        best[open_[better]] = ordered[better, -1]
        if ordered.shape[1] > 1:
            lead[open_[better]] = (ordered[:, -1] - ordered[:, -2])[better]
    was = np.arange(len(together)) < len(poses)
    read = (best > s.supposed_score) & (was | (lead > s.supposed_lead))
    by_trust = [*sorted(np.flatnonzero(read), key=lambda i: -best[i]), *np.flatnonzero(was & ~read)]
    return moved[by_trust][without_repeats(moved[by_trust], size, s.same_share)]


def _grid_px(solution: Solution, grid: Grid, size_mm: tuple[float, float]) -> FloatArray:
    """Return where the cells of cards show in the photo (N, G, 2)."""
    n, g = len(solution.poses), len(grid.unit)
    points = np.tile(grid.unit * size_mm, (n, 1))
    return project(solution, np.repeat(np.arange(n), g), points).reshape(n, g, 2)


def _coarse(pyramid: View, solution: Solution, index: PictureIndex) -> FloatArray:
    """Compare cards at their poses with all faces: (N, K, 2), upright and turned."""
    n, k = len(solution.poses), len(index.bank.images)
    scores = np.full((n, k, 2), -1.0)
    for part in np.array_split(np.arange(n), n // 256 + 1):  # a few at a time: memory
        at = _grid_px(with_poses(solution, solution.poses[part]), index.grid, index.bank.size_mm)
        colours = sample_grid(pyramid, at, index.grid.shape_hw, index.settings.mesh_px)
        scores[part] = compare_coarse(colours, index.whole).reshape(len(part), 2, k).swapaxes(1, 2)
    return scores


def _best_scores(pyramid: View, solution: Solution, index: PictureIndex) -> FloatArray:
    """Return how alike cards (N,) at their poses are to the best face."""
    return np.asarray(_coarse(pyramid, solution, index).max(axis=(1, 2), initial=-1), np.float64)


def _turn_upright(
    solution: Solution, pyramid: View, index: PictureIndex
) -> tuple[Solution, FloatArray]:
    """Turn each card as its best face has it; return also how alike it is to each face (N, K)."""
    scores = _coarse(pyramid, solution, index)
    return _settle_turns(solution, scores)[0], scores.max(axis=2)


def _settle_turns(solution: Solution, scores: FloatArray) -> tuple[Solution, FloatArray, IntArray]:
    """Turn cards so that the best face is upright: solution, scores (N, K, 2), faces (N,)."""
    if not len(scores):
        return solution, scores, np.zeros(0, np.int64)
    face = scores.max(axis=2).argmax(axis=1)
    rows = np.arange(len(scores))
    turned = scores[rows, face, 1] > scores[rows, face, 0]
    poses = solution.poses + np.pi * turned[:, None] * [0.0, 0.0, 1.0]
    scores = np.where(turned[:, None, None], scores[:, :, ::-1], scores)
    read = scores.max(axis=(1, 2)) > 0
    return with_poses(solution, poses), scores, np.where(read, face, -1)


def _compare(
    pyramid: View,
    solution: Solution,
    coarse: FloatArray,
    index: PictureIndex,
    s: ReadPicturesSettings,
) -> FloatArray:
    """Compare each card once more with the faces that came near: (N, K, 2), -1 for the others."""
    grid = fine_grid(index)
    at = _grid_px(solution, grid, index.bank.size_mm)
    colours = sample_grid(pyramid, at, grid.shape_hw, index.settings.mesh_px)
    known: dict[int, FloatArray] = {}
    scores = np.full((*coarse.shape, 2), -1.0)
    for i, row in enumerate(coarse):
        nearest = np.argsort(-row, kind="stable")[: s.candidates]
        nearest = nearest[row[nearest] > row[nearest[0]] - s.candidate_slack]
        if row[nearest[0]] < 0.2:
            continue
        for face in nearest:
            if int(face) not in known:
                known[int(face)] = face_features(index, int(face), grid).astype(np.float64)
        faces = np.array([known[int(face)] for face in nearest])
        scores[i, nearest] = compare_fine(colours[i], faces, grid, index.settings)
    return scores


def _tell_twins(
    pyramid: View,
    solution: Solution,
    scores: FloatArray,
    index: PictureIndex,
    s: ReadPicturesSettings,
) -> FloatArray:
    """Compare cards (N, K, 2) with the faces nearest to the best, where those differ."""
    best = scores.max(axis=2)
    near = best > np.maximum(best.max(axis=1, keepdims=True) - s.twin_slack, s.supposed_score)
    near &= best >= np.sort(best, axis=1)[:, -s.most_twins :][:, :1]
    cards = np.flatnonzero(near.sum(axis=1) > 1)
    if not len(cards):
        return scores
    grid = twin_grid(index)
    at = _grid_px(with_poses(solution, solution.poses[cards]), grid, index.bank.size_mm)
    colours = sample_grid(pyramid, at, grid.shape_hw, index.settings.twin_mesh_px)
    told = scores.copy()
    for seen, i in zip(colours, cards, strict=True):
        faces = np.flatnonzero(near[i])
        features = np.array([face_features(index, int(face), grid) for face in faces])
        alike = compare_twins(seen, features.astype(np.float64), grid, index.settings)
        # their order is what is wanted: the best keeps its score
        told[i, faces] = alike - alike.max() + best[i].max()
    return told


def _align(
    pyramid: View,
    solution: Solution,
    faces: IntArray,
    plane: Plane,
    bank: Faces,
    fineness: float,
    blocks: int,
) -> Solution:
    """Solve all poses from the print alone, at one fineness."""
    how = PrintSettings(fineness=fineness, blocks=blocks)
    shown = measure_print(pyramid, solution, faces, bank, how)
    anchors = _anchors(solution, bank.size_mm)
    return solve(solution, join_measurements([shown.seen, anchors]), plane.priors).solution


def _unless_worse(
    pyramid: View,
    solution: Solution,
    laid: FloatArray,
    coarse: FloatArray,
    faces: IntArray,
    index: PictureIndex,
    s: ReadPicturesSettings,
) -> Solution:
    """Put cards back as their outlines ``laid`` them (N, 3) if they read worse than ``coarse``.

    Thin strokes on a blank card can catch on their neighbours.
    """
    rows = np.arange(len(faces))
    now = _coarse(pyramid, solution, index).max(axis=2)
    worse = (faces >= 0) & (now[rows, faces] < coarse[rows, faces] - s.worse_by)
    return with_poses(solution, np.where(worse[:, None], laid, solution.poses))


def _anchors(solution: Solution, size_mm: tuple[float, float], sd_px: float = 8.0) -> Measurements:
    """Observe each card's corners where they are now, believed to a few pixels."""
    n = len(solution.poses)
    card = np.repeat(np.arange(n), 8)
    point = np.tile(np.repeat(card_corners(*size_mm), 2, axis=0), (n, 1))
    none = np.zeros(8 * n)
    return Measurements(
        card,
        point,
        project(solution, card, point),
        np.tile([[1.0, 0.0], [0.0, 1.0]], (4 * n, 1)),
        np.full(8 * n, sd_px),
        polarity=none,
        wall=none,
        printed=none,  # and no forms: print and edge are told apart here, by how pictures are cut
    )


def _pose(
    pyramid: View,
    gray: ImageGray,
    solution: Solution,
    faces: IntArray,
    plane: Plane,
    bank: Faces,
    s: ReadPicturesSettings,
) -> Sighting:
    """Solve all poses from the print and from the cards' edges."""
    n = len(faces)
    fineness, blocks = s.last_round
    how = PrintSettings(fineness=fineness, blocks=blocks)
    measured = measure_print(pyramid, solution, faces, bank, how)
    shown, visible = measured.seen, measured.visible
    anchors = _anchors(solution, bank.size_mm)
    priors = replace(plane.priors, bloom_sd_px=s.bloom_sd_px)
    loose = _loosened(shown, solution, s)
    for reach in s.edge_reach_px:
        edges, sides = _measure_edges(gray, solution, bank, reach, s)
        loosely = solve(solution, join_measurements([loose, edges, anchors]), priors)
        fitted = _untrimmed(shown, loosely.solution, s)
        solved = solve(loosely.solution, join_measurements([fitted, edges, anchors]), priors)
        solution = solved.solution
    m = len(shown.card) + len(edges.card)
    residual = float(np.sqrt((solved.weights[:m] * solved.residuals[:m] ** 2).mean())) if m else 0.0
    covariance = loosely.pose_covariance + _shape_covariance(solution, s)
    covariance += _growth_covariance(solution, edges, bank, s)
    return Sighting(solution, covariance, np.zeros((n, 0, 2)), visible, sides, residual)


def _loosened(shown: Measurements, solution: Solution, s: ReadPicturesSettings) -> Measurements:
    """Believe the print's place on its card, all blocks together, as well as pictures are cut."""
    blocks = np.bincount(shown.card, minlength=1)[shown.card] / 2
    mm_per_px = _mm_along(shown, solution)
    loose = s.trim_sd_mm / mm_per_px * np.sqrt(blocks)
    return replace(shown, sigma_px=np.hypot(shown.sigma_px, loose))


def _mm_along(shown: Measurements, solution: Solution) -> FloatArray:
    """Return how many mm on its card a pixel along each measurement's normal is (M,)."""
    at = project(solution, shown.card, shown.point_mm)
    across = [
        ((project(solution, shown.card, shown.point_mm + d) - at) * shown.normal_px).sum(axis=1)
        for d in ([0.5, 0.0], [0.0, 0.5])
    ]
    return np.asarray(0.5 / np.maximum(np.hypot(*across), 1e-6), np.float64)


def _untrimmed(shown: Measurements, solution: Solution, s: ReadPicturesSettings) -> Measurements:
    """Move the print on each card to where it lies, given the card's edge.

    The picture of a face is cut by eye, a little inside its edge and not quite in the middle: so
    the print seems shifted and grown. Both are fitted for each card, with what is usual of them.
    """
    at = project(solution, shown.card, shown.point_mm)
    off = ((shown.seen_px - at) * shown.normal_px).sum(axis=1)
    slopes = [
        ((project(solution, shown.card, shown.point_mm + d) - at) * shown.normal_px).sum(axis=1)
        / 0.1
        for d in ([0.1, 0.0], [0.0, 0.1])
    ]
    x, y = shown.point_mm.T
    base = np.stack([slopes[0], slopes[1], slopes[0] * x, slopes[1] * y], axis=1)
    base = base / shown.sigma_px[:, None]
    off = off / shown.sigma_px
    prior = np.diag([s.trim_shift_mm, s.trim_shift_mm, s.trim_growth, s.trim_growth]) ** 2.0
    moved = shown.point_mm.copy()
    for card in np.unique(shown.card):
        rows = np.flatnonzero(shown.card == card)
        fit = np.zeros(4)
        weight = np.ones(len(rows))
        for _ in range(4):
            a = base[rows] * weight[:, None]
            normal = a.T @ base[rows] + np.linalg.inv(prior)
            fit = np.linalg.solve(normal, a.T @ off[rows])
            rest = np.abs(off[rows] - base[rows] @ fit)
            weight = np.minimum(1.0, 2.0 / np.maximum(rest, 1e-9))
        moved[rows] += fit[:2] + fit[2:] * moved[rows]
    return replace(shown, point_mm=moved)


def _measure_edges(
    gray: ImageGray,
    solution: Solution,
    bank: Faces,
    reach_px: float,
    s: ReadPicturesSettings,
) -> tuple[Measurements, FloatArray]:
    """Measure each side of each card, bright against dark or dark against bright.

    Returns
    -------
    Measurements
        Two for each side that was found.
    share : (N, 4) float64
        How much of each side agrees; 0 where it was not found.
    """
    both = [
        measure_sides(
            gray,
            solution,
            Rectangle(
                *bank.size_mm,
                bright_inside=bright_inside,
                inset_mm=max(s.edge_inset_mm, bank.corner_radius_mm + 2),
                shape_sd_mm=s.edge_sd_mm,
                gap_mm=s.edge_gap_mm / 0.45,
                is_card_edge=True,
            ),
            reach_px,
        )
        for bright_inside in (True, False)
    ]
    shares = np.stack([sides.share.ravel() for sides in both])  # (2, 4N)
    parts = []
    for k, sides in enumerate(both):
        found = np.flatnonzero(shares[k])  # in the order of the measurements, which come twice
        chosen = np.tile(shares[k, found] > shares[1 - k, found] - 0.5 * k * 1e-9, 2)
        parts.append(
            Measurements(
                sides.seen.card[chosen],
                sides.seen.point_mm[chosen],
                sides.seen.seen_px[chosen],
                sides.seen.normal_px[chosen],
                sides.seen.sigma_px[chosen],
                sides.seen.polarity[chosen],
                sides.seen.wall[chosen],
                sides.seen.printed[chosen],
            )
        )
    return join_measurements(parts), shares.max(axis=0).reshape(-1, 4)


def _growth_covariance(
    solution: Solution, edges: Measurements, bank: Faces, s: ReadPicturesSettings
) -> FloatArray:
    """Return what is not known of all cards' common size: pictures are cut small, edges glow."""
    px_per_mm = solution.focal_px / float(np.linalg.norm(solution.translation_mm))
    half_px = sum(bank.size_mm) / 4 * px_per_mm
    seen = float(np.sum(edges.sigma_px**-2.0))
    by_edges = np.hypot(s.bloom_sd_px, 1 / np.sqrt(seen + 1e-9)) / half_px
    sd = (s.common_growth**-2 + by_edges**-2) ** -0.5
    growth = np.zeros(3 * len(solution.poses))
    growth[0::3], growth[1::3] = (solution.poses[:, :2] - solution.poses[:, :2].mean(axis=0)).T
    return np.outer(growth * sd, growth * sd)


def _shape_covariance(solution: Solution, s: ReadPicturesSettings) -> FloatArray:
    """Return what the cards' own shape adds to the poses' covariance (3N, 3N)."""
    eye = -solution.rotation.T @ solution.translation_mm  # the camera in the table frame
    away = solution.poses[:, :2] - eye[:2]
    t2 = (away**2).sum(axis=1) / max(abs(float(eye[2])), 1.0) ** 2
    place = s.shape_floor_mm**2 + (s.shape_slant_mm * t2) ** 2
    turn = np.radians(s.shape_turn_deg) ** 2 * (1 + t2**2)
    return np.diag(np.stack([place, place, turn], axis=1).ravel())
