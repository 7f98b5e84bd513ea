"""What lies unread on a table or a print: regions that nothing known there explains.

The evidence of the scene against bare table (``vision.seeing.scene``) says where something lies.
What is large enough to be a card, or to hide one, is a region. It is told once, unless other stages
have told what lies there. What is too narrow for a region is seen along the edges of the cards: a
border that goes on beyond them is that of a hidden card.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import cv2
import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon, STRtree

from vision.geometry import photo_from_table, polygon_area, table_from_photo
from vision.imaging.masks import disc, grown, mask_at, mean_in_disc, opened, some_of
from vision.imaging.view import View, sample, sample_grids
from vision.seeing.estimation.rectify import Rectified
from vision.seeing.scene import (
    Evidence,
    Scene,
    TableImage,
    bare_tones,
    outlines_of,
    parts_of,
    rectify_around,
    scene_of_pieces,
    table_evidence,
    window_mm,
)
from vision.texts import make_issue, where_px
from vision.values.arrays import BoolArray, FloatArray, Points
from vision.values.layout import Layout
from vision.values.messages import Issue
from vision.values.pieces import Faces

__all__ = [
    "LEAST_THING_MM",
    "Region",
    "SeenTable",
    "find_off_print",
    "find_unexplained",
    "report_unexplained",
]

_LINE_MM = 11.0  # radius: what is narrower, with the contrast beside it, is a cable or a pencil,
# and at a known piece the light in a gap or beside a rim
_LEAST_SHARE = 0.35  # of a card's area, of a region by itself: a counter or a die has less
_BESIDE_SHARE = 0.12  # and of one at a known piece, which may cover the rest of a card
_EDGE = 0.15  # of a region's rim, least edges at it or in it: shade and lamps fade
_TOP = 99.5  # percentile of tones: paper in full light
_LEAST_TOP = 215.0  # of that: below it nothing is near to clipped
_WHITE = 0.8  # of it, from where on a place is washed out
_DARK = 0.72  # of it, at most, the median of the bare table: else the table itself is white
_AMONG_MM = 30.0  # beyond the outermost cards: what lies farther and is no card is a phone or a mug
_AMONG_SHARE = 0.5  # of a card's area, of what lies within that
_CARD_SIDES = (0.75, 1.3)  # of a card's sides: a region of these may be a card, wherever it lies
_CARD_FILL = 0.7  # of its box
_WHITE_CARDS = 2.0  # cards' areas, at most, of one or two in glare: a sheet of paper has more,
_WHITE_MM = 40.0  # its least breadth
_WHITE_FILL = 0.6  # and share of its box: two overlapping cards fill 0.73
_ON_KNOWN = 0.1  # least share of a region within known outlines: it lies on what was read
_STRAIGHT = 0.6  # least straight edge of a card that lies on another, of a card's short side
_STRAIGHT_MM = 3.0  # how far a straight edge may bend: a saucer's rim has 35 mm of it
_CARDS_PER_ISSUE = 1.25  # cards' areas that a doubt about a place in a region explains
_LIKE = 2.2  # mean log likelihood ratio of a region that looks like the known cards
_SEVERAL = 3  # doubts in one region: so many are told as one
_BARE = 0.97  # least share of a place that looks like bare table: a card's border is a tenth
_IN_PHOTO = 0.99  # of a place, least: the rest is rounding
_RIM_MM = 1.25  # of a card's rim, from its edge; outside the edge, at least that
_RIM_PX = 2.0  # and at least that in the photo, past the blur; also between samples along the edge
_RIMS = 5  # steps: so far off its edge a border shows that sticks out from under it
_RIM_SHARE = 0.3  # of a card's short side, least, along which it does
LEAST_THING_MM = 6.0  # radius of the least disc that hides a print: the smallest token has more
_OFF_PRINT = 0.85  # least share of such a disc without print: gaps and worn print have less
_BEND_MM = 1.0  # tolerance of such a thing's outline: for drawing, not for measuring
#: issues about a place, not about a placed piece
_OF_PLACES = ("card_hidden", "table_covered")


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """A connected region of the table that nothing explains.

    ``at_mm`` (2,) is a point in it, table frame, and ``at_px`` (2,) the same point in the photo;
    ``hull_mm`` (N, 2) its convex hull, ``area_mm2`` its area. ``is_white``: washed out by light.
    ``is_like_card``: has the shape of a card, or of two in glare, or mostly the colours of known
    cards. ``is_among``: lies among the known pieces or near them. ``is_cover``: lies on what was
    read, without a card's straight edge, and could not hide a card.
    """

    at_mm: FloatArray
    at_px: FloatArray
    hull_mm: Points
    area_mm2: float
    is_white: bool
    is_like_card: bool
    is_among: bool
    is_cover: bool

    @property
    def may_hide_card(self) -> bool:
        """Whether the region is worth a doubt: it may be a card, or hide one."""
        return (self.is_among or self.is_like_card) and not self.is_cover


@dataclass(frozen=True, eq=False)
class SeenTable:
    """What a photo shows of its table, beside all that was placed."""

    view: View
    layout: Layout
    faces: Faces

    @cached_property
    def _weighed(self) -> tuple[Scene, Evidence]:
        table = rectify_around(self.view, self.layout, self.faces.size_mm)
        scene = scene_of_pieces(table, self.layout.placed, self.faces)
        return scene, table_evidence(scene, self.faces.size_mm)

    def is_bare(self, outline_mm: Points, least_clear: float = 1.0) -> bool:
        """Return whether a place surely holds neither a card nor what hides one.

        Parameters
        ----------
        outline_mm : (N, 2) float64
            Of the place, a convex polygon in the photo's table frame.
        least_clear : float
            Share of the place that no placed piece may cover: what lies under one does not show.
        """
        if not self.layout.placed:
            return False
        scene, evidence = self._weighed
        place = scene.rectified.filled([outline_mm]) > 0
        seen = place & scene.rectified.inside
        whole = abs(polygon_area(outline_mm)) * scene.rectified.px_per_mm**2
        clear = place & (scene.outline_mask == 0)
        if np.count_nonzero(seen) < _IN_PHOTO * whole or np.count_nonzero(
            clear
        ) < least_clear * np.count_nonzero(place):
            return False
        told = evidence.log_ratio[clear & evidence.is_judged]
        return bool(told.size and (told < 0).mean() >= _BARE)


def find_off_print(rectified: Rectified, unlike: BoolArray) -> list[Points]:
    """Return the outlines (N, 2) mm of the things that cover the print of a board or sheet.

    Parameters
    ----------
    rectified : Rectified
        The photo of the print.
    unlike : (H, W) bool
        Where it does not show the print, and no known piece lies.
    """
    scale = rectified.px_per_mm
    reach = disc(round(LEAST_THING_MM * scale))
    share = mean_in_disc(unlike, LEAST_THING_MM * scale)
    whole = cv2.dilate((share >= _OFF_PRINT).astype(np.uint8), reach) & unlike.astype(np.uint8)
    whole = cv2.morphologyEx(whole, cv2.MORPH_CLOSE, reach)  # parts of one thing are one
    contours, _ = cv2.findContours(whole, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    polygons = (cv2.approxPolyDP(of, _BEND_MM * scale, True)[:, 0] for of in contours)
    return [rectified.to_mm(of.astype(np.float64)) for of in polygons if len(of) > 2]


def find_unexplained(scene: Scene, size_mm: tuple[float, float]) -> tuple[Region, ...]:
    """Return the regions of a table that are more likely a thing than bare: nothing explains them.

    Parameters
    ----------
    scene : Scene
        The table, and what is known on it.
    size_mm : (float, float)
        Width and height of a card.
    """
    return tuple(_regions(scene, table_evidence(scene, size_mm), size_mm))


def _regions(scene: Scene, evidence: Evidence, size_mm: tuple[float, float]) -> Iterator[Region]:
    """Yield the regions that nothing explains."""
    card_mm2, scale = size_mm[0] * size_mm[1], scene.rectified.px_per_mm
    near = scene.among(_AMONG_MM)
    white = _washed_out(scene, near)
    left = [*_parts(scene, evidence, white, size_mm)]
    while left:
        region = left.pop()
        looks = float(evidence.card_log_ratio[region].mean())
        # without a light's soft edge, and what the window of evidence widens a region by
        core = region & (white | (evidence.log_ratio > 0.5 * evidence.log_ratio[region].max()))
        is_white = float(white[core].mean()) > 0.5
        shape = region & white if is_white else core
        left.extend(_in_soft_edge(region, shape, scene, evidence, size_mm))
        area_mm2 = np.count_nonzero(shape) / scale**2
        within_mm2 = np.count_nonzero(core & near) / scale**2
        is_among = within_mm2 > _AMONG_SHARE * card_mm2 or not (core & ~near).any()
        is_among |= within_mm2 > 0 and area_mm2 > card_mm2  # it may be one, and what lies on it
        # a card of which a known one covers a part may reach farther out
        is_among |= area_mm2 < card_mm2 and bool((region & scene.beside_known).any())
        has_edge = _has_edge(region, scene, near if is_among else None)
        looks_like = looks > _LIKE and (has_edge or within_mm2 > 0)
        is_like = _is_pair(shape, scene, size_mm) if is_white else looks_like
        if has_edge:  # light has a card's shape, too
            is_like |= any(_holds_card(one, scene, size_mm) for one in (core, region))
        is_cover = (
            _is_on_known(shape, scene)
            and area_mm2 < card_mm2
            and _straight_mm(shape, scene) < _STRAIGHT * min(size_mm)
        )
        if is_white or has_edge or (looks > 1 and (is_among or is_like) and not is_cover):
            places_px = np.argwhere(shape)[:, ::-1].astype(np.float64)
            off_px = np.linalg.norm(places_px - np.median(places_px, axis=0), axis=1)
            at_mm = scene.rectified.to_mm(places_px[[off_px.argmin()]])
            at_px = photo_from_table(scene.camera, at_mm)[0]
            hull_mm = scene.rectified.to_mm(_box_of(shape, scene)[0])
            seen = (is_white, bool(is_like), bool(is_among), bool(is_cover))
            yield Region(at_mm[0], at_px, hull_mm, float(area_mm2), *seen)


def _in_soft_edge(
    region: BoolArray,
    shape: BoolArray,
    scene: Scene,
    evidence: Evidence,
    size_mm: tuple[float, float],
) -> Iterator[BoolArray]:
    """Yield what looks like the known cards in a region (H, W) beside its brightest part."""
    scale = scene.rectified.px_per_mm
    beside = region & (grown(shape.astype(np.uint8), window_mm(size_mm) * scale) == 0)
    for part in parts_of(
        opened(beside, round(_LINE_MM * scale)), _LEAST_SHARE * size_mm[0] * size_mm[1] * scale**2
    ):
        if evidence.card_log_ratio[part].mean() > _LIKE:
            yield part


def _parts(
    scene: Scene, evidence: Evidence, white: BoolArray, size_mm: tuple[float, float]
) -> Iterator[BoolArray]:
    """Yield the parts (H, W) of the table that may be a thing, or show one that is covered."""
    scale = scene.rectified.px_per_mm
    card_px = size_mm[0] * size_mm[1] * scale**2
    free = scene.free.astype(np.uint8)
    # a gap within the window of evidence is none: the paper of a card on a table as pale
    gap = disc(round(window_mm(size_mm) * scale))
    there = cv2.morphologyEx((evidence.log_ratio > 0).astype(np.uint8), cv2.MORPH_CLOSE, gap)
    there = (there | white.astype(np.uint8)) & free
    # a strip beside a known piece may be part of what lies beneath it
    known = scene.at_known.astype(np.uint8)
    line = disc(round(_LINE_MM * scale))
    broad = cv2.morphologyEx(cv2.bitwise_or(there, known), cv2.MORPH_OPEN, line)
    for part in parts_of((broad > 0) & (there > 0), _BESIDE_SHARE * card_px):
        is_strip = (part & scene.beside_known).any() and _width_mm(part, scene) > _LINE_MM
        if is_strip or np.count_nonzero(part) >= _LEAST_SHARE * card_px:
            yield part


def _width_mm(region: BoolArray, scene: Scene) -> float:
    """Return the diameter of the largest disc within a region (H, W)."""
    within = cv2.distanceTransform(np.pad(region, 1).astype(np.uint8), cv2.DIST_L2, 3)
    return 2 * float(within.max()) / scene.rectified.px_per_mm


def _ends(scene: Scene) -> BoolArray:
    """Return the mask (H, W) at the end of what is seen: what is cut there has no own shape."""
    beyond = np.pad(~scene.rectified.inside, 1, constant_values=True).astype(np.uint8)
    return np.asarray(grown(beyond, 2)[1:-1, 1:-1] > 0, np.bool_)


def _has_edge(region: BoolArray, scene: Scene, near: BoolArray | None = None) -> bool:
    """Return whether a region (H, W) has edges at its rim, where shade and lamps fade, or a print.

    Close to a known piece its own edges show; what has little rim elsewhere is taken to have one.
    ``near`` (H, W) is the part of the table whose edges count, if not all.
    """
    mask = region.astype(np.uint8)
    whole = (grown(mask, 2) > 0) & scene.free
    whole = whole if near is None else whole & near
    rim = whole & (cv2.erode(mask, disc(2)) == 0)
    told = rim & scene.has_contrast
    if np.count_nonzero(told) <= _EDGE * np.count_nonzero(rim):
        return True
    light = scene.looks[0]
    is_dark = light < np.median(light[told])  # lamps make nothing darker
    print_ = whole & scene.has_contrast & is_dark
    return bool(np.count_nonzero(scene.edges & (told | print_)) > _EDGE * np.count_nonzero(told))


def _washed_out(scene: Scene, near: BoolArray) -> BoolArray:
    """Return the mask (H, W) of washed-out places; empty where table or cards are white.

    ``near`` (H, W) is the table among the cards and near them; its brightest is paper in light.
    """
    tones = cv2.transform(scene.rectified.image.astype(np.float32), np.full((1, 3), 1 / 3))
    top = float(np.percentile(tones.ravel()[some_of(near)], _TOP))
    shown = tones.ravel()[some_of((scene.known_mask > 0) & scene.rectified.inside)]
    white = np.asarray((tones > _WHITE * top) & scene.free, np.bool_)
    if top < _LEAST_TOP or not scene.free.any():
        return np.zeros_like(white)
    pattern = scene.table.pattern
    by = 1.0 if pattern is None else np.exp(pattern.mean(axis=2))
    own = by * np.median((tones / by).ravel()[some_of(scene.free)])  # of the bare table
    of_paper = not shown.size or float(np.median(shown)) > _WHITE * top
    return np.asarray(white & (own <= _DARK * top) & (not of_paper), np.bool_)


def _box_of(region: BoolArray, scene: Scene) -> tuple[Points, float, float, float]:
    """Return the hull (N, 2) of a region (H, W) in pixels, its box's sides in mm, and its share."""
    hull_px = cv2.convexHull(np.argwhere(region)[:, ::-1].astype(np.int32)).reshape(-1, 2)
    _, sides, _ = cv2.minAreaRect(hull_px)
    short, long = sorted(side + 1 for side in sides)
    scale = scene.rectified.px_per_mm
    fill = float(np.count_nonzero(region)) / (short * long)
    return hull_px.astype(np.float64), short / scale, long / scale, fill


