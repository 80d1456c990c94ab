"""Class counts of streams, and counts that are joined later."""

import itertools

import numpy as np
import pytest
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
    count_by_class,
    merge_class_counts,
)
from quire.io import read_batches, read_corpus

OWN = {"tokenizer": own_tokens, "token_pattern": None}
ALL = count_by_class(CountVectorizer(), TEXTS, Y)


def assert_same(ours, theirs):
    np.testing.assert_array_equal(ours.classes, theirs.classes)
    np.testing.assert_array_equal(ours.class_count, theirs.class_count)
    np.testing.assert_array_equal(ours.feature_count, theirs.feature_count)
    np.testing.assert_array_equal(ours.term_counts, theirs.term_counts)
    assert ours.n_documents == theirs.n_documents
    assert (ours.terms is None) == (theirs.terms is None)
    if ours.terms is not None:
        assert ours.terms.names() == theirs.terms.names()
        for name in ("document_frequency", "term_frequency"):
            np.testing.assert_array_equal(getattr(ours.terms, name), getattr(theirs.terms, name))


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    monkeypatch.setattr("quire.feature_extraction.text._class_counting._BATCH", 64)
    monkeypatch.setattr("quire.feature_extraction.text._documents._BATCH", 64)


@pytest.mark.parametrize("settings", [{}, OWN, {"vocabulary": ["film", "bad"]}], ids=setting_names)
def test_pairs_and_label_streams(settings):
    expected = count_by_class(CountVectorizer(**settings), TEXTS, Y)
    pairs = list(zip(TEXTS, Y.tolist(), strict=True))
    for documents, labels in (
        (pairs, None),
        (iter(pairs), None),
        ([list(pair) for pair in pairs], None),
        (iter(TEXTS), iter(Y)),
        (TEXTS, (label for label in Y)),
        (iter(TEXTS), Y.tolist()),
    ):
        ours = count_by_class(CountVectorizer(**settings), documents, labels)
        assert_same(ours, expected)
        assert ours.classes.dtype == expected.classes.dtype


def test_batches_of_a_corpus(tmp_path):
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"text": TEXTS, "label": Y.tolist()})
    frame.write_parquet(tmp_path / "corpus.parquet")
    assert_same(count_by_class(CountVectorizer(), read_corpus(frame)), ALL)
    batches = read_batches(tmp_path / "corpus.parquet", batch_size=77)
    assert_same(count_by_class(CountVectorizer(), batches), ALL)
    weights = np.arange(len(TEXTS)) % 3
    ours = count_by_class(
        CountVectorizer(), read_batches(frame, batch_size=77), weights=weights.tolist()
    )
    assert_same(ours, count_by_class(CountVectorizer(), TEXTS, Y, weights=weights))
    with pytest.raises(ValueError, match=r"Batch 0 \(counted from 0\) has no labels"):
        count_by_class(CountVectorizer(), read_batches(frame, label=False, batch_size=77))


def test_a_generator_is_not_held_whole():
    alive, most = set(), 0

    class Text(str):
        def __new__(cls, text):
            nonlocal most
            self = super().__new__(cls, text)
            alive.add(id(self))
            most = max(most, len(alive))
            return self

        def __del__(self):
            alive.discard(id(self))

    pairs = ((Text(f"word{i} shared"), i % 3) for i in range(2000))
    counts = count_by_class(CountVectorizer(), pairs)
    assert counts.feature_count.sum() == 4000
    assert most < 300


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [([2, 0, 1], "int64"), ([True, False, True], "bool"), (["b", "a", "c"], "<U1")],
)
def test_classes_are_as_numpy_sorts_them(labels, dtype):
    texts = ["one", "two", "three"]
    for given in (labels, np.array(labels), iter(labels)):
        counts = count_by_class(CountVectorizer(), texts, given)
        np.testing.assert_array_equal(counts.classes, np.unique(labels))
        assert counts.classes.dtype == dtype
        assert counts.class_count.sum() == 3


PARTS = [(0, 100), (100, 110), (110, 300)]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"min_df": 3},
        {"max_df": 0.2, "min_df": 2},
        {"max_features": 15},
        {"ngram_range": (1, 2), "min_df": 2, "max_features": 60},
        {"analyzer": "char_wb", "ngram_range": (1, 3), "min_df": 0.1},
        {"binary": True, "max_features": 10},
        {**OWN, "min_df": 2},
        {"analyzer": reversed_words, "max_features": 9},
        {"vocabulary": ["film", "good", "bad"]},
    ],
    ids=setting_names,
)
@pytest.mark.parametrize("threshold", [None, 1.0])
def test_merged_counts_are_those_of_all_documents(settings, threshold):
    texts, y = [*TEXTS, "one more of its own"], np.append(Y, "late")
    whole = CountVectorizer(**settings)
    expected = count_by_class(whole, texts, y, threshold=threshold)
    loose = {**settings, "min_df": 1, "max_df": 1.0}  # parts may be left with no terms
    parts = [
        count_by_class(CountVectorizer(**loose), texts[a:b], y[a:b], threshold=threshold)
        for a, b in [*PARTS, (300, 301)]
    ]
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        vectorizer = CountVectorizer(**settings)
        merged = parts[order[0]]
        for part in order[1:-1]:
            merged = merge_class_counts(merged, parts[part], CountVectorizer(**loose))
        merged = merge_class_counts(merged, parts[order[-1]], vectorizer)
        assert_same(merged, expected)
        if "vocabulary" not in settings:
            assert vectorizer.vocabulary_ == whole.vocabulary_
            more, _ = make(30, seed=3)
            again = CountVectorizer(**settings).fit([*texts, *more])
            assert vectorizer.partial_fit(more).vocabulary_ == again.vocabulary_


