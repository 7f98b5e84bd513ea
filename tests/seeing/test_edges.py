"""Outlines by edges of any kind: a card's, however grainy the cloth; none of the grain's own."""

import cv2
import numpy as np
import pytest

from vision.seeing.detection.edge_quads import equalise_contrast, find_edge_quads

QUAD = np.array([[160.0, 150.0], [248.0, 162.0], [231.0, 290.0], [143.0, 278.0]])  # 89 x 129 px
#: Outlines of widened edges run a pixel or two beside; they are sharpened after.
PLACE_TOL_PX = 3.0
MOST_OF_GRAIN = 20  # outlines on 0.3 MP of bare cloth; with thresholds in the grain: 47 and more


def photo(card, noise, seed=0):
    """Draw a plain card on a dark cloth, or the cloth alone, with noise."""
    rng = np.random.default_rng(seed)
    fine = np.full((4 * 480, 4 * 640, 3), (46, 44, 42), np.uint8)
    if card is not None:
        cv2.fillConvexPoly(fine, np.round((QUAD + 0.5) * 4 - 0.5).astype(np.int32), card)
    picture = cv2.resize(fine, (640, 480), interpolation=cv2.INTER_AREA).astype(np.float64)
    picture += cv2.GaussianBlur(rng.normal(0, 2 * noise, picture.shape), (0, 0), 0.8)
    return np.clip(picture, 0, 255).astype(np.uint8)


def away(quads):
    """Return how far each outline's corners are from the card's at most, px."""
    turned = np.stack([np.roll(quads, k, axis=1) for k in range(4)])
    return np.linalg.norm(turned - QUAD, axis=3).max(axis=2).min(axis=0)


@pytest.mark.parametrize("noise", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("card", [(90, 88, 86), (20, 20, 22), (46, 44, 90)])
def test_a_card_is_outlined_on_grainy_cloth(card, noise):
    quads = find_edge_quads(equalise_contrast(photo(card, noise)))
    assert away(quads).min(initial=np.inf) < PLACE_TOL_PX


@pytest.mark.parametrize("noise", [1.0, 3.0, 6.0])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_grain_of_a_cloth_has_no_outlines(noise, seed):
    assert len(find_edge_quads(equalise_contrast(photo(None, noise, seed)))) <= MOST_OF_GRAIN
