"""Products of a centred design against the matrix written out."""

import numpy as np
import pytest
from scipy import sparse

from quire._shared.design import Design

CASES = [(0, 3), (1, 1), (5, 4), (40, 7), (7, 40)]


def matrix(n, p, dtype=np.float64):
    rng = np.random.default_rng(n * 100 + p)
    return (rng.normal(size=(n, p)) * (rng.random((n, p)) < 0.4)).astype(dtype)


@pytest.mark.parametrize("shape", CASES)
@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products(shape, center, as_sparse, dtype):
    X = matrix(*shape, dtype)
    n, p = shape
    rng = np.random.default_rng(0)
    mean = rng.normal(size=p) if center else None
    design = Design(sparse.csr_array(X) if as_sparse else X, 2, mean)
    whole = X.astype(np.float64) - (0 if mean is None else mean)
    V, U, w = rng.normal(size=(p, 3)), rng.normal(size=(n, 3)), rng.random(n)
    tolerance = {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-10}
    tolerance.setdefault("atol", 1e-12)
    np.testing.assert_allclose(design.dot(V), whole @ V, **tolerance)
    np.testing.assert_allclose(design.t_dot(U), whole.T @ U, **tolerance)
    np.testing.assert_allclose(design.dot(V[:, 0]), whole @ V[:, 0], **tolerance)
    np.testing.assert_allclose(design.t_dot(U[:, 0]), whole.T @ U[:, 0], **tolerance)
    np.testing.assert_allclose(design.squared_norms(w), w @ whole**2, **tolerance)


def test_weighted_means_share_the_arrays():
    X = sparse.csr_array(matrix(40, 7))
    w = np.random.default_rng(1).random(40)
    design = Design(X, 1)
    columns = design.columns
    centered = design.centered(w)
    np.testing.assert_allclose(centered.center, np.average(X.toarray(), axis=0, weights=w))
    assert centered.columns is columns
    np.testing.assert_allclose(w @ centered.dot(np.eye(7)), 0, atol=1e-12)


def test_threads_change_no_bit():
    X = sparse.csr_array(matrix(300, 50))
    U = np.random.default_rng(2).normal(size=(300, 5))
    expected = Design(X, 1).t_dot(U)
    for n_threads in (2, 3, 8):
        assert (Design(X, n_threads).t_dot(U) == expected).all()
