"""The table between the cards -> where something lies that may hide a card.

A hand, a mug or a phone within the play area can cover a card whole, and then nothing of the card
tells of it. The cloth is known by its own colour: what differs from it in hue or brightness, is no
card and is as large as a card is told as a doubt. On a patterned cloth nothing can be said.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vision.imaging.bends import bends_over
from vision.imaging.masks import grown
from vision.imaging.view import View
from vision.seeing.doubts.plan import PlanSettings, TablePlan, plan_table
from vision.seeing.solve.model import Solution
from vision.texts import make_issue, where_px
from vision.values.arrays import BoolArray, FloatArray, ImageBGR
from vision.values.messages import Issue

__all__ = ["ObstacleSettings", "find_obstacles"]

_FEWEST = 50  # points of bare table: fewer tell no cloth


@dataclass(frozen=True, slots=True)
class ObstacleSettings:
    """What is large enough, and how far off the cloth's colour; colours are logarithms of tones."""

    step_mm: float = 5.0  # of the plan of the table
    round_mm: float = 30.0  # beyond the outermost cards: a card there would still be met
    hide_mm: float = 50.0  # least breadth: a card is 63 wide, and its rim would show
    hide_share: float = 0.5  # of a card's area
    hue_off: float = 0.14  # a wooden table's grain stays below 0.1
    light_off: float = 0.9  # brighter or darker by 2.5; a shadow of one lamp halves
    spreads: float = 5.0  # robust deviations of the cloth itself
    most_spread: float = 1.2  # of the limits above: more is no cloth
    even_mm: float = 12.0  # colours are means over so much of bare table: grain is no thing
    most_share: float = 0.35  # of the table that may differ from "the cloth": more is a pattern,
    solid_share: float = 0.6  # unless so much of it is in pieces as broad as a card
    samples: int = 3000  # of the cloth that tell its colour: neighbours say the same
    first_samples: int = 300  # of which the one with most like it is the first guess
    alike: tuple[float, float, float] = (0.05, 0.05, 0.35)  # two hues and the light
    floor: float = 12.0  # tones added before the logarithm: noise in the dark


def find_obstacles(
    view: View,
    level: int,
    solution: Solution,
    size_mm: tuple[float, float],
    settings: ObstacleSettings | None = None,
) -> tuple[Issue, ...]:
    """Tell of things among the cards that may hide one.

    Parameters
    ----------
    view : View
        The photo.
    level : int
        In which its colours are told.
    solution : Solution
        Camera, plane and the poses of all cards.
    size_mm : (float, float)
        Width and height of a card.

    Returns
    -------
    tuple of Issue
        One doubt for each thing, with its place in the photo.
    """
    s = settings or ObstacleSettings()
    plan = plan_table(
        view, level, solution, size_mm, PlanSettings(s.step_mm, s.round_mm + s.hide_mm)
    )
    if plan is None or plan.bare.sum() < _FEWEST:
        return ()
    off = _off_the_cloth(plan.tones, plan.bare, s) & plan.bare
    breadth = max(3, round(s.hide_mm / s.step_mm))
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (breadth, breadth))
    solid = cv2.morphologyEx(off.astype(np.uint8) * 255, cv2.MORPH_OPEN, disc) > 0
    if off.sum() > s.most_share * plan.bare.sum() and solid.sum() < s.solid_share * off.sum():
        return ()
    return _tell_of(solid, plan, size_mm, s)


def _off_the_cloth(tones: ImageBGR, bare: BoolArray, s: ObstacleSettings) -> BoolArray:
    """Tell which places (H, W) of tones (H, W, 3) are not of the cloth's own colour.

    That is the commonest colour, and what lies near it where the light falls off.
    """
    rows, columns = bare.shape
    blue, green, red = cv2.split(np.log(tones.astype(np.float32) + np.float32(s.floor)))
    light = (blue + green + red) / 3
    weight = bare.astype(np.float32)
    hood = (2 * int(s.even_mm / s.step_mm / 2) + 1,) * 2
    count = np.maximum(cv2.blur(weight, hood), np.float32(1e-6))
    signals = np.stack(
        [cv2.blur(of * weight, hood) / count for of in (blue - light, red - light, light)]
    )
    base = np.moveaxis(bends_over(rows, columns), -1, 0).astype(np.float32)  # light falls off
    step = max(1, int(bare.sum()) // s.samples)
    x, y = base[:, bare][:, ::step].astype(np.float64), signals[:, bare][:, ::step]
    first = y[:, :: max(1, y.shape[1] // s.first_samples)]
    near = _within(first[:, :, None] - first[:, None], s.alike)
    is_cloth = _within(y - first[:, [near.sum(axis=0).argmax()]], s.alike)
    least = np.array([s.hue_off, s.hue_off, s.light_off])
    for _ in range(8):
        weighted = x * is_cloth
        fit = np.linalg.solve(weighted @ x.T + 1e-3 * np.eye(6), weighted @ y.T)  # (6, 3)
        rest = y - fit.T @ x
        spread = 1.4826 * np.median(np.abs(rest[:, is_cloth]), axis=1) + 1e-3
        limits = np.clip(s.spreads * spread, least, s.most_spread * least)
        before, is_cloth = is_cloth, _within(rest, limits)
        if (before == is_cloth).all():
            break
    cloth = np.tensordot(fit.T.astype(np.float32), base, axes=1)
    return ~_within(signals - cloth, limits)


def _within(of: np.ndarray, limits: Sequence[float] | FloatArray) -> BoolArray:
    """Tell where all three of the first axis are nearer to 0 than their limits."""
    a, b, c = (np.abs(one) < limit for one, limit in zip(of, limits, strict=True))
    return np.asarray(a & b & c)


def _tell_of(
    solid: BoolArray,
    plan: TablePlan,
    size_mm: tuple[float, float],
    s: ObstacleSettings,
) -> tuple[Issue, ...]:
    """Make a doubt of each thing that is as broad as a card and lies among the cards."""
    near = grown(plan.played, s.round_mm / s.step_mm) > 0
    count, labels = cv2.connectedComponents(solid.astype(np.uint8))
    issues = []
    for label in range(1, count):
        thing = (labels == label) & near
        if thing.sum() * s.step_mm**2 < s.hide_share * size_mm[0] * size_mm[1]:
            continue
        where = where_px(*np.median(plan.at_px[thing], axis=0))
        issues.append(make_issue("table_covered", "issue.table_covered", **where))
    return tuple(issues)
