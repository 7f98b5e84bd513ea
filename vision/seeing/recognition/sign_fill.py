"""Fill of the signs on a card against a registered face, and ink that no face explains.

A sign that is empty, striped or full has one outline: a card whose face is missing from the deck,
but whose twin with another fill is there, agrees with the twin along every stroke. What differs is
the darkness within the signs. The light is estimated on the paper outside of them, the depth of the
print on their strokes, so that neither absorbs the fill. The median over all signs is used, because
a shadow's edge may put some places in the wrong light. Separate from ``fine_matching``: signs only.

Tones are shares of white, lengths are cells of a grid over the card.
"""

from dataclasses import dataclass

import cv2
import numpy as np

from vision.seeing.recognition.smoothing import (
    DARK,
    Tones,
    in_channels,
    local_mean,
    max_tone,
    mean_tone,
    smooth,
)
from vision.values.arrays import BoolArray, FloatArray

__all__ = [
    "ROBUST",
    "Signs",
    "darker_within_signs",
    "find_signs",
    "fit_gain",
    "residual_ink",
]


# What is a sign, its inside and its outside; lengths are cells of 48 to a card's width.
# of the disk that covers no paper wholly: signs are up to a third of a card wide
_PAPER = 23
_LEAST_PAPER = 0.5  # of the brightest: darker is art, of which no paper is known
_INK = 0.10  # of the paper: what is darker is print
_SOFT = 0.8  # of the blur before: stripes are to be one tone
_RIM = 2  # left out along the edge: a picture may show some of the table there
_BESIDE = 2  # left out round a sign: where its outline may lie
_CALM = 0.05  # of the paper a cell: of what changes more a little misplacement decides
_LEAST_OUTSIDE = 0.25  # of the card: from less paper no light is known
_LEAST_INSIDE = 12.0  # cells: fewer are noise
_STROKE: tuple[float, float] = (0.1, 0.2)  # of the paper: where print begins and is one for sure
_LIGHT = 3.0  # of the blur that is light: a shadow's edge may cross a sign
_FAR = 1e-6  # of the weight of paper: what all else tells of the light
ROBUST = 0.15  # of the paper: larger differences count less for the depth
_GAIN: tuple[float, float] = (0.5, 1.6)  # of the face's depth in the card
_GAIN_HOLD = 0.02  # of the squared depth of a full print: what holds the gain at 1


@dataclass(frozen=True, slots=True, eq=False)
class Signs:
    """A face (H, W, 3) as shares of its own paper, and where its signs are.

    ``places`` (H, W, 2) are 1 on the paper outside of all signs, and within signs.
    """

    own: Tones
    places: Tones

    def registered(self, maps: tuple[Tones, Tones]) -> "Signs":
        """Return the signs warped to the card."""
        own, places = (
            np.asarray(
                cv2.remap(of, *maps, cv2.INTER_LINEAR, None, cv2.BORDER_REPLICATE), np.float32
            )
            for of in (self.own, self.places)
        )
        return Signs(own, places)

    def turned(self) -> "Signs":
        """Return the signs rotated by half a turn."""
        own, places = (np.ascontiguousarray(of[::-1, ::-1]) for of in (self.own, self.places))
        return Signs(own, places)


def find_signs(face: Tones, weights: Tones, margin: int) -> Signs | None:
    """Find the signs of a face.

    Parameters
    ----------
    face : (H + 2M, W + 2M, 3) float32
        Its tones, with a margin.
    weights : (H, W) float32
        0 where nothing is compared: at corners and along the edge.
    margin : int
        M, at least 1.

    Returns
    -------
    Signs, optional
        None of a face without any, or with too little paper round them.
    """
    m = margin
    soft = smooth(face, _SOFT)
    paper = _paper_level(soft, m)
    own, depth = soft / paper, (1 - soft / paper).max(axis=2)
    inner = np.zeros(depth.shape, np.uint8)
    inner[m:-m, m:-m] = _erode(weights > 0, _RIM)
    ink = (depth > _INK) & (inner > 0)
    signs = _fill_holes(ink)
    outside = ~_dilate(signs, _BESIDE)
    gray = own.mean(axis=2)
    steep = np.hypot(*(cv2.Sobel(gray, cv2.CV_32F, *d, ksize=3) / 8 for d in ((1, 0), (0, 1))))
    inside = _erode(signs, 1) & ((steep < _CALM) | ~_dilate(ink, 1))
    core = paper[m:-m, m:-m].mean(axis=2)
    around = float((outside[m:-m, m:-m] & (weights > 0)).sum() / max((weights > 0).sum(), 1))
    if around < _LEAST_OUTSIDE or core.min() < _LEAST_PAPER * core.max():
        return None
    if inside.sum() < _LEAST_INSIDE:
        return None
    places = np.dstack([outside, inside]).astype(np.float32)
    return Signs(np.asarray(face / paper, np.float32), places)


