"""Photo -> the plane on which cards lie, by looks for outlines that grow finer as they need to."""

from dataclasses import dataclass

import numpy as np

from vision.errors import TableNotFoundError
from vision.imaging.view import View
from vision.seeing.cards.plane_consensus import PlaneConsensus, consensus_plane
from vision.seeing.detector import Detector, detect_and_match
from vision.seeing.estimation.adjustment import Priors
from vision.seeing.estimation.plane import Plane
from vision.seeing.stages import Stages
from vision.seeing.values import FaceMatches, PyramidLevel
from vision.values.arrays import FloatArray

__all__ = ["find_plane", "no_cards_error"]

_LEAST_CARD_PX = 60  # width of a card whose face can be told for sure


def find_plane(
    view: View, detector: Detector, priors: Priors, stages: Stages
) -> tuple[Plane, FaceMatches]:
    """Look for outlines until some give a plane; return it with them.

    Raises
    ------
    TableNotFoundError
        If none do.
    """
    best: tuple[PlaneConsensus, FaceMatches] | None = None
    whole: _LevelResult | None = None  # the last look for whole outlines
    problem: TableNotFoundError | None = None
    for pyramid_level in detector.outlines.pyramid_levels(view):
        result = _search_level(view, detector, pyramid_level, priors, stages)
        whole = whole if pyramid_level.by_corners else result
        consensus, problem = result.consensus, result.problem or problem
        if consensus is None or (best is not None and not consensus.outdoes(best[0])):
            continue
        best = consensus, result.matched
        if consensus.is_sure:
            finer = detector.outlines.finer(view, pyramid_level, consensus.plane.solution)
            again = None if finer is None else _search_level(view, detector, finer, priors, stages)
            if again is not None and again.consensus is not None and again.consensus.is_sure:
                best = again.consensus, again.matched
            break
    if best is None:
        assert whole is not None
        raise problem or no_cards_error(len(whole.quads_px), _widest_px(whole.quads_px))
    return best[0].plane, best[1]


@dataclass(frozen=True, slots=True, eq=False)
class _LevelResult:
    """What one look found: outlines (N, 4, 2), what they show, and a plane, or why it is none."""

    quads_px: FloatArray
    matched: FaceMatches
    consensus: PlaneConsensus | None
    problem: TableNotFoundError | None


def _search_level(
    view: View, detector: Detector, pyramid_level: PyramidLevel, priors: Priors, stages: Stages
) -> _LevelResult:
    """Find outlines in one look, and let them vote for a plane."""
    sure, size_mm = detector.comparer.sure, detector.faces.size_mm
    quads, matched = detect_and_match(view, detector, pyramid_level, stages)
    with stages("rectify"):
        try:
            return _LevelResult(
                quads, matched, consensus_plane(matched, sure, size_mm, priors), None
            )
        except TableNotFoundError as error:  # outlines of a coarse look may be of no card
            return _LevelResult(quads, matched, None, error)


def no_cards_error(outlines: int, widest_px: float | None = None) -> TableNotFoundError:
    """Say what was seen and what to try; how wide the widest outline shows, where that is known."""
    if not outlines:
        return TableNotFoundError(
            "no cards found; needed at least one whole card in clear view: photograph the whole "
            "table from above, on a cloth that contrasts with the cards"
        )
    several = "outline" if outlines == 1 else "outlines"
    seen = f"found {outlines} four-sided {several} but no card of this deck"
    if widest_px is not None and widest_px < _LEAST_CARD_PX:
        return TableNotFoundError(
            f"{seen}: the widest is {widest_px:.0f} pixels wide; needed at least one whole card "
            f"of {_LEAST_CARD_PX}: move closer"
        )
    return TableNotFoundError(
        f"{seen}; needed at least one whole card in clear view: photograph it from above, sharp "
        "and in even light, and check that this is the deck on the table"
    )


def _widest_px(quads: FloatArray) -> float | None:
    """Return how wide the widest of outlines (N, 4, 2) shows: its shorter sides' mean."""
    if not len(quads):
        return None
    sides = np.linalg.norm(quads - np.roll(quads, 1, axis=1), axis=2)
    return float(((sides[:, :2] + sides[:, 2:]) / 2).min(axis=1).max())
