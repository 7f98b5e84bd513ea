"""What photos tell of a deck's size and cut -> its faces as the cards really are.

The five numbers are those of :class:`vision.values.layout.TrimEstimate`. What each photo tells is
kept, so photos add up in any order, and none counts twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.values.arrays import FloatArray
from vision.values.layout import TrimEstimate
from vision.values.pieces import Faces

__all__ = ["Evidence", "Fit", "add_evidence", "combine", "recut_faces", "refit"]

#: However many photos: they may show the same few cards, and one camera's tones lean one way.
_FLOOR_SD = np.array([0.001, 0.002, 0.002, 0.08, 0.08])
_ROUNDS = 20  # of weighing what was told against what is seen: it settles in some five
_LEAST = 1e-9 * np.eye(5)  # where neither tells anything


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What one photo told; ``photo`` is its digest."""

    photo: str
    seen: TrimEstimate


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """What is kept with a deck: the cards' size, how its pictures are cut, and by which photos.

    ``cut`` and ``sd`` (5,) are the numbers and their deviations, of the deck as it was told.
    """

    size_mm: tuple[float, float]
    cut: FloatArray
    sd: FloatArray
    evidence: tuple[Evidence, ...] = field(default=())


def add_evidence(known: Iterable[Evidence], more: Iterable[Evidence]) -> tuple[Evidence, ...]:
    """Put what photos told together, in the order of their digests; each counts once."""
    return tuple(one for _, one in sorted({e.photo: e for e in (*known, *more)}.items()))


def combine(evidence: Iterable[Evidence], told_sd: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the five numbers that photos tell together, and their deviations: (5,) each.

    ``told_sd`` (5,) is how well 0, what the deck was told, was believed before any of them: mostly
    so, but told quite wrong now and then (a prior with Cauchy's tails).
    """
    seen = [one.seen for one in evidence]
    information: FloatArray = sum((one.information for one in seen), np.zeros((5, 5)))
    side = sum((one.side for one in seen), np.zeros(5))
    cut: FloatArray = np.full(5, np.inf)
    covariance: FloatArray = np.eye(5)
    for _ in range(_ROUNDS):
        believed = np.diag(1 / (told_sd**2 + cut**2)) + _LEAST
        covariance = np.asarray(np.linalg.inv(information + believed), np.float64)
        cut = covariance @ side
    return cut, np.hypot(np.sqrt(np.diag(covariance)), _FLOOR_SD)


def refit(faces: Faces, fit: Fit, images: NDArray[np.uint8]) -> Faces:
    """Return faces of the cards' own size; ``images`` are theirs, as :func:`recut_faces` gives."""
    scale, shift = _placed(faces, fit)
    rest = (np.array(fit.size_mm) - scale * faces.size_mm) / 2
    margins = faces.margins_mm * np.tile(scale, 2) + np.concatenate([rest + shift, rest - shift])
    return replace(
        faces,
        images=images,
        width_mm=float(fit.size_mm[0]),
        height_mm=float(fit.size_mm[1]),
        margins_mm=np.where(faces.margins_mm > 0, np.maximum(margins, 0.0), 0.0),
        frames=(),
        cut_sd=tuple(fit.sd.tolist()),
    )


def recut_faces(faces: Faces, fit: Fit) -> NDArray[np.uint8]:
    """Return the images of faces cut where their cards end; what no picture shows is filled."""
    scale, shift = _placed(faces, fit)
    told, size = np.array(faces.size_mm), np.array(fit.size_mm)
    old_wh = np.array(faces.images.shape[2:0:-1])
    new_wh = np.array([round(length * faces.px_per_mm) for length in fit.size_mm])
    step = size / new_wh / scale * old_wh / told  # old pixels per new one
    first = (old_wh - 1) / 2 - shift / scale * old_wh / told - step * (new_wh - 1) / 2
    maps = np.column_stack([np.diag(step), first])
    how, rim = cv2.WARP_INVERSE_MAP | cv2.INTER_CUBIC, cv2.BORDER_REPLICATE
    images = [
        cv2.warpAffine(np.asarray(face), maps, new_wh.tolist(), flags=how, borderMode=rim)
        for face in faces.images
    ]
    return np.asarray(np.stack(images), np.uint8)


def _placed(faces: Faces, fit: Fit) -> tuple[FloatArray, FloatArray]:
    """Return how pictures lie on the cards: a point q of one at ``scale q + shift``, (2,) each."""
    stretch = np.exp([fit.cut[0] / 2, -fit.cut[0] / 2])
    gauge = np.array(fit.size_mm) / (stretch * faces.size_mm)  # photos keep the told area
    return gauge * stretch * (1 + fit.cut[1:3]), gauge * fit.cut[3:]
