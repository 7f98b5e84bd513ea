"""Registers named faces block by block from all gradients of their art: cards, boards and sheets.

A camera shifts the edges of bright regions such as a white border. The print inside the frame has
as many steps up as down, so its position, and above all its scale, is free of that bias. The art is
cut into blocks. For each block the small shift that best explains the difference between face and
photo is solved for, together with gain, level and slope of the light and the curvature of the
camera's tone curve: without the latter the scale is off by 0.05 % where a card is 100 px wide.
Blocks that fit no common light (glare, a counter) differ too much and are left out.

References
----------
.. [1] Lucas and Kanade, An Iterative Image Registration Technique, 1981.
.. [2] Baker and Matthews, Lucas-Kanade 20 Years On, 2004 (gain and bias).
"""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.view import View, to_gray, to_level
from vision.seeing.estimation.model import Measurements, Solution, join_measurements
from vision.seeing.estimation.overlaps import Covers
from vision.seeing.registration.sample_grid import BlockGrid, observe_shifts, scales_px_per_mm
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, ImageGray, IntArray
from vision.values.pieces import Faces

__all__ = [
    "FaceMeasurements",
    "FaceSamples",
    "RegistrationSettings",
    "estimate_blur",
    "register_faces",
    "sample_faces",
]

_RIDGE = 1e-4  # regularises blocks without contrast (sum of squares of tones 0..1)
_BLUR_PX = (0.9, 0.6, 0.5)  # blur (1 sd) of a phone's sharp photo, by pyramid level; and coarser
_LEAST_BLUR_PX = 0.3  # of a face's picture: its own sampling
_BLURS = (1.0, 1.3, 1.7, 2.3)  # factors on it to try: sharp, shaken, out of focus
_BLUR_CARDS = 3  # cards that are used to estimate the blur
_LEAST_GAIN = 0.05  # of a block that shows the face's print at all
_USUAL_GAIN = 0.4  # least gain, of the card's median block; lower is glare or an occluder
_INDEPENDENCE = 12.0  # samples that share one error: blur, demosaicing, JPEG
_FLOOR_PX = 0.06  # position error of a block (1 sd): blur and tones differ from the photo's
_BLANK = 0.03  # contrast of a block of a face (1 sd, of white); below, nothing is printed there

_Tones = NDArray[np.float32]
_Map = tuple[_Tones, _Tones]  # x and y


@dataclass(frozen=True, slots=True)
class RegistrationSettings:
    """How finely prints are compared: those of cards with a frame, by default."""

    inset_mm: float = 3.0  # from the printed frame: excludes its line and the border's glow
    block_mm: float = 12.0  # side of a block: holds some strokes, small compared with a card's bend
    per_mm: float = 2.0  # samples; fewer miss one edge of a stroke and bias the shift
    level_px: float = 1.5  # least pixels a sample, of the pyramid level that is compared
    correlation: float = 0.6  # least correlation of a block between face and photo
    floor_mm: float = 0.02  # position error of a block (1 sd) from print and paper
    farthest_mm: float = 1.2  # a larger shift comes from a wrong face or a wrong pose


@dataclass(frozen=True, slots=True, eq=False)
class FaceSamples:
    """Faces of the named cards at the compared points, blurred like the photo.

    ``cards`` (K,) are the named poses, ``level`` (K,) the pyramid level of each. ``drawn`` (K, B,
    4, S) float32 holds, for the S samples of each of B blocks: the face's gradients per mm along x
    and y, the face, and the face squared; ``variance`` (K, B) is that of the face. ``light`` (3, S)
    are the light's level and two slopes. ``inverse`` (K, B, 7, 7) is the inverse of the normal
    matrix of both. ``px_per_mm`` (K,) is a card's scale in its level.
    """

    cards: IntArray
    level: IntArray
    drawn: _Tones
    variance: _Tones
    light: _Tones
    inverse: FloatArray
    px_per_mm: FloatArray
    grid: BlockGrid | None


@dataclass(frozen=True, slots=True, eq=False)
class FaceMeasurements:
    """Measured positions of print, and how much of it agrees.

    ``seen`` are two measurements for each block that could be compared, along its directions of
    least and most variance; ``visible`` (N,) is the share of the printed blocks of each card's face
    that agree with the photo, 0 without a face.
    """

    seen: Measurements
    visible: FloatArray


