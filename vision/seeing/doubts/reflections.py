"""A lamp's reflection on the bare table -> a doubt: light may leave nothing of a card there.

Under a reflection dark wood or cloth turns nearly as white as paper, and so does all print of a
card that lies in it; its border hardly stands out. How sharp the edge of the reflection is tells
nothing, nor how large it is: that a dark table is white there does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.imaging.masks import grown
from vision.imaging.view import View
from vision.seeing.doubts.plan import PlanSettings, TablePlan, plan_table
from vision.seeing.solve.model import Solution
from vision.texts import make_issue, where_px
from vision.values.arrays import BoolArray, ImageGray
from vision.values.messages import Issue

__all__ = ["ReflectionSettings", "find_reflections"]

_OF_ALL = {"table_covered", "glare_table"}  # such a doubt is of all that lies in one place


@dataclass(frozen=True, slots=True)
class ReflectionSettings:
    """What is a reflection; tones 0..255, means of the three channels.

    On 299 rendered and sample photos nine such doubts are told: on eight of these photos light has
    taken cards, on two of them without any other word; on one nothing was lost.
    """

    step_mm: float = 9.0  # of the plan of the table
    round_mm: float = 30.0  # beyond the outermost cards
    top: float = 99.5  # percentile of tones among the cards: paper in full light
    least_top: float = 215.0  # of that: below it nothing is near to clipped
    white: float = 0.8  # of it, from where on a place is washed out; print there has no contrast
    dark: float = 0.55  # of it, at most, the bare table's median: else the cloth itself is light
    breadth_mm: float = 45.0  # least: a card is 63 wide, and more of it would show beside
    share: float = 0.5  # of a card's area
    broad_px: int = 7  # in the picture, at least: a border has 2 to 6 there, a card 30 and more
    told: float = 2.0  # cards' areas that each doubt about a place in it explains


def find_reflections(
    view: View,
    level: int,
    solution: Solution,
    size_mm: tuple[float, float],
    told: Sequence[Issue] = (),
    settings: ReflectionSettings | None = None,
) -> tuple[Issue, ...]:
    """Tell of reflections among the cards that may hide one.

    Parameters
    ----------
    view : View
        The photo.
    level : int
        In which its tones are told.
    solution : Solution
        Camera, plane and the poses of all cards.
    size_mm : (float, float)
        Width and height of a card.
    told : sequence of Issue
        Doubts so far: what stands at a place needs no second word.

    Returns
    -------
    tuple of Issue
        One doubt for each, with its place in the photo.
    """
    s = settings or ReflectionSettings()
    if not _is_any(view.gray(level), s):
        return ()
    plan = plan_table(
        view, level, solution, size_mm, PlanSettings(s.step_mm, s.round_mm + s.breadth_mm)
    )
    if plan is None or not plan.bare.any():
        return ()
    issues = []
    for spot in _spots(plan, s):
        cards = spot.sum() * s.step_mm**2 / (size_mm[0] * size_mm[1])
        known = _told_in(spot, plan, told, min(size_mm) / 2)
        if cards < s.share or _OF_ALL & set(known) or cards < s.told * len(known):
            continue
        where = where_px(*np.median(plan.at_px[spot], axis=0))
        issues.append(make_issue("glare_table", "issue.glare_table", **where))
    return tuple(issues)


def _is_any(gray: ImageGray, s: ReflectionSettings) -> bool:
    """Tell whether anything in a picture is as light, and broader than a card's border."""
    light = cv2.threshold(gray, s.white * s.least_top, 255, cv2.THRESH_BINARY)[1]
    return bool(cv2.erode(light, np.ones((s.broad_px, s.broad_px), np.uint8)).any())


def _spots(plan: TablePlan, s: ReflectionSettings) -> list[BoolArray]:
    """Return masks (H, W) of places of a dark table that are white, each as broad as a card."""
    tones = plan.tones.mean(axis=2)
    top = float(np.percentile(tones[plan.played > 0], s.top))
    if top < s.least_top or np.median(tones[plan.bare]) > s.dark * top:
        return []
    white = ((tones >= s.white * top) & plan.bare).astype(np.uint8)
    breadth = round(s.breadth_mm / s.step_mm)
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (breadth, breadth))
    near = grown(plan.played, s.round_mm / s.step_mm) > 0
    count, labels = cv2.connectedComponents(cv2.morphologyEx(white, cv2.MORPH_OPEN, disc))
    return [(labels == label) & near for label in range(1, count)]


def _told_in(spot: BoolArray, plan: TablePlan, told: Sequence[Issue], reach_mm: float) -> list[str]:
    """Return the codes of doubts that stand in a spot (H, W), or nearer to it than ``reach_mm``."""
    at_px = plan.at_px[grown(spot.astype(np.uint8) * 255, reach_mm / plan.step_mm) > 0]
    near_px = 1.5 * float(np.linalg.norm(np.diff(plan.at_px, axis=0), axis=2).mean())
    return [
        issue.code
        for issue in told
        if issue.severity == "doubt"
        and issue.at_px is not None
        and (np.linalg.norm(at_px - issue.at_px, axis=1) < near_px).any()
    ]
