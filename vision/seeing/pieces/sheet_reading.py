"""Photo -> the sheets in it and what lies on them, with a board or without."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.geometry import card_corners, rotation, table_from_card, wrap_angle
from vision.seeing.estimation.model import Solution
from vision.seeing.pieces.board_registration import CalibratedView
from vision.seeing.pieces.counters import find_counters
from vision.seeing.pieces.sheet_templates import SheetTemplate, find_sheet_copies, sheet_scene
from vision.texts import make_issue, where_px
from vision.values.arrays import FloatArray, Points
from vision.values.layout import Placed
from vision.values.messages import Issue
from vision.values.pieces import Looks

__all__ = ["SheetContents", "read_sheets"]


@dataclass(frozen=True, slots=True, eq=False)
class SheetContents:
    """Sheets and what lies on them, in one frame; what is doubtful; camera and plane.

    ``outlines_mm`` are those (4, 2) of all sheets, those without a name among them.
    """

    placed: tuple[Placed, ...] = ()
    doubts: tuple[Issue, ...] = ()
    plane: Solution | None = None
    outlines_mm: tuple[Points, ...] = ()


def read_sheets(
    shot: CalibratedView,
    templates: Sequence[SheetTemplate],
    looks: Looks,
    plane: Solution | None,
    hidden_mm: FloatArray,
) -> SheetContents:
    """Find the sheets of a photo, and what lies on each.

    Parameters
    ----------
    shot : CalibratedView
        The photo.
    templates : sequence of SheetTemplate
        The sheets that a game has.
    looks : Looks
        What its pieces look like.
    plane : Solution, optional
        Camera and plane, in the table frame; None: the first sheet gives them.
    hidden_mm : (N, 4, 2) float64
        Outlines on the plane within which no sheet is looked for.
    """
    found = find_sheet_copies(shot, templates, plane, hidden_mm)
    if found.plane is None:
        return SheetContents()
    placed: list[Placed] = []
    doubts: list[Issue] = [_sheet_issue("sheet_unnamed", one) for one in found.unnamed]
    on_sheets = [piece for piece in looks.pieces.of_kind("token") if piece.on == "sheet"]
    plain = next((piece.id for piece in on_sheets if piece.copies is None), "")
    faces = [piece for piece in on_sheets if piece.id != plain]
    for number, sheet in enumerate(found.named, start=1):
        template = next(f for f in templates if sheet.piece in [p.id for p in f.pieces])
        placed.append(replace(sheet, spot=f"sheet-{number}"))
        if sheet.confidence < 0.99:
            doubts.append(_sheet_issue("sheet_unsure", sheet))
        if not plain:
            continue
        scene = sheet_scene(shot.view, found.plane, template, sheet)
        on = find_counters(shot.view, scene, looks.art[sheet.piece], faces, looks.art)
        if on.is_covered:
            doubts.append(_sheet_issue("sheet_covered", sheet))
        placed += [_on_plane(one, sheet, plain, number) for one in on.placed]
    sizes = {
        piece.id: template.common.size_mm for template in templates for piece in template.pieces
    }
    outlines = [
        table_from_card(card_corners(*sizes[one.piece]), one.x_mm, one.y_mm, one.theta_rad)
        for one in (*found.named, *found.unnamed)
    ]
    return SheetContents(tuple(placed), tuple(doubts), found.plane, tuple(outlines))


def _on_plane(one: Placed, sheet: Placed, plain: str, number: int) -> Placed:
    """Return what lies on a sheet in the frame of its plane."""
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
    """Tell what is not sure of a sheet, and where it lies in the photo."""
    where = where_px(*sheet.outline_px.mean(axis=0))
    if code == "sheet_unnamed":
        return make_issue(code, f"issue.{code}", (), **where)
    other = sheet.others[0].piece if sheet.others else ""
    gaps = {"piece": sheet.piece, **({"other": other} if code == "sheet_unsure" else {})}
    return make_issue(code, f"issue.{code}", (sheet.piece,), **gaps, **where)
