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
from vision.imaging.film_faults import FilmState
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.judging.game import Game
from vision.judging.play import play, replay
from vision.seeing.cards.view_fusion import fuse_pictures
from vision.seeing.detector import detector_for
from vision.seeing.estimation.overlaps import card_outlines, max_overlap
from vision.seeing.estimation.plane import Plane, transfer_poses
from vision.seeing.reading import estimate_layout, find_hypotheses, find_mirrored_table
from vision.seeing.residual import report_unexplained
from vision.seeing.values import Hypotheses
from vision.texts import issues_of, make_issue
from vision.values.arrays import ImageBGR
from vision.values.layout import Layout, identity_of
from vision.values.scan import Scan
from vision.watch.battle import Joined, SharedReading, join_layouts
from vision.watch.by_hand_table import changes_by_hand, layout_by_hand, named_by_hand
from vision.watch.cards import Kit
from vision.watch.state import Following, focal_35mm

__all__ = [
    "Verdict",
    "as_corrected",
    "correct_verdict",
    "doubt_film",
    "give_verdict",
    "join_verdicts",
]

Json = dict[str, Any]
_SAME_PLACE = 0.5  # of a card that another covers: the same card, seen twice


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """A round settled: the scan, the fused picture it can be drawn over, and what it is made of.

    ``stray`` names the cards that only one of watch and last pictures shows. ``scan`` is what
    counts: ``read``, what the pictures show, with the ``changes`` that fingers made to its table.
    """

    scan: Scan
    image: ImageBGR
    pictures: int
    stray: tuple[str, ...]
    read: Scan
    changes: tuple[Json, ...] = ()


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
        If no card can be read, or the pictures are mirrored.
    """
    start = time.perf_counter()
    image = fuse_pictures(pictures)
    photo = Photo(image, focal_35mm(state))
    view = View(image)
    kit = replace(kit, detector=detector_for(view, kit.detector))
    try:
        found = _where(state, view, kit)
        layout = estimate_layout([View(picture) for picture in pictures], found, kit.detector)
        layout = report_unexplained(view, layout, kit.detector.faces)
    except TableNotFoundError as error:
        raise find_mirrored_table(photo, kit.detector, ()) or error from error
    scores = [placed.score for placed in layout.placed]
    mirrored = find_mirrored_table(photo, kit.detector, scores)
    if mirrored is not None:
        raise mirrored
    changes = changes_by_hand(state, state.by_hand, layout, kit.size_mm)
    names = set(named_by_hand(layout, changes))
    told = {card.name for card in state.lying if card.face >= 0}
    stray = tuple(sorted((told ^ names) - {n for n in names if identity_of(n) is None}))
    if stray:
        differs = issues_of(game.texts)("table_differs", "watch.table_differs", stray, cards=stray)
        layout = replace(layout, doubts=(differs, *layout.doubts))
    timings = {"fuse": (time.perf_counter() - start) * 1000}
    scan = play([layout], game, options, timings)
    return _with_changes(Verdict(scan, image, len(pictures), stray, scan), changes, game)


def correct_verdict(
    verdict: Verdict, before: Following, after: Following, kit: Kit, game: Game
) -> Verdict:
    """Return a verdict with the correction that made what the watch knows of what it knew."""
    known = {id(card) for card in before.lying}
    said = [card for card in after.lying if id(card) not in known]
    there = {id(mark) for mark in before.marks}
    new = replace(after, marks=tuple(mark for mark in after.marks if id(mark) not in there))
    left = {id(card.pose) for card in after.lying}
    gone = [card for card in before.lying if id(card.pose) not in left]
    layout = verdict.read.layout
    changes = changes_by_hand(new, said, layout, kit.size_mm, verdict.changes, gone)
    return _with_changes(verdict, (*verdict.changes, *changes), game)


def _with_changes(verdict: Verdict, changes: tuple[Json, ...], game: Game) -> Verdict:
    """Play what was read with the changes by hand, and say that there are some."""
    if not changes:
        return verdict
    read = verdict.read
    layout = read.layout
    named = (change.get("identity") or change.get("id") or change["card"] for change in changes)
    said = tuple(dict.fromkeys(str(name) for name in named))
    note = issues_of(game.texts)(_BY_HAND, "watch.by_hand.note", (), "note", cards=said)
    doubts = tuple(doubt for doubt in layout.doubts if doubt.code != _BY_HAND)
    read = replace(read, layouts=(replace(layout, doubts=(*doubts, note)),))
    table = read.table
    for change in changes:
        table = game.edit(table, change)
    seen = replace(read, layouts=(_without_answered(read.layout, changes),))
    return replace(verdict, scan=replay(seen, game, table), read=read, changes=changes)


def _without_answered(layout: Layout, changes: tuple[Json, ...]) -> Layout:
    """Return a layout without the doubts that changes answer."""
    answered = {str(change[key]) for change in changes for key in _NAMING if key in change}
    open_ = tuple(doubt for doubt in layout.doubts if not answered & set(doubt.cards))
    return replace(layout, doubts=open_)


def as_corrected(verdict: Verdict, size_mm: tuple[float, float]) -> Layout:
    """Return what the pictures of a verdict show, as fingers corrected it."""
    layout = _without_answered(verdict.read.layout, verdict.changes)
    return layout_by_hand(layout, verdict.changes, size_mm)


def join_verdicts(
    verdict: Verdict,
    other: SharedReading,
    joined: Joined,
    kit: Kit,
    game: Game,
    *,
    options: Any = None,
) -> Verdict | None:
    """Return the verdict of two tables that share a piece; None if one of them does not show it."""
    layout = join_layouts(as_corrected(verdict, kit.size_mm), other, joined, kit.size_mm)
    if layout is None:
        return None
    scan = play([layout], game, options, verdict.read.timings_ms)
    return replace(verdict, scan=scan, read=scan, changes=())


_BY_HAND = "corrected_by_hand"  # the code of the note that says so
_NAMING = ("card", "id", "identity")  # of a change: whose doubts it answers


def doubt_film(verdict: Verdict, state: FilmState, game: Game, options: Any) -> Verdict:
    """Return the verdict of a film of which any picture may be wrong."""
    first, *others = verdict.read.layouts
    issue = make_issue(f"film_{state}", f"issue.film_{state}")
    layouts = [replace(first, doubts=(issue, *first.doubts)), *others]
    read = play(layouts, game, options, verdict.read.timings_ms)
    return _with_changes(replace(verdict, scan=read, read=read), verdict.changes, game)


def _where(state: Following, view: View, kit: Kit) -> Hypotheses:
    """Return where cards are looked for: where the watch knows them, and those it has missed.

    Raises
    ------
    TableNotFoundError
        If there are none.
    """
    poses = state.poses
    ground = state.ground
    seen: Hypotheses | None = None
    try:
        seen, _ = find_hypotheses(view, kit.detector, state.priors)
    except ScanError as error:
        if ground is None or not len(poses):
            msg = (
                "found no card of this deck in the last pictures; needed at least one whole card "
                "in clear view: check that the camera points at the table"
            )
            raise TableNotFoundError(msg) from error
    known = Hypotheses(
        poses,
        np.array([card.match.score for card in state.cards]),
        before=tuple(card.match for card in state.cards),
    )
    if ground is not None:
        plane = Plane(ground.solution, (), state.priors)
        known = replace(known, plane=plane)
    if seen is None or seen.plane is None:
        return known
    if known.plane is None:
        return seen
    planes = seen.plane.solution, known.plane.solution
    laid, misfit_mm = transfer_poses(seen.poses, *planes, kit.size_mm)
    mine = card_outlines(poses, kit.size_mm)
    missed = [
        i
        for i, outline in enumerate(card_outlines(laid, kit.size_mm))
        if np.isfinite(misfit_mm[i]) and max_overlap(outline, mine) < _SAME_PLACE
    ]
    return replace(
        known,
        poses=np.concatenate([poses, laid[missed]]),
        scores=np.concatenate([known.scores, seen.scores[missed]]),
        n_outlines=seen.n_outlines,
    )
