"""The scene of the detectors of pieces: plane, board, light and covered areas."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.geometry import card_corners, table_from_photo
from vision.imaging.masks import disc
from vision.imaging.view import View
from vision.seeing.estimation.model import Solution, camera_of
from vision.seeing.estimation.rectify import (
    Bend,
    Box,
    Rectified,
    bounding_box,
    box_in_photo,
    map_plane,
    raise_plane,
    rectify,
)
from vision.seeing.pieces.print_comparison import (
    OFF_MM,
    Comparison,
    PhotometricFit,
    beyond_range,
    fit_photometry,
    print_between,
    print_range,
    to_art_colours,
    to_opponent_colours,
)
from vision.seeing.pieces.print_registration import agreement_at, bend_at
from vision.seeing.pieces.printed_planar import PrintedPlanar
from vision.seeing.pieces.prints import BlockAgreement, PlanarPrint
from vision.texts import make_issue, where_px
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, ImageGray, IntArray, Points
from vision.values.layout import Other, Placed
from vision.values.messages import Issue
from vision.values.pieces import Looks

__all__ = [
    "SURE",
    "BoardScene",
    "Found",
    "board_scene_of",
    "board_scene_on",
    "doubt_about",
    "keep_apart",
    "key_of",
    "local_maxima",
    "others_of",
    "placed_at",
    "softmax",
]

SURE = 0.99  # probability of a name or number below which it is doubtful
_LEAST_CHANCE = 0.001  # least probability of another name or number to be reported


_MARGIN = 0.9  # searched margin, of the board's longer side: dice lie beside the board
_SOFT_PX = 1.0  # blur of print and photo where they are compared (1 sd)
_PX_PER_MM = 0.8  # of the comparison of a board with its art: strokes are wide enough to compare


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a detector returns of each piece: the piece, its doubts, and what it explains away.

    ``hull_mm`` (N, 2) is the convex area of the board's plane that it covers, from foot to top.
    """

    placed: Placed
    hull_mm: Points
    doubts: tuple[Issue, ...] = ()


def placed_at(
    piece: str,
    kind: str,
    pose: FloatArray,
    covariance: FloatArray,
    outline_px: Points,
    **more: Any,
) -> Placed:
    """Return a piece at a pose (3,) with its outline (N, 2) in the photo; ``more`` is as of it."""
    x, y, theta = (float(value) for value in pose)
    spot = more.pop("spot", piece)
    return Placed(spot, piece, x, y, theta, covariance, outline_px, kind=kind, **more)


def softmax(log_odds: FloatArray) -> FloatArray:
    """Return the chances (N,) of exclusive readings from their log odds (natural)."""
    weights = np.exp(log_odds - log_odds.max())
    return np.asarray(weights / weights.sum(), np.float64)


def others_of(
    names: Sequence[str], scores: FloatArray, chances: FloatArray, but: Sequence[int]
) -> tuple[Other, ...]:
    """Return the alternatives of a reading, the likeliest first, ``but`` some indices."""
    return tuple(
        Other(names[k], float(scores[k]), float(chances[k]))
        for k in np.argsort(-chances).tolist()
        if k not in but and chances[k] > _LEAST_CHANCE
    )


def keep_apart(points: Points, least: float, most: int | None = None) -> IntArray:
    """Return the indices of points (N, 2), best first, that are apart from all kept before."""
    kept: list[int] = []
    left = np.arange(len(points))
    while len(left) and len(kept) != most:
        kept.append(int(left[0]))
        left = left[np.hypot(*(points[left] - points[left[0]]).T) > least]
    return np.array(kept, np.int64)


def local_maxima(values: NDArray[np.float32], radius_px: float, least: float = 0.0) -> Points:
    """Return the pixels (N, 2) of an image with no greater value near them, the greatest first."""
    side = 2 * int(radius_px) + 1
    top = (values >= cv2.dilate(values, np.ones((side, side), np.uint8))) & (values > least)
    y, x = np.nonzero(top)
    return np.stack([x, y], axis=1)[np.argsort(-values[y, x])].astype(float)


def key_of(solution: Solution) -> tuple[float, ...]:
    """Return where a plane lies, as a key of what is kept for it."""
    return (*solution.translation_mm.tolist(), *solution.rotation.ravel().tolist())


def doubt_about(placed: Placed, code: str, **gaps: str) -> Issue:
    """Return a doubt about a piece, with its place in the photo."""
    where = where_px(*placed.outline_px.mean(axis=0))
    name = placed.spot if placed.kind == "pawn" else placed.piece
    return make_issue(code, f"issue.{code}", (name,), **{"piece": placed.piece, **gaps}, **where)