def _holds_card(region: BoolArray, scene: Scene, size_mm: tuple[float, float]) -> bool:
    """Return whether a broad part of a region (H, W), whole in the photo, has a card's shape."""
    least_px = _LEAST_SHARE * size_mm[0] * size_mm[1] * scene.rectified.px_per_mm**2
    broad = opened(region, round(2 * window_mm(size_mm) * scene.rectified.px_per_mm))
    low, high = _CARD_SIDES
    for part in parts_of(broad, least_px):
        _, *sides, fill = _box_of(part, scene)
        if fill > _CARD_FILL and not (_ends(scene) & part).any():
            ratios = [side / of for side, of in zip(sides, sorted(size_mm), strict=True)]
            if low < min(ratios) and max(ratios) < high:
                return True
    return False


def _is_pair(white: BoolArray, scene: Scene, size_mm: tuple[float, float]) -> bool:
    """Return whether a washed-out region (H, W) may be two cards: light leaves no edge between."""
    _, short, long, fill = _box_of(white, scene)
    is_small = fill * short * long < _WHITE_CARDS * size_mm[0] * size_mm[1]
    is_broad = short > _WHITE_MM and fill > _WHITE_FILL
    return bool(is_small and is_broad and not (_ends(scene) & white).any())


def _is_on_known(region: BoolArray, scene: Scene) -> bool:
    """Return whether a region (H, W) lies on what was read, not only beside it."""
    return float((scene.outline_mask[region] > 0).mean()) > _ON_KNOWN


