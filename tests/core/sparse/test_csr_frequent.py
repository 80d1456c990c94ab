"""A matrix with its frequent columns first against a loop over its entries."""

import numpy as np
import pytest
from scipy import sparse
from tests.reference.sparse import csr_frequent as reference

from quire import _core


def arrays(n_rows, n_cols, n_frequent=0, values=np.float64, index=np.int32):
    rng = np.random.default_rng(n_cols)
    share = np.where(rng.permutation(n_cols) < n_frequent, 0.7, 0.1 * rng.random(n_cols))
    X = sparse.csr_array(rng.normal(size=(n_rows, n_cols)) * (rng.random((n_rows, n_cols)) < share))
    return X.data.astype(values), X.indices.astype(index), X.indptr.astype(index), n_cols


@pytest.mark.parametrize("values", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize(
    "shape",
    [(0, 0, 0), (0, 3, 0), (3, 0, 0), (1, 1, 1), (200, 40, 0), (200, 40, 19), (90, 400, 300)],
)
@pytest.mark.parametrize("n_threads", [1, 4])
def test_frequent_columns_come_first(values, index, shape, n_threads):
    csr = arrays(*shape, values, index)
    found = _core.sparse.csr_frequent_first(csr, n_threads)
    for ours, twin in zip(found, reference.csr_frequent_first(*csr), strict=True):
        assert ours.dtype == twin.dtype
        np.testing.assert_array_equal(ours, twin)
    assert found[1].shape[1] == min(shape[2], 256) // 8 * 8 or shape[0] < 100


def test_head_and_tail_make_the_matrix():
    csr = arrays(3000, 60, 20)
    X = sparse.csr_array(csr[:3], shape=(3000, 60)).toarray().astype(np.float32)
    order, head, *tail = _core.sparse.csr_frequent_first(csr, 2)
    whole = sparse.csr_array(tuple(tail), shape=(3000, 60)).toarray()
    assert not whole[:, : head.shape[1]].any()
    whole[:, : head.shape[1]] = head
    np.testing.assert_array_equal(whole, X[:, order])


def test_repeated_entries_are_added_up():
    indptr = np.arange(0, 33, 2, dtype=np.int32)
    indices = np.tile(np.array([3, 3], dtype=np.int32), 16)
    indices[4:6] = [0, 1]
    data = np.arange(32.0)
    csr = data, indices, indptr, 8
    for ours, twin in zip(
        _core.sparse.csr_frequent_first(csr), reference.csr_frequent_first(*csr), strict=True
    ):
        np.testing.assert_array_equal(ours, twin)


def test_columns_outside_are_refused():
    csr = np.ones(1), np.array([5], dtype=np.int32), np.array([0, 1], dtype=np.int32), 5
    with pytest.raises(ValueError, match="column outside"):
        _core.sparse.csr_frequent_first(csr)
