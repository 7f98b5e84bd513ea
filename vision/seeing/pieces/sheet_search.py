"""Detects printed sheets on a known plane, any number of each, names them, and reads their tokens.

On a known plane all distances are known. A sheet is proposed by its edges, or by features of its
print: two matches give its pose, and the others confirm or reject it. Its print must then be
visible there.

Sheets that differ only by owner are detected by their common print. Where they differ, a detected
sheet is compared with each of them, in the art's own colours. If nothing of that is visible, or two
are equally similar, the sheet is reported without a name.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_corners, card_from_table, rotation, table_from_card, wrap_angle
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
from vision.seeing.pieces.board_scene import (
    SURE,
    BoardScene,
    Found,
    board_scene_on,
    doubt_about,
    keep_apart,
    others_of,
    placed_at,
    softmax,
)
from vision.seeing.pieces.counters import find_counters
from vision.seeing.pieces.disc_matching import DIFFERS
from vision.seeing.pieces.discs import find_discs
from vision.seeing.pieces.print_comparison import to_opponent_colours
from vision.seeing.pieces.print_registration import (
    SHEET_PX_PER_MM,
    in_frame_of,
    place_print,
    uneven,
)
from vision.seeing.pieces.printed_planar import MATCH_RATIOS, PrintedPlanar
from vision.seeing.pieces.prints import (
    Keypoints,
    PlanarPrint,
    detect_keypoints,
    features_in,
    match_features,
    rigid_consensus,
)
from vision.texts import make_issue, where_px
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, ImageGray, IntArray, Points
from vision.values.assignment import solve_assignment
from vision.values.layout import Placed
from vision.values.pieces import Looks, Piece

__all__ = [
    "SheetTemplate",
    "build_sheet_templates",
    "find_sheets",
    "find_tokens_on",
    "outlined_places",
    "read_sheets",
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
_LEAD = 0.3  # least lead of one direction over its half turn, relative to the art's own


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
            one = _placed_sheet(view, plane, print_, pose)
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


def _placed_sheet(
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


def _unread_outlines(
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
    each = [_placed_sheet(view, plane, print_, pose) for pose in laid if pose is not None]
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
    if lead < _LEAD:
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


# Identification of sheets.
_SOFT_PX = 1.2  # blur of both (1 sd): a sheet is registered to a third of a millimetre
_EVERY_PX = 2  # every second pixel is compared, after a blur of that width
_SIMILARITY = 0.45  # least score of a name; a covered head has 0.2
# bounds of two arts' difference in that: light changes colours
_APART: tuple[float, float] = (0.05, 0.4)
_COMMON = " common"  # name of a common print, behind that of the first sheet
_SHARPNESS = 12.0  # slope of the log odds by that lead: 0.4 are one in a hundred


@dataclass(frozen=True, slots=True, eq=False)
class SheetTemplate:
    """Sheets of one size: their common print, and the K original arts."""

    pieces: tuple[Piece, ...]
    common: PlanarPrint
    pictures: tuple[ImageBGR, ...]

    @property
    def prepared(self) -> dict[str, NDArray[Any]]:
        """What takes time to compute of the arts, by name."""
        return {self.common.piece + _COMMON: self.common.art, **self.common.prepared}


def build_sheet_templates(looks: Looks) -> tuple[SheetTemplate, ...]:
    """Group the sheets of a set by size and compute the common print of each size."""
    sizes: dict[tuple[float, float], list[Piece]] = {}
    for piece in looks.pieces.of_kind("sheet"):
        sizes.setdefault(piece.size_mm, []).append(piece)
    known, found = features_in(looks.prepared), []
    for size, pieces in sizes.items():
        pictures = tuple(looks.art[piece.id] for piece in pieces)
        name = pieces[0].id
        common = looks.prepared.get(name + _COMMON)
        if common is None:
            common = np.asarray(np.median(np.stack(pictures), axis=0), np.uint8)
        if (common.shape, common.dtype) != (pictures[0].shape, pictures[0].dtype):
            msg = f"expected a picture {pictures[0].shape}, got {common.shape} {common.dtype}"
            raise ValueError(msg)
        print_ = PlanarPrint.from_art(name, common, size, known=known)
        found.append(SheetTemplate(tuple(pieces), print_, pictures))
    return tuple(found)


def _soft(image: NDArray[np.generic]) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(np.asarray(image, np.float32), (0, 0), _SOFT_PX))


def _sheet_scene(
    view: View, plane: Solution, template: SheetTemplate, placed: Placed, looks: Looks
) -> BoardScene:
    """Return the scene of a sheet for pieces that lie on it, in its own frame.

    The light is that of its name, or of the first template: all are much the same print.
    """
    own = in_frame_of(plane, np.array([placed.x_mm, placed.y_mm, placed.theta_rad]))
    k = next((k for k, p in enumerate(template.pieces) if p.id == placed.piece), 0)
    return board_scene_on(view, own, template.common, template.pictures[k], looks)


def _name(
    view: View, plane: Solution, template: SheetTemplate, placed: Sequence[Placed], looks: Looks
) -> tuple[list[Placed], list[Placed]]:
    """Identify sheets: each name once, by the best joint assignment."""
    if not placed:
        return [], []
    read = [
        _template_scores(_sheet_scene(view, plane, template, one, looks), template)
        for one in placed
    ]
    given = solve_assignment(-np.array([similarity for similarity, _ in read])).tolist()
    named, unnamed = [], []
    for row, (one, (similarity, correlation)) in enumerate(zip(placed, read, strict=True)):
        k = int(similarity.argmax())
        # deficit of each, relative to that of its own art
        behind = (similarity[k] - similarity) / np.clip(1 - correlation[k], *_APART)
        lead = np.sort(behind)[1] if len(behind) > 1 else 0.0
        if given[row] != k or similarity[k] < _SIMILARITY or lead < _LEAD:
            unnamed.append(one)
            continue
        names, weights = [piece.id for piece in template.pieces], softmax(-_SHARPNESS * behind)
        told = others_of(names, similarity, weights, but=[k])
        named.append(replace(one, piece=names[k], confidence=float(weights[k]), others=told))
    return named, unnamed


def _template_scores(scene: BoardScene, template: SheetTemplate) -> tuple[FloatArray, FloatArray]:
    """Return scores (K,) of a sheet for each template, where they differ, and theirs (K, K)."""
    box = bounding_box(card_corners(*template.common.size_mm))
    image, coloured = scene.in_art_colours(box, SHEET_PX_PER_MM)[1], scene.coloured
    seen = _soft(to_opponent_colours(np.clip(image, 0, 255), coloured))
    if seen.shape[1::-1] != (size := _size_px(template)):
        seen = np.asarray(cv2.resize(seen, size), np.float32)
    middle, own, at = _differences(template, coloured)
    off = (seen.reshape(-1, 3)[at] - middle).ravel()
    scores = own @ off / (np.linalg.norm(off) + 1e-6)
    return np.asarray(scores, np.float64), np.asarray(own @ own.T, np.float64)


@lru_cache(maxsize=8)
def _differences(
    template: SheetTemplate, coloured: bool
) -> tuple[NDArray[np.float32], NDArray[np.float32], IntArray]:
    """Return what identifies sheets, at M pixels where they differ.

    These are their median (M, 3), the arts' differences from it, of unit length (K, 3 M), and the
    pixels' indices (M,).
    """
    size = _size_px(template)
    small = (cv2.resize(p, size, interpolation=cv2.INTER_AREA) for p in template.pictures)
    soft = (_soft(to_opponent_colours(one, True)) for one in small)
    arts = np.stack([one[::_EVERY_PX, ::_EVERY_PX] for one in soft])
    differ = np.abs(arts - np.median(arts, axis=0)).max(axis=(0, 3)) > DIFFERS
    some = arts[:, differ] * np.array([1, coloured, coloured], np.float32)
    middle = np.median(some, axis=0)
    own = (some - middle).reshape(len(some), -1)
    own /= np.linalg.norm(own, axis=1, keepdims=True) + 1e-6
    rows, columns = _EVERY_PX * np.array(np.nonzero(differ))
    return middle, own, rows * size[0] + columns


def _size_px(template: SheetTemplate) -> tuple[int, int]:
    width, height = template.common.size_mm
    return round(width * SHEET_PX_PER_MM), round(height * SHEET_PX_PER_MM)


def read_sheets(
    view: View, templates: Sequence[SheetTemplate], looks: Looks, first: PrintedPlanar
) -> list[Found]:
    """Detect and identify the sheets of a photo, and the pieces on each.

    ``first`` is the board beside them or the first of them, which gives plane and frame. A sheet
    that was not identified, or not read at all, has no name.
    """
    plane, known = first.solution, card_corners(*first.print.size_mm)[None]
    found: list[Found] = []
    named: list[tuple[SheetTemplate, Placed]] = []
    for template in templates:
        is_first = first.print is template.common
        own = [_placed_sheet(view, plane, first.print, np.zeros(3))] if is_first else []
        most = sum(piece.copies or 1 for piece in template.pieces) - len(own)
        own += find_sheets(view, plane, [template.common], [most], known)
        sheets = [one for one in own if one is not None]
        some, others = _name(view, plane, template, sheets, looks)
        named += [(template, one) for one in some]
        size = template.common.size_mm
        found += [
            _unnamed("sheet_unnamed", _outline_mm(one, size), one.outline_px) for one in others
        ]
    for number, (template, sheet) in enumerate(named, start=1):
        found += _read_sheet(view, plane, template, sheet, looks, number)
    outlines = [one.hull_mm for one in found if len(one.hull_mm)]
    seen = {one.piece for _, one in named}
    missing = {f.common.size_mm for f in templates if {piece.id for piece in f.pieces} - seen}
    for size in sorted(missing):
        unread = _unread_outlines(view, plane, size, np.array([*known, *outlines]))
        found += [_unnamed("sheet_unread", np.zeros((0, 2)), at) for at in unread]
    return found


def _read_sheet(
    view: View, plane: Solution, template: SheetTemplate, sheet: Placed, looks: Looks, number: int
) -> Iterator[Found]:
    """Yield an identified sheet, and the pieces on it, which cover nothing beside it."""
    doubts = []
    if sheet.confidence < SURE:
        other = sheet.others[0].piece if sheet.others else ""
        doubts.append(doubt_about(sheet, "sheet_unsure", other=other))
    placed = replace(sheet, spot=f"sheet-{number}")
    on: list[Placed] = []
    if any(piece.on == "sheet" for piece in looks.pieces.of_kind("token")):
        on, is_covered = find_counters(_sheet_scene(view, plane, template, sheet, looks))
        doubts += [doubt_about(sheet, "sheet_covered")] * is_covered
    yield Found(placed, _outline_mm(sheet, template.common.size_mm), tuple(doubts))
    for one in on:
        yield Found(_on_plane(one, sheet, number), np.zeros((0, 2)))


def _unnamed(code: str, hull_mm: Points, outline_px: Points) -> Found:
    """Return a sheet without a name, and the doubt about it with its place in the photo."""
    doubt = make_issue(code, f"issue.{code}", (), **where_px(*outline_px.mean(axis=0)))
    none = placed_at("", "sheet", np.zeros(3), np.zeros((3, 3)), outline_px)
    return Found(none, hull_mm, (doubt,))


def _on_plane(one: Placed, sheet: Placed, number: int) -> Placed:
    """Transform a piece on a sheet to the frame of the sheet's plane."""
    pose = (sheet.x_mm, sheet.y_mm, sheet.theta_rad)
    x, y = table_from_card(np.array([[one.x_mm, one.y_mm]]), *pose)[0]
    turn = np.eye(3)
    turn[:2, :2] = rotation(sheet.theta_rad)
    return replace(
        one,
        spot=f"sheet-{number}-{one.spot}",
        x_mm=float(x),
        y_mm=float(y),
        theta_rad=wrap_angle(one.theta_rad + sheet.theta_rad),
        covariance=turn @ one.covariance @ turn.T,
    )
