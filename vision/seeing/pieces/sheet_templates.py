"""Detects sheets that differ only by owner, and identifies the owner of each.

All sheets of one size are detected by their common print. Where they differ, a detected sheet is
compared with each of them, in the art's own colours. If nothing of that is visible, or two are
equally similar, the sheet is reported without a name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_corners, rotation, table_from_card, wrap_angle
from vision.imaging.view import View
from vision.seeing.estimation.model import Solution
from vision.seeing.estimation.rectify import bounding_box
from vision.seeing.pieces.board_scene import (
    SURE,
    BoardScene,
    Found,
    board_scene_on,
    doubt_about,
    others_of,
    softmax,
)
from vision.seeing.pieces.counters import find_counters
from vision.seeing.pieces.disc_registration import DIFFERS
from vision.seeing.pieces.photometric_fit import to_opponent_colours
from vision.seeing.pieces.print_registration import SHEET_PX_PER_MM as PX_PER_MM
from vision.seeing.pieces.print_registration import in_frame_of
from vision.seeing.pieces.printed_planar import PrintedPlanar
from vision.seeing.pieces.prints import PlanarPrint, features_in
from vision.seeing.pieces.sheet_search import LEAD, find_sheets, placed_sheet, unread_outlines
from vision.texts import make_issue, where_px
from vision.values.arrays import FloatArray, ImageBGR, IntArray, Points
from vision.values.assignment import solve_assignment
from vision.values.layout import Placed
from vision.values.messages import Issue
from vision.values.pieces import Looks, Piece

__all__ = [
    "SheetTemplate",
    "build_sheet_templates",
    "read_sheets",
]


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
        if given[row] != k or similarity[k] < _SIMILARITY or lead < LEAD:
            unnamed.append(one)
            continue
        names, weights = [piece.id for piece in template.pieces], softmax(-_SHARPNESS * behind)
        told = others_of(names, similarity, weights, but=[k])
        named.append(replace(one, piece=names[k], confidence=float(weights[k]), others=told))
    return named, unnamed


def _template_scores(scene: BoardScene, template: SheetTemplate) -> tuple[FloatArray, FloatArray]:
    """Return scores (K,) of a sheet for each template, where they differ, and theirs (K, K)."""
    box = bounding_box(card_corners(*template.common.size_mm))
    image, coloured = scene.in_art_colours(box, PX_PER_MM)[1], scene.coloured
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
    return round(width * PX_PER_MM), round(height * PX_PER_MM)


def read_sheets(
    view: View, templates: Sequence[SheetTemplate], looks: Looks, first: PrintedPlanar
) -> tuple[list[Found], list[Issue]]:
    """Detect and identify the sheets of a photo, and the pieces on each.

    ``first`` is the board beside them or the first of them, which gives plane and frame. A sheet
    that was not identified has no name. The issues are of sheets that were not read at all.
    """
    plane, known = first.solution, card_corners(*first.print.size_mm)[None]
    found: list[Found] = []
    named: list[tuple[SheetTemplate, Placed]] = []
    for template in templates:
        is_first = first.print is template.common
        own = [placed_sheet(view, plane, first.print, np.zeros(3))] if is_first else []
        most = sum(piece.copies or 1 for piece in template.pieces) - len(own)
        own += find_sheets(view, plane, [template.common], [most], known)
        sheets = [one for one in own if one is not None]
        some, others = _name(view, plane, template, sheets, looks)
        named += [(template, one) for one in some]
        found += [
            Found(replace(one, piece=""), _outline(template, one), (_unnamed(one),))
            for one in others
        ]
    for number, (template, sheet) in enumerate(named, start=1):
        found += _read_sheet(view, plane, template, sheet, looks, number)
    outlines = [one.hull_mm for one in found if len(one.hull_mm)]
    seen = {one.piece for _, one in named}
    missing = {f.common.size_mm for f in templates if {piece.id for piece in f.pieces} - seen}
    return found, [
        make_issue("sheet_unread", "issue.sheet_unread", (), **where_px(*at.mean(axis=0)))
        for size in sorted(missing)
        for at in unread_outlines(view, plane, size, np.array([*known, *outlines]))
    ]


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
    yield Found(placed, _outline(template, sheet), tuple(doubts))
    for one in on:
        yield Found(_on_plane(one, sheet, number), np.zeros((0, 2)))


def _outline(template: SheetTemplate, sheet: Placed) -> Points:
    corners = card_corners(*template.common.size_mm)
    return table_from_card(corners, sheet.x_mm, sheet.y_mm, sheet.theta_rad)


def _unnamed(sheet: Placed) -> Issue:
    """Return the doubt about a sheet without a name, with its place in the photo."""
    where = where_px(*sheet.outline_px.mean(axis=0))
    return make_issue("sheet_unnamed", "issue.sheet_unnamed", (), **where)


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
