"""Cut cards of several photos -> which show the same card, and one clean face of all of them.

Two pictures are of one card if they are alike all over, once laid exactly on each other and lit
alike; where only a part of them differs, they are two cards that are much alike, or one has a
glare: glare is brighter than the print under it, in one place.
"""

from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from vision.geometry import map_points
from vision.imaging.view import scaling
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, ImageGray

__all__ = ["Likeness", "MergeSettings", "match_cards", "merge_faces"]


_DARK = 8.0  # tones: below, a ratio tells noise


@dataclass(frozen=True, slots=True)
class MergeSettings:
    """What is the same card; tones of 255 unless said."""

    coarse_px: int = 48  # width of the pictures that are compared first
    inset: float = 0.05  # of the width that is left out at the edges: cuts differ there
    alike: float = 0.5  # correlation: below, pictures are looked at no further; a glare costs much
    lay_px: int = 220  # width at which one is laid on the other: a fifth of a pixel is 0.06 mm
    steps: int = 40  # of that
    step_end: float = 1e-5  # of the correlation, below which nothing is gained
    cells: int = 12  # across a card: what differs is looked for in cells of some 5 mm
    cell_off: float = 26.0  # of a cell's mean, after light: above, something else is printed there
    glare_share: float = 0.3  # of the cells that may be off, all of them brighter in one picture
    light_cells: int = 10  # across a card, in which two pictures' light is compared
    agree: float = 14.0  # pictures that differ less are averaged
    glare_soft: float = 0.012  # of the width: over which one picture takes over from the other


@dataclass(frozen=True, slots=True)
class Likeness:
    """That a cut card is one that is known; ``half`` is whether it lay the other way up.

    ``has_glare`` tells that one picture is brighter in places: a glare, or a card much alike.
    """

    known: int
    half: bool
    has_glare: bool = False


def match_cards(
    faces: tuple[ImageBGR, ...],
    known: tuple[ImageBGR, ...],
    settings: MergeSettings | None = None,
) -> tuple[Likeness | None, ...]:
    """Tell which cards of a photo are known from others; two of one photo never are the same.

    Parameters
    ----------
    faces : N of (H, W, 3) uint8
        The cards of one photo.
    known : M of (H, W, 3) uint8
        Those of the photos before, of the same size.

    Returns
    -------
    N of Likeness or None
        None of those that are new.
    """
    s = settings or MergeSettings()
    if not faces or not known:
        return (None,) * len(faces)
    before = _vectors(known, s)
    turned = tuple(face[::-1, ::-1] for face in faces)
    ways = np.stack([_vectors(group, s) @ before.T for group in (faces, turned)])
    best = ways.max(axis=0)
    pairs = zip(*linear_sum_assignment(-best), strict=True)
    found: list[Likeness | None] = [None] * len(faces)
    for i, j in pairs:
        if best[i, j] < s.alike:
            continue
        half = bool(ways[1, i, j] > ways[0, i, j])
        face = turned[i] if half else faces[i]
        same = _is_same(np.ascontiguousarray(face), known[j], s)
        if same != "other":
            found[i] = Likeness(int(j), half, same == "glare")
    return tuple(found)


def merge_faces(
    face: ImageBGR, more: tuple[ImageBGR, ...], settings: MergeSettings | None = None
) -> ImageBGR:
    """Make one clean face of several pictures of a card.

    Each is laid on the first and lit as it is. Where they agree they are averaged; where they do
    not, of three or more the middle one counts, of two the darker: glare only ever adds light.
    """
    s = settings or MergeSettings()
    if not more:
        return face
    base = face.astype(np.float32)
    stack = [base, *(_lit_as(_laid_on(one, face, s), base, s) for one in more)]
    tones = np.stack(stack)
    level = tones.mean(axis=3)
    soft = max(1.0, s.glare_soft * face.shape[1])
    if len(stack) > 2:
        usual: FloatArray = np.median(tones, axis=0).astype(np.float64)
    else:
        second_darker = _softened(level[0] - level[1] > 0, soft)[..., None]
        usual = second_darker * tones[1] + (1 - second_darker) * tones[0]
    near = np.abs(tones - usual).max(axis=3) < s.agree
    weight = cv2.GaussianBlur(near.astype(np.float32).transpose(1, 2, 0), (0, 0), soft)
    weight = np.atleast_3d(weight).transpose(2, 0, 1) * near
    mean = (weight[..., None] * tones).sum(axis=0) + 1e-3 * usual
    merged = mean / (weight.sum(axis=0) + 1e-3)[..., None]
    return np.asarray(np.clip(merged + 0.5, 0, 255), np.uint8)


def _softened(mask: BoolArray, soft: float) -> FloatArray:
    return np.asarray(cv2.GaussianBlur(mask.astype(np.float32), (0, 0), soft), np.float64)


