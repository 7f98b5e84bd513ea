"""The scene for token and dice detection: plane, board, light and covered areas."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_corners, table_from_photo
from vision.imaging.view import View
from vision.seeing.estimation.model import Solution, camera_of
from vision.seeing.pieces.photometric_fit import (
    PhotometricFit,
    beyond_print_range,
    fit_photometry,
    to_art_colours,
    to_opponent_colours,
)
from vision.seeing.pieces.printed_planar import PrintedPlanar
from vision.seeing.pieces.prints import BlockAgreement
from vision.seeing.pieces.rectify import (
    Box,
    Rectified,
    bounding_box,
    box_in_photo,
    map_plane,
    raise_plane,
    rectify,
)
from vision.texts import make_issue, where_px
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, Points
from vision.values.layout import Placed
from vision.values.messages import Issue

__all__ = ["SURE", "Base", "BoardScene", "Found", "board_scene_of", "board_scene_on", "doubt_about"]

#: height mm of a supporting surface; whether it is the board (None: either)
Base = tuple[float, bool | None]
SURE = 0.99  # probability of a name or number below which it is doubtful
_SAME_MM = 0.3  # a thinner board is treated as the table


# Comparison of a board with its art, and the search area.
_MARGIN = 0.9  # searched margin, of the board's longer side: dice lie beside the board
_PX_PER_SIDE = 220  # pixels of the board's longer side: strokes are wide enough to compare
_DIFFERENCE = 14.0  # difference of art and photo (grey levels) that light does not explain
_SOFT = 1.2  # blur (px, 1 sd): position error of a board and blur of its strokes
_STROKES_PX = 5.0  # radius in which strokes are compared: one and its surroundings
_STROKES_SOFT = 0.6  # blur (px, 1 sd) of strokes that are compared by shape instead of tone
_SPREAD = 10.0  # least spread of print (grey levels) that can be compared by shape
# least scale for that: thin strokes are lost below it. At 0.5, 7 bare places of 4 Asteroyds
# tables were taken for foreign
_STROKES_PX_PER_MM = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a detector returns of each piece: the piece, its doubts, and what it explains away.

    ``hull_mm`` (N, 2) is the convex area of the board's plane that it covers, from foot to top.
    """

    placed: Placed
    hull_mm: Points
    doubts: tuple[Issue, ...] = ()


def doubt_about(placed: Placed, code: str, **gaps: str) -> Issue:
    """Return a doubt about a piece, with its place in the photo."""
    where = where_px(*placed.outline_px.mean(axis=0))
    name = placed.spot if placed.kind == "pawn" else placed.piece
    return make_issue(code, f"issue.{code}", (name,), **{"piece": placed.piece, **gaps}, **where)


