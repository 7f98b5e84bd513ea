"""Several photos of one table: poses joined, names from all, what was moved told."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.seeing.tables import CARD_MM as SIZE_MM
from tests.synth import Scene, photograph, random_cards
from vision.errors import OtherTableError
from vision.geometry import (
    photo_from_table,
    rotation,
    table_from_card,
    table_from_photo,
    wrap_angle,
)
from vision.imaging.photo import Photo
from vision.imaging.view import View
from vision.seeing.detector import build_detector
from vision.seeing.estimation.covariance import block_diagonal
from vision.seeing.estimation.error_budget import growth_covariance, growth_variance
from vision.seeing.estimation.gauge import rigid_motion_projector
from vision.seeing.estimation.model import parallax_per_mm, solution_of
from vision.seeing.estimation.overlaps import card_outlines, cover_shares
from vision.seeing.multiview.frame_registration import FrameMotion, register_frames
from vision.seeing.multiview.fusion import fuse_layouts, join_names
from vision.seeing.multiview.joint_poses import (
    _ALONE_FLAT_MM,
    _ALONE_FUSED,
    _ALONE_LIFTED_MM,
    _ALONE_LIFTED_POOR_MM,
    HALF_MM,
    ViewPoses,
    fuse_poses,
    move_view,
    single_view_covariances,
)
from vision.seeing.multiview.moved_cards import find_moved_cards
from vision.seeing.multiview.tracks import sure_poses
from vision.seeing.reading import read_layout
from vision.texts import make_issue, where_px
from vision.values.layout import Alternative, Camera, Placed, poses_of

SEEDS = st.integers(0, 2**32 - 1)
FEW = settings(max_examples=25, deadline=None)
ROUNDING = 1e-6  # mm² of variances, where 1e-2 is usual
UNITS = np.array([1.0, 1.0, 40.0])  # turns as mm at half a card's length


def drawn(seed: int, count: int = 8) -> tuple[np.ndarray, np.random.Generator]:
    rng = np.random.default_rng(seed)
    poses = np.column_stack([rng.uniform(-300, 300, (count, 2)), rng.uniform(-3, 3, count)])
    return poses, rng


def photo_of(
    true: np.ndarray, rng: np.random.Generator, mm: float = 0.1, *, tracks: tuple[int, ...] = ()
) -> ViewPoses:
    """Return what a photo tells of a table: its cards with errors that hang together."""
    tracks = tracks or tuple(range(len(true)))
    n = len(tracks)
    root = rng.normal(size=(3 * n, 3 * n)) * np.tile([mm, mm, mm / 100], n)[:, None]
    free = rigid_motion_projector(true[list(tracks)][:, :2])
    covariance = root @ root.T / (3 * n)
    error = free @ (root @ rng.normal(size=3 * n)) / np.sqrt(3 * n)
    joint = free @ covariance @ free.T
    alone = np.tile(np.diag([0.085, 0.085, 0.002]) ** 2, (n, 1, 1))  # as of photos from above
    return ViewPoses(tracks, true[list(tracks)] + error.reshape(n, 3), joint, alone)


def _of_one_size(poses: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """Return a covariance without what is open in how large all is."""
    away = np.sqrt(growth_covariance(poses, 1.0).diagonal()) * np.sign(_from_middle(poses))
    keep = np.eye(len(away)) - np.outer(away, away) / (away @ away)
    return keep @ covariance @ keep


def _from_middle(poses: np.ndarray) -> np.ndarray:
    return ((poses - poses.mean(axis=0)) * [1, 1, 0]).ravel()


@given(SEEDS, st.integers(2, 4))
@FEW
def test_all_photos_together_are_never_less_sure_than_one_of_them(seed, photos):
    true, rng = drawn(seed)
    parts = [photo_of(true, rng, 0.1 * (k + 1)) for k in range(photos)]
    poses, covariance = fuse_poses(parts, len(true))
    for part in parts:
        gain = _of_one_size(true, part.covariance) - _of_one_size(true, covariance)
        gain *= np.outer(np.tile(UNITS, 8), np.tile(UNITS, 8))
        assert np.linalg.eigvalsh(gain).min() > -ROUNDING
        size = growth_variance(poses, covariance)
        assert size <= growth_variance(part.poses, part.covariance) * (1 + 1e-6)


@given(SEEDS)
@FEW
def test_one_photo_joined_with_itself_says_the_same_more_surely_but_for_the_size(seed):
    true, rng = drawn(seed)
    part = photo_of(true, rng)
    poses, covariance = fuse_poses([part, part], len(true))
    assert poses == pytest.approx(part.poses, abs=1e-5)
    # the motion taken out is that of poses some 0.1 mm from the true ones, on 300 mm
    units = np.outer(np.tile(UNITS, 8), np.tile(UNITS, 8))
    half = _of_one_size(poses, part.covariance) / 2 * units
    both = _of_one_size(poses, covariance) * units
    assert both == pytest.approx(half, abs=1e-3 * np.abs(half).max())
    size = growth_variance(part.poses, part.covariance)
    assert growth_variance(poses, covariance) == pytest.approx(size, rel=1e-3)


@given(SEEDS, st.floats(-3, 3), st.floats(-500, 500))
@FEW
def test_it_does_not_matter_how_the_second_camera_stood(seed, turn, shift):
    true, rng = drawn(seed)
    one, other = photo_of(true, rng), photo_of(true, rng)
    motion = FrameMotion(turn, (shift, -shift), ())
    away = -turn, *(np.array([-shift, shift]) @ np.array(_turned(-turn)).T)
    back = FrameMotion(away[0], (float(away[1]), float(away[2])), ())
    seen = move_view(other, back)
    again = move_view(seen, motion)
    for a, b in zip(fuse_poses([one, other], 8), fuse_poses([one, again], 8), strict=True):
        assert b == pytest.approx(a, abs=1e-5)
    assert motion.back(motion.move(true)[:, :2]) == pytest.approx(true[:, :2])


def _turned(angle: float) -> list[list[float]]:
    return [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]


def test_what_is_said_of_the_errors_is_true():
    """The squared errors over their covariance are 1 in the mean: 21 freedoms, 150 tables."""
    ratios = []
    for seed in range(150):
        true, rng = drawn(seed)
        parts = [photo_of(true, rng), photo_of(true, rng, 0.2, tracks=(0, 2, 3, 5, 6, 7))]
        poses, covariance = fuse_poses(parts, len(true))
        free = rigid_motion_projector(true[:, :2])
        error = free @ (poses - true).ravel()
        units = np.tile(UNITS, 8)
        inverse = np.linalg.pinv(covariance * np.outer(units, units), rcond=1e-7, hermitian=True)
        ratios.append((error * units) @ inverse @ (error * units) / 21)
    assert np.mean(ratios) == pytest.approx(1, abs=4 * np.sqrt(2 / 21 / 150))


@pytest.mark.parametrize("is_turned", [False, True])
def test_a_card_that_was_moved_is_found_and_no_other(is_turned):
    """Of 200 tables: a card far from all others moves the frame with it, now and then."""
    found = 0
    for seed in range(200):
        true, rng = drawn(seed)
        one, other = photo_of(true, rng), photo_of(true, rng)
        assert find_moved_cards(one, other) == {}
        poses, way = other.poses.copy(), rng.uniform(0, 2 * np.pi)
        poses[3] += [0, 0, 0.03] if is_turned else [2 * np.cos(way), 2 * np.sin(way), 0]
        told = set(find_moved_cards(one, replace(other, poses=poses)))
        assert told <= {3}
        found += 3 in told
    assert found >= 190  # 95 % is asked for; 199 and 200 seen


def _bent(true: np.ndarray, rng: np.random.Generator, mm: float) -> ViewPoses:
    """Return a photo from a side, in which cards stand up a little that it takes for flat."""
    part = photo_of(true, rng)
    aside = mm * (true[:, :2] - rng.uniform(400, 900) * np.array([1.0, 0.5])) / 500
    poses = part.poses.copy()
    poses[:, :2] += rng.normal(size=(len(true), 1)) * aside
    lifted = np.zeros((len(true), 3, 3))
    lifted[:, :2, :2] = aside[:, :, None] * aside[:, None]
    lifted[:, 2, 2] = (aside**2).sum(axis=1) / 2 / HALF_MM**2
    return replace(part, poses=poses, alone=part.alone + lifted)


def test_bent_cards_seen_aslant_are_not_told_as_moved_but_moved_ones_are():
    """Of 100 tables; without minding how cards are seen some are told on 24, with it on two.

    By chance it is one card in 1,400, and of eight the scale of the errors is not known well.
    """
    false = unminded = found = 0
    for seed in range(100):
        true, rng = drawn(seed)
        one, other, flat = _bent(true, rng, 0.3), _bent(true, rng, 0.3), photo_of(true, rng)
        false += bool(find_moved_cards(one, other))
        unminded += bool(find_moved_cards(*(replace(of, alone=flat.alone) for of in (one, other))))
        poses = other.poses.copy()
        across = np.linalg.eigh(other.alone[3, :2, :2]).eigenvectors[:, 0]
        poses[3, :2] += 2 * across  # to the line of sight
        found += 3 in find_moved_cards(one, replace(other, poses=poses))
    assert false <= 5
    assert unminded >= 10
    assert found >= 95


@given(SEEDS, st.floats(1, 40))
@FEW
def test_what_a_card_is_off_by_itself_lies_where_a_raised_point_shows(seed, height_mm):
    rng = np.random.default_rng(seed)
    k = np.array([[1500.0, 0, 800], [0, 1500, 600], [0, 0, 1]])
    tilt, turn = rng.uniform(0, 0.9), rng.uniform(-3, 3)
    way = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    way = way @ [[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]]
    shift = np.array([30.0, -20.0, 700.0])
    camera = Camera(k, np.zeros(2), k @ np.column_stack([way[:, :2], shift]))
    points = rng.uniform(-150, 150, (5, 2))
    raised = np.column_stack([points, np.full(5, -height_mm)])  # x right, y down: z is away
    at_px = (raised @ way.T + shift) @ k.T
    shows = table_from_photo(camera, at_px[:, :2] / at_px[:, 2:])
    reach = float((way.T @ shift)[2])  # the camera's height
    wanted = parallax_per_mm(solution_of(camera), points) * height_mm * reach / (reach - height_mm)
    assert shows - points == pytest.approx(wanted, abs=1e-6)
    poses = np.column_stack([points, np.zeros(5)])
    fused, alone = single_view_covariances(camera, poses, np.arange(5) == 2)
    own = fused + alone
    along = np.where(np.arange(5) == 2, _ALONE_LIFTED_POOR_MM, _ALONE_LIFTED_MM)
    away = np.linalg.norm(parallax_per_mm(solution_of(camera), points), axis=1)
    spread = np.linalg.eigvalsh(own[:, :2, :2])
    assert spread[:, 0] == pytest.approx(_ALONE_FLAT_MM**2)  # across
    assert spread[:, 1] == pytest.approx(_ALONE_FLAT_MM**2 + (along * away) ** 2)
    assert np.linalg.eigvalsh(fused[:, :2, :2]) == pytest.approx(
        np.column_stack([np.zeros(5), (_ALONE_FUSED * along * away) ** 2]), abs=1e-9
    )
    assert HALF_MM**2 * own[:, 2, 2] == pytest.approx(spread.mean(axis=1))


def test_a_photo_that_is_off_as_a_whole_is_no_card_moved():
    """Of 100 tables of which one photo is stretched by 1 %, 30 times what it tells.

    Some card is told on six of them; those moved by three times what the stretch does all are.
    """
    false = found = 0
    for seed in range(100):
        true, rng = drawn(seed, 14)
        one, other = photo_of(true, rng), photo_of(true, rng)
        poses = other.poses * [1.01, 1.0, 1.0]
        false += bool(find_moved_cards(one, replace(other, poses=poses)))
        poses[3, 1] += 9.0
        found += 3 in find_moved_cards(one, replace(other, poses=poses))
    assert false <= 10
    assert found >= 90


@given(SEEDS, st.integers(0, 3), st.floats(-3, 3))
@FEW
def test_frames_are_laid_on_each_other_however_some_cards_were_moved(seed, moved, turn):
    true, rng = drawn(seed)
    motion = FrameMotion(turn, (123.0, -45.0), ())
    seen = motion.move(true)
    seen[:moved, :2] += rng.uniform(20, 90, (moved, 2))
    names = [f"card-{k}" for k in range(8)]
    found = register_frames(
        dict(zip(names, true, strict=True)), dict(zip(names, seen, strict=True))
    )
    assert found is not None
    assert set(found.inliers) == set(names[moved:])
    assert wrap_angle(found.turn_rad - turn) == pytest.approx(0, abs=1e-6)
    assert found.shift_mm == pytest.approx(motion.shift_mm, abs=1e-3)


@given(SEEDS, st.floats(-3, 3), st.lists(st.booleans(), min_size=8, max_size=8))
@FEW
def test_frames_are_laid_on_each_other_whichever_way_up_faces_are_read(seed, turn, halves):
    true, _ = drawn(seed)
    motion = FrameMotion(turn, (50.0, 5.0), ())
    seen = motion.move(true)
    seen[:, 2] += np.pi * np.array(halves)
    names = [f"card-{k}" for k in range(8)]
    found = register_frames(
        dict(zip(names, true, strict=True)), dict(zip(names, seen, strict=True))
    )
    assert found is not None
    assert set(found.inliers) == set(names)
    assert wrap_angle(found.turn_rad - turn) == pytest.approx(0, abs=1e-6)


@given(SEEDS)
@FEW
def test_tables_that_were_laid_apart_are_not_laid_on_each_other(seed):
    (one, rng), names = drawn(seed), [f"card-{k}" for k in range(8)]
    other = np.column_stack([rng.uniform(-300, 300, (8, 2)), rng.uniform(-3, 3, 8)])
    assert (
        register_frames(dict(zip(names, one, strict=True)), dict(zip(names, other, strict=True)))
        is None
    )


# --- names -----------------------------------------------------------------------------------


def named(piece: str, **others: float) -> Placed:
    may_be = tuple(Alternative(None if n == "none" else n, p) for n, p in others.items())
    return Placed("1", piece, 0, 0, 0, np.eye(3), np.zeros((4, 2)), may_be=may_be)


@given(st.floats(0.01, 0.45), st.floats(0.01, 0.45))
def test_chances_of_photos_multiply(p, q):
    both = join_names([named("moth", viper=p), named("moth", viper=q)], 40)
    odds = {m.piece: m.chance for m in both.may_be}.get("viper", 0.0)
    wanted = p * q / (p * q + (1 - p) * (1 - q))
    assert odds == pytest.approx(wanted if wanted > 0.002 else 0.0, abs=0.005)
    assert sum(m.chance for m in both.may_be) <= 1 + 1e-9


def test_what_one_photo_reads_another_need_not():
    unread = named("unknown-3", moth=0.02, viper=0.02, none=0.1)
    for several in ([named("moth"), unread], [unread, named("moth")]):
        joint = join_names(several, 40)
        assert joint.piece == "moth"
        assert sum(m.chance for m in joint.may_be) < 0.01
    torn = join_names([named("moth"), named("viper")], 40)
    assert {torn.piece, torn.may_be[0].piece} == {"moth", "viper"}
    assert torn.may_be[0].chance == pytest.approx(0.5, abs=0.01)


def test_two_names_leave_a_doubt_between_them_and_no_unread_card():
    """Each photo believes a little that the card is of no deck: that is no reading of theirs."""
    foreign = {"unknown-7": 0.01}
    torn = join_names([named("asteroid", **foreign), named("comet", **foreign)], 45)
    assert {torn.piece, torn.may_be[0].piece} == {"asteroid", "comet"}
    assert torn.may_be[0].chance > 0.25


# --- pictures --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def look(bank):
    """Return a function that photographs cards from a side and reads the picture."""
    detector = build_detector(bank)

    def read(cards, seed, **scene):
        image, _ = photograph(Scene(tuple(cards), size_wh=(1280, 960), seed=seed, **scene), bank)
        return read_layout(Photo(image, 26.0), detector), View(image)

    return read


@pytest.fixture(scope="module")
def cards(bank):
    rng = np.random.default_rng(11)
    ids = [name for name in rng.permutation(bank.card_ids).tolist() if "back" not in name]
    return random_cards(ids[:9], rng, gap_mm=6)


@pytest.fixture(scope="module")
def first(look, cards):
    """A photo in which a disc hides a card."""
    return look(cards, 1, tilt_deg=20, covers=((cards[2].x_mm, cards[2].y_mm, 48.0),))


def fused(bank, *taken):
    layouts, views = zip(*taken, strict=True)
    return fuse_layouts(layouts, views, bank, range(1, len(taken) + 1))


def errors_mm(layout, cards) -> dict[str, float]:
    """Return how far each card is off once the whole is laid on the truth."""
    true = {c.card_id: (c.x_mm, c.y_mm, c.theta_rad) for c in cards}
    seen = poses_of(layout.placed)
    wanted = np.array([true[p.piece] for p in layout.placed])
    turn = np.angle(np.exp(1j * (wanted[:, 2] - seen[:, 2])).mean())
    moved = (seen[:, :2] - seen[:, :2].mean(axis=0)) @ np.array(_turned(turn)).T
    off = moved - (wanted[:, :2] - wanted[:, :2].mean(axis=0))
    return dict(zip([p.piece for p in layout.placed], np.hypot(*off.T).tolist(), strict=True))


def test_what_one_photo_hides_the_other_shows(look, bank, cards, first):
    other = look(cards, 2, tilt_deg=35, azimuth_deg=200, covers=((500.0, 0.0, 10.0),))
    hidden = cards[2].card_id
    assert hidden not in {p.piece for p in first[0].placed}
    layout = fused(bank, first, other)
    assert {p.piece for p in layout.placed} == {c.card_id for c in cards}
    assert [i for i in layout.doubts if i.severity == "doubt"] == []
    assert max(errors_mm(layout, cards).values()) < 0.3  # a third of a pixel; one photo: 0.2
    corners = {p.piece: p.outline_px for p in first[0].placed}
    for card in layout.placed:  # it is drawn on the first photo
        if card.piece in corners:
            assert card.outline_px == pytest.approx(corners[card.piece], abs=1.0)
    assert poses_of(layout.placed)[:, :2].mean(axis=0) == pytest.approx(np.zeros(2), abs=1e-9)


def _seen_in_part(taken, at_px):
    """Return a photo in which two corners of a card showed at a place, and light lay on it."""
    layout, view = taken
    doubts = [
        make_issue(code, f"issue.{code}", **where_px(*at_px))
        for code in ("table_covered", "card_hidden")
    ]
    return replace(layout, doubts=(*layout.doubts, *doubts)), view


@pytest.mark.parametrize("first_is_told", [True, False])
def test_a_part_of_a_card_is_told_unless_another_photo_shows_more_of_it(
    look, bank, cards, first, first_is_told
):
    other = look(cards, 2, tilt_deg=35, azimuth_deg=200)
    hidden, known = cards[2].card_id, cards[5].card_id

    def told(at_px):
        """Of the one photo, and of both in their order."""
        one = _seen_in_part(first, at_px)
        both = fused(bank, *((one, other) if first_is_told else (other, one)))
        return [i.code for i in both.doubts if i.severity == "doubt"]

    (middle,) = (p.outline_px.mean(axis=0) for p in first[0].placed if p.piece == known)
    assert told(middle) == ["card_hidden"]  # under a card that both photos show
    camera, away = first[0].camera, other[0].camera
    bare = photo_from_table(camera, np.array([[0.0, 0.0]]) + _gap(first[0]))[0]
    assert told(bare) == []
    (there,) = (p.outline_px.mean(axis=0) for p in other[0].placed if p.piece == hidden)
    motion = register_frames(sure_poses(other[0]), sure_poses(first[0]))
    (at,) = photo_from_table(camera, motion.forth(table_from_photo(away, there[None])))
    assert told(at) == []  # the other photo reads it


def _gap(layout) -> np.ndarray:
    """Return a place of the table, mm, that lies farthest from all cards, among them."""
    poses = poses_of(layout.placed)[:, :2]
    grid = np.stack(np.meshgrid(*[np.linspace(-150, 150, 31)] * 2), axis=-1).reshape(-1, 2)
    return grid[np.linalg.norm(grid[:, None] - poses, axis=2).min(axis=1).argmax()]


def _with_unread(taken, pose):
    """Return a photo in which a card that could not be read lies at a pose (3,)."""
    layout, view = taken
    outline = photo_from_table(layout.camera, card_outlines(np.array([pose]), SIZE_MM)[0])
    own = replace(
        layout.placed[0],
        piece="unknown-1",
        x_mm=pose[0],
        y_mm=pose[1],
        theta_rad=pose[2],
        outline_px=outline,
        score=0.0,
    )
    joint = block_diagonal(layout.joint_covariance, own.covariance)
    return replace(layout, placed=(*layout.placed, own), joint_covariance=joint), view


@pytest.mark.parametrize("other_is_covered", [False, True])
def test_an_unread_card_stays_unless_another_photo_shows_bare_table_beside_others(
    look, bank, cards, first, other_is_covered
):
    """What stood for a card was sides of others: a third of it would lie on bare table."""
    beside = cards[5]
    layout = first[0]
    (own,) = (p for p in layout.placed if p.piece == beside.card_id)
    middle = _gap(layout)
    toward = middle - [own.x_mm, own.y_mm]
    steps = ((*(middle - t * toward), own.theta_rad) for t in np.linspace(0, 1, 21))
    on = poses_of(layout.placed)
    pose = next(p for p in steps if cover_shares(np.array([p]), on, SIZE_MM)[0] > 0.2)
    covers = ((500.0, 0.0, 10.0),)
    if other_is_covered:  # a disc lies on all of that place
        lies = next(c for c in cards if c.card_id == beside.card_id)
        away = np.array(pose[:2]) - [own.x_mm, own.y_mm]
        at = [lies.x_mm, lies.y_mm] + rotation(lies.theta_rad - own.theta_rad) @ away
        covers = ((*at.tolist(), 60.0),)
    other = look(cards, 2, tilt_deg=35, azimuth_deg=200, covers=covers)
    both = fused(bank, _with_unread(first, pose), other)
    assert any(p.identity is None for p in both.placed) is other_is_covered


def _inside(pose) -> np.ndarray:
    """Return points (N, 2) within a card, mm."""
    x, y = (np.linspace(-0.45 * side, 0.45 * side, 12) for side in SIZE_MM)
    return table_from_card(np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2), *pose)


def test_a_card_moved_by_two_millimetres_is_told_and_the_first_photo_counts(
    look, bank, cards, first
):
    nudged = [replace(c, x_mm=c.x_mm + 2) if k == 5 else c for k, c in enumerate(cards)]
    later = look(nudged, 3, tilt_deg=30, azimuth_deg=150)
    layout = fused(bank, first, later)
    doubts = [i for i in layout.doubts if i.severity == "doubt"]
    assert [(i.code, i.cards) for i in doubts] == [("card_moved", (cards[5].card_id,))]
    assert dict(doubts[0].said.values)["mm"] == pytest.approx(2, abs=0.4)
    assert errors_mm(layout, cards)[cards[5].card_id] < 0.3
    assert [place.photo for place in doubts[0].places] == [0, 1]
    for (seen, _), place in zip((first, later), doubts[0].places, strict=True):
        own, other = (
            table_from_photo(seen.camera, np.array(px)) for px in (place.own_px, place.other_px)
        )
        (card,) = (one for one in seen.placed if one.piece == cards[5].card_id)
        assert np.array(place.own_px) == pytest.approx(card.outline_px, abs=0.06)  # as written
        apart = np.linalg.norm(own - other, axis=1)
        assert apart == pytest.approx(np.full(4, 2.0), abs=0.5)


def test_a_card_read_the_other_way_up_in_one_photo_is_not_told_as_moved(bank, cards, first):
    layout, view = first
    k = next(i for i, p in enumerate(layout.placed) if p.piece == cards[5].card_id)
    turned = replace(layout.placed[k], theta_rad=wrap_angle(layout.placed[k].theta_rad + np.pi))
    placed = (*layout.placed[:k], turned, *layout.placed[k + 1 :])
    later = (replace(layout, placed=placed), view)
    for taken in ([first, later], [first, later, later]):  # twice read so it is said once
        doubts = fused(bank, *taken).doubts
        told = [(i.code, i.cards) for i in doubts if i.cards == (cards[5].card_id,)]
        assert told == [("half_turn_open", (cards[5].card_id,))]


def test_a_card_that_came_or_went_or_lies_elsewhere_is_told(look, bank, cards, first):
    left = [c for k, c in enumerate(cards) if k != 4]
    gone = fused(bank, first, look(left, 4, tilt_deg=10, azimuth_deg=250))
    told = next(p for p in gone.placed if p.piece == cards[4].card_id)
    assert [(m.piece, m.chance) for m in told.may_be] == [(None, 0.5)]
    (issue,) = (i for i in gone.doubts if i.severity == "doubt")
    assert issue.cards == (cards[4].card_id,)
    there, bare = issue.places
    assert there.own_px
    assert not there.other_px
    assert bare.other_px
    assert not bare.own_px
    far = replace(cards[4], x_mm=cards[4].x_mm + 600)
    elsewhere = fused(bank, first, look([*left, far], 5, tilt_deg=10, azimuth_deg=250))
    codes = {i.code for i in elsewhere.doubts if i.cards == (cards[4].card_id,)}
    assert "card_moved" in codes
    assert {p.piece for p in elsewhere.placed} == {c.card_id for c in cards}


def test_photos_of_two_tables_are_refused(look, bank, cards, first):
    rng = np.random.default_rng(5)
    other = look(random_cards([c.card_id for c in cards], rng, gap_mm=6), 6)
    with pytest.raises(OtherTableError, match="photo 2 shows another table"):
        fused(bank, first, other)
    ids = [n for n in bank.card_ids if n not in {c.card_id for c in cards} and "back" not in n]
    stranger = look(random_cards(ids[:4], rng, gap_mm=6), 7)
    with pytest.raises(OtherTableError, match="photo 2 names 0 of the cards"):
        fused(bank, first, stranger)
