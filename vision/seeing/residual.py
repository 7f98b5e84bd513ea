"""Regions of the rectified table that neither the bare table nor a known piece explains.

The table is rectified once at a coarse scale. Its bare part gives a model of the table: smooth
fields of lightness, two log hues and local contrast, each with a robust spread. A region is
unexplained if it departs from this model beside all known outlines and is large enough to be a card
or to hide one. On a pattern the spread is wide and little departs from it; clipped white departs
from any dark table.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import photo_from_table, table_from_photo
from vision.imaging.bends import bends_over
from vision.imaging.masks import disc, grown
from vision.imaging.view import View
from vision.seeing.estimation.model import solution_of
from vision.seeing.pieces.rectify import Box, Rectified, rectify
from vision.texts import make_issue, where_px
from vision.values.arrays import BoolArray, FloatArray, Points
from vision.values.layout import Camera, Layout
from vision.values.messages import Issue

__all__ = ["Region", "find_unexplained", "report_unexplained"]

_PX_PER_MM = 0.5  # of the rectified table: a card is 32 x 44 pixels
_MARGIN_MM = 130.0  # round all that is known: an outermost card that was not read, and table
_REACH_MM = 2500.0  # from the middle of all that is known: a pose that errs by metres is no table
_FLOOR = 12.0  # tones added before the logarithm: noise in the dark
_WINDOW_MM = 10.0  # within which a border and its frame both show
_OWN_MM = 4.0  # round what is known: its shadow and glow
_SIGMAS = 5.0  # robust deviations of the table itself
_LEAST_SPREAD = (0.09, 0.03, 0.03, 0.08)  # of lightness, hues and contrast: light and JPEG alone
_SHADE = 0.6  # of a departure in lightness alone: shade and lamps do that
_SAMPLES = 6000  # of the bare table; more say the same
_FEWEST = 50  # of them: fewer tell no table
_PATTERN = 0.35  # of the bare table that departs from "the table": more is a pattern's other colour
_SOLID = 0.6  # of that, in pieces as broad as a card: then it is a thing as large as that
_CLOSE_MM = 5.0  # gaps between marks of one thing
_OPEN_MM = 8.0  # radius: what is narrower is a line, a cable, a pencil
_LEAST_SHARE = 0.3  # of a card's area, without the blur of contrast round it: a counter has less
_BLUR_PX = 2  # by which local contrast widens a thing
_EDGE = 0.25  # of a region's rim that has contrast: shade fades
_TOP = 99.5  # percentile of tones: paper in full light
_LEAST_TOP = 215.0  # of that: below it nothing is near to clipped
_WHITE = 0.8  # of it, from where on a place is washed out
_DARK = 0.72  # of it, at most, the median of the bare table: else the cloth itself is white
_ROUND_MM = 30.0  # beyond the outermost cards: what lies farther and is no card is a phone or a mug
_AMONG_SHARE = 0.5  # of a card's area, of what lies within that
_CARD_SIDES = (0.75, 1.3)  # of a card's sides: a region of these may be a card, wherever it lies
_CARD_FILL = 0.7  # of its box
_WHITE_CARDS = 2.0  # cards' areas, at most, of one or two in glare: a sheet of paper has more,
_WHITE_MM = 40.0  # its least breadth
_WHITE_FILL = 0.6  # and share of its box: two overlapping cards fill 0.73
_CARDS_PER_ISSUE = 1.25  # cards' areas that a doubt about a place in a region explains


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A connected region of the table that nothing explains.

    ``at_mm`` (2,) is a point in it, table frame, and ``at_px`` (2,) the same point in the photo;
    ``hull_mm`` (N, 2) its convex hull, ``area_mm2`` its area. ``is_white``: washed out by light.
    ``is_like_card``: has the shape of a card, or of two in glare. ``is_among``: lies among the
    known pieces or near them.
    """

    at_mm: FloatArray
    at_px: FloatArray
    hull_mm: Points
    area_mm2: float
    is_white: bool
    is_like_card: bool
    is_among: bool

    @property
    def may_hide_card(self) -> bool:
        """Whether the region is worth a doubt: it may be a card, or hide one."""
        return self.is_among or self.is_like_card