def _straight_mm(region: BoolArray, scene: Scene) -> float:
    """Return the length of the longest straight part of a region's (H, W) outline."""
    scale = scene.rectified.px_per_mm
    contours, _ = cv2.findContours(
        region.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE
    )
    sides = [
        np.linalg.norm(np.diff(line, axis=0, append=line[:1]), axis=2).max()
        for line in (cv2.approxPolyDP(of, _STRAIGHT_MM * scale, closed=True) for of in contours)
    ]
    return float(max(sides)) / scale


def report_unexplained(
    view: View, layout: Layout, faces: Faces, table: TableImage | None = None
) -> Layout:
    """Tell what nothing in a layout explains.

    Each region that may be a card or hide one is told once, unless the doubts about places in it
    account for it; several of them give way to it. A border that sticks out from under a card is
    told where no region is.

    Parameters
    ----------
    view : View
        The photo.
    layout : Layout
        All that was placed, and the doubts so far.
    faces : Faces
        The deck's.
    table : TableImage, optional
        The photo from above, if it is rectified already.
    """
    if not layout.placed:
        return layout
    size_mm = faces.size_mm
    table = rectify_around(view, layout, size_mm, table)
    scene = scene_of_pieces(table, layout.placed, faces)
    evidence = table_evidence(scene, size_mm)
    regions = [one for one in _regions(scene, evidence, size_mm) if one.may_hide_card]
    doubts, told = list(layout.doubts), []
    for region in regions:
        near = [doubt for doubt in doubts if _is_in(doubt, region, scene, size_mm)]
        cards = region.area_mm2 / (size_mm[0] * size_mm[1])
        if len(near) >= _SEVERAL:
            doubts = [doubt for doubt in doubts if doubt not in near]
        elif cards < _CARDS_PER_ISSUE * len(near):
            continue
        code = "glare_table" if region.is_white else "table_covered"
        told.append(make_issue(code, f"issue.{code}", **where_px(*region.at_px)))
    # real cards of learned decks go on 1 to 2 mm beyond the edges that their pictures tell
    border_mm = (faces.width_mm - faces.frames[0].width_mm) / 2 if faces.frames else 0.0
    hidden_px = _hidden_borders(view, layout, scene, evidence, border_mm) if border_mm else ()
    for at_px in hidden_px:
        hidden = make_issue("card_hidden", "issue.card_hidden", **where_px(*at_px))
        if not any(_is_in(hidden, region, scene, size_mm) for region in regions):
            told.append(hidden)
    return replace(layout, doubts=(*doubts, *told))


