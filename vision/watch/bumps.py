"""Cards show elsewhere all over the picture -> the camera found again, or why it is not."""

from dataclasses import replace

import numpy as np

from vision.errors import TableNotFoundError
from vision.geometry import rotation
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.cards.view_fusion import align_poses
from vision.seeing.reading import read_layout
from vision.values.arrays import FloatArray
from vision.values.layout import poses_of
from vision.watch.cards import Bumped, Kit, Sighting, Unclear, solution_of
from vision.watch.explain import shifted, shows, turned_alike
from vision.watch.glance import SIDE_SHARE, SIDES_WANTED, match_at
from vision.watch.ground import Ground, corners_in_picture, measure_poses, settle_ground
from vision.watch.motion import absorb
from vision.watch.state import Confused, Following, focal_35mm

__all__ = ["AGREE_SHARE", "look_for_bump"]

_UNCLEAR_S = 5.0  # the cards are all over and not found again: told after that long
_UNCLEAR_RETRY_S = 1.0  # between two looks for them, each as long as a whole scan
_BUMP_MM = 0.4  # all cards off by more, alike: the camera was moved
_BUMP_PX = 0.3  # less is no bump, but noise and a change of light
_IN_PLACE_SHARE = 0.25  # of the cards that lie where they lay: then it was no bump
_BUMP_FIT = 0.5  # what a common motion must leave less than of that
_AGREE_MM = 1.5  # of a card after the camera was found again
AGREE_SHARE = 0.6  # of the known cards that must agree then


def look_for_bump(
    state: Following, view: View, time_s: float, kit: Kit
) -> tuple[Following, tuple[Sighting, ...]] | None:
    """Find the camera again if most cards show elsewhere; None if they lie where they lay."""
    if state.ground is None:
        return None
    old = state.poses
    measured = measure_poses(view.gray(), state.ground, old, kit.detector)
    matches = match_at(view, state.ground, measured.poses, kit.detector)
    there = np.array([shows(c, m) for c, m in zip(state.cards, matches, strict=True)])
    there &= (measured.sides > SIDE_SHARE).sum(axis=(1, 2)) >= SIDES_WANTED
    off = np.linalg.norm(measured.poses[:, :2] - old[:, :2], axis=1)
    if (there & (off < _BUMP_MM)).sum() >= max(1.0, _IN_PLACE_SHARE * len(old)):
        return None  # a camera that was bumped shows every card elsewhere
    if there.sum() >= max(3.0, AGREE_SHARE * len(old)):
        _, rest = align_poses(old[there], measured.poses[there])
        if np.median(rest) < _BUMP_FIT * np.median(off[there]):
            names = [
                card.name for card, is_there in zip(state.cards, there, strict=True) if is_there
            ]
            found = dict(zip(names, measured.poses[there], strict=True))
            return _registered(state, view, state.ground, found, time_s, kit)
    if state.unclear is not None and time_s - state.unclear.tried_s < _UNCLEAR_RETRY_S:
        return state, ()
    try:
        seen = read_layout(Photo(view[0], focal_35mm(state)), kit.detector)
    except TableNotFoundError:
        return _unclear(state, 0, time_s)
    ground = Ground(solution_of(seen.camera), state.priors, 0, seen.residual_px)
    names = [card.piece for card in seen.placed]
    found = dict(zip(names, poses_of(seen.placed), strict=True))
    return _registered(state, view, ground, found, time_s, kit)


def _unclear(state: Following, found: int, time_s: float) -> tuple[Following, tuple[Sighting, ...]]:
    """Wait for a picture that can be read, and say so when that takes long: arms may lie there."""
    was = state.unclear or Confused(time_s, time_s, False)
    tell = not was.is_told and time_s - was.since_s >= _UNCLEAR_S
    told: tuple[Sighting, ...] = (Unclear(found, len(state.cards)),) if tell else ()
    unclear = Confused(was.since_s, time_s, was.is_told or tell)
    return replace(state, unclear=unclear), told


def _registered(
    state: Following,
    view: View,
    ground: Ground,
    found: dict[str, FloatArray],
    time_s: float,
    kit: Kit,
) -> tuple[Following, tuple[Sighting, ...]] | None:
    """Carry the cards over to where the camera sees them now, if they agree on how."""
    assert state.ground is not None
    both = [k for k, card in enumerate(state.cards) if card.name in found]
    if len(both) < max(1, AGREE_SHARE * len(state.cards)):
        return _unclear(state, len(both), time_s)
    old = state.poses
    new = np.array([found[state.cards[k].name] for k in both])
    motion, rest = align_poses(old[both], new)
    agree = rest < _AGREE_MM
    if agree.sum() < max(1, AGREE_SHARE * len(both)):
        return _unclear(state, int(agree.sum()), time_s)

    before = corners_in_picture(state.ground, old[both], kit.size_mm).mean(axis=1)
    carried = _carried(old, motion)
    laid = _carried(np.array([card.laid_pose for card in state.cards]), motion)
    poses = carried.copy()
    for row, k in enumerate(both):
        poses[k] = turned_alike(new[row], carried[k])
    ground, poses = settle_ground(view, replace(ground, cards=len(poses)), poses, kit.detector)
    drift, _ = align_poses(carried[both][agree], poses[both][agree])
    laid = _carried(laid, drift)
    marked = np.array([mark.card.pose for mark in state.marks]).reshape(-1, 3)
    marked = _carried(_carried(marked, motion), drift)
    after = corners_in_picture(ground, poses[both], kit.size_mm).mean(axis=1)
    shift = float(np.median(np.linalg.norm(after - before, axis=1)))
    if shift < _BUMP_PX:
        return None  # what changed was not the camera
    sightings: list[Sighting] = [Bumped(shift, int(agree.sum()), len(state.cards))]
    cards = []
    for card, pose, was in zip(state.cards, poses, laid, strict=True):
        there = replace(card, pose=was, laid_pose=was)
        cards.append(
            shifted(there, pose, sightings) if card.name in found else replace(there, pose=pose)
        )
    moved = replace(
        state,
        ground=ground,
        cards=tuple(cards),
        marks=tuple(
            replace(mark, card=replace(mark.card, pose=pose, laid_pose=pose))
            for mark, pose in zip(state.marks, marked, strict=True)
        ),
        motion=absorb(state.motion),
        waiting=(),
        unclear=None,
    )
    return moved, tuple(sightings)


def _carried(poses: FloatArray, motion: FloatArray) -> FloatArray:
    """Apply a rigid motion (turn, x, y) to poses (N, 3)."""
    turn, shift = float(motion[0]), motion[1:]
    return np.column_stack([poses[:, :2] @ rotation(turn).T + shift, poses[:, 2] + turn])
