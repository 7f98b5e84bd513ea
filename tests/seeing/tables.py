"""Made-up tables for the least squares: exact cameras, poses and observations, no pictures."""

from dataclasses import replace

import numpy as np

from vision.geometry import card_corners
from vision.seeing.estimation.adjustment import Priors
from vision.seeing.estimation.model import (
    Measurements,
    Solution,
    join_measurements,
    project,
    project_depth,
)
from vision.values.arrays import FloatArray
from vision.values.layout import Layout, PlacedCard

CARD_MM = (63.5, 88.9)
FRAME_MM = (56.5, 81.9)
#: Next to no belief but in the middle of the picture: one plane shows two numbers of a pinhole
#: camera, of the focal length and the two of its axis.
FREE = Priors(1500.0, 1e4, (639.5, 479.5), 1e-6, 1e3, 1e3, 1e4, 0.3, 1e4)


def table(
    cards: int = 6,
    *,
    tilt_deg: float = 25.0,
    roll_deg: float = 20.0,
    seed: int = 0,
    focal_px: float = 1500.0,
    **camera: float,
) -> Solution:
    """Return cards in a loose grid before a camera of 1280 x 960 pixels."""
    rng = np.random.default_rng(seed)
    columns = int(np.ceil(np.sqrt(cards)))
    place = np.stack([np.arange(cards) % columns, np.arange(cards) // columns], axis=1)
    place = (place - place.mean(axis=0)) * [130.0, 120.0] + rng.uniform(-8, 8, (cards, 2))
    poses = np.column_stack([place, rng.uniform(-np.pi, np.pi, cards)])
    t, r = np.radians([tilt_deg, roll_deg])
    tilt = np.array([[1, 0, 0], [0, np.cos(t), -np.sin(t)], [0, np.sin(t), np.cos(t)]])
    roll = np.array([[np.cos(r), -np.sin(r), 0], [np.sin(r), np.cos(r), 0], [0, 0, 1]])
    rotation = roll @ tilt
    away = np.array([3.0, -5.0, 180.0 * columns + 350.0])
    centre = np.array([639.5, 479.5])
    return replace(Solution(focal_px, centre, 0.0, 0.0, rotation, away, poses), **camera)


def observe(truth: Solution, sigma_px: float = 0.1) -> Measurements:
    """Observe two places of each side of both rectangles of all cards, without any noise."""
    n = len(truth.poses)
    parts = []
    for size_mm, polarity in ((CARD_MM, 1.0), (FRAME_MM, -1.0)):
        corners = card_corners(*size_mm)
        ends = np.roll(corners, -1, axis=0)
        for place in (0.2, 0.8):
            q = np.tile(corners + place * (ends - corners), (n, 1))
            card = np.repeat(np.arange(n), 4)
            inner = np.full(len(card), float(polarity < 0))
            at = project(truth, card, q, inner)
            ahead = q + np.tile(ends - corners, (n, 1)) * 1e-4
            along = project(truth, card, ahead, inner) - at
            along /= np.linalg.norm(along, axis=1, keepdims=True)
            normal = np.stack([along[:, 1], -along[:, 0]], axis=1)
            wall = np.maximum((project_depth(truth, card, q) * normal).sum(axis=1), 0) * (
                polarity > 0
            )
            bloom = truth.bloom_px + inner * truth.inner_bloom_px
            shift = polarity * bloom + wall * truth.thickness_mm
            m = len(card)
            parts.append(
                Measurements(
                    card,
                    q,
                    at + shift[:, None] * normal,
                    normal,
                    np.full(m, sigma_px),
                    np.full(m, polarity),
                    wall,
                    inner,
                )
            )
    return join_measurements(parts)


def rigidly_apart(poses: FloatArray, true: FloatArray) -> FloatArray:
    """Return what is left (N, 3) of poses minus true ones after the best rigid alignment."""
    a = poses[:, :2] - poses[:, :2].mean(axis=0)
    b = true[:, :2] - true[:, :2].mean(axis=0)
    turn = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a * b).sum())
    c, s = np.cos(turn), np.sin(turn)
    if len(a) == 1:  # a lone card has no centres to align
        turn = true[0, 2] - poses[0, 2]
    angle = poses[:, 2] + turn - true[:, 2]
    return np.column_stack([a @ [[c, s], [-s, c]] - b, np.arctan2(np.sin(angle), np.cos(angle))])


def cards_of(layout: Layout) -> tuple[PlacedCard, ...]:
    """Return what a layout shows as cards, which truths are told in."""
    return tuple(
        PlacedCard(c.piece, c.x_mm, c.y_mm, c.theta_rad, c.covariance, c.confidence, c.printed)
        for c in layout.placed
    )
