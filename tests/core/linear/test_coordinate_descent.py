"""Paths of the lasso and the elastic net against plain cyclic descent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.reference.linear import coordinate_descent as reference

from quire import _core

NONE = np.empty(0)
TIGHT = 1e-14


def make(n=60, p=30, density=0.3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < density)
    w = rng.normal(size=p) * (rng.random(p) < 0.3)
    return X, X @ w + 0.3 * rng.normal(size=n)


def penalties(X, y, n=4, l1_ratio=1.0, eps=0.05):
    largest = np.abs(X.T @ y).max()
    grid = np.geomspace(largest, largest * eps, n)
    return grid, grid * (1 - l1_ratio) / l1_ratio


def csc(X, y, l1, l2, means=NONE, roots=NONE, start=NONE, tol=TIGHT, max_iter=100_000,
        positive=False, n_threads=1, index=np.int32, values=np.float64):  # fmt: skip
    C = sparse.csc_array(X)
    arrays = C.data.astype(values), C.indices.astype(index), C.indptr.astype(index), X.shape[0]
    return _core.linear.csc_enet_path(
        arrays, means, roots, y, l1, l2, start, tol, max_iter, positive, n_threads
    )


def dense(X, y, l1, l2, start=NONE, tol=TIGHT, max_iter=100_000, positive=False, n_threads=1):
    F = np.asfortranarray(X)
    return _core.linear.dense_enet_path(F, y, l1, l2, start, tol, max_iter, positive, n_threads)


def gram(X, y, l1, l2, start=NONE, tol=TIGHT, max_iter=100_000, positive=False, n_threads=1):
    G = np.ascontiguousarray(X.T @ X)
    return _core.linear.gram_enet_path(
        G, X.T @ y, float(y @ y), l1, l2, start, tol, max_iter, positive, n_threads
    )


KERNELS = [csc, dense, gram]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("shape", [(60, 30), (30, 60), (40, 300)])
def test_the_minimum_is_that_of_the_twin(kernel, l1_ratio, positive, shape):
    X, y = make(*shape)
    l1, l2 = penalties(X, y, l1_ratio=l1_ratio)
    coefs, gaps, n_iter = kernel(X, y, l1, l2, positive=positive)
    twin = reference.dense_enet_path(X, y, l1, l2, positive)
    np.testing.assert_allclose(coefs, twin, atol=2e-6 * np.abs(twin).max())
    assert np.all(gaps <= TIGHT * (y @ y))
    assert n_iter[0] == 0  # the first penalty is the least that makes all zero
    assert np.all(n_iter[1:] > 0)


@pytest.mark.parametrize("weighted", [False, True])
def test_means_are_taken_out_of_a_sparse_matrix(weighted):
    X, y = make(80, 300)
    X += X != 0
    rng = np.random.default_rng(1)
    s = rng.uniform(0, 2, len(y)) if weighted else np.ones(len(y))
    s[:3] = 0 if weighted else 1
    q = np.sqrt(s)
    means = np.average(X, axis=0, weights=s)
    yq = q * (y - np.average(y, weights=s))
    Xq = q[:, None] * X
    whole = reference.centered(Xq, means, q)
    l1, l2 = penalties(whole, yq, l1_ratio=0.7, eps=0.2)
    coefs, gaps, _ = csc(Xq, yq, l1, l2, means=means, roots=q if weighted else NONE)
    twin = reference.dense_enet_path(whole, yq, l1, l2)
    np.testing.assert_allclose(coefs, twin, atol=1e-6 * np.abs(twin).max())
    for k, gap in enumerate(gaps):
        assert gap == pytest.approx(
            reference.gap(whole, yq, coefs[k], l1[k], l2[k]), abs=1e-12 * (yq @ yq)
        )


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("l1_ratio", [1.0, 0.3])
def test_the_gap_bounds_what_is_missing(kernel, l1_ratio):
    X, y = make(50, 320, density=0.5)
    l1, l2 = penalties(X, y, 4, l1_ratio, eps=0.2)
    best = reference.dense_enet_path(X, y, l1, l2)
    for max_iter in (1, 2, 5, 20):
        coefs, gaps, n_iter = kernel(X, y, l1, l2, tol=1e-12, max_iter=max_iter)
        assert np.all(n_iter <= max_iter)
        for k in range(len(l1)):
            missing = reference.objective(X, y, coefs[k], l1[k], l2[k]) - reference.objective(
                X, y, best[k], l1[k], l2[k]
            )
            assert missing <= gaps[k] + 1e-12 * (y @ y)
            twin = reference.gap(X, y, coefs[k], l1[k], l2[k])
            assert gaps[k] == pytest.approx(twin, rel=1e-6, abs=1e-12 * (y @ y))


@pytest.mark.parametrize("kernel", KERNELS)
def test_orthonormal_columns_are_soft_thresholded(kernel):
    rng = np.random.default_rng(0)
    X = np.linalg.qr(rng.normal(size=(50, 20)))[0]
    y = rng.normal(size=50)
    z = X.T @ y
    for l2 in (0.0, 0.7):
        coefs, _, _ = kernel(X, y, np.array([0.2]), np.array([l2]))
        expected = np.sign(z) * np.maximum(np.abs(z) - 0.2, 0) / (1 + l2)
        np.testing.assert_allclose(coefs[0], expected, atol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_optimality_conditions(kernel):
    """x_j'r - l2 w_j is l1 times the sign of w_j, and at most l1 in size where w_j is 0."""
    X, y = make(100, 500, seed=3)
    l1, l2 = penalties(X, y, 5, 0.8)
    coefs, _, _ = kernel(X, y, l1, l2)
    for k in range(1, len(l1)):
        w = coefs[k]
        a = X.T @ (y - X @ w) - l2[k] * w
        np.testing.assert_allclose(a[w != 0], l1[k] * np.sign(w[w != 0]), rtol=1e-5)
        assert np.abs(a[w == 0]).max() <= l1[k] * (1 + 1e-5)


