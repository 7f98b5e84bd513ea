"""Picture after picture -> which cards have come to lie, were moved, are gone.

``follow`` is a step: the state before and a picture in, the state after and what was seen out. It
has no clock and reads nothing but its arguments. Where nothing changes it does next to nothing;
where something has come to rest it looks, and believes only what cards explain: a hand that rests
is no card, so it is waited for.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import cv2
import numpy as np

from vision.errors import ScanError, TableNotFoundError
from vision.geometry import rotation, wrap_angle
from vision.imaging.photo import Photo
from vision.imaging.view import scaled, to_gray
from vision.seeing.cards.matching import Match
from vision.seeing.cards.overlaps import card_outlines, most_overlap
from vision.seeing.reading import read_cards
from vision.seeing.solve.adjust import Priors
from vision.values.arrays import BoolArray, FloatArray, ImageBGR, ImageGray
from vision.values.layout import Placement
from vision.watch.cards import (
    Bumped,
    FollowSettings,
    Kit,
    Known,
    Laid,
    Moved,
    Removed,
    Sighting,
    Unclear,
    align,
    apart,
    solution_of,
)
from vision.watch.glance import Glance, glance, match_at
from vision.watch.ground import Ground, corners_in_picture, measure_poses, settle_ground
from vision.watch.motion import (
    Change,
    Motion,
    absorb,
    begin_motion,
    find_changes,
    is_uncovered,
    observe,
    reduce_picture,
    reduction,
)

__all__ = ["Following", "begin", "follow"]

_FACE_DOWN = "ship-back"


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A change at rest that is not yet explained: its box, since when, when last looked at."""

    box: tuple[int, int, int, int]
    since_s: float
    tried_s: float


@dataclass(frozen=True, slots=True)
class _Unclear:
    """Cards all over the picture are off and not found again: since when, last try, told."""

    since_s: float
    tried_s: float
    is_told: bool


@dataclass(frozen=True, slots=True, eq=False)
class Following:
    """What is known after a picture.

    ``ground`` is None until a card has been seen. ``is_settled`` says that nothing is off or
    moving in the newest picture; ``looked_s`` when the table was first looked at as a whole
    (None: not yet).
    """

    priors: Priors
    size_wh: tuple[int, int]
    motion: Motion
    started_s: float
    ground: Ground | None = None
    cards: tuple[Known, ...] = ()
    waiting: tuple[_Waiting, ...] = ()
    is_settled: bool = False
    looked_s: float | None = None
    is_stale: bool = False
    unclear: _Unclear | None = None

    @property
    def poses(self) -> FloatArray:
        """Where the cards lie (N, 3)."""
        return np.array([card.pose for card in self.cards]).reshape(-1, 3)


def begin(image: ImageBGR, time_s: float, priors: Priors, kit: Kit) -> Following:
    """Start to follow from a picture."""
    small = reduce_picture(image, kit.settings.motion)
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
    s = kit.settings
    small = reduce_picture(image, s.motion) if small is None else small
    motion = observe(state.motion, small, time_s, s.motion)
    state = replace(state, motion=motion)
    if state.looked_s is None:
        if time_s - state.started_s < s.motion.still_s:
            return state, ()
        return _first_look(state, image, time_s, kit)
    changes = find_changes(motion, s.motion)
    if not changes:
        state = replace(state, waiting=(), is_settled=True, unclear=None)
        return (_refined(state, image, kit), ()) if state.is_stale else (state, ())
    state = replace(state, is_settled=False, waiting=_still_waiting(state.waiting, changes))
    due = [change for change in changes if change.is_quiet and _is_due(state, change, time_s, s)]
    if not due:
        if state.is_stale and not _touched(state, changes, kit):
            state = _refined(state, image, kit)
        return state, ()
    gray = to_gray(image)
    if len(_touched(state, due, kit)) >= max(2, s.agree_share * len(state.cards)):
        found = _look_for_bump(state, image, gray, time_s, kit)
        if found is not None:
            return found
    sightings: list[Sighting] = []
    for change in due:
        state, seen = _look(state, change, image, gray, time_s, kit)
        sightings += seen
    return state, tuple(sightings)


