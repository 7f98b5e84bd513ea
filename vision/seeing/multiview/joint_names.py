"""What each photo says a card is -> what it is: the chances of all photos multiplied.

Photos err apart: what one takes for a Viper in its glare another reads. What all of them believed
before they looked counts once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vision.seeing.cards.alternatives import UNKNOWN, AlternativeSettings
from vision.seeing.multiview.tracks import is_unread
from vision.values.layout import Alternative, Placed

__all__ = ["JointName", "JointNameSettings", "join_names"]


@dataclass(frozen=True, slots=True)
class JointNameSettings:
    """What is believed of a card before and beside what the photos say."""

    sure: float = 0.998  # chance of a name without doubt: names are wrong once in some 500 cards
    #: what each photo believed before it looked
    reading: AlternativeSettings = field(default_factory=AlternativeSettings)


@dataclass(frozen=True, slots=True)
class JointName:
    """What a card is for all photos: its id, or None for one that is not read; what else."""

    piece: str | None
    may_be: tuple[Alternative, ...]


def join_names(
    seen: Sequence[Placed], faces: int, settings: JointNameSettings | None = None
) -> JointName:
    """Multiply what several photos say of one card.

    Parameters
    ----------
    seen : sequence of Placed
        The card in each photo that shows it.
    faces : int
        How many faces the deck has.

    Returns
    -------
    JointName
        The likeliest name, where having none is not likelier: photos that say two names leave a
        doubt between these. In ``may_be`` an unread card is called ``unknown-``.
    """
    s = settings or JointNameSettings()
    given = s.reading
    least = (1 - s.sure) / faces  # of what a photo does not speak of at all
    told = [_view_posterior(one, s) for one in seen]
    pieces = {piece for posterior in told for piece in posterior}
    first: dict[str | None, float] = {None: given.absent, UNKNOWN: given.foreign}
    weights: dict[str | None, float] = {}
    for piece in pieces:
        before = first.get(piece, (1 - given.foreign - given.absent) / faces)
        weight = before
        for posterior in told:
            weight *= max(posterior.get(piece, 0.0), least) / before
        weights[piece] = weight
    total = sum(weights.values())
    posterior = {piece: weight / total for piece, weight in weights.items()}
    named = {piece: p for piece, p in posterior.items() if piece not in (None, UNKNOWN)}
    best = max(named, key=lambda piece: (named[piece], piece or ""), default=None)
    unnamed = posterior.get(None, 0.0) + posterior.get(UNKNOWN, 0.0)
    own = best if best is not None and named[best] >= unnamed else UNKNOWN
    others = [(piece, p) for piece, p in posterior.items() if piece != own and p > given.rare]
    others.sort(key=lambda item: (-item[1], item[0] or ""))
    return JointName(
        None if own == UNKNOWN else own,
        tuple(Alternative(piece, chance) for piece, chance in others),
    )


def _view_posterior(one: Placed, s: JointNameSettings) -> Mapping[str | None, float]:
    """Return how likely one photo makes each reading."""
    own = UNKNOWN if is_unread(one.piece) else one.piece
    if not one.may_be:
        return {own: s.sure}
    told: dict[str | None, float] = {own: 1 - sum(m.chance for m in one.may_be)}
    for other in one.may_be:
        piece = other.piece
        piece = UNKNOWN if piece is not None and is_unread(piece) else piece
        told[piece] = told.get(piece, 0.0) + other.chance
    return told
