"""Detects the outlines of cards in a photo and the plane they lie on, without known faces.

A card is an outline with an edge along all four sides, of the cards' common size on the table
plane. Many cards have a printed frame, whose outline looks the same but smaller: of nested outlines
the outermost is the card.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.drafts.missed import lay_into_corners, unlike_cloth
from calibration.drafts.odd_sizes import odd_sizes
from calibration.drafts.shadows import trim_shadows
from calibration.drafts.slots import find_slots
from vision.errors import TableNotFoundError
from vision.geometry import card_corners, table_from_photo
from vision.imaging.photo import Photo
from vision.imaging.view import View, from_level, to_level
from vision.seeing.detection.edge_contrast import side_shares
from vision.seeing.detection.edge_quads import equalise_contrast, find_edge_quads
from vision.seeing.detection.quads import refine_quads
from vision.seeing.detection.quads import suppress_repeated_quads as without_near
from vision.seeing.estimation.model import Solution, camera_of, project_cards
from vision.seeing.estimation.overlaps import non_max_suppression
from vision.seeing.estimation.plane import PlaneSettings, camera_priors, poses_on_plane, solve_plane
from vision.values.arrays import BoolArray, FloatArray

__all__ = [
    "FoundSettings",
    "LaidOut",
    "Outlines",
    "find_cards",
    "find_outlines",
    "lay_out",
    "outermost",
    "sides_on",
]


_ROUNDS = 3  # iterations of plane and cards
_MARGINS = (0.0, 0.03, 0.045, 0.06, 0.08, 0.1)  # of slots round cards, of the shorter side
_FITS_BETTER = 0.6  # misfit of slots as such, of theirs as cards, from which they are told apart
_FEWEST_AROUND = 6
_LAYERS = 3  # nested slots: a double line has four edges, two near each other


@dataclass(frozen=True, slots=True)
class FoundSettings:
    """Settings of the detection; shares of a card's shorter side unless stated."""

    look_sides_px: tuple[int, ...] = (1050, 2100)  # longer sides of the searched images
    # least share of the faintest side along which an edge runs: cards are uncovered
    least_side: float = 0.6
    usual_side: float = 0.8  # least mean of that over the four sides
    # both for faint outlines, if plane and card shape agree too
    faint_sides: tuple[float, float] = (0.5, 0.65)
    repeat_px: float = 2.0  # mean corner distance below which outlines are the same
    same_middle: float = 0.12  # largest distance of the centres of a card and its frame
    inner: tuple[float, float] = (0.5, 0.97)  # area of a frame, of its card's
    shape: float = 0.035  # largest rms deviation of the corners from a card's shape on the plane
    same_card: float = 0.3  # overlap, of a card's area, above which two outlines are the same card
    in_slots: float = 0.7  # least share of the slots with a card; else their contents are no cards
    # larger deviations of corners are replaced; smaller are the card's own: bend, lens
    own_corners: float = 0.012
    # a printed frame is farther away; two pixels of a coarser level are not
    fine_samples: int = 40  # along a side
    fine_reach_px: float = 2.0  # to either side
    # panels and pairs of cards are larger than cards: all of them propose planes
    plane: PlaneSettings = field(default_factory=lambda: PlaneSettings(most_planes=150))


@dataclass(frozen=True, slots=True, eq=False)
class Outlines:
    """Outlines (N, 4, 2), photo frame: with a clear edge all along, and with a faint one."""

    clear: FloatArray
    faint: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class LaidOut:
    """The cards of a photo.

    ``corners_px`` (N, 4, 2) are TL, TR, BR, BL of each card, upright in the photo, photo frame;
    ``misfit`` (N,) is the corners' deviation from a card's shape, as a share of its shorter side;
    ``edged`` (N,) is the share of the faintest side along which an edge runs. ``may_be_slots`` (N,)
    marks outlines that may be printed round a card: either all have exactly the same rotation and
    contain another outline each, or other cards of the photo lie in slots and this one is not like
    them. ``odd`` (N,) marks cards whose size is not that of most others.
    """

    corners_px: FloatArray
    misfit: FloatArray
    edged: FloatArray
    size_mm: tuple[float, float]
    may_be_slots: BoolArray
    odd: BoolArray


