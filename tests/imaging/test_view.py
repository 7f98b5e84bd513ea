import numpy as np
import pytest

from vision.imaging.view import (
    View,
    from_level,
    sample,
    scaled,
    scaling,
    shown_at,
    to_gray,
    to_level,
)

NOISY = np.random.default_rng(0).integers(0, 255, (260, 300, 3), np.uint8)


@pytest.mark.parametrize("size_wh", [(320, 250), (321, 251), (323, 253)])
def test_a_point_keeps_its_place_in_every_level(size_wh):
    """A ramp's value says which x a pixel of a level shows."""
    x, y = np.meshgrid(np.arange(size_wh[0]), np.arange(size_wh[1]))
    ramp = np.stack([x // 2, y, (x + y) // 3], axis=-1).astype(np.uint8)
    for k, level in enumerate(View(ramp)):
        assert level.shape[:2] == (size_wh[1] >> k, size_wh[0] >> k)
        rows = from_level(np.arange(level.shape[0]), k)  # photo y of each row
        assert level[:, 3, 1] == pytest.approx(rows, abs=1.0)  # tones; rounded at each level
        assert float((level[:, 3, 1] - rows).mean()) == pytest.approx(0, abs=0.6)
        columns = (from_level(np.arange(level.shape[1]), k) - 0.5) / 2
        assert level[3, :, 0] == pytest.approx(columns, abs=1.0)


def test_the_pyramid_starts_with_the_photo_and_keeps_its_mean():
    pyramid = View(NOISY[:256, :256], levels=4)
    assert len(pyramid) == 4
    assert pyramid[0].base is NOISY or np.array_equal(pyramid[0], NOISY[:256, :256])
    means = [level.mean() for level in pyramid]
    assert means == pytest.approx([means[0]] * 4, abs=0.6)  # tones; each halving rounds up


def test_the_pyramid_of_a_small_picture_ends_early():
    assert len(View(NOISY[:40, :40])) == 2


def test_luma_weighs_green_most():
    pure = np.zeros((3, 1, 3), np.uint8)
    pure[[0, 1, 2], 0, [0, 1, 2]] = 255  # blue, green, red
    assert to_gray(pure)[:, 0].tolist() == [29, 150, 76]  # 0.114, 0.587, 0.299 of 255 (BT.601)
    assert to_gray(NOISY).shape == NOISY.shape[:2]


def test_a_level_that_is_not_there_is_refused():
    with pytest.raises(IndexError, match="from 0 to 1, got 2"):
        View(NOISY, 2)[2]


def test_levels_are_made_once():
    view = View(NOISY)
    assert view[2] is view[2]
    assert view.gray(2) is view.gray(2)
    assert np.array_equal(view.gray(2), to_gray(view[2]))


@pytest.mark.parametrize(("side_px", "level"), [(1000, 0), (300, 0), (299, 1), (75, 2), (10, 3)])
def test_the_finest_level_that_is_no_longer(side_px, level):
    assert View(NOISY).level_within(side_px) == level


def test_levels_undo_one_another_and_scaling_is_the_same():
    points = np.array([[0.0, 0.0], [-0.5, 7.25], [299.0, 259.0]])
    assert np.array_equal(from_level(to_level(points, 3), 3), points)
    assert np.array_equal(to_level(points, 2), scaled(points, 0.25))
    mapped = np.column_stack([points, np.ones(3)]) @ scaling(0.3).T
    assert mapped[:, :2] == pytest.approx(scaled(points, 0.3), abs=1e-12)


def test_a_level_shows_its_pixels_where_the_photo_has_them():
    view = View(NOISY)
    y, x = np.mgrid[3:7, 5:9]
    at_px = from_level(np.stack([x, y], axis=-1), 1)
    assert np.array_equal(shown_at(view, at_px, 1), view[1][3:7, 5:9])


@pytest.mark.parametrize("count", [0, 1, 4096, 4097, 40_000, 150_000])
def test_any_number_of_points_is_sampled(count):
    """OpenCV itself takes 32,766 in a row; a photo of hundreds of keys asked for more."""
    at = np.random.default_rng(count).integers(0, 260, (count, 1, 2))
    for picture in (NOISY, NOISY.astype(np.float32), NOISY[..., 0].copy()):
        tones = sample(picture, at.astype(float))
        assert tones.dtype == picture.dtype
        assert np.array_equal(tones, picture[at[..., 1], at[..., 0]])
