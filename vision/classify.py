"""Outlines -> ranked readings, by template matching.

A face is compared as a grid of colour samples inside its printed frame. Lightness and two colour
differences are taken after dividing by the card's own white border, centred, weighted by how much
the deck's faces differ at that place, and brought to unit length, so that one matrix product
gives the normalised correlation of every outline with every face.

References
----------
.. [1] Lewis, Fast Normalized Cross-Correlation, 1995.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.geometry import card_corners
from vision.types import FloatArray, ImageBGR, Points, TemplateBank

__all__ = ["ClassifySettings", "FaceIndex", "Match", "index_faces", "match_cards", "match_quads"]


@dataclass(frozen=True, slots=True)
class ClassifySettings:
    """How faces are compared."""

    spacing_mm: float = 1.5  # between samples: 38 x 54 of them; finer print is lost at 1.5 px/mm
    blur_mm: float = 0.6  # what a phone at a metre and the sampling leave of the print
    colour_weight: float = 1.6  # colour differences are smaller than those of lightness
    floor_weight: float = 0.35  # of places where all faces are alike, against the mean
    hopeless: float = 0.25  # correlation below which no covered part explains the rest
    residual_limit: float = 0.16  # of white: a sample farther from the face is covered or glare


@dataclass(frozen=True, slots=True, eq=False)
class FaceIndex:
    """A template bank made ready for matching.

    ``grid_mm`` (G, 2) are the sample places in the card frame, ``border_mm`` (B, 2) places in the
    white border; ``features`` (K, G, 3) the faces there, white = 1; ``weights`` (G, 3);
    ``vectors`` (2K, 3G) float32 unit vectors, first upright, then turned by half.
    """

    card_ids: tuple[str, ...]
    size_mm: tuple[float, float]
    rectangles_mm: tuple[tuple[float, float], ...]  #: the card's edge, then its printed frame
    grid_mm: Points
    shape_hw: tuple[int, int]
    border_mm: Points
    features: FloatArray
    weights: FloatArray
    vectors: np.ndarray
    settings: ClassifySettings


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """How one outline or card compares with all faces.

    ``scores`` (K, 2) is the correlation with each face upright and turned by half; ``visible``
    the share of the face that agrees with the best one.
    """

    scores: FloatArray
    best: int
    half_turned: bool
    visible: float = 1.0

    @property
    def score(self) -> float:
        """The best correlation."""
        return float(self.scores.max())

    @property
    def lead(self) -> float:
        """By how much the best face beats the next other face."""
        per_face = np.sort(self.scores.max(axis=1))
        return float(per_face[-1] - per_face[-2]) if len(per_face) > 1 else float(per_face[-1])


def index_faces(bank: TemplateBank, settings: ClassifySettings | None = None) -> FaceIndex:
    """Sample every face of a bank on the comparison grid."""
    settings = settings or ClassifySettings()
    size = (bank.width_mm, bank.height_mm)
    inner = (bank.frames[0].width_mm, bank.frames[0].height_mm) if bank.frames else size
    columns = int((inner[0] - 1.0) / settings.spacing_mm)
    rows = int((inner[1] - 1.0) / settings.spacing_mm)
    x = (np.arange(columns) - (columns - 1) / 2) * settings.spacing_mm
    y = (np.arange(rows) - (rows - 1) / 2) * settings.spacing_mm
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    border = _ring((size[0] + inner[0]) / 2, (size[1] + inner[1]) / 2)
    samples = []
    for face in bank.faces:
        soft = cv2.GaussianBlur(face, (0, 0), settings.blur_mm * bank.px_per_mm)
        at = (grid + [size[0] / 2, size[1] / 2]) * bank.px_per_mm - 0.5
        samples.append(_sample(np.asarray(soft, np.uint8), at[None])[0])
    features = _features(np.array(samples) / 255.0)
    spread = features.std(axis=0)
    weights = settings.floor_weight * spread.mean() + spread
    weights = weights / weights.mean() * [1, settings.colour_weight, settings.colour_weight]
    flipped = features[:, ::-1]  # a half turn reverses the centred grid
    vectors = _unit_vectors(np.concatenate([features, flipped]), weights[None])
    return FaceIndex(
        bank.card_ids,
        size,
        (size, inner) if bank.frames else (size,),
        grid,
        (rows, columns),
        border,
        features,
        weights,
        vectors,
        settings,
    )


def match_quads(
    reduced: ImageBGR, quads_px: FloatArray, index: FaceIndex
) -> tuple[FloatArray, list[Match]]:
    """Compare each quadrilateral with all faces, as the card's edge and as its printed frame.

    Parameters
    ----------
    reduced : (H, W, 3) uint8
        The picture in which ``quads_px`` (N, 4, 2) are given.
    quads_px : (N, 4, 2) float64
        Clockwise corners, first one arbitrary.
    index : FaceIndex
        The faces.

    Returns
    -------
    corners_px : (N, 4, 2) float64
        TL, TR, BR, BL of the card's edge, so that the best face is upright.
    matches : list of Match
        One for each quadrilateral, of its best meaning.
    """
    if not len(quads_px):
        return np.zeros((0, 4, 2)), []
    readings = []  # (rectangle, quarter) x N homographies
    for width, height in index.rectangles_mm:
        shape = card_corners(width, height)
        for quarter in (0, 1):
            readings.append(_homographies(shape, np.roll(quads_px, -quarter, axis=1)))
    homographies = np.stack(readings, axis=1)  # (N, R, 3, 3)
    n, r = homographies.shape[:2]
    flat = homographies.reshape(-1, 3, 3)
    scores = _scores(reduced, flat, index).reshape(n, r, 2, -1)
    card = card_corners(*index.size_mm)
    corners = np.empty((n, 4, 2))
    matches = []
    for i in range(n):
        reading = int(scores[i].reshape(r, -1).max(axis=1).argmax())
        per_turn = scores[i, reading]  # (2, K)
        turn, face = np.unravel_index(int(per_turn.argmax()), per_turn.shape)
        corners[i] = np.roll(_apply(homographies[i, reading][None], card)[0], -2 * turn, axis=0)
        matches.append(Match(per_turn[::-1].T if turn else per_turn.T, int(face), False))
    return corners, matches


def match_cards(reduced: ImageBGR, cards_px: FloatArray, index: FaceIndex) -> list[Match]:
    """Compare cards whose grids are known in the picture, with what is covered left out.

    Parameters
    ----------
    cards_px : (N, G + B, 2) float64
        Where the grid and the border places of each card (supposed upright) show.
    """
    if not len(cards_px):
        return []
    g = len(index.grid_mm)
    colours = _sample(reduced, cards_px)
    features = _features(_whitened(colours[:, :g], colours[:, g:]))
    scores = (_unit_vectors(features, index.weights[None]) @ index.vectors.T).astype(float)
    matches = []
    k = len(index.card_ids)
    for i in range(len(cards_px)):
        both = scores[i].reshape(2, k)
        turn, face = (int(v) for v in np.unravel_index(int(both.argmax()), both.shape))
        if both.max() < index.settings.hopeless:
            matches.append(Match(both.T, face, bool(turn), 0.0))
            continue
        seen = features[i, ::-1] if turn else features[i]
        visible = _agreeing(seen, index.features[face], index)
        per_turn = both
        if 0.25 < visible.mean() < 0.9:  # partly covered: compare what is seen alone
            mask = visible[:, None] * index.weights
            own = _unit_vectors(seen[None], mask[None])
            others = _unit_vectors(index.features, mask[None])
            other_turn = _unit_vectors(index.features[:, ::-1], mask[None])
            upright = (others @ own[0]).astype(float)
            turned = (other_turn @ own[0]).astype(float)
            per_turn = np.stack([turned, upright] if turn else [upright, turned])
            face = int(per_turn[turn].argmax())
        matches.append(Match(per_turn.T, face, bool(turn), float(visible.mean())))
    return matches


def _scores(picture: ImageBGR, homographies: FloatArray, index: FaceIndex) -> FloatArray:
    """Return the correlations (N, 2K) of patches seen through homographies from card mm."""
    places = np.concatenate([index.grid_mm, index.border_mm])
    at = _apply(homographies, places)
    colours = _sample(picture, at)
    g = len(index.grid_mm)
    features = _features(_whitened(colours[:, :g], colours[:, g:]))
    return (_unit_vectors(features, index.weights[None]) @ index.vectors.T).astype(np.float64)


def _whitened(colours: FloatArray, border: FloatArray) -> FloatArray:
    """Divide by the colour of the white border: the light's colour and strength go."""
    white = np.median(border, axis=1, keepdims=True)
    return colours / np.maximum(white, 24.0)


