"""Dual coordinate descent against its twins."""

import numpy as np
import pytest
from scipy import sparse
from tests.reference.margins import csr_svm_descent as reference

from quire import _core


def problem(n=60, p=15, n_classes=5, seed=0, dtype=np.float64, index=np.int32):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.4)).astype(dtype)
    X[3] = 0  # an empty document
    rows = sparse.csr_array(X)
    arrays = rows.data, rows.indices.astype(index), rows.indptr.astype(index), p
    return X, arrays, rng.integers(0, n_classes, n).astype(np.int32), rng.uniform(0.5, 2, n)


def descend(arrays, codes, costs, n_classes, squared, tol=1e-10, n_threads=1, bias=1.0, seed=0):
    positives = np.arange(n_classes, dtype=np.int32)
    own = np.linspace(1, 2, n_classes)
    rest = np.ones(n_classes)
    return _core.margins.csr_svm_descent(
        arrays, codes, costs, positives, own, rest, squared, bias, tol, 20_000, seed, n_threads
    )


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("squared", [True, False])
def test_every_class_as_if_alone(squared, index):
    X, arrays, codes, costs = problem(n=30, p=8, n_classes=3, index=index)
    W, _ = descend(arrays, codes, costs, 3, squared)
    for k in range(3):
        y = np.where(codes == k, 1.0, -1.0)
        c = costs * np.where(y > 0, np.linspace(1, 2, 3)[k], 1.0)
        twin = reference.csr_svm_descent(X, y, c, squared, 1.0, 3000)
        np.testing.assert_allclose(W[:, k], twin, atol=1e-5)


@pytest.mark.parametrize("n_classes", [1, 3, 8, 9, 21, 40])
def test_threads_and_instructions_change_no_bit(n_classes):
    _, arrays, codes, costs = problem(n=200, n_classes=max(n_classes, 2), dtype=np.float32)
    first = descend(arrays, codes, costs, n_classes, True, tol=1e-3)
    level = _core.base.simd_level()
    try:
        for name in ("portable", "avx2", _core.base.simd_supported()):
            _core.base.set_simd_level(name)
            for n_threads in (1, 2, 3):
                found = descend(arrays, codes, costs, n_classes, True, 1e-3, n_threads)
                np.testing.assert_array_equal(found[0], first[0])
                np.testing.assert_array_equal(found[1], first[1])
    finally:
        _core.base.set_simd_level(level)


def test_single_precision_is_near_the_minimum():
    X, arrays, codes, costs = problem(n=300, dtype=np.float32)
    W, _ = descend(arrays, codes, costs, 5, True, tol=1e-4)
    exact = (arrays[0].astype(np.float64), *arrays[1:])
    best, _ = descend(exact, codes, costs, 5, True, tol=1e-9)

    def objective(w, k):
        y = np.where(codes == k, 1.0, -1.0)
        c = costs * np.where(y > 0, np.linspace(1, 2, 5)[k], 1.0)
        z = X.astype(np.float64) @ w[:-1] + w[-1]
        return 0.5 * w @ w + (c * np.maximum(1 - y * z, 0) ** 2).sum()

    for k in range(5):
        assert objective(W[:, k], k) <= objective(best[:, k], k) * (1 + 2e-6)


def test_no_cost_no_say():
    _, arrays, codes, costs = problem()
    costs[10:] = 0
    short = tuple(arrays[2][:11])
    few = (arrays[0][: short[-1]], arrays[1][: short[-1]], arrays[2][:11], arrays[3])
    W, _ = descend(arrays, codes, costs, 5, True)
    V, _ = descend(few, codes[:10], costs[:10], 5, True)
    np.testing.assert_allclose(W, V, atol=1e-6)


@pytest.mark.parametrize("squared", [True, False])
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_numbers(squared, epsilon):
    X, arrays, _, costs = problem()
    y = X @ np.arange(15.0) + 1
    settings = (epsilon, squared, 2.0)
    w, _ = _core.margins.csr_svr_descent(arrays, y, costs, *settings, 1e-9, 20_000, 0)
    twin = reference.csr_svr_descent(X, y, costs, *settings, 5000)
    np.testing.assert_allclose(w[:-1], twin[:-1], atol=1e-4)
    np.testing.assert_allclose(w[-1], twin[-1], atol=1e-4)


def test_sizes_that_do_not_fit_are_refused():
    _, arrays, codes, costs = problem()
    with pytest.raises(ValueError, match="codes and costs"):
        descend(arrays, codes[:5], costs, 5, True)
    with pytest.raises(ValueError, match="column outside"):
        descend((*arrays[:3], 4), codes, costs, 5, True)
    with pytest.raises(ValueError, match="y and costs"):
        _core.margins.csr_svr_descent(arrays, costs[:3], costs, 0.0, True, 1.0, 1e-3, 10, 0)
