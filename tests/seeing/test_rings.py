"""Sums over rings at all rotations, and matches of features, against the same done one by one."""

import numpy as np
import pytest

from vision.seeing.pieces.disc_matching import (
    COARSE_RINGS,
    FINE_RINGS,
    Rings,
    RingSettings,
    masked_ring_correlation,
)
from vision.seeing.pieces.prints import Keypoints, PlanarPrint, match_features

TOL = 1e-4  # float32 over some thousand samples
RADIUS = 20.0
APART_MM = 10.0  # matches nearer than this are one place of a print of half a metre


def some_rings(count: int, channels: int, s: RingSettings, seed: int) -> Rings:
    rng = np.random.default_rng(seed)
    return Rings(rng.normal(60, 40, (count, channels, s.rings, s.turns)).astype(np.float32), s)


def one_by_one(seen: np.ndarray, face: np.ndarray, shown: np.ndarray, s: RingSettings) -> float:
    """Return the correlation of visible samples, of lightness alone and of all channels."""
    weights = shown * s.weights
    weights = weights / weights.sum()
    one, other = np.array(seen, float), np.array(face, float)
    for values in (one, other):
        values[0] -= (values[0] * weights).sum()
    sums = [
        (a * b * weights).sum(axis=(1, 2)) for a, b in ((one, other), (one, one), (other, other))
    ]
    light, both = (
        cross / np.sqrt(max(first, s.faint**2) * max(second, s.faint**2))
        for cross, first, second in (
            [values[0] for values in sums],
            [values.sum() for values in sums],
        )
    )
    return 0.6 * light + 0.4 * both


@pytest.mark.parametrize("settings", [FINE_RINGS, COARSE_RINGS])
@pytest.mark.parametrize("channels", [1, 3])
def test_covered_samples_do_not_count_at_any_rotation(
    settings: RingSettings, channels: int
) -> None:
    seen, faces = (some_rings(n, channels, settings, seed=n) for n in (3, 2))
    centres = np.array([[0.0, 0.0], [100.0, 0.0], [200.0, 0.0]])
    hiding = np.array([[110.0, 3.0, 15.0], [205.0, -4.0, 12.0]])
    found, share = masked_ring_correlation(seen, faces, centres, RADIUS, hiding)
    assert share[0] == pytest.approx(1.0)
    assert (share[1:] < 0.9).all()
    angle = np.arange(settings.turns) * 2 * np.pi / settings.turns
    ring = np.stack([np.sin(angle), -np.cos(angle)], axis=1)
    radii = RADIUS * np.linspace(settings.innermost, settings.outermost, settings.rings)
    for n in range(3):
        at = centres[n] + radii[:, None, None] * ring
        away = np.linalg.norm(at[:, :, None] - hiding[:, :2], axis=-1)
        shown = (away > 1.04 * hiding[:, 2]).all(axis=-1)
        for k in range(2):
            for turn in (0, 7, settings.turns - 1):
                turned = np.roll(faces.values[k], turn, axis=-1)
                wanted = one_by_one(seen.values[n], turned, shown, settings)
                assert found[n, k, turn] == pytest.approx(wanted, abs=TOL)


def test_a_face_is_found_at_its_rotation() -> None:
    faces = some_rings(4, 3, FINE_RINGS, seed=1)
    seen = Rings(np.roll(faces.values, 11, axis=-1), FINE_RINGS)
    found, _ = masked_ring_correlation(seen, faces, np.zeros((4, 2)), RADIUS, np.zeros((0, 3)))
    assert found.max(axis=2).argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert np.diagonal(found.argmax(axis=2)).tolist() == [11] * 4
    assert found[:, :, 11].diagonal() == pytest.approx(1.0, abs=TOL)


def test_the_second_match_lies_elsewhere() -> None:
    rng = np.random.default_rng(3)
    descriptors = rng.random((400, 128)).astype(np.float32)
    descriptors /= np.linalg.norm(descriptors, axis=1, keepdims=True)
    points = rng.uniform(-50, 50, (400, 2))
    art = np.zeros((90, 90, 3), np.uint8)
    board = PlanarPrint.from_art(
        "board", art, (500.0, 500.0), known={"board": Keypoints(points, descriptors)}
    )
    noisy = descriptors[rng.permutation(400)[:30]] + rng.normal(0, 0.02, (30, 128))
    noisy = (noisy / np.linalg.norm(noisy, axis=1, keepdims=True)).astype(np.float32)
    seen = Keypoints(rng.uniform(0, 900, (30, 2)), noisy)
    pairs = match_features(board, seen)
    for k, own in enumerate(seen.descriptors):
        alike = descriptors @ own
        best = int(alike.argmax())
        far = np.linalg.norm(points - points[best], axis=1) > APART_MM
        ratio = np.sqrt(max(2 - 2 * alike[best], 0) / (2 - 2 * alike[far].max()))
        assert pairs.art[k].tolist() == points[best].tolist()
        assert pairs.ratio[k] == pytest.approx(ratio, abs=1e-3)
