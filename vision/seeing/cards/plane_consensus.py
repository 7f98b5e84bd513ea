"""The plane on which the best matched outlines agree, and how reliable it is."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from vision.errors import TableNotFoundError
from vision.seeing.cards.face_comparers import VoterSettings
from vision.seeing.estimation.adjustment import Priors
from vision.seeing.estimation.plane import CENTRES, FOCALS, Plane, PlaneSettings, solve_plane
from vision.seeing.values import FaceMatches
from vision.values.arrays import IntArray

__all__ = ["PlaneConsensus", "consensus_plane"]

_FOCAL_KNOWN = 0.1  # deviation of its logarithm: from a header or a calibration, not a guess
#: Outlines that are read well are cards, and few of them enough to tell where a camera looked.
_READ_WELL = PlaneSettings(cropped_cards=1)
#: And where no camera that looks at the photo shows them so, it was cropped. A card that was cut
#: out of a photo of a table fills a third of its width or less: the axis lies beside what is left,
#: and the focal length, in that part's diagonals, is longer.
_CUT_OUT = PlaneSettings(
    cropped_cards=1,
    cropped_centres=(-0.75, *CENTRES, 1.75),
    cropped_centre_sd=0.6,
    focal_over_diagonal=(*FOCALS, 2.5, 4.0, 7.0),  # the last: a tenth of a photo
)
#: Of outlines of which two sides show the fourth corner is supposed, half a millimetre in ten.
_BY_CORNERS = PlaneSettings(shape_tolerance=0.12)
_SMALL_PX = 30.0  # width in the picture that was looked at: a pixel beside is 3 %, and shapes that
#: fit badly say nothing of where a photo was cropped
_SMALL = PlaneSettings(fit_well=0.0)


@dataclass(frozen=True, slots=True, eq=False)
class PlaneConsensus:
    """A plane with the summed scores of the cards that agree on it.

    It is sure if several whole outlines agree, or if one well-read card implies a camera that looks
    at the photo's centre. ``is_well``: at least one card is read well.
    """

    plane: Plane
    similarity: float
    is_sure: bool
    is_well: bool

    def outdoes(self, before: "PlaneConsensus") -> bool:
        """Return whether this plane is more reliable than that of another level."""
        if not self.is_sure:
            return not before.is_sure and self.similarity > before.similarity
        # of cards that were cut out no other plane shows more, but that of the whole table
        is_chance = not (before.is_sure or before.is_well)
        return is_chance or len(self.plane.cards) > len(before.plane.cards)


def consensus_plane(
    matched: FaceMatches, voting: VoterSettings, size_mm: tuple[float, float], priors: Priors
) -> PlaneConsensus | None:
    """Return the plane of the best matched outlines; None if none may vote.

    Parameters
    ----------
    matched : FaceMatches
        N outlines.
    voting : VoterSettings
        Which of them may vote.
    size_mm : (float, float)
        Width and height of a card.
    priors : Priors
        What is believed of the camera.

    Raises
    ------
    TableNotFoundError
        If no outline gives a plane.
    """
    chosen = np.zeros(0, np.int64)
    for least, lead in zip(voting.scores, voting.leads, strict=True):
        more = (matched.scores > least) & (matched.leads > lead)
        chosen = np.union1d(chosen, np.flatnonzero(more))
        if len(chosen) >= voting.enough:
            break
    if not len(chosen):
        return None
    if voting.apart:
        chosen = _suppress_concentric(chosen, matched, voting.apart)
    is_known = priors.log_focal_sd < _FOCAL_KNOWN
    by_corners = matched.pyramid_level is not None and matched.pyramid_level.by_corners
    well = chosen[matched.scores[chosen] > voting.alone]
    solve = partial(solve_plane, size_mm=size_mm, priors=priors, focal_known=is_known)
    try:
        how = _plane_settings(chosen, matched, is_well=len(well) == len(chosen))
        plane = solve(matched.corners_px[chosen], settings=how)
    except TableNotFoundError:
        if by_corners or not len(well):
            raise
        chosen = well
        plane = solve(matched.corners_px[chosen], settings=_CUT_OUT)
    similarity = matched.scores[chosen[list(plane.cards)]]
    # lines that meet are everywhere: that a few agree is chance
    is_several = not by_corners and len(similarity) >= voting.several
    # and to a camera that looks anywhere, one or two cards are laid that are none: a finer look may
    # show more of them
    is_cropped = plane.priors is not priors
    is_well = bool(similarity.max() > voting.alone)
    is_sure = is_several or (is_well and not is_cropped)
    if by_corners and not is_sure:
        return None  # any lines that meet are like some card a little
    return PlaneConsensus(plane, float(similarity.sum()), is_sure, is_well)


def _plane_settings(
    chosen: IntArray, matched: FaceMatches, *, is_well: bool
) -> PlaneSettings | None:
    """Return the settings for the plane, by whether the voters are whole and read well."""
    if matched.pyramid_level is not None and matched.pyramid_level.by_corners:
        return _BY_CORNERS
    if _are_small(chosen, matched):
        return _SMALL
    return _READ_WELL if is_well else None


def _are_small(chosen: IntArray, matched: FaceMatches) -> bool:
    """Return whether several cards vote and most of them are small at the level searched."""
    corners = matched.corners_px[chosen]
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).min(axis=1)
    level = 0 if matched.pyramid_level is None else matched.pyramid_level.level
    return len(chosen) >= _SMALL.cropped_cards and bool(np.median(sides) < _SMALL_PX * 2**level)


def _suppress_concentric(voters: IntArray, matched: FaceMatches, apart: float) -> IntArray:
    """Keep the best matched of concentric outlines."""
    corners = matched.corners_px[voters]
    middles = corners.mean(axis=1)
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    reach = apart * sides.min(axis=1)
    kept: list[int] = []
    for i in np.argsort(-matched.scores[voters], kind="stable").tolist():
        away = np.linalg.norm(middles[kept] - middles[i], axis=1)
        if not (away < reach[kept]).any():
            kept.append(i)
    return np.sort(voters[kept])
