"""A table that is not seen on a photo -> its strips and the markers on them and on hull cards."""

import math
from collections.abc import Iterator, Mapping

import numpy as np

from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.markers import hull_place, strip_place
from vision.games.conflit_stellaire.pieces import MARKER, SCALE
from vision.games.conflit_stellaire.values import Pose, Table
from vision.geometry import card_corners, table_from_card
from vision.values.arrays import Points
from vision.values.ledger import PieceView
from vision.values.messages import message

__all__ = ["strips_and_markers"]

_RING = np.arange(24) * np.pi / 12  # a marker's edge
_BETWEEN = 0.5  # of the way from the middle to two seats' cards: before both
_AROUND_DEG = 150.0  # two seats so far apart sit opposite each other: the strip lies in the middle
_ROW_MM = 170.0  # from a row's hull card to a strip beside it: half of both, and room


def strips_and_markers(table: Table, poses: Mapping[str, Pose]) -> Iterator[PieceView]:
    """Yield them where nothing was seen on a photo: there they show themselves.

    Parameters
    ----------
    table : Table
        What is drawn.
    poses : mapping
        Where each card and, by its seat, each hull card is drawn.
    """
    seen = [*(card.pose for card in table.cards), *(seat.pose for seat in table.seats)]
    if any(pose is not None and pose.spot for pose in seen):
        return
    for number, one in enumerate(table.distances):
        pose = one.pose or _between(table, one.between, poses, number)
        name, title = "-".join(one.between), message("conflit.strip", seats=" - ".join(one.between))
        corners = card_corners(*deck().scale_mm)
        yield PieceView(
            name, "sheet", title, table_from_card(corners, pose.x_mm, pose.y_mm, pose.theta_rad),
            face=SCALE,
        )  # fmt: skip
        yield _marker(name, strip_place(one.uds), pose)
    for seat in table.seats:
        place = hull_place(seat.hull)
        if seat.id in poses and place is not None:
            yield _marker(seat.id, place, poses[seat.id])


def _marker(of: str, at_mm: tuple[float, float], pose: Pose) -> PieceView:
    """Return a marker at a place of a sheet."""
    ring = deck().marker_mm / 2 * np.stack([np.sin(_RING), -np.cos(_RING)], axis=1) + at_mm
    outline = table_from_card(ring, pose.x_mm, pose.y_mm, pose.theta_rad)
    return PieceView(f"marker-{of}", "token", message("conflit.marker"), outline, face=MARKER)


def _between(table: Table, pair: tuple[str, str], poses: Mapping[str, Pose], number: int) -> Pose:
    """Return where a strip lies between two seats: beside the rows, or before both seats' cards."""
    if not any(card.pose for card in table.cards):
        y = (poses[pair[0]].y_mm + poses[pair[1]].y_mm) / 2
        return Pose(-_ROW_MM - (deck().scale_mm[1] + 10) * number, y, math.pi / 2)
    seats = [seat.id for seat in table.seats]
    places = {seat: _middle(table, seat, poses) for seat in seats}
    centre = np.mean([places[seat] for seat in seats], axis=0)
    ways = [places[seat] - centre for seat in pair]
    bearings = [math.atan2(way[1], way[0]) for way in ways]
    apart = math.remainder(bearings[1] - bearings[0], 2 * math.pi)
    along = bearings[0] + apart / 2
    reach = _BETWEEN * float(np.mean([np.hypot(*way) for way in ways]))
    reach = 0.0 if abs(apart) > math.radians(_AROUND_DEG) else reach
    at = centre + reach * np.array([math.cos(along), math.sin(along)])
    return Pose(float(at[0]), float(at[1]), math.remainder(along - math.pi / 2, 2 * math.pi))


def _middle(table: Table, seat: str, poses: Mapping[str, Pose]) -> Points:
    """Return the middle (2,) of a seat's cards, mm; of its hull card if there is none."""
    own = [poses[card.id] for card in table.cards if card.seat == seat] or [poses[seat]]
    return np.asarray(np.mean([(pose.x_mm, pose.y_mm) for pose in own], axis=0), np.float64)
