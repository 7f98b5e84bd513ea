"""The best still pictures of a round -> the table, fused, and the round resolved.

Each picture gives the poses of all cards; their median is what counts, and what the pictures
disagree by is taken from the covariance as far as several of them average it out. Faces are judged
from the mean of the pictures together with what was seen when the card was laid. From there on all
is as in a scan of one photo.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vision.errors import ScanError, TableNotFoundError
from vision.geometry import rotation
from vision.imaging.photo import Photo
from vision.imaging.view import View, to_gray
from vision.judging.game import Game
from vision.judging.play import play
from vision.seeing.cards.layout import layout_of
from vision.seeing.cards.matching import Match
from vision.seeing.cards.naming import assign_cards
from vision.seeing.cards.overlaps import card_outlines, most_overlap
from vision.seeing.cards.report import Seen, half_turned, report_cards
from vision.seeing.cards.settle import Located, locate_cards, refine_cards
from vision.seeing.reading import read_cards
from vision.seeing.solve.adjust import Priors
from vision.seeing.solve.model import with_poses
from vision.seeing.solve.plane import lay_cards
from vision.texts import make_issue
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, IntArray
from vision.values.messages import Issue
from vision.values.scan import Scan
from vision.watch.cards import Kit, Known, align, solution_of
from vision.watch.glance import match_at
from vision.watch.ground import Ground
from vision.watch.state import Following

__all__ = ["Verdict", "fuse_pictures", "give_verdict"]

_SAME_PLACE = 0.5  # of a card that another covers: the same card, seen twice
_MEDIAN_LOSS = np.pi / 2  # the variance of a median of normal errors over that of their mean


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """A round settled: the scan, the fused picture it can be drawn over, and what it is made of.

    ``stray`` names the cards that only one of watch and last pictures shows.
    """

    scan: Scan
    image: ImageBGR
    pictures: int
    stray: tuple[str, ...]


def fuse_pictures(pictures: Sequence[ImageBGR]) -> ImageBGR:
    """Return the mean of pictures (H, W, 3) of one still scene: noise goes, print stays."""
    if len(pictures) == 1:
        return pictures[0]
    total = np.zeros(pictures[0].shape, np.uint16)  # 257 pictures of 255 fit
    for picture in pictures:
        total += picture
    return np.asarray((total + len(pictures) // 2) // len(pictures), np.uint8)


def give_verdict(
    state: Following,
    pictures: Sequence[ImageBGR],
    kit: Kit,
    game: Game,
    *,
    options: Any = None,
) -> Verdict:
    """Settle the round from still pictures of the finished table.

    Parameters
    ----------
    state : Following
        What the watch knows; its cards are where they are looked for.
    pictures : sequence of (H, W, 3) uint8
        At least one, all of the same still table.
    kit : Kit
        What the cards look like.
    game, options
        What is played.

    Raises
    ------
    TableNotFoundError
        If no card can be read.
    """
    start = time.perf_counter()
    image = fuse_pictures(pictures)
    ground, known, extra = _places(state, image, kit)
    poses = np.concatenate([np.array([c.pose for c in known]).reshape(-1, 3), extra])
    if ground is None or not len(poses):
        msg = (
            "found no card of this deck in the last pictures; needed at least one whole card in "
            "clear view: check that the camera looks at the table"
        )
        raise TableNotFoundError(msg)
    start_at = with_poses(ground.solution, poses)
    rough = locate_cards(to_gray(image), start_at, kit.rectangles, state.priors)
    now = match_at(image, replace(ground, solution=rough.solution), rough.solution.poses, kit.index)
    matches = [
        _together(match, known[i].match) if i < len(known) else match for i, match in enumerate(now)
    ]
    identities = assign_cards(
        np.array([match.scores.max(axis=1) for match in matches]),
        np.array([match.visible for match in matches]),
        np.unique(kit.bank.kinds, return_inverse=True)[1] if kit.bank.kinds else None,
    )
    if all(face < 0 for face in identities.face):
        msg = "no card in the last pictures can be read; light the table evenly, without glare"
        raise TableNotFoundError(msg)
    height, width = image.shape[:2]
    faces, turned = np.array(identities.face), half_turned(matches, identities)
    located = _median_of(
        [_locate(picture, rough, faces, turned, kit, state.priors) for picture in pictures]
    )
    found = report_cards(located, matches, identities, kit.bank, (width, height))
    names = {card.card_id for card in found.placement.cards}
    told = {card.name for card in state.cards if card.face >= 0}
    stray = tuple(sorted((told ^ names) - {n for n in names if n.startswith("unknown")}))
    issues: tuple[Issue, ...] = found.issues
    if stray:
        issues = (make_issue("table_differs", "watch.table_differs", stray, cards=stray), *issues)
    timings = {"fuse": (time.perf_counter() - start) * 1000}
    seen = Seen(found.placement, found.readings, found.corners_px, issues, timings)
    scan = play([layout_of(seen, (width, height))], game, options, timings)
    return Verdict(scan, image, len(pictures), stray)


def _places(
    state: Following, image: ImageBGR, kit: Kit
) -> tuple[Ground | None, list[Known], FloatArray]:
    """Return the plane, the cards that the watch knows, and the poses of those it has missed."""
    none = np.zeros((0, 3))
    known = list(state.cards)
    try:
        seen = read_cards(Photo(image), kit.bank)
    except ScanError:
        return state.ground, known, none
    corners = np.array(seen.corners_px).reshape(-1, 4, 2)
    ground = state.ground
    if ground is None:
        placement = seen.placement
        solution = solution_of(placement.camera)
        ground = Ground(solution, state.priors, len(placement.cards), placement.residual_px)
    laid, misfit_mm = lay_cards(ground.solution, corners, kit.size_mm)
    mine = card_outlines(state.poses, kit.size_mm)
    outlines = card_outlines(laid, kit.size_mm)
    extra = [
        i
        for i, outline in enumerate(outlines)
        if np.isfinite(misfit_mm[i]) and most_overlap(outline, mine) < _SAME_PLACE
    ]
    return ground, known, laid[extra] if extra else none


def _together(now: Match, then: Match) -> Match:
    """Put two comparisons of one card together: glare and covers differ, print does not."""
    return Match((now.scores + then.scores) / 2, max(now.visible, 0.0))


def _locate(
    picture: ImageBGR,
    rough: Located,
    faces: IntArray,
    turned: BoolArray,
    kit: Kit,
    priors: Priors,
) -> Located:
    """Solve one picture on its own, with what its faces show."""
    view = View(picture, 3)
    located = locate_cards(view.gray(), rough.solution, kit.rectangles, priors)
    return refine_cards(view, located, faces, turned, kit.bank, kit.rectangles, priors)


def _median_of(solved: Sequence[Located]) -> Located:
    """Return the median of several solutions of one table, with its covariance."""
    first = solved[0]
    if len(solved) == 1:
        return first
    laid = []
    for one in solved:
        own = one.solution.poses
        motion, _ = align(own, first.solution.poses)
        turned = own[:, :2] @ rotation(float(motion[0])).T + motion[1:]
        theta = own[:, 2] + motion[0]
        away = theta - first.solution.poses[:, 2]
        theta = theta - 2 * np.pi * np.round(away / (2 * np.pi))
        laid.append(np.column_stack([turned, theta]))
    several = np.array(laid)
    return replace(
        first,
        solution=replace(first.solution, poses=np.median(several, axis=0)),
        pose_covariance=_averaged(first.pose_covariance, several),
        sides=np.median([one.sides for one in solved], axis=0),
        residual_px=float(np.median([one.residual_px for one in solved])),
    )


def _averaged(covariance: FloatArray, several: FloatArray) -> FloatArray:
    """Take from a covariance (3N, 3N) what the median of K solutions (K, N, 3) averages out.

    What the solutions scatter by is noise, and goes down with their number; what they share (the
    cards' shape, the lens) stays.
    """
    k = len(several)
    scatter = several.reshape(k, -1).var(axis=0, ddof=1)
    own = np.diag(covariance)
    noise = np.minimum(scatter, 0.5 * own)  # a few pictures tell the scatter only roughly
    share = max(0.0, 1 - _MEDIAN_LOSS / k)
    scale = np.sqrt(1 - share * noise / np.maximum(own, 1e-12))
    return np.asarray(covariance * scale[:, None] * scale[None, :], np.float64)
