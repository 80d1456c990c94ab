"""The kernel of sparse logistic regression against its twin: dtypes, threads, sizes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference.linear import sparse_logistic as reference

from quire import _core

NONE = np.empty(0)


def make(n_rows, n_cols, n_classes, seed=0, density=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_cols)) * (rng.random((n_rows, n_cols)) < density)
    W = rng.normal(size=(n_cols, n_classes))
    codes = (X @ W + rng.gumbel(size=(n_rows, n_classes))).argmax(axis=1)
    codes[:n_classes] = np.arange(n_classes)
    return X, codes.astype(np.int32)


def kernel(X, codes, n_classes, weights=NONE, fit_intercept=True, index=np.int32, n_threads=1):
    X = sparse.csr_array(X)
    rows = X.data, X.indices.astype(index), X.indptr.astype(index), X.shape[1]
    return _core.linear.csr_sparse_logistic(
        rows, codes, n_classes, weights, fit_intercept, n_threads
    )


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("l1", "l2"), [(2.0, 0.0), (0.5, 0.0), (0.5, 1.0)])
def test_minimum(n_classes, fit_intercept, l1, l2):
    X, codes = make(80, 12, n_classes)
    s = np.random.default_rng(1).uniform(0, 2, len(codes))
    solver = kernel(X, codes, n_classes, s, fit_intercept)
    assert isinstance(solver, _core.linear.SparseLogistic)
    coef, intercept, objective, gap, n_iter, converged = solver.fit(l1, l2, 1e-9, 200, np.inf)
    assert converged
    assert gap <= 1e-9
    assert n_iter > 0
    W, b = reference.sparse_logistic(X, codes, n_classes, s, l1, l2, fit_intercept)
    least = reference.objective(X, codes, s, W, b, l1, l2)
    assert objective == pytest.approx(
        reference.objective(X, codes, s, coef, intercept, l1, l2), rel=1e-12
    )
    assert abs(objective - least) < 1e-8
    np.testing.assert_allclose(coef, W, atol=1e-4)
    np.testing.assert_array_equal(coef != 0, W != 0)
    breach = reference.largest_breach(X, codes, s, coef, intercept, l1, l2, fit_intercept)
    assert breach < 1e-4


@given(
    seed=st.integers(0, 10_000),
    n_classes=st.integers(2, 4),
    share=st.floats(0.02, 1.2),
    l2=st.sampled_from([0.0, 0.01, 3.0]),
    tolerance=st.sampled_from([1.0, 1e-2, 1e-5]),
    fit_intercept=st.booleans(),
)
def test_gap_bounds_the_distance_to_the_minimum(
    seed, n_classes, share, l2, tolerance, fit_intercept
):
    X, codes = make(25, 6, n_classes, seed)
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 3, len(codes)).astype(float)
    solver = kernel(X, codes, n_classes, s, fit_intercept)
    l1 = max(share * solver.l1_max(), 1e-3)
    rough = solver.fit(l1, l2, tolerance, 500, np.inf)
    fine = kernel(X, codes, n_classes, s, fit_intercept).fit(l1, l2, 1e-10, 2000, np.inf)
    assert rough[5]
    assert fine[5]
    assert rough[2] - fine[2] <= rough[3] + 1e-9
    assert rough[3] <= tolerance


@pytest.mark.parametrize("values", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_every_matrix_type(values, index, n_classes):
    X, codes = make(60, 10, n_classes)
    X = X.astype(values)
    twin = kernel(X.astype(float), codes, n_classes).fit(0.5, 0.1, 1e-8, 100, np.inf)
    ours = kernel(X, codes, n_classes, index=index).fit(0.5, 0.1, 1e-8, 100, np.inf)
    np.testing.assert_allclose(ours[0], twin[0], atol=1e-6)
    dense = _core.linear.dense_sparse_logistic(np.asfortranarray(X), codes, n_classes, NONE, True)
    result = dense.fit(0.5, 0.1, 1e-8, 100, np.inf)
    np.testing.assert_allclose(result[0], twin[0], atol=1e-6)
    np.testing.assert_allclose(result[1], twin[1], atol=1e-6)
    assert dense.l1_max() == pytest.approx(kernel(X, codes, n_classes).l1_max(), rel=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_same_bits_at_any_number_of_threads(n_classes):
    X, codes = make(6000, 300, n_classes, density=0.05)
    one = kernel(X, codes, n_classes).fit(3.0, 0.0, 1e-3, 100, np.inf, 1)
    for n_threads in (2, 4):
        solver = kernel(X, codes, n_classes, n_threads=n_threads)
        other = solver.fit(3.0, 0.0, 1e-3, 100, np.inf, n_threads)
        np.testing.assert_array_equal(other[0], one[0])
        np.testing.assert_array_equal(other[1], one[1])
        assert other[2:] == one[2:]
    F = np.asfortranarray(X)
    dense = [
        _core.linear.dense_sparse_logistic(F, codes, n_classes, NONE, True).fit(
            3.0, 0.0, 1e-3, 100, np.inf, n_threads
        )
        for n_threads in (1, 4)
    ]
    np.testing.assert_array_equal(dense[0][0], dense[1][0])


def test_arrays_live_as_long_as_the_solver():
    X, codes = make(50, 5, 2)
    expected = kernel(X, codes, 2).fit(0.5, 0.0, 1e-6, 100, np.inf)[0]
    solver = _core.linear.dense_sparse_logistic(
        np.asfortranarray(X + 0.0), codes + np.int32(0), 2, np.ones(50), True
    )
    np.testing.assert_allclose(solver.fit(0.5, 0.0, 1e-6, 100, np.inf)[0], expected, atol=1e-6)


def test_sizes_that_do_not_fit_are_refused():
    X, codes = make(20, 4, 2)
    with pytest.raises(ValueError, match="codes must have"):
        kernel(X, codes[:-1], 2)
    with pytest.raises(ValueError, match="weights must have"):
        kernel(X, codes, 2, np.ones(3))
    with pytest.raises(ValueError, match="a class outside"):
        kernel(X, codes + np.int32(1), 2)
    with pytest.raises(ValueError, match="n_classes must be"):
        kernel(X, codes, 1)
    with pytest.raises(ValueError, match="coef must be"):
        kernel(X, codes, 2).start(np.zeros((3, 1)), np.zeros(1))