def find_outlines(photo: Photo, settings: FoundSettings | None = None) -> Outlines:
    """Detect the outlines in a photo that have an edge all along, clear or faint."""
    s = settings or FoundSettings()
    view = View(photo.image)
    found = [np.zeros((0, 4, 2))]
    for level in dict.fromkeys(view.level_within(side) for side in s.look_sides_px):
        picture = view[level]
        for look in (picture, equalise_contrast(picture)):
            quads = from_level(refine_quads(picture, find_edge_quads(look)), level)
            found.append(_refined(view, level, _edged(view, quads, s, s.faint_sides), s))
    quads = np.concatenate(found)
    quads = _without_shadows(view, quads[_inside(quads, photo)], s)
    clear, faint = (
        without_near(_edged(view, quads, s, least), s.repeat_px)
        for least in ((s.least_side, s.usual_side), s.faint_sides)
    )
    return Outlines(clear, faint)


def _without_shadows(view: View, outlines: FloatArray, s: FoundSettings) -> FloatArray:
    """Return outlines (N, 4, 2) with the sides that run along a shadow at the card's edge."""
    trimmed, changed = trim_shadows(view, outlines)
    return np.concatenate([outlines[~changed], _refined(view, 1, trimmed[changed], s)])


def find_cards(
    photo: Photo, size_mm: tuple[float, float], settings: FoundSettings | None = None
) -> LaidOut:
    """Detect the cards of a known size in a photo.

    Parameters
    ----------
    photo : Photo
        With cards that lie face up and uncovered.
    size_mm : (float, float)
        Width and height of a card, upright.

    Raises
    ------
    TableNotFoundError
        If no card is found.
    """
    s = settings or FoundSettings()
    return lay_out(photo, find_outlines(photo, s), size_mm, s)


def lay_out(
    photo: Photo,
    outlines: Outlines,
    size_mm: tuple[float, float],
    settings: FoundSettings | None = None,
) -> LaidOut:
    """Select the outlines that are cards of a size on one plane.

    Raises
    ------
    TableNotFoundError
        If there is none.
    """
    s = settings or FoundSettings()
    cards = outlines.clear[outermost(outlines.clear, s)]
    laid, plane = _lay_out(photo, outlines, cards, size_mm, s)
    for _ in range(_LAYERS):
        slots = find_slots(plane, laid.corners_px, outlines.clear, size_mm)
        around, larger = _around(photo, laid.corners_px, outlines.clear, size_mm, s)
        if larger is not None and not slots.may_be:
            plane = larger
            slots = find_slots(plane, around, outlines.clear, size_mm)
        if slots.may_be:
            laid = replace(laid, may_be_slots=np.ones(len(laid.corners_px), np.bool_))
        if not len(slots.within):
            break
        faint = find_slots(plane, laid.corners_px, outlines.faint, size_mm).outlines
        cards = outlines.clear[slots.within]
        outlines = Outlines(outlines.clear[~slots.outlines], outlines.faint[~faint])
        try:
            within, plane = _lay_out(photo, outlines, cards, size_mm, s)
        except TableNotFoundError:
            break
        if len(within.corners_px) < s.in_slots * len(laid.corners_px):
            break
        laid = replace(within, may_be_slots=~_are_among(within.corners_px, cards, s))
    odd = odd_sizes(lambda some: _plane(photo, some, size_mm, s), laid.corners_px, size_mm)
    return replace(laid, odd=odd)


def _around(
    photo: Photo,
    cards: FloatArray,
    outlines: FloatArray,
    size_mm: tuple[float, float],
    s: FoundSettings,
) -> tuple[FloatArray, Solution | None]:
    """Return the outermost outlines of cards (N, 4, 2), and their plane if they are larger ones.

    A slot has another shape than a card. As long as it is taken for one, a camera that is tilted
    explains that, and slots seem neither parallel nor alike on such a plane. None: they fit best
    as cards.
    """
    outer = outlines[outermost(outlines, s)]
    side = np.linalg.norm(cards - np.roll(cards, 1, axis=1), axis=2).min(axis=1)
    apart = np.linalg.norm(cards.mean(axis=1)[:, None] - outer.mean(axis=1)[None], axis=2)
    outer = outer[np.unique(np.argmin(apart, axis=1)[apart.min(axis=1) < s.same_middle * side])]
    if len(outer) < _FEWEST_AROUND:
        return outer, None
    both = np.concatenate([outer, np.roll(outer, -1, axis=1)])
    tried = []
    for margin in _MARGINS:
        more = 2 * margin * min(size_mm)
        larger = (size_mm[0] + more, size_mm[1] + more)
        plane = _plane(photo, both, larger, s)
        ways = [poses_on_plane(plane, np.roll(outer, k, axis=1), larger)[1] for k in (0, 1)]
        tried.append((float(np.median(np.minimum(*ways))), plane))
    best = min(range(len(tried)), key=lambda k: tried[k][0])
    is_larger = tried[best][0] < _FITS_BETTER * tried[0][0]
    return outer, tried[best][1] if best and is_larger else None


