"""Corrections of a followed table -> the changes that make its last pictures' table the same.

A change is what a game's ``edit`` takes. Cards are found again by their places in the picture.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from vision.geometry import (
    card_corners,
    photo_from_table,
    table_from_card,
    table_from_photo,
    wrap_angle,
)
from vision.values.arrays import FloatArray
from vision.values.layout import Layout, Placed, spare_unread_id
from vision.watch.battle import Joined
from vision.watch.cards import Known
from vision.watch.ground import Ground, corners_in_picture
from vision.watch.state import Following

__all__ = ["changes_by_hand", "changes_joined", "layout_by_hand", "named_by_hand"]

Json = dict[str, Any]
#: How well a finger places a card on a picture: half a millimetre, a third of a degree.
_HAND = np.diag([0.25, 0.25, math.radians(0.33) ** 2])


def changes_by_hand(
    state: Following,
    cards: Iterable[Known],
    layout: Layout,
    size_mm: tuple[float, float],
    before: Sequence[Json] = (),
    gone: Iterable[Known] = (),
) -> tuple[Json, ...]:
    """Return the changes that a finger's words make to what a layout shows.

    Parameters
    ----------
    state : Following
        What the watch knows; its marks say where no card lies.
    cards : iterable of Known
        Of which a finger said what they are, or that they lie there.
    layout : Layout
        What was read, in pictures of the size that is followed.
    size_mm : (float, float)
        Width and height of a card.
    before : sequence of dict
        Changes that were made already.
    gone : iterable of Known
        Cards of which a finger said that they do not lie there.
    """
    ground = state.ground
    if ground is None:
        return ()
    table = _Table(layout, ground, size_mm, before)
    for mark in state.marks:
        if not mark.is_card:
            table.remove(mark.card.pose)
    for card in gone:
        table.remove(card.pose)
    for card in cards:
        table.name(card.name, card.pose)
    return tuple(table.changes)


def changes_joined(
    ground: Ground, joined: Joined, layout: Layout, size_mm: tuple[float, float]
) -> tuple[Json, ...]:
    """Return the changes that lay the other table of a battle over what a layout shows."""
    table = _Table(layout, ground, size_mm, ())
    for name in sorted(joined.yielding("own") & set(table.names)):
        table.drop(name)
    out = joined.yielding("other")
    for card in joined.others:
        if card.card not in out:
            table.name(card.card, card.pose)
    return tuple(table.changes)


def named_by_hand(layout: Layout, changes: Sequence[Json]) -> tuple[str, ...]:
    """Return what lies on a table after changes."""
    names = [placed.piece for placed in layout.placed]
    for change in changes:
        _rename(names, change)
        if change["kind"] == "add":
            names.append(change["card"])
        if change["kind"] == "remove":
            names.remove(change["id"])
    return tuple(names)


def layout_by_hand(layout: Layout, changes: Sequence[Json], size_mm: tuple[float, float]) -> Layout:
    """Return a layout as fingers corrected it, where no game is at hand to correct its table."""
    for change in changes:
        placed, joint = list(layout.placed), layout.joint_covariance
        match change["kind"]:
            case "identify":
                names = [one.piece for one in placed]
                _rename(names, change)
                placed = [
                    one if name == one.piece else replace(one, piece=name, others=(), may_be=())
                    for one, name in zip(placed, names, strict=True)
                ]
            case "remove":
                at = next(k for k, one in enumerate(placed) if one.piece == change["id"])
                rows = [k for k in range(3 * len(placed)) if k // 3 != at]
                del placed[at]
                joint = joint[np.ix_(rows, rows)]
            case "add":
                placed.append(_added(layout, change, size_mm))
                n = len(joint)
                joint = np.block([[joint, np.zeros((n, 3))], [np.zeros((3, n)), _HAND]])
        layout = replace(layout, placed=tuple(placed), joint_covariance=joint)
    return layout


def _added(layout: Layout, change: Json, size_mm: tuple[float, float]) -> Placed:
    name, x_mm, y_mm = change["card"], change["x_mm"], change["y_mm"]
    theta = math.radians(change["theta_deg"])
    corners = table_from_card(card_corners(*size_mm), x_mm, y_mm, theta)
    shown = photo_from_table(layout.camera, corners)
    return Placed(f"by-hand-{name}", name, x_mm, y_mm, theta, _HAND, shown)


def _rename(names: list[str], change: Json) -> None:
    """Give a piece another name in a list; who has that name gets the first one's."""
    if change["kind"] == "identify":
        swapped = {change["card"]: change["identity"], change["identity"]: change["card"]}
        names[:] = [swapped.get(name, name) for name in names]


class _Table:
    """Names and places in the picture, as changes are made."""

    def __init__(
        self,
        layout: Layout,
        ground: Ground,
        size_mm: tuple[float, float],
        before: Sequence[Json],
    ) -> None:
        self.camera, self.ground, self.size_mm = layout.camera, ground, size_mm
        self.names = [placed.piece for placed in layout.placed]
        places = np.array([[placed.x_mm, placed.y_mm] for placed in layout.placed]).reshape(-1, 2)
        self.shown = list(photo_from_table(layout.camera, places)) if len(places) else []
        self.changes: list[Json] = []
        for change in before:
            self._make(change)
        self.changes.clear()

    def remove(self, pose: FloatArray) -> None:
        """Say that no card lies there, though one seems to."""
        at = self._find(pose)
        if at is not None:
            self.drop(self.names[at])

    def drop(self, name: str) -> None:
        """Say that there is no such card."""
        self._make({"kind": "remove", "id": name})

    def name(self, name: str, pose: FloatArray) -> None:
        """Say that a card lies there, whatever was read."""
        at = self._find(pose)
        if at is not None:
            self._make({"kind": "identify", "card": self.names[at], "identity": name})
            return
        if name in self.names:
            spare = spare_unread_id(self.names)
            self._make({"kind": "identify", "card": name, "identity": spare})
        x_mm, y_mm, theta_deg = self._pose(pose)
        place = {"x_mm": x_mm, "y_mm": y_mm, "theta_deg": theta_deg}
        self._make({"kind": "add", "card": name, **place})

    def _make(self, change: Json) -> None:
        self.changes.append(change)
        _rename(self.names, change)
        if change["kind"] == "add":
            self.names.append(change["card"])
            place = np.array([[change["x_mm"], change["y_mm"]]])
            self.shown.append(photo_from_table(self.camera, place)[0])
        if change["kind"] == "remove":
            at = self.names.index(change["id"])
            del self.names[at], self.shown[at]

    def _corners(self, pose: FloatArray) -> FloatArray:
        corners: FloatArray = corners_in_picture(self.ground, pose[None], self.size_mm)[0]
        return corners

    def _find(self, pose: FloatArray) -> int | None:
        """Return which of the pieces lies where a card does; None if none does."""
        corners = self._corners(pose)
        half = min(np.linalg.norm(corners[k] - corners[k - 1]) for k in range(4)) / 2
        off = [float(np.linalg.norm(place - corners.mean(axis=0))) for place in self.shown]
        nearest = int(np.argmin(off)) if off else -1
        return nearest if off and off[nearest] < half else None

    def _pose(self, pose: FloatArray) -> tuple[float, float, float]:
        """Return where a card lies on the table that was read: mm and degrees."""
        corners = table_from_photo(self.camera, self._corners(pose))
        x_mm, y_mm = corners.mean(axis=0)
        right = corners[1] - corners[0]
        theta = wrap_angle(float(np.arctan2(right[1], right[0])))
        return round(float(x_mm), 3), round(float(y_mm), 3), round(math.degrees(theta), 3)
