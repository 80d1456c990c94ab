"""However the arrays of a matrix lie in memory, answers are the same, and errors are for people."""

import warnings

import numpy as np
import pytest
from fuzz.seeds import COUNTS, exported, fitted
from scipy import sparse
from sklearn.base import clone

MODELS = [
    (model, data)
    for cls in exported()
    for reads, model, data in fitted(cls)
    if reads == "matrix" and cls.__name__ != "HashingVectorizer"
]


def with_gaps(array):
    return np.repeat(array, 2)[::2]


def unaligned(array):
    room = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype)
    room[:] = array
    return room


def with_parts(data, indices, indptr):
    matrix = sparse.csr_array(COUNTS)
    matrix.data, matrix.indices, matrix.indptr = data, indices, indptr
    return matrix


def layouts():
    X = sparse.csr_array(COUNTS)
    parts = X.data, X.indices, X.indptr
    small, large = X.indices.astype(np.int32), X.indptr.astype(np.int64)
    return {
        "with gaps": with_parts(*map(with_gaps, parts)),
        "32-bit columns, 64-bit rows": with_parts(X.data, small, large),
        "64-bit columns, 32-bit rows": with_parts(
            X.data, X.indices.astype(np.int64), X.indptr.astype(np.int32)
        ),
        "unaligned": with_parts(*map(unaligned, parts)),
        "foreign": with_parts(*(part.astype(part.dtype.newbyteorder()) for part in parts)),
    }


def assert_own_words(error):
    for word in ("incompatible function arguments", "quire._core", "nanobind", "std::"):
        assert word not in str(error)


@pytest.mark.parametrize("layout", layouts())
@pytest.mark.parametrize(("model", "data"), MODELS, ids=lambda value: type(value).__name__)
def test_layouts_of_sparse_matrices(model, data, layout):
    """What a model says of the matrix in its usual form it says of it in every form."""
    matrix, plain = layouts()[layout], sparse.csr_array(COUNTS)
    for method in ("fit", "predict", "transform", "kneighbors"):
        if not hasattr(model, method):
            continue
        of = clone(model) if method == "fit" else model
        more = data[1:] if method == "fit" else ()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = getattr(of, method)(plain, *more)
            except Exception:
                continue  # it takes no sparse matrix
            try:
                found = getattr(of, method)(matrix, *more)
            except (ValueError, TypeError) as error:  # where scipy is asked, it may refuse
                assert_own_words(error)
                continue
        if method == "predict" and not hasattr(model, "kneighbors"):  # whose ties are open
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_jobs", [1.5, "two", np.float64(2)])
@pytest.mark.parametrize(("model", "data"), MODELS, ids=lambda value: type(value).__name__)
def test_threads_that_are_no_number(model, data, n_jobs):
    if "n_jobs" not in model.get_params():
        pytest.skip("it has no threads")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            clone(model).set_params(n_jobs=n_jobs).fit(*data)
        except (ValueError, TypeError) as error:
            assert_own_words(error)
