"""Distances to components against NumPy, for every instruction set and number of threads."""

import numpy as np
import pytest
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.reference.cluster import mahalanobis as reference

from quire import _core


def make(n_rows, n_cols, n_components, upper, seed=0):
    rng = np.random.default_rng(seed)
    X, means = rng.normal(size=(n_rows, n_cols)), rng.normal(size=(n_components, n_cols))
    factors = rng.normal(size=(n_components, n_cols, n_cols))
    return X, means, np.triu(factors) if upper else factors


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("values", [np.float32, np.float64])
@pytest.mark.parametrize("n_cols", [1, 7, 8, 9, 31, 32, 33, 40, 70])
def test_every_width_and_instruction_set(n_cols, values, upper):
    X, means, factors = make(29, n_cols, 3, upper)
    X = X.astype(values)
    twin = reference.dense_mahalanobis(X.astype(np.float64), means, factors)
    found = []
    for level in SIMD_LEVELS:
        with simd(level):
            found.append(_core.cluster.dense_mahalanobis(X, means, factors.ravel(), upper))
    np.testing.assert_allclose(found[0], twin, rtol=1e-12)
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_same_bits_at_any_number_of_threads():
    X, means, factors = make(1500, 20, 4, True)
    one = _core.cluster.dense_mahalanobis(X, means, factors.ravel(), True, 1)
    for n_threads in (2, 3, 8):
        other = _core.cluster.dense_mahalanobis(X, means, factors.ravel(), True, n_threads)
        np.testing.assert_array_equal(other, one)


def test_below_the_diagonal_nothing_is_read():
    X, means, factors = make(10, 12, 2, True)
    full = factors + np.tril(np.ones((12, 12)), -1)
    for wide in (factors, full):
        whole = _core.cluster.dense_mahalanobis(
            X[:, :1], means[:, :1].copy(), wide[:, 0, 0].copy(), True
        )
        assert np.isfinite(whole).all()
    np.testing.assert_allclose(
        _core.cluster.dense_mahalanobis(X, means, factors.ravel(), True),
        _core.cluster.dense_mahalanobis(X, means, factors.ravel(), False),
        rtol=1e-13,
    )


def test_no_rows_and_sizes_that_do_not_fit():
    X, means, factors = make(5, 4, 2, True)
    assert _core.cluster.dense_mahalanobis(X[:0], means, factors.ravel(), True).shape == (0, 2)
    with pytest.raises(ValueError, match="fit each other"):
        _core.cluster.dense_mahalanobis(X, means, factors.ravel()[1:], True)
    with pytest.raises(ValueError, match="stored by rows"):
        _core.cluster.dense_mahalanobis(np.asfortranarray(X), means, factors.ravel(), True)
