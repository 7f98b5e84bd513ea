"""Matches covered cards of framed decks by what the cards above leave of them.

What is visible of a card is compared with every face, border and hues included. Which card lies on
which is told by ``overlap_order``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.imaging.view import View
from vision.seeing.cards.face_matching import foreign_chances
from vision.seeing.cards.overlap_order import find_covers
from vision.seeing.cards.posterior import log_odds_by_score, own_share
from vision.seeing.estimation.model import Solution, project_cards
from vision.seeing.estimation.overlaps import (
    BESIDE_SHARE,
    Covers,
    card_outlines,
    cover_shares,
    max_overlaps,
)
from vision.seeing.recognition.framed_faces import (
    WHITE_FLOOR,
    FaceIndex,
    compare_places,
    index_faces,
    sample_colours,
    to_features,
)
from vision.seeing.recognition.occlusion import HUE_MOST, inlier_mask
from vision.seeing.values import FaceMatch
from vision.values.arrays import BoolArray, FloatArray, IntArray
from vision.values.pieces import ANY_NUMBER, Faces

__all__ = ["covers_by_faces", "match_covered"]


# Scores are correlations.
_OVERLAP = 0.02  # of a card that another covers: an edge's own error
_HUE = 0.45  # taken for hues that correlate by 1 less than the best: teams differ by hue alone
_LEAST_SCORE = 0.6  # of a name: nearly all strips of fans have 0.66 or more
_LEAST_PLACES = 60  # samples: a strip of 2 mm
_LEAST_BORDER = 3  # samples of the border that give the white
_BORDER_WHITE = 65.0  # percentile of the border's tones: shadow lies on some
# Log odds of the face of a card on top, if a deck is laid in fans: of cards whose best face was
# that one, or by 0.06 less alike, all of 775 were right.
_LIKE_UPPER = 6.0


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    """What is visible of N cards: mask (N, G), features (N, G, 3) and scores (N, K, 2)."""

    visible: BoolArray
    features: FloatArray
    scores: FloatArray

    @property
    def faces(self) -> IntArray:
        """The best face (N,) of each."""
        return np.asarray(self.scores.max(axis=2).argmax(axis=1), np.int64)


def covers_by_faces(view: View, solution: Solution, faces: Faces) -> Covers:
    """Return which cards of a framed deck lie on which.

    Parameters
    ----------
    view, solution
        The photo, and all cards (N) on their plane.
    faces : Faces
        The deck's.
    """
    poses, size = solution.poses, faces.size_mm
    lies_on = np.zeros((len(poses),) * 2, np.bool_)
    asked = np.flatnonzero(max_overlaps(card_outlines(poses, size)) > _OVERLAP)
    if len(asked):
        cards = _OverlappingCards(view, solution, poses[asked], faces)
        found = find_covers(index_faces(faces).grid_mm, cards.poses, size, cards.agree)
        lies_on[np.ix_(asked, asked)] = found.lies_on
    return Covers(lies_on, size)


def match_covered(
    view: View, solution: Solution, matches: Sequence[FaceMatch], covers: Covers, faces: Faces
) -> list[FaceMatch]:
    """Match cards that others cover by what is visible of them.

    Parameters
    ----------
    view, solution
        The photo, and all cards (N) on their plane.
    matches : sequence of FaceMatch
        How each compares with the faces as a whole.
    covers : Covers
        Which lie on which.
    faces : Faces
        The deck's.

    Returns
    -------
    list of FaceMatch
        Of all cards; covered ones have a posterior, those of which nothing is visible are hidden.
    """
    found, poses = list(matches), solution.poses
    asked = np.flatnonzero(covers.lies_on.any(axis=0) | covers.lies_on.any(axis=1))
    if not len(asked):
        return found
    cards = _OverlappingCards(view, solution, poses[asked], faces)
    parts = cards.compare(covers.visible(index_faces(faces).places_mm, poses)[asked])
    best = dict(zip(asked.tolist(), parts.faces.tolist(), strict=True))
    for row, i in enumerate(asked.tolist()):
        if not covers.lies_on[i].any():
            continue
        if parts.visible[row].sum() < _LEAST_PLACES:
            none = np.zeros(len(faces.names))
            found[i] = replace(found[i], posterior=none, hidden=True)
        elif parts.scores[row].max() >= _LEAST_SCORE:
            shares = {
                k: cover_shares(poses[[i]], poses[[k]], faces.size_mm)[0]
                for k in np.flatnonzero(covers.lies_on[i]).tolist()
            }
            above = {best[k] for k, share in shares.items() if share > BESIDE_SHARE}
            likes = [face for face in above if faces.copies[face] >= ANY_NUMBER]
            found[i] = cards.named(found[i], parts, row, likes)
    return found


class _OverlappingCards:
    """Compares what is visible of cards at poses (N, 3) with the faces of a framed deck."""

    def __init__(self, view: View, solution: Solution, poses: FloatArray, faces: Faces) -> None:
        self.poses = poses
        self.index: FaceIndex = index_faces(faces)
        at_px = project_cards(solution, poses, self.index.places_mm)
        end_px = np.array(view[0].shape[1::-1]) - 1
        self.inside = ((at_px >= 0) & (at_px <= end_px)).all(axis=2)
        self.tones = sample_colours(view, at_px, self.index).astype(np.float32)

    def agree(self, visible: BoolArray) -> BoolArray:
        """Return which grid places (N, G) agree with the best face by those that are visible.

        Of a card that is not read none does.
        """
        border = np.ones((len(visible), len(self.index.border_mm)), np.bool_)
        parts = self.compare(np.concatenate([visible, border], axis=1))
        faces, rows = parts.faces, np.arange(len(visible))
        turned = parts.scores[rows, faces].argmax(axis=1)[:, None] == 1
        seen = np.where(turned[..., None], parts.features[:, ::-1], parts.features)
        like = inlier_mask(seen, self.index.features[faces], self.index.shape_hw)
        is_read = parts.scores.max(axis=(1, 2)) >= _LEAST_SCORE
        like = np.where(turned, like[:, ::-1], like)
        return np.asarray(like & is_read[:, None], np.bool_)

    def compare(self, visible: BoolArray) -> _Parts:
        """Compare what is visible of the cards, places (N, G + B), with all faces.

        Scores are -1 where too little is visible.
        """
        index, g = self.index, len(self.index.grid_mm)
        visible = visible & self.inside
        features = np.zeros((len(visible), g, 3), np.float32)
        every = np.arange(len(index.card_ids))
        scores = np.full((len(visible), len(every), 2), -1.0)
        for i, (tones, shows) in enumerate(zip(self.tones, visible, strict=True)):
            if shows[:g].sum() < _LEAST_PLACES or shows[g:].sum() < _LEAST_BORDER:
                continue
            white = np.percentile(tones[g:][shows[g:]], _BORDER_WHITE, axis=0)
            features[i] = to_features(tones[None, :g] / np.maximum(white, WHITE_FLOOR))[0]
            both = np.stack([shows[:g], shows[:g][::-1]])
            places = np.broadcast_to(both, (len(every), *both.shape))
            shape, hues = compare_places(features[i], places, every, index)
            off = np.minimum(hues.max() - hues, HUE_MOST)
            scores[i] = shape - _HUE * index.colourful[:, None] * off
        return _Parts(visible[:, :g], np.asarray(features, np.float64), scores)

    def named(self, match: FaceMatch, parts: _Parts, row: int, likes: Sequence[int]) -> FaceMatch:
        """Return the match of a card by what is visible of it.

        Faces ``likes`` lie on top of it, in a deck that is laid in fans.
        """
        scores = parts.scores[row]
        logs = log_odds_by_score(scores.max(axis=1))
        logs[list(likes)] += _LIKE_UPPER
        weights = np.exp(logs - logs.max())
        best = int(weights.argmax())
        way = -1 if scores[best, 1] > scores[best, 0] else 1
        mask, card = parts.visible[[row], ::way], parts.features[[row], ::way]
        (foreign,) = foreign_chances(card, np.array([best]), self.index, mask, mask).tolist()
        foreign *= np.exp(-_LIKE_UPPER) if best in likes else 1.0
        posterior = own_share(foreign) * weights / weights.sum()
        share = float(parts.visible[row].mean())
        return replace(match, scores=scores, posterior=posterior, visible=share, foreign=foreign)
