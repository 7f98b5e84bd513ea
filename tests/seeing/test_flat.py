"""The table from above: what the photo does not show is not taken for shown."""

import numpy as np
import pytest

from vision.imaging.view import View
from vision.seeing.estimation.model import Solution
from vision.seeing.estimation.rectify import rectify

SIDE = 1000  # pixels of the photo, each way


def from_above(k1):
    """A camera 300 mm over the table; a millimetre is 3.3 pixels."""
    centre = np.full(2, SIDE / 2)
    away = np.array([0.0, 0.0, 300.0])
    return Solution(1000.0, centre, k1, 0.0, np.eye(3), away, np.zeros((0, 3)))


@pytest.mark.parametrize("k1", [0.0, -0.05])
def test_what_lies_far_beside_the_photo_is_not_shown(k1):
    """A lens with k1 = -0.05 would show what lies 1342 mm aside in the middle, mirrored."""
    view = View(np.full((SIDE, SIDE, 3), 90, np.uint8))
    here, far = (
        rectify(view, from_above(k1), (x - 60.0, -60.0, x + 60.0, 60.0), 1.0).inside
        for x in (0.0, 1342.0)
    )
    assert here.all()
    assert not far.any()
