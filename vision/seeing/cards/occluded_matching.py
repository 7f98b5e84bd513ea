"""Cards half under read ones -> what they are, by what shows beside those."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from vision.geometry import table_from_card
from vision.imaging.view import View
from vision.seeing.cards.hypotheses import grid_px
from vision.seeing.estimation.model import Solution
from vision.seeing.estimation.overlaps import are_inside_cards
from vision.seeing.recognition.framed_faces import FaceIndex, describe, sample_colours
from vision.seeing.recognition.occlusion import compare_visible
from vision.seeing.values import FaceMatch, Identities
from vision.values.arrays import BoolArray, FloatArray

__all__ = ["OccludedMatchSettings", "match_occluded"]


@dataclass(frozen=True, slots=True)
class OccludedMatchSettings:
    """Which cards hide what of others."""

    read_score: float = 0.45  # of a card on top, a correlation: it lies there, whole
    gap_mm: float = 1.0  # round it: its shadow, and what its place is off
    visible_mask: tuple[float, float] = (
        0.2,
        0.97,
    )  # share of a face: less tells nothing, more was seen


def match_occluded(
    view: View,
    solution: Solution,
    matches: Sequence[FaceMatch],
    named: Identities,
    index: FaceIndex,
    settings: OccludedMatchSettings | None = None,
) -> list[FaceMatch]:
    """Compare unread cards once more, without what read cards are known to hide of them.

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
    s = settings or OccludedMatchSettings()
    tops = [
        i
        for i, face in enumerate(named.face)
        if face >= 0 and i not in named.doubtful and matches[i].score >= s.read_score
    ]
    found = list(matches)
    for i in (i for i, face in enumerate(named.face) if face < 0):
        pose = solution.poses[i]
        visible_mask = _uncovered(pose, solution.poses[tops], index, s)
        if not s.visible_mask[0] <= visible_mask.mean() <= s.visible_mask[1]:
            continue
        at_px = grid_px(pose[None], solution, index)
        (seen,) = describe(sample_colours(view, at_px, index), index)
        scores = compare_visible(seen, visible_mask, index)
        if scores.max() > matches[i].score:
            found[i] = replace(matches[i], scores=scores, visible=float(visible_mask.mean()))
    return found


def _uncovered(
    pose: FloatArray, tops: FloatArray, index: FaceIndex, s: OccludedMatchSettings
) -> BoolArray:
    """Tell which places (G,) of a face are under none of the cards (K, 3) on top."""
    at = table_from_card(index.grid_mm, *pose)
    return ~are_inside_cards(at, tops, index.size_mm, s.gap_mm)
