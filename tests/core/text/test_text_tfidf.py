"""csr_tfidf and csr_document_frequency against their twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference.text import texts as reference

from quire import _core

VALUES = [np.float32, np.float64]
INDICES = [np.int32, np.int64]
NORMS = ["l1", "l2", None]


def matrix(n_rows, n_cols, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(1, 9, (n_rows, n_cols)) * (rng.random((n_rows, n_cols)) < 0.2)


@st.composite
def problems(draw):
    n_rows, n_cols = draw(st.integers(0, 8)), draw(st.integers(1, 6))
    cells = st.lists(st.integers(-2, 9), min_size=n_cols, max_size=n_cols)
    dense = draw(st.lists(cells, min_size=n_rows, max_size=n_rows))
    weights = st.lists(st.floats(0, 10, width=32), min_size=n_cols, max_size=n_cols)
    return np.array(dense).reshape(n_rows, n_cols), draw(st.none() | weights)


def csr_tfidf(X, idf, norm, index=np.int32, n_threads=1):
    """The kernel on the nonzeros of a dense array."""
    W = sparse.csr_array(X)
    data = W.data.copy()
    weights = None if idf is None else np.array(idf, X.dtype)
    arrays = W.indices.astype(index), W.indptr.astype(index)
    assert _core.text.csr_tfidf((data, *arrays, X.shape[1]), weights, norm, n_threads) is None
    assert data.dtype == X.dtype
    return data, sparse.csr_array((data, W.indices, W.indptr), W.shape).toarray()


@given(
    problem=problems(),
    norm=st.sampled_from(NORMS),
    value=st.sampled_from(VALUES),
    index=st.sampled_from(INDICES),
    n_threads=st.sampled_from([1, 4]),
)
def test_csr_tfidf(problem, norm, value, index, n_threads):
    X, idf = problem[0].astype(value), problem[1]
    weights = None if idf is None else np.array(idf, value)
    _, ours = csr_tfidf(X, weights, norm, index, n_threads)
    twin = reference.csr_tfidf(X, weights, norm)
    np.testing.assert_allclose(ours, twin, rtol=1e-6 if value is np.float32 else 1e-14)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("norm", NORMS)
def test_csr_tfidf_same_bits_at_any_number_of_threads(value, norm):
    X = matrix(3000, 40).astype(value)
    idf = np.random.default_rng(1).random(40).astype(value)
    one, _ = csr_tfidf(X, idf, norm)
    for n_threads in (2, 3, 4):
        for index in INDICES:
            np.testing.assert_array_equal(csr_tfidf(X, idf, norm, index, n_threads)[0], one)


def test_a_row_of_zeros_stays():
    data = np.array([0.0, 0.0, 3.0])
    _core.text.csr_tfidf(
        (data, np.array([0, 1, 0], np.int32), np.array([0, 2, 3], np.int32), 2), None, "l2", 1
    )
    np.testing.assert_array_equal(data, [0, 0, 1])


@given(
    columns=st.lists(st.integers(0, 6), max_size=40),
    more=st.integers(0, 3),
    index=st.sampled_from(INDICES),
    n_threads=st.sampled_from([1, 4]),
)
def test_csr_document_frequency(columns, more, index, n_threads):
    n_cols = 7 + more
    ours = _core.text.csr_document_frequency(np.array(columns, index), n_cols, n_threads)
    assert ours.dtype == np.int64
    twin = reference.csr_document_frequency(np.array(columns, index), n_cols)
    np.testing.assert_array_equal(ours, twin)


@pytest.mark.parametrize("index", INDICES)
def test_csr_document_frequency_of_more_than_one_part(index):
    columns = np.random.default_rng(0).integers(0, 500, 3_000_000).astype(index)
    twin = reference.csr_document_frequency(columns, 500)
    for n_threads in (1, 2, 4):
        ours = _core.text.csr_document_frequency(columns, 500, n_threads)
        np.testing.assert_array_equal(ours, twin)
