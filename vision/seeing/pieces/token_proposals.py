"""Proposes places of tokens: more than there are, since all of them are read.

A token covers the print of the board, its tones or its strokes; its rings have their own colours,
and its edge is round.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.imaging.view import View
from vision.seeing.pieces.board_scene import Base, BoardScene
from vision.seeing.pieces.photometric_fit import to_art_colours, to_opponent_colours
from vision.seeing.pieces.rectify import Rectified, rectify
from vision.seeing.pieces.ring_correlation import Rings, ring_profiles_of
from vision.values.arrays import FloatArray, ImageBGR, Points
from vision.values.pieces import Piece

__all__ = ["TokenGroup", "covered_share", "group_tokens", "propose_tokens"]

# of the radius: coarse rings, independent of rotation
_RINGS = ((0.0, 0.4), (0.4, 0.65), (0.65, 0.92))


# Search for places.
_RADIUS_PX = 10.0  # of a token in the searched image: enough for its rings
_PLACES = 60  # most places, best first: each is read at 25 positions
_SIMILARITY = 0.35  # least correlation of the rings' colours
_COVERED = 0.6  # least share of a disc that is not the board's print


@dataclass(frozen=True, eq=False)
class TokenGroup:
    """Pieces of one size and height, and their faces."""

    pieces: tuple[Piece, ...]
    arts: tuple[ImageBGR, ...]
    coloured: bool
    radius_mm: float
    height_mm: float

    @cached_property
    def faces(self) -> Rings:
        """Ring profiles of the faces, computed on first use."""
        return ring_profiles_of(self.arts, coloured=self.coloured)


def group_tokens(
    pieces: Sequence[Piece], art: Mapping[str, ImageBGR], scene: BoardScene
) -> tuple[TokenGroup, ...]:
    """Group the tokens by size and height."""
    sizes: dict[tuple[float, float], list[Piece]] = {}
    for piece in pieces:
        if piece.id in art:
            sizes.setdefault((min(piece.size_mm) / 2, piece.height_mm), []).append(piece)
    return tuple(
        TokenGroup(
            tuple(some),
            tuple(art[piece.id] for piece in some),
            scene.coloured,
            radius,
            height,
        )
        for (radius, height), some in sizes.items()
    )


def propose_tokens(view: View, scene: BoardScene, group: TokenGroup, base: Base) -> Points:
    """Return places (N, 2) mm where a token of a group may lie on a base."""
    scale, height = _RADIUS_PX / group.radius_mm, base[0] + group.height_mm
    rough = rectify(view, scene.solution, scene.box_mm, scale, height)
    image = to_art_colours(rough, scene.photometry)
    radius = _RADIUS_PX
    best = _ring_scores(to_opponent_colours(image, scene.coloured), group, radius, scene.coloured)
    spots = [_peaks(best, radius, _SIMILARITY, _PLACES // 2)]
    for hidden in (scene.covered, scene.foreign):
        if hidden is not None:
            share = _disc_mean(_on_grid_of(rough, hidden), radius)
            spots.append(_peaks(share, radius, _COVERED, _PLACES // 4))
    spots.append(_circles(image, radius, _PLACES // 4))
    at = np.concatenate(spots)
    at = at[rough.inside[tuple(np.round(at[:, ::-1]).astype(int).T)]]
    points = rough.to_mm(at)
    return points[scene.fits(points, base)]


def _disc(radius_px: float, inner_px: float = 0.0) -> NDArray[np.float32]:
    """Return a kernel for the mean over a ring."""
    reach = int(np.ceil(radius_px))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    away = np.hypot(x, y)
    inside = (away <= radius_px) & (away >= inner_px)
    return np.asarray(inside / inside.sum(), np.float32)


def _disc_mean(values: NDArray[np.float32], radius_px: float) -> NDArray[np.float32]:
    return np.asarray(cv2.filter2D(values, -1, _disc(radius_px)), np.float32)


def _ring_scores(
    image: NDArray[np.float32], group: TokenGroup, radius_px: float, coloured: bool
) -> NDArray[np.float32]:
    """Return the best correlation of the rings round each pixel with a face's: (H, W), -1..1."""
    area = np.array([high**2 - low**2 for low, high in _RINGS], np.float32)
    area /= area.sum()
    rings = np.stack(
        [cv2.filter2D(image, -1, _disc(high * radius_px, low * radius_px)) for low, high in _RINGS],
        axis=2,
    )  # (H, W, rings, channels)
    faces = np.stack([_face_rings(art, coloured) for art in group.arts])
    for values in (rings, faces):
        values[..., 0] -= (values[..., 0] * area).sum(axis=-1, keepdims=True)
        values *= np.sqrt(area)[:, None]
    length = np.sqrt((rings**2).sum(axis=(2, 3))) + 6.0
    size = np.sqrt((faces**2).sum(axis=(1, 2)))
    best = np.full(length.shape, -1.0, np.float32)
    for face, own in zip(faces, size, strict=True):
        if own > 6.0:  # a face with neither colour nor rings is proposed by other means
            best = np.maximum(best, (rings * face).sum(axis=(2, 3)) / (length * own))
    return best


