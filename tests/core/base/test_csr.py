"""What kernels take as a sparse matrix: scipy's, or its arrays; nothing is converted."""

import numpy as np
import pytest
from scipy import sparse

from quire import _core

DENSE = np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 0.0], [3.0, 0.0, 4.0], [0.0, 5.0, 0.0]])
W = np.ones((3, 2))


def product(X):
    return _core.sparse.csr_matmul(X, W, np.empty(0), None)


def parts(X):
    return X.data, X.indices, X.indptr, X.shape[1]


@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
@pytest.mark.parametrize("value", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_matrices_and_their_arrays(kind, value, index):
    X = kind(DENSE.astype(value))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    for form in (X, parts(X)):
        np.testing.assert_array_equal(product(form), DENSE @ W)
    data, indices, indptr = _core.sparse.csr_transpose(X)
    assert (data.dtype, indices.dtype, indptr.dtype) == (value, index, index)


def test_arrays_are_read_where_they_lie():
    X = sparse.csr_array(DENSE)
    _core.text.csr_tfidf(X, None, "l2", 1)
    np.testing.assert_allclose(np.linalg.norm(X.toarray(), axis=1), [1, 0, 1, 1])
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    product(X)
    with pytest.raises(TypeError, match="incompatible"):
        _core.text.csr_tfidf(X, None, "l2", 1)


def with_parts(**changes):
    X = sparse.csr_array(DENSE)
    for name, part in changes.items():
        setattr(X, name, part)
    return X


GOOD = sparse.csr_array(DENSE)


@pytest.mark.parametrize(
    "X",
    [
        DENSE,
        None,
        sparse.csc_array(DENSE),
        sparse.coo_array(DENSE),
        with_parts(data=GOOD.data.astype(np.int32)),
        with_parts(data=GOOD.data.astype(np.complex128)),
        with_parts(data=GOOD.data.astype("m8[s]")),
        with_parts(data=GOOD.data[:, None]),
        with_parts(data=GOOD.data.tolist()),
        with_parts(indices=GOOD.indices.astype(np.uint32)),
        parts(GOOD)[:3],
        (*parts(GOOD)[:3], -1),
        (*parts(GOOD)[:3], 3.0),
        [*parts(GOOD)],
    ],
)
def test_what_is_no_such_matrix_is_refused(X):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        product(X)


@pytest.mark.parametrize(
    "X",
    [
        with_parts(data=GOOD.data.astype(">f8")),
        with_parts(indices=GOOD.indices.astype(">i4")),
        with_parts(data=np.repeat(GOOD.data, 2)[::2]),
        with_parts(indices=np.repeat(GOOD.indices, 2)[::2]),
        with_parts(indptr=np.repeat(GOOD.indptr, 2)[::2]),
        with_parts(indptr=GOOD.indptr.astype(np.int64)),
        with_parts(indices=GOOD.indices.astype(np.int64)),
    ],
)
def test_arrays_that_lie_in_another_way_are_copied(X):
    np.testing.assert_array_equal(product(X), product(GOOD))
    np.testing.assert_array_equal(product(parts(X)), product(GOOD))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (with_parts(indices=GOOD.indices[1:]), "data and indices differ in length: 5 and 4"),
        (with_parts(indptr=GOOD.indptr[:0]), "indptr is empty"),
        (with_parts(indptr=GOOD.indptr[:-1]), "indptr has 4 entries; the shape asks for 5"),
    ],
)
def test_lengths_that_do_not_fit_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        product(X)


def test_columns():
    X, one = sparse.csc_array(DENSE), np.array([0.5])
    path = (np.empty(0), np.empty(0), np.ones(4), one, one, np.empty(0), 1e-9, 1000, False)
    expected = _core.linear.dense_enet_path(np.asfortranarray(DENSE), *path[2:])[0]
    tuple_form = X.data, X.indices, X.indptr, 4
    for form in (X, sparse.csc_matrix(DENSE), tuple_form):
        found = _core.linear.csc_enet_path(form, *path)[0]
        np.testing.assert_allclose(found, expected, atol=1e-6)
    with pytest.raises(TypeError, match="incompatible"):
        _core.linear.csc_enet_path(sparse.csr_array(DENSE), *path)


def test_a_solver_has_a_copy_of_the_matrix():
    X = sparse.csr_array(DENSE)
    solver = _core.linear.csr_sparse_logistic(
        X, np.array([0, 1, 0, 1], np.int32), 2, np.empty(0), True
    )
    largest = solver.l1_max()
    X.data = X.data * 0
    del X
    assert solver.l1_max() == largest
