"""Outlines -> ranked readings, by template matching.

A face is compared as a grid of colour samples inside its printed frame. Lightness and two colour
differences are taken after dividing by the card's own white border; each is then taken relative
to its neighbourhood (the veil of a reflection is smooth, print is not), weighted by how much the
deck's faces differ at that place, and brought to unit length, so that one matrix product gives
the normalised correlation of every outline with every face.

Faces of one ship in two colours correlate well, and counters may hide all but the frame: so the
tint of the printed frame is compared as well, in a form that veil and blur leave alone (colour
difference over darkness), and what it is off is taken from the correlation.

References
----------
.. [1] Lewis, Fast Normalized Cross-Correlation, 1995.
.. [2] Pizer et al., Adaptive Histogram Equalization and its Variations, 1987 (local contrast).
"""

from dataclasses import dataclass

import cv2
import numpy as np
from scipy.ndimage import uniform_filter1d

from vision.geometry import card_corners
from vision.types import FloatArray, ImageBGR, Points, TemplateBank

__all__ = [
    "ClassifySettings",
    "FaceIndex",
    "Match",
    "has_rim",
    "index_faces",
    "match_cards",
    "match_quads",
]


@dataclass(frozen=True, slots=True)
class ClassifySettings:
    """How faces are compared."""

    spacing_mm: float = 1.5  # between samples: 38 x 54 of them; finer print is lost at 1.5 px/mm
    mesh_px: float = 1.5  # of the level that is sampled: finer would alias, coarser would blur
    blur_mm: float = 0.6  # what a phone at a metre and the sampling leave of the print
    colour_weight: float = 3.0  # teams differ by colour alone, and by less than ships by shape
    hood: int = 9  # samples (13 mm): wider than print's strokes, narrower than a reflection
    contrast_floor: float = 0.1  # of white: below, local contrast is noise and not amplified
    floor_weight: float = 0.35  # of places where all faces are alike, against the mean
    tint_weight: float = 0.15  # taken from the correlation for a tint that is off by 1
    tint_most: float = 0.6  # frames of two teams are 0.4 to 1.4 apart
    tint_fade: tuple[float, float] = (0.5, 1.15)  # blur with the dark panel pales a thin frame
    tint_dark: float = 0.25  # of white: lighter places show the border, not the frame
    tint_share: float = 0.3  # of the frame that must show for its tint to count
    rim_ratio: float = 1.4  # of the border's least channel to the frame's; printed: above 3
    rim_share: float = 0.25  # of the way round
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
    beside_border: np.ndarray  #: (B,) the grid place nearest to each border place
    frame_places: np.ndarray  #: (F,) the outermost grid places, on the printed frame
    tints: FloatArray  #: (K, 2) of each face's frame
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
    beside = np.linalg.norm(border[:, None] - grid, axis=2).argmin(axis=1)
    samples = []
    for face in bank.faces:
        soft = cv2.GaussianBlur(face, (0, 0), settings.blur_mm * bank.px_per_mm)
        at = grid * bank.px_per_mm + (np.array(face.shape[1::-1]) - 1) / 2
        maps = at.astype(np.float32)
        samples.append(cv2.remap(soft, maps[:, 0], maps[:, 1], cv2.INTER_LINEAR).reshape(-1, 3))
    features = _features(np.array(samples) / 255.0)
    spread = features.std(axis=0)
    shape_hw = (rows, columns)
    edge = np.ones(shape_hw, bool)
    edge[1:-1, 1:-1] = False
    frame_places = np.flatnonzero(edge)
    weights = settings.floor_weight * spread.mean() + spread
    weights = weights / weights.mean() * [1, settings.colour_weight, settings.colour_weight]
    both = np.concatenate([features, features[:, ::-1]])  # a half turn reverses the centred grid
    vectors = _unit_vectors(_relative(both, shape_hw, settings), weights[None])
    return FaceIndex(
        bank.card_ids,
        size,
        (size, inner) if bank.frames else (size,),
        grid,
        shape_hw,
        border,
        beside,
        frame_places,
        np.array([_tint(face[frame_places], settings) for face in features]),
        features,
        weights,
        vectors,
        settings,
    )


