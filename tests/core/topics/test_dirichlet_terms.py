"""Sums over Dirichlet parameters against SciPy, for any number of threads."""

import numpy as np
import pytest
from tests.reference.topics import dirichlet_terms as reference

from quire import _core


@pytest.mark.parametrize("powers", [(-8, -2), (-2, 1), (0, 1.2), (1, 9)])
def test_single_terms(powers):
    for q in 10 ** np.random.default_rng(0).uniform(*powers, 200):
        one = np.array([q])
        for prior in (0.0, 0.3, 50.0):
            expected = reference.dirichlet_terms(one, prior)
            scale = max(1.0, q * np.log(q)) if q > 1 else 1.0 + prior / q
            found = _core.topics.dirichlet_terms(one, prior)
            assert found == pytest.approx(expected, rel=1e-11, abs=1e-11 * scale)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_bits_at_any_number_of_threads(dtype):
    q = np.random.default_rng(1).gamma(0.5, 4.0, 100_000).astype(dtype) + dtype(1e-3)
    one = _core.topics.dirichlet_terms(q, 0.1)
    assert one == pytest.approx(reference.dirichlet_terms(q.astype(float), 0.1), rel=1e-12)
    for n_threads in (2, 3, 8):
        assert _core.topics.dirichlet_terms(q, 0.1, n_threads) == one
    assert _core.topics.dirichlet_terms(q[:0], 0.1) == 0
