"""Words of topics, typical documents, correlations and the map: worked numbers and edges."""

import numpy as np
import polars as pl
import pytest
from scipy.spatial.distance import jensenshannon
from sklearn.decomposition import LatentDirichletAllocation

from quire.feature_extraction.text import CountVectorizer
from quire.inspection import TermWeight
from quire.topics import (
    exclusivity,
    representative_documents,
    top_words,
    topic_correlations,
    topic_diversity,
    topic_map,
)

PHI = np.array([[0.5, 0.4, 0.1, 0.0], [0.5, 0.0, 0.1, 0.4]])
TERMS = ["the", "goal", "very", "vote"]


class Model:
    """What a fitted model of quire has."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)

    def fit(self, X):
        raise NotImplementedError


def test_top_words_by_probability():
    assert top_words(PHI, TERMS, 2) == [["the", "goal"], ["the", "vote"]]
    assert top_words(PHI, n_words=2) == [[0, 1], [0, 3]]
    assert top_words(PHI, TERMS, 99)[0] == ["the", "goal", "very", "vote"]
    scored = top_words(PHI, TERMS, 1, with_scores=True)
    assert scored == [[TermWeight("the", 0.5)], [TermWeight("the", 0.5)]]


def test_top_words_by_lift_and_relevance():
    by_lift = top_words(PHI, TERMS, 2, by="lift", with_scores=True)
    # goal: 0.4 in the topic and 0.2 in the corpus
    assert [word.term for word in by_lift[0]] == ["goal", "the"]
    assert by_lift[0][0].weight == pytest.approx(2.0)
    assert by_lift[0][1].weight == pytest.approx(1.0)
    found = top_words(PHI, TERMS, 1, by="relevance", relevance=0.3, with_scores=True)[0][0]
    assert found.term == "goal"
    assert found.weight == pytest.approx(0.3 * np.log(0.4) + 0.7 * np.log(2))
    assert top_words(PHI, TERMS, 2, by="relevance", relevance=1.0) == top_words(PHI, TERMS, 2)
    # goal is as frequent in the corpus as in the topic that nearly all of it is
    heavy = top_words(PHI, TERMS, 4, by="lift", topic_weights=[0.999, 0.001], with_scores=True)
    assert {word.term: round(word.weight, 2) for word in heavy[0]}["goal"] == 1.0


def test_sizes_come_from_the_counts_of_a_model():
    model = Model(phi_=PHI, components_=PHI * [[999], [1]], vocabulary_terms_=TERMS)
    given = top_words(PHI, TERMS, 4, by="lift", topic_weights=[999, 1], with_scores=True)
    assert top_words(model, n_words=4, by="lift", with_scores=True) == given


def test_frex_by_hand():
    # topic 0: ranks of frequency 4 3 2 1, of exclusivity 2.5 4 2.5 1, out of 4
    wanted = [2 / (1 + 1 / 0.625), 2 / (1 / 0.75 + 1), 2 / (1 / 0.5 + 1 / 0.625), 0.25]
    scored = top_words(PHI, TERMS, 4, by="frex", with_scores=True)[0]
    found = {word.term: word.weight for word in scored}
    assert [found[term] for term in TERMS] == pytest.approx(wanted)
    assert exclusivity(PHI, 2).tolist() == pytest.approx([np.mean(wanted[:2])] * 2)
    assert exclusivity(PHI, 1, weight=1.0).tolist() == pytest.approx([0.625, 0.625])
    assert exclusivity(PHI, 1, weight=0.0).tolist() == [1.0, 1.0]


def test_words_that_no_topic_has():
    phi = np.array([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]])
    assert np.isfinite(exclusivity(phi, 3)).all()
    for by in ("frex", "lift", "relevance"):
        assert {words[2] for words in top_words(phi, n_words=3, by=by)} == {2}


def test_diversity():
    assert topic_diversity(PHI, 2) == 0.75
    assert topic_diversity(np.eye(3), 1) == 1.0
    assert topic_diversity(np.full((4, 6), 1.0), 3) == 0.25
    assert topic_diversity(PHI) == 0.5  # four words only


def test_models_give_their_arrays():
    texts = ["goal match goal", "vote law vote", "match goal team", "law court vote"] * 5
    vectorizer = CountVectorizer()
    X = vectorizer.fit_transform(texts)
    model = LatentDirichletAllocation(2, random_state=0).fit(X)
    words = top_words(model, vectorizer, 2)
    assert {frozenset(topic) for topic in words} == {
        frozenset({"goal", "match"}),
        frozenset({"vote", "law"}),
    }
    assert topic_diversity(model, 2) == 1.0
    found = representative_documents(model.transform(X), pl.Series(texts), n=2)
    assert found.shape == (4, 5)
    with pytest.raises(TypeError, match=r"Pass model.transform\(X\)"):
        representative_documents(model)
    ours = Model(theta_=model.transform(X), phi_=model.components_)
    assert representative_documents(ours, texts, n=2).equals(found)


def test_representative_documents():
    theta = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.2, 0.8], [0, 0]]
    found = representative_documents(theta, n=3)
    assert found.columns == ["topic", "rank", "document", "share"]
    assert found["document"].to_list() == [0, 2, 4, 1, 3, 2]  # equal ones in their order
    assert found["rank"].to_list() == [1, 2, 3, 1, 2, 3]
    assert len(representative_documents(theta, n=99)) == 10
    with pytest.raises(ValueError, match="2 texts and 5 rows"):
        representative_documents(theta, ["a", "b"])


def test_correlations():
    rng = np.random.default_rng(0)
    theta = rng.dirichlet([0.5, 1, 2, 4], 200)
    plain = topic_correlations(theta, method="plain")
    np.testing.assert_allclose(plain, np.corrcoef(theta.T))
    logs = np.log(theta) - np.log(theta).mean(axis=1, keepdims=True)
    np.testing.assert_allclose(topic_correlations(theta), np.corrcoef(logs.T))
    together = np.exp(
        rng.normal(size=(500, 1)) * [1, 1, 0, 0, 0, 0] + rng.normal(size=(500, 6)) / 3
    )
    for method in ("clr", "proportionality"):
        found = topic_correlations(together, method=method)
        assert found[0, 1] > 0.7
        np.testing.assert_array_equal(np.diag(found), 1)
        np.testing.assert_array_equal(found, found.T)


def test_correlations_at_the_edges():
    assert topic_correlations([[1.0], [1.0]]).tolist() == [[1.0]]
    two = topic_correlations([[0.2, 0.8], [0.6, 0.4], [0.3, 0.7]])
    np.testing.assert_allclose(two, [[1, -1], [-1, 1]])
    zeros = topic_correlations([[0, 0.5, 0.5], [0.5, 0.5, 0], [0.2, 0.3, 0.5]])
    assert np.isfinite(zeros).all()
    still = topic_correlations([[0.2, 0.3, 0.5], [0.2, 0.5, 0.3]], method="plain")
    np.testing.assert_allclose(still, [[1, 0, 0], [0, 1, -1], [0, -1, 1]])
    with pytest.raises(ValueError, match="two or more"):
        topic_correlations([[0.5, 0.5]])
    with pytest.raises(ValueError, match="method is 'pearson'"):
        topic_correlations(PHI, method="pearson")


def test_map_keeps_distances():
    rng = np.random.default_rng(0)
    phi = rng.dirichlet(np.full(40, 0.3), 3)  # three points always lie in a plane
    points = topic_map(phi)
    for i in range(3):
        for j in range(3):
            distance = np.linalg.norm(points[i] - points[j])
            assert distance == pytest.approx(jensenshannon(phi[i], phi[j]), abs=1e-9)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-12)
    assert points[:, 0].var() >= points[:, 1].var()


def test_map_of_few_or_equal_topics():
    assert topic_map([[0.5, 0.5]]).tolist() == [[0, 0]]
    two = topic_map([[1, 0], [0, 1]])
    np.testing.assert_allclose(np.abs(two[:, 0]), np.sqrt(np.log(2)) / 2)
    np.testing.assert_allclose(two[:, 1], 0, atol=1e-7)
    np.testing.assert_allclose(topic_map(np.ones((5, 3))), 0, atol=1e-7)


def test_map_with_rare_words_as_one(monkeypatch):
    rng = np.random.default_rng(0)
    phi = rng.dirichlet(np.repeat([1.0, 0.001], [50, 500]), 6)
    whole, short = topic_map(phi), topic_map(phi, n_words=60)
    np.testing.assert_allclose(short, whole, atol=0.02)
    assert not np.array_equal(short, whole)
    monkeypatch.setattr("quire.topics._relations._COMPARISONS", 1)
    np.testing.assert_array_equal(topic_map(phi), topic_map(phi, n_words=100))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: top_words(PHI, TERMS, 0), "n_words is 0"),
        (lambda: top_words(PHI, TERMS, by="score"), "by is 'score'"),
        (lambda: top_words(PHI, TERMS, by="frex", weight=2), "weight is 2"),
        (lambda: top_words(PHI, TERMS, by="relevance", relevance=-1), "relevance is -1"),
        (lambda: top_words(PHI, TERMS, by="lift", topic_weights=[1]), "expected 2 numbers"),
        (lambda: top_words(PHI, TERMS[:3]), "3 words for 4 columns"),
        (lambda: topic_diversity(PHI, True), "n_words is True"),
        (lambda: topic_diversity([[0, 0], [1, 1]]), "topic 0 of phi has no words"),
        (lambda: topic_diversity([[np.nan, 1]]), r"phi\[0, 0\] is nan"),
        (lambda: topic_diversity([1, 2]), r"phi has shape \(2,\)"),
        (lambda: topic_diversity(np.ones((0, 3))), "neither empty"),
        (lambda: representative_documents([[np.inf, 1]]), r"theta\[0, 0\] is inf"),
    ],
)
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_bad_types():
    with pytest.raises(TypeError, match="Call fit first"):
        topic_map(LatentDirichletAllocation())
    with pytest.raises(TypeError, match="phi is a list"):
        topic_map([["a", "b"]])
    with pytest.raises(TypeError, match="one string"):
        top_words(PHI, "abcd")
