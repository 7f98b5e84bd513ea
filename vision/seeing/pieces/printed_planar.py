"""Detects printed planar things without markers, and the table plane with them.

A printed thing is a single sheet, or several laid edge to edge: these gape, and none is exactly
aligned with the next. Features of the art are matched with those of the photo; matches that agree
on one homography give the plane. On it each sheet is posed by its own features, or by its
neighbours if a hand covers it. All prints are then registered block by block, and camera, plane and
poses are adjusted jointly. The art's own strokes must be visible in enough blocks of a sheet:
texture does not pass. A sheet far from its nominal place is reported and left out of the frame.

References
----------
.. [1] Barath et al., MAGSAC++, a fast, reliable and accurate robust estimator, 2020.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np

from vision.errors import DegenerateGeometryError, TableNotFoundError
from vision.geometry import (
    card_corners,
    card_from_table,
    map_points,
    polygon_area,
    rotation,
    table_from_card,
    table_from_photo,
    wrap_angle,
)
from vision.imaging.view import from_level
from vision.seeing.estimation.adjustment import solve
from vision.seeing.estimation.model import Solution, camera_of, with_poses
from vision.seeing.estimation.plane import solve_plane
from vision.seeing.estimation.rectify import map_plane
from vision.seeing.pieces.print_registration import (
    CalibratedView,
    PlacedPrint,
    agreement_at,
    in_frame_of,
    is_visible,
    observe_points,
    place_print,
    register_prints,
    uneven,
)
from vision.seeing.pieces.prints import (
    SAMPLES,
    BlockAgreement,
    FeatureMatches,
    Keypoints,
    PlanarPrint,
    fit_rigid,
    keypoints_at,
    match_features,
    rigid_consensus,
)
from vision.seeing.threads import one_thread
from vision.values.arrays import FloatArray, ImageBGR, Matrix3, Points

__all__ = ["MATCH_RATIOS", "PrintedPlanar", "find_printed"]

_SIDE_PX = 650  # longer side of the coarsest searched level
_FINER_LEVELS = 2  # that follow if needed
#: ratio tests of the two best matches; the second for repeated features in a grid
MATCH_RATIOS = (0.8, 0.92)
_INLIER_PX = 4.0  # in that level: sheets gape, paper waves, and the lens bends, by as much
_INLIERS = 9  # fewer agree by chance on a patterned cloth
_CONFIDENCE = 0.999  # of the robust homography
_POSITION_SD_PX = 1.5  # position error of a feature (1 sd), px of its level
# agreeing share of all blocks that makes a finer search unnecessary: less is also had from a plane
# by a dozen matches that is off by more than registration mends
_ENOUGH = 0.7
_HOME_MM = 8.0  # largest distance of a sheet from its nominal place
_HOME_RAD = 0.06  # largest rotation: three degrees
# position error of a board's print (1 sd): a half covered one may be 0.25 off at a far corner
_REGISTERED_SD_MM = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class PrintedPlanar:
    """A detected printed thing, in the best common frame of its sheets.

    ``solution`` is the camera in the frame of the first detected thing, ``pose`` (3,) this one's
    pose in it (x mm, y mm, theta rad), with its ``covariance`` (3, 3): 0 of the first.
    ``corners_px`` (4, 2) are TL, TR, BR, BL in the photo. ``agreement`` are the blocks of all
    sheets, side by side. ``sheets`` are the visible sheets by their index in the print; ``poses``
    (N, 3) are all sheets' poses in its frame, nominal for invisible ones; ``wrong`` are misplaced
    sheets.
    """

    print: PlanarPrint
    solution: Solution
    pose: FloatArray
    covariance: FloatArray
    corners_px: Points
    agreement: BlockAgreement
    sheets: Mapping[int, PlacedPrint]
    poses: FloatArray
    wrong: tuple[int, ...]

    @property
    def score(self) -> float:
        """The share of the blocks in the photo that agree with the art."""
        return self.agreement.share

    def outlines_mm(self) -> list[Points]:
        """Return the corners (4, 2) of each sheet: top left, top right, bottom right, bottom left.

        In its frame.
        """
        each = zip(self.print.parts, self.poses, strict=True)
        return [table_from_card(card_corners(*part.size_mm), *pose) for part, pose in each]

    def on_print(self, pose: FloatArray) -> FloatArray:
        """Map a pose (3,) from its frame to the print, as if its sheets had no gaps."""
        on = np.array([card_from_table(pose[None, :2], *own)[0] for own in self.poses])
        sizes = np.array([part.size_mm for part in self.print.parts])
        k = int((np.abs(on) - sizes / 2).max(axis=1).argmin())  # the sheet below it, or the nearest
        return np.array(
            [*(on[k] + self.print.centres_mm[k]), wrap_angle(float(pose[2] - self.poses[k][2]))]
        )

    @property
    def spread_mm2(self) -> FloatArray:
        """The covariance (2, 2), mm², of a point in its frame."""
        return _REGISTERED_SD_MM**2 * np.eye(2)

    def draw_art(self) -> ImageBGR:
        """Render the art of all sheets as they lie, over the print's own box."""
        art = self.print.art
        if len(self.print.parts) == 1:
            return art
        out = np.zeros_like(art)
        size_px = np.array(art.shape[1::-1])
        scale, middle = size_px[0] / self.print.size_mm[0], (size_px - 1) / 2
        each = zip(self.poses, self.print.centres_mm, self.outlines_mm(), strict=True)
        for (x, y, theta), centre, outline in each:
            turn = rotation(float(theta))
            shift = scale * np.array([x, y]) + middle - turn @ (scale * centre + middle)
            corners = outline * scale + middle
            low = np.clip(np.floor(corners.min(axis=0)), 0, size_px).astype(int)
            high = np.clip(np.ceil(corners.max(axis=0)) + 1, low, size_px).astype(int)
            if (high == low).any():
                continue
            warp = np.column_stack([turn, shift - low])
            moved = cv2.warpAffine(art, warp, (high - low).tolist(), flags=cv2.INTER_LINEAR)
            mask = np.zeros(moved.shape[:2], np.uint8)
            cv2.fillConvexPoly(mask, np.rint(corners - low).astype(np.int32), 1)
            cv2.copyTo(moved, mask, out[low[1] : high[1], low[0] : high[0]])
        return out


