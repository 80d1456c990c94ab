"""Sparse times dense against NumPy, for every instruction set and number of threads."""

import numpy as np
import pytest
from scipy import sparse
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.reference.sparse import csr_matmul as reference

from quire import _core


def make(n_rows, n_cols, width, values=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    dense = rng.integers(1, 9, (n_rows, n_cols)) * (rng.random((n_rows, n_cols)) < 0.2)
    X = dense if values is np.int64 else dense * 0.1
    return X.astype(values), rng.normal(size=(n_cols, width)), rng.normal(size=width)


def arrays(X, index=np.int32):
    X = sparse.csr_array(X)
    return X.data, X.indices.astype(index), X.indptr.astype(index), X.shape[1]


@pytest.mark.parametrize("values", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("threshold", [None, 0.0, 0.35])
def test_product(values, index, threshold):
    X, W, offset = make(60, 40, 5, values)
    twin = reference.csr_matmul(X, W, offset, threshold)
    ours = _core.sparse.csr_matmul(arrays(X, index), W, offset, threshold, 2)
    np.testing.assert_allclose(ours, twin, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("width", [*range(1, 18), 20, 24, 31, 32, 33, 40, 64, 67, 200])
def test_every_width_and_instruction_set_gives_the_same_bits(width):
    X, W, offset = make(30, 50, width)
    csr = arrays(X)
    twin = reference.csr_matmul(X, W, offset, None)
    with simd("portable"):
        portable = _core.sparse.csr_matmul(csr, W, offset, None)
    np.testing.assert_allclose(portable, twin, rtol=1e-12, atol=1e-12)
    for level in SIMD_LEVELS:
        with simd(level):
            np.testing.assert_array_equal(_core.sparse.csr_matmul(csr, W, offset, None), portable)


def test_same_bits_at_any_number_of_threads():
    X, W, offset = make(1500, 300, 20)
    csr = arrays(X)
    one = _core.sparse.csr_matmul(csr, W, offset, None, 1)
    for n_threads in (2, 3, 8):
        np.testing.assert_array_equal(_core.sparse.csr_matmul(csr, W, offset, None, n_threads), one)


@pytest.mark.parametrize("values", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("threshold", [None, 0.35])
def test_argmax(values, threshold):
    X, W, offset = make(1500, 300, 20, values)
    csr = arrays(X, np.int64)
    scores = _core.sparse.csr_matmul(csr, W, offset, threshold)
    for n_threads in (1, 3):
        best, finite = _core.sparse.csr_argmax(csr, W, offset, threshold, n_threads)
        assert finite
        np.testing.assert_array_equal(best, scores.argmax(axis=1))
    np.testing.assert_array_equal(best, reference.csr_argmax(X, W, offset, threshold))


def test_argmax_of_equal_and_of_endless_scores():
    csr = arrays(np.eye(3))
    W = np.array([[1.0, 1.0], [0.0, 2.0], [3.0, 0.0]])
    best, finite = _core.sparse.csr_argmax(csr, W, np.zeros(2), None)
    assert best.tolist() == [0, 1, 0]
    assert finite
    assert not _core.sparse.csr_argmax(csr, W, np.full(2, -np.inf), None)[1]
    assert _core.sparse.csr_argmax(csr, W, np.array([0.0, -np.inf]), None)[1]
    with pytest.raises(ValueError, match="W must have a column"):
        _core.sparse.csr_argmax(csr, np.ones((3, 0)), np.empty(0), None)


def test_empty_matrices():
    offset = np.array([1.0, 2.0])
    no_rows = _core.sparse.csr_matmul(arrays(np.zeros((0, 3))), np.ones((3, 2)), offset, None)
    assert no_rows.shape == (0, 2)
    no_columns = _core.sparse.csr_matmul(arrays(np.zeros((2, 0))), np.ones((0, 2)), offset, None)
    np.testing.assert_array_equal(no_columns, [offset, offset])
    without_offset = _core.sparse.csr_matmul(arrays(np.eye(3)), np.ones((3, 2)), np.empty(0), None)
    np.testing.assert_array_equal(without_offset, np.ones((3, 2)))
    no_width = _core.sparse.csr_matmul(arrays(np.eye(3)), np.ones((3, 0)), np.empty(0), None)
    assert no_width.shape == (3, 0)


def test_sizes_that_do_not_fit_are_refused():
    csr = arrays(np.eye(3))
    with pytest.raises(ValueError, match="W must have"):
        _core.sparse.csr_matmul(csr, np.ones((2, 2)), np.empty(0), None)
    with pytest.raises(ValueError, match="offset must have"):
        _core.sparse.csr_matmul(csr, np.ones((3, 2)), np.ones(3), None)
    data, indices, indptr, _ = csr
    with pytest.raises(ValueError, match="column outside"):
        _core.sparse.csr_matmul((data, indices, indptr, 2), np.ones((2, 2)), np.empty(0), None)