def _features(colours: FloatArray) -> FloatArray:
    """Turn (…, 3) BGR, white = 1, into lightness and two colour differences."""
    b, g, r = colours[..., 0], colours[..., 1], colours[..., 2]
    return np.stack([(b + g + r) / 3, r - g, b - (r + g) / 2], axis=-1)


def _unit_vectors(features: FloatArray, weights: FloatArray) -> np.ndarray:
    """Centre each channel over the weighted grid, weight, and scale to unit length: (N, 3G)."""
    total = weights.sum(axis=1, keepdims=True)
    mean = (features * weights).sum(axis=1, keepdims=True) / np.maximum(total, 1e-9)
    vectors = ((features - mean) * weights).reshape(len(features), -1)
    norm = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.maximum(norm, 1e-9)).astype(np.float32)


def _agreeing(seen: FloatArray, face: FloatArray, index: FaceIndex) -> FloatArray:
    """Return which grid places (G,) of a card look like the face, after a robust fit of light."""
    keep = np.ones(len(seen), bool)
    residual = np.zeros(len(seen))
    for _ in range(3):
        residual = np.zeros(len(seen))
        for channel in range(3):
            x, y = face[:, channel], seen[:, channel]
            design = np.stack([x, np.ones_like(x)], axis=1)
            gain, offset = np.linalg.lstsq(design[keep], y[keep], rcond=None)[0]
            gain = float(np.clip(gain, 0.4, 1.6))
            residual = np.maximum(residual, np.abs(y - gain * x - offset))
        limit = max(index.settings.residual_limit, 1.5 * float(np.median(residual)))
        keep = residual < min(limit, 0.3)
        if keep.sum() < 40:
            break
    # a place counts with its neighbourhood: single samples differ for many reasons
    share = cv2.blur(keep.reshape(index.shape_hw).astype(np.float32), (5, 5))
    return (share > 0.5).astype(np.float64).ravel()


