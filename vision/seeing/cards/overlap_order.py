"""Which of two overlapping cards lies on the other: the one whose face shows where both lie."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from vision.imaging.view import View, sample_grids
from vision.seeing.cards.face_comparers import NAMED_SCORE
from vision.seeing.estimation.model import Solution, project_cards
from vision.seeing.estimation.overlaps import (
    Covers,
    are_near,
    card_outlines,
    max_overlaps,
    points_in_card,
)
from vision.seeing.recognition.occlusion import inlier_mask, white_tones
from vision.seeing.recognition.smoothing import MESH_PX, mean_tone
from vision.seeing.recognition.visible_faces import visible_faces
from vision.seeing.values import least_visible
from vision.values.arrays import BoolArray, FloatArray, IntArray, Points
from vision.values.pieces import Faces

__all__ = ["find_covers", "order_cards"]

_OVERLAP = 0.02  # of a card that another covers: an edge's own error
_SAYS = 0.005  # of a card, of which no third lies: less is an error of places
_SHOWS = 0.5  # of what two cards share: the face of the upper one shows there


# Returns which places (R, G) of the cards (R,) among those that were asked for agree with the face
# that each is most like, by which of its places (R, G) are visible.
_Agreement: TypeAlias = Callable[[IntArray, BoolArray], BoolArray]


def find_covers(view: View, solution: Solution, faces: Faces) -> Covers:
    """Return which cards lie on which, by the faces of their deck that show.

    Parameters
    ----------
    view : View
        The photo.
    solution : Solution
        Camera, plane and the poses of N cards.
    faces : Faces
        The deck's.
    """
    size, compared = faces.size_mm, visible_faces(faces, fine=True)
    grid = compared.grid

    def look(some: IntArray) -> _Agreement:
        at = project_cards(solution, solution.poses[some], grid.unit * size, printed=True)
        tones = sample_grids(view, at, grid.shape_hw, MESH_PX)
        last = np.array(view.size_wh) - 1
        within = np.asarray(((at >= 0) & (at <= last)).all(axis=2), np.bool_)

        def agree(rows: IntArray, visible: BoolArray) -> BoolArray:
            visible = visible & within[rows]
            told = compared.compare(tones[rows], visible)
            is_read = told.scores > NAMED_SCORE
            is_read &= visible.mean(axis=1) > least_visible(faces)
            half = told.turned[:, None]
            seen = np.where(half[..., None], tones[rows, ::-1], tones[rows]).astype(np.float32)
            own = compared.tones[told.faces] * np.float32(1 / 255)
            white = white_tones(mean_tone(seen), mean_tone(own))[:, None, None]
            like = inlier_mask(seen / white, own, grid.shape_hw)
            return np.where(half, like[:, ::-1], like) & is_read[:, None]

        return agree

    return order_cards(grid.unit * size, solution.poses, size, look, _tells(grid.unit, faces))


def _tells(unit: Points, faces: Faces) -> BoolArray:
    """Return which places (G, 2) of cards, shares of their size, tell faces: no white border."""
    if not faces.frames:
        return np.ones(len(unit), np.bool_)
    inner = np.array([faces.frames[0].width_mm, faces.frames[0].height_mm]) / faces.size_mm
    return np.asarray((np.abs(unit) < inner / 2).all(axis=1), np.bool_)


def order_cards(
    places_mm: Points,
    poses: FloatArray,
    size_mm: tuple[float, float],
    look: Callable[[IntArray], _Agreement],
    tells: BoolArray | None = None,
) -> Covers:
    """Return which cards lie on which, as far as their faces show it.

    Of two whose prints overlap the upper one agrees with its face there, where no third lies on it,
    and better than the other. What is beneath is compared again by what is left of it, until
    nothing changes; what does not come to rest stays open.

    Parameters
    ----------
    places_mm : (G, 2) float64
        Places on a card, card frame.
    poses : (N, 3) float64
        x mm, y mm, theta rad.
    size_mm : (float, float)
        Width and height of a card.
    look : callable
        Called once with the cards (M,) that overlap others, if any.
    tells : (G,) bool, optional
        Which places tell faces apart; by default all.
    """
    covered_by = np.zeros((len(poses),) * 2, np.bool_)
    overlaps = max_overlaps(card_outlines(poses, size_mm))
    some = np.flatnonzero(overlaps > _OVERLAP)
    if len(some):
        tells = np.ones(len(places_mm), np.bool_) if tells is None else tells
        order = _order(places_mm, poses[some], size_mm, look(some), tells)
        covered_by[np.ix_(some, some)] = order
    return Covers(covered_by, size_mm)


def _order(
    places_mm: Points,
    poses: FloatArray,
    size_mm: tuple[float, float],
    agree: _Agreement,
    tells: BoolArray,
) -> BoolArray:
    """Return (M, M) whether the second of two cards lies on the first."""
    n = len(poses)
    covers, rounds = Covers.unknown(n, size_mm), list[BoolArray]()
    visible = covers.visible(places_mm, poses)
    agreeing = agree(np.arange(n), visible)
    near = are_near(poses, float(np.hypot(*size_mm)))
    common = {
        (i, j): tells & points_in_card(places_mm, poses[i], poses[j], size_mm)
        for i, j in np.argwhere(near & ~np.eye(n, dtype=np.bool_)).tolist()
    }
    common = {pair: on for pair, on in common.items() if on.any()}
    while True:
        above, shares = np.zeros(agreeing.shape, np.int64), np.zeros((n, n))
        for pair, on in common.items():
            above[pair[0]] += covers.covered_by[pair] * on
        for (i, j), on in common.items():
            free = on & (above[i] - covers.covered_by[i, j] * on == 0)
            shares[i, j] = agreeing[i, free].mean() if free.mean() > _SAYS else 0.0
        now = (shares.T > _SHOWS) & (shares < shares.T)
        if (now == covers.covered_by).all():
            return now
        if any((now == before).all() for before in rounds):
            return np.asarray(now & covers.covered_by, np.bool_)
        rounds.append(covers.covered_by)
        covers, before = Covers(now, size_mm), visible
        visible = covers.visible(places_mm, poses)
        changed = np.flatnonzero((visible != before).any(axis=1))
        if len(changed):
            agreeing[changed] = agree(changed, visible[changed])
