"""A table -> where everything is drawn: as it was seen, or in rows where nobody looked."""

from collections.abc import Mapping

import numpy as np

from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.values import Pose, Table
from vision.geometry import card_corners, table_from_card
from vision.values.arrays import Points

__all__ = ["outlines_of", "poses_of"]

_PITCH_MM = (96.0, 102.0)  # of cards laid out in rows: their size and room between
_PER_ROW = 10
_BETWEEN_MM = 60.0  # the seats' rows
_ON_MM = 18.0  # how far a card on another is shifted
_BEHIND_MM = 110.0  # a hull card from the middle of the cards that were seen


def outlines_of(table: Table) -> Mapping[str, Points]:
    """Return the edge of each card and, by its seat, of each hull card: (4, 2), table frame, mm."""
    corners = card_corners(*deck().card_mm)
    return {
        name: table_from_card(corners, pose.x_mm, pose.y_mm, pose.theta_rad)
        for name, pose in poses_of(table).items()
    }


def poses_of(table: Table) -> Mapping[str, Pose]:
    """Return where each card and, by its seat, each hull card is drawn."""
    poses = _seen(table) if any(card.pose for card in table.cards) else {}
    return {**_rows(table), **poses}


def _seen(table: Table) -> dict[str, Pose]:
    """Return the poses seen, hull cards behind their seat's cards."""
    poses = {card.id: card.pose for card in table.cards if card.pose is not None}
    middle = np.mean([(pose.x_mm, pose.y_mm) for pose in poses.values()], axis=0)
    for seat in table.seats:
        own = [poses[card.id] for card in table.cards if card.seat == seat.id and card.pose]
        if seat.pose is not None or not own:
            poses |= {seat.id: seat.pose} if seat.pose is not None else {}
            continue
        at = np.mean([(pose.x_mm, pose.y_mm) for pose in own], axis=0)
        away = at - middle
        behind = at + away / max(float(np.hypot(*away)), 1.0) * _BEHIND_MM
        poses[seat.id] = Pose(float(behind[0]), float(behind[1]), 0.0)
    return poses


def _rows(table: Table) -> dict[str, Pose]:
    """Lay everything out in rows: a seat's hull card, then its cards; A at the bottom."""
    poses: dict[str, Pose] = {}
    y = 0.0
    for seat in sorted(table.seats, key=lambda seat: seat.id):
        poses[seat.id] = Pose(0.0, y, 0.0)
        own = [card for card in table.cards if card.seat == seat.id]
        free = [card for card in own if card.on is None]
        for index, card in enumerate(free):
            row, column = divmod(index, _PER_ROW)
            at = (column + 1.5) * _PITCH_MM[0], y - row * _PITCH_MM[1]
            turn = np.pi / 2 if card.engaged else 0.0
            poses[card.id] = Pose(at[0], at[1], turn)
        for shift, card in enumerate((card for card in own if card.on is not None), start=1):
            under = poses.get(card.on or "", poses[seat.id])
            at = under.x_mm + _ON_MM, under.y_mm + _ON_MM + shift
            poses[card.id] = Pose(at[0], at[1], under.theta_rad)
        y -= (max(len(free) - 1, 0) // _PER_ROW + 1) * _PITCH_MM[1] + _BETWEEN_MM
    return poses
