"""Cards by name -> those that look more like the cards of another name.

In a box of several teams that have the same pieces, ``red-moth`` and ``blue-moth`` differ by their
colours. Where names were given by a list and one card was missing or lay elsewhere, all names
after it have slipped, and this shows it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.values.arrays import FloatArray, ImageBGR

__all__ = ["TwinSettings", "odd_names"]


@dataclass(frozen=True, slots=True)
class TwinSettings:
    """How cards are compared."""

    wide_px: int = 48  # of the pictures: the drawing counts, not its lines
    inset: float = 0.06  # of the width left out: frames are alike on all cards
    margin: float = 0.02  # of correlation: so much more like others; seen between twins: 0.03


def odd_names(
    faces: Mapping[str, ImageBGR],
    kinds: Sequence[frozenset[str]],
    settings: TwinSettings | None = None,
) -> tuple[str, ...]:
    """Tell which cards look more like those of another kind than like their own.

    Parameters
    ----------
    faces : {str: (H, W, 3) uint8}
        The picture of each card, all of one size.
    kinds : sequence of sets of names
        The cards of each look the same but for their colours; cards in none are not asked about.
    """
    s = settings or TwinSettings()
    groups = [sorted(kind & faces.keys()) for kind in kinds]
    looks = {name: _look(faces[name], s) for group in groups for name in group}
    odd = []
    for own in groups:
        for name in own:
            twins = _likeness(looks, name, [one for one in own if one != name])
            others = max(
                (_likeness(looks, name, group) for group in groups if group is not own), default=-1
            )
            if others > twins + s.margin and len(own) > 1:
                odd.append(name)
    return tuple(odd)


def _likeness(looks: Mapping[str, FloatArray], name: str, others: Sequence[str]) -> float:
    """Return how much a card looks like others: the median counts, for some may be slipped too."""
    if not others:
        return -1.0
    return float(np.median([looks[name] @ looks[other] for other in others]))


def _look(face: ImageBGR, s: TwinSettings) -> FloatArray:
    """Return a card's lightness as a unit vector: products of two are correlations."""
    h, w = face.shape[:2]
    size_wh = s.wide_px, round(s.wide_px * h / w)
    gray = cv2.cvtColor(cv2.resize(face, size_wh, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
    edge = round(s.inset * s.wide_px)
    inner = cv2.GaussianBlur(gray.astype(np.float64), (0, 0), 1.0)[edge:-edge, edge:-edge]
    vector = (inner - inner.mean()).ravel()
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-9), np.float64)
