"""Segments the rectified table image into things that no known piece explains.

Print has edges all over; cloth and shadows have few. A region full of edges, outside all known
pieces and as large as a good part of a card, is a thing. Beside cards with a white border, so is a
white streak with edges of its own, however narrow: another card's border. Things near each other
are merged: a fan, a hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.masks import disc, grown, part_areas
from vision.seeing.pieces.rectify import Rectified
from vision.values.arrays import BoolArray, FloatArray, Points
from vision.values.pieces import Faces

__all__ = ["ResidualMap", "build_residual_map", "is_white_paper"]


# White regions.
_WHITE_WHITE = 0.75  # least lightness of unexplained white, of the cards' white
_WHITE_LIT_MM = 45.0  # radius within which the cards' own white is the reference
_WHITE_LIT_PX_PER_MM = 0.66  # resolution of the reference: a border is two pixels wide
# least local reference, of the whole table's white; less is a dark face alone
_WHITE_LIT_LEAST = 0.3
_WHITE_COLOURED = 0.25  # largest channel spread, of the lightness: yellow is not white
_WHITE_CLOTH = 0.15  # share of white on the table above which white is background
# lightness of ink on a white table (share of white): darkest half of a frame, no shadow
_WHITE_INK = 0.6
# distances from the cards at which the ground is sampled, past their shadow
_WHITE_BESIDE_MM: tuple[float, float] = (3.0, 9.0)
_WHITE_GROUND = 0.5  # white share of that above which cards lie on white; less beside a heap


def white_mask(rectified: Rectified, taken: NDArray[np.uint8]) -> BoolArray:
    """Return which free pixels (H, W) are white, or dark if the background is white.

    ``taken`` (H, W) is 255 on known cards, else 0.
    """
    free, white, ink = _white_and_ink(rectified, taken)
    if _is_background(white, free):
        return np.asarray(ink & free, np.bool_)
    return np.asarray(white & free, np.bool_)


def paper_mask(rectified: Rectified, taken: NDArray[np.uint8]) -> BoolArray:
    """Return which free pixels (H, W) are white; none if the cards lie on white."""
    free, white, _ = _white_and_ink(rectified, taken)
    near, far = (grown(taken, mm * rectified.px_per_mm) > 0 for mm in _WHITE_BESIDE_MM)
    beside = white[far & ~near & rectified.inside]
    if _is_background(white, free) or (len(beside) and beside.mean() > _WHITE_GROUND):
        return np.zeros(white.shape, np.bool_)
    return np.asarray(white & free, np.bool_)


def _white_and_ink(
    rectified: Rectified, taken: NDArray[np.uint8]
) -> tuple[BoolArray, BoolArray, BoolArray]:
    """Return the free pixels, the white pixels, and those as dark as ink on white, each (H, W)."""
    tones = rectified.image.astype(np.float32)
    level = tones.mean(axis=2)
    lit = _local_white(level, taken, rectified.px_per_mm)
    spread = _channel_spread(tones, taken)
    white = (
        (level > _WHITE_WHITE * lit)
        & (spread < _WHITE_COLOURED * np.maximum(level, 1.0))
        & rectified.inside
    )
    return taken == 0, white, (level < _WHITE_INK * lit) & rectified.inside


def _is_background(white: BoolArray, free: BoolArray) -> bool:
    """Return whether so much of the free area (H, W) is white that white is the background."""
    return bool(free.any() and white[free].mean() > _WHITE_CLOTH)


def _channel_spread(tones: NDArray[np.float32], taken: NDArray[np.uint8]) -> FloatArray:
    """Return the spread of the channels (H, W), white-balanced by the cards' own white."""
    if (taken > 0).any():
        white = np.percentile(tones[taken > 0], 97, axis=0)
        tones = tones * (white.mean() / np.maximum(white, 1.0)).astype(np.float32)
    blue, green, red = cv2.split(tones)
    most, least = cv2.max(cv2.max(blue, green), red), cv2.min(cv2.min(blue, green), red)
    return np.asarray(most - least, np.float64)


