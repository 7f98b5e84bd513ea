"""Picture after picture -> which cards have come to lie, were moved, are gone.

``follow`` is a step: the state before and a picture in, the state after and what was seen out. It
has no clock and reads nothing but its arguments. Where nothing changes it does next to nothing;
where something has come to rest it looks, and believes only what cards explain: a hand that rests
is no card, so it is waited for.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from vision.errors import ScanError
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.estimation.adjustment import Priors
from vision.seeing.reading import read_layout
from vision.values.arrays import ImageBGR, ImageGray
from vision.values.layout import poses_of
from vision.watch.bumps import AGREE_SHARE, look_for_bump
from vision.watch.cards import (
    Kit,
    Known,
    Laid,
    Removed,
    Sighting,
    face_of,
    solution_of,
)
from vision.watch.explain import Told, explain
from vision.watch.glance import glance, match_at
from vision.watch.ground import Ground, settle_ground
from vision.watch.motion import (
    STILL_S,
    Change,
    Motion,
    absorb,
    begin_motion,
    find_changes,
    observe,
    reduce_picture,
    reduction,
)
from vision.watch.state import Following, Waiting, card_masks, focal_35mm, touched

__all__ = ["begin", "follow"]

_OTHER_SHARE = 0.3  # of a card's area that may change without a card: a hand is more
_RETRY_S = 0.4  # between two looks at the same thing at rest
_UNSURE_S = 1.0  # an unreadable card is told after that long
_GIVE_UP_S = 4.0  # a thing at rest that is no card belongs to the table then
_ARM_GIVE_UP_S = 20.0  # ... that reaches the rim of the picture: an arm may rest


def begin(image: ImageBGR, time_s: float, priors: Priors, kit: Kit) -> Following:
    """Start to follow from a picture."""
    small = reduce_picture(image)
    size_wh = (image.shape[1], image.shape[0])
    return Following(priors, size_wh, begin_motion(small, time_s), time_s)


def follow(
    state: Following,
    image: ImageBGR,
    time_s: float,
    kit: Kit,
    small: ImageGray | None = None,
) -> tuple[Following, tuple[Sighting, ...]]:
    """Take in the next picture.

    Parameters
    ----------
    state : Following
        After the picture before; of the same size.
    image : (H, W, 3) uint8
        The picture.
    time_s : float
        When it was taken, not before the last.
    small : (h, w) uint8, optional
        The picture as ``reduce_picture`` gives it, if that is at hand.

    Returns
    -------
    state : Following
        After it.
    sightings : tuple
        What was seen to have happened, in order.
    """
    small = reduce_picture(image) if small is None else small
    motion = observe(state.motion, small, time_s)
    state = replace(state, motion=motion)
    if state.looked_s is None:
        if time_s - state.started_s < STILL_S:
            return state, ()
        return _first_look(state, View(image), time_s, kit)
    changes = find_changes(motion)
    view = View(image)
    if not changes:
        state = replace(state, waiting=(), is_settled=True, unclear=None)
        return (_refined(state, view, kit), ()) if state.is_stale else (state, ())
    state = replace(state, is_settled=False, waiting=_still_waiting(state.waiting, changes))
    due = [change for change in changes if change.is_quiet and _is_due(state, change, time_s)]
    if not due:
        if state.is_stale and not touched(state, changes, kit):
            state = _refined(state, view, kit)
        return state, ()
    if len(touched(state, due, kit)) >= max(2, AGREE_SHARE * len(state.cards)):
        found = look_for_bump(state, view, time_s, kit)
        if found is not None:
            return found
    sightings: list[Sighting] = []
    for change in due:
        state, seen = _look(state, change, view, time_s, kit)
        sightings += seen
    return state, tuple(sightings)


# --- when to look ----------------------------------------------------------------------------


def _still_waiting(waiting: tuple[Waiting, ...], changes: Sequence[Change]) -> tuple[Waiting, ...]:
    """Forget what is no longer there or moves again."""
    quiet = [change.box for change in changes if change.is_quiet]
    return tuple(w for w in waiting if any(_boxes_alike(w.box, box) for box in quiet))


def _boxes_alike(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    """Tell whether two boxes are about the same."""
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    common = max(0, w) * max(0, h)
    return common > 0.6 * max(a[2] * a[3], b[2] * b[3])


def _waits(state: Following, change: Change) -> Waiting | None:
    return next((w for w in state.waiting if _boxes_alike(w.box, change.box)), None)


def _is_due(state: Following, change: Change, time_s: float) -> bool:
    waits = _waits(state, change)
    return waits is None or time_s - waits.tried_s >= _RETRY_S


# --- looking ---------------------------------------------------------------------------------


def _first_look(
    state: Following, view: View, time_s: float, kit: Kit
) -> tuple[Following, tuple[Sighting, ...]]:
    """Read what lies on the table at the start; what still moves is left for later."""
    looked = replace(state, looked_s=time_s)
    try:
        seen = read_layout(Photo(view[0], focal_35mm(state)), kit.detector)
    except ScanError:
        return replace(looked, motion=_resting(looked.motion)), ()
    ground = Ground(
        solution_of(seen.camera),
        state.priors,
        len(seen.placed),
        seen.residual_px,
    )
    poses = poses_of(seen.placed)
    with suppress(ScanError):  # without the forms of cards, as they will be measured from now on
        ground, poses = settle_ground(view, ground, poses, kit.detector)
    looked = replace(looked, ground=ground)
    still = time_s - looked.motion.since_s >= STILL_S
    lying = [
        i
        for i, mask in enumerate(card_masks(looked, poses, kit))
        if mask.any() and still[mask].mean() > 0.95
    ]
    if not lying:
        looked = replace(looked, ground=None)
        return replace(looked, motion=_resting(looked.motion)), ()
    matches = match_at(view, ground, poses, kit.detector)
    cards = tuple(
        Known(
            seen.placed[i].piece,
            face_of(seen.placed[i].piece, kit),
            poses[i],
            poses[i],
            matches[i],
            time_s,
            was_there=True,
        )
        for i in lying
    )
    motion = _resting(looked.motion)
    return replace(looked, cards=cards, motion=motion), tuple(Laid(card) for card in cards)


def _resting(motion: Motion) -> Motion:
    """Take for the backdrop what has been at rest; of the rest nothing is known."""
    return absorb(motion, motion.time_s - motion.since_s >= STILL_S)


def _look(
    state: Following, change: Change, view: View, time_s: float, kit: Kit
) -> tuple[Following, list[Sighting]]:
    """Look at a change that has come to rest, and take it in if cards explain it."""
    waits = _waits(state, change) or Waiting(change.box, time_s, time_s)
    waited = time_s - waits.since_s
    patience = _ARM_GIVE_UP_S if change.touches_rim else _GIVE_UP_S
    factor = reduction(state.size_wh)
    box = tuple(int(v) * factor for v in change.box)
    part = (box[0], box[1], box[2], box[3])
    seen = glance(view, part, state.ground, state.priors, kit.detector)
    told = explain(state, change, seen, view, time_s, kit)
    is_explained = told.rest_share < _OTHER_SHARE
    if is_explained and not told.is_unsure:
        return _taken_in(state, told, change, kit), told.sightings
    if is_explained and waited >= _UNSURE_S:
        return _taken_in(state, told, change, kit), told.sightings
    if waited < patience:
        later = replace(waits, box=change.box, tried_s=time_s)
        others = tuple(w for w in state.waiting if not _boxes_alike(w.box, change.box))
        return replace(state, waiting=(*others, later)), []
    # a thing that stays: what lies beside it counts, what it hides has not gone
    clear = told.without_losses()
    return _taken_in(state, clear, change, kit), clear.sightings


def _taken_in(state: Following, told: Told, change: Change, kit: Kit) -> Following:
    """Make what was told the state; the place looks from now on as it does."""
    waiting = tuple(w for w in state.waiting if not _boxes_alike(w.box, change.box))
    is_stale = state.is_stale or any(not isinstance(s, Removed) for s in told.sightings)
    return replace(
        state,
        ground=told.ground,
        cards=told.cards,
        marks=told.marks,
        motion=absorb(state.motion, change.mask),
        waiting=waiting,
        is_stale=is_stale,
    )


def _refined(state: Following, view: View, kit: Kit) -> Following:
    """Solve camera, plane and all cards anew, now that there is one more."""
    state = replace(state, is_stale=False)
    if state.ground is None or not state.cards:
        return state
    poses = state.poses
    try:
        ground, better = settle_ground(view, state.ground, poses, kit.detector)
    except ScanError:
        return state
    cards = tuple(
        replace(card, pose=new, laid_pose=card.laid_pose + (new - card.pose))
        for card, new in zip(state.cards, better, strict=True)
    )
    return replace(state, ground=ground, cards=cards)