# --- when to look ----------------------------------------------------------------------------


def _still_waiting(
    waiting: tuple[_Waiting, ...], changes: Sequence[Change]
) -> tuple[_Waiting, ...]:
    """Forget what is no longer there or moves again."""
    quiet = [change.box for change in changes if change.is_quiet]
    return tuple(w for w in waiting if any(_boxes_alike(w.box, box) for box in quiet))


def _boxes_alike(a: tuple[int, int, int, int], b: tuple[int, int, int, int]) -> bool:
    """Tell whether two boxes are about the same."""
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    common = max(0, w) * max(0, h)
    return common > 0.6 * max(a[2] * a[3], b[2] * b[3])


def _waits(state: Following, change: Change) -> _Waiting | None:
    return next((w for w in state.waiting if _boxes_alike(w.box, change.box)), None)


def _is_due(state: Following, change: Change, time_s: float, s: FollowSettings) -> bool:
    waits = _waits(state, change)
    return waits is None or time_s - waits.tried_s >= s.retry_s


def _touched(state: Following, changes: Sequence[Change], kit: Kit) -> list[int]:
    """Return which cards lie where something changed."""
    if not state.cards or state.ground is None:
        return []
    total = np.zeros(changes[0].mask.shape, bool)
    for change in changes:
        total |= change.mask
    return [
        i for i, mask in enumerate(_card_masks(state, state.poses, kit)) if (mask & total).any()
    ]


def _card_masks(state: Following, poses: FloatArray, kit: Kit, grow_px: int = 0) -> list[BoolArray]:
    """Return where cards show in the small picture, each (h, w)."""
    shape = state.motion.level.shape
    if state.ground is None or not len(poses):
        return []
    factor = reduction(state.size_wh, kit.settings.motion)
    corners = corners_in_picture(state.ground, poses, kit.size_mm)
    masks = []
    for quad in scaled(corners, 1 / factor):
        mask = np.zeros(shape, np.uint8)
        cv2.fillConvexPoly(mask, np.round(quad * 16).astype(np.int32), 1, shift=4)
        if grow_px:
            mask = np.asarray(cv2.dilate(mask, np.ones((2 * grow_px + 1,) * 2, np.uint8)), np.uint8)
        masks.append(mask.astype(bool))
    return masks


# --- looking ---------------------------------------------------------------------------------


def _first_look(
    state: Following, image: ImageBGR, time_s: float, kit: Kit
) -> tuple[Following, tuple[Sighting, ...]]:
    """Read what lies on the table at the start; what still moves is left for later."""
    looked = replace(state, looked_s=time_s)
    try:
        seen = read_cards(Photo(image, _focal_35mm(state)), kit.bank)
    except ScanError:
        return replace(looked, motion=_resting(looked.motion, kit)), ()
    ground = Ground(
        solution_of(seen.placement.camera),
        state.priors,
        len(seen.placement.cards),
        seen.placement.residual_px,
    )
    poses = _poses_of(seen.placement)
    with suppress(ScanError):  # without the forms of cards, as they will be measured from now on
        ground, poses = settle_ground(to_gray(image), ground, poses, kit.rectangles)
    looked = replace(looked, ground=ground)
    still = time_s - looked.motion.since_s >= kit.settings.motion.still_s
    lying = [
        i
        for i, mask in enumerate(_card_masks(looked, poses, kit))
        if mask.any() and still[mask].mean() > 0.95
    ]
    if not lying:
        looked = replace(looked, ground=None)
        return replace(looked, motion=_resting(looked.motion, kit)), ()
    matches = match_at(image, ground, poses, kit.index)
    cards = tuple(
        Known(
            seen.placement.cards[i].card_id,
            _face_of(seen.placement.cards[i].card_id, kit),
            poses[i],
            poses[i],
            matches[i],
            time_s,
            was_there=True,
        )
        for i in lying
    )
    motion = _resting(looked.motion, kit)
    return replace(looked, cards=cards, motion=motion), tuple(Laid(card) for card in cards)


