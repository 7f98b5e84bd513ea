"""Alternatives of doubtful and unread cards, with probabilities.

Everything a card may be has a probability, so that a game can play it: each face that does not
surely lie elsewhere, a card of another deck (present but unreadable), or no card at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vision.seeing.cards.posterior import deck_odds, score_shares
from vision.seeing.values import FaceMatch
from vision.values.arrays import BoolArray, FloatArray
from vision.values.layout import Alternative, unread_id
from vision.values.pieces import Faces

__all__ = ["ABSENT", "DOUBTFUL_IDS", "FOREIGN", "RARE", "AcceptedCard", "alternatives_of"]

#: Numbers of unread cards above it are of those that are named, but doubtful; above twice it, of
#: those of several photos together.
DOUBTFUL_IDS = 1000


# How likely the readings of a card are where nothing has weighed them.
FOREIGN = 0.1  # chance that an unread card is none of the deck's,
ABSENT = 0.05  # or no card at all: of 149 on drawn tables none was
_NAMED_FOREIGN = 0.01  # least chance that a named card is none: those of other games look otherwise
RARE = 0.002  # a reading less likely than that is not worth playing
_HIDDEN = 0.2  # chance that what shows of an unread card tells nothing: glare, a hand;
# the likeliest of 0.2 to 0.5, of 95 unread cards on 150 drawn tables


@dataclass(frozen=True, slots=True, eq=False)
class AcceptedCard:
    """A card accepted at a place: its face (-1 for none) and what is doubtful about it.

    ``double`` is the face of which it is one card too many.
    """

    place: int
    name: str
    face: int
    match: FaceMatch
    double: int | None
    is_doubtful: bool
    is_open: bool


def alternatives_of(
    accepted: Sequence[AcceptedCard], faces: Faces
) -> list[tuple[Alternative, ...]]:
    """Return the alternatives of each card.

    Parameters
    ----------
    accepted : sequence of AcceptedCard
        The cards that are believed.
    faces : Faces
        What they may be.

    Returns
    -------
    list of tuple of Alternative
        The likeliest first; none where a card is sure.
    """
    first = faces.first_picture
    sure = [int(first[one.face]) for one in accepted if one.face >= 0 and not one.is_doubtful]
    is_free = np.bincount(sure, minlength=len(first)) < faces.copies
    copies: dict[str, list[str]] = {}
    for one in accepted:
        if one.double is not None:
            copies.setdefault(faces.names[one.double][-1], []).append(one.name)
    found = []
    for row, one in enumerate(accepted):
        if one.double is not None:
            found.append(_alternatives_of_double(one, faces, is_free))
        elif one.face < 0 or one.is_doubtful:
            found.append(_ranked_alternatives(_posterior(one, faces, is_free, row), one.name))
        elif one.name in copies:  # each of these may count instead, as likely; its name is free
            several = copies[one.name]
            found.append(tuple(Alternative(other, 1 / (1 + len(several))) for other in several))
        else:
            found.append(())
    return found


def _alternatives_of_double(
    one: AcceptedCard, faces: Faces, is_free: BoolArray
) -> tuple[Alternative, ...]:
    """Return the alternatives of a card too many: the right copy is equally likely."""
    assert one.double is not None
    shares = _face_posterior(one.match, faces)
    other = float(shares.sum() - shares[faces.first_picture[one.double]])
    posterior = _by_name(one, shares, faces, is_free)
    twin = faces.names[one.double][-1]
    posterior |= {twin: (1 - other) / 2, one.name: (1 - other) / 2}
    return _ranked_alternatives(posterior, one.name)


def _posterior(
    one: AcceptedCard, faces: Faces, is_free: BoolArray, row: int
) -> dict[str | None, float]:
    """Return the probability of each reading of a doubtful or unread card."""
    if one.face < 0 and one.match.posterior is None:
        return _unread_posterior(one, faces, is_free)
    shares = _face_posterior(one.match, faces)
    named = _by_name(one, shares, faces, is_free)
    total = sum(named.values())
    if one.match.posterior is not None:  # what they lack of 1 is no card of the deck
        none = max(0.0, 1 - float(shares.sum()))
    else:
        none = max(_NAMED_FOREIGN, one.match.foreign) if total else 1.0
        named = {name: (1 - none) * share / total for name, share in named.items()}
    absent = none * ABSENT / (FOREIGN + ABSENT) if one.face < 0 else 0.0
    foreign = one.name if one.face < 0 else unread_id(DOUBTFUL_IDS + 1 + row)
    return {**named, None: absent, foreign: none - absent}


def _unread_posterior(
    one: AcceptedCard, faces: Faces, is_free: BoolArray
) -> dict[str | None, float]:
    """Return the probability of each reading of an unread card.

    The visible part may carry no information: then each free face is equally likely. Otherwise a
    face is the likelier the better it correlates. A low correlation with every face is no evidence
    for a foreign card, because the card was not read.
    """
    scores = _scores(one.match, faces)
    may_lie = _by_name(one, np.ones(len(scores)), faces, is_free)
    if not may_lie:
        return {None: ABSENT, one.name: FOREIGN}
    seen = _by_name(one, _face_posterior(one.match, faces), faces, is_free)
    odds = deck_odds(scores.max(), np.array(not faces.is_whole))
    speaking = max(1.0, float(odds))
    total, alone = sum(seen.values()), 1 / len(may_lie)
    posterior: dict[str | None, float] = {}
    for name in may_lie:
        accepted = seen.get(name, 0.0) / total if total else alone
        share = _HIDDEN * alone + (1 - _HIDDEN) * accepted
        posterior[name] = (1 - FOREIGN - ABSENT) * speaking * share
    return {**posterior, None: ABSENT, one.name: FOREIGN}


def _face_posterior(match: FaceMatch, faces: Faces) -> FloatArray:
    """Return the probability of each face (K,), at the first picture of the face."""
    first = faces.first_picture
    if match.posterior is not None:
        return np.where(first == np.arange(len(first)), match.posterior, 0.0)
    return score_shares(_scores(match, faces))


def _scores(match: FaceMatch, faces: Faces) -> FloatArray:
    """Return the best score of each face (K,), at its first picture; -1 elsewhere."""
    scores = np.full(len(match.scores), -1.0)
    np.maximum.at(scores, faces.first_picture, match.scores.max(axis=1))
    return scores


def _by_name(
    one: AcceptedCard, shares: FloatArray, faces: Faces, is_free: BoolArray
) -> dict[str | None, float]:
    """Return the probabilities of the faces that may lie there, by name."""
    first = faces.first_picture
    own, is_first = -1 if one.face < 0 else int(first[one.face]), first == np.arange(len(first))
    return {
        one.name if k == own else faces.names[k][0]: float(shares[k])
        for k in np.flatnonzero((shares > 0) & is_free & is_first).tolist()
    }


def _ranked_alternatives(
    posterior: Mapping[str | None, float], own: str
) -> tuple[Alternative, ...]:
    """Return the readings other than a card's own, likeliest first."""
    total = sum(posterior.values())
    if total <= 0:
        return ()
    ranked = sorted(
        ((name, chance / total) for name, chance in posterior.items() if name != own),
        key=lambda item: (-item[1], item[0] or ""),
    )
    return tuple(Alternative(name, chance) for name, chance in ranked if chance > RARE)
