"""Detects printed sheets on a known plane, any number of each, and the tokens on them.

If cards give camera and plane, a sheet is detected by features of its print, whose distances on the
table are known: two matches give its pose, and the others confirm or reject it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.geometry import (
    card_corners,
    card_from_table,
    rotation,
    table_from_card,
    table_from_photo,
)
from vision.imaging.view import View, from_level, to_gray, to_level
from vision.seeing.estimation.model import Solution, camera_of, with_poses
from vision.seeing.pieces.board_prints import BoardPrint, Keypoints, keypoints_at, match_features
from vision.seeing.pieces.board_registration import agreement_at, in_board_frame
from vision.seeing.pieces.board_scene import BoardScene
from vision.seeing.pieces.boards import BoardSettings
from vision.seeing.pieces.rectify import Rectified, bounding_box, map_plane, rectify
from vision.seeing.pieces.rigid_consensus import rigid_consensus
from vision.seeing.pieces.tokens import find_tokens
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, ImageGray, Points
from vision.values.layout import Placed
from vision.values.pieces import Piece

__all__ = [
    "SheetSettings",
    "find_sheets",
    "find_sheets_beside",
    "find_tokens_on",
    "outlined_places",
    "unread_outlines",
    "verified_sheet",
]


@dataclass(frozen=True, slots=True)
class SheetSettings:
    """Settings of the detection on a known plane."""

    # longer sides of the searched levels; the finer is slow
    sides_px: tuple[int, ...] = (2600, 5200)
    features: int = 3000  # outside the cards: cloth has some of its own
    ratios: tuple[float, ...] = BoardSettings.ratios  # ratio tests of the two best matches
    apart: float = BoardSettings.apart  # matches nearer than this, of the side, are one place
    most_matches: int = 300  # of the features of a print: their pairs grow with the square
    share: float = 0.3  # least agreeing share of visible blocks; half hidden still has that
    blocks: int = 8  # least agreeing blocks
    shape_mm: float = 0.3  # paper is never quite flat (1 sd)
    most: int = 8  # most of one sheet, if its number is not given


def find_sheets(
    view: View,
    plane: Solution,
    prints: Sequence[BoardPrint],
    copies: Sequence[int | None],
    hidden_mm: FloatArray,
    settings: SheetSettings | None = None,
) -> list[Placed]:
    """Detect sheets by their prints.

    Parameters
    ----------
    view : View
        The photo.
    plane : Solution
        Camera and plane, in the table frame.
    prints : sequence of BoardPrint
        The sheets to detect.
    copies : sequence of int or None
        Number of copies of each; None for any number.
    hidden_mm : (N, 4, 2) float64
        Outlines of cards, whose print is left out.
    """
    s = settings or SheetSettings()
    placed: list[Placed] = []
    for level in sorted({view.level_within(side) for side in s.sides_px}, reverse=True):
        missing = [p for p in prints if p.piece not in {one.piece for one in placed}]
        if not missing:
            break
        covers = np.concatenate(
            [hidden_mm.reshape(-1, 4, 2), *(_outline(one, prints)[None] for one in placed)]
        )
        seen = _features_beside(view, plane, covers, level, s)
        for board, most in zip(prints, copies, strict=True):
            if board in missing:
                placed += _copies(view, plane, board, seen, most or s.most, s)
    numbered = enumerate(placed, start=1)
    return [replace(one, spot=f"sheet-{k}") for k, one in numbered]


def find_tokens_on(
    view: View,
    plane: Solution,
    sheets: Sequence[Placed],
    sizes_mm: Sequence[tuple[float, float]],
    tokens: Sequence[Piece],
    art: dict[str, ImageBGR],
) -> list[Placed]:
    """Detect the tokens on sheets (of given sizes, in their order); others are left out."""
    found: list[Placed] = []
    for sheet, size in zip(sheets, sizes_mm, strict=True):
        pose = (sheet.x_mm, sheet.y_mm, sheet.theta_rad)
        corners = table_from_card(card_corners(*size), *pose)
        scene = BoardScene(plane, bounding_box(corners, 4.0))
        for token in find_tokens(view, scene, tokens, art):
            one = token.placed
            inside = _are_on_sheets(np.array([[one.x_mm, one.y_mm]]), [sheet], size)
            is_new = all(np.hypot(p.x_mm - one.x_mm, p.y_mm - one.y_mm) > 2.0 for p in found)
            if one.score > 0 and inside[0] and is_new:
                found.append(replace(one, spot=f"token-{len(found) + 1}"))
    return found


def _outline(one: Placed, prints: Sequence[BoardPrint]) -> Points:
    size = next(board.size_mm for board in prints if board.piece == one.piece)
    return table_from_card(card_corners(*size), one.x_mm, one.y_mm, one.theta_rad)


def _features_beside(
    view: View, plane: Solution, hidden_mm: FloatArray, level: int, s: SheetSettings
) -> Keypoints:
    """Return the features of the photo outside all cards, in table mm."""
    found = keypoints_at(view, level, s.features)
    open_ = np.full(view.gray(level).shape, 255, np.uint8)
    for corners in hidden_mm:
        px = to_level(map_plane(plane, corners), level)
        cv2.fillConvexPoly(open_, np.rint(px).astype(np.int32), 0)
    x, y = np.rint(found.points.T).astype(np.int64)
    beside = open_[y, x] > 0
    found = Keypoints(found.points[beside], found.descriptors[beside])
    if not len(found.points):
        return found
    at = table_from_photo(camera_of(plane), from_level(found.points, level))
    return Keypoints(at, found.descriptors)


def _copies(
    view: View,
    plane: Solution,
    board: BoardPrint,
    seen: Keypoints,
    most: int,
    s: SheetSettings,
) -> list[Placed]:
    """Detect the copies of one sheet, by strict matches first, then by looser ones."""
    pairs = match_features(board, seen, s.apart)
    found: list[Placed] = []
    for ratio in s.ratios:
        some = pairs.below(ratio)
        art, table = some.art, some.seen
        left = ~_are_on_sheets(table, found, board.size_mm)
        left[np.flatnonzero(left)[s.most_matches :]] = False
        while len(found) < most:
            place = rigid_consensus(art[left], table[left])
            if place is None:
                break
            pose, inliers, sd_mm = place
            one = verified_sheet(view, plane, board, pose, sd_mm, s)
            if one is not None:
                found.append(one)
            rest = np.flatnonzero(left)
            left[rest[inliers]] = False
    return found


def _are_on_sheets(
    points_mm: Points, sheets: Sequence[Placed], size_mm: tuple[float, float]
) -> BoolArray:
    """Return which points (N, 2) of the table are on sheets of a size."""
    on = np.zeros(len(points_mm), bool)
    for one in sheets:
        at = card_from_table(points_mm, one.x_mm, one.y_mm, one.theta_rad)
        on |= (np.abs(at) <= np.divide(size_mm, 2)).all(axis=1)
    return on


def verified_sheet(
    view: View,
    plane: Solution,
    board: BoardPrint,
    pose: FloatArray,
    sd_mm: float,
    s: SheetSettings,
) -> Placed | None:
    """Return a sheet at a pose if enough of its print agrees with the photo there."""
    agreed = agreement_at(view, board, with_poses(plane, pose[None]), 0)
    if agreed.share < s.share or int(agreed.agrees.sum()) < s.blocks:
        return None
    x, y, theta = (float(value) for value in pose)
    variance = sd_mm**2 + s.shape_mm**2
    turn = variance / (max(board.size_mm) / 4) ** 2
    corners = table_from_card(card_corners(*board.size_mm), x, y, theta)
    return Placed(
        board.piece,
        board.piece,
        x,
        y,
        theta,
        np.diag([variance, variance, turn]),
        map_plane(plane, corners),
        score=agreed.share,
        kind="sheet",
        visible=agreed.share,
    )


# Outlines of a sheet's shape.

# differences from the surroundings, lighter or darker, for any cloth
_OUTLINE_TONES: tuple[float, ...] = (8.0, 24.0, 48.0)
_OUTLINE_ROUND_MM = 90.0  # side of the square of the surroundings: three widths of a strip
# length, of the sheet's longer side: a print is inset
_OUTLINE_LONG: tuple[float, float] = (0.85, 1.07)
# width, of the sheet's shorter side, of which a margin is a larger share
_OUTLINE_SHORT: tuple[float, float] = (0.6, 1.2)
_OUTLINE_FILLED = 0.7  # least area, of the rectangle round it: a four-sided thing
_OUTLINE_NEAR_MM = 8.0  # centres nearer than this are one place
_OUTLINE_PX_PER_MM = 1.33  # of the rectified image: a strip's edge is as wide as a card's
_OUTLINE_MARGIN_MM = 100.0  # searched margin round the cards: half a strip
# least agreeing share of the print's blocks: strips have 0.9, other things below 0.2
_OUTLINE_SHARE = 0.5
_OUTLINE_SLIDE_MM = 6.0  # tolerated shift of a print from its outline: a border may be invisible
_OUTLINE_LEAD = 0.3  # least lead of one direction over its half turn, relative to the art's own
_OUTLINE_SD_MM = 0.5  # position error (1 sd): two thirds of a pixel


def find_sheets_beside(
    view: View,
    plane: Solution,
    prints: Sequence[BoardPrint],
    copies: Sequence[int | None],
    hidden_mm: FloatArray,
) -> list[Placed]:
    """Detect sheets beside cards by their edges, and those with faint edges by their prints.

    Parameters
    ----------
    view : View
        The photo.
    plane : Solution
        Camera and plane, in the table frame.
    prints : sequence of BoardPrint
        The sheets to detect.
    copies : sequence of int or None
        Number of copies of each; None for any number.
    hidden_mm : (N, 4, 2) float64
        Outlines of cards, which are left out.
    """
    if not len(hidden_mm) or not prints:
        return find_sheets(view, plane, prints, copies, hidden_mm)
    rectified = rectify(
        view, plane, bounding_box(hidden_mm.reshape(-1, 2), _OUTLINE_MARGIN_MM), _OUTLINE_PX_PER_MM
    )
    covered = rectified.filled(hidden_mm) > 0
    found: list[Placed] = []
    left: list[tuple[BoardPrint, int | None]] = []
    outlines = [hidden_mm]
    for board, most in zip(prints, copies, strict=True):
        own = _outlined(view, plane, board, outlined_places(rectified, covered, board.size_mm))
        own = own[:most]
        found += own
        corners = card_corners(*board.size_mm)
        outlines += [table_from_card(corners, p.x_mm, p.y_mm, p.theta_rad)[None] for p in own]
        if most is None or len(own) < most:
            left.append((board, None if most is None else most - len(own)))
    how = SheetSettings()
    # the finer search is needed if none was found
    how = replace(how, sides_px=how.sides_px[:1]) if found else how
    rest = [board for board, _ in left], [most for _, most in left]
    more = find_sheets(view, plane, *rest, np.concatenate(outlines), how) if left else []
    return [replace(one, spot=f"sheet-{k}") for k, one in enumerate([*found, *more], start=1)]


def unread_outlines(
    view: View, plane: Solution, size_mm: tuple[float, float], known_mm: FloatArray
) -> FloatArray:
    """Return the corners (N, 4, 2) in the photo of outlines of a sheet's size beside known things.

    They are searched for up to a sheet's length from the known things.

    Parameters
    ----------
    view : View
        The photo.
    plane : Solution
        Camera and plane, in the table frame.
    size_mm : (float, float)
        Width and height of the sheet.
    known_mm : (N, 4, 2) float64
        Outlines of all that is known, N > 0.
    """
    box = bounding_box(known_mm.reshape(-1, 2), max(size_mm))
    rectified = rectify(view, plane, box, _OUTLINE_PX_PER_MM)
    covered = rectified.filled(known_mm) > 0
    poses = outlined_places(rectified, covered, size_mm)
    column, row = np.rint(rectified.to_px(poses[:, :2])).astype(np.int64).T
    poses = poses[~covered[row, column]]  # else it is the edge of a curled sheet, or lies on one
    corners = card_corners(*size_mm)
    each = [map_plane(plane, table_from_card(corners, *pose)) for pose in poses.tolist()]
    return np.array(each).reshape(-1, 4, 2)


def _outlined(view: View, plane: Solution, board: BoardPrint, poses: FloatArray) -> list[Placed]:
    """Return the sheets at poses (N, 3) whose print is visible there, the clearest first."""
    laid = [
        pose for one in poses if (pose := _resolve_half_turn(view, plane, board, one)) is not None
    ]
    shown = replace(SheetSettings(), share=_OUTLINE_SHARE)
    each = [verified_sheet(view, plane, board, pose, _OUTLINE_SD_MM, shown) for pose in laid]
    kept: list[Placed] = []
    for one in sorted((e for e in each if e is not None), key=lambda e: -e.score):
        if all(np.hypot(one.x_mm - k.x_mm, one.y_mm - k.y_mm) > _OUTLINE_NEAR_MM for k in kept):
            kept.append(one)
    return kept


def _resolve_half_turn(
    view: View, plane: Solution, board: BoardPrint, pose: FloatArray
) -> FloatArray | None:
    """Register a print in both directions; None if it is unclear which is right.

    The lead of the better direction is taken relative to that of the art itself.
    """
    height, width = board.small.shape
    scale = width / board.size_mm[0]
    box = bounding_box(card_corners(*board.size_mm), _OUTLINE_SLIDE_MM)
    rectified = rectify(view, in_board_frame(with_poses(plane, pose[None]), 0), box, scale)
    tall = height / board.size_mm[1] / scale  # blocks are not quite square
    seen = cv2.resize(
        to_gray(rectified.image), None, fx=1.0, fy=tall, interpolation=cv2.INTER_LINEAR
    )
    ways = (board.small, np.ascontiguousarray(board.small[::-1, ::-1]))
    similarity = [cv2.minMaxLoc(cv2.matchTemplate(seen, w, cv2.TM_CCOEFF_NORMED)) for w in ways]
    own = float(np.corrcoef(ways[0].ravel(), ways[1].ravel())[0, 1])
    best = int(similarity[1][1] > similarity[0][1])
    lead = (similarity[best][1] - similarity[1 - best][1]) / max(1.0 - own, 1e-6)
    if lead < _OUTLINE_LEAD:
        return None
    corner = np.array(similarity[best][3], np.float64)
    at = corner + np.array([width - 1, height - 1]) / 2
    off = at / np.array([scale, scale * tall]) + box[:2]
    middle = pose[:2] + rotation(float(pose[2])) @ off
    return np.array([*middle, pose[2] + best * np.pi])


def outlined_places(
    rectified: Rectified, covered: BoolArray, size_mm: tuple[float, float]
) -> FloatArray:
    """Return possible poses of a sheet of a size.

    Parameters
    ----------
    rectified : Rectified
        The rectified table image.
    covered : (H, W) bool
        Pixels of known things.
    size_mm : (float, float)
        Width and height of the sheet.

    Returns
    -------
    (N, 3) float64
        x mm, y mm, theta rad, with the longer side as the sheet has it; ambiguous by half a turn.
    """
    found: list[FloatArray] = []
    for mask in _masks(to_gray(rectified.image), rectified):
        mask &= ~covered & rectified.inside
        contours, _ = cv2.findContours(
            mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE
        )
        least_px = _OUTLINE_LONG[0] * max(size_mm) * rectified.px_per_mm
        for contour in contours:
            if len(contour) < 4 or math.hypot(*cv2.boundingRect(contour)[2:]) < least_px:
                continue  # most contours: specks of the cloth
            pose = _pose_of(np.asarray(contour.reshape(-1, 2), np.float64), rectified, size_mm)
            if pose is not None and all(
                np.hypot(*(pose - one)[:2]) > _OUTLINE_NEAR_MM
                or abs(np.sin(pose[2] - one[2])) > 0.1
                for one in found
            ):
                found.append(pose)
    return np.array(found).reshape(-1, 3)


def _masks(gray: ImageGray, rectified: Rectified) -> Iterator[BoolArray]:
    """Yield masks of what is lighter than its surroundings by several steps, then darker."""
    side = 2 * round(_OUTLINE_ROUND_MM * rectified.px_per_mm / 2) + 1
    off = gray.astype(np.float32) - cv2.blur(gray, (side, side)).astype(np.float32)
    for sign in (1, -1):
        for tones in _OUTLINE_TONES:
            yield sign * off > tones


def _pose_of(
    contour_px: FloatArray, rectified: Rectified, size_mm: tuple[float, float]
) -> FloatArray | None:
    """Return the pose of a contour with the sheet's shape; None for another shape."""
    hull = cv2.convexHull(contour_px.astype(np.float32))
    corners = cv2.boxPoints(cv2.minAreaRect(hull))
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)[:2] + 1
    long, short = max(sides) / rectified.px_per_mm, min(sides) / rectified.px_per_mm
    is_long = _OUTLINE_LONG[0] < long / max(size_mm) < _OUTLINE_LONG[1]
    if not (is_long and _OUTLINE_SHORT[0] < short / min(size_mm) < _OUTLINE_SHORT[1]):
        return None
    if cv2.contourArea(hull) < _OUTLINE_FILLED * sides[0] * sides[1]:
        return None
    at = rectified.to_mm(np.asarray(corners, np.float64))
    edges = at - np.roll(at, 1, axis=0)
    along = edges[np.linalg.norm(edges, axis=1).argmax()]
    theta = float(np.arctan2(along[1], along[0])) + (np.pi / 2 if size_mm[0] < size_mm[1] else 0.0)
    return np.array([*at.mean(axis=0), theta])