def _ring(width: float, height: float) -> Points:
    """Return places along a rectangle, 6 mm apart, corners left out."""
    x = np.arange(-width / 2 + 4, width / 2 - 3, 6.0)
    y = np.arange(-height / 2 + 4, height / 2 - 3, 6.0)
    sides = [np.stack([x, np.full_like(x, s * height / 2)], 1) for s in (-1, 1)]
    sides += [np.stack([np.full_like(y, s * width / 2), y], 1) for s in (-1, 1)]
    return np.concatenate(sides)


def _sample(picture: ImageBGR, at_px: FloatArray) -> FloatArray:
    """Sample colours (N, P, 3) at places (N, P, 2), bilinear; black outside."""
    maps = np.ascontiguousarray(at_px, np.float32)
    return np.asarray(
        cv2.remap(picture, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR), np.float64
    )


def _homographies(src: Points, dst: FloatArray) -> FloatArray:
    """Solve (N, 3, 3) homographies from four points (4, 2) to (N, 4, 2)."""
    n = len(dst)
    x, y = src[:, 0], src[:, 1]
    u, v = dst[..., 0], dst[..., 1]
    rows = np.zeros((n, 8, 8))
    rows[:, 0::2, 0], rows[:, 0::2, 1], rows[:, 0::2, 2] = x, y, 1
    rows[:, 1::2, 3], rows[:, 1::2, 4], rows[:, 1::2, 5] = x, y, 1
    rows[:, 0::2, 6], rows[:, 0::2, 7] = -u * x, -u * y
    rows[:, 1::2, 6], rows[:, 1::2, 7] = -v * x, -v * y
    # convex quadrilaterals never make this singular
    h = np.linalg.solve(rows, dst.reshape(n, 8, 1))[..., 0]
    return np.concatenate([h, np.ones((n, 1))], axis=1).reshape(n, 3, 3)


def _apply(homographies: FloatArray, points: Points) -> FloatArray:
    """Map points (P, 2) through each of (N, 3, 3): (N, P, 2)."""
    full = np.concatenate([points, np.ones((len(points), 1))], axis=1)
    mapped = np.einsum("nij,pj->npi", homographies, full)
    return mapped[..., :2] / mapped[..., 2:]
