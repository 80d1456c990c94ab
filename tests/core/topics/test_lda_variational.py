"""Kernels of variational Bayes against their twins, for every instruction set and thread count."""

import numpy as np
import pytest
from scipy import sparse
from tests.helpers.simd import SIMD_LEVELS, simd
from tests.reference.topics import lda_variational as reference

from quire import _core

ALL = np.empty(0, np.int64)


def make(n_documents=40, n_words=90, n_topics=5, dtype=np.float64, seed=0, density=0.4):
    """Counts, exp(E[log phi]), a prior and a start."""
    rng = np.random.default_rng(seed)
    X = rng.integers(1, 6, (n_documents, n_words)) * (
        rng.random((n_documents, n_words)) < rng.random((n_documents, 1)) * density
    )
    X[0] = 0
    topics = rng.dirichlet(np.full(n_words, 0.1), n_topics).T + 1e-9
    gamma = rng.gamma(100.0, 0.01, (n_documents, n_topics))
    prior = np.full(n_topics, 1.0 / n_topics)
    return X.astype(dtype), np.ascontiguousarray(topics, dtype), prior, gamma.astype(dtype)


def arrays(X, index=np.int32, n_cols=None):
    X = sparse.csr_array(X)
    n_cols = X.shape[1] if n_cols is None else n_cols
    return X.data, X.indices.astype(index), X.indptr.astype(index), n_cols


def run(X, topics, prior, gamma, max_iter=100, tol=1e-3, n_threads=1, index=np.int32):
    gamma = gamma.copy()
    weights, ratios = _core.topics.lda_variational_documents(
        arrays(X, index, len(topics)), topics, prior, gamma, max_iter, tol, True, n_threads
    )
    return gamma, weights, ratios


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("n_topics", [1, 2, 5, 8, 9, 70, 150])
def test_documents(n_topics, index):
    X, topics, prior, gamma = make(n_topics=n_topics)
    ours = run(X, topics, prior, gamma, index=index)
    twins = reference.lda_variational_documents(
        X, topics, prior, gamma, 100, 1e-3, np.finfo(float).eps
    )
    np.testing.assert_allclose(ours[0], twins[0], rtol=1e-6)
    np.testing.assert_allclose(ours[1], twins[1], rtol=1e-5, atol=1e-12)
    np.testing.assert_allclose(ours[2], twins[2][X > 0], rtol=1e-5)


@pytest.mark.parametrize("n_words", [1, 7, 8, 9, 16, 24, 31, 32, 33, 64, 65, 200])
def test_documents_of_every_length(n_words):
    X, topics, prior, gamma = make(n_documents=6, n_words=n_words, density=3)
    ours = run(X, topics, prior, gamma)
    twins = reference.lda_variational_documents(X, topics, prior, gamma, 100, 1e-3, 2.2e-16)
    np.testing.assert_allclose(ours[0], twins[0], rtol=1e-6)
    np.testing.assert_allclose(ours[2], twins[2][X > 0], rtol=1e-5)


def test_documents_in_single_precision():
    X, topics, prior, gamma = make(dtype=np.float32, n_topics=12)
    ours = run(X, topics, prior, gamma)
    assert [found.dtype for found in ours] == [np.float32] * 3
    twins = reference.lda_variational_documents(
        X.astype(float), topics.astype(float), prior, gamma.astype(float), 100, 1e-3, 1.2e-7
    )
    np.testing.assert_allclose(ours[0], twins[0], rtol=0.02, atol=0.02)


def test_unequal_priors_and_fixed_numbers_of_steps():
    X, topics, _, gamma = make()
    prior = np.array([1e-3, 0.1, 0.5, 2.0, 10.0])
    for max_iter in (0, 1, 3):
        ours = run(X, topics, prior, gamma, max_iter, 0.0)
        twins = reference.lda_variational_documents(
            X, topics, prior, gamma, max_iter, 0.0, np.finfo(float).eps
        )
        np.testing.assert_allclose(ours[0], twins[0], rtol=1e-6)
    np.testing.assert_allclose(ours[0][0], prior)  # the empty document