def darker_within_signs(seen: Tones, registered: Signs, weights: Tones) -> tuple[float, float]:
    """Return by how much a card is darker within the signs than its face, and their depth.

    Parameters
    ----------
    seen : (H, W, 3) float32
        The card's tones.
    registered : Signs
        Of the face, laid over the card.
    weights : (H, W) float32
        0 where nothing is compared.

    Returns
    -------
    darker : float
        The median over all signs, of the paper's brightness; lighter below 0.
    depth : float
        How deep the print of the face is there.
    """
    dark = np.float32(DARK)
    outside, inside = (registered.places[..., k] for k in (0, 1))
    within = np.where(inside > 0.5, inside, 0) * weights
    count = float(within.sum())
    if count < _LEAST_INSIDE:
        return 0.0, 0.0
    ratio = np.log((seen + dark) / (registered.own + dark))
    light = np.exp(local_mean(ratio, outside * weights + np.float32(_FAR), _LIGHT))
    deep = np.asarray(1 + dark - (seen + dark) / light, np.float32)
    depth = np.asarray(1 - registered.own, np.float32)
    low, high = _STROKE
    strokes = np.clip((max_tone(depth) - low) / (high - low), 0, 1)
    strokes = in_channels(weights * (1 - outside) * (1 - inside) * strokes)
    gain = fit_gain(deep, depth, strokes, weights)
    darker, own = mean_tone(deep - gain * depth), gain * mean_tone(depth)
    return float(np.median(darker[within > 0])), float(np.vdot(own, within) / count)


def fit_gain(seen: Tones, depth: Tones, trust: Tones, weights: Tones) -> np.float32:
    """Return the contrast of a card's print (H, W) or (H, W, 3) over its face's, robustly.

    Parameters
    ----------
    seen, depth : (H, W) or (H, W, 3) float32
        How dark the print of the card is, and that of its face.
    trust : float32
        How much each of these tells of the contrast.
    weights : (H, W) float32
        0 where nothing is compared.
    """
    wanted, hold = trust * depth, _GAIN_HOLD * float(weights.sum())
    robust, gain = np.float32(ROBUST), np.float32(1)
    for _ in range(2):
        trusted = wanted / (1 + ((seen - gain * depth) / robust) ** 2)
        fitted = (float(np.vdot(trusted, seen)) + hold) / (float(np.vdot(trusted, depth)) + hold)
        gain = np.float32(min(max(fitted, _GAIN[0]), _GAIN[1]))
    return gain


def _paper_level(soft: Tones, margin: int) -> Tones:
    """Return the local brightness (H, W, 3) of a face's paper, as between its signs."""
    wide, m = _PAPER, margin
    disk = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (wide, wide))
    core = soft[m + 1 : -m - 1, m + 1 : -m - 1]  # the outermost cell may show some of the table
    whole = cv2.copyMakeBorder(core, *(m + 1,) * 4, cv2.BORDER_REPLICATE)
    around = cv2.copyMakeBorder(whole, *(wide,) * 4, cv2.BORDER_REFLECT)
    closed = cv2.morphologyEx(around, cv2.MORPH_CLOSE, disk)
    paper = cv2.GaussianBlur(closed, (0, 0), wide / 4)[wide:-wide, wide:-wide]
    return np.asarray(np.maximum(paper, DARK), np.float32)


