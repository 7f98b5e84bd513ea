"""The scene of the detectors of pieces: plane, board, light and covered areas."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.geometry import card_corners, circle, table_from_photo
from vision.imaging.view import View
from vision.seeing.estimation.model import Solution, camera_of
from vision.seeing.pieces.photometric_fit import PhotometricFit, fit_photometry
from vision.seeing.pieces.print_comparison import Comparison, PrintPlace, compare_to_print
from vision.seeing.pieces.printed_planar import PrintedPlanar
from vision.seeing.pieces.prints import BlockAgreement
from vision.seeing.pieces.rectify import (
    Bend,
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

__all__ = [
    "LEAST_CHANCE",
    "SURE",
    "BoardScene",
    "Found",
    "board_scene_of",
    "board_scene_on",
    "doubt_about",
]

SURE = 0.99  # probability of a name or number below which it is doubtful
LEAST_CHANCE = 0.001  # least probability of another name or number to be reported


_RIM_MM = 4.0  # margin round a token: wall, shadow, corners of a hexagon
_MARGIN = 0.9  # searched margin, of the board's longer side: dice lie beside the board
_PX_PER_MM = 0.8  # of the comparison of a board with its art: strokes are wide enough to compare


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
    (None: the plane is known otherwise) has the box ``board_mm`` in the same frame; ``photometry``
    is the photometric model of the photo; ``covered`` (one channel) is 255 where the photo's tones
    differ from the board's print, else 0; ``compared`` is the comparison of the two; ``beside_mm``
    are outlines (N, 2) of other prints on the plane; ``art`` (H, W, 3) is the board's or sheet's,
    as it lies, cut to its edge; ``bend`` is that of a sheet.
    """

    solution: Solution
    box_mm: Box
    board: PrintedPlanar | None = None
    board_mm: Box | None = None
    photometry: PhotometricFit | None = None
    covered: Rectified | None = None
    compared: Comparison | None = None
    beside_mm: tuple[Points, ...] = ()
    art: ImageBGR | None = None
    bend: Bend | None = None

    @property
    def printed(self) -> PrintPlace:
        """The print of its board or sheet."""
        assert self.board_mm is not None
        assert self.art is not None
        return PrintPlace(self.solution, self.board_mm, self.art, self.photometry, self.bend)

    @property
    def coloured(self) -> bool:
        """Whether colours are reliable."""
        return self.photometry is None or self.photometry.coloured

    def is_on_board(self, points_mm: Points) -> BoolArray:
        """Return which points (N, 2) are within the board; none without a board."""
        if self.board_mm is None:
            return np.zeros(len(points_mm), bool)
        low, high = np.array(self.board_mm[:2]), np.array(self.board_mm[2:])
        return np.asarray(((points_mm > low) & (points_mm < high)).all(axis=1), np.bool_)

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

    def hull_of_disc(self, middle_mm: Points, radius_mm: float) -> Points:
        """Return the area (N, 2) mm that a token covers, with its wall, shadow and corners."""
        return self.hull_of(middle_mm + circle(radius_mm + _RIM_MM), _RIM_MM)

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


def board_scene_of(view: View, board: PrintedPlanar, art: ImageBGR) -> BoardScene:
    """Build the scene of the first detected board, whose frame is the table's, with its art."""
    size_mm = board.print.size_mm
    scene = board_scene_on(view, board.solution, size_mm, art, board.agreement)
    compared = compare_to_print(view, scene.printed, _PX_PER_MM)
    mask = np.where(compared.differs, 255, 0).astype(np.uint8)
    covered = replace(compared.rectified, image=mask[..., None])
    return replace(scene, board=board, covered=covered, compared=compared)


def board_scene_on(
    view: View,
    solution: Solution,
    size_mm: tuple[float, float],
    art: ImageBGR,
    agreed: BlockAgreement,
    bend: Bend | None = None,
) -> BoardScene:
    """Build the scene of a print centred in its own frame, and its surroundings, in its light."""
    left, top, right, bottom = own = bounding_box(card_corners(*size_mm))
    seen = rectify(view, solution, own, _PX_PER_MM, bend=bend)
    photometry = fit_photometry(art, seen, agreed)
    margin = _MARGIN * max(size_mm)
    box = (left - margin, top - margin, right + margin, bottom + margin)
    box = box_in_photo(view, solution, box)
    return BoardScene(solution, box, board_mm=own, photometry=photometry, art=art, bend=bend)
