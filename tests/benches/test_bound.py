"""The Cramér-Rao bound of the bench: it falls with contrast and area, and grows with noise."""

import numpy as np
import pytest

from bench.common.bound import bound_of, noise_of
from vision.imaging.view import to_gray


@pytest.mark.parametrize("sigma", [1.0, 3.0, 8.0])
def test_the_noise_of_a_smooth_picture_is_found(sigma):
    rng = np.random.default_rng(0)
    y, x = np.mgrid[0:120, 0:160]
    patch = 100 + 0.3 * x - 0.2 * y + sigma * rng.standard_normal(x.shape)
    patch[40:60, 50:90] += 80  # an edge does not count
    assert noise_of(patch) == pytest.approx(sigma, rel=0.08)


def bounds(photo, bank):
    gray = to_gray(photo.image)
    return np.array([bound_of(gray, photo.camera, card, bank) for card in photo.cards])


def test_more_noise_and_less_light_allow_less(show, bank):
    """Half the contrast doubles the bound; so does twice the noise, about: JPEG takes some."""
    plain = bounds(show(tilt_deg=10.0, noise=2.0, jpeg_quality=98), bank)
    noisy = bounds(show(tilt_deg=10.0, noise=4.0, jpeg_quality=98), bank)
    assert np.median(noisy / plain) == pytest.approx(2.0, rel=0.25)
    assert (plain[:, 0] < 0.02).all()  # mm, at 1.7 px/mm
    assert (plain > 0).all()


def test_a_card_that_is_cut_off_has_no_bound(show, bank):
    photo = show(tilt_deg=10.0)
    gray = to_gray(photo.image)[:, :60]
    assert bound_of(gray, photo.camera, photo.cards[0], bank) is None