def _fill_holes(ink: BoolArray) -> BoolArray:
    """Return the ink (H, W) with its holes filled."""
    h, w = ink.shape
    field = np.zeros((h + 2, w + 2), np.uint8)
    field[1:-1, 1:-1] = ink
    cv2.floodFill(field, None, (0, 0), (2,))
    return np.asarray(field[1:-1, 1:-1] != 2, np.bool_)


def _dilate(places: BoolArray, cells: int) -> BoolArray:
    """Dilate a mask (H, W) by so many cells."""
    ones = np.ones((3, 3), np.uint8)
    return np.asarray(cv2.dilate(places.astype(np.uint8), ones, iterations=cells) > 0, np.bool_)


def _erode(places: BoolArray, cells: int) -> BoolArray:
    """Erode a mask (H, W) by so many cells, also along the picture's edge."""
    ones = np.ones((3, 3), np.uint8)
    small = cv2.erode(
        places.astype(np.uint8),
        ones,
        iterations=cells,
        borderType=cv2.BORDER_CONSTANT,
        borderValue=(0,),
    )
    return np.asarray(small > 0, np.bool_)


# What a block is; lengths in cells.
_INK_CELLS = 8  # a side, of 48 to a card's width: a pip and some paper, and many blocks
_INK_LEAST_SHARE = 1 / 3  # of its cells that count: less is no block
_INK_INSET = 2  # left out along the edge, of what counts: a pose so far off shows the cloth
_INK_NOISE = 0.01  # of the brightness: deviation of tones from which a contrast is told


def residual_ink(seen: Tones, faces: Tones, weights: Tones) -> FloatArray:
    """Return the darkest ink (F, 2) of a card beyond each face, and of each face beyond the card.

    Shares of the brightness, of the worst cell of all blocks; 0 if no block counts.

    Parameters
    ----------
    seen : (H, W) float32
        The card's lightness, softened, as shares of its brightness.
    faces : (F, H, W) float32
        What the card would show of each face, likewise.
    weights : (H, W) float32
        0 where nothing is compared.
    """
    around = np.ones((2 * _INK_INSET + 1,) * 2, np.uint8)
    inner = cv2.erode(weights, around, borderType=cv2.BORDER_CONSTANT, borderValue=0)
    held = _blocks(np.asarray(inner, np.float32), _INK_CELLS)
    counts = held.sum(axis=1) >= _INK_LEAST_SHARE * _INK_CELLS**2
    if not counts.any():
        return np.zeros((len(faces), 2))
    share = held[counts] / held[counts].sum(axis=1, keepdims=True)
    card = _centred(_blocks(seen, _INK_CELLS)[counts], share)
    own = _centred(_blocks(faces, _INK_CELLS)[:, counts], share)
    common = np.maximum((own * card * share).sum(axis=-1, keepdims=True), 0)

    def beyond(ink: Tones, other: Tones) -> FloatArray:
        """Return the excess (..., B, C) of a block's ink over the other's, at its contrast."""
        contrast = common / ((other**2 * share).sum(axis=-1, keepdims=True) + _INK_NOISE**2)
        left = np.where(share > 0, contrast * other - ink, 0.0)
        return np.asarray(left.max(axis=(-2, -1)), np.float64)

    return np.stack([beyond(card, own), beyond(own, card)], axis=-1)


def _blocks(picture: Tones, cells: int) -> Tones:
    """Cut pictures (..., H, W) into whole blocks (..., B, cells²), centred."""
    rows, columns = (n // cells for n in picture.shape[-2:])
    top, left = (
        (n - k * cells) // 2 for n, k in zip(picture.shape[-2:], (rows, columns), strict=True)
    )
    whole = picture[..., top : top + rows * cells, left : left + columns * cells]
    ahead = whole.shape[:-2]
    parts = whole.reshape(*ahead, rows, cells, columns, cells).swapaxes(-3, -2)
    return np.asarray(parts.reshape(*ahead, rows * columns, cells * cells), np.float32)


def _centred(blocks: Tones, share: Tones) -> Tones:
    """Subtract the weighted mean from blocks (..., B, C)."""
    return np.asarray(blocks - (blocks * share).sum(axis=-1, keepdims=True), np.float32)
