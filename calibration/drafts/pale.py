"""Faces cut from photos -> from which of them light has taken contrast, and how unsure they are.

A lamp's reflection may lie over all photos of a card; then they agree, and are pale alike. Cards
that differ by their colours alone (``red-moth`` and ``blue-moth``) tell it: as gray pictures they
are the same but for the light, so one that has far less contrast than another is veiled. What the
veil took is not put back: a card may be printed paler.
"""

from collections.abc import Mapping

import numpy as np

from calibration.drafts.light import light_between
from calibration.drafts.merging import MergeSettings, drawing_of, shrunken
from vision.games.light_speed.entering import twins_of_teams
from vision.values.arrays import ImageBGR

__all__ = ["PALE", "contrast_left", "unsure_of"]

#: Of the contrast of the clearest twin: below, a card is told as pale. Of 42 cards five are; the
#: two that were taken for others have 0.69 and 0.71.
PALE = 0.75

_DRAWN_ALIKE = 0.88  # correlation: of 42 cards those of a ship have 0.94 and more, others 0.81
_TOLD = 0.95  # of a gray picture by light on its twin's: those have 0.97, other prints less
_PHOTO = 0.06  # of the brightness: what a face cut from photos differs by from the card in others
_VEIL = (
    0.45  # of it, of a veil that leaves nothing: what three cards were wrong by where twins differ
)


def contrast_left(faces: Mapping[str, ImageBGR]) -> dict[str, float]:
    """Return what light has left of each face's contrast.

    Parameters
    ----------
    faces : {str: (H, W, 3) uint8}
        The picture of each card by its name, upright, all of one size.

    Returns
    -------
    {str: float}
        As a share of the clearest that is drawn alike and named so, 0 to 1; 1 where there is none.
    """
    s = MergeSettings()
    left = dict.fromkeys(faces, 1.0)
    for names in twins_of_teams(faces).values():
        if len(names) < 2:
            continue
        small = [shrunken(faces[name], s).mean(axis=2, keepdims=True) for name in names]
        drawings = np.array([drawing_of(one) for one in small])
        gray = [np.repeat(one, 3, axis=2) for one in small]
        for i, j in np.argwhere(drawings @ drawings.T > _DRAWN_ALIKE):
            light = light_between(gray[j], gray[i])
            if i != j and light.share > _TOLD:
                left[names[i]] = min(left[names[i]], max(0.0, float(np.median(light.gain))))
    return left


def unsure_of(left: float) -> float:
    """Return by what share of the brightness a face may be wrong, root mean square.

    ``left`` is what :func:`contrast_left` gave of it; only a card that is told as pale is unsure by
    more than all others are.
    """
    return float(np.hypot(_PHOTO, _VEIL * (1 - left if left < PALE else 0.0)))
