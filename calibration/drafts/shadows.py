"""Outlines of a photo -> the same without the shadow that a card casts on one or two of its sides.

A shadow lies beside a card on the sides that are away from the light. It is the cloth itself, with
all its channels darker by one factor, and ends at the card's edge. A printed frame lies within its
card on all four sides, and is seldom a darker cloth.
"""

import cv2
import numpy as np

from vision.imaging.view import View, from_level, to_level
from vision.values.arrays import BoolArray, FloatArray

__all__ = ["trim_shadows"]

_SIDE_PX = 2100  # longer side of the picture in which tones are compared
_REACH = 0.08  # of the shorter side, 5 mm: shadows are no broader
_LEAST_PX = 1.5  # of a shadow: the edge itself is as soft
_STEP_PX = 0.5  # of the profile across a side
_CLOTH_PX = (2.0, 7.0)  # outside a side, where the cloth is in the light
_DARKER = (0.1, 1.3)  # logarithm of the cloth's tones over the shadow's
_SAME_HUE = 0.35  # of that, by which channels may differ: the other light is bluer or redder
_HUE_NOISE = 0.06  # logarithm, in any case
_EVEN = 0.12  # logarithm, by which the tones of a shadow with a sharp rim differ
_EDGE_PX = 2.0  # within which the card's edge shows in full
_EDGE = 0.15  # logarithm, least change of a channel there
_ENDS = 0.15  # of a side, left out at either end: rounded corners, slanting ends of a shadow
_PLACES = 40  # along a side
_FLOOR = 4.0  # tones added before the logarithm: noise in the dark


def trim_shadows(view: View, outlines_px: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Move the sides of outlines that run along a shadow to the card's edge.

    Parameters
    ----------
    view : View
        The photo.
    outlines_px : (N, 4, 2) float64
        Outlines, photo frame.

    Returns
    -------
    (N, 4, 2) float64
        The outlines; sides of which nothing was in shadow stay where they are.
    (N,) bool
        Which outlines changed.
    """
    level = view.level_within(_SIDE_PX)
    light = cv2.GaussianBlur(view[level], (0, 0), 0.7).astype(np.float32)
    trimmed = to_level(outlines_px, level).copy()
    changed = np.zeros(len(trimmed), np.bool_)
    for k, outline in enumerate(trimmed):
        depths = _shadow_depths(light, outline)
        dark = depths > 0
        both = dark & np.roll(dark, 2)
        if 1 <= dark.sum() <= 2 and not both.any():  # a shadow lies on neighbouring sides
            trimmed[k], changed[k] = _inset(outline, depths), True
    return from_level(trimmed, level), changed


def _outward(outline: FloatArray) -> FloatArray:
    """Return the unit normals (4, 2) of the sides of an outline (4, 2)."""
    along = np.roll(outline, -1, axis=0) - outline
    normals = np.stack([along[:, 1], -along[:, 0]], axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    normals *= np.sign(((outline - outline.mean(axis=0)) * normals).sum(axis=1))[:, None]
    return np.asarray(normals, np.float64)


def _shadow_depths(light: np.ndarray, outline: FloatArray) -> FloatArray:
    """Return how far (4,) inside each side of an outline (4, 2) its shadow ends; 0 without one."""
    along = np.roll(outline, -1, axis=0) - outline
    reach = max(_REACH * float(np.linalg.norm(along, axis=1).min()), 4 * _LEAST_PX)
    inside = np.arange(0.0, reach, _STEP_PX)
    outside = np.arange(*_CLOTH_PX, _STEP_PX)
    t = np.linspace(_ENDS, 1 - _ENDS, _PLACES)[:, None]
    depths = np.zeros(4)
    for k, normal in enumerate(_outward(outline)):
        side = outline[k] + t * along[k]
        cloth = np.median(_tones(light, side[None] + outside[:, None, None] * normal), axis=(0, 1))
        profile = np.median(_tones(light, side[None] - inside[:, None, None] * normal), axis=1)
        depths[k] = _shadow_depth(cloth, profile) * _STEP_PX
    return depths


def _shadow_depth(cloth: FloatArray, profile: FloatArray) -> int:
    """Return after how many steps of a profile (P, 3) inward a shadow of the cloth ends, or 0."""
    return _hard_depth(cloth, profile) or _soft_depth(cloth, profile)


def _hard_depth(cloth: FloatArray, profile: FloatArray) -> int:
    """Return the depth of a shadow with a sharp rim: an even strip from just inside the outline."""
    first = round(_LEAST_PX / _STEP_PX)
    step = cloth - profile
    off = np.abs(profile - profile[first]).max(axis=1)
    is_dark = (step > _DARKER[0]).all(axis=1) & (step < _DARKER[1]).all(axis=1)
    is_shadow = is_dark & _is_gray(step) & (off < _EVEN)
    ends = np.flatnonzero(~is_shadow[first:])
    if not len(ends) or ends[0] < 2:
        return 0
    last = first + int(ends[0])
    edge = off[last : last + 2 * first]
    return last + int(np.searchsorted(edge, edge.max() / 2)) if edge.max() > _EDGE else 0


def _soft_depth(cloth: FloatArray, profile: FloatArray) -> int:
    """Return the depth of a shadow that only grows darker from the outline to the card's edge."""
    first, wide = round(_LEAST_PX / _STEP_PX), round(_EDGE_PX / _STEP_PX)
    change = profile[wide:] - profile[:-wide]
    is_rim = (change < 0).all(axis=1) & _is_gray(change)  # of the shadow: it only grows darker
    ends = np.flatnonzero((np.abs(change).max(axis=1) > _EDGE) & ~is_rim)
    if not len(ends) or ends[0] <= first:
        return 0
    step = cloth - profile[: ends[0]]
    is_shadow = _is_gray(step) & (step.max(axis=1) < _DARKER[1])
    if not is_shadow[first:].all() or step.min(axis=1).max() < _DARKER[0]:
        return 0
    edge = np.abs(np.diff(profile[ends[0] : ends[0] + 2 * wide], axis=0)).max(axis=1)
    return int(ends[0] + edge.argmax())


def _is_gray(step: FloatArray) -> BoolArray:
    """Return which changes (P, 3) of the channels' logarithms are those of light alone."""
    most = np.maximum(_HUE_NOISE, _SAME_HUE * np.abs(step.mean(axis=1)))
    return np.asarray(np.ptp(step, axis=1) < most, np.bool_)


def _inset(outline: FloatArray, depths: FloatArray) -> FloatArray:
    """Move each side of an outline (4, 2) inward by so many pixels (4,)."""
    normals = _outward(outline)
    levels = ((outline + np.roll(outline, -1, axis=0)) / 2 * normals).sum(axis=1) - depths
    pairs = np.stack([np.roll(normals, 1, axis=0), normals], axis=1)
    return np.asarray(
        np.linalg.solve(pairs, np.stack([np.roll(levels, 1), levels], axis=1)[..., None])[..., 0],
        np.float64,
    )


def _tones(light: np.ndarray, places: FloatArray) -> FloatArray:
    """Return the logarithms of the tones (M, P, 3) at places (M, P, 2) of a picture."""
    x, y = np.moveaxis(places.astype(np.float32), -1, 0)
    found = cv2.remap(light, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.log(found.astype(np.float64) + _FLOOR)