@dataclass(frozen=True, slots=True, eq=False)
class _Guess:
    """A plane in the frame of a print, and the poses (3,) of its visible sheets there."""

    print: PlanarPrint
    plane: Solution
    sheets: Mapping[int, FloatArray]
    share: float

    @property
    def is_clear(self) -> bool:
        """Whether most of the print is visible there, so that a finer search is unnecessary."""
        return self.share > _ENOUGH

    @property
    def outline_px(self) -> Points:
        return map_plane(self.plane, card_corners(*self.print.size_mm))


def find_printed(
    shot: CalibratedView,
    prints: Sequence[PlanarPrint],
    *,
    instead: Sequence[PlanarPrint] = (),
    before: Sequence[PrintedPlanar] = (),
) -> tuple[PrintedPlanar, ...]:
    """Detect printed things, at most two of each, and the plane on which all of them lie.

    Parameters
    ----------
    instead : sequence of PlanarPrint
        Smaller things that give the plane if none of those is visible.
    before : sequence of PrintedPlanar
        Things of an earlier image of the same camera: one whose sheets still agree at their old
        poses is refined from there without a search.

    Returns
    -------
    tuple of PrintedPlanar
        Best agreement first: that thing defines the frame, origin at its centre. A second thing of
        one print, in a frame of its own, is returned only to be reported.
    """
    with one_thread():
        again = (_relocate(shot, thing) for thing in before if thing.print in prints)
        found = {guess.print: guess for guess in again if guess is not None}
        missing = [print_ for print_ in prints if print_ not in found]
        copies: list[_Guess] = []
        coarsest = shot.view.level_within(_SIDE_PX)
        for level in range(coarsest, max(-1, coarsest - _FINER_LEVELS - 1), -1):
            for print_ in missing:
                guesses = _guess_copies(shot, print_, level)
                known = found[print_].share if print_ in found else 0.0
                if guesses and guesses[0].share > known:
                    found[print_], copies = guesses[0], copies + guesses[1:]
            missing = [p for p in missing if p not in found or not found[p].is_clear]
            if found and not missing:
                break
            if not found and (level < coarsest or level == 0):
                small = (_guess_copies(shot, print_, level, 1) for print_ in instead)
                found = {guess.print: guess for some in small for guess in some}
                if found:
                    break
        firsts = sorted(found.values(), key=lambda guess: -guess.share)
        alone = [thing for copy in copies for thing in _adjust(shot, [copy])]
        return (*_adjust(shot, firsts), *alone)


