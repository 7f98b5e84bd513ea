"""Names for unread places by a mixture likelihood of each face.

Correlation asks whether a place looks like a face as a whole; counters or another card on it spoil
the score. Here each sample shows either the face, up to light and noise, or anything; the evidence
for a face is the log likelihood of this mixture against "anything" alone. An occluded part costs
every face the same, and a visible part favours the one face that has it. A place washed out by
glare fits any dull face, so the inliers must also have the face's pattern and hues.

References
----------
.. [1] Box and Tiao, A Bayesian Approach to Some Outlier Problems, 1968 (the mixture).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.imaging.view import View
from vision.seeing.recognition.framed_faces import (
    FaceIndex,
    compare_places,
    describe,
    sample_colours,
    tint_of,
)
from vision.seeing.recognition.occlusion import fit_gain_bias
from vision.seeing.values import FaceMatch, Identities
from vision.values.arrays import BoolArray, FloatArray, IntArray

__all__ = [
    "FaceEvidence",
    "LikelihoodSettings",
    "PossibleFaces",
    "face_evidence",
    "name_by_likelihood",
]


@dataclass(frozen=True, slots=True)
class LikelihoodSettings:
    """Parameters of the mixture and of its acceptance (89 hard photos: 33 named, none wrongly)."""

    noise: float = 0.06  # of white, each channel: print, light that is not even
    anything: float = 0.3  # share of samples that show no card
    independence: float = 12.0  # samples that share one error
    lead: float = 50.0  # in log likelihood, over faces of all other kinds
    similar_lead: float = 60.0  # within a kind: below, the deck's first is named, no card's back
    shape: float = 0.4  # correlations of what agrees; cards in glare: below 0.1
    hue: float = 0.45  # of their hues: glare fits any dull face, and has not its hues
    frame: float = 0.6  # of the printed frame that agrees; cards of other games: 0.4
    tint: float = 0.8  # or else the cosine between its tint and the face's
    whole_frame: float = 0.95  # of it, with the tint: a frame so whole is as good as the pattern
    needed_lead: float = 10.0  # of a kind that lies on every table and is not found yet,
    needed_frame: float = 0.9  # if its frame shows
    most_places: int = 6  # looked at: a table has few unread cards


@dataclass(frozen=True, slots=True, eq=False)
class FaceEvidence:
    """How well K faces, upright and half turned, explain one place.

    ``evidence`` (K, 2) is a log likelihood ratio; ``inliers`` (K, 2, G) marks the samples that show
    the face.
    """

    evidence: FloatArray
    inliers: BoolArray


def face_evidence(
    seen: FloatArray, index: FaceIndex, settings: LikelihoodSettings | None = None
) -> FaceEvidence:
    """Return the evidence of all faces at one place.

    Parameters
    ----------
    seen : (G, 3) float64
        Features of the card, supposed upright.
    index : FaceIndex
        The faces.
    """
    s = settings or LikelihoodSettings()
    k, g, _ = index.features.shape
    faces = np.concatenate([index.features, index.features[:, ::-1]])
    gain, lift, inliers = fit_gain_bias(seen[None], faces)
    squares = (((seen - gain * faces - lift) / s.noise) ** 2).sum(axis=2)
    density = np.exp(-squares / 2) / (s.noise * np.sqrt(2 * np.pi)) ** 3
    likelihood = np.log((1 - s.anything) * density + s.anything)
    evidence = likelihood.sum(axis=1) / s.independence
    inliers[k:] = inliers[k:, ::-1]  # told in the face's own order
    both = inliers.reshape(2, k, g).swapaxes(0, 1)
    return FaceEvidence(evidence.reshape(2, k).T.astype(np.float64), both)


@dataclass(frozen=True, slots=True, eq=False)
class PossibleFaces:
    """Faces that may lie at a place, with their kinds and copies.

    Faces of one kind (K,) play alike and need not be told apart. Of the kinds marked by ``always``
    (K,) at least one lies on every table, so the first one is accepted on less evidence. ``copies``
    (K,) is how often each face may lie there; once if left out.
    """

    index: FaceIndex
    kinds: IntArray
    always: BoolArray | None = None
    settings: LikelihoodSettings = LikelihoodSettings()
    copies: IntArray | None = None


def name_by_likelihood(
    pyramid: View,
    cards_px: FloatArray,
    matches: Sequence[FaceMatch],
    identities: Identities,
    places: Sequence[int],
    faces: PossibleFaces,
) -> tuple[list[FaceMatch], Identities]:
    """Name unread or doubtful places by the face that clearly explains them.

    Parameters
    ----------
    pyramid : tuple of (H, W, 3) uint8
        The photo, and halves of it.
    cards_px : (N, G + B, 2) float64
        Where ``index.places_mm`` of each card show in the photo.
    matches : sequence of FaceMatch
        How each card compares.
    identities : Identities
        What each is so far; -1 for unread ones.
    places : sequence of int
        Which are surely cards, and unread or named with doubt.
    faces : PossibleFaces
        What they may be.

    Returns
    -------
    matches, identities
        The same, with the new names among the doubtful ones.
    """
    matches, face, doubtful = list(matches), list(identities.face), set(identities.doubtful)
    for i in list(places)[: faces.settings.most_places]:
        (seen,) = describe(sample_colours(pyramid, cards_px[[i]], faces.index), faces.index)
        told = _name_place(seen, face[:i] + face[i + 1 :], faces)
        if told is not None:
            scores = matches[i].scores.copy()
            scores[told.face, told.turn] = max(float(scores.max()), told.score)
            scores[told.face, 1 - told.turn] = min(float(scores[told.face, 1 - told.turn]), 0.0)
            matches[i] = replace(matches[i], scores=scores, visible=told.visible)
            face[i] = told.face
            doubtful.add(i)
    return matches, replace(identities, face=tuple(face), doubtful=tuple(sorted(doubtful)))


@dataclass(frozen=True, slots=True)
class _NamedPlace:
    """The face of a place, its half turns (0 or 1), its score and its visible share."""

    face: int
    turn: int
    score: float
    visible: float


def _name_place(
    seen: FloatArray, others: Sequence[int], faces: PossibleFaces
) -> _NamedPlace | None:
    """Return the name of a place (G, 3) if one kind of face explains it clearly; else None."""
    s, index = faces.settings, faces.index
    found = face_evidence(seen, index, s)
    best = found.evidence.max(axis=1)
    same_kind = faces.kinds == faces.kinds[best.argmax()]
    named_often = np.bincount([k for k in others if k >= 0], minlength=len(best))
    free = same_kind & (named_often < (1 if faces.copies is None else faces.copies))
    needed = faces.always is not None and bool(faces.always[same_kind].any())
    needed = needed and not np.isin(np.flatnonzero(same_kind), others).any()
    lead = best.max() - best[~same_kind].max(initial=-np.inf)
    if not free.any() or lead < (s.needed_lead if needed else s.lead):
        return None
    likely = np.where(free, best, -np.inf)
    first = int(likely.argmax())
    turn = int(found.evidence[first].argmax())
    counted = found.inliers[[first]] & (np.arange(2) == turn)[None, :, None]
    shape, hue = compare_places(seen, counted, np.array([first]), index)
    is_like = bool(shape[0, turn] >= s.shape and hue[0, turn] >= s.hue)
    visible_mask = counted[0, turn]
    if not _is_plausible(seen, visible_mask, first, faces, needed=needed, is_like=is_like):
        return None
    named = int((likely > likely[first] - s.similar_lead).argmax())
    turn = int(found.evidence[named].argmax())
    return _NamedPlace(named, turn, float(shape.max()), float(visible_mask.mean()))


def _is_plausible(
    seen: FloatArray,
    inliers: BoolArray,
    face: int,
    faces: PossibleFaces,
    *,
    needed: bool,
    is_like: bool,
) -> bool:
    """Return whether a face is plausible for a card (G, 3), judged by its frame if there is one.

    Dark panels look the same in many games; frames do not. If the inliers hardly correlate with the
    face, nearly the whole frame must be visible, in the tint of the face: glass counters let the
    card shine through in their own hue.
    """
    s, index = faces.settings, faces.index
    if len(index.rectangles_mm) < 2:
        return is_like
    share = float(inliers[index.frame_places].mean())
    if is_like and share >= s.frame:
        return True
    tint, own = tint_of(seen[None, index.frame_places], index.settings)[0], index.tints[face]
    size = float(np.linalg.norm(tint) * np.linalg.norm(own))
    tinted = size > 0 and float(tint @ own) >= s.tint * size  # nan, where hidden, is neither
    return tinted and (is_like or share >= (s.needed_frame if needed else s.whole_frame))