def find_unexplained(
    view: View, camera: Camera, known_mm: Sequence[Points], size_mm: tuple[float, float]
) -> tuple[Region, ...]:
    """Return the regions of the table that nothing explains.

    Parameters
    ----------
    view : View
        The photo.
    camera : Camera
        Camera and plane.
    known_mm : sequence of (N, 2) float64
        Outlines of everything that was read, table frame.
    size_mm : (float, float)
        Width and height of a card.
    """
    if not known_mm:
        return ()
    rectified = rectify(view, solution_of(camera), _box(np.concatenate(known_mm)), _PX_PER_MM)
    taken = np.zeros(rectified.image.shape[:2], np.uint8)
    for outline in known_mm:
        cv2.fillPoly(taken, [np.rint(rectified.to_px(outline)).astype(np.int32)], 255)
    free = (grown(taken, _OWN_MM * _PX_PER_MM) == 0) & rectified.inside
    bare = (grown(taken, (_OWN_MM + _WINDOW_MM / 2) * _PX_PER_MM) == 0) & _within_photo(
        rectified.inside
    )
    if np.count_nonzero(bare) < _FEWEST:
        return ()
    misfit = _misfit(_features(rectified), bare)
    odd = (misfit[:3].max(axis=0) > _SIGMAS) & free | (misfit[3] > _SIGMAS) & bare
    near = _among_known(taken)
    white = _saturated(rectified, near, free)
    solid = _close_marks(odd, free)
    if solid.sum() > _PATTERN * free.sum() and not _is_broad(solid, size_mm):
        solid = np.zeros_like(solid)
    solid |= _close_marks(white, free)
    card_px = size_mm[0] * size_mm[1] * _PX_PER_MM**2
    _, labels, stats, _ = cv2.connectedComponentsWithStats(solid.astype(np.uint8))
    areas = stats[:, cv2.CC_STAT_AREA]
    areas[0] = 0  # what is explained
    regions = []
    for label in np.flatnonzero(areas > _LEAST_SHARE * card_px).tolist():
        region = labels == label
        core = cv2.erode(region.astype(np.uint8), disc(_BLUR_PX))
        is_white = float(white[region].mean()) > 0.5
        if np.count_nonzero(core) < _LEAST_SHARE * card_px or not (
            is_white or _has_edge(region, misfit[3], free)
        ):
            continue
        is_among = int(np.count_nonzero((core > 0) & near)) > _AMONG_SHARE * card_px
        regions.append(
            _region(region, rectified, camera, size_mm, is_white=is_white, is_among=is_among)
        )
    return tuple(regions)


def _box(known_mm: Points) -> Box:
    """Return the box of the table to rectify, round points (N, 2)."""
    low, high = known_mm.min(axis=0) - _MARGIN_MM, known_mm.max(axis=0) + _MARGIN_MM
    middle = np.median(known_mm, axis=0)
    left, top = np.maximum(low, middle - _REACH_MM).tolist()
    right, bottom = np.minimum(high, middle + _REACH_MM).tolist()
    return left, top, right, bottom


def _within_photo(inside: BoolArray) -> BoolArray:
    """Return the mask (H, W) of places whose whole contrast window lies in the photo."""
    window = disc(round(_WINDOW_MM * _PX_PER_MM / 2))
    shown = cv2.erode(
        inside.astype(np.uint8), window, borderType=cv2.BORDER_CONSTANT, borderValue=0
    )
    return np.asarray(shown > 0, np.bool_)


