"""Proposes cards from print beside the known cards.

A white card on a white table has no visible edge, but its print is visible. Print that lies close
together and is no larger than a card is taken for the print of one card, centred on it. Other
stages decide whether a face is read there.
"""

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import card_corners, card_from_table, table_from_photo
from vision.seeing.cards.propose_from_corners import AGREE_RAD
from vision.seeing.detection.search_regions import OWN_SHARE, Crop
from vision.seeing.estimation.model import (
    Solution,
    are_in_front,
    camera_of,
    project_cards,
    with_poses,
)
from vision.values.arrays import BoolArray, FloatArray, ImageBGR

__all__ = ["find_marks", "propose_from_print"]


# What print is one card's; shares of the card's width.
_GAP = 0.18  # between marks of one card: signs stand closer than two cards' print
_LEAST = 0.15  # of the print's longer side: smaller is dirt
_MOST = 1.02  # of the print over the card, along either side


def propose_from_print(
    cuts: Sequence[Crop], plane: Solution, size_mm: tuple[float, float], known: FloatArray
) -> FloatArray:
    """Return pose proposals round print that no known card explains.

    Parameters
    ----------
    cuts : sequence of Crop
        The parts of a photo in which print is sought, cards some ninety pixels wide.
    plane : Solution
        Camera and plane.
    size_mm : (float, float)
        Width and height of a card.
    known : (N, 3) float64
        Poses of the known cards, the surest first: x mm, y mm, theta rad.

    Returns
    -------
    (K, 3) float64
        Poses; the half turn is open.
    """
    width = min(size_mm)
    wide = tuple(side + 2 * OWN_SHARE * width for side in size_mm)
    hidden = project_cards(plane, known, card_corners(*wide))
    corners = [
        cut.to_photo(_box(mark))
        for cut in cuts
        for mark in find_marks(cut.picture, cut.from_photo(hidden))
    ]
    if not corners:
        return np.zeros((0, 3))
    try:
        boxes = table_from_photo(camera_of(plane), np.concatenate(corners)).reshape(-1, 4, 2)
    except DegenerateGeometryError:  # print beyond the horizon: the plane is none to add to
        return np.zeros((0, 3))
    small = np.ptp(boxes, axis=1).max(axis=1) < _MOST * float(np.hypot(*size_mm))
    poses = []
    for group in _group_boxes(boxes[small], _GAP * width):
        poses += _propose_poses(group.reshape(-1, 2), size_mm, known)
    laid = np.array(poses).reshape(-1, 3)
    return np.asarray(laid[are_in_front(with_poses(plane, laid), 1.0)], np.float64)


def _box(mark: FloatArray) -> FloatArray:
    """Return the corners (4, 2) of the smallest rectangle round a mark (P, 2)."""
    return np.asarray(cv2.boxPoints(cv2.minAreaRect(mark.astype(np.float32))), np.float64)


def _group_boxes(boxes: FloatArray, gap_mm: float) -> list[FloatArray]:
    """Group boxes (M, 4, 2) that lie close together, largest group first."""
    low, high = boxes.min(axis=1) - gap_mm / 2, boxes.max(axis=1) + gap_mm / 2
    touch = (low[:, None] < high[None]).all(axis=2)
    groups = [boxes[group] for group in _connected_groups(touch & touch.T)]
    return sorted(groups, key=lambda of: -float(np.ptp(of.reshape(-1, 2), axis=0).prod()))


def _connected_groups(touch: BoolArray) -> Iterator[BoolArray]:
    """Yield the connected groups of a symmetric relation (M, M), each as a mask (M,)."""
    left = np.ones(len(touch), bool)
    while left.any():
        group = np.zeros(len(touch), bool)
        added = np.flatnonzero(left)[:1]
        while len(added):
            group[added] = True
            added = np.flatnonzero(touch[added].any(axis=0) & ~group)
        left &= ~group
        yield group


def _propose_poses(
    points: FloatArray, size_mm: tuple[float, float], known: FloatArray
) -> list[tuple[float, float, float]]:
    """Return poses of a card round print (P, 2): along its box, or along the nearest known card."""
    (x, y), _, degrees = cv2.minAreaRect(points.astype(np.float32))
    turns = [float(np.radians(degrees))]
    if len(known):
        nearest = np.linalg.norm(known[:, :2] - [x, y], axis=1).argmin()
        turns.append(float(known[nearest, 2]))
    ways: list[tuple[float, float, float]] = []
    for turn in (t + quarter for t in turns for quarter in (0.0, np.pi / 2)):
        on_card = card_from_table(points, x, y, turn)
        middle = (on_card.min(axis=0) + on_card.max(axis=0)) / 2
        extent = np.ptp(on_card, axis=0)
        fits = bool((extent < _MOST * np.array(size_mm)).all())
        again = any(abs(np.sin(turn - way[2])) < AGREE_RAD for way in ways)
        if fits and not again and extent.max() > _LEAST * min(size_mm):
            cos, sin = np.cos(turn), np.sin(turn)
            at = [x + cos * middle[0] - sin * middle[1], y + sin * middle[0] + cos * middle[1]]
            ways.append((float(at[0]), float(at[1]), turn))
    return ways


# What is a mark; pixels of a picture in which a card is some ninety wide, unless said.
_MARK_SHRINK = 4  # the ground is sought in a picture so much smaller
_MARK_BLOCK = 21  # pixels of that: a card's width, most of which is paper or cloth
_MARK_LEAST = 14.0  # tones from the ground: less is noise, or shade
_MARK_LEVEL = 0.5  # of the Otsu threshold of such differences
_MARK_LEAST_PX = 4.0  # of the longer side: less is noise
_MARK_MOST_MARKS = 400  # the largest


def find_marks(picture: ImageBGR, hidden: FloatArray) -> list[FloatArray]:
    """Return marks of print beside hidden outlines.

    Parameters
    ----------
    picture : (H, W, 3) uint8
        The photo, reduced.
    hidden : (N, 4, 2) float64
        Quadrilaterals in it in which nothing is sought.

    Returns
    -------
    list of (P, 2) float64
        The outline of each mark; pixels of ``picture``.
    """
    h, w = picture.shape[:2]
    small_wh = max(w // _MARK_SHRINK, 1), max(h // _MARK_SHRINK, 1)
    small = cv2.resize(picture, small_wh, interpolation=cv2.INTER_AREA)
    ground = cv2.resize(cv2.medianBlur(small, _MARK_BLOCK), (w, h), interpolation=cv2.INTER_LINEAR)
    b, g, r = cv2.split(cv2.absdiff(picture, ground))
    far = np.asarray(cv2.max(cv2.max(b, g), r), np.uint8)
    otsu, _ = cv2.threshold(far, 0, 255, cv2.THRESH_BINARY | cv2.THRESH_OTSU)
    mask = (far > max(_MARK_LEAST, _MARK_LEVEL * otsu)).astype(np.uint8)
    for quad in hidden:
        cv2.fillConvexPoly(mask, np.round(quad).astype(np.int32), (0,))
    found, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    extents = np.array([max(cv2.boundingRect(of)[2:]) for of in found], np.float64)
    order = np.argsort(-extents, kind="stable")[:_MARK_MOST_MARKS]
    kept = order[extents[order] > _MARK_LEAST_PX].tolist()
    return [np.asarray(found[k][:, 0], np.float64) for k in kept]
