"""Detects printed sheets on a known plane, any number of each, and the tokens on them.

On a known plane all distances are known. A sheet is proposed by its edges, or by features of its
print: two matches give its pose, and the others confirm or reject it. Its print must then be
visible there.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_corners, card_from_table, rotation, table_from_card
from vision.imaging.masks import mask_at
from vision.imaging.view import View, to_gray
from vision.seeing.estimation.model import Solution
from vision.seeing.estimation.rectify import (
    Box,
    Rectified,
    bounding_box,
    box_in_photo,
    map_plane,
    rectify,
)
from vision.seeing.pieces.board_scene import BoardScene, keep_apart, placed_at
from vision.seeing.pieces.discs import find_discs
from vision.seeing.pieces.print_registration import in_frame_of, place_print, uneven
from vision.seeing.pieces.printed_planar import MATCH_RATIOS
from vision.seeing.pieces.prints import (
    Keypoints,
    PlanarPrint,
    detect_keypoints,
    match_features,
    rigid_consensus,
)
from vision.values.arrays import BoolArray, FloatArray, ImageGray, Points
from vision.values.layout import Placed
from vision.values.pieces import Looks

__all__ = [
    "LEAD",
    "find_sheets",
    "find_tokens_on",
    "outlined_places",
    "placed_sheet",
    "unread_outlines",
]

_PX_PER_MM = 1.33  # of the rectified table: a strip's edge is as wide as a card's
_MARGIN_MM = 300.0  # searched margin round what is known
_STROKES_MM = 10.0  # strokes of a print are nearer to one another than twice this
_MOST = 8  # most of one sheet, if its number is not given

# Outlines of a sheet's shape.
# differences from the surroundings, lighter or darker, for any cloth
_TONES = (8.0, 24.0, 48.0)
_ROUND_MM = 90.0  # side of the square of the surroundings: three widths of a strip
# length, of the sheet's longer side: a print is inset
_LONG = (0.85, 1.07)
# width, of the sheet's shorter side, of which a margin is a larger share
_SHORT = (0.6, 1.2)
_FILLED = 0.7  # least area, of the rectangle round it: a four-sided thing
_NEAR_MM = 8.0  # centres nearer than this are one place
_NEAR_RAD = 0.1  # likewise directions
_SLIDE_MM = 6.0  # tolerated shift of a print from its outline: a border may be invisible
LEAD = 0.3  # least lead of one direction over its half turn, relative to the art's own


def find_sheets(
    view: View,
    plane: Solution,
    prints: Sequence[PlanarPrint],
    copies: Sequence[int | None],
    known_mm: FloatArray,
    *,
    by_edges: bool = False,
) -> list[Placed]:
    """Detect sheets round known things by their prints.

    Parameters
    ----------
    copies : sequence of int or None
        Number of copies of each; None for any number.
    known_mm : (N, 4, 2) float64
        Outlines of known things, N > 0, whose print is left out.
    by_edges : bool
        Whether edges propose sheets first: prints may be too small for features.
    """
    rectified = rectify(view, plane, _box_round(view, plane, known_mm, _MARGIN_MM), _PX_PER_MM)
    covered = rectified.filled(known_mm) > 0
    found: list[Placed] = []
    missing: list[tuple[PlanarPrint, int]] = []
    for print_, most in zip(prints, copies, strict=True):
        own: list[Placed] = []
        if by_edges:
            poses = outlined_places(rectified, covered, print_.size_mm)
            own = _outlined(view, plane, print_, poses)[:most]
        outlines = (_outline_mm(one, print_.size_mm) for one in own)
        covered |= rectified.filled(outlines) > 0
        found += own
        missing.append((print_, (most or _MOST) - len(own)))
    if any(most > 0 for _, most in missing):
        least_mm = min(max(print_.size_mm) for print_ in prints)
        seen = _features_beside(rectified, covered, least_mm)
        for print_, most in missing:
            found += _copies(view, plane, print_, seen, most)
    return [replace(one, spot=f"sheet-{k}") for k, one in enumerate(found, start=1)]


def _box_round(view: View, plane: Solution, known_mm: FloatArray, margin_mm: float) -> Box:
    return box_in_photo(view, plane, bounding_box(known_mm.reshape(-1, 2), margin_mm))


def find_tokens_on(
    view: View,
    plane: Solution,
    sheets: Sequence[Placed],
    sizes_mm: Sequence[tuple[float, float]],
    looks: Looks,
) -> list[Placed]:
    """Detect the tokens on sheets (of given sizes, in their order); others are left out."""
    found: list[Placed] = []
    for sheet, size in zip(sheets, sizes_mm, strict=True):
        scene = _scene_of_sheet(view, plane, _outline_mm(sheet, size), looks)
        for one in (token.placed for token in find_discs(scene)):
            inside = _are_on_sheets(np.array([[one.x_mm, one.y_mm]]), [sheet], size)
            is_new = all(np.hypot(p.x_mm - one.x_mm, p.y_mm - one.y_mm) > 2.0 for p in found)
            if one.score > 0 and inside[0] and is_new:
                found.append(replace(one, spot=f"token-{len(found) + 1}"))
    return found


def _scene_of_sheet(view: View, plane: Solution, outline_mm: Points, looks: Looks) -> BoardScene:
    """Return a scene in which tokens may lie anywhere on a sheet, whatever its print."""
    box = bounding_box(outline_mm)
    columns, rows = np.ceil((np.array(box[2:]) - box[:2]) * _PX_PER_MM).astype(int).tolist()
    whole = np.ones((rows, columns), np.uint8)
    cover = Rectified(whole[..., None], whole > 0, _PX_PER_MM, np.array(box[:2]))
    cover = replace(cover, image=cover.filled([outline_mm])[..., None])
    return BoardScene(view, plane, box, looks, board_mm=box, covered=cover)


def _outline_mm(one: Placed, size_mm: tuple[float, float]) -> Points:
    return table_from_card(card_corners(*size_mm), one.x_mm, one.y_mm, one.theta_rad)


def _features_beside(rectified: Rectified, covered: BoolArray, least_mm: float) -> Keypoints:
    """Return the features of the rectified table outside known things, in table mm.

    They are detected only where strokes are, of things not much smaller than ``least_mm``.
    """
    gray, open_ = to_gray(rectified.image), rectified.inside & ~covered
    strokes = np.abs(_off_surroundings(gray, rectified)) > _TONES[1]
    side = 2 * round(_STROKES_MM * rectified.px_per_mm) + 1
    near = cv2.dilate((strokes & open_).astype(np.uint8), np.ones((side, side), np.uint8))
    found = [Keypoints(np.zeros((0, 2)), np.zeros((0, 128), np.float32))]
    for x, y, width, height, _ in cv2.connectedComponentsWithStats(near)[2][1:].tolist():
        if max(width, height) < least_mm * rectified.px_per_mm / 2:
            continue
        one = detect_keypoints(np.ascontiguousarray(gray[y : y + height, x : x + width]))
        points = one.points + np.array([x, y])
        column, row = np.rint(points.T).astype(np.int64)
        beside = open_[row, column]
        found.append(Keypoints(rectified.to_mm(points[beside]), one.descriptors[beside]))
    return Keypoints(
        np.concatenate([one.points for one in found]),
        np.concatenate([one.descriptors for one in found]),
    )


def _copies(
    view: View, plane: Solution, print_: PlanarPrint, seen: Keypoints, most: int
) -> list[Placed]:
    """Detect the copies of one sheet, by strict matches first, then by looser ones."""
    pairs = match_features(print_, seen)
    found: list[Placed] = []
    for ratio in MATCH_RATIOS:
        left = pairs.below(ratio)
        left = left.where(~_are_on_sheets(left.seen, found, print_.size_mm))
        left = left.best()
        while len(found) < most:
            place = rigid_consensus(left.art, left.seen)
            if place is None:
                break
            pose, inliers = place
            one = placed_sheet(view, plane, print_, pose)
            found += [] if one is None else [one]
            left = left.where(~inliers & ~_are_on_sheets(left.seen, found, print_.size_mm))
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


def placed_sheet(
    view: View, plane: Solution, print_: PlanarPrint, pose: FloatArray
) -> Placed | None:
    """Return a sheet near a pose if its print is visible there."""
    found = place_print(view, print_, plane, pose)
    if found is None:
        return None
    outline = table_from_card(card_corners(*print_.size_mm), *found.pose)
    return placed_at(
        print_.piece,
        "sheet",
        found.pose,
        uneven(print_.size_mm),
        map_plane(plane, outline),
        score=found.agreement.share,
        visible=found.agreement.share,
    )


def unread_outlines(
    view: View, plane: Solution, size_mm: tuple[float, float], known_mm: FloatArray
) -> FloatArray:
    """Return the corners (N, 4, 2) in the photo of outlines of a sheet's size beside known things.

    They are searched for up to a sheet's length from what is known (N, 4, 2), N > 0.
    """
    rectified = rectify(view, plane, _box_round(view, plane, known_mm, max(size_mm)), _PX_PER_MM)
    covered = rectified.filled(known_mm) > 0
    poses = outlined_places(rectified, covered, size_mm)
    # else it is the edge of a curled sheet, or lies on one
    poses = poses[~mask_at(covered, rectified.to_px(poses[:, :2]))]
    corners = card_corners(*size_mm)
    each = [map_plane(plane, table_from_card(corners, *pose)) for pose in poses.tolist()]
    return np.array(each).reshape(-1, 4, 2)


def _outlined(view: View, plane: Solution, print_: PlanarPrint, poses: FloatArray) -> list[Placed]:
    """Return the sheets at poses (N, 3) whose print is visible there, the clearest first."""
    laid = (_resolve_half_turn(view, plane, print_, pose) for pose in poses)
    each = [placed_sheet(view, plane, print_, pose) for pose in laid if pose is not None]
    best = sorted((e for e in each if e is not None), key=lambda e: -e.score)
    at = np.array([[one.x_mm, one.y_mm] for one in best]).reshape(-1, 2)
    return [best[k] for k in keep_apart(at, _NEAR_MM)]


def _resolve_half_turn(
    view: View, plane: Solution, print_: PlanarPrint, pose: FloatArray
) -> FloatArray | None:
    """Register a print in both directions; None if it is unclear which is right.

    The lead of the better direction is taken relative to that of the art itself.
    """
    height, width = print_.small.shape
    scale = width / print_.size_mm[0]
    box = bounding_box(card_corners(*print_.size_mm), _SLIDE_MM)
    rectified = rectify(view, in_frame_of(plane, pose), box, scale)
    tall = height / print_.size_mm[1] / scale  # blocks are not quite square
    seen = cv2.resize(
        to_gray(rectified.image), None, fx=1.0, fy=tall, interpolation=cv2.INTER_LINEAR
    )
    ways = (print_.small, np.ascontiguousarray(print_.small[::-1, ::-1]))
    similarity = [cv2.minMaxLoc(cv2.matchTemplate(seen, w, cv2.TM_CCOEFF_NORMED)) for w in ways]
    own = float(np.corrcoef(ways[0].ravel(), ways[1].ravel())[0, 1])
    best = int(similarity[1][1] > similarity[0][1])
    lead = (similarity[best][1] - similarity[1 - best][1]) / max(1.0 - own, 1e-6)
    if lead < LEAD:
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

    Those are (N, 3): x mm, y mm, theta rad, with the longer side as the sheet has it; ambiguous by
    half a turn. ``covered`` (H, W) are pixels of known things.
    """
    found: list[FloatArray] = []
    for mask in _masks(to_gray(rectified.image), rectified):
        mask &= ~covered & rectified.inside
        contours, _ = cv2.findContours(
            mask.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE
        )
        least_px = _LONG[0] * max(size_mm) * rectified.px_per_mm
        for contour in contours:
            if len(contour) < 4 or math.hypot(*cv2.boundingRect(contour)[2:]) < least_px:
                continue  # most contours: specks of the cloth
            pose = _pose_of(np.asarray(contour.reshape(-1, 2), np.float64), rectified, size_mm)
            if pose is not None and all(
                np.hypot(*(pose - one)[:2]) > _NEAR_MM or abs(np.sin(pose[2] - one[2])) > _NEAR_RAD
                for one in found
            ):
                found.append(pose)
    return np.array(found).reshape(-1, 3)


