"""Large corpora of topics: counts without tokens."""

import numpy as np
import pytest

from quire.datasets import _topics, make_lda_corpus

SETTINGS = {"n_topics": 4, "n_words": 50, "mean_length": 30, "alpha": [0.2, 0.4, 0.6, 0.8]}


def test_counts_have_the_moments_asked_for(monkeypatch):
    corpus = make_lda_corpus(4000, **SETTINGS, keep_tokens=False, random_state=0)
    assert corpus.X.dtype == np.int32
    assert corpus.theta.dtype == np.float32
    assert corpus.X.shape == (4000, len(corpus.vocabulary))
    assert corpus.X.sum() == pytest.approx(4000 * 30, rel=0.02)
    np.testing.assert_allclose(corpus.theta.mean(axis=0), [0.1, 0.2, 0.3, 0.4], atol=0.02)
    expected = corpus.theta @ corpus.phi
    shares = corpus.X.sum(axis=0) / corpus.X.sum()
    np.testing.assert_allclose(shares, expected.mean(axis=0), atol=0.005)
    again = make_lda_corpus(4000, **SETTINGS, keep_tokens=False, random_state=0)
    assert (corpus.X != again.X).nnz == 0
    monkeypatch.setattr(_topics, "_TOKENS_AT_ONCE", 3000)  # a hundred documents
    parts = make_lda_corpus(4000, **SETTINGS, keep_tokens=False, random_state=0)
    np.testing.assert_allclose(parts.theta.mean(axis=0), [0.1, 0.2, 0.3, 0.4], atol=0.02)
    np.testing.assert_allclose(parts.X.sum(axis=0) / parts.X.sum(), shares, atol=0.01)


@pytest.mark.parametrize("keep_tokens", [True, False])
def test_tiny_priors_give_shares_without_nan(keep_tokens):
    corpus = make_lda_corpus(
        20, n_topics=3, n_words=10, mean_length=5, alpha=1e-4, beta=1e-4, keep_tokens=keep_tokens
    )
    np.testing.assert_allclose(corpus.theta.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_allclose(corpus.phi.sum(axis=1), 1)


def test_random_states_of_any_kind():
    same = [make_lda_corpus(5, random_state=np.random.RandomState(3)).X for _ in range(2)]
    assert (same[0] != same[1]).nnz == 0
    chance = [make_lda_corpus(5, random_state=None).X for _ in range(2)]
    assert (chance[0] != chance[1]).nnz > 0


def test_bad_sizes():
    with pytest.raises(ValueError, match="must be positive"):
        make_lda_corpus(0)
    with pytest.raises(ValueError, match="alpha must be positive"):
        make_lda_corpus(5, alpha=0.0)
