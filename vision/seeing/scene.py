"""The table of a photo from above, what is known on it, and how the rest of it looks.

A photo is rectified once on its plane. What is known on the table gives two models of a pixel: bare
table, and a thing, which looks like the known cards or, with some share, like anything. What
repeats on the table is taken out of its tones first (``background_texture``). The table's part is
robust: a plane of lightness, two log hues and local contrast with the table's own spread, and the
histogram of what departs from it. What looks like a card is taken out of the table's part, and the
table is learned again, until nothing changes: expectation and maximisation with hard assignment
(Celeux and Govaert 1992).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import table_from_photo
from vision.imaging.masks import bounds, disc, grown, opened, some_of
from vision.imaging.view import View, halved, sample
from vision.seeing.background_texture import NOISE, OUTLIER, off_plane, pattern_of
from vision.seeing.estimation.model import solution_of
from vision.seeing.estimation.rectify import Box, Rectified, box_in_photo, rectify
from vision.seeing.recognition.occlusion import inlier_mask, white_tones
from vision.seeing.recognition.smoothing import mean_tone
from vision.values.arrays import (
    BoolArray,
    FloatArray,
    ImageBGR,
    ImageGray,
    IntArray,
    Points,
    robust_sd,
)
from vision.values.layout import Camera, Layout, Placed
from vision.values.pieces import Faces

__all__ = [
    "Evidence",
    "Scene",
    "TableImage",
    "bare_tones",
    "face_prints",
    "outlines_of",
    "parts_of",
    "rectify_around",
    "rectify_table",
    "scene_of",
    "scene_of_pieces",
    "table_evidence",
    "window_mm",
]

_PX_PER_MM = 0.5  # of the rectified table: a card is 32 x 44 pixels
_MARGIN_MM = 320.0  # round all that is known: a card that was not read, whole, and table round it
_REACH_MM = (
    2500.0  # from the middle of all that is known: a wrong pose must not enlarge the picture
)
_FLOOR = 12.0  # tones added before the logarithm: noise in the dark
_CONTRAST_MM = 10.0  # within which a border and its frame both show
_EDGE_MM = 3.0  # round what is known: its own edge and shadow
_LEAST_SPREAD = (0.15, NOISE, NOISE, 0.08)  # of lightness, hues and contrast: shade, JPEG, noise
_SURROUNDINGS_MM = 60.0  # beyond what is known: the table on which it lies, not the floor beside it
_BINS, _BIN = 25, 0.4  # of asinh(deviations): even up to one, then by ratios; to 75 deviations
_STRANGE = 0.02  # of the table's pixels look like nothing else of it
_ANY_LOOK = 0.25  # of a thing's pixels look like nothing of the known cards
_LOOK_BINS = 2000.0  # bins over which any look spreads
_CLEAR = 3.0  # log likelihood ratio at which one pixel says all it can
_WINDOW = 0.17  # of a card's short side: how far the window of evidence reaches from its middle
_LEAST_FREE = 0.12  # of a window: less says nothing
_EDGY = 2.5  # spreads above the usual step from pixel to pixel on the table: an edge
_LEAST_STEP = 0.05  # of that spread: light and JPEG alone
_ROUNDS = 6  # of learning the table, at most
_SHADE = (0.4, 1.7)  # light at a place of a card, of that on the card: shadows, reflections


@dataclass(frozen=True)
class TableImage:
    """A photo of a table from above, whatever lies on it: rectified, and how each pixel looks."""

    camera: Camera
    rectified: Rectified
    outlines_mm: tuple[Points, ...] = ()  # of what may lie on it
    reach_mm: float = 0.0  # diagonal of a card: what repeats is sought farther off; 0: nothing is

    def shows_surroundings(self, view: View, outlines_mm: Sequence[Points]) -> bool:
        """Return whether it reaches round outlines (N, 2) half as far as wanted, or to its end."""
        wanted = np.array(_box(view, self.camera, outlines_mm)).reshape(2, 2)
        low, high = self.rectified.box_mm[[0, 2]]
        lacking_mm = np.maximum(low - wanted[0], wanted[1] - high)
        return bool((lacking_mm < _MARGIN_MM / 2).all())

    @cached_property
    def log_tones(self) -> NDArray[np.float32]:
        """The logarithms of the tones (H, W, 3), softened, without noise in the dark."""
        smooth = cv2.GaussianBlur(self.rectified.image, (0, 0), 0.8).astype(np.float32)
        return np.asarray(cv2.log(smooth + np.float32(_FLOOR)), np.float32)

    @cached_property
    def pattern(self) -> NDArray[np.float32] | None:
        """What the table's pattern adds to its tones (H, W, 3); None if nothing repeats."""
        if not self.reach_mm:
            return None
        known = grown(self.rectified.filled(self.outlines_mm), _EDGE_MM * _PX_PER_MM)
        beside = np.asarray((known == 0) & self.rectified.inside, np.bool_)
        return pattern_of(self.log_tones, beside, self.reach_mm * _PX_PER_MM)

    def with_outlines(self, outlines_mm: Sequence[Points]) -> "TableImage":
        """Return the same picture, in which more things (N, 2) may lie on the table."""
        return replace(self, outlines_mm=(*self.outlines_mm, *outlines_mm))

    @cached_property
    def looks(self) -> NDArray[np.float32]:
        """Log lightness, two log hues and local contrast (4, H, W)."""
        return _looks(self.log_tones)

    @cached_property
    def steps(self) -> NDArray[np.float32]:
        """The largest step of a tone (H, W) between neighbouring pixels."""
        return _range(self.log_tones, 1)