def _resting(motion: Motion, kit: Kit) -> Motion:
    """Take for the backdrop what has been at rest; of the rest nothing is known."""
    return absorb(motion, motion.time_s - motion.since_s >= kit.settings.motion.still_s)


def _focal_35mm(state: Following) -> float | None:
    """Return the focal length for a scan, if it was calibrated."""
    if state.priors.log_focal_sd > 0.1:
        return None
    return state.priors.focal_px * 43.2666 / float(np.hypot(*state.size_wh))


def _face_of(name: str, kit: Kit) -> int:
    base = _FACE_DOWN if name.startswith(_FACE_DOWN) else name
    return kit.bank.card_ids.index(base) if base in kit.bank.card_ids else -1


def _poses_of(placement: Placement) -> FloatArray:
    return np.array([(c.x_mm, c.y_mm, c.theta_rad) for c in placement.cards]).reshape(-1, 3)


def _look(
    state: Following, change: Change, image: ImageBGR, gray: ImageGray, time_s: float, kit: Kit
) -> tuple[Following, list[Sighting]]:
    """Look at a change that has come to rest, and take it in if cards explain it."""
    s = kit.settings
    waits = _waits(state, change) or _Waiting(change.box, time_s, time_s)
    waited = time_s - waits.since_s
    patience = s.arm_give_up_s if change.touches_rim else s.give_up_s
    factor = reduction(state.size_wh, s.motion)
    box = tuple(int(v) * factor for v in change.box)
    seen = glance(
        image, gray, (box[0], box[1], box[2], box[3]), state.ground, state.priors,
        kit.index, kit.rectangles, s.glance,
    )  # fmt: skip
    told = _explain(state, change, seen, image, gray, time_s, kit)
    is_explained = told.rest_share < s.other_share
    if is_explained and not told.is_unsure:
        return _taken_in(state, told, change, kit), told.sightings
    if is_explained and waited >= s.unsure_s:
        return _taken_in(state, told, change, kit), told.sightings
    if waited < patience:
        later = replace(waits, box=change.box, tried_s=time_s)
        others = tuple(w for w in state.waiting if not _boxes_alike(w.box, change.box))
        return replace(state, waiting=(*others, later)), []
    # a thing that stays: what lies beside it counts, what it hides has not gone
    clear = told.without_losses()
    return _taken_in(state, clear, change, kit), clear.sightings


@dataclass(frozen=True, slots=True, eq=False)
class _Told:
    """What a look at a change gave: the cards after it, and what happened.

    ``rest_share`` is how much of the change no card explains, in cards; ``is_unsure`` that a card
    in it cannot be read well.
    """

    ground: Ground | None
    cards: tuple[Known, ...]
    sightings: list[Sighting]
    rest_share: float
    is_unsure: bool
    lost: tuple[Known, ...] = ()

    def without_losses(self) -> "_Told":
        """Keep the cards that are not seen: something lies on them."""
        sightings: list[Sighting] = [
            seen for seen in self.sightings if not isinstance(seen, Removed)
        ]
        return replace(self, cards=(*self.cards, *self.lost), sightings=sightings, lost=())


def _taken_in(state: Following, told: _Told, change: Change, kit: Kit) -> Following:
    """Make what was told the state; the place looks from now on as it does."""
    waiting = tuple(w for w in state.waiting if not _boxes_alike(w.box, change.box))
    is_stale = state.is_stale or any(not isinstance(s, Removed) for s in told.sightings)
    return replace(
        state,
        ground=told.ground,
        cards=told.cards,
        motion=absorb(state.motion, change.mask),
        waiting=waiting,
        is_stale=is_stale,
    )


