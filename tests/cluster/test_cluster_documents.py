"""Clusters of documents: what they are made of, how many there are, and known labels."""

import numpy as np
import polars as pl
import pytest
from sklearn.metrics import (
    adjusted_rand_score,
    normalized_mutual_info_score,
    silhouette_samples,
)
from tests.helpers.kinds_of_texts import LABELS, ODD, TEXTS

from quire.cluster import KMeans, cluster_agreement, cluster_documents
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer


@pytest.fixture(scope="module")
def clusters():
    return cluster_documents(ODD, 3, random_state=0)


def test_empty_documents_are_in_no_cluster_and_do_not_count(clusters):
    assert clusters.labels[120:123].tolist() == [-1, -1, -1]
    assert clusters.labels[123] == clusters.labels[0]
    assert np.isnan(clusters.distances[120:123]).all()
    assert clusters.n_empty == 3
    assert clusters.sizes.sum() == 121
    filled = [text for text, label in zip(ODD, clusters.labels, strict=True) if label >= 0]
    X = clusters.vectorizer.transform(filled)
    seed = clusters.k_means.random_state
    alone = KMeans(3, metric="cosine", n_init=3, random_state=seed).fit(X)
    assert alone.labels_.tolist() == clusters.labels[clusters.labels >= 0].tolist()


def test_distances_are_cosine_or_euclidean(clusters):
    is_in = clusters.labels >= 0
    X = clusters.vectorizer.transform(ODD)[is_in]
    own = clusters.k_means.transform(X)[np.arange(121), clusters.labels[is_in]]
    np.testing.assert_allclose(clusters.distances[is_in], own, atol=1e-12)
    euclidean = cluster_documents(TEXTS, 3, metric="euclidean", random_state=0)
    X = euclidean.vectorizer.transform(TEXTS).toarray()
    centers = euclidean.k_means.cluster_centers_[euclidean.labels]
    np.testing.assert_allclose(euclidean.distances, np.linalg.norm(X - centers, axis=1))


def test_the_number_with_the_largest_silhouette_is_taken():
    tried = cluster_documents(TEXTS, [2, 3, 5, 8], random_state=0)
    assert tried.n_clusters == 3
    assert [one.n_clusters for one in tried.trials] == [2, 3, 5, 8]
    X = tried.vectorizer.transform(TEXTS)
    expected = silhouette_samples(X, tried.labels, metric="cosine")
    assert tried.chosen.silhouette == pytest.approx(expected.mean())
    means = [expected[tried.labels == k].mean() for k in range(3)]
    np.testing.assert_allclose(tried.silhouettes, means)
    assert tried.chosen.smallest == 40


def test_progress_tells_of_every_iteration():
    told = []
    made = cluster_documents(TEXTS, [2, 3], n_init=2, random_state=0, progress=told.append)
    assert {(one["n_clusters"], one["start"]) for one in told} == {(2, 1), (2, 2), (3, 1), (3, 2)}
    assert all(one["inertia"] > 0 for one in told)
    assert len(made.k_means.trace_["inertia"]) in [
        one["iteration"] for one in told if one["n_clusters"] == made.n_clusters
    ]
    assert not vars(made.k_means).get("_tell")


@pytest.mark.parametrize(
    ("texts", "options", "word"),
    [
        (TEXTS, {"n_clusters": 121}, "120 documents"),
        (TEXTS, {"n_clusters": 0}, "from 1 on"),
        (TEXTS, {"n_clusters": []}, "from 1 on"),
        ([], {}, "no documents"),
        (["", " "], {"vectorizer": TfidfVectorizer(vocabulary=["cat"])}, "No document"),
    ],
)
def test_what_cannot_be_clustered(texts, options, word):
    with pytest.raises(ValueError, match=word):
        cluster_documents(texts, **options)


def test_whether_the_number_was_asked_for():
    assert cluster_documents(TEXTS, 3, random_state=0).number_is_given
    assert not cluster_documents(TEXTS, [2, 3], random_state=0).number_is_given
    assert not cluster_documents(TEXTS, random_state=0).number_is_given


def test_one_string_is_not_a_corpus():
    with pytest.raises(TypeError, match="one string"):
        cluster_documents("cat dog")


def test_missing_texts_are_empty():
    made = cluster_documents([*TEXTS, None, float("nan")], 3, random_state=0)
    assert made.n_empty == 2
    assert cluster_documents(pl.Series([*TEXTS, None]), 3, random_state=0).n_empty == 1


def test_agreement_is_that_of_scikit_learn():
    rng = np.random.default_rng(1)
    numbers, names = rng.integers(0, 4, 200), rng.choice(["a", "b", "c"], 200).tolist()
    own = cluster_agreement(numbers, names)
    assert own.adjusted_rand == pytest.approx(adjusted_rand_score(names, numbers))
    expected = normalized_mutual_info_score(names, numbers)
    assert own.normalized_mutual_info == pytest.approx(expected)
    for row, cluster in enumerate(own.clusters):
        for column, label in enumerate(own.labels):
            pairs = sum(a == cluster and b == label for a, b in zip(numbers, names, strict=True))
            assert own.table[row, column] == pairs
    assert own.purity == own.table.max(axis=1).sum() / 200
    partly = cluster_agreement([0, 1, -1, 1], ["a", None, "b", "b"])
    assert partly.n_documents == 2
    with pytest.raises(ValueError, match="3 entries"):
        cluster_agreement([0, 1], ["a", "b", "c"])
    with pytest.raises(ValueError, match="nothing to compare"):
        cluster_agreement([0, -1], [None, "b"])


def test_counts_can_be_clustered():
    found = cluster_documents(TEXTS, 3, vectorizer=CountVectorizer(), random_state=0)
    assert cluster_agreement(found.labels, LABELS).adjusted_rand == 1
