"""Logistic regression with L1 and elastic-net penalties: answers, edges, paths, peers."""

import signal
import threading
import time

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from tests.reference.linear import sparse_logistic as reference

from quire.linear_model._engines.sparse_logistic import (
    l1_max,
    sparse_logistic,
    sparse_logistic_path,
)


def texts(n_rows=400, n_cols=150, n_classes=2, seed=0):
    """Rows of unit length with few entries, all positive, as tf-idf has them."""
    rng = np.random.default_rng(seed)
    common = rng.random((n_rows, n_cols)) < np.linspace(0.5, 0.02, n_cols)
    X = common * rng.uniform(0.1, 1, (n_rows, n_cols))
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12)
    W = rng.normal(size=(n_cols, n_classes)) * (rng.random((n_cols, 1)) < 0.3) * 6
    codes = (X @ W + rng.gumbel(size=(n_rows, n_classes))).argmax(axis=1)
    codes[:n_classes] = np.arange(n_classes)
    return sparse.csr_array(X), codes.astype(np.int32)


def breach(X, codes, found, l1, l2=0.0, s=None, fit_intercept=True):
    s = np.ones(len(codes)) if s is None else s
    return reference.largest_breach(X, codes, s, found.coef, found.intercept, l1, l2, fit_intercept)


@pytest.mark.parametrize("C", [0.3, 1.0, 10.0])
def test_liblinear_without_intercept(C):
    X, y = make_classification(200, 20, n_informative=5, random_state=0)
    ours = sparse_logistic(X, y, 2, l1=1 / C, fit_intercept=False, tol=1e-12)
    peer = LogisticRegression(
        l1_ratio=1, C=C, solver="liblinear", fit_intercept=False, tol=1e-10, max_iter=10_000
    ).fit(X, y)
    assert ours.converged
    np.testing.assert_allclose(ours.coef[:, 0], peer.coef_[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.4])
