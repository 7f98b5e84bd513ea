"""What several of these tests look at: the deck, its faces, and a few synthetic photos."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from calibration.looks import build_bank
from tests.synth import Scene, photograph, random_cards
from vision.games.light_speed.deck import load_deck
from vision.games.light_speed.values import Deck
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.seeing.faces.bordered import FaceIndex, index_faces
from vision.seeing.solve.adjust import Solution
from vision.values.arrays import FloatArray, ImageBGR
from vision.values.layout import Camera, PlacedCard
from vision.values.pieces import TemplateBank

FOCAL_35MM = 26.0


@dataclass(frozen=True)
class Shown:
    """A synthetic photo with its truth."""

    image: ImageBGR
    scene: Scene
    camera: Camera

    @property
    def cards(self) -> tuple[PlacedCard, ...]:
        return self.scene.cards

    @property
    def poses(self) -> FloatArray:
        return np.array([(c.x_mm, c.y_mm, c.theta_rad) for c in self.cards])

    def corners_px(self, size_mm: tuple[float, float] = (63.5, 88.9)) -> FloatArray:
        """Return TL, TR, BR, BL (N, 4, 2) of a rectangle centred on each card."""
        shape = card_corners(*size_mm)
        return np.array(
            [photo_from_table(self.camera, table_from_card(shape, *pose)) for pose in self.poses]
        )

    @property
    def solution(self) -> Solution:
        """The truth as the adjustment sees it."""
        k = self.camera.camera_matrix
        plane = np.linalg.inv(k) @ self.camera.photo_from_table
        plane = plane / np.linalg.norm(plane[:, 0])
        rotation = np.column_stack([plane[:, :2], np.cross(plane[:, 0], plane[:, 1])])
        k1, k2 = (float(v) for v in self.camera.distortion)
        return Solution(float(k[0, 0]), k[:2, 2], k1, k2, rotation, plane[:, 2], self.poses)


@pytest.fixture(scope="session")
def deck() -> Deck:
    return load_deck("light-speed")


@pytest.fixture(scope="session")
def bank(deck: Deck) -> TemplateBank:
    return build_bank(deck)


@pytest.fixture(scope="session")
def index(bank: TemplateBank) -> FaceIndex:
    return index_faces(bank)


@pytest.fixture(scope="session")
def show(bank: TemplateBank) -> Callable[..., Shown]:
    """Return a function that lays cards at random and photographs them, once for each wish."""
    taken: dict[object, Shown] = {}

    def take(
        count: int = 8,
        *,
        seed: int = 0,
        gap_mm: float = 4.0,
        spread: float = 100.0,
        **scene: object,
    ) -> Shown:
        key = (count, seed, gap_mm, spread, *sorted(scene.items()))
        if key not in taken:
            rng = np.random.default_rng(seed)
            ids = [str(name) for name in rng.permutation(bank.card_ids)[:count]]
            cards = random_cards(ids, rng, gap_mm=gap_mm, spread=spread)
            wanted = Scene(cards, **{"size_wh": (1280, 960), "seed": seed, **scene})
            image, camera = photograph(wanted, bank)
            image.flags.writeable = False
            taken[key] = Shown(image, wanted, camera)
        return taken[key]

    return take