def _explain(
    state: Following,
    change: Change,
    seen: Glance | None,
    image: ImageBGR,
    gray: ImageGray,
    time_s: float,
    kit: Kit,
) -> _Told:
    """Say what happened to cards where something changed, and how much of it that explains."""
    s = kit.settings
    ground = state.ground if seen is None else seen.ground
    here = replace(state, ground=ground)
    touched = set(_touched(here, [change], kit))
    cards = dict(enumerate(state.cards))
    sightings: list[Sighting] = []
    is_unsure = False
    explained: list[FloatArray] = []
    fresh: list[tuple[int, FloatArray]] = []  # found in the glance, not a card at its place

    for i, pose in enumerate(seen.measured.poses if seen is not None else ()):
        match = seen.matches[i] if seen is not None else None
        assert match is not None
        at = _card_at(pose, match, list(cards), state.cards, kit)
        if at is None:
            fresh.append((i, pose))
            continue
        if at not in touched:  # beside the change: nothing new
            continue
        touched.discard(at)
        explained += [state.cards[at].pose, pose]
        cards[at] = _shifted(state.cards[at], pose, sightings, s)

    # known cards of which the glance said nothing: asked at their place
    missing = sorted(touched)
    if missing and ground is not None:
        poses = np.array([state.cards[k].pose for k in missing])
        measured = measure_poses(gray, ground, poses, kit.rectangles)
        for k, pose, match in zip(
            missing, measured.poses, match_at(image, ground, measured.poses, kit.index), strict=True
        ):
            card = state.cards[k]
            if _shows(card, match, s):
                touched.discard(k)
                explained += [card.pose, pose]
                if apart(card.pose, pose)[0] < s.same_mm and match.visible > 0.8:
                    cards[k] = _shifted(card, pose, sightings, s)

    lost: list[Known] = []
    masks = _card_masks(here, np.array([state.cards[k].pose for k in sorted(touched)]), kit)
    for k, mask in zip(sorted(touched), masks, strict=True):
        if (change.news & mask).sum() >= s.covered_share * max(1, mask.sum()):
            lost.append(state.cards[k])
            explained.append(state.cards[k].pose)
            del cards[k]

    names = {card.name for card in cards.values()}
    for i, pose in fresh:
        assert seen is not None
        match = seen.matches[i]
        was = next((c for c in lost if c.face == match.best and match.score > s.face_score), None)
        explained.append(pose)
        if was is not None:  # carried to another place
            lost.remove(was)
            distance, turn = apart(was.laid_pose, pose)
            now = replace(was, pose=pose, laid_pose=pose, match=match)
            cards[len(state.cards) + i] = now
            names.add(now.name)
            sightings.append(Moved(now, distance, turn))
            continue
        is_clear = match.score > s.sure_score and match.lead > s.sure_lead
        twin, face, name = None, match.best, kit.bank.card_ids[match.best]
        if not is_clear and (match.score < s.face_score or match.lead < s.sure_lead):
            face, name = -1, "unknown"
        elif name in names and name != _FACE_DOWN:
            twin, face, name = name, -1, "unknown"
        is_unsure |= face < 0 or not is_clear
        name = _free_name(name, names | {c.name for c in lost})
        names.add(name)
        card = Known(name, face, pose, pose, match, time_s)
        cards[len(state.cards) + i] = card
        sightings.append(Laid(card, twin))
    covering = card_outlines(np.array([pose for _, pose in fresh]).reshape(-1, 3), kit.size_mm)
    for card in list(lost):  # under a card that was laid on it
        if most_overlap(card_outlines(card.pose[None], kit.size_mm)[0], covering) > 0.5:
            lost.remove(card)
            cards[-1 - len(cards)] = card
    sightings += [Removed(card) for card in lost]

    rest = change.news.copy()
    for mask in _card_masks(here, np.array(explained).reshape(-1, 3), kit, grow_px=2):
        rest &= ~mask
    share = 0.0
    if not is_uncovered(state.motion, rest):
        share = float(rest.sum()) / _card_area(here, kit)
    kept = tuple(cards.values())
    return _Told(
        ground if kept or state.cards else None, kept, sightings, share, is_unsure, tuple(lost)
    )


