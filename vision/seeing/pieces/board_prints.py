"""Features and lightness blocks of a board's art, and their comparison with a photo.

References
----------
.. [1] Lowe, Distinctive Image Features from Scale-Invariant Keypoints, 2004.
.. [2] Arandjelovic and Zisserman, Three things everyone should know (RootSIFT), 2012.
"""

from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.view import View, to_gray
from vision.seeing.pieces.rectify import Rectified
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, ImageGray, IntArray, Points
from vision.values.pieces import Faces

__all__ = [
    "PRINT_BLOCK_PX",
    "BlockAgreement",
    "BoardPrint",
    "FeatureMatches",
    "Keypoints",
    "block_agreement",
    "detect_keypoints",
    "keypoints_at",
    "match_features",
]

_FEATURES = 5000  # features detected per photo: no search uses more


# Features and blocks of a board's print.
_PRINT_ART_SIDE_PX = 900  # the art is reduced to this: about the size of a board in a photo
# most features, strongest first: the time of matching grows with their product
_PRINT_FEATURES = 4000
# along the longer side: small compared with a hand, large compared with a stroke
_PRINT_BLOCKS = 18
PRINT_BLOCK_PX = 12  # side of a block: holds some strokes
_PRINT_CONTRAST = 5.0  # least contrast (grey levels) of a block that can agree
# least correlation of an agreeing block; other print reaches it in 3 of 100
_PRINT_CORRELATION = 0.6