def test_merge_refuses_what_does_not_fit():
    numbers = count_by_class(CountVectorizer(), TEXTS, np.arange(len(TEXTS)) % 2)
    hashed = [count_by_class(HashingVectorizer(n_features=n), TEXTS, Y) for n in (8, 16)]
    with pytest.raises(ValueError, match="classes of different kinds"):
        merge_class_counts(ALL, numbers, CountVectorizer())
    for a, b in (hashed, (ALL, hashed[0])):
        with pytest.raises(ValueError, match="different columns"):
            merge_class_counts(a, b, HashingVectorizer())
    with pytest.raises(TypeError, match="not with"):
        merge_class_counts(ALL, ALL, None)


@pytest.mark.parametrize("settings", [{}, OWN, {"vocabulary": ["film"]}], ids=setting_names)
@pytest.mark.parametrize(
    ("documents", "labels", "message"),
    [
        (lambda: TEXTS, lambda: Y[:200], "there are 300 documents and 200 labels"),
        (lambda: TEXTS[:9], lambda: list(Y), "there are 9 documents and 300 labels"),
        (lambda: iter(TEXTS), lambda: Y[:200], "labels ended first: there are 200 labels"),
        (lambda: iter(TEXTS), lambda: iter(Y[:70]), "labels ended first: there are 70 labels"),
        (lambda: TEXTS, lambda: iter(Y[:70]), "labels ended first: there are 70 labels"),
        (lambda: iter(TEXTS[:9]), lambda: Y, "documents ended first: there are 9 documents"),
        (lambda: TEXTS[:9], lambda: itertools.repeat(1), "documents ended first: there are 9"),
        (lambda: TEXTS[:2], lambda: ["a", None], r"label of row 1 \(counted from 0\) is missing"),
        (lambda: TEXTS[:3], lambda: ["a", "b", np.nan], "label of row 2"),
        (lambda: TEXTS[:3], lambda: np.array([1.0, np.nan, 2.0]), "label of row 1"),
        (lambda: TEXTS, lambda: iter([*Y[:150], None]), "label of row 150"),
        (lambda: zip(TEXTS, [*Y[:99], np.nan], strict=False), lambda: None, "label of row 99"),
        (lambda: "a string", lambda: Y, "string object received"),
        (lambda: TEXTS[:3], lambda: [0.5, 1.5, 2.5], "Unknown label type"),
        (lambda: [], lambda: [], "empty vocabulary|no documents"),
        (lambda: ["aa", None], lambda: [0, 1], r"Row 1 \(counted from 0\) is missing"),
    ],
)
def test_labels_that_do_not_fit(settings, documents, labels, message):
    vectorizer = CountVectorizer(**settings)
    with pytest.raises(ValueError, match=message):
        count_by_class(vectorizer, documents(), labels())
    assert getattr(vectorizer, "_growth", None) is None


def test_rows_of_later_batches_can_be_found():
    texts = [*TEXTS[:150], None]
    with pytest.raises(ValueError, match="Row 22 ") as caught:
        count_by_class(CountVectorizer(vocabulary=["film"]), texts, Y[:151])
    assert caught.value.__notes__ == ["Rows are counted from document 128 here."]


def test_items_that_are_no_pairs():
    for items in (TEXTS, [("a", "b", "c")], iter([1, 2])):
        with pytest.raises(TypeError, match=r"pairs \(text, label\).*item 0"):
            count_by_class(CountVectorizer(), items)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones(10), "there are 300 documents and 10 weights"),
        (iter([1.0, 2.0]), "weights ended first: there are 2 weights"),
        (itertools.repeat(1.0), "documents ended first: there are 300 documents and more weights"),
        (np.ones((300, 2)), "weights must be one-dimensional"),
        ([*[1.0] * 299, np.inf], "weight of row 299"),
    ],
)
def test_weights_that_do_not_fit(weights, message):
    with pytest.raises(ValueError, match=message):
        count_by_class(CountVectorizer(), TEXTS, Y, weights=weights)


@pytest.mark.parametrize("threshold", [-1, -0.5, float("nan")])
def test_a_negative_threshold_is_refused(threshold):
    with pytest.raises(ValueError, match="threshold must be None or a number"):
        count_by_class(CountVectorizer(), TEXTS, Y, threshold=threshold)


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="min_df"):
        count_by_class(CountVectorizer(min_df=-1), TEXTS, Y)
