"""Adds cards of fans, of which only strips are visible, to a layout.

Only for decks with a printed frame and a face without a fixed number of copies. Half-covered cards
of any deck are found before, in ``explain``; of those, one is kept if a strip is read there too.
"""

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np

from vision.geometry import photo_from_table
from vision.imaging.view import View
from vision.seeing.cards.report import RUNNERS_UP
from vision.seeing.estimation.covariance import block_diagonal
from vision.seeing.estimation.model import solution_of
from vision.seeing.estimation.overlaps import card_outlines, max_overlaps
from vision.seeing.fanned_cards.strip_search import (
    POSE_BAND_MM,
    OccludedCard,
    StripScene,
    border_samples,
    find_fanned_cards,
    footprint_mask,
    place_samples,
)
from vision.seeing.pieces.rectify import Rectified, bounding_box, rectify
from vision.seeing.recognition.framed_faces import index_faces
from vision.seeing.values import WELL_READ_SCORE
from vision.texts import make_issue, where_px
from vision.values.arrays import BoolArray, FloatArray, Points
from vision.values.layout import Layout, Other, Placed, poses_of
from vision.values.messages import Issue
from vision.values.pieces import ANY_NUMBER, Faces

__all__ = ["add_fanned_cards", "is_border_missing", "may_form_fans"]


# What is kept of what was found before, and what is told.
_PX_PER_MM = 1.7  # of the flat picture: a border is six pixels wide
_MARGINS_MM: tuple[float, ...] = (130.0, 300.0, 600.0)  # round the cards: one may stick out from
# under another by its length; further where a fan goes on, to the length of half a deck's
_ROOM_MM = 90.0  # beyond the last card, or it may go on: a card's length
_OPEN_SHARE = 0.85  # of a face that shows: less, and beside another, it lies beneath it
_HIDDEN_SHARE = 0.7  # less than this, and it was supposed, whatever lies there: strips of
# a fan together have a card's outline, too, of which 0.62 was read
_BESIDE_SHARE = 0.02  # of a card that another covers: an edge's own error
_SAME_MM = 6.0  # between two places of one card: half a fan's least step
_SAME_RAD = 0.2  # and angles
_EXPLAINED_MM2 = 250.0  # of a supposed card that no other explains: less is none
_SD_MM = 0.6  # of a strip's place: half a pixel of the flat picture, and the nudges
_SD_RAD = 0.012  # and of its turn: that over half a long side


def may_form_fans(faces: Faces) -> bool:
    """Return whether a deck has a white border and faces without a fixed number of copies."""
    return bool(faces.frames) and bool((faces.copies >= ANY_NUMBER).any())


def add_fanned_cards(view: View, layout: Layout, faces: Faces) -> Layout:
    """Add the cards of which strips are visible beneath others to a layout.

    Parameters
    ----------
    view : View
        The photo that was read.
    layout : Layout
        Its cards.
    faces : Faces
        What they look like.
    """
    if not may_form_fans(faces) or not layout.placed:
        return layout
    poses = poses_of(layout.placed)
    beneath = _may_be_occluded(layout.placed, poses, faces)
    face_of = faces.face_of
    tops = [
        (pose, face_of.get(one.piece, -1))
        for one, pose, under in zip(layout.placed, poses, beneath, strict=True)
        if not under
    ]
    rectified, found, left = _search_around(view, layout, faces, tops)
    kept, lone, fresh = _reconcile(layout.placed, beneath, found, rectified, faces)
    kept = _drop_borderless(layout.placed, kept, fresh, rectified, faces)
    several = [_report_several(layout.placed[k]) for k in lone if layout.placed[k].score > 0]
    layout = _merge_cards(layout, kept, fresh, faces)
    borders_px = photo_from_table(layout.camera, np.array(left).reshape(-1, 2))
    hidden = [make_issue("card_hidden", "issue.card_hidden", **where_px(*at)) for at in borders_px]
    return replace(layout, doubts=(*layout.doubts, *several, *hidden))


def _search_around(
    view: View, layout: Layout, faces: Faces, tops: Sequence[tuple[FloatArray, int]]
) -> tuple[Rectified, list[OccludedCard], list[Points]]:
    """Search for cards beneath those on top, within growing margins while fans continue."""
    outlines = card_outlines(poses_of(layout.placed), faces.size_mm).reshape(-1, 2)
    for margin in _MARGINS_MM:
        box = bounding_box(outlines, margin)
        rectified = rectify(view, solution_of(layout.camera), box, _PX_PER_MM)
        found, left = find_fanned_cards(rectified, index_faces(faces), tops)
        corners = [card_outlines(one.pose[None], faces.size_mm)[0] for one in found]
        ends = np.concatenate([outlines, *corners])
        room = np.concatenate([ends.min(axis=0) - box[:2], box[2:] - ends.max(axis=0)])
        if room.min() > _ROOM_MM:
            break
    return rectified, found, left


