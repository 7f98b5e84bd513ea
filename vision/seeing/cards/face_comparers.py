"""Comparison of cards with all faces, for decks with a printed frame and for decks of pictures."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from vision.geometry import (
    card_corners,
    map_each,
    solve_homographies,
)
from vision.imaging.view import View, sample_grids
from vision.seeing.cards.assignment import assign_cards
from vision.seeing.cards.covered_cards import match_covered
from vision.seeing.cards.face_matching import (
    bordered_quads,
    match_cards,
    match_quads,
    pair_frames,
    score_cards,
)
from vision.seeing.cards.fine_comparison import REMEMBERED, SLACK, FineComparer
from vision.seeing.cards.posterior import PosteriorSettings, adjust_for_foreign, score_posterior
from vision.seeing.cards.report import TURN_LEAD, half_turned
from vision.seeing.estimation.model import Solution, project_cards
from vision.seeing.estimation.overlaps import Covers, card_outlines, max_overlaps
from vision.seeing.recognition.framed_faces import FaceIndex, index_faces
from vision.seeing.recognition.occlusion import inlier_mask, white_tones
from vision.seeing.recognition.picture_faces import (
    CellGrid,
    PictureIndex,
    compare_coarse,
    compare_fine,
    face_features,
    face_tones,
    fine_grid,
    index_pictures,
)
from vision.seeing.recognition.smoothing import MESH_PX, Tones, mean_tone
from vision.seeing.recognition.visible_faces import visible_faces
from vision.seeing.values import (
    LEAST_LEAD,
    WELL_READ_SCORE,
    FaceMatch,
    FaceMatches,
    Identities,
    least_visible,
)
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, IntArray
from vision.values.pieces import Faces

__all__ = [
    "NAMED_SCORE",
    "PICTURE_CANDIDATES",
    "FramedComparer",
    "PictureComparer",
    "VoterSettings",
]


NAMED_SCORE = 0.40  # of a face that is laid over its card, of a card proposed from one corner, or
# of an outline that may vote where too few are read well
_VEILED = 0.7  # lightness of what is printed dark: light lies over the card, and takes hues away
# What print tells of the light.
_VISIBLE_PRINTED_DARK = 0.15  # share of a face that is its dark print
_VISIBLE_MOST_DARK = 0.6  # lightness of that print: lighter says nothing of a veil


def _visibility(tones: Tones, faces: Tones, grid: CellGrid) -> tuple[FloatArray, ...]:
    """Return how much of cards agrees with their faces, and in what light.

    Parameters
    ----------
    tones : (N, G, 3) float32
        Those of the cards on the grid, upright, 0..255.
    faces : (N, G, 3) float32
        Those of the face that each shows, 0..1.
    grid : CellGrid
        The cells.

    Returns
    -------
    visible, haze, white : (N,) float64
        The share of each card that agrees with its face, the lightness of its dark print (0..1),
        and the tone of white there (0..255).
    """
    inner = grid.weights.ravel() > 0
    light, dark = (mean_tone(of)[:, inner] for of in (tones, faces))
    white = white_tones(light, dark)
    inliers = inlier_mask(tones / white[:, None, None], faces, grid.shape_hw)
    is_dark = dark <= np.percentile(dark, 100 * _VISIBLE_PRINTED_DARK, axis=1, keepdims=True)
    printed, shown = (
        np.array([np.median(one[its]) for one, its in zip(of, is_dark, strict=True)])
        for of in (dark, light)
    )
    haze = np.maximum(shown / white - printed, 0.0) / np.maximum(1 - printed, 1e-9)
    haze = np.where(printed < _VISIBLE_MOST_DARK, np.minimum(haze, 1.0), 0.0)
    return inliers[:, inner].mean(axis=1), haze, white


@dataclass(frozen=True, slots=True)
class VoterSettings:
    """Thresholds for outlines that may vote for a plane; correlations."""

    scores: tuple[float, ...]  # of an outline that may vote: the next if too few reach the first
    leads: tuple[float, ...]  # with each of these
    enough: int  # outlines that make a further score needless
    apart: float = 0.0  # of an outline's width: middles nearer than that are one card's, which has
    # one vote, that of the best read: a picture in its border is a rectangle as well
    several: int = 1  # cards that agree make a plane sure, however they are read,
    alone: float = 1.0  # and one that is read so well


class FramedComparer:
    """Compares faces by local contrast within a printed frame; the white border gives the light."""

    voting = VoterSettings((WELL_READ_SCORE, NAMED_SCORE), (LEAST_LEAD, LEAST_LEAD), 2)

    def __init__(self, faces: Faces) -> None:
        self.faces = faces
        self.index: FaceIndex = index_faces(faces)
        self.kinds = np.unique(faces.kinds or faces.card_ids, return_inverse=True)[1]
        self.frame_share = tuple(np.divide(self.index.rectangles_mm[-1], faces.size_mm))

    def name(self, matches: list[FaceMatch]) -> Identities:
        """Assign faces to cards by score; none if no card has a clear match."""
        scores = np.array([match.scores.max(axis=1) for match in matches])
        foreign = np.array([match.foreign for match in matches])
        is_whole = self.faces.is_whole
        strict = np.array([not is_whole or match.haze >= _VEILED for match in matches])
        posterior = score_posterior(scores, foreign, strict, self.kinds)
        for row, match in zip(posterior, matches, strict=True):
            if match.posterior is not None:
                row[:] = match.posterior
        return assign_cards(posterior, scores.max(axis=1, initial=-1), self.faces.copies)

    def is_chiral(self, card: str) -> bool:
        """Return whether a face differs from its mirror image: here all count as chiral."""
        return True

    def match_quads(self, view: View, quads: FloatArray, *, all_ways: bool = False) -> FaceMatches:
        """Match outlines against all faces; printed frames inside another outline are dropped."""
        is_edge = None
        quads = quads[bordered_quads(view, quads, self.index)]
        if not all_ways:
            quads, is_edge = pair_frames(quads, self.index)
        corners, matches = match_quads(view, quads, self.index, is_edge)
        faces = np.array([m.best for m in matches], np.int64)
        scores, leads = (np.array([getattr(m, x) for m in matches]) for x in ("score", "lead"))
        return FaceMatches(quads, corners, faces, scores, leads)

    def best_scores(self, view: View, solution: Solution) -> FloatArray:
        """Return the best face's score (N,) of cards at their poses."""
        scores = score_cards(view, self._places_px(solution), self.index)
        return np.asarray(scores.max(axis=(1, 2), initial=-1), np.float64)

    def match(
        self, view: View, solution: Solution, covers: Covers | None = None
    ) -> list[FaceMatch]:
        """Match cards at their poses against all faces, occluded parts left out."""
        whole = match_cards(view, self._places_px(solution), self.index)
        if covers is None:
            return whole
        return match_covered(view, solution, whole, covers, self.faces)

    def _places_px(self, solution: Solution) -> FloatArray:
        """Project the comparison places of cards into the photo (N, G + B, 2)."""
        return project_cards(solution, solution.poses, self.index.places_mm)