def _card_area(state: Following, kit: Kit) -> float:
    """Return how many pixels of the small picture a card takes near a change."""
    masks = _card_masks(state, state.poses[:1], kit)
    return float(masks[0].sum()) if masks and masks[0].any() else 400.0


def _card_at(
    pose: FloatArray, match: Match, among: list[int], cards: tuple[Known, ...], kit: Kit
) -> int | None:
    """Return which of the known cards a found one is: it shows its face, near its place."""
    s = kit.settings
    near = [k for k in among if apart(cards[k].pose, pose)[0] < s.same_mm]
    for k in sorted(near, key=lambda k: apart(cards[k].pose, pose)[0]):
        if _shows(cards[k], match, s):
            return k
    return None


def _shows(card: Known, match: Match, s: FollowSettings) -> bool:
    """Tell whether a comparison is that of a known card."""
    if card.face < 0:
        return True
    own = float(match.scores[card.face].max())
    return own > s.face_score and own > match.score - s.face_slack


def _shifted(card: Known, pose: FloatArray, sightings: list[Sighting], s: FollowSettings) -> Known:
    """Return a card at its new pose; it is told if it is far from where it was laid."""
    pose = _turned_alike(pose, card.pose)
    distance, turn = apart(card.laid_pose, pose)
    if distance < s.moved_mm and turn < s.moved_deg:
        return replace(card, pose=pose)
    moved = replace(card, pose=pose, laid_pose=pose)
    sightings.append(Moved(moved, distance, turn))
    return moved


def _turned_alike(pose: FloatArray, like: FloatArray) -> FloatArray:
    """Return a pose without a half turn against another, if it is nearer so: sides are alike."""
    half = abs(wrap_angle(float(pose[2] - like[2]))) > np.pi / 2
    return pose + np.array([0, 0, np.pi]) if half else pose


def _free_name(name: str, taken: set[str]) -> str:
    """Return a name that no other card has: unreadable and face-down ones are numbered."""
    if name == "unknown":
        return next(f"unknown-{k}" for k in range(1, 1000) if f"unknown-{k}" not in taken)
    if name not in taken:
        return name
    return next(f"{name}-{k}" for k in range(2, 1000) if f"{name}-{k}" not in taken)


# --- the plane and the camera ----------------------------------------------------------------


def _refined(state: Following, image: ImageBGR, kit: Kit) -> Following:
    """Solve camera, plane and all cards anew, now that there is one more."""
    state = replace(state, is_stale=False)
    if state.ground is None or not state.cards:
        return state
    poses = state.poses
    try:
        ground, better = settle_ground(to_gray(image), state.ground, poses, kit.rectangles)
    except ScanError:
        return state
    cards = tuple(
        replace(card, pose=new, laid_pose=card.laid_pose + (new - card.pose))
        for card, new in zip(state.cards, better, strict=True)
    )
    return replace(state, ground=ground, cards=cards)


def _look_for_bump(
    state: Following, image: ImageBGR, gray: ImageGray, time_s: float, kit: Kit
) -> tuple[Following, tuple[Sighting, ...]] | None:
    """Find the camera again if most cards show elsewhere; None if they lie where they lay."""
    s = kit.settings
    if state.ground is None:
        return None
    old = state.poses
    measured = measure_poses(gray, state.ground, old, kit.rectangles)
    matches = match_at(image, state.ground, measured.poses, kit.index)
    shows = np.array([_shows(c, m, s) for c, m in zip(state.cards, matches, strict=True)])
    shows &= (measured.sides > s.glance.side_share).sum(axis=(1, 2)) >= s.glance.sides_wanted
    off = np.linalg.norm(measured.poses[:, :2] - old[:, :2], axis=1)
    if (shows & (off < s.bump_mm)).sum() >= max(1.0, s.in_place_share * len(old)):
        return None  # a camera that was bumped shows every card elsewhere
    if shows.sum() >= max(3.0, s.agree_share * len(old)):
        _, rest = align(old[shows], measured.poses[shows])
        if np.median(rest) < s.bump_fit * np.median(off[shows]):
            names = [card.name for card, there in zip(state.cards, shows, strict=True) if there]
            found = dict(zip(names, measured.poses[shows], strict=True))
            return _registered(state, image, state.ground, found, time_s, kit)
    if state.unclear is not None and time_s - state.unclear.tried_s < s.unclear_retry_s:
        return state, ()
    try:
        seen = read_cards(Photo(image, _focal_35mm(state)), kit.bank)
    except TableNotFoundError:
        return _unclear(state, 0, time_s, s)
    ground = Ground(solution_of(seen.placement.camera), state.priors, 0, seen.placement.residual_px)
    names = [card.card_id for card in seen.placement.cards]
    found = dict(zip(names, _poses_of(seen.placement), strict=True))
    return _registered(state, image, ground, found, time_s, kit)


