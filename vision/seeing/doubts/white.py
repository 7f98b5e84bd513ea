"""White things among the cards that were not read -> where light may leave nothing of a card.

A card that mirrors a lamp or a window into the camera can be all white: no border, print or frame
is left to find it by. What is left is a sharp white spot as large as a card on a cloth that is not
white. It is found by its brightness alone, so on patterned cloth too, of whose own colour nothing
can be said. A lamp's glow on the bare table has soft edges, and a sheet of paper is larger.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import card_corners, table_from_photo
from vision.imaging.masks import grown
from vision.imaging.view import View, from_level, to_level
from vision.seeing.solve.model import Solution, camera_of, show
from vision.seeing.solve.overlaps import card_outlines
from vision.texts import make_issue, where_px
from vision.values.arrays import FloatArray, ImageGray, IntArray, Points
from vision.values.messages import Issue

__all__ = ["WhiteSettings", "find_white"]

_LEAST_PX = 8  # round a white piece: less is a lamp's speck


@dataclass(frozen=True, slots=True)
class WhiteSettings:
    """What is white, sharp and as large as a card; tones 0..255."""

    coarser: int = 1  # levels beyond the one that is told: a card of 30 pixels has 7 there
    top: float = 99.5  # percentile of tones among the cards: as bright as it gets there
    samples: int = 20_000  # of those: more say the same
    least_top: float = 215.0  # of that: below it nothing is clipped, and paper just white
    near_top: float = 0.88  # of it, from where on a tone is white
    white_cloth: float = 0.25  # share of the bare table that is white: the cloth is
    card_edge_mm: float = 4.0  # round a known card: its own border
    cards: tuple[float, float] = (0.4, 2.0)  # of a card's area: half of one, or two that overlap
    broad_mm: float = 40.0  # least breadth: of a card of which a part is white
    fill: float = 0.6  # of the box round it: two overlapping cards fill 0.73
    away_mm: float = 150.0  # of its middle beyond the outermost cards: 124 was met
    gap_px: int = 2  # round it, blurred
    ring_px: int = 2  # round that: the table beside it
    table: float = 0.72  # of the white, at most, the table beside it: glow is 0.8
    told: float = 1.25  # of a card's area that each doubt about a place in it explains


def find_white(
    view: View,
    level: int,
    solution: Solution,
    size_mm: tuple[float, float],
    told: Sequence[Issue] = (),
    settings: WhiteSettings | None = None,
) -> tuple[Issue, ...]:
    """Tell of white things that may be cards in glare.

    Parameters
    ----------
    view : View
        The photo.
    level : int
        That shows a table without its detail.
    solution : Solution
        Camera, plane and the poses of all cards.
    size_mm : (float, float)
        Width and height of a card.
    told : sequence of Issue
        Doubts so far: what stands at a place needs no second word.

    Returns
    -------
    tuple of Issue
        One doubt for each thing, with its place in the photo.
    """
    s = settings or WhiteSettings()
    coarse = min(level + s.coarser, len(view) - 1)
    gray = view.gray(coarse)
    cards, white = _masks(gray, coarse, solution, size_mm, s)
    outer = card_outlines(solution.poses, size_mm).reshape(-1, 2).astype(np.float32)
    hull = np.asarray(cv2.convexHull(outer), np.float64)
    places = _places(told, solution)
    found = []
    for spot in _spots(white):
        outline = _on_table(spot, solution, coarse)
        if (
            outline is not None
            and _is_as_card(outline, hull, size_mm, s)
            and not _is_told(outline, places, size_mm, s)
            and _is_sharp(spot, gray, cards, s)
        ):
            where = where_px(*from_level(spot.mean(axis=0), coarse))
            found.append(make_issue("glare_table", "issue.glare_table", **where))
    return tuple(found)


def _masks(
    gray: ImageGray, level: int, solution: Solution, size_mm: tuple[float, float], s: WhiteSettings
) -> tuple[ImageGray, ImageGray]:
    """Return masks (H, W) of 0 and 255: of the known cards, and of what else is white, if any is.

    On white cloth, and where nothing is as bright as clipped light, nothing is.
    """
    wide = card_corners(*(side + 2 * s.card_edge_mm for side in size_mm))
    outlines = np.round(to_level(show(solution, solution.poses, wide), level)).astype(np.int32)
    cards, played = np.zeros_like(gray), np.zeros_like(gray)
    for outline in outlines:
        cv2.fillConvexPoly(cards, outline, 255)
    cv2.fillConvexPoly(played, cv2.convexHull(outlines.reshape(-1, 1, 2)), 255)
    among = gray[played > 0]
    top = float(np.percentile(among[:: 1 + len(among) // s.samples], s.top)) if len(among) else 0.0
    if top < s.least_top:
        return cards, np.zeros_like(gray)
    is_white = (gray >= s.near_top * top) & (cards == 0)
    bare = (played > 0) & (cards == 0)
    if is_white[bare].sum() > s.white_cloth * bare.sum():
        return cards, np.zeros_like(gray)
    white = is_white.astype(np.uint8) * 255
    opened = cv2.morphologyEx(white, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    return cards, np.asarray(opened, np.uint8)


def _spots(white: ImageGray) -> Iterator[IntArray]:
    """Return the outlines (P, 2) of white pieces that do not end at the picture's border."""
    last = np.array(white.shape[::-1]) - 1
    for outline in cv2.findContours(white, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)[0]:
        spot = outline.reshape(-1, 2)
        is_inside = (spot.min(axis=0) > 0).all() and (spot.max(axis=0) < last).all()
        if len(spot) >= _LEAST_PX and is_inside:
            yield np.asarray(spot, np.int64)