def test_topics_that_left_do_not_matter():
    # A small prior: nearly all topics leave a document, and the rest must not notice.
    X, topics, _, gamma = make(n_topics=120, n_words=150)
    prior = np.full(120, 1e-2)
    ours = run(X, topics, prior, gamma, 1000, 1e-9)
    twins = reference.lda_variational_documents(X, topics, prior, gamma, 1000, 1e-9, 2.2e-16)
    assert (twins[0] == 1e-2).mean() > 0.5
    np.testing.assert_allclose(ours[0], twins[0], rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_topics", [3, 20, 101])
def test_same_bits_for_every_instruction_set_and_thread_count(n_topics, dtype):
    data = make(n_documents=150, n_topics=n_topics, dtype=dtype)
    lam = np.random.default_rng(1).gamma(0.5, 3.0, (90, n_topics)).astype(dtype)
    totals = lam.sum(axis=0, dtype=np.float64)
    with simd("portable"):
        documents = run(*data)
        topics = _core.topics.lda_expected_topics(lam, ALL, 0.5, 0.1, totals)
    for level in SIMD_LEVELS:
        for n_threads in (1, 2, 3, 8):
            with simd(level):
                for ours, portable in zip(run(*data, n_threads=n_threads), documents, strict=True):
                    np.testing.assert_array_equal(ours, portable)
                found = _core.topics.lda_expected_topics(lam, ALL, 0.5, 0.1, totals, n_threads)
                np.testing.assert_array_equal(found, topics)


@pytest.mark.parametrize("powers", [(-6, -1), (-2, 2), (1, 8)])
def test_expected_topics(powers):
    rng = np.random.default_rng(0)
    lam = 10 ** rng.uniform(*powers, (40, 11))
    totals = (2 * lam + 0.5).sum(axis=0)
    words = rng.integers(0, 40, 9)
    twin = reference.lda_expected_topics(lam, words, 2.0, 0.5, totals)
    ours = _core.topics.lda_expected_topics(lam, words, 2.0, 0.5, totals)
    np.testing.assert_allclose(ours, twin, rtol=1e-8)
    twin = reference.lda_expected_topics(lam, slice(None), 1.0, 0.0, lam.sum(axis=0))
    ours = _core.topics.lda_expected_topics(lam, ALL, 1.0, 0.0, lam.sum(axis=0))
    np.testing.assert_allclose(ours, twin, rtol=1e-7, atol=1e-300)


def test_expected_topics_of_zeros_and_single_words():
    lam = np.array([[0.0, 1e-7], [1.0, 0.0]])
    ours = _core.topics.lda_expected_topics(lam, ALL, 1.0, 0.0, np.array([1.0, 1e-7]))
    np.testing.assert_array_equal(ours, [[0.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_bound(index):
    X, _, _, gamma = make(n_topics=13, density=1)
    lam = np.random.default_rng(0).gamma(0.3, 2.0, (90, 13)) + 1e-2
    totals = lam.sum(axis=0)
    expected = _core.topics.lda_expected_topics(lam, ALL, 1.0, 0.0, totals)
    twin = reference.lda_variational_bound(X, gamma, lam, totals)
    csr = arrays(X, index)
    ours = [
        _core.topics.lda_variational_bound(csr, gamma, lam, totals, expected, n_threads)
        for n_threads in (1, 2, 3, 8)
    ]
    assert ours[0] == pytest.approx(twin, rel=1e-9)
    assert ours.count(ours[0]) == 4


def test_bound_where_probabilities_vanish():
    X = np.array([[3.0, 1.0]])
    gamma = np.array([[5.0, 1e-4]])
    lam = np.array([[4.0, 1e-4], [1e-4, 5.0]])
    totals = lam.sum(axis=0)
    expected = _core.topics.lda_expected_topics(lam, ALL, 1.0, 0.0, totals)
    ours = _core.topics.lda_variational_bound(arrays(X), gamma, lam, totals, expected)
    assert ours == pytest.approx(reference.lda_variational_bound(X, gamma, lam, totals))
    assert ours < -5000


def test_what_does_not_fit_is_refused():
    X, topics, prior, gamma = make()
    with pytest.raises(ValueError, match="topics must have n_cols"):
        run(X, topics[:, :4].copy(), prior, gamma)
    with pytest.raises(ValueError, match="gamma must have n_documents"):
        run(X, topics, prior, gamma[1:])
    with pytest.raises(ValueError, match="column outside"):
        run(X, topics[:20].copy(), prior, gamma)
    lam, totals = topics, topics.sum(axis=0)
    with pytest.raises(ValueError, match=r"words has 90, which is outside \[0, 90\)"):
        _core.topics.lda_expected_topics(lam, np.array([90]), 1.0, 0.0, totals)
    with pytest.raises(ValueError, match="expected must be as large as lambda"):
        _core.topics.lda_variational_bound(arrays(X), gamma, lam, totals, lam[1:])