@dataclass(frozen=True, slots=True, eq=False)
class Keypoints:
    """Keypoints (N, 2) and their descriptors (N, 128)."""

    points: Points
    descriptors: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class BoardPrint:
    """A printed board, prepared for detection.

    ``faces`` holds its art alone; ``features`` are in mm of the board's frame (origin at its
    centre); ``small`` (h, w) is its lightness at ``blocks`` (rows, columns) of ``PRINT_BLOCK_PX``.
    """

    piece: str
    size_mm: tuple[float, float]
    faces: Faces
    features: Keypoints
    small: ImageGray
    blocks: tuple[int, int]

    @classmethod
    def from_art(
        cls,
        piece: str,
        art: ImageBGR,
        size_mm: tuple[float, float],
        features: Keypoints | None = None,
        coarser: int = 1,
    ) -> "BoardPrint":
        """Prepare the art of a board, upright and cut to its edge.

        ``features`` (mm from its centre) are used if given, else detected, in so many times coarser
        art.
        """
        reduced = _reduced(art, _PRINT_ART_SIDE_PX)
        per_mm = np.array(reduced.shape[1::-1]) / size_mm
        if features is None:
            coarse = _reduced(art, _PRINT_ART_SIDE_PX // coarser)
            found = detect_keypoints(to_gray(coarse), _PRINT_FEATURES)
            points = (found.points + 0.5) / coarse.shape[1::-1] * size_mm - np.divide(size_mm, 2)
            features = Keypoints(points, found.descriptors)
        block_mm = max(size_mm) / _PRINT_BLOCKS
        columns, rows = (max(2, round(side / block_mm)) for side in size_mm)
        small = cv2.resize(
            to_gray(reduced),
            (columns * PRINT_BLOCK_PX, rows * PRINT_BLOCK_PX),
            interpolation=cv2.INTER_AREA,
        )
        faces = Faces(
            ((piece,),), reduced[None], float(per_mm[0]), float(size_mm[0]), float(size_mm[1])
        )
        return cls(
            piece,
            (float(size_mm[0]), float(size_mm[1])),
            faces,
            features,
            np.asarray(small, np.uint8),
            (rows, columns),
        )


def _reduced(art: ImageBGR, side_px: int) -> ImageBGR:
    """Return the art, not longer than a side."""
    scale = min(1.0, side_px / max(art.shape[:2]))
    small = cv2.resize(art, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8)


def detect_keypoints(gray: ImageGray, most: int) -> Keypoints:
    """Detect the features of an image, in its pixels, the strongest first."""
    keypoints, descriptors = cv2.SIFT.create(most).detectAndCompute(gray, None)
    if descriptors is None or not len(keypoints):
        return Keypoints(np.zeros((0, 2)), np.zeros((0, 128), np.float32))
    order = np.argsort([-k.response for k in keypoints], kind="stable")
    points = np.array([k.pt for k in keypoints], float)[order]
    total = descriptors.sum(axis=1, keepdims=True) + 1e-6
    return Keypoints(points, np.sqrt(descriptors / total).astype(np.float32)[order])


def keypoints_at(view: View, level: int, most: int) -> Keypoints:
    """Return the strongest features of a level of a photo, in its pixels; detected once."""
    found = view.once("features", level, lambda gray: detect_keypoints(gray, _FEATURES))
    return Keypoints(found.points[:most], found.descriptors[:most])


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

        Things on a board cover whole areas of it; chance agreement is scattered.
        """
        ring = np.ones((3, 3))
        ring[1, 1] = 0
        inliers, looked = (
            cv2.filter2D(mask.astype(np.float64), -1, ring, borderType=cv2.BORDER_CONSTANT)
            for mask in (self.agrees, self.looked)
        )
        return float(inliers[self.agrees].sum() / max(1.0, looked[self.agrees].sum()))


def block_agreement(board: BoardPrint, rectified: Rectified) -> BlockAgreement:
    """Compare a board, block by block, with the rectified image of the board alone.

    Slow changes of light are removed from both, so that only strokes are compared.
    """
    rows, columns = board.blocks
    size = (columns * PRINT_BLOCK_PX, rows * PRINT_BLOCK_PX)
    seen = cv2.resize(to_gray(rectified.image), size, interpolation=cv2.INTER_AREA)
    inside = np.asarray(
        cv2.resize(rectified.inside.astype(np.float32), size, interpolation=cv2.INTER_AREA),
        np.float32,
    )
    one, other = (_high_pass(image, PRINT_BLOCK_PX) for image in (board.small, seen))

    def per_block(values: NDArray[np.float32]) -> FloatArray:
        cut = values.reshape(rows, PRINT_BLOCK_PX, columns, PRINT_BLOCK_PX)
        return np.asarray(cut.mean(axis=(1, 3)), np.float64)

    mean_one, mean_other = per_block(one), per_block(other)
    var_one = per_block(one * one) - mean_one**2
    var_other = per_block(other * other) - mean_other**2
    cross = per_block(one * other) - mean_one * mean_other
    correlation = cross / np.sqrt(np.maximum(var_one * var_other, 1e-6))
    looked = (var_one > _PRINT_CONTRAST**2) & (per_block(inside) > 0.999)
    return BlockAgreement(correlation, looked, looked & (correlation > _PRINT_CORRELATION))


def _high_pass(gray: ImageGray | NDArray[np.generic], block_px: int) -> NDArray[np.float32]:
    """Return the lightness without changes slower than a block."""
    soft = cv2.GaussianBlur(np.asarray(gray, np.float32), (0, 0), 0.8)
    return np.asarray(soft - cv2.GaussianBlur(soft, (0, 0), block_px), np.float32)


_AT_ONCE = 256  # features per batch: their similarities to all of the art fit into the cache


@dataclass(frozen=True, slots=True, eq=False)
class FeatureMatches:
    """Features of the photo (N, 2), their best match in the art (N, 2) mm, and the ratio (N,)."""

    seen: Points
    art: Points
    ratio: FloatArray

    def below(self, ratio: float) -> "FeatureMatches":
        """Return the matches that pass a ratio test against other places of the art."""
        keep = self.ratio < ratio
        return FeatureMatches(self.seen[keep], self.art[keep], self.ratio[keep])

    def outside(self, corners_px: Points) -> "FeatureMatches":
        """Return the matches outside a quadrilateral (4, 2), clockwise."""
        sides = np.roll(corners_px, -1, axis=0) - corners_px
        off = self.seen[:, None] - corners_px
        beyond = (sides[:, 0] * off[..., 1] - sides[:, 1] * off[..., 0] < 0).any(axis=1)
        return FeatureMatches(self.seen[beyond], self.art[beyond], self.ratio[beyond])


def match_features(board: BoardPrint, seen: Keypoints, apart: float) -> FeatureMatches:
    """Match the features of a photo with those of the art.

    A feature's ratio is its distance from the best match over that from the best at another place.
    """
    art = board.features
    if len(art.points) < 4 or len(seen.points) < 4:
        return FeatureMatches(np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0))
    beside = _neighbours(art, apart * max(board.size_mm))
    best = np.empty(len(seen.points), np.int64)
    top, second = np.empty((2, len(best)), np.float32)
    for start in range(0, len(best), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        similarity = seen.descriptors[part] @ art.descriptors.T
        each, chosen = np.arange(len(similarity)), similarity.argmax(axis=1)
        best[part], top[part] = chosen, similarity[each, chosen]
        similarity[each[:, None], beside[chosen]] = -1.0
        second[part] = similarity.max(axis=1)
    distance, other = (np.sqrt(np.maximum(2 - 2 * v, 0)) for v in (top, second))
    return FeatureMatches(seen.points, art.points[best], distance / np.maximum(other, 1e-9))


@lru_cache(maxsize=16)
def _neighbours(features: Keypoints, reach: float) -> IntArray:
    """Return the features (N, K) within reach of each; where there are fewer, itself again."""
    row = np.floor(features.points[:, 1] / reach)
    order = np.lexsort((features.points[:, 0], row))
    points, row = features.points[order], row[order]
    wide = np.ptp(points[:, 0]) + 3 * reach
    at = row * wide + points[:, 0]
    pairs = []
    for off in (-1, 0, 1):  # in rows as high as the reach
        first = np.searchsorted(at, at + off * wide - reach)
        count = np.searchsorted(at, at + off * wide + reach, "right") - first
        one = np.repeat(np.arange(len(at)), count)
        pairs.append(
            (one, np.arange(len(one)) + np.repeat(first - np.cumsum(count) + count, count))
        )
    one, other = np.concatenate(pairs, axis=1)
    sorted_ = np.argsort(one, kind="stable")
    one, other = one[sorted_], other[sorted_]
    near = ((points[one] - points[other]) ** 2).sum(axis=1) <= reach**2
    one, other = one[near], other[near]
    rank = np.arange(len(one)) - np.searchsorted(one, one)
    found = np.repeat(np.arange(len(points))[:, None], rank.max() + 1, axis=1)
    found[order[one], rank] = order[other]
    return found
