"""A still picture of cards and sheets -> what lies there, in one frame; what may be hidden.

A table without a board gives every picture a frame of its own, by what lies on it. What lies in two
pictures alike brings the second into the frame of the first; so a camera that was nudged, too.
"""

from dataclasses import replace
from typing import Any

import cv2
import numpy as np

from vision.errors import TableNotFoundError
from vision.geometry import rotation, wrap_angle
from vision.imaging.photo import Photo
from vision.judging.game import Game
from vision.judging.play import play
from vision.seeing.detector import TableDetector
from vision.seeing.estimation.covariance import block_diagonal
from vision.seeing.reading import read_layout
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, Points
from vision.values.layout import Layout, Placed
from vision.watch.positions import SAME_SHARE, Position

__all__ = ["SpreadReader", "in_frame_of"]

_TURN_RAD = 0.35  # most that two frames are turned: each is as near to the photo's own as can be
_SAME_RAD = 0.03  # of a card that stayed: what two readings are off
_SAME_MM = 6.0  # likewise; less than a hand moves a card by
_STAYED_LEAST = 3  # pieces that stayed: fewer say nothing of the frame
_STAYED_SHARE = 0.35  # of the pieces of the emptier table
_PICTURE_PX = 480  # about, width of the picture in which places are looked at
_VEILED = 0.08  # of a place under something that reaches in: its card may be there
_OPEN = 0.35  # of a place that no other card lies on: less says nothing
_RING = 1.5  # of a card's size: how far round it the cloth is looked at
_CLOTH_TONES = 14.0  # off the cloth's middle: still cloth, by noise and shade
_CLOTH_SPREADS = 3.0  # likewise by the cloth's own pattern, in spreads of it
_CLOTH_LIKE = 0.7  # of a place that is cloth: no card, no hand, no cup lies there


class SpreadReader:
    """Reads cards and sheets that lie on a cloth."""

    def __init__(self, detector: TableDetector, game: Game, options: Any) -> None:
        self._detector, self._game, self._options = detector, game, options

    def read(self, image: ImageBGR, before: Position | None) -> Position:
        """Read a still picture.

        Raises
        ------
        TableNotFoundError
            If no card is in sight.
        """
        layout = read_layout(Photo(image), self._detector)
        fitted = None if before is None else in_frame_of(layout, before.layout)
        layout = fitted or layout
        try:
            scan = play([layout], self._game, self._options, layout.timings_ms)
        except TableNotFoundError:  # sheets are there, and nothing that could be played
            scan = None
        return Position(image, layout, (), scan, before is None or fitted is not None)

    def hidden(self, before: Position, now: Position, veil: BoolArray | None) -> tuple[str, ...]:
        """Return the pieces that are gone from places that do not show the cloth.

        What other cards lie on is left to the game: that a card came there is told.
        ``veil`` (h, w) is what of the small picture something covers that reaches in from its rim.
        """
        left = _left_places(before, now)
        if not left:
            return ()
        height, width = now.image.shape[:2]
        scale = min(1.0, _PICTURE_PX / width)
        size_wh = round(width * scale), round(height * scale)
        small = cv2.resize(now.image, size_wh, interpolation=cv2.INTER_AREA)
        lab = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2LAB), np.uint8)
        pieces = _mask([p.outline_px * scale for p in now.layout.placed], size_wh)
        over = np.zeros(pieces.shape, bool) if veil is None else _fit(veil, size_wh)
        places = [(p.piece, p.outline_px * scale) for p in left]
        return tuple(name for name, at in places if _may_be_there(at, lab, pieces, over))

    def forget(self) -> None:
        """Keep nothing: every picture is read anew."""


def _left_places(before: Position, now: Position) -> list[Placed]:
    """Return the pieces of which nothing like them lies in place any more."""
    there = [(p, p.outline_px.mean(axis=0)) for p in now.layout.placed]
    left = []
    for placed in before.layout.placed:
        if placed.kind not in ("card", "sheet"):
            continue
        middle = placed.outline_px.mean(axis=0)
        near = SAME_SHARE * float(np.sqrt(_area(placed.outline_px)))
        if not any(p.kind == placed.kind and np.hypot(*(at - middle)) < near for p, at in there):
            left.append(placed)
    return left


def _area(outline_px: Points) -> float:
    return float(cv2.contourArea(outline_px.astype(np.float32)))


