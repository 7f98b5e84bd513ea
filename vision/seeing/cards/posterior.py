"""Posterior of a card: the probability of each face, and of a foreign card.

A logistic model with few parameters: by how much the card is nearer to one face than to another, by
amplitude, correlation and hue for similar faces and by correlation for others; how well the best
face fits; and how the signs are filled, because a deck may lack a face and have its twin.

``python -m bench chances`` fits the parameters again, on photographs of other collections than
those that the decks' pictures come from. The evidence for a foreign card was fitted on 880 cards in
196 readings of photos of twelve collections (SET, playing cards, Magic), each also with its own
face left out, weighted as one foreign card in forty. Each number may only speak against the deck
where the fit is worse: without this constraint a blank card became one of the deck.
``python -m bench leave_face_out`` reads photos in this way.
"""

from dataclasses import dataclass, field

import numpy as np

from vision.seeing.recognition.fine_matching import FineMatch
from vision.seeing.values import LARGE_LEAD
from vision.values.arrays import BoolArray, FloatArray, IntArray

__all__ = [
    "COLOURLESS",
    "FaceComparison",
    "PosteriorSettings",
    "adjust_for_foreign",
    "amplitude_leads",
    "deck_odds",
    "face_posterior",
    "log_odds_by_score",
    "own_share",
    "score_posterior",
    "score_shares",
]


@dataclass(frozen=True, slots=True)
class PosteriorSettings:
    """Weights of the evidence, in log odds."""

    near: float = 4.0  # of a lead of 1 over a face that was compared by amplitude: fitted
    similarity: float = (
        13.0  # of a correlation of 1 more with one of those: fitted; light that lay over
    )
    # a picture when it was taken hardly changes that, where by amplitude other prints come near.
    # The same of hues that differ by 1 less: fitted, 8 to 16 are as likely
    far: float = 20.0  # of a Fisher's z of 1 over one that was not: fitted, 15 to 29 by collections
    most_score: float = 0.99  # correlation that counts there
    noise: float = 0.02  # of the brightness: what a card differs by from its own picture
    trust: float = 1.0  # of the misfit that is left: where nothing fits, little is said
    none: float = 4.1  # of no card of the deck, before anything is said of the fit: fitted, with
    none_similar: float = (
        -15.0
    )  # of a correlation of 1 with the best face once that is laid over it,
    none_ink: float = 26.5  # of ink as dark as the paper is bright that the best face does not
    # explain, or that the card lacks: of the worse of the two, where it is worst,
    most_by_ink: float = -0.4  # of that over the best face: a thing that lies on the card has ink
    # and hues of its own, so these alone make a name doubtful (a chance of 60 %) and never take it
    most_ink: float = 0.08  # of the card that the best face does not explain, of the paper: beyond
    # it a name is doubtful by that alone. Two of three signs look like a card of two, half a sign
    # beside: of ten such cards eight have 0.08 to 0.15, of 1,040 sure names one in fifty has more
    none_darker: float = -1.36  # of signs a deviation darker than the face's: shade lies on paper
    # within signs too, and makes none lighter,
    none_filled: float = 1.27  # and of a squared deviation, beside what it takes from the face
    similar_unsure: float = 0.06  # of what a picture may be wrong by, alike in all of its deck: it
    # speaks for no other face, and for no card of none; the rest is its own
    similar_left: float = 0.5  # of it, at the least: a better fit is chance
    filled: float = 0.7  # of signs that are filled otherwise by a deviation: as of a normal law
    filled_noise: float = 0.02  # of the paper: deviation of how dark paper within signs shows,
    filled_share: float = 0.22  # and of the depth of print there: fitted
    strangers: float = 1.0  # cards that are of no deck, and as many of one, seen before any table
    least_stranger: float = 0.01  # what other cards leave of a card's own chance to be of none, so
    # that it stays doubtful: its face may be the one that the deck lacks
    rounds: int = 8  # of weighing all cards of a photo by each other: settled after four
    most_filled: float = 3.0  # deviations that count: beyond, shade or glare are as likely


# How likely a face is by its correlation alone (ray-traced photos, 400 cards).
_SHARP = 70.0  # log odds of a correlation of 1 more: a lead of 0.08 is sure
_ACCEPT = 0.28  # correlation from which on a face is likelier than none: other games' reach 0.24
_STRICT = 0.28  # of the sharpness against none: ships of a motif that the deck lacks reach 0.54
_LEAST_OWN = 0.6  # of a face, however its colours are off: that makes a name doubtful, no more


