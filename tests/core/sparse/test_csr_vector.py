"""A sparse matrix, or its transpose, times a vector, against the twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference.sparse import csr_vector as reference

from quire import _core


def arrays(X, index=np.int32):
    X = sparse.csr_array(X)
    return X.data, X.indices.astype(index), X.indptr.astype(index), X.shape[1]


@given(
    st.integers(0, 40),
    st.integers(1, 30),
    st.integers(0, 10_000),
    st.sampled_from([np.float32, np.float64]),
    st.sampled_from([np.int32, np.int64]),
    st.sampled_from([1, 4]),
)
def test_products_with_one_vector(n, p, seed, values, index, n_threads):
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.3)).astype(values)
    csr = arrays(X, index)
    v, u = rng.normal(size=p), rng.normal(size=n)
    forward = _core.sparse.csr_matvec(csr, v, 0.5, n_threads)
    np.testing.assert_allclose(forward, reference.csr_matvec(X, v, 0.5), rtol=1e-12, atol=1e-12)
    back = _core.sparse.csr_t_matvec(csr, u, n_threads)
    np.testing.assert_allclose(back, reference.csr_t_matvec(X, u), rtol=1e-12, atol=1e-12)


def test_large_products_do_not_depend_on_threads():
    rng = np.random.default_rng(0)
    X = sparse.random_array((5000, 200), density=0.2, format="csr", rng=rng)
    csr = arrays(X)
    u = rng.normal(size=5000)
    one, many = (_core.sparse.csr_t_matvec(csr, u, n) for n in (1, 4))
    np.testing.assert_array_equal(one, many)
    np.testing.assert_allclose(one, X.T @ u, rtol=1e-10, atol=1e-10)


def test_sizes_that_do_not_fit_are_refused():
    X = np.eye(4)
    with pytest.raises(ValueError, match="v must have"):
        _core.sparse.csr_matvec(arrays(X), np.ones(3), 0.0)
    with pytest.raises(ValueError, match="u must have"):
        _core.sparse.csr_t_matvec(arrays(X), np.ones(3))
