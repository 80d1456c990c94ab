"""Kernels of rows and the solver of the dual, against their twins."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel, sigmoid_kernel
from tests.reference.margins import kernel_rows as rows_reference
from tests.reference.margins import smo as reference

from quire import _core


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_kernels(single, n_threads):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(5, 4)), rng.normal(size=(1030, 4))
    squares = (X**2).sum(axis=1), (Z**2).sum(axis=1)
    gamma, coef0, degree = 0.3, 0.5, 3
    expected = (
        linear_kernel(X, Z),
        polynomial_kernel(X, Z, degree, gamma, coef0),
        rbf_kernel(X, Z, gamma),
        sigmoid_kernel(X, Z, gamma, coef0),
    )
    for kind, wanted in enumerate(expected):
        found = _core.margins.kernel_rows(
            X @ Z.T, *squares, kind, gamma, coef0, degree, single, n_threads
        )
        assert found.dtype == (np.float32 if single else np.float64)
        np.testing.assert_allclose(found, wanted, rtol=1e-6 if single else 1e-12, atol=1e-7)
        twin = rows_reference.kernel_rows(X @ Z.T, *squares, kind, gamma, coef0, degree)
        np.testing.assert_allclose(twin, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_kernels_into_a_table(n_threads):
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(3, 4)), rng.normal(size=(1030, 4))
    given = X @ Z.T, (X**2).sum(axis=1), (Z**2).sum(axis=1)
    for kind in range(4):
        table = np.full((6, 1030), 7, dtype=np.float32)
        places = np.array([0, 2, 5])
        _core.margins.kernel_rows_into(*given, kind, 0.3, 0.5, 3, places, table, n_threads)
        wanted = _core.margins.kernel_rows(*given, kind, 0.3, 0.5, 3, True, n_threads)
        np.testing.assert_array_equal(table[places], wanted)
        before = np.full((6, 1030), 7.0)
        twin = rows_reference.kernel_rows_into(before, places, *given, kind, 0.3, 0.5, 3)
        np.testing.assert_allclose(table, twin, rtol=1e-6, atol=1e-7)
    for places in ([0, 1, 6], [-1, 0, 1], [0, 2, 2], [2, 1, 3]):
        with pytest.raises(ValueError, match="must rise and be rows of the table"):
            _core.margins.kernel_rows_into(*given, 2, 0.3, 0.5, 3, np.array(places), table)
    with pytest.raises(ValueError, match="entry for each row"):
        _core.margins.kernel_rows_into(*given, 2, 0.3, 0.5, 3, np.array([0]), table)
    with pytest.raises(ValueError, match="column for each other row"):
        _core.margins.kernel_rows_into(*given, 2, 0.3, 0.5, 3, np.arange(3), table[:, :5].copy())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_gram(dtype, index):
    A = sparse.random_array((9, 20), density=0.3, rng=np.random.default_rng(0), dtype=dtype).tocsr()
    T = sparse.csr_array(A[:6].T)
    arrays = [(M.data, M.indices.astype(index), M.indptr.astype(index), M.shape[1]) for M in (A, T)]
    for n_threads in (1, 2):
        found = _core.margins.csr_gram(*arrays, n_threads)
        twin = rows_reference.csr_gram(A.toarray(), T.toarray())
        np.testing.assert_allclose(found, twin, rtol=1e-6)
    with pytest.raises(ValueError, match="row for each column"):
        _core.margins.csr_gram(arrays[1], arrays[1])


def problem(n, seed=0, C=1.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0, 1.0, -1.0)
    K = rbf_kernel(X, gamma=0.5).astype(np.float32)
    return K, y, np.where(y > 0, 0, -C), np.where(y > 0, C, 0.0)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 40, 101])
@pytest.mark.parametrize("level", ["portable", "avx2", "avx512"])
def test_steps_are_those_of_the_twin(n, level):
    K, y, low, high = problem(n)
    before = _core.base.simd_level()
    try:
        _core.base.set_simd_level(level if level != "avx512" else _core.base.simd_supported())
        beta, slack = np.zeros(n), y.copy()
        whole = np.array([[0, n]], dtype=np.int64)
        ours = _core.margins.smo(K, whole, low, high, 1e-6, 10_000, beta, slack)
    finally:
        _core.base.set_simd_level(before)
    twin = np.zeros(n), y.copy()
    theirs = reference.smo(K.astype(np.float64), low, high, 1e-6, 10_000, *twin)
    assert ours[0] == theirs[0]
    np.testing.assert_allclose(beta, twin[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(slack, twin[1], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(slack, y - K @ beta, atol=1e-6)
    assert abs(beta.sum()) < 1e-9


def test_segments_are_parts_of_a_larger_matrix():
    K, y, low, high = problem(50)
    part = np.r_[5:20, 30:47]
    segments = np.array([[5, 15], [30, 17]], dtype=np.int64)
    beta, slack = np.zeros(32), y[part].copy()
    _core.margins.smo(K, segments, low[part], high[part], 1e-8, 10_000, beta, slack)
    alone = np.zeros(32), y[part].copy()
    small = np.ascontiguousarray(K[np.ix_(part, part)])
    _core.margins.smo(small, np.array([[0, 32]]), low[part], high[part], 1e-8, 10_000, *alone)
    np.testing.assert_array_equal(beta, alone[0])


def test_slack():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(7, 2500)).astype(np.float32)
    which, change = np.array([5, 0, 6]), rng.normal(size=3)
    for n_threads in (1, 2):
        slack = np.ones(2500)
        _core.margins.smo_slack(table, which, change, slack, n_threads)
        twin = reference.smo_slack(table.astype(np.float64), which, change, np.ones(2500))
        np.testing.assert_allclose(slack, twin, atol=1e-12)
    with pytest.raises(ValueError, match="row that the table"):
        _core.margins.smo_slack(table, which + 1, change, slack)


def test_sizes_that_do_not_fit_are_refused():
    K, y, low, high = problem(10)
    for segments, message in (([[0, 11]], "outside K"), ([[0, 9]], "all variables")):
        with pytest.raises(ValueError, match=message):
            _core.margins.smo(K, np.array(segments), low, high, 1e-3, 10, np.zeros(10), y.copy())
    with pytest.raises(ValueError, match="low, high and slack"):
        _core.margins.smo(K, np.array([[0, 10]]), low[:3], high, 1e-3, 10, np.zeros(10), y.copy())