def test_large_working_sets_are_swept_through_the_residual():
    rng = np.random.default_rng(0)
    X = sparse.random(400, 3000, 0.01, random_state=0).toarray()
    y = rng.normal(size=400)
    l1, l2 = np.array([0.02]), np.array([0.05])
    coefs, gaps, _ = csc(X, y, l1, l2, tol=1e-12)
    assert (coefs != 0).sum() > 600  # so that its Gram matrix has more numbers than X
    assert gaps[0] <= 1e-12 * (y @ y)
    a = X.T @ (y - X @ coefs[0]) - l2 * coefs[0]
    assert np.abs(a).max() <= l1[0] * (1 + 1e-4)


@pytest.mark.parametrize("values", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_types(values, index):
    X, y = make()
    X = X.astype(values).astype(np.float64)
    l1, l2 = penalties(X, y)
    coefs, _, _ = csc(X, y, l1, l2, values=values, index=index)
    twin = reference.dense_enet_path(X, y, l1, l2)
    np.testing.assert_allclose(coefs, twin, atol=1e-6)
    small = _core.linear.dense_enet_path(
        np.asfortranarray(X, dtype=values), y, l1, l2, NONE, TIGHT, 100_000, False, 1
    )[0]
    np.testing.assert_allclose(small, twin, atol=1e-6)


@pytest.mark.parametrize("kernel", [csc, dense])
def test_same_bits_with_any_threads_and_instructions(kernel):
    X, y = make(700, 400, seed=5)
    l1, l2 = penalties(X, y, 6, 0.9, 0.01)
    one = kernel(X, y, l1, l2, tol=1e-8)
    for n_threads in (2, 4):
        for ours, first in zip(
            kernel(X, y, l1, l2, tol=1e-8, n_threads=n_threads), one, strict=True
        ):
            np.testing.assert_array_equal(ours, first)
    for level in SIMD_LEVELS:
        with simd(level):
            for ours, first in zip(kernel(X, y, l1, l2, tol=1e-8), one, strict=True):
                np.testing.assert_array_equal(ours, first)


@pytest.mark.parametrize("kernel", KERNELS)
def test_zero_constant_and_repeated_columns(kernel):
    X, y = make(60, 12, density=0.9)
    X[:, 0] = 0
    X[:, 3] = X[:, 2]
    X[:, 5] = -2 * X[:, 4]
    l1, l2 = penalties(X, y)
    coefs, gaps, _ = kernel(X, y, l1, l2, tol=1e-12, start=np.ones(12))
    assert np.all(coefs[:, 0] == 0)
    assert np.all(gaps <= 1e-12 * (y @ y))
    best = reference.dense_enet_path(X, y, l1, l2)
    np.testing.assert_allclose(X @ coefs.T, X @ best.T, atol=1e-5)


def test_a_constant_column_of_a_centred_matrix_has_no_part():
    X, y = make(60, 300)
    X[:, 7] = 0.1
    means = X.mean(axis=0)
    l1, l2 = np.array([1e-3]), np.array([0.0])
    coefs, _, _ = csc(X, y - y.mean(), l1, l2, means=means, tol=1e-3, start=np.ones(300))
    assert coefs[0, 7] == 0


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_start_near_the_end_saves_sweeps(kernel):
    X, y = make(100, 300)
    l1, l2 = np.array([1.0]), np.array([0.1])
    coefs, _, n_iter = kernel(X, y, l1, l2, tol=1e-8)
    again, _, n_again = kernel(X, y, l1, l2, tol=1e-8, start=coefs[0])
    assert n_again[0] < n_iter[0]
    np.testing.assert_allclose(again, coefs, atol=1e-4)


@pytest.mark.parametrize("kernel", KERNELS)
def test_without_an_l1_penalty(kernel):
    """Ridge regression, and least squares."""
    X, y = make(60, 10, density=1.0)
    coefs, _, _ = kernel(X, y, np.zeros(1), np.array([2.0]))
    ridge = np.linalg.solve(X.T @ X + 2 * np.eye(10), X.T @ y)
    np.testing.assert_allclose(coefs[0], ridge, atol=1e-6)
    coefs, _, _ = kernel(X, y, np.zeros(1), np.zeros(1))
    np.testing.assert_allclose(coefs[0], np.linalg.lstsq(X, y)[0], atol=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
def test_edges(kernel):
    zero = np.zeros(3)
    coefs, gaps, n_iter = kernel(np.ones((3, 2)), zero, np.array([1.0]), np.array([0.0]))
    assert not coefs.any()
    assert gaps[0] == 0
    assert n_iter[0] == 0
    coefs, _, _ = kernel(np.ones((3, 2)), zero + 1, np.empty(0), np.empty(0))
    assert coefs.shape == (0, 2)
    X, y = make(10, 4)
    coefs, gaps, n_iter = kernel(X, y, np.array([0.1]), np.array([0.0]), tol=0.0, max_iter=500)
    assert n_iter[0] <= 500
    assert gaps[0] <= 1e-14 * (y @ y)


def test_wrong_arguments():
    X, y = make(10, 4)
    one = np.ones(1)
    with pytest.raises(ValueError, match="must fit X"):
        csc(X, y[:5], one, one)
    with pytest.raises(ValueError, match="one length"):
        dense(X, y, one, np.ones(2))
    with pytest.raises(ValueError, match="n_features columns"):
        dense(X, y, one, one, start=np.ones(3))
    with pytest.raises(ValueError, match="in one piece"):
        _core.linear.dense_enet_path(np.ascontiguousarray(X), y, one, one, NONE, 1e-4, 10, False, 1)
    with pytest.raises(ValueError, match="n_features x n_features"):
        _core.linear.gram_enet_path(
            np.ones((2, 2)), np.ones(3), 1.0, one, one, NONE, 1e-4, 10, False, 1
        )


@settings(max_examples=40)
@given(
    n=st.integers(2, 25),
    p=st.integers(1, 30),
    density=st.floats(0.05, 1),
    share=st.floats(0.01, 1.5),
    l1_ratio=st.floats(0.1, 1),
    positive=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_all_kernels_reach_the_minimum(n, p, density, share, l1_ratio, positive, seed):
    X, y = make(n, p, density, seed)
    largest = max(np.abs(X.T @ y).max(), 1e-3)
    l1, l2 = np.array([share * largest * l1_ratio]), np.array([share * largest * (1 - l1_ratio)])
    best = reference.dense_enet_path(X, y, l1, l2, positive)[0]
    for kernel in KERNELS:
        coefs, gaps, _ = kernel(X, y, l1, l2, tol=1e-10, positive=positive)
        assert gaps[0] <= 1e-10 * (y @ y)
        missing = reference.objective(X, y, coefs[0], l1[0], l2[0]) - reference.objective(
            X, y, best, l1[0], l2[0]
        )
        assert abs(missing) <= 1.1e-10 * (y @ y)
        assert not positive or np.all(coefs >= 0)


@pytest.mark.parametrize("kernel", KERNELS)
def test_penalties_in_any_order(kernel):
    """Working sets shrink and grow again, and their Gram matrices with them."""
    X, y = make(300, 600, density=0.2, seed=7)
    largest = np.abs(X.T @ y).max()
    l1 = largest * np.array([0.02, 0.8, 0.1, 0.5, 0.02, 0.01, 0.9])
    coefs, gaps, _ = kernel(X, y, l1, 0.1 * l1, tol=1e-12)
    assert np.all(gaps <= 1e-12 * (y @ y))
    for k, penalty in enumerate(l1):
        alone, _, _ = kernel(X, y, l1[k : k + 1], 0.1 * l1[k : k + 1], tol=1e-12)
        np.testing.assert_allclose(coefs[k], alone[0], atol=1e-4 * np.abs(alone).max())
        a = X.T @ (y - X @ coefs[k]) - 0.1 * penalty * coefs[k]
        assert np.abs(a).max() <= penalty * (1 + 1e-3)
    assert np.count_nonzero(coefs[0]) > 250
    assert np.count_nonzero(coefs[1]) < 20