@dataclass(frozen=True, slots=True, eq=False)
class BoardScene:
    """What the detectors of pieces are given: a board or sheet in a photo, and what is known on it.

    ``solution`` is camera and plane, in the table frame; ``box_mm`` is the search area; ``looks``
    are the pieces that may lie there; ``known`` are those that were found before, topmost first.
    ``board`` (None: the plane is known otherwise) has the box ``board_mm`` in the same frame;
    ``photometry`` is the photometric model of the photo; ``covered`` (one channel) is 255 where the
    photo's tones differ from the board's print, else 0; ``compared`` is the comparison of the two;
    ``beside_mm`` are outlines (N, 2) of other prints on the plane; ``art`` (H, W, 3) is the board's
    or sheet's, as it lies, cut to its edge; ``bend`` is that of a sheet.
    """

    view: View
    solution: Solution
    box_mm: Box
    looks: Looks
    known: tuple[Found, ...] = ()
    board: PrintedPlanar | None = None
    board_mm: Box | None = None
    photometry: PhotometricFit | None = None
    covered: Rectified | None = None
    compared: Comparison | None = None
    beside_mm: tuple[Points, ...] = ()
    art: ImageBGR | None = None
    bend: Bend | None = None

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

    @property
    def unexplained(self) -> Rectified | None:
        """What covers the print and no known piece explains."""
        if self.covered is None:
            return None
        image = self.covered.image.copy()
        image[self.covered.filled(one.hull_mm for one in self.known) > 0] = 0
        return replace(self.covered, image=image)

    def in_art_colours(
        self, box_mm: Box, px_per_mm: float, height_mm: float = 0.0
    ) -> tuple[Rectified, NDArray[np.float32]]:
        """Rectify a box at a height; return that, and its image (H, W, 3) in the art's colours."""
        rectified = rectify(self.view, self.solution, box_mm, px_per_mm, height_mm, self.bend)
        return rectified, to_art_colours(rectified, self.photometry)

    def compare(
        self, px_per_mm: float, *, margin_mm: float = 0.0, has_colour: bool = False
    ) -> Comparison:
        """Compare the photo of a print with its art.

        Parameters
        ----------
        px_per_mm : float
            Scale of the comparison.
        margin_mm : float
            Of the table round the print that is rectified, too.
        has_colour : bool
            Whether colours of the photo count even if the board was printed without any.
        """
        assert self.board_mm is not None
        assert self.art is not None
        corners = np.array(self.board_mm).reshape(2, 2)
        rectified, image = self.in_art_colours(bounding_box(corners, margin_mm), px_per_mm)
        low, high = rectified.to_px(corners)
        print_ = print_between(low, high, self.art, image.shape[:2])
        wanted, seen = (
            np.asarray(
                cv2.GaussianBlur(to_opponent_colours(one, coloured), (0, 0), _SOFT_PX), np.float32
            )
            for one, coloured in ((print_, self.coloured), (image, self.coloured or has_colour))
        )
        near = disc(max(1, round(OFF_MM * px_per_mm)))
        beyond = beyond_range(seen, *print_range(wanted, near))
        (x0, y0), (x1, y1) = np.rint([low, high]).astype(int).tolist()
        on_board = np.zeros(image.shape[:2], bool)
        on_board[y0:y1, x0:x1] = rectified.inside[y0:y1, x0:x1]
        beyond[~on_board] = 0
        return Comparison(rectified, image, wanted, seen, beyond, on_board)

    def hull_of(self, foot_mm: Points, height_mm: float) -> Points:
        """Return the convex area that a body covers, from its foot (N, 2) to its top."""
        lean = height_mm * self.shift_by_height(foot_mm.mean(axis=0), 0.0)
        both = np.concatenate([foot_mm, foot_mm - lean]).astype(np.float32)
        return np.asarray(cv2.convexHull(both)[:, 0], np.float64)

    @property
    def spread_mm2(self) -> FloatArray:
        """The covariance of a point on the board: (2, 2) mm²."""
        return np.zeros((2, 2)) if self.board is None else self.board.spread_mm2

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


def board_scene_of(view: View, board: PrintedPlanar, looks: Looks) -> BoardScene:
    """Build the scene of the first detected board, whose frame is the table's."""
    art = board.draw_art()
    scene = board_scene_on(view, board.solution, board.print, art, looks, board.agreement)
    compared = scene.compare(_PX_PER_MM)
    mask = np.where(compared.differs, 255, 0).astype(np.uint8)
    covered = replace(compared.rectified, image=mask[..., None])
    return replace(scene, board=board, covered=covered, compared=compared)


def board_scene_on(
    view: View,
    solution: Solution,
    print_: PlanarPrint,
    art: ImageBGR,
    looks: Looks,
    agreed: BlockAgreement | None = None,
) -> BoardScene:
    """Build the scene of a print centred in its own frame, and its surroundings, in its light.

    Without its visible blocks it is a sheet, which may be bent; they are then compared. A print is
    measured once, whichever art its light is fitted to.
    """
    own = bounding_box(card_corners(*print_.size_mm))

    def measured(_: ImageGray) -> tuple[Bend | None, BlockAgreement, Rectified]:
        bend = bend_at(view, print_, solution) if agreed is None else None
        there = agreed or agreement_at(view, print_, solution, bend)
        return bend, there, rectify(view, solution, own, _PX_PER_MM, bend=bend)

    key = ("scene", print_.piece, agreed is None, *key_of(solution))
    bend, agreed, seen = view.once(key, 0, measured)
    photometry = fit_photometry(art, seen, agreed)
    box = bounding_box(np.array(own).reshape(2, 2), _MARGIN * max(print_.size_mm))
    box = box_in_photo(view, solution, box)
    return BoardScene(
        view, solution, box, looks, board_mm=own, photometry=photometry, art=art, bend=bend
    )
