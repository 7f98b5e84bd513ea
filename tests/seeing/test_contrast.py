"""Edges along the sides of outlines: all along a card's, on whatever cloth; not through a weave."""

import cv2
import numpy as np
import pytest

from vision.seeing.detection.edge_contrast import side_shares
from vision.seeing.detection.quads import refine_quads

QUAD = np.array([[60.0, 50.0], [148.0, 62.0], [131.0, 190.0], [43.0, 178.0]])  # 89 x 129 px
#: The drawing itself is an eighth of a pixel too large, 0.2 at a corner; noise is the rest.
PLACE_TOL_PX = 0.4


def table(card, cloth, *, noise=3.0, weave=0.0, seed=0):
    """Draw a plain card on a cloth of plain colour, or one woven of squares."""
    rng = np.random.default_rng(seed)
    picture = np.empty((240, 220, 3))
    picture[:] = cloth
    y, x = np.mgrid[:240, :220]
    picture += weave * (((x // 7) + (y // 7)) % 2)[..., None]
    fine = np.repeat(np.repeat(picture, 4, axis=0), 4, axis=1)
    if card is not None:
        at = np.round((QUAD + 0.5) * 4 - 0.5).astype(np.int32)
        cv2.fillConvexPoly(fine, at, card)
    picture = cv2.resize(fine, (220, 240), interpolation=cv2.INTER_AREA)
    picture = cv2.GaussianBlur(picture, (0, 0), 0.7) + rng.normal(0, noise, picture.shape)
    return np.clip(picture, 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("card", "cloth"),
    [
        ((245, 245, 245), (60, 90, 50)),
        ((30, 30, 30), (60, 60, 60)),
        ((240, 240, 240), (228, 230, 226)),  # white on white
        ((90, 60, 160), (160, 60, 90)),  # as light, of another colour
    ],
)
def test_an_edge_runs_all_along_a_cards_sides(card, cloth):
    assert side_shares(table(card, cloth), QUAD[None]).min() > 0.85


@pytest.mark.parametrize("weave", [0.0, 25.0])
@pytest.mark.parametrize("seed", range(4))
def test_no_edge_runs_through_cloth(weave, seed):
    assert side_shares(table(None, (90, 90, 90), weave=weave, seed=seed), QUAD[None]).min() < 0.6


def test_a_side_that_lies_elsewhere_is_not_there():
    longer = QUAD.copy()
    longer[2:] += 0.2 * (longer[2:] - longer[[1, 0]])  # the lower side 26 px too low
    shares = side_shares(table((245, 245, 245), (60, 90, 50)), longer[None])[0]
    assert shares[2] < 0.3
    assert shares[0] > 0.85


def test_nothing_is_asked_of_no_outlines():
    assert side_shares(table(None, (90, 90, 90)), np.zeros((0, 4, 2))).shape == (0, 4)


@pytest.mark.parametrize("off", [-1.6, -0.7, 0.0, 1.2, 2.0])
def test_outlines_beside_the_edge_are_brought_to_it(off):
    """What a mask gives is too large or too small, all round."""
    middle = QUAD.mean(axis=0)
    rough = QUAD + off * np.sqrt(2) * (QUAD - middle) / np.linalg.norm(
        QUAD - middle, axis=1, keepdims=True
    )
    picture = table((245, 245, 245), (60, 90, 50))
    found = refine_quads(picture, rough[None])[0]
    assert np.abs(found - QUAD).max() < PLACE_TOL_PX


def test_an_outline_without_edges_stays():
    picture = table(None, (90, 90, 90), noise=1.0)
    assert np.array_equal(refine_quads(picture, QUAD[None])[0], QUAD)
