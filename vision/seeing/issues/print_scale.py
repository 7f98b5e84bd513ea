"""How wide the cards' white border seems -> at what scale the deck was printed.

Light spreads over a border's two edges by a fraction of a pixel. A border that seems wider than
that by more is so: the print is smaller than the card it is on, as when sheets were fitted to a
page and the cards cut to their full size. (Cards cut along marks that shrank too are alike in all
proportions; of them a photo cannot tell.)
"""

from dataclasses import dataclass

import numpy as np

from vision.seeing.estimation.model import Solution
from vision.seeing.registration.sample_grid import scales_px_per_mm
from vision.texts import make_issue
from vision.values.messages import Issue
from vision.values.pieces import Faces

__all__ = ["PrintScaleSettings", "print_scale", "report_print_scale"]


@dataclass(frozen=True, slots=True)
class PrintScaleSettings:
    """What a border may seem wider or narrower by (200 ray-traced photos: -0.3 to 0.9 px)."""

    wider_px: float = 0.95  # at each edge: white that is clipped spreads by nearly as much
    narrower_px: float = 0.5  # at each edge: dark print spreads less than white paper
    least_mm: float = 0.35  # at both edges together: less may be how a deck is cut


def print_scale(
    solution: Solution, bank: Faces, settings: PrintScaleSettings | None = None
) -> float | None:
    """Return the print's size over that which belongs on the cards; None where it fits.

    Parameters
    ----------
    solution : Solution
        Of the cards' sides and printed frames: the bloom tells what the border seems wider by.
    bank : Faces
        The faces; a deck without a printed frame tells nothing.
    """
    s = settings or PrintScaleSettings()
    if not bank.frames or not len(solution.poses):
        return None
    bloom = solution.bloom_px
    px_per_mm = float(np.median(scales_px_per_mm(solution, np.arange(len(solution.poses)))))
    wider_mm = (2 * bloom + solution.inner_bloom_px) / px_per_mm
    if not -s.narrower_px <= bloom <= s.wider_px and abs(wider_mm) > s.least_mm:
        frame = bank.frames[0]
        return 1 - wider_mm / ((frame.width_mm + frame.height_mm) / 4)
    return None


def report_print_scale(solution: Solution, bank: Faces) -> tuple[Issue, ...]:
    """Say at what scale the deck seems to be printed, if not at that of its cards."""
    scale = print_scale(solution, bank)
    if scale is None:
        return ()
    off = abs(1 - scale) * bank.height_mm / 2
    return (make_issue("print_scaled", "issue.print_scaled", (), "doubt", scale=scale, off=off),)