def sample_faces(
    view: View,
    solution: Solution,
    face_of_card: IntArray,
    bank: Faces,
    settings: RegistrationSettings | None = None,
    *,
    blur: float = 1.0,
) -> FaceSamples:
    """Sample the faces to register; one call serves all iterations.

    Parameters
    ----------
    view : View
        The photo.
    solution : Solution
        Camera, plane and poses, which give each card's scale.
    face_of_card : (N,) int
        The face of each pose, -1 for none.
    bank : Faces
        The faces.
    blur : float
        Blur of the photo, relative to a sharp one's.
    """
    s = settings or RegistrationSettings()
    named = np.flatnonzero(face_of_card >= 0)
    inner = bank.frames[0] if bank.frames else None
    size = (inner.width_mm, inner.height_mm) if inner else (bank.width_mm, bank.height_mm)
    grid = BlockGrid.within(np.array(size) / 2 - s.inset_mm, s.block_mm, s.per_mm)
    level = np.zeros(len(named), np.int64)
    if grid is None or not len(named):
        none, flat = np.zeros((0, 0, 4, 0), np.float32), np.zeros((0, 0), np.float32)
        each = (none, flat, flat, np.zeros((0, 0, 7, 7)), np.zeros(0))
        return FaceSamples(named[:0], level[:0], *each, None)
    local = scales_px_per_mm(solution, named)
    for k in range(1, len(view)):
        level[local > 2**k * s.level_px * s.per_mm] = k
    blur_px = np.array(_BLUR_PX)[np.minimum(level, len(_BLUR_PX) - 1)]
    blur_mm = blur * blur_px / (local / 2.0**level)

    across, down = grid.size
    u, v = np.meshgrid(np.linspace(-1, 1, across), np.linspace(-1, 1, down))
    light = np.stack([np.ones(u.size), u.ravel(), v.ravel()]).astype(np.float32)
    drawn = np.empty((len(named), len(grid.centres_mm), 4, u.size), np.float32)
    products = np.empty((*drawn.shape[:2], 4, 4), np.float32)
    most_px = max(_LEAST_BLUR_PX, float(blur_mm.max()) * bank.px_per_mm)
    part, maps = _sampling_maps(bank, grid, 2 + int(np.ceil(4 * most_px)))

    for k, card in enumerate(named):
        own, face = drawn[k], int(face_of_card[card])
        sampled = _sample_face(bank.images[face][part], bank.px_per_mm, blur_mm[k], maps)
        own[:, :3] = grid.blocks(sampled[..., None])[..., 0].swapaxes(0, 1)
        np.square(own[:, 2], out=own[:, 3])
        np.einsum("bis,bjs->bij", own, own, out=products[k])
    inverse = _inverse(products, drawn @ light.T, light @ light.T)
    variance = drawn[:, :, 2].var(axis=2)
    return FaceSamples(named, level, drawn, variance, light, inverse, local / 2.0**level, grid)


def _inverse(drawn: _Tones, both: _Tones, light: _Tones) -> FloatArray:
    """Return the inverse normal matrices (K, B, 7, 7), from products of what is drawn and light.

    These are (K, B, 4, 4), (K, B, 4, 3) and (3, 3).
    """
    normal = np.empty((*drawn.shape[:2], 7, 7), np.float32)
    normal[..., :4, :4], normal[..., 4:, 4:] = drawn, light
    normal[..., :4, 4:], normal[..., 4:, :4] = both, both.swapaxes(2, 3)
    return np.asarray(np.linalg.inv(normal + _RIDGE * np.eye(7)), np.float64)