#: By lightness alone. What gray a camera makes of a red, a green and a purple is not that of the
#: pictures of the deck: inks that are alike there may be 0.1 apart here.
COLOURLESS = PosteriorSettings(noise=0.1)


@dataclass(frozen=True, slots=True, eq=False)
class FaceComparison:
    """Comparison of one card with the pictures of a deck.

    ``scores`` (K,) are correlations with each of K pictures, -1 if not compared; ``face`` (K,) is
    the first picture of the same face; ``near`` (F,) are the pictures compared by amplitude, at
    least one, with the result ``amplitude``. ``unsure`` (F,), or one value for all, is the share of
    the brightness by which the pictures may differ from their faces through uneven light.
    """

    scores: FloatArray
    face: IntArray
    near: IntArray
    amplitude: FineMatch
    unsure: FloatArray = field(default_factory=lambda: np.zeros(1))


def amplitude_leads(
    compared: FaceComparison, settings: PosteriorSettings | None = None
) -> tuple[IntArray, FloatArray]:
    """Return the faces (F,) compared by amplitude, and their leads (F, F).

    A lead says by how much the card is nearer to the first face than to the second: 1 if it equals
    the first, -1 if it equals the second, near 0 if the faces hardly differ, neither fits, or a
    picture may be wrong by as much. The best of several pictures of a face counts.
    """
    s, told = settings or PosteriorSettings(), compared.amplitude
    own = np.maximum(compared.unsure**2 - s.similar_unsure**2, 0)
    wrong = np.add.outer(own, own) * (1 - np.eye(len(compared.near)))
    left = np.minimum(told.misfit, told.misfit.T)
    spread = s.noise**2 + told.apart + s.trust * left
    spread = spread + wrong + 2 * np.sqrt(told.apart * wrong)  # of (a + b)^2 - a^2, b being wrong
    lead = (told.misfit.T - told.misfit) / spread
    own = compared.face[compared.near]
    faces = np.unique(own)
    of = [np.flatnonzero(own == face) for face in faces]
    leads = np.array([[lead[np.ix_(a, b)].min(axis=1).max() for b in of] for a in of])
    return faces, leads * (1 - np.eye(len(faces)))


def log_odds_by_score(scores: FloatArray, settings: PosteriorSettings | None = None) -> FloatArray:
    """Return the log odds (K,) of faces against the best of them, by their correlations alone.

    Correlations are compared by Fisher's z: from 0.98 to 0.92 is far, from 0.70 to 0.64 is not.
    """
    s = settings or PosteriorSettings()
    z = np.arctanh(np.clip(scores, -s.most_score, s.most_score))
    return np.asarray(s.far * (z - z.max()), np.float64)


def face_posterior(
    compared: FaceComparison,
    settings: PosteriorSettings | None = None,
    led: tuple[IntArray, FloatArray] | None = None,
) -> FloatArray:
    """Return the probability (K,) of each face; the rest is that of a foreign card.

    A face with several pictures has its probability at the first one. ``led`` is the result of
    :func:`amplitude_leads`, if known.
    """
    s = settings or PosteriorSettings()
    faces, leads = led or amplitude_leads(compared, s)
    own = compared.face[compared.near]
    darker = _sign_deviations(compared.amplitude, s)
    darker = np.array([min(darker[own == face].tolist(), key=abs) for face in faces])
    unlike = s.filled * darker**2
    first = int((leads + np.diag(np.full(len(faces), np.inf))).min(axis=1).argmax())
    scores = np.full(len(compared.scores), -np.inf)
    np.maximum.at(scores, compared.face, compared.scores)
    # a face that was not compared by amplitude is no more like the card than those that were
    logs = np.where(scores > -1, log_odds_by_score(scores, s) - unlike.min(), -np.inf)
    told = compared.amplitude
    like = np.array([(told.similarity - told.hue)[own == face].max() for face in faces])
    logs[faces] = s.similarity * (like - like.max()) - s.near * leads[first] - unlike
    best = faces[logs[faces].argmax()]
    picture = int(np.where(own == best, told.similarity, -np.inf).argmax())
    wrong = min(float(np.broadcast_to(compared.unsure, own.shape)[picture]), s.similar_unsure)
    ink = float(told.ink[picture].max())
    least = min(ink, s.similar_left * wrong)
    ink = max(float(np.sqrt(max(ink**2 - wrong**2, 0))), least)
    none = s.none + s.none_similar * float(told.similarity[picture])
    filled = float(darker[faces == best][0])
    none += s.none_darker * filled + s.none_filled * filled**2
    beside = none + s.none_ink * ink + s.similarity * float(told.hue[picture])
    beside = np.inf if told.ink[picture][0] > s.most_ink else beside
    none = max(none, min(beside, float(logs.max()) + s.most_by_ink))
    most = max(float(logs.max()), none)
    weights = np.exp(logs - most)
    return np.asarray(weights / (weights.sum() + np.exp(none - most)), np.float64)


