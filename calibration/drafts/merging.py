"""Cut cards of several photos -> which show the same card, and one clean face of all of them.

Two pictures are of one card if they are alike all over, once laid exactly on each other and lit
alike, in form, fill and colour; where only a part of them differs, they are two cards that are much
alike, or one has a glare: glare is brighter than the print under it, in one place. Where it is not
sure they are two: a card that stands twice is seen and dropped, one that is joined away is lost.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import cv2
import numpy as np

from calibration.drafts.light import light_between
from calibration.drafts.same import SameSettings, sameness
from vision.geometry import map_points
from vision.imaging.view import scaling
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, ImageGray

__all__ = [
    "Likeness",
    "MergeSettings",
    "drawing_of",
    "match_cards",
    "merge_faces",
    "places_of_new",
    "shrunken",
]


_FEW_IN_ORDER = 4  # cards: of that many in one photo, one in 24 orders is the draft's by chance
_DARK_AND_LIGHT = (20, 90)  # percentiles of tones: a spot of glare is less than a tenth


@dataclass(frozen=True, slots=True)
class MergeSettings:
    """What is the same card; tones of 255 unless said."""

    coarse_px: int = 36  # width of the pictures that are compared first
    asked: int = 6  # of the known cards, whose drawing is most alike: more teams have no box
    inset: float = 0.02  # of the width that is left out at the edges: cuts differ there
    alike: float = 0.7  # of what is printed: below, pictures are looked at no further
    lay_px: int = 220  # width at which one is laid on the other: a fifth of a pixel is 0.06 mm
    steps: int = 40  # of that
    step_end: float = 1e-5  # of the correlation, below which nothing is gained
    cells: int = 24  # across a card: what differs is looked for in cells of some 2.5 mm
    cell_off: float = 26.0  # of a cell's mean, after light: above, something else is printed there
    glare_share: float = 0.3  # of the cells that may be off, if they are brighter in one picture
    one_sided: float = 0.9  # of those cells: the rest is an edge that was cut otherwise
    light_cells: float = 3.0  # of the blur that light may be: what is left of a difference is sharp
    sharp_off: float = (
        40.0  # of that, off the rim: told. Of 42 pairs of one card three reach it, of
    )
    # 14 whose number was changed eleven; the others were dull in both
    stray_share: float = 0.015  # that may be off in any way, with a doubt; twins of teams: 0.08
    light_px: int = 36  # width of the pictures whose light is compared
    most_gain: float = 1.25  # by which contrast is raised to the clearest's: colours suffer by more
    agree: float = 14.0  # pictures that differ less are averaged
    glare_soft: float = 0.012  # of the width: over which one picture takes over from the other
    same: SameSettings = field(  # by form, fill, colour, once laid and lit
        default_factory=SameSettings
    )


@dataclass(frozen=True, slots=True)
class Likeness:
    """That a cut card is one that is known; ``half`` is whether it lay the other way up.

    ``has_glare`` tells that they differ in places by more than light that changes slowly: a glare
    with an edge, or a card much alike; ``is_unlike`` that their colour or fill does.
    """

    known: int
    half: bool
    has_glare: bool = False
    is_unlike: bool = False


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
    turned = tuple(np.ascontiguousarray(face[::-1, ::-1]) for face in faces)
    before = [shrunken(one, s) for one in known]
    ways = np.stack(
        [_alike([shrunken(face, s) for face in group], before, s) for group in (faces, turned)]
    )
    best = ways.max(axis=0)
    found: list[Likeness | None] = [None] * len(faces)
    taken = set[int]()
    for i, j in np.argwhere(best >= s.alike)[np.argsort(-best[best >= s.alike], kind="stable")]:
        if found[i] is None and j not in taken:
            half = bool(ways[1, i, j] > ways[0, i, j])
            found[i] = _likeness(turned[i] if half else faces[i], known[j], int(j), half, s)
            taken.update({int(j)} if found[i] else ())
    return tuple(found)


def _likeness(
    face: ImageBGR, base: ImageBGR, known: int, half: bool, s: MergeSettings
) -> Likeness | None:
    """Tell how a picture, upright, is of a known card; None if it may be another."""
    lit, gain = _lay_in_light(face, base, s)
    back = None
    told = _differ(lit, gain, base, s)
    if told == "other":  # nothing but light may differ where either picture is lit as the other is
        back = _lay_in_light(base, face, s)
        told = _differ(*back, face, s)
    if told == "other":
        return None
    paler = base
    if gain > 1:  # light takes contrast away: the clearer picture is lit as the paler one is
        paler = face
        lit, _ = back or _lay_in_light(base, face, s)
    same = sameness(np.asarray(np.clip(lit + 0.5, 0, 255), np.uint8), paler, s.same)
    if not same.is_same(s.same, in_places=told == "glare"):
        return None
    return Likeness(known, half, told == "glare", same.is_doubtful(s.same))


def merge_faces(
    face: ImageBGR, more: tuple[ImageBGR, ...], settings: MergeSettings | None = None
) -> ImageBGR:
    """Make one clean face of several pictures of a card.

    Each is laid on the clearest and lit as it is; what was so dull that only noise would come of
    it is left out. Where they agree they are averaged; where they do
    not, of three or more the middle one counts, of two the darker: glare only ever adds light.
    """
    s = settings or MergeSettings()
    if not more:
        return face
    clearest, *others = sorted((face, *more), key=_veil)
    base = clearest.astype(np.float32)
    lit = [_lit_as(_laid_on(one, clearest, s), base, s) for one in others]
    stack = [base, *(one for one, gain in lit if gain < s.most_gain)]
    if len(stack) == 1:
        return clearest
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


def _veil(face: ImageBGR) -> float:
    """Return how light the dark parts are beside the light ones: a veil adds to both."""
    dark, light = np.percentile(cv2.cvtColor(face, cv2.COLOR_BGR2GRAY), _DARK_AND_LIGHT)
    return float(dark / max(float(light), 1.0))


def _softened(mask: BoolArray, soft: float) -> FloatArray:
    return np.asarray(cv2.GaussianBlur(mask.astype(np.float32), (0, 0), soft), np.float64)


def shrunken(face: ImageBGR, s: MergeSettings) -> FloatArray:
    """Return a small picture (h, w, 3) of a face, without its edges, that light is told of."""
    inset = round(s.inset * face.shape[1])
    inner = np.ascontiguousarray(face[inset:-inset, inset:-inset])
    h, w = inner.shape[:2]
    size_wh = s.coarse_px, round(s.coarse_px * h / w)
    shrunk = cv2.resize(inner, size_wh, interpolation=cv2.INTER_AREA).astype(np.float64)
    return np.asarray(cv2.GaussianBlur(shrunk, (0, 0), 0.8), np.float64)


def drawing_of(small: FloatArray) -> FloatArray:
    """Return a small picture's lightness without its slow changes, as a unit vector."""
    gray = small.mean(axis=2)
    fine = (gray - cv2.GaussianBlur(gray, (0, 0), 4.0)).ravel()
    return np.asarray(fine / max(float(np.linalg.norm(fine)), 1e-6), np.float64)


