"""The columns of a sparse matrix against a loop over its entries."""

import numpy as np
import pytest
from scipy import sparse
from tests.reference.sparse import csr_columns as columns_reference
from tests.reference.sparse import csr_transpose as reference

from quire import _core


def arrays(n_rows, n_cols, values=np.float64, index=np.int32, density=0.3):
    X = sparse.random_array((n_rows, n_cols), density=density, rng=np.random.default_rng(n_rows))
    X = sparse.csr_array(X)
    return (X.data * 100).astype(values), X.indices.astype(index), X.indptr.astype(index), n_cols


@pytest.mark.parametrize("values", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (1, 1), (50, 7), (7, 50), (400, 30)])
@pytest.mark.parametrize("n_threads", [1, 4])
def test_every_entry_goes_to_its_column(values, index, shape, n_threads):
    csr = arrays(*shape, values, index)
    for ours, twin in zip(
        _core.sparse.csr_transpose(csr, n_threads), reference.csr_transpose(*csr), strict=True
    ):
        assert ours.dtype == twin.dtype
        np.testing.assert_array_equal(ours, twin)


@pytest.mark.parametrize("n_threads", [1, 2, 3, 8])
def test_empty_rows_and_repeated_entries_keep_their_order(n_threads):
    rng = np.random.default_rng(0)
    lengths = rng.integers(0, 4, 5000) * (rng.random(5000) < 0.5)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    indices = rng.integers(0, 3, indptr[-1]).astype(np.int32)
    csr = rng.normal(size=indptr[-1]), indices, indptr, 3
    for ours, twin in zip(
        _core.sparse.csr_transpose(csr, n_threads), reference.csr_transpose(*csr), strict=True
    ):
        np.testing.assert_array_equal(ours, twin)


@pytest.mark.parametrize("n_threads", [1, 4])
def test_check_says_whether_columns_rise(n_threads):
    csr = arrays(5000, 30)
    assert _core.sparse.csr_check(csr, n_threads)
    assert columns_reference.csr_check(*csr)
    data, indices, indptr, n_cols = csr
    row = int(np.flatnonzero(np.diff(indptr) > 1)[-1])
    fallen = indices.copy()
    fallen[indptr[row] + 1] = fallen[indptr[row]]
    assert not _core.sparse.csr_check((data, fallen, indptr, n_cols), n_threads)
    assert not columns_reference.csr_check(data, fallen, indptr, n_cols)
    fallen[indptr[row]] = n_cols
    with pytest.raises(ValueError, match=f"row {row} has a column outside"):
        _core.sparse.csr_check((data, fallen, indptr, n_cols), n_threads)
    with pytest.raises(ValueError, match=f"row {row} has a column outside"):
        columns_reference.csr_check(data, fallen, indptr, n_cols)


@pytest.mark.parametrize(
    ("indices", "indptr", "message"),
    [
        ([0, 5], [0, 2], "column outside"),
        ([0, -1], [0, 2], "column outside"),
        ([0, 1], [0, 3], "indptr"),
        ([0, 1], [0, -1], "indptr"),
        ([0, 1], [1, 2], "indptr"),
    ],
)
def test_a_wrong_matrix_is_refused(indices, indptr, message):
    with pytest.raises(ValueError, match=message):
        _core.sparse.csr_transpose(
            (np.ones(2), np.array(indices, np.int32), np.array(indptr, np.int32), 2), 1
        )
