"""Log densities against their twin."""

import numpy as np
import pytest
from tests.core.counts.test_class_moments import DTYPES, LAYOUTS
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.reference.counts import gaussian as reference

from quire import _core


def make(n_rows, n_cols, n_classes, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n_rows, n_cols)).astype(dtype)
    mean, scale = rng.standard_normal((2, n_classes, n_cols))
    return X, mean, np.abs(scale) + 0.1, rng.standard_normal(n_classes)


def call(X, mean, scale, offset, n_threads=1):
    return _core.counts.dense_gaussian_log_likelihood(
        X, mean.ravel(), scale.ravel(), offset, n_threads
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("n_rows", "n_cols", "n_classes"),
    [(1, 1, 1), (31, 3, 2), (32, 64, 5), (33, 65, 1), (100, 200, 7), (70, 3, 1000), (5000, 1, 3)],
)
def test_log_likelihood(dtype, n_rows, n_cols, n_classes):
    problem = make(n_rows, n_cols, n_classes, dtype)
    twin = reference.dense_gaussian_log_likelihood(*problem)
    np.testing.assert_allclose(call(*problem, 2), twin, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("n_cols", "n_classes"), [(1, 2), (13, 3), (130, 300)])
def test_same_bits_however_it_is_computed_and_stored(dtype, n_cols, n_classes):
    X, *rest = make(1100, n_cols, n_classes, dtype)
    one = call(X, *rest)
    for n_threads in (2, 3, 8):
        np.testing.assert_array_equal(call(X, *rest, n_threads), one)
    for level in SIMD_LEVELS:
        with simd(level):
            np.testing.assert_array_equal(call(X, *rest, 2), one)
    for layout in LAYOUTS.values():
        np.testing.assert_array_equal(call(layout(X), *rest, 2), one)


def test_values_that_are_not_finite_show():
    X, mean, scale, offset = make(100, 9, 3)
    scale[1] = 0
    X[3, 4], X[50, 8], X[99, 0] = np.nan, np.inf, -np.inf
    finite = np.isfinite(call(X, mean, scale, offset))
    assert not finite[[3, 50, 99]].any()
    assert np.delete(finite, [3, 50, 99], axis=0).all()


def test_impossible_classes():
    X, mean, scale, offset = make(40, 3, 2)
    offset[1] = -np.inf
    scores = call(X, mean, scale, offset)
    assert np.isfinite(scores[:, 0]).all()
    assert (scores[:, 1] == -np.inf).all()


def test_no_rows_columns_or_classes():
    assert call(np.empty((0, 2)), np.ones((3, 2)), np.ones((3, 2)), np.ones(3)).shape == (0, 3)
    empty = np.empty((3, 0))
    assert call(np.empty((2, 0)), empty, empty, np.arange(3.0)).tolist() == [[0, 1, 2]] * 2
    assert call(np.ones((2, 2)), np.empty((0, 2)), np.empty((0, 2)), np.empty(0)).shape == (2, 0)


def test_arrays_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="one entry for each class and column"):
        call(np.ones((2, 2)), np.ones((1, 3)), np.ones((1, 2)), np.ones(1))
