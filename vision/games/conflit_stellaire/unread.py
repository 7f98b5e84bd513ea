"""Cards that seeing could place and not read -> what they may be."""

import math
from collections.abc import Sequence
from dataclasses import replace

from vision.games.conflit_stellaire.deck import deck
from vision.games.conflit_stellaire.pieces import FLAGSHIP, SCALE
from vision.values.layout import Other, Placed, unread_id

__all__ = ["as_read", "is_unread", "with_dim_hulls_unread"]

_BACK = "back"  #: what a card is played as that nobody knows: it does nothing
_SHARPNESS = 30.0  # of a chance by how alike: a tenth of correlation is twenty to one
_NONE = 0.3  # chance that it is none of the faces that it is most like
_LEAST = 0.5  # chance from which the likeliest face is played
_SHOWN = 0.5  # of a hull card's face: it lies in the open, so less is most likely another card


def with_dim_hulls_unread(placed: Sequence[Placed]) -> list[Placed]:
    """Return what was placed, hull cards that hardly show as unread where strips need no more.

    Two seats share one strip, more have as many strips as seats.
    """
    hulls = [p for p in placed if p.piece == FLAGSHIP]
    dim = {id(p) for p in hulls if p.visible < _SHOWN}
    strips = sum(p.piece == SCALE for p in placed)
    wanted = 2 if strips == 1 else max(strips, 3)
    if not dim or not strips or len(hulls) - len(dim) < wanted:
        return list(placed)
    return [_unread(p) if id(p) in dim else p for p in placed]


def _unread(placed: Placed) -> Placed:
    """Return something as a card of which nothing says what it is."""
    return replace(
        placed, piece=unread_id(placed.spot), kind="card", score=0.0, others=(), may_be=()
    )


def is_unread(placed: Placed) -> bool:
    """Tell whether a card lies there of which nothing says what it is."""
    return placed.kind == "card" and placed.identity is None


def as_read(placed: Placed) -> Placed:
    """Return an unread card as the likeliest thing it may be, with chances of the others."""
    others = [other for other in placed.others if other.piece in deck().faces]
    if not others:
        return replace(placed, piece=_BACK, others=(), may_be=())
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
    return replace(placed, piece=first, others=tuple(rest), may_be=())