def _relocate(shot: CalibratedView, thing: PrintedPlanar) -> _Guess | None:
    """Return a thing at its old place; None if one of its sheets does not agree there."""
    plane = in_frame_of(thing.solution, thing.pose)
    for k in thing.sheets:
        own = in_frame_of(plane, thing.poses[k])
        if k in thing.wrong or not is_visible(agreement_at(shot.view, thing.print.parts[k], own)):
            return None
    return _Guess(thing.print, plane, {k: thing.poses[k] for k in thing.sheets}, thing.score)


def _guess_copies(
    shot: CalibratedView, print_: PlanarPrint, level: int, most: int = 2
) -> list[_Guess]:
    """Detect a print, and a second copy of it elsewhere, by the features of one level."""
    seen = keypoints_at(shot.view, level)
    pairs = match_features(print_, Keypoints(from_level(seen.points, level), seen.descriptors))
    found: list[_Guess] = []
    while len(found) < most and (guess := _guess(shot, print_, pairs, 2.0**level)) is not None:
        x, y = guess.outline_px.mean(axis=0).tolist()
        around = (one.outline_px.astype(np.float32) for one in found)
        if any(cv2.pointPolygonTest(outline, (x, y), False) >= 0 for outline in around):
            break
        found.append(guess)
        pairs = pairs.outside(guess.outline_px)
    return found


def _guess(
    shot: CalibratedView, print_: PlanarPrint, pairs: FeatureMatches, scale: float
) -> _Guess | None:
    """Estimate the plane of a print from its features, and verify its sheets there."""
    best: _Guess | None = None
    for ratio in MATCH_RATIOS:
        some = pairs.below(ratio)
        if len(some.art) < _INLIERS:
            continue
        h, mask = cv2.findHomography(
            some.art,
            some.seen,
            cv2.USAC_MAGSAC,
            _INLIER_PX * scale,
            maxIters=SAMPLES,
            confidence=_CONFIDENCE,
        )
        if h is None or mask is None or int(mask.sum()) < _INLIERS:
            continue
        plane = _plane_of(np.asarray(h, np.float64), print_, shot)
        if plane is None:
            continue
        inlier = mask.ravel().astype(bool)
        measured = observe_points(some.art[inlier], some.seen[inlier], _POSITION_SD_PX * scale)
        try:
            plane = in_frame_of(solve(plane, measured, shot.priors).solution)
        except DegenerateGeometryError:
            continue
        guess = _verify(shot, print_, plane, pairs.below(MATCH_RATIOS[-1]))
        if guess is not None and (best is None or guess.share > best.share):
            best = guess
        if best is not None and best.is_clear:
            break
    return best


def _plane_of(
    photo_from_art: Matrix3, print_: PlanarPrint, shot: CalibratedView
) -> Solution | None:
    """Return camera and plane of a homography from the art; None if there are none."""
    corners = card_corners(*print_.size_mm)
    w = corners @ photo_from_art[2, :2] + photo_from_art[2, 2]
    if (w * np.sign(w[0]) <= 1e-9).any():
        return None
    try:
        at = map_points(photo_from_art, corners)
        if polygon_area(at) <= 0:  # a mirror image
            return None
        plane = solve_plane(at[None], print_.size_mm, shot.priors, focal_known=shot.focal_known)
    except (TableNotFoundError, DegenerateGeometryError, np.linalg.LinAlgError):
        return None
    return in_frame_of(plane.solution)


