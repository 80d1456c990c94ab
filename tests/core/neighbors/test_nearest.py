"""csr_nearest and dense_nearest against NumPy, for every instruction set and number of threads."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import normalize
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.reference.neighbors import csr_nearest as sparse_twin
from tests.reference.neighbors import dense_nearest as dense_twin

from quire import _core

NUMBERS = {"euclidean": 0, "sqeuclidean": 1, "cosine": 2}


def make(n, n_queries, n_cols, metric, density=0.15, values=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    chance = density * (1 + 8 * (np.arange(n_cols) % 7 == 0)) / 2  # some columns are frequent
    X, Q = (
        rng.normal(size=(m, n_cols)) * (rng.random((m, n_cols)) < chance) for m in (n, n_queries)
    )
    X[n // 2] = 0  # an empty document
    if metric == "cosine":
        X, Q = normalize(X), normalize(Q)
    return X.astype(values), Q.astype(values)


def by_csr(X, Q, metric, k, n_threads=1, index=np.int32):
    X, Q = sparse.csr_array(X), sparse.csr_array(Q)
    parts = [(A.data, A.indices.astype(index), A.indptr.astype(index), X.shape[1]) for A in (X, Q)]
    return _core.neighbors.csr_nearest(*parts, NUMBERS[metric], k, n_threads)


def by_dense(X, Q, metric, k, n_threads=1):
    return _core.neighbors.dense_nearest(X, Q, NUMBERS[metric], k, n_threads)


def assert_same(ours, twin, X, Q):
    np.testing.assert_allclose(
        ours[0], twin[0], rtol=1e-6 if X.dtype == np.float32 else 1e-12, atol=1e-12
    )
    np.testing.assert_array_equal(ours[1], twin[1])


@pytest.mark.parametrize("metric", NUMBERS)
@pytest.mark.parametrize("n_queries", [3, 50])  # few are searched directly
@pytest.mark.parametrize("values", [np.float32, np.float64])
def test_both_kernels_agree_with_numpy(metric, n_queries, values):
    X, Q = make(700, n_queries, 45, metric, values=values)
    for index in (np.int32, np.int64):
        ours = by_csr(X, Q, metric, 7, 2, index)
        assert_same(ours, sparse_twin.csr_nearest(*map(sparse.csr_array, (X, Q)), metric, 7), X, Q)
    assert_same(by_dense(X, Q, metric, 7, 2), dense_twin.dense_nearest(X, Q, metric, 7), X, Q)


@pytest.mark.parametrize("search", [by_csr, by_dense])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_same_bits_for_threads_and_instructions(search, metric):
    X, Q = make(20_000, 40, 30, metric, density=0.1)
    expected = search(X, Q, metric, 12, 1)
    for n_threads in (2, 3, 8):
        for found, wanted in zip(search(X, Q, metric, 12, n_threads), expected, strict=True):
            np.testing.assert_array_equal(found, wanted)
    for level in SIMD_LEVELS:
        with simd(level):
            for found, wanted in zip(search(X, Q, metric, 12, 2), expected, strict=True):
                np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("search", [by_csr, by_dense])
@pytest.mark.parametrize("k", [1, 60, 300])
def test_of_equal_points_the_first_come_first(search, k):
    X = np.tile(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [0.0, 0.0, 0.0]]), (100, 1))
    Q = np.tile(X[:1], (9, 1))
    for metric in ("euclidean", "sqeuclidean"):
        distances, indices = search(X, Q, metric, k, 2)
        wanted = dense_twin.dense_nearest(X, Q, metric, k)
        np.testing.assert_array_equal(indices, wanted[1])
        np.testing.assert_allclose(distances, wanted[0])
        assert distances[0, 0] == 0.0  # not 1e-8


@pytest.mark.parametrize("search", [by_csr, by_dense])
def test_scales_far_from_one(search):
    rng = np.random.default_rng(3)
    X, Q = rng.normal(size=(300, 8)), rng.normal(size=(20, 8))
    wanted = dense_twin.dense_nearest(X, Q, "euclidean", 9)
    for scale in (1e-30, 1e-12, 1e12, 1e100):
        distances, indices = search(X * scale, Q * scale, "euclidean", 9)
        np.testing.assert_array_equal(indices, wanted[1])
        np.testing.assert_allclose(distances, wanted[0] * scale, rtol=1e-12)
    far, queries = X + 1e6, Q + 1e6  # far from the origin
    wanted = dense_twin.dense_nearest(far, queries, "euclidean", 9)
    distances, indices = search(far, queries, "euclidean", 9)
    np.testing.assert_array_equal(indices, wanted[1])
    np.testing.assert_allclose(distances, wanted[0], rtol=1e-12)
    mixed = X * np.logspace(-20, 20, 300)[:, None]
    wanted = dense_twin.dense_nearest(mixed, Q, "euclidean", 9)
    np.testing.assert_array_equal(search(mixed, Q, "euclidean", 9)[1], wanted[1])
    huge = search(X * 1e200, Q * 1e200, "euclidean", 2)  # squares overflow
    assert np.isinf(huge[0]).all()
    assert huge[1].tolist() == [[0, 1]] * 20


@pytest.mark.parametrize("search", [by_csr, by_dense])
def test_edges(search):
    one = search(np.ones((1, 2)), np.zeros((10, 2)), "sqeuclidean", 1)
    assert one[0].tolist() == [[2.0]] * 10
    assert one[1].tolist() == [[0]] * 10
    nothing = search(np.ones((4, 2)), np.zeros((0, 2)), "euclidean", 2)
    assert nothing[0].shape == nothing[1].shape == (0, 2)
    zeros = search(np.zeros((40, 3)), np.zeros((12, 3)), "cosine", 3)
    np.testing.assert_array_equal(zeros[0], 1.0)
    assert zeros[1].tolist() == [[0, 1, 2]] * 12
    for k in (0, 5):
        with pytest.raises(ValueError, match="k must be in"):
            search(np.ones((4, 2)), np.ones((1, 2)), "euclidean", k)


def test_many_queries_come_in_chunks():
    X = np.arange(3000.0).reshape(-1, 1)
    distances, indices = by_dense(X, X, "euclidean", 2900, 2)  # few queries have room at a time
    assert indices[0].tolist() == list(range(2900))
    assert indices[2999].tolist() == list(range(2999, 99, -1))
    np.testing.assert_array_equal(distances[:, 0], 0.0)


def test_wrong_sizes_are_refused():
    with pytest.raises(ValueError, match="same columns"):
        _core.neighbors.dense_nearest(np.ones((4, 2)), np.ones((9, 3)), 0, 1, 1)
    wrong = np.ones(2), np.array([0, 5], np.int32), np.array([0, 1, 2], np.int32), 3
    with pytest.raises(ValueError, match="column outside"):
        _core.neighbors.csr_nearest(wrong, wrong, 0, 1, 1)