def score_posterior(
    scores: FloatArray, foreign: FloatArray, strict: BoolArray, kinds: IntArray
) -> FloatArray:
    """Return the probability (N, K) of each face, by correlations alone.

    Parameters
    ----------
    scores : (N, K) float64
        Correlation of each card with each face.
    foreign : (N,) float64
        Probability of a foreign card against the best face, by its colours.
    strict : (N,) bool
        Cards whose name needs a better score: the deck may lack their face, or light takes the hues
        away.
    kinds : (K,) int
        Faces of one kind play alike: a card that leads over all others is of that kind.
    """
    if not scores.size:
        return scores
    best = scores.argmax(axis=1)
    top = scores.max(axis=1)
    others = np.where(kinds == kinds[best][:, None], -1.0, scores).max(axis=1)
    none = np.where(top - others > LARGE_LEAD, 0.0, 1 / deck_odds(top, strict))
    none = np.where(top < _ACCEPT, np.inf, none)
    weights = _score_weights(scores)
    share = weights / (weights.sum(axis=1) + none)[:, None]
    return np.asarray(share * own_share(foreign)[:, None], np.float64)


def own_share(foreign: FloatArray | float) -> FloatArray:
    """Return how much of a posterior is the deck's if colours speak for a foreign card so much."""
    return np.asarray(np.maximum(1 - np.asarray(foreign), _LEAST_OWN), np.float64)


def score_shares(scores: FloatArray) -> FloatArray:
    """Return the probability (K,) of each face of a card that is one of the deck, by correlations.

    Faces that were not compared have none.
    """
    weights = _score_weights(scores)
    return np.asarray(weights / max(float(weights.sum()), 1e-12), np.float64)


def deck_odds(score: FloatArray, strict: BoolArray) -> FloatArray:
    """Return the odds (N,) of cards of the deck against others, by their best correlations.

    ``strict`` (N,) is that of :func:`score_posterior`.
    """
    sharp = _SHARP * np.where(strict, _STRICT, 1.0)
    return np.asarray(np.exp(sharp * (score - _ACCEPT)), np.float64)


def _score_weights(scores: FloatArray) -> FloatArray:
    """Return the likelihood (..., K) of each face beside that of the best; 0 if not compared."""
    weights = np.exp(_SHARP * (scores - scores.max(axis=-1, keepdims=True)))
    return np.asarray(np.where(scores > -1, weights, 0.0), np.float64)


def adjust_for_foreign(
    posterior: FloatArray, settings: PosteriorSettings | None = None
) -> FloatArray:
    """Return posteriors adjusted by the share of foreign cards in the photo.

    Faded colours, glare or shadow make a card fit no face well, and for a single card nothing more
    is known. Among cards that surely belong to the deck a foreign card is unlikely: the share of
    foreign cards is estimated from the others by Laplace's rule of succession. The adjustment only
    favours the deck, and makes no name certain that was not.

    Parameters
    ----------
    posterior : (N, K) float64
        How likely each card by itself shows each face; what they lack of 1 is no card of the deck.

    Returns
    -------
    (N, K) float64
        The same among each other; which face is likeliest stays.
    """
    s = settings or PosteriorSettings()
    alone = np.clip(1 - posterior.sum(axis=1), 0.0, 1.0)
    none = alone
    for _ in range(s.rounds):
        others = none.sum() - none
        share = (others + s.strangers) / (len(alone) - 1 + 2 * s.strangers)
        weight = alone * np.minimum(share / (1 - share), 1.0)
        none = weight / np.maximum(weight + 1 - alone, 1e-12)
        none = np.maximum(none, np.minimum(alone, s.least_stranger))
    left = np.where(alone < 1, (1 - none) / np.maximum(1 - alone, 1e-12), 1.0)
    return np.asarray(posterior * left[:, None], np.float64)


def _sign_deviations(told: FineMatch, s: PosteriorSettings) -> FloatArray:
    """Return by how many deviations a card's signs are darker than each picture's (F,)."""
    deviation = np.sqrt(s.filled_noise**2 + (s.filled_share * told.depth) ** 2)
    return np.clip(told.darker / deviation, -s.most_filled, s.most_filled)
