"""Held-out likelihood, and topics in pairs: the public functions."""

import numpy as np
import pytest
from scipy import sparse
from tests.reference.topics.lda_documents import log_likelihood

from quire.datasets import make_lda_corpus
from quire.decomposition import LatentDirichletAllocation
from quire.topics import held_out_likelihood, match_topics

PHI = np.array([[0.5, 0.3, 0.1, 0.1], [0.1, 0.1, 0.4, 0.4]])
X = np.array([[2, 1, 0, 1], [0, 0, 3, 1], [0, 0, 0, 0]])


def test_left_to_right_is_exact_in_the_limit():
    alpha = np.array([0.4, 0.7])
    found = held_out_likelihood(PHI, X, alpha=alpha, n_particles=20_000)
    exact = [log_likelihood(np.repeat(np.arange(4), row).tolist(), PHI, alpha) for row in X]
    np.testing.assert_allclose(found.per_document, exact, atol=0.01)
    assert found.total == found.per_document.sum()
    assert found.per_token == pytest.approx(found.total / 8)
    assert found.perplexity == pytest.approx(np.exp(-found.per_token))
    assert found.n_tokens.tolist() == [4, 4, 0]


def test_completion_scores_half_of_the_tokens():
    found = held_out_likelihood(PHI, sparse.csr_array(X), alpha=0.5, method="completion")
    assert found.n_tokens.tolist() == [2, 2, 0]
    assert found.per_document[2] == 0
    assert np.isnan(held_out_likelihood(PHI, np.zeros((1, 4)), alpha=0.5).per_token)


def test_the_true_topics_are_best():
    corpus = make_lda_corpus(300, n_topics=5, n_words=100, mean_length=60, random_state=0)
    others = make_lda_corpus(1, n_topics=5, n_words=100, mean_length=60, random_state=1).phi
    for method in ("left_to_right", "completion"):
        true = held_out_likelihood(
            corpus.phi, corpus.X[:60], alpha=0.1, method=method, n_particles=5
        )
        wrong = held_out_likelihood(others, corpus.X[:60], alpha=0.1, method=method, n_particles=5)
        assert true.per_token > wrong.per_token + 0.5


def test_models_bring_their_own_prior_and_words():
    texts = ["cat dog", "dog cat cat", "tax law", "law tax tax"] * 3
    model = LatentDirichletAllocation(2, random_state=0, max_iter=30).fit(texts)
    from_texts = held_out_likelihood(model, texts)
    from_counts = held_out_likelihood(model, model.vectorizer_.transform(texts), n_jobs=1)
    np.testing.assert_array_equal(from_texts.per_document, from_counts.per_document)
    given = held_out_likelihood(model.phi_, model.vectorizer_.transform(texts), alpha=model.alpha_)
    np.testing.assert_array_equal(given.per_document, from_counts.per_document)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": PHI}, "alpha, the document prior, is needed"),
        ({"model": 2 * PHI, "alpha": 0.1}, "rows of phi must be probabilities"),
        ({"model": PHI, "alpha": [0.1, 0.2, 0.3]}, "one for each of the 2 topics"),
        ({"model": PHI, "alpha": 0.0}, "alpha must be positive"),
        ({"model": PHI, "alpha": 0.1, "X": X[:, :3]}, "X has 3 columns; the topics are of 4"),
        ({"model": PHI, "alpha": 0.1, "X": ["a text"]}, "X is text"),
        ({"model": PHI, "alpha": 0.1, "X": X + 0.5}, "not a count"),
        ({"model": PHI, "alpha": 0.1, "method": "harmonic"}, "method"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        held_out_likelihood(**{"X": X, **arguments})


def test_topics_that_cannot_be_paired():
    with pytest.raises(ValueError, match="cannot be paired"):
        match_topics(PHI, PHI[:1])
