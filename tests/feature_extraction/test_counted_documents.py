"""Documents that were counted once give what a fit to their texts gives, bit for bit."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer

from quire.datasets import make_text_classification
from quire.feature_extraction.text import (
    BM25Vectorizer,
    CountedDocuments,
    CountVectorizer,
    HashingVectorizer,
    TfidfVectorizer,
)

TEXTS = [*make_text_classification(120, n_classes=3, random_state=1).texts, "", "Éclair éclair x"]
ROWS = {"all": None, "third": np.arange(0, 122, 3), "mask": np.arange(122) % 2 == 0}


def same_matrix(one, other):
    assert type(one) is type(other)
    assert one.shape == other.shape
    for name in ("data", "indices", "indptr"):
        a, b = getattr(one, name), getattr(other, name)
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        (CountVectorizer, {}),
        (CountVectorizer, {"min_df": 3, "max_df": 0.5}),
        (CountVectorizer, {"max_features": 40, "dtype": np.float32}),
        (CountVectorizer, {"binary": True, "dtype": bool}),
        (CountVectorizer, {"ngram_range": (1, 2)}),
        (CountVectorizer, {"analyzer": "char_wb", "ngram_range": (2, 3)}),
        (CountVectorizer, {"analyzer": str.split, "min_df": 2}),
        (TfidfVectorizer, {"min_df": 2, "sublinear_tf": True}),
        (TfidfVectorizer, {"ngram_range": (1, 2), "use_idf": False}),
    ],
)
def test_a_fit_to_counts_is_a_fit_to_texts(kind, settings, rows):
    cut = {k: v for k, v in settings.items() if k in ("ngram_range", "analyzer")}
    counted = CountedDocuments(pl.Series(TEXTS), CountVectorizer(**cut))
    texts = TEXTS
    if ROWS[rows] is not None:
        counted = counted[ROWS[rows]]
        texts = np.array(TEXTS, dtype=object)[ROWS[rows]].tolist()
    mine, theirs = kind(**settings), kind(**settings)
    same_matrix(mine.fit_transform(counted), theirs.fit_transform(texts))
    assert mine.vocabulary_ == theirs.vocabulary_
    same_matrix(kind(**settings).fit(counted).transform(TEXTS), theirs.transform(TEXTS))
    whole = CountedDocuments(TEXTS, CountVectorizer(**cut))
    same_matrix(mine.transform(whole), theirs.transform(TEXTS))
    new = ["other words", "and more words"]
    assert mine.partial_fit(new).vocabulary_ == theirs.partial_fit(new).vocabulary_


def test_the_whole_is_not_changed():
    counted = CountedDocuments(TEXTS, CountVectorizer(dtype=np.float64))
    before = counted.counts.copy()
    TfidfVectorizer(sublinear_tf=True).fit_transform(counted)
    CountVectorizer(binary=True, dtype=np.float64).fit_transform(counted)
    same_matrix(counted.counts, before)


def test_terms_of_other_documents_are_zero():
    fitted = CountVectorizer().fit(["only here", *TEXTS])
    counted = CountedDocuments(TEXTS)
    same_matrix(fitted.transform(counted), fitted.transform(TEXTS))


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(lowercase=False),
        CountVectorizer(vocabulary=["x", "eclair"]),
        CountVectorizer(stop_words="english"),
        HashingVectorizer(n_features=64),
        SklearnCountVectorizer(),
    ],
)
def test_other_vectorizers_read_the_texts(vectorizer):
    counted = CountedDocuments(pl.Series(TEXTS))[np.arange(50)]
    assert list(counted) == TEXTS[:50]
    got, expected = vectorizer.fit_transform(counted), vectorizer.fit_transform(TEXTS[:50])
    assert (got != expected).nnz == 0


def test_counts_that_are_binary_do_not_serve_others():
    counted = CountedDocuments(TEXTS, CountVectorizer(binary=True))
    same_matrix(CountVectorizer().fit_transform(counted), CountVectorizer().fit_transform(TEXTS))


def test_parts_of_parts():
    counted = CountedDocuments(TEXTS)
    part = counted[np.arange(10, 60)][np.array([3, 0])]
    assert len(part) == 2
    assert list(part) == [TEXTS[13], TEXTS[10]]
    assert repr(counted).startswith("CountedDocuments(n_documents=122, n_terms=")
    same_matrix(part.counts, counted.counts[[13, 10]])


def test_divide_is_a_fit_to_the_first_part():
    limits = {"min_df": 2, "max_features": 50}
    counted = CountedDocuments(TEXTS, CountVectorizer(**limits))
    train, test = np.arange(0, 80), np.arange(80, 122)
    vectorizer = CountVectorizer(**limits)
    expected = vectorizer.fit_transform(TEXTS[:80]), vectorizer.transform(TEXTS[80:])
    for got, wanted in zip(counted.divide(train, test), expected, strict=True):
        assert (got != wanted).nnz == 0


def test_a_matrix_has_no_texts():
    X = CountVectorizer().fit_transform(TEXTS)
    counted = CountedDocuments.from_matrix(X.toarray())
    assert counted.texts is None
    train, test = counted.divide(np.arange(5), np.arange(5, 122))
    assert train.shape[1] == test.shape[1] == len(np.unique(X[:5].indices))
    assert sparse.issparse(train)
    with pytest.raises(TypeError, match="came as a matrix of counts"):
        CountVectorizer().fit(counted)


@pytest.mark.parametrize("weighing", [TfidfVectorizer(sublinear_tf=True), BM25Vectorizer(min_df=2)])
def test_a_vectorizer_that_weighs_counts_here(weighing):
    counted = CountedDocuments(TEXTS, weighing)
    assert (counted.counts != CountVectorizer().fit_transform(TEXTS)).nnz == 0
    rows = np.arange(0, len(TEXTS), 3)
    np.testing.assert_array_equal(
        clone(weighing).fit_transform(counted[rows]).toarray(),
        clone(weighing).fit_transform([TEXTS[row] for row in rows]).toarray(),
    )
