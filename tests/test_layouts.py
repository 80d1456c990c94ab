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
METHODS = ("predict", "predict_proba", "decision_function", "transform", "kneighbors")


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


def assert_says(error, remedy):
    assert remedy in str(error)


def answers(model, method, X, more, usual):
    """Return what a method answers; of `fit`, what the fitted model says of the usual rows."""
    found = getattr(clone(model) if method == "fit" else model, method)(X, *more)
    if method == "fit":
        again = [name for name in METHODS if hasattr(found, name)]
        return [part for name in again for part in answers(found, name, usual, (), usual)]
    parts = found if isinstance(found, tuple) else (found,)
    return [part.toarray() if sparse.issparse(part) else np.asarray(part) for part in parts]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("layout", layouts())
@pytest.mark.parametrize(("model", "data"), MODELS, ids=lambda value: type(value).__name__)
def test_layouts_of_sparse_matrices(model, data, layout):
    """What a model says of the matrix in its usual form it says of it in every form."""
    if "random_state" in model.get_params():
        model = clone(model).set_params(random_state=0).fit(*data)
    plain = sparse.csr_array(COUNTS)
    for method in ("fit", *METHODS):
        more = data[1:] if method == "fit" else ()
        try:
            expected = answers(model, method, plain, more, plain)
        except (AttributeError, ValueError, TypeError):
            continue  # it has no such method, or takes no sparse matrix
        found = answers(model, method, layouts()[layout], more, plain)
        for ours, usual in zip(found, expected, strict=True):
            np.testing.assert_array_equal(ours, usual)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("model", "data"), MODELS, ids=lambda value: type(value).__name__)
def test_dense_rows_that_are_not_aligned(model, data):
    """They are copied, or refused with the remedy; no kernel reads them as they are."""
    rows = unaligned(COUNTS.ravel()).reshape(COUNTS.shape)
    assert not rows.flags.aligned
    if "random_state" in model.get_params():
        model = clone(model).set_params(random_state=0).fit(*data)
    for method in ("fit", *METHODS):
        more = data[1:] if method == "fit" else ()
        if not hasattr(model, method):
            continue
        try:
            expected = answers(model, method, COUNTS, more, COUNTS)
        except TypeError:
            continue  # labels, of which there is no mean
        try:
            found = answers(model, method, rows, more, COUNTS)
        except ValueError as error:
            assert_says(error, "numpy.require(array, requirements='A')")
            continue
        for ours, usual in zip(found, expected, strict=True):
            if ours.dtype.kind == "f":
                np.testing.assert_allclose(ours, usual, rtol=1e-9, atol=1e-12)
            else:
                np.testing.assert_array_equal(ours, usual)


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