def _may_be_occluded(placed: Sequence[Placed], poses: FloatArray, faces: Faces) -> list[bool]:
    """Return which cards may lie beneath others: hardly visible or overlapped ones."""
    shares = max_overlaps(card_outlines(poses, faces.size_mm))
    beneath = []
    for one, overlaps in zip(placed, (shares > _BESIDE_SHARE).tolist(), strict=True):
        is_read = one.score > WELL_READ_SCORE and one.visible >= _OPEN_SHARE
        is_proposed = one.score == 0 or one.visible < _HIDDEN_SHARE
        beneath.append(not is_read and (overlaps or is_proposed))
    return beneath


def _is_same(one: FloatArray, other: FloatArray) -> bool:
    """Return whether two poses are of one card, modulo half a turn."""
    away = float(np.hypot(*(one[:2] - other[:2])))
    return away < _SAME_MM and abs(float(np.sin(one[2] - other[2]))) < _SAME_RAD


def _reconcile(
    placed: Sequence[Placed],
    beneath: Sequence[bool],
    found: Sequence[OccludedCard],
    rectified: Rectified,
    faces: Faces,
) -> tuple[list[int], list[int], list[OccludedCard]]:
    """Return which placed cards stay, which of them stay alone, and which strips are new cards.

    A measured card that is read as well as a strip of it keeps its pose. A proposal that
    contradicts the strips is dropped unless it explains what no strip does: then it stays alone,
    without a strip of its face.
    """
    poses = poses_of(placed)
    fresh = list(found)
    kept, lone = [], []
    explained = [p for p, under in zip(poses, beneath, strict=True) if not under]
    explained += [one.pose for one in found]
    taken = footprint_mask(rectified, explained, faces.size_mm)
    for k, one in enumerate(placed):
        if not beneath[k]:
            kept.append(k)
            continue
        same = [b for b in fresh if _is_same(b.pose, poses[k])]
        is_like = bool(same) and faces.names[same[0].face][-1] == one.piece
        if is_like and one.confidence >= same[0].posterior[same[0].face]:
            fresh.remove(same[0])
            kept.append(k)
            continue
        own = footprint_mask(rectified, [poses[k]], faces.size_mm)
        alone = np.count_nonzero((own > 0) & (taken == 0)) / rectified.px_per_mm**2
        if not same and alone > _EXPLAINED_MM2:
            kept.append(k)
            lone.append(k)
            taken |= own
    return kept, lone, fresh


def _report_several(placed: Placed) -> Issue:
    """Report that a hardly visible card may be strips of several."""
    low, high = placed.outline_px.min(axis=0), placed.outline_px.max(axis=0)
    wide, tall = high - low
    box = {"wide": f"{wide:.0f}", "high": f"{tall:.0f}"}
    gaps = {"card": placed.piece, **_where(placed), **box}
    return make_issue("card_in_parts", "issue.card_in_parts", (placed.piece,), **gaps)


def _drop_borderless(
    placed: Sequence[Placed],
    kept: Sequence[int],
    fresh: Sequence[OccludedCard],
    rectified: Rectified,
    faces: Faces,
) -> list[int]:
    """Return which cards stay: unread ones at bare places are dropped."""
    poses = poses_of(placed)
    if all(placed[k].score > 0 for k in kept):
        return list(kept)
    known = [one.pose for one in fresh] + [poses[k] for k in kept if placed[k].score > 0]
    index = index_faces(faces)
    scene = StripScene(rectified, index, footprint_mask(rectified, known, index.size_mm))
    return [k for k in kept if placed[k].score > 0 or not is_border_missing(scene, poses[k])]


def _merge_cards(
    layout: Layout, kept: Sequence[int], fresh: Sequence[OccludedCard], faces: Faces
) -> Layout:
    """Merge the kept and the new cards, with their doubts."""
    old = [layout.placed[k] for k in kept]
    first = 1 + max((int(p.spot) for p in layout.placed if p.spot.isdigit()), default=0)
    new = [_placed(one, str(first + k), layout, faces) for k, one in enumerate(fresh)]
    gone = [_where(p) for k, p in enumerate(layout.placed) if k not in set(kept)]
    doubts = [d for d in layout.doubts if not _is_about(d, gone) and not _is_found(d, new)]
    doubts += [doubt for placed, one in new for doubt in _doubts(placed, one)]
    rows = (3 * np.array(kept, np.int64)[:, None] + np.arange(3)).ravel()
    own = layout.joint_covariance[np.ix_(rows, rows)]
    joint = block_diagonal(own, *(placed.covariance for placed, _ in new))
    return replace(
        layout,
        placed=(*old, *(placed for placed, _ in new)),
        joint_covariance=joint,
        doubts=tuple(doubts),
    )


