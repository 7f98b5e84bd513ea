"""A token among others -> how high it lies, where, and what else it may be."""

from collections.abc import Sequence

import numpy as np

from vision.geometry import wrap_angle
from vision.seeing.pieces.board_scene import BoardScene
from vision.seeing.pieces.disc_registration import RegisteredFace
from vision.seeing.pieces.overlapping_values import OverlappingSettings, OverlappingToken
from vision.seeing.pieces.tokens import FoundToken, spread_and_edge
from vision.values.arrays import FloatArray
from vision.values.layout import Other, Placed

__all__ = ["place_token"]


def place_token(
    scene: BoardScene,
    one: OverlappingToken,
    found: Sequence[OverlappingToken],
    number: int,
    s: OverlappingSettings,
) -> FoundToken:
    """Say what a token is, where it lies on what was found below it, and what else it may be."""
    return _report(scene, one, _resting_height(scene, one, found, s), number, s)


def _resting_height(
    scene: BoardScene,
    one: OverlappingToken,
    found: Sequence[OverlappingToken],
    s: OverlappingSettings,
) -> tuple[float, FloatArray]:
    """Return how high a token lies, by what lies below its middle, and where it lies then."""
    base = 0.0
    for other in found:
        if other.group.radius_mm > one.group.radius_mm:
            off = np.hypot(*(other.pose - one.pose)[:2])
            base += other.group.height_mm if off < other.group.radius_mm else 0.0
    lean = scene.shift_by_height(one.pose[:2], one.group.height_mm + s.rise_mm)
    pose = one.pose.copy()
    pose[:2] -= (base - s.rise_mm) * lean
    return base, pose


def _report(
    scene: BoardScene,
    one: OverlappingToken,
    based: tuple[float, FloatArray],
    number: int,
    s: OverlappingSettings,
) -> FoundToken:
    """Say what a token is, where, and what else it may be."""
    base, pose = based
    group, height = one.group, base + one.group.height_mm
    registered = RegisteredFace(pose, one.covariance, one.seen)
    high_sd = s.height_sd * height
    covariance, outline = spread_and_edge(scene, registered, group.radius_mm, height, high_sd)
    shows = np.sqrt(one.seen)  # the noise of a likeness grows with its root as less shows
    likely = s.sharpness * shows * (one.scores - one.scores[one.face])
    weights = np.exp(likely + np.clip(one.odds, -s.most_odds, s.most_odds))
    weights /= weights.sum()
    piece = group.pieces[one.face]
    order = [int(k) for k in np.argsort(-one.scores) if k != one.face]
    placed = Placed(
        f"token-{number}",
        piece.id,
        float(pose[0]),
        float(pose[1]),
        wrap_angle(float(pose[2])),
        covariance,
        outline,
        score=float(one.scores[one.face]),
        confidence=float(weights[one.face]),
        others=tuple(
            Other(group.pieces[k].id, float(one.scores[k]), float(weights[k]))
            for k in order
            if weights[k] > s.least_chance
        ),
        kind="token",
        visible=one.seen,
    )
    rival = max((float(one.scores[k]) for k in order), default=-1.0)
    lead = float(one.scores[one.face]) - rival
    return FoundToken(placed, one.turn_lead, lead, group.radius_mm)