@dataclass(frozen=True)
class Scene:
    """The rectified table of a photo, and what is known on it.

    ``outline_mask`` (H, W) is 255 within the outlines of what was read, else 0; ``known_mask``
    (H, W) likewise, but of a card with a print only where the photo agrees with that print.
    """

    table: TableImage
    outline_mask: ImageGray
    known_mask: ImageGray

    @property
    def camera(self) -> Camera:
        """Camera and plane."""
        return self.table.camera

    @property
    def rectified(self) -> Rectified:
        """The rectified photo."""
        return self.table.rectified

    @cached_property
    def free(self) -> BoolArray:
        """The mask (H, W) of the table in the photo and beside all that is known."""
        beside = grown(self.known_mask, _EDGE_MM * _PX_PER_MM) == 0
        return np.asarray(beside & self.rectified.inside, np.bool_)

    @cached_property
    def log_tones(self) -> NDArray[np.float32]:
        """The logarithms of the tones (H, W, 3), without the table's pattern beside all known."""
        tones, pattern = self.table.log_tones, self.table.pattern
        return tones if pattern is None else np.where(self.free[..., None], tones - pattern, tones)

    @cached_property
    def looks(self) -> NDArray[np.float32]:
        """Log lightness, two log hues and local contrast (4, H, W), without the pattern."""
        return self.table.looks if self.table.pattern is None else _looks(self.log_tones)

    @cached_property
    def steps(self) -> NDArray[np.float32]:
        """The largest step of a tone (H, W) between neighbouring pixels, without the pattern."""
        return self.table.steps if self.table.pattern is None else _range(self.log_tones, 1)

    @cached_property
    def at_known(self) -> BoolArray:
        """The mask (H, W) of what is known, with its edges."""
        return np.asarray(~self.free & self.rectified.inside, np.bool_)

    @cached_property
    def beside_known(self) -> BoolArray:
        """The mask (H, W) of what is known or next to it."""
        return np.asarray(grown(self.at_known.astype(np.uint8), 1) > 0, np.bool_)

    @cached_property
    def has_contrast(self) -> BoolArray:
        """The mask (H, W) of places whose contrast window lies in the photo beside all known."""
        window = disc(round(_CONTRAST_MM * _PX_PER_MM / 2))
        shown = cv2.erode(
            self.rectified.inside.astype(np.uint8), window, borderType=cv2.BORDER_CONSTANT
        )
        away = (_EDGE_MM + _CONTRAST_MM / 2) * _PX_PER_MM
        return np.asarray((grown(self.known_mask, away) == 0) & (shown > 0), np.bool_)

    @cached_property
    def unlike(self) -> BoolArray:
        """The mask (H, W) within outlines where the photo differs from the print: a thing on it."""
        on = (self.outline_mask > 0) & (self.known_mask == 0)
        return opened(on, round(_EDGE_MM * _PX_PER_MM))

    def among(self, margin_mm: float) -> BoolArray:
        """Return the mask (H, W) of the convex hull of all that is known, with a margin."""
        hull = np.zeros_like(self.known_mask)
        known, _ = cv2.findContours(self.known_mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
        around = cv2.convexHull(np.concatenate(known))
        cv2.fillConvexPoly(hull, around, 255)
        cv2.polylines(hull, [around], True, 255, 2 * round(margin_mm * _PX_PER_MM) + 1)
        return np.asarray(hull > 0, np.bool_)

    @cached_property
    def edges(self) -> BoolArray:
        """The mask (H, W) of edges that are sharp, and sharper than those of the table itself."""
        own = self.steps.ravel()[some_of(self.has_contrast)]
        middle = float(np.median(own)) if own.size else 0.0
        spread = float(robust_sd(own)) if own.size else 0.0
        return np.asarray(self.steps > middle + _EDGY * max(spread, _LEAST_STEP), np.bool_)


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What a scene says against bare table.

    ``log_ratio`` (H, W) is the mean log likelihood ratio, over a window round each place, of a
    thing to bare table; the least there is where it is not judged. ``card_log_ratio`` (H, W) is
    that of each pixel, of a known card to a thing of any look. ``is_judged`` (H, W): enough of the
    window is free.
    """

    log_ratio: FloatArray
    card_log_ratio: FloatArray
    is_judged: BoolArray

    @property
    def bare(self) -> BoolArray:
        """The mask (H, W) of what looks like bare table."""
        return np.asarray(self.is_judged & (self.log_ratio < 0), np.bool_)


def rectify_table(
    view: View,
    camera: Camera,
    outlines_mm: Sequence[Points],
    size_mm: tuple[float, float],
    others_mm: Sequence[Points] = (),
) -> TableImage:
    """Rectify a photo of a table round all that is known on it.

    Parameters
    ----------
    view : View
        The photo.
    camera : Camera
        Camera and plane.
    outlines_mm : sequence of (N, 2) float64
        Outlines of everything that was read, at least one; table frame.
    size_mm : (float, float)
        Width and height of a card.
    others_mm : sequence of (N, 2) float64, optional
        Outlines of what may be a card.
    """
    box = _box(view, camera, outlines_mm)
    rectified = rectify(view, solution_of(camera), box, _PX_PER_MM)
    return TableImage(camera, rectified, (*outlines_mm, *others_mm), float(np.hypot(*size_mm)))


def scene_of(
    table: TableImage,
    known_mm: Sequence[Points],
    prints: Sequence[ImageBGR | None] | None = None,
) -> Scene:
    """Return the scene of a photo.

    Parameters
    ----------
    table : TableImage
        The photo from above.
    known_mm : sequence of (N, 2) float64
        Outlines of everything that was read, at least one; table frame. Of a named card its
        corners: top left, top right, bottom right, bottom left.
    prints : sequence of (R, C, 3) uint8 or None, optional
        What each card whose face is known, or assumed, shows, as fine as the rectified table. Where
        it does not, something lies on the card. Others, None, explain all within their outlines.
    """
    rectified = table.rectified
    prints = [None] * len(known_mm) if prints is None else prints
    named = [k for k, one in enumerate(prints) if one is not None]
    known = rectified.filled(at for at, one in zip(known_mm, prints, strict=True) if one is None)
    if named:
        shown = np.stack([one for one in prints if one is not None])
        known |= _explained(rectified, np.stack([known_mm[k] for k in named]), shown)
    return Scene(table, rectified.filled(known_mm), known)


def rectify_around(
    view: View, layout: Layout, size_mm: tuple[float, float], table: TableImage | None = None
) -> TableImage:
    """Rectify a photo of a table round all that was read, at least one piece.

    Parameters
    ----------
    view : View
        The photo.
    layout : Layout
        All that was read.
    size_mm : (float, float)
        Width and height of a card.
    table : TableImage, optional
        The photo from above, if it is rectified already: used if it shows enough.
    """
    if table is not None:
        outlines = outlines_of(table.camera, layout.placed)
        if table.shows_surroundings(view, outlines):
            # what was read since then is not learned from
            return table if table.pattern is None else table.with_outlines(outlines)
    return rectify_table(view, layout.camera, outlines_of(layout.camera, layout.placed), size_mm)


def scene_of_pieces(table: TableImage, placed: Sequence[Placed], faces: Faces) -> Scene:
    """Return the scene of a photo in which pieces were read, at least one.

    Parameters
    ----------
    table : TableImage
        The photo from above.
    placed : sequence of Placed
        All that was read.
    faces : Faces
        Of the deck that its cards are of.
    """
    shown = face_prints(faces)
    face_of = faces.face_of
    prints = [
        shown[face_of[one.piece]] if one.kind == "card" and one.piece in face_of else None
        for one in placed
    ]
    return scene_of(table, outlines_of(table.camera, placed), prints)


def outlines_of(camera: Camera, placed: Sequence[Placed]) -> list[Points]:
    """Return the outlines (N, 2) of pieces, table frame."""
    ends = np.cumsum([len(one.outline_px) for one in placed])[:-1]
    outlines_px = np.concatenate([one.outline_px for one in placed])
    return np.split(table_from_photo(camera, outlines_px), ends)


@lru_cache(maxsize=4)
def face_prints(faces: Faces) -> ImageBGR:
    """Return what each face of a deck shows (K, R, C, 3), as fine as the rectified table."""
    columns, rows = (round(side * _PX_PER_MM) for side in faces.size_mm)
    each = [cv2.resize(of, (columns, rows), interpolation=cv2.INTER_AREA) for of in faces.images]
    return np.asarray(each, np.uint8)


def _explained(rectified: Rectified, corners_mm: FloatArray, prints: ImageBGR) -> ImageGray:
    """Return the mask (H, W) of where cards with corners (N, 4, 2) look like their prints.

    ``prints`` is (N, R, C, 3).
    """
    n, rows, columns, _ = prints.shape
    unit = np.stack(np.meshgrid(np.arange(columns) + 0.5, np.arange(rows) + 0.5), axis=-1)
    unit = unit.reshape(-1, 2) / [columns, rows]
    origin, across, down = (rectified.to_px(corners_mm[:, k]) for k in (0, 1, 3))
    across, down = across - origin, down - origin
    at_px = origin[:, None] + unit[:, :1] * across[:, None] + unit[:, 1:] * down[:, None]
    tones = sample(rectified.image, at_px, cv2.BORDER_CONSTANT)
    faces = np.asarray(prints.reshape(n, -1, 3) / np.float32(255), np.float32)
    seen = np.asarray(tones, np.float32)
    white = white_tones(mean_tone(seen), mean_tone(faces)).astype(np.float32)
    inliers = inlier_mask(seen / white[:, None, None], faces, (rows, columns), _SHADE)
    known = np.zeros(rectified.image.shape[:2], np.uint8)
    ends = np.stack([origin, origin + across, origin + down, origin + across + down])
    last = np.array(known.shape[::-1])
    firsts = np.clip(np.floor(ends.min(axis=0)).astype(int) - 1, 0, last)
    lasts = np.clip(np.ceil(ends.max(axis=0)).astype(int) + 2, firsts, last)
    for k, inlier in enumerate(inliers.reshape(n, rows, columns)):
        (x0, y0), (x1, y1) = firsts[k].tolist(), lasts[k].tolist()
        if x0 == x1 or y0 == y1:
            continue
        matrix = np.column_stack([across[k] / columns, down[k] / rows, origin[k] - firsts[k]])
        matrix[:, 2] += matrix[:, :2] @ [0.5, 0.5]
        patch = cv2.warpAffine(
            inlier.astype(np.uint8) * 255, matrix, (x1 - x0, y1 - y0), flags=cv2.INTER_NEAREST
        )
        known[y0:y1, x0:x1] |= np.asarray(patch, np.uint8)
    return known


def _box(view: View, camera: Camera, outlines_mm: Sequence[Points]) -> Box:
    """Return the box of the table to rectify, round outlines (N, 2), as far as a photo shows it."""
    known_mm = np.concatenate(outlines_mm)
    low, high = known_mm.min(axis=0) - _MARGIN_MM, known_mm.max(axis=0) + _MARGIN_MM
    middle = np.median(known_mm, axis=0)
    left, top = np.maximum(low, middle - _REACH_MM).tolist()
    right, bottom = np.minimum(high, middle + _REACH_MM).tolist()
    return box_in_photo(view, solution_of(camera), (left, top, right, bottom))


def window_mm(size_mm: tuple[float, float]) -> float:
    """Return how far the window of evidence reaches from its middle, for cards of a size."""
    return _WINDOW * min(size_mm)


def table_evidence(scene: Scene, size_mm: tuple[float, float]) -> Evidence:
    """Return the evidence of a scene against bare table.

    If no part of it is sure to be bare table, the look of that is taken as uniform.

    Parameters
    ----------
    scene : Scene
        The table; what is known on it says how a card looks.
    size_mm : (float, float)
        Width and height of a card.
    """
    away = cv2.distanceTransform((scene.known_mask == 0).astype(np.uint8), cv2.DIST_L2, 3)
    # edges part an unread card from the table: what is no larger than a card is not learned from
    card_px = size_mm[0] * size_mm[1] * _PX_PER_MM**2
    table_mask = np.zeros_like(scene.has_contrast)
    for part in parts_of(
        scene.has_contrast & (away < _SURROUNDINGS_MM * _PX_PER_MM) & ~scene.edges, card_px
    ):
        table_mask |= part
    learned = table_mask if table_mask.any() else scene.rectified.inside
    deviations, spread = off_plane(scene.looks, learned, np.array(_LEAST_SPREAD))
    deviations /= spread[:, None, None].astype(np.float32)
    colour, contrast = (bins.ravel() for bins in _in_bins(deviations))
    on_cards = np.flatnonzero((cv2.erode(scene.known_mask, disc(1)) > 0) & scene.rectified.inside)
    free_at = np.flatnonzero(scene.free)
    any_look = 1 / (_LOOK_BINS * _BINS)
    of_cards = _ColourHistogram.none().plus(colour[on_cards], contrast[on_cards])
    contrast[~scene.has_contrast.ravel()] = _BINS  # none: a known edge shows within the window
    colour, contrast = colour[free_at], contrast[free_at]
    card = of_cards.density(colour, contrast)
    as_card = _mixed(card, _ANY_LOOK, any_look)
    plain = np.full_like(card, any_look)
    side = 2 * round(window_mm(size_mm) * _PX_PER_MM) + 1
    free = _mean(scene.free.astype(np.float32), side)
    may_be_bare = table_mask.ravel()[free_at]
    fits = np.logical_and.reduce([(of >= -OUTLIER) & (of <= OUTLIER) for of in deviations])
    bare = may_be_bare & fits.ravel()[free_at]
    before, of_table = np.zeros_like(bare), _ColourHistogram.none()
    each = np.zeros(scene.free.shape, np.float32)
    for _ in range(_ROUNDS):
        new, gone = np.flatnonzero(bare & ~before), np.flatnonzero(before & ~bare)
        of_table = of_table.plus(colour[new], contrast[new])
        of_table = of_table.plus(colour[gone], contrast[gone], -1)
        if bare.any():
            plain = of_table.density(colour, contrast)
        ratios = cv2.log(as_card / _mixed(plain, _STRANGE, any_look)).ravel()
        each.ravel()[free_at] = np.clip(ratios, -_CLEAR, _CLEAR)
        ratio = _mean(each, side) / np.maximum(free, _LEAST_FREE)
        before, bare = bare, may_be_bare & (ratio.ravel()[free_at] < 0)
        if (before == bare).all():
            break
    says = scene.free & (free > _LEAST_FREE)
    of_card = np.zeros(scene.free.shape)
    of_card.ravel()[free_at] = np.log(card / any_look + 1 / _LOOK_BINS)
    return Evidence(np.where(says, ratio, -_CLEAR), of_card, says)


def bare_tones(scene: Scene, evidence: Evidence) -> NDArray[np.float32]:
    """Return the tones (H, W, 3), 0..255, that bare table has, or would have, at each place.

    They are the mean of the bare table round it and, where that is all covered, of all of it.
    """
    table, bare = scene.table, evidence.bare.astype(np.float32)[..., None]
    plain = table.log_tones if table.pattern is None else table.log_tones - table.pattern
    weighted = halved(np.concatenate([plain * bare, bare], axis=2))
    sums = _mean(weighted, 2 * round(_SURROUNDINGS_MM / 4 * _PX_PER_MM) + 1)
    everywhere = np.float32(1e-6)  # its weight
    tones = sums[..., :3] + everywhere * plain[evidence.bare].mean(axis=0)
    tones /= sums[..., 3:] + everywhere
    if table.pattern is None:
        return _enlarged(cv2.exp(tones) - np.float32(_FLOOR), bare.shape[:2])
    tones = _enlarged(tones, bare.shape[:2]) + table.pattern
    return np.asarray(cv2.exp(tones) - np.float32(_FLOOR))


def _enlarged(image: NDArray[np.float32], shape_hw: tuple[int, ...]) -> NDArray[np.float32]:
    rows, columns = shape_hw
    return np.asarray(cv2.resize(image, (columns, rows)), np.float32)


def parts_of(mask: BoolArray, least_px: float) -> Iterator[BoolArray]:
    """Yield the connected parts (H, W) of a mask (H, W) that have more than an area."""
    if not mask.any():
        return
    box = bounds(mask)
    _, labels = cv2.connectedComponents(mask[box].astype(np.uint8))
    for label in np.flatnonzero(np.bincount(labels.ravel())[1:] > least_px) + 1:
        part = np.zeros_like(mask)
        part[box] = labels == label
        yield part


def _in_bins(deviations: NDArray[np.float32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the bins (H, W) of lightness and hues together, and of contrast."""
    bins = np.arcsinh(deviations)
    bins /= np.float32(_BIN)
    np.rint(bins, out=bins)
    np.clip(bins, -(_BINS // 2), _BINS // 2, out=bins)
    bins += np.float32(_BINS // 2)
    light, blue, red, contrast = bins
    return ((light * _BINS + blue) * _BINS + red).astype(np.int64), contrast.astype(np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class _ColourHistogram:
    """How many pixels have each colour (B³,) and each contrast (B,)."""

    colours: NDArray[np.int64]
    contrasts: NDArray[np.int64]

    @classmethod
    def none(cls) -> "_ColourHistogram":
        """Return the look of no pixels."""
        return cls(np.zeros(_BINS**3, np.int64), np.zeros(_BINS, np.int64))

    def plus(self, colour: IntArray, contrast: IntArray, sign: int = 1) -> "_ColourHistogram":
        """Return the look with more pixels (N,), or less; a contrast out of the bins is none."""
        return _ColourHistogram(
            self.colours + sign * np.bincount(colour, minlength=_BINS**3),
            self.contrasts + sign * np.bincount(contrast, minlength=_BINS + 1)[:_BINS],
        )

    def density(self, colour: IntArray, contrast: IntArray) -> NDArray[np.float32]:
        """Return how probable pixels (N,) are; a contrast that nothing can tell is as any."""
        of_contrasts = np.append(_density(self.contrasts, axes=1), 1 / _BINS).astype(np.float32)
        of_colours = _density(self.colours, axes=3).astype(np.float32)
        return np.asarray(of_colours[colour] * of_contrasts[contrast], np.float32)


def _density(counts: NDArray[np.int64], axes: int) -> FloatArray:
    """Return how probable each bin (B,) is, from counts of pixels (B,), blurred by one bin."""
    weights = cv2.getGaussianKernel(7, 1.0).ravel()
    blur = sum(w * np.eye(_BINS, k=k - 3) for k, w in enumerate(weights))
    soft = counts.reshape((_BINS,) * axes).astype(np.float64)
    for axis in range(axes):
        soft = np.moveaxis(np.tensordot(blur, soft, (1, axis)), 0, axis)
    return np.asarray(soft.ravel() / max(float(soft.sum()), 1.0))


def _mixed(density: NDArray[np.float32], share: float, other: float) -> NDArray[np.float32]:
    return np.asarray((1 - share) * density + share * other, np.float32)


def _looks(log_tones: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return log lightness, two log hues and local contrast (4, H, W) of log tones (H, W, 3)."""
    blue, green, red = cv2.split(log_tones)
    light = (blue + green + red) / 3
    contrast = _range(log_tones, round(_CONTRAST_MM * _PX_PER_MM / 2))
    return np.asarray(np.stack([light, blue - light, red - light, contrast]), np.float32)


def _range(log: NDArray[np.float32], radius_px: int) -> NDArray[np.float32]:
    """Return the largest range (H, W) over the channels of (H, W, 3), round each pixel."""
    window = disc(radius_px)
    ranges = cv2.split(cv2.dilate(log, window) - cv2.erode(log, window))
    return np.asarray(cv2.max(cv2.max(ranges[0], ranges[1]), ranges[2]), np.float32)


def _mean(image: NDArray[np.float32], side: int) -> NDArray[np.float32]:
    """Return the mean (H, W) over square windows; nothing is beyond the image."""
    return np.asarray(cv2.blur(image, (side, side), borderType=cv2.BORDER_CONSTANT), np.float32)
