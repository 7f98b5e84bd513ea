"""Cards that seeing could place and not read -> what they may be."""

import math
from dataclasses import replace

from vision.games.conflit_stellaire.deck import deck
from vision.values.layout import Other, Placed

__all__ = ["as_read", "is_unread"]

_BACK = "back"  #: what a card is played as that nobody knows: it does nothing
_SHARPNESS = 30.0  # of a chance by how alike: a tenth of correlation is twenty to one
_NONE = 0.3  # chance that it is none of the faces that it is most like
_LEAST = 0.5  # chance from which the likeliest face is played


def is_unread(placed: Placed) -> bool:
    """Tell whether a card lies there of which nothing says what it is."""
    return placed.kind == "card" and placed.piece.startswith("unknown-")


def as_read(placed: Placed) -> Placed:
    """Return an unread card as the likeliest thing it may be, with chances of the others."""
    others = [other for other in placed.others if other.piece in deck().faces]
    if not others:
        return replace(placed, piece=_BACK, others=())
    best = max(other.score for other in others)
    weights = [math.exp(_SHARPNESS * (other.score - best)) for other in others]
    share = (1 - _NONE) / sum(weights)
    weighed = [
        Other(other.piece, other.score, weight * share)
        for other, weight in zip(others, weights, strict=True)
        if other.piece != _BACK
    ]
    weighed.sort(key=lambda other: -(other.chance or 0.0))
    if weighed and (weighed[0].chance or 0.0) >= _LEAST:
        first, rest = weighed[0].piece, [*weighed[1:], Other(_BACK, 0.0, _NONE)]
    else:
        first, rest = _BACK, weighed
    return replace(placed, piece=first, others=tuple(rest))
