"""Templates: the one product gives what centring, weighting and scaling give."""

import numpy as np
import pytest

from vision.seeing.recognition.framed_faces import Templates

SINGLE = 1e-5  # single precision, over some hundred values


def correlate(seen, pictures, weights):
    """Return correlations (N, T) by the definition, in double precision."""
    share = weights / np.maximum(weights.sum(axis=0), 1e-300)

    def centred(of):
        flat = (of - (share * of).sum(axis=1, keepdims=True)) * weights
        return flat.reshape(len(of), -1)

    a, b = centred(seen.astype(np.float64)), centred(pictures.astype(np.float64))
    lengths = np.linalg.norm(a, axis=1)
    return a @ b.T / np.outer(lengths, np.linalg.norm(b, axis=1))


@pytest.mark.parametrize("lift", [0.0, 3.0])
@pytest.mark.parametrize("seed", range(3))
def test_comparing_is_the_weighted_normalised_correlation(seed, lift):
    rng = np.random.default_rng(seed)
    pictures = rng.normal(size=(5, 120, 3)).astype(np.float32)
    seen = (pictures[[3, 0]] + rng.normal(size=(2, 120, 3)) + lift).astype(np.float32)
    weights = rng.uniform(0.2, 2, (120, 3))
    scores = Templates.of(pictures, weights).compare(seen)
    assert scores == pytest.approx(correlate(seen, pictures, weights), abs=SINGLE)
    assert scores.argmax(axis=1).tolist() == [3, 0]


def test_a_channel_without_weight_counts_nothing():
    rng = np.random.default_rng(0)
    pictures, seen = (rng.normal(size=(n, 50, 3)).astype(np.float32) for n in (4, 2))
    weights = np.ones((50, 3)) * [0, 1, 1]
    other = seen.copy()
    other[..., 0] = rng.normal(size=(2, 50))
    templates = Templates.of(pictures, weights)
    assert templates.compare(seen) == pytest.approx(templates.compare(other), abs=SINGLE)
    expected = correlate(seen[..., 1:], pictures[..., 1:], weights[..., 1:])
    assert templates.compare(seen) == pytest.approx(expected, abs=SINGLE)


def test_what_is_all_alike_correlates_with_nothing():
    templates = Templates.of(np.random.default_rng(0).normal(size=(4, 50, 3)), np.ones((50, 3)))
    assert (templates.compare(np.zeros((1, 50, 3), np.float32)) == 0).all()


def test_nothing_is_compared_with_nothing_to_see():
    templates = Templates.of(np.ones((4, 50, 3)), np.ones((50, 3)))
    assert templates.compare(np.zeros((0, 50, 3), np.float32)).shape == (0, 4)
