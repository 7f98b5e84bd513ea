"""Matches and places covered cards of framed decks by what the cards above leave of them.

Cards are taken from the topmost down: one that is matched well covers what lies in its outline, and
what is visible of the others is compared with every face, border and hues included.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import table_from_card
from vision.imaging.view import View
from vision.seeing.cards.face_matching import foreign_chances
from vision.seeing.cards.overlap_order import GAP_MM
from vision.seeing.cards.posterior import log_odds_by_score, own_share
from vision.seeing.estimation.model import Solution, project_cards
from vision.seeing.estimation.overlaps import (
    BESIDE_SHARE,
    are_inside_cards,
    card_outlines,
    cover_shares,
    max_overlaps,
)
from vision.seeing.estimation.rectify import bounding_box, box_in_photo, rectify
from vision.seeing.recognition.framed_faces import (
    WHITE_FLOOR,
    FaceIndex,
    index_faces,
    sample_colours,
    to_features,
)
from vision.seeing.recognition.occlusion import HUE_MOST
from vision.seeing.registration.rigid_registration import BlurredTable, card_templates
from vision.seeing.values import WELL_READ_SCORE, FaceMatch, Identities
from vision.values.arrays import BoolArray, FloatArray
from vision.values.pieces import ANY_NUMBER, Faces

__all__ = ["hide_beneath", "match_covered"]


# Scores are correlations.
_OVERLAP = 0.02  # of a card that another covers: an edge's own error
_AGAIN = 0.95  # of a card that one read better covers: it is that one
_WHOLE = 0.85  # of a card that is read well as it is
_COLOUR = 0.25  # weight of colour relative to lightness: phones and lamps change it more
_HUE = 0.45  # taken for hues that correlate by 1 less than the best: teams differ by hue alone
_LEAST_SCORE = 0.6  # of a name: nearly all strips of fans have 0.66 or more
_LEAST_PLACES = 60  # samples: a strip of 2 mm
_LEAST_BORDER = 3  # samples of the border that give the white
_BORDER_WHITE = 65.0  # percentile of the border's tones: shadow lies on some
# Log odds of the face of a card on top, if a deck is laid in fans: of cards whose best face was
# that one, or by 0.06 less alike, all of 775 were right.
_LIKE_UPPER = 6.0
_IN_PLACE = 0.9  # of the right face at the right place: such a card is not moved
_PX_PER_MM, _AROUND_MM = 2.0, 5.0  # of the rectified table round covered cards


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """What is visible of a card: its pose (3,), mask (G,), features (G, 3) and scores (K, 2)."""

    pose: FloatArray
    visible: BoolArray
    features: FloatArray
    scores: FloatArray

    @property
    def score(self) -> float:
        """The best face's correlation."""
        return float(self.scores.max())

    @property
    def gain(self) -> float:
        """How much more likely what is visible is with the best face than with any even tone."""
        return -float(self.visible.mean() * np.log(1 - min(self.score, 0.999) ** 2))


def match_covered(
    view: View,
    solution: Solution,
    matches: Sequence[FaceMatch],
    named: Identities,
    faces: Faces,
) -> tuple[list[FaceMatch], FloatArray]:
    """Match cards that others cover by what is visible of them, from the topmost down.

    Parameters
    ----------
    view, solution
        The photo, and all cards (N) on their plane.
    matches, named
        How each compares with the faces as a whole, and what it was named by that.
    faces : Faces
        The deck's.

    Returns
    -------
    matches : list of FaceMatch
        Of all cards; covered ones have a posterior: of no face if nothing of them is visible.
    poses : (N, 3) float64
        Where those lie by what is visible of them; the others as they were.
    """
    poses, found = solution.poses.copy(), list(matches)
    overlaps = max_overlaps(card_outlines(poses, faces.size_mm))
    known, waiting = list[int](), list[int]()
    for i in sorted(range(len(matches)), key=lambda k: -matches[k].score):
        match, face = matches[i], named.face[i]
        is_whole = match.score > WELL_READ_SCORE and match.visible >= _WHOLE
        is_open = face >= 0 and (is_whole or overlaps[i] < _OVERLAP)
        is_again = cover_shares(poses[[i]], poses[known], faces.size_mm)[0] > _AGAIN
        (known if is_open and not is_again else waiting).append(i)
    if not waiting:
        return found, poses
    covered = _CoveredCards(view, solution, faces, poses[waiting])
    face_of = {i: named.face[i] for i in known}
    parts = {i: covered.part(poses[i], poses[known]) for i in waiting}
    while True:
        likely = {i: part for i, part in parts.items() if part and part.score >= _LEAST_SCORE}
        if not likely:
            break
        i = max(likely, key=lambda k: likely[k].gain)
        poses[i] = likely[i].pose
        shares = np.array([cover_shares(poses[[i]], poses[[k]], faces.size_mm)[0] for k in known])
        above = {face_of[k] for k, share in zip(known, shares, strict=True) if share > BESIDE_SHARE}
        likes = [face for face in above if faces.copies[face] >= ANY_NUMBER]
        found[i], face_of[i] = covered.named(matches[i], likely[i], likes)
        del parts[i]
        known.append(i)
        rest = list(parts)
        shares = cover_shares(poses[rest], poses[[i]], faces.size_mm)
        for k in (k for k, share in zip(rest, shares, strict=True) if share > 0):
            parts[k] = covered.part(poses[k], poses[known])
    for i in parts:
        if _is_hidden(poses[i], poses[known], faces):
            found[i] = replace(found[i], posterior=np.zeros(len(faces.names)))
    return found, poses


