"""Coordinate descent on a quadratic against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.reference.linear import csc_quadratic_descent as reference

from quire import _core


def problem(n, p, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.5)).astype(dtype)
    return X, rng.random(n), rng.normal(size=n), rng.normal(size=p)


def arrays(X, index=np.int32):
    columns = sparse.csr_array(X.T)
    return columns.data, columns.indices.astype(index), columns.indptr.astype(index), X.shape[0]


def both(X, h, r, w, working, l1, l2, tol, passes, index=np.int32):
    curvature = (h @ X.astype(np.float64) ** 2)[working]
    ours, twin = (r.copy(), w.copy()), (r.copy(), w.copy())
    settings_ = (l1, l2, tol, passes)
    a = _core.linear.csc_quadratic_descent(
        arrays(X, index), working, curvature, h, *ours, *settings_
    )
    whole = X.astype(np.float64)
    b = reference.csc_quadratic_descent(whole, working, curvature, h, *twin, *settings_)
    return (a, *ours), (b, *twin)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize(("l1", "l2"), [(0.0, 0.0), (0.5, 0.0), (0.3, 0.2), (100.0, 0.0)])
def test_passes(dtype, index, l1, l2):
    X, h, r, w = problem(30, 12, dtype=dtype)
    working = np.array([3, 0, 7, 11], dtype=np.int64)
    ours, twin = both(X, h, r, w, working, l1, l2, 0.0, 5, index)
    for one, other in zip(ours, twin, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
    left_alone = np.setdiff1d(np.arange(12), working)
    np.testing.assert_array_equal(ours[2][left_alone], w[left_alone])


@given(
    n=st.integers(0, 12),
    p=st.integers(1, 8),
    l1=st.sampled_from([0.0, 0.1, 2.0]),
    l2=st.sampled_from([0.0, 0.5]),
    passes=st.integers(0, 4),
    seed=st.integers(0, 1000),
)
@settings(max_examples=50, deadline=None)
def test_any_shape(n, p, l1, l2, passes, seed):
    X, h, r, w = problem(n, p, seed)
    ours, twin = both(X, h, r, w, np.arange(p), l1, l2, 1e-3, passes)
    for one, other in zip(ours, twin, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-8)


def test_it_ends_when_nothing_moves():
    X, h, r, w = problem(60, 8)
    (moved, residual, found), _ = both(X, h, r, w, np.arange(8), 0.2, 0.1, 1e-10, 10_000)
    assert moved <= 1e-10
    slope = X.T @ residual + 0.1 * found  # the conditions of the optimum
    active = found != 0
    np.testing.assert_allclose(slope[active], -0.2 * np.sign(found[active]), atol=1e-8)
    assert (np.abs(slope[~active]) <= 0.2 + 1e-8).all()


def test_empty_columns_stay_where_they_are_without_a_penalty():
    X = np.zeros((5, 2))
    ours, _ = both(X, np.ones(5), np.ones(5), np.array([1.0, -2.0]), np.arange(2), 0.0, 0.0, 0.0, 3)
    np.testing.assert_array_equal(ours[2], [1.0, -2.0])


def test_sizes_that_do_not_fit_are_refused():
    X, h, r, w = problem(10, 4)
    every, curvature, rest = np.arange(4), np.ones(4), (0.0, 0.0, 0.0, 1)
    csr = arrays(X)
    with pytest.raises(ValueError, match="curvature must have"):
        _core.linear.csc_quadratic_descent(csr, every, curvature[:3], h, r, w, *rest)
    with pytest.raises(ValueError, match="h and residual"):
        _core.linear.csc_quadratic_descent(csr, every, curvature, h[:3], r, w, *rest)
    with pytest.raises(ValueError, match="w must have"):
        _core.linear.csc_quadratic_descent(csr, every, curvature, h, r, w[:3], *rest)
    with pytest.raises(ValueError, match="coordinate"):
        _core.linear.csc_quadratic_descent(csr, every + 1, curvature, h, r, w, *rest)
    data, indices, indptr, _ = csr
    with pytest.raises(ValueError, match="column outside"):
        _core.linear.csc_quadratic_descent(
            (data, indices, indptr, 5), every, curvature, h[:5], r[:5], w, *rest
        )
