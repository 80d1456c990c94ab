"""From documents to a model in one pass: equal to a matrix in between, at any price it asks."""

import pickle

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from quire.datasets import make_text_classification
from quire.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from quire.inspection import TermWeight
from quire.io import read_batches
from quire.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

MODELS = [MultinomialNB, ComplementNB, BernoulliNB]


@pytest.fixture(name="data", scope="module")
def fixture_data():
    made = make_text_classification(120, n_classes=3, n_words=400, random_state=3)
    return list(made.texts), [f"class {k}" for k in made.y]


def assert_same(model, other):
    for name in ("classes_", "class_count_", "feature_count_", "feature_log_prob_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(other, name))
    np.testing.assert_array_equal(model.class_log_prior_, other.class_log_prior_)
    assert model.n_features_in_ == other.n_features_in_


SETTINGS = [
    {},
    {"min_df": 3, "max_df": 0.5},
    {"ngram_range": (1, 2), "max_features": 50},
    {"analyzer": "char_wb", "ngram_range": (2, 3)},
    {"tokenizer": str.split, "token_pattern": None},
    {"vocabulary": ["aa", "ba", "ca"]},
    {"binary": True},
]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_equals_a_fit_on_the_matrix(model, settings, data):
    texts, labels = data
    vectorizer = CountVectorizer(**settings)
    fused = model().fit_text(texts, labels, vectorizer=vectorizer)
    X = CountVectorizer(**settings).fit_transform(texts)
    assert_same(fused, model().fit(X, labels))
    assert not vectorizer.__sklearn_is_fitted__(), "the vectorizer that was passed is as it was"
    assert fused.vectorizer_.vocabulary_ == clone(vectorizer).fit(texts).vocabulary_
    np.testing.assert_array_equal(
        fused.to_pipeline().predict(texts),
        make_pipeline(CountVectorizer(**settings), model()).fit(texts, labels).predict(texts),
    )


@pytest.mark.parametrize("model", [MultinomialNB(binarize=0.0), MultinomialNB(binarize=1.0)])
def test_binarised_counts(model, data):
    texts, labels = data
    X = CountVectorizer().fit_transform(texts)
    assert_same(clone(model).fit_text(texts, labels), clone(model).fit(X, labels))


@pytest.mark.parametrize("model", MODELS)
def test_weights(model, data):
    texts, labels = data
    weights = np.random.default_rng(0).random(len(texts))
    fused = model().fit_text(texts, labels, sample_weight=weights)
    whole = model().fit(CountVectorizer().fit_transform(texts), labels, sample_weight=weights)
    np.testing.assert_allclose(fused.feature_count_, whole.feature_count_, rtol=1e-13)
    np.testing.assert_allclose(fused.feature_log_prob_, whole.feature_log_prob_, rtol=1e-12)
    for n_jobs in (1, 3):
        again = model(n_jobs=n_jobs).fit_text(texts, labels, sample_weight=weights)
        assert_same(again, fused)


def test_streams(data, tmp_path):
    texts, labels = data
    whole = MultinomialNB().fit_text(texts, labels)
    assert_same(MultinomialNB().fit_text(iter(texts), iter(labels)), whole)
    assert_same(MultinomialNB().fit_text(zip(texts, labels, strict=True)), whole)
    assert_same(MultinomialNB().fit_text(pl.Series(texts), pl.Series(labels)), whole)
    path = tmp_path / "corpus.csv"
    pl.DataFrame({"text": texts, "label": labels}).write_csv(path)
    batches = read_batches(path, text="text", label="label", batch_size=17)
    assert_same(MultinomialNB().fit_text(batches), whole)


def test_hashing(data):
    texts, labels = data
    hashing = HashingVectorizer(n_features=256, alternate_sign=False, norm=None)
    fused = MultinomialNB().fit_text(texts, labels, vectorizer=hashing)
    assert_same(fused, MultinomialNB().fit(hashing.transform(texts), labels))
    half = MultinomialNB().fit_text(texts[:60], labels[:60], vectorizer=hashing)
    rest = MultinomialNB().fit_text(texts[60:], labels[60:], vectorizer=hashing)
    assert_same(half.merge(rest), fused)
    assert half.top_terms(1)[labels[0]][0].term < 256
    for model in (MultinomialNB(), ComplementNB()):
        with pytest.raises(ValueError, match="alternate_sign=False"):
            model.fit_text(texts, labels, vectorizer=HashingVectorizer())


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("settings", [{}, {"min_df": 3, "max_features": 60}], ids=str)
def test_merged_vocabularies(model, settings, data):
    texts, labels = data
    vectorizer = CountVectorizer(**settings)
    parts = [slice(0, 30), slice(30, 31), slice(31, 120)]
    models = [
        model().fit_text(texts[part], labels[part], vectorizer=CountVectorizer())
        if part == slice(30, 31)
        else model().fit_text(texts[part], labels[part], vectorizer=vectorizer)
        for part in parts
    ]
    before = pickle.dumps(models[1])
    joined = models[0].merge(models[1]).merge(models[2])
    assert pickle.dumps(models[1]) == before
    whole = model().fit_text(texts, labels, vectorizer=vectorizer)
    assert_same(joined, whole)
    assert joined.vectorizer_.vocabulary_ == whole.vectorizer_.vocabulary_
    np.testing.assert_array_equal(
        joined.to_pipeline().predict(texts), whole.to_pipeline().predict(texts)
    )


def test_merge_refuses_what_does_not_fit(data):
    texts, labels = data
    model = MultinomialNB().fit_text(texts, labels)
    before = pickle.dumps(model)
    bigrams = CountVectorizer(ngram_range=(2, 2))
    with pytest.raises(ValueError, match="cut up texts differently"):
        model.merge(MultinomialNB().fit_text(texts, labels, vectorizer=bigrams))
    matrix = MultinomialNB().fit(model.vectorizer_.transform(texts), labels)
    with pytest.raises(ValueError, match="columns may stand for other terms"):
        model.merge(matrix)
    with pytest.raises(ValueError, match="columns may stand for other terms"):
        matrix.merge(model)
    with pytest.raises(ValueError, match="classes of different kinds"):
        model.merge(MultinomialNB().fit_text(["ab cd"], [1]))
    assert pickle.dumps(model) == before


def test_more_rows_of_a_matrix_after_texts(data):
    texts, labels = data
    vectorizer = CountVectorizer(min_df=5)
    model = MultinomialNB().fit_text(texts, labels, vectorizer=vectorizer)
    X = model.vectorizer_.transform(texts)
    model.partial_fit(X, labels)
    assert_same(model, MultinomialNB().fit(X, labels).partial_fit(X, labels))
    twin = MultinomialNB().fit_text(texts, labels, vectorizer=vectorizer).partial_fit(X, labels)
    np.testing.assert_array_equal(model.merge(twin).class_count_, 2 * twin.class_count_)
    other = (
        MultinomialNB()
        .fit_text(texts[:20], labels[:20])
        .partial_fit(CountVectorizer().fit_transform(texts[:20]), labels[:20])
    )
    with pytest.raises(ValueError, match="different terms"):
        model.merge(other)


def test_compact(data):
    texts, labels = data
    vectorizer = CountVectorizer(min_df=5, ngram_range=(1, 2))
    model = MultinomialNB().fit_text(texts, labels, vectorizer=vectorizer)
    before, size = model.to_pipeline().predict_proba(texts), len(pickle.dumps(model))
    assert model.compact() is model
    assert len(pickle.dumps(model)) < size / 3
    np.testing.assert_array_equal(model.to_pipeline().predict_proba(texts), before)
    with pytest.raises(ValueError, match="columns may stand for other terms"):
        model.merge(MultinomialNB().fit_text(texts, labels, vectorizer=vectorizer))
    twin = MultinomialNB().fit_text(texts, labels, vectorizer=vectorizer).compact()
    np.testing.assert_array_equal(model.merge(twin).class_count_, 2 * twin.class_count_)
    matrix = MultinomialNB().fit([[1, 2], [2, 1]], [0, 1])
    assert matrix.compact() is matrix


def test_hashed_rows_after_texts(data):
    texts, labels = data
    hashing = HashingVectorizer(n_features=64, alternate_sign=False, norm=None)
    models = [
        MultinomialNB().fit_text(texts, labels, vectorizer=hashing).compact() for _ in range(2)
    ]
    np.testing.assert_array_equal(
        models[0].merge(models[1]).class_count_, 2 * models[1].class_count_
    )
    other = HashingVectorizer(n_features=64, alternate_sign=False, norm=None, ngram_range=(1, 2))
    with pytest.raises(ValueError, match="cut up texts differently"):
        models[0].merge(MultinomialNB().fit_text(texts, labels, vectorizer=other).compact())


def test_presence_and_counts_do_not_mix(data):
    texts, labels = data
    binary = MultinomialNB().fit_text(texts, labels, vectorizer=CountVectorizer(binary=True))
    with pytest.raises(ValueError, match="cut up texts differently"):
        binary.merge(MultinomialNB().fit_text(texts, labels))


def test_names_come_with_the_vocabulary(data):
    texts, labels = data
    model = MultinomialNB().fit_text(texts, labels)
    top = model.top_terms(3)
    assert all(isinstance(term, TermWeight) for terms in top.values() for term in terms)
    assert top["class 0"][0].term in model.vectorizer_.vocabulary_
    found = model.evidence(model.vectorizer_.transform(texts[:1]))[0]
    assert {term.term for term in found.terms} <= set(model.vectorizer_.vocabulary_)


def test_a_fit_on_a_matrix_forgets_the_texts(data):
    texts, labels = data
    model = MultinomialNB().fit_text(texts, labels)
    model.fit([[1, 0], [0, 1]], ["a", "b"])
    assert not hasattr(model, "vectorizer_")
    with pytest.raises(ValueError, match="knows no vectorizer"):
        model.to_pipeline()


def test_pickles(data):
    texts, labels = data
    model = MultinomialNB().fit_text(texts, labels)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        again.to_pipeline().predict_proba(texts), model.to_pipeline().predict_proba(texts)
    )


def test_bad_input(data):
    texts, labels = data
    with pytest.raises(ValueError, match="120"):
        MultinomialNB().fit_text(texts, labels[:3])
    with pytest.raises(ValueError, match="Row 1"):
        MultinomialNB().fit_text(["a b", None], ["x", "y"])
    with pytest.raises(TypeError, match="known only after all documents"):
        MultinomialNB().fit_text(texts, labels, vectorizer=TfidfVectorizer())
    with pytest.raises(ValueError, match="empty vocabulary"):
        MultinomialNB().fit_text(["", "."], ["x", "y"])
    with pytest.raises(ValueError, match="'alpha' parameter"):
        MultinomialNB(alpha=-1).fit_text(texts, labels)
    model = MultinomialNB()
    with pytest.raises(ValueError, match="string object received"):
        model.fit_text("one text", ["x"])
    assert not hasattr(model, "classes_")