def _vectors(faces: tuple[ImageBGR, ...], s: MergeSettings) -> FloatArray:
    """Return small pictures as unit vectors (N, V): their products are correlations."""
    return np.array([_small(face, s) for face in faces])


def _small(face: ImageBGR, s: MergeSettings) -> FloatArray:
    inset = round(s.inset * face.shape[1])
    inner = np.ascontiguousarray(face[inset:-inset, inset:-inset])
    h, w = inner.shape[:2]
    size_wh = s.coarse_px, round(s.coarse_px * h / w)
    shrunk = cv2.resize(inner, size_wh, interpolation=cv2.INTER_AREA).astype(np.float64)
    small = np.asarray(cv2.GaussianBlur(shrunk, (0, 0), 1.0), np.float64)
    vector = (small - small.mean(axis=(0, 1))).ravel()
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-6), np.float64)


def _laid_on(face: ImageBGR, base: ImageBGR, s: MergeSettings) -> ImageBGR:
    """Bring a picture exactly onto another of the same card; as it is if that does not help."""
    scale = min(1.0, s.lay_px / face.shape[1])
    gray, target = (_gray(one, scale) for one in (face, base))
    start = np.eye(3, dtype=np.float32)
    end = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, s.steps, s.step_end)
    try:
        _, found = cv2.findTransformECC(target, gray, start, cv2.MOTION_HOMOGRAPHY, end)
    except cv2.error:  # too little to lay it by
        return face
    grow = scaling(scale)
    warp = np.asarray(np.linalg.inv(grow) @ np.asarray(found, np.float64) @ grow, np.float64)
    corners = np.array([[0.0, 0.0], [face.shape[1], face.shape[0]]])
    moved = map_points(warp, corners) - corners
    if np.abs(moved).max() > s.inset * face.shape[1]:
        return face
    size_wh = (face.shape[1], face.shape[0])
    how = cv2.INTER_CUBIC | cv2.WARP_INVERSE_MAP
    laid = cv2.warpPerspective(face, warp, size_wh, flags=how, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(laid, np.uint8)


def _gray(face: ImageBGR, scale: float) -> ImageGray:
    size_wh = round(face.shape[1] * scale), round(face.shape[0] * scale)
    small = cv2.resize(face, size_wh, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)


def _lit_as(face: ImageBGR, base: np.ndarray, s: MergeSettings) -> np.ndarray:
    """Light a picture as another is lit: their ratio, a bent plane over the card, by colour.

    What one of them alone shows, a glare say, does not bend it.
    """
    tones = face.astype(np.float32)
    ratio = np.log((base + _DARK) / (tones + _DARK))
    h, w = ratio.shape[:2]
    cells = cv2.resize(ratio, (s.light_cells, s.light_cells), interpolation=cv2.INTER_AREA)
    x, y = np.meshgrid(*[np.linspace(-1, 1, s.light_cells)] * 2)
    design = np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], axis=-1).reshape(-1, 6)
    field = np.empty((s.light_cells, s.light_cells, 3), np.float32)
    for channel in range(3):
        field[..., channel] = _robust(design, cells[..., channel].ravel()).reshape(x.shape)
    wide = cv2.resize(field, (w, h), interpolation=cv2.INTER_CUBIC)
    return np.asarray((tones + _DARK) * np.exp(wide) - _DARK, np.float32)


def _robust(design: FloatArray, level: np.ndarray) -> FloatArray:
    """Fit a bent plane to levels (C,) of which some are of something else."""
    fitted = np.full(len(level), np.median(level))
    for _ in range(10):
        off = np.abs(level - fitted)
        root = np.sqrt(1 / np.maximum(off, 0.7 * np.median(off) + 1e-3))
        solved = np.linalg.lstsq(design * root[:, None], level * root, rcond=None)[0]
        fitted = design @ solved
    return np.asarray(fitted, np.float64)


def _is_same(face: ImageBGR, base: ImageBGR, s: MergeSettings) -> Literal["same", "glare", "other"]:
    """Tell whether nothing but light differs, cell by cell, or one picture has a glare."""
    laid = _lit_as(_laid_on(face, base, s), base.astype(np.float32), s)
    inset = round(s.inset * face.shape[1])
    off = (laid - base.astype(np.float32))[inset:-inset, inset:-inset]
    h, w = off.shape[:2]
    cells = cv2.resize(
        np.ascontiguousarray(off), (s.cells, round(s.cells * h / w)), interpolation=cv2.INTER_AREA
    )
    wrong = np.abs(cells).max(axis=2) > s.cell_off
    if not wrong.any():
        return "same"
    lighter = cells[wrong].min(axis=1) > -s.cell_off / 2
    darker = cells[wrong].max(axis=1) < s.cell_off / 2
    one_sided = bool(lighter.all() or darker.all())
    return "glare" if one_sided and float(wrong.mean()) < s.glare_share else "other"
