"""Tests whether a photo shows the bare table at a place.

A card shows its border and print there, or an occluder; a place that looks like the table round it
holds neither.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from vision.errors import DegenerateGeometryError
from vision.geometry import photo_from_table, table_from_card
from vision.imaging.view import View, shown_at
from vision.seeing.estimation.overlaps import are_inside_cards, card_outlines
from vision.seeing.multiview.frame_registration import RegisteredView
from vision.values.arrays import BoolArray, FloatArray, robust_sd
from vision.values.layout import Camera, poses_of

__all__ = ["BareTableSettings", "is_bare_in_view", "is_bare_table", "is_in_view"]


@dataclass(frozen=True, slots=True)
class BareTableSettings:
    """How similar a place must be to the table round it; colours are logarithms of tones."""

    clear: float = 1.0  # share of the place beside this photo's cards: less where these may hide
    # the rest of it, and be all that was seen there
    step_mm: float = 3.0  # between the points that are compared
    ring_mm: float = 24.0  # round the card: the table there
    gap_mm: float = 6.0  # round cards: their shadow and glow
    ring_points: int = 60  # of the table that must show: fewer tell nothing
    spreads: float = 4.0  # robust deviations of the table's points that the place's may be off
    more: tuple[float, float, float] = (0.05, 0.05, 0.25)  # beyond: two hues and the light
    falloff: float = 2.0  # times that, of the whole table: light is less even over all of it
    table_mm: float = 15.0  # between points of the whole table
    similarity: float = 0.97  # share of the place's points within that: a card's border is a tenth
    floor: float = 12.0  # tones added before the logarithm: noise in the dark


def is_in_view(camera: Camera, outline_mm: FloatArray, size_wh: tuple[int, int]) -> bool:
    """Return whether a card's outline (4, 2), table frame of the camera, lies within a photo."""
    try:
        at_px = photo_from_table(camera, outline_mm)
    except DegenerateGeometryError:
        return False
    return bool(_are_in_photo(at_px, size_wh).all())


def is_bare_table(
    view: View,
    camera: Camera,
    pose: FloatArray,
    others: FloatArray,
    size_mm: tuple[float, float],
    settings: BareTableSettings | None = None,
) -> bool:
    """Return whether a place surely holds neither a card nor an occluder.

    Parameters
    ----------
    view, camera : View and Camera
        The photo that shows no card there.
    pose : (3,) float64
        Where another photo has one, in this one's table frame.
    others : (N, 3) float64
        The cards of this photo.
    size_mm : (float, float)
        Width and height of a card.
    """
    s = settings or BareTableSettings()
    half = np.divide(size_mm, 2)
    reach = half + s.gap_mm + s.ring_mm
    x, y = (np.arange(-r, r + s.step_mm / 2, s.step_mm) for r in reach)
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    inside = (np.abs(grid) < half).all(axis=1)
    ring = (np.abs(grid) > half + s.gap_mm).any(axis=1)
    at = table_from_card(grid, *pose)
    clear = inside & ~are_inside_cards(at, others, size_mm, s.gap_mm if s.clear < 1 else 0.0)
    if clear.sum() < s.clear * inside.sum():
        return False  # other cards lie there: what is under them does not show
    ring &= ~are_inside_cards(at, others, size_mm, s.gap_mm)
    try:
        at_px = photo_from_table(camera, at)
    except DegenerateGeometryError:
        return False
    shown = _are_in_photo(at_px, view[0].shape[1::-1])
    ring &= shown
    if not shown[inside].all() or ring.sum() < s.ring_points:
        return False
    spacing = float(np.median(np.linalg.norm(np.diff(at_px, axis=0), axis=1)))
    place, round_it = (_colours(view, at_px[which], spacing, s) for which in (clear, ring))
    table = _table_colours(view, camera, others, size_mm, spacing, s)
    if len(table) < s.ring_points:
        return False
    # what lies round the place may be all of one hand: it must be the table's colour as well
    similarity = _is_similar(place, round_it, np.array(s.more), s)
    similarity &= _is_similar(place, table, s.falloff * np.array(s.more), s)
    return bool(similarity.mean() >= s.similarity)


def _is_similar(
    place: FloatArray, table: FloatArray, more: FloatArray, s: BareTableSettings
) -> BoolArray:
    """Return which colours (N, 3) occur among the table's (K, 3), its outliers left out."""
    middle = np.median(table, axis=0)
    spread = robust_sd(table, axis=0)
    return np.asarray((np.abs(place - middle) < s.spreads * spread + more).all(axis=1))


def _table_colours(
    view: View,
    camera: Camera,
    others: FloatArray,
    size_mm: tuple[float, float],
    spacing_px: float,
    s: BareTableSettings,
) -> FloatArray:
    """Return colours (K, 3) of the table between the cards (N, 3) of a photo."""
    if not len(others):
        return np.zeros((0, 3))
    low, high = others[:, :2].min(axis=0) - size_mm, others[:, :2].max(axis=0) + size_mm
    x, y = (np.arange(a, b, s.table_mm) for a, b in zip(low, high, strict=True))
    at = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    bare = ~are_inside_cards(at, others, size_mm, s.gap_mm)
    try:
        at_px = photo_from_table(camera, at)
    except DegenerateGeometryError:
        return np.zeros((0, 3))
    at_px = at_px[bare & _are_in_photo(at_px, view[0].shape[1::-1])]
    return _colours(view, at_px, spacing_px, s) if len(at_px) else np.zeros((0, 3))


def _are_in_photo(at_px: FloatArray, size_wh: Sequence[int]) -> BoolArray:
    """Return which points (N, 2) lie within a photo."""
    return np.asarray(((at_px > 0) & (at_px < np.array(size_wh) - 1)).all(axis=1))


def _colours(view: View, at_px: FloatArray, spacing_px: float, s: BareTableSettings) -> FloatArray:
    """Return two hues and the lightness (N, 3) at places, averaged over so many pixels."""
    level = int(np.clip(np.floor(np.log2(max(spacing_px, 1.0))), 0, len(view) - 1))
    tones = shown_at(view, at_px[None], level)[0]
    logs = np.log(tones.astype(np.float64) + s.floor)
    light = logs.mean(axis=1)
    return np.column_stack([logs[:, 0] - light, logs[:, 2] - light, light])


def is_bare_in_view(
    photo: RegisteredView,
    pose: FloatArray,
    size_mm: tuple[float, float],
    settings: BareTableSettings | None = None,
) -> bool:
    """Return whether a photo shows the bare table where something of a size would lie.

    ``pose`` (3,) is x mm, y mm, theta rad of the common frame.
    """
    layout, motion = photo.layout, photo.motion
    own = np.array([*motion.back(pose[:2]), pose[2] - motion.turn_rad])
    outline = card_outlines(own[None], size_mm)[0]
    return is_in_view(layout.camera, outline, layout.size_wh) and is_bare_table(
        photo.view, layout.camera, own, poses_of(layout.placed), size_mm, settings
    )