def _are_among(corners: FloatArray, outlines: FloatArray, s: FoundSettings) -> BoolArray:
    """Return which cards (N, 4, 2) coincide with one of some outlines."""
    ways = np.stack([np.roll(outlines, k, axis=1) for k in range(4)])
    off = np.linalg.norm(corners[:, None, None] - ways[None], axis=4).max(axis=3)
    side = np.linalg.norm(corners[:, 1] - corners[:, 0], axis=1)
    return np.asarray(off.min(axis=(1, 2)) < 2 * s.own_corners * side)


def _lay_out(
    photo: Photo,
    outlines: Outlines,
    outer: FloatArray,
    size_mm: tuple[float, float],
    s: FoundSettings,
) -> tuple[LaidOut, Solution]:
    """Select cards among outlines, on the plane of those (N, 4, 2) that may be card edges."""
    if not len(outer):
        msg = (
            "no cards found; lay the cards apart on a plain cloth of another colour, in even "
            "light, and photograph them from above"
        )
        raise TableNotFoundError(msg)
    both = np.concatenate([outer, np.roll(outer, -1, axis=1)])
    every = np.concatenate([outlines.clear, np.roll(outlines.clear, -1, axis=1)])
    for _ in range(_ROUNDS):
        plane = _plane(photo, both, size_mm, s)
        poses, misfit = poses_on_plane(plane, every, size_mm)
        fits = np.flatnonzero(misfit < s.shape * min(size_mm))
        fits = fits[np.argsort(misfit[fits], kind="stable")]
        fits = fits[non_max_suppression(poses[fits], size_mm, s.same_card)]
        if not len(fits):
            msg = "no outline has the shape of a card of this size; is the size right?"
            raise TableNotFoundError(msg)
        best = misfit[fits] <= max(s.own_corners * min(size_mm), float(np.median(misfit[fits])))
        both = every[fits[best]]  # an outline with a side of the printed frame fits worse
    sure = misfit[fits] < s.own_corners * min(size_mm)
    more = lay_into_corners(
        plane,
        outlines.faint,
        poses[fits[sure]],
        size_mm,
        _sharpening(photo, s),
        s.own_corners * min(size_mm),
    )
    every = np.concatenate([every[fits[sure]], more, every[fits[~sure]]])
    kept = non_max_suppression(poses_on_plane(plane, every, size_mm)[0], size_mm, s.same_card)
    corners = _upright(every[kept])
    order = _reading_order(corners)
    poses, misfit = poses_on_plane(plane, corners, size_mm)
    ideal = _nearest(project_cards(plane, poses, card_corners(*size_mm)), corners)
    own = misfit < s.own_corners * min(size_mm)
    chosen = np.where(own[:, None, None], corners, ideal)
    edged = _shares(View(photo.image), chosen[order], s).min(axis=1)
    none = np.zeros(len(order), np.bool_)
    off = (misfit / min(size_mm))[order]
    return LaidOut(chosen[order], off, edged, size_mm, none, none), plane


def _plane(
    photo: Photo, outlines: FloatArray, size_mm: tuple[float, float], s: FoundSettings
) -> Solution:
    height, width = photo.image.shape[:2]
    priors = camera_priors((width, height), photo.focal_px, s.plane)
    has_focal = photo.focal_px is not None
    return solve_plane(outlines, size_mm, priors, focal_known=has_focal, settings=s.plane).solution


def outermost(outlines: FloatArray, settings: FoundSettings) -> BoolArray:
    """Return which outlines (N, 4, 2) are in no slightly larger one of the same centre."""
    s = settings
    middle = outlines.mean(axis=1)
    a, b = outlines[:, 2] - outlines[:, 0], outlines[:, 3] - outlines[:, 1]
    area = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2
    side = np.linalg.norm(outlines - np.roll(outlines, 1, axis=1), axis=2).min(axis=1)
    apart = np.linalg.norm(middle[:, None] - middle[None], axis=2)
    share = area[:, None] / np.maximum(area[None], 1e-9)
    inside = (apart < s.same_middle * side) & (share > s.inner[0]) & (share < s.inner[1])
    return np.asarray(~inside.any(axis=1))