def _local_white(level: FloatArray, taken: NDArray[np.uint8], px_per_mm: float) -> FloatArray:
    """Return the lightness (H, W) of the nearest cards' white: light falls off over a table."""
    if not (taken > 0).any():
        return np.full(level.shape, 255.0)
    scale = _WHITE_LIT_PX_PER_MM / px_per_mm
    on_cards = np.where(taken > 0, cv2.blur(level, (3, 3)), 0.0).astype(np.float32)
    small = cv2.resize(on_cards, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    reach = 2 * round(_WHITE_LIT_MM * _WHITE_LIT_PX_PER_MM) + 1
    near = cv2.dilate(small, np.ones((reach, reach), np.uint8))
    size_wh = (level.shape[1], level.shape[0])
    local = cv2.resize(near, size_wh, interpolation=cv2.INTER_NEAREST)
    whole = float(np.percentile(level[taken > 0], 97))
    return np.asarray(np.where(local > _WHITE_LIT_LEAST * whole, local, whole), np.float64)


# Edge density and size of things; contrasts are differences of logarithms.

# diameter in which contrast is measured: contains a border and its frame, slanted too
_WINDOW_MM = 9.0
_CONTRAST = 0.45  # least contrast in that, a tone ratio of 1.5: creases have less
_SPREADS = 4.0  # robust deviations above the table's own contrast: patterns have more
_FLOOR = 12.0  # tones added before the logarithm: noise in the dark
_OWN_MM = 4.0  # margin round known pieces: their shadow and glow
_GAPS_MM = 10.0  # gaps closed between edges of one thing: a face's plain parts
_NARROW_MM = 16.0  # least width; narrower is a line: a table's edge, a pencil, a cable
_LEAST_SHARE = 0.25  # least area, of a card's: less is a die, or the rest of a card's shadow
_BETWEEN_SHARE = 0.05  # the same between known cards, where no die has room
_BETWEEN_OWN_MM = 3.0  # the margin between known cards: light comes from above alone
# percentile of the bare table's tones, at both ends, beyond which a tone is unlike it
_BETWEEN_RARE = 5.0
_BETWEEN_TONES = 50_000  # sample of the bare table's pixels; more add nothing
_TINT = 0.2  # least difference of a hue beyond that: shade changes all channels alike
_BETWEEN_MM = 45.0  # widest gap between known cards; in a wider one a card is detected
_BESIDE_MM = 90.0  # reach of a region that touches a known card: a card's length
_BESIDE_SHARE = 0.15  # least area of such a region, of a card's: a die has less
_WHITE_MM2 = 60.0  # least white area beside a card: a strip's border
_PAPER_SHARE = 0.1  # least area of white paper, of a card's: a white die has less
_WHITE_LONG_MM = 20.0  # least length of a white region
_STEP = 0.25  # least log difference of white to its surroundings: light on a cloth fades
# largest width of separate white, of a card's length: a fan in glare is narrower, a sheet of
# paper is wider
_ROW = 1.3
_APART_MM = 40.0  # things nearer than this are merged: less than a card's width


@dataclass(frozen=True, slots=True, eq=False)
class ResidualMap:
    """Things in a rectified image that no known piece explains.

    ``things`` (H, W) are labels from 1; ``marks`` (H, W) are all unexplained pixels with edges or
    white, in a thing or not; ``free`` (H, W) is outside the known pieces.
    """

    rectified: Rectified
    things: NDArray[np.int32]
    marks: BoolArray
    free: BoolArray

    def is_bare_at(self, place_mm: FloatArray, reach_mm: float, least_mm2: float) -> bool:
        """Return whether a place (2,) is free, with less than ``least_mm2`` of marks near it."""
        x, y = np.rint(self.rectified.to_px(place_mm[None])[0]).astype(int).tolist()
        height, width = self.free.shape
        if not (0 <= x < width and 0 <= y < height) or not self.free[y, x]:
            return False
        near = self.marks[self.near(place_mm, reach_mm)]
        return float(near.sum()) < least_mm2 * self.rectified.px_per_mm**2

    def near(self, place_mm: FloatArray, reach_mm: float) -> tuple[slice, slice]:
        """Return the rows and columns within reach of a place (2,)."""
        x, y = np.rint(self.rectified.to_px(place_mm[None])[0]).astype(int).tolist()
        reach = round(reach_mm * self.rectified.px_per_mm)
        rows, columns = (slice(max(v - reach, 0), max(v + reach + 1, 0)) for v in (y, x))
        return rows, columns


def build_residual_map(
    rectified: Rectified,
    known: Sequence[Points],
    size_mm: tuple[float, float],
    *,
    white_borders: bool,
    white_paper: bool = False,
) -> ResidualMap:
    """Segment the things that no known piece explains.

    Parameters
    ----------
    rectified : Rectified
        The rectified table image.
    known : sequence of (N, 2) float64
        Outlines of all known pieces, mm.
    size_mm : (float, float)
        Width and height of a card.
    white_borders : bool
        Whether the cards have white borders.
    white_paper : bool
        Whether they have none, and are white to their edge.
    """
    scale = rectified.px_per_mm
    taken = np.zeros(rectified.image.shape[:2], np.uint8)
    for outline in known:
        cv2.fillPoly(taken, [np.rint(rectified.to_px(outline)).astype(np.int32)], 255)
    smooth = cv2.GaussianBlur(rectified.image, (0, 0), 0.8).astype(np.float32)
    contrast = _contrast(smooth, scale)
    seen = cv2.erode(rectified.inside.astype(np.uint8), _disc(_WINDOW_MM * scale)) > 0
    free = (grown(taken, _OWN_MM * scale) == 0) & rectified.inside
    there = (grown(taken, (_OWN_MM + _WINDOW_MM / 2) * scale) == 0) & seen
    own = contrast.ravel()[_subsample(there, _BETWEEN_TONES)]
    edges = (contrast > _limit(own)) & there
    things = _dense_edges(edges, size_mm, scale)
    marks = edges
    if white_borders:
        white = white_mask(rectified, grown(taken, 1.0))
        things |= _white_patches(white, taken, rectified, size_mm, _WHITE_MM2)
        marks = edges | white
    else:
        things |= _unlike_table(smooth, taken, rectified, there, _card_px(size_mm, scale))
        if white_paper:
            least_mm2 = _PAPER_SHARE * size_mm[0] * size_mm[1]
            paper = paper_mask(rectified, grown(taken, 1.0))
            patches = _white_patches(paper, taken, rectified, size_mm, least_mm2)
            things |= _mostly_in(patches, _hull(taken))
    return ResidualMap(
        rectified, _numbered(things & rectified.inside, _APART_MM * scale), marks, free
    )


def _contrast(smooth: NDArray[np.float32], scale: float) -> NDArray[np.float32]:
    """Return the largest log range (H, W) over the channels of tones (H, W, 3) round each pixel."""
    light = np.log(smooth + np.float32(_FLOOR))
    window = _disc(_WINDOW_MM * scale)
    blue, green, red = cv2.split(cv2.dilate(light, window) - cv2.erode(light, window))
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.float32)