def _verify(
    shot: CalibratedView, print_: PlanarPrint, plane: Solution, some: FeatureMatches
) -> _Guess | None:
    """Pose the sheets of a print on a plane; None if none is visible."""
    table = table_from_photo(camera_of(plane), some.seen)
    near = np.abs(table).max(axis=1) < 4 * max(print_.size_mm)
    sheets: dict[int, FloatArray] = {}
    share = 0.0
    for k, (part, centre) in enumerate(zip(print_.parts, print_.centres_mm, strict=True)):
        pose = np.array([*centre, 0.0])
        if len(print_.parts) > 1:
            inside = (np.abs(some.art - centre) <= np.divide(part.size_mm, 2)).all(axis=1)
            own = some.where(near & inside).best()
            voted = rigid_consensus(own.art - centre, table_from_photo(camera_of(plane), own.seen))
            pose = pose if voted is None else voted[0]
        placed = _place(shot, part, plane, pose)
        if placed is not None:
            sheets[k] = placed.pose
            share += placed.agreement.share / len(print_.parts)
    return _Guess(print_, plane, sheets, share) if sheets else None


def _place(
    shot: CalibratedView, part: PlanarPrint, plane: Solution, pose: FloatArray
) -> PlacedPrint | None:
    """Return a sheet at a pose on a plane, or near it; None if it is not visible."""
    agreed = agreement_at(shot.view, part, in_frame_of(plane, pose))
    if is_visible(agreed):
        return PlacedPrint(pose, agreed)
    return place_print(shot.view, part, plane, pose)


def _pose_of(corners_mm: Points) -> FloatArray:
    """Return the pose (3,) of a sheet with corners (4, 2) TL, TR, BR, BL."""
    x, y = corners_mm[1] + corners_mm[2] - corners_mm[0] - corners_mm[3]
    return np.array([*corners_mm.mean(axis=0), np.arctan2(y, x)])


def _adjust(shot: CalibratedView, guesses: Sequence[_Guess]) -> tuple[PrintedPlanar, ...]:
    """Adjust all sheets jointly; those still missing are searched once more.

    Then the plane is known better, and the neighbours give their nominal places.
    """
    if not guesses:
        return ()
    plane = guesses[0].plane
    poses: dict[tuple[PlanarPrint, int], FloatArray] = {}
    for guess in guesses:
        for k, pose in guess.sheets.items():
            corners = table_from_card(card_corners(*guess.print.parts[k].size_mm), *pose)
            on = table_from_photo(camera_of(plane), map_plane(guess.plane, corners))
            poses[guess.print, k] = pose if guess.plane is plane else _pose_of(on)
    plane, sheets = _register(shot, plane, poses)
    more: dict[tuple[PlanarPrint, int], FloatArray] = {}
    for print_, own in _by_print(sheets).items():
        frame, _ = _frame_of(own, print_)
        for k in {*range(len(print_.parts))} - {*own}:
            there = _home_pose(frame, print_.centres_mm[k])
            placed = place_print(shot.view, print_.parts[k], plane, there, beside=True)
            if placed is not None:
                more[print_, k] = placed.pose
    if more:
        known = {key: sheet.pose for key, sheet in sheets.items()}
        plane, sheets = _register(shot, plane, {**known, **more})
    return _assemble(plane, sheets)


def _register(
    shot: CalibratedView, plane: Solution, poses: Mapping[tuple[PlanarPrint, int], FloatArray]
) -> tuple[Solution, dict[tuple[PlanarPrint, int], PlacedPrint]]:
    """Register sheets from poses on a plane jointly; return that, and those that are visible."""
    parts = [print_.parts[k] for print_, k in poses]
    start = with_poses(plane, np.array(list(poses.values())))
    solution = in_frame_of(register_prints(shot, parts, start))
    sheets: dict[tuple[PlanarPrint, int], PlacedPrint] = {}
    for (print_, k), part, pose in zip(poses, parts, solution.poses, strict=True):
        agreed = agreement_at(shot.view, part, in_frame_of(solution, pose))
        if is_visible(agreed, beside=len(print_.parts) > 1):
            sheets[print_, k] = PlacedPrint(pose, agreed)
    return solution, sheets


