"""Search in texts: neighbours, the terms that make them, votes, near-duplicates, files."""

import pickle

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import normalize

import quire
from quire.feature_extraction.text import CountVectorizer, TfidfVectorizer
from quire.neighbors import KNeighborsClassifier, NearestNeighbors, TextSearch
from quire.neighbors import _duplicates as duplicates

TEXTS = [
    "the cat chased the dog",
    "a dog and a cat 🐈",
    "",
    "parliament voted on the tax",
    "the tax divides parliament",
    "the tax divides Parliament!",
    "[bold] naïve café",
]
LABELS = ["pets", "pets", None, "law", "law", "law", "odd"]
WORDS = [f"w{i}" for i in range(60)]


@pytest.fixture(scope="module")
def search():
    return TextSearch(n_neighbors=3).fit(TEXTS, LABELS)


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(WORDS, rng.integers(0, 30))) for _ in range(150)]


def test_parts_of_terms_add_up_to_the_cosine(corpus):
    found = TextSearch(n_neighbors=20).fit(corpus).search(corpus[3] + " w1 unknown")
    X = TfidfVectorizer().fit(corpus)
    expected = NearestNeighbors(n_neighbors=20, metric="cosine").fit(X.transform(corpus))
    distances, rows = expected.kneighbors(X.transform([corpus[3] + " w1 unknown"]))
    assert [match.row for match in found.matches] == rows[0].tolist()
    np.testing.assert_allclose([m.similarity for m in found.matches], 1 - distances[0], atol=1e-15)
    for match in found.matches:
        assert sum(part for _, part in match.terms) == pytest.approx(match.similarity, abs=1e-12)
        parts = [part for _, part in match.terms]
        assert parts == sorted(parts, reverse=True)
        assert match.similarity + match.distance == pytest.approx(1)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_other_metrics_keep_the_cosine_beside_the_distance(corpus, metric):
    one = TextSearch(n_neighbors=5, metric=metric).fit(corpus).search("w1 w2 w3 w3")
    X = TfidfVectorizer().fit(corpus)
    dense, query = X.transform(corpus).toarray(), X.transform(["w1 w2 w3 w3"]).toarray()
    power = 1 if metric == "manhattan" else 2
    all_distances = np.linalg.norm(dense - query, ord=power, axis=1)
    np.testing.assert_allclose(
        [match.distance for match in one.matches], np.sort(all_distances)[:5], atol=1e-12
    )
    for match in one.matches:
        assert match.similarity == pytest.approx(float(dense[match.row] @ query[0]), abs=1e-12)


def test_documents_that_share_nothing_are_not_found(search):
    assert [m.row for m in search.search("café with a cat", 7).matches] == [6, 1, 0]
    assert len(search.search("unknown words")) == 0
    assert len(search.search("")) == 0
    assert str(search.search("")) == "no document shares a term with the query"
    assert search.search("").to_frame().height == 0


def test_a_row_is_not_its_own_neighbour_even_among_duplicates(search):
    found = search.search_row(5, 10)
    assert found.row == 5
    assert found[0].row == 4
    assert 5 not in [m.row for m in found.matches]
    assert found[0].similarity == 1.0
    copies = TextSearch(n_neighbors=2).fit(["same words"] * 5)
    for row in range(5):
        assert row not in [m.row for m in copies.search_row(row).matches]
        assert len(copies.search_row(row)) == 2
    with pytest.raises(ValueError, match="row is 7; expected the number of a document, 0 to 6"):
        search.search_row(7)


def test_votes_are_those_of_the_classifier(corpus):
    labels = [["b", "a", "c"][number % 3] for number in range(len(corpus))]
    search = TextSearch(n_neighbors=9).fit(corpus, labels)
    X = search.vectorizer_.transform(corpus)
    model = KNeighborsClassifier(9, metric="cosine").fit(X, labels)
    queries = ["w1 w2", "w5 w6 w7", "w9", "w30 w31"]
    expected = model.predict(search.vectorizer_.transform(queries))
    found = list(search.search_all(queries))
    assert [one.votes[0][0] for one in found] == expected.tolist()
    assert sum(share for _, _, share in found[0].votes) == pytest.approx(1)


def test_matches_without_a_label_do_not_vote():
    one = TextSearch(3).fit(["a1 b1", "a1", "a1 c1"], [None, "x", "y"]).search("a1")
    assert one.votes == [("x", 1, 0.5), ("y", 1, 0.5)]
    assert TextSearch(3).fit(["a1 b1"]).search("a1").votes == []