def _alike(faces: list[FloatArray], known: list[FloatArray], s: MergeSettings) -> FloatArray:
    """Return how much of each face's print each known card tells (N, M), whatever the light.

    Only the cards whose drawing is most alike are asked; the others have 0.
    """
    drawings = (
        np.array([drawing_of(one) for one in faces]) @ np.array([drawing_of(k) for k in known]).T
    )
    shares = np.zeros(drawings.shape)
    for i, j in np.argwhere(np.argsort(np.argsort(-drawings, axis=1), axis=1) < s.asked):
        shares[i, j] = max(
            light_between(known[j], faces[i]).share, light_between(faces[i], known[j]).share
        )
    return shares


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


def _lit_as(face: ImageBGR, base: np.ndarray, s: MergeSettings) -> tuple[np.ndarray, float]:
    """Light a picture as another is lit; return how much its contrast was raised, too."""
    h, w = face.shape[:2]
    size_wh = s.light_px, round(s.light_px * h / w)
    small, like = (
        cv2.resize(np.asarray(one, np.float32), size_wh, interpolation=cv2.INTER_AREA)
        for one in (face, base)
    )
    light = light_between(small.astype(np.float64), like.astype(np.float64))
    gain, veil = (
        cv2.resize(one.astype(np.float32), (w, h), interpolation=cv2.INTER_CUBIC)[..., None]
        for one in (light.gain, light.veil)
    )
    lit = light.white.astype(np.float32) * (gain * face.astype(np.float32) + veil)
    return np.asarray(lit, np.float32), float(np.median(light.gain))


def _lay_in_light(face: ImageBGR, base: ImageBGR, s: MergeSettings) -> tuple[np.ndarray, float]:
    """Lay a picture on another, lit alike; also return the gain of contrast that this took."""
    return _lit_as(_laid_on(face, base, s), base.astype(np.float32), s)


def _differ(
    lit: np.ndarray, gain: float, base: ImageBGR, s: MergeSettings
) -> Literal["same", "glare", "other"]:
    """Tell whether nothing but light differs, cell by cell, or something with an edge does."""
    inset = round(s.inset * base.shape[1])
    off = (lit - base.astype(np.float32))[inset:-inset, inset:-inset] / min(1.0, gain)
    h, w = off.shape[:2]
    cells = cv2.resize(
        np.ascontiguousarray(off), (s.cells, round(s.cells * h / w)), interpolation=cv2.INTER_AREA
    )
    wrong = np.abs(cells).max(axis=2) > s.cell_off
    if not wrong.any():
        return "same"
    lighter = cells[wrong].min(axis=1) > -s.cell_off / 2
    darker = cells[wrong].max(axis=1) < s.cell_off / 2
    one_sided = max(float(lighter.mean()), float(darker.mean())) > s.one_sided
    most = s.glare_share if one_sided else s.stray_share
    if float(wrong.mean()) >= most:
        return "other"
    sharp = cells - cv2.GaussianBlur(cells, (0, 0), s.light_cells)
    return "glare" if float(np.abs(sharp[1:-1, 1:-1]).max()) > s.sharp_off else "same"


def places_of_new(known: Sequence[int | None]) -> list[int] | None:
    """Return behind which of the known cards each card of a photo is to stand; None: behind all.

    A card that was missed is photographed once more with those beside it: then the known cards lie
    in the order that they have, and the new one belongs where it lies among them.
    """
    before = [k for k in known if k is not None]
    if len(before) < _FEW_IN_ORDER or any(np.diff(before) <= 0):
        return None
    last = before[0] - 1
    return [last := last if k is None else k for k in known]
