"""A photo's cards -> what each is off by for itself, of which the photo's own covariance is silent.

Errors of the camera bend a whole table and are told. A card's own are not: its sides are not quite
straight, and what it is bent or lifted, as far as the photo does not tell it, shifts it along the
line of sight, not across: by more than its height, where it lies far off and is seen aslant.
"""

from dataclasses import dataclass

import numpy as np

from vision.seeing.estimation.model import parallax_per_mm, solution_of
from vision.values.arrays import BoolArray, FloatArray
from vision.values.layout import Camera

__all__ = ["HALF_MM", "SingleViewSettings", "single_view_covariances"]

HALF_MM = 40.0  # half a card's length: a turn by so much is as long as a shift


@dataclass(frozen=True, slots=True)
class SingleViewSettings:
    """Standard deviations of a card's place."""

    flat_mm: float = 0.085  # from right above
    lifted_mm: float = 0.15  # in height, beyond what its photo tells; rendered cards, bent by up
    lifted_poor_mm: float = 0.6  # to 1 mm, are 0.2 off against truth, 0.5 where faces read poorly
    fused: float = 0.5  # of that where poses are joined: with none 93.7 % of joined places lie in
    # their 95 % ellipses, with half 95.6, with all of it 96.4


def single_view_covariances(
    camera: Camera,
    poses: FloatArray,
    is_poor: BoolArray,
    settings: SingleViewSettings | None = None,
) -> tuple[FloatArray, FloatArray]:
    """Say how far cards at poses (N, 3) are off by themselves; ``is_poor`` (N,) are read poorly.

    Returns
    -------
    fused : (N, 3, 3) float64
        Covariances of x mm, y mm, theta rad that count where the poses of photos are joined.
    alone : (N, 3, 3) float64
        What counts besides where they are compared: how far off a card may come.
    """
    s = settings or SingleViewSettings()
    lifted = np.where(is_poor, s.lifted_poor_mm, s.lifted_mm)[:, None]
    aside = lifted * parallax_per_mm(solution_of(camera), poses[:, :2])
    along = aside[:, :, None] * aside[:, None]
    fused, alone = np.zeros((2, len(poses), 3, 3))
    fused[:, :2, :2] = s.fused**2 * along
    place = s.flat_mm**2 * np.eye(2) + along
    alone[:, :2, :2] = place - fused[:, :2, :2]
    alone[:, 2, 2] = np.trace(place, axis1=1, axis2=2) / 2 / HALF_MM**2
    return fused, alone
