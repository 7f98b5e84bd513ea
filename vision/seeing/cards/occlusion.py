"""Re-checks partly occluded cards against their visible pixels.

The gap between two cards has two long edges, those of the cards, and so an outline; its content may
look like a sign on white, and white is what the cards on both sides show.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from vision.geometry import table_from_card
from vision.imaging.view import View
from vision.seeing.cards.face_matching import foreign_chances
from vision.seeing.cards.hypotheses import grid_px
from vision.seeing.cards.posterior import log_odds_by_score, own_share
from vision.seeing.estimation.model import Solution
from vision.seeing.estimation.overlaps import (
    BESIDE_SHARE,
    are_inside_cards,
    card_outlines,
    cover_shares,
    max_overlaps,
)
from vision.seeing.recognition.framed_faces import (
    WHITE_FLOOR,
    FaceIndex,
    sample_colours,
    to_features,
)
from vision.seeing.values import WELL_READ_SCORE, FaceMatch, Identities
from vision.values.arrays import BoolArray, FloatArray, IntArray, Points
from vision.values.pieces import ANY_NUMBER

__all__ = ["find_false_names", "match_covered", "withdraw_names"]


# Which names are asked for once more; shares.
_NAME_COVERED = 0.2  # of a card, by one read for sure: two do not lie in one place
_NAME_LIKE = 0.65  # of what shows beside others, that must look like its face: in gaps of
# real photos 0.0 to 0.5 do, of cards 0.8 and more
_NAME_LEAST = 0.1  # of a card that must show for that


def find_false_names(
    poses: FloatArray,
    named: Identities,
    size_mm: tuple[float, float],
    unit: Points,
    inliers: Callable[[Sequence[int]], BoolArray],
) -> tuple[int, ...]:
    """Return the places whose doubtful name is contradicted by their visible part.

    Parameters
    ----------
    poses : (N, 3) float64
        x mm, y mm, theta rad.
    named : Identities
        Which card lies at each.
    size_mm : (float, float)
        Width and height of a card.
    unit : (G, 2) float64
        Places over a card that are compared, as shares -0.5..0.5 of it.
    inliers : callable
        From the indices of M places to where (M, G) they look like the faces they are named by.

    Returns
    -------
    tuple of int
        Their indices, in order.
    """
    sure = [i for i, f in enumerate(named.face) if f >= 0 and i not in named.doubtful]
    vague = [i for i in named.doubtful if named.face[i] >= 0]
    covered = cover_shares(poses[vague], poses[sure], size_mm) >= _NAME_COVERED
    asked = [i for i, is_covered in zip(vague, covered, strict=True) if is_covered]
    if not asked:
        return ()
    withdrawn, others = [], [i for i, f in enumerate(named.face) if f >= 0 and i not in asked]
    for i, like in zip(asked, inliers(asked), strict=True):
        visible_mask = ~are_inside_cards(
            table_from_card(unit * size_mm, *poses[i]), poses[others], size_mm
        )
        if visible_mask.mean() >= _NAME_LEAST and like[visible_mask].mean() < _NAME_LIKE:
            withdrawn.append(i)
    return tuple(sorted(withdrawn))


def withdraw_names(named: Identities, withdrawn: Sequence[int]) -> Identities:
    """Return the identities with the names at these places withdrawn."""
    face = tuple(-1 if i in withdrawn else f for i, f in enumerate(named.face))
    doubled = {i: f for i, f in named.doubled.items() if i not in withdrawn}
    doubtful = tuple(i for i in named.doubtful if i not in withdrawn)
    turns = tuple(i for i in named.open_turns if i not in withdrawn)
    return replace(named, face=face, doubled=doubled, doubtful=doubtful, open_turns=turns)


# Covered cards. Scores are correlations.
_OVERLAP = 0.02  # of a card that another covers: an edge's own error
_WHOLE = 0.85  # of a card that is read well as it is
_GAP_MM = 1.0  # round a card: its shadow, and what its place is off
_COLOUR = 0.25  # weight of colour relative to lightness: phones and lamps change it more
_LEAST_SCORE = 0.6  # of a name: nearly all strips of fans have 0.66 or more
_LEAST_PLACES = 60  # samples: a strip of 2 mm
_LEAST_BORDER = 3  # samples of the border that give the white
_BORDER_WHITE = 65.0  # percentile of the border's tones: shadow lies on some
_LIKE_UPPER = (
    6.0  # log odds of the face of a card on top, if a deck is laid in fans: of cards whose
)
# best face was that one, or by 0.06 less alike, all of 775 were right


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """What is visible of a card: the mask (G,) of samples, features (G, 3), scores (K, 2)."""

    visible: BoolArray
    features: FloatArray
    scores: FloatArray

    @property
    def gain(self) -> float:
        """How much more likely what is visible is with the best face than with any even tone."""
        return -float(self.visible.mean() * np.log(1 - min(float(self.scores.max()), 0.999) ** 2))


def match_covered(
    view: View,
    solution: Solution,
    matches: Sequence[FaceMatch],
    named: Identities,
    index: FaceIndex,
    copies: IntArray,
) -> list[FaceMatch]:
    """Match cards that others cover by what is visible of them, from the topmost down.

    A card that is matched well covers those that lie in its outline and are not yet matched.

    Parameters
    ----------
    view, solution
        The photo, and all cards (N) on their plane.
    matches, named
        How each compares with the faces as a whole, and what it was named by that.
    index, copies
        The faces, and how many cards may show each (K,).

    Returns
    -------
    list of FaceMatch
        Of all cards; those that are covered and agree well with a face have a posterior.
    """
    poses, size = solution.poses, index.size_mm
    overlaps = max_overlaps(card_outlines(poses, size))
    known, waiting = list[int](), list[int]()
    for i, (match, face) in enumerate(zip(matches, named.face, strict=True)):
        is_whole = match.score > WELL_READ_SCORE and match.visible >= _WHOLE
        is_open = face >= 0 and (is_whole or overlaps[i] < _OVERLAP)
        (known if is_open else waiting).append(i)
    if not waiting:
        return list(matches)
    at_px = grid_px(poses[waiting], solution, index)
    tones = dict(zip(waiting, sample_colours(view, at_px, index).astype(np.float32), strict=True))
    found, face_of = list(matches), {i: named.face[i] for i in known}
    parts = {i: _visible_part(poses[i], tones[i], poses[known], index) for i in waiting}
    while True:
        likely = {i: p for i, p in parts.items() if p and p.scores.max() >= _LEAST_SCORE}
        if not likely:
            break
        i = max(likely, key=lambda k: likely[k].gain)
        upper = np.array([k for k in known if face_of[k] >= 0], np.int64)
        shares = np.array([cover_shares(poses[[i]], poses[[k]], size)[0] for k in upper])
        above = {face_of[int(k)] for k in upper[shares > BESIDE_SHARE]}
        likes = [face for face in above if copies[face] >= ANY_NUMBER]
        found[i] = _named_by_part(matches[i], likely[i], likes, index)
        del parts[i]
        face_of[i] = found[i].best
        known.append(i)
        away = np.hypot(*(poses[:, :2] - poses[i, :2]).T)
        for k in (k for k in parts if away[k] < np.hypot(*size)):
            parts[k] = _visible_part(poses[k], tones[k], poses[known], index)
    for i in (i for i, part in parts.items() if part is None):  # it lies where known cards do
        found[i] = replace(found[i], posterior=np.zeros(len(index.features)))
    return found


def _visible_part(
    pose: FloatArray, tones: NDArray[np.float32], covers: FloatArray, index: FaceIndex
) -> _Part | None:
    """Compare what cards (M, 3) leave of one with all faces; None if that is too little."""
    g = len(index.grid_mm)
    at_mm = table_from_card(index.places_mm, *pose)
    visible = ~are_inside_cards(at_mm, covers, index.size_mm, _GAP_MM)
    if visible[:g].sum() < _LEAST_PLACES or visible[g:].sum() < _LEAST_BORDER:
        return None
    white = np.percentile(tones[g:][visible[g:]], _BORDER_WHITE, axis=0)
    features = to_features(tones[None, :g] / np.maximum(white, WHITE_FLOOR))[0]
    weights = np.array([1.0, _COLOUR, _COLOUR])
    scores = np.zeros((len(index.features), 2))
    for turn, step in enumerate((1, -1)):
        mask = visible[:g][::step]
        card, faces = features[::step][mask], index.features[:, mask]
        card = (card - card.mean(axis=0)) * weights
        faces = (faces - faces.mean(axis=1, keepdims=True)) * weights
        power = (card**2).sum() * (faces**2).sum(axis=(1, 2))
        scores[:, turn] = np.einsum("gc,kgc->k", card, faces) / np.sqrt(np.maximum(power, 1e-12))
    return _Part(visible[:g], np.asarray(features, np.float64), scores)


def _named_by_part(
    match: FaceMatch, part: _Part, likes: Sequence[int], index: FaceIndex
) -> FaceMatch:
    """Return the match of a card by what is visible of it; faces ``likes`` lie on top of it."""
    logs = log_odds_by_score(part.scores.max(axis=1))
    logs[list(likes)] += _LIKE_UPPER
    weights = np.exp(logs - logs.max())
    best = int(weights.argmax())
    upright = slice(None, None, -1 if part.scores[best, 1] > part.scores[best, 0] else 1)
    mask = part.visible[None, upright]
    (foreign,) = foreign_chances(part.features[None, upright], np.array([best]), index, mask, mask)
    posterior = own_share(float(foreign)) * weights / weights.sum()
    share = float(part.visible.mean())
    return replace(
        match, scores=part.scores, posterior=posterior, visible=share, foreign=float(foreign)
    )
