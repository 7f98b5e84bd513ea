"""Photo and a known plane -> the printed sheets on it, any number of each, and what lies on them.

Where cards give the camera and the plane, a sheet is found by features of its print that keep their
distances on the table: two of them give its place, the rest agree or do not.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.geometry import (
    card_corners,
    card_from_table,
    table_from_card,
    table_from_photo,
)
from vision.imaging.view import View, from_level, to_level
from vision.seeing.estimation.model import Solution, camera_of, with_poses
from vision.seeing.pieces.board_features import match_features
from vision.seeing.pieces.board_prints import BoardPrint, Keypoints, keypoints_at
from vision.seeing.pieces.board_registration import agreement_at
from vision.seeing.pieces.board_scene import BoardScene
from vision.seeing.pieces.rectify import bounding_box, map_plane
from vision.seeing.pieces.rigid_consensus import rigid_consensus
from vision.seeing.pieces.tokens import find_tokens
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, Points
from vision.values.layout import Placed
from vision.values.pieces import Piece

__all__ = ["SheetSettings", "find_sheets", "find_tokens_on", "verified_sheet"]


@dataclass(frozen=True, slots=True)
class SheetSettings:
    """How sheets are sought on a plane that is known."""

    sides_px: tuple[int, ...] = (2600, 5200)  # of the level that is searched; the finer is slow
    features: int = 3000  # beside the cards: cloth has some of its own
    ratios: tuple[float, ...] = (0.8, 0.92)  # of the two best fits of a feature
    apart: float = 0.02  # of the sheet's side: fits nearer to each other are one place
    most_matches: int = 300  # of the features of a print: their pairs grow with the square
    share: float = 0.3  # of the blocks in sight that must agree; half hidden still has that
    blocks: int = 8  # that must agree
    shape_mm: float = 0.3  # paper never lies quite flat
    most: int = 8  # of one sheet, where nobody counts them


def find_sheets(
    view: View,
    plane: Solution,
    prints: Sequence[BoardPrint],
    copies: Sequence[int | None],
    hidden_mm: FloatArray,
    settings: SheetSettings | None = None,
) -> list[Placed]:
    """Find sheets by their prints.

    Parameters
    ----------
    view : View
        The photo.
    plane : Solution
        Camera and plane, in the table frame.
    prints : sequence of BoardPrint
        What to look for.
    copies : sequence of int or None
        How many of each there may be; None for any number.
    hidden_mm : (N, 4, 2) float64
        Outlines of cards, whose print is not looked at.
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
    """Find the tokens that lie on sheets (of sizes, in their order); those elsewhere are none."""
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
    """Find the features of the photo that no card bears; places in table mm."""
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
    """Find the copies of one sheet, the clearest first; then those that are less clear."""
    similarity = match_features(board, seen, s.apart)
    found: list[Placed] = []
    for ratio in s.ratios:
        some = similarity.below(ratio)
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
    """Tell which points (N, 2) of the table lie on sheets of a size."""
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
    """Return a sheet at a pose if the photo shows enough of its print there."""
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
