"""Documents straight to class counts: equal to the sums of the matrix, in every form of input."""

import io

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer
from sklearn.feature_extraction.text import HashingVectorizer as SklearnHashingVectorizer
from tests.helpers.labelled_texts import (
    TEXTS,
    Y,
    make,
    own_tokens,
    reversed_words,
    setting_names,
)

from quire.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfVectorizer,
    count_by_class,
)


def class_sums(X, y, weights=None):
    """Y.T @ X with a row of the matrix for each document."""
    classes = np.unique(y)
    w = np.ones(X.shape[0]) if weights is None else np.asarray(weights)
    return np.stack([X.toarray()[y == k].T @ w[y == k] for k in classes])


def assert_same_fit(ours, theirs):
    """Both vectorizers know the same, now and after more documents."""
    assert ours.vocabulary_ == theirs.vocabulary_
    assert ours.fixed_vocabulary_ == theirs.fixed_vocabulary_
    more, _ = make(50, seed=9)
    assert (ours.transform(more) != theirs.transform(more)).nnz == 0
    assert ours.partial_fit(more).vocabulary_ == theirs.partial_fit(more).vocabulary_


SETTINGS = [
    {},
    {"lowercase": False, "token_pattern": r"\w+"},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3), "min_df": 2},
    {"analyzer": "char", "ngram_range": (1, 3)},
    {"analyzer": "char_wb", "ngram_range": (2, 4), "max_features": 100},
    {"stop_words": "english", "strip_accents": "unicode"},
    {"stop_words": ["film", "good"], "ngram_range": (1, 2), "max_df": 0.3},
    {"min_df": 3, "max_df": 0.5},
    {"min_df": 0.01, "max_features": 20},
    {"binary": True},
    {"binary": True, "max_features": 12},
    {"dtype": np.float32},
    {"dtype": bool, "max_features": 12},
    {"tokenizer": own_tokens, "token_pattern": None},
    {"tokenizer": own_tokens, "token_pattern": None, "min_df": 2, "ngram_range": (1, 2)},
    {"analyzer": reversed_words, "max_features": 9},
    {"preprocessor": str.upper, "binary": True},
    {"vocabulary": ["film", "good", "nowhere", "bad"]},
    {"vocabulary": {"film": 1, "caf\u00e9": 0}, "binary": True},
    {"vocabulary": ["a", "b"], "tokenizer": own_tokens, "token_pattern": None},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=setting_names)
@pytest.mark.parametrize("threshold", [None, 0.0, 1.0, 1.5])
def test_counts_are_the_class_sums_of_the_matrix(settings, threshold, monkeypatch):
    monkeypatch.setattr("quire.feature_extraction.text._class_counting._BATCH", 70)
    vectorizer, fitted = CountVectorizer(**settings), CountVectorizer(**settings)
    counts = count_by_class(vectorizer, TEXTS, Y, threshold=threshold)
    X = fitted.fit_transform(TEXTS).astype(float)
    if threshold is not None:
        X = X > threshold
    np.testing.assert_array_equal(counts.feature_count, class_sums(X, Y))
    np.testing.assert_array_equal(counts.classes, np.unique(Y))
    np.testing.assert_array_equal(counts.class_count, np.unique(Y, return_counts=True)[1])
    assert counts.n_documents == len(TEXTS)
    assert counts.feature_count.dtype == counts.class_count.dtype == np.float64
    assert_same_fit(vectorizer, fitted)


@pytest.mark.parametrize("settings", SETTINGS, ids=setting_names)
def test_weights(settings, monkeypatch):
    monkeypatch.setattr("quire.feature_extraction.text._class_counting._BATCH", 70)
    X = CountVectorizer(**settings).fit_transform(TEXTS).astype(float)
    balanced = np.array([3.7 if label == "pos" else 0.3 for label in Y])
    whole = np.arange(len(Y)) % 4
    real = np.random.default_rng(0).exponential(size=len(Y))
    for weights, rtol in ((balanced, 1e-13), (whole, 0), (real, 1e-13)):
        for given in (weights, weights.tolist(), iter(weights)):
            counts = count_by_class(CountVectorizer(**settings), TEXTS, Y, weights=given)
            np.testing.assert_allclose(
                counts.feature_count, class_sums(X, Y, weights), rtol=rtol, atol=1e-300
            )
            np.testing.assert_allclose(
                counts.class_count,
                [weights[label == Y].sum() for label in counts.classes],
                rtol=1e-13,
            )
            assert counts.n_documents == len(TEXTS)


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 8])
def test_threads_do_not_change_the_bits(n_jobs):
    weights = np.random.default_rng(0).random(len(Y))
    texts = [text + " " * 20_000 for text in TEXTS]
    one = count_by_class(CountVectorizer(n_jobs=1), texts, Y, weights=weights)
    ours = count_by_class(CountVectorizer(n_jobs=n_jobs), texts, Y, weights=weights)
    np.testing.assert_array_equal(ours.feature_count, one.feature_count)