def _placed(
    one: OccludedCard, spot: str, layout: Layout, faces: Faces
) -> tuple[Placed, OccludedCard]:
    """Return a strip's card as a placed piece with its alternatives."""
    (outline,) = card_outlines(one.pose[None], faces.size_mm)
    best = one.scores.max(axis=1)
    weights = one.posterior
    is_doubtful = not one.is_sure()
    order = [int(k) for k in np.argsort(-best, kind="stable") if k != one.face][:RUNNERS_UP]
    others = tuple(
        Other(faces.names[k][-1], float(best[k]), float(weights[k]) if is_doubtful else None)
        for k in order
    )
    theta = float((one.pose[2] + np.pi) % (2 * np.pi) - np.pi)
    placed = Placed(
        spot,
        faces.names[one.face][-1],
        float(one.pose[0]),
        float(one.pose[1]),
        theta,
        np.diag([_SD_MM**2, _SD_MM**2, _SD_RAD**2]),
        photo_from_table(layout.camera, outline),
        score=float(best[one.face]),
        confidence=float(weights[one.face]),
        others=others,
        visible=one.visible,
    )
    return placed, one


def _where(placed: Placed) -> dict[str, str]:
    return where_px(*placed.outline_px.mean(axis=0))


def _is_about(doubt: Issue, places: Sequence[dict[str, str]]) -> bool:
    """Return whether a doubt refers to a card at one of some places."""
    said = dict(doubt.said.values) if doubt.said else {}
    return any(said.get("x") == at["x"] and said.get("y") == at["y"] for at in places)


def _is_found(doubt: Issue, new: Sequence[tuple[Placed, OccludedCard]]) -> bool:
    """Return whether a doubt reports something hidden where a card was found."""
    if doubt.code not in ("card_hidden", "table_covered") or doubt.said is None:
        return False
    said = dict(doubt.said.values)
    at = (float(str(said["x"])), float(str(said["y"])))
    return any(
        cv2.pointPolygonTest(placed.outline_px.astype(np.float32), at, measureDist=False) >= 0
        for placed, _ in new
    )


def _doubts(placed: Placed, one: OccludedCard) -> list[Issue]:
    """Report what is uncertain about a card that is visible as a strip."""
    where, name = _where(placed), placed.piece
    told = [
        make_issue(
            "card_covered", "issue.card_covered", (name,), "note",
            visible=placed.visible, card=name, **where,
        )
    ]  # fmt: skip
    if not one.is_sure() and placed.others:
        second = placed.others[0]
        gaps = {"card": name, "second": second.piece, **where}
        scores = {"score": placed.score, "second_score": second.score}
        told.append(make_issue("doubtful_card", "issue.doubtful_card", (name,), **gaps, **scores))
    return told


# What shows that a card lies somewhere.
_BORDER_LIGHTER = 1.25  # a border over the frame beside it: on cards 1.6 and more, in shade too
_BORDER_LEAST = 4  # places of the rim that show: of fewer nothing is said
_BORDER_SHARE = 0.15  # of them that look like a rim: of cards above 0.7, of a bare table none


def is_border_missing(scene: StripScene, pose: FloatArray) -> bool:
    """Return whether a proposed card (3,) has no visible border beside what is explained."""
    laid = [
        place_samples(places, pose[None])[0]
        for places in border_samples(scene.index.size_mm, scene.frame_mm, POSE_BAND_MM)
    ]
    (outer, outer_shows), (inner, inner_shows) = (_levels(scene, places) for places in laid)
    visible_mask = outer_shows & inner_shows
    if np.count_nonzero(visible_mask) < _BORDER_LEAST:
        return False
    return (
        float((outer[visible_mask] > _BORDER_LIGHTER * inner[visible_mask]).mean()) < _BORDER_SHARE
    )


def _levels(scene: StripScene, places_mm: Points) -> tuple[FloatArray, BoolArray]:
    """Return the lightness of places (P, 2), and which are visible and unexplained."""
    y, x, open_ = scene.at(places_mm)
    return np.asarray(scene.level[y, x], np.float64), open_