def _on_table(spot: IntArray, solution: Solution, level: int) -> Points | None:
    """Return a spot's outline (P, 2) on the table, mm; None where that lies at the horizon."""
    try:
        return table_from_photo(camera_of(solution), from_level(spot.astype(np.float64), level))
    except DegenerateGeometryError:
        return None


def _is_as_card(
    outline_mm: Points, hull_mm: FloatArray, size_mm: tuple[float, float], s: WhiteSettings
) -> bool:
    """Tell whether an outline may be of a card's part, a card, or two, near the others."""
    outline = outline_mm.astype(np.float32)
    area, card = cv2.contourArea(outline), size_mm[0] * size_mm[1]
    _, sides, _ = cv2.minAreaRect(outline)
    if not s.cards[0] * card < area < s.cards[1] * card or min(sides) < s.broad_mm:
        return False
    x, y = outline.mean(axis=0).tolist()
    near = cv2.pointPolygonTest(hull_mm.astype(np.float32), (x, y), measureDist=True) > -s.away_mm
    return bool(near and area > s.fill * sides[0] * sides[1])


def _places(told: Sequence[Issue], solution: Solution) -> list[tuple[str, float, float]]:
    """Return code and place on the table of each doubt that stands at one."""
    there = [i for i in told if i.severity == "doubt" and i.at_px is not None]
    at_px = np.array([i.at_px for i in there], float).reshape(-1, 2)
    at = table_from_photo(camera_of(solution), at_px).tolist()
    return [(issue.code, x, y) for issue, (x, y) in zip(there, at, strict=True)]


def _is_told(
    outline_mm: Points,
    places: Sequence[tuple[str, float, float]],
    size_mm: tuple[float, float],
    s: WhiteSettings,
) -> bool:
    """Tell whether doubts at a spot are as many as cards may lie there."""
    outline = outline_mm.astype(np.float32)
    reach = min(size_mm) / 2
    near = [
        code
        for code, x, y in places
        if cv2.pointPolygonTest(outline, (x, y), measureDist=True) > -reach
    ]
    cards = cv2.contourArea(outline) / (size_mm[0] * size_mm[1])
    return "table_covered" in near or cards < s.told * len(near)


def _is_sharp(spot: IntArray, gray: ImageGray, cards: ImageGray, s: WhiteSettings) -> bool:
    """Tell whether the table round a spot is darker at once."""
    pad = s.gap_px + s.ring_px
    low = np.maximum(spot.min(axis=0) - pad, 0)
    high = np.minimum(spot.max(axis=0) + pad + 1, gray.shape[::-1])
    there = np.s_[low[1] : high[1], low[0] : high[0]]
    mask = np.zeros(gray[there].shape, np.uint8)
    cv2.fillPoly(mask, [(spot - low).astype(np.int32)], 255)
    ring = (grown(mask, pad) > 0) & (grown(mask, s.gap_px) == 0) & (cards[there] == 0)
    if not ring.any():
        return False
    return bool(np.median(gray[there][ring]) < s.table * np.median(gray[there][mask > 0]))