def _mean(tones: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the mean (H, W) of the channels of tones (H, W, 3)."""
    return np.asarray(cv2.transform(tones, np.full((1, 3), 1 / 3, np.float32)), np.float32)


def _unlike_table(
    smooth: NDArray[np.float32],
    taken: NDArray[np.uint8],
    rectified: Rectified,
    bare: BoolArray,
    card_px: float,
) -> BoolArray:
    """Return the regions (H, W) between or beside cards that differ from the bare table.

    There, edges cannot be separated from those of the known cards, but tones can from the table's.
    """
    scale = rectified.px_per_mm
    beyond = (grown(taken, _BETWEEN_OWN_MM * scale) == 0) & rectified.inside
    away = cv2.distanceTransform(np.asarray(taken == 0, np.uint8), cv2.DIST_L2, 3)
    near = (away < _BESIDE_MM * scale) & beyond
    closed = cv2.morphologyEx(taken, cv2.MORPH_CLOSE, _disc(_BETWEEN_MM * scale)) > 0
    gaps = closed & beyond
    unlike = _is_unlike(smooth, near | gaps, bare)
    between = _larger((unlike & gaps).astype(np.uint8), _BETWEEN_SHARE * card_px)
    gaps_px, narrow_px = _disc(_GAPS_MM * scale), _disc(_NARROW_MM * scale)
    filled = cv2.morphologyEx((unlike & near).astype(np.uint8), cv2.MORPH_CLOSE, gaps_px)
    broad = cv2.morphologyEx(filled, cv2.MORPH_OPEN, narrow_px)
    areas = part_areas(np.asarray(broad, np.uint8))
    beside, apart = (areas > share * card_px for share in (_BESIDE_SHARE, _LEAST_SHARE))
    return between | apart | _parts_touching(beside, grown(taken, _OWN_MM * scale) > 0)


def _parts_touching(parts: BoolArray, place: BoolArray) -> BoolArray:
    """Return the regions of a mask (H, W) that intersect another mask (H, W)."""
    _, labels = cv2.connectedComponents(parts.astype(np.uint8))
    reach = np.unique(labels[place & parts])
    return np.asarray(np.isin(labels, reach) & parts, np.bool_)


def _is_unlike(smooth: NDArray[np.float32], where: BoolArray, bare: BoolArray) -> BoolArray:
    """Return where (H, W) tones are outside the range of the bare table's (H, W)."""
    unlike = np.zeros(where.shape, np.bool_)
    if not bare.any() or not where.any():
        return unlike
    own = _log_tones(smooth.reshape(-1, 3)[_subsample(bare, _BETWEEN_TONES)])
    low, high = np.percentile(own, [_BETWEEN_RARE, 100 - _BETWEEN_RARE], axis=0)
    looks = _log_tones(smooth[where])
    away = np.maximum(low - looks, looks - high) > np.array([_CONTRAST, _TINT, _TINT])
    unlike[where] = away.any(axis=-1)
    return unlike


def _log_tones(tones: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return lightness, redness and blueness (N, 3) of tones (N, 3), as logarithms."""
    blue, green, red = np.log(tones + np.float32(_FLOOR)).T
    light = (blue + green + red) / 3
    return np.asarray(np.stack([light, red - light, blue - light], axis=-1), np.float32)


def _subsample(mask: BoolArray, about: int) -> NDArray[np.int64]:
    """Return the flat indices of about so many pixels (N,), evenly spread over a mask (H, W)."""
    places = np.flatnonzero(mask)
    return np.asarray(places[:: max(1, len(places) // about)], np.int64)


def _larger(mask: NDArray[np.uint8], least_px: float) -> BoolArray:
    """Return the regions of a mask (H, W) with more than so many pixels."""
    if np.count_nonzero(mask) <= least_px:
        return np.zeros(mask.shape, np.bool_)
    return np.asarray(part_areas(mask) > least_px, np.bool_)


def _card_px(size_mm: tuple[float, float], scale: float) -> float:
    return size_mm[0] * size_mm[1] * scale**2


def _limit(contrast: NDArray[np.float32]) -> float:
    """Return the contrast threshold from contrasts (N,) of the bare table."""
    if not len(contrast):
        return _CONTRAST
    middle = float(np.median(contrast))
    spread = 1.4826 * float(np.median(np.abs(contrast - middle)))
    return max(_CONTRAST, middle + _SPREADS * spread)


def _dense_edges(edges: BoolArray, size_mm: tuple[float, float], scale: float) -> BoolArray:
    """Return the regions (H, W) with dense edges, or edges round a plain face, as on cards."""
    if not edges.any():
        return edges
    card_px = _card_px(size_mm, scale)
    filled = cv2.morphologyEx(edges.astype(np.uint8), cv2.MORPH_CLOSE, _disc(_GAPS_MM * scale))
    # filled pixels have no area among the holes, and stay
    filled = (part_areas(np.asarray(1 - filled, np.uint8)) < card_px).astype(np.uint8)
    broad = cv2.morphologyEx(filled, cv2.MORPH_OPEN, _disc(_NARROW_MM * scale))
    return _larger(np.asarray(broad, np.uint8), _LEAST_SHARE * card_px)


def _white_patches(
    white: BoolArray,
    taken: NDArray[np.uint8],
    rectified: Rectified,
    size_mm: tuple[float, float],
    least_mm2: float,
) -> BoolArray:
    """Return the white patches (H, W) that are things, beside taken areas or separate."""
    scale = rectified.px_per_mm
    count, labels, stats, _ = cv2.connectedComponentsWithStats(white.astype(np.uint8))
    light = np.log(_mean(rectified.image.astype(np.float32)) + np.float32(_FLOOR))
    own = grown(taken, _OWN_MM * scale) > 0
    kept = np.zeros(white.shape, np.bool_)
    margin = round(2 * _OWN_MM * scale)
    for k in range(1, count):
        x, y, wide, high, area = stats[k].tolist()
        if area <= least_mm2 * scale**2 or max(wide, high) <= _WHITE_LONG_MM * scale:
            continue
        here = np.s_[max(y - margin, 0) : y + high + margin, max(x - margin, 0) : x + wide + margin]
        patch = labels[here] == k
        is_thing = (patch & own[here]).any() or _is_like_cards(patch, scale, size_mm)
        if is_thing and _stands_out(patch, light[here], ~own[here] & rectified.inside[here], scale):
            kept[here] |= patch
    return kept


def _hull(taken: NDArray[np.uint8]) -> BoolArray:
    """Return the convex hull (H, W) of all that is taken."""
    hull = np.zeros_like(taken)
    if taken.any():
        cv2.fillConvexPoly(hull, cv2.convexHull(cv2.findNonZero(taken)), 255)
    return np.asarray(hull > 0, np.bool_)


def _mostly_in(patches: BoolArray, place: BoolArray) -> BoolArray:
    """Return the patches (H, W) with at least half of their area in a mask (H, W)."""
    _, labels = cv2.connectedComponents(patches.astype(np.uint8))
    inside = np.bincount(labels.ravel(), weights=place.ravel()) / np.bincount(labels.ravel())
    return np.asarray(patches & (inside >= 0.5)[labels], np.bool_)


def _is_like_cards(patch: BoolArray, scale: float, size_mm: tuple[float, float]) -> bool:
    """Return whether a patch (H, W) may be a card or a row of cards: no line, no sheet of paper."""
    if np.count_nonzero(patch) < _LEAST_SHARE * size_mm[0] * size_mm[1] * scale**2:
        return False
    short, long = sorted(cv2.minAreaRect(cv2.findNonZero(patch.astype(np.uint8)))[1])
    is_row = _NARROW_MM * scale <= short <= _ROW * max(size_mm) * scale
    return bool(is_row and long >= min(size_mm) * scale)


def _stands_out(
    patch: BoolArray, light: NDArray[np.float32], free: BoolArray, scale: float
) -> bool:
    """Return whether a patch (H, W) has a clear step to its surroundings."""
    mask = patch.astype(np.uint8)
    beside = (grown(mask, 2 * _OWN_MM * scale) > 0) & (grown(mask, _OWN_MM * scale) == 0) & free
    if not beside.any():
        return True  # between cards, without free surroundings
    return abs(float(np.median(light[patch]) - np.median(light[beside]))) > _STEP


def _numbered(things: BoolArray, apart: float) -> NDArray[np.int32]:
    """Return labels (H, W) of things, from 1; those nearer than so many pixels are merged."""
    if not things.any():
        return np.zeros(things.shape, np.int32)
    mask = things.astype(np.uint8)
    _, labels = cv2.connectedComponents(grown(mask, apart / 2))
    return np.asarray(np.where(things, labels, 0), np.int32)


def _disc(across: float) -> NDArray[np.uint8]:
    """Return a disc so many pixels across."""
    return disc(max(1, round((across - 1) / 2)))


# Decks of white paper, judged by pictures that may be photographs.

# width of the strip along each edge, of a face's width: print at the edge is no paper
_PAPER_RIM = 0.05
# least lightness, of a face's lightest tone: paper is the lightest part of a card
_PAPER_OF_LIGHT = 0.85
_PAPER_LEAST = 120.0  # least tone (of 255): an all dark card has no paper
_PAPER_COLOURED = 0.25  # largest channel spread, of the lightness
_PAPER_FACES = 0.8  # least share of a deck's faces: a joker or a title may differ


@lru_cache(maxsize=4)
def is_white_paper(faces: Faces) -> bool:
    """Return whether a deck's cards have no printed frame and are white all along the edge."""
    if faces.frames:
        return False
    white, count = 0, len(faces.images)
    for left, face in zip(range(count - 1, -1, -1), faces.images, strict=True):
        white += _is_paper(np.asarray(face))
        if (white + left) / count < _PAPER_FACES:
            return False  # the rest cannot make up for it: saves time in large decks
        if white / count >= _PAPER_FACES:
            return True
    return False


def _is_paper(face: NDArray[np.uint8]) -> bool:
    """Return whether a face (H, W, 3) is white along each of its four edges."""
    deep = max(1, round(_PAPER_RIM * face.shape[1]))
    sides = (face[:deep], face[-deep:], face[:, :deep], face[:, -deep:])
    tones = np.array([np.median(side.reshape(-1, 3), axis=0) for side in sides])
    levels, apart = tones.mean(axis=1), np.ptp(tones, axis=1)
    lightest = np.percentile(face[::3, ::3].mean(axis=2), 97)
    is_white = (levels > max(_PAPER_LEAST, _PAPER_OF_LIGHT * lightest)) & (
        apart < _PAPER_COLOURED * levels
    )
    return bool(is_white.all())