def _home_pose(frame: FloatArray, centre: Points) -> FloatArray:
    """Return the nominal pose (3,) of a sheet in a frame."""
    return np.array([*table_from_card(centre[None], *frame)[0], frame[2]])


def _frame_of(
    sheets: Mapping[int, PlacedPrint], print_: PlanarPrint
) -> tuple[FloatArray, tuple[int, ...]]:
    """Return the frame (3,) on which most sheets agree, and the sheets that do not."""
    poses = {k: sheet.pose for k, sheet in sheets.items()}

    def fit(some: Sequence[int]) -> FloatArray:
        one, other = [], []
        for k in some:
            corners = card_corners(*print_.parts[k].size_mm)
            one.append(corners + print_.centres_mm[k])
            other.append(table_from_card(corners, *poses[k]))
        turn, shift = fit_rigid(np.concatenate(one), np.concatenate(other))
        return np.array([*shift, np.arctan2(turn[1, 0], turn[0, 0])])

    best: list[int] = []
    for k in poses:
        frame = fit([k])
        fits = [j for j in poses if _is_home(poses[j], frame, print_.centres_mm[j])]
        if len(fits) > len(best):
            best = fits
    return fit(best), tuple(k for k in poses if k not in best)


def _is_home(pose: FloatArray, frame: FloatArray, centre: Points) -> bool:
    """Return whether a sheet is at its nominal place."""
    off = pose - _home_pose(frame, centre)
    return float(np.hypot(*off[:2])) < _HOME_MM and abs(wrap_angle(float(off[2]))) < _HOME_RAD


def _assemble(
    plane: Solution, sheets: Mapping[tuple[PlanarPrint, int], PlacedPrint]
) -> tuple[PrintedPlanar, ...]:
    """Combine sheets into things, in the frame of the first."""
    things: list[PrintedPlanar] = []
    base: FloatArray | None = None
    for print_, own in _by_print(sheets).items():
        frame, wrong = _frame_of(own, print_)
        base = frame if base is None else base
        poses = np.column_stack([print_.centres_mm, np.zeros(len(print_.parts))])
        right = {k: sheet for k, sheet in own.items() if k not in wrong}
        if right:
            at = with_poses(plane, np.array([sheet.pose for sheet in right.values()]))
            poses[list(right)] = in_frame_of(at, frame).poses
        solution = in_frame_of(with_poses(plane, frame[None]), base)
        pose = solution.poses[0]
        corners = table_from_card(card_corners(*print_.size_mm), *pose)
        things.append(
            PrintedPlanar(
                print_,
                solution,
                pose,
                uneven(print_.size_mm) if things else np.zeros((3, 3)),
                map_plane(solution, corners),
                _side_by_side(print_, right),
                own,
                poses,
                wrong,
            )
        )
    return tuple(things)


def _by_print(
    sheets: Mapping[tuple[PlanarPrint, int], PlacedPrint],
) -> dict[PlanarPrint, dict[int, PlacedPrint]]:
    """Return the sheets of each print by their index in it."""
    prints = dict.fromkeys(print_ for print_, _ in sheets)
    return {one: {k: s for (of, k), s in sheets.items() if of is one} for one in prints}


def _side_by_side(print_: PlanarPrint, sheets: Mapping[int, PlacedPrint]) -> BlockAgreement:
    """Return the blocks of all sheets side by side; those of invisible sheets disagree."""
    rows = int(np.unique(print_.centres_mm[:, 1]).size)
    columns = len(print_.parts) // rows
    parts = []
    for k, part in enumerate(print_.parts):
        none = np.zeros(part.blocks)
        hidden = BlockAgreement(none, none == 0, none > 0)
        parts.append(sheets[k].agreement if k in sheets else hidden)

    def together(name: str) -> Any:
        of = [getattr(part, name) for part in parts]
        return np.block([of[row * columns : (row + 1) * columns] for row in range(rows)])

    return BlockAgreement(together("correlation"), together("looked"), together("agrees"))
