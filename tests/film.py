"""Draws films of a table under a fixed camera: cards laid one by one, hands, nudges, bumps.

Every state of the table is drawn once by ``tests.synth``; a frame is such a picture with a hand
over it and fresh noise.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import cv2
import numpy as np

from tests.synth import Scene, camera_for, photograph
from vision.geometry import photo_from_table
from vision.values.arrays import ImageBGR
from vision.values.layout import Camera, PlacedCard
from vision.values.pieces import Faces
from vision.watch import Event, WatchSession

SKIN, SLEEVE = (120, 150, 205), (90, 60, 50)
STEP_S = 0.1
GRAIN_PX = 64  # by which a field of noise is larger than a picture: 4,096 places to cut it


class Grain:
    """A camera's noise, of each picture anew: cut at random from one larger field of it."""

    def __init__(self, deviation: float, seed: int) -> None:
        self.deviation, self.rng = deviation, np.random.default_rng(seed)
        self.field = np.zeros((0, 0, 3), np.int16)

    def over(self, picture: ImageBGR) -> ImageBGR:
        """Return a picture with noise."""
        h, w = picture.shape[:2]
        if self.field.shape[0] < h + GRAIN_PX or self.field.shape[1] < w + GRAIN_PX:
            drawn = self.rng.standard_normal((h + GRAIN_PX, w + GRAIN_PX, 3), np.float32)
            self.field = np.rint(self.deviation * drawn).astype(np.int16)
        y, x = self.rng.integers(0, GRAIN_PX, 2)
        return cv2.add(picture, self.field[y : y + h, x : x + w], dtype=cv2.CV_8U)


@dataclass
class Film:
    """A table and its camera; ``shoot`` turns what happens into frames with their times."""

    cards: tuple[PlacedCard, ...]  #: all that will ever lie there: the camera is aimed at them
    bank: Faces
    scene: Scene = field(default_factory=lambda: Scene((), (960, 540), tilt_deg=6.0, noise=0.0))
    noise: float = 2.0
    step_s: float = STEP_S
    seed: int = 0
    stills: dict[object, ImageBGR] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.grain = Grain(self.noise, self.seed)
        self.camera = camera_for(replace(self.scene, cards=self.cards))
        self.time_s = 0.0

    def still(self, cards: Sequence[PlacedCard], camera: Camera | None = None) -> ImageBGR:
        """Return the picture of a table without noise."""
        camera = camera or self.camera
        key = (
            tuple((c.card_id, c.x_mm, c.y_mm, c.theta_rad) for c in cards),
            camera.photo_from_table.tobytes(),
        )
        if key not in self.stills:
            scene = replace(self.scene, cards=tuple(cards), noise=0.0, jpeg_quality=100)
            self.stills[key] = photograph(scene, self.bank, camera)[0]
        return self.stills[key]

    def frame(self, still: ImageBGR, hand: tuple[float, float] | None = None) -> ImageBGR:
        """Return a frame: a still with a hand whose fingertips are at a place (px), and noise."""
        picture = still.copy()
        if hand is not None:
            draw_hand(picture, hand)
        return self.grain.over(picture)

    def rest(
        self, cards: Sequence[PlacedCard], seconds: float, camera: Camera | None = None
    ) -> Iterator[tuple[ImageBGR, float]]:
        """Show a table at rest."""
        still = self.still(cards, camera)
        for _ in range(max(1, round(seconds / self.step_s))):
            yield self._next(self.frame(still))

    def visit(
        self,
        before: Sequence[PlacedCard],
        after: Sequence[PlacedCard],
        at_mm: tuple[float, float],
        seconds: float = 1.0,
        hold_s: float = 0.0,
    ) -> Iterator[tuple[ImageBGR, float]]:
        """Let a hand come in, change the table at a place under it, and go."""
        target = photo_from_table(self.camera, np.array([at_mm]))[0]
        height = self.scene.size_wh[1]
        out = np.array([target[0] + 60, height + 120.0])
        steps = max(2, round(seconds / 2 / self.step_s))
        for k in range(steps):
            yield self._next(self.frame(self.still(before), _between(out, target, k / steps)))
        for _ in range(round(hold_s / self.step_s)):
            yield self._next(self.frame(self.still(after), (float(target[0]), float(target[1]))))
        for k in range(steps):
            yield self._next(self.frame(self.still(after), _between(target, out, k / steps)))

    def _next(self, image: ImageBGR) -> tuple[ImageBGR, float]:
        at = self.time_s
        self.time_s = round(self.time_s + self.step_s, 6)
        return image, at


def _between(a: np.ndarray, b: np.ndarray, share: float) -> tuple[float, float]:
    x, y = a + (b - a) * share
    return float(x), float(y)


def draw_hand(picture: ImageBGR, tip: tuple[float, float]) -> None:
    """Paint an arm from the lower rim with its fingertips at a place."""
    height = picture.shape[0]
    x, y = tip
    scale = picture.shape[1] / 1280
    arm = np.array([[x - 25, y + 90], [x + 35, y + 90], [x + 120, height + 400], [x, height + 400]])
    cv2.fillPoly(picture, [np.int32(arm)], SLEEVE, cv2.LINE_AA)
    middle = (int(x), int(y + 60 * scale))
    cv2.ellipse(
        picture, middle, (int(42 * scale), int(60 * scale)), 0, 0, 360, SKIN, -1, cv2.LINE_AA
    )


def play(session: WatchSession, frames: Iterable[tuple[ImageBGR, float]]) -> list[Event]:
    """Show frames to a session and return what it told."""
    return [event for image, time_s in frames for event in session.look(image, time_s)]


def moved(camera: Camera, shift_px: tuple[float, float], turn_deg: float = 0.0) -> Camera:
    """Return a camera whose picture is shifted and turned about its middle: a bump."""
    turn = np.radians(turn_deg)
    centre = camera.camera_matrix[:2, 2]
    bump = np.eye(3)
    bump[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    bump[:2, 2] = centre - bump[:2, :2] @ centre + shift_px
    return Camera(camera.camera_matrix, camera.distortion, bump @ camera.photo_from_table)
