"""BM25 weights: worked numbers, the formula in plain Python, and vectorizers that grow."""

import math

import numpy as np
import pytest
from scipy import sparse
from sklearn.pipeline import make_pipeline

from quire.feature_extraction.text import BM25Transformer, BM25Vectorizer, CountVectorizer
from quire.inspection import explain
from quire.svm import LinearSVC

TEXTS = ["rain and more rain", "sun", "sun and rain", "", "more and more sun, more!"] * 3


def plain(X, fitted_to, k1=1.2, b=0.75, use_idf=True, norm=None):
    """Return the weights of a dense array of counts, entry by entry."""
    n, lengths = len(fitted_to), X.sum(axis=1)
    mean = fitted_to.sum() / n
    df = (fitted_to > 0).sum(axis=0)
    W = np.zeros(X.shape)
    for d, i in zip(*np.nonzero(X), strict=True):
        share = 1 - b + b * lengths[d] / mean
        W[d, i] = (k1 + 1) * X[d, i] / (X[d, i] + k1 * share)
        if use_idf:
            W[d, i] *= math.log(1 + (n - df[i] + 0.5) / (df[i] + 0.5))
    if norm is not None:
        sizes = np.linalg.norm(W, 1 if norm == "l1" else 2, axis=1, keepdims=True)
        W = np.divide(W, sizes, out=np.zeros_like(W), where=sizes > 0)
    return W


def counts(n=40, p=15, seed=0):
    X = np.random.default_rng(seed).poisson(0.6, (n, p))
    X[3] = 0
    return X


def test_worked_numbers():
    """Two documents of three and one words: the mean length is 2."""
    found = BM25Transformer(norm=None).fit_transform([[2, 1], [0, 1]]).toarray()
    idf = [math.log(1 + 1.5 / 1.5), math.log(1 + 0.5 / 2.5)]
    long, short = 0.25 + 0.75 * 1.5, 0.25 + 0.75 * 0.5
    expected = [
        [idf[0] * 4.4 / (2 + 1.2 * long), idf[1] * 2.2 / (1 + 1.2 * long)],
        [0.0, idf[1] * 2.2 / (1 + 1.2 * short)],
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@pytest.mark.parametrize("settings", [
    {}, {"k1": 0.0}, {"k1": 2.0, "b": 0.0}, {"b": 1.0}, {"use_idf": False}, {"norm": "l1"},
    {"norm": "l2"},
])  # fmt: skip
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_the_formula(settings, form):
    X, new = counts(), counts(seed=1)
    settings = {"norm": None, **settings}
    model = BM25Transformer(**settings).fit(form(X))
    np.testing.assert_allclose(model.transform(form(new)).toarray(), plain(new, X, **settings))
    assert model.mean_length_ == X.sum() / len(X)


def test_presence_is_left_where_k1_is_zero():
    X = counts()
    found = BM25Transformer(k1=0.0, use_idf=False, norm=None).fit_transform(X)
    np.testing.assert_array_equal(found.toarray(), X > 0)


def test_single_precision_stays():
    X = sparse.csr_array(counts().astype(np.float32))
    found = BM25Transformer().fit(X)
    assert found.idf_.dtype == found.transform(X).dtype == np.float32
    np.testing.assert_allclose(
        found.transform(X).toarray(), plain(counts(), counts(), norm="l2"), atol=1e-6
    )


def test_x_is_left_alone():
    X = sparse.csr_array(counts().astype(float))
    kept = X.copy()
    BM25Transformer().fit_transform(X)
    assert (X != kept).nnz == 0


def test_entries_in_pieces_and_zeros_that_are_stored():
    X = sparse.csr_array(counts().astype(float))
    halves = sparse.csr_array(
        (np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape
    )
    zeros = sparse.csr_array(
        (np.append(X.data, 0.0), np.append(X.indices, 0), np.append(X.indptr[:-1], X.nnz + 1)),
        shape=X.shape,
    )
    expected = BM25Transformer().fit_transform(X).toarray()
    for odd in (halves, zeros):
        assert odd.nnz > X.nnz
        np.testing.assert_allclose(BM25Transformer().fit_transform(odd).toarray(), expected)


def test_documents_without_words():
    model = BM25Transformer().fit(sparse.csr_array((3, 2)))
    assert model.mean_length_ == 0
    assert np.isfinite(model.transform(np.ones((1, 2))).toarray()).all()
    assert model.transform(sparse.csr_array((1, 2))).nnz == 0


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_counts_below_zero(form):
    X = counts().astype(float)
    X[0, 0] = -1
    with pytest.raises(ValueError, match="Negative values in data passed to BM25Transformer"):
        BM25Transformer().fit(form(X))


@pytest.mark.parametrize(("name", "value"), [("k1", -1.0), ("b", 1.5), ("norm", "max")])
def test_parameters_out_of_range(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        BM25Transformer(**{name: value}).fit(counts())
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        BM25Vectorizer(**{name: value}).fit(TEXTS)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"ngram_range": (1, 2), "min_df": 4},
        {"binary": True},
        {"analyzer": "char", "max_features": 5},
        {"tokenizer": str.split, "token_pattern": None},
        {"vocabulary": ["rain", "sun", "snow"]},
        {"dtype": np.float32},
        {"dtype": np.int64},
    ],
)
def test_a_vectorizer_counts_and_weighs(settings):
    weights = {"k1": 0.9, "b": 0.4}
    vectorizer = BM25Vectorizer(**settings, **weights)
    found = vectorizer.fit_transform(TEXTS)
    pair = make_pipeline(CountVectorizer(**settings), BM25Transformer(**weights))
    np.testing.assert_allclose(found.toarray(), pair.fit_transform(TEXTS).toarray(), atol=1e-6)
    assert vectorizer.mean_length_ == pytest.approx(pair[1].mean_length_)
    fitted = BM25Vectorizer(**settings, **weights).fit(TEXTS)
    new = ["rain, sun and no snow", ""]
    for model in (vectorizer, fitted):
        np.testing.assert_allclose(
            model.transform(new).toarray(), pair.transform(new).toarray(), atol=1e-6
        )
    np.testing.assert_allclose(fitted.idf_, pair[1].idf_, rtol=1e-6)


