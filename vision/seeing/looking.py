"""Photo -> the plane on which cards lie, by looks for outlines that grow finer as they need to."""

from dataclasses import dataclass

import numpy as np

from vision.errors import TableNotFoundError
from vision.imaging.view import View
from vision.seeing.cards.votes import Voted, vote_for_plane
from vision.seeing.sight import Sight, look_at
from vision.seeing.solve.adjust import Priors
from vision.seeing.solve.plane import Plane
from vision.seeing.stages import Stages
from vision.seeing.values import Look, Matched
from vision.values.arrays import FloatArray

__all__ = ["find_plane", "nothing_found"]

_LEAST_CARD_PX = 60  # width of a card whose face can be told for sure


def find_plane(view: View, sight: Sight, priors: Priors, stages: Stages) -> tuple[Plane, Matched]:
    """Look for outlines until some give a plane; return it with them.

    Raises
    ------
    TableNotFoundError
        If none do.
    """
    best: tuple[Voted, Matched] | None = None
    whole: _Looked | None = None  # the last look for whole outlines
    problem: TableNotFoundError | None = None
    for look in sight.outlines.looks(view):
        looked = _look(view, sight, look, priors, stages)
        whole = whole if look.by_corners else looked
        voted, problem = looked.voted, looked.problem or problem
        if voted is None or (best is not None and not voted.outdoes(best[0])):
            continue
        best = voted, looked.matched
        if voted.is_sure:
            finer = sight.outlines.finer(view, look, voted.plane.solution)
            again = None if finer is None else _look(view, sight, finer, priors, stages)
            if again is not None and again.voted is not None and again.voted.is_sure:
                best = again.voted, again.matched
            break
    if best is None:
        assert whole is not None
        raise problem or nothing_found(len(whole.quads_px), _widest_px(whole.quads_px))
    return best[0].plane, best[1]


@dataclass(frozen=True, slots=True, eq=False)
class _Looked:
    """What one look found: outlines (N, 4, 2), what they show, and a plane, or why it is none."""

    quads_px: FloatArray
    matched: Matched
    voted: Voted | None
    problem: TableNotFoundError | None


def _look(view: View, sight: Sight, look: Look, priors: Priors, stages: Stages) -> _Looked:
    """Find outlines in one look, and let them vote for a plane."""
    sure, size_mm = sight.comparer.sure, sight.faces.size_mm
    quads, matched = look_at(view, sight, look, stages)
    with stages("rectify"):
        try:
            return _Looked(quads, matched, vote_for_plane(matched, sure, size_mm, priors), None)
        except TableNotFoundError as error:  # outlines of a coarse look may be of no card
            return _Looked(quads, matched, None, error)


def nothing_found(outlines: int, widest_px: float | None = None) -> TableNotFoundError:
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
