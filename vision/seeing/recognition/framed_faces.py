"""Features of framed faces that are invariant to light, reflections and distance.

A face is a grid of colour samples inside its printed frame. Lightness and two colour differences
are taken after division by the card's own white border; each is normalised by the mean and contrast
of its neighbourhood (the haze of a reflection is smooth, print is not) and weighted by how much the
deck's faces differ at that place. One matrix product gives the normalised correlation of every
outline with every face.

References
----------
.. [1] Pizer et al., Adaptive Histogram Equalization and its Variations, 1987 (local contrast).
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.view import View, sample, sample_grids
from vision.seeing.recognition.smoothing import MESH_PX, around
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, IntArray, Points
from vision.values.pieces import Faces

__all__ = [
    "FaceIndex",
    "Templates",
    "compare",
    "compare_hues",
    "compare_places",
    "correlate_hues",
    "describe",
    "index_faces",
    "sample_colours",
    "tint_of",
    "to_features",
]

_Values = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Templates:
    """T templates of G places with C channels, prepared for normalised correlation.

    Each channel is taken relative to its weighted mean. The columns of ``sums`` (G C, T + 2 C) give
    the product with each template, the weighted mean of each channel, and its sum under squared
    weights; ``squared`` (G C,) are those weights, ``total`` (C,) their sums, ``lengths`` (T,) the
    norms of the templates.
    """

    sums: _Values
    squared: _Values
    total: _Values
    lengths: FloatArray

    @classmethod
    def of(cls, pictures: _Values | FloatArray, weights: FloatArray) -> "Templates":
        """Prepare pictures (T, G, C) with weights (G, C) for each place and channel."""
        t, _, c = pictures.shape
        share = weights / np.maximum(weights.sum(axis=0), 1e-9)
        centred = (pictures - (share * pictures).sum(axis=1, keepdims=True)) * weights
        lengths = np.sqrt((centred**2).sum(axis=(1, 2)))
        unit = centred / np.maximum(lengths, 1e-9)[:, None, None]
        products = weights * unit - share * (weights * unit).sum(axis=1, keepdims=True)
        channel = np.eye(c)[:, None]
        columns = np.concatenate([products, channel * share, channel * weights**2])
        sums = np.ascontiguousarray(columns.reshape(t + 2 * c, -1).T, np.float32)
        squared = (weights**2).astype(np.float32)
        return cls(sums, squared.ravel(), squared.sum(axis=0), lengths)

    def compare(self, seen: _Values) -> FloatArray:
        """Return the correlation (N, T), -1..1, with samples (N, G, C)."""
        flat = seen.reshape(len(seen), len(self.squared))
        t, c = len(self.lengths), len(self.total)
        products, means, held = np.split(flat @ self.sums, [t, t + c], axis=1)
        around = (means * (2 * held - means * self.total)).sum(axis=1)
        lengths = np.sqrt(np.maximum(np.square(flat) @ self.squared - around, 0))
        scores = products / np.maximum(lengths, np.float32(1e-9))[:, None]
        return np.asarray(scores, np.float64)


_LIGHTNESS_AND_HUES = np.array([[1 / 3, 1 / 3, 1 / 3], [0, -1, 1], [1, -0.5, -0.5]])  # of B, G, R
_HUES = np.array([0.0, 1.0, 1.0])  # which of them are hues


_SPACING_MM = 1.5  # between samples: 36 x 53 of them; finer print is lost at 1.5 px/mm
_INSET_MM = 0.5  # of the outermost samples from the frame's edge: the edge's own blur
_BLUR_MM = 0.6  # what a phone at a metre and the sampling leave of the print
_BORDER_STEP_MM = 6.0  # between places in the white border: its median is wanted
_BORDER_INSET_MM = 4.0  # from the corners, which are rounded
WHITE_FLOOR = 24.0  # tones: a darker border is noise, or no border
_COLOUR_WEIGHT = 0.25  # local colour is noise where photos are poor; hues tell teams
_NEIGHBOURHOOD = 9  # samples (13 mm): wider than print's strokes, narrower than a reflection
CONTRAST_FLOOR = 0.1  # of white: below, local contrast is noise and not amplified
_FLOOR_WEIGHT = 0.35  # of places where all faces are alike, against the mean
_TINT_DARK = 0.25  # of white: lighter places show the border, not the frame
_TINT_SHARE = 0.3  # of the frame that must show for its tint to count
_TWINS = 0.5  # correlation of one motif in two tints: 0.59 and more; of two motifs: 0.37


@dataclass(frozen=True, slots=True, eq=False)
class FaceIndex:
    """The faces of a deck prepared for comparison: K faces, G grid places, B border places.

    ``size_mm`` is the card's size; ``rectangles_mm`` its edge, then its printed frame.
    ``grid_mm`` (G, 2) are the sample places, card frame, row by row in a grid of ``shape_hw``;
    ``border_mm`` (B, 2) places in the white border; ``beside_border`` (B,) the grid place nearest
    to each; ``frame_places`` (F,) the outermost grid places, on the printed frame. ``features`` (K,
    G, 3) are the faces there, white = 1, ``relative`` (K, G, 3) the same normalised by the
    neighbourhood; ``tints`` (K, 2) those of the frames; ``weights`` (G, 3). ``shapes`` are the 2K
    templates of the normalised features, upright then half turned; ``hues`` those of the colour
    differences without normalisation; ``colourful`` (K,), 0..1, is how colourful each face is
    relative to ``usual_colour`` of the deck. ``is_whole`` (K,) marks faces of a deck that
    has all cards of its game, whose motif it has in all tints that most of its motifs have.
    """

    card_ids: tuple[str, ...]
    size_mm: tuple[float, float]
    rectangles_mm: tuple[tuple[float, float], ...]
    grid_mm: Points
    shape_hw: tuple[int, int]
    border_mm: Points
    beside_border: IntArray
    frame_places: IntArray
    features: FloatArray
    tints: FloatArray
    relative: NDArray[np.float32]
    weights: FloatArray
    shapes: Templates
    hues: Templates
    colourful: FloatArray
    usual_colour: float
    is_whole: BoolArray

    @property
    def places_mm(self) -> Points:
        """All sample places of a card (G + B, 2): the grid, then the border."""
        return np.concatenate([self.grid_mm, self.border_mm])

    @property
    def rim_mm(self) -> Points:
        """Three corners of the grid, then pairs of frame and border places (3 + 2B, 2)."""
        rows, columns = self.shape_hw
        beside = [0, columns - 1, (rows - 1) * columns, *self.beside_border]
        return np.concatenate([self.grid_mm[beside], self.border_mm])


@lru_cache(maxsize=4)
def index_faces(bank: Faces) -> FaceIndex:
    """Sample every face of a deck on the comparison grid; the last decks are cached."""
    size, inner = bank.size_mm, (bank.frames[0].width_mm, bank.frames[0].height_mm)
    columns, rows = (int((side - 2 * _INSET_MM) / _SPACING_MM) for side in inner)
    x = (np.arange(columns) - (columns - 1) / 2) * _SPACING_MM
    y = (np.arange(rows) - (rows - 1) / 2) * _SPACING_MM
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    border = _border_places((size[0] + inner[0]) / 2, (size[1] + inner[1]) / 2)
    outermost = np.ones((rows, columns), bool)
    outermost[1:-1, 1:-1] = False
    frame_places = np.flatnonzero(outermost)

    features = to_features(np.array([_sample_face(face, grid, bank) for face in bank.images]))
    spread = features.std(axis=0)
    weights = _FLOOR_WEIGHT * spread.mean() + spread
    weights = weights / weights.mean() * [1, _COLOUR_WEIGHT, _COLOUR_WEIGHT]
    both = np.concatenate([features, features[:, ::-1]])  # a half turn reverses the centred grid
    hues = Templates.of(both, np.broadcast_to(_HUES, weights.shape))
    colour = hues.lengths[: len(features)]
    usual = max(float(np.median(colour)), 1e-9)
    relative = _normalise_contrast(both, (rows, columns))
    shapes, tints = Templates.of(relative, weights), tint_of(features[:, frame_places])
    twins = shapes.compare(relative[: len(features)])[:, : len(features)] > _TWINS
    return FaceIndex(
        card_ids=bank.card_ids,
        size_mm=size,
        rectangles_mm=(size, inner),
        grid_mm=grid,
        shape_hw=(rows, columns),
        border_mm=border,
        beside_border=np.linalg.norm(border[:, None] - grid, axis=2).argmin(axis=1),
        frame_places=frame_places,
        features=features,
        tints=tints,
        relative=relative[: len(features)],
        weights=weights,
        shapes=shapes,
        hues=hues,
        colourful=np.minimum(colour / usual, 1.0),
        usual_colour=usual,
        is_whole=bank.is_whole & _whole_motifs(twins, tints),
    )


def sample_colours(
    pyramid: View,
    at_px: FloatArray,
    index: FaceIndex,
    corners: tuple[int, int, int] | None = None,
) -> ImageBGR:
    """Sample the photo at places (N, P, 2) of cards, photo frame: tones (N, P, 3), BGR.

    As :func:`sample_grids`, of the index's grid; ``corners`` are where its corners are among the
    places, which begin with it if left out.
    """
    return sample_grids(pyramid, at_px, index.shape_hw, MESH_PX, corners)


def describe(colours: ImageBGR, index: FaceIndex) -> FloatArray:
    """Return the features (N, G, 3), float32, of tones (N, G + B, 3) at ``index.places_mm``.

    Each is divided by the colour of the white border, which removes the light's colour and
    strength.
    """
    g = len(index.grid_mm)
    tones = colours.astype(np.float32)
    white = np.median(tones[:, g:], axis=1, keepdims=True)
    return to_features(tones[:, :g] / np.maximum(white, np.float32(WHITE_FLOOR)))


def compare(features: FloatArray, index: FaceIndex) -> FloatArray:
    """Return the correlation (N, 2, K), -1..1, with each face upright and half turned."""
    scores = index.shapes.compare(_normalise_contrast(features, index.shape_hw))
    return scores.reshape(len(features), 2, len(index.card_ids))


def compare_hues(features: FloatArray, index: FaceIndex) -> FloatArray:
    """Return the correlation (N, 2, K), -1..1, of the hues.

    The ships of two teams differ by hue alone, which glare, dimness and blur preserve.
    """
    scores = index.hues.compare(np.asarray(features, np.float32))
    return scores.reshape(len(features), 2, len(index.card_ids))


def compare_places(
    seen: FloatArray, places: BoolArray, faces: IntArray, index: FaceIndex
) -> tuple[FloatArray, FloatArray]:
    """Correlate a card with some faces at some places only.

    Parameters
    ----------
    seen : (G, 3) float64
        Features of the card.
    places : (F, 2, G) bool
        Which count: for each face, and for the card as it is and turned by half.
    faces : (F,) int
        Which faces.
    index : FaceIndex
        All faces.

    Returns
    -------
    shape, hue : (F, 2) float64
        The correlations, -1..1; 0 where no place counts.
    """
    relative = _normalise_contrast(seen[None], index.shape_hw)[0]
    counted = places[..., None].astype(np.float32)
    weights = counted * index.weights.astype(np.float32)
    both = np.stack([relative, relative[::-1]])
    shape = _correlations(both, index.relative[faces][:, None], weights)
    colour = np.stack([seen, seen[::-1]])
    return shape, correlate_hues(colour[None], places, index.features[faces][:, None])


def correlate_hues(seen: FloatArray, places: BoolArray, faces: FloatArray) -> FloatArray:
    """Correlate the hues of features (N, M, G, 3) with those of faces, at places (N, M, G)."""
    card, face = (of[..., 1:].astype(np.float32) for of in (seen, faces))
    return _correlations(card, face, places[..., None].astype(np.float32))


def _correlations(
    seen: NDArray[np.float32], faces: NDArray[np.float32], weights: NDArray[np.float32]
) -> FloatArray:
    """Correlate cards with faces (N, M, G, C), weighted; sizes of 1 count for all."""
    # places last: sums run along memory
    seen, faces, weights = (
        np.ascontiguousarray(of.swapaxes(-1, -2)) for of in (seen, faces, weights)
    )
    total = np.maximum(weights.sum(axis=3, keepdims=True), 1e-9)
    a, b = (
        (of - (of * weights).sum(axis=3, keepdims=True) / total) * weights for of in (seen, faces)
    )
    ab, aa, bb = (np.einsum("fkcg,fkcg->fk", *pair) for pair in ((a, b), (a, a), (b, b)))
    lengths = np.maximum(np.sqrt(aa), 1e-9) * np.maximum(np.sqrt(bb), 1e-9)
    return np.asarray(ab / lengths, np.float64)


def tint_of(frames: FloatArray) -> FloatArray:
    """Return the tints (N, 2) of the features (N, F, 3) of printed frames; nan where occluded.

    A tint is the colour difference over the darkness: haze, or blur with the white border, scales
    both alike.
    """
    dark = 1 - frames[..., 0]
    shows = dark > _TINT_DARK
    tints = np.full((len(frames), 2), np.nan)
    good = shows.mean(axis=1) >= _TINT_SHARE if len(frames) else np.zeros(0, bool)
    share = frames[good, :, 1:] / np.maximum(dark[good], _TINT_DARK)[..., None]
    ordered = np.sort(np.where(shows[good, :, None], share, np.inf), axis=1)
    count = shows[good].sum(axis=1)[:, None, None]
    low, high = (np.take_along_axis(ordered, k, 1)[:, 0] for k in ((count - 1) // 2, count // 2))
    tints[good] = (low + high) / 2  # the median of those that show
    return tints


def _whole_motifs(twins: BoolArray, tints: FloatArray) -> BoolArray:
    """Return which faces (K,) the deck has in every tint (K, 2) that most of its motifs have.

    ``twins`` (K, K) are faces of one motif.
    """
    apart, tint = np.linalg.norm(tints[:, None] - tints, axis=2), np.linalg.norm(tints, axis=1)
    has = (twins.astype(int) @ (apart < tint / 2).astype(int)) > 0
    usual = 2 * has.sum(axis=0) > len(tints)
    return np.asarray(has[:, usual].all(axis=1) & usual.any())


def _sample_face(face: NDArray[np.uint8], grid_mm: Points, bank: Faces) -> FloatArray:
    """Return the colours (G, 3) of a face, white = 1, blurred as in a photo."""
    soft = np.asarray(cv2.GaussianBlur(face, (0, 0), _BLUR_MM * bank.px_per_mm), np.uint8)
    at = grid_mm * bank.px_per_mm + (np.array(face.shape[1::-1]) - 1) / 2
    return sample(soft, at, cv2.BORDER_CONSTANT).astype(np.float64) / 255


def _border_places(width: float, height: float) -> Points:
    """Return places (B, 2) along a rectangle without its corners, mm."""
    inset, step = _BORDER_INSET_MM, _BORDER_STEP_MM
    x = np.arange(-width / 2 + inset, width / 2 - inset + 1, step)
    y = np.arange(-height / 2 + inset, height / 2 - inset + 1, step)
    sides = [np.stack([x, np.full_like(x, s * height / 2)], 1) for s in (-1, 1)]
    sides += [np.stack([np.full_like(y, s * width / 2), y], 1) for s in (-1, 1)]
    return np.concatenate(sides)


def to_features(colours: FloatArray) -> FloatArray:
    """Convert (N, P, 3) BGR, white = 1, to lightness and two colour differences."""
    if not len(colours):
        return colours
    features: FloatArray = np.asarray(cv2.transform(colours, _LIGHTNESS_AND_HUES), colours.dtype)
    return features


def _normalise_contrast(features: FloatArray, shape_hw: tuple[int, int]) -> NDArray[np.float32]:
    """Normalise features (N, G, 3) by the mean and contrast of their neighbourhood."""
    picture = np.asarray(features, np.float32).reshape(-1, *shape_hw, 3)
    away = picture - around(picture, _NEIGHBOURHOOD)
    power = around(away[..., 0] ** 2, _NEIGHBOURHOOD)
    contrast = np.sqrt(np.maximum(power, 0)) + np.float32(CONTRAST_FLOOR)
    return np.asarray((away / contrast[..., None]).reshape(features.shape), np.float32)
