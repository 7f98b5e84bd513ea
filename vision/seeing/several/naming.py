"""What each photo says a card is -> what it is: the chances of all photos multiplied.

Photos err apart: what one takes for a Viper in its glare another reads. What all of them believed
before they looked counts once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from vision.seeing.several.spots import is_unread
from vision.values.layout import MayBe, Placed

__all__ = ["Joint", "JointSettings", "join_names"]

_FOREIGN = "unknown-"  # stands for a card that is not read, in all photos alike


@dataclass(frozen=True, slots=True)
class JointSettings:
    """What is believed of a card before and beside what the photos say."""

    sure: float = 0.998  # chance of a name without doubt: names are wrong once in some 500 cards
    foreign: float = 0.2  # chance of a card of no face of the deck, before anything is read,
    absent: float = 0.1  # and of none at all
    rare: float = 0.002  # a reading less likely than that is not worth playing
    least: float = 1e-5  # of what a photo does not speak of at all
    named: float = 0.5  # below, a card has no name


@dataclass(frozen=True, slots=True)
class Joint:
    """What a card is for all photos: its id, or None for one that is not read; what else."""

    piece: str | None
    may_be: tuple[MayBe, ...]


def join_names(seen: Sequence[Placed], faces: int, settings: JointSettings | None = None) -> Joint:
    """Multiply what several photos say of one card.

    Parameters
    ----------
    seen : sequence of Placed
        The card in each photo that shows it.
    faces : int
        How many faces the deck has.

    Returns
    -------
    Joint
        In ``may_be`` an unread card is called ``unknown-``. One photo alone is believed as it is.
    """
    s = settings or JointSettings()
    told = [_chances(one, faces, s) for one in seen]
    pieces = {piece for chances in told for piece in chances}
    weights: dict[str | None, float] = {}
    for piece in pieces:
        before = {None: s.absent, _FOREIGN: s.foreign}.get(
            piece, (1 - s.foreign - s.absent) / faces
        )
        weight = before
        for chances in told:
            weight *= chances.get(piece, s.least) / before
        weights[piece] = weight
    total = sum(weights.values())
    chances = {piece: weight / total for piece, weight in weights.items()}
    named = {piece: p for piece, p in chances.items() if piece not in (None, _FOREIGN)}
    best = max(named, key=lambda piece: (named[piece], piece or ""), default=None)
    own = best if best is not None and named[best] >= s.named else _FOREIGN
    others = [(piece, p) for piece, p in chances.items() if piece != own and p > s.rare]
    others.sort(key=lambda item: (-item[1], item[0] or ""))
    return Joint(
        None if own == _FOREIGN else own, tuple(MayBe(piece, chance) for piece, chance in others)
    )


def _chances(one: Placed, faces: int, s: JointSettings) -> Mapping[str | None, float]:
    """Return how likely one photo makes each reading."""
    own = _FOREIGN if is_unread(one.piece) else one.piece
    if not one.may_be:
        return {own: s.sure}
    told: dict[str | None, float] = {own: max(s.least, 1 - sum(m.chance for m in one.may_be))}
    for other in one.may_be:
        piece = other.piece
        piece = _FOREIGN if piece is not None and is_unread(piece) else piece
        told[piece] = told.get(piece, 0.0) + other.chance
    return told