def _face_rings(art: ImageBGR, coloured: bool) -> NDArray[np.float32]:
    """Return the mean (rings, channels) of a face's rings."""
    small = cv2.resize(art, (48, 48), interpolation=cv2.INTER_AREA).astype(np.float32)
    photometry = to_opponent_colours(small, coloured)
    y, x = np.mgrid[0:48, 0:48] - 23.5
    away = np.hypot(x, y) / 24
    rings = [photometry[(away >= low) & (away <= high)].mean(axis=0) for low, high in _RINGS]
    return np.asarray(rings, np.float32)


def _peaks(values: NDArray[np.float32], radius_px: float, least: float, most: int) -> Points:
    """Return the highest local maxima (N, 2) of an image."""
    size = 2 * int(radius_px * 0.5) + 1
    top = cv2.dilate(values, np.ones((size, size), np.uint8))
    y, x = np.nonzero((values >= top) & (values > least))
    order = np.argsort(-values[y, x])[:most]
    return np.stack([x[order], y[order]], axis=1).astype(float)


def _circles(image: NDArray[np.float32], radius_px: float, most: int) -> Points:
    """Return the centres (N, 2) of circles of a radius."""
    gray = np.clip(image.mean(axis=2), 0, 255).astype(np.uint8)
    found = cv2.HoughCircles(
        gray,
        cv2.HOUGH_GRADIENT,
        1,
        radius_px,
        param1=80,
        param2=8,
        minRadius=int(radius_px - 1),
        maxRadius=int(radius_px + 2),
    )
    if found is None:
        return np.zeros((0, 2))
    at = np.asarray(found, float).reshape(-1, 3)[:most, :2]
    return np.asarray(np.clip(at, 0, np.array(gray.shape[::-1]) - 1), np.float64)


def _on_grid_of(rectified: Rectified, cover: Rectified) -> NDArray[np.float32]:
    """Resample a cover mask to the grid of another image: (H, W), 0..1."""
    h, w = rectified.image.shape[:2]
    scale = cover.px_per_mm / rectified.px_per_mm
    x, y = (rectified.origin_mm - cover.origin_mm) * cover.px_per_mm
    way = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    share = cover.image[..., 0].astype(np.float32) / 255
    warp = np.array([[scale, 0, x], [0, scale, y]])
    return np.asarray(cv2.warpAffine(share, warp, (w, h), flags=way), np.float32)


def covered_share(scene: BoardScene, poses: FloatArray, radius_mm: float) -> FloatArray:
    """Return the share of each disc (N,) that is not the board's print; 0 without a board."""
    if scene.covered is None:
        return np.zeros(len(poses))
    cover = scene.covered
    share = _disc_mean(
        np.asarray(cover.image[..., 0] / 255, np.float32), radius_mm * cover.px_per_mm
    )
    at = np.round(cover.to_px(poses[:, :2])).astype(int)
    h, w = share.shape
    inside = (at >= 0).all(axis=1) & (at[:, 0] < w) & (at[:, 1] < h)
    at = np.clip(at, 0, [w - 1, h - 1])
    return np.where(inside, share[at[:, 1], at[:, 0]], 0.0)