def test_what_was_pruned_is_kept_beside_the_columns():
    vectorizer = CountVectorizer(min_df=3)
    counts = count_by_class(vectorizer, TEXTS, Y)
    everything = count_by_class(CountVectorizer(), TEXTS, Y)
    assert everything.term_counts is everything.feature_count
    np.testing.assert_array_equal(counts.term_counts, everything.term_counts)
    assert counts.terms.names() == everything.terms.names()
    kept = np.isin(counts.terms.names(), vectorizer.get_feature_names_out())
    np.testing.assert_array_equal(counts.term_counts[:, kept], counts.feature_count)


@pytest.mark.parametrize("hasher", [HashingVectorizer, SklearnHashingVectorizer])
@pytest.mark.parametrize(
    "settings",
    [
        {"alternate_sign": False, "norm": None},
        {},
        {"binary": True, "norm": None},
        {"tokenizer": own_tokens, "token_pattern": None},
    ],
    ids=setting_names,
)
@pytest.mark.parametrize("threshold", [None, 0.2])
def test_hashing(hasher, settings, threshold, monkeypatch):
    monkeypatch.setattr("quire.feature_extraction.text._class_counting._BATCH", 70)
    vectorizer = hasher(n_features=50, **settings)
    counts = count_by_class(vectorizer, TEXTS, Y, threshold=threshold)
    X = vectorizer.transform(TEXTS)
    expected = class_sums(X if threshold is None else X > threshold, Y)
    np.testing.assert_allclose(counts.feature_count, expected, rtol=1e-12, atol=1e-12)
    assert counts.terms is None
    assert counts.term_counts is counts.feature_count
    streamed = count_by_class(vectorizer, zip(TEXTS, Y, strict=True), threshold=threshold)
    np.testing.assert_allclose(streamed.feature_count, expected, rtol=1e-12, atol=1e-12)


KINDS = ["list", "tuple", "array", "objects", "polars", "pandas", "pyarrow", "generator", "bytes"]


def documents_as(kind):
    if kind in ("polars", "pandas"):
        return pytest.importorskip(kind).Series(TEXTS)
    if kind == "pyarrow":
        return pytest.importorskip("pyarrow").array(TEXTS)
    return {
        "list": lambda: TEXTS,
        "tuple": lambda: tuple(TEXTS),
        "array": lambda: np.array(TEXTS),
        "objects": lambda: np.array(TEXTS, dtype=object),
        "generator": lambda: iter(TEXTS),
        "bytes": lambda: [text.encode() for text in TEXTS],
    }[kind]()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "settings",
    [{}, {"tokenizer": own_tokens, "token_pattern": None}, {"vocabulary": ["film"]}],
    ids=setting_names,
)
def test_every_kind_of_documents(kind, settings, monkeypatch):
    monkeypatch.setattr("quire.feature_extraction.text._class_counting._BATCH", 70)
    monkeypatch.setattr("quire.feature_extraction.text._documents._BATCH", 70)
    expected = count_by_class(CountVectorizer(**settings), TEXTS, Y).feature_count
    for labels in (Y, iter(Y)):
        ours = count_by_class(CountVectorizer(**settings), documents_as(kind), labels)
        np.testing.assert_array_equal(ours.feature_count, expected)


def test_files(tmp_path):
    paths = []
    for number, text in enumerate(TEXTS[:20]):
        paths.append(tmp_path / f"{number}.txt")
        paths[-1].write_text(text, encoding="latin-1")
    expected = count_by_class(CountVectorizer(), TEXTS[:20], Y[:20]).feature_count
    by_name = CountVectorizer(input="filename", encoding="latin-1")
    ours = count_by_class(by_name, paths, Y[:20])
    np.testing.assert_array_equal(ours.feature_count, expected)
    files = (io.StringIO(text) for text in TEXTS[:20])
    ours = count_by_class(CountVectorizer(input="file"), files, Y[:20])
    np.testing.assert_array_equal(ours.feature_count, expected)


@pytest.mark.parametrize(
    ("vectorizer", "reason"),
    [
        (TfidfVectorizer(), "TfidfVectorizer cannot be counted by class in one pass"),
        (SklearnCountVectorizer(), r"not with sklearn\.feature_extraction\.text\.CountVectorizer"),
        ("CountVectorizer", r"not with builtins\.str"),
    ],
)
def test_other_vectorizers_are_refused_with_a_remedy(vectorizer, reason):
    with pytest.raises(TypeError, match=f"{reason}.*fit on the matrix of fit_transform"):
        count_by_class(vectorizer, TEXTS, Y)