def test_saga(n_classes, l1_ratio):
    X, y = make_classification(
        150, 8, n_informative=5, n_redundant=1, n_classes=n_classes, random_state=0
    )
    weights = np.random.default_rng(0).uniform(0.5, 2, len(y))
    C = 0.5
    ours = sparse_logistic(
        X, y, n_classes, sample_weight=weights, l1=l1_ratio / C, l2=(1 - l1_ratio) / C, tol=1e-12
    )
    peer = LogisticRegression(
        l1_ratio=l1_ratio, C=C, solver="saga", tol=1e-12, max_iter=50_000, random_state=0
    ).fit(X, y, weights)
    assert ours.converged
    np.testing.assert_allclose(ours.coef.T, peer.coef_, rtol=1e-5, atol=1e-6)
    intercept = peer.intercept_ - (peer.intercept_.mean() if n_classes > 2 else 0)
    np.testing.assert_allclose(ours.intercept, intercept, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("l1", [3.0, 0.3, 0.01])
def test_texts(n_classes, l1):
    X, codes = texts(n_classes=n_classes)
    found = sparse_logistic(X, codes, n_classes, l1=l1, tol=1e-9, max_iter=500, n_threads=2)
    assert found.converged
    assert breach(X, codes, found, l1) < 1e-3 * l1
    assert 0 < np.count_nonzero(found.coef) < found.coef.size
    dense = sparse_logistic(X.toarray(), codes, n_classes, l1=l1, tol=1e-9, max_iter=500)
    assert dense.objective == pytest.approx(found.objective, rel=1e-9)


def test_tolerance_is_relative_to_the_null_model():
    X, codes = texts()
    share = codes.mean()
    null = -len(codes) * (share * np.log(share) + (1 - share) * np.log(1 - share))
    best = sparse_logistic(X, codes, 2, l1=0.5, tol=1e-10)
    for tol in (1e-2, 1e-4, 1e-6):
        found = sparse_logistic(X, codes, 2, l1=0.5, tol=tol)
        assert found.gap <= tol * null
        assert found.objective - best.objective <= found.gap


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_l1_max(n_classes, fit_intercept):
    X, codes = texts(n_classes=n_classes)
    s = np.random.default_rng(0).uniform(0, 2, len(codes))
    bound = l1_max(X, codes, n_classes, s, fit_intercept)
    options = {"sample_weight": s, "fit_intercept": fit_intercept, "tol": 1e-10}
    zero = sparse_logistic(X, codes, n_classes, l1=bound * 1.0001, **options)
    assert not zero.coef.any()
    assert zero.n_iter == 0
    assert zero.converged
    some = sparse_logistic(X, codes, n_classes, l1=bound * 0.98, **options)
    assert some.coef.any()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("l2", [0.0, 0.5])
def test_a_path_is_what_single_fits_are(n_classes, l2):
    X, codes = texts(n_classes=n_classes)
    top = l1_max(X, codes, n_classes)
    penalties = [(top * share, l2) for share in (1.1, 0.5, 0.3, 0.1, 0.02)]
    path = sparse_logistic_path(X, codes, n_classes, penalties, tol=1e-9)
    assert not path[0].coef.any()
    for (l1, _), found in zip(penalties, path, strict=True):
        alone = sparse_logistic(X, codes, n_classes, l1=l1, l2=l2, tol=1e-9)
        assert found.converged
        np.testing.assert_allclose(found.coef, alone.coef, atol=1e-3)
        assert found.objective == pytest.approx(alone.objective, rel=1e-8)
    upwards = sparse_logistic_path(X, codes, n_classes, penalties[::-1], tol=1e-9)
    for found, again in zip(path, upwards[::-1], strict=True):
        assert found.objective == pytest.approx(again.objective, rel=1e-8)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_warm_start_at_the_solution_has_nothing_to_do(n_classes):
    X, codes = texts(n_classes=n_classes)
    found = sparse_logistic(X, codes, n_classes, l1=0.5, tol=1e-8)
    again = sparse_logistic(
        X, codes, n_classes, l1=0.5, tol=1e-6, coef=found.coef, intercept=found.intercept
    )
    assert again.n_iter == 0
    np.testing.assert_array_equal(again.coef, found.coef)
    far = sparse_logistic(X, codes, n_classes, l1=0.5, tol=1e-8, coef=found.coef + 3)
    assert far.converged
    np.testing.assert_allclose(far.coef, found.coef, atol=1e-3)
    with pytest.raises(ValueError, match="the start has coef of shape"):
        sparse_logistic(X, codes, n_classes, l1=0.5, coef=found.coef[:-1])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_repeat_samples(n_classes):
    X, codes = texts(n_rows=120, n_cols=30, n_classes=n_classes)
    s = np.random.default_rng(0).integers(0, 3, len(codes))
    rows = np.repeat(np.arange(len(codes)), s)
    weighted = sparse_logistic(X, codes, n_classes, sample_weight=s, l1=0.3, l2=0.1, tol=1e-10)
    repeated = sparse_logistic(X[rows], codes[rows], n_classes, l1=0.3, l2=0.1, tol=1e-10)
    np.testing.assert_allclose(weighted.coef, repeated.coef, atol=1e-4)
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_odd_columns_and_rows(n_classes):
    X, codes = texts(n_rows=100, n_cols=20, n_classes=n_classes)
    dense = X.toarray()
    dense[::7] = 0  # empty rows
    dense[:, 3] = 0
    dense[:, 4] = 1  # the intercept once more
    dense[:, 6] = dense[:, 5]
    dense[:, 7] = -2 * dense[:, 5]
    for X in (dense, sparse.csr_array(dense)):
        found = sparse_logistic(X, codes, n_classes, l1=0.2, tol=1e-9)
        assert found.converged
        assert not found.coef[[3, 4]].any()
        assert breach(dense, codes, found, 0.2) < 1e-3
        start = np.ones_like(found.coef)
        again = sparse_logistic(X, codes, n_classes, l1=0.2, tol=1e-9, coef=start)
        assert not again.coef[3].any()
        assert again.objective == pytest.approx(found.objective, rel=1e-8)


def test_entries_in_pieces_are_added_up():
    X, codes = texts(n_rows=60, n_cols=10)
    pieces = sparse.csr_array(
        (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), X.indptr * 2), shape=X.shape
    )
    one, two = (sparse_logistic(M, codes, 2, l1=0.2, tol=1e-9) for M in (X, pieces))
    np.testing.assert_allclose(one.coef, two.coef, atol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_class_without_weight(n_classes):
    X, codes = texts(n_rows=100, n_cols=20, n_classes=n_classes)
    found = sparse_logistic(
        X, codes, n_classes, sample_weight=(codes != 1).astype(float), l1=0.3, tol=1e-6
    )
    assert found.converged
    assert np.isfinite(found.coef).all()
    assert np.isfinite(found.intercept).all()
    if n_classes == 2:
        assert not found.coef.any()
        assert found.intercept[0] < -20
    nothing = sparse_logistic(X, codes, n_classes, sample_weight=np.zeros(100), l1=0.3)
    assert nothing.converged
    assert not nothing.coef.any()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_separable_with_a_tiny_penalty(n_classes):
    rng = np.random.default_rng(0)
    codes = np.arange(60, dtype=np.int32) % n_classes
    X = rng.normal(size=(60, 5)) + 8 * np.eye(5)[codes]
    found = sparse_logistic(X, codes, n_classes, l1=1e-6, tol=1e-6, max_iter=500)
    assert found.converged
    assert np.isfinite(found.coef).all()
    assert found.objective < 1e-3


def test_more_columns_than_rows():
    X, codes = texts(n_rows=40, n_cols=500, n_classes=3)
    found = sparse_logistic(X, codes, 3, l1=0.05, tol=1e-8, max_iter=500)
    assert found.converged
    assert breach(X, codes, found, 0.05) < 1e-3


def test_results_do_not_converge_when_they_may_not():
    X, codes = texts()
    found = sparse_logistic(X, codes, 2, l1=0.1, tol=1e-8, max_iter=2)
    assert not found.converged
    assert found.n_iter == 2
    assert found.gap > 0
    none = sparse_logistic(X, codes, 2, l1=0.1, max_iter=0)
    assert not none.coef.any()


@pytest.mark.parametrize(("l1", "l2"), [(0.0, 1.0), (-1.0, 0.0), (1.0, -1.0), (np.nan, 0.0)])
def test_penalties_that_are_none(l1, l2):
    X, codes = texts(n_rows=20, n_cols=5)
    with pytest.raises(ValueError, match="the penalties are l1="):
        sparse_logistic(X, codes, 2, l1=l1, l2=l2)


def test_interrupt():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 500))
    codes = rng.integers(0, 8, 4000).astype(np.int32)

    def interrupt():
        time.sleep(0.3)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        sparse_logistic(X, codes, 8, l1=1e-3, tol=1e-14, max_iter=100_000)
    thread.join()
