"""Re-checks partly occluded cards against their visible pixels.

The gap between two cards has two long edges, those of the cards, and so an outline; its content may
look like a sign on white, and white is what the cards on both sides show.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from vision.geometry import table_from_card
from vision.seeing.estimation.overlaps import are_inside_cards, cover_shares
from vision.seeing.values import Identities
from vision.values.arrays import BoolArray, FloatArray, Points

__all__ = ["find_false_names", "withdraw_names"]


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