@dataclass(frozen=True, slots=True, eq=False)
class BoardScene:
    """The scene for token and dice detection.

    ``solution`` is camera and plane, in the table frame; ``box_mm`` is the search area. ``board``
    (None: the plane is known otherwise) has the box ``board_mm`` in the same frame; the table is
    ``drop_mm`` below its print. ``photometry`` is the photometric model of the photo; ``covered``
    (one channel, 0..255) is high where the photo's tones differ from the board's print, ``foreign``
    (likewise) where the print's strokes are missing, in any tone; ``beside_mm`` are outlines (N, 2)
    of other prints on the plane; ``art`` (H, W, 3) is the board's, as it lies, cut to its edge.
    """

    solution: Solution
    box_mm: Box
    board: PrintedPlanar | None = None
    board_mm: Box | None = None
    drop_mm: float = 0.0
    photometry: PhotometricFit | None = None
    covered: Rectified | None = None
    foreign: Rectified | None = None
    beside_mm: tuple[Points, ...] = ()
    art: ImageBGR | None = None

    @property
    def coloured(self) -> bool:
        """Whether colours are reliable."""
        return self.photometry is None or self.photometry.coloured

    def bases(self) -> tuple[Base, ...]:
        """Return the surfaces on which pieces may stand."""
        if self.board_mm is None or self.drop_mm < _SAME_MM:
            return ((0.0, None),)
        return ((0.0, True), (-self.drop_mm, False))

    def is_on_board(self, points_mm: Points) -> BoolArray:
        """Return which points (N, 2) are within the board; none without a board."""
        if self.board_mm is None:
            return np.zeros(len(points_mm), bool)
        low, high = np.array(self.board_mm[:2]), np.array(self.board_mm[2:])
        return np.asarray(((points_mm > low) & (points_mm < high)).all(axis=1), np.bool_)

    def fits(self, points_mm: Points, base: Base) -> BoolArray:
        """Return which points (N, 2) belong to a base."""
        if base[1] is None:
            return np.ones(len(points_mm), bool)
        return np.asarray(self.is_on_board(points_mm) == base[1], np.bool_)

    def hides(self, point_mm: Points, radius_mm: float, least: float) -> bool:
        """Return whether a share of the board round a point is covered; True outside the board."""
        if self.covered is None or not self.is_on_board(np.asarray(point_mm).reshape(1, 2))[0]:
            return True
        x, y = np.round(self.covered.to_px(point_mm)).astype(int)
        reach = max(1, int(0.7 * radius_mm * self.covered.px_per_mm))
        part = self.covered.image[max(0, y - reach) : y + reach, max(0, x - reach) : x + reach, 0]
        return bool(part.size and (part > 0).mean() > least)

    def without(self, hulls_mm: Iterable[Points]) -> "BoardScene":
        """Return the scene with convex areas (N, 2) of the board cleared from the covered one."""
        if self.covered is None:
            return self
        image = self.covered.image.copy()
        image[self.covered.filled(hulls_mm) > 0] = 0
        return replace(self, covered=replace(self.covered, image=image))

    def hull_of(self, foot_mm: Points, height_mm: float) -> Points:
        """Return the convex area that a body covers, from its foot (N, 2) to its top."""
        lean = height_mm * self.shift_by_height(foot_mm.mean(axis=0), 0.0)
        both = np.concatenate([foot_mm, foot_mm - lean]).astype(np.float32)
        return np.asarray(cv2.convexHull(both)[:, 0], np.float64)

    def spread_mm(self, point_mm: Points) -> FloatArray:
        """Return the covariance of a point on the board: (2, 2) mm²."""
        return np.zeros((2, 2)) if self.board is None else self.board.spread_mm(point_mm)

    def on_plane(self, photo_px: Points) -> Points:
        """Project points (N, 2) of the photo to the plane of the print, mm."""
        return table_from_photo(camera_of(self.solution), photo_px)

    def shift_by_height(self, point_mm: Points, height_mm: float) -> FloatArray:
        """Return the shift (2,) of the line of sight at a point per mm of height, mm.

        It points towards the camera: what is seen at ``point_mm`` on the plane of the print and is
        h mm high stands at ``point_mm + h * shift``.
        """
        at = map_plane(self.solution, point_mm, height_mm)
        higher = table_from_photo(camera_of(raise_plane(self.solution, height_mm + 1.0)), at)
        return np.asarray(higher[0] - point_mm, np.float64)


def board_scene_of(
    view: View, board: PrintedPlanar, art: ImageBGR, *, drop_mm: float = 0.0
) -> BoardScene:
    """Build the scene of a board and its surroundings.

    Parameters
    ----------
    view : View
        The photo.
    board : PrintedPlanar
        The first detected board: its frame is the table's.
    art : (H, W, 3) uint8
        Upright, cut to the edge.
    drop_mm : float
        Thickness of the board.
    """
    size_mm = board.print.size_mm
    scene = board_scene_on(view, board.solution, size_mm, art, board.agreement)
    seen, photometry = _rectified_print(view, board.solution, size_mm), scene.photometry
    assert photometry is not None
    covered, foreign = _covered(seen, photometry, art), _foreign_strokes(seen, photometry, art)
    return replace(scene, board=board, drop_mm=drop_mm, covered=covered, foreign=foreign, art=art)


def board_scene_on(
    view: View,
    solution: Solution,
    size_mm: tuple[float, float],
    art: ImageBGR,
    agreed: BlockAgreement,
) -> BoardScene:
    """Build the scene of a print centred in its own frame, and its surroundings, in its light."""
    left, top, right, bottom = own = bounding_box(card_corners(*size_mm))
    photometry = fit_photometry(art, _rectified_print(view, solution, size_mm), agreed)
    margin = _MARGIN * max(size_mm)
    box = (left - margin, top - margin, right + margin, bottom + margin)
    box = box_in_photo(view, solution, box)
    return BoardScene(solution, box, board_mm=own, photometry=photometry)


def _rectified_print(view: View, solution: Solution, size_mm: tuple[float, float]) -> Rectified:
    scale = _PX_PER_SIDE / max(size_mm)
    return rectify(view, solution, bounding_box(card_corners(*size_mm)), scale)


