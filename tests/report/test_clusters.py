"""Clusters and maps of documents in the library, and the data and pages of their reports."""

import base64
import json
from datetime import date

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.decomposition import PCA as SklearnPCA
from sklearn.metrics import (
    adjusted_rand_score,
    normalized_mutual_info_score,
    silhouette_samples,
)

from quire.cluster import KMeans, cluster_agreement, cluster_documents
from quire.decomposition import map_documents
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.report import (
    cluster_report,
    map_report,
    render_clusters,
    render_map,
    summarise_clusters,
    summarise_map,
)
from quire.report._excerpts import cut
from quire.report._map_colours import map_colour
from quire.report._map_index import term_index

KINDS = {
    "pets": "cat dog paw fur tail kitten puppy",
    "law": "tax vote court judge law budget minister",
    "food": "bread cheese wine olive soup pepper salt",
}


def corpus(n=120, seed=0):
    rng = np.random.default_rng(seed)
    labels = [list(KINDS)[i % 3] for i in range(n)]
    texts = [" ".join(rng.choice(KINDS[label].split(), 9)) for label in labels]
    return texts, labels


TEXTS, LABELS = corpus()
ODD = [*TEXTS, "", "  ", "🎉", "<b>cat</b> <script>alert(1)</script> dog &amp; paw"]


@pytest.fixture(scope="module")
def clusters():
    return cluster_documents(ODD, 3, random_state=0)


@pytest.fixture(scope="module")
def found(clusters):
    return summarise_clusters(clusters, ODD, labels=[*LABELS, None, "law", None, "pets"])


@pytest.fixture(scope="module")
def placed():
    return map_documents(ODD)


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


def test_one_string_is_not_a_corpus():
    with pytest.raises(TypeError, match="one string"):
        cluster_documents("cat dog")
    with pytest.raises(TypeError, match="one string"):
        map_documents("cat dog")


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


def test_numbers_of_a_report_are_those_of_the_clusters(clusters, found):
    assert (found.n_documents, found.n_empty, found.metric) == (124, 3, "cosine")
    assert [one.documents for one in found.clusters] == sorted(clusters.sizes, reverse=True)
    for one in found.clusters:
        assert one.documents == clusters.sizes[one.cluster]
        own = clusters.distances[clusters.labels == one.cluster]
        assert one.distance == pytest.approx(own.mean())
        assert one.terms == [term.term for term in clusters.top_terms(12)[one.cluster]]
        assert one.label_share == 1
        rows = clusters.central_documents(50)[one.cluster].tolist()
        assert [document.row for document in one.central] == rows[: len(one.central)]
        for document in one.central:
            text = "".join(piece.text for piece in document.pieces)
            assert text == ODD[document.row]
            assert any(piece.weight for piece in document.pieces)
    assert found.labels.n_documents == 121
    assert found.labels.adjusted_rand == 1
    assert sum(map(sum, found.labels.table)) == 121
    assert len(found.pairs) == 3
    assert found.trace == clusters.k_means.trace_["inertia"].tolist()
    json.dumps(cluster_report(clusters, ODD).to_dict(), allow_nan=False)


def test_the_page_of_clusters_is_escaped(clusters):
    page = cluster_report(clusters, ODD, labels=["<i>x</i>"] * 124, title="<b>Title</b>")
    assert "<b>Title" not in page.html
    assert "<i>x" not in page.html
    assert "alert(1)</script>" not in page.html
    assert "&lt;i&gt;x" in page.html
    assert "3 documents have no term that counts" in page.html


def test_many_labels_and_clusters_without_documents():
    with pytest.warns(UserWarning, match="distinct clusters"):
        made = cluster_documents(["cat dog", "law tax"] * 30, 4, random_state=0)
    data = summarise_clusters(made, labels=[f"author {i}" for i in range(60)])
    assert len(data.labels.labels) == 41
    assert data.labels.labels[-1] == "20 others"
    assert sum(map(sum, data.labels.table)) == 60
    assert any("no documents" in note for note in data.notes)
    assert "Cluster" in render_clusters(data)


def test_texts_and_labels_must_fit(clusters):
    with pytest.raises(ValueError, match="3 documents"):
        summarise_clusters(clusters, TEXTS[:3])
    with pytest.raises(ValueError, match="3 entries"):
        summarise_clusters(clusters, ODD, labels=LABELS[:3])


def test_places_are_principal_components(placed):
    is_in = ~np.isnan(placed.points[:, 0])
    assert np.flatnonzero(~is_in).tolist() == [120, 121, 122]
    X = placed.vectorizer.transform(ODD)[is_in].toarray()
    expected = SklearnPCA(2).fit(X)
    own = placed.points[is_in]
    theirs = expected.transform(X)
    signs = np.sign((own * theirs).sum(axis=0))
    np.testing.assert_allclose(own, theirs * signs, atol=1e-8)
    axes = placed.axes(3)
    np.testing.assert_allclose(
        [axis.share for axis in axes], expected.explained_variance_ratio_, atol=1e-10
    )
    names = placed.vectorizer.get_feature_names_out()
    order = np.argsort(placed.pca.components_[0], kind="stable")
    assert [one.term for one in axes[0].low] == names[order[:3]].tolist()
    assert [one.term for one in axes[0].high] == names[order[::-1][:3]].tolist()


