"""A synthetic photo with its truth, in every form that a stage takes it."""

from dataclasses import dataclass

import numpy as np

from tests.synth import Scene
from vision.geometry import card_corners, photo_from_table, table_from_card
from vision.seeing.estimation.model import Solution
from vision.values.arrays import FloatArray, ImageBGR
from vision.values.layout import Camera, PlacedCard

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