def _hidden_borders(
    view: View, layout: Layout, scene: Scene, evidence: Evidence, border_mm: float
) -> Points:
    """Return the places (N, 2) in the photo where a border sticks out from under a named card.

    Beside its visible edge the photo is nearer in tone to the card's rim than to bare table, and
    the card's own border, ``border_mm`` wide, is in its place: where a card is bent up its border
    is shifted. One place for each card.
    """
    cards = [p for p in layout.placed if p.kind == "card" and p.identity is not None]
    if not cards or not evidence.bare.any():
        return np.zeros((0, 2))
    corners_px = np.array([card.outline_px for card in cards])
    corners_mm = table_from_photo(scene.camera, corners_px.reshape(-1, 2)).reshape(-1, 4, 2)
    sides = [np.linalg.norm(of - np.roll(of, 1, axis=1), axis=2) for of in (corners_px, corners_mm)]
    steps_mm = np.maximum(_RIM_MM, _RIM_PX / (sides[0] / sides[1]).min(axis=1))
    rings = _rings(corners_mm, border_mm, steps_mm)
    n, _, count, _ = rings.shape
    side = count // 4
    at_px = photo_from_table(scene.camera, rings.reshape(-1, 2)).reshape(n, -1, 2)
    tones = sample_grids(view, at_px, (side, side), _RIM_PX, (0, side, 3 * side))
    frame, inner, *outer = np.asarray(tones, np.float32).reshape(*rings.shape[:3], 3).swapaxes(0, 1)
    is_own = _off(inner, outer[0]) < _off(inner, frame)
    seen, rings = np.stack(outer, axis=1), rings[:, 2:]
    far_px, table = scene.rectified.to_px(rings), bare_tones(scene, evidence)
    tables, lines = [table], disc(1)  # those of a pattern are sharper than the scene has them
    if scene.table.pattern is not None:
        tables += [np.asarray(of(table, lines), np.float32) for of in (cv2.erode, cv2.dilate)]
    off_bare = np.min([_off(seen, sample(one, far_px)) for one in tables], axis=0)
    off_rim = _off(seen, seen[:, :1])
    goes_on = (off_rim < off_bare) & mask_at(scene.rectified.inside, far_px)
    goes_on &= mask_at(scene.known_mask > 0, far_px[:, :1]) & is_own[:, None]
    at = some_of(evidence.bare)[::3]  # a third of them tells a share for each card
    usual, image = table.reshape(-1, 3)[at], scene.rectified.image
    own = np.asarray(image.reshape(-1, 3)[at], np.float32)
    rims = np.median(seen[:, 0], axis=1)[:, None]  # where the table has their tone, it says nothing
    goes_on &= ((_off(own, rims) > _off(own, usual)).mean(axis=1) >= _BARE)[:, None, None]
    goes_on[:, 0] = False
    tree = STRtree([Polygon(of) for of in outlines_of(scene.camera, layout.placed)])
    card, ring, place = np.nonzero(goes_on)
    # beside all that is known, and of the card a part that lies on nothing and beneath nothing
    for which, most, reach_mm in ((ring, 0, _RIM_MM - 1e-6), (0, 1, 0.0)):
        points = np.asarray(shapely.points(rings[card, which, place]))
        near, _ = tree.query(points, "dwithin", reach_mm)
        goes_on[card, ring, place] &= np.bincount(near, minlength=len(card)) <= most
    long = np.ones((1, round(_RIM_SHARE * side)), np.uint8)
    runs = cv2.erode(np.tile(goes_on.any(axis=1), 2).astype(np.uint8), long, borderValue=0)
    places = [np.flatnonzero(of) % count for of in runs]
    found = [at[k[len(k) // 2]] for at, k in zip(rings[:, 1], places, strict=True) if len(k)]
    return photo_from_table(scene.camera, np.array(found).reshape(-1, 2))


def _off(tones: NDArray[np.float32], others: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the squared distance (...) between tones (..., 3)."""
    return np.asarray(np.square(tones - others).sum(axis=-1), np.float32)


def _rings(corners_mm: FloatArray, border_mm: float, step_mm: FloatArray) -> FloatArray:
    """Return points (N, S, P, 2) along the edges of cards with corners (N, 4, 2).

    The first ring is within the frame, the next two are within the border, at its inner and outer
    edge, the others without, each by a step (N,) farther off.
    """
    ahead = np.roll(corners_mm, -1, axis=1) - corners_mm
    length = np.linalg.norm(ahead, axis=2)[..., None]
    out = np.stack([ahead[..., 1], -ahead[..., 0]], axis=-1) / length
    count = round(float(length.min()))  # to a side: a millimetre or two apart
    shares = ((np.arange(count) + 0.5) / count)[:, None]
    edge = corners_mm[:, :, None] + shares * ahead[:, :, None]
    inner = np.array([-border_mm - _RIM_MM, _RIM_MM / 2 - border_mm, -_RIM_MM])
    outer = np.arange(1, _RIMS + 1) * step_mm[:, None]
    off_mm = np.hstack([np.broadcast_to(inner, (len(step_mm), len(inner))), outer])
    each = [edge + off[:, None, None, None] * out[:, :, None] for off in off_mm.T]
    return np.stack(each, axis=1).reshape(len(corners_mm), off_mm.shape[1], -1, 2)


def _is_in(doubt: Issue, region: Region, scene: Scene, size_mm: tuple[float, float]) -> bool:
    """Return whether an issue is a doubt about a place in a region, or half a card off it."""
    if doubt.code not in _OF_PLACES or doubt.severity != "doubt" or doubt.at_px is None:
        return False
    x, y = table_from_photo(scene.camera, np.array([doubt.at_px]))[0].tolist()
    hull = region.hull_mm.astype(np.float32)
    return cv2.pointPolygonTest(hull, (x, y), measureDist=True) > -min(size_mm) / 2
