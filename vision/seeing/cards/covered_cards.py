"""Matches covered cards of framed decks by what the cards above leave of them.

What is visible of a card is compared with every face, border and hues included. Separate from
``face_comparers``: it compares at known poses, not at outlines.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.imaging.view import View
from vision.seeing.cards.face_matching import foreign_chances
from vision.seeing.cards.posterior import log_odds_by_score, own_share
from vision.seeing.estimation.model import Solution, project_cards
from vision.seeing.estimation.overlaps import (
    BESIDE_SHARE,
    Covers,
    cover_shares,
)
from vision.seeing.recognition.framed_faces import (
    WHITE_FLOOR,
    FaceIndex,
    index_faces,
    sample_colours,
    to_features,
)
from vision.seeing.recognition.occlusion import HUE_MOST
from vision.seeing.values import FaceMatch
from vision.values.arrays import BoolArray, FloatArray, IntArray
from vision.values.pieces import ANY_NUMBER, Faces

__all__ = ["match_covered"]


# Scores are correlations.
_COLOUR = 0.25  # weight of colour relative to lightness: phones and lamps change it more
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
        Of all cards; covered ones have a posterior, those of which too little is visible for a
        name are hidden.
    """
    found, poses, size = list(matches), solution.poses, faces.size_mm
    asked = np.flatnonzero(covers.covered_by.any(axis=0) | covers.covered_by.any(axis=1))
    if not len(asked):
        return found
    index = index_faces(faces)
    shows = covers.visible(index.places_mm, poses)[asked]
    cards = _OverlappingCards(view, solution, poses[asked], faces)
    parts = cards.compare(np.arange(len(asked)), shows)
    is_read = parts.scores.max(axis=(1, 2)) >= _LEAST_SCORE
    best = dict(zip(asked[is_read].tolist(), parts.faces[is_read].tolist(), strict=True))
    for row, i in enumerate(asked.tolist()):
        above = np.flatnonzero(covers.covered_by[i]).tolist()
        if above and shows[row, : len(index.grid_mm)].sum() < _LEAST_PLACES:
            none = np.zeros(len(faces.names))
            found[i] = replace(found[i], posterior=none, hidden_by=tuple(above))
        elif above and is_read[row]:
            shares = {k: cover_shares(poses[[i]], poses[[k]], size)[0] for k in above if k in best}
            upper = {best[k] for k, share in shares.items() if share > BESIDE_SHARE}
            likes = [face for face in upper if faces.copies[face] >= ANY_NUMBER]
            found[i] = cards.named(found[i], parts, row, likes)
    return found


class _OverlappingCards:
    """Compares what is visible of cards at poses (N, 3) with the faces of a framed deck."""

    def __init__(self, view: View, solution: Solution, poses: FloatArray, faces: Faces) -> None:
        self.poses = poses
        self.index: FaceIndex = index_faces(faces)
        at_px = project_cards(solution, poses, self.index.places_mm)
        end_px = np.array(view.size_wh) - 1
        within = ((at_px >= 0) & (at_px <= end_px)).all(axis=2)
        self.inside: BoolArray = np.asarray(within, np.bool_)
        self.tones = sample_colours(view, at_px, self.index).astype(np.float32)
        #: Lightness and two hues (3, K, G) of the faces, and their squares.
        self.channels = np.ascontiguousarray(self.index.features.transpose(2, 0, 1), np.float32)
        self.squares = self.channels**2

    def compare(self, rows: IntArray, visible: BoolArray) -> _Parts:
        """Compare what is visible, grid and border (R, G + B), of some cards (R,) with all faces.

        Scores are -1 where too little is visible.
        """
        index, g = self.index, len(self.index.grid_mm)
        visible = visible & self.inside[rows]
        features = np.zeros((len(rows), g, 3), np.float32)
        scores = np.full((len(rows), len(index.card_ids), 2), -1.0)
        for i, (tones, shows) in enumerate(zip(self.tones[rows], visible, strict=True)):
            if shows[:g].sum() < _LEAST_PLACES or shows[g:].sum() < _LEAST_BORDER:
                continue
            white = np.percentile(tones[g:][shows[g:]], _BORDER_WHITE, axis=0)
            features[i] = to_features(tones[None, :g] / np.maximum(white, WHITE_FLOOR))[0]
            mask = shows[:g].astype(np.float32)
            each = [self._correlations(features[i, ::way], mask[::way]) for way in (1, -1)]
            shape, hues = (np.stack(of, axis=1) for of in zip(*each, strict=True))
            off = np.minimum(hues.max() - hues, HUE_MOST)
            scores[i] = shape - _HUE * index.colourful[:, None] * off
        return _Parts(visible[:, :g], np.asarray(features, np.float64), scores)

    def _correlations(
        self, card: NDArray[np.float32], mask: NDArray[np.float32]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the correlations (K,) of features (G, 3) with all faces, and those of hues."""
        share = mask / mask.sum()
        own = card - share @ card
        means = self.channels @ share  # (3, K)
        common = np.einsum("ckg,gc->kc", self.channels, own * share[:, None])
        power = ((share @ own**2), (self.squares @ share - means**2).T)
        weights = np.array([[1.0, _COLOUR**2, _COLOUR**2], [0.0, 1.0, 1.0]])
        shape, hue = (
            (common @ w) / np.sqrt(np.maximum((power[0] @ w) * (power[1] @ w), 1e-12))
            for w in weights
        )
        return np.asarray(shape, np.float64), np.asarray(hue, np.float64)

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