def _unclear(
    state: Following, found: int, time_s: float, s: FollowSettings
) -> tuple[Following, tuple[Sighting, ...]]:
    """Wait for a picture that can be read, and say so when that takes long: arms may lie there."""
    was = state.unclear or _Unclear(time_s, time_s, False)
    tell = not was.is_told and time_s - was.since_s >= s.unclear_s
    told: tuple[Sighting, ...] = (Unclear(found, len(state.cards)),) if tell else ()
    unclear = _Unclear(was.since_s, time_s, was.is_told or tell)
    return replace(state, unclear=unclear), told


def _registered(
    state: Following,
    image: ImageBGR,
    ground: Ground,
    found: dict[str, FloatArray],
    time_s: float,
    kit: Kit,
) -> tuple[Following, tuple[Sighting, ...]] | None:
    """Carry the cards over to where the camera sees them now, if they agree on how."""
    s = kit.settings
    assert state.ground is not None
    both = [k for k, card in enumerate(state.cards) if card.name in found]
    if len(both) < max(1, s.agree_share * len(state.cards)):
        return _unclear(state, len(both), time_s, s)
    old = state.poses
    new = np.array([found[state.cards[k].name] for k in both])
    motion, rest = align(old[both], new)
    agree = rest < s.agree_mm
    if agree.sum() < max(1, s.agree_share * len(both)):
        return _unclear(state, int(agree.sum()), time_s, s)

    before = corners_in_picture(state.ground, old[both], kit.size_mm).mean(axis=1)
    carried = _carried(old, motion)
    laid = _carried(np.array([card.laid_pose for card in state.cards]), motion)
    poses = carried.copy()
    for row, k in enumerate(both):
        poses[k] = _turned_alike(new[row], carried[k])
    ground, poses = settle_ground(
        to_gray(image), replace(ground, cards=len(poses)), poses, kit.rectangles
    )
    drift, _ = align(carried[both][agree], poses[both][agree])
    laid = _carried(laid, drift)
    after = corners_in_picture(ground, poses[both], kit.size_mm).mean(axis=1)
    shift = float(np.median(np.linalg.norm(after - before, axis=1)))
    if shift < s.bump_px:
        return None  # what changed was not the camera
    sightings: list[Sighting] = [Bumped(shift, int(agree.sum()), len(state.cards))]
    cards = []
    for card, pose, was in zip(state.cards, poses, laid, strict=True):
        there = replace(card, pose=was, laid_pose=was)
        cards.append(
            _shifted(there, pose, sightings, s) if card.name in found else replace(there, pose=pose)
        )
    moved = replace(
        state,
        ground=ground,
        cards=tuple(cards),
        motion=absorb(state.motion),
        waiting=(),
        unclear=None,
    )
    return moved, tuple(sightings)


def _carried(poses: FloatArray, motion: FloatArray) -> FloatArray:
    """Apply a rigid motion (turn, x, y) to poses (N, 3)."""
    turn, shift = float(motion[0]), motion[1:]
    return np.column_stack([poses[:, :2] @ rotation(turn).T + shift, poses[:, 2] + turn])
