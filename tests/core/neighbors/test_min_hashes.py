"""Signatures of sparse rows, against the twin, and what their agreement says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference.neighbors.csr_min_hashes import NOTHING, csr_min_hashes

from quire import _core


def parts(X, value=np.float64, index=np.int32):
    X = sparse.csr_array(X)
    return X.data.astype(value), X.indices.astype(index), X.indptr.astype(index), X.shape[1]


@given(
    st.integers(0, 12),
    st.integers(1, 60),
    st.integers(1, 24),
    st.integers(0, 10_000),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([np.int32, np.int64]),
    st.sampled_from([1, 4]),
)
def test_signatures_are_those_of_the_twin(n, p, n_hashes, seed, value, index, n_threads):
    rng = np.random.default_rng(seed)
    X = rng.poisson(rng.choice([0.05, 0.5]), (n, p))
    found = _core.neighbors.csr_min_hashes(parts(X, value, index), n_hashes, n_threads)
    assert found.dtype == np.uint32
    np.testing.assert_array_equal(found, csr_min_hashes(X, n_hashes))


def test_threads_do_not_change_them():
    X = sparse.random_array((3000, 500), density=0.05, rng=np.random.default_rng(0))
    one, many = (_core.neighbors.csr_min_hashes(parts(X), 80, n) for n in (1, 4))
    np.testing.assert_array_equal(one, many)


def test_agreement_is_the_overlap_of_the_sets():
    rng = np.random.default_rng(1)
    n, size, shared = 200, 300, 200  # shared of 2 * size - shared: one half
    rows = []
    for _ in range(n):
        drawn = rng.choice(10**6, 2 * size - shared, replace=False)
        rows += [np.sort(drawn[:size]), np.sort(drawn[-size:])]
    indptr = np.arange(2 * n + 1) * size
    X = (np.ones(2 * n * size), np.concatenate(rows), indptr, 10**6)
    found = _core.neighbors.csr_min_hashes(X, 80)
    agreement = (found[::2] == found[1::2]).mean()
    assert agreement == pytest.approx(0.5, abs=0.02)


def test_stored_zeros_and_empty_rows_are_no_columns():
    X = (np.array([0.0, 1.0, 0.0]), np.array([1, 2, 0]), np.array([0, 2, 3, 3]), 3)
    found = _core.neighbors.csr_min_hashes(X, 5)
    np.testing.assert_array_equal(found[0], csr_min_hashes([np.array([0, 0, 1])], 5)[0])
    assert (found[1:] == NOTHING).all()


def test_numbers_of_hashes_are_checked():
    for n_hashes in (0, 4097):
        with pytest.raises(ValueError, match=r"n_hashes must be in \[1, 4096\]"):
            _core.neighbors.csr_min_hashes(parts(np.eye(3)), n_hashes)