def _covered(seen: Rectified, photometry: PhotometricFit, art: ImageBGR) -> Rectified:
    """Return the mask of a rectified board's pixels that differ from its art."""
    height, width = seen.image.shape[:2]
    wanted = cv2.resize(art, (width, height), interpolation=cv2.INTER_AREA)
    one, other = (
        np.asarray(
            cv2.GaussianBlur(to_opponent_colours(image, photometry.coloured), (0, 0), _SOFT),
            np.float32,
        )
        for image in (wanted, to_art_colours(seen, photometry))
    )
    near = np.ones((3, 3), np.uint8)  # an offset of a pixel does not count
    beyond = np.abs(beyond_print_range(one, other, near)).max(axis=2)
    hidden: NDArray[np.uint8] = np.where(beyond > _DIFFERENCE, 255, 0).astype(np.uint8)
    return Rectified(hidden[..., None], seen.inside, seen.px_per_mm, seen.origin_mm)


def _foreign_strokes(
    seen: Rectified, photometry: PhotometricFit, art: ImageBGR
) -> Rectified | None:
    """Return a map of a rectified board where the strokes of its art are missing.

    A grey disc on grey print has its tones. Correlation does not depend on shadow and light.
    Returns None for a board so large that its strokes are not resolved.
    """
    if seen.px_per_mm < _STROKES_PX_PER_MM:
        return None
    height, width = seen.image.shape[:2]
    wanted = cv2.resize(art, (width, height), interpolation=cv2.INTER_AREA)
    one, other = (
        np.asarray(
            cv2.GaussianBlur(
                to_opponent_colours(image, photometry.coloured)[..., 0], (0, 0), _STROKES_SOFT
            ),
            np.float32,
        )
        for image in (wanted, to_art_colours(seen, photometry))
    )
    best = local_correlation(one, other, _STROKES_PX)
    unlike = np.where(local_deviation(one, _STROKES_PX) > _SPREAD, np.clip(1 - best, 0, 1), 0)
    image = np.asarray(np.rint(255 * unlike), np.uint8)
    return Rectified(image[..., None], seen.inside, seen.px_per_mm, seen.origin_mm)


_NOISE = 9.0  # squared grey levels of variance below which an image has no strokes


def local_correlation(
    one: NDArray[np.float32], other: NDArray[np.float32], radius_px: float, off_px: int = 1
) -> NDArray[np.float32]:
    """Return the local correlation of two images (H, W) at each pixel: (H, W), -1..1.

    Parameters
    ----------
    one, other : (H, W) float32
        Lightness.
    radius_px : float
        Of the compared disc.
    off_px : int
        Tolerated offset of the first, either way; the best counts.
    """
    kernel = _disc(radius_px)
    mean, varies = _mean(other, kernel), _variance(other, kernel)
    best: NDArray[np.float32] = np.full(one.shape, -1.0, np.float32)
    rows, columns = one.shape
    wide = cv2.copyMakeBorder(one, off_px, off_px, off_px, off_px, cv2.BORDER_REPLICATE)
    for dy in range(2 * off_px + 1):
        for dx in range(2 * off_px + 1):
            moved = np.asarray(wide[dy : dy + rows, dx : dx + columns], np.float32)
            cross = _mean(moved * other, kernel) - _mean(moved, kernel) * mean
            length = np.maximum(_variance(moved, kernel), _NOISE) * np.maximum(varies, _NOISE)
            best = np.maximum(best, cross / np.sqrt(length))
    return best


def local_deviation(values: NDArray[np.float32], radius_px: float) -> NDArray[np.float32]:
    """Return the standard deviation (H, W) in a disc round each pixel."""
    return np.asarray(np.sqrt(_variance(values, _disc(radius_px))), np.float32)


def _variance(values: NDArray[np.float32], kernel: NDArray[np.float32]) -> NDArray[np.float32]:
    varies = _mean(values**2, kernel) - _mean(values, kernel) ** 2
    return np.asarray(np.maximum(varies, 0), np.float32)


def _mean(values: NDArray[np.float32], kernel: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.asarray(cv2.filter2D(values, -1, kernel, borderType=cv2.BORDER_REPLICATE), np.float32)


def _disc(radius_px: float) -> NDArray[np.float32]:
    reach = int(np.ceil(radius_px))
    y, x = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    inside = np.hypot(x, y) <= radius_px
    return np.asarray(inside / inside.sum(), np.float32)
