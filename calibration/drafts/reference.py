"""Outlines of a photo + a thing of known size among them -> the size of the cards.

Each outline in turn is taken for the known thing, which gives a plane and its scale; the others are
cards if on that plane they are rectangles of one size. Where the cards themselves could be the
thing, nothing is told apart, and nothing is said.
"""

from dataclasses import dataclass

import numpy as np

from calibration.drafts.outlines import FoundSettings, Outlines, outermost, sides_on
from vision.errors import DegenerateGeometryError, TableNotFoundError
from vision.imaging.photo import Photo
from vision.seeing.estimation.plane import camera_priors, poses_on_plane, solve_plane
from vision.values.arrays import BoolArray, FloatArray

__all__ = ["REFERENCES", "Measured", "measure_cards"]

#: What may lie beside the cards: shorter and longer side, mm.
REFERENCES: dict[str, tuple[float, float]] = {
    "bank-card": (53.98, 85.60),  # ISO/IEC 7810, ID-1
    "a4": (210.0, 297.0),  # ISO 216
}

_ALIKE = 0.06  # of the sides: outlines that differ less are of one size
_OTHER = 0.03  # of a side by which the known thing differs from the cards at least
_FEWEST = 2  # cards: one alone may be anything
_ROUNDS = 4  # of size and plane told by each other
_LEAST_SIDE_MM = 30.0  # smaller outlines beside the known thing are printed on cards
_TIGHT = 0.02  # of the sides: how much the cards' sizes may scatter on a plane that is right
_BETTER = 1.2  # times as tight as the next reading of the photo, or as much covered by cards


@dataclass(frozen=True, slots=True)
class Measured:
    """Width and height of the cards, upright, in mm; how well each is known."""

    size_mm: tuple[float, float]
    sd_mm: float
    covered: float  #: by them, pixels of the photo


def measure_cards(
    photo: Photo, outlines: Outlines, reference: str, settings: FoundSettings | None = None
) -> Measured:
    """Tell the size of cards by a known thing that lies beside them.

    Parameters
    ----------
    photo : Photo
        Of both.
    outlines : Outlines
        As :func:`calibration.drafts.outlines.find_outlines` gives.
    reference : str
        A name of :data:`REFERENCES`.

    Raises
    ------
    TableNotFoundError
        If the thing is not found for sure; says what to do.
    """
    s = settings or FoundSettings()
    outer = outlines.clear[outermost(outlines.clear, s)]
    known = REFERENCES[reference]
    readings = [
        reading
        for quad in outer
        for turned in (quad, np.roll(quad, -1, axis=0))
        if (reading := _read_as(photo, turned, outer, known, s)) is not None
    ]
    readings.sort(key=lambda r: (-r.covered, r.sd_mm))
    if not readings:
        msg = (
            f"no {reference} was found beside the cards; lay it flat among them, whole in the "
            "picture, on the plain cloth, or give the size of the cards"
        )
        raise TableNotFoundError(msg)
    best = readings[0]
    for other in readings[1:]:
        apart = np.abs(np.log(np.divide(other.size_mm, best.size_mm))).max() > _OTHER
        close = other.covered * _BETTER > best.covered and other.sd_mm < _BETTER * best.sd_mm
        if apart and close:
            msg = (
                f"more than one object in the photo may be the {reference}; measure a card with a "
                "ruler and give the size"
            )
            raise TableNotFoundError(msg)
    return best


def _read_as(
    photo: Photo,
    quad: FloatArray,
    others: FloatArray,
    known: tuple[float, float],
    s: FoundSettings,
) -> Measured | None:
    """Take an outline for the known thing; return the size of the cards, if others are cards."""
    height, width = photo.image.shape[:2]
    priors = camera_priors((width, height), photo.focal_px, s.plane)
    has_focal = photo.focal_px is not None
    reach = 0.25 * np.linalg.norm(quad[2] - quad[0])  # of outlines that are the same thing
    area = _areas(others)
    thing, size = np.asarray(known), np.asarray(known)
    alike, scatter = np.zeros(len(others), np.bool_), np.inf
    try:
        plane = solve_plane(
            quad[None], known, priors, focal_known=has_focal, settings=s.plane
        ).solution
        for _ in range(_ROUNDS):
            sides = sides_on(plane, others) * np.mean(known / sides_on(plane, quad[None])[0])
            alike, like_it = _largest_heap(sides, np.asarray(known), area)
            elsewhere = np.linalg.norm((others - quad.mean(axis=0)).mean(axis=1), axis=1) > reach
            if alike.sum() < _FEWEST or (like_it & elsewhere).any():
                return None  # several are of this size: then it is the cards'
            size = np.median(sides[alike], axis=0)
            told = (float(size[0]), float(size[1]))
            both = np.concatenate([others[alike], np.roll(others[alike], -1, axis=1)])
            plane = solve_plane(
                both, told, priors, focal_known=has_focal, settings=s.plane
            ).solution
            _, misfit = poses_on_plane(plane, both, told)
            scatter = float(np.median(misfit.reshape(2, -1).min(axis=0)) / size[0])
            thing = sides_on(plane, quad[None])[0]
    except (TableNotFoundError, DegenerateGeometryError):  # this one is not it
        return None
    off = float(np.ptp(np.log(thing / known)))
    if scatter > _TIGHT or off > _TIGHT:
        return None
    size = size * np.mean(known / thing)
    spread = float(size[0]) * max(scatter, off)
    return Measured((float(size[0]), float(size[1])), spread, float(area[alike].sum()))


def _areas(quads: FloatArray) -> FloatArray:
    """Return the areas (N,) of outlines, shared among those of one place."""
    a, b = quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1]
    area = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2
    middle = quads.mean(axis=1)
    apart = np.linalg.norm(middle[:, None] - middle[None], axis=2)
    same = (apart < 0.1 * np.sqrt(area)) & (np.abs(np.log(area[:, None] / area[None])) < _ALIKE)
    return np.asarray(area / same.sum(axis=1), np.float64)


def _largest_heap(
    sides: FloatArray, known: FloatArray, area: FloatArray
) -> tuple[BoolArray, BoolArray]:
    """Tell which outlines (N,) are of the size that covers most, and which of the known thing's.

    Of cards there are as many outlines as of what is printed on them, but larger ones.
    """
    logs = np.log(np.maximum(sides, 1e-6))
    is_known = np.abs(logs - np.log(known)).max(axis=1) < _OTHER
    open_ = ~is_known & (sides[:, 0] > _LEAST_SIDE_MM)
    near = (np.abs(logs[:, None] - logs[None]).max(axis=2) < _ALIKE) & open_[None] & open_[:, None]
    return np.asarray(near[int((near @ area).argmax())]), np.asarray(is_known)