def _may_be_there(at: Points, lab: ImageBGR, pieces: BoolArray, over: BoolArray) -> bool:
    """Tell whether something that is neither cloth nor card lies on a place."""
    size_wh = (lab.shape[1], lab.shape[0])
    place = _mask([at], size_wh)
    count = int(place.sum())
    if not count or (over & place).sum() > _VEILED * count:
        return True
    middle = at.mean(axis=0)
    ring = _mask([middle + _RING * (at - middle)], size_wh) & ~place & ~pieces & ~over
    bare = place & ~pieces
    if bare.sum() < _OPEN * count or ring.sum() < count / 8:
        return False
    cloth, seen = lab[ring].astype(np.float64), lab[bare].astype(np.float64)
    middle_tone = np.median(cloth, axis=0)
    spread = 1.4826 * np.median(np.abs(cloth - middle_tone), axis=0)
    reach = np.maximum(_CLOTH_TONES, _CLOTH_SPREADS * spread)
    like = (np.abs(seen - middle_tone) <= reach).all(axis=1).mean()
    return bool(like < _CLOTH_LIKE)


def _mask(outlines: list[Points], size_wh: tuple[int, int]) -> BoolArray:
    mask = np.zeros(size_wh[::-1], np.uint8)
    cv2.fillPoly(mask, [np.round(outline).astype(np.int32) for outline in outlines], 1)
    return mask.astype(bool)


def _fit(mask: BoolArray, size_wh: tuple[int, int]) -> BoolArray:
    small = cv2.resize(mask.astype(np.uint8), size_wh, interpolation=cv2.INTER_NEAREST)
    return small.astype(bool)


# --- one frame -----------------------------------------------------------------------------------


def in_frame_of(layout: Layout, former: Layout) -> Layout | None:
    """Return a layout in the frame of an earlier one, by what stayed where it lay.

    None where too little stayed to tell.
    """
    found = _motion_between(layout, former)
    if found is None:
        return None
    turn, shift = found
    turned = rotation(turn)
    block = np.eye(3)
    block[:2, :2] = turned
    placed = tuple(_brought(p, turn, turned, shift, block) for p in layout.placed)
    whole = block_diagonal(*[block] * len(placed))
    own_from_former = np.eye(3)
    own_from_former[:2, :2], own_from_former[:2, 2] = turned.T, -turned.T @ shift
    camera = replace(
        layout.camera, photo_from_table=layout.camera.photo_from_table @ own_from_former
    )
    joint = whole @ layout.joint_covariance @ whole.T
    return replace(layout, placed=placed, joint_covariance=joint, camera=camera)


def _brought(
    placed: Placed, turn: float, turned: FloatArray, shift: FloatArray, block: FloatArray
) -> Placed:
    x, y = turned @ (placed.x_mm, placed.y_mm) + shift
    theta = wrap_angle(placed.theta_rad + turn)
    covariance = block @ placed.covariance @ block.T
    return replace(placed, x_mm=float(x), y_mm=float(y), theta_rad=theta, covariance=covariance)


def _motion_between(layout: Layout, former: Layout) -> tuple[float, FloatArray] | None:
    """Return turn and shift (2,) from a frame to a former one, that most alike things agree on."""
    pairs = [
        ((p.x_mm, p.y_mm, p.theta_rad), (q.x_mm, q.y_mm, q.theta_rad))
        for p in layout.placed
        for q in former.placed
        if p.piece == q.piece and p.kind != "token"
    ]
    if not pairs:
        return None
    here, there = np.array(pairs).transpose(1, 0, 2)
    turns = np.array([wrap_angle(float(t)) for t in there[:, 2] - here[:, 2]])
    best: tuple[int, float, FloatArray] | None = None
    for k in np.flatnonzero(np.abs(turns) < _TURN_RAD):
        alike = np.abs(turns - turns[k]) < _SAME_RAD
        turn = float(np.median(turns[alike]))
        shifts = there[:, :2] - here[:, :2] @ rotation(turn).T
        stays = alike & (np.hypot(*(shifts - shifts[k]).T) < _SAME_MM)
        if best is None or stays.sum() > best[0]:
            best = int(stays.sum()), turn, np.median(shifts[stays], axis=0)
    fewer = min(len(layout.placed), len(former.placed))
    if best is None or best[0] < max(_STAYED_LEAST, _STAYED_SHARE * fewer):
        return None
    return best[1], best[2]
