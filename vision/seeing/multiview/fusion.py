"""Fusion of several photos of one table, each read by itself, into one layout.

The frames are registered by the cards that several photos name; poses are estimated jointly, and
names follow from all photos. A card that lies elsewhere in one of them, or is missing although
visible, is reported as moved.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from vision.errors import OtherTableError
from vision.geometry import photo_from_table, wrap_angle
from vision.imaging.view import View
from vision.seeing.cards.alternatives import ABSENT, DOUBTFUL_IDS, FOREIGN, RARE
from vision.seeing.estimation.covariance import block_diagonal
from vision.seeing.estimation.overlaps import card_outlines
from vision.seeing.multiview.frame_registration import FrameMotion, RegisteredView, register_frames
from vision.seeing.multiview.joint_issues import report_joint_issues
from vision.seeing.multiview.joint_poses import (
    ViewPoses,
    exclude_tracks,
    fuse_poses,
    move_view,
    single_view_covariances,
)
from vision.seeing.multiview.moved_cards import find_moved_cards
from vision.seeing.multiview.tracks import MovedTrack, Track, build_tracks, sure_poses
from vision.seeing.residual import SeenTable
from vision.seeing.values import WELL_READ_SCORE
from vision.values.arrays import FloatArray
from vision.values.layout import (
    Alternative,
    Camera,
    Layout,
    Placed,
    identity_of,
    poses_of,
    unread_id,
)
from vision.values.pieces import Faces

__all__ = ["fuse_layouts", "join_names"]

_FOREIGN = unread_id("")  # a card of another deck, whatever its number


# What is believed of a card before and beside what the photos say.
_SURE = 0.998  # chance of a name without doubt: names are wrong once in some 500 cards
#: what each photo believed before it looked


@dataclass(frozen=True, slots=True)
class JointName:
    """The name of a card from all photos (None for an unread one), and its alternatives."""

    piece: str | None
    may_be: tuple[Alternative, ...]


def join_names(seen: Sequence[Placed], faces: int) -> JointName:
    """Multiply the posteriors of one card from several photos.

    Parameters
    ----------
    seen : sequence of Placed
        The card in each photo that shows it.
    faces : int
        How many faces the deck has.

    Returns
    -------
    JointName
        The likeliest name, where having none is not likelier: photos that say two names leave a
        doubt between these. In ``may_be`` an unread card is called ``unknown-``.
    """
    least = (1 - _SURE) / faces  # of what a photo does not speak of at all
    told = [_view_posterior(one) for one in seen]
    pieces = {piece for posterior in told for piece in posterior}
    first: dict[str | None, float] = {None: ABSENT, _FOREIGN: FOREIGN}
    weights: dict[str | None, float] = {}
    for piece in pieces:
        before = first.get(piece, (1 - FOREIGN - ABSENT) / faces)
        weight = before
        for posterior in told:
            weight *= max(posterior.get(piece, 0.0), least) / before
        weights[piece] = weight
    total = sum(weights.values())
    posterior = {piece: weight / total for piece, weight in weights.items()}
    named = {piece: p for piece, p in posterior.items() if piece not in (None, _FOREIGN)}
    best = max(named, key=lambda piece: (named[piece], piece or ""), default=None)
    unnamed = posterior.get(None, 0.0) + posterior.get(_FOREIGN, 0.0)
    own = best if best is not None and named[best] >= unnamed else _FOREIGN
    others = [(piece, p) for piece, p in posterior.items() if piece != own and p > RARE]
    others.sort(key=lambda item: (-item[1], item[0] or ""))
    return JointName(
        None if own == _FOREIGN else own,
        tuple(Alternative(piece, chance) for piece, chance in others),
    )


def _view_posterior(one: Placed) -> Mapping[str | None, float]:
    """Return the posterior of a card from one photo."""
    own = one.identity or _FOREIGN
    if not one.may_be:
        return {own: _SURE}
    told: dict[str | None, float] = {own: 1 - sum(m.chance for m in one.may_be)}
    for other in one.may_be:
        piece = _FOREIGN if other.is_foreign else other.piece
        told[piece] = told.get(piece, 0.0) + other.chance
    return told


_IN_PART = 1 / 3  # of the place of an unread card: a photo that shows it to be bare shows none
_GONE = 0.5  # chance that a card lies there which one photo shows and another does not


def fuse_layouts(
    layouts: Sequence[Layout], views: Sequence[View], faces: Faces, numbers: Sequence[int]
) -> Layout:
    """Fuse the layouts of several photos into one, in the frame and picture of the first.

    Parameters
    ----------
    layouts : sequence of Layout
        What each photo shows, read by itself.
    views : sequence of View
        The photos.
    faces : Faces
        What the cards look like.
    numbers : sequence of int
        What each photo is called.

    Returns
    -------
    Layout
        One photo alone is returned as it is.

    Raises
    ------
    OtherTableError
        If a photo shows another table.
    """
    if len(layouts) == 1:
        return layouts[0]
    motions = _frame_motions(layouts, numbers)
    seen = zip(views, layouts, motions, numbers, strict=True)
    photos = [RegisteredView(SeenTable(v, own, faces), motion, n) for v, own, motion, n in seen]
    tracks, strayed = build_tracks(photos, faces.size_mm)
    poses, covariance, moved = _solve(photos, tracks)
    moved += strayed
    bare = _bare_tracks(tracks, poses, photos, faces)
    joints = [_name_track(one, layouts, faces, is_gone=k in bare) for k, one in enumerate(tracks)]
    moved += [MovedTrack(track, photo, None) for track, photo in bare.items()]
    kept = [k for k, joint in enumerate(joints) if joint is not None]
    names = _names([joint for joint in joints if joint is not None], faces)
    order = sorted(range(len(kept)), key=lambda i: names[i])
    rows = [kept[i] for i in order]
    origin = poses[rows][:, :2].mean(axis=0)
    at = (3 * np.array(rows)[:, None] + np.arange(3)).ravel()
    joint_covariance = covariance[np.ix_(at, at)]
    camera = _shifted(layouts[0].camera, origin)
    placed = [
        _place(row, names[i], _best(tracks[kept[i]], layouts), joints[kept[i]], pose)
        for row, (i, pose) in enumerate(zip(order, poses[rows] - [*origin, 0.0], strict=True))
    ]
    placed = _project_to_first(placed, joint_covariance, camera, faces.size_mm)
    shown = [tracks[k] for k in rows]
    return replace(
        layouts[0],
        placed=tuple(placed),
        joint_covariance=joint_covariance,
        camera=camera,
        doubts=report_joint_issues(photos, shown, placed, _renumber_tracks(moved, rows)),
        residual_px=float(np.mean([one.residual_px for one in layouts])),
    )


def _project_to_first(
    placed: Sequence[Placed], joint: FloatArray, camera: Camera, size_mm: tuple[float, float]
) -> list[Placed]:
    """Return cards with individual covariances and their outlines in the first photo."""
    outlines = card_outlines(poses_of(placed), size_mm)
    return [
        replace(
            one,
            covariance=joint[3 * row : 3 * row + 3, 3 * row : 3 * row + 3],
            outline_px=photo_from_table(camera, outlines[row]),
        )
        for row, one in enumerate(placed)
    ]


def _place(row: int, name: str, best: Placed, joint: JointName | None, pose: FloatArray) -> Placed:
    """Return the best reading of a card with the joint name and pose."""
    assert joint is not None
    x, y, theta = pose.tolist()
    may_be = _unique_alternatives(joint.may_be, name, row)
    return replace(
        best, spot=str(row + 1), piece=name, x_mm=x, y_mm=y, theta_rad=theta, may_be=may_be
    )


# --- one frame -------------------------------------------------------------------------------


def _frame_motions(layouts: Sequence[Layout], numbers: Sequence[int]) -> list[FrameMotion]:
    """Register each photo's frame on the first one's, through others if they share no card.

    Raises
    ------
    OtherTableError
        If a photo shows another table.
    """
    found = {0: FrameMotion(0.0, (0.0, 0.0), ())}
    known = dict(sure_poses(layouts[0]))
    while len(found) < len(layouts):
        tried = {
            k: register_frames(sure_poses(layout), known)
            for k, layout in enumerate(layouts)
            if k not in found
        }
        near = {k: motion for k, motion in tried.items() if motion is not None}
        if not near:
            k = next(iter(tried))
            raise _other_table_error(numbers[k], sure_poses(layouts[k]), known)
        k = max(near, key=lambda k: len(near[k].inliers))
        found[k] = near[k]
        mine = sure_poses(layouts[k])
        moved = near[k].move(np.array(list(mine.values())).reshape(-1, 3))
        for name, pose in zip(mine, moved, strict=True):
            known.setdefault(name, pose)
    return [found[k] for k in range(len(layouts))]


def _other_table_error(
    number: int, mine: Mapping[str, FloatArray], known: Mapping[str, FloatArray]
) -> OtherTableError:
    """Return the error for a photo of another table, with the evidence."""
    common = sorted(set(mine) & set(known))
    if len(common) < 2:
        return OtherTableError(
            f"photo {number} names {len(common)} of the cards that the other photos name; needed "
            "at least two: photograph the same table with more cards in both photos, or send it "
            "separately",
            is_near=True,
        )
    return OtherTableError(
        f"photo {number} shows another table: its {len(common)} common cards lie "
        "differently; needed half of them in the same places: send each table separately",
        is_near=True,
    )


def _solve(
    photos: Sequence[RegisteredView], tracks: Sequence[Track]
) -> tuple[FloatArray, FloatArray, list[MovedTrack]]:
    """Estimate all poses; for a card that was moved the first photo counts."""
    parts: list[ViewPoses] = []
    moved: list[MovedTrack] = []
    for photo, taken in enumerate(photos):
        layout = taken.layout
        mine = [(track.of(photo), k) for k, track in enumerate(tracks)]
        cards = [(card, k) for card, k in mine if card is not None]
        part = move_view(_view_poses(layout, cards), taken.motion)
        part = _align_half_turns(part, parts, tracks, photos)
        for earlier, before in enumerate(parts):
            off = find_moved_cards(before, part)
            here, there = (
                {k for k in off if _is_unread_in(tracks[k], at, photos)} for at in (photo, earlier)
            )
            # of a card that a photo does not read it does not know the place either
            parts[earlier] = exclude_tracks(before, sorted(there - here))
            for k in sorted(set(off) - here - there):
                card = tracks[k].of(photo)
                assert card is not None
                moved.append(MovedTrack(k, photo, card, tuple(off[k].tolist())))
            gone = here | {one.track for one in moved if one.photo == photo}
            part = exclude_tracks(part, sorted(gone))
        parts.append(part)
    poses, covariance = fuse_poses([part for part in parts if part.tracks], len(tracks))
    return _upright(poses, tracks, photos), covariance, moved


def _is_unread_in(track: Track, photo: int, photos: Sequence[RegisteredView]) -> bool:
    """Return whether a photo shows a card without reading it."""
    card = track.of(photo)
    return card is not None and photos[photo].layout.placed[card].identity is None


def _view_poses(layout: Layout, cards: Sequence[tuple[int, int]]) -> ViewPoses:
    """Return the poses of tracked cards from one photo, in its own frame."""
    own = [card for card, _ in cards]
    rows = [3 * card + axis for card in own for axis in range(3)]
    poses = poses_of(layout.placed)[own]
    is_poor = np.array([layout.placed[card].score < WELL_READ_SCORE for card in own], np.bool_)
    joint = layout.joint_covariance[np.ix_(rows, rows)]
    fused, alone = single_view_covariances(layout.camera, poses, is_poor)
    return ViewPoses(
        tuple(track for _, track in cards), poses, joint + block_diagonal(*fused), alone
    )


def _align_half_turns(
    part: ViewPoses,
    before: Sequence[ViewPoses],
    tracks: Sequence[Track],
    photos: Sequence[RegisteredView],
) -> ViewPoses:
    """Rotate cards by half a turn to match an earlier photo, where their orientation is ambiguous.

    Those are unread cards, whose outline is symmetric, and cards with an undecided orientation.
    """
    poses = part.poses.copy()
    for i, track in enumerate(part.tracks):
        first = next((one for one in before if track in one.tracks), None)
        if first is not None and any(
            _is_either_way(photos[p].layout, card) for p, card in tracks[track].cards
        ):
            away = poses[i, 2] - first.poses[first.tracks.index(track), 2]
            poses[i, 2] += np.pi * (np.cos(away) < 0)
    return replace(part, poses=poses)


def _is_either_way(layout: Layout, card: int) -> bool:
    """Return whether a photo leaves the orientation of a card open."""
    piece = layout.placed[card].piece
    is_open = any(i.code == "half_turn_open" and piece in i.cards for i in layout.doubts)
    return is_open or identity_of(piece) is None


def _upright(
    poses: FloatArray, tracks: Sequence[Track], photos: Sequence[RegisteredView]
) -> FloatArray:
    """Rotate cards as in the photos that read their faces."""
    poses = poses.copy()
    for k, track in enumerate(tracks):
        seen = [(photos[photo], photos[photo].layout.placed[card]) for photo, card in track.cards]
        named = [(taken, card) for taken, card in seen if card.identity is not None]
        for taken, card in named[:1]:
            theta = card.theta_rad + taken.motion.turn_rad
            poses[k, 2] += np.pi * (np.cos(poses[k, 2] - theta) < 0)
        poses[k, 2] = wrap_angle(float(poses[k, 2]))
    return poses


def _shifted(camera: Camera, origin: FloatArray) -> Camera:
    """Return a camera whose table frame has another origin (mm)."""
    shift = np.eye(3)
    shift[:2, 2] = origin
    homography = camera.photo_from_table @ shift
    return Camera(camera.camera_matrix, camera.distortion, homography / homography[2, 2])


# --- one name --------------------------------------------------------------------------------


def _bare_tracks(
    tracks: Sequence[Track], poses: FloatArray, photos: Sequence[RegisteredView], faces: Faces
) -> dict[int, int]:
    """Return the tracks at which a photo shows the bare table, and that photo.

    A read card lies where it was read, if need be under others. An unread one may be edges of
    others and of the cloth, and is refuted by a photo that shows part of it bare.
    """
    gone: dict[int, int] = {}
    for k, track in enumerate(tracks):
        is_read = any(not _is_unread_in(track, photo, photos) for photo, _ in track.cards)
        clear = 1.0 if is_read else _IN_PART
        for number, photo in enumerate(photos):
            if track.of(number) is None and photo.is_bare(poses[k], faces.size_mm, clear):
                gone[k] = number
    return gone


def _name_track(
    track: Track, layouts: Sequence[Layout], faces: Faces, *, is_gone: bool
) -> JointName | None:
    """Return the name of a card; None for an unread one at a bare place."""
    seen = [layouts[photo].placed[card] for photo, card in track.cards]
    one = join_names(seen, len(faces.names))
    if len(seen) == 1:
        own = seen[0].identity
        one = JointName(own, seen[0].may_be)
    if not is_gone:
        return one
    if one.piece is None:
        return None
    rest = tuple(
        Alternative(m.piece, (1 - _GONE) * m.chance) for m in one.may_be if m.piece is not None
    )
    return replace(one, may_be=(Alternative(None, _GONE), *rest))


def _names(joints: Sequence[JointName], faces: Faces) -> list[str]:
    """Return an id for each card; names go to the likeliest, as often as the deck has them."""
    each = zip(faces.names, faces.copies.tolist(), strict=True)
    copies = {name: n for names, n in each for name in names}
    sure = [1 - sum(m.chance for m in joint.may_be) for joint in joints]
    names = [""] * len(joints)
    taken: dict[str, int] = {}
    unread = 0
    for i in sorted(range(len(joints)), key=lambda i: (-sure[i], joints[i].piece or "")):
        piece = joints[i].piece
        if piece is not None and taken.get(piece, 0) < copies.get(piece, 1):
            taken[piece] = taken.get(piece, 0) + 1
            names[i] = piece
        else:
            unread += 1
            names[i] = unread_id(unread)
    return names


def _unique_alternatives(
    may_be: Sequence[Alternative], own: str, row: int
) -> tuple[Alternative, ...]:
    """Return a card's alternatives, with an unread id of its own for a foreign card."""
    told = []
    for one in may_be:
        if one.is_foreign:
            if identity_of(own) is None:
                continue
            told.append(Alternative(unread_id(2 * DOUBTFUL_IDS + 1 + row), one.chance))
        elif one.piece != own:
            told.append(one)
    return tuple(told)


def _best(track: Track, layouts: Sequence[Layout]) -> Placed:
    """Return the reading of a card from the photo that reads it best."""
    seen = [layouts[photo].placed[card] for photo, card in track.cards]
    return max(seen, key=lambda one: (one.score, one.visible))


def _renumber_tracks(moved: Sequence[MovedTrack], rows: Sequence[int]) -> list[MovedTrack]:
    """Replace the tracks of moved cards by their indices in the layout."""
    place = {track: row for row, track in enumerate(rows)}
    return [replace(one, track=place[one.track]) for one in moved if one.track in place]