def test_maps_without_two_directions():
    same = ["cat dog bird"] * 5
    with pytest.raises(ValueError, match="same terms"):
        map_documents(same, vectorizer=TfidfVectorizer())
    with pytest.raises(ValueError, match="at least three"):
        map_documents(["cat dog", "law tax"])
    two = map_documents(["cat dog bird", "law tax vote"] * 5, vectorizer=TfidfVectorizer())
    first, second = two.axes()
    assert first.share == pytest.approx(1)
    assert {term.term for term in first.low} in ({"cat", "dog", "bird"}, {"law", "tax", "vote"})
    assert second.low == second.high == []
    assert "no words" in map_report(two).html


def test_counts_can_be_clustered():
    found = cluster_documents(TEXTS, 3, vectorizer=CountVectorizer(), random_state=0)
    assert cluster_agreement(found.labels, LABELS).adjusted_rand == 1


def test_places_do_not_depend_on_threads(placed):
    again = map_documents(ODD, n_jobs=1)
    np.testing.assert_array_equal(placed.points, again.points)


def test_the_data_of_a_map(placed):
    data = summarise_map(placed, ODD, colours={"kind": [*LABELS, None, None, None, None]})
    assert len(data.rows) == 121
    np.testing.assert_allclose(data.x, placed.points[data.rows, 0], rtol=1e-4)
    assert data.texts[:2] == TEXTS[:2]
    colour = data.colours[0]
    assert colour.groups == ["food", "law", "pets"]
    assert colour.sizes == [40, 40, 40]
    assert colour.codes[-1] == -1
    assert "3 documents have no term" in data.notes[0]
    few = summarise_map(placed, ODD, max_points=50)
    assert len(few.rows) == 50
    assert few.rows == sorted(set(few.rows))
    assert few.rows == summarise_map(placed, ODD, max_points=50).rows
    assert "50 of 121" in few.notes[0]
    with pytest.raises(ValueError, match="max_points"):
        summarise_map(placed, max_points=0)
    with pytest.raises(ValueError, match="'kind' has 3 values"):
        summarise_map(placed, colours={"kind": ["a", "b", "c"]})


def decoded(index):
    """Do what the script on the page does."""
    data, place, found = base64.b64decode(index.places), 0, {}
    for term, length in zip(index.terms, index.lengths, strict=True):
        rows, row, value, shift = [], 0, 0, 0
        for byte in data[place : place + length]:
            value |= (byte & 127) << shift
            if byte & 128:
                shift += 7
                continue
            row += value
            rows.append(row)
            value = shift = 0
        found[term] = rows
        place += length
    assert place == len(data)
    return found


def test_the_index_holds_every_document_of_a_term():
    X = sparse.random_array((40_000, 30), density=0.003, rng=np.random.default_rng(0), format="csr")
    X = sparse.csr_array(sparse.hstack([X, sparse.csr_array((40_000, 1))]))
    names = np.array([f"term{i}" for i in range(31)])
    found = decoded(term_index(X, names))
    assert len(found) == 30  # the last has no document
    columns = X.tocsc()
    for number in range(30):
        rows = np.sort(columns.indices[columns.indptr[number] : columns.indptr[number + 1]])
        assert found[f"term{number}"] == rows.tolist()
    short = term_index(X, names, most=1000)
    assert short.left_out == 30 - len(short.terms) > 0
    assert sum(map(len, decoded(short).values())) <= 1000


def test_colours_are_groups_numbers_or_dates():
    rows = np.arange(60)
    numbers = map_colour("size", [float(i) for i in range(59)] + [float("nan")], rows, 60)
    assert numbers.kind == "numbers"
    assert numbers.values[-1] is None
    assert 0 < numbers.low < numbers.high < 58
    few = map_colour("stars", [10, 2, 3] * 20, rows, 60)
    assert (few.kind, few.groups) == ("groups", ["2", "3", "10"])
    dates = map_colour("day", [date(1970, 1, 2)] * 60, rows, 60)
    assert (dates.kind, dates.values[0]) == ("dates", 1.0)
    truth = map_colour("spam", [True, False, None] * 20, rows, 60)
    assert truth.groups == ["false", "true"]
    many = map_colour("who", [f"author {i % 40}" for i in range(60)], rows, 60)
    assert len(many.groups) == 32
    assert many.groups[-1] == "9 others"
    assert sum(many.sizes) == 60
    arrays = map_colour("who", np.array(["a", "b"] * 30), rows[:4], 60)
    assert arrays.codes == [0, 1, 0, 1]


def test_the_page_of_a_map(placed, tmp_path):
    page = map_report(
        placed,
        ODD,
        colours={"<i>kind</i>": [*LABELS, None, None, None, "<u>"]},
        title="<b>Title</b>",
        path=tmp_path / "map.html",
    )
    assert (tmp_path / "map.html").read_text(encoding="utf-8") == page.html
    for wrong in ("<b>Title", "<i>kind", "<u>", "alert(1)</script>"):
        assert wrong not in page.html
    assert "quireEmbed =" not in page.html  # no chart, no library that draws charts
    assert len(page.html) < 200_000
    json.dumps(page.to_dict(), allow_nan=False)
    without = render_map(summarise_map(placed))
    assert 'id="map-search"' not in without
    assert 'id="map-legend"' not in without


@pytest.mark.parametrize(
    ("text", "n", "expected"),
    [
        ("short", 10, "short"),
        ("a  b\n c", 10, "a b c"),
        ("one two three", 9, "one two…"),
        ("abcdefghijkl", 6, "abcde…"),
        ("", 5, ""),
    ],
)
def test_texts_are_cut_at_words(text, n, expected):
    assert cut(text, n) == expected
    assert len(cut(text, n)) <= n
