"""Re-checks partly occluded cards against their visible pixels.

The gap between two cards has two long edges, those of the cards, and so an outline; its content may
look like a sign on white, and white is what the cards on both sides show.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from vision.geometry import table_from_card
from vision.imaging.view import View
from vision.seeing.cards.face_matching import foreign_chances
from vision.seeing.cards.hypotheses import grid_px
from vision.seeing.estimation.model import Solution
from vision.seeing.estimation.overlaps import are_inside_cards, cover_shares
from vision.seeing.recognition.framed_faces import FaceIndex, describe, sample_colours
from vision.seeing.recognition.occlusion import compare_visible
from vision.seeing.values import PLAIN_SCORE, FaceMatch, Identities
from vision.values.arrays import BoolArray, FloatArray, Points

__all__ = ["find_false_names", "match_occluded", "withdraw_names"]


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


# Which cards hide what of others.
_MATCH_GAP_MM = 1.0  # round it: its shadow, and what its place is off
_MATCH_VISIBLE_MASK: tuple[float, float] = (
    0.2,
    0.97,
)  # share of a face: less tells nothing, more was seen


def match_occluded(
    view: View,
    solution: Solution,
    matches: Sequence[FaceMatch],
    named: Identities,
    index: FaceIndex,
) -> list[FaceMatch]:
    """Match unread cards again, without the parts that read cards cover.

    Parameters
    ----------
    view, solution
        The photo, and all cards (N) on their plane.
    matches, named
        How each compares with the faces as a whole, and what it was named by that.

    Returns
    -------
    list of FaceMatch
        Of all cards; those that agree better with a face by what shows have that instead.
    """
    tops = [
        i
        for i, face in enumerate(named.face)
        if face >= 0 and i not in named.doubtful and matches[i].score >= PLAIN_SCORE
    ]
    found = list(matches)
    for i in (i for i, face in enumerate(named.face) if face < 0):
        pose = solution.poses[i]
        visible_mask = _uncovered(pose, solution.poses[tops], index)
        if not _MATCH_VISIBLE_MASK[0] <= visible_mask.mean() <= _MATCH_VISIBLE_MASK[1]:
            continue
        at_px = grid_px(pose[None], solution, index)
        (seen,) = describe(sample_colours(view, at_px, index), index)
        scores = compare_visible(seen, visible_mask, index)
        if scores.max() > matches[i].score:
            one = replace(matches[i], scores=scores, visible=float(visible_mask.mean()))
            order = slice(None, None, -1 if one.is_half_turned(one.best) else 1)
            card, mask = seen[None, order], visible_mask[None, order]
            chance = foreign_chances(card, np.array([one.best]), index, mask, mask)
            found[i] = replace(one, foreign=float(chance[0]))
    return found


def _uncovered(pose: FloatArray, tops: FloatArray, index: FaceIndex) -> BoolArray:
    """Return which samples (G,) of a face lie under none of the cards (K, 3) on top."""
    at = table_from_card(index.grid_mm, *pose)
    return ~are_inside_cards(at, tops, index.size_mm, _MATCH_GAP_MM)
