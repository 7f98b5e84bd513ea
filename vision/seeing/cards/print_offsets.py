"""Faces registered on a photo -> where prints lie on their cards: as they should, or cut beside."""

from dataclasses import dataclass, replace

import numpy as np

from vision.seeing.estimation.adjustment import FormPriors, Solved
from vision.seeing.estimation.model import Forms
from vision.seeing.values import PrintOffsets
from vision.values.arrays import BoolArray, FloatArray, IntArray

__all__ = ["PrintOffsetSettings", "print_offset_priors", "print_offsets"]


@dataclass(frozen=True, slots=True)
class PrintOffsetSettings:
    """What is believed of how exactly a deck was cut round its print."""

    shift_sd_mm: float = 0.3  # of the print on a card cut at home, before it is looked at
    turn_sd_deg: float = 0.15  # of it about the card's middle: 0.1 mm at a long side's end
    exact_mm: float = 0.02  # of a deck whose print lies where it should
    exact_deg: float = 0.01  # and is not turned: less than 0.01 mm at a card's corner
    doubt: float = 2.5  # variance of cut edges beyond what they say: shadow, faint sides
    floor_px: float = 0.08  # of a cut edge against the print, all cards alike or not
    proof: float = 2.0  # mean square of the prints' shifts in these terms: by chance 1.7


def print_offset_priors(
    solved: Solved,
    face_of_card: IntArray,
    loose: FormPriors,
    px_per_mm: FloatArray,
    s: PrintOffsetSettings,
) -> dict[str, FloatArray]:
    """Judge from all cards how far prints lie beside the middle: (N,) mm and rad each.

    Each card tells its own shift with its own error. Where the shifts of all are no larger than
    those errors, the deck was cut true; else their spread is what remains to be believed.
    """
    n = len(face_of_card)
    true_shift, true_turn = np.full(n, s.exact_mm), np.full(n, np.radians(s.exact_deg))
    exact = {"shift_mm": true_shift, "turn_rad": true_turn}
    forms = solved.solution.forms
    prior_sd = np.array([loose.shift_mm, loose.shift_mm, loose.turn_rad], np.float64)
    own = np.linalg.inv(solved.card_covariance[:, 3:6, 3:6])
    information = own - np.diag(prior_sd**-2.0)  # without what was believed before
    known = np.diagonal(information, axis1=1, axis2=2) > 0.5 * prior_sd**-2.0
    told = (face_of_card >= 0) & known.all(axis=1)
    if forms is None or not told.any():
        return exact
    variance = np.linalg.inv(information[told])
    shift = (variance @ own[told] @ forms.printed[told, :, None])[:, :2, 0]
    doubt = s.doubt * np.diagonal(variance, axis1=1, axis2=2)[:, :2]
    doubt = doubt + (s.floor_px / px_per_mm[told, None]) ** 2
    if np.any(doubt <= 0) or (shift**2 / doubt).mean() < s.proof:
        return exact
    # the spread with which the shifts, errors included, have the mean square that they have
    low, high = 0.0, float((shift**2).max())
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if (shift**2 / (doubt + middle)).mean() > 1 else (low, middle)
    spread = np.sqrt(high)
    turn = np.radians(s.turn_sd_deg) * spread / s.shift_sd_mm
    return {
        "shift_mm": np.full(n, max(spread, s.exact_mm)),
        "turn_rad": np.full(n, max(turn, np.radians(s.exact_deg))),
    }


def print_offsets(
    solved: Solved, turned: BoolArray, form: FormPriors, s: PrintOffsetSettings
) -> tuple[Forms | None, PrintOffsets | None]:
    """Return the forms of cards (N,) as they were given, and where prints lie beside the middle."""
    forms = solved.solution.forms
    if forms is None:
        return None, None
    sense = np.where(turned[:, None], [-1.0, -1.0, 1.0], 1.0)  # seen from a card upside down
    forms = replace(forms, printed=sense * forms.printed)
    if np.max(form.shift_mm) <= s.exact_mm:
        return forms, None
    own = sense[:, :, None] * solved.card_covariance[:, 3:6, 3:6] * sense[:, None]
    return forms, PrintOffsets(forms.printed, own)