# How pictures of faces are compared; correlations unless said.
PICTURE_CANDIDATES = 12  # faces of the coarse look that are compared once more
_PICTURE_LEAST_SCORE = 0.2  # of the coarse look: below, nothing is worth a look
_PICTURE_LEAST_CANDIDATES = 4  # of them, whatever the slack: an empty fill has next to no score
_PICTURE_CLEAR = 0.05  # of a card: what covers less is another's edge, seen a little off


@dataclass(eq=False)
class PictureComparer:
    """Compares pictures of faces without any knowledge of border or frame."""

    faces: Faces
    posterior: PosteriorSettings = field(default_factory=PosteriorSettings)
    voting = VoterSettings((0.55, NAMED_SCORE), (-1.0, 0.08), 4, apart=0.3, several=3, alone=0.75)
    frame_share = (1.0, 1.0)  # the cut edge is the one that all cards are known to show

    def __post_init__(self) -> None:
        self.index: PictureIndex = index_pictures(self.faces)
        self.close = FineComparer(self.index, posterior=self.posterior)
        self.grid: CellGrid = fine_grid(self.faces)
        remember = lru_cache(maxsize=REMEMBERED)
        self._tones = remember(lambda face: face_tones(self.index, face, self.grid))
        self._features = remember(lambda face: face_features(self.index, face, self.grid))

    def name(self, matches: list[FaceMatch]) -> Identities:
        """Assign faces to cards by posterior; none if no card has a clear match."""
        scores = np.array([match.score for match in matches])
        posterior = np.array([match.posterior for match in matches])
        registered_score = np.array([match.registered_score for match in matches])
        named = assign_cards(posterior, scores, self.faces.copies, registered_score)
        own = self.faces.first_picture
        # of a face's several pictures the one that the card is most like
        shown = tuple(
            face
            if face < 0
            else int(np.where(own == face, match.scores.max(axis=1), -2.0).argmax())
            for face, match in zip(named.face, matches, strict=True)
        )
        return replace(named, face=shown, open_turns=self._open_turns(matches, shown))

    def _open_turns(self, matches: list[FaceMatch], shown: tuple[int, ...]) -> tuple[int, ...]:
        """Return the cards whose orientation is ambiguous because the face is symmetric."""
        either = [
            i
            for i, (match, face) in enumerate(zip(matches, shown, strict=True))
            if face >= 0 and np.ptp(match.scores[face]) < TURN_LEAD
        ]
        same = {face: self.close.is_symmetric(face) for face in {shown[i] for i in either}}
        return tuple(i for i in either if same[shown[i]])

    def is_chiral(self, card: str) -> bool:
        """Return whether a face differs from its mirror image; False for unread cards."""
        shown = [k for k, names in enumerate(self.faces.names) if card in names]
        return bool(shown) and not self.close.is_own_mirror_image(shown[0])

    def match_quads(self, view: View, quads: FloatArray, *, all_ways: bool = False) -> FaceMatches:
        """Match outlines against all faces, as a card's edge and as the picture in its border."""
        n, index = len(quads), self.index
        if not n:
            none = np.zeros(0)
            return FaceMatches(quads, np.zeros((0, 4, 2)), none.astype(np.int64), none, none)
        unit = card_corners(1.0, 1.0)
        ways = np.stack([solve_homographies(unit, np.roll(quads, -k, axis=1)) for k in (0, 1)], 1)
        at = map_each(ways.reshape(-1, 3, 3), index.grid.unit)
        colours = sample_grids(view, at, index.grid.shape_hw, MESH_PX)
        similarity = compare_coarse(colours, index).reshape(n, -1)
        best = similarity.argmax(axis=1)
        way, shown = np.divmod(best, len(index.face))
        scores = similarity[np.arange(n), best]
        own = np.tile(index.face, 2)[None] == index.face[shown][:, None]
        leads = scores - np.where(own, -1.0, similarity).max(axis=1)
        # the picture's box fills the quadrilateral: the card reaches beyond it
        box = index.box[shown]
        low, size = box[:, :2], box[:, 2:] - box[:, :2]
        corners = (unit[None] - low[:, None]) / size[:, None] - 0.5
        turned = index.turned[shown]
        corners[turned] = np.roll(corners[turned], 2, axis=1)
        corners_px = map_each(ways[np.arange(n), way], corners)
        return FaceMatches(quads, corners_px, index.face[shown], scores, leads)

    def coarse(self, view: View, solution: Solution, covers: Covers | None = None) -> FloatArray:
        """Return coarse scores (N, K, 2) of cards at their poses, upright and half turned.

        Cards beneath others are compared by what is visible of them, with covers.
        """
        n, k, index = len(solution.poses), len(self.faces.names), self.index
        scores = np.full((n, k, 2), -1.0)
        for part in np.array_split(np.arange(n), n // REMEMBERED + 1):  # a few at a time: memory
            colours = self._sample(view, solution, part, index.grid)
            similarity = compare_coarse(colours, index.whole)
            scores[part] = similarity.reshape(len(part), 2, k).swapaxes(1, 2)
        if covers is not None and len(covers.beneath):
            these = covers.beneath
            visible = self.visible(solution.poses, covers, index.grid)[these]
            colours = self._sample(view, solution, these, index.grid)
            scores[these] = visible_faces(self.faces).scores(colours, visible)
        return scores

    def best_scores(self, view: View, solution: Solution) -> FloatArray:
        """Return the best coarse score (N,) of cards at their poses, covered or not."""
        return np.asarray(self.coarse(view, solution).max(axis=(1, 2), initial=-1), np.float64)

    def visible(self, poses: FloatArray, covers: Covers | None, grid: CellGrid) -> BoolArray:
        """Return which cells (N, G) of a grid no card hides that is known to lie on them."""
        covers = covers or Covers.unknown(len(poses), self.faces.size_mm)
        return covers.visible(grid.unit * self.faces.size_mm, poses)

    def match(
        self, view: View, solution: Solution, covers: Covers | None = None
    ) -> list[FaceMatch]:
        """Match cards against their likeliest faces, by amplitude after registration.

        Cards beneath others are matched by what is visible of them, with covers.
        """
        poses, close, every = solution.poses, self.close, np.arange(len(solution.poses))
        covers = covers or Covers.unknown(len(poses), self.faces.size_mm)
        coarse = self.coarse(view, solution, covers)
        scores, colours = self.compare(
            view, solution, coarse.max(axis=2), self.visible(poses, covers, self.grid)
        )
        near = self._sample(view, solution, every, close.grid)
        told = close.weigh(near, coarse, scores, self.visible(poses, covers, close.grid))
        matches = self.among(poses, told)
        shown = self._shown(colours, matches)
        return [
            replace(match, visible=visible, haze=haze, white=white)
            for match, (visible, haze, white) in zip(matches, shown.tolist(), strict=True)
        ]

    def among(self, poses: FloatArray, alone: list[FaceMatch]) -> list[FaceMatch]:
        """Adjust the posteriors of cards at poses (N, 3) by the share of foreign cards among them.

        Cards that overlap others are left out: such an outline may be no card at all, but a gap
        between cards.
        """
        covered = max_overlaps(card_outlines(poses, self.faces.size_mm))
        clear, told = np.flatnonzero(covered < _PICTURE_CLEAR), list(alone)
        if len(clear):
            posterior = np.array([alone[k].posterior for k in clear])
            weighed = adjust_for_foreign(posterior, self.close.posterior)
            for k, one in zip(clear.tolist(), weighed, strict=True):
                told[k] = replace(alone[k], posterior=one)
        return told

    def compare(
        self, view: View, solution: Solution, coarse: FloatArray, visible: BoolArray
    ) -> tuple[FloatArray, ImageBGR]:
        """Return fine scores of cards for the faces with the best coarse scores (N, K).

        ``visible`` (N, G) are the cells of the fine grid that count; of too few no face is said.

        Returns
        -------
        scores : (N, K, 2) float64
            Upright and turned by half; -1 for faces that were not compared.
        colours : (N, G, 3) uint8
            The cards' tones on the fine grid.
        """
        grid, every = self.grid, np.arange(len(solution.poses))
        colours = self._sample(view, solution, every, grid)
        scores, least = np.full((*coarse.shape, 2), -1.0), least_visible(self.faces)
        for i, row in enumerate(coarse):
            nearest = np.argsort(-row, kind="stable")[:PICTURE_CANDIDATES]
            within = row[nearest] > row[nearest[0]] - SLACK
            nearest = nearest[within | (np.arange(len(nearest)) < _PICTURE_LEAST_CANDIDATES)]
            if row[nearest[0]] < _PICTURE_LEAST_SCORE or visible[i].mean() < least:
                continue
            faces = np.array([self._features(face) for face in nearest.tolist()], np.float32)
            scores[i, nearest] = compare_fine(colours[i], faces, grid.where(visible[i]))
        return scores, colours

    def _sample(self, view: View, solution: Solution, some: IntArray, grid: CellGrid) -> ImageBGR:
        """Return the tones (M, G, 3) of some cards (M,) on a grid."""
        cells = grid.unit * self.faces.size_mm
        at = project_cards(solution, solution.poses[some], cells, printed=True)
        return sample_grids(view, at, grid.shape_hw, MESH_PX)

    def _shown(self, seen: ImageBGR, matches: Sequence[FaceMatch]) -> FloatArray:
        """Return the visibility (N, 3) of cards with upright tones (N, G, 3) and their faces."""
        faces = [match.best for match in matches]
        tones, own = self._upright(seen, faces, half_turned(matches, faces))
        return np.column_stack(_visibility(tones, own, self.grid))

    def _upright(
        self, seen: ImageBGR, faces: Sequence[int], turned: BoolArray
    ) -> tuple[Tones, Tones]:
        """Return the tones of cards upright, 0..255, and those of their faces, 0..1: (N, G, 3)."""
        tones = np.where(turned[:, None, None], seen[:, ::-1], seen).astype(np.float32)
        own = np.array([self._tones(face) for face in faces], np.float32).reshape(tones.shape)
        return tones, own * np.float32(1 / 255)
