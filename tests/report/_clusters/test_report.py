"""Reports on clusters: their numbers, and the page that shows them."""

import json

import pytest
from tests.helpers.kinds_of_texts import LABELS, ODD, TEXTS

from quire.cluster import cluster_documents
from quire.report import cluster_report, render_clusters, summarise_clusters


@pytest.fixture(scope="module")
def clusters():
    return cluster_documents(ODD, 3, random_state=0)


@pytest.fixture(scope="module")
def found(clusters):
    return summarise_clusters(clusters, ODD, labels=[*LABELS, None, "law", None, "pets"])


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


def test_the_page_says_how_the_number_came_about_unless_it_was_asked_for(clusters):
    assert "The number of clusters:" not in cluster_report(clusters).html
    tried = cluster_report(cluster_documents(TEXTS, [2, 3], random_state=0)).html
    assert "The number of clusters: the largest silhouette of 2, 3." in tried