def _masks(gray: ImageGray, rectified: Rectified) -> Iterator[BoolArray]:
    """Yield masks of what is lighter than its surroundings by several steps, then darker."""
    off = _off_surroundings(gray, rectified)
    for sign in (1, -1):
        for tones in _TONES:
            yield sign * off > tones


def _off_surroundings(gray: ImageGray, rectified: Rectified) -> NDArray[np.float32]:
    """Return the difference (H, W) of each pixel from its surroundings."""
    side = 2 * round(_ROUND_MM * rectified.px_per_mm / 2) + 1
    return gray.astype(np.float32) - cv2.blur(gray, (side, side)).astype(np.float32)


def _pose_of(
    contour_px: FloatArray, rectified: Rectified, size_mm: tuple[float, float]
) -> FloatArray | None:
    """Return the pose of a contour with the sheet's shape; None for another shape."""
    hull = cv2.convexHull(contour_px.astype(np.float32))
    corners = cv2.boxPoints(cv2.minAreaRect(hull))
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=0), axis=1)[:2] + 1
    long, short = max(sides) / rectified.px_per_mm, min(sides) / rectified.px_per_mm
    is_long = _LONG[0] < long / max(size_mm) < _LONG[1]
    if not (is_long and _SHORT[0] < short / min(size_mm) < _SHORT[1]):
        return None
    if cv2.contourArea(hull) < _FILLED * sides[0] * sides[1]:
        return None
    at = rectified.to_mm(np.asarray(corners, np.float64))
    edges = at - np.roll(at, 1, axis=0)
    along = edges[np.linalg.norm(edges, axis=1).argmax()]
    theta = float(np.arctan2(along[1], along[0])) + (np.pi / 2 if size_mm[0] < size_mm[1] else 0.0)
    return np.array([*at.mean(axis=0), theta])
