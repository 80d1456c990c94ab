"""Documents without a word that the model knows: they are in no topic, and said to be left out."""

import numpy as np
import pytest

from quire.decomposition import LatentDirichletAllocation
from quire.topics import prevalence, representative_documents, topic_correlations

TEXTS = ["cat dog cat paw", "dog cat dog", "tax vote law tax", "law tax vote"] * 15
FULL = np.r_[np.ones(60, dtype=bool), np.zeros(40, dtype=bool)]
KIND = np.array((["pets", "pets", "law", "law"] * 15) + ["law"] * 40)


@pytest.fixture(scope="module")
def model():
    # The prior is far from symmetric: all documents without words would go to one topic.
    options = {"doc_topic_prior": [4.0, 0.1], "max_iter": 60, "random_state": 0}
    return LatentDirichletAllocation(2, keep_samples=True, **options).fit(TEXTS + ["", "…"] * 20)


def test_theta_of_documents_without_words_is_the_prior(model):
    assert (model.theta_[~FULL].argmax(axis=1) == 0).all()
    assert np.ptp(model.theta_[~FULL], axis=0).max() == 0


def test_representative_documents_have_words(model):
    found = representative_documents(model, n=70)
    assert found["document"].max() < 60
    assert len(found) == 2 * 60
    rows = representative_documents(model.theta_, n=70)  # a matrix does not tell
    assert rows["document"].max() == 99


def test_correlations_are_those_of_documents_with_words(model):
    expected = topic_correlations(model.theta_[FULL], method="plain")
    np.testing.assert_array_equal(topic_correlations(model, method="plain"), expected)


@pytest.mark.parametrize("kept", [True, False])
def test_prevalence_leaves_them_out_and_says_so(model, kept):
    topics = model if kept else model.theta_
    lengths = None if kept else model._lengths
    result = prevalence(topics, KIND, lengths=lengths)
    assert (result.n_documents, result.n_empty, result.n_missing) == (60, 40, 0)
    assert "60 documents (40 without words)" in str(result)
    alone = prevalence(model.theta_[FULL], KIND[FULL], lengths=model._lengths[FULL])
    assert result.table["n_documents"].to_list() == alone.table["n_documents"].to_list()
    np.testing.assert_allclose(result.table["share"], alone.table["share"], atol=0.03)


def test_missing_values_and_missing_words_are_counted_apart(model):
    kind = [None if row % 10 == 0 else name for row, name in enumerate(KIND.tolist())]
    result = prevalence(model, kind)
    assert (result.n_documents, result.n_empty, result.n_missing) == (54, 36, 10)


def test_one_group_among_documents_with_words_is_an_error(model):
    with pytest.raises(ValueError, match="one value in the documents with words"):
        prevalence(model, np.where(FULL, "with", "without"))
