"""A sheet that is not flat: its print is followed to where it lies, whatever the light."""

import cv2
import numpy as np
import pytest

from vision.geometry import circle
from vision.imaging.view import to_gray
from vision.seeing.estimation.rectify import Bend, Rectified
from vision.seeing.pieces.print_comparison import fit_photometry, to_art_colours
from vision.seeing.pieces.prints import PlanarPrint, bend_of, block_agreement

SIZE_MM = (148.0, 105.0)
PX_PER_MM = 4.0
FOLLOWED_TOL_MM = 0.15  # half a pixel of the rectified sheet
WHITE, LIGHT_TOL = 240, 16.0  # grey levels: 28 tell a thing from the print


def drawn_art(seed: int) -> np.ndarray:
    """Draw strokes on white paper, a dark panel at the right."""
    rng = np.random.default_rng(seed)
    art = np.full((840, 1184, 3), WHITE, np.uint8)
    art[:, 1000:] = (60, 50, 170)
    for x in range(60, 1150, 70):
        for y in range(60, 820, 70):
            ink = (30, 30, 30) if x < 1000 else (230, 230, 230)
            ends = rng.integers(-22, 23, (2, 2)) + np.array([x, y])
            cv2.line(art, ends[0].tolist(), ends[1].tolist(), ink, 6, cv2.LINE_AA)
            cv2.circle(art, (x, y), int(rng.integers(6, 16)), ink, 3, cv2.LINE_AA)
    return art


def seen(
    art: np.ndarray, terms: np.ndarray, light: float = 0.0, veil: float = 0.0, things: int = 0
) -> Rectified:
    """Photograph art whose print lies off by a bend, in light that falls off, things on it."""
    wide, high = (round(side * PX_PER_MM) for side in SIZE_MM)
    half = np.divide(SIZE_MM, 2)
    small = cv2.resize(art, (wide, high), interpolation=cv2.INTER_AREA)
    y, x = np.mgrid[:high, :wide].astype(np.float32)
    at = np.stack([x, y], axis=-1).reshape(-1, 2) / PX_PER_MM - half
    off = Bend(-terms, half).at(at).reshape(high, wide, 2) * PX_PER_MM  # to first order
    image = cv2.remap(
        small,
        x + off[..., 0].astype(np.float32),
        y + off[..., 1].astype(np.float32),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    ).astype(np.float64)
    image *= (1 + light * (x / wide - 0.5))[..., None] * 0.7
    image += veil
    rng = np.random.default_rng(things)
    image = image.astype(np.uint8)
    for centre in rng.uniform([80, 80], [wide - 80, high - 80], (things, 2)):
        ring = (centre + circle(5.0) * PX_PER_MM).astype(np.int32)
        cv2.fillPoly(image, [ring], rng.integers(0, 255, 3).tolist())
    return Rectified(image, np.ones((high, wide), bool), PX_PER_MM, -half)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("things", [0, 9])
def test_a_bend_is_measured_beside_things_and_in_uneven_light(seed: int, things: int) -> None:
    print_ = PlanarPrint.from_art("sheet", drawn_art(seed), SIZE_MM)
    terms = np.random.default_rng(seed).normal(0, 0.35, (6, 2))
    found = bend_of(print_, seen(print_.art, terms, light=0.5, things=things))
    assert found is not None
    grid = np.stack(np.meshgrid(np.linspace(-60, 60, 9), np.linspace(-42, 42, 7)), axis=-1)
    points = grid.reshape(-1, 2)
    wanted = Bend(terms, np.divide(SIZE_MM, 2)).at(points)
    assert np.hypot(*(found.at(points) - wanted).T).max() < FOLLOWED_TOL_MM


def test_of_a_sheet_of_which_nothing_shows_no_bend_is_known() -> None:
    print_ = PlanarPrint.from_art("sheet", drawn_art(0), SIZE_MM)
    rectified = seen(np.full_like(print_.art, 128), np.zeros((6, 2)))
    assert bend_of(print_, rectified) is None


@pytest.mark.parametrize("light", [-0.1, 0.0, 0.1])
def test_white_paper_is_white_beside_a_dark_panel_under_a_veil(light: float) -> None:
    """Else its corner would be a counter: black print tells little of the light."""
    print_ = PlanarPrint.from_art("sheet", drawn_art(1), SIZE_MM)
    rectified = seen(print_.art, np.zeros((6, 2)), light=light, veil=40.0)
    fit = fit_photometry(print_.art, rectified, block_agreement(print_, rectified))
    tones = to_gray(np.clip(to_art_colours(rectified, fit), 0, 255).astype(np.uint8))
    small = cv2.resize(print_.art, tones.shape[::-1], interpolation=cv2.INTER_AREA)
    paper = cv2.erode((to_gray(small) >= WHITE - 1).astype(np.uint8), np.ones((5, 5))) > 0
    assert np.abs(tones[paper].astype(float) - WHITE).max() < LIGHT_TOL
