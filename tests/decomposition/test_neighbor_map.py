"""Maps by neighbours: groups, the same bits again, odd documents, and without openTSNE."""

import sys

import numpy as np
import pytest
from tests.helpers.kinds_of_texts import LABELS, ODD

from quire.decomposition import _document_map as document_map
from quire.decomposition import map_documents
from quire.exceptions import MissingExtraError

pytest.importorskip("openTSNE")
KINDS = np.array(LABELS)


@pytest.fixture(scope="module")
def placed():
    return map_documents(ODD, layout="tsne", perplexity=15)


def agreement(points):
    """Return the share of documents whose nearest ones are of their kind."""
    own = points[: len(KINDS)]
    distances = np.linalg.norm(own[:, None] - own[None], axis=2)
    np.fill_diagonal(distances, np.inf)
    near = np.argsort(distances, axis=1)[:, :5]
    return (KINDS[near] == KINDS[:, None]).mean()


def test_neighbours_are_of_one_kind(placed):
    assert placed.layout == "tsne"
    assert agreement(placed.points) > 0.95
    assert repr(placed) == "<DocumentMap: 124 documents, by neighbours (t-SNE)>"


def test_many_groups_that_two_components_cannot_hold():
    rng = np.random.default_rng(0)
    words = [f"word{k}" for k in range(240)]
    groups = np.repeat(np.arange(12), 30)
    texts = [" ".join(rng.choice(words[20 * k : 20 * k + 20], 12)) for k in groups]

    def near(points):
        distances = np.linalg.norm(points[:, None] - points[None], axis=2)
        np.fill_diagonal(distances, np.inf)
        return (groups[distances.argmin(axis=1)] == groups).mean()

    by_neighbours = near(map_documents(texts, layout="tsne").points)
    assert by_neighbours > 0.97
    assert by_neighbours > near(map_documents(texts).points) + 0.1


def test_documents_without_words_have_no_place(placed):
    assert placed.n_empty == 3
    assert np.isnan(placed.points).any(axis=1).sum() == 3
    assert np.isfinite(placed.points[: len(KINDS)]).all()


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_same_documents_have_the_same_places(placed, n_jobs):
    again = map_documents(ODD, layout="tsne", perplexity=15, n_jobs=n_jobs)
    np.testing.assert_array_equal(again.points, placed.points)


def test_equal_and_few_documents():
    texts = ["cat dog", "tax law", "soup bread"] * 40
    points = map_documents(texts, layout="tsne").points
    assert np.isfinite(points).all()
    few = [*["cat dog", "dog cat paw", "tax law", "law vote"] * 2, "soup bread", ""]
    assert np.isfinite(map_documents(few, layout="tsne").points[:-1]).all()
    with pytest.raises(ValueError, match="needs at least 8"):
        map_documents(["cat dog", "dog paw", "tax law dog", "law"], layout="tsne")


def test_auto_chooses_by_the_number_of_documents(monkeypatch):
    texts = ["cat dog paw", "tax law vote", "soup bread salt", "cat law"] * 10
    assert map_documents(texts, layout="auto").layout == "tsne"
    assert map_documents(texts[:20], layout="auto").layout == "pca"
    assert map_documents(texts).layout == "pca"
    monkeypatch.setattr(document_map, "_MOST", 39)
    assert map_documents(texts, layout="auto").layout == "pca"


def test_without_the_package(monkeypatch):
    texts = ["cat dog paw", "tax law vote", "soup bread salt", "cat law"] * 10
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'quire\[map\]'"):
        map_documents(texts, layout="tsne")
    monkeypatch.setattr(document_map, "can_place_by_neighbors", lambda: False)
    assert map_documents(texts, layout="auto").layout == "pca"


def test_wrong_arguments(placed):
    with pytest.raises(ValueError, match="layout is 'umap'"):
        map_documents(ODD, layout="umap")
    with pytest.raises(ValueError, match="perplexity is 1"):
        map_documents(ODD, layout="tsne", perplexity=1)
    with pytest.raises(ValueError, match="mean nothing"):
        placed.axes()