def _edged(
    view: View, quads: FloatArray, s: FoundSettings, sides: tuple[float, float]
) -> FloatArray:
    """Return the outlines with edges along their faintest and mean side, the clearest first."""
    shares = _shares(view, quads, s)
    clear = (shares.min(axis=1) > sides[0]) & (shares.mean(axis=1) > sides[1])
    order = np.argsort(-shares.sum(axis=1), kind="stable")
    return np.asarray(quads[order[clear[order]]], np.float64)


def _shares(view: View, quads: FloatArray, s: FoundSettings) -> FloatArray:
    """Return the shares (N, 4) of the sides of outlines, photo frame, along which an edge runs."""
    level = view.level_within(s.look_sides_px[0])
    return side_shares(view[level], to_level(quads, level))


def _sharpening(
    photo: Photo, s: FoundSettings
) -> Callable[[FloatArray], tuple[FloatArray, FloatArray]]:
    """Return a function that refines outlines and keeps those with edges.

    It returns the outlines and the share of the faintest side of each along which an edge runs.
    """
    view = View(photo.image)
    level = view.level_within(s.look_sides_px[0])

    def sharpen(quads: FloatArray) -> tuple[FloatArray, FloatArray]:
        near = from_level(refine_quads(view[level], to_level(quads, level)), level)
        fine = _refined(view, level, _edged(view, near, s, s.faint_sides), s)
        fine = _edged(view, fine[_inside(fine, photo)], s, s.faint_sides)
        fine = fine[unlike_cloth(view[level], to_level(fine, level))]
        return fine, side_shares(view[level], to_level(fine, level)).min(axis=1)

    return sharpen


def _refined(view: View, found: int, quads: FloatArray, s: FoundSettings) -> FloatArray:
    """Refine outlines of a pyramid level down to the photo's own pixels, level by level."""
    for level in range(found - 1, -1, -1):
        own = refine_quads(view[level], to_level(quads, level), s.fine_samples, s.fine_reach_px)
        quads = from_level(own, level)
    return quads


def _inside(quads: FloatArray, photo: Photo) -> BoolArray:
    """Return which outlines are entirely in the image, not cut off by its border."""
    height, width = photo.image.shape[:2]
    rim = 0.003 * max(width, height)
    low, high = quads.min(axis=(1, 2)), quads.max(axis=1)
    return np.asarray((low > rim) & (high[:, 0] < width - rim) & (high[:, 1] < height - rim))


def _upright(corners: FloatArray) -> FloatArray:
    """Rotate corners (N, 4, 2) by half a turn if their first side is the lower one."""
    top = (corners + np.roll(corners, -1, axis=1)) / 2  # centre of side k
    high = top[:, ::2, 1]  # of the sides that may be the top: 0 and 2
    first = np.where(high.argmin(axis=1) == 0, 0, 2)
    return _turned(corners, first)


def _turned(corners: FloatArray, first: np.ndarray) -> FloatArray:
    at = (np.arange(4) + first[:, None]) % 4
    return np.asarray(np.take_along_axis(corners, at[..., None], axis=1), np.float64)


def _nearest(ideal: FloatArray, corners: FloatArray) -> FloatArray:
    """Return ideal corners in the order of the nearest detected corners."""
    straight = np.abs(ideal - corners).sum(axis=(1, 2))
    round_ = np.abs(np.roll(ideal, 2, axis=1) - corners).sum(axis=(1, 2))
    return _turned(ideal, np.where(straight <= round_, 0, 2))


def _reading_order(corners: FloatArray) -> np.ndarray:
    """Return the order (N,) of cards row by row, left to right, as seen in the photo."""
    middle = corners.mean(axis=1)
    half = np.median(np.ptp(corners[..., 1], axis=1)) / 2
    order: list[int] = []
    left = list(np.argsort(middle[:, 1], kind="stable"))
    while left:
        lead = middle[left[0], 1]
        row = [k for k in left if middle[k, 1] - lead < half]
        order += sorted(row, key=lambda k: middle[k, 0])
        left = [k for k in left if k not in row]
    return np.array(order, np.int64)


def sides_on(plane: Solution, outlines: FloatArray) -> FloatArray:
    """Return mean lengths (N, 2) of opposite sides of outlines, shorter first, mm of the plane."""
    on = table_from_photo(camera_of(plane), outlines.reshape(-1, 2)).reshape(-1, 4, 2)
    sides = np.linalg.norm(np.roll(on, -1, axis=1) - on, axis=2)
    return np.sort((sides[:, :2] + sides[:, 2:]) / 2, axis=1)
