"""A deck's faces -> whether its cards are white paper to their edge."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vision.values.pieces import Faces

__all__ = ["PaperSettings", "is_white_paper"]


@dataclass(frozen=True, slots=True)
class PaperSettings:
    """What white paper is, in pictures that may be photographs."""

    rim: float = 0.05  # of a face's width, all round: print at the very edge is no paper
    of_light: float = 0.85  # of a face's lightest tone: paper is the lightest that a card shows
    least: float = 120.0  # of 255: a card that is all dark has no paper
    coloured: float = 0.25  # of its lightness, most that its channels differ
    faces: float = 0.8  # of a deck: a joker or a title may be otherwise


@lru_cache(maxsize=4)
def is_white_paper(faces: Faces, settings: PaperSettings | None = None) -> bool:
    """Tell whether the cards of a deck have no printed frame, and are white all along the edge."""
    s = settings or PaperSettings()
    if faces.frames:
        return False
    white, count = 0, len(faces.images)
    for left, face in zip(range(count - 1, -1, -1), faces.images, strict=True):
        white += _is_paper(np.asarray(face), s)
        if (white + left) / count < s.faces:
            return (
                False  # the others cannot make up for it: a deck of hundreds is not all looked at
            )
        if white / count >= s.faces:
            return True
    return False


def _is_paper(face: NDArray[np.uint8], s: PaperSettings) -> bool:
    """Tell whether a face (H, W, 3) is white along each of its four sides."""
    deep = max(1, round(s.rim * face.shape[1]))
    sides = (face[:deep], face[-deep:], face[:, :deep], face[:, -deep:])
    tones = np.array([np.median(side.reshape(-1, 3), axis=0) for side in sides])
    levels, apart = tones.mean(axis=1), np.ptp(tones, axis=1)
    lightest = np.percentile(face[::3, ::3].mean(axis=2), 97)
    is_white = (levels > max(s.least, s.of_light * lightest)) & (apart < s.coloured * levels)
    return bool(is_white.all())
