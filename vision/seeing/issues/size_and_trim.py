"""Size and trim of a deck as measured in a photo.

A photo shows the ratio of width to height and how far the pictures are trimmed, but not the size in
millimetres. If the stated size is wrong, one of its two lengths is taken to be right: the one that
gives a size in which cards are sold.
"""

import numpy as np

from vision.seeing.estimation.model import Solution, TrimModel, trim_parameters
from vision.seeing.registration.sample_grid import scales_px_per_mm
from vision.seeing.values import PoseEstimate
from vision.texts import make_issue
from vision.values.arrays import FloatArray
from vision.values.layout import TrimEstimate
from vision.values.messages import Issue, message
from vision.values.pieces import Faces

__all__ = [
    "ASPECT",
    "insides_mm",
    "likely_size",
    "print_scale",
    "report_print_scale",
    "report_size",
    "trim_estimate",
]

#: Sizes that cards are sold in, mm: poker, bridge, trading cards, tarot, European, American,
#: Japanese, small ones of both, large and square ones.
_SOLD_MM = (
    (63.5, 88.9),
    (57.15, 88.9),
    (70.0, 120.0),
    (59.0, 92.0),
    (56.0, 87.0),
    (59.0, 86.0),
    (44.0, 68.0),
    (41.0, 63.0),
    (80.0, 120.0),
    (70.0, 70.0),
)


# From where on a deck's size and cut are told as wrong.
_PROOF = 3.0  # deviations
ASPECT = 0.008  # 0.7 mm of a card's height: less may be how it was measured
_INSIDE_MM = 0.8  # of a side: less is how people cut
_SOLD = 0.012  # of a length: cards are sold in this size


def trim_estimate(located: PoseEstimate) -> TrimEstimate | None:
    """Return the trim measured in a photo beyond its prior; None if it was not estimated."""
    covariance, before = located.cut_covariance, located.cut_sd
    if covariance is None or before is None:
        return None
    all_told = np.linalg.inv(covariance)
    values, axes = np.linalg.eigh(all_told - np.diag(before**-2.0))
    own = (axes * np.maximum(values, 0.0)) @ axes.T
    return TrimEstimate(all_told @ trim_parameters(located.solution), (own + own.T) / 2)


def likely_size(stated_mm: tuple[float, float], aspect: float) -> tuple[float, float]:
    """Return the cards' size, mm: with one stated length kept, the size in which cards are sold.

    If neither or both lengths give such a size, the width is kept.

    Parameters
    ----------
    stated_mm : (float, float)
        Width and height as told.
    aspect : float
        Logarithm of the cards' width over height, over that told.

    Examples
    --------
    >>> width, height = likely_size((57.0, 87.0), -0.0227)
    >>> round(width, 1), round(height, 1)
    (57.0, 89.0)
    """
    width, height = stated_mm
    by_width = (width, height * float(np.exp(-aspect)))
    by_height = (width * float(np.exp(aspect)), height)
    return min((by_width, by_height), key=_distance_to_sold_size)


def _distance_to_sold_size(size_mm: tuple[float, float]) -> float:
    """Return the relative distance of a size to the nearest sold one, either way up."""
    ways = np.array([*_SOLD_MM, *(size[::-1] for size in _SOLD_MM)])
    miss = float(np.abs(np.log(ways / size_mm)).max(axis=1).min())
    return miss if miss < _SOLD else _SOLD


def insides_mm(stated_mm: tuple[float, float], cut: TrimModel) -> FloatArray:
    """Return how far (4,) inside the card's edge its pictures end: left, top, right, bottom, mm."""
    half = cut.stretch * stated_mm / 2
    lacks, shift = -half * cut.growth, np.array(cut.shift_mm)
    return np.concatenate([lacks + shift, lacks - shift])


def report_size(located: PoseEstimate, stated_mm: tuple[float, float]) -> tuple[Issue, ...]:
    """Report a shape or trim of the cards that differs from the deck's, or edges elsewhere."""
    cut = located.solution.cut
    if cut is None or located.cut_covariance is None:
        return ()
    if located.edgeless:  # whatever size and trim came of it
        return (make_issue("deck_edges", "issue.deck_edges", (), "doubt"),)
    sd = np.sqrt(np.diag(located.cut_covariance))
    said = []
    if abs(cut.aspect) > max(ASPECT, _PROOF * sd[0]):
        width, height = likely_size(stated_mm, cut.aspect)
        values = {"width": width, "height": height}
        told = {"told_width": f"{stated_mm[0]:g}", "told_height": f"{stated_mm[1]:g}"}
        said.append(make_issue("deck_size", "issue.deck_size", (), "doubt", **values, **told))
    lengths = dict(zip(("left", "top", "right", "bottom"), insides_mm(stated_mm, cut), strict=True))
    half = np.array(stated_mm) / 2
    sides_sd = np.tile(np.hypot(half * sd[1:3], sd[3:]), 2)
    limits = np.maximum(_INSIDE_MM, _PROOF * sides_sd)
    sides = tuple(
        message(f"cut.{'narrow' if mm > 0 else 'wide'}", mm=abs(mm), side=side)
        for (side, mm), limit in zip(lengths.items(), limits, strict=True)
        if abs(mm) > limit
    )
    if sides:
        said.append(make_issue("deck_cut", "issue.deck_cut", (), "note", sides=sides, **lengths))
    return tuple(said)


# What a border may seem wider or narrower by (200 ray-traced photos: -0.3 to 0.9 px).
_SCALE_WIDER_PX = 0.95  # at each edge: white that is clipped spreads by nearly as much
_SCALE_NARROWER_PX = 0.5  # at each edge: dark print spreads less than white paper
_SCALE_LEAST_MM = 0.35  # at both edges together: less may be how a deck is cut


def print_scale(solution: Solution, bank: Faces) -> float | None:
    """Return the scale of the print relative to the deck's; None if it fits.

    Parameters
    ----------
    solution : Solution
        Of the cards' sides and printed frames: the bloom tells what the border seems wider by.
    bank : Faces
        The faces; a deck without a printed frame tells nothing.
    """
    if not bank.frames or not len(solution.poses):
        return None
    bloom = solution.bloom_px
    px_per_mm = float(np.median(scales_px_per_mm(solution, np.arange(len(solution.poses)))))
    wider_mm = (2 * bloom + solution.inner_bloom_px) / px_per_mm
    if not -_SCALE_NARROWER_PX <= bloom <= _SCALE_WIDER_PX and abs(wider_mm) > _SCALE_LEAST_MM:
        frame = bank.frames[0]
        return 1 - wider_mm / ((frame.width_mm + frame.height_mm) / 4)
    return None


def report_print_scale(solution: Solution, bank: Faces) -> tuple[Issue, ...]:
    """Report the scale of the print if it differs from the cards'."""
    scale = print_scale(solution, bank)
    if scale is None:
        return ()
    off = abs(1 - scale) * bank.height_mm / 2
    return (make_issue("print_scaled", "issue.print_scaled", (), "doubt", scale=scale, off=off),)