def match_quads(
    pyramid: tuple[ImageBGR, ...], quads_px: FloatArray, index: FaceIndex
) -> tuple[FloatArray, list[Match]]:
    """Compare each quadrilateral with all faces, as the card's edge and as its printed frame.

    Parameters
    ----------
    pyramid : tuple of (H, W, 3) uint8
        The photo, and halves of it.
    quads_px : (N, 4, 2) float64
        Clockwise corners in the photo, first one arbitrary.
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
    scores = _scores(pyramid, flat, index).reshape(n, r, 2, -1)
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


def match_cards(
    pyramid: tuple[ImageBGR, ...], cards_px: FloatArray, index: FaceIndex
) -> list[Match]:
    """Compare cards whose grids are known in the picture, with what is covered left out.

    Parameters
    ----------
    cards_px : (N, G + B, 2) float64
        Where the grid and the border places of each card (supposed upright) show in the photo.
    """
    if not len(cards_px):
        return []
    g = len(index.grid_mm)
    colours = _sample(pyramid, cards_px, index)
    features = _features(_whitened(colours[:, :g], colours[:, g:]))
    vectors = _unit_vectors(
        _relative(features, index.shape_hw, index.settings), index.weights[None]
    )
    scores = (vectors @ index.vectors.T).astype(np.float64).reshape(len(cards_px), 2, -1)
    return [_match(seen, both, index) for seen, both in zip(features, scores, strict=True)]


def has_rim(pyramid: tuple[ImageBGR, ...], cards_px: FloatArray, index: FaceIndex) -> np.ndarray:
    """Tell (N,) where a white border stands out against the frame for a part of the way round.

    Cheap, for sorting out supposed cards before their faces are compared. A deck without a
    printed frame passes always.
    """
    if len(index.rectangles_mm) < 2 or not len(cards_px):
        return np.ones(len(cards_px), bool)
    g = len(index.grid_mm)
    corners = [0, index.shape_hw[1] - 1, (index.shape_hw[0] - 1) * index.shape_hw[1]]
    rim = np.concatenate([corners, index.beside_border, np.arange(g, cards_px.shape[1])])
    light = _sample(pyramid, cards_px[:, rim], index, corners=(0, 1, 2))[:, 3:].min(axis=2)
    n = len(index.beside_border)
    stands_out = light[:, n:] > index.settings.rim_ratio * light[:, :n] + 8
    return np.asarray(stands_out.mean(axis=1) > index.settings.rim_share)


def _match(seen: FloatArray, both: FloatArray, index: FaceIndex) -> Match:
    """Judge one card from its features (G, 3) and correlations (2, K)."""
    both = both - index.settings.tint_weight * _tint_misfit(seen, index)
    turn, face = (int(v) for v in np.unravel_index(int(both.argmax()), both.shape))
    visible = _agreeing(seen[::-1] if turn else seen, index.features[face], index)
    return Match(both.T, face, bool(turn), float(visible.mean()))


def _tint(features: FloatArray, settings: ClassifySettings) -> FloatArray:
    """Return the colour difference over darkness (2,) of frame places (F, 3); nan if hidden.

    A veil of light or a blur with the white border scales both alike.
    """
    dark = 1 - features[:, 0]
    shows = dark > settings.tint_dark
    if shows.mean() < settings.tint_share:
        return np.full(2, np.nan)
    return np.asarray(np.median(features[shows, 1:] / dark[shows, None], axis=0), np.float64)


def _tint_misfit(seen: FloatArray, index: FaceIndex) -> FloatArray:
    """Return how far (K,) a card's frame is off the tint of each face; 0 where it is hidden."""
    settings = index.settings
    tint = _tint(seen[index.frame_places], settings)
    if len(index.rectangles_mm) < 2 or np.isnan(tint).any():
        return np.zeros(len(index.tints))
    size = np.maximum((index.tints**2).sum(axis=1), 1e-6)
    fade = np.clip(index.tints @ tint / size, *settings.tint_fade)
    off = np.linalg.norm(tint - fade[:, None] * index.tints, axis=1)
    return np.asarray(np.minimum(off, settings.tint_most), np.float64)


def _scores(
    pyramid: tuple[ImageBGR, ...], homographies: FloatArray, index: FaceIndex
) -> FloatArray:
    """Return the correlations (N, 2K) of patches seen through homographies from card mm."""
    places = np.concatenate([index.grid_mm, index.border_mm])
    at = _apply(homographies, places)
    colours = _sample(pyramid, at, index)
    g = len(index.grid_mm)
    features = _features(_whitened(colours[:, :g], colours[:, g:]))
    relative = _relative(features, index.shape_hw, index.settings)
    return (_unit_vectors(relative, index.weights[None]) @ index.vectors.T).astype(np.float64)


def _relative(
    features: FloatArray, shape_hw: tuple[int, int], settings: ClassifySettings
) -> FloatArray:
    """Take features (N, G, 3) relative to the mean and contrast of their neighbourhood."""
    picture = features.reshape(-1, *shape_hw, 3)

    def mean(values: FloatArray) -> FloatArray:
        for axis in (1, 2):
            values = uniform_filter1d(values, settings.hood, axis=axis, mode="reflect")
        return values

    away = picture - mean(picture)
    contrast = np.sqrt(np.maximum(mean(away[..., :1] ** 2), 0))
    return (away / (contrast + settings.contrast_floor)).reshape(features.shape)


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


def _sample(
    pyramid: tuple[ImageBGR, ...],
    at_px: FloatArray,
    index: FaceIndex,
    corners: tuple[int, int, int] | None = None,
) -> FloatArray:
    """Sample colours (N, P, 3) at places (N, P, 2) of the photo, bilinear; black outside.

    Each card is read from the level whose pixels are about as wide as the grid's meshes there;
    ``corners`` are the places of the grid's first, last of the first row, first of the last row.
    """
    rows, columns = index.shape_hw
    grid = at_px[:, corners or (0, columns - 1, (rows - 1) * columns)]
    a, b = grid[:, 1] - grid[:, 0], grid[:, 2] - grid[:, 0]
    area = np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / ((rows - 1) * (columns - 1))
    mesh = np.sqrt(np.maximum(area, 1e-6))
    level = np.clip(np.round(np.log2(mesh / index.settings.mesh_px)), 0, len(pyramid) - 1)
    colours = np.empty((*at_px.shape[:2], 3))
    for k in np.unique(level).astype(int):
        rows_k = np.flatnonzero(level == k)
        maps = ((at_px[rows_k] + 0.5) / 2**k - 0.5).astype(np.float32)
        colours[rows_k] = cv2.remap(pyramid[k], maps[..., 0], maps[..., 1], cv2.INTER_LINEAR)
    return colours


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