def _features(rectified: Rectified) -> FloatArray:
    """Return log lightness, two log hues and local contrast (4, H, W)."""
    smooth = cv2.GaussianBlur(rectified.image, (0, 0), 0.8).astype(np.float32)
    log = cv2.log(smooth + np.float32(_FLOOR))
    blue, green, red = cv2.split(log)
    light = (blue + green + red) / 3
    window = disc(max(1, round(_WINDOW_MM * rectified.px_per_mm / 2)))
    ranges = cv2.split(cv2.dilate(log, window) - cv2.erode(log, window))
    contrast = cv2.max(cv2.max(ranges[0], ranges[1]), ranges[2])
    return np.stack([light, blue - light, red - light, contrast])


def _misfit(features: FloatArray, bare: BoolArray) -> FloatArray:
    """Return the deviations (4, H, W) of features from the bare table's model, in robust sigmas."""
    _, rows, columns = features.shape
    base = np.moveaxis(bends_over(rows, columns), -1, 0).astype(np.float32)
    places = np.flatnonzero(bare)
    places = places[:: max(1, len(places) // _SAMPLES)]
    x = base.reshape(6, -1)[:, places].astype(np.float64)
    y = features.reshape(4, -1)[:, places].astype(np.float64)
    least = np.array(_LEAST_SPREAD)[:, None]
    near = np.abs(y - np.median(y, axis=1, keepdims=True))
    keep = (near < np.maximum(2 * np.median(near, axis=1, keepdims=True), _SIGMAS * least)).all(0)
    for _ in range(8):
        weighted = x * keep
        fit = np.linalg.solve(weighted @ x.T + 1e-3 * np.eye(6), weighted @ y.T)
        rest = y - fit.T @ x
        middle = np.median(rest[:, keep], axis=1, keepdims=True)
        spread = 1.4826 * np.median(np.abs(rest[:, keep] - middle), axis=1, keepdims=True)
        spread = np.maximum(spread, least)
        before, keep = keep, (np.abs(rest - middle) < _SIGMAS * spread).all(axis=0)
        if (before == keep).all() or np.count_nonzero(keep) < _FEWEST:
            break
    fit[0] += middle[:, 0]  # the first term is one everywhere
    field = np.tensordot(fit.T.astype(np.float32), base, axes=1)
    misfit = np.abs(features - field) / spread[:, :, None].astype(np.float32)
    misfit[0] *= np.float32(_SHADE)
    return misfit


def _among_known(taken: NDArray[np.uint8]) -> BoolArray:
    """Return the mask (H, W) of the hull of everything known, with a margin."""
    hull = np.zeros_like(taken)
    cv2.fillConvexPoly(hull, cv2.convexHull(cv2.findNonZero(taken)), 255)
    return np.asarray(grown(hull, _ROUND_MM * _PX_PER_MM) > 0, np.bool_)


def _saturated(rectified: Rectified, near: BoolArray, free: BoolArray) -> BoolArray:
    """Return the mask (H, W) of washed-out places; empty on a table that is white itself."""
    tones = rectified.image.mean(axis=2)
    top = float(np.percentile(tones[near][::7], _TOP))
    if top < _LEAST_TOP or not free.any() or float(np.median(tones[free])) > _DARK * top:
        return np.zeros(free.shape, np.bool_)
    return np.asarray((tones > _WHITE * top) & free, np.bool_)


def _close_marks(marks: BoolArray, free: BoolArray) -> BoolArray:
    """Close the gaps between marks (H, W) of one object and remove lines."""
    scale = _PX_PER_MM
    closed = cv2.morphologyEx(
        marks.astype(np.uint8), cv2.MORPH_CLOSE, disc(round(_CLOSE_MM * scale))
    )
    opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, disc(round(_OPEN_MM * scale)))
    return np.asarray((opened > 0) & free, np.bool_)


def _is_broad(solid: BoolArray, size_mm: tuple[float, float]) -> bool:
    """Return whether most of a mask (H, W) is in parts as broad as a card."""
    core = cv2.morphologyEx(
        solid.astype(np.uint8), cv2.MORPH_OPEN, disc(round(0.4 * min(size_mm) * _PX_PER_MM))
    )
    return bool(np.count_nonzero(core) > _SOLID * np.count_nonzero(solid))


def _has_edge(region: BoolArray, contrast: FloatArray, free: BoolArray) -> bool:
    """Return whether a region (H, W) ends at edges instead of fading into the table."""
    mask = region.astype(np.uint8)
    rim = (grown(mask, 2) > 0) & (cv2.erode(mask, disc(2)) == 0) & free
    return bool(rim.any() and (contrast[rim] > _SIGMAS / 2).mean() > _EDGE)


def _region(
    region: BoolArray,
    rectified: Rectified,
    camera: Camera,
    size_mm: tuple[float, float],
    *,
    is_white: bool,
    is_among: bool,
) -> Region:
    """Describe a region (H, W) of a rectified table."""
    area_mm2 = float(np.count_nonzero(region)) / rectified.px_per_mm**2
    places_px = np.argwhere(region)[:, ::-1]
    middle = np.median(places_px, axis=0)
    at_px = places_px[np.linalg.norm(places_px - middle, axis=1).argmin()]
    hull_px = cv2.convexHull(places_px.astype(np.int32)).reshape(-1, 2)
    _, sides, _ = cv2.minAreaRect(hull_px)
    short, long = sorted((side + 1) / rectified.px_per_mm for side in sides)
    low, high = _CARD_SIDES
    fill = area_mm2 / (short * long)
    is_like_card = fill > _CARD_FILL and all(
        low < side / of < high for side, of in zip((short, long), sorted(size_mm), strict=True)
    )
    if is_white:  # light leaves nothing of the edge where two overlap
        most_mm2 = _WHITE_CARDS * size_mm[0] * size_mm[1]
        is_like_card |= short > _WHITE_MM and fill > _WHITE_FILL and area_mm2 < most_mm2
    at_mm = rectified.to_mm(at_px[None].astype(np.float64))
    return Region(
        at_mm[0],
        photo_from_table(camera, at_mm)[0],
        rectified.to_mm(hull_px.astype(np.float64)),
        area_mm2,
        is_white,
        is_like_card,
        is_among,
    )


def report_unexplained(view: View, layout: Layout, size_mm: tuple[float, float]) -> Layout:
    """Add a doubt to a layout for each region that may be a card or hide one.

    Parameters
    ----------
    view : View
        The photo.
    layout : Layout
        All that was placed, and the doubts so far: a place that one of them names needs no other.
    size_mm : (float, float)
        Width and height of a card.
    """
    known = [table_from_photo(layout.camera, one.outline_px) for one in layout.placed]
    places = [
        (issue.code, table_from_photo(layout.camera, np.array([issue.at_px]))[0])
        for issue in layout.doubts
        if issue.severity == "doubt" and issue.at_px is not None
    ]
    told = [
        _region_issue(region)
        for region in find_unexplained(view, layout.camera, known, size_mm)
        if region.may_hide_card and not _is_reported(region, places, size_mm)
    ]
    return replace(layout, doubts=(*layout.doubts, *told))


def _region_issue(region: Region) -> Issue:
    code = "glare_table" if region.is_white else "table_covered"
    return make_issue(code, f"issue.{code}", **where_px(*region.at_px))


def _is_reported(
    region: Region, places: Sequence[tuple[str, FloatArray]], size_mm: tuple[float, float]
) -> bool:
    """Return whether the doubts in a region already account for the cards it may hide."""
    hull, reach = region.hull_mm.astype(np.float32), min(size_mm) / 2
    near = [
        code
        for code, (x, y) in places
        if cv2.pointPolygonTest(hull, (float(x), float(y)), measureDist=True) > -reach
    ]
    cards = region.area_mm2 / (size_mm[0] * size_mm[1])
    return bool({"table_covered", "glare_table"} & set(near)) or cards < _CARDS_PER_ISSUE * len(
        near
    )
