"""Detects sheets that differ only by owner, and identifies the owner of each.

All sheets of one size are detected by their common print. Where they differ, a detected sheet is
compared with each of them, in the art's own colours. If nothing of that is visible, or two are
equally similar, the sheet is reported without a name.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_corners, rotation, table_from_card, wrap_angle
from vision.imaging.view import View
from vision.seeing.estimation.model import Solution
from vision.seeing.pieces.board_scene import LEAST_CHANCE, SURE, BoardScene, board_scene_on
from vision.seeing.pieces.counters import PX_PER_MM, find_counters
from vision.seeing.pieces.disc_registration import DIFFERS
from vision.seeing.pieces.photometric_fit import to_art_colours, to_opponent_colours
from vision.seeing.pieces.print_registration import agreement_at, bend_at, in_frame_of
from vision.seeing.pieces.printed_planar import PrintedPlanar
from vision.seeing.pieces.prints import PlanarPrint
from vision.seeing.pieces.rectify import bounding_box, rectify
from vision.seeing.pieces.sheet_search import LEAD, find_sheets, placed_sheet, unread_outlines
from vision.texts import make_issue, where_px
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, IntArray, Points
from vision.values.assignment import solve_assignment
from vision.values.layout import Other, Placed
from vision.values.messages import Issue
from vision.values.pieces import Looks, Piece

__all__ = [
    "SheetContents",
    "SheetTemplate",
    "build_sheet_templates",
    "read_sheets",
    "sheet_scene",
]


# Identification of sheets.
_SOFT_PX = 1.2  # blur of both (1 sd): a sheet is registered to a third of a millimetre
_EVERY_PX = 2  # every second pixel is compared, after a blur of that width
_SIMILARITY = 0.45  # least score of a name; a covered head has 0.2
_PLAIN = 0.8  # score below which the colours are also fitted to other arts
_KINDRED = 0.5  # least correlation of two arts in the same colours; in others they have 0.2 at most
# bounds of two arts' difference in that: light changes colours
_APART: tuple[float, float] = (0.05, 0.4)
_SHARPNESS = 12.0  # slope of the log odds by that lead: 0.4 are one in a hundred


@dataclass(frozen=True, slots=True, eq=False)
class SheetTemplate:
    """Sheets of one size: their common print and their differences.

    ``arts`` (K, H, W, 3) float32 are lightness and two colour differences, blurred, at
    ``PX_PER_MM``; ``differ`` (H, W) marks where any two differ; ``pictures`` are the K original
    arts.
    """

    pieces: tuple[Piece, ...]
    common: PlanarPrint
    pictures: tuple[ImageBGR, ...]
    arts: NDArray[np.float32]
    differ: BoolArray


def build_sheet_templates(looks: Looks) -> tuple[SheetTemplate, ...]:
    """Group the sheets of a set by size and compute the common print of each size."""
    sizes: dict[tuple[float, float], list[Piece]] = {}
    for piece in looks.pieces.of_kind("sheet"):
        sizes.setdefault(piece.size_mm, []).append(piece)
    found = []
    for size, pieces in sizes.items():
        pictures = tuple(looks.art[piece.id] for piece in pieces)
        stack = np.stack(pictures)
        common = np.asarray(np.median(stack, axis=0), np.uint8)
        wh = (round(size[0] * PX_PER_MM), round(size[1] * PX_PER_MM))
        small = [cv2.resize(p, wh, interpolation=cv2.INTER_AREA) for p in pictures]
        arts = np.stack([_soft(to_opponent_colours(one, True)) for one in small])
        differ = np.abs(arts - np.median(arts, axis=0)).max(axis=(0, 3)) > DIFFERS
        name = pieces[0].id
        print_ = PlanarPrint.from_art(name, common, size)
        found.append(SheetTemplate(tuple(pieces), print_, pictures, arts, differ))
    return tuple(found)


def _soft(image: NDArray[np.generic]) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(np.asarray(image, np.float32), (0, 0), _SOFT_PX))


def sheet_scene(view: View, plane: Solution, template: SheetTemplate, placed: Placed) -> BoardScene:
    """Return the scene of a sheet for pieces that lie on it, in its own frame."""
    own = _own_frame(plane, placed)
    k = next((k for k, p in enumerate(template.pieces) if p.id == placed.piece), 0)
    bend = bend_at(view, template.common, own, PX_PER_MM)
    agreed = agreement_at(view, template.common, own, bend)
    return board_scene_on(view, own, template.common.size_mm, template.pictures[k], agreed, bend)


def _own_frame(plane: Solution, placed: Placed) -> Solution:
    return in_frame_of(plane, np.array([placed.x_mm, placed.y_mm, placed.theta_rad]))


def _name(
    view: View, plane: Solution, template: SheetTemplate, placed: Sequence[Placed]
) -> tuple[list[Placed], list[Placed]]:
    """Identify sheets: each name once, by the best joint assignment."""
    if not placed:
        return [], []
    read = [_scores_in_own_light(view, plane, template, one) for one in placed]
    given = solve_assignment(-np.array([similarity for similarity, _ in read])).tolist()
    named, unnamed = [], []
    for row, (one, (similarity, correlation)) in enumerate(zip(placed, read, strict=True)):
        k = int(similarity.argmax())
        # deficit of each, relative to that of its own art
        behind = (similarity[k] - similarity) / np.clip(1 - correlation[k], *_APART)
        others = [j for j in np.argsort(behind) if j != k]
        if given[row] != k or similarity[k] < _SIMILARITY or behind[others[:1]].sum() < LEAD:
            unnamed.append(one)
            continue
        weights = np.exp(-_SHARPNESS * behind)
        weights /= weights.sum()
        told = tuple(
            Other(template.pieces[j].id, float(similarity[j]), float(weights[j]))
            for j in others
            if weights[j] > LEAST_CHANCE
        )
        name = template.pieces[k].id
        named.append(replace(one, piece=name, confidence=float(weights[k]), others=told))
    return named, unnamed


def _scores_in_own_light(
    view: View, plane: Solution, template: SheetTemplate, placed: Placed
) -> tuple[FloatArray, FloatArray]:
    """Return :func:`_template_scores` with colours fitted to the template that fits best.

    With another template, blue where red is printed passes for the light of the photo. So if no
    score is high, the colours are fitted to each art that differs from those tried.
    """
    found = first, correlation = _template_scores(view, plane, template, placed, 0)
    tried = [0]
    for k in np.argsort(-first).tolist():
        if found[0].max() > _PLAIN:
            break
        if correlation[k, tried].max() < _KINDRED:
            tried.append(k)
            again = _template_scores(view, plane, template, placed, k)
            found = max(found, again, key=lambda one: float(one[0].max()))
    return found


def _template_scores(
    view: View, plane: Solution, template: SheetTemplate, placed: Placed, by: int
) -> tuple[FloatArray, FloatArray]:
    """Return scores (K,) of a sheet for each template, where they differ, and theirs (K, K).

    Colours are fitted to the template ``by``.
    """
    scene = sheet_scene(view, plane, template, replace(placed, piece=template.pieces[by].id))
    box = bounding_box(card_corners(*template.common.size_mm))
    rectified = rectify(view, scene.solution, box, PX_PER_MM, bend=scene.bend)
    coloured = scene.coloured
    seen = _soft(
        to_opponent_colours(np.clip(to_art_colours(rectified, scene.photometry), 0, 255), coloured)
    )
    height, width = template.differ.shape
    if seen.shape[:2] != template.differ.shape:
        seen = np.asarray(cv2.resize(seen, (width, height)), np.float32)
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
    arts = template.arts if coloured else template.arts * np.array([1, 0, 0], np.float32)
    grid = np.zeros(template.differ.shape, bool)
    grid[::_EVERY_PX, ::_EVERY_PX] = True
    rows, columns = np.nonzero(template.differ & grid)
    some = arts[:, rows, columns]
    middle = np.median(some, axis=0)
    own = (some - middle).reshape(len(some), -1)
    own /= np.linalg.norm(own, axis=1, keepdims=True) + 1e-6
    return middle, own, rows * template.differ.shape[1] + columns


@dataclass(frozen=True, slots=True, eq=False)
class SheetContents:
    """Sheets and the pieces on them, in one frame, with doubts.

    ``outlines_mm`` are those (4, 2) of all sheets, including those without a name.
    """

    placed: tuple[Placed, ...] = ()
    doubts: tuple[Issue, ...] = ()
    outlines_mm: tuple[Points, ...] = ()


def read_sheets(
    view: View, templates: Sequence[SheetTemplate], looks: Looks, first: PrintedPlanar
) -> SheetContents:
    """Detect and identify the sheets of a photo, and the pieces on each.

    ``first`` is the board beside them or the first of them, which gives plane and frame.
    """
    plane, known = first.solution, card_corners(*first.print.size_mm)[None]
    named: list[Placed] = []
    unnamed: list[Placed] = []
    for template in templates:
        is_first = first.print is template.common
        own = [placed_sheet(view, plane, first.print, np.zeros(3))] if is_first else []
        most = sum(piece.copies or 1 for piece in template.pieces) - len(own)
        own += find_sheets(view, plane, [template.common], [most], known)
        some, others = _name(view, plane, template, [one for one in own if one is not None])
        named += some
        unnamed += others
    placed: list[Placed] = []
    doubts: list[Issue] = [_sheet_issue("sheet_unnamed", one) for one in unnamed]
    on_sheets = [piece for piece in looks.pieces.of_kind("token") if piece.on == "sheet"]
    plain = next((piece.id for piece in on_sheets if piece.copies is None), "")
    faces = [piece for piece in on_sheets if piece.id != plain]
    for number, sheet in enumerate(named, start=1):
        template = next(f for f in templates if sheet.piece in [p.id for p in f.pieces])
        placed.append(replace(sheet, spot=f"sheet-{number}"))
        if sheet.confidence < SURE:
            doubts.append(_sheet_issue("sheet_unsure", sheet))
        if not plain:
            continue
        scene = sheet_scene(view, plane, template, sheet)
        on = find_counters(view, scene, faces, looks.art)
        if on.is_covered:
            doubts.append(_sheet_issue("sheet_covered", sheet))
        placed += [_on_plane(one, sheet, plain, number) for one in on.placed]
    sizes = {
        piece.id: template.common.size_mm for template in templates for piece in template.pieces
    }
    outlines = [
        table_from_card(card_corners(*sizes[one.piece]), one.x_mm, one.y_mm, one.theta_rad)
        for one in (*named, *unnamed)
    ]
    seen = {one.piece for one in named}
    missing = {f.common.size_mm for f in templates if {piece.id for piece in f.pieces} - seen}
    for size in sorted(missing):
        for at in unread_outlines(view, plane, size, np.array([*known, *outlines])):
            where = where_px(*at.mean(axis=0))
            doubts.append(make_issue("sheet_unread", "issue.sheet_unread", (), **where))
    return SheetContents(tuple(placed), tuple(doubts), tuple(outlines))


def _on_plane(one: Placed, sheet: Placed, plain: str, number: int) -> Placed:
    """Transform a piece on a sheet to the frame of the sheet's plane."""
    pose = (sheet.x_mm, sheet.y_mm, sheet.theta_rad)
    x, y = table_from_card(np.array([[one.x_mm, one.y_mm]]), *pose)[0]
    turn = np.eye(3)
    turn[:2, :2] = rotation(sheet.theta_rad)
    return replace(
        one,
        spot=f"sheet-{number}-{one.spot}",
        piece=one.piece or plain,
        x_mm=float(x),
        y_mm=float(y),
        theta_rad=wrap_angle(one.theta_rad + sheet.theta_rad),
        covariance=turn @ one.covariance @ turn.T,
    )


def _sheet_issue(code: str, sheet: Placed) -> Issue:
    """Return the doubt about a sheet, with its place in the photo."""
    where = where_px(*sheet.outline_px.mean(axis=0))
    if code == "sheet_unnamed":
        return make_issue(code, f"issue.{code}", (), **where)
    other = sheet.others[0].piece if sheet.others else ""
    gaps = {"piece": sheet.piece, **({"other": other} if code == "sheet_unsure" else {})}
    return make_issue(code, f"issue.{code}", (sheet.piece,), **gaps, **where)