def test_vectorizers_of_other_kinds(corpus):
    hashed = TextSearch(vectorizer=HashingVectorizer(n_features=64)).fit(corpus)
    match = hashed.search("w1 w2")[0]
    assert all(term.startswith("column ") for term, _ in match.terms)
    assert sum(part for _, part in match.terms) == pytest.approx(match.similarity)
    dense = TextSearch(vectorizer=make_pipeline(TfidfVectorizer(), TruncatedSVD(5)))
    match = dense.fit(corpus).search("w1 w2")[0]
    assert sum(part for _, part in match.terms) == pytest.approx(match.similarity)
    counted = TextSearch(vectorizer=CountVectorizer(ngram_range=(1, 2))).fit(corpus)
    assert counted.search(corpus[0])[0].similarity == pytest.approx(1)


def test_table_and_printing(search):
    found = search.search("the tax of parliament")
    table = found.to_frame()
    assert table.columns == ["rank", "row", "similarity", "distance", "label", "terms", "text"]
    assert table["rank"].to_list() == [1, 2, 3]
    assert "law: the tax divides parliament" in str(found)
    assert len(str(found).splitlines()) == 3


@pytest.mark.parametrize("labels", [None, LABELS, [1, 2, None, 3, 3, 3, 4]])
def test_saved_and_loaded(tmp_path, labels):
    search = TextSearch(3).fit(TEXTS, labels)
    for again in (
        quire.load(quire.save(search, tmp_path / "index.quire")),
        pickle.loads(pickle.dumps(search)),
    ):
        assert again.search("a tax on cats") == search.search("a tax on cats")
        assert again.search_row(4) == search.search_row(4)
        assert again.duplicates(0.9).equals(search.duplicates(0.9))


def test_missing_texts_series_and_errors():
    search = TextSearch(2).fit(pl.Series(["a1 b1", None, "b1"]))
    assert [m.row for m in search.search("b1").matches] == [2, 0]
    with pytest.raises(TypeError, match="texts is one string"):
        TextSearch().fit("text")
    with pytest.raises(TypeError, match="expected strings"):
        TextSearch().fit([1, 2])
    with pytest.raises(ValueError, match="y has 1 labels; expected one for each of the 2"):
        TextSearch().fit(["a1", "b1"], ["x"])
    with pytest.raises(TypeError, match="expected a string"):
        search.search(["b1"])
    with pytest.raises(TypeError, match="texts is one string"):
        next(search.search_all("b1"))
    with pytest.raises(ValueError, match="n_neighbors is 0"):
        search.search("b1", 0)
    with pytest.raises(ValueError, match="threshold is 0; expected a cosine above 0, at most 1"):
        search.duplicates(0)


@pytest.mark.parametrize("threshold", [0.15, 0.4, 0.7, 0.9, 1.0])
@pytest.mark.parametrize("work", [50, 10**6])
def test_no_pair_is_missed_and_none_is_added(corpus, threshold, work, monkeypatch):
    monkeypatch.setattr(duplicates, "_WORK", work)
    texts = [*corpus, corpus[7], corpus[7].upper(), corpus[8] + " w1", ""]
    search = TextSearch().fit(texts)
    found = search.duplicates(threshold)
    units = normalize(search.index_._fit_X).toarray()
    cosines = np.triu(units @ units.T, 1)
    rows, others = np.nonzero(cosines >= threshold - 1e-9)
    expected = set(zip(rows.tolist(), others.tolist(), strict=True))
    assert set(found.select("row", "other").rows()) == expected
    pairs = found["row"].to_numpy(), found["other"].to_numpy()
    np.testing.assert_allclose(found["similarity"], cosines[pairs], atol=1e-9)
    assert found["similarity"].is_sorted(descending=True)


def test_duplicates_of_signed_rows_and_progress():
    rng = np.random.default_rng(1)
    X = normalize(sparse.random_array((60, 30), density=0.3, rng=rng, data_sampler=rng.normal))
    told = []
    rows, others, _ = duplicates.near_duplicates(X, 0.5, lambda done, n: told.append((done, n)))
    cosines = np.triu((X @ X.T).toarray(), 1)
    assert set(zip(rows, others, strict=True)) == set(zip(*np.nonzero(cosines >= 0.5), strict=True))
    assert told[-1] == (60, 60)


def test_groups_are_connected_documents():
    texts = ["a1 b1", "x1 y1", "b1 a1", "z1", "y1 x1", "A1 B1"]
    found = TextSearch().fit(texts).duplicates(0.99)
    assert found.rows() == [(0, 2, 1.0, 0), (0, 5, 1.0, 0), (1, 4, 1.0, 1), (2, 5, 1.0, 0)]
    assert TextSearch().fit(["a1", "b1"]).duplicates(0.5).height == 0