@pytest.mark.parametrize("settings", [{}, {"vocabulary": ["rain", "sun"]}, {"binary": True}])
def test_a_vectorizer_grows(settings):
    whole = BM25Vectorizer(**settings).fit(TEXTS)
    grown = BM25Vectorizer(**settings).partial_fit(TEXTS[:4]).partial_fit(TEXTS[4:])
    joined = BM25Vectorizer(**settings).fit(TEXTS[:4])
    joined.merge(BM25Vectorizer(**settings).fit(TEXTS[4:]))
    for model in (grown, joined):
        assert model.mean_length_ == whole.mean_length_
        np.testing.assert_array_equal(model.idf_, whole.idf_)
        np.testing.assert_array_equal(
            model.transform(TEXTS).toarray(), whole.transform(TEXTS).toarray()
        )


def test_a_model_of_weights_is_explained():
    pipeline = make_pipeline(BM25Vectorizer(), LinearSVC(random_state=0))
    pipeline.fit(["good film", "a good plot", "bad film", "a bad plot"], ["p", "p", "n", "n"])
    explanation = explain(pipeline, ["good"])[0]
    assert [term.term for term in explanation.terms] == ["good"]


def test_tokens_stems_and_marks_are_counted_as_by_other_vectorizers():
    texts = ["not good, no", "good good!", "bad things"]
    options = {
        "tokens": "words+punctuation",
        "stemmer": lambda word: word[:3],
        "negation": "english",
    }
    names = CountVectorizer(**options).fit(texts).get_feature_names_out()
    vectorizer = BM25Vectorizer(**options).fit(texts)
    assert vectorizer.get_feature_names_out().tolist() == names.tolist()
    assert "," in names