def estimate_blur(
    view: View,
    solution: Solution,
    face_of_card: IntArray,
    bank: Faces,
) -> float:
    """Return the blur factor of a photo at which its faces fit best.

    A few cards are used; the arguments are those of :func:`sample_faces`.
    """
    named = np.flatnonzero(face_of_card >= 0)
    some = np.full(len(face_of_card), -1)
    chosen = named[:: max(1, len(named) // _BLUR_CARDS)][:_BLUR_CARDS]
    some[chosen] = face_of_card[chosen]
    best, most = _BLURS[0], -np.inf
    for blur in _BLURS:
        faces = sample_faces(view, solution, some, bank, blur=blur)
        found = _register_blocks(view, solution, faces, RegistrationSettings())
        fit = -np.inf if found is None else float(np.median(found.fit))
        if fit <= most:
            break
        best, most = blur, fit
    return best


def register_faces(
    view: View,
    solution: Solution,
    faces: FaceSamples,
    settings: RegistrationSettings | None = None,
    covers: Covers | None = None,
) -> FaceMeasurements:
    """Measure the positions of printed faces, where no card is known to cover them.

    Parameters
    ----------
    view : View
        The photo.
    solution : Solution
        Camera, plane and poses, accurate to a pixel; each card upright in the sense of its face.
    faces : FaceSamples
        Samples of the faces at those poses.
    """
    s = settings or RegistrationSettings()
    visible = np.zeros(len(solution.poses))
    found = _register_blocks(view, solution, faces, s)
    if found is None or faces.grid is None:
        return FaceMeasurements(join_measurements([]), visible)
    good = found.good
    if covers is not None:
        good = good & covers.visible(faces.grid.centres_mm, solution.poses)[faces.cards]
    which, block = np.nonzero(good)
    printed = faces.variance > _BLANK**2
    agree = (good & printed).sum(axis=1)
    visible[faces.cards] = agree / np.maximum(printed.sum(axis=1), 1)
    seen = observe_shifts(
        solution,
        faces.cards[which],
        faces.grid.centres_mm[block],
        found.shift_mm[which, block],
        found.covariance[which, block],
    )
    return FaceMeasurements(seen, visible)


def _register_blocks(
    view: View, solution: Solution, faces: FaceSamples, s: RegistrationSettings
) -> "_BlockShifts | None":
    """Register all blocks of all faces with the photo."""
    grid, named = faces.grid, faces.cards
    if grid is None:
        return None
    seen, inside = [], []
    nodes = grid.project_nodes(solution, named)
    for level, at in zip(faces.level.tolist(), nodes, strict=True):
        image = view.gray(level)
        x, y = grid.between(to_level(at, level))
        seen.append(_sample(image, x, y))
        height, width = image.shape
        inside.append((x > 1) & (x < width - 2) & (y > 1) & (y < height - 2))
    return _solve_blocks(
        np.asarray(grid.blocks(np.stack(seen)[..., None]), np.float32)[..., 0],
        faces,
        np.asarray(grid.blocks(np.stack(inside)[..., None]).all(axis=(2, 3)), np.bool_),
        s,
    )


def _sample(image: ImageGray, x: FloatArray, y: FloatArray) -> _Tones:
    """Sample an image (H, W) by linear interpolation, 0..1."""
    tones = cv2.remap(image, x.astype(np.float32), y.astype(np.float32), cv2.INTER_LINEAR)
    return np.asarray(tones, np.float32) * np.float32(1 / 255)


def _sampling_maps(
    bank: Faces, grid: BlockGrid, margin_px: int
) -> tuple[tuple[slice, slice], tuple[_Map, _Map, _Map]]:
    """Return the part of a face's picture that is sampled, with a margin, and the maps within it.

    They are of its steps along x and y and of the face itself.
    """
    slices, places = list[slice](), list[FloatArray]()
    for along, size in zip((grid.x, grid.y), bank.images.shape[2:0:-1], strict=True):
        at = along * bank.px_per_mm + (size - 1) / 2
        first = max(0, int(at[0]) - margin_px)
        slices.append(slice(first, int(at[-1]) + 1 + margin_px))
        places.append(at - first)
    x, y = (of.astype(np.float32) for of in np.meshgrid(*places))
    half = np.float32(0.5)  # a step is between two pixels
    return (slices[1], slices[0]), ((x - half, y), (x, y - half), (x, y))


def _sample_face(
    face: ImageBGR, px_per_mm: float, blur_mm: float, maps: tuple[_Map, _Map, _Map]
) -> _Tones:
    """Return a blurred face's gradients per mm along x and y, and itself: (3, H, W) on the grid."""
    luma = to_gray(face).astype(np.float32)
    soft = cv2.GaussianBlur(luma, (0, 0), max(_LEAST_BLUR_PX, blur_mm * px_per_mm))
    steps = soft[:, 1:] - soft[:, :-1], soft[1:] - soft[:-1]
    pictures = zip((*steps, soft), maps, strict=True)
    along_x, along_y, here = (cv2.remap(of, *at, cv2.INTER_LINEAR) for of, at in pictures)
    planes = [along_x * px_per_mm, along_y * px_per_mm, here]
    return np.stack(planes) * np.float32(1 / 255)


@dataclass(frozen=True, slots=True, eq=False)
class _BlockShifts:
    """Shifts (N, B, 2) mm of blocks, their covariance, which are valid, and their fit (0..1)."""

    shift_mm: FloatArray
    covariance: FloatArray
    good: BoolArray
    fit: FloatArray


def _solve_blocks(
    seen: _Tones, faces: FaceSamples, inside: BoolArray, s: RegistrationSettings
) -> _BlockShifts:
    """Solve each block of the photo (N, B, S) for its shift relative to the face."""
    k, samples = faces.inverse.shape[2], seen.shape[2]
    parts = (faces.drawn @ seen[..., None])[..., 0], seen @ faces.light.T
    side = np.concatenate(parts, axis=2).astype(np.float64)  # (N, B, k)
    answer = (faces.inverse @ side[..., None])[..., 0]
    total = np.einsum("nbs,nbs->nb", seen, seen).astype(np.float64)
    left = np.maximum(total - (answer * side).sum(axis=-1), 1e-6 * samples)
    variance = left / (samples - k)
    gain = answer[..., 2]
    spread = faces.variance * gain**2
    safe = np.maximum(gain, _LEAST_GAIN)
    shift = -answer[..., :2] / safe[..., None]
    covariance = faces.inverse[..., :2, :2] * (variance * _INDEPENDENCE / safe**2)[..., None, None]
    usual = np.median(np.where(inside, np.maximum(gain, 0.0), 0.0), axis=1, keepdims=True)
    good = inside & (gain > np.maximum(_USUAL_GAIN * usual, _LEAST_GAIN))
    good &= spread > s.correlation**2 * (spread + variance)
    good &= np.hypot(shift[..., 0], shift[..., 1]) < s.farthest_mm
    floor = s.floor_mm**2 + (_FLOOR_PX / faces.px_per_mm[:, None, None, None]) ** 2
    fit = spread / (spread + variance + 1e-9)
    return _BlockShifts(shift, covariance + floor * np.eye(2), good, fit)