def hide_beneath(
    matches: Sequence[FaceMatch], poses: FloatArray, named: Identities, faces: Faces
) -> list[FaceMatch]:
    """Mark the cards without a name of which named ones, at poses (N, 3), leave nothing visible."""
    above = poses[[face >= 0 for face in named.face]]
    each = zip(matches, poses, named.face, strict=True)
    return [
        replace(match, hidden=face < 0 and _is_hidden(pose, above, faces))
        for match, pose, face in each
    ]


def _is_hidden(pose: FloatArray, covers: FloatArray, faces: Faces) -> bool:
    """Return whether cards (M, 3) leave too little of a card's face (3,) visible to tell any."""
    index = index_faces(faces)
    at_mm = table_from_card(index.grid_mm, *pose)
    return int((~are_inside_cards(at_mm, covers, index.size_mm, GAP_MM)).sum()) < _LEAST_PLACES


class _CoveredCards:
    """Compares covered cards of a photo with the faces of a framed deck."""

    def __init__(self, view: View, solution: Solution, faces: Faces, poses: FloatArray) -> None:
        self.view, self.solution, self.faces = view, solution, faces
        self.index: FaceIndex = index_faces(faces)
        corners = card_outlines(poses, faces.size_mm).reshape(-1, 2)
        box = box_in_photo(view, solution, bounding_box(corners, _AROUND_MM))
        #: Lightness and two hues (3, K, G) of the faces, and their squares.
        self.channels = np.ascontiguousarray(self.index.features.transpose(2, 0, 1), np.float32)
        self.squares = self.channels**2
        self.table = BlurredTable(rectify(view, solution, box, _PX_PER_MM))

    def part(self, pose: FloatArray, covers: FloatArray) -> _Part | None:
        """Compare what cards (M, 3) leave of one with all faces; None if that is too little.

        It is moved to where the best face explains that best: the edges of what lies on a card
        draw it aside.
        """
        part = self._compare(pose, covers)
        if part is None or part.score > _IN_PLACE:
            return part
        wide, high = (side + 2 * GAP_MM for side in self.faces.size_mm)
        hidden = self.table.rectified.filled(card_outlines(covers, (wide, high))) > 0
        face, turn = np.unravel_index(part.scores.argmax(), part.scores.shape)
        half = np.pi * turn * np.array([0.0, 0.0, 1.0])
        registered = card_templates(self.faces).register
        moved = registered(self.table, hidden, (pose + half)[None], np.array([face]))[0] - half
        other = self._compare(moved, covers)
        return other if other is not None and other.gain > part.gain else part

    def _compare(self, pose: FloatArray, covers: FloatArray) -> _Part | None:
        index, g = self.index, len(self.index.grid_mm)
        at_mm = table_from_card(index.places_mm, *pose)
        at_px = project_cards(self.solution, pose[None], index.places_mm)
        end_px = np.array(self.view[0].shape[1::-1]) - 1
        visible = ((at_px[0] >= 0) & (at_px[0] <= end_px)).all(axis=1)
        visible &= ~are_inside_cards(at_mm, covers, index.size_mm, GAP_MM)
        if visible[:g].sum() < _LEAST_PLACES or visible[g:].sum() < _LEAST_BORDER:
            return None
        tones = sample_colours(self.view, at_px, index)[0].astype(np.float32)
        white = np.percentile(tones[g:][visible[g:]], _BORDER_WHITE, axis=0)
        features = to_features(tones[None, :g] / np.maximum(white, WHITE_FLOOR))[0]
        both = [(features[::step], visible[:g][::step]) for step in (1, -1)]
        each = [self._correlations(card, mask.astype(np.float32)) for card, mask in both]
        scores, hues = (np.stack(of, axis=1) for of in zip(*each, strict=True))
        scores = scores - _HUE * index.colourful[:, None] * np.minimum(hues.max() - hues, HUE_MOST)
        return _Part(pose, visible[:g], np.asarray(features, np.float64), scores)

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
        each = (
            (common @ w) / np.sqrt(np.maximum((power[0] @ w) * (power[1] @ w), 1e-12))
            for w in weights
        )
        shape, hue = each
        return np.asarray(shape, np.float64), np.asarray(hue, np.float64)

    def named(self, match: FaceMatch, part: _Part, likes: Sequence[int]) -> tuple[FaceMatch, int]:
        """Return the match of a card by what is visible, and its likeliest face.

        Faces ``likes`` lie on top of it, in a deck that is laid in fans.
        """
        logs = log_odds_by_score(part.scores.max(axis=1))
        logs[list(likes)] += _LIKE_UPPER
        weights = np.exp(logs - logs.max())
        best = int(weights.argmax())
        upright = slice(None, None, -1 if part.scores[best, 1] > part.scores[best, 0] else 1)
        mask, card = part.visible[None, upright], part.features[None, upright]
        (foreign,) = foreign_chances(card, np.array([best]), self.index, mask, mask).tolist()
        foreign *= np.exp(-_LIKE_UPPER) if best in likes else 1.0
        posterior = own_share(foreign) * weights / weights.sum()
        share = float(part.visible.mean())
        told = replace(
            match, scores=part.scores, posterior=posterior, visible=share, foreign=foreign
        )
        return told, best
