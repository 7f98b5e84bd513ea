"""Prints of planar things: features and lightness blocks of the art, compared with a photo.

A print is that of a whole board, or of one of several sheets laid edge to edge.

References
----------
.. [1] Lowe, Distinctive Image Features from Scale-Invariant Keypoints, 2004.
.. [2] Fischler and Bolles, Random Sample Consensus, 1981.
.. [3] Arandjelovic and Zisserman, Three things everyone should know (RootSIFT), 2012.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import rotation
from vision.imaging.view import View, to_gray
from vision.seeing.estimation.rectify import Bend, Rectified, bend_basis
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, ImageGray, IntArray, Points
from vision.values.pieces import Faces

__all__ = [
    "CONTRAST",
    "CORRELATION",
    "PRINT_BLOCK_PX",
    "SAMPLES",
    "BlockAgreement",
    "FeatureMatches",
    "Keypoints",
    "PlanarPrint",
    "bend_of",
    "block_agreement",
    "detect_keypoints",
    "features_in",
    "fit_rigid",
    "keypoints_at",
    "match_features",
    "rigid_consensus",
]

# most features of an art or a photo, strongest first: matching takes their product
_FEATURES = 4000
_REGISTERED_SIDE_PX = 900  # the art is registered at this size, about that of a board in a photo
_MATCHED_SIDE_PX = 450  # its features are detected at this, about that in a small picture
# along the longer side: small compared with a hand, large compared with a stroke
_BLOCKS = 18
PRINT_BLOCK_PX = 12  # side of a block: holds some strokes
CONTRAST = 5.0  # least contrast (grey levels) of strokes that can agree
# least correlation of an agreeing block; other print reaches it in 3 of 100
CORRELATION = 0.6
_APART = 0.02  # matches nearer than this are one place, of the print's longer side
_MOST_MATCHES = 300  # of a sheet, and corners that are followed: few of more would be right
# Bend of a sheet: paper waves by a millimetre, and its edges rise.
_CORNER = 0.05  # least quality of a corner of strokes that is followed
_FOLLOWED_MM = 3.75  # side of the window round each: some strokes
_FOLLOWED_SD_MM = 0.15  # error of a corner that is followed (1 sd)
_SAME_MM = 2.5  # largest error of an inlier; paper waves by a millimetre
_ENOUGH = 7  # least inliers; fewer agree by chance
SAMPLES = 5000  # of a robust fit: two of them are right once in a thousand
_POINTS, _DESCRIPTORS = " points", " descriptors"  # names of kept features, behind a print's
_NUMBERS = 128  # of a descriptor (SIFT)
_AT_ONCE = 256  # features per batch: their similarities to all of the art fit into the cache


@dataclass(frozen=True, slots=True, eq=False)
class Keypoints:
    """Keypoints (N, 2) and their descriptors (N, 128)."""

    points: Points
    descriptors: NDArray[np.float32]

    def __post_init__(self) -> None:
        points, descriptors = self.points, self.descriptors
        is_sound = points.dtype.kind == "f" and descriptors.dtype == np.float32
        is_sound &= points.ndim == 2 and descriptors.shape == (len(points), _NUMBERS)
        if not is_sound or points.shape[1] != 2 or not np.isfinite(points).all():
            msg = f"expected (N, 2) and (N, {_NUMBERS}), got {points.shape}, {descriptors.shape}"
            raise ValueError(msg)


@dataclass(frozen=True, slots=True, eq=False)
class PlanarPrint:
    """The print of a planar thing, prepared for detection.

    ``art`` is upright and cut to the edge; ``faces`` holds it alone, reduced; ``features`` are in
    mm of the print's frame (origin at its centre); ``small`` (h, w) is its lightness at ``blocks``
    (rows, columns) of ``PRINT_BLOCK_PX``. A print of several sheets has ``parts``, row by row,
    whose centres in its frame are ``centres_mm`` (N, 2); one of a single sheet has itself.
    """

    piece: str
    size_mm: tuple[float, float]
    art: ImageBGR
    faces: Faces
    features: Keypoints
    small: ImageGray
    blocks: tuple[int, int]
    _parts: tuple["PlanarPrint", ...] = ()
    _centres_mm: Points | None = None

    @property
    def prepared(self) -> dict[str, NDArray[Any]]:
        """What takes time to compute of the art, by name: the features of its sheets."""
        return {
            name: array
            for one in self.parts
            for name, array in (
                (one.piece + _POINTS, one.features.points),
                (one.piece + _DESCRIPTORS, one.features.descriptors),
            )
        }

    @property
    def parts(self) -> tuple["PlanarPrint", ...]:
        """The sheets of which it consists."""
        return self._parts or (self,)

    @property
    def centres_mm(self) -> Points:
        """The nominal centres (N, 2) of its sheets."""
        return np.zeros((1, 2)) if self._centres_mm is None else self._centres_mm

    @classmethod
    def from_art(
        cls,
        piece: str,
        art: ImageBGR,
        size_mm: tuple[float, float],
        parts: tuple[int, int] = (1, 1),
        known: Mapping[str, Keypoints] | None = None,
    ) -> "PlanarPrint":
        """Prepare art, upright and cut to the edge, of so many columns and rows of sheets.

        ``known`` has features of prints by name, mm from their centre; others are detected.
        """
        if parts != (1, 1):
            return cls._of_parts(piece, art, size_mm, parts, known or {})
        features = (known or {}).get(piece)
        reduced = _reduced(art, _REGISTERED_SIDE_PX)
        if features is None:
            coarse = _reduced(art, _MATCHED_SIDE_PX)
            found = detect_keypoints(to_gray(coarse))
            points = (found.points + 0.5) / coarse.shape[1::-1] * size_mm - np.divide(size_mm, 2)
            features = Keypoints(points, found.descriptors)
        columns, rows = (max(2, round(side * _BLOCKS / max(size_mm))) for side in size_mm)
        size_px = (columns * PRINT_BLOCK_PX, rows * PRINT_BLOCK_PX)
        gray = cv2.resize(to_gray(reduced), size_px, interpolation=cv2.INTER_AREA)
        width, height = float(size_mm[0]), float(size_mm[1])
        faces = Faces(((piece,),), reduced[None], reduced.shape[1] / width, width, height)
        small = np.asarray(gray, np.uint8)
        return cls(piece, (width, height), art, faces, features, small, (rows, columns))

    @classmethod
    def _of_parts(
        cls,
        piece: str,
        art: ImageBGR,
        size_mm: tuple[float, float],
        parts: tuple[int, int],
        known: Mapping[str, Keypoints],
    ) -> "PlanarPrint":
        columns, rows = parts
        size = np.divide(size_mm, parts)
        at_x, at_y = (
            np.rint(np.linspace(0, side, n + 1)).astype(int)
            for side, n in zip(art.shape[1::-1], parts, strict=True)
        )
        cells = [(column, row) for row in range(rows) for column in range(columns)]
        centres = (np.array(cells) + 0.5) * size - np.divide(size_mm, 2)
        sheets = tuple(
            cls.from_art(
                f"{piece}-{k}",
                art[at_y[v] : at_y[v + 1], at_x[u] : at_x[u + 1]],
                tuple(size),
                known=known,
            )
            for k, (u, v) in enumerate(cells, start=1)
        )
        points = [one.features.points + c for one, c in zip(sheets, centres, strict=True)]
        descriptors = np.concatenate([one.features.descriptors for one in sheets])
        features = Keypoints(np.concatenate(points), descriptors)
        whole = cls.from_art(piece, art, size_mm, known={piece: features})
        return replace(whole, _parts=sheets, _centres_mm=centres)


def features_in(prepared: Mapping[str, NDArray[Any]]) -> dict[str, Keypoints]:
    """Return the features of prints, by name, that were computed before.

    Raises
    ------
    ValueError
        If these are no features.
    """
    names = [name.removesuffix(_POINTS) for name in prepared if name.endswith(_POINTS)]
    return {n: Keypoints(prepared[n + _POINTS], prepared[n + _DESCRIPTORS]) for n in names}


def _reduced(art: ImageBGR, side_px: int) -> ImageBGR:
    """Return the art, not longer than a side."""
    scale = min(1.0, side_px / max(art.shape[:2]))
    small = cv2.resize(art, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def detect_keypoints(gray: ImageGray) -> Keypoints:
    """Detect the features of an image, in its pixels, the strongest first."""
    keypoints, descriptors = cv2.SIFT.create(_FEATURES).detectAndCompute(gray, None)
    if descriptors is None or not len(keypoints):
        return Keypoints(np.zeros((0, 2)), np.zeros((0, 128), np.float32))
    order = np.argsort([-k.response for k in keypoints], kind="stable")
    points = np.array([k.pt for k in keypoints], float)[order]
    total = descriptors.sum(axis=1, keepdims=True) + 1e-6
    return Keypoints(points, np.sqrt(descriptors / total).astype(np.float32)[order])


def keypoints_at(view: View, level: int) -> Keypoints:
    """Return the features of a level of a photo, in its pixels; detected once."""
    return view.once("features", level, detect_keypoints)


@dataclass(frozen=True, slots=True, eq=False)
class BlockAgreement:
    """Agreement of the print's blocks (rows, columns) with the photo.

    ``correlation`` is of lightness, -1..1; ``looked`` marks the blocks with contrast inside the
    photo, ``agrees`` those of them that agree.
    """

    correlation: FloatArray
    looked: BoolArray
    agrees: BoolArray

    @property
    def share(self) -> float:
        """Agreeing share of the compared blocks."""
        return float(self.agrees.sum() / max(1, self.looked.sum()))

    @property
    def coherence(self) -> float:
        """Agreeing share of the neighbours of agreeing blocks.

        Things on a print cover whole areas of it; chance agreement is scattered.
        """
        ring = np.ones((3, 3))
        ring[1, 1] = 0
        inliers, looked = (
            cv2.filter2D(mask.astype(np.float64), -1, ring, borderType=cv2.BORDER_CONSTANT)
            for mask in (self.agrees, self.looked)
        )
        return float(inliers[self.agrees].sum() / max(1.0, looked[self.agrees].sum()))


def block_agreement(print_: PlanarPrint, rectified: Rectified) -> BlockAgreement:
    """Compare a print, block by block, with the rectified image of it alone.

    Slow changes of light are removed from both, so that only strokes are compared.
    """
    rows, columns = print_.blocks
    size = (columns * PRINT_BLOCK_PX, rows * PRINT_BLOCK_PX)
    seen = cv2.resize(to_gray(rectified.image), size, interpolation=cv2.INTER_AREA)
    inside = np.asarray(
        cv2.resize(rectified.inside.astype(np.float32), size, interpolation=cv2.INTER_AREA),
        np.float32,
    )
    one, other = (_high_pass(image, PRINT_BLOCK_PX) for image in (print_.small, seen))

    def per_block(values: NDArray[np.float32]) -> FloatArray:
        cut = values.reshape(rows, PRINT_BLOCK_PX, columns, PRINT_BLOCK_PX)
        return np.asarray(cut.mean(axis=(1, 3)), np.float64)

    mean_one, mean_other = per_block(one), per_block(other)
    var_one = per_block(one * one) - mean_one**2
    var_other = per_block(other * other) - mean_other**2
    cross = per_block(one * other) - mean_one * mean_other
    correlation = cross / np.sqrt(np.maximum(var_one * var_other, 1e-6))
    looked = (var_one > CONTRAST**2) & (per_block(inside) > 1 - 1e-6)
    return BlockAgreement(correlation, looked, looked & (correlation > CORRELATION))


def bend_of(print_: PlanarPrint, rectified: Rectified) -> Bend | None:
    """Return the bend of a sheet from its rectified image alone; None if too little of it shows.

    Strokes of the print are followed to the photo and back; what lies on it is an outlier.
    """
    scale = rectified.px_per_mm
    seen = to_gray(rectified.image)
    art = cv2.resize(to_gray(print_.art), seen.shape[::-1], interpolation=cv2.INTER_AREA)
    one, other = (_strokes(np.asarray(image, np.uint8), scale) for image in (art, seen))
    start = cv2.goodFeaturesToTrack(one, _MOST_MATCHES, _CORNER, 2 * scale)
    if start is None:
        return None
    side = 2 * round(_FOLLOWED_MM * scale / 2) + 1
    how: dict[str, Any] = {"winSize": (side, side), "maxLevel": 1}
    end = cv2.calcOpticalFlowPyrLK(one, other, start, start.copy(), **how)[0]
    back = cv2.calcOpticalFlowPyrLK(other, one, end, start.copy(), **how)[0]
    shift, error = (end - start)[:, 0] / scale, (back - start)[:, 0] / scale
    kept = (np.hypot(*shift.T) < _SAME_MM) & (np.hypot(*error.T) < _FOLLOWED_SD_MM)
    half = np.divide(print_.size_mm, 2)
    at = rectified.to_mm(start[kept, 0].astype(float))
    basis, shift = bend_basis(at / half), shift[kept].astype(float)
    if len(basis) < _ENOUGH * basis.shape[1]:
        return None
    weights = np.ones(len(at))
    for _ in range(8):  # reweighted: it changes no more
        terms = np.linalg.lstsq(basis * weights[:, None], shift * weights[:, None], rcond=None)[0]
        weights = 1 / (1 + (np.hypot(*(shift - basis @ terms).T) / _FOLLOWED_SD_MM) ** 2)
    return Bend(terms, half)


def _strokes(gray: ImageGray, px_per_mm: float) -> ImageGray:
    """Return the strokes alone, whatever the light."""
    return np.asarray(
        np.clip(_high_pass(gray, 2 * _FOLLOWED_MM * px_per_mm) + 128, 0, 255), np.uint8
    )


def _high_pass(gray: ImageGray | NDArray[np.generic], block_px: float) -> NDArray[np.float32]:
    """Return the lightness without changes slower than a block."""
    soft = cv2.GaussianBlur(np.asarray(gray, np.float32), (0, 0), 0.8)
    return np.asarray(soft - cv2.GaussianBlur(soft, (0, 0), block_px), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMatches:
    """Features of the photo (N, 2), their best match in the art (N, 2) mm, and the ratio (N,)."""

    seen: Points
    art: Points
    ratio: FloatArray

    def best(self) -> "FeatureMatches":
        """Return the matches that pass the strictest ratio test."""
        return self.where(np.argsort(self.ratio, kind="stable")[:_MOST_MATCHES])

    def where(self, keep: BoolArray | IntArray) -> "FeatureMatches":
        """Return some of the matches."""
        return FeatureMatches(self.seen[keep], self.art[keep], self.ratio[keep])

    def below(self, ratio: float) -> "FeatureMatches":
        """Return the matches that pass a ratio test against other places of the art."""
        return self.where(self.ratio < ratio)

    def outside(self, corners_px: Points) -> "FeatureMatches":
        """Return the matches outside a quadrilateral (4, 2), clockwise."""
        sides = np.roll(corners_px, -1, axis=0) - corners_px
        off = self.seen[:, None] - corners_px
        side = sides[:, 0] * off[..., 1] - sides[:, 1] * off[..., 0]
        return self.where(np.asarray((side < 0).any(axis=1), np.bool_))


def match_features(print_: PlanarPrint, seen: Keypoints) -> FeatureMatches:
    """Match the features of a photo with those of the art.

    A feature's ratio is its distance from the best match over that from the best at another place.
    """
    art = print_.features
    if len(art.points) < 4 or len(seen.points) < 4:
        return FeatureMatches(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))
    at = np.asarray(art.points, np.float32)
    squared, reach = (at**2).sum(axis=1), _APART * max(print_.size_mm)
    best = np.empty(len(seen.points), np.int64)
    top, second = np.empty((2, len(best)), np.float32)
    for start in range(0, len(best), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        similarity = seen.descriptors[part] @ art.descriptors.T
        chosen = similarity.argmax(axis=1)
        best[part], top[part] = chosen, similarity[np.arange(len(chosen)), chosen]
        away = squared[chosen, None] + squared - 2 * at[chosen] @ at.T
        similarity[away <= reach**2] = -1.0
        second[part] = similarity.max(axis=1)
    distance, other = (np.sqrt(np.maximum(2 - 2 * v, 0)) for v in (top, second))
    return FeatureMatches(seen.points, art.points[best], distance / np.maximum(other, 1e-9))


def rigid_consensus(art: Points, table: Points) -> tuple[FloatArray, BoolArray] | None:
    """Estimate the pose of a print on a plane.

    Parameters
    ----------
    art, table : (M, 2) float64
        Points of the print and the matching points of the plane, mm.

    Returns
    -------
    pose : (3,) float64
        Pose with most inliers: x mm, y mm, theta rad.
    inliers : (M,) bool
        Matches that agree with it.

    None if too few agree.
    """
    if len(art) < _ENOUGH:
        return None
    found, mask = cv2.estimateAffinePartial2D(
        art, table, None, cv2.RANSAC, _SAME_MM, SAMPLES, 1 - 1e-6, 0
    )
    if found is None:
        return None
    inliers = mask.ravel() > 0
    for _ in range(3):
        if inliers.sum() < _ENOUGH:
            return None
        turn, shift = fit_rigid(art[inliers], table[inliers])
        off = art @ turn.T + shift - table
        inliers = np.asarray((off**2).sum(axis=1) < _SAME_MM**2, np.bool_)
    pose = np.array([*shift, np.arctan2(turn[1, 0], turn[0, 0])])
    return (pose, inliers) if inliers.sum() >= _ENOUGH else None


def fit_rigid(one: Points, other: Points) -> tuple[FloatArray, FloatArray]:
    """Return the rotation (2, 2) and shift (2,) that best map points (N, 2) to others."""
    a, b = one - one.mean(axis=0), other - other.mean(axis=0)
    angle = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
    turn = rotation(float(angle))
    return turn, other.mean(axis=0) - turn @ one.mean(axis=0)
